"""What is left out of folders: what git ignores, hidden folders, and the patterns of ``exclude``.

A path that the user names is taken whatever it is, except under ``force``. The global excludes of git
are not read, so that a run gives the same on every machine. Source: gitignore(5).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gpuxlate.inputs.bounded import StrPath, content, repository, upwards
from gpuxlate.inputs.patterns import Patterns
from gpuxlate.model import limits

GITIGNORE = ".gitignore"
SKIPPED = frozenset({".git", "node_modules"})
"""Folders whose files nobody means."""


class TooManyPatternsError(OSError):
    """The .gitignore files of a folder hold more patterns than are tried on each path."""

    def __init__(self, path: str) -> None:
        super().__init__(None, f"more than {limits.MAX_GITIGNORES} patterns", path)


@dataclass(frozen=True)
class Excludes:
    """Patterns that count from a folder, and where they come from."""

    folder: str  # its real path
    patterns: Patterns
    origin: str

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """The verdict on a real path; None for one outside the folder."""
        start = self.folder.rstrip("/") + "/"
        return (
            self.patterns.verdict(path[len(start) :], is_folder=is_folder) if path.startswith(start) else None
        )

    def covers(self, named: StrPath) -> bool:
        """A file, or a folder above it, is left out."""
        path = os.path.realpath(named)
        above = any(self.verdict(one, is_folder=True) for one in upwards(os.path.dirname(path)))
        return above or bool(self.verdict(path, is_folder=False))


Levels = tuple[Excludes, ...]
"""The .gitignore files that count in a folder, the nearest last."""


@dataclass
class Exclusion:
    """What a run leaves out; it records each path with the reason.

    ``always``: the patterns of the configuration and of ``--exclude``. ``force``: named paths too.
    ``folders``: the real paths of those that are not left out.
    """

    always: Sequence[Excludes] = ()
    force: bool = False
    left_out: list[tuple[str, str]] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)

    def why(self, path: str, levels: Levels, *, is_folder: bool) -> str | None:
        """The reason to leave out a real path that is found in a folder; None for one that is taken."""
        name = os.path.basename(path)
        if is_folder and name in SKIPPED:
            return "never read"
        if is_folder and name.startswith("."):
            return "hidden"
        for one in self.always:
            if one.verdict(path, is_folder=is_folder):
                return one.origin
        for one in reversed(levels):
            verdict = one.verdict(path, is_folder=is_folder)
            if verdict is not None:
                return one.origin if verdict else None
        return None

    def leaves_out(self, shown: str, path: str, levels: Levels, *, is_folder: bool) -> bool:
        """The path, found in a folder, is left out; that is recorded with the path as it is shown."""
        why = self.why(path, levels, is_folder=is_folder)
        if why is not None:
            self.left_out.append((shown, why))
        return why is not None

    def refuses(self, named: StrPath) -> bool:
        """A path that the user names is left out, since it or a folder above it would be."""
        if not self.force:
            return False
        path = os.path.realpath(named)
        top = repository(os.path.dirname(path))
        tops = [top, os.path.realpath(os.curdir), *(one.folder for one in self.always)]
        start = min((one for one in tops if path.startswith(one.rstrip("/") + "/")), key=len, default=top)
        levels: Levels = ()
        for folder in reversed([*upwards(os.path.dirname(path))]):
            if not f"{folder}/".startswith(start.rstrip("/") + "/"):
                continue
            if folder != start and self.leaves_out(str(named), folder, levels, is_folder=True):
                return True
            levels = below(folder, levels)
        return self.leaves_out(str(named), path, levels, is_folder=os.path.isdir(path))

    def all_that_was_there(self, suffixes: tuple[str, ...]) -> bool:
        """Something was left out that holds a file of these suffixes. Looks into excluded folders."""
        return any(
            name.endswith(suffixes)
            for path, _ in self.left_out
            if os.path.basename(path) != ".git"
            for name in _names(path)
        )


def above(folder: str) -> Levels:
    """The .gitignore files of the folders above one, given by its real path, within its repository."""
    top = repository(folder)
    levels: Levels = ()
    info = os.path.join(top, ".git", "info", "exclude")
    if os.path.isfile(info):
        levels = _with_file(info, top, levels)
    for one in reversed([*upwards(folder)]):
        if one != folder and f"{one}/".startswith(top.rstrip("/") + "/"):
            levels = below(one, levels)
    return levels


def below(folder: str, levels: Levels) -> Levels:
    """The levels with the .gitignore of a folder, given by its real path, where it has one."""
    path = os.path.join(folder, GITIGNORE)
    # git does not follow a link of that name
    return _with_file(path, folder, levels) if os.path.isfile(path) and not os.path.islink(path) else levels


def _with_file(path: str, folder: str, levels: Levels) -> Levels:
    text = content(path, limits.MAX_GITIGNORE_BYTES).decode(errors="replace")
    known = Patterns.of_file(text.removeprefix("\ufeff").splitlines())
    if sum(len(one.patterns) for one in levels) + len(known) > limits.MAX_GITIGNORES:
        raise TooManyPatternsError(path)
    return (*levels, Excludes(folder, known, "git ignores it")) if known else levels


def _names(path: str) -> Iterator[str]:
    """The name of a file, or those of all files in a folder."""
    if not os.path.isdir(path):
        yield os.path.basename(path)
    for _, _, files in os.walk(path):
        yield from files
