"""What is written for the three clouds is accepted by the strict schemas of Kubernetes.

Strict schemas know every field: one that stands in the wrong place is refused, as ``kubectl apply`` with
``--validate=strict`` does. They are those of the package kubernetes-validate.
"""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from itertools import product
from typing import Any
from unittest.mock import patch

import kubernetes_validate
import pytest
import yaml
from kubernetes_validate import utils

from gpuxlate.backends import registry
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.config.document import read_specs
from gpuxlate.files.find import Input
from gpuxlate.translation.options import Settings
from gpuxlate.translation.render import RenderRequest, render_on
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source

from .fixtures.cases import cases

Manifest = dict[str, Any]

VERSIONS = ("1.27", "1.31", "1.35")
"""Of the clouds' present clusters the oldest, one between, and the newest."""
CLOUDS = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu")
SHARES = {
    "a share": "cores: 30, memoryMiB: 8192",
    "a share with a policy": "cores: 30, memoryMiB: 8192, policy: fixed-share",
    "a share of two cards": "cards: 2, cores: 160, memoryMiB: 32768, policy: best-effort",
    "an offline share": "cores: 30, memoryMiB: 8192, qos: offline",
    "whole cards": "cards: 2",
}
"""Specs of GPUShare documents: between them they write limits, annotations, labels, selectors, affinity."""
LOSSES = Accept(True, {"cores": 80, "memoryMiB": 8192}, frozenset({"cores", "policy", "qos"}))
"""What a cloud cannot say is left out: here it counts what is written."""

