"""What an operator makes of its object: metadata that it copies, replicas, schedulers, counted GPUs.

Each expectation is that of the operator's source: kserve/kserve, argoproj/argo-workflows,
tektoncd/pipeline, kubeflow/spark-operator, ray-project/kuberay, kubeflow/trainer, volcano-sh/volcano,
kubernetes-sigs/lws, kubeflow/kubeflow (1.10), openkruise/kruise, as of 2026-08; SeldonIO/seldon-core 1.18.
"""

from __future__ import annotations

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
MEM = "{limits: {aliyun.com/gpu-mem: 8}}"


def translated(text: str, to: str, accept: Accept = ANY) -> Translation:
    return translate_source(Source("f.yaml", text), Settings(to=registry.get(to), accept=accept))


def pods_of(text: str) -> list[Pod]:
    return [pod for document in documents(Source("f.yaml", text)) for pod in pods_in(document)]


def codes(text: str) -> list[str]:
    return [one.code for one in lint_source(Source("f.yaml", text), LintSettings()).diagnostics]


# --- metadata that an operator copies ------------------------------------------------------------

TWO_CARDS = 'labels: {aliyun.com/gpu-count: "2"}'
COPIED = {
    "InferenceService": f"""\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: m
  {TWO_CARDS}
spec:
  predictor: {{model: {{modelFormat: {{name: x}}, resources: {MEM}}}}}
  transformer: {{containers: [{{name: t, image: x, resources: {MEM}}}]}}
""",
    "workers of an InferenceService": f"""\
kind: InferenceService
spec:
  predictor:
    {TWO_CARDS}
    model: {{modelFormat: {{name: x}}, resources: {MEM}}}
    workerSpec: {{containers: [{{name: worker-container, resources: {MEM}}}]}}
""",
    "LLMInferenceService": f"""\
kind: LLMInferenceService
spec:
  {TWO_CARDS}
  template: {{containers: [{{name: main, resources: {MEM}}}]}}
  worker: {{containers: [{{name: main, resources: {MEM}}}]}}
""",
    "Workflow": f"""\
kind: Workflow
spec:
  podMetadata:
    {TWO_CARDS}
  templates:
  - {{name: a, container: {{image: x, resources: {MEM}}}}}
  - {{name: b, script: {{image: x, resources: {MEM}}}}}
""",
    "CronWorkflow": f"""\
kind: CronWorkflow
spec:
  workflowSpec:
    podMetadata:
      {TWO_CARDS}
    templates: [{{name: a, container: {{image: x, resources: {MEM}}}}}]
""",
    "PipelineRun": f"""\
kind: PipelineRun
metadata:
  name: p
  {TWO_CARDS}
spec:
  pipelineSpec:
    tasks: [{{name: a, taskSpec: {{steps: [{{name: s, computeResources: {MEM}}}]}}}}]
  taskRunSpecs: [{{pipelineTaskName: b, computeResources: {MEM}}}]
""",
    "TaskRun": f"""\
kind: TaskRun
metadata:
  name: p
  {TWO_CARDS}
spec:
  taskSpec: {{steps: [{{name: s, computeResources: {MEM}}}]}}
""",
    "finally": f"""\
kind: Pipeline
metadata:
  name: p
  {TWO_CARDS}
spec:
  finally: [{{name: a, taskSpec: {{steps: [{{name: s, computeResources: {MEM}}}]}}}}]
""",
    "Notebook": f"""\
apiVersion: kubeflow.org/v1
kind: Notebook
metadata:
  name: n
  {TWO_CARDS}
spec: {{template: {{spec: {{containers: [{{name: n, resources: {MEM}}}]}}}}}}
""",
    "a group of KubeRay": f"""\
apiVersion: ray.io/v1
kind: RayCronJob
spec:
  jobTemplate:
    rayClusterSpec:
      workerGroupSpecs:
      - {TWO_CARDS}
        rayStartParams: {{num-gpus: "2"}}
        template:
          spec: {{containers: [{{name: w, resources: {MEM}}}]}}
""",
    "a predictor of Seldon": f"""\
kind: SeldonDeployment
spec:
  predictors:
  - {TWO_CARDS}
    componentSpecs:
    - spec: {{containers: [{{name: a, resources: {MEM}}}]}}
    - spec: {{containers: [{{name: b, resources: {MEM}}}]}}
""",
    "an object inside another": f"""\
apiVersion: kubernetes.crossplane.io/v1alpha2
kind: Object
spec:
  forProvider:
    manifest:
      apiVersion: serving.kserve.io/v1beta1
      kind: InferenceService
      metadata:
        name: m
        {TWO_CARDS}
      spec: {{predictor: {{model: {{resources: {MEM}}}}}}}
""",
    "SparkApplication": f"""\
kind: SparkApplication
metadata:
  name: p
  {TWO_CARDS}
spec:
  executor: {{sidecars: [{{name: s, resources: {MEM}}}]}}
""",
}


