"""``gpuxlate lint``: check manifests and GPUShare documents, and apply fixes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gpuxlate import __version__, report
from gpuxlate.cli import lookup, options, printing
from gpuxlate.cli.inputs import Inputs, all_excluded
from gpuxlate.cli.options import InvalidValueError, invocation
from gpuxlate.cli.parallel import in_chunks, map_inputs
from gpuxlate.cli.terminal import color_wanted
from gpuxlate.files.find import HELD, STDIN, SUFFIXES, Input, InputError, system_message
from gpuxlate.files.read import read_content
from gpuxlate.lint.files import MAY_BE_EMPTY, CheckedFile, Mode, check, dialects_in, each_change
from gpuxlate.lint.settings import RuleSelection
from gpuxlate.model import limits
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, FindingSubject, Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import msg, plural
from gpuxlate.overlays.run_claims import Claims
from gpuxlate.report.summary import Replacement, Skipped, Summary
from gpuxlate.yamltext.source import Texts

if TYPE_CHECKING:
    from gpuxlate.config.configuration import Config
    from gpuxlate.report.baseline import Entries
    from gpuxlate.rules.base import Rule


def command(
    paths: options.Paths = options.CURRENT_FOLDER,
    kustomize: options.Kustomize = None,
    output: Annotated[
        report.Format | None, typer.Option(*options.FORMAT_FLAGS, help="Output format (default: text).")
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Apply the safe fixes; exit 1 if there were any.")
    ] = False,
    diff: options.Diff = False,
    exit_zero: options.ExitZero = False,
    unsafe_fixes: Annotated[bool, typer.Option("--unsafe-fixes", help="Apply the unsafe fixes too.")] = False,
    add_ignores: Annotated[
        str | None,
        typer.Option(
            "--add-ignores",
            help="Write an ignore with this reason at each finding.",
            metavar="REASON",
        ),
    ] = None,
    *,
    rules: options.RuleOptions,
    profile: options.ProfileFile = None,
    components: options.Components = [],
    upgrade: Annotated[
        str | None,
        typer.Option(
            "--upgrade",
            help="Report only what a newer release of a component changes (GX038): hami=2.10..2.11.",
            metavar="COMPONENT=OLD..NEW",
        ),
    ] = None,
    fail_on: Annotated[
        Literal["error", "warning", "info", "never"] | None,
        typer.Option(
            "--fail-on", help="Exit 1 at this severity or above (default: error; with -o sarif: never)."
        ),
    ] = None,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Exit 0 if there is nothing to check.")
    ] = (False),
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", help="Report only findings that are not in this file.", metavar="FILE"),
    ] = None,
    write_baseline: Annotated[
        str | None,
        typer.Option("--write-baseline", help="Write the findings of this run to this file.", metavar="FILE"),
    ] = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Print the number of findings of each rule.")
    ] = False,
    watch: Annotated[bool, typer.Option("-w", "--watch", help="Check again when a file changes.")] = False,
) -> int:
    """Check manifests and GPUShare documents."""
    in_actions = os.environ.get("GITHUB_ACTIONS") == "true" and not statistics
    chosen = output or ("github" if in_actions else "text")
    if exit_zero and not diff:
        raise UserError("--exit-zero is for --diff", "--fail-on never exits 0 on findings")
    mode = _mode(fix or unsafe_fixes, unsafe_fixes, allow_empty, add_ignores, diff)
    _at_most_one(
        ("--baseline", baseline), ("--write-baseline", write_baseline), ("--add-ignores", add_ignores)
    )
    _at_most_one(("--write-baseline", write_baseline), ("--diff", diff), ("--watch", watch))
    request = LintRequest(
        Inputs(paths, kustomize),
        rules,
        profile,
        components,
        upgrade,
        mode,
        chosen,
        fail_on,
        Baseline(baseline, write_baseline),
        diff,
        exit_zero,
        statistics,
    )
    if kustomize is not None:
        _at_most_one(("-k", kustomize), ("--watch", watch))
        _at_most_one(("-k", kustomize), ("--add-ignores", add_ignores))
    if not watch:
        return _lint(request)
    if "-" in paths or add_ignores is not None:
        excluded = "stdin" if "-" in paths else "--add-ignores"
        raise UserError(
            msg("--watch and {what} exclude each other", what=excluded),
            "--watch checks files again as they change",
        )
    from gpuxlate.cli.watch import run_again

    return run_again(partial(_lint, request), paths, profile)


@record
class LintRequest:
    """The options of a run of lint."""

    inputs: Inputs
    rules: options.RuleOptions
    profile: str | None
    components: Sequence[str]
    upgrade: str | None
    mode: Mode
    format: str
    fail_on: str | None
    baseline: Baseline
    diff: bool
    exit_zero: bool
    statistics: bool


def _selection(request: LintRequest, config: Config | None) -> RuleSelection:
    """The rules of a run, and its cluster; with ``--upgrade`` that before and after it."""
    profile = lookup.profile(request.profile, config, request.components)
    selection = RuleSelection.of(request.rules.select, request.rules.ignore, config, profile)
    if request.upgrade is not None:
        from gpuxlate.cli.components import before_and_after

        selection.select = ("GX038",)
        selection.before, selection.profile = before_and_after(profile, request.upgrade)
    return selection


def _lint(request: LintRequest) -> int:
    """Check the inputs as they are now, and print what is found."""
    config = lookup.config()
    selection = _selection(request, config)
    fail_on = request.fail_on or (config.fail_on if config else None)
    baseline, inputs, chosen, diff = request.baseline, request.inputs, request.format, request.diff
    entries = baseline.read()
    mode = request.mode if entries is None else _fixing_new(request.mode, entries)
    all_files = inputs.read()
    if inputs.live is None and inputs.folder is None:
        all_files = baseline.left_out_of(all_files)
    selection.claims = Claims(all_files)
    selection.in_chunks = in_chunks
    run = _run(all_files, selection, mode, diff=diff)
    if inputs.build and not mode.writes:
        from gpuxlate.lint.build import findings_of_build

        files = [file for file in all_files if file.path is not None]
        run.diagnostics, sources = findings_of_build(inputs.build.built, files, selection, run.diagnostics)
        for text in sources:
            run.texts.add(text)
    left_out = (
        inputs.live is None and "-" in inputs.paths and all(file.path is not None for file in all_files)
    )
    if left_out and mode.writes and not diff:  # stdin is excluded: an editor wants its text back
        run.to_stdout = True
        printing.documents_out([Input(STDIN, None).read_bytes()])
    for problem in run.unreadable:
        printing.show_error(problem)
    if not run.files and not run.unreadable and not mode.allow_empty and not all_excluded():
        raise InputError(
            msg("{paths}: no file ends in {names}", paths=str(inputs), names=", ".join(SUFFIXES)),
            MAY_BE_EMPTY,
        )
    if diff:
        printing.diffs_out(run.diffs)
        _remarks(run, mode, diff=True)
        return _exit_code(run, chosen, "never", changed=bool(run.changes) and not request.exit_zero)
    whole_folders = inputs.live is None and not any(file.named for file in all_files)
    for unused in selection.unused(whole_folders=whole_folders):
        placed, source = selection.placed(unused)
        run.diagnostics.append(placed)
        if source is not None:
            run.texts.add(source)
    run.diagnostics.sort(key=Diagnostic.sort_key)
    if baseline.to_write is not None:
        return baseline.write(run)
    if entries is not None:
        baseline.apply(run, entries)
    # where no input could be read, a line that says "no findings" would be taken for a result
    nothing = bool(run.unreadable) and not run.files and chosen == "text"
    shown = "" if nothing else _rendered(run, chosen, request.statistics)
    (printing.data_err if run.to_stdout else printing.data_out)(shown)  # stdout may have the fixed text
    _remarks(run, mode, diff=False)
    return _exit_code(run, chosen, fail_on, changed=mode.fix and bool(run.changes))


def _at_most_one(*options: tuple[str, object]) -> None:
    """Raises UserError where two of these options are given."""
    names = [name for name, value in options if value not in (None, False)]
    if len(names) > 1:
        raise UserError(msg("{option} and {other} exclude each other", option=names[0], other=names[1]))


@record
class Baseline:
    """The baseline that a run compares with, and the one that it writes."""

    file: str | None
    to_write: str | None

    def left_out_of(self, files: Iterable[Input]) -> Iterable[Input]:
        """The inputs without the baseline itself, where a folder has it."""
        baselines = {os.path.abspath(path) for path in (self.file, self.to_write) if path}
        if not baselines:
            return files
        return [
            file
            for file in files
            if file.named or not file.path or os.path.abspath(file.path) not in baselines
        ]

    def write(self, run: Run) -> int:
        """Write the findings of a run; nothing where an input was not read. Raises UserError."""
        from gpuxlate.cli.outputs import write_files
        from gpuxlate.report.baseline import baseline_of

        assert self.to_write is not None
        if run.unreadable:
            return Exit.INPUT
        write_files({Path(self.to_write): baseline_of(run.diagnostics).encode("utf-8", "surrogatepass")})
        findings = plural(len(run.diagnostics), "{count} finding", "{count} findings")
        printing.info(msg("{findings} written to {file}", findings=findings, file=self.to_write))
        return Exit.CLEAN

    def read(self) -> Entries | None:
        """The entries of the file to compare with. Raises UserError for a file that is no baseline."""
        if self.file is None:
            return None
        from gpuxlate.report.baseline import BaselineError, baseline_entries

        again = msg("write it again: gpuxlate lint --write-baseline {file}", file=self.file)
        try:
            return baseline_entries(read_content(self.file, named=True).decode("utf-8", "surrogatepass"))
        except OSError as error:
            raise UserError(
                msg("{file}: {error}", file=self.file, error=system_message(error)), again, Exit.INPUT
            ) from None
        except UnicodeDecodeError:
            raise UserError(msg("{file} is not UTF-8", file=self.file), again) from None
        except BaselineError as error:
            place = f"{self.file}:{error.line}" if error.line else self.file
            raise UserError(msg("{file}: {error}", file=place, error=error.message), again) from None

    def apply(self, run: Run, entries: Entries) -> None:
        """Leave the new findings of a run."""
        from gpuxlate.report.baseline import compare_to_baseline

        comparison = compare_to_baseline(run.diagnostics, run.files, entries)
        run.diagnostics, run.compared = comparison.new, True
        if comparison.matched:
            findings = plural(comparison.matched, "{count} finding is", "{count} findings are")
            printing.info(msg("{findings} in {file}", findings=findings, file=self.file))
        if comparison.gone:
            single, many = (
                "{count} entry of {file} matches no finding",
                "{count} entries of {file} match no finding",
            )
            printing.info(
                msg(single if comparison.gone == 1 else many, count=comparison.gone, file=self.file)
            )


def _mode(fix: bool, unsafe: bool, allow_empty: bool, reason: str | None, diff: bool) -> Mode:
    """What to do with each input. Raises UserError."""
    if reason is None:
        return Mode(fix or diff, unsafe, allow_empty)
    from gpuxlate.lint.add_ignores import is_reason

    if fix:
        raise UserError(
            "--fix and --add-ignores exclude each other", "fix first, then ignore the findings that are left"
        )
    if not is_reason(reason):
        hint = 'write one line that says why: --add-ignores "a webhook rounds it"'
        raise InvalidValueError("--add-ignores", reason, hint)
    return Mode(allow_empty=allow_empty, reason=reason)


def _fixing_new(mode: Mode, entries: Entries) -> Mode:
    """The mode in which nothing is fixed that a baseline has."""
    from gpuxlate.report.baseline import new_findings

    return mode._replace(to_fix=partial(new_findings, entries))


def _remarks(run: Run, mode: Mode, *, diff: bool) -> None:
    """What was changed, and which findings got no ignore and why."""
    for (name, why), lines in run.refused.items():
        places = f"{name}:{','.join(map(str, sorted(lines)))}" if lines else name
        printing.info(msg("not ignored: {places}: {why}", places=places, why=why))
    if run.changes:
        findings = plural(run.changes, "{count} finding", "{count} findings")
        if mode.reason is None:
            action = (
                msg("would fix {findings}", findings=findings)
                if diff
                else msg("fixed {findings}", findings=findings)
            )
        elif diff:
            action = msg("would ignore {findings}", findings=findings)
        else:
            action = msg("ignored {findings}", findings=findings)
        printing.info(action)


def read_and_check(file: Input, selection: RuleSelection, mode: Mode) -> CheckedFile:
    """Read and check one input, and apply its fixes. Raises InputError."""
    settings = selection.for_file(file.place)
    data, manifests = settings.role.read(file)
    checked = check(file, data, settings, mode, manifests)
    return (
        checked._replace(dialects=dialects_in(file, data, settings.profile))
        if invocation().verbose
        else checked
    )


@dataclass(slots=True)
class Run:
    """The findings of a run over all inputs."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    texts: Texts = field(default_factory=Texts)
    files: list[str] = field(default_factory=list)
    documents: int = 0
    shares: int = 0
    suppressed: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    changes: int = 0
    refused: dict[tuple[str, str], set[int]] = field(default_factory=dict)  # lines by file and reason
    unreadable: list[InputError] = field(default_factory=list)
    to_stdout: bool = False  # the fixed text of stdin
    diffs: list[str] = field(default_factory=list)
    compared: bool = False  # with a baseline: its findings are left out

    def add(self, file: Input, checked: CheckedFile) -> None:
        """Add the findings and counts of one input."""
        linted = checked.linted
        self.files.append(file.name)
        self.diagnostics += linted.diagnostics
        self.documents += linted.documents
        self.shares += linted.shares
        self.suppressed += linted.suppressed
        self.changes += checked.changes
        for finding, why in checked.refused:
            self.refused.setdefault((file.name, why), set()).update(
                [finding.span.line] if finding.span else []
            )
        if linted.diagnostics and checked.source is not None:
            self.texts.add(checked.source)
        if linted.skipped:
            self.skipped.append(Skipped(file.name, linted.skipped))

    def summary(self) -> Summary:
        """The counts of the run, as every format prints them."""
        counts = {s: sum(finding.severity is s for finding in self.diagnostics) for s in Severity}
        return Summary(
            len(self.files),
            self.documents,
            self.shares,
            counts[Severity.ERROR],
            counts[Severity.WARNING],
            counts[Severity.INFO],
            self.suppressed,
            tuple(self.skipped),
        )


