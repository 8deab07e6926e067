"""Pods wherever a kind hides them, and their translation; and what an operator makes of its object: metadata
that it copies, replicas, schedulers, counted GPUs. What is expected of a kind is at the top of its manifest
in kinds/; what operators do, in operators.yaml.

The shapes are those of each project's custom resource definitions, as of 2026. What is expected of operators
is in their source: kserve/kserve, argoproj/argo-workflows, tektoncd/pipeline, kubeflow/spark-operator,
ray-project/kuberay, kubeflow/trainer, volcano-sh/volcano, kubernetes-sigs/lws, kubeflow/kubeflow (1.10),
openkruise/kruise, as of 2026-08; SeldonIO/seldon-core 1.18.
"""

import gc
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.manifest.facts import document_keys
from gpuxlate.manifest.kinds import KINDS as ROWS
from gpuxlate.manifest.pods import Pod, pods_in, replicas
from gpuxlate.model.pod import DocumentKeys, dotted
from gpuxlate.model.profile import Profile
from gpuxlate.translation.options import Settings
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source
from tests.tables import from_yaml, read_table, to_yaml

KINDS = sorted(Path(__file__).with_name("kinds").glob("*.yaml"))
"""A manifest each, below its pods (``# pod PATH: CONTAINERS; labels in PATH``, or ``no labels``), and
where the usual targets cannot express the share exactly, one that can (``# to TARGET``)."""


def pods_of(text: str) -> list[Pod]:
    return [pod for document in documents(Source("f", text)) for pod in pods_in(document)]


def translated(text: str, to: str, accept: Accept | None = None, *, leftovers: bool = False) -> Result:
    settings = Settings(registry.get(to), accept=accept or Accept(), allow_leftovers=leftovers)
    return translate_source(Source("f", text), settings)


