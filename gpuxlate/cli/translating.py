"""Translating every input of a run: in pieces, on all cores where there is much to do, results in order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from gpuxlate.backends.registry import marks
from gpuxlate.cli.ordered import ordered
from gpuxlate.cli.progress import progress
from gpuxlate.cli.spool import Spool, Stretch
from gpuxlate.inputs.files import Input, InputError, reader, under_chart_templates
from gpuxlate.lint.marks import may_hold
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.rules.unreadable import in_chart, too_many
from gpuxlate.translation.item import Item
from gpuxlate.translation.repeated import Repeated
from gpuxlate.translation.translate import Settings, Translation, translate_source
from gpuxlate.yamltext.pieces import Piece, parts
from gpuxlate.yamltext.source import DecodeError, Texts


@dataclass(slots=True)
class File:
    """What became of one input: its old text and its new one, piece by piece."""

    name: str
    is_file: bool
    changed: bool = False
    documents: int = 0
    findings: int = 0
    broken: bool = False
    old: list[Stretch] = field(default_factory=list)
    new: list[Stretch] = field(default_factory=list)


@dataclass(slots=True)
class Run:
    """What became of all inputs. Texts wait in the spool; ``items`` stay empty where nobody asked."""

    files: list[File] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    texts: Texts = field(default_factory=Texts)
    spool: Spool = field(default_factory=Spool)

    @property
    def refused(self) -> bool:
        return any(one.severity is Severity.ERROR for one in self.diagnostics)

    @property
    def changed(self) -> list[File]:
        return [file for file in self.files if file.changed]

    def old(self, file: File) -> bytes:
        return b"".join(map(self.spool.read, file.old))

    def new(self, file: File) -> bytes:
        return b"".join(map(self.spool.read, file.new))


@dataclass(frozen=True, slots=True)
class _Job:
    """A piece to translate. ``parameters``: the input, where it may hold those of a job."""

    piece: Piece
    parameters: Input | None


@dataclass(slots=True)
class _Made:
    """A piece, translated. ``text`` is None where it stays as it is."""

    text: bytes | None = None
    items: list[Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    documents: int = 0
    broken: bool = False


def translate_inputs(
    given: Sequence[Input], settings: Settings, *, items: bool = True, texts: bool = False
) -> Run:
    """Translate inputs in their order. Raises InputError.

    ``items``: the shares are wanted; ``texts``: old and new texts are.
    """
    run = Run()

    from_ = settings.from_.name if settings.from_ else None
    repeated = Repeated(settings)

    def work(job: _Job) -> _Made | InputError:
        try:
            if job.parameters is None:
                return translated_piece(job.piece, settings, repeated, items)
            source = job.piece.source()
        except DecodeError as error:
            return InputError(f"{job.piece.name}: {error}")
        return _whole(translate_source(source, settings, reader(job.parameters, source, from_)), items)

    for (file, piece), made in ordered(work, _jobs(given, from_, run), repeated.alike):
        if isinstance(made, InputError):
            raise made
        if file.broken:
            made = None  # behind what is no YAML nobody knows what stands: it stays
        elif made is None:
            file.documents += piece.documents
        else:
            _add(run, file, made, piece)
            _judge_number(run, file, piece)
        if texts:
            file.old.append(run.spool.add(piece.data))
            text = made.text if made else None
            file.new.append(file.old[-1] if text is None else run.spool.add(text))
    return run


def _documents(whole: Piece) -> Iterator[Piece]:
    """The documents of a piece one by one; those that do not matter together."""
    for piece in parts(whole, _matters):
        yield from piece.single() if piece.matters else [piece]


def _matters(data: bytes) -> bool:
    return may_hold(data, marks())


def translated_piece(piece: Piece, settings: Settings, repeated: Repeated, items: bool) -> _Made:
    """A piece, document by document. One of the shape of another gets the same edits.

    Raises DecodeError.
    """
    result = _Made()
    texts: list[bytes] = []
    at = 0
    changed = False
    for part in _documents(piece):
        at += len(part.data)
        if not part.matters:
            result.documents += part.documents
            texts.append(part.data)
            continue
        shape = None if items else repeated.shape_of(part.data)  # shares have names
        changes = repeated.changes_of(shape) if shape else None
        if shape and changes is not None:
            result.documents += changes.documents
            texts.append(changes.made(part.data, shape))
            changed = changed or texts[-1] != part.data
            continue
        done = translate_source(part.source(result.documents), settings)
        if shape and not done.diagnostics:
            repeated.remember(shape, part, done)
        result.items += done.items if items else ()
        result.diagnostics += done.diagnostics
        result.documents += done.documents
        texts.append(done.source.encode(done.text) if done.changed else part.data)
        changed = changed or done.changed
        if done.broken:
            result.broken = True
            break
    if changed:  # else nothing is copied: a document may be large
        result.text = b"".join([*texts, piece.data[at:]])  # what stands behind a break stays
    return result


def _whole(done: Translation, items: bool) -> _Made:
    """An input that is no manifest, translated."""
    text = done.source.encode(done.text) if done.changed else None
    return _Made(text, list(done.items) if items else [], list(done.diagnostics), done.documents, done.broken)


def _add(run: Run, file: File, made: _Made, piece: Piece) -> None:
    run.diagnostics += _moved(made.diagnostics, file.documents)
    run.items += _later(made.items, file.documents)
    if made.diagnostics:
        run.texts.add(piece.source(file.documents))
    file.documents += made.documents
    file.findings += len(made.diagnostics)
    file.changed = file.changed or made.text is not None
    file.broken = made.broken


def _judge_number(run: Run, file: File, piece: Piece) -> None:
    """What has more findings than are told is looked at no further. Raises InputError."""
    if file.findings > limits.MAX_FINDINGS and not file.broken:
        run.diagnostics[-1] = too_many(piece.source(), run.diagnostics[-1])
        file.broken = True
    if len(run.diagnostics) > limits.MAX_RUN_FINDINGS:
        raise InputError(f"{piece.name}: with it there are more than {limits.MAX_RUN_FINDINGS} findings")


def _later(items: Sequence[Item], documents: int) -> Iterator[Item]:
    """Items of a piece before which so many documents stand."""
    for one in items:
        number = one.document + documents
        yield replace(one, document=number, diagnostics=_moved(one.diagnostics, documents))


def _moved(found: Sequence[Diagnostic], documents: int) -> tuple[Diagnostic, ...]:
    """Findings of a piece before which so many documents stand."""
    return tuple(
        one if one.document is None else one.located(document=one.document + documents) for one in found
    )


def _jobs(
    given: Sequence[Input], from_: str | None, run: Run
) -> Iterator[tuple[tuple[File, Piece], _Job | None, int]]:
    """Every piece of every input; those that matter are to be translated. Raises InputError."""
    here = os.getcwd()
    for one in progress(given):
        file = File(one.name, one.path is not None)
        run.files.append(file)
        template = under_chart_templates(one.path, here)
        if template:
            run.diagnostics.append(in_chart(one.name))
        parameters = one.may_be_parameters(from_)
        for piece in [Piece(one.name, one.read_bytes())] if template or parameters else one.pieces(marks):
            if one.named and not template and piece.blank:
                raise InputError(f"{one.name}: it is empty")
            wanted = piece.matters and not template
            job = _Job(piece, one if parameters else None) if wanted else None
            yield (file, piece), job, len(piece.data)
