"""Terminal screenshots: the real commands, run, and drawn by rich in letters that every system has."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from html import escape, unescape
from itertools import groupby

from rich.cells import cell_len
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from docs.tools.inserts.console import HIDDEN, ROOT


@dataclass(frozen=True)
class Shot:
    """``command`` is shown after the prompt; ``words`` are run, with Python."""

    name: str
    command: str
    words: tuple[str, ...]
    columns: int = 104


def _plain(name: str, command: str) -> Shot:
    return Shot(name, command, ("-c", "from gpuxlate.cli import main; main()", *command.split()[1:]))


def narrow(shot: Shot) -> Shot:
    """The same where a line of a phone has place for it."""
    name, dot, language = shot.name.partition(".")
    return replace(shot, name=f"{name}.narrow{dot}{language}", columns=48)


RECORDED = "docs.tools.inserts.pictures.recorded"
"""A cluster of nodes and pods in memory, as the tests have it, in place of a server."""

REFUSED = "examples/refused.gpushare.yaml --to vke --to ack --to tke"
SHOTS = (
    _plain("compare", f"gpuxlate compare {REFUSED}"),
    _plain("compare.zh", f"gpuxlate compare {REFUSED} --lang zh"),
    _plain("lint", "gpuxlate lint examples/lint/search.yaml"),
    _plain("lint.zh", "gpuxlate lint examples/lint/search.yaml --lang zh"),
    Shot("capacity", "kubectl gpuxlate capacity --pods", ("-m", RECORDED, "capacity", "--pods")),
)
THEME = TerminalTheme(
    (24, 28, 36),
    (216, 222, 233),
    [
        (59, 66, 82), (241, 128, 120), (143, 206, 138), (235, 203, 139),
        (129, 176, 246), (199, 160, 232), (126, 206, 214), (216, 222, 233),
    ],
    [
        (120, 130, 150), (255, 150, 140), (166, 224, 160), (245, 218, 160),
        (158, 196, 252), (216, 184, 244), (150, 222, 228), (245, 248, 252),
    ],
)  # fmt: skip
"""One theme for light and dark pages: a terminal is dark on both."""

FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" \
xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""rich's own form without its letters, which are fetched from elsewhere."""


def draw(shot: Shot) -> str:
    console = Console(record=True, width=shot.columns, file=io.StringIO(), force_terminal=True)
    prompt = Text.assemble(("$ ", "green"), (shot.command, "bold"))
    console.print(prompt, overflow="fold")
    console.print(Text.from_ansi(printed(shot)), overflow="fold")
    made = console.export_svg(
        title=shot.command.partition(" --")[0],
        theme=THEME,
        code_format=FORMAT,
        unique_id=shot.name.replace(".", "-"),
        font_aspect_ratio=0.61,
    )
    return _TEXT.sub(_by_width, made)


_TEXT = re.compile(
    r'<text (class="[^"]+") x="([\d.]+)" (y="[^"]+") textLength="([\d.]+)" ([^>]+)>([^<\n]+)</text>'
)


def _by_width(found: re.Match[str]) -> str:
    """Chinese letters and others apart, each in its cells: rich gives a Chinese letter the width of one cell
    in place of two, and a font of another width would move what follows."""
    kind, begin, y, length, clip, shown = found.groups()
    text = unescape(shown)
    if cell_len(text) == len(text):
        return found[0]
    cell, x, parts = float(length) / len(text), float(begin), []
    for _, letters in groupby(text, cell_len):
        run = "".join(letters)
        width = cell * cell_len(run)
        if run.strip():
            parts.append(f'<text {kind} x="{x:g}" {y} textLength="{width:g}" {clip}>{escape(run)}</text>')
        x += width
    return "".join(parts)


def printed(shot: Shot) -> str:
    """What the command prints on a terminal with colours."""
    env = {name: value for name, value in os.environ.items() if name not in (*HIDDEN, "NO_COLOR")}
    done = subprocess.run(
        [sys.executable, *shot.words],
        cwd=ROOT,
        env=env | {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(shot.columns)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode > 1 or "Traceback" in done.stdout:
        raise SystemExit(f"{shot.command}: {done.stdout}")
    return done.stdout.rstrip("\n")
