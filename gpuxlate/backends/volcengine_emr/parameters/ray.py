"""Ray's parameters in the default compute group: ``key=value;``, one or several on a line.

``#`` begins a comment where a statement could begin. A line break ends a statement too, so that one
forgotten semicolon does not swallow the next parameter. Source: Volcengine, EMR Serverless "mGPU".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpuxlate.backends.volcengine_emr.parameters.statements import (
    assignment,
    past_blank,
    past_line,
    past_quoted,
)
from gpuxlate.backends.volcengine_emr.parameters.text import Parameter, TextForm

_ENDS = re.compile(r"[ \t]*(?:[;\r\n]|\Z)")


class RayStatements:
    """Statements of Ray."""

    suffix = ".conf"
    comments: tuple[str, ...] = ("#",)

    def read(self, text: str) -> list[Parameter]:
        found: list[Parameter] = []
        at = past_blank(text, 0)
        while at < len(text):
            if text[at] == "#":
                at = past_blank(text, past_line(text, at))
                continue
            stop = _stop(text, at)
            closed = text[stop : stop + 1] == ";"
            one = assignment(text, at, stop, stop + closed, closed)
            if one:
                found.append(one)
            at = past_blank(text, stop + closed)
        return found

    def write(self, key: str, value: str) -> str:
        return f"{key}={value};"

    def place(self, _text: str, _parameters: Sequence[Parameter]) -> int | None:
        return None


def _stop(text: str, at: int) -> int:
    """The semicolon or line break that ends the statement; a quoted value may hold both."""
    quotable = False  # a quote counts where a value begins
    while at < len(text):
        letter = text[at]
        if letter in ";\r\n":
            return at
        if quotable and letter in "'\"":
            after = past_quoted(text, at, doubled=False)
            closes = text[after - 1] == letter and after - 1 > at and _ENDS.match(text, after)
            at, quotable = after if closes else at + 1, False
            continue
        quotable = letter == "=" or (quotable and letter in " \t")
        at += 1
    return len(text)


FORM = TextForm(RayStatements())
