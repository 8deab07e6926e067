"""Partitions and replicas in plans: how many a card takes, and what is not planned, with the reason."""

from __future__ import annotations

import json

import pytest

from gpuxlate.model.catalogue import Card, Template, cards
from gpuxlate.model.parts import Partition
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Share
from gpuxlate.planning.packing.parts import asks_of_part
from gpuxlate.planning.packing.spaces import Space, first_way
from tests.planning.test_plan import Plan, first, part, plan, pods

__all__ = ["plan"]

DIVIDED = [(card, one) for card in cards() for one in card.templates if card.vendor == "nvidia"]


@pytest.mark.parametrize(("card", "one"), DIVIDED, ids=lambda one: str(one.name))
def test_as_many_fit_on_a_card_as_the_catalogue_says(card: Card, one: Template) -> None:
    """The sums of slices agree with NVIDIA/mig-parted, config-default.yaml, for every card and profile."""
    profile = Profile("nvidia-mig", cards=CardProfile(card.name, 1, 81559))
    for pool in ("", "alike"):
        [ask] = asks_of_part(0, Share(partition=Partition(one.name)), profile, pool)
        there, count = (Space(100, 81559, 1_000, True, "", pool),), 0
        while (found := first_way(there, (ask,))) is not None:
            there, count = found[0], count + 1
        assert count == one.most


def on(size: str, **more: str) -> str:
    chosen = {"cloud.google.com/gke-gpu-partition-size": size} if size else {}
    chosen |= {f"cloud.google.com/gke-{name.replace('_', '-')}": text for name, text in more.items()}
    return json.dumps(chosen)


def mig(profile: str, count: int = 1, each: int = 1) -> str:
    return pods(f"nvidia.com/mig-{profile}: {each}", count, name=f'"of-{profile}"')


def gke(size: str, count: int, **more: str) -> str:
    return pods("nvidia.com/gpu: 1", count, name=f'"on-{count}"', selector=on(size, **more))