@pytest.mark.parametrize("name", COPIED)
def test_every_pod_has_what_its_operator_copies(name: str) -> None:
    found = pods_of(COPIED[name])
    assert found
    for pod in found:
        assert pod.keys.labels["aliyun.com/gpu-count"].text == "2"
        assert not pod.keys.owner_labels
    assert "K8S005" not in codes(COPIED[name])
    assert "ACK015" not in codes(COPIED[name])


@pytest.mark.parametrize("name", COPIED)
def test_a_fix_does_not_move_it_to_one_pod(name: str) -> None:
    assert fix_source(Source("f.yaml", COPIED[name]), LintSettings(), unsafe=True).text == COPIED[name]


@pytest.mark.parametrize("name", COPIED)
def test_a_translation_takes_it_away_and_counts_it_for_all(name: str) -> None:
    made = translated(COPIED[name], "hami")
    assert not made.refused, made.diagnostics
    assert "aliyun" not in made.text
    assert made.text.count("nvidia.com/gpu: 2") == COPIED[name].count("gpu-mem")


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


def test_cards_of_pod_metadata_are_read() -> None:
    made = translated(POLICY, "neutral")
    assert [one.share.cards for one in made.items if one.share] == [3, 3]
    assert "volcengine" not in made.text


def test_new_keys_are_written_once_where_the_old_ones_were() -> None:
    made = translated(POLICY, "neutral")
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
    spec = {
        "apiVersion": "gpuxlate.io/v1alpha1",
        "kind": "GPUShare",
        "metadata": {"name": "x"},
        "spec": {"cores": 30, "memoryMiB": 4096, "policy": "burst-share"},
    }
    with pytest.raises(gpuxlate.Refused) as refused:
        gpuxlate.render(spec, to="vke", workload=workload, container="t")
    assert [one.code for one in refused.value.diagnostics if str(one.severity) == "error"] == ["GX023"]


def test_a_value_of_the_component_counts_before_that_of_the_object() -> None:
    own = DIFFERENT.replace("  transformer:\n", '  transformer:\n    labels: {aliyun.com/gpu-count: "1"}\n')
    assert [one.share.cards for one in translated(own, "neutral").items if one.share] == [2, 1]


def test_what_a_group_of_kuberay_has_counts_before_what_its_template_has() -> None:
    own = '{metadata: {labels: {aliyun.com/gpu-count: "4"}}, spec'
    text = COPIED["a group of KubeRay"].replace("template:\n          spec", "template:\n          XX")
    text = text.replace("template:\n          XX: {", f"template: {own}: {{").rstrip() + "}\n"
    made = translated(text, "neutral")
    assert [one.share.cards for one in made.items if one.share] == [2]
    assert [one.key for one in made.leftovers] == ["aliyun.com/gpu-count"]  # it counts for nothing


def test_what_a_component_of_seldon_has_counts_before_what_its_predictor_has() -> None:
    text = COPIED["a predictor of Seldon"]
    for own, cards in (("{aliyun.com/gpu-count: '4'}", [4, 2]), ("{}", [2, 2])):
        with_own = text.replace(
            "- spec: {containers: [{name: a",
            f"- metadata: {{labels: {own}}}\n      spec: {{containers: [{{name: a",
        )
        assert [one.share.cards for one in translated(with_own, "neutral").items if one.share] == cards


def test_what_a_pipeline_run_has_counts_before_what_its_task_has() -> None:
    text = COPIED["PipelineRun"].replace("{steps", '{metadata: {labels: {aliyun.com/gpu-count: "4"}}, steps')
    assert [one.share.cards for one in translated(text, "neutral").items if one.share] == [2, 2]


def test_labels_alone_are_copied_by_the_spark_operator() -> None:
    text = COPIED["SparkApplication"].replace("labels:", "annotations:")
    [pod] = pods_of(text)
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
    text = TEXTS["matchLabels"].replace(
        "app: d, aliyun.com/gpu-count: '2'}}\n  template", "app: d}}\n  template"
    )
    assert not translated(text, "hami").refused


@pytest.mark.parametrize("label", ["aliyun.com/gpu-coun", "scheduler.framework.gpushare.allocation"])
def test_no_fix_touches_such_a_label(label: str) -> None:
    text = TEXTS["matchLabels"].replace("aliyun.com/gpu-count", label)
    assert fix_source(Source("f.yaml", text), LintSettings(), unsafe=True).text == text
    alone = text.replace(f"app: d, {label}: '2'}}}}\n  template", "app: d}}\n  template")
    assert fix_source(Source("f.yaml", alone), LintSettings(), unsafe=True).text != alone


