"""Comments that name the unit of a number which gets another one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gpuxlate.manifest.key_texts import resource_of
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, Edit, Rename, Severity
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import join_or, msg
from gpuxlate.rules.base import Context
from gpuxlate.rules.key_index import key_index_of
from gpuxlate.rules.translation import (
    nothing_is_left_behind,
)
from gpuxlate.yamltext.parse import Document, node_at
from gpuxlate.yamltext.source import Source

_NAMED = {
    "MiB": regex(r"(?i:(?<![a-z])mi?b(?![a-z]))|\d ?Mi?(?![A-Za-z])|单位为?[:：]? ?M(?![A-Za-z])"),
    "GiB": regex(r"(?i:(?<![a-z])gi?b(?![a-z]))|\d ?Gi?(?![A-Za-z])|单位为?[:：]? ?G(?![A-Za-z])"),
    "percent": regex(r"(?i:percent)|[%％]|百分"),
}
"""Patterns of the unit names that people write in comments, by unit of the data sheets."""

_COMMENT = regex(r"(?:^|\s)#[ \t]*(?P<text>.*\S)")

_LINE_BREAK = regex(r"[\r\n]")


def stale_comments(document: Document, edits: Iterable[Edit], context: Context) -> Iterator[Diagnostic]:
    """Numbers that get another unit, where the comment on the line or above it has the old one (GX026)."""
    words, profile = key_index_of(context), context.profile
    changed = {name for name in _NAMED if profile and profile.changes_unit(name)}
    comments = _Comments(document.source)
    for edit in edits:
        if not isinstance(edit, Rename) or document.root is None:
            continue
        names = map(resource_of, (str(edit.path[-1]), edit.key))
        old, new = ({unit for unit in words.units(name) if unit not in changed} for name in names)
        if not new or old == new:
            continue
        _, start, _ = node_at(document.root, edit.path, on_key=True)
        for comment in comments.at(start):
            named = [unit for unit, pattern in _NAMED.items() if pattern.search(comment)]
            if named and new.isdisjoint(named):
                message = msg(
                    "the comment {comment!r} names {named}, and {key} counts {unit}",
                    comment=cut(comment, MAX_NAME),
                    named=" and ".join(named),
                    key=edit.key,
                    unit=join_or(sorted(new)),
                )
                hint = "change the comment after the translation"
                yield nothing_is_left_behind.diagnostic(
                    edit.path, message, hint, severity=Severity.WARNING, on_key=True
                )


class _Comments:
    """The comments of lines. One line may be the whole text, so that it is searched once for consecutive
    keys."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._begin = -1
        self._searched = (0, 0)  # from one character up to another there is none
        self._own: re.Match[str] | None = None
        self._above = ""

    def at(self, index: int) -> Iterator[str]:
        """The comment on the line of a key, and the comment on the line above, if that has nothing else."""
        text, position = self._source.text, self._source.position
        begin = index - position(index)[1] + 1
        if begin != self._begin:
            self._begin, self._searched = begin, (0, 0)
            end = max(begin - 1, 0)  # of the line above, at its break
            self._above = text[end - position(end)[1] + 1 : end].strip()
        first, after = self._searched
        if not first <= index < after:
            line_break = _LINE_BREAK.search(text, index)
            end = line_break.start() if line_break else len(text)
            self._own = _COMMENT.search(text, index, end)
            self._searched = index, self._own.start() + 1 if self._own else end + 1
        if self._own:
            yield self._own["text"]
        if self._above.startswith("#"):
            yield self._above.lstrip("# \t")
