"""New templates of claims, as plain data in the version of the API that is wanted."""

from __future__ import annotations

from typing import Any

from gpuxlate.model.claims.objects import FLAT, GROUP, TEMPLATE, DeviceRequest, Devices, PodClaim
from gpuxlate.model.edits import below


def template_of(name: str, namespace: str | None, claim: PodClaim) -> dict[str, object]:
    """A ResourceClaimTemplate as plain data, for a claim that is to be written."""
    devices = claim.devices or Devices()
    asked: dict[str, object] = {"requests": [_written(one, claim.api) for one in devices.requests]}
    if devices.constraints:
        asked["constraints"] = [
            {"requests": [*one.requests], "distinctAttribute": one.distinct.text}
            for one in devices.constraints
            if one.distinct
        ]
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {
        "apiVersion": f"{GROUP}/{claim.api}",
        "kind": TEMPLATE,
        "metadata": metadata,
        **below(("spec", "spec", "devices"), asked),
    }


def patch_of(before: dict[str, Any], after: dict[str, Any]) -> dict[str, object] | None:
    """A template as a patch of what it was before, with whole lists; None where nothing changes."""
    old, new = (one["spec"]["spec"]["devices"] for one in (before, after))
    changed = {name: new.get(name) for name in (*new, *old) if old.get(name) != new.get(name)}
    return {**after, **below(("spec", "spec", "devices"), changed)} if changed else None


def _written(request: DeviceRequest, api: str) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, value in (("deviceClassName", request.device_class), ("count", request.count)):
        if value is not None:
            fields[name] = value.plain
    if request.selectors:
        fields["selectors"] = [{"cel": {"expression": one.text}} for one in request.selectors]
    if request.capacity:
        fields["capacity"] = {"requests": {name: one.text for name, one in request.capacity.items()}}
    return {"name": request.name, **(fields if api == FLAT else {"exactly": fields})}
