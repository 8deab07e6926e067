"""The rules that follow from the rows of a sheet: one of each kind, with the same number at every dialect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpuxlate.backends.sheet.kind import Kind
from gpuxlate.backends.sheet.kinds_of_keys import Excludes, Models, Needs, Once, Words
from gpuxlate.backends.sheet.kinds_of_numbers import Amounts, Doubts, Ignored, Numbers, Sizes
from gpuxlate.backends.sheet.kinds_of_pods import Compute, Counts, Fits, Init, OneShare, Scheduler, Several
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, Scope
from gpuxlate.rules.predicates.conditions import IsInit
from gpuxlate.rules.predicates.predicate import Breach

if TYPE_CHECKING:
    from gpuxlate.backends.sheet.sheet import Sheet

KINDS: tuple[type[Kind], ...] = (
    *(Numbers, Needs, Excludes, Words, Once, Scheduler, Several, Fits, Compute, Sizes, Init, Models),
    *(OneShare, Doubts, Ignored, Amounts, Counts),
)
"""Every kind, in the order of their numbers."""


@dataclass(frozen=True)
class RuleRow:
    """One rule of a sheet: its kind, and what differs from the usual of that kind.

    ``code`` in place of the sheet's prefix with the number of the kind; ``keys``: the rows that it is about,
    all where there are none; ``also``: a kind with the same code that needs a profile;
    ``why``: the reason in place of the kind's.
    """

    kind: type[Kind]
    code: str = ""
    severity: Severity | None = None
    keys: tuple[str, ...] = ()
    also: type[Kind] | None = None
    why: str = ""


@dataclass(frozen=True)
class SheetRule(Rule):
    """A rule whose text is made of the rows too, when somebody asks for it."""

    kind: Kind | None = None

    @property
    def _of(self) -> Kind:
        assert self.kind is not None
        return self.kind

    @property
    def name(self) -> str:
        return self._of.name

    @property
    def summary(self) -> str:
        return self._of.summary_text

    @property
    def text(self) -> str:
        return self._of.text()


def rules_of_sheet(sheet: Sheet) -> tuple[Rule, ...]:
    """The rules of its rows: the usual ones that apply, or those that it lists."""
    rows = sheet.rules or tuple(RuleRow(kind) for kind in KINDS)
    made = [(row, row.kind(sheet, row.keys, row.why)) for row in rows]
    return tuple(_rule(sheet, row, kind) for row, kind in made if kind.applies())


def code_of(sheet: Sheet, name: str, key: str = "") -> str:
    """The code of a kind of rule, by the name of the kind; of the one about a key where there are several."""
    kind = next(one for one in KINDS if one.__name__.upper() == name)
    listed = [
        row
        for row in sheet.rules
        if kind in (row.kind, row.also) and (not row.keys or not key or key in row.keys)
    ]
    return listed[0].code if listed else f"{sheet.prefix}{kind.number:03d}"


def _rule(sheet: Sheet, row: RuleRow, kind: Kind) -> Rule:
    predicates = tuple(kind.predicates())
    if not sheet.init and not isinstance(kind, Init):  # which says all about init containers
        predicates = tuple(replace(one, when=one.when & ~IsInit()) if one.each else one for one in predicates)
    other = row.also(sheet, row.keys) if row.also else kind
    cluster = other.in_cluster()

    def word(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
        return kind.findings(this, breach, pod)

    return SheetRule(
        row.code or f"{sheet.prefix}{kind.number:03d}",
        row.severity or kind.severity,
        Scope.POD,
        kind.fixes(),
        word if predicates else kind.of_profile,
        kind.missing,
        predicates,
        other.also if other.finds_more() and (predicates or cluster) else None,
        kind.no_policy,
        with_profile=cluster,
        kind=kind,
    )
