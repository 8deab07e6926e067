"""Reading and writing ACK's shared GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.facts import count
from gpuxlate.backends.alibaba.profile import AlibabaProfile, memory_of_units
from gpuxlate.backends.base import (
    Backend,
    ContainerShare,
    Key,
    Limits,
    Placing,
    PodPlacing,
    Reading,
    Taking,
    VisibleMemory,
)
from gpuxlate.backends.numbers import requesting, too_many_cards
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.messages import joined, say
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import CardProfile, Profile, card_of
from gpuxlate.model.share import Isolation, Qos, Share


def _read_container(
    pod: Taking, container: ContainerKeys, cards: int | None, label: Value | None, unit: int
) -> ContainerShare:
    """One container: whole cards, or a share."""
    _isolation_lifted(pod, container)
    pod.resource(container, k.NO_CORE)  # ACK010
    units, cores = pod.number(container, k.MEMORY), pod.number(container, k.CORE)
    # 0 whole cards are none
    whole = [(name, n) for name in (k.WHOLE, k.TOPOLOGY) if (n := pod.number(container, name))]
    origins = {"cards": label.path if label else container.path}
    for attribute, name in (("memory_mib", k.MEMORY), ("cores", k.CORE)):
        if name in container.resources:
            origins[attribute] = container.resources[name].path
    shared = len(origins) > 1
    if whole and not shared and len(whole) == 1:
        [(name, number)] = whole
        return pod.share(container, cards=number, origins={"cards": container.resources[name].path})
    if whole or cards is None or not _is_share(units, cores, cards):
        return pod.none(container)
    memory_mib = None if units is None else units * unit
    return pod.share(container, cards=cards, cores=cores, memory_mib=memory_mib, origins=origins)


def _is_share(units: int | None, cores: int | None, cards: int) -> bool:
    """The numbers are within the vendor's bounds: whole units on each card, compute on one card only."""
    if units is None and cores is None:
        return False
    if units is not None and (units < 1 or units % cards):
        return False
    return cores is None or (cards == 1 and 1 <= cores <= k.CORE_MAX)


def _isolation_lifted(pod: Taking, container: ContainerKeys) -> None:
    disabled = pod.env(container, k.DISABLE)
    if disabled is None or disabled.text.lower() in k.DISABLE_OFF:
        return
    if disabled.text.lower() not in k.DISABLE_ON:
        pod.choice(disabled, k.DISABLE, "variable")
    else:
        message = say("{variable} turns off memory isolation; a translation removes it", variable=k.DISABLE)
        hint = "the program must limit its own memory where the target does not isolate it"
        pod.note("GX015", message, disabled.path, hint, Severity.INFO)


# --- writing ----------------------------------------------------------------------------------


class _Kind(StrEnum):
    """What a container requests of its node; a node serves one of these (CORE, LBL)."""

    WHOLE = "whole cards"
    COMPUTE = "memory with compute"
    MEMORY = "memory alone"


class _Written(NamedTuple):
    placing: Placing
    kind: _Kind
    values: dict[str, int]

    def keys(self) -> ContainerKeys:
        values = {name: Value.of(number) for name, number in self.values.items()}
        return ContainerKeys(self.placing.name, self.placing.index, self.placing.init, values, values)


def _one_pod(written: list[_Written], ack: AlibabaProfile) -> None:
    """Refuse shares of one pod that differ in the mode of the node or in the label that counts cards."""
    shared = [one for one in written if one.kind is not _Kind.WHOLE]
    kinds = [say(kind) for kind in _Kind if any(one.kind is kind for one in written)]
    mixed = len(kinds) > 1
    uncounted = len(shared) > 1 and any(one.placing.cards > 1 for one in shared)
    for one in written:
        if mixed:
            text = "the pod requests {kinds}; a node of ACK serves one of them"
            hint = "use separate pods, or set the same fields in all containers"
            one.placing.refuse("cores", "GX022", say(text, kinds=joined(kinds, "{before} and {last}")), hint)
        if uncounted:
            text = "{key} counts the cards of one share; the pod has {count}"
            hint = "use a separate pod for the share of several cards"
            one.placing.refuse("cards", "GX022", say(text, key=k.COUNT, count=len(shared)), hint)
    for one in shared if ack.open_source and len(shared) > 1 else ():
        text = "{count} containers of the pod request {key}; open-source gpushare supports one"
        message = say(text, count=len(shared), key=k.MEMORY)
        one.placing.refuse("memory_mib", "ACK013", message, "use a separate pod for each container")


