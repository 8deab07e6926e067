"""Rules on the numbers of a share: VOLC001, VOLC004 to VOLC007."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.volcano_vgpu import keys as k
from gpuxlate.backends.volcano_vgpu.asks import asks, whole
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import card_of, memory_unit_of
from gpuxlate.rules.base import Context, Rule, rule


@rule("VOLC001", Severity.ERROR)
def memory_is_said_once(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container asks for memory in MiB or in percent, not in both.

    ## What it does
    Reports `volcano.sh/vgpu-memory` beside `volcano.sh/vgpu-memory-percentage`.

    ## Why
    Volcano takes the percentage and leaves the MiB. HAMi, with the same two keys, does the opposite.

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
    for ask in asks(pod):
        if ask.memory and ask.percent:
            yield this.at(
                ask.memory,
                f"{k.MEMORY} stands beside {k.PERCENT}, and Volcano takes the percentage alone",
                "keep one of them",
                on_key=True,
            )


@rule("VOLC004", Severity.ERROR, fix="unsafe")
def compute_within_a_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`vgpu-cores` is 0 to 100, the percent of each card.

    ## What it does
    Reports `volcano.sh/vgpu-cores` above 100 or below 0.

    ## Why
    No card has more than 100 %, so the pod stays Pending. Compute is counted on each card: two cards at
    30 % each are `vgpu-number: 2` and `vgpu-cores: 30`.

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
    Writes the part of each card where the number divides by the cards. Unsafe: it may not be a total.

    ## Source
    volcano-sh/volcano, pkg/scheduler/api/devices/nvidia/vgpu/utils.go (2026-08-20).
    """
    for ask in asks(pod):
        cores = whole(ask.cores)
        if ask.cores is None or cores is None or 0 <= cores <= k.FULL:
            continue
        cards = whole(ask.number) or 1
        fix, hint = None, "write 0 to 100, percent of each card"
        if cards > 1 and 0 < cores <= k.FULL * cards and cores % cards == 0:
            each = cores // cards
            hint = f"write {each} for {cores} on {cards} cards together"
            fix = Fix(f"write {each}", (Put(ask.cores.path, each),), safe=False)
        yield this.at(
            ask.cores, f"{k.CORES} is {cores}: no card has that, it counts each card", hint, fix=fix
        )


@rule("VOLC005", Severity.ERROR)
def percentage_is_one(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Memory in percent is 1 to 100.

    ## What it does
    Reports `volcano.sh/vgpu-memory-percentage` outside 1 to 100.

    ## Why
    It counts percent of each card, and 101 stands for "none given" in the scheduler's code.

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
    for ask in asks(pod):
        percent = whole(ask.percent)
        if ask.percent is not None and percent is not None and not 1 <= percent <= k.FULL:
            yield this.at(ask.percent, f"{k.PERCENT} is {percent}", "write 1 to 100, percent of each card")


@rule("VOLC006", Severity.ERROR)
def card_count_fits(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`vgpu-number` counts physical cards of one node, at least one.

    ## What it does
    Reports `volcano.sh/vgpu-number` below 1; with a profile, more cards than a node has.

    ## Why
    The number is of physical cards. Two on a node with one card wait for ever ("no enough gpu cards on
    node").

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
    for ask in asks(pod):
        count = whole(ask.number)
        if ask.number is None or count is None:
            continue
        if count < 1:
            yield this.at(ask.number, f"{k.NUMBER} is {count}", "write 1 or more cards")
        elif there is not None and count > there:
            message = f"{count} cards are asked, a node of the profile has {there}"
            yield this.at(
                ask.number, message, "the number is of physical cards: ask for fewer, and more of each"
            )


@rule("VOLC007", Severity.ERROR)
def memory_fits(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`vgpu-memory` is a number that a card can have.

    ## What it does
    Reports `volcano.sh/vgpu-memory` below 1; with a profile, more than a card has. Where a profile
    says `memoryUnitMiB`, a share is rounded up to it.

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
    for ask in asks(pod):
        memory = whole(ask.memory)
        if ask.memory is None or memory is None:
            continue
        if memory < 1:
            message = f"{k.MEMORY} is {memory}, the least is 1"
            yield this.at(ask.memory, message, "write the MiB of each card, or leave the key out")
        elif card is not None and memory * unit > card:
            message = f"{memory * unit} MiB are asked of each card, a card of the profile has {card}"
            yield this.at(ask.memory, message, f"ask for at most {card // unit}; it counts each card")
