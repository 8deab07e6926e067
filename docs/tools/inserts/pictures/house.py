"""The folders of the package, in the order in which they import each other."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import gpuxlate
from docs.tools.inserts.pictures.svg import Drawing

ORDER = (
    *("testing", "cli", "api", "cluster", "lsp", "report", "planning", "policy", "sync", "lint"),
    *("translation", "config", "overlays", "claims", "files"),
    *("backends", "rules", "manifest", "yamltext", "locale", "model"),
)
"""From top to bottom: a folder imports itself and those below it."""

WIDTH, LEFT, TOP = 900, 24, 78
ROW, GAP, NAMES = 34, 6, 128
"""Height of a row, between rows, width of the names."""


def rooms() -> list[str]:
    """Those of ``ORDER`` that there are."""
    package = Path(gpuxlate.__file__).parent
    return [name for name in ORDER if (package / name).is_dir() or (package / f"{name}.py").is_file()]


def draw() -> str:
    names = rooms()
    drawing = Drawing(
        WIDTH,
        TOP + len(names) * (ROW + GAP) + 12,
        "The folders of gpuxlate",
        "The folders from top to bottom; each imports itself and those below it.",
    )
    drawing.text(LEFT, 36, "The folders of gpuxlate", "big")
    drawing.text(LEFT, 60, "A folder imports itself and those below it, never those above.", "soft")
    for number, name in enumerate(names):
        y = TOP + number * (ROW + GAP)
        drawing.box(LEFT, y, WIDTH - 2 * LEFT, ROW, "room")
        drawing.text(LEFT + 16, y + 22, name, "mono strong")
        drawing.text(LEFT + NAMES, y + 22, _purpose(name), "soft")
    return drawing.svg()


def _purpose(name: str) -> str:
    """The first sentence of a folder's docstring."""
    text = (import_module(f"gpuxlate.{name}").__doc__ or "").split("\n\n")[0]
    return " ".join(text.split()).partition(". ")[0].rstrip(".").replace("``", "")
