"""What a key means, and why a rule is there, where the pointer is."""

from __future__ import annotations

from lsprotocol import types

from gpuxlate.backends import registry
from gpuxlate.editor import words
from gpuxlate.editor.checks import Check
from gpuxlate.editor.cursor import scalar_at
from gpuxlate.rules import catalog

MOST = 5
"""Rules and keys that one hover tells of."""


def hover(check: Check, position: types.Position) -> types.Hover | None:
    """The findings at a position, then the key there or the key of the value there."""
    text = check.text
    index = text.offset(position)
    parts = [*_rules(check, position)][:MOST]
    found = scalar_at(text.source, index)
    if found:
        scalar, path = found
        names = dict.fromkeys((scalar.text, *(one for one in path[-1:] if isinstance(one, str))))
        parts += [part for name in names for part in _key(name)][:MOST]
    if not parts:
        return None
    place = text.range_between(found[0].start, found[0].end) if found else None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts)), place)


def _rules(check: Check, position: types.Position) -> dict[str, None]:
    """The rules of the findings at a position, in words."""
    codes = {one.code: None for one, shown in check.pairs if contains(shown.range, position)}
    rules = (catalog.find(code, registry.all_backends()) for code in codes)
    return {words.of_rule(one): None for one in rules if one}


def _key(name: str) -> list[str]:
    found = ((one, one.find(name)) for one in registry.all_backends())
    return [words.of_key(backend, row, name) for backend, row in found if row and not row.is_word]


def contains(place: types.Range, position: types.Position) -> bool:
    """A range has a position in it or at one of its ends."""
    at, start, end = ((one.line, one.character) for one in (position, place.start, place.end))
    return start <= at <= end
