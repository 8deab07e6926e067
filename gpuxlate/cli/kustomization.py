"""``-k DIR``: what kustomize builds from a folder, as the input of a command."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from gpuxlate.cli import printing
from gpuxlate.cli.options import invocation
from gpuxlate.files.find import HELD, Input, InputError
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import msg
from gpuxlate.overlays.kustomization import KUSTOMIZATIONS, kustomization_in
from gpuxlate.overlays.patch_targets import UnknownError

if TYPE_CHECKING:
    from gpuxlate.overlays.run_builds import WholeBuild

_FLAGS = ("-k", "--kustomize")
_ON_FILES = ("-i", "--in-place", "--fix", "--unsafe-fixes")
"""What is not there for stdin."""


def build_folder(folder: str) -> WholeBuild:
    """What the kustomization of a folder builds. Raises UserError, InputError."""
    from gpuxlate.overlays.kustomize_errors import CORRECT, RefusedError
    from gpuxlate.overlays.operations import is_refused
    from gpuxlate.overlays.run_builds import whole_build

    HELD.texts.clear()
    if folder and os.path.isdir(folder) and kustomization_in(os.path.abspath(folder)) is None:
        unreadable = next(
            (name for name in KUSTOMIZATIONS if os.path.lexists(os.path.join(folder, name))), None
        )
        if unreadable:
            file = os.path.join(folder, unreadable)
            raise UserError(
                msg("{file} cannot be read", file=file),
                msg("gpuxlate lint {file} says why", file=shlex.quote(file)),
                Exit.FINDINGS,
            )
    if not folder or kustomization_in(os.path.abspath(folder)) is None:
        raise InputError(
            msg("{folder}: the folder has no kustomization", folder=folder or "''"),
            msg("the folder of -k must have one of {names}", names=", ".join(KUSTOMIZATIONS)),
        )
    try:
        return whole_build(folder)
    except UnknownError as error:
        refused = isinstance(error, RefusedError) or is_refused(error.message)
        raise UserError(
            msg("cannot build {folder}: {why}", folder=folder, why=error.message),
            msg(CORRECT) if refused else piped(folder),
            Exit.FINDINGS,
        ) from None


def piped(folder: str) -> str:
    """The command line that pipes what kubectl builds into this command."""
    words = iter(invocation().words)
    kept = []
    for word in words:
        if word in _FLAGS:
            next(words, None)
        elif not word.startswith(("--kustomize=", "-k")) and word not in _ON_FILES:
            kept.append(word)
    return f"kubectl kustomize {shlex.quote(folder)} | {shlex.join([*kept, '-'])}"


def files_of(build: WholeBuild, folder: str) -> list[Input]:
    """The files of a build, named as the folder is: from here, or by their absolute paths."""
    working_folder = os.path.realpath(os.curdir)
    names = (
        build.files
        if os.path.isabs(folder)
        else [os.path.relpath(file, working_folder) for file in build.files]
    )
    for name in names:
        printing.verbose(msg("file: {name}", name=name))
    return [Input(name, name) for name in names]


def refuse_shared(build: WholeBuild) -> None:
    """Raises UserError where other kustomizations are built of the files, which would change under them."""
    try:
        others = build.others()
    except UnknownError as error:
        raise UserError(error.message, "name the folder of all kustomizations", Exit.FINDINGS) from None
    if others:
        shown = ", ".join(map(os.path.relpath, others[:3]))
        shared = os.path.commonpath([build.built.folder, *others, *map(os.path.dirname, build.files)])
        raise UserError(
            msg("other kustomizations are built of the same files: {names}", names=shown),
            msg(
                "name the folder of all of them in place of -k: {folder}",
                folder=shlex.quote(os.path.relpath(shared)),
            ),
            Exit.FINDINGS,
        )
