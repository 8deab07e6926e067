"""The nodes that a share needs at a target: labels, remarks and prerequisites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.backends.requirements import (
    CheckedRequirement,
    NodeNeeds,
    NodeWarning,
    RequirementState,
    Setter,
    VendorDocument,
)
from gpuxlate.config.document import ShareDocument
from gpuxlate.model.declarations import OMITTED, Output, Printed, Sometimes, record
from gpuxlate.model.diagnostics import Diagnostic, LossKind, Severity
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, Share
from gpuxlate.translation.fit import fit_pod


@record
class PrintedLabel(Printed):
    """One label of the nodes."""

    key: str
    """The label."""
    value: str
    """Its value."""
    set_by: Setter
    """Who sets it."""
    note: str
    """What else is to know."""
    source: VendorDocument
    """The document that says so."""


@record
class PrintedRequirement(Printed):
    """One prerequisite."""

    what: str
    """What is needed, such as a component."""
    wanted: str
    """What it has to be."""
    when: str | None
    """When it is needed; null: always."""
    severity: Severity
    """How bad it is where it is not met."""
    fact: str
    """What the document says."""
    source: VendorDocument
    """The document that says so."""
    state: Sometimes[RequirementState]
    """Whether the profile meets it. With --check."""
    found: Sometimes[str | None]
    """The value of the profile; null: it has none. With --check."""


@record
class PrintedPool(Printed):
    """The nodes for one share."""

    name: str
    """Name of the share."""
    share: Share
    """The share as the target has it."""
    labels: Sequence[PrintedLabel]
    """Labels of the nodes."""
    remarks: Sequence[NodeWarning]
    """What to know."""
    warnings: Sequence[NodeWarning]
    """What may go wrong."""
    requirements: Sequence[PrintedRequirement]
    """Prerequisites."""
    documents: Sometimes[Sequence[Mapping[str, Any]]]
    """Objects to apply to the cluster."""


@record
class PoolsOfTarget(Output):
    """What nodepool -o json prints for one target."""

    KIND: ClassVar[str] = "nodepool"
    target: str
    """The target."""
    items: Sequence[PrintedPool]
    """The nodes for each share."""


@record
class NodePool:
    """The nodes for one share. ``checked``: the prerequisites, all unknown without a profile.

    ``chosen``: the labels by which the share's pod chooses nodes.
    """

    name: str
    share: Share
    needs: NodeNeeds
    checked: tuple[CheckedRequirement, ...]
    chosen: frozenset[str] = frozenset()

    @property
    def failed(self) -> bool:
        """A prerequisite without which the share cannot run is not met."""
        return any(requirement.failed for requirement in self.checked)

    @property
    def documents(self) -> list[dict[str, Any]]:
        """Objects to apply; a document in the data of one is a text."""
        from gpuxlate.yamltext.plain import dump_yaml  # only where one is written

        return [
            {**document, "data": {name: dump_yaml(inner) for name, inner in document["data"].items()}}
            if "data" in document
            else dict(document)
            for document in self.needs.documents
        ]

    def printed(self, *, checked: bool) -> PrintedPool:
        """``checked``: with whether the prerequisites are met."""
        needs = self.needs
        return PrintedPool(
            self.name,
            self.share,
            [
                PrintedLabel(label.key, label.value, label.setter, label.note, label.source)
                for label in needs.labels
            ],
            needs.remarks,
            needs.warnings,
            [_requirement(requirement, checked) for requirement in self.checked],
            self.documents or OMITTED,
        )


def node_pool(
    document: ShareDocument, backend: Backend, profile: Profile | None
) -> tuple[NodePool | None, list[Diagnostic]]:
    """The nodes for a share, and how the target takes it; no nodes where it cannot take it at all.

    What ``--round`` or ``--drop`` would have to allow when the share is written counts as allowed, and
    is reported.
    """
    allowed = Accept(round_up=True, drop=frozenset(JSON_NAMES.values()))
    # the policy is a property of the new pool: it is checked below, and does not refuse the share
    without = replace(profile, policy=None) if profile else None
    fitted = fit_pod([document.of_container()], backend, allowed, without)
    outcome = fitted.outcomes[0]
    refused = [loss for loss in outcome.losses if loss.kind is LossKind.REFUSED]
    if refused:
        return None, [loss.diagnostic() for loss in refused]
    reported = [replace(loss, accepted=True).diagnostic() for loss in outcome.losses]
    share = outcome.granted
    needs = backend.node_requirements(share, profile)
    if needs is None:
        return None, reported
    chosen = frozenset(fitted.keys.node_selector)
    return NodePool(document.name, share, needs, needs.check(profile), chosen), reported


def _requirement(checked_requirement: CheckedRequirement, checked: bool) -> PrintedRequirement:
    need = checked_requirement.requirement
    return PrintedRequirement(
        need.title,
        str(need.bound),
        need.when or None,
        need.severity,
        need.fact,
        need.source,
        checked_requirement.state if checked else OMITTED,
        checked_requirement.value if checked else OMITTED,
    )
