"""A cluster that translates stores what ``translate`` writes, and refuses what it refuses, with its code."""

from itertools import chain
from pathlib import Path
from random import Random

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.policy.translate import CannotError, Translating
from tests.effort import FULL, number, some
from tests.policy.engine import Object
from tests.policy.translating import (
    KEYS,
    agree,
    cluster,
    in_fixtures,
    neutral,
    of_dialect,
    pod_of,
    put_beside,
)
from tests.running import run

TARGETS = ("tencent-qgpu", "volcengine-mgpu", "alibaba-gpushare")
OTHERS = (
    *("koordinator", "metax-sgpu", "huawei-cce", "hami-mthreads", "hami-kunlun", "hami-enflame", "hami-amd"),
    *("volcano-vgpu", "kai", "hami"),
)
ROUNDS = (None, "up")
SOURCES = (
    ("alibaba-gpushare", "tencent-qgpu"),
    ("tencent-qgpu", "volcengine-mgpu"),
    ("volcengine-mgpu", "alibaba-gpushare"),
    ("volcano-vgpu", "tencent-qgpu"),
    ("hami", "volcano-vgpu"),
)


@pytest.mark.parametrize("target", [*TARGETS, *OTHERS])
def test_random_pods(target: str) -> None:
    """Quick stops where some were refused by the same code, and some taken."""
    random = Random(target)
    taken = exactly = 0
    full = 80 if target in TARGETS else 40
    for index in range(full):
        if index >= number(full) and exactly and (taken or target in OTHERS):
            break
        round_ = ROUNDS[index % 2] if target in TARGETS else "up"
        verdict = agree(cluster("neutral", target, round_), neutral(random))
        taken += bool(verdict and verdict.taken)
        exactly += bool(verdict and verdict.exactly)
    assert exactly > (3 if FULL else 0)
    assert taken > (5 if FULL else 0) or target in OTHERS


@pytest.mark.parametrize(("source", "target"), SOURCES, ids=["-".join(pair) for pair in SOURCES])
def test_pods_of_another_dialect(source: str, target: str) -> None:
    """Quick stops where some were taken."""
    random, taken = Random(source), 0
    for index in range(90):
        if index >= number(90) and taken:
            break
        pod = of_dialect(random, source)
        verdict = agree(cluster(source, target, None), pod) if pod is not None else None
        taken += bool(verdict and verdict.taken)
    assert taken > (3 if FULL else 0)


FIXTURES = Path(__file__).parents[2] / "fixtures"
OF_FIXTURES = (("neutral", "tencent-qgpu"), ("neutral", "volcengine-mgpu"), *SOURCES[:3])


def test_all_fixtures() -> None:
    """The pods with neutral keys; and with those of other dialects. Quick takes each pod to one target."""
    texts = (path.read_text() for path in sorted(FIXTURES.rglob("*.yaml")) if path.parent.name != "policy")
    texts = (text for text in texts if "containers:" in text and "{{" not in text)
    taken = compared = 0
    for index, pod in enumerate(chain.from_iterable(map(pods_in, texts))):
        for source, target in OF_FIXTURES if FULL else (OF_FIXTURES[index % len(OF_FIXTURES)],):
            verdict = agree(cluster(source, target, None), pod)
            compared += verdict is not None
            taken += bool(verdict and verdict.taken)
    assert compared > (100 if FULL else 20)
    assert taken > (20 if FULL else 4)


def pods_in(text: str) -> list[Object]:
    try:
        return in_fixtures(text)
    except ValueError:  # a fixture with a syntax error
        return []


@pytest.mark.parametrize("round_", ROUNDS)
@pytest.mark.parametrize("target", ["tencent-qgpu", "volcengine-mgpu"])
def test_every_percent(target: str, round_: str | None) -> None:
    here = cluster("neutral", target, round_)
    for cores in some(Random(0).sample(range(1, 101), 100)):  # on the grid and beside it
        limits = {f"{KEYS}cores": str(cores), f"{KEYS}memory-mib": "8192"}
        assert agree(here, alone(limits)) is not None


def alone(limits: Object, **annotations: str) -> Object:
    given = {f"{KEYS}{name}": value for name, value in annotations.items()}
    return pod_of({"containers": [{"name": "web", "image": "web:1", "resources": {"limits": limits}}]}, given)


