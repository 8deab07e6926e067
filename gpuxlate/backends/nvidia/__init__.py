"""NVIDIA's own sharing: the data sheets of its device plugin, partitions, and replicas of cards."""

from __future__ import annotations

import re

from gpuxlate.backends.nvidia_device_plugin import MIG, PRODUCT, NvidiaProfile
from gpuxlate.backends.rows import choice
from gpuxlate.backends.scheduling_limits import KUBE_SCHEDULER
from gpuxlate.backends.target import Backend, KeySpec, Place, Range, key
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.pod import ContainerKeys
from gpuxlate.model.profile import Component
from gpuxlate.model.share import Strategy

DOCUMENTS = {
    "PLUGIN": "NVIDIA/k8s-device-plugin, README and api/config/v1 (2026-08-19)",
    "GFD": "NVIDIA/k8s-device-plugin, GPU feature discovery (2026-08-19)",
    "PARTED": "NVIDIA/mig-parted, config-default.yaml (2026)",
    "MIG": "NVIDIA, Multi-Instance GPU user guide",
    "LEGACY_MIG": "kai-scheduler/KAI-Scheduler, pod_info.go, updateLegacyMigResourceRequestFromAnnotations "
    "(2026-08-07)",
}
DEVICE_PLUGIN = Component("nvidiaDevicePlugin", "NVIDIA's device plugin")
BEFORE = MIG
ENDINGS = ("gb", "gb.me", "gb.me.all", "gb.gfx", "gb-me", "gb.shared")
"""What the name of a partition's resource ends in."""
OF_SHARED = ".shared"
"""At the end of a resource's name: its instances are replicas, and the plug-in was told to rename them."""
CONFIG = "nvidia.com/mig.config"
ALL = "all-"
"""Before a profile: the configuration that divides all cards of a node so (PARTED)."""
ALL_OF_ONE = re.compile(r"all-(?:[1-9]c\.)?[1-9]g\.[0-9]+gb(?:\.[a-z.]+)?")
GPU_SHARED = f"{NVIDIA_GPU}{OF_SHARED}"
REPLICAS = "nvidia.com/gpu.replicas"
STRATEGY = "nvidia.com/gpu.sharing-strategy"
STRATEGIES = {str(strategy): strategy for strategy in Strategy}

_WHOLE_CARDS = key(
    NVIDIA_GPU,
    Place.RESOURCE,
    sets="cards",
    meaning="whole cards",
    unit=1,
    whole=True,
    values=(Range(),),
    source="PLUGIN",
)


def _on_nodes(name: str, meaning: str, source: str = "GFD", **more: object) -> KeySpec:
    return choice(name, Place.NODE_SELECTOR, Place.NODE, meaning=meaning, source=source, **more)


_PRODUCT = _on_nodes(
    PRODUCT,
    "card model; ends in -MIG-PROFILE and -SHARED where these are counted",
    sets="device",
    general=True,
    generic=True,
)
_PARTITIONS = tuple(
    key(
        f"{BEFORE}*{ending}",
        Place.RESOURCE,
        sets="partition",
        meaning="instances of a MIG profile, strategy mixed; the name has a dot for each plus",
        values=(Range(),),
        template="nvidia.com/mig-{profile}",
        annotation_with=("kai-scheduler", "runai-scheduler"),
        source="PLUGIN, MIG, LEGACY_MIG",
    )
    for ending in ENDINGS
)
MIG_KEYS: tuple[KeySpec, ...] = (
    *_PARTITIONS,
    _WHOLE_CARDS,
    _PRODUCT,
    _on_nodes(CONFIG, "how the cards of the node are divided", "GFD, PARTED"),
    _on_nodes("nvidia.com/mig.*", "what is known of MIG on the node"),
    _on_nodes("nvidia.com/gpu.slices.*", "slices of an instance, strategy single"),
)
SHARED_KEYS: tuple[KeySpec, ...] = (
    key(
        GPU_SHARED,
        Place.RESOURCE,
        sets="replica",
        meaning="clients of a card, where the plug-in renames them",
        values=(Range(1, 1),),
        source="PLUGIN",
    ),
    _WHOLE_CARDS,
    _PRODUCT,
    _on_nodes(REPLICAS, "how many clients a card of the node has", values=(Range(0),)),
    _on_nodes(STRATEGY, "how the clients of a card share it", values=("none", *STRATEGIES)),
    _on_nodes("nvidia.com/mps.capable", "the node can share by MPS"),
    _on_nodes("nvidia.com/device-plugin.config", "the configuration of the plug-in", "PLUGIN"),
    *(
        choice(name, Place.ENV, meaning=meaning, general=True, source="PLUGIN")
        for name, meaning in (
            ("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "a smaller part of compute, for one client"),
            ("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "a smaller part of memory, for one client"),
        )
    ),
)


def partition_resources(container: ContainerKeys) -> list[str]:
    """The resources of a container that count partitions."""
    return [name for name in container.resources if any(row.matches(name) for row in _PARTITIONS)]


class DevicePluginBackend(Backend):
    """What nodes with NVIDIA's device plugin count: whole cards, and in each target one kind of part."""

    components = (DEVICE_PLUGIN,)
    documents = DOCUMENTS
    whole_card_key = NVIDIA_GPU
    whole_cards_anywhere = True
    vendor = "nvidia"
    extension = NvidiaProfile
    scheduling = KUBE_SCHEDULER
    rule_prefix = "NVIDIA"
    row_rules = ()
    node_module = "gpuxlate.backends.nvidia.nodes"
    fact_commands = {"cards.model": f"kubectl get nodes -L {PRODUCT}"}
