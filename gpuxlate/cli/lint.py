"""``gpuxlate lint``: check manifests and GPUShare documents, and mend what can be mended."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from gpuxlate import __version__, report
from gpuxlate.backends import registry
from gpuxlate.cli import color_wanted, common, options
from gpuxlate.cli.progress import progress
from gpuxlate.cli.selection import Selection
from gpuxlate.diagnostics import Diagnostic, Severity
from gpuxlate.files import (
    SUFFIXES,
    Input,
    InputError,
    may_hold,
    reader,
    reason,
    under_chart_templates,
    write_atomically,
)
from gpuxlate.lint import Linted, LintSettings, fix_source, fix_splices, lint_source, text_marks
from gpuxlate.manifest.compose import Document, NotYamlError, documents
from gpuxlate.manifest.source import Source
from gpuxlate.report.summary import Replacement, Summary
from gpuxlate.rules import catalog
from gpuxlate.unreadable import HELM_TEMPLATE, in_chart

if TYPE_CHECKING:
    from gpuxlate.rules.base import Rule

FAIL_ON = ("error", "warning", "info", "never")
MAY_BE_EMPTY = "nothing was checked; where that is right, pass --allow-empty"


@dataclass(frozen=True, slots=True)
class How:
    """What to do with each input beside checking it."""

    fix: bool
    unsafe: bool
    allow_empty: bool


@dataclass(slots=True)
class Run:
    """What a run over all inputs found."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    files: int = 0
    documents: int = 0
    shares: int = 0
    suppressed: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    fixes: int = 0
    unreadable: list[InputError] = field(default_factory=list)

    def add(self, linted: Linted) -> None:
        self.diagnostics.extend(linted.diagnostics)
        self.documents += linted.documents
        self.shares += linted.shares
        self.suppressed += linted.suppressed
        if linted.diagnostics:
            self.sources[linted.source.name] = linted.source
        if linted.skipped:
            self.skipped.append((linted.source.name, linted.skipped))

    def summary(self) -> Summary:
        counts = {s: sum(one.severity is s for one in self.diagnostics) for s in Severity}
        return Summary(
            self.files,
            self.documents,
            self.shares,
            counts[Severity.ERROR],
            counts[Severity.WARNING],
            counts[Severity.INFO],
            self.suppressed,
            tuple(self.skipped),
        )


def command(
    paths: options.Paths,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="text, json, sarif, github or gitlab.",
            metavar="FORMAT",
            autocompletion=common.completing(*report.FORMATS),
        ),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Make the safe fixes.")] = False,
    unsafe_fixes: Annotated[bool, typer.Option("--unsafe-fixes", help="Make the unsafe fixes too.")] = False,
    select: Annotated[
        list[str],
        typer.Option(
            "--select",
            help="Only these rules (codes or beginnings).",
            metavar="CODE[,CODE]",
            autocompletion=common.complete_code,
        ),
    ] = [],  # noqa: B006 - typer copies it
    ignore: Annotated[
        list[str],
        typer.Option(
            "--ignore", help="Not these rules.", metavar="CODE[,CODE]", autocompletion=common.complete_code
        ),
    ] = [],  # noqa: B006
    profile: options.ProfileFile = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            help="error (default), warning, info or never.",
            metavar="LEVEL",
            autocompletion=common.completing(*FAIL_ON),
        ),
    ] = None,
    allow_empty: Annotated[bool, typer.Option("--allow-empty", help="Nothing to check is no error.")] = False,
    statistics: Annotated[bool, typer.Option("--statistics", help="Print counts by rule.")] = False,
) -> int:
    """Check manifests and GPUShare documents."""
    chosen = _format(format_, statistics)
    if fail_on is not None and fail_on not in FAIL_ON:
        raise common.CliError(f"--fail-on {fail_on} is not possible", f"levels: {', '.join(FAIL_ON)}")
    config = common.config()
    selection = Selection.of(select, ignore, config, common.profile(profile, config))
    how = How(fix or unsafe_fixes, unsafe_fixes, allow_empty)
    run = Run()
    given = common.inputs(paths)
    for one in progress(given):
        try:
            _lint(one, selection.for_file(one.path), run, how)
        except InputError as error:
            run.unreadable.append(error)
    for problem in run.unreadable:
        common.unreadable(problem)
    if not run.files and not run.unreadable and not allow_empty:
        raise InputError(f"{', '.join(paths)}: no file there ends in {', '.join(SUFFIXES)}", MAY_BE_EMPTY)
    _judge(selection, run, whole_folders=not any(one.named for one in given))
    run.diagnostics.sort(key=Diagnostic.sort_key)
    shown = _rendered(run, chosen, statistics)
    if how.fix and any(one.path is None for one in given):  # stdout holds the fixed text
        sys.stderr.write(shown)
    else:
        common.out(shown)
    if run.fixes:
        common.note(f"fixed {run.fixes} finding{'s' if run.fixes != 1 else ''}")
    return _exit_code(run, chosen, fail_on or (config.fail_on if config else None))


