"""The shares of one pod together, and the fields that belong to the pod."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuxlate.backends.placing import Placing
from gpuxlate.backends.results import Selector
from gpuxlate.model.share import Device, Isolation, Policy, Qos
from gpuxlate.model.sheet import By, Chosen


class PodPlacing:
    """The shares of one pod on their way into a target.

    ``containers`` counts the ordinary containers, with and without a share, in their order. ``selectors``:
    choices of the pod; those whose ``chosen`` is in ``taken`` are not lost.
    """

    def __init__(
        self, placings: tuple[Placing, ...], containers: tuple[str, ...], selectors: Sequence[Selector] = ()
    ) -> None:
        self.placings = placings
        self.containers = containers
        self.selectors = selectors
        self.taken: set[Chosen] = set()

    def chosen(self, by: By, *, allow: bool) -> Selector | None:
        """A choice of cards for the shares of the pod; None where there is none, or several differ."""
        found = {
            one.chosen: one
            for one in self.selectors
            if one.chosen and (one.chosen.choice.by, one.chosen.choice.allow) == (by, allow)
        }
        return next(iter(found.values())) if self.placings and len(found) == 1 else None

    def ordinary(self, index: int) -> Placing | None:
        """The share of the ordinary container at ``index``, None if it has none."""
        return next((p for p in self.placings if not p.init and p.index == index), None)

    def policy(self) -> Policy | None:
        """Take the policy, which belongs to the pod."""
        found = self.take("policy")
        return found if isinstance(found, Policy) else None

    def qos(self) -> Qos | None:
        """Take the QoS class, which belongs to the pod."""
        found = self.take("qos")
        return found if isinstance(found, Qos) else None

    def device(self) -> Device | None:
        """Take the cards that will do, which belong to the pod."""
        found = self.take("device")
        return found if isinstance(found, Device) else None

    def isolation(self) -> Isolation | None:
        """Take the least isolation, which belongs to the pod."""
        found = self.take("isolation")
        return found if isinstance(found, Isolation) else None

    def peek(self, attribute: str) -> Any:
        """A field that belongs to the pod, without taking it."""
        return next((one.peek(attribute) for one in self.placings if one.peek(attribute) is not None), None)

    def take(self, attribute: str) -> Any:
        """Take a field that belongs to the pod."""
        found = [placing.take(attribute) for placing in self.placings]
        return next((value for value in found if value is not None), None)
