"""Completion of keys and values in the places where a dialect reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.locale import localize
from gpuxlate.lsp import hover
from gpuxlate.lsp.hover import PLACEHOLDER, CursorWord, word_at
from gpuxlate.lsp.session import EditorSettings, OpenText
from gpuxlate.model.declarations import regex
from gpuxlate.model.keys import KeySpec, Place
from gpuxlate.model.messages import msg

MOST_NUMBERS = 20
"""Numbers of a range that are offered one by one."""
_BARE = regex(r"(?!(?:true|false|yes|no|on|off|null|y|n)\Z)[A-Za-z][\w./-]*\Z", re.IGNORECASE)


def takes_snippets(capabilities: types.ClientCapabilities) -> bool:
    """Whether the editor expands snippets."""
    document = capabilities.text_document
    item = document.completion.completion_item if document and document.completion else None
    return bool(item and item.snippet_support)


def completions(
    text: OpenText, editor: EditorSettings, position: types.Position, *, snippets: bool
) -> list[types.CompletionItem]:
    """What can be written at a position; nothing where no dialect reads it.

    A key with its colon is a snippet where the editor expands such: as plain text Neovim drops the space
    behind the colon.
    """
    word = word_at(text.source, text.offset(position), editor.lint.role, editor.profile)
    if word is None:
        return []
    place = text.range_between(word.start, word.end)
    rows = _names(word, editor) if word.is_name else _values(word)
    items = []
    for number, (label, new, backend, row) in enumerate(rows):
        documentation = types.MarkupContent(
            types.MarkupKind.Markdown, hover.describe_key(backend, row, row.name)
        )
        items.append(
            types.CompletionItem(
                label,
                kind=types.CompletionItemKind.Property if word.is_name else types.CompletionItemKind.Value,
                detail=localize(msg(backend.title)),
                documentation=documentation,
                sort_text=f"{number:04d}",
                filter_text=label,
                text_edit=types.TextEdit(place, f"{new}$0" if snippets and new.endswith(" ") else new),
                insert_text_format=types.InsertTextFormat.Snippet
                if snippets and new.endswith(" ")
                else types.InsertTextFormat.PlainText,
            )
        )
    return items


CompletionRow = tuple[str, str, Backend, KeySpec]
"""What is shown, what is written, and where that is from."""


def _names(word: CursorWord, editor: EditorSettings) -> Iterator[CompletionRow]:
    """The keys of the place that the mapping has not yet, in the order of the data sheets."""
    spot = word.spot
    names = set(spot.mapping or ())
    after = "" if word.colon or not spot.on_key else ": "
    seen: set[str] = set()
    for backend in _dialects(word, editor):
        for row in backend.keys:
            for name in _written(row, word) if _is_offered(row, spot.place) else ():
                if name not in names and name not in seen:
                    seen.add(name)
                    yield name, name + after, backend, row


def _dialects(word: CursorWord, editor: EditorSettings) -> list[Backend]:
    """The dialects of the pod, since a container has keys of one dialect; of a pod without keys all dialects,
    the targets of the configuration first."""
    spoken = registry.backends_of(word.pod)
    if spoken:
        return list(spoken)
    first = [settings.to for settings in editor.targets.values()]
    if editor.profile:
        first.insert(0, registry.get(editor.profile.target))
    by_name = {backend.name: backend for backend in (*first, *registry.pod_backends())}
    return [backend for backend in by_name.values() if backend.writes_pods]


def _is_offered(row: KeySpec, place: Place) -> bool:
    """Whether people write the key at the place, and it has an effect there."""
    chosen = place in row.places or (place is Place.NODE_SELECTOR and Place.NODE in row.places)
    return chosen and Place.WRITTEN_BY_SCHEDULER not in row.places


def _written(row: KeySpec, word: CursorWord) -> list[str]:
    """The name of a row; for each container, where it is a part of the key."""
    if not row.is_pattern:
        return [row.name]
    of_containers = "{container}" in row.template
    return (
        [row.key_for_container(container.name) for container in word.pod.all_containers() if container.name]
        if of_containers
        else []
    )


def _values(word: CursorWord) -> Iterator[CompletionRow]:
    spot = word.spot
    seen: set[str] = set()
    for backend in registry.pod_backends():
        row = backend.find(spot.name)
        if row is None or not _is_offered(row, spot.place):
            continue
        for value in _values_of(row):
            if value not in seen and value != PLACEHOLDER:
                seen.add(value)
                yield (
                    value,
                    value if _BARE.match(value) or spot.place is Place.RESOURCE else f'"{value}"',
                    backend,
                    row,
                )


def _values_of(row: KeySpec) -> Iterator[str]:
    yield from row.texts
    for number_range in row.ranges:
        first = -(-number_range.least // number_range.step) * number_range.step
        if number_range.most is not None and (number_range.most - first) // number_range.step < MOST_NUMBERS:
            yield from map(str, range(first, number_range.most + 1, number_range.step))
