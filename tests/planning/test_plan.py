"""``gpuxlate plan``: cards for pods, what is said of the numbers, bad input, parts of cards, and the page."""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.files import find
from gpuxlate.model.profile import Card, CardProfile, Profile, Template, all_cards
from gpuxlate.model.share import Partition, Share
from gpuxlate.planning.parts import asks_of_part
from gpuxlate.planning.placing import FreeGpu, first_placement
from gpuxlate.yamltext.parse import Document, documents
from gpuxlate.yamltext.source import Source
from tests.cli.test_locale import Untranslated, untranslated
from tests.running import Ran, run
from tests.schemas import validator
from tests.tables import read_table

__all__ = ["untranslated"]

CASES = read_table(__file__, "cases.yaml")
TWO, H100 = ({"cards": CASES["cards"][name]} for name in ("two", "h100"))
LEFTOVER = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {vke.volcengine.com/mgpu-core: '3'}}"
Plan = Callable[..., Ran]


def deployment(limits: Mapping[str, Any], count: int = 1, name: str = "web", **more: Any) -> str:
    """Pods with these limits. ``more``: their annotations, and the labels of their nodes."""
    container = {"name": "c", "image": "web:1", "resources": {"limits": limits}}
    spec = {"nodeSelector": more.get("selector", {}), "containers": [container]}
    return replicas(spec, count, name, more.get("annotations"))


def replicas(pod: Mapping[str, Any], count: int, name: str = "web", annotations: Any = None) -> str:
    """A Deployment of pods with this spec."""
    template = {"metadata": {"labels": {"app": "a"}, "annotations": annotations or {}}, "spec": pod}
    spec = {"replicas": count, "selector": {"matchLabels": {"app": "a"}}, "template": template}
    data = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
    return json.dumps(data, ensure_ascii=False) + "\n"


VKE = "vke.volcengine.com/mgpu"
GKE = "cloud.google.com/gke-"
CLIENTS = {f"{GKE}gpu-sharing-strategy": "time-sharing", f"{GKE}max-shared-clients-per-gpu": "3"}


def pods(count: int = 1, **row: Any) -> str:
    """The pods of a row of cases.yaml."""
    match row:
        case {"cores": cores, "mib": mib}:
            limits = {"gpuxlate.io/cores": cores, "gpuxlate.io/memory-mib": mib}
            annotations = {"gpuxlate.io/policy": row["policy"]} if "policy" in row else {}
            return deployment(limits, count, annotations=annotations)
        case {"limits": limits}:
            return deployment(limits, count)
        case {"vke": [cores, mib]}:
            return deployment({f"{VKE}-core": cores, f"{VKE}-memory": mib}, count)
        case {"mig": profile}:
            limits = {f"nvidia.com/mig-{profile}": row.get("each", 1)}
            return deployment(limits, count, f"of-{profile}")
    selector = row.get("selector", {}) | (CLIENTS if "clients" in row else {})
    selector |= {f"{GKE}gpu-partition-size": row["gke"]} if "gke" in row else {}
    return deployment({"nvidia.com/gpu": 1}, count, f"on-{count}", selector=selector)


def text_of(row: Mapping[str, Any]) -> str:
    named = {"leftover": LEFTOVER}
    return "\n---\n".join(named.get(one, one) if isinstance(one, str) else pods(**one) for one in row["pods"])


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    monkeypatch.chdir(tmp_path)

    def called(text: str, flags: str, profiles: Mapping[str, Mapping[str, Any]]) -> Ran:
        (tmp_path / "pods.yaml").write_text(text, encoding="utf-8")
        given = []
        for target, profile in profiles.items():
            (tmp_path / f"{target}.profile").write_text(json.dumps({"target": target, **profile}))
            given += ["--profile", f"{target}.profile"]
        return run("plan", "pods.yaml", *flags.split(), *given)

    return called


def first(ran: Ran) -> dict[str, Any]:
    data = json.loads(ran.out)
    assert list(validator("plan").iter_errors(data)) == []
    found: dict[str, Any] = data["targets"][0]
    return found


PACKED = [*CASES["limits of targets"], *CASES["parts of cards"]]


@pytest.mark.parametrize("row", PACKED, ids=lambda row: row["name"])
def test_what_is_packed(plan: Plan, row: dict[str, Any]) -> None:
    profile = {"cards": row["cards"], **row.get("more", {})}
    ran = plan(text_of(row), f"--to {row['to']} {row.get('flags', '')} -o json", {row["to"]: profile})
    found = first(ran)
    assert ([found["cards"], found["nodes"]], ran.code) == (row["wants"], 0), ran.err
    assert found["proved"] == row.get("proved", True)


