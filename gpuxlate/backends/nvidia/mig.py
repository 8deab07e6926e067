"""MIG: partitions by name (strategy mixed), or counted as cards on nodes with one partition (single).

With strategy single the profile is not in the resource. Such a pod is read and written with the configuration
of its nodes, ``nvidia.com/mig.config: all-1g.5gb``, which divides all their cards so (NVIDIA/mig-parted).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuxlate.backends.base import Backend, ContainerShare, Limits, Placing, PodPlacing, Reading, Taking
from gpuxlate.backends.device_plugin import (
    CARD_NEEDED,
    DIVIDED,
    PRODUCT,
    NvidiaProfile,
    Products,
    divided_alike,
    most_of_a_card,
    partitions,
    products_chosen,
    products_written,
    take_products,
    unfit,
)
from gpuxlate.backends.limits import ANY
from gpuxlate.backends.nvidia import keys as k
from gpuxlate.model.amounts import Part
from gpuxlate.model.catalogue import ALIASES
from gpuxlate.model.messages import say
from gpuxlate.model.parts import Partition, Replica, Strategy, in_resource, of_resource
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.model.share import Isolation, Policy, Share
from gpuxlate.rules.predicates.conditions import Any, Asks, Selects, SomeContainer

NAMES = ("nvidia-mig", "mig")
SINGLE = SomeContainer(Asks(k.WHOLE)) & Any(Selects(k.CONFIG, k.ALL_OF_ONE), Selects(PRODUCT, DIVIDED))
"""Cards of nodes that are divided into partitions of one profile."""


def profile_of(text: str) -> str:
    """The profile in the name of a resource or configuration; of an old name, the one of today."""
    name = of_resource(text)
    base, plus, more = name.partition("+")
    return ALIASES.get(base, base) + plus + more


def _labels(pod: PodKeys) -> list[str]:
    """The labels of nodes about MIG that a pod chooses, but for the configuration."""
    names = {*pod.node_selector, *(one.key for one in pod.requirements())}
    prefixes = tuple(
        row.name.removesuffix("*") for row in k.MIG_KEYS if row.is_pattern and row.says == "selector"
    )
    return sorted(one for one in names if one.startswith(prefixes) and one != k.CONFIG)


def _container(
    pod: Taking,
    container: ContainerKeys,
    single: str | None,
    sliced: bool,
    card: Products,
    profile: Profile | None,
) -> ContainerShare:
    names = k.partitions(container)
    counts = [pod.number(container, name) for name in names]
    if names:
        if counts[0] is None:
            return pod.none(container)
        where = container.resources[names[0]].path
        text = names[0].removeprefix(k.BEFORE)
        shared = text.endswith(k.OF_SHARED)
        partition = Partition(profile_of(text.removesuffix(k.OF_SHARED)), 1 if shared else counts[0])
        replica = Replica(None, Strategy.TIME_SLICING, counts[0]) if shared else None
        return pod.share(
            container,
            partition=partition,
            replica=replica,
            device=card.device,
            origins={"partition": where, "replica": where, **card.origins},
        )
    whole = pod.number(container, k.WHOLE)
    if not whole:
        return pod.none(container)
    where = container.resources[k.WHOLE].path
    if single is not None:
        return pod.share(
            container,
            partition=Partition(single, 1 if sliced else whole),
            replica=Replica(None, Strategy.TIME_SLICING, whole) if sliced else None,
            device=card.device,
            origins={"partition": where, "replica": where, **card.origins},
        )
    if profile and profile.target in NAMES and NvidiaProfile.of(profile).mig_strategy == "single":
        message = say(
            "{key} counts partitions where the strategy is single, and nothing says which", key=k.WHOLE
        )
        hint = say("add the nodeSelector {key}: all-1g.5gb, or the like", key=k.CONFIG)
        pod.note("GX023", message, where, hint)
    return pod.share(container, cards=whole, device=card.device, origins={"cards": where, **card.origins})


def _write(placing: Placing, profile: Profile | None, single: bool) -> ContainerKeys:
    partition = placing.take("partition")
    if partition is None:
        limits = {k.WHOLE: Value.of(int(placing.take("cards")))}
        placing.on_nodes(card_of(profile, NAMES), "GX023", None)
        if single:
            message = say(
                "{key} counts partitions where the strategy is single, not whole cards", key=k.WHOLE
            )
            placing.refuse("cards", "GX023", message, "request a partition, or nodes that are not divided")
    else:
        limits = {k.WHOLE if single else k.BEFORE + in_resource(partition.profile): Value.of(partition.count)}
        placing.isolated(Isolation.HARDWARE)
        placing.shared_by(Policy.FIXED_SHARE)
        _fits_the_card(placing, partition, profile)
    return ContainerKeys(placing.name, placing.index, placing.init, limits, limits)


def _fits_the_card(placing: Placing, partition: Partition, profile: Profile | None) -> None:
    """The cards of the profile have the partition, and a node has as many (NVIDIA003, NVIDIA005)."""
    found = unfit(partition, profile, NAMES)
    if found is not None:
        placing.refuse("partition", *found)


def node_mode(shares: Sequence[Share], profile: Profile | None) -> str:
    """With strategy single all cards of a node have partitions of one profile (PLUGIN)."""
    return divided_alike(shares, profile) if NvidiaProfile.of(profile).mig_strategy == "single" else ANY


class NvidiaMig(Backend):
    name = NAMES[0]
    aliases = NAMES[1:]
    title = "NVIDIA MIG"
    keys = k.MIG_KEYS
    gpu_prefixes = (k.BEFORE,)
    field_docs = {
        "cards": f"whole cards: {k.WHOLE}, on nodes that are not divided",
        "policy": f"no key; {Policy.FIXED_SHARE} alone",
        "device": f"nodeSelector or node affinity {PRODUCT}",
        "isolation": f"no key; {Isolation.HARDWARE}",
        "partition": f"nvidia.com/mig-PROFILE; strategy single: {k.WHOLE}, nodeSelector {k.CONFIG}",
    }
    whole_card_key = k.WHOLE
    detected_by = SINGLE
    vendor = "nvidia"
    extension = NvidiaProfile
    parts_need = CARD_NEEDED
    limits = Limits(source="PLUGIN", node_mode=node_mode)
    rule_prefix = "NVIDIA"
    row_rules = ()
    fact_commands = {"cards.model": f"kubectl get nodes -L {k.WHOLE}.product"}
    whole_cards_anywhere = True

    def read(self, pod: Taking, profile: Profile | None) -> Reading:
        """Keys to shares. Of two partitions of a container, a rule reports all but one."""
        configs = [text for text in pod.node_values(k.CONFIG) if k.ALL_OF_ONE.fullmatch(text)]
        single = SINGLE.holds(pod.pod.with_workload())
        pod.selector(k.CONFIG, configs if single and len(configs) == 1 else ())
        for name in _labels(pod.pod):
            pod.selector(name)
        one = profile_of(configs[0].removeprefix(k.ALL)) if single and len(configs) == 1 else None
        found = products_chosen(pod, profile)
        if single and not configs and found.profile is not None:
            one = profile_of(found.profile)
        shared = one is not None and found.shared
        own = found._replace(profile=profile_of(found.profile)) if found.profile else found
        card = take_products(pod, own, profile=one, shared=shared)
        return pod.reading(
            [_container(pod, container, one, shared, card, profile) for container in pod.pod.all_containers()]
        )

    def write(self, pod: PodPlacing, profile: Profile | None) -> PodKeys:
        """Shares to keys; whole cards are those of nodes that are not divided."""
        single = NvidiaProfile.of(profile).mig_strategy == "single"
        containers = [_write(placing, profile, single) for placing in pod.placings]
        profiles = {one.profile for placing in pod.placings if (one := placing.peek("partition")) is not None}
        if single and len(profiles) > 1:
            for placing in pod.placings:
                message = say(
                    "nodes of strategy single have partitions of one profile, and the pod asks for {found}",
                    found=" and ".join(sorted(profiles)),
                )
                placing.refuse("partition", "GX022", message, "use a separate pod for each profile")
        part = min(profiles) if single and profiles else None
        chosen, affinity = products_written(pod, profile, part=part)
        selector = {k.CONFIG: Value.of(k.ALL + in_resource(part))} if part else {}
        return PodKeys(*in_lists(containers), node_selector={**selector, **chosen}, affinity=affinity)

    def parts(self, share: Share, profile: Profile | None) -> Iterable[Part]:
        """Partitions of the card of the profile."""
        return partitions(share, profile)

    def allocatable(
        self, share: Share, cards_of_node: int, _memory_mib: int, profile: Profile | None
    ) -> dict[str, int]:
        """Instances of all cards, each divided into those of the share; whole cards on nodes that are not."""
        if share.partition is None:
            return {k.WHOLE: cards_of_node}
        single = NvidiaProfile.of(profile).mig_strategy == "single"
        name = k.WHOLE if single else k.BEFORE + in_resource(share.partition.profile)
        return {name: cards_of_node * most_of_a_card(share.partition, profile)}


MIG = NvidiaMig()
