"""Whether a translated tree of kustomizations builds the translation of what it builds now.

Files are translated one by one, and what kustomize makes of them is known only in the end:

    files now ── build ──> objects ── translate ──> what is right
    files translated ── build ──> what would be built

Where the two differ, or where either is not known, the tree is refused: no way of writing a patch can lose
a share in silence.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gpuxlate.files.find import Input, InputError
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.diagnostics import Diagnostic, Path, Severity
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import TEMPLATE, dotted
from gpuxlate.overlays.builds import RunBuilds
from gpuxlate.overlays.kustomization import Piece
from gpuxlate.overlays.kustomize import BuildPlaces, Builds, Built, Object, build, builds_of, refused_at
from gpuxlate.overlays.refusals import CORRECT
from gpuxlate.overlays.run_claims import Claims
from gpuxlate.rules.translation import nothing_is_left_behind
from gpuxlate.translation.leftovers import BUILT
from gpuxlate.translation.options import Settings
from gpuxlate.translation.results import File, Result
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.plain import dump_yaml, to_python
from gpuxlate.yamltext.source import Source

TranslateFile = Callable[[Input], Result | InputError]
TranslateText = Callable[[Source, Settings], Result]
Key = int | tuple[str, str]
"""An object of a build: its number, or of a template of claims its namespace and name."""


@dataclass(frozen=True)
class BuildCheck:
    """The builds of a run before and after its translation.

    ``translate_file``: a file that the run leaves to another one, as if it were in it.
    """

    run: Result
    settings: Settings
    builds: Builds
    translate_file: TranslateFile
    translate_text: TranslateText

    def refuse(self) -> None:
        """Add to the run why trees cannot be written: each place once, in place of what informs there."""
        found = {(one.code, one.message, one.file, one.span): one for one in self._findings()}
        places = {(one.file, one.span) for one in found.values()}
        self.run.diagnostics = [
            *(
                one
                for one in self.run.diagnostics
                if one.severity is not Severity.INFO or (one.file, one.span) not in places
            ),
            *found.values(),
        ]

    def _findings(self) -> Iterator[Diagnostic]:
        accepted = {os.path.realpath(one.diagnostic.file or "") for one in self.run.leftovers}
        for folder in self.builds.roots:
            used = builds_of([folder], ()).used
            now = build(folder)
            if accepted.isdisjoint(used) and self._matters(now, used):
                places = BuildPlaces(now, self.builds)
                yield from self._of_build(now, used, places)
                self.run.sources += places.sources.values()

    def _matters(self, now: Built, used: frozenset[str]) -> bool:
        """A text of the build may request GPUs."""
        texts = [one.old for path in used if (one := self._files.get(path))]
        texts += [one.document.text.encode() for some in (now.objects, now.texts) for one in some]
        return any(might_have_gpu_keys(text, self.settings.profile) for text in texts)

    def _of_build(self, now: Built, used: frozenset[str], places: BuildPlaces) -> Iterator[Diagnostic]:
        if now.refused:
            found = nothing_is_left_behind((), now.refused.why, msg(CORRECT))
            yield refused_at(found, now.refused, places)
            return
        if now.elsewhere is not None:
            host, entry = now.elsewhere
            message = msg(_ELSEWHERE, folder=places.folder, why=now.unread)
            hint = msg(BUILT, target=self.settings.to.name, folder=places.folder)
            severity = Severity.WARNING if self.settings.allow_leftovers else Severity.ERROR
            found = replace(nothing_is_left_behind((), message, hint), severity=severity)
            yield places.written(found, Piece(host), (entry.start, entry.end))
        objects = _objects(now)
        for one, data in objects:
            if one.unclear and might_have_gpu_keys(dump_yaml(data).encode(), self.settings.profile):
                why = msg(_UNCLEAR, object=_called(one), why=one.unclear)
                yield self._refused(places, one, (), why)
                return
        right, problems = self._right(now, objects, places)
        if problems:
            yield from problems
            return
        new = build(now.folder, self._new_texts(used))
        broken = next((one for one in new.objects if one.unclear and not _was_unclear(one, now)), None)
        if broken:
            yield self._refused(places, broken, (), msg(_UNCLEAR, object=_called(broken), why=broken.unclear))
            return
        after = _objects(new)
        built = _by_key(((one.is_template, data) for one, data in after))
        homes = dict(zip(_by_key((one.is_template, data) for one, data in objects), objects, strict=False))
        users = [pair for pair in objects if not pair[0].is_template]
        for key in {**right, **built}:
            wanted, made = right.get(key), built.get(key)
            path = _difference(wanted, made)
            one, _ = homes.get(key) or (users or objects)[0]
            if path is not None:
                place = dotted(path) or "kind"
                what = {"path": place, "made": _shown(made, path), "wanted": _shown(wanted, path)}
                yield self._refused(places, one, path, msg(_DIFFERS, object=_called(one), **what))

    def _right(
        self, now: Built, objects: Sequence[tuple[Object, Any]], places: BuildPlaces
    ) -> tuple[dict[Key, Any], list[Diagnostic]]:
        """What is built now, translated; or the errors of that, where they are written."""
        source = Source(now.folder, "".join(f"---\n{dump_yaml(data)}" for _, data in objects))
        claims = self.settings.claims if any(_names_claims(one) for one, _ in objects) else Claims()
        settings = replace(self.settings, builds=RunBuilds(), claims=claims)
        if settings.decisions:
            from gpuxlate.translation.overlays import decisions_on

            names = {name: None for one, _ in objects for name in decisions_on(one, now, places, settings)}
            settings = replace(settings, decisions=replace(settings.decisions, built=tuple(names)))
        made = self.translate_text(source, settings)
        errors = [one for one in made.diagnostics if one.severity is Severity.ERROR]
        if errors:
            return {}, [self._placed(one, objects[one.document or 0][0], places) for one in errors]
        found = (one.root for one in documents(Source(now.folder, made.text)))
        plain = (to_python(root) for root in found if root is not None)
        return _by_key((data.get("kind") == TEMPLATE, data) for data in plain), []

    def _new_texts(self, used: frozenset[str]) -> dict[str, bytes]:
        """What the files of a build have after the translation, by their real paths."""
        found: dict[str, bytes] = {}
        for path in used:
            file = self._files.get(path)
            if file is None and os.path.isfile(path):
                made = self.translate_file(Input(path, path, named=False))
                file = None if isinstance(made, InputError) or made.refused else made.files[0]
            if file is not None and file.changed:
                found[path] = file.new
        return found

    @cached_property
    def _files(self) -> Mapping[str, File]:
        return {os.path.realpath(one.name): one for one in self.run.files if one.is_file}

    @staticmethod
    def _placed(found: Diagnostic, one: Object, places: BuildPlaces) -> Diagnostic:
        """A finding about an object as it is built, where it is written."""
        document = places.of(one.document)
        return places.found(found.located(file=document.source.name, document=document.index), one)

    def _refused(self, places: BuildPlaces, one: Object, path: Path, message: Message) -> Diagnostic:
        """A finding at what a patch or a kustomization says there; else at the last patch of the object."""
        hint = msg(BUILT, target=self.settings.to.name, folder=places.folder)
        found = replace(nothing_is_left_behind(path, message, hint), on_key=False)
        placed = self._placed(found, one, places)
        templates = (piece for other in places.made.objects if other.is_template for piece in other.pieces)
        pieces = one.pieces or tuple(templates)
        if pieces and placed.file == places.of(one.document).source.name:
            piece = pieces[-1]
            return places.written(found, piece, (piece.document.start, piece.document.start))
        return placed


_DIFFERS = (
    "kustomize would build {object} with {path}: {made}, and its translation has {wanted}: "
    "this patch, or field, cannot be translated where it stands"
)
_ELSEWHERE = "not all that {folder} builds is known: {why}"
_UNCLEAR = "what kustomize builds of {object} is not known: {why}"
_NOTHING = msg("nothing there")


def _names_claims(one: Object) -> bool:
    """A pod of the object names a claim that is no template."""
    return any(claim.claim for pod in pods_in(one.document.with_root(one.root)) for claim in pod.keys.claims)


def _objects(built: Built) -> list[tuple[Object, Any]]:
    """The objects of a build as plain data, without those that a patch deletes."""
    pairs = ((one, to_python(one.root)) for one in built.objects)
    return [(one, data) for one, data in pairs if data]


def _by_key(objects: Iterable[tuple[bool, Any]]) -> dict[Key, Any]:
    """Templates of claims, which come and go, by their names; all others by their order."""
    found: dict[Key, Any] = {}
    number = 0
    for is_template, data in objects:
        metadata = data.get("metadata") or {}
        name = (str(metadata.get("namespace") or ""), str(metadata.get("name")))
        found[name if is_template else number] = data
        number += not is_template
    return found


def _was_unclear(one: Object, now: Built) -> bool:
    """A patch of the object cannot be applied before the translation either."""
    return any(other.identity.names == one.identity.names and other.unclear for other in now.objects)


def _called(one: Object) -> str:
    return cut(f"{one.identity.kind}/{one.identity.names[-1][0]}", MAX_NAME)


def _difference(wanted: Any, made: Any, path: Path = ()) -> Path | None:
    """The first place where two objects are not the same; what is empty asks for nothing."""
    if _is_empty(wanted) and _is_empty(made):
        return None
    if isinstance(wanted, dict) and isinstance(made, dict):
        below = [(name, wanted.get(name), made.get(name)) for name in {**wanted, **made}]
    elif isinstance(wanted, list) and isinstance(made, list) and len(wanted) == len(made):
        below = [(n, *pair) for n, pair in enumerate(zip(_sorted(wanted), _sorted(made), strict=True))]
    else:
        return None if str(wanted) == str(made) else path
    places = (_difference(one, other, (*path, step)) for step, one, other in below)
    return next((place for place in places if place is not None), None)


def _sorted(items: list[Any]) -> list[Any]:
    """Items by their names, where all have one: their order means nothing (``listType: map``)."""
    named = all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in items)
    return sorted(items, key=lambda one: str(one["name"])) if named else items


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, dict) and all(map(_is_empty, value.values())))


def _shown(data: Any, path: Path) -> Message | str:
    for step in path:
        try:
            data = data[step]
        except (LookupError, TypeError):  # one of the two objects ends above
            return _NOTHING
    return _NOTHING if data is None else cut(json.dumps(data, ensure_ascii=False), MAX_NAME)
