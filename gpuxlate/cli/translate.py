"""``gpuxlate translate``: whole manifests from any dialect to another."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from gpuxlate.backends import registry
from gpuxlate.cli import common, options
from gpuxlate.cli.progress import progress
from gpuxlate.cli.render import joined
from gpuxlate.cli.report import write_report
from gpuxlate.diagnostics import Severity
from gpuxlate.files import Input, InputError, may_hold, reader, under_chart_templates, write_atomically
from gpuxlate.translate import Settings, Translation, translate_source
from gpuxlate.unreadable import in_chart


def command(
    paths: options.Paths,
    to: options.To,
    from_: options.From = None,
    round_: options.Round = None,
    fill: options.Fill = [],  # noqa: B006 - typer copies it
    drop: options.Drop = [],  # noqa: B006
    profile: options.ProfileFile = None,
    in_place: Annotated[bool, typer.Option("-i", "--in-place", help="Change the files themselves.")] = False,
    output_dir: options.OutputDir = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print what would change; write nothing.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit 1 if something would change; write nothing.")
    ] = False,
    report: options.Report = None,
) -> int:
    """Whole manifests from any dialect to another; only GPU lines change."""
    _exclusive(in_place, output_dir, diff, check)
    given = common.some_inputs(paths)
    if in_place and any(one.path is None for one in given):
        raise common.CliError("stdin cannot be changed in place", "leave -i out: the result goes to stdout")
    source = common.target(from_) if from_ else None
    for one in (common.target(to), source):
        if one and one.form_module:
            raise common.CliError(
                f"{one.name} stands in no manifest, and translate changes manifests",
                "gpuxlate parse reads its share, gpuxlate render --to TARGET writes it",
            )
    settings = Settings(common.target(to), source, common.accept(round_, fill, drop), common.profile(profile))
    done = list(translate_inputs(given, settings))
    diagnostics = [one for translation in done for one in translation.diagnostics]
    common.show(diagnostics, {t.source.name: t.source for t in done if t.diagnostics})
    if report:
        write_report(Path(report), [item for translation in done for item in translation.items])
    if any(one.severity is Severity.ERROR for one in diagnostics):
        return common.Exit.FINDINGS
    changed = [translation for translation in done if translation.changed]
    if diff:
        common.out("".join(_diff(translation) for translation in changed))
    if check:
        for translation in changed:
            common.note(f"would change {translation.source.name}")
    if diff or check:
        return common.Exit.FINDINGS if check and changed else common.Exit.CLEAN
    _write(done, given, in_place, output_dir)
    return common.Exit.CLEAN


def _exclusive(in_place: bool, output_dir: str | None, diff: bool, check: bool) -> None:
    if in_place and output_dir:
        raise common.CliError(
            "-i and --output-dir exclude each other", "-i changes the files, --output-dir leaves them alone"
        )
    if (diff or check) and (in_place or output_dir):
        raise common.CliError("--diff and --check write nothing: leave -i and --output-dir out")


def translate_inputs(given: Sequence[Input], settings: Settings) -> Iterable[Translation]:
    """Translate inputs in their order. A file without any vendor's key costs no parse in a folder."""
    marks = registry.marks()
    for one in progress(given):
        data = one.read_bytes()
        source = one.source(data)
        if under_chart_templates(one.path):
            yield Translation(source, source.text, (), (in_chart(source.name),))
        elif not one.named and not may_hold(data, marks):
            yield Translation(source, source.text)
        elif not source.text.strip():
            if one.named:
                raise InputError(f"{one.name}: it is empty")
            yield Translation(source, source.text)
        else:
            from_ = settings.from_.name if settings.from_ else None
            yield translate_source(source, settings, reader(one, source, from_))


def _diff(translation: Translation) -> str:
    name = translation.source.name
    lines = difflib.unified_diff(
        translation.source.text.splitlines(keepends=True),
        translation.text.splitlines(keepends=True),
        f"a/{name.lstrip('/')}",
        f"b/{name.lstrip('/')}",
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _write(done: list[Translation], given: Sequence[Input], in_place: bool, output_dir: str | None) -> None:
    if in_place:
        for one, translation in zip(given, done, strict=True):
            if translation.changed and one.path is not None:
                source = translation.source
                write_atomically(one.path, source.encode(translation.text), source.encode(source.text))
                common.note(f"translated {one.name}")
        return
    if output_dir is None:
        texts = [(t.source.encode(t.text)).decode("utf-8") for t in done]
        common.out(joined(texts))
        return
    files = {}
    for one, translation in zip(given, done, strict=True):
        name = _inside(one.name) if one.path else f"{one.name.strip('<>')}.yaml"
        files[common.output_path(output_dir, name)] = translation.source.encode(translation.text)
    common.write_files(files)


def _inside(name: str) -> str:
    """The path of an input below ``--output-dir``: relative, without steps out of it."""
    path = Path(name)
    relative = os.path.relpath(name) if path.is_absolute() else os.path.normpath(name)
    return relative if not relative.startswith("..") else path.name
