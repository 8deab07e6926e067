"""What shows that a pod uses a dialect: names of keys, in CEL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.model.declarations import record
from gpuxlate.model.keys import Place
from gpuxlate.policy.cel import REQUIRED_TERMS, VARIABLES, text, to_cel
from gpuxlate.rules.key_index import IGNORE
from gpuxlate.rules.predicates import (
    AllOf,
    AnyOf,
    InRange,
    IsFraction,
    Predicate,
    Requests,
    SomeContainer,
)


# Names of keys as a predicate in CEL: whose key a name is.
@record
class Names:
    """Names of keys: as they are, by their beginning, or by a pattern; none of those ``apart``."""

    exact: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Iterable[str], prefixes: Iterable[str] = (), apart: Iterable[str] = ()) -> Names:
        """``names``: ``*`` in one is any text without a slash. What another of them holds is left out."""
        before = tuple(dict.fromkeys(prefixes))
        left = [one for one in dict.fromkeys(names) if not one.startswith(before)]
        stars = tuple(pattern(one) for one in left if "*" in one)
        plain = (one for one in left if "*" not in one)
        exact = tuple(one for one in plain if not any(re.match(star, one) for star in stars))
        return cls(exact, before, stars, tuple(one for one in dict.fromkeys(apart) if one.startswith(before)))

    def __bool__(self) -> bool:
        return bool(self.exact or self.prefixes or self.patterns)

    def __contains__(self, name: str) -> bool:
        return name not in self.apart and (
            name in self.exact
            or name.startswith(self.prefixes)
            or any(re.match(one, name) for one in self.patterns)
        )

    def __or__(self, other: Names) -> Names:
        """The names of both."""
        both = tuple(dict.fromkeys((*self.prefixes, *other.prefixes)))
        prefixes = tuple(one for one in both if not one.startswith(tuple(p for p in both if p != one)))
        exact = (one for one in dict.fromkeys((*self.exact, *other.exact)) if not one.startswith(prefixes))
        patterns = tuple(dict.fromkeys((*self.patterns, *other.patterns)))
        apart = [one for one in self.apart if one not in other] + [
            one for one in other.apart if one not in self
        ]
        return Names(tuple(exact), prefixes, patterns, tuple(dict.fromkeys(apart)))

    def said(self, name: str = "k") -> str:
        """A name is one of them, in CEL."""
        terms = [f"{name}.startsWith({text(one)})" for one in self.prefixes]
        terms += [f"{name} in {listed(self.exact)}"] if self.exact else []
        terms += [f"{name}.matches({text(one)})" for one in self.patterns]
        either = f"({' || '.join(terms)})" if terms else "false"
        return f"{either} && !({name} in {listed(self.apart)})" if self.apart and terms else either


def pattern(name: str) -> str:
    """The name of a row with a star as a pattern of the whole text."""
    return f"^{'[^/]*'.join(map(re.escape, name.split('*')))}$"


def listed(names: Iterable[str]) -> str:
    """A list of texts in CEL."""
    return f"[{', '.join(map(text, names))}]"


# Where names of keys are in a pod, as lists of names.
_PREFERRED = "affinity.?nodeAffinity.?preferredDuringSchedulingIgnoredDuringExecution.orValue([])"

REQUIREMENTS = (
    f"({REQUIRED_TERMS}.map(t, t.?matchExpressions.orValue([]))"
    f" + variables.spec.?{_PREFERRED}.map(t, t.?preference.?matchExpressions.orValue([])))"
)
"""What a pod requires and prefers of nodes, by term."""

SELECTORS = (
    "[variables.spec.?nodeSelector.orValue({}).map(k, k)]"
    f" + {REQUIREMENTS}.map(l, l.map(r, r.?key.orValue('')))"
)

IN_RESOURCES = "[c.?resources.?limits.orValue({}), c.?resources.?requests.orValue({})]"
"""The limits and the requests of a container ``c``."""

# When a pod speaks a dialect, in CEL: the predicate on which a policy looks at it.
STANDARD = ("cpu", "memory", "ephemeral-storage")
"""Resources that most pods have, and no dialect: they are looked at first."""


class SilentError(ValueError):
    """A dialect that no policy can recognize: a function says in which pods it is spoken."""


def is_recognized(backend: Backend) -> bool:
    """A policy can recognize the dialect."""
    return backend.detector is None or isinstance(backend.detector, Predicate)


class DialectMarker(NamedTuple):
    """A dialect. ``others``: names that resources have in the cluster."""

    backend: Backend
    others: tuple[str, ...] = ()

    @property
    def also(self) -> Predicate | None:
        """In which pods it is spoken too, whatever their resources. Raises SilentError."""
        found = self.backend.detector
        if found is None or isinstance(found, Predicate):
            return found
        raise SilentError(self.backend.name)

    @property
    def variable(self) -> str:
        """The variable that is true of a pod that speaks it."""
        return f"speaks_{self.backend.name.replace('-', '_')}"


def has_dialect(one: DialectMarker) -> str:
    """An expression over the variables of a pod: it asks for a GPU in the dialect, as lint sees it.

    Raises SilentError.
    """
    asks = some_resource(owned(one.backend, one.others))
    return asks if one.also is None else f"{asks} || {to_cel(one.also)}"


def may_have_dialect(markers: Sequence[DialectMarker]) -> tuple[str, bool]:
    """A cheap expression that is true of every pod that speaks one of some dialects, and whether of no other.

    Names alone: the API server evaluates it for every pod of the cluster. Raises SilentError.
    """
    names, more, exact = Names(), list[str](), len(markers) == 1
    for one in markers:
        names |= owned(one.backend, one.others)
        needed = () if one.also is None else _needed_of_keys(one.also)
        if one.also is not None and needed is None:
            more.append(to_cel(one.also))
        elif needed:
            names |= Names.of(needed)
            exact = False
    return " || ".join([*([some_resource(names)] if names else []), *more]), exact


def some_resource(names: Names) -> str:
    """Some container asks for a resource with one of the names."""
    mine = f"m.exists(k, !(k in {listed(STANDARD)}) && {names.said()})"
    return f"variables.containers.exists(c, {IN_RESOURCES}.exists(m, {mine}))"


def _needed_of_keys(one: Predicate) -> tuple[str, ...] | None:
    """Resources, of which a pod has one wherever the predicate is true; None where it may have none."""
    match one:
        case Requests():
            return one.names
        case InRange() | IsFraction():
            return (one.name,)
        case SomeContainer():
            return _needed_of_keys(one.predicate)
        case AllOf():
            return next((found for found in map(_needed_of_keys, one.parts) if found is not None), None)
        case AnyOf():
            parts = [_needed_of_keys(part) for part in one.parts]
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
