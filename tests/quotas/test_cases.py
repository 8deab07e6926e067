"""Quotas as people write them: what each becomes, what is left and where, and that nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.model.pod import dotted
from tests.running import run

Case = dict[str, Any]
CASES: list[Case] = yaml.safe_load(
    (Path(__file__).parents[2] / "fixtures" / "quotas" / "cases.yaml").read_text(encoding="utf-8")
)


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
