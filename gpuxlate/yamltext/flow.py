"""The splices of a plan for a flow mapping or list, JSON included."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.model.declarations import regex
from gpuxlate.yamltext.nodes import Mapping, Node, body_start, content_end
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.splices import Splice
from gpuxlate.yamltext.writer import Writer

_REST_OF_LINE = regex(r"[ \t]*(,?)[ \t]*(?:#[^\r\n]*)?(?=[\r\n])")
"""Behind the last entry of a line: a comma, and a comment."""
_PADDING = regex(r"[ \t]*")


class Flow(Writer):
    """The splices of one flow mapping or list."""

    def splices(self) -> Iterator[Splice]:
        yield from self.changed_scalars()
        new = self._new_entries()
        if self.empties:
            yield from self._refilled(new)
            return
        kept = self.last
        for first, after in self.runs_removed():
            yield self._removal(first, after)
            if after > self.last:
                kept = first - 1
        if new:
            yield from self._appended(kept, new)

    def _refilled(self, new: list[str]) -> Iterator[Splice]:
        start = body_start(self.text, self.plan.node)
        end = self.plan.node.end - 1
        if self.text[start] not in "{[" or self.text[end] not in "}]":
            raise EditError("an entry in brackets has no braces of its own", ())
        if self.last < 0 and not new:
            return
        self._no_comments(start + 1, end, self.nodes(0, self.last + 1))
        if self._lines() and new:
            lead = self._lead(start)
            inner = self.style.newline + self._indent()
            body = inner + f",{inner}".join(new) + self.style.newline + lead
        elif new and self.last >= 0:
            pad = self._padding()
            body = pad + self._comma().join(new) + pad
        else:
            body = self._comma().join(new)
        yield Splice(start + 1, end, body, self.depth)

    def _appended(self, last: int, new: list[str]) -> Iterator[Splice]:
        """New entries behind the last that stays."""
        at = self._end(last)
        end_of_line = _REST_OF_LINE.match(self.text, at) if self._lines() else None
        separator = "," + self.style.newline + self._indent() if self._lines() else self._comma()
        if end_of_line is None or end_of_line.end() == at or last != self.last:
            yield Splice(at, at, "".join(separator + entry for entry in new), self.depth)
            return
        # a comma or a comment ends the line: the comment stays with its entry
        if not end_of_line.group(1):
            yield Splice(at, at, ",", self.depth)
        body = "".join(separator[1:] + entry + "," for entry in new)
        yield Splice(
            end_of_line.end(), end_of_line.end(), body if end_of_line.group(1) else body[:-1], self.depth
        )

    def _removal(self, first: int, after: int) -> Splice:
        """Entries ``first`` up to ``after`` go, with the comma behind them; the last with that before."""
        if after <= self.last:
            start, end = self.entry(first)[0].start, self.entry(after)[0].start
        else:
            start, end = self._end(first - 1), self._end(self.last)
        self._no_comments(start, end, self.nodes(first, after))
        return Splice(start, end, "", self.depth)

    def _no_comments(self, start: int, end: int, nodes: list[Node]) -> None:
        if self.comments(start, end, nodes):
            raise EditError("a comment is inside the braces of what is removed", ())

    def _end(self, number: int) -> int:
        key, value = self.entry(number)
        return max(content_end(value), key.end)

    # -- style ---------------------------------------------------------------------------------

    def _lines(self) -> bool:
        """The braces span several lines, an entry a line."""
        if self.last < 0:
            return False
        return "\n" in self.text[self.plan.node.start : self.entry(0)[0].start]

    def _padding(self) -> str:
        """The blanks inside the braces: ``{ a: 1 }``."""
        match = _PADDING.match(self.text, body_start(self.text, self.plan.node) + 1)
        return match.group() if match else ""

    def _comma(self) -> str:
        return "," if self.style.tight else ", "

    def _lead(self, index: int) -> str:
        """The blanks that the line of a character begins with."""
        start = index - self.column(index)
        match = _PADDING.match(self.text, start, index)
        return match.group() if match else ""

    def _indent(self) -> str:
        return self._lead(self.entry(0)[0].start)

    def _step(self) -> str:
        """What an entry is further in than its braces' line."""
        outer, inner = self._lead(self.plan.node.start), self._indent()
        return inner[len(outer) :] if inner.startswith(outer) and len(inner) > len(outer) else "  "

    def _new_entries(self) -> list[str]:
        added = self.plan.added.items() if isinstance(self.plan.node, Mapping) else []
        values = [*added, *((None, item) for item in self.plan.appended)]
        if self._lines():
            step = self._step()
            render = [(k, self.style.flow_lines(v, self._indent(), step)) for k, v in values]
        else:
            render = [(k, self.style.flow(v)) for k, v in values]
        return [text if k is None else self.style.key(k) + self.style.colon + text for k, text in render]