def test_what_rounding_costs_and_what_packs_better(plan: Plan) -> None:
    text = pods(25, vke=[20, 7500])
    cards = {"cards": {"perNode": 4, "memoryMiB": 22731}}
    ran = plan(text, "--to tke --round up -o json", {"tke": cards, "vke": cards})
    found = first(ran)
    value = {"field": "memoryMiB", "asked": 7500, "given": 8192, "shares": 25}
    assert found["rounding"] == {"cards": 4, "values": [value]}
    [better] = found["better"]
    names = ("value", "perCard", "perCardBefore", "cardsSaved")
    assert [better[name] for name in names] == [7168, 3, 2, 4]
    assert [one["cards"] for one in json.loads(ran.out)["before"]] == [9]
    said = plan(text, "--to tke --round up", {"tke": cards}).out.decode()
    assert "rounding needs 4 of the cards: 7500 MiB to 8192 (25 shares)" in said
    assert "7168 MiB in place of 8192: 3 to a card instead of 2, saves 4 cards" in said


def test_five_to_a_card_instead_of_four(plan: Plan) -> None:
    cards = {"cards": {"perNode": 1, "memoryMiB": 23028}}
    [better] = first(plan(pods(5, cores=10, mib=4608), "--to hami -o json", {"hami": cards}))["better"]
    assert (better["value"], better["perCard"], better["perCardBefore"]) == (4605, 5, 4)


def test_stranded(plan: Plan) -> None:
    found = first(plan(pods(2, cores=80, mib=1024), "--to tke -o json", {"tke": TWO}))
    assert found["use"]["cores"] == {"there": 200, "taken": 160, "stranded": 40}
    assert found["use"]["memoryMiB"]["stranded"] == 2 * (32768 - 1024)
    assert found["binds"] == "compute"


def test_the_layout_holds_every_share(plan: Plan) -> None:
    found = first(plan(pods(9, cores=30, mib=4096), "--to tke -o json", {"tke": TWO}))
    held = [one for node in found["layout"] for card in node["cards"] for one in card["held"]]
    assert len(held) == found["shares"] == found["pods"] == 9
    shares = {(one["workload"], one["cores"], one["memoryMiB"]) for one in held}
    assert shares == {("Deployment/web", 30, 4096)}


def test_pods_of_the_target_itself_count(plan: Plan) -> None:
    text = pods(2, limits={"tke.cloud.tencent.com/qgpu-core": 60, "tke.cloud.tencent.com/qgpu-memory": 4})
    assert first(plan(text, "--to tke -o json", {"tke": TWO}))["cards"] == 2


def test_what_is_counted_is_not_said_to_be_left_out(plan: Plan) -> None:
    """The target writes whole cards under the key of every cloud (GX016), and they are in the plan."""
    text = pods(1, limits={"gpuxlate.io/cards": 3}) + "---\n" + pods(1, limits={"nvidia.com/gpu": 1})
    mig = {"model": "A100-40GB", "perNode": 4, "memoryMiB": 40960}
    ran = plan(text, "--to nvidia-mig", {"nvidia-mig": {"cards": mig}}).out.decode()
    assert "1 share on 3 cards of 1 node" in ran
    assert "not counted: 1 container requests whole cards of no dialect" in ran


# --- what is not packed ---------------------------------------------------------------------------


@pytest.mark.parametrize("row", CASES["bad input"], ids=lambda row: row["name"])
def test_bad_input(plan: Plan, untranslated: Untranslated, row: dict[str, Any]) -> None:
    """In Chinese nothing of it is left in English."""
    text = row["text"] if "text" in row else text_of(row)
    profiles = {"vke": TWO, "tke": TWO, "neutral": TWO}
    ran = plan(text, row["flags"], profiles)
    assert (ran.code, row["says"] in (ran.out + ran.err).decode()) == (row["exit"], True), ran
    untranslated.found.clear()
    assert plan(text, f"{row['flags']} --lang zh", profiles).code == row["exit"]
    if not row["name"].startswith("no YAML"):
        assert [one for one in untranslated.found if one.isascii()] == []


