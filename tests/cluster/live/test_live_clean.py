"""Objects of a server as somebody would have written them, and new YAML documents.

What the server fills in is left out again; what any reader reads of a document is what was written.
"""

import copy
import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.cluster.export import as_yaml, clean_object
from gpuxlate.yamltext.plain import dump_yaml, plain_document
from gpuxlate.yamltext.source import Source
from tests.e2e import pods
from tests.tables import read_table

Json = dict[str, Any]
SERVER_METADATA = {
    "uid": "1", "resourceVersion": "2", "generation": 3, "creationTimestamp": "2026-11-01T00:00:00Z",
    "managedFields": [{"manager": "x"}], "selfLink": "/x", "finalizers": ["foregroundDeletion"],
    "ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "controller": True}],
}  # fmt: skip
CONTAINERS = {"containers": [{"name": "main", "image": "x"}]}
CASES: list[Json] = read_table(__file__, "clean.yaml")


def made(kind: str, spec: Json, **metadata: Any) -> Json:
    name = {"name": "web", **SERVER_METADATA, **metadata}
    return {"apiVersion": "v1", "kind": kind, "metadata": name, "spec": spec, "status": {"phase": "Running"}}


def test_metadata_and_status_go() -> None:
    got = clean_object(made("Deployment", {"replicas": 1}, namespace="ml", labels={"app": "web"}))
    metadata = {"name": "web", "namespace": "ml", "labels": {"app": "web"}}
    assert got == {"apiVersion": "v1", "kind": "Deployment", "metadata": metadata, "spec": {"replicas": 1}}
    assert list(got) == ["apiVersion", "kind", "metadata", "spec"]


def test_the_object_itself_stays() -> None:
    found = made("Pod", {"nodeName": "n", **CONTAINERS, "priority": 0})
    before = copy.deepcopy(found)
    clean_object(found)
    assert found == before


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_the_spec(case: Json) -> None:
    given = made(case["kind"], copy.deepcopy(case["spec"]))
    assert clean_object(given)["spec"] == case.get("left", case["spec"])


GONE = {
    "annotations": (
        "kubectl.kubernetes.io/last-applied-configuration",
        "deployment.kubernetes.io/revision",
        # what the vendors' schedulers write: the data sheets of the backends
        "vke.volcengine.com/gpu-index-container-main",
        "vke.volcengine.com/assumed",
        "scheduler.framework.gpushare.allocation",
        "tke.cloud.tencent.com/qgpu-pgpu-main",
    ),
    "labels": ("pod-template-hash", "controller-revision-hash"),
}
KEPT = {
    "annotations": (
        "kubectl.kubernetes.io/restartedAt",
        "example.com/owner",
        # what a user writes of the vendors'
        "vke.volcengine.com/mgpu-compute-policy",
        "tke.cloud.tencent.com/app-class",
    ),
    "labels": ("aliyun.com/gpu-count", "job-name", "app"),  # job-name of a pod of no job: the user's own
}


def left(kind: str, names: Json) -> Json | None:
    found: Json | None = clean_object(made("Pod", CONTAINERS, **{kind: names}))["metadata"].get(kind)
    return found


def test_labels_and_annotations_of_a_pod() -> None:
    """Each beside another one, and alone."""
    for kind, names in GONE.items():
        both = {name: (left(kind, {name: "1", "x": "y"}), left(kind, {name: "1"})) for name in names}
        assert both == dict.fromkeys(names, ({"x": "y"}, None))
    for kind, names in KEPT.items():
        both = {name: (left(kind, {name: "1", "x": "y"}), left(kind, {name: "1"})) for name in names}
        assert both == {name: ({name: "1", "x": "y"}, {name: "1"}) for name in names}


