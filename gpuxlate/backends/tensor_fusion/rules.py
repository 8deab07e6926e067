"""The rules on annotations of TensorFusion: TF001 to TF010."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.tensor_fusion import (
    AMOUNTS,
    CONTAINERS,
    COUNT,
    DEDICATED,
    ENABLED,
    INDICES,
    ISOLATION,
    MODEL,
    NAME,
    NOT_SOFT,
    PARTITION,
    PERCENT,
    PERCENT_LIMIT,
    PROFILE,
    SHARED,
    TFLOPS,
    TFLOPS_LIMIT,
    VENDOR,
    VENDORS,
    VRAM,
    VRAM_LIMIT,
    are_indices,
    containers_of,
    is_true,
    legal_count,
    parse_amount,
)
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule

OF_TEXTS = "it is about texts of annotations, which no policy computes with"


def _request_values(pod: PodKeys) -> list[Value]:
    """What asks for a share, or says how much."""
    return [pod.annotations[name] for name in (*AMOUNTS, COUNT) if name in pod.annotations]


@rule("TF001", Severity.ERROR, missing=True, no_policy="a webhook may add the label")
def pod_is_enabled(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with amounts of TensorFusion has the label `tensor-fusion.ai/enabled: "true"`.

    ## What it does
    Reports amounts and counts in annotations of a pod without the label `tensor-fusion.ai/enabled: "true"`.

    ## Why
    The webhook skips the pod: it gets no GPU.

    ## Source
    NexusGPU/tensor-fusion, internal/webhook/v1/pod_webhook.go and internal/utils/reconcile.go (2026-08-20).
    """
    label = pod.labels.get(ENABLED)
    values = _request_values(pod)
    if values and not is_true(label):
        message = msg("{key} has no effect without {count}", key=str(values[0].path[-1]), count=ENABLED)
        hint = msg('add the label {key}: "true" to the pod', key=ENABLED)
        yield this.diagnostic(label or values[0], message, hint, on_key=True)


