"""Rules on several cards, shared or whole: TKE005 to TKE008."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.numbers import number
from gpuxlate.backends.tencent import cluster
from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent.containers import not_offline, ordinary
from gpuxlate.backends.tencent.texts import OLD_ADDON_HINT, old_addon
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule("TKE005", Severity.ERROR)
def two_shared_cards_at_most(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container shares at most two cards.

    ## What it does
    Reports `qgpu-core` above 200 that is not a multiple of 100. With a profile whose qGPU add-on is
    older than 1.1.1, also two shared cards (warning).

    ## Why
    The number of cards has no key: above 100 it is `qgpu-core` / 100, rounded up. A container may share
    two cards from add-on 1.1.1 and kernel module 3.0.5 on.

    ## Example
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "240", tke.cloud.tencent.com/qgpu-memory: "60"}
    ```

    ## Use instead
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "160", tke.cloud.tencent.com/qgpu-memory: "60"}
    ```

    ## Source
    Tencent Cloud, docs 457/127667 "several cards" and 457/117759, changes of the add-on (2026-01-13).
    """
    version = cluster.old_addon(context.profile)
    for one in not_offline(pod):
        if one.spread is None:
            continue
        value, core, cards = one.spread
        if cards > k.MAX_SHARED_CARDS:
            message = say(
                "{key} {core} is a part of {cards} cards; a container shares at most {most}",
                key=k.CORE,
                core=core,
                cards=cards,
                most=k.MAX_SHARED_CARDS,
            )
            hint = say(
                'write at most {most}, or request {cards} whole cards: "{full}" without {memory}',
                most=k.FULL * k.MAX_SHARED_CARDS,
                cards=cards,
                full=cards * k.FULL,
                memory=k.MEMORY,
            )
            yield this.at(value, message, hint)
        elif version:
            yield this.at(value, old_addon(version), OLD_ADDON_HINT, severity=Severity.WARNING)


@rule("TKE006", Severity.WARNING)
def even_parts(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute and memory of two shared cards divide evenly, and memory is set.

    ## What it does
    Reports `qgpu-core` and `qgpu-memory` of two cards that are odd (warning), and a missing
    `qgpu-memory` (error).

    ## Why
    Each card gives half of the total, rounded down: 121 and 31 become 60 % and 15 GiB of each card,
    so the container gets less than it requests.

    ## Example
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "121", tke.cloud.tencent.com/qgpu-memory: "31"}
    ```

    ## Use instead
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "120", tke.cloud.tencent.com/qgpu-memory: "30"}
    ```

    ## Source
    Tencent Cloud, docs 457/127667 "several cards".
    """
    for one in not_offline(pod):
        if one.spread is None:
            continue
        value, core, cards = one.spread
        if one.memory is None and cards <= k.MAX_SHARED_CARDS:
            message = say(
                "{key} {core} is a part of {cards} cards, without {memory}",
                key=k.CORE,
                core=core,
                cards=cards,
                memory=k.MEMORY,
            )
            hint = say("add {memory} (GiB, total of the {cards} cards)", memory=k.MEMORY, cards=cards)
            yield this.at(value, message, hint, severity=Severity.ERROR, missing=True)
        for name, spot in ((k.CORE, value), (k.MEMORY, one.memory)):
            total = number(spot)
            if spot is not None and total is not None and total > 0 and total % cards:
                message = say(
                    "{key} {total} is not a multiple of the {cards} cards; each card gives {each}",
                    key=name,
                    total=total,
                    cards=cards,
                    each=total // cards,
                )
                yield this.at(spot, message, say("write a multiple of {cards}", cards=cards))


@rule("TKE007", Severity.WARNING)
def shared_cards_on_the_step(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Each of two shared cards gives a multiple of 5 percent.

    ## What it does
    Reports `qgpu-core` of two shared cards where the part of each card, rounded down, is not a
    multiple of 5 %.

    ## Why
    qGPU allocates multiples of 5 % of one card. Whether this holds for two cards is not documented; the
    vendor's example of two cards (121) gives 60 % of each.

    ## Example
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "124", tke.cloud.tencent.com/qgpu-memory: "30"}
    ```

    ## Use instead
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "130", tke.cloud.tencent.com/qgpu-memory: "30"}
    ```

    ## Source
    Tencent Cloud, docs 457/127667 "several cards"; "GPU sharing: using qGPU" (2024-11-25).
    """
    for one in ordinary(pod):
        if one.spread is None or one.spread[2] > k.MAX_SHARED_CARDS:
            continue
        value, core, cards = one.spread
        if core // cards % k.CORE_STEP:
            message = say(
                "{key} {core} is {each} % of each card, not a multiple of {step} %",
                key=k.CORE,
                core=core,
                each=core // cards,
                step=k.CORE_STEP,
            )
            yield this.at(value, message, say("write a multiple of {step}", step=k.CORE_STEP * cards))


@rule("TKE008", Severity.WARNING)
def whole_cards_without_memory(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Whole cards are requested without `qgpu-memory`.

    ## What it does
    Reports `qgpu-memory` in a container with a `qgpu-core` of 100, 200, and so on.

    ## Why
    Whole cards come with all of their memory, and the documentation says to omit it. The open code
    ignores the number; with more than a card has, the pod may never be scheduled.

    ## Example
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "100", tke.cloud.tencent.com/qgpu-memory: "46"}
    ```

    ## Use instead
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "100"}
    ```

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU", note on whole cards (2024-11-25);
    elastic-ai/elastic-gpu-scheduler, `pkg/scheduler/pod.go` (2022).
    """
    for one in not_offline(pod):
        core = number(one.core)
        if one.memory and core is not None and k.is_whole(core):
            message = say(
                "{memory} {units} is ignored: {key} {core} is whole cards, with all of their memory",
                memory=k.MEMORY,
                units=one.memory.text,
                key=k.CORE,
                core=core,
            )
            yield this.at(one.memory, message, say("remove {memory}", memory=k.MEMORY))
