"""Applying edits to a document: plan, splice, and read the result again to be sure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gpuxlate.claims import Edit, Kind
from gpuxlate.manifest.compose import Document, NotYamlError, documents
from gpuxlate.manifest.nodes import Alias, Mapping, Node, Scalar, Sequence
from gpuxlate.manifest.plan import EditError, NodePlan, Plans, make_plan
from gpuxlate.manifest.source import Source
from gpuxlate.manifest.splice import Splice, splices

__all__ = ["EditError", "Splice", "apply", "edit_document"]


def edit_document(document: Document, edits: Iterable[Edit]) -> list[Splice]:
    """The splices that make the edits, checked. Raises EditError; nothing is changed by then."""
    plans = make_plan(document, edits)
    made = splices(document, plans)
    _verify(document, plans, made)
    return made


def apply(text: str, made: Iterable[Splice]) -> str:
    """The text with its splices made."""
    parts: list[str] = []
    at = 0
    for splice in sorted(made):
        parts += [text[at : splice.start], splice.text]
        at = splice.end
    return "".join([*parts, text[at:]])


def _verify(document: Document, plans: Plans, made: list[Splice]) -> None:
    """Read the new text of the document: it must differ at the intended places only."""
    moved = [Splice(s.start - document.start, s.end - document.start, s.text) for s in made]
    text = apply(document.text, moved)
    try:
        found = list(documents(Source(document.source.name, text)))
    except NotYamlError as error:
        raise EditError(f"the result would be no YAML ({error.message})", ()) from None
    root = found[0].root if found else None
    if len(found) != 1 or _tree(root, {}) != _tree(document.root, plans):
        raise EditError("the result would differ elsewhere too; nothing is written", ())


def _tree(node: Node | None, plans: Plans) -> Any:
    """A document as comparable data, with a plan carried out on it."""
    if node is None:
        return None
    if isinstance(node, Alias):
        return ("alias", node.anchor)
    if isinstance(node, Scalar):
        text = node.text
        return ("scalar", str(node.kind), text, node.anchor, node.tag)
    plan = plans.get(id(node))
    if isinstance(node, Mapping):
        entries = [_entry(key, value, plan, plans) for key, value in node.entries]
        added = [(_made(k), _made(v)) for k, v in plan.added.items()] if plan else []
        pairs = [*(entry for entry in entries if entry), *added]
        return ("mapping", sorted(pairs, key=repr), node.anchor, node.tag)
    assert isinstance(node, Sequence)
    items = [_item(item, plan, plans) for item in node.items if not (plan and id(item) in plan.removed)]
    return ("sequence", [*items, *(_made(v) for v in (plan.appended if plan else []))], node.anchor, node.tag)


def _item(item: Node, plan: NodePlan | None, plans: Plans) -> Any:
    if plan and id(item) in plan.values:
        return _made(plan.values[id(item)])
    return _tree(item, plans)


def _entry(key: Node, value: Node, plan: NodePlan | None, plans: Plans) -> tuple[Any, Any] | None:
    if plan and id(key) in plan.removed:
        return None
    name = _made(plan.keys[id(key)]) if plan and id(key) in plan.keys else _tree(key, plans)
    if plan and id(key) in plan.values:
        return name, _made(plan.values[id(key)])
    return name, _tree(value, plans)


def _made(value: Any) -> Any:
    """New data in the same form."""
    if isinstance(value, dict):
        return ("mapping", sorted(((_made(k), _made(v)) for k, v in value.items()), key=repr), None, None)
    if isinstance(value, (list, tuple)):
        return ("sequence", [_made(item) for item in value], None, None)
    if isinstance(value, bool):
        return ("scalar", str(Kind.BOOL), "true" if value else "false", None, None)
    kind = Kind.INT if isinstance(value, int) else Kind.STR
    return ("scalar", str(kind), str(value), None, None)
