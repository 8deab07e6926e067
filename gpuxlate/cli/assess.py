"""``gpuxlate assess``: the result of translating a whole fleet, share by share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from gpuxlate.backends import registry
from gpuxlate.cli import lookup, options, outputs, printing
from gpuxlate.cli.decisions import read as read_decisions
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.tables import table
from gpuxlate.cli.translations import (
    UNREADABLE,
    count_to_each,
    counts,
    left_as_they_are,
    leftover_table,
    refusals,
    settle,
    show_findings,
    summarize,
)
from gpuxlate.locale import localize
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.errors import Exit
from gpuxlate.model.messages import msg, plural
from gpuxlate.report.json import dump
from gpuxlate.translation.fit import Verdict
from gpuxlate.translation.options import Settings
from gpuxlate.translation.quotas.items import QuotaItem, QuotaVerdict
from gpuxlate.translation.results import Item, Result, counted_once
from gpuxlate.translation.translate import ASSESS


def command(
    paths: options.Paths = options.HERE,
    *,
    to: options.Tos,
    kustomize: options.Kustomize = None,
    translation: options.TranslationOptions,
    profile: options.ProfileFile = None,
    components: options.Components = [],
    report: options.Report = None,
    html: options.Html = None,
    output: options.Output = "table",
) -> int:
    """Count the shares that are exact, rounded, filled, dropped or refused at a target, and say why.

    Only the report is written. Exit 1 where every target refuses something whatever is accepted, for files
    that cannot be read as manifests, and with --write-decisions while something is undecided.
    """
    decided = read_decisions(translation.accepted)
    source = lookup.target(translation.from_) if translation.from_ else None
    accept, known = translation.losses.accept(), lookup.profile(profile, components=components)
    targets = lookup.targets(to, registry.all_writable)
    choices = decided.known if decided else None
    wanted = [Settings(one, source, accept, known, decisions=choices) for one in targets]
    found = count_to_each(Inputs(paths, kustomize).some(or_excluded=True), wanted, ASSESS)
    runs = {target.name: run for target, run in zip(targets, found, strict=True)}
    wrong = [refusals(run) for run in found]
    told = {(one.code, one.message) for run in found for item in run.items for one in item.diagnostics}
    untold = (one for of_run in wrong for one in of_run if (one.code, one.message) not in told)
    show_findings(found[0], [*dict.fromkeys(untold), *left_as_they_are(found[0])])
    reports = outputs.reports(runs)
    data = outputs.of_targets(reports)
    files: dict[Path, str] = {}
    if report:
        files[Path(report)] = dump(data)
    if html:
        from gpuxlate.report.html import assess_page

        files[Path(html)] = assess_page(reports, outputs.made())
    outputs.write_files({path: text.encode() for path, text in files.items()})
    if output == "json":
        printing.json_out(data)
    else:
        printing.out("\n".join(_text(run, name) for name, run in runs.items()))
    undecided = settle(decided, found)
    for name, run in runs.items():
        summarize(run, target=name if len(runs) > 1 else "")
    if found[0].unreadable:
        return Exit.INPUT
    unread = any(left.diagnostic.code in UNREADABLE for left in found[0].leftovers)
    return Exit.FINDINGS if all(wrong) or undecided or unread else Exit.CLEAN


def _text(run: Result, target: str) -> str:
    items = list(counted_once(run.items))
    files = {one.file for one in run.items} | {one.file for one in run.quotas}
    files |= {one.diagnostic.file or "" for one in run.leftovers}
    every = files | {one.name for one in run.files}  # what is built may be of files beside
    there = plural(len(every) + len(run.unreadable), "{count} file", "{count} files")
    what = msg("{what} in {count} of {files}", what=counts(run), count=len(files), files=there)
    text = localize(msg("{what}, to {target}", what=what, target=target)) + "\n"
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
            f"{one.file}:{one.span.line}" if one.span else one.file,
            f"{one.key} {one.value}",
            msg("not translated") if one.outcome is QuotaVerdict.LEFT else msg(one.outcome),
            f"{one.new_key} {one.new_value}" if one.new_key else "",
        ]
        for one in quotas
    ]
    return table(["QUOTA AT", "AMOUNT", "VERDICT", "BECOMES"], lines)


def _reasons(items: Sequence[Item]) -> list[list[str]]:
    """Each code with the number of its shares, the most frequent first."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item in items:
        losses = {loss.code: loss.message for loss in item.losses}
        errors = {d.code: d.message for d in item.diagnostics if d.severity is Severity.ERROR}
        places = {d.code: f"{d.file}:{d.span.line}" for d in item.diagnostics if d.span}
        for code, message in {**errors, **losses}.items():
            found[code].append((message, places.get(code, item.file)))
    ordered = sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return [[code, str(len(rows)), rows[0][1], rows[0][0]] for code, rows in ordered]
