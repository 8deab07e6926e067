"""Rules on claims beside keys of device plugins, and on settings of MPS: DRA007, DRA009, DRA010."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.dra.backend import HAMIS as HAMI
from gpuxlate.backends.dra.backend import NVIDIAS as NVIDIA
from gpuxlate.model.claims import TEMPLATE
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import DocumentKeys, PodKeys
from gpuxlate.rules.base import Context, Rule, Scope, rule
from gpuxlate.rules.claims import IN_ANOTHER_OBJECT
from gpuxlate.rules.vocabulary import WHOLE_CARD

MPS = "MPS"
PLUGIN = "hami"
"""The dialect of HAMi's device plugin."""


@rule("DRA007", Severity.WARNING, scope=Scope.DOCUMENT)
def mps_shares_one_claim(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """Settings of MPS are in a ResourceClaim that pods share.

    ## What it does
    Reports settings of MPS for NVIDIA's driver in a ResourceClaimTemplate.

    ## Why
    A template makes one claim for each pod, and each claim has a whole card: the percentages divide the
    card among the containers of one pod only. Pods share a card where they name one ResourceClaim.

    ## Example
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]
          config:
            - requests: [gpu]
              opaque:
                driver: gpu.nvidia.com
                parameters:
                  apiVersion: resource.nvidia.com/v1beta1
                  kind: GpuConfig
                  sharing: {strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: 30}}
    ```

    ## Use instead
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaim
    metadata: {name: web-gpu}
    spec:
      devices:
        requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]
        config:
          - requests: [gpu]
            opaque:
              driver: gpu.nvidia.com
              parameters:
                apiVersion: resource.nvidia.com/v1beta1
                kind: GpuConfig
                sharing: {strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: 30}}
    ```

    ## Source
    kubernetes-sigs/dra-driver-nvidia-gpu, demo/specs/quickstart/v1/gpu-test-mps.yaml and issue 423.
    """
    for claim in document.claims:
        for config in claim.devices.configs if claim.kind == TEMPLATE else ():
            parameters = config.parameters if isinstance(config.parameters, dict) else {}
            sharing = parameters.get("sharing")
            if (
                config.driver == NVIDIA.device_class
                and isinstance(sharing, dict)
                and sharing.get("strategy") == MPS
            ):
                path = (*config.path, "opaque", "parameters", "sharing", "strategy")
                message = say("each pod gets a whole card: a template makes a claim for each pod")
                yield this.at(path, message, "name one ResourceClaim in all pods that share the card")


@rule("DRA009", Severity.WARNING, no_policy=IN_ANOTHER_OBJECT)
def cards_are_requested_once(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container gets its cards by a claim or by the device plugin.

    ## What it does
    Reports `nvidia.com/gpu` in a container that has cards by a claim too.

    ## Why
    The container gets both: a card of the device plugin beside that of the claim.

    ## Example
    ```yaml
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec:
      containers: [{name: web, image: web, resources: {limits: {nvidia.com/gpu: 1}, claims: [{name: gpu}]}}]
      resourceClaims: [{name: gpu, resourceClaimTemplateName: web-gpu}]
    ---
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
    ```

    ## Use instead
    ```yaml
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
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
    Kubernetes, KEP-5004 "Handle extended resource requests via DRA" (2026-11).
    """
    classes = {*HAMI.classes, *NVIDIA.classes}
    for container in pod.all_containers():
        count = container.resources.get(WHOLE_CARD)
        asked = (way for *_, request in pod.requests_of(container) for way in request.ways())
        if count is not None and any(way.device_class and way.device_class.text in classes for way in asked):
            message = say("{key} beside a claim: the container gets cards twice", key=WHOLE_CARD)
            yield this.at(count, message, "remove it, or the claim", on_key=True)


@rule("DRA010", Severity.ERROR, no_policy=IN_ANOTHER_OBJECT)
def one_mode_of_the_driver(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod has shares by claims or by the keys of the device plugin.

    ## What it does
    Reports `nvidia.com/gpumem`, `gpumem-percentage` and `gpucores` in a pod with a claim for HAMi's driver.

    ## Why
    HAMi's device plugin and its DRA driver exclude each other in a cluster: one of the two has no effect.

    ## Example
    ```yaml
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpucores: 30}, claims: [{name: gpu}]}
      resourceClaims: [{name: gpu, resourceClaimTemplateName: web-gpu}]
    ---
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests: [{name: gpu, exactly: {deviceClassName: hami-core-gpu.project-hami.io}}]
    ```

    ## Use instead
    `gpuxlate translate` writes the keys as claims, and claims as keys.
    ```yaml
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec:
      containers: [{name: web, image: web, resources: {claims: [{name: gpu}]}}]
      resourceClaims: [{name: gpu, resourceClaimTemplateName: web-gpu}]
    ---
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests: [{name: gpu, exactly: {deviceClassName: hami-core-gpu.project-hami.io}}]
    ```

    ## Source
    Project-HAMi/HAMi-DRA, docs (2026-08): the modes must not coexist.
    """
    if not HAMI.is_asked_by(pod):
        return
    for container in pod.all_containers():
        for name, value in container.resources.items():
            if any(one.name == PLUGIN and one.owns(name) for one in context.dialects):
                message = say("{key} beside claims: a cluster has the device plugin or the driver", key=name)
                yield this.at(value, message, "remove it, or the claims", on_key=True)
