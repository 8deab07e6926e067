"""The data sheet of HAMi: keys, units, ranges, each with its source.

Everything is **per card**: two cards of 3000 MiB are ``gpu: 2, gpumem: 3000``. What the short names of the
sources are, ``backend.py`` says. RENAMED = names that operators of HAMi set in its chart (``resourceName``
and the like): DaoCloud's documentation has ``nvidia.com/vgpu`` beside ``gpumem`` and ``gpucores``, FPT's
"vGPU scheduler" all of ``vgpu``, ``vgpumem``, ``vgpumem-percentage`` and ``vgpucores``, Alauda's charts have
``nvidia.com/gpualloc``; all count as HAMi's own names do.
4paradigm/k8s-vgpu-scheduler (2024-02) is HAMi under its former name, with the same keys.
"""

from __future__ import annotations

from gpuxlate.backends.base import Absent, Key, Place, Range, key
from gpuxlate.backends.hami_scheduler import PLACEMENT
from gpuxlate.backends.rows import cards, choice, choices, cores, memory, percent, written
from gpuxlate.model.share import Policy, Qos
from gpuxlate.model.sheet import By, Choice

COUNT = "nvidia.com/gpu"
"""Physical cards. Every cloud has the key, so it alone does not identify a dialect."""
VGPU = "nvidia.com/vgpu"
MEMORY, PERCENT, CORES = "nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores"
PRIORITY = "nvidia.com/priority"
SHARE_KEYS = (MEMORY, PERCENT, CORES)
REQUESTS = (COUNT, *SHARE_KEYS)

MODE = "nvidia.com/vgpu-mode"
CORE_POLICY = "GPU_CORE_UTILIZATION_POLICY"
DISABLE_CONTROL = "CUDA_DISABLE_CONTROL"
"""``true`` turns all isolation off (ISSUE)."""

KEYS: tuple[Key, ...] = (
    cards(COUNT, absent=Absent.ONE, aliases=(VGPU, "nvidia.com/gpualloc"), source="DEV, RENAMED"),
    memory(  # an int32, times memoryFactor of the cluster
        MEMORY,
        values=(Range(1, 2**31 - 1),),
        idle=("0",),
        aliases=("nvidia.com/vgpumem",),
        source="DEV, RENAMED",
    ),
    percent(
        PERCENT,
        beside=(MEMORY,),
        idle=("0",),
        aliases=("nvidia.com/vgpumem-percentage",),
        source="DEV, HOOK, RENAMED",
    ),
    cores(  # 100 makes the card exclusive, 0 and none are not capped
        CORES,
        values=(Range(0, 100),),
        capped=True,
        idle=("0",),
        aliases=("nvidia.com/vgpucores",),
        source="DEV, RENAMED",
    ),
    key(
        PRIORITY,
        Place.RESOURCE,
        meaning="priority on one card: 0 high, which pre-empts, 1 low",
        says="qos",
        words={"0": Qos.ONLINE, "1": Qos.OFFLINE},
        source="DEV",
    ),
    *choices("nvidia.com/{0}use-gputype", Choice(By.MODEL, parts=True), source="DEV"),
    *choices("nvidia.com/{0}use-gpuuuid", Choice(By.UUID), source="DEV"),
    choice(MODE, meaning="isolation mode", values=("hami-core", "mig", "mps"), source="DEV"),
    choice("nvidia.com/numa-bind", meaning="all cards on one NUMA node", source="DEV"),
    *PLACEMENT,
    key(  # DEFAULT caps only while other containers use the card
        CORE_POLICY,
        Place.ENV,
        meaning="whether compute has a hard cap",
        says="policy",
        words={"force": Policy.FIXED_SHARE},
        values=("default", "disable"),
        idle=("default",),
        source="CONF",
    ),
    choice(DISABLE_CONTROL, Place.ENV, meaning="turns isolation off", source="ISSUE"),
    written("CUDA_TASK_PRIORITY", meaning="the priority, by the webhook", source="DEV"),
    written("nvidia.com/predicate*", meaning="scheduled", source="TYPES"),
)
"""0 of memory means the same as no key, more than 100 of compute the same as 100 (DEV)."""

KNOWN = frozenset(name for row in KEYS for name in (row.name, *row.aliases))
"""Every name that needs no profile."""
