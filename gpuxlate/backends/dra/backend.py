"""Drivers of devices as targets: HAMi's with shares of NVIDIA cards, and NVIDIA's with whole cards.

HD = Project-HAMi/k8s-dra-driver, cmd/kubelet-plugin (2026-08): capacity ``cores`` 0 to 100 with a default of
100, ``memory`` in steps of 1Mi with all of the card as default. 0 is not capped, and takes no compute.
NV = kubernetes-sigs/dra-driver-nvidia-gpu, cmd/gpu-kubelet-plugin/consumable_shares.go and
demo/specs/consumable-shares (v0.5.0-dev, 2026-08): with ``consumableShares: memory`` a claim takes a part of
the memory of a card, with a number N it is one of N clients of a card (capacity ``shares``, 1 where it is not
set). The scheduler counts them, and nothing enforces them; there is no capacity of compute.
"""

from __future__ import annotations

from gpuxlate.backends.base import Backend, Placing, PodPlacing, Reading, Taking
from gpuxlate.backends.device_plugin import is_of_the_nodes
from gpuxlate.backends.dra.driver import CLAIMED, Driver, too_many_clients
from gpuxlate.backends.dra.keys import keys as keys_of
from gpuxlate.backends.dra.profile import DraProfile
from gpuxlate.backends.dra.reading import read
from gpuxlate.backends.dra.writing import write
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Isolation

HAMIS = Driver(
    "dra-hami",
    "hami-core-gpu.project-hami.io",
    Isolation.SOFT,  # by a library in the container (HD)
    True,
    "nvidia",
    {},
    "HD",
    "hami-gpu",
)
NVIDIAS = Driver(
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


class DraBackend(Backend):
    """A driver's devices, which containers get by claims."""

    driver: Driver
    rule_prefix = "DRA"
    row_rules = ()
    vendor = "nvidia"
    limits = CLAIMED
    extension = DraProfile

    def detect(self, pod: PodKeys) -> bool:
        """A container of the pod requests devices of the driver."""
        return self.driver.is_asked_by(pod)

    def read(self, pod: Taking, profile: Profile | None) -> Reading:
        """Claims to shares."""
        return read(self.driver, pod, profile)

    def write(self, pod: PodPlacing, profile: Profile | None) -> PodKeys:
        """Shares to claims."""
        return write(self.driver, pod, profile)


class DraHami(DraBackend):
    driver = HAMIS
    name = HAMIS.name
    title = "HAMi's DRA driver"
    keys = keys_of(HAMIS)
    gpu_prefixes = (f"{HAMIS.device_class}/",)
    field_docs = {
        "cards": "count, with distinctAttribute for shares",
        "cores": 'capacity cores, percent of each card; not capped: "0"',
        "memoryMiB": "capacity memory of each card: 4096Mi",
        "isolation": "soft",
        "device": "vendor nvidia; models: selectors on productName",
    }
    device_classes = HAMIS.classes


def _is_shared_so(placing: Placing, profile: Profile | None) -> None:
    """The driver of the profile's cluster gives such a share."""
    own = DraProfile.of(profile)
    replica, part = placing.peek("replica"), placing.peek("memory_mib") is not None
    hint = "the programs on one card have to keep within their shares"
    if replica is not None and own.replica is None:
        message = say(
            "{name} shares cards between a number of clients only where the cluster is set so",
            name=NVIDIAS.device_class,
        )
        placing.refuse("replica", "GX023", message, say(_SAY, mode=replica.of or 8))
    elif replica is not None and own.replica is not None:
        is_of_the_nodes(placing, replica, own.replica)
        if replica.count > (own.replica.of or 0):
            placing.refuse("replica", "DRA004", *too_many_clients(replica.count, own.replica.of))
        text = "{name} counts clients, and nothing keeps them within their part"
        placing.note("GX015", say(text, name=NVIDIAS.device_class), hint, "replica")
    elif part and own.nvidia_shares != BY_MEMORY:
        message = say(
            "{name} shares cards by memory only where the cluster is set so", name=NVIDIAS.device_class
        )
        placing.refuse("memory_mib", "GX023", message, PROFILE_NEEDED)
    elif part:
        text = "{name} counts memory, and nothing keeps a container within it"
        placing.note("GX015", say(text, name=NVIDIAS.device_class), hint, "memory_mib")
    elif own.nvidia_shares == "unlimited":
        message = say(
            "a claim without memory takes none of a card where consumableShares is {mode}",
            mode=own.nvidia_shares,
        )
        placing.refuse("cards", "GX023", message, "request memory, or set the cluster to memory")


class DraNvidia(DraBackend):
    driver = NVIDIAS
    name = NVIDIAS.name
    title = "NVIDIA's DRA driver"
    keys = keys_of(NVIDIAS)
    gpu_prefixes = (f"{NVIDIAS.device_class}/",)
    field_docs = {
        "cards": "count",
        "memoryMiB": "capacity memory of each card, where the profile has nvidiaConsumableShares: memory",
        "device": "vendor nvidia; models: selectors on productName",
        "partition": f"class {NVIDIAS.partition_class}, selector on profile, count",
        "replica": "capacity shares, where the profile has nvidiaConsumableShares: N",
    }
    device_classes = NVIDIAS.classes
    parts_need = PROFILE_NEEDED

    def write(self, pod: PodPlacing, profile: Profile | None) -> PodKeys:
        """Shares to claims, where the profile says how the cluster shares cards."""
        for placing in pod.placings:
            _is_shared_so(placing, profile)
        return super().write(pod, profile)


HAMI, NVIDIA = DraHami(), DraNvidia()
