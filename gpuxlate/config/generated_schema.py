"""JSON Schemas that pydantic generates, in the order in which things are declared."""

from __future__ import annotations

from dataclasses import is_dataclass
from inspect import cleandoc
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from gpuxlate.model.declarations import OMITTED


class DeclarationOrderSchema(GenerateJsonSchema):
    """JSON Schemas with everything in the order in which it is declared."""

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002
        return value


class PrintedRecordSchema(DeclarationOrderSchema):
    """JSON Schemas of records that are printed: every field is required but those of type ``Sometimes``."""

    @classmethod
    def of(cls, record: type) -> JsonSchemaValue:
        return TypeAdapter(record).json_schema(schema_generator=cls)

    def default_schema(self, schema: Any) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_is_required(self, field: Any, total: bool) -> bool:
        if field["type"] == "dataclass-field":
            return field["schema"].get("default") is not OMITTED
        return super().field_is_required(field, total)

    def dataclass_schema(self, schema: Any) -> JsonSchemaValue:
        """With its own docstring, and those of the fields of a record that this one extends."""
        json_schema = super().dataclass_schema(schema)
        json_schema.setdefault(
            "description", cleandoc(schema["cls"].__doc__)
        )  # which pydantic has from 2.13 on
        for base in schema["cls"].__bases__:
            if isinstance(base, type) and is_dataclass(base):
                fields = self.of(base)["properties"]
                for name, field in fields.items():
                    json_schema["properties"][name]["description"] = field["description"]
        return json_schema
