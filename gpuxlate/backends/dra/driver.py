"""A driver of devices: its class, the capacity that it shares, and the attributes that tell cards apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gpuxlate.backends.limits import InitContainers, Limits
from gpuxlate.model.claims.objects import DeviceRequest
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.share import Isolation

CLAIMED = Limits(init=InitContainers.ADDED)
"""Devices are allocated to a pod before it starts, whichever of its containers gets them, until it ends
(Kubernetes, "Dynamic Resource Allocation")."""


class Driver(NamedTuple):
    """``device_class``: of whole cards and of shares; its own name is that of the driver too.

    ``vendor``: of its cards. ``cores``: it has capacity of compute, in percent of a card. ``unread``: further
    classes of the driver, which no share of this tool holds, and what they are. ``card_type``: the attribute
    ``type`` of its cards. ``partition_class``: of hardware partitions, which have an attribute ``profile``.
    ``clients``: it may be set to share each card between a number of clients, which is a capacity too.
    ``of_partitions``: further capacity of partitions, which no share of this tool holds.
    """

    name: str
    device_class: str
    isolation: Isolation
    cores: bool
    vendor: str
    unread: Mapping[str, str]
    source: str
    card_type: str
    partition_class: str = ""
    clients: bool = False
    of_partitions: tuple[str, ...] = ()

    @property
    def read(self) -> tuple[str, ...]:
        """The classes whose devices a share can hold."""
        return (self.device_class, *((self.partition_class,) if self.partition_class else ()))

    @property
    def classes(self) -> tuple[str, ...]:
        return (*self.read, *self.unread)

    def speaks(self, pod: PodKeys) -> bool:
        """A container of the pod requests devices of the driver."""
        return not pod.device_classes().isdisjoint(self.classes)

    def attribute(self, name: str) -> str:
        """The qualified name of an attribute or a capacity."""
        return f"{self.device_class}/{name}"

    def amount(self, request: DeviceRequest, name: str) -> Value | None:
        """The capacity that a request asks of each card, by its short or its qualified name."""
        return request.capacity.get(name) or request.capacity.get(self.attribute(name))

    def capacity(self) -> tuple[str, ...]:
        """The short names of what a share can hold of its cards."""
        return (*((CORES,) if self.cores else ()), MEMORY, *((SHARES,) if self.clients else ()))

    def has_capacity(self, request: DeviceRequest, name: str) -> bool:
        """The devices of a request have a capacity, by its short or its qualified name."""
        own = name.removeprefix(f"{self.device_class}/")
        of_partition = request.asks(self.partition_class) and own.rstrip("0123456789") in self.of_partitions
        return own in self.capacity() or of_partition


MEMORY, CORES, SHARES = "memory", "cores", "shares"
