"""What all syntaxes of parameters share: a parameter with its place, and texts as documents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gpuxlate.model.pod import Kind, PodKeys, Value
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, Scalar
from gpuxlate.yamltext.source import Source


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: what it says, and the characters of its key, its value and its statement.

    The value's characters are those to replace, quotes included. ``end`` is the end of the statement
    with its terminator; ``closed`` says that it has what ends it, where the syntax asks for that.
    """

    key: str
    value: str
    key_start: int
    key_end: int
    value_start: int
    value_end: int
    end: int
    closed: bool = True


class Syntax(Protocol):
    """One way to write parameters in a text."""

    suffix: str
    comments: tuple[str, ...]  # what a comment begins with

    def read(self, text: str) -> list[Parameter]:
        """Every parameter, in the order of the text; whatever else stands there is passed over."""

    def write(self, key: str, value: str) -> str:
        """One parameter as a line, without its line break."""

    def place(self, text: str, parameters: Sequence[Parameter]) -> int | None:
        """Where new parameters belong if none of them is there; None is the end of the text."""


def as_document(source: Source, parameters: Sequence[Parameter]) -> Document:
    """The parameters as a document: one mapping, its keys and values where they stand in the text."""
    root = Mapping(0, None, None, False)
    document = Document(source, 0, 0, len(source.text), root)
    seen: set[str] = set()
    for one in parameters:
        key = Scalar.at(one.key_start, one.key_end, one.key)
        root.entries.append((key, Scalar.at(one.value_start, one.value_end, one.value)))
        if one.key in seen:
            document.repeated.append((root, key))
        seen.add(one.key)
    return document


def values_of(keys: PodKeys) -> dict[str, Value]:
    """The parameters of a job: the limits of its pseudo container."""
    return {name: value for one in keys.all_containers() for name, value in one.limits.items()}


@dataclass(frozen=True, slots=True)
class TextForm:
    """The form of a target whose parameters are written in one syntax."""

    syntax: Syntax

    @property
    def suffix(self) -> str:
        return self.syntax.suffix

    def render(self, keys: PodKeys, output: str) -> str:
        """A line for each parameter, or one JSON object of strings."""
        values = {name: value.text for name, value in values_of(keys).items()}
        if output == "json":
            return json_object(values)
        return "".join(f"{self.syntax.write(name, text)}\n" for name, text in values.items())


def json_object(values: dict[str, object] | dict[str, str]) -> str:
    """One JSON object, in the order given."""
    return json.dumps(values, ensure_ascii=False, indent=2) + "\n"


def typed(value: Value) -> object:
    """A value as JSON has it: numbers and booleans bare."""
    if value.kind is Kind.BOOL:
        return value.text == "true"
    if value.kind in (Kind.INT, Kind.FLOAT):
        return json.loads(value.text)
    return value.text
