"""The class of a target: the keys of a vendor, and methods to override.

Reading takes keys from a ``PodReader``; writing takes fields from a ``ShareWriter``. Every key and field that
is not taken is reported, so that none is lost silently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from gpuxlate.backends.pod_reader import ContainerShare, PodReader, Reading
from gpuxlate.backends.pod_writer import PodWriter
from gpuxlate.backends.rows import KeysOfVersion, KeyTable
from gpuxlate.backends.scheduling_limits import UNBOUND, UNDOCUMENTED, InitContainers, Limits, Scheduling
from gpuxlate.model.amounts import Part
from gpuxlate.model.diagnostics import Diagnostic, Path
from gpuxlate.model.keys import SELECTOR, Place, domain_of
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, keep_last, names_in
from gpuxlate.model.profile import Profile, ReleaseChange
from gpuxlate.model.share import Share
from gpuxlate.rules.base import Context, declared_in, rules_of, sort_rules
from gpuxlate.rules.catalog import Rules, check_pod
from gpuxlate.rules.key_index import IGNORE
from gpuxlate.rules.predicates import Predicate
from gpuxlate.rules.unsupported_products import Product

if TYPE_CHECKING:
    from gpuxlate.backends.cluster_nodes import LiveNode, LivePod, MergeNodeValues, NodeView, Placement
    from gpuxlate.backends.requirements import NodeNeeds, Requirement


class Cloud(NamedTuple):
    """The names of a cloud on its nodes. ``title``: the cloud, with its Kubernetes service.

    ``domains``: those of the labels and taints of its nodes. ``machine_type``: matches its machine types, as
    in INSTANCE_TYPES. ``provider``: the value of VIRTUAL_NODES on its virtual nodes, where they have that
    taint.
    """

    title: str
    domains: tuple[str, ...]
    machine_type: re.Pattern[str]
    provider: str | None = None

    def chooses(self, label: str, values: Collection[str]) -> bool:
        """Whether a choice of nodes, by a label or taint and its values, is for machines of this cloud."""
        if label in INSTANCE_TYPES:
            return any(map(self.machine_type.fullmatch, values))
        if label == VIRTUAL_NODES:
            return self.provider in values
        domain = "." + label.partition("/")[0] if "/" in label else ""
        return domain.endswith(tuple(f".{parent}" for parent in self.domains))


INSTANCE_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
"""Labels of nodes whose values are machine types of clouds."""
VIRTUAL_NODES = "virtual-kubelet.io/provider"
"""The taint of nodes without a machine: DefaultTaintKey of virtual-kubelet/virtual-kubelet."""


USUAL_VENDOR = "nvidia"
"""The vendor of the cards of a share that does not name one."""


class VisibleMemory(NamedTuple):
    """The memory that nvidia-smi shows in a container with a cap on memory.

    ``figure_mib``: MiB on each card, where the vendor's arithmetic is known. ``not_isolated``: the mode or
    plugin, where it leaves the memory of the whole card visible.
    """

    figure_mib: int | None = None
    not_isolated: str | None = None


class Backend(KeyTable):
    """One target: subclass it, and override what differs.

    Where a class with ``keys`` does not set them, its ``name`` is that of its module with dashes,
    ``rule_prefix`` its first alias in capitals (its name, where it has no alias), ``source`` of its rows the
    only one of its ``documents``, and ``gpu_prefixes`` are the names of its resources.

    A plain target has ``keys`` and facts about them (``rows.KeyTable``), and is read, written and checked by
    its rows; its other rules are the functions of its own module. Modules that it names are loaded when they
    are needed.
    """

    rule_module: str = ""
    """A module whose functions are rules of it too."""
    row_rule_module: str = ""
    """A module with ``RULE_TYPES``: kinds of row rules that it has beside the usual ones, or in place of
    them.
    """
    node_module: str = ""
    """A module whose functions say what its nodes show and need."""
    gpu_prefixes: tuple[str, ...] = ()
    """Prefixes of names; a key with one of them that is not in ``keys`` is unknown (GX003)."""
    similar_products: tuple[Product, ...] = ()
    """Products whose keys are easily mistaken for keys of the target (GX006)."""
    known_typos: frozenset[str] = frozenset()
    """Misspelt keys that a rule of the vendor reports."""
    quotes_numbers: bool = False
    """The vendor writes its numbers as strings."""
    read_only: bool = False
    """A source of migrations, never a target."""
    cloud: Cloud | None = None
    """The cloud whose machines it runs on; None where it runs on any."""
    limits: Limits = UNBOUND
    """The limits of the shares that one card and one node run at once."""
    scheduling: Scheduling = UNDOCUMENTED
    """How its scheduler fills cards and nodes."""
    device_classes: tuple[str, ...] = ()
    """The classes of its devices, where pods request them by claims."""
    companions: tuple[str, ...] = ()
    """Resources of other vendors that are one share with its own keys in a container, which that vendor's
    device plugin needs."""
    model_label: str | None = None
    """The label of nodes that has the card model."""
    parts_need: str = ""
    """The hint that names what a profile must have so that the target can write parts of cards."""
    detected_by: Predicate | None = None
    """A pod that meets this condition is of the target, whatever keys are in its resources."""
    fact_commands: Mapping[str, str] = MappingProxyType({})
    """By fact of a profile, the command that shows it where nodes do not."""
    whole_cards_anywhere: bool = False
    """Any node that counts cards by its key serves its whole cards."""
    sets_visible_devices: bool = False
    """Its device plugin gives a container its cards by NVIDIA_VISIBLE_DEVICES."""
    writes_pods: ClassVar[bool] = True
    """False for targets of job parameters and forms."""

    def __init_subclass__(cls, **settings: Any) -> None:
        """Fill in what follows from the module and from the rows."""
        super().__init_subclass__(**settings)
        if not cls.keys:
            return
        cls.name = cls.name or cls.__module__.rpartition(".")[2].replace("_", "-")
        short_name, *_ = *cls.aliases, cls.name
        cls.rule_prefix = cls.rule_prefix or short_name.replace("-", "").upper()
        if len(cls.documents) == 1:
            [source] = cls.documents
            cls.keys = tuple(row if row.source else row._replace(source=source) for row in cls.keys)
        if not any("gpu_prefixes" in vars(base) for base in cls.__mro__ if base is not Backend):
            cls.gpu_prefixes = tuple(row.name for row in cls.keys if Place.RESOURCE in row.places)

    # --- to override -----------------------------------------------------------------------------

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Read keys as shares. Rules report what is wrong with a manifest."""
        table = self.in_cluster(profile) if profile is not None and profile.components else self
        from gpuxlate.backends.row_reader import read_rows

        return read_rows(table, pod, profile)

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as keys; a field that is not taken is reported as lost."""
        table = self.in_cluster(profile) if profile is not None and profile.components else self
        from gpuxlate.backends.row_writer import write_rows

        return write_rows(table, pod, profile)

    def detect(self, pod: PodKeys) -> bool:
        """Whether a pod is of this target, where ``detected_by`` cannot express it. No admission policy has
        this test."""
        return False

    @cached_property
    def detector(self) -> Callable[[PodKeys], bool] | None:
        """The test that finds its pods without its keys in resources; None where it needs no such test."""
        method = self.detect if self.overrides("detect") else None
        return self.detected_by or method

    def visible_memory(
        self, share: Share, given_mib: int, card_mib: int | None, profile: Profile | None
    ) -> VisibleMemory | None:
        """What nvidia-smi shows in a container; None where it shows the requested memory.

        ``given_mib``: MiB on each card as the target rounds them; ``card_mib``: of a physical card, if known.
        """
        return None

    def parts(self, share: Share, profile: Profile | None) -> Iterable[Part] | None:
        """The parts of cards that hold a share, smallest first; None where the target counts by numbers."""
        return None

    def allocatable(
        self, share: Share, cards: int, memory_mib: int, profile: Profile | None
    ) -> Mapping[str, int] | None:
        """The amounts by resource that a node with ``cards`` cards of ``memory_mib`` MiB each has for a
        share; None where no document says so."""
        return None

    # --- its nodes: the functions of ``node_module``, else what follows from its rows ------------------

    def node_requirements(self, share: Share, profile: Profile | None = None) -> NodeNeeds | None:
        """The labels, prerequisites and warnings of nodes for a share; None where users have no nodes
        there."""
        function = self._of_nodes("node_requirements")
        needs: NodeNeeds | None = function(self, share, profile) if function else None
        return needs

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The prerequisites that the vendor's documents list for any share."""
        return getattr(self._nodes, "REQUIREMENTS", ())

    @cached_property
    def has_nodes(self) -> bool:
        """Whether nodes of a live cluster show its cards."""
        from gpuxlate.backends.row_nodes import whole_keys

        return self._of_nodes("node_view") is not None or bool(whole_keys(self))

    def node_view(self, node: LiveNode) -> NodeView | None:
        """A node of a live cluster as the vendor reads it; None for any other."""
        from gpuxlate.backends import row_nodes

        view: NodeView | None = (self._of_nodes("node_view") or row_nodes.node_view)(self, node)
        return view

    def placements(self, pod: LivePod, node: NodeView) -> tuple[Placement, ...]:
        """The cards that the vendor's scheduler recorded on a pod of a node."""
        function = self._of_nodes("placements")
        result: tuple[Placement, ...] = function(self, pod, node) if function else ()
        return result

    def keeps_out(self, node: NodeView, containers: Sequence[ContainerShare]) -> str | None:
        """Why a node does not take a pod, None where it does; affinity is checked for every target."""
        function = self._of_nodes("keeps_out")
        reason: str | None = function(self, node, containers) if function else None
        return reason

    def extension_data(
        self, views: Sequence[NodeView], common: MergeNodeValues, notes: list[str]
    ) -> dict[str, Any]:
        """Its part of the profile of live nodes, as fields of a document. ``notes`` gets the reasons for
        fields that are left out."""
        function = self._of_nodes("extension_data")
        data: dict[str, Any] = function(self, views, common, notes) if function else {}
        return data

    @cached_property
    def _nodes(self) -> ModuleType | None:
        return import_module(self.node_module) if self.node_module else None

    def _of_nodes(self, name: str) -> Callable[..., Any] | None:
        """A function of ``node_module``, if it has one of the name."""
        return getattr(self._nodes, name, None)

    # --- its class --------------------------------------------------------------------------------

    def overrides(self, name: str) -> bool:
        """Whether its class overrides a method of ``Backend``."""
        return getattr(type(self), name) is not getattr(Backend, name)

    def with_changes(self, **attributes: Any) -> Self:
        """A target like this one, but for some attributes and methods (functions without ``self``); in its
        module unless ``attributes`` name another.
        """
        cls = type(self)
        body = {
            name: staticmethod(attribute) if callable(attribute) else attribute
            for name, attribute in attributes.items()
        }
        changed: type[Self] = type(cls.__name__, (cls,), {"__module__": cls.__module__, **body})
        return changed()

    # --- its versions -----------------------------------------------------------------------------

    def in_cluster(self, profile: Profile) -> Self:
        """This target with the keys that the versions in a profile have."""
        names = {component.name for component in self.components}
        versions = {name: text for name, text in profile.components.items() if name in names}
        named = tuple(sorted(versions.items()))
        cluster = (named, profile.releases)
        if not versions or self.versions or cluster in self._in_clusters:
            return self._in_clusters.get(cluster, self)
        keys, absent, lacks = KeysOfVersion.of(self, versions, profile.releases)
        changed = self.with_changes(keys=keys, absent=absent, lacks=lacks, versions=versions)
        self._in_clusters[cluster] = changed
        return changed

    @cached_property
    def _in_clusters(self) -> dict[tuple[tuple[tuple[str, str], ...], tuple[ReleaseChange, ...]], Self]:
        """Cache of ``in_cluster``, by the versions and release changes of profiles."""
        return {}

    # --- its rules and keys ----------------------------------------------------------------------

    @cached_property
    def words(self) -> Mapping[str, Mapping[str, str]]:
        """The values that its words for policy and qos stand for, by field and word."""
        return {str(row.sets): row.words for row in self.enum_keys if row.sets in ("policy", "qos")}

    @cached_property
    def rules(self) -> Rules:
        """The vendor's rules: those of its rows, and those of its modules, which are loaded on first use."""
        row_rules = import_module("gpuxlate.backends.row_rules")
        own_types = import_module(self.row_rule_module).RULE_TYPES if self.row_rule_module else ()
        module = import_module(type(self).__module__)
        declared = (
            *declared_in(module),
            *(rules_of(import_module(self.rule_module)) if self.rule_module else ()),
        )
        aliases = {row.name: row.aliases for row in self.keys if row.aliases}
        known_rules = (
            rule.with_aliases(aliases) for rule in (*row_rules.rules_of_rows(self, own_types), *declared)
        )
        return Rules(sort_rules(known_rules, self.name))

    @property
    def init_reserved(self) -> InitContainers:
        """What its scheduler reserves for init containers: nothing where they have no share."""
        return self.limits.init if self.init_containers else InitContainers.IGNORED

    @cached_property
    def resource_keys(self) -> tuple[str, ...]:
        """The keys that request a share in a container, in the order of the data sheet."""
        return tuple(name for name, row in self.exact_keys.items() if Place.RESOURCE in row.places)

    def under_own_names(self, pod: PodKeys) -> PodKeys:
        """The pod with the names of the data sheet in place of their aliases, for the vendor's code."""
        return pod.under(self.other_names)

    def check(self, pod: PodKeys, context: Context, *, remarks: bool = True) -> Iterator[Diagnostic]:
        """Run the vendor's rules on a pod; without ``remarks`` those that may refuse it."""
        profile = context.profile
        in_cluster = self.in_cluster(profile) if profile is not None and profile.components else self
        rules = in_cluster.rules if remarks else in_cluster.rules.without_remarks
        return check_pod(rules, in_cluster.under_own_names(pod), context)

    @cached_property
    def domains(self) -> frozenset[str]:
        """The domains of its keys and prefixes (the part before the slash); "" where a name has none."""
        names = (*self.gpu_prefixes, *(name for row in self.keys for name in (row.name, *row.aliases)))
        return frozenset(map(domain_of, names))

    def owns(self, name: str) -> bool:
        """Whether the key is this vendor's: known, or unknown with one of its GPU prefixes."""
        return name not in (self.whole_card_key, IGNORE) and (
            name.startswith(self.gpu_prefixes) or self.find(name) is not None
        )

    def has_cards_of(self, share: Share) -> bool:
        """Whether its cards are those that the share names. Where its keys name cards, the share has to name
        one."""
        models = {rows.model for rows in self.keys_by_model}
        device = share.device
        if device is not None and not models.isdisjoint(device.models):
            return True
        if models and "" not in models:
            return False
        return device is None or None in (device.vendor, self.vendor) or device.vendor == self.vendor

    def names_other_vendor(self, source: Backend) -> bool:
        """Whether its keys name another vendor than that of the cards of ``source``."""
        return self.names_vendor and source.vendor not in (None, self.vendor)

    def needs_maker_of(self, source: Backend) -> bool:
        """Whether a share that is read in ``source`` has to name the vendor of its cards here: the keys of
        this target name another vendor, or its cards are of any vendor, which means NVIDIA's by default."""
        anybodys = self.vendor is None and source.vendor not in (None, USUAL_VENDOR)
        return anybodys or self.names_other_vendor(source)

    @cached_property
    def has_parts(self) -> bool:
        """Whether its shares may be parts of a card; else they are whole cards only."""
        numbers = {"cores", "memoryMiB", "memoryPercent", "partition", "replica"}
        return self.overrides("parts") or not numbers.isdisjoint(self.field_docs)

    def owns_at(self, name: str, place: Place) -> bool:
        """Whether the key is this vendor's in a place of a pod."""
        if not self.owns(name):
            return False
        row = self.find(name)
        return row is None or not row.is_word or place in row.places

    def is_gpu_key(self, name: str) -> bool:
        """Whether the key requests a GPU: narrower than ``owns``, which includes keys that choose nodes."""
        return name != IGNORE and (
            name.startswith(self.gpu_prefixes) or (name in self.resource_keys and name != self.whole_card_key)
        )

    def role(self, name: str) -> str | None:
        """The field of the share that a key sets."""
        row = self.find(name)
        return row.sets if row else None

    def chooses(self, name: str) -> bool:
        """Whether the key chooses nodes or cards, by its row."""
        return self.role(name) == SELECTOR

    def requests_with(self, name: str) -> bool:
        """Whether the key requests a GPU in the resources of a container: keys that only a scheduler writes
        do not."""
        row = self.find(name)
        mark = row is not None and Place.WRITTEN_BY_SCHEDULER in row.places
        return not mark and self.owns_at(name, Place.RESOURCE)

    def is_used_by(self, pod: PodKeys) -> bool:
        """Whether some container of the pod requests a GPU in this dialect."""
        return any(
            self.is_asked_by(pod, container) for container in pod.all_containers()
        ) or self.is_detected(pod)

    def is_asked_by(self, pod: PodKeys, container: ContainerKeys) -> bool:
        """Whether a container of the pod requests a GPU in this dialect, with valid keys or not."""
        return any(map(self.requests_with, container.resources))

    def is_detected(self, pod: PodKeys) -> bool:
        """Whether the pod requests a GPU in this dialect, whatever keys are in its resources."""
        return self.detector is not None and self.detector(pod.with_workload())

    def has_generic_keys(self, pod: PodKeys) -> bool:
        """Whether the pod has general names that are keys of this dialect, and something marks them as
        such."""
        return any((row := self.find(name)) is not None and row.is_word for name, _, _ in self.owned(pod))

    def owned_names(self, pod: PodKeys) -> frozenset[str]:
        """The names in the pod that are keys of this vendor, in some place."""
        return _owned_names(pod, self)[0]

    def owned(self, pod: PodKeys) -> Iterator[tuple[str, Place, Path]]:
        """Every key of this vendor in the pod, with its place."""
        own_names = self.owned_names(pod)
        if not own_names:
            return
        for container in pod.all_containers():
            for values, place in (
                (container.limits, Place.RESOURCE),
                (container.requests, Place.RESOURCE),
                (container.env, Place.ENV),
            ):
                yield from self._owned_in(values, place, own_names)
        for values in (pod.labels, pod.owner_labels, pod.stray_labels):
            yield from self._owned_in(values, Place.LABEL, own_names)
        for values in (pod.annotations, pod.owner_annotations, pod.stray_annotations):
            yield from self._owned_in(values, Place.ANNOTATION, own_names)
        yield from self._owned_in(pod.node_selector, Place.NODE_SELECTOR, own_names)
        for requirement in (*pod.requirements(), *pod.preferences()):
            if requirement.key in own_names:
                yield requirement.key, Place.NODE_SELECTOR, requirement.path

    def _owned_in(
        self, values: Mapping[str, Value], place: Place, owned: Set[str]
    ) -> Iterator[tuple[str, Place, Path]]:
        for name, value in values.items():
            if name in owned and self.owns_at(name, place):
                yield name, place, value.path


@keep_last
def _owned_names(pod: PodKeys, backend: Backend) -> Iterator[frozenset[str]]:
    yield frozenset(name for name in names_in(pod) if backend.owns(name))
