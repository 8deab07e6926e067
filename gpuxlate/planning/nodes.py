"""GPU nodes: what each serves, and the profile that they make together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.cluster_nodes import NodeOffer, NodeView
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import join_and, msg
from gpuxlate.model.profile import Card, CardProfile, Profile, Template, card_meant

CORDONED = "it is cordoned"
"""Why a node is closed that somebody closed."""


class Taint(NamedTuple):
    """A taint of a node with an effect that keeps new pods away."""

    key: str
    value: str
    effect: str

    def __str__(self) -> str:
        return f"{self.key}{'=' if self.value else ''}{self.value}:{self.effect}"


class Toleration(NamedTuple):
    """What a pod tolerates; an empty key, with Exists, is every key, and an empty effect is every effect."""

    key: str
    operator: str
    value: str
    effect: str

    def covers(self, taint: Taint) -> bool:
        """As kube-scheduler compares them (k8s.io/api/core/v1/toleration.go, ToleratesTaint)."""
        if (self.effect and self.effect != taint.effect) or (self.key and self.key != taint.key):
            return False
        if self.operator == "Exists":
            return True
        return bool(self.key) and self.operator in ("", "Equal") and self.value == taint.value


@record
class GpuNode:
    """A node with GPUs, or with labels of GPUs. ``closed``: why it takes no new pods; ``taints``: those that
    keep pods without a toleration away."""

    name: str
    view: NodeView
    backend: Backend | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    image: str | None = None
    closed: str | None = None
    taints: tuple[Taint, ...] = ()

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
        sorted({n.view.target for n in nodes if n.view.target and n.view.serves is not NodeOffer.NOTHING})
    )


def serves_text(view: NodeView) -> str:
    """What pods can request on a node: its target, or what it counts."""
    rows = [row.key if row.name in row.key else f"{row.key} ({row.name})" for row in view.parts]
    return ", ".join(rows) or view.target or msg("whole cards")


def differing_modes(nodes: Iterable[GpuNode]) -> Iterator[str]:
    """Targets whose nodes count parts of cards in different ways, so that a pod fits only some of them."""
    modes: dict[tuple[str, str], list[str]] = {}
    for node in nodes:
        if node.view.parts:
            modes.setdefault((node.view.target or "", node.view.mode or ""), []).append(node.name)
    for target in dict.fromkeys(target for target, _ in sorted(modes)):
        by_mode = [
            msg("{mode} on {nodes}", mode=mode, nodes=comma_list(names))
            for (of, mode), names in sorted(modes.items())
            if of == target
        ]
        if len(by_mode) > 1:
            text = "nodes of {target} differ ({modes}): a pod runs where its resource is counted"
            yield msg(text, target=target, modes=join_and(by_mode, "{before}; {last}"))


# --- the profile ------------------------------------------------------------------------------


def profile_data(
    nodes: Sequence[GpuNode], target: str, kubernetes_version: str | None
) -> tuple[dict[str, Any], list[str]]:
    """The profile of the nodes of one target, as data to write, and remarks on what is left out.

    A value that differs between nodes is left out.
    """
    serving = [n for n in nodes if n.view.target == target and n.view.serves is not NodeOffer.NOTHING]
    sharing = [n for n in serving if n.view.serves is not NodeOffer.WHOLE] or serving
    notes: list[str] = []

    def common_value(name: str, values: Iterator[object]) -> Any:
        distinct = list(values)
        different = sorted({str(value) for value in distinct})
        if len(different) > 1:
            text = "{name} is left out: the nodes differ ({values})"
            notes.append(msg(text, name=name, values=", ".join(different)))
            return None
        if distinct and distinct[0] is None:
            return None
        return distinct[0] if distinct else None

    views = [n.view for n in sharing]
    cards = {
        "model": common_value("cards.model", (v.model for v in views)),
        "perNode": common_value("cards.perNode", (v.cards for v in views)),
        "memoryMiB": common_value("cards.memoryMiB", (v.physical_mib or v.card_mib for v in views)),
    }
    data: dict[str, Any] = {
        "target": target,
        "kubernetesVersion": kubernetes_version,
        "nodeImage": common_value("nodeImage", (n.image for n in sharing)),
        "policy": common_value("policy", (str(v.policy) if v.policy else None for v in views)),
        "cards": _without_none(cards),
        "components": {
            name: value
            for name in sorted({name for v in views for name in v.components})
            if (value := common_value(f"components.{name}", (v.components.get(name) for v in views)))
            is not None
        },
    }
    backend = registry.get(target)
    data["catalogue"] = _catalogue(views, cards["model"], cards["memoryMiB"], backend)
    if backend.extension and any(v.extension for v in views):
        data[backend.extension.key] = _without_none(backend.extension_data(views, common_value, notes))
    return _without_none(data), notes


def _catalogue(
    views: Sequence[NodeView], model: str | None, memory_mib: int | None, backend: Backend
) -> list[dict[str, Any]]:
    """The card with the partitions that the nodes have, and no others, as many on a card as there are; their
    numbers as the nodes show them, the least where they differ, else as the catalogue has them."""
    rows = [row for view in views for row in view.parts if row.partition]
    if model is None or not rows or backend.vendor is None:
        return []
    card = card_meant(model, memory_mib)
    templates = []
    for name in sorted({row.partition for row in rows if row.partition}):
        catalogued = (card.template(name) if card else None) or Template(name)
        of_partition = [row for row in rows if row.partition == name]
        memory = min((row.memory_mib for row in of_partition if row.memory_mib), default=None)
        processors = min((row.multiprocessors for row in of_partition if row.multiprocessors), default=None)
        shown = bool(memory and processors)
        template = {
            "name": name,
            "memoryMiB": memory or catalogued.memory_mib,
            "multiprocessors": processors or catalogued.multiprocessors,
            "most": max((n for view in views if (n := _on_a_card(view, name))), default=None),
            "source": "labels of the nodes" if shown else catalogued.source,
        }
        templates.append(
            {**_without_none(template), **({} if shown else {"confidence": catalogued.confidence})}
        )
    return [{"name": card.name if card else model, "vendor": backend.vendor, "templates": templates}]


def _on_a_card(view: NodeView, profile: str) -> int | None:
    """How many of a partition each card of a node has, rounded up; None where that is not known."""
    rows = [row for row in view.parts if row.partition == profile]
    clients = {row.replica.of if row.replica else 1 for row in rows}
    of = clients.pop() if len(clients) == 1 else None
    return -(-sum(row.amount for row in rows) // (of * view.cards)) if of and view.cards else None


def _without_none(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if value not in (None, "", {}, [])}


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
        catalogue=tuple(map(Card.from_document, data.get("catalogue", ()))),
    )
    return profile, notes


def unit_is_known(nodes: Sequence[GpuNode], target: str) -> bool:
    """The nodes of the target that count memory in units of their own all have the same unit."""
    units = {node.view.unit_mib for node in nodes if node.view.target == target and node.view.nominal_mib}
    return len(units) < 2 and None not in units


def unit_profile(view: NodeView) -> Profile:
    """A profile for reading the pods of a node: it has the memory unit."""
    return Profile(view.target or "", extensions=(view.extension,) if view.extension else ())


def comma_list(names: Sequence[str]) -> str:
    """The first names, and the number of the rest."""
    if len(names) <= 4:
        return ", ".join(names)
    return msg("{names} and {count} more", names=", ".join(names[:3]), count=len(names) - 3)
