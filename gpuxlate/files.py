"""Inputs and outputs on disk: what to read, and writing that leaves old or new, never half."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from gpuxlate.manifest.source import DecodeError, Source
from gpuxlate.marks import may_hold

if TYPE_CHECKING:
    import re

    from gpuxlate.manifest.compose import Reader
    from gpuxlate.manifest.pieces import Piece

STDIN = "<stdin>"
SUFFIXES = (".yaml", ".yml", ".json")
PARAMETER_SUFFIXES = (".conf", ".properties", ".sql", ".json")
"""Files that hold the parameters of a job where the user named them himself."""
SKIPPED = frozenset({".git", "node_modules"})
"""Folders that are never looked into."""
TEMPLATES = "templates"
"""The folder of a Helm chart whose files are no manifests yet."""
MAX_BYTES = 512 * 1024 * 1024
"""A larger file is no manifest; it is refused before it is read."""


class InputError(Exception):
    """An input is missing or cannot be opened or decoded (exit 3). The message names it."""


@dataclass(frozen=True, slots=True)
class Input:
    """One file to read; ``path`` is None for stdin. ``named`` says that the user named it himself."""

    name: str
    path: Path | None
    named: bool = True

    def read_bytes(self) -> bytes:
        """Raises InputError."""
        try:
            if self.path is None:
                return sys.stdin.buffer.read()
            if self.path.stat().st_size > MAX_BYTES:
                raise InputError(f"{self.name}: larger than {MAX_BYTES // 2**20} MiB")
            return self.path.read_bytes()
        except OSError as error:
            raise InputError(f"{self.name}: {reason(error)}") from None

    def source(self, data: bytes | None = None) -> Source:
        """The decoded text; ``data``: its bytes, where they were read already. Raises InputError."""
        try:
            return Source.from_bytes(self.name, self.read_bytes() if data is None else data)
        except DecodeError as error:
            raise InputError(f"{self.name}: {error}") from None

    def may_be_parameters(self, target: str | None = None) -> bool:
        """It may hold the parameters of a job: the user said so, or named it by such a suffix."""
        if not self.named:
            return False
        if target is not None:
            return target.startswith("volcengine-emr-")
        return self.name.endswith(PARAMETER_SUFFIXES)

    def pieces(self, marks: re.Pattern[bytes], data: bytes | None = None) -> Iterator[Piece]:
        """Its text in pieces of whole documents; those that can hold one of the marks matter.

        Of a file that the user did not name, and that can hold none, nothing matters; it is not read as
        YAML. There is at least one piece. ``data``: its bytes, where they were read already. Raises
        InputError.
        """
        try:
            with self._opened() if data is None else BytesIO(data) as stream:
                yield from self._pieces(stream, marks)
        except OSError as error:
            raise InputError(f"{self.name}: {reason(error)}") from None
        except DecodeError as error:
            raise InputError(f"{self.name}: {error}") from None

    def _pieces(self, stream: BinaryIO, marks: re.Pattern[bytes]) -> Iterator[Piece]:
        from gpuxlate.manifest.pieces import PIECE, Piece, pieces, unread

        def matters(data: bytes) -> bool:
            return may_hold(data, marks)

        first = stream.read(PIECE)
        short = len(first) < PIECE
        if not self.named and (short or stream.seekable()):
            blocks = [first] if short else _overlapping(first, stream)
            if not any(map(matters, blocks)):
                if not short:
                    stream.seek(len(first))
                yield from unread(self.name, first, stream.read)
                return
            if not short:
                stream.seek(len(first))
        if short and b"\n---" not in first:  # most files are one document
            yield Piece(self.name, first)
        else:
            yield from pieces(self.name, first, stream.read, matters)

    def _opened(self) -> AbstractContextManager[BinaryIO]:
        """Raises OSError, InputError."""
        if self.path is None:
            return nullcontext(sys.stdin.buffer)
        if self.path.stat().st_size > MAX_BYTES:
            raise InputError(f"{self.name}: larger than {MAX_BYTES // 2**20} MiB")
        return self.path.open("rb")


LONGEST_MARK = 1024
"""Bytes: no mark is as long, however it is escaped."""


def _overlapping(first: bytes, stream: BinaryIO) -> Iterator[bytes]:
    """A text in blocks such that each mark in it stands in one of them, whole."""
    yield first
    while block := stream.read(len(first)):
        yield first[-LONGEST_MARK:] + block
        first = block


def reader(one: Input, source: Source, target: str | None = None) -> Reader:
    """How to read the documents of an input: those of manifests, or the parameters of a job.

    ``target``: the one that the user named as the dialect of the input.
    """
    from gpuxlate.manifest.compose import documents

    if not one.may_be_parameters(target):
        return documents
    from gpuxlate.parameters.find import reader_of  # only where there are parameters: start-up counts

    return reader_of(source, target) or documents


def reason(error: OSError) -> str:
    """The system's words for what went wrong, in lower case."""
    return (error.strerror or str(error)).lower()


