"""The rules on claims: the amounts of a request on each card, the claims of one pod, and names of cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gpuxlate.backends.dra.capacity import amounts_of, undecided_amount, unknown_capacity, wrong_amounts
from gpuxlate.backends.dra.driver import (
    CORES,
    DRIVERS,
    GATE,
    MEMORY,
    Driver,
    counts_capacity,
    has_requests,
    on_by_default,
    sharing_of,
)
from gpuxlate.backends.dra.driver import HAMI_DRIVER as HAMI
from gpuxlate.backends.dra.driver import NVIDIA_DRIVER as NVIDIA
from gpuxlate.backends.dra.selectors import attributes_in, kind_of_devices
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Path, Put, Severity
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.limits import FULL_CARD_CORES, MAX_NAME
from gpuxlate.model.messages import Message, did_you_mean, msg
from gpuxlate.model.pod import ClaimObject, DeviceConfig, DeviceRequest, DocumentKeys, PodKeys
from gpuxlate.model.profile import unknown_partition
from gpuxlate.rules.base import Context, Rule, Scope, rule
from gpuxlate.rules.claims import IN_ANOTHER_OBJECT


def requests(
    document: DocumentKeys, *drivers: Driver
) -> Iterator[tuple[ClaimObject, DeviceRequest, DeviceRequest, Driver]]:
    """Each claim of a document, its requests for devices of drivers, and the ways to satisfy these."""
    for claim, request, way in ways_of_claims(document):
        for driver in drivers:
            if any(map(way.asks, driver.readable)):
                yield claim, request, way, driver


def ways_of_claims(document: DocumentKeys) -> Iterator[tuple[ClaimObject, DeviceRequest, DeviceRequest]]:
    """Each claim of a document, its requests, and the ways to satisfy these."""
    for claim in document.claims:
        for request in claim.devices.requests:
            for way in request.ways():
                yield claim, request, way


@rule("DRA002", Severity.ERROR, scope=Scope.DOCUMENT)
def cluster_counts_capacity(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """A claim requests `capacity` only from an API server that keeps it: Kubernetes 1.36 or later.

    ## What it does
    With a profile of Kubernetes before 1.36, reports `capacity` in a request, unless the profile says
    `dra: {consumableCapacity: true}`.

    ## Why
    Without the feature gate DRAConsumableCapacity, which is off by default in 1.34 and 1.35, the API server
    removes `capacity` without a word: a claim for 4 GiB becomes a claim for a whole card.

    ## Source
    kubernetes/enhancements, KEP-5075 "Consumable Capacity", section "Drop fields" (2026-11).
    """
    if counts_capacity(context.profile) is not False:
        return
    hint = msg(
        "use Kubernetes {version} or later, or turn the gate {gate} on",
        version=on_by_default(),
        gate=GATE,
    )
    for _, _, way in ways_of_claims(document):
        for name, value in way.capacity.items():
            message = msg("the cluster drops capacity {name}: the claim gets a whole card", name=name)
            yield this.diagnostic(value, message, hint, on_key=True)


@rule("DRA003", Severity.WARNING, scope=Scope.DOCUMENT)
def share_leaves_room(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """A request to HAMi's driver for a part of a card sets both `cores` and `memory`.

    ## What it does
    Reports a request to HAMi's driver with `memory` and without `cores`, or with `cores` below 100 and
    without `memory`.

    ## Why
    What is not given is all of the card: without `cores` the claim takes all of its compute, and without
    `memory` all of its memory. No other share fits on the card then.

    ## Source
    Project-HAMi/k8s-dra-driver, the capacity of a device: defaults of cores and memory (2026-08).
    """
    for _, _, way, driver in requests(document, HAMI):
        cores, memory = driver.amount(way, CORES), driver.amount(way, MEMORY)
        if memory is not None and cores is None:
            message = msg("memory without cores takes all compute of each card")
            yield this.diagnostic(
                memory, message, 'add cores: "0", which is not capped, or a percentage', on_key=True
            )
        elif (
            cores is not None
            and memory is None
            and 0 < (quantity.parse_integer(cores.text) or 0) < FULL_CARD_CORES
        ):
            message = msg("cores without memory takes all memory of each card")
            yield this.diagnostic(cores, message, "add memory, as in memory: 4096Mi", on_key=True)


@rule("DRA004", Severity.ERROR, scope=Scope.DOCUMENT, fix="unsafe")
def amounts_are_of_a_card(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """`cores` is a whole number from 0 to 100, `memory` an amount with a unit of at least 1Mi, and `shares`
    at least 1.

    ## What it does
    Reports `cores` that is not a whole number from 0 to 100, `memory` that is not a quantity or is below 1Mi,
    where a number without a suffix counts bytes, and `shares` below 1 or, with a profile, above the clients
    of a card.

    ## Why
    The driver takes these values only. `memory: 4096` is 4096 bytes, which is rounded up to 1Mi.

    ## Fix
    Unsafe: `Mi` behind a memory without a suffix, which is what was probably meant.

    ## Source
    Project-HAMi/k8s-dra-driver, the capacity of a device; kubernetes/enhancements, KEP-5075, request policies
    (2026-11).
    """
    for _, _, way, driver in requests(document, *DRIVERS):
        for value, message, hint in wrong_amounts(driver, way, sharing_of(context.profile)):
            mib = f"{value.text}Mi"
            memory = value is driver.amount(way, MEMORY) and value.text.isdigit() and value.text != "0"
            fix = Fix(msg("write {text}", text=mib), (Put(value.path, mib),), safe=False) if memory else None
            yield this.diagnostic(value, message, hint, fix=fix)


@rule("DRA005", Severity.WARNING, scope=Scope.DOCUMENT)
def cards_are_apart(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """A request for parts of several cards has a `distinctAttribute` constraint.

    ## What it does
    Reports a request for a part of more than one card without a `distinctAttribute` constraint.

    ## Why
    A device that can be shared may be given to one claim more than once: `count: 2` can be two parts of one
    card.

    ## Source
    kubernetes/enhancements, KEP-5075 "Consumable Capacity" (2026-11).
    """
    for claim, request, way, driver in requests(document, HAMI, NVIDIA):
        apart = any(
            constraint.distinct and constraint.concerns(request.name)
            for constraint in claim.devices.constraints
        )
        count = quantity.parse_integer(way.count.text) if way.count is not None else 1
        if way.count is not None and count and count > 1 and way.capacity and not apart:
            message = msg("{count} parts may be on one card", count=count)
            name = driver.attribute("uuid")
            hint = msg(
                "add constraints: [{{requests: [{request}], distinctAttribute: {name}}}]",
                request=request.name,
                name=name,
            )
            yield this.diagnostic(way.count, message, hint)


@rule("DRA006", Severity.WARNING, scope=Scope.DOCUMENT)
def parts_of_a_claim_are_equal(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """All requests of one claim to HAMi's driver have the same `cores` and `memory`.

    ## What it does
    Reports a claim with requests for different parts of cards of HAMi's driver.

    ## Why
    The driver numbers the cards of a claim in no fixed order, and sets the limits of a container by these
    numbers: different parts may be swapped.

    ## Source
    Project-HAMi/k8s-dra-driver, hami_core.go: the cards of a claim are a map (2026-08).
    """
    first: dict[int, object] = {}
    for claim, _, way, driver in requests(document, HAMI):
        amounts = amounts_of(driver, way)
        if first.setdefault(id(claim), amounts) != amounts:
            message = msg("claim {name} has different shares: the driver may swap them", name=claim.name)
            yield this.diagnostic(way.path, message, "write a claim for each share, or equal shares")


# Rules on the names of what a request asks for, and on what only the driver decides: DRA017 to DRA019.
@rule("DRA017", Severity.ERROR, scope=Scope.DOCUMENT)
def capacity_is_of_the_driver(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """The names in `capacity.requests` are those of capacities that the devices of the driver have.

    ## What it does
    Reports a name in `capacity.requests` that the devices of the driver do not have, a capacity with two
    names, and with a profile `shares` where `nvidiaConsumableShares` is not a number.

    ## Why
    No device satisfies the request, so the pod stays Pending. Names are short (`memory`) or have the name of
    the driver before them (`gpu.nvidia.com/memory`).

    ## Source
    Project-HAMi/k8s-dra-driver, the capacity of a device; kubernetes-sigs/dra-driver-nvidia-gpu,
    consumable_shares.go and mig.go; kubernetes/enhancements, KEP-5075 (2026-11).
    """
    for _, _, way, driver in requests(document, *DRIVERS):
        for value, message, hint in unknown_capacity(driver, way, sharing_of(context.profile)):
            yield this.diagnostic(value, message, hint, on_key=True)


@rule("DRA018", Severity.WARNING, scope=Scope.DOCUMENT)
def sharing_of_the_driver_is_known(
    this: Rule, document: DocumentKeys, context: Context
) -> Iterator[Diagnostic]:
    """`shares` and `memory` in a claim of NVIDIA's driver go with the `consumableShares` of the cluster.

    ## What it does
    Reports `shares` without `dra` in a profile, and `memory` where it says `nvidiaConsumableShares:
    disabled`. A translation without `dra` in a profile reports, as an info, that a claim without `capacity`
    is taken for one of a whole card.

    ## Why
    `consumableShares` of the driver decides what a claim without `capacity` gets: the whole card where it is
    `disabled`, the default, or `memory`; nothing that is counted where it is `unlimited`; one of N clients of
    a card where it is a number N. `shares` is a number of these N clients. Where it is `disabled`, a claim
    for memory gets a whole card that has at least as much.

    ## Source
    kubernetes-sigs/dra-driver-nvidia-gpu, consumable_shares.go and demo/specs/consumable-shares (2026-08).
    """
    for _, _, way, driver in requests(document, NVIDIA):
        doubt = undecided_amount(driver, way, sharing_of(context.profile))
        if doubt is not None and doubt.value is not None:
            yield this.diagnostic(doubt.value, doubt.message, doubt.hint, on_key=True)


@rule("DRA019", Severity.ERROR, scope=Scope.DOCUMENT)
def partition_is_one_of_a_card(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """The `profile`, or `partitionProfile`, that a claim selects is that of a partition which a card has.

    ## What it does
    Reports a selector on `profile` of a request for `mig.nvidia.com` with a profile of MIG that no card of
    the catalogue has, and one on `partitionProfile`, or on `computePartition` and `memoryPartition`, of a
    request for `gpu.amd.com` with a partition that no card of AMD there has. A warning where a profile of the
    cluster names or adds a card without a list of its partitions.

    ## Why
    No device satisfies the request, so the pod stays Pending.

    ## Source
    NVIDIA/mig-parted, config-default.yaml; NVIDIA/go-nvlib, mig_profile.go; ROCm/k8s-gpu-dra-driver,
    docs/device-plugin-to-dra-partitions.md (2026-08).
    """
    for _, _, way, driver in requests(document, *DRIVERS):
        kind = kind_of_devices(driver, way)
        if kind.profile is None:
            continue
        unknown = unknown_partition(kind.profile, context.profile, vendor=driver.vendor)
        if unknown is not None:
            where = way.selectors[max(kind.said_by)]
            yield this.diagnostic(where, unknown.message, unknown.hint, severity=unknown.severity)


@rule("DRA021", Severity.WARNING, scope=Scope.DOCUMENT)
def attributes_are_of_the_driver(
    this: Rule, document: DocumentKeys, context: Context
) -> Iterator[Diagnostic]:
    """The names in `device.attributes` and in constraints of a claim are those of its driver.

    ## What it does
    Reports an attribute in a selector or constraint of a claim that the devices of the driver do not have.

    ## Why
    A selector that names an attribute which a device does not have is an error for the scheduler, and a
    constraint on one is never met: the pod stays Pending. It is a warning, as another release of the driver
    may have the attribute.

    ## Source
    kubernetes-sigs/dra-driver-nvidia-gpu, deviceinfo.go and mig.go; ROCm/k8s-gpu-dra-driver,
    docs/driver-attributes.md; intel/intel-resource-drivers-for-kubernetes, node_state.go;
    Project-HAMi/k8s-dra-driver (2026-08).
    """
    for _, _, way, driver in requests(document, *DRIVERS):
        for value in way.selectors:
            for name in dict.fromkeys(attributes_in(driver, value)):
                if not driver.has_attribute(name):
                    yield this.diagnostic(value, *_unknown_attribute(driver, name))
    for claim in document.claims:
        for constraint in claim.devices.constraints:
            for value in filter(None, (constraint.match, constraint.distinct)):
                domain, _, name = value.text.rpartition("/")
                for driver in DRIVERS:
                    if driver.device_class == domain and not driver.has_attribute(name):
                        yield this.diagnostic(value, *_unknown_attribute(driver, name))


def _unknown_attribute(driver: Driver, name: str) -> tuple[Message, str]:
    message = msg("{driver} has no attribute {name}", driver=driver.device_class, name=name[:MAX_NAME])
    otherwise = msg("its attributes: {names}", names=", ".join(sorted(driver.attributes)))
    return message, did_you_mean(name, driver.attributes, otherwise)


# Rules on claims beside keys of device plugins, and on settings of MPS: DRA007, DRA009, DRA010.
MPS = "MPS"
PLUGIN = "hami"
"""The dialect of HAMi's device plugin."""


