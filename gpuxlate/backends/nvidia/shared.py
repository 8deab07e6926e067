"""Replicas of cards: time-slicing and MPS of NVIDIA's device plugin.

The resource tells neither how many clients a card has nor how they share it. What a share says of that is
written as a choice of nodes by the labels of GPU feature discovery, and read from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuxlate.backends import nvidia as k
from gpuxlate.backends.nvidia_device_plugin import (
    CLIENTS,
    PRODUCT,
    NvidiaProfile,
    Products,
    clients,
    clients_in,
    divided_alike,
    products_chosen,
    products_written,
    refuse_other_replicas,
    take_client_isolation,
    take_products,
)
from gpuxlate.backends.pod_reader import number
from gpuxlate.backends.target import (
    ContainerShare,
    Limits,
    PodReader,
    PodWriter,
    Reading,
    ShareWriter,
)
from gpuxlate.model.amounts import Part, known_replica
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.model.share import Isolation, Policy, Replica, Share
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import AnyOf, Requests, RequiresNodeLabel, SomeContainer

NAMES = ("nvidia-shared",)
SPEAKS = SomeContainer(Requests(NVIDIA_GPU)) & AnyOf(
    RequiresNodeLabel(k.STRATEGY, *k.STRATEGIES), RequiresNodeLabel(PRODUCT, CLIENTS)
)
"""Cards of nodes on which each is counted several times."""


def counts_clients(pod: PodKeys, profile: Profile | None) -> bool:
    """Whether the common key counts clients of cards, by the choice of nodes or by the profile."""
    sharing = NvidiaProfile.of(profile).sharing
    by_profile = (
        profile is not None and profile.target in NAMES and sharing.strategy != "none" and not sharing.renames
    )
    return by_profile or SPEAKS.holds(pod.with_workload())


def _container(
    pod: PodReader, container: ContainerKeys, replica: Replica, not_renamed: bool, card: Products
) -> ContainerShare:
    for name in (k.GPU_SHARED, NVIDIA_GPU):
        count = pod.number(container, name)
        if count is None:
            continue
        where = container.resources[name].path
        if name == k.GPU_SHARED or not_renamed:
            return pod.share(
                container,
                replica=Replica(replica.of, replica.strategy, count),
                device=card.device,
                origins={"replica": where, **card.origins},
            )
        return pod.share(container, cards=count, device=card.device, origins={"cards": where, **card.origins})
    return pod.none(container)


def _write(placing: ShareWriter, profile: Profile | None) -> ContainerKeys:
    replica = placing.take("replica")
    cluster = NvidiaProfile.of(profile)
    name = k.GPU_SHARED if cluster.sharing.renames else NVIDIA_GPU
    if replica is None:
        cards = int(placing.take("cards"))
        limits = {NVIDIA_GPU: Value.of(cards)}
        placing.on_nodes(card_of(profile, NAMES), "GX023", None)
        if name == NVIDIA_GPU and cluster.replica is not None:
            message = msg("{key} counts clients of cards in this profile, not whole cards", key=NVIDIA_GPU)
            placing.refuse("cards", "GX023", message, "request a replica, or nodes that do not share cards")
    else:
        limits = {name: Value.of(replica.count)}
        take_client_isolation(placing, replica)
        if replica.count > 1:
            message = msg("requests {count} clients of cards; a container has one", count=replica.count)
            placing.refuse("replica", "NVIDIA001", message, "request one larger part, or whole cards")
        refuse_other_replicas(placing, replica, cluster.replica)
        of_nodes = known_replica(replica, profile)
        if of_nodes != replica:
            placing.comes_with["replica"] = of_nodes
    return ContainerKeys(placing.name, placing.index, placing.init, limits, limits)


class NvidiaShared(k.DevicePluginBackend):
    """Clients of shared cards (PLUGIN): one replica of a card that nodes divide among so many, and no
    amount of it."""

    name = NAMES[0]
    title = "NVIDIA time-slicing and MPS"
    keys = k.SHARED_KEYS
    gpu_prefixes = (k.GPU_SHARED,)
    field_docs = {
        "cards": f"whole cards: {NVIDIA_GPU}, on nodes that do not share them",
        "policy": f"no key; {Policy.FIXED_SHARE} with MPS",
        "device": f"nodeSelector or node affinity {PRODUCT}",
        "isolation": f"no key; {Isolation.SOFT} with MPS, else {Isolation.NONE}",
        "replica": f"{k.GPU_SHARED}, or {NVIDIA_GPU} if not renamed; nodeSelector {k.REPLICAS}, {k.STRATEGY}",
    }
    detected_by = SPEAKS
    parts_need = (
        "pass a profile whose nodes share cards by MPS (nvidia.sharing, cards.memoryMiB): by "
        "time-slicing no part of a card is promised"
    )
    limits = Limits(source="PLUGIN", node_mode=divided_alike)

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Read keys as shares."""
        not_renamed = counts_clients(pod.pod, profile)
        is_shared = not_renamed or any(
            k.GPU_SHARED in container.resources for container in pod.pod.all_containers()
        )
        texts, numbers = pod.node_values(k.STRATEGY), pod.node_values(k.REPLICAS)
        strategy = k.STRATEGIES.get(texts[0]) if is_shared and len(texts) == 1 else None
        of = clients_in(numbers) if is_shared else None
        pod.read_selector(k.STRATEGY, texts if strategy else ())
        pod.read_selector(k.REPLICAS, numbers if of else ())
        nodes = NvidiaProfile.of(profile).replica if profile and profile.target in NAMES else None
        if is_shared and nodes is not None:  # what no label of the choice says, the nodes of the profile do
            strategy = strategy if texts else nodes.strategy
            of = of if numbers else nodes.of
        for row in k.SHARED_KEYS:
            if row.sets == "selector" and row.name not in (k.STRATEGY, k.REPLICAS):
                if "/" in row.name:
                    pod.read_selector(row.name)
                    continue
                for container in pod.pod.all_containers():
                    pod.read_choice(pod.env(container, row.name), row.name, "variable")
        card = take_products(pod, products_chosen(pod, profile), profile=None, shared=not_renamed)
        return pod.reading(
            [
                _container(pod, container, Replica(of, strategy), not_renamed, card)
                for container in pod.pod.all_containers()
            ]
        )

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as keys."""
        containers = [_write(placing, profile) for placing in pod.placings]
        replicas = {
            (replica.of, replica.strategy)
            for placing in pod.placings
            if (replica := placing.peek("replica")) is not None
        }
        if len(replicas) > 1:
            for placing in pod.placings:
                message = msg(
                    "a pod runs on nodes of one kind, and its containers request different replicas"
                )
                placing.refuse("replica", "GX022", message, "use a separate pod for each")
        of, strategy = min(replicas, key=str) if replicas else (None, None)
        chosen = {k.STRATEGY: strategy and str(strategy), k.REPLICAS: of and str(of)}
        not_renamed = bool(replicas) and not NvidiaProfile.of(profile).sharing.renames
        cards, affinity = products_written(pod, profile, shared=not_renamed)
        return PodKeys(
            *in_lists(containers),
            node_selector={**{name: Value.of(text) for name, text in chosen.items() if text}, **cards},
            affinity=affinity,
        )

    def parts(self, share: Share, profile: Profile | None) -> Iterable[Part]:
        """Clients of the cards of the profile."""
        return clients(share, profile)

    def allocatable(
        self, share: Share, cards_of_node: int, _memory_mib: int, profile: Profile | None
    ) -> dict[str, int]:
        """Clients of all cards, where their number is known; whole cards on nodes that do not share them."""
        if share.replica is None:
            return {NVIDIA_GPU: cards_of_node}
        of = known_replica(share.replica, profile).of
        name = k.GPU_SHARED if NvidiaProfile.of(profile).sharing.renames else NVIDIA_GPU
        return {name: cards_of_node * of} if of else {}


# The rules of replicas: NVIDIA001 and NVIDIA006.
NO_POLICY = "what a number means depends on the configuration of the nodes"


@rule("NVIDIA001", Severity.WARNING, no_policy=NO_POLICY)
def one_client_is_requested(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`nvidia.com/gpu.shared` is 1, and so is `nvidia.com/gpu` on nodes that count clients with it.

    ## What it does
    Reports more than one `nvidia.com/gpu.shared`, or more than one `nvidia.com/gpu` on nodes that count
    clients with it. An error where MPS shares the cards, or the profile says
    `failRequestsGreaterThanOne`; and for zero.

    ## Why
    Two clients are no more of a card than one: by time-slicing they may be on one card and get no more time.
    With MPS or `failRequestsGreaterThanOne` the pod ends with UnexpectedAdmissionError.

    ## Source
    NVIDIA/k8s-device-plugin, api/config/v1 (2026-08-19).
    """
    sharing = NvidiaProfile.of(context.profile).sharing
    strategies = {text for text, _ in pod.allowed(k.STRATEGY)}
    refused = strategies == {"mps"} or sharing.strategy == "mps" or sharing.refuses
    names = (k.GPU_SHARED, *((NVIDIA_GPU,) if counts_clients(pod, context.profile) else ()))
    for container in pod.all_containers():
        for name in names:
            value = container.resources.get(name)
            count = number(value)
            if value is None or count in (None, 1):
                continue
            message = msg("{key} is {count}: a container has one client of a card", key=name, count=count)
            severity = Severity.ERROR if refused or not count or count < 1 else Severity.WARNING
            hint = "write 1; for more of a card, share it between fewer clients, or request whole cards"
            yield this.diagnostic(value, message, hint, severity=severity)


@rule("NVIDIA006", Severity.WARNING, no_policy=NO_POLICY)
def resource_is_renamed(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`nvidia.com/gpu.shared` is requested where the plug-in of the cluster renames the resource to it.

    ## What it does
    Reports `nvidia.com/gpu.shared` where the profile says that the plug-in does not rename the resource.

    ## Why
    Without `renameByDefault: true` the resource of shared cards is `nvidia.com/gpu`: the pod stays Pending.

    ## Source
    NVIDIA/k8s-device-plugin, README, "With CUDA time-slicing" (2026-08-19).
    """
    profile = context.profile
    if profile is None or profile.target not in NAMES or NvidiaProfile.of(profile).sharing.renames:
        return
    for container in pod.all_containers():
        value = container.resources.get(k.GPU_SHARED)
        if value is not None:
            message = msg("{key} is not a resource of the profile's cluster", key=k.GPU_SHARED)
            yield this.diagnostic(value, message, msg("write {key}", key=NVIDIA_GPU), on_key=True)
