"""Pods drawn at random, as people write them: shares of any dialect, right ones and wrong ones."""

import json
from random import Random
from typing import Any

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.model.keys import Place
from tests.policy.engine import Object

KEYS = "gpuxlate.io/"


def neutral(random: Random) -> Object:
    """A pod with one to three shares; numbers as people write them, and around the grids."""
    containers = [_container(random, f"c{n}") for n in range(random.choice((1, 1, 1, 1, 2, 2, 3)))]
    spec: Object = {"containers": containers}
    if random.random() < 0.1:
        spec["initContainers"] = [_container(random, "init")]
    annotations = {
        f"{KEYS}{name}": random.choice(words)
        for name, words in (
            ("policy", ("fixed-share", "burst-share", "best-effort")),
            ("qos", ("online", "offline")),
            ("isolation", ("none", "soft", "hardware")),
        )
        if random.random() < 0.15
    }
    if random.random() < 0.05:
        annotations[f"{KEYS}{random.choice(('policy', 'device-vendor', 'team'))}"] = "nvidia"
    if random.random() < 0.1:
        spec["nodeSelector"] = {"disk": "ssd"}
    if random.random() < 0.05:
        spec["schedulerName"] = random.choice(("volcano", "default-scheduler", "mine"))
    if random.random() < 0.05:
        containers[:] = [{"name": "c0", "image": "web:1", "resources": {"limits": {"cpu": "1"}}}]
    if random.random() < 0.2:
        terms = [
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": [name]}]}
            for name in random.choice((("a",), ("a", "b")))
        ]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        spec["affinity"] = {"nodeAffinity": required}
    found = pod_of(spec, annotations)
    if random.random() < 0.2:
        put_beside(found, *random.choice(BESIDE))
    return found


BESIDE = (
    ("annotations", "vke.volcengine.com/mgpu-compute-policy", "fixed-share"),
    ("annotations", "tke.cloud.tencent.com/app-class", "online"),
    ("annotations", "metax-tech.com/sgpu-qos-policy", "fixed-share"),
    ("annotations", "nvidia.com/use-gputype", "A10"),
    ("annotations", "katalyst.kubewharf.io/qos_level", "shared_cores"),
    ("annotations", "gpu-fraction", "0.5"),
    ("annotations", "huawei.com/npu-core", "1Gi"),
    ("labels", "aliyun.com/gpu-count", "2"),
    ("labels", "koordinator.sh/gpu-isolation-provider", "HAMi-core"),
    ("labels", "kai.scheduler/queue", "team"),
    ("nodeSelector", "node.kubernetes.io/instance-type", "ecs.gn7i-c8g1.2xlarge"),
    ("nodeSelector", "ack.node.gpu.schedule", "share"),
    ("nodeSelector", "cloud.google.com/gke-nodepool", "gpus"),
    ("required", "tke.cloud.tencent.com/qgpu-schedule-policy", "fixed-share"),
    ("required", "gpuxlate.io/policy", "fixed-share"),
    ("preferred", "aliyun.accelerator/nvidia_name", "A10"),
    ("preferred", "node.kubernetes.io/instance-type", "ecs.gn7i-c8g1.2xlarge"),
    ("tolerations", "virtual-kubelet.io/provider", "alibabacloud"),
    ("env", "CGPU_DISABLE", "true"),
    ("env", "CUDA_DISABLE_CONTROL", "true"),
)
"""What a pod may have beside its shares: keys of some dialect or product, and choices of machines."""


