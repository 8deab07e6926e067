"""What people have in their manifests, field by field: the rows of the tables "what becomes of it".

Each is a pod in short form: its limits, and where needed labels, annotations, node selector, environment
and required affinity. One row of each vendor is the usual share, which the others are told against.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

VKE = "vke.volcengine.com/"
TKE = "tke.cloud.tencent.com/"
TKE_POLICY = TKE + "qgpu-schedule-policy"


@dataclass(frozen=True)
class Row:
    """``what``: the field or feature, in words. Values as YAML holds them."""

    what: str
    limits: dict[str, Any]
    annotations: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    node_selector: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    affinity: dict[str, list[str]] = field(default_factory=dict)
    fill: int = 30  # percent of each card, where a target asks for compute

    @property
    def pod(self) -> dict[str, Any]:
        """The whole Pod."""
        container: dict[str, Any] = {"name": "main", "image": "main:1", "resources": {"limits": self.limits}}
        if self.env:
            container["env"] = [{"name": name, "value": value} for name, value in self.env.items()]
        spec: dict[str, Any] = {"containers": [container]}
        if self.node_selector:
            spec["nodeSelector"] = dict(self.node_selector)
        if self.affinity:
            expressions = [{"key": k, "operator": "In", "values": v} for k, v in self.affinity.items()]
            terms = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
            spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
        metadata: dict[str, Any] = {"name": "pod"}
        if self.labels:
            metadata["labels"] = dict(self.labels)
        if self.annotations:
            metadata["annotations"] = dict(self.annotations)
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _vke(
    what: str, cores: int | None, memory: int | None = None, reclaimed: int | None = None, **rest: Any
) -> Row:
    resources = {"mgpu-core": cores, "reclaimed-mgpu-core": reclaimed, "mgpu-memory": memory}
    return Row(what, {VKE + name: number for name, number in resources.items() if number is not None}, **rest)


def _policy(name: str, **others: str) -> dict[str, str]:
    return {
        VKE + "mgpu-compute-policy": name,
        **{VKE + key.replace("_", "-"): v for key, v in others.items()},
    }


def _qos(level: str) -> dict[str, str]:
    return {"katalyst.kubewharf.io/qos_level": level}


def _ack(what: str, memory: int, cores: int | None = None, **rest: Any) -> Row:
    limits = {"aliyun.com/gpu-mem": memory, "aliyun.com/gpu-core.percentage": cores}
    return Row(what, {name: number for name, number in limits.items() if number is not None}, **rest)


def _mode(name: str) -> dict[str, str]:
    return {"ack.node.gpu.schedule": name}


def _tke(
    what: str, cores: str | None, memory: str | None = None, greedy: str | None = None, **rest: Any
) -> Row:
    limits = {"qgpu-core": cores, "qgpu-core-greedy": greedy, "qgpu-memory": memory}
    return Row(what, {TKE + name: number for name, number in limits.items() if number is not None}, **rest)


def _class(name: str) -> dict[str, str]:
    return {TKE + "app-class": name}


ROWS: dict[str, tuple[Row, ...]] = {
    "volcengine-mgpu": (
        _vke("compute and memory", 30, 4096),
        _vke("compute not a multiple of 5 %", 33, 4096),
        _vke("memory not in whole GiB", 30, 5000),
        _vke("less than 1 GiB", 10, 512),
        _vke("nearly all compute", 99, 4096),
        _vke("whole cards", 200),
        _vke("policy `fixed-share`", 30, 4096, annotations=_policy("fixed-share")),
        _vke("policy `guaranteed-burst-share`", 30, 4096, annotations=_policy("guaranteed-burst-share")),
        _vke("policy `native-burst-share`", 30, 4096, annotations=_policy("native-burst-share")),
        _vke("online", 30, 4096, annotations=_qos("shared_cores")),
        _vke("offline", None, 4096, 30, annotations=_qos("reclaimed_cores")),
        _vke("two cards, more than half of each", 160, 32768,
             annotations=_policy("native-burst-share", container_multiple_gpu="2")),
        _vke("two cards, half or less of each", 60, 16384,
             annotations=_policy("native-burst-share", container_multiple_gpu="2")),
        _vke("four cards", 240, 32768, annotations=_policy("native-burst-share", container_multiple_gpu="4")),
        _vke("card model", 30, 4096,
             node_selector={"machine.cluster.vke.volcengine.com/gpu-name": "NVIDIA-A10"}),
        _vke("written by the scheduler", 30, 4096,
             annotations={VKE + "assumed": "true", VKE + "gpu-index-container-main": "0"}),
    ),
    "alibaba-gpushare": (
        _ack("compute and memory", 4, 30, node_selector=_mode("core_mem")),
        _ack("memory only, isolated", 4, node_selector=_mode("cgpu")),
        _ack("memory only, not isolated", 4, node_selector=_mode("share")),
        _ack("all compute, part of the memory", 4, 100, node_selector=_mode("core_mem")),
        _ack("two cards", 8, labels={"aliyun.com/gpu-count": "2"}, node_selector=_mode("cgpu"), fill=60),
        Row("whole cards", {"nvidia.com/gpu": 2}),
        _ack("isolation switched off", 4, 30, node_selector=_mode("core_mem"), env={"CGPU_DISABLE": "true"}),
        _ack("card model", 4, 30,
             node_selector=_mode("core_mem") | {"aliyun.accelerator/nvidia_name": "NVIDIA-A10"}),
        _ack("placement", 4, 30, node_selector=_mode("core_mem") | {"ack.node.gpu.placement": "spread"}),
        _ack("written by the scheduler", 4, 30, node_selector=_mode("core_mem"),
             annotations={"scheduler.framework.gpushare.assigned": "true"}),
    ),
    "tencent-qgpu": (
        _tke("compute and memory", "30", "4"),
        _tke("whole cards", "200"),
        _tke("whole cards with memory", "100", "20"),
        _tke("two cards", "160", "32"),
        _tke("policy `fixed-share`", "30", "4", affinity={TKE_POLICY: ["fixed-share", "fs"]}),
        _tke("policy `burst-share`", "30", "4", node_selector={TKE_POLICY: "bs"}),
        _tke("policy `best-effort`", "30", "4", node_selector={TKE_POLICY: "best-effort"}),
        _tke("online", None, "4", annotations=_class("online")),
        _tke("offline", None, "4", "30", annotations=_class("offline")),
        _tke("label of qGPU nodes", "30", "4", node_selector={"qgpu-device-enable": "enable"}),
        _tke("written by the scheduler", "30", "4",
             annotations={TKE + "qgpu": "true", TKE + "qgpu-pgpu-main": "0"}),
    ),
}  # fmt: skip
"""By the target that a manifest comes from."""
