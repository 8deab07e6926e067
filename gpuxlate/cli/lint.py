"""``gpuxlate lint``: check manifests and GPUShare documents, and mend what can be mended."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

import typer

from gpuxlate import __version__, report
from gpuxlate.backends import registry
from gpuxlate.cli import color_wanted, common, options
from gpuxlate.cli.progress import progress
from gpuxlate.diagnostics import Diagnostic, Severity
from gpuxlate.files import Input, InputError, may_hold, under_chart_templates, write_atomically
from gpuxlate.lint import Linted, LintSettings, fix_source, fix_splices, lint_source
from gpuxlate.manifest.compose import NotYamlError, documents
from gpuxlate.manifest.source import Source
from gpuxlate.report.summary import Replacement, Summary
from gpuxlate.rules import catalog
from gpuxlate.unreadable import in_chart

if TYPE_CHECKING:
    from gpuxlate.rules.base import Rule
    from gpuxlate.spec.config import Config

FAIL_ON = ("error", "warning", "info", "never")


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
    unreadable: list[str] = field(default_factory=list)

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
        typer.Option("--format", help="text, json, sarif, github or gitlab.", metavar="FORMAT"),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Make the safe fixes.")] = False,
    unsafe_fixes: Annotated[bool, typer.Option("--unsafe-fixes", help="Make the unsafe fixes too.")] = False,
    select: Annotated[
        list[str],
        typer.Option("--select", help="Only these rules (codes or beginnings).", metavar="CODE[,CODE]"),
    ] = [],  # noqa: B006 - typer copies it
    ignore: Annotated[
        list[str], typer.Option("--ignore", help="Not these rules.", metavar="CODE[,CODE]")
    ] = [],  # noqa: B006
    profile: options.ProfileFile = None,
    fail_on: Annotated[
        str | None,
        typer.Option("--fail-on", help="error (default), warning, info or never.", metavar="LEVEL"),
    ] = None,
    allow_empty: Annotated[bool, typer.Option("--allow-empty", help="Nothing to check is no error.")] = False,
    statistics: Annotated[bool, typer.Option("--statistics", help="Print counts by rule.")] = False,
) -> int:
    """Check manifests and GPUShare documents."""
    chosen = _format(format_)
    if fail_on is not None and fail_on not in FAIL_ON:
        raise common.CliError(f"--fail-on {fail_on} is not possible", f"levels: {', '.join(FAIL_ON)}")
    config = common.config()
    settings = LintSettings(
        common.profile(profile, config), _selected(_codes(select) or (config.select if config else None), ())
    )
    ignored = (*_codes(ignore), *(config.ignore if config else ()))
    run = Run()
    given = common.inputs(paths)
    for one in progress(given):
        here = replace(settings, selected=_for_file(settings.selected, ignored, config, one))
        try:
            _lint(one, here, run, fix=fix or unsafe_fixes, unsafe=unsafe_fixes, allow_empty=allow_empty)
        except InputError as error:
            run.unreadable.append(str(error))
    for line in run.unreadable:
        common.note(f"error: {line}")
    if not run.files and not run.unreadable and not allow_empty:
        raise InputError("nothing to check: no YAML in the folders given")
    run.diagnostics.sort(key=Diagnostic.sort_key)
    stdin_fixed = (fix or unsafe_fixes) and any(one.path is None for one in given)
    shown = _rendered(run, chosen, statistics)
    if stdin_fixed:
        sys.stderr.write(shown)
    else:
        common.out(shown)
    if run.fixes:
        common.note(f"fixed {run.fixes} finding{'s' if run.fixes != 1 else ''}")
    return _exit_code(run, chosen, fail_on or (config.fail_on if config else None))


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


def _format(given: str | None) -> str:
    """The format asked for; GitHub's own inside GitHub Actions."""
    chosen = given or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "text")
    if chosen not in report.FORMATS:
        raise common.CliError(f"--format {chosen} is not possible", f"formats: {', '.join(report.FORMATS)}")
    return chosen


def _rendered(run: Run, format_: str, statistics: bool) -> str:
    def rules(code: str) -> Rule | None:
        return catalog.find(code, registry.all_backends())

    if statistics and format_ == "text":
        return report.statistics(run.diagnostics, rules)
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

    def __call__(self, one: Diagnostic) -> Sequence[Replacement]:
        source = self._sources.get(one.file or "")
        if source is None or one.fix is None:
            return ()
        try:
            document = next(d for d in documents(source) if d.index == one.document)
        except (NotYamlError, StopIteration):
            return ()
        spans = [(source.span(s.start, s.end), s.text) for s in fix_splices(document, one)]
        return [Replacement(s.line, s.column, s.end_line, s.end_column, text) for s, text in spans]


def _lint(
    one: Input, settings: LintSettings, run: Run, *, fix: bool, unsafe: bool, allow_empty: bool
) -> None:
    data = one.read_bytes()
    run.files += 1
    if under_chart_templates(one.path):
        found = in_chart(one.name)
        run.skipped.append((one.name, "Helm template"))
        if settings.selected(found.code):
            run.diagnostics.append(found)
        return
    # a file the user did not name, and that cannot hold a vendor's key, costs no parse
    if not one.named and not may_hold(data, registry.near_marks()):
        return
    source = one.source(data)
    if one.named and not allow_empty and not source.text.strip():
        raise InputError(f"{one.name}: empty, nothing to check")
    if not fix:
        run.add(lint_source(source, settings))
        return
    fixed = fix_source(source, settings, unsafe=unsafe)
    run.add(fixed.linted)
    run.fixes += fixed.fixes
    if one.path is None:
        common.out(source.encode(fixed.text).decode())
    elif fixed.fixes:
        write_atomically(one.path, source.encode(fixed.text), data)


# --- what is selected -----------------------------------------------------------------------------


def _codes(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip().upper() for text in texts for code in text.split(",") if code.strip())


def _matches(code: str, names: Sequence[str]) -> bool:
    return any(name == "ALL" or code.startswith(name) for name in names)


def _selected(select: Sequence[str] | None, ignore: Sequence[str]) -> Callable[[str], bool]:
    for name in (*(select or ()), *ignore):
        _known(name)
    return lambda code: not select or _matches(code, select)


def _known(name: str) -> None:
    """A code, or the beginning of one; anything else is a usage error."""
    rules = catalog.all_rules(registry.all_backends())
    if name == "ALL" or any(code.startswith(name) for code in rules):
        return
    near = catalog.nearest(name, registry.all_backends())
    raise common.CliError(
        f"no rule {name!r}", f"did you mean {near}?" if near else "gpuxlate rules lists them"
    )


def _for_file(
    selected: Callable[[str], bool], ignored: Sequence[str], config: Config | None, one: Input
) -> Callable[[str], bool]:
    names = list(ignored)
    if config is not None and one.path is not None:
        names += [rule for entry in config.ignores_for(one.path) for rule in entry.rules]
    if not names:
        return selected
    for name in ignored:
        _known(name)
    return lambda code: selected(code) and not _matches(code, names)
