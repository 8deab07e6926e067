"""JSON Schemas (draft 2020-12) of everything that gpuxlate reads of its own and prints for programs.

``python -m gpuxlate.config.schemas [FOLDER]`` refreshes ``schemas/``.
"""

from __future__ import annotations

import json
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

VERSIONS = {
    "spec": "v1alpha1",
    "config": "v1alpha1",
    "profile": "v1alpha1",
    "diagnostics": "v1",
    "report": "v1",
    "plan": "v1",
    "catalogue": "v1alpha1",
    "kubernetes-overlay": "v1",
}
"""The kinds of schema, and the version of each."""

KEYWORDS = (
    *("title", "description", "$ref", "type", "const", "enum", "default", "examples"),
    *("minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "items"),
    *("additionalProperties", "propertyNames", "required", "properties", "anyOf", "allOf", "$defs"),
)
"""The order of keywords in a schema."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_url(kind: str) -> str:
    """Where the schema of a kind is published: its ``$id``."""
    return f"https://gpuxlate.io/schemas/{kind}.{VERSIONS[kind]}.json"


def editor_line(kind: str) -> str:
    """The first line of a document, which names its schema for editors."""
    return f"# yaml-language-server: $schema={schema_url(kind)}\n"


def schema(kind: str) -> dict[str, Any]:
    """The schema of a kind, one of VERSIONS. Raises LookupError."""
    if kind not in VERSIONS:
        near = get_close_matches(kind, list(VERSIONS), 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else f"schemas: {', '.join(VERSIONS)}"
        raise LookupError(f"there is no schema {kind!r}, {hint}")
    body = _body(kind)
    definitions = body.pop("$defs", {})
    whole = {
        "$schema": DIALECT,
        "$id": schema_url(kind),
        "title": body.pop("title"),
        "description": body.pop("description"),
        **body,
    }
    return {**whole, "$defs": definitions} if definitions else whole


def _body(kind: str) -> dict[str, Any]:
    if kind in ("diagnostics", "report"):
        from gpuxlate.config import output_schemas

        return dict(output_schemas.DIAGNOSTICS if kind == "diagnostics" else output_schemas.REPORT)
    if kind == "plan":
        from gpuxlate.config.plan_schema import PLAN

        return dict(PLAN)
    if kind == "kubernetes-overlay":
        from gpuxlate.config.overlay import overlay

        return overlay()
    from gpuxlate.config.configuration_models import CatalogueModel, config_model, profile_model
    from gpuxlate.config.models import DocumentModel, InOrder

    models: dict[str, type[BaseModel]] = {
        "spec": DocumentModel,
        "config": config_model(),
        "profile": profile_model(),
        "catalogue": CatalogueModel,
    }
    return _tidy(models[kind].model_json_schema(schema_generator=InOrder))


def _tidy(node: dict[str, Any]) -> dict[str, Any]:
    """A schema in one order of keywords, without what pydantic adds for Python's sake.

    That is titles made of field names, and null as the default of fields that may be omitted.
    """
    kept: dict[str, Any] = {}
    for key in sorted(node, key=lambda one: KEYWORDS.index(one) if one in KEYWORDS else len(KEYWORDS)):
        value = node[key]
        if key == "$defs":  # by name, since pydantic's order changes with its version
            kept[key] = {name: _tidy(value[name]) for name in sorted(value)}
        elif key == "properties":
            kept[key] = {
                name: _tidy({k: v for k, v in one.items() if k != "title"}) for name, one in value.items()
            }
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            kept[key] = _tidy(value)
        elif key in ("anyOf", "oneOf"):
            kept["anyOf"] = [_tidy(one) for one in value]
        elif key == "description":
            kept[key] = " ".join(value.split())
        elif not (key == "default" and value is None):
            kept[key] = value
    return kept


def write_schemas(folder: Path) -> list[Path]:
    """Write every schema into a folder: the same bytes each time."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in VERSIONS:
        path = folder / f"{kind}.json"
        path.write_text(json.dumps(schema(kind), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    for refreshed in write_schemas(Path(sys.argv[1] if len(sys.argv) > 1 else "schemas")):
        print(refreshed)
