"""HAMi, for NVIDIA cards: its keys, its part of a profile, and how it is read and written.

Everything is **per card**: two cards of 3000 MiB are ``gpu: 2, gpumem: 3000``. What the short names of the
sources are, ``documents`` says. RENAMED = names that operators of HAMi set in its chart (``resourceName``
and the like): DaoCloud's documentation has ``nvidia.com/vgpu`` beside ``gpumem`` and ``gpucores``, FPT's
"vGPU scheduler" all of ``vgpu``, ``vgpumem``, ``vgpumem-percentage`` and ``vgpucores``, Alauda's charts have
``nvidia.com/gpualloc``; all count as HAMi's own names do.
4paradigm/k8s-vgpu-scheduler (2024-02) is HAMi under its former name, with the same keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Annotated, ClassVar

from gpuxlate.backends.hami_family import (
    CORE_POLICY,
    DOCUMENTS,
    HAMI,
    LIBRARY,
    PLACEMENT,
    HamiDialect,
    HamiRuleKind,
    core_policy,
    in_int32,
)
from gpuxlate.backends.rows import (
    ShareFields,
    cards,
    choice,
    choices,
    coming,
    cores,
    memory,
    percent,
    written,
)
from gpuxlate.backends.target import Absent, KeySpec, Limits, Place, PodReader, Range, RuleKind, RuleRow, key
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import NVIDIA_GPU, SELECTOR, By, CardChoice
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import ChangeKind, Extension, Profile, Setting
from gpuxlate.model.share import ALL_MEMORY, Qos
from gpuxlate.rules.predicates import AnyOf, EnvIs, IsAnnotated, IsInit, Requests, SomeContainer
from gpuxlate.rules.unsupported_products import NOS

VGPU = "nvidia.com/vgpu"
MEMORY, PERCENT, CORES = "nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores"
PRIORITY = "nvidia.com/priority"
SHARE_KEYS = (MEMORY, PERCENT, CORES)
REQUESTS = (NVIDIA_GPU, *SHARE_KEYS)
MODE = "nvidia.com/vgpu-mode"
DISABLE_CONTROL = "CUDA_DISABLE_CONTROL"
"""``true`` turns all isolation off (ISSUE)."""
KEYS: tuple[KeySpec, ...] = (
    cards(
        NVIDIA_GPU,
        values=in_int32(),
        default=Absent.ONE,
        aliases=(VGPU, "nvidia.com/gpualloc"),
        source="DEV, RENAMED",
    ),
    memory(  # an int32, times memoryFactor of the cluster
        MEMORY,
        values=in_int32(),
        no_op_values=("0",),
        aliases=("nvidia.com/vgpumem",),
        source="DEV, RENAMED",
    ),
    percent(
        PERCENT,
        overridden_by=(MEMORY,),
        no_op_values=("0",),
        aliases=("nvidia.com/vgpumem-percentage",),
        source="DEV, HOOK, RENAMED",
    ),
    cores(  # 100 makes the card exclusive, 0 and none are not capped
        CORES,
        values=(Range(0, 100),),
        clamped=True,
        no_op_values=("0",),
        aliases=("nvidia.com/vgpucores",),
        source="DEV, RENAMED",
    ),
    key(
        PRIORITY,
        Place.RESOURCE,
        meaning="priority on one card: 0 high, which pre-empts, 1 low",
        sets="qos",
        words={"0": Qos.ONLINE, "1": Qos.OFFLINE},
        source="DEV",
    ),
    *choices("nvidia.com/{no}use-gputype", CardChoice(By.MODEL, parts=True), source="DEV"),
    *choices("nvidia.com/{no}use-gpuuuid", CardChoice(By.UUID), source="DEV"),
    choice(MODE, meaning="isolation mode", values=("hami-core", "mig", "mps"), source="DEV"),
    choice("nvidia.com/numa-bind", meaning="all cards on one NUMA node", source="DEV"),
    coming(
        choice(
            "nvidia.com/mig-profile-preference",
            meaning="MIG profiles or their slices, in the order in which they are tried",
            component=HAMI,
            source="PREFERENCE",
        )
    ),
    *PLACEMENT,
    core_policy(),
    choice(DISABLE_CONTROL, Place.ENV, meaning="turns isolation off", source="ISSUE"),
    written("CUDA_TASK_PRIORITY", meaning="the priority, by the webhook", source="DEV"),
    written("nvidia.com/predicate*", meaning="scheduled", source="TYPES"),
)
"""0 of memory means the same as no key, more than 100 of compute the same as 100 (DEV)."""
KNOWN = frozenset(name for row in KEYS for name in (row.name, *row.aliases))
"""Every name that needs no profile."""


# The part of a cluster profile that only HAMi has: its chart lets operators rename every resource.
@record
class ResourceNames(Extension):
    """Names of the resources, as the values of HAMi's chart set them."""

    count: Annotated[
        str, Setting("count", "devices.nvidia.resourceCountName of the chart: cards of a container.")
    ] = NVIDIA_GPU
    memory: Annotated[str, Setting("memory", "devices.nvidia.resourceMemoryName: MiB of each card.")] = MEMORY
    percent: Annotated[
        str,
        Setting(
            "memoryPercentage", "devices.nvidia.resourceMemoryPercentageName: memory in percent of each card."
        ),
    ] = PERCENT
    cores: Annotated[
        str, Setting("cores", "devices.nvidia.resourceCoreName: compute in percent of each card.")
    ] = CORES
    priority: Annotated[str, Setting("priority", "devices.nvidia.resourcePriorityName: 0 high, 1 low.")] = (
        PRIORITY
    )

    @property
    def by_key(self) -> Mapping[str, str]:
        """The name of each key of the data sheet."""
        names = (self.count, self.memory, self.percent, self.cores, self.priority)
        return dict(zip((NVIDIA_GPU, *SHARE_KEYS, PRIORITY), names, strict=True))


