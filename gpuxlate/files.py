"""Inputs and outputs on disk: what to read, and writing that leaves old or new, never half."""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gpuxlate.manifest.source import DecodeError, Source

if TYPE_CHECKING:
    from gpuxlate.manifest.compose import Reader

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
    """An input is missing or cannot be opened or decoded (exit 3). The message names it.

    ``hint``: what to do.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


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
                raise InputError(f"{self.name}: larger than {MAX_BYTES // 2**20} MiB, which no manifest is")
            return self.path.read_bytes()
        except OSError as error:
            raise InputError(f"{self.name}: {reason(error)}") from None

    def source(self, data: bytes | None = None) -> Source:
        """The decoded text. Raises InputError."""
        try:
            return Source.from_bytes(self.name, self.read_bytes() if data is None else data)
        except DecodeError as error:
            raise InputError(f"{self.name}: {error}") from None


def reader(one: Input, source: Source, target: str | None = None) -> Reader:
    """How to read the documents of an input: those of manifests, or the parameters of a job.

    ``target``: the one that the user named as the dialect of the input.
    """
    from gpuxlate.manifest.compose import documents

    said = target is not None and target.startswith("volcengine-emr-")
    if not one.named or not (said or one.name.endswith(PARAMETER_SUFFIXES)):
        return documents
    if target is not None and not said:
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


_BREAK = rb"\r\n|[\r\n]|\xc2\x85|\xe2\x80[\xa8\xa9]"
_ESCAPE = re.compile(
    rb"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(" + _BREAK + rb")[ \t]*|(.))", re.DOTALL
)


def may_hold(data: bytes, marks: re.Pattern[bytes]) -> bool:
    """Whether a text can hold one of the marks, without reading it as YAML.

    Sound: the only way to write a key without its letters is an escape in double quotes. A NUL is no
    text at all, or one of UTF-16: reading it says so.
    """
    if marks.search(data) is not None or b"\0" in data:
        return True
    return b"\\" in data and marks.search(_ESCAPE.sub(_unescaped, data)) is not None


def _unescaped(match: re.Match[bytes]) -> bytes:
    number = match[1] or match[2] or match[3]
    if number is not None:
        code = int(number, 16)
        return chr(code).encode("utf-8", "surrogatepass") if code <= sys.maxunicode else b""
    return match[5] or b""


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
