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
from gpuxlate.overlays.built_objects import Object
from gpuxlate.overlays.kustomization import Piece
from gpuxlate.overlays.kustomize import Built
from gpuxlate.overlays.kustomize_errors import CORRECT
from gpuxlate.overlays.run_builds import BuildPlaces, Builds, build, builds_of, refused_at
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

    ``translate_file``: translates a file that the builds use and that is no file of the run.
    """

    run: Result
    settings: Settings
    builds: Builds
    translate_file: TranslateFile
    translate_text: TranslateText

    def refuse(self) -> None:
        """Add to the run the findings on trees that cannot be written: one for each place, which replaces the
        infos there."""
        by_place = {
            (finding.code, finding.message, finding.file, finding.span): finding
            for finding in self._findings()
        }
        places = {(finding.file, finding.span) for finding in by_place.values()}
        self.run.diagnostics = [
            *(
                finding
                for finding in self.run.diagnostics
                if finding.severity is not Severity.INFO or (finding.file, finding.span) not in places
            ),
            *by_place.values(),
        ]

    def _findings(self) -> Iterator[Diagnostic]:
        accepted = {os.path.realpath(leftover.diagnostic.file or "") for leftover in self.run.leftovers}
        for folder in self.builds.roots:
            used = builds_of([folder], ()).used
            now = build(folder)
            if accepted.isdisjoint(used) and self._matters(now, used):
                places = BuildPlaces(now, self.builds)
                yield from self._of_build(now, used, places)
                self.run.sources += places.sources.values()

    def _matters(self, now: Built, used: frozenset[str]) -> bool:
        """Whether a text of the build may request GPUs."""
        texts = [file.old for path in used if (file := self._files.get(path))]
        texts += [piece.document.text.encode() for pieces in (now.objects, now.texts) for piece in pieces]
        return any(might_have_gpu_keys(text, self.settings.profile) for text in texts)

    def _of_build(self, now: Built, used: frozenset[str], places: BuildPlaces) -> Iterator[Diagnostic]:
        if now.refused:
            finding = nothing_is_left_behind((), now.refused.why, msg(CORRECT))
            yield refused_at(finding, now.refused, places)
            return
        if now.elsewhere is not None:
            host, entry = now.elsewhere
            message = msg(_ELSEWHERE, folder=places.folder, why=now.unread)
            hint = msg(BUILT, target=self.settings.to.name, folder=places.folder)
            severity = Severity.WARNING if self.settings.allow_leftovers else Severity.ERROR
            finding = nothing_is_left_behind.diagnostic((), message, hint, severity=severity, on_key=True)
            yield places.written(finding, Piece(host), (entry.start, entry.end))
        objects = _objects(now)
        for obj, data in objects:
            if obj.unclear and might_have_gpu_keys(dump_yaml(data).encode(), self.settings.profile):
                why = msg(_UNCLEAR, object=_called(obj), why=obj.unclear)
                yield self._refused(places, obj, (), why)
                return
        right, problems = self._right(now, objects, places)
        if problems:
            yield from problems
            return
        new = build(now.folder, self._new_texts(used))
        broken = next((obj for obj in new.objects if obj.unclear and not _was_unclear(obj, now)), None)
        if broken:
            yield self._refused(places, broken, (), msg(_UNCLEAR, object=_called(broken), why=broken.unclear))
            return
        after = _objects(new)
        built = _by_key(((obj.is_template, data) for obj, data in after))
        homes = dict(zip(_by_key((obj.is_template, data) for obj, data in objects), objects, strict=False))
        users = [pair for pair in objects if not pair[0].is_template]
        for key in {**right, **built}:
            expected, built_data = right.get(key), built.get(key)
            path = _difference(expected, built_data)
            obj, _ = homes.get(key) or (users or objects)[0]
            if path is not None:
                place = dotted(path) or "kind"
                values = {"path": place, "made": _shown(built_data, path), "wanted": _shown(expected, path)}
                yield self._refused(places, obj, path, msg(_DIFFERS, object=_called(obj), **values))

    def _right(
        self, now: Built, objects: Sequence[tuple[Object, Any]], places: BuildPlaces
    ) -> tuple[dict[Key, Any], list[Diagnostic]]:
        """The translation of the objects that are built now, or its errors, located in the files."""
        source = Source(now.folder, "".join(f"---\n{dump_yaml(data)}" for _, data in objects))
        claims = self.settings.claims if any(_names_claims(obj) for obj, _ in objects) else Claims()
        settings = replace(self.settings, builds=RunBuilds(), claims=claims)
        if settings.decisions:
            from gpuxlate.translation.build_shares import decisions_on

            names = {name: None for obj, _ in objects for name in decisions_on(obj, now, places, settings)}
            settings = replace(settings, decisions=replace(settings.decisions, built=tuple(names)))
        result = self.translate_text(source, settings)
        errors = [finding for finding in result.diagnostics if finding.severity is Severity.ERROR]
        if errors:
            return {}, [
                self._placed(finding, objects[finding.document or 0][0], places) for finding in errors
            ]
        nodes = (document.root for document in documents(Source(now.folder, result.text)))
        plain = (to_python(root) for root in nodes if root is not None)
        return _by_key((data.get("kind") == TEMPLATE, data) for data in plain), []

    def _new_texts(self, used: frozenset[str]) -> dict[str, bytes]:
        """The bytes of the changed files of a build after the translation, by real path."""
        new_texts: dict[str, bytes] = {}
        for path in used:
            file = self._files.get(path)
            if file is None and os.path.isfile(path):
                translated = self.translate_file(Input(path, path, named=False))
                file = (
                    None if isinstance(translated, InputError) or translated.refused else translated.files[0]
                )
            if file is not None and file.changed:
                new_texts[path] = file.new
        return new_texts

    @cached_property
    def _files(self) -> Mapping[str, File]:
        return {os.path.realpath(file.name): file for file in self.run.files if file.is_file}

    @staticmethod
    def _placed(finding: Diagnostic, obj: Object, places: BuildPlaces) -> Diagnostic:
        """A finding about a built object, located in the file that has it."""
        document = places.of(obj.document)
        return places.locate(finding.located(file=document.source.name, document=document.index), obj)

    def _refused(self, places: BuildPlaces, obj: Object, path: Path, message: Message) -> Diagnostic:
        """A finding at the patch or the field of a kustomization that sets a path; else at the last patch of
        the object."""
        hint = msg(BUILT, target=self.settings.to.name, folder=places.folder)
        finding = nothing_is_left_behind.diagnostic(path, message, hint)
        placed = self._placed(finding, obj, places)
        templates = (piece for other in places.built.objects if other.is_template for piece in other.pieces)
        pieces = obj.pieces or tuple(templates)
        if pieces and placed.file == places.of(obj.document).source.name:
            piece = pieces[-1]
            return places.written(finding, piece, (piece.document.start, piece.document.start))
        return placed


_DIFFERS = (
    "kustomize would build {object} with {path}: {made}, and its translation has {wanted}: "
    "this patch, or field, cannot be translated where it stands"
)
_ELSEWHERE = "not all that {folder} builds is known: {why}"
_UNCLEAR = "what kustomize builds of {object} is not known: {why}"
_NOTHING = msg("nothing there")


def _names_claims(obj: Object) -> bool:
    """Whether a pod of the object names a claim that is not a template."""
    return any(claim.claim for pod in pods_in(obj.document.with_root(obj.root)) for claim in pod.keys.claims)


def _objects(built: Built) -> list[tuple[Object, Any]]:
    """The objects of a build as plain data, without those that a patch deletes."""
    pairs = ((obj, to_python(obj.root)) for obj in built.objects)
    return [(obj, data) for obj, data in pairs if data]


def _by_key(objects: Iterable[tuple[bool, Any]]) -> dict[Key, Any]:
    """Templates of claims, which come and go, by their names; all others by their order."""
    by_key: dict[Key, Any] = {}
    number = 0
    for is_template, data in objects:
        metadata = data.get("metadata") or {}
        name = (str(metadata.get("namespace") or ""), str(metadata.get("name")))
        by_key[name if is_template else number] = data
        number += not is_template
    return by_key


def _was_unclear(obj: Object, now: Built) -> bool:
    """Whether a patch of the object cannot be applied before the translation either."""
    return any(other.identity.names == obj.identity.names and other.unclear for other in now.objects)


def _called(obj: Object) -> str:
    return cut(f"{obj.identity.kind}/{obj.identity.names[-1][0]}", MAX_NAME)


def _difference(expected: Any, actual: Any, path: Path = ()) -> Path | None:
    """The first place where two objects are not the same; what is empty asks for nothing."""
    if _is_empty(expected) and _is_empty(actual):
        return None
    if isinstance(expected, dict) and isinstance(actual, dict):
        below = [(name, expected.get(name), actual.get(name)) for name in {**expected, **actual}]
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        below = [(n, *pair) for n, pair in enumerate(zip(_sorted(expected), _sorted(actual), strict=True))]
    else:
        return None if str(expected) == str(actual) else path
    places = (_difference(value, other, (*path, step)) for step, value, other in below)
    return next((place for place in places if place is not None), None)


def _sorted(items: list[Any]) -> list[Any]:
    """Items by their names, where all have one: their order means nothing (``listType: map``)."""
    named = all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in items)
    return sorted(items, key=lambda item: str(item["name"])) if named else items


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, dict) and all(map(_is_empty, value.values())))


def _shown(data: Any, path: Path) -> Message | str:
    for step in path:
        try:
            data = data[step]
        except (LookupError, TypeError):  # one of the two objects ends above
            return _NOTHING
    return _NOTHING if data is None else cut(json.dumps(data, ensure_ascii=False), MAX_NAME)
