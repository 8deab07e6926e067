"""How new keys and values are written in a file: the quotes, indentation and braces of their neighbours."""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import Iterator
from typing import Any

from gpuxlate.model.declarations import record, regex
from gpuxlate.model.pod import ScalarKind
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, body_start, children, resolve_plain
from gpuxlate.yamltext.source import Source

_PLAIN_SAFE = regex(r"(?![.]{3})[A-Za-z0-9_./][A-Za-z0-9_./+=@%^~ -]*")


@record
class Style:
    """How a document is written.

    ``step``: columns of indentation; ``dash``: indentation of a block list's dash from its key;
    ``quote_keys`` and ``quote_values``: the quote that neighbours use, or None for bare; ``tight``:
    no blanks behind the commas and colons of flow style; ``padding``: those inside its braces.
    """

    step: int = 2
    dash: int = 0
    quote_keys: str | None = None
    quote_values: str | None = None
    newline: str = "\n"
    tight: bool = False
    padding: str = ""

    @property
    def colon(self) -> str:
        """Between a key and its value in flow style."""
        return ":" if self.tight and self.quote_keys else ": "

    @property
    def json_quote(self) -> str | None:
        """The quote of strings where keys are quoted as in JSON."""
        return '"' if self.quote_keys == '"' else None

    def key(self, text: str) -> str:
        """A key as text."""
        return scalar(text, self.quote_keys)

    def value(self, value: Any) -> str:
        """A scalar value as text: an int bare, a str as a string; None is null."""
        return scalar(value, self.quote_values) if isinstance(value, str) else literal(value)

    def flow(self, value: Any) -> str:
        """A value in flow style on one line."""
        comma = "," if self.tight else ", "
        if isinstance(value, dict):
            body = comma.join(self.key(k) + self.colon + self.flow(v) for k, v in value.items())
            return "{" + self.padding + body + self.padding + "}"
        if isinstance(value, (list, tuple)):
            return "[" + comma.join(self.flow(item) for item in value) + "]"
        return self.value(value)

    def flow_lines(self, value: Any, indent: str, step: str) -> str:
        """A value in flow style, a line an entry: the look of a formatted JSON file."""
        if not isinstance(value, (dict, list, tuple)) or not value:
            return self.flow(value)
        if isinstance(value, dict):
            parts = [f"{self.key(k)}: {self.flow_lines(v, indent + step, step)}" for k, v in value.items()]
            opening, closing = "{", "}"
        else:
            parts = [self.flow_lines(item, indent + step, step) for item in value]
            opening, closing = "[", "]"
        inner = self.newline + indent + step
        return opening + inner + f",{inner}".join(parts) + self.newline + indent + closing

    def block(self, key: str, value: Any, column: int) -> Iterator[str]:
        """The lines of one entry in block style, its key at ``column`` (from 0)."""
        pad = " " * column
        if isinstance(value, dict) and value:
            yield f"{pad}{self.key(key)}:"
            for name, child in value.items():
                yield from self.block(name, child, column + self.step)
        elif isinstance(value, (list, tuple)) and value:
            yield f"{pad}{self.key(key)}:"
            for item in value:
                yield from self.item(item, column + self.dash)
        else:
            yield f"{pad}{self.key(key)}: {self.flow(value)}"

    def item(self, value: Any, column: int) -> Iterator[str]:
        """The lines of one item of a block list, its dash at ``column``."""
        pad = " " * column
        if isinstance(value, dict) and value:
            lines = [line for k, v in value.items() for line in self.block(k, v, column + 2)]
            yield f"{pad}- {lines[0][column + 2 :]}"
            yield from lines[1:]
        else:
            yield f"{pad}- {self.flow(value)}"


def literal(value: int | None) -> str:
    """A number, a boolean or null as text."""
    return "null" if value is None else str(value).lower()


def quoted(text: str, quote: str) -> str:
    """The text in quotes; single quotes only where they can hold it."""
    if quote == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text, ensure_ascii=False)


def scalar(text: str, quote: str | None) -> str:
    """A string as text: bare where that is safe and nobody quotes, else in quotes."""
    if quote:
        return quoted(text, quote)
    safe = (
        _PLAIN_SAFE.fullmatch(text) is not None
        and not text.endswith(" ")
        and ": " not in text
        and resolve_plain(text) is ScalarKind.STR
    )
    return text if safe else json.dumps(text, ensure_ascii=False)


