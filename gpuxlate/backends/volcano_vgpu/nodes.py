"""What nodes and clusters need for Volcano vGPU, each with its source."""

from __future__ import annotations

from gpuxlate.backends.requirements import (
    MinVersion,
    NodeNeeds,
    NodeWarning,
    Requirement,
    VendorDocument,
    cards_of_a_node,
)
from gpuxlate.backends.target import Backend
from gpuxlate.backends.volcano_vgpu import COMPONENT, NUMBER
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.rules import releases

GUIDE = VendorDocument.of("volcano-sh/volcano, docs/user-guide/how_to_use_volcano_vgpu.md (2026-08-20)")
DESIGN = VendorDocument.of("Project-HAMi/volcano-vgpu-device-plugin, doc/design.md (2026-08-17)")
CONFIGURATION = VendorDocument.of(
    "volcano-sh/volcano, pkg/scheduler/api/devices/config: its defaults have no name of it (2026-08-20)"
)

KUBERNETES = Requirement("Kubernetes", "kubernetesVersion", MinVersion(releases.KUBERNETES, NUMBER), GUIDE)
VOLCANO = Requirement("Volcano", "components.volcano", MinVersion(COMPONENT, NUMBER), GUIDE)
REQUIREMENTS: tuple[Requirement, ...] = (KUBERNETES, VOLCANO)

_ALWAYS = (
    NodeWarning("set deviceshare.VGPUEnable: true in the configuration of the scheduler", GUIDE),
    NodeWarning(
        "the plugin registers a device for each unit of memory, and kubelet accepts about 60000: raise "
        "gpuMemoryFactor on large nodes, and set memoryUnitMiB in the profile",
        DESIGN,
    ),
)
_OF_PERCENT = NodeWarning(
    "set resourceMemoryPercentageName in the device configuration of the scheduler: without it a container "
    "with a percentage has all memory",
    CONFIGURATION,
)


def node_requirements(_backend: Backend, share: Share, profile: Profile | None) -> NodeNeeds:
    """The needs of a share at nodes with the vGPU device plugin."""
    warnings = _ALWAYS if share.memory_percent is None else (*_ALWAYS, _OF_PERCENT)
    return NodeNeeds(warnings=warnings, requirements=(*REQUIREMENTS, *cards_of_a_node(share, GUIDE)))
