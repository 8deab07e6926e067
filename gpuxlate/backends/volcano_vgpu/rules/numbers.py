"""Rules on the numbers of a share: VOLC001, VOLC004 to VOLC007, VOLC009."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.numbers import (
    named_twice,
    number,
    outside,
    put_number,
    requesting,
    second_names,
    too_large,
    too_many_cards,
    whole_numbers,
    written_name,
)
from gpuxlate.backends.volcano_vgpu import keys as k
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import card_of, memory_unit_of
from gpuxlate.model.sheet import other_names
from gpuxlate.rules.base import Context, Rule, rule


@rule("VOLC001", Severity.ERROR)
def memory_is_said_once(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container requests memory in MiB or in percent, not in both.

    ## What it does
    Reports `volcano.sh/vgpu-memory` in a container with `volcano.sh/vgpu-memory-percentage`.

    ## Why
    Volcano uses the percentage and ignores the MiB. HAMi, with the same two keys, does the opposite.

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources:
            limits:
              volcano.sh/vgpu-number: 1
              volcano.sh/vgpu-memory: 4544
              volcano.sh/vgpu-memory-percentage: 50
    ```

    ## Use instead
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4544}}
    ```

    ## Source
    volcano-sh/volcano, pkg/scheduler/api/devices/util.go (2026-08-20); plugin issue 30.
    """
    for container in requesting(pod, k.MEMORY):
        if k.PERCENT in container.resources:
            message = say(
                "{key} and {other} are both set; Volcano uses {other}", key=k.MEMORY, other=k.PERCENT
            )
            yield this.at(container.resources[k.MEMORY], message, "keep one of them", on_key=True)


@rule("VOLC009", Severity.ERROR)
def resource_has_one_name(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container requests its cards under one name.

    ## What it does
    Reports `volcano.sh/vgpu` beside `volcano.sh/vgpu-number`.

    ## Why
    Both count cards: a cluster has one of the two names, which the configuration of the scheduler sets.

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu: 2, volcano.sh/vgpu-memory: 2000}}
    ```

    ## Use instead
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory: 2000}}
    ```

    ## Source
    volcano-sh/volcano, pkg/scheduler/api/devices/config, `resourceCountName` (2026-08-20).
    """
    for value, name, own in second_names(pod, other_names(k.KEYS)):
        yield this.at(value, *named_twice(name, own), on_key=True)


@rule("VOLC004", Severity.ERROR, fix="unsafe")
def compute_within_a_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`vgpu-cores` is 0 to 100, the percent of each card.

    ## What it does
    Reports `volcano.sh/vgpu-cores` above 100 or below 0.

    ## Why
    No card has more than 100 %, so the pod stays Pending. The key counts percent of each card: two
    cards at 30 % each are `vgpu-number: 2` and `vgpu-cores: 30`.

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources:
            limits: {volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory: 2000, volcano.sh/vgpu-cores: 120}
    ```

    ## Use instead
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources:
            limits: {volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory: 2000, volcano.sh/vgpu-cores: 60}
    ```

    ## Fix
    Writes the part of each card where the number is a multiple of the cards. Unsafe: it may not be a
    total.

    ## Source
    volcano-sh/volcano, pkg/scheduler/api/devices/nvidia/vgpu/utils.go (2026-08-20).
    """
    for container, value, cores in whole_numbers(pod, k.CORES):
        if 0 <= cores <= k.FULL:
            continue
        cards = number(container.resources.get(k.NUMBER)) or 1
        fix, hint = None, "write 0 to 100, in percent of each card"
        if cards > 1 and 0 < cores <= k.FULL * cards and cores % cards == 0:
            each = cores // cards
            hint = say("the key counts percent of each card: write {number}", number=each)
            fix = Fix(f"write {each}", put_number(container, k.CORES, each), safe=False)
        yield this.at(value, outside(written_name(value, k.CORES), cores, 0, k.FULL), hint, fix=fix)


@rule("VOLC005", Severity.ERROR)
def percentage_is_one(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Memory in percent is 1 to 100.

    ## What it does
    Reports `volcano.sh/vgpu-memory-percentage` outside 1 to 100.

    ## Why
    The key counts percent of each card; the scheduler uses 101 for "not set".

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory-percentage: 150}}
    ```

    ## Use instead
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory-percentage: 75}}
    ```

    ## Source
    volcano-sh/volcano, pkg/scheduler/api/devices/nvidia/vgpu/type.go (2026-08-20).
    """
    for _, value, percent in whole_numbers(pod, k.PERCENT):
        if not 1 <= percent <= k.FULL:
            message = outside(k.PERCENT, percent, 1, k.FULL)
            yield this.at(value, message, "write 1 to 100, in percent of each card")


@rule("VOLC006", Severity.ERROR)
def card_count_fits(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`vgpu-number` is a number of physical cards of one node, at least 1.

    ## What it does
    Reports `volcano.sh/vgpu-number` below 1; with a profile, more cards than a node has.

    ## Why
    The key counts physical cards. A pod with 2 stays Pending where nodes have one ("no enough gpu
    cards on node").

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory: 2000}}
    ```
    ```yaml profile
    target: volcano-vgpu
    cards: {perNode: 1}
    ```

    ## Use instead
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4000}}
    ```

    ## Source
    volcano-sh/volcano issue 2907; volcano-vgpu-device-plugin issue 7.
    """
    there = card_of(context.profile, k.NAMES).per_node
    for _, value, count in whole_numbers(pod, k.NUMBER):
        if count < 1:
            yield this.at(
                value,
                outside(written_name(value, k.NUMBER), count, 1),
                "write the number of physical cards, at least 1",
            )
        elif there is not None and count > there:
            yield this.at(value, *too_many_cards(count, there))


@rule("VOLC007", Severity.ERROR)
def memory_fits(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`vgpu-memory` is an amount that a card can have.

    ## What it does
    Reports `volcano.sh/vgpu-memory` below 1; with a profile, more than a card has. Where a profile
    sets `memoryUnitMiB`, a share is rounded up to it.

    ## Why
    The number counts MiB of each card, times the `gpuMemoryFactor` of the cluster: with a factor of 1024
    the same number is GiB.

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4096}}
    ```
    ```yaml profile
    target: volcano-vgpu
    cards: {memoryMiB: 15109}
    memoryUnitMiB: 1024
    ```

    ## Use instead
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4}}
    ```

    ## Source
    Project-HAMi/volcano-vgpu-device-plugin, doc/config.md, doc/design.md (2026-08-17).
    """
    card = card_of(context.profile, k.NAMES).memory_mib
    unit = memory_unit_of(context.profile, k.NAMES)
    for _, value, memory in whole_numbers(pod, k.MEMORY):
        if memory < 1:
            message = outside(k.MEMORY, memory, 1)
            yield this.at(value, message, "write the MiB of each card, or remove the key")
        elif card is not None and memory * unit > card:
            message, _ = too_large(memory * unit, card)
            yield this.at(value, message, say("write at most {most}", most=card // unit))
