"""``gpuxlate nodepool``: the labels and prerequisites of the nodes that a share needs."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal, assert_never

import typer

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.requirements import (
    CheckedRequirement,
    NodeLabel,
    NodeWarning,
    RequirementState,
    Setter,
    VendorDocument,
)
from gpuxlate.cli import lookup, options, outputs, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.render import join_documents, targets_of_all
from gpuxlate.cli.tables import wrap_text
from gpuxlate.config.document import read_specs
from gpuxlate.locale import localize
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.planning import autoscalers
from gpuxlate.planning.nodepool import NodePool, PoolsOfTarget, node_pool
from gpuxlate.report.characters import text_of
from gpuxlate.yamltext.parse import with_location

Scaling = Literal["asg-tags", "cluster-api", "karpenter"]
"""Formats for autoscalers, about nodes that do not exist yet."""
CloudFormat = Literal["aks", "eks"]
"""Node pools of clouds that run a vendor's own components."""
PoolFormat = Literal["text", "kubectl", Scaling, CloudFormat]
"""Formats that are written target by target."""
NODE_PLACEHOLDER = "<node>"

_KUBECTL = {
    Setter.YOU: ("", ""),
    Setter.POOL: ("in the node pool, before nodes join; not with kubectl on an existing node", "# "),
    Setter.OPTIONAL: ("optional", "# "),
    Setter.CLOUD: ("set by the cloud", "# "),
}
"""The comment on a label, and the prefix of its lines."""


def command(
    specs: options.Specs,
    to: options.Tos,
    check: Annotated[
        str | None,
        typer.Option(
            "--check", help="Check the prerequisites against this cluster profile.", metavar="PROFILE"
        ),
    ] = None,
    node: Annotated[
        list[str],
        typer.Option("--node", help="The node of the kubectl commands; may be repeated.", metavar="NAME"),
    ] = [],
    instance_type: Annotated[
        list[str],
        typer.Option(
            "--instance-type", help="The instance type of -o karpenter; may be repeated.", metavar="NAME"
        ),
    ] = [],
    output: Annotated[
        Literal["text", "kubectl", "yaml", "json", Scaling, CloudFormat],
        typer.Option(
            *options.FORMAT_FLAGS,
            help="Output format.",
            metavar="FORMAT",
        ),
    ] = "text",
) -> int:
    """List the node labels and prerequisites that a share needs, with the warnings of the vendors' documents.

    -o asg-tags, cluster-api and karpenter write what an autoscaler needs to scale up from zero; the cards
    are those of --check. -o aks and eks write the fields of the node pools of these clouds.
    """
    if (output == "karpenter") != bool(instance_type):
        raise UserError("-o karpenter and --instance-type go together", "--instance-type g6.2xlarge")
    if node and output != "kubectl":
        raise UserError("--node needs -o kubectl", "add -o kubectl, or omit --node")
    backends = lookup.targets_by_name(to, _with_nodes, lookup.target)
    for backend in backends:
        if backend.node_requirements(Share()) is None:
            raise UserError(
                msg("{name} has no node pools", name=backend.name),
                lookup.some_of(_with_nodes()),
            )
    profile = _profile(check, backends)
    documents = read_specs(Inputs(specs).some(), profile)
    backends = targets_of_all(backends, to, [share.share for _, _, share in documents.shares], profile)
    diagnostics: list[Diagnostic] = list(documents.diagnostics)
    pools: dict[Backend, list[NodePool]] = {backend: [] for backend in backends}
    for backend in backends:
        for _, document, share in documents.shares:
            pool, reported = node_pool(share, backend, profile)
            diagnostics += [with_location(document, finding) for finding in reported]
            pools[backend] += [pool] if pool else []
    printing.show(diagnostics, documents.sources)
    if any(finding.severity is Severity.ERROR for finding in diagnostics):
        return Exit.FINDINGS
    if output == "json":
        results = {backend.name: _json(backend, pools[backend], profile is not None) for backend in backends}
        printing.json_out(outputs.of_targets(results))
    elif output == "yaml":
        _documents(pools)
    else:
        blocks = [*_blocks(output, pools, profile, node, instance_type)]
        printing.out(("---\n" if output == "karpenter" else "\n").join(blocks))
    failed = profile is not None and any(
        pool.failed for pools_of_target in pools.values() for pool in pools_of_target
    )
    return Exit.FINDINGS if failed else Exit.CLEAN


