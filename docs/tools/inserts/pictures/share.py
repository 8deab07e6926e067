"""One share of two cards on each cloud: what is written, and what each card gives by its own reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gpuxlate
from docs.tools.inserts.becomes import said
from docs.tools.inserts.pictures.svg import Drawing

SHARE = gpuxlate.Share(cards=2, cores=120, memory_mib=16384)
CARD_MIB = 22731
"""What an A10 offers (Volcengine, EMR Serverless mGPU)."""


@dataclass(frozen=True)
class Landing:
    """The share at a target. ``lost``: fields that had to be dropped; ``back``: the share as it reads back.

    ``warnings``: codes of the rules that find it doubtful.
    """

    title: str
    keys: tuple[str, ...]
    verdict: str
    lost: tuple[str, ...]
    warnings: tuple[str, ...]
    back: gpuxlate.Share


TARGETS = (
    ("volcengine-mgpu", "Volcengine mGPU"),
    ("alibaba-gpushare", "Alibaba Cloud gpushare"),
    ("tencent-qgpu", "Tencent Cloud qGPU"),
    ("hami", "HAMi: numbers per card"),
)

LEFT, TOP, TEXT, CARD_HEIGHT, GAP = 16, 96, 118, 104, 12


@dataclass(frozen=True)
class Layout:
    """Sizes in pixels: of the drawing, of a row, of a card, and where its first card begins."""

    width: int
    row: int
    card: int
    cards_at: tuple[int, int]


WIDE = Layout(732, 134, 168, (368, 0))
NARROW = Layout(358, TEXT + CARD_HEIGHT + 26, 157, (LEFT, TEXT))
"""The cards below the keys: as wide as a phone shows it without making it smaller."""


def landings() -> list[Landing]:
    return [_landing(name, title) for name, title in TARGETS]


def _landing(name: str, title: str) -> Landing:
    drop: tuple[str, ...] = ()
    try:
        result = gpuxlate.render(SHARE, name)
    except gpuxlate.Refused as refused:
        drop = tuple(loss.field for loss in refused.items[0].losses)
        result = gpuxlate.render(SHARE, name, drop=drop)
    pod: Any = result.objects[0]
    keys = tuple(line.replace("`", "") for line in said(pod))
    back = gpuxlate.parse(result.objects, from_=name).shares[0]
    warnings = tuple(finding.code for finding in result.diagnostics if finding.severity == "warning")
    return Landing(title, keys, str(result.items[0].verdict), drop, warnings, back)


def draw(words: Callable[[str], str] = str, layout: Layout = WIDE) -> str:
    landings_ = landings()
    top = TOP if layout is WIDE else TOP + 20
    drawing = Drawing(
        layout.width,
        top + layout.row * len(landings_) + 12,
        "One share on each cloud",
        "Two cards at 60 % and 8 GiB each, written for every target, and the part of each card.",
        words,
    )
    each = f"{SHARE.cores_per_card} % and {SHARE.memory_mib_per_card} MiB"
    drawing.text(LEFT, 34, "One share on each cloud", "big")
    drawing.text(
        LEFT, 58, f"cards: {SHARE.cards}, cores: {SHARE.cores}, memoryMiB: {SHARE.memory_mib}", "mono"
    )
    drawing.text(LEFT, 78, f"Per card: {each}", "soft")
    drawing.text(layout.cards_at[0], top - 18, f"The part of each card, with {CARD_MIB} MiB", "soft")
    for number, landing in enumerate(landings_):
        _row(drawing, top + number * layout.row, landing, layout)
    return drawing.svg()


def _row(drawing: Drawing, top: float, landing: Landing, layout: Layout) -> None:
    drawing.text(LEFT, top + 16, landing.title, "strong")
    verdict = f"{landing.verdict}: {', '.join(landing.lost)}" if landing.lost else landing.verdict
    if landing.warnings:
        verdict += f", with a warning: {', '.join(landing.warnings)}"
    drawing.text(LEFT, top + 36, verdict, "bad" if landing.lost else "good")
    for number, line in enumerate(landing.keys):
        drawing.text(LEFT, top + 58 + 19 * number, line, "mono")
    x, below = layout.cards_at
    for card in range(landing.back.cards):
        _card(drawing, x + card * (layout.card + GAP), top + below, layout.card, f"card {card}", landing.back)


def _card(drawing: Drawing, x: float, y: float, width: int, name: str, share: gpuxlate.Share) -> None:
    drawing.box(x, y, width, CARD_HEIGHT, "room")
    drawing.text(x + 12, y + 22, name, "soft")
    cores, memory = share.cores_per_card, share.memory_mib_per_card
    label = "compute: no limit" if cores is None else f"compute {cores} %"
    _bar(drawing, (x + 12, y + 44), width - 24, label, None if cores is None else cores / 100, "first")
    part = (memory or CARD_MIB) / CARD_MIB
    _bar(drawing, (x + 12, y + 80), width - 24, f"memory {memory} MiB", part, "second")


def _bar(
    drawing: Drawing, at: tuple[float, float], width: int, words: str, part: float | None, kind: str
) -> None:
    x, y = at
    drawing.text(x, y, words)
    if part is None:
        drawing.box(x, y + 6, width, 9, "open", 3)
        return
    drawing.box(x, y + 6, width, 9, "empty", 3)
    drawing.box(x, y + 6, round(width * part, 1), 9, kind, 3)
