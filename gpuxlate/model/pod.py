"""What one pod requests, in a vendor's keys and values, and where each of them is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from gpuxlate.model import quantity
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Edit, Path, Put, Remove, Rename, Span
from gpuxlate.model.kept import kept
from gpuxlate.model.keys import Place
from gpuxlate.model.messages import Message

Argument = TypeVar("Argument")
Arguments = ParamSpec("Arguments")
Element = TypeVar("Element")


def keep_last(
    function: Callable[Concatenate[Argument, Arguments], Iterable[Element]],
) -> Callable[Concatenate[Argument, Arguments], Sequence[Element]]:
    """Keep the last result of a function, since several rules need the same of a pod.

    The first argument is compared by identity, the others by value.
    """

    def again(
        subject: Argument, /, *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Sequence[Element]:
        last: list[tuple[Argument, tuple[object, ...], Sequence[Element]]] = kept(again, list)
        remembered = last[0] if last else None  # another thread may replace it
        if remembered is None or remembered[0] is not subject or remembered[1] != arguments:
            remembered = subject, arguments, tuple(function(subject, *arguments, **named))
            last[:] = [remembered]
        return remembered[2]

    return again


# What one pod requests, in a vendor's keys and values, each value with its path.
# ``manifest`` fills these; backends read and write them and never see YAML.
def dotted(path: Path) -> str:
    """A path in one word: ``metadata.name``, ``spec.limits[0].max``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


class ScalarKind(StrEnum):
    """What a YAML scalar resolves to."""

    STR = "str"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    NULL = "null"
    NODE = "node"  # a mapping or a sequence in place of a scalar


@record
class Value:
    """One value: its text without quotes, what it resolves to, and its path.

    Two values are equal when their texts are: ``30`` and ``"30"`` mean the same.
    """

    text: str
    kind: ScalarKind = field(default=ScalarKind.STR, compare=False)
    path: Path = field(default=(), compare=False)

    @classmethod
    def of(cls, value: int | str) -> Value:
        """A value to write: an int is written bare, a str as a string."""
        return cls(str(value), ScalarKind.INT if isinstance(value, int) else ScalarKind.STR)

    @property
    def plain(self) -> int | str | None:
        """The value to write: a number only where every YAML parser reads the same number; None for null."""
        if self.kind is ScalarKind.NULL:
            return None
        return int(self.text) if self.kind is ScalarKind.INT and quantity.is_plain(self.text) else self.text


@record
class NodeRequirement:
    """One match expression of a node affinity."""

    key: str
    operator: str
    values: tuple[str, ...] = ()
    path: Path = field(default=(), compare=False)


@record
class ContainerKeys:
    """The keys of one container. ``index`` counts in its own list (containers or initContainers).

    ``sidecar``: an init container that runs on beside the containers (``restartPolicy: Always``).
    """

    name: str = ""
    index: int = 0
    init: bool = False
    limits: Mapping[str, Value] = field(default_factory=dict)
    requests: Mapping[str, Value] = field(default_factory=dict)
    env: Mapping[str, Value] = field(default_factory=dict)
    path: Path = field(default=(), compare=False)
    privileged: Value | None = None  # securityContext.privileged
    claims: tuple[ClaimUse, ...] = ()
    sidecar: bool = field(default=False, compare=False)

    @property
    def resources(self) -> Mapping[str, Value]:
        """Limits, and requests for keys that are in requests only."""
        if not (self.requests and self.limits):
            return self.limits or self.requests
        return {**self.requests, **self.limits}

    def under(self, names: Mapping[str, str]) -> ContainerKeys:
        """The container with its resources under other names, unless it has both names of a resource.

        Paths stay: they end in the name that is written.
        """
        resources = {*self.limits, *self.requests}
        new = [names.get(name, name) for name in resources]
        gone = {old: names[old] for old in resources if old in names and new.count(names[old]) == 1}
        if not gone:
            return self
        limits, requests = (
            {gone.get(name, name): value for name, value in values.items()}
            for values in (self.limits, self.requests)
        )
        return replace(self, limits=limits, requests=requests)


def in_lists(
    containers: Iterable[ContainerKeys],
) -> tuple[tuple[ContainerKeys, ...], tuple[ContainerKeys, ...]]:
    """The ordinary containers and the init containers: the first two fields of ``PodKeys``."""
    every = tuple(containers)
    return tuple(container for container in every if not container.init), tuple(
        container for container in every if container.init
    )


