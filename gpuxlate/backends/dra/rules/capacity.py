"""Rules on the names of what a request asks for, and on what only the driver decides: DRA017 to DRA019."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.dra.backend import HAMIS as HAMI
from gpuxlate.backends.dra.backend import NVIDIAS as NVIDIA
from gpuxlate.backends.dra.choices import profile_in
from gpuxlate.backends.dra.driver import not_known, unknown_capacity
from gpuxlate.backends.dra.profile import sharing_of
from gpuxlate.backends.dra.rules.amounts import requests
from gpuxlate.model.catalogue import unknown_partition
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import DocumentKeys
from gpuxlate.rules.base import Context, Rule, Scope, rule


@rule("DRA017", Severity.ERROR, scope=Scope.DOCUMENT)
def capacity_is_of_the_driver(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """The capacity that a request names is one of its driver.

    ## What it does
    Reports a name in `capacity.requests` that the devices of the driver do not have, a capacity with two
    names, and with a profile `shares` where `nvidiaConsumableShares` is not a number.

    ## Why
    No device satisfies the request, so the pod stays Pending. Names are short (`memory`) or have the name of
    the driver before them (`gpu.nvidia.com/memory`).

    ## Example
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests:
            - name: gpu
              exactly:
                deviceClassName: hami-core-gpu.project-hami.io
                capacity: {requests: {cores: "30", gpumem: 4Gi}}
    ```

    ## Use instead
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests:
            - name: gpu
              exactly:
                deviceClassName: hami-core-gpu.project-hami.io
                capacity: {requests: {cores: "30", memory: 4Gi}}
    ```

    ## Source
    Project-HAMi/k8s-dra-driver, the capacity of a device; kubernetes-sigs/dra-driver-nvidia-gpu,
    consumable_shares.go and mig.go; KEP-5075 (2026-11).
    """
    for _, _, way, driver in requests(document, HAMI, NVIDIA):
        for value, message, hint in unknown_capacity(driver, way, sharing_of(context.profile)):
            yield this.at(value, message, hint, on_key=True)


@rule("DRA018", Severity.WARNING, scope=Scope.DOCUMENT)
def sharing_of_the_driver_is_known(
    this: Rule, document: DocumentKeys, context: Context
) -> Iterator[Diagnostic]:
    """What a claim of NVIDIA's driver gets follows from `consumableShares`.

    ## What it does
    Reports `shares` without `dra` in a profile, and `memory` where it says `nvidiaConsumableShares:
    disabled`. A translation without `dra` in a profile reports, as an info, that a claim without `capacity`
    is taken for one of a whole card.

    ## Why
    `consumableShares` of the driver decides what a claim without `capacity` gets: the whole card where it is
    `disabled`, the default, or `memory`; nothing that is counted where it is `unlimited`; one of N clients of
    a card where it is a number N. `shares` is a number of these N clients. Where it is `disabled`, a claim
    for memory gets a whole card that has at least as much.

    ## Example
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests:
            - name: gpu
              exactly:
                deviceClassName: gpu.nvidia.com
                capacity: {requests: {shares: "2"}}
    ```

    ## Use instead
    The same with a profile of the cluster:
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests:
            - name: gpu
              exactly:
                deviceClassName: gpu.nvidia.com
                capacity: {requests: {shares: "2"}}
    ```
    ```yaml profile
    target: dra-nvidia
    dra: {nvidiaConsumableShares: 8}
    ```

    ## Source
    kubernetes-sigs/dra-driver-nvidia-gpu, consumable_shares.go and demo/specs/consumable-shares (2026-08).
    """
    for _, _, way, driver in requests(document, NVIDIA):
        doubt = not_known(driver, way, sharing_of(context.profile))
        if doubt is not None and doubt.value is not None:
            yield this.at(doubt.value, doubt.message, doubt.hint, on_key=True)


@rule("DRA019", Severity.ERROR, scope=Scope.DOCUMENT)
def partition_is_one_of_a_card(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """The profile of the partitions that a claim selects is one that a card has.

    ## What it does
    Reports a selector on `profile` of a request for `mig.nvidia.com` with a profile of MIG that no card of
    the catalogue has. A warning where a profile of the cluster names or adds a card without a list of its
    partitions.

    ## Why
    No device satisfies the request, so the pod stays Pending.

    ## Example
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests:
            - name: gpu
              exactly:
                deviceClassName: mig.nvidia.com
                selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].profile == "1g.11gb"'}}]
    ```

    ## Use instead
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests:
            - name: gpu
              exactly:
                deviceClassName: mig.nvidia.com
                selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].profile == "1g.10gb"'}}]
    ```

    ## Source
    NVIDIA/mig-parted, config-default.yaml; NVIDIA/go-nvlib, mig_profile.go (2026-08).
    """
    for _, _, way, driver in requests(document, NVIDIA):
        for value in way.selectors if way.asks(driver.partition_class) else ():
            profile = profile_in(driver, value)
            unknown = unknown_partition(profile, context.profile, mig=True) if profile else None
            if unknown is not None:
                yield this.at(value, unknown.message, unknown.hint, severity=unknown.severity)
