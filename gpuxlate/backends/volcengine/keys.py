"""The rows of Volcengine VKE mGPU: keys, units, ranges, policies, each with its source (DOCUMENTS)."""

from __future__ import annotations

import re

from gpuxlate.backends.base import Absent, Cloud, Confidence, Key, Per, Place, Range, key
from gpuxlate.backends.rows import cores, memory, written
from gpuxlate.model.share import Policy, Qos
from gpuxlate.rules.predicates.conditions import InList

DOCUMENTS = {
    "S0": "Volcengine docs 6461/1581673, AI apps on shared GPUs (2025-06-04)",
    "S1": "Volcengine, mGPU online/offline colocation (2025-03-13)",
    "V": "volcano-sh/volcano pull request 3030, pkg/webhooks/admission/pods and "
    "pkg/scheduler/api/devices/nvidia/mgpu (2024-03)",
    "VD": "volcano-sh/volcano pull request 3030, design document (2024-03)",
    "Q": "copy of Volcengine docs 6460/182418, mGPU multi-card sharing (2024-09)",
    "R": "Volcengine docs 6460/159262, changes of the mgpu component",
    "VCI": "Volcengine docs 6460/76920, VCI pod annotations",
    "W": "scheduler configuration of a live cluster (2024-08)",
    "K": "kubewharf/katalyst-api, pkg/consts/qos.go",
    "A": "vllm-project/aibrix, samples for VKE (2026-11)",
}

NAMES = ("volcengine-mgpu", "volcengine", "vke")
"""Names of this target in a profile."""

CORE = "vke.volcengine.com/mgpu-core"
"""Percent of one card, total of the container: 1..99, or 100 x k for k whole cards (S1, V)."""
MEMORY = "vke.volcengine.com/mgpu-memory"  # miB, total of the container (S1, V)
RECLAIMED_CORE = "vke.volcengine.com/reclaimed-mgpu-core"
"""Offline compute, percent of one card, in place of CORE (S1)."""

POLICY = "vke.volcengine.com/mgpu-compute-policy"  # annotation of the pod, and label of the node (S0)
MULTIPLE_GPU = "vke.volcengine.com/container-multiple-gpu"
"""Annotation: cards of each container, in their order, 0 for one without a share (V, Q)."""
QOS = "katalyst.kubewharf.io/qos_level"  # annotation: the colocation class (S1)

POLICIES: dict[Policy, str] = {
    Policy.FIXED_SHARE: "fixed-share",
    Policy.BURST_SHARE: "guaranteed-burst-share",
    Policy.BEST_EFFORT: "native-burst-share",
}
"""S0 lists names and Chinese labels in this order."""
POLICY_NAMES = {str(own): text for own, text in POLICIES.items()}
"""A profile may use gpuxlate's names."""
POLICY_OF = {text: policy for policy, text in POLICIES.items()}
DEFAULT_POLICY = Policy.FIXED_SHARE  # of pods without the annotation, and of nodes without the label (S0, V)

QOS_LEVELS: dict[Qos, str] = {Qos.ONLINE: "shared_cores", Qos.OFFLINE: "reclaimed_cores"}
"""S1."""
QOS_OF = {text: qos for qos, text in QOS_LEVELS.items()}

SINGLE_CARD_MIN_MIB = 256
"""One card: V rejects less than 256; S0 says "greater than 256", so 256 itself is doubtful."""
MULTI_CARD_MIN_MIB = 1024  # several cards: minimum MiB per card (Q; V)
MULTI_CARD_MAX_MIB = 81920
"""Several cards: maximum MiB per card (Q, 2024); component v0.6.1 may have raised it."""
MAX_CARDS = 8  # maximum number of cards that a container shares (Q)
INSTANCES_PER_CARD = 16
"""Maximum number of containers on one card (V; the same in a live scheduler configuration)."""
FULL = 100  # percent of a whole card

NODE_DEVICE = "vke.node.gpu.schedule"  # node label: mgpu or nvidia (V)
MGPU_NODES = ("mgpu",)
"""NODE_DEVICE of the nodes that have mGPU."""
GPU_NAME = "machine.cluster.vke.volcengine.com/gpu-name"  # node label: card model
BURST_TO_VCI = "vke.volcengine.com/burst-to-vci"
"""Annotation (or label): ``enforce`` sends the pod to VCI, which has no mGPU (S0)."""

RESOURCES = (CORE, RECLAIMED_CORE, MEMORY)
"""What a container with mGPU has one of."""
LISTED = InList(MULTIPLE_GPU, RESOURCES)
"""The number of a container in MULTIPLE_GPU: V parses each part without trimming it."""

KEYS: tuple[Key, ...] = (
    cores(CORE, per=Per.TOTAL, values=(Range(),), excludes=(RECLAIMED_CORE,), source="S1, V"),
    cores(
        RECLAIMED_CORE,
        meaning="offline compute",
        per=Per.TOTAL,
        values=(Range(),),
        offline=True,
        excludes=(CORE, MULTIPLE_GPU),
        since="mgpu v0.6.0",
        confidence=Confidence.MEDIUM,
        source="S1",
    ),
    memory(
        MEMORY,
        per=Per.TOTAL,
        values=(Range(SINGLE_CARD_MIN_MIB),),
        needs=(CORE, RECLAIMED_CORE),
        absent=Absent.ALL,
        source="S0, S1, V",
    ),
    key(
        POLICY,
        Place.ANNOTATION,
        Place.NODE_SELECTOR,
        Place.NODE,
        says="policy",
        meaning="policy",
        values=tuple(POLICIES.values()),
        words=POLICY_OF,
        source="S0, S1, V",
    ),
    key(
        MULTIPLE_GPU,
        Place.ANNOTATION,
        says="cards",
        meaning="cards of each container",
        unit=1,
        per=Per.CONTAINER,
        values=(LISTED.FORM,),
        absent=Absent.ONE,
        since="mgpu v0.2.0",
        source="V, Q",
    ),
    key(
        QOS,
        Place.ANNOTATION,
        says="qos",
        meaning="colocation class",
        values=(*QOS_LEVELS.values(), "dedicated_cores", "system_cores"),  # the last two: Katalyst's own
        words=QOS_OF,
        general=True,
        source="S1, K",
    ),
    key(
        NODE_DEVICE,
        Place.NODE_SELECTOR,
        Place.NODE,
        meaning="device stack of the node",
        idle=MGPU_NODES,
        confidence=Confidence.MEDIUM,
        source="V",
    ),
    key(GPU_NAME, Place.NODE_SELECTOR, Place.NODE, meaning="card model", source="A"),
    written("vke.volcengine.com/assumed", meaning="scheduled", source="V"),
    written("vke.volcengine.com/gpu-index-container-*", meaning="card indexes", source="V"),
)

GPU_PREFIXES = ("vke.volcengine.com/mgpu", "vke.volcengine.com/reclaimed-mgpu")


CLOUD = Cloud(("volcengine.com",), re.compile(r"ecs\..+"))
"""Labels of its nodes (``cluster.vke.volcengine.com/machinepool-name``, all under ``vke.volcengine.com``: VKE
6460/1358690) and the taint of its virtual nodes (``vci.vke.volcengine.com/node-type``); machine types:
``ecs.gni2.3xlarge``."""