NEUTRAL = {"cores": "30", "memory-mib": "4096"}
TAKEN = {f"{KEYS}{name}": value for name, value in NEUTRAL.items()}
REFUSED = [
    ({"cores": "33", "memory-mib": "4096"}, {}, "TKE002: container web: ", "; write gpuxlate.io/cores: 35 ("),
    ({"cores": "30", "memory-mib": "4000"}, {}, "TKE001: ", "; write gpuxlate.io/memory-mib: 4096 ("),
    ({"cores": "30"}, {}, "TKE003: ", "; add gpuxlate.io/memory-mib ("),
    (NEUTRAL, {"qos": "online"}, "TKE011: ", "; remove gpuxlate.io/cores ("),
    (NEUTRAL, {"isolation": "hardware"}, "GX020: ", "; remove gpuxlate.io/isola"),
    ({**NEUTRAL, "cards": "4"}, {}, "GX011: ", ""),
    ({**NEUTRAL, "memory-limit-mib": "8192"}, {}, "GX026: ", "gpuxlate translate --to"),
    (NEUTRAL, {"policy": "fast"}, "GX026: ", "gpuxlate translate --to"),
]


def refusal(pod: Object) -> list[str]:
    """Why a cluster of qGPU refuses a pod: for the reasons of ``translate``."""
    here = cluster("neutral", "tencent-qgpu", None)
    verdict = agree(here, pod)
    assert verdict is None or not verdict.taken
    return [one for several in here(pod)[1].values() for one in several]


@pytest.mark.parametrize(("limits", "annotations", "start", "part"), REFUSED)
def test_a_refusal_says_what_would_do(limits: Object, annotations: Object, start: str, part: str) -> None:
    [message] = refusal(alone({f"{KEYS}{name}": value for name, value in limits.items()}, **annotations))
    assert message.startswith(start)
    assert part in message


QGPU = "tke.cloud.tencent.com/"
TYPE = "node.kubernetes.io/instance-type"
BESIDE_A_SHARE = [
    (
        ("required", f"{QGPU}qgpu-schedule-policy", "fixed-share"),
        f"GX026: {QGPU}qgpu-schedule-policy is a key of tencent-qgpu: nothing reads it before",
    ),
    (("annotations", f"{QGPU}app-class", "online"), f"GX026: {QGPU}app-class is a key of tencent-qgpu: "),
    (
        ("annotations", "vke.volcengine.com/mgpu-compute-policy", "fixed-share"),
        "GX026: vke.volcengine.com/mgpu-compute-policy is not translated: its pod requests no share",
    ),
    (
        ("annotations", "huawei.com/npu-core", "1Gi"),
        "GX027: huawei.com/npu-core is a key of a product that gpuxlate does not read; ",
    ),
    (
        ("annotations", "gpu-fraction", "0.5"),
        "K8S007: the pod is to be read as neutral, and has keys of KAI Scheduler",
    ),
    (
        ("nodeSelector", TYPE, "ecs.gn7i-c8g1.2xlarge"),
        f"GX026: {TYPE}=ecs.gn7i-c8g1.2xlarge is not translated: it chooses machines",
    ),
    (
        ("tolerations", "virtual-kubelet.io/provider", "alibabacloud"),
        "GX026: virtual-kubelet.io/provider=alibabacloud is not translated: it chooses machines of Alibaba",
    ),
    (
        ("preferred", "gpuxlate.io/cores", "30"),
        "GX026: gpuxlate.io/cores is not translated: no policy translates it; run gpuxlate translate --to ",
    ),
    (
        ("annotations", "gpuxlate.io/policy", "fast"),
        "GX026: gpuxlate.io/policy is not translated: no policy translates its value; ",
    ),
]
NO_SHARE = "is not translated: its pod requests no "
WITHOUT_A_SHARE = [
    ({"cpu": "1"}, {"policy": "fixed-share"}, f"GX026: gpuxlate.io/policy {NO_SHARE}"),
    ({"nvidia.com/gpu": "1"}, {"qos": "online"}, f"GX026: gpuxlate.io/qos {NO_SHARE}"),
    ({**TAKEN, "nvidia.com/gpu": "1"}, {}, "K8S007: keys of two dialects: web (nvidia.com/gpu)"),
    (
        {f"{KEYS}memory-limit-mib": "4096"},
        {},
        "GX026: container web (gpuxlate.io/memory-limit-mib): no policy translates these keys together",
    ),
]
NAMED = [
    *((put_beside(alone(TAKEN), *beside), start) for beside, start in BESIDE_A_SHARE),
    *((alone(limits, **annotations), start) for limits, annotations, start in WITHOUT_A_SHARE),
]


