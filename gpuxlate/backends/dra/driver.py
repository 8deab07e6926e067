"""Drivers of devices: the class of each, the capacity that it shares, the attributes that tell cards apart.

Names are those of the driver, short or with its name before them (TYPES: QualifiedName). What a request
does not set follows from the driver: HAMi's gives all of the card, NVIDIA's what its ConsumableShares say.

HD = Project-HAMi/k8s-dra-driver, cmd/kubelet-plugin (2026-08): capacity ``cores`` 0 to 100 with a default
of 100, ``memory`` in steps of 1Mi with all of the card as default. 0 is not capped, and takes no compute.
NV = kubernetes-sigs/dra-driver-nvidia-gpu, cmd/gpu-kubelet-plugin/consumable_shares.go and
demo/specs/consumable-shares (v0.5.0-dev, 2026-08): with ``consumableShares: memory`` a claim takes a part
of the memory of a card, with a number N it is one of N clients of a card (capacity ``shares``, 1 where it
is not set). The scheduler counts them, and nothing enforces them; there is no capacity of compute.
AMD = ROCm/k8s-gpu-dra-driver, docs/driver-attributes.md and docs/device-plugin-to-dra-partitions.md
(2026-08): whole cards and partitions are devices of one class. A card that the administrator divided has
partitions with ``partitionProfile``; with the feature gate AutoPartition the driver divides cards itself,
as claims select ``computePartition`` and ``memoryPartition``, and ``partitions`` counts those of a card.
INTEL = intel/intel-resource-drivers-for-kubernetes, cmd/kubelet-gpu-plugin/node_state.go (gpu-v0.11.0,
2026-08): whole cards; ``memory`` and ``millicores`` (1000 of each card) are not shared by claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, NamedTuple

from gpuxlate.backends.target import BYTE, Absent, KeySpec, Per, Place, Range, key
from gpuxlate.model.declarations import record
from gpuxlate.model.keys import By
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ClaimUse, ContainerKeys, DeviceRequest, PodClaim, PodKeys, Value
from gpuxlate.model.profile import Extension, Profile, Setting, at_least
from gpuxlate.model.share import LEAST_CLIENTS, Isolation, Replica, Strategy
from gpuxlate.rules import releases

GATE = "DRAConsumableCapacity"
"""The feature gate of Kubernetes without which a claim has no capacity (KEP-5075)."""


def on_by_default() -> str:
    """The first Kubernetes with the gate on."""
    return releases.versions_of(releases.KUBERNETES, GATE)[0]


Api = Literal["v1", "v1beta2", "v1beta1"]
DeviceSharing = Literal["disabled", "memory", "unlimited"] | int
"""How NVIDIA's driver shares cards (ConsumableShares); a number is that of the clients of each card."""


@record
class DraProfile(Extension):
    """How the cluster allocates devices to claims."""

    key: ClassVar[str] = "dra"

    version: Annotated[Api, Setting("version", "Version of resource.k8s.io that claims are written in.")] = (
        "v1"
    )
    consumable_capacity: Annotated[
        bool,
        Setting(
            "consumableCapacity",
            "The feature gate DRAConsumableCapacity is on. It is by default in Kubernetes 1.36 and later.",
        ),
    ] = False
    nvidia_shares: Annotated[
        DeviceSharing,
        Setting(
            "nvidiaConsumableShares",
            "consumableShares of NVIDIA's driver: memory, where claims share cards by their memory; a "
            "number, where each card has so many clients; unlimited, where it has any number of them.",
        ),
    ] = "disabled"
    amd_auto_partition: Annotated[
        bool,
        Setting(
            "amdAutoPartition",
            "The feature gate AutoPartition of AMD's driver is on: it divides cards as claims request.",
        ),
    ] = False

    @property
    def replica(self) -> Replica | None:
        """What one client is. Settings of MPS exclude such clients (NV): they take turns."""
        shares = self.nvidia_shares
        if not isinstance(shares, int) or shares < LEAST_CLIENTS:
            return None
        return Replica(shares, Strategy.TIME_SLICING)


def sharing_of(profile: Profile | None) -> DeviceSharing | None:
    """How NVIDIA's driver shares cards; None where the profile says nothing of drivers."""
    has_settings = profile is not None and any(
        isinstance(extension, DraProfile) for extension in profile.extensions
    )
    return DraProfile.of(profile).nvidia_shares if has_settings else None


