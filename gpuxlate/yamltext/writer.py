"""From edits at paths to a plan for each mapping and list of the document."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Append, Edit, Path, Put, Remove, Rename, below, merged
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
    body_start,
    content_end,
    deref,
    entry_of,
    get,
    inside,
    resolve_plain,
)
from gpuxlate.yamltext.parse import Document
from gpuxlate.yamltext.source import LINE_BREAK, Source


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
    ancestors: tuple[Node, ...]  # from the root down to the node itself
    path: Path = ()  # of the first edit that changes it
    removed: set[int] = field(default_factory=set)
    values: dict[int, Any] = field(default_factory=dict)  # new value of an entry
    keys: dict[int, str] = field(default_factory=dict)  # new key of an entry
    added: dict[str, Any] = field(default_factory=dict)  # new entries of a mapping
    appended: list[Any] = field(default_factory=list)  # new items of a list
    kept: bool = False  # it stays where it is emptied

    def numbers(self, handles: Iterable[int]) -> list[int]:
        """The numbers of some entries, in order: a plan takes no look at all others."""
        return sorted(map(self.node.places.__getitem__, handles))

    def pairs(self, handles: Iterable[int]) -> list[tuple[Node, Node]]:
        """Key and value of some entries, in order; of a list the item twice."""
        return [self.node.pair(number) for number in self.numbers(handles)]


Plans = dict[int, NodePlan]


def make_plan(document: Document, edits: Iterable[Edit], kept: Iterable[Path] = ()) -> Plans:
    """Raises EditError for a path that is not there, or that shares its value with others (GX005).

    ``kept``: mappings and lists that stay where they are emptied.
    """
    planner = _Planner(document, frozenset(id(get(document.root, *path)) for path in kept))
    for edit in edits:
        planner.add(edit)
    planner.check_names()
    planner.prune()
    if planner.leaving:
        planner.check_gone()
    if document.aliases:
        planner.check_shared()
        planner.check_anchored()
    return planner.plans


class _Spot(NamedTuple):
    """Where a path leads: the deepest existing entry, the steps that are missing below it."""

    owner: Mapping | Sequence  # what holds the entry physically: a merged mapping, say
    here: Mapping | Sequence  # what the path names: it holds or merges the entry
    handle: Node  # the key node of the entry, or the item
    step: str | int
    value: Node
    ancestors: tuple[Node, ...]  # down to the owner
    rest: Path


@dataclass(slots=True)
class _Change:
    """One change of the text, and the paths of the edits that ask for it, each as often as it does."""

    holder: Mapping | Sequence
    step: str | int
    paths: Counter[Path] = field(default_factory=Counter)


class _Planner:
    def __init__(self, document: Document, kept: frozenset[int]) -> None:
        self._document = document
        self._kept = kept
        self.plans: Plans = {}
        # by node: the entries through which edits reached it
        self._reached: dict[int, dict[int, _Spot]] = {}
        self._wanted: dict[tuple[Any, ...], _Change] = {}
        self.leaving: list[tuple[Mapping, str, Path]] = []  # names that a mapping is to lose
        self._path: Path = ()  # of the edit at hand

    @cached_property
    def _sharing(self) -> AnchorUses:
        return AnchorUses(self._document.root)

    def add(self, edit: Edit) -> None:
        self._path = edit.path
        spot = self._find(edit.path)
        if isinstance(edit, Remove) and spot.rest:
            return
        if isinstance(edit, Rename) and spot.rest:
            raise EditError("no such entry to rename", edit.path)
        if any(isinstance(step, int) for step in spot.rest):
            raise EditError("no such item", edit.path)
        if isinstance(edit, Remove) or (isinstance(edit, Rename) and edit.key != spot.step):
            self._leaves(spot, edit.path)
        holder, step = _place(spot, edit)
        new = repr(getattr(edit, "value", None)), getattr(edit, "key", None)
        missing = spot.rest[1:] if holder is deref(spot.value) else spot.rest
        change = (type(edit), id(holder), step, missing, *new)
        paths = self._wanted.setdefault(change, _Change(holder, step)).paths
        before = max(paths.values(), default=0)
        # another path to the same place asks for the same change; the same path for one more item
        paths[edit.path] = paths[edit.path] + 1 if isinstance(edit, Append) else 1
        if paths[edit.path] > before:
            self._apply(edit, spot)

    def _apply(self, edit: Edit, spot: _Spot) -> None:
        match edit:
            case Remove():
                self._plan(spot).removed.add(id(spot.handle))
            case Rename(path, key, value):
                if key != spot.step:
                    self._plan(spot).keys[id(spot.handle)] = key
                self._put(spot, value, path)
            case Put(path, value):
                self._put(spot, value, path)
            case Append(path, value):
                inner = deref(spot.value)
                if spot.rest or _fillable(spot):
                    self._put(spot, below(spot.rest, [value]), path, nested=True)
                elif isinstance(inner, Sequence):
                    self._plan_of(inner, (*spot.ancestors, inner)).appended.append(value)
                else:
                    raise EditError("not a list", path)

    def _put(self, spot: _Spot, value: Any, path: Path, *, nested: bool = False) -> None:
        """Set the value at a spot; ``nested``: the value holds the missing steps already."""
        if spot.rest and not nested:
            value = below(spot.rest, value)
        if not spot.rest and not nested:
            if not _has_value(spot.value, value):
                self._plan(spot).values[id(spot.handle)] = value
            return
        inner = deref(spot.value)
        if _fillable(spot):
            values = self._plan(spot).values
            values[id(spot.handle)] = merged(values.get(id(spot.handle)), value)
        elif isinstance(inner, Mapping) and spot.rest and isinstance(spot.rest[0], str):
            plan = self._plan_of(inner, (*spot.ancestors, inner))
            name = spot.rest[0]
            plan.added[name] = merged(plan.added.get(name), value[name])
        else:
            raise EditError("not a mapping", path)

    def _find(self, path: Path) -> _Spot:
        root = self._document.root
        if not isinstance(root, (Mapping, Sequence)):
            raise EditError("the document is not a mapping or a list", path)
        ancestors: tuple[Node, ...] = ()
        spot = _Spot(root, root, root, "", root, ancestors, path)
        here: Node = root
        for depth, step in enumerate(path):
            if isinstance(here, Mapping):
                entry = entry_of(here, step)
                if entry is None:
                    break
                handle, value, owner = entry
                holder: Mapping | Sequence = owner
            elif isinstance(here, Sequence) and isinstance(step, int) and 0 <= step < len(here.items):
                handle = value = here.items[step]
                holder = here
            else:
                break
            ancestors = (*ancestors, here) if holder is here else (*ancestors, here, holder)
            spot = _Spot(holder, here, handle, step, value, ancestors, path[depth + 1 :])
            here = deref(value)
            self._reached.setdefault(id(here), {})[id(handle)] = spot
        return spot

    def _plan(self, spot: _Spot) -> NodePlan:
        if spot.owner is spot.handle:
            raise EditError("the document itself is not an entry", ())
        return self._plan_of(spot.owner, spot.ancestors)

    def _plan_of(self, node: Mapping | Sequence, ancestors: tuple[Node, ...]) -> NodePlan:
        return self.plans.setdefault(id(node), NodePlan(node, ancestors, self._path))

    # -- names ---------------------------------------------------------------------------------

    def check_names(self) -> None:
        """A new key is not there already."""
        for plan in self.plans.values():
            if not (plan.keys or plan.added) or not isinstance(plan.node, Mapping):
                continue
            renamed = (name for key, name in plan.keys.items() if key not in plan.removed)
            names = Counter([*renamed, *plan.added])
            changed = plan.removed | plan.keys.keys()
            for name in names:
                there = plan.node.sources_of.get(name, ())
                staying = sum(owner is None and id(key) not in changed for key, owner in there)
                if names[name] + staying > 1:
                    raise EditError(msg("{name} already exists", name=name), self._path_to(plan, name))

    def _path_to(self, plan: NodePlan, name: str) -> Path:
        paths = [path for one in self._wanted.values() if one.holder is plan.node for path in one.paths]
        return min(paths, key=lambda path: (path[-1] != name, repr(path)), default=())

    def _leaves(self, spot: _Spot, path: Path) -> None:
        if isinstance(spot.here, Mapping):
            self.leaving.append((spot.here, str(spot.step), path))

    def check_gone(self) -> None:
        """What goes does not come back from an earlier entry of its name, or from a merged mapping."""
        for here, name, path in self.leaving:
            for key, owner in here.sources_of.get(name, ()):
                plan = self.plans.get(id(here if owner is None else owner))
                if plan is None or not (id(key) in plan.removed or id(key) in plan.keys):
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
        for change in self._wanted.values():
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
                if key.anchor and self._sharing.uses[id(key)]:
                    raise EditError("an alias uses this key elsewhere", self._path_of([]), "GX005")
        for target in {id(a.target): a.target for a in self._document.aliases}.values():
            uses = [use for use in self._sharing.uses[id(target)] if id(use.written) not in gone]
            new = [self.plans[id(u.holder)].values[id(u.handle)] for u in uses if self._changes(u)]
            alike = not new or (len(new) == len(uses) and all(value == new[0] for value in new))
            if not alike or (uses and id(target) in gone):
                message = f"the anchor &{target.anchor} is used elsewhere too"
                raise EditError(message, self._path_of(uses), "GX005")
            for use in uses:
                if self._changes(use) and isinstance(use.written, Alias):
                    del self.plans[id(use.holder)].values[id(use.handle)]  # it follows its anchor

    def _changes(self, use: NodeUse) -> bool:
        plan = self.plans.get(id(use.holder))
        return plan is not None and id(use.handle) in plan.values

    def _path_of(self, uses: list[NodeUse]) -> Path:
        holders = {id(use.holder) for use in uses}
        paths = [
            path for change in self._wanted.values() if id(change.holder) in holders for path in change.paths
        ]
        return min(
            paths or [p for change in self._wanted.values() for p in change.paths], key=repr, default=()
        )

    # -- pruning -------------------------------------------------------------------------------

    def prune(self) -> None:
        """What a removal empties goes with it, wherever it stands."""
        pending = [plan for plan in self.plans.values() if plan.removed]
        while pending:
            plan = pending.pop()
            if plan.added or plan.appended or len(plan.removed) < len(plan.node.places):
                continue
            if id(plan.node) in self._kept:
                plan.kept = True
                continue
            for spot in self._reached.get(id(plan.node), {}).values():
                above = self._plan(spot)
                if id(spot.handle) not in above.removed:
                    above.removed.add(id(spot.handle))
                    self._leaves(spot, above.path)
                    pending.append(above)


def _place(spot: _Spot, edit: Edit) -> tuple[Mapping | Sequence, str | int]:
    """The mapping or list that an edit changes physically, and the entry of it."""
    inner = deref(spot.value)
    if isinstance(inner, (Mapping, Sequence)) and not _fillable(spot):
        if spot.rest:
            return inner, spot.rest[0]
        if isinstance(edit, Append):
            return inner, len(inner.items) if isinstance(inner, Sequence) else ""
    return spot.owner, spot.step


def _fillable(spot: _Spot) -> bool:
    """Nothing is there yet: no value, ``null``, or empty braces in a block file."""
    node = spot.value
    if isinstance(node, Scalar):
        return node.kind is ScalarKind.NULL and spot.handle is not spot.owner
    if isinstance(node, (Mapping, Sequence)):
        empty = not (node.entries if isinstance(node, Mapping) else node.items)
        plain = node.anchor is None and node.tag is None
        return empty and plain and isinstance(spot.owner, Mapping) and not spot.owner.flow
    return False


def _has_value(node: Node, value: Any) -> bool:
    """The node has this value already."""
    node = deref(node)
    if not isinstance(node, Scalar) or isinstance(value, bool) or not isinstance(value, (int, str)):
        return False
    kind = ScalarKind.INT if isinstance(value, int) else ScalarKind.STR
    return node.kind is kind and node.text == str(value)


def gone_nodes(plans: Plans) -> set[int]:
    """The nodes that go with removed or replaced entries; their own plans need no splices."""
    gone: set[int] = set()
    for plan in plans.values():
        pending = [part for entry in plan.pairs(plan.removed) for part in entry]
        for _, value in plan.pairs(plan.values):
            pending += inside(value)
        while pending:
            node = pending.pop()
            gone.add(id(node))
            pending += inside(node)
    return gone


# Writing new keys and values in the style of the file: quotes, indentation, flow or block.
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
        return scalar(value, self.quote_values) if isinstance(value, str) else _literal(value)

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


def _literal(value: int | None) -> str:
    """What is no string as text."""
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
        nearest = [item for node in path_nodes for item in inside(node)[:1] if isinstance(item, Mapping)]
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
        found = quotes.pop()
        return found if found in ("'", '"') else None
    return None


# What writers of block and flow style have in common: changed scalars, filled blanks, comments.
_COMMENT = regex(r"(?:^|(?<=\s))#[^\r\n]*")
_TO_LINE_END = regex(r"[^\r\n]*")


@record
class Splice:
    """Characters ``start`` to ``end`` of the source become ``text``.

    ``depth``: of the mapping or list that is written; of two insertions at one place the deeper comes
    first. ``takes_break_before``: a removal at the end of a file without a final line break.
    """

    start: int
    end: int
    text: str
    depth: int = 0
    takes_break_before: bool = False

    @property
    def order(self) -> tuple[int, int, int]:
        return self.start, self.end, -self.depth


def in_order(made: Iterable[Splice]) -> list[Splice]:
    """Splices by their place; of those at one place the deeper first."""
    return sorted(made, key=lambda splice: splice.order)


class Writer:
    """Edits of one mapping or list: what block and flow style have in common."""

    def __init__(self, document: Document, plan: NodePlan) -> None:
        self.text = document.source.text
        self.source = document.source
        self.plan = plan
        self.depth = len(plan.ancestors)
        self.pair = plan.node.pair
        self.last = len(plan.node.places) - 1
        self.empties = len(plan.removed) > self.last
        """All entries go."""

    @cached_property
    def style(self) -> Style:
        """That of the file round the mapping or list; a number in place of another one needs none."""
        return style_at(self.source, self.plan.ancestors, lists=_lists(self.plan))

    def runs_removed(self) -> Iterator[tuple[int, int]]:
        """Entries that go, in rows: the first of a row, and the one after its last."""
        first = after = -1
        for number in self.plan.numbers(self.plan.removed):
            if number != after:
                if first >= 0:
                    yield first, after
                first = number
            after = number + 1
        if first >= 0:
            yield first, after

    def nodes(self, first: int, after: int) -> list[Node]:
        """Keys and values of the entries ``first`` up to ``after``."""
        return [part for number in range(first, after) for part in self.pair(number)]

    def column(self, index: int) -> int:
        """The column of a character, from 0."""
        return self.source.position(index)[1] - 1

    def changed_scalars(self) -> Iterator[Splice]:
        """New keys and new values in place of the old ones."""
        plan = self.plan
        for key, value in plan.pairs((plan.keys.keys() | plan.values.keys()) - plan.removed):
            if id(key) in self.plan.keys:
                start = body_start(self.text, key)
                # in the quotes of the one that it replaces
                quote = key.style if isinstance(key, Scalar) and key.style in ("'", '"') else None
                yield Splice(start, key.end, scalar(plan.keys[id(key)], quote), self.depth)
            if id(key) in self.plan.values:
                yield from self._new_value(key, value, self.plan.values[id(key)])

    def _new_value(self, key: Node, value: Node, new: Any) -> Iterator[Splice]:
        if isinstance(new, (dict, list, tuple)):
            yield from self._fill(key, value, new)
            return
        old = deref(value)
        quote = old.style if isinstance(old, Scalar) and old.style in ("'", '"') else None
        rendered = scalar(new, quote or self.style.json_quote) if isinstance(new, str) else _literal(new)
        start, end = body_start(self.text, value), content_end(value)
        if value.tag and not value.anchor and not isinstance(new, str):
            start = value.start  # `!!str "30"`: the tag is of the old value
        if isinstance(old, Scalar) and old.empty:
            start = end = max(end, self.value_spot(key) if isinstance(self.plan.node, Mapping) else end)
            rendered = self._blank(start) + rendered
        yield Splice(start, max(start, end), rendered, self.depth)

    def _fill(self, key: Node, value: Node, new: Any) -> Iterator[Splice]:
        """``limits:`` with nothing behind it, null or empty braces gets its first entries."""
        blank = isinstance(value, Scalar) and value.kind is ScalarKind.NULL
        empty = isinstance(value, (Mapping, Sequence)) and not isinstance(value, Alias)
        if not (blank or empty) or not isinstance(self.plan.node, Mapping):
            raise EditError("a mapping would replace a value", ())
        at = self.value_spot(key)
        body = body_start(self.text, value)
        written = value.end > body
        if self.plan.node.flow:
            start = max(at, body)
            yield Splice(start, max(at, value.end), self._blank(start) + self.style.flow(new), self.depth)
            return
        _name, *lines = self.style.block("x", new, self.column(key.start))
        if written:
            spaces = len(self.text[at:body]) - len(self.text[at:body].rstrip(" \t"))
            yield Splice(body - spaces, value.end, "", self.depth)
        yield self.below(max(at, value.end), lines)

    def _blank(self, index: int) -> str:
        """What separates a value from the colon before it."""
        return " " if self.text[index - 1] == ":" and not self.style.tight else ""

    def value_spot(self, key: Node) -> int:
        """The place behind the colon of a key."""
        colon = self.text.find(":", key.end)
        if colon < 0 or self.text[key.end : colon].strip():
            raise EditError("a key has no colon of its own", ())
        return colon + 1

    def line_end(self, index: int) -> int:
        """The end of the line's text, before its line break."""
        match = _TO_LINE_END.match(self.text, index)
        return match.end() if match else index

    def below(self, index: int, lines: list[str]) -> Splice:
        """New lines below the line of a character."""
        end = self.line_end(index)
        line_break = LINE_BREAK.match(self.text, end)
        if line_break is None:
            newline = self.style.newline
            return Splice(end, end, "".join(newline + line for line in lines), self.depth)
        newline = line_break.group()
        return Splice(
            line_break.end(), line_break.end(), "".join(line + newline for line in lines), self.depth
        )

    def comments(self, start: int, end: int, nodes: list[Node]) -> list[str]:
        """The comments between ``start`` and ``end`` that are not inside a scalar."""
        found: list[str] = []
        at = start
        for node in [*sorted(_leaves(nodes), key=lambda n: n.start), None]:
            stop = min(node.start, end) if node else end
            found.extend(match.group().rstrip() for match in _COMMENT.finditer(self.text[at:stop]))
            at = max(at, content_end(node)) if node else end
        return found


