"""From a plan to splices of the original text. What is not spliced stays, byte for byte."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gpuxlate.manifest.compose import Document
from gpuxlate.manifest.nodes import Mapping, Node, Scalar, Sequence, content_end, deref
from gpuxlate.manifest.plan import EditError, NodePlan, Plans
from gpuxlate.manifest.style import Style, style_at

_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\r\n]*")


@dataclass(frozen=True, slots=True, order=True)
class Splice:
    """Characters ``start`` to ``end`` of the source become ``text``."""

    start: int
    end: int
    text: str
    takes_break_before: bool = False  # a removal at the end of a file without a final line break


def splices(document: Document, plans: Plans) -> list[Splice]:
    """All splices of a plan, in their order. Raises EditError where a text cannot be spliced."""
    made: list[Splice] = []
    gone = _removed_nodes(plans)
    for plan in plans.values():
        if id(plan.node) in gone:
            continue
        style = style_at(document.source, plan.ancestors)
        writer = _Flow(document, plan, style) if plan.node.flow else _Block(document, plan, style)
        made.extend(writer.splices())
    made = _settled(made, document.source.newline)
    for one, two in itertools.pairwise(made):
        if one.end > two.start:
            raise EditError("two edits overlap in the text", ())
    return made


def _settled(made: list[Splice], newline: str) -> list[Splice]:
    """Insertions at the end of lines that another splice takes away move behind what is kept of them."""
    removals = [s for s in made if s.end > s.start]
    moved: dict[Splice, str] = {}
    settled: list[Splice] = []
    for one in made:
        over = next((r for r in removals if one.start == one.end and r.start < one.start < r.end), None)
        if over is None:
            settled.append(one)
            continue
        if not one.text.startswith(newline):
            raise EditError("two edits overlap in the text", ())
        moved[over] = moved.get(over, over.text) + _after_removal(over, one.text, newline)
    return sorted(replace(s, text=moved[s]) if s in moved else s for s in settled)


def _after_removal(removal: Splice, text: str, newline: str) -> str:
    """New lines in the form that fits behind a removal: with their line break last, or first."""
    return text if removal.takes_break_before else text.removeprefix(newline) + newline


def _removed_nodes(plans: Plans) -> set[int]:
    """Nodes that go with a removed entry: their own plans need no splices."""
    gone: set[int] = set()
    for plan in plans.values():
        pairs: list[tuple[Node, Node]] = (
            plan.node.entries
            if isinstance(plan.node, Mapping)
            else [(item, item) for item in plan.node.items]
        )
        pending = [value for handle, value in pairs if id(handle) in plan.removed]
        while pending:
            node = pending.pop()
            gone.add(id(node))
            if isinstance(node, Mapping):
                pending.extend(value for _, value in node.entries)
            elif isinstance(node, Sequence):
                pending.extend(node.items)
    return gone


class _Writer:
    def __init__(self, document: Document, plan: NodePlan, style: Style) -> None:
        self.text = document.source.text
        self.source = document.source
        self.limit = document.end
        self.plan = plan
        self.style = style
        node = plan.node
        self.pairs: list[tuple[Node, Node]] = (
            node.entries if isinstance(node, Mapping) else [(item, item) for item in node.items]
        )

    def changed_scalars(self) -> Iterator[Splice]:
        """New keys and new values where they stand."""
        for key, value in self.pairs:
            if id(key) in self.plan.removed:
                continue
            if id(key) in self.plan.keys:
                yield Splice(key.start, key.end, self._like(key, self.plan.keys[id(key)]))
            if id(key) in self.plan.values:
                yield self._new_value(key, value, self.plan.values[id(key)])

    def _like(self, node: Node, text: str) -> str:
        quote = node.style if isinstance(node, Scalar) else None
        return Style(quote_keys=quote if quote in ("'", '"') else None).key(text)

    def _new_value(self, key: Node, value: Node, new: Any) -> Splice:
        old = deref(value)
        if isinstance(new, (dict, list, tuple)):
            if not (isinstance(old, Scalar) and old.empty):
                raise EditError("a mapping would take the place of a value", ())
            return self._fill_empty(key, value, new)
        quote = old.style if isinstance(old, Scalar) and old.style in ("'", '"') else None
        if isinstance(new, str):
            rendered = Style(quote_values=quote or self._string_quote()).value(new)
        else:
            rendered = self.style.value(new)
        end = content_end(value)
        if isinstance(old, Scalar) and old.empty and value.start == value.end:
            colon = self.text.index(":", key.end)
            return Splice(colon + 1, colon + 1, " " + rendered)
        return Splice(value.start, end, rendered)

    def _string_quote(self) -> str | None:
        return '"' if self.style.quote_keys == '"' else None

    def _fill_empty(
        self, key: Node, value: Node, new: dict[str, Any] | list[Any] | tuple[Any, ...]
    ) -> Splice:
        """``limits:`` with nothing behind it gets its first entries."""
        colon = self.text.index(":", key.end) + 1
        if self.plan.node.flow:
            return Splice(colon, max(colon, value.end), " " + self.style.flow(new))
        column = self.source.position(key.start)[1] - 1
        _name, *lines = self.style.block("x", new, column)
        end = self._line_end(colon)
        return Splice(end, end, "".join(self.style.newline + line for line in lines))

    def _line_end(self, index: int) -> int:
        """The end of the line's text, before its line break."""
        match = re.compile(r"[^\r\n]*").match(self.text, index)
        return match.end() if match else index

    def comments(self, start: int, end: int, nodes: list[Node]) -> list[str]:
        """The comments between ``start`` and ``end`` that are not inside a scalar."""
        found: list[str] = []
        at = start
        for node in [*sorted(_scalars(nodes), key=lambda n: n.start), None]:
            stop = min(node.start, end) if node else end
            found.extend(match.group().rstrip() for match in _COMMENT.finditer(self.text[at:stop]))
            at = max(at, content_end(node)) if node else end
        return found


