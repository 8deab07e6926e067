"""Drivers of Dynamic Resource Allocation as targets: HAMi's, NVIDIA's, AMD's and Intel's.

Their shares are claims: ``reader`` has the way from claims to shares, ``writer`` the way back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gpuxlate.backends.dra.driver import (
    AMD_DRIVER,
    DOCUMENTS,
    HAMI_DRIVER,
    INTEL_DRIVER,
    NVIDIA_DRIVER,
    PROFILE_NEEDED,
    DraProfile,
    Driver,
    driver_keys,
    driver_requests,
    has_requests,
)
from gpuxlate.backends.nvidia_device_plugin import CARD_NEEDED
from gpuxlate.backends.scheduling_limits import KUBE_SCHEDULER, InitContainers, Limits
from gpuxlate.backends.target import Backend, PodReader, PodWriter, Reading
from gpuxlate.model.amounts import Part, card_of_share, partitions_of
from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.model.profile import Component, Profile
from gpuxlate.model.share import Share

CLAIMED = Limits(init=InitContainers.ADDED)
"""Devices are allocated to a pod before it starts, whichever of its containers gets them, until it ends
(Kubernetes, "Dynamic Resource Allocation")."""


class DraBackend(Backend):
    """A driver's devices, which containers get by claims."""

    driver: Driver
    documents = DOCUMENTS
    rule_prefix = "DRA"
    gpu_prefixes: tuple[str, ...] = ()  # CoreWeave's nodes have labels such as gpu.nvidia.com/class
    rule_module = "gpuxlate.backends.dra.rules"
    node_module = "gpuxlate.backends.dra.nodes"
    row_rules = ()
    limits = CLAIMED
    scheduling = KUBE_SCHEDULER
    extension = DraProfile

    def __init_subclass__(cls, **settings: Any) -> None:
        """Fill in what follows from the driver of the class."""
        if "driver" in vars(cls):
            cls.name, cls.vendor, cls.device_classes = cls.driver.name, cls.driver.vendor, cls.driver.classes
            cls.keys = driver_keys(cls.driver)
        super().__init_subclass__(**settings)

    def detect(self, pod: PodKeys) -> bool:
        """Whether a container of the pod requests devices of the driver."""
        return has_requests(self.driver, pod)

    def is_asked_by(self, pod: PodKeys, container: ContainerKeys) -> bool:
        """Whether a container of the pod requests devices of the driver, by a resource or by a claim."""
        return super().is_asked_by(pod, container) or any(driver_requests(self.driver, pod, container))

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Read claims as shares."""
        from gpuxlate.backends.dra.reader import read_claims

        return read_claims(self.driver, pod, profile)

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as claims."""
        from gpuxlate.backends.dra.writer import write_claims

        return write_claims(self.driver, pod, profile)


class DraHami(DraBackend):
    """Claims on HAMi's devices (HD): a count, and percent of compute and an amount of memory as
    capacity of each."""

    driver = HAMI_DRIVER
    title = "HAMi's DRA driver"
    components = (Component("hamiDraDriver", "HAMi's DRA driver"),)
    gpu_prefixes = (f"{HAMI_DRIVER.device_class}/",)
    field_docs = {
        "cards": "count, with distinctAttribute for shares",
        "cores": 'capacity cores, percent of each card; not capped: "0"',
        "memoryMiB": "capacity memory of each card: 4096Mi",
        "isolation": "soft",
        "device": "vendor nvidia; models: selectors on productName",
    }


class DraNvidia(DraBackend):
    """Claims on NVIDIA's devices (NV): a count of cards, of partitions by profile, or of parts where
    the cluster has consumable capacity."""

    driver = NVIDIA_DRIVER
    title = "NVIDIA's DRA driver"
    components = (Component("nvidiaDraDriver", "NVIDIA's DRA driver"),)
    field_docs = {
        "cards": "count",
        "memoryMiB": "capacity memory of each card, where the profile has nvidiaConsumableShares: memory",
        "device": "vendor nvidia; models: selectors on productName",
        "partition": f"class {NVIDIA_DRIVER.partition_class}, selector on profile, count",
        "replica": "capacity shares, where the profile has nvidiaConsumableShares: N",
    }
    parts_need = PROFILE_NEEDED

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as claims, where the profile says how the cluster shares cards."""
        from gpuxlate.backends.dra.writer import check_sharing

        for placing in pod.placings:
            check_sharing(placing, profile)
        return super().write(pod, profile)


class DraAmd(DraBackend):
    """Claims on AMD's devices (AMD): a count of cards, or of partitions by their profile."""

    driver = AMD_DRIVER
    title = "AMD's DRA driver"
    components = (Component("amdDraDriver", "AMD's DRA driver"),)
    field_docs = {
        "cards": f"count, selector on type == {AMD_DRIVER.card_type}",
        "device": "vendor amd; models: selectors on productName",
        "isolation": "hardware",
        "partition": "selector on partitionProfile, or on computePartition and memoryPartition; count",
    }
    parts_need = CARD_NEEDED

    def parts(self, share: Share, profile: Profile | None) -> Iterable[Part]:
        """Partitions of the card of the share, or of the profile."""
        card = card_of_share(share, profile)
        return partitions_of(card) if card is not None and card.vendor == self.vendor else ()


class DraIntel(DraBackend):
    """Claims on Intel's devices (INTEL): a count of whole cards."""

    driver = INTEL_DRIVER
    title = "Intel's DRA driver for GPUs"
    components = (Component("intelDraDriver", "Intel's DRA driver for GPUs"),)
    field_docs = {
        "cards": "count",
        "device": "vendor intel; models: selectors on model",
        "isolation": "hardware",
    }