# --- schedulers ----------------------------------------------------------------------------------

CONTAINER = "[{name: c, image: x, %s: {limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4096}}}]"
POD = CONTAINER % "resources"
PASSED = {
    "Job": f"""\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: j}}
spec: {{tasks: [{{replicas: 2, name: t, template: {{spec: {{containers: {POD}}}}}}}]}}
""",
    "a Job whose pods name it too": f"""\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: j}}
spec: {{tasks: [{{name: t, template: {{spec: {{schedulerName: volcano, containers: {POD}}}}}}}]}}
""",
    "Workflow": f"""\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {{name: j}}
spec: {{schedulerName: volcano, templates: [{{name: t, containerSet: {{containers: {POD}}}}}]}}
""",
    "CronWorkflow": f"""\
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {{name: j}}
spec:
  workflowSpec: {{schedulerName: volcano, templates: [{{name: t, containerSet: {{containers: {POD}}}}}]}}
""",
}
NOT_OF_THE_POD = {
    "TaskRun": f"""\
apiVersion: tekton.dev/v1
kind: TaskRun
spec: {{podTemplate: {{schedulerName: volcano}}, taskSpec: {{steps: {CONTAINER % "computeResources"}}}}}
""",
    "RayCluster": f"""\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {{labels: {{ray.io/scheduler-name: volcano}}}}
spec: {{headGroupSpec: {{rayStartParams: {{num-gpus: "1"}}, template: {{spec: {{containers: {POD}}}}}}}}}
""",
}
ALONE = f"""\
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec: {{containers: {POD}}}
"""
"""The share in a pod that names no scheduler."""


def takes(to: str) -> bool:
    """The target can express the share, on any card and in a cluster of which nothing is known."""
    return "GX023" not in [one.code for one in translated(ALONE, to).diagnostics]


ELSEWHERE = [
    one.name
    for one in registry.pod_backends()
    if not one.reads_only
    and not any(row.model for row in one.keys)
    and not getattr(one.sheet, "scheduler", None)
    and takes(one.name)
]
"""Targets without a scheduler of their own, that take the share of any card."""
CLAIMS = {to for to in ELSEWHERE if "resourceClaims" in translated(ALONE, to).text}
"""Those that request it by claims, of which the pods of a Workflow have none."""
THERE = [(name, to) for to in ELSEWHERE for name in PASSED if to not in CLAIMS or "Workflow" not in name]


@pytest.mark.parametrize(("name", "to"), THERE)
def test_a_pod_does_not_inherit_the_scheduler_of_the_source(name: str, to: str) -> None:
    assert codes(PASSED[name]) == []
    made = translated(PASSED[name], to)
    assert not made.refused, made.diagnostics
    for pod in pods_of(made.text):
        assert pod.keys.scheduler_name is not None
        assert pod.keys.scheduler_name.text == "default-scheduler"
    assert "GX018" in [one.code for one in made.diagnostics]
    assert codes(made.text) == []
    back = [pod.keys.scheduler_name for pod in pods_of(translated(made.text, "volcano-vgpu").text)]
    assert [one.text for one in back if one] == ["volcano"]


@pytest.mark.parametrize("to", ELSEWHERE)
@pytest.mark.parametrize("name", NOT_OF_THE_POD)
def test_where_the_pod_cannot_name_its_own_it_is_refused(name: str, to: str) -> None:
    made = translated(NOT_OF_THE_POD[name], to)
    assert made.text == NOT_OF_THE_POD[name]
    assert "GX023" in [one.code for one in made.diagnostics]


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

PATTERN = "{spec: {containers: [{name: c, resources: {limits: {aliyun.com/gpu-mem: 8}}}]}}"
NO_PODS = {
    "a pattern of Kyverno": (
        f"apiVersion: kyverno.io/v1\nkind: Policy\nspec: {{rules: [{{mutate: {PATTERN}}}]}}"
    ),
    "an object in a policy": (
        "apiVersion: kyverno.io/v1\nkind: Policy\nspec: {rules: [{apiVersion: v1, kind: Pod, "
        f"{PATTERN[1:]}]}}"
    ),
    "an assignment of Gatekeeper": (
        f"apiVersion: mutations.gatekeeper.sh/v1\nkind: Assign\nspec: {{parameters: {PATTERN}}}"
    ),
    "a subset": f"kind: UnitedDeployment\nspec: {{topology: {{subsets: [{{patch: {PATTERN}}}]}}}}",
    "a part of a runtime": f"kind: TrainJob\nspec: {{runtimePatches: [{PATTERN}]}}",
}


@pytest.mark.parametrize("name", NO_PODS)
def test_what_looks_like_a_pod_and_is_none(name: str) -> None:
    assert pods_of(NO_PODS[name]) == []
    assert codes(NO_PODS[name]) == ["GX014"]
    made = translated(NO_PODS[name], "vke")
    assert (made.text, [one.key for one in made.leftovers]) == (NO_PODS[name], ["aliyun.com/gpu-mem"])


