"""What a backend is: a data sheet of keys, and two pure functions, read and write.

Reading takes keys from a ``Taking``; writing takes fields from a ``Placing``. Every key and field that
is not taken is reported, so that none is lost silently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuxlate.backends.limits import UNBOUND, Limits
from gpuxlate.backends.placing import Placing
from gpuxlate.backends.pod_placing import PodPlacing
from gpuxlate.backends.results import ContainerShare, Reading, Selector
from gpuxlate.backends.taking import Taking
from gpuxlate.model.amounts import Part
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.pod import Path, PodKeys, Value
from gpuxlate.model.profile import Extension, Profile
from gpuxlate.model.share import Share
from gpuxlate.model.sheet import (
    ANY,
    BYTE,
    GIB,
    SELECTOR,
    Absent,
    Confidence,
    Key,
    Per,
    Place,
    Range,
    key,
    other_names,
)
from gpuxlate.rules.base import Context, Rule, in_order, rules_of
from gpuxlate.rules.index import Rules, check_pod
from gpuxlate.rules.products import Product
from gpuxlate.rules.vocabulary import IGNORE

if TYPE_CHECKING:
    from gpuxlate.backends.billing import Billing
    from gpuxlate.backends.form import Form
    from gpuxlate.backends.live import Live
    from gpuxlate.backends.requirements import NodeNeeds, Requirement
    from gpuxlate.backends.sheet.sheet import Sheet

__all__ = [
    "ANY",
    "BYTE",
    "GIB",
    "SELECTOR",
    "Absent",
    "Backend",
    "Cloud",
    "Confidence",
    "ContainerShare",
    "InContainer",
    "Key",
    "Limits",
    "Per",
    "Place",
    "Placing",
    "PodPlacing",
    "Range",
    "Reading",
    "Selector",
    "Taking",
    "key",
]


MEMORY = 10_000
"""Most keys that a backend remembers having looked up."""


class Cloud(NamedTuple):
    """How a cloud calls its machines.

    ``domains``: of the labels and taints of its nodes. ``machine_type``: its names in INSTANCE_TYPES.
    ``provider``: the value of VIRTUAL_NODES on its virtual nodes, where they have that taint.
    """

    domains: tuple[str, ...]
    machine_type: re.Pattern[str]
    provider: str | None = None

    def chooses(self, label: str, values: Collection[str]) -> bool:
        """A label or taint of nodes, with values that are wanted of it, is about machines of this cloud."""
        if label in INSTANCE_TYPES:
            return any(map(self.machine_type.fullmatch, values))
        if label == VIRTUAL_NODES:
            return self.provider in values
        domain = "." + label.partition("/")[0] if "/" in label else ""
        return domain.endswith(tuple(f".{one}" for one in self.domains))


INSTANCE_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
"""Labels of nodes whose values are the clouds' names of machines."""
VIRTUAL_NODES = "virtual-kubelet.io/provider"
"""The taint of nodes without a machine: DefaultTaintKey of virtual-kubelet/virtual-kubelet."""


class InContainer(NamedTuple):
    """What nvidia-smi shows in a container with a cap on memory.

    ``figure_mib``: MiB on each card, where the vendor's arithmetic is known. ``not_isolated``: the mode or
    plugin, where it leaves the memory of the whole card visible.
    """

    figure_mib: int | None = None
    not_isolated: str | None = None


Read = Callable[[Taking, Profile | None], Reading]
Offers = Callable[[Share, int, int, Profile | None], Mapping[str, int]]
"""By resource, its amount on a node for a share, of so many cards of so many MiB each."""
Write = Callable[[PodPlacing, Profile | None], PodKeys]


