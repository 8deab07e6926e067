"""Compute and memory of a container that shares one card or has whole ones."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.asked import asked, cards_text
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule("VKE003", Severity.ERROR)
def numbers_are_positive(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute is above zero and memory is not negative.

    ## What it does
    Reports `mgpu-core` or `reclaimed-mgpu-core` of zero or less, and a negative `mgpu-memory`.

    ## Why
    The vendor's webhook refuses the pod. A container that needs no GPU leaves the keys out.

    ## Example
    ```yaml
    resources:
      limits:
        vke.volcengine.com/mgpu-core: 0
        vke.volcengine.com/mgpu-memory: 4096
    ```

    ## Use instead
    ```yaml
    resources:
      limits:
        vke.volcengine.com/mgpu-core: 30
        vke.volcengine.com/mgpu-memory: 4096
    ```

    ## Source
    volcano-sh/volcano pull request 3030, `pkg/webhooks/admission/pods/validate` (2024-03).
    """
    for one in asked(pod):
        for name, low in ((k.CORE, 1), (k.RECLAIMED_CORE, 1), (k.MEMORY, 0)):
            value = one.container.resources.get(name)
            amount = quantity.whole(value.text) if value else None
            if value and amount is not None and amount < low:
                hint = f"write a number above 0, or leave the GPU keys of container {one.name} out"
                yield this.at(value, f"{name} is {amount}: it must be at least {low}", hint)


