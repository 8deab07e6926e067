"""Writing that leaves old or new, never half: a temporary file beside the target, then a rename.

Each temporary file is locked by the run that writes it. One without a lock is that of a run which was killed:
the next run that writes to its folder removes it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gpuxlate.files.read import cached, read_content
from gpuxlate.model.declarations import regex

TEMPORARY_SUFFIX = ".gpuxlate"
"""Temporary files are called ``.NAME.tmp-RANDOM.gpuxlate``: no run takes one for an input."""
_OURS = regex(r"\..+\.tmp-[a-z0-9_]{8}\.gpuxlate", re.S)
_NAME = 150
"""Bytes of NAME in it: file systems allow 255 in all."""


class ChangedError(OSError):
    """The file no longer holds what was read."""

    def __init__(self, path: Path) -> None:
        super().__init__(None, "changed by another process since it was read; nothing written", str(path))


def write_atomically(
    path: Path,
    data: bytes,
    expected: bytes | None = None,
    mode: int | None = None,
    *,
    read_only: bool = False,
) -> int:
    """Replace a file's content: a temporary file beside it, flushed to disk, then renamed over it.

    Mode (without ``mode``), ownership, access lists and extended attributes are kept, and a symbolic link
    stays one. ``expected`` is what the file must still hold; ``read_only``: a file that nobody may write is
    replaced too. Returns how many other names (hard links) the file had: those keep the old content.
    Raises OSError; the file is then as it was.
    """
    target = Path(os.path.realpath(path))
    before = _status(path)
    if before is not None and not stat.S_ISREG(before.st_mode):
        if expected is not None or stat.S_ISDIR(before.st_mode):
            raise OSError(None, "not a regular file", str(path))
        try:
            _write_through(path, data)
        except OSError as error:
            raise _about(error, path) from None
        return 0
    if before is not None and not read_only and not os.access(target, os.W_OK):
        number = errno.EROFS if os.statvfs(target).f_flag & os.ST_RDONLY else errno.EACCES
        raise OSError(number, os.strerror(number), str(path))
    _remove_left_over(target.parent)
    temporary: Path | None = None
    lock: int | None = None
    try:
        # a new file is for whom the umask says; one in place of another is closed until it is like that
        handle, temporary = _temporary(target, 0o600 if before or mode is not None else 0o666)
        lock = os.dup(handle)  # until the file has its name: the other one is closed before, as that may fail
        _fill(handle, data, target, before, mode)
        if expected is not None and not _holds(target, expected):
            raise ChangedError(path)
        temporary.replace(target)
    except BaseException as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()
        if isinstance(error, OSError):
            raise _about(error, path) from None
        raise
    finally:
        if lock is not None:
            with suppress(OSError):
                os.close(lock)
    _flush_folder(target.parent)
    return before.st_nlink - 1 if before is not None else 0


def link_atomically(path: Path, goal: str) -> None:
    """Put a symbolic link where nothing, a file or a link is. Raises OSError; the place is then as it was."""
    _remove_left_over(path.parent)
    new = path.with_name(f".{_short(path.name)}.tmp-{os.urandom(4).hex()}{TEMPORARY_SUFFIX}")
    try:
        new.symlink_to(goal)  # an error where somebody has the name
        try:
            new.replace(path)
        except BaseException:
            with suppress(OSError):
                new.unlink()
            raise
    except OSError as error:
        raise _about(error, path) from None


def _write_through(path: Path, data: bytes) -> None:
    """Write to a device or a pipe: there is nothing to keep whole. One that nobody reads is an error."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(None, "nobody reads what is written to it", str(path)) from None
        raise
    os.set_blocking(handle, True)
    with open(handle, "wb") as file:
        file.write(data)


def _holds(target: Path, expected: bytes) -> bool:
    return target.stat().st_size == len(expected) and read_content(target) == expected


def _about(error: OSError, path: Path) -> OSError:
    """The error about the file that is written, not about the temporary one."""
    if error.errno == errno.EBUSY:
        return OSError(
            None, "it is a mount point and cannot be replaced; mount its folder instead", str(path)
        )
    error.filename, error.filename2 = str(path), None
    return error


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _short(name: str) -> str:
    return os.fsencode(name)[:_NAME].decode("utf-8", "ignore")


def _temporary(target: Path, mode: int) -> tuple[int, Path]:
    """A new file beside the target, open for writing and locked."""
    while True:
        path = target.with_name(f".{_short(target.name)}.tmp-{os.urandom(4).hex()}{TEMPORARY_SUFFIX}")
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        except FileExistsError:
            continue
        # another run may have removed it before it is locked
        if _locked(handle) is not False and os.fstat(handle).st_nlink:
            return handle, path
        os.close(handle)


def wait_for_folder(folder: str, waits: Callable[[], None]) -> int | None:
    """Lock a folder until the result is closed, or the process ends; ``waits`` is called where another run
    has it. None where there are no locks."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    if _locked(handle) is False:
        waits()
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def _locked(handle: int) -> bool | None:
    """Lock a file until it is closed. False where another run has the lock, None where there are no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@cached(4096)
def _remove_left_over(folder: Path) -> None:
    """Remove temporary files whose run has ended. Once in a run; where it fails, they stay."""
    with suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if _OURS.fullmatch(entry.name)]:
            with suppress(OSError):
                _remove_ended(folder / name)


def _remove_ended(path: Path) -> None:
    """Remove a temporary file that no run has locked: one of this user, with one name, or a link."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        if status.st_uid == os.geteuid():
            path.unlink()
        return
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(handle)
        ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and status.st_nlink == 1
        if ours and _locked(handle) and os.path.samestat(status, path.lstat()):
            path.unlink()
    finally:
        os.close(handle)


def _fill(handle: int, data: bytes, target: Path, before: os.stat_result | None, mode: int | None) -> None:
    """Write the content and all that is kept of the old file, on disk. Closes the file."""
    try:
        unwritten = memoryview(data)
        while unwritten:
            unwritten = unwritten[os.write(handle, unwritten) :]
        if before is not None:
            _keep(handle, target, before)
        # last, since a new owner takes the set-user-id bit away
        if mode is None and before is not None:
            mode = stat.S_IMODE(before.st_mode)
        if mode is not None:
            os.fchmod(handle, mode)
        os.fsync(handle)
    finally:
        os.close(handle)


def _keep(handle: int, target: Path, before: os.stat_result) -> None:
    """Owner and extended attributes, access lists among them."""
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.fchown(handle, before.st_uid, before.st_gid)
        except PermissionError:
            reason = "replacing it would change its owner; nothing written"
            raise PermissionError(None, reason, str(target)) from None
    if hasattr(os, "listxattr"):
        with suppress(OSError):  # the file system has none
            for name in os.listxattr(target):
                with suppress(OSError):  # the system's own, which are not for us to set
                    os.setxattr(handle, name, os.getxattr(target, name))


def _flush_folder(folder: Path) -> None:
    """The rename itself, on disk, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
