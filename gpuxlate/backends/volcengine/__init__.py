"""Volcengine VKE mGPU: its keys, each with its source (DOCUMENTS), and how they are read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuxlate.backends.rows import cores, memory, written
from gpuxlate.backends.scheduling_limits import ANY_MODE, Pick, Scheduling
from gpuxlate.backends.target import (
    Absent,
    Backend,
    Cloud,
    Confidence,
    ContainerShare,
    KeySpec,
    Limits,
    Per,
    Place,
    PodReader,
    PodWriter,
    Range,
    Reading,
    RuleKind,
    RuleRow,
    ShareWriter,
    key,
)
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Component, Profile
from gpuxlate.model.share import Isolation, Policy, Qos, Share
from gpuxlate.rules.predicates import PerContainerList, number_of

DOCUMENTS = {
    "S0": "Volcengine docs 6461/1581673, AI apps on shared GPUs (2025-06-04)",
    "S1": "Volcengine, mGPU online/offline colocation (2025-03-13)",
    "V": "volcano-sh/volcano, pull request 3030, pkg/webhooks/admission/pods and "
    "pkg/scheduler/api/devices/nvidia/mgpu (2024-03)",
    "VD": "volcano-sh/volcano, pull request 3030, design document (2024-03)",
    "Q": "copy of Volcengine docs 6460/182418, mGPU multi-card sharing (2024-09)",
    "R": "Volcengine docs 6460/159262, changes of the mgpu component",
    "VCI": "Volcengine docs 6460/76920, VCI pod annotations",
    "W": "scheduler configuration of a live cluster (2024-08)",
    "K": "kubewharf/katalyst-api, pkg/consts/qos.go",
    "A": "vllm-project/aibrix, samples for VKE (2026-11)",
}
MGPU = Component("mgpu", "mgpu")
DRIVER = Component("mgpuDriver", "the mGPU driver")
WEBHOOK = Component("generalWebhook", "general-webhook")
NAMES = ("volcengine-mgpu", "volcengine", "vke", "mgpu", "volc")
"""Names of this target in a profile."""
CORE = "vke.volcengine.com/mgpu-core"
"""Percent of one card, total of the container: 1..99, or 100 x k for k whole cards (S1, V)."""
MEMORY = "vke.volcengine.com/mgpu-memory"  # miB, total of the container (S1, V)
RECLAIMED_CORE = "vke.volcengine.com/reclaimed-mgpu-core"
"""Offline compute, percent of one card, in place of CORE (S1)."""
POLICY = "vke.volcengine.com/mgpu-compute-policy"  # annotation of the pod, and label of the node (S0)
MULTIPLE_GPU = "vke.volcengine.com/container-multiple-gpu"
"""Annotation: cards of each container, in their order, 0 for one without a share (V, Q)."""
QOS = "katalyst.kubewharf.io/qos_level"  # annotation: the colocation class (S1)
POLICIES: dict[Policy, str] = {
    Policy.FIXED_SHARE: "fixed-share",
    Policy.BURST_SHARE: "guaranteed-burst-share",
    Policy.BEST_EFFORT: "native-burst-share",
}
"""S0 lists names and Chinese labels in this order."""
POLICY_NAMES = {str(policy): text for policy, text in POLICIES.items()}
"""A profile may use gpuxlate's names."""
POLICY_OF = {text: policy for policy, text in POLICIES.items()}
DEFAULT_POLICY = Policy.FIXED_SHARE  # of pods without the annotation, and of nodes without the label (S0, V)
QOS_LEVELS: dict[Qos, str] = {Qos.ONLINE: "shared_cores", Qos.OFFLINE: "reclaimed_cores"}
"""S1."""
QOS_OF = {text: qos for qos, text in QOS_LEVELS.items()}
SINGLE_CARD_MIN_MIB = 256
"""One card: V rejects less than 256; S0 says "greater than 256", so 256 itself is doubtful."""
GREATER = "volcengine.com/docs/6461/1581673"
"""The page that says so (S0)."""
TEST_OR_MORE = "test it on the cluster, or write more"
MULTI_CARD_MIN_MIB = 1024  # several cards: minimum MiB per card (Q; V)
MULTI_CARD_MAX_MIB = 81920
"""Several cards: maximum MiB per card (Q, 2024); component v0.6.1 may have raised it."""
MAX_CARDS = 8  # maximum number of cards that a container shares (Q)
INSTANCES_PER_CARD = 16
"""Maximum number of containers on one card (V; the same in a live scheduler configuration)."""
FULL = 100  # percent of a whole card
NODE_DEVICE = "vke.node.gpu.schedule"  # node label: mgpu or nvidia (V)
MGPU_NODES = ("mgpu",)
"""NODE_DEVICE of the nodes that have mGPU."""
GPU_NAME = "machine.cluster.vke.volcengine.com/gpu-name"  # node label: card model
BURST_TO_VCI = "vke.volcengine.com/burst-to-vci"
"""Annotation (or label): ``enforce`` sends the pod to VCI, which has no mGPU (S0)."""
RESOURCES = (CORE, RECLAIMED_CORE, MEMORY)
"""A container with mGPU has at least one of these."""
LISTED = PerContainerList(MULTIPLE_GPU, RESOURCES)
"""The number of a container in MULTIPLE_GPU: V parses each part without trimming it."""
KEYS: tuple[KeySpec, ...] = (
    cores(CORE, per=Per.TOTAL, values=(Range(),), excludes=(RECLAIMED_CORE,), source="S1, V"),
    cores(
        RECLAIMED_CORE,
        meaning="offline compute",
        per=Per.TOTAL,
        values=(Range(),),
        offline=True,
        excludes=(CORE, MULTIPLE_GPU),
        component=MGPU,
        confidence=Confidence.MEDIUM,
        source="S1",
    ),
    memory(
        MEMORY,
        per=Per.TOTAL,
        values=(Range(SINGLE_CARD_MIN_MIB),),
        needs=(CORE, RECLAIMED_CORE),
        default=Absent.ALL,
        source="S0, S1, V",
    ),
    key(
        POLICY,
        Place.ANNOTATION,
        Place.NODE_SELECTOR,
        Place.NODE,
        sets="policy",
        meaning="policy",
        values=tuple(POLICIES.values()),
        words=POLICY_OF,
        source="S0, S1, V",
    ),
    key(
        MULTIPLE_GPU,
        Place.ANNOTATION,
        sets="cards",
        meaning="cards of each container",
        unit=1,
        per=Per.CONTAINER,
        values=(LISTED.FORM,),
        default=Absent.ONE,
        component=MGPU,
        source="V, Q",
    ),
    key(
        QOS,
        Place.ANNOTATION,
        sets="qos",
        meaning="colocation class",
        values=(*QOS_LEVELS.values(), "dedicated_cores", "system_cores"),  # the last two: Katalyst's own
        words=QOS_OF,
        general=True,
        source="S1, K",
    ),
    key(
        NODE_DEVICE,
        Place.NODE_SELECTOR,
        Place.NODE,
        meaning="device stack of the node",
        no_op_values=MGPU_NODES,
        confidence=Confidence.MEDIUM,
        source="V",
    ),
    key(GPU_NAME, Place.NODE_SELECTOR, Place.NODE, meaning="card model", source="A"),
    written("vke.volcengine.com/assumed", meaning="scheduled", source="V"),
    written("vke.volcengine.com/gpu-index-container-*", meaning="card indexes", source="V"),
)
GPU_PREFIXES = ("vke.volcengine.com/mgpu", "vke.volcengine.com/reclaimed-mgpu")
CLOUD = Cloud("Volcengine VKE", ("volcengine.com",), regex(r"ecs\..+"))
"""Labels of its nodes (``cluster.vke.volcengine.com/machinepool-name``, all under ``vke.volcengine.com``: VKE
6460/1358690) and the taint of its virtual nodes (``vci.vke.volcengine.com/node-type``); machine types:
``ecs.gni2.3xlarge``."""


