"""A CustomJob's parameters: ``set key=value;`` among other statements of SQL, which are left alone.

``--`` and ``/* */`` are comments; quoted text may hold semicolons. ``set`` is read in any letter case,
with blanks round the sign. Source: Volcengine, EMR Serverless "mGPU".
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

_SET = re.compile(r"set\s+", re.IGNORECASE)


class SetStatements:
    """``set`` statements in SQL."""

    suffix = ".sql"
    comments: tuple[str, ...] = ("--",)

    def read(self, text: str) -> list[Parameter]:
        found: list[Parameter] = []
        at = _past_comments(text, 0)
        while at < len(text):
            stop, content = _stop(text, at)
            closed = text[stop : stop + 1] == ";"
            word = _SET.match(text, at, content)
            one = assignment(text, word.end(), content, stop + closed, closed) if word else None
            if one:
                found.append(one)
            at = _past_comments(text, stop + closed)
        return found

    def write(self, key: str, value: str) -> str:
        return f"set {key}={value};"

    def place(self, text: str, parameters: Sequence[Parameter]) -> int | None:
        """After the parameters that the text begins with: they must be set before the job's own SQL."""
        at, start = 0, _past_comments(text, 0)
        for one in parameters:
            if not _SET.match(text, start) or one.key_start != past_blank(text, start + len("set")):
                break
            at, start = one.end, _past_comments(text, one.end)
        return at


def _past_comments(text: str, at: int) -> int:
    """The place where the next statement begins."""
    while True:
        at = past_blank(text, at)
        if text.startswith("--", at):
            at = past_line(text, at)
        elif text.startswith("/*", at):
            at = _past_block(text, at)
        else:
            return at


def _past_block(text: str, at: int) -> int:
    end = text.find("*/", at + 2)
    return len(text) if end < 0 else end + 2


def _stop(text: str, at: int) -> tuple[int, int]:
    """Where a statement ends, and where what it says ends: before a comment behind it."""
    content = at
    while at < len(text):
        letter = text[at]
        if letter == ";":
            break
        if letter in "'\"`":
            at = content = past_quoted(text, at, doubled=True)
        elif text.startswith("--", at) and (at == 0 or text[at - 1].isspace()):
            at = past_line(text, at)
        elif text.startswith("/*", at):
            at = _past_block(text, at)
        else:
            at += 1
            content = content if letter.isspace() else at
    return min(at, len(text)), min(content, len(text))


FORM = TextForm(SetStatements())
