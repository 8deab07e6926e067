"""Every derived number has a row of the catalogue, or the profile, and its source: in assess, both ways.

The fleets are those of docs/partitions.md; rows are read from the data file, not through the catalogue.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.model import catalogue
from gpuxlate.model.amounts import amount_of
from gpuxlate.model.parts import Partition
from gpuxlate.model.share import Device, Share
from tests.running import run

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
