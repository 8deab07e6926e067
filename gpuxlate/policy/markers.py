"""The names of keys by which a policy recognizes the pods of a dialect, in CEL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.model.declarations import record
from gpuxlate.model.keys import Place
from gpuxlate.policy.cel import REQUIRED_TERMS, VARIABLES, cel_string, to_cel
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
class NamePatterns:
    """Names of keys: exact names, prefixes and patterns, without the names in ``apart``."""

    exact: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, names: Iterable[str], prefixes: Iterable[str] = (), apart: Iterable[str] = ()
    ) -> NamePatterns:
        """``names``: ``*`` in one is any text without a slash. What another of them holds is left out."""
        before = tuple(dict.fromkeys(prefixes))
        other_names = [name for name in dict.fromkeys(names) if not name.startswith(before)]
        stars = tuple(pattern_in_cel(name) for name in other_names if "*" in name)
        plain = (name for name in other_names if "*" not in name)
        exact = tuple(name for name in plain if not any(re.match(star, name) for star in stars))
        return cls(
            exact, before, stars, tuple(name for name in dict.fromkeys(apart) if name.startswith(before))
        )

    def __bool__(self) -> bool:
        return bool(self.exact or self.prefixes or self.patterns)

    def __contains__(self, name: str) -> bool:
        return name not in self.apart and (
            name in self.exact
            or name.startswith(self.prefixes)
            or any(re.match(regexp, name) for regexp in self.patterns)
        )

    def __or__(self, other: NamePatterns) -> NamePatterns:
        """The names of both."""
        both = tuple(dict.fromkeys((*self.prefixes, *other.prefixes)))
        prefixes = tuple(
            prefix for prefix in both if not prefix.startswith(tuple(p for p in both if p != prefix))
        )
        exact = (name for name in dict.fromkeys((*self.exact, *other.exact)) if not name.startswith(prefixes))
        patterns = tuple(dict.fromkeys((*self.patterns, *other.patterns)))
        apart = [name for name in self.apart if name not in other] + [
            name for name in other.apart if name not in self
        ]
        return NamePatterns(tuple(exact), prefixes, patterns, tuple(dict.fromkeys(apart)))

    def to_cel(self, name: str = "k") -> str:
        """A name is one of them, in CEL."""
        terms = [f"{name}.startsWith({cel_string(prefix)})" for prefix in self.prefixes]
        terms += [f"{name} in {list_in_cel(self.exact)}"] if self.exact else []
        terms += [f"{name}.matches({cel_string(regexp)})" for regexp in self.patterns]
        either = f"({' || '.join(terms)})" if terms else "false"
        return f"{either} && !({name} in {list_in_cel(self.apart)})" if self.apart and terms else either


def pattern_in_cel(name: str) -> str:
    """The name of a row with a star as a pattern of the whole text."""
    return f"^{'[^/]*'.join(map(re.escape, name.split('*')))}$"


def list_in_cel(names: Iterable[str]) -> str:
    """A list of texts in CEL."""
    return f"[{', '.join(map(cel_string, names))}]"


# Where names of keys are in a pod, as lists of names.
_PREFERRED = "affinity.?nodeAffinity.?preferredDuringSchedulingIgnoredDuringExecution.orValue([])"

NODE_REQUIREMENTS = (
    f"({REQUIRED_TERMS}.map(t, t.?matchExpressions.orValue([]))"
    f" + variables.spec.?{_PREFERRED}.map(t, t.?preference.?matchExpressions.orValue([])))"
)
"""What a pod requires and prefers of nodes, by term."""

SELECTORS = (
    "[variables.spec.?nodeSelector.orValue({}).map(k, k)]"
    f" + {NODE_REQUIREMENTS}.map(l, l.map(r, r.?key.orValue('')))"
)

IN_RESOURCES = "[c.?resources.?limits.orValue({}), c.?resources.?requests.orValue({})]"
"""The limits and the requests of a container ``c``."""

# When a pod speaks a dialect, in CEL: the predicate on which a policy looks at it.
STANDARD = ("cpu", "memory", "ephemeral-storage")
"""Resources that most pods have, and no dialect: they are looked at first."""


class SilentError(ValueError):
    """No policy can recognize the dialect, since a Python function detects its pods."""


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
        detector = self.backend.detector
        if detector is None or isinstance(detector, Predicate):
            return detector
        raise SilentError(self.backend.name)

    @property
    def variable(self) -> str:
        """The variable that is true of a pod that speaks it."""
        return f"speaks_{self.backend.name.replace('-', '_')}"


def has_dialect(marker: DialectMarker) -> str:
    """An expression over the variables of a pod: it asks for a GPU in the dialect, as lint sees it.

    Raises SilentError.
    """
    asks = some_resource(resource_names(marker.backend, marker.others))
    return asks if marker.also is None else f"{asks} || {to_cel(marker.also)}"


def may_have_dialect(markers: Sequence[DialectMarker]) -> tuple[str, bool]:
    """A cheap expression that is true of every pod that uses one of the dialects, and whether it is exact,
    that is, false of every other pod.

    Names alone: the API server evaluates it for every pod of the cluster. Raises SilentError.
    """
    names, more, exact = NamePatterns(), list[str](), len(markers) == 1
    for marker in markers:
        names |= resource_names(marker.backend, marker.others)
        needed = () if marker.also is None else _needed_of_keys(marker.also)
        if marker.also is not None and needed is None:
            more.append(to_cel(marker.also))
        elif needed:
            names |= NamePatterns.of(needed)
            exact = False
    return " || ".join([*([some_resource(names)] if names else []), *more]), exact


def some_resource(names: NamePatterns) -> str:
    """Some container asks for a resource with one of the names."""
    named = f"m.exists(k, !(k in {list_in_cel(STANDARD)}) && {names.to_cel()})"
    return f"variables.containers.exists(c, {IN_RESOURCES}.exists(m, {named}))"


def _needed_of_keys(predicate: Predicate) -> tuple[str, ...] | None:
    """Resources of which a pod has at least one if the predicate is true; None if it may have none."""
    match predicate:
        case Requests():
            return predicate.names
        case InRange() | IsFraction():
            return (predicate.name,)
        case SomeContainer():
            return _needed_of_keys(predicate.predicate)
        case AllOf():
            return next((names for names in map(_needed_of_keys, predicate.parts) if names is not None), None)
        case AnyOf():
            parts = [_needed_of_keys(part) for part in predicate.parts]
            return None if None in parts else tuple(name for part in parts for name in part or ())
    return None


def resource_names(backend: Backend, others: Iterable[str] = ()) -> NamePatterns:
    """The keys of the dialect that ask for a GPU in resources."""
    names = [name for row in backend.keys for name in (row.name, *row.aliases)]
    resources = [name for name in names if backend.owns_at(name, Place.RESOURCE)]
    common = (backend.whole_card_key,) if backend.whole_card_key else ()
    apart = [name for name in (*names, *common, IGNORE) if not backend.owns_at(name, Place.RESOURCE)]
    return NamePatterns.of(
        (*resources, *others), backend.gpu_prefixes, [name for name in apart if "*" not in name]
    )


def inline_variables(expression: str, root: str = "object") -> str:
    """An expression with the definitions in place of the variables, of a pod at ``root``."""
    for name in reversed(VARIABLES):
        definition = f"({VARIABLES[name]})".replace("\\", r"\\")
        expression = re.sub(rf"\bvariables\.{name}\b", definition, expression)
    return re.sub(r"\bobject\b(?=\.\?)", root, expression)
