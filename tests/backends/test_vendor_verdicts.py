"""What the vendors' own code made of pods, beside what is read from them, said of them and written for them.

Each table of ``fixtures/vendors`` is one dialect. Its first line says who was asked: repository, commit, the
functions, the cards of the nodes and their MiB. Then come its rows:

- ``pod``: in the short form of ``pods.py``; ``for``: the shares that it was written for, in that of
  ``dialects.yaml``
- ``verdict``: ``given``; ``refused`` by a webhook or the API server; ``unplaced`` on empty nodes, and
  ``elsewhere`` where more or larger cards would do; ``ignored``: no container gets a device
- ``by`` and ``words``: whose word that is
- ``shares``: what each container gets of each card: MiB or percent of memory, percent of compute, and the
  name of the part. What is not said is null or not there, and a container that is not there gets nothing;
  without ``shares`` the vendor takes the pod as a whole

A row differs as ``differences`` says; ``vendor_verdicts.yaml`` has the reasons. ``docs/sources.md`` has the
counts that this prints:
``python -m tests.backends.test_vendor_verdicts``.
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path as File

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.config.configuration import load_profile
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Partition, Share
from gpuxlate.translation.fit import PodFit, fit_pod
from gpuxlate.translation.items import Item
from tests.backends import pods
from tests.backends.pods import Short
from tests.backends.test_dialects import share_of, shown
from tests.tables import read_table

FOLDER = File(__file__).parents[2] / "fixtures" / "vendors"
SOURCES = FOLDER.parents[1] / "docs" / "sources.md"
SAID: Short = read_table(__file__, "vendor_verdicts.yaml")
DIALECTS = sorted(path.stem for path in FOLDER.glob("*.jsonl"))
REFUSALS = ("refused", "unplaced")
FIELDS = ("cards", "MiB", "percent", "cores")
OfEach = tuple[int | None, int | None, int | None, int | None]
"""Cards; of each: MiB, percent of memory, percent of compute. None: all."""


def table(dialect: str) -> tuple[Short, list[Short]]:
    """Who was asked, and the rows."""
    head, *rows = map(json.loads, (FOLDER / f"{dialect}.jsonl").read_text(encoding="utf-8").splitlines())
    return head, rows


@cache
def profile_of(dialect: str) -> Profile | None:
    """That of the vendor's nodes, where something depends on it."""
    given = SAID["profiles"].get(dialect)
    return load_profile({"target": dialect, **given}) if given else None


# --- the same terms ---------------------------------------------------------------------------------------


def card_of(head: Short, pod: Short) -> int | None:
    """MiB of a card; by the name of the chip in the pod's keys where there are several."""
    cards: int | dict[str, int] | None = head["card"]
    if not isinstance(cards, dict):
        return cards
    text = json.dumps(pod)
    return next((mib for name, mib in cards.items() if f'{name}"' in text), None)


def of_each(each: Sequence[float | None], card: int | None) -> OfEach:
    """Cards, MiB, percent of memory and of compute; a part of one counts as one.

    All of a card is None, and so is compute of 0, which is not capped. All compute beside a part of the
    memory keeps others away, so it is 100.
    """
    cards, mib, percent, cores = (None if one is None else math.ceil(one) for one in each)
    if mib == card if mib else percent in (None, 100):
        return cards, None, None, None if cores in (0, 100) else cores
    return cards, mib, percent, cores or None


def given(row: Short, card: int | None, parts: Collection[str]) -> dict[str, OfEach | Partition]:
    """What the containers get, as the vendor says; ``parts``: those whose part is named."""
    names = ("cards", "memoryMiB", "memoryPercent", "cores")
    return {
        name: Partition(one["partition"], one.get("count", 1))
        if name in parts and "partition" in one
        else of_each([one.get(field) for field in names], card)
        for name, one in row.get("shares", {}).items()
    }


def as_read(shares: Mapping[str, Share], card: int | None) -> dict[str, OfEach | Partition]:
    """What the containers get, as gpuxlate says."""
    return {
        name: s.partition
        or of_each((s.cards, s.memory_mib_per_card, s.memory_percent, s.cores_per_card), card)
        for name, s in shares.items()
    }


def unlike(row: Short, shares: Mapping[str, Share], card: int | None) -> set[str]:
    """In which way the shares are other than what the vendor gives."""
    found = as_read(shares, card)
    return {*_unlike(given(row, card, {name for name, one in shares.items() if one.is_part}), found)}


def _unlike(wanted: dict[str, OfEach | Partition], found: dict[str, OfEach | Partition]) -> Iterator[str]:
    if wanted.keys() - found.keys():
        yield "not there"
    if found.keys() - wanted.keys():
        yield "not given"
    for name in wanted.keys() & found.keys():
        one, other = wanted[name], found[name]
        if isinstance(one, Partition) or isinstance(other, Partition):
            yield from ("part",) if one != other else ()
        else:
            yield from (field for field, a, b in zip(FIELDS, one, other, strict=True) if a != b)


# --- how a row differs ------------------------------------------------------------------------------------


def containers_of(pod: Short) -> dict[str, Short]:
    """The containers of a pod by their names."""
    lists = {"c": [pod, *pod.get("beside", ())], "i": pod.get("init", ())}
    return {f"{kind}{n}": one for kind, containers in lists.items() for n, one in enumerate(containers, 1)}


