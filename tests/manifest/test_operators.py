"""What an operator makes of its object: metadata that it copies, replicas, schedulers, counted GPUs.

Each expectation is that of the operator's source: kserve/kserve, argoproj/argo-workflows,
tektoncd/pipeline, kubeflow/spark-operator, ray-project/kuberay, kubeflow/trainer, volcano-sh/volcano,
kubernetes-sigs/lws, kubeflow/kubeflow (1.10), openkruise/kruise, as of 2026-08; SeldonIO/seldon-core 1.18.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.manifest.replicas import replicas
from gpuxlate.translation.pods.fit import Accept
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.source import Source

ANY = Accept(round_up=True, drop=frozenset({"policy", "qos", "cores", "selector"}), fill={"cores": 50})
OBJECTS = yaml.safe_load(Path(__file__).with_name("operators.yaml").read_text(encoding="utf-8"))


class WithoutAliases(yaml.SafeDumper):
    def ignore_aliases(self, _data: Any) -> bool:
        return True


def text_of(section: str, name: str) -> str:
    """An object of operators.yaml, without what is expected of it."""
    data = {
        key: one for key, one in OBJECTS[section][name].items() if key not in ("cards", "left", "replicas")
    }
    return yaml.dump(data, Dumper=WithoutAliases, sort_keys=False, default_flow_style=None)


def translated(text: str, to: str, accept: Accept = ANY) -> Translation:
    return translate_source(Source("f.yaml", text), Settings(to=registry.get(to), accept=accept))


def pods_of(text: str) -> list[Pod]:
    return [pod for document in documents(Source("f.yaml", text)) for pod in pods_in(document)]


def codes(text: str) -> list[str]:
    return [one.code for one in lint_source(Source("f.yaml", text), LintSettings()).diagnostics]


def said(made: Translation) -> list[str]:
    return [one.code for one in made.diagnostics]


# --- metadata that an operator copies ------------------------------------------------------------


@pytest.mark.parametrize("name", OBJECTS["copied"])
def test_every_pod_has_what_its_operator_copies(name: str) -> None:
    """A fix does not move it to one pod; a translation takes it away and counts it for all."""
    text = text_of("copied", name)
    found = pods_of(text)
    assert found
    for pod in found:
        assert pod.keys.labels["aliyun.com/gpu-count"].text == "2"
        assert not pod.keys.owner_labels
    assert not {"K8S005", "ACK015"} & set(codes(text))
    assert fix_source(Source("f.yaml", text), LintSettings(), unsafe=True).text == text
    made = translated(text, "hami")
    assert not made.refused, made.diagnostics
    assert "aliyun" not in made.text
    assert made.text.count("nvidia.com/gpu: 2") == text.count("gpu-mem")


@pytest.mark.parametrize("name", OBJECTS["cards"])
def test_which_of_two_values_counts(name: str) -> None:
    made = translated(text_of("cards", name), "neutral")
    assert [one.share.cards for one in made.items if one.share] == OBJECTS["cards"][name]["cards"]
    assert [one.key for one in made.leftovers] == OBJECTS["cards"][name].get("left", [])


POLICY = """\
kind: Workflow
spec:
  podMetadata:
    annotations:
      vke.volcengine.com/mgpu-compute-policy: native-burst-share
      vke.volcengine.com/container-multiple-gpu: "3" # of each pod
  templates:
  - name: a
    container:
      resources: {limits: {vke.volcengine.com/mgpu-core: 60, vke.volcengine.com/mgpu-memory: 6144}}
  - name: b
    container:
      resources: {limits: {vke.volcengine.com/mgpu-core: 90, vke.volcengine.com/mgpu-memory: 6144}}
"""


def test_new_keys_are_written_once_where_the_old_ones_were() -> None:
    made = translated(POLICY, "neutral")
    assert [one.share.cards for one in made.items if one.share] == [3, 3]
    assert "volcengine" not in made.text
    spec = yaml.safe_load(made.text)["spec"]
    assert spec["podMetadata"]["annotations"] == {"gpuxlate.io/policy": "best-effort"}
    assert all("metadata" not in template for template in spec["templates"])
    back = yaml.safe_load(translated(made.text, "vke").text)
    assert back["spec"]["podMetadata"] == yaml.safe_load(POLICY)["spec"]["podMetadata"]


DIFFERENT = """\
kind: InferenceService
metadata: {name: m, labels: {aliyun.com/gpu-count: "2"}}
spec:
  predictor: {model: {modelFormat: {name: x}, resources: {limits: {aliyun.com/gpu-mem: 8}}}}
  transformer:
    containers:
    - {name: t, image: x, resources: {limits: {aliyun.com/gpu-mem: 8}}}
    - {name: u, image: x}
