"""Apply the fixes of findings as edits; only those after which less is wrong are kept."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from gpuxlate.lint.batch import Batch
from gpuxlate.lint.check import Linted, LintSettings, everything, lint_source, nothing
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import Path
from gpuxlate.yamltext.compose import Document, NotYamlError, documents
from gpuxlate.yamltext.edit import Splice, apply
from gpuxlate.yamltext.source import Source

MAX_ROUNDS = 10
"""Maximum number of rounds for fixes of one place, and for what they reveal."""

Fixes = Mapping[int, Sequence[Diagnostic]]
"""Findings whose fixes are to be applied, by document."""
Wrong = Counter[tuple[Severity, str]]
"""The findings of a document by severity and code: their places move, and names in their messages change."""
Key = tuple[int, str, Path, str]
"""A finding, whatever its place in the text."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A source with its fixes applied, how many there were, and the findings left."""

    source: Source
    fixes: int
    linted: Linted

    @property
    def text(self) -> str:
        return self.source.text


def fix_source(source: Source, settings: LintSettings, *, unsafe: bool) -> Fixed:
    """Apply every fix that can be applied, until none is left.

    Each edit is checked, and so is the result, by all rules: a fix after which as much is wrong with its
    document as before is not kept.
    """
    linted = lint_source(source, settings)
    if not any(one.fix and (one.fix.safe or unsafe) for one in linted.diagnostics):
        return Fixed(source, 0, linted)
    fixing = _Fixing(source, linted, settings, unsafe)
    fixing.run()
    return Fixed(fixing.source, fixing.made, fixing.lint(fixing.source, settings))


@dataclass(frozen=True, slots=True)
class _Reached:
    """What some fixes make of a document, with those that they reveal."""

    text: str
    wrong: Wrong
    made: int


class _Fixing:
    """All fixes of a document at once; where it is then not as much better, halves of them.

    Each try checks the whole source, with a group of fixes in each document that has some left.
    """

    def __init__(self, source: Source, linted: Linted, settings: LintSettings, unsafe: bool) -> None:
        self.source = source
        self.made = 0
        self._settings = settings
        self._all_rules = settings._replace(selected=everything, excused=nothing)
        self._unsafe = unsafe
        self._allowed = limits.Allowance(len(source.text))
        self._tries = limits.tries(len(source.text), limits.MAX_CHECKS)
        self._refused: set[Key] = set()
        self._last = source.text, settings, linted

    def run(self) -> None:
        while self._tries and (offered := self._offered(self.source, self._refused)):
            waiting = {n: [_worst(group)] for n, group in offered.items()}
            better: dict[int, _Reached] = {}
            while waiting and self._tries:
                better |= self._tried(waiting)
                waiting = {n: groups for n, groups in waiting.items() if groups and n not in better}
            self.made += sum(one.made for one in better.values())
            self.source = self._replaced(self.source, better)

    def _tried(self, waiting: dict[int, list[list[Diagnostic]]]) -> dict[int, _Reached]:
        """The documents that the next group of each makes better; other groups are halved."""
        groups = {n: left.pop() for n, left in waiting.items()}
        before = self._wrong(self.source)
        better: dict[int, _Reached] = {}
        for n, found in self._followed(groups).items():
            group = groups[n]
            # one fix may reveal what is less wrong; of several, a bad one would hide behind the good ones
            expected = before[n] - Counter((one.severity, one.code) for one in group)
            if _is_less(found.wrong, before[n]) and (len(group) == 1 or found.wrong <= expected):
                better[n] = found
        for n, group in groups.items():
            middle = len(group) // 2
            if n in better:
                continue
            if middle:
                waiting[n] += [group[middle:], group[:middle]]
            else:
                self._refused |= {_key(one) for one in group}
        return better

    def _followed(self, groups: Fixes) -> dict[int, _Reached]:
        """Apply fixes, and then those that this reveals: of each document the best that it was."""
        reached: dict[int, _Reached] = {}
        made: Counter[int] = Counter()
        source, wanted = self.source, groups
        known = {_key(one) for group in self._offered(source, set()).values() for one in group}
        for _ in range(MAX_ROUNDS):
            source, taken = self._applied(source, wanted)
            if not taken or not self._tries:
                break
            self._tries -= 1
            made.update(taken)
            wrong = self._wrong(source)
            for n, text in [(one.index, one.text) for one in _documents(source) if one.index in taken]:
                if n not in reached or _is_less(wrong[n], reached[n].wrong):
                    reached[n] = _Reached(text, wrong[n], made[n])
            offered = self._offered(source, known)
            wanted = {n: group for n, group in offered.items() if n in groups}
            known |= {_key(one) for group in wanted.values() for one in group}
        return reached

    def _applied(self, source: Source, wanted: Fixes) -> tuple[Source, dict[int, int]]:
        """The source with fixes applied, and how many of each document could be."""
        splices: list[Splice] = []
        taken: dict[int, int] = {}
        for document in _documents(source) if wanted else ():
            batch = Batch(document, self._allowed)
            batch.add(wanted.get(document.index, ()))
            splices += batch.made
            if batch.taken:
                taken[document.index] = len(batch.taken)
        return source.changed(apply(source.text, splices)), taken

    def _offered(self, source: Source, without: set[Key]) -> dict[int, list[Diagnostic]]:
        """The fixes of the selected rules, by document."""
        found: dict[int, list[Diagnostic]] = {}
        for one in self._found(source):
            allowed = one.fix is not None and (one.fix.safe or self._unsafe)
            chosen = self._settings.selected(one.code) and not self._settings.excused(one.code)
            if allowed and chosen and _key(one) not in without:
                found.setdefault(one.document or 0, []).append(one)
        return found

    def _wrong(self, source: Source) -> Mapping[int, Wrong]:
        found: dict[int, Wrong] = defaultdict(Counter)
        for one in self._found(source):
            found[one.document or 0][one.severity, one.code] += 1
        return found

    def lint(self, source: Source, settings: LintSettings) -> Linted:
        """The findings of a text. The last ones are kept: several steps ask for the same."""
        if self._last[:2] != (source.text, settings):
            self._last = source.text, settings, lint_source(source, settings)
        return self._last[2]

    def _found(self, source: Source) -> Sequence[Diagnostic]:
        """The findings of all rules, whichever are selected."""
        return self.lint(source, self._all_rules).diagnostics

    def _replaced(self, source: Source, better: Mapping[int, _Reached]) -> Source:
        """The source with these documents in place of its own."""
        old = ((one.start, one.end, better.get(one.index)) for one in _documents(source))
        return source.changed(apply(source.text, [Splice(a, b, new.text) for a, b, new in old if new]))


def _worst(group: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The errors of a group, else its warnings, else all: no error comes in exchange for a warning."""
    worst = min(one.severity.rank for one in group)
    return [one for one in group if one.severity.rank == worst]


def _key(one: Diagnostic) -> Key:
    return one.document or 0, one.code, one.path, one.message


def _documents(source: Source) -> Iterator[Document]:
    """The documents up to a syntax error, which is reported."""
    with suppress(NotYamlError):
        yield from documents(source)


def _is_less(one: Wrong, other: Wrong) -> bool:
    """Fewer errors; as many, and fewer warnings; or those too, and fewer infos."""
    counts = [Counter(severity for severity, _ in wrong.elements()) for wrong in (one, other)]
    fewer, more = ([count[severity] for severity in Severity] for count in counts)
    return fewer < more