@rule("TF002", Severity.ERROR, missing=True, no_policy=OF_TEXTS)
def container_is_named(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """In a pod of several containers, `tensor-fusion.ai/inject-container` names the one with the share.

    ## What it does
    Reports a share of a pod with several containers, none of which `tensor-fusion.ai/inject-container` names.

    ## Why
    The webhook refuses the pod, or skips it where no container has the name.

    ## Source
    NexusGPU/tensor-fusion, internal/webhook/v1/tf_parser.go and pod_webhook.go (2026-08-20).
    """
    values, names = _request_values(pod), {container.name for container in pod.containers}
    if values and pod.containers and names.isdisjoint(containers_of(pod)):
        message = msg("no container of the pod has the share: {key} names none", key=CONTAINERS)
        hint = msg("add {key} with the name of the container", key=CONTAINERS)
        yield this.diagnostic(pod.annotations.get(CONTAINERS) or values[0], message, hint)


@rule("TF003", Severity.ERROR, no_policy=OF_TEXTS)
def compute_has_one_unit(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute is in `tensor-fusion.ai/tflops-request` or in `tensor-fusion.ai/compute-percent-request`, not
    in both.

    ## What it does
    Reports percent of compute beside TFLOPs, of the request or of the limit.

    ## Why
    The webhook takes the TFLOPs; the scheduler finds both and takes neither.

    ## Source
    NexusGPU/tensor-fusion, internal/webhook/v1/tf_parser.go and internal/utils/config.go (2026-08-20).
    """
    for percent, tflops in ((PERCENT, TFLOPS), (PERCENT_LIMIT, TFLOPS_LIMIT)):
        if percent in pod.annotations and tflops in pod.annotations:
            message = msg("{key} and {other} are both set", key=percent, other=tflops)
            yield this.diagnostic(pod.annotations[percent], message, "keep one of them", on_key=True)


@rule("TF004", Severity.ERROR, no_policy=OF_TEXTS)
def amounts_are_numbers(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Amounts of TensorFusion are above 0, and `tensor-fusion.ai/gpu-count` is 1 to 128.

    ## What it does
    Reports other values, more than 100 percent of compute, and `gpu-indices` that are no different numbers.

    ## Why
    The webhook reads an amount that is no quantity as none, and refuses other counts and indices. A card that
    is named twice is one card. No card has more than all of its compute.

    ## Source
    NexusGPU/tensor-fusion, internal/webhook/v1/tf_parser.go, internal/utils/resource.go (2026-08-20).
    """
    for name in AMOUNTS:
        value = pod.annotations.get(name)
        number = parse_amount(value)
        if value is not None and number is None:
            message = msg("{key} is {value!r}; it must be an amount above 0", key=name, value=value.text)
            yield this.diagnostic(value, message, "write a quantity, as in 4Gi or 20")
        elif value is not None and number is not None and number > 100 and name in (PERCENT, PERCENT_LIMIT):
            message = msg(
                "{key} {amount} is above the maximum of {high}", key=name, amount=value.text, high=100
            )
            yield this.diagnostic(value, message, msg("write {known}", known=100))
    count = pod.annotations.get(COUNT)
    if count is not None and legal_count(count) is None:
        message = msg(
            "{key} is {value!r}; it must be a whole number from 1 to 128", key=COUNT, value=count.text
        )
        yield this.diagnostic(count, message, "write a count from 1 to 128")
    indices = pod.annotations.get(INDICES)
    if indices is not None and indices.text and not are_indices(indices.text):
        message = msg(
            "{key} is {value!r}; it must be a list of different whole numbers, from 0",
            key=INDICES,
            value=indices.text,
        )
        yield this.diagnostic(indices, message, "write numbers with commas, as in 0,1")


@rule("TF005", Severity.WARNING, no_policy=OF_TEXTS)
def whole_cards_have_no_amounts(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`tensor-fusion.ai/isolation: shared` and `tensor-fusion.ai/dedicated-gpu` have no amounts beside them.

    ## What it does
    Reports amounts beside `tensor-fusion.ai/isolation: shared` and `tensor-fusion.ai/dedicated-gpu`.

    ## Why
    The scheduler gives idle cards whole, whatever the amounts are. The comment in its API says of `shared`
    that each process gets an equal part of the card: the sources contradict each other.

    ## Source
    NexusGPU/tensor-fusion, internal/gpuallocator/gpuallocator.go; NexusGPU/tensor-fusion,
    api/v1/workloadprofile_types.go, which says otherwise (2026-08-20).
    """
    mode, dedicated = pod.annotations.get(ISOLATION), pod.annotations.get(DEDICATED)
    shared = mode if mode is not None and mode.text == SHARED else None
    whole = shared or (dedicated if is_true(dedicated) else None)
    for name in AMOUNTS if whole is not None else ():
        if whole is not None and name in pod.annotations:
            message = msg(
                "{key} has no effect: {other} gives whole cards", key=name, other=str(whole.path[-1])
            )
            yield this.diagnostic(pod.annotations[name], message, "remove one of the two", on_key=True)


@rule("TF006", Severity.ERROR, missing=True, no_policy=OF_TEXTS)
def share_is_asked_for(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with `tensor-fusion.ai/enabled: "true"` requests compute, memory, a partition or whole
    cards.

    ## What it does
    Reports `tensor-fusion.ai/enabled: "true"` without an amount, `isolation: shared`, a partition, a
    WorkloadProfile, or cards in limits, which beside `gpu-count` are not counted.

    ## Why
    The webhook refuses the pod.

    ## Source
    NexusGPU/tensor-fusion, internal/webhook/v1/pod_webhook.go (2026-08-20).
    """
    label, mode = pod.labels.get(ENABLED), pod.annotations.get(ISOLATION)
    if label is None or label.text != "true":
        return
    others = {PROFILE, PARTITION, *AMOUNTS} & pod.annotations.keys()
    limits = [] if COUNT in pod.annotations else pod.containers  # a count stands for cards in limits
    cards = any("/" in name for container in limits for name in container.resources)  # of any vendor
    shared = mode is not None and mode.text == SHARED
    if not (others or cards or shared or is_true(pod.annotations.get(DEDICATED))):
        message = msg("the pod requests no compute, no memory and no whole cards")
        yield this.diagnostic(label, message, msg("add {key}, as in 4Gi", key=VRAM))


@rule("TF008", Severity.ERROR, missing=True, no_policy=OF_TEXTS)
def dedicated_cards_have_a_model(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with `tensor-fusion.ai/dedicated-gpu: "true"` also sets `tensor-fusion.ai/gpu-model`.

    ## What it does
    Reports `tensor-fusion.ai/dedicated-gpu: "true"` without `tensor-fusion.ai/gpu-model`.

    ## Why
    The webhook looks up the capacity of the model, and refuses the pod without one.

    ## Source
    NexusGPU/tensor-fusion, internal/webhook/v1/tf_parser.go, handleDedicatedGPU (2026-08-20).
    """
    dedicated, model = pod.annotations.get(DEDICATED), pod.annotations.get(MODEL)
    if dedicated is not None and is_true(dedicated) and (model is None or not model.text):
        message = msg("{key} needs {other}", key=DEDICATED, other=MODEL)
        yield this.diagnostic(
            dedicated, message, msg("add {key} with the model of the cards", key=MODEL), on_key=True
        )


@rule("TF009", Severity.ERROR, missing=True, no_policy=OF_TEXTS)
def vendor_has_a_limiter(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """With `tensor-fusion.ai/isolation: soft`, `tensor-fusion.ai/vendor` is not AMD, Hygon or MetaX.

    ## What it does
    Reports `tensor-fusion.ai/vendor` of AMD, Hygon or MetaX with `isolation: soft`, which is the default.

    ## Why
    No limiter is shipped for these cards: the webhook refuses the pod.

    ## Source
    NexusGPU/tensor-fusion, pkg/constants/vendors.go, SupportsSoftIsolation (2026-08-20).
    """
    label, vendor, mode = pod.labels.get(ENABLED), pod.annotations.get(VENDOR), pod.annotations.get(ISOLATION)
    if label is None or label.text != "true" or vendor is None or (mode is not None and mode.text != "soft"):
        return
    name = vendor.text.strip().casefold()
    if any(name == vendor.casefold() and maker in NOT_SOFT for vendor, maker in VENDORS.items()):
        message = msg("{vendor} cards have no parts at {target}", vendor=vendor.text, target=NAME)
        yield this.diagnostic(vendor, message, "request whole cards")


LIMITS = {PERCENT: PERCENT_LIMIT, TFLOPS: TFLOPS_LIMIT, VRAM: VRAM_LIMIT}
"""What a pod is sure to have, and how far it may burst."""


@rule("TF010", Severity.WARNING, no_policy=OF_TEXTS)
def limit_covers_the_request(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`tensor-fusion.ai/tflops-limit`, `compute-percent-limit` and `vram-limit` are each at least the request
    of the same amount.

    ## What it does
    Reports `tflops-limit`, `compute-percent-limit` and `vram-limit` below the request of the same amount.

    ## Why
    The scheduler reserves the request, and the limiter stops the pod at the limit: it never gets what it asks
    for.

    ## Source
    NexusGPU/tensor-fusion, internal/webhook/v1/tf_parser.go (2026-08-20).
    """
    for name, limit in LIMITS.items():
        value = pod.annotations.get(limit)
        request, allowed = parse_amount(pod.annotations.get(name)), parse_amount(value)
        if value is not None and request and allowed and allowed < request:
            message = msg("{key} is {value}, below {other}", key=limit, value=value.text, other=name)
            hint = msg("write at least {value}", value=pod.annotations[name].text)
            yield this.diagnostic(value, message, hint)
