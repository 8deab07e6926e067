"""A cluster profile: facts that are in no manifest. Standard library only; units are never guessed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple, Self, get_type_hints

from gpuxlate.model.catalogue import Card
from gpuxlate.model.parts import Replica


class CardProfile(NamedTuple):
    """The cards of the nodes: model, how many a node has, MiB of one card."""

    model: str | None = None
    per_node: int | None = None
    memory_mib: int | None = None


class Setting(NamedTuple):
    """A field of an Extension: its name in documents, and what editors show."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Extension:
    """A vendor's part of a profile.

    A subclass is a frozen data class of its backend. Every field has a default and is ``Annotated`` with a
    Setting: a whole number, which is at least 1, a boolean, a Literal of texts, either such a text or such a
    number, the name of a resource, or a part of the part, which is an Extension without a key. The
    docstring describes the part.
    """

    key: ClassVar[str] = ""
    """The field of the profile that holds the part."""

    @classmethod
    def of(cls, profile: Profile | None) -> Self:
        """The part of a profile; the documented defaults where the profile has none."""
        return next((one for one in profile.extensions if isinstance(one, cls)), cls()) if profile else cls()

    @classmethod
    def from_document(cls, data: Mapping[str, Any]) -> Self:
        """The part from its fields in a document, which were checked."""
        settings = cls.settings().items()
        given = {attribute: (kind, data[one.name]) for attribute, (kind, one) in settings if one.name in data}
        return cls(
            **{
                attribute: kind.from_document(value) if isinstance(value, Mapping) else value
                for attribute, (kind, value) in given.items()
            }
        )

    @classmethod
    def settings(cls) -> dict[str, tuple[Any, Setting]]:
        """By field, its type and what it is in documents."""
        hints = get_type_hints(cls, include_extras=True)
        return {
            one.name: (hints[one.name].__origin__, hints[one.name].__metadata__[0]) for one in fields(cls)
        }

    def changes_unit(self, unit: str) -> bool:  # noqa: ARG002
        """The cluster counts in a unit of its own what data sheets give in this one (``MiB``, ``GiB``)."""
        return False

    @property
    def renamed(self) -> Mapping[str, str]:
        """Resources that have other names in the cluster: these, to the names in the data sheet."""
        return {}

    @property
    def by_key(self) -> Mapping[str, str]:
        """The names that resources of the data sheet have in the cluster, by those in the data sheet."""
        return {}

    @property
    def replica(self) -> Replica | None:
        """What one client of a card is in the cluster; None where the part does not say."""
        return None

    @property
    def usual(self) -> bool:
        """The vendor sets up nodes so unless the user chooses otherwise."""
        return True


@dataclass(frozen=True, slots=True)
class Profile:
    """One cluster. ``components`` maps a component's name to its version.

    ``extensions``: what vendors add, at most one of each. ``memory_unit_mib``: MiB of one unit of a memory
    key that counts MiB, where the cluster is set to count in larger steps. ``catalogue``: cards that the
    catalogue of the package does not have, or of which the profile says more.
    """

    target: str
    kubernetes_version: str | None = None
    node_image: str | None = None
    policy: str | None = None
    cards: CardProfile = field(default_factory=CardProfile)
    components: Mapping[str, str] = field(default_factory=dict)
    extensions: tuple[Extension, ...] = ()
    memory_unit_mib: int = 1
    catalogue: tuple[Card, ...] = ()

    def changes_unit(self, unit: str) -> bool:
        """The cluster counts in a unit of its own what data sheets give in this one."""
        own_step = unit == "MiB" and self.memory_unit_mib != 1
        return own_step or any(one.changes_unit(unit) for one in self.extensions)


def renamed_by(profile: Profile | None) -> Mapping[str, str]:
    """Resources that have other names in a cluster: these, to the names in data sheets."""
    if profile is None:
        return {}
    return {name: known for one in profile.extensions for name, known in one.renamed.items()}


def replicas_of(profile: Profile | None) -> Replica | None:
    """What one client of a card is in a cluster; None where no part of the profile says it."""
    found = (one.replica for one in profile.extensions) if profile else iter(())
    return next((one for one in found if one is not None), None)


def memory_unit_of(profile: Profile | None, names: Collection[str]) -> int:
    """MiB of one unit at a target with one of the names; 1 where the profile is for another target."""
    return profile.memory_unit_mib if profile and profile.target in names else 1


def card_of(profile: Profile | None, names: Collection[str]) -> CardProfile:
    """The cards of a target's profile; an empty one where the profile is for another target."""
    return profile.cards if profile and profile.target in names else CardProfile()
