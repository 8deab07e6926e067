"""The way of a manifest through the tool: out to a share, and back into the same text."""

from __future__ import annotations

from collections.abc import Callable

from docs.tools.inserts.pictures.svg import Drawing

ABOUT = (
    "The way of a manifest",
    "A file is read into documents, pods and shares; the shares are fitted to the target, and written "
    "back as edits of the same text.",
)
DOWN = (
    ("A file", "bytes, as written", ""),
    ("Documents", "positions of every key and value", "yamltext.parse"),
    ("The keys of each pod", "limits, labels, annotations, selectors", "manifest.pods"),
    ("Shares", "cards, cores, memory, policy, qos", "backend.read"),
)
FIT = ("Does the share fit the target?", "exact, rounded, filled, dropped or refused", "translation.fit")
UP = (
    ("The same file", "only GPU lines differ", ""),
    ("Edits of the text", "checked by reading the result again", "yamltext.edit"),
    ("The difference", "removed, added and changed keys", "translation.edits"),
    ("The new keys of each pod", "in the other vendor's terms", "backend.write"),
)
"""From top to bottom: a title, what it holds, and what makes it (for ``UP``, on the way upwards)."""

WIDTH, BOX, TALL, STEP, TOP = 720, 300, 70, 104, 66
NARROW, EDGE = 358, 12
"""The width where up follows below down, which a phone shows as it is; and the space beside its boxes."""
LEFT, RIGHT = 24, WIDTH - 24 - BOX
FIT_TOP = TOP + 4 * STEP + 14


def draw(words: Callable[[str], str] = str) -> str:
    drawing = Drawing(
        WIDTH,
        FIT_TOP + 140,
        *ABOUT,
        words,
    )
    drawing.text(LEFT, 36, ABOUT[0], "big")
    for number, (down, up) in enumerate(zip(DOWN, UP, strict=True)):
        y = TOP + number * STEP
        _box(drawing, LEFT, y, down)
        _box(drawing, RIGHT, y, up)
        if number:
            middle = (LEFT + BOX / 2, RIGHT + BOX / 2)
            drawing.arrow((middle[0], y - STEP + TALL), (middle[0], y - 2))
            drawing.text(middle[0] + 10, y - 12, down[2], "mono soft")
            drawing.arrow((middle[1], y), (middle[1], y - STEP + TALL + 2))
            drawing.text(middle[1] + 10, y - 12, up[2] if number == 1 else UP[number][2], "mono soft")
    _fit(drawing)
    return drawing.svg()


def draw_narrow(words: Callable[[str], str] = str) -> str:
    """The way up below the way down."""
    functions = ("", *(step[2] for step in UP[:0:-1]))
    steps = [*DOWN, FIT, *((*step[:2], by) for step, by in zip(UP[::-1], functions, strict=True))]
    drawing = Drawing(NARROW, TOP + len(steps) * STEP - 10, *ABOUT, words)
    drawing.text(EDGE, 36, ABOUT[0], "big")
    for number, step in enumerate(steps):
        y, middle = TOP + number * STEP, NARROW / 2
        _box(drawing, EDGE, y, step, NARROW - 2 * EDGE)
        if number:
            drawing.arrow((middle, y - STEP + TALL), (middle, y - 2))
            drawing.text(middle + 10, y - 12, step[2], "mono soft")
    return drawing.svg()


def _box(drawing: Drawing, x: float, y: float, words: tuple[str, str, str], width: int = BOX) -> None:
    title, holds, _ = words
    drawing.box(x, y, width, TALL, "room")
    drawing.text(x + 16, y + 29, title, "strong")
    drawing.text(x + 16, y + 51, holds, "soft")


def _fit(drawing: Drawing) -> None:
    left, right = LEFT + BOX / 2, RIGHT + BOX / 2
    drawing.box(LEFT, FIT_TOP, WIDTH - 2 * LEFT, 64, "room")
    drawing.text(LEFT + 16, FIT_TOP + 27, FIT[0], "strong")
    drawing.text(LEFT + 16, FIT_TOP + 49, f"{FIT[1]}: {FIT[2]}", "soft")
    above = TOP + 3 * STEP + TALL
    drawing.arrow((left, above), (left, FIT_TOP - 2))
    drawing.arrow((right, FIT_TOP), (right, above + 2))
    drawing.text(LEFT, FIT_TOP + 96, "Every step can report findings, each with its file, line and rule.")
    drawing.text(LEFT, FIT_TOP + 118, "If a share is refused, nothing is written.", "soft")