def _blocks(
    output: PoolFormat,
    pools: Mapping[Backend, Sequence[NodePool]],
    profile: Profile | None,
    node: Sequence[str],
    machines: Sequence[str],
) -> Iterator[str]:
    """The texts of a format, target by target."""
    nodes = [shlex.quote(name) for name in node] or [NODE_PLACEHOLDER]
    for backend, pools_of_target in pools.items():
        match output:
            case "asg-tags" | "cluster-api" | "karpenter":
                yield _scaling(output, pools_of_target, backend, profile, machines)
            case "aks" | "eks":
                yield _cloud(output, pools_of_target)
            case "kubectl":
                for pool in pools_of_target:
                    yield _kubectl(pool, backend, nodes, profile is not None)
            case "text":
                for pool in pools_of_target:
                    yield _text(pool, backend, profile is not None)
            case _:
                assert_never(output)


def _with_nodes() -> list[Backend]:
    """The targets that have node pools."""
    return [backend for backend in registry.all_backends() if backend.node_requirements(Share())]


def _json(backend: Backend, pools: Sequence[NodePool], checked: bool) -> dict[str, object]:
    items = [pool.printed(checked=checked) for pool in pools]
    return PoolsOfTarget(backend.name, items).to_json()


def _documents(pools: Mapping[Backend, Sequence[NodePool]]) -> None:
    """The objects to apply, as one stream, and the targets that have none."""
    from gpuxlate.yamltext.plain import dump_yaml

    distinct: dict[str, None] = {}
    for backend, pools_of_target in pools.items():
        texts = [dump_yaml(document) for pool in pools_of_target for document in pool.documents]
        if not texts:
            printing.stderr_line(msg("{target} has no documents to apply: see -o text", target=backend.name))
        distinct |= dict.fromkeys(texts)
    if distinct:
        printing.out(join_documents([*distinct]))


def _scaling(
    output: Scaling,
    pools: Sequence[NodePool],
    backend: Backend,
    profile: Profile | None,
    machines: Sequence[str],
) -> str:
    """The documents of the pools for an autoscaler. Raises UserError where they would be guesses."""
    if not backend.overrides("allocatable") and not (backend.device_classes and output == "cluster-api"):
        raise UserError(
            msg("no document says what nodes of {name} have allocatable", name=backend.name),
            lookup.some_of(
                backend for backend in registry.all_backends() if backend.overrides("allocatable")
            ),
        )
    if profile is None:
        raise UserError("the cards of the nodes are not known", "pass --check PROFILE")

    def lines(pool: NodePool) -> Iterable[str]:
        if output == "cluster-api":
            return autoscalers.cluster_api(pool, backend, profile)
        offered = autoscalers.node_resources(pool, backend, profile)
        return (
            autoscalers.node_overlay(pool, offered, machines)
            if machines
            else autoscalers.asg_tags(pool, offered)
        )

    parts = [text_of(lines(pool)) for pool in pools]
    return ("---\n" if machines else "\n").join(parts)


def _cloud(cloud: CloudFormat, pools: Sequence[NodePool]) -> str:
    """The node pools of a cloud. Raises PlanError where it has none."""
    return "\n".join(text_of(autoscalers.cloud_pool(pool, cloud)) for pool in pools)


