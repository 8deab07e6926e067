"""Translate every input of a run: common to ``translate``, ``assess``, ``parse`` and ``inspect``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuxlate.backends.base import Backend
from gpuxlate.cli import common, runner
from gpuxlate.cli.tables import table
from gpuxlate.files.find import Input, InputError
from gpuxlate.locale import localize
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import join_and, msg, plural
from gpuxlate.translation import translate as runs
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import Task
from gpuxlate.translation.read import read_source
from gpuxlate.translation.results import Result, counted_once
from gpuxlate.yamltext.source import Source, Texts

UNREADABLE = ("GX001", "GX010", "GX025")
"""Rules about texts that hold no manifest that can be read."""


def translate_inputs(given: Iterable[Input], settings: Settings) -> Result:
    """Translate inputs in their order. Raises InputError."""
    run = runs.translate(given, settings, _each)
    _note(run, settings)
    return run


def count_to_each(given: Iterable[Input], wanted: Sequence[Settings], task: Task) -> list[Result]:
    """Count what inputs request, for several targets. Raises InputError."""
    found = runs.count(given, wanted, task, _each)
    for folder in {one.build: None for run in found for one in run.items if one.build}:
        for run in found:
            runner.dialects_used(folder, (one.source for one in run.items if one.build == folder))
    _note(found[0], wanted[0])
    return found


def _note(run: Result, settings: Settings) -> None:
    """What of the inputs a run left out, and that none of them is of ``--from``."""
    if run.share_documents:
        left = plural(run.share_documents, "{count} GPUShare document", "{count} GPUShare documents")
        rendered = "gpuxlate render FILE --to TARGET"
        common.info(msg("note: {left} left out: {command} writes the manifests", left=left, command=rendered))
    if settings.from_ is not None and run.files and not (run.items or run.quotas):
        _note_source(run, settings.from_)


def _note_source(run: Result, source: Backend) -> None:
    """The dialects that the inputs have in place of ``--from``."""
    texts = (Source(one.name, one.old.decode(errors="replace")) for one in run.files)
    others = sorted({one.source for text in texts for one in read_source(text, Settings.reading()).items})
    found = msg("found: {names}", names=", ".join(others)) if others else msg("no share is in it")
    common.info(msg("note: nothing in the input is of {name}; {found}", name=source.name, found=found))


def _each(work: runs.Work, given: Iterable[Input]) -> Iterator[tuple[Input, list[Result] | InputError]]:
    for one, made in runner.map_inputs(work, given):
        for found in () if isinstance(made, InputError) else made:
            runner.dialects_used(one.name, (each.source for each in found.items))
        yield one, made


def counts(run: Result) -> str:
    """The shares, quotas and leftovers: "41 shares, 2 quotas, 3 leftovers in 2 files"."""
    shares = len(list(counted_once(run.items)))
    found = [plural(shares, "{count} share", "{count} shares")]
    if run.quotas:
        objects = {(one.file, one.document, one.object_path) for one in run.quotas}
        found.append(plural(len(objects), "{count} quota", "{count} quotas"))
    if not run.leftovers:
        return join_and(found)
    files = plural(len({one.diagnostic.file for one in run.leftovers}), "{count} file", "{count} files")
    what = join_and([*found, plural(len(run.leftovers), "{count} leftover", "{count} leftovers")])
    return msg("{what} in {files}", what=what, files=files)


def show_findings(run: Result, findings: Sequence[Diagnostic]) -> None:
    """Findings of a run on stderr."""
    common.show(findings, Texts(*run.sources))


def show(run: Result) -> None:
    """All findings on stderr, and the counts where something is left behind."""
    show_findings(run, run.diagnostics)
    if run.leftovers:
        common.data_err(f"\n{localize(counts(run))}\n")


def leftover_table(leftovers: Sequence[Leftover]) -> str:
    """Every place where something is left behind, for people."""
    found = [one.diagnostic for one in leftovers]
    at = [f"{one.file}:{one.span.line}" if one.span else str(one.file) for one in found]
    rows = [[where, one.code, one.message] for where, one in zip(at, found, strict=True)]
    return table(["LEFTOVER AT", "RULE", "WHAT"], rows)
