"""The documents themselves: golden files, schemas, names, messages, costs, and what webhooks have written."""

import json
import re
from dataclasses import replace
from functools import cache
from typing import Any, cast

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.backends.hami import HamiProfile, ResourceNames
from gpuxlate.config.configuration import load_profile
from gpuxlate.lint.settings import everything
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.profile import Profile
from gpuxlate.policy.documents import LONGEST_NAME, AdmissionPolicy, cut_name
from gpuxlate.policy.generate import (
    PolicyEngine,
    PolicyOptions,
    PolicyScope,
    deny_policies,
    enforcement_policies,
    policy_documents,
)
from gpuxlate.policy.style import ACTIONS, PolicyStyle
from tests.effort import turn
from tests.policy.engine import Engine, Object, as_served
from tests.policy.golden import policies
from tests.policy.test_parameters import every_pod
from tests.policy.test_verdicts import BACKENDS, by_policies, enforced, made, on_names
from tests.running import run
from tests.test_kubernetes_schemas import refusal

ALL = PolicyOptions(everything, PolicyStyle(), PolicyScope.ALL, custom=True)
CLUSTERS = tuple(
    load_profile({"target": one.name, "cards": {"perNode": 4, "memoryMiB": 24576}}) for one in BACKENDS
)
READING = replace(ALL, profiles=CLUSTERS, parameters=True)


@cache
def of_pods() -> list[AdmissionPolicy]:
    """The policies without numbers of a cluster."""
    return [*enforcement_policies(BACKENDS, ALL)]


@cache
def of_cards() -> list[AdmissionPolicy]:
    """Those that read the numbers of a cluster."""
    return [policy for policy in enforcement_policies(BACKENDS, READING) if policy.parameters]


@cache
def every_policy() -> list[AdmissionPolicy]:
    return [*of_pods(), *of_cards(), *deny_policies(BACKENDS, ALL)]


TKE = "tke.cloud.tencent.com/qgpu-"


def pod(limits: Object | None = None, **more: Any) -> Object:
    """A Pod of one container; ``more``: metadata, and fields of the spec."""
    metadata: Object = {name: more.pop(name) for name in ("labels", "annotations") if name in more}
    inner = {"resources": {"limits": limits or {}}, "env": more.pop("env", [])}
    return custom("v1", "Pod", metadata, containers=[{"name": "web", "image": "web", **inner}], **more)


def custom(version: str, kind: str, metadata: Object | None = None, /, **spec: Any) -> Object:
    named = {"name": "web", **(metadata or {})}
    return {"apiVersion": version, "kind": kind, "metadata": named, "spec": spec}


def workload(kind: str, template: Object, **metadata: Any) -> Object:
    spec: Object = {"template": {key: template[key] for key in ("metadata", "spec")}}
    if kind == "CronJob":
        spec = {"jobTemplate": {"spec": spec}}
    version = "apps/v1" if kind in ("Deployment", "StatefulSet", "DaemonSet") else "batch/v1"
    return custom(version, kind, metadata, **spec)


def test_golden() -> None:
    stale = [path.name for path, text in policies() if text != path.read_text(encoding="utf-8")]
    assert stale == [], "`python -m tests.fixtures.refresh` writes them anew; read the difference"


def test_strict_schemas() -> None:
    documents = policy_documents(every_policy(), PolicyEngine.VAP)
    assert [
        refused
        for number, document in enumerate(documents)
        for version in turn(("1.30", "1.33", "1.37"), number)
        if (refused := refusal(document, version))
    ] == []


FORMS = {
    PolicyEngine.VAP: {"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"},
    PolicyEngine.KYVERNO: {"ValidatingPolicy"},
}


@pytest.mark.parametrize("form", PolicyEngine)
def test_a_form_has_its_own_kinds(form: PolicyEngine) -> None:
    assert {one["kind"] for one in policy_documents(of_pods(), form)} == FORMS[form]


def test_no_form_stands_for_an_unknown_one() -> None:
    with pytest.raises(AssertionError, match="gatekeeper"):
        [*policy_documents(of_pods(), cast("PolicyEngine", "gatekeeper"))]


