"""The cards that live nodes show: the lists of HAMi's family in both forms, sums, and records of schedulers.

Forms: Project-HAMi/HAMi, pkg/device/devices.go (2026-08-21): a JSON list that leaves out what is zero, and
the text of ``EncodeNodeDevices`` with seven or nine fields; ``EncodePodSingleDevice`` for pods.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import huawei_cce as huawei
from gpuxlate.backends import koordinator, registry
from gpuxlate.backends.cluster_nodes import LiveNode, LivePod, NodeOffer, NodeView
from gpuxlate.backends.hami_nodes import cards_listed
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value

CARD = {"id": "a", "count": 10, "devmem": 15109, "devcore": 100, "type": "T4", "health": True}
SECOND = {**CARD, "id": "b", "index": 1}


def seen(target: str, node: LiveNode) -> NodeView | None:
    return registry.get(target).node_view(node)


def listed(target: str, name: str, text: str) -> NodeView | None:
    return seen(target, LiveNode("n", annotations={name: text}))


OLD = "a,10,15109,100,T4,0,true:b,10,15109,100,T4,0,true:"
NEW = "b,10,15109,100,T4,0,true,1,hami-core:a,10,15109,100,T4,0,true,0,hami-core:"


LISTS = [
    ("hami", "hami.io/node-nvidia-register", json.dumps([SECOND, CARD])),
    ("hami-hygon", "hami.io/node-dcu-register", OLD),
    ("hami-hygon", "hami.io/node-hcu-register", NEW),
    ("hami-hygon", "hami.io/node-hcu-register", json.dumps([CARD, SECOND])),
    ("hami-amd", "hami.io/node-amd-register", json.dumps([CARD, SECOND])),
    ("hami-iluvatar", "hami.io/node-MR-V100-register", OLD),
    ("hami-kunlun", "hami.io/node-register-xpu", json.dumps([CARD, SECOND])),
]


def test_lists_of_cards() -> None:
    def facts(view: NodeView | None) -> object:
        assert view is not None
        sums = (view.cards, view.card_mib, view.memory_mib, view.cores)
        return view.target, view.serves, view.ids, sums, view.model, view.instances, view.notes

    expected = (NodeOffer.SHARES, ("a", "b"), (2, 15109, 30218, 200), "T4", 10, ())
    assert {one: facts(listed(*one)) for one in LISTS} == {one: (one[0], *expected) for one in LISTS}


def test_each_list_is_that_of_one_target() -> None:
    node = LiveNode("n", annotations={"hami.io/node-dcu-register": OLD})
    found = [one.name for one in registry.pod_backends() if one.node_view(node)]
    assert found == ["hami-hygon"]


def test_ai_cores_are_no_percentage() -> None:
    """An Ascend card lists its AI cores: 20 of a 910B3."""
    view = listed("hami-ascend", "hami.io/node-register-Ascend910B3", json.dumps([{**CARD, "devcore": 20}]))
    assert view is not None
    assert (view.cards, view.cores) == (1, None)


def test_cards_that_are_not_healthy_are_left_out() -> None:
    ill = {name: value for name, value in SECOND.items() if name != "health"}
    view = listed("hami", "hami.io/node-nvidia-register", json.dumps([CARD, ill]))
    assert view is not None
    assert (view.cards, view.ids) == (1, ("a",))
    assert view.notes == ("left out: 1 of 2 cards, which are not healthy",)
    view = listed("hami", "hami.io/node-nvidia-register", json.dumps([ill]))
    assert view is not None
    assert view.serves is NodeOffer.NOTHING


def test_cordoned_cards_are_left_out() -> None:
    """cordonedDevices in HAMi's pkg/device/nvidia/device.go: UUIDs with commas, trimmed. From 2.11 on
    cards of the other vendors too: device_cordon_test.go beside each of them."""
    cards = json.dumps([CARD, SECOND])

    def view_of(cordon: str, target: str = "hami", name: str = "nvidia") -> NodeView:
        annotations = {f"hami.io/node-{name}-register": cards, "hami.io/device-cordon": cordon}
        view = seen(target, LiveNode("n", annotations=annotations))
        assert view is not None
        return view

    view = view_of(" b ,, x")
    assert (view.cards, view.memory_mib, view.ids, view.left_out) == (1, 15109, ("a",), ("b",))
    assert view.notes == ("left out: 1 of 2 cards, in hami.io/device-cordon",)
    assert [view_of(text).cards for text in ("", " , ", "B")] == [2, 2, 2]
    assert view_of("a,b").serves is NodeOffer.NOTHING
    view = view_of(" b ,, x")
    pod = PodKeys((ContainerKeys("web"),), annotations={PODS: Value("b,NVIDIA,2000,2:a,NVIDIA,1000,1:;")})
    (placed,) = registry.get("hami").placements(LivePod(pod), view)
    assert (placed.cards, placed.units, placed.elsewhere) == ((0,), (1000,), 1)


# device_cordon_test.go beside each of them at ad358d3a
CORDONED = [
    ("hami-amd", "hami.io/node-amd-register"),
    ("hami-ascend", "hami.io/node-register-Ascend910B3"),
    ("hami-hygon", "hami.io/node-hcu-register"),
    ("hami-iluvatar", "hami.io/node-MR-V100-register"),
    ("hami-kunlun", "hami.io/node-register-xpu"),
    ("metax-sgpu", "metax-tech.com/node-gpu-devices"),
]


@pytest.mark.parametrize(("target", "name"), CORDONED)
def test_cordoned_cards_of_other_vendors_are_left_out(target: str, name: str) -> None:
    cards = json.dumps([CARD, SECOND])
    view = seen(target, LiveNode("n", annotations={name: cards, "hami.io/device-cordon": "b"}))
    assert view is not None
    assert (view.cards, view.ids, view.left_out) == (1, ("a",), ("b",))
    assert view.notes[0].endswith("in hami.io/device-cordon, which counts from HAMi 2.11 on")


def test_cards_that_differ_count_as_the_smallest() -> None:
    view = listed("hami", "hami.io/node-nvidia-register", json.dumps([CARD, {**SECOND, "devmem": 20000}]))
    assert view is not None
    assert (view.card_mib, view.memory_mib) == (15109, 30218)
    assert "differ in memory" in view.notes[0]


def test_both_names_of_a_list_are_of_the_same_cards() -> None:
    both = {"hami.io/node-dcu-register": OLD, "hami.io/node-hcu-register": NEW}
    view = seen("hami-hygon", LiveNode("n", annotations=both))
    assert view is not None
    assert view.cards == 2


NO_LISTS = [
    "a,10,15109,100,T4,0,true,1:",
    "a,10,15109,100,T4,0,yes:",
    "a,10,0,100,T4,0,true:",
    "a,10,-1,100,T4,0,true:",
    ",10,15109,100,T4,0,true:",
    f"a,10,{'9' * 5000},100,T4,0,true:",
    f"a,10,{2**31},100,T4,0,true:",
    *(
        json.dumps([{**CARD, **wrong}])
        for wrong in ({"devmem": True}, {"devmem": 1.5}, {"index": -1}, {"type": 4}, {"id": None})
    ),
    json.dumps([{"uuid": "a"}]),
    json.dumps([CARD, "b"]),
]


def test_what_is_no_list() -> None:
    assert [text for text in NO_LISTS if cards_listed(text) is not None] == []


@given(st.text() | st.text(alphabet='ab,:;0123456789[]{}"'))
def test_any_text_is_a_list_or_none(text: str) -> None:
    assert cards_listed(text) is None or cards_listed(text)


# --- sums -----------------------------------------------------------------------------------------


MTHREADS = {"mthreads.com/sgpu-core": "32", "mthreads.com/sgpu-memory": "192"}
MLU = {"cambricon.com/mlu.smlu.vcore": "200", "cambricon.com/mlu.smlu.vmemory": "192"}
KOORD = {koordinator.CORE: "200", koordinator.MEMORY: "48Gi", koordinator.RATIO: "200"}
CCE, T4 = {huawei.CORE: "200", huawei.MEMORY: "378"}, {"accelerator": "nvidia-t4"}
A10 = {"node.koordinator.sh/gpu-model": "NVIDIA-A10"}
SUMS: list[tuple[str, dict[str, str], dict[str, str], tuple[int, int, int, int, str | None]]] = [
    # target, labels, what is allocatable: cards, MiB of each and of all, percent, model
    # an S4000 has 48 GiB in units of 512 MiB, and 16 groups of cores; MLUs count units of 256 MiB
    ("hami-mthreads", {}, MTHREADS, (2, 49152, 98304, 200, None)),
    ("hami-cambricon", {}, MLU, (2, 24576, 49152, 200, None)),
    ("koordinator", A10, KOORD, (2, 24576, 49152, 200, "NVIDIA-A10")),
    ("huawei-cce", T4, CCE, (2, 24192, 48384, 200, "nvidia-t4")),  # 189 units of 128 MiB on each
]
NO_SUMS: list[tuple[str, dict[str, str], dict[str, str], NodeOffer | None]] = [
    ("hami-mthreads", {}, dict([*MTHREADS.items()][:1]), None),
    ("hami-cambricon", {}, dict([*MLU.items()][:1]), None),
    ("koordinator", {}, {"nvidia.com/gpu": "2"}, None),
    ("koordinator", A10, {}, NodeOffer.NOTHING),
    ("huawei-cce", T4, {"nvidia.com/gpu": "1"}, None),
    ("huawei-cce", {}, {huawei.CORE: "100"}, NodeOffer.NOTHING),
]


def test_sums_of_cards() -> None:
    def sums(view: NodeView | None) -> object:
        assert view is not None
        assert view.serves is NodeOffer.SHARES
        return view.cards, view.card_mib, view.memory_mib, view.cores, view.model

    views = {name: seen(name, LiveNode("n", labels, amounts)) for name, labels, amounts, _ in SUMS}
    assert {name: sums(view) for name, view in views.items()} == {name: wanted for name, *_, wanted in SUMS}
    ids = [view.ids[0] for name, view in views.items() if view and name.startswith("hami-")]
    assert ids == ["n-mthreads-0", "n-cambricon-mlu-0"]
    for name, labels, amounts, serves in NO_SUMS:
        view = seen(name, LiveNode("n", labels, amounts))
        assert (view and view.serves) == serves, (name, amounts)


@pytest.mark.parametrize("target", ["hami-cambricon", "hami-mthreads"])
def test_cordoned_cards_of_sums_are_left_out(target: str) -> None:
    """HAMi itself names the cards of these nodes, by their index."""
    resources = {"hami-cambricon": MLU, "hami-mthreads": MTHREADS}[target]

    def view_of(cordon: str) -> NodeView:
        annotations = {"hami.io/device-cordon": cordon}
        view = seen(target, LiveNode("n", allocatable=resources, annotations=annotations))
        assert view is not None
        return view

    whole = view_of("")
    assert whole.cards == 2
    part = view_of(whole.ids[0])
    assert (part.cards, part.cores, part.ids, part.left_out) == (1, 100, whole.ids[1:], whole.ids[:1])
    assert part.memory_mib == part.card_mib == whole.card_mib
    assert part.notes == ("left out: 1 of 2 cards, in hami.io/device-cordon, which counts from HAMi 2.11 on",)
    assert view_of(",".join(whole.ids)).serves is NodeOffer.NOTHING


WHOLE = {
    "hami-enflame": "enflame.com/gcu",
    "metax-sgpu": "metax-tech.com/gpu",
    "hami-kunlun": "kunlunxin.com/xpu",
}


def test_whole_cards() -> None:
    views = {target: seen(target, LiveNode("n", allocatable={key: "8"})) for target, key in WHOLE.items()}
    found = {target: view and (view.serves, view.cards, view.whole_key) for target, view in views.items()}
    assert found == {target: (NodeOffer.WHOLE, 8, key) for target, key in WHOLE.items()}


def test_the_key_of_every_cloud_shows_nothing() -> None:
    resources = {"nvidia.com/gpu": "8", "amd.com/gpu": "8"}
    node = LiveNode("n", allocatable=resources)
    assert [seen(name, node) for name in ("hami", "hami-amd")] == [None, None]


# --- records --------------------------------------------------------------------------------------

NODE = NodeView("hami", NodeOffer.SHARES, ids=("a", "b", "c"))
PODS = "hami.io/vgpu-devices-allocated"


Placed = dict[str, tuple[tuple[int, ...], tuple[int, ...]]]
RECORDS: dict[tuple[int, str], Placed] = {
    # init containers, the record, and for each container the cards and their units
    (0, "b,NVIDIA,3,30:;c,NVIDIA,1,0:a,NVIDIA,2,0:;"): {"0": ((1,), (3,)), "1": ((2, 0), (1, 2))},
    (0, ";a,NVIDIA,3000,30:;"): {"1": ((0,), (3000,))},
    (0, "a,NVIDIA,3000,30:;"): {},  # two containers, one entry
    (0, "x,NVIDIA,3000,30:;a,NVIDIA,1,1:;"): {"1": ((0,), (1,))},  # a card of no node
    (0, "a,NVIDIA,3000:;a,NVIDIA,-1,1:;"): {},
    (0, f"a,NVIDIA,{'9' * 5000},1:;;"): {},
    (0, "a,NVIDIA,1,1:a,NVIDIA,1,1:;;"): {},
    (1, "a,NVIDIA,1,1:;b,NVIDIA,2,2:;;"): {"i0": ((0,), (1,)), "0": ((1,), (2,))},
    (1, "b,NVIDIA,2,2:;;"): {"0": ((1,), (2,))},  # as versions without init containers write it
    (2, "b,NVIDIA,2,2:;"): {},
}


def test_the_record_of_the_scheduler() -> None:
    hami = registry.get("hami")

    def placed(init: int, text: str) -> object:
        pod = PodKeys(
            (ContainerKeys("web", 0), ContainerKeys("log", 1)),
            tuple(ContainerKeys(f"init-{index}", index, True) for index in range(init)),
            annotations={PODS: Value(text)},
        )
        found = hami.placements(LivePod(pod), NODE)
        return {f"{'i' * one.init}{one.index}": (one.cards, one.units) for one in found}

    assert {one: placed(*one) for one in RECORDS} == RECORDS


KOORD_RECORDS: list[tuple[dict[str, dict[str, object]], list[tuple[int, ...]]]] = [
    ({koordinator.RECORD: {"gpu": [{"minor": 1, "resources": {}}, {"minor": 3}]}}, [(1, 3)]),
    ({koordinator.RECORD: {"gpu": [{"minor": 1}, {"minor": 1}]}}, []),
    ({koordinator.RECORD: {"gpu": [{"minor": "x"}]}}, []),
    ({koordinator.RECORD: {"gpu": {"minor": 1}}}, []),
    ({koordinator.RECORD: {"rdma": [{"minor": 1}]}}, []),
    ({}, []),
]


def test_the_record_of_koordinator() -> None:
    koord, cce = registry.get("koordinator"), registry.get("huawei-cce")
    node = NodeView("koordinator", NodeOffer.SHARES)
    limits = {koordinator.MEMORY: Value("8Gi")}
    pod = PodKeys((ContainerKeys("log"), ContainerKeys("web", 1, limits=limits)))
    found = [koord.placements(LivePod(pod, record), node) for record, _ in KOORD_RECORDS]
    assert [[one.cards for one in some] for some in found] == [cards for _, cards in KOORD_RECORDS]
    assert all(one.index == 1 for some in found for one in some)
    assert cce.placements(LivePod(PodKeys()), NodeView("huawei-cce", NodeOffer.SHARES)) == ()
