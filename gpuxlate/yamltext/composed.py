"""Documents that libyaml composes in C: which of a text those are, and our nodes from the parser's.

It is faster than to compose them from events, but loses anchors, aliases and the tag ``!``. Documents that
may have these are composed from events, and so are those with errors, from which positions come.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

from yaml.nodes import MappingNode, ScalarNode

from gpuxlate.model import limits
from gpuxlate.model.declarations import regex
from gpuxlate.yamltext.nodes import MERGE, Mapping, Node, Scalar, Sequence
from gpuxlate.yamltext.ranges import ANCHOR, BANG, document_ranges

_COLUMNS = 256
"""Where no collection in block style begins farther right, at most twice as many are open in one another."""
_BRACKETS = 200
"""In one document: as many may be open in one another, and a pair in each."""
_INDENT = regex(r"[ \t]*(?:[-?:][ \t]+)*")
"""Behind this the last collection of a line begins that is in block style."""
_SIGNS = (("&", ANCHOR), ("*", ANCHOR), ("!", BANG))


class DocumentRange(NamedTuple):
    """Where a document is; ``composable``: libyaml's composer loses nothing of it.

    ``deep``: it may be too deep for the stack of C.
    """

    start: int
    end: int
    composable: bool
    deep: bool


class NeedsEventsError(ValueError):
    """The document needs to be composed from events."""


def parts(text: str, begin: int) -> Iterator[DocumentRange]:
    """The documents of a text with plain markers, from ``begin`` on, if it is valid."""
    signs = [sign for sign in _SIGNS if sign[0] in text]
    wide = not _narrow(text, begin)
    max_size = limits.MAX_NODES // 2  # a character may be two; and in large ones nothing is gained
    for start, _, end in document_ranges(text, begin):
        brackets = text.count("{", start, end) + text.count("[", start, end)
        composable = end - start <= max_size
        for letter, sign in signs:
            if text.find(letter, start, end) >= 0 and sign.search(text, start, end):
                composable = False
        yield DocumentRange(start, end, composable, wide or brackets > _BRACKETS)


def _narrow(text: str, start: int) -> bool:
    """No collection from ``start`` on begins far right of the beginning of its line, in block style."""
    while len(text) - start > _COLUMNS:
        end = text.rfind("\n", start, start + _COLUMNS)
        if end < 0:
            indent = _INDENT.match(text, start)
            end = text.find("\n", start + _COLUMNS)
            if indent and indent.end() - start > _COLUMNS and indent.end() != end:  # not blanks alone
                return False
            if end < 0:
                break
        start = end + 1
    return True


def is_composed(root: Node | None) -> bool:
    """libyaml composed it: without directives, anchors and aliases, which count beyond a part of it."""
    return root is not None and type(root._read) is MappingNode


def convert_composed(top: Any, part: DocumentRange, text: str) -> tuple[Node, list[Mapping]]:
    """Our nodes of those that libyaml composed, and the mappings that may have a key twice, as they end.

    Raises NeedsEventsError where a limit is exceeded, or the document is not where it was expected.
    """
    if not part.start <= top.start_mark.index <= part.end:
        raise NeedsEventsError
    below: list[Any] = []
    odd: list[Mapping] = []
    levels: list[list[Any]] = []
    root = _node(top, text, below)
    while below:
        levels.append(below)
        below = _below(below, text, odd)
    if len(levels) > limits.MAX_DEPTH or not _within(levels, part.end - part.start):
        raise NeedsEventsError
    odd.sort(key=lambda mapping: (mapping.end, -mapping.start))
    return root, odd


def _within(levels: list[list[Any]], size: int) -> bool:
    """A document of so many characters is within the limits of keys and of nodes."""
    if size < min(limits.MAX_KEY, limits.MAX_NODES // 4):  # a character may be two nodes with their ends
        return True
    events = 2
    for node in chain.from_iterable(levels):
        events += 1 + len(node.entry_nodes)
        if type(node) is Mapping:
            events += len(node.entries)
            if any(type(key) is Scalar and len(key.text) > limits.MAX_KEY for key, _ in node.entries):
                return False
    return events <= limits.MAX_NODES


def _below(level: list[Any], text: str, odd: list[Mapping]) -> list[Any]:
    """The collections in those of a level, which get their parts."""
    new, scalar, mapping = object.__new__, ScalarNode, MappingNode
    below: list[Any] = []
    key_node: Any
    held: Any
    for node in level:
        if type(node) is Sequence:
            node.items = items = []
            for value in node._read.value:
                if type(value) is mapping:
                    held = new(Mapping)
                    held._read = value
                    below.append(held)
                else:
                    held = _node(value, text, below)
                items.append(held)
            node._read.value = None
            continue
        node.entries = entries = []
        plain = {}
        for key, value in node._read.value:
            if type(key) is scalar and not key.style:
                key_node = new(Scalar)
                key_node._read = key
                key_node.style = None
                key_node.text = name = key.value
            else:
                key_node = _node(key, text, below)
                name = key_node.text if type(key_node) is Scalar else MERGE
            kind = type(value)
            if kind is scalar:
                held = new(Scalar)
                held._read = value
                held.text = value.value
                if style := value.style:
                    held.style = style
                    if style in "|>":
                        held.ends_in(text)
                else:
                    held.style = None
            else:
                held = new(Mapping if kind is mapping else Sequence)
                held._read = value
                below.append(held)
            plain[name] = entry = (key_node, held)
            entries.append(entry)
        node._read.value = None
        if len(plain) < len(entries) or MERGE in plain:
            odd.append(node)
        else:
            node._entries_by_key = plain
    return below


def _node(read: Any, text: str, below: list[Any]) -> Node:
    """Our node of one of libyaml's; a collection goes to those whose parts are still to come."""
    node: Any
    if type(read) is ScalarNode:
        node = object.__new__(Scalar)
        node._read = read
        node.text = read.value
        node.style = style = read.style or None
        if style and style in "|>":
            node.ends_in(text)
    else:
        node = object.__new__(Mapping if type(read) is MappingNode else Sequence)
        node._read = read
        below.append(node)
    collection: Node = node
    return collection
