"""JSON Schemas (draft 2020-12) of everything that gpuxlate reads of its own and prints for programs.

They follow from the models of what is read and the records of what is printed. Within a version, fields
may be added to what is printed. ``python -m gpuxlate.cli.schemas [FOLDER]`` refreshes ``schemas/``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuxlate.config.schemas import SCHEMA_VERSIONS, Schema, schema_id, schema_of_input, schema_of_record

if TYPE_CHECKING:
    from gpuxlate.model.declarations import Output

JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"


def schema(kind: str) -> dict[str, Any]:
    """The schema of a kind, one of VERSIONS."""
    body = _body(kind)
    definitions = body.pop("$defs", {})
    whole = {
        "$schema": JSON_SCHEMA,
        "$id": schema_id(kind),
        "title": body.pop("title"),
        "description": body.pop("description"),
        **body,
    }
    return {**whole, "$defs": definitions} if definitions else whole


def _body(kind: str) -> Schema:
    output = _outputs().get(kind)
    return _of_output(output) if output else schema_of_input(kind)


def _outputs() -> dict[str, type[Output]]:
    from gpuxlate.cli import (
        capacity,
        cards_held,
        compare,
        cost,
        explain,
        inspect,
        nodes,
        parse,
        preflight,
        rules,
        sync,
        targets,
        verify,
        why,
    )
    from gpuxlate.cli.outputs import Results
    from gpuxlate.planning.nodepool import PoolsOfTarget
    from gpuxlate.planning.printed_plan import PlanOutput
    from gpuxlate.report.baseline import KnownFindings
    from gpuxlate.report.json import Findings
    from gpuxlate.sync.lock import LockFile
    from gpuxlate.translation.report import TranslationReport

    outputs = (
        *(Findings, TranslationReport, PlanOutput, parse.SharesOutput, rules.RulesOutput, explain.RuleOutput),
        *(
            targets.TargetsOutput,
            targets.CardsOutput,
            compare.Comparison,
            inspect.Inspection,
            PoolsOfTarget,
            cost.Bill,
            cards_held.CardsHeld,
            Results,
        ),
        *(
            verify.VerifyOutput,
            capacity.CapacityOutput,
            nodes.NodesOutput,
            preflight.PreflightOutput,
            why.Reasons,
        ),
        *(sync.SyncOutput, LockFile, KnownFindings),
    )
    return {output.KIND: output for output in outputs}


def _of_output(output: type[Output]) -> Schema:
    body = schema_of_record(output)
    named = {"format": {"const": output.format_name(), "description": "Name and version of this format."}}
    body["properties"] = named | body["properties"]
    body["required"] = [*named, *body["required"]]
    if output.KIND == "results":
        targets = [_of_one_target(kind) for kind in ("report", "nodepool")]
        body["$defs"] = {
            name: definition for of_target in targets for name, definition in of_target.pop("$defs").items()
        }
        body["properties"]["targets"]["items"] = {"anyOf": targets}
    return {**body, "title": output.format_name()}


def _of_one_target(kind: str) -> Schema:
    """What is printed for one target, with its name."""
    body = _body(kind)
    body["properties"] = {"target": {"type": "string", "description": "The target."}} | body["properties"]
    return {**body, "required": [*{"target": None} | dict.fromkeys(body["required"])]}


def write_schemas(folder: Path) -> list[Path]:
    """Write every schema into a folder: the same bytes each time."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in SCHEMA_VERSIONS:
        path = folder / f"{kind}.json"
        path.write_text(json.dumps(schema(kind), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    for refreshed in write_schemas(Path(sys.argv[1] if len(sys.argv) > 1 else "schemas")):
        print(refreshed)