def _judge(selection: Selection, run: Run, *, whole_folders: bool) -> None:
    """Add what is wrong with the configuration itself: paths that excuse nothing."""
    for found in selection.unused(whole_folders=whole_folders):
        one, source = selection.placed(found)
        run.diagnostics.append(one)
        if source is not None:
            run.sources[source.name] = source


def _exit_code(run: Run, format_: str, fail_on: str | None) -> int:
    if run.unreadable:
        return common.Exit.INPUT
    if run.fixes:
        return common.Exit.FINDINGS
    level = fail_on or ("never" if format_ == "sarif" else "error")
    if level == "never":
        return common.Exit.CLEAN
    worst = Severity(level).rank
    return (
        common.Exit.FINDINGS if any(d.severity.rank <= worst for d in run.diagnostics) else common.Exit.CLEAN
    )


def _format(given: str | None, statistics: bool) -> str:
    """The format asked for; GitHub's own inside GitHub Actions, where findings are asked for."""
    in_actions = os.environ.get("GITHUB_ACTIONS") == "true" and not statistics
    chosen = given or ("github" if in_actions else "text")
    if chosen not in report.FORMATS:
        raise common.CliError(f"--format {chosen} is not possible", f"formats: {', '.join(report.FORMATS)}")
    return chosen


def _rendered(run: Run, format_: str, statistics: bool) -> str:
    def rules(code: str) -> Rule | None:
        return catalog.find(code, registry.all_backends())

    if statistics:
        counts = report.statistics(run.diagnostics, rules)
        if format_ == "text":
            return counts
        sys.stderr.write(counts)
    return report.render(
        format_,
        run.diagnostics,
        run.summary(),
        sources=lambda name: run.sources[name].text if name in run.sources else None,
        color=color_wanted(sys.stdout),
        rules=rules,
        version=__version__,
        replacements=_Replacements(run.sources),
    )


class _Replacements:
    """The fix of a finding as changes of text, for SARIF. Documents are read again when asked."""

    def __init__(self, sources: dict[str, Source]) -> None:
        self._sources = sources
        self._of: str | None = None
        self._documents: dict[int, Document] = {}

    def __call__(self, one: Diagnostic) -> Sequence[Replacement]:
        source = self._sources.get(one.file or "")
        if source is None or one.fix is None:
            return ()
        if self._of != source.name:  # findings come file by file
            self._of, self._documents = source.name, {}
            with suppress(NotYamlError):  # what stands before the break can be fixed
                self._documents.update((d.index, d) for d in documents(source))
        document = self._documents.get(one.document or 0)
        if document is None:
            return ()
        spans = [(source.span(s.start, s.end), s.text) for s in fix_splices(document, one)]
        return [Replacement(s.line, s.column, s.end_line, s.end_column, text) for s, text in spans]


def _lint(one: Input, settings: LintSettings, run: Run, how: How) -> None:
    """Raises InputError."""
    data = one.read_bytes()
    run.files += 1
    if under_chart_templates(one.path):
        found = in_chart(one.name)
        run.skipped.append((one.name, HELM_TEMPLATE))
        if settings.selected(found.code) and not settings.excused(found.code):
            run.diagnostics.append(found)
        return
    source = one.source(data)
    # a file that cannot hold a vendor's key, and that nobody wants an answer on, costs no parse
    if not (one.named and not how.allow_empty) and not may_hold(data, text_marks()):
        return
    if one.named and not how.allow_empty and not source.text.strip():
        raise InputError(f"{one.name}: it is empty", MAY_BE_EMPTY)
    read = reader(one, source)
    if how.fix and read is documents:
        _fix(one, source, data, settings, run, unsafe=how.unsafe)
    else:  # of parameters nothing is mended: their findings have no fix
        run.add(lint_source(source, settings, read))


def _fix(one: Input, source: Source, data: bytes, settings: LintSettings, run: Run, *, unsafe: bool) -> None:
    fixed = fix_source(source, settings, unsafe=unsafe)
    if one.path is None:
        common.out(source.encode(fixed.text).decode())
    elif fixed.fixes:
        try:
            write_atomically(one.path, source.encode(fixed.text), data)
        except OSError as error:
            run.add(lint_source(source, settings))
            raise InputError(f"{one.name}: not fixed: {reason(error)}") from None
    run.add(fixed.linted)
    run.fixes += fixed.fixes