def test_leftovers_are_those_of_each_target(plan: Plan) -> None:
    """A key of the target itself stays as it is there, and is not translated elsewhere."""
    text, profiles = f"{pods(vke=[30, 4096])}---\n{LEFTOVER}\n", {"vke": TWO, "tke": TWO}
    ran = plan(text, "--to tke --to vke -o json --html page.html", profiles)
    first(ran)
    found = {one["target"]: len(one["leftovers"]) for one in json.loads(ran.out)["targets"]}
    assert (found, ran.code) == ({"tencent-qgpu": 1, "volcengine-mgpu": 0}, 1)
    assert Path("page.html").read_text(encoding="utf-8").count("1 leftover on no card") == 1
    said = plan(text, "--to tke --to vke", profiles).out.decode()
    assert "not translated at tencent-qgpu\nLEFTOVER AT" in said


def test_each_text_is_read_once(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(source: Source) -> Iterator[Document]:
        read.append(source.name)
        return documents(source)

    monkeypatch.setattr(find, "documents", counted)
    text, flags = pods(2, limits={"aliyun.com/gpu-mem": 3}), "--to tke --to vke --fill cores=10 -o json"
    ran = plan(text, flags, {"vke": TWO, "tke": TWO, "ack": TWO})
    assert [len(json.loads(ran.out)[name]) for name in ("targets", "before")] == [2, 1]
    assert read == ["pods.yaml"]


FOUR_V100 = {"cards": {"perNode": 4, "model": "V100"}}


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ({"policy": "fixed-share"}, ["no cards.perNode and no cards.memoryMiB"]),
        ({"cards": {"perNode": 4}}, ["has no cards.memoryMiB"]),
        ({"cards": {"memoryMiB": 22731}}, ["has no cards.perNode"]),
        (FOUR_V100, ["the catalogue has no memory of V100", "cards.model: V100-32GB or V100-16GB"]),
        ({"cards": {"perNode": 4, "model": "B300"}}, ["the catalogue has no memory of B300"]),
    ],
)
def test_a_plan_is_never_made_of_guesses(plan: Plan, profile: dict[str, Any], said: list[str]) -> None:
    ran = plan(pods(cores=10, mib=1024), "--to vke", {"vke": profile})
    assert (ran.code, ran.out) == (2, b"")
    assert [text for text in said if text not in ran.err.decode()] == []


# --- nodes without a profile ----------------------------------------------------------------------


def test_nodes_stand_in_place_of_a_profile(plan: Plan) -> None:
    """The same plan, for every target or for one."""
    text = pods(9, cores=30, mib=4096)
    profile = {"cards": {"model": "A10-24GB", "perNode": 2}}
    found = json.loads(plan(text, "--to vke,tke -o json", {"vke": profile, "tke": profile}).out)
    for flags in (
        "--node A10-24GB:2",
        "--node vke=a10-24gb:2 --node A10-24GB:2",
        "--node tke=A10-24GB:2 --profile vke.profile",
    ):
        assert json.loads(plan(text, f"--to vke,tke -o json {flags}", {}).out) == found


def test_nodes_of_each_target(plan: Plan) -> None:
    ran = plan(pods(9, vke=[30, 4096]), "--to tke --node A100-80GB:1:81251 --node vke=A10-24GB:4 -o json", {})
    found = first(ran)
    assert (found["node"]["cards"], found["node"]["memoryMiB"], found["nodes"]) == (1, 81251, 3)
    [before] = json.loads(ran.out)["before"]
    assert (before["target"], before["node"]["memoryMiB"]) == ("volcengine-mgpu", 22731)


def test_all_targets_are_those_of_the_vendor_of_the_card(plan: Plan) -> None:
    ran = plan(pods(cores=30, mib=4096), "--to all --round up --node Ascend910B4:8 --drop cores -o json", {})
    names = {one["target"] for one in json.loads(ran.out)["targets"]}
    assert {"hami-ascend", "neutral"} <= names
    assert not names & {"volcengine-mgpu", "hami-hygon"}


