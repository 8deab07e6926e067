"""Apply several fixes at once: each attempt reads the whole result again, so there are as few as possible."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from gpuxlate.lint.check import lint_source
from gpuxlate.lint.ignore import COMMENT, UNUSED
from gpuxlate.lint.settings import LintResult, LintSettings, everything, nothing
from gpuxlate.model import limits
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Edit, Path, Severity
from gpuxlate.model.messages import Message, msg
from gpuxlate.rules.vocabulary import IGNORE
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.edit import apply, edit_document, planned, with_comments
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.writer import EditError, Splice

MAX_TURNS = 10
"""Attempts for fixes of the same place, which are applied one after the other."""


class Batch:
    """Fixes of one document that are applied together: the splices ``made`` apply those in ``taken``.

    A fix that touches the same path as another is not taken.
    """

    def __init__(self, document: Document, allowed: limits.Allowance) -> None:
        self._document = document
        self._allowed = allowed
        self._edits: list[Edit] = []
        self._at: dict[Path, list[Edit]] = {}
        self.made: list[Splice] = []
        self.taken: list[Diagnostic] = []

    def add(self, wanted: Sequence[Diagnostic]) -> None:
        """Take all fixes that can be applied with those taken; where they fail together, try each half."""
        fixes, fresh = self._fresh(wanted)
        if fresh:
            if not self._allowed.spend(self._document.end - self._document.start):
                return
            try:
                self.made = edit_document(self._document, [*self._edits, *fresh])
            except EditError:
                middle = len(wanted) // 2
                if middle:
                    self.add(wanted[:middle])
                    self.add(wanted[middle:])
                return
        for edit in fresh:
            self._at.setdefault(edit.path, []).append(edit)
        self._edits += fresh
        self.taken += fixes

    def _fresh(self, wanted: Sequence[Diagnostic]) -> tuple[list[Diagnostic], list[Edit]]:
        """The fixes that do not overlap with those taken, and their edits that are not taken yet."""
        fixes: list[Diagnostic] = []
        fresh: list[Edit] = []
        mine: dict[Path, list[Edit]] = {}
        for one in wanted:
            assert one.fix is not None
            edits = [e for e in one.fix.edits if e not in (*self._at.get(e.path, ()), *mine.get(e.path, ()))]
            if edits and any(e.path in self._at or e.path in mine for e in one.fix.edits):
                continue
            for edit in edits:
                mine.setdefault(edit.path, []).append(edit)
            fixes.append(one)
            fresh += edits
        return fixes, fresh


def each_alone(document: Document, found: Iterable[Diagnostic]) -> dict[int, list[Splice]]:
    """The text changes of each fix on its own, by the id of its finding; only fixes that can be applied."""
    made: dict[int, list[Splice]] = {}
    left = [one for one in found if one.fix is not None]
    allowed = limits.Allowance(document.end - document.start)
    for _ in range(MAX_TURNS):
        batch = Batch(document, allowed)
        batch.add(left)
        for one in batch.taken:
            # a plan looks up what aliases share, each time
            if one.fix is not None and (len(made) < limits.MAX_TRIES or not document.aliases):
                made[id(one)] = planned(document, one.fix.edits)
        taken = {id(one) for one in batch.taken}
        left = [one for one in left if id(one) not in taken]
        if not left or not taken:
            break
    return made


# Apply the fixes of findings as edits; only those after which less is wrong are kept.
MAX_ROUNDS = 10
"""Maximum number of rounds for fixes of one place, and for what they reveal."""
Fixes = Mapping[int, Sequence[Diagnostic]]
"""Findings whose fixes are to be applied, by document."""
Wrong = Counter[tuple[Severity, str]]
"""The findings of a document by severity and code: their places move, and names in their messages change."""
Key = tuple[int, str, Path, str]
"""A finding, whatever its place in the text."""


@record
class Fixed:
    """A source with its fixes applied, how many there were, and the findings left."""

    source: Source
    fixes: int
    linted: LintResult

    @property
    def text(self) -> str:
        return self.source.text


Choice = Callable[[Iterable[Diagnostic]], Iterable[Diagnostic]]
"""Of findings those whose fixes are applied."""


def fix_source(source: Source, settings: LintSettings, *, unsafe: bool, to_fix: Choice = iter) -> Fixed:
    """Apply every fix that can be applied, until none is left.

    Each edit is checked, and so is the result, by all rules: a fix after which as much is wrong with its
    document as before is not kept.
    """
    linted = lint_source(source, settings)
    if not any(one.fix and (one.fix.safe or unsafe) for one in to_fix(linted.diagnostics)):
        return Fixed(source, 0, linted)
    fixing = _Fixing(source, linted, settings, unsafe, to_fix)
    fixing.run()
    return Fixed(fixing.source, fixing.made, fixing.lint(fixing.source, settings))


@record
class _Reached:
    """What some fixes make of a document, with those that they reveal."""

    text: str
    wrong: Wrong
    made: int


class _Fixing:
    """All fixes of a document at once; where it is then not as much better, halves of them.

    Each try checks the whole source, with a group of fixes in each document that has some left.
    """

    def __init__(
        self, source: Source, linted: LintResult, settings: LintSettings, unsafe: bool, to_fix: Choice
    ) -> None:
        self.source = source
        self.made = 0
        self._settings = settings
        self._all_rules = settings._replace(selected=everything, excused=nothing)
        self._unsafe = unsafe
        self._to_fix = to_fix
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
        for one in self._to_fix(self._found(source)):
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

    def lint(self, source: Source, settings: LintSettings) -> LintResult:
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


# Write a comment that ignores each finding of a source, where a comment can be.
# The comment is at the end of the finding's line. It is alone on the line above where the line would be too
# long, or where a string goes on in the next line.
LONGEST = 100
"""Characters of a line with its comment; where it would be longer, the comment is on the line above."""
NOT_OF_A_LINE = frozenset({"GX001", UNUSED, "GX012", "GX025"})
"""Findings of a file or of an ignore: what to do is in their help."""
NO_COMMENTS = msg(
    'JSON has no comments; write the annotation {key}: "CODE REASON" on the object or its pod template',
    key=IGNORE,
)
NO_ROOM = msg(
    'no comment fits here; write the annotation {key}: "CODE REASON" on the object or its pod template',
    key=IGNORE,
)
IN_PARAMETERS = msg("no comment is added to parameters of a job; write per-file-ignores in the configuration")
TOO_MANY = msg(
    "a file has at most {most} ignores; write per-file-ignores in the configuration",
    most=limits.MAX_IGNORES,
)
ITS_HELP = msg("a comment cannot ignore it; see its help")


class RefusedIgnore(NamedTuple):
    """A finding that got no comment, and why and what to do."""

    finding: Diagnostic
    why: Message


@dataclass(slots=True)
class IgnoredSource:
    """A source with its comments, how many findings they ignore, those left, and why they got none."""

    source: Source
    linted: LintResult
    count: int = 0
    refused: list[RefusedIgnore] = field(default_factory=list)


def is_reason(text: str) -> bool:
    """The text can be the reason in a comment: one line that can be printed, and no ignore itself."""
    return bool(text.strip()) and text.isprintable() and COMMENT.search(f"# {text}") is None


def add_ignores(source: Source, settings: LintSettings, reason: str) -> IgnoredSource:
    """Ignore every finding by a comment with the reason.

    The content of every document stays the same, which is checked by reading it again.
    """
    linted = lint_source(source, settings)
    result = IgnoredSource(source, linted)
    by_line: dict[int, list[Diagnostic]] = defaultdict(list)
    no_comments = is_json(source)
    whole = any(one.code == "GX025" for one in linted.diagnostics)  # ignores have no effect then
    for one in linted.diagnostics:
        if whole or one.code in NOT_OF_A_LINE or one.span is None:
            result.refused.append(RefusedIgnore(one, ITS_HELP))
        elif no_comments:
            result.refused.append(RefusedIgnore(one, NO_COMMENTS))
        else:
            by_line[one.text_line or one.span.line].append(one)
    if not by_line:
        return result
    left = limits.MAX_IGNORES - sum(1 for _ in COMMENT.finditer(source.text))
    for line in sorted(by_line)[max(left, 0) :]:
        result.refused += [RefusedIgnore(one, TOO_MANY) for one in by_line.pop(line)]
    placing = _Placing(source, {line: _comment(found, reason) for line, found in by_line.items()})
    placing.add(sorted(by_line))
    for line in placing.failed:
        result.refused += [RefusedIgnore(one, NO_ROOM) for one in by_line[line]]
    if placing.made:
        result.source = placing.commented
        result.linted = lint_source(result.source, settings)
        result.count = sum(len(by_line[line]) for line in placing.made)
    return result


def not_ignored(found: Sequence[Diagnostic], why: Message) -> list[RefusedIgnore]:
    """Findings of a source that takes no comments."""
    return [RefusedIgnore(one, why) for one in found]


def is_json(source: Source) -> bool:
    """A comment would break the file for readers of JSON."""
    if source.name.endswith((".yaml", ".yml")):
        return False
    if source.name.endswith(".json"):
        return True
    if source.text.lstrip()[:1] not in ("{", "["):
        return False
    with suppress(ValueError, RecursionError):
        json.loads(source.text)
        return True
    return False


def _comment(found: Sequence[Diagnostic], reason: str) -> str:
    codes = dict.fromkeys(one.code for one in found)
    return f"# gpuxlate: ignore[{','.join(codes)}] {reason.strip()}"


class _Placing:
    """The place of each comment: all are tried at once; where that fails, halves of them."""

    def __init__(self, source: Source, comments: Mapping[int, str]) -> None:
        self._source = source
        self._comments = comments
        self._behind, self._above = _strings(source, comments)
        self._allowed = limits.Allowance(len(source.text))
        self.commented = source
        self.made: dict[int, Splice] = {}
        self.failed: list[int] = []

    def add(self, lines: Sequence[int], choice: int = 0) -> None:
        """Comment these lines, each at the place of this number, or at a later one."""
        fresh = {line: places[choice] for line in lines if len(places := self._places(line)) > choice}
        self.failed += [line for line in lines if line not in fresh]
        if not fresh:
            return
        tried = {**self.made, **fresh}
        try:
            if not self._allowed.spend(len(self._source.text)):
                self.failed += fresh
                return
            self.commented = with_comments(self._source, tried.values())
            self.made = tried
        except EditError:
            wanted = list(fresh)
            middle = len(wanted) // 2
            if middle:
                self.add(wanted[:middle], choice)
                self.add(wanted[middle:], choice)
            else:
                self.add(wanted, choice + 1)

    def _places(self, line: int) -> list[Splice]:
        """Where the comment of a line can be, the best place first."""
        source, comment = self._source, self._comments[line]
        start, text = source.line_start(line), source.line_text(line)
        found = []
        if line not in self._behind:
            behind = f"  {comment}"
            found.append(Splice(start + len(text), start + len(text), behind))
        if line not in self._above:
            indent = text[: len(text) - len(text.lstrip(" "))]
            found.append(Splice(start, start, indent + comment + source.newline(start)))
        if len(text) + 2 + len(comment) > LONGEST:
            found.reverse()
        return found


def _strings(source: Source, wanted: Mapping[int, str]) -> tuple[set[int], set[int]]:
    """Of these lines those with a string, or the head of a block, at their end; with one at their start."""
    lines = sorted(wanted)
    behind: set[int] = set()
    above: set[int] = set()
    for one in _scalars(source):
        written = source.text[one.start : one.end]
        if not re.search(r"[\r\n]", written):
            continue
        first, last = source.position(one.start)[0], source.position(one.end)[0]
        block = one.style in ("|", ">")
        if block and written.endswith(("\r", "\n")):
            last -= 1
        behind.update(lines[bisect_left(lines, first) : bisect_left(lines, last + block)])
        above.update(lines[bisect_right(lines, first) : bisect_right(lines, last)])
    return behind, above


def _scalars(source: Source) -> Iterator[nodes.Scalar]:
    with suppress(NotYamlError):  # the text before a syntax error has its findings
        for document in documents(source):
            pending = [document.root] if document.root else []
            while pending:
                node = pending.pop()
                if isinstance(node, nodes.Scalar):
                    yield node
                pending += nodes.inside(node)
