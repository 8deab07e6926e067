"""Kinds with pod templates that a policy can look at, and their templates in CEL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuxlate.manifest import kinds
from gpuxlate.manifest.kinds import ObjectKind, Steps

WORKLOADS = tuple(kind for kind in kinds.BUILT_IN_KINDS if kind.group and kind.kind != "ReplicaSet")
"""Kinds of Kubernetes that people write. A ReplicaSet has the template of its Deployment."""


def templates(object_kinds: Sequence[ObjectKind]) -> str:
    """The pod templates of an object of one of the kinds, as a list in CEL.

    No two kinds use one field for different things, so the expression need not check the kind.
    """
    places = dict.fromkeys(place for kind in object_kinds for place in kind.templates)
    alone = [_at(place) for place in places if "*" not in place and "{}" not in place]
    parts = [f"[{', '.join(f'?{template}' for template in alone)}]"]
    for of, lists in _by_end(places, "*").items():
        has = ".?".join(of)
        parts.append(f"{lists}.orValue([]).filter(i, i.?{has}.hasValue()).map(i, i.{'.'.join(of)})")
    for of, maps in _by_end(places, "{}").items():
        each = f"m.filter(r, m[r].?{'.'.join(of)}.hasValue()).map(r, m[r].{'.'.join(of)})"
        parts.append(f"[{maps}.orValue({{}})].map(m, {each})[0]")
    return " + ".join(parts)


def _by_end(places: Iterable[Steps], each: str) -> dict[Steps, str]:
    """What is behind ``each`` in the places, and for each of these the first that is there."""
    lists: dict[Steps, list[str]] = {}
    for place in places:
        if each in place:
            depth = place.index(each)
            lists.setdefault(place[depth + 1 :], []).append(_at(place[:depth]))
    return {
        of: first + "".join(f".or({other})" for other in others) for of, (first, *others) in lists.items()
    }


def _at(steps: Steps) -> str:
    return f"object.?{'.?'.join(steps)}"
