"""The live side of a target: how it reads nodes, and what its scheduler records on pods.

A backend gets these plain values of the server, no client.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.model import quantity
from gpuxlate.model.declarations import record
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Extension
from gpuxlate.model.share import Partition, Policy, Replica, Share


@record
class Taken:
    """The part of a device that is allocated to a claim. ``pods``: the pods that the claim is reserved for.
    ``consumed``: the capacity by name; None: the whole device."""

    namespace: str
    claim: str
    pods: tuple[str, ...]
    consumed: Mapping[str, str] | None


@record
class LiveDevice:
    """A device of a ResourceSlice, its values as text. ``tainted``: it takes no new claims. ``counters``: the
    sets of counters that it consumes when a claim has it, together with other devices (KEP-4815)."""

    driver: str
    name: str
    attributes: Mapping[str, str]
    capacity: Mapping[str, str]
    shared: bool
    tainted: bool = False
    taken: tuple[Taken, ...] = ()
    counters: frozenset[str] = frozenset()


@record
class LiveNode:
    """A node of the server: its labels and annotations, and ``status.allocatable`` as text.

    ``devices``: those that claims can have; ``classes``: the device classes of the server.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    allocatable: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[LiveDevice, ...] = ()
    classes: frozenset[str] = frozenset()

    def amount(self, resource: str) -> int:
        """The allocatable amount of a resource; 0 where there is none, or it is not a whole number."""
        return quantity.parse_integer(self.allocatable.get(resource, "0")) or 0


@record
class LivePod:
    """A pod of the server. ``records``: the JSON objects in its annotations, decoded. ``initialized``: its
    init containers have ended, and its sidecars have started."""

    keys: PodKeys
    records: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    initialized: bool = False

    def annotation(self, name: str) -> str | None:
        """The text of an annotation of the pod; None where it has none."""
        value = self.keys.annotations.get(name)
        return value.text if value else None


class NodeOffer(StrEnum):
    """What pods can request on a node."""

    SHARES = "shares"
    PARTS = "parts of cards"
    WHOLE = "whole cards"
    NOTHING = "nothing"


class CardUse(NamedTuple):
    """The part of a card that is allocated to a claim: percent, and MiB. ``memory_mib`` None: the whole card,
    which no other claim can have."""

    card: int
    namespace: str
    pods: tuple[str, ...]
    claim: str
    cores: int = 0
    memory_mib: int | None = None


class CountedRequests(NamedTuple):
    """A resource that pods of a node request by number: whole cards, or equal parts of cards.

    ``key``: the resource; ``amount``: its allocatable amount. ``partition``: the partition that each one is,
    or is a client of; ``replica``: the client of a card or partition that each one is. ``memory_mib``,
    ``multiprocessors``: of one partition, where the node shows them.
    """

    key: str
    amount: int
    partition: str | None = None
    replica: Replica | None = None
    memory_mib: int | None = None
    multiprocessors: int | None = None

    @property
    def is_part(self) -> bool:
        """Whether one of it is a part of a card."""
        return self.partition is not None or self.replica is not None

    def share(self, number: int) -> Share:
        """The share that requests ``number`` of it."""
        partition = Partition(self.partition, 1 if self.replica else number) if self.partition else None
        replica = replace(self.replica, count=number) if self.replica else None
        return Share(1 if self.is_part else number, partition=partition, replica=replica)

    @property
    def name(self) -> str:
        """What one of it is, in words: ``1g.5gb``; ``1/4, mps``; a whole card."""
        share = self.share(1)
        return ", ".join(str(part) for part in (share.partition, share.replica) if part) or "card"


@record
class NodeView:
    """One GPU node as its vendor reads it. None: the node does not show it.

    ``policy``: that of the labels, or the vendor's default; ``mode``: the vendor's own word for how the
    node allocates cards. ``cores`` (percent) and ``memory_mib`` are the totals that pods can request,
    ``card_mib`` the MiB of one card of them; ``physical_mib``: MiB of a card by a label. ``unit_mib``: MiB
    of one unit of memory, where only nodes show it. ``nominal_mib``: ``unit_mib``, or the vendor's default
    where the node does not show it; None where memory is counted in MiB. ``extension``: the vendor's part
    of a profile, for pods of this node. ``whole_key``: the resource that counts whole cards. ``parts``: of a
    node with parts of cards, all that pods can request there.
    ``labels``: as the vendor reads them, with defaults. ``ids``: what records call the cards, by index.
    ``left_out``: those of cards that take no new containers, and are in no other number here.
    ``instances``: the most containers on one card, where the node shows it. ``uses``: what claims have of
    its cards, where the server shows it: pods have no records then.
    """

    target: str | None
    serves: NodeOffer
    policy: Policy | None = None
    mode: str | None = None
    cards: int | None = None
    card_mib: int | None = None
    physical_mib: int | None = None
    unit_mib: int | None = None
    cores: int | None = None
    memory_mib: int | None = None
    model: str | None = None
    whole_key: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    components: Mapping[str, str] = field(default_factory=dict)
    extension: Extension | None = None
    nominal_mib: int | None = None
    notes: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    instances: int | None = None
    uses: tuple[CardUse, ...] = ()
    parts: tuple[CountedRequests, ...] = ()

    @property
    def counted(self) -> tuple[CountedRequests, ...]:
        """The resources that pods request by number, where the node serves no shares by percent or MiB."""
        if self.serves is NodeOffer.WHOLE and self.whole_key and self.cards is not None:
            return (CountedRequests(self.whole_key, self.cards),)
        return self.parts


@record
class Placement:
    """The cards that the vendor's scheduler gave a container, by their indexes on the node.

    ``units``: its memory on each, in the node's units or in MiB where it has none; None: not recorded.
    ``elsewhere``: the number of its cards that the view of the node leaves out.
    """

    init: bool
    index: int
    cards: tuple[int, ...]
    units: tuple[int, ...] | None = None
    elsewhere: int = 0


class MergeNodeValues(Protocol):
    """The value of a profile's field that all nodes give; None, with a note, where they differ."""

    def __call__(self, name: str, values: Iterator[object]) -> Any: ...


Containers = Sequence[ContainerShare]
"""The containers of a pod with their shares."""


def indexes(text: str | None) -> tuple[int, ...] | None:
    """``2,3`` to (2, 3); None where it is not a list of different card indexes."""
    parts = (text or "").split(",")
    if not all(quantity.is_plain(part) and len(part) < 4 for part in parts):
        return None
    card_indexes = tuple(int(part) for part in parts)
    return card_indexes if len(set(card_indexes)) == len(card_indexes) else None


def placements_by_name(pod: LivePod, prefix: str) -> tuple[Placement, ...]:
    """The placements on a pod whose scheduler writes an annotation for each container: prefix and name."""
    placements = []
    for container in pod.keys.all_containers():
        cards = indexes(pod.annotation(prefix + container.name))
        if cards is not None:
            placements.append(Placement(container.init, container.index, cards))
    return tuple(placements)


def per_card(total: int, cards: int | None) -> int | None:
    """The part of a total that each card has, rounded down; None where the number of cards is not known."""
    return total // cards if cards else None
