"""The nodes that a share needs at a target: labels, remarks and prerequisites."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gpuxlate.backends.base import Backend, ContainerShare
from gpuxlate.backends.placing import Accept
from gpuxlate.backends.requirements import Checked, NodeLabel, NodeNeeds, NodeWarning
from gpuxlate.config.document import ShareDocument
from gpuxlate.model.diagnostics import Diagnostic, LossKind
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, Share
from gpuxlate.translation.pods.fit import fit_pod


@dataclass(frozen=True, slots=True)
class NodePool:
    """The nodes for one share. ``checked``: the prerequisites, all unknown without a profile.

    ``chosen``: the labels by which the share's pod chooses nodes.
    """

    name: str
    share: Share
    needs: NodeNeeds
    checked: tuple[Checked, ...]
    chosen: frozenset[str] = frozenset()

    @property
    def failed(self) -> bool:
        """A prerequisite without which the share cannot run is not met."""
        return any(one.failed for one in self.checked)

    @property
    def documents(self) -> list[dict[str, Any]]:
        """Objects to apply; a document in the data of one is a text."""
        from gpuxlate.yamltext.plain import fresh  # only where one is written

        return [
            {**one, "data": {name: fresh(inner) for name, inner in one["data"].items()}}
            if "data" in one
            else dict(one)
            for one in self.needs.documents
        ]

    def to_json(self, *, checked: bool) -> dict[str, Any]:
        """One item of ``gpuxlate-nodepool/v1``."""
        return {
            "name": self.name,
            "share": self.share.to_json(),
            "labels": [_label_json(one) for one in self.needs.labels],
            "remarks": [_warning_json(one) for one in self.needs.remarks],
            "warnings": [_warning_json(one) for one in self.needs.warnings],
            "requirements": [_checked_json(one, checked) for one in self.checked],
            **({"documents": self.documents} if self.needs.documents else {}),
        }


def node_pool(
    document: ShareDocument, backend: Backend, profile: Profile | None
) -> tuple[NodePool | None, list[Diagnostic]]:
    """The nodes for a share, and how the target takes it; no nodes where it cannot take it at all.

    What ``--round`` or ``--drop`` would have to allow when the share is written counts as allowed, and
    is reported.
    """
    allowed = Accept(round_up=True, drop=frozenset(JSON_NAMES.values()))
    asked = ContainerShare("", 0, share=document.share, origins=document.origins, path=("spec",))
    # the policy is a property of the new pool: it is checked below, and does not refuse the share
    without = replace(profile, policy=None) if profile else None
    fitted = fit_pod([asked], backend, allowed, without)
    outcome = fitted.outcomes[0]
    refused = [loss for loss in outcome.losses if loss.kind is LossKind.REFUSED]
    if refused:
        return None, [loss.diagnostic() for loss in refused]
    reported = [replace(loss, accepted=True).diagnostic() for loss in outcome.losses]
    share = outcome.given
    needs = backend.node_requirements(share, profile)
    if needs is None:
        return None, reported
    chosen = frozenset(fitted.keys.node_selector)
    return NodePool(document.name, share, needs, needs.check(profile), chosen), reported


def _label_json(label: NodeLabel) -> dict[str, Any]:
    return {
        "key": label.key,
        "value": label.value,
        "setBy": str(label.setter),
        "note": label.note,
        "source": label.source.to_json(),
    }


def _warning_json(warning: NodeWarning) -> dict[str, Any]:
    return {"text": warning.text, "source": warning.source.to_json()}


def _checked_json(one: Checked, checked: bool) -> dict[str, Any]:
    need = one.requirement
    state = {"state": str(one.state), "found": one.found} if checked else {}
    return {
        "what": need.what,
        "wanted": str(need.bound),
        "when": need.when or None,
        "severity": str(need.severity),
        "fact": need.fact,
        "source": need.source.to_json(),
        **state,
    }
