"""The shares of one pod together, and the fields that belong to the pod."""

from __future__ import annotations

from typing import Any

from gpuxlate.backends.placing import Placing
from gpuxlate.model.share import Device, Isolation, Policy, Qos


class PodPlacing:
    """The shares of one pod on their way into a target.

    ``containers`` counts the ordinary containers, with and without a share, in their order.
    """

    def __init__(self, placings: tuple[Placing, ...], containers: tuple[str, ...]) -> None:
        self.placings = placings
        self.containers = containers

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
