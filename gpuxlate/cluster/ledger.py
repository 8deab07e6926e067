"""Who holds what on which card: the records of the vendors' schedulers, put on the cards of nodes.

Pods are read page by page and nothing is kept of those without a GPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gpuxlate.backends.base import Backend, ContainerShare, Taking
from gpuxlate.backends.live import PERCENT, NodeView, Placement, Serves
from gpuxlate.cluster.live import asks_for_gpus, is_over, live_pod
from gpuxlate.cluster.nodes import GpuNode, unit_profile
from gpuxlate.cluster.server import PODS, Json, Server
from gpuxlate.model import quantity
from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.model.share import Qos

NO_RECORD = "no card is recorded"


@dataclass(frozen=True, slots=True)
class Ask:
    """What one container takes of each of its ``cards``.

    ``cores``: percent that count against the card; offline compute does not. ``memory_mib`` is
    None where all of the card is taken.
    """

    container: str
    init: bool
    index: int
    cards: int = 1
    cores: int = 0
    memory_mib: int | None = None
    whole: bool = False
    offline: bool = False

    @property
    def percent(self) -> int:
        """Percent of each card that nobody else can have."""
        return PERCENT if self.whole else self.cores


@dataclass(frozen=True, slots=True)
class Held:
    """What a container holds on one card."""

    namespace: str
    pod: str
    ask: Ask
    memory_mib: int | None


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A container on a node of which nobody knows the cards; ``ask`` is None where it cannot be read."""

    namespace: str
    pod: str
    container: str
    ask: Ask | None
    reason: str


@dataclass(slots=True)
class Card:
    """One card and what is held on it."""

    index: int
    held: list[Held] = field(default_factory=list)

    @property
    def cores(self) -> int:
        """Percent that is taken."""
        return sum(one.ask.percent for one in self.held)

    def memory_mib(self, card_mib: int | None) -> int:
        """MiB that are taken; all of the card where it is taken whole."""
        return sum((card_mib or 0) if one.memory_mib is None else one.memory_mib for one in self.held)

    @property
    def is_whole(self) -> bool:
        """The card is one container's alone."""
        return any(one.ask.whole for one in self.held)


@dataclass(slots=True)
class Ledger:
    """The cards of one node. Nodes of whole cards have none of them: only their number is known."""

    node: GpuNode
    cards: list[Card]
    unplaced: list[Unplaced] = field(default_factory=list)
    whole_taken: int = 0

    @property
    def view(self) -> NodeView:
        return self.node.view

    def _asked(self) -> Iterator[tuple[Ask, int | None, int]]:
        """What is taken: the ask, its MiB of a card, and of how many cards."""
        for card in self.cards:
            yield from ((one.ask, one.memory_mib, 1) for one in card.held)
        yield from ((one.ask, one.ask.memory_mib, one.ask.cards) for one in self.unplaced if one.ask)

    @property
    def cores_free(self) -> int | None:
        """Percent that is allocatable and that no pod of the node asks for."""
        if self.view.cores is None:
            return None
        return max(0, self.view.cores - sum(ask.percent * times for ask, _, times in self._asked()))

    @property
    def memory_free(self) -> int | None:
        """MiB that are allocatable and that no pod of the node asks for."""
        if self.view.memory_mib is None:
            return None
        card = self.view.card_mib or 0
        taken = sum((card if memory is None else memory) * times for _, memory, times in self._asked())
        return max(0, self.view.memory_mib - taken)

    @property
    def cards_free(self) -> int | None:
        """Cards that nobody holds a part of, as far as is recorded; None where pods have no record."""
        if self.view.serves is Serves.WHOLE:
            return None if self.view.cards is None else max(0, self.view.cards - self.whole_taken)
        if self.unplaced or self.view.cards is None:
            return None
        return sum(not card.held for card in self.cards)


@dataclass(slots=True)
class Books:
    """Every GPU node's ledger, and the pods that wait for a node."""

    ledgers: dict[str, Ledger]
    waiting: int = 0

    @property
    def unplaced(self) -> int:
        return sum(len(one.unplaced) for one in self.ledgers.values())


def books(server: Server, nodes: Sequence[GpuNode]) -> Books:
    """The books of a cluster, from its pods."""
    return of_pods(nodes, (pod for page in server.pages(PODS) for pod in page))