def test_containers_for_the_pods_of_others_have_no_labels() -> None:
    text = "kind: SidecarSet\nmetadata: {name: s}\nspec: {containers: [{name: c, resources: {limits: %s}}]}\n"
    one = text % "{nvidia.com/gpu: 1, nvidia.com/gpumem: 8192}"
    assert "mgpu-memory: 8192" in translated(one, "vke").text
    two = text % "{nvidia.com/gpu: 2, nvidia.com/gpumem: 8192}"
    assert "GX023" in [one.code for one in translated(two, "vke").diagnostics]


# --- replicas ------------------------------------------------------------------------------------

ONE = "{containers: [{name: c, image: x, resources: {limits: {aliyun.com/gpu-mem: 8}}}]}"
REPLICAS: dict[str, tuple[str, list[int | None]]] = {
    "KServe": (
        f"kind: InferenceService\nspec: {{predictor: {{minReplicas: 2, {ONE[1:]}, transformer: {ONE}}}",
        [2, 1],
    ),
    "prefill": (
        f"kind: LLMInferenceService\nspec: {{replicas: 2, template: {ONE}, "
        f"prefill: {{replicas: 3, template: {ONE}}}}}",
        [2, 3],
    ),
    "a set of leaders and workers": (
        "kind: LeaderWorkerSet\nspec: {replicas: 2, leaderWorkerTemplate: {size: 3, "
        f"leaderTemplate: {{spec: {ONE}}}, workerTemplate: {{spec: {ONE}}}}}}}",
        [2, 4],
    ),
    "workers without a leader of their own": (
        "kind: LeaderWorkerSet\nspec: {replicas: 2, leaderWorkerTemplate: {size: 3, "
        f"workerTemplate: {{spec: {ONE}}}}}}}",
        [6],
    ),
    "groups of LLMInferenceService, by data": (
        f"kind: LLMInferenceService\nspec: {{replicas: 3, parallelism: {{data: 8, dataLocal: 2}}, "
        f"template: {ONE}, worker: {ONE}}}",
        [3, 9],
    ),
    "groups of LLMInferenceService, by pipeline": (
        "kind: LLMInferenceService\nspec: {prefill: {replicas: 2, parallelism: {pipeline: 4}, "
        f"worker: {ONE}}}}}",
        [8],
    ),
    "all subsets of OpenKruise": (
        "kind: UnitedDeployment\nspec: {replicas: 4, template: {deploymentTemplate: {spec: {replicas: 9, "
        f"template: {{spec: {ONE}}}}}}}}}}}",
        [4],
    ),
    "containers for the pods of others": (f"kind: SidecarSet\nspec: {ONE}", [None]),
    "an object inside another": (
        "apiVersion: v1\nkind: Work\nspec: {replicas: 5, manifests: [{apiVersion: apps/v1, "
        f"kind: Deployment, spec: {{replicas: 2, template: {{spec: {ONE}}}}}}}]}}",
        [2],
    ),
    "nodes of training": (TRAIN % "", [2]),
    "hosts of a worker group": (ray(HAMI, extra="replicas: 2, numOfHosts: 4, "), [8]),
    "the least of a worker group": (ray(HAMI, extra="minReplicas: 3, "), [3]),
    "the most specific of Seldon": (
        "kind: SeldonDeployment\nspec: {replicas: 4, predictors: [{replicas: 2, componentSpecs: "
        f"[{{replicas: 3, spec: {ONE}}}, {{spec: {ONE}}}]}}, {{componentSpecs: [{{spec: {ONE}}}]}}]}}",
        [3, 2, 4],
    ),
    "Knative": (
        "kind: Service\nspec: {template: {metadata: {annotations: {autoscaling.knative.dev/min-scale: '3'}}, "
        f"spec: {ONE}}}}}",
        [3],
    ),
    "a maximum of Argo": (
        f"kind: Workflow\nspec: {{parallelism: 5, templates: [{{name: a, containerSet: {ONE}}}]}}",
        [1],
    ),
    "a Deployment": (f"kind: Deployment\nspec: {{replicas: 3, template: {{spec: {ONE}}}}}", [3]),
    "in a List": (
        f"kind: List\nitems: [{{kind: InferenceService, spec: {{predictor: {{minReplicas: 2, {ONE[1:]}}}}}]",
        [2],
    ),
}


@pytest.mark.parametrize("name", REPLICAS)
def test_replicas(name: str) -> None:
    text, expected = REPLICAS[name]
    [document] = documents(Source("f.yaml", text))
    assert [replicas(document, pod) for pod in pods_in(document)] == expected


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