def _run(files: Iterable[Input], selection: RuleSelection, mode: Mode, *, diff: bool) -> Run:
    HELD.texts.clear()
    run = Run()
    for file, checked in map_inputs(partial(read_and_check, selection=selection, mode=mode), files):
        if isinstance(checked, InputError):
            run.unreadable.append(checked)
            continue
        if diff:
            if checked.new != checked.old:
                from gpuxlate.report.characters import unified_diff

                run.diffs.append(
                    unified_diff(checked.old.decode(), checked.new.decode(), file.name.lstrip("/"))
                )
        elif mode.writes and file.path is None:
            run.to_stdout = True
            printing.documents_out([checked.new])
        elif checked.changes:
            action = "fixed" if mode.reason is None else "ignored"
            checked = _written(file, checked, selection, run, action)
        run.add(file, checked)
        printing.dialects_used(file.name, checked.dialects)
        selection.note(file.place, checked.linted.excused)
        if len(run.diagnostics) > limits.MAX_RUN_FINDINGS:
            message = msg(
                "more than {count} findings: inputs after {name} were not checked",
                count=limits.MAX_RUN_FINDINGS,
                name=file.name,
            )
            run.unreadable.append(InputError(message))
            break
    return run


def _written(
    file: Input, checked: CheckedFile, selection: RuleSelection, run: Run, action: str
) -> CheckedFile:
    """Write the new text of a file: its findings after that, or those before where writing fails."""
    from gpuxlate.cli.outputs import change_file

    assert file.path is not None
    try:
        change_file(file.path, checked.new, checked.old, action)
    except InputError as error:
        run.unreadable.append(error)
        return check(file, checked.old, selection.for_file(file.place), Mode())
    return checked


