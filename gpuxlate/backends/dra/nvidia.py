"""NVIDIA's driver: whole cards, and parts of their memory where it is set to share them.

NV = kubernetes-sigs/dra-driver-nvidia-gpu, demo/specs/consumable-shares (v0.5.0-dev): with
``consumableShares: memory`` a claim takes a part of the memory of a card. The scheduler counts it, and
nothing enforces it; there is no capacity of compute.
"""

from __future__ import annotations

from functools import partial

from gpuxlate.backends.base import Backend, PodPlacing
from gpuxlate.backends.dra import reading, writing
from gpuxlate.backends.dra.driver import CLAIMED, Driver
from gpuxlate.backends.dra.keys import keys
from gpuxlate.backends.dra.profile import DraProfile
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Isolation

DRIVER = Driver(
    "dra-nvidia",
    "gpu.nvidia.com",
    Isolation.NONE,
    False,
    "nvidia",
    {"vfio.gpu.nvidia.com": "a card for a virtual machine"},
    "NV",
    "gpu",
    "mig.nvidia.com",
)
BY_MEMORY = "memory"
PROFILE_NEEDED = say("pass a profile that says so: dra: {{nvidiaConsumableShares: {mode}}}", mode=BY_MEMORY)


def write(pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """Shares to claims, where the profile says how the cluster shares cards."""
    shares = DraProfile.of(profile).nvidia_shares
    for placing in pod.placings:
        part = placing.peek("memory_mib") is not None
        if part and shares != BY_MEMORY:
            message = say(
                "{name} shares cards by memory only where the cluster is set so", name=DRIVER.device_class
            )
            placing.refuse("memory_mib", "GX023", message, PROFILE_NEEDED)
        elif part:
            message = say(
                "{name} counts memory, and nothing keeps a container within it", name=DRIVER.device_class
            )
            placing.note(
                "GX015", message, "the programs on one card have to keep within their shares", "memory_mib"
            )
        elif shares == "unlimited":
            message = say(
                "a claim without memory takes none of a card where consumableShares is {mode}", mode=shares
            )
            placing.refuse("cards", "GX023", message, "request memory, or set the cluster to memory")
    return writing.write(DRIVER, pod, profile)


BACKEND = Backend(
    name=DRIVER.name,
    title="NVIDIA's DRA driver",
    keys=keys(DRIVER),
    gpu_prefixes=(f"{DRIVER.device_class}/",),
    read=partial(reading.read, DRIVER),
    write=write,
    says={
        "cards": "count",
        "memoryMiB": "capacity memory of each card, where the profile has nvidiaConsumableShares: memory",
        "device": "vendor nvidia; models: selectors on productName",
        "partition": f"class {DRIVER.partition_class}, selector on profile, count",
    },
    device_classes=DRIVER.classes,
    also_speaks=DRIVER.speaks,
    vendor=DRIVER.vendor,
    limits=CLAIMED,
    extension=DraProfile,
    nodes_module="gpuxlate.backends.dra.nodes:NVIDIA",
    rules_module="gpuxlate.backends.dra.rules",
    needs_module="gpuxlate.backends.dra.prerequisites",
    parts_need=PROFILE_NEEDED,
)
