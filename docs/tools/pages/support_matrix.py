"""The support matrix: what becomes of each field of a share at each target, found by trying.

A grid of shares is fitted to every target, with and without profiles. What a field met, and the rules
that said so, make its cell: nothing here is written by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product

from docs.tools.markdown import rule_link, table, target_link
from gpuxlate.backends import registry
from gpuxlate.backends.alibaba import AlibabaProfile
from gpuxlate.backends.base import Backend
from gpuxlate.backends.dra.driver import DraProfile
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.locale import translator
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import CardProfile, Profile, all_cards
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
from gpuxlate.translation.render import PROBE_CONTAINER

CARDS = (1, 2, 3, 9)
CORES = (None, 1, 4, 30, 51, 99, 100)
"""Percent of each card."""
MEMORY = (None, 1, 200, 256, 1000, 4096, 90112)
"""MiB on each card."""
PERCENT = (1, 50)
"""Memory in percent of each card."""

POLICIES = tuple((policy, None) for policy in (None, *Policy))
CLASSES = tuple(product((None, Policy.BEST_EFFORT), Qos))
CLIENTS = 4
"""Of each card that NVIDIA's DRA driver shares."""
PARTITIONS = ("1g.5gb", "3g.20gb", "7g.80gb")
DEVICES = tuple(Device(vendor) for vendor in dict.fromkeys(card.vendor for card in all_cards()))
"""Any card of each vendor."""

_PERCENT = JSON_NAMES["memory_percent"]
DOUBTFUL = "doubtful"
"""Placed, with a warning."""
WORDS = (*(str(verdict) for verdict in Verdict), DOUBTFUL)

INTRODUCTION = """\
The results for each field at each target, computed by translating many shares. *exact*, *rounded*,
*filled*, *dropped* and *refused* have the meanings of [translate](translate.md); *doubtful* is exact with
a warning. The result for a share depends on its numbers: see `gpuxlate compare`. Some rules need a profile.
Targets that are read only have none.

<!-- site -->
Click a mark for the results and the rules behind them.
<!-- /site -->"""

CHINESE_INTRODUCTION = """\
每个字段在每个目标上的结果，由转换大量 GPU 共享规格得出。\
*无损*、*取整*、*补全*、*舍弃*和*拒绝*的含义见[结论与选项](translate.zh.md)；\
*存疑*是无损但有警告。某个 GPU 共享规格的结果取决于它的数值，\
见 `gpuxlate compare`。部分规则需要集群配置。只读的目标没有结果。

<!-- site -->
点击标记，可查看结果及其依据的规则。
<!-- /site -->"""

MARKS = {
    "exact": ("●", "exact", "无损"),
    "some": ("◐", "exact for some values", "部分值无损"),
    "accepted": ("≈", "never exact: rounded or filled, if accepted", "不会无损：接受后取整或补全"),
    "dropped": ("○", "dropped, if accepted", "接受后舍弃"),
    "refused": ("✕", "refused", "拒绝"),
}
"""The mark of a cell by its class, and what it means."""


@dataclass
class Cell:
    """One field at one target: what it met, each with the rules that said so, ``exact`` with none."""

    met: dict[str, set[str]] = field(default_factory=dict)

    def add(self, text: str, code: str | None = None) -> None:
        self.met.setdefault(text, set()).update([code] if code else [])

    def words(self) -> list[str]:
        """What it met, in the order of the verdicts."""
        return [word for word in WORDS if word in self.met]

    def mark(self) -> str:
        """One of MARKS: the best that a share can get, and whether each gets it."""
        if str(Verdict.EXACT) in self.met:
            return "exact" if len(self.met) == 1 else "some"
        for mark, words in (("accepted", ("rounded", "filled")), ("dropped", ("dropped",))):
            if any(word in self.met for word in words):
                return mark
        return "refused"

    def with_rules(self, words: Callable[[str], str] = str) -> list[str]:
        """``rounded: ACK006``, each code a link."""
        notes = []
        for word in self.words():
            codes = ", ".join(map(rule_link, sorted(self.met[word])))
            notes.append(f"{words(word)}: {codes}" if codes else words(word))
        return notes


def pages() -> Iterator[tuple[str, str]]:
    """Target by field, a mark for each cell; the rules behind it are in a box that the mark opens."""
    yield "support-matrix.md", _page("Support matrix", INTRODUCTION, "target", 1, str)
    chinese = translator("zh")
    words = {word: chinese(msg(word)) for word in WORDS}
    yield "support-matrix.zh.md", _page("支持矩阵", CHINESE_INTRODUCTION, "目标", 2, words.__getitem__)


def _page(title: str, about: str, target: str, language: int, words: Callable[[str], str]) -> str:
    fields = list(JSON_NAMES.values())
    lines, boxes = [], []
    for backend in registry.all_writable():
        row = cells(backend)
        lines.append([target_link(backend.name)])
        for name in fields:
            place = f"{backend.name}-{name}"
            mark = row[name].mark()
            notes = row[name].with_rules(words)
            sign, *means = MARKS[mark]
            lines[-1].append(
                f'<button type="button" class="mark {mark}" popovertarget="{place}" '
                f'aria-label="{backend.name}, {name}: {means[language - 1]}">{sign}</button>'
            )
            text = f"**{target_link(backend.name)}, `{name}`**\n\n" + "\n".join(f"- {note}" for note in notes)
            boxes.append(f'<div id="{place}" class="cell" popover="auto" markdown>\n\n{text}\n\n</div>')
    legend = [
        f'- <span class="mark {name}">{mark[0]}</span> {mark[language]}' for name, mark in MARKS.items()
    ]
    grid = table([target, *(f"`{name}`" for name in fields)], lines)
    return (
        "\n\n".join(
            [
                f"# {title}",
                about,
                "\n".join(legend),
                '<div class="matrix" markdown>',
                "\n".join(grid),
                "</div>",
                "<!-- site -->\n" + "\n\n".join(boxes) + "\n<!-- /site -->",
            ]
        )
        + "\n"
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
            container = ContainerShare(PROBE_CONTAINER, 0, share=share, origins=origins)
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
    for finding in outcome.diagnostics:
        if finding.severity == "warning":
            row[str(finding.path[0])].add(DOUBTFUL, finding.code)
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
        for whole in (share, Share(cards, device=named)):  # whole cards too: some targets have no others
            yield from (replace(whole, isolation=isolation) for isolation in Isolation)
            yield from (replace(whole, device=device) for device in (None, Device(backend.vendor), *DEVICES))
    yield from (Share(partition=Partition(partition), device=named) for partition in PARTITIONS)
    for of, strategy in product((2, CLIENTS), (None, *Strategy)):
        yield Share(replica=Replica(of, strategy), device=named)


def _profiles(target: str) -> Iterator[Profile | None]:
    """No profile, and those that bring out the rules which need one."""
    yield None
    yield Profile(
        target, policy="fixed-share", cards=CardProfile("A10", 2, 22731), components={"qgpu": "1.0.0"}
    )
    yield Profile(target, extensions=(AlibabaProfile(memory_unit_mib=128),))
    yield Profile(target, extensions=(AlibabaProfile(open_source=True),))
    yield Profile(target, extensions=(DraProfile(consumable_capacity=True, nvidia_shares="memory"),))
    yield Profile(target, extensions=(DraProfile(consumable_capacity=True, nvidia_shares=CLIENTS),))
