"""The data sheet of HAMi: keys, units, ranges, each with its source.

Everything is **per card**: two cards of 3000 MiB are ``gpu: 2, gpumem: 3000``.

Sources, of Project-HAMi/HAMi (snapshot 2026-08-21, chart 2.10.0): DEV = pkg/device/nvidia/device.go,
HOOK = pkg/scheduler/webhook.go, TYPES = pkg/util/types.go, CONF = website docs/userguide/configure.md.
RENAMED = names that operators of HAMi set in its chart (``resourceName`` and the like, CHART charts/hami
values.yaml): DaoCloud's documentation has ``nvidia.com/vgpu`` beside ``gpumem`` and ``gpucores``, FPT Cloud's
"vGPU scheduler" all of ``vgpu``, ``vgpumem``, ``vgpumem-percentage`` and ``vgpucores``, Alauda's charts have
``nvidia.com/gpualloc``; all count as HAMi's own names do.
4paradigm/k8s-vgpu-scheduler (2024-02) is HAMi under its former name, with the same keys.
"""

from __future__ import annotations

from gpuxlate.backends.base import SELECTOR, Key, Per, Place, key
from gpuxlate.rules.products import NOS, VGPU_MANAGER

NAMES = ("hami", "4paradigm")
"""What a profile may call this target."""
SCHEDULERS = ("hami-scheduler",)
"""The webhook sets it; it ignores pods of schedulers other than this and the default one (HOOK)."""

COUNT = "nvidia.com/gpu"
"""Physical cards, at least 1; 1 where a share omits it (DEV, ``defaultGPUNum``). Every cloud has the key,
so it alone does not identify a dialect."""
VGPU, GPUALLOC = "nvidia.com/vgpu", "nvidia.com/gpualloc"
"""COUNT in DaoCloud's and FPT Cloud's clusters, and in Alauda's (RENAMED)."""
MEMORY = "nvidia.com/gpumem"
"""MiB of each card, times ``memoryFactor`` of the cluster (1). 0 means the same as omitted (DEV)."""
PERCENT = "nvidia.com/gpumem-percentage"
"""Memory in percent of each card, 0 to 100; others are refused (HOOK). Ignored beside MEMORY (DEV)."""
CORES = "nvidia.com/gpucores"
"""Compute in percent of each card. 100 makes the card exclusive, more is read as 100, 0 and none
are not capped (DEV)."""
PRIORITY = "nvidia.com/priority"
"""0 is high and 1 low: high pre-empts low on one card (DEV)."""

USE_TYPE = "nvidia.com/use-gputype"
"""Annotation: card models to use, parts of their names in any letter case, with commas (DEV)."""
AVOID_TYPE = "nvidia.com/nouse-gputype"
USE_UUID = "nvidia.com/use-gpuuuid"
AVOID_UUID = "nvidia.com/nouse-gpuuuid"
MODE = "nvidia.com/vgpu-mode"
"""Annotation: the isolation mode (DEV)."""
NUMA = "nvidia.com/numa-bind"
NODE_POLICY = "hami.io/node-scheduler-policy"
CARD_POLICY = "hami.io/gpu-scheduler-policy"
CORE_POLICY = "GPU_CORE_UTILIZATION_POLICY"
"""Variable of a container: FORCE is a hard cap of compute, DISABLE is no cap; DEFAULT caps only while
other containers use the card (CONF)."""
DISABLE_CONTROL = "CUDA_DISABLE_CONTROL"
"""Variable of a container: ``true`` turns all isolation off (issue 1678)."""

FULL = 100
"""Percent of a whole, exclusive card (DEV)."""
MOST_MEMORY = 2**31 - 1
"""MEMORY is an int32 (DEV)."""

