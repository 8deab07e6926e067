"""Partitions and replicas in plans: how many a card takes, and what is not planned, with the reason.

How they are packed is in ``cases.yaml``, with the limits of targets.
"""

from __future__ import annotations

from typing import Any

import pytest

from gpuxlate.model.catalogue import Card, Template, cards
from gpuxlate.model.parts import Partition
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Share
from gpuxlate.planning.packing.parts import asks_of_part
from gpuxlate.planning.packing.spaces import Space, first_way
from tests.planning.test_plan import CASES, H100, Plan, first, plan, pods, text_of

__all__ = ["plan"]


def fitting(card: Card, one: Template, pool: str) -> int:
    """How many of a partition fit on a card."""
    profile = Profile("nvidia-mig", cards=CardProfile(card.name, 1, 81559))
    [ask] = asks_of_part(0, Share(partition=Partition(one.name)), profile, pool)
    there, count = (Space(100, 81559, 1_000, True, "", pool),), 0
    while (found := first_way(there, (ask,))) is not None:
        there, count = found[0], count + 1
    return count


def test_as_many_fit_on_a_card_as_the_catalogue_says() -> None:
    """The sums of slices agree with NVIDIA/mig-parted, config-default.yaml, for every card and profile."""
    divided = [(card, one) for card in cards() for one in card.templates if card.vendor == "nvidia"]
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
    assert "1 of the cards is for rounding cores=10, memoryMiB=11000 to 1g.20gb (9 shares)" in said


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