def test_every_record_of_the_schedulers_goes() -> None:
    for pod in (*pods.VKE, *pods.ACK, *pods.TKE):
        left = clean_object(pod)["metadata"].get("annotations", {})
        assert not [n for n in left if "gpu-index" in n or "assum" in n or "alloc" in n or "pgpu" in n]
        assert yaml.safe_load(as_yaml(pod)) == clean_object(pod)  # the text is the object


def job(**spec: Any) -> Json:
    labels = {"controller-uid": "1", "job-name": "web", "app": "web"}
    template = {"metadata": {"labels": dict(labels)}, "spec": CONTAINERS}
    selector = {"matchLabels": {"controller-uid": "1"}}
    return made("Job", {"selector": selector, "template": template, **spec}, labels=labels)


def test_a_job_finds_its_pods_anew() -> None:
    got = clean_object(job())
    assert "selector" not in got["spec"]
    assert got["spec"]["template"]["metadata"]["labels"] == {"app": "web"}
    assert got["metadata"]["labels"] == {"app": "web"}
    got = clean_object(job(manualSelector=True))  # it has a selector of its own
    assert got["spec"]["selector"] == {"matchLabels": {"controller-uid": "1"}}
    assert got["spec"]["template"]["metadata"]["labels"]["controller-uid"] == "1"


def test_a_replica_set_loses_the_hash_everywhere() -> None:
    labels = {"app": "web", "pod-template-hash": "5f9"}
    template = {"metadata": {"labels": dict(labels)}, "spec": CONTAINERS}
    spec = {"selector": {"matchLabels": dict(labels)}, "template": template}
    got = clean_object(made("ReplicaSet", spec, labels=dict(labels)))
    assert "5f9" not in json.dumps(got)
    assert got["spec"]["selector"] == {"matchLabels": {"app": "web"}}


def test_odd_objects_are_no_trouble() -> None:
    oddities: list[Json] = [{}, {"spec": None}, {"spec": []}, {"metadata": None}, {"spec": {"template": 1}}]
    for odd in oddities:
        assert clean_object({"kind": "Odd", **odd})["kind"] == "Odd", odd


def test_a_number_that_the_server_printed_is_written_in_digits() -> None:
    """A quantity of 6000 is printed as 6k (k8s.io/apimachinery, ``resource.Quantity``)."""
    limits = {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "6k", "example.com/x": "6k", "cpu": "2k"}
    asked = {"name": "main", "image": "x", "resources": {"limits": limits, "requests": limits}}
    [one] = clean_object(made("Pod", {"containers": [asked]}))["spec"]["containers"]
    digits = {**limits, "nvidia.com/gpumem": "6000"}
    assert one["resources"] == {"limits": digits, "requests": digits}


def test_the_pull_policy_of_an_image() -> None:
    policies = {
        ("web", "Always"): None, ("web:latest", "Always"): None, ("registry:5000/web", "Always"): None,
        ("web:1", "IfNotPresent"): None, ("web@sha256:00", "IfNotPresent"): None,
        ("web:1", "Always"): "Always", ("web", "IfNotPresent"): "IfNotPresent", ("web:1", "Never"): "Never",
    }  # fmt: skip
    left = {}
    for image, policy in policies:
        spec = {"containers": [{"name": "main", "image": image, "imagePullPolicy": policy}]}
        left[image, policy] = clean_object(made("Pod", spec))["spec"]["containers"][0].get("imagePullPolicy")
    assert left == policies


# --- defaults that somebody applied ---------------------------------------------------------------

DEPLOYMENT = next(case for case in CASES if case["what"] == "a deployment")
BY_CONTROLLER = {"manager": "kube-controller-manager", "operation": "Update", "fieldsV1": {"f:status": {}}}


def defaulted(**metadata: Any) -> Json:
    """The spec that is left of the deployment."""
    given = {"name": "web", "managedFields": [BY_CONTROLLER], **metadata}
    whole = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": given}
    spec: Json = clean_object({**whole, "spec": copy.deepcopy(DEPLOYMENT["spec"])})["spec"]
    return spec


LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


BY_SERVER = {"manager": "kubectl", "operation": "Apply", "fieldsV1": DEPLOYMENT["applied"]}
BY_KUBECTL = {LAST_APPLIED: json.dumps(DEPLOYMENT["last-applied"])}


@pytest.mark.parametrize("metadata", [{"managedFields": [BY_SERVER]}, {"annotations": BY_KUBECTL}])
def test_a_default_that_somebody_applied_stays(metadata: Json) -> None:
    want = copy.deepcopy(DEPLOYMENT["left"])
    want["revisionHistoryLimit"] = 10
    pod = want["template"]["spec"]
    pod["dnsPolicy"] = "ClusterFirst"
    pod["containers"][0]["terminationMessagePolicy"] = "File"
    pod["containers"][0]["ports"][0]["protocol"] = "TCP"
    assert defaulted(**metadata) == want


def test_an_update_owns_defaults_too() -> None:
    """The server notes the defaults of a create or an update as fields of who sent it."""
    update = [{"manager": "kubectl-create", "operation": "Update", "fieldsV1": DEPLOYMENT["applied"]}]
    assert defaulted(managedFields=update) == DEPLOYMENT["left"]


def test_odd_notes_of_ownership_are_no_trouble() -> None:
    odd: list[Any] = [[], {}, "x", [1], [{"operation": "Apply", "fieldsV1": {"k:[": 1, "f:spec": 3}}]]
    for notes in odd:
        got = defaulted(managedFields=notes, annotations={LAST_APPLIED: "{["})
        assert got == DEPLOYMENT["left"], notes


# --- new YAML documents ---------------------------------------------------------------------------

# each is something else than a string, or breaks, where it is written bare
TRICKY = (
    "yes", "on", "No", "y", "1e3", "012", "0o17", "1_000", "2001-01-01", "null", "~", "", "1:30", "0x1F",
    "=", "a: b", "a:", "- x", "%x", " lead", "trail ", "multi\n", "a\n\nb\n\n", "a\n   \nb", "a\n  ",
    "\ttab", ".5", "+1", "1.", "!x", "<<", ".inf", "a\u2028b", "é\x85x", "\x07", "# x", "a #b", "a\tb\nc",
    "😀\x7f", "---", "...", "? a", "@a", "`a", "'q'", '"q"', "{a", "[b", "a\n---\nb", "\xa0x", "中文\n行\n",
    "a\r\nb", "a\\nb",
)  # fmt: skip

TEXTS = st.one_of(st.sampled_from(TRICKY), st.text(st.characters(exclude_categories=["Cs"]), max_size=10))
LEAVES = st.one_of(TEXTS, st.integers(-10, 10**12), st.booleans(), st.none(), st.sampled_from([0.5, -3.25]))
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, TREES, min_size=1, max_size=4))
def test_any_reader_reads_what_was_written(data: dict[str, Any]) -> None:
    text = dump_yaml(data)
    assert yaml.safe_load(text) == data  # YAML 1.1, as kubectl's
    assert plain_document(Source("x", text)) == data


LOOKS: list[tuple[Any, str]] = [
    ({"a": {"b": ["x", {"c": 1, "d": None}]}}, "a:\n  b:\n  - x\n  - c: 1\n    d: null\n"),
    ({"a": [], "b": {}, "c": True}, "a: []\nb: {}\nc: true\n"),
    ({"run": "set -e\nexec x\n"}, "run: |\n  set -e\n  exec x\n"),
    ({"run": ["a\nb"]}, "run:\n- |-\n  a\n  b\n"),
    ([["a"], [{"b": 1}]], "- - a\n- - b: 1\n"),
    ({"on": "yes"}, '"on": "yes"\n'),
    ("text", "text\n"),
]


def test_how_it_looks() -> None:
    assert {text: dump_yaml(data) for data, text in LOOKS} == {text: text for _, text in LOOKS}
