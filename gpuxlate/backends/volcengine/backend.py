"""Volcengine VKE mGPU: reading and writing shares. Values are totals of the container."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuxlate.backends.base import Backend, ContainerShare, Placing, PodPlacing, Reading, Taking
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Policy, Qos

_POLICY_OF = {text: policy for policy, text in k.POLICIES.items()}
_QOS_OF = {text: qos for qos, text in k.QOS_LEVELS.items()}


def read(pod: Taking, profile: Profile | None) -> Reading:
    """Claims to shares. The annotation decides first whether a number covers one card or several.

    Where that or a name cannot be read nothing is guessed: the rules say what is wrong.
    """
    policy, qos = pod.annotation(k.POLICY), pod.annotation(k.QOS)
    listed = pod.annotation(k.MULTIPLE_GPU)
    pod.node_values(k.NODE_DEVICE)
    on_node = pod.node_values(k.POLICY)
    said = policy.text if policy else on_node[0] if len(on_node) == 1 else ""
    pod.selector(k.GPU_NAME)
    whole_pod = _OfPod(
        policy=_POLICY_OF.get(said),
        qos=_QOS_OF.get(qos.text) if qos else None,
        listed=listed,
        counts=_card_counts(pod, listed) if listed else (),
        origins={name: value.path for name, value in (("policy", policy), ("qos", qos)) if value},
    )
    return pod.reading([_read_container(pod, container, whole_pod) for container in pod.pod.all_containers()])


@dataclass(frozen=True, slots=True)
class _OfPod:
    """What the pod says for all of its containers."""

    policy: Policy | None
    qos: Qos | None
    listed: Value | None
    counts: tuple[int, ...]
    origins: Mapping[str, Path]


def _read_container(pod: Taking, container: ContainerKeys, whole_pod: _OfPod) -> ContainerShare:
    origins = dict(whole_pod.origins)
    numbers = {name: pod.number(container, name) for name in (k.CORE, k.RECLAIMED_CORE, k.MEMORY)}
    for attribute, name in (("cores", k.RECLAIMED_CORE), ("cores", k.CORE), ("memory_mib", k.MEMORY)):
        if name in container.resources:
            origins[attribute] = container.resources[name].path
    cores, memory = numbers[k.CORE], numbers[k.MEMORY]
    if cores is None:
        cores = numbers[k.RECLAIMED_CORE]
    if cores is None and memory is None:
        return pod.none(container)
    listed = None if container.init else whole_pod.listed  # the list does not cover init containers
    cards = 1
    if listed:
        cards = whole_pod.counts[container.index] if whole_pod.counts else 0
        if cards == 0:
            return pod.none(container)  # how many cards is anybody's guess: VKE016 to VKE018
        origins["cards"] = listed.path
    elif cores and cores % k.FULL == 0:
        cards = cores // k.FULL  # without the list, 100 x k is k whole cards (VKE013, VKE014)
    origins.setdefault("cards", origins.get("cores", container.path))
    return pod.share(
        container,
        cards=cards,
        cores=cores,
        memory_mib=memory,
        policy=whole_pod.policy,
        qos=whole_pod.qos,
        origins=origins,
    )


def _card_counts(pod: Taking, listed: Value) -> tuple[int, ...]:
    """``2,0`` to (2, 0), one for each container; empty where it is not that (VKE016, VKE017)."""
    counts = k.card_counts(listed.text) or ()
    return counts if len(counts) == len(pod.pod.containers) else ()


def write(pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """Shares to keys: integers, totals of the container."""
    for placing in pod.placings:
        _settle_compute(placing)
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
        containers=tuple(c for c in containers if not c.init),
        init_containers=tuple(c for c in containers if c.init),
        annotations=annotations,
    )


def _on_nodes(placing: Placing, policy: Policy | None, multi: bool, profile: Profile) -> None:
    """What the nodes of the profile do not have: so many cards, another policy. Whole cards fit any."""
    if not multi or placing.cards <= k.MAX_CARDS:
        placing.on_nodes(profile.cards, "VKE020", None)
    known = {str(own): text for own, text in k.POLICIES.items()}  # a profile may use gpuxlate's names
    nodes = known.get(profile.policy or "", profile.policy)
    said = k.POLICIES[policy or k.DEFAULT_POLICY]
    if nodes is None or placing.whole_cards or said == nodes:
        return
    asked = f"the pod asks for {said}" if policy else f"the share names no policy, which means {said}"
    mine = next((str(own) for own, text in k.POLICIES.items() if text == nodes), nodes)
    placing.refuse(
        "policy",
        "VKE005",
        f"{asked}, but the nodes of the profile have {nodes}",
        f"write policy: {mine} in the share, or choose nodes with {said}",
    )


def _settle_compute(placing: Placing) -> None:
    """Fill compute where it is open; full compute of every card is whole cards, memory or not."""
    if not placing.whole_cards and placing.peek("cores") is None:
        placing.need("cores", "VKE011", "mGPU asks for compute wherever it asks for memory")
    placing.whole_when_full("VKE014")


def _colocation_policy(pod: PodPlacing, qos: Qos) -> None:
    """Colocation knows fixed-share and guaranteed-burst-share only (S1)."""
    for placing in pod.placings:
        message = "colocation does not support native-burst-share (best-effort)"
        hint = "use policy: burst-share, which the vendor recommends for colocation"
        if qos is Qos.OFFLINE:
            placing.refuse("policy", "VKE030", message, hint)
        else:
            placing.warn("VKE030", message, hint, "policy")


def _write_container(placing: Placing, multi: bool) -> ContainerKeys:
    offline = placing.peek("qos") is Qos.OFFLINE
    if placing.init:
        placing.refuse(
            "cards",
            "VKE009",
            "an init container cannot ask for mGPU: the vendor's webhook and scheduler ignore it",
            "ask for the share in an ordinary container",
        )
    if multi and placing.cards > k.MAX_CARDS:
        placing.refuse(
            "cards",
            "VKE019",
            f"{placing.cards} cards in a pod that shares several: the most for a container is {k.MAX_CARDS}",
            "ask for fewer",
        )
    values = _whole(placing, offline) if placing.whole_cards else _shared(placing, offline, multi)
    written = {name: Value.of(number) for name, number in values.items()}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written)


def _whole(placing: Placing, offline: bool) -> dict[str, int]:
    placing.take("cores"), placing.take("memory_mib")
    if offline:
        placing.refuse(
            "qos",
            "GX023",
            "offline whole cards cannot be said: reclaimed-mgpu-core is a part of one card",
            "ask for cores below 100 with memoryMiB, or drop qos",
        )
    return {k.CORE: k.FULL * placing.take("cards")}


def _shared(placing: Placing, offline: bool, multi: bool) -> dict[str, int]:
    if placing.peek("memory_mib") is None:
        placing.need("memory_mib", "VKE024" if multi else "VKE012", "a part of a card needs mgpu-memory")
    code, low = ("VKE024", k.MULTI_CARD_MIN_MIB) if multi else ("VKE012", k.SINGLE_CARD_MIN_MIB)
    memory = placing.on_grid("memory_mib", code, low=low, unit="MiB")
    cores = placing.take("cores")
    cards = placing.take("cards")
    if offline and cards > 1:
        placing.refuse("qos", "VKE031", "offline work cannot share several cards", "ask for one card")
    if cards > 1 and placing.peek("policy") is not Policy.BEST_EFFORT:
        placing.warn(
            "VKE026",
            "several shared cards without policy best-effort (native-burst-share): "
            "the vendor's scheduler code refuses it, its console offers it",
            "check it on the cluster, or use policy: best-effort",
            "policy",
        )
    _doubtful_memory(placing, memory, cards, multi)
    values: dict[str, int] = {}
    if cores is not None:
        values[k.RECLAIMED_CORE if offline else k.CORE] = cores
    if memory is not None:
        values[k.MEMORY] = memory
    return values


def _doubtful_memory(placing: Placing, memory: int | None, cards: int, multi: bool) -> None:
    if memory is None:
        return
    if not multi and memory == k.SINGLE_CARD_MIN_MIB:
        placing.warn(
            "VKE012", "exactly 256 MiB: one page of the vendor says greater than 256", "use 257", "memory_mib"
        )
    if multi and memory // cards > k.MULTI_CARD_MAX_MIB:
        placing.warn(
            "VKE024",
            f"{memory // cards} MiB on each card is above the documented {k.MULTI_CARD_MAX_MIB}",
            "newer components may allow it: check on the cluster",
            "memory_mib",
        )


BACKEND = Backend(
    name="volcengine-mgpu",
    title="Volcengine VKE, mGPU",
    keys=k.KEYS,
    gpu_prefixes=k.GPU_PREFIXES,
    read=read,
    write=write,
    says={
        "cards": "1..8 shared (annotation container-multiple-gpu), any number of whole cards",
        "cores": "1..99 % of each card, total over the cards; required",
        "memoryMiB": "MiB, total; at least 256 on one card, 1024 on each of several",
        "policy": "annotation mgpu-compute-policy; several cards: best-effort",
        "qos": "annotation qos_level; offline: one card, a part of it",
    },
    words={"policy": _POLICY_OF, "qos": {text: qos for qos, text in k.QOS_LEVELS.items()}},
    rules_module="gpuxlate.backends.volcengine.rules",
    needs_module="gpuxlate.backends.volcengine.prerequisites",
    nodes_module="gpuxlate.backends.volcengine.nodes",
)
