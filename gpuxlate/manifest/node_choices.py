"""The labels and taints of nodes that an object names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpuxlate.manifest.pods import items, texts, values
from gpuxlate.model.diagnostics import Path
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.nodes import (
    Node,
    Scalar,
    Sequence,
    deref,
    entries_of,
    get,
    get_text,
)
from gpuxlate.yamltext.parse import Document

NODE_SELECTOR = "nodeSelector"

_REQUIREMENTS = "matchExpressions"

_OF_PODS = ("labelSelector", "namespaceSelector", "selector")
"""Fields whose requirements are about labels of pods and namespaces, not of nodes."""

_TAINTS = "tolerations"

_SPREAD = "topologyKey"

NODE_WORDS = (NODE_SELECTOR, _REQUIREMENTS, _TAINTS, _SPREAD)
"""A document without any of these chooses no nodes."""


class NodeChoice(NamedTuple):
    """A label of nodes with the values that are wanted, or a taint that is ``tolerated``.

    ``path`` leads to its name: to a key of a mapping where ``on_key``, else to a value.
    """

    name: str
    values: tuple[str, ...]
    path: Path
    on_key: bool = False
    tolerated: bool = False


def choices_in(document: Document, object_path: Path) -> Iterator[NodeChoice]:
    """Every label and taint of nodes that an object names: in its pods, and in what goes to them."""
    if not document.may_hold(*NODE_WORDS):
        return
    root = get(document.root, *object_path)
    pending: list[tuple[Path, Node]] = [(object_path, root)] if root is not None else []
    while pending:
        path, written = pending.pop()
        node = deref(written)
        if isinstance(node, nodes.Mapping):
            below = []
            for name, _, value, _ in entries_of(node):
                where = (*path, name)
                if name == NODE_SELECTOR:
                    for label, chosen in values(deref(value), where).items():
                        yield NodeChoice(label, (chosen.text,), chosen.path, on_key=True)
                elif name in (_REQUIREMENTS, _TAINTS):
                    yield from _listed(deref(value), where)
                elif name == _SPREAD and isinstance(deref(value), Scalar):
                    yield NodeChoice(get_text(node, name) or "", (), where)
                elif name not in _OF_PODS and not isinstance(value, Scalar):
                    below.append((where, value))
            pending.extend(reversed(below))
        elif isinstance(node, Sequence):
            pending.extend(((*path, n), node.items[n]) for n in range(len(node.items) - 1, -1, -1))


def _listed(node: Node, path: Path) -> Iterator[NodeChoice]:
    """The requirements or tolerations of a list."""
    tolerated = path[-1] == _TAINTS
    for number, entry in enumerate(map(deref, items(node))):
        name, value = get_text(entry, "key"), get_text(entry, "value")
        if name:
            label_values = ((value,) if value else ()) if tolerated else texts(get(entry, "values"))
            yield NodeChoice(name, label_values, (*path, number, "key"), tolerated=tolerated)
