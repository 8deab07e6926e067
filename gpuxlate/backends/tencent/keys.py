"""The data sheet of Tencent TKE qGPU: keys, units, steps, policies, each with its source.

Sources: S003 = "GPU sharing", PDF of the qGPU pages (2024-11-25); TC65734 = docs 457/65734 "using
qGPU" (2026-01-16); TC127667 = docs 457/127667 "several cards"; TC117759 = docs 457/117759, changes
of the add-on (2026-01-16); TC81034 = docs 457/81034 "online/offline colocation" (2025-09-15);
QD = mirror of the older pages, tencentyun/qcloud-documents; EA = elastic-ai, the open code under it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpuxlate.backends.base import GIB, Cloud, Key, Place, Range, key
from gpuxlate.model.share import Policy, Qos
from gpuxlate.rules.products import ELASTIC_GPU, GPU_MANAGER, SUPER_NODES

NAMES = ("tencent-qgpu", "tencent", "tke")
"""What a profile may call this target."""

CORE = "tke.cloud.tencent.com/qgpu-core"
"""Percent of one card, total of the container: 5..100 by 5, 100 x N for N whole cards (S003), and
what lies between for two shared cards (TC127667)."""
MEMORY = "tke.cloud.tencent.com/qgpu-memory"
"""GiB, total of the container. The pages write G or GB; the capacities of the nodes are GiB, rounded
down (QD, EA)."""
GREEDY = "tke.cloud.tencent.com/qgpu-core-greedy"
"""Offline compute, percent of one card, in place of CORE (TC81034)."""
APP_CLASS = "tke.cloud.tencent.com/app-class"
"""Annotation of the pod: ``online`` or ``offline`` (TC81034)."""
POLICY = "tke.cloud.tencent.com/qgpu-schedule-policy"
"""Label of the node pool; a pod chooses nodes by it (S003)."""
DEVICE_ENABLE = "qgpu-device-enable"
"""Label of every qGPU node (QD)."""
QGPU_NODES = ("enable",)
"""DEVICE_ENABLE of the nodes that have qGPU (QD)."""
MIXED_ENABLE = "mixed-qgpu-enable"
"""Label of a node with online and offline pods, on the older pages only (QD; not in TC81034)."""

VERSION = "tke.cloud.tencent.com/qgpu.version"
"""Label of a node: the version of its kernel module, as qgpu-manager writes it (TC117759)."""

SPELLINGS: Mapping[Policy, tuple[str, str]] = {
    Policy.BEST_EFFORT: ("best-effort", "be"),
    Policy.FIXED_SHARE: ("fixed-share", "fs"),
    Policy.BURST_SHARE: ("burst-share", "bs"),
}
"""The full name and the abbreviation; a node pool may carry either (S003)."""
POLICY_OF: Mapping[str, Policy] = {text: policy for policy, both in SPELLINGS.items() for text in both}
POLICY_NAMES = ", ".join(f"{full} ({short})" for full, short in SPELLINGS.values())

CLASSES: Mapping[str, Qos] = {"online": Qos.ONLINE, "offline": Qos.OFFLINE}
"""Values of APP_CLASS, exactly (TC81034)."""

CORE_STEP = 5
"""Percent: minimum and step of one card (S003, TC65734)."""
FULL = 100
"""Percent of a whole card (S003)."""
MAX_SHARED_CARDS = 2
"""Most cards that a container shares (TC117759, 2026-01-13)."""
TWO_CARDS_EXAMPLE = 60
"""A valid percent of each of two cards: more than half of a card (TC127667)."""
MAX_SHARES = 16
"""Most qGPU devices on one card (S003, TC65734)."""


def is_misused(texts: tuple[str, ...]) -> bool:
    """POLICY is chosen as "true" and nothing else, as generated documents write it (GX013)."""
    return [text.lower() for text in texts] == ["true"]


def is_whole(core: int) -> bool:
    """CORE is N whole cards (S003)."""
    return core >= FULL and core % FULL == 0


def cards_of(core: int) -> int:
    """The cards that CORE covers: ``ceil(core / 100)``, implied by 160 -> 2 and 121 -> 2 (TC127667)."""
    return max(1, -(-core // FULL))


KEYS: tuple[Key, ...] = (
    key(
        CORE,
        Place.RESOURCE,
        meaning="compute, total",
        unit=1,
        source="S003, TC127667",
        says="cores",
        values=(
            Range(CORE_STEP, FULL, CORE_STEP),
            Range(FULL + 1, MAX_SHARED_CARDS * FULL),
            Range(FULL, None, FULL),
        ),
    ),
    key(
        MEMORY,
        Place.RESOURCE,
        meaning="GPU memory, total",
        unit=GIB,
        source="S003, TC127667",
        says="memory_mib",
        values=(Range(),),
    ),
    key(
        GREEDY,
        Place.RESOURCE,
        meaning="offline compute",
        unit=1,
        source="TC81034",
        says="cores",
        values=(Range(1, FULL),),
        needs=(MEMORY,),
    ),
    key(
        APP_CLASS,
        Place.ANNOTATION,
        meaning="colocation class",
        source="TC81034",
        says="qos",
        values=tuple(CLASSES),
    ),
    key(
        POLICY,
        Place.NODE_SELECTOR,
        Place.NODE,
        meaning="policy of the node",
        source="S003",
        says="policy",
        values=tuple(POLICY_OF),
    ),
    key(
        DEVICE_ENABLE,
        Place.NODE_SELECTOR,
        Place.NODE,
        meaning="qGPU on the node",
        source="QD",
        idle=QGPU_NODES,
    ),
    key(MIXED_ENABLE, Place.NODE, meaning="colocation on the node", source="QD, older pages only"),
    key(VERSION, Place.NODE, meaning="kernel module", source="TC117759"),
    key("tke.cloud.tencent.com/qgpu", Place.SCHEDULER, meaning="scheduled", source="EA"),
    key("tke.cloud.tencent.com/qgpu-pgpu-*", Place.SCHEDULER, meaning="card indexes", source="EA"),
    key("elasticgpu.io/assumed", Place.SCHEDULER, meaning="scheduled", source="EA"),
    key("elasticgpu.io/container-*", Place.SCHEDULER, meaning="card indexes", source="EA"),
)

GPU_PREFIXES = ("tke.cloud.tencent.com/qgpu",)

LOOK_ALIKES = (GPU_MANAGER, ELASTIC_GPU, SUPER_NODES)
"""Products whose keys are easily taken for these."""

CLOUD = Cloud(("tencent.com",), re.compile(r"[A-Z0-9]+[a-z]*\.(?:[0-9]*X?LARGE|MEDIUM|SMALL)[0-9]+"))
"""Labels of its nodes (``node.tke.cloud.tencent.com/...``); machine types: ``GN10Xp.2XLARGE40``."""
