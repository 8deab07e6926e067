"""Writes trees of dicts and lists as YAML in the many styles that people use."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

COMMENTS = (
    "keep in step with the chart",
    "see the runbook before changing this",
    "TODO: review after the migration",
    "measured under load",
    "owner: platform team",
    "显存按上线压测结果设置",
    "moved here from values.yaml",
)
_PLAIN = re.compile(r"[A-Za-z_/.][\w./@%+=-]*(?::[\w./@-]+)*( [\w./@-]+)*", re.ASCII)
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n", "."})


class Style:
    """How one document is written; every choice comes from ``rng``."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.indent = rng.choice((2, 2, 2, 4))
        self.item = rng.choice((0, 0, 2))  # columns of "- " beyond its key
        self.quotes = rng.choice(("plain", "plain", "plain", "single", "double", "mixed"))
        self.flow = rng.choice((0.0, 0.1, 0.3, 0.6))
        self.comments = rng.choice((0.0, 0.0, 0.02, 0.06))
        self.blank = rng.choice((0.0, 0.0, 0.05))
        self.quoted_keys = rng.random() < 0.05
        self.order = rng.choice(("as made", "as made", "sorted", "shuffled"))

    def text(self, tree: dict[str, Any]) -> str:
        """The document, ending in a line break."""
        if self.rng.random() < 0.02:
            return json.dumps(tree, indent=self.indent, sort_keys=self.order == "sorted") + "\n"
        head = [f"# {self.rng.choice(COMMENTS)}"] if self.rng.random() < 2 * self.comments else []
        return "\n".join([*head, *self.mapping(tree, 0)]) + "\n"

    def mapping(self, tree: dict[str, Any], column: int) -> Iterator[str]:
        """The lines of a block mapping."""
        keys = list(tree)
        if self.order == "sorted":
            keys.sort()
        elif self.order == "shuffled":
            self.rng.shuffle(keys)
        pad = " " * column
        for key in keys:
            if column and self.rng.random() < self.blank:
                yield ""
            if self.rng.random() < self.comments / 2:
                yield f"{pad}# {self.rng.choice(COMMENTS)}"
            first, *rest = self.value(tree[key], column)
            yield f"{pad}{self.key(key)}:{first}"
            yield from rest

    def value(self, value: Any, column: int) -> Iterator[str]:
        """What follows the colon, then the lines below it."""
        if isinstance(value, str) and "\n" in value:
            yield f" {self.rng.choice('||>')}{'' if value.endswith(chr(10)) else '-'}"
            yield from (" " * (column + self.indent) + line for line in value.splitlines())
        elif self.is_short(value):
            comment = self.rng.random() < self.comments
            yield f" {self.short(value)}" + (f"  # {self.rng.choice(COMMENTS)}" if comment else "")
        elif isinstance(value, dict):
            yield ""
            yield from self.mapping(value, column + self.indent)
        else:
            yield ""
            for item in value:
                yield from self.list_item(item, column + self.item)

    def list_item(self, item: Any, column: int) -> Iterator[str]:
        """The lines of one item of a block sequence."""
        if isinstance(item, dict) and item and not self.is_short(item):
            lines = self.mapping(item, column + 2)
            first = next(lines)
            while not first.strip() or first.lstrip().startswith("#"):
                yield first
                first = next(lines)
            yield " " * column + "- " + first[column + 2 :]
            yield from lines
        elif isinstance(item, dict):
            yield " " * column + "- " + self.short(item)
        else:
            first, *rest = self.value(item, column)
            yield " " * column + "-" + first
            yield from rest

    def is_short(self, value: Any) -> bool:
        """It is written on the line of its key: a scalar, or a small collection in flow style."""
        if not isinstance(value, dict | list):
            return True
        return not value or (
            self.rng.random() < self.flow and len(json.dumps(value)) < 70 and "\\n" not in json.dumps(value)
        )

    def short(self, value: Any) -> str:
        """A scalar, or a collection in flow style."""
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.key(key)}: {self.short(one)}" for key, one in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.short, value)) + "]"
        return self.scalar(value)

    def key(self, key: str) -> str:
        """A key of a mapping."""
        return json.dumps(key) if self.quoted_keys else key

    def scalar(self, value: Any) -> str:
        """A string in quotes where it needs them, or where the style has them."""
        if not isinstance(value, str):
            return json.dumps(value)
        quotes = self.rng.choice(("plain", "single", "double")) if self.quotes == "mixed" else self.quotes
        plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
        if plain and (quotes == "plain" or self.rng.random() < 0.5):
            return value
        return "'" + value.replace("'", "''") + "'" if quotes == "single" else json.dumps(value)
