"""``gpuxlate plan``: each target's own limits, what is said of the numbers, bad input, and the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gpuxlate.config.schemas import schema
from gpuxlate.inputs import files
from gpuxlate.yamltext.compose import Document, documents
from gpuxlate.yamltext.source import Source
from tests.cli.test_locale import Untranslated, untranslated
from tests.running import Ran, run

__all__ = ["untranslated"]

POD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: {count}
  selector: {{matchLabels: {{app: a}}}}
  template:
    metadata: {{labels: {{app: a, {labels}}}, annotations: {{{annotations}}}}}
    spec:
      nodeSelector: {selector}
      containers:
      - name: {container}
        image: web:1
        resources: {{limits: {{{limits}}}}}
"""
NEUTRAL = "gpuxlate.io/cores: {0}, gpuxlate.io/memory-mib: {1}"
Plan = Callable[..., Ran]


def pods(
    limits: str,
    count: int = 1,
    name: str = '"web"',
    annotations: str = "",
    labels: str = "",
    container: str = "c",
    selector: str = "{}",
) -> str:
    return POD.format(
        name=name,
        count=count,
        limits=limits,
        annotations=annotations,
        labels=labels,
        container=container,
        selector=selector,
    )


def part(cores: int, mib: int, count: int = 1, policy: str = "") -> str:
    annotations = f"gpuxlate.io/policy: {policy}" if policy else ""
    return pods(NEUTRAL.format(cores, mib), count, annotations=annotations)


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    monkeypatch.chdir(tmp_path)

    def called(text: str, flags: str, profiles: dict[str, str]) -> Ran:
        (tmp_path / "pods.yaml").write_text(text, encoding="utf-8")
        given = []
        for target, cards in profiles.items():
            (tmp_path / f"{target}.profile").write_text(f"target: {target}\n{cards}\n")
            given += ["--profile", f"{target}.profile"]
        return run("plan", "pods.yaml", *flags.split(), *given)

    return called


def first(ran: Ran) -> dict[str, Any]:
    data = json.loads(ran.out)
    assert list(Draft202012Validator(schema("plan")).iter_errors(data)) == []
    found: dict[str, Any] = data["targets"][0]
    return found


ONE = "cards: {perNode: 1, memoryMiB: 32768}"
TWO = "cards: {perNode: 2, memoryMiB: 32768}"

