"""The JSON Schemas: current, valid, and of one mind with the readers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gpuxlate.config.configuration import ConfigError, load_profile
from gpuxlate.config.document import read_share_document
from gpuxlate.config.models import EDITOR_CARDS
from gpuxlate.config.schemas import DIALECT, VERSIONS, schema, write_schemas
from gpuxlate.model.diagnostics import Diagnostic, Fix, ObjectRef, Severity, Span
from gpuxlate.model.share import Share

from .test_config import BAD_PROFILES, PROFILE
from .test_document import BAD, GOOD, document

FOLDER = Path(__file__).parents[2] / "schemas"


def validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(schema(kind))


def test_published_schemas_are_current(tmp_path: Path) -> None:
    """Refresh with ``python -m gpuxlate.config.schemas``."""
    written = {path.name: path.read_bytes() for path in write_schemas(tmp_path)}
    assert written == {path.name: path.read_bytes() for path in FOLDER.glob("*.json")}


def test_the_module_writes_the_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gpuxlate.config.schemas", str(tmp_path)], check=True, capture_output=True
    )
    assert done.stderr == b""
    assert sorted(path.stem for path in tmp_path.iterdir()) == sorted(VERSIONS)


@pytest.mark.parametrize("kind", VERSIONS)
def test_every_schema_is_valid_and_named(kind: str) -> None:
    found = schema(kind)
    Draft202012Validator.check_schema(found)
    assert list(found)[:4] == ["$schema", "$id", "title", "description"]
    assert found["$schema"] == DIALECT
    assert found["$id"] == f"https://gpuxlate.io/schemas/{kind}.{VERSIONS[kind]}.json"


@pytest.mark.parametrize("kind", VERSIONS)
def test_examples_and_words(kind: str) -> None:
    """Every field has a description, and every example in the schema keeps the schema."""
    whole = schema(kind)
    definitions = whole.get("$defs", {})
    for owner in (whole, *definitions.values()):
        for name, field in owner.get("properties", {}).items():
            described = field if "$ref" not in field else definitions[field["$ref"].rpartition("/")[2]]
            if "anyOf" not in field:
                assert field.get("description") or described["description"], name
            for example in field.get("examples", ()):
                Draft202012Validator({**field, "$defs": definitions}).validate(example)


def test_unknown_schema() -> None:
    with pytest.raises(LookupError, match="did you mean report"):
        schema("reports")


# jsonschema prints what it refuses, and cannot print numbers of so many digits.
JUDGED = [row for row in BAD if row[0] not in {"huge", "hugely below"}]


@pytest.mark.parametrize("row", JUDGED, ids=[f"{row[0]}: {row[2]}" for row in JUDGED])
def test_bad_documents_break_the_schema_too(row: tuple[Any, ...]) -> None:
    # JSON Schema takes 30.0 for an integer; keys are always text in JSON; Python's $ also stands
    # before a last line break.
    expected = row[0] in {"float", "label key", "newline"}
    assert validator("spec").is_valid(row[1]) is expected
    assert read_share_document(row[1])[0] is None


@pytest.mark.parametrize("data", [row[1] for row in GOOD], ids=[row[0] for row in GOOD])
def test_good_documents_keep_the_schema(data: dict[str, Any]) -> None:
    validator("spec").validate(data)


def test_schema_and_reader_agree_on_numbers() -> None:
    judge = validator("spec")
    for cards in (None, 0, 1, 2, 3, EDITOR_CARDS):
        for cores in (None, -1, 0, 1, 30, 31, 99, 100, 101, 200, 800, 801):
            for memory in (None, 0, 1, 4096, 4098):
                said = {"cards": cards, "cores": cores, "memoryMiB": memory}
                data = document({key: value for key, value in said.items() if value is not None})
                assert judge.is_valid(data) is (read_share_document(data)[0] is not None), said


def test_profiles_agree() -> None:
    judge = validator("profile")
    judge.validate(PROFILE)
    load_profile(PROFILE)
    for what, data, *_ in BAD_PROFILES:
        assert not judge.is_valid(data), what
        with pytest.raises(ConfigError):
            load_profile(data)


# --- what gpuxlate prints ---------------------------------------------------------------------------

FULL = Diagnostic(
    "TKE002",
    Severity.ERROR,
    "message",
    "hint",
    ("spec", "containers", 0),
    fix=Fix("title", ()),
    file="deploy.yaml",
    document=0,
    object=ObjectRef("apps/v1", "Deployment", None, "web"),
    span=Span(23, 50, 23, 54),
)
BARE = Diagnostic("GX001", Severity.INFO, "message")


def diagnostics() -> dict[str, Any]:
    counts = ("files", "documents", "shares", "errors", "warnings", "infos", "suppressed")
    return {
        "format": "gpuxlate-diagnostics/v1",
        "diagnostics": [FULL.to_json(), BARE.to_json()],
        "summary": {
            **dict.fromkeys(counts, 1),
            "skipped": [{"file": "chart/templates/x.yaml", "reason": "Helm template"}],
        },
    }


def report() -> dict[str, Any]:
    """The contract's example, section 5."""
    item = {
        "file": "deploy.yaml",
        "document": 0,
        "object": ObjectRef("apps/v1", "Deployment", None, "web").to_json(),
        "container": "web",
        "from": "volcengine-mgpu",
        "to": "tencent-qgpu",
        "verdict": "rounded",
        "share": Share(1, 30, 4000).to_json(),
        "changes": [{"field": "memoryMiB", "asked": 4000, "given": 4096, "code": "TKE001"}],
        "filled": [{"field": "cores", "given": 30}],
        "dropped": [{"field": "policy", "asked": "fixed-share", "given": None, "code": "GX020"}],
        "diagnostics": [FULL.to_json()],
    }
    summary = {"exact": 0, "rounded": 1, "filled": 0, "dropped": 0, "refused": 0}
    return {"format": "gpuxlate-report/v1", "items": [item], "summary": summary}


def test_outputs_keep_their_schemas() -> None:
    validator("diagnostics").validate(json.loads(json.dumps(diagnostics())))
    validator("report").validate(json.loads(json.dumps(report())))


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("diagnostics", ("format",), "gpuxlate-diagnostics/v2"),
        ("diagnostics", ("diagnostics", 0, "severity"), "fatal"),
        ("diagnostics", ("diagnostics", 0, "line"), 0),
        ("diagnostics", ("diagnostics", 0, "code"), "tke2"),
        ("diagnostics", ("diagnostics", 0, "path"), [None]),
        ("diagnostics", ("diagnostics", 0, "fix"), {"safe": True}),
        ("diagnostics", ("summary",), {"files": 1}),
        ("report", ("items", 0, "verdict"), "fine"),
        ("report", ("items", 0, "share"), "all"),
        ("report", ("items", 0, "share", "policy"), "fair"),
        ("report", ("items", 0, "changes", 0, "field"), "memory_mib"),
        ("report", ("items", 0, "object"), {}),
        ("report", ("items", 0, "diagnostics", 0), {}),
        ("report", ("summary", "exact"), -1),
    ],
)
def test_wrong_outputs_break_their_schemas(kind: str, path: tuple[Any, ...], value: object) -> None:
    data: Any = diagnostics() if kind == "diagnostics" else report()
    whole = data
    for step in path[:-1]:
        data = data[step]
    data[path[-1]] = value
    assert not validator(kind).is_valid(whole)
