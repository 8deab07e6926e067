"""Check what kustomize builds: the objects with their patches, each finding where it is written."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.files.find import Input
from gpuxlate.lint.check import lint_built
from gpuxlate.lint.ignore import UNUSED, Ignore, ignores_in_text, without_ignored
from gpuxlate.lint.settings import RuleSelection
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.overlays.kustomize import Built
from gpuxlate.overlays.roles import MANIFESTS
from gpuxlate.overlays.run_builds import BuildPlaces, builds_of
from gpuxlate.yamltext.source import Source


def findings_of_build(
    build: Built, files: Sequence[Input], selection: RuleSelection, findings: Sequence[Diagnostic]
) -> tuple[list[Diagnostic], list[Source]]:
    """The findings of a build, and the sources that they are in. ``findings``: of its ``files`` alone.

    Objects are checked as they are built, not as they are in a file: an error that a patch corrects is no
    finding, and an error that it causes is one. Objects without pods are checked in their files. Ignores that
    match nothing are not reported (GX009), since another build may need them.
    """
    places = BuildPlaces(build, builds_of([build.folder], files))
    settings = {file.name: selection.for_file(file.place) for file in files}
    ignores: dict[str, list[Ignore]] = {}
    of_build: dict[tuple[str, str | None, object], Diagnostic] = {}
    for obj in build.objects:
        document = places.of(obj.document).with_root(obj.root)
        object_settings = settings[document.source.name]._replace(role=MANIFESTS)
        for finding in lint_built(document, object_settings):
            placed = places.locate(finding, obj)
            name = placed.file or ""
            if name not in ignores:
                ignores[name] = list(ignores_in_text(places.sources[name])) if name in places.sources else []
            not_ignored, _ = without_ignored([placed], ignores[name], lambda _code: False)
            if not_ignored and not (name in settings and settings[name].excused(placed.code)):
                of_build.setdefault(_key(placed), placed.located(fix=None))
    built = {(places.of(obj.document).source.name, obj.document.index) for obj in build.objects}
    for piece in build.texts:
        host = piece.host or piece.document
        built.add((places.of(host).source.name, host.index))
    kept = [
        finding
        for finding in findings
        if finding.code != UNUSED
        and (_key(finding) in of_build or (finding.file or "", finding.document or 0) not in built)
    ]
    reported = {_key(finding) for finding in kept}
    return [*kept, *(finding for key, finding in of_build.items() if key not in reported)], [
        *places.sources.values()
    ]


def _key(finding: Diagnostic) -> tuple[str, str | None, object]:
    return finding.code, finding.file, finding.span
