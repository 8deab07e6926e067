"""New templates of claims: their names, which follow from the workloads, and their texts."""

from __future__ import annotations

import os
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any, NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.claims.findings import claimed_already
from gpuxlate.manifest.pods import CLAIMS, Pod
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, Path, nest
from gpuxlate.model.limits import shorten
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import (
    CLAIMS_API_GROUP,
    FLAT,
    TEMPLATE,
    DeviceRequest,
    Devices,
    PodClaim,
    PodKeys,
    Value,
)
from gpuxlate.rules.translation import share_is_expressible
from gpuxlate.yamltext.nodes import get, get_text
from gpuxlate.yamltext.parse import Document

SUBDOMAIN = 253
"""The most characters of the name of a template: that of a DNS subdomain."""
_UNFIT = regex(r"[^a-z0-9.-]+")
RENAME = "give it another name there and in resources.claims of the containers"


class ClaimTemplate(NamedTuple):
    """A template to write: the pod and the claim that it is for, its namespace and name, and the path of the
    pod."""

    pod: Pod
    claim: PodClaim
    namespace: str | None
    name: str
    path: Path

    @property
    def data(self) -> dict[str, object]:
        """The template as plain data."""
        return template_of(self.name, self.namespace, self.claim)


class NamedTemplate(NamedTuple):
    """A new template by its name. ``finding``: what is reported where it is the second of that name in a
    run."""

    namespace: str | None
    name: str
    finding: Diagnostic


def _name(text: str) -> str:
    return shorten(_UNFIT.sub("-", text.lower()), SUBDOMAIN)


class Writing(NamedTuple):
    """The keys to write into a pod, with the templates that they name; no templates where findings say
    why."""

    keys: PodKeys
    templates: tuple[ClaimTemplate, ...]
    findings: tuple[Diagnostic, ...] = ()


def with_templates(
    document: Document,
    pod: Pod,
    keys: PodKeys,
    suffix: str,
    replaced: Sequence[Backend],
    shared: Set[tuple[str | None, str]] = frozenset(),
) -> Writing:
    """The new keys of a pod with names for the templates of its claims. The names follow from the workload.

    ``suffix``: distinguishes the pod from the other pods of its object. ``replaced``: the dialects whose
    claims are removed. ``shared``: namespaces and names that the templates of several workloads would have:
    these get the kind of the workload into their names.
    """
    if not keys.claims or CLAIMS in pod.lacks:  # another finding reports the missing field
        return Writing(keys, ())
    root = get(document.root, *pod.object_path)
    base = get_text(root, "metadata", "name") or (get_text(root, "metadata", "generateName") or "").rstrip(
        "-."
    )
    path = pod.keys.path
    if not (pod.object_path == () or pod.object_path[-2:-1] == ("items",)):
        message = msg(
            "a {kind} inside another object: no document can be put beside it", kind=pod.object.kind
        )
        return Writing(
            keys, (), (share_is_expressible(path, message, "translate the manifest that it is made of"),)
        )
    if not base:
        message = msg(
            "the {kind} has no name, and the names of its claims follow from it", kind=pod.object.kind
        )
        return Writing(keys, (), (share_is_expressible(path, message, "give it metadata.name"),))
    new = {claim.name for claim in keys.claims}
    taken = [
        claim
        for claim in pod.keys.claims
        if claim.name in new and not registry.has_devices_of(claim, replaced)
    ]
    if taken:
        return Writing(keys, (), tuple(claimed_already(claim, RENAME) for claim in taken))
    namespace = get_text(root, "metadata", "namespace")
    templates = []
    for claim in keys.claims:
        name = _name(f"{base}{suffix}-{claim.name}")
        if (namespace, name) in shared:
            name = _name(f"{base}-{pod.object.kind}{suffix}-{claim.name}")
        templates.append(ClaimTemplate(pod, claim, namespace, name, path))
    claims = tuple(replace(template.claim, template=Value.of(template.name)) for template in templates)
    return Writing(replace(keys, claims=claims), tuple(templates))


def clashes(named: Sequence[NamedTemplate]) -> list[NamedTemplate]:
    """The new templates that have the name of an earlier one of the same folder."""
    clashing: list[NamedTemplate] = []
    seen: set[tuple[str, str | None, str]] = set()
    for template in named:
        key = (os.path.dirname(template.finding.file or ""), template.namespace, template.name)
        if key in seen:
            clashing.append(template)
        seen.add(key)
    return clashing


# The text of a template, in the API version of its claim.
def template_of(name: str, namespace: str | None, claim: PodClaim) -> dict[str, object]:
    """A ResourceClaimTemplate as plain data, for a claim that is to be written."""
    devices = claim.devices or Devices()
    requested: dict[str, object] = {
        "requests": [_written(request, claim.api) for request in devices.requests]
    }
    if devices.constraints:
        requested["constraints"] = [
            {"requests": [*constraint.requests], "distinctAttribute": constraint.distinct.text}
            for constraint in devices.constraints
            if constraint.distinct
        ]
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {
        "apiVersion": f"{CLAIMS_API_GROUP}/{claim.api}",
        "kind": TEMPLATE,
        "metadata": metadata,
        **nest(("spec", "spec", "devices"), requested),
    }


def patch_of(before: dict[str, Any], after: dict[str, Any]) -> dict[str, object] | None:
    """The patch, as plain data, that changes a template from ``before`` to ``after``; lists are whole. None
    where nothing changes."""
    old, new = (template["spec"]["spec"]["devices"] for template in (before, after))
    changed = {name: new.get(name) for name in (*new, *old) if old.get(name) != new.get(name)}
    return {**after, **nest(("spec", "spec", "devices"), changed)} if changed else None


def _written(request: DeviceRequest, api: str) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, value in (("deviceClassName", request.device_class), ("count", request.count)):
        if value is not None:
            fields[name] = value.plain
    if request.selectors:
        fields["selectors"] = [{"cel": {"expression": selector.text}} for selector in request.selectors]
    if request.capacity:
        fields["capacity"] = {"requests": {name: amount.text for name, amount in request.capacity.items()}}
    return {"name": request.name, **(fields if api == FLAT else {"exactly": fields})}
