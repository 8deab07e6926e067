"""What one pod requests, in a vendor's keys and values, each value with its path.

``manifest`` fills these; backends read and write them and never see YAML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.model import quantity
from gpuxlate.model.claims import ClaimObject, ClaimUse, DeviceRequest, PodClaim

if TYPE_CHECKING:
    from gpuxlate.model.diagnostics import Span

Path = tuple[str | int, ...]
"""Keys and indices from the root of one document."""


def dotted(path: Path) -> str:
    """A path in one word: ``metadata.name``, ``spec.limits[0].max``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


class Kind(StrEnum):
    """What a YAML scalar resolves to."""

    STR = "str"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    NULL = "null"
    NODE = "node"  # a mapping or a sequence in place of a scalar


@dataclass(frozen=True, slots=True)
class Value:
    """One value: its text without quotes, what it resolves to, and its path.

    Two values are equal when their texts are: ``30`` and ``"30"`` mean the same.
    """

    text: str
    kind: Kind = field(default=Kind.STR, compare=False)
    path: Path = field(default=(), compare=False)

    @classmethod
    def of(cls, value: int | str) -> Value:
        """A value to write: an int is written bare, a str as a string."""
        return cls(str(value), Kind.INT if isinstance(value, int) else Kind.STR)

    @property
    def plain(self) -> int | str | None:
        """The value to write: a number only where every YAML parser reads the same number; None for null."""
        if self.kind is Kind.NULL:
            return None
        return int(self.text) if self.kind is Kind.INT and quantity.is_plain(self.text) else self.text


@dataclass(frozen=True, slots=True)
class NodeRequirement:
    """One match expression of a node affinity."""

    key: str
    operator: str
    values: tuple[str, ...] = ()
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
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
        """With its resources under other names, where the container has one name of each.

        Paths stay: they end in the name that is written.
        """
        there = {*self.limits, *self.requests}
        new = [names.get(name, name) for name in there]
        gone = {old: names[old] for old in there if old in names and new.count(names[old]) == 1}
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
    """The ordinary containers and the init containers, as ``PodKeys`` has them first."""
    made = tuple(containers)
    return tuple(one for one in made if not one.init), tuple(one for one in made if one.init)


@dataclass(frozen=True, slots=True)
class PodKeys:
    """The keys of one pod template, and of the workload that owns it.

    ``affinity`` holds the terms of the required node affinity: one of them must match, and a term
    matches when all of its requirements do. ``stray_labels`` and ``stray_annotations`` are
    directly under the pod, outside ``metadata``, where Kubernetes ignores them. ``node_name``: what the
    manifest chooses, not what a scheduler wrote. ``served``: the object is one that a server has, in its
    form. ``grows``: a controller or webhook adds containers to those of the manifest. ``selected``:
    the labels that selectors of the object match, and where. ``fields``: the fields of ``metadata_path``
    with the labels and annotations, where they have other names.
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
    fields: Mapping[str, str] = field(default_factory=dict, compare=False)
    claims: tuple[PodClaim, ...] = ()

    def claim(self, name: str) -> PodClaim | None:
        """The claim of a name."""
        return next((one for one in self.claims if one.name == name), None)

    def requests_of(self, container: ContainerKeys) -> Iterator[tuple[ClaimUse, PodClaim, DeviceRequest]]:
        """The requests whose devices a container gets, as far as their claims are known."""
        for use in container.claims:
            claim = self.claim(use.name)
            for request in claim.devices.requests if claim and claim.devices else ():
                if claim and use.gets(request):
                    yield use, claim, request

    def device_classes(self) -> frozenset[str]:
        """The classes of the devices that its containers request."""
        return frozenset(
            way.device_class.text
            for container in self.all_containers()
            for _, _, request in self.requests_of(container)
            for way in request.ways()
            if way.device_class
        )

    def metadata_of(self, name: str) -> Path:
        """The mapping with the ``labels`` or the ``annotations`` of the pod."""
        return (*self.metadata_path, self.fields.get(name, name))

    def under(self, names: Mapping[str, str]) -> PodKeys:
        """With resources of its containers under other names; the pod itself where it has none."""
        resources = (values for one in self.all_containers() for values in (one.limits, one.requests))
        if not names or not any(name in values for values in resources for name in names):
            return self
        return replace(
            self,
            containers=tuple(one.under(names) for one in self.containers),
            init_containers=tuple(one.under(names) for one in self.init_containers),
        )

    def with_workload(self) -> PodKeys:
        """As if what stands on the workload or beside ``metadata`` were on the pod (K8S005, K8S006)."""
        above = (self.owner_labels, self.owner_annotations, self.stray_labels, self.stray_annotations)
        if not any(above):
            return self
        return replace(
            self,
            labels={**self.owner_labels, **self.stray_labels, **self.labels},
            annotations={**self.owner_annotations, **self.stray_annotations, **self.annotations},
            owner_labels={},
            owner_annotations={},
            stray_labels={},
            stray_annotations={},
        )

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
        yield from (one for one in self.requirements() if one.key == label)

    def allowed(self, label: str) -> list[tuple[str, Path]]:
        """The values that a label of its nodes may have: nodeSelector decides, else In in every term."""
        chosen = self.node_selector.get(label)
        if chosen is not None:
            return [(chosen.text, chosen.path)]
        required = self.required_by_all_terms(label)
        return [(text, one.path) for one in required if one.operator == "In" for text in one.values]

    def preferences(self) -> Iterator[NodeRequirement]:
        """Every requirement of the preferred node affinity, whatever its term."""
        for term in self.preferred:
            yield from term

    def required_by_all_terms(self, key: str) -> tuple[NodeRequirement, ...]:
        """The requirements on ``key`` where every term has one; empty where a term has none."""
        found = [[r for r in term if r.key == key] for term in self.affinity]
        return tuple(r for term in found for r in term) if found and all(found) else ()


class Outside(NamedTuple):
    """A vendor's key that is outside any pod; ``span``: where a text names it."""

    name: str
    path: Path
    span: Span | None = None


class DocumentKeys(NamedTuple):
    """One document: its pods, and what document rules need to know.

    ``outside`` has the vendors' keys that are outside any pod; ``repeated`` the keys that a mapping
    sets twice (the later one); ``shared`` the GPU values that are in an anchor,
    alias or merge key which something else uses too. ``claims``: its ResourceClaims and templates of them;
    ``several``: the paths of pods with claims of which there is more than one.
    """

    api_version: str | None = None
    kind: str | None = None
    pods: tuple[PodKeys, ...] = ()
    outside: tuple[Outside, ...] = ()
    repeated: tuple[Path, ...] = ()
    shared: tuple[Path, ...] = ()
    claims: tuple[ClaimObject, ...] = ()
    several: frozenset[Path] = frozenset()
