"""GKE on a live cluster: nodes whose labels say how their cards are divided and shared (SHARING)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from gpuxlate.backends.device_plugin import (
    NvidiaProfile,
    Sharing,
    clients_in,
    most_clients,
    sharing_data,
    uncounted,
)
from gpuxlate.backends.feature_discovery import shown
from gpuxlate.backends.gke import keys as k
from gpuxlate.backends.live import (
    Containers,
    Counted,
    Live,
    LiveNode,
    NodeView,
    Serves,
)
from gpuxlate.model.catalogue import card_named, names_of
from gpuxlate.model.parts import Replica

OWN = (k.MODEL, k.SIZE, k.STRATEGY, k.CLIENTS)


def view(node: LiveNode) -> NodeView | None:
    """The common key counts cards, partitions of one profile, or clients of either."""
    labels = {name: node.labels[name] for name in OWN if name in node.labels}
    if not labels:
        return None
    amount, notes = node.amount(k.WHOLE), tuple(_notes(labels))
    accelerator = labels.get(k.MODEL)
    model = names_of(k.NAME).get(accelerator or "", accelerator)
    if not amount:
        why = (*notes, f"no {k.WHOLE} is allocatable")
        return NodeView(k.NAME, Serves.NOTHING, model=model, notes=why)
    size, strategy = labels.get(k.SIZE), k.STRATEGIES.get(labels.get(k.STRATEGY, ""))
    of = clients_in([labels[k.CLIENTS]]) if k.CLIENTS in labels else None
    replica = Replica(of, strategy) if strategy or of else None
    row = Counted(k.WHOLE, amount, size, replica)
    mib = None if size else shown(node).memory_mib
    cards = _cards(row, model)
    sharing = Sharing(cast(Any, str(strategy)), of, False) if strategy and of else Sharing()
    return NodeView(
        k.NAME,
        Serves.PARTS if row.is_part else Serves.WHOLE,
        mode=", ".join(filter(None, ("MIG" if size else None, labels.get(k.STRATEGY)))) or None,
        cards=cards,
        card_mib=mib,
        physical_mib=mib,
        model=model,
        whole_key=None if row.is_part else k.WHOLE,
        labels=node.labels,
        extension=NvidiaProfile("single" if size else "mixed", sharing) if row.is_part else None,
        notes=notes,
        parts=(row,) if row.is_part else (),
    )


def _cards(row: Counted, model: str | None) -> int | None:
    """All cards of a node are divided alike, and each has as many partitions as fit; None where the
    catalogue does not say how many."""
    each: int | None = 1
    if row.partition:
        card = card_named(model or "")
        template = card.template(row.partition) if card else None
        each = template.most if template else None
    if row.replica:
        each = each and row.replica.of and each * row.replica.of
    return row.amount // each if each and row.amount % each == 0 else None


def _notes(labels: dict[str, str]) -> Iterator[str]:
    strategy, clients = labels.get(k.STRATEGY), labels.get(k.CLIENTS)
    if strategy is not None and strategy not in k.STRATEGIES:
        yield f"{k.STRATEGY} is {strategy!r}, which is not a strategy"
    if (strategy is None) is not (clients is None):
        there, missing = (k.STRATEGY, k.CLIENTS) if clients is None else (k.CLIENTS, k.STRATEGY)
        yield f"it has the label {there} without {missing}"


def keeps_out(node: NodeView, wanted: Containers) -> str | None:
    """On shared cards GKE takes one client a container (SHARING)."""
    most = most_clients(wanted)
    shared = any(row.replica for row in node.parts)
    return f"a container requests {most} clients; GKE takes one" if most > 1 and shared else None


LIVE = Live(
    view,
    uncounted,
    keeps_out,
    tells={"cards.model": f"kubectl get nodes -L {k.MODEL}"},
    extension_data=lambda views, one, _notes: sharing_data(views, one),
)
