"""The rules of GPU sharing in GKE: clients of a card, partitions, the accelerators of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends import gke as k
from gpuxlate.backends.nvidia_device_plugin import MIG
from gpuxlate.backends.pod_reader import number
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg, suggest
from gpuxlate.model.pod import NodeRequirement, PodKeys, Value
from gpuxlate.model.profile import card_named, unknown_partition
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.key_index import closest_name
from gpuxlate.rules.number_format import is_placeholder

NO_POLICY = "the choice of nodes decides what a number means"


def _choice(pod: PodKeys, name: str) -> NodeRequirement | None:
    return next((requirement for requirement in pod.choices(name) if requirement.operator == "In"), None)


@rule("GKE001", Severity.ERROR, no_policy=NO_POLICY)
def one_client_is_requested(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`nvidia.com/gpu` is 1 in a pod that chooses nodes of GKE with shared cards.

    ## What it does
    Reports more than one `nvidia.com/gpu` in a pod that chooses nodes whose cards are shared.

    ## Why
    GKE refuses the pod: at most 1 nvidia.com/gpu can be requested on GPU nodes with sharing.

    ## Source
    Google Cloud, GPU sharing in GKE.
    """
    if _choice(pod, k.STRATEGY) is None and _choice(pod, k.CLIENTS) is None:
        return
    for container in pod.all_containers():
        value = container.resources.get(NVIDIA_GPU)
        count = number(value)
        if value is not None and count is not None and count != 1:
            message = msg("{key} is {count}: GKE accepts only 1 on shared cards", key=NVIDIA_GPU, count=count)
            yield this.diagnostic(
                value, message, "write 1, and fewer clients of a card where one is not enough"
            )


@rule("GKE002", Severity.ERROR, no_policy=NO_POLICY)
def clients_are_2_to_48(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`cloud.google.com/gke-max-shared-clients-per-gpu` is 2 to 48.

    ## What it does
    Reports a value of `cloud.google.com/gke-max-shared-clients-per-gpu` that is no such number.

    ## Why
    No node pool can have it: the pod stays Pending, and no node is created for it.

    ## Source
    Google Cloud, GPU sharing in GKE.
    """
    for requirement in pod.choices(k.CLIENTS):
        for text in requirement.values:
            number = quantity.parse_plain(text)
            if number is None or not k.LEAST <= number <= k.MOST:
                message = msg("{key} is {value!r}, not a number from 2 to 48", key=k.CLIENTS, value=text)
                yield this.diagnostic(
                    requirement, message, "write the number of clients that the node pool has"
                )


@rule("GKE003", Severity.ERROR, missing=True, no_policy=NO_POLICY)
def strategy_and_clients_go_together(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`cloud.google.com/gke-gpu-sharing-strategy` and `cloud.google.com/gke-max-shared-clients-per-gpu` are
    chosen together.

    ## What it does
    Reports one of `cloud.google.com/gke-gpu-sharing-strategy` and
    `cloud.google.com/gke-max-shared-clients-per-gpu` without the other, and an unknown strategy.

    ## Why
    Both are needed to create nodes; one alone leaves open how large the share is.

    ## Source
    Google Cloud, GPU sharing in GKE.
    """
    strategy, clients = _choice(pod, k.STRATEGY), _choice(pod, k.CLIENTS)
    if strategy is not None:
        for text in strategy.values:
            if text not in k.STRATEGIES:
                message = msg("{key} is {value!r}, which is not a strategy", key=k.STRATEGY, value=text)
                yield this.diagnostic(
                    strategy,
                    message,
                    msg("write one of {known}", known=", ".join(k.STRATEGIES)),
                    missing=False,
                )
    requirement, other = (strategy, k.CLIENTS) if clients is None else (clients, k.STRATEGY)
    if requirement is not None and (strategy is None or clients is None):
        message = msg("{key} is chosen without {other}", key=requirement.key, other=other)
        hint = msg("add {other} beside it", other=other)
        yield this.diagnostic(requirement, message, hint, on_key=True)


@rule("GKE004", Severity.ERROR, no_policy=NO_POLICY)
def partitions_are_counted_as_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with `cloud.google.com/gke-gpu-partition-size` requests its partitions as `nvidia.com/gpu`, of a
    size that the card has.

    ## What it does
    Reports `nvidia.com/mig-*` in a pod that chooses `cloud.google.com/gke-gpu-partition-size`, a size that
    is no MIG profile or that no card of the catalogue has, and one that the chosen accelerator does not have.

    ## Why
    GKE divides nodes with the strategy single: their resource is `nvidia.com/gpu`, and the pod stays Pending.

    ## Source
    Google Cloud, GPU sharing in GKE.
    """
    size = _choice(pod, k.SIZE)
    if size is None:
        return
    models = [text for text, _ in pod.allowed(k.MODEL)]
    card = card_named(k.accelerators().get(models[0], "")) if len(models) == 1 else None
    for text in size.values:
        if not k.SIZES.fullmatch(text):
            message = msg("{key} is {value!r}, which is not a MIG profile", key=k.SIZE, value=text)
            yield this.diagnostic(size, message, "write the profile of the node pool, as 1g.5gb")
        elif unknown := unknown_partition(text, context.profile, vendor="nvidia"):
            yield this.diagnostic(size, unknown.message, unknown.hint, severity=unknown.severity)
        elif card is not None and card.templates and not card.template(text):
            message = msg("{profile} is not a profile of {card}", profile=text, card=card.name)
            profiles = ", ".join(template.name for template in card.templates)
            yield this.diagnostic(size, message, msg("profiles of the card: {known}", known=profiles))
    for container in pod.all_containers():
        for name, value in container.resources.items():
            if name.startswith(MIG):
                message = msg(
                    "{key} beside {size}: GKE counts partitions with {gpu}",
                    key=name,
                    size=k.SIZE,
                    gpu=NVIDIA_GPU,
                )
                yield this.diagnostic(value, message, msg("write {gpu}", gpu=NVIDIA_GPU), on_key=True)


@rule("GKE005", Severity.WARNING, no_policy=NO_POLICY)
def accelerator_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`cloud.google.com/gke-accelerator` is an accelerator that GKE has.

    ## What it does
    Reports a value of `cloud.google.com/gke-accelerator` in a pod with shared or divided cards that is no
    known accelerator: a warning where a known one is near, else an info. A profile adds cards under
    `catalogue`.

    ## Why
    Where GKE has no such accelerator, no node is created, and the pod stays Pending. It may be a new one.

    ## Source
    Google Cloud, accelerators of GKE.
    """
    labels = k.accelerators(context.profile)
    for requirement in pod.choices(k.MODEL):
        for text in requirement.values:
            if (
                requirement.operator not in ("In", "NotIn")
                or text in labels
                or is_placeholder(Value.of(text))
            ):
                continue
            near = closest_name(text, sorted(labels))
            message = msg("{value!r} is not an accelerator of GKE that is known", value=text)
            hint = suggest(near) if near else msg("known: {names}", names=", ".join(sorted(labels)))
            yield this.diagnostic(requirement, message, hint, severity=None if near else Severity.INFO)
