"""The nodes of HAMi's dialects: their cards are in an annotation of the node, or are sums of resources.

Source of the forms: Project-HAMi/HAMi, pkg/device/devices.go and metax/protocol.go (2026-08-21).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from gpuxlate.backends import row_nodes
from gpuxlate.backends.cluster_nodes import LiveNode, LivePod, NodeOffer, NodeView, Placement
from gpuxlate.backends.hami_family import CORDON, HAMI, HamiDialect, SummedNodes
from gpuxlate.model import quantity
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.pod import ContainerKeys
from gpuxlate.rules import releases

INT32_END = 2**31
"""The numbers of a card are int32: less than this."""
DIGITS = 11
"""The number of digits from which on a text is not read as a number."""
TRUE, FALSE = ("1", "t", "true"), ("0", "f", "false")
"""The words of the old form for whether a card is healthy, in any letter case."""


class NodeCard(NamedTuple):
    """A card in the list of a node. ``place``: its index. ``mib``, ``cores``: MiB, and percent of compute.
    ``containers``: the most containers on it."""

    id: str
    place: int
    mib: int
    cores: int
    containers: int
    model: str
    mode: str
    healthy: bool


def cards_listed(text: str) -> tuple[NodeCard, ...] | None:
    """The cards of an annotation in either form, by index; None where it has none or is in neither form."""
    try:
        cards = list(_of_json(json.loads(text)) if text.lstrip().startswith("[") else _of_text(text))
    except (ValueError, RecursionError):
        return None
    return tuple(sorted(cards, key=lambda card: card.place)) or None


def _of_json(cards: object) -> Iterator[NodeCard]:
    """The cards of the JSON list of HAMi or MetaX. A missing field is zero, empty or false."""
    for place, entry in enumerate(cards if isinstance(cards, list) else ()):
        if not isinstance(entry, Mapping):
            raise ValueError(entry)
        is_hami = "uuid" not in entry  # MetaX has other names, and no index
        yield NodeCard(
            _word(entry.get("id" if is_hami else "uuid"), needed=True),
            _number(entry.get("index", 0) if is_hami else place),
            _number(entry.get("devmem" if is_hami else "totalVRam"), 1),
            _number(entry.get("devcore" if is_hami else "totalCompute", 0)),
            _number(entry.get("count" if is_hami else "totalDevCount", 0)),
            _word(entry.get("type" if is_hami else "model")),
            _word(entry.get("mode")),
            entry.get("health" if is_hami else "healthy") is True,
        )


def _of_text(text: str) -> Iterator[NodeCard]:
    """The cards of the text form: ``id,count,MiB,percent,model,numa,healthy`` with a colon after each card;
    newer releases add index and mode."""
    for part in text.strip().split(":"):
        if not part:
            continue
        fields = part.split(",")
        if len(fields) not in (7, 9) or fields[6].lower() not in (*TRUE, *FALSE):
            raise ValueError(part)
        name, count, mib, cores, model, _numa, healthy, *more = fields
        index, mode = more or ("0", "")
        yield NodeCard(
            _word(name, needed=True),
            _digits(index),
            _digits(mib, 1),
            _digits(cores),
            _digits(count),
            model,
            mode,
            healthy.lower() in TRUE,
        )


def _digits(text: str, least: int = 0) -> int:
    return _number(int(text) if quantity.is_plain(text) else None, least)


def _number(value: object, least: int = 0) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < INT32_END:
        raise ValueError(value)
    return value


def _word(value: object, needed: bool = False) -> str:
    if not isinstance(value, str | None) or (needed and not value):
        raise ValueError(value)
    return value or ""


def node_view(dialect: HamiDialect, node: LiveNode) -> NodeView | None:
    """The cards of a node from its list, from sums of resources, or as whole cards; None where it has
    none."""
    return _listed(dialect, node) or _summed(dialect, node) or _whole(dialect, node)


def _listed(dialect: HamiDialect, node: LiveNode) -> NodeView | None:
    """The cards of a node's annotations; equal lists under two names are one list."""
    texts = [node.annotations[name] for name in dialect.node_annotations if name in node.annotations]
    by_id = {card.id: card for text in texts for card in cards_listed(text) or ()}
    if not by_id:
        return None
    healthy = [card for card in by_id.values() if card.healthy]
    cordoned = _cordoned(node)
    cards = [card for card in healthy if card.id not in cordoned]
    notes = []
    if lost := len(by_id) - len(healthy):
        notes.append(f"left out: {lost} of {len(by_id)} cards, which are not healthy")
    if lost := len(healthy) - len(cards):
        notes.append(_cordon_note(dialect, lost, len(by_id)))
    if not cards:
        return NodeView(dialect.name, NodeOffer.NOTHING, notes=tuple(notes))
    sizes = {card.mib for card in cards}
    if len(sizes) > 1:
        notes.append("its cards differ in memory; each counts as the smallest")
    percent = all(card.cores == FULL_CARD_CORES for card in cards)  # others are not a percentage
    return NodeView(
        dialect.name,
        NodeOffer.SHARES,
        mode=_common_word(card.mode for card in cards),
        cards=len(cards),
        card_mib=min(sizes),
        cores=FULL_CARD_CORES * len(cards) if percent else None,
        memory_mib=min(sizes) * len(cards),
        model=_common_word(card.model for card in cards),
        whole_key=dialect.whole_card_key,
        labels=node.labels,
        notes=tuple(notes),
        ids=tuple(card.id for card in cards),
        left_out=tuple(name for name in by_id if all(card.id != name for card in cards)),
        instances=min(card.containers for card in cards) or None,
    )