CLIENTS = {"gpu_sharing_strategy": "time-sharing", "max_shared_clients_per_gpu": "3"}
H100 = "cards: {perNode: 2, model: H100-80GB}"
SINGLE = H100 + "\nnvidia: {migStrategy: single}"
FOUR = "cards: {perNode: 1, memoryMiB: 22731}\nnvidia: {sharing: {strategy: mps, replicas: 4}}"
PACKED = {
    # target, profile, pods, flags: cards and nodes
    "seven slices of compute": ("nvidia-mig", H100, [mig("1g.10gb", 8)], "", (2, 1)),
    "eight slices of memory": ("nvidia-mig", H100, [mig("3g.40gb", 2), mig("1g.10gb")], "", (2, 1)),
    "several profiles on a card": (
        "nvidia-mig", H100, [mig("4g.40gb"), mig("2g.20gb"), mig("1g.10gb")], "", (1, 1),
    ),
    "one slice too many": ("nvidia-mig", H100, [mig("4g.40gb"), mig("2g.20gb", 2)], "", (2, 1)),
    "instances of a container are on one card or on several": (
        "nvidia-mig", H100, [mig("3g.40gb"), mig("3g.40gb", each=3)], "", (2, 1),
    ),
    "whole cards beside partitions": ("nvidia-mig", H100, [mig("1g.10gb"), pods("nvidia.com/gpu: 1")],
                                      "--from nvidia-mig", (2, 1)),
    "one profile on a node of strategy single": (
        "nvidia-mig", SINGLE, [gke("1g.10gb", 7), gke("2g.20gb", 3)], "--from gke", (2, 2),
    ),
    "one profile on a node of GKE": ("gke", H100, [gke("1g.10gb", 7), gke("2g.20gb", 3)], "", (2, 2)),
    "clients of a card": ("gke", H100, [gke("", 4, **CLIENTS)], "", (2, 1)),
    "clients of a partition": ("gke", H100, [gke("1g.10gb", 22, **CLIENTS)], "", (2, 1)),
    "clients by the profile": ("nvidia-shared", FOUR, [pods("nvidia.com/gpu.shared: 1", 5)], "", (2, 2)),
    "shared nodes and nodes of whole cards": (
        "nvidia-shared", FOUR, [pods("nvidia.com/gpu.shared: 1"), pods("nvidia.com/gpu: 1")],
        "--from nvidia-shared", (2, 2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PACKED)
def test_parts_of_cards(plan: Plan, name: str) -> None:
    target, profile, texts, flags, wanted = PACKED[name]
    ran = plan("---\n".join(texts), f"--to {target} {flags} -o json", {target: profile})
    found = first(ran)
    assert (found["cards"], found["nodes"], ran.code) == (*wanted, 0), ran.err
    assert found["proved"]


def test_what_a_partition_costs(plan: Plan) -> None:
    ran = plan(part(10, 11000, 9), "--to nvidia-mig --round up -o json", {"nvidia-mig": H100})
    found = first(ran)
    assert found["rounding"] == {
        "cards": 1,
        "values": [
            {"field": "partition", "asked": "cores=10, memoryMiB=11000", "given": "1g.20gb", "shares": 9}
        ],
    }
    assert {one["part"] for node in found["layout"] for card in node["cards"] for one in card["held"]} == {
        "1g.20gb"
    }
    said = plan(part(10, 11000, 9), "--to nvidia-mig --round up", {"nvidia-mig": H100}).out.decode()
    assert "1 of the cards is for rounding cores=10, memoryMiB=11000 to 1g.20gb (9 shares)" in said


def test_places_are_fixed(plan: Plan) -> None:
    text = mig("3g.40gb") + "---\n" + mig("1g.10gb", 3)
    said = plan(text, "--to nvidia-mig", {"nvidia-mig": H100}).out.decode()
    assert "1 card has partitions of several profiles: places are fixed" in said


UNKNOWN = {
    "no such partition": ("neutral", H100, gke("1g.5gb", 1), "the catalogue has no 1g.5gb of H100-80GB"),
    "media extensions": ("nvidia-mig", H100, mig("1g.10gb.me"), "has no 1g.10gb+me of H100-80GB"),
    "a card without partitions": (
        "gke", "cards: {perNode: 1, model: T4-16GB}", gke("1g.10gb", 1), "no partitions of T4-16GB",
    ),
    "a card without a name": (
        "gke", "cards: {perNode: 1, memoryMiB: 81559}", gke("1g.10gb", 1), "no partitions of a card without",
    ),
    "a number of clients that only nodes know": (
        "nvidia-shared", "cards: {perNode: 1, memoryMiB: 22731}", pods("nvidia.com/gpu.shared: 1"),
        "how many clients share a card is in neither the share nor the profile",
    ),
    "clients of a partition among others": (
        "neutral", H100, gke("1g.10gb", 1, **CLIENTS), "only where all cards of a node are divided alike",
    ),
    "a template of another kind": (
        "neutral", "cards: {perNode: 1, model: Ascend310P}", pods("gpuxlate.io/partition-vir02: 1"),
        "how many vir02 a Ascend310P takes is not in the catalogue",
    ),
    "a card of one's own, with another number": (
        "nvidia-mig", "cards: {perNode: 1, memoryMiB: 40000, model: X1}\n"
        "catalogue: [{name: X1, vendor: nvidia, templates: [{name: 1g.10gb, most: 3}, {name: 4g.40gb}]}]",
        mig("1g.10gb"), "how many 1g.10gb a X1 takes is not in the catalogue",
    ),
    "the same, alone on its cards": (
        "gke", "cards: {perNode: 1, memoryMiB: 40000, model: X1}\n"
        "catalogue: [{name: X1, vendor: nvidia, templates: [{name: 1g.10gb}]}]",
        gke("1g.10gb", 1), "how many 1g.10gb a X1 takes is not in the catalogue",
    ),
    "more clients than are counted": (
        "gke", "cards: {perNode: 1, memoryMiB: 1535}",
        gke("", 1, gpu_sharing_strategy="mps", max_shared_clients_per_gpu="48"), "48 parts of one card",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_nothing_says_is_not_planned(plan: Plan, name: str) -> None:
    target, profile, text, said = UNKNOWN[name]
    ran = plan(text, f"--to {target} -o json", {target: profile})
    found = first(ran)
    assert (found["cards"], ran.code) == (0, 1)
    assert said in found["nowhere"][0]["reason"]