@record
class PodKeys:
    """The keys of one pod template, and of the workload that owns it.

    ``affinity`` holds the terms of the required node affinity: one of them must match, and a term
    matches when all of its requirements do. ``stray_labels`` and ``stray_annotations`` are
    directly under the pod, outside ``metadata``, where Kubernetes ignores them. ``node_name``: what the
    manifest chooses, not what a scheduler wrote. ``served``: the object is one that a server has, in its
    form. ``grows``: a controller or webhook adds containers to those of the manifest. ``selected``:
    the labels that selectors of the object match, and where. ``fields``: the fields of ``metadata_path``
    with the labels and annotations, where they have other names. ``scheduler_set_by``: what may set
    ``schedulerName`` where the manifest names none. ``only_above``: which ``labels`` are those of the
    workload alone (``with_workload``). ``grouped``: the workload's metadata is that of its PodGroup too.
    """

    containers: tuple[ContainerKeys, ...] = ()
    init_containers: tuple[ContainerKeys, ...] = ()
    labels: Mapping[str, Value] = field(default_factory=dict)
    annotations: Mapping[str, Value] = field(default_factory=dict)
    node_selector: Mapping[str, Value] = field(default_factory=dict)
    affinity: tuple[tuple[NodeRequirement, ...], ...] = ()
    scheduler_name: Value | None = None
    owner_labels: Mapping[str, Value] = field(default_factory=dict)
    owner_annotations: Mapping[str, Value] = field(default_factory=dict)
    stray_labels: Mapping[str, Value] = field(default_factory=dict)
    stray_annotations: Mapping[str, Value] = field(default_factory=dict)
    path: Path = field(default=(), compare=False)
    metadata_path: Path = field(default=(), compare=False)
    node_name: Value | None = None
    preferred: tuple[tuple[NodeRequirement, ...], ...] = ()
    selected: Mapping[str, Path] = field(default_factory=dict, compare=False)
    served: bool = field(default=False, compare=False)
    grows: bool = field(default=False, compare=False)
    scheduler_set_by: str = field(default="", compare=False)
    fields: Mapping[str, str] = field(default_factory=dict, compare=False)
    claims: tuple[PodClaim, ...] = ()
    only_above: frozenset[str] = field(default=frozenset(), compare=False)
    grouped: bool = field(default=False, compare=False)

    def claim(self, name: str) -> PodClaim | None:
        """The claim of a name."""
        return next((claim for claim in self.claims if claim.name == name), None)

    def requests_of(self, container: ContainerKeys) -> Iterator[tuple[ClaimUse, PodClaim, DeviceRequest]]:
        """The requests whose devices a container gets, as far as their claims are known."""
        for use in container.claims:
            claim = self.claim(use.name)
            if claim and claim.devices:
                yield from ((use, claim, request) for request in claim.devices.given_to(use))

    def metadata_of(self, name: str) -> Path:
        """The mapping with the ``labels`` or the ``annotations`` of the pod."""
        return (*self.metadata_path, self.fields.get(name, name))

    def under(self, names: Mapping[str, str]) -> PodKeys:
        """With resources of its containers under other names; the pod itself where it has none."""
        resources = (
            values for container in self.all_containers() for values in (container.limits, container.requests)
        )
        if not names or not any(name in values for values in resources for name in names):
            return self
        return replace(
            self,
            containers=tuple(container.under(names) for container in self.containers),
            init_containers=tuple(container.under(names) for container in self.init_containers),
        )

    def with_values(self, values: Mapping[Path, int | str]) -> PodKeys:
        """With other values at these paths."""

        def changed(owner: PodKeys | ContainerKeys, *fields: str) -> dict[str, Any]:
            return {
                field: {
                    name: replace(Value.of(values[old.path]), path=old.path) if old.path in values else old
                    for name, old in getattr(owner, field).items()
                }
                for field in fields
            }

        containers, init_containers = (
            tuple(
                replace(container, **changed(container, "limits", "requests", "env")) for container in listed
            )
            for listed in (self.containers, self.init_containers)
        )
        return replace(
            self,
            containers=containers,
            init_containers=init_containers,
            **changed(self, "labels", "annotations", "node_selector", "owner_labels", "owner_annotations"),
        )

    def with_workload(self) -> PodKeys:
        """As if what stands on the workload or beside ``metadata`` were on the pod (K8S005, K8S006)."""
        above = (self.owner_labels, self.owner_annotations, self.stray_labels, self.stray_annotations)
        if not any(above):
            return self
        return _moved_to_the_pod(self)[0]

    def all_containers(self) -> Iterator[ContainerKeys]:
        """Init containers, then containers, in their order."""
        yield from self.init_containers
        yield from self.containers

    def requirements(self) -> Iterator[NodeRequirement]:
        """Every requirement of the node affinity, whatever its term."""
        for term in self.affinity:
            yield from term

    def choices(self, label: str) -> Iterator[NodeRequirement]:
        """Every choice of nodes by a label: nodeSelector, which is In its one value, then the affinity."""
        chosen = self.node_selector.get(label)
        if chosen is not None:
            yield NodeRequirement(label, "In", (chosen.text,), chosen.path)
        yield from (requirement for requirement in self.requirements() if requirement.key == label)

    def allowed(self, label: str) -> list[tuple[str, Path]]:
        """The values that a label of its nodes may have: nodeSelector decides, else In in every term."""
        chosen = self.node_selector.get(label)
        if chosen is not None:
            return [(chosen.text, chosen.path)]
        required = self.required_by_all_terms(label)
        return [
            (text, requirement.path)
            for requirement in required
            if requirement.operator == "In"
            for text in requirement.values
        ]

    def preferences(self) -> Iterator[NodeRequirement]:
        """Every requirement of the preferred node affinity, whatever its term."""
        for term in self.preferred:
            yield from term

    def required_by_all_terms(self, key: str) -> tuple[NodeRequirement, ...]:
        """The requirements on ``key`` where every term has one; empty where a term has none."""
        matching = [[r for r in term if r.key == key] for term in self.affinity]
        return tuple(r for term in matching for r in term) if matching and all(matching) else ()


