"""GPU nodes as each vendor's components leave them, as plain objects.

Labels and resources: VKE from the mGPU documents (S0) and the vendor's scheduler code (V, constants and node
status); ACK from "Labels used by ACK to control GPUs" (2026-01-12), "multi-card sharing" (S002) and the
open device plugin; TKE from "qGPU" (S003) and "use CRDs to manage GPUs"; HAMi from its
docs/develop/protocol.md and register.go; Volcano from how_to_use_volcano_vgpu.md and vgpu/utils.go;
NVIDIA from NVIDIA/cloud-native-docs, gpu-operator/manifests/output (CND), and k8s-device-plugin, internal/lm;
GKE from its page on GPU sharing.
"""

import json
from collections.abc import Mapping
from typing import Any

Node = dict[str, Any]

A10_MIB = 22731
"""An A10 as EMR's mGPU page gives it (S4)."""
T4_MIB = 15109
"""One card of the two that the vendor's scheduler test sums up to 30218 MiB (V)."""
L20_MIB = 45470
"""An L20: qGPU shows 44 for it (DEMO), floor(MiB / 1024)."""

SINCE = "2026-11-01T00:00:00Z"
"""When every node and pod became what it is."""


def node(
    name: str,
    *,
    labels: Mapping[str, str] | None = None,
    resources: Mapping[str, int | str] | None = None,
    annotations: Mapping[str, str] | None = None,
    kubelet: str = "v1.28.9",
    image: str = "Debian GNU/Linux 12 (bookworm)",
    ready: bool = True,
    unschedulable: bool = False,
) -> Node:
    """A node with these extended resources, beside 32 CPUs and 128 GiB."""
    amounts = {"cpu": "32", "memory": "128Gi", "pods": "110"}
    amounts |= {key: str(value) for key, value in (resources or {}).items()}
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **(labels or {})}
    metadata = {"name": name, "labels": labels, "annotations": dict(annotations or {})}
    is_ready = {
        "type": "Ready",
        "status": str(ready),
        "reason": "KubeletReady" if ready else "KubeletNotReady",
    }
    is_ready |= {"lastHeartbeatTime": SINCE, "lastTransitionTime": SINCE}
    info = {"architecture": "amd64", "operatingSystem": "linux", "osImage": image, "kernelVersion": "5.10.0"}
    info |= {
        "kubeletVersion": kubelet,
        "kubeProxyVersion": kubelet,
        "bootID": "",
        "machineID": "",
        "systemUUID": "",
    }
    info["containerRuntimeVersion"] = "containerd://1.6.38"
    status = {"capacity": amounts, "allocatable": dict(amounts), "conditions": [is_ready], "nodeInfo": info}
    spec = {"unschedulable": True} if unschedulable else {}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def vke(
    name: str,
    *,
    cards: int = 2,
    card_mib: int = A10_MIB,
    model: str = "NVIDIA-A10",
    policy: str | None = "fixed-share",
    **other: Any,
) -> Node:
    """A VKE node with mGPU: 100 a card, MiB summed over the cards; no label means fixed-share."""
    labels = {"vke.node.gpu.schedule": "mgpu", "machine.cluster.vke.volcengine.com/gpu-name": model}
    if policy:
        labels["vke.volcengine.com/mgpu-compute-policy"] = policy
    other.setdefault("kubelet", "v1.28.15-vke.19")
    key = "vke.volcengine.com/mgpu"
    resources = {f"{key}-core": 100 * cards, f"{key}-memory": card_mib * cards}
    return node(name, labels=labels, resources=resources, **other)


def vke_whole(name: str, *, cards: int = 8, model: str = "NVIDIA-L20", **other: Any) -> Node:
    """A VKE node with whole cards."""
    labels = {"vke.node.gpu.schedule": "nvidia", "machine.cluster.vke.volcengine.com/gpu-name": model}
    other.setdefault("kubelet", "v1.28.15-vke.19")
    return node(name, labels=labels, resources={"nvidia.com/gpu": cards}, **other)


