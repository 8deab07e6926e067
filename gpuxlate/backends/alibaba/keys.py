"""The data sheet of Alibaba Cloud ACK. The short names of its sources are those of the page of documents."""

from __future__ import annotations

import re

from gpuxlate.backends.base import GIB, Absent, Cloud, Confidence, Key, Per, Place, Range, key
from gpuxlate.backends.rows import cores, memory, whole, written
from gpuxlate.rules.products import ACS, SIMULATORS

NAMES = ("alibaba-gpushare", "alibaba", "ack")
"""What a profile may call this target."""

MEMORY = "aliyun.com/gpu-mem"
"""Units of GPU memory, total over the cards of the pod (MULTI); a unit is 1 GiB by default (UNIT)."""
CORE = "aliyun.com/gpu-core.percentage"
"""Percent of one card: 5..100 in steps of 5, one card only (CORE, MULTI)."""
COUNT = "aliyun.com/gpu-count"
"""Label of the pod, a string: cards, an equal part of each (MULTI)."""
CARDS, SEVERAL = re.compile("[1-9][0-9]*"), re.compile("[2-9]|[1-9][0-9]+")
"""Values of COUNT, in plain digits: any, and above 1."""
WHOLE = "nvidia.com/gpu"
"""Whole cards, on nodes of mode ``default`` (LBL)."""
TOPOLOGY = "aliyun.com/gpu"
"""Whole cards, on nodes of mode ``topology`` (LBL)."""
NO_CORE = "aliyun.com/gpu-core"
"""Not a key of ACK; often written for CORE."""

SCHEDULE = "ack.node.gpu.schedule"
"""Node label: the one mode that a node serves (LBL)."""
PLACEMENT = "ack.node.gpu.placement"
"""Node label: how pods are placed on cards (LBL)."""
ACCELERATORS = (
    "aliyun.accelerator/nvidia_name",
    "aliyun.accelerator/nvidia_mem",
    "aliyun.accelerator/nvidia_count",
)
"""Node labels: model, memory and number of the cards (LBL)."""
DISABLE = "CGPU_DISABLE"
"""Variable of a container: ``true`` or ``1`` turns off memory isolation (CSK)."""
DISABLE_ON = ("true", "1")
DISABLE_OFF = ("false", "0", "")

CORE_STEP = 5
"""CORE: "If the value is not a multiple of 5, the job cannot be submitted"."""
CORE_MIN = 5
"""CORE."""
CORE_MAX = 100
"""CORE: one card."""

SMALL_UNIT_MIB = 128
"""The other unit of ``gpu-mem``, for nodes of mode ``share`` only (UNIT)."""
PODS_PER_CARD = 20
"""The largest documented limit: 16 (UNIT, 2026-02) or 20 (page of ack-ai-installer, 2026-06)."""

CORE_MEM = "core_mem"
"""The only mode that shares compute (LBL)."""
SHARE_MODE = "share"
"""Memory counted, not isolated (LBL)."""
WHOLE_MODE = "default"
"""Whole cards, WHOLE; also the mode of a node without the label (LBL)."""
ISOLATION_MODES = ("share", "cgpu", "mps", CORE_MEM)
"""The modes that advertise ``gpu-mem``; on other nodes it is 0 (LBL)."""
WHOLE_MODES = (WHOLE_MODE, "topology")
"""The modes of nodes with whole cards; other targets write these without a mode."""
MODES = (WHOLE_MODE, *ISOLATION_MODES, "topology", "disabled")
"""Values of SCHEDULE (LBL; ``disabled``: ACK's page on DRA)."""
UNCONFIRMED_MODES = ("mig",)
"""In one blog only."""
PLACEMENTS = ("binpack", "spread")
"""Values of PLACEMENT (LBL)."""

KEYS: tuple[Key, ...] = (
    memory(MEMORY, meaning="GPU memory, total", unit=GIB, per=Per.TOTAL, source="MULTI, UNIT"),
    cores(
        CORE,
        meaning="compute of one card",
        per=Per.TOTAL,
        values=(Range(CORE_MIN, CORE_MAX, CORE_STEP),),
        needs=(MEMORY,),
        absent=Absent.UNCAPPED,
        source="CORE",
    ),
    key(
        *(COUNT, Place.LABEL),
        meaning="cards of a share",
        says="cards",
        unit=1,
        values=(Range(),),
        excludes=(CORE,),
        absent=Absent.ONE,
        source="MULTI",
    ),
    whole(WHOLE, values=(), excludes=(MEMORY, CORE, TOPOLOGY), source="LBL"),
    whole(
        TOPOLOGY,
        meaning="whole cards by topology",
        values=(),
        excludes=(MEMORY, CORE, WHOLE),
        idle=("0",),
        source="LBL",
    ),
    key(
        *(SCHEDULE, Place.NODE_SELECTOR, Place.NODE),
        meaning="mode of the node",
        values=(*MODES, *UNCONFIRMED_MODES),
        idle=WHOLE_MODES,
        source="LBL",
    ),
    key(
        *(PLACEMENT, Place.NODE_SELECTOR, Place.NODE),
        meaning="placement of pods on cards",
        values=PLACEMENTS,
        source="LBL",
    ),
    *(
        key(name, Place.NODE_SELECTOR, Place.NODE, meaning="model, memory or number of cards", source="LBL")
        for name in ACCELERATORS
    ),
    key(DISABLE, Place.ENV, meaning="turns off memory isolation", idle=DISABLE_OFF, source="CSK"),
    *(
        key(name, Place.ENV, meaning=meaning, confidence=Confidence.MEDIUM, source="CGPU")
        for name, meaning in (
            ("ALIYUN_COM_GPU_SCHD_WEIGHT", "weight of compute, at least 1"),
            ("ALIYUN_COM_GPU_HIGH_PRIO", "pre-empts compute"),
        )
    ),
    written("ALIYUN_COM_GPU_MEM_*", meaning="allocation", source="OSS, CSK"),
    written("scheduler.framework.gpushare.*", meaning="allocation", source="ARENA"),
    written("gpushare.alibabacloud.com/*", meaning="allocation", source="ARENA"),
)

GPU_PREFIXES = ("aliyun.com/gpu",)

LOOK_ALIKES = (SIMULATORS, ACS)
"""Products whose keys are easily taken for these."""

CLOUD = Cloud(("alibabacloud.com", "aliyun.com"), re.compile(r"ecs\..+"), "alibabacloud")
"""Labels of its nodes (``alibabacloud.com/nodepool-id``, ``ack.aliyun.com``) and of its disks
(``topology.diskplugin.csi.alibabacloud.com/zone``); machine types: ``ecs.gn7i-c8g1.2xlarge``; the taint of
its virtual nodes: ACK 2369750, "Allocate resources between ECS and ECI" (2026-06-18)."""
