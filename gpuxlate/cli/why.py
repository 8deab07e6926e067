"""``kubectl gpuxlate why``: why a pod does not run, and what would make it fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

import typer

from gpuxlate.backends import registry
from gpuxlate.backends.cluster_nodes import NodeOffer
from gpuxlate.cli import live, options, printing
from gpuxlate.cluster import pending_pod
from gpuxlate.cluster.export import as_yaml
from gpuxlate.cluster.nodes import gpu_nodes_of
from gpuxlate.cluster.pods import gpu_pods, keys_of_pod, usage_of
from gpuxlate.cluster.server import NODES_PATH, ApiServer, Json
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.locale import localize
from gpuxlate.model.declarations import Count, Output, record
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.errors import Exit
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import join_and, msg, plural, titled
from gpuxlate.planning.node_reasons import KeptOut, NodesForPod, nodes_for, serves
from gpuxlate.planning.nodes import GpuNode, comma_list
from gpuxlate.planning.problem import PodDemand
from gpuxlate.report.characters import text_of
from gpuxlate.rules.keys import key_is_known
from gpuxlate.yamltext.source import Source

NOT_LOOKED_AT = NodesForPod((), (), None, ())


def command(
    objects: Annotated[
        list[str],
        typer.Argument(
            help="The pod, or what makes it: pod/web, deploy/web.",
            metavar="KIND/NAME",
            autocompletion=options.complete_kind,
        ),
    ],
    output: options.TextOutput = "text",
) -> int:
    """Say why a pod does not run: its state and events, what lint finds, and each node that does not take it.

    Of deploy/NAME, the first of its pods that does not run. Exit 0 if the pod runs or fits, 1 if not.
    """
    why = find_reasons(live.cluster_of_flags(), objects)
    if output == "json":
        printing.json_out(why.to_json())
    else:
        printing.out(text_of(_text(why)))
    return Exit.CLEAN if why.runs or why.fits else Exit.FINDINGS


@record
class Reasons(Output):
    """What why -o json prints."""

    KIND: ClassVar[str] = "why"
    object: str
    """What was asked about, such as deploy/web."""
    namespace: str
    """Its namespace."""
    pod: str | None
    """The pod that is looked at; null: none is made."""
    pods: Count
    """Pods of the object."""
    phase: str | None
    """Phase of the pod."""
    node: str | None
    """Its node; null: it waits for one."""
    runs: bool
    """It runs and is ready, or has ended well; and no more pods of the object are to be made."""
    fits: bool
    """A node takes it, and nothing is found that keeps it away."""
    state: Sequence[str]
    """What its status says."""
    events: Sequence[pending_pod.PodEvent]
    """Its last events."""
    findings: Sequence[Diagnostic]
    """What lint finds in it."""
    obstacles: Sequence[str]
    """What keeps it away beside the cards of nodes."""
    nodes: Count
    """GPU nodes of the cluster."""
    fitting: Sequence[str]
    """Nodes that take it."""
    kept_out: Sequence[KeptOut]
    """Reasons of the other nodes, those of most nodes first."""
    in_all: str | None
    """What is free in all, where it is enough and on no card."""
    ways: Sequence[str]
    """What would make it fit."""


def find_reasons(server: ApiServer, words: Sequence[str]) -> Reasons:
    """Everything that is known of a pod that does not run. Raises ClusterError."""
    asked_object = pending_pod.find_asked_object(server, words)
    spec, status = asked_object.pod.get("spec") or {}, asked_object.pod.get("status") or {}
    runs = pending_pod.runs(asked_object.pod) and not asked_object.missing
    node = spec.get("nodeName")
    pod_events = pending_pod.read_events(server, asked_object)
    findings = _findings(asked_object)
    misspelt = {str(finding.path[-1]) for finding in findings if finding.code == key_is_known.code}
    obstacles = [] if runs else [*pending_pod.explain_waiting(server, asked_object, pod_events, misspelt)]
    nodes_for_it, nodes = NOT_LOOKED_AT, []
    if not runs:
        raw = [each for page in server.pages(NODES_PATH) for each in page]
        nodes = gpu_nodes_of(server, raw)
        if node:
            obstacles += _of_its_node(nodes, asked_object.pod)
        else:
            pod = _demand_of(asked_object)
            if isinstance(pod, str):
                obstacles += [] if spec.get("resourceClaims") else [pod]
            else:
                nodes_for_it = nodes_for(usage_of(server, nodes), pod)
                if not any(serves(each, pod) for each in nodes):
                    obstacles += pending_pod.uncounted_keys(raw, asked_object.pod)
    wrong = any(each.severity is Severity.ERROR for each in findings)
    failed = bool(node) or status.get("phase") == "Failed"
    return Reasons(
        asked_object.name,
        asked_object.namespace,
        asked_object.pod_name if asked_object.exists else None,
        asked_object.pods,
        status.get("phase"),
        node,
        runs,
        bool(nodes_for_it.fitting) and not (obstacles or wrong or failed),
        [*pending_pod.describe_state(asked_object, pod_events)],
        pod_events,
        findings,
        obstacles,
        len(nodes),
        nodes_for_it.fitting,
        nodes_for_it.kept_out,
        nodes_for_it.in_all,
        nodes_for_it.ways,
    )


def _demand_of(asked_object: pending_pod.AskedObject) -> PodDemand | str:
    """The pod as a demand of the packing, or why it cannot be packed."""
    keys = keys_of_pod(asked_object.pod)
    dialects = registry.backends_of(keys)
    if len(dialects) > 1:
        names = join_and((each.name for each in dialects), "{before} and {last}")
        return msg("it has keys of {names}: a node reads those of one", names=names)
    if not dialects and not any(NVIDIA_GPU in each.resources for each in keys.all_containers()):
        return msg("it requests no GPU in a known dialect, so the cards of nodes are not compared")
    backend = dialects[0] if dialects else None
    return PodDemand(asked_object.name, keys, backend, 1, pending_pod.tolerations(asked_object.pod))


def _of_its_node(nodes: Sequence[GpuNode], pod: Json) -> Iterator[str]:
    """That the pod is on a node and has no cards there, since no scheduler of the vendor left a record."""
    name = pod["spec"]["nodeName"]
    node = next((each for each in nodes if each.name == name), None)
    if node is None:
        return
    for live_pod in gpu_pods([{**pod, "status": {**pod.get("status", {}), "phase": "Pending"}}]):
        backend = node.backend
        if backend is None or node.view.serves is not NodeOffer.SHARES:
            continue
        asks = backend in registry.backends_of(live_pod.live.keys)
        if asks and not backend.placements(live_pod.live, node.view):
            text = "{node} has the pod, and no card is recorded: the scheduler of {target} did not place it"
            yield msg(text, node=name, target=backend.name)


def _findings(asked_object: pending_pod.AskedObject) -> list[Diagnostic]:
    """What lint finds in the object, errors first."""
    source = Source(asked_object.name, as_yaml(asked_object.object))
    findings = lint_source(source, LintSettings()).diagnostics
    return [each for each in findings if each.severity is not Severity.INFO]


# --- text -----------------------------------------------------------------------------------------


def _text(why: Reasons) -> Iterator[str]:
    yield localize(_head(why))
    event_messages = tuple(event.message for event in why.events if event.message)
    yield from (
        f"  {localize(line)}" for line in why.state if not (event_messages and line.endswith(event_messages))
    )
    if why.events:
        yield localize(msg("events:"))
        for event in why.events:
            times = f" x{event.count}" if event.count > 1 else ""
            yield f"  {event.type} {event.reason}{times}: {event.message}"
    if why.findings:
        yield localize(msg("lint:"))
        # of limits and requests, which a server has both, one line is enough
        yield from dict.fromkeys(f"  {localize(_finding(finding))}" for finding in why.findings)
    if why.obstacles:
        yield localize(msg("in the way:"))
        yield from (f"  {localize(line)}" for line in why.obstacles)
    if why.kept_out or why.fitting:
        yield localize(titled("nodes", plural(why.nodes, "{count} GPU node", "{count} GPU nodes")))
        yield from _nodes(why)
    if why.ways:
        yield localize(msg("to make it fit:"))
        yield from (f"  {localize(line)}" for line in why.ways)


def _finding(finding: Diagnostic) -> str:
    text = msg("{title}: {text}", title=f"{finding.severity}[{finding.code}]", text=finding.message)
    return msg("{before}; {last}", before=text, last=finding.hint) if finding.hint else text


def _head(why: Reasons) -> str:
    name = msg("{name} in {namespace}", name=why.object, namespace=why.namespace)
    if why.pod is None:
        return msg("{name}: no pod is made", name=name)
    if why.object != f"pod/{why.pod}":
        pods = plural(why.pods, "{count} pod", "{count} pods")
        name = msg("{name}, {pods}: {pod}", name=name, pods=pods, pod=f"pod/{why.pod}")
    if why.runs:
        return msg("{name} runs on {node}", name=name, node=why.node or "-")
    if why.node:
        return msg("{name}: {phase} on {node}", name=name, phase=why.phase, node=why.node)
    return msg("{name}: {phase}, without a node", name=name, phase=why.phase or "Pending")


def _nodes(why: Reasons) -> Iterator[str]:
    for kept_out in why.kept_out:
        text = msg(
            "{count}: {why} ({node})", count=kept_out.nodes, why=kept_out.reason, node=kept_out.example
        )
        yield f"  {localize(text)}"
    if why.in_all:
        yield f"  {localize(why.in_all)}"
    if why.fitting:
        text = msg("{count} with room for it: {names}", count=len(why.fitting), names=comma_list(why.fitting))
        yield f"  {localize(text)}"
