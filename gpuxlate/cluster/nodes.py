"""The GPU nodes of a cluster: what each serves, and the profile that they make together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.live import LiveNode, NodeView, Serves
from gpuxlate.cluster.live import WHOLE_KEY, live_node, takes_pods
from gpuxlate.cluster.server import NODES, Json, Server
from gpuxlate.model.profile import CardProfile, Profile

_RANK = list(Serves)
_NVIDIA = "nvidia.com/gpu."
_MODEL, _MEMORY, _REPLICAS = (_NVIDIA + name for name in ("product", "memory", "replicas"))
"""Labels of NVIDIA's GPU feature discovery: card model, MiB of a card, replicas of time-slicing."""
_HAMI = "hami.io/node-"
_HAMI_NODE = NodeView(
    None, Serves.NOTHING, notes=(f"HAMi shares its cards, and counts each several times as {WHOLE_KEY}",)
)
"""Project-HAMi, docs/develop/protocol.md: its annotations of nodes. No target says its shares yet."""


@dataclass(frozen=True, slots=True)
class GpuNode:
    """A node that serves GPUs, or has labels of one. ``closed``: why it takes no new pod."""

    name: str
    view: NodeView
    backend: Backend | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    image: str | None = None
    closed: str | None = None

    def profile(self, kubernetes_version: str | None = None) -> Profile:
        """What the node tells of its cluster. Components that no label names are left out."""
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


def gpu_nodes(server: Server, selector: str | None = None) -> list[GpuNode]:
    """The GPU nodes, by name."""
    found = (gpu_node(one) for page in server.pages(NODES, selector=selector) for one in page)
    return sorted((one for one in found if one is not None), key=lambda one: one.name)


def gpu_node(node: Json) -> GpuNode | None:
    """One node, None where it has nothing to do with GPUs."""
    live = live_node(node)
    views = [
        (one, seen)
        for one in registry.pod_backends()
        if one.live is not None and (seen := one.live.view(live)) is not None
    ]
    backend: Backend | None = None
    view: NodeView | None = None
    if views:
        backend, view = min(views, key=lambda one: _RANK.index(one[1].serves))
    if view is None or view.serves is Serves.NOTHING:
        shared = any(name.startswith(_HAMI) for name in node["metadata"].get("annotations") or ())
        plain = _HAMI_NODE if shared else _whole_cards(live, view)
        if plain is not None:
            backend, view = None, plain
    if view is None:
        return None
    image = ((node.get("status") or {}).get("nodeInfo") or {}).get("osImage")
    return GpuNode(live.name, view, backend, live.labels, image or None, takes_pods(node))


def _whole_cards(node: LiveNode, view: NodeView | None) -> NodeView | None:
    """A node that gives out whole cards by NVIDIA's own plugin, or has labels of it at least."""
    cards = node.amount(WHOLE_KEY)
    labelled = any(name.startswith(_NVIDIA) for name in node.labels)
    if not cards:
        if view is not None or not labelled:
            return None
        return NodeView(
            None, Serves.NOTHING, notes=(f"it has labels of a GPU, and no {WHOLE_KEY} is allocatable",)
        )
    memory = node.labels.get(_MEMORY, "")
    mib = int(memory) if memory.isascii() and memory.isdigit() else None
    replicas = node.labels.get(_REPLICAS, "1")
    sliced = (f"{WHOLE_KEY} counts {replicas} replicas of each card there",) if replicas != "1" else ()
    return NodeView(
        None,
        Serves.WHOLE,
        mode=view.mode if view else None,
        cards=None if sliced else cards,
        card_mib=mib,
        physical_mib=mib,
        model=(view.model if view else None) or node.labels.get(_MODEL),
        whole_key=WHOLE_KEY,
        notes=sliced,
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
    """The profile that nodes of one target make, as data to write, and what was left out of it.

    A value that differs from node to node is left out: a profile has one.
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
    """The profile that nodes of one target make, to work with; what differs among them is open."""
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
    """Nodes of the target that count memory in units of their own all tell the same one."""
    units = {one.view.unit_mib for one in nodes if one.view.target == target and one.view.extension}
    return len(units) < 2 and None not in units


def unit_profile(view: NodeView) -> Profile:
    """A profile for reading the pods of a node: the memory unit is what counts."""
    return Profile(view.target or "", extensions=(view.extension,) if view.extension else ())


def names_of(names: Sequence[str]) -> str:
    """Some names; the rest is counted."""
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"
