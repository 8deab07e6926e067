"""The lock in a target's folder: the files that sync wrote there, with their digests."""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, ClassVar

from gpuxlate.files.find import system_message
from gpuxlate.files.read import read_content
from gpuxlate.model import limits
from gpuxlate.model.declarations import (
    OMITTED,
    Keywords,
    Output,
    Printed,
    PrintedAs,
    Sometimes,
    record,
    regex,
)
from gpuxlate.model.messages import msg
from gpuxlate.sync.errors import SyncError

LOCK = ".gpuxlate-sync.json"
_DIGEST = regex("[0-9a-f]{64}")
_PATH = 4096
"""Bytes of a path, and of what ends it, that Linux allows."""


def sha256(data: bytes) -> str:
    """The SHA-256 of bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


Sha256 = Annotated[str, Keywords(pattern="^[0-9a-f]{64}$")]


@record
class PrintedFile(Printed):
    """One file."""

    source: str
    """The file of the source."""
    sha256: Sha256
    """SHA-256 of the file as it was written; of a link, of what it leads to."""
    before: Sometimes[Sha256]
    """SHA-256 of what it replaces; in the lock of a run that has not ended."""
    link: Sometimes[bool]
    """It is a symbolic link."""
    made: Sometimes[str]
    """Of all that its text alone depends on: with the same, it is not translated again."""


@record
class LockFile(Output):
    """What sync wrote into the folder: it changes and removes nothing else."""

    KIND: ClassVar[str] = "sync-lock"
    target: str
    """Name of the target."""
    source: str
    """Folder of the source, from that of the configuration."""
    options: Sometimes[str]
    """Of all that the texts of all files depend on, decisions among them."""
    files: Mapping[str, Locked]
    """The files by their paths from this folder."""


@record
class Locked(PrintedAs):
    """A file that sync wrote. ``input_key``: the key of what it was made from, None where that is not known.
    ``before``: the digest of what it replaces, in the lock of a run that has not ended."""

    source: str
    digest: str
    input_key: str | None = None
    link: bool = False
    before: str | None = None

    def printed(self) -> PrintedFile:
        return PrintedFile(
            self.source, self.digest, self.before or OMITTED, self.link or OMITTED, self.input_key or OMITTED
        )

    def wrote(self, on_disk: tuple[str, bool] | None) -> bool:
        """Whether sync wrote what is on the disk: the file as it is listed, or the one that it replaces."""
        return on_disk == (self.digest, self.link) or (on_disk is not None and on_disk[0] == self.before)


@record
class SyncLock:
    """What sync wrote into a folder. ``options``: the ``options_fingerprint`` with which it was made."""

    files: Mapping[str, Locked] = field(default_factory=dict)
    options: str | None = None


def _is_path(name: str) -> bool:
    """Whether a name in a lock is a path that a file of the folder can have."""
    try:
        return "\0" not in name and len(os.fsencode(name)) < _PATH
    except UnicodeEncodeError:
        return False


def read_lock(folder: str) -> SyncLock:
    """What sync wrote into a folder; nothing without a lock. Raises SyncError."""
    path = os.path.join(folder, LOCK)
    hint = msg("take it from the repository, or remove it and run gpuxlate sync --overwrite")
    if not os.path.lexists(path):
        return SyncLock()
    if os.path.islink(path):
        raise SyncError(msg("{path}: it is a link", path=path), hint)
    try:
        data = json.loads(read_content(path, limits.MAX_TEXT))
    except OSError as error:
        raise SyncError(msg("{path}: {error}", path=path, error=system_message(error)), hint) from None
    except (ValueError, RecursionError):
        raise SyncError(msg("{path}: invalid JSON: cut, or merged with conflicts", path=path), hint) from None
    version = data.get("format") if isinstance(data, dict) else None
    if version != LockFile.format_name():
        text = "{path}: its format is not {format}"
        raise SyncError(msg(text, path=path, format=LockFile.format_name()), hint)
    files = data.get("files")
    by_path: dict[str, Locked] = {}
    for name, fields in files.items() if isinstance(files, dict) else [("", None)]:
        entry = fields if isinstance(fields, dict) else {}
        source, digest, translated, before = (
            entry.get(key) for key in ("source", "sha256", "made", "before")
        )
        is_entry = isinstance(source, str) and all(
            isinstance(value, str) and _DIGEST.fullmatch(value)
            for value in (digest, *([] if before is None else [before]))
        )
        if not is_entry or name == LOCK or not _is_path(name):
            shown = limits.cut(name, limits.MAX_NAME)
            raise SyncError(msg("{path}: the entry {name!r} is not one of sync", path=path, name=shown), hint)
        tidy = posixpath.normpath(name)
        if name != tidy or posixpath.isabs(name) or tidy.split("/")[0] in ("..", "."):
            raise SyncError(msg("{path}: {name!r} leads out of the folder", path=path, name=name), hint)
        digest_before = translated if isinstance(translated, str) else None
        by_path[name] = Locked(str(source), str(digest), digest_before, entry.get("link") is True, before)
    options = data.get("options")
    return SyncLock(by_path, options if isinstance(options, str) else None)


def lock_text(target: str, source: str, options: str, files: Mapping[str, Locked]) -> bytes:
    """The lock of a target's folder: the same bytes for the same tree."""
    data = LockFile(target, source, options, {path: files[path] for path in sorted(files)}).to_json()
    return (json.dumps(data, indent=1, ensure_ascii=True) + "\n").encode()
