"""What is written for the three clouds is accepted by the strict schemas of Kubernetes.

Strict schemas know every field: one that stands in the wrong place is refused, as ``kubectl apply`` with
``--validate=strict`` does. They are those of the package kubernetes-validate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from itertools import product
from typing import Any

import kubernetes_validate
import pytest
import yaml
from kubernetes_validate import utils

from gpuxlate.backends import registry
from gpuxlate.backends.placing import Accept
from gpuxlate.config.specs import read_specs
from gpuxlate.inputs.files import Input
from gpuxlate.translation.render import Asked, render_on
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source

from .fixtures.cases import Case, cases

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
LOSSES = Accept(
    round_up=True, fill={"cores": 80, "memoryMiB": 8192}, drop=frozenset({"cores", "policy", "qos"})
)
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


@pytest.fixture(autouse=True, scope="module")
def _schemas_are_read_once() -> Iterator[None]:
    """The package reads 1.5 MB of JSON, and lists its folders, for each manifest anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utils, "schema_contents", cache(utils.schema_contents))
        patch.setattr(utils, "all_versions", cache(utils.all_versions))
        yield


def refusal(manifest: Manifest, version: str) -> str | None:
    """Why the schemas of a version refuse a manifest; None where it is accepted."""
    try:
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
        for manifest in yaml.safe_load_all(text):
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


@cache
def golden() -> dict[str, str]:
    """The golden files of the clouds."""
    found: list[tuple[Case, str]] = [(case, cloud) for case in cases() for cloud in CLOUDS]
    return {
        f"{case.name}, {cloud}": case.golden(cloud).read_text(encoding="utf-8")
        for case, cloud in found
        if case.golden(cloud).exists()
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Each kind of workload with each share, rendered for each cloud; then translated to the others."""
    made: dict[str, str] = {}
    path = tmp_path_factory.mktemp("specs") / "share.yaml"
    for title, spec in SHARES.items():
        path.write_text(SHARE % spec)
        [(_, document, share)] = read_specs([Input(path.name, path)]).found
        for kind, cloud in product(WORKLOADS, CLOUDS):
            name = f"{title} on a {kind} for {cloud}"
            source = Source("workload.yaml", yaml.safe_dump(workload(kind), sort_keys=False))
            asked = [Asked(share, document, "web")]
            rendering = render_on(source, asked, Settings(registry.get(cloud), accept=LOSSES))
            assert not rendering.refused, (name, rendering.diagnostics)
            made[name] = rendering.text
            for other in (one for one in CLOUDS if one != cloud):
                settings = Settings(registry.get(other), registry.get(cloud), LOSSES)
                translation = translate_source(Source("rendered.yaml", rendering.text), settings)
                assert not translation.refused, (name, other, translation.diagnostics)
                made[f"{name}, then {other}"] = translation.text
    return made


@pytest.mark.parametrize("version", VERSIONS)
def test_golden_files(version: str) -> None:
    wrong, judged = refused(golden(), version)
    assert not wrong
    assert judged.keys() >= {"Pod", "Deployment", "StatefulSet", "Job"}
    assert judged.total() > 60


@pytest.mark.parametrize("version", VERSIONS)
def test_what_render_and_translate_write(written: dict[str, str], version: str) -> None:
    wrong, judged = refused(written, version)
    assert not wrong
    # for each cloud one rendered and two translated from it
    assert judged == dict.fromkeys(WORKLOADS, len(SHARES) * len(CLOUDS) * 3)


# --- the schemas do refuse ----------------------------------------------------------------------

_LIMITS = ("containers", 0, "resources", "limits")
_TERMS = "requiredDuringSchedulingIgnoredDuringExecution"


def put(*path: str | int, value: object) -> Callable[[Manifest], None]:
    """Set a value in the pod's spec, making the mappings on the way."""

    def change(pod: Manifest) -> None:
        at: Any = pod["spec"]
        for step in path[:-1]:
            at = at.setdefault(step, {}) if isinstance(at, dict) else at[step]
        at[path[-1]] = value

    return change


def selects(**term: object) -> Callable[[Manifest], None]:
    """Ask for nodes by one match expression."""
    terms = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "policy", "operator": "In", **term}]}]}
    return put("affinity", "nodeAffinity", _TERMS, value=terms)


BROKEN: dict[str, tuple[Callable[[Manifest], None], str]] = {
    "an empty limit": (put(*_LIMITS, "aliyun.com/gpu-mem", value=None), "gpu-mem"),
    "a limit that is a boolean": (put(*_LIMITS, "aliyun.com/gpu-mem", value=True), "True is not valid"),
    "a limit that is a list": (put(*_LIMITS, "aliyun.com/gpu-mem", value=[4]), "[4] is not valid"),
    "limit for limits": (put("containers", 0, "resources", "limit", value={}), "'limit' was unexpected"),
    "resources of the pod's spec": (put("resource", value={}), "'resource' was unexpected"),
    "an annotation that is a number": (
        lambda pod: pod["metadata"].update(annotations={"vke.volcengine.com/container-multiple-gpu": 2}),
        "2 is not of type 'string'",
    ),
    "a label that is a number": (
        lambda pod: pod["metadata"].update(labels={"aliyun.com/gpu-count": 2}),
        "2 is not of type 'string'",
    ),
    "annotations in the spec": (put("annotations", value={"a": "b"}), "'annotations' was unexpected"),
    "a node label that is a boolean": (put("nodeSelector", "gpu", value=True), "True is not of type"),
    "a policy without its list": (selects(values="fixed-share"), "'fixed-share' is not of type 'array'"),
    "an expression with a field too many": (selects(value=["fixed-share"]), "'value' was unexpected"),
    "affinity without its terms": (
        put("affinity", "nodeAffinity", _TERMS, value={}),
        "'nodeSelectorTerms' is a required property",
    ),
    "a variable that is a number": (
        put("containers", 0, "env", value=[{"name": "GPU", "value": 1}]),
        "1 is not of type 'string'",
    ),
    "a container without a name": (
        lambda pod: pod["spec"]["containers"][0].pop("name"),
        "'name' is a required property",
    ),
    "containers as a mapping": (put("containers", value={"web": {}}), "is not of type 'array'"),
}
"""A change of a pod, and what the schemas say of it."""


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("title", BROKEN)
def test_what_is_broken_is_refused(title: str, version: str) -> None:
    change, reason = BROKEN[title]
    manifest = workload("Deployment")
    assert refusal(manifest, version) is None
    change(manifest["spec"]["template"])
    assert reason in (refusal(manifest, version) or "accepted")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", WORKLOADS)
def test_every_kind_has_a_strict_schema(kind: str, version: str) -> None:
    manifest = workload(kind)
    assert refusal(manifest, version) is None
    manifest["spec"]["gpu"] = 1
    assert "'gpu' was unexpected" in (refusal(manifest, version) or "accepted")
