"""Check what kustomize builds: the objects with their patches, each finding where it is written."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.files.find import Input
from gpuxlate.lint.check import lint_built
from gpuxlate.lint.ignore import UNUSED, Ignore, ignores_in_text, without_ignored
from gpuxlate.lint.settings import RuleSelection
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.overlays.kustomize import BuildPlaces, Built, builds_of
from gpuxlate.overlays.roles import MANIFESTS
from gpuxlate.yamltext.source import Source


def findings_of_build(
    made: Built, files: Sequence[Input], selection: RuleSelection, found: Sequence[Diagnostic]
) -> tuple[list[Diagnostic], list[Source]]:
    """The findings of a build, and the texts where they are; ``found``: those of its ``files``.

    Objects are judged as they are built, not as they are in a file: what a patch corrects is no finding, and
    what it makes wrong is one. What is no object with pods is judged in its file. Ignores that match nothing
    are not reported (GX009): another build may need them.
    """
    places = BuildPlaces(made, builds_of([made.folder], files))
    settings = {one.name: selection.for_file(one.place) for one in files}
    ignores: dict[str, list[Ignore]] = {}
    of_build: dict[tuple[str, str | None, object], Diagnostic] = {}
    for one in made.objects:
        document = places.of(one.document).with_root(one.root)
        here = settings[document.source.name]._replace(role=MANIFESTS)
        for each in lint_built(document, here):
            placed = places.found(each, one)
            name = placed.file or ""
            if name not in ignores:
                ignores[name] = list(ignores_in_text(places.sources[name])) if name in places.sources else []
            left, _ = without_ignored([placed], ignores[name], lambda _code: False)
            if left and not (name in settings and settings[name].excused(placed.code)):
                of_build.setdefault(_key(placed), placed.located(fix=None))
    built = {(places.of(one.document).source.name, one.document.index) for one in made.objects}
    for piece in made.texts:
        host = piece.host or piece.document
        built.add((places.of(host).source.name, host.index))
    kept = [
        one
        for one in found
        if one.code != UNUSED and (_key(one) in of_build or (one.file or "", one.document or 0) not in built)
    ]
    known = {_key(one) for one in kept}
    return [*kept, *(one for key, one in of_build.items() if key not in known)], [*places.sources.values()]


def _key(one: Diagnostic) -> tuple[str, str | None, object]:
    return one.code, one.file, one.span
