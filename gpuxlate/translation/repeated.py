"""Translating documents that are alike: what is planned and verified once holds for other numbers too.

The edits of a document are found anew for each of its numbers. Where they stand in the text, and that
they change nothing else, is the same for all edits of one *form*: so a plan is made and verified with
numbers that stand in for all others, and those of a document take their place.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace

from gpuxlate.lint.judged import look_of
from gpuxlate.lint.lint_marks import text_marks
from gpuxlate.manifest.numbers import Numbered, numbered_if_second
from gpuxlate.manifest.objects import Pod
from gpuxlate.model.edits import Edit, Put, Rename
from gpuxlate.model.pod import Path
from gpuxlate.translation.translate import Settings, Translation, edits_unless_told
from gpuxlate.yamltext.alike import MOST, Alike, Family, Shape, Spot
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.edit import EditError, Splice, edit_document
from gpuxlate.yamltext.pieces import Piece
from gpuxlate.yamltext.source import Source

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_FIRST = 900_000_001
"""Numbers from here on stand in for others."""
_STAND_IN = re.compile(r"(9000[0-9]{5})")
_Text = list[bytes | int]
"""Text, and the places of numbers in it."""


class Changes:
    """What documents of a shape become that have the same numbers: their changes, by spots."""

    __slots__ = ("_changes", "documents")

    def __init__(self, count: int, changes: Sequence[tuple[Spot, Spot, bytes]]) -> None:
        self.documents = count
        self._changes = changes

    def made(self, data: bytes, shape: Shape) -> bytes:
        """The new text of a document of that shape."""
        parts: list[bytes] = []
        at = 0
        for start, end, text in self._changes:
            parts += [data[at : shape.at(start)], text]
            at = shape.at(end)
        return b"".join([*parts, data[at:]])


class _Pattern:
    """What documents of a shape become, by the form of their edits, for any numbers."""

    __slots__ = ("forms", "look", "numbered")

    def __init__(self, numbered: Numbered) -> None:
        self.numbered = numbered
        self.look = _look(numbered)
        self.forms: dict[tuple[str, ...], list[tuple[Spot, Spot, _Text]] | None] = {}


class Repeated:
    """What became of documents so far, under the same settings. ``alike`` remembers it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.alike: Alike[Changes, _Pattern] = Alike(text_marks)
        self._forms: dict[Hashable, _Form | None] = {}

    def shape_of(self, data: bytes) -> Shape | None:
        """The shape of a document, None where it may be like no other."""
        return self.alike.shape_of(data)

    def changes_of(self, shape: Shape) -> Changes | None:
        """What becomes of a document of which another of its shape was translated; None: nobody knows."""
        family = self.alike.family(shape)
        if family is None:
            return None
        known = family.found.get(shape.numbers)
        return known or (self._with_other_numbers(family, family.pattern, shape) if family.pattern else None)

    def _with_other_numbers(
        self, family: Family[Changes, _Pattern], pattern: _Pattern, shape: Shape
    ) -> Changes | None:
        form = self._form(pattern, shape.numbers)
        if form is None:
            return None
        if form.key not in pattern.forms:
            pattern.forms[form.key] = self._planned(shape, form)
        changes = pattern.forms[form.key]
        if changes is None:
            return None
        numbers = form.numbers
        made = [
            (start, end, b"".join([numbers[one] if isinstance(one, int) else one for one in text]))
            for start, end, text in changes
        ]
        found = Changes(1, made)
        self.alike.add(family, shape, found)
        return found

    def _form(self, pattern: _Pattern, numbers: tuple[bytes, ...]) -> _Form | None:
        """The edits for some numbers; None where there is something to say of them."""
        place = pattern.look, numbers
        if place not in self._forms:
            pods = pattern.numbered.with_numbers(numbers)
            edits = edits_unless_told(Source("", ""), pods, self._settings)
            form = None if edits is None else _Form(edits, pattern.numbered, numbers)
            if len(self._forms) >= MOST:
                return form
            self._forms[place] = form
        return self._forms[place]

    def remember(self, shape: Shape, part: Piece, done: Translation) -> None:
        """A document of which nothing was said. The second of a shape is the pattern of those to come."""
        family = self.alike.family(shape)
        changes = _by_spots(shape, done.splices)
        if changes is None or family is None:
            return
        found = [(start, end, splice.text.encode()) for start, end, splice in changes]
        self.alike.add(family, shape, Changes(done.documents, found))
        numbered = numbered_if_second(family, shape, part, done.documents)
        if numbered is not None:
            family.pattern = _Pattern(numbered)

    def _planned(self, shape: Shape, form: _Form) -> list[tuple[Spot, Spot, _Text]] | None:
        """The changes of a form, verified; None where they cannot be made."""
        stand_ins = [b"%d" % (_FIRST + n) for n in range(len(shape.numbers))]
        data = shape.with_numbers(stand_ins)
        other = self.alike.shape_of(data)
        if other is None or other.rest != shape.rest or _STAND_IN.search(other.rest.decode()):
            return None
        try:
            document = next(iter(documents(Source("", data.decode()))))
            changes = _by_spots(other, edit_document(document, form.edits) if form.edits else [])
        except EditError:
            return None
        if changes is None:
            return None
        found: list[tuple[Spot, Spot, _Text]] = []
        for start, end, splice in changes:
            parts = _STAND_IN.split(splice.text)
            text: _Text = [int(one) - _FIRST if n % 2 else one.encode() for n, one in enumerate(parts)]
            found.append((start, end, text))
        return found


