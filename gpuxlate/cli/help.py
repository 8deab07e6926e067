"""``--help`` in the language of this process, in lines that fit its width.

The library breaks lines at spaces, which Chinese does not have, and knows no language but English. The texts
are those of the declarations: the paragraphs of docstrings, and ``help=``, as message ids. A list of values
behind a colon (``options.listing``) stays as it is.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import Any

from gpuxlate.cli.options import GLOBAL
from gpuxlate.cli.tables import fold
from gpuxlate.locale import localize
from gpuxlate.model.declarations import regex
from gpuxlate.model.messages import msg, titled
from gpuxlate.report.characters import width

MOST = 30
"""The columns of names; texts of longer ones begin in the next line."""
_EXTRA = regex(r"(.*?)(?:  \[(.*)\])?", re.DOTALL)
_RANGE = regex(r"(?:x>=)?(\d+)(?:<=x<=(\d+))?")
_VALUES = regex(r"([^:]*): (.*?)\.?")


def text_of(command: Any) -> list[str]:
    """The paragraphs of the help of a command, in English, each one line."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return [" ".join(one.split()) for one in paragraphs if one]


def said(text: str) -> str:
    """A help text in the language of this process."""
    if (whole := localize(text)) != text or not (found := _VALUES.fullmatch(text)):
        return whole
    what = localize(found[1])
    return text if what == found[1] else localize(msg("{what}: {values}.", what=what, values=found[2]))


def _row(name: str, text: str) -> tuple[str, str]:
    """An option with its text, and with what the library says of it in brackets."""
    found = _EXTRA.fullmatch(text)
    assert found is not None
    parts = [said(found[1])] if found[1] else []
    if found[2]:
        extra = (_extra(one) for one in found[2].split("; "))
        parts.append(f"[{'; '.join(extra)}]")
    return name, " ".join(parts)


def _extra(text: str) -> str:
    if found := _RANGE.fullmatch(text):
        low, high = found.groups()
        return localize(
            msg("{low} to {high}", low=low, high=high) if high else msg("at least {low}", low=low)
        )
    what, colon, value = text.partition(": ")
    return localize(titled(what, value)) if colon else localize(text)


def write_usage(command: Any, ctx: Any, formatter: Any) -> None:
    """``Usage: gpuxlate lint [OPTIONS] [PATH...]``."""
    formatter.write_usage(ctx.command_path, " ".join(command.collect_usage_pieces(ctx)), localize("Usage: "))


def write_text(command: Any, formatter: Any) -> None:
    """What the command does, a paragraph each."""
    for paragraph in text_of(command):
        formatter.write("\n")
        formatter.write("".join(f"  {line}\n" for line in fold(said(paragraph), formatter.width - 2)))


def write_options(command: Any, ctx: Any, formatter: Any) -> None:
    """Arguments, options, and those that every command has."""
    parts: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Global options": []}
    for one in command.get_params(ctx):
        row = one.get_help_record(ctx)
        if row is not None:
            title = "Global options" if one.name in GLOBAL and ctx.parent else "Options"
            parts["Arguments" if one.param_type_name == "argument" else title].append(_row(*row))
    for title, rows in parts.items():
        write_rows(title, rows, formatter)


def write_rows(title: str, rows: Iterable[tuple[str, str]], formatter: Any) -> None:
    """Names with their texts beside them, below a title; nothing where there are none."""
    rows = list(rows)
    if not rows:
        return
    beside = min(max(width(name) for name, _ in rows), MOST) + 2
    formatter.write("\n" + localize(msg("{title}:", title=msg(title))) + "\n")
    for name, text in rows:
        first, *rest = fold(text, formatter.width - beside - 2) or [""]
        gap = " " * (beside - len(name)) if len(name) <= beside - 2 else "\n" + " " * (beside + 2)
        formatter.write(f"  {name}{gap}{first}".rstrip() + "\n")
        formatter.write("".join(" " * (beside + 2) + f"{line}\n" for line in rest))
