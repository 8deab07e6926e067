"""Compute and memory of a container that shares the cards of container-multiple-gpu."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.asked import annotation, cards_text, policy_of, sharing_several
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.quantity import round_up
from gpuxlate.model.share import Policy
from gpuxlate.rules.base import Context, Rule, rule


@rule("VKE022", Severity.ERROR)
def cards_give_equal_parts(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute and memory divide by the number of cards.

    ## What it does
    Reports `mgpu-core` or `mgpu-memory` that does not divide by the container's number in
    `container-multiple-gpu`.

    ## Why
    Both are totals of the container and every card gives an equal part, in whole percent and whole
    MiB. The vendor's webhook refuses the pod.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "2"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 31, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "2"
        vke.volcengine.com/mgpu-compute-policy: native-burst-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 32, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    volcano-sh/volcano pull request 3030 (2024-03); copy of docs 6460/182418 (2024-09).
    """
    for one, cards in sharing_several(pod):
        if one.core and 0 < one.cores <= k.FULL * cards and one.cores % cards:
            yield _unequal(this, one.core, "mgpu-core", one.cores, cards, low=cards)
        least = k.MULTI_CARD_MIN_MIB * cards
        if one.memory and one.mib is not None and one.mib >= least and one.mib % cards:
            yield _unequal(this, one.memory, "mgpu-memory", one.mib, cards, low=least)


def _unequal(this: Rule, value: Value, name: str, amount: int, cards: int, *, low: int) -> Diagnostic:
    above = round_up(amount, cards)
    near = " or ".join(str(one) for one in (above - cards, above) if one >= low)
    message = f"{name} {amount} does not divide by the {cards} cards that give an equal part each"
    return this.at(value, message, f"write {near}")


@rule("VKE023", Severity.ERROR)
def compute_fits_the_listed_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Each listed card gives at most 100 percent of its compute.

    ## What it does
    Reports `mgpu-core` above 100 times the container's number in `container-multiple-gpu`.

    ## Why
    `mgpu-core` is a total over the cards, and no card has more than 100. The vendor's webhook refuses
    the pod.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "2"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 202, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "4"
        vke.volcengine.com/mgpu-compute-policy: native-burst-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 240, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    volcano-sh/volcano pull request 3030, webhook and design document (2024-03).
    """
    for one, cards in sharing_several(pod):
        if one.core and one.cores > k.FULL * cards:
            needed = round_up(one.cores, k.FULL) // k.FULL
            yield this.at(
                one.core,
                f"mgpu-core {one.cores} is more than {cards_text(cards)} {'has' if cards == 1 else 'have'}"
                f" ({k.FULL * cards})",
                f"write less than {k.FULL * cards}, or list at least {needed} cards for container {one.name}",
            )


@rule("VKE024", Severity.ERROR)
def memory_on_each_listed_card_is_in_range(
    this: Rule, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A share of listed cards has 1024 to 81920 MiB on each.

    ## What it does
    Reports `mgpu-memory` that is missing or below 1024 MiB on each card of
    `container-multiple-gpu`, be it one card. Above 81920 MiB on each is a warning: newer components
    know larger cards.

    ## Why
    `mgpu-memory` is a total over the cards. The annotation brings a floor of its own, and the vendor's
    webhook refuses less.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "2"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 1024}}
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "2"
        vke.volcengine.com/mgpu-compute-policy: native-burst-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 2048}}
    ```

    ## Source
    Copy of docs 6460/182418 (2024-09); volcano-sh/volcano pull request 3030 (2024-03); docs
    6460/159262 on larger cards.
    """
    for one, cards in sharing_several(pod):
        low, high = k.MULTI_CARD_MIN_MIB * cards, k.MULTI_CARD_MAX_MIB * cards
        total = f"{low} MiB: {k.MULTI_CARD_MIN_MIB} on each of {cards} {'card' if cards == 1 else 'cards'}"
        if one.memory is None:
            if one.core and one.cores > 0:
                message = f"container {one.name} shares listed cards without mgpu-memory"
                yield this.at(one.core, message, f"add {k.MEMORY}, at least {total}", on_key=True)
        elif one.mib is not None and 0 <= one.mib < low:
            message = f"mgpu-memory {one.mib} is below {total}"
            yield this.at(one.memory, message, f"write {low} or more: the number is the total over the cards")
        elif one.mib is not None and one.mib > high:
            yield this.at(
                one.memory,
                f"mgpu-memory {one.mib} is more than the documented {k.MULTI_CARD_MAX_MIB} MiB on each card",
                f"write {high} at most, or check on the cluster: component v0.6.1 knows larger cards",
                severity=Severity.WARNING,
            )


@rule("VKE025", Severity.INFO)
def console_can_show_the_compute(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute above one card goes in steps of 10, as the console's form does.

    ## What it does
    Points out `mgpu-core` above 100 that is no multiple of 10, on several listed cards.

    ## Why
    The form takes compute in cards with one decimal above 1. The manifest is fine; editing it in the
    console is not possible without a change of the number.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "3"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 123, vke.volcengine.com/mgpu-memory: 6144}}
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "3"
        vke.volcengine.com/mgpu-compute-policy: native-burst-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 120, vke.volcengine.com/mgpu-memory: 6144}}
    ```

    ## Source
    Copy of docs 6460/182418, table and screenshot of the form (2024-09).
    """
    for one, cards in sharing_several(pod):
        fits = k.FULL < one.cores < k.FULL * cards
        if one.core and fits and one.cores % 10 and one.cores % cards == 0:
            above = round_up(one.cores, 10)
            message = f"the console's form cannot hold {one.cores / k.FULL:.2f} cards of compute"
            hint = f"nothing to do for a manifest; for the form, take {(above - 10) / 100} or {above / 100}"
            yield this.at(one.core, message, hint)


@rule("VKE026", Severity.WARNING)
def several_shared_cards_use_native_burst(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod that shares several cards has the policy native-burst-share.

    ## What it does
    Reports a pod in which a container shares more than one card under another policy, or under none,
    which means `fixed-share`.

    ## Why
    The vendor's scheduler code puts such a pod only on nodes with `native-burst-share`, and asks it of
    the pod too. Its console and an older page leave the choice open: try it on the cluster.

    ## Example
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "2"
        vke.volcengine.com/mgpu-compute-policy: fixed-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "2"
        vke.volcengine.com/mgpu-compute-policy: native-burst-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    volcano-sh/volcano pull request 3030 (2024-03); against it docs 6461/1581673 (2025-06-04) and a
    copy of docs 6460/182418 (2024-09).
    """
    native = k.POLICIES[Policy.BEST_EFFORT]
    said = policy_of(pod)
    if said == native or said not in k.POLICIES.values():
        return
    if not any(cards > 1 for _, cards in sharing_several(pod)):
        return
    where = annotation(pod, k.POLICY) or annotation(pod, k.MULTIPLE_GPU)
    if where:
        under = said if annotation(pod, k.POLICY) else f"no policy, which means {said}"
        message = f"several shared cards under {under}: the vendor's scheduler code wants {native}"
        yield this.at(
            where, message, f"write {k.POLICY}: {native} on pod and nodes, or try it on the cluster"
        )
