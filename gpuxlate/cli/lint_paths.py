"""What ``gpuxlate lint`` does, its options read: check, mend, and tell."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from gpuxlate import __version__, report
from gpuxlate.backends import registry
from gpuxlate.cli import color_wanted, common
from gpuxlate.cli.linting import MAY_BE_EMPTY, How, Run, check
from gpuxlate.cli.selection import Selection
from gpuxlate.inputs.files import SUFFIXES, InputError, any_named
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.report.summary import Replacement
from gpuxlate.rules import catalog
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.source import Source

if TYPE_CHECKING:
    from gpuxlate.rules.base import Rule
    from gpuxlate.yamltext.edit import Splice

FAIL_ON = ("error", "warning", "info", "never")


def lint_paths(
    paths: Sequence[str],
    *,
    format_: str | None = None,
    fix: bool = False,
    unsafe_fixes: bool = False,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    profile: str | None = None,
    fail_on: str | None = None,
    allow_empty: bool = False,
    statistics: bool = False,
) -> int:
    """Check what stands behind the paths; the options are those of the command. The exit code."""
    chosen = _format(format_, statistics)
    if fail_on is not None and fail_on not in FAIL_ON:
        raise common.CliError(f"--fail-on {fail_on} is not possible", f"levels: {', '.join(FAIL_ON)}")
    config = common.config()
    selection = Selection.of(select, ignore, config, common.profile(profile, config))
    how = How(fix or unsafe_fixes, unsafe_fixes, allow_empty)
    given = common.inputs(paths)
    run = check(given, selection, how)
    for problem in run.unreadable:
        common.unreadable(problem)
    if not run.files and not run.unreadable and not allow_empty:
        raise InputError(f"{', '.join(paths)}: no file there ends in {', '.join(SUFFIXES)}", MAY_BE_EMPTY)
    _judge(selection, run, whole_folders=not any_named(given))
    run.diagnostics.sort(key=Diagnostic.sort_key)
    shown = _rendered(run, chosen, statistics)
    if how.fix and any(one.path is None for one in given):  # stdout holds the fixed text
        common.err(shown)
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
            run.texts.add(source)


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
        common.err(counts)
    return report.render(
        format_,
        run.diagnostics,
        run.summary(),
        lines=run.texts.line,
        color=color_wanted(sys.stdout),
        rules=rules,
        version=__version__,
        replacements=_Replacements(run),
    )


class _Replacements:
    """The fix of a finding as changes of text, for SARIF. Documents are read again when asked."""

    def __init__(self, run: Run) -> None:
        self._texts = run.texts
        self._wanted: dict[str, dict[int, list[Diagnostic]]] = {}
        for one in run.diagnostics:
            if one.fix is not None and one.file is not None:
                self._wanted.setdefault(one.file, {}).setdefault(one.document or 0, []).append(one)
        self._of: Source | None = None
        self._splices: dict[int, list[Splice]] = {}

    def __call__(self, one: Diagnostic) -> Sequence[Replacement]:
        if one.fix is None or one.span is None:
            return ()
        source = self._texts.holding(one.file or "", one.span.line)
        if source is None:
            return ()
        if self._of is not source:  # findings come in the order of the text
            self._of, self._splices = source, self._of_source(source)
        spans = [(source.span(s.start, s.end), s.text) for s in self._splices.get(id(one), ())]
        return [Replacement(s.line, s.column, s.end_line, s.end_column, text) for s, text in spans]

    def _of_source(self, source: Source) -> dict[int, list[Splice]]:
        from gpuxlate.lint.batch import each_alone

        made: dict[int, list[Splice]] = {}
        wanted = self._wanted.get(source.name, {})
        with suppress(NotYamlError):  # what stands before the break can be fixed
            for document in documents(source):
                if document.index in wanted:
                    made |= each_alone(document, wanted[document.index])
        return made
