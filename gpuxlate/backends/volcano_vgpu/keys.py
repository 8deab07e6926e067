"""The data sheet of Volcano vGPU: keys, units, ranges, each with its source.

Everything is **per card**: two cards of 3000 MiB are ``vgpu-number: 2, vgpu-memory: 3000``.

Sources: UTIL = volcano-sh/volcano pkg/scheduler/api/devices/util.go, VGPU = its nvidia/vgpu folder
(snapshot 2026-08-20), CONF = its config/config.go, GUIDE = docs/user-guide/how_to_use_volcano_vgpu.md,
PLUGIN = Project-HAMi/volcano-vgpu-device-plugin doc/config.md and doc/design.md (2026-08-17).
"""

from __future__ import annotations

from gpuxlate.backends.base import SELECTOR, Key, Per, Place, key
from gpuxlate.rules.products import VOLCANO_GPU_SHARE

NAMES = ("volcano-vgpu", "volcano")
"""What a profile may call this target."""
SCHEDULER = "volcano"
"""``schedulerName`` of every pod with these keys (GUIDE)."""

NUMBER = "volcano.sh/vgpu-number"
"""Physical cards, in limits only; 1 where MEMORY is set without it (UTIL)."""
VGPU = "volcano.sh/vgpu"
"""NUMBER in the example of the scheduler's configuration, ``nvidia.resourceCountName`` (CONF)."""
MEMORY = "volcano.sh/vgpu-memory"
"""MiB of each card, times ``gpuMemoryFactor`` of the cluster (1; PLUGIN)."""
PERCENT = "volcano.sh/vgpu-memory-percentage"
"""Memory in percent of each card. MEMORY is ignored beside it (VGPU)."""
CORES = "volcano.sh/vgpu-cores"
"""Compute in percent of each card: 100 makes it exclusive, more never fits, none is not capped (VGPU)."""

MODE = "volcano.sh/vgpu-mode"
"""Annotation, one of MODES; the node must have the same mode. Any node where it is not set (VGPU)."""
MODES = ("hami-core", "mig")
USE_UUID = "volcano.sh/vgpu-use-gpuuuid"
AVOID_UUID = "volcano.sh/vgpu-nouse-gpuuuid"
SPREAD = "volcano.sh/vgpu-podgroup-policy"
"""Annotation: ``spread`` puts the members of a PodGroup on different cards (VGPU)."""
USE_TYPE = "nvidia.com/use-gputype"
"""Annotation: card models, parts of their names, with commas (VGPU)."""
AVOID_TYPE = "nvidia.com/nouse-gputype"

FULL = 100
"""Percent of a card."""

CHOICES = (MODE, USE_UUID, AVOID_UUID, SPREAD, USE_TYPE, AVOID_TYPE)
"""Annotations that choose cards or nodes; no field of a share."""
RESOURCES = (NUMBER, MEMORY, PERCENT, CORES)

KEYS: tuple[Key, ...] = (
    key(
        NUMBER,
        Place.RESOURCE,
        meaning="cards",
        unit=1,
        source="UTIL, CONF",
        says="cards",
        aliases=(VGPU,),
    ),
    key(
        MEMORY,
        Place.RESOURCE,
        meaning="GPU memory",
        unit=1,
        per=Per.CARD,
        source="UTIL, PLUGIN",
        says="memory_mib",
    ),
    key(
        PERCENT,
        Place.RESOURCE,
        meaning="GPU memory",
        unit=1,
        per=Per.CARD,
        source="UTIL",
        says="memory_percent",
        idle=("100",),
    ),
    key(
        CORES,
        Place.RESOURCE,
        meaning="compute",
        unit=1,
        per=Per.CARD,
        source="UTIL",
        says="cores",
        idle=("0", str(FULL)),
    ),
    key(MODE, Place.ANNOTATION, meaning="isolation mode", source="VGPU, GUIDE", says=SELECTOR),
    key(USE_UUID, Place.ANNOTATION, meaning="cards by UUID", source="VGPU", says=SELECTOR),
    key(AVOID_UUID, Place.ANNOTATION, meaning="cards to avoid, by UUID", source="VGPU", says=SELECTOR),
    key(SPREAD, Place.ANNOTATION, meaning="spreads a PodGroup over cards", source="VGPU", says=SELECTOR),
    key(USE_TYPE, Place.ANNOTATION, meaning="card models", source="VGPU", says=SELECTOR),
    key(AVOID_TYPE, Place.ANNOTATION, meaning="card models to avoid", source="VGPU", says=SELECTOR),
    key("volcano.sh/vgpu-ids-*", Place.SCHEDULER, meaning="assigned cards", source="VGPU"),
    key("volcano.sh/vgpu-time", Place.SCHEDULER, meaning="assigned", source="VGPU"),
    key("volcano.sh/vgpu-node", Place.SCHEDULER, meaning="assigned node", source="VGPU"),
    key("volcano.sh/devices-to-allocate", Place.SCHEDULER, meaning="assigned cards", source="VGPU"),
    key("volcano.sh/bind-time", Place.SCHEDULER, meaning="binding", source="VGPU"),
    key("volcano.sh/bind-phase", Place.SCHEDULER, meaning="binding", source="VGPU"),
)

GPU_PREFIXES = ("volcano.sh/vgpu-",)

LOOK_ALIKES = (VOLCANO_GPU_SHARE,)
"""Products whose keys are easily taken for these."""
