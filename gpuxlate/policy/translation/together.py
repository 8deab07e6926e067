"""Which shares a target takes in one pod: by pairs of branches, each proved by running the target."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, product

from gpuxlate.policy.translation.learn import PLACES, UNKNOWN, Branch, ends, main
from gpuxlate.policy.translation.probe import Placed, Point, Refusal, Target, Words

IN_CONTAINER = ("limits", "env")
Conflicts = dict[tuple[int, int], Refusal]


def conflicts(target: Target, branches: Sequence[Branch]) -> Conflicts:
    """The branches whose shares are not in one pod, by their numbers, and why."""
    found: Conflicts = {}
    for one, other in combinations_with_replacement(range(len(branches)), 2):
        first, second = branches[one], branches[other]
        if first.shape[0] != second.shape[0]:
            continue
        whys = {
            _apart(target, both, mine)
            for pair in product(ends(first), ends(second))
            for both, mine in (((first, second), pair), ((second, first), pair[::-1]))
        }
        if whys != {None}:
            found[one, other] = (whys.pop() if len(whys) == 1 else None) or UNKNOWN
    return found


def _apart(target: Target, both: tuple[Branch, Branch], points: tuple[Point, Point]) -> Refusal | None:
    """Why two shares together are not what each is alone."""
    results = target.pair(points, Words(both[0].shape[0]))
    refused = main(results[0])
    if refused is not None:
        return refused
    each = ",".join(str(one.cards) for one in points)
    alone: list[dict[Placed, str | None]] = [
        {key: each if laws[0].each else laws[0].of(point, place) for key, laws in branch.laws.items()}
        for branch, point, place in zip(both, points, PLACES, strict=False)
    ]
    of_pod = {key: text for one in alone for key, text in one.items() if key[0] not in IN_CONTAINER}
    for one, result in zip(alone, results, strict=True):
        if result.keys != one | of_pod or any(one.get(key, text) != text for key, text in of_pod.items()):
            return UNKNOWN
    return None
