"""Which findings of a pod its items tell."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.pod import PodKeys


class Told:
    """The findings of a pod as its items tell them: all of them, since one refuses the whole pod.

    Where there are very many, an item tells those of its own container and the first of the others:
    else the items together would be quadratic in the pod.
    """

    def __init__(self, pod: PodKeys, found: Sequence[Diagnostic]) -> None:
        self._all = tuple(found)
        self._first = self._all[: limits.MAX_PROBLEMS]
        self._own: dict[tuple[bool, int], list[Diagnostic]] = {}
        if len(self._all) > limits.MAX_PROBLEMS:
            places = {one.path: (one.init, one.index) for one in pod.all_containers()}
            for one in self._all[limits.MAX_PROBLEMS :]:
                above = (one.path[:length] for length in range(len(one.path) + 1))
                place = next((places[path] for path in above if path in places), None)
                if place:
                    self._own.setdefault(place, []).append(one)

    def of(self, init: bool, index: int) -> tuple[Diagnostic, ...]:
        """The findings that the item of a container tells."""
        if len(self._all) <= limits.MAX_PROBLEMS:
            return self._all
        return (*self._first, *self._own.get((init, index), ()))
