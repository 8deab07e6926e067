"""Rules on what one request asks of each card: DRA002 to DRA006."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.dra.backend import HAMIS as HAMI
from gpuxlate.backends.dra.backend import NVIDIAS as NVIDIA
from gpuxlate.backends.dra.driver import CORES, MEMORY, Driver, amounts_of, wrong_amounts
from gpuxlate.backends.dra.profile import ON_BY_DEFAULT, counts_capacity, sharing_of
from gpuxlate.model import quantity
from gpuxlate.model.claims import ClaimObject, DeviceRequest
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import say
from gpuxlate.model.pod import DocumentKeys
from gpuxlate.model.share_problems import FULL_CARD_CORES
from gpuxlate.rules.base import Context, Rule, Scope, rule


def requests(
    document: DocumentKeys, *drivers: Driver
) -> Iterator[tuple[ClaimObject, DeviceRequest, DeviceRequest, Driver]]:
    """Each claim of a document, its requests for devices of drivers, and the ways to satisfy these."""
    for claim, request, way in ways(document):
        for driver in drivers:
            if any(map(way.asks, driver.read)):
                yield claim, request, way, driver


def ways(document: DocumentKeys) -> Iterator[tuple[ClaimObject, DeviceRequest, DeviceRequest]]:
    """Each claim of a document, its requests, and the ways to satisfy these."""
    for claim in document.claims:
        for request in claim.devices.requests:
            for way in request.ways():
                yield claim, request, way


@rule("DRA002", Severity.ERROR, scope=Scope.DOCUMENT)
def cluster_counts_capacity(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """The API server keeps the capacity that a claim requests.

    ## What it does
    With a profile of Kubernetes before 1.36, reports `capacity` in a request, unless the profile says
    `dra: {consumableCapacity: true}`.

    ## Why
    Without the feature gate DRAConsumableCapacity, which is off by default in 1.34 and 1.35, the API server
    removes `capacity` without a word: a claim for 4 GiB becomes a claim for a whole card.

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
                capacity: {requests: {cores: "30", memory: 4Gi}}
    ```
    ```yaml profile
    target: dra-hami
    kubernetesVersion: v1.35.2
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
    ```yaml profile
    target: dra-hami
    kubernetesVersion: v1.36.2
    ```

    ## Source
    Kubernetes, KEP-5075 "Consumable Capacity", section "Drop fields" (2026-11).
    """
    if counts_capacity(context.profile) is not False:
        return
    hint = say(
        "use Kubernetes {version} or later, or turn the gate {gate} on",
        version=ON_BY_DEFAULT,
        gate="DRAConsumableCapacity",
    )
    for _, _, way in ways(document):
        for name, value in way.capacity.items():
            message = say("the cluster drops capacity {name}: the claim gets a whole card", name=name)
            yield this.at(value, message, hint, on_key=True)


@rule("DRA003", Severity.WARNING, scope=Scope.DOCUMENT)
def share_leaves_room(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """A share of a card leaves compute and memory to others.

    ## What it does
    Reports a request to HAMi's driver with `memory` and without `cores`, or with `cores` below 100 and
    without `memory`.

    ## Why
    What is not given is all of the card: without `cores` the claim takes all of its compute, and without
    `memory` all of its memory. No other share fits on the card then.

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
                capacity: {requests: {memory: 4Gi}}
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
                capacity: {requests: {cores: "0", memory: 4Gi}}
    ```
    `cores: "0"` does not cap compute and takes none of it from others.

    ## Source
    Project-HAMi/k8s-dra-driver, the capacity of a device: defaults of cores and memory (2026-08).
    """
    for _, _, way, driver in requests(document, HAMI):
        cores, memory = driver.amount(way, CORES), driver.amount(way, MEMORY)
        if memory is not None and cores is None:
            message = say("memory without cores takes all compute of each card")
            yield this.at(
                memory, message, 'add cores: "0", which is not capped, or a percentage', on_key=True
            )
        elif cores is not None and memory is None and 0 < (quantity.whole(cores.text) or 0) < FULL_CARD_CORES:
            message = say("cores without memory takes all memory of each card")
            yield this.at(cores, message, "add memory, as in memory: 4096Mi", on_key=True)


@rule("DRA004", Severity.ERROR, scope=Scope.DOCUMENT, fix="unsafe")
def amounts_are_of_a_card(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute is a percentage of a card, and memory has a unit.

    ## What it does
    Reports `cores` that is not a whole number from 0 to 100, `memory` that is not a quantity or is below 1Mi,
    where a number without a suffix counts bytes, and `shares` below 1 or, with a profile, above the clients
    of a card.

    ## Why
    The driver takes these values only. `memory: 4096` is 4096 bytes, which is rounded up to 1Mi.

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
                capacity: {requests: {cores: "30", memory: "4096"}}
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
                capacity: {requests: {cores: "30", memory: 4096Mi}}
    ```

    ## Fix
    Unsafe: `Mi` behind a memory without a suffix, which is what was probably meant.

    ## Source
    Project-HAMi/k8s-dra-driver, the capacity of a device; KEP-5075, request policies (2026-11).
    """
    for _, _, way, driver in requests(document, HAMI, NVIDIA):
        for value, message, hint in wrong_amounts(driver, way, sharing_of(context.profile)):
            mib = f"{value.text}Mi"
            memory = value is driver.amount(way, MEMORY) and value.text.isdigit() and value.text != "0"
            fix = Fix(say("write {text}", text=mib), (Put(value.path, mib),), safe=False) if memory else None
            yield this.at(value, message, hint, fix=fix)


@rule("DRA005", Severity.WARNING, scope=Scope.DOCUMENT)
def cards_are_apart(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """Several shared cards are different cards.

    ## What it does
    Reports a request for a part of more than one card without a `distinctAttribute` constraint.

    ## Why
    A device that can be shared may be given to one claim more than once: `count: 2` can be two parts of one
    card.

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
                count: 2
                capacity: {requests: {cores: "30", memory: 4Gi}}
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
                count: 2
                capacity: {requests: {cores: "30", memory: 4Gi}}
          constraints:
            - requests: [gpu]
              distinctAttribute: hami-core-gpu.project-hami.io/uuid
    ```

    ## Source
    Kubernetes, KEP-5075 "Consumable Capacity" (2026-11).
    """
    for claim, request, way, driver in requests(document, HAMI, NVIDIA):
        apart = any(one.distinct and one.concerns(request.name) for one in claim.devices.constraints)
        count = quantity.whole(way.count.text) if way.count is not None else 1
        if way.count is not None and count and count > 1 and way.capacity and not apart:
            message = say("{count} parts may be on one card", count=count)
            name = driver.attribute("uuid")
            hint = say(
                "add constraints: [{{requests: [{request}], distinctAttribute: {name}}}]",
                request=request.name,
                name=name,
            )
            yield this.at(way.count, message, hint)


@rule("DRA006", Severity.WARNING, scope=Scope.DOCUMENT)
def parts_of_a_claim_are_equal(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """All shares of one claim are equal.

    ## What it does
    Reports a claim with requests for different parts of cards of HAMi's driver.

    ## Why
    The driver numbers the cards of a claim in no fixed order, and sets the limits of a container by these
    numbers: different parts may be swapped.

    ## Example
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu}
    spec:
      spec:
        devices:
          requests:
            - name: small
              exactly:
                deviceClassName: hami-core-gpu.project-hami.io
                capacity: {requests: {cores: "30", memory: 4Gi}}
            - name: large
              exactly:
                deviceClassName: hami-core-gpu.project-hami.io
                capacity: {requests: {cores: "60", memory: 8Gi}}
    ```

    ## Use instead
    A template for each container, each with one request:
    ```yaml
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: web-gpu-small}
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
    Project-HAMi/k8s-dra-driver, hami_core.go: the cards of a claim are a map (2026-08).
    """
    first: dict[int, object] = {}
    for claim, _, way, driver in requests(document, HAMI):
        mine = amounts_of(driver, way)
        if first.setdefault(id(claim), mine) != mine:
            message = say("claim {name} has different shares: the driver may swap them", name=claim.name)
            yield this.at(way.path, message, "write a claim for each share, or equal shares")
