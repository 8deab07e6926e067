"""The part of a cluster profile about Dynamic Resource Allocation."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, NamedTuple

from gpuxlate.backends.base import (
    BYTE,
    Absent,
    Backend,
    ContainerShare,
    KeySpec,
    Per,
    Place,
    PodReader,
    PodWriter,
    Range,
    Reading,
    Selector,
    ShareWriter,
    key,
)
from gpuxlate.backends.device_plugin import CARD_NEEDED, is_of_the_nodes, unfit
from gpuxlate.backends.limits import KUBE_SCHEDULER, InitContainers, Limits
from gpuxlate.model import quantity
from gpuxlate.model.amounts import Part, card_for, partitions_of
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Diagnostic, Path, Severity
from gpuxlate.model.keys import By, CardChoice, Chosen
from gpuxlate.model.limits import FULL_CARD_CORES, shortened
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import (
    ClaimUse,
    Constraint,
    ContainerKeys,
    DeviceRequest,
    Devices,
    PodClaim,
    PodKeys,
    Value,
    in_lists,
)
from gpuxlate.model.profile import (
    Component,
    Extension,
    Profile,
    Setting,
    at_least,
    card_of,
    products,
    products_with,
    unknown_partition,
)
from gpuxlate.model.quantity import LIMIT
from gpuxlate.model.share import (
    LEAST_CLIENTS,
    Device,
    Isolation,
    Partition,
    Policy,
    Replica,
    Share,
    Strategy,
    above_limit,
)
from gpuxlate.rules.base import Rule, Scope, rule

ON_BY_DEFAULT = "v1.36.0"
"""Kubernetes with DRAConsumableCapacity on (KEP-5075); in 1.34 and 1.35 the gate is off."""
Api = Literal["v1", "v1beta2", "v1beta1"]
Shares = Literal["disabled", "memory", "unlimited"] | int
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
        Shares,
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


def sharing_of(profile: Profile | None) -> Shares | None:
    """How NVIDIA's driver shares cards; None where the profile says nothing of drivers."""
    known = profile is not None and any(isinstance(one, DraProfile) for one in profile.extensions)
    return DraProfile.of(profile).nvidia_shares if known else None


def counts_capacity(profile: Profile | None) -> bool | None:
    """The API server keeps the capacity of a claim; None where the profile does not say.

    Without the gate it is removed without a word, and the claim is for a whole device (KEP-5075).
    """
    if profile is None:
        return None
    if DraProfile.of(profile).consumable_capacity:
        return True
    return at_least(profile.kubernetes_version, ON_BY_DEFAULT) if profile.kubernetes_version else None


# A driver of devices: its class, the capacity that it shares, and the attributes that tell cards apart; and
# what one request asks of each card, by the names of its capacity.
# Names are those of the driver, short or with its name before them (TYPES: QualifiedName). What a request
# does not set follows from the driver: HAMi's gives all of the card, NVIDIA's what its ConsumableShares
# say.
CLAIMED = Limits(init=InitContainers.ADDED)
"""Devices are allocated to a pod before it starts, whichever of its containers gets them, until it ends
(Kubernetes, "Dynamic Resource Allocation")."""


class Driver(NamedTuple):
    """``device_class``: of whole cards and of shares; its own name is that of the driver too.

    ``vendor``: of its cards. ``card_type``: the attribute ``type`` of its cards. ``cores``: it has capacity
    of compute, in percent of a card. ``parts``: claims may have a part of a card; else what they request of
    its capacity chooses cards that have as much. ``choosing``: further capacity that only chooses.
    ``clients``: it may be set to share each card between a number of clients, which is a capacity too.
    ``also``: further classes of whole cards. ``unread``: those of the driver which no share of this tool
    holds, and what they are.

    ``partition_class``: of hardware partitions, which have the attribute ``type`` that ``partition_type``
    is. ``profiles``: the attributes that name the profile of a partition, in one of these ways; several are
    joined by ``_``. ``whole_profile``: how the profile of a card that is not divided begins.
    ``of_partitions``: further capacity of partitions, which no share of this tool holds. ``example``: a
    profile. ``partition_codes``: of partitions that no card has, and of more than a node has.
    ``chosen_by``: the attributes by which claims choose cards; ``attributes``: all that its devices have,
    those with a number behind them without it. ``resources``: names under which its charts let containers
    count devices, as ``extendedResourceName`` of a class, each with its class.
    """

    name: str
    device_class: str
    isolation: Isolation
    vendor: str
    source: str
    card_type: str
    cores: bool = False
    parts: bool = True
    choosing: tuple[str, ...] = ()
    clients: bool = False
    also: tuple[str, ...] = ()
    unread: Mapping[str, str] = MappingProxyType({})
    partition_class: str = ""
    partition_type: str = ""
    profiles: tuple[tuple[str, ...], ...] = ()
    whole_profile: str = ""
    of_partitions: tuple[str, ...] = ()
    example: str = ""
    partition_codes: tuple[str, str] = ("DRA019", "DRA019")
    chosen_by: Mapping[By, str] = MappingProxyType({By.UUID: "uuid", By.MODEL: "productName"})
    attributes: frozenset[str] = frozenset()
    resources: Mapping[str, str] = MappingProxyType({})

    @property
    def read(self) -> tuple[str, ...]:
        """The classes whose devices a share can hold."""
        return tuple(filter(None, dict.fromkeys((self.device_class, *self.also, self.partition_class))))

    @property
    def classes(self) -> tuple[str, ...]:
        return (*self.read, *self.unread)

    @property
    def has_one_class(self) -> bool:
        """Whole cards and partitions are of one class: their attributes tell them apart."""
        return self.partition_class == self.device_class

    def has_attribute(self, name: str) -> bool:
        """Its devices have an attribute, by its short name."""
        return not self.attributes or not self.attributes.isdisjoint((name, name.rstrip("0123456789")))

    def has_users_in(self, pod: PodKeys) -> bool:
        """A container of the pod requests devices of the driver."""
        return any(any(asked(self, pod, one)) for one in pod.all_containers())

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
        """The devices of a request have a capacity, by its short or its qualified name."""
        own = name.removeprefix(f"{self.device_class}/")
        of_partition = request.asks(self.partition_class) and own.rstrip("0123456789") in self.of_partitions
        return own in self.capacity() or of_partition


