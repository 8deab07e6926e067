"""TKE qGPU, ACK and VKE mGPU: the rules (``rules.yaml`` says its own form), data sheets, choices of nodes.

Of each rule: pods that break it, at the exact place, and that keep it; the first are in ``fixtures/lint``.
"""

from dataclasses import replace

import pytest

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import PodReader, Reading
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.keys import Place
from gpuxlate.model.pod import ScalarKind, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.rules.base import Context
from gpuxlate.rules.catalog import check_pod
from tests.backends.pods import Short, changes, keys_of, listed, long, place, pod, profile_of
from tests.tables import read_table

RULES: dict[str, list[Short]] = read_table(__file__, "rules.yaml")
CLOUDS = {
    prefix: registry.get(name)
    for prefix, name in (("TKE", "tencent-qgpu"), ("ACK", "alibaba-gpushare"), ("VKE", "volcengine-mgpu"))
}
EXPECTED = ("found", "fixes", "hint", "message")


def problem(code: str, row: Short) -> object:
    """What is not as the table says, None where all is."""
    backend = CLOUDS[code[:3]]
    keys = keys_of({name: row[name] for name in row if name not in (*EXPECTED, "profile")})

    def lint(profile: Profile | None) -> list[Diagnostic]:
        return list(check_pod(backend.rules, keys, Context(profile)))

    profile = profile_of(row, backend.name)
    found = lint(profile)
    said = [f"{one.code} {one.severity} {place(one.path)}".removeprefix(f"{code} ") for one in found]
    if said != listed(row.get("found", [])):
        return said
    fixes = [("safe " if one.fix.safe else "unsafe ") + changes(one.fix.edits) for one in found if one.fix]
    if "fixes" in row and fixes != listed(row["fixes"]):
        return fixes
    hints = "\n".join(str(one.hint) for one in found)
    messages = "\n".join(str(one.message) for one in found)
    if (
        not all(part in hints for part in listed(row.get("hint", [])))
        or row.get("message", "") not in messages
    ):
        return hints, messages
    if not all(one.message and one.hint for one in found):
        return "a finding without a message or a hint"
    if profile and not profile.extensions and lint(replace(profile, target="hami")) != lint(None):
        return "a profile of another vendor counts"
    if not code.startswith("VKE"):  # tests/conformance asks the same of readers, at random
        return None
    reading = backend.read(PodReader(keys), None)
    reported = {one.code for one in (*reading.invalid, *reading.notes)}
    return f"the reader repeats a rule: {reported}" if reported - {"GX011"} else None


@pytest.mark.parametrize("code", RULES)
def test_rule(code: str) -> None:
    found = {str(row): problem(code, row) for row in RULES[code]}
    assert {row: one for row, one in found.items() if one is not None} == {}


# --- data sheets ----------------------------------------------------------------------------------

ACK, TKE, VKE = map(registry.get, ("ack", "tke", "vke"))
PART: Short = {"v-core": 30, "v-mem": 4096}


def read(backend: Backend, given: Short) -> Reading:
    return backend.read(PodReader(keys_of(given)), None)


# --- data sheets ----------------------------------------------------------------------------------------

KEYS: dict[tuple[str, str], tuple[bool, set[Place]]] = {
    # whether the key is the vendor's, and where it has effect
    ("tke", "tke.cloud.tencent.com/qgpu-core"): (True, {Place.RESOURCE}),
    ("tke", "tke.cloud.tencent.com/app-class"): (True, {Place.ANNOTATION}),
    ("tke", "tke.cloud.tencent.com/qgpu-schedule-policy"): (True, {Place.NODE_SELECTOR, Place.NODE}),
    ("tke", "tke.cloud.tencent.com/qgpu"): (True, {Place.WRITTEN_BY_SCHEDULER}),
    ("tke", "tke.cloud.tencent.com/qgpu-pgpu-web"): (True, {Place.WRITTEN_BY_SCHEDULER}),
    ("tke", "elasticgpu.io/container-web"): (True, {Place.WRITTEN_BY_SCHEDULER}),
    ("tke", "tke.cloud.tencent.com/qgpu-sche"): (True, set()),  # S003, clipped in a picture
    ("tke", "tke.cloud.tencent.com/eni-ip"): (False, set()),
    ("tke", "nvidia.com/gpu"): (False, set()),
    ("ack", "scheduler.framework.gpushare.allocation"): (True, {Place.WRITTEN_BY_SCHEDULER}),
    ("ack", "gpushare.alibabacloud.com/assigned"): (True, {Place.WRITTEN_BY_SCHEDULER}),
    ("ack", "ALIYUN_COM_GPU_MEM_IDX"): (True, {Place.WRITTEN_BY_SCHEDULER}),
    ("ack", "nvidia.com/gpu"): (False, {Place.RESOURCE}),
}


