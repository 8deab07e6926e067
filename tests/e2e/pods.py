"""Running pods as the vendors' schedulers leave them: on a node, with the scheduler's record of cards.

The records: VKE ``gpu-index-container-<name>`` and ``assumed`` (V, constants.go and utils.go); ACK
``scheduler.framework.gpushare.allocation`` (arena pkg/apis/utils/pods.go); TKE ``qgpu-pgpu-<container>`` (the
qGPU branch of elastic-ai/arena); HAMi and Volcano: device, type, MiB, percent (protocol.md, vgpu/utils.go).
"""

import json
from collections.abc import Mapping
from typing import Any

from . import nodes

Pod = dict[str, Any]
Limits = Mapping[str, int | str]

IMAGE = "registry.example.com/app:1"
ASSUMED_AT = "1763690000000000000"
"""A time in nanoseconds, as gpushare's scheduler writes it."""


def pod(
    name: str,
    node: str | None,
    limits: Limits | Mapping[str, Limits],
    *,
    namespace: str = "default",
    annotations: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    phase: str = "Running",
) -> Pod:
    """A pod with one container ``main``, or the containers that ``limits`` names; None: not placed yet."""
    many = {key: value for key, value in limits.items() if isinstance(value, Mapping)}
    asked: Mapping[str, Mapping[str, Any]] = many or {"main": limits}
    strings = {name: {key: str(value) for key, value in each.items()} for name, each in asked.items()}
    containers = [
        {"name": name, "image": IMAGE, "resources": {"limits": each}} for name, each in strings.items()
    ]
    metadata = {"name": name, "namespace": namespace, "labels": {"app": name, **(labels or {})}}
    metadata["annotations"] = dict(annotations or {})
    status: dict[str, Any] = {"phase": phase if node else "Pending"}
    if node and phase == "Running":
        status["startTime"] = nodes.SINCE
        status["conditions"] = [{"type": "Ready", "status": "True", "lastTransitionTime": nodes.SINCE}]
    spec = {"containers": containers, **({"nodeName": node} if node else {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def vke(name: str, node: str, limits: Any, cards: Mapping[str, str], **other: Any) -> Pod:
    """``cards``: for each container the indices, ``{"main": "0,1"}``."""
    record = {f"vke.volcengine.com/gpu-index-container-{who}": where for who, where in cards.items()}
    record["vke.volcengine.com/assumed"] = "true"
    return pod(name, node, limits, annotations=record | other.pop("annotations", {}), **other)


def ack(name: str, node: str, limits: Any, cards: Mapping[int, Mapping[int, int]], **other: Any) -> Pod:
    """``cards``: container index to card index to units, ``{0: {1: 4}}``."""
    record = {
        "scheduler.framework.gpushare.allocation": json.dumps(cards, separators=(",", ":")),
        "scheduler.framework.gpushare.assigned": "true",
        "scheduler.framework.gpushare.assume-time": ASSUMED_AT,
    }
    return pod(name, node, limits, annotations=record | other.pop("annotations", {}), **other)


def tke(name: str, node: str, limits: Any, cards: Mapping[str, str], **other: Any) -> Pod:
    """``cards``: for each container the indices. What the marker ``qgpu`` holds is not documented."""
    record = {f"tke.cloud.tencent.com/qgpu-pgpu-{who}": where for who, where in cards.items()}
    record["tke.cloud.tencent.com/qgpu"] = "true"
    return pod(name, node, limits, annotations=record | other.pop("annotations", {}), **other)


def _limits(keys: str, *amounts: int | None) -> Limits:
    return {key: one for key, one in zip(keys.split(), amounts, strict=True) if one is not None}


def mgpu(cores: int, mib: int | None = None) -> Limits:
    """What a VKE container asks."""
    return _limits("vke.volcengine.com/mgpu-core vke.volcengine.com/mgpu-memory", cores, mib)


def gpushare(units: int, percent: int | None = None) -> Limits:
    """What an ACK container asks."""
    return _limits("aliyun.com/gpu-mem aliyun.com/gpu-core.percentage", units, percent)


def qgpu(cores: int, gib: int | None = None) -> Limits:
    """What a TKE container asks."""
    return _limits("tke.cloud.tencent.com/qgpu-core tke.cloud.tencent.com/qgpu-memory", cores, gib)


_TWO_CARDS = {
    "vke.volcengine.com/container-multiple-gpu": "2",
    "vke.volcengine.com/mgpu-compute-policy": "native-burst-share",
}
_GREEDY = {"tke.cloud.tencent.com/qgpu-core-greedy": 10, "tke.cloud.tencent.com/qgpu-memory": 5}
_OFFLINE = {"tke.cloud.tencent.com/app-class": "offline"}

VKE = [
    vke("vke-a", "vke-fixed", mgpu(30, 4096), {"main": "0"}),
    vke("vke-b", "vke-fixed", mgpu(50, 8192), {"main": "0"}),
    vke("vke-two-containers", "vke-fixed", {"web": mgpu(20, 2048), "log": {}}, {"web": "1"}),
    vke("vke-two-cards", "vke-native", mgpu(60, 8192), {"main": "2,3"}, annotations=_TWO_CARDS),
    vke("vke-whole-card", "vke-native", mgpu(100), {"main": "0"}),
    pod("vke-no-record", "vke-fixed", mgpu(10, 1024)),
    pod("vke-pending", None, mgpu(90, 20480)),
    pod("vke-done", "vke-fixed", mgpu(90, 16384), phase="Succeeded"),
]
ACK = [
    ack("ack-a", "ack-cgpu", gpushare(4), {0: {1: 4}}),
    ack("ack-two-cards", "ack-cgpu", gpushare(8), {0: {2: 4, 3: 4}}, labels={"aliyun.com/gpu-count": "2"}),
    ack("ack-compute", "ack-core-mem", gpushare(6, 30), {0: {0: 6}}),
    pod("ack-no-record", "ack-cgpu", gpushare(3)),
    pod("ack-whole", "ack-default", {"nvidia.com/gpu": 1}),
]
TKE = [
    tke("tke-a", "tke-fixed", qgpu(20, 5), {"main": "0"}),
    tke("tke-two-cards", "tke-fixed", qgpu(160, 60), {"main": "0,1"}),
    tke("tke-offline", "tke-burst", _GREEDY, {"main": "1"}, annotations=_OFFLINE),
    pod("tke-no-record", "tke-fixed", qgpu(10, 2)),
]
_HAMI = {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 3000, "nvidia.com/gpucores": 30}
_VOLCANO = {"volcano.sh/vgpu-number": 1, "volcano.sh/vgpu-memory": 3000, "volcano.sh/vgpu-cores": 30}
_HAMI_RECORD = {"hami.io/vgpu-devices-allocated": f"{nodes.card_uuid('hami-1', 0)},NVIDIA,3000,30:;"}
_VOLCANO_RECORD = {"volcano.sh/vgpu-ids-new": f"{nodes.card_uuid('volcano-1', 1)},NVIDIA,3000,30:"}
OTHERS = [
    pod("hami-a", "hami-1", _HAMI, annotations=_HAMI_RECORD),
    pod("volcano-a", "volcano-1", _VOLCANO, annotations=_VOLCANO_RECORD),
]
PLAIN = [pod("cpu-only", "cpu-1", {"cpu": "1"})]
ALL = [*VKE, *ACK, *TKE, *OTHERS, *PLAIN]
