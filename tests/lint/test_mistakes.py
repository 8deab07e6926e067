"""What is found in manifests as people write them, and what is not.

Mistakes with the keys of one vendor, met in the wild: each is found, and the hint says what to write. Those
that rules of no vendor find are in tests/rules/cases.yaml. Numbers in brackets are rows of public manifests:
A-M of Alibaba's users, T-M of Tencent's.

Files that ask no vendor for a share give nothing, whatever they look like. ``fixtures/clean/`` holds the
shapes that public repositories brought up: whole cards of every kind, other schedulers' keys, domains of
vendors in images and mirrors, templates of other tools, odd YAML.
"""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.yamltext.source import Source
from tests.effort import tries
from tests.lint.conftest import lint, pod

SELECTOR = "nodeSelector: {ack.node.gpu.schedule: core_mem}"
CORE, MEMORY = "vke.volcengine.com/mgpu-core", "vke.volcengine.com/mgpu-memory"
SHARE = f"{CORE}: 30\n{MEMORY}: 4096"
CARDS, POLICY = "vke.volcengine.com/container-multiple-gpu", "vke.volcengine.com/mgpu-compute-policy"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  any: |\n    version: v1\n"
LOG = "  - name: log\n    image: log\n"
# a manifest; of each finding the code, the text that is marked, words of the message and of the hint
MISTAKES: dict[str, tuple[str, list[tuple[str, str, str, str]]]] = {
    # A-M9: gpu-core: 100, 50, 30 in four files
    "gpu-core": (
        pod("aliyun.com/gpu-mem: 2\naliyun.com/gpu-core: 50", spec=SELECTOR),
        [("ACK010", "aliyun.com/gpu-core", "not a key of ACK", "aliyun.com/gpu-core.percentage")],
    ),
    # seed 001 and the vendor's webhook: one number for each container
    "a card list that does not match the containers": (
        pod(SHARE, metadata=f'annotations: {{{CARDS}: "2"}}') + LOG,
        [("VKE017", '"2"', "does not have one number per container (web, log)", 'write "2,0"')],
    ),
    "a card list that gives cards to nobody": (
        pod(SHARE, metadata=f'annotations: {{{CARDS}: "2,1",\n  {POLICY}: native-burst-share}}') + LOG,
        [("VKE018", '"2,1"', "is 1, but container log requests no mGPU", "0")],
    ),
    # seed 001: 30 % and 4096 MiB; whole cards take no memory
    "whole cards with memory": (
        pod(f"{CORE}: 100\n{MEMORY}: 4096"),
        [("VKE014", MEMORY, "not allowed with 1 whole card (mgpu-core 100)", "")],
    ),
    # A-M9: a suffix in limits, another one in requests
    "three in one container": (
        pod("aliyun.com/gpu-mem: 2Gi", requests="aliyun.com/gpu-mem: 1Gi"),
        [
            ("K8S002", "2Gi", "requests 2147483648 GiB", "the key counts GiB: write 2"),
            ("K8S002", "1Gi", "requests 1073741824 GiB", "the key counts GiB: write 1"),
            ("K8S003", "1Gi", "1Gi in requests and 2Gi in limits", "the same whole number"),
        ],
    ),
    # values of a public catalogue of models: 78 keys
    "keys outside of pods": (
        "kind: ConfigMap\ndata:\n  aliyun.com/gpu-mem: '8'\n  aliyun.com/gpu-count: '2'\n"
        f"  {CORE}: '30'\n---\nkind: ConfigMap\ndata: {{{CORE}: '30'}}\n",
        [
            ("GX014", "aliyun.com/gpu-mem", "gpu-mem and 2 more keys of this object are not in a pod", ""),
            ("GX014", CORE, f"{CORE} is not in a pod: it is left as it is", "by hand"),
        ],
    ),
    # Kubernetes, "Pod-level resources": cpu, memory and hugepages alone
    "whole cards beside the containers": (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  resources: {limits: {nvidia.com/gpu: 1}}\n"
        "  containers: [{name: c, image: x}]\n",
        [("GX014", "nvidia.com/gpu", "beside the containers", "in resources.limits of a container")],
    ),
    # NVIDIA/k8s-device-plugin issues 1548 and 1022, api/config/v1/replicas.go: at least 2
    "one replica": (
        CONFIG + "    sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 1}]}}\n",
        [("GX037", "any", "1 nvidia.com/gpu for each card (mps)", "fewer than 2 replicas: write more")],
    ),
    # NVIDIA/k8s-device-plugin issue 1433: the plug-in went on with nvidia.com/gpu
    "a setting of the plug-in in flags": (
        CONFIG
        + "    flags: {renameByDefault: true}\n"
        + "    sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 64}]}}\n",
        [("GX037", "any", "64 nvidia.com/gpu", "renameByDefault in flags: write it in sharing.timeSlicing")],
    ),
    # NVIDIA/k8s-device-plugin issue 461: pods crashed, all memory was taken
    "time slicing divides no memory": (
        CONFIG + "    sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}\n",
        [("GX037", "any", "4 nvidia.com/gpu", "each client can use all memory and compute of its card")],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_and_its_hint_helps(name: str) -> None:
    text, wanted = MISTAKES[name]
    source = Source("a.yaml", text)
    found = lint_source(source, LintSettings()).diagnostics
    errors = [one for one in found if one.code != "VKE026"]  # a policy is another matter
    for one, (code, marked, message, hint) in zip(errors, wanted, strict=True):
        assert one.span
        line = source.line_text(one.span.line)
        assert (one.code, line[one.span.column - 1 : one.span.end_column - 1]) == (code, marked)
        assert (message in one.message, hint in (one.hint or "")) == (True, True)


# --- no mistakes ----------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
CLEAN = ROOT / "fixtures" / "clean"
FILES = sorted(path for path in CLEAN.rglob("*") if path.suffix in (".yaml", ".yml", ".json"))


UNREAD = "GX016"
"""An info on each accelerator that is not read, which is nothing wrong."""


def test_nothing_is_found() -> None:
    """Every rule, on every file, read in full."""
    wrong = {}
    for path in FILES:
        source = Source.from_bytes(path.name, path.read_bytes())
        diagnostics = lint_source(source, LintSettings()).diagnostics
        if found := [one for one in diagnostics if one.code != UNREAD]:
            wrong[path] = found
    assert wrong == {}


@pytest.mark.usefixtures("folder")
def test_the_folder_is_clean() -> None:
    said = lint(str(CLEAN), "--fail-on", "info", "--ignore", UNREAD)
    assert (said.code, said.codes, said.err) == (0, [], "")
    assert said.json["summary"]["files"] == len(FILES) >= 12


@pytest.mark.usefixtures("folder")
def test_the_vendors_own_manifests_have_no_error() -> None:
    # inputs that translate well: what lint says of them is advice
    targets = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu")
    said = lint(*(str(ROOT / "fixtures" / name) for name in targets))
    assert [one for one in said.diagnostics if one["severity"] == "error"] == []


LEAVES = st.one_of(
    *(st.none(), st.booleans(), st.integers()),
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=12),
)
NAMES = (
    *("containers", "initContainers", "spec", "template", "metadata", "labels", "annotations", "resources"),
    *("limits", "requests", "nvidia.com/gpu", "amd.com/gpu", "cpu", "kind", "items", "name", "env", "value"),
    *("nodeSelector", "affinity", "nodeAffinity", "matchExpressions", "key", "operator", "values", "<<"),
    *("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", "apiVersion", "templates"),
    *("data", "steps"),
)
KINDS = ["Pod", "List", "Workflow", "InferenceService", "Task", "CronJob", "TrainJob", "PodList", "ConfigMap"]
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=25,
)


@tries(200)
@given(st.sampled_from([*KINDS, ""]), TREES, st.booleans())
@example("TrainJob", {"containers": {"labels": [], "nvidia.com/gpu": {"cpu": None}}}, False)
def test_any_shape_without_a_vendors_key(kind: str, tree: object, spec: bool) -> None:
    """But for cards in containers that are no list: GX014 says that these are in no pod."""
    one = {"apiVersion": "v1", "kind": kind, "spec" if spec else "items": tree}
    found = lint_source(Source("a.json", json.dumps(one, ensure_ascii=False)), LintSettings()).diagnostics
    assert [one for one in found if "containers must be a list" not in one.message] == []
