"""Pods wherever a kind hides them, and their translation. One manifest a kind stands in kinds/.

The shapes are those of each project's custom resource definitions, as of 2026.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.manifest.pods import Pod, document_keys, pods_in
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.source import Source

KINDS = Path(__file__).with_name("kinds")

CRON = "spec.jobTemplate.spec.template"

# file: (path of the pod, container names, place of its labels and annotations) for every pod, in order
PODS: dict[str, list[tuple[str, str, str | None]]] = {
    "pod": [("spec", "server", "metadata")],
    "deployment": [("spec.template.spec", "fetch chat metrics", "spec.template.metadata")],
    "statefulset": [("spec.template.spec", "cache", "spec.template.metadata")],
    "daemonset": [("spec.template.spec", "probe", "spec.template.metadata")],
    "job": [("spec.template.spec", "embed", "spec.template.metadata")],
    "cronjob": [(f"{CRON}.spec", "nightly", f"{CRON}.metadata")],
    "list": [
        ("items.1.spec.template.spec", "one", "items.1.spec.template.metadata"),
        ("items.2.spec", "two", "items.2.metadata"),
    ],
    "podlist": [("items.0.spec", "a", "items.0.metadata")],
    "pytorchjob": [
        (f"{at}.template.spec", "pytorch", f"{at}.template.metadata")
        for at in ("spec.pytorchReplicaSpecs.Master", "spec.pytorchReplicaSpecs.Worker")
    ],
    "tfjob": [
        (f"{at}.template.spec", "tensorflow", f"{at}.template.metadata")
        for at in ("spec.tfReplicaSpecs.Chief", "spec.tfReplicaSpecs.Worker")
    ],
    "mpijob": [
        (
            f"spec.mpiReplicaSpecs.{role}.template.spec",
            "mpi",
            f"spec.mpiReplicaSpecs.{role}.template.metadata",
        )
        for role in ("Launcher", "Worker")
    ],
    "trainjob": [("spec", "trainer", None)],
    "raycluster": [
        ("spec.headGroupSpec.template.spec", "ray-head", "spec.headGroupSpec.template.metadata"),
        ("spec.workerGroupSpecs.0.template.spec", "ray-worker", "spec.workerGroupSpecs.0.template.metadata"),
    ],
    "rayjob": [
        (f"spec.rayClusterSpec.{group}.template.spec", name, f"spec.rayClusterSpec.{group}.template.metadata")
        for group, name in (("headGroupSpec", "ray-head"), ("workerGroupSpecs.0", "ray-worker"))
    ],
    "rayservice": [
        (f"spec.rayClusterConfig.{at}.template.spec", name, f"spec.rayClusterConfig.{at}.template.metadata")
        for at, name in (("headGroupSpec", "ray-head"), ("workerGroupSpecs.0", "ray-worker"))
    ],
    "volcanojob": [
        (f"spec.tasks.{n}.template.spec", name, f"spec.tasks.{n}.template.metadata")
        for n, name in enumerate(("ps", "worker"))
    ],
    "leaderworkerset": [
        (f"{at}Template.spec", at.rpartition(".")[2], f"{at}Template.metadata")
        for at in ("spec.leaderWorkerTemplate.leader", "spec.leaderWorkerTemplate.worker")
    ],
    "jobset": [
        (
            "spec.replicatedJobs.0.template.spec.template.spec",
            "trial",
            "spec.replicatedJobs.0.template.spec.template.metadata",
        )
    ],
    "argo-workflow": [
        ("spec.templates.1", "container tail", "spec.templates.1.metadata"),
        ("spec.templates.2", "script", "spec.templates.2.metadata"),
        ("spec.templates.0.steps.0.1.inline", "container", "spec.templates.0.steps.0.1.inline.metadata"),
    ],
    "argo-rollout": [("spec.template.spec", "canary", "spec.template.metadata")],
    "inferenceservice": [
        ("spec.predictor", "model", "spec.predictor"),
        ("spec.transformer", "kserve-container", "spec.transformer"),
    ],
    "llminferenceservice": [
        (f"{workload}.{part}", "main", workload)
        for workload, part in (("spec", "template"), ("spec", "worker"), ("spec.prefill", "template"))
    ],
    "knative-service": [("spec.template.spec", "", "spec.template.metadata")],
    "sparkapplication": [("spec.executor", "scorer", "spec.executor")],
    "tekton-task": [("spec", "prepare evaluate", "metadata")],
    "tekton-taskrun": [("spec.taskSpec", "evaluate", "metadata")],
    "unknown": [("spec.groups.0.pod.spec", "ship", "spec.groups.0.pod.metadata")],
}

# to a dialect that can say the share exactly
TARGETS = {"cronjob": "volcengine", "volcanojob": "neutral", "leaderworkerset": "alibaba"}


def text_of(name: str) -> str:
    return (KINDS / f"{name}.yaml").read_text(encoding="utf-8")


def pods_of(text: str) -> list[Pod]:
    return [pod for document in documents(Source("f", text)) for pod in pods_in(document)]


def translated(text: str, to: str, *, allow_leftovers: bool = False) -> Translation:
    return translate_source(Source("f", text), Settings(registry.get(to), allow_leftovers=allow_leftovers))


def dotted(path: tuple[str | int, ...]) -> str:
    return ".".join(str(step) for step in path)


def test_every_manifest_is_in_the_table() -> None:
    assert {path.stem for path in KINDS.glob("*.yaml")} == set(PODS)


@pytest.mark.parametrize("name", PODS)
def test_pods_and_containers_are_found(name: str) -> None:
    found = [
        (
            dotted(pod.keys.path),
            " ".join(container.name for container in pod.keys.all_containers()),
            dotted(pod.keys.metadata_path) if "labels" not in pod.lacks else None,
        )
        for pod in pods_of(text_of(name))
    ]
    assert found == PODS[name]


def target_of(name: str) -> str:
    return TARGETS.get(name, "volcengine" if "tencent" in text_of(name) else "tencent")


@pytest.mark.parametrize("name", PODS)
def test_no_key_of_the_source_survives_a_translation(name: str) -> None:
    text = text_of(name)
    [source] = {b.name for pod in pods_of(text) for b in registry.spoken_in(pod.keys)}
    target = registry.get(target_of(name))
    made = translated(text, target.name)
    assert not made.refused, made.diagnostics
    owns = registry.get(source).owns
    for pod in pods_of(made.text):
        assert registry.spoken_in(pod.keys) in ((), (target,)) or target.name == "alibaba-gpushare"
    left = [word for word in made.text.replace('"', " ").replace(":", " ").split() if owns(word)]
    assert left == []


@pytest.mark.parametrize("name", PODS)
def test_its_own_dialect_changes_nothing(name: str) -> None:
    text = text_of(name)
    [source] = {b.name for pod in pods_of(text) for b in registry.spoken_in(pod.keys)}
    assert translated(text, source).text == text


@pytest.mark.parametrize("name", PODS)
def test_nothing_but_the_share_changes(name: str) -> None:
    """What is left without GPU keys and choices of nodes is the same tree, and every comment is there."""
    text = text_of(name)
    made = translated(text, target_of(name)).text

    def bare(node: object) -> object:
        if isinstance(node, dict):
            kept = {k: bare(v) for k, v in node.items() if not _of_gpu(k)}
            return {k: v for k, v in kept.items() if v != {}}
        return [bare(item) for item in node] if isinstance(node, list) else node

    assert bare(yaml.safe_load(made)) == bare(yaml.safe_load(text))
    assert sorted(_comments(made)) == sorted(_comments(text))


def _of_gpu(key: str) -> bool:
    return key == "affinity" or any(b.owns(key) or key == b.whole_card_key for b in registry.all_backends())


def _comments(text: str) -> list[str]:
    return [line.partition(" #")[2].strip() for line in text.splitlines() if " #" in line]


# --- what is no pod -----------------------------------------------------------------------------

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: x}
spec:
  example:
    containers:
    - {name: a, resources: {limits: {aliyun.com/gpu-mem: 1}}}
"""

