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
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import Amount, Asks, Condition
from gpuxlate.rules.predicates.predicate import Breach, Predicate

PERCENT_HINT = "write 1 to 100, in percent of each card"


def not_capped(key: str) -> str:
    """Message of a zero, which HAMi reads like a missing key."""
    return say("{key} is 0, which HAMi ignores: the container gets all memory of the card", key=key)


def is_set(name: str) -> Condition:
    """A number other than 0, which HAMi reads like a missing key."""
    return Amount(name) & ~Amount(name, Range(0, 0))


@rule(
    "HAMI001",
    Severity.ERROR,
    predicate=Predicate(~is_set(k.MEMORY), when=is_set(k.PERCENT), at=(k.PERCENT,)),
)
def memory_is_said_once(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
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
    message = say("{key} and {other} are both set; HAMi uses {other}", key=k.PERCENT, other=k.MEMORY)
    return this.at(breach.there, message, "keep one of them", on_key=True)


@rule(
    "HAMI002",
    Severity.ERROR,
    predicate=Predicate(Amount(k.PERCENT, Range(1, k.FULL)), when=Amount(k.PERCENT), at=(k.PERCENT,)),
)
def percentage_is_one(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
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
    value, percent = breach.there, breach.number
    name = written_name(value, k.PERCENT)
    if percent == 0:
        return this.at(value, not_capped(name), PERCENT_HINT, severity=Severity.WARNING)
    return this.at(value, outside(name, percent, 0, k.FULL), PERCENT_HINT)


@rule(
    "HAMI003",
    Severity.ERROR,
    fix="unsafe",
    predicate=Predicate(Amount(k.CORES, Range(0, k.FULL)), when=Amount(k.CORES), at=(k.CORES,)),
)
def compute_within_a_card(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
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
    container, value, cores = breach.inside, breach.there, breach.number
    message = outside(written_name(value, k.CORES), cores, 0, k.FULL)
    if cores < 0:
        return this.at(value, message, "write 0 to 100, in percent of each card")
    cards = number(container.resources.get(k.COUNT)) or 1
    each = cores // cards if cores % cards == 0 and cores // cards <= k.FULL else k.FULL
    hint = say("the key counts percent of each card: write {number}", number=each)
    fix = Fix(f"write {each}", put_number(container, k.CORES, each), safe=False)
    return this.at(value, message, hint, fix=fix)


def more_than_a_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Memory that no card of the profile has."""
    card = card_of(context.profile, k.NAMES).memory_mib
    unit = memory_unit_of(context.profile, k.NAMES)
    for _, value, memory in whole_numbers(pod, k.MEMORY):
        if card is not None and memory <= k.MOST_MEMORY and memory * unit > card:
            message, _ = too_large(memory * unit, card)
            yield this.at(value, message, say("write at most {most}", most=card // unit))


@rule(
    "HAMI004",
    Severity.ERROR,
    predicate=Predicate(Amount(k.MEMORY, Range(1, k.MOST_MEMORY)), when=Amount(k.MEMORY), at=(k.MEMORY,)),
    also=more_than_a_card,
)
def memory_fits(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
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
    value, memory = breach.there, breach.number
    name = written_name(value, k.MEMORY)
    if memory == 0:
        hint = "write the MiB of each card, or remove the key"
        return this.at(value, not_capped(name), hint, severity=Severity.WARNING)
    return this.at(value, outside(name, memory, 1, k.MOST_MEMORY), "write the MiB of each card")


def more_than_a_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """More cards than a node of the profile has."""
    there = card_of(context.profile, k.NAMES).per_node
    for _, value, count in whole_numbers(pod, k.COUNT):
        if there is not None and count > there:
            yield this.at(value, *too_many_cards(count, there))


@rule(
    "HAMI005",
    Severity.ERROR,
    predicate=Predicate(
        Amount(k.COUNT, Range(1)) | (Amount(k.COUNT, Range(0)) & ~Asks(*k.SHARE_KEYS)),
        when=Amount(k.COUNT),
        at=(k.COUNT,),
    ),
    also=more_than_a_node,
)
def card_count_fits(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
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
    message = outside(written_name(breach.there, k.COUNT), breach.number, 1)
    return this.at(breach.there, message, "write the number of physical cards, at least 1")
