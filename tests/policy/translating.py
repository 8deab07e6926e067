"""A cluster that translates, as the API server does: mutate, set defaults, validate what is there then.

``JSONPatch{...}`` is a type of the API server; here it is a mapping, and the patch is applied in Python.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import Place
from gpuxlate.policy.translate import Translating
from tests.policy.engine import Engine, Object, _value, as_served, compiled
from tests.rules.verdicts import pods_of

GENERAL = "GX026"


class Cluster:
    """Both policies of a translation."""

    def __init__(self, source: str, target: str, round_: str | None) -> None:
        self.options: Any = {"to": target, "from_": source, "round": round_}
        made = Translating(registry.get(source), registry.get(target), round_ == "up")
        mutating, _, refusing, _ = made.documents()
        [mutation] = mutating["spec"]["mutations"]
        lists = mutation["jsonPatch"]["expression"].split("\n+ ")  # cel-cpp takes no sum of so many
        self.patch = [compiled(as_mappings(one)) for one in lists]
        self.mutating = Engine({**mutating["spec"], "validations": []})
        self.refusing = Engine(refusing["spec"])

    def __call__(self, served: Object) -> tuple[Object, dict[str, list[str]]]:
        """The pod as it is stored, and why it is not, by code."""
        pod = json.loads(json.dumps(served))
        if self.mutating.matches(pod):
            data: Object = {"object": pod, "variables": {}}
            for name, expression in self.mutating.variables.items():
                data["variables"][name] = _value(expression, data)
            for one in [found for part in self.patch for found in _value(part, data)]:
                apply(pod, one)
            stored = as_served(pod)
            assert stored is not None, pod
            pod = stored
        return pod, self.refusing(pod)

    def translated(self, pod: Object) -> tuple[Object | None, set[str]]:
        """What ``translate`` writes, as the API server stores it; None where it refuses, and the codes."""
        try:
            found = gpuxlate.translate(json.dumps(pod), **self.options)
        except gpuxlate.Refused as error:
            return None, {one.code for one in error.diagnostics if one.severity is Severity.ERROR}
        return as_served(json.loads(found.text)), set()


@cache
def cluster(source: str, target: str, round_: str | None) -> Cluster:
    return Cluster(source, target, round_)


def as_mappings(expression: str) -> str:
    for message, mapping in (
        (r"JSONPatch\{\s*op: ", "{'op': dyn("),
        (r",\s+path: ", "), 'path': dyn("),
        (r",\s+value: ", "), 'value': dyn("),
        (r"(?<!\{)\}\s*\)", ")})"),
    ):
        expression = re.sub(message, mapping, expression)
    return expression


def apply(pod: Any, operation: Object) -> None:
    """One operation of RFC 6902: add or remove; what it is about is there, or it fails."""
    *steps, last = (one.replace("~1", "/").replace("~0", "~") for one in operation["path"].split("/")[1:])
    at = pod
    for step in steps:
        at = at[int(step)] if isinstance(at, list) else at[step]
    if isinstance(at, list):
        assert operation["op"] == "add"
        at.insert(len(at) if last == "-" else int(last), operation["value"])
    elif operation["op"] == "add":
        at[last] = operation["value"]
    else:
        del at[last]


def plain(one: Any) -> Any:
    """Without empty mappings and lists, which mean nothing."""
    if isinstance(one, dict):
        found = {key: plain(value) for key, value in one.items()}
        return {key: value for key, value in found.items() if value not in ({}, [], None)}
    return [plain(part) for part in one] if isinstance(one, list) else one


class Verdict(NamedTuple):
    """``general``: the cluster refuses the pod, and names ``gpuxlate translate`` as the way."""

    taken: bool = False
    exactly: bool = False
    general: bool = False


def agree(here: Cluster, pod: Object) -> Verdict | None:
    """What the cluster does with a pod is what ``translate`` does; None where no such pod comes to it."""
    served = as_served(pod)
    if served is None:
        return None
    stored, refused = here(served)
    wanted, codes = here.translated(pod)
    if not here.mutating.matches(served) and not refused:
        assert wanted is None or plain(wanted) == plain(served), (here.options, pod)
        return None
    if refused:
        assert stored == served, "a pod is translated as a whole"
        if wanted is not None:
            assert set(refused) == {GENERAL}, (here.options, pod, refused)
            return Verdict(general=True)
        if set(refused) == {GENERAL} and GENERAL not in codes:
            return Verdict(general=True)
        codes |= {code for alone in each_alone(pod) for code in here.translated(alone)[1]}
        assert set(refused) & codes, (here.options, pod, refused, codes)
        return Verdict(exactly=True)
    assert wanted is not None, (here.options, pod, codes, stored)
    assert plain(stored) == plain(wanted), (here.options, pod)
    return Verdict(taken=True)


def each_alone(pod: Object) -> Iterator[Object]:
    """The pod with one of its containers, for the code that its share has without the others."""
    spec = {key: value for key, value in pod["spec"].items() if key != "initContainers"}
    for one in (*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())):
        yield {**pod, "spec": {**spec, "containers": [one]}}


# --- pods -----------------------------------------------------------------------------------------

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
        pod["metadata"][place][key] = value
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


def in_fixtures(text: str) -> list[Object]:
    """The pods of a manifest, each with a name."""
    return [{**one, "metadata": {"name": "web", **one["metadata"]}} for one in pods_of(text)]
