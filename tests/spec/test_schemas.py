"""The JSON Schemas: current, valid, and of one mind with the readers."""

import json
import subprocess
import sys
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gpuxlate.cli.schemas import JSON_SCHEMA, schema
from gpuxlate.config.schemas import SCHEMA_VERSIONS
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.share import Share
from tests.report.findings import finding
from tests.schemas import validator

FOLDER = Path(__file__).parents[2] / "schemas"


def test_published_schemas_are_current(tmp_path: Path) -> None:
    module = [sys.executable, "-m", "gpuxlate.cli.schemas", str(tmp_path)]
    assert subprocess.run(module, check=True, capture_output=True).stderr == b""
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    published = {path.name: path.read_bytes() for path in FOLDER.glob("*.json")}
    stale = {name for name, data in written.items() if published.get(name) != data}
    assert stale | (published.keys() - written) == set(), "`make schemas` writes schemas/ anew"
    assert sorted(written) == sorted(f"{name}.json" for name in SCHEMA_VERSIONS)


@pytest.mark.parametrize("kind", SCHEMA_VERSIONS)
def test_every_schema(kind: str) -> None:
    """It is valid and named, every field has a description, and every example in it keeps it."""
    whole = schema(kind)
    Draft202012Validator.check_schema(whole)
    assert list(whole)[:4] == ["$schema", "$id", "title", "description"]
    assert whole["$schema"] == JSON_SCHEMA
    assert whole["$id"] == f"urn:gpuxlate:{kind}:{SCHEMA_VERSIONS[kind]}"
    definitions = whole.get("$defs", {})
    for owner in (whole, *definitions.values()):
        for name, field in owner.get("properties", {}).items():
            described = field if "$ref" not in field else definitions[field["$ref"].rpartition("/")[2]]
            if "anyOf" not in field:
                assert field.get("description") or described["description"], name
            for example in field.get("examples", ()):
                Draft202012Validator({**field, "$defs": definitions}).validate(example)


# --- what gpuxlate prints ---------------------------------------------------------------------------

FULL = finding().to_json()
BARE = Diagnostic("GX001", Severity.INFO, "message").to_json()


def diagnostics() -> dict[str, Any]:
    counts = ("files", "documents", "shares", "errors", "warnings", "infos", "suppressed")
    skipped = [{"file": "chart/templates/x.yaml", "reason": "Helm template"}]
    summary = {**dict.fromkeys(counts, 1), "skipped": skipped}
    return {"format": "gpuxlate-diagnostics/v1", "diagnostics": [FULL, BARE], "summary": summary}


def report() -> dict[str, Any]:
    """The contract's example, section 5."""
    place = {"file": "deploy.yaml", "document": 0, "object": FULL["object"], "container": "web"}
    verdict = {"from": "volcengine-mgpu", "to": "tencent-qgpu", "verdict": "rounded"}
    item = {
        **place,
        **verdict,
        "share": Share(1, 30, 4000).to_json(),
        "changes": [{"field": "memoryMiB", "asked": 4000, "given": 4096, "code": "TKE001"}],
        "filled": [{"field": "cores", "given": 30}],
        "dropped": [{"field": "policy", "asked": "fixed-share", "given": None, "code": "GX020"}],
        "diagnostics": [FULL],
    }
    summary = {"exact": 0, "rounded": 1, "filled": 0, "dropped": 0, "refused": 0}
    return {"format": "gpuxlate-report/v1", "items": [item], "summary": summary}


def test_outputs_keep_their_schemas() -> None:
    validator("diagnostics").validate(json.loads(json.dumps(diagnostics())))
    validator("report").validate(json.loads(json.dumps(report())))


WRONG: list[tuple[tuple[Any, ...], object]] = [
    (("diagnostics", "format"), "gpuxlate-diagnostics/v2"),
    (("diagnostics", "diagnostics", 0, "severity"), "fatal"),
    (("diagnostics", "diagnostics", 0, "line"), 0),
    (("diagnostics", "diagnostics", 0, "code"), "tke2"),
    (("diagnostics", "diagnostics", 0, "path"), [None]),
    (("diagnostics", "diagnostics", 0, "fix"), {"safe": True}),
    (("diagnostics", "summary"), {"files": 1}),
    (("report", "items", 0, "verdict"), "fine"),
    (("report", "items", 0, "share"), "all"),
    (("report", "items", 0, "share", "policy"), "fair"),
    (("report", "items", 0, "changes", 0, "field"), "memory_mib"),
    (("report", "items", 0, "object"), {}),
    (("report", "items", 0, "diagnostics", 0), {}),
    (("report", "summary", "exact"), -1),
]


def test_wrong_outputs_break_their_schemas() -> None:
    taken = []
    for (kind, *path, last), value in WRONG:
        whole: Any = diagnostics() if kind == "diagnostics" else report()
        reduce(getitem, path, whole)[last] = value
        if validator(kind).is_valid(whole):
            taken.append((kind, *path, last))
    assert taken == []
