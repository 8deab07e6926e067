"""``gpuxlate translate``: whole manifests from any dialect to another."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from gpuxlate.cli import common, kustomization, options, outputs
from gpuxlate.cli.decisions import read as read_decisions
from gpuxlate.cli.errors import CliError, Exit
from gpuxlate.cli.translations import refuse, settle, show_findings, summarize, translate_inputs
from gpuxlate.files.find import Input
from gpuxlate.model.messages import msg, plural
from gpuxlate.translation.options import Settings
from gpuxlate.translation.results import File, Result, stream


def command(
    paths: options.Paths = [],  # noqa: B006 - typer copies it
    *,
    to: options.To,
    kustomize: options.Kustomize = None,
    from_: options.From = None,
    round_: options.Round = None,
    fill: options.Fill = [],  # noqa: B006 - typer copies it
    drop: options.Drop = [],  # noqa: B006
    profile: options.ProfileFile = None,
    allow_leftovers: options.AllowLeftovers = False,
    decisions: options.DecisionsFile = [],  # noqa: B006
    write_decisions: options.WriteDecisions = None,
    prune_decisions: options.PruneDecisions = False,
    in_place: Annotated[bool, typer.Option("-i", "--in-place", help="Change the files in place.")] = False,
    output_dir: options.OutputDir = None,
    diff: options.Diff = False,
    exit_zero: options.ExitZero = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if something would change.")
    ] = False,
    report: options.Report = None,
    output: Annotated[str, options.output("yaml", "json")] = "yaml",
) -> int:
    """Translate manifests from any dialect to another; only GPU lines change."""
    _exclusive(in_place, output_dir, diff, check, exit_zero)
    if output == "json" and (in_place or output_dir or diff or check):
        raise CliError("-o json prints all on stdout", "omit -i, --output-dir, --diff and --check")
    given = _inputs(paths, kustomize, in_place=in_place, writes=bool(in_place or output_dir or diff or check))
    if in_place and any(one.path is None for one in given):
        raise CliError("stdin cannot be changed in place", "omit -i: the result goes to stdout")
    target, source = common.written_target(to), common.target(from_) if from_ else None
    for one in (target, source):
        if one and not one.writes_pods:
            raise CliError(
                msg("invalid target {name!r} for translate: it is not for manifests", name=one.name),
                "gpuxlate parse reads its share, gpuxlate render --to TARGET writes it",
            )
    decided = read_decisions(decisions, write_decisions, prune=prune_decisions)
    settings = Settings(
        target,
        source,
        common.accept(round_, fill, drop),
        common.profile(profile),
        allow_leftovers=allow_leftovers,
        decisions=decided.known if decided else None,
    )
    writes = not (diff or check)
    run = translate_inputs(given, settings)
    show_findings(run, run.diagnostics)
    if report:
        outputs.write_report(Path(report), run.items, run.leftovers, run.quotas)
    undecided = settle(decided, [run])
    if run.refused or undecided:
        return refuse({"": run})
    changed = [file for file in run.files if file.changed]
    if diff:
        common.documents_out(_diff(file).encode() for file in changed)
    if check:
        for file in changed:
            common.info(msg("would change {name}", name=file.name))
    if not writes:
        files = plural(len(changed), "{count} file would change", "{count} files would change")
        summarize(run, *([files] if changed else []), apart=bool(run.diagnostics))
        return Exit.FINDINGS if changed and not exit_zero else Exit.CLEAN
    if output == "json":
        common.data_out(outputs.as_json(file.new.decode(errors="replace") for file in run.files))
    else:
        _write(run, in_place, output_dir)
    written = len(changed) if in_place else len(run.files) if output_dir else 0
    done = [plural(written, "{count} file written", "{count} files written")] if written else []
    summarize(run, *done, apart=bool(run.diagnostics))
    return Exit.CLEAN


def _inputs(
    paths: Sequence[str] | Iterable[Input], folder: str | None, *, in_place: bool, writes: bool
) -> Iterable[Input]:
    """The files to translate. Those of a kustomization are all that its build is made of, so what kustomize
    builds afterwards is the translation of what it built before. Raises CliError, InputError."""
    if folder is None:
        if not paths:
            names = "'PATH...'"
            raise CliError(
                msg("missing argument {names}", names=names), "name files or folders, - for stdin, or -k DIR"
            )
        return common.some_inputs(paths, or_excluded=True)
    kustomization.exclude_paths(paths)
    build = kustomization.built(folder)
    if not writes:
        raise CliError(
            "-k translates the files of the build: add -i, --output-dir DIR, --diff or --check",
            msg("for the build on stdout: {command}", command=kustomization.piped(folder)),
        )
    if in_place:
        kustomization.refuse_shared(build)
    return kustomization.files_of(build, folder)


def _exclusive(in_place: bool, output_dir: str | None, diff: bool, check: bool, exit_zero: bool) -> None:
    if in_place and output_dir:
        raise CliError(
            "-i and --output-dir exclude each other", "-i changes the files, --output-dir writes new ones"
        )
    if (diff or check) and (in_place or output_dir):
        raise CliError("--diff and --check write nothing: omit -i and --output-dir")
    if exit_zero and (check or not diff):
        raise CliError("--exit-zero is for --diff, and excludes --check")


def _diff(file: File) -> str:
    from gpuxlate.report.characters import unified

    return unified(file.old.decode(), file.new.decode(), file.name.lstrip("/"))


def _write(run: Result, in_place: bool, output_dir: str | None) -> None:
    if in_place:
        for file in (one for one in run.files if one.changed):
            outputs.change_file(Path(file.name), file.new, file.old, "translated")
            common.info(msg("translated {name}", name=file.name))
        return
    if output_dir is None:
        common.documents_out(stream(run.files))
        return
    written = {}
    names = _inside([file.name for file in run.files if file.is_file])
    for file in run.files:
        name = names[file.name] if file.is_file else f"{file.name.strip('<>')}.yaml"
        path = outputs.output_path(output_dir, name)
        if path in written:
            raise CliError(
                msg("two files would be written to {path}", path=path), "translate them one by one"
            )
        written[path] = file
    for path, file in written.items():
        outputs.write_files({path: file.new})


def _inside(names: Sequence[str]) -> dict[str, str]:
    """The paths of inputs below ``--output-dir``: from the working folder, else from the one they share."""
    below = {name: os.path.relpath(name) if os.path.isabs(name) else os.path.normpath(name) for name in names}
    outside = {name: os.path.abspath(name) for name, path in below.items() if path.startswith("..")}
    shared = os.path.commonpath([os.path.dirname(path) for path in outside.values()]) if outside else ""
    return below | {name: os.path.relpath(path, shared) for name, path in outside.items()}