@pytest.mark.parametrize(("pod", "start"), NAMED, ids=[start[:40] for _, start in NAMED])
def test_a_refusal_names_the_key_and_why(pod: Object, start: str) -> None:
    messages = refusal(pod)
    assert [one for one in messages if one.startswith(start)], messages


WHOLE = [
    *(("alibaba-gpushare", target, "nvidia.com/gpu") for target in ("tencent-qgpu", "hami", "koordinator")),
    *((source, "tencent-qgpu", "nvidia.com/gpu") for source in ("hami", "huawei-cce", "koordinator")),
    ("hami", "koordinator", "nvidia.com/gpu"),
    ("hami-amd", "tencent-qgpu", "amd.com/gpu"),
]


@pytest.mark.parametrize(("source", "target", "key"), WHOLE, ids=lambda one: one)
def test_whole_cards_are_translated(source: str, target: str, key: str) -> None:
    """As ``translate --from`` does, also where both dialects have the key of whole cards."""
    verdict = agree(cluster(source, target, None), alone({key: "2"}))
    assert verdict is not None
    assert verdict.taken


def test_whole_cards_of_the_target_stay() -> None:
    """A pod in the keys of the cluster itself is let through."""
    pod = alone({"nvidia.com/gpu": "2"})
    pod["spec"]["schedulerName"] = "koord-scheduler"
    stored, refused = cluster("hami", "koordinator", None)(pod)
    assert (stored["spec"]["schedulerName"], refused) == ("koord-scheduler", {})


def test_a_pod_without_gpu_keys_costs_a_match_condition() -> None:
    here = cluster("neutral", "tencent-qgpu", None)
    assert not here.mutating.matches(alone({"cpu": "1", "nvidia.com/gpu": "1"}))


@pytest.mark.parametrize(("version", "api"), [("v1.36.2", "v1"), ("v1.34.1", "v1beta1"), ("v1.30.0", None)])
def test_the_version_of_a_profile(tmp_path: Path, version: str, api: str | None) -> None:
    profile = tmp_path / "profile.yaml"
    profile.write_text(f"target: tencent-qgpu\nkubernetesVersion: {version}\n")
    done = run("policy", "--translate", "--to", "tke", "--profile", str(profile))
    if api is None:
        assert (done.code, done.out) == (2, b"")
        assert "has no MutatingAdmissionPolicy" in done.err.decode()
        return
    found = [*yaml.safe_load_all(done.out)]
    assert [one["apiVersion"].rpartition("/")[2] for one in found] == [api, api, "v1", "v1"]
    kinds = [
        one["kind"].removesuffix("AdmissionPolicy").removesuffix("AdmissionPolicyBinding") for one in found
    ]
    assert kinds == ["Mutating", "Mutating", "Validating", "Validating"]


def test_options() -> None:
    arguments = ["policy", "--translate", "--to", "tke", "--namespace-selector", "team=ml", "--lang", "zh"]
    done = run(*arguments)
    assert run(*arguments).out == done.out
    text = done.out.decode()
    found = [*yaml.safe_load_all(text)]
    bindings = [one["spec"]["matchResources"] for one in found if one["kind"].endswith("Binding")]
    selected = {"matchExpressions": [{"key": "team", "operator": "In", "values": ["ml"]}]}
    assert bindings == 2 * [{"namespaceSelector": selected}]
    assert "容器" in text
    assert_patterns_are_those_of_the_server(text)
    assert_patterns_are_those_of_the_server(run("policy", "--to", "tke").out.decode())


def assert_patterns_are_those_of_the_server(text: str) -> None:
    """Its patterns (RE2) look neither ahead nor behind; the engine of these tests would take them."""
    assert "matches(" in text
    assert not [one for one in ("(?=", "(?!", "(?<", "(?P=", "(?>") if one in text]


def test_explain_lists_the_shapes() -> None:
    rows = run("policy", "--translate", "--to", "tke", "--explain").out.decode().splitlines()
    assert any("5-95 by 5" in row and row.endswith("translated") for row in rows)
    assert any(row.endswith("refused: TKE008") for row in rows)


def test_a_target_whose_keys_name_a_card_is_refused() -> None:
    with pytest.raises(CannotError):
        _ = Translating(registry.get("neutral"), registry.get("hami-iluvatar")).tables