@pytest.mark.parametrize("path", KINDS, ids=lambda path: path.stem)
def test_pods_are_found_and_translated(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pods = pods_of(text)
    assert [
        (
            dotted(pod.keys.path),
            " ".join(container.name for container in pod.keys.all_containers()),
            f"labels in {dotted(pod.keys.metadata_path)}" if "labels" not in pod.lacks else "no labels",
        )
        for pod in pods
    ] == re.findall(r"^# pod (\S+): (.*); (.*)", text, re.MULTILINE)
    [source] = {one.name for pod in pods for one in registry.backends_of(pod.keys)}
    assert translated(text, source).text == text

    to = re.search(r"^# to (.*)", text, re.MULTILINE)
    target = registry.get(to[1] if to else "volcengine" if "tencent" in text else "tencent")
    made = translated(text, target.name)
    assert not made.refused, made.diagnostics
    for pod in pods_of(made.text):
        assert registry.backends_of(pod.keys) in ((), (target,)) or target.name == "alibaba-gpushare"
    words = made.text.replace('"', " ").replace(":", " ").split()
    assert [word for word in words if registry.get(source).owns(word)] == []
    # without GPU keys and choices of nodes it is the same tree, and every comment is there
    assert bare(yaml.safe_load(made.text)) == bare(yaml.safe_load(text))
    assert sorted(_comments(made.text)) == sorted(_comments(text))


def test_a_kind_has_one_row() -> None:
    assert len({(row.api, row.kind) for row in ROWS}) == len(ROWS)


def bare(node: object) -> object:
    if isinstance(node, dict):
        kept = {k: bare(v) for k, v in node.items() if not _of_gpu(k)}
        return {k: v for k, v in kept.items() if v != {}}
    return [bare(item) for item in node] if isinstance(node, list) else node


def _of_gpu(key: str) -> bool:
    return key == "affinity" or any(b.owns(key) or key == b.whole_card_key for b in registry.all_backends())


def _comments(text: str) -> list[str]:
    return [line.partition(" #")[2].strip() for line in text.splitlines() if " #" in line]


def test_lint_says_what_an_operator_does_not_find() -> None:
    remarks = {keys: codes(SERVED % ("", keys)) for keys in ("{nvidia.com/mig-1g.10gb: 1}", HAMI)}
    assert [*remarks.values()] == [["GX028"], []]
    assert codes(SERVED % (f"{TYPES}: '[]'", "{nvidia.com/mig-1g.10gb: 1}")) == []


FRACTION = "0.5"
TOLD = {FRACTION: ["GX028"], "'1'": [], "'${CARDS}'": []}


@pytest.mark.parametrize("number", TOLD)
def test_ray_is_told_a_whole_number(number: str) -> None:
    assert codes(ray("{nvidia.com/gpu: 1}", f"{{num-gpus: {number}}}")) == TOLD[number]
    assert codes(ray("{cpu: 1}", f"{{num-gpus: {number}}}")) == TOLD[number]


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


def facts_of(text: str) -> DocumentKeys:
    [document] = documents(Source("f", text))
    return document_keys(document, list(pods_in(document)), registry.is_gpu_key)


def test_keys_outside_any_pod() -> None:
    found = {
        name: (text, [(key.name, dotted(key.path)) for key in facts_of(text).outside])
        for name, (text, _) in OUTSIDE.items()
    }
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


@pytest.mark.parametrize(("text", "shared"), [(BOTH, 0), (ALIASED, 4), (MERGED, 4)])
def test_users_of_an_anchor_that_mean_the_same_are_translated(text: str, shared: int) -> None:
    """Shared values are those that others use."""
    made = translated(text % SHARE, "tencent")
    assert not made.refused, made.diagnostics
    assert made.text == text % MADE
    assert len(facts_of(text % SHARE).shared) == shared


USED_ELSEWHERE = BOTH % SHARE + "x: *l\n"
# without the key in the limits themselves that of the merged mapping would count
WITH_MERGE = f"x: &x {{aliyun.com/gpu-mem: 2}}\n{POD}  - name: a\n    resources:\n      limits:\n"
WITH_MERGE += "        <<: *x\n        aliyun.com/gpu-mem: 4\n"


@pytest.mark.parametrize(("text", "to"), [(USED_ELSEWHERE, "tencent"), (WITH_MERGE, "neutral")])
def test_an_anchor_that_would_mean_something_else_is_refused(text: str, to: str) -> None:
    made = translated(text, to, leftovers=True)
    assert made.text == text
    assert [one for one in said(made) if one != "GX026"] == ["GX005"]


# --- operators: metadata that they copy ----------------------------------------------------------

ANY = Accept(round_up=True, drop=frozenset({"policy", "qos", "cores", "selector"}), fill={"cores": 50})
OBJECTS = read_table(__file__, "operators.yaml")


class WithoutAliases(yaml.SafeDumper):
    def ignore_aliases(self, _data: Any) -> bool:
        return True


def text_of(section: str, name: str) -> str:
    """An object of operators.yaml, without what is expected of it."""
    data = {
        key: one for key, one in OBJECTS[section][name].items() if key not in ("cards", "left", "replicas")
    }
    return yaml.dump(data, Dumper=WithoutAliases, sort_keys=False, default_flow_style=None)


def accepted(text: str, to: str) -> Result:
    return translated(text, to, ANY)


def codes(text: str) -> list[str]:
    return [one.code for one in lint_source(Source("f", text), LintSettings()).diagnostics]


def said(made: Result) -> list[str]:
    return [one.code for one in made.diagnostics]


def fixed(text: str) -> str:
    return fix_source(Source("f", text), LintSettings(), unsafe=True).text


@pytest.mark.parametrize("name", OBJECTS["copied"])
def test_every_pod_has_what_its_operator_copies(name: str) -> None:
    """A fix does not move it to one pod; a translation takes it away and counts it for all."""
    text = text_of("copied", name)
    assert pods_of(text)
    for pod in pods_of(text):
        assert pod.keys.labels["aliyun.com/gpu-count"].text == "2"
        assert not pod.keys.owner_labels
    assert not {"K8S005", "ACK015"} & set(codes(text))
    assert fixed(text) == text
    made = accepted(text, "hami")
    assert not made.refused, made.diagnostics
    assert "aliyun" not in made.text
    assert made.text.count("nvidia.com/gpu: 2") == text.count("gpu-mem")


@pytest.mark.parametrize("name", OBJECTS["cards"])
def test_which_of_two_values_counts(name: str) -> None:
    made = accepted(text_of("cards", name), "neutral")
    assert [one.share.cards for one in made.items if one.share] == OBJECTS["cards"][name]["cards"]
    assert [one.key for one in made.leftovers] == OBJECTS["cards"][name].get("left", [])


def test_new_keys_are_written_once_where_the_old_ones_were() -> None:
    policy = OBJECTS["one for all"]["a policy"]
    made = accepted(text_of("one for all", "a policy"), "neutral")
    assert [one.share.cards for one in made.items if one.share] == [3, 3]
    assert "volcengine" not in made.text
    spec = yaml.safe_load(made.text)["spec"]
    assert spec["podMetadata"]["annotations"] == {"gpuxlate.io/policy": "best-effort"}
    assert all("metadata" not in template for template in spec["templates"])
    back = yaml.safe_load(accepted(made.text, "vke").text)
    assert back["spec"]["podMetadata"] == policy["spec"]["podMetadata"]


def test_components_that_need_different_values_are_refused() -> None:
    """VKE writes a number for each container: ``"2"`` and ``"2,0"`` here."""
    text = text_of("one for all", "two components")
    made = accepted(text, "vke")
    assert made.refused
    assert made.text == text
    [found] = [one for one in made.diagnostics if one.code == "GX023"]
    assert "container-multiple-gpu" in found.message
    assert "metadata" in found.message


def test_a_share_put_on_one_component_does_not_change_the_others() -> None:
    workload = text_of("one for all", "two shares")
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
spec: {workload: {manifests: [{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {
  selector: {matchLabels: {aliyun.com/gpu-count: '2'}},
  template: {metadata: {labels: {aliyun.com/gpu-count: '2'}}, spec: {containers: [
    {name: c, image: x, resources: {limits: {aliyun.com/gpu-mem: 8}}}]}}}}]}}
"""
TEXTS = {
    "an object inside another": CARRIED,
    **{name: WORKLOAD % (line, "hostIPC: false") for name, line in SELECTORS.items()},
    **{name: WORKLOAD % ("replicas: 1", line) for name, line in IN_POD.items()},
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_label_that_a_selector_matches_is_not_removed_alone(name: str) -> None:
    made = accepted(TEXTS[name], "hami")
    assert made.text == TEXTS[name]
    [found] = [one for one in made.diagnostics if one.code == "GX026"]
    line = next(n for n, text in enumerate(TEXTS[name].splitlines(), 1) if "elector" in text)
    assert found.span is not None
    assert found.span.line == line


def test_another_selector_refuses_nothing() -> None:
    selected = "app: d, aliyun.com/gpu-count: '2'}}\n  template"
    assert not accepted(TEXTS["matchLabels"].replace(selected, "app: d}}\n  template"), "hami").refused


def test_a_selected_label_that_the_target_writes_too_stays() -> None:
    policy = "huawei.com/scheduler.softShareDev.policy: fixed-share"
    text = TEXTS["matchLabels"].replace("aliyun.com/gpu-count: '2'", policy)
    text = text.replace("metadata: {", "metadata: {annotations: {huawei.com/vnpu-mode: enpu}, ")
    npu = ", ".join(f"huawei.com/Ascend310P{key}" for key in (": 1", "-memory: 8192", "-core: 30"))
    text = text.replace("aliyun.com/gpu-mem: 8", npu)
    profile = Profile("hami-ascend", components={"hami": "2.11.0"})
    made = gpuxlate.translate(text, "mindcluster", profile=profile, drop=["device"])
    assert f"selector: {{matchLabels: {{app: d, {policy}}}}}" in made.text
    assert f"labels: {{app: d, {policy}" in made.text


@pytest.mark.parametrize("label", ["aliyun.com/gpu-coun", "scheduler.framework.gpushare.allocation"])
def test_no_fix_touches_such_a_label(label: str) -> None:
    text = TEXTS["matchLabels"].replace("aliyun.com/gpu-count", label)
    assert fixed(text) == text
    alone = text.replace(f"app: d, {label}: '2'}}}}\n  template", "app: d}}\n  template")
    assert fixed(alone) != alone


MODE, POOL = ({"key": key, "operator": "In", "values": ["a"]} for key in ("ack.node.gpu.schedule", "pool"))
PREFERRED = {
    "the only one": ([[MODE]], None),
    "the only one of two expressions": ([[MODE, POOL]], [[POOL]]),
    "one of two": ([[MODE], [POOL]], [[POOL]]),
}


@pytest.mark.parametrize("name", PREFERRED)
def test_a_preference_is_never_left_empty(name: str) -> None:
    """Core API, PreferredSchedulingTerm (Kubernetes 1.34): an empty one "matches all objects"."""
    terms, left = PREFERRED[name]

    def affinity(terms: list[Any]) -> dict[str, Any]:
        wanted = [{"weight": 1, "preference": {"matchExpressions": one}} for one in terms]
        return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": wanted}}

    container = {"name": "c", "resources": {"limits": {"aliyun.com/gpu-mem": 8}}}
    spec = {"affinity": affinity(terms), "containers": [container]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
    made = accepted(to_yaml(pod), "hami")
    assert not made.refused
    assert from_yaml(made.text)["spec"].get("affinity") == (left and affinity(left))


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
        if not (one.read_only or one.names_vendor or any(row.model for row in one.keys) or one.scheduler)
        and "GX023" not in said(accepted(ALONE, one.name))
    ]


@pytest.mark.parametrize("name", OBJECTS["inherited"])
def test_a_pod_does_not_inherit_the_scheduler_of_the_source(name: str) -> None:
    text = text_of("inherited", name)
    assert codes(text) == []
    tried = 0
    for to in elsewhere():
        if "Workflow" in name and "resourceClaims" in accepted(ALONE, to).text:
            continue  # its pods have no claims
        made = accepted(text, to)
        assert not made.refused, made.diagnostics
        names = [pod.keys.scheduler_name for pod in pods_of(made.text)]
        assert [one and one.text for one in names] == ["default-scheduler"] * len(names), to
        assert "GX018" in said(made), to
        assert codes(made.text) == [], to
        back = [pod.keys.scheduler_name for pod in pods_of(accepted(made.text, "volcano-vgpu").text)]
        assert [one.text for one in back if one] == ["volcano"], to
        tried += 1
    assert tried > 10


@pytest.mark.parametrize("name", OBJECTS["not of the pod"])
def test_where_the_pod_cannot_name_its_own_it_is_refused(name: str) -> None:
    text = text_of("not of the pod", name)
    found = {to: accepted(text, to) for to in elsewhere()}
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
SERVED = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: m, annotations: {%s}}
spec: {predictor: {model: {modelFormat: {name: vllm}, resources: {limits: %s}}}}
"""
TYPES = "serving.kserve.io/gpu-resource-types"
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
    (SERVED % ("", HAMI), "vke", TYPES),
    (SERVED % (f"{TYPES}: '[]'", HAMI), "vke", None),
    (SERVED % ("", "{aliyun.com/gpu-mem: 4}"), "hami", None),
    (SERVED % ("", "{nvidia.com/mig-1g.10gb: 1}"), "neutral", TYPES),
]


