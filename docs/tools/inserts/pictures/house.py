"""Who may import whom, as floors: a room knows its own floor and those below it."""

from __future__ import annotations

from docs.tools.inserts.pictures.svg import Drawing

FLOORS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Doors", "the command line, live clusters, Python, kpt", ("cli", "cluster", "api", "krm", "testing")),
    (
        "Work",
        "a file or a share, from one end to the other",
        (
            *("rendering", "function_config", "shares", "results", "jobs", "render", "translate", "repeated"),
            *(
                "lint",
                "lint_repeated",
                "mend",
                "fixing",
                "item",
                "verify",
                "nodepool",
                "cost",
                "nvidia_smi",
                "accepting",
            ),
        ),
    ),
    (
        "Parts",
        "what several of them use",
        (
            "placement",
            "scheduling",
            "suppress",
            "specs",
            "files",
            "reading",
            "unreadable",
            "fit",
            "difference",
            "told",
            "judged",
            "lint_marks",
            "marks",
        ),
    ),
    ("Form", "documents of gpuxlate, and how findings are shown", ("spec", "report")),
    ("Vendors and rules", "no YAML comes here", ("backends", "rules", "profile", "versions")),
    ("Text", "the only place that knows YAML; no vendor comes here", ("manifest", "parameters")),
    (
        "Ground",
        "standard library alone",
        ("share", "claims", "quantity", "diagnostics", "limits", "record", "bounded", "writing", "locale"),
    ),
)
"""From the roof down: a name, what it is, its rooms (modules of ``gpuxlate``)."""

WIDTH, LEFT, TOP = 720, 24, 78
ROOM, GAP, LETTER = 30, 8, 8.2
"""Height of a room, between rooms, width of a letter in them."""


def draw() -> str:
    lines = [_rows(rooms) for _, _, rooms in FLOORS]
    heights = [42 + len(rows) * (ROOM + GAP) + 6 for rows in lines]
    drawing = Drawing(
        WIDTH,
        TOP + sum(heights) + GAP * len(FLOORS) + 12,
        "The house of gpuxlate",
        "The modules as floors; each imports its own floor and those below it.",
    )
    drawing.text(LEFT, 36, "The house", "big")
    drawing.text(
        LEFT, 60, "A room imports from its own floor and from those below it, never from above.", "soft"
    )
    y = float(TOP)
    for (title, about, _), rows, height in zip(FLOORS, lines, heights, strict=True):
        drawing.box(LEFT, y, WIDTH - 2 * LEFT, height, "room")
        drawing.text(LEFT + 16, y + 26, title, "strong")
        drawing.text(WIDTH - LEFT - 16, y + 26, about, "soft", "end")
        for number, row in enumerate(rows):
            _row(drawing, y + 40 + number * (ROOM + GAP), row)
        y += height + GAP
    return drawing.svg()


def _width(room: str) -> float:
    return len(room) * LETTER + 20


def _rows(rooms: tuple[str, ...]) -> list[list[str]]:
    """The rooms of a floor, broken into rows that fit."""
    rows: list[list[str]] = [[]]
    used = 0.0
    for room in rooms:
        if used + _width(room) > WIDTH - 2 * LEFT - 32:
            rows.append([])
            used = 0.0
        rows[-1].append(room)
        used += _width(room) + GAP
    return rows


def _row(drawing: Drawing, y: float, rooms: list[str]) -> None:
    x = float(LEFT + 16)
    for room in rooms:
        drawing.box(x, y, _width(room), ROOM, "ground", 4)
        drawing.text(x + _width(room) / 2, y + 20, room, "mono", "middle")
        x += _width(room) + GAP
