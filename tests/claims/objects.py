"""Claims, their templates, and pods that name them, as texts."""

from typing import Any

from tests.tables import to_yaml

HAMI = "hami-core-gpu.project-hami.io"


def requested(driver: str = HAMI, name: str = "gpu", **fields: Any) -> dict[str, Any]:
    return {"name": name, "exactly": {"deviceClassName": driver, **fields}}


def capacity(**amounts: str) -> dict[str, Any]:
    return {"requests": amounts}


def claim(name: str, *requests: Any, kind: str = "ResourceClaimTemplate", **metadata: str) -> str:
    devices = {"devices": {"requests": list(requests)}}
    spec = {"spec": devices} if kind == "ResourceClaimTemplate" else devices
    head = {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name, **metadata}}
    return to_yaml({**head, "spec": spec})


def pod(name: str = "web", by: str = "resourceClaimTemplateName: t", **containers: Any) -> str:
    """``containers``: the requests that each uses; the name of an init container begins with ``init``."""
    lists: dict[str, list[Any]] = {}
    for container, requests in (containers or {"web": ""}).items():
        uses = [{"name": "gpu", "request": one} for one in requests] or [{"name": "gpu"}]
        kind = "initContainers" if container.startswith("init") else "containers"
        lists.setdefault(kind, []).append({"name": container, "image": "web", "resources": {"claims": uses}})
    field, _, named = by.partition(": ")
    spec = {**lists, "resourceClaims": [{"name": "gpu", field: named}]}
    return to_yaml({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