SHARE = """
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: web}
spec: {%s}
"""
POD = """
containers:
- name: web
  image: registry.example.com/web:1
- name: log
  image: registry.example.com/log:1
  resources: {limits: {cpu: 100m}}
"""
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": yaml.safe_load(POD)}
SELECTED = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
ONCE = {"metadata": TEMPLATE["metadata"], "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
WORKLOADS: dict[str, tuple[str, Manifest]] = {
    "Pod": ("v1", TEMPLATE["spec"]),
    "Deployment": ("apps/v1", {"replicas": 2, **SELECTED}),
    "StatefulSet": ("apps/v1", {"serviceName": "web", **SELECTED}),
    "DaemonSet": ("apps/v1", SELECTED),
    "Job": ("batch/v1", {"template": ONCE}),
    "CronJob": ("batch/v1", {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": ONCE}}}),
}
"""Each kind that has pods, with its API and a spec."""


READ_ONCE = {name: cache(getattr(utils, name)) for name in ("schema_contents", "all_versions")}
"""The package reads 1.5 MB of JSON, and lists its folders, for each manifest anew."""


def refusal(manifest: Manifest, version: str) -> str | None:
    """Why the schemas of a version refuse a manifest; None where it is accepted."""
    try:
        with patch.multiple(utils, **READ_ONCE):
            found = kubernetes_validate.validate(manifest, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return f"{'/'.join(map(str, error.path))}: {error.message}"
    assert found == version, f"the package has no schemas of {version}, and took {found}"
    return None


def refused(texts: dict[str, str], version: str) -> tuple[list[str], Counter[str]]:
    """Every document that is refused, and how many of each kind were judged."""
    wrong: list[str] = []
    judged: Counter[str] = Counter()
    for name, text in texts.items():
        for manifest in yaml.load_all(text, yaml.CSafeLoader):
            try:
                reason = refusal(manifest, version)
            except kubernetes_validate.SchemaNotFoundError:
                continue  # a custom resource
            judged[manifest["kind"]] += 1
            if reason is not None:
                wrong.append(f"{name}: {reason}")
    return wrong, judged


def workload(kind: str) -> Manifest:
    """A workload that asks for no GPU."""
    api, spec = WORKLOADS[kind]
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "web"}, "spec": deepcopy(spec)}


def golden() -> Iterator[tuple[str, str]]:
    """The golden files of the clouds."""
    for case, cloud in product(cases(), CLOUDS):
        if case.golden(cloud).exists():
            yield f"{case.name}, {cloud}", case.golden(cloud).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Each kind of workload with each share, rendered for each cloud; then translated to the others."""
    made: dict[str, str] = {}
    path = tmp_path_factory.mktemp("specs") / "share.yaml"
    for title, spec in SHARES.items():
        path.write_text(SHARE % spec)
        [(_, document, share)] = read_specs([Input(path.name, path)]).shares
        for kind, cloud in product(WORKLOADS, CLOUDS):
            name = f"{title} on a {kind} for {cloud}"
            source = Source("workload.yaml", yaml.safe_dump(workload(kind), sort_keys=False))
            settings = Settings(registry.get(cloud), accept=LOSSES)
            rendering = render_on(source, [RenderRequest(share, document, "web")], settings)
            assert not rendering.refused, (name, rendering.diagnostics)
            made[name] = rendering.text
            for other in (one for one in CLOUDS if one != cloud):
                settings = Settings(registry.get(other), registry.get(cloud), LOSSES)
                translation = translate_source(Source("rendered.yaml", rendering.text), settings)
                assert not translation.refused, (name, other, translation.diagnostics)
                made[f"{name}, then {other}"] = translation.text
    return made


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_written_is_accepted(written: dict[str, str], version: str) -> None:
    wrong, judged = refused(dict(golden()), version)
    assert not wrong
    assert judged.keys() >= {"Pod", "Deployment", "StatefulSet", "Job"}
    assert judged.total() > 60
    wrong, judged = refused(written, version)
    assert not wrong
    # for each cloud one rendered and two translated from it
    assert judged == dict.fromkeys(WORKLOADS, len(SHARES) * len(CLOUDS) * 3)


# --- the schemas do refuse ----------------------------------------------------------------------


def asking(terms: object) -> Manifest:
    """Of an affinity, what is required of nodes."""
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def selects(**term: object) -> Manifest:
    """An affinity with one match expression."""
    expression = {"key": "policy", "operator": "In", **term}
    return asking({"nodeSelectorTerms": [{"matchExpressions": [expression]}]})


CARDS = "vke.volcengine.com/container-multiple-gpu"
LIMITS, ENV = "spec/containers/0/resources/limits", "spec/containers/0/env"
BROKEN: dict[str, tuple[str, object, str]] = {
    "an empty limit": (LIMITS, {"aliyun.com/gpu-mem": None}, "gpu-mem"),
    "a limit that is a boolean": (LIMITS, {"aliyun.com/gpu-mem": True}, "True is not valid"),
    "a limit that is a list": (LIMITS, {"aliyun.com/gpu-mem": [4]}, "[4] is not valid"),
    "limit for limits": ("spec/containers/0/resources/limit", {}, "'limit' was unexpected"),
    "resources of the pod's spec": ("spec/resource", {}, "'resource' was unexpected"),
    "an annotation that is a number": ("metadata/annotations", {CARDS: 2}, "2 is not of type 'string'"),
    "a label that is a number": ("metadata/labels", {"aliyun.com/gpu-count": 2}, "2 is not of type 'string'"),
    "annotations in the spec": ("spec/annotations", {"a": "b"}, "'annotations' was unexpected"),
    "a node label that is a boolean": ("spec/nodeSelector", {"gpu": True}, "True is not of type"),
    "a policy without its list": ("spec/affinity", selects(values="best"), "'best' is not of type 'array'"),
    "an expression with a field too many": ("spec/affinity", selects(value=["be"]), "'value' was unexpected"),
    "affinity without its terms": ("spec/affinity", asking({}), "'nodeSelectorTerms' is a required property"),
    "a variable that is a number": (
        "spec/containers/0/env",
        [{"name": "GPU", "value": 1}],
        "1 is not of type",
    ),
    "a container without a name": ("spec/containers/0", {"image": "web:1"}, "'name' is a required property"),
    "containers as a mapping": ("spec/containers", {"web": {}}, "is not of type 'array'"),
}
"""A value somewhere in a pod, and what the schemas say of it."""


def put(pod: Manifest, path: str, value: object) -> None:
    """Set a value, making the mappings on the way."""
    at: Any = pod
    *steps, last = path.split("/")
    for step in steps:
        at = at[int(step)] if step.isdigit() else at.setdefault(step, {})
    at[int(last) if last.isdigit() else last] = value


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_broken_is_refused(version: str) -> None:
    said = {}
    for title, (path, value, _) in BROKEN.items():
        manifest = workload("Deployment")
        assert refusal(manifest, version) is None
        put(manifest["spec"]["template"], path, value)
        said[title] = refusal(manifest, version) or "accepted"
    assert {title: one for title, one in said.items() if BROKEN[title][2] not in one} == {}
    for kind in WORKLOADS:  # each has a strict schema
        manifest = workload(kind)
        assert refusal(manifest, version) is None
        manifest["spec"]["gpu"] = 1
        assert "'gpu' was unexpected" in (refusal(manifest, version) or "accepted"), kind