@pytest.mark.parametrize(("text", "to", "hint"), COUNTED)
def test_an_operator_is_told_what_it_cannot_count(text: str, to: str, hint: str | None) -> None:
    made = accepted(text, to)
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
    made = accepted(text, "vke")
    assert (made.text, [one.key for one in made.leftovers]) == (text, ["aliyun.com/gpu-mem"])


def test_containers_for_the_pods_of_others_have_no_labels() -> None:
    text = "kind: SidecarSet\nmetadata: {name: s}\nspec: {containers: [{name: c, resources: {limits: %s}}]}\n"
    one = text % "{nvidia.com/gpu: 1, nvidia.com/gpumem: 8192}"
    assert "mgpu-memory: 8192" in accepted(one, "vke").text
    two = text % "{nvidia.com/gpu: 2, nvidia.com/gpumem: 8192}"
    assert "GX023" in said(accepted(two, "vke"))


@pytest.mark.parametrize("name", OBJECTS["replicas"])
def test_replicas(name: str) -> None:
    [document] = documents(Source("f", text_of("replicas", name)))
    found = [replicas(document, pod) for pod in pods_in(document)]
    assert found == OBJECTS["replicas"][name]["replicas"]


# --- comments ------------------------------------------------------------------------------------

MEMORY = "vke.volcengine.com/mgpu-memory: 4096"
COMMENTS = [
    (f"{MEMORY} # 单位为 MiB", "ack", ["单位为 MiB"]),
    (f"{MEMORY} # in MiB", "tke", ["in MiB"]),
    (f"# GPU memory in MB\n        {MEMORY}", "tke", ["GPU memory in MB"]),
    (f"{MEMORY} # 4 GiB", "hami", []),
    (f"{MEMORY} # 4096 MiB are 4 GiB", "ack", []),
    (f"{MEMORY} # of the model", "ack", []),
    (f"{MEMORY}\n        # in MiB", "ack", []),
]