def _scalars(nodes: list[Node]) -> list[Node]:
    found: list[Node] = []
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            pending.extend(part for entry in node.entries for part in entry)
        elif isinstance(node, Sequence):
            pending.extend(node.items)
        else:
            found.append(node)
    return found


class _Block(_Writer):
    """Edits of a block mapping or list: whole lines come and go."""

    def splices(self) -> Iterator[Splice]:
        yield from self.changed_scalars()
        removals = [self._removal(n) for n, (key, _) in enumerate(self.pairs) if id(key) in self.plan.removed]
        lines = self._new_lines()
        if not lines:
            yield from removals
            return
        if "metadata" in self.plan.added and isinstance(self.plan.node, Mapping):
            yield from removals
            yield self._before_first(lines)
            return
        last_key, last_value = self.pairs[-1]
        if id(last_key) in self.plan.removed:
            final = removals.pop()
            yield from removals
            yield self._in_place_of(final, lines)
            return
        yield from removals
        end = self._line_end(self._entry_end(last_key, last_value))
        yield Splice(end, end, "".join(self.style.newline + line for line in lines))

    def _new_lines(self) -> list[str]:
        if isinstance(self.plan.node, Sequence):
            column = self._dash_column(self.pairs[0][0])
            return [line for item in self.plan.appended for line in self.style.item(item, column)]
        column = self.source.position(self.pairs[0][0].start)[1] - 1
        return [line for k, v in self.plan.added.items() for line in self.style.block(k, v, column)]

    def _before_first(self, lines: list[str]) -> Splice:
        """``metadata`` reads better above ``spec``; the first key may stand behind a dash."""
        first = self.pairs[0][0].start
        column = self.source.position(first)[1] - 1
        text = lines[0].lstrip(" ") + "".join(self.style.newline + line for line in lines[1:])
        return Splice(first, first, text + self.style.newline + " " * column)

    def _in_place_of(self, removal: Splice, lines: list[str]) -> Splice:
        body = self.style.newline.join(lines)
        if removal.start and self.text[removal.start - 1] not in "\r\n":
            # the removed text began in the middle of a line: after a dash, or before a lost line break
            at_break = self.text[removal.start] in "\r\n"
            lead = self.style.newline if at_break else ""
            return Splice(
                removal.start, removal.end, removal.text + lead + (body if at_break else body.lstrip())
            )
        tail = self.style.newline if removal.end <= len(self.text) and self._eats_break(removal) else ""
        return Splice(removal.start, removal.end, removal.text + body + tail)

    def _eats_break(self, removal: Splice) -> bool:
        return removal.end > 0 and self.text[removal.end - 1] in "\r\n"

    def _entry_end(self, key: Node, value: Node) -> int:
        end = content_end(value)
        if end <= key.end or (isinstance(deref(value), Scalar) and value.start == value.end):
            colon = self.text.find(":", key.end)
            return colon + 1 if isinstance(self.plan.node, Mapping) else end
        return end

    def _dash_column(self, item: Node) -> int:
        return self.source.position(self._dash(item))[1] - 1

    def _dash(self, item: Node) -> int:
        """The place of the dash before an item."""
        dash = self.text.rfind("-", 0, item.start)
        if dash < 0 or self.text[dash + 1 : item.start].strip():
            raise EditError("an item of a list has no dash of its own", ())
        return dash

    def _removal(self, number: int) -> Splice:
        key, value = self.pairs[number]
        listed = isinstance(self.plan.node, Sequence)
        start = self._dash(key) if listed else key.start
        end = self._line_end(self._entry_end(key, value))
        line_start = max(self.text.rfind("\n", 0, start), self.text.rfind("\r", 0, start)) + 1
        before = self.text[line_start:start]
        kept = self.comments(start, end, [key, value] if not listed else [key])
        if before.strip():
            if listed or before.strip(" -"):
                raise EditError("an entry shares its line with something else", ())
            return self._remove_behind_dash(number, start, end, kept)
        pad = before + ("  " if listed and not before else "")
        lines = "".join(pad + comment + self.style.newline for comment in kept)
        after = _break_at(self.text, end)
        if after > end or not line_start:
            return Splice(line_start, after, lines)
        # the last line of a file without a final line break: take the break before it instead
        back = line_start - (2 if self.text[line_start - 2 : line_start] == "\r\n" else 1)
        lines = "".join(self.style.newline + pad + comment for comment in kept)
        return Splice(back, end, lines, takes_break_before=True)

    def _remove_behind_dash(self, number: int, start: int, end: int, kept: list[str]) -> Splice:
        """``- key: value`` goes, and the next key of the item moves up behind the dash."""
        following = [k for k, _ in self.pairs[number + 1 :] if id(k) not in self.plan.removed]
        if (
            number + 1 < len(self.pairs)
            and following
            and following[0] is self.pairs[number + 1][0]
            and not kept
        ):
            between = self.text[end : following[0].start]
            if not between.strip():
                return Splice(start, following[0].start, "")
        comment = kept[0] if kept else ""
        return Splice(start, end, comment)


