"""``inspect`` reads its inputs as ``lint`` does, and counts pods, not containers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from gpuxlate.cli import main
from tests.lint.conftest import Write, pod


def inspect(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = 0
    try:
        main(["inspect", *arguments])
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capfd.readouterr()
    return code, out, err


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["gpuxlate"])


def test_totals_count_a_pod_once(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    share = "{limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}"
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n  template:\n"
        f"    spec:\n      containers:\n      - {{name: a, resources: {share}}}\n"
        f"      - {{name: b, resources: {share}}}\n"
    )
    write({"a.yaml": f"{text}---\n{text}"})
    code, out, _ = inspect(capfd, "a.yaml", "-o", "json")
    found = json.loads(out)
    assert (code, len(found["items"])) == (0, 4)
    # 2 Deployments of 3 pods with 2 containers each
    assert found["totals"] == {
        "volcengine-mgpu": {"pods": 6, "cards": 12, "wholeCards": 0, "cores": 360, "memoryMiB": 49152}
    }


def test_a_number_of_replicas_that_is_none(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    write({"a.yaml": pod("aliyun.com/gpu-mem: 4", spec=f"replicas: {'9' * 5000}")})
    code, out, _ = inspect(capfd, "a.yaml", "-o", "json")
    assert (code, json.loads(out)["items"][0]["replicas"]) == (0, 1)


CANNOT: dict[str, tuple[dict[str, str | bytes], int, str]] = {
    "empty": ({"a.yaml": ""}, 3, "a.yaml: it is empty"),
    "utf-16": ({"a.yaml": pod("aliyun.com/gpu-mem: 4").encode("utf-16")}, 3, "is not UTF-8"),
    "broken": ({"a.yaml": "a: ["}, 1, "GX001"),
    "template": ({"a.yaml": pod("aliyun.com/gpu-mem: {{ .Values.gpu }}")}, 0, "GX012"),
    "chart": ({"Chart.yaml": "name: c", "templates/a.yaml": pod("aliyun.com/gpu-mem: 4")}, 0, "GX012"),
}


@pytest.mark.parametrize("name", CANNOT)
def test_what_cannot_be_counted(write: Write, capfd: pytest.CaptureFixture[str], name: str) -> None:
    files, code, said = CANNOT[name]
    write(files)
    ended, _, err = inspect(capfd, [*files][-1])
    assert (ended, said in err) == (code, True)
