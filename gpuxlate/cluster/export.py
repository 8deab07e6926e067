"""What a server fills into workloads where nothing was written, so that it can be left out again.

Field ownership (``managedFields``) does not tell it alone: of a create or an update the defaults belong to
who sent it, and what an admission webhook adds may belong to nobody. So only fields with the server's own
default are left out, which mean the same without them; those that somebody wrote stay: that a manager
applied (server-side apply), or that are in the last applied configuration of kubectl.

Source: Kubernetes, ``pkg/apis/{core,apps,batch}/v1/defaults.go``.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from gpuxlate.backends import registry
from gpuxlate.cluster.server import Json
from gpuxlate.manifest.objects import LAST_APPLIED
from gpuxlate.model.declarations import regex
from gpuxlate.model.keys import Place
from gpuxlate.model.quantity import whole
from gpuxlate.yamltext.plain import dump_yaml

Defaults = Mapping[str, Any]
"""By field its default; a Mapping for the fields of an object, or of every item of a list."""
_HANDLER: Defaults = {"httpGet": {"scheme": "HTTP", "path": "/"}, "grpc": {"service": ""}}
_PROBE: Defaults = {
    **_HANDLER, "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3,
}  # fmt: skip
_CONTAINER: Defaults = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "resources": {},
    "ports": {"protocol": "TCP"},
    "env": {"valueFrom": {"fieldRef": {"apiVersion": "v1"}}},
    "lifecycle": {"postStart": _HANDLER, "preStop": _HANDLER},
    "livenessProbe": _PROBE,
    "readinessProbe": _PROBE,
    "startupProbe": _PROBE,
}
_MODE: Defaults = {"defaultMode": 0o644}
_POD_DEFAULTS: Defaults = {
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "terminationGracePeriodSeconds": 30,
    "enableServiceLinks": True,
    "containers": _CONTAINER,
    "initContainers": _CONTAINER,
    "volumes": {
        "configMap": _MODE,
        "downwardAPI": _MODE,
        "projected": _MODE,
        "secret": _MODE,
        "hostPath": {"type": ""},
    },
}
_TEMPLATE: Defaults = {"template": {"spec": _POD_DEFAULTS}}
_JOB: Defaults = {
    **_TEMPLATE,
    "backoffLimit": 6,
    "completionMode": "NonIndexed",
    "podReplacementPolicy": "TerminatingOrFailed",
    "suspend": False,
}
_SPECS: Mapping[str, Defaults] = {
    "Pod": _POD_DEFAULTS,
    "ReplicationController": _TEMPLATE,
    "ReplicaSet": _TEMPLATE,
    "Deployment": {
        **_TEMPLATE,
        "progressDeadlineSeconds": 600,
        "revisionHistoryLimit": 10,
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
    },
    "StatefulSet": {
        **_TEMPLATE,
        "podManagementPolicy": "OrderedReady",
        "revisionHistoryLimit": 10,
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
        "volumeClaimTemplates": {"spec": {"volumeMode": "Filesystem"}},
    },
    "DaemonSet": {
        **_TEMPLATE,
        "revisionHistoryLimit": 10,
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
    },
    "Job": _JOB,
    "CronJob": {
        "jobTemplate": {"spec": _JOB},
        "concurrencyPolicy": "Allow",
        "failedJobsHistoryLimit": 1,
        "successfulJobsHistoryLimit": 3,
        "suspend": False,
    },
}
"""The defaults in the spec of each kind. Kinds of others have defaults of their own, so all of them stays."""
_WITH_A_LATER_TAG = "IfNotPresent"
_WITH_LATEST = "Always"


class WrittenFields(NamedTuple):
    """What somebody wrote at one place of an object: sets of fields (FieldsV1), and values."""

    fields: tuple[Json, ...] = ()
    values: tuple[Any, ...] = ()

    @classmethod
    def of(cls, live: Json) -> WrittenFields:
        """Of an object as the server gives it."""
        metadata = live.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        managers = metadata.get("managedFields")
        applied = [
            manager.get("fieldsV1")
            for manager in (managers if isinstance(managers, list) else ())
            if isinstance(manager, dict) and manager.get("operation") == "Apply"
        ]
        values: list[Any] = []
        annotations = metadata.get("annotations")
        with suppress(ValueError, RecursionError, TypeError, AttributeError):
            values.append(json.loads(annotations.get(LAST_APPLIED)))  # type: ignore[union-attr]
        return cls(tuple(entry for entry in applied if isinstance(entry, dict)), tuple(values))

    def field(self, name: str) -> WrittenFields:
        """What was written of a field; nothing, where it is not there."""
        return WrittenFields(
            _dicts(entry.get(f"f:{name}") for entry in self.fields),
            tuple(value[name] for value in self.values if isinstance(value, dict) and name in value),
        )

    def item(self, item: Json) -> WrittenFields:
        """What was written of an item of this list, which is known by the keys of its entry, or its name."""
        return WrittenFields(
            _dicts(fields for entry in self.fields for key, fields in entry.items() if _is_key_of(key, item)),
            tuple(
                entry
                for value in self.values
                for entry in (value if isinstance(value, list) else ())
                if isinstance(entry, dict)
                and all(item.get(key) == entry[key] for key in _KEYS if key in entry)
            ),
        )

    def __bool__(self) -> bool:
        return bool(self.fields or self.values)


_KEYS = ("name", "containerPort")
"""Fields that identify the items of lists in a pod."""


def _dicts(values: Iterable[Any]) -> tuple[Json, ...]:
    return tuple(value for value in values if isinstance(value, dict))


def _is_key_of(key: str, item: Json) -> bool:
    with suppress(ValueError, RecursionError):
        keys = json.loads(key[2:]) if key.startswith("k:") else None
        return isinstance(keys, dict) and all(item.get(name) == value for name, value in keys.items())
    return False


def drop_defaults(cleaned_object: Json, live: Json) -> None:
    """Remove from ``made``, a cleaned copy of ``found``, the defaults that nobody wrote."""
    spec, defaults = cleaned_object.get("spec"), _SPECS.get(str(cleaned_object.get("kind")))
    if isinstance(spec, dict) and defaults is not None:
        _drop_defaults(spec, defaults, WrittenFields.of(live).field("spec"))


def _drop_defaults(owner: Json, defaults: Defaults, written: WrittenFields) -> None:
    for name, default in defaults.items():
        if name not in owner:
            continue
        value, here = owner[name], written.field(name)
        if not isinstance(default, Mapping):
            if value == default and type(value) is type(default) and not here:
                del owner[name]
            continue
        if isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    _drop_defaults(item, default, here.item(item))
                    if default is _CONTAINER:
                        _drop_pull_policy(item, here.item(item))
        elif isinstance(value, dict):
            _drop_defaults(value, default, here)
            if not value and not here and name not in _MEANT_EMPTY:
                del owner[name]


_MEANT_EMPTY = frozenset({"configMap", "downwardAPI", "projected", "secret", "hostPath", "httpGet", "grpc"})
"""Objects that say which kind of thing it is, also when they are empty."""


def _drop_pull_policy(container: Json, written: WrittenFields) -> None:
    """The default depends on the tag: with ``latest`` or none every start pulls the image."""
    image, policy = container.get("image"), container.get("imagePullPolicy")
    if not isinstance(image, str) or not image or written.field("imagePullPolicy"):
        return
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    default = _WITH_LATEST if tag == "latest" or not (tag or digest) else _WITH_A_LATER_TAG
    if policy == default:
        del container["imagePullPolicy"]


# An object of a server as a manifest that can be applied to another cluster.
# What servers, controllers, admission and schedulers add is left out: where another cluster would refuse or
# misread it, and the defaults of the server, which every server sets again (``defaults``).
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


def cleaned(live: Json) -> Json:
    """A copy without what was added. ``apiVersion`` and ``kind`` are first, other fields keep their order."""
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
    return dump_yaml(cleaned(live))


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
    """A vendor's scheduler writes it when it places the pod."""
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
            if str(text).endswith("k") and registry.is_owned(name) and (number := whole(str(text))):
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
