"""A baseline: the findings that a repository has already, so that only new ones count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import msg
from gpuxlate.report.json import dump
from gpuxlate.report.summary import identity, repository_path

FORMAT = "gpuxlate-baseline/v1"
FIELDS = ("file", "object", "path", "rule")
"""What names a finding, since lines move: ``object`` is KIND/NAMESPACE/NAME, ``path`` a JSON pointer."""


class BaselineError(ValueError):
    """The text is no baseline: why, and at which line of it (from 1; 0 where it is not about one)."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class Compared(NamedTuple):
    """What a baseline leaves of a run: the new findings, how many it knew, and how many of its entries about
    files of the run no finding met."""

    new: list[Diagnostic]
    known: int
    gone: int


def written(diagnostics: Iterable[Diagnostic]) -> str:
    """The baseline of a run, in an order that does not depend on lines."""
    entries = sorted(map(_named, diagnostics))
    found = [dict(zip(FIELDS, entry, strict=True)) for entry in entries]
    return dump({"format": FORMAT, "findings": found})


def compared(diagnostics: Sequence[Diagnostic], files: Iterable[str], text: str) -> Compared:
    """The findings of a run over files that are not in the text of a baseline: an entry stands for one.

    Raises BaselineError.
    """
    left = Counter(_entries(text))
    new: list[Diagnostic] = []
    for one in diagnostics:
        name = _named(one)
        if left[name]:
            left[name] -= 1
        else:
            new.append(one)
    checked = set(map(repository_path, files))
    gone = sum(count for (file, *_), count in left.items() if file in checked)
    return Compared(new, len(diagnostics) - len(new), gone)


def _named(one: Diagnostic) -> tuple[str, ...]:
    file, (kind, namespace, name), path, code = identity(one)
    return file, "/".join(part for part in (kind, namespace, name) if part), path, code


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises BaselineError for a key that it sets twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise BaselineError(msg("the key {text} is given twice", text=cut(twice, MAX_NAME)))
    return found


def _entries(text: str) -> Iterable[tuple[str, ...]]:
    try:
        read: Any = json.loads(text, object_pairs_hook=_once_each)
    except json.JSONDecodeError as error:
        raise BaselineError(msg("invalid JSON: {error}", error=error.msg), error.lineno) from None
    except RecursionError:
        raise BaselineError("nested too deep") from None
    found = read.get("format") if isinstance(read, dict) else None
    if found != FORMAT:
        raise BaselineError(msg("its format is not {format}", format=FORMAT))
    entries = read.get("findings")
    for one in entries if isinstance(entries, list) else [None]:
        if not (isinstance(one, dict) and all(isinstance(one.get(name), str) for name in FIELDS)):
            raise BaselineError(msg("findings: each has the texts {names}", names=", ".join(FIELDS)))
        yield tuple(one[name] for name in FIELDS)
