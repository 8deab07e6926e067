"""``gpuxlate translate``: whole manifests from any dialect to another."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.cli import kustomization, lookup, options, outputs, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.translations import (
    files_written,
    refuse,
    settle,
    summarize,
    translate_inputs,
    translation_settings,
)
from gpuxlate.files.find import Input
from gpuxlate.files.read import read_content
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import join_and, msg, plural
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import read_source
from gpuxlate.translation.results import File, Result, stream
from gpuxlate.yamltext.source import Source, Texts


def command(
    paths: options.Paths = [],
    *,
    to: options.Tos,
    kustomize: options.SourceKustomize = None,
    translation: options.TranslationOptions,
    profile: options.ProfileFile = None,
    components: options.Components = [],
    allow_leftovers: options.AllowLeftovers = False,
    in_place: Annotated[bool, typer.Option("-i", "--in-place", help="Change the files in place.")] = False,
    output_dir: options.OutputDir = None,
    diff: options.Diff = False,
    exit_zero: options.ExitZero = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if something would change.")
    ] = False,
    report: options.ReportOption = None,
    output: options.YamlOutput = "yaml",
) -> int:
    """Translate manifests from any dialect to another; only GPU lines change."""
    _exclusive(in_place, output_dir, diff, check, exit_zero)
    if output == "json" and (in_place or output_dir or diff or check):
        raise UserError("-o json prints all on stdout", "omit -i, --output-dir, --diff and --check")
    all_files = _inputs(
        paths, kustomize, in_place=in_place, writes=bool(in_place or output_dir or diff or check)
    )
    if in_place and any(file.path is None for file in all_files):
        raise UserError("stdin cannot be changed in place", "omit -i: the result goes to stdout")
    targets = lookup.targets_by_name(to, registry.written_manifests)
    if len(targets) > 1 and not output_dir:
        raise UserError(
            "several targets need --output-dir", "add --output-dir DIR: files go to DIR/<target>/<path>"
        )
    target_profile = lookup.profile(profile, components=components)
    settings, decided = translation_settings(
        translation, [(target, target_profile) for target in targets], allow_leftovers=allow_leftovers
    )
    source = settings[0].from_
    _of_manifests([*targets, *([source] if source else [])])
    writes = not (diff or check)
    results = translate_inputs(all_files, settings)
    runs = dict(zip(targets, results, strict=True))
    findings = dict.fromkeys(finding for run in results for finding in run.diagnostics)
    printing.show([*findings], Texts(*(source for run in results for source in run.sources)))
    if report:
        reports = outputs.json_reports({target.name: run for target, run in runs.items()})
        outputs.write_report(Path(report), outputs.of_targets(reports))
    undecided = settle(decided, results)
    if undecided or any(run.refused for run in results):
        return refuse({target.name if len(runs) > 1 else "": run for target, run in runs.items()})
    if output_dir:
        return _write_folders(runs, output_dir)
    [run] = results
    changed = [file for file in run.files if file.changed]
    if diff:
        printing.diffs_out(map(_diff, changed))
    if check:
        for file in changed:
            printing.info(msg("would change {name}", name=file.name))
    if not writes:
        files = plural(len(changed), "{count} file would change", "{count} files would change")
        summarize(run, *([files] if changed else []), apart=bool(run.diagnostics))
        return Exit.FINDINGS if changed and not exit_zero else Exit.CLEAN
    if output == "json":
        printing.data_out(outputs.as_json(file.elsewhere.decode(errors="replace") for file in run.files))
    else:
        _write(run, in_place)
    written = [files_written(len(changed))] if in_place and changed else []
    summarize(run, *written, apart=bool(run.diagnostics))
    return Exit.CLEAN


def _of_manifests(targets: Iterable[Backend]) -> None:
    """Raises UserError for a target that is not for manifests."""
    for target in targets:
        if not target.writes_pods:
            raise UserError(
                msg("invalid target {name!r} for translate: it is not for manifests", name=target.name),
                "gpuxlate parse reads its share, gpuxlate render --to TARGET writes it",
            )


def _inputs(paths: Sequence[str], folder: str | None, *, in_place: bool, writes: bool) -> Iterable[Input]:
    """The files to translate. Those of a kustomization are all that its build is made of, so what kustomize
    builds afterwards is the translation of what it built before. Raises UserError, InputError."""
    inputs = Inputs(paths, folder)
    if folder is None or inputs.build is None:
        if not paths and inputs.live is None:
            names = "'PATH...'"
            raise UserError(
                msg("missing argument {names}", names=names), "name files or folders, - for stdin, or -k DIR"
            )
        return inputs.some(or_excluded=True)
    if not writes:
        raise UserError(
            "-k translates the files of the build: add -i, --output-dir DIR, --diff or --check",
            msg("for the build on stdout: {command}", command=kustomization.piped(folder)),
        )
    if in_place:
        kustomization.refuse_shared(inputs.build)
    return inputs.read()


def _exclusive(in_place: bool, output_dir: str | None, diff: bool, check: bool, exit_zero: bool) -> None:
    if in_place and output_dir:
        raise UserError(
            "-i and --output-dir exclude each other", "-i changes the files, --output-dir writes new ones"
        )
    if (diff or check) and (in_place or output_dir):
        raise UserError("--diff and --check write nothing: omit -i and --output-dir")
    if exit_zero and (check or not diff):
        raise UserError("--exit-zero is for --diff, and excludes --check")


def _diff(file: File) -> str:
    from gpuxlate.report.characters import unified_diff

    return unified_diff(file.old.decode(), file.new.decode(), file.name.lstrip("/"))


def _write(run: Result, in_place: bool) -> None:
    if not in_place:
        printing.documents_out(stream(run.files))
        return
    for file in (changed for changed in run.files if changed.changed):
        outputs.change_file(Path(file.name), file.new, file.old, "translated")
        printing.info(msg("translated {name}", name=file.name))


def _write_folders(runs: Mapping[Backend, Result], output_dir: str) -> int:
    """Write each run to ``--output-dir``; of several, each to a folder with the name of its target.

    Nothing is written where two files have one path, or another target has written one. Raises UserError.
    """
    written: dict[Path, bytes] = {}
    for target, run in runs.items():
        names = _inside([file.name for file in run.files if file.is_file])
        for file in (copied for copied in run.files if copied.copy != b""):
            name = names[file.name] if file.is_file else f"{file.name.strip('<>')}.yaml"
            path = outputs.output_path(output_dir, *([target.name] if len(runs) > 1 else []), name)
            if path in written:
                raise UserError(
                    msg("two files would be written to {path}", path=path), "translate them one by one"
                )
            written[path] = file.elsewhere
            _keep_other_targets(path, file.elsewhere, target)
    outputs.write_files(written)
    apart = any(run.diagnostics for run in runs.values())
    for target, run in runs.items():
        name = target.name if len(runs) > 1 else ""
        count = sum(file.copy != b"" for file in run.files)
        summarize(run, *([files_written(count)] if count else []), target=name, apart=apart)
        apart = False
    return Exit.CLEAN


def _keep_other_targets(path: Path, new: bytes, target: Backend) -> None:
    """Raises UserError for a file that another target has written: its keys say which."""
    try:
        old = read_content(path)
    except OSError:  # there is none, or writing it says what is wrong
        return
    if old == new or not might_have_gpu_keys(old):
        return
    source = Source(str(path), old.decode(errors="replace"))
    others = {item.source for item in read_source(source, Settings.reading()).items} - {target.name}
    if others:
        raise UserError(
            msg(
                "{path} has keys of {names}: another target wrote it",
                path=path,
                names=join_and(sorted(others)),
            ),
            msg(
                "name both targets, --to {names}, for a folder each; gpuxlate sync keeps such folders",
                names=",".join([*sorted(others), target.name]),
            ),
        )


def _inside(names: Sequence[str]) -> dict[str, str]:
    """The paths of inputs below ``--output-dir``: from the working folder, else from the one they share."""
    below = {name: os.path.relpath(name) if os.path.isabs(name) else os.path.normpath(name) for name in names}
    outside = {name: os.path.abspath(name) for name, path in below.items() if path.startswith("..")}
    shared = os.path.commonpath([os.path.dirname(path) for path in outside.values()]) if outside else ""
    return below | {name: os.path.relpath(path, shared) for name, path in outside.items()}