def put_beside(pod: Object, place: str, key: str, value: str) -> Object:
    """The pod with one of them, in its place."""
    spec = pod["spec"]
    term = {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}
    if place in ("annotations", "labels"):
        pod["metadata"].setdefault(place, {})[key] = value
    elif place == "nodeSelector":
        spec.setdefault("nodeSelector", {})[key] = value
    elif place == "tolerations":
        spec["tolerations"] = [{"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}]
    elif place == "env":
        spec["containers"][0]["env"] = [{"name": key, "value": value}]
    else:
        terms: Object = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        if place == "preferred":
            terms = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": term}]}
        spec["affinity"] = {"nodeAffinity": terms}
    return pod


def pod_of(spec: Object, annotations: Object) -> Object:
    metadata = {"name": "web", "annotations": annotations, "labels": {"app": "web"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


USUAL = (1024, 2048, 4096, 8192)


def _container(random: Random, name: str) -> Object:
    limits: Object = {"cpu": "1"}
    cards = random.choice((1,) * 12 + (2, 2, 2, 3, 4, 8, 9, 17))
    if cards > 1 or random.random() < 0.3:
        limits[f"{KEYS}cards"] = str(cards)
    whole = random.random() < 0.15
    if not whole and random.random() < 0.8:
        each = random.choice((*range(5, 105, 5), *range(5, 105, 5), 1, 6, 33, 51, 94, 97, 99, 100, 101))
        limits[f"{KEYS}cores"] = str(each * cards + random.choice((0,) * 19 + (1,)))
    if not whole and random.random() < 0.8:
        each = random.choice((*USUAL, 16384, 24576, *USUAL[1:], 1000, 100, 256, 1023, 1025, 3 * 1024, 98304))
        limits[f"{KEYS}memory-mib"] = str(each * cards + random.choice((0,) * 19 + (1,)))
    elif not whole and random.random() < 0.3:
        limits[f"{KEYS}memory-percent"] = str(random.choice((10, 25, 50, 99, 100, 101)))
    if random.random() < 0.03:
        limits[random.choice((f"{KEYS}memory-limit-mib", "nvidia.com/gpu", f"{KEYS}core"))] = "9216"
    if random.random() < 0.15:
        limits = {"cpu": "1"}
    return {"name": name, "image": "web:1", "resources": {"limits": limits}}


NUMBERS = (1, 4, 8, 10, 16, 20, 30, 33, 50, 100, 120, 200, 300, 1024, 4096, 8192)


def of_dialect(random: Random, source: str) -> Object | None:
    """The same in the keys of a dialect; sometimes with other numbers. None where it has none such."""
    pod = neutral(random)
    backend = registry.get(source)
    if backend.read_only:
        rows = [row for row in backend.keys if Place.RESOURCE in row.places and row.unit]
        for one in pod["spec"]["containers"]:
            some = random.sample(rows, random.choice((1, min(2, len(rows)))))
            one["resources"]["limits"] = {row.name: str(random.choice(NUMBERS)) for row in some}
        return pod
    given: Any = {"to": source, "round": "up", "drop": ("policy", "qos", "isolation", "cores")}
    try:
        found = json.loads(gpuxlate.translate(json.dumps(pod), **given).text)
    except gpuxlate.Refused:
        return None
    for one in found["spec"]["containers"]:
        limits = one["resources"]["limits"]
        for key in limits:
            if "/" in key and random.random() < 0.1:
                limits[key] = str(random.choice((1, 2, 33, 120, 200, 5000)))
        whole = backend.whole_card_key
        if whole and random.random() < 0.2:
            one["resources"]["limits"] = {whole: str(random.choice((1, 1, 2, 4, 17)))}
    return found  # type: ignore[no-any-return]


# --- mistakes in names of keys --------------------------------------------------------------------

PLACES = ("limits", "labels", "annotations", "nodeSelector", "required", "preferred")
KEY_ROWS = [row for one in registry.pod_backends() for row in one.keys]


def with_mistake(random: Random, source: str) -> Object:
    """A pod of a dialect with a misspelt key, a known key in any place, or a resource of another dialect."""
    backend = registry.get(source)
    pod = (None if backend.read_only else of_dialect(random, source)) or neutral(random)
    mistake = random.choice(("misspelt", "misplaced", "two dialects"))
    if mistake == "two dialects":
        resources = [row.name for row in KEY_ROWS if Place.RESOURCE in row.places and "/" in row.name]
        return put_key(pod, "limits", _written(random.choice((*resources, "nvidia.com/gpu"))), random)
    rows = random.choice((backend.keys, KEY_ROWS))
    key = _written(random.choice([row.name for row in rows if "/" in row.name]))
    if mistake == "misspelt":
        prefixes = [one for one in backend.gpu_prefixes if "/" in one] or ["vke.volcengine.com/mgpu"]
        own = [row.name for row in backend.keys if row.name.startswith(tuple(prefixes))]
        key = _misspelt(random, _written(random.choice([*own, *prefixes])))
    return put_key(pod, random.choice(PLACES), key, random)


def _written(name: str) -> str:
    return name.replace("*", "x1")


def _misspelt(random: Random, key: str) -> str:
    """With a letter behind the slash twice, missing, or another, or with one more."""
    start = key.index("/") + 1
    at = random.randrange(start, len(key)) if start < len(key) else start
    letter = key[at : at + 1]
    wrong = random.choice((letter * 2, "", "x", f"{letter}s"))
    return f"{key[:at]}{wrong}{key[at + 1 :]}".rstrip(".-_") + random.choice(("", "", "s"))


def put_key(pod: Object, place: str, key: str, random: Random) -> Object:
    """The pod with the key in a place, with a value that an API server takes there."""
    if place != "limits":
        return put_beside(pod, place, key, random.choice(("1", "2", "true", "share")))
    container = random.choice(pod["spec"]["containers"])
    container["resources"]["limits"][key] = random.choice(("0", "1", "2"))
    return pod
