"""GKE on a live cluster: nodes whose labels say how their cards are divided and shared (SHARING)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from gpuxlate.backends import gke as k
from gpuxlate.backends.cluster_nodes import (
    Containers,
    CountedRequests,
    LiveNode,
    MergeNodeValues,
    NodeOffer,
    NodeView,
)
from gpuxlate.backends.nvidia_device_plugin import (
    NvidiaProfile,
    Sharing,
    card_labels,
    clients_in,
    most_clients,
    sharing_data,
)
from gpuxlate.backends.requirements import (
    MinVersion,
    NodeLabel,
    NodeNeeds,
    NodeWarning,
    Requirement,
    Setter,
    VendorDocument,
    cards_of_a_node,
)
from gpuxlate.backends.target import Backend
from gpuxlate.model.amounts import card_of_share
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import Profile, card_named, names_of
from gpuxlate.model.share import Replica, Share, Strategy
from gpuxlate.rules import releases

OWN = (k.MODEL, k.SIZE, k.STRATEGY, k.CLIENTS)


def node_view(_backend: Backend, node: LiveNode) -> NodeView | None:
    """The common key counts cards, partitions of one profile, or clients of either."""
    labels = {name: node.labels[name] for name in OWN if name in node.labels}
    if not labels:
        return None
    amount, notes = node.amount(NVIDIA_GPU), tuple(_notes(labels))
    accelerator = labels.get(k.MODEL)
    model = names_of(k.NAME).get(accelerator or "", accelerator)
    if not amount:
        why = (*notes, f"no {NVIDIA_GPU} is allocatable")
        return NodeView(k.NAME, NodeOffer.NOTHING, model=model, notes=why)
    size, strategy = labels.get(k.SIZE), k.STRATEGIES.get(labels.get(k.STRATEGY, ""))
    of = clients_in([labels[k.CLIENTS]]) if k.CLIENTS in labels else None
    replica = Replica(of, strategy) if strategy or of else None
    row = CountedRequests(NVIDIA_GPU, amount, size, replica)
    mib = None if size else card_labels(node).memory_mib
    cards = _cards(row, model)
    sharing = Sharing(cast(Any, str(strategy)), of, False) if strategy and of else Sharing()
    return NodeView(
        k.NAME,
        NodeOffer.PARTS if row.is_part else NodeOffer.WHOLE,
        mode=", ".join(filter(None, ("MIG" if size else None, labels.get(k.STRATEGY)))) or None,
        cards=cards,
        card_mib=mib,
        physical_mib=mib,
        model=model,
        whole_key=None if row.is_part else NVIDIA_GPU,
        labels=node.labels,
        extension=NvidiaProfile("single" if size else "mixed", sharing) if row.is_part else None,
        notes=notes,
        parts=(row,) if row.is_part else (),
    )


def _cards(row: CountedRequests, model: str | None) -> int | None:
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
        present, missing = (k.STRATEGY, k.CLIENTS) if clients is None else (k.CLIENTS, k.STRATEGY)
        yield f"it has the label {present} without {missing}"


def keeps_out(_backend: Backend, node: NodeView, containers: Containers) -> str | None:
    """On shared cards GKE takes one client a container (SHARING)."""
    maximum = most_clients(containers)
    shared = any(row.replica for row in node.parts)
    text = "a container requests {count} clients; GKE takes one"
    return msg(text, count=maximum) if maximum > 1 and shared else None


def extension_data(
    _backend: Backend, views: Sequence[NodeView], merge: MergeNodeValues, _notes: list[str]
) -> dict[str, Any]:
    """How the cards of nodes are divided and shared."""
    return sharing_data(views, merge)


# --- what a share needs of them ---------------------------------------------------------------

SHARING = VendorDocument.of(k.DOCUMENTS["SHARING"])
CLASS = VendorDocument.of("Google Cloud, ComputeClass; kcl-lang/modules, pull request 358 (2026-04)")
REQUIREMENTS = (
    Requirement(
        "GKE",
        "kubernetesVersion",
        MinVersion(releases.KUBERNETES, "gpuSharing of a ComputeClass"),
        CLASS,
        "gpuSharing in the ComputeClass of -o yaml",
        Severity.WARNING,  # node pools with flags need none of it
    ),
)
CHOOSES = "cloud.google.com/compute-class"
CLASS_STRATEGIES = {Strategy.TIME_SLICING: "TIME_SHARING", Strategy.MPS: "MPS"}
"""Those of a ComputeClass (CLASS)."""


def node_requirements(_backend: Backend, share: Share, profile: Profile | None) -> NodeNeeds:
    """The labels of the nodes, which the flags of the node pool set."""
    card = card_of_share(share, profile)
    model = card.names.get(k.NAME) if card else None
    count = (profile and profile.cards.per_node) or share.cards
    names = {strategy: name for name, strategy in k.STRATEGIES.items()}
    partition, replica = share.partition, share.replica
    labels: dict[str, str] = {k.MODEL: model} if model else {}
    flags = [f"type={model or 'ACCELERATOR'}", f"count={count}"]
    if partition is not None:
        labels[k.SIZE] = partition.profile
        flags.append(f"gpu-partition-size={partition.profile}")
    if replica is not None and replica.of and replica.strategy:
        labels |= {k.STRATEGY: names[replica.strategy], k.CLIENTS: str(replica.of)}
        flags += [
            f"gpu-sharing-strategy={names[replica.strategy]}",
            f"max-shared-clients-per-gpu={replica.of}",
        ]
    note = "the flags of the node pool set it"
    warnings = []
    if replica is not None and replica.strategy is Strategy.TIME_SLICING:
        text = "nothing isolates clients of a card by time-sharing: one can take all memory"
        warnings.append(NodeWarning(text, SHARING))
    remarks = [NodeWarning("create the node pool with --accelerator " + ",".join(flags), SHARING)]
    document = _compute_class(model, count, share) if model else None
    advice: str = "name the card in device.models, or in a profile, for a ComputeClass (-o yaml)"
    if document is not None:
        chosen = f"{CHOOSES}={document['metadata']['name']}"
        advice = msg(
            "or apply the ComputeClass (-o yaml): pods choose it by nodeSelector {label}", label=chosen
        )
    remarks.append(NodeWarning(advice, CLASS))
    return NodeNeeds(
        tuple(NodeLabel(name, text, note, SHARING, Setter.POOL) for name, text in labels.items()),
        tuple(remarks),
        tuple(warnings),
        (
            *(REQUIREMENTS if document and not share.whole_cards else ()),
            *(cards_of_a_node(share, SHARING) if share.whole_cards else ()),
        ),
        (document,) if document else (),
    )


def _compute_class(model: str, count: int, share: Share) -> dict[str, Any]:
    """A ComputeClass of nodes with ``count`` such cards, from which GKE makes node pools (CLASS)."""
    sharing: dict[str, Any] = {}
    if share.partition is not None:
        sharing["gpuPartitionSize"] = share.partition.profile
    if share.replica is not None and share.replica.of and share.replica.strategy:
        sharing |= {
            "sharingStrategy": CLASS_STRATEGIES[share.replica.strategy],
            "maxSharedClientsPerGPU": share.replica.of,
        }
    words = [model, *(str(value) for value in sharing.values())]
    gpu = {"type": model, "count": count, **({"gpuSharing": sharing} if sharing else {})}
    return {
        "apiVersion": "cloud.google.com/v1",
        "kind": "ComputeClass",
        "metadata": {"name": re.sub("[^a-z0-9]+", "-", "-".join(words).lower())},
        "spec": {
            "nodePoolAutoCreation": {"enabled": True},
            "priorities": [{"gpu": gpu}],
            "whenUnsatisfiable": "DoNotScaleUp",
        },
    }
