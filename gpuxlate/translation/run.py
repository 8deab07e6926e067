"""The files of a run, with what is between them: claims, builds of kustomize, names that clash.

    files ── each ──> Result ── += ──> Result of the run ── builds, clashes

The commands, the kubectl plug-in and the Python API have the same answer on a folder from here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gpuxlate.inputs.files import HELD, Input, InputError, is_blank, reader, under_chart_templates
from gpuxlate.inputs.relevance import may_matter
from gpuxlate.model import limits
from gpuxlate.model.messages import say
from gpuxlate.overlays.claims import Claims
from gpuxlate.overlays.kustomization import NAMES, kustomized
from gpuxlate.overlays.roles import role_of
from gpuxlate.rules.source import in_chart
from gpuxlate.translation.claims import clashes
from gpuxlate.translation.leftovers import left_in_text
from gpuxlate.translation.passes import Task, run_source
from gpuxlate.translation.results import File, Result
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import TRANSLATE
from gpuxlate.yamltext.compose import documents, kept

if TYPE_CHECKING:
    from gpuxlate.overlays.builds import Builds

Work = Callable[[Input], list[Result]]
Each = Callable[[Work, Iterable[Input]], Iterator[tuple[Input, list[Result] | InputError]]]
"""Does the work for each input, in order; an InputError of the work may be raised or be its result."""


def one_by_one(work: Work, given: Iterable[Input]) -> Iterator[tuple[Input, list[Result] | InputError]]:
    """All in this process."""
    return ((one, work(one)) for one in given)


def translate(given: Iterable[Input], settings: Settings, each: Each = one_by_one) -> Result:
    """Translate files in their order. Raises InputError."""
    HELD.texts.clear()
    return _run_each(given, [settings], TRANSLATE, each)[0]


def count(
    given: Iterable[Input], wanted: Sequence[Settings], task: Task, each: Each = one_by_one
) -> list[Result]:
    """What files request, for each of several targets; of a kustomization, what it builds. Raises InputError.

    The files are not changed, and each of them is read once.
    """
    HELD.texts.clear()
    files = given if isinstance(given, Sequence) else ()
    one = files[0] if len(files) == 1 else None
    alone = one and one.named and os.path.basename(one.name) not in NAMES
    folders = [] if alone else kustomized(files)
    if not folders:
        return _run_each(given, wanted, task, each)
    from gpuxlate.overlays.builds import build, builds_of
    from gpuxlate.translation.builds import run_build

    builds = builds_of(folders, files)
    runs = _run_each(given, wanted, task, each, builds)
    claims = Claims(files)
    left = {one.found.file or "" for run in runs for one in run.leftovers}
    for folder in builds.roots:
        made = build(folder)
        for run, settings in zip(runs, wanted, strict=True):
            run += run_build(made, builds, replace(settings, claims=claims), task, left)
            _bound(run, builds.name(folder))
    return runs


def _run_each(
    given: Iterable[Input],
    wanted: Sequence[Settings],
    task: Task,
    each: Each,
    builds: Builds | None = None,
) -> list[Result]:
    """``builds``: what the files request that these use is counted by itself."""
    claims = Claims(given)
    settings = [replace(one, claims=claims) for one in wanted]
    runs = [Result() for _ in settings]
    for one, made in each(partial(_run_input, wanted=settings, task=task, builds=builds), given):
        if isinstance(made, InputError):
            raise made
        for run, found in zip(runs, made, strict=True):
            run += found
            _bound(run, one.name)
    for run in runs:
        if run.named:
            known = set(run.diagnostics)
            run.diagnostics += (one for one in clashes(run.named) if one not in known)
    return runs


def _bound(run: Result, name: str) -> None:
    """Raises InputError where a run has too many findings."""
    if len(run.diagnostics) > limits.MAX_RUN_FINDINGS:
        raise InputError(
            say("{name}: more than {most} findings in this run", name=name, most=limits.MAX_RUN_FINDINGS)
        )


def _run_input(one: Input, wanted: Sequence[Settings], task: Task, builds: Builds | None) -> list[Result]:
    """Do a task with one input for each target. Raises InputError."""
    place = one.place
    layer = role_of(place)
    data, manifests = layer.read(one)
    if under_chart_templates(place, os.getcwd()):
        return [_run_template(one, data, settings, task) for settings in wanted]
    if one.named and is_blank(data):
        raise InputError(say("{name}: it is empty", name=one.name))
    source = one.source(data)
    if builds is not None and builds.uses(one):
        layer = layer._replace(counted=True)
    read = reader(one, source, wanted[0].from_.name if wanted[0].from_ else None)
    read = manifests if read is documents else read
    read = kept(read) if len(wanted) > 1 else read
    is_file = one.path is not None
    results = []
    for settings in wanted:
        made, new = Result(), data
        if one.named or not layer.stands_alone or may_matter(data, settings.profile):
            made = run_source(source, settings, task, read, layer)
            new = source.encode(made.text) if made.changed else data
            made.sources += [source] if made.diagnostics else []
        made.files.append(File(one.name, is_file, data, new))
        made.text = ""  # that of the file is enough for a run
        results.append(made)
    return results


def _run_template(one: Input, data: bytes, settings: Settings, task: Task) -> Result:
    """A Helm template: it is left as it is, and what it holds of the source is left behind."""
    source = one.source(data)
    made = Result([], [in_chart(one.name)], files=[File(one.name, True, data, data)], sources=[source])
    task.leave(made, left_in_text(source, settings.scope))
    return made
