"""What the edits of a document change in each of its mappings and lists, before any text is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from gpuxlate.model.diagnostics import Append, Edit, Path, Put, Remove, Rename, merged_values, nest
from gpuxlate.model.errors import UserError
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ScalarKind
from gpuxlate.yamltext.nodes import (
    Alias,
    AnchorUses,
    Mapping,
    Node,
    NodeUse,
    Scalar,
    Sequence,
    SharingError,
    children,
    deref,
    entry_of,
    get,
    walk,
)
from gpuxlate.yamltext.parse import Document


class EditError(UserError, ValueError):
    """The edits cannot be made in this text; ``code`` names the rule where there is one."""

    def __init__(self, message: str, path: Path, code: str | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.code = code


@dataclass(slots=True)
class NodePlan:
    """What happens to one mapping or list. Keys of the dicts are key or item nodes."""

    node: Mapping | Sequence
    ancestors: tuple[Node, ...]  # from the root down to the node itself
    path: Path = ()  # of the first edit that changes it
    removed: set[Node] = field(default_factory=set)
    values: dict[Node, Any] = field(default_factory=dict)  # new value of an entry
    keys: dict[Node, str] = field(default_factory=dict)  # new key of an entry
    added: dict[str, Any] = field(default_factory=dict)  # new entries of a mapping
    appended: list[Any] = field(default_factory=list)  # new items of a list
    kept: bool = False  # it stays where it is emptied

    def numbers(self, entry_nodes: Iterable[Node]) -> list[int]:
        """The numbers of some entries, in order: a plan takes no look at all others."""
        return sorted(map(self.node.entry_numbers.__getitem__, entry_nodes))

    def pairs(self, entry_nodes: Iterable[Node]) -> list[tuple[Node, Node]]:
        """Key and value of some entries, in order; of a list the item twice."""
        return [self.node.entry(number) for number in self.numbers(entry_nodes)]


Plans = dict[Node, NodePlan]


def make_plan(document: Document, edits: Iterable[Edit], kept: Iterable[Path] = ()) -> Plans:
    """Raises EditError for a path that is not there, or that shares its value with others (GX005).

    ``kept``: mappings and lists that stay where they are emptied.
    """
    planner = _Planner(document, frozenset(get(document.root, *path) for path in kept))
    for edit in edits:
        planner.add(edit)
    planner.check_names()
    planner.prune()
    if planner.removed_names:
        planner.check_gone()
    if document.aliases:
        planner.check_shared()
        planner.check_anchored()
    return planner.plans


class ResolvedPath(NamedTuple):
    """Where a path leads: the deepest entry on it that there is, and the steps that are missing below."""

    owner: Mapping | Sequence  # what holds the entry physically: a merged mapping, say
    named: Mapping | Sequence  # what the path names: it holds or merges the entry
    entry_node: Node  # the key node of the entry, or the item
    step: str | int
    value: Node
    ancestors: tuple[Node, ...]  # down to the owner
    missing: Path

    @property
    def is_blank(self) -> bool:
        """Nothing is there yet: no value, ``null``, or empty braces in a block file."""
        node = self.value
        if isinstance(node, Scalar):
            return node.kind is ScalarKind.NULL and self.entry_node is not self.owner
        if isinstance(node, (Mapping, Sequence)):
            empty = not (node.entries if isinstance(node, Mapping) else node.items)
            plain = node.anchor is None and node.tag is None
            return empty and plain and isinstance(self.owner, Mapping) and not self.owner.flow
        return False


@dataclass(slots=True)
class _Change:
    """One change of the text, and the paths of the edits that ask for it, each as often as it does."""

    holder: Mapping | Sequence
    step: str | int
    paths: Counter[Path] = field(default_factory=Counter)


class _Planner:
    def __init__(self, document: Document, kept: frozenset[Node | None]) -> None:
        self._document = document
        self._kept = kept
        self.plans: Plans = {}
        # by node: the entries through which edits reached it
        self._reached: dict[Node, dict[Node, ResolvedPath]] = {}
        self._changes: dict[tuple[Any, ...], _Change] = {}
        self.removed_names: list[tuple[Mapping, str, Path]] = []  # names that a mapping is to lose
        self._path: Path = ()  # of the edit at hand

    @cached_property
    def _sharing(self) -> AnchorUses:
        return AnchorUses(self._document.root)

    def add(self, edit: Edit) -> None:
        """Plan an edit. Of a removal, nothing where its entry is not there. Raises EditError."""
        self._path = edit.path
        place = self._resolve(edit.path)
        if isinstance(edit, Remove) and place.missing:
            return
        if isinstance(edit, Rename) and place.missing:
            raise EditError("no such entry to rename", edit.path)
        if any(isinstance(step, int) for step in place.missing):
            raise EditError("no such item", edit.path)
        if isinstance(edit, Remove) or (isinstance(edit, Rename) and edit.key != place.step):
            self._forget(place, edit.path)
        holder, step = _changed_entry(place, edit)
        new = repr(getattr(edit, "value", None)), getattr(edit, "key", None)
        missing = place.missing[1:] if holder is deref(place.value) else place.missing
        change = (type(edit), holder, step, missing, *new)
        paths = self._changes.setdefault(change, _Change(holder, step)).paths
        before = max(paths.values(), default=0)
        # another path to the same place asks for the same change; the same path for one more item
        paths[edit.path] = paths[edit.path] + 1 if isinstance(edit, Append) else 1
        if paths[edit.path] > before:
            self._apply(edit, place)

    def _apply(self, edit: Edit, place: ResolvedPath) -> None:
        match edit:
            # the entry goes, and with it a mapping or list that this empties (prune)
            case Remove():
                self._plan(place).removed.add(place.entry_node)
            # in the same place; no other entry may have its new key (check_names)
            case Rename(_, key, value):
                if key != place.step:
                    self._plan(place).keys[place.entry_node] = key
                self._replace(place, value)
            # another value; its anchor stays, so all aliases have to change alike (check_anchored)
            case Put(_, value) if not place.missing:
                self._replace(place, value)
            # a new entry, with the mappings on the way to it: never in a list, or in place of a value
            case Put(path, value):
                self._fill(place, nest(place.missing, value), path)
            # a new list with this item, where there is none
            case Append(path, value) if place.missing or place.is_blank:
                self._fill(place, nest(place.missing, [value]), path)
            # behind the last item, also of those that were appended before
            case Append(path, value):
                items = deref(place.value)
                if not isinstance(items, Sequence):
                    raise EditError("not a list", path)
                self._plan_of(items, (*place.ancestors, items)).appended.append(value)

    def _replace(self, place: ResolvedPath, value: Any) -> None:
        if not _has_value(place.value, value):
            self._plan(place).values[place.entry_node] = value

    def _fill(self, place: ResolvedPath, value: Any, path: Path) -> None:
        """Write a value with all missing steps into what is blank, or into a mapping without that entry."""
        mapping = deref(place.value)
        if place.is_blank:
            values = self._plan(place).values
            values[place.entry_node] = merged_values(values.get(place.entry_node), value)
        elif isinstance(mapping, Mapping) and isinstance(name := place.missing[0], str):
            plan = self._plan_of(mapping, (*place.ancestors, mapping))
            plan.added[name] = merged_values(plan.added.get(name), value[name])
        else:
            raise EditError("not a mapping", path)

    def _resolve(self, path: Path) -> ResolvedPath:
        root = self._document.root
        if not isinstance(root, (Mapping, Sequence)):
            raise EditError("the document is not a mapping or a list", path)
        ancestors: tuple[Node, ...] = ()
        place = ResolvedPath(root, root, root, "", root, ancestors, path)
        current: Node = root
        for depth, step in enumerate(path):
            if isinstance(current, Mapping):
                entry = entry_of(current, step)
                if entry is None:
                    break
                entry_node, value, owner = entry
                holder: Mapping | Sequence = owner
            elif isinstance(current, Sequence) and isinstance(step, int) and 0 <= step < len(current.items):
                entry_node = value = current.items[step]
                holder = current
            else:
                break
            ancestors = (*ancestors, current) if holder is current else (*ancestors, current, holder)
            place = ResolvedPath(holder, current, entry_node, step, value, ancestors, path[depth + 1 :])
            current = deref(value)
            self._reached.setdefault(current, {})[entry_node] = place
        return place

    def _plan(self, place: ResolvedPath) -> NodePlan:
        if place.owner is place.entry_node:
            raise EditError("the document itself is not an entry", ())
        return self._plan_of(place.owner, place.ancestors)

    def _plan_of(self, node: Mapping | Sequence, ancestors: tuple[Node, ...]) -> NodePlan:
        return self.plans.setdefault(node, NodePlan(node, ancestors, self._path))

    # -- names ---------------------------------------------------------------------------------

    def check_names(self) -> None:
        """Check that no new key exists already. Raises EditError."""
        for plan in self.plans.values():
            if not (plan.keys or plan.added) or not isinstance(plan.node, Mapping):
                continue
            renamed = (name for key, name in plan.keys.items() if key not in plan.removed)
            names = Counter([*renamed, *plan.added])
            changed = plan.removed | plan.keys.keys()
            for name in names:
                givers = plan.node.sources_of.get(name, ())
                staying = sum(owner is None and key not in changed for key, owner in givers)
                if names[name] + staying > 1:
                    raise EditError(msg("{name} already exists", name=name), self._path_to(plan, name))

    def _path_to(self, plan: NodePlan, name: str) -> Path:
        paths = [
            path for change in self._changes.values() if change.holder is plan.node for path in change.paths
        ]
        return min(paths, key=lambda path: (path[-1] != name, repr(path)), default=())

    def _forget(self, place: ResolvedPath, path: Path) -> None:
        if isinstance(place.named, Mapping):
            self.removed_names.append((place.named, str(place.step), path))

    def check_gone(self) -> None:
        """Check that no earlier entry or merged mapping sets a removed key again. Raises EditError."""
        for mapping, name, path in self.removed_names:
            for key, owner in mapping.sources_of.get(name, ()):
                plan = self.plans.get(mapping if owner is None else owner)
                if plan is None or not (key in plan.removed or key in plan.keys):
                    twice = owner is None
                    why = "it is given twice" if twice else "a merge key brings it back"
                    raise EditError(
                        msg("{name} would remain: {why}", name=name, why=why),
                        path,
                        None if twice else "GX005",
                    )

    # -- anchors -------------------------------------------------------------------------------

    def check_shared(self) -> None:
        """Every path that leads to a changed entry must ask for the same change."""
        for change in self._changes.values():
            try:
                ways = self._sharing.ways(change.holder, change.step)
            except SharingError:
                ways = 0
            if len(change.paths) != ways or len({*change.paths.values()}) > 1:
                raise EditError(
                    "an anchor, alias or merge key shares this with an entry that changes differently",
                    min(change.paths, key=repr),
                    "GX005",
                )

    def check_anchored(self) -> None:
        """A value with an anchor changes for all of its aliases or not at all."""
        gone = gone_nodes(self.plans)
        for plan in self.plans.values():
            for key, _ in plan.pairs(plan.keys):
                if key.anchor and self._sharing.uses[key]:
                    raise EditError("an alias uses this key elsewhere", self._path_of([]), "GX005")
        for target in dict.fromkeys(alias.target for alias in self._document.aliases):
            uses = [use for use in self._sharing.uses[target] if use.written not in gone]
            new = [self.plans[u.holder].values[u.entry_node] for u in uses if self._has_new_value(u)]
            alike = not new or (len(new) == len(uses) and all(value == new[0] for value in new))
            if not alike or (uses and target in gone):
                message = msg("the anchor &{name} is used elsewhere too", name=target.anchor)
                raise EditError(message, self._path_of(uses), "GX005")
            for use in uses:
                if self._has_new_value(use) and isinstance(use.written, Alias):
                    del self.plans[use.holder].values[use.entry_node]  # it follows its anchor

    def _has_new_value(self, use: NodeUse) -> bool:
        plan = self.plans.get(use.holder)
        return plan is not None and use.entry_node in plan.values

    def _path_of(self, uses: list[NodeUse]) -> Path:
        holders = {use.holder for use in uses}
        paths = [
            path for change in self._changes.values() if change.holder in holders for path in change.paths
        ]
        return min(
            paths or [p for change in self._changes.values() for p in change.paths], key=repr, default=()
        )

    # -- pruning -------------------------------------------------------------------------------

    def prune(self) -> None:
        """Remove the mappings and lists that removals empty."""
        pending = [plan for plan in self.plans.values() if plan.removed]
        while pending:
            plan = pending.pop()
            if plan.added or plan.appended or len(plan.removed) < len(plan.node.entry_numbers):
                continue
            if plan.node in self._kept:
                plan.kept = True
                continue
            for place in self._reached.get(plan.node, {}).values():
                above = self._plan(place)
                if place.entry_node not in above.removed:
                    above.removed.add(place.entry_node)
                    self._forget(place, above.path)
                    pending.append(above)


def _changed_entry(place: ResolvedPath, edit: Edit) -> tuple[Mapping | Sequence, str | int]:
    """The mapping or list that an edit changes physically, and the entry of it."""
    inner = deref(place.value)
    if isinstance(inner, (Mapping, Sequence)) and not place.is_blank:
        if place.missing:
            return inner, place.missing[0]
        if isinstance(edit, Append):
            return inner, len(inner.items) if isinstance(inner, Sequence) else ""
    return place.owner, place.step


def _has_value(node: Node, value: Any) -> bool:
    """The node has this value already."""
    node = deref(node)
    if not isinstance(node, Scalar) or isinstance(value, bool) or not isinstance(value, (int, str)):
        return False
    kind = ScalarKind.INT if isinstance(value, int) else ScalarKind.STR
    return node.kind is kind and node.text == str(value)


def gone_nodes(plans: Plans) -> set[Node]:
    """The nodes that go with removed or replaced entries; their own plans need no splices."""
    gone: set[Node] = set()
    for plan in plans.values():
        removed = (part for entry in plan.pairs(plan.removed) for part in entry)
        replaced = (part for _, value in plan.pairs(plan.values) for part in children(value))
        gone.update(walk((*removed, *replaced)))
    return gone
