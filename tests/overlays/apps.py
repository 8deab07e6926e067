"""Applications of kustomize: written, drawn, and the keys of their pods as kubectl builds them and we do."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import strategies as st

from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.pod import PodKeys
from gpuxlate.overlays.bases import overlay_pods
from gpuxlate.overlays.parts import OverlayPod
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source
from tests.tables import from_yaml, read_table

KUBECTL = shutil.which("kubectl")
WHY = "kubectl is not installed: nothing builds the overlays"
needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason=WHY)

Files = dict[str, Any]
"""By path: a text, an object, or several."""
Named = dict[tuple[str, str, tuple[Any, ...]], PodKeys]
"""Pods by the kind and name of their object, and their path in it."""


MEMORY = "aliyun.com/gpu-mem"
COMPONENT_HEAD = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component"}
_SHORT = re.compile(r"([\w-]+) (\d\S*|null|cpu|-|\{[^{}]+\})(?: (\{.*\}))?")


def cases(name: str) -> dict[str, Any]:
    """A file of cases: each section by its name, each case with its files and what is wanted of it."""
    sections: dict[str, Any] = read_table(__file__, name)
    default = sections.pop("default")
    found = {
        section: {title: files_of(default, case) for title, case in cases.items()}
        for section, cases in sections.items()
    }
    return {"default": default, **found}


def files_of(default: Files, case: Files) -> Files:
    """A case over the default one: ``null`` removes a file, and a key of a kustomization.

    ``over/`` is the kustomization of a folder, ``over/p`` the file over/p.yaml. ``web 8`` is a Deployment web
    with so much memory, ``web {...}`` with these limits, ``web cpu`` with others, ``web -`` without any;
    ``web 8 {...}`` has more keys or containers. ``---`` is between documents.
    """
    found: Files = {}
    for name, value in {**default, **case}.items():
        if value is None or "/" not in name:  # no file: what is wanted
            continue
        if name.endswith("/"):
            fields = {**default.get(name, {}), **value}
            for patch in fields.get("patches") or ():
                patch.update({"patch": text_of(patch["patch"])} if "patch" in patch else {})
            value = {field: one for field, one in fields.items() if one is not None}
            name += "kustomization"
        found[f"{name}.yaml"] = text_of(value) if isinstance(value, str) else value
    return {**case, "files": found}


def text_of(short: str) -> str:
    documents = [_SHORT.fullmatch(one) for one in short.split(" --- ")]
    return "---\n".join(workload(*one.groups()) for one in documents if one) if all(documents) else short


def template(containers: list[Any]) -> dict[str, Any]:
    return {"spec": {"template": {"spec": {"containers": containers}}}}


def workload(name: str, memory: str, more: str | dict[str, Any] | None = None) -> str:
    given = {"cpu": 1} if memory == "cpu" else from_yaml(memory)
    limits = given if isinstance(given, dict) else {MEMORY: given}
    containers = template([{"name": "web", "resources": {"limits": limits}}]) if memory != "-" else {}
    made = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, **containers}
    merged = _merged(made, from_yaml(more) if isinstance(more, str) else more) if more else made
    return yaml.dump(merged, Dumper=yaml.CSafeDumper, sort_keys=False, default_flow_style=None)


def _merged(below: Any, over: Any) -> Any:
    if isinstance(below, list):
        return below + over
    if not isinstance(below, dict):
        return over
    return {**below, **{name: _merged(below.get(name), one) for name, one in over.items()}}


def written(folder: Path, files: Files) -> Path:
    """A tree of files in a repository of its own."""
    for name, value in {".git/HEAD": "", **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        several = value if isinstance(value, tuple) else (value,)
        texts = [one if isinstance(one, str) else json.dumps(one, indent=1) for one in several]
        path.write_text("\n---\n".join(texts))
    return folder


def build(folder: Path) -> str | None:
    """What ``kubectl kustomize`` builds, None where it refuses."""
    assert KUBECTL
    command = [KUBECTL, "kustomize", str(folder)]
    environment = {**os.environ, "GOGC": "off"}  # a third of its time is looking for garbage
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout if done.returncode == 0 else None


def pods_of(text: str) -> Named:
    """The keys of all pods in a text."""
    return {
        (pod.object.kind or "", pod.object.name or "", pod.keys.path): pod.keys
        for document in documents(Source("built", text))
        for pod in pods_in(document)
    }


def bases_in(path: Path) -> Iterator[OverlayPod]:
    """The bases of all documents of a patch file."""
    for document in documents(Source.from_bytes(str(path), path.read_bytes())):
        yield from overlay_pods(path, document)


def keys_after(one: OverlayPod) -> list[tuple[str, str, PodKeys]]:
    """The kind, name and keys of each pod after a patch."""
    return [
        (
            layer.base.object.kind or "",
            layer.base.object.name or "",
            layer.patched.keys,
        )
        for layer in one.bases
    ]


# -- drawing ------------------------------------------------------------------------------------------

LIMITS = {
    "aliyun.com/gpu-mem": st.sampled_from([4, "8"]),
    "aliyun.com/gpu-core.percentage": st.sampled_from([20, 30]),
    "vke.volcengine.com/mgpu-core": st.sampled_from([30, "60"]),
    "vke.volcengine.com/mgpu-memory": st.sampled_from([1024, 2048]),
    "cpu": st.sampled_from([1, "500m"]),
}
LABELS = {
    "aliyun.com/gpu-count": st.sampled_from(["1", "2"]),
    "vke.volcengine.com/mgpu-compute-policy": st.sampled_from(["fixed-share", "native-burst-share"]),
    "app": st.sampled_from(["a", "b"]),
}
NODES = {"ack.node.gpu.schedule": st.sampled_from(["cgpu", "core_mem"]), "pool": st.sampled_from(["a", "b"])}
ENV = {"A": st.sampled_from(["1", "2"]), "example.com/B": st.sampled_from(["1", "2"])}
EXPRESSION = st.builds(
    lambda key, values: {"key": key, "operator": "In", "values": values},
    st.sampled_from(["tke.cloud.tencent.com/qgpu-schedule-policy", "zone"]),
    st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=2),
)
TERM = st.lists(EXPRESSION, min_size=1, max_size=2).map(lambda found: {"matchExpressions": found})
TERMS = st.lists(TERM, min_size=1, max_size=2)


def some(values: dict[str, Any], *, part: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Some of these keys; in a part some of them null."""
    chosen = {name: one | st.none() if part else one for name, one in values.items()}
    return st.fixed_dictionaries({}, optional=chosen)


