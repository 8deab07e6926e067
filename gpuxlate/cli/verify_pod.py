"""``kubectl gpuxlate verify``: the output of nvidia-smi in a running container against its share."""

from __future__ import annotations

from typing import Annotated

import typer

from gpuxlate.cli import common, context, live, options
from gpuxlate.cli import verify as of_files
from gpuxlate.cli.errors import CliError, Exit
from gpuxlate.cluster.pods import printed, running
from gpuxlate.model.messages import message_of, say
from gpuxlate.model.profile import Profile
from gpuxlate.planning import nvidia_smi
from gpuxlate.planning.nvidia_smi import NvidiaSmiError
from gpuxlate.planning.verify import expected, verify


def command(
    names: Annotated[
        list[str],
        typer.Argument(help="A running pod; with --nvidia-smi, GPUShare documents.", metavar="POD|SPEC..."),
    ],
    container: Annotated[
        str | None, typer.Option("-c", "--container", help="Which container of the pod.", metavar="NAME")
    ] = None,
    output_of: Annotated[
        str | None,
        typer.Option("--nvidia-smi", help="The output of nvidia-smi, or - for stdin.", metavar="FILE"),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Which of several GPUShare documents.", metavar="NAME")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="The target of a document's container.",
            metavar="TARGET",
            autocompletion=options.complete_target,
        ),
    ] = None,
    profile: options.ProfileFile = None,
    card_memory: Annotated[
        int | None, typer.Option("--card-memory-mib", help="MiB of a physical card, if known.", min=1)
    ] = None,
    output: options.Output = "table",
) -> int:
    """Whether nvidia-smi in a running container shows its share: cards, and memory on each.

    With --nvidia-smi nothing is run: its output is compared with a GPUShare document.
    """
    if output_of is not None:
        return of_files.command(names, output_of, name, to, profile, card_memory, output)
    if name is not None or to is not None:
        raise CliError("--name and --to need --nvidia-smi", "a pod is in the dialect of its cluster")
    if len(names) != 1:
        raise CliError(say("{count} pods given", count=len(names)), "pass one")
    known = common.profile(profile)
    server = live.cluster()
    where = running(server, names[0], context.get().namespace or server.namespace, container)
    about = _profile(known, where.profile)
    # it runs, so the target takes the share: refusals do not matter
    wanted, _ = expected(where.share, where.backend, about, card_memory or where.card_mib)
    who = f"{where.namespace}/{where.pod} {where.container}"
    try:
        seen = nvidia_smi.read(printed(server, where))
    except NvidiaSmiError as error:
        hint = error.hint
        if hint == nvidia_smi.EXPECTED:  # it is from the container, not from the user
            by_hand = f"kubectl exec -n {where.namespace} {where.pod} -c {where.container} -- nvidia-smi"
            hint = say("run it yourself: {command}", command=by_hand)
        raise CliError(say("{who}: {error}", who=who, error=message_of(error)), hint, Exit.FINDINGS) from None
    return of_files.show(who, where.backend, verify(wanted, seen), output)


def _profile(given: Profile | None, live: Profile | None) -> Profile | None:
    """The profile of the user, else that of the node."""
    if given is None or live is None:
        return given or live
    if common.target(given.target).name != live.target:
        raise CliError(
            say(
                "the profile is for {target}, but the pod runs on {target_2}",
                target=given.target,
                target_2=live.target,
            ),
            "omit --profile, or pass one for the target of the pod",
        )
    return given
