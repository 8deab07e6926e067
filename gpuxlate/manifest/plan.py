"""From edits at paths to a plan for each mapping and list of the document."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gpuxlate.claims import Append, Edit, Path, Put, Remove, Rename
from gpuxlate.manifest.compose import Document
from gpuxlate.manifest.nodes import Alias, Mapping, Node, Scalar, Sequence, deref, entries_of


class EditError(ValueError):
    """The edits cannot be made in this text; ``code`` names the rule where there is one."""

    def __init__(self, message: str, path: Path, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.code = code


@dataclass(slots=True)
class NodePlan:
    """What happens to one mapping or list. Keys of the dicts are identities of key or item nodes."""

    node: Mapping | Sequence
    ancestors: list[Node]
    removed: set[int] = field(default_factory=set)
    values: dict[int, Any] = field(default_factory=dict)  # new value of an entry
    keys: dict[int, str] = field(default_factory=dict)  # new key of an entry
    added: dict[str, Any] = field(default_factory=dict)  # new entries of a mapping
    appended: list[Any] = field(default_factory=list)  # new items of a list


Plans = dict[int, NodePlan]


def make_plan(document: Document, edits: Iterable[Edit]) -> Plans:
    """Raises EditError where an edit has no place, or would change what others share (GX005)."""
    planner = _Planner(document)
    for edit in dict.fromkeys(_hashable(edit) for edit in edits):
        planner.add(edit.edit)
    planner.check_shared()
    planner.prune()
    return planner.plans


@dataclass(frozen=True, slots=True)
class _hashable:  # noqa: N801 - a wrapper that makes edits with lists and dicts hashable
    edit: Edit

    def __hash__(self) -> int:
        return hash(repr(self.edit))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _hashable) and self.edit == other.edit


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a path leads: the deepest existing node, the steps that are missing below it."""

    owner: Mapping | Sequence  # what holds the entry physically: a merged mapping, say
    handle: Node  # the key node of the entry, or the item
    value: Node
    ancestors: tuple[Node, ...]
    rest: Path


