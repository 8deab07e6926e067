"""One source tree, its decisions, and a tree for each cloud."""

from __future__ import annotations

from collections.abc import Callable

from docs.tools.inserts.pictures.svg import Drawing

CLOUDS = (
    ("Volcengine mGPU", "clusters/volcengine/", "nothing to decide"),
    ("Alibaba Cloud gpushare", "clusters/alibaba/", "decisions/alibaba.yaml"),
    ("Tencent Cloud qGPU", "clusters/tencent/", "decisions/tencent.yaml"),
)
"""The targets of examples/one-tree: title, folder, and what is decided for it."""
WIDTH, TOP, TALL, STEP = 760, 66, 72, 100
LEFT, MIDDLE, RIGHT = 24, 270, 516
BOX = 220
END = TOP + len(CLOUDS) * STEP


def draw(words: Callable[[str], str] = str) -> str:
    drawing = Drawing(
        WIDTH,
        END + 76,
        "One tree, several clouds",
        "gpuxlate sync writes a tree for each cloud from one source tree, with the losses that the team "
        "decided.",
        words,
    )
    drawing.text(LEFT, 36, "One tree, several clouds", "big")
    drawing.box(LEFT, TOP, BOX, END - TOP - STEP + TALL, "room")
    drawing.text(LEFT + 16, TOP + 29, "The source tree", "strong")
    drawing.text(LEFT + 16, TOP + 51, "base/", "mono soft")
    for number, line in enumerate(("a Deployment", "a chart", "an overlay", "a Ray cluster")):
        drawing.text(LEFT + 16, TOP + 90 + 26 * number, line, "soft")
    for number, (title, folder, decided) in enumerate(CLOUDS):
        y = TOP + number * STEP
        middle = y + TALL / 2
        drawing.box(MIDDLE, y + 14, BOX, TALL - 28, "room")
        drawing.text(MIDDLE + 16, middle + 5, decided, "mono soft" if "/" in decided else "soft")
        drawing.box(RIGHT, y, BOX, TALL, "room")
        drawing.text(RIGHT + 16, y + 29, title, "strong")
        drawing.text(RIGHT + 16, y + 51, folder, "mono soft")
        drawing.arrow((LEFT + BOX, middle), (MIDDLE - 2, middle))
        drawing.arrow((MIDDLE + BOX, middle), (RIGHT - 2, middle))
    drawing.text(
        LEFT, END + 28, "Only what changed is written. A file that somebody changed there is an error."
    )
    drawing.text(LEFT, END + 52, "gpuxlate sync --diff names the line of the source that wrote it.", "soft")
    return drawing.svg()
