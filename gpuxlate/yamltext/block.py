"""The splices of a plan for a block mapping or list: whole lines come and go."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuxlate.model.declarations import regex
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, body_start, content_end
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.splices import Splice
from gpuxlate.yamltext.writer import Writer

_FIRST = "metadata"
"""Reads better above ``spec`` than below everything."""
_DASH = regex(r"-(?=\s|$)")


class Block(Writer):
    """The splices of one block mapping or list."""

    def splices(self) -> Iterator[Splice]:
        yield from self.changed_scalars()
        plan = self.plan
        lines = self._new_lines() if plan.added or plan.appended else []
        if plan.kept and not lines:
            yield self._braces()
        elif self.empties and self._behind_dash(0):
            yield from self._replaced_behind_dash(lines)
            return
        if plan.removed:
            for first, after in self.runs_removed():
                yield from self._removal(first, after)
        if _FIRST in plan.added:
            yield from self._first_lines()
        if lines:
            yield self.below(self._end(self.last), lines)

    # -- what comes ----------------------------------------------------------------------------

    def _new_lines(self) -> list[str]:
        """What comes at the end."""
        column = self.column(body_start(self.text, self.plan.node))
        if isinstance(self.plan.node, Sequence):
            return [line for item in self.plan.appended for line in self.style.item(item, column)]
        return [
            line
            for name, value in self.plan.added.items()
            if name != _FIRST or self._spec() is None
            for line in self.style.block(name, value, column)
        ]

    def _first_lines(self) -> Iterator[Splice]:
        """``metadata`` goes above ``spec``, which may stand behind a dash."""
        spec = self._spec()
        if spec is None:
            return
        column = self.column(spec.start)
        lines = list(self.style.block(_FIRST, self.plan.added[_FIRST], column))
        newline = self.style.newline
        text = lines[0][column:] + "".join(newline + line for line in lines[1:]) + newline + " " * column
        yield Splice(spec.start, spec.start, text, self.depth)

    def _spec(self) -> Node | None:
        keys = (key for key in self.plan.node.entry_nodes if key not in self.plan.removed)
        named = (key for key in keys if isinstance(key, Scalar) and key.text == "spec")
        return next(named, None) if isinstance(self.plan.node, Mapping) else None

    def _braces(self) -> Splice:
        """Empty braces, or brackets, for what stays though all of it goes."""
        node = self.plan.node
        above = self.plan.ancestors[-2] if len(self.plan.ancestors) > 1 else None
        key = (
            next((key for key, value in above.entries if value is node), None)
            if isinstance(above, Mapping)
            else None
        )
        if key is None or node.anchor is not None or node.tag is not None:
            raise EditError("nothing would be left of it", ())
        at = self.value_spot(key)
        return Splice(at, at, " {}" if isinstance(node, Mapping) else " []", self.depth)

    # -- what goes -----------------------------------------------------------------------------

    def _removal(self, first: int, after: int) -> Iterator[Splice]:
        """Entries ``first`` up to ``after`` go, their comments stay."""
        start, end = self._start(first), self.line_end(self._end(after - 1))
        kept = self.comments(start, end, self.nodes(first, after))
        if self._behind_dash(first):
            if first or isinstance(self.plan.node, Sequence):
                raise EditError("an entry shares its line with something else", ())
            # the next entry moves up behind the dash
            following = self._start(after)
            kept += self.comments(end, following, [])
            yield from self._above(start, kept)
            yield Splice(start, following, "", self.depth)
            return
        pad = self.text[self._line_start(start) : start]
        comments = [pad + comment for comment in kept]
        line_start, next_line = self._line_start(start), self._next_line(end)
        newline = self.text[end:next_line] if next_line > end else self.style.newline
        if next_line > end or not line_start:
            text = "".join(comment + newline for comment in comments)
            yield Splice(line_start, next_line, text, self.depth)
            return
        # the last line of a file without a final line break: take the break before it instead
        back = line_start - (2 if self.text[line_start - 2 : line_start] == "\r\n" else 1)
        text = "".join(newline + comment for comment in comments)
        yield Splice(back, end, text, self.depth, takes_break_before=True)

    def _replaced_behind_dash(self, lines: list[str]) -> Iterator[Splice]:
        """Nothing of an item stays: new lines begin behind its dash."""
        start, end = self._start(0), self.line_end(self._end(self.last))
        if not lines or isinstance(self.plan.node, Sequence):
            raise EditError("an entry shares its line with something else", ())
        yield from self._above(start, self.comments(start, end, self.nodes(0, self.last + 1)))
        yield Splice(start, end, self.style.newline.join(lines).lstrip(" "), self.depth)

    def _above(self, index: int, comments: list[str]) -> Iterator[Splice]:
        """Comments on lines of their own above the line of a dash."""
        if comments:
            line = self._line_start(index)
            pad = re.match(r" *", self.text[line:index])
            indent = pad.group() if pad else ""
            text = "".join(indent + comment + self.style.newline for comment in comments)
            yield Splice(line, line, text, 0)

    # -- places --------------------------------------------------------------------------------

    def _behind_dash(self, number: int) -> bool:
        """The entry does not begin its line."""
        start = self._start(number)
        before = self.text[self._line_start(start) : start].strip(" ")
        if before.strip("- "):
            raise EditError("an entry shares its line with something else", ())
        return bool(before)

    def _start(self, number: int) -> int:
        """Where an entry begins: at its key, or at its dash."""
        key = self.entry(number)[0]
        if isinstance(self.plan.node, Mapping):
            return key.start
        first = body_start(self.text, self.plan.node)
        if number == 0:
            return first
        # the dashes of a list stand in one column; before an item there are only comments
        at, column = self.line_end(self._end(number - 1)), self.column(first)
        while at < key.start:
            at = self._next_line(at) + column
            if _DASH.match(self.text, at) and not self.text[at - column : at].strip(" "):
                return at
            at = self.line_end(at - column)
        raise EditError("an item of a list has no dash of its own", ())

    def _end(self, number: int) -> int:
        """Where the content of an entry ends."""
        key, value = self.entry(number)
        end = content_end(value)
        if isinstance(value, Scalar) and value.empty and isinstance(self.plan.node, Mapping):
            return max(end, self.value_spot(key))
        return end

    def _line_start(self, index: int) -> int:
        return index - self.column(index)

    def _next_line(self, end: int) -> int:
        """The character after the line break at ``end``; ``end`` itself where there is none."""
        if self.text.startswith("\r\n", end):
            return end + 2
        return end + 1 if end < len(self.text) and self.text[end] in "\r\n" else end
