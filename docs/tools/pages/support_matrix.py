"""The support matrix: what becomes of each field of a share at each target, found by trying.

A grid of shares is fitted to every target, with and without profiles. What a field met, and the rules
that said so, make its cell: nothing here is written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from docs.tools.markdown import rule_link, table
from gpuxlate.backends import registry
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.backends.base import Backend, ContainerShare
from gpuxlate.backends.placing import Accept
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import JSON_NAMES, Device, Isolation, Policy, Qos, Share, ShareError
from gpuxlate.translation.fit import Outcome, Verdict, fit_pod

CARDS = (1, 2, 3, 9)
CORES = (None, 1, 4, 30, 51, 99, 100)
"""Percent of each card."""
MEMORY = (None, 1, 200, 256, 1000, 4096, 90112)
"""MiB on each card."""
PERCENT = (1, 50)
"""Memory in percent of each card."""
DEVICES = (Device("nvidia"), Device("metax"), Device(None, ("A10",)))

_PERCENT = JSON_NAMES["memory_percent"]
DOUBTFUL = "doubtful"
"""Placed, with a warning."""
WORDS = (*(str(verdict) for verdict in Verdict), DOUBTFUL)

INTRODUCTION = """\
The results for each field at each target, computed by translating many shares. *exact*, *rounded*,
*filled*, *dropped* and *refused* have the meanings of [translate](translate.md); *doubtful* is exact with
a warning. The result for a share depends on its numbers: see `gpuxlate compare`. Some rules need a
profile."""


@dataclass
class Cell:
    """One field at one target: what it met, each with the rules that said so, ``exact`` with none."""

    met: dict[str, set[str]] = field(default_factory=dict)

    def add(self, what: str, code: str | None = None) -> None:
        self.met.setdefault(what, set()).update([code] if code else [])

    def words(self) -> list[str]:
        """What it met, in the order of the verdicts."""
        return [word for word in WORDS if word in self.met]


def pages() -> Iterator[tuple[str, str]]:
    """Target by field, then each target with the rules behind its cells and its prerequisites."""
    rows = [(backend, cells(backend)) for backend in registry.all_backends()]
    fields = list(JSON_NAMES.values())
    head = ["target", *(f"`{name}`" for name in fields)]
    lines = [
        [f"[{backend.name}](#{backend.name})", *(", ".join(row[name].words()) for name in fields)]
        for backend, row in rows
    ]
    parts = ["# Support matrix", INTRODUCTION, "\n".join(table(head, lines))]
    parts += [_target(backend, row) for backend, row in rows]
    yield "support-matrix.md", "\n\n".join(parts) + "\n"


def _target(backend: Backend, row: dict[str, Cell]) -> str:
    fields = [
        [f"`{name}`", backend.says.get(name, "not supported"), "<br>".join(_with_rules(cell))]
        for name, cell in row.items()
    ]
    lines = [f"## {backend.name}", "", *table(["field", "representation", "results"], fields)]
    needs = [
        [one.what, str(one.bound), one.when or "every share", str(one.severity), str(one.source)]
        for one in backend.requirements
    ]
    if needs:
        lines += ["", "Prerequisites, as `gpuxlate nodepool --check` compares them:", ""]
        lines += table(["prerequisite", "required", "for", "severity", "source"], needs)
    return "\n".join(lines)


def _with_rules(cell: Cell) -> list[str]:
    """``rounded: ACK006``, each code a link."""
    found = []
    for word in cell.words():
        codes = ", ".join(map(rule_link, sorted(cell.met[word])))
        found.append(f"{word}: {codes}" if codes else word)
    return found


def cells(backend: Backend) -> dict[str, Cell]:
    """The row of a target, by the JSON names of the fields."""
    row = {name: Cell() for name in JSON_NAMES.values()}
    for profile in _profiles(backend.name):
        for share in _grid():
            # a diagnostic knows a place only: here the place is the name of the field
            origins = {attribute: (name,) for attribute, name in JSON_NAMES.items()}
            container = ContainerShare("", 0, share=share, origins=origins)
            _add(row, fit_pod([container], backend, Accept(), profile).outcomes[0])
    return row


def _add(row: dict[str, Cell], outcome: Outcome) -> None:
    share = outcome.share
    # a percentage that a profile turned into MiB is told of the field that was asked
    met = [(_PERCENT if loss.code == "GX017" else loss.field, loss) for loss in outcome.losses]
    lost = {name for name, _ in met}
    for name, loss in met:
        row[name].add(str(loss.kind), loss.code)
    for one in outcome.diagnostics:
        if one.severity == "warning":
            row[str(one.path[0])].add(DOUBTFUL, one.code)
    for attribute in share.given_fields():
        name = JSON_NAMES[attribute]
        if name not in lost and outcome.verdict is not Verdict.REFUSED:
            row[name].add("exact")


def _grid() -> Iterator[Share]:
    for cards, cores, memory, policy, qos in product(CARDS, CORES, MEMORY, (None, *Policy), (None, *Qos)):
        try:
            yield Share(cards, cores and cores * cards, memory and memory * cards, policy, qos)
        except ShareError:
            continue

    for cards, cores, percent in product(CARDS, CORES, PERCENT):
        yield Share(cards, cores and cores * cards, memory_percent=percent)

    for one in (*({"device": device} for device in DEVICES), *({"isolation": level} for level in Isolation)):
        yield from (Share(**one), Share(1, 30, 4096, **one))
    yield Share(1, 30, 4096, memory_limit_mib=8192)


def _profiles(target: str) -> Iterator[Profile | None]:
    """No profile, and those that bring out the rules which need one."""
    yield None
    yield Profile(
        target, policy="fixed-share", cards=CardProfile("A10", 2, 22731), components={"qgpu": "1.0.0"}
    )
    yield Profile(target, extensions=(AlibabaProfile(memory_unit_mib=128),))
    yield Profile(target, extensions=(AlibabaProfile(open_source=True),))
