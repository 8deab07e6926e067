"""A small drawing: shapes and text with classes, in colours that follow light and dark.

A picture has a ground of its own, so that it reads whatever the page behind it is.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape

STYLE = """\
:root { color-scheme: light dark; --ground: #fbfcfe; --room: #eef2f8; --line: #b6c2d4; --ink: #17202e;
  --soft: #55637a; --first: #3b6fd6; --second: #b4641c; --empty: #dde4ee; --good: #1c7c4a; --bad: #b3372f; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #171b24; --room: #222938; --line: #465266; --ink: #e8edf5; --soft: #a3afc2;
    --first: #7ba4f4; --second: #e0a05e; --empty: #333d4f; --good: #6fce9c; --bad: #f08c84; }
}
text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-size: 14px;
  fill: var(--ink); }
.mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: 13px; }
.big { font-size: 16px; font-weight: 600; }
.strong { font-weight: 600; }
.soft { fill: var(--soft); }
.good { fill: var(--good); }
.bad { fill: var(--bad); }
.ground { fill: var(--ground); stroke: var(--line); }
.room { fill: var(--room); stroke: var(--line); }
.empty { fill: var(--empty); }
.first { fill: var(--first); }
.second { fill: var(--second); }
.open { fill: none; stroke: var(--first); stroke-dasharray: 4 3; }
.line { stroke: var(--soft); stroke-width: 1.5; fill: none; marker-end: url(#arrow); }
.arrow { fill: var(--soft); }
"""

ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto-start-reverse"><path class="arrow" d="M0 0L8 4L0 8z"/></marker></defs>'
)


class Drawing:
    """Shapes in the order they are drawn. Sizes are pixels; a text stands on its base line.

    ``words`` says a text in the language of the picture.
    """

    def __init__(
        self, width: int, height: int, title: str, description: str, words: Callable[[str], str] = str
    ) -> None:
        self.width, self.height = width, height
        self._words = words
        self._head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-labelledby="title description">'
        )
        self._about = [
            f'<title id="title">{escape(words(title))}</title>',
            f'<desc id="description">{escape(words(description))}</desc>',
        ]
        self._parts: list[str] = []
        self.box(0.5, 0.5, width - 1, height - 1, "ground", 10)

    def box(self, x: float, y: float, width: float, height: float, kind: str, round_: int = 6) -> None:
        self._parts.append(
            f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_}"/>'
        )

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        named = f' class="{kind}"' if kind else ""
        shown = escape(self._words(words), quote=False)
        placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._parts.append(f'<text{named} x="{x:g}" y="{y:g}"{placed}>{shown}</text>')

    def arrow(self, *points: tuple[float, float]) -> None:
        path = "L".join(f"{x:g} {y:g}" for x, y in points)
        self._parts.append(f'<path class="line" d="M{path}"/>')

    def svg(self) -> str:
        lines = [self._head, *self._about, f"<style>\n{STYLE}</style>", ARROW, *self._parts, "</svg>"]
        return "\n".join(lines) + "\n"
