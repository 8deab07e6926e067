"""A vendor's prerequisites against the nodes of a cluster: met, not met, or unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from gpuxlate.backends.base import Backend
from gpuxlate.backends.cluster_nodes import NodeOffer
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.backends.requirements import (
    NodeLabel,
    NodeNeeds,
    Requirement,
    RequirementState,
    Setter,
    VendorDocument,
)
from gpuxlate.model.declarations import Printed, record
from gpuxlate.model.diagnostics import LossKind, Severity
from gpuxlate.model.messages import join_and, msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Extension, Profile
from gpuxlate.model.share import JSON_NAMES, Share
from gpuxlate.planning.capacity import why_not
from gpuxlate.planning.nodes import GpuNode, comma_list, live_profile, serves_text, unit_profile
from gpuxlate.planning.problem import PodDemand
from gpuxlate.translation.fit import fit_pod

SHOWS_VERSIONS = "kubectl get deployments,daemonsets -n kube-system -o wide"
"""Shows the version of a component as the tag of its image."""
_FOR_LABELS = {
    Setter.YOU: Severity.ERROR,
    Setter.POOL: Severity.ERROR,
    Setter.CLOUD: Severity.WARNING,  # what the cloud sets is not always documented
    Setter.OPTIONAL: Severity.INFO,
}


@record
class UnmetNode(Printed):
    """A node that does not meet a prerequisite."""

    node: str
    """Name of the node."""
    found: str
    """What it has instead."""


@record
class PreflightCheck(Printed):
    """One prerequisite on all candidate nodes."""

    what: str
    """What is needed."""
    wanted: str
    """What it has to be."""
    when: str | None
    """When it is needed; null: always."""
    severity: Severity
    """How bad it is where it is not met."""
    state: RequirementState
    """Whether the nodes meet it."""
    met: tuple[str, ...]
    """Nodes that meet it."""
    not_met: tuple[UnmetNode, ...]
    """Nodes that do not."""
    not_known: tuple[str, ...] = ()
    """Nodes that do not show it."""
    to_tell: str | None = None
    """The command that shows what nodes do not; null: there is none."""
    source: VendorDocument | None = None
    """The document that says so; null: there is none."""

    @property
    def failed(self) -> bool:
        """No node meets the prerequisite, and the target needs it."""
        return self.state is RequirementState.UNMET and self.severity is Severity.ERROR


@record
class PreflightReport:
    """Every prerequisite; ``ready``: the nodes that meet all that is known to be needed."""

    nodes: tuple[str, ...]
    points: tuple[PreflightCheck, ...]
    ready: tuple[str, ...]

    @property
    def failed(self) -> bool:
        """No node is ready, or a prerequisite failed."""
        return not self.ready or any(point.failed for point in self.points)


def nodes_serving(nodes: Sequence[GpuNode], backend: Backend, share: Share | None) -> list[GpuNode]:
    """The nodes that serve the target; for a share of whole cards, those that serve whole cards."""
    serving = [n for n in nodes if n.view.target == backend.name and n.view.serves is not NodeOffer.NOTHING]
    if share is None or not share.whole_cards:
        return [node for node in serving if node.view.serves is not NodeOffer.WHOLE] or (
            [] if share else serving
        )
    if backend.whole_cards_anywhere:
        return [node for node in nodes if node.view.whole_key == backend.whole_card_key]
    # whole cards are on nodes of their own, or are a share of 100 %
    return [node for node in serving if node.view.serves is NodeOffer.WHOLE] or (
        serving
        if not backend.whole_card_key
        else [node for node in serving if node.view.whole_key == backend.whole_card_key]
    )


def profile_for(nodes: Sequence[GpuNode], backend: Backend) -> Profile | None:
    """What decides the needs of a share: the mode of nodes that share memory only, and the plugin; of a
    target with parts of cards, also the cards."""
    if backend.overrides("parts") and nodes:
        return replace(live_profile(nodes, backend.name, None)[0], policy=None)
    extensions = [node.view.extension for node in nodes if node.view.extension]
    if not extensions:
        return None
    return Profile(
        backend.name,
        extensions=(next((extension for extension in extensions if extension.usual), extensions[0]),),
    )


def preflight(
    nodes: Sequence[GpuNode],
    backend: Backend,
    version: str,
    needs: NodeNeeds | None = None,
    share: Share | None = None,
) -> PreflightReport:
    """What a target needs on these nodes: for one share with ``needs``, else in general."""
    serving = nodes_serving(nodes, backend, share)
    requirements = backend.requirements if needs is None else needs.requirements
    points = [_check_target(backend, serving, nodes)]
    if serving:
        if share is not None and backend.overrides("parts") and any(node.view.counted for node in serving):
            # whoever divided the cards: what counts is that the node takes the pod
            points.append(_check_room(share, serving, backend))
        else:
            points += [_check_label(label, serving) for label in (needs.labels if needs else ())]
        points += [_check_requirement(requirement, serving, version, backend) for requirement in requirements]
    lacking = (
        {unmet.node for point in points if point.severity is Severity.ERROR for unmet in point.not_met}
        if needs
        else set()
    )
    ready = tuple(node.name for node in serving if node.name not in lacking and node.closed is None)
    return PreflightReport(tuple(node.name for node in serving), tuple(points), ready)


def _check_target(backend: Backend, serving: Sequence[GpuNode], nodes: Sequence[GpuNode]) -> PreflightCheck:
    """The nodes of the target that take pods; where there are none, what the other nodes serve."""
    closed = tuple(UnmetNode(node.name, node.closed) for node in serving if node.closed)
    opened = tuple(node.name for node in serving if node.closed is None)
    others = tuple(
        UnmetNode(node.name, join_and(node.view.notes, "{before}; {last}") or serves_text(node.view))
        for node in nodes
    )
    return PreflightCheck(
        msg("GPU nodes"),
        msg("one that serves {target} and takes new pods", target=backend.name),
        None,
        Severity.ERROR,
        RequirementState.MET if opened else RequirementState.UNMET,
        opened,
        closed if serving else others,
    )


def _check_room(share: Share, serving: Sequence[GpuNode], backend: Backend) -> PreflightCheck:
    """The nodes that take a pod with the share, written for them, when nothing else runs there."""
    pods: dict[Extension | None, PodKeys | str] = {}
    whys: dict[str, str | None] = {}
    for node in serving:
        extension = node.view.extension
        if extension not in pods:
            pods[extension] = _write_share(share, backend, unit_profile(node.view))
        pod = pods[extension]
        open_node = replace(node, closed=None)  # that is another point
        whys[node.name] = pod if isinstance(pod, str) else why_not(PodDemand("", pod, backend, 1), open_node)
    met = tuple(name for name, why in whys.items() if why is None)
    text = share.partition or share.replica or "whole cards"
    return PreflightCheck(
        "pod",
        msg("a node that takes a pod with {text}", text=text),
        None,
        Severity.ERROR,
        RequirementState.MET if met else RequirementState.UNMET,
        met,
        tuple(UnmetNode(name, why) for name, why in whys.items() if why is not None),
    )


def _write_share(share: Share, backend: Backend, profile: Profile) -> PodKeys | str:
    """The keys of a pod with the share at a target, or why it is refused."""
    allowed = Accept(round_up=True, drop=frozenset(JSON_NAMES.values()))
    fitted = fit_pod([ContainerShare("", 0, share=share)], backend, allowed, profile)
    refused = (
        loss for outcome in fitted.outcomes for loss in outcome.losses if loss.kind is LossKind.REFUSED
    )
    return next((loss.diagnostic().message for loss in refused), fitted.keys)


def _check_label(label: NodeLabel, serving: Sequence[GpuNode]) -> PreflightCheck:
    """A label as the vendor reads it: a default counts as set."""
    met, unmet = [], []
    for node in serving:
        value = (node.view.labels or node.labels).get(label.key)
        if value == label.value:
            met.append(node.name)
        else:
            unmet.append(UnmetNode(node.name, "not set" if value is None else value))
    return PreflightCheck(
        msg("label {key}", key=label.key),
        label.value,
        msg("set by {setter}", setter=msg(label.setter)),
        _FOR_LABELS[label.setter],
        RequirementState.MET if met else RequirementState.UNMET,
        tuple(met),
        tuple(unmet),
        source=label.source,
    )


def _check_requirement(
    need: Requirement, serving: Sequence[GpuNode], version: str, backend: Backend
) -> PreflightCheck:
    met, unmet, unknown = [], [], []
    for node in serving:
        checked = need.check(node.profile(version))
        match checked.state:
            case RequirementState.MET:
                met.append(node.name)
            case RequirementState.UNMET:
                unmet.append(UnmetNode(node.name, checked.value or ""))
            case RequirementState.UNKNOWN:
                unknown.append(node.name)
            case _:
                assert_never(checked.state)
    state = RequirementState.MET if met else RequirementState.UNKNOWN if unknown else RequirementState.UNMET
    usual = SHOWS_VERSIONS if need.fact.startswith("components.") else None
    command = backend.fact_commands.get(need.fact, usual)
    return PreflightCheck(
        msg(need.title),
        str(need.bound),
        need.when or None,
        need.severity,
        state,
        tuple(met),
        tuple(unmet),
        tuple(unknown),
        command if unknown else None,
        need.source,
    )


def node_lists(point: PreflightCheck) -> Iterator[str]:
    """The nodes that do not meet a prerequisite, and what they have, one line for each value."""
    for value in dict.fromkeys(unmet.found for unmet in point.not_met):
        names = [unmet.node for unmet in point.not_met if unmet.found == value]
        title = comma_list(names)
        yield msg("{title}: {text}", title=title, text=value) if value else title