def _lists(plan: NodePlan) -> bool:
    """Something new holds a list."""
    pending: list[Any] = [*plan.added.values(), *plan.values.values(), *plan.appended]
    while pending:
        value = pending.pop()
        if isinstance(value, (list, tuple)):
            return True
        if isinstance(value, dict):
            pending.extend(value.values())
    return False


def _leaves(nodes: list[Node]) -> list[Node]:
    found: list[Node] = []
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, (Mapping, Sequence)):
            pending += inside(node)
        else:
            found.append(node)
    return found


# Edits of block mappings and lists: whole lines come and go.
_FIRST = "metadata"
"""Reads better above ``spec`` than below everything."""
_DASH = regex(r"-(?=\s|$)")


class Block(Writer):
    """The splices of one block mapping or list."""

    def splices(self) -> Iterator[Splice]:
        yield from self.changed_scalars()
        plan = self.plan
        lines = self._new_lines() if plan.added or plan.appended else []
        if plan.kept and not lines:
            yield self._braces()
        elif self.empties and self._behind_dash(0):
            yield from self._replaced_behind_dash(lines)
            return
        if plan.removed:
            for first, after in self.runs_removed():
                yield from self._removal(first, after)
        if _FIRST in plan.added:
            yield from self._first_lines()
        if lines:
            yield self.below(self._end(self.last), lines)

    # -- what comes ----------------------------------------------------------------------------

    def _new_lines(self) -> list[str]:
        """What comes at the end."""
        column = self.column(body_start(self.text, self.plan.node))
        if isinstance(self.plan.node, Sequence):
            return [line for item in self.plan.appended for line in self.style.item(item, column)]
        return [
            line
            for name, value in self.plan.added.items()
            if name != _FIRST or self._spec() is None
            for line in self.style.block(name, value, column)
        ]

    def _first_lines(self) -> Iterator[Splice]:
        """``metadata`` goes above ``spec``, which may stand behind a dash."""
        spec = self._spec()
        if spec is None:
            return
        column = self.column(spec.start)
        lines = list(self.style.block(_FIRST, self.plan.added[_FIRST], column))
        newline = self.style.newline
        text = lines[0][column:] + "".join(newline + line for line in lines[1:]) + newline + " " * column
        yield Splice(spec.start, spec.start, text, self.depth)

    def _spec(self) -> Node | None:
        keys = (key for key in self.plan.node.handles if id(key) not in self.plan.removed)
        named = (key for key in keys if isinstance(key, Scalar) and key.text == "spec")
        return next(named, None) if isinstance(self.plan.node, Mapping) else None

    def _braces(self) -> Splice:
        """Empty braces, or brackets, for what stays though all of it goes."""
        node = self.plan.node
        above = self.plan.ancestors[-2] if len(self.plan.ancestors) > 1 else None
        key = (
            next((key for key, value in above.entries if value is node), None)
            if isinstance(above, Mapping)
            else None
        )
        if key is None or node.anchor is not None or node.tag is not None:
            raise EditError("nothing would be left of it", ())
        at = self.value_spot(key)
        return Splice(at, at, " {}" if isinstance(node, Mapping) else " []", self.depth)

    # -- what goes -----------------------------------------------------------------------------

    def _removal(self, first: int, after: int) -> Iterator[Splice]:
        """Entries ``first`` up to ``after`` go, their comments stay."""
        start, end = self._start(first), self.line_end(self._end(after - 1))
        kept = self.comments(start, end, self.nodes(first, after))
        if self._behind_dash(first):
            if first or isinstance(self.plan.node, Sequence):
                raise EditError("an entry shares its line with something else", ())
            # the next entry moves up behind the dash
            following = self._start(after)
            kept += self.comments(end, following, [])
            yield from self._above(start, kept)
            yield Splice(start, following, "", self.depth)
            return
        pad = self.text[self._line_start(start) : start]
        comments = [pad + comment for comment in kept]
        line_start, next_line = self._line_start(start), self._next_line(end)
        newline = self.text[end:next_line] if next_line > end else self.style.newline
        if next_line > end or not line_start:
            text = "".join(comment + newline for comment in comments)
            yield Splice(line_start, next_line, text, self.depth)
            return
        # the last line of a file without a final line break: take the break before it instead
        back = line_start - (2 if self.text[line_start - 2 : line_start] == "\r\n" else 1)
        text = "".join(newline + comment for comment in comments)
        yield Splice(back, end, text, self.depth, takes_break_before=True)

    def _replaced_behind_dash(self, lines: list[str]) -> Iterator[Splice]:
        """Nothing of an item stays: new lines begin behind its dash."""
        start, end = self._start(0), self.line_end(self._end(self.last))
        if not lines or isinstance(self.plan.node, Sequence):
            raise EditError("an entry shares its line with something else", ())
        yield from self._above(start, self.comments(start, end, self.nodes(0, self.last + 1)))
        yield Splice(start, end, self.style.newline.join(lines).lstrip(" "), self.depth)

    def _above(self, index: int, comments: list[str]) -> Iterator[Splice]:
        """Comments on lines of their own above the line of a dash."""
        if comments:
            line = self._line_start(index)
            pad = re.match(r" *", self.text[line:index])
            indent = pad.group() if pad else ""
            text = "".join(indent + comment + self.style.newline for comment in comments)
            yield Splice(line, line, text, 0)

    # -- places --------------------------------------------------------------------------------

    def _behind_dash(self, number: int) -> bool:
        """The entry does not begin its line."""
        start = self._start(number)
        before = self.text[self._line_start(start) : start].strip(" ")
        if before.strip("- "):
            raise EditError("an entry shares its line with something else", ())
        return bool(before)

    def _start(self, number: int) -> int:
        """Where an entry begins: at its key, or at its dash."""
        key = self.pair(number)[0]
        if isinstance(self.plan.node, Mapping):
            return key.start
        first = body_start(self.text, self.plan.node)
        if number == 0:
            return first
        # the dashes of a list stand in one column; before an item there are only comments
        at, column = self.line_end(self._end(number - 1)), self.column(first)
        while at < key.start:
            at = self._next_line(at) + column
            if _DASH.match(self.text, at) and not self.text[at - column : at].strip(" "):
                return at
            at = self.line_end(at - column)
        raise EditError("an item of a list has no dash of its own", ())

    def _end(self, number: int) -> int:
        """Where the content of an entry ends."""
        key, value = self.pair(number)
        end = content_end(value)
        if isinstance(value, Scalar) and value.empty and isinstance(self.plan.node, Mapping):
            return max(end, self.value_spot(key))
        return end

    def _line_start(self, index: int) -> int:
        return index - self.column(index)

    def _next_line(self, end: int) -> int:
        """The character after the line break at ``end``; ``end`` itself where there is none."""
        if self.text.startswith("\r\n", end):
            return end + 2
        return end + 1 if end < len(self.text) and self.text[end] in "\r\n" else end


