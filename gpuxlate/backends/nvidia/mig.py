"""MIG: partitions by name (strategy mixed), or counted as cards on nodes with one partition (single).

With strategy single the profile is not in the resource. Such a pod is read and written with the configuration
of its nodes, ``nvidia.com/mig.config: all-1g.5gb``, which divides all their cards so (NVIDIA/mig-parted).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuxlate.backends import nvidia as k
from gpuxlate.backends.nvidia_device_plugin import (
    CARD_NEEDED,
    DIVIDED,
    PRODUCT,
    NvidiaProfile,
    ProductName,
    Products,
    divided_alike,
    most_of_a_card,
    partitions_for,
    products_chosen,
    products_written,
    take_products,
    why_no_card_fits,
)
from gpuxlate.backends.pod_reader import number
from gpuxlate.backends.scheduling_limits import ANY_MODE
from gpuxlate.backends.target import (
    ContainerShare,
    Limits,
    PodReader,
    PodWriter,
    Reading,
    ShareWriter,
)
from gpuxlate.model.amounts import Part
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, PodKeys, Value, in_lists
from gpuxlate.model.profile import ALIASES, Profile, card_of, unknown_partition
from gpuxlate.model.share import (
    Isolation,
    Partition,
    Policy,
    Replica,
    Share,
    Strategy,
    in_resource,
    of_resource,
)
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import AnyOf, Requests, RequiresNodeLabel, SomeContainer

NAMES = ("nvidia-mig", "mig")
SINGLE = SomeContainer(Requests(NVIDIA_GPU)) & AnyOf(
    RequiresNodeLabel(k.CONFIG, k.ALL_OF_ONE), RequiresNodeLabel(PRODUCT, DIVIDED)
)
"""Cards of nodes that are divided into partitions of one profile."""


def profile_of(text: str) -> str:
    """The profile in the name of a resource or configuration; of an old name, the one of today."""
    name = of_resource(text)
    base, plus, more = name.partition("+")
    return ALIASES.get(base, base) + plus + more


def _labels(pod: PodKeys) -> list[str]:
    """The labels of nodes about MIG that a pod chooses, but for the configuration."""
    names = {*pod.node_selector, *(requirement.key for requirement in pod.requirements())}
    prefixes = tuple(
        row.name.removesuffix("*") for row in k.MIG_KEYS if row.is_pattern and row.sets == "selector"
    )
    return sorted(name for name in names if name.startswith(prefixes) and name != k.CONFIG)


def _container(
    pod: PodReader,
    container: ContainerKeys,
    single: str | None,
    sliced: bool,
    card: Products,
    profile: Profile | None,
) -> ContainerShare:
    names = k.partition_resources(container)
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
    whole = pod.number(container, NVIDIA_GPU)
    if not whole:
        return pod.none(container)
    where = container.resources[NVIDIA_GPU].path
    if single is not None:
        return pod.share(
            container,
            partition=Partition(single, 1 if sliced else whole),
            replica=Replica(None, Strategy.TIME_SLICING, whole) if sliced else None,
            device=card.device,
            origins={"partition": where, "replica": where, **card.origins},
        )
    if profile and profile.target in NAMES and NvidiaProfile.of(profile).mig_strategy == "single":
        message = msg(
            "{key} counts partitions where the strategy is single, and nothing says which", key=NVIDIA_GPU
        )
        hint = msg("add the nodeSelector {key}: all-1g.5gb, or the like", key=k.CONFIG)
        pod.note("GX023", message, where, hint)
    return pod.share(container, cards=whole, device=card.device, origins={"cards": where, **card.origins})


def _write(placing: ShareWriter, profile: Profile | None, single: bool) -> ContainerKeys:
    partition = placing.take("partition")
    if partition is None:
        limits = {NVIDIA_GPU: Value.of(int(placing.take("cards")))}
        placing.on_nodes(card_of(profile, NAMES), "GX023", None)
        if single:
            message = msg(
                "{key} counts partitions where the strategy is single, not whole cards", key=NVIDIA_GPU
            )
            placing.refuse("cards", "GX023", message, "request a partition, or nodes that are not divided")
    else:
        limits = {
            NVIDIA_GPU if single else k.BEFORE + in_resource(partition.profile): Value.of(partition.count)
        }
        placing.take_isolation_if_covered(Isolation.HARDWARE)
        placing.take_policy_if_same(Policy.FIXED_SHARE)
        _fits_the_card(placing, partition, profile)
    return ContainerKeys(placing.name, placing.index, placing.init, limits, limits)


def _fits_the_card(placing: ShareWriter, partition: Partition, profile: Profile | None) -> None:
    """Refuse a partition that the cards of the profile do not have, or more than a node has (NVIDIA003,
    NVIDIA005)."""
    problem = why_no_card_fits(partition, profile, NAMES)
    if problem is not None:
        placing.refuse("partition", *problem)


def node_mode(shares: Sequence[Share], profile: Profile | None) -> str:
    """With strategy single all cards of a node have partitions of one profile (PLUGIN)."""
    return divided_alike(shares, profile) if NvidiaProfile.of(profile).mig_strategy == "single" else ANY_MODE


class NvidiaMig(k.DevicePluginBackend):
    """Partitions of MIG (PLUGIN): a count by profile in the name of the resource, or of cards on nodes
    that have one profile."""

    name = NAMES[0]
    aliases = NAMES[1:]
    title = "NVIDIA MIG"
    keys = k.MIG_KEYS
    gpu_prefixes = (k.BEFORE,)
    field_docs = {
        "cards": f"whole cards: {NVIDIA_GPU}, on nodes that are not divided",
        "policy": f"no key; {Policy.FIXED_SHARE} alone",
        "device": f"nodeSelector or node affinity {PRODUCT}",
        "isolation": f"no key; {Isolation.HARDWARE}",
        "partition": f"nvidia.com/mig-PROFILE; strategy single: {NVIDIA_GPU}, nodeSelector {k.CONFIG}",
    }
    detected_by = SINGLE
    parts_need = CARD_NEEDED
    limits = Limits(source="PLUGIN", node_mode=node_mode)

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Read keys as shares. Of two partitions of a container, a rule reports all but one."""
        configs = [text for text in pod.node_values(k.CONFIG) if k.ALL_OF_ONE.fullmatch(text)]
        single = SINGLE.holds(pod.pod.with_workload())
        pod.read_selector(k.CONFIG, configs if single and len(configs) == 1 else ())
        for name in _labels(pod.pod):
            pod.read_selector(name)
        partition = profile_of(configs[0].removeprefix(k.ALL)) if single and len(configs) == 1 else None
        products = products_chosen(pod, profile)
        if single and not configs and products.profile is not None:
            partition = profile_of(products.profile)
        shared = partition is not None and products.shared
        chosen = products._replace(profile=profile_of(products.profile)) if products.profile else products
        card = take_products(pod, chosen, profile=partition, shared=shared)
        return pod.reading(
            [
                _container(pod, container, partition, shared, card, profile)
                for container in pod.pod.all_containers()
            ]
        )

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as keys; whole cards are those of nodes that are not divided."""
        single = NvidiaProfile.of(profile).mig_strategy == "single"
        containers = [_write(placing, profile, single) for placing in pod.placings]
        profiles = {
            partition.profile
            for placing in pod.placings
            if (partition := placing.peek("partition")) is not None
        }
        if single and len(profiles) > 1:
            for placing in pod.placings:
                message = msg(
                    "nodes of strategy single have partitions of one profile, and the pod requests {found}",
                    found=" and ".join(sorted(profiles)),
                )
                placing.refuse("partition", "GX022", message, "use a separate pod for each profile")
        part = min(profiles) if single and profiles else None
        chosen, affinity = products_written(pod, profile, part=part)
        selector = {k.CONFIG: Value.of(k.ALL + in_resource(part))} if part else {}
        return PodKeys(*in_lists(containers), node_selector={**selector, **chosen}, affinity=affinity)

    def parts(self, share: Share, profile: Profile | None) -> Iterable[Part]:
        """Partitions of the card of the profile."""
        return partitions_for(share, profile)

    def allocatable(
        self, share: Share, cards_of_node: int, _memory_mib: int, profile: Profile | None
    ) -> dict[str, int]:
        """Instances of all cards, each divided into those of the share; whole cards on nodes that are not."""
        if share.partition is None:
            return {NVIDIA_GPU: cards_of_node}
        single = NvidiaProfile.of(profile).mig_strategy == "single"
        name = NVIDIA_GPU if single else k.BEFORE + in_resource(share.partition.profile)
        return {name: cards_of_node * most_of_a_card(share.partition, profile)}


# The rules of MIG: NVIDIA002 to NVIDIA005, NVIDIA007.
NO_POLICY = "the names of the resources are patterns, and the profiles are those of a card"


def _partitions(pod: PodKeys) -> Iterator[tuple[Value, str, str]]:
    """Each resource of a container that counts partitions: its value, its name, the profile in it."""
    for container in pod.all_containers():
        for name in k.partition_resources(container):
            text = name.removeprefix(k.BEFORE).removesuffix(k.OF_SHARED)
            yield container.resources[name], name, of_resource(text)


def _chosen(pod: PodKeys) -> Iterator[tuple[NodeRequirement, str]]:
    """Each choice of nodes whose cards are all divided alike, and the profile that it names."""
    for choice in pod.choices(k.CONFIG):
        for text in filter(k.ALL_OF_ONE.fullmatch, choice.values):
            yield choice, profile_of(text.removeprefix(k.ALL))
    for choice in pod.choices(PRODUCT):
        for text in filter(DIVIDED.fullmatch, choice.values):
            yield choice, ProductName.of(text).profile or text


@rule("NVIDIA002", Severity.ERROR, no_policy=NO_POLICY)
def container_has_one_kind_of_device(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container requests `nvidia.com/mig-<profile>` of one profile, or `nvidia.com/gpu`, not both.

    ## What it does
    Reports a second `nvidia.com/mig-*` in a container, and one beside `nvidia.com/gpu`, unless that is 0.

    ## Why
    CUDA uses one MIG instance of a process, and no card beside it: the others are allocated and idle.

    ## Source
    NVIDIA, Multi-Instance GPU user guide; NVIDIA/k8s-device-plugin (2026-08-19).
    """
    for container in pod.all_containers():
        whole = container.resources.get(NVIDIA_GPU)
        has_cards = whole is not None and number(whole) != 0
        first, *others = [*k.partition_resources(container), *([NVIDIA_GPU] if has_cards else [])] or [""]
        for name in others:
            message = msg(
                "{key} is requested beside {first}: a container uses one of them", key=name, first=first
            )
            hint = "keep one of them, or use a separate container for each"
            yield this.diagnostic(container.resources[name], message, hint, on_key=True)


