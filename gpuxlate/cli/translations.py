"""Translate every input of a run: common to ``translate``, ``assess``, ``parse`` and ``inspect``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gpuxlate.backends.base import Backend
from gpuxlate.cli import parallel, printing
from gpuxlate.cli.decisions import DecisionFiles
from gpuxlate.cli.options import invocation
from gpuxlate.cli.tables import table
from gpuxlate.files.find import Input, InputError
from gpuxlate.model.diagnostics import Diagnostic, LossKind, Severity
from gpuxlate.model.errors import Exit
from gpuxlate.model.messages import Message, join_and, msg, plural
from gpuxlate.rules.translation import whole_cards_have_a_dialect
from gpuxlate.translation import run as runs
from gpuxlate.translation.acceptance import DROPPABLE
from gpuxlate.translation.fit import Verdict
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import Task
from gpuxlate.translation.read import read_source
from gpuxlate.translation.results import Result, counted_once
from gpuxlate.yamltext.source import Source, Texts

UNREADABLE = ("GX001", "GX010", "GX025")
"""Rules about texts that hold no manifest that can be read."""


def translate_inputs(given: Iterable[Input], wanted: Sequence[Settings]) -> list[Result]:
    """Translate inputs in their order, for each of some targets; those that cannot be read are reported.

    Raises InputError where none can be read.
    """
    found = runs.translate_to(given, _in_chunks(wanted), _each)
    _note(found[0], wanted[0])
    return found


def translate_to_each(given: Iterable[Input], wanted: Sequence[Settings]) -> list[Result]:
    """Translate inputs for several targets. Raises InputError."""
    found = runs.translate_to(given, _in_chunks(wanted), _each)
    for problem in found[0].unreadable:
        raise problem
    return found


def count_to_each(given: Iterable[Input], wanted: Sequence[Settings], task: Task) -> list[Result]:
    """Count what inputs request, for several targets; those that cannot be read are said.

    Raises InputError where none can be read.
    """
    found = runs.count(given, _in_chunks(wanted), task, _each)
    for folder in {one.build: None for run in found for one in run.items if one.build}:
        for run in found:
            parallel.dialects_used(folder, (one.source for one in run.items if one.build == folder))
    _note(found[0], wanted[0])
    return found


def _note(run: Result, settings: Settings) -> None:
    """What of the inputs a run left out or could not read, and that none of them is of ``--from``."""
    for problem in run.unreadable:
        if not run.files and problem is run.unreadable[-1]:
            raise problem
        printing.show_error(problem)
    if run.share_documents:
        left = plural(run.share_documents, "{count} GPUShare document", "{count} GPUShare documents")
        rendered = "gpuxlate render FILE --to TARGET"
        printing.info(
            msg("note: {left} left out: {command} writes the manifests", left=left, command=rendered)
        )
    note_source(run, settings.from_)


def settle(decided: DecisionFiles | None, found: Sequence[Result]) -> bool:
    """Whether a decision is open after some runs, and what they make of the files of decisions. Nothing where
    an input was not read: what it would say of them is not known."""
    if decided is None or found[0].unreadable:
        return False
    return decided.settle([one for run in found for one in run.judged])


def note_source(run: Result, source: Backend | None) -> None:
    """Note the dialects that the inputs have in place of ``--from``."""
    if source is None or not run.files or run.items or run.quotas:
        return
    texts = (Source(one.name, one.old.decode(errors="replace")) for one in run.files)
    others = sorted({one.source for text in texts for one in read_source(text, Settings.reading()).items})
    if source.name in others:
        printing.info(
            msg("note: the input is of {name} already: there is nothing to translate", name=source.name)
        )
        return
    found = msg("found: {names}", names=", ".join(others)) if others else msg("no share is in it")
    printing.info(msg("note: nothing in the input is of {name}; {found}", name=source.name, found=found))


def _in_chunks(wanted: Sequence[Settings]) -> list[Settings]:
    """The same, with large sources read on all cores."""
    return [replace(one, in_chunks=parallel.in_chunks) for one in wanted]


def _each(work: runs.Work, given: Iterable[Input]) -> Iterator[tuple[Input, list[Result] | InputError]]:
    for one, made in parallel.map_inputs(work, given):
        for found in () if isinstance(made, InputError) else made:
            parallel.dialects_used(one.name, (each.source for each in found.items))
        yield one, made


def counts(run: Result) -> str:
    """The shares, quotas and leftovers: "41 shares, 2 quotas, 3 leftovers"."""
    return join_and([_shares(len(list(counted_once(run.items)))), *_beside(run)])


def _shares(count: int) -> Message:
    return plural(count, "{count} share", "{count} shares")


def _beside(run: Result) -> list[Message]:
    """What a run found beside shares."""
    objects = {(one.file, one.document, one.object_path) for one in run.quotas}
    found = [plural(len(objects), "{count} quota", "{count} quotas")] if run.quotas else []
    return [*found, left_over(run)] if run.leftovers else found


def files_written(count: int) -> Message:
    """How many files were written."""
    return plural(count, "{count} file written", "{count} files written")


def left_over(run: Result) -> Message:
    """How many leftovers there are."""
    return plural(len(run.leftovers), "{count} leftover", "{count} leftovers")


def summarize(run: Result, *done: str, target: str = "", apart: bool = False) -> None:
    """The last line on stderr: the shares by verdict, what is beside them, and what was ``done``.

    ``apart``: findings stand before it.
    """
    if apart:
        printing.info("")
    items = list(counted_once(run.items))
    verdicts = Counter(one.verdict for one in items)
    each = [
        msg("{count} {verdict}", count=verdicts[one], verdict=msg(one)) for one in Verdict if verdicts[one]
    ]
    shares = _shares(len(items))
    what = msg("{shares}: {verdicts}", shares=shares, verdicts=join_and(each)) if each else shares
    there = plural(
        run.pods_already_at_target,
        "{count} pod already has keys of the target",
        "{count} pods already have keys of the target",
    )
    for one in (*_beside(run), *([there] if run.pods_already_at_target else []), *done):
        what = msg("{what}; {more}", what=what, more=one)
    printing.info(msg("{target}: {what}", target=target, what=what) if target else what)


def refusals(run: Result) -> list[Diagnostic]:
    """The errors of a run that no option accepts."""
    open_ = [loss for one in run.items for loss in one.losses if not loss.accepted]
    accepted = {
        (one.code, one.message)
        for one in open_
        if one.kind is not LossKind.REFUSED and (one.kind is not LossKind.DROPPED or one.field in DROPPABLE)
    }
    left = [one for one in run.leftovers if not one.final or (open_ and one.follows)]
    accepted |= {(one.diagnostic.code, one.diagnostic.message) for one in left}
    return [
        one
        for one in run.diagnostics
        if one.severity is Severity.ERROR and (one.code, one.message) not in accepted
    ]


def left_as_they_are(run: Result) -> list[Diagnostic]:
    """Whole cards that no dialect reads: they are in no count."""
    remarks = [one for one in run.diagnostics if one.code == whole_cards_have_a_dialect.code]
    if not remarks:
        return remarks
    counted = {left.diagnostic for left in run.leftovers}
    counted.update(*(item.diagnostics for item in run.items))
    return [one for one in remarks if one not in counted]


def accepting(run: Result) -> dict[str, Any] | None:
    """What accepts a refused run, as the configuration has it; None where nothing can."""
    if run.unreadable or refusals(run):
        return None
    open_ = [loss for one in run.items for loss in one.losses if not loss.accepted]
    left = any(one.diagnostic.severity is Severity.ERROR and not one.final for one in run.leftovers)
    dropped = sorted({one.field for one in open_ if one.kind is LossKind.DROPPED})
    found = {
        "round": "up" if any(one.kind is LossKind.ROUNDED for one in open_) else None,
        "fill": dict.fromkeys(sorted({one.field for one in open_ if one.kind is LossKind.FILLED}), "N"),
        "drop": dropped,
        "allow-leftovers": left,
    }
    return {name: value for name, value in found.items() if value}


def _flags(accepted: Mapping[str, Any]) -> str:
    """The same as options of a command."""
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
    accepted = accepting(whole)
    if accepted:
        printing.info(msg("to accept: {command}", command=f"{invocation().command} {_flags(accepted)}"))
    return Exit.INPUT if whole.unreadable else Exit.FINDINGS


def show_findings(run: Result, findings: Sequence[Diagnostic]) -> None:
    """Findings of a run on stderr."""
    printing.show(findings, Texts(*run.sources))


def leftover_table(leftovers: Sequence[Leftover]) -> str:
    """Every place where something is not translated, for people."""
    found = [one.diagnostic for one in leftovers]
    at = [f"{one.file}:{one.span.line}" if one.span else str(one.file) for one in found]
    rows = [[where, one.code, one.message] for where, one in zip(at, found, strict=True)]
    return table(["LEFTOVER AT", "RULE", "WHAT"], rows)
