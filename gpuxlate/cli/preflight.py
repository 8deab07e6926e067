"""``kubectl gpuxlate preflight``: a vendor's prerequisites against the live nodes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.requirements import State
from gpuxlate.cli import common, live_options, options
from gpuxlate.cluster.nodes import gpu_nodes
from gpuxlate.config.specs import read_specs
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.planning.nodepool import node_pool
from gpuxlate.planning.nodes import GpuNode, names_of
from gpuxlate.planning.preflight import Flight, Point, node_lists, preflight, profile_for
from gpuxlate.yamltext.place import placed

WIDTH = 100
"""Columns of text."""
_WORDS = {State.MET: "met", State.UNMET: "not met", State.UNKNOWN: "not known"}


def command(
    to: options.To,
    specs: Annotated[
        list[str],
        typer.Argument(help="GPUShare documents: only what these shares need.", metavar="[SPEC]..."),
    ] = [],  # noqa: B006 - typer copies it
    output: options.TextOutput = "text",
    namespace: live_options.Namespace = None,
    all_namespaces: live_options.AllNamespaces = False,
    selector: live_options.Selector = None,
    context: live_options.Context = None,
    kubeconfig: live_options.Kubeconfig = None,
    request_timeout: live_options.RequestTimeout = None,
) -> int:
    """The vendor's prerequisites against the live nodes: versions, labels, images.

    Exit 1 if one of them is met on no node. -l selects nodes.
    """
    backend = common.target(to)
    if backend.live is None:
        others = [one.name for one in registry.pod_backends() if one.live]
        raise common.CliError(
            say("{name} has no nodes", name=backend.name), say("targets: {names}", names=", ".join(others))
        )
    server = live_options.cluster(namespace, all_namespaces, selector, context, kubeconfig, request_timeout)
    given = common.inputs(specs) if specs else []
    nodes, version = gpu_nodes(server, selector), server.version()
    if given:
        flights = _of_shares(given, nodes, backend, version)
        if flights is None:
            return common.Exit.FINDINGS
    else:
        flights = [(None, preflight(nodes, backend, version))]
    if output == "json":
        common.out(common.write_json(_json(flights, backend, version)))
    else:
        common.text_out("\n".join(_text(name, flight, backend, version) for name, flight in flights))
    failed = any(flight.failed for _, flight in flights)
    return common.Exit.FINDINGS if failed else common.Exit.CLEAN


Flights = list[tuple[str | None, Flight]]


def _of_shares(given: Any, nodes: Sequence[GpuNode], backend: Backend, version: str) -> Flights | None:
    """What each share needs; None where a document is invalid or the target refuses its share."""
    found = read_specs(given)
    profile = profile_for([one for one in nodes if one.view.target == backend.name], backend)
    diagnostics: list[Diagnostic] = list(found.diagnostics)
    flights: Flights = []
    for _, document, share in found.found:
        pool, found_here = node_pool(share, backend, profile)
        diagnostics += [placed(document, one) for one in found_here]
        if pool is not None:
            flights.append((pool.name, preflight(nodes, backend, version, pool.needs, pool.share)))
    common.show(diagnostics, found.sources)
    return None if any(one.severity is Severity.ERROR for one in diagnostics) else flights


def _text(name: str | None, flight: Flight, backend: Backend, version: str) -> str:
    about = f"{name} at {backend.name}" if name else backend.name
    lines = [f"{about}, Kubernetes {version}", ""]
    for state in (State.UNMET, State.UNKNOWN, State.MET):
        points = [point for point in flight.points if point.state is state]
        if points:
            lines += [_WORDS[state], *(line for point in points for line in _point(point)), ""]
    if flight.failed:
        narrower = "" if name else "; pass a SPEC to check only what its share needs"
        lines.append("not ready" + ("" if flight.ready else ": no node meets all prerequisites") + narrower)
    else:
        lines.append(f"ready as far as known: {names_of(flight.ready)}")
    return "\n".join(lines) + "\n"


def _point(point: Point) -> Iterator[str]:
    severity = f" ({point.severity})" if point.state is State.UNMET and not point.failed else ""
    when = f" ({point.when})" if point.when else ""
    yield from _item(f"{point.what}: {point.wanted}{when}{severity}", "  - ")
    for text in node_lists(point):
        yield from _item(f"not met on {text}" if point.met else text, "      ")
    if point.tell:
        yield from _item(f"check: {point.tell}", "      ")


def _item(text: str, first: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _json(flights: Flights, backend: Backend, version: str) -> dict[str, Any]:
    return {
        "format": "gpuxlate-preflight/v1",
        "target": backend.name,
        "kubernetesVersion": version,
        "items": [
            {
                "name": name,
                "failed": flight.failed,
                "nodes": list(flight.nodes),
                "ready": list(flight.ready),
                "points": [point.to_json() for point in flight.points],
            }
            for name, flight in flights
        ],
    }