@rule("NVIDIA003", Severity.ERROR, no_policy=NO_POLICY)
def profile_is_one_of_a_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The profile in the name of `nvidia.com/mig-<profile>` is one that a card has.

    ## What it does
    Reports a profile that no card of the catalogue has; with the card of a profile for `nvidia-mig`, one
    that this card does not have. A warning where a profile names or adds a card without a list of its
    partitions, which may have the profile.

    ## Why
    No node has the resource, so the pod stays Pending.

    ## Source
    NVIDIA/mig-parted, config-default.yaml (2026).
    """
    for value, _, profile in _partitions(pod):
        problem = why_no_card_fits(Partition(ALIASES.get(profile, profile)), context.profile, NAMES)
        if problem is not None:
            yield this.diagnostic(value, problem[1], problem[2], on_key=True)
        elif unknown := unknown_partition(profile, context.profile, vendor="nvidia"):
            yield this.diagnostic(
                value, unknown.message, unknown.hint, severity=unknown.severity, on_key=True
            )
    for choice, profile in _chosen(pod):
        if unknown := unknown_partition(profile, context.profile, vendor="nvidia"):
            yield this.diagnostic(choice, unknown.message, unknown.hint, severity=unknown.severity)


@rule("NVIDIA004", Severity.INFO, no_policy=NO_POLICY)
def profile_has_its_name_of_today(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Profiles have the names that drivers give them today: `3g.20gb` and `7g.80gb`, not `3g.21gb` and
    `7g.79gb`.

    ## What it does
    Reports `3g.21gb` and `7g.79gb`, and reads them as `3g.20gb` and `7g.80gb`.

    ## Why
    Nodes with a driver of today have no resource of that name.

    ## Source
    NVIDIA, Multi-Instance GPU user guide.
    """
    for value, name, profile in _partitions(pod):
        new = profile_of(name.removeprefix(k.BEFORE).removesuffix(k.OF_SHARED))
        if new != profile:
            message = msg("{old} is called {new} by drivers of today", old=profile, new=new)
            yield this.diagnostic(value, message, msg("write {key}", key=k.BEFORE + new), on_key=True)