def split_count(profile: Profile | None) -> int:
    """The most containers on one card of the cluster of a profile."""
    return HamiProfile.of(profile).split_count


@record
class HamiProfile(Extension):
    """What only clusters with HAMi have."""

    key: ClassVar[str] = "hami"

    names: Annotated[
        ResourceNames,
        Setting(
            "resourceNames",
            "The names of HAMi's resources, where the chart was told other ones. Before 2.11 its values are "
            "resourceName, resourceMem, resourceMemPercentage, resourceCores and resourcePriority.",
        ),
    ] = field(default_factory=ResourceNames)

    split_count: Annotated[
        int,
        Setting(
            "deviceSplitCount",
            "devices.nvidia.deviceSplitCount of the chart, before 2.11 devicePlugin.deviceSplitCount: the "
            "most containers on one card.",
        ),
    ] = 10

    @property
    def by_key(self) -> Mapping[str, str]:
        return self.names.by_key

    @property
    def renamed(self) -> Mapping[str, str]:
        """The count becomes an alias that only HAMi has: its own name would not identify the dialect."""
        names = self.by_key.items()
        return {
            name: VGPU if standard == NVIDIA_GPU else standard
            for standard, name in names
            if name not in KNOWN
        }


# HAMi: its numbers are per card, and its chart lets operators rename every resource.
SPEAKS = SomeContainer(Requests(NVIDIA_GPU)) & AnyOf(
    *(IsAnnotated(row.name) for row in KEYS if row.sets == SELECTOR and Place.ANNOTATION in row.places),
    SomeContainer((EnvIs(CORE_POLICY) | EnvIs(DISABLE_CONTROL)) & ~IsInit()),
)
"""The pod counts cards with the common key alone, and has a choice that only HAMi reads."""


