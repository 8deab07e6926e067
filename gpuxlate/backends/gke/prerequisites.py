"""What a node pool of GKE needs for a share: its flags, the labels that nodes get from them, and a class.

A ComputeClass makes GKE create such node pools by itself, from none.
"""

from __future__ import annotations

import re
from typing import Any

from gpuxlate.backends.gke import keys as k
from gpuxlate.backends.requirements import (
    AtLeast,
    NodeLabel,
    NodeNeeds,
    NodeWarning,
    Requirement,
    Setter,
    Source,
    cards_of_a_node,
)
from gpuxlate.model.amounts import card_for
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.messages import say
from gpuxlate.model.parts import Strategy
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

SHARING = Source("Google Cloud, GPU sharing in GKE")
CLASS = Source("Google Cloud, ComputeClass; kcl-lang/modules, pull request 358", "2026-04")
REQUIREMENTS = (
    Requirement(
        "GKE",
        "kubernetesVersion",
        AtLeast("1.35.2-gke.1485000"),
        CLASS,
        "gpuSharing in the ComputeClass of -o yaml",
        Severity.WARNING,  # node pools with flags need none of it
    ),
)
CHOOSES = "cloud.google.com/compute-class"
STRATEGIES = {Strategy.TIME_SLICING: "TIME_SHARING", Strategy.MPS: "MPS"}
"""Those of a ComputeClass (CLASS)."""


def node_needs(share: Share, profile: Profile | None) -> NodeNeeds:
    """The labels of the nodes, which the flags of the node pool set."""
    card = card_for(share, profile)
    model = card.names.get(k.NAME) if card else None
    count = (profile and profile.cards.per_node) or share.cards
    names = {one: name for name, one in k.STRATEGIES.items()}
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
        advice = say(
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
            "sharingStrategy": STRATEGIES[share.replica.strategy],
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
