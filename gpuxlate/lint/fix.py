"""Apply the fixes of findings: all at once, lint again, and keep them if fewer findings are left."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from gpuxlate.lint.batch import Batch
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintResult, LintSettings, everything, nothing
from gpuxlate.model import limits
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, FindingSubject, Severity
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice, apply

MAX_ROUNDS = 10
"""How often what fixes reveal is fixed too."""
FixGroup = Sequence[Diagnostic]
"""Findings of one document whose fixes are tried together."""
Groups = Mapping[int, FixGroup]
"""A group for each of these documents."""
Wrong = Counter[tuple[Severity, str]]
"""The findings of a document by severity and code: their places move, and names in their messages change."""
Choice = Callable[[Iterable[Diagnostic]], Iterable[Diagnostic]]
"""Of findings those whose fixes are applied."""


@record
class Fixed:
    """A source with its fixes applied, the number of fixes, and the findings left."""

    source: Source
    fixes: int
    linted: LintResult

    @property
    def text(self) -> str:
        """The whole text with the fixes."""
        return self.source.text


def fix_source(source: Source, settings: LintSettings, *, unsafe: bool, to_fix: Choice = iter) -> Fixed:
    """Apply every fix that can be applied, until none is left.

    Each edit is checked, and so is the result, by all rules: a fix after which as much is wrong with its
    document as before is not kept.
    """
    linted = lint_source(source, settings)
    if not any(finding.fix and (finding.fix.safe or unsafe) for finding in to_fix(linted.diagnostics)):
        return Fixed(source, 0, linted)
    fixer = _Fixer(source, linted, settings, unsafe, to_fix)
    fixer.run()
    return Fixed(fixer.source, fixer.fixes, fixer.lint(fixer.source, settings))


@record
class _DocumentState:
    """A document after some fixes: its text, what is wrong with it, and how many fixes were made."""

    text: str
    wrong: Wrong
    fixes: int


class _Fixer:
    """A source whose documents are fixed together: each try lints all of it."""

    def __init__(
        self, source: Source, linted: LintResult, settings: LintSettings, unsafe: bool, to_fix: Choice
    ) -> None:
        self.source = source
        self.fixes = 0
        self._settings = settings
        self._all_rules = settings._replace(selected=everything, excused=nothing)
        self._unsafe = unsafe
        self._to_fix = to_fix
        self._allowed = limits.Allowance(len(source.text))
        self._tries = limits.tries(len(source.text), limits.MAX_CHECKS)
        self._last = source.text, settings, linted

    def run(self) -> None:
        """Try all fixes of a document at once. If that is no better, try halves of them, down to one fix."""
        refused: set[FindingSubject] = set()
        waiting: dict[int, list[FixGroup]] = {}
        while self._tries and (offered := self._offered(self.source, refused)):
            waiting = {number: waiting.get(number) or [_worst(group)] for number, group in offered.items()}
            groups = {number: edits_left.pop() for number, edits_left in waiting.items()}
            better = self._better(groups)
            for number, group in groups.items():
                middle = len(group) // 2
                if number in better:
                    del waiting[number]  # the places of the other groups have moved
                elif middle:
                    waiting[number] += [group[middle:], group[:middle]]
                else:
                    refused |= {finding.subject for finding in group}
            self.fixes += sum(state.fixes for state in better.values())
            self.source = _with_texts(self.source, {number: state.text for number, state in better.items()})

    def _better(self, groups: Groups) -> dict[int, _DocumentState]:
        """The documents with fewer findings after the fixes of their groups, by ``_is_less``."""
        before = self._wrong(self.source)
        better: dict[int, _DocumentState] = {}
        for number, state in self._settled(groups).items():
            # one fix may reveal what is less wrong; of several, a bad one would hide behind the good ones
            fixed = Counter((finding.severity, finding.code) for finding in groups[number])
            is_expected = len(groups[number]) == 1 or state.wrong <= before[number] - fixed
            if is_expected and _is_less(state.wrong, before[number]):
                better[number] = state
        return better

    def _settled(self, groups: Groups) -> dict[int, _DocumentState]:
        """Apply fixes, lint again, and apply the fixes of new findings: the best state of each document."""
        best: dict[int, _DocumentState] = {}
        fixes: Counter[int] = Counter()
        source, chosen = self.source, groups.keys()
        offered = _keys(self._offered(source, set()))
        for _ in range(MAX_ROUNDS):
            source, applied = self._applied(source, groups)
            if not applied or not self._tries:
                break
            self._tries -= 1
            fixes.update(applied)
            wrong = self._wrong(source)
            for document in _documents(source):
                number = document.index
                if number in applied and (number not in best or _is_less(wrong[number], best[number].wrong)):
                    best[number] = _DocumentState(document.text, wrong[number], fixes[number])
            groups = {
                number: group for number, group in self._offered(source, offered).items() if number in chosen
            }
            offered |= _keys(groups)
        return best

    def _applied(self, source: Source, groups: Groups) -> tuple[Source, dict[int, int]]:
        """The source with fixes applied, and the number of applied fixes by document."""
        splices: list[Splice] = []
        applied: dict[int, int] = {}
        for document in _documents(source) if groups else ():
            batch = Batch(document, self._allowed)
            batch.add(groups.get(document.index, ()))
            splices += batch.splices
            if batch.taken:
                applied[document.index] = len(batch.taken)
        return source.changed(apply(source.text, splices)), applied

    def _offered(self, source: Source, without: set[FindingSubject]) -> dict[int, list[Diagnostic]]:
        """The findings of the selected rules that have a fix, by document."""
        offered: dict[int, list[Diagnostic]] = {}
        for finding in self._to_fix(self._found(source)):
            allowed = finding.fix is not None and (finding.fix.safe or self._unsafe)
            chosen = self._settings.selected(finding.code) and not self._settings.excused(finding.code)
            if allowed and chosen and finding.subject not in without:
                offered.setdefault(finding.document or 0, []).append(finding)
        return offered

    def _wrong(self, source: Source) -> Mapping[int, Wrong]:
        wrong: dict[int, Wrong] = defaultdict(Counter)
        for finding in self._found(source):
            wrong[finding.document or 0][finding.severity, finding.code] += 1
        return wrong

    def lint(self, source: Source, settings: LintSettings) -> LintResult:
        """The findings of a text. The last result is kept, since several steps lint the same text."""
        if self._last[:2] != (source.text, settings):
            self._last = source.text, settings, lint_source(source, settings)
        return self._last[2]

    def _found(self, source: Source) -> Sequence[Diagnostic]:
        """The findings of all rules, selected or not."""
        return self.lint(source, self._all_rules).diagnostics


def _worst(group: FixGroup) -> FixGroup:
    """The errors of a group, else its warnings, else all: no error comes in exchange for a warning."""
    worst = min(finding.severity.rank for finding in group)
    return [finding for finding in group if finding.severity.rank == worst]


def _keys(groups: Groups) -> set[FindingSubject]:
    return {finding.subject for group in groups.values() for finding in group}


def _documents(source: Source) -> Iterator[Document]:
    """The documents up to a syntax error, which is reported."""
    with suppress(NotYamlError):
        yield from documents(source)


def _with_texts(source: Source, texts: Mapping[int, str]) -> Source:
    """The source with these texts in place of those of its documents, by number."""
    old = ((document.start, document.end, texts.get(document.index)) for document in _documents(source))
    return source.changed(
        apply(source.text, [Splice(start, end, text) for start, end, text in old if text is not None])
    )


def _is_less(wrong_here: Wrong, other: Wrong) -> bool:
    """There are fewer errors; or as many errors and fewer warnings; or as many of both and fewer infos."""
    counts = [Counter(severity for severity, _ in wrong.elements()) for wrong in (wrong_here, other)]
    fewer, more = ([count[severity] for severity in Severity] for count in counts)
    return fewer < more