@rule("NVIDIA005", Severity.ERROR, no_policy=NO_POLICY)
def partitions_fit_on_a_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`nvidia.com/mig-<profile>` is at least 1, and at most what all cards of a node have together.

    ## What it does
    Reports a number of partitions below 1; with the cards of a profile for `nvidia-mig`, one above what all
    cards of a node have together.

    ## Why
    All partitions of a container are on one node: the pod stays Pending.

    ## Source
    NVIDIA/mig-parted, config-default.yaml (2026).
    """
    for value, name, profile in _partitions(pod):
        count = number(value)
        if count is None:
            continue
        if count < 1:
            message = msg("{key} is {count}: a container has at least one partition", key=name, count=count)
            yield this.diagnostic(value, message, "write 1 or more, or remove the key")
            continue
        problem = why_no_card_fits(Partition(ALIASES.get(profile, profile), count), context.profile, NAMES)
        if problem is not None and problem[0] == this.code:
            yield this.diagnostic(value, problem[1], problem[2])


@rule("NVIDIA007", Severity.ERROR, no_policy=NO_POLICY)
def strategy_has_the_resource(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`nvidia.com/gpu` or `nvidia.com/mig-<profile>` is requested as the `nvidia.com/mig.strategy` of the
    nodes says.

    ## What it does
    Reports `nvidia.com/mig-*` where the profile says `migStrategy: single` or `none`; and beside a choice of
    nodes by `nvidia.com/mig.strategy`, one that is not of that strategy.

    ## Why
    With `single` the resource of partitions is `nvidia.com/gpu`, with `mixed` it has the profile in its name,
    with `none` there is no resource: the pod stays Pending.

    ## Source
    NVIDIA/k8s-device-plugin, README, flag migStrategy (2026-08-19).
    """
    profile = context.profile
    of_cluster = NvidiaProfile.of(profile).mig_strategy if profile and profile.target in NAMES else "mixed"
    chosen = {text for text, _ in pod.allowed("nvidia.com/mig.strategy")} or {of_cluster}
    for value, name, text in _partitions(pod):
        if "mixed" not in chosen:
            strategy = " or ".join(sorted(chosen))
            message = msg(
                "{key} is a resource of strategy mixed; the nodes have {strategy}",
                key=name,
                strategy=strategy,
            )
            hint = msg(
                "write {key} and the nodeSelector {config}: {all}{profile}, or choose mixed nodes",
                key=NVIDIA_GPU,
                config=k.CONFIG,
                all=k.ALL,
                profile=text,
            )
            yield this.diagnostic(value, message, hint, on_key=True)