def _exit_code(run: Run, format_: str, fail_on: str | None, *, changed: bool) -> int:
    if run.unreadable:
        return Exit.INPUT
    if changed:
        return Exit.FINDINGS
    level = fail_on or ("never" if format_ == "sarif" else "error")
    if level == "never":
        return Exit.CLEAN
    worst = Severity(level).rank
    failed = any(finding.severity.rank <= worst for finding in run.diagnostics)
    return Exit.FINDINGS if failed else Exit.CLEAN


def _rendered(run: Run, format_: str, statistics: bool) -> str:
    def rules(code: str) -> Rule | None:
        from gpuxlate.backends import registry
        from gpuxlate.rules import catalog

        return catalog.find_rule(code, registry.all_backends())

    if statistics:
        counts = report.statistics(run.diagnostics, rules)
        if format_ == "text":
            return counts
        printing.data_err(counts)
    return report.render(
        format_,
        run.diagnostics,
        run.summary(),
        lines=run.texts.line,
        color=color_wanted(sys.stdout),
        rules=rules,
        version=__version__,
        counts=not invocation().quiet,
        every=invocation().verbose,
        compared=run.compared,
        replacements=_replacements(run) if format_ == "sarif" else None,
    )


def _replacements(run: Run) -> Callable[[Diagnostic], Sequence[Replacement]]:
    """The fix of each finding as changes of its text, for SARIF. Documents are read again."""
    fixable: dict[str, list[Diagnostic]] = {}
    for finding in run.diagnostics:
        if finding.fix is not None and finding.file is not None:
            fixable.setdefault(finding.file, []).append(finding)
    replacements: dict[tuple[str | None, FindingSubject], list[Replacement]] = {}
    for name, findings in fixable.items():
        source = run.texts.get(name)
        for subject, splices in each_change(source, findings).items() if source else ():
            spans = [(source.span(s.start, s.end), s.text) for s in splices if source]
            replacements[name, subject] = [
                Replacement(s.line, s.column, s.end_line, s.end_column, text) for s, text in spans
            ]
    return lambda finding: replacements.get((finding.file, finding.subject), ())
