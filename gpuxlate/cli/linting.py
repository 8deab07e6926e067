"""Checking every input of a run: in pieces, on all cores where there is much to do, and the fixes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress, islice
from typing import TYPE_CHECKING

from gpuxlate.cli import common, outputs
from gpuxlate.cli.ordered import ordered
from gpuxlate.cli.progress import progress
from gpuxlate.cli.selection import Selection
from gpuxlate.inputs.files import (
    TEMPLATES,
    Input,
    InputError,
    Inputs,
    in_folder,
    is_quiet,
    reader,
    under_chart_templates,
)
from gpuxlate.lint.check import Linted, LintSettings, lint_piece, lint_source
from gpuxlate.lint.lint_marks import text_marks
from gpuxlate.lint.marks import may_hold
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.report.summary import Summary
from gpuxlate.rules.unreadable import HELM_TEMPLATE, in_chart, too_many
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.pieces import Piece, parts
from gpuxlate.yamltext.source import DecodeError, Source, Texts

if TYPE_CHECKING:
    from gpuxlate.lint.lint_repeated import Remembered

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
        if linted.skipped and (name, linted.skipped) not in self.skipped[-1:]:  # once, of many pieces
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

    name: str
    excused: Callable[[str], bool]
    documents: int = 0
    findings: int = 0
    broken: bool = False


_Told = Piece | InputError | tuple[Linted, Source | None]
"""What there is to an input: a piece to check, what is wrong with it, or what was found, and where."""


FEW, SMALL = 4, 16 * 1024
"""So few inputs of fewer bytes are read sooner than it is known which of them matter, or are alike."""


def _is_small(given: Sequence[Input]) -> bool:
    if not isinstance(given, Inputs) or len(given) > FEW:
        return False
    try:
        return all(one.path is not None and os.path.getsize(one.path) < SMALL for one in given)
    except OSError:  # reading it tells why
        return False


def _remembered() -> Remembered:
    from gpuxlate.lint.lint_repeated import Remembered

    return Remembered(text_marks)


def check(given: Sequence[Input], selection: Selection, how: How) -> Run:
    """Every input, in order; on all cores where there is much to read."""
    run = Run()
    everywhere = selection.for_file(None)
    alike = None if _is_small(given) else _remembered()

    def work(piece: Piece) -> tuple[Linted, InputError | None]:
        return _lint(piece, everywhere, alike)

    for (file, told), found in ordered(work, _jobs(given, selection, run, how), alike):
        if isinstance(told, InputError):
            run.unreadable.append(told)
        elif isinstance(told, tuple):
            run.add(told[0], file.name, told[1])
        elif found and not file.broken and len(run.diagnostics) <= limits.MAX_RUN_FINDINGS:
            _add(run, file, told, *found)
    return run


def _lint(whole: Piece, settings: LintSettings, alike: Remembered | None) -> tuple[Linted, InputError | None]:
    """What was found in a piece, and what is wrong with the text behind that."""
    result = Linted()
    try:
        if alike is None:
            return lint_piece(whole, settings), None
        from gpuxlate.lint.lint_repeated import lint_repeated

        for piece in parts(whole, _matters):
            if not piece.matters:
                result.documents += piece.documents
                continue
            found = lint_repeated(piece, settings, alike)
            found.move(result.documents)
            result.join(found)
            if found.broken:  # behind what is no YAML nobody knows what stands
                break
    except DecodeError as error:
        return result, InputError(f"{whole.name}: {error}")
    return result, None


def _matters(data: bytes) -> bool:
    return may_hold(data, text_marks())


def _add(run: Run, file: _File, piece: Piece, linted: Linted, error: InputError | None) -> None:
    """Take down what was found in a piece, and whether the rest of its file is looked at."""
    linted.excuse(file.excused)
    linted.move(file.documents)
    try:
        source = _source(piece, file.documents) if linted.diagnostics else None
    except InputError:  # behind what is no YAML, which nobody has read
        source = None
    run.add(linted, piece.name, source)
    file.documents += linted.documents
    file.findings += len(linted.diagnostics)
    file.broken = linted.broken or error is not None
    if error is not None:
        run.unreadable.append(error)
    if file.findings > limits.MAX_FINDINGS and not file.broken:
        run.diagnostics[-1] = too_many(_source(piece), run.diagnostics[-1])
        file.broken = True
    if len(run.diagnostics) > limits.MAX_RUN_FINDINGS:
        most = limits.MAX_RUN_FINDINGS
        run.unreadable.append(
            InputError(f"more than {most} findings: what follows {piece.name} was not looked at")
        )


def _source(piece: Piece, document: int = 0) -> Source:
    """Raises InputError."""
    try:
        return piece.source(document)
    except DecodeError as error:
        raise InputError(f"{piece.name}: {error}") from None


def _jobs(
    given: Sequence[Input], selection: Selection, run: Run, how: How
) -> Iterator[tuple[tuple[_File, _Told], Piece | None, int]]:
    """What there is to every input, in order; the pieces of those that matter are to be checked."""
    here = os.getcwd()
    for one in _loud(given, selection, run, here):
        settings = selection.for_file(one.path)
        file = _File(one.name, settings.excused)
        try:
            for told in _told(one, here, settings, run, how):
                if not isinstance(told, Piece):
                    yield (file, told), None, 0
                elif told.matters:
                    yield (file, told), told, len(told.data)
        except InputError as error:
            yield (file, error), None, 0


NAMES = 256
"""Files that are looked at in one go."""
LOOK = 64
"""To look at a file takes as long as to check so many bytes."""
AHEAD = 64 * NAMES
"""Files that are looked at before any is checked."""


def _loud(given: Sequence[Input], selection: Selection, run: Run, here: str) -> Iterator[Input]:
    """The inputs without the files in folders in which nothing matters: these are counted only."""
    if not isinstance(given, Inputs):  # live objects, which come one by one
        yield from progress(given)
        return

    def quiet(names: list[str]) -> bytes:
        marks = text_marks()
        return bytes(is_quiet(name, marks) for name in names)

    in_turn = progress(given.items)
    for start in range(0, len(given), AHEAD):
        some = given.items[start : start + AHEAD]
        # what may belong to a chart is told so, whatever is in it
        names = [] if TEMPLATES in here else [n for n in some if isinstance(n, str) and TEMPLATES not in n]
        looks = ((names[n : n + NAMES], NAMES * LOOK) for n in range(0, len(names), NAMES))
        if names:
            text_marks()  # made before there are processes to share it
        passed: set[Input | str] = set()
        for several, flags in ordered(quiet, ((names, names, size) for names, size in looks)):
            passed.update(compress(several, flags or b""))
        run.files += len(passed)
        for one in islice(in_turn, len(some)):
            if one not in passed:
                yield in_folder(one)
            elif selection.config is not None and isinstance(one, str):
                selection.for_file(one)  # it notes that there is such a file


def _told(one: Input, here: str, settings: LintSettings, run: Run, how: How) -> Iterator[_Told]:
    """Raises InputError."""
    if under_chart_templates(one.path, here):
        one.read_bytes()
        run.files += 1
        found = in_chart(one.name)
        wanted = settings.selected(found.code) and not settings.excused(found.code)
        yield Linted(diagnostics=[found] if wanted else [], skipped=HELM_TEMPLATE), None
        return
    data = one.read_bytes() if one.may_be_parameters() else None
    if data is not None:
        source = one.source(data)
        read = reader(one, source)
        if read is not documents:  # nothing of it is mended: findings in parameters have no fix
            run.files += 1
            yield lint_source(source, settings, read), source
            return
    # a file that nobody wants an answer on costs no parse where it cannot hold a vendor's key
    given = replace(one, named=False) if one.named and how.allow_empty else one
    pieces = given.pieces(text_marks, data)
    first = next(pieces)
    run.files += 1
    if given.named and first.blank:
        raise InputError(f"{one.name}: it is empty", MAY_BE_EMPTY)
    if how.fix:
        yield from _fixed(one, chain([first], pieces), settings, run, unsafe=how.unsafe)
    else:
        yield first
        yield from pieces


def _fixed(
    one: Input, pieces: Iterable[Piece], settings: LintSettings, run: Run, *, unsafe: bool
) -> Iterator[tuple[Linted, Source]]:
    """Mend an input; what is left, and where. Raises InputError; nothing is written then."""
    from gpuxlate.lint.fix import Fixed, fix_source

    old: list[bytes] = []
    new: list[bytes] = []
    before: list[Source] = []
    found: list[Fixed] = []
    counted = documents = lines = 0  # ``lines``: that the fixes so far have added
    for piece in _all_parts(pieces):
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
    yield from left
    if failed is not None:
        raise failed
    run.fixes += fixes


def _all_parts(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Raises InputError."""
    for one in pieces:
        try:
            yield from parts(one, _matters) if one.matters else [one]
        except DecodeError as error:
            raise InputError(f"{one.name}: {error}") from None