"""


def test_components_that_need_different_values_are_refused() -> None:
    """VKE writes a number for each container: ``"2"`` and ``"2,0"`` here."""
    made = translated(DIFFERENT, "vke")
    assert made.refused
    assert made.text == DIFFERENT
    [found] = [one for one in made.diagnostics if one.code == "GX023"]
    assert "container-multiple-gpu" in found.message
    assert "metadata" in found.message


def test_a_share_put_on_one_component_does_not_change_the_others() -> None:
    share = "{limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}"
    workload = (
        "kind: InferenceService\n"
        "metadata: {name: m, annotations: {vke.volcengine.com/mgpu-compute-policy: fixed-share}}\n"
        f"spec:\n  predictor: {{model: {{resources: {share}}}}}\n"
        f"  transformer: {{containers: [{{name: t, resources: {share}}}]}}\n"
    )
    head = {"apiVersion": "gpuxlate.io/v1alpha1", "kind": "GPUShare", "metadata": {"name": "x"}}
    spec = {"cores": 30, "memoryMiB": 4096, "policy": "burst-share"}
    with pytest.raises(gpuxlate.Refused) as refused:
        gpuxlate.render({**head, "spec": spec}, to="vke", workload=workload, container="t")
    assert [one.code for one in refused.value.diagnostics if str(one.severity) == "error"] == ["GX023"]


def test_labels_alone_are_copied_by_the_spark_operator() -> None:
    [pod] = pods_of(text_of("copied", "SparkApplication").replace("labels:", "annotations:"))
    assert pod.keys.owner_annotations
    assert not pod.keys.annotations


# --- selectors -----------------------------------------------------------------------------------

SELECTORS = {
    "matchLabels": "selector: {matchLabels: {app: d, aliyun.com/gpu-count: '2'}}",
    "matchExpressions": "selector: {matchExpressions: [{key: aliyun.com/gpu-count, operator: Exists}]}",
    "a ReplicationController": "selector: {app: d, aliyun.com/gpu-count: '2'}",
}
WORKLOAD = """\
kind: Deployment
spec:
  %s
  template:
    metadata: {labels: {app: d, aliyun.com/gpu-count: '2'}}
    spec:
      %s
      containers: [{name: c, image: x, resources: {limits: {aliyun.com/gpu-mem: 8}}}]
"""
TERM = "{labelSelector: {matchLabels: {aliyun.com/gpu-count: '2'}}, topologyKey: zone}"
IN_POD = {
    "a spread": f"topologySpreadConstraints: [{TERM}]",
    "an affinity": f"affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{TERM}]}}}}",
    "a preferred anti-affinity": "affinity: {podAntiAffinity: "
    f"{{preferredDuringSchedulingIgnoredDuringExecution: [{{weight: 1, podAffinityTerm: {TERM}}}]}}}}",
}
CARRIED = """\
apiVersion: work.karmada.io/v1alpha1
kind: Work
spec:
  workload:
    manifests:
    - apiVersion: apps/v1
      kind: Deployment
      metadata: {name: d}
      spec:
        selector: {matchLabels: {aliyun.com/gpu-count: '2'}}
        template:
          metadata: {labels: {aliyun.com/gpu-count: '2'}}
          spec: {containers: [{name: c, image: x, resources: {limits: {aliyun.com/gpu-mem: 8}}}]}
