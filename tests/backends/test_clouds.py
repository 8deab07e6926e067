"""TKE qGPU, ACK and VKE mGPU beside the tables: data sheets, origins of fields, choices of nodes."""

from __future__ import annotations

from dataclasses import replace

from gpuxlate.backends import alibaba, registry, tencent, volcengine
from gpuxlate.backends.base import Backend, Reading, Taking
from gpuxlate.model.pod import Kind, Value
from gpuxlate.model.share import Share
from gpuxlate.model.sheet import Place
from tests.backends.pods import Short, keys_of, long, place

ACK, TKE, VKE = alibaba.BACKEND, tencent.BACKEND, volcengine.BACKEND
PART: Short = {"v-core": 30, "v-mem": 4096}


def read(backend: Backend, pod: Short) -> Reading:
    return backend.read(Taking(keys_of(pod)), None)


# --- data sheets ----------------------------------------------------------------------------------------

KEYS: dict[tuple[str, str], tuple[bool, set[Place]]] = {
    # whether the key is the vendor's, and where it has effect
    ("tke", "tke.cloud.tencent.com/qgpu-core"): (True, {Place.RESOURCE}),
    ("tke", "tke.cloud.tencent.com/app-class"): (True, {Place.ANNOTATION}),
    ("tke", "tke.cloud.tencent.com/qgpu-schedule-policy"): (True, {Place.NODE_SELECTOR, Place.NODE}),
    ("tke", "tke.cloud.tencent.com/qgpu"): (True, {Place.SCHEDULER}),
    ("tke", "tke.cloud.tencent.com/qgpu-pgpu-web"): (True, {Place.SCHEDULER}),
    ("tke", "elasticgpu.io/container-web"): (True, {Place.SCHEDULER}),
    ("tke", "tke.cloud.tencent.com/qgpu-sche"): (True, set()),  # S003, clipped in a picture
    ("tke", "tke.cloud.tencent.com/eni-ip"): (False, set()),
    ("tke", "nvidia.com/gpu"): (False, set()),
    ("ack", "scheduler.framework.gpushare.allocation"): (True, {Place.SCHEDULER}),
    ("ack", "gpushare.alibabacloud.com/assigned"): (True, {Place.SCHEDULER}),
    ("ack", "ALIYUN_COM_GPU_MEM_IDX"): (True, {Place.SCHEDULER}),
    ("ack", "nvidia.com/gpu"): (False, {Place.RESOURCE}),
}


def test_keys_of_the_data_sheets() -> None:
    def known(target: str, name: str) -> tuple[bool, set[Place]]:
        backend = registry.get(target)
        row = backend.find(name)
        return backend.owns(name), set(row.places) if row else set()

    assert {one: known(*one) for one in KEYS} == KEYS
    assert [ACK.speaks_in(keys_of({name: 1})) for name in ("nvidia", "a-gpu")] == [False, True]


def test_names_and_fields() -> None:
    assert all(registry.get(name) is TKE for name in ("tencent-qgpu", "tencent", "tke"))
    assert list(TKE.says) == [*Share().to_json(), "device", "isolation"]


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
    limits = {**container.limits, long("v-core"): Value("0x1E", Kind.INT, path)}
    container = replace(container, limits=limits)
    reading = VKE.read(Taking(replace(keys, containers=(container,))), None)
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
        reading = ACK.read(Taking(keys), None)
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
