"""What nodes and clusters need for Ascend vNPU under HAMi, each with its source."""

from __future__ import annotations

from gpuxlate.backends.ascend import ASCEND_DRIVER, MODE, AscendProfile, HamiAscend
from gpuxlate.backends.hami_nodes import node_view, placements
from gpuxlate.backends.requirements import (
    MinVersion,
    NodeNeeds,
    NodeWarning,
    Requirement,
    VendorDocument,
    cards_of_a_node,
)
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

__all__ = ["REQUIREMENTS", "node_requirements", "node_view", "placements"]

SHARING = VendorDocument.of("Project-HAMi/website, ascend-device/enable-ascend-sharing.md (2026-08-21)")
CHART = VendorDocument.of("Project-HAMi/HAMi, charts/hami/values.yaml (2026-08-21)")
RUNTIME = VendorDocument.of("Project-HAMi/ascend-device-plugin, docs/volcano.md (2026-07-24)")

DRIVER = Requirement(
    "the Ascend driver", "components.ascendDriver", MinVersion(ASCEND_DRIVER, MODE), SHARING, "hami-core"
)
REQUIREMENTS: tuple[Requirement, ...] = (DRIVER,)
_RUNTIME = NodeWarning(
    "every pod needs runtimeClassName: ascend: set devices.ascend.runtimeClassName of the chart, which is "
    "empty unless set, or write it in the pods",
    RUNTIME,
)
_HAMI_CORE = (
    NodeWarning(
        "set devices.ascend.hamiVnpuMode: hami-core in the chart, before HAMi 2.11 hamiVnpuCore: true, or "
        'the annotation hami-vnpu-core: "true" on the nodes: else no node takes a pod with the mode '
        "hami-core",
        CHART,
    ),
    NodeWarning(
        "the mode hami-core needs ARM nodes, and npu-smi set -t device-share on their cards", SHARING
    ),
)


def node_requirements(_backend: HamiAscend, share: Share, profile: Profile | None) -> NodeNeeds:
    """The needs of a share at nodes with Ascend cards: templates, or the mode hami-core."""
    by_library = not share.whole_cards and AscendProfile.of(profile).parts != "templates"
    return NodeNeeds(
        warnings=(_RUNTIME, *(_HAMI_CORE if by_library else ())),
        requirements=(*(REQUIREMENTS if by_library else ()), *cards_of_a_node(share, SHARING)),
    )
