"""Pods wherever a kind hides them, and their translation. One manifest a kind stands in kinds/.

The shapes are those of each project's custom resource definitions, as of 2026.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.manifest.pods import Pod, document_keys, pods_in
from gpuxlate.model.pod import dotted
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.source import Source

KINDS = Path(__file__).with_name("kinds")


def of_template(above: str, containers: str) -> tuple[str, str, str]:
    return f"{above}.template.spec", containers, f"{above}.template.metadata"


def of_ray(above: str) -> list[tuple[str, str, str | None]]:
    return [
        of_template(f"{above}.headGroupSpec", "ray-head"),
        of_template(f"{above}.workerGroupSpecs[0]", "ray-worker"),
    ]


LEADER_WORKER, INLINE = "spec.leaderWorkerTemplate", "spec.templates[0].steps[0][1].inline"

# file: (path of the pod, container names, place of its labels and annotations) for every pod, in order
PODS: dict[str, list[tuple[str, str, str | None]]] = {
    "pod": [("spec", "server", "metadata")],
    "deployment": [of_template("spec", "fetch chat metrics")],
    "statefulset": [of_template("spec", "cache")],
    "daemonset": [of_template("spec", "probe")],
    "job": [of_template("spec", "embed")],
    "cronjob": [of_template("spec.jobTemplate.spec", "nightly")],
    "list": [of_template("items[1].spec", "one"), ("items[2].spec", "two", "items[2].metadata")],
    "podlist": [("items[0].spec", "a", "items[0].metadata")],
    "pytorchjob": [
        of_template(f"spec.pytorchReplicaSpecs.{role}", "pytorch") for role in ("Master", "Worker")
    ],
    "tfjob": [of_template(f"spec.tfReplicaSpecs.{role}", "tensorflow") for role in ("Chief", "Worker")],
    "mpijob": [of_template(f"spec.mpiReplicaSpecs.{role}", "mpi") for role in ("Launcher", "Worker")],
    "trainjob": [("spec", "trainer", None)],
    "raycluster": of_ray("spec"),
    "rayjob": of_ray("spec.rayClusterSpec"),
    "rayservice": of_ray("spec.rayClusterConfig"),
    "volcanojob": [of_template(f"spec.tasks[{n}]", name) for n, name in enumerate(("ps", "worker"))],
    "leaderworkerset": [
        (f"{LEADER_WORKER}.{name}Template.spec", name, f"{LEADER_WORKER}.{name}Template.metadata")
        for name in ("leader", "worker")
    ],
    "jobset": [of_template("spec.replicatedJobs[0].template.spec", "trial")],
    "argo-workflow": [
        ("spec.templates[1]", "container tail", "spec.templates[1].metadata"),
        ("spec.templates[2]", "script", "spec.templates[2].metadata"),
        (
            "spec.templates[0].steps[0][1].inline",
            "container",
            "spec.templates[0].steps[0][1].inline.metadata",
        ),
    ],
    "argo-rollout": [of_template("spec", "canary")],
    "inferenceservice": [
        ("spec.predictor", "model", "spec.predictor"),
        ("spec.transformer", "kserve-container", "spec.transformer"),
    ],
    "llminferenceservice": [
        (f"{workload}.{part}", "main", workload)
        for workload, part in (("spec", "template"), ("spec", "worker"), ("spec.prefill", "template"))
    ],
    "knative-service": [of_template("spec", "")],
    "sparkapplication": [("spec.executor", "scorer", "spec.executor")],
    "tekton-task": [("spec", "prepare evaluate", "metadata")],
    "tekton-taskrun": [("spec.taskSpec", "evaluate", "metadata")],
    "unknown": [("spec.groups[0].pod.spec", "ship", "spec.groups[0].pod.metadata")],
}

# to a dialect that can say the share exactly
TARGETS = {"cronjob": "volcengine", "volcanojob": "neutral", "leaderworkerset": "alibaba"}


def pods_of(text: str) -> list[Pod]:
    return [pod for document in documents(Source("f", text)) for pod in pods_in(document)]


def translated(text: str, to: str, *, allow_leftovers: bool = False) -> Translation:
    return translate_source(Source("f", text), Settings(registry.get(to), allow_leftovers=allow_leftovers))


def test_every_manifest_is_in_the_table() -> None:
    assert {path.stem for path in KINDS.glob("*.yaml")} == set(PODS)


@pytest.mark.parametrize("name", PODS)
def test_pods_are_found_and_translated(name: str) -> None:
    text = (KINDS / f"{name}.yaml").read_text(encoding="utf-8")
    pods = pods_of(text)
    assert [
        (
            dotted(pod.keys.path),
            " ".join(container.name for container in pod.keys.all_containers()),
            dotted(pod.keys.metadata_path) if "labels" not in pod.lacks else None,
        )
        for pod in pods
    ] == PODS[name]
    [source] = {one.name for pod in pods for one in registry.spoken_in(pod.keys)}
    assert translated(text, source).text == text

    target = registry.get(TARGETS.get(name, "volcengine" if "tencent" in text else "tencent"))
    made = translated(text, target.name)
    assert not made.refused, made.diagnostics
    for pod in pods_of(made.text):
        assert registry.spoken_in(pod.keys) in ((), (target,)) or target.name == "alibaba-gpushare"
    words = made.text.replace('"', " ").replace(":", " ").split()
    assert [word for word in words if registry.get(source).owns(word)] == []
    # without GPU keys and choices of nodes it is the same tree, and every comment is there
    assert bare(yaml.safe_load(made.text)) == bare(yaml.safe_load(text))
    assert sorted(_comments(made.text)) == sorted(_comments(text))


def bare(node: object) -> object:
    if isinstance(node, dict):
        kept = {k: bare(v) for k, v in node.items() if not _of_gpu(k)}
        return {k: v for k, v in kept.items() if v != {}}
    return [bare(item) for item in node] if isinstance(node, list) else node


def _of_gpu(key: str) -> bool:
    return key == "affinity" or any(b.owns(key) or key == b.whole_card_key for b in registry.all_backends())


def _comments(text: str) -> list[str]:
    return [line.partition(" #")[2].strip() for line in text.splitlines() if " #" in line]


# --- what is no pod -----------------------------------------------------------------------------

RESOURCES = "resources: {limits: {aliyun.com/gpu-mem: 1}}"
CRD = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\n"
MERGE = f"kind: Pod\nspec:\n  containers:\n  - <<: {{{RESOURCES}}}\n"
GPU_MEM, CORE = "aliyun.com/gpu-mem", "vke.volcengine.com/mgpu-core"
MANIFEST = f"kind: ConfigMap\ndata:\n  pod.yaml: |\n    resources:\n      limits: {{{GPU_MEM}: 3}}\n"
PATCH = f'kind: Workflow\nspec:\n  podSpecPatch: \'{{"limits": {{"{GPU_MEM}": 3}}}}\'\n'
QUOTA = f"kind: ResourceQuota\nspec:\n  hard:\n    requests.{GPU_MEM}: 30\n"
SPARK = f"kind: SparkApplication\nspec:\n  executor:\n    gpu: {{name: {GPU_MEM}, quantity: 4}}\n"
ANCHOR = f"x: &l {{{CORE}: 30}}\nspec: {{containers: [{{resources: {{limits: *l}}}}]}}"
DEFINITION = f"{CRD}spec: {{example: {{containers: [{{name: a, {RESOURCES}}}]}}}}\n"
# what is no pod: the text, and the only key in it with its path
OUTSIDE: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "values of a chart": (
        f"resources:\n  limits:\n    {GPU_MEM}: 3\n",
        [(GPU_MEM, f"resources.limits.{GPU_MEM}")],
    ),
    "a definition": (DEFINITION, [(GPU_MEM, f"spec.example.containers[0].resources.limits.{GPU_MEM}")]),
    "a ConfigMap with keys": (f"kind: ConfigMap\ndata:\n  {CORE}: '30'\n", [(CORE, f"data.{CORE}")]),
    "a ConfigMap with a manifest inside": (MANIFEST, [(GPU_MEM, "data.pod.yaml")]),
    "a patch in JSON": (PATCH, [(GPU_MEM, "spec.podSpecPatch")]),
    "a quota": (QUOTA, [(f"requests.{GPU_MEM}", f"spec.hard.requests.{GPU_MEM}")]),
    "the GPU of a Spark executor": (SPARK, [(GPU_MEM, "spec.executor.gpu.name")]),
    "an anchor that only serves others": (ANCHOR, [(CORE, f"x.{CORE}")]),
    "no Kubernetes at all": ("- aliyun.com/gpu-memory\n- a: b\n", []),
    "a scalar": (f"{GPU_MEM}\n", []),
    "a merge key with a mapping of its own": (MERGE, []),
}


def test_keys_outside_any_pod() -> None:
    found = {}
    for name, (text, _) in OUTSIDE.items():
        [document] = documents(Source("f", text))
        facts = document_keys(document, list(pods_in(document)), registry.is_gpu_key)
        found[name] = (text, [(key, dotted(path)) for key, path, _ in facts.outside])
    assert found == OUTSIDE


def test_they_are_left_alone_and_reported_beside_a_share() -> None:
    text = "resources: {limits: {aliyun.com/gpu-mem: 3}}\n"
    made = translated(text, "tencent")
    assert made.text == text
    assert [(d.code, d.span.line if d.span else 0) for d in made.diagnostics] == [("GX026", 1)]


def test_a_tekton_task_counts_each_field_once() -> None:
    text = "kind: Task\nspec:\n  steps:\n  - name: a\n    resources: {limits: {aliyun.com/gpu-mem: 1}}\n"
    [pod] = pods_of(text)
    assert pod.resources_key == "resources"
    assert "nodeSelector" in pod.lacks


# --- anchors ------------------------------------------------------------------------------------

POD = "kind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
BOTH = POD + "  - name: a\n    resources:\n      limits: &l {%s}\n      requests: *l\n"
SHARE = "vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096"
MADE = 'tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "4"'
ALIASED = POD + "  - &one\n    name: a\n    resources: &r {limits: {%s}}\n  - {name: b, resources: *r}\n"
MERGED = POD + "  - &one\n    name: a\n    resources: {limits: {%s}}\n  - <<: *one\n    name: b\n"


@pytest.mark.parametrize("text", [BOTH, ALIASED, MERGED])
def test_users_of_an_anchor_that_mean_the_same_are_translated(text: str) -> None:
    made = translated(text % SHARE, "tencent")
    assert not made.refused, made.diagnostics
    assert made.text == text % MADE


USED_ELSEWHERE = BOTH % SHARE + "x: *l\n"
# without the key in the limits themselves that of the merged mapping would count
WITH_MERGE = f"x: &x {{aliyun.com/gpu-mem: 2}}\n{POD}  - name: a\n    resources:\n      limits:\n"
WITH_MERGE += "        <<: *x\n        aliyun.com/gpu-mem: 4\n"


@pytest.mark.parametrize(("text", "to"), [(USED_ELSEWHERE, "tencent"), (WITH_MERGE, "neutral")])
def test_an_anchor_that_would_mean_something_else_is_refused(text: str, to: str) -> None:
    made = translated(text, to, allow_leftovers=True)
    assert made.text == text
    assert [d.code for d in made.diagnostics if d.code != "GX026"] == ["GX005"]


def test_shared_values_are_those_that_others_use() -> None:
    found = []
    for text in (BOTH, ALIASED, MERGED):
        [document] = documents(Source("f", text % SHARE))
        facts = document_keys(document, list(pods_in(document)), registry.is_gpu_key)
        found.append(len(facts.shared))
    assert found == [0, 4, 4]
