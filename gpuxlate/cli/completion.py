"""``gpuxlate completion``: the completion script of a shell."""

from __future__ import annotations

from typing import Annotated

import typer

from gpuxlate.cli import common, options
from gpuxlate.cli.errors import CliError, Exit
from gpuxlate.model.messages import msg

SHELLS = ("bash", "zsh", "fish", "powershell")


def command(
    shell: Annotated[
        str,
        typer.Argument(
            help=options.listing("The shell", SHELLS),
            metavar="SHELL",
            autocompletion=options.completing(*SHELLS),
        ),
    ],
) -> int:
    """Print the completion script of a shell.

    For bash: source <(gpuxlate completion bash). For zsh the same, after compinit. For fish: gpuxlate
    completion fish | source. For PowerShell: gpuxlate completion powershell | Out-String | Invoke-Expression.
    """
    if shell not in SHELLS:
        raise CliError(
            msg("no completion for {shell!r}", shell=shell), msg("shells: {names}", names=", ".join(SHELLS))
        )
    from typer._completion_shared import get_completion_script

    script = get_completion_script(prog_name="gpuxlate", complete_var="_GPUXLATE_COMPLETE", shell=shell)
    common.data_out(f"{script}\n")
    return Exit.CLEAN
