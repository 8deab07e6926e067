"""Applying edits to a document: plan, splice, and read the result again to be sure."""

from __future__ import annotations

import itertools
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Map
from dataclasses import replace
from typing import Any, NamedTuple

from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Append, Edit, Path, Put, Remove, Rename
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ScalarKind
from gpuxlate.yamltext.block import Block
from gpuxlate.yamltext.composed import is_composed
from gpuxlate.yamltext.flow import Flow
from gpuxlate.yamltext.nodes import MERGE, Mapping, Node, Scalar, Sequence, deref, get
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.plan import EditError, NodePlan, Plans, gone_nodes, make_plan
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice, apply, sort_splices


def edit_document(document: Document, edits: Iterable[Edit], kept: Iterable[Path] = ()) -> list[Splice]:
    """The splices that make the edits, checked. Raises EditError; nothing is changed by then.

    ``kept``: mappings and lists that stay where they are emptied.
    """
    all_edits = list(edits)
    try:
        plans = make_plan(document, all_edits, kept)
        splices = _splices(document, plans)
        _carried_out(document, _verify(document, plans, splices), all_edits)
    except EditError as error:
        error.path = error.path or (all_edits[0].path if all_edits else ())
        raise
    return splices


def plan_splices(document: Document, edits: Iterable[Edit]) -> list[Splice]:
    """The splices of edits that were checked before, together with others. Raises EditError."""
    return _splices(document, make_plan(document, edits))


def with_comments(source: Source, splices: Iterable[Splice]) -> Source:
    """The source with comments inserted, checked: each document reads the same. Raises EditError."""
    after = source.changed(apply(source.text, splices))
    for old, new in itertools.zip_longest(_until_invalid(source), _until_invalid(after)):
        if isinstance(old, Document) and isinstance(new, Document):
            old, new = old.root, new.root
        same = _as_planned(old, new, {}) if isinstance(old, Node) and isinstance(new, Node) else old == new
        if not same:
            raise EditError("the comments would change what the text says", ())
    return after


def _until_invalid(source: Source) -> Iterator[Document | str]:
    """The documents, and where invalid YAML follows, the parser's message."""
    try:
        yield from documents(source)
    except NotYamlError as error:
        yield error.problem or error.message


def _splices(document: Document, plans: Plans) -> list[Splice]:
    """All splices of a plan, in their order; what is not spliced stays, byte for byte. Raises EditError."""
    splices: list[Splice] = []
    gone = gone_nodes(plans)
    for plan in plans.values():
        if plan.node in gone:
            continue
        try:
            splices.extend((Flow if plan.node.flow else Block)(document, plan).splices())
        except EditError as error:
            error.path = error.path or plan.path
            raise
    splices = _from_the_top(sort_splices(splices))
    last = next((splice for splice in splices if splice.takes_break_before), None)
    if last is not None:
        splices = _settled(splices, last)
    for splice, two in itertools.pairwise(splices):
        if splice.end > two.start:
            raise EditError("two edits overlap in the text", ())
    return splices


def _from_the_top(splices: list[Splice]) -> list[Splice]:
    """The splices without the line break at the start of an insertion before which no text is left."""
    at = 0
    for number, splice in enumerate(splices):
        if splice.start != at:
            break
        if splice.text:
            splices[number] = replace(splice, text=splice.text.lstrip("\r\n")) if at else splice
            break
        at = splice.end
    return splices


def _settled(splices: list[Splice], last: Splice) -> list[Splice]:
    """Insertions before a last line that goes move before the line break that goes with it."""
    settled: list[Splice] = []
    for splice in splices:
        if splice.start == splice.end and last.start < splice.start < last.end:
            body = splice.text.rstrip("\r\n")
            line_break = splice.text[len(body) :]
            splice = replace(splice, start=last.start, end=last.start, text=line_break + body)
        settled.append(splice)
    return sort_splices(settled)


LOST = "an edit would be lost; nothing is written"


def _carried_out(document: Document, read: Map[Node, Node], edits: list[Edit]) -> None:
    """Check that the new text has each edit. Raises EditError if an edit is lost."""
    gone: dict[Path, list[int]] = {}
    items: dict[Path, list[Any]] = {}
    for edit in edits:
        if isinstance(edit, Remove) and edit.path and isinstance(edit.path[-1], int):
            insort(gone.setdefault(edit.path[:-1], []), edit.path[-1])

    def now(path: Path) -> Node | None:
        node = document.root
        for depth, step in enumerate(path):
            if node is not None and node in read:
                return get(read[node], *_moved(path, gone)[depth:])
            node = get(node, step)
        return None if node is None else read.get(node, node)

    for edit in edits:
        match edit:
            case Put(path, value):
                is_written = _has_value(now(path), value)
            case Rename(path, key, value):
                is_written = _has_value(now((*path[:-1], key)), value)
            case Append(path, value):
                items.setdefault(path, []).append(value)
                continue
            case _:
                continue
        if not is_written:
            raise EditError(LOST, edit.path)
    lost = next((path for path, values in items.items() if not _ends_with(now(path), values)), None)
    if lost is not None:
        raise EditError(LOST, lost)


