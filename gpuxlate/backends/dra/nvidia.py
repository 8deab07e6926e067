"""NVIDIA's driver: whole cards, and parts of their memory where it is set to share them.

NV = kubernetes-sigs/dra-driver-nvidia-gpu, cmd/gpu-kubelet-plugin/consumable_shares.go and
demo/specs/consumable-shares (v0.5.0-dev, 2026-08): with ``consumableShares: memory`` a claim takes a part of
the memory of a card, with a number N it is one of N clients of a card (capacity ``shares``, 1 where it is not
set). The scheduler counts them, and nothing enforces them; there is no capacity of compute.
"""

from __future__ import annotations

from functools import partial

from gpuxlate.backends.base import Backend, Placing, PodPlacing
from gpuxlate.backends.device_plugin import is_of_the_nodes
from gpuxlate.backends.dra import reading, writing
from gpuxlate.backends.dra.driver import CLAIMED, Driver, too_many_clients
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
    clients=True,
    of_partitions=(  # cmd/gpu-kubelet-plugin/mig.go; memorySlice has a number behind it
        *("multiprocessors", "copyEngines", "decoders", "encoders", "jpegEngines", "ofaEngines"),
        "memorySlice",
    ),
)
BY_MEMORY = "memory"
_SAY = "pass a profile that says so: dra: {{nvidiaConsumableShares: {mode}}}"
PROFILE_NEEDED = say(_SAY, mode=BY_MEMORY)


def write(pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """Shares to claims, where the profile says how the cluster shares cards."""
    for placing in pod.placings:
        _is_shared_so(placing, profile)
    return writing.write(DRIVER, pod, profile)


def _is_shared_so(placing: Placing, profile: Profile | None) -> None:
    """The driver of the profile's cluster gives such a share."""
    own = DraProfile.of(profile)
    replica, part = placing.peek("replica"), placing.peek("memory_mib") is not None
    hint = "the programs on one card have to keep within their shares"
    if replica is not None and own.replica is None:
        message = say(
            "{name} shares cards between a number of clients only where the cluster is set so",
            name=DRIVER.device_class,
        )
        placing.refuse("replica", "GX023", message, say(_SAY, mode=replica.of or 8))
    elif replica is not None and own.replica is not None:
        is_of_the_nodes(placing, replica, own.replica)
        if replica.count > (own.replica.of or 0):
            placing.refuse("replica", "DRA004", *too_many_clients(replica.count, own.replica.of))
        text = "{name} counts clients, and nothing keeps them within their part"
        placing.note("GX015", say(text, name=DRIVER.device_class), hint, "replica")
    elif part and own.nvidia_shares != BY_MEMORY:
        message = say(
            "{name} shares cards by memory only where the cluster is set so", name=DRIVER.device_class
        )
        placing.refuse("memory_mib", "GX023", message, PROFILE_NEEDED)
    elif part:
        text = "{name} counts memory, and nothing keeps a container within it"
        placing.note("GX015", say(text, name=DRIVER.device_class), hint, "memory_mib")
    elif own.nvidia_shares == "unlimited":
        message = say(
            "a claim without memory takes none of a card where consumableShares is {mode}",
            mode=own.nvidia_shares,
        )
        placing.refuse("cards", "GX023", message, "request memory, or set the cluster to memory")


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
        "replica": "capacity shares, where the profile has nvidiaConsumableShares: N",
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