def test_what_the_api_demands() -> None:
    names = [one.name for one in every_policy()]
    assert len(set(names)) == len(names)
    for one in every_policy():
        # kubectl keeps a copy as JSON, where Go writes six letters for each of &, < and >: 256 KiB at most
        copied = json.dumps(one.spec, ensure_ascii=False).encode()
        assert len(copied) + 5 * sum(copied.count(letter) for letter in b"&<>") < 2**18 - 4096, one.name
        assert len(one.spec["matchConditions"]) <= 64
        assert {*one.spec["matchConditions"][0]} == {"name", "expression"}
        variables = [part["name"] for part in one.spec["variables"]]
        assert len(set(variables)) == len(variables)
        assert all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) for name in variables)
        assert "cel.bind" not in json.dumps(one.spec)
        spec = json.dumps(one.spec).replace("map(k, k)", "")
        assert not re.search(r"\.(all|exists|map|filter)\([a-z]+, [a-z]+, ", spec)
        for part in one.spec["validations"]:
            assert "\n" not in part["message"]
            assert len(part["message"]) < 1024
            assert re.match("[A-Z][A-Z0-9]*[0-9]{3}: ", part["message"])
    assert all(not {"Deny", "Warn"} <= {*found} for found in ACTIONS.values())


def test_long_names_are_cut() -> None:
    long = "gpuxlate-" + "x" * 300
    assert len(cut_name(long, LONGEST_NAME)) == LONGEST_NAME
    assert cut_name(long, LONGEST_NAME) != cut_name(f"{long}y", LONGEST_NAME)
    assert cut_name("gpuxlate", LONGEST_NAME) == "gpuxlate"


def test_a_version_changes_with_the_content_alone() -> None:
    [one, *_], [same, *_] = (list(enforcement_policies([registry.get("tke")], ALL)) for _ in range(2))
    assert one == same
    fewer = PolicyOptions(lambda code: code != "TKE002", PolicyStyle(), PolicyScope.ALL, custom=True)
    [other, *_] = enforcement_policies([registry.get("tke")], fewer)
    assert other.labels != one.labels


# --- what pods and workloads get --------------------------------------------------------------------

BAD = pod({f"{TKE}core": "33", f"{TKE}memory": "5"})


HONOURED = ("TKE002", "tke002 a reason", "TKE001, TKE002: reason", "TKE001\u3000TKE002")
NOT_HONOURED = ("reason TKE002", "TKE0021", "TKE002x", "TKE003", "")


def test_the_annotation_is_honoured_as_lint_does() -> None:
    def refused(text: str) -> bool:
        one = as_served({**BAD, "metadata": {"name": "web", "annotations": {"gpuxlate.io/ignore": text}}})
        assert one is not None
        return ("TKE002", Severity.ERROR) in by_policies(one)

    assert {text: refused(text) for text in (*HONOURED, *NOT_HONOURED)} == {
        **dict.fromkeys(HONOURED, False),
        **dict.fromkeys(NOT_HONOURED, True),
    }


def test_a_message_says_the_container_and_what_to_write() -> None:
    served = as_served(BAD)
    assert served is not None
    found = made("tencent-qgpu", "pods")[Severity.ERROR][1](served)["TKE002"]
    assert found == [
        "TKE002: container web: required: tke.cloud.tencent.com/qgpu-core of one card is 5 to 100, "
        "in multiples of 5; "
        "check tke.cloud.tencent.com/qgpu-core (gpuxlate explain TKE002)"
    ]


NAMES: list[tuple[Object, str]] = [
    (
        pod({f"{TKE}cores": "30"}, annotations={f"{TKE}memroy": "5"}),
        f"GX003: annotations: {TKE}memroy; container web limits: {TKE}cores: required: No key is a misspelt "
        "key of a vendor; check the name: nothing reads this key (gpuxlate explain GX003)",
    ),
    (
        pod({"aliyun.com/gpu-count": "2"}),
        "GX013: container web limits: aliyun.com/gpu-count (read in labels): required: A vendor's key is "
        "where the vendor reads it (gpuxlate explain GX013)",
    ),
    (
        pod({"vke.volcengine.com/mgpu-core": "30", f"{TKE}core": "30"}),
        "K8S007: container web: required: A container requests GPUs of one vendor, and either a share or "
        "whole cards (nvidia.com/gpu); keep the keys of one of them: gpuxlate translate writes a manifest "
        "for each (gpuxlate explain K8S007)",
    ),
    (
        pod(nodeSelector={f"{TKE}schedule-policy": "true"}),
        "GX013: required: A vendor's key is where the vendor reads it; write the policy of the nodes "
        "(gpuxlate explain GX013)",
    ),
]


