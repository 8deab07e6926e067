"""Texts for people. The English template of a text is its message id in other languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Message(str):
    """An English text that keeps its template and the values in it.

    So it can be written in another language (``gpuxlate.locale``); everywhere else it is a str.
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return _message, (self.template, self.values)


def say(template: str, /, **values: Any) -> Message:
    """A text with its values: ``say("{field} is not set", field="cores")``.

    Raises KeyError for a value that is missing.
    """
    return _message(template, values)


def _message(template: str, values: Mapping[str, Any]) -> Message:
    made = Message(template.format_map(values))
    made.template = template
    made.values = values
    return made
