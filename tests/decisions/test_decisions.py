"""Losses that are decided one by one: what is accepted, what is written, what is said of old entries."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuxlate
from gpuxlate.config import decisions
from gpuxlate.config.decisions import Decision
from gpuxlate.model import limits
from gpuxlate.yamltext.source import Source
from tests import steps
from tests.running import run
from tests.schemas import validator

CASES = dict(steps.cases("decisions"))


@pytest.mark.parametrize("name", CASES)
def test_a_case(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    steps.check(CASES[name])


SHARE = """\
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: ml}
spec:
  containers:
  - name: server
    resources:
      limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4000}
"""
ENTRY: dict[str, Any] = {
    "object": "Pod/ml/web",
    "container": "server",
    "to": "tke",
    "field": "memoryMiB",
    "code": "TKE001",
    "verdict": "rounded",
    "asked": 4000,
    "given": 4096,
    "accept": True,
    "reason": "whole GiB",
}


def krm(entries: list[dict[str, Any]]) -> bytes:
    items = yaml.safe_load(SHARE)
    config = {"apiVersion": "gpuxlate.io/v1alpha1", "kind": "Translate", "metadata": {"name": "x"}}
    function = {**config, "spec": {"to": "tke", "decisions": entries}}
    return json.dumps(
        {
            "apiVersion": "config.kubernetes.io/v1",
            "kind": "ResourceList",
            "functionConfig": function,
            "items": [items],
        }
    ).encode()


@pytest.mark.parametrize(
    ("change", "accepted"),
    [
        ({}, True),
        ({"to": None}, True),
        ({"container": None}, True),
        ({"accept": False}, False),
        *(
            ({name: other}, False)
            for name, other in (
                ("object", "Pod/web"),
                ("container", "main"),
                ("to", "ack"),
                ("field", "cores"),
                ("code", "TKE002"),
                ("asked", 4001),
                ("given", 5120),
            )
        ),
    ],
    ids=str,
)
def test_an_entry_matches_as_a_whole_everywhere(change: dict[str, Any], accepted: bool) -> None:
    """The command, the Python API and the KRM function accept the same."""
    entry = {name: value for name, value in {**ENTRY, **change}.items() if value is not None}
    assert (run("krm", stdin=krm([entry])).code == 0) is accepted
    try:
        made = gpuxlate.translate(SHARE, to="tke", decisions=[entry])
    except gpuxlate.Refused:
        assert not accepted
    else:
        assert accepted
        assert 'qgpu-memory: "4"' in made.text


@pytest.mark.parametrize("entries", [[{"object": 1}], [{**ENTRY, "to": "nowhere"}], {"kind": "Decisions"}])
def test_entries_that_cannot_be_used(entries: Any) -> None:
    with pytest.raises(ValueError, match=r"object|nowhere|missing"):
        gpuxlate.translate(SHARE, to="tke", decisions=entries)
    if isinstance(entries, list):
        done = run("krm", stdin=krm(entries))
        assert done.code == 2
        assert b"functionConfig.spec.decisions" in done.err


def test_decisions_of_a_config_map() -> None:
    data = json.loads(krm([]))
    data["functionConfig"] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x"},
        "data": {"to": "tke", "decisions": yaml.safe_dump([ENTRY])},
    }
    assert run("krm", stdin=json.dumps(data).encode()).code == 0
    data["functionConfig"]["data"]["decisions"] = "a: ["
    assert run("krm", stdin=json.dumps(data).encode()).code == 2


def test_what_is_written_fits_the_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("web.yaml").write_text(SHARE)
    assert run("translate", "web.yaml", "--to", "tke", "--write-decisions", "d.yaml").code == 1
    validator("decisions").validate(yaml.safe_load(Path("d.yaml").read_text()))
    assert run("schema", "decisions", "--check", "d.yaml").code == 0
    assert run("lint", "d.yaml").code == 0


def test_what_is_written_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "MAX_ENTRIES", 4)
    entries = [
        Decision(f"Pod/{n}", "c", "tencent-qgpu", "qos", "GX020", "dropped", "online", None, True, "x")
        for n in range(11)
    ]
    text = ""
    for part in (entries[:1], entries[1:2], entries[2:]):  # a new file, a list with room, one without
        text = decisions.with_entries(Source("d.yaml", text), part)
        found, problems = decisions.decisions_in(Source("d.yaml", text))
        assert problems == []
    assert [one.to_data() for one in found] == [one.to_data() for one in entries]
    assert text.count("kind: Decisions") == 3
    _, [problem] = decisions.decisions_in(Source("d.yaml", text.replace("---\n" + HEAD, "")))
    assert (problem.code, problem.message) == ("GX010", "decisions has more than 4 entries")


def test_entries_are_counted_and_not_their_keys() -> None:
    text = decisions.with_entries(Source("d.yaml", ""), [Decision(**ENTRY)])
    assert text.startswith(HEAD)
    many = HEAD + text.removeprefix(HEAD) * limits.MAX_ENTRIES
    found, problems = decisions.decisions_in(Source("d.yaml", many))
    assert (len(found), problems) == (limits.MAX_ENTRIES, [])


HEAD = "apiVersion: gpuxlate.io/v1alpha1\nkind: Decisions\ndecisions:\n"
ANCHORED = """\
apiVersion: gpuxlate.io/v1alpha1
kind: Decisions
decisions: [{object: Pod/ml/web, field: qos, code: GX020, verdict: dropped, asked: online, # why
  accept: false}]
"""


def test_what_cannot_be_written_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("web.yaml").write_text(SHARE)
    long = "d" * 300
    done = run("translate", "web.yaml", "--to", "tke", "--write-decisions", long)
    assert (done.code, b"name too long" in done.err) == (3, True)
    Path("d.yaml").write_text(ANCHORED)
    done = run("translate", "web.yaml", "--to", "tke", "--decisions", "d.yaml", "--prune-decisions")
    assert (done.code, b"d.yaml: " in done.err) == (2, True), done.err
    assert Path("d.yaml").read_text() == ANCHORED