@pytest.mark.parametrize(("one", "message"), NAMES)
def test_a_message_says_which_keys_are_wrong(one: Object, message: str) -> None:
    assert on_names("pods")[1](one) == {message.partition(":")[0]: [message]}


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"])
def test_workloads(kind: str) -> None:
    good = pod({f"{TKE}core": "30", f"{TKE}memory": "5"})
    assert by_policies(workload(kind, BAD), "workloads") == {("TKE002", Severity.ERROR)}
    assert by_policies(workload(kind, good), "workloads") == set()
    assert by_policies(workload(kind, pod({"cpu": "1"})), "workloads") == set()
    steered = workload(kind, good, annotations={"tke.cloud.tencent.com/app-class": "offline"})
    assert {code for code, _ in by_policies(steered, "workloads")} == {"K8S005", "TKE012"}
    ignoring = workload(kind, BAD, annotations={"gpuxlate.io/ignore": "TKE002"})
    assert by_policies(ignoring, "workloads") == set()


OF_VOLCANO = pod({"volcano.sh/vgpu-number": 1, "volcano.sh/vgpu-memory": 1024})
TASKS = [{"name": "a", "template": BAD}, {"name": "b"}]
TORCH = {"Master": {"template": BAD}, "Worker": {"template": pod()}}
RAY = {
    "headGroupSpec": {"template": pod()},
    "workerGroupSpecs": [{"template": pod({f"{TKE}core": 33, f"{TKE}memory": 5})}],
}
JOBS = [{"template": {"spec": {"template": BAD}}}]
CUSTOM: list[tuple[Object, set[str]]] = [
    (custom("batch.volcano.sh/v1alpha1", "Job", tasks=TASKS), {"TKE002"}),
    (custom("kubeflow.org/v1", "PyTorchJob", pytorchReplicaSpecs=TORCH), {"TKE002"}),
    (custom("ray.io/v1", "RayCluster", **RAY), {"TKE002"}),
    (custom("jobset.x-k8s.io/v1alpha2", "JobSet", replicatedJobs=JOBS), {"TKE002"}),
    (
        custom("batch.volcano.sh/v1alpha1", "Job", schedulerName="volcano", tasks=[{"template": OF_VOLCANO}]),
        set(),
    ),
]


@pytest.mark.parametrize(("one", "codes"), CUSTOM)
def test_custom_resources(one: Object, codes: set[str]) -> None:
    found = [Engine(policy.spec)(one) for policy in of_pods() if policy.name.endswith("-workloads")]
    assert {code for each in found for code in each} == codes


# Facts of the vendors' webhooks, which run before policies: HAMi pkg/scheduler/webhook.go and the devices'
# MutateAdmission; MetaX sgpu; no policy may deny what they write.
WRITTEN_BY_WEBHOOKS = [
    ({"nvidia.com/gpumem": "3000", "nvidia.com/gpu": "1"}, {}),
    ({"nvidia.com/gpu": "1", "nvidia.com/gpucores": "100"}, {}),
    (
        {"metax-tech.com/sgpu": "1", "metax-tech.com/vcore": "60", "metax-tech.com/vmemory": "4"},
        {"annotations": {"metax-tech.com/sgpu-qos-policy": "best-effort"}},
    ),
    ({"huawei.com/Ascend910A": "1", "huawei.com/Ascend910A-memory": "8192"}, {}),
    ({"kunlunxin.com/vxpu": "1", "kunlunxin.com/vxpu-memory": "24576"}, {}),
    ({"mthreads.com/vgpu": "1", "mthreads.com/sgpu-core": "16", "mthreads.com/sgpu-memory": "96"}, {}),
]


@pytest.mark.parametrize(("limits", "more"), WRITTEN_BY_WEBHOOKS, ids=lambda one: next(iter(one), ""))
def test_what_webhooks_write_is_not_denied(limits: Object, more: Object) -> None:
    served = as_served(pod(limits, schedulerName="hami-scheduler", **more))
    assert served is not None
    assert {code for code, severity in by_policies(served) if severity is Severity.ERROR} == set()


# --- freeze -------------------------------------------------------------------------------------