def _moved(path: Path, gone: Map[Path, list[int]]) -> Path:
    """The path when the items before those on it are gone; ``gone``: their numbers by their list."""
    return tuple(
        step - bisect_left(gone.get(path[:depth], ()), step) if isinstance(step, int) else step
        for depth, step in enumerate(path)
    )


def _ends_with(node: Node | None, values: list[Any]) -> bool:
    """A list has these values at its end."""
    last = items.items[-len(values) :] if node and isinstance(items := deref(node), Sequence) else ()
    return len(last) == len(values) and all(map(_has_value, last, values))


def _has_value(node: Node | None, value: Any) -> bool:
    if isinstance(node, Scalar) and value is None:
        return node.kind is ScalarKind.NULL
    if isinstance(node, Scalar):
        return node.text == (str(value).lower() if isinstance(value, bool) else str(value))
    return node is not None and isinstance(value, (dict, list, tuple))


def _verify(document: Document, plans: Plans, splices: list[Splice]) -> Map[Node, Node]:
    """Read again what changes of the document: it must differ at the intended places only.

    The mappings and lists of the new text that were read, by those that they stand for.
    """
    if any(s.end > document.end for s in splices):  # invalid YAML follows: its beginning shares a line
        raise EditError("the text that follows would change too", ())
    read: dict[Node, Node] = {}
    for section, inside in _sections(document, plans, splices):
        new = section.read_again(document, inside)
        if new is None or not _as_planned(section.node, new, plans):
            break
        read[section.node] = new
    else:
        if read:
            return read
    text = apply(document.source.text, splices, document.start, document.end)
    alone = Source(document.source.name, document.text, document.source.is_relevant)
    try:
        read_again = list(documents(alone.changed(text)))
    except NotYamlError as error:
        raise EditError(
            msg("the result would be invalid YAML ({message})", message=error.message), ()
        ) from None
    root = read_again[0].root if read_again else None
    if (
        len(read_again) != 1
        or root is None
        or document.root is None
        or not _as_planned(document.root, root, plans)
    ):
        raise EditError("the result would differ elsewhere too; nothing is written", ())
    return {document.root: root}


class _Section(NamedTuple):
    """A mapping that reads the same alone as in its document, from character ``start`` to ``end``.

    In block style it begins at its column, in a line of its own or behind a dash, and ends where the line of
    the next token does: that token is farther left, whatever is in the mapping.
    """

    node: Mapping
    start: int
    end: int
    column: int

    @classmethod
    def of(cls, text: str, node: Mapping) -> _Section | None:
        """The section of a mapping; None if other nodes are in its lines."""
        start, end = node.start, node.end
        if node.flow:
            return cls(node, start, end, 0)
        line, last = text.rfind("\n", 0, start) + 1, text.rfind("\n", 0, end) + 1
        begins_line = not text[line:start].strip(" ")
        if end < len(text):
            if last <= start or text[last:end].strip(" "):
                return None
            end = last
        return cls(node, line if begins_line else start, end, start - line)

    def read_again(self, document: Document, splices: list[Splice]) -> Mapping | None:
        """The mapping in the new text; None where it is not where it was, or something is beside it."""
        before = document.source.text
        text = apply(before, splices, self.start, self.end)
        if self.start == self.node.start:
            text = " " * self.column + text
        try:
            read = list(documents(Source(document.source.name, text)))
        except NotYamlError:
            return None
        root = read[0].root if len(read) == 1 else None
        if type(root) is not Mapping or not is_composed(root):
            return None
        if "---" in text[: root.start]:  # another document, where the mapping is in its own
            return None
        if self.node.flow:
            # whether a tab may begin a line depends on the block around
            alone = root.flow and (root.start, root.end) == (0, len(text)) and "\t" not in text
        else:
            column = root.start - text.rfind("\n", 0, root.start) - 1
            ends = self.end == len(before) or text.endswith("\n")
            alone = not root.flow and column == self.column and ends
        return root if alone else None


