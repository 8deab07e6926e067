"""What a server fills into workloads where nothing was written, so that it can be left out again.

Field ownership (``managedFields``) does not tell it alone: of a create or an update the defaults belong to
who sent it, and what an admission webhook adds may belong to nobody. So only fields with the server's own
default are left out, which mean the same without them; those that somebody wrote stay: that a manager
applied (server-side apply), or that are in the last applied configuration of kubectl.

Source: Kubernetes, ``pkg/apis/{core,apps,batch}/v1/defaults.go``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from gpuxlate.cluster.server import Json
from gpuxlate.manifest.objects import LAST_APPLIED
from gpuxlate.model.pod import DEFAULT_SCHEDULER

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
    "schedulerName": DEFAULT_SCHEDULER,
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
    """What users wrote at one path of a live object: the entries of ``managedFields`` (FieldsV1) of managers
    that applied it, and the values in the last applied configuration of kubectl."""

    fields: tuple[Json, ...] = ()
    values: tuple[Any, ...] = ()

    @classmethod
    def of(cls, live: Json) -> WrittenFields:
        """The written fields of an object as the server returns it."""
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
        """What was written of a field; empty where nothing was."""
        return WrittenFields(
            _dicts(entry.get(f"f:{name}") for entry in self.fields),
            tuple(value[name] for value in self.values if isinstance(value, dict) and name in value),
        )

    def item(self, item: Json) -> WrittenFields:
        """What was written of an item of this list, which is found by the keys of its entry, or by _KEYS."""
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
    """Remove the defaults that nobody wrote from ``cleaned_object``, the cleaned copy of ``live``."""
    spec, defaults = cleaned_object.get("spec"), _SPECS.get(str(cleaned_object.get("kind")))
    if isinstance(spec, dict) and defaults is not None:
        _drop_defaults(spec, defaults, WrittenFields.of(live).field("spec"))


def _drop_defaults(owner: Json, defaults: Defaults, written: WrittenFields) -> None:
    for name, default in defaults.items():
        if name not in owner:
            continue
        value, written_field = owner[name], written.field(name)
        if not isinstance(default, Mapping):
            if value == default and type(value) is type(default) and not written_field:
                del owner[name]
            continue
        if isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    _drop_defaults(item, default, written_field.item(item))
                    if default is _CONTAINER:
                        _drop_pull_policy(item, written_field.item(item))
        elif isinstance(value, dict):
            _drop_defaults(value, default, written_field)
            if not value and not written_field and name not in _MEANT_EMPTY:
                del owner[name]


_MEANT_EMPTY = frozenset({"configMap", "downwardAPI", "projected", "secret", "hostPath", "httpGet", "grpc"})
"""Objects that say which kind of thing it is, also when they are empty."""


def _drop_pull_policy(container: Json, written: WrittenFields) -> None:
    """Remove the default pull policy, which depends on the tag: with ``latest`` or none every start pulls."""
    image, policy = container.get("image"), container.get("imagePullPolicy")
    if not isinstance(image, str) or not image or written.field("imagePullPolicy"):
        return
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    default = _WITH_LATEST if tag == "latest" or not (tag or digest) else _WITH_A_LATER_TAG
    if policy == default:
        del container["imagePullPolicy"]
