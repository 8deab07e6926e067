"""Pods in the short form that the tables of this folder have: a mapping of keys to values.

``NAMES`` says where each short name stands; any other name is a resource. Resources and variables are those
of the first container, in its limits. Besides:

- ``requests`` of the first container; ``beside``: the containers after it; ``init``; ``copies``: so many
- ``labels``, ``annotations``, ``nodeSelector`` and ``env``: what is there, and not where ``NAMES`` says
- ``owner``: what the workload has; ``stray``: what is beside ``metadata``; ``schedulerName``
- ``affinity``: the required terms, each ``{key: [values]}`` for In, or ``{key: {operator: [values]}}``;
  a label of nodes with such values stands for the only term
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.config.configuration import load_profile
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.diagnostics import Diagnostic, Edit, Path, Put, Remove, Rename
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import read_source
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source

Short = dict[str, Any]
LIMITS, NOTES, LABELS, NODES, ENV = "limits", "annotations", "labels", "nodeSelector", "env"

NAMES = {
    "v-core": (LIMITS, "vke.volcengine.com/mgpu-core"),
    "v-mem": (LIMITS, "vke.volcengine.com/mgpu-memory"),
    "v-rec": (LIMITS, "vke.volcengine.com/reclaimed-mgpu-core"),
    "v-policy": (NOTES, "vke.volcengine.com/mgpu-compute-policy"),
    "v-cards": (NOTES, "vke.volcengine.com/container-multiple-gpu"),
    "v-qos": (NOTES, "katalyst.kubewharf.io/qos_level"),
    "v-vci": (NOTES, "vke.volcengine.com/burst-to-vci"),
    "v-device": (NODES, "vke.node.gpu.schedule"),
    "v-model": (NODES, "machine.cluster.vke.volcengine.com/gpu-name"),
    "a-mem": (LIMITS, "aliyun.com/gpu-mem"),
    "a-core": (LIMITS, "aliyun.com/gpu-core.percentage"),
    "a-gpu-core": (LIMITS, "aliyun.com/gpu-core"),
    "a-gpu": (LIMITS, "aliyun.com/gpu"),
    "a-count": (LABELS, "aliyun.com/gpu-count"),
    "a-mode": (NODES, "ack.node.gpu.schedule"),
    "a-place": (NODES, "ack.node.gpu.placement"),
    "a-model": (NODES, "aliyun.accelerator/nvidia_name"),
    "a-disable": (ENV, "CGPU_DISABLE"),
    "t-core": (LIMITS, "tke.cloud.tencent.com/qgpu-core"),
    "t-mem": (LIMITS, "tke.cloud.tencent.com/qgpu-memory"),
    "t-greedy": (LIMITS, "tke.cloud.tencent.com/qgpu-core-greedy"),
    "t-class": (NOTES, "tke.cloud.tencent.com/app-class"),
    "t-policy": (NODES, "tke.cloud.tencent.com/qgpu-schedule-policy"),
    "m-class": (NOTES, "metax-tech.com/sgpu-app-class"),
    "m-policy": (NOTES, "metax-tech.com/sgpu-qos-policy"),
    "vnpu-mode": (NOTES, "huawei.com/vnpu-mode"),
    "enpu-policy": (NOTES, "huawei.com/enpu-policy"),
    "enpu-memory-limit": (NOTES, "huawei.com/enpu-memory-limit"),
    "nvidia": (LIMITS, "nvidia.com/gpu"),
    "zone": (NODES, "topology.kubernetes.io/zone"),
}
A10 = {"model": "A10", "memoryMiB": 22731}
PROFILES: dict[str, Short] = {
    # A10 of 22731 MiB (Volcengine, EMR Serverless mGPU): 22 units of 1 GiB
    "A10": {"cards": {**A10, "perNode": 4}},
    "two A10": {"cards": {**A10, "perNode": 2}},
    "open source": {"alibaba": {"openSource": True}},
    "unit of 128 MiB": {"alibaba": {"memoryUnitMiB": 128}},
    "unit of 128 MiB, shared": {"alibaba": {"memoryUnitMiB": 128, "isolation": "share"}},
}
SHORT = {name: short for short, (_, name) in NAMES.items()}
PLACES = (LIMITS, "requests", NOTES, LABELS, NODES, ENV)
PARTS = {*PLACES, "beside", "init", "copies", "owner", "stray", "schedulerName", "affinity"}


def long(name: str) -> str:
    """The key of a short name."""
    return NAMES[name][1] if name in NAMES else name


def in_affinity(name: str, value: Any) -> bool:
    """A choice of nodes among several is in the affinity."""
    return isinstance(value, list | dict) and NAMES.get(name, (LIMITS,))[0] == NODES


def by_place(short: Short) -> dict[str, Short]:
    """The values of a mapping, by the places of their keys."""
    found: dict[str, Short] = {place: {} for place in PLACES}
    for name, value in short.items():
        if name in PLACES:
            found[name] |= {long(one): text for one, text in value.items()}
        elif name not in PARTS and not in_affinity(name, value):
            found[NAMES.get(name, (LIMITS, name))[0]][long(name)] = value
    return {place: values for place, values in found.items() if values}


def manifest(short: Short) -> str:
    """A Deployment with the pod, as JSON, so that each text is one."""
    given = by_place(short)
    first = {name: value for name, value in short.items() if name not in PARTS or name in PLACES}
    spec: Short = {name: short[name] for name in ("schedulerName",) if name in short}
    spec |= {NODES: given[NODES]} if NODES in given else {}
    chosen = {name: value for name, value in short.items() if in_affinity(name, value)}
    if affinity := short.get("affinity", [chosen] if chosen else []):
        terms = [{"matchExpressions": [*map(_expression, one.items())]} for one in affinity]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        spec["affinity"] = {"nodeAffinity": required}
    if "init" in short:
        spec["initContainers"] = _containers(short["init"], "i")
    spec["containers"] = _containers([*[first] * short.get("copies", 1), *short.get("beside", ())], "c")
    metadata = {name: given[name] for name in (LABELS, NOTES) if name in given}
    template = {"metadata": metadata, **by_place(short.get("stray", {})), "spec": spec}
    owner = {"name": "web", **by_place(short.get("owner", {}))}
    head = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": owner}
    return json.dumps({**head, "spec": {"template": template}})


def _expression(wanted: tuple[str, Any]) -> Short:
    key, values = wanted
    [(operator, values)] = values.items() if isinstance(values, dict) else [("In", values)]
    return {"key": long(key), "operator": operator, **({"values": values} if values else {})}


def _containers(given: Iterable[Short], name: str) -> list[Short]:
    made = []
    for number, one in enumerate(given, 1):
        values = by_place(one)
        env = [{"name": key, "value": value} for key, value in values.get(ENV, {}).items()]
        resources = {place: values[place] for place in (LIMITS, "requests") if place in values}
        made.append({"name": f"{name}{number}", "image": "app", "env": env, "resources": resources})
    return made


def keys_of(short: Short) -> PodKeys:
    """What the reader of manifests finds in the pod."""
    [document] = documents(Source("pod.yaml", manifest(short)))
    [found] = pods_in(document)
    return found.keys


SHORTER = (
    (r"^metadata/(annotations|labels)", "owner"),
    (r"^spec/template/(annotations|labels)", "stray"),
    (r"^spec/template/(metadata|spec)/", ""),
    (r"nodeAffinity/requiredDuring.*/nodeSelectorTerms/|/matchExpressions", ""),
    (r"^containers/0/resources/limits$|^containers/|/?resources/limits$", ""),
    (r"^initContainers", "init"),
    (r"(0/)?resources/requests", "requests"),
)


def place(path: Path) -> str:
    """Where something is: a short name alone where ``NAMES`` has it, ``1/t-core`` in the second container."""
    *base, last = path
    where, name = "/".join(map(str, base)), SHORT.get(str(last), str(last))
    for long_form, short_form in SHORTER:
        where = re.sub(long_form, short_form, where)
    own, where = NAMES.get(name, (LIMITS,))[0], where or LIMITS
    return name if where == own else f"{where}/{name}"


def plain(values: Mapping[str, Value]) -> Short:
    """Values as YAML has them."""
    return {name: value.plain for name, value in values.items()}


def changes(edits: Iterable[Edit]) -> str:
    """Edits as text; a number that is quoted has its quotes."""
    made = []
    for one in edits:
        match one:
            case Put(path, value):
                made.append(f"put {place(path)} {json.dumps(value)}")
            case Rename(path, key, value):
                made.append(f"rename {place(path)} {SHORT.get(key, key)} {json.dumps(value)}")
            case _:
                assert isinstance(one, Remove)
                made.append(f"remove {place(one.path)}")
    return "; ".join(made)


def full(given: Any, begin: str) -> Any:
    """The same with ``^`` in front of keys replaced by what keys of the dialect begin with."""
    if isinstance(given, dict):
        return {name.replace("^", begin, 1): full(value, begin) for name, value in given.items()}
    return [full(one, begin) for one in given] if isinstance(given, list) else given


def profile_of(row: Short, target: str) -> Profile | None:
    """The profile of a row, whose policy may have the name that the vendor gives it."""
    given = row.get("profile")
    if given is None:
        return None
    given = {"target": target, **(PROFILES[given] if isinstance(given, str) else given)}
    policy = given.pop("policy", None)
    return replace(load_profile(given), policy=policy)


def listed(value: Any) -> list[Any]:
    """One or several, as a list."""
    return value if isinstance(value, list) else [value]


# --- pods as text -----------------------------------------------------------------------------------------


def pod(limits: str, *, metadata: str = "", spec: str = "", container: str = "") -> str:
    """A Pod with one container, each part in flow style; ``spec`` and ``container`` are whole lines."""
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: web{metadata}}}\nspec:\n{spec}  containers:\n"
        f"  - name: web\n{container}    resources: {{limits: {{{limits}}}}}\n"
    )


def read(text: str, profile: Profile | None = None, from_: str | None = None) -> Result:
    dialect = registry.get(from_) if from_ else None
    return read_source(Source("pod.yaml", text), Settings.reading(dialect, profile))


def to(text: str, target: str, accept: Accept | None = None, profile: Profile | None = None) -> Result:
    settings = Settings(registry.get(target), None, accept or Accept(), profile)
    return translate_source(Source("pod.yaml", text), settings)


def lint(text: str, profile: Profile | None = None) -> list[Diagnostic]:
    return lint_source(Source("pod.yaml", text), LintSettings(profile)).diagnostics


def codes(found: Iterable[Diagnostic]) -> list[str]:
    return [one.code for one in found]


def speaks(text: str, dialect: str) -> bool:
    """The dialect is found in the pod."""
    return any(
        registry.get(dialect).is_used_by(one.keys)
        for document in documents(Source("pod.yaml", text))
        for one in pods_in(document)
    )
