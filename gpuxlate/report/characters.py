"""Text of unknown origin, made safe to print, and how many columns it takes."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterable

from gpuxlate.model.declarations import regex

# Categories that change a terminal or the text instead of showing something: control (Cc),
# format such as bidirectional overrides and zero-width joiners (Cf), surrogates (Cs), separators.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_KEPT = regex(r"([\n\t])")
_KEPT_WITH_COLOURS = regex(r"(\n|\t|\x1b\[[0-9;]*m)")
_COMMAND = regex(r"(^\s*):(?=:)|#(?=#[A-Za-z]*\[)")
"""The character without which a line of a CI log is no command.

GitHub's runner obeys a line that begins with ``::`` after blanks, and one with ``##[`` anywhere
(actions/runner, ActionCommand.cs); Azure Pipelines ``##vso[`` anywhere (azure-pipelines-agent, Command.cs);
TeamCity ``##teamcity[``.
"""
_NO_COLUMN = frozenset({"Mn", "Me"})  # marks that combine with the character before


def make_visible(text: str) -> str:
    """The text as one line without characters that control a terminal, and without commands of a CI system.

    Control and format characters are ``␛``, ``␊``, ``\\x9b``, ``\\u202e``; a command of a CI system has
    ``\\x3a:`` in place of ``::``, or ``\\x23#[`` in place of ``##[``.
    """
    shown = text if text.isprintable() else "".join(map(_visible_character, text))
    return _COMMAND.sub(_broken, shown) if "::" in shown or "##" in shown else shown


def visible_lines(text: str, *, colours: bool = False) -> str:
    """A text of several lines with its control characters visible, but for breaks and tabs.

    ``colours``: the colours of a terminal stay too.
    """
    parts = (_KEPT_WITH_COLOURS if colours else _KEPT).split(text)
    return "".join(part if number % 2 else make_visible(part) for number, part in enumerate(parts))


def visible_characters(text: str) -> list[str]:
    """Each character of a part of a line as ``visible`` shows it; tabs stay."""
    shown = [character if character == "\t" else _visible_character(character) for character in text]
    for command in _COMMAND.finditer(text) if "::" in text or "##" in text else ():
        shown[command.end() - 1] = _escaped(command[0][-1])
    return shown


def text_of(lines: Iterable[str]) -> str:
    """Lines as a text. A line break inside one of them is made visible, so that it begins no line."""
    return "".join(f"{make_visible(line)}\n" for line in lines)


def width(text: str) -> int:
    """The columns that a visible text takes on a terminal: wide CJK characters take two."""
    return len(text) if text.isascii() else sum(map(_width_of_character, text))


def _broken(match: re.Match[str]) -> str:
    return match[0][:-1] + _escaped(match[0][-1])


def _escaped(character: str) -> str:
    return f"\\x{ord(character):02x}"


def _visible_character(character: str) -> str:
    if character.isprintable() or unicodedata.category(character) not in _UNSEEN:
        return character
    number = ord(character)
    if number < 0x20:
        return chr(0x2400 + number)  # Unicode's control pictures are in the order of ASCII
    if number == 0x7F:
        return "␡"
    if number < 0x100:
        return _escaped(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _width_of_character(character: str) -> int:
    if unicodedata.category(character) in _NO_COLUMN:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def unified_diff(old: str, new: str, name: str) -> str:
    """The unified diff of a file's text, empty where nothing changed."""
    from gpuxlate.model.windows import Windows

    # a line ends with \n alone: a Unicode separator in a comment does not end a line
    old_lines, new_lines = (io.StringIO(text, newline="\n").readlines() for text in (old, new))
    shown = make_visible(name)
    lines = [f"--- a/{shown}\n", f"+++ b/{shown}\n"] if old_lines != new_lines else []
    for hunk in Windows(old_lines, new_lines).get_grouped_opcodes() if old_lines != new_lines else ():
        (_, start_a, _, start_b, _), (_, _, stop_a, _, stop_b) = hunk[0], hunk[-1]
        lines.append(f"@@ -{_range(start_a, stop_a)} +{_range(start_b, stop_b)} @@\n")
        for tag, from_a, end_a, from_b, end_b in hunk:
            lines += [f"{' ' if tag == 'equal' else '-'}{line}" for line in old_lines[from_a:end_a]]
            lines += [f"+{line}" for line in new_lines[from_b:end_b] if tag != "equal"]
    ended = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return "".join(ended)


_DIFF_COLOURS = {"--- ": "\x1b[1m", "+++ ": "\x1b[1m", "@@ ": "\x1b[36m", "-": "\x1b[31m", "+": "\x1b[32m"}
"""How lines of a diff begin, and their colours, which are those of git."""


def coloured_diff(diff: str) -> str:
    """A unified diff with colours; control characters in it are made visible."""
    return "".join(map(_coloured, visible_lines(diff).splitlines(keepends=True)))


def _coloured(line: str) -> str:
    style = next((style for begin, style in _DIFF_COLOURS.items() if line.startswith(begin)), "")
    text = line.removesuffix("\n")
    return f"{style}{text}\x1b[0m{line[len(text) :]}" if style else line


def _range(start: int, stop: int) -> str:
    """A range of lines as diff writes it: from 1; of none, the line before."""
    count = stop - start
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"