# Edits of flow mappings and lists, JSON included.
_REST_OF_LINE = regex(r"[ \t]*(,?)[ \t]*(?:#[^\r\n]*)?(?=[\r\n])")
"""Behind the last entry of a line: a comma, and a comment."""
_PADDING = regex(r"[ \t]*")


class Flow(Writer):
    """The splices of one flow mapping or list."""

    def splices(self) -> Iterator[Splice]:
        yield from self.changed_scalars()
        new = self._new_entries()
        if self.empties:
            yield from self._refilled(new)
            return
        kept = self.last
        for first, after in self.runs_removed():
            yield self._removal(first, after)
            if after > self.last:
                kept = first - 1
        if new:
            yield from self._appended(kept, new)

    def _refilled(self, new: list[str]) -> Iterator[Splice]:
        start = body_start(self.text, self.plan.node)
        end = self.plan.node.end - 1
        if self.text[start] not in "{[" or self.text[end] not in "}]":
            raise EditError("an entry in brackets has no braces of its own", ())
        if self.last < 0 and not new:
            return
        self._no_comments(start + 1, end, self.nodes(0, self.last + 1))
        if self._lines() and new:
            lead = self._lead(start)
            inner = self.style.newline + self._indent()
            body = inner + f",{inner}".join(new) + self.style.newline + lead
        elif new and self.last >= 0:
            pad = self._padding()
            body = pad + self._comma().join(new) + pad
        else:
            body = self._comma().join(new)
        yield Splice(start + 1, end, body, self.depth)

    def _appended(self, last: int, new: list[str]) -> Iterator[Splice]:
        """New entries behind the last that stays."""
        at = self._end(last)
        rest = _REST_OF_LINE.match(self.text, at) if self._lines() else None
        separator = "," + self.style.newline + self._indent() if self._lines() else self._comma()
        if rest is None or rest.end() == at or last != self.last:
            yield Splice(at, at, "".join(separator + entry for entry in new), self.depth)
            return
        # a comma or a comment ends the line: the comment stays with its entry
        if not rest.group(1):
            yield Splice(at, at, ",", self.depth)
        body = "".join(separator[1:] + entry + "," for entry in new)
        yield Splice(rest.end(), rest.end(), body if rest.group(1) else body[:-1], self.depth)

    def _removal(self, first: int, after: int) -> Splice:
        """Entries ``first`` up to ``after`` go, with the comma behind them; the last with that before."""
        if after <= self.last:
            start, end = self.pair(first)[0].start, self.pair(after)[0].start
        else:
            start, end = self._end(first - 1), self._end(self.last)
        self._no_comments(start, end, self.nodes(first, after))
        return Splice(start, end, "", self.depth)

    def _no_comments(self, start: int, end: int, nodes: list[Node]) -> None:
        if self.comments(start, end, nodes):
            raise EditError("a comment is inside the braces of what is removed", ())

    def _end(self, number: int) -> int:
        key, value = self.pair(number)
        return max(content_end(value), key.end)

    # -- style ---------------------------------------------------------------------------------

    def _lines(self) -> bool:
        """The braces span several lines, an entry a line."""
        if self.last < 0:
            return False
        return "\n" in self.text[self.plan.node.start : self.pair(0)[0].start]

    def _padding(self) -> str:
        """The blanks inside the braces: ``{ a: 1 }``."""
        match = _PADDING.match(self.text, body_start(self.text, self.plan.node) + 1)
        return match.group() if match else ""

    def _comma(self) -> str:
        return "," if self.style.tight else ", "

    def _lead(self, index: int) -> str:
        """The blanks that the line of a character begins with."""
        start = index - self.column(index)
        match = _PADDING.match(self.text, start, index)
        return match.group() if match else ""

    def _indent(self) -> str:
        return self._lead(self.pair(0)[0].start)

    def _step(self) -> str:
        """What an entry is further in than its braces' line."""
        outer, inner = self._lead(self.plan.node.start), self._indent()
        return inner[len(outer) :] if inner.startswith(outer) and len(inner) > len(outer) else "  "

    def _new_entries(self) -> list[str]:
        added = self.plan.added.items() if isinstance(self.plan.node, Mapping) else []
        values = [*added, *((None, item) for item in self.plan.appended)]
        if self._lines():
            step = self._step()
            render = [(k, self.style.flow_lines(v, self._indent(), step)) for k, v in values]
        else:
            render = [(k, self.style.flow(v)) for k, v in values]
        return [text if k is None else self.style.key(k) + self.style.colon + text for k, text in render]