def expand(paths: Iterable[str]) -> Iterator[Input]:
    """The inputs behind PATH arguments: files, folders (recursively, in order) and ``-``.

    A path that is not there is an input too: reading it raises InputError.
    """
    seen: set[str] = set()
    for text in paths:
        if text == "-":
            yield Input(STDIN, None)
            continue
        is_folder = Path(text).is_dir()
        name = os.path.normpath(text) if text else text
        for one, real in _files_in(name) if is_folder else [(str(Path(text)), os.path.realpath(text))]:
            if real not in seen:
                seen.add(real)
                yield Input(one, Path(one), named=not is_folder)


def _files_in(folder: str) -> Iterator[tuple[str, str]]:
    """Its YAML and JSON files with their real paths, in order, then the folders that cannot be read."""
    failed: list[str] = []
    pending = [folder]
    while pending:
        where = pending.pop()
        try:
            with os.scandir(where) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            failed.append(where)
            continue
        # only a link has a real path of its own: a look at the disk for each file would cost most here
        real = os.path.realpath(where)
        below = "" if where == "." else where
        for entry in entries:
            if entry.name.endswith(SUFFIXES) and not entry.is_dir(follow_symlinks=False):
                name = os.path.join(below, entry.name)  # noqa: PTH118 - a Path each costs more than the file
                is_link = entry.is_symlink()
                yield name, os.path.realpath(name) if is_link else f"{real}/{entry.name}"
        folders = [e.name for e in entries if e.is_dir(follow_symlinks=False) and e.name not in SKIPPED]
        pending.extend(os.path.join(below, name) for name in reversed(folders))  # noqa: PTH118
    yield from ((where, where) for where in failed)


def under_chart_templates(path: Path | None) -> bool:
    """The file belongs to a Helm chart's ``templates/`` folder: a Chart.yaml stands above it."""
    if path is None:
        return False
    text = os.path.abspath(path)  # noqa: PTH100 - for most files this string is all that is needed
    if f"{os.sep}{TEMPLATES}{os.sep}" not in text:
        return False
    parts = Path(text).parts
    folders = [Path(*parts[:n]) for n, part in enumerate(parts) if n > 0 and part == TEMPLATES]
    return any((folder / "Chart.yaml").is_file() for folder in folders)


def write_atomically(path: Path, data: bytes, expected: bytes | None = None) -> None:
    """Replace a file's content: a temporary file beside it, flushed to disk, then renamed over it.

    Mode and ownership are kept and a symbolic link stays one. ``expected`` is what the file must
    still hold. Raises OSError; the file is then as it was.
    """
    target = Path(os.path.realpath(path))
    before = target.stat() if target.exists() else None
    if expected is not None and target.read_bytes() != expected:
        raise OSError(None, "changed by somebody else while it was read; nothing written", str(path))
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "permission denied", str(path))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".gpuxlate", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            if before is not None:
                os.fchmod(stream.fileno(), stat.S_IMODE(before.st_mode))
                if (before.st_uid, before.st_gid) != (os.getuid(), os.getgid()):
                    os.fchown(stream.fileno(), before.st_uid, before.st_gid)
            else:
                umask = os.umask(0)
                os.umask(umask)
                os.fchmod(stream.fileno(), 0o666 & ~umask)
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    with suppress(OSError):
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
