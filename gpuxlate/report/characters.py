"""Text of unknown origin, made safe to print, and how many columns it takes."""

from __future__ import annotations

import re
import unicodedata

# Categories that change a terminal or the text instead of showing something: control (Cc),
# format such as bidirectional overrides and zero-width joiners (Cf), surrogates (Cs), separators.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_BREAKS = re.compile(r"([\n\t])")
_NO_COLUMN = frozenset({"Mn", "Me"})  # marks that combine with the character before


def visible(text: str) -> str:
    """The text with control and format characters made visible: ``␛``, ``\\x9b``, ``\\u202e``."""
    if text.isprintable():
        return text
    return "".join(map(_visible_character, text))


def visible_lines(text: str) -> str:
    """The same for a text of lines: their breaks and tabs stay."""
    return "".join(visible(one) if one not in "\n\t" else one for one in _BREAKS.split(text) if one)


def width(text: str) -> int:
    """The columns that a visible text takes on a terminal: wide CJK characters take two."""
    return len(text) if text.isascii() else sum(map(_width_of_character, text))


def _visible_character(character: str) -> str:
    if character.isprintable() or unicodedata.category(character) not in _UNSEEN:
        return character
    number = ord(character)
    if number < 0x20:
        return chr(0x2400 + number)  # Unicode's control pictures are in the order of ASCII
    if number == 0x7F:
        return "␡"
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _width_of_character(character: str) -> int:
    if unicodedata.category(character) in _NO_COLUMN:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