LIMITS = {
    # target, profile, pods, flags: cards and nodes
    "VKE runs 16 on a card": ("vke", ONE, [part(1, 256, 17)], "", (2, 2)),
    "TKE runs 16 on a card": ("tke", ONE, [part(5, 1024, 17)], "", (2, 2)),
    "Huawei runs 20 on a card": ("cce", ONE, [part(5, 128, 21, "fixed-share")], "", (2, 2)),
    "HAMi runs 10 on a card": ("hami", ONE, [part(1, 128, 11)], "", (2, 2)),
    "HAMi runs as many as the profile says": (
        "hami", ONE + "\nhami: {deviceSplitCount: 20}", [part(1, 128, 11)], "", (1, 1),
    ),
    "ACK's documents differ": ("ack", ONE, [part(5, 1024, 17)], "", (1, 1)),
    "Volcano has no number": ("volcano", ONE, [part(1, 128, 50)], "", (1, 1)),
    "MetaX has one policy on a card": (
        "metax", TWO, [part(10, 1024, 1, "fixed-share"), part(10, 1024, 1, "burst-share")], "", (2, 1),
    ),
    "VKE has one policy on a node": (
        "vke", TWO, [part(10, 1024, 1, "fixed-share"), part(10, 1024, 1, "burst-share")], "", (2, 2),
    ),
    "TKE has one policy on a node": (
        "tke", TWO, [part(10, 1024, 1, "fixed-share"), part(10, 1024, 1, "burst-share")], "", (2, 2),
    ),
    "without a policy any node of TKE does": (
        "tke", TWO, [part(10, 1024, 1, "fixed-share"), part(10, 1024)], "", (1, 1),
    ),
    "ACK has nodes for compute and nodes for memory": (
        "ack", TWO, [part(10, 1024), pods("gpuxlate.io/memory-mib: 1024")], "", (2, 2),
    ),
    "ACK has nodes for whole cards": ("ack", TWO, [part(10, 1024), pods("gpuxlate.io/cards: 1")], "", (2, 2)),
    "VKE has whole cards on any node": (
        "vke", TWO, [part(10, 1024), pods("gpuxlate.io/cards: 1")], "", (2, 1),
    ),
    "Huawei isolates one way on a card": (
        "cce", TWO, [part(5, 128), pods("gpuxlate.io/memory-mib: 128")], "", (2, 1),
    ),
    "HAMi puts nothing beside full compute": (
        "hami", ONE, [part(100, 1024), pods("gpuxlate.io/memory-mib: 1024")], "", (2, 2),
    ),
    "GiB of a card are whole": (  # 15079 MiB are 14 GiB
        "tke", "cards: {perNode: 1, model: T4-16GB}", [part(5, 7168, 3)], "", (2, 2),
    ),
    "two cards of a node": (
        "vke", TWO, [pods(NEUTRAL.format(20, 4096) + ", gpuxlate.io/cards: 2", 3)], "", (2, 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_targets(plan: Plan, name: str) -> None:
    target, profile, texts, flags, wanted = LIMITS[name]
    text = "---\n".join(texts)
    ran = plan(text, f"--to {target} {flags} -o json", {target: profile})
    found = first(ran)
    assert (found["cards"], found["nodes"], ran.code) == (*wanted, 0), ran.err
    assert found["proved"]


def test_what_rounding_costs_and_what_packs_better(plan: Plan) -> None:
    text = pods("vke.volcengine.com/mgpu-core: 20, vke.volcengine.com/mgpu-memory: 7500", 25)
    cards = "cards: {perNode: 4, memoryMiB: 22731}"
    ran = plan(text, "--to tke --round up -o json", {"tke": cards, "vke": cards})
    found = first(ran)
    assert found["rounding"] == {
        "cards": 4,
        "values": [{"field": "memoryMiB", "asked": 7500, "given": 8192, "shares": 25}],
    }
    assert [
        (one["value"], one["perCard"], one["perCardBefore"], one["cardsSaved"]) for one in found["better"]
    ] == [(7168, 3, 2, 4)]
    assert [one["cards"] for one in json.loads(ran.out)["before"]] == [9]
    said = plan(text, "--to tke --round up", {"tke": cards}).out.decode()
    assert "4 of the cards are for rounding 7500 MiB to 8192 (25 shares)" in said
    assert "7168 MiB in place of 8192: 3 to a card instead of 2, saves 4 cards" in said


def test_five_to_a_card_instead_of_four(plan: Plan) -> None:
    found = first(
        plan(part(10, 4608, 5), "--to hami -o json", {"hami": "cards: {perNode: 1, memoryMiB: 23028}"})
    )
    assert [(one["value"], one["perCard"], one["perCardBefore"]) for one in found["better"]] == [(4605, 5, 4)]


def test_stranded(plan: Plan) -> None:
    found = first(plan(part(80, 1024, 2), "--to tke -o json", {"tke": TWO}))
    assert found["use"]["cores"] == {"there": 200, "taken": 160, "stranded": 40}
    assert found["use"]["memoryMiB"]["stranded"] == 2 * (32768 - 1024)
    assert found["binds"] == "compute"


def test_the_layout_holds_every_share(plan: Plan) -> None:
    found = first(plan(part(30, 4096, 9), "--to tke -o json", {"tke": TWO}))
    held = [one for node in found["layout"] for card in node["cards"] for one in card["held"]]
    assert len(held) == found["shares"] == found["pods"] == 9
    assert {(one["workload"], one["cores"], one["memoryMiB"]) for one in held} == {
        ("Deployment/web", 30, 4096)
    }


def test_pods_of_the_target_itself_count(plan: Plan) -> None:
    text = pods("tke.cloud.tencent.com/qgpu-core: 60, tke.cloud.tencent.com/qgpu-memory: 4", 2)
    assert first(plan(text, "--to tke -o json", {"tke": TWO}))["cards"] == 2


# --- what is not packed ---------------------------------------------------------------------------

VKE_KEYS = "vke.volcengine.com/mgpu-core: {0}, vke.volcengine.com/mgpu-memory: {1}"
BAD = {
    "a share larger than any card": (part(10, 40960), "--to vke", 1, "at most 32768 MiB free"),
    "a pod larger than any node": (
        pods("gpuxlate.io/cards: 3"), "--to neutral", 1, "3 cards requested, it has 2 cards",
    ),
    "a refused share": (pods(VKE_KEYS.format(30, 4000)), "--to tke", 1, "not packed: 1 share (1 rounded)"),
    "an error in the manifest": (pods(VKE_KEYS.format(300, 4000)), "--to tke", 1, "VKE"),
    "whole cards of no dialect": (
        part(10, 1024) + "---\n" + pods("nvidia.com/gpu: 1"), "--to vke", 0, "not counted: 1 container",
    ),
    "a leftover": (
        pods(VKE_KEYS.format(30, 4096)) + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
        "data: {vke.volcengine.com/mgpu-core: '3'}\n",
        "--to tke", 1, "LEFTOVER AT",
    ),
    "the same leftover, accepted": (
        pods(VKE_KEYS.format(30, 4096)) + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
        "data: {vke.volcengine.com/mgpu-core: '3'}\n",
        "--to tke --allow-leftovers", 0, "LEFTOVER AT",
    ),
    "no profile": (part(10, 1024), "--to baidu", 2, "no profile is for baidu-cce"),
    "nothing to plan": ("kind: Pod\napiVersion: v1\nmetadata: {name: a}\n", "--to vke", 3, "no share"),
    "no YAML": ("a: [\n", "--to vke", 1, "GX001"),
    "no YAML, for two targets": (part(10, 1024) + "---\na: [\n", "--to vke --to tke", 1, "GX001"),
    "a form": (part(10, 1024), "--to aiapp", 2, "no nodes of yours"),
    "an unknown target": (part(10, 1024), "--to vkee", 2, "did you mean"),
    "an unknown format": (part(10, 1024), "--to vke -o xml", 2, "formats: table, json"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input(plan: Plan, name: str) -> None:
    text, flags, code, said = BAD[name]
    ran = plan(text, flags, {"vke": TWO, "tke": TWO, "neutral": TWO})
    assert ran.code == code
    assert said in (ran.out + ran.err).decode()


def test_leftovers_are_those_of_each_target(plan: Plan) -> None:
    """A key of the target itself stays as it is there, and is left behind elsewhere."""
    text = pods(VKE_KEYS.format(30, 4096)) + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    text += "data: {vke.volcengine.com/mgpu-core: '3'}\n"
    ran = plan(text, "--to tke --to vke -o json --html page.html", {"vke": TWO, "tke": TWO})
    first(ran)
    found = {one["target"]: len(one["leftovers"]) for one in json.loads(ran.out)["targets"]}
    assert (found, ran.code) == ({"tencent-qgpu": 1, "volcengine-mgpu": 0}, 1)
    assert Path("page.html").read_text(encoding="utf-8").count("1 leftover on no card") == 1
    said = plan(text, "--to tke --to vke", {"vke": TWO, "tke": TWO}).out.decode()
    assert "left behind at tencent-qgpu\nLEFTOVER AT" in said


def test_each_text_is_read_once(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(source: Source) -> Iterator[Document]:
        read.append(source.name)
        return documents(source)

    monkeypatch.setattr(files, "documents", counted)
    profiles = {"vke": TWO, "tke": TWO, "ack": TWO}
    ran = plan(pods("aliyun.com/gpu-mem: 3", 2), "--to tke --to vke --fill cores=10 -o json", profiles)
    assert [len(json.loads(ran.out)[name]) for name in ("targets", "before")] == [2, 1]
    assert read == ["pods.yaml"]


@pytest.mark.parametrize("name", [one for one in BAD if not one.startswith("no YAML")])
def test_all_that_is_said_is_there_in_chinese(plan: Plan, untranslated: Untranslated, name: str) -> None:
    text, flags, code, _ = BAD[name]
    ran = plan(text, f"{flags} --lang zh", {"vke": TWO, "tke": TWO, "neutral": TWO})
    assert (ran.code, [one for one in untranslated.found if one.isascii()]) == (code, [])


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        (
            "policy: fixed-share",
            ["no cards.perNode and no cards.memoryMiB"],
        ),
        ("cards: {perNode: 4}", ["has no cards.memoryMiB"]),
        ("cards: {memoryMiB: 22731}", ["has no cards.perNode"]),
        ("cards: {perNode: 4, model: A10}", ["the catalogue has no memory of A10", "cards.model: A10-24GB"]),
        ("cards: {perNode: 4, model: L4}", ["the catalogue has no memory of L4"]),
    ],
)
def test_a_plan_is_never_made_of_guesses(plan: Plan, cards: str, said: list[str]) -> None:
    ran = plan(part(10, 1024), "--to vke", {"vke": cards})
    assert (ran.code, ran.out) == (2, b"")
    for text in said:
        assert text in ran.err.decode()


def test_an_empty_folder(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    plan(part(10, 1024), "--to vke", {"vke": TWO})
    assert run("plan", "empty", "--to", "vke", "--profile", "vke.profile").code == 3


# --- the page ---------------------------------------------------------------------------------------

HOSTILE = "</style><script>alert(1)</script>\\u202e\"'><img src=x onerror=alert(1)>"


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
    text = pods(VKE_KEYS.format(30, 4096), 3, name=json.dumps(HOSTILE.replace("\\u202e", "\u202e")))
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


def test_the_page_draws_every_card(plan: Plan, tmp_path: Path) -> None:
    ran = plan(part(30, 4096, 40), "--to tke -o json --html page.html", {"tke": TWO})
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = first(ran)
    assert page.count('class="card"') == 2 * found["nodes"] == 14
    assert page.count("<i ") == 2 * found["shares"] == 80
