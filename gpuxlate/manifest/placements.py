"""The labels and taints of nodes that an object names, wherever its kind has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpuxlate.manifest.facts import NODE_SELECTOR
from gpuxlate.manifest.pod_keys import items, values
from gpuxlate.model.pod import Path
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, deref, entries_of, get, get_text

_REQUIREMENTS = "matchExpressions"
_OF_PODS = ("labelSelector", "namespaceSelector", "selector")
"""Fields whose requirements are about labels of pods and namespaces, not of nodes."""
_TAINTS = "tolerations"
_SPREAD = "topologyKey"


WORDS = (NODE_SELECTOR, _REQUIREMENTS, _TAINTS, _SPREAD)
"""A document without any of these chooses no nodes."""


class Choice(NamedTuple):
    """A label of nodes with the values that are wanted, or a taint that is ``tolerated``.

    ``path`` leads to its name: to a key of a mapping where ``on_key``, else to a value.
    """

    name: str
    values: tuple[str, ...]
    path: Path
    on_key: bool = False
    tolerated: bool = False


def choices_in(document: Document, object_path: Path) -> Iterator[Choice]:
    """Every label and taint of nodes that an object names: in its pods, and in what goes to them."""
    if not document.holds(*WORDS, "\\"):
        return
    root = get(document.root, *object_path)
    pending: list[tuple[Path, Node]] = [(object_path, root)] if root is not None else []
    while pending:
        path, written = pending.pop()
        node = deref(written)
        if isinstance(node, Mapping):
            below = []
            for name, _, value, _ in entries_of(node):
                where = (*path, name)
                if name == NODE_SELECTOR:
                    yield from _selected(deref(value), where)
                elif name == _REQUIREMENTS:
                    yield from _required(deref(value), where)
                elif name == _TAINTS:
                    yield from _tolerated(deref(value), where)
                elif name == _SPREAD and isinstance(deref(value), Scalar):
                    yield Choice(get_text(node, name) or "", (), where)
                elif name not in _OF_PODS and not isinstance(value, Scalar):
                    below.append((where, value))
            pending.extend(reversed(below))
        elif isinstance(node, Sequence):
            pending.extend(((*path, n), node.items[n]) for n in range(len(node.items) - 1, -1, -1))


def _selected(node: Node, path: Path) -> Iterator[Choice]:
    for name, value in values(node, path).items():
        yield Choice(name, (value.text,), value.path, on_key=True)


def _required(node: Node, path: Path) -> Iterator[Choice]:
    for number, one in enumerate(items(node)):
        name = get_text(deref(one), "key")
        if name:
            wanted = tuple(v.text for v in map(deref, items(get(one, "values"))) if isinstance(v, Scalar))
            yield Choice(name, wanted, (*path, number, "key"))


def _tolerated(node: Node, path: Path) -> Iterator[Choice]:
    for number, one in enumerate(items(node)):
        name, value = get_text(deref(one), "key"), get_text(deref(one), "value")
        if name:
            yield Choice(name, (value,) if value else (), (*path, number, "key"), tolerated=True)
