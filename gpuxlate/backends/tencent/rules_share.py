"""Rules on the numbers of a share of one card: TKE001 to TKE003."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.tencent import cluster
from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent.asks import Ask, asks, number, ordinary_asks, spots
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.pod import Kind, PodKeys, Value
from gpuxlate.model.quantity import round_up
from gpuxlate.rules.base import Context, Rule, rule


@rule("TKE001", Severity.ERROR)
def memory_is_positive(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`qgpu-memory` is at least 1 GiB, and no more than a card has.

    ## What it does
    Reports zero and negative `tke.cloud.tencent.com/qgpu-memory`. With a profile that gives the size
    of a card, also a share that needs more of one card than there is.

    ## Why
    The least that qGPU allocates is 1 G, in steps of 1 G. A card offers its GiB rounded down: a T4
    of 15109 MiB offers 14.

    ## Example
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "0"}
    ```

    ## Use instead
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "1"}
    ```

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU" (2024-11-25); "managing GPU resources by CRD" (capacity
    of a T4), mirror of the TKE documents.
    """
    card = cluster.card_gib(context.profile)
    for ask in asks(pod):
        memory = number(ask.memory)
        if ask.memory is None or memory is None:
            continue
        if memory < 1:
            yield this.at(
                ask.memory,
                f"qgpu-memory is {memory}, the least is 1 GiB",
                f'write {k.MEMORY}: "1" or more, or remove it and ask for whole cards',
            )
        elif card is not None and _on_each_card(ask, memory) > card:
            yield this.at(
                ask.memory,
                f"{_on_each_card(ask, memory)} GiB are asked of one card, a card of the profile has {card}",
                f"ask for at most {card} GiB of a card",
            )


def _on_each_card(ask: Ask, memory: int) -> int:
    """GiB of each card; 0 on whole cards, where the number is ignored (TKE008)."""
    core = number(ask.core)
    if core is not None and k.is_whole(core):
        return 0
    return memory // ask.spread[2] if ask.spread else memory


@rule("TKE002", Severity.ERROR, fix="unsafe")
def compute_on_the_step(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`qgpu-core` of one card is 5 to 100, in steps of 5.

    ## What it does
    Reports `tke.cloud.tencent.com/qgpu-core` up to 100 that is below 5 or no multiple of 5, in pods
    without `app-class`. `qgpu-core-greedy` of offline pods has no such step.

    ## Why
    qGPU allocates at least 5 % of a card, in steps of 5 %.

    ## Example
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "33", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```

    ## Use instead
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "35", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```

    ## Fix
    Rounds up to the next multiple of 5. Unsafe: the share takes more of the card, and 96 to 99 become
    a whole card.

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU" (2024-11-25); docs 457/65734 (2026-01-16).
    """
    for ask in ordinary_asks(pod):
        core = number(ask.core)
        if ask.core is None or core is None or core > k.FULL or (core > 0 and core % k.CORE_STEP == 0):
            continue
        if core < 1:
            message = f"qgpu-core is {core}, the least is {k.CORE_STEP}"
            yield this.at(ask.core, message, f"write a multiple of {k.CORE_STEP}, up to {k.FULL}")
            continue
        above = round_up(core, k.CORE_STEP)
        why = f"the least is {k.CORE_STEP}" if core < k.CORE_STEP else f"it goes in steps of {k.CORE_STEP}"
        places = spots(ask.container, k.CORE, ask.core)
        edits = tuple(Put(spot.path, _like(spot, above)) for spot in places)
        yield this.at(
            ask.core,
            f"qgpu-core is {core}, {why}",
            f"write {_nearest(core, above)}",
            fix=Fix(f"Round qgpu-core up to {above}", edits, safe=False),
        )


def _nearest(core: int, above: int) -> str:
    below = above - k.CORE_STEP
    return f'"{below}" or "{above}"' if below else f'"{above}"'


def _like(value: Value, amount: int) -> int | str:
    """The amount, bare or quoted as the value was."""
    return amount if value.kind is Kind.INT else str(amount)


@rule("TKE003", Severity.ERROR)
def compute_and_memory_together(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A part of a card is asked for with both compute and memory.

    ## What it does
    Reports `qgpu-core` below 100 without `qgpu-memory` (error), and `qgpu-memory` without `qgpu-core`
    (warning), in pods without `app-class`.

    ## Why
    To share a card with others an application gives both its part of the card and its memory; only
    whole cards come with all of their memory, and only online pods go without compute.

    ## Example
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "30"}
    ```

    ## Use instead
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU", note on whole and fractional cards (2024-11-25).
    """
    for ask in ordinary_asks(pod):
        core = number(ask.core)
        if ask.core and core is not None and 0 < core < k.FULL and ask.memory is None:
            yield this.at(
                ask.core,
                f"{core} % of a card is asked without qgpu-memory",
                f'add {k.MEMORY} (GiB), or ask for a whole card: {k.CORE}: "{k.FULL}"',
            )
        elif ask.memory and ask.core is None:
            yield this.at(
                ask.memory,
                "memory is asked without qgpu-core",
                f"add {k.CORE} (percent of one card), or annotate the pod template {k.APP_CLASS}: online",
                severity=Severity.WARNING,
            )
