"""``gpuxlate policy``: the rules as admission policies of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.cli import live, lookup, options, printing
from gpuxlate.cli.options import InvalidValueError
from gpuxlate.cli.tables import table
from gpuxlate.cluster.apply import apply_objects, locate_objects, try_objects
from gpuxlate.cluster.nodes import gpu_nodes
from gpuxlate.cluster.server import ApiServer, MissingError
from gpuxlate.lint.settings import RuleSelection
from gpuxlate.model.declarations import regex
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import Lines, msg, titled
from gpuxlate.model.profile import Profile
from gpuxlate.planning.nodes import GpuNode, live_profile, targets_served
from gpuxlate.policy.documents import ADMISSION_API, AdmissionPolicy
from gpuxlate.policy.generate import (
    Enforced,
    PolicyEngine,
    PolicyOptions,
    PolicyScope,
    deny_policies,
    enforced_rule,
    enforced_rules,
    enforcement_policies,
    policy_documents,
)
from gpuxlate.policy.style import Action, PolicyObject, PolicyStyle
from gpuxlate.report.characters import text_of
from gpuxlate.rules import catalog
from gpuxlate.yamltext.plain import dump_yaml


@dataclass
class PolicyRequest:
    """The options of a run that writes policies."""

    to: Annotated[
        list[str],
        options.targets_option(
            "The dialects whose rules to write: one, a list, or all (default: all).",
            complete=options.complete_target,
        ),
    ] = field(default_factory=list)
    forbid: Annotated[
        list[str],
        options.targets_option(
            "Deny every key of these dialects; with --to, in addition to its rules.",
            "--forbid",
            options.complete_target,
        ),
    ] = field(default_factory=list)
    scope: Annotated[
        PolicyScope,
        typer.Option("--scope", help="Check pods (when they are created), workloads, or all."),
    ] = PolicyScope.PODS
    action: Annotated[
        Action | None,
        typer.Option(
            "--action",
            help="What a policy does (default: deny errors of pods, warn about the rest).",
        ),
    ] = None
    namespace_selector: Annotated[
        str | None,
        typer.Option(
            "--namespace-selector",
            help="Only in namespaces with these labels: team=ml,stage!=test,gpu,!system.",
            metavar="SELECTOR",
        ),
    ] = None
    crds: Annotated[
        bool, typer.Option("--crds", help="With --scope, check workloads that are custom resources too.")
    ] = False
    rules: options.RuleOptions = field(default_factory=options.RuleOptions)
    profile: options.ProfileFiles = field(default_factory=list)
    parameters: Annotated[
        bool,
        typer.Option(
            "--parameters",
            help="Write the numbers of the profile to a ConfigMap that the policies read.",
        ),
    ] = False
    form: Annotated[
        PolicyEngine,
        typer.Option(*options.FORMAT_FLAGS, help="Output format; vap is ValidatingAdmissionPolicy."),
    ] = PolicyEngine.VAP
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Print which rules a cluster can enforce, and why not the others."),
    ] = False

    @property
    def only_forbids(self) -> bool:
        """No rules are written: every key of some dialects is denied."""
        return bool(self.forbid) and not self.to

    def judge(self) -> None:
        """Raises UserError for options that exclude each other."""
        cluster = {"--profile": self.profile, "--parameters": self.parameters}
        if self.explain:
            flag, _ = options.typed_option(*options.FORMAT_FLAGS)
            written_as = {
                "--forbid": self.forbid,
                "--scope": self.scope != PolicyScope.PODS,
                "--action": self.action,
                "--namespace-selector": self.namespace_selector,
                "--crds": self.crds,
                f"{flag} {self.form}": self.form is not PolicyEngine.VAP,
            }
            exclude("--explain", written_as | cluster, _NO_POLICIES)
        elif self.only_forbids:
            exclude(
                "--forbid",
                {"--select": self.rules.select, "--ignore": self.rules.ignore} | cluster,
                _NO_RULES,
            )


def command(request: PolicyRequest) -> int:
    """Write admission policies from the rules: the API server refuses what lint finds.

    For Kubernetes 1.30 and later, without a webhook: gpuxlate policy --to TARGET | kubectl apply -f -
    """
    request.judge()
    if request.explain:
        return _explain(request)
    chosen = dialects_of_policy(request.to)
    profiles = _given_profiles(request.profile, chosen)
    if request.parameters and request.form is not PolicyEngine.KYVERNO and not profiles:
        raise UserError("--parameters are numbers of a cluster", "add --profile FILE, which has them")
    admission_policies = policies_of_rules(request, () if request.only_forbids else chosen, profiles)
    printing.data_out(policies_yaml(admission_policies, request.form))
    return Exit.CLEAN


def _explain(request: PolicyRequest) -> int:
    printing.out(explanation(dialects_of_policy(request.to), request.rules))
    return Exit.CLEAN


_NO_POLICIES = "--explain prints a table of rules and writes no policies: leave out one of them"
_NO_RULES = "--forbid alone writes no rules: add --to TARGET to write them beside it"


def exclude(option: str, others: Mapping[str, object], hint: str) -> None:
    """Raises UserError where one of the others is given too: it would change nothing."""
    for other, value in others.items():
        if value:
            raise UserError(msg("{option} and {other} exclude each other", option=option, other=other), hint)


def _given_profiles(paths: Sequence[str], chosen: Sequence[Backend]) -> list[Profile]:
    """The profiles of files, at most one for each of the dialects that are written. Raises UserError."""
    profiles: dict[str, Profile] = {}
    for path in paths:
        profile = lookup.profile(path)
        assert profile is not None
        name = registry.get(profile.target).name
        if name in profiles:
            raise UserError(
                msg("{path}: another profile is of {name} too", path=path, name=name), "leave out one"
            )
        if name not in [backend.name for backend in chosen]:
            raise UserError(
                msg("{path}: its target {name} is not in --to", path=path, name=name),
                msg("add --to {name}, or leave out the profile", name=name),
            )
        profiles[name] = profile
    return [*profiles.values()]


def dialects_of_policy(names: Sequence[str]) -> list[Backend]:
    """The dialects of ``--to``; all whose shares are in pods by default. Raises UserError."""
    backends = lookup.targets_by_name(names or [options.EVERY], registry.pod_backends, lookup.target)
    for backend in backends:
        if not backend.writes_pods:
            raise UserError(
                msg("{name} has no pods", name=backend.name),
                "choose a target whose shares are in pods: gpuxlate targets",
            )
    return backends


def policy_options(request: PolicyRequest, profiles: Sequence[Profile]) -> PolicyOptions:
    """What the request is in terms of policies. Raises UserError."""
    if request.parameters and request.form is PolicyEngine.KYVERNO:
        raise UserError(
            "--parameters and --format kyverno exclude each other",
            "leave out --parameters: the numbers are in the expressions",
        )
    if request.crds and request.scope is PolicyScope.PODS:
        raise UserError("--crds is about workloads", "add --scope workloads or --scope all")
    lookup.config()  # has the address of the pages of rules, if there is one
    selection = RuleSelection.of(request.rules.select, request.rules.ignore, None, None)
    namespaces = request.namespace_selector
    style = PolicyStyle(
        request.action, None if namespaces is None else label_selector(namespaces), locale.current_language()
    )
    return PolicyOptions(
        selection.selected, style, request.scope, request.crds, tuple(profiles), request.parameters
    )


def policies_of_rules(
    request: PolicyRequest, chosen: Sequence[Backend], profiles: Sequence[Profile]
) -> list[AdmissionPolicy]:
    """The policies, at least one. Rules that were asked for and are in none are said. Raises UserError."""
    chosen_options = policy_options(request, profiles)
    denying = _denying(request.forbid, chosen_options)
    if not chosen:
        return denying
    enforced = [*enforcement_policies(chosen, chosen_options)]
    remarks = [
        *_left_out(chosen, request.rules.select, {code for policy in enforced for code in policy.codes})
    ]
    if not enforced:
        names = ", ".join(backend.name for backend in chosen)
        message = (
            Lines(remarks)
            if remarks
            else msg("no rule of {names} that is selected can be enforced", names=names)
        )
        raise UserError(message, "gpuxlate policy --explain says which can")
    if chosen_options.parameters and not any(policy.parameters for policy in enforced):
        remarks.append(msg("no rule reads a number of these profiles: there is no ConfigMap"))
    for remark in remarks:
        printing.info(titled("note", remark))
    return [*enforced, *denying]


def _denying(forbid: Sequence[str], chosen_options: PolicyOptions) -> list[AdmissionPolicy]:
    """The policies that deny every key of some dialects. Raises UserError."""
    denying: list[AdmissionPolicy] = []
    for backend in dialects_of_policy(forbid) if forbid else ():
        of_backend = [*deny_policies([backend], chosen_options)]
        if not of_backend:  # a policy that denies nothing would be taken for one that does
            raise UserError(
                msg("no key is of {name} alone", name=backend.name), "other software reads its keys too"
            )
        denying += of_backend
    return denying


def _left_out(chosen: Sequence[Backend], select: Sequence[str], enforced: set[str]) -> Iterator[str]:
    """Each rule that was asked for by its code and is in no policy, with the reason."""
    rules = catalog.all_rules(chosen)
    for name in (part.strip().upper() for text in select for part in text.split(",")):
        rule = catalog.find_rule(name, registry.all_backends())
        if rule is None or name in enforced:
            continue
        about = enforced_rule(rule)
        why = about.why or "no policy of these options has it"
        if name not in rules:
            why = "it is not a rule of these targets"
        elif about.enforced is Enforced.WORKLOADS:
            why = "it compares workloads with their pods: add --scope workloads"
        yield msg("{name} is in no policy: {why}", name=name, why=why)


def policies_yaml(admission_policies: Sequence[AdmissionPolicy], form: PolicyEngine) -> str:
    """The objects as one stream of YAML."""
    return "---\n".join(map(dump_yaml, policy_documents(admission_policies, form)))


def explanation(chosen: Sequence[Backend], rules: options.RuleOptions) -> str:
    """The rules as a table. Raises UserError."""
    selection = RuleSelection.of(rules.select, rules.ignore, None, None)
    rows = [
        [
            explained_rule.rule.code,
            msg(explained_rule.rule.severity),
            msg(explained_rule.enforced),
            locale.localize(explained_rule.why),
        ]
        for explained_rule in enforced_rules(chosen)
        if selection.selected(explained_rule.rule.code)
    ]
    return table(["CODE", "SEVERITY", "ENFORCED", "WHY"], rows)


_WORD = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
_DOMAIN = r"(?=.{1,253}/)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:[.][a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"
_TERM = regex(rf"(?P<not>!?)(?P<key>(?:{_DOMAIN}/)?{_WORD})(?:(?P<is>==?|!=)(?P<value>{_WORD}))?")
"""A label and its value as the API server takes them (apimachinery, IsQualifiedName and IsValidLabelValue).
An empty value is valid there, and more often a value that is not set yet: TEAM= of a script."""


def label_selector(text: str) -> PolicyObject:
    """``--namespace-selector`` as a LabelSelector: equality and existence. Raises UserError."""
    terms: list[PolicyObject] = []
    for part in text.split(","):
        match = _TERM.fullmatch(part.strip())
        if match is None or (match["not"] and match["is"]):
            hint = "write team=ml, stage!=test, gpu or !system"
            raise InvalidValueError("--namespace-selector", text, hint)
        if match["is"] is None:
            terms.append({"key": match["key"], "operator": "DoesNotExist" if match["not"] else "Exists"})
        else:
            operator = "NotIn" if match["is"] == "!=" else "In"
            terms.append({"key": match["key"], "operator": operator, "values": [match["value"]]})
    return {"matchExpressions": terms}


POLICY_KIND = "ValidatingAdmissionPolicy"


def on_cluster(
    request: PolicyRequest,
    apply: Annotated[
        bool, typer.Option("--apply", help="Apply the policies, after a dry run of all of them.")
    ] = False,
    force_conflicts: Annotated[
        bool, typer.Option("--force-conflicts", help="Take over fields that other managers own.")
    ] = False,
) -> int:
    """Write admission policies for the dialects that the nodes of this cluster serve.

    Names and units of resources are those of the nodes, or of --profile.
    """
    request.judge()
    if request.explain:
        exclude("--explain", {"--apply": apply}, _NO_POLICIES)
        return _explain(request)
    if force_conflicts and not apply:
        raise UserError("--force-conflicts is about --apply", "add --apply")
    server = live.cluster_of_flags()
    if request.form is PolicyEngine.VAP:
        _has_policies(server)
    nodes = [] if request.only_forbids else gpu_nodes(server)
    chosen = [] if request.only_forbids else dialects_of_policy(request.to) if request.to else _served(nodes)
    given_profiles = _given_profiles(request.profile, chosen)
    admission_policies = policies_of_rules(
        request, chosen, [*given_profiles, *_profiles(nodes, chosen, given_profiles, server)]
    )
    if not apply:
        printing.data_out(policies_yaml(admission_policies, request.form))
        return Exit.CLEAN
    return _apply(server, admission_policies, request.form, force_conflicts)


def _has_policies(server: ApiServer) -> None:
    """Raises UserError where the server has no policies of this version."""
    try:
        listed = server.get(f"/apis/{ADMISSION_API}").get("resources") or ()
    except MissingError:
        listed = ()
    if not any(resource.get("kind") == POLICY_KIND for resource in listed):
        raise UserError(
            msg(
                "the server ({version}) has no {kind} of {api}",
                version=server.version(),
                kind=POLICY_KIND,
                api=ADMISSION_API,
            ),
            "it is there from Kubernetes 1.30 on; with Kyverno, pass --format kyverno",
            Exit.INPUT,
        )


def _served(nodes: Sequence[GpuNode]) -> list[Backend]:
    """The dialects that the nodes serve."""
    names = targets_served(nodes)
    if not names:
        raise UserError(
            "no node of this cluster serves a target",
            "check them with kubectl gpuxlate nodes, or pass --to TARGET",
            Exit.INPUT,
        )
    return [registry.get(name) for name in names]


def _profiles(
    nodes: Sequence[GpuNode], chosen: Sequence[Backend], given_profiles: Sequence[Profile], server: ApiServer
) -> list[Profile]:
    """What the nodes show of the dialects without a profile of their own."""
    covered = {registry.get(profile.target).name for profile in given_profiles}
    served = [name for name in targets_served(nodes) if name not in covered]
    names = [backend.name for backend in chosen if backend.name in served]
    return [live_profile(nodes, name, server.version())[0] for name in names]


def _apply(
    server: ApiServer, admission_policies: Sequence[AdmissionPolicy], form: PolicyEngine, force: bool
) -> int:
    trial = try_objects(
        server, locate_objects(server, [*policy_documents(admission_policies, form)], None), force=force
    )
    for applied_object in apply_objects(server, trial, force=force):
        printing.out(text_of([f"{applied_object.submitted.name} {applied_object.verb}"]))
    return Exit.CLEAN
