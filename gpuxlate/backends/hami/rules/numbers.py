"""Rules on the numbers of a share: HAMI001 to HAMI005."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.hami import keys as k
from gpuxlate.backends.numbers import (
    number,
    outside,
    put_number,
    too_large,
    too_many_cards,
    whole_numbers,
    written_name,
)
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import card_of, memory_unit_of
from gpuxlate.rules.base import Context, Rule, rule

PERCENT_HINT = "write 1 to 100, in percent of each card"


def not_capped(key: str) -> str:
    """Message of a zero, which HAMi reads like a missing key."""
    return say("{key} is 0, which HAMi ignores: the container gets all memory of the card", key=key)


@rule("HAMI001", Severity.ERROR)
def memory_is_said_once(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container requests memory in MiB or in percent, not in both.

    ## What it does
    Reports `nvidia.com/gpumem-percentage` in a container with `nvidia.com/gpumem`.

    ## Why
    HAMi uses `gpumem` and ignores the percentage; its documentation forbids both. Volcano vGPU uses
    the percentage.

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
    for container, value, percent in whole_numbers(pod, k.PERCENT):
        if percent and number(container.resources.get(k.MEMORY)):
            message = say("{key} and {other} are both set; HAMi uses {other}", key=k.PERCENT, other=k.MEMORY)
            yield this.at(value, message, "keep one of them", on_key=True)


@rule("HAMI002", Severity.ERROR)
def percentage_is_one(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Memory in percent is 1 to 100.

    ## What it does
    Reports `nvidia.com/gpumem-percentage` above 100 or below 0, and, as a warning, 0.

    ## Why
    HAMi's webhook refuses values outside 0 to 100. 0 means the same as no key: all memory of the card.

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
    for _, value, percent in whole_numbers(pod, k.PERCENT):
        if percent == 0:
            yield this.at(
                value, not_capped(written_name(value, k.PERCENT)), PERCENT_HINT, severity=Severity.WARNING
            )
        elif not 0 < percent <= k.FULL:
            yield this.at(value, outside(written_name(value, k.PERCENT), percent, 0, k.FULL), PERCENT_HINT)


@rule("HAMI003", Severity.ERROR, fix="unsafe")
def compute_within_a_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`gpucores` is 0 to 100, the percent of each card.

    ## What it does
    Reports `nvidia.com/gpucores` above 100 or below 0.

    ## Why
    HAMi reads more than 100 as 100, which makes each card exclusive. The key counts percent of each
    card: two cards at 30 % each are `gpu: 2` and `gpucores: 30`; other clouds write the total of 60.

    ## Example
    ```yaml
    resources: {limits: {nvidia.com/gpu: 2, nvidia.com/gpumem: 3000, nvidia.com/gpucores: 120}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {nvidia.com/gpu: 2, nvidia.com/gpumem: 3000, nvidia.com/gpucores: 60}}
    ```

    ## Fix
    Writes the part of each card where the number is a multiple of the cards, else 100. Unsafe: the
    number may not be a total.

    ## Source
    Project-HAMi/HAMi, pkg/device/nvidia/device.go (2026-08-21).
    """
    for container, value, cores in whole_numbers(pod, k.CORES):
        if cores < 0:
            yield this.at(
                value,
                outside(written_name(value, k.CORES), cores, 0),
                "write 0 to 100, in percent of each card",
            )
        elif cores > k.FULL:
            cards = number(container.resources.get(k.COUNT)) or 1
            each = cores // cards if cores % cards == 0 and cores // cards <= k.FULL else k.FULL
            hint = say("the key counts percent of each card: write {number}", number=each)
            fix = Fix(f"write {each}", put_number(container, k.CORES, each), safe=False)
            yield this.at(value, outside(written_name(value, k.CORES), cores, 0, k.FULL), hint, fix=fix)


@rule("HAMI004", Severity.ERROR)
def memory_fits(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`gpumem` is an amount that a card can have.

    ## What it does
    Reports `nvidia.com/gpumem` that is negative or not an int32; with a profile, more than a card
    has. As a warning, 0. Where a profile sets `memoryUnitMiB`, a share is rounded up to it.

    ## Why
    The number is an int32, in MiB of each card, times the `memoryFactor` of the cluster. 0 means the
    same as no key: all memory of the card. A pod with more than any card has stays Pending.

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
    for _, value, memory in whole_numbers(pod, k.MEMORY):
        if memory == 0:
            hint = "write the MiB of each card, or remove the key"
            yield this.at(value, not_capped(written_name(value, k.MEMORY)), hint, severity=Severity.WARNING)
        elif not 0 < memory <= k.MOST_MEMORY:
            yield this.at(
                value,
                outside(written_name(value, k.MEMORY), memory, 1, k.MOST_MEMORY),
                "write the MiB of each card",
            )
        elif card is not None and memory * unit > card:
            message, _ = too_large(memory * unit, card)
            yield this.at(value, message, say("write at most {most}", most=card // unit))


@rule("HAMI005", Severity.ERROR)
def card_count_fits(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`nvidia.com/gpu` of a share is a number of physical cards of one node, at least 1.

    ## What it does
    Reports a number below 1 in a container with a share; with a profile, more cards than a node has.

    ## Why
    The key counts physical cards, not shares: one container cannot get two parts of one card.

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
    for container, value, count in whole_numbers(pod, k.COUNT):
        shared = any(name in container.resources for name in k.SHARE_KEYS)
        if count < 0 or (count == 0 and shared):
            yield this.at(
                value,
                outside(written_name(value, k.COUNT), count, 1),
                "write the number of physical cards, at least 1",
            )
        elif there is not None and count > there:
            yield this.at(value, *too_many_cards(count, there))
