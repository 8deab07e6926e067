"""Rules on documents with claims: DRA001, DRA011."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.model.claims import CLAIM, FLAT, GROUP, TEMPLATE, VERSIONS, Form
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import DocumentKeys
from gpuxlate.model.versions import at_least
from gpuxlate.rules.base import Context, Rule, Scope, Subject, rule

SERVED = {"v1": "v1.34.0", "v1beta2": "v1.33.0", "v1beta1": "v1.32.0"}
"""The first Kubernetes with each version of the API (kubernetes/api)."""
EXACTLY = "exactly"


@rule("DRA001", Severity.ERROR, about=Subject.CLAIM, scope=Scope.DOCUMENT)
def request_has_the_form_of_its_version(
    this: Rule, document: DocumentKeys, context: Context
) -> Iterator[Diagnostic]:
    """A request is written as its version of the API wants it.

    ## What it does
    Reports `deviceClassName` directly in a request of `resource.k8s.io/v1` or `v1beta2`, `exactly` and
    `firstAvailable` missing there, `exactly` in `v1beta1`, and a version that the Kubernetes of the profile
    has not.

    ## Why
    The API server refuses it. Manifests of `v1beta1` fail so where only their version was changed.

    ## Example
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests: [{name: gpu, deviceClassName: gpu.nvidia.com}]
    ```

    ## Use instead
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]
    ```

    ## Source
    kubernetes/api, resource/v1/types.go, v1beta2 and v1beta1 (2026-11).
    """
    for claim in document.claims:
        for request in claim.devices.requests:
            if claim.api == FLAT and request.form is Form.EXACTLY:
                message = say("{version} has no {field}", version=claim.api, field=EXACTLY)
                yield this.at(request.path, message, "write its fields directly in the request", on_key=True)
            elif claim.api in VERSIONS and claim.api != FLAT and request.form is Form.FLAT:
                message = say(
                    "request {name} has no {field}, which {version} needs",
                    name=request.name,
                    field=EXACTLY,
                    version=claim.api,
                )
                where = request.device_class or request.path
                hint = say("write {field}: {{deviceClassName: ...}}", field=EXACTLY)
                yield this.at(where, message, hint, on_key=True)
        first = SERVED.get(claim.api)
        cluster = context.profile.kubernetes_version if context.profile else None
        path = (*claim.place.path, "apiVersion")
        if first is None:
            message = say("{group} has no version {version}", group=GROUP, version=claim.api)
            yield this.at(path, message, say("versions: {versions}", versions=", ".join(VERSIONS)))
        elif cluster and at_least(cluster, first) is False:
            message = say(
                "Kubernetes {cluster} has no {group}/{version}",
                cluster=cluster,
                group=GROUP,
                version=claim.api,
            )
            older = next((name for name, since in SERVED.items() if at_least(cluster, since)), None)
            yield this.at(path, message, say("write {version}", version=older) if older else None)


@rule("DRA011", Severity.WARNING, about=Subject.CLAIM, scope=Scope.DOCUMENT)
def pods_have_claims_of_their_own(
    this: Rule, document: DocumentKeys, context: Context
) -> Iterator[Diagnostic]:
    """Each pod of a workload has claims of its own.

    ## What it does
    Reports `resourceClaimName` in the pods of a workload that makes more than one, or as many as there are
    nodes. Claims on devices of other drivers, such as networks, are not reported where they are in the input.

    ## Why
    All pods that name one ResourceClaim share its allocation: three replicas have one share together, on one
    node.

    ## Example
    ```yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      replicas: 3
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec:
          containers: [{name: web, image: web, resources: {claims: [{name: gpu}]}}]
          resourceClaims: [{name: gpu, resourceClaimName: web-gpu}]
    ```

    ## Use instead
    ```yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      replicas: 3
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec:
          containers: [{name: web, image: web, resources: {claims: [{name: gpu}]}}]
          resourceClaims: [{name: gpu, resourceClaimTemplateName: web-gpu}]
    ---
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
    ```

    ## Source
    Kubernetes, "Dynamic Resource Allocation", ResourceClaims and ResourceClaimTemplates (2026-11).
    """
    cards = {name for one in context.dialects for name in one.device_classes}
    for pod in document.pods:
        for claim in pod.claims if pod.path in document.several else ():
            other = claim.devices is not None and cards.isdisjoint(claim.devices.classes())
            if claim.claim is not None and not other:
                message = say(
                    "all replicas share the devices of {kind} {name}", kind=CLAIM, name=claim.claim.text
                )
                hint = say("name a {kind} in resourceClaimTemplateName", kind=TEMPLATE)
                yield this.at(claim.claim, message, hint)
