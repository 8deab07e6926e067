"""The rules of Kestrel Cloud: KES001 and KES002."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.numbers import outside, requesting, whole_numbers
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate_kestrel import keys as k


@rule("KES001", Severity.ERROR)
def slices_of_one_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container requests one to ten slices.

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
    for _, value, slices in whole_numbers(pod, k.SLICES):
        if not 1 <= slices <= k.MOST:
            yield this.at(value, outside(k.SLICES, slices, 1, k.MOST), "write 1 to 10")
    for container in requesting(pod, k.MEMORY):
        if k.SLICES not in container.resources:
            message = say("{key} is set without {other}", key=k.MEMORY, other=k.SLICES)
            where = container.resources[k.MEMORY]
            yield this.at(where, message, f"add {k.SLICES}", on_key=True, missing=True)


@rule("KES002", Severity.ERROR)
def memory_is_positive(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Memory is at least 1 GiB.

    ## What it does
    Reports `gpu.kestrel.example/memory` below 1.

    ## Why
    Memory is allocated in whole GiB.

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
    for _, value, memory in whole_numbers(pod, k.MEMORY):
        if memory < 1:
            message = outside(k.MEMORY, memory, 1)
            yield this.at(value, message, "write the GiB, or remove the key for all memory of the card")
