"""What an autoscaler has to know of nodes whose drivers offer devices for claims, each with its source."""

from __future__ import annotations

from gpuxlate.backends.requirements import (
    NodeNeeds,
    NodeWarning,
    Requirement,
    Source,
    cards_of_a_node,
)
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

API = Source("Kubernetes, API reference of resource.k8s.io", "2026-08")
EMPTY = Source("modelplaneai/modelplane, issue 306", "2026-06")
CLUSTER_API = Source("kubernetes/autoscaler, pull requests 7804 and 10200", "2026-08")

REQUIREMENTS: tuple[Requirement, ...] = ()


def node_needs(share: Share, profile: Profile | None) -> NodeNeeds:
    """What the share needs of nodes with a DRA driver."""
    empty = (
        "a pool without nodes has no ResourceSlices: an autoscaler that makes none up adds no first node for "
        "a claim, so keep one node in the pool"
    )
    if share.whole_cards:
        by = (
            "Cluster Autoscaler on Cluster API makes them up from annotations (-o cluster-api), since 2026-08"
        )
    else:
        by = "the annotations of Cluster API (-o cluster-api) make up whole cards alone, and no parts of them"
    warnings = (NodeWarning(empty, EMPTY), NodeWarning(by, CLUSTER_API))
    return NodeNeeds((), (), warnings, cards_of_a_node(share, API))