FORCE, DISABLE, DEFAULT = "force", "disable", "default"
VALUES: dict[str, tuple[str, ...]] = {
    MODE: ("hami-core", "mig", "mps"),
    NODE_POLICY: ("binpack", "spread"),
    CARD_POLICY: ("binpack", "spread", "topology-aware", "mutex", "numa"),
    CORE_POLICY: (DEFAULT, FORCE, DISABLE),
    PRIORITY: ("0", "1"),
}
"""Values of the choices (DEV, TYPES, CONF). CARD_POLICY may be a chain with commas since 2026-08."""

CHOICES = (USE_TYPE, AVOID_TYPE, USE_UUID, AVOID_UUID, MODE, NUMA, NODE_POLICY, CARD_POLICY)
"""Annotations that choose cards or nodes: no field of a share."""
SHARE_KEYS = (MEMORY, PERCENT, CORES)

KEYS: tuple[Key, ...] = (
    key(
        COUNT,
        Place.RESOURCE,
        meaning="cards",
        unit=1,
        source="DEV, RENAMED",
        says="cards",
        aliases=(VGPU, GPUALLOC),
    ),
    key(
        MEMORY,
        Place.RESOURCE,
        meaning="GPU memory",
        unit=1,
        per=Per.CARD,
        source="DEV, RENAMED",
        says="memory_mib",
        aliases=("nvidia.com/vgpumem",),
        idle=("0",),
    ),
    key(
        PERCENT,
        Place.RESOURCE,
        meaning="GPU memory",
        unit=1,
        per=Per.CARD,
        source="DEV, HOOK, RENAMED",
        says="memory_percent",
        aliases=("nvidia.com/vgpumem-percentage",),
        idle=("0", "100"),
    ),
    key(
        CORES,
        Place.RESOURCE,
        meaning="compute",
        unit=1,
        per=Per.CARD,
        source="DEV, RENAMED",
        says="cores",
        aliases=("nvidia.com/vgpucores",),
        idle=("0", str(FULL)),
    ),
    key(PRIORITY, Place.RESOURCE, meaning="priority on one card: 0 high, 1 low", source="DEV", says="qos"),
    key(USE_TYPE, Place.ANNOTATION, meaning="card models", source="DEV", says=SELECTOR),
    key(AVOID_TYPE, Place.ANNOTATION, meaning="card models to avoid", source="DEV", says=SELECTOR),
    key(USE_UUID, Place.ANNOTATION, meaning="cards by UUID", source="DEV", says=SELECTOR),
    key(AVOID_UUID, Place.ANNOTATION, meaning="cards to avoid, by UUID", source="DEV", says=SELECTOR),
    key(MODE, Place.ANNOTATION, meaning="isolation mode", source="DEV", says=SELECTOR),
    key(NUMA, Place.ANNOTATION, meaning="all cards on one NUMA node", source="DEV", says=SELECTOR),
    key(NODE_POLICY, Place.ANNOTATION, meaning="node scheduling policy", source="TYPES", says=SELECTOR),
    key(CARD_POLICY, Place.ANNOTATION, meaning="card scheduling policy", source="TYPES", says=SELECTOR),
    key(CORE_POLICY, Place.ENV, meaning="whether compute has a hard cap", source="CONF", says="policy"),
    key(DISABLE_CONTROL, Place.ENV, meaning="turns isolation off", source="issue 1678", says=SELECTOR),
    key("hami.io/vgpu-*", Place.SCHEDULER, meaning="assigned cards", source="TYPES"),
    key("hami.io/bind-*", Place.SCHEDULER, meaning="binding", source="TYPES"),
    key("nvidia.com/predicate*", Place.SCHEDULER, meaning="scheduled", source="TYPES"),
)

KNOWN = frozenset(name for row in KEYS for name in (row.name, *row.aliases))
"""Every name that needs no profile."""

GPU_PREFIXES = ("nvidia.com/gpumem", "nvidia.com/gpucore")

LOOK_ALIKES = (VGPU_MANAGER, NOS)
"""Products whose keys are easily taken for these."""
