"""Rules on the numbers of a share: HAMI001 to HAMI005."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.hami import keys as k
from gpuxlate.backends.hami.asks import asks, number
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import card_of, memory_unit_of
from gpuxlate.rules.base import Context, Rule, rule


@rule("HAMI001", Severity.ERROR)
def memory_is_said_once(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container asks for memory in MiB or in percent, not in both.

    ## What it does
    Reports `nvidia.com/gpumem-percentage` beside `nvidia.com/gpumem`.

    ## Why
    HAMi takes `gpumem` and leaves the percentage, against its documents, which forbid both. Volcano
    vGPU, with the same two keys, takes the percentage.

    ## Example
    ```yaml
    resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000, nvidia.com/gpumem-percentage: 50}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/device/nvidia/device.go (2026-08-21).
    """
    for ask in asks(pod):
        if ask.percent and number(ask.percent) and number(ask.memory):
            yield this.at(
                ask.percent,
                f"{k.PERCENT} stands beside {k.MEMORY}, and HAMi takes {k.MEMORY} alone",
                "keep one of them",
                on_key=True,
            )


@rule("HAMI002", Severity.ERROR)
def percentage_is_one(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Memory in percent is 1 to 100.

    ## What it does
    Reports `nvidia.com/gpumem-percentage` above 100 or below 0, and, as a warning, 0.

    ## Why
    HAMi's webhook refuses what is outside 0 to 100. 0 is as good as no key: all memory of the card.

    ## Example
    ```yaml
    resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem-percentage: 150}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem-percentage: 50}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/scheduler/webhook.go (2026-08-21).
    """
    for ask in asks(pod):
        percent = number(ask.percent)
        if ask.percent is None or percent is None:
            continue
        if percent == 0:
            message = f"{k.PERCENT} 0 is taken for no percentage: the container gets all of the memory"
            hint = "write 1 to 100, or leave the key out"
            yield this.at(ask.percent, message, hint, severity=Severity.WARNING)
        elif not 0 < percent <= k.FULL:
            message = f"{k.PERCENT} is {percent}: the webhook refuses what is outside 0 to 100"
            yield this.at(ask.percent, message, "write 1 to 100, percent of each card")


@rule("HAMI003", Severity.ERROR, fix="unsafe")
def compute_within_a_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`gpucores` is 0 to 100, the percent of each card.

    ## What it does
    Reports `nvidia.com/gpucores` above 100 or below 0.

    ## Why
    HAMi takes more than 100 for 100, which has each card to itself. Compute is counted on each card:
    two cards at 30 % each are `gpu: 2` and `gpucores: 30`, where other clouds write the total of 60.

    ## Example
    ```yaml
    resources: {limits: {nvidia.com/gpu: 2, nvidia.com/gpumem: 3000, nvidia.com/gpucores: 120}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {nvidia.com/gpu: 2, nvidia.com/gpumem: 3000, nvidia.com/gpucores: 60}}
    ```

    ## Fix
    Writes the part of each card where the number divides by the cards, else 100. Unsafe: a total may not
    be what was meant.

    ## Source
    Project-HAMi/HAMi, pkg/device/nvidia/device.go (2026-08-21).
    """
    for ask in asks(pod):
        cores = number(ask.cores)
        if ask.cores is None or cores is None or 0 <= cores <= k.FULL:
            continue
        if cores < 0:
            yield this.at(ask.cores, f"{k.CORES} is {cores}", "write 0 to 100, percent of each card")
            continue
        cards = number(ask.count) or 1
        each = cores // cards if cores % cards == 0 and cores // cards <= k.FULL else k.FULL
        yield this.at(
            ask.cores,
            f"{k.CORES} is {cores}, HAMi takes it for {k.FULL}: it counts percent of each card",
            f"write {each}",
            fix=Fix(f"write {each}", (Put(ask.cores.path, each),), safe=False),
        )


@rule("HAMI004", Severity.ERROR)
def memory_fits(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`gpumem` is a number that a card can have.

    ## What it does
    Reports negative `nvidia.com/gpumem` and what is no int32; with a profile, what is more than a
    card has. As a warning, 0. Where a profile says `memoryUnitMiB`, a share is rounded up to it.

    ## Why
    The number is an int32 of MiB on each card, times the `memoryFactor` of the cluster. 0 is as good as
    no key: all memory of the card. What no card has never schedules.

    ## Example
    ```yaml
    resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000000000}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/device/nvidia/device.go, charts/hami/values.yaml (2026-08-21).
    """
    card = card_of(context.profile, k.NAMES).memory_mib
    unit = memory_unit_of(context.profile, k.NAMES)
    for ask in asks(pod):
        memory = number(ask.memory)
        if ask.memory is None or memory is None:
            continue
        if memory == 0:
            message = f"{k.MEMORY} 0 is taken for no number: the container gets all of the memory"
            hint = "write the MiB of each card, or leave the key out"
            yield this.at(ask.memory, message, hint, severity=Severity.WARNING)
        elif memory < 0 or memory > k.MOST_MEMORY:
            message = f"{k.MEMORY} is {memory}, it must be 1 to {k.MOST_MEMORY}"
            yield this.at(ask.memory, message, "write the MiB of each card")
        elif card is not None and memory * unit > card:
            message = f"{memory * unit} MiB are asked of each card, a card of the profile has {card}"
            yield this.at(ask.memory, message, f"ask for at most {card // unit}; it counts each card")


@rule("HAMI005", Severity.ERROR)
def card_count_fits(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`nvidia.com/gpu` beside a share counts physical cards of one node, at least one.

    ## What it does
    Reports a count below 1 beside a share; with a profile, more cards than a node has.

    ## Why
    The count is of physical cards, not of shares: two parts of one card cannot be asked by one container.

    ## Example
    ```yaml
    resources: {limits: {nvidia.com/gpu: 4, nvidia.com/gpumem: 3000}}
    ```
    ```yaml profile
    target: hami
    cards: {perNode: 2}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {nvidia.com/gpu: 2, nvidia.com/gpumem: 6000}}
    ```

    ## Source
    Project-HAMi/HAMi, issues 444 and 620, "by design".
    """
    there = card_of(context.profile, k.NAMES).per_node
    for ask in asks(pod):
        count = number(ask.count)
        if ask.count is None or count is None:
            continue
        if count < 0 or (count == 0 and ask.partial):
            yield this.at(ask.count, f"{k.COUNT} is {count} beside a share", "write 1 or more cards")
        elif there is not None and count > there:
            message = f"{count} cards are asked, a node of the profile has {there}"
            yield this.at(
                ask.count, message, "the count is of physical cards: ask for fewer, and more of each"
            )