class Hami(HamiDialect):
    """Parts of NVIDIA's cards by HAMi (DEV): cards, and of each of them MiB or percent of memory, and
    percent of compute."""

    name = "hami"
    title = "HAMi"
    rule_prefix = "HAMI"
    rule_module = "gpuxlate.backends.hami.rules"
    node_module = "gpuxlate.backends.hami.nodes"
    aliases = ("4paradigm",)
    vendor = "nvidia"
    sets_visible_devices = True
    whole_card_key = NVIDIA_GPU
    whole_cores = True  # the webhook adds it too; without it the manifest shows no dialect
    detected_by = SPEAKS
    extension = HamiProfile
    limits = Limits(
        split_count(None), default=True, source="CONF", uncapped_percent=1, per_card_in=split_count
    )
    node_annotations = {"hami.io/node-nvidia-register": "hami.io/vgpu-devices-allocated"}  # (DEV)
    cordoning = ChangeKind.NEW  # it is the first that the annotation was for (DEV)
    similar_products = (NOS,)
    documents = {
        "DEV": "Project-HAMi/HAMi, pkg/device/nvidia/device.go (2026-08-21)",
        "HOOK": "Project-HAMi/HAMi, pkg/scheduler/webhook.go (2026-08-21)",
        "PREFERENCE": "Project-HAMi/HAMi, pkg/device/nvidia/mig_preference.go (2026-10)",
        **DOCUMENTS,
        **LIBRARY,
        "CONF": "Project-HAMi/website, docs/userguide/configure.md (2026-08-21)",
        "RENAMED": "Project-HAMi/HAMi, charts/hami/values.yaml, resourceName and the like (2026-08-21)",
        "ISSUE": "Project-HAMi/HAMi, issue 1678",
    }
    gpu_prefixes = ("nvidia.com/gpumem", "nvidia.com/gpucore")
    keys = KEYS
    row_rules = (
        RuleRow(
            RuleKind.EXCLUDES,
            "HAMI001",
            why="HAMi uses `gpumem` and ignores the percentage; its documentation forbids both. Volcano vGPU "
            "uses the percentage.",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "HAMI002",
            keys=(PERCENT,),
            why="HAMi's webhook refuses values outside 0 to 100. 0 means the same as no key: all memory of "
            "the card, and is a warning.",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "HAMI003",
            keys=(CORES,),
            why="HAMi reads more than 100 as 100, which makes each card exclusive. The key counts percent of "
            "each card: two cards at 30 % each are `gpu: 2` and `gpucores: 30`; other clouds write the total "
            "of 60.",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "HAMI004",
            keys=(MEMORY,),
            also=RuleKind.WITHIN_NODE,
            why="The number is an int32, in MiB of each card, times the `memoryFactor` of the cluster. 0 is "
            "the same as no key: all memory of the card, and is a warning. A pod with more than any card has "
            "stays Pending.",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "HAMI005",
            keys=(NVIDIA_GPU,),
            also=RuleKind.WITHIN_NODE,
            why="The key counts physical cards, not shares: one container cannot get two parts of one card "
            "(issues 444 and 620). A pod with more than a node has stays Pending.",
        ),
        RuleRow(
            RuleKind.SCHEDULER,
            "HAMI007",
            keys=REQUESTS,
            why="The webhook ignores a pod with a scheduler other than this and the default one, so no "
            "scheduler places its share: the keys have no effect.",
        ),
        RuleRow(
            RuleKind.WORDS,
            "HAMI011",
            Severity.WARNING,
            why="HAMi silently replaces an unknown value by its default. The priority is 0 for high.",
        ),
        RuleRow(
            RuleKind.SINGLE_ALIAS,
            "HAMI014",
            keys=REQUESTS,
            why="A cluster has one name for each, set in its chart. The pod never schedules on the other.",
        ),
        RuleRow(HamiRuleKind.SKIPPED_BY_WEBHOOK, "HAMI015"),
        RuleRow(RuleKind.VERSIONS, "HAMI019"),
    )

    def normalize(self, pod: PodReader, fields: ShareFields) -> ShareFields:
        """Drop the priority of whole cards: it is one among the containers on a card (DEV)."""
        full = fields.memory_percent in (None, ALL_MEMORY) and fields.memory_mib is None
        if "qos" not in fields.others or not full:
            return fields
        if fields.cores not in (None, FULL_CARD_CORES * (fields.cards or 1)):
            return fields
        path = fields.origins["qos"]
        message = msg("{name} has no effect on whole cards, so the share has no QoS", name=path[-1])
        pod.note("GX020", message, path, severity=Severity.INFO)
        return replace(fields, others={name: value for name, value in fields.others.items() if name != "qos"})
