"""Reading files that others may have put there: regular ones, up to a size, and nothing that blocks."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

from gpuxlate.model.limits import MAX_TEXT

StrPath = str | os.PathLike[str]

_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class UnusualFileError(OSError):
    """What stands there is no regular file, or too large."""

    def __init__(self, path: StrPath, why: str) -> None:
        super().__init__(None, why, str(path))


class Bounded:
    """A stream that gives no more than so many bytes: reading on raises UnusualFileError."""

    def __init__(self, stream: BinaryIO, path: StrPath, most: int) -> None:
        self._stream = stream
        self._path = path
        self._most = most
        self._at = 0

    def __enter__(self) -> Bounded:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stream.close()

    def read(self, size: int = -1) -> bytes:
        """As of any stream; raises OSError too."""
        room = self._most + 1 - self._at
        data = self._stream.read(room if size < 0 else min(size, room))
        self._at += len(data)
        if self._at > self._most:
            raise _too_large(self._path, self._most)
        return data


def opened(path: StrPath, most: int = MAX_TEXT, *, regular: bool = True) -> Bounded:
    """A file of at most ``most`` bytes, to be read. Raises OSError.

    ``regular``: nothing else is opened for reading, so that no pipe or device blocks.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC
    if regular:
        _judge(path, os.stat(path).st_mode)
        flags |= os.O_NONBLOCK  # should a pipe have taken its place by now
    handle = os.open(path, flags)
    try:
        status = os.fstat(handle)
        if regular:
            _judge(path, status.st_mode)
        if stat.S_ISREG(status.st_mode) and status.st_size > most:
            raise _too_large(path, most)
        return Bounded(os.fdopen(handle, "rb"), path, most)
    except BaseException:
        os.close(handle)
        raise


def content(path: StrPath, most: int = MAX_TEXT, *, regular: bool = True) -> bytes:
    """The bytes of such a file. Raises OSError."""
    with opened(path, most, regular=regular) as stream:
        return stream.read()


def upwards(folder: str) -> Iterator[str]:
    """A folder, and those that hold it up to the root; its path is absolute."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def inside(path: StrPath, folder: StrPath) -> bool:
    """The path leads to something in the folder, wherever ``..`` and symbolic links go."""
    inner, outer = os.path.realpath(path), os.path.realpath(folder)
    return os.path.join(inner, "").startswith(os.path.join(outer, ""))


def _judge(path: StrPath, mode: int) -> None:
    kind = next((name for test, name in _KINDS if test(mode)), None)
    if kind:
        raise UnusualFileError(path, f"it is {kind}, no file")


def _too_large(path: StrPath, most: int) -> UnusualFileError:
    """The file is larger than ``most`` bytes."""
    size = f"{most // 2**20} MiB" if most >= 2**20 else f"{most} bytes"
    return UnusualFileError(path, f"larger than {size}")
