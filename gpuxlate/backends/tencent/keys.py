"""The data sheet of Tencent TKE qGPU, and profiles in its terms.

The short names of its sources are those of the page of documents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gpuxlate.backends.base import GIB, Absent, Cloud, Key, Per, Place, Range, key
from gpuxlate.backends.rows import cores, memory, written
from gpuxlate.model.messages import Message, say
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.model.share import Policy, Qos

MODULE = "components.qgpuModule"
"""The fact of a profile: the version of the kernel module on nodes."""
NAMES = ("tencent-qgpu", "tencent", "tke")
"""What a profile may call this target."""

CORE = "tke.cloud.tencent.com/qgpu-core"
MEMORY = "tke.cloud.tencent.com/qgpu-memory"
GREEDY = "tke.cloud.tencent.com/qgpu-core-greedy"
APP_CLASS = "tke.cloud.tencent.com/app-class"
POLICY = "tke.cloud.tencent.com/qgpu-schedule-policy"
VERSION = "tke.cloud.tencent.com/qgpu.version"
RECORD = "tke.cloud.tencent.com/qgpu-pgpu-"  # before the name of a container
NODES = (Place.NODE_SELECTOR, Place.NODE)
DEVICE_ENABLE, MIXED_ENABLE, ENABLED = "qgpu-device-enable", "mixed-qgpu-enable", "enable"

SPELLINGS: Mapping[Policy, tuple[str, str]] = {
    policy: (str(policy), "".join(word[0] for word in policy.split("-")))
    for policy in (Policy.BEST_EFFORT, Policy.FIXED_SHARE, Policy.BURST_SHARE)
}
"""The full name and the abbreviation, ``be``; a node pool may carry either (S003)."""
POLICY_OF: Mapping[str, Policy] = {text: policy for policy, both in SPELLINGS.items() for text in both}
POLICY_NAMES = ", ".join(f"{full} ({short})" for full, short in SPELLINGS.values())
CLASSES: Mapping[str, Qos] = {"online": Qos.ONLINE, "offline": Qos.OFFLINE}
"""Values of APP_CLASS, exactly (TC81034)."""

CORE_STEP, FULL = 5, 100
"""Percent: minimum and step of one card, and a whole one (S003)."""
MAX_SHARED_CARDS, MAX_SHARES = 2, 16
"""Most cards that a container shares (TC117759, 2026-01-13), and most qGPU devices on one card (S003)."""
ONE_CARD, WHOLE_CARDS = Range(CORE_STEP, FULL, CORE_STEP), Range(FULL, None, FULL)


def is_whole(core: int) -> bool:
    """CORE is N whole cards (S003)."""
    return core >= FULL and core % FULL == 0


def cards_of(core: int) -> int:
    """The cards that CORE covers: ``ceil(core / 100)``, implied by 160 -> 2 and 121 -> 2 (TC127667)."""
    return max(1, -(-core // FULL))


def tell(text: str, **values: Any) -> Message:
    """A text with the names of the keys in it."""
    return say(text, core=CORE, memory=MEMORY, greedy=GREEDY, app_class=APP_CLASS, policy=POLICY, **values)


KEYS: tuple[Key, ...] = (
    cores(
        CORE,
        meaning="compute, total",
        per=Per.TOTAL,
        values=(ONE_CARD, Range(FULL + 1, MAX_SHARED_CARDS * FULL), WHOLE_CARDS),
        excludes=(GREEDY,),
        source="S003, TC127667",
    ),
    # the pages write G or GB; the capacities of the nodes are GiB, rounded down (QD, EA)
    memory(
        MEMORY,
        meaning="GPU memory, total",
        unit=GIB,
        per=Per.TOTAL,
        absent=Absent.ALL,
        source="S003, TC127667",
    ),
    cores(
        GREEDY,
        meaning="offline compute",
        per=Per.TOTAL,
        offline=True,
        needs=(MEMORY,),
        excludes=(CORE,),
        source="TC81034",
    ),
    key(APP_CLASS, Place.ANNOTATION, meaning="colocation class", says="qos", words=CLASSES, source="TC81034"),
    key(POLICY, *NODES, meaning="policy of the node", says="policy", words=POLICY_OF, source="S003"),
    key(DEVICE_ENABLE, *NODES, meaning="qGPU on the node", idle=(ENABLED,), source="QD"),
    key(MIXED_ENABLE, Place.NODE, meaning="colocation on the node", source="QD, older pages only"),
    key(VERSION, Place.NODE, meaning="kernel module", source="TC117759"),
    written("tke.cloud.tencent.com/qgpu", meaning="scheduled", source="EA"),
    written(f"{RECORD}*", meaning="card indexes", source="EA"),
    written("elasticgpu.io/assumed", meaning="scheduled", source="EA"),
    written("elasticgpu.io/container-*", meaning="card indexes", source="EA"),
)

CLOUD = Cloud(
    ("tencent.com", "com.tencent.cloud.csi.cbs"),
    re.compile(r"[A-Z0-9]+[a-z]*\.(?:[0-9]*X?LARGE|MEDIUM|SMALL)[0-9]+|eklet"),
)
"""Labels of its nodes (``tke.cloud.tencent.com/nodepool-id``) and of its disks
(``topology.com.tencent.cloud.csi.cbs/zone``), the taint of its super nodes
(``eks.tke.cloud.tencent.com/eklet``); machine types: ``GN10Xp.2XLARGE40``, and ``eklet`` for super nodes (TKE
457/45561 and 457/40027)."""

# --- what a profile holds about a cluster; None where it does not, or is of another target -----------


def node_policy(profile: Profile | None) -> Policy | None:
    """The policy of the nodes, in either spelling."""
    return POLICY_OF.get(profile.policy or "") if profile and profile.target in NAMES else None


def other_policy(chosen: str, on_nodes: str) -> Message:
    """The policy of a pod is not that of the nodes of a profile."""
    text = "the pod chooses nodes with {chosen}; nodes in this profile have {policy}"
    return say(text, chosen=chosen, policy=on_nodes)


def card_gib(profile: Profile | None) -> int | None:
    """Units of qgpu-memory on one card: whole GiB, rounded down (capacity of a T4: 14)."""
    memory_mib = card_of(profile, NAMES).memory_mib
    return None if memory_mib is None else memory_mib // GIB


def too_old(profile: Profile | None, fact: str) -> str | None:
    """The version of a component in the profile, where TKE needs a later one."""
    from gpuxlate.backends.requirements import unmet
    from gpuxlate.backends.tencent.nodes import REQUIREMENTS  # where there is a profile to check

    ours = profile is not None and profile.target in NAMES
    needs = [one for one in REQUIREMENTS if ours and one.fact == fact]
    return next((lack.found for lack in unmet(profile, needs)), None)


def old_addon(profile: Profile | None) -> tuple[Message, str] | None:
    """Message and hint where the qGPU add-on is too old for two shared cards (TC127667)."""
    version = too_old(profile, "components.qgpu")
    text = "two shared cards need the qGPU add-on 1.1.1 or later; this profile has {version}"
    return (say(text, version=version), "upgrade the add-on, or request one card") if version else None