def test_keys_of_the_data_sheets() -> None:
    def known(target: str, name: str) -> tuple[bool, set[Place]]:
        backend = registry.get(target)
        row = backend.find(name)
        return backend.owns(name), set(row.places) if row else set()

    assert {one: known(*one) for one in KEYS} == KEYS
    assert [ACK.is_used_by(keys_of({name: 1})) for name in ("nvidia", "a-gpu")] == [False, True]


def test_names_and_fields() -> None:
    assert all(registry.get(name) is TKE for name in ("tencent-qgpu", "tencent", "tke"))
    assert list(TKE.field_docs) == [*Share().to_json(), "device", "isolation"]


def test_rows_of_the_documents_that_are_no_rules() -> None:
    """Definitions, what shows in no manifest, and what rules K8S and GX report; VKE035 to 041 are EMR's."""
    numbers = {"TKE": (4, 9, 13, 15, 17, 19), "ACK": (9, 12, 18), "VKE": (1, 2, 8, 15, 27, *range(35, 42))}
    codes = {f"{name}{number:03}" for name, found in numbers.items() for number in found}
    assert not codes & {rule.code for backend in (ACK, TKE, VKE) for rule in backend.rules}


# --- reading --------------------------------------------------------------------------------------------


def test_origins_are_where_each_field_was_read() -> None:
    pod: Short = {"t-class": "offline", "t-policy": "fs", "beside": [{"t-greedy": 30, "t-mem": 5}]}
    first, second = read(TKE, pod).containers
    assert first.share is None
    assert {name: place(path) for name, path in second.origins.items()} == {
        "cards": "1/t-greedy",
        "cores": "1/t-greedy",
        "memory_mib": "1/t-mem",
        "policy": "t-policy",
        "qos": "t-class",
    }
    [one] = read(VKE, {**PART, "v-cards": "2", "v-policy": "native-burst-share"}).shares
    origins = {"cards": "v-cards", "cores": "v-core", "memory_mib": "v-mem", "policy": "v-policy"}
    assert {name: place(path) for name, path in one.origins.items()} == origins


def test_every_key_is_taken() -> None:
    notes = {"v-policy": "fixed-share", "v-qos": "shared_cores", "v-cards": "1"}
    nodes = {"v-policy": "fixed-share", "v-device": "mgpu", "v-model": "NVIDIA-L20"}
    pod: Short = {"v-rec": 30, **PART, **notes, "owner": notes, "nodeSelector": nodes}
    reading = read(VKE, pod)
    assert {path for _, _, path in VKE.owned(keys_of(pod))} <= reading.taken
    assert [(one.key, one.text) for one in reading.selectors] == [
        ("machine.cluster.vke.volcengine.com/gpu-name", "NVIDIA-L20")
    ]


def test_numbers_that_are_no_share() -> None:
    """With what is wrong with the text of a number left to the rules."""
    texts = ("30.5", "30%", "abc", "", str(2**63))
    pods: list[Short] = [
        {**PART, "v-core": 120},
        {**PART, "v-mem": 0},
        *({**PART, "v-core": text} for text in texts),
    ]
    found = [read(VKE, pod) for pod in pods]
    assert all((one.shares, one.notes) == ((), ()) for one in found)
    invalid = [[(d.code, place(d.path)) for d in one.invalid] for one in found]
    assert invalid == [[("GX011", "v-core")], [("GX011", "v-mem")], *([[]] * len(texts))]