def mapping(values: dict[str, Any], *, part: bool) -> st.SearchStrategy[Any]:
    """Some keys; in a part also what is said of a mapping as a whole."""
    plain = some(values, part=part)
    if not part:
        return plain
    replaced = some(values, part=False).map(lambda one: {"$patch": "replace", **one})
    return st.one_of(plain, plain, plain, plain, st.none(), replaced)


def env(*, part: bool) -> st.SearchStrategy[list[dict[str, Any]]]:
    drawn = some(ENV, part=False)
    named = drawn.map(lambda one: [{"name": name, "value": value} for name, value in one.items()])
    if not part:
        return named
    return st.one_of(named, named, named, st.just([{"name": "A", "$patch": "delete"}]))


def containers(*, part: bool) -> st.SearchStrategy[list[dict[str, Any]]]:
    given = {name: mapping(LIMITS, part=part) for name in ("limits", "requests")}
    more = {"env": env(part=part), "resources": st.fixed_dictionaries({}, optional=given)}
    one = st.fixed_dictionaries({"name": st.sampled_from(["web", "side", "aux"])}, optional=more)
    return st.lists(one, min_size=1, max_size=3, unique_by=lambda one: one["name"])


def specs(*, part: bool) -> st.SearchStrategy[dict[str, Any]]:
    required = TERMS.map(lambda terms: {"nodeSelectorTerms": terms})
    preferred = TERMS.map(lambda terms: [{"weight": 1, "preference": one} for one in terms])
    during = {"required": required, "preferred": preferred}
    terms = {f"{how}DuringSchedulingIgnoredDuringExecution": one for how, one in during.items()}
    affinity: st.SearchStrategy[Any] = st.fixed_dictionaries({}, optional=terms)
    affinity = affinity.map(lambda one: {"nodeAffinity": one})
    names = st.sampled_from(["volcano", "hami-scheduler"])
    found = {
        "containers": containers(part=part),
        "initContainers": containers(part=part),
        "nodeSelector": mapping(NODES, part=part),
        "affinity": affinity | st.none() if part else affinity,
        "schedulerName": names | st.none() if part else names,
    }
    must = {} if part else {"containers": found.pop("containers")}
    return st.fixed_dictionaries(must, optional=found)