@keep_last
def _moved_to_the_pod(pod: PodKeys) -> Iterator[PodKeys]:
    yield replace(
        pod,
        labels={**pod.owner_labels, **pod.stray_labels, **pod.labels},
        annotations={**pod.owner_annotations, **pod.stray_annotations, **pod.annotations},
        only_above=frozenset(pod.owner_labels.keys() - pod.stray_labels.keys() - pod.labels.keys()),
        owner_labels={},
        owner_annotations={},
        stray_labels={},
        stray_annotations={},
    )


class Outside(NamedTuple):
    """A vendor's key that is not in a pod: it begins at the character ``start`` of its source.

    ``span``: where a text names it. ``of_chart``: it is in the values of a chart in an object.
    """

    name: str
    path: Path
    start: int = 0
    span: Span | None = None
    of_chart: bool = False


class UnreadAmounts(NamedTuple):
    """An object whose amounts of GPUs gpuxlate does not read. ``title``: these amounts, in words.

    ``hint``: what to do, if there is something more to do than to check by hand.
    """

    kind: str
    path: Path
    title: str
    hint: str | None = None


class DocumentKeys(NamedTuple):
    """One document: its pods, and what document rules need to know.

    ``outside`` has the vendors' keys that are outside any pod; ``repeated`` the keys that a mapping
    sets twice (the later one); ``shared`` the GPU values that are in an anchor,
    alias or merge key which something else uses too. ``claims``: its ResourceClaims and templates of them;
    ``several``: the paths of pods with claims of which there is more than one. ``unread``: what of its
    objects says how much of a card somebody gets, and is not read. ``with_pods``: the paths of its objects of
    kinds that have pods, where a key is outside of them. ``reported``: places of which an error or a warning
    says enough: a remark there would be a second finding about one mistake.
    """

    api_version: str | None = None
    kind: str | None = None
    pods: tuple[PodKeys, ...] = ()
    outside: tuple[Outside, ...] = ()
    repeated: tuple[Path, ...] = ()
    shared: tuple[Path, ...] = ()
    claims: tuple[ClaimObject, ...] = ()
    several: frozenset[Path] = frozenset()
    unread: tuple[UnreadAmounts, ...] = ()
    with_pods: frozenset[Path] = frozenset()
    reported: frozenset[Path] = frozenset()


# Claims on devices of a pod (``resource.k8s.io``): which it names, and what each of them requests.
# ``manifest`` fills these from pods, ResourceClaimTemplates and ResourceClaims, whatever the version of the
# API; backends read and write them. Amounts of capacity are those of **each** device.
CLAIMS_API_GROUP = "resource.k8s.io"
TEMPLATE, CLAIM = "ResourceClaimTemplate", "ResourceClaim"
CLAIM_VERSIONS = ("v1", "v1beta2", "v1beta1")
"""Those that are read and written; the newest first. ``v1beta1`` has its fields directly in a request."""
FLAT = "v1beta1"