def counts_capacity(profile: Profile | None) -> bool | None:
    """Whether the API server keeps the capacity of a claim; None where the profile does not say.

    Without the gate it is removed silently, and the claim is for a whole device (KEP-5075).
    """
    if profile is None:
        return None
    if DraProfile.of(profile).consumable_capacity:
        return True
    return at_least(profile.kubernetes_version, on_by_default()) if profile.kubernetes_version else None


EXTENDED = "deviceclass.resource.kubernetes.io/"
"""The prefix of a resource that counts the devices of a class, whose name follows (KEP-5004)."""
MEMORY, CORES, SHARES, PARTITIONS = "memory", "cores", "shares", "partitions"


class Driver(NamedTuple):
    """A driver of devices: what its claims can request, and which of that is in fields of a share."""

    name: str
    """Of the target."""
    device_class: str
    """The class of whole cards and of shares; the driver itself has the same name."""
    isolation: Isolation
    """What keeps the shares of a card apart."""
    vendor: str
    """Of the cards."""
    source: str
    """The document of its rows, by its short name above."""
    card_type: str
    """The attribute ``type`` of its cards."""
    cores: bool = False
    """Whether it has capacity of compute, in percent of a card."""
    parts: bool = True
    """Claims may have a part of a card; else the capacity that they request chooses cards with as much."""
    choosing: tuple[str, ...] = ()
    """Further capacity that only chooses cards."""
    clients: bool = False
    """Whether it can share each card between a number of clients, which is a capacity too."""
    also: tuple[str, ...] = ()
    """Further classes of whole cards."""
    unread: Mapping[str, str] = MappingProxyType({})
    """The classes whose devices cannot be a share, with a description of these."""
    partition_class: str = ""
    """The class of hardware partitions."""
    partition_type: str = ""
    """The attribute ``type`` of its partitions."""
    profiles: tuple[tuple[str, ...], ...] = ()
    """The attributes that name the profile of a partition, in one of these ways; several joined by ``_``."""
    whole_profile: str = ""
    """How the profile of a card that is not divided begins."""
    of_partitions: tuple[str, ...] = ()
    """Further capacity of partitions, which is in no field of a share."""
    example: str = ""
    """A profile, for hints."""
    partition_codes: tuple[str, str] = ("DRA019", "DRA019")
    """The rules of partitions that no card has, and of more than a node has."""
    chosen_by: Mapping[By, str] = MappingProxyType({By.UUID: "uuid", By.MODEL: "productName"})
    """The attributes by which claims choose cards."""
    attributes: frozenset[str] = frozenset()
    """All attributes of its devices, numbered ones without their number; empty where they are not known."""
    resources: Mapping[str, str] = MappingProxyType({})
    """Names of its charts by which containers count the devices of a class (``extendedResourceName``)."""

    @property
    def readable(self) -> tuple[str, ...]:
        """The classes whose devices can be a share."""
        return tuple(filter(None, dict.fromkeys((self.device_class, *self.also, self.partition_class))))

    @property
    def classes(self) -> tuple[str, ...]:
        """All its classes, also those whose devices cannot be a share."""
        return (*self.readable, *self.unread)

    @property
    def has_one_class(self) -> bool:
        """Whether whole cards and partitions are of one class, and differ by attributes."""
        return self.partition_class == self.device_class

    def has_attribute(self, name: str) -> bool:
        """Whether its devices have an attribute, by its short name."""
        return not self.attributes or not self.attributes.isdisjoint((name, name.rstrip("0123456789")))

    def attribute(self, name: str) -> str:
        """The qualified name of an attribute or a capacity."""
        return f"{self.device_class}/{name}"

    def amount(self, request: DeviceRequest, name: str) -> Value | None:
        """The capacity that a request asks of each card, by its short or its qualified name."""
        return request.capacity.get(name) or request.capacity.get(self.attribute(name))

    def capacity(self) -> tuple[str, ...]:
        """The short names of the capacity of its cards."""
        return (
            *((CORES,) if self.cores else ()),
            MEMORY,
            *((SHARES,) if self.clients else ()),
            *self.choosing,
        )

    def has_capacity(self, request: DeviceRequest, name: str) -> bool:
        """Whether the devices of a request have a capacity, by its short or its qualified name."""
        resource = name.removeprefix(f"{self.device_class}/")
        of_partition = (
            request.asks(self.partition_class) and resource.rstrip("0123456789") in self.of_partitions
        )
        return resource in self.capacity() or of_partition