EXTENDED = "deviceclass.resource.kubernetes.io/"
"""Before the name of a class: the resource that counts its devices (KEP-5004)."""
MEMORY, CORES, SHARES, PARTITIONS = "memory", "cores", "shares", "partitions"
Wrong = list[tuple[Value, Message, Message]]
"""Where, what is wrong, what to write."""
UNLIMITED, DISABLED = "unlimited", "disabled"


class Doubt(NamedTuple):
    """What a request gets is not known, or is not what it seems. ``value``: the capacity that it is about."""

    value: Value | None
    message: Message
    hint: Message
    severity: Severity


def amounts_of(driver: Driver, way: DeviceRequest) -> tuple[int | None, int | None]:
    """Percent of compute and MiB of each card."""
    return _cores(driver, way), _memory(driver, way)


def _cores(driver: Driver, way: DeviceRequest) -> int | None:
    """Percent of each card; all of it where the claim says nothing, and not capped where it says 0."""
    if not driver.cores:
        return None
    written = driver.amount(way, CORES)
    if written is None:
        return FULL_CARD_CORES if driver.amount(way, MEMORY) is not None else None
    return quantity.whole(written.text) or None


def _memory(driver: Driver, way: DeviceRequest) -> int | None:
    """MiB of each card, rounded up; None is all of it."""
    written = driver.amount(way, MEMORY) if driver.parts else None
    if written is None or not quantity.is_amount(written.text):
        return None
    return ceil(quantity.parse(written.text).amount * BYTE) or None


def client_of(driver: Driver, way: DeviceRequest, sharing: Shares | None) -> Replica | None:
    """The clients of a card that a request is for, None for a whole one (NV). Memory decides before them."""
    if not driver.clients:
        return None
    written = driver.amount(way, SHARES)
    count = (quantity.whole(written.text) if written else None) or 1
    if isinstance(sharing, int):
        return Replica(sharing, Strategy.TIME_SLICING, count) if count < sharing else None
    return Replica(None, Strategy.TIME_SLICING, count) if written or sharing == UNLIMITED else None


def unknown_capacity(driver: Driver, way: DeviceRequest, sharing: Shares | None) -> Wrong:
    """The capacity of a request that its devices do not have, or that has two names in it (DRA017)."""
    found: Wrong = []
    for name, value in way.capacity.items():
        if not driver.has_capacity(way, name):
            message = msg("{driver} has no capacity {name}", driver=driver.device_class, name=name)
            found.append((value, message, msg("its capacity: {names}", names=", ".join(driver.capacity()))))
        elif name.partition("/")[2] in way.capacity:
            message = msg("{name} is there twice, with and without the name of the driver", name=name)
            found.append((value, message, msg("keep one of them")))
    written = driver.amount(way, SHARES)
    if written is not None and driver.clients and isinstance(sharing, str):
        message = msg(
            "the cards of the profile have no capacity {name}: nvidiaConsumableShares is {mode}",
            name=SHARES,
            mode=sharing,
        )
        hint = msg("remove it, or set the driver and the profile to a number of clients")
        found.append((written, message, hint))
    return found


def wrong_amounts(driver: Driver, way: DeviceRequest, sharing: Shares | None) -> Wrong:
    """The amounts of a request that no card has (DRA004)."""
    found: Wrong = []
    memory, cores, shares = (driver.amount(way, name) for name in (MEMORY, CORES, SHARES))
    if memory is not None:
        amount = quantity.parse(memory.text).amount if quantity.is_amount(memory.text) else None
        none_of_it = amount == 0 and driver.clients and (sharing == UNLIMITED or isinstance(sharing, int))
        hint = msg(
            "write MiB or GiB with their suffix: {text}Mi",
            text=memory.text if memory.text.isdigit() else "4096",
        )
        if amount is None:
            found.append((memory, msg("memory {text} is not a quantity", text=memory.text), hint))
        elif amount * BYTE < 1 and not none_of_it:
            message = msg(
                "memory {text} is {count} bytes of each card, below 1Mi", text=memory.text, count=ceil(amount)
            )
            found.append((memory, message, hint))
    if cores is not None and driver.cores:
        number = quantity.whole(cores.text)
        if number is None or not 0 <= number <= FULL_CARD_CORES:
            message = msg(
                "cores {text} is not a whole number from 0 to {most}", text=cores.text, most=FULL_CARD_CORES
            )
            found.append((cores, message, msg('write percent of each card, as in cores: "30"')))
    if shares is not None and driver.clients:
        number = quantity.whole(shares.text)
        most = sharing if isinstance(sharing, int) else None
        if number is None or number < 1:
            message = msg("shares {text} is not a whole number from 1", text=shares.text)
            found.append((shares, message, msg('write a number of clients, as in shares: "1"')))
        elif most is not None and number > most:
            found.append((shares, *too_many_clients(number, most)))
    return [*found, *_wrong_partitions(driver, way)]


def _wrong_partitions(driver: Driver, way: DeviceRequest) -> Iterator[tuple[Value, Message, Message]]:
    written = driver.amount(way, PARTITIONS) if PARTITIONS in driver.of_partitions else None
    if written is not None and not quantity.whole(written.text):
        message = msg("partitions {text} is not a whole number from 1", text=written.text)
        yield written, message, msg('write a number of partitions, as in partitions: "1"')


def too_many_clients(count: int, most: int | None) -> tuple[Message, Message]:
    """More clients than a card has: what is wrong, and what to write."""
    message = msg("shares {count} is above the {most} clients of a card", count=count, most=most)
    return message, msg("request at most {most}", most=most)