OUTSIDE = {
    "values of a chart": (
        "image: {tag: 1}\nresources:\n  limits:\n    aliyun.com/gpu-mem: 3\n",
        [("aliyun.com/gpu-mem", "resources.limits.aliyun.com/gpu-mem")],
    ),
    "a definition": (
        CRD,
        [("aliyun.com/gpu-mem", "spec.example.containers.0.resources.limits.aliyun.com/gpu-mem")],
    ),
    "a ConfigMap with keys": (
        "kind: ConfigMap\ndata:\n  vke.volcengine.com/mgpu-core: '30'\n",
        [("vke.volcengine.com/mgpu-core", "data.vke.volcengine.com/mgpu-core")],
    ),
    "a ConfigMap with a manifest inside": (
        "kind: ConfigMap\ndata:\n  pod.yaml: |\n    resources:\n      limits: {aliyun.com/gpu-mem: 3}\n",
        [("aliyun.com/gpu-mem", "data.pod.yaml")],
    ),
    "a patch in JSON": (
        'kind: Workflow\nspec:\n  podSpecPatch: \'{"limits": {"aliyun.com/gpu-mem": 3}}\'\n',
        [("aliyun.com/gpu-mem", "spec.podSpecPatch")],
    ),
    "a quota": (
        "kind: ResourceQuota\nspec:\n  hard:\n    requests.aliyun.com/gpu-mem: 30\n",
        [("requests.aliyun.com/gpu-mem", "spec.hard.requests.aliyun.com/gpu-mem")],
    ),
    "the GPU of a Spark executor": (
        "kind: SparkApplication\nspec:\n  executor:\n    gpu: {name: aliyun.com/gpu-mem, quantity: 4}\n",
        [("aliyun.com/gpu-mem", "spec.executor.gpu.name")],
    ),
    "an anchor that only serves others": (
        "x: &l {vke.volcengine.com/mgpu-core: 30}\nspec: {containers: [{resources: {limits: *l}}]}",
        [("vke.volcengine.com/mgpu-core", "x.vke.volcengine.com/mgpu-core")],
    ),
    "no Kubernetes at all": ("- aliyun.com/gpu-memory\n- a: b\n", []),
    "a scalar": ("aliyun.com/gpu-mem\n", []),
    "a merge key with a mapping of its own": (
        "kind: Pod\nspec:\n  containers:\n  - <<: {resources: {limits: {aliyun.com/gpu-mem: 1}}}\n",
        [],
    ),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_keys_outside_any_pod(name: str) -> None:
    text, expected = OUTSIDE[name]
    [document] = documents(Source("f", text))
    facts = document_keys(document, list(pods_in(document)), registry.is_gpu_key)
    assert [(key, dotted(path)) for key, path, _ in facts.outside] == expected


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


def test_an_anchor_that_something_else_uses_is_refused() -> None:
    text = BOTH % SHARE + "x: *l\n"
    made = translated(text, "tencent", allow_leftovers=True)
    assert made.text == text
    assert [d.code for d in made.diagnostics if d.code != "GX026"] == ["GX005"]


def test_a_merge_key_brings_no_key_of_the_source_back() -> None:
    """Without the key in the limits themselves that of the merged mapping would count."""
    text = f"x: &x {{aliyun.com/gpu-mem: 2}}\n{POD}  - name: a\n    resources:\n      limits:\n"
    text += "        <<: *x\n        aliyun.com/gpu-mem: 4\n"
    made = translated(text, "neutral", allow_leftovers=True)
    assert made.text == text
    assert [d.code for d in made.diagnostics if d.code != "GX026"] == ["GX005"]


def test_shared_values_are_those_that_others_use() -> None:
    found = []
    for text in (BOTH, ALIASED, MERGED):
        [document] = documents(Source("f", text % SHARE))
        facts = document_keys(document, list(pods_in(document)), registry.is_gpu_key)
        found.append(len(facts.shared))
    assert found == [0, 4, 4]