class RequestForm(StrEnum):
    """How a request is written."""

    FLAT = "the fields of the request itself"  # v1beta1
    EXACTLY = "exactly"
    FIRST = "firstAvailable"


@record
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
    form: RequestForm = field(default=RequestForm.EXACTLY, compare=False)
    path: Path = field(default=(), compare=False)

    def ways(self) -> Iterator[DeviceRequest]:
        """The request itself, or its alternatives, the preferred one first."""
        yield from self.alternatives or (self,)

    def asks(self, device_class: str) -> bool:
        """It requests devices of a class."""
        return self.device_class is not None and self.device_class.text == device_class


@record
class DeviceConstraint:
    """Devices of some requests (none: of all) that have one attribute in common, or that differ in it."""

    requests: tuple[str, ...] = ()
    match: Value | None = None
    distinct: Value | None = None
    path: Path = field(default=(), compare=False)

    def concerns(self, request: str) -> bool:
        """It holds for the devices of a request, by its name in the claim."""
        return not self.requests or request in self.requests


@record
class DeviceConfig:
    """Parameters of a driver for the devices of some requests (none: of all), as plain data."""

    requests: tuple[str, ...] = ()
    driver: str = ""
    parameters: Any = None
    path: Path = field(default=(), compare=False)


@record
class Devices:
    """What one claim requests."""

    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()
    configs: tuple[DeviceConfig, ...] = ()

    def given_to(self, use: ClaimUse) -> tuple[DeviceRequest, ...]:
        """The requests whose devices a use gives: all, or one, which ``REQUEST/ALTERNATIVE`` names too."""
        return self.requests if use.request is None else self._by_name.get(use.request.partition("/")[0], ())

    @cached_property
    def _by_name(self) -> dict[str, tuple[DeviceRequest, ...]]:
        by_name: dict[str, tuple[DeviceRequest, ...]] = {}
        for request in self.requests:
            by_name[request.name] = (*by_name.get(request.name, ()), request)
        return by_name

    def classes(self) -> frozenset[str]:
        """The device classes of all requests, alternatives included."""
        ways = (way for request in self.requests for way in request.ways())
        return frozenset(way.device_class.text for way in ways if way.device_class)


class ObjectPlace(NamedTuple):
    """Where an object is: its file, the number of its document, and its path in that."""

    file: str
    document: int
    path: Path


@record
class ClaimObject:
    """A ResourceClaimTemplate or ResourceClaim. ``api``: its version, without the group."""

    kind: str
    namespace: str | None
    name: str
    api: str
    devices: Devices
    place: ObjectPlace = field(compare=False)


class Missing(NamedTuple):
    """Why the object of a claim is not known, and what to do."""

    message: Message
    hint: str


@record
class PodClaim:
    """One of ``resourceClaims`` of a pod.

    ``template``, ``claim``: the object that it names. ``found``: that object; ``missing``: why it is not
    known. ``devices``: what it requests, of a claim that is to be written too; ``api``: the version to
    write it in. ``source``: the field that named the object in older versions. ``made_by``: the kind of
    the object in the input for which a controller makes its template.
    """

    name: str
    template: Value | None = field(default=None, compare=False)
    claim: Value | None = field(default=None, compare=False)
    devices: Devices | None = None
    api: str = field(default=CLAIM_VERSIONS[0], compare=False)
    resolved: ClaimObject | None = field(default=None, compare=False)
    missing: Missing | None = field(default=None, compare=False)
    path: Path = field(default=(), compare=False)
    source: Value | None = field(default=None, compare=False)
    made_by: str = field(default="", compare=False)

    @property
    def reference(self) -> Value | None:
        """The name of its object, as the pod has it."""
        return self.template or self.claim


@record
class ClaimUse:
    """One of ``resources.claims`` of a container. ``request``: the only one that it gets, None for all."""

    name: str
    request: str | None = None
    path: Path = field(default=(), compare=False)


# Where the keys of a pod are: each with its value and its place.
class Level(StrEnum):
    """Whose key it is: the pod's, the workload's, or no object's, since it is outside metadata."""

    POD = "pod"
    OWNER = "workload"
    STRAY = "stray"


