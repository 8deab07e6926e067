"""Reading and writing shares of Volcengine VKE mGPU. Values are totals of the container."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuxlate.backends.base import (
    Backend,
    ContainerShare,
    Limits,
    Placing,
    PodPlacing,
    Reading,
    RuleKind,
    RuleRow,
    Taking,
)
from gpuxlate.backends.limits import ANY, InitContainers
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Isolation, Policy, Qos, Share
from gpuxlate.rules.predicates.conditions import number_of


def _container(
    pod: Taking,
    container: ContainerKeys,
    listed: Value | None,
    words: Mapping[str, Any],
    origins_of_pod: Mapping[str, Path],
) -> ContainerShare:
    origins = dict(origins_of_pod)
    numbers = {name: pod.number(container, name) for name in (k.RECLAIMED_CORE, k.CORE, k.MEMORY)}
    for name in numbers:
        if name in container.resources:
            origins["memory_mib" if name == k.MEMORY else "cores"] = container.resources[name].path
    cores, memory = numbers[k.CORE], numbers[k.MEMORY]
    if cores is None:
        cores = numbers[k.RECLAIMED_CORE]
    if cores is None and memory is None:
        return pod.none(container)
    cards = 1
    if listed and not container.init:  # the list does not cover init containers
        cards = number_of(pod.pod.with_workload(), container, k.LISTED) or 0
        if cards == 0:
            return pod.none(container)  # the number of cards is not known: VKE016 to VKE018
        origins["cards"] = listed.path
    elif cores and cores % k.FULL == 0:
        cards = cores // k.FULL  # without the list, 100 x k is k whole cards (VKE013, VKE014)
    origins.setdefault("cards", origins.get("cores", container.path))
    return pod.share(container, cards=cards, cores=cores, memory_mib=memory, origins=origins, **words)


def _on_nodes(placing: Placing, policy: Policy | None, multi: bool, profile: Profile) -> None:
    """Refuse more cards than a node of the profile has, and, for a part of a card, another policy."""
    if not multi or placing.cards <= k.MAX_CARDS:
        placing.on_nodes(profile.cards, "VKE020", None)
    nodes = k.POLICY_NAMES.get(profile.policy or "", profile.policy)
    name = k.POLICIES[policy or k.DEFAULT_POLICY]
    if nodes is None or placing.whole_cards or name == nodes:
        return
    mine = str(k.POLICY_OF.get(nodes, nodes))
    placing.refuse(
        "policy",
        "VKE005",
        say(
            "policy is {policy}; nodes in this profile have {nodes}",
            policy=name if policy else say("not set (default: {policy})", policy=name),
            nodes=nodes,
        ),
        say("write policy: {policy} in the share, or use nodes with {name}", policy=mine, name=name),
    )


def _colocation_policy(pod: PodPlacing, qos: Qos) -> None:
    """Colocation supports fixed-share and guaranteed-burst-share only (S1)."""
    for placing in pod.placings:
        message = "online and offline work on one card does not support native-burst-share (best-effort)"
        hint = "use policy: burst-share, which the vendor recommends for colocation"
        if qos is Qos.OFFLINE:
            placing.refuse("policy", "VKE030", message, hint)
        else:
            placing.warn("VKE030", message, hint, "policy")


def _write_container(placing: Placing, multi: bool) -> ContainerKeys:
    offline = placing.peek("qos") is Qos.OFFLINE
    if placing.init:
        ignored = "an init container cannot request mGPU: the vendor's webhook and scheduler ignore it"
        placing.refuse("cards", "VKE009", ignored, "request the share in an ordinary container")
    if multi and placing.cards > k.MAX_CARDS:
        message = say(
            "cards {cards} is above the maximum of {most} in a pod that shares several cards",
            cards=placing.cards,
            most=k.MAX_CARDS,
        )
        placing.refuse("cards", "VKE019", message, "request fewer cards")
    placing.isolated(Isolation.SOFT)  # compute and memory, under every policy (S0)
    values = _whole(placing, offline) if placing.whole_cards else _shared(placing, offline, multi)
    written = {name: Value.of(number) for name, number in values.items()}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written)


def _whole(placing: Placing, offline: bool) -> dict[str, int]:
    placing.take("cores"), placing.take("memory_mib")
    if offline:
        message = "qos offline is not supported for whole cards: reclaimed-mgpu-core is a part of one card"
        hint = "request a part of one card with memoryMiB, or remove qos from the share"
        placing.refuse("qos", "GX023", message, hint)
    return {k.CORE: k.FULL * placing.take("cards")}


def _shared(placing: Placing, offline: bool, multi: bool) -> dict[str, int]:
    code, low = ("VKE024", k.MULTI_CARD_MIN_MIB) if multi else ("VKE012", k.SINGLE_CARD_MIN_MIB)
    if placing.peek("memory_mib") is None:
        placing.need("memory_mib", code, "a part of a card requires mgpu-memory")
    memory = placing.on_grid("memory_mib", code, low=low, unit="MiB")
    cores, cards = placing.take("cores"), placing.take("cards")
    if offline and cards > 1:
        placing.refuse("qos", "VKE031", "offline work cannot share several cards", "request one card")
    if cards > 1 and placing.peek("policy") is not Policy.BEST_EFFORT:
        placing.warn(
            "VKE026",
            "several shared cards without policy best-effort (native-burst-share): "
            "the vendor's scheduler code rejects them, its console accepts them",
            "test it on the cluster, or use policy: best-effort",
            "policy",
        )
    if memory is not None:
        _doubtful_memory(placing, memory, cards, multi)
    values = {k.RECLAIMED_CORE if offline else k.CORE: cores, k.MEMORY: memory}
    return {name: number for name, number in values.items() if number is not None}


def _doubtful_memory(placing: Placing, memory: int, cards: int, multi: bool) -> None:
    if not multi and memory == k.SINGLE_CARD_MIN_MIB:
        doubt = "memoryMiB is exactly 256; one page of the vendor says more than 256"
        placing.warn("VKE012", doubt, "write memoryMiB: 257", "memory_mib")
    if multi and memory // cards > k.MULTI_CARD_MAX_MIB:
        message = say(
            "{each} MiB per card is above the documented maximum of {most} MiB",
            each=memory // cards,
            most=k.MULTI_CARD_MAX_MIB,
        )
        placing.warn("VKE024", message, "check on the cluster: newer components may allow it", "memory_mib")


def node_mode(shares: Sequence[Share], _profile: Profile | None) -> str:
    """A pod needs nodes of its own policy, unless it requests whole cards only (V)."""
    if all(share.whole_cards for share in shares):
        return ANY
    return str(next((share.policy for share in shares if share.policy), k.DEFAULT_POLICY))


class VolcengineMgpu(Backend):
    name = "volcengine-mgpu"
    title = "Volcengine VKE, mGPU"
    short_title = "mGPU"
    rule_prefix = "VKE"
    keys = k.KEYS
    documents = k.DOCUMENTS
    gpu_prefixes = k.GPU_PREFIXES
    aliases = k.NAMES[1:]
    vendor = "nvidia"
    isolation = Isolation.SOFT  # compute and memory, under every policy (S0)
    init_containers = False
    model_label = k.GPU_NAME
    cloud = k.CLOUD
    fact_commands = {
        "components.mgpuDriver": "the page of the mgpu component in the console of VKE",
        "components.generalWebhook": "the vendor's support: the component is managed and not shown",
    }
    field_docs = {
        "cards": "1..8 shared (annotation container-multiple-gpu), any number of whole cards",
        "cores": "1..99 % of each card, total over the cards; required",
        "memoryMiB": "MiB, total; at least 256 on one card, 1024 per card on several",
        "policy": "annotation mgpu-compute-policy; several cards: best-effort",
        "qos": "annotation qos_level; offline: a part of one card",
        "device": "no key; vendor nvidia alone",
        "isolation": "no key; soft, whole cards hardware",
    }
    rule_reasons = {
        RuleKind.KNOWN_VALUE: "No node has another policy, so the pod is never scheduled. Katalyst rejects "
        "an unknown level, and its others do not distinguish online and offline GPU work.",
        RuleKind.INIT: "The vendor's webhook, scheduler and card list look at `spec.containers` only: the "
        "request is not checked, not scheduled and not counted. Sidecars are no exception.",
        RuleKind.NEEDS: "The vendor's webhook rejects memory alone: compute is divided wherever memory is.",
    }
    row_rules = (
        RuleRow(RuleKind.KNOWN_VALUE, "VKE004", keys=(k.POLICY,)),
        RuleRow(RuleKind.INIT, "VKE009"),
        RuleRow(RuleKind.NEEDS, "VKE011"),
        RuleRow(RuleKind.KNOWN_VALUE, "VKE028", keys=(k.QOS,)),
    )
    limits = Limits(k.INSTANCES_PER_CARD, source="V", node_mode=node_mode, init=InitContainers.IGNORED)

    def read(self, pod: Taking, profile: Profile | None) -> Reading:
        """Keys to shares. The annotation decides first whether a number covers one card or several.

        Nothing is guessed: where the annotation cannot be read there is no share, and a name that is not
        known is not set. The rules report both.
        """
        found = {"policy": pod.annotation(k.POLICY), "qos": pod.annotation(k.QOS)}
        policy, qos, on_nodes = found["policy"], found["qos"], pod.node_values(k.POLICY)
        name = (
            policy.text
            if policy
            else on_nodes[0]
            if len(on_nodes) == 1 and on_nodes[0] in k.POLICY_OF
            else ""
        )
        pod.selector(k.POLICY, (name,) if name else ())
        pod.selector(k.NODE_DEVICE, k.MGPU_NODES)
        pod.selector(k.GPU_NAME)
        words = {"policy": k.POLICY_OF.get(name), "qos": k.QOS_OF.get(qos.text) if qos else None}
        origins = {field: value.path for field, value in found.items() if value}
        listed = pod.annotation(k.MULTIPLE_GPU)
        return pod.reading([_container(pod, one, listed, words, origins) for one in pod.pod.all_containers()])

    def write(self, pod: PodPlacing, profile: Profile | None) -> PodKeys:
        """Shares to keys: integers, totals of the container."""
        for placing in pod.placings:
            if not placing.whole_cards and placing.peek("cores") is None:
                placing.need("cores", "VKE011", "mgpu-memory requires mgpu-core")
            placing.whole_when_full("VKE014")
        multi = any(p.cards > 1 and not p.whole_cards for p in pod.placings)
        containers = tuple(_write_container(placing, multi) for placing in pod.placings)
        annotations: dict[str, Value] = {}
        policy, qos = pod.policy(), pod.qos()
        if profile is not None and profile.target in k.NAMES:
            for placing in pod.placings:
                _on_nodes(placing, policy, multi, profile)
        if policy:
            annotations[k.POLICY] = Value.of(k.POLICIES[policy])
        if qos:
            annotations[k.QOS] = Value.of(k.QOS_LEVELS[qos])
            if policy is Policy.BEST_EFFORT:
                _colocation_policy(pod, qos)
        if multi:
            counts = [pod.ordinary(n) for n in range(len(pod.containers))]
            annotations[k.MULTIPLE_GPU] = Value.of(",".join(str(p.cards if p else 0) for p in counts))
        return PodKeys(
            *in_lists(containers),
            annotations=annotations,
        )

    def allocatable(
        self, _share: Share, cards: int, memory_mib: int, _profile: Profile | None
    ) -> dict[str, int]:
        """Percent and MiB of all cards (V)."""
        return {k.CORE: k.FULL * cards, k.MEMORY: memory_mib * cards}


BACKEND = VolcengineMgpu()
