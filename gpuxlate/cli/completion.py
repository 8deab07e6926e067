"""``gpuxlate completion``: the completion script of a shell."""

from __future__ import annotations

from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import Annotated, Any, Literal

import typer
from typer.completion import show_callback

from gpuxlate.cli import printing
from gpuxlate.model.errors import Exit


def command(
    ctx: typer.Context,
    shell: Annotated[
        Literal["bash", "zsh", "fish", "powershell"],
        typer.Argument(help="The shell.", metavar="SHELL"),
    ],
) -> int:
    """Print the completion script of a shell.

    For bash: source <(gpuxlate completion bash). For zsh the same, after compinit. For fish: gpuxlate
    completion fish | source. For PowerShell: gpuxlate completion powershell | Out-String | Invoke-Expression.
    """
    program: Any = typer.Context(ctx.command, info_name="gpuxlate")  # kubectl completes its plug-ins itself
    parameter: Any = None
    with redirect_stdout(StringIO()) as script, suppress(SystemExit):
        show_callback(program, parameter, shell)
    printing.data_out(script.getvalue())
    return Exit.CLEAN
