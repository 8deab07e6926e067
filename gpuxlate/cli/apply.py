"""``kubectl gpuxlate apply``: manifests to the dialect of the cluster at hand, and onto it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from gpuxlate.backends.base import Backend
from gpuxlate.cli import common, live_options, options
from gpuxlate.cli.translations import Run, translate_inputs
from gpuxlate.cluster.deploy import applied, difference, objects_of, sent, tried
from gpuxlate.cluster.nodes import GpuNode, gpu_nodes, live_profile, targets_served, unit_is_known
from gpuxlate.cluster.server import Json, ObjectError, Server
from gpuxlate.model.profile import Profile
from gpuxlate.translation.translate import Settings
from gpuxlate.yamltext.source import Source


def command(
    file: Annotated[
        list[str], typer.Option("-f", "--filename", help="Manifests to apply, or -.", metavar="FILE")
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="The target; that of the cluster's nodes otherwise.",
            metavar="TARGET",
            autocompletion=common.complete_target,
        ),
    ] = None,
    from_: options.From = None,
    round_: options.Round = None,
    fill: options.Fill = [],  # noqa: B006 - typer copies it
    drop: options.Drop = [],  # noqa: B006
    profile: options.ProfileFile = None,
    dry_run: Annotated[
        str, typer.Option("--dry-run", help="server: only try it there.", metavar="none|server")
    ] = "none",
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what would change on the server; apply nothing.")
    ] = False,
    force_conflicts: Annotated[
        bool, typer.Option("--force-conflicts", help="Take over fields that other managers own.")
    ] = False,
    namespace: live_options.Namespace = None,
    context: live_options.Context = None,
    kubeconfig: live_options.Kubeconfig = None,
    request_timeout: live_options.RequestTimeout = None,
) -> int:
    """Translate to the dialect of the cluster at hand, then server-side apply.

    Everything is tried on the server first: where anything is refused, nothing is applied.
    """
    if dry_run not in ("none", "server"):
        raise common.CliError(
            f"--dry-run={dry_run} is not possible",
            "write --dry-run=server; gpuxlate translate needs no server",
        )
    accepted = common.accept(round_, fill, drop)
    source, target = common.target(from_) if from_ else None, common.target(to) if to else None
    known, given = common.profile(profile), common.some_inputs(file)
    server = live_options.open_cluster(
        live_options.cluster_options(namespace, False, None, context, kubeconfig, request_timeout)
    )
    nodes = gpu_nodes(server) if target is None or known is None else []
    backend = target or _of_cluster(nodes)
    if known is not None and common.target(known.target).name != backend.name:
        raise common.CliError(
            f"the profile is of {known.target}, and the target is {backend.name}",
            "give a profile of the target, or leave --profile out",
        )
    settings = Settings(backend, source, accepted, known or _profile(nodes, backend, server))
    run = translate_inputs(given, settings)
    common.show(run.diagnostics, run.texts)
    if run.refused:
        return common.Exit.FINDINGS
    if known is None and run.changed and not unit_is_known(nodes, backend.name):
        part = backend.extension.key if backend.extension else backend.name
        raise common.CliError(
            "one unit of GPU memory is not known from these nodes, or differs among them",
            f"pass --profile with {part}.memoryUnitMiB",
        )
    return _apply(server, _objects(run), namespace, dry_run == "server", diff, force_conflicts)


def _of_cluster(nodes: Sequence[GpuNode]) -> Backend:
    """The dialect of the cluster, from its nodes."""
    served = targets_served(nodes)
    if len(served) == 1:
        return common.target(served[0])
    if not served:
        raise common.CliError(
            "no node of this cluster serves a target",
            "kubectl gpuxlate nodes shows them; or pass --to TARGET",
        )
    raise common.CliError(f"the nodes of this cluster serve {' and '.join(served)}", "choose one with --to")


def _profile(nodes: Sequence[GpuNode], backend: Backend, server: Server) -> Profile | None:
    """What the nodes tell of the target; None where there are none of it."""
    if not any(one.view.target == backend.name for one in nodes):
        return None
    return live_profile(nodes, backend.name, server.version())[0]


def _objects(run: Run) -> list[Json]:
    try:
        found = [one for file in run.files for one in objects_of(Source.from_bytes(file.name, file.new))]
    except ObjectError as error:
        raise common.CliError(str(error), error.hint, common.Exit.FINDINGS) from None
    if not found:
        names = ", ".join(file.name for file in run.files)
        raise common.CliError(f"{names}: there is no object to apply", code=common.Exit.INPUT)
    return found


def _apply(
    server: Server, bodies: Sequence[Json], namespace: str | None, dry_run: bool, diff: bool, force: bool
) -> int:
    try:
        objects = sent(server, bodies, namespace)
    except ObjectError as error:
        raise common.CliError(str(error), error.hint, common.Exit.FINDINGS) from None
    trial = tried(server, objects, force=force)
    if diff:
        common.text_out("".join(difference(one) for one in trial))
        return common.Exit.CLEAN
    if dry_run:
        common.text_out("".join(f"{one.sent.name} {one.verb} (server dry run)\n" for one in trial))
        return common.Exit.CLEAN
    for one in applied(server, trial, force=force):
        common.text_out(f"{one.sent.name} serverside-applied\n")
    return common.Exit.CLEAN