HAS_POLICY = {"matchExpressions": [{"key": f"{TKE}schedule-policy", "operator": "Exists"}]}
PREFERRED = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": HAS_POLICY}]}
FREEZES = [
    ("tke", pod({f"{TKE}core": "30"}), True),
    ("tke", pod({"cpu": "1"}), False),
    ("tke", pod({"nvidia.com/gpu": "1"}), False),
    ("tke", pod(annotations={"tke.cloud.tencent.com/app-class": "online"}), True),
    ("tke", pod(nodeSelector={"tke.cloud.tencent.com/qgpu-schedule-policy": "fs"}), True),
    ("tke", pod({"aliyun.com/gpu-mem": "3"}), False),
    ("ack", pod({"aliyun.com/gpu-mem": "3"}), True),
    ("ack", pod(labels={"aliyun.com/gpu-count": "2"}), True),
    ("ack", pod({"nvidia.com/gpu": "1"}), False),
    ("hami", pod({"nvidia.com/gpu": "1"}), False),
    ("hami", pod({"nvidia.com/gpumem": "1024"}), True),
    ("kai", pod(labels={"kai.scheduler/queue": "team"}), True),
    *(
        ("kai", pod(annotations={name: "2000"}), True)
        for name in ("gpu-fraction", "gpu-memory", "gpu-fraction-num-devices", "gpu-memory.limit", "mps")
    ),
    ("kai", pod(labels={"gpu-memory": "2000"}), False),
    ("kai", pod({"nvidia.com/gpu": "1"}), False),
    ("huawei-cce", pod({"volcano.sh/gpu-mem.128Mi": "8"}), True),
    ("huawei-cce", pod({"volcano.sh/gpu-mem": "8"}), True),
    ("huawei-cce", pod({"volcano.sh/vgpu-number": "1"}), False),
    ("dra-hami", pod({"deviceclass.resource.kubernetes.io/hami-core-gpu.project-hami.io": "1"}), True),
    ("dra-hami", pod({"deviceclass.resource.kubernetes.io/gpu.nvidia.com": "1"}), False),
    ("ack", pod(env=[{"name": "CGPU_DISABLE", "value": "true"}]), True),
    ("tke", pod({f"{TKE}core": "30"}, annotations={"gpuxlate.io/ignore": "GX026 until June"}), False),
    ("tke", pod(affinity={"nodeAffinity": PREFERRED}), True),
]


@pytest.mark.parametrize(("target", "one", "denied"), FREEZES)
def test_a_freeze(target: str, one: Object, denied: bool) -> None:
    wish = PolicyOptions(everything, PolicyStyle(), PolicyScope.ALL)
    made = [one for one in deny_policies([registry.get(target)], wish) if not one.name.endswith("-claims")]
    pods, workloads = (Engine(found.spec) for found in made)
    assert bool(pods(one)) == denied
    assert bool(workloads(workload("Deployment", one))) == denied


def claimed(kind: str, request: Object) -> Object:
    spec: Object = {"devices": {"requests": [{"name": "gpu", **request}]}}
    return custom("resource.k8s.io/v1", kind, **({"spec": spec} if kind == "ResourceClaimTemplate" else spec))


OF_HAMI = {"deviceClassName": "hami-core-gpu.project-hami.io"}


@pytest.mark.parametrize("kind", ["ResourceClaim", "ResourceClaimTemplate"])
@pytest.mark.parametrize(
    ("request_", "denied"),
    [
        ({"exactly": OF_HAMI}, True),
        (OF_HAMI, True),  # v1beta1
        ({"firstAvailable": [{"deviceClassName": "other"}, OF_HAMI]}, True),
        ({"exactly": {"deviceClassName": "gpu.nvidia.com"}}, False),
    ],
    ids=["exactly", "v1beta1", "first", "other"],
)
def test_a_freeze_of_claims(kind: str, request_: Object, denied: bool) -> None:
    """What a pod policy cannot see: the devices of its claims."""
    [claims] = [one for one in deny_policies([registry.get("dra-hami")], ALL) if one.name.endswith("-claims")]
    assert bool(Engine(claims.spec)(claimed(kind, request_))) == denied
    ignored = {"name": "web", "annotations": {"gpuxlate.io/ignore": "GX026"}}
    assert Engine(claims.spec)({**claimed(kind, request_), "metadata": ignored}) == {}


# --- together -----


