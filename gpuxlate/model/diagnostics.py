"""Findings and losses as data, and the edits of a document that fix them; ``yamltext.edit`` applies these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, TypeVar

from gpuxlate.model import site
from gpuxlate.model.declarations import (
    OMITTED,
    Count,
    Keywords,
    Positive,
    Printed,
    PrintedAs,
    RuleCode,
    Sometimes,
    record,
)
from gpuxlate.model.limits import MAX_MESSAGE, MAX_STEP, cut

Path = tuple[str | int, ...]
"""Keys and indices from the root of one document."""
Step = TypeVar("Step", str, int, str | int)


def prefixes(path: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """The beginnings of a path, from the root, which is empty, to the path itself."""
    return (path[:length] for length in range(len(path) + 1))


# Changes of a document at a path, as data; ``yamltext.edit`` turns them into text.
@record
class Put:
    """Set the value at ``path``; mappings on the way are made where missing."""

    path: Path
    value: Any


@record
class Rename:
    """Give the entry at ``path`` another key and value, in the same place."""

    path: Path
    key: str
    value: Any


@record
class Remove:
    """Remove the entry at ``path``, and a mapping or list that becomes empty by it."""

    path: Path


@record
class Append:
    """Add an item to the list at ``path``, which is made where missing."""

    path: Path
    value: Any


Edit = Put | Rename | Remove | Append


def nest(steps: Path, value: Any) -> Any:
    """The value inside mappings with these keys: ``nest(("a", "b"), 1)`` is ``{"a": {"b": 1}}``."""
    for step in reversed(steps):
        value = {step: value}
    return value


def merged_values(old: Any, new: Any) -> Any:
    """Two new values for one path, merged: mappings by their keys."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{k: merged_values(old.get(k), v) for k, v in new.items()}}
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *new]
    return new


# Diagnostics: every report that something is wrong, lost or changed.


class Severity(StrEnum):
    """How bad it is; ``rank`` orders them, worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """Its place in the order: 0 of an error, 2 of an info."""
        return ("error", "warning", "info").index(self.value)


class Fix(NamedTuple):
    """Edits that resolve a finding. A safe fix keeps the meaning; an unsafe one may not."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@record
class ObjectRef(Printed):
    """The Kubernetes object in a document."""

    api_version: str | None = None
    """apiVersion of the object."""
    kind: str | None = None
    """kind of the object."""
    namespace: str | None = None
    """metadata.namespace of the object."""
    name: str | None = None
    """metadata.name of the object."""


class Span(NamedTuple):
    """Where in the file, from 1, in characters; the end column is the one after the last."""

    line: int
    column: int
    end_line: int
    end_column: int


@record
class PrintedFix(Printed):
    """What lint --fix (safe) or --unsafe-fixes would do."""

    safe: bool
    """The fix keeps what was meant."""
    title: str
    """What it does."""


@record
class PrintedDiagnostic(Printed):
    """One finding."""

    code: RuleCode
    """Code of the rule."""
    severity: Severity
    """How bad it is."""
    message: str
    """What is wrong."""
    hint: str | None
    """What to write instead."""
    file: str | None
    """The file as it was given; <stdin> for standard input."""
    document: Count | None
    """Document in the file, from 0."""
    line: Positive | None
    """First line of the offending key or value, from 1."""
    column: Positive | None
    """Its first column, from 1, in characters."""
    end_line: Positive | None
    """Its last line, from 1."""
    end_column: Positive | None
    """The column after its last character, from 1."""
    path: Path
    """Keys and indices from the root of the document."""
    object: ObjectRef | None
    """The object that the document holds."""
    fix: PrintedFix | None
    """How lint would correct it."""
    url: Sometimes[Annotated[str, Keywords(format="uri")]]
    """The page of the rule, where there is a site."""


FindingSubject = tuple[int, str, Path, str]
"""A finding of a source, whatever its place in the text."""


@record
class Diagnostic(PrintedAs):
    """One finding. Rules give a path; file, document, object and span are found last.

    ``missing``: it is about something that is not there, so it is none in a part of an object (a patch).
    ``text_line``: the line of the string that the span is in, where it is a part of one.
    """

    code: str
    severity: Severity
    message: str
    hint: str | None = None
    path: Path = ()
    on_key: bool = False
    fix: Fix | None = None
    file: str | None = None
    document: int | None = None
    object: ObjectRef | None = None
    span: Span | None = None
    missing: bool = False
    text_line: int | None = None

    def __post_init__(self) -> None:
        # a quoted value may be of any length, and each finding has a copy
        if len(self.message) > MAX_MESSAGE:
            object.__setattr__(self, "message", cut(self.message, MAX_MESSAGE))
        if self.hint is not None and len(self.hint) > MAX_MESSAGE:
            object.__setattr__(self, "hint", cut(self.hint, MAX_MESSAGE))

    def sort_key(self) -> tuple[Any, ...]:
        """Files in their order, then position, then code: the same on every run."""
        span = self.span or Span(0, 0, 0, 0)
        path = tuple(str(step) for step in self.path)
        return (self.file or "", span.line, span.column, self.document or 0, self.code, self.message, path)

    @property
    def subject(self) -> FindingSubject:
        """What it is, wherever it is written: its document, code, path and message."""
        return self.document or 0, self.code, self.path, self.message

    def located(self, **where: Any) -> Diagnostic:
        """The same finding with file, document, object or span filled in."""
        return replace(self, **where)

    def printed(self) -> PrintedDiagnostic:
        """The finding as the record that is printed; lines and columns from 1, None where no place is
        known."""
        line, column, end_line, end_column = self.span or (None, None, None, None)
        return PrintedDiagnostic(
            self.code,
            self.severity,
            self.message,
            self.hint,
            self.file,
            self.document,
            line,
            column,
            end_line,
            end_column,
            shown_path(self.path),
            self.object,
            PrintedFix(self.fix.safe, self.fix.title) if self.fix else None,
            site.rule_page(self.code) or OMITTED,
        )


def shown_path(path: Path) -> Path:
    """A path as findings show it, with long steps cut."""
    return tuple(cut(step, MAX_STEP) if isinstance(step, str) else step for step in path)


class LossKind(StrEnum):
    """In what way a share does not fit, in the order of the verdicts; or a key is not translated."""

    ROUNDED = "rounded"
    FILLED = "filled"
    DROPPED = "dropped"
    REFUSED = "refused"
    LEFTOVER = "leftover"


@record
class Loss:
    """One way in which a target cannot express a share as requested.

    ``field`` is a JSON name; ``asked`` and ``given`` are totals over the cards. ``accepted``
    says that the user allowed it (``--round``, ``--fill``, ``--drop``).
    """

    kind: LossKind
    field: str
    code: str
    message: str
    hint: str | None = None
    asked: int | str | None = None
    given: int | str | None = None
    accepted: bool = False
    path: Path = ()

    def diagnostic(self) -> Diagnostic:
        """The finding about it: an error, or an info without a hint where the loss is accepted."""
        severity = Severity.INFO if self.accepted else Severity.ERROR
        hint = None if self.accepted else self.hint
        return Diagnostic(self.code, severity, self.message, hint, self.path)
