"""How a target holds shares outside of pods: parameters of a job, or values of a form.

The keys of such a target are those of one pseudo container, whose limits map names to values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from gpuxlate.model.pod import PodKeys, ScalarKind, Value


class WrongFileError(ValueError):
    """The file that keys should be put into holds something else. ``hint``: what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class MergeError(ValueError):
    """The result would not read as intended; nothing is written."""


def values_of(keys: PodKeys) -> dict[str, Value]:
    """The values of the pseudo container."""
    return {name: value for one in keys.all_containers() for name, value in one.limits.items()}


def json_object(values: Mapping[str, object]) -> str:
    """One JSON object, in the order given."""
    return json.dumps(values, ensure_ascii=False, indent=2) + "\n"


def typed(value: Value) -> object:
    """A value as JSON has it: numbers and booleans without quotes."""
    if value.kind is ScalarKind.BOOL:
        return value.text == "true"
    if value.kind in (ScalarKind.INT, ScalarKind.FLOAT):
        return json.loads(value.text)
    return value.text
