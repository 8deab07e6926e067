"""Translate or read the files of a run, with what connects them: claims, builds of kustomize, equal names.

    files ── each ──> Result ── += ──> Result of the run ── builds, clashes

The commands, the kubectl plug-in and the Python API have the same answer on a folder from here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gpuxlate.files.find import (
    HELD,
    Input,
    InputError,
    document_reader,
    is_blank,
    result_or_error,
    under_chart_templates,
)
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.model import limits
from gpuxlate.model.messages import msg
from gpuxlate.overlays.builds import RunBuilds
from gpuxlate.overlays.kustomization import KUSTOMIZATIONS, kustomization_folders
from gpuxlate.overlays.roles import role_of
from gpuxlate.overlays.run_claims import Claims
from gpuxlate.rules.source import chart_template_finding
from gpuxlate.translation.leftovers import left_in_text
from gpuxlate.translation.options import Settings, relevant_to
from gpuxlate.translation.passes import Task, leave_text, run_source, with_own_names
from gpuxlate.translation.results import File, Result
from gpuxlate.translation.translate import TRANSLATE, translate_source
from gpuxlate.yamltext.parse import documents, read_once

if TYPE_CHECKING:
    from gpuxlate.overlays.run_builds import Builds

FileWork = Callable[[Input], list[Result]]
Each = Callable[[FileWork, Iterable[Input]], Iterator[tuple[Input, list[Result] | InputError]]]
"""Does the work for each input and yields the results in order; an InputError of the work is its result."""


def one_by_one(work: FileWork, files: Iterable[Input]) -> Iterator[tuple[Input, list[Result] | InputError]]:
    """Do the work for all inputs in this process."""
    return ((file, result_or_error(work, file)) for file in files)


def translate_to(
    files: Iterable[Input], targets: Sequence[Settings], each: Each = one_by_one
) -> list[Result]:
    """Translate files for several targets; each file is read once. One result for each target.

    Refuses kustomizations whose build after the translation is not the translation of their build before.
    """
    HELD.texts.clear()
    runs = _run_each(files, targets, TRANSLATE, each)
    folders = kustomization_folders(files) if isinstance(files, Sequence) else []
    if folders:
        _check_builds(folders, files, targets, runs)
    return runs


def _check_builds(
    folders: Sequence[str], files: Iterable[Input], targets: Sequence[Settings], runs: Sequence[Result]
) -> None:
    """Refuse the runs that would change what their kustomizations build."""
    from gpuxlate.overlays.run_builds import builds_of
    from gpuxlate.translation.build_check import BuildCheck

    builds = builds_of(folders, files)
    for run, settings in zip(runs, targets, strict=True):
        if run.refused:
            continue
        run_settings = replace(settings, claims=Claims(files), builds=RunBuilds(tuple(files)))
        work = partial(_run_input, targets=[run_settings], task=TRANSLATE, builds=None)

        def translate_file(file: Input, work: FileWork = work) -> Result | InputError:
            results = result_or_error(work, file)
            return results if isinstance(results, InputError) else results[0]

        BuildCheck(run, run_settings, builds, translate_file, translate_source).refuse()


def count(
    inputs: Iterable[Input], targets: Sequence[Settings], task: Task, each: Each = one_by_one
) -> list[Result]:
    """Do a task with files for several targets, and with what kustomizations build. One result for each
    target.

    The files are not changed, and each of them is read once.
    """
    HELD.texts.clear()
    files = inputs if isinstance(inputs, Sequence) else ()
    only = files[0] if len(files) == 1 else None
    alone = only and only.named and os.path.basename(only.name) not in KUSTOMIZATIONS
    folders = [] if alone else kustomization_folders(files)
    if not folders:
        return _run_each(inputs, targets, task, each)
    from gpuxlate.overlays.run_builds import build, builds_of
    from gpuxlate.translation.build_shares import run_build

    builds = builds_of(folders, files)
    runs = _run_each(inputs, targets, task, each, builds)
    claims = Claims(files)
    files_left = {leftover.diagnostic.file or "" for run in runs for leftover in run.leftovers}
    for folder in builds.roots:
        built = build(folder)
        for run, settings in zip(runs, targets, strict=True):
            run += run_build(built, builds, replace(settings, claims=claims), task, files_left)
            _bound(run, builds.name(folder))
    return runs


def _run_each(
    files: Iterable[Input],
    targets: Sequence[Settings],
    task: Task,
    each: Each,
    builds: Builds | None = None,
) -> list[Result]:
    """Run a task on each input. ``builds``: files that these use are counted as they are built."""
    repeats = isinstance(files, Sequence)  # stdin and live objects can be read only once
    claims, built = Claims(files), RunBuilds(tuple(files) if repeats else ())
    settings = [replace(settings, claims=claims, builds=built) for settings in targets]
    runs = [Result() for _ in settings]
    for file, results in each(partial(_run_input, targets=settings, task=task, builds=builds), files):
        if isinstance(results, InputError):
            for run in runs:
                run.unreadable.append(results)
            continue
        for run, result in zip(runs, results, strict=True):
            run += result
            _bound(run, file.name)
    again = [
        with_own_names(run, options, repeats=repeats) if run.new_template_names else None
        for run, options in zip(runs, targets, strict=True)
    ]
    if any(again):
        settings = [new or settings for new, settings in zip(again, targets, strict=True)]
        return _run_each(files, settings, task, each, builds)
    return runs


def _bound(run: Result, name: str) -> None:
    """Raise InputError where a run has too many findings."""
    if len(run.diagnostics) > limits.MAX_RUN_FINDINGS:
        raise InputError(
            msg("{name}: more than {most} findings in this run", name=name, most=limits.MAX_RUN_FINDINGS)
        )


def _run_input(file: Input, targets: Sequence[Settings], task: Task, builds: Builds | None) -> list[Result]:
    """Do a task with one input for each target. Raises InputError."""
    place = file.place
    role = role_of(place)
    if not file.named:
        role = role._replace(in_folder=True)
    data, manifests = role.read(file)
    if under_chart_templates(place, os.getcwd()):
        return [_run_template(file, data, settings, task) for settings in targets]
    if file.named and is_blank(data):
        raise InputError(msg("{name}: it is empty", name=file.name))
    source = file.source(data)
    if builds is not None and builds.uses(file):
        role = role._replace(part_of_build=True)
    read = document_reader(file, source, targets[0].from_.name if targets[0].from_ else None)
    matters = [might_have_gpu_keys(data, settings.profile) for settings in targets]
    if role.can_skip and any(matters) and read is documents:
        source = relevant_to(targets, source)
    read = manifests if read is documents else read
    read = read_once(read) if len(targets) > 1 else read
    is_file = file.path is not None
    results = []
    for settings, has_word in zip(targets, matters, strict=True):
        result, new = Result(), data
        decided = settings.decisions is not None and settings.decisions.about(data)
        if file.named or decided or not role.can_skip or has_word:
            result = run_source(source, settings, task, read, role)
            new = source.encode(result.text) if result.changed else data
            result.sources += [source] if result.diagnostics else []
        copy = None if result.copy is None else source.encode(result.copy) if result.copy.strip() else b""
        result.files.append(File(file.name, is_file, data, new, copy, result.splices))
        result.text, result.splices = "", []  # those of the file are enough for a run
        results.append(result)
    return results


def _run_template(file: Input, data: bytes, settings: Settings, task: Task) -> Result:
    """Leave a Helm template as it is, and report the keys of the source in it."""
    source = file.source(data)
    result = Result(
        [], [chart_template_finding(file.name)], files=[File(file.name, True, data, data)], sources=[source]
    )
    leave_text(result, left_in_text(source, settings.scope), source, settings, task)
    return result