def test_an_empty_folder(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    plan(pods(cores=10, mib=1024), "--to vke", {"vke": TWO})
    assert run("plan", "empty", "--to", "vke", "--profile", "vke.profile").code == 3


# --- as scheduled ---------------------------------------------------------------------------------


def as_scheduled(plan: Plan, text: str, target: str, cards: Mapping[str, Any]) -> dict[str, Any]:
    flags = f"--to {target} --as scheduled --round up --drop cores -o json"
    return first(plan(text, flags, {target: {"cards": cards}}))


def of_40(seed: int, *limits: Mapping[str, int]) -> str:
    """40 pods of these kinds, in any order."""
    draw = random.Random(seed)
    kinds = [limits[int(draw.random() * len(limits))] for _ in range(40)]
    return "---\n".join(deployment(one, 1, f"web-{number}") for number, one in enumerate(kinds))


def waiting(found: Mapping[str, Any]) -> int:
    return sum(one["pods"] for one in found["scheduled"]["waiting"])


MIG = [
    *({"nvidia.com/mig-1g.10gb": count} for count in (1, 2, 3, 4, 5, 6, 7)),
    *({"nvidia.com/mig-2g.20gb": count} for count in (1, 2, 3)),
    *({"nvidia.com/mig-3g.40gb": count} for count in (1, 2)),
]
CLAIMS = [
    {"gpuxlate.io/cores": cores, "gpuxlate.io/memory-mib": mib}
    for cores, mib in ((10, 16384), (20, 8192), (30, 20480), (50, 4096), (60, 10240))
]


# kube-scheduler 1.36.2 left 2 to 5 of 40 MIG pods in random order waiting on the planned nodes, and none
# with the largest first; claims needed one node more, once two; 40 of 40 pods with a whole card ran.
@pytest.mark.parametrize("seed", [1, 3, 9, 11])
def test_partitions_in_random_order_wait(plan: Plan, seed: int) -> None:
    found = as_scheduled(plan, of_40(seed, *MIG), "nvidia-mig", {"perNode": 4, "model": "H100-80GB"})
    assert (2 <= waiting(found) <= 5, found["scheduled"]["nodes"]) == (True, found["nodes"] + 1)
    assert found["scheduled"]["waitingLargestFirst"] == 0


@pytest.mark.parametrize("seed", [0, 2, 5, 9])
def test_claims_need_more_nodes(plan: Plan, seed: int) -> None:
    found = as_scheduled(plan, of_40(seed, *CLAIMS), "dra-hami", {"perNode": 2, "memoryMiB": 40960})
    assert found["nodes"] < found["scheduled"]["nodes"] <= found["nodes"] + 2
    assert waiting(found) > 0


def test_whole_cards_reach_the_packing(plan: Plan) -> None:
    text = of_40(1, {"gpuxlate.io/cards": 1})
    found = as_scheduled(plan, text, "dra-nvidia", {"perNode": 8, "memoryMiB": 40960})
    assert (found["nodes"], found["scheduled"]["nodes"], waiting(found)) == (5, 5, 0)


@pytest.mark.parametrize("row", CASES["as scheduled"], ids=lambda row: row["name"])
def test_what_the_scheduler_of_a_target_makes_of_it(plan: Plan, row: dict[str, Any]) -> None:
    found = as_scheduled(plan, text_of(row), row["to"], row["cards"])
    scheduled = found["scheduled"]
    assert [found["nodes"], scheduled["nodes"], waiting(found)] == row["wants"]
    assert [scheduled["picksNode"], scheduled["picksCard"], bool(scheduled["source"])] == row["picks"]


def test_which_of_both_the_cluster_reaches(plan: Plan, tmp_path: Path, untranslated: Untranslated) -> None:
    text = pods(2, cores=40, mib=4096) + "---\n" + pods(2, cores=60, mib=4096)
    one = {"hami": {"cards": {"perNode": 1, "memoryMiB": 32768}}}
    ran = plan(text, "--to hami --as scheduled --html page.html", one).out.decode()
    assert re.search(r"^TARGET +CARDS +NODES +AS SCHEDULED +LOWER BOUND", ran, re.MULTILINE)
    assert re.search(r"^hami +2 +2 +3 nodes; 1 pod would wait", ran, re.MULTILINE)
    assert (
        "as scheduled: 1 of 4 pods would wait on these nodes, in the order of the manifests "
        "(Deployment/web: 1); the cluster needs 3 nodes"
    ) in ran
    assert "applied largest first, every pod runs on these nodes" in ran
    assert "its scheduler picks the fullest node, and the emptiest card" in ran
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<td>3 nodes; 1 pod would wait</td>" in page
    assert "applied largest first" in page
    untranslated.found.clear()
    plan(text, "--to hami --as scheduled --lang zh", one)
    assert [said for said in untranslated.found if said.isascii()] == []
    assert "scheduled" not in first(plan(text, "--to hami -o json", one))


# --- the page ---------------------------------------------------------------------------------------

HOSTILE = "</style><script>alert(1)</script>\u202e\"'><img src=x onerror=alert(1)>"


class Seen(HTMLParser):
    """What a browser would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.parametrize("command", ["plan", "assess"])
def test_a_page_runs_and_loads_nothing(plan: Plan, tmp_path: Path, command: str) -> None:
    text = deployment({f"{VKE}-core": 30, f"{VKE}-memory": 4096}, 3, HOSTILE)
    plan(text, "--to tke", {"tke": TWO, "vke": TWO})
    flags = ["--profile", "tke.profile", "--profile", "vke.profile"] if command == "plan" else []
    ran = run(command, "pods.yaml", "--to", "tke", *flags, "--html", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ran.code == 0
    seen = Seen()
    seen.feed(page)
    assert not seen.tags & {"script", "img", "link", "iframe", "object", "a"}
    assert not {name for name in seen.attributes if name.startswith("on") or name in ("src", "href")}
    assert not re.search(r"url\(|@import|https?:", page)
    assert "\u202e" not in page
    assert "onerror" in "".join(seen.texts)
    assert "default-src 'none'" in page


def test_where_nothing_is_packed_nothing_is_optimal(plan: Plan, tmp_path: Path) -> None:
    ran = plan(pods(1, vke=[30, 409600]), "--to tke --node A10-24GB:4 --html page.html", {})
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ran.code == 1
    for text in (ran.out.decode(), page):
        assert "nothing packed" in text
        assert "optimal" not in text


def test_the_page_draws_every_card(plan: Plan, tmp_path: Path) -> None:
    ran = plan(pods(40, cores=30, mib=4096), "--to tke -o json --html page.html", {"tke": TWO})
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = first(ran)
    assert page.count('class="card"') == 2 * found["nodes"] == 14
    assert page.count("<i ") == 2 * found["shares"] == 80


# --- parts of cards -------------------------------------------------------------------------------


def fitting(card: Card, one: Template, pool: str) -> int:
    """How many of a partition fit on a card."""
    profile = Profile("nvidia-mig", cards=CardProfile(card.name, 1, 81559))
    [ask] = asks_of_part(0, Share(partition=Partition(one.name)), profile, pool)
    there, count = (FreeGpu(100, 81559, 1_000, True, "", pool),), 0
    while (found := first_placement(there, (ask,))) is not None:
        there, count = found[0], count + 1
    return count


def test_as_many_fit_on_a_card_as_the_catalogue_says() -> None:
    """The sums of slices agree with NVIDIA/mig-parted, config-default.yaml, for every card and profile."""
    divided = [(card, one) for card in all_cards() for one in card.templates if card.vendor == "nvidia"]
    assert len(divided) > 100
    for pool in ("", "alike"):
        found = [(card.name, one.name, fitting(card, one, pool)) for card, one in divided]
        assert found == [(card.name, one.name, one.most) for card, one in divided]


def test_what_a_partition_costs(plan: Plan) -> None:
    text, flags, profiles = pods(9, cores=10, mib=11000), "--to nvidia-mig --round up", {"nvidia-mig": H100}
    found = first(plan(text, f"{flags} -o json", profiles))
    value = {"field": "partition", "asked": "cores=10, memoryMiB=11000", "given": "1g.20gb", "shares": 9}
    assert found["rounding"] == {"cards": 1, "values": [value]}
    held = (one for node in found["layout"] for card in node["cards"] for one in card["held"])
    assert {one["part"] for one in held} == {"1g.20gb"}
    said = plan(text, flags, profiles).out.decode()
    assert "rounding needs 1 of the cards: cores=10, memoryMiB=11000 to 1g.20gb (9 shares)" in said


def test_places_are_fixed(plan: Plan) -> None:
    text = f"{pods(mig='3g.40gb')}---\n{pods(3, mig='1g.10gb')}"
    said = plan(text, "--to nvidia-mig", {"nvidia-mig": H100}).out.decode()
    assert "1 card has partitions of several profiles: places are fixed" in said


@pytest.mark.parametrize("row", CASES["what nothing says is not planned"], ids=lambda row: row["name"])
def test_what_nothing_says_is_not_planned(plan: Plan, row: dict[str, Any]) -> None:
    profile = {"cards": row["cards"], **row.get("more", {})}
    ran = plan(text_of(row), f"--to {row['to']} -o json", {row["to"]: profile})
    found = first(ran)
    assert (found["cards"], ran.code) == (0, 1)
    assert row["says"] in found["nowhere"][0]["reason"]


# --- init containers ------------------------------------------------------------------------------

# Init containers end before the others start: on a card, and in all, the larger counts. Kubernetes, "Init
# containers", "Resource sharing within containers"; HAMi, pkg/device/initContainer.go,
# CollapseInitContainerUsage (2026-08-21).
Limits = list[dict[str, int]]
NO_LIMITS: Limits = []


def two_pods(init: Limits, containers: Limits = NO_LIMITS, sidecars: Limits = NO_LIMITS) -> str:
    def listed(kind: str, limits: Limits, **more: str) -> list[dict[str, Any]]:
        return [{"name": f"{kind}{n}", **more, "resources": {"limits": one}} for n, one in enumerate(limits)]

    first = [*listed("side", sidecars, restartPolicy="Always"), *listed("init", init)]
    return replicas({"initContainers": first, "containers": listed("app", containers or [{"cpu": 1}])}, 2)


def mib(*amounts: int) -> Limits:
    return [{"nvidia.com/gpu": 1, "nvidia.com/gpumem": one} for one in amounts]


TEN = {"cards": {"perNode": 1, "memoryMiB": 10000}}
RESERVED: dict[str, tuple[str, int, int]] = {
    # by what it shows: the pod, the cards of 10000 MiB that two of them need, MiB of both
    "the larger init container": (two_pods(mib(8000), mib(4000)), 2, 16000),
    "the larger containers": (two_pods(mib(4000), mib(3000, 2000)), 1, 10000),
    "containers together, on its card": (two_pods(mib(8000), mib(3000, 3000)), 2, 16000),
    "one init container after the other": (two_pods(mib(4000, 5000), mib(1000)), 1, 10000),
    "init containers alone": (two_pods(mib(5000)), 1, 10000),
    "a sidecar stays": (two_pods([], mib(4000), mib(2000)), 2, 12000),
    "a sidecar is there before": (two_pods(mib(4000), mib(1000), mib(2000)), 2, 12000),
}


def inspected() -> dict[str, Any]:
    return dict(json.loads(run("inspect", "pods.yaml", "-o", "json").out))


@pytest.mark.parametrize("name", RESERVED)
def test_what_init_containers_reserve(plan: Plan, name: str) -> None:
    text, cards, total = RESERVED[name]
    found = first(plan(text, "--to hami -o json", {"hami": TEN}))
    assert (found["cards"], found["proved"], found["use"]["memoryMiB"]["taken"]) == (cards, True, total)
    assert inspected()["totals"]["hami"]["memoryMiB"] == total


def test_a_printed_card_shows_what_is_reserved(plan: Plan) -> None:
    """40 % of the card for the container, and 40 % more for the init container."""
    plan(two_pods(mib(8000), mib(4000)), "--to hami --html plan.html", {"hami": TEN})
    assert re.findall(r"width:([\d.]+)%", Path("plan.html").read_text()) == ["40.00"] * 4


PARTITIONS = [{"nvidia.com/mig-1g.10gb": 3}]
TWO_CARDS = {"cards": {"perNode": 2, "memoryMiB": 10000}}
COUNTED: list[tuple[str, str, dict[str, Any], int]] = [
    # the pod, its target, the profile, the number of cards
    (two_pods(PARTITIONS, PARTITIONS), "nvidia-mig", {"cards": {"perNode": 1, "model": "H100-80GB"}}, 1),
    (two_pods([{"nvidia.com/gpu": 2}], [{"nvidia.com/gpu": 1}]), "hami", TWO_CARDS, 4),
]


@pytest.mark.parametrize(("text", "target", "profile", "cards"), COUNTED, ids=["MIG", "whole cards"])
def test_what_is_counted(plan: Plan, text: str, target: str, profile: dict[str, Any], cards: int) -> None:
    found = first(plan(text, f"--to {target} --from {target} -o json", {target: profile}))
    assert (found["cards"], found["nowhere"], found["refused"]) == (cards, [], [])


def test_a_scheduler_that_looks_at_no_init_container() -> None:
    """Volcano adds up spec.containers alone (pkg/scheduler/api/devices/nvidia/vgpu/utils.go, 2026-08-20)."""
    init, app = ([{"volcano.sh/vgpu-number": 1, "volcano.sh/vgpu-memory": one}] for one in (8000, 4000))
    read = json.loads(run("inspect", "-", "-o", "json", stdin=two_pods(init, app).encode()).out)
    assert read["totals"]["volcano-vgpu"]["memoryMiB"] == 8000
    assert [(one["container"], one.get("init")) for one in read["items"]] == [("init0", True), ("app0", None)]
