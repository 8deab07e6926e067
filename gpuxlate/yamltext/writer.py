"""The splices that block and flow style have in common: changed scalars, and blanks that are filled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from gpuxlate.model.declarations import regex
from gpuxlate.model.pod import ScalarKind
from gpuxlate.yamltext.nodes import (
    Alias,
    Mapping,
    Node,
    Scalar,
    Sequence,
    body_start,
    content_end,
    deref,
    walk,
)
from gpuxlate.yamltext.parse import Document
from gpuxlate.yamltext.plan import EditError, NodePlan
from gpuxlate.yamltext.source import LINE_BREAK
from gpuxlate.yamltext.splices import Splice
from gpuxlate.yamltext.style import Style, literal, scalar, style_at

_COMMENT = regex(r"(?:^|(?<=\s))#[^\r\n]*")
_TO_LINE_END = regex(r"[^\r\n]*")


class Writer:
    """Edits of one mapping or list: what block and flow style have in common."""

    def __init__(self, document: Document, plan: NodePlan) -> None:
        self.text = document.source.text
        self.source = document.source
        self.plan = plan
        self.depth = len(plan.ancestors)
        self.entry = plan.node.entry
        self.last = len(plan.node.entry_numbers) - 1
        self.empties = len(plan.removed) > self.last
        """All entries go."""

    @cached_property
    def style(self) -> Style:
        """The style of the file around the mapping or list. It is computed when it is first needed."""
        return style_at(self.source, self.plan.ancestors, lists=_lists(self.plan))

    def runs_removed(self) -> Iterator[tuple[int, int]]:
        """The runs of removed entries: the number of the first, and the number after the last."""
        first = after = -1
        for number in self.plan.numbers(self.plan.removed):
            if number != after:
                if first >= 0:
                    yield first, after
                first = number
            after = number + 1
        if first >= 0:
            yield first, after

    def nodes(self, first: int, after: int) -> list[Node]:
        """Keys and values of the entries ``first`` up to ``after``."""
        return [part for number in range(first, after) for part in self.entry(number)]

    def column(self, index: int) -> int:
        """The column of a character, from 0."""
        return self.source.position(index)[1] - 1

    def changed_scalars(self) -> Iterator[Splice]:
        """New keys and new values in place of the old ones."""
        plan = self.plan
        for key, value in plan.pairs((plan.keys.keys() | plan.values.keys()) - plan.removed):
            if key in self.plan.keys:
                start = body_start(self.text, key)
                # in the quotes of the one that it replaces
                quote = key.style if isinstance(key, Scalar) and key.style in ("'", '"') else None
                yield Splice(start, key.end, scalar(plan.keys[key], quote), self.depth)
            if key in self.plan.values:
                yield from self._new_value(key, value, self.plan.values[key])

    def _new_value(self, key: Node, value: Node, new: Any) -> Iterator[Splice]:
        if isinstance(new, (dict, list, tuple)):
            yield from self._fill(key, value, new)
            return
        old = deref(value)
        quote = old.style if isinstance(old, Scalar) and old.style in ("'", '"') else None
        rendered = scalar(new, quote or self.style.json_quote) if isinstance(new, str) else literal(new)
        start, end = body_start(self.text, value), content_end(value)
        if value.tag and not value.anchor and not isinstance(new, str):
            start = value.start  # `!!str "30"`: the tag is of the old value
        if isinstance(old, Scalar) and old.empty:
            start = end = max(end, self.value_spot(key) if isinstance(self.plan.node, Mapping) else end)
            rendered = self._blank(start) + rendered
        yield Splice(start, max(start, end), rendered, self.depth)

    def _fill(self, key: Node, value: Node, new: Any) -> Iterator[Splice]:
        """``limits:`` with nothing behind it, null or empty braces gets its first entries."""
        blank = isinstance(value, Scalar) and value.kind is ScalarKind.NULL
        empty = isinstance(value, (Mapping, Sequence)) and not isinstance(value, Alias)
        if not (blank or empty) or not isinstance(self.plan.node, Mapping):
            raise EditError("a mapping would replace a value", ())
        at = self.value_spot(key)
        body = body_start(self.text, value)
        written = value.end > body
        if self.plan.node.flow:
            start = max(at, body)
            yield Splice(start, max(at, value.end), self._blank(start) + self.style.flow(new), self.depth)
            return
        _name, *lines = self.style.block("x", new, self.column(key.start))
        if written:
            spaces = len(self.text[at:body]) - len(self.text[at:body].rstrip(" \t"))
            yield Splice(body - spaces, value.end, "", self.depth)
        yield self.below(max(at, value.end), lines)

    def _blank(self, index: int) -> str:
        """What separates a value from the colon before it."""
        return " " if self.text[index - 1] == ":" and not self.style.tight else ""

    def value_spot(self, key: Node) -> int:
        """The place behind the colon of a key."""
        colon = self.text.find(":", key.end)
        if colon < 0 or self.text[key.end : colon].strip():
            raise EditError("a key has no colon of its own", ())
        return colon + 1

    def line_end(self, index: int) -> int:
        """The end of the line's text, before its line break."""
        match = _TO_LINE_END.match(self.text, index)
        return match.end() if match else index

    def below(self, index: int, lines: list[str]) -> Splice:
        """New lines below the line of a character."""
        end = self.line_end(index)
        line_break = LINE_BREAK.match(self.text, end)
        if line_break is None:
            newline = self.style.newline
            return Splice(end, end, "".join(newline + line for line in lines), self.depth)
        newline = line_break.group()
        return Splice(
            line_break.end(), line_break.end(), "".join(line + newline for line in lines), self.depth
        )

    def comments(self, start: int, end: int, nodes: list[Node]) -> list[str]:
        """The comments between ``start`` and ``end`` that are not inside a scalar."""
        lines: list[str] = []
        at = start
        leaves = (node for node in walk(nodes) if not isinstance(node, (Mapping, Sequence)))
        for node in [*sorted(leaves, key=lambda node: node.start), None]:
            stop = min(node.start, end) if node else end
            lines.extend(match.group().rstrip() for match in _COMMENT.finditer(self.text[at:stop]))
            at = max(at, content_end(node)) if node else end
        return lines


def _lists(plan: NodePlan) -> bool:
    """Something new holds a list."""
    pending: list[Any] = [*plan.added.values(), *plan.values.values(), *plan.appended]
    while pending:
        value = pending.pop()
        if isinstance(value, (list, tuple)):
            return True
        if isinstance(value, dict):
            pending.extend(value.values())
    return False
