"""What a rule demands in a cluster that has a profile: numbers of its cards, its versions and modes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuxlate.model.profile import Profile, card_of
from gpuxlate.rules.predicates.conditions import Parameter

if TYPE_CHECKING:
    from gpuxlate.rules.predicates.names import Aliases
    from gpuxlate.rules.predicates.predicate import Predicate

CARDS = "it compares with the cards of a profile (--profile) or of the nodes"
"""``why`` of rules with numbers that a policy reads from its parameters."""
MODES = "a profile (--profile) or the nodes tell the versions and modes of the cluster"
"""``why`` of rules that are in the policies of some clusters, and not of others."""
PER_NODE, MEMORY_MIB = "cardsPerNode", "cardMemoryMiB"
"""The names of the parameters of a policy."""


class WithProfile(NamedTuple):
    """What a rule demands in a cluster that has a profile.

    ``predicates``: of a profile, of whatever target; ``why`` it needs one; ``check``: the words of a breach,
    where they are not the rule's own.
    """

    predicates: Callable[[Profile], tuple[Predicate, ...]]
    why: str
    check: Callable[..., Any] | None = None

    def known_as(self, aliases: Aliases) -> WithProfile:
        """With predicates that know the other names of resources, by their own."""
        return self._replace(
            predicates=lambda profile: tuple(one.known_as(aliases) for one in self.predicates(profile))
        )


def cards_per_node(profile: Profile, names: Collection[str]) -> Parameter | None:
    """The cards of a node, in the profile of a target with one of the names; None where it does not say."""
    found = card_of(profile, names).per_node
    return None if found is None else Parameter(PER_NODE, found)


def card_memory(profile: Profile, names: Collection[str], unit_mib: int = 1) -> Parameter | None:
    """The memory of one card in units of so many MiB, likewise."""
    found = card_of(profile, names).memory_mib
    return None if found is None else Parameter(MEMORY_MIB, found, unit_mib)
