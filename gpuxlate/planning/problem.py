"""The packing problem: the free cards of nodes, and what pods request on each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.cluster_nodes import NodeOffer, NodeView
from gpuxlate.backends.pod_reader import PodReader
from gpuxlate.backends.scheduling_limits import ANY_MODE, UNBOUND, Limits
from gpuxlate.model.declarations import record
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg, plural
from gpuxlate.model.pod import NodeRequirement, PodKeys
from gpuxlate.planning.filling import Bin
from gpuxlate.planning.ledger import GpuUsage, Ledger, asks_of, requested_number
from gpuxlate.planning.nodes import GpuNode, Taint, Toleration, serves_text, unit_profile
from gpuxlate.planning.placing import FreeGpu
from gpuxlate.planning.requests import UNLIMITED, Asks, ContainerRequest


@record
class PodDemand:
    """A pod template and its ``count`` of pods. ``backend`` is None for whole cards of any cloud.
    ``tolerations``: of a pod of the cluster; None: taints are not looked at."""

    name: str
    keys: PodKeys
    backend: Backend | None
    count: int
    tolerations: tuple[Toleration, ...] | None = None


@dataclass(slots=True)
class PackingProblem:
    """The nodes as bins.

    ``unknown``: by node, what is not known of it; ``excluded``: by pod and node, why it is not taken.
    """

    demands: Sequence[PodDemand]
    ledgers: list[Ledger]
    bins: list[Bin] = field(default_factory=list)
    unknown: dict[int, str] = field(default_factory=dict)
    excluded: dict[tuple[int, int], str] = field(default_factory=dict)

    @property
    def ask_indexes(self) -> list[int]:
        """For each pod, the index of its demand."""
        return [ask_index for ask_index, demand in enumerate(self.demands) for _ in range(demand.count)]


def build_problem(usage: GpuUsage, demands: Sequence[PodDemand]) -> PackingProblem:
    """The problem of pods on the nodes of a cluster, in the order of the names of nodes."""
    ledgers = [usage.ledgers[name] for name in sorted(usage.ledgers)]
    problem = PackingProblem(demands, ledgers)
    for number, ledger in enumerate(ledgers):
        admits: list[Asks | None] = []
        for ask_index, demand in enumerate(demands):
            asks = requests_on_node(ledger, demand)
            if isinstance(asks, str):
                problem.excluded[ask_index, number] = asks
            admits.append(None if isinstance(asks, str) else asks)
        problem.bins.append(Bin(free_gpus(ledger), tuple(admits)))
        why = why_unreadable(ledger)
        if why is not None:
            problem.unknown[number] = why
    return problem


def why_unreadable(ledger: Ledger) -> str | None:
    """Why the free room of a node is not known; None where it is known."""
    if ledger.view.serves is NodeOffer.SHARES and ledger.view.cards is None:
        return msg("the number of its cards is not known")
    if ledger.unplaced:
        count = len(ledger.unplaced)
        return plural(
            count,
            "the cards of {count} container are not recorded",
            "the cards of {count} containers are not recorded",
        )
    return None


def requests_on_node(ledger: Ledger, demand: PodDemand) -> Asks | str:
    """What a pod requests on a node, or why the node does not take it."""
    node, view = ledger.node, ledger.view
    if view.counted:
        counted = _counted(view, demand)
        if isinstance(counted, str):
            return counted
        asks = counted
    elif view.serves is NodeOffer.SHARES and node.backend and _is_read(demand, node.backend, view):
        asks, unread = asks_of(demand.keys, node.backend, view)
        if unread or not asks:
            return msg("the request of the pod cannot be read")
    else:
        return msg("it does not serve {what}", what=_resource_text(demand))
    if node.closed:
        return node.closed
    if taint := untolerated_taint(node, demand):
        return msg("it has the taint {taint}, which the pod does not tolerate", taint=taint)
    reason = unmet_node_label(demand.keys, node.labels)
    if reason is None and demand.backend is not None:
        profile = unit_profile(view)
        containers = demand.backend.read(PodReader(demand.keys, profile), profile).containers
        reason = demand.backend.keeps_out(view, containers)
    return reason or asks


def untolerated_taint(node: GpuNode, pod: PodDemand) -> Taint | None:
    """The first taint of a node that keeps a pod away; None also where taints are not looked at."""
    if pod.tolerations is None:
        return None
    tolerations = pod.tolerations
    return next(
        (taint for taint in node.taints if not any(toleration.covers(taint) for toleration in tolerations)),
        None,
    )


def _is_read(demand: PodDemand, backend: Backend, view: NodeView) -> bool:
    """The pod is written for the target of the node, or for whole cards of any cloud that it has too."""
    return demand.backend is backend or bool(
        demand.backend is None and view.whole_key and requested_number(demand.keys, view.whole_key)
    )


def _resource_text(demand: PodDemand) -> str:
    return msg("shares of {target}", target=demand.backend.name) if demand.backend else NVIDIA_GPU


def _counted(view: NodeView, demand: PodDemand) -> Asks | str:
    """What a pod requests of the resources that a node counts; where it requests something else, why the node
    does not take it."""
    counts = {row.key: count for row in view.counted if (count := requested_number(demand.keys, row.key))}
    names = {name for container in demand.keys.containers for name in container.resources}
    others = sorted(name for name in names if registry.is_gpu_key(name) and name not in counts)
    if counts and not others:
        return tuple(
            ContainerRequest("", False, 0, count, whole=True, mode=key) for key, count in counts.items()
        )
    if not view.parts:
        return msg("it does not serve {what}", what=_resource_text(demand))
    return msg(
        "it does not serve {what}; it serves {others}",
        what=", ".join(others) or _resource_text(demand),
        others=serves_text(view),
    )


def free_gpus(ledger: Ledger) -> tuple[FreeGpu, ...]:
    """What is free on each card of a node, by index."""
    view, backend = ledger.view, ledger.node.backend
    if view.counted:
        return tuple(
            FreeGpu(FULL_CARD_CORES, 0, UNLIMITED, True, row.key)
            for row in view.counted
            for _ in range(ledger.free(row))
        )
    limits = backend.limits if backend else UNBOUND
    slots = view.instances or container_limit(limits, live=True)
    # where a node allocates no compute, its pods compete for all of it
    cores = FULL_CARD_CORES
    if view.cores is not None:
        cores = min(cores, view.cores // max(1, len(ledger.cards)))
    memory = view.card_mib or 0
    return tuple(
        FreeGpu(0, 0, 0, False)
        if card.is_whole
        else FreeGpu(
            max(0, cores - card.cores),
            max(0, memory - card.memory_mib(memory)),
            max(0, slots - card.slots),
            not card.held,
            next((held.ask.mode for held in card.held if held.ask.mode), ANY_MODE),
        )
        for card in ledger.cards
    )


def container_limit(limits: Limits, *, live: bool) -> int:
    """The most containers on a card, UNLIMITED where it is not certain. ``live``: for the nodes of a cluster,
    which may set a number of their own."""
    certain = limits.certain and not (live and limits.default)
    return (limits.per_card if certain else None) or UNLIMITED


def unmet_node_label(pod: PodKeys, labels: Mapping[str, str]) -> str | None:
    """A sentence on a node label that the pod requires and the node does not have; None where it has all."""
    for name, value in pod.node_selector.items():
        if labels.get(name) != value.text:
            return msg("the pod selects {label}", label=f"{name}={value.text}")
    # a term without requirements matches no node
    if pod.affinity and not any(
        term and all(_holds(requirement, labels) for requirement in term) for term in pod.affinity
    ):
        unmet = next(
            (requirement for term in pod.affinity for requirement in term if not _holds(requirement, labels)),
            None,
        )
        if unmet is None:
            return msg("the pod has an empty term of node affinity, which matches no node")
        term = f"{unmet.key} {unmet.operator} {', '.join(unmet.values)}".rstrip()
        return msg("the pod requires {term}", term=term)
    return None


def _holds(requirement: NodeRequirement, labels: Mapping[str, str]) -> bool:
    """As the scheduler of Kubernetes reads a match expression."""
    value = labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return value in requirement.values
        case "NotIn":
            return value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            try:
                number, bound = int(value or ""), int(requirement.values[0])
            except (ValueError, IndexError):
                return False
            return number > bound if requirement.operator == "Gt" else number < bound
    return False
