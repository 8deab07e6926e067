"""GPU nodes: what each serves, and the profile that they make together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.live import NodeView, Serves
from gpuxlate.model.profile import CardProfile, Profile

WHOLE_KEY = "nvidia.com/gpu"
"""Whole cards, on every cloud."""


@dataclass(frozen=True, slots=True)
class GpuNode:
    """A node with GPUs, or with labels of GPUs. ``closed``: why it takes no new pods."""

    name: str
    view: NodeView
    backend: Backend | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    image: str | None = None
    closed: str | None = None

    def profile(self, kubernetes_version: str | None = None) -> Profile:
        """What the node shows of its cluster. Components without a label are left out."""
        view = self.view
        return Profile(
            view.target or "",
            kubernetes_version,
            self.image,
            str(view.policy) if view.policy else None,
            CardProfile(view.model, view.cards, view.physical_mib or view.card_mib),
            view.components,
            (view.extension,) if view.extension else (),
        )


def targets_served(nodes: Iterable[GpuNode]) -> tuple[str, ...]:
    """The targets of the nodes, by name."""
    return tuple(
        sorted({n.view.target for n in nodes if n.view.target and n.view.serves is not Serves.NOTHING})
    )


# --- the profile ------------------------------------------------------------------------------


def profile_data(
    nodes: Sequence[GpuNode], target: str, kubernetes_version: str | None
) -> tuple[dict[str, Any], list[str]]:
    """The profile of the nodes of one target, as data to write, and remarks on what is left out.

    A value that differs between nodes is left out.
    """
    mine = [n for n in nodes if n.view.target == target and n.view.serves is not Serves.NOTHING]
    sharing = [n for n in mine if n.view.serves is Serves.SHARES] or mine
    notes: list[str] = []

    def one(name: str, values: Iterator[object]) -> Any:
        found = list(values)
        different = sorted({str(value) for value in found})
        if len(different) > 1:
            notes.append(f"{name} is left out: the nodes differ ({', '.join(different)})")
            return None
        if found and found[0] is None:
            return None
        return found[0] if found else None

    views = [n.view for n in sharing]
    cards = {
        "model": one("cards.model", (v.model for v in views)),
        "perNode": one("cards.perNode", (v.cards for v in views)),
        "memoryMiB": one("cards.memoryMiB", (v.physical_mib or v.card_mib for v in views)),
    }
    data: dict[str, Any] = {
        "target": target,
        "kubernetesVersion": kubernetes_version,
        "nodeImage": one("nodeImage", (n.image for n in sharing)),
        "policy": one("policy", (str(v.policy) if v.policy else None for v in views)),
        "cards": _given(cards),
        "components": {
            name: value
            for name in sorted({name for v in views for name in v.components})
            if (value := one(f"components.{name}", (v.components.get(name) for v in views))) is not None
        },
    }
    backend = registry.get(target)
    if backend.extension and backend.live and backend.live.extension_data and any(v.extension for v in views):
        data[backend.extension.key] = _given(backend.live.extension_data(views, one, notes))
    return _given(data), notes


def _given(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if value not in (None, {})}


def live_profile(
    nodes: Sequence[GpuNode], target: str, kubernetes_version: str | None
) -> tuple[Profile, list[str]]:
    """The profile of the nodes of one target; what differs between them is not set."""
    data, notes = profile_data(nodes, target, kubernetes_version)
    cards, part = data.get("cards", {}), registry.get(target).extension
    profile = Profile(
        target,
        kubernetes_version,
        data.get("nodeImage"),
        data.get("policy"),
        CardProfile(cards.get("model"), cards.get("perNode"), cards.get("memoryMiB")),
        data.get("components", {}),
        (part.from_document(data.get(part.key, {})),) if part else (),
    )
    return profile, notes


def unit_is_known(nodes: Sequence[GpuNode], target: str) -> bool:
    """The nodes of the target that count memory in units of their own all have the same unit."""
    units = {one.view.unit_mib for one in nodes if one.view.target == target and one.view.extension}
    return len(units) < 2 and None not in units


def unit_profile(view: NodeView) -> Profile:
    """A profile for reading the pods of a node: it has the memory unit."""
    return Profile(view.target or "", extensions=(view.extension,) if view.extension else ())


def names_of(names: Sequence[str]) -> str:
    """The first names, and the number of the rest."""
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"
