"""What a command reads: files, stdin, live objects, or the files of which a kustomization is built."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from gpuxlate.cli import lookup
from gpuxlate.cli.options import CURRENT_FOLDER, LIVE_OBJECTS, Invocation, invocation
from gpuxlate.cli.printing import info, verbose
from gpuxlate.files.find import (
    STDIN,
    SUFFIXES,
    ExcludePatterns,
    Exclusion,
    Input,
    InputError,
    Patterns,
    expand_paths,
)
from gpuxlate.model.errors import UserError
from gpuxlate.model.messages import message_of, msg, titled

if TYPE_CHECKING:
    from gpuxlate.config.configuration import Config
    from gpuxlate.overlays.run_builds import WholeBuild


class AllExcludedError(Exception):
    """There is nothing to do, since every file is excluded (exit 0)."""


ALL_EXCLUDED = titled("note", msg("all files are excluded"))


class Inputs:
    """What a command reads, by its PATH arguments, ``-k`` (``folder``) and ``kubectl gpuxlate`` (``live``).

    Raises UserError for ``-k`` beside a PATH.
    """

    def __init__(self, paths: Sequence[str], folder: str | None = None) -> None:
        if folder is not None and paths and paths != CURRENT_FOLDER:
            raise UserError(
                "-k and a PATH exclude each other", "-k reads what kustomize builds from one folder"
            )
        self.paths = paths
        self.folder = folder
        self.live = invocation().live if folder is None else None

    def __str__(self) -> str:
        """The arguments, as messages show them."""
        return str(self.live) if self.live is not None else self.folder or ", ".join(self.paths)

    @cached_property
    def build(self) -> WholeBuild | None:
        """What kustomize builds from ``folder``. Raises UserError, InputError."""
        if self.folder is None:
            return None
        from gpuxlate.cli.kustomization import build_folder

        return build_folder(self.folder)

    def read(self) -> Iterable[Input]:
        """All inputs in order, none too: a list of files, or live objects, which can be read once.

        Raises UserError, InputError.
        """
        if self.live is not None:
            return self.live
        if self.folder is None or self.build is None:
            return files_at(self.paths)
        from gpuxlate.cli.kustomization import files_of

        return files_of(self.build, self.folder)

    def some(self, *, or_excluded: bool = False) -> Iterable[Input]:
        """The inputs, of which there is at least one. Raises UserError, InputError.

        Where all files are excluded it raises AllExcludedError, or returns none with ``or_excluded``.
        """
        files = self.read()
        if not files and all_excluded():
            if not or_excluded:
                raise AllExcludedError
            info(ALL_EXCLUDED)
        elif not files:
            raise InputError(
                msg("{paths}: no file ends in {names}", paths=str(self), names=", ".join(SUFFIXES)),
                "name the file itself if it has another suffix",
            )
        return files


def files_at(paths: Sequence[str]) -> list[Input]:
    """The files of PATH arguments; none where folders have no YAML. Raises UserError, InputError."""
    if paths.count("-") > 1:
        raise UserError("stdin can be read once only", "give - once")
    if "" in paths:
        raise UserError("a PATH is empty", "write . for this folder, - for stdin")
    if "-" in paths and sys.stdin is None:
        raise InputError(msg("{name}: it is closed", name=STDIN), "pipe a text to it, or name a file")
    for path in paths:
        if path != "-" and not os.path.lexists(path):
            _refuse_object_of_cluster(path)
    run = invocation()
    run.exclusion = Exclusion()
    if run.exclude or run.force_exclude or any(map(os.path.isdir, paths)):  # nothing else is left out
        run.exclusion = exclusion_of(run, lookup.config())
    files = expand_paths(paths, run.exclusion, run.stdin_filename)
    for file in files:
        verbose(msg("file: {name}", name=file.name))
    for name, why in run.exclusion.left_out:
        verbose(msg("left out: {name} ({why})", name=name, why=why))
    return files


def _refuse_object_of_cluster(path: str) -> None:
    """Raises InputError for arguments of kubectl, such as ``deploy/web``, where no file has that name."""
    from gpuxlate.cluster.resources import BUILT_IN_RESOURCES, kind_words

    if path.partition("/")[0].lower() in {
        word for kind in BUILT_IN_RESOURCES for word in (*kind_words(kind), kind.kind.lower())
    }:
        command = next((word for word in invocation().words if word in LIVE_OBJECTS), "inspect")
        raise InputError(
            msg("{name}: {error}", name=path, error=msg("no such file or directory")),
            msg("an object of a cluster: kubectl gpuxlate {command} {path}", command=command, path=path),
        )


def all_excluded() -> bool:
    """No input is left, since all that was there is excluded."""
    exclusion = invocation().exclusion
    return exclusion is not None and exclusion.has_left_out(SUFFIXES)


def exclusion_of(run: Invocation, config: Config | None) -> Exclusion:
    """What ``exclude`` of a configuration and of this run leave out. Raises UserError."""
    always = []
    if run.exclude:
        texts = [pattern for text in run.exclude for pattern in text.split(",") if pattern]
        try:
            always.append(ExcludePatterns(os.path.realpath(os.curdir), Patterns(texts), "--exclude"))
        except ValueError as error:
            raise UserError(
                msg(
                    "invalid value {names!r} for --exclude: {error}",
                    names=",".join(texts),
                    error=message_of(error),
                ),
                "write patterns as in .gitignore",
            ) from None
    if config is not None and (configured := config.excludes()):
        always.append(configured)
    return Exclusion(always, run.force_exclude)