FOR_MACHINES = "a card for a virtual machine"
_OF_NVIDIA = {
    *("type", "uuid", "productName", "brand", "architecture", "cudaComputeCapability"),
    *("driverVersion", "cudaDriverVersion", "minor", "pcieBusID"),
}
DOCUMENTS = {
    "HD": "Project-HAMi/k8s-dra-driver (2026-08)",
    "NV": "kubernetes-sigs/dra-driver-nvidia-gpu (2026-08)",
    "AMD": "ROCm/k8s-gpu-dra-driver (2026-08)",
    "INTEL": "intel/intel-resource-drivers-for-kubernetes (2026-08)",
    "KEP": "kubernetes/enhancements, KEP-5004 (2026-11)",
}
HAMI_DRIVER = Driver(
    name="dra-hami",
    device_class="hami-core-gpu.project-hami.io",
    isolation=Isolation.SOFT,  # by a library in the container (HD)
    vendor="nvidia",
    source="HD",
    card_type="hami-gpu",
    cores=True,
    attributes=frozenset(_OF_NVIDIA),
)
NVIDIA_DRIVER = Driver(
    name="dra-nvidia",
    device_class="gpu.nvidia.com",
    isolation=Isolation.NONE,
    vendor="nvidia",
    source="NV",
    card_type="gpu",
    clients=True,
    unread={"vfio.gpu.nvidia.com": FOR_MACHINES},
    # deviceinfo.go and mig.go (2026-08; partition has a number behind it), and those of earlier releases
    # that its own examples name (demo/specs/quickstart/v1/gpu-test6.yaml: index)
    attributes=frozenset(
        {
            *_OF_NVIDIA,
            *("addressingMode", "numaNode", "gpuModuleID", "partition", "parentUUID", "profile"),
            *("deviceID", "vendorID", "iommuFDEnabled", "index", "parentIndex", "parentMinor"),
        }
    ),
    partition_class="mig.nvidia.com",
    partition_type="mig",
    profiles=(("profile",),),
    example="1g.10gb",
    partition_codes=("NVIDIA003", "NVIDIA005"),
    of_partitions=(  # cmd/gpu-kubelet-plugin/mig.go; memorySlice has a number behind it
        *("multiprocessors", "copyEngines", "decoders", "encoders", "jpegEngines", "ofaEngines"),
        "memorySlice",
    ),
)
AMD_DRIVER = Driver(
    name="dra-amd",
    device_class="gpu.amd.com",
    isolation=Isolation.HARDWARE,
    vendor="amd",
    source="AMD",
    card_type="amdgpu",
    parts=False,
    choosing=("computeUnits", "simdUnits"),
    also=("gpu.amd.com-spx",),
    partition_class="gpu.amd.com",
    partition_type="amdgpu-partition",
    profiles=(("partitionProfile",), ("computePartition", "memoryPartition")),
    whole_profile="spx",
    of_partitions=(PARTITIONS,),
    example="cpx_nps4",
    chosen_by={By.MODEL: "productName"},
    # those of today, and those of the releases of 2025
    attributes=frozenset(
        {
            *("type", "deviceID", "productName", "driverVersion", "driverVersionFull", "numaNode"),
            *("partitionProfile", "computePartition", "memoryPartition", "gpuIndex", "pciAddr"),
            *("iommuGroup", "isVF", "vendorID"),
            *("cardIndex", "renderIndex", "family", "driverSrcVersion", "parentPciAddr", "parentDeviceID"),
        }
    ),
)
INTEL_DRIVER = Driver(
    name="dra-intel",
    device_class="gpu.intel.com",
    isolation=Isolation.HARDWARE,
    vendor="intel",
    source="INTEL",
    card_type="gpu",
    parts=False,
    choosing=("millicores",),
    unread={"gpu-vfio.intel.com": FOR_MACHINES, "gaudi.intel.com": "a Gaudi accelerator"},
    chosen_by={By.MODEL: "model"},
    attributes=frozenset(
        ("model", "family", "driver", "sriov", "type", "pciId", "pciAddress", "health", "pciRoot")
    ),
    resources=MappingProxyType(  # values.yaml of its charts
        {"intel.com/gpu": "gpu.intel.com", "intel.com/gaudi": "gaudi.intel.com"}
    ),
)
DRIVERS = (HAMI_DRIVER, NVIDIA_DRIVER, AMD_DRIVER, INTEL_DRIVER)


