"""``kubectl gpuxlate policy``: admission policies for the dialects that a cluster serves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.cli import common, live, options
from gpuxlate.cli import policy as here
from gpuxlate.cli.errors import CliError, Exit
from gpuxlate.cli.policy_translate import Asked, shapes
from gpuxlate.cluster.apply import applied, sent, tried
from gpuxlate.cluster.nodes import gpu_nodes
from gpuxlate.cluster.server import MissingError, Server
from gpuxlate.model.messages import say
from gpuxlate.model.profile import Profile
from gpuxlate.planning.nodes import GpuNode, live_profile, targets_served
from gpuxlate.policy.documents import API, Policy
from gpuxlate.policy.generate import Format, Scope, documents
from gpuxlate.policy.translation.policies import BETA, GROUP, Translating
from gpuxlate.policy.translation.policies import KIND as MUTATING
from gpuxlate.report.characters import text_of

KIND = "ValidatingAdmissionPolicy"


def command(
    to: here.Targets = [],  # noqa: B006 - typer copies it
    apply: Annotated[
        bool, typer.Option("--apply", help="Apply them: all are tried first, so that all or none are there.")
    ] = False,
    forbid: here.Forbid = [],  # noqa: B006
    translate: here.Translate = False,
    from_: here.From = None,
    round_: options.Round = None,
    scope: here.ScopeOf = Scope.PODS,
    action: here.ActionOf = None,
    namespace_selector: here.Namespaces = None,
    crds: here.Custom = False,
    select: here.Select = [],  # noqa: B006
    ignore: here.Ignore = [],  # noqa: B006
    profile: here.Profiles = [],  # noqa: B006
    parameters: here.Parameters = False,
    format_: here.FormatOf = Format.VAP,
    explain: here.Explain = False,
    force_conflicts: Annotated[
        bool, typer.Option("--force-conflicts", help="Take over fields that other managers own.")
    ] = False,
) -> int:
    """Admission policies for the dialects that this cluster serves, as its nodes show them.

    Names and units of resources are those of the nodes, or of --profile.
    """
    translates = translate or from_ is not None or round_ is not None
    if explain and not translates:
        common.out(here.explanation(here.targets(to)))
        return Exit.CLEAN
    form: Format = here.one_of(format_, Format, "--format")
    known = [there for one in profile if (there := common.profile(one)) is not None]
    server = live.cluster()
    if form is Format.VAP:
        _has_policies(server)
    nodes = [] if forbid else gpu_nodes(server)
    chosen = here.targets(to) if to or forbid else _served(nodes)
    profiles = [*known, *_profiles(nodes, chosen, known, server)]
    reads = here.read_by(parameters, form)
    wish = here.wish_of(scope, action, namespace_selector, crds, select, ignore, profiles, reads)
    found: Sequence[Policy | Translating]
    if translates:
        names = [one.name for one in chosen]
        asked = Asked(translate, names, from_, round_, forbid=forbid, select=select, ignore=ignore)
        made = asked.translating(wish, form, _mutating_version(server))
        if explain:
            common.out(shapes(made.tables))
            return Exit.CLEAN
        found = [made]
    else:
        found = here.policies(chosen, forbid, select, wish)
    if not apply:
        common.data_out(here.written(found, form))
        return Exit.CLEAN
    return _apply(server, found, form, force_conflicts)


def _has_policies(server: Server) -> None:
    """Raises CliError where the server has no policies of this version."""
    try:
        listed = server.get(f"/apis/{API}").get("resources") or ()
    except MissingError:
        listed = ()
    if not any(one.get("kind") == KIND for one in listed):
        raise CliError(
            say(
                "the server ({version}) has no {kind} of {api}", version=server.version(), kind=KIND, api=API
            ),
            "it is there from Kubernetes 1.30 on; with Kyverno, pass --format kyverno",
            Exit.INPUT,
        )


def _mutating_version(server: Server) -> str:
    """The newest version of the API of mutating policies that the server has. Raises CliError."""
    for version in ("v1", BETA):
        try:
            listed = server.get(f"/apis/{GROUP}/{version}").get("resources") or ()
        except MissingError:
            continue
        if any(one.get("kind") == MUTATING for one in listed):
            return version
    raise CliError(
        say("the server ({version}) has no {kind}", version=server.version(), kind=MUTATING),
        "it is there from Kubernetes 1.36 on, and from 1.34 if v1beta1 is enabled; translate the manifests: "
        "gpuxlate translate",
        Exit.INPUT,
    )


def _served(nodes: Sequence[GpuNode]) -> list[Backend]:
    """The dialects that the nodes serve."""
    names = targets_served(nodes)
    if not names:
        raise CliError(
            "no node of this cluster serves a target",
            "check them with kubectl gpuxlate nodes, or pass --to TARGET",
            Exit.INPUT,
        )
    return [registry.get(one) for one in names]


def _profiles(
    nodes: Sequence[GpuNode], chosen: Sequence[Backend], known: Sequence[Profile], server: Server
) -> list[Profile]:
    """What the nodes show of the dialects without a profile of their own."""
    given = {registry.get(one.target).name for one in known}
    served = [name for name in targets_served(nodes) if name not in given]
    asked = [one.name for one in chosen if one.name in served]
    return [live_profile(nodes, one, server.version())[0] for one in asked]


def _apply(server: Server, found: Sequence[Policy | Translating], form: Format, force: bool) -> int:
    trial = tried(server, sent(server, [*documents(found, form)], None), force=force)
    for one in applied(server, trial, force=force):
        common.out(text_of([f"{one.sent.name} {one.verb}"]))
    return Exit.CLEAN