def _by_spots(shape: Shape, splices: Sequence[Splice]) -> list[tuple[Spot, Spot, Splice]] | None:
    """None where something that is left out of the shape goes: the text put there may be made of it."""
    found: list[tuple[Spot, Spot, Splice]] = []
    for one in splices:
        start, end = shape.spot(one.start), shape.spot(one.end)
        if start is None or end is None or shape.covers(one.start, one.end):
            return None
        found.append((start, end, one))
    return found


def _look(numbered: Numbered) -> Hashable:
    """All that the edits of pods are made of, beside their numbers."""
    places = [b"%d" % (_FIRST + n) for n in range(len(set(numbered.slots.values())))]
    return tuple([(look_of(pod.keys), *_places(pod)) for pod in numbered.with_numbers(places)])


def _places(pod: Pod) -> tuple[Hashable, ...]:
    """Where the keys of a pod stand, as far as their look does not say it."""
    keys = pod.keys
    return (
        *(keys.path, keys.metadata_path, pod.object_path, pod.object.api_version, pod.object.kind),
        *(pod.has_metadata, pod.resources_key, pod.takes_nodes),
        tuple([(one.path, one.index) for one in keys.all_containers()]),
    )


class _Form:
    """Edits with stand-ins for their numbers. Those of the same ``key`` are planned the same.

    ``numbers``: those of the document, then those of the edits; so many stand-ins there are.
    """

    def __init__(self, edits: Sequence[Edit], numbered: Numbered, numbers: Sequence[bytes]) -> None:
        self.numbers = list(numbers)
        self._slots = numbered.slots
        self._texts = {
            value.path: value.text
            for pod in numbered.pods
            for container in pod.keys.all_containers()
            for values in (container.limits, container.requests)
            for value in values.values()
        }
        self.edits = [self._with_stand_in(edit) for edit in edits]
        self.key = tuple(map(repr, self.edits))

    def _with_stand_in(self, edit: Edit) -> Edit:
        if not isinstance(edit, (Put, Rename)) or edit.path[-2:-1] not in (("limits",), ("requests",)):
            return edit
        text = str(edit.value)
        if type(edit.value) not in (int, str) or _NUMBER.fullmatch(text) is None:
            return edit
        place = self._place(edit.path, text.encode())
        return edit if place is None else replace(edit, value=type(edit.value)(_FIRST + place))

    def _place(self, path: Path, text: bytes) -> int | None:
        """What is there already is told apart from what is not: it needs no change."""
        slot = self._slots.get(path)
        if slot is not None and self.numbers[slot] == text:
            return slot
        if slot is None and self._texts.get(path, "").encode() == text:
            return None
        self.numbers.append(text)
        return len(self.numbers) - 1
