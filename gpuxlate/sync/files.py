"""The files of a source tree: which there are, their bytes, and their folders."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable
from typing import TypeVar

from gpuxlate.files.find import (
    SUFFIXES,
    Exclusion,
    InputError,
    gitignores_above,
    system_message,
    with_gitignore,
)
from gpuxlate.files.read import is_inside, read_content
from gpuxlate.model import limits
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import msg
from gpuxlate.sync.errors import SyncError
from gpuxlate.sync.lock import LOCK, sha256
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.source import DecodeError, Source

ReadT = TypeVar("ReadT")


@record
class TreeFile:
    """A file of the source by its path from there. ``link``: what it leads to, where it is one. ``digest``:
    of its content, once ``SourceTree.of`` has read it."""

    path: str
    place: str
    mode: int = 0o644
    link: str | None = None
    digest: str = ""

    @property
    def is_translated(self) -> bool:
        """Whether the file is translated: a file by its suffix, never a link."""
        return self.link is None and self.path.endswith(SUFFIXES)

    def check(self, data: bytes) -> bytes:
        """The bytes that a later step read.

        Raises InputError if they no longer have the ``digest``: the file has changed in the meantime.
        """
        if sha256(data) != self.digest:
            message = msg("{name}: changed by another process while sync read it", name=self.place)
            raise InputError(message, "run gpuxlate sync again")
        return data


def tree_files(source: str, exclusion: Exclusion, not_copied: Iterable[str]) -> list[TreeFile]:
    """The files of a source, in order. Raises SyncError, and InputError for folders that cannot be read.

    ``not_copied``: the real paths of the configuration and of decisions.
    """
    left_out = set(not_copied)
    files: list[TreeFile] = []
    top = os.path.realpath(source)
    pending = [("", top, gitignores_above(top))]
    while pending:
        where, real, levels = pending.pop()
        folder = os.path.join(source, where)
        levels = with_gitignore(real, levels)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            raise InputError(msg("{name}: {error}", name=folder, error=system_message(error))) from None
        for entry in entries:
            path = posixpath.join(where, entry.name)
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name.casefold() == ".git":
                continue  # a file of this name points git at another folder
            if exclusion.leaves_out(entry.path, f"{real}/{entry.name}", levels, is_folder=is_folder):
                continue
            if is_folder:
                pending.append((path, os.path.join(real, entry.name), levels))
            elif os.path.join(real, entry.name) not in left_out and entry.name != LOCK:
                files.append(_tree_file(source, path, entry))
    _judge_names(source, files)
    return sorted(files, key=lambda file: file.path)


def _judge_names(source: str, files: Iterable[TreeFile]) -> None:
    """Raises SyncError for names that are one name where the file system does not tell cases apart."""
    by_path: dict[str, str] = {}

    def judge(path: str) -> None:
        other = by_path.setdefault(path.casefold(), path)
        if other != path:
            message = msg(
                "{one} and {other} of {folder} differ by case alone", one=other, other=path, folder=source
            )
            raise SyncError(message, "rename one of them: many file systems have room for one")

    judged: dict[str, None] = {"": None}
    for file in files:
        first_of_folders(file.path, judged, judge)
        judge(file.path)


def _tree_file(source: str, path: str, entry: os.DirEntry[str]) -> TreeFile:
    if entry.is_symlink():
        goal = os.readlink(entry.path)
        if os.path.isabs(goal) or _climbs_out(path, goal) or not is_inside(entry.path, source):
            message = msg("{name}: a link that leads out of {folder}", name=entry.path, folder=source)
            raise SyncError(message, "put the file itself there, or leave the link out (exclude)")
        return TreeFile(path, entry.path, link=goal, digest=sha256(os.fsencode(goal)))
    return TreeFile(path, entry.path, entry.stat(follow_symlinks=False).st_mode & 0o777)


def _climbs_out(path: str, goal: str) -> bool:
    """A link leaves the source on its way, though it may come back: its copy would not."""
    depth = path.count("/")
    for step in goal.split("/"):
        depth += -1 if step == ".." else step not in ("", ".")
        if depth < 0:
            return True
    return False


def file_bytes(place: str) -> bytes:
    """The bytes of a file of the source. Raises InputError."""
    try:
        return read_content(place, limits.MAX_TEXT)
    except OSError as error:
        raise InputError(msg("{name}: {error}", name=place, error=system_message(error))) from None


def file_documents(place: str) -> list[Document]:
    """The documents of a file of the source; none of what is not YAML, which others report."""
    try:
        return list(documents(Source.from_bytes(place, file_bytes(place))))
    except (DecodeError, NotYamlError):
        return []


def first_of_folders(
    path: str, answers: dict[str, ReadT | None], ask: Callable[[str], ReadT | None]
) -> ReadT | None:
    """The answer for the highest folder of a path that has one; ``ask`` is called once for each folder.

    ``answers``: the answers so far, with that for the folder from which paths count.
    """
    missing = []
    folder = posixpath.dirname(path)
    while folder not in answers:
        missing.append(folder)
        folder = posixpath.dirname(folder)
    answer = answers[folder]
    for folder in reversed(missing):
        answer = answers[folder] = ask(folder) if answer is None else answer
    return answer
