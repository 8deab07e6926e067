"""Commands on generated files: exit codes as documented, formats whole, nothing lost, nothing half done."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gpuxlate.backends import registry
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.source import DecodeError, Source
from tests.effort import tries
from tests.fuzz import model
from tests.fuzz.targets import speaks
from tests.fuzz.trees import objects, shares
from tests.fuzz.writing import choices, encoded, files, written
from tests.report.test_report_sarif import LOG
from tests.running import Ran, run

TARGETS = [backend.name for backend in registry.pod_backends() if not backend.read_only]
FORMS = [backend.name for backend in registry.all_backends() if not backend.writes_pods]
ACCEPTING = (*("--round", "up"), *("--fill", "cores=30"), *("--fill", "memoryMiB=8192"))
DROPPING = (*ACCEPTING, "--drop", "cores,policy,qos,selector")
FORMATS = ("text", "json", "sarif", "github", "gitlab")
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What acts on a terminal: no output of findings may hold one."""
COMMAND = re.compile(r"::(error|warning|notice) [a-zA-Z]+=[^\n]*::[^\n]*")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as path:
        yield Path(path)


def seen(ran: Ran, *codes: int) -> None:
    """An exit code that is documented, and nothing that acts on a terminal."""
    assert ran.code in codes, ran
    assert b"internal error" not in ran.err
    assert b"Traceback" not in ran.err
    assert UNSEEN.search(ran.err.decode()) is None, ran.err


def diagnostics(ran: Ran) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(ran.out)["diagnostics"]
    return found


@tries(120)
@given(data=files)
def test_lint_in_every_format(folder: Path, data: bytes) -> None:
    path = folder / "f.yaml"
    path.write_bytes(data)
    made = {name: run("lint", str(path), "--format", name) for name in FORMATS}
    for name, ran in made.items():
        seen(ran, *((0, 3) if name == "sarif" else (0, 1, 3)))
        assert UNSEEN.search(ran.out.decode()) is None, ran.out
    found = diagnostics(made["json"])
    errors = sum(one["severity"] == "error" for one in found)
    assert made["json"].code == (3 if made["json"].err else 1 if errors else 0)
    log = json.loads(made["sarif"].out)
    Draft202012Validator(LOG).validate(log)
    results = [one["ruleId"] for one in log["runs"][0]["results"]]
    assert results == [one["code"] for one in found]
    assert [one["check_name"] for one in json.loads(made["gitlab"].out)] == results
    lines = made["github"].out.decode().splitlines()
    assert len(lines) == len(results)
    assert all(COMMAND.fullmatch(line) for line in lines)
    assert made["text"].out.decode().count("gpuxlate explain ") == len(results)


@tries(80)
@given(data=files, unsafe=st.booleans())
def test_fixes_end(folder: Path, data: bytes, unsafe: bool) -> None:
    """What is written is read again and needs no more; without a fix the file is untouched."""
    path = folder / "f.yaml"
    path.write_bytes(data)
    option = "--unsafe-fixes" if unsafe else "--fix"
    first = run("lint", str(path), option, "--format", "json")
    seen(first, 0, 1, 3)
    fixed = path.read_bytes()
    assert (fixed != data) == (b"fixed " in first.err)
    again = run("lint", str(path), option, "--format", "json")
    assert (path.read_bytes(), b"fixed " in again.err) == (fixed, False)
    if first.code < 3:
        assert diagnostics(again) == diagnostics(first)
    piped = run("lint", "-", option, stdin=data)
    assert piped.out == (fixed if piped.code < 3 else b"")


@tries(90)
@given(data=files, to=st.sampled_from(TARGETS), drop=st.booleans())
def test_translate_says_all_and_loses_nothing(folder: Path, data: bytes, to: str, drop: bool) -> None:
    path, report = folder / "f.yaml", folder / "report.json"
    report.unlink(missing_ok=True)
    path.write_bytes(data)
    options = ("--to", to, *(DROPPING if drop else ()))
    ran = run("translate", str(path), *options, "--report", str(report))
    seen(ran, 0, 1, 3)
    piped = run("translate", "-", *options, stdin=data)
    assert (piped.code, piped.out) == (ran.code, ran.out)
    asked = run("inspect", str(path), "-o", "json")
    seen(asked, 0, 1, 3)
    if ran.code:
        assert ran.out == b""
        return
    json.loads(report.read_text())
    if not speaks(Source.from_bytes("f", data)):
        assert ran.out == data
    made = folder / "made.yaml"
    made.write_bytes(ran.out)
    assert run("translate", str(made), *options).out == ran.out
    found = json.loads(run("inspect", str(made), "-o", "json").out)["items"]
    assert {one["target"] for one in found} <= {to}
    assert with_shares(found) == with_shares(json.loads(asked.out)["items"])