def not_known(driver: Driver, way: DeviceRequest, sharing: Shares | None) -> Doubt | None:
    """What decides what a request gets, and is in no manifest (DRA018)."""
    if driver.has_one_class and kind_of(driver, way).partition is None:
        message = msg("a whole card is assumed: on nodes with divided cards the claim may get a partition")
        hint = msg("select the devices by their type: {text}", text=_of_type(driver).text)
        return Doubt(None, message, hint, Severity.INFO)
    if not driver.clients:
        return None
    memory, shares = driver.amount(way, MEMORY), driver.amount(way, SHARES)
    if sharing is None and shares is not None:
        message = msg("how many clients a card has is not known: consumableShares of the driver says it")
        hint = msg("pass a profile that says it: dra: {{nvidiaConsumableShares: {mode}}}", mode=8)
        return Doubt(shares, message, hint, Severity.WARNING)
    if sharing is None and not way.capacity:
        message = msg(
            "a whole device is assumed: consumableShares of the driver decides, which is disabled by default"
        )
        hint = msg("pass a profile that says it: dra: {{nvidiaConsumableShares: {mode}}}", mode=DISABLED)
        return Doubt(None, message, hint, Severity.INFO)
    if sharing == DISABLED and memory is not None and not way.asks(driver.partition_class):
        message = msg(
            "the claim gets a whole card of at least this memory: nvidiaConsumableShares is disabled"
        )
        hint = msg("remove it, or set the driver and the profile to memory")
        return Doubt(memory, message, hint, Severity.WARNING)
    return None


# What a claim says of a share, for the tables of the docs: capacity and count of its requests.
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
            key(EXTENDED + one, Place.RESOURCE, meaning=meaning, sets="cards", source="KEP")
            for one, meaning in {
                **dict.fromkeys(driver.read, "devices of the class"),
                **driver.unread,
            }.items()
        ),
        *(
            key(
                one,
                Place.RESOURCE,
                meaning=driver.unread.get(device_class, "cards"),
                sets="cards",
                source=driver.source,
            )
            for one, device_class in driver.resources.items()
        ),
        *(key(name, Place.QUOTA, meaning="devices of claims", sets="cards", unit=1) for name in devices),
        *(
            one._replace(
                name=f"{one.name.rpartition('/')[2]}.{devices[0]}",
                places=frozenset({Place.QUOTA}),
                meaning=f"{one.meaning} of claims",
                per=Per.TOTAL,
                values=(),
                default=None,
            )
            for one in capacity
        ),
    )


# The rule on names of cards on their way into claims: DRA012.
@rule("DRA012", Severity.INFO, scope=Scope.TRANSLATION)
def names_are_whole(
    this: Rule, path: Path, key: str, unknown: Sequence[str], others: Sequence[str], target: str
) -> Diagnostic:
    """Card models for a claim are whole product names.

    ## What it does
    Reports `use-gputype` and `nouse-gputype` with text that is not a product name in the catalogue of cards,
    or that is a part of other product names too, in a translation to claims.

    ## Why
    HAMi's scheduler looks for the text anywhere in the name of a card, in any case: `A100` are all A100. A
    driver compares whole names, as `nvidia-smi` prints them: a claim for `A100` fits no card.

    ## Example
    `nvidia.com/use-gputype: A100` to `dra-hami`.

    ## Use instead
    `nvidia.com/use-gputype: NVIDIA A100-SXM4-80GB`, which is a whole name. Names that the catalogue does not
    have, a profile adds: `catalogue: [{name: A40, vendor: nvidia, productName: NVIDIA A40}]`. Where no name
    is certain, `--drop selector` leaves the choice out.

    ## Source
    Project-HAMi/HAMi-DRA, pkg/webhook/dra/mutating.go (2026-08): names are compared exactly.
    """
    if unknown:
        message = msg(
            "{key}: {names} is not a whole product name in the catalogue of cards, and {target} compares "
            "whole names",
            key=key,
            names=", ".join(unknown),
            target=target,
        )
        hint = msg(
            "write the names that nvidia-smi prints, such as {example}; a profile adds others "
            "(catalogue: productName)",
            example=", ".join(others) or "NVIDIA A100-SXM4-80GB",
        )
        return this.diagnostic(path, message, hint)
    message = msg(
        "{key} is about {names} too, and {target} compares whole names",
        key=key,
        names=", ".join(others),
        target=target,
    )
    return this.diagnostic(path, message, msg("write all of these names, or choose the cards by UUID"))


# Choices of cards in claims: the expressions in CEL that are written, and read back.
MOST_BYTES = 10 * 1024
"""Of an expression (TYPES: CELSelectorExpressionMaxLength)."""
_TEXT = r"""(?:"[^"\\]*"|'[^'\\]*')"""
_OF_DRIVER = rf"device\.attributes\s*\[\s*(?P<driver>{_TEXT})\s*\]\s*\.\s*"
_EQUAL = regex(rf"\s*(?:{_OF_DRIVER}(?P<name>\w+)|device\.driver)\s*==\s*(?P<one>{_TEXT})\s*")
_FORM = regex(
    rf"(?P<others>!\s*\(\s*)?{_OF_DRIVER}(?P<name>\w+)\s*"
    rf"(?:in\s*\[\s*(?P<names>{_TEXT}(?:\s*,\s*{_TEXT})*)\s*\]|==\s*(?P<one>{_TEXT}))(?(others)\s*\))"
)
ALLOWED_MODELS = CardChoice(By.MODEL)


def chosen_in(driver: Driver, expression: Value) -> Chosen | None:
    """The cards that an expression chooses; None where it has another form."""
    found = _FORM.fullmatch(expression.text.strip())
    if found is None or found["driver"][1:-1] != driver.device_class:
        return None
    by = next((by for by, name in driver.chosen_by.items() if name == found["name"]), None)
    if by is None:
        return None
    names = [one[1:-1] for one in re.findall(_TEXT, found["names"] or found["one"])]
    return Chosen.of(CardChoice(by, allow=found["others"] is None), names)


class DeviceKind(NamedTuple):
    """What the selectors of a request say of the kind of its devices.

    ``partition``: whether these are hardware partitions, None where the request does not say it;
    ``profile``: theirs. ``said_by``: the numbers of the selectors that say it, and nothing else.
    """

    partition: bool | None = None
    profile: str | None = None
    said_by: frozenset[int] = frozenset()


