"""Writing that leaves old or new, never half: a temporary file beside the target, then a rename."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from gpuxlate.inputs.bounded import content

SUFFIX = ".gpuxlate"
"""Temporary files are called ``.NAME.RANDOM.gpuxlate``: no run takes one for an input."""
_NAME = 150
"""Bytes of NAME in it: file systems allow 255 in all."""


class ChangedError(OSError):
    """The file no longer holds what was read."""

    def __init__(self, path: Path) -> None:
        super().__init__(None, "changed by somebody else while it was read; nothing written", str(path))


def write_atomically(path: Path, data: bytes, expected: bytes | None = None) -> int:
    """Replace a file's content: a temporary file beside it, flushed to disk, then renamed over it.

    Mode, ownership, access lists and extended attributes are kept, and a symbolic link stays one.
    ``expected`` is what the file must still hold. Returns how many other names (hard links) the file
    had: those keep the old content. Raises OSError; the file is then as it was.
    """
    target = Path(os.path.realpath(path))
    before = _status(target)
    if before is not None and not stat.S_ISREG(before.st_mode):
        if expected is not None or stat.S_ISDIR(before.st_mode):
            raise OSError(None, "it is no regular file", str(path))
        try:
            target.write_bytes(data)  # a device or a pipe: there is nothing to keep whole
        except OSError as error:
            raise _told(error, path) from None
        return 0
    if before is not None and not os.access(target, os.W_OK):
        number = errno.EROFS if os.statvfs(target).f_flag & os.ST_RDONLY else errno.EACCES
        raise OSError(number, os.strerror(number), str(path))
    temporary = _temporary(target)
    try:
        _fill(temporary, data, target, before)
        if expected is not None and not _holds(target, expected):
            raise ChangedError(path)
        temporary.replace(target)
    except BaseException as error:
        if not isinstance(error, FileExistsError):  # that name is somebody else's
            with suppress(OSError):
                temporary.unlink()
        if isinstance(error, OSError):
            raise _told(error, path) from None
        raise
    _flush_folder(target.parent)
    return before.st_nlink - 1 if before is not None else 0


def _holds(target: Path, expected: bytes) -> bool:
    return target.stat().st_size == len(expected) and content(target) == expected


def _told(error: OSError, path: Path) -> OSError:
    """The error about the file that is written, not about the temporary one."""
    if error.errno == errno.EBUSY:
        return OSError(None, "it is mounted by itself and cannot be replaced: mount its folder", str(path))
    error.filename, error.filename2 = str(path), None
    return error


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _temporary(target: Path) -> Path:
    name = os.fsencode(target.name)[:_NAME].decode("utf-8", "ignore")
    return target.with_name(f".{name}.{os.urandom(6).hex()}{SUFFIX}")


def _fill(temporary: Path, data: bytes, target: Path, before: os.stat_result | None) -> None:
    """Make the temporary file with the content, and all that is kept of the old one, on disk."""
    # nobody else may look into it before it has the mode of the old one
    mode = 0o666 if before is None else 0o600
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(handle, left) :]
        if before is not None:
            _keep(handle, target, before)
        os.fsync(handle)
    finally:
        os.close(handle)


def _keep(handle: int, target: Path, before: os.stat_result) -> None:
    """Owner, extended attributes (access lists among them) and mode; the mode last, since a new owner
    takes the set-user-id bit away."""
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.fchown(handle, before.st_uid, before.st_gid)
        except PermissionError:
            reason = "it belongs to somebody else, and would not any more; nothing written"
            raise PermissionError(None, reason, str(target)) from None
    if hasattr(os, "listxattr"):
        with suppress(OSError):  # the file system has none
            for name in os.listxattr(target):
                with suppress(OSError):  # the system's own, which are not for us to set
                    os.setxattr(handle, name, os.getxattr(target, name))
    os.fchmod(handle, stat.S_IMODE(before.st_mode))


def _flush_folder(folder: Path) -> None:
    """The rename itself, on disk, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
