"""When a pod speaks a dialect, in CEL: the condition on which a policy looks at it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gpuxlate.backends.base import Backend, Place
from gpuxlate.policy.names import Names, listed
from gpuxlate.rules.predicates.cel import VARIABLES, said
from gpuxlate.rules.predicates.conditions import (
    All,
    Amount,
    Any,
    Asks,
    Condition,
    Part,
    SomeContainer,
)
from gpuxlate.rules.vocabulary import IGNORE

STANDARD = ("cpu", "memory", "ephemeral-storage")
"""Resources that most pods have, and no dialect: they are looked at first."""


class SilentError(ValueError):
    """A dialect that no policy can recognize: a function says in which pods it is spoken."""


class Speaker(NamedTuple):
    """A dialect. ``others``: names that resources have in the cluster."""

    backend: Backend
    others: tuple[str, ...] = ()

    @property
    def also(self) -> Condition | None:
        """In which pods it is spoken too, whatever their resources. Raises SilentError."""
        found = self.backend.detector
        if found is None or isinstance(found, Condition):
            return found
        raise SilentError(self.backend.name)

    @property
    def variable(self) -> str:
        """The variable that is true of a pod that speaks it."""
        return f"speaks_{self.backend.name.replace('-', '_')}"


def speaks(one: Speaker) -> str:
    """An expression over the variables of a pod: it asks for a GPU in the dialect, as lint sees it.

    Raises SilentError.
    """
    asks = some_resource(owned(one.backend, one.others))
    return asks if one.also is None else f"{asks} || {said(one.also)}"


def may_speak(speakers: Sequence[Speaker]) -> tuple[str, bool]:
    """A cheap expression that is true of every pod that speaks one of some dialects, and whether of no other.

    Names alone: the API server evaluates it for every pod of the cluster. Raises SilentError.
    """
    names, more, exact = Names(), list[str](), len(speakers) == 1
    for one in speakers:
        names |= owned(one.backend, one.others)
        needed = () if one.also is None else _needed(one.also)
        if one.also is not None and needed is None:
            more.append(said(one.also))
        elif needed:
            names |= Names.of(needed)
            exact = False
    return " || ".join([*([some_resource(names)] if names else []), *more]), exact


def some_resource(names: Names) -> str:
    """Some container asks for a resource with one of the names."""
    maps = "[c.?resources.?limits.orValue({}), c.?resources.?requests.orValue({})]"
    mine = f"m.exists(k, !(k in {listed(STANDARD)}) && {names.said()})"
    return f"variables.containers.exists(c, {maps}.exists(m, {mine}))"


def _needed(one: Condition) -> tuple[str, ...] | None:
    """Resources, of which a pod has one wherever the condition is true; None where it may have none."""
    match one:
        case Asks():
            return one.names
        case Amount() | Part():
            return (one.name,)
        case SomeContainer():
            return _needed(one.condition)
        case All():
            return next((found for found in map(_needed, one.parts) if found is not None), None)
        case Any():
            parts = [_needed(part) for part in one.parts]
            return None if None in parts else tuple(name for part in parts for name in part or ())
    return None


def owned(backend: Backend, others: Iterable[str] = ()) -> Names:
    """The keys of the dialect that ask for a GPU in resources."""
    names = [name for row in backend.keys for name in (row.name, *row.aliases)]
    mine = [name for name in names if backend.owns_at(name, Place.RESOURCE)]
    common = (backend.whole_card_key,) if backend.whole_card_key else ()
    apart = [one for one in (*names, *common, IGNORE) if not backend.owns_at(one, Place.RESOURCE)]
    return Names.of((*mine, *others), backend.gpu_prefixes, [one for one in apart if "*" not in one])


def inlined(expression: str, root: str = "object") -> str:
    """An expression with the definitions in place of the variables, of a pod at ``root``."""
    for name in reversed(VARIABLES):
        definition = f"({VARIABLES[name]})".replace("\\", r"\\")
        expression = re.sub(rf"\bvariables\.{name}\b", definition, expression)
    return re.sub(r"\bobject\b(?=\.\?)", root, expression)