@pytest.mark.parametrize(("line", "to", "named"), COMMENTS)
def test_a_comment_with_the_unit_of_the_source_is_reported(line: str, to: str, named: list[str]) -> None:
    limits = f"        {line}\n        vke.volcengine.com/mgpu-core: 30 # 百分比\n"
    text = f"kind: Pod\nspec:\n  containers:\n  - name: a\n    resources:\n      limits:\n{limits}"
    made = accepted(text, to)
    assert not made.refused, made.diagnostics
    found = [one for one in made.diagnostics if one.code == "GX026"]
    assert all(str(one.severity) == "warning" for one in found)
    assert [one for name in named for one in found if name in one.message] == found
    assert len(found) == len(named)
    line_of_key = next(n for n, one in enumerate(text.splitlines(), 1) if "mgpu-memory" in one)
    assert all(one.span and one.span.line == line_of_key for one in found)


# --- memory --------------------------------------------------------------------------------------

LISTED = """\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {aliyun.com/gpu-count: 2}}
spec:
  containers:
  - {name: web, resources: &share {limits: {cpu: 1, aliyun.com/gpu-mem: 8Gi}}}
  - {name: other, resources: *share}
"""


@pytest.mark.parametrize(
    "text", [LISTED, LISTED.replace("8Gi", "8").replace("gpu-count: 2", "gpu-count: '2'")]
)
def test_nothing_holds_itself(text: str) -> None:
    """A document is gone from memory when it is done."""

    def run() -> None:
        source = Source("web.yaml", text)
        for target in ("neutral", "hami"):
            translate_source(source, Settings(registry.get(target)))
        fix_source(source, LintSettings(), unsafe=True)

    run()  # what is kept for later runs
    gc.collect()
    gc.disable()
    try:
        run()
        assert gc.collect() == 0
    finally:
        gc.enable()