def test_one_policy_judges_all_dialects() -> None:
    """The API server converts a pod for each policy: there are few, with the verdicts of one for each."""
    together = [*enforcement_policies(BACKENDS, PolicyOptions(everything))]
    assert len(together) <= 4  # that of names is one of them
    assert together[0].name == "gpuxlate-errors"
    assert {code for one in together for code in one.codes} == enforced("pods")
    engines = [Engine(one.spec) for one in together]
    seen = set[str]()
    for one in every_pod()[::7]:
        served = as_served(one)
        assert served is not None
        found = {code for engine in engines for code in engine(served)}
        assert found == {code for code, _ in by_policies(served)}, one
        seen |= found
    assert len(seen) > 30


def test_a_plain_pod_costs_names() -> None:
    """Of a pod without GPU keys no variable, no environment and no number is looked at."""
    many: Object = pod({"cpu": "1"}, env=[{"name": f"V{n}", "value": "1"} for n in range(50)])
    for one in enforcement_policies(BACKENDS, PolicyOptions(everything)):
        if one.name.endswith("-workloads"):
            continue
        [condition] = one.spec["matchConditions"]
        assert ".?env" not in condition["expression"], one.name
        assert not Engine(one.spec).matches(many)


# --- cost ---------------------------------------------------------------------------------------

EXPRESSION, POLICY = 1_000_000, 10_000_000
"""The budgets of the API server (apiserver/pkg/apis/cel/config.go)."""


def cost(text: str, items: int) -> int:
    """More than an expression costs: each operation once for each item of each macro around it, where a macro
    has ``items`` of them, and a text of 64 characters at every match."""
    total, nested, depth = 0, [], 0
    macro = r"\.(all|exists|map|filter)\("
    for token in re.finditer(macro + r"|[()]|matches|[A-Za-z_.?]+|'[^']*'|[<>=!&|%/+-]+", text):
        one = token[0]
        if re.match(macro, one):
            depth += 1
            nested.append(depth)
        elif one == "(":
            depth += 1
        elif one == ")":
            if nested and nested[-1] == depth:
                nested.pop()
            depth -= 1
        factor = items ** min(len(nested), 3)
        total += factor * (10 if one == "matches" else 1)
    return total


def test_the_cost_of_a_pod_is_far_below_the_budget() -> None:
    for one in (*of_pods(), *of_cards()):
        if one.name.endswith("-workloads"):
            continue
        found = [cost(part["expression"], 6) for part in (*one.spec["variables"], *one.spec["validations"])]
        assert max(found) < EXPRESSION / 25, (one.name, max(found))
        assert sum(found) < POLICY / 4, (one.name, sum(found))


# --- the command --------------------------------------------------------------------------------

NOT_ENFORCED = "TKE016 is in no policy: it compares with the cards of a profile (--profile) or of the nodes"
WRONG = [
    ("--to tkee", "did you mean"),
    ("--to emr-spark", "has no pods"),
    ("--to nos --select NOS", "can be enforced"),
    ("--to tke --select TKE016", NOT_ENFORCED),
    ("--scope nodes", "values: pods, workloads, all"),
    ("--action refuse", "values: deny, warn, audit"),
    ("--format opa", "values: vap, kyverno"),
    ("--crds", "--crds is about workloads"),
    ("--namespace-selector a=b=c", "invalid value"),
    ("--namespace-selector a==", "invalid value"),
    ("--namespace-selector a=", "invalid value"),
    ("--namespace-selector Team.Example/a=b", "invalid value"),
    ("--namespace-selector a=-b", "invalid value"),
    ("--forbid tke --select TKE002", "--forbid and --select exclude each other"),
    ("--forbid tke --ignore TKE002", "--forbid and --ignore exclude each other"),
    ("--forbid tke --profile profile.yaml", "--forbid and --profile exclude each other"),
    ("--forbid tke --parameters", "--forbid and --parameters exclude each other"),
    ("--explain --forbid tke", "--explain and --forbid exclude each other"),
    ("--explain --scope all", "--explain and --scope exclude each other"),
    ("--explain --action warn", "--explain and --action exclude each other"),
    ("--explain --namespace-selector a", "--explain and --namespace-selector exclude each other"),
    ("--explain --parameters", "--explain and --parameters exclude each other"),
    ("--explain --format kyverno", "--explain and --format kyverno exclude each other"),
    ("--parameters", "--parameters are numbers of a cluster"),
    ("--forbid nothing", "unknown target"),
]


@pytest.mark.parametrize(("arguments", "text"), WRONG)
def test_wrong_usage(arguments: str, text: str) -> None:
    done = run("policy", *arguments.split())
    assert (done.code, done.out) == (2, b"")
    assert text in done.err.decode()


