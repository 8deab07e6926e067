"""What nodes need for soft shares of Ascend cards, each with its source."""

from __future__ import annotations

from gpuxlate.backends.dialects.mindcluster import MindCluster
from gpuxlate.backends.requirements import (
    NodeLabel,
    NodeNeeds,
    NodeWarning,
    VendorDocument,
    cards_of_a_node,
)
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

LABELS = VendorDocument.of("Ascend/mind-cluster, docs/en/scheduling/api/k8s.md (2026-08-21)")
SOFT = VendorDocument.of("Ascend/mind-cluster, 01_soft_allocation_scheduling_inference.md (2026)")
ENABLED = NodeLabel(
    "huawei.com/scheduler.chip1softsharedev.enable",
    "true",
    'the scheduler places soft shares only on nodes with it; other nodes have "false"',
    LABELS,
)
_WARNINGS = (
    NodeWarning(
        "the device plug-in of these nodes needs -shareDevCount=100, -softShareDevConfigDir and "
        "-volcanoType=true; on Atlas A3 inference series -useSingleDieMode=true too",
        SOFT,
    ),
    NodeWarning(
        "containers need the library of vCANN-RT: libvruntime.so and ld.so.preload are mounted", SOFT
    ),
)


def node_requirements(_backend: MindCluster, share: Share, profile: Profile | None) -> NodeNeeds:
    """The needs of a share at nodes with Ascend cards under MindCluster."""
    cards = cards_of_a_node(share, SOFT)
    if share.whole_cards:
        return NodeNeeds(requirements=cards)
    return NodeNeeds((ENABLED,), warnings=_WARNINGS, requirements=cards)
