"""The needs of a share at its nodes: labels, warnings, prerequisites. Data with their sources.

A prerequisite names one fact of a profile and its bound. ``nodepool`` prints and checks them, and so do
rules that need a profile.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Any, Protocol, Self

from gpuxlate.model import profile
from gpuxlate.model.declarations import Printed, record
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.messages import Message, join_and, msg
from gpuxlate.model.profile import Profile, card_memory_of
from gpuxlate.model.share import Share
from gpuxlate.rules import releases
from gpuxlate.rules.base import citation_of, letters_and_digits


@record
class VendorDocument(Printed):
    """A document of a vendor."""

    title: str
    """Its title."""
    date: str | None = None
    """Its date; null: it has none."""

    @classmethod
    def of(cls, citation: str) -> Self:
        """The document of a citation, such as ``TITLE, PLACE (DATE)``."""
        return cls(*citation_of(citation))

    def __str__(self) -> str:
        return f"{self.title}, {self.date or 'undated'}"


class Setter(StrEnum):
    """Who sets a label of the nodes."""

    YOU = "you"
    POOL = "you, in the node pool"  # before a node joins it, never with kubectl
    OPTIONAL = "you, if wanted"
    CLOUD = "the cloud"


@record
class NodeLabel:
    """A label of the nodes, and who sets it."""

    key: str
    value: str
    note: str
    source: VendorDocument
    setter: Setter = Setter.YOU

    def __str__(self) -> str:
        return f"{self.key}={self.value}"


@record
class NodeWarning(Printed):
    """A warning of the documents."""

    text: str
    """What to know."""
    source: VendorDocument
    """The document that says so."""


# --- bounds -----------------------------------------------------------------------------------


class FactCondition(Protocol):
    """A condition on a fact; its text describes it."""

    def holds(self, text: str) -> bool | None:
        """Whether the fact meets it; None where that is not known."""


@record
class MinVersion:
    """The first release of a component that a key needs (``rules/releases.yaml``), or a later one."""

    component: profile.Component
    key: str

    @property
    def least(self) -> str:
        """The first release that has the key."""
        return releases.versions_of(self.component, self.key)[0]

    def holds(self, text: str) -> bool | None:
        return profile.at_least(text, self.least)

    def __str__(self) -> str:
        return msg("{version} or later", version=self.least)


@record
class AtLeastInMinor:
    """The first release of each minor that a key needs (``rules/releases.yaml``); every minor after the
    last."""

    component: profile.Component
    key: str

    @property
    def firsts(self) -> tuple[str, ...]:
        """The first release of each minor that has the key."""
        return releases.versions_of(self.component, self.key)

    def holds(self, text: str) -> bool | None:
        return profile.at_least_in_minor(text, self.firsts)

    def __str__(self) -> str:
        firsts = ", ".join(self.firsts)
        return msg("at least {versions}, each within its minor, or a later minor", versions=firsts)


@record
class AtLeastNumber:
    """A number or more."""

    least: int
    unit: str = ""

    def holds(self, text: str) -> bool | None:
        return int(text) >= self.least if text.isascii() and text.isdigit() else None

    def __str__(self) -> str:
        return msg("{amount} or more", amount=f"{self.least} {self.unit}".rstrip())


@record
class OneOf:
    """One of some texts; those after the first are other spellings of it."""

    texts: tuple[str, ...]

    def holds(self, text: str) -> bool | None:
        return text in self.texts

    def __str__(self) -> str:
        return self.texts[0]


@record
class NoneOf:
    """Texts that must not occur, in any spelling (``veLinux 2.0`` is ``velinux2.0``)."""

    texts: tuple[str, ...]

    def holds(self, model: str) -> bool | None:
        plain = letters_and_digits(model)
        return not any(letters_and_digits(text) in plain for text in self.texts)

    def __str__(self) -> str:
        return msg("none of {names}", names=", ".join(self.texts))


@record
class CardsOf:
    """Card models by architecture: the documented ones hold, the listed others do not."""

    documented: tuple[tuple[str, tuple[str, ...]], ...]
    others: tuple[str, ...] = ()

    def holds(self, text: str) -> bool | None:
        words = model_words(text)
        if any(words & set(models) for _, models in self.documented):
            return True
        return False if words & set(self.others) else None

    def __str__(self) -> str:
        return join_and(
            msg("{name} (such as {models})", name=name, models=", ".join(models))
            for name, models in self.documented
        )


def model_words(model: str) -> frozenset[str]:
    """The words of a card model: ``Tesla-V100-SXM2-32GB`` has ``V100``."""
    return frozenset(re.split(r"[^A-Z0-9]+", model.upper()))


# --- prerequisites ----------------------------------------------------------------------------


class RequirementState(StrEnum):
    """Whether a profile meets a prerequisite."""

    MET = "met"
    UNMET = "not met"
    UNKNOWN = "not known"


@record
class Requirement:
    """One prerequisite: a fact, its bound, and when it applies.

    ``fact``: its name in a profile (``components.mgpu``); ``when`` is empty where it applies to every
    share. Severity: error where the vendor's document requires it, warning where documents disagree
    or recommend it.
    """

    title: str
    fact: str
    bound: FactCondition
    source: VendorDocument
    when: str = ""
    severity: Severity = Severity.ERROR

    def check(self, profile: Profile | None) -> CheckedRequirement:
        """Check the prerequisite against a profile; without a profile its state is unknown."""
        text = fact_of(profile, self.fact) if profile else None
        held = None if text is None else self.bound.holds(text)
        state = (
            RequirementState.UNKNOWN
            if held is None
            else RequirementState.MET
            if held
            else RequirementState.UNMET
        )
        return CheckedRequirement(self, state, text)


@record
class CheckedRequirement:
    """A prerequisite checked against a profile; ``value``: that of the fact in the profile; None where it is
    not set."""

    requirement: Requirement
    state: RequirementState
    value: str | None

    @property
    def failed(self) -> bool:
        """Whether it is not met, so that the share cannot run."""
        return self.state is RequirementState.UNMET and self.requirement.severity is Severity.ERROR


@record
class CloudPool:
    """The fields of a node pool in the API of a cloud that runs the target's own components.

    ``cloud``: the name of the format; ``holder``: the object that has the fields. ``labels_in``: where the
    labels of the nodes are among them. ``divides``: the cloud divides the cards, so that only labels by which
    pods choose nodes are left to set. ``problem``: why the cloud has no such nodes, and what to do instead.
    """

    cloud: str
    holder: str
    labels_in: tuple[str, ...]
    source: VendorDocument
    fields: Mapping[str, Any] = field(default_factory=dict)
    divides: bool = False
    notes: tuple[NodeWarning, ...] = ()
    problem: tuple[Message, str] | None = None


@record
class NodeNeeds:
    """The needs of one share at its nodes. ``remarks``: notes that require no action; ``documents``: objects
    to apply, as plain data; ``pools``: node pools of clouds."""

    labels: tuple[NodeLabel, ...] = ()
    remarks: tuple[NodeWarning, ...] = ()
    warnings: tuple[NodeWarning, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    documents: tuple[Mapping[str, Any], ...] = ()
    pools: tuple[CloudPool, ...] = ()

    def check(self, profile: Profile | None) -> tuple[CheckedRequirement, ...]:
        """Check each prerequisite against a profile; without a profile all states are unknown."""
        return tuple(requirement.check(profile) for requirement in self.requirements)


def fact_of(profile: Profile, fact: str) -> str | None:
    """A fact of a profile by its name, which the catalogue may complete; None where it is not set."""
    name, _, part = fact.partition(".")
    if name == "components":
        return profile.components.get(part)
    facts: dict[str, object] = {
        "kubernetesVersion": profile.kubernetes_version,
        "nodeImage": profile.node_image,
        "policy": profile.policy,
        "cards.model": profile.cards.model,
        "cards.perNode": profile.cards.per_node,
        "cards.memoryMiB": card_memory_of(profile),
    }
    value = facts[fact]
    return None if value is None else str(value)


def unmet(profile: Profile | None, requirements: Sequence[Requirement]) -> tuple[CheckedRequirement, ...]:
    """The prerequisites that a profile does not meet. Facts that are not known are left out."""
    checked = (requirement.check(profile) for requirement in requirements)
    return tuple(requirement for requirement in checked if requirement.state is RequirementState.UNMET)


def cards_of_a_node(share: Share, source: VendorDocument) -> tuple[Requirement, ...]:
    """The prerequisites on cards and memory of a node: all cards of a container are on one node."""
    requirements: list[Requirement] = []
    if share.cards > 1:
        requirements.append(
            Requirement("cards of a node", "cards.perNode", AtLeastNumber(share.cards), source)
        )
    if share.memory_mib_per_card is not None:
        memory = AtLeastNumber(share.memory_mib_per_card, "MiB")
        requirements.append(Requirement("memory of a card", "cards.memoryMiB", memory, source))
    return tuple(requirements)