@dataclass(frozen=True)
class Backend:
    """One target: its data sheet, its two functions, and the module of its rules.

    ``gpu_prefixes``: under these every key must be a known one (GX003).
    ``whole_card_key``: the common key that this target writes whole cards with, if it does.
    ``in_container``: what a container sees of a share: MiB on each card as the target rounds them, MiB of a
    physical card and the profile, as far as they are known. None where it sees what it asked for.
    ``says``: for each field of the share, by JSON name, how this target says it (``targets``).
    """

    name: str
    title: str
    keys: tuple[Key, ...]
    gpu_prefixes: tuple[str, ...]
    read: Read
    write: Write
    says: Mapping[str, str]
    rules_module: str | None = None
    rule_rows: Callable[[], Iterable[Rule]] = tuple  # those that follow from its rows
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # its own, by field: to the value
    look_alikes: tuple[Product, ...] = ()  # whose keys are easily taken for its own (GX006)
    whole_card_key: str | None = None
    schedulers: tuple[str, ...] = ()  # its keys have effect with these and the default one; they go with them
    also_speaks: Callable[[PodKeys], bool] | None = None  # whatever keys stand in resources
    quotes_numbers: bool = False  # the vendor writes its numbers as strings
    wrong_names: frozenset[str] = frozenset()  # misspelt keys that a rule of the vendor reports
    needs_module: str | None = None  # what nodes need; None where the target has no nodes of the user's
    form_module: str | None = None  # module, or module:NAME, of its Form; None where it writes pods
    billing_module: str | None = None  # module, or module:NAME, of its Billing
    extension: type[Extension] | None = None  # its own part of a profile
    in_container: Callable[[Share, int, int | None, Profile | None], InContainer] | None = None
    model_label: str | None = None  # the label of nodes that has the card model
    reads_only: bool = False  # a source of migrations, never a target
    nodes_module: str | None = None  # module, or module:NAME, of its LIVE; None where the user has no nodes
    live_rows: Callable[[], Live | None] = lambda: None  # in place of it: what follows from its sheet
    vendor: str | None = None  # who makes its cards, as in a share's device; None where it is any
    cloud: Cloud | None = None  # whose machines it runs on; None where it runs on any
    sheet: Sheet | None = None  # whose rows it is made of; None where all of it is written by hand
    units: Callable[[Key, Profile | None], Fraction] | None = None  # where a cluster may have other units
    parts: Callable[[Share, Profile | None], Iterable[Part]] | None = (
        None  # in place of numbers, smallest first
    )
    parts_need: str = ""  # what to say in a profile, without which it writes no parts of cards
    limits: Limits = UNBOUND  # of its cards and nodes
    device_classes: tuple[str, ...] = ()  # of its devices, where pods ask for them in claims
    offers: Offers | None = None  # what is allocatable of its shares on a node

    @cached_property
    def rules(self) -> Rules:
        """The vendor's rules, those of its rows and those of its module, loaded when asked for."""
        of_module = rules_of(import_module(self.rules_module)) if self.rules_module else ()
        aliases = {row.name: row.aliases for row in self.keys if row.aliases}
        known = (one.known_as(aliases) for one in (*self.rule_rows(), *of_module))
        return Rules(in_order(known, self.name))

    @cached_property
    def form(self) -> Form | None:
        """How it reads and writes what is not a pod, loaded on first use; None where it writes pods."""
        found: Form | None = _named(self.form_module, "FORM")
        return found

    @cached_property
    def billing(self) -> Billing | None:
        """How the vendor bills its shares, loaded on first use; None where no formula is known."""
        found: Billing | None = _named(self.billing_module, "BILLING")
        return found

    @cached_property
    def live(self) -> Live | None:
        """Its nodes and records on a live cluster, loaded when asked for."""
        found: Live | None = _named(self.nodes_module, "LIVE") if self.nodes_module else self.live_rows()
        return found

    @cached_property
    def _needs(self) -> Any:
        """The module of the prerequisites, loaded when asked for."""
        return import_module(self.needs_module) if self.needs_module else None

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The prerequisites that the vendor's documents list, for whatever share."""
        found: tuple[Requirement, ...] = self._needs.REQUIREMENTS if self._needs else ()
        return found

    def node_needs(self, share: Share, profile: Profile | None = None) -> NodeNeeds | None:
        """What a share needs of the nodes; None where the target has no nodes of the user's."""
        found: NodeNeeds | None = self._needs.node_needs(share, profile) if self._needs else None
        return found

    @cached_property
    def exact_keys(self) -> Mapping[str, Key]:
        rows = (row for row in self.keys if not row.is_pattern)
        return {name: row for row in rows for name in (row.name, *row.aliases)}

    @cached_property
    def resource_keys(self) -> tuple[str, ...]:
        """The keys that request a share in a container, in the order of the data sheet."""
        return tuple(name for name, row in self.exact_keys.items() if Place.RESOURCE in row.places)

    @cached_property
    def _other_names(self) -> Mapping[str, str]:
        return other_names(self.keys)

    def unit(self, row: Key, profile: Profile | None) -> Fraction:
        """MiB, percent or cards of one unit of a row's number, in the cluster of a profile."""
        return self.units(row, profile) if self.units else Fraction(row.unit)

    def under_own_names(self, pod: PodKeys) -> PodKeys:
        """The pod with the names of the data sheet in place of their aliases, for the vendor's code."""
        return pod.under(self._other_names)

    def check(self, pod: PodKeys, context: Context, *, remarks: bool = True) -> Iterator[Diagnostic]:
        """Run the vendor's rules on a pod; without ``remarks`` those that may refuse it."""
        rules = self.rules if remarks else self.rules.refusing
        return check_pod(rules, self.under_own_names(pod), context)

    def find(self, name: str) -> Key | None:
        """The row of the data sheet for a key."""
        found = self._found
        if name not in found:
            if len(found) > MEMORY:
                found.clear()
            found[name] = self.exact_keys.get(name) or next(
                (row for row in self._patterns if row.matches(name)), None
            )
        return found[name]

    @cached_property
    def _patterns(self) -> tuple[Key, ...]:
        return tuple(row for row in self.keys if row.is_pattern)

    @cached_property
    def domains(self) -> frozenset[str]:
        """What is before the slash of its keys and prefixes; "" where it has names without one."""
        names = (*self.gpu_prefixes, *(name for row in self.keys for name in (row.name, *row.aliases)))
        return frozenset(name.partition("/")[0] if "/" in name else "" for name in names)

    @cached_property
    def _found(self) -> dict[str, Key | None]:
        """What was looked up before: the same keys come again in every pod."""
        return {}

    def owns(self, name: str) -> bool:
        """The key is this vendor's: known, or unknown under one of its GPU prefixes."""
        return name not in (self.whole_card_key, IGNORE) and (
            name.startswith(self.gpu_prefixes) or self.find(name) is not None
        )

    def has_cards_of(self, share: Share) -> bool:
        """Its cards are those that the share names; where its keys name cards, the share has to."""
        models = {row.model for row in self.keys if row.model}
        device = share.device
        if models:
            return device is not None and not models.isdisjoint(device.models)
        return device is None or None in (device.vendor, self.vendor) or device.vendor == self.vendor

    def owns_at(self, name: str, place: Place) -> bool:
        """The key is this vendor's in a place of a pod."""
        row = self.find(name)
        return self.owns(name) and (row is None or not row.is_word or place in row.places)

    def is_gpu_key(self, name: str) -> bool:
        """The key requests a GPU: narrower than ``owns``, which includes keys that choose nodes."""
        return name != IGNORE and (
            name.startswith(self.gpu_prefixes) or (name in self.resource_keys and name != self.whole_card_key)
        )

    def role(self, name: str) -> str | None:
        """The field of the share that a key sets."""
        row = self.find(name)
        return row.says if row else None

    def chooses(self, name: str) -> bool:
        """The key chooses nodes or cards here, by its row."""
        return self.role(name) == SELECTOR

    def speaks_in(self, pod: PodKeys) -> bool:
        """Some container of the pod requests a GPU in this dialect."""
        owned = any(self.owns(name) for container in pod.all_containers() for name in container.resources)
        return owned or self.speaks_without_keys(pod)

    def speaks_without_keys(self, pod: PodKeys) -> bool:
        """The pod asks for a GPU in this dialect, whatever keys are in its resources."""
        return self.also_speaks is not None and self.also_speaks(pod.with_workload())

    def has_words_in(self, pod: PodKeys) -> bool:
        """The pod has words that are keys of this dialect where somebody says that it speaks it."""
        return any((row := self.find(name)) is not None and row.is_word for name, _, _ in self.owned(pod))

    def owned(self, pod: PodKeys) -> Iterator[tuple[str, Place, Path]]:
        """Every key of this vendor in the pod, with its place."""
        for container in pod.all_containers():
            for values, place in (
                (container.limits, Place.RESOURCE),
                (container.requests, Place.RESOURCE),
                (container.env, Place.ENV),
            ):
                yield from self._owned_in(values, place)
        for values in (pod.labels, pod.owner_labels, pod.stray_labels):
            yield from self._owned_in(values, Place.LABEL)
        for values in (pod.annotations, pod.owner_annotations, pod.stray_annotations):
            yield from self._owned_in(values, Place.ANNOTATION)
        yield from self._owned_in(pod.node_selector, Place.NODE_SELECTOR)
        for requirement in (*pod.requirements(), *pod.preferences()):
            if self.owns(requirement.key):
                yield requirement.key, Place.NODE_SELECTOR, requirement.path

    def _owned_in(self, values: Mapping[str, Value], place: Place) -> Iterator[tuple[str, Place, Path]]:
        for name, value in values.items():
            if self.owns_at(name, place):
                yield name, place, value.path


def _named(place: str | None, usual: str) -> Any:
    """What a module holds under a name; None without a place."""
    module, _, name = (place or "").partition(":")
    return getattr(import_module(module), name or usual) if module else None