@rule("VKE011", Severity.ERROR)
def memory_comes_with_compute(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container that asks for mGPU memory asks for compute too.

    ## What it does
    Reports `mgpu-memory` in a container that has neither `mgpu-core` nor `reclaimed-mgpu-core`.

    ## Why
    The vendor's webhook refuses a share of memory alone: mGPU divides compute wherever it divides
    memory.

    ## Example
    ```yaml
    resources:
      limits:
        vke.volcengine.com/mgpu-memory: 4096
    ```

    ## Use instead
    ```yaml
    resources:
      limits:
        vke.volcengine.com/mgpu-core: 30
        vke.volcengine.com/mgpu-memory: 4096
    ```

    ## Source
    volcano-sh/volcano pull request 3030, `pkg/webhooks/admission/pods/validate` (2024-03).
    """
    for one in asked(pod):
        if one.memory and not one.core:
            yield this.at(
                one.memory,
                f"container {one.name} asks for mgpu-memory without mgpu-core",
                f"add {k.CORE}: the percent of a card that it may use, 1 to 99",
                on_key=True,
            )


@rule("VKE012", Severity.ERROR)
def part_of_a_card_has_enough_memory(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A part of one card comes with more than 256 MiB of memory.

    ## What it does
    Reports compute of 1 to 99 without `mgpu-memory`, or with less than 256 MiB. Exactly 256 MiB is
    a warning: the code takes it, one page says "greater than 256". Pods with the annotation
    `container-multiple-gpu` fall under VKE024.

    ## Why
    The vendor's webhook refuses the pod. A small number is often one in GiB: the unit is MiB.

    ## Example
    ```yaml
    resources:
      limits:
        vke.volcengine.com/mgpu-core: 30
        vke.volcengine.com/mgpu-memory: 4
    ```

    ## Use instead
    ```yaml
    resources:
      limits:
        vke.volcengine.com/mgpu-core: 30
        vke.volcengine.com/mgpu-memory: 4096
    ```

    ## Source
    volcano-sh/volcano pull request 3030 (2024-03): at least 256; docs 6461/1581673 (2025-06-04):
    greater than 256.
    """
    low = k.SINGLE_CARD_MIN_MIB
    for one in asked(pod):
        if one.multi or not one.core or not 0 < one.cores < k.FULL:
            continue
        if not one.memory:
            yield this.at(
                one.core,
                f"container {one.name} asks for {one.cores} % of a card without mgpu-memory",
                f"add {k.MEMORY} in MiB, more than {low}: 4 GiB is 4096",
                on_key=True,
            )
        elif one.mib is not None and 0 <= one.mib < low:
            yield this.at(
                one.memory,
                f"mgpu-memory is {one.mib} MiB, a part of a card has at least {low}",
                f"write {one.mib * 1024} for {one.mib} GiB, or a number above {low}"
                if 0 < one.mib <= 80
                else f"write a number above {low}, in MiB",
            )
        elif one.mib == low:
            yield this.at(
                one.memory,
                f"mgpu-memory is exactly {low} MiB: the vendor's page says greater than that",
                f"write {low + 1} or more",
                severity=Severity.WARNING,
            )


@rule("VKE013", Severity.ERROR)
def compute_above_one_card_is_whole_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute above 100 is a multiple of 100, where no annotation spreads it over several cards.

    ## What it does
    Reports compute of 101 to 199, 201 to 299 and so on in a pod without the annotation
    `container-multiple-gpu`.

    ## Why
    Without the annotation a container has a part of one card (1 to 99) or whole cards (100, 200).
    The vendor's webhook refuses anything between.

    ## Example
    ```yaml
    resources:
      limits:
        vke.volcengine.com/mgpu-core: 120
    ```

    ## Use instead
    ```yaml
    resources:
      limits:
        vke.volcengine.com/mgpu-core: 200
    ```

    ## Source
    volcano-sh/volcano pull request 3030, webhook and design document (2024-03).
    """
    for one in asked(pod):
        if one.multi or not one.core or one.cores <= k.FULL or one.cores % k.FULL == 0:
            continue
        cards = one.cores // k.FULL
        alone = ", without mgpu-memory" if one.memory else ""
        whole = f"{cards * k.FULL} or {(cards + 1) * k.FULL} for whole cards{alone}"
        hint = f"write {whole}; or 1 to 99 to share one"
        if one.cores % (cards + 1) == 0:
            each = f"{one.cores // (cards + 1)} % of each of {cards + 1} cards"
            hint += f"; for {each}, list them in the annotation {k.MULTIPLE_GPU}"
        yield this.at(
            one.core,
            f"{one.cores} is neither a part of one card (1 to 99) nor whole cards (100, 200, ...)",
            hint,
        )


@rule("VKE014", Severity.ERROR, fix="unsafe")
def whole_cards_have_no_memory_cap(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container with whole cards has no mgpu-memory.

    ## What it does
    Reports `mgpu-memory`, even 0, beside `mgpu-core` of 100, 200 and so on, in a pod without the
    annotation `container-multiple-gpu`.

    ## Why
    Whole cards come with all of their memory, and the vendor's webhook refuses a number for it.

    ## Example
    ```yaml
    resources:
      limits:
        vke.volcengine.com/mgpu-core: 100
        vke.volcengine.com/mgpu-memory: 4096
    ```

    ## Use instead
    ```yaml
    resources:
      limits:
        vke.volcengine.com/mgpu-core: 100
    ```

    ## Fix
    Unsafe: removes `mgpu-memory`, so that the container has the cards with all of their memory.

    ## Source
    volcano-sh/volcano pull request 3030, `pkg/webhooks/admission/pods/validate` (2024-03).
    """
    for one in asked(pod):
        online = k.CORE in one.container.resources  # whole cards of offline work: no document tells
        if not one.multi and online and one.whole_cards and one.memory:
            yield this.at(
                one.memory,
                f"mgpu-core {one.cores} is {cards_text(one.whole_cards)}: mgpu-memory must be left out",
                "remove mgpu-memory, or write mgpu-core 99 to share a card with a memory cap",
                on_key=True,
                fix=one.without_memory(),
            )


@rule("VKE021", Severity.ERROR, fix="unsafe")
def listed_whole_cards_have_no_memory_cap(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container that takes its listed cards whole has no mgpu-memory.

    ## What it does
    Reports `mgpu-memory` where `mgpu-core` is 100 times the container's number in
    `container-multiple-gpu`.

    ## Why
    That is all the compute of the cards: they are the container's own, with all of their memory, and
    the vendor's webhook refuses a number for it. Half of two cards (100 with "2") is no such case.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "2"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 200, vke.volcengine.com/mgpu-memory: 8192}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "2"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 200}}
    ```

    ## Fix
    Unsafe: removes `mgpu-memory`, so that the container has the cards with all of their memory.

    ## Source
    volcano-sh/volcano pull request 3030, webhook and design document (2024-03).
    """
    for one in asked(pod):
        if one.multi and one.whole_cards and one.memory:
            most = (k.FULL - 1) * one.whole_cards
            yield this.at(
                one.memory,
                f"mgpu-core {one.cores} is {cards_text(one.whole_cards)}: mgpu-memory must be left out",
                f"remove mgpu-memory, or write mgpu-core {most} at most to share the cards with a memory cap",
                on_key=True,
                fix=one.without_memory(),
            )