def templates(*, part: bool) -> st.SearchStrategy[dict[str, Any]]:
    given = {name: mapping(LABELS, part=part) for name in ("labels", "annotations")}
    metadata = st.fixed_dictionaries({}, optional=given)
    return st.fixed_dictionaries({"metadata": metadata, "spec": specs(part=part)})


KINDS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "Deployment": ("apps/v1", ("spec", "template")),
    "StatefulSet": ("apps/v1", ("spec", "template")),
    "CronJob": ("batch/v1", ("spec", "jobTemplate", "spec", "template")),
    "Rollout": ("argoproj.io/v1alpha1", ("spec", "template")),
    "RayCluster": ("ray.io/v1", ("spec", "headGroupSpec", "template")),
}


def objects(kind: str, name: str, *, part: bool) -> st.SearchStrategy[dict[str, Any]]:
    """A workload, or a part of one."""
    version, path = KINDS[kind]

    def made(template: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
        value: Any = template
        for step in reversed(path):
            value = {step: value}
        return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **above}, **value}

    above = st.fixed_dictionaries({}, optional={"annotations": mapping(LABELS, part=part)})
    return st.builds(made, templates(part=part), above)


def operations(kind: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Operations on the pod of a workload; kustomize refuses some of them."""
    template = "/" + "/".join(map(str, KINDS[kind][1]))
    at = f"{template}/spec/containers"
    key = st.sampled_from([name.replace("/", "~1") for name in LIMITS])
    values = some(LIMITS, part=False)
    label = st.sampled_from([name.replace("/", "~1") for name in LABELS])
    number = st.sampled_from(["0", "0", "1"])

    def op(name: str, path: st.SearchStrategy[str], value: st.SearchStrategy[Any] | None = None) -> Any:
        given = {} if value is None else {"value": value}
        return st.fixed_dictionaries({"op": st.just(name), "path": path, **given})

    limit = st.builds(lambda n, k: f"{at}/{n}/resources/limits/{k}", number, key)
    resources = number.map(lambda n: f"{at}/{n}/resources")
    return st.lists(
        st.one_of(
            op("add", limit, st.sampled_from([4, "8"])),
            op("replace", limit, st.sampled_from([4, "8"])),
            op("remove", limit),
            op("test", limit, st.just(4)),
            op("add", resources, values.map(lambda one: {"limits": one})),
            op("replace", resources.map(lambda one: f"{one}/limits"), values),
            op("remove", resources),
            op("test", st.just("/metadata/name"), st.just("one")),
            op("add", label.map(lambda one: f"{template}/metadata/annotations/{one}"), st.just("x")),
            op("add", st.just(f"{template}/metadata/labels"), some(LABELS, part=False)),
            op("add", st.just(f"{template}/spec/nodeSelector"), some(NODES, part=False)),
            op("add", st.just(f"{template}/spec/schedulerName"), st.just("volcano")),
            op("add", st.just(f"{at}/-"), st.just({"name": "new", "resources": {"limits": {"cpu": 1}}})),
            op("add", st.just(f"{at}/0"), st.just({"name": "new"})),
            op("remove", st.just(f"{at}/1")),
            op("replace", st.just(f"{at}/0/env"), env(part=False)),
            op("add", st.just(f"{at}/0/env/-"), st.just({"name": "C", "value": "3"})),
        ),
        min_size=1,
        max_size=3,
    )
