"""Writing new keys and values in the hand of the file: quotes, indentation, flow or block."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gpuxlate.claims import Kind
from gpuxlate.manifest.nodes import Mapping, Node, Scalar, Sequence, deref, resolve_plain
from gpuxlate.manifest.source import Source

_PLAIN_SAFE = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+=@%^~ -]*")


@dataclass(frozen=True, slots=True)
class Style:
    """How a document is written.

    ``step``: columns of indentation; ``dash``: how far a block list's dash stands in from its key;
    ``quote_keys`` and ``quote_values``: the quote that neighbours use, or None for bare.
    """

    step: int = 2
    dash: int = 0
    quote_keys: str | None = None
    quote_values: str | None = None
    newline: str = "\n"

    def key(self, text: str) -> str:
        """A key as text."""
        return quoted(text, self.quote_keys) if self.quote_keys else scalar(text, None)

    def value(self, value: Any) -> str:
        """A scalar value as text: an int bare, a str as a string."""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value)
        return scalar(str(value), self.quote_values)

    def flow(self, value: Any) -> str:
        """A value in flow style on one line."""
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.key(k)}: {self.flow(v)}" for k, v in value.items()) + "}"
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(self.flow(item) for item in value) + "]"
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
        and resolve_plain(text) is Kind.STR
    )
    return text if safe else json.dumps(text, ensure_ascii=False)


def style_at(source: Source, path_nodes: list[Node]) -> Style:
    """The style of the file round a node; ``path_nodes`` lead from the root down to it."""
    column = [source.position(node.start)[1] - 1 for node in path_nodes]
    blocks = [
        (n, c) for n, c in zip(path_nodes, column, strict=True) if isinstance(n, Mapping) and not n.flow
    ]
    step = next(
        (
            inner - outer
            for (_, outer), (node, inner) in reversed(list(itertools.pairwise(blocks)))
            if 0 < inner - outer <= 8 and not _after_dash(source, node)
        ),
        2,
    )
    nearest = [node for node in reversed(path_nodes) if isinstance(node, Mapping)]
    keys = _common_quote([key for node in nearest[:2] for key, _ in node.entries])
    values = _common_quote([value for node in nearest[:1] for _, value in node.entries], strings_only=True)
    if keys == '"' and nearest and nearest[0].flow:
        values = '"'  # JSON
    return Style(step, _dash(source, path_nodes, step), keys, values, source.newline)


def _after_dash(source: Source, node: Node) -> bool:
    line, column = source.position(node.start)
    return "-" in source.line_text(line)[: column - 1]


def _dash(source: Source, path_nodes: list[Node], step: int) -> int:
    """How far block lists stand in: from one on the way down, else any in the document."""
    pending: list[Node] = list(reversed(path_nodes))
    looked = 0
    while pending and looked < 400:
        node = deref(pending.pop(0))
        looked += 1
        if isinstance(node, Mapping):
            for key, value in node.entries:
                if isinstance(value, Sequence) and not value.flow and value.items:
                    inset = source.position(value.start)[1] - source.position(key.start)[1]
                    return inset if 0 <= inset <= 8 else 0
                pending.append(value)
        elif isinstance(node, Sequence):
            pending.extend(node.items)
    return step


def _common_quote(nodes: list[Node], *, strings_only: bool = False) -> str | None:
    """The quote of the neighbours, where they all use one."""
    scalars = [n for n in nodes if isinstance(n, Scalar)]
    if strings_only:
        scalars = [n for n in scalars if n.kind is Kind.STR]
    quotes = {n.style for n in scalars}
    if len(quotes) == 1:
        found = quotes.pop()
        return found if found in ("'", '"') else None
    return None