def with_shares(items: list[dict[str, Any]]) -> set[tuple[str, ...]]:
    """The containers that have a share, whoever's keys say it."""
    return {tuple(str(one[name]) for name in ("kind", "name", "container")) for one in items if one["share"]}


@tries(60)
@given(data=files)
def test_what_reads_only(folder: Path, data: bytes) -> None:
    path = folder / "f.yaml"
    path.write_bytes(data)
    for command in (("inspect",), ("inspect", "-o", "json"), ("parse",), ("parse", "-o", "json")):
        ran = run(*command, str(path))
        seen(ran, 0, 1, 3)
        if "json" in command and ran.out:
            json.loads(ran.out)
        elif command == ("parse",):
            assert len(list(documents(Source("f", ran.out.decode())))) == ran.out.count(b"kind: GPUShare")
    assess = run("assess", str(path), "--to", "tke", "-o", "json")
    seen(assess, 0, 1, 3)
    if assess.out:
        json.loads(assess.out)
    assert path.read_bytes() == data


@tries(60)
@given(items=st.lists(objects, max_size=3), hand=choices, to=st.sampled_from(TARGETS))
def test_the_krm_function(items: list[dict[str, Any]], hand: list[int], to: str) -> None:
    """A list comes out of a list; where something is refused its items are those that came in."""
    config = {"apiVersion": "gpuxlate.io/v1alpha1", "kind": "Translate", "spec": {"to": to, "round": "up"}}
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "functionConfig": config}
    data = encoded(written({**listed, "items": items}, hand))
    ran = run("krm", stdin=data)
    seen(ran, 0, 1, 2, 3)
    before = said_by(data)
    if before is None or not ran.out:
        assert ran.code
        return
    after = said_by(ran.out)
    assert after is not None
    if ran.code:
        assert after.get("items") == before.get("items")
    assert {key for key in after if key != "results"} == {key for key in before if key != "results"}


def said_by(data: bytes) -> dict[str, Any] | None:
    """What the one document of a text says, None where it has no such."""
    try:
        found = list(documents(Source.from_bytes("f", data)))
    except (DecodeError, NotYamlError):
        return None
    said = model.said(found[0].root) if len(found) == 1 else None
    return said if isinstance(said, dict) else None


@tries(60)
@given(data=shares(), hand=choices, to=st.sampled_from([*TARGETS, *FORMS]))
def test_render_of_any_document(folder: Path, data: dict[str, Any], hand: list[int], to: str) -> None:
    path = folder / "share.yaml"
    path.write_bytes(encoded(written(data, hand)))
    ran = run("render", str(path), "--to", to, *DROPPING)
    seen(ran, 0, 1, 2, 3)
    if ran.code:
        assert ran.out == b""
    elif to in TARGETS:
        assert len(list(documents(Source("f", ran.out.decode())))) == 1
        assert run("lint", "-", "--select", "GX001", stdin=ran.out).code == 0


@tries(60)
@given(data=files, to=st.sampled_from([*TARGETS, *FORMS]))
def test_render_on_any_workload(folder: Path, data: bytes, to: str) -> None:
    share, workload = folder / "share.yaml", folder / "workload.yaml"
    share.write_text(
        "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: a}\n"
        "spec: {cores: 30, memoryMiB: 4096}\n"
    )
    workload.write_bytes(data)
    ran = run("render", str(share), "--to", to, "--workload", str(workload), *DROPPING)
    seen(ran, 0, 1, 2, 3)
    assert workload.read_bytes() == data
    if ran.code:
        assert ran.out == b""
    elif to in TARGETS:
        assert run("lint", "-", "--select", "GX001", stdin=ran.out).code == 0
