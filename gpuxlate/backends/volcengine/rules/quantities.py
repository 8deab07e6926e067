"""Compute and memory of a container that shares one card or has whole ones."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.numbers import number, outside
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.containers import MgpuContainer, cards_text, mgpu_containers
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule


@rule("VKE003", Severity.ERROR)
def numbers_are_positive(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute is above zero and memory is not negative.

    ## What it does
    Reports `mgpu-core` or `reclaimed-mgpu-core` of zero or less, and a negative `mgpu-memory`.

    ## Why
    The vendor's webhook rejects the pod. A container that needs no GPU omits the keys.

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
    for one in mgpu_containers(pod):
        for name, low in ((k.CORE, 1), (k.RECLAIMED_CORE, 1), (k.MEMORY, 0)):
            value = one.keys.resources.get(name)
            amount = number(value)
            if value and amount is not None and amount < low:
                hint = say(
                    "write a number above 0, or remove the GPU keys of container {name}", name=one.name
                )
                yield this.at(value, outside(name, amount, low), hint)


@rule("VKE011", Severity.ERROR, missing=True)
def memory_comes_with_compute(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container that requests mGPU memory requests compute too.

    ## What it does
    Reports `mgpu-memory` in a container that has neither `mgpu-core` nor `reclaimed-mgpu-core`.

    ## Why
    The vendor's webhook rejects a share of memory alone: mGPU divides compute wherever it divides
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
    for one in mgpu_containers(pod):
        if one.memory and not one.core:
            yield this.at(
                one.memory,
                say("container {container} sets mgpu-memory without mgpu-core", container=one.name),
                say("add {key}: percent of one card, 1 to 99", key=k.CORE),
                on_key=True,
            )


@rule("VKE012", Severity.ERROR)
def part_of_a_card_has_enough_memory(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A part of one card comes with more than 256 MiB of memory.

    ## What it does
    Reports compute of 1 to 99 without `mgpu-memory`, or with less than 256 MiB. Exactly 256 MiB is
    a warning: the code accepts it, one page says "greater than 256". VKE024 checks pods with the
    annotation `container-multiple-gpu`.

    ## Why
    The vendor's webhook rejects the pod. A small number is often one in GiB: the unit is MiB.

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
    for one in mgpu_containers(pod):
        if one.multi or not one.core or not 0 < one.cores < k.FULL:
            continue
        if not one.memory:
            yield this.at(
                one.core,
                say(
                    "container {container} requests {cores} % of a card without mgpu-memory",
                    container=one.name,
                    cores=one.cores,
                ),
                say("add {key} in MiB, more than {low}: 4 GiB is 4096", key=k.MEMORY, low=low),
                on_key=True,
                missing=True,
            )
        elif one.mib is not None and 0 <= one.mib < low:
            yield this.at(
                one.memory,
                say(
                    "mgpu-memory {mib} is below the minimum of {low} MiB for a part of a card",
                    mib=one.mib,
                    low=low,
                ),
                say(
                    "write {mib} for {gib} GiB, or a number above {low}",
                    mib=one.mib * 1024,
                    gib=one.mib,
                    low=low,
                )
                if 0 < one.mib <= 80
                else say("write a number above {low}, in MiB", low=low),
            )
        elif one.mib == low:
            yield this.at(
                one.memory,
                say("mgpu-memory is exactly {low} MiB; the vendor's page says more than {low}", low=low),
                say("write {value} or more", value=low + 1),
                severity=Severity.WARNING,
            )


@rule("VKE013", Severity.ERROR, missing=True)
def compute_above_one_card_is_whole_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute above 100 is a multiple of 100, unless an annotation spreads it over several cards.

    ## What it does
    Reports compute of 101 to 199, 201 to 299 and so on in a pod without the annotation
    `container-multiple-gpu`.

    ## Why
    Without the annotation a container has a part of one card (1 to 99) or whole cards (100, 200).
    The vendor's webhook rejects any other value.

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
    for one in mgpu_containers(pod):
        if one.multi or not one.core or one.cores <= k.FULL or one.cores % k.FULL == 0:
            continue
        low, cards = one.cores // k.FULL * k.FULL, one.cores // k.FULL + 1
        whole = say("write {low} or {high} for whole cards", low=low, high=cards * k.FULL)
        if one.memory:
            whole = say("{hint}, without mgpu-memory", hint=whole)
        hint = say("{hint}; or 1 to 99 to share one card", hint=whole)
        if one.cores % cards == 0:
            hint = say(
                "{hint}; for {each} % of each of {cards} cards, list the cards in the annotation {key}",
                hint=hint,
                each=one.cores // cards,
                cards=cards,
                key=k.MULTIPLE_GPU,
            )
        message = say(
            "mgpu-core {cores} is neither a part of one card (1 to 99) nor whole cards (100, 200, ...)",
            cores=one.cores,
        )
        yield this.at(one.core, message, hint)


@rule("VKE014", Severity.ERROR, fix="unsafe", missing=True)
def whole_cards_have_no_memory_cap(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container with whole cards has no mgpu-memory.

    ## What it does
    Reports `mgpu-memory`, even 0, beside `mgpu-core` of 100, 200 and so on, in a pod without the
    annotation `container-multiple-gpu`.

    ## Why
    Whole cards come with all of their memory, and the vendor's webhook rejects a number for it.

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
    for one in mgpu_containers(pod):
        online = k.CORE in one.keys.resources  # whole cards of offline work are not documented
        if not one.multi and online and one.whole_cards and one.memory:
            hint = "remove mgpu-memory, or write mgpu-core: 99 to share one card"
            yield _capped_whole_cards(this, one, one.memory, hint)


def _capped_whole_cards(this: Rule, one: MgpuContainer, memory: Value, hint: str) -> Diagnostic:
    message = say(
        "mgpu-memory is not allowed with {cards} (mgpu-core {cores})",
        cards=cards_text(one.whole_cards),
        cores=one.cores,
    )
    return this.at(memory, message, hint, on_key=True, fix=one.without_memory())


@rule("VKE021", Severity.ERROR, fix="unsafe")
def listed_whole_cards_have_no_memory_cap(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container that uses its listed cards whole has no mgpu-memory.

    ## What it does
    Reports `mgpu-memory` where `mgpu-core` is 100 times the container's number in
    `container-multiple-gpu`.

    ## Why
    That is all compute of the cards: the container has them alone, with all of their memory, and the
    vendor's webhook rejects a number for it. Half of two cards (100 with "2") is a shared part.

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
    for one in mgpu_containers(pod):
        if one.multi and one.whole_cards and one.memory:
            most = (k.FULL - 1) * one.whole_cards
            hint = say("remove mgpu-memory, or write mgpu-core: {most} or less to share the cards", most=most)
            yield _capped_whole_cards(this, one, one.memory, hint)
