"""The validators of what gpuxlate reads and prints, each made once in a process."""

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from gpuxlate.cli.schemas import schema


@cache
def validator(kind: str) -> Draft202012Validator:
    """Of a kind of SCHEMA_VERSIONS."""
    return Draft202012Validator(schema(kind))


@cache
def strict_validator(kind: str) -> Draft202012Validator:
    """The same, with no field beside those that the schema names."""
    return Draft202012Validator(_strict(validator(kind).schema))


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    strict = {name: _strict(value) for name, value in node.items()}
    if isinstance(node.get("properties"), dict) and node.get("type") == "object":
        strict.setdefault("additionalProperties", False)
    return strict