class KeyOccurrence(NamedTuple):
    """One key of a pod. ``field``: the name of its mapping (limits, labels, ...).

    ``mapping``: the keys and values of that mapping; None if the key is written as a value.
    """

    name: str
    value: Value
    place: Place
    field: str
    level: Level = Level.POD
    mapping: Mapping[str, Value] | None = None

    @property
    def on_key(self) -> bool:
        """The name is a key of a mapping; in an affinity or an environment it is a value."""
        return self.mapping is not None

    @property
    def path(self) -> Path:
        """Where the key itself is written."""
        if self.on_key:
            return self.value.path
        return (*self.value.path, "name" if self.place is Place.ENV else "key")

    @property
    def written(self) -> str:
        """The key as the text has it: a resource may be read under another name."""
        return str(self.value.path[-1]) if self.on_key else self.name

    @property
    def removal(self) -> Edit:
        """Remove the key and its value."""
        return Remove(self.value.path)

    def renamed(self, name: str) -> Edit | None:
        """The edit that renames the key; None if the mapping already has the new name."""
        if self.mapping is None:
            return Put(self.path, name)
        if name in self.mapping or self.value.kind is ScalarKind.NODE:
            return None
        return Rename(self.path, name, self.value.plain if self.field in RESOURCE_FIELDS else self.value.text)


RESOURCE_FIELDS = ("limits", "requests")
SCHEDULER_NAME, NODE_NAME = "schedulerName", "nodeName"
DEFAULT_SCHEDULER = "default-scheduler"
"""The scheduler that an API server sets in a pod that names none (kubernetes, apis/core/v1/defaults.go)."""


class Group(NamedTuple):
    """Keys of a pod that are in one place. ``mapping``: has them as its keys; None where they are values."""

    place: Place
    field: str
    level: Level
    mapping: Mapping[str, Value] | None
    keys: Iterable[tuple[str, Value]]

    def spot(self, name: str, value: Value) -> KeyOccurrence:
        """The occurrence of a key of the group."""
        return KeyOccurrence(name, value, self.place, self.field, self.level, self.mapping)


@keep_last
def groups(pod: PodKeys) -> Iterator[Group]:
    """All keys of a pod and of its workload, those outside of metadata included: one walk."""
    for container in pod.all_containers():
        if container.limits:
            yield _in(container.limits, Place.RESOURCE, "limits")
        if container.requests:
            yield _in(container.requests, Place.RESOURCE, "requests")
        if container.env:
            yield Group(Place.ENV, "env", Level.POD, None, container.env.items())
    if pod.labels:
        yield _in(pod.labels, Place.LABEL, "labels")
    if pod.annotations:
        yield _in(pod.annotations, Place.ANNOTATION, "annotations")
    if pod.node_selector:
        yield _in(pod.node_selector, Place.NODE_SELECTOR, "nodeSelector")
    if pod.affinity or pod.preferred:
        required = [
            (requirement.key, _of(requirement)) for requirement in (*pod.requirements(), *pod.preferences())
        ]
        yield Group(Place.NODE_SELECTOR, "nodeAffinity", Level.POD, None, required)
    for values, place, name, level in (
        (pod.owner_labels, Place.LABEL, "labels", Level.OWNER),
        (pod.owner_annotations, Place.ANNOTATION, "annotations", Level.OWNER),
        (pod.stray_labels, Place.LABEL, "labels", Level.STRAY),
        (pod.stray_annotations, Place.ANNOTATION, "annotations", Level.STRAY),
    ):
        if values:
            yield _in(values, place, name, level)


def _in(values: Mapping[str, Value], place: Place, field: str, level: Level = Level.POD) -> Group:
    return Group(place, field, level, values, values.items())


def _of(requirement: NodeRequirement) -> Value:
    return Value(",".join(requirement.values), ScalarKind.STR, requirement.path)


@keep_last
def key_occurrences(pod: PodKeys) -> Iterator[KeyOccurrence]:
    """Each of these keys by itself."""
    return (group.spot(*key) for group in groups(pod) for key in group.keys)


@keep_last
def _names(pod: PodKeys) -> Iterator[frozenset[str]]:
    names = {name for group in groups(pod) for name, _ in group.keys}
    if pod.scheduler_name is not None:
        names.add(SCHEDULER_NAME)
    if pod.node_name is not None:
        names.add(NODE_NAME)
    yield frozenset(names)


def names_in(pod: PodKeys) -> frozenset[str]:
    """Their names, and those of fields that conditions name like a key."""
    return _names(pod)[0]
