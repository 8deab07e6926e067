"""``kubectl gpuxlate preflight``: a vendor's prerequisites against the live nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar

import typer

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.requirements import RequirementState
from gpuxlate.cli import live, lookup, options, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.options import invocation
from gpuxlate.cli.tables import wrap_text
from gpuxlate.cluster.nodes import gpu_nodes
from gpuxlate.config.document import read_specs
from gpuxlate.locale import localize
from gpuxlate.model.declarations import Output, Printed, record
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import msg, titled
from gpuxlate.planning.nodepool import node_pool
from gpuxlate.planning.nodes import GpuNode, comma_list
from gpuxlate.planning.preflight import PreflightCheck, PreflightReport, node_lists, preflight, profile_for
from gpuxlate.report.characters import text_of
from gpuxlate.yamltext.parse import with_location


def command(
    to: options.To,
    specs: Annotated[
        list[str],
        typer.Argument(help="GPUShare documents: check only what these shares need.", metavar="[SPEC]..."),
    ] = [],
    output: options.TextOutput = "text",
) -> int:
    """Check the vendor's prerequisites on the live nodes: versions, labels, images.

    Exit 1 if no node meets one of them. -l selects nodes.
    """
    backend = lookup.target(to)
    if not backend.has_nodes:
        others = lookup.some_of(target for target in registry.pod_backends() if target.has_nodes)
        raise UserError(msg("{name} has no nodes", name=backend.name), others)
    server = live.cluster_of_flags()
    files = Inputs(specs).read() if specs else []
    nodes, version = gpu_nodes(server, invocation().selector), server.version()
    if files:
        reports = _of_shares(files, nodes, backend, version)
        if reports is None:
            return Exit.FINDINGS
    else:
        reports = [(None, preflight(nodes, backend, version))]
    if output == "json":
        printing.json_out(_json(reports, backend, version))
    else:
        printing.out("\n".join(_text(name, report, backend, version) for name, report in reports))
    failed = any(report.failed for _, report in reports)
    return Exit.FINDINGS if failed else Exit.CLEAN


ShareReports = list[tuple[str | None, PreflightReport]]


def _of_shares(files: Any, nodes: Sequence[GpuNode], backend: Backend, version: str) -> ShareReports | None:
    """What each share needs; None where a document is invalid or the target refuses its share."""
    profile = profile_for([node for node in nodes if node.view.target == backend.name], backend)
    documents = read_specs(files, profile)
    diagnostics: list[Diagnostic] = list(documents.diagnostics)
    reports: ShareReports = []
    for _, document, share in documents.shares:
        pool, found_here = node_pool(share, backend, profile)
        diagnostics += [with_location(document, finding) for finding in found_here]
        if pool is not None:
            reports.append((pool.name, preflight(nodes, backend, version, pool.needs, pool.share)))
    printing.show(diagnostics, documents.sources)
    return None if any(finding.severity is Severity.ERROR for finding in diagnostics) else reports


def _text(name: str | None, report: PreflightReport, backend: Backend, version: str) -> str:
    about = msg("{name} at {target}", name=name, target=backend.name) if name else backend.name
    lines = [localize(msg("{about}, Kubernetes {version}", about=about, version=version)), ""]
    for state in (RequirementState.UNMET, RequirementState.UNKNOWN, RequirementState.MET):
        points = [point for point in report.points if point.state is state]
        if points:
            lines += [localize(msg(state)), *(line for point in points for line in _point(point)), ""]
    if report.failed:
        verdict = msg("not ready" if report.ready else "not ready: no node meets all prerequisites")
        narrower = msg("{verdict}; pass a SPEC to check only what its share needs", verdict=verdict)
        lines.append(localize(verdict if name else narrower))
    else:
        lines.append(localize(msg("ready as far as known: {names}", names=comma_list(report.ready))))
    return text_of(lines)


def _point(point: PreflightCheck) -> Iterator[str]:
    text = msg("{title}: {text}", title=point.what, text=point.wanted)
    aside = [point.when] if point.when else []
    aside += [msg(point.severity)] if point.state is RequirementState.UNMET and not point.failed else []
    for remark in aside:
        text = msg("{text} ({aside})", text=text, aside=remark)
    yield from wrap_text(text, "  - ")
    for nodes in node_lists(point):
        yield from wrap_text(msg("not met on {nodes}", nodes=nodes) if point.met else nodes, "      ")
    if point.to_tell:
        yield from wrap_text(titled("check", point.to_tell), "      ")


@record
class PreflightOfShare(Printed):
    """The prerequisites of one share."""

    name: str | None
    """Name of the share; null: no share is given."""
    failed: bool
    """No node meets all that is required."""
    nodes: Sequence[str]
    """The nodes that may be meant."""
    ready: Sequence[str]
    """The nodes that meet all that is known to be needed."""
    points: Sequence[PreflightCheck]
    """Every prerequisite."""


@record
class PreflightOutput(Output):
    """What preflight -o json prints."""

    KIND: ClassVar[str] = "preflight"
    target: str
    """The target."""
    kubernetes_version: str
    """Version of the API server."""
    items: Sequence[PreflightOfShare]
    """Every share."""


def _json(reports: ShareReports, backend: Backend, version: str) -> dict[str, Any]:
    items = [
        PreflightOfShare(name, report.failed, report.nodes, report.ready, report.points)
        for name, report in reports
    ]
    return PreflightOutput(backend.name, version, items).to_json()
