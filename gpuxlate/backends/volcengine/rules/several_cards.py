"""Compute and memory of a container that shares the cards of container-multiple-gpu."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.containers import sharing_several
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.quantity import round_up
from gpuxlate.rules.base import Context, Rule, rule


@rule("VKE022", Severity.ERROR)
def cards_give_equal_parts(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute and memory are multiples of the number of cards.

    ## What it does
    Reports `mgpu-core` or `mgpu-memory` that is not a multiple of the container's number in
    `container-multiple-gpu`.

    ## Why
    Both are totals of the container and every card gives an equal part, in whole percent and whole
    MiB. The vendor's webhook rejects the pod.

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
    below = above - cards
    return this.at(
        value,
        say(
            "{key} {amount} is not a multiple of {cards}, the number of cards",
            key=name,
            amount=amount,
            cards=cards,
        ),
        say("write {low} or {high}", low=below, high=above)
        if below >= low
        else say("write {value}", value=above),
    )


@rule("VKE023", Severity.ERROR)
def compute_fits_the_listed_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute is at most 100 percent of each listed card.

    ## What it does
    Reports `mgpu-core` above 100 times the container's number in `container-multiple-gpu`.

    ## Why
    `mgpu-core` is a total over the cards, and a card has 100. The vendor's webhook rejects the pod.

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
            yield this.at(
                one.core,
                say(
                    "mgpu-core {cores} is above the maximum of {most} (100 per listed card)",
                    cores=one.cores,
                    most=k.FULL * cards,
                ),
                say(
                    "write less than {most}, or list at least {cards} cards for container {container}",
                    most=k.FULL * cards,
                    cards=round_up(one.cores, k.FULL) // k.FULL,
                    container=one.name,
                ),
            )


@rule("VKE024", Severity.ERROR)
def memory_on_each_listed_card_is_in_range(
    this: Rule, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A share of listed cards has 1024 to 81920 MiB per card.

    ## What it does
    Reports `mgpu-memory` that is missing or below 1024 MiB per card of `container-multiple-gpu`, even
    for one card. More than 81920 MiB per card is a warning: newer components support larger cards.

    ## Why
    `mgpu-memory` is a total over the cards. Pods with the annotation have a minimum of their own, and
    the vendor's webhook rejects less.

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
        least = say("{low} MiB", low=low)
        if cards > 1:
            least = say("{total} ({each} MiB per card)", total=least, each=k.MULTI_CARD_MIN_MIB)
        if one.memory is None:
            if one.core and one.cores > 0:
                yield this.at(
                    one.core,
                    say("container {container} shares listed cards without mgpu-memory", container=one.name),
                    say("add {key}: at least {low}", key=k.MEMORY, low=least),
                    on_key=True,
                    missing=True,
                )
        elif one.mib is not None and 0 <= one.mib < low:
            yield this.at(
                one.memory,
                say("mgpu-memory {mib} is below the minimum of {low}", mib=one.mib, low=least),
                say("write {low} or more: the value is the total over the cards", low=low),
            )
        elif one.mib is not None and one.mib > high:
            yield this.at(
                one.memory,
                say(
                    "mgpu-memory {mib} is above the documented maximum of {most} MiB per card",
                    mib=one.mib,
                    most=k.MULTI_CARD_MAX_MIB,
                ),
                say(
                    "write {most} or less, or check on the cluster: component v0.6.1 supports larger cards",
                    most=high,
                ),
                severity=Severity.WARNING,
            )


@rule("VKE025", Severity.INFO)
def console_can_show_the_compute(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute above one card is a multiple of 10, as in the console's form.

    ## What it does
    Reports `mgpu-core` above 100 that is not a multiple of 10, on several listed cards.

    ## Why
    Above one card the form accepts compute in cards with one decimal. The manifest is valid, but the
    console cannot edit it without changing the number.

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
            yield this.at(
                one.core,
                say(
                    "the console's form does not accept {cards} cards of compute",
                    cards=f"{one.cores / k.FULL:.2f}",
                ),
                say(
                    "no change is needed in a manifest; in the form, write {low} or {high}",
                    low=(above - 10) / k.FULL,
                    high=above / k.FULL,
                ),
            )