# Reading and writing shares of Volcengine VKE mGPU. Values are totals of the container.
def _container(
    pod: PodReader,
    container: ContainerKeys,
    listed: Value | None,
    words: Mapping[str, Any],
    origins_of_pod: Mapping[str, Path],
) -> ContainerShare:
    origins = dict(origins_of_pod)
    numbers = {name: pod.number(container, name) for name in (RECLAIMED_CORE, CORE, MEMORY)}
    for name in numbers:
        if name in container.resources:
            origins["memory_mib" if name == MEMORY else "cores"] = container.resources[name].path
    cores, memory = numbers[CORE], numbers[MEMORY]
    if cores is None:
        cores = numbers[RECLAIMED_CORE]
    if cores is None and memory is None:
        return pod.none(container)
    cards = 1
    if listed and not container.init:  # the list does not cover init containers
        cards = number_of(pod.pod.with_workload(), container, LISTED) or 0
        if cards == 0:
            return pod.none(container)  # the number of cards is not known: VKE016 to VKE018
        origins["cards"] = listed.path
    elif cores and cores % FULL == 0:
        cards = cores // FULL  # without the list, 100 x k is k whole cards (VKE013, VKE014)
    origins.setdefault("cards", origins.get("cores", container.path))
    return pod.share(container, cards=cards, cores=cores, memory_mib=memory, origins=origins, **words)


