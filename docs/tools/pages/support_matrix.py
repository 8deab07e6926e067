"""The support matrix: what becomes of each field of a share at each target, found by trying.

A grid of shares is fitted to every target, with and without profiles. What a field met, and the rules
that said so, make its cell: nothing here is written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product

from docs.tools.markdown import rule_link, table, target_link
from gpuxlate.backends import registry
from gpuxlate.backends.alibaba import AlibabaProfile
from gpuxlate.backends.base import Backend, ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.profile import cards as catalogue
from gpuxlate.model.share import (
    JSON_NAMES,
    Device,
    Isolation,
    Partition,
    Policy,
    Qos,
    Replica,
    Share,
    ShareError,
    Strategy,
)
from gpuxlate.rules.translation import share_is_expressible
from gpuxlate.translation.fit import Outcome, Verdict, fit_pod
from gpuxlate.translation.render import PROBE

CARDS = (1, 2, 3, 9)
CORES = (None, 1, 4, 30, 51, 99, 100)
"""Percent of each card."""
MEMORY = (None, 1, 200, 256, 1000, 4096, 90112)
"""MiB on each card."""
PERCENT = (1, 50)
"""Memory in percent of each card."""

POLICIES = tuple((one, None) for one in (None, *Policy))
CLASSES = tuple(product((None, Policy.BEST_EFFORT), Qos))
PARTITIONS = ("1g.5gb", "3g.20gb", "7g.80gb")
DEVICES = tuple(Device(one) for one in dict.fromkeys(card.vendor for card in catalogue()))
"""Any card of each vendor."""

_PERCENT = JSON_NAMES["memory_percent"]
DOUBTFUL = "doubtful"
"""Placed, with a warning."""
WORDS = (*(str(verdict) for verdict in Verdict), DOUBTFUL)

INTRODUCTION = """\
The results for each field at each target, computed by translating many shares. *exact*, *rounded*,
*filled*, *dropped* and *refused* have the meanings of [translate](translate.md); *doubtful* is exact with
a warning. The result for a share depends on its numbers: see `gpuxlate compare`. Some rules need a
profile. The page of a target has the rules behind each result. Targets that are read only have none."""


@dataclass
class Cell:
    """One field at one target: what it met, each with the rules that said so, ``exact`` with none."""

    met: dict[str, set[str]] = field(default_factory=dict)

    def add(self, what: str, code: str | None = None) -> None:
        self.met.setdefault(what, set()).update([code] if code else [])

    def words(self) -> list[str]:
        """What it met, in the order of the verdicts."""
        return [word for word in WORDS if word in self.met]

    def with_rules(self) -> list[str]:
        """``rounded: ACK006``, each code a link."""
        found = []
        for word in self.words():
            codes = ", ".join(map(rule_link, sorted(self.met[word])))
            found.append(f"{word}: {codes}" if codes else word)
        return found


def pages() -> Iterator[tuple[str, str]]:
    """Target by field; the rules behind the cells are on the pages of the targets."""
    fields = list(JSON_NAMES.values())
    head = ["target", *(f"`{name}`" for name in fields)]
    lines = []
    for backend in registry.all_writable():
        row = cells(backend)
        lines.append([target_link(backend.name), *(", ".join(row[name].words()) for name in fields)])
    yield (
        "support-matrix.md",
        "\n\n".join(["# Support matrix", INTRODUCTION, "\n".join(table(head, lines))]) + "\n",
    )


def cells(backend: Backend) -> dict[str, Cell]:
    """The row of a target, by the JSON names of the fields."""
    return _cells(backend.name)


@cache
def _cells(target: str) -> dict[str, Cell]:
    backend = registry.get(target)
    row = {name: Cell() for name in JSON_NAMES.values()}
    for profile in _profiles(backend.name):
        for share in _grid(backend):
            # a diagnostic knows a place only: here the place is the name of the field
            origins = {attribute: (name,) for attribute, name in JSON_NAMES.items()}
            container = ContainerShare(PROBE, 0, share=share, origins=origins)
            _add(row, fit_pod([container], backend, Accept(), profile).outcomes[0])
    for cell in row.values():
        if not cell.met:  # it goes down with what it stands beside: parts of cards that no profile names
            cell.add(str(Verdict.REFUSED), share_is_expressible.code)
    return row


def _add(row: dict[str, Cell], outcome: Outcome) -> None:
    share = outcome.share
    # a percentage that a profile turned into MiB is told of the field that was asked
    met = [(_PERCENT if loss.code == "GX017" else loss.field, loss) for loss in outcome.losses]
    if share.is_part:  # and the numbers that a part becomes, of the part
        met = [("partition" if share.partition else "replica", loss) for loss in outcome.losses]
    lost = {name for name, _ in met}
    for name, loss in met:
        row[name].add(str(loss.kind), loss.code)
    for one in outcome.diagnostics:
        if one.severity == "warning":
            row[str(one.path[0])].add(DOUBTFUL, one.code)
    kept = set() if outcome.verdict is Verdict.REFUSED else set(outcome.granted.given_fields())
    for attribute in share.given_fields():
        name = JSON_NAMES[attribute]
        if name not in lost and attribute in kept:  # of whole cards, for one, nothing else is left
            row[name].add("exact")


def _grid(backend: Backend) -> Iterator[Share]:
    """Shares of each field alone and with the numbers; of a card that the keys of the target name."""
    model = next((row.model for row in backend.keys if row.model), None)
    named = Device(models=(model,)) if model else None
    for cards, cores, memory, words in product(CARDS, CORES, MEMORY, (*POLICIES, *CLASSES)):
        with suppress(ShareError):
            yield Share(cards, cores and cores * cards, memory and memory * cards, *words, device=named)
    for cards, cores, percent in product(CARDS, CORES, PERCENT):
        yield Share(cards, cores and cores * cards, memory_percent=percent, device=named)
    for cards, cores in product(CARDS, CORES):
        share = Share(cards, cores and cores * cards, 4096 * cards, device=named)
        yield replace(share, memory_limit_mib=8192 * cards)
        yield from (replace(share, isolation=one) for one in Isolation)
        yield from (replace(share, device=one) for one in (None, Device(backend.vendor), *DEVICES))
    yield from (Share(partition=Partition(one), device=named) for one in PARTITIONS)
    yield from (Share(replica=Replica(of, one), device=named) for of in (2, 4) for one in (None, *Strategy))


def _profiles(target: str) -> Iterator[Profile | None]:
    """No profile, and those that bring out the rules which need one."""
    yield None
    yield Profile(
        target, policy="fixed-share", cards=CardProfile("A10", 2, 22731), components={"qgpu": "1.0.0"}
    )
    yield Profile(target, extensions=(AlibabaProfile(memory_unit_mib=128),))
    yield Profile(target, extensions=(AlibabaProfile(open_source=True),))
