"""Write a comment that ignores each finding of a source, where a comment can be.

The comment is at the end of the finding's line. It is alone on the line above where the line would be too
long, or where a string goes on in the next line.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from gpuxlate.lint.check import Linted, LintSettings, lint_source
from gpuxlate.lint.suppress import COMMENT, UNUSED
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import Message, say
from gpuxlate.rules.vocabulary import IGNORE
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.edit import EditError, Splice, with_comments
from gpuxlate.yamltext.source import Source

LONGEST = 100
"""Characters of a line with its comment; where it would be longer, the comment is on the line above."""
NOT_OF_A_LINE = frozenset({"GX001", UNUSED, "GX012", "GX025"})
"""Findings of a file or of an ignore: what to do is in their help."""

NO_COMMENTS = say(
    'JSON has no comments; write the annotation {key}: "CODE REASON" on the object or its pod template',
    key=IGNORE,
)
NO_ROOM = say(
    'no comment fits here; write the annotation {key}: "CODE REASON" on the object or its pod template',
    key=IGNORE,
)
IN_PARAMETERS = say("no comment is added to parameters of a job; write per-file-ignores in the configuration")
TOO_MANY = say(
    "a file has at most {most} ignores; write per-file-ignores in the configuration",
    most=limits.MAX_IGNORES,
)
ITS_HELP = say("a comment cannot ignore it; see its help")


class Refused(NamedTuple):
    """A finding that got no comment, and why and what to do."""

    finding: Diagnostic
    why: Message


@dataclass(slots=True)
class Ignored:
    """A source with its comments, how many findings they ignore, those left, and why they got none."""

    source: Source
    linted: Linted
    count: int = 0
    refused: list[Refused] = field(default_factory=list)


def is_reason(text: str) -> bool:
    """The text can be the reason in a comment: one line that can be printed, and no ignore itself."""
    return bool(text.strip()) and text.isprintable() and COMMENT.search(f"# {text}") is None


def add_ignores(source: Source, settings: LintSettings, reason: str) -> Ignored:
    """Ignore every finding by a comment with the reason.

    The content of every document stays the same, which is checked by reading it again.
    """
    linted = lint_source(source, settings)
    result = Ignored(source, linted)
    by_line: dict[int, list[Diagnostic]] = defaultdict(list)
    no_comments = is_json(source)
    whole = any(one.code == "GX025" for one in linted.diagnostics)  # ignores have no effect then
    for one in linted.diagnostics:
        if whole or one.code in NOT_OF_A_LINE or one.span is None:
            result.refused.append(Refused(one, ITS_HELP))
        elif no_comments:
            result.refused.append(Refused(one, NO_COMMENTS))
        else:
            by_line[one.text_line or one.span.line].append(one)
    if not by_line:
        return result
    left = limits.MAX_IGNORES - sum(1 for _ in COMMENT.finditer(source.text))
    for line in sorted(by_line)[max(left, 0) :]:
        result.refused += [Refused(one, TOO_MANY) for one in by_line.pop(line)]
    placing = _Placing(source, {line: _comment(found, reason) for line, found in by_line.items()})
    placing.add(sorted(by_line))
    for line in placing.failed:
        result.refused += [Refused(one, NO_ROOM) for one in by_line[line]]
    if placing.made:
        result.source = placing.commented
        result.linted = lint_source(result.source, settings)
        result.count = sum(len(by_line[line]) for line in placing.made)
    return result


def not_ignored(found: Sequence[Diagnostic], why: Message) -> list[Refused]:
    """Findings of a source that takes no comments."""
    return [Refused(one, why) for one in found]


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