def _on_nodes(placing: ShareWriter, policy: Policy | None, multi: bool, profile: Profile) -> None:
    """Refuse more cards than a node of the profile has, and, for a part of a card, another policy."""
    if not multi or placing.cards <= MAX_CARDS:
        placing.on_nodes(profile.cards, "VKE020", None)
    nodes = POLICY_NAMES.get(profile.policy or "", profile.policy)
    name = POLICIES[policy or DEFAULT_POLICY]
    if nodes is None or placing.whole_cards or name == nodes:
        return
    share_policy = str(POLICY_OF.get(nodes, nodes))
    placing.refuse(
        "policy",
        "VKE005",
        msg(
            "policy is {policy}; nodes in this profile have {nodes}",
            policy=name if policy else msg("not set (default: {policy})", policy=name),
            nodes=nodes,
        ),
        msg("write policy: {policy} in the share, or use nodes with {name}", policy=share_policy, name=name),
    )


def _colocation_policy(pod: PodWriter, qos: Qos) -> None:
    """Colocation supports fixed-share and guaranteed-burst-share only (S1)."""
    for placing in pod.placings:
        message = "online and offline work on one card does not support native-burst-share (best-effort)"
        hint = "use policy: burst-share, which the vendor recommends for colocation"
        if qos is Qos.OFFLINE:
            placing.refuse("policy", "VKE030", message, hint)
        else:
            placing.warn("VKE030", message, hint, "policy")


def _write_container(placing: ShareWriter, multi: bool) -> ContainerKeys:
    offline = placing.peek("qos") is Qos.OFFLINE
    if placing.init:
        ignored = "an init container cannot request mGPU: the vendor's webhook and scheduler ignore it"
        placing.refuse("cards", "VKE009", ignored, "request the share in an ordinary container")
    if multi and placing.cards > MAX_CARDS:
        message = msg(
            "cards {cards} is above the maximum of {most} in a pod that shares several cards",
            cards=placing.cards,
            most=MAX_CARDS,
        )
        placing.refuse("cards", "VKE019", message, "request fewer cards")
    placing.take_isolation_if_covered(Isolation.SOFT)  # compute and memory, under every policy (S0)
    values = _whole(placing, offline) if placing.whole_cards else _shared(placing, offline, multi)
    written = {name: Value.of(number) for name, number in values.items()}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written)


def _whole(placing: ShareWriter, offline: bool) -> dict[str, int]:
    placing.take("cores"), placing.take("memory_mib")
    if offline:
        message = "qos offline is not supported for whole cards: reclaimed-mgpu-core is a part of one card"
        hint = "request a part of one card with memoryMiB, or remove qos from the share"
        placing.refuse("qos", "GX023", message, hint)
    return {CORE: FULL * placing.take("cards")}


def _shared(placing: ShareWriter, offline: bool, multi: bool) -> dict[str, int]:
    code, low = ("VKE024", MULTI_CARD_MIN_MIB) if multi else ("VKE012", SINGLE_CARD_MIN_MIB)
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
    values = {RECLAIMED_CORE if offline else CORE: cores, MEMORY: memory}
    return {name: number for name, number in values.items() if number is not None}


def _doubtful_memory(placing: ShareWriter, memory: int, cards: int, multi: bool) -> None:
    if not multi and memory == SINGLE_CARD_MIN_MIB:
        doubt = msg(
            "memoryMiB {low} is the minimum, and {page} says greater than {low}", low=memory, page=GREATER
        )
        placing.warn("VKE012", doubt, TEST_OR_MORE, "memory_mib")
    if multi and memory // cards > MULTI_CARD_MAX_MIB:
        message = msg(
            "{each} MiB per card is above the documented maximum of {most} MiB",
            each=memory // cards,
            most=MULTI_CARD_MAX_MIB,
        )
        placing.warn("VKE024", message, "check on the cluster: newer components may allow it", "memory_mib")


