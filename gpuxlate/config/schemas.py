"""JSON Schemas: which there are, where each is published, and those of what gpuxlate reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from gpuxlate.model import site

if TYPE_CHECKING:
    from pydantic import BaseModel

Schema = dict[str, Any]

Kind = Literal[
    "spec",
    "config",
    "profile",
    "diagnostics",
    "report",
    "plan",
    "shares",
    "rules",
    "targets",
    "cards",
    "compare",
    "inspect",
    "nodepool",
    "cost",
    "cards-held",
    "verify",
    "capacity",
    "nodes",
    "preflight",
    "why",
    "rule",
    "results",
    "baseline",
    "catalogue",
    "decisions",
    "sync",
    "sync-lock",
    "kubernetes-overlay",
]
_READ = ("spec", "config", "profile", "catalogue", "decisions")
SCHEMA_VERSIONS = {kind: "v1alpha1" if kind in _READ else "v1" for kind in get_args(Kind)}
"""The kinds of schema, and the version of each."""
KEYWORDS = (
    *("title", "description", "$ref", "type", "const", "enum", "default", "examples"),
    *("minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "items"),
    *("additionalProperties", "propertyNames", "required", "properties", "anyOf", "allOf", "$defs"),
)
"""The order of keywords in a schema."""


def schema_id(kind: str) -> str:
    """The ``$id`` of the schema of a kind: a name, not an address."""
    return f"urn:gpuxlate:{kind}:{SCHEMA_VERSIONS[kind]}"


def schema_file(kind: str) -> str:
    """The path of the schema of a kind on a site."""
    return f"schemas/{kind}.{SCHEMA_VERSIONS[kind]}.json"


def editor_line(kind: str) -> str:
    """The first line of a document, which names its schema for editors; nothing where there is no site."""
    address = site.page(schema_file(kind))
    return f"# yaml-language-server: $schema={address}\n" if address else ""


def schema_of_input(kind: str) -> Schema:
    """The schema of a document that gpuxlate reads, or of the keys in Kubernetes manifests."""
    if kind == "kubernetes-overlay":
        from gpuxlate.config.manifest_schema import overlay

        return overlay()
    from gpuxlate.config.card_models import CatalogueModel
    from gpuxlate.config.config_model import config_model
    from gpuxlate.config.decisions_model import DecisionsModel
    from gpuxlate.config.document_model import DocumentModel
    from gpuxlate.config.generated_schema import DeclarationOrderSchema
    from gpuxlate.config.profile_model import profile_model

    inputs: dict[str, type[BaseModel]] = {
        "spec": DocumentModel,
        "config": config_model(),
        "profile": profile_model(),
        "catalogue": CatalogueModel,
        "decisions": DecisionsModel,
    }
    return _tidy(inputs[kind].model_json_schema(schema_generator=DeclarationOrderSchema))


def schema_of_record(record: type) -> Schema:
    """The schema of a record that is printed."""
    from gpuxlate.config.generated_schema import PrintedRecordSchema

    return _tidy(PrintedRecordSchema.of(record))


def _tidy(node: dict[str, Any]) -> dict[str, Any]:
    """A schema in one order of keywords, without what pydantic adds for Python's sake.

    That is titles made of field names, and null as the default of fields that may be omitted.
    """
    kept: dict[str, Any] = {}
    for key in sorted(
        node, key=lambda keyword: KEYWORDS.index(keyword) if keyword in KEYWORDS else len(KEYWORDS)
    ):
        value = node[key]
        if key == "$defs":  # by name, since pydantic's order changes with its version
            kept[key] = {name: _tidy(value[name]) for name in sorted(value)}
        elif key == "properties":
            kept[key] = {
                name: _tidy({k: v for k, v in schema.items() if k != "title"})
                for name, schema in value.items()
            }
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            kept[key] = _tidy(value)
        elif key in ("anyOf", "oneOf"):
            kept["anyOf"] = [_tidy(schema) for schema in value]
        elif key == "description":
            kept[key] = " ".join(value.split())
        elif key == "exclusiveMinimum":
            kept[key] = int(value) if value == int(value) else value  # 0.0 in older versions of pydantic
        elif not (key == "default" and value is None):
            kept[key] = value
    return kept
