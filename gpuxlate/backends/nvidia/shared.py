"""Replicas of cards: time-slicing and MPS of NVIDIA's device plugin.

The resource tells neither how many clients a card has nor how they share it. What a share says of that is
written as a choice of nodes by the labels of GPU feature discovery, and read from it.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuxlate.backends.base import Backend, ContainerShare, Limits, Placing, PodPlacing, Reading, Taking
from gpuxlate.backends.device_plugin import (
    CLIENTS,
    PRODUCT,
    NvidiaProfile,
    Products,
    clients,
    clients_in,
    divided_alike,
    is_of_the_nodes,
    products_chosen,
    products_written,
    shares,
    take_products,
)
from gpuxlate.backends.nvidia import keys as k
from gpuxlate.model.amounts import Part, known_replica
from gpuxlate.model.messages import say
from gpuxlate.model.parts import Replica
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.model.share import Isolation, Policy, Share
from gpuxlate.rules.predicates.conditions import Any, Asks, Selects, SomeContainer

NAMES = ("nvidia-shared",)
SPEAKS = SomeContainer(Asks(k.WHOLE)) & Any(Selects(k.STRATEGY, *k.STRATEGIES), Selects(PRODUCT, CLIENTS))
"""Cards of nodes on which each is counted several times."""


def counts_clients(pod: PodKeys, profile: Profile | None) -> bool:
    """The common key counts clients of cards: by the choice of nodes, or by the profile."""
    own = NvidiaProfile.of(profile).sharing
    by_profile = (
        profile is not None and profile.target in NAMES and own.strategy != "none" and not own.renames
    )
    return by_profile or SPEAKS.holds(pod.with_workload())


def _container(
    pod: Taking, container: ContainerKeys, one: Replica, not_renamed: bool, card: Products
) -> ContainerShare:
    for name in (k.GPU_SHARED, k.WHOLE):
        count = pod.number(container, name)
        if count is None:
            continue
        where = container.resources[name].path
        if name == k.GPU_SHARED or not_renamed:
            return pod.share(
                container,
                replica=Replica(one.of, one.strategy, count),
                device=card.device,
                origins={"replica": where, **card.origins},
            )
        return pod.share(container, cards=count, device=card.device, origins={"cards": where, **card.origins})
    return pod.none(container)


def _write(placing: Placing, profile: Profile | None) -> ContainerKeys:
    replica = placing.take("replica")
    own = NvidiaProfile.of(profile)
    name = k.GPU_SHARED if own.sharing.renames else k.WHOLE
    if replica is None:
        cards = int(placing.take("cards"))
        limits = {k.WHOLE: Value.of(cards)}
        placing.on_nodes(card_of(profile, NAMES), "GX023", None)
        if name == k.WHOLE and own.replica is not None:
            message = say("{key} counts clients of cards in this profile, not whole cards", key=k.WHOLE)
            placing.refuse("cards", "GX023", message, "request a replica, or nodes that do not share cards")
    else:
        limits = {name: Value.of(replica.count)}
        shares(placing, replica)
        if replica.count > 1:
            message = say("requests {count} clients of cards; a container has one", count=replica.count)
            placing.refuse("replica", "NVIDIA001", message, "request one larger part, or whole cards")
        is_of_the_nodes(placing, replica, own.replica)
    return ContainerKeys(placing.name, placing.index, placing.init, limits, limits)


class NvidiaShared(Backend):
    name = NAMES[0]
    title = "NVIDIA time-slicing and MPS"
    keys = k.SHARED_KEYS
    gpu_prefixes = (k.GPU_SHARED,)
    field_docs = {
        "cards": f"whole cards: {k.WHOLE}, on nodes that do not share them",
        "policy": f"no key; {Policy.FIXED_SHARE} with MPS",
        "device": f"nodeSelector or node affinity {PRODUCT}",
        "isolation": f"no key; {Isolation.SOFT} with MPS, else {Isolation.NONE}",
        "replica": f"{k.GPU_SHARED}, or {k.WHOLE} if not renamed; nodeSelector {k.REPLICAS}, {k.STRATEGY}",
    }
    whole_card_key = k.WHOLE
    detected_by = SPEAKS
    vendor = "nvidia"
    extension = NvidiaProfile
    parts_need = (
        "pass a profile whose nodes share cards by MPS (nvidia.sharing, cards.memoryMiB): by "
        "time-slicing no part of a card is promised"
    )
    limits = Limits(source="PLUGIN", node_mode=divided_alike)
    rule_prefix = "NVIDIA"
    row_rules = ()
    fact_commands = {"cards.model": f"kubectl get nodes -L {k.WHOLE}.product"}
    whole_cards_anywhere = True

    def read(self, pod: Taking, profile: Profile | None) -> Reading:
        """Keys to shares."""
        not_renamed = counts_clients(pod.pod, profile)
        asked = not_renamed or any(k.GPU_SHARED in one.resources for one in pod.pod.all_containers())
        texts, numbers = pod.node_values(k.STRATEGY), pod.node_values(k.REPLICAS)
        strategy = k.STRATEGIES.get(texts[0]) if asked and len(texts) == 1 else None
        of = clients_in(numbers) if asked else None
        pod.selector(k.STRATEGY, texts if strategy else ())
        pod.selector(k.REPLICAS, numbers if of else ())
        for row in k.SHARED_KEYS:
            if row.says == "selector" and row.name not in (k.STRATEGY, k.REPLICAS):
                if "/" in row.name:
                    pod.selector(row.name)
                    continue
                for container in pod.pod.all_containers():
                    pod.choice(pod.env(container, row.name), row.name, "variable")
        card = take_products(pod, products_chosen(pod, profile), profile=None, shared=not_renamed)
        return pod.reading(
            [
                _container(pod, one, Replica(of, strategy), not_renamed, card)
                for one in pod.pod.all_containers()
            ]
        )

    def write(self, pod: PodPlacing, profile: Profile | None) -> PodKeys:
        """Shares to keys."""
        containers = [_write(placing, profile) for placing in pod.placings]
        found = {
            (one.of, one.strategy) for placing in pod.placings if (one := placing.peek("replica")) is not None
        }
        if len(found) > 1:
            for placing in pod.placings:
                message = say(
                    "a pod runs on nodes of one kind, and its containers ask for different replicas"
                )
                placing.refuse("replica", "GX022", message, "use a separate pod for each")
        of, strategy = min(found, key=str) if found else (None, None)
        chosen = {k.STRATEGY: strategy and str(strategy), k.REPLICAS: of and str(of)}
        not_renamed = bool(found) and not NvidiaProfile.of(profile).sharing.renames
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
            return {k.WHOLE: cards_of_node}
        of = known_replica(share.replica, profile).of
        name = k.GPU_SHARED if NvidiaProfile.of(profile).sharing.renames else k.WHOLE
        return {name: cards_of_node * of} if of else {}


SHARED = NvidiaShared()