def test_a_number_in_another_base_is_not_translated() -> None:
    """GX008 warns of it only: with no error the key would be lost."""
    keys = keys_of(PART)
    [container] = keys.containers
    path = container.limits[long("v-core")].path
    limits = {**container.limits, long("v-core"): Value("0x1E", ScalarKind.INT, path)}
    container = replace(container, limits=limits)
    reading = VKE.read(PodReader(replace(keys, containers=(container,))), None)
    assert not reading.shares
    assert [(d.code, str(d.severity), d.path) for d in reading.notes] == [("K8S001", "error", path)]


# --- ACK: modes of nodes --------------------------------------------------------------------------------

ISOLATION: dict[tuple[str | None, tuple[str, ...]], str | None] = {
    # nodeSelector, and values in the affinity
    ("share", ()): "share",
    ("core_mem", ()): "core_mem",
    ("default", ()): None,  # whole cards: nothing is shared, so nothing is isolated
    (None, ("mps",)): "mps",
    (None, ("cgpu", "share")): None,
    (None, ()): None,
}


def test_isolation() -> None:
    def found(mode: str | None, values: tuple[str, ...]) -> str | None:
        pod: Short = {"a-mode": mode} if mode else {}
        pod |= {"affinity": [{"a-mode": [*values]}]} if values else {}
        keys = keys_of({"a-mem": 2, **pod})
        reading = ACK.read(PodReader(keys), None)
        assert reading.selectors == ()
        assert {one.path for one in keys.requirements()} <= reading.taken
        return reading.isolation

    assert {one: found(*one) for one in ISOLATION} == ISOLATION
    lifted = [read(ACK, {"a-mem": 3, "a-disable": text}).notes for text in ("true", "1", "false")]
    assert [[one.code for one in notes] for notes in lifted] == [["GX015"], ["GX015"], []]


def test_card_and_placement_are_selectors() -> None:
    # enable-scheduling, 2026-01-12: ack.node.gpu.placement, aliyun.accelerator/nvidia_name
    found = read(ACK, {"a-mem": 2, "a-place": "spread", "affinity": [{"a-model": ["Tesla-T4"]}]})
    assert [(one.key, one.text) for one in found.selectors] == [
        (long("a-place"), "spread"),
        (long("a-model"), "In Tesla-T4"),
    ]


# --- containers that a cluster adds ---------------------------------------------------------------

# Card lists of Volcengine where a cluster adds containers that the manifest does not have (VKE017):
# Knative adds queue-proxy, Argo its wait container, Istio, Linkerd and Dapr their sidecars.

LIST = "vke.volcengine.com/container-multiple-gpu"
LIMITS = "vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096"
KNATIVE = f"""\
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {{name: web}}
spec:
  template:
    metadata: {{annotations: {{{LIST}: "%s"}}}}
    spec: {{containers: [{{name: c, image: x, resources: {{limits: {{{LIMITS}}}}}}}]}}
"""
MESHES = (
    'sidecar.istio.io/inject: "true"', "istio.io/rev: stable", "linkerd.io/inject: enabled",
    'dapr.io/enabled: "true"',
)  # fmt: skip


def text_of(cards: str, mesh: str | None = None) -> str:
    return pod(LIMITS, metadata=f', annotations: {{{LIST}: "{cards}", {mesh}}}') if mesh else KNATIVE % cards


def errors(text: str) -> list[str]:
    return [one.code for one in gpuxlate.lint(text).diagnostics if one.code == "VKE017"]


def test_a_longer_list_is_read() -> None:
    texts = [text_of(cards, mesh) for cards in ("2,0", "0,2", "0,2,0") for mesh in (None, *MESHES)]
    found = {text: (errors(text), gpuxlate.parse(text).shares) for text in texts}
    assert found == {text: ([], (Share(2, 30, 4096),)) for text in texts}


def test_a_list_that_does_not_say_whose_cards_is_wrong() -> None:
    assert [errors(text_of(cards)) for cards in ("2,1", "0,0")] == [["VKE017"]] * 2


def test_an_ordinary_pod_has_one_number_for_each() -> None:
    for mesh in ("team: a", 'sidecar.istio.io/inject: "false"', "linkerd.io/inject: disabled"):
        text = text_of("2,0", mesh).replace("- name: web\n    ", "- ")
        [found] = [one for one in gpuxlate.lint(text).diagnostics if one.code == "VKE017"]
        assert "(number 1)" in found.message, mesh
