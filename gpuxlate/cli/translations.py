"""Translate every input of a run: common to ``translate``, ``assess``, ``parse`` and ``inspect``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from gpuxlate.backends.base import Backend
from gpuxlate.cli import lookup, parallel, printing
from gpuxlate.cli.decisions import DecisionFiles, decision_files
from gpuxlate.cli.options import TranslationOptions, invocation
from gpuxlate.cli.tables import table
from gpuxlate.files.find import Input
from gpuxlate.model.diagnostics import Diagnostic, LossKind, Severity
from gpuxlate.model.errors import Exit
from gpuxlate.model.messages import Message, join_and, msg, plural
from gpuxlate.model.profile import Profile
from gpuxlate.rules.translation import whole_cards_have_a_dialect
from gpuxlate.translation import run as runs
from gpuxlate.translation.acceptance import DROPPABLE
from gpuxlate.translation.fit import Verdict
from gpuxlate.translation.items import counted_once
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import Task
from gpuxlate.translation.read import read_source
from gpuxlate.translation.results import Result
from gpuxlate.yamltext.source import Source, Texts

UNREADABLE = ("GX001", "GX010", "GX025")
"""Rules about texts that hold no manifest that can be read."""


def translation_settings(
    options: TranslationOptions,
    targets: Iterable[tuple[Backend, Profile | None]],
    *,
    allow_leftovers: bool = False,
) -> tuple[list[Settings], DecisionFiles | None]:
    """What a run does for each of its targets, with the profile of each; and its files of decisions.

    An option of all translating commands comes into a translation here. Raises UserError.
    """
    source = lookup.target(options.from_) if options.from_ else None
    accept, decided = options.losses.accept(), decision_files(options.accepted)
    decisions = decided.decisions if decided else None
    return [
        Settings(target, source, accept, profile, allow_leftovers=allow_leftovers, decisions=decisions)
        for target, profile in targets
    ], decided


def translate_inputs(inputs: Iterable[Input], settings: Sequence[Settings]) -> list[Result]:
    """Translate inputs in their order, for each of some targets; those that cannot be read are reported.

    Raises InputError where none can be read.
    """
    results = runs.translate_to(inputs, _in_chunks(settings), parallel.map_inputs)
    _note(results, settings[0])
    return results


def translate_to_each(inputs: Iterable[Input], settings: Sequence[Settings]) -> list[Result]:
    """Translate inputs for several targets. Raises InputError."""
    results = runs.translate_to(inputs, _in_chunks(settings), parallel.map_inputs)
    for problem in results[0].unreadable:
        raise problem
    _note_dialects(results)
    return results


def count_to_each(inputs: Iterable[Input], settings: Sequence[Settings], task: Task) -> list[Result]:
    """Count what inputs request, for several targets; those that cannot be read are said.

    Raises InputError where none can be read.
    """
    results = runs.count(inputs, _in_chunks(settings), task, parallel.map_inputs)
    _note(results, settings[0])
    return results


def _note(results: Sequence[Result], settings: Settings) -> None:
    """Note which inputs were left out or could not be read, and that none has the dialect of ``--from``."""
    _note_dialects(results)
    run = results[0]
    for problem in run.unreadable:
        if not run.files and problem is run.unreadable[-1]:
            raise problem
        printing.show_error(problem)
    if run.share_documents:
        documents = plural(run.share_documents, "{count} GPUShare document", "{count} GPUShare documents")
        rendered = "gpuxlate render FILE --to TARGET"
        printing.info(
            msg("note: {left} left out: {command} writes the manifests", left=documents, command=rendered)
        )
    note_source(run, settings.from_)


def _note_dialects(results: Sequence[Result]) -> None:
    """The dialects of each file or build, once for all targets, where the run is verbose."""
    dialects: dict[str, set[str]] = {}
    for item in chain.from_iterable(run.items for run in results):
        dialects.setdefault(item.build or item.file, set()).add(item.source)
    for name, names in dialects.items():
        printing.dialects_used(name, names)


def settle(decided: DecisionFiles | None, results: Sequence[Result]) -> bool:
    """Settle the files of decisions by the results of runs; whether a decision is still open. Nothing happens
    where an input was not read, since its losses are not known."""
    if decided is None or results[0].unreadable:
        return False
    return decided.settle([judged for run in results for judged in run.judged])


def note_source(run: Result, source: Backend | None) -> None:
    """Note the dialects that the inputs have in place of ``--from``."""
    if source is None or not run.files or run.items or run.quotas:
        return
    texts = (Source(file.name, file.old.decode(errors="replace")) for file in run.files)
    others = sorted({item.source for text in texts for item in read_source(text, Settings.reading()).items})
    if source.name in others:
        printing.info(
            msg("note: the input is of {name} already: there is nothing to translate", name=source.name)
        )
        return
    note = msg("found: {names}", names=", ".join(others)) if others else msg("no share is in it")
    printing.info(msg("note: nothing in the input is of {name}; {found}", name=source.name, found=note))


def _in_chunks(settings: Sequence[Settings]) -> list[Settings]:
    """The settings, by which large sources are read on all cores."""
    return [replace(setting, in_chunks=parallel.in_chunks) for setting in settings]


def counts_text(run: Result) -> str:
    """The shares, quotas and leftovers: "41 shares, 2 quotas, 3 leftovers"."""
    return join_and([_shares(len(list(counted_once(run.items)))), *_beside(run)])


def _shares(count: int) -> Message:
    return plural(count, "{count} share", "{count} shares")


def _beside(run: Result) -> list[Message]:
    """The counts of quotas and leftovers, as text."""
    objects = {(quota.file, quota.document, quota.object_path) for quota in run.quotas}
    parts = [plural(len(objects), "{count} quota", "{count} quotas")] if run.quotas else []
    return [*parts, left_over(run)] if run.leftovers else parts


def files_written(count: int) -> Message:
    """How many files were written."""
    return plural(count, "{count} file written", "{count} files written")


def left_over(run: Result) -> Message:
    """How many leftovers there are."""
    return plural(len(run.leftovers), "{count} leftover", "{count} leftovers")


def summarize(run: Result, *actions: str, target: str = "", apart: bool = False) -> None:
    """The last line on stderr: the shares by verdict, what else it found, and the ``actions`` of the run.

    ``apart``: after an empty line, since findings are above it.
    """
    if apart:
        printing.info("")
    items = list(counted_once(run.items))
    verdicts = Counter(item.verdict for item in items)
    each = [
        msg("{count} {verdict}", count=verdicts[verdict], verdict=msg(verdict))
        for verdict in Verdict
        if verdicts[verdict]
    ]
    shares = _shares(len(items))
    summary = msg("{shares}: {verdicts}", shares=shares, verdicts=join_and(each)) if each else shares
    already = plural(
        run.pods_already_at_target,
        "{count} pod already has keys of the target",
        "{count} pods already have keys of the target",
    )
    for remark in (*_beside(run), *([already] if run.pods_already_at_target else []), *actions):
        summary = msg("{what}; {more}", what=summary, more=remark)
    printing.info(msg("{target}: {what}", target=target, what=summary) if target else summary)


def refused_findings(run: Result) -> list[Diagnostic]:
    """The errors of a run that no option accepts."""
    open_ = [loss for item in run.items for loss in item.losses if not loss.accepted]
    accepted = {
        (loss.code, loss.message)
        for loss in open_
        if loss.kind is not LossKind.REFUSED
        and (loss.kind is not LossKind.DROPPED or loss.field in DROPPABLE)
    }
    acceptable = [
        leftover for leftover in run.leftovers if not leftover.final or (open_ and leftover.follows)
    ]
    accepted |= {(leftover.diagnostic.code, leftover.diagnostic.message) for leftover in acceptable}
    return [
        finding
        for finding in run.diagnostics
        if finding.severity is Severity.ERROR and (finding.code, finding.message) not in accepted
    ]


def left_as_they_are(run: Result) -> list[Diagnostic]:
    """The findings on whole cards that no dialect reads, which are not counted as shares."""
    remarks = [finding for finding in run.diagnostics if finding.code == whole_cards_have_a_dialect.code]
    if not remarks:
        return remarks
    counted = {leftover.diagnostic for leftover in run.leftovers}
    counted.update(*(item.diagnostics for item in run.items))
    return [finding for finding in remarks if finding not in counted]


def accepting_options(run: Result) -> dict[str, Any] | None:
    """The options that accept a refused run, as keys of the configuration; None where nothing can."""
    if run.unreadable or refused_findings(run):
        return None
    open_ = [loss for item in run.items for loss in item.losses if not loss.accepted]
    any_left = any(
        leftover.diagnostic.severity is Severity.ERROR
        and not leftover.final
        and not (open_ and leftover.follows)  # what accepts the losses translates it too
        for leftover in run.leftovers
    )
    dropped = sorted({loss.field for loss in open_ if loss.kind is LossKind.DROPPED})
    options = {
        "round": "up" if any(loss.kind is LossKind.ROUNDED for loss in open_) else None,
        "fill": dict.fromkeys(sorted({loss.field for loss in open_ if loss.kind is LossKind.FILLED}), "N"),
        "drop": dropped,
        "allow-leftovers": any_left,
    }
    return {name: value for name, value in options.items() if value}


def _flags(accepted: Mapping[str, Any]) -> str:
    """The options that accept a refused run, as a command line."""
    return " ".join(
        [
            *(["--round up"] if "round" in accepted else []),
            *(f"--fill {name}={value}" for name, value in accepted.get("fill", {}).items()),
            *([f"--drop {','.join(accepted['drop'])}"] if "drop" in accepted else []),
            *(["--allow-leftovers"] if "allow-leftovers" in accepted else []),
        ]
    )


def refuse(runs: Mapping[str, Result]) -> int:
    """End a command that was refused, with its runs by target ("" for one alone): their counts, and the
    command line that accepts them."""
    whole = Result()
    for target, run in runs.items():
        if run.items or run.quotas or run.leftovers:
            summarize(run, msg("no file written"), target=target, apart=not whole.items)
        whole += run
    accepted = accepting_options(whole)
    if accepted and not any(word.startswith("--write-decisions") for word in invocation().words):
        printing.info(msg("to accept: {command}", command=f"{invocation().command} {_flags(accepted)}"))
    return Exit.INPUT if whole.unreadable else Exit.FINDINGS


def show_findings(run: Result, findings: Sequence[Diagnostic]) -> None:
    """Findings of a run on stderr."""
    printing.show(findings, Texts(*run.sources))


def leftover_table(leftovers: Sequence[Leftover]) -> str:
    """Every place where something is not translated, for people."""
    findings = [leftover.diagnostic for leftover in leftovers]
    at = [
        f"{finding.file}:{finding.span.line}" if finding.span else str(finding.file) for finding in findings
    ]
    rows = [[where, finding.code, finding.message] for where, finding in zip(at, findings, strict=True)]
    return table(["LEFTOVER AT", "RULE", "WHAT"], rows)
