"""``kubectl gpuxlate apply``: translate manifests to the dialect of the cluster, and apply them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from gpuxlate.backends.base import Backend
from gpuxlate.cli import live, lookup, options, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.options import invocation
from gpuxlate.cli.outputs import objects_as_json
from gpuxlate.cli.translations import refuse, show_findings, summarize, translate_inputs
from gpuxlate.cluster.apply import apply_objects, difference, locate_objects, read_objects, try_objects
from gpuxlate.cluster.nodes import gpu_nodes
from gpuxlate.cluster.server import ApiServer, Json
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import listed, msg
from gpuxlate.model.profile import Profile
from gpuxlate.planning.nodes import GpuNode, live_profile, targets_served, unit_is_known
from gpuxlate.report.characters import text_of
from gpuxlate.translation.options import Settings
from gpuxlate.translation.results import Result
from gpuxlate.yamltext.source import Source


def command(
    file: Annotated[
        list[str],
        typer.Option("-f", "--filename", help="The manifests to apply, or - for stdin.", metavar="FILE"),
    ],
    *,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="The target (default: that of the nodes).",
            metavar="TARGET",
            autocompletion=options.complete_written,
        ),
    ] = None,
    from_: options.From = None,
    losses: options.LossOptions,
    profile: options.ProfileFile = None,
    dry_run: Annotated[
        Literal["none", "server"],
        typer.Option("--dry-run", help="With server, only try it on the server."),
    ] = "none",
    diff: Annotated[
        bool, typer.Option("--diff", help="Print what would change on the server; apply nothing.")
    ] = False,
    force_conflicts: Annotated[
        bool, typer.Option("--force-conflicts", help="Take over fields that other managers own.")
    ] = False,
    allow_leftovers: options.AllowLeftovers = False,
    output: options.TextOutput = "text",
) -> int:
    """Translate to the dialect of the cluster, then apply server-side.

    The server does a dry run first: if it refuses anything, nothing is applied.
    """
    if diff and output == "json":
        raise UserError("--diff and -o json exclude each other", "the diff is text")
    accepted = losses.accept()
    source, target = lookup.target(from_) if from_ else None, lookup.written_target(to) if to else None
    target_profile, files = lookup.profile(profile), Inputs(file).some()
    server = live.cluster_of_flags()
    nodes = gpu_nodes(server) if target is None or target_profile is None else []
    backend = target or _of_cluster(nodes)
    if target_profile is not None and lookup.target(target_profile.target).name != backend.name:
        raise UserError(
            msg(
                "the profile is for {target}, but the target is {name}",
                target=target_profile.target,
                name=backend.name,
            ),
            "pass a profile of the target, or omit --profile",
        )
    profile_here = target_profile or _profile(nodes, backend, server)
    settings = Settings(backend, source, accepted, profile_here, allow_leftovers=allow_leftovers)
    [run] = translate_inputs(files, [settings])
    show_findings(run, run.diagnostics)
    if run.refused:
        return refuse({"": run})
    if run.leftovers:
        summarize(run, apart=True)
    if target_profile is None and run.changed and not unit_is_known(nodes, backend.name):
        part = backend.extension.key if backend.extension else backend.name
        raise UserError(
            "the memory unit of the nodes is not known, or differs between them",
            msg("pass --profile with {part}.memoryUnitMiB", part=part),
        )
    bodies, trial = _objects(run), dry_run == "server"
    return _apply(
        server, bodies, invocation().namespace, trial, diff, force_conflicts, as_json=output == "json"
    )


def _of_cluster(nodes: Sequence[GpuNode]) -> Backend:
    """The dialect that the nodes of the cluster serve."""
    served = targets_served(nodes)
    if len(served) == 1:
        return lookup.written_target(served[0])
    if not served:
        raise UserError(
            "no node of this cluster serves a target",
            "check them with kubectl gpuxlate nodes, or pass --to TARGET",
        )
    raise UserError(
        msg("the nodes of this cluster serve {names}", names=listed(served)), "choose one with --to"
    )


def _profile(nodes: Sequence[GpuNode], backend: Backend, server: ApiServer) -> Profile | None:
    """The profile of the nodes of the target; None where it has none."""
    if not any(node.view.target == backend.name for node in nodes):
        return None
    return live_profile(nodes, backend.name, server.version())[0]


def _objects(run: Result) -> list[Json]:
    bodies = [body for file in run.files for body in read_objects(Source.from_bytes(file.name, file.new))]
    if not bodies:
        names = ", ".join(file.name for file in run.files)
        raise UserError(msg("{names}: no objects to apply", names=names), exit_code=Exit.INPUT)
    return bodies


def _apply(
    server: ApiServer,
    bodies: Sequence[Json],
    namespace: str | None,
    dry_run: bool,
    diff: bool,
    force: bool,
    *,
    as_json: bool,
) -> int:
    trial = try_objects(server, locate_objects(server, bodies, namespace), force=force)
    if diff:
        printing.diffs_out(map(difference, trial), exact=False)
        return Exit.CLEAN
    if as_json:  # as the server has them, or would have them
        applied = trial if dry_run else [*apply_objects(server, trial, force=force)]
        printing.data_out(objects_as_json([applied_object.result for applied_object in applied]))
        return Exit.CLEAN
    if dry_run:
        printing.out(
            text_of(
                f"{applied_object.submitted.name} {applied_object.verb} (server dry run)"
                for applied_object in trial
            )
        )
        return Exit.CLEAN
    for applied_object in apply_objects(server, trial, force=force):
        printing.out(text_of([f"{applied_object.submitted.name} serverside-applied"]))
    return Exit.CLEAN