BY_MEMORY = "memory"
SHARED_SO = "pass a profile that says so: dra: {{nvidiaConsumableShares: {mode}}}"
PROFILE_NEEDED = msg(SHARED_SO, mode=BY_MEMORY)
"""The hint that names what a profile must have so that NVIDIA's driver shares cards."""


class DriverRequest(NamedTuple):
    """A request of a container. ``way``: the first alternative of it that the driver can satisfy."""

    use: ClaimUse
    claim: PodClaim
    request: DeviceRequest
    way: DeviceRequest


def driver_requests(driver: Driver, pod: PodKeys, container: ContainerKeys) -> Iterator[DriverRequest]:
    """The requests of a container that a driver satisfies first.

    Of alternatives that is the first one with devices that some share holds, whichever driver has it.
    """
    for use, claim, request in pod.requests_of(container):
        ways = [
            (candidate, way)
            for way in request.ways()
            for candidate in DRIVERS
            if any(map(way.asks, candidate.classes))
        ]
        readable = [(candidate, way) for candidate, way in ways if any(map(way.asks, candidate.readable))]
        for candidate, way in (readable or ways)[:1]:
            if candidate is driver:
                yield DriverRequest(use, claim, request, way)


def has_requests(driver: Driver, pod: PodKeys) -> bool:
    """Whether a container of the pod requests devices of the driver."""
    return any(any(driver_requests(driver, pod, container)) for container in pod.all_containers())


def driver_keys(driver: Driver) -> tuple[KeySpec, ...]:
    """The rows of a driver. Amounts of memory are quantities of bytes.

    Volcano's queues add up the capacity that claims request, times their devices (docs/design/
    capacity-dra-support.md in volcano-sh/volcano); a ResourceQuota counts devices.
    """
    cores = key(
        driver.attribute(CORES),
        Place.CLAIM,
        meaning="compute",
        sets="cores",
        unit=1,
        per=Per.CARD,
        values=(Range(0, 100),),
        default=Absent.ALL,
        source=driver.source,
    )
    memory = key(
        driver.attribute(MEMORY),
        Place.CLAIM,
        meaning="memory",
        sets="memory_mib",
        unit=BYTE,
        quantity=True,
        per=Per.CARD,
        values=(Range(1),),
        default=Absent.ALL,
        source=driver.source,
    )
    clients = key(
        driver.attribute(SHARES),
        Place.CLAIM,
        meaning="clients of a card, of those that the driver is set to",
        sets="replica",
        values=(Range(1),),
        source=driver.source,
    )
    capacity = (*((cores,) if driver.cores else ()), *((memory,) if driver.parts else ()))
    devices = (
        f"deviceclass/{driver.device_class}",
        f"{driver.device_class}.deviceclass.resource.k8s.io/devices",
    )
    return (
        *capacity,
        *((clients,) if driver.clients else ()),
        *(
            key(EXTENDED + device_class, Place.RESOURCE, meaning=meaning, sets="cards", source="KEP")
            for device_class, meaning in {
                **dict.fromkeys(driver.readable, "devices of the class"),
                **driver.unread,
            }.items()
        ),
        *(
            key(
                resource,
                Place.RESOURCE,
                meaning=driver.unread.get(device_class, "cards"),
                sets="cards",
                source=driver.source,
            )
            for resource, device_class in driver.resources.items()
        ),
        *(key(name, Place.QUOTA, meaning="devices of claims", sets="cards", unit=1) for name in devices),
        *(
            row._replace(
                name=f"{row.name.rpartition('/')[2]}.{devices[0]}",
                places=frozenset({Place.QUOTA}),
                meaning=f"{row.meaning} of claims",
                per=Per.TOTAL,
                values=(),
                default=None,
            )
            for row in capacity
        ),
    )
