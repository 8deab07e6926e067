"""Rules on the numbers of a share of one card: TKE001 to TKE003."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.numbers import number, off_step, outside, put_number
from gpuxlate.backends.tencent import cluster
from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent.containers import Shared, ordinary, shared
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.quantity import round_up
from gpuxlate.rules.base import Context, Rule, rule


@rule("TKE001", Severity.ERROR)
def memory_is_positive(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`qgpu-memory` is at least 1 GiB, and no more than a card has.

    ## What it does
    Reports zero and negative `tke.cloud.tencent.com/qgpu-memory`. With a profile that sets
    `cards.memoryMiB`, also a share with more memory of one card than a card has.

    ## Why
    qGPU allocates memory in multiples of 1 G. A card has its GiB rounded down: a T4 of 15109 MiB
    has 14.

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
    for one in shared(pod):
        memory = number(one.memory)
        if one.memory is None or memory is None:
            continue
        if memory < 1:
            hint = say('write {key}: "1" or more, or remove it and request whole cards', key=k.MEMORY)
            yield this.at(one.memory, outside(k.MEMORY, memory, 1), hint)
        elif card is not None and _on_each_card(one, memory) > card:
            message = say(
                "requests {each} GiB per GPU; GPUs in this profile have {there} GiB",
                each=_on_each_card(one, memory),
                there=card,
            )
            hint = say("request at most {most} GiB per GPU", most=card)
            yield this.at(one.memory, message, hint, missing=one.core is None)


def _on_each_card(one: Shared, memory: int) -> int:
    """GiB of each card; 0 on whole cards, where the number is ignored (TKE008)."""
    core = number(one.core)
    if core is not None and k.is_whole(core):
        return 0
    return memory // one.spread[2] if one.spread else memory


@rule("TKE002", Severity.ERROR, fix="unsafe")
def compute_on_the_step(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`qgpu-core` of one card is 5 to 100, in multiples of 5.

    ## What it does
    Reports `tke.cloud.tencent.com/qgpu-core` up to 100 that is below 5 or not a multiple of 5, in
    pods without `app-class`. `qgpu-core-greedy` of offline pods has no such step.

    ## Why
    qGPU allocates compute in multiples of 5 % of a card.

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
    for one in ordinary(pod):
        core = number(one.core)
        if one.core is None or core is None or core > k.FULL or (core > 0 and core % k.CORE_STEP == 0):
            continue
        low = core < k.CORE_STEP
        message = outside(k.CORE, core, k.CORE_STEP) if low else off_step(k.CORE, core, k.CORE_STEP)
        if core < 1:
            hint = say("write a multiple of {step}, at most {most}", step=k.CORE_STEP, most=k.FULL)
            yield this.at(one.core, message, hint)
            continue
        above = round_up(core, k.CORE_STEP)
        fix = Fix(f"Round qgpu-core up to {above}", put_number(one.container, k.CORE, above), safe=False)
        yield this.at(one.core, message, say("write {numbers}", numbers=_nearest(above)), fix=fix)


def _nearest(above: int) -> str:
    below = above - k.CORE_STEP
    return f'"{below}" or "{above}"' if below else f'"{above}"'


@rule("TKE003", Severity.ERROR, missing=True)
def compute_and_memory_together(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A part of a card is requested with both compute and memory.

    ## What it does
    Reports `qgpu-core` below 100 without `qgpu-memory` (error), and `qgpu-memory` without `qgpu-core`
    (warning), in pods without `app-class`.

    ## Why
    A shared card needs both its part of compute and its memory; only whole cards come with all of
    their memory, and only online pods omit compute.

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
    for one in ordinary(pod):
        core = number(one.core)
        if one.core and core is not None and 0 < core < k.FULL and one.memory is None:
            message = say("{key} is set without {other}", key=k.CORE, other=k.MEMORY)
            hint = say(
                'add {memory} (GiB), or request a whole card: {key}: "{full}"',
                memory=k.MEMORY,
                key=k.CORE,
                full=k.FULL,
            )
            yield this.at(one.core, message, hint)
        elif one.memory and one.core is None:
            message = say("{key} is set without {other}", key=k.MEMORY, other=k.CORE)
            hint = say(
                "add {core} (percent of one card), or annotate the pod template {label}: online",
                core=k.CORE,
                label=k.APP_CLASS,
            )
            yield this.at(one.memory, message, hint, severity=Severity.WARNING)
