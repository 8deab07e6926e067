"""Partitions and replicas of cards: what they amount to, in the terms of other targets, and of which product.

The numbers of partitions are those of the catalogue (KEP-4815: 1g.5gb of an A100 of 40 GB has 4864 MiB and
14 of 108 multiprocessors); an MPS client has an N-th of each, rounded down (NVIDIA/k8s-device-plugin).
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model import profile as catalogue
from gpuxlate.model.amounts import amount_of
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import (
    Device,
    Isolation,
    Partition,
    Replica,
    Share,
    Strategy,
    in_resource,
    of_resource,
)
from gpuxlate.translation.fit import Outcome, Verdict, fit_pod
from tests.backends.pods import pod
from tests.cluster.asking import share as share_text
from tests.running import run

MPS, SLICED = Strategy.MPS, Strategy.TIME_SLICING
A100 = Profile("volcengine-mgpu", cards=CardProfile("A100", 8, 40536))
H100 = Profile("volcengine-mgpu", cards=CardProfile("H100-80GB", 8, 81559))


def one(share: Share, to: str, profile: Profile | None = None, **accept: Any) -> Outcome:
    containers = [ContainerShare("main", 0, share=share)]
    return fit_pod(containers, registry.get(to), Accept(**accept), profile).outcomes[0]


def test_names_in_resources() -> None:
    for profile in ("1g.10gb", "1g.10gb+me", "1g.10gb+me.all", "vir05_1c_16g", "3g.71gb"):
        assert of_resource(in_resource(profile)) == profile
    assert in_resource("1g.10gb+me") == "1g.10gb.me"


# --- what they amount to -----------------------------------------------------------------------------


def part(profile: str, count: int = 1) -> Share:
    return Share(partition=Partition(profile, count))


def card(model: str) -> Device:
    return Device(None, (model,))


AMOUNTS: list[tuple[Share, Profile | None, tuple[int, int | None, str, bool]]] = [
    # the share, the profile: compute, memory, the card, and whether that is certain
    # the only cards with it have the same partitions
    (part("1g.5gb"), None, (13, 4864, "A100-40GB 1g.5gb", True)),
    (part("1g.5gb", 3), None, (39, 14592, "A100-40GB 1g.5gb", True)),
    (part("1g.5gb+me"), None, (13, 4864, "A100-40GB 1g.5gb", True)),
    # 9856 MiB of an A100 of 40 GB, 9984 of an H100, 1/7 where nobody counted an H800: the most of each
    (part("1g.10gb"), None, (15, 9984, "H800-80GB 1g.10gb", False)),
    (part("1g.10gb"), A100, (13, 9856, "A100-40GB 1g.10gb", True)),
    (part("1g.10gb"), H100, (13, 9984, "H100-80GB 1g.10gb", True)),
    (replace(part("1g.10gb"), device=card("A800-80GB")), H100, (13, 9728, "A800-80GB 1g.10gb", True)),
    # 24 GiB at most and 1/7 of compute: nobody measured it
    (part("1g.24gb"), H100, (25, 24576, "RTX-PRO-6000-96GB 1g.24gb", False)),
    (part("vir05_1c_16g"), None, (25, 16384, "Ascend910B3 vir05_1c_16g", True)),
    (Share(replica=Replica(7, MPS)), H100, (14, 11651, "H100-80GB", True)),
    (Share(replica=Replica(7, MPS, 2)), H100, (28, 23302, "H100-80GB", True)),
    (Share(replica=Replica(7, MPS)), None, (14, None, "card", True)),
    (Share(replica=Replica(4, MPS), device=card("T4-16GB")), H100, (25, 3769, "T4-16GB", True)),
    (replace(part("3g.20gb"), replica=Replica(3, MPS)), A100, (13, 6656, "A100-40GB 3g.20gb", True)),
]
NOTHING_SAYS_HOW_MUCH = [
    Share(1, 30, 4096),
    Share(replica=Replica(4, SLICED)),
    Share(replica=Replica(4)),
    Share(replica=Replica(None, MPS)),
    part("5g.5gb"),
    # memory of the instance is that of others too
    part("1c.2g.10gb"),
    replace(part("1g.5gb"), replica=Replica(2, SLICED)),
]


def test_amounts() -> None:
    found = {}
    for share, profile, _ in AMOUNTS:
        amount = amount_of(share, profile)
        assert amount is not None, share
        assert amount.source
        found[f"{share} {profile}"] = (amount.cores, amount.memory_mib, amount.card, amount.certain)
    assert found == {f"{share} {profile}": expected for share, profile, expected in AMOUNTS}
    assert [share for share in NOTHING_SAYS_HOW_MUCH if amount_of(share, A100) is not None] == []


# --- at targets with numbers -------------------------------------------------------------------------


def test_a_partition_becomes_its_numbers() -> None:
    share = Share(partition=Partition("1g.5gb"))
    found = one(share, "volcengine-mgpu")
    assert found.verdict is Verdict.ROUNDED
    assert not found.accepted
    losses = {(loss.field, loss.given): (loss.asked, loss.code) for loss in found.losses}
    assert losses == dict.fromkeys([("cores", 13), ("memoryMiB", 4864)], ("partition 1g.5gb", "GX033"))
    assert "KEP-4815" in found.losses[0].message
    assert found.granted == Share(1, 13, 4864)
    rounded = one(share, "tencent-qgpu", round_up=True)
    assert rounded.accepted
    assert rounded.granted == Share(1, 15, 5120)  # steps of 5 % and 1 GiB


def test_several_partitions_are_no_cards() -> None:
    found = one(Share(partition=Partition("1g.5gb", 2)), "volcengine-mgpu", round_up=True)
    assert [(loss.field, loss.code) for loss in found.losses] == [("partition", "GX023")]
    assert found.verdict is Verdict.REFUSED


def test_what_is_promised_nothing_is_filled() -> None:
    share = Share(replica=Replica(4, SLICED))
    found = one(share, "volcengine-mgpu", A100, round_up=True)
    losses = [(loss.field, loss.code, loss.given) for loss in found.losses]
    assert losses == [("cores", "GX021", None), ("memoryMiB", "GX021", None)]
    filled = one(share, "volcengine-mgpu", fill={"cores": 20, "memoryMiB": 4096})
    assert (filled.verdict, filled.accepted, filled.granted) == (Verdict.FILLED, True, Share(1, 20, 4096))
    memory = one(share, "alibaba-gpushare", fill={"memoryMiB": 4096})  # memory alone is a share there
    assert (memory.accepted, memory.granted) == (True, Share(1, None, 4096))


def test_the_isolation_that_is_asked_stays() -> None:
    share = Share(partition=Partition("1g.5gb"), isolation=Isolation.HARDWARE)
    found = one(share, "volcengine-mgpu", round_up=True)
    losses = {loss.field: loss.accepted for loss in found.losses}
    assert losses == {"cores": True, "memoryMiB": True, "isolation": False}
    assert one(share, "volcengine-mgpu", round_up=True, drop=frozenset({"isolation"})).accepted
    # what is not known does not hide it
    sliced = one(Share(replica=Replica(4, SLICED), isolation=Isolation.HARDWARE), "volcengine-mgpu")
    assert {loss.field for loss in sliced.losses} == {"cores", "memoryMiB", "isolation"}


def test_mps_needs_the_card() -> None:
    share = Share(replica=Replica(4, MPS))
    found = one(share, "volcengine-mgpu", round_up=True)
    losses = {(loss.field, loss.code, loss.accepted) for loss in found.losses}
    assert losses == {("cores", "GX033", True), ("memoryMiB", "GX021", False)}
    assert one(share, "volcengine-mgpu", A100, round_up=True).granted == Share(1, 25, 10134)


def test_an_unknown_profile_names_the_nearest() -> None:
    nearest = {
        "5g.10gb": "4g.20gb or 4g.24gb or 4g.40gb",
        "1g.15gb": "1g.12gb or 1g.18gb or 1g.10gb",
        "1c.9g.40gb": "7g.40gb or 7g.80gb or 7g.94gb",
    }
    found = {name: gpuxlate.lint(pod(f"nvidia.com/mig-{name}: 1")).diagnostics for name in nearest}
    hints = {name: [str(one.hint) for one in some if one.code == "NVIDIA003"] for name, some in found.items()}
    assert hints == {name: [f"did you mean {names}?"] for name, names in nearest.items()}


@pytest.mark.parametrize(
    ("card", "template", "cores", "mib"),
    [  # device-configmap.yaml of HAMi: 2 of 30, 5 of 20 and 4 of 8 AI cores
        ("Ascend910A", "vir02", 7, 2184),
        ("Ascend910B3", "vir05_1c_16g", 25, 16384),
        ("Ascend310P", "vir04", 50, 12288),
    ],
)
def test_a_template_of_ascend_becomes_its_numbers(card: str, template: str, cores: int, mib: int) -> None:
    share = Share(partition=Partition(template), device=Device("huawei", (card,)))
    found = one(share, "hami-ascend", round_up=True)
    assert found.accepted
    assert found.granted is not None
    assert (found.granted.cores, found.granted.memory_mib) == (cores, mib)
    assert {loss.code for loss in found.losses} == {"GX033"}
    hard = one(replace(share, isolation=Isolation.HARDWARE), "hami-ascend", round_up=True)
    assert [loss.field for loss in hard.losses if not loss.accepted] == ["isolation"]


@pytest.mark.parametrize(
    ("profile", "severity"),
    [
        ({}, "error"),
        ({"cards": {"model": "A100"}}, "error"),
        ({"cards": {"model": "R200"}}, "warning"),  # in no catalogue
        ({"catalogue": [{"name": "R200", "vendor": "nvidia", "memoryMiB": 8}]}, "warning"),
        ({"catalogue": [{"name": "R200", "vendor": "nvidia", "templates": [{"name": "1g.9gb"}]}]}, "error"),
        ({"catalogue": [{"name": "R200", "vendor": "nvidia", "templatesOf": "A30-24GB"}]}, "error"),
    ],
)
def test_a_card_of_the_profile_may_have_other_partitions(profile: dict[str, Any], severity: str) -> None:
    """What no list says is not guessed: with such a card an unknown name is a warning at most."""
    share = share_text("{partition: {profile: 1g.11gb}}")
    known = {"target": "hami", **profile}
    [found] = gpuxlate.lint(share, profile=known).diagnostics
    assert (found.code, str(found.severity)) == ("GX011", severity)
    if severity == "warning":
        written = gpuxlate.render(share, to="nvidia-mig", profile={**known, "target": "nvidia-mig"})
        assert "nvidia.com/mig-1g.11gb: 1" in written.text


# --- products of nodes ----------------------------------------------------------------------------

PRODUCT = "nvidia.com/gpu.product"
A100_CARDS, T4 = {"models": ["A100-SXM4-80GB"]}, {"models": ["T4-16GB"]}


def choosing(selector: str, limits: str) -> str:
    return pod(limits, spec=f"  nodeSelector: {{{selector}}}\n")


def document(models: str, part: str) -> str:
    return share_text(f"{{device: {{models: [{models}]}}, {part}}}", "a")


def spec_of(selector: str, limits: str) -> Any:
    """The spec of the share of a pod; None where it has none."""
    found = gpuxlate.parse(choosing(selector, limits)).text
    return yaml.safe_load(found)["spec"] if found else None


MIG = {"partition": {"profile": "1g.10gb"}, "device": A100_CARDS}
SLICED_MIG = {**MIG, "replica": {"strategy": "time-slicing"}}
TWO_OF_2G = {"partition": {"profile": "2g.20gb", "count": 2}, "device": A100_CARDS}
CLIENT = {"replica": {"count": 1}, "device": T4}
READ: dict[tuple[str, str], Any] = {
    # strategy mixed
    ("NVIDIA-A100-SXM4-80GB", "nvidia.com/mig-2g.20gb: 2"): TWO_OF_2G,
    # strategy single
    ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "nvidia.com/gpu: 1"): MIG,
    ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb-SHARED", "nvidia.com/gpu: 1"): SLICED_MIG,
    # clients, renamed and not
    ("Tesla-T4", "nvidia.com/gpu.shared: 1"): CLIENT,
    ("Tesla-T4-SHARED", "nvidia.com/gpu: 1"): CLIENT,
    # whole cards of any cluster
    ("Tesla-T4", "nvidia.com/gpu: 1"): None,
}


def test_products_that_are_read() -> None:
    assert {one: spec_of(f"{PRODUCT}: {one[0]}", one[1]) for one in READ} == READ


def test_clients_of_the_nodes_of_the_profile() -> None:
    """What the choice of nodes says counts; what it does not say is that of the profile."""
    profile = {"target": "nvidia-shared", "nvidia": {"sharing": {"strategy": "mps", "replicas": 4}}}
    labels = "nvidia.com/gpu.sharing-strategy", "nvidia.com/gpu.replicas"
    for chosen, of, strategy in (
        ("kubernetes.io/os: linux", 4, "mps"),
        (f'{labels[1]}: "8"', 8, "mps"),
        (f"{labels[0]}: time-slicing", 4, "time-slicing"),
    ):
        text = choosing(chosen, "nvidia.com/gpu.shared: 1")
        read = yaml.safe_load(gpuxlate.parse(text, profile=profile).text)["spec"]["replica"]
        assert read == {"of": of, "strategy": strategy}
    of_others = gpuxlate.parse(
        choosing("kubernetes.io/os: linux", "nvidia.com/gpu.shared: 1"), profile={**profile, "target": "hami"}
    )
    assert yaml.safe_load(of_others.text)["spec"]["replica"] == {"count": 1}


def test_what_no_share_holds_is_a_selector() -> None:
    for product, limits in (
        # another dialect has no such product, and the catalogue no such name
        ("NVIDIA-A100-SXM4-40GB", "nvidia.com/mig-1g.5gb: 1"),
        # it says more than the share holds
        ("Tesla-T4-SHARED", "nvidia.com/gpu.shared: 1"),
        ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "nvidia.com/mig-1g.10gb: 1"),
    ):
        text = choosing(f"{PRODUCT}: {product}", limits)
        with pytest.raises(gpuxlate.Refused) as refused:
            gpuxlate.translate(text, to="dra-nvidia", round="up", fill={"memoryMiB": 1024})
        assert "GX020" in {one.code for one in refused.value.diagnostics}, product


def test_pods_of_other_dialects_keep_it() -> None:
    text = choosing(f"{PRODUCT}: Tesla-T4", "volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 1024")
    done = gpuxlate.translate(text, to="volcengine-mgpu", fill={"cores": 10})
    assert f"{PRODUCT}: Tesla-T4" in done.text


A100_MIG = ("A100-SXM4-80GB", "partition: {profile: 1g.10gb}")
SHARED = {"sharing": {"strategy": "mps", "replicas": 4, "renamed": False}}
OF_SINGLE = {"nvidia.com/mig.config": "all-1g.10gb", PRODUCT: "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"}
OF_FOUR = {
    PRODUCT: "Tesla-T4-SHARED", "nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.sharing-strategy": "mps",
}  # fmt: skip
WRITTEN: list[tuple[str, Any, str, str, dict[str, str]]] = [
    ("nvidia-mig", None, *A100_MIG, {PRODUCT: "NVIDIA-A100-SXM4-80GB"}),
    ("nvidia-mig", {"migStrategy": "single"}, *A100_MIG, OF_SINGLE),
    ("nvidia-shared", None, "T4-16GB", "replica: {count: 1}", {PRODUCT: "Tesla-T4"}),
    ("nvidia-shared", SHARED, "T4-16GB", "replica: {of: 4, strategy: mps}", OF_FOUR),
]


@pytest.mark.parametrize(("target", "profile", "models", "part", "selector"), WRITTEN)
def test_products_that_are_written(
    target: str, profile: Any, models: str, part: str, selector: dict[str, str]
) -> None:
    of = {"target": target, "nvidia": profile} if profile else None
    text = gpuxlate.render(document(models, part), to=target, profile=of).text
    assert yaml.safe_load(text)["spec"]["nodeSelector"] == selector
    again = gpuxlate.parse(text, profile=of).text
    assert yaml.safe_load(again)["spec"]["device"] == {"models": [models]}


def test_several_models_are_a_node_affinity() -> None:
    text = gpuxlate.render(document("A10-24GB, L4", "replica: {count: 1}"), to="nvidia-shared").text
    assert '["NVIDIA-A10", "NVIDIA-L4"]' in str(yaml.safe_load(text)["spec"]["affinity"]).replace("'", '"')
    assert yaml.safe_load(gpuxlate.parse(text).text)["spec"]["device"] == {"models": ["A10-24GB", "L4"]}


def test_a_choice_of_hami_is_one_of_products() -> None:
    text = pod("nvidia.com/gpu: 1", metadata=", annotations: {nvidia.com/use-gputype: Tesla T4}")
    profile = {"target": "nvidia-shared"}
    done = gpuxlate.translate(text, to="nvidia-shared", from_="hami", profile=profile)
    assert f"{PRODUCT}: Tesla-T4" in done.text


# --- derived numbers ------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
FLEETS = ROOT / "examples" / "partitions"
CARDS = json.loads(Path(catalogue.__file__).with_name("cards.json").read_text())["cards"]
TARGETS = ("ack", "tke", "vke", "hami")
OF_PROFILE = "the profile, cards.memoryMiB"


def rows() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each card and each of its parts, by the name that reports have, with the card."""
    by_name = {one["name"]: one for one in CARDS}
    for card in CARDS:
        yield card["name"], card, card
        for part in by_name[card.get("templatesOf", card["name"])].get("templates", ()):
            yield f"{card['name']} {part['name']}", part, card


