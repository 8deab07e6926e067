"""Inputs: the files behind PATH arguments, and what is read from them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Protocol, overload

from gpuxlate.inputs.bounded import Bounded, StrPath, inside, opened, short_file, upwards
from gpuxlate.lint.marks import may_hold
from gpuxlate.model import limits
from gpuxlate.yamltext.source import DecodeError, Source, decoded

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from gpuxlate.yamltext.compose import Reader
    from gpuxlate.yamltext.pieces import Piece

    Marks = Callable[[], re.Pattern[bytes]]  # made when one is looked for: that takes its time

STDIN = "<stdin>"
SUFFIXES = (".yaml", ".yml", ".json")
SKIPPED = frozenset({".git", "node_modules"})
"""Folders that are never looked into."""
SHORT = 256 * 1024
"""Bytes: files with fewer are read at once."""
TEMPLATES = "templates"
"""The folder of a Helm chart whose files are no manifests yet."""


class Stream(Protocol):
    """What texts are read from."""

    def read(self, size: int = -1, /) -> bytes: ...
    def seekable(self) -> bool: ...
    def seek(self, at: int, /) -> int: ...


class InputError(Exception):
    """An input is missing or cannot be opened or decoded (exit 3). The message names it.

    ``hint``: what to do.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Input:
    """One file to read; ``path`` is None for stdin. ``named`` says that the user named it himself.

    ``leaves`` is the folder that it was found in, where it is a link that leads out of it.
    """

    name: str
    path: StrPath | None
    named: bool = True
    leaves: str | None = field(default=None, kw_only=True)

    def read_bytes(self) -> bytes:
        """The content of a file, of a pipe that the user named, or of stdin, at once. Raises InputError."""
        try:
            with self._opened(limits.MAX_TEXT) as stream:
                return stream.read()
        except OSError as error:
            raise InputError(f"{self.name}: {reason(error)}") from None

    def source(self, data: bytes | None = None) -> Source:
        """The decoded text; ``data``: its bytes, where they were read already. Raises InputError."""
        try:
            return Source.from_bytes(self.name, self.read_bytes() if data is None else data)
        except DecodeError as error:
            raise InputError(f"{self.name}: {error}") from None

    def may_be_parameters(self, target: str | None = None) -> bool:
        """It may hold parameters of a job: the user named their target, or a file of such a suffix."""
        if not self.named or (target is None and os.path.splitext(self.name)[1] in ("", ".yaml", ".yml")):
            return False
        from gpuxlate.backends import registry

        suffixes = registry.form_suffixes(target)
        return self.name.endswith(suffixes) if target is None else bool(suffixes)

    def pieces(self, marks: Marks, data: bytes | None = None) -> Iterator[Piece]:
        """Its text in pieces of whole documents.

        Of a file that the user did not name, and that can hold none of the marks, nothing matters; it is
        not read as YAML. There is at least one piece. ``data``: its bytes, where they were read already.
        Raises InputError.
        """
        try:
            with self._opened(limits.MAX_BYTES) if data is None else BytesIO(data) as stream:
                yield from self._pieces(stream, marks)
        except OSError as error:
            raise InputError(f"{self.name}: {reason(error)}") from None
        except DecodeError as error:
            raise InputError(f"{self.name}: {error}") from None

    def _pieces(self, stream: Stream, marks: Marks) -> Iterator[Piece]:
        from gpuxlate.yamltext.pieces import PIECE, Piece, pieces, unread

        def matters(data: bytes) -> bool:
            return may_hold(data, marks())

        first = stream.read(PIECE)
        short = len(first) < PIECE
        if not self.named and short and not matters(first):
            decoded(first)
            yield Piece(self.name, first, matters=False)
            return
        if not self.named and not short and stream.seekable():
            holds = any(map(matters, _overlapping(first, stream)))
            stream.seek(len(first))
            if not holds:
                yield from unread(self.name, first, stream.read)
                return
        if short and b"\n---" not in first:  # most files are one document
            yield Piece(self.name, first)
        else:
            yield from pieces(self.name, first, stream.read)

    def _opened(self, most: int) -> AbstractContextManager[Stream]:
        """What is to be read, of at most so many bytes. Raises OSError, InputError."""
        if self.leaves is not None:
            raise InputError(f"{self.name}: a link that leads out of {self.leaves}; name the file itself")
        if self.path is not None:
            return opened(self.path, most, regular=not self.named)
        if sys.stdin is None:
            raise InputError(f"{STDIN}: it is closed")
        return nullcontext(Bounded(sys.stdin.buffer, STDIN, most))


LONGEST_MARK = 1024
"""Bytes: no mark is as long, however it is escaped."""


def _overlapping(first: bytes, stream: Stream) -> Iterator[bytes]:
    """A text in blocks such that each mark in it stands in one of them, whole."""
    yield first
    while block := stream.read(len(first)):
        yield first[-LONGEST_MARK:] + block
        first = block


def reader(one: Input, source: Source, target: str | None = None) -> Reader:
    """How to read the documents of an input: those of manifests, or the parameters of a job.

    ``target``: the one that the user named as the dialect of the input.
    """
    from gpuxlate.yamltext.compose import documents

    if not one.may_be_parameters(target):
        return documents
    from gpuxlate.backends import registry

    return registry.form_reader(source, target) or documents