def of_pods(nodes: Sequence[GpuNode], pods: Iterable[Json]) -> Books:
    """The books of nodes with these pods. Their order makes no difference."""
    found = Books({node.name: open_ledger(node) for node in nodes})
    for pod in pods:
        if is_over(pod) or not asks_for_gpus(pod):
            continue
        ledger = found.ledgers.get((pod.get("spec") or {}).get("nodeName") or "")
        if ledger is not None:
            enter(ledger, pod)
        elif not (pod.get("spec") or {}).get("nodeName"):
            found.waiting += 1
    for ledger in found.ledgers.values():
        ledger.unplaced.sort(key=lambda one: (one.namespace, one.pod, one.container))
        for card in ledger.cards:
            card.held.sort(key=lambda one: (one.namespace, one.pod, one.ask.container))
    return found


def open_ledger(node: GpuNode) -> Ledger:
    shares = node.view.serves is Serves.SHARES
    return Ledger(node, [Card(index) for index in range(node.view.cards or 0 if shares else 0)])


def enter(ledger: Ledger, pod: Json) -> None:
    """Put one pod of the node into its ledger."""
    live, view, backend = live_pod(pod), ledger.view, ledger.node.backend
    metadata = pod["metadata"]
    namespace, name = str(metadata.get("namespace", "")), str(metadata["name"])
    if view.serves is Serves.WHOLE and view.whole_key:
        ledger.whole_taken += whole_cards(live.keys, view.whole_key)
    if view.serves is not Serves.SHARES or backend is None or backend.live is None:
        return
    recorded = {(one.init, one.index): one for one in backend.live.placements(live)}
    asks, unread = asks_of(live.keys, backend, view)
    for claim in unread:
        ledger.unplaced.append(Unplaced(namespace, name, claim.name, None, "what it asks for cannot be read"))
    for ask in asks:
        where = recorded.get((ask.init, ask.index))
        reason = _why_not(where, ask, ledger)
        if where is None or reason:
            ledger.unplaced.append(Unplaced(namespace, name, ask.container, ask, reason or NO_RECORD))
            continue
        for number, index in enumerate(where.cards):
            memory = ask.memory_mib
            if where.units is not None and view.nominal_mib is not None:
                memory = where.units[number] * view.nominal_mib
            ledger.cards[index].held.append(Held(namespace, name, ask, memory))


def _why_not(where: Placement | None, ask: Ask, ledger: Ledger) -> str | None:
    """Why a record is not to be believed."""
    if where is None:
        return NO_RECORD
    if any(index >= len(ledger.cards) for index in where.cards):
        return f"card {max(where.cards)} is recorded, and the node has {len(ledger.cards)}"
    if len(where.cards) != ask.cards:
        return f"{len(where.cards)} cards are recorded, and it asks for {ask.cards}"
    return None


def asks_of(
    pod: PodKeys, backend: Backend, view: NodeView
) -> tuple[tuple[Ask, ...], tuple[ContainerKeys, ...]]:
    """What the containers of a pod take, and those that cannot be read.

    Init containers give back what they held, and count only where no other container asks.
    """
    profile = unit_profile(view)
    found = backend.read(Taking(pod), profile).containers
    keys = {(one.init, one.index): one for one in pod.all_containers()}
    asking = [one for one in found if one.share or _has_keys(keys[one.init, one.index], backend)]
    asking = [one for one in asking if not one.init] or asking
    asks = tuple(_ask(one) for one in asking if one.share)
    return asks, tuple(keys[one.init, one.index] for one in asking if not one.share)


def _has_keys(container: ContainerKeys, backend: Backend) -> bool:
    return any(backend.is_gpu_key(name) for name in container.resources)


def _ask(one: ContainerShare) -> Ask:
    share = one.share
    assert share is not None
    offline = share.qos is Qos.OFFLINE
    return Ask(
        one.name,
        one.init,
        one.index,
        share.cards,
        0 if offline else share.cores_per_card or 0,
        share.memory_mib_per_card,
        share.whole_cards,
        offline,
    )


def whole_cards(pod: PodKeys, key: str) -> int:
    """The whole cards that the containers of a pod ask for."""
    return sum(quantity.whole(one.resources[key].text) or 0 for one in pod.containers if key in one.resources)


def totals(ledgers: Iterable[Ledger]) -> Mapping[str, dict[str, int]]:
    """Sums by target over nodes that serve shares: cards, percent and MiB, there and free."""
    found: dict[str, dict[str, int]] = {}
    for one in ledgers:
        if one.view.serves is not Serves.SHARES:
            continue
        names = ("nodes", "cards", "cores", "coresFree", "memoryMiB", "memoryFreeMiB", "unplaced")
        here = found.setdefault(one.view.target or "", dict.fromkeys(names, 0))
        numbers = (
            1, one.view.cards, one.view.cores, one.cores_free,
            one.view.memory_mib, one.memory_free, len(one.unplaced),
        )  # fmt: skip
        for name, number in zip(names, numbers, strict=True):
            here[name] += number or 0
    return dict(sorted(found.items()))
