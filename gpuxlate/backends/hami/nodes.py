"""What nodes need for HAMi, each with its source."""

from __future__ import annotations

from gpuxlate.backends.hami import split_count
from gpuxlate.backends.hami_nodes import node_view, placements
from gpuxlate.backends.requirements import NodeLabel, NodeNeeds, NodeWarning, VendorDocument, cards_of_a_node
from gpuxlate.backends.target import Backend
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

__all__ = ["node_requirements", "node_view", "placements"]

GUIDE = VendorDocument.of("Project-HAMi/HAMi, README: preparing your GPU nodes (2026-08-21)")
FAQ = VendorDocument.of("Project-HAMi/website, docs/faq/faq.md (2026-08-21)")
CHART = VendorDocument.of("Project-HAMi/HAMi, charts/hami/values.yaml (2026-08-21)")

ISSUE = VendorDocument.of("Project-HAMi/HAMi, issue 1099 and pull request 2874 (2026-10)")
PULL = VendorDocument.of("Project-HAMi/HAMi, pull request 2046 (2026-07)")


def node_requirements(_backend: Backend, share: Share, profile: Profile | None) -> NodeNeeds:
    """The needs of a share at the nodes that HAMi manages."""
    label = NodeLabel("gpu", "on", "HAMi manages only nodes with it", GUIDE)
    warnings = [
        NodeWarning("run no other NVIDIA device plugin on the node: both register nvidia.com/gpu", FAQ),
    ]
    if not share.whole_cards:
        maximum = split_count(profile)
        text = msg("a card holds at most {most} tasks (deviceSplitCount of the chart)", most=maximum)
        warnings.append(NodeWarning(text, CHART))
        warnings.append(
            NodeWarning(
                "gpumem and gpucores are not allocatable: Cluster Autoscaler adds no node for them, unless "
                "devicePlugin.reportNodeCapacity of the chart is true (HAMi 2.11)",
                ISSUE,
            )
        )
        warnings.append(
            NodeWarning(
                "where the extender simulates nodes, groups with a node scale up, and empty ones do not",
                PULL,
            )
        )
    return NodeNeeds((label,), (), tuple(warnings), cards_of_a_node(share, GUIDE))
