"""A vendor's prerequisites against the nodes of a cluster: met, not met, or unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

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
from gpuxlate.planning.demand import Wanted
from gpuxlate.planning.nodes import GpuNode, live_profile, names_of, serves_text, unit_profile
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
        return self.state is RequirementState.UNMET and self.severity is Severity.ERROR


@record
class Flight:
    """Every prerequisite; ``ready``: the nodes that meet all that is known to be needed."""

    nodes: tuple[str, ...]
    points: tuple[PreflightCheck, ...]
    ready: tuple[str, ...]

    @property
    def failed(self) -> bool:
        return not self.ready or any(point.failed for point in self.points)


def candidates(nodes: Sequence[GpuNode], backend: Backend, share: Share | None) -> list[GpuNode]:
    """The nodes that serve the target; for a share of whole cards, those that serve whole cards."""
    mine = [n for n in nodes if n.view.target == backend.name and n.view.serves is not NodeOffer.NOTHING]
    if share is None or not share.whole_cards:
        return [one for one in mine if one.view.serves is not NodeOffer.WHOLE] or ([] if share else mine)
    if backend.whole_cards_anywhere:
        return [one for one in nodes if one.view.whole_key == backend.whole_card_key]
    # whole cards are on nodes of their own, or are a share of 100 %
    return [one for one in mine if one.view.serves is NodeOffer.WHOLE] or (
        mine
        if not backend.whole_card_key
        else [one for one in mine if one.view.whole_key == backend.whole_card_key]
    )


def profile_for(nodes: Sequence[GpuNode], backend: Backend) -> Profile | None:
    """What decides the needs of a share: the mode of nodes that share memory only, and the plugin; of a
    target with parts of cards, also the cards."""
    if backend.overrides("parts") and nodes:
        return replace(live_profile(nodes, backend.name, None)[0], policy=None)
    found = [one.view.extension for one in nodes if one.view.extension]
    if not found:
        return None
    return Profile(backend.name, extensions=(next((one for one in found if one.usual), found[0]),))


def preflight(
    nodes: Sequence[GpuNode],
    backend: Backend,
    version: str,
    needs: NodeNeeds | None = None,
    share: Share | None = None,
) -> Flight:
    """What a target needs on these nodes: for one share with ``needs``, else in general."""
    there = candidates(nodes, backend, share)
    requirements = backend.requirements if needs is None else needs.requirements
    points = [_served(backend, there, nodes)]
    if there:
        if share is not None and backend.overrides("parts") and any(one.view.counted for one in there):
            # whoever divided the cards: what counts is that the node takes the pod
            points.append(_taken(share, there, backend))
        else:
            points += [_label(one, there) for one in (needs.labels if needs else ())]
        points += [_requirement(one, there, version, backend) for one in requirements]
    lacking = (
        {one.node for point in points if point.severity is Severity.ERROR for one in point.not_met}
        if needs
        else set()
    )
    ready = tuple(one.name for one in there if one.name not in lacking and one.closed is None)
    return Flight(tuple(one.name for one in there), tuple(points), ready)


def _served(backend: Backend, there: Sequence[GpuNode], nodes: Sequence[GpuNode]) -> PreflightCheck:
    """The nodes of the target that take pods; where there are none, what the other nodes serve."""
    closed = tuple(UnmetNode(one.name, one.closed) for one in there if one.closed)
    opened = tuple(one.name for one in there if one.closed is None)
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
        closed if there else others,
    )


def _taken(share: Share, there: Sequence[GpuNode], backend: Backend) -> PreflightCheck:
    """The nodes that take a pod with the share, written for them, when nothing else runs there."""
    pods: dict[Extension | None, PodKeys | str] = {}
    whys: dict[str, str | None] = {}
    for node in there:
        own = node.view.extension
        if own not in pods:
            pods[own] = _written(share, backend, unit_profile(node.view))
        pod = pods[own]
        one = replace(node, closed=None)  # that is another point
        whys[node.name] = pod if isinstance(pod, str) else why_not(Wanted("", pod, backend, 1), one)
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


def _written(share: Share, backend: Backend, profile: Profile) -> PodKeys | str:
    """The keys of a pod with the share at a target, or why it is refused."""
    allowed = Accept(round_up=True, drop=frozenset(JSON_NAMES.values()))
    found = fit_pod([ContainerShare("", 0, share=share)], backend, allowed, profile)
    refused = (one for outcome in found.outcomes for one in outcome.losses if one.kind is LossKind.REFUSED)
    return next((one.diagnostic().message for one in refused), found.keys)


def _label(label: NodeLabel, there: Sequence[GpuNode]) -> PreflightCheck:
    """A label as the vendor reads it: a default counts as set."""
    met, unmet = [], []
    for node in there:
        found = (node.view.labels or node.labels).get(label.key)
        if found == label.value:
            met.append(node.name)
        else:
            unmet.append(UnmetNode(node.name, "not set" if found is None else found))
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


def _requirement(
    need: Requirement, there: Sequence[GpuNode], version: str, backend: Backend
) -> PreflightCheck:
    met, unmet, unknown = [], [], []
    for node in there:
        checked = need.check(node.profile(version))
        if checked.state is RequirementState.MET:
            met.append(node.name)
        elif checked.state is RequirementState.UNMET:
            unmet.append(UnmetNode(node.name, checked.found or ""))
        else:
            unknown.append(node.name)
    state = RequirementState.MET if met else RequirementState.UNKNOWN if unknown else RequirementState.UNMET
    usual = SHOWS_VERSIONS if need.fact.startswith("components.") else None
    tell = backend.fact_commands.get(need.fact, usual)
    return PreflightCheck(
        msg(need.what),
        str(need.bound),
        need.when or None,
        need.severity,
        state,
        tuple(met),
        tuple(unmet),
        tuple(unknown),
        tell if unknown else None,
        need.source,
    )


def node_lists(point: PreflightCheck) -> Iterator[str]:
    """The nodes that do not meet a prerequisite, and what they have, one line for each value."""
    for found in dict.fromkeys(one.found for one in point.not_met):
        names = [one.node for one in point.not_met if one.found == found]
        title = names_of(names)
        yield msg("{title}: {text}", title=title, text=found) if found else title
