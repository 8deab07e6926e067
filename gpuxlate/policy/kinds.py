"""Kinds with pod templates that a policy can look at, and their templates in CEL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuxlate.manifest import kinds
from gpuxlate.manifest.kinds import ObjectKind, Steps

WORKLOADS = tuple(one for one in kinds.BUILT_IN if one.group and one.kind != "ReplicaSet")
"""Kinds of Kubernetes that people write. A ReplicaSet has the template of its Deployment."""


def templates(found: Sequence[ObjectKind]) -> str:
    """All templates of an object of one of the kinds, as a list of CEL. No two of them have a field alike for
    different things, so what an object is need not be asked: it has the fields of its kind."""
    places = dict.fromkeys(place for one in found for place in one.templates)
    alone = [_at(one) for one in places if "*" not in one and "{}" not in one]
    parts = [f"[{', '.join(f'?{one}' for one in alone)}]"]
    for of, lists in _by_end(places, "*").items():
        has = ".?".join(of)
        parts.append(f"{lists}.orValue([]).filter(i, i.?{has}.hasValue()).map(i, i.{'.'.join(of)})")
    for of, maps in _by_end(places, "{}").items():
        each = f"m.filter(r, m[r].?{'.'.join(of)}.hasValue()).map(r, m[r].{'.'.join(of)})"
        parts.append(f"[{maps}.orValue({{}})].map(m, {each})[0]")
    return " + ".join(parts)


def _by_end(places: Iterable[Steps], each: str) -> dict[Steps, str]:
    """What is behind ``each`` in the places, and for each of these the first that is there."""
    found: dict[Steps, list[str]] = {}
    for one in places:
        if each in one:
            depth = one.index(each)
            found.setdefault(one[depth + 1 :], []).append(_at(one[:depth]))
    return {of: first + "".join(f".or({one})" for one in others) for of, (first, *others) in found.items()}


def _at(steps: Steps) -> str:
    return f"object.?{'.?'.join(steps)}"
