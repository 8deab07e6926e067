"""Manifests for the tests of pairs: nothing of the pipeline that they are given to has a part in them."""

from collections.abc import Mapping, Sequence
from typing import Any

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PARTS = ("limits", "requests", "claims")
"""What a container has in ``resources``."""


def deployment(
    pod: Mapping[str, Any], *, terms: Sequence[Any] = (), replicas: int = 1, **spec: Any
) -> dict[str, Any]:
    """A Deployment around a pod in parts: ``containers`` and ``init``, by name, ``labels``, ``annotations``.

    ``terms`` are those of its node affinity, ``spec`` is the rest of its spec.
    """
    inner: dict[str, Any] = {"containers": [container(name, one) for name, one in pod["containers"].items()]}
    if pod.get("init"):
        inner["initContainers"] = [container(name, one) for name, one in pod["init"].items()]
    inner |= {name: value for name, value in spec.items() if value}
    if terms:
        required = {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": one} for one in terms]}}
        inner["affinity"] = {"nodeAffinity": required}
    metadata: dict[str, Any] = {"labels": {"app": "web", **pod.get("labels", {})}}
    if pod.get("annotations"):
        metadata["annotations"] = pod["annotations"]
    selected = {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": metadata, "spec": inner},
    }
    whole = {"replicas": replicas, **selected}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": whole}


def container(name: str, parts: Mapping[str, Any]) -> dict[str, Any]:
    """A container of ``limits``, ``requests``, ``claims`` and ``env``, as far as they are there."""
    made: dict[str, Any] = {"name": name, "image": "registry.example.com/app:1"}
    resources = {part: parts[part] for part in PARTS if parts.get(part)}
    if resources:
        made["resources"] = resources
    if parts.get("env"):
        made["env"] = [{"name": key, "value": value} for key, value in parts["env"].items()]
    return made