def _sections(document: Document, plans: Plans, splices: list[Splice]) -> list[tuple[_Section, list[Splice]]]:
    """The smallest mappings with all plans and splices in them, each with its own; empty where only all
    of the document will do."""
    text, size = document.source.text, document.end - document.start
    # of a large one all nodes are counted; a merged mapping is in another one's path
    if not is_composed(document.root) or size > limits.MAX_NODES // 4 or document.holds(MERGE):
        return []
    by_node: dict[Node, _Section] = {}
    for plan in plans.values():
        within = (node for node in reversed(plan.ancestors) if type(node) is Mapping and node.tag is None)
        part = next((part for mapping in within if (part := _Section.of(text, mapping))), None)
        if part is None or len(plan.ancestors) > limits.MAX_DEPTH // 2:
            return []
        by_node[part.node] = part
    outer = {next(node for node in plan.ancestors if node in by_node) for plan in plans.values()}
    sections = sorted((by_node[node] for node in outer), key=lambda section: section.start)
    shared: list[tuple[_Section, list[Splice]]] = [(part, []) for part in sections]
    at = 0
    for splice in splices:
        while at < len(sections) and splice.end > sections[at].end:
            at += 1
        if at == len(sections) or splice.start < sections[at].start:
            return []
        shared[at][1].append(splice)
    return shared


def _as_planned(before: Node, after: Node, plans: Plans) -> bool:
    """The tree read again is the old one with the plans carried out on it, in the old order."""
    pending: list[tuple[Node, Node]] = [(before, after)]
    while pending:
        old, new = pending.pop()
        if type(old) is not type(new) or old.marks != new.marks:
            return False
        pairs: _Pairs | None
        if isinstance(old, Scalar) and isinstance(new, Scalar):
            # of one text, tag and style there is one kind
            if old.text != new.text or (old.style != new.style and old.kind is not new.kind):
                return False
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            pairs = _mapping_pairs(old, new, plans.get(old))
        elif isinstance(old, Sequence) and isinstance(new, Sequence):
            pairs = _sequence_pairs(old, new, plans.get(old))
        else:
            continue
        if pairs is None:
            return False
        pending += pairs
    return True


_Pairs = list[tuple[Node, Node]]
"""Nodes that have to be equal but for their own plans."""


def _mapping_pairs(old: Mapping, new: Mapping, plan: NodePlan | None) -> _Pairs | None:
    if plan is None:
        if len(old.entries) != len(new.entries):
            return None
        entries = zip(old.entries, new.entries, strict=True)
        return [pair for entry, two in entries for pair in ((entry[1], two[1]), (entry[0], two[0]))]
    added = dict(plan.added)
    unpaired = []
    for key, value in new.entries:
        name = key.text if isinstance(key, Scalar) else None
        if name in added:
            if not _is(value, added.pop(name)):
                return None
        else:
            unpaired.append((key, value))
    kept = [(key, value) for key, value in old.entries if key not in plan.removed]
    if added or len(kept) != len(unpaired):
        return None
    return _pairs(kept, unpaired, plan)


def _sequence_pairs(old: Sequence, new: Sequence, plan: NodePlan | None) -> _Pairs | None:
    if plan is None:
        return list(zip(old.items, new.items, strict=True)) if len(old.items) == len(new.items) else None
    kept = [item for item in old.items if item not in plan.removed]
    appended = plan.appended
    if len(kept) + len(appended) != len(new.items):
        return None
    if not all(_is(item, value) for item, value in zip(new.items[len(kept) :], appended, strict=True)):
        return None
    same = list(zip(kept, new.items, strict=False))
    return _pairs([(item, item) for item, _ in same], [(item, item) for _, item in same], plan)


def _pairs(kept: _Pairs, new_pairs: _Pairs, plan: NodePlan) -> _Pairs | None:
    """The keys and values still to compare. None where a planned one is not as planned."""
    pairs: _Pairs = []
    for (key, value), (new_key, new_value) in zip(kept, new_pairs, strict=True):
        if key in plan.keys:
            if not (isinstance(new_key, Scalar) and new_key.text == plan.keys[key]):
                return None
        elif key is not value:
            pairs.append((key, new_key))
        if key in plan.values:
            if not _is(new_value, plan.values[key]) or new_value.anchor != value.anchor:
                return None
        else:
            pairs.append((value, new_value))
    return pairs


def _is(node: Node, value: Any) -> bool:
    """The node has the new value."""
    if isinstance(value, dict):
        names = [key.text if isinstance(key, Scalar) else None for key, _ in getattr(node, "entries", ())]
        return (
            isinstance(node, Mapping)
            and names == list(value)
            and all(_is(child, value[name]) for name, (_, child) in zip(names, node.entries, strict=True))
        )
    if isinstance(value, (list, tuple)):
        return (
            isinstance(node, Sequence)
            and len(node.items) == len(value)
            and all(_is(item, element) for item, element in zip(node.items, value, strict=True))
        )
    if value is None:
        return isinstance(node, Scalar) and node.kind is ScalarKind.NULL
    if isinstance(value, bool):
        return isinstance(node, Scalar) and node.kind is ScalarKind.BOOL and (node.text == "true") is value
    kind = ScalarKind.INT if isinstance(value, int) else ScalarKind.STR
    return isinstance(node, Scalar) and node.kind is kind and node.text == str(value)