def ack(
    name: str,
    mode: str | None,
    *,
    cards: int = 4,
    card_mib: int = A10_MIB,
    model: str = "NVIDIA-A10",
    unit_mib: int = 1024,
    **other: Any,
) -> Node:
    """An ACK node in one mode (None: no label, as default); a mode sets the others' resources to 0."""
    labels = {
        "aliyun.accelerator/nvidia_name": model,
        "aliyun.accelerator/nvidia_mem": f"{card_mib}MiB",
        "aliyun.accelerator/nvidia_count": str(cards),
    }
    if mode is not None:
        labels["ack.node.gpu.schedule"] = mode
    if mode in (None, "default"):
        resources = {"nvidia.com/gpu": cards}
    elif mode == "topology":
        resources = {"nvidia.com/gpu": 0, "aliyun.com/gpu": cards}
    else:
        memory = cards * (card_mib // unit_mib)
        resources = {"nvidia.com/gpu": 0, "aliyun.com/gpu-mem": memory, "aliyun.com/gpu-count": cards}
        if mode == "core_mem":
            resources["aliyun.com/gpu-core.percentage"] = 100 * cards
    other.setdefault("kubelet", "v1.28.9-aliyun.1")
    return node(name, labels=labels, resources=resources, **other)


def tke(
    name: str,
    *,
    cards: int = 2,
    card_mib: int = L20_MIB,
    policy: str | None = "fixed-share",
    version: str = "3.0.5",
    **other: Any,
) -> Node:
    """A TKE node with qGPU: 100 a card, floor(GiB) of each card summed; without a label best-effort."""
    labels = {"qgpu-device-enable": "enable", "tke.cloud.tencent.com/qgpu.version": version}
    if policy:
        labels["tke.cloud.tencent.com/qgpu-schedule-policy"] = policy
    other.setdefault("kubelet", "v1.28.3-tke.9")
    key = "tke.cloud.tencent.com/qgpu"
    resources = {f"{key}-core": 100 * cards, f"{key}-memory": cards * (card_mib // 1024)}
    return node(name, labels=labels, resources=resources, **other)


def card_uuid(name: str, index: int) -> str:
    """A made-up UUID of card ``index`` of node ``name``."""
    return f"GPU-{name}-{index}"


def hami(name: str, *, cards: int = 2, card_mib: int = T4_MIB, split: int = 10, **other: Any) -> Node:
    """A HAMi node: each card counts ``split`` times as nvidia.com/gpu; the cards stand in an annotation."""
    card = {
        "count": split,
        "devmem": card_mib,
        "devcore": 100,
        "type": "NVIDIA-Tesla T4",
        "mode": "hami-core",
    }
    devices = [{"id": card_uuid(name, n), "index": n, **card, "health": True} for n in range(cards)]
    annotations = {"hami.io/node-nvidia-register": json.dumps(devices)}
    return node(name, annotations=annotations, resources={"nvidia.com/gpu": cards * split}, **other)


def hygon(name: str, *, cards: int = 2, card_mib: int = 65536, split: int = 4, **other: Any) -> Node:
    """A Hygon node under HAMi: its cards stand in an annotation of the older form (HAMi's devices.go)."""
    card = f"{split},{card_mib},100,DCU-K100_AI"
    register = "".join(f"{card_uuid(name, n)},{card},{n},true,{n},:" for n in range(cards))
    annotations = {"hami.io/node-dcu-register": register}
    return node(name, annotations=annotations, resources={"hygon.com/dcunum": cards * split}, **other)


def metax(name: str, *, cards: int = 2, card_mib: int = 65536, split: int = 16, **other: Any) -> Node:
    """A MetaX node with sGPU: its cards stand in an annotation of MetaX (HAMi's metax/protocol.go)."""
    amounts = {"DevCount": split, "Compute": 100, "VRam": card_mib}
    card = {f"{which}{what}": amount for which in ("total", "available") for what, amount in amounts.items()}
    devices = [{"uuid": card_uuid(name, n), "model": "MXC500", **card, "healthy": True} for n in range(cards)]
    annotations = {"metax-tech.com/node-gpu-devices": json.dumps(devices)}
    return node(name, annotations=annotations, resources={"metax-tech.com/sgpu": cards * split}, **other)


def volcano(name: str, *, cards: int = 2, card_mib: int = T4_MIB, split: int = 10, **other: Any) -> Node:
    """A node with Volcano's vGPU: number counts each card ``split`` times, memory is MiB over the cards."""
    card = f"{split},{card_mib},NVIDIA-Tesla T4,true,hami-core:"
    register = "".join(f"{card_uuid(name, n)},{card}" for n in range(cards))
    resources = {"volcano.sh/vgpu-number": cards * split, "volcano.sh/vgpu-memory": cards * card_mib}
    return node(name, annotations={"volcano.sh/node-vgpu-register": register}, resources=resources, **other)


H100 = {"1g.10gb": (2, 9984, 16), "2g.20gb": (1, 20096, 32), "3g.40gb": (1, 40320, 60)}
"""Instances, MiB and multiprocessors of an H100 with all-balanced (CND)."""


def _discovered(resource: str, **labels: int | str) -> dict[str, str]:
    return {f"{resource}.{name.replace('_', '-')}": str(value) for name, value in labels.items()}


def mig_mixed(name: str, *, cards: int = 1, **other: Any) -> Node:
    """H100 cards in the strategy mixed, under NVIDIA's operator (CND, mig-mixed-node-labels.json)."""
    product = "NVIDIA-H100-80GB-HBM3"
    labels = _discovered("nvidia.com/gpu", count=cards, memory=81559, product=product, replicas=0)
    labels |= _discovered("nvidia.com/mig", strategy="mixed", config="all-balanced", capable="true")
    labels["nvidia.com/mig.config.state"] = "success"
    for profile, (amount, mib, processors) in H100.items():
        slices = {"count": amount * cards, "memory": mib, "multiprocessors": processors, "replicas": 1}
        named = {"product": f"{product}-MIG-{profile}", "sharing_strategy": "none"}
        labels |= _discovered(f"nvidia.com/mig-{profile}", **slices, **named)
    labels |= other.pop("labels", {})
    resources = {f"nvidia.com/mig-{profile}": row[0] * cards for profile, row in H100.items()}
    return node(name, labels=labels, resources={"nvidia.com/gpu": 0, **resources}, **other)


def mig_single(name: str, *, cards: int = 2, profile: str = "1g.5gb", most: int = 7, **other: Any) -> Node:
    """A100 cards in the strategy single: the labels of cards are about their partitions."""
    product = f"NVIDIA-A100-SXM4-40GB-MIG-{profile}"
    labels = _discovered(
        "nvidia.com/gpu", count=cards * most, memory=4864, multiprocessors=14, product=product, replicas=1
    )
    labels |= _discovered("nvidia.com/mig", strategy="single", config=f"all-{profile}", capable="true")
    labels |= {"nvidia.com/mig.config.state": "success", **other.pop("labels", {})}
    return node(name, labels=labels, resources={"nvidia.com/gpu": cards * most}, **other)


def sliced(
    name: str,
    strategy: str = "time-slicing",
    *,
    cards: int = 2,
    of: int = 4,
    renamed: bool = False,
    **other: Any,
) -> Node:
    """T4 cards that clients share, under NVIDIA's device plugin."""
    product = "Tesla-T4" if renamed else "Tesla-T4-SHARED"
    labels = _discovered(
        "nvidia.com/gpu", count=cards, memory=15360, product=product, replicas=of, sharing_strategy=strategy
    )
    labels |= other.pop("labels", {})
    resource = "nvidia.com/gpu.shared" if renamed else "nvidia.com/gpu"
    return node(name, labels=labels, resources={resource: cards * of}, **other)


def gke(
    name: str,
    accelerator: str = "nvidia-tesla-t4",
    amount: int = 8,
    *,
    strategy: str | None = None,
    of: int | None = None,
    size: str | None = None,
    **other: Any,
) -> Node:
    """A node of GKE; its labels are those of its node pool."""
    labels = {"cloud.google.com/gke-accelerator": accelerator}
    labels |= {"cloud.google.com/gke-gpu-sharing-strategy": strategy} if strategy else {}
    labels |= {"cloud.google.com/gke-max-shared-clients-per-gpu": str(of)} if of else {}
    labels |= {"cloud.google.com/gke-gpu-partition-size": size} if size else {}
    labels |= other.pop("labels", {})
    return node(name, labels=labels, resources={"nvidia.com/gpu": amount}, **other)


VKE = [
    vke("vke-fixed"),
    vke("vke-burst", policy="guaranteed-burst-share"),
    vke("vke-native", policy="native-burst-share", cards=4),
    vke("vke-unlabelled", policy=None, card_mib=T4_MIB, model="Tesla-T4"),
    vke_whole("vke-whole"),
]
MODES = ("default", "cgpu", "core_mem", "share", "mps", "topology")
ACK = [ack("ack-absent", None), *(ack(f"ack-{mode.replace('_', '-')}", mode) for mode in MODES)]
TKE = [
    tke("tke-fixed"),
    tke("tke-fs", policy="fs"),
    tke("tke-burst", policy="burst-share"),
    tke("tke-unlabelled", policy=None, version="2.0.0"),
]
PARTS = [
    mig_mixed("mig-mixed"),
    mig_single("mig-single"),
    sliced("sliced"),
    sliced("mps", "mps", renamed=True),
    gke("gke-time", strategy="time-sharing", of=4),
    gke("gke-mig", "nvidia-tesla-a100", 21, size="1g.5gb", strategy="time-sharing", of=3),
    gke("gke-whole", "nvidia-l4", 2),
]
OTHERS = [hami("hami-1"), volcano("volcano-1")]
PLAIN = [
    node("whole-1", resources={"nvidia.com/gpu": 8}),
    node("cpu-1"),
    vke("vke-not-ready", ready=False),
    ack("ack-cordoned", "cgpu", unschedulable=True),
]
"""Whole cards on no vendor's node, no cards, a node that is not ready, one that takes no pods."""
ALL = [*VKE, *ACK, *TKE, *OTHERS, *PLAIN]
