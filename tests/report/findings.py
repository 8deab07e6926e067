"""Findings and sources that the tests of all formats share."""

from typing import Any

from gpuxlate.model.diagnostics import Diagnostic, Fix, ObjectRef, Severity, Span
from gpuxlate.report.summary import Skipped, Summary
from gpuxlate.rules.base import Rule, Scope, rule
from gpuxlate.yamltext.source import Source, Texts

DEPLOY = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: web
        resources:
          limits:
            tke.cloud.tencent.com/qgpu-core: "33"
"""
LIMITS = ("spec", "template", "spec", "containers", 0, "resources", "limits")
QGPU_CORE = (*LIMITS, "tke.cloud.tencent.com/qgpu-core")


@rule("TKE002", Severity.ERROR, scope=Scope.SOURCE, fix="safe")
def cores_on_the_grid(this: Rule) -> None:
    """Compute is a multiple of 5.

    ## What it does
    Checks that `qgpu-core`
    is a multiple of 5.

    ## Example
    ```yaml
    resources: {limits: {tke.cloud.tencent.com/qgpu-core: "33"}}
    ```

    ## Source
    A document.
    """


def finding(**changes: Any) -> Diagnostic:
    """The usual finding, but for the fields given."""
    fields: dict[str, Any] = {
        "code": "TKE002",
        "severity": Severity.ERROR,
        "message": "qgpu-core is 33, which is no multiple of 5",
        "hint": "write 35",
        "path": QGPU_CORE,
        "fix": Fix("Round up to 35", (), safe=True),
        "file": "deploy.yaml",
        "document": 0,
        "object": ObjectRef("apps/v1", "Deployment", None, "web"),
        "span": Span(11, 46, 11, 50),
    }
    return Diagnostic(**(fields | changes))


SUMMARY = Summary(3, 4, 5, 2, 1, 0, 1, (Skipped("chart/templates/x.yaml", "Helm template"),))
RULES = {"TKE002": cores_on_the_grid}.get
LINES = Texts(Source("deploy.yaml", DEPLOY)).line