def test_options() -> None:
    options = "--to tke --action audit --namespace-selector team=ml,!system --ignore TKE002"
    done = run("policy", *options.split())
    found = [*yaml.safe_load_all(done.out.decode())]
    assert [one["spec"].get("validationActions") for one in found] == [None, ["Audit"]] * 3
    assert found[1]["spec"]["matchResources"]["namespaceSelector"]["matchExpressions"] == [
        {"key": "team", "operator": "In", "values": ["ml"]},
        {"key": "system", "operator": "DoesNotExist"},
    ]
    assert "TKE002" not in done.out.decode()


def names_in(*arguments: str) -> list[str]:
    """The policies that the command writes."""
    done = run("policy", *arguments)
    assert done.code == 0, done.err
    found = [*yaml.safe_load_all(done.out.decode())]
    return [one["metadata"]["name"] for one in found if one["kind"] == "ValidatingAdmissionPolicy"]


def test_a_freeze_beside_rules() -> None:
    rules, freeze = names_in("--to", "vke"), names_in("--forbid", "tke")
    assert names_in("--to", "vke", "--forbid", "tke") == rules + freeze
    some = names_in("--to", "vke", "--forbid", "tke", "--select", "VKE006")
    assert some == ["gpuxlate-volcengine-mgpu-errors", *freeze]


def test_explain_selects_rules() -> None:
    rows = run("policy", "--explain", "--to", "tke", "--select", "TKE00", "--ignore", "TKE006").out.decode()
    assert [row.split()[0] for row in rows.splitlines()[1:]] == [f"TKE00{n}" for n in (1, 2, 3, 5, 7, 8)]


def test_kyverno() -> None:
    done = run("policy", "--to", "tke", "--format", "kyverno", "--namespace-selector", "gpu")
    errors, warnings, names = yaml.safe_load_all(done.out.decode())
    assert (errors["apiVersion"], errors["kind"]) == ("policies.kyverno.io/v1", "ValidatingPolicy")
    assert errors["spec"]["validationActions"] == ["Deny"]
    assert warnings["spec"]["validationActions"] == ["Warn", "Audit"]
    assert names["metadata"]["name"] == "gpuxlate-tencent-qgpu-names-errors"
    native = made("tencent-qgpu", "pods")[Severity.ERROR][0].spec
    assert errors["spec"]["validations"] == native["validations"]
    assert errors["spec"]["matchConstraints"]["namespaceSelector"]


def test_explain_names_every_rule() -> None:
    rows = run("policy", "--explain").out.decode().splitlines()[1:]
    assert len(rows) > 200
    assert [one for one in rows if re.search("  no$", one)] == []  # each that is not enforced has a reason


def test_chinese() -> None:
    done = run("policy", "--to", "tke", "--lang", "zh")
    assert "容器 " in done.out.decode()


def test_of_a_dialect_that_a_function_recognizes_there_are_names_alone() -> None:
    silent = registry.get("hami").with_changes(detected_by=None, detect=lambda _: False)
    names = [one.name for one in enforcement_policies([silent], ALL)]
    assert names == ["gpuxlate-hami-names-errors", "gpuxlate-hami-names-errors-workloads"]


def test_a_profile_names_resources() -> None:
    """The chart of HAMi was told another name of a resource."""
    hami, names = registry.get("hami"), ResourceNames(memory="example.com/mem")
    profile = Profile("hami", extensions=(HamiProfile(names),))
    [errors, _, on_names] = enforcement_policies([hami], PolicyOptions(everything, profiles=(profile,)))
    engine = Engine(errors.spec)
    share = {"nvidia.com/gpu": "1", "nvidia.com/gpucores": "30"}
    assert engine(pod({**share, "example.com/mem": "1024"})) == {}
    assert [*engine(pod({**share, "example.com/mem": "-1"}))] == ["HAMI004"]
    assert [*engine(pod({"example.com/mem": "-1"}))] == ["HAMI004"]  # alone it speaks the dialect
    beside = {"example.com/mem": "1024", "vke.volcengine.com/mgpu-core": "30"}
    assert [*Engine(on_names.spec)(pod(beside))] == []  # of another target's pod alone
    assert [*Engine(on_names.spec)(pod({**share, **beside}))] == ["K8S007"]
