"""CEL as a person reads it: each condition in a line of its own, and the rule above it.

White space and comments mean nothing to CEL (cel-spec, langdef, "Syntax"): lines are broken at spaces outside
of texts, and nothing else changes.
"""

from __future__ import annotations

import re
import textwrap
from functools import cache

from gpuxlate.model.declarations import regex
from gpuxlate.policy.cel import cel_string

CEL_WIDTH = 100
"""Columns that a line may have where there is a place to break it."""
LEAST_BROKEN = 20
"""Letters in brackets that stay in one line, however long it is."""
_TOKEN = regex(r"'(?:\\.|[^'\\])*'|[^'()\[\]{}]+|.")
_CHOICE, _OR, _AND, _SUM = (regex(f" (?={sign} )") for sign in ("[?:]", "[|]{2}", "&&", "[+]"))
"""Spaces before operators, the weakest first."""
_BEHIND_COMMA = regex("(?<=,) ")
_BRACKETS = regex(r"[(\[{](?P<inner>_+)[)\]}]")
_VARIABLE = regex(r"\w, ")


@cache
def break_lines(expression: str) -> str:
    """An expression in lines. Each condition of the whole begins its own."""
    outline = _outline(expression)
    conditions = _parts(expression, outline, _OR) or _parts(expression, outline, _AND) or [expression]
    return "\n".join(_laid(condition, 0) for condition in conditions)


def _laid(expression: str, indent: int) -> str:
    """An expression that begins at a column; its further lines are indented."""
    if indent + len(expression) <= CEL_WIDTH:
        return expression
    outline = _outline(expression)
    for sign in (_CHOICE, _OR, _AND, _SUM):
        if parts := _parts(expression, outline, sign):
            return f"\n{' ' * indent}".join(_laid(part, indent) for part in parts)
    brackets = max(
        _BRACKETS.finditer(outline), key=lambda brackets_match: len(brackets_match[0]), default=None
    )
    if brackets is None or len(brackets[0]) < LEAST_BROKEN:
        return expression
    start, end = brackets.span("inner")
    inside = _bracketed(expression[start:end], indent)
    before, after = _laid(expression[: start - 1], indent), _laid(expression[end + 1 :], indent)
    return f"{before}{expression[start - 1]}{inside}{expression[end]}{after}"


def _bracketed(inner: str, indent: int) -> str:
    """What is in brackets, in lines of its own: texts together, others one in each."""
    step = " " * (indent + 2)
    variable = _VARIABLE.match(inner)  # of a macro: it stays with its name
    head = variable[0].strip() if variable else ""
    remainder = inner[variable.end() if variable else 0 :]
    parts = _parts(remainder, _outline(remainder), _BEHIND_COMMA) or [remainder]
    if all(part.startswith("'") and " " not in part for part in parts):
        names = textwrap.wrap(
            remainder, CEL_WIDTH - len(step), break_long_words=False, break_on_hyphens=False
        )
        body = textwrap.indent("\n".join(names), step)
    else:
        body = "\n".join(step + _laid(part, indent + 2) for part in parts)
    return f"{head}\n{body}\n{' ' * indent}"


def text_in_lines(words: str) -> str:
    """A long string of CEL as a sum of several, each short enough for a line."""
    return " + ".join(
        map(cel_string, textwrap.wrap(words, CEL_WIDTH, drop_whitespace=False, break_on_hyphens=False))
    )


def _outline(expression: str) -> str:
    """The expression without its texts and what is in its brackets: each letter of these is ``_``."""
    pieces, depth = list[str](), 0
    for token in _TOKEN.findall(expression):
        depth -= token in (")", "]", "}")
        pieces.append("_" * len(token) if depth or token[0] == "'" else token)
        depth += token in ("(", "[", "{")
    return "".join(pieces)


def _parts(expression: str, outline: str, places: re.Pattern[str]) -> list[str]:
    """The parts of an expression between some places of its outline; none where there is no such place."""
    ends = [space.start() for space in places.finditer(outline)]
    starts = [0, *(end + 1 for end in ends)]
    return [expression[start:end] for start, end in zip(starts, [*ends, None], strict=True)] if ends else []


def add_comment(code: str, summary: str, expression: str) -> str:
    """An expression below the code of a rule and what it demands."""
    prefix = "// "
    above = textwrap.fill(
        f"{code}: {summary}",
        CEL_WIDTH,
        initial_indent=prefix,
        subsequent_indent=prefix,
        break_on_hyphens=False,
    )
    return f"{above}\n{expression}"
