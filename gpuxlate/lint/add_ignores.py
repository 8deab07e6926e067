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

from gpuxlate.lint.check import lint_source
from gpuxlate.lint.halves import refused_alone
from gpuxlate.lint.ignore import COMMENT, UNUSED
from gpuxlate.lint.settings import LintResult, LintSettings
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import Message, msg
from gpuxlate.rules.key_index import IGNORE
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.edit import with_comments
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice

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
    """A source with its new comments. ``count``: the findings that they ignore. ``linted``: the result of
    linting the new text. ``refused``: the findings without a comment."""

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
    whole = any(finding.code == "GX025" for finding in linted.diagnostics)  # ignores have no effect then
    for diagnostic in linted.diagnostics:
        if whole or diagnostic.code in NOT_OF_A_LINE or diagnostic.span is None:
            result.refused.append(RefusedIgnore(diagnostic, ITS_HELP))
        elif no_comments:
            result.refused.append(RefusedIgnore(diagnostic, NO_COMMENTS))
        else:
            by_line[diagnostic.text_line or diagnostic.span.line].append(diagnostic)
    if not by_line:
        return result
    allowed = limits.MAX_IGNORES - sum(1 for _ in COMMENT.finditer(source.text))
    for line in sorted(by_line)[max(allowed, 0) :]:
        result.refused += [RefusedIgnore(finding, TOO_MANY) for finding in by_line.pop(line)]
    comments = {line: _comment(findings, reason) for line, findings in by_line.items()}
    commented = _Commented(source, comments)
    commented.place()
    for line in sorted(by_line.keys() - commented.splices.keys()):
        result.refused += [RefusedIgnore(finding, NO_ROOM) for finding in by_line[line]]
    if commented.splices:
        result.source = commented.source
        result.linted = lint_source(result.source, settings)
        result.count = sum(len(by_line[line]) for line in commented.splices)
    return result


def not_ignored(findings: Sequence[Diagnostic], why: Message) -> list[RefusedIgnore]:
    """Findings of a source that takes no comments."""
    return [RefusedIgnore(finding, why) for finding in findings]


def is_json(source: Source) -> bool:
    """The source is JSON, which has no comments."""
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


def _comment(findings: Sequence[Diagnostic], reason: str) -> str:
    codes = dict.fromkeys(finding.code for finding in findings)
    return f"# gpuxlate: ignore[{','.join(codes)}] {reason.strip()}"


class _Commented:
    """A source with comments: the splices of those that have a place, by their lines."""

    def __init__(self, source: Source, comments: Mapping[int, str]) -> None:
        self.source = self._before = source
        self.splices: dict[int, Splice] = {}
        self._comments = comments
        self._behind, self._above = _strings(source, comments)
        self._allowed = limits.Allowance(len(source.text))

    def place(self) -> None:
        """Write each comment at its best place, or at the next one if it would change the content."""
        places = {line: self._places(line) for line in sorted(self._comments)}
        while places:
            nearest = [(line, waiting.pop(0)) for line, waiting in places.items() if waiting]
            refused = {line for line, _ in refused_alone(nearest, self._write)}
            places = {line: waiting for line, waiting in places.items() if line in refused}

    def _write(self, fresh: Sequence[tuple[int, Splice]]) -> bool:
        if not self._allowed.spend(len(self._before.text)):
            return False
        splices = {**self.splices, **dict(fresh)}
        try:
            self.source = with_comments(self._before, splices.values())
        except EditError:
            return False
        self.splices = splices
        return True

    def _places(self, line: int) -> list[Splice]:
        """Where the comment of a line can be, the best place first."""
        source, comment = self._before, self._comments[line]
        start, text = source.line_start(line), source.line_text(line)
        splices = []
        if line not in self._behind:
            behind = f"  {comment}"
            splices.append(Splice(start + len(text), start + len(text), behind))
        if line not in self._above:
            indent = text[: len(text) - len(text.lstrip(" "))]
            splices.append(Splice(start, start, indent + comment + source.newline(start)))
        if len(text) + 2 + len(comment) > LONGEST:
            splices.reverse()
        return splices


def _strings(source: Source, comments: Mapping[int, str]) -> tuple[set[int], set[int]]:
    """Of these lines those with a string, or the head of a block, at their end; with one at their start."""
    lines = sorted(comments)
    behind: set[int] = set()
    above: set[int] = set()
    for scalar in _scalars(source):
        written = source.text[scalar.start : scalar.end]
        if not re.search(r"[\r\n]", written):
            continue
        first, last = source.position(scalar.start)[0], source.position(scalar.end)[0]
        block = scalar.style in ("|", ">")
        if block and written.endswith(("\r", "\n")):
            last -= 1
        behind.update(lines[bisect_left(lines, first) : bisect_left(lines, last + block)])
        above.update(lines[bisect_right(lines, first) : bisect_right(lines, last)])
    return behind, above


def _scalars(source: Source) -> Iterator[nodes.Scalar]:
    with suppress(NotYamlError):  # the text before a syntax error has its findings
        for document in documents(source):
            scalars = nodes.walk([document.root] if document.root else [])
            yield from (node for node in scalars if isinstance(node, nodes.Scalar))
