"""``gpuxlate server``: a language server on stdin and stdout."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from gpuxlate import locale
from gpuxlate.cli import lookup, options
from gpuxlate.cli.options import invocation
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import msg


def command(
    profile: Annotated[
        str | None,
        typer.Option("--profile", help="The profile of the cluster: a name or a file.", metavar="FILE"),
    ] = None,
    to: Annotated[
        list[str],
        typer.Option(
            "--to",
            help="The targets to show beside each share (default: those of the configuration's profiles).",
            metavar="TARGET",
            autocompletion=options.complete_written,
        ),
    ] = [],
) -> int:
    """Run a language server for editors, on stdin and stdout."""
    for name in to:
        if not lookup.written_target(name).writes_pods:
            raise UserError(msg("invalid target {name!r} for --to: it is not for manifests", name=name))
    try:
        from gpuxlate.lsp.server import serve
    except ModuleNotFoundError as error:
        from gpuxlate.files.extras import install_hint

        problem = msg("the language server needs pygls: {name} is missing", name=error.name)
        raise UserError(problem, install_hint("editor")) from None
    from gpuxlate.lsp.session import ServerOptions

    if sys.stdin is None or sys.stdout is None:
        raise UserError("stdin or stdout is closed", "an editor starts the server", Exit.INPUT)
    run = invocation()
    serve(ServerOptions(profile, tuple(to), run.config, run.isolated, locale.current_language()))
    return Exit.CLEAN