def _cordoned(node: LiveNode) -> frozenset[str]:
    """The cards that take no new containers, while running ones stay. Older releases ignore the annotation
    and may place pods there, but whoever wrote it does not want that."""
    return frozenset(part.strip() for part in node.annotations.get(CORDON, "").split(","))


def _cordon_note(dialect: HamiDialect, lost: int, cards: int) -> str:
    """The text that says how many cards of a node are cordoned, and from which release on this has effect."""
    release = releases.first(HAMI, CORDON, dialect.cordoning)
    since = f", which counts from {release} on" if release.announced else ""
    return f"left out: {lost} of {cards} cards, in {CORDON}{since}"


def _summed(dialect: HamiDialect, node: LiveNode) -> NodeView | None:
    """The cards of a node with sums of resources: of equal size, without cordoned ones."""
    rows = dialect.keys_by_model[0] if dialect.summed_nodes else None
    if dialect.summed_nodes is None or rows is None or rows.cores is None or rows.memory is None:
        return None
    units = node.amount(rows.memory.name)
    cards = int(node.amount(rows.cores.name) * Fraction(rows.cores.unit) // FULL_CARD_CORES)
    if not (cards and units):
        return None
    card_mib = int(units * Fraction(rows.memory.unit) // cards)
    view = _numbered(dialect.summed_nodes, dialect, node, cards)
    if not view.cards:
        return view
    return replace(
        view,
        serves=NodeOffer.SHARES,
        card_mib=card_mib,
        cores=view.cards * FULL_CARD_CORES,
        memory_mib=card_mib * view.cards,
    )


def _whole(dialect: HamiDialect, node: LiveNode) -> NodeView | None:
    """The whole cards of a node, without cordoned ones."""
    view = row_nodes.node_view(dialect, node)
    if view is None or dialect.summed_nodes is None or CORDON not in node.annotations:
        return view
    numbered = _numbered(dialect.summed_nodes, dialect, node, view.cards or 0)
    return replace(numbered, serves=view.serves, whole_key=view.whole_key) if numbered.cards else numbered


def _numbered(names: SummedNodes, dialect: HamiDialect, node: LiveNode, cards: int) -> NodeView:
    """The view of a node with numbered cards, without cordoned ones."""
    card_names = [names.id.format(node=node.name, index=index) for index in range(cards)]
    cordoned = _cordoned(node)
    ids = tuple(name for name in card_names if name not in cordoned)
    return NodeView(
        dialect.name,
        NodeOffer.NOTHING,
        cards=len(ids) or None,
        labels=node.labels,
        notes=(_cordon_note(dialect, cards - len(ids), cards),) if len(ids) < cards else (),
        ids=ids,
        left_out=tuple(name for name in card_names if name in cordoned),
    )


def placements(dialect: HamiDialect, pod: LivePod, node: NodeView) -> tuple[Placement, ...]:
    """The cards of each container, and the MiB on each; empty where the node does not list one of the cards.

    Cards that the view leaves out are only counted: containers on them use nothing of the others.
    """
    records = (
        *dialect.node_annotations.values(),
        *((dialect.summed_nodes.record,) if dialect.summed_nodes else ()),
    )
    texts = [text for text in map(pod.annotation, records) if text is not None]
    return tuple(
        _placed(container, held, node)
        for text in texts
        for container, held in _recorded(pod, text)
        if held and all(uuid in node.ids or uuid in node.left_out for uuid in held)
    )


def _placed(container: ContainerKeys, held: Mapping[str, int], node: NodeView) -> Placement:
    in_view = {node.ids.index(name): mib for name, mib in held.items() if name in node.ids}
    return Placement(
        container.init,
        container.index,
        tuple(in_view),
        tuple(in_view.values()),
        elsewhere=len(held) - len(in_view),
    )


def _recorded(pod: LivePod, text: str) -> Iterator[tuple[ContainerKeys, Mapping[str, int]]]:
    """Each container with the MiB on its cards, from ``id,type,MiB,percent:`` for each card and ``;`` after
    each container.

    Init containers come first; older versions leave them out.
    """
    parts = text.removesuffix(";").split(";")
    all_containers = (*pod.keys.init_containers, *pod.keys.containers)
    containers = all_containers if len(parts) == len(all_containers) else pod.keys.containers
    if len(parts) != len(containers):
        return
    for container, part in zip(containers, parts, strict=True):
        cards = [entry.split(",") for entry in part.split(":") if entry]
        if all(len(entry) > 3 and quantity.is_plain(entry[2]) and len(entry[2]) < DIGITS for entry in cards):
            held = {entry[0]: int(entry[2]) for entry in cards}
            if len(held) == len(cards):
                yield container, held


def _common_word(words: Iterator[str]) -> str | None:
    """The word of all cards; None where they differ or have none."""
    distinct = set(words)
    return distinct.pop() or None if len(distinct) == 1 else None
