"""What is read of a text, in full, and which of its documents libyaml composes."""

from typing import Any

import pytest

from gpuxlate.yamltext import parse
from gpuxlate.yamltext.nodes import Alias, Mapping, Node, Scalar, Sequence
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.source import Source

Facts = tuple[Any, ...]


def facts(node: Node | None, numbers: dict[int, int]) -> Facts:
    """All that a node and those below it say; ``numbers`` gets a number for each, by its identity."""
    if node is None or id(node) in numbers:
        return (numbers.get(id(node)),)
    numbers[id(node)] = len(numbers)
    own = (type(node), node.start, node.end, node.anchor, node.tag, node.marks)
    if isinstance(node, Scalar):
        return (*own, node.text, node.style, node.kind, node.empty)
    if isinstance(node, Mapping):
        entries = [(facts(key, numbers), facts(value, numbers)) for key, value in node.entries]
        plain = node.entries_by_key
        named = plain and [(name, *(numbers[id(one)] for one in entry)) for name, entry in plain.items()]
        return (*own, node.flow, entries, named)
    if isinstance(node, Sequence):
        return (*own, node.flow, [facts(one, numbers) for one in node.items])
    assert isinstance(node, Alias)
    return (*own, facts(node.target, numbers))


def told(text: str) -> list[Facts]:
    """What is read of a text: its documents, and the error behind them."""
    found: list[Facts] = []
    try:
        for one in documents(Source("f", text)):
            numbers: dict[int, int] = {}
            root = facts(one.root, numbers)
            repeated = [(numbers[id(mapping)], numbers[id(key)]) for mapping, key in one.repeated]
            aliases = [numbers[id(alias)] for alias in one.aliases]
            found.append((one.index, one.start, one.end, root, repeated, aliases))
    except NotYamlError as error:
        found.append((type(error), error.message, error.index, error.problem, getattr(error, "hint", None)))
    return found


def told_by_events(text: str) -> list[Facts]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse, "parts", lambda *_: None)
        return told(text)


def from_events(text: str) -> list[int]:
    """The numbers of the documents that libyaml does not compose."""
    found: list[int] = []
    read = parse._Composer._from_events

    def counted(composer: Any, index: int) -> parse.Document | None:
        document = read(composer, index)
        if document is not None:
            found.append(index)
        return document

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse._Composer, "_from_events", counted)
        told(text)
    return found
