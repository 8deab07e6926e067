"""The data sheet of Volcengine VKE mGPU: keys, units, ranges, policies, each with its source.

Sources: S0 = docs 6461/1581673 "AI apps on shared GPUs" (2025-06-04); S1 = "mGPU online/offline
colocation" (2025-03-13); V = volcano-sh/volcano PR 3030, the vendor's own webhook and scheduler
code (2024-03); Q = copy of docs 6460/182418 "mGPU multi-card sharing" (2024-09).
"""

from __future__ import annotations

import re

from gpuxlate.backends.base import Cloud, Key, Place, Range, key
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.share import Policy, Qos

NAMES = ("volcengine-mgpu", "volcengine", "vke")
"""Names of this target in a profile."""

CORE = "vke.volcengine.com/mgpu-core"
"""Percent of one card, total of the container: 1..99, or 100 x k for k whole cards (S1, V)."""
MEMORY = "vke.volcengine.com/mgpu-memory"
"""MiB, total of the container (S1, V)."""
RECLAIMED_CORE = "vke.volcengine.com/reclaimed-mgpu-core"
"""Offline compute, percent of one card, in place of CORE (S1)."""

POLICY = "vke.volcengine.com/mgpu-compute-policy"
"""Annotation of the pod, and label of the node (S0)."""
MULTIPLE_GPU = "vke.volcengine.com/container-multiple-gpu"
"""Annotation: cards of each container, in their order, 0 for one without a share (V, Q)."""
QOS = "katalyst.kubewharf.io/qos_level"
"""Annotation: the colocation class (S1)."""

POLICIES: dict[Policy, str] = {
    Policy.FIXED_SHARE: "fixed-share",
    Policy.BURST_SHARE: "guaranteed-burst-share",
    Policy.BEST_EFFORT: "native-burst-share",
}
"""S0 lists names and Chinese labels in this order."""
DEFAULT_POLICY = Policy.FIXED_SHARE
"""Of pods without the annotation, and of nodes without the label (S0, V)."""

QOS_LEVELS: dict[Qos, str] = {Qos.ONLINE: "shared_cores", Qos.OFFLINE: "reclaimed_cores"}
"""S1."""

SINGLE_CARD_MIN_MIB = 256
"""One card: V rejects less than 256; S0 says "greater than 256", so 256 itself is doubtful."""
MULTI_CARD_MIN_MIB = 1024
"""Several cards: minimum MiB per card (Q; V)."""
MULTI_CARD_MAX_MIB = 81920
"""Several cards: maximum MiB per card (Q, 2024); component v0.6.1 may have raised it."""
MAX_CARDS = 8
"""Maximum number of cards that a container shares (Q)."""
INSTANCES_PER_CARD = 16
"""Maximum number of containers on one card (V; the same in a live scheduler configuration)."""
FULL = 100
"""Percent of a whole card."""

NODE_DEVICE = "vke.node.gpu.schedule"
"""Node label: ``mgpu`` or ``nvidia`` (V)."""
MGPU_NODES = ("mgpu",)
"""NODE_DEVICE of the nodes that have mGPU."""
GPU_NAME = "machine.cluster.vke.volcengine.com/gpu-name"
"""Node label: card model."""
BURST_TO_VCI = "vke.volcengine.com/burst-to-vci"
"""Annotation (or label): ``enforce`` sends the pod to VCI, which has no mGPU (S0)."""

_CARD_LIST = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")

KEYS: tuple[Key, ...] = (
    key(
        CORE,
        Place.RESOURCE,
        says="cores",
        meaning="compute, total",
        unit=1,
        source="S1, V",
        values=(Range(),),
    ),
    key(
        MEMORY,
        Place.RESOURCE,
        says="memory_mib",
        meaning="GPU memory, total",
        unit=1,
        source="S0, S1, V",
        values=(Range(SINGLE_CARD_MIN_MIB),),
        needs=(CORE, RECLAIMED_CORE),
    ),
    key(
        RECLAIMED_CORE,
        Place.RESOURCE,
        says="cores",
        meaning="offline compute",
        unit=1,
        source="S1",
        values=(Range(),),
    ),
    key(
        POLICY,
        Place.ANNOTATION,
        Place.NODE_SELECTOR,
        Place.NODE,
        says="policy",
        meaning="policy",
        source="S0, S1, V",
        values=tuple(POLICIES.values()),
    ),
    key(
        MULTIPLE_GPU,
        Place.ANNOTATION,
        says="cards",
        meaning="cards of each container",
        unit=1,
        source="V, Q",
        values=(_CARD_LIST,),
    ),
    key(
        QOS,
        Place.ANNOTATION,
        says="qos",
        meaning="colocation class",
        source="S1",
        values=(*QOS_LEVELS.values(), "dedicated_cores", "system_cores"),  # the last two: Katalyst's own
        general=True,
    ),
    key(
        NODE_DEVICE,
        Place.NODE_SELECTOR,
        Place.NODE,
        meaning="device stack of the node",
        source="V",
        idle=MGPU_NODES,
    ),
    key(GPU_NAME, Place.NODE_SELECTOR, Place.NODE, meaning="card model", source="aibrix samples"),
    key("vke.volcengine.com/assumed", Place.SCHEDULER, meaning="scheduled", source="V"),
    key("vke.volcengine.com/gpu-index-container-*", Place.SCHEDULER, meaning="card indexes", source="V"),
)

GPU_PREFIXES = ("vke.volcengine.com/mgpu", "vke.volcengine.com/reclaimed-mgpu")


def card_counts(text: str) -> tuple[int, ...] | None:
    """``2,0`` of MULTIPLE_GPU to (2, 0); None where malformed: V parses each part without trimming it."""
    return tuple(int(part) for part in text.split(",")) if _CARD_LIST.fullmatch(text) else None


CLOUD = Cloud(("volcengine.com",), re.compile(r"ecs\..+"))
"""Labels of its nodes (``machine.cluster.vke.volcengine.com/...``); machine types: ``ecs.gni2.3xlarge``."""


def asks_mgpu(container: ContainerKeys) -> bool:
    """A key of mGPU is in its limits or requests."""
    return any(name in container.resources for name in (CORE, RECLAIMED_CORE, MEMORY))


def listed_cards(pod: PodKeys, listed: Value | None) -> tuple[int, ...]:
    """The number of each container in MULTIPLE_GPU; empty where absent, malformed, or of another length.

    Where a cluster adds containers the list is longer, and where they stand is not known: its numbers above
    0 are those of the containers with a share, in their order.
    """
    counts = (card_counts(listed.text) if listed else None) or ()
    if pod.grows and len(counts) > len(pod.containers):
        given = [count for count in counts if count]
        sharing = [asks_mgpu(one) for one in pod.containers]
        left = iter(given)
        counts = tuple(next(left) if one else 0 for one in sharing) if len(given) == sum(sharing) else ()
    return counts if len(counts) == len(pod.containers) else ()