def _break_at(text: str, index: int) -> int:
    """The character after the line break at ``index``; ``index`` itself where there is none."""
    if text.startswith("\r\n", index):
        return index + 2
    return index + 1 if index < len(text) and text[index] in "\r\n" else index


class _Flow(_Writer):
    """Edits of a flow mapping or list, JSON included."""

    def splices(self) -> Iterator[Splice]:
        yield from self.changed_scalars()
        kept = [n for n, (key, _) in enumerate(self.pairs) if id(key) not in self.plan.removed]
        new = self._new_entries()
        if not kept:
            start, end = self.plan.node.start, self.plan.node.end
            opening = self.text.index("{" if isinstance(self.plan.node, Mapping) else "[", start) + 1
            if self.pairs or new:
                self._no_comments(opening, end - 1)
                yield Splice(opening, end - 1, self._joined(new))
            return
        yield from self._removals(kept)
        if new:
            last = self.pairs[kept[-1]]
            at = max(content_end(last[1]), last[0].end)
            yield Splice(at, at, "".join(self._separator() + entry for entry in new))

    def _removals(self, kept: list[int]) -> Iterator[Splice]:
        number = 0
        while number < len(self.pairs):
            if number in kept:
                number += 1
                continue
            first = number
            while number < len(self.pairs) and number not in kept:
                number += 1
            start = self.pairs[first][0].start
            if number < len(self.pairs):
                end = self.pairs[number][0].start
            else:
                before = self.pairs[first - 1]
                start, end = max(content_end(before[1]), before[0].end), content_end(self.pairs[-1][1])
            self._no_comments(start, end)
            yield Splice(start, end, "")

    def _no_comments(self, start: int, end: int) -> None:
        nodes = [part for pair in self.pairs for part in pair]
        if self.comments(start, end, nodes):
            raise EditError("a comment stands inside the braces of what has to go", ())

    def _lines(self) -> bool:
        """The braces span several lines, an entry a line."""
        node = self.plan.node
        return "\n" in self.text[node.start : self.pairs[0][0].start] if self.pairs else False

    def _indent(self) -> str:
        column = self.source.position(self.pairs[0][0].start)[1] - 1
        return " " * column

    def _new_entries(self) -> list[str]:
        added = self.plan.added.items() if isinstance(self.plan.node, Mapping) else []
        values = [*added, *((None, item) for item in self.plan.appended)]
        if self._lines():
            step = self._step()
            render = [(k, self.style.flow_lines(v, self._indent(), step)) for k, v in values]
        else:
            render = [(k, self.style.flow(v)) for k, v in values]
        return [text if k is None else f"{self.style.key(k)}: {text}" for k, text in render]

    def _step(self) -> str:
        outer = self.source.line_text(self.source.position(self.plan.node.start)[0])
        lead = len(outer) - len(outer.lstrip(" "))
        return " " * (max(len(self._indent()) - lead, 1))

    def _separator(self) -> str:
        return "," + self.style.newline + self._indent() if self._lines() else ", "

    def _joined(self, new: list[str]) -> str:
        if self._lines() and new:
            outer = self.source.line_text(self.source.position(self.plan.node.start)[0])
            lead = outer[: len(outer) - len(outer.lstrip(" "))]
            inner = self.style.newline + self._indent()
            return inner + f",{inner}".join(new) + self.style.newline + lead
        return ", ".join(new)
