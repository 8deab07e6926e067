"""``gpuxlate assess``: the result of translating a whole fleet, share by share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from gpuxlate.backends import registry
from gpuxlate.cli import lookup, options, outputs, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.tables import table
from gpuxlate.cli.translations import (
    UNREADABLE,
    count_to_each,
    counts_text,
    left_as_they_are,
    leftover_table,
    refused_findings,
    settle,
    show_findings,
    summarize,
    translation_settings,
)
from gpuxlate.locale import localize
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.errors import Exit
from gpuxlate.model.messages import msg, plural
from gpuxlate.report.json import to_json_text
from gpuxlate.translation.fit import Verdict
from gpuxlate.translation.items import Item, counted_once
from gpuxlate.translation.quotas.items import QuotaItem, QuotaVerdict
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import ASSESS


def command(
    paths: options.Paths = options.CURRENT_FOLDER,
    *,
    to: options.Tos,
    kustomize: options.Kustomize = None,
    translation: options.TranslationOptions,
    profile: options.ProfileFile = None,
    components: options.Components = [],
    report: options.ReportOption = None,
    html: options.Html = None,
    output: options.TableOutput = "table",
) -> int:
    """Count the shares that are exact, rounded, filled, dropped or refused at a target, and say why.

    Only the report is written. Exit 1 if every target refuses something, if a file is not a manifest, or,
    with --write-decisions, if a loss is not accepted yet.
    """
    target_profile = lookup.profile(profile, components=components)
    targets = lookup.targets_by_name(to, registry.all_writable)
    settings, decided = translation_settings(translation, [(target, target_profile) for target in targets])
    inputs = Inputs(paths, kustomize)
    results = count_to_each(inputs.some(or_excluded=True), settings, ASSESS)
    runs = {target.name: run for target, run in zip(targets, results, strict=True)}
    wrong = [refused_findings(run) for run in results]
    reported = {
        (finding.code, finding.message)
        for run in results
        for item in run.items
        for finding in item.diagnostics
    }
    untold = (
        finding for of_run in wrong for finding in of_run if (finding.code, finding.message) not in reported
    )
    show_findings(results[0], [*dict.fromkeys(untold), *left_as_they_are(results[0])])
    reports = outputs.json_reports(runs)
    data = outputs.of_targets(reports)
    files: dict[Path, str] = {}
    if report:
        files[Path(report)] = to_json_text(data)
    if html:
        from gpuxlate.report.html import assess_page

        files[Path(html)] = assess_page(reports, outputs.page_heading(inputs), outputs.page_footer())
    outputs.write_files({path: text.encode() for path, text in files.items()})
    if output == "json":
        printing.json_out(data)
    else:
        printing.out("\n".join(_text(run, name) for name, run in runs.items()))
    undecided = settle(decided, results)
    for name, run in runs.items():
        summarize(run, target=name if len(runs) > 1 else "")
    if results[0].unreadable:
        return Exit.INPUT
    unread = any(leftover.diagnostic.code in UNREADABLE for leftover in results[0].leftovers)
    return Exit.FINDINGS if all(wrong) or undecided or unread else Exit.CLEAN


def _text(run: Result, target: str) -> str:
    items = list(counted_once(run.items))
    files = {entry.file for entry in run.items} | {entry.file for entry in run.quotas}
    files |= {leftover.diagnostic.file or "" for leftover in run.leftovers}
    all_files = files | {file.name for file in run.files}  # what is built may be of files beside
    files_text = plural(len(all_files) + len(run.unreadable), "{count} file", "{count} files")
    summary = msg("{what} in {count} of {files}", what=counts_text(run), count=len(files), files=files_text)
    text = localize(msg("{what}, to {target}", what=summary, target=target)) + "\n"
    if items:
        text += "\n" + _verdicts(items)
    if run.quotas:
        text += "\n" + _quotas(run.quotas)
    if run.leftovers:
        text += "\n" + leftover_table(run.leftovers)
    return text


def _verdicts(items: Sequence[Item]) -> str:
    counts = [
        [msg(verdict), str(sum(item.verdict is verdict for item in items))]
        for verdict in Verdict
        if any(item.verdict is verdict for item in items)
    ]
    text = table(["VERDICT", "SHARES"], counts)
    reasons = _reasons(items)
    if reasons:
        text += "\n" + table(["WHY", "SHARES", "FIRST AT", "FOR EXAMPLE"], reasons)
    return text


def _quotas(quotas: Sequence[QuotaItem]) -> str:
    """Every amount of a quota with its verdict and what it becomes."""
    lines = [
        [
            f"{quota.file}:{quota.span.line}" if quota.span else quota.file,
            f"{quota.key} {quota.value}",
            msg("not translated") if quota.outcome is QuotaVerdict.LEFT else msg(quota.outcome),
            f"{quota.new_key} {quota.new_value}" if quota.new_key else "",
        ]
        for quota in quotas
    ]
    return table(["QUOTA AT", "AMOUNT", "VERDICT", "BECOMES"], lines)


def _reasons(items: Sequence[Item]) -> list[list[str]]:
    """Each code with the number of its shares, the most frequent first."""
    reasons: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item in items:
        losses = {loss.code: loss.message for loss in item.losses}
        errors = {d.code: d.message for d in item.diagnostics if d.severity is Severity.ERROR}
        places = {d.code: f"{d.file}:{d.span.line}" for d in item.diagnostics if d.span}
        for code, message in {**errors, **losses}.items():
            reasons[code].append((message, places.get(code, item.file)))
    ordered = sorted(reasons.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return [[code, str(len(rows)), rows[0][1], rows[0][0]] for code, rows in ordered]
