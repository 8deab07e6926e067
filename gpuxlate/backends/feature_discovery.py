"""Labels of GPU feature discovery: what it shows of the cards of a node, or of one kind of their parts.

Source: NVIDIA/k8s-device-plugin, internal/lm/resource.go and mig-strategy.go (2026-08-19).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.backends.device_plugin import Product
from gpuxlate.model import quantity
from gpuxlate.model.parts import LEAST_CLIENTS, Replica, Strategy

if TYPE_CHECKING:
    from gpuxlate.backends.live import LiveNode

CARD = "nvidia.com/gpu"
"""The resource of cards, and before a dot the start of their labels."""


class Shown(NamedTuple):
    """What the labels of a resource show; None: there is no such label.

    ``number``: of cards, or partitions; ``memory_mib``, ``multiprocessors``: of one of them. ``replicas``:
    clients of each; 0 for cards that are all divided.
    """

    product: Product | None
    number: int | None
    memory_mib: int | None
    multiprocessors: int | None
    replicas: int | None
    strategy: str | None

    @property
    def model(self) -> str | None:
        return self.product.model if self.product else None

    @property
    def replica(self) -> Replica | None:
        """What a client of one is; None where the labels do not say that they are shared."""
        of = self.replicas if self.replicas and self.replicas >= LEAST_CLIENTS else None
        if of is None and not (self.product and self.product.shared):
            return None
        return Replica(of, Strategy(self.strategy) if self.strategy in set(Strategy) else None)


def shown(node: LiveNode, resource: str = CARD) -> Shown:
    """What the labels show of a resource."""
    label = f"{resource}."
    product = node.labels.get(label + "product")
    numbers = (
        _number(node.labels, label + name) for name in ("count", "memory", "multiprocessors", "replicas")
    )
    count, memory, processors, replicas = numbers
    return Shown(
        Product.of(product) if product else None,
        count,
        memory or None,
        processors or None,
        replicas,
        node.labels.get(label + "sharing-strategy"),
    )


def labelled(node: LiveNode) -> bool:
    """The node has labels about its cards."""
    return any(name.startswith(f"{CARD}.") for name in node.labels)


def _number(labels: Mapping[str, str], name: str) -> int | None:
    return quantity.plain(labels.get(name, ""))