def kind_of(driver: Driver, way: DeviceRequest) -> DeviceKind:
    """The kind of devices that a request is for."""
    if not way.asks(driver.partition_class):
        return DeviceKind(partition=False)
    known = {"", "type", *(name for names in driver.profiles for name in names)}
    terms: dict[str, str] = {}
    said_by = set()
    for number, value in enumerate(way.selectors):
        found = equalities(driver, value)
        if found and found.keys() <= known:
            terms.update(found)
            said_by.add(number)
    ways = ([terms.get(name) for name in names] for names in driver.profiles)
    profile = next(("_".join(one) for each in ways if (one := [x for x in each if x]) == each), None)
    of_type = terms.get("type")
    partition: bool | None = True
    if driver.has_one_class:
        first = next((terms[name] for names in driver.profiles for name in names[:1] if name in terms), None)
        if of_type == driver.card_type or (first and first.startswith(driver.whole_profile)):
            partition = False
        elif of_type != driver.partition_type and first is None:
            partition = None
    return DeviceKind(partition, profile if partition else None, frozenset(said_by))


def attributes_in(driver: Driver, expression: Value) -> Iterator[str]:
    """The attributes of the driver that an expression names."""
    for found in re.finditer(rf"{_OF_DRIVER}(?P<name>\w+)", expression.text):
        if found["driver"][1:-1] == driver.device_class:
            yield found["name"]


def equalities(driver: Driver, expression: Value) -> dict[str, str] | None:
    """The attributes of the driver that an expression sets, joined by ``&&``; None where it has another
    form. The name of the driver itself has no name here."""
    found: dict[str, str] = {}
    for term in expression.text.split("&&"):
        one = _EQUAL.fullmatch(term)
        if one is None or (one["driver"] or one["one"])[1:-1] != driver.device_class:
            return None
        found[one["name"] or ""] = one["one"][1:-1]
    return found


def with_profile(driver: Driver, profile: str, names: Sequence[str] = ()) -> Value:
    """The expression for the partitions of a profile, by attributes that name it."""
    names = names or driver.profiles[0]
    values = profile.split("_", len(names) - 1)
    return Value.of(
        " && ".join(
            f'device.attributes["{driver.device_class}"].{name} == "{value}"'
            for name, value in zip(names, values, strict=False)
        )
    )


def _of_type(driver: Driver) -> Value:
    """The expression for whole cards, where partitions are of the same class."""
    return Value.of(f'device.attributes["{driver.device_class}"].type == "{driver.card_type}"')


def choices_of(driver: Driver, way: DeviceRequest) -> frozenset[Chosen]:
    """What a request chooses, where each choice is there once."""
    found = [one for value in way.selectors if (one := chosen_in(driver, value))]
    return frozenset(found) if len({one.choice for one in found}) == len(found) else frozenset()


def models_in(found: frozenset[Chosen], profile: Profile | None) -> tuple[str, ...]:
    """The models in the catalogue that are allowed; none where one is in no catalogue."""
    names = next((one.names for one in found if one.choice == ALLOWED_MODELS), ())
    known = products(profile)
    return tuple(known[one] for one in names) if all(one in known for one in names) else ()


def selectors_of(driver: Driver, pod: PodWriter, profile: Profile | None) -> tuple[Value, ...]:
    """Expressions for the choices of a pod and for the models of its shares, which are taken."""
    found: dict[str, None] = {}
    for by in driver.chosen_by:
        for allow in (True, False):
            one = pod.chosen(by, allow=allow)
            if one is None or one.chosen is None or not _whole(driver, pod, one, profile):
                continue
            text = _expression(driver, one.chosen)
            if len(text.encode()) <= MOST_BYTES:
                pod.taken.add(one.chosen)
                found[text] = None
    device = pod.peek("device")
    if isinstance(device, Device) and device.models and device.vendor in (None, driver.vendor):
        known = {model: name for name, model in products(profile).items()}
        chosen = Chosen.of(ALLOWED_MODELS, [known.get(model, "") for model in device.models])
        if chosen is not None:
            pod.take("device")
            found[_expression(driver, chosen)] = None
    return tuple(Value.of(text) for text in found)


def _expression(driver: Driver, chosen: Chosen) -> str:
    names = ", ".join(f'"{one}"' for one in chosen.names)
    text = f'device.attributes["{driver.device_class}"].{driver.chosen_by[chosen.choice.by]} in [{names}]'
    return text if chosen.choice.allow else f"!({text})"


def _whole(driver: Driver, pod: PodWriter, one: Selector, profile: Profile | None) -> bool:
    """The names are whole ones: parts of names are, where they are in no other name that is known."""
    if one.chosen is None or not one.chosen.choice.parts:
        return True
    names, known = one.chosen.names, products(profile)
    others = tuple(name for name in products_with(names, profile) if name not in names)
    if not others and all(name in known for name in names):
        return True
    unknown = tuple(name for name in names if name not in known)
    pod.placings[0].diagnostics.append(names_are_whole(one.path, one.key, unknown, others, driver.name))
    return False


# Claims to shares: each container has the devices of the requests that it names.
# Amounts of capacity are of each card (TYPES: CapacityRequirements). What a request says besides its class,
# count and capacity is a choice that no share holds.
EXACT = "ExactCount"
CHOICE = "choice of devices"


class DriverRequest(NamedTuple):
    """A request of a container, as the driver has it: the first alternative that it can satisfy."""

    use: ClaimUse
    claim: PodClaim
    request: DeviceRequest
    way: DeviceRequest


class RequestAmounts(NamedTuple):
    """Cards of a request, and percent of compute and MiB of each; or partitions, and the profile of each.

    ``replica``: the clients of each that are requested.
    """

    cards: int
    cores: int | None
    memory_mib: int | None
    profile: str | None = None
    replica: Replica | None = None


class Users(NamedTuple):
    """Containers that have devices in common, by their numbers in the pod, and the requests for these.

    The first one has the share: an init container only where there are no others.
    """

    numbers: tuple[int, ...]
    requests: tuple[DriverRequest, ...]


