"""Quotas as people write them: what each becomes, what is left and where, and that nothing else changes."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gpuxlate.model.pod import dotted
from tests.running import run
from tests.tables import read_table

Case = dict[str, Any]
CASES: list[Case] = read_table(__file__, "../../fixtures/quotas/cases.yaml")

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "report.json").read_text(encoding="utf-8"))


def diagnostics(text: bytes) -> list[str]:
    lines = text.decode().splitlines()
    return [line.partition("[")[2][:5] for line in lines if line.startswith(("error[", "warning[", "info["))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_quota_becomes_the_same(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.yaml").write_text(case["text"], encoding="utf-8")
    check_lint()
    source = ["--from", case["from"]] if "from" in case else []
    arguments = ["q.yaml", "--to", case["to"], *source, *case.get("accept", [])]
    if "refused" not in case:
        check_assess(arguments, left="left" in case)
    ran = run("translate", *arguments, "-i", "--report", "report.json")
    if "refused" in case:
        assert (ran.code, sorted(diagnostics(ran.err))) == (1, case["refused"]), ran.err.decode()
        return
    left = json.loads(Path("report.json").read_text())["leftovers"]
    assert len(left) == len(case.get("left", ())), left
    for one, wanted in zip(left, case.get("left", ()), strict=True):
        place, _, why = wanted.partition(": ")
        assert f"{one['line']}:{one['column']} {one['key']}" == place
        assert why in one["message"]
        assert case.get("says", "") in (one["hint"] or "")
    assert ran.code == int(bool(left))
    assert sorted(diagnostics(ran.err)) == sorted([*case.get("found", ()), *["GX026"] * len(left)])
    assert Path("q.yaml").read_text() == (case["text"] if left else case["becomes"])
    if left:
        accepted = run("translate", *arguments, "--allow-leftovers")
        assert b"--allow-leftovers" not in accepted.err  # no hint to give what is given
    if left and "becomes" in case:
        assert run("translate", *arguments, "-i", "--allow-leftovers").code == 0
        assert Path("q.yaml").read_text() == case["becomes"]


def check_lint() -> None:
    """What a translation reads is no remark about keys outside of pods."""
    quotas = json.loads(run("inspect", "q.yaml", "-o", "json").out)["quotas"]
    found = json.loads(run("lint", "q.yaml", "--format", "json").out)["diagnostics"]
    outside = [one["path"] for one in found if one["code"] == "GX014"]
    read = [(key, dotted(tuple(above))) for *above, key in outside]
    assert [at for at in read for one in quotas if at[0] == one["key"] and at[1].endswith(one["place"])] == []


def check_assess(arguments: list[str], *, left: bool) -> None:
    """Each amount is listed."""
    data = json.loads(run("assess", *arguments, "-o", "json").out)
    jsonschema.validate(data, SCHEMA)
    verdicts = [one["verdict"] for one in data["quotas"]]
    assert left or "left" not in verdicts
    assert all((one["given"] is None) == (one["verdict"] == "left") for one in data["quotas"])
    assert all(one["given"] >= one["amount"] for one in data["quotas"] if one["given"] is not None)
    table = run("assess", *arguments).out.decode()
    assert ("QUOTA AT" in table) == bool(verdicts)
    assert (" quota" in table.partition("\n")[0]) == bool(verdicts)


QUOTAS = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: team}
spec: {hard: {requests.aliyun.com/gpu-mem: 64, requests.aliyun.com/gpu: 4, limits.aliyun.com/gpu-mem: 7.5}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: l}
spec: {limits: [{type: Container, max: {nvidia.com/gpucores: 50}}]}
"""


def test_inspect_shows_amounts_in_the_terms_of_a_share() -> None:
    table = run("inspect", "-", stdin=QUOTAS.encode()).out.decode().split("\n\n")[1].splitlines()
    assert [" | ".join(cell.strip() for cell in line.split("  ") if cell.strip()) for line in table] == [
        "OBJECT | AT | RESOURCE | AMOUNT",
        "team/ResourceQuota/q | spec.hard | requests.aliyun.com/gpu-mem | 65536 MiB of GPU memory in all",
        "team/ResourceQuota/q | spec.hard | requests.aliyun.com/gpu | 4 cards in all",
        "team/ResourceQuota/q | spec.hard | limits.aliyun.com/gpu-mem | ? (7.5)",
        "LimitRange/l | spec.limits[0].max | nvidia.com/gpucores | "
        "50 % of compute of a container, of each card",
    ]
    data = json.loads(run("inspect", "-", "-o", "json", stdin=QUOTAS.encode()).out)
    fields = [(one["field"], one["amount"], one["perCard"], one["perContainer"]) for one in data["quotas"]]
    in_all = [(*one, False, False) for one in (("memoryMiB", 65536), ("cards", 4), ("memoryMiB", None))]
    assert fields == [*in_all, ("cores", 50, True, True)]
    assert [one["key"] for one in data["leftovers"]] == ["aliyun.com/gpu-mem"]


def test_a_profile_has_units_and_names_of_its_own(tmp_path: Path) -> None:
    """ACK's units of 128 MiB, and HAMi's resources under the names that its chart was told."""
    (tmp_path / "ack.yaml").write_text("target: alibaba-gpushare\nalibaba: {memoryUnitMiB: 128}\n")
    (tmp_path / "hami.yaml").write_text("target: hami\nhami: {resourceNames: {memory: example.com/mem}}\n")
    for profile, amount, target, wanted in (
        ("ack.yaml", "aliyun.com/gpu-mem: 64", "vke", "vke.volcengine.com/mgpu-memory: 8192"),
        ("hami.yaml", "example.com/mem: 64", "volcano", "volcano.sh/vgpu-memory: 64"),
        ("hami.yaml", "volcano.sh/vgpu-memory: 64", "hami", "example.com/mem: 64"),
    ):
        text = "apiVersion: v1\nkind: ResourceQuota\nspec: {hard: {requests.%s}}\n"
        arguments = ("--to", target, "--profile", str(tmp_path / profile))
        ran = run("translate", "-", *arguments, stdin=(text % amount).encode())
        assert (ran.code, ran.out.decode()) == (0, text % wanted), ran.err.decode()
