"""Reading files that others may have put there: regular ones, up to a size, and nothing that blocks."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from gpuxlate.limits import MAX_BYTES

_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_CHUNK = 2**14


class UnusualFileError(OSError):
    """What stands there is no regular file, or too large."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(None, why, str(path))


def content(path: Path, most: int = MAX_BYTES, *, regular: bool = True) -> bytes:
    """The bytes of a file of at most ``most`` bytes. Raises OSError.

    ``regular``: nothing else is opened for reading, so that no pipe or device blocks.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC
    if regular:
        _judge(path, path.stat().st_mode)
        flags |= os.O_NONBLOCK  # should a pipe have taken its place by now
    handle = os.open(path, flags)
    try:
        status = os.fstat(handle)
        if regular:
            _judge(path, status.st_mode)
        if stat.S_ISREG(status.st_mode) and status.st_size > most:
            raise too_large(path, most)
        parts: list[bytes] = []
        size = 0
        step = max(status.st_size + 1, _CHUNK)
        while part := os.read(handle, step):
            parts.append(part)
            size += len(part)
            if size > most:
                raise too_large(path, most)
        return b"".join(parts)
    finally:
        os.close(handle)


def inside(path: Path, folder: Path) -> bool:
    """The path leads to something in the folder, wherever ``..`` and symbolic links go."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _judge(path: Path, mode: int) -> None:
    kind = next((name for test, name in _KINDS if test(mode)), None)
    if kind:
        raise UnusualFileError(path, f"it is {kind}, no file")


def too_large(path: Path, most: int) -> UnusualFileError:
    """The file is larger than ``most`` bytes."""
    size = f"{most // 2**20} MiB" if most >= 2**20 else f"{most} bytes"
    return UnusualFileError(path, f"larger than {size}")
