"""Volcano vGPU. Everything is per card: two cards of 3000 MiB are ``vgpu-number: 2, vgpu-memory: 3000``."""

from __future__ import annotations

from gpuxlate.backends import hami_family
from gpuxlate.backends.rows import cards, choice, choices, cores, memory, percent, written
from gpuxlate.backends.scheduling_limits import Pick, Scheduling
from gpuxlate.backends.target import Backend, Limits, Range, RuleKind, RuleRow
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import By, CardChoice
from gpuxlate.model.profile import Component
from gpuxlate.model.share import Isolation
from gpuxlate.rules.unsupported_products import VOLCANO_GPU_SHARE

COMPONENT = Component("volcano", "Volcano")
NUMBER, MEMORY = "volcano.sh/vgpu-number", "volcano.sh/vgpu-memory"
PERCENT, CORES = "volcano.sh/vgpu-memory-percentage", "volcano.sh/vgpu-cores"
MODE = "volcano.sh/vgpu-mode"
SEEN = (NUMBER, MEMORY)
"""Without one of these Volcano sees no share (UTIL)."""


class VolcanoVgpu(Backend):
    """Parts of NVIDIA's cards by Volcano's plugin (UTIL): cards, and MiB or percent of memory and
    percent of compute of each."""

    name = "volcano-vgpu"
    title = "Volcano vGPU"
    short_title = "Volcano"
    rule_prefix = "VOLC"
    rule_module = "gpuxlate.backends.volcano_vgpu.rules"
    node_module = "gpuxlate.backends.volcano_vgpu.nodes"
    components = (COMPONENT,)
    aliases = ("volcano",)
    vendor = "nvidia"
    sets_visible_devices = True
    isolation = Isolation.SOFT  # hami-core, a library (GUIDE)
    scheduler = "volcano"
    init_containers = False
    # getVGPUDevicesFromPod adds up spec.containers alone (UTIL, VGPU utils.go)
    limits = Limits(source="VGPU", uncapped_percent=1)
    scheduling = Scheduling(
        cards=Pick.FULLEST,
        source="volcano-sh/volcano, docs/user-guide/how_to_use_volcano_vgpu.md (2026-08-20)",
    )
    similar_products = (VOLCANO_GPU_SHARE,)
    documents = {
        "UTIL": "volcano-sh/volcano, pkg/scheduler/api/devices/util.go (2026-08-20)",
        "VGPU": "volcano-sh/volcano, pkg/scheduler/api/devices/nvidia/vgpu (2026-08-20)",
        "CONF": "volcano-sh/volcano, pkg/scheduler/api/devices/config (2026-08-20)",
        "GUIDE": "volcano-sh/volcano, docs/user-guide/how_to_use_volcano_vgpu.md (2026-08-20)",
        "PLUGIN": "Project-HAMi/volcano-vgpu-device-plugin, doc/config.md and doc/design.md (2026-08-17)",
        **hami_family.LIBRARY,
        "SERVER": "Project-HAMi/volcano-vgpu-device-plugin, pkg/plugin/server.go (2026-08-17)",
        "ISSUES": "volcano-sh/volcano, issue 2907; Project-HAMi/volcano-vgpu-device-plugin, issues 7 and 30",
    }
    gpu_prefixes = ("volcano.sh/vgpu-",)
    keys = (
        cards(NUMBER, aliases=("volcano.sh/vgpu",), source="UTIL, CONF, ISSUES"),
        memory(MEMORY, overridden_by=(PERCENT,), source="UTIL, PLUGIN"),
        percent(PERCENT, needs=SEEN, no_op_values=("100",), source="UTIL, ISSUES"),
        cores(CORES, values=(Range(0, 100),), needs=SEEN, no_op_values=("0",), source="UTIL, VGPU"),
        choice(
            MODE,
            values=("hami-core", "mig"),
            meaning="isolation mode",
            source="VGPU, GUIDE",
        ),
        *choices("volcano.sh/vgpu-{no}use-gpuuuid", CardChoice(By.UUID), source="VGPU"),
        choice("volcano.sh/vgpu-podgroup-policy", meaning="spreads a PodGroup over cards", source="VGPU"),
        *choices("nvidia.com/{no}use-gputype", CardChoice(By.MODEL, parts=True), source="VGPU"),
        hami_family.core_policy(),
        written("volcano.sh/vgpu-ids-*", meaning="assigned cards", source="VGPU"),
        written("volcano.sh/vgpu-time", meaning="assigned", source="VGPU"),
        written("volcano.sh/vgpu-node", meaning="assigned node", source="VGPU"),
        written("volcano.sh/devices-to-allocate", meaning="assigned cards", source="VGPU"),
        written("volcano.sh/bind-time", meaning="binding", source="VGPU"),
        written("volcano.sh/bind-phase", meaning="binding", source="VGPU"),
    )
    row_rules = (
        RuleRow(
            RuleKind.EXCLUDES,
            "VOLC001",
            why="Volcano uses the percentage. HAMi does the opposite.",
        ),
        RuleRow(
            RuleKind.NEEDS,
            "VOLC002",
            why="The scheduler looks for these keys alone, and sees no share in a pod without them. The "
            "device plugin limits the containers that have `volcano.sh/vgpu-number` (VOLC011).",
        ),
        RuleRow(
            RuleKind.SCHEDULER,
            "VOLC003",
            why="Only Volcano assigns shares of a card. Another one counts cards and assigns none, so the "
            "device plugin fails the pod. A Volcano Job names it for its pods.",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "VOLC004",
            keys=(CORES,),
            why="No card has more than 100 %. The key counts percent of each card: two cards at 30 % are "
            "`vgpu-number: 2` and `vgpu-cores: 30`.",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "VOLC005",
            keys=(PERCENT,),
            why='The scheduler uses 101 for "not set". It reads the percentage only where its device '
            "configuration names the resource (`resourceMemoryPercentageName`).",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "VOLC006",
            keys=(NUMBER,),
            also=RuleKind.WITHIN_NODE,
            why="The key counts physical cards: a pod with 2 stays Pending where nodes have one.",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "VOLC007",
            keys=(MEMORY,),
            also=RuleKind.WITHIN_NODE,
            why="The number counts MiB of each card, times the `gpuMemoryFactor` of the cluster: with one of "
            "1024 the same number is GiB.",
        ),
        RuleRow(
            RuleKind.WORDS,
            "VOLC008",
            Severity.WARNING,
            why="The mode must be that of a node. The code names `mps`, and treats it as `hami-core`.",
        ),
        RuleRow(RuleKind.SINGLE_ALIAS, "VOLC009", why="Both count cards: a cluster has one of the names."),
        RuleRow(
            RuleKind.INIT,
            "VOLC010",
            why="The scheduler reads `spec.containers` alone: an init container or a sidecar gets no card.",
        ),
    )
