"""``inspect`` reads its inputs as ``lint`` does, and counts pods, not containers."""

from __future__ import annotations

import pytest

from tests.lint.conftest import Command, Write, pod


def test_totals_count_a_pod_once(command: Command, write: Write) -> None:
    share = "{limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}"
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n  template:\n"
        f"    spec:\n      containers:\n      - {{name: a, resources: {share}}}\n"
        f"      - {{name: b, resources: {share}}}\n"
    )
    write({"a.yaml": f"{text}---\n{text}"})
    said = command("inspect", "a.yaml", "-o", "json")
    assert (said.code, len(said.json["items"])) == (0, 4)
    # 2 Deployments of 3 pods with 2 containers each
    totals = {"pods": 6, "cards": 12, "wholeCards": 0, "cores": 360, "memoryMiB": 49152}
    assert said.json["totals"] == {"volcengine-mgpu": totals}


def test_a_number_of_replicas_that_is_none(command: Command, write: Write) -> None:
    write({"a.yaml": pod("aliyun.com/gpu-mem: 4", spec=f"replicas: {'9' * 5000}")})
    said = command("inspect", "a.yaml", "-o", "json")
    assert (said.code, said.json["items"][0]["replicas"]) == (0, 1)


CANNOT: dict[str, tuple[dict[str, str | bytes], int, str]] = {
    "empty": ({"a.yaml": ""}, 3, "a.yaml: it is empty"),
    "utf-16": ({"a.yaml": pod("aliyun.com/gpu-mem: 4").encode("utf-16")}, 3, "is not UTF-8"),
    "broken": ({"a.yaml": "a: ["}, 1, "GX001"),
    "template": ({"a.yaml": pod("aliyun.com/gpu-mem: {{ .Values.gpu }}")}, 0, "GX012"),
    "chart": ({"Chart.yaml": "name: c", "templates/a.yaml": pod("aliyun.com/gpu-mem: 4")}, 0, "GX012"),
}


@pytest.mark.parametrize("name", CANNOT)
def test_what_cannot_be_counted(command: Command, write: Write, name: str) -> None:
    files, code, words = CANNOT[name]
    write(files)
    said = command("inspect", [*files][-1])
    assert (said.code, words in said.err) == (code, True)
