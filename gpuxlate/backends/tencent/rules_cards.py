"""Rules on several cards, shared or whole: TKE005 to TKE008."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.tencent import cluster
from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent.asks import Ask, number, ordinary_asks
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule


def _two_cards(pod: PodKeys) -> Iterator[tuple[Ask, Value, int, int]]:
    """Containers on two shared cards: what they ask, qgpu-core, its number, the cards."""
    for ask in ordinary_asks(pod):
        if ask.spread and ask.spread[2] <= k.MAX_SHARED_CARDS:
            yield ask, *ask.spread


@rule("TKE005", Severity.ERROR)
def two_shared_cards_at_most(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container shares at most two cards.

    ## What it does
    Reports `qgpu-core` above 200 that is no multiple of 100. With a profile whose qGPU add-on is older
    than 1.1.1, also two shared cards (warning).

    ## Why
    There is no key for the number of cards: above 100 it is `qgpu-core` / 100, rounded up. Containers
    may use two shared cards, from add-on 1.1.1 and kernel module 3.0.5 on.

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
    for ask in ordinary_asks(pod):
        if ask.spread is None:
            continue
        value, core, cards = ask.spread
        if cards > k.MAX_SHARED_CARDS:
            yield this.at(
                value,
                f"qgpu-core {core} is a part of {cards} cards, "
                f"a container shares at most {k.MAX_SHARED_CARDS}",
                f"ask for less than {k.FULL * k.MAX_SHARED_CARDS}, or for {cards} whole cards: "
                f'"{cards * k.FULL}" without {k.MEMORY}',
            )
        elif version:
            yield this.at(
                value,
                f"two shared cards need the qGPU add-on 1.1.1 or later, the profile says {version}",
                "upgrade the add-on, or ask for one card",
                severity=Severity.WARNING,
            )


@rule("TKE006", Severity.WARNING)
def even_parts(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute and memory of two shared cards divide evenly, and memory is given.

    ## What it does
    Reports `qgpu-core` and `qgpu-memory` of two cards that are odd (warning), and a missing
    `qgpu-memory` (error).

    ## Why
    Each card gives half of the total, rounded down: 121 and 31 become 60 % and 15 GiB of each card,
    so the container gets less than it asks for.

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
    for ask, value, core, cards in _two_cards(pod):
        if ask.memory is None:
            yield this.at(
                value,
                f"qgpu-core {core} is a part of {cards} cards, asked without qgpu-memory",
                f"add {k.MEMORY} (GiB, total of the {cards} cards)",
                severity=Severity.ERROR,
            )
        for name, spot in ((k.CORE, value), (k.MEMORY, ask.memory)):
            total = number(spot)
            if spot is not None and total is not None and total > 0 and total % cards:
                yield this.at(
                    spot,
                    f"{name} {total} does not divide by {cards} cards: each gives {total // cards}",
                    f"write a multiple of {cards}",
                )


@rule("TKE007", Severity.WARNING)
def shared_cards_on_the_step(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Each of two shared cards gives a multiple of 5 percent.

    ## What it does
    Reports `qgpu-core` of two shared cards where the part of each card, rounded down, is off the 5 %
    step of one card.

    ## Why
    One card goes in steps of 5 %. Whether the step holds for each of two is not said: the vendor's
    own example of two cards (121) gives 60 % of each.

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
    for _, value, core, cards in _two_cards(pod):
        if core // cards % k.CORE_STEP:
            yield this.at(
                value,
                f"qgpu-core {core} is {core // cards} % of each card, off the {k.CORE_STEP} % step",
                f"write a multiple of {k.CORE_STEP * cards}",
            )


@rule("TKE008", Severity.WARNING)
def whole_cards_without_memory(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Whole cards are asked for without `qgpu-memory`.

    ## What it does
    Reports `qgpu-memory` beside a `qgpu-core` of 100, 200, and so on.

    ## Why
    Whole cards come with all of their memory, and the vendor says to leave it out. Its open code
    ignores the number; a number above what the card offers may keep the pod from ever scheduling.

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
    for ask in ordinary_asks(pod):
        core = number(ask.core)
        if ask.memory and core is not None and k.is_whole(core):
            cards = k.cards_of(core)
            yield this.at(
                ask.memory,
                f"qgpu-core {core} is {cards} whole card{'s' if cards > 1 else ''}, "
                "which come with all of their memory",
                f"remove {k.MEMORY}",
            )