def reason(error: OSError) -> str:
    """The system's words for what went wrong, in lower case at their beginning."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


class Inputs(Sequence[Input]):
    """Inputs in their order. ``items``: regular files in folders by their names alone, others as they are.

    An object for each of many files takes longer than reading them.
    """

    def __init__(self, items: Sequence[Input | str]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, at: int) -> Input: ...
    @overload
    def __getitem__(self, at: slice) -> Inputs: ...
    def __getitem__(self, at: int | slice) -> Input | Inputs:
        return Inputs(self.items[at]) if isinstance(at, slice) else in_folder(self.items[at])


def in_folder(item: Input | str) -> Input:
    """The input of an item: a file that was found in a folder."""
    return Input(item, item, named=False) if isinstance(item, str) else item


def any_named(given: Sequence[Input]) -> bool:
    """Whether the user named one of the inputs himself."""
    items = given.items if isinstance(given, Inputs) else given
    return any(not isinstance(one, str) and one.named for one in items)


def is_quiet(name: str, marks: re.Pattern[bytes]) -> bool:
    """Nothing in a regular file matters: it is a short text that can hold none of the marks.

    Of all else, errors too, its input tells more.
    """
    data = short_file(name, SHORT)
    if data is None or may_hold(data, marks):
        return False
    try:
        decoded(data)
    except DecodeError:
        return False
    return True


def expand(paths: Iterable[str]) -> Inputs:
    """The inputs behind PATH arguments: files, folders (recursively, in order) and ``-``.

    A path that is not there is an input too: reading it raises InputError. Raises it itself where
    there are too many.
    """
    found: dict[str, Input | str] = {}
    for text in paths:
        for one, real in _behind(text):
            found.setdefault(real, one)
            if len(found) > limits.MAX_FILES:
                raise InputError(
                    f"{', '.join(paths)}: more than {limits.MAX_FILES} files; name fewer folders at once"
                )
    return Inputs(list(found.values()))


def _behind(text: str) -> Iterator[tuple[Input | str, str]]:
    """The inputs of one argument, with their real paths."""
    if text == "-":
        yield Input(STDIN, None), text
    elif os.path.isdir(text):
        yield from _files_in(os.path.normpath(text))
    else:
        name = _tidy(text)
        yield Input(name, name), os.path.realpath(text)


def _tidy(path: str) -> str:
    """The path without what says nothing, as findings show it."""
    if not (path.endswith("/") or "//" in path or "./" in path):
        return path
    from pathlib import Path  # start-up counts, and most paths are written so

    return str(Path(path))


def _files_in(folder: str) -> Iterator[tuple[Input | str, str]]:
    """Its YAML and JSON files with their real paths, in order, then the folders that cannot be read.

    A link to a file is followed within the folder, or within the repository that holds it: others may
    have put it there. A link to a folder is not followed at all.
    """
    failed: list[str] = []
    pending = [folder]
    while pending:
        where = pending.pop()
        names: list[str] = []
        folders: list[str] = []
        unusual: dict[str, bool] = {}  # which are links
        try:
            with os.scandir(where) as found:
                for entry in found:
                    name = entry.name
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(name)
                    elif name.endswith(SUFFIXES):
                        names.append(name)
                        if not entry.is_file(follow_symlinks=False):
                            unusual[name] = entry.is_symlink()
        except OSError:
            failed.append(where)
            continue
        # only a link has a real path of its own: a look at the disk for each file would cost most here
        real = os.path.realpath(where)
        before = "" if where == "." else os.path.join(where, "")
        for name in sorted(names):
            path = before + name
            if name not in unusual:
                yield path, f"{real}/{name}"
            elif unusual[name]:
                leaves = None if _stays(path, folder) else folder
                yield Input(path, path, named=False, leaves=leaves), os.path.realpath(path)
            else:
                yield in_folder(path), f"{real}/{name}"
        pending.extend(before + name for name in sorted(folders, reverse=True) if name not in SKIPPED)
    yield from ((in_folder(where), where) for where in failed)


def _stays(link: str, folder: str) -> bool:
    """A link leads to something in the folder, or in the repository of the folder."""
    return inside(link, folder) or inside(link, _repository(folder))


@lru_cache(maxsize=64)
def _repository(folder: str) -> str:
    """The nearest folder upwards that holds .git, else the folder itself."""
    start = os.path.realpath(folder)
    return next((one for one in upwards(start) if os.path.exists(os.path.join(one, ".git"))), start)


def under_chart_templates(path: StrPath | None, here: str) -> bool:
    """The file belongs to a Helm chart's ``templates/`` folder: a Chart.yaml stands above it.

    ``here``: the working directory, asked for once in a run.
    """
    if path is None:
        return False
    # for most files these strings are all that is needed
    if TEMPLATES not in (text := str(path)) and TEMPLATES not in here:
        return False
    text = os.path.normpath(os.path.join(here, text))
    if f"{os.sep}{TEMPLATES}{os.sep}" not in text:
        return False
    above = (one for one in upwards(os.path.dirname(text)) if os.path.basename(one) == TEMPLATES)
    return any(os.path.isfile(os.path.join(os.path.dirname(one), "Chart.yaml")) for one in above)