_LOOK_AT = 64
"""Entries of a mapping that are looked at for its style."""
_LOOK_FOR_LISTS = 400
"""Nodes that are looked at for a list."""


def style_at(source: Source, path_nodes: tuple[Node, ...], *, lists: bool) -> Style:
    """The style of the file round a node; ``path_nodes`` lead from the root down to it.

    ``lists``: lists are to be written, so their dashes are looked for.
    """
    nearest = [node for node in reversed(path_nodes) if isinstance(node, Mapping)]
    if not nearest:  # a list is the document: as its items are written
        nearest = [item for node in path_nodes for item in children(node)[:1] if isinstance(item, Mapping)]
    keys = _common_quote([key for node in nearest[:2] for key, _ in node.entries[:_LOOK_AT]])
    values = _common_quote([value for node in nearest[:1] for _, value in node.entries[:_LOOK_AT]], True)
    if keys == '"' and nearest and nearest[0].flow:
        values = '"'  # JSON
    step = _step(source, path_nodes)
    flows = [node for node in nearest if node.flow and node.entries]
    return Style(
        step,
        _dash(source, path_nodes, step) if lists else step,
        keys,
        values,
        source.newline(path_nodes[0].start) if path_nodes else "\n",
        tight=bool(flows) and _tight(source.text, flows[0]),
        padding=_padding(source.text, flows[0]) if flows else "",
    )


def _column(source: Source, node: Node) -> int:
    return source.position(node.start)[1]


def _step(source: Source, path_nodes: tuple[Node, ...]) -> int:
    """Columns of indentation, from the nearest block mapping right below another one."""
    for inner, outer in itertools.pairwise(reversed(path_nodes)):
        if not (isinstance(outer, Mapping) and isinstance(inner, Mapping)) or outer.flow or inner.flow:
            continue
        step = _first_column(source, inner) - _first_column(source, outer)
        if 0 < step <= 8:
            return step
    return 2


def _first_column(source: Source, mapping: Mapping) -> int:
    """The column of a block mapping, whose own mark may be that of its anchor."""
    return _column(source, mapping.entries[0][0] if mapping.entries else mapping)


def _dash(source: Source, path_nodes: tuple[Node, ...], step: int) -> int:
    """Indentation of block lists: as the nearest on the way down or beside it, else that of mappings."""
    pending: deque[Node] = deque(reversed(path_nodes))
    for _ in range(_LOOK_FOR_LISTS):
        node = pending.popleft() if pending else None
        if isinstance(node, Sequence):
            pending.extend(node.items[:_LOOK_AT])
        elif isinstance(node, Mapping) and not node.flow:
            for key, value in node.entries[:_LOOK_AT]:
                if isinstance(value, Sequence) and not value.flow and value.items and value.anchor is None:
                    inset = _column(source, value) - _column(source, key)
                    return inset if 0 <= inset <= 8 else 0
                pending.append(value)
    return step


def _tight(text: str, mapping: Mapping) -> bool:
    """``{"a":1,"b":2}``: no blanks."""
    key, value = mapping.entries[0]
    return text[key.end : value.start] == ":" and not (
        len(mapping.entries) > 1 and text[mapping.entries[1][0].start - 1] in " \n\r\t"
    )


def _padding(text: str, mapping: Mapping) -> str:
    """The blank of ``{ a: 1 }``."""
    inside = text[body_start(text, mapping) + 1 : mapping.entries[0][0].start]
    return inside if inside.strip(" ") == "" else ""


def _common_quote(nodes: list[Node], strings_only: bool = False) -> str | None:
    """The quote that the neighbours use by habit: all of them, where none would have had to."""
    scalars = [n for n in nodes if isinstance(n, Scalar)]
    if strings_only:
        scalars = [n for n in scalars if n.kind is ScalarKind.STR and scalar(n.text, None) == n.text]
    quotes = {n.style for n in scalars}
    if len(quotes) == 1:
        quote = quotes.pop()
        return quote if quote in ("'", '"') else None
    return None
