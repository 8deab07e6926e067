"""An object of a server as a manifest that can be applied to another cluster.

What servers, controllers, admission and schedulers add is left out: where another cluster would refuse or
misread it, and the defaults of the server, which every server sets again (``defaults``).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.cluster.defaults import drop_defaults
from gpuxlate.cluster.server import Json
from gpuxlate.manifest.objects import LAST_APPLIED
from gpuxlate.model.declarations import regex
from gpuxlate.model.keys import Place
from gpuxlate.model.quantity import parse_integer
from gpuxlate.yamltext.plain import dump_yaml

_METADATA = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",  # without their controllers the object can never be deleted
    "generateName",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
)

_ANNOTATIONS = frozenset(
    {
        "batch.kubernetes.io/job-tracking",
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "deployment.kubernetes.io/revision",
        "deployment.kubernetes.io/revision-history",
        "deprecated.daemonset.template.generation",
        "k8s.v1.cni.cncf.io/network-status",
        LAST_APPLIED,
        "kubernetes.io/psp",
    }
)

_LABELS = frozenset(
    {
        "apps.kubernetes.io/pod-index",
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-completion-index",
        "batch.kubernetes.io/job-name",
        "controller-revision-hash",
        "pod-template-generation",
        "pod-template-hash",
        "statefulset.kubernetes.io/pod-name",
    }
)
"""Only controllers write them."""

_JOB_LABELS = frozenset({"controller-uid", "job-name"})
"""Jobs of older servers write them; on other objects they may be the user's."""

_POD = ("ephemeralContainers", "nodeName", "overhead", "priority")
"""Admission computes them again, and refuses what differs."""

_TOKENS = "/var/run/secrets/kubernetes.io/serviceaccount"

_TOKEN_VOLUME = regex(r"kube-api-access-[a-z0-9]{5}|.+-token-[a-z0-9]{5}")

_NOT_READY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")

_SERVICE = ("clusterIP", "clusterIPs", "healthCheckNodePort")

_CLAIM = ("volumeName",)


def clean_object(live: Json) -> Json:
    """A copy of a live object without what servers, controllers and schedulers added. ``apiVersion`` and
    ``kind`` are first, other fields keep their order."""
    result = {"apiVersion": live.get("apiVersion"), "kind": live.get("kind")}
    result.update(
        (key, copy.deepcopy(value)) for key, value in live.items() if key not in (*result, "status")
    )
    kind = result["kind"]
    spec = result.get("spec") if isinstance(result.get("spec"), dict) else None
    own_labels = _LABELS
    if _of_a_job(live) or (spec and kind == "Job" and not spec.get("manualSelector")):
        own_labels |= _JOB_LABELS
    _metadata(result, own_labels)
    if not spec:
        return result
    selector = spec.get("selector")
    if kind == "Pod":
        _pod(spec)
    elif kind == "Job" and not spec.get("manualSelector"):
        spec.pop("selector", None)
    elif kind == "Service" and spec.get("clusterIP") != "None":
        _drop(spec, _SERVICE)
    elif kind == "PersistentVolumeClaim":
        _drop(spec, _CLAIM)
    elif isinstance(selector, dict) and isinstance(selector.get("matchLabels"), dict):
        _drop(selector["matchLabels"], tuple(_LABELS))
    for claim in _mappings(spec.get("volumeClaimTemplates")):
        _drop(claim, ("status",))
        _metadata(claim, _LABELS)
    for template in _templates(spec):
        _metadata(template, own_labels)
        _pod(template["spec"])
    drop_defaults(result, live)
    return result


def _of_a_job(live: Json) -> bool:
    owners = (live.get("metadata") or {}).get("ownerReferences")
    return any(owner.get("kind") == "Job" for owner in _mappings(owners))


def as_yaml(live: Json) -> str:
    """A cleaned object as a YAML document."""
    return dump_yaml(clean_object(live))


def _templates(spec: Json) -> Iterator[Json]:
    """Every pod template below a spec, at any depth, also in custom kinds."""
    pending: list[Any] = [spec]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            inner = value.get("spec")
            if isinstance(inner, dict) and isinstance(inner.get("containers"), list):
                yield value
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)


def _metadata(owner: Json, labels: frozenset[str]) -> None:
    metadata = owner.get("metadata")
    if not isinstance(metadata, dict):
        return
    kept = {key: value for key, value in metadata.items() if key not in _METADATA}
    if "name" not in kept and "generateName" in metadata:
        kept["generateName"] = metadata["generateName"]
    for key, added in (("annotations", _ANNOTATIONS), ("labels", labels)):
        if isinstance(kept.get(key), dict):
            kept[key] = {n: v for n, v in kept[key].items() if n not in added and not _by_scheduler(n)}
            if not kept[key]:
                del kept[key]
    owner["metadata"] = kept


@lru_cache(maxsize=4096)
def _by_scheduler(name: str) -> bool:
    """Whether a vendor's scheduler writes the key when it places a pod."""
    rows = [row for row in (backend.find(name) for backend in registry.pod_backends()) if row]
    return bool(rows) and all(Place.WRITTEN_BY_SCHEDULER in row.places for row in rows)


def _pod(spec: Json) -> None:
    _drop(spec, _POD)
    if spec.get("preemptionPolicy") == "PreemptLowerPriority":  # the default of admission
        del spec["preemptionPolicy"]
    spec.pop("serviceAccount", None)  # the old field repeats the new one
    if spec.get("serviceAccountName") == "default":
        del spec["serviceAccountName"]
    tolerations = [
        toleration for toleration in _list(spec, "tolerations") if not _added_toleration(toleration)
    ]
    _set(spec, "tolerations", tolerations)
    containers = [*_mappings(spec.get("containers")), *_mappings(spec.get("initContainers"))]
    for container in containers:
        _plain_numbers(container.get("resources"))
    gone = {
        mount.get("name")
        for container in containers
        for mount in _mappings(container.get("volumeMounts"))
        if mount.get("mountPath") == _TOKENS and _TOKEN_VOLUME.fullmatch(str(mount.get("name")))
    }
    if not gone:
        return
    for container in containers:
        kept = [mount for mount in _list(container, "volumeMounts") if mount.get("name") not in gone]
        _set(container, "volumeMounts", kept)
    _set(spec, "volumes", [volume for volume in _list(spec, "volumes") if volume.get("name") not in gone])


def _plain_numbers(resources: Any) -> None:
    """The server prints 6000 of a resource as ``6k``: digits again, where nobody would write a suffix."""
    for values in (_mapping(resources, "limits"), _mapping(resources, "requests")):
        for name, text in values.items():
            if str(text).endswith("k") and registry.is_owned(name) and (number := parse_integer(str(text))):
                values[name] = str(number)


def _mapping(owner: Any, key: str) -> Json:
    value = owner.get(key) if isinstance(owner, dict) else None
    return value if isinstance(value, dict) else {}


def _added_toleration(toleration: Any) -> bool:
    return (
        isinstance(toleration, dict)
        and toleration.get("key") in _NOT_READY
        and toleration.get("effect") == "NoExecute"
        and toleration.get("tolerationSeconds") == 300
    )


def _drop(owner: Json, keys: tuple[str, ...]) -> None:
    for key in keys:
        owner.pop(key, None)


def _list(owner: Json, key: str) -> list[Any]:
    value = owner.get(key)
    return value if isinstance(value, list) else []


def _set(owner: Json, key: str, value: list[Any]) -> None:
    """Set a list; remove an empty one."""
    if value:
        owner[key] = value
    else:
        owner.pop(key, None)


def _mappings(value: Any) -> Iterator[Json]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))
