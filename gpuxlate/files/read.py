"""Reading files that others may have put there: regular ones, up to a size, and nothing that blocks."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from functools import lru_cache, partial, wraps
from typing import Any, TypeVar

from gpuxlate.model.declarations import regex
from gpuxlate.model.kept import kept
from gpuxlate.model.limits import MAX_TEXT
from gpuxlate.model.messages import msg

StrPath = str | os.PathLike[str]
READ_BLOCK = 64 * 1024
"""Bytes that are read at once from what has no length."""
FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
_OPEN = regex(r"/dev/(?:stdin|fd/[0-9]+)|/proc/self/fd/[0-9]+")
"""Files that this process has open already."""
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def cached(maximum: int) -> Callable[[FunctionT], FunctionT]:
    """A decorator that keeps the results of a function that reads the disk, of ``maximum`` arguments, for a
    run."""

    def keep(function: FunctionT) -> FunctionT:
        cache = lru_cache(maxsize=maximum)

        @wraps(function)
        def again(*arguments: Any) -> Any:
            return kept(again, lambda: cache(function))(*arguments)

        return again  # type: ignore[return-value]

    return keep


class UnusualFileError(OSError):
    """Not a regular file, or too large."""

    def __init__(self, path: StrPath, why: str) -> None:
        super().__init__(None, why, str(path))


def read_content(path: StrPath, maximum: int = MAX_TEXT, *, named: bool = False) -> bytes:
    """The bytes of a file of at most ``maximum`` bytes. Raises OSError.

    Nothing but a regular file is read, so that no pipe or device blocks. ``named``: the user named the path
    itself; what the shell opened for this process (``<(...)``, /dev/stdin) is read to its end then, and a
    device as far as it gives something at once.
    """
    if named and _OPEN.fullmatch(os.path.abspath(path)):
        return _of_open(path, maximum)
    _check_kind(path, os.stat(path).st_mode, named)
    # should a pipe have taken its place by now, opening it does not wait
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        status = os.fstat(handle)
        _check_kind(path, status.st_mode, named)
        if stat.S_ISREG(status.st_mode) and status.st_size > maximum:
            raise _too_large(path, maximum)
        return read_at_most(partial(os.read, handle), path, maximum, status.st_size)
    finally:
        os.close(handle)


@cached(64)
def _of_open(path: StrPath, maximum: int) -> bytes:
    """The bytes of what this process has open: a pipe gives them once, and several may ask in a run."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return read_at_most(partial(os.read, handle), path, maximum)
    finally:
        os.close(handle)


def read_at_most(read: Callable[[int], bytes], path: StrPath, maximum: int, length: int = 0) -> bytes:
    """All that a stream gives, in blocks. Raises UnusualFileError where it is more than ``maximum`` bytes.

    ``length``: bytes of the file when it was opened. Most files are read with one call, not two, by it.
    """
    parts = [read(min(length or READ_BLOCK, maximum + 1))]
    remaining = maximum + 1 - len(parts[0])
    if not remaining:
        raise _too_large(path, maximum)
    if len(parts[0]) == length:
        return parts[0]
    while block := read(min(remaining, READ_BLOCK)):
        parts.append(block)
        remaining -= len(block)
        if not remaining:
            raise _too_large(path, maximum)
    return b"".join(parts)


def folders_upwards(folder: str) -> Iterator[str]:
    """A folder, and those that hold it up to the root; its path is absolute."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def is_inside(path: StrPath, folder: StrPath) -> bool:
    """Whether the path leads to something in the folder, once ``..`` and symbolic links are followed."""
    inner, outer = os.path.realpath(path), os.path.realpath(folder)
    return os.path.join(inner, "").startswith(os.path.join(outer, ""))


@cached(64)
def repository_of(folder: StrPath) -> str:
    """The nearest folder upwards with .git, else the folder itself."""
    start = os.path.realpath(folder)
    return next(
        (folder for folder in folders_upwards(start) if os.path.exists(os.path.join(folder, ".git"))), start
    )


def _check_kind(path: StrPath, mode: int, named: bool) -> None:
    if stat.S_ISREG(mode) or (named and (stat.S_ISCHR(mode) or stat.S_ISBLK(mode))):
        return
    kind = next((name for test, name in _KINDS if test(mode)), None)
    if kind:
        raise UnusualFileError(path, msg("it is {kind}, not a file", kind=msg(kind)))


def _too_large(path: StrPath, maximum: int) -> UnusualFileError:
    """The error for a file with more than ``maximum`` bytes."""
    size = (
        msg("{count} MiB", count=maximum // 2**20)
        if maximum >= 2**20
        else msg("{count} bytes", count=maximum)
    )
    return UnusualFileError(path, msg("larger than {size}", size=size))