ROWS = {name: (row, card) for name, row, card in rows()}


def assessed(*arguments: str) -> list[dict[str, Any]]:
    done = run("assess", *arguments, "-o", "json")
    assert done.code == 0, done.err
    found: list[dict[str, Any]] = json.loads(done.out)["items"]
    return found


def checked(item: dict[str, Any]) -> None:
    """What is derived is that of its row, and everything that says so names the source."""
    derived = item["derived"]
    row, card = ROWS[derived["card"]]
    source = derived["source"]
    assert source == (row.get("source") or card["source"]) or source == OF_PROFILE
    if derived["card"] != card["name"]:
        assert derived["memoryMiB"] == row["memoryMiB"] or not derived["certain"]
        assert derived["cores"] == -(-row["multiprocessors"] * 100 // card["multiprocessors"])
    said = [one["message"] for one in item["diagnostics"] if one["code"] == "GX033"]
    assert len(said) == len([one for one in item["changes"] if one["code"] == "GX033"]) > 0
    assert all(derived["card"] in one and source in one for one in said)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("fleet", "derived"), [("mig", 3), ("gke", 1)])
def test_fleets_in_parts_at_targets_with_numbers(fleet: str, derived: int, target: str) -> None:
    items = assessed(str(FLEETS / fleet), "--to", target)
    known = [one for one in items if "derived" in one]
    assert len(known) == derived
    for one in known:
        checked(one)
    # no number comes from nowhere: a client by time-slicing is filled
    for one in items:
        assert "derived" in one or [each["field"] for each in one["filled"]]
        given = {each["field"]: each["given"] for each in one["changes"] if each["code"] == "GX033"}
        assert all(one["derived"][name] == value for name, value in given.items())


@pytest.mark.parametrize(("target", "profile"), [("nvidia-mig", "a100"), ("gke", "t4")])
def test_fleets_in_numbers_at_targets_with_parts(target: str, profile: str) -> None:
    fleet, known = FLEETS / "in-numbers.yaml", FLEETS / f"{profile}.profile.yaml"
    items = assessed(str(fleet), "--to", target, "--profile", str(known))
    assert len({one["from"] for one in items}) == len(TARGETS)
    for one in items:
        checked(one)
        asked, given = one["share"], one["derived"]
        assert given["cores"] >= (asked["cores"] or 0)
        assert given["memoryMiB"] >= (asked["memoryMiB"] or 0)


def test_every_part_of_the_catalogue_says_where_it_is_from() -> None:
    found, expected = {}, {}
    for name, row, card in rows():
        if row is not card:
            part = Partition(name.rsplit(" ", 1)[1])
            amount = amount_of(Share(partition=part, device=Device(None, (card["name"],))))
            found[name] = amount and (amount.card, amount.source)
            expected[name] = (name, row.get("source") or card["source"])
    assert found == expected
    assert [name for name, (_, source) in expected.items() if not source] == []
