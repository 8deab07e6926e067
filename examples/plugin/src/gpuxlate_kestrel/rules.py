"""The rules of Kestrel Cloud: KES001 and KES002."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate_kestrel import keys as k


@rule("KES001", Severity.ERROR)
def slices_of_one_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container asks for one to ten slices.

    ## What it does
    Reports `gpu.kestrel.example/slices` outside 1 to 10, and memory without slices.

    ## Why
    A card has ten slices, and a container gets them from one card.

    ## Example
    ```yaml
    resources: {limits: {gpu.kestrel.example/slices: 30, gpu.kestrel.example/memory: 4}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {gpu.kestrel.example/slices: 3, gpu.kestrel.example/memory: 4}}
    ```

    ## Source
    Kestrel Cloud, "GPU slices" (2026-01).
    """
    for container in pod.all_containers():
        slices, memory = container.resources.get(k.SLICES), container.resources.get(k.MEMORY)
        number = quantity.whole(slices.text) if slices else None
        if slices and number is not None and not 1 <= number <= k.MOST:
            yield this.at(slices, f"{number} slices are asked, a card has {k.MOST}", "write 1 to 10")
        elif memory and slices is None:
            yield this.at(memory, "memory is asked without slices", f"add {k.SLICES}", on_key=True)


@rule("KES002", Severity.ERROR)
def memory_is_positive(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Memory is at least 1 GiB.

    ## What it does
    Reports `gpu.kestrel.example/memory` below 1.

    ## Why
    Memory is given out in whole GiB.

    ## Example
    ```yaml
    resources: {limits: {gpu.kestrel.example/slices: 3, gpu.kestrel.example/memory: 0}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {gpu.kestrel.example/slices: 3, gpu.kestrel.example/memory: 1}}
    ```

    ## Source
    Kestrel Cloud, "GPU slices" (2026-01).
    """
    for container in pod.all_containers():
        memory = container.resources.get(k.MEMORY)
        number = quantity.whole(memory.text) if memory else None
        if memory and number is not None and number < 1:
            yield this.at(memory, f"memory is {number}", "write the GiB, or leave it out for all of the card")
