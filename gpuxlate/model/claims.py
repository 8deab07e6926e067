"""Claims on devices of a pod (``resource.k8s.io``): which it names, and what each of them requests.

``manifest`` fills these from pods, ResourceClaimTemplates and ResourceClaims, whatever the version of the
API; backends read and write them. Amounts of capacity are those of **each** device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuxlate.model.messages import Message

if TYPE_CHECKING:
    from gpuxlate.model.pod import Path, Value

GROUP = "resource.k8s.io"
TEMPLATE, CLAIM = "ResourceClaimTemplate", "ResourceClaim"
VERSIONS = ("v1", "v1beta2", "v1beta1")
"""Those that are read and written; the newest first. ``v1beta1`` has its fields directly in a request."""
FLAT = "v1beta1"


class Form(StrEnum):
    """How a request is written."""

    FLAT = "the fields of the request itself"  # v1beta1
    EXACTLY = "exactly"
    FIRST = "firstAvailable"


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """One request of a claim. Paths are those of the document of the claim.

    ``mode``: its ``allocationMode``. ``selectors``: expressions in CEL. ``others``: fields that say more
    (``adminAccess``, ``tolerations``), by name. ``alternatives``: of ``firstAvailable``, in their order.
    """

    name: str = ""
    device_class: Value | None = None
    count: Value | None = None
    mode: Value | None = None
    capacity: Mapping[str, Value] = field(default_factory=dict)
    selectors: tuple[Value, ...] = ()
    others: Mapping[str, Value] = field(default_factory=dict)
    alternatives: tuple[DeviceRequest, ...] = ()
    form: Form = field(default=Form.EXACTLY, compare=False)
    path: Path = field(default=(), compare=False)

    def ways(self) -> Iterator[DeviceRequest]:
        """The request itself, or its alternatives, the preferred one first."""
        yield from self.alternatives or (self,)

    def asks(self, device_class: str) -> bool:
        """It requests devices of a class."""
        return self.device_class is not None and self.device_class.text == device_class


@dataclass(frozen=True, slots=True)
class Constraint:
    """Devices of some requests (none: of all) that have one attribute in common, or that differ in it."""

    requests: tuple[str, ...] = ()
    match: Value | None = None
    distinct: Value | None = None
    path: Path = field(default=(), compare=False)

    def concerns(self, request: str) -> bool:
        return not self.requests or request in self.requests


@dataclass(frozen=True, slots=True)
class Config:
    """Parameters of a driver for the devices of some requests (none: of all), as plain data."""

    requests: tuple[str, ...] = ()
    driver: str = ""
    parameters: Any = None
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Devices:
    """What one claim requests."""

    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    configs: tuple[Config, ...] = ()

    def classes(self) -> frozenset[str]:
        """The device classes of all requests, alternatives included."""
        ways = (way for one in self.requests for way in one.ways())
        return frozenset(way.device_class.text for way in ways if way.device_class)


class Place(NamedTuple):
    """Where an object is: its file, the number of its document, and its path in that."""

    file: str
    document: int
    path: Path


@dataclass(frozen=True, slots=True)
class ClaimObject:
    """A ResourceClaimTemplate or ResourceClaim. ``api``: its version, without the group."""

    kind: str
    namespace: str | None
    name: str
    api: str
    devices: Devices
    place: Place = field(compare=False)


class Missing(NamedTuple):
    """Why the object of a claim is not known, and what to do."""

    message: Message
    hint: str


@dataclass(frozen=True, slots=True)
class PodClaim:
    """One of ``resourceClaims`` of a pod.

    ``template``, ``claim``: the object that it names. ``found``: that object; ``missing``: why it is not
    known. ``devices``: what it requests, of a claim that is to be written too; ``api``: the version to
    write it in.
    """

    name: str
    template: Value | None = field(default=None, compare=False)
    claim: Value | None = field(default=None, compare=False)
    devices: Devices | None = None
    api: str = field(default=VERSIONS[0], compare=False)
    found: ClaimObject | None = field(default=None, compare=False)
    missing: Missing | None = field(default=None, compare=False)
    path: Path = field(default=(), compare=False)

    @property
    def reference(self) -> Value | None:
        """The name of its object, as the pod has it."""
        return self.template or self.claim


@dataclass(frozen=True, slots=True)
class ClaimUse:
    """One of ``resources.claims`` of a container. ``request``: the only one that it gets, None for all."""

    name: str
    request: str | None = None
    path: Path = field(default=(), compare=False)

    def gets(self, request: DeviceRequest) -> bool:
        """It gives the container the devices of a request; ``REQUEST/ALTERNATIVE`` is one of these."""
        return self.request is None or self.request.partition("/")[0] == request.name
