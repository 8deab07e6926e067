"""Which container uses what of which card, from the records of the vendors' schedulers on pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpuxlate.backends.base import Backend
from gpuxlate.backends.cluster_nodes import CountedRequests, LivePod, NodeOffer, NodeView, Placement
from gpuxlate.backends.pod_reader import ContainerShare, PodReader
from gpuxlate.backends.scheduling_limits import ANY_MODE, InitContainers, sum_reserved
from gpuxlate.model import quantity
from gpuxlate.model.declarations import Count, Printed, record
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.model.share import ALL_MEMORY, Qos, Share
from gpuxlate.planning.nodes import GpuNode, unit_profile
from gpuxlate.planning.requests import ContainerRequest

NO_RECORD = msg("no card is recorded")


@record
class GpuPod:
    """A pod that requests GPUs and has not finished. ``node`` is empty while it waits for one."""

    namespace: str
    name: str
    node: str
    live: LivePod


@record
class ContainerUse:
    """What a container uses of one card; ``memory_mib`` is None for all of it."""

    namespace: str
    pod: str
    ask: ContainerRequest
    memory_mib: int | None


@record
class UnplacedContainer:
    """A container whose cards are not known; ``ask`` is None where it cannot be read."""

    namespace: str
    pod: str
    container: str
    ask: ContainerRequest | None
    reason: str


@dataclass(slots=True)
class OccupiedCard:
    """One card and the containers on it."""

    index: int
    held: list[ContainerUse] = field(default_factory=list)

    @property
    def cores(self) -> int:
        """Percent in use."""
        return self._maximum(lambda use: use.ask.percent)

    def memory_mib(self, card_mib: int | None) -> int:
        """MiB in use; all of the card where a container has it whole."""
        return self._maximum(lambda use: (card_mib or 0) if use.memory_mib is None else use.memory_mib)

    @property
    def slots(self) -> int:
        """Containers at once."""
        return self._maximum(lambda _: 1)

    def _maximum(self, size: Callable[[ContainerUse], int]) -> int:
        """The sum over the pods of the card of the most that each uses at one time, since init containers end
        before the others start."""
        if not any(use.ask.ends for use in self.held):
            return sum(map(size, self.held))
        sums: dict[tuple[str, str], Counter[int | None]] = {}
        for use in self.held:
            last = use.ask.index if use.ask.ends else None
            sums.setdefault((use.namespace, use.pod), Counter())[last] += size(use)
        return sum(max(by_container.values()) for by_container in sums.values())

    @property
    def is_whole(self) -> bool:
        """One container has the whole card."""
        return any(use.ask.whole for use in self.held)


@dataclass(slots=True)
class Ledger:
    """The cards of one node. Of what it counts only the number is known; ``taken``: in use, by resource."""

    node: GpuNode
    cards: list[OccupiedCard]
    unplaced: list[UnplacedContainer] = field(default_factory=list)
    taken: dict[str, int] = field(default_factory=dict)

    @property
    def view(self) -> NodeView:
        """What the backend reads of the node."""
        return self.node.view

    def _unplaced(self) -> Iterator[tuple[ContainerRequest, int]]:
        """The requests of containers whose cards are not known, each with its number of cards."""
        return ((unplaced.ask, unplaced.ask.cards) for unplaced in self.unplaced if unplaced.ask)

    @property
    def cores_free(self) -> int | None:
        """Allocatable percent that no pod of the node requests."""
        if self.view.cores is None:
            return None
        unplaced = sum(ask.percent * times for ask, times in self._unplaced())
        return max(0, self.view.cores - sum(card.cores for card in self.cards) - unplaced)

    @property
    def memory_free(self) -> int | None:
        """Allocatable MiB that no pod of the node requests."""
        if self.view.memory_mib is None:
            return None
        card = self.view.card_mib or 0
        taken = sum(held.memory_mib(card) for held in self.cards)
        taken += sum(
            (card if ask.memory_mib is None else ask.memory_mib) * times for ask, times in self._unplaced()
        )
        return max(0, self.view.memory_mib - taken)

    def free(self, counted: CountedRequests) -> int:
        """How many of a resource that the node counts are free."""
        return max(0, counted.amount - self.taken.get(counted.key, 0))

    @property
    def cards_free(self) -> int | None:
        """Cards without a container; None where the cards of some pod are not recorded."""
        if self.view.serves is NodeOffer.WHOLE:
            return sum(self.free(counted) for counted in self.view.counted) if self.view.counted else None
        if self.view.serves is NodeOffer.PARTS or self.unplaced or self.view.cards is None:
            return None
        return sum(not card.held for card in self.cards)


@dataclass(slots=True)
class GpuUsage:
    """The ledger of every GPU node, and the number of pods that wait for a node."""

    ledgers: dict[str, Ledger]
    waiting: int = 0


def usage_by_node(nodes: Sequence[GpuNode], pods: Iterable[GpuPod]) -> GpuUsage:
    """The ledgers of nodes with their pods, which may come in any order."""
    usage = GpuUsage({node.name: open_ledger(node) for node in nodes})
    for pod in pods:
        ledger = usage.ledgers.get(pod.node)
        if ledger is not None:
            enter(ledger, pod)
        elif not pod.node:
            usage.waiting += 1
    for ledger in usage.ledgers.values():
        ledger.unplaced.sort(key=lambda unplaced: (unplaced.namespace, unplaced.pod, unplaced.container))
        for card in ledger.cards:
            card.held.sort(key=lambda use: (use.namespace, use.pod, use.ask.container))
    return usage


def open_ledger(node: GpuNode) -> Ledger:
    """The ledger of a node before its pods are entered: its cards, with what claims hold of them already.

    It has no cards where the node does not serve shares. Compute is in percent of a card, memory in MiB.
    """
    shares = node.view.serves is NodeOffer.SHARES
    ledger = Ledger(node, [OccupiedCard(index) for index in range(node.view.cards or 0 if shares else 0)])
    for use in node.view.uses:
        whole = use.memory_mib is None
        ask = ContainerRequest(f"claim {use.claim}", False, 0, 1, use.cores, use.memory_mib, whole)
        pods = ", ".join(use.pods) or "-"
        ledger.cards[use.card].held.append(ContainerUse(use.namespace, pods, ask, use.memory_mib))
    return ledger


def enter(ledger: Ledger, pod: GpuPod) -> None:
    """Enter one pod of the node in its ledger."""
    view, backend, keys = ledger.view, ledger.node.backend, pod.live.keys
    for counted in view.counted:
        number = requested_number(keys, counted.key)
        if view.left_out and backend is not None:
            number -= sum(placement.elsewhere for placement in backend.placements(pod.live, view))
        ledger.taken[counted.key] = ledger.taken.get(counted.key, 0) + max(0, number)
    if view.serves is not NodeOffer.SHARES or backend is None:
        return
    recorded = {
        (placement.init, placement.index): placement for placement in backend.placements(pod.live, view)
    }
    asks, unread = asks_of(keys, backend, view)
    for container in unread:
        ledger.unplaced.append(
            UnplacedContainer(
                pod.namespace, pod.name, container.name, None, msg("its request cannot be read")
            )
        )
    steady = any(not ask.ends for ask in asks)
    for ask in asks:
        where = recorded.get((ask.init, ask.index))
        if ask.ends and (pod.live.initialized or (steady and where is None)):
            continue  # it has ended, or an older scheduler records no init containers
        reason = _why_not(where, ask, ledger)
        if where is None or reason:
            ledger.unplaced.append(
                UnplacedContainer(pod.namespace, pod.name, ask.container, ask, reason or NO_RECORD)
            )
            continue
        for number, index in enumerate(where.cards):
            memory = ask.memory_mib
            if where.units is not None:
                memory = where.units[number] * (view.nominal_mib or 1)
            ledger.cards[index].held.append(ContainerUse(pod.namespace, pod.name, ask, memory))


def _why_not(where: Placement | None, ask: ContainerRequest, ledger: Ledger) -> str | None:
    """Why a record cannot be used."""
    if where is None:
        return NO_RECORD
    if any(index >= len(ledger.cards) for index in where.cards):
        text = "card {card} is recorded, but the node has {count} cards"
        return msg(text, card=max(where.cards), count=len(ledger.cards))
    count = len(where.cards) + where.elsewhere
    if count != ask.cards:
        return msg("{count} cards are recorded, but it requests {asked}", count=count, asked=ask.cards)
    return None


def asks_of(
    pod: PodKeys, backend: Backend, view: NodeView
) -> tuple[tuple[ContainerRequest, ...], tuple[ContainerKeys, ...]]:
    """What the containers of a pod request, and those whose request cannot be read.

    Init containers are among them where the scheduler of the target looks at them.
    """
    profile = unit_profile(view)
    containers = backend.read(PodReader(pod, profile), profile).containers
    keys = {(container.init, container.index): container for container in pod.all_containers()}
    asking = [
        container
        for container in containers
        if container.share or _has_keys(keys[container.init, container.index], backend)
    ]
    rule = backend.init_reserved
    if rule is InitContainers.IGNORED:
        asking = [container for container in asking if not container.init]
    asks = tuple(
        replace(
            ask_of(container, container.share, backend, view.card_mib),
            ends=container.init
            and rule is InitContainers.LARGEST
            and not keys[container.init, container.index].sidecar,
        )
        for container in asking
        if container.share
    )
    return asks, tuple(keys[container.init, container.index] for container in asking if not container.share)


def _has_keys(container: ContainerKeys, backend: Backend) -> bool:
    return any(backend.is_gpu_key(name) for name in container.resources)


def ask_of(
    container: ContainerShare, share: Share, backend: Backend, card_mib: int | None, pool: str = ANY_MODE
) -> ContainerRequest:
    """What a container with this share requests of each card, by the limits of a target.

    ``card_mib``: MiB of a card; ``pool``: what the pods of its node have in common.
    """
    offline, limits = share.qos is Qos.OFFLINE, backend.limits
    cores, memory = 0 if offline else share.cores_per_card or 0, share.memory_mib_per_card
    if share.memory_percent is not None and card_mib is not None:
        memory = card_mib * share.memory_percent // ALL_MEMORY
    whole, joins_at = share.whole_cards, limits.uncapped_percent
    return ContainerRequest(
        container.name,
        container.init,
        container.index,
        share.cards,
        cores,
        memory,
        whole,
        offline,
        0 if whole or cores else joins_at,
        bool(joins_at) and cores == FULL_CARD_CORES,
        ANY_MODE if whole else limits.card_mode(share),
        pool,
    )


def requested_number(pod: PodKeys, key: str) -> int:
    """How many of a resource the containers of a pod request, as the scheduler of Kubernetes counts them."""
    numbers = (
        (
            container.init,
            container.sidecar,
            {key: quantity.parse_integer(container.resources[key].text) or 0},
        )
        for container in pod.all_containers()
        if key in container.resources
    )
    return sum_reserved(numbers, InitContainers.LARGEST)[key]


@record
class UsageSums(Printed):
    """Sums over nodes that serve shares of one target."""

    nodes: Count
    """Nodes."""
    cards: Count
    """Cards."""
    cores: Count
    """Compute in percent of one card."""
    cores_free: Count
    """What of it no pod requests."""
    memory_mib: Count
    """Memory in MiB."""
    memory_free_mib: Count
    """What of it no pod requests."""
    unplaced: Count
    """Containers whose cards are not known."""


def sum_usage(ledgers: Iterable[Ledger]) -> Mapping[str, UsageSums]:
    """The sums by target."""
    served: dict[str, list[Ledger]] = {}
    for ledger in ledgers:
        if ledger.view.serves is NodeOffer.SHARES:
            served.setdefault(ledger.view.target or "", []).append(ledger)
    return {
        target: UsageSums(
            len(of_target),
            sum(ledger.view.cards or 0 for ledger in of_target),
            sum(ledger.view.cores or 0 for ledger in of_target),
            sum(ledger.cores_free or 0 for ledger in of_target),
            sum(ledger.view.memory_mib or 0 for ledger in of_target),
            sum(ledger.memory_free or 0 for ledger in of_target),
            sum(len(ledger.unplaced) for ledger in of_target),
        )
        for target, of_target in sorted(served.items())
    }
