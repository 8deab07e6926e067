"""What a target knows of a live cluster: its nodes, and what its scheduler recorded on pods.

A backend's module of nodes holds one ``LIVE``. It sees plain values, no client and no JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gpuxlate.backends.base import ContainerShare
from gpuxlate.model import quantity
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import AlibabaProfile
from gpuxlate.model.share import Policy

PERCENT = 100
"""Compute of a whole card."""


@dataclass(frozen=True, slots=True)
class LiveNode:
    """A node as the server has it: labels, and ``status.allocatable`` as it is written there."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    allocatable: Mapping[str, str] = field(default_factory=dict)

    def amount(self, resource: str) -> int:
        """What is allocatable of a resource; 0 where there is none, or no whole number."""
        return quantity.whole(self.allocatable.get(resource, "0")) or 0


@dataclass(frozen=True, slots=True)
class LivePod:
    """A pod as the server has it. ``records``: its annotations that hold JSON objects, decoded."""

    keys: PodKeys
    records: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def annotation(self, name: str) -> str | None:
        found = self.keys.annotations.get(name)
        return found.text if found else None


class Serves(StrEnum):
    """What pods can ask of a node."""

    SHARES = "shares"
    WHOLE = "whole cards"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class NodeView:
    """One GPU node as its vendor means it. None is what the node does not tell.

    ``policy``: what labels say, or the vendor's default where they say nothing; ``mode``: the
    vendor's own word for how the node gives out cards. ``cores`` (percent) and ``memory_mib`` are
    totals that pods may ask for, ``card_mib`` the MiB of one card of it; ``physical_mib``: a
    card's own MiB by a label. ``unit_mib``: MiB of one unit of memory where only nodes tell it.
    ``whole_key``: the resource that counts whole cards. ``labels``: as the vendor reads them,
    defaults included.
    """

    target: str | None
    serves: Serves
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
    alibaba: AlibabaProfile | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Placement:
    """The cards that the vendor's scheduler gave a container, by their indexes on the node.

    ``units``: what it took of the memory of each, in the node's units, where it is recorded.
    """

    init: bool
    index: int
    cards: tuple[int, ...]
    units: tuple[int, ...] | None = None


Containers = Sequence[ContainerShare]
"""The containers of a pod with their shares."""


@dataclass(frozen=True, slots=True)
class Live:
    """The live side of a target.

    ``view``: a node of this vendor, None where it is none. ``placements``: what is recorded on a
    pod, nothing where there is no record. ``keeps_out``: why a node does not take a pod, in words,
    None where it does. ``instances``: containers on one card at most; ``instances_certain``: the
    documents agree on it. ``tells``: by fact of a profile, the command that tells it where nodes
    do not.
    """

    view: Callable[[LiveNode], NodeView | None]
    placements: Callable[[LivePod], tuple[Placement, ...]]
    keeps_out: Callable[[NodeView, Containers], str | None]
    instances: int
    instances_certain: bool = True
    tells: Mapping[str, str] = field(default_factory=dict)


def indexes(text: str | None) -> tuple[int, ...] | None:
    """``2,3`` to (2, 3); None where it is no list of different card indexes."""
    parts = (text or "").split(",")
    if not all(quantity.is_plain(part) and len(part) < 4 for part in parts):
        return None
    found = tuple(int(part) for part in parts)
    return found if len(set(found)) == len(found) else None


def recorded_by_name(pod: LivePod, prefix: str) -> tuple[Placement, ...]:
    """Placements of schedulers that write one annotation a container: its name after a prefix."""
    found = []
    for one in pod.keys.all_containers():
        cards = indexes(pod.annotation(prefix + one.name))
        if cards is not None:
            found.append(Placement(one.init, one.index, cards))
    return tuple(found)


def per_card(total: int, cards: int | None) -> int | None:
    """An equal part, rounded down: never more than there is."""
    return total // cards if cards else None