def _write_container(placing: Placing, ack: AlibabaProfile, nodes: CardProfile) -> _Written:
    cards = int(placing.take("cards"))
    if nodes.per_node is not None and cards > nodes.per_node:
        placing.refuse("cards", "ACK003", *too_many_cards(cards, nodes.per_node))
    if placing.whole_cards:
        return _whole(placing, cards)
    if placing.peek("memory_mib") is None:
        placing.need("memory_mib", "ACK007", say("{key} needs {other}", key=k.CORE, other=k.MEMORY))
    unit = ack.memory_unit_mib
    # whole units that do not divide by the cards, or no whole units
    off_grid = "ACK001" if (placing.peek("memory_mib") or 0) % unit else "ACK002"
    memory = placing.on_grid("memory_mib", off_grid, step=unit, low=unit, unit="MiB")
    cores = _cores(placing, cards, ack)
    kind = _Kind.MEMORY if cores is None else _Kind.COMPUTE
    if ack.open_source and cards > 1:
        placing.refuse("cards", "ACK014", "open-source gpushare shares one card", "request one card")
    mode = ack.isolation if kind is _Kind.MEMORY else k.CORE_MEM
    isolates = not ack.open_source and mode != k.SHARE_MODE  # ACK-LBL, OSS-UG
    placing.isolated(Isolation.SOFT if isolates else Isolation.NONE)
    if unit == k.SMALL_UNIT_MIB and mode != k.SHARE_MODE:
        message = say(
            "nodes of mode {mode} do not support the unit of {unit} MiB of this profile", mode=mode, unit=unit
        )
        hint = "set isolation: share in the profile and request memory alone, or set memoryUnitMiB: 1024"
        placing.refuse("memory_mib", "ACK015", message, hint)
    values: dict[str, int] = {}
    if memory is not None:
        values[k.MEMORY] = memory // unit
        _fits_card(placing, memory // cards, unit, nodes)
    if cores is not None:
        values[k.CORE] = cores
    return _Written(placing, kind, values)


def _whole(placing: Placing, cards: int) -> _Written:
    if placing.peek("qos") is Qos.OFFLINE:
        placing.take("qos")
        message = "offline whole cards cannot be expressed: ACK has no colocation of GPUs"
        placing.refuse("qos", "GX023", message, "request whole cards without qos")
    return _Written(placing, _Kind.WHOLE, {k.WHOLE: cards})


def _cores(placing: Placing, cards: int, ack: AlibabaProfile) -> int | None:
    """Compute is supported on one card of a core_mem node only."""
    if cards > 1:
        placing.drop("cores", "ACK005", "several cards share their compute, only their memory is divided")
    elif ack.open_source:
        placing.drop("cores", "GX020", "open-source gpushare shares memory only")
    return placing.on_grid("cores", "ACK006", step=k.CORE_STEP, low=k.CORE_MIN, unit="%")


def _fits_card(placing: Placing, per_card: int, unit: int, nodes: CardProfile) -> None:
    """A card has as many units as fit in its MiB; the rest of it is spread over them."""
    if nodes.memory_mib is None or per_card // unit <= nodes.memory_mib // unit:
        return
    there = nodes.memory_mib // unit
    text = "requests {units} units of memory per GPU; GPUs in this profile have {there}"
    hint = "request at most {most} MiB per GPU, or omit memoryMiB for whole cards"
    message = say(text, units=per_card // unit, there=there)
    placing.refuse("memory_mib", "ACK004", message, say(hint, most=there * unit))


def node_mode(shares: Sequence[Share], profile: Profile | None) -> str:
    """A node has one mode: for whole cards, for compute, or for memory alone (LBL)."""
    if any(share.whole_cards for share in shares):
        return k.WHOLE_MODE
    computed = any(share.cores is not None for share in shares)
    return k.CORE_MEM if computed else AlibabaProfile.of(profile).isolation


class AlibabaGpushare(Backend):
    name = k.NAMES[0]
    aliases = k.NAMES[1:]
    title = "Alibaba Cloud ACK, gpushare and cGPU"
    keys = k.KEYS
    gpu_prefixes = k.GPU_PREFIXES
    known_typos = frozenset({k.NO_CORE})
    field_docs = {
        "cards": "label gpu-count for shared cards, nvidia.com/gpu for whole ones",
        "cores": "5..100 % of one card in multiples of 5, with memory; one card only",
        "memoryMiB": "GiB units, total over the cards (128 MiB on share nodes)",
        "policy": "no key: a setting of the whole cluster",
        "qos": "no key",
        "device": "no key; vendor nvidia alone",
        "isolation": "no key; soft, none on share nodes, whole cards hardware",
    }
    model_label = k.ACCELERATORS[0]
    extension = AlibabaProfile
    vendor = "nvidia"
    cloud = k.CLOUD
    similar_products = k.LOOK_ALIKES
    whole_card_key = k.WHOLE
    limits = Limits(
        k.PODS_PER_CARD, certain=False, source="page of ack-ai-installer, 2026-06", node_mode=node_mode
    )
    rule_prefix = "ACK"
    row_rules = ()
    fact_commands = {
        "components.cgpu": "the image tags of kubectl get daemonsets -n kube-system -o wide",
        "components.ackAiInstaller": "helm list -n kube-system",
    }

    def read(self, pod: Taking, profile: Profile | None) -> Reading:
        """Keys to shares. One unit of ``gpu-mem`` is that of the profile, 1 GiB by default.

        Keys that are not a share (ACK001, 002, 005, 006, 010, 011, K8S007) give none.
        """
        unit = AlibabaProfile.of(profile).memory_unit_mib
        modes = [mode for mode in pod.node_values(k.SCHEDULE) if mode in k.ISOLATION_MODES]
        pod.selector(k.SCHEDULE, (*k.ISOLATION_MODES, *k.WHOLE_MODES))
        for name in (k.PLACEMENT, *k.ACCELERATORS):
            pod.selector(name)
        sharing = requesting(pod.pod, k.MEMORY, k.CORE)
        label = pod.label(k.COUNT)
        cards = count(label)
        if label and cards and cards > 1 and len(sharing) > 1:
            text = "{key} is {cards}, and {count} containers share; the cards of each are not known"
            message = say(text, key=k.COUNT, cards=label.text, count=len(sharing))
            pod.note("GX022", message, label.path, "use a separate pod for each container")
            cards = None
        containers = [_read_container(pod, c, cards, label, unit) for c in pod.pod.all_containers()]
        return pod.reading(containers, modes[0] if len(modes) == 1 else None)

    def write(self, pod: PodPlacing, profile: Profile | None) -> PodKeys:
        """Shares to keys. ``policy`` and ``qos`` have no key here and are not taken (GX020)."""
        ack = AlibabaProfile.of(profile)
        nodes = card_of(profile, k.NAMES)
        written = [_write_container(placing, ack, nodes) for placing in pod.placings]
        _one_pod(written, ack)
        kinds = {one.kind for one in written}
        labels: dict[str, Value] = {}
        for one in written:
            if one.kind is not _Kind.WHOLE and one.placing.cards > 1:
                labels[k.COUNT] = Value.of(str(one.placing.cards))
        selector: dict[str, Value] = {}
        # nodes of the open-source plugin do not have this label
        if kinds - {_Kind.WHOLE} and not ack.open_source:
            mode = k.CORE_MEM if _Kind.COMPUTE in kinds else ack.isolation
            selector[k.SCHEDULE] = Value.of(mode)
        keys = [one.keys() for one in written]
        return PodKeys(
            *in_lists(keys),
            labels=labels,
            node_selector=selector,
        )

    def visible_memory(
        self, share: Share, memory_mib: int, card_mib: int | None, profile: Profile | None
    ) -> VisibleMemory:
        """Containers see their part of the memory, except in mode share and with the open-source plugin.

        A share with compute goes to core_mem nodes, which isolate both.
        """
        ack = AlibabaProfile.of(profile)
        if ack.open_source:
            return VisibleMemory(not_isolated="open-source gpushare")
        if ack.isolation == "share" and (share.cores is None or share.cards > 1):
            return VisibleMemory(not_isolated=f"isolation mode {ack.isolation}")
        return VisibleMemory(memory_of_units(memory_mib, card_mib, ack.memory_unit_mib) if card_mib else None)

    def unit(self, row: Key, profile: Profile | None) -> Fraction:
        """MiB of a unit of memory are those of the profile."""
        return Fraction(AlibabaProfile.of(profile).memory_unit_mib if row.name == k.MEMORY else row.unit)

    def allocatable(
        self, _share: Share, cards: int, memory_mib: int, profile: Profile | None
    ) -> dict[str, int]:
        """Units of all cards, each rounded down; compute of nodes that share it (LBL)."""
        ack = AlibabaProfile.of(profile)
        return {k.MEMORY: cards * (memory_mib // ack.memory_unit_mib), k.CORE: 100 * cards}


BACKEND = AlibabaGpushare()