class _Planner:
    def __init__(self, document: Document) -> None:
        self._document = document
        self.plans: Plans = {}
        self._parents: dict[int, tuple[Mapping | Sequence, Node, list[Node]]] = {}
        self._targets = Counter(id(alias.target) for alias in document.aliases)
        self._shared: dict[tuple[int, str], set[Path]] = defaultdict(set)

    def add(self, edit: Edit) -> None:
        spot = self._find(edit.path)
        self._note_shared(edit, spot)
        match edit:
            case Remove():
                if not spot.rest:
                    self._plan(spot.owner, spot.ancestors).removed.add(id(spot.handle))
            case Rename(_, key, value):
                if spot.rest:
                    raise EditError("there is no such entry to rename", edit.path)
                plan = self._plan(spot.owner, spot.ancestors)
                plan.keys[id(spot.handle)] = key
                plan.values[id(spot.handle)] = value
            case Put(_, value):
                self._put(spot, value, edit.path)
            case Append(_, value):
                if spot.rest:
                    self._put(spot, [value], edit.path)
                else:
                    sequence = deref(spot.value)
                    if not isinstance(sequence, Sequence):
                        raise EditError("there is no list here", edit.path)
                    self._plan(sequence, (*spot.ancestors, sequence)).appended.append(value)

    def _put(self, spot: _Spot, value: Any, path: Path) -> None:
        if not spot.rest:
            self._plan(spot.owner, spot.ancestors).values[id(spot.handle)] = value
            return
        inner = deref(spot.value)
        nested = _nest(spot.rest[1:], value)
        name = spot.rest[0]
        if isinstance(inner, Mapping) and isinstance(name, str):
            self._note_merge_override(inner, name, path)
            plan = self._plan(inner, (*spot.ancestors, inner))
            plan.added[name] = _merge(plan.added.get(name), nested)
        elif isinstance(inner, Scalar) and inner.text == "" and inner.style is None:
            plan = self._plan(spot.owner, spot.ancestors)
            plan.values[id(spot.handle)] = _merge(plan.values.get(id(spot.handle)), {name: nested})
        else:
            raise EditError("something else than a mapping stands here", path)

    def _note_merge_override(self, mapping: Mapping, name: str, path: Path) -> None:
        if any(found == name for found, *_ in entries_of(mapping)):
            raise EditError(f"{name} is there already", path)

    def _find(self, path: Path) -> _Spot:
        root = self._document.root
        if root is None or not isinstance(deref(root), Mapping):
            raise EditError("the document holds no mapping", path)
        node: Node = root
        ancestors: list[Node] = [deref(root)]
        spot = _Spot(deref(root), root, root, tuple(ancestors), path)  # type: ignore[arg-type]
        for depth, step in enumerate(path):
            here = deref(node)
            if isinstance(here, Mapping):
                entry = next((e for e in entries_of(here) if e[0] == step), None)
                if entry is None:
                    break
                _, handle, value, owner = entry
                holder: Mapping | Sequence = owner
            elif isinstance(here, Sequence) and isinstance(step, int) and 0 <= step < len(here.items):
                handle = value = here.items[step]
                holder = here
            else:
                break
            if holder is not here:
                ancestors.append(holder)
            self._parents.setdefault(id(deref(value)), (holder, handle, list(ancestors)))
            spot = _Spot(holder, handle, value, tuple(ancestors), path[depth + 1 :])
            node = value
            ancestors = [*ancestors, deref(value)]
        return spot

    def _plan(self, node: Mapping | Sequence, ancestors: Iterable[Node]) -> NodePlan:
        return self.plans.setdefault(id(node), NodePlan(node, list(ancestors)))

    # -- anchors -------------------------------------------------------------------------------

    def _note_shared(self, edit: Edit, spot: _Spot) -> None:
        if not self._targets:
            return
        for ancestor in (*spot.ancestors, deref(spot.value)):
            if id(ancestor) in self._targets and not (ancestor is deref(spot.value) and not spot.rest):
                what = repr((type(edit), edit.path[-1], getattr(edit, "key", ""), getattr(edit, "value", "")))
                self._shared[(id(ancestor), what)].add(edit.path)
                return
        if isinstance(spot.value, Alias) and not spot.rest:
            raise EditError("the value is an alias", edit.path, "GX005")
        if id(deref(spot.value)) in self._targets and not spot.rest:
            raise EditError("the value stands behind an anchor that others use", edit.path, "GX005")

    def check_shared(self) -> None:
        """Every way to reach a shared node must ask for the same edit."""
        for (node, _), paths in self._shared.items():
            if len(paths) != self._targets[node] + 1:
                raise EditError(
                    "an anchor, alias or merge key shares this with something that is not changed alike",
                    min(paths, key=repr),
                    "GX005",
                )

    # -- pruning -------------------------------------------------------------------------------

    def prune(self) -> None:
        """What a removal empties goes with it, up to the pod."""
        pending = [plan for plan in self.plans.values() if plan.removed]
        while pending:
            plan = pending.pop()
            if plan.added or plan.appended or not _all_removed(plan):
                continue
            parent = self._parents.get(id(plan.node))
            if parent is None:
                continue
            owner, handle, ancestors = parent
            above = self._plan(owner, ancestors)
            if id(handle) not in above.removed:
                above.removed.add(id(handle))
                pending.append(above)


def _all_removed(plan: NodePlan) -> bool:
    node = plan.node
    handles = [key for key, _ in node.entries] if isinstance(node, Mapping) else node.items
    return all(id(handle) in plan.removed for handle in handles)


def _nest(steps: Path, value: Any) -> Any:
    for step in reversed(steps):
        value = {step: value}
    return value


def _merge(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{k: _merge(old.get(k), v) for k, v in new.items()}}
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *new]
    return new