"""
TEXTS = {
    "an object inside another": CARRIED,
    **{name: WORKLOAD % (line, "hostIPC: false") for name, line in SELECTORS.items()},
    **{name: WORKLOAD % ("replicas: 1", line) for name, line in IN_POD.items()},
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_label_that_a_selector_matches_is_not_removed_alone(name: str) -> None:
    made = translated(TEXTS[name], "hami")
    assert made.text == TEXTS[name]
    [found] = [one for one in made.diagnostics if one.code == "GX026"]
    line = next(n for n, text in enumerate(TEXTS[name].splitlines(), 1) if "elector" in text)
    assert found.span is not None
    assert found.span.line == line


def test_another_selector_refuses_nothing() -> None:
    selected = "app: d, aliyun.com/gpu-count: '2'}}\n  template"
    assert not translated(TEXTS["matchLabels"].replace(selected, "app: d}}\n  template"), "hami").refused


@pytest.mark.parametrize("label", ["aliyun.com/gpu-coun", "scheduler.framework.gpushare.allocation"])
def test_no_fix_touches_such_a_label(label: str) -> None:
    text = TEXTS["matchLabels"].replace("aliyun.com/gpu-count", label)
    assert fix_source(Source("f.yaml", text), LintSettings(), unsafe=True).text == text
    alone = text.replace(f"app: d, {label}: '2'}}}}\n  template", "app: d}}\n  template")
    assert fix_source(Source("f.yaml", alone), LintSettings(), unsafe=True).text != alone


# --- schedulers ----------------------------------------------------------------------------------

VGPU = OBJECTS["inherited"]["Workflow"]["spec"]["templates"][0]["containerSet"]
ALONE = yaml.safe_dump({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": VGPU})
"""The share in a pod that names no scheduler."""


@cache
def elsewhere() -> list[str]:
    """Targets without a scheduler of their own, that take the share of any card in a cluster not known."""
    return [
        one.name
        for one in registry.pod_backends()
        if not (one.reads_only or any(row.model for row in one.keys) or getattr(one.sheet, "scheduler", None))
        and "GX023" not in said(translated(ALONE, one.name))
    ]


@pytest.mark.parametrize("name", OBJECTS["inherited"])
def test_a_pod_does_not_inherit_the_scheduler_of_the_source(name: str) -> None:
    text = text_of("inherited", name)
    assert codes(text) == []
    tried = 0
    for to in elsewhere():
        if "Workflow" in name and "resourceClaims" in translated(ALONE, to).text:
            continue  # its pods have no claims
        made = translated(text, to)
        assert not made.refused, made.diagnostics
        names = [pod.keys.scheduler_name for pod in pods_of(made.text)]
        assert [one and one.text for one in names] == ["default-scheduler"] * len(names), to
        assert "GX018" in said(made), to
        assert codes(made.text) == [], to
        back = [pod.keys.scheduler_name for pod in pods_of(translated(made.text, "volcano-vgpu").text)]
        assert [one.text for one in back if one] == ["volcano"], to
        tried += 1
    assert tried > 10


@pytest.mark.parametrize("name", OBJECTS["not of the pod"])
def test_where_the_pod_cannot_name_its_own_it_is_refused(name: str) -> None:
    text = text_of("not of the pod", name)
    found = {to: translated(text, to) for to in elsewhere()}
    assert [to for to, made in found.items() if made.text != text or "GX023" not in said(made)] == []


# --- operators that count GPUs -------------------------------------------------------------------


def ray(limits: str, params: str = "{}", kind: str = "RayCluster", extra: str = "") -> str:
    group = (
        f"workerGroupSpecs: [{{{extra}rayStartParams: {params}, template: {{spec: {{containers: "
        f"[{{name: c, image: x, resources: {{limits: {limits}}}}}]}}}}}}]"
    )
    inside = {"RayJob": "rayClusterSpec", "RayService": "rayClusterConfig", "RayCronJob": "rayClusterSpec"}
    spec = f"{{{inside[kind]}: {{{group}}}}}" if kind in inside else f"{{{group}}}"
    spec = f"{{jobTemplate: {spec}}}" if kind == "RayCronJob" else spec
    return f"apiVersion: ray.io/v1\nkind: {kind}\nspec: {spec}\n"


HAMI = "{nvidia.com/gpu: 2, nvidia.com/gpumem: 4096}"
TRAIN = """\
kind: TrainJob
spec: {trainer: {numNodes: 2%s, resourcesPerNode: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 4096}}}}
"""
COUNTED = [
    (ray(HAMI), "vke", 'num-gpus: "2"'),
    (ray(HAMI, kind="RayJob"), "vke", 'num-gpus: "2"'),
    (ray(HAMI, kind="RayService"), "volcano-vgpu", 'num-gpus: "2"'),
    (ray("{nvidia.com/gpu: 1, nvidia.com/gpumem: 4096}"), "tke", 'num-gpus: "1"'),
    (ray(HAMI, '{num-gpus: "2"}'), "vke", None),
    (ray(HAMI, extra='resources: {GPU: "2"}, '), "vke", None),
    (ray("{volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory: 4096}"), "hami", None),
    (ray("{aliyun.com/gpu-mem: 4}").replace("workerGroupSpecs", "others"), "tke", None),
    (ray(HAMI, kind="RayCronJob"), "vke", 'num-gpus: "2"'),
    (TRAIN % "", "vke", "numProcPerNode: 1"),
    (TRAIN % ", numProcPerNode: 1", "vke", None),
]


@pytest.mark.parametrize(("text", "to", "hint"), COUNTED)
def test_an_operator_is_told_what_it_cannot_count(text: str, to: str, hint: str | None) -> None:
    made = translated(text, to)
    assert not made.refused, made.diagnostics
    found = [one for one in made.diagnostics if one.code == "GX028"]
    assert [str(one.severity) for one in found] == (["warning"] if hint else [])
    assert all(one.hint and hint and hint in one.hint for one in found)


# --- what is no pod ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OBJECTS["no pods"])
def test_what_looks_like_a_pod_and_is_none(name: str) -> None:
    text = text_of("no pods", name)
    assert pods_of(text) == []
    assert codes(text) == ["GX014"]
    made = translated(text, "vke")
    assert (made.text, [one.key for one in made.leftovers]) == (text, ["aliyun.com/gpu-mem"])


def test_containers_for_the_pods_of_others_have_no_labels() -> None:
    text = "kind: SidecarSet\nmetadata: {name: s}\nspec: {containers: [{name: c, resources: {limits: %s}}]}\n"
    one = text % "{nvidia.com/gpu: 1, nvidia.com/gpumem: 8192}"
    assert "mgpu-memory: 8192" in translated(one, "vke").text
    two = text % "{nvidia.com/gpu: 2, nvidia.com/gpumem: 8192}"
    assert "GX023" in [one.code for one in translated(two, "vke").diagnostics]


@pytest.mark.parametrize("name", OBJECTS["replicas"])
def test_replicas(name: str) -> None:
    [document] = documents(Source("f.yaml", text_of("replicas", name)))
    found = [replicas(document, pod) for pod in pods_in(document)]
    assert found == OBJECTS["replicas"][name]["replicas"]


# --- comments ------------------------------------------------------------------------------------

COMMENTS = [
    ("vke.volcengine.com/mgpu-memory: 4096 # 单位为 MiB", "ack", ["单位为 MiB"]),
    ("vke.volcengine.com/mgpu-memory: 4096 # in MiB", "tke", ["in MiB"]),
    ("# GPU memory in MB\n        vke.volcengine.com/mgpu-memory: 4096", "tke", ["GPU memory in MB"]),
    ("vke.volcengine.com/mgpu-memory: 4096 # 4 GiB", "hami", []),
    ("vke.volcengine.com/mgpu-memory: 4096 # 4096 MiB are 4 GiB", "ack", []),
    ("vke.volcengine.com/mgpu-memory: 4096 # of the model", "ack", []),
    ("vke.volcengine.com/mgpu-memory: 4096\n        # in MiB", "ack", []),
]


@pytest.mark.parametrize(("line", "to", "named"), COMMENTS)
def test_a_comment_with_the_unit_of_the_source_is_reported(line: str, to: str, named: list[str]) -> None:
    text = (
        "kind: Pod\nspec:\n  containers:\n  - name: a\n    resources:\n      limits:\n"
        f"        {line}\n        vke.volcengine.com/mgpu-core: 30 # 百分比\n"
    )
    made = translated(text, to)
    assert not made.refused, made.diagnostics
    found = [one for one in made.diagnostics if one.code == "GX026"]
    assert all(str(one.severity) == "warning" for one in found)
    assert [one for name in named for one in found if name in one.message] == found
    assert len(found) == len(named)
    line_of_key = next(n for n, one in enumerate(text.splitlines(), 1) if "mgpu-memory" in one)
    assert all(one.span and one.span.line == line_of_key for one in found)
