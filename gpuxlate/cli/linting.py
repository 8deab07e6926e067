"""Checking every input of a run: in pieces, on all cores where there is much to do, and the fixes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from gpuxlate import limits
from gpuxlate.cli import common, outputs
from gpuxlate.cli.ordered import LIGHT, ordered
from gpuxlate.cli.progress import progress
from gpuxlate.cli.selection import Selection
from gpuxlate.diagnostics import Diagnostic, Severity
from gpuxlate.files import Input, InputError, reader, under_chart_templates
from gpuxlate.lint import Linted, LintSettings, Remembered, lint_piece, lint_source
from gpuxlate.lint_marks import text_marks
from gpuxlate.manifest.compose import documents
from gpuxlate.manifest.pieces import Piece
from gpuxlate.manifest.source import DecodeError, Source, Texts
from gpuxlate.report.summary import Summary
from gpuxlate.unreadable import HELM_TEMPLATE, in_chart, too_many

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
    texts: Texts = field(default_factory=Texts)
    files: int = 0
    documents: int = 0
    shares: int = 0
    suppressed: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    fixes: int = 0
    unreadable: list[InputError] = field(default_factory=list)

    def add(self, linted: Linted, name: str, source: Source | None) -> None:
        """``source`` is what findings stand in."""
        self.diagnostics.extend(linted.diagnostics)
        self.documents += linted.documents
        self.shares += linted.shares
        self.suppressed += linted.suppressed
        if linted.diagnostics and source is not None:
            self.texts.add(source)
        if linted.skipped:
            self.skipped.append((name, linted.skipped))

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


@dataclass(slots=True)
class _File:
    """The input that pieces come from: what it is excused, and what was seen of it so far."""

    excused: Callable[[str], bool]
    documents: int = 0
    findings: int = 0
    broken: bool = False


def check(given: Sequence[Input], selection: Selection, how: How) -> Run:
    """Every input, in order; on all cores where there is much to read."""
    run = Run()
    everywhere = selection.for_file(None)

    alike = Remembered(text_marks())

    def work(piece: Piece) -> Linted | InputError:
        try:
            return lint_piece(piece, everywhere, alike)
        except DecodeError as error:
            return InputError(f"{piece.name}: {error}")

    for (file, piece), found in ordered(work, _jobs(given, selection, run, how)):
        if file.broken or len(run.diagnostics) > limits.MAX_RUN_FINDINGS:
            continue  # behind what is no YAML nobody knows what stands
        if isinstance(found, InputError):
            run.unreadable.append(found)
            file.broken = True
            continue
        linted = found or Linted(piece.documents)
        linted.excuse(file.excused)
        linted.move(file.documents)
        try:
            source = _source(piece, file.documents) if linted.diagnostics else None
        except InputError:  # behind what is no YAML, which nobody has read
            source = None
        run.add(linted, piece.name, source)
        file.documents += linted.documents
        file.findings += len(linted.diagnostics)
        file.broken = linted.broken
        if file.findings > limits.MAX_FINDINGS and not file.broken:
            run.diagnostics[-1] = too_many(_source(piece), run.diagnostics[-1])
            file.broken = True
        if len(run.diagnostics) > limits.MAX_RUN_FINDINGS:
            most = limits.MAX_RUN_FINDINGS
            run.unreadable.append(
                InputError(f"more than {most} findings: what follows {piece.name} was not looked at")
            )
    return run


def _source(piece: Piece, document: int = 0) -> Source:
    """Raises InputError."""
    try:
        return piece.source(document)
    except DecodeError as error:
        raise InputError(f"{piece.name}: {error}") from None


def _jobs(
    given: Sequence[Input], selection: Selection, run: Run, how: How
) -> Iterator[tuple[tuple[_File, Piece], Piece | None, int]]:
    """The pieces of every input. What is no manifest, or is to be mended, is done with here."""
    here = os.getcwd()  # noqa: PTH109
    for one in progress(given):
        settings = selection.for_file(one.path)
        file = _File(settings.excused)
        try:
            for piece in _pieces(one, here, settings, run, how):
                size = len(piece.data)
                yield (file, piece), *((piece, size) if piece.matters else (None, size // LIGHT))
        except InputError as error:
            run.unreadable.append(error)


def _pieces(one: Input, here: str, settings: LintSettings, run: Run, how: How) -> Iterator[Piece]:
    """Raises InputError."""
    if under_chart_templates(one.path, here):
        one.read_bytes()
        run.files += 1
        found = in_chart(one.name)
        run.skipped.append((one.name, HELM_TEMPLATE))
        if settings.selected(found.code) and not settings.excused(found.code):
            run.diagnostics.append(found)
        return
    data = one.read_bytes() if one.may_be_parameters() else None
    if data is not None:
        source = one.source(data)
        read = reader(one, source)
        if read is not documents:  # nothing of it is mended: findings in parameters have no fix
            run.files += 1
            run.add(lint_source(source, settings, read), one.name, source)
            return
    # a file that nobody wants an answer on costs no parse where it cannot hold a vendor's key
    given = replace(one, named=False) if one.named and how.allow_empty else one
    pieces = given.pieces(text_marks(), data)
    first = next(pieces)
    run.files += 1
    if given.named and first.blank:
        raise InputError(f"{one.name}: it is empty", MAY_BE_EMPTY)
    if how.fix:
        _fix(one, chain([first], pieces), settings, run, unsafe=how.unsafe)
    else:
        yield first
        yield from pieces


def _fix(one: Input, pieces: Iterable[Piece], settings: LintSettings, run: Run, *, unsafe: bool) -> None:
    """Raises InputError; nothing is written then."""
    from gpuxlate.mend import Fixed, fix_source  # not loaded by runs that mend nothing

    old: list[bytes] = []
    new: list[bytes] = []
    before: list[Source] = []
    found: list[Fixed] = []
    counted = documents = lines = 0  # ``lines``: that the fixes so far have added
    for piece in pieces:
        old.append(piece.data)
        new.append(piece.data)
        if not piece.matters:
            counted += piece.documents
        elif not (found and found[-1].linted.broken):
            source = _source(piece, documents + counted)
            fixed = fix_source(source.changed(source.text, piece.line + lines), settings, unsafe=unsafe)
            lines += fixed.source.line_breaks - source.line_breaks
            documents += fixed.linted.documents
            new[-1] = source.encode(fixed.text)
            before.append(source)
            found.append(fixed)
    fixes = sum(fixed.fixes for fixed in found)
    left = [(fixed.linted, fixed.source) for fixed in found]
    failed = None
    if one.path is None:
        common.documents_out(new)
    elif fixes:
        try:
            outputs.change_file(one.path, b"".join(new), b"".join(old), "fixed")
        except InputError as error:
            failed = error
            left = [(lint_source(source, settings), source) for source in before]
    run.documents += counted
    for linted, source in left:
        run.add(linted, one.name, source)
    if failed is not None:
        raise failed
    run.fixes += fixes
