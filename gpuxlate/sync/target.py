"""A target's folder: what is in it, what it is to hold, and what is written and removed."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gpuxlate.files.read import read_content
from gpuxlate.files.write import link_atomically, write_atomically
from gpuxlate.model import limits
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import msg
from gpuxlate.sync.files import TreeFile, first_of_folders
from gpuxlate.sync.lock import LOCK, Locked, SyncLock, lock_text, sha256
from gpuxlate.translation.options import Settings
from gpuxlate.translation.results import Result
from gpuxlate.yamltext.splices import Splice


@record
class WantedFile:
    """A file as it is to be. ``data`` None: as it is, since nothing changed that it depends on.

    ``steps``: what made it of its source: the translation, the documents left out, the shares put on it.
    """

    source: TreeFile
    data: bytes | None
    steps: Sequence[Sequence[Splice]] = ((), (), ())

    @property
    def digest(self) -> str:
        """The SHA-256 of the data; empty where there is none."""
        return sha256(self.data) if self.data is not None else ""

    @property
    def disk_state(self) -> tuple[str, bool]:
        """The wanted state in the form of ``TargetTree.on_disk``: the digest, and whether it is a link."""
        return self.digest, self.source.link is not None


Watched = Callable[[Sequence[Any]], Iterable[Any]]
"""Gives back what is gone through, for somebody to see how far it is."""


def _folders_above(path: str) -> list[str]:
    """The folders of a path from the top down, without the one that it counts from."""
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]


def _make_folders(folder: str) -> None:
    """Make the missing folders of a path. Without recursion, as os.makedirs has it, for any depth. Raises
    OSError."""
    missing = []
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for place in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(place)


def _is_repository(folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, ".git"))


def _is_folder(place: str) -> bool:
    return os.path.isdir(place) and not os.path.islink(place)


@dataclass
class TargetTree:
    """One target of a source: its folder, what is in it, and what is to be done.

    ``source``: that of its lock. ``anew``: every file is translated again, whether or not something changed.
    ``conflicts``: what ``overwrite`` takes away, ``blocked``: what it does not. ``owns``: the lock lists
    what it is to list.
    """

    name: str
    folder: str
    source: str
    settings: Settings
    lock: SyncLock
    anew: bool = False
    options: str = ""
    keys: dict[str, str] = field(default_factory=dict)
    result: Result = field(default_factory=Result)
    new_files: dict[str, WantedFile] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    by_hand: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    blocked: dict[str, None] = field(default_factory=dict)
    owns: bool = True
    refused: bool = False
    seen: dict[str, tuple[str, bool] | None] = field(default_factory=dict)
    _elsewhere: dict[str, bool | None] = field(default_factory=lambda: {"": None})
    _barred: dict[str, str | None] = field(default_factory=dict)

    def stale(self, files: Iterable[TreeFile]) -> list[TreeFile]:
        """The files whose result is not in the folder."""
        anew = self.anew or self.lock.options != self.options
        return [file for file in files if anew or not self._in_step(file)]

    def _in_step(self, file: TreeFile) -> bool:
        locked, key = self.lock.files.get(file.path), self.keys.get(file.path)
        if locked is None or key is None or locked.input_key != key:
            return False
        on_disk = self.on_disk(file.path)
        return on_disk == (locked.digest, locked.link) and (locked.link or self._has_mode(file.path, file))

    def place(self, path: str) -> str:
        """The place of a file of the tree on the disk."""
        return os.path.join(self.folder, path)

    def on_disk(self, path: str) -> tuple[str, bool] | None:
        """The digest of what is there, and whether it is a link; None where nothing is. A folder has none.

        What is behind a link or in another repository is not there.
        """
        if path not in self.seen:
            is_elsewhere = first_of_folders(path, self._elsewhere, self._leads_elsewhere)
            self.seen[path] = None if is_elsewhere else self._on_disk(self.place(path))
        return self.seen[path]

    def _leads_elsewhere(self, folder: str) -> bool | None:
        place = self.place(folder)
        return os.path.islink(place) or _is_repository(place) or None

    @staticmethod
    def _on_disk(place: str) -> tuple[str, bool] | None:
        if os.path.islink(place):
            return sha256(os.fsencode(os.readlink(place))), True
        try:
            return sha256(read_content(place, limits.MAX_TEXT)), False
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return "", False

    def compare(self, *, overwrite: bool) -> None:
        """Set what is to be written and removed, or the conflicts that prevent it."""
        self._compare_gone(overwrite=overwrite)
        for path, file in self.new_files.items():
            locked = self.lock.files.get(path)
            blocked = self._blocked(path)
            on_disk = None if blocked is not None else self.on_disk(path)
            if blocked is not None:
                self.blocked[blocked] = None
            elif file.data is None or (on_disk == file.disk_state and self._has_mode(path, file.source)):
                self.unchanged.append(path)
            elif _is_folder(self.place(path)):
                if self._is_removed_folder(path):
                    self.written.append(path)
                else:
                    self.blocked[
                        msg("{place} is a folder, and a file has to go there", place=self.place(path))
                    ] = None
            elif on_disk is None or overwrite:
                self.written.append(path)
            elif on_disk == file.disk_state:
                self.written.append(path)  # the mode alone
            elif locked is None:
                message = msg(
                    "{place} is not of sync, and {source} has to go there",
                    place=self.place(path),
                    source=file.source.place,
                )
                self.conflicts.append(message)
            elif not locked.wrote(on_disk):
                self.by_hand.append(path)
            else:
                self.written.append(path)
        is_now = {path: replace(locked, input_key=None) for path, locked in self.lock.files.items()}
        self.owns = is_now == {
            path: replace(locked, input_key=None) for path, locked in self._locked().items()
        }

    def _is_removed_folder(self, path: str) -> bool:
        """Whether a path is a folder that is removed: all its files are, and none of its folders is empty."""
        place = self.place(path)
        if not _is_folder(place):
            return False
        removed = set(self.removed)
        emptied = {over for file in self.lock.files for over in _folders_above(file)}
        for top, folders, names in os.walk(place):
            subfolder = os.path.relpath(top, self.folder)
            links = {name for name in folders if os.path.islink(os.path.join(top, name))}
            if (
                subfolder not in emptied
                or not {posixpath.join(subfolder, name) for name in (*names, *links)} <= removed
            ):
                return False
        return True

    def _compare_gone(self, *, overwrite: bool) -> None:
        for path, locked in self.lock.files.items():
            if path in self.new_files or self._blocked(path) is not None:
                continue
            on_disk = self.on_disk(path)
            if on_disk is None or _is_folder(self.place(path)):
                continue  # a folder in its place: the file is gone
            if locked.wrote(on_disk) or overwrite:
                self.removed.append(path)
            else:
                self.by_hand.append(path)

    def _has_mode(self, path: str, file: TreeFile) -> bool:
        return file.link is not None or os.stat(self.place(path)).st_mode & 0o111 == file.mode & 0o111

    def _blocked(self, path: str) -> str | None:
        """Why nothing can be written at a path, even with ``overwrite``; None where it can be."""
        if not self._barred:
            self._barred[""] = self._why_not_into("")
        barred = first_of_folders(path, self._barred, self._why_not_into)
        if barred is not None:
            return barred
        place = self.place(path)
        is_known = os.path.islink(place) or os.path.isfile(place) or os.path.isdir(place)
        if os.path.lexists(place) and not is_known:
            return msg("{place} is not a regular file", place=place)
        return None

    def _why_not_into(self, folder: str) -> str | None:
        """Why nothing can be written into a folder."""
        place = self.place(folder) if folder else self.folder
        if os.path.islink(place) and not self._is_removed_link(folder):
            return msg("{link} is a link: nothing is written through it", link=place)
        if os.path.lexists(place) and not os.path.isdir(place) and folder not in self.lock.files:
            return msg("{place} is a file, and a folder has to go there", place=place)
        if folder and _is_repository(place):
            return msg("{place} is a repository of its own: nothing is written into it", place=place)
        return None

    def _is_removed_link(self, link: str) -> bool:
        """Whether a path is a link that the last run wrote, unchanged, and is a folder in the source now."""
        locked = self.lock.files.get(link)
        return locked is not None and link not in self.new_files and locked.wrote(self.on_disk(link))

    @property
    def writes_nothing(self) -> bool:
        """Whether the run writes nothing into the folder."""
        return self.refused or bool(self.blocked or self.conflicts or self.by_hand)

    @property
    def is_behind(self) -> bool:
        """A run that writes would change the folder."""
        return bool(self.written or self.removed) or not self.owns

    # -- reading and writing -------------------------------------------------------------------------------
    def new_text(self, path: str) -> str:
        """The text that a file is to have; empty where it is removed."""
        file = self.new_files.get(path)
        return (file.data or b"").decode(errors="replace") if file else ""

    def current_text(self, path: str) -> str:
        """The text that a file has on the disk."""
        place = self.place(path)
        if os.path.islink(place):
            return os.readlink(place)
        return read_content(place).decode(errors="replace") if os.path.isfile(place) else ""

    def write(self, watched: Watched = iter) -> None:
        """Write the lock of all files, the old and the new, then the files, then the lock of the new ones:
        whenever the run is killed, the next one knows the files of both. Raises OSError."""
        if self.written or self.removed:
            self._write_lock(self._locked() | self._entries_while_writing())
        for path in self.removed:
            self._remove(path)
        for path in watched(self.written):
            self._write(self.place(path), self.new_files[path])
        self._write_lock(self._locked())

    def _write_lock(self, files: Mapping[str, Locked]) -> None:
        place = self.place(LOCK)
        if files or os.path.lexists(place):
            lock = lock_text(self.name, self.source, self.options, files)
            _make_folders(self.folder)
            if not os.path.isfile(place) or read_content(place) != lock:
                write_atomically(Path(place), lock)

    def _entries_while_writing(self) -> dict[str, Locked]:
        """The entries of files that are about to change or to go, with what is there now: by these the run
        after an interrupted one knows the files of both (``Locked.wrote``)."""
        locked = self._locked()
        by_path: dict[str, Locked] = {}
        for path in (*self.written, *self.removed):
            on_disk = self.on_disk(path)
            locked_file = locked.get(path) or self.lock.files[path]
            by_path[path] = replace(locked_file, before=on_disk[0] if on_disk and on_disk[0] else None)
        return by_path

    def _write(self, place: str, file: WantedFile) -> None:
        assert file.data is not None
        _make_folders(os.path.dirname(place))
        if _is_folder(place):
            for folder, _, _ in os.walk(place, topdown=False):
                os.rmdir(folder)  # what was in it has been removed
        if file.source.link is not None:
            link_atomically(Path(place), file.source.link)
            return
        if os.path.islink(place):
            os.unlink(place)
        has_mode = os.path.isfile(place) and self._has_mode(file.source.path, file.source)
        if not os.path.isfile(place) or read_content(place) != file.data:
            mode = None if has_mode else file.source.mode
            write_atomically(Path(place), file.data, mode=mode, read_only=True)
        elif not has_mode:
            os.chmod(place, file.source.mode)

    def _remove(self, path: str) -> None:
        """Remove a file, and the folders that are empty without it."""
        os.unlink(self.place(path))
        parent = posixpath.dirname(path)
        while parent and not os.listdir(self.place(parent)):
            os.rmdir(self.place(parent))
            parent = posixpath.dirname(parent)

    def _locked(self) -> dict[str, Locked]:
        """The entries of the lock as it is to be."""
        by_path: dict[str, Locked] = {}
        for path, file in self.new_files.items():
            is_link = file.source.link is not None
            digest = self.lock.files[path].digest if file.data is None else file.digest
            source = posixpath.join(self.source, file.source.path)
            by_path[path] = Locked(source, digest, self.keys.get(path), is_link)
        return by_path