def _profile(name: str | None, backends: Sequence[Backend]) -> Profile | None:
    """The profile of ``--check``, which must be for the target."""
    profile = lookup.profile(name)
    if profile is not None and [lookup.target(profile.target)] != backends:
        names = ", ".join(backend.name for backend in backends)
        raise UserError(
            msg("the profile is for {target}, but --to is {name}", target=profile.target, name=names),
            "pass a profile of the target",
        )
    return profile


# --- text -------------------------------------------------------------------------------------


class _Sources:
    """The sources of a text, numbered as they come."""

    def __init__(self) -> None:
        self.numbers: dict[VendorDocument, int] = {}

    def cited(self, text: str, source: VendorDocument) -> str:
        return f"{localize(text)} [{self.numbers.setdefault(source, len(self.numbers) + 1)}]"

    def lines(self) -> list[str]:
        return [
            line
            for source, number in self.numbers.items()
            for line in wrap_text(str(source), f"  [{number}] ")
        ]


def _text(pool: NodePool, backend: Backend, checked: bool) -> str:
    needs, sources = pool.needs, _Sources()
    labels = [line for label in needs.labels for line in _label(label, sources)]
    labels += _warnings(needs.remarks, sources)
    warnings = _warnings(needs.warnings, sources)
    prerequisites = [
        line
        for checked_requirement in pool.checked
        for line in wrap_text(
            sources.cited(
                _prerequisite(checked_requirement, checked), checked_requirement.requirement.source
            ),
            "  - ",
        )
    ]
    blocks = [("labels", labels), ("warnings", warnings), ("prerequisites", prerequisites)]
    parts = [text_of([localize(msg("{name} at {target}", name=pool.name, target=backend.name))])]
    for title, lines in (*blocks, ("sources", sources.lines())):
        if lines:
            parts.append(text_of([localize(title), *lines]))
    return "\n".join(parts)


def _label(label: NodeLabel, sources: _Sources) -> list[str]:
    text = sources.cited(
        msg("set by {setter}: {note}", setter=msg(label.setter), note=label.note), label.source
    )
    return [f"  {label}", *wrap_text(text, "      ")]


def _warnings(warnings: Iterable[NodeWarning], sources: _Sources) -> list[str]:
    return [
        line
        for warning in warnings
        for line in wrap_text(sources.cited(warning.text, warning.source), "  - ")
    ]


def _prerequisite(checked_requirement: CheckedRequirement, checked: bool) -> str:
    """A prerequisite as text, with what the profile has."""
    need = checked_requirement.requirement
    text = msg("{title}: {text}", title=need.title, text=str(need.bound))
    if need.when:
        text = msg("{text} ({aside})", text=text, aside=need.when)
    if not checked:
        return text
    state = msg(checked_requirement.state)
    if checked_requirement.state is RequirementState.UNMET and need.severity is not Severity.ERROR:
        state = msg("{text} ({aside})", text=state, aside=msg(need.severity))
    if checked_requirement.value is None:
        template = "{state}: {prerequisite}; the profile does not set {fact}"
        return msg(template, state=state, prerequisite=text, fact=need.fact)
    template = "{state}: {prerequisite}; the profile has {found}"
    return msg(template, state=state, prerequisite=text, found=checked_requirement.value)


# --- kubectl ----------------------------------------------------------------------------------


def _kubectl(pool: NodePool, backend: Backend, nodes: Sequence[str], checked: bool) -> str:
    lines = [f"# {localize(msg('{name} at {target}', name=pool.name, target=backend.name))}"]
    comments = [warning.text for warning in (*pool.needs.remarks, *pool.needs.warnings)]
    if checked:
        comments += [
            _prerequisite(checked_requirement, checked)
            for checked_requirement in pool.checked
            if checked_requirement.state is not RequirementState.MET
        ]
    for text in comments:
        lines += wrap_text(text, "# - ", "#   ")
    for label in pool.needs.labels:
        comment, before = _KUBECTL[label.setter]
        lines += [f"# {localize(comment)}:"] if comment else []
        lines += [f"{before}kubectl label node {node} {label}" for node in nodes]
    return text_of(lines)