def node_mode(shares: Sequence[Share], _profile: Profile | None) -> str:
    """A pod needs nodes of its own policy, unless it requests whole cards only (V)."""
    if all(share.whole_cards for share in shares):
        return ANY_MODE
    return str(next((share.policy for share in shares if share.policy), DEFAULT_POLICY))


class VolcengineMgpu(Backend):
    """Parts of cards by mGPU (V): percent of one card and MiB, totals of a container, whose cards an
    annotation lists."""

    name = "volcengine-mgpu"
    title = "Volcengine VKE, mGPU"
    short_title = "mGPU"
    rule_prefix = "VKE"
    rule_module = "gpuxlate.backends.volcengine.rules"
    node_module = "gpuxlate.backends.volcengine.nodes"
    components = (
        MGPU,
        DRIVER,
        WEBHOOK,
    )
    keys = KEYS
    documents = DOCUMENTS
    gpu_prefixes = GPU_PREFIXES
    aliases = NAMES[1:]
    vendor = "nvidia"
    sets_visible_devices = True
    isolation = Isolation.SOFT  # compute and memory, under every policy (S0)
    init_containers = False
    model_label = GPU_NAME
    cloud = CLOUD
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
        RuleRow(RuleKind.KNOWN_VALUE, "VKE004", keys=(POLICY,)),
        RuleRow(RuleKind.INIT, "VKE009"),
        RuleRow(RuleKind.NEEDS, "VKE011"),
        RuleRow(RuleKind.KNOWN_VALUE, "VKE028", keys=(QOS,)),
    )
    limits = Limits(per_card=INSTANCES_PER_CARD, source="V", node_mode=node_mode)
    scheduling = Scheduling(
        Pick.EMPTIEST,
        Pick.FULLEST,
        "Volcengine docs 6460/1169613, parameters of scheduler-plugin (2024-07-01)",
    )

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Read keys as shares. The annotation decides first whether a number covers one card or several.

        Where the annotation cannot be read there is no share, and an unknown name sets no field. The rules
        report both.
        """
        values = {"policy": pod.annotation(POLICY), "qos": pod.annotation(QOS)}
        policy, qos, on_nodes = values["policy"], values["qos"], pod.node_values(POLICY)
        name = (
            policy.text if policy else on_nodes[0] if len(on_nodes) == 1 and on_nodes[0] in POLICY_OF else ""
        )
        pod.read_selector(POLICY, (name,) if name else ())
        pod.read_selector(NODE_DEVICE, MGPU_NODES)
        pod.read_selector(GPU_NAME)
        words = {"policy": POLICY_OF.get(name), "qos": QOS_OF.get(qos.text) if qos else None}
        origins = {field: value.path for field, value in values.items() if value}
        listed = pod.annotation(MULTIPLE_GPU)
        return pod.reading(
            [_container(pod, container, listed, words, origins) for container in pod.pod.all_containers()]
        )

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as keys: integers, totals of the container."""
        for placing in pod.placings:
            if not placing.whole_cards and placing.peek("cores") is None:
                placing.need("cores", "VKE011", "mgpu-memory requires mgpu-core")
            placing.whole_when_full("VKE014")
        multi = any(p.cards > 1 and not p.whole_cards for p in pod.placings)
        containers = tuple(_write_container(placing, multi) for placing in pod.placings)
        annotations: dict[str, Value] = {}
        policy, qos = pod.policy(), pod.qos()
        if profile is not None and profile.is_of(NAMES):
            for placing in pod.placings:
                _on_nodes(placing, policy, multi, profile)
        if policy:
            annotations[POLICY] = Value.of(POLICIES[policy])
        if qos:
            annotations[QOS] = Value.of(QOS_LEVELS[qos])
            if policy is Policy.BEST_EFFORT:
                _colocation_policy(pod, qos)
        if multi:
            counts = [pod.ordinary(n) for n in range(len(pod.containers))]
            annotations[MULTIPLE_GPU] = Value.of(",".join(str(p.cards if p else 0) for p in counts))
        return PodKeys(
            *in_lists(containers),
            annotations=annotations,
        )

    def allocatable(
        self, _share: Share, cards: int, memory_mib: int, _profile: Profile | None
    ) -> dict[str, int]:
        """Percent and MiB of all cards (V)."""
        return {CORE: FULL * cards, MEMORY: memory_mib * cards}