def with_keys(pod: Short) -> set[str]:
    """The containers that have resources."""
    return {
        name
        for name, one in containers_of(pod).items()
        if any("/" in key for key in [*one, *one.get("limits", ()), *one.get("requests", ())])
    }


def findings(row: Short, errors: set[str], warned: bool) -> Iterator[str]:
    """Of lint."""
    verdict = row["verdict"]
    if verdict == "given" and ("shares" not in row or with_keys(row["pod"]) <= row["shares"].keys()):
        yield from (f"lint: error {code}" for code in errors)
    elif verdict in REFUSALS and not errors and "elsewhere" not in row:
        yield f"lint: {verdict}, no error"
    elif verdict not in REFUSALS and not errors and not warned:
        yield "lint: ignored, no finding"


def share(text: str | None) -> Share | None:
    """A share from the text of a row: partitions, as in ``2 x 1g.10gb``, or as in ``dialects.yaml``."""
    if text and (part := re.fullmatch(r"(?:(\d+) x )?(\S+gb\S*)", text)):
        return Share(partition=Partition(part[2], int(part[1] or 1)))
    return share_of({}, text)


def same_keys(row: Short, dialect: str, profile: Profile | None) -> Iterator[str]:
    """What is written for the shares of a row is what the vendor was asked about."""
    asked = [
        ContainerShare(name, int(name[1:]) - 1, name[0] == "i", share(row["for"].get(name)))
        for name in containers_of(row["pod"])
    ]
    fit = fit_pod(asked, registry.get(dialect), Accept(), profile)
    if not fit.accepted:
        yield "write: refused"
    elif shown(fit.keys) != shown(pods.keys_of(row["pod"])):
        yield "write: other keys"


def written(items: Iterable[Item], dialect: str, profile: Profile | None) -> PodFit:
    """The shares at their own dialect."""
    containers = [ContainerShare(one.container, one.index, one.init, one.share) for one in items]
    return fit_pod(containers, registry.get(dialect), Accept(), profile)


def differences(row: Short, head: Short, items: list[Item], found: list[Diagnostic]) -> Iterator[str]:
    """All in which gpuxlate and the vendor are not of one mind, each in a few words."""
    dialect, profile = head["dialect"], profile_of(head["dialect"])
    if "for" in row:
        yield from same_keys(row, dialect, profile)
    errors = {one.code for one in found if one.severity == "error"}
    yield from findings(row, errors, any(one.severity == "warning" for one in found))
    if errors or row["verdict"] in REFUSALS or (row["verdict"] == "given" and "shares" not in row):
        return
    card, shares = card_of(head, row["pod"]), {one.container: one.share for one in items if one.share}
    reading = unlike(row, shares, card)
    yield from (f"read: {one}" for one in sorted(reading))
    if reading or not shares or registry.get(dialect).read_only:
        return
    fit = written([one for one in items if one.share], dialect, profile)
    for outcome in fit.outcomes:
        yield from (f"write: {loss.kind} {loss.code}" for loss in outcome.losses)
    if fit.accepted:
        again = {one.container.name: one.declared for one in fit.outcomes}
        yield from (f"write: {one}" for one in sorted(unlike(row, again, card)))


def differing(dialect: str) -> dict[str, list[int]]:
    """The rows of a table by difference. All pods are one stream: that is three times as fast."""
    head, rows = table(dialect)
    text, profile = "\n---\n".join(pods.manifest(row["pod"]) for row in rows), profile_of(dialect)
    items: dict[int, list[Item]] = defaultdict(list)
    found: dict[int, list[Diagnostic]] = defaultdict(list)
    for item in pods.read(text, profile, dialect).items:
        items[item.document].append(item)
    for one in pods.lint(text, profile):
        found[one.document or 0].append(one)
    differ: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        for difference in dict.fromkeys(differences(row, head, items[number], found[number])):
            differ[difference].append(row["id"])
    return differ


def on_purpose(dialect: str) -> list[Short]:
    """The entries of the list about a dialect."""
    return [entry for entry in SAID["on purpose"] if dialect in pods.listed(entry["dialects"])]


def explained(dialect: str, differ: dict[str, list[int]]) -> list[set[tuple[str, int]]]:
    """The rows of each entry, each with its difference."""
    texts = {row["id"]: json.dumps(row) for row in table(dialect)[1]}
    return [
        {
            (difference, number)
            for difference in pods.listed(entry["differs"])
            for number in differ.get(difference, ())
            if re.search(entry.get("row", ""), texts[number])
        }
        for entry in on_purpose(dialect)
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_vendor_is_of_one_mind(dialect: str) -> None:
    differ = differing(dialect)
    purposes = explained(dialect, differ)
    assert all(purposes), "an entry that explains no row"
    told = set().union(*purposes)
    rest = {name: [one for one in rows if (name, one) not in told] for name, rows in differ.items()}
    assert {name: rows for name, rows in rest.items() if rows} == {}
    agreed, on_purpose = counts(dialect, differ)
    row = rf"\| `{dialect}` \| {agreed + on_purpose} \| \d+ \| {agreed} \| {on_purpose} \|"
    assert re.search(row, SOURCES.read_text(encoding="utf-8"))


def counts(dialect: str, differ: dict[str, list[int]]) -> tuple[int, int]:
    """How many rows agree, and how many differ."""
    rows = {number for numbers in differ.values() for number in numbers}
    return len(table(dialect)[1]) - len(rows), len(rows)


if __name__ == "__main__":
    for each in DIALECTS:
        print(each, *counts(each, differing(each)))
