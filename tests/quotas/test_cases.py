"""Quotas as people write them: what each becomes, what is left and where, and that nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from gpuxlate.model.pod import dotted
from tests.running import run

Case = dict[str, Any]
CASES: list[Case] = yaml.safe_load(
    (Path(__file__).parents[2] / "fixtures" / "quotas" / "cases.yaml").read_text(encoding="utf-8")
)

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "report.json").read_text(encoding="utf-8"))


@pytest.fixture(params=CASES, ids=lambda case: case["name"])
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.chdir(tmp_path)
    Path("q.yaml").write_text(request.param["text"], encoding="utf-8")
    found: Case = request.param
    return found


def arguments(case: Case) -> list[str]:
    source = ["--from", case["from"]] if "from" in case else []
    return ["q.yaml", "--to", case["to"], *source, *case.get("accept", [])]


def diagnostics(text: bytes) -> list[str]:
    lines = text.decode().splitlines()
    return [line.partition("[")[2][:5] for line in lines if line.startswith(("error[", "warning[", "info["))]


def test_a_quota_becomes_the_same_at_the_target(case: Case) -> None:
    ran = run("translate", *arguments(case), "-i", "--report", "report.json")
    if "refused" in case:
        assert (ran.code, sorted(diagnostics(ran.err))) == (1, case["refused"]), ran.err.decode()
        return
    left = json.loads(Path("report.json").read_text())["leftovers"]
    assert len(left) == len(case.get("left", ())), left
    for one, wanted in zip(left, case.get("left", ()), strict=True):
        place, _, why = wanted.partition(": ")
        assert f"{one['line']}:{one['column']} {one['key']}" == place
        assert why in one["message"]
    assert ran.code == int(bool(left))
    found = sorted(one for one in diagnostics(ran.err))
    assert found == sorted([*case.get("found", ()), *["GX026"] * len(left)])
    assert Path("q.yaml").read_text() == (case["text"] if left else case["becomes"])
    if left and "becomes" in case:
        assert run("translate", *arguments(case), "-i", "--allow-leftovers").code == 0
        assert Path("q.yaml").read_text() == case["becomes"]


def test_assess_lists_each_amount(case: Case) -> None:
    if "refused" in case:
        return
    data = json.loads(run("assess", *arguments(case), "-o", "json").out)
    jsonschema.validate(data, SCHEMA)
    verdicts = [one["verdict"] for one in data["quotas"]]
    if "left" not in case:
        assert "left" not in verdicts
    assert all((one["given"] is None) == (one["verdict"] == "left") for one in data["quotas"])
    assert all(one["given"] >= one["amount"] for one in data["quotas"] if one["given"] is not None)
    table = run("assess", *arguments(case)).out.decode()
    assert ("QUOTA AT" in table) == bool(verdicts)
    assert (" quota" in table.partition("\n")[0]) == bool(verdicts)


@pytest.mark.usefixtures("case")
def test_lint_reads_the_names() -> None:
    """What a translation reads is no remark about keys outside of pods."""
    quotas = json.loads(run("inspect", "q.yaml", "-o", "json").out)["quotas"]
    read = {(one["place"], one["key"]) for one in quotas}
    found = json.loads(run("lint", "q.yaml", "--format", "json").out)["diagnostics"]
    outside = [one["path"] for one in found if one["code"] == "GX014"]
    assert not [
        path
        for path in outside
        for place, key in read
        if path[-1] == key and dotted(tuple(path[:-1])).endswith(place)
    ]


def test_inspect_shows_amounts_in_the_terms_of_a_share(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    path.write_text(
        """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: team}
spec: {hard: {requests.aliyun.com/gpu-mem: 64, requests.aliyun.com/gpu: 4, limits.aliyun.com/gpu-mem: 7.5}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: l}
spec: {limits: [{type: Container, max: {nvidia.com/gpucores: 50}}]}
""",
        encoding="utf-8",
    )
    lines = [
        line.split("  ") for line in run("inspect", str(path)).out.decode().split("\n\n")[1].splitlines()
    ]
    assert [[cell.strip() for cell in line if cell.strip()] for line in lines] == [
        ["OBJECT", "AT", "RESOURCE", "AMOUNT"],
        [
            "team/ResourceQuota/q",
            "spec.hard",
            "requests.aliyun.com/gpu-mem",
            "65536 MiB of GPU memory in all",
        ],
        ["team/ResourceQuota/q", "spec.hard", "requests.aliyun.com/gpu", "4 cards in all"],
        ["team/ResourceQuota/q", "spec.hard", "limits.aliyun.com/gpu-mem", "? (7.5)"],
        [
            "LimitRange/l",
            "spec.limits[0].max",
            "nvidia.com/gpucores",
            "50 % of compute of a container, of each card",
        ],
    ]
    data = json.loads(run("inspect", str(path), "-o", "json").out)
    fields = [(one["field"], one["amount"], one["perCard"], one["perContainer"]) for one in data["quotas"]]
    assert fields == [
        ("memoryMiB", 65536, False, False),
        ("cards", 4, False, False),
        ("memoryMiB", None, False, False),
        ("cores", 50, True, True),
    ]
    assert [one["key"] for one in data["leftovers"]] == ["aliyun.com/gpu-mem"]


def test_a_profile_has_units_and_names_of_its_own(tmp_path: Path) -> None:
    """ACK's units of 128 MiB, and HAMi's resources under the names that its chart was told."""
    (tmp_path / "ack.yaml").write_text("target: alibaba-gpushare\nalibaba: {memoryUnitMiB: 128}\n")
    (tmp_path / "hami.yaml").write_text("target: hami\nhami: {resourceNames: {memory: example.com/mem}}\n")
    for profile, name, target, wanted in (
        (
            "ack.yaml",
            "requests.aliyun.com/gpu-mem: 64",
            "vke",
            "requests.vke.volcengine.com/mgpu-memory: 8192",
        ),
        ("hami.yaml", "requests.example.com/mem: 64", "volcano", "requests.volcano.sh/vgpu-memory: 64"),
        ("hami.yaml", "requests.volcano.sh/vgpu-memory: 64", "hami", "requests.example.com/mem: 64"),
    ):
        text = "apiVersion: v1\nkind: ResourceQuota\nspec: {hard: {%s}}\n"
        arguments = ("--to", target, "--profile", str(tmp_path / profile))
        ran = run("translate", "-", *arguments, stdin=(text % name).encode())
        assert (ran.code, ran.out.decode()) == (0, text % wanted), ran.err.decode()
