"""Tencent TKE qGPU: its keys, each with its source (DOCUMENTS), and how they are read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuxlate.backends.rows import cores, memory, written
from gpuxlate.backends.scheduling_limits import ANY_MODE, Pick, Scheduling
from gpuxlate.backends.target import (
    GIB,
    Absent,
    Backend,
    Cloud,
    ContainerShare,
    KeySpec,
    Limits,
    Per,
    Place,
    PodReader,
    PodWriter,
    Range,
    Reading,
    ShareWriter,
    key,
)
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, PodKeys, Value, in_lists
from gpuxlate.model.profile import CardProfile, Component, Profile, card_of
from gpuxlate.model.share import Isolation, Policy, Qos, Share
from gpuxlate.rules.unsupported_products import ELASTIC_GPU, GPU_MANAGER, SUPER_NODES

MODULE = "components.qgpuModule"
"""The fact of a profile: the version of the kernel module on nodes."""
DOCUMENTS = {
    "S003": "Tencent Cloud, GPU sharing: using qGPU (2024-11-25)",
    "TC127667": "Tencent docs 457/127667, qGPU on several cards",
    "TC117759": "Tencent docs 457/117759, changes of the qGPU add-on (2026-01-16)",
    "TC81034": "Tencent docs 457/81034, online/offline colocation (2025-09-15)",
    "QD": "tencentyun/qcloud-documents, older pages of qGPU (2022-23)",
    "EA": "elastic-ai/elastic-gpu-scheduler (2022)",
}
NAMES = ("tencent-qgpu", "tencent", "tke", "qgpu", "tencentcloud")
"""What a profile may call this target."""
ADDON, KERNEL_MODULE = Component("qgpu", "the qGPU add-on"), Component("qgpuModule", "the qGPU module")
CORE = "tke.cloud.tencent.com/qgpu-core"
MEMORY = "tke.cloud.tencent.com/qgpu-memory"
GREEDY = "tke.cloud.tencent.com/qgpu-core-greedy"
APP_CLASS = "tke.cloud.tencent.com/app-class"
POLICY = "tke.cloud.tencent.com/qgpu-schedule-policy"
VERSION = "tke.cloud.tencent.com/qgpu.version"
RECORD = "tke.cloud.tencent.com/qgpu-pgpu-"  # before the name of a container
NODES = (Place.NODE_SELECTOR, Place.NODE)
DEVICE_ENABLE, MIXED_ENABLE, ENABLED = "qgpu-device-enable", "mixed-qgpu-enable", "enable"
SPELLINGS: Mapping[Policy, tuple[str, str]] = {
    policy: (str(policy), "".join(word[0] for word in policy.split("-")))
    for policy in (Policy.BEST_EFFORT, Policy.FIXED_SHARE, Policy.BURST_SHARE)
}
"""The full name and the abbreviation, ``be``; a node pool may carry either (S003)."""
POLICY_OF: Mapping[str, Policy] = {text: policy for policy, both in SPELLINGS.items() for text in both}
POLICY_NAMES = ", ".join(f"{full} ({short})" for full, short in SPELLINGS.values())
CLASSES: Mapping[str, Qos] = {"online": Qos.ONLINE, "offline": Qos.OFFLINE}
"""Values of APP_CLASS, exactly (TC81034)."""
CORE_STEP, FULL = 5, 100
"""Percent: minimum and step of one card, and a whole one (S003)."""
MAX_SHARED_CARDS, MAX_SHARES = 2, 16
"""Most cards that a container shares (TC117759, 2026-01-13), and most qGPU devices on one card (S003)."""
ONE_CARD, WHOLE_CARDS = Range(CORE_STEP, FULL, CORE_STEP), Range(FULL, None, FULL)


def is_whole(core: int) -> bool:
    """Whether a value of CORE is N whole cards (S003)."""
    return core >= FULL and core % FULL == 0


def cards_for(core: int) -> int:
    """The cards that CORE covers: ``ceil(core / 100)``, implied by 160 -> 2 and 121 -> 2 (TC127667)."""
    return max(1, -(-core // FULL))


def format_keys(text: str, **values: Any) -> Message:
    """A text with the names of the keys in it."""
    return msg(text, core=CORE, memory=MEMORY, greedy=GREEDY, app_class=APP_CLASS, policy=POLICY, **values)


KEYS: tuple[KeySpec, ...] = (
    cores(
        CORE,
        meaning="compute, total",
        per=Per.TOTAL,
        values=(ONE_CARD, Range(FULL + 1, MAX_SHARED_CARDS * FULL), WHOLE_CARDS),
        excludes=(GREEDY,),
        source="S003, TC127667",
    ),
    # the pages write G or GB; the capacities of the nodes are GiB, rounded down (QD, EA)
    memory(
        MEMORY,
        meaning="GPU memory, total",
        unit=GIB,
        per=Per.TOTAL,
        default=Absent.ALL,
        source="S003, TC127667",
    ),
    cores(
        GREEDY,
        meaning="offline compute",
        per=Per.TOTAL,
        offline=True,
        needs=(MEMORY,),
        excludes=(CORE,),
        source="TC81034",
    ),
    key(APP_CLASS, Place.ANNOTATION, meaning="colocation class", sets="qos", words=CLASSES, source="TC81034"),
    key(POLICY, *NODES, meaning="policy of the node", sets="policy", words=POLICY_OF, source="S003"),
    key(DEVICE_ENABLE, *NODES, meaning="qGPU on the node", no_op_values=(ENABLED,), source="QD"),
    key(MIXED_ENABLE, Place.NODE, meaning="colocation on the node", source="QD"),
    key(VERSION, Place.NODE, meaning="kernel module", source="TC117759"),
    written("tke.cloud.tencent.com/qgpu", meaning="scheduled", source="EA"),
    written(f"{RECORD}*", meaning="card indexes", source="EA"),
    written("elasticgpu.io/assumed", meaning="scheduled", source="EA"),
    written("elasticgpu.io/container-*", meaning="card indexes", source="EA"),
)
CLOUD = Cloud(
    "Tencent TKE",
    ("tencent.com", "com.tencent.cloud.csi.cbs"),
    regex(r"[A-Z0-9]+[a-z]*\.(?:[0-9]*X?LARGE|MEDIUM|SMALL)[0-9]+|eklet"),
)
"""Labels of its nodes (``tke.cloud.tencent.com/nodepool-id``) and of its disks
(``topology.com.tencent.cloud.csi.cbs/zone``), the taint of its super nodes
(``eks.tke.cloud.tencent.com/eklet``); machine types: ``GN10Xp.2XLARGE40``, and ``eklet`` for super nodes (TKE
457/45561 and 457/40027)."""


# --- what a profile holds about a cluster; None where it does not, or is of another target -----------
def node_policy(profile: Profile | None) -> Policy | None:
    """The policy of the nodes, in either spelling."""
    return POLICY_OF.get(profile.policy or "") if profile and profile.target in NAMES else None


def other_policy(chosen: str, on_nodes: str) -> Message:
    """The message that the policy of a pod is not that of the nodes of a profile."""
    text = "the pod chooses nodes with {chosen}; nodes in this profile have {policy}"
    return msg(text, chosen=chosen, policy=on_nodes)


def card_gib(profile: Profile | None) -> int | None:
    """Units of qgpu-memory on one card: whole GiB, rounded down (capacity of a T4: 14)."""
    memory_mib = card_of(profile, NAMES).memory_mib
    return None if memory_mib is None else memory_mib // GIB


# Tencent TKE qGPU: reading shares. The rules report wrong keys; a reader returns what they give.
def _policy(pod: PodReader, origins: dict[str, Path]) -> Policy | None:
    """The one policy of every node that the pod can run on; best-effort where they lack the label (S003)."""
    pod.take_node(POLICY)
    chosen = tuple(pod.pod.choices(POLICY))
    if any(text not in POLICY_OF for requirement in chosen for text in requirement.values):
        return None  # TKE014 or GX013
    policies: list[tuple[Policy, Path]] = []
    several: list[tuple[Message, Path]] = []
    for requirement in chosen:
        if requirement.operator == "In" and requirement.values:
            policies += [(POLICY_OF[text], requirement.path) for text in requirement.values]
        elif requirement.operator == "DoesNotExist":
            policies.append((Policy.BEST_EFFORT, requirement.path))
        else:
            choice = " ".join((POLICY, requirement.operator, ", ".join(requirement.values))).rstrip()
            several.append((msg("{choice} does not select one policy", choice=choice), requirement.path))
    different = next((path for policy, path in policies if policy is not policies[0][0]), None)
    if different is not None:
        names = ", ".join(dict.fromkeys(str(policy) for policy, _ in policies))
        message = msg("the pod chooses nodes with {names}; a share has one policy", names=names)
        several.append((message, different))
    if chosen and POLICY not in pod.pod.node_selector and not pod.pod.required_by_all_terms(POLICY):
        message = msg("only some terms of the node affinity require {label}", label=POLICY)
        several.append((message, chosen[0].path))
    for message, path in several:
        hint = msg("require one policy in every term, operator In: {names}", names=POLICY_NAMES)
        pod.note("TKE014", message, path, hint)
    if not policies or several:
        return None
    policy, origins["policy"] = policies[0]
    return policy


def _container(
    pod: PodReader, container: ContainerKeys, policy: Policy | None, qos: Qos | None, of_pod: dict[str, Path]
) -> ContainerShare:
    keys = (("memory_mib", MEMORY), ("cores", CORE), ("cores", GREEDY))
    paths = {field: container.resources[name].path for field, name in keys if name in container.resources}
    units, core, greedy = (pod.number(container, name) for _, name in keys)
    if core is None and greedy is None and units is None:
        return pod.none(container)
    cards, cores = 1, core if greedy is None else greedy
    if greedy is None and core is not None and core >= FULL:
        # the vendor rounds down on each card (TC127667: 121 gives 60 each), TKE006
        cards = cards_for(core)
        cores = core // cards * cards
        units = None if units is None else units // cards * cards
        if is_whole(core):
            cores = units = None  # TKE008
    return pod.share(
        container,
        cards=cards,
        cores=cores,
        memory_mib=None if units is None else units * GIB,
        policy=policy,
        qos=qos,
        origins={**of_pod, "cards": paths.get("cores", container.path), **paths},
    )


# Tencent TKE qGPU: the target, and writing shares. Values are totals of the container.
Numbers = dict[str, int | None]
"""By key; None where a field that the target needs is not set."""


def _write_container(placing: ShareWriter, qos: Qos | None, profile: Profile | None) -> ContainerKeys:
    placing.take_isolation_if_covered(Isolation.SOFT)  # of memory and compute, by the add-on (S003)
    # as requested: a share that loses its cores here is not whole cards
    if placing.asked.whole_cards:
        values = _whole(placing, qos)
    elif qos is None:
        values = _ordinary(placing, profile)
    else:
        values = _offline(placing) if qos is Qos.OFFLINE else _online(placing)
    units = card_gib(profile)
    placing.on_nodes(CardProfile(memory_mib=None if units is None else units * GIB), None, "TKE001")
    written = {name: Value.of(str(number)) for name, number in values.items() if number is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written)


def _whole(placing: ShareWriter, qos: Qos | None = None) -> Numbers:
    """100 x N without memory: it comes with the cards (S003)."""
    if qos:
        message = msg("{qos} whole cards cannot be expressed: TKE colocation shares one card", qos=str(qos))
        hint = "request a part of one card with memoryMiB, or remove qos from the share"
        placing.refuse("qos", "GX023", message, hint)
    return {CORE: FULL * int(placing.take("cards"))}


def _memory(placing: ShareWriter, lacking: str, why: Message, off_grid: str = "TKE001") -> int | None:
    """GiB, which every part of a card needs; ``lacking`` and ``off_grid`` are codes."""
    placing.need("memory_mib", lacking, why)
    memory = placing.on_grid("memory_mib", off_grid, step=GIB, low=GIB, unit="MiB")
    return None if memory is None else memory // GIB


def _offline(placing: ShareWriter) -> Numbers:
    """Greedy compute of 1..100 % and memory, one card (TC81034)."""
    if placing.take("cards") > 1:
        placing.refuse("cards", "TKE010", "offline pods of TKE share one card only", "request one card")
    cores = placing.need("cores", "TKE010", msg("offline pods need {key}", key=GREEDY))
    memory = _memory(placing, "TKE010", msg("offline pods need {key}", key=MEMORY))
    return {GREEDY: cores, MEMORY: memory}


def _online(placing: ShareWriter) -> Numbers:
    """Memory alone, one card: online pods compete for compute (TC81034)."""
    if placing.take("cards") > 1:
        placing.refuse("cards", "TKE011", "online pods of TKE share one card only", "request one card")
    placing.drop("cores", "TKE011", "online pods of TKE request memory only and compete for compute")
    return {MEMORY: _memory(placing, "TKE011", msg("online pods need {key}", key=MEMORY))}


def _ordinary(placing: ShareWriter, profile: Profile | None) -> Numbers:
    """Compute and memory of one card, or of two; whole cards where compute is full."""
    cards = int(placing.take("cards"))
    if cards <= MAX_SHARED_CARDS:
        # of two cards, more than half of each (TC127667)
        placing.need("cores", "GX021", "qGPU pods need compute and memory", 60 if cards > 1 else None)
    if cards == 1:
        placing.on_grid("cores", "TKE002", step=CORE_STEP, low=CORE_STEP, unit="%")
    placing.whole_when_full("TKE008")
    if placing.whole_cards:
        return _whole(placing)
    if cards > 1:
        _several_cards(placing, cards, profile)
    codes = ("TKE006", "TKE006") if cards > 1 else ("TKE003", "TKE001")
    memory = _memory(placing, codes[0], msg("a part of a card needs {key}", key=MEMORY), codes[1])
    return {CORE: placing.take("cores"), MEMORY: memory}


def _several_cards(placing: ShareWriter, cards: int, profile: Profile | None) -> None:
    """Fit the compute and memory of several cards, whose number has no key: it follows from qgpu-core
    (TC127667)."""
    if cards > MAX_SHARED_CARDS:
        text = "requests {cards} GPUs; a container of TKE shares at most {most}"
        message = msg(text, cards=cards, most=MAX_SHARED_CARDS)
        placing.refuse("cards", "TKE005", message, "request fewer GPUs, or whole cards")
        return
    cores = placing.peek("cores")
    each = 0 if cores is None else cores // cards
    if cores is not None and cores <= FULL:
        text = "two cards at {each} % each cannot be expressed: {key} {cores} means one card"
        message = msg(text, each=each, key=CORE, cores=cores)
        placing.refuse("cores", "TKE005", message, "request more than 50 % of each card, or one card")
    elif each % CORE_STEP:
        text = "{each} % of each card is not a multiple of {step} %, which may be needed for two cards too"
        hint = msg("write a multiple of {step} for cores", step=CORE_STEP * cards)
        placing.warn("TKE007", msg(text, each=each, step=CORE_STEP), hint, "cores")
    old = old_addon(profile)
    if old:
        placing.warn("TKE005", *old)


def too_old(profile: Profile | None, fact: str) -> dict[str, str] | None:
    """The version of a component in the profile, and the least that TKE needs, where the latter is later;
    else None."""
    if profile is None or not profile.is_of(NAMES):
        return None
    from gpuxlate.backends.requirements import unmet

    needs = [requirement for requirement in TencentQgpu().requirements if requirement.fact == fact]
    lacks = unmet(profile, needs)
    return {"version": lacks[0].value or "", "least": str(lacks[0].requirement.bound)} if lacks else None


def old_addon(profile: Profile | None) -> tuple[Message, str] | None:
    """Message and hint where the qGPU add-on is too old for two shared cards (TC127667)."""
    versions = too_old(profile, "components.qgpu")
    text = "two shared cards need the qGPU add-on {least}; this profile has {version}"
    return (msg(text, **versions), "upgrade the add-on, or request one card") if versions else None


def _doubtful_policy(placing: ShareWriter, policy: Policy, qos: Qos | None, profile: Profile | None) -> None:
    """Report what the choice of nodes by policy does not do."""
    label = msg("label the node pool {label}={policy}", label=POLICY, policy=policy)
    if policy is Policy.BEST_EFFORT:
        message = "nodes without a policy label are best-effort too; the pod runs on labelled nodes only"
        placing.note("TKE014", message, label, "policy")
    if qos is Qos.ONLINE:
        message = "online pods always compete for compute, whatever the policy of the nodes"
        placing.note("TKE014", message, attribute="policy")
    on_nodes = node_policy(profile)
    if on_nodes is not None and on_nodes is not policy:
        placing.warn("TKE014", other_policy(policy, on_nodes), label, "policy")


def node_mode(shares: Sequence[Share], _profile: Profile | None) -> str:
    """Pods with a policy choose nodes of it; the others run on any node (S003)."""
    return next((str(share.policy) for share in shares if share.policy), ANY_MODE)


class TencentQgpu(Backend):
    """Parts of cards by qGPU (S003): percent of one card and GiB, totals of a container; the cards are
    as many as the percent need."""

    name = NAMES[0]
    aliases = NAMES[1:]
    title = "Tencent TKE, qGPU"
    components = (ADDON, KERNEL_MODULE)
    documents = DOCUMENTS
    keys = KEYS
    gpu_prefixes = ("tke.cloud.tencent.com/qgpu",)
    field_docs = {
        "cards": "1, or 2 shared with more than 50 % of each, or any number of whole cards",
        "cores": "5..100 % in multiples of 5, total over the cards; offline 1..100; online has none",
        "memoryMiB": "GiB, total over the cards; whole cards have none",
        "policy": "required node affinity on the label qgpu-schedule-policy",
        "qos": "annotation app-class; one card, a part of it",
        "device": "no key; vendor nvidia alone",
        "isolation": "no key; soft, whole cards hardware",
    }
    words = {"policy": POLICY_OF, "qos": CLASSES}
    vendor = "nvidia"
    sets_visible_devices = True
    cloud = CLOUD
    similar_products = (GPU_MANAGER, ELASTIC_GPU, SUPER_NODES)
    quotes_numbers = True
    limits = Limits(per_card=MAX_SHARES, source="S003", node_mode=node_mode)
    scheduling = Scheduling(
        Pick.EMPTIEST,
        Pick.FULLEST,
        "tencentyun/qcloud-documents, qGPU, parameters config.priority and config.nodepriority",
    )
    rule_prefix = "TKE"
    rule_module = "gpuxlate.backends.tencent.rules"
    node_module = "gpuxlate.backends.tencent.nodes"
    row_rules = ()
    fact_commands = {
        "components.qgpu": "the page of the qGPU add-on in the console of TKE",
        MODULE: f"kubectl get nodes -L {VERSION}",
        "cards.model": "kubectl exec POD -- nvidia-smi -L, in a pod that has a card of the node",
    }

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Read keys as shares."""
        pod.read_selector(DEVICE_ENABLE, (ENABLED,))
        for name in (MIXED_ENABLE, VERSION):
            pod.read_selector(name)
        app_class = pod.annotation(APP_CLASS)
        origins = {"qos": app_class.path} if app_class else {}
        qos = CLASSES.get(app_class.text) if app_class else None
        policy = _policy(pod, origins)
        return pod.reading(
            [_container(pod, container, policy, qos, origins) for container in pod.pod.all_containers()]
        )

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as keys: strings, as the vendor writes them."""
        qos = pod.qos()
        containers = tuple(_write_container(placing, qos, profile) for placing in pod.placings)
        policy = pod.policy()
        if policy:
            _doubtful_policy(pod.placings[0], policy, qos, profile)
        return PodKeys(
            *in_lists(containers),
            annotations={APP_CLASS: Value.of(str(qos))} if qos else {},
            affinity=((NodeRequirement(POLICY, "In", SPELLINGS[policy]),),) if policy else (),
        )

    def allocatable(
        self, _share: Share, cards: int, memory_mib: int, _profile: Profile | None
    ) -> dict[str, int]:
        """100 of CORE are a card; MEMORY is the sum of the cards' GiB, each rounded down (QD, EA)."""
        return {CORE: FULL * cards, MEMORY: cards * (memory_mib // GIB)}
