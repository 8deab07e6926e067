"""Cards and who holds them, and whether more would fit: never an overbooked card, never a false promise."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends.cluster_nodes import indexes
from gpuxlate.cli.tables import bar
from gpuxlate.model.pod import Value
from gpuxlate.planning import ledger
from gpuxlate.planning.capacity import CapacityAnswer, ContainerPlacement, PodPlacement, fits
from gpuxlate.planning.demand import demand
from gpuxlate.planning.problem import PodDemand
from gpuxlate.yamltext.source import Source
from tests.cluster.asking import HAMI_FLEET, ON_HAMI, Node, books, deployment, on, recorded, wanted
from tests.cluster.conftest import Run
from tests.cluster.fake import FakeServer
from tests.e2e import nodes as made
from tests.e2e import pods


def held(found: ledger.Ledger) -> dict[int, str]:
    """Of each card who holds it: the pod, its container and its MiB."""
    texts = [[f"{one.pod} {one.ask.container} {one.memory_mib}" for one in card.held] for card in found.cards]
    return {card.index: ", ".join(text) for card, text in zip(found.cards, texts, strict=True)}


# --- records ------------------------------------------------------------------------------------

VKE_EACH, ACK_EACH = "vke-two-cards main 4096", "ack-two-cards main 4096"
TKE_EACH = "tke-two-cards main 30720"
RECORDS = {
    "vke-fixed": {0: "vke-a main 4096, vke-b main 8192", 1: "vke-two-containers web 2048"},
    # two cards share evenly; a whole card has all memory
    "vke-native": {0: "vke-whole-card main None", 1: "", 2: VKE_EACH, 3: VKE_EACH},
    # units of 1 GiB on each card, as the record says
    "ack-cgpu": {0: "", 1: "ack-a main 4096", 2: ACK_EACH, 3: ACK_EACH},
    "tke-fixed": {0: f"tke-a main 5120, {TKE_EACH}", 1: TKE_EACH},
}


def test_the_records_of_every_vendor() -> None:
    found = books(made.ALL, pods.ALL).ledgers
    assert {name: held(found[name]) for name in RECORDS} == RECORDS
    assert [one.pod for one in found["vke-fixed"].unplaced] == ["vke-no-record"]


def test_who_is_done_holds_nothing_and_who_waits_is_counted() -> None:
    found = books(made.ALL, pods.ALL)
    assert "vke-done" not in json.dumps([held(one) for one in found.ledgers.values()])
    assert found.waiting == 1


def test_the_older_record_of_ack() -> None:
    older = {"ALIYUN_COM_GPU_MEM_IDX": "2"}  # OSS, const.go
    old = pods.pod("old", "ack-cgpu", pods.gpushare(3), annotations=older)
    assert held(books(made.ACK, [old]).ledgers["ack-cgpu"])[2] == "old main 3072"


ALLOCATION = "scheduler.framework.gpushare.allocation"
OF_VKE = ("", "2", "0,1", "0,0", "x", "-1", "{}", "0, 1", "99999999999999999999")
OF_ACK = ("[]", "{", '{"0": 4}', '{"0": {"x": 4}}', '{"0": {"1": "many"}}', '{"1": {"1": 4}}',
          '{"0": {"9": 4}}', "{}")  # fmt: skip


def test_a_record_that_makes_no_sense_is_none() -> None:
    vke = [pods.vke("p", "vke-fixed", pods.mgpu(30, 4096), {"main": record}) for record in OF_VKE]
    ack = [pods.pod("p", "ack-cgpu", pods.gpushare(4), annotations={ALLOCATION: one}) for one in OF_ACK]
    wrong = []
    for node, running, free in (("vke-fixed", vke, 2 * 22731 - 4096), ("ack-cgpu", ack, (88 - 4) * 1024)):
        for one in running:
            found = books(made.ALL, [one]).ledgers[node]
            said = (any(held(found).values()), found.memory_free, [u.pod for u in found.unplaced])
            if said != (False, free, ["p"]):
                wrong.append((one["metadata"]["annotations"], said))
    assert wrong == []


def test_what_cannot_be_read_is_not_placed() -> None:
    two = pods.mgpu(30, 4096)
    annotations = {"vke.volcengine.com/container-multiple-gpu": "two"}
    one = pods.vke("p", "vke-fixed", two, {"main": "0"}, annotations=annotations)
    found = books(made.VKE, [one]).ledgers["vke-fixed"]
    assert [(u.pod, u.ask) for u in found.unplaced] == [("p", None)]


@pytest.mark.parametrize(("initialized", "cards"), [("False", [8000, 0]), ("True", [4000, 0])])
def test_init_containers_hold_cards_until_they_end(initialized: str, cards: list[int]) -> None:
    """The larger on a card, then the containers alone (HAMi, pkg/device/initContainer.go, 2026-08-21)."""
    card, limits = made.card_uuid("a", 0), {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 4000}
    one = recorded("web", "a", limits, "vgpu", f"{card},NVIDIA,8000,0:;{card},NVIDIA,4000,0:;")
    more = {"limits": {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "8000"}}
    one["spec"]["initContainers"] = [{"name": "init", "resources": more}]
    one["status"]["conditions"] = [{"type": "Initialized", "status": initialized}]
    (found,) = books([made.hami("a")], [one]).ledgers.values()
    assert [each.memory_mib(None) for each in found.cards] == cards
    assert (found.memory_free, found.unplaced) == (2 * 15109 - sum(cards), [])


@given(st.text(max_size=8))
def test_indexes_are_of_different_cards(text: str) -> None:
    found = indexes(text)
    assert found is None or (len(set(found)) == len(found) and ",".join(map(str, found)) == text)


# --- would it fit -------------------------------------------------------------------------------


def with_selector(one: PodDemand, **labels: str) -> PodDemand:
    return replace(one, keys=replace(one.keys, node_selector={k: Value(v) for k, v in labels.items()}))


POLICY = "vke.volcengine.com/mgpu-compute-policy"
BURST = {POLICY: "guaranteed-burst-share"}
TWO_CARDS = {"vke.volcengine.com/container-multiple-gpu": "2", POLICY: "native-burst-share"}


def mgpu(cores: int, mib: int | None = None, count: int = 1, **other: Any) -> PodDemand:
    return wanted("vke", pods.mgpu(cores, mib), count, **other)


def gpushare(units: int, percent: int | None = None) -> PodDemand:
    return wanted("ack", pods.gpushare(units, percent))


def unrecorded(cores: int) -> list[Node]:
    return [pods.pod("p", "a", pods.mgpu(cores, 4096))]


FITS, NOT, UNKNOWN = CapacityAnswer.FITS, CapacityAnswer.NOT, CapacityAnswer.UNKNOWN
ONE, TWO, NATIVE = [made.vke("a", cards=1)], [made.vke("a")], [made.vke("a", policy="native-burst-share")]
NATIVE_ONE = [made.vke("a", cards=1, policy="native-burst-share")]
CGPU, CORE_MEM = [made.ack("a", "cgpu")], [made.ack("a", "core_mem")]
CGPU_ONE = [made.ack("a", "cgpu", cards=1)]
UNITS_OF_128 = [made.ack("a", "share", cards=1, unit_mib=128)]
ANY = mgpu(10, 1024)
FULL = [on(0, 60, 1024), on(1, 60, 1024, "q")]
UNEVEN = [on(0, 90, 1024), on(1, 10, 20000, "q")]
SIXTEEN = [on(0, 1, 256, f"p{n}") for n in range(16)]
EIGHT, NINE = (wanted(None, {"nvidia.com/gpu": cards}) for cards in (8, 9))
OTHER_POLICY = "its policy is fixed-share, the pod requests guaranteed-burst-share"
FIT: list[tuple[list[Node], list[Node], PodDemand, CapacityAnswer, str]] = [
    # nodes, running, wanted, verdict, a part of the reason
    (ONE, [], mgpu(50, 8192), FITS, ""),
    (ONE, [], mgpu(50, 8192, 2), FITS, ""),
    (ONE, [], mgpu(50, 4096, 3), NOT, "compute: 150 % requested in all, 100 % free"),
    (TWO, FULL, mgpu(50, 1024), NOT, "compute: 50 % of a card requested, at most 40 % free"),
    (TWO, [], mgpu(10, 22732), NOT, "memory: 22732 MiB of a card requested, at most 22731 MiB free"),
    (TWO, UNEVEN, mgpu(50, 4096), NOT, "no card has 50 % and 4096 MiB free together"),
    # V, maxContainersPerCard: 16
    (ONE, SIXTEEN, mgpu(1, 256), NOT, "its cards run as many as they can"),
    (NATIVE_ONE, [], mgpu(60, 8192, annotations=TWO_CARDS), NOT, "2 cards requested, it has 1 card"),
    (NATIVE, [], mgpu(60, 8192, annotations=TWO_CARDS), FITS, ""),
    (TWO, [], mgpu(30, 4096, annotations=BURST), NOT, OTHER_POLICY),
    # whole cards go to any policy, to an unused one
    (NATIVE, [], mgpu(200), FITS, ""),
    (ONE, [on(0, 1, 256)], mgpu(100), NOT, "1 unused card requested, 0 free"),
    # a pod without a record may be on any card of its node
    (TWO, unrecorded(50), mgpu(50, 4096), UNKNOWN, "a: the cards of 1 container are not recorded"),
    ([*TWO, made.vke("b")], unrecorded(50), mgpu(50, 4096), FITS, ""),
    (ONE, unrecorded(60), mgpu(50, 4096), NOT, ""),
    ([made.vke("a", unschedulable=True)], [], ANY, NOT, "a: it is cordoned"),
    ([made.vke("a", ready=False)], [], ANY, NOT, "a: it is not ready"),
    (TWO, [], with_selector(ANY, zone="b"), NOT, "the pod selects zone=b"),
    (CGPU, [], gpushare(2, 30), NOT, "its mode is cgpu; a share with compute needs core_mem"),
    (CORE_MEM, [], gpushare(2), NOT, "its mode is core_mem"),
    (CGPU_ONE, [], gpushare(22), FITS, ""),
    (CGPU_ONE, [], gpushare(23), NOT, "memory: 23552 MiB of a card requested, at most 22528 MiB free"),
    (UNITS_OF_128, [], gpushare(177), FITS, ""),
    ([made.tke("a")], [], wanted("tke", pods.qgpu(160, 60)), FITS, ""),
    # whole cards of any cloud
    ([made.vke_whole("a")], [], EIGHT, FITS, ""),
    ([made.vke_whole("a")], [], NINE, NOT, "9 of nvidia.com/gpu requested, 8 free"),
    ([made.tke("a")], [], ANY, NOT, "a: it does not serve shares of volcengine-mgpu"),
    ([], [], ANY, NOT, "there is no GPU node"),
]


@pytest.mark.parametrize(("nodes", "running", "one", "verdict", "reason"), FIT)
def test_whether_it_fits(
    nodes: list[Node], running: list[Node], one: PodDemand, verdict: CapacityAnswer, reason: str
) -> None:
    said = fits(books(nodes, running), [one])
    assert said.verdict is verdict, said
    assert (verdict is FITS) == (said.reasons == ())
    assert reason in "\n".join(said.reasons)


def test_where_it_would_go() -> None:
    said = fits(books([*ONE, made.vke("b", cards=1)]), [mgpu(60, 4096, 2)])
    on_first = (ContainerPlacement("main", (0,)),)
    assert said.places == (
        PodPlacement("Deployment/web #1", "a", on_first),
        PodPlacement("Deployment/web #2", "b", on_first),
    )


def test_how_many_fit_where_not_all_do() -> None:
    said = fits(books(TWO), [mgpu(60, 4096, 5)])
    assert (said.verdict, said.pods, said.pods_that_fit) == (NOT, 5, 2)


def test_more_than_20_on_a_card_of_ack_is_a_warning() -> None:
    said = fits(books(CGPU_ONE), [wanted("ack", pods.gpushare(1), 21)])
    warning = "card 0 of a would hold 21 containers; the largest documented limit is 20"
    assert (said.verdict, said.warnings) == (FITS, (warning,))


def test_who_waits_may_be_first() -> None:
    said = fits(books(made.VKE, pods.VKE), [mgpu(1, 1024, annotations=BURST)])
    assert said.warnings == ("1 pod waits for a node and may be scheduled first",)


def test_offline_compute_is_not_counted() -> None:
    limits = {"vke.volcengine.com/reclaimed-mgpu-core": 90, "vke.volcengine.com/mgpu-memory": 4096}
    offline = {"katalyst.kubewharf.io/qos_level": "reclaimed_cores"}
    said = fits(books(ONE, [on(0, 90, 4096)]), [wanted("vke", limits, annotations=offline)])
    assert said.verdict is FITS
    assert "offline" in said.warnings[0]


# --- the command --------------------------------------------------------------------------------


def test_a_bar() -> None:
    bars = {(0, 100): "[----]", (1, 100): "[#---]", (50, 100): "[##--]", (99, 100): "[###-]",
            (100, 100): "[####]", (160, 100): "[####]", (0, 0): "[----]"}  # fmt: skip
    assert {(taken, there): bar(taken, there, 4) for taken, there in bars} == bars


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 200])
def test_bars_fit_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = run(FakeServer(made.ALL, pods.ALL), "capacity")
    assert done.code == 0
    drawn = [line for line in done.out.splitlines() if "[" in line]
    assert drawn
    assert max(map(len, drawn)) <= max(columns, 60)


def test_who_holds_what(run: Run) -> None:
    out = run(FakeServer(made.VKE, pods.VKE), "capacity --pods").out
    assert "default/vke-a main: 30 %, 4096 MiB" in out
    assert "default/vke-whole-card main: the whole card" in out
    assert "default/vke-no-record main: no card is recorded" in out
    assert "1 GPU pod waits for a node" in out
    assert "default/vke-a" not in run(FakeServer(made.VKE, pods.VKE), "capacity").out
    out = run(FakeServer(HAMI_FLEET, ON_HAMI), "capacity --pods").out
    assert "default/dcu-a main: 60 %, 2000 MiB" in out
    assert "default/dcu-b main: no card is recorded" in out
    assert "default/sgpu-a main: 60 %, 4096 MiB" in out
    assert "default/gpu-a main: the whole card" in out


def test_as_json(run: Run) -> None:
    data = json.loads(run(FakeServer(made.VKE, pods.VKE), "capacity -o json").out)
    assert (data["format"], data["waiting"], data["answer"]) == ("gpuxlate-capacity/v1", 1, None)
    fixed = next(one for one in data["nodes"] if one["name"] == "vke-fixed")
    assert [(card["cores"], card["memoryMiB"]) for card in fixed["cards"]] == [(80, 12288), (20, 2048)]
    assert fixed["notPlaced"][0]["pod"] == "vke-no-record"
    data = json.loads(run(FakeServer(HAMI_FLEET, ON_HAMI), "capacity -o json").out)
    cards = {one["name"]: [card["memoryMiB"] for card in one["cards"]] for one in data["nodes"]}
    assert cards == {"hami-1": [0, 15109], "hygon-1": [0, 2000], "metax-1": [4096, 0]}


OF_VKE_KEYS = "vke.volcengine.com/mgpu-core: %d, vke.volcengine.com/mgpu-memory: 8192"
MIXED, SINGLE = made.mig_mixed("mixed"), made.mig_single("single")
GCU, GKE_MIG = made.node("a", resources={"enflame.com/gcu": 2}), made.gke("n", size="1g.5gb")
CONFIG = "nvidia.com/mig.config: all-1g.5gb"
SLICES = "nvidia.com/gpu.sharing-strategy: time-slicing, nvidia.com/gpu.replicas: '%d'"
IN_MANIFESTS: list[tuple[Node, int, str, str, str]] = [
    # node, replicas, node selector, limits, a part of the answer
    (made.vke("a"), 3, "", OF_VKE_KEYS % 30, "\nfits: 3 pods\n  Deployment/web #1 -> a: web on card 0"),
    (made.vke("a"), 3, "", OF_VKE_KEYS % 60, "\ndoes not fit: 3 pods, 2 of them fit"),
    (made.metax("a"), 1, "", "metax-tech.com/sgpu: 1, metax-tech.com/vmemory: 4Gi", "\nfits: 1 pod"),
    (made.metax("a"), 1, "", "metax-tech.com/sgpu: 3, metax-tech.com/vcore: 60", "it has 2 cards"),
    (made.hygon("a"), 1, "", "hygon.com/dcunum: 1, hygon.com/dcumem: 70000", "at most 65536 MiB free"),
    # 80 % of 15109 MiB on each of two cards, which count as ten each
    (made.hami("a"), 1, "", "nvidia.com/gpu: 2, nvidia.com/gpumem-percentage: 80", "\nfits: 1 pod"),
    (made.hami("a"), 1, "", "nvidia.com/gpu: 3, nvidia.com/gpumem: 1000", "it has 2 cards"),
    # the key of every cloud is whole cards of HAMi here
    (made.hami("a"), 1, "", "nvidia.com/gpu: 2", "web on cards 0, 1"),
    (made.hami("a"), 1, "", "nvidia.com/gpu: 3", "it has 2 cards"),
    (GCU, 1, "", "enflame.com/gcu: 2", "\nfits: 1 pod"),
    (GCU, 1, "", "enflame.com/gcu: 3", "3 of enflame.com/gcu requested, 2 free"),
    (GCU, 1, "", "enflame.com/gcu-memory: 8192", "does not serve shares"),
    (GCU, 1, "", "nvidia.com/gpu: 1", "does not serve nvidia.com/gpu"),
    (MIXED, 2, "", "nvidia.com/mig-1g.10gb: 1", "\nfits: 2 pods"),
    (MIXED, 3, "", "nvidia.com/mig-1g.10gb: 1", "3 of nvidia.com/mig-1g.10gb requested in all, 2 free"),
    (MIXED, 1, "", "nvidia.com/mig-1g.10gb: 3", "3 of nvidia.com/mig-1g.10gb requested, 2 free"),
    (MIXED, 1, "", "nvidia.com/mig-1g.5gb: 1", "it does not serve nvidia.com/mig-1g.5gb; it serves"),
    (SINGLE, 1, "", "nvidia.com/mig-1g.5gb: 1", "it serves nvidia.com/gpu (1g.5gb)"),
    (SINGLE, 1, CONFIG, "nvidia.com/gpu: 1", "\nfits: 1 pod"),
    (SINGLE, 1, "", "nvidia.com/gpu: 1", "warning: Deployment/web: nvidia.com/gpu is 1g.5gb"),
    (made.sliced("n"), 8, SLICES % 4, "nvidia.com/gpu: 1", "\nfits: 8 pods"),
    (made.sliced("n"), 1, SLICES % 8, "nvidia.com/gpu: 1", "the pod selects nvidia.com/gpu.replicas=8"),
    (made.sliced("n", renamed=True), 1, "", "nvidia.com/gpu: 1", "it does not serve nvidia.com/gpu"),
    (made.sliced("n", "mps", renamed=True), 1, "", "nvidia.com/gpu.shared: 2", "with MPS it has one"),
    (GKE_MIG, 1, "", "nvidia.com/mig-1g.5gb: 1", "it serves nvidia.com/gpu (1g.5gb)"),
    (made.vke("n"), 1, "", "nvidia.com/mig-1g.5gb: 1", "it does not serve shares of nvidia-mig"),
]


@pytest.mark.parametrize(("node", "count", "selector", "limits", "said"), IN_MANIFESTS)
def test_would_it_fit(run: Run, node: Node, count: int, selector: str, limits: str, said: str) -> None:
    Path("web.yaml").write_text(deployment(limits, count, selector))
    done = run(FakeServer([node]), "capacity -f web.yaml")
    assert said in done.out, done.err
    assert done.code == (0 if "\nfits: " in done.out else 1)


def test_what_is_not_answered(run: Run) -> None:
    daemons = deployment(OF_VKE_KEYS % 30).replace("kind: Deployment", "kind: DaemonSet")
    texts = ((daemons, "not known: 1 pod"), (deployment(OF_VKE_KEYS % 130, 3), "VKE013"), ("a: [\n", "GX001"))
    for text, said in texts:
        Path("web.yaml").write_text(text)
        done = run(FakeServer([made.vke("a")]), "capacity -f web.yaml")
        assert done.code == 1, done
        assert said in done.out + done.err


def test_an_answer_as_json(run: Run) -> None:
    Path("web.yaml").write_text(deployment(OF_VKE_KEYS % 60, 3))
    fits = json.loads(run(FakeServer([made.vke("a")]), "capacity -f web.yaml -o json").out)["answer"]
    assert (fits["verdict"], fits["pods"], fits["podsThatFit"]) == ("does not fit", 3, 2)


def test_a_card_takes_as_many_containers_as_the_node_says(run: Run) -> None:
    Path("web.yaml").write_text(deployment("nvidia.com/gpu: 1, nvidia.com/gpumem: 100"))
    text = f"{made.card_uuid('a', 0)},NVIDIA,100,0:;"
    limits = {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 100}
    running = [recorded(f"pod-{number}", "a", limits, "vgpu", text) for number in range(2)]
    for split, said in ((2, "does not fit"), (3, "fits")):
        done = run(FakeServer([made.hami("a", cards=1, split=split)], running), "capacity -f web.yaml")
        assert f"\n{said}: 1 pod" in done.out


def test_init_containers_are_reserved(run: Run) -> None:
    limits = "resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: %s}}"
    init = f"      initContainers: [{{name: init, {limits % 8000}}}]\n      containers:"
    for replicas, said in ((1, "fits: 1 pod"), (2, "does not fit")):
        text = deployment("nvidia.com/gpu: 1, nvidia.com/gpumem: 4000", replicas)
        Path("web.yaml").write_text(text.replace("      containers:", init))
        assert said in run(FakeServer([made.hami("a", cards=1)]), "capacity -f web.yaml").out


SHARED = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: hami-core-gpu.project-hami.io
        capacity: {requests: {cores: 30, memory: 4Gi}}
"""
NAMES_IT = """\
---
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec:
  resourceClaims: [{{name: g, resourceClaimName: gpu}}]
  containers: [{{name: main, image: x, resources: {{claims: [{{name: g}}]}}}}]
"""


def test_a_claim_that_several_pods_name_is_counted_once() -> None:
    pods_of_claim = "".join(NAMES_IT.format(name=name) for name in ("a", "b"))
    [counted] = demand([Source("pods.yaml", SHARED + pods_of_claim)]).demands
    assert (counted.name, counted.count) == ("Pod/a", 1)
