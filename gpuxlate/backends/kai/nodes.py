"""What nodes need for KAI Scheduler, each with its source."""

from __future__ import annotations

from gpuxlate.backends.requirements import NodeNeeds, NodeWarning, VendorDocument, cards_of_a_node
from gpuxlate.backends.target import Backend
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

README = VendorDocument.of("kai-scheduler/KAI-Scheduler, docs/gpu-sharing/README.md (2026-08-07)")
ISSUE = VendorDocument.of("kai-scheduler/KAI-Scheduler, issue 706 (2026)")
ADJUSTER = VendorDocument.of("kai-scheduler/KAI-Scheduler, node-scale-adjuster (2026-08-07)")
NVFRACTIONS = VendorDocument.of(
    "kai-scheduler/KAI-Scheduler, docs/gpu-sharing/nv-fraction/README.md (2026-09)"
)


def node_requirements(_backend: Backend, share: Share, profile: Profile | None) -> NodeNeeds:
    """The needs of a share at the nodes that KAI schedules."""
    warnings = []
    if share.caps_memory:
        warnings.append(NodeWarning("see that the chart of KAI has GPU sharing on", README))
        text = (
            "an autoscaler sees pods of the node-scale-adjuster in place of these, with 0.1 card for MiB "
            "by default: it adds too many nodes or too few"
        )
        warnings.append(NodeWarning(text, ADJUSTER))
    if share.memory_mib is not None:
        text = "a node without the label nvidia.com/gpu.memory takes no pod that asks for MiB"
        warnings.append(NodeWarning(text, ISSUE))
    if share.memory_limit_mib is not None:
        text = "a limit above the request needs gpuSharingMode NvFractions, and nodes that report ready"
        warnings.append(NodeWarning(text, NVFRACTIONS))
    return NodeNeeds((), (), tuple(warnings), cards_of_a_node(share, README))
