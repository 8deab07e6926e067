"""What a server fills into workloads is left out again; what somebody wrote stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from gpuxlate.cluster.clean import cleaned

from .test_live_clean import made

DEFAULTED = """
metadata:
  name: web
  managedFields:
  - {manager: kube-controller-manager, operation: Update, fieldsV1: {"f:status": {}}}
spec:
  replicas: 1
  progressDeadlineSeconds: 600
  revisionHistoryLimit: 10
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: web:1
        imagePullPolicy: IfNotPresent
        env: [{name: NODE, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: spec.nodeName}}}]
        ports: [{containerPort: 80, protocol: TCP}, {containerPort: 53, protocol: UDP}]
        readinessProbe:
          {httpGet: {port: 80, path: /, scheme: HTTP}, timeoutSeconds: 1, periodSeconds: 5,
           successThreshold: 1, failureThreshold: 3}
        resources: {}
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
      volumes: [{name: conf, configMap: {name: conf, defaultMode: 420}}]
"""
BARE = """
replicas: 1
selector: {matchLabels: {app: web}}
template:
  metadata: {labels: {app: web}}
  spec:
    containers:
    - name: main
      image: web:1
      env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
      ports: [{containerPort: 80}, {containerPort: 53, protocol: UDP}]
      readinessProbe: {httpGet: {port: 80}, periodSeconds: 5}
    volumes: [{name: conf, configMap: {name: conf}}]
"""


def defaulted(**metadata: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"apiVersion": "apps/v1", "kind": "Deployment", **yaml.safe_load(DEFAULTED)}
    found["metadata"] |= metadata
    return found


def test_the_defaults_of_the_server_go() -> None:
    assert cleaned(defaulted())["spec"] == yaml.safe_load(BARE)


APPLIED = {
    "f:spec": {
        "f:revisionHistoryLimit": {},
        "f:template": {
            "f:spec": {
                "f:dnsPolicy": {},
                "f:containers": {
                    'k:{"name":"main"}': {
                        "f:terminationMessagePolicy": {},
                        "f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': {"f:protocol": {}}},
                    },
                    'k:{"name":"other"}': {"f:imagePullPolicy": {}},
                },
            }
        },
    }
}
AS_TEXT = {
    "spec": {
        "revisionHistoryLimit": 10,
        "template": {
            "spec": {
                "dnsPolicy": "ClusterFirst",
                "containers": [
                    {"name": "other", "imagePullPolicy": "IfNotPresent"},
                    {
                        "name": "main",
                        "terminationMessagePolicy": "File",
                        "ports": [{"containerPort": 80, "protocol": "TCP"}],
                    },
                ],
            }
        },
    }
}
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@pytest.mark.parametrize(
    "metadata",
    [
        {"managedFields": [{"manager": "kubectl", "operation": "Apply", "fieldsV1": APPLIED}]},
        {"annotations": {LAST_APPLIED: json.dumps(AS_TEXT)}},
    ],
    ids=["by the server", "by kubectl"],
)
def test_a_default_that_somebody_applied_stays(metadata: dict[str, Any]) -> None:
    want = yaml.safe_load(BARE)
    want["revisionHistoryLimit"] = 10
    pod = want["template"]["spec"]
    pod["dnsPolicy"] = "ClusterFirst"
    pod["containers"][0]["terminationMessagePolicy"] = "File"
    pod["containers"][0]["ports"][0]["protocol"] = "TCP"
    assert cleaned(defaulted(**metadata))["spec"] == want


def test_an_update_owns_defaults_too() -> None:
    """The server notes the defaults of a create or an update as fields of who sent it."""
    update = [{"manager": "kubectl-create", "operation": "Update", "fieldsV1": APPLIED}]
    assert cleaned(defaulted(managedFields=update))["spec"] == yaml.safe_load(BARE)


@pytest.mark.parametrize(
    ("image", "policy", "goes"),
    [
        ("web", "Always", True),
        ("web:latest", "Always", True),
        ("registry:5000/web", "Always", True),
        ("web:1", "IfNotPresent", True),
        ("web@sha256:00", "IfNotPresent", True),
        ("web:1", "Always", False),
        ("web", "IfNotPresent", False),
        ("web:1", "Never", False),
    ],
)
def test_the_pull_policy_of_an_image(image: str, policy: str, goes: bool) -> None:
    spec = {"containers": [{"name": "main", "image": image, "imagePullPolicy": policy}]}
    [got] = cleaned(made("Pod", spec))["spec"]["containers"]
    assert ("imagePullPolicy" not in got) is goes


@pytest.mark.parametrize(
    ("kind", "spec", "want"),
    [
        (
            "StatefulSet",
            {"podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 3},
            {"revisionHistoryLimit": 3},
        ),
        ("StatefulSet", {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}}, {}),
        ("DaemonSet", {"updateStrategy": {"type": "OnDelete"}}, {"updateStrategy": {"type": "OnDelete"}}),
        ("Job", {"backoffLimit": 6, "suspend": False, "completions": 1}, {"completions": 1}),
        ("CronJob", {"concurrencyPolicy": "Allow", "suspend": True}, {"suspend": True}),
        ("PyTorchJob", {"suspend": False, "backoffLimit": 6}, {"suspend": False, "backoffLimit": 6}),
    ],
)
def test_the_defaults_of_a_kind(kind: str, spec: dict[str, Any], want: dict[str, Any]) -> None:
    assert cleaned(made(kind, {"replicas": 1, **spec}))["spec"] == {"replicas": 1, **want}


@pytest.mark.parametrize(
    "odd", [[], {}, "x", [1], [{"operation": "Apply", "fieldsV1": {"k:[": 1, "f:spec": 3}}]]
)
def test_odd_notes_of_ownership_are_no_trouble(odd: Any) -> None:
    got = cleaned(defaulted(managedFields=odd, annotations={LAST_APPLIED: "{["}))
    assert got["spec"] == yaml.safe_load(BARE)
