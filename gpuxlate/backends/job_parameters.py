"""Targets whose shares are not in pods: they are parameters of a job, or values of a form.

The keys of such a target are those of one pseudo container, whose limits map names to values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gpuxlate.backends.base import Backend
from gpuxlate.model.errors import UserError
from gpuxlate.model.pod import PodKeys, ScalarKind, Value

if TYPE_CHECKING:
    from gpuxlate.manifest.jobs import JobRow
    from gpuxlate.yamltext.parse import DocumentReader
    from gpuxlate.yamltext.source import Source


class WrongFileError(UserError, ValueError):
    """The file into which keys should be put has other content. ``hint``: what to do."""


class MergeError(UserError, ValueError):
    """The result would not read as intended; nothing is written."""


class JobBackend(Backend):
    """A target whose shares are not in pods: parameters of a job, or the values of a form.

    Its keys are those of one pseudo container, whose limits map names to values. ``suffix``: the suffix of a
    rendered file, with the dot; ``suffixes``: those of files that it reads, empty where its values are in
    YAML documents only; ``job_rows``: where objects in YAML documents have its keys.
    """

    writes_pods = False
    suffix: str
    suffixes: tuple[str, ...] = ()
    job_rows: tuple[JobRow, ...] = ()

    def reader(self, source: Source, *, chosen: bool) -> DocumentReader | None:
        """The function that reads a text that a user named; None where the text is not of this target.

        ``chosen``: the user named the target too. Each document gets the target as its ``job``.
        """
        return None

    def render(self, keys: PodKeys, output: str) -> str:
        """The text of a file with these keys; ``output`` is ``text`` or ``json``."""
        raise NotImplementedError

    def merge(self, base: Source, keys: PodKeys) -> str:
        """The text of ``base`` with the keys put into it; every other byte stays.

        Raises WrongFileError and MergeError.
        """
        raise NotImplementedError


def values_of(keys: PodKeys) -> dict[str, Value]:
    """The values of the pseudo container."""
    return {name: value for container in keys.all_containers() for name, value in container.limits.items()}


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
