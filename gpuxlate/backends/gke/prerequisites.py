"""What a node pool of GKE needs for a share: its flags, and the labels that nodes get from them."""

from __future__ import annotations

from gpuxlate.backends.gke import keys as k
from gpuxlate.backends.requirements import (
    NodeLabel,
    NodeNeeds,
    NodeWarning,
    Requirement,
    Setter,
    Source,
    cards_of_a_node,
)
from gpuxlate.model.catalogue import names_of
from gpuxlate.model.parts import Strategy
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

SHARING = Source("Google Cloud, GPU sharing in GKE")
REQUIREMENTS: tuple[Requirement, ...] = ()


def node_needs(share: Share, profile: Profile | None) -> NodeNeeds:
    """The labels of the nodes, which the flags of the node pool set."""
    known = {model: text for text, model in names_of(k.NAME, profile).items()}
    models = share.device.models if share.device else ()
    model = known.get(models[0]) if len(models) == 1 else None
    names = {one: name for name, one in k.STRATEGIES.items()}
    partition, replica = share.partition, share.replica
    labels: dict[str, str] = {k.MODEL: model} if model else {}
    flags = [f"type={model or 'ACCELERATOR'}", f"count={share.cards}"]
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
    flag = "create the node pool with --accelerator " + ",".join(flags)
    return NodeNeeds(
        tuple(NodeLabel(name, text, note, SHARING, Setter.POOL) for name, text in labels.items()),
        (NodeWarning(flag, SHARING),),
        tuple(warnings),
        cards_of_a_node(share, SHARING) if share.whole_cards else (),
    )