@rule("DRA007", Severity.WARNING, no_policy=IN_ANOTHER_OBJECT)
def mps_shares_one_claim(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Settings of MPS are in a `ResourceClaim` that containers share, not in a `ResourceClaimTemplate` of one
    container.

    ## What it does
    Reports settings of MPS for NVIDIA's driver in a ResourceClaimTemplate, where one container of the pod
    alone gets the card.

    ## Why
    A template makes one claim for each pod, and each claim has a whole card: the percentages divide the
    card among the containers of one pod only. Pods share a card where they name one ResourceClaim.

    ## Source
    kubernetes-sigs/dra-driver-nvidia-gpu, demo/specs/quickstart/v1/gpu-test-mps.yaml and issue 423.
    """
    users = Counter(
        (claim.name, request.name)
        for container in pod.all_containers()
        for _, claim, request in pod.requests_of(container)
    )
    for claim in pod.claims:
        if claim.template is None or claim.devices is None:
            continue
        named = {
            request
            for config in claim.devices.configs
            if _is_mps(config)
            for request in config.requests or ("",)
        }
        requests = (
            request.name for request in claim.devices.requests if not named.isdisjoint((request.name, ""))
        )
        if any(users[claim.name, request] == 1 for request in requests):
            message = msg("one container has the card: a template makes a claim for each pod")
            hint = "name one ResourceClaim in all pods that share the card"
            yield this.diagnostic(claim.template, message, hint, missing=True)


def _is_mps(config: DeviceConfig) -> bool:
    parameters = config.parameters if isinstance(config.parameters, dict) else {}
    sharing = parameters.get("sharing")
    is_mps = isinstance(sharing, dict) and sharing.get("strategy") == MPS
    return is_mps and config.driver == NVIDIA.device_class


@rule("DRA009", Severity.WARNING, no_policy=IN_ANOTHER_OBJECT)
def cards_are_requested_once(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container gets its cards by a claim or by `nvidia.com/gpu`, not by both.

    ## What it does
    Reports `nvidia.com/gpu` in a container that has cards by a claim too.

    ## Why
    The container gets both: a card of the device plugin beside that of the claim.

    ## Source
    kubernetes/enhancements, KEP-5004 "Handle extended resource requests via DRA" (2026-11).
    """
    classes = {*HAMI.classes, *NVIDIA.classes}
    for container in pod.all_containers():
        count = container.resources.get(NVIDIA_GPU)
        ways = (way for *_, request in pod.requests_of(container) for way in request.ways())
        if count is not None and any(way.device_class and way.device_class.text in classes for way in ways):
            message = msg("{key} beside a claim: the container gets cards twice", key=NVIDIA_GPU)
            yield this.diagnostic(count, message, "remove it, or the claim", on_key=True)


@rule("DRA010", Severity.ERROR, no_policy=IN_ANOTHER_OBJECT)
def one_mode_of_the_driver(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with a claim for HAMi's driver has no `nvidia.com/gpumem`, `nvidia.com/gpumem-percentage` or
    `nvidia.com/gpucores`.

    ## What it does
    Reports `nvidia.com/gpumem`, `gpumem-percentage` and `gpucores` in a pod with a claim for HAMi's driver.

    ## Why
    HAMi's device plugin and its DRA driver exclude each other in a cluster: one of the two has no effect.

    ## Source
    Project-HAMi/HAMi-DRA, docs: the modes must not coexist (2026-08).
    """
    if not has_requests(HAMI, pod):
        return
    for container in pod.all_containers():
        for name, value in container.resources.items():
            if any(dialect.name == PLUGIN and dialect.owns(name) for dialect in context.dialects):
                message = msg("{key} beside claims: a cluster has the device plugin or the driver", key=name)
                yield this.diagnostic(value, message, "remove it, or the claims", on_key=True)


@rule("DRA012", Severity.INFO, scope=Scope.TRANSLATION)
def names_are_whole(
    this: Rule, path: Path, key: str, unknown: Sequence[str], others: Sequence[str], target: str
) -> Diagnostic:
    """`nvidia.com/use-gputype` and `nvidia.com/nouse-gputype` are whole product names where they become a
    claim.

    ## What it does
    Reports `use-gputype` and `nouse-gputype` with text that is not a product name in the catalogue of cards,
    or that is a part of other product names too, in a translation to claims.

    ## Why
    HAMi's scheduler looks for the text anywhere in the name of a card, in any case: `A100` are all A100. A
    driver compares whole names, as `nvidia-smi` prints them: a claim for `A100` fits no card.

    ## Example
    `nvidia.com/use-gputype: A100` to `dra-hami`.

    ## Use instead
    `nvidia.com/use-gputype: NVIDIA A100-SXM4-80GB`, which is a whole name. Names that the catalogue does not
    have, a profile adds: `catalogue: [{name: A40, vendor: nvidia, productName: NVIDIA A40}]`. Where no name
    is certain, `--drop selector` leaves the choice out.

    ## Source
    Project-HAMi/HAMi-DRA, pkg/webhook/dra/mutating.go: names are compared exactly (2026-08).
    """
    if unknown:
        message = msg(
            "{key}: {names} is not a whole product name in the catalogue of cards, and {target} compares "
            "whole names",
            key=key,
            names=", ".join(unknown),
            target=target,
        )
        hint = msg(
            "write the names that nvidia-smi prints, such as {example}; a profile adds others "
            "(catalogue: productName)",
            example=", ".join(others) or "NVIDIA A100-SXM4-80GB",
        )
        return this.diagnostic(path, message, hint)
    message = msg(
        "{key} is about {names} too, and {target} compares whole names",
        key=key,
        names=", ".join(others),
        target=target,
    )
    return this.diagnostic(path, message, msg("write all of these names, or choose the cards by UUID"))