def read(driver: Driver, pod: PodReader, profile: Profile | None) -> Reading:
    """The shares of a pod whose containers have devices of a driver.

    Devices that several containers use are one share, which the first of them has.
    """
    containers = tuple(pod.pod.all_containers())
    every = [list(asked(driver, pod.pod, one)) for one in containers]
    for mine in every:
        for one in mine:
            pod.claim(one.use, one.claim)
    for container, mine in zip(containers, every, strict=True):
        mine += _counted(driver, pod, container)
    choices = {choices_of(driver, one.way) for mine in every for one in mine}
    alike = choices.pop() if len(choices) == 1 else frozenset()  # else no choice is that of the pod
    models = models_in(alike, profile)
    device = Device(driver.vendor, models) if models else None
    found: dict[int, ContainerShare] = {}
    for (owner, *others), requests in _users(containers, every):
        share = _share(driver, pod, containers[owner], requests, alike, device, profile)
        names = tuple(containers[n].name for n in others)
        found[owner] = replace(share, shared_with=names, allocation=_allocation(requests))
    return pod.reading([found.get(n) or pod.none(one) for n, one in enumerate(containers)])


def _users(containers: Sequence[ContainerKeys], every: Sequence[Sequence[DriverRequest]]) -> Iterator[Users]:
    """The containers of a pod that request devices, those together that have some in common."""
    parents = list(range(len(every)))

    def first(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    users: dict[tuple[str, str], int] = {}
    for number, mine in enumerate(every):
        for one in mine:
            user = first(users.setdefault((one.use.name, one.request.name), number))
            low, high = sorted((user, first(number)))
            parents[high] = low
    groups: dict[int, list[int]] = {}
    for number, mine in enumerate(every):
        if mine:
            groups.setdefault(first(number), []).append(number)
    for found in groups.values():
        numbers = sorted(found, key=lambda number: containers[number].init)
        requests: dict[tuple[str, str], DriverRequest] = {}
        for one in (one for number in numbers for one in every[number]):
            requests.setdefault((one.use.name, one.request.name), one)
        yield Users(tuple(numbers), tuple(requests.values()))


def _allocation(requests: Sequence[DriverRequest]) -> frozenset[Hashable]:
    """What pods that name the same ResourceClaims have together; empty where some claim is the pod's own."""
    named = [(one.claim.found, one.request.name) for one in requests if one.claim.claim]
    return frozenset((found.place, name) for found, name in named if found and len(named) == len(requests))


def asked(driver: Driver, pod: PodKeys, container: ContainerKeys) -> Iterator[DriverRequest]:
    """The requests of a container that a driver satisfies first.

    Of alternatives that is the first one with devices that some share holds, whichever driver has it.
    """
    for use, claim, request in pod.requests_of(container):
        ways = [(one, way) for way in request.ways() for one in DRIVERS if any(map(way.asks, one.classes))]
        known = [(one, way) for one, way in ways if any(map(way.asks, one.read))]
        for one, way in (known or ways)[:1]:
            if one is driver:
                yield DriverRequest(use, claim, request, way)


def _counted(driver: Driver, pod: PodReader, container: ContainerKeys) -> Iterator[DriverRequest]:
    """The devices that a container counts as resources, for which the scheduler makes a claim (KEP-5004)."""
    names = {**{EXTENDED + one: one for one in driver.classes}, **driver.resources}
    for name, device_class in names.items():
        value = container.resources.get(name)
        count = pod.number(container, name)
        if value is None or count is None:
            continue
        if count < 1:
            message = msg("{key} {text} counts no devices", key=name, text=value.text)
            pod.note("DRA004", message, value.path, "remove it, or write a number from 1")
        else:
            request = DeviceRequest(
                f"{'init-' if container.init else ''}{container.index}", Value.of(device_class), value
            )
            yield DriverRequest(ClaimUse(name, path=value.path), PodClaim(name), request, request)


def _share(
    driver: Driver,
    pod: PodReader,
    container: ContainerKeys,
    mine: Sequence[DriverRequest],
    choices: frozenset[Chosen],
    device: Device | None,
    profile: Profile | None,
) -> ContainerShare:
    """The share of a container, or of several that have it together, by their requests."""
    found: list[RequestAmounts] = []
    for one in mine:
        amounts = _amounts(driver, pod, one, sharing_of(profile))
        if amounts is None:
            return pod.none(container)
        found.append(amounts)
        _choices(driver, pod, one, choices, device)
    if len({one._replace(cards=1) for one in found}) > 1:
        message = msg("container {name} has different shares of its cards", name=container.name)
        _refuse(pod, mine[-1], message, "request the same part of each card")
        return pod.none(container)
    cards = sum(one.cards for one in found)
    _, cores, memory, partition, replica = found[0]
    if replica is not None and cards > 1:
        message = msg(
            "claim {name} requests clients of {count} cards, which no share holds",
            name=mine[-1].claim.name,
            count=cards,
        )
        _refuse(pod, mine[-1], message, "request clients of one card, or whole cards")
        return pod.none(container)
    names = ("cards", "cores", "memory_mib", "device", "partition", "replica")
    origins = dict.fromkeys(names, mine[0].use.path)
    if partition is not None or replica is not None:
        part = Partition(partition, cards) if partition is not None else None
        return pod.share(container, partition=part, replica=replica, device=device, origins=origins)
    return pod.share(
        container,
        cards=cards,
        cores=cores and cores * cards,
        memory_mib=memory and memory * cards,
        device=device,
        origins=origins,
    )


def _amounts(
    driver: Driver, pod: PodReader, one: DriverRequest, sharing: Shares | None
) -> RequestAmounts | None:
    """What a request asks of each card; None where no share says it, which is reported."""
    way = one.way
    what = next((text for name, text in driver.unread.items() if way.asks(name)), None)
    if what is not None:
        _refuse(
            pod,
            one,
            msg("claim {name} requests {what}", name=one.claim.name, what=what),
            "translate it by hand",
        )
        return None
    if way.mode is not None and way.mode.text != EXACT:
        message = msg("claim {name} requests all devices, not a number of them", name=one.claim.name)
        _refuse(pod, one, message, msg("write allocationMode: {mode} and a count", mode=EXACT))
        return None
    cards = 1 if way.count is None else quantity.whole(way.count.text)
    problems = {
        "DRA017": unknown_capacity(driver, way, sharing),
        "DRA004": wrong_amounts(driver, way, sharing),
    }
    if any(problems.values()) or not cards:
        for code, wrong in problems.items():
            for _, message, hint in wrong:
                pod.note(code, message, one.use.path, hint)
        if not cards:
            _refuse(
                pod, one, msg("count of claim {name} is not a number", name=one.claim.name), "write count: 1"
            )
        return None
    kind = kind_of(driver, way)
    each = _partitions(driver, pod, one, kind) if kind.partition else 1
    if each is None:
        return None
    cards *= each
    cores, memory = amounts_of(driver, way)
    replica = client_of(driver, way, sharing)
    if memory is not None and replica is not None and replica.count > 1:
        message = msg(
            "claim {name} requests memory and {count} clients of a card, which no share holds",
            name=one.claim.name,
            count=replica.count,
        )
        _refuse(pod, one, message, "request one of the two")
        return None
    if (doubt := not_known(driver, way, sharing)) is not None:
        pod.note("DRA018", doubt.message, one.use.path, doubt.hint, doubt.severity)
    if one.request.alternatives:
        others = [each for each in one.request.alternatives if each is not way]
        message = msg(
            "firstAvailable: {name} is read, and not {others}",
            name=way.name,
            others=", ".join(map(_in_words, others)) or msg("any other"),
        )
        pod.note("GX020", message, one.use.path, severity=Severity.INFO)
    return RequestAmounts(cards, cores, memory, kind.profile, None if memory is not None else replica)


def _in_words(way: DeviceRequest) -> str:
    """An alternative and what it asks for: ``small (2 x 1g.10gb)``, ``part (cores 30, memory 4Gi)``."""
    kinds = (kind_of(one, way) for one in DRIVERS if any(map(way.asks, one.read)))
    profile = next((one.profile for one in kinds), None)
    amounts = ", ".join(f"{name.rpartition('/')[2]} {value.text}" for name, value in way.capacity.items())
    device_class = way.device_class.text if way.device_class else ""
    what = amounts or profile or device_class
    return f"{way.name} ({f'{way.count.text} x ' if way.count else ''}{what})"


def _partitions(driver: Driver, pod: PodReader, one: DriverRequest, kind: DeviceKind) -> int | None:
    """How many partitions a request takes of each card; None where no share says it, which is reported."""
    amounts = [name for name in one.way.capacity if driver.parts and not name.endswith(SHARES)]
    if kind.profile is None or amounts:
        what = msg("a part of a partition") if amounts else msg("a partition of no profile")
        message = msg("claim {name} requests {what}", name=one.claim.name, what=what)
        hint = msg(
            "select the devices only by their profile: {text}",
            text=with_profile(driver, driver.example).text,
        )
        _refuse(pod, one, message, hint)
        return None
    others = unknown_partition(kind.profile, pod.profile, vendor=driver.vendor)
    if others is not None and unknown_partition(kind.profile, pod.profile) is None:
        pod.note("DRA019", others.message, one.use.path, others.hint, others.severity)
        return None
    each = driver.amount(one.way, PARTITIONS)
    return (quantity.whole(each.text) if each else None) or 1


def _choices(
    driver: Driver, pod: PodReader, one: DriverRequest, choices: frozenset[Chosen], device: Device | None
) -> None:
    """What a request says beside its numbers: losses where a target cannot say it (``--drop selector``).

    ``choices``: those of all requests of the pod; ``device``: what the share holds of them.
    """
    said_by = kind_of(driver, one.way).said_by
    for number, value in enumerate(one.way.selectors):
        if number in said_by:
            continue
        chosen = chosen_in(driver, value)
        if device is None or chosen is None or chosen.choice != ALLOWED_MODELS:
            of_pod = chosen if chosen in choices else None
            pod.selectors.append(Selector("selectors", value.text, one.use.path, CHOICE, of_pod))
    found = [(name, value.text or "...") for name, value in one.way.others.items()]
    if not driver.parts:
        found += [(n, v.text) for n, v in one.way.capacity.items() if not n.endswith(PARTITIONS)]
    devices = one.claim.devices or Devices()
    found += [
        ("matchAttribute", each.match.text)
        for each in devices.constraints
        if each.match is not None and each.concerns(one.request.name)
    ]
    found += [
        ("config", each.driver)
        for each in devices.configs
        if not each.requests or one.request.name in each.requests
    ]
    pod.selectors.extend(Selector(name, text, one.use.path, CHOICE) for name, text in found)


def _refuse(pod: PodReader, one: DriverRequest, message: Message, hint: str) -> None:
    pod.note("GX023", message, one.use.path, hint)


# Shares to claims: one claim for each container, so that shares of one pod cannot be swapped.
# HAMi's driver numbers the cards of a claim in no fixed order (HD, hami_core.go): the parts of one claim
# have to be equal, and those of two containers need not be.
REQUEST = "gpu"
"""The name of every request, and the beginning of the name of every claim."""
LABEL = 63
"""Characters of a DNS label, such as the name of a claim in a pod."""


def write(driver: Driver, pod: PodWriter, profile: Profile | None) -> PodKeys:
    """A claim for each container with a share."""
    api = DraProfile.of(profile).version
    claims, containers = [], []
    several = len(pod.placings) > 1
    selectors = selectors_of(driver, pod, profile)
    for placing in pod.placings:
        name = claim_name(placing, several=several)
        devices = _devices(driver, placing, profile, selectors)
        if any(one.capacity for one in devices.requests):
            _is_counted(placing, profile)
        placing.on_nodes(card_of(profile, (driver.name,)), "GX023", "GX023")
        claims.append(PodClaim(name, devices=devices, api=api))
        containers.append(ContainerKeys(placing.name, placing.index, placing.init, claims=(ClaimUse(name),)))
    return PodKeys(
        *in_lists(containers),
        claims=tuple(claims),
    )


def claim_name(placing: ShareWriter, *, several: bool) -> str:
    """The name of a container's claim in its pod; that of the container is in it where there are several."""
    if not several:
        return REQUEST
    own = placing.name or f"{'init-' if placing.init else ''}{placing.index}"
    return shortened(f"{REQUEST}-{own}", LABEL)


def _devices(
    driver: Driver, placing: ShareWriter, profile: Profile | None, selectors: tuple[Value, ...]
) -> Devices:
    partition = placing.take("partition") if driver.partition_class else None
    capacity: dict[str, Value] = {}
    if (clients := _clients(driver, placing, profile)) is not None:
        capacity[SHARES] = Value.of(str(clients))
    if partition is not None:
        if placing.peek("replica") is None:
            placing.isolated(Isolation.HARDWARE)
            placing.shared_by(Policy.FIXED_SHARE)
        wrong = unfit(partition, profile, (driver.name,), driver.vendor, driver.partition_codes)
        if wrong is not None:
            placing.refuse("partition", *wrong)
        request = DeviceRequest(
            REQUEST,
            Value.of(driver.partition_class),
            Value.of(partition.count) if partition.count > 1 else None,
            capacity=capacity,
            selectors=(with_profile(driver, partition.profile, _named_by(driver, profile)), *selectors),
        )
        return Devices((request,))
    if not driver.parts:
        return _of_whole_cards(driver, placing, selectors)
    cards, cores, memory = int(placing.take("cards")), None, placing.take("memory_mib")
    if driver.cores:
        cores = placing.take("cores")
        if not placing.whole_cards:
            capacity[CORES] = Value.of(str(int(cores or 0) // cards))
    if memory is not None:
        most = int(LIMIT * BYTE) * cards
        if int(memory) > most:
            problem = above_limit("memoryMiB", int(memory), most)
            placing.refuse("memory_mib", "GX011", problem.message, problem.hint)
        capacity[MEMORY] = Value.of(f"{int(memory) // cards}Mi")
    placing.isolated(Isolation.HARDWARE if placing.whole_cards else driver.isolation)
    if driver.cores and not placing.whole_cards and memory is None:
        message = msg("without memory the claim has all memory of its cards, so no other share fits on them")
        placing.note("DRA003", message, attribute="cores")
    request = DeviceRequest(
        REQUEST,
        Value.of(driver.device_class),
        Value.of(cards) if cards > 1 else None,
        capacity=capacity,
        selectors=selectors,
    )
    apart = Constraint((REQUEST,), distinct=Value.of(driver.attribute("uuid")))
    return Devices((request,), (apart,) if cards > 1 and capacity else ())


def _of_whole_cards(driver: Driver, placing: ShareWriter, selectors: tuple[Value, ...]) -> Devices:
    """Cards of a driver whose claims have no parts of them."""
    part = next((one for one in ("memory_mib", "cores") if placing.peek(one) is not None), None)
    if part is not None:
        placing.take("cores")
        placing.take("memory_mib")
        message = msg("{name} gives whole cards, and no part of one", name=driver.device_class)
        placing.refuse(part, "GX023", message, "request whole cards")
    else:
        placing.isolated(Isolation.HARDWARE)
    cards = int(placing.take("cards"))
    request = DeviceRequest(
        REQUEST,
        Value.of(driver.device_class),
        Value.of(cards) if cards > 1 else None,
        selectors=(*((_of_type(driver),) if driver.has_one_class else ()), *selectors),
    )
    return Devices((request,))


def _named_by(driver: Driver, profile: Profile | None) -> tuple[str, ...]:
    """The attributes that name a profile where the driver divides cards by itself; else the first ones."""
    return driver.profiles[-1 if DraProfile.of(profile).amd_auto_partition else 0]


def _clients(driver: Driver, placing: ShareWriter, profile: Profile | None) -> int | None:
    """How many clients of a card the claim takes, where the driver counts them: all for a whole one."""
    replica = placing.take("replica") if driver.clients else None
    known = DraProfile.of(profile).replica if driver.clients else None
    if replica is not None:
        placing.isolated(driver.isolation)
        return int(replica.count)
    return known.of if known else None


def _is_counted(placing: ShareWriter, profile: Profile | None) -> None:
    """The cluster keeps the capacity that a claim asks for."""
    if counts_capacity(profile) is False:
        message = msg(
            "the cluster of the profile drops the capacity of claims: without {gate} each gets whole cards",
            gate="DRAConsumableCapacity",
        )
        hint = msg(
            "use Kubernetes {version}, or turn it on: dra: {{consumableCapacity: true}} in the profile",
            version=ON_BY_DEFAULT,
        )
        placing.refuse("cards", "DRA002", message, hint)


# Drivers of devices as targets: HAMi's with shares of NVIDIA cards, and NVIDIA's with whole cards.
# HD = Project-HAMi/k8s-dra-driver, cmd/kubelet-plugin (2026-08): capacity ``cores`` 0 to 100 with a default
# of 100, ``memory`` in steps of 1Mi with all of the card as default. 0 is not capped, and takes no compute.
# NV = kubernetes-sigs/dra-driver-nvidia-gpu, cmd/gpu-kubelet-plugin/consumable_shares.go and
# demo/specs/consumable-shares (v0.5.0-dev, 2026-08): with ``consumableShares: memory`` a claim takes a part
# of the memory of a card, with a number N it is one of N clients of a card (capacity ``shares``, 1 where it
# is not set). The scheduler counts them, and nothing enforces them; there is no capacity of compute.
# AMD = ROCm/k8s-gpu-dra-driver, docs/driver-attributes.md and docs/device-plugin-to-dra-partitions.md
# (2026-08): whole cards and partitions are devices of one class. A card that the administrator divided has
# partitions with ``partitionProfile``; with the feature gate AutoPartition the driver divides cards itself,
# as claims select ``computePartition`` and ``memoryPartition``, and ``partitions`` counts those of a card.
# INTEL = intel/intel-resource-drivers-for-kubernetes, cmd/kubelet-gpu-plugin/node_state.go (gpu-v0.11.0,
# 2026-08): whole cards; ``memory`` and ``millicores`` (1000 of each card) are not shared by claims.
FOR_MACHINES = "a card for a virtual machine"
_OF_NVIDIA = {
    *("type", "uuid", "productName", "brand", "architecture", "cudaComputeCapability"),
    *("driverVersion", "cudaDriverVersion", "minor", "pcieBusID"),
}
HAMIS = Driver(
    "dra-hami",
    "hami-core-gpu.project-hami.io",
    Isolation.SOFT,  # by a library in the container (HD)
    "nvidia",
    "HD",
    "hami-gpu",
    cores=True,
    attributes=frozenset(_OF_NVIDIA),
)
NVIDIAS = Driver(
    "dra-nvidia",
    "gpu.nvidia.com",
    Isolation.NONE,
    "nvidia",
    "NV",
    "gpu",
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
AMDS = Driver(
    "dra-amd",
    "gpu.amd.com",
    Isolation.HARDWARE,
    "amd",
    "AMD",
    "amdgpu",
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
INTELS = Driver(
    "dra-intel",
    "gpu.intel.com",
    Isolation.HARDWARE,
    "intel",
    "INTEL",
    "gpu",
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
DRIVERS = (HAMIS, NVIDIAS, AMDS, INTELS)
BY_MEMORY = "memory"
_SAY = "pass a profile that says so: dra: {{nvidiaConsumableShares: {mode}}}"
PROFILE_NEEDED = msg(_SAY, mode=BY_MEMORY)


class DraBackend(Backend):
    """A driver's devices, which containers get by claims."""

    driver: Driver
    rule_prefix = "DRA"
    row_rules = ()
    limits = CLAIMED
    scheduling = KUBE_SCHEDULER
    extension = DraProfile

    def detect(self, pod: PodKeys) -> bool:
        """A container of the pod requests devices of the driver."""
        return self.driver.has_users_in(pod)

    def is_asked_by(self, pod: PodKeys, container: ContainerKeys) -> bool:
        """A container of the pod requests devices of the driver, by a resource or by a claim."""
        return super().is_asked_by(pod, container) or any(asked(self.driver, pod, container))

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Claims to shares."""
        return read(self.driver, pod, profile)

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Shares to claims."""
        return write(self.driver, pod, profile)


class DraHami(DraBackend):
    driver = HAMIS
    vendor = HAMIS.vendor
    name = HAMIS.name
    title = "HAMi's DRA driver"
    components = (Component("hamiDraDriver", "HAMi's DRA driver"),)
    keys = driver_keys(HAMIS)
    gpu_prefixes = (f"{HAMIS.device_class}/",)
    field_docs = {
        "cards": "count, with distinctAttribute for shares",
        "cores": 'capacity cores, percent of each card; not capped: "0"',
        "memoryMiB": "capacity memory of each card: 4096Mi",
        "isolation": "soft",
        "device": "vendor nvidia; models: selectors on productName",
    }
    device_classes = HAMIS.classes


def _is_shared_so(placing: ShareWriter, profile: Profile | None) -> None:
    """The driver of the profile's cluster gives such a share."""
    own = DraProfile.of(profile)
    replica, part = placing.peek("replica"), placing.peek("memory_mib") is not None
    hint = "the programs on one card have to keep within their shares"
    if replica is not None and own.replica is None:
        message = msg(
            "{name} shares cards between a number of clients only where the cluster is set so",
            name=NVIDIAS.device_class,
        )
        placing.refuse("replica", "GX023", message, msg(_SAY, mode=replica.of or 8))
    elif replica is not None and own.replica is not None:
        is_of_the_nodes(placing, replica, own.replica)
        if replica.count > (own.replica.of or 0):
            placing.refuse("replica", "DRA004", *too_many_clients(replica.count, own.replica.of))
        text = "{name} counts clients, and nothing keeps them within their part"
        placing.note("GX015", msg(text, name=NVIDIAS.device_class), hint, "replica")
    elif part and own.nvidia_shares != BY_MEMORY:
        message = msg(
            "{name} shares cards by memory only where the cluster is set so", name=NVIDIAS.device_class
        )
        placing.refuse("memory_mib", "GX023", message, PROFILE_NEEDED)
    elif part:
        text = "{name} counts memory, and nothing keeps a container within it"
        placing.note("GX015", msg(text, name=NVIDIAS.device_class), hint, "memory_mib")
    elif own.nvidia_shares == "unlimited":
        message = msg(
            "a claim without memory takes none of a card where consumableShares is {mode}",
            mode=own.nvidia_shares,
        )
        placing.refuse("cards", "GX023", message, "request memory, or set the cluster to memory")


class DraNvidia(DraBackend):
    driver = NVIDIAS
    vendor = NVIDIAS.vendor
    name = NVIDIAS.name
    title = "NVIDIA's DRA driver"
    components = (Component("nvidiaDraDriver", "NVIDIA's DRA driver"),)
    keys = driver_keys(NVIDIAS)  # no prefix: CoreWeave's nodes have labels such as gpu.nvidia.com/class
    field_docs = {
        "cards": "count",
        "memoryMiB": "capacity memory of each card, where the profile has nvidiaConsumableShares: memory",
        "device": "vendor nvidia; models: selectors on productName",
        "partition": f"class {NVIDIAS.partition_class}, selector on profile, count",
        "replica": "capacity shares, where the profile has nvidiaConsumableShares: N",
    }
    device_classes = NVIDIAS.classes
    parts_need = PROFILE_NEEDED

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Shares to claims, where the profile says how the cluster shares cards."""
        for placing in pod.placings:
            _is_shared_so(placing, profile)
        return super().write(pod, profile)


class DraAmd(DraBackend):
    driver = AMDS
    vendor = AMDS.vendor
    name = AMDS.name
    title = "AMD's DRA driver"
    components = (Component("amdDraDriver", "AMD's DRA driver"),)
    keys = driver_keys(AMDS)
    field_docs = {
        "cards": f"count, selector on type == {AMDS.card_type}",
        "device": "vendor amd; models: selectors on productName",
        "isolation": "hardware",
        "partition": "selector on partitionProfile, or on computePartition and memoryPartition; count",
    }
    device_classes = AMDS.classes
    parts_need = CARD_NEEDED

    def parts(self, share: Share, profile: Profile | None) -> Iterable[Part]:
        """Partitions of the card of the share, or of the profile."""
        card = card_for(share, profile)
        return partitions_of(card) if card is not None and card.vendor == self.vendor else ()


class DraIntel(DraBackend):
    driver = INTELS
    vendor = INTELS.vendor
    name = INTELS.name
    title = "Intel's DRA driver for GPUs"
    components = (Component("intelDraDriver", "Intel's DRA driver for GPUs"),)
    keys = driver_keys(INTELS)
    field_docs = {
        "cards": "count",
        "device": "vendor intel; models: selectors on model",
        "isolation": "hardware",
    }
    device_classes = INTELS.classes


HAMI, NVIDIA, AMD, INTEL = DraHami(), DraNvidia(), DraAmd(), DraIntel()
