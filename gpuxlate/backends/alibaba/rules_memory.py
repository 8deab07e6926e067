"""Rules of ACK about memory and whole cards, decided from the manifest alone."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.claimed import asking, count, count_label, put_number, whole_numbers
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule("ACK001", Severity.ERROR)
def memory_is_positive(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`aliyun.com/gpu-mem` is at least 1.

    ## What it does
    Reports zero and negative amounts. What is no whole number is reported by K8S001.

    ## Why
    One unit, by default 1 GiB, is the least that a container can ask of a shared card.

    ## Example
    ```yaml
    resources:
      limits:
        aliyun.com/gpu-mem: 0
    ```

    ## Use instead
    ```yaml
    resources:
      limits:
        aliyun.com/gpu-mem: 1
    ```

    ## Source
    ACK, page modify-the-smallest-allocatable-unit-for-gpu-sharing, 2026-02-28.
    """
    for _, value, units in whole_numbers(pod, k.MEMORY):
        if units < 1:
            yield this.at(
                value,
                f"{k.MEMORY} is {units}, it must be at least 1",
                "write the memory that the container needs, or remove the key",
            )


@rule("ACK002", Severity.ERROR, fix="unsafe")
def count_divides_memory(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The label `aliyun.com/gpu-count` is a positive whole number that divides `aliyun.com/gpu-mem`.

    ## What it does
    Reports a label that is no card count, memory that does not divide by it, and (as a warning) a
    label on a pod that asks for no `aliyun.com/gpu-mem` at all.

    ## Why
    `gpu-mem` is the total of the pod: N units on M cards are N/M on each, and N/M must be an
    integer. Without `gpu-mem` the label gives the pod no GPU.

    ## Example
    ```yaml
    metadata: {labels: {aliyun.com/gpu-count: "2"}}
    spec:
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 7}}
    ```

    ## Use instead
    ```yaml
    metadata: {labels: {aliyun.com/gpu-count: "2"}}
    spec:
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 8}}
    ```

    ## Fix
    Raises the memory to the next multiple. Unsafe: the pod asks for more.

    ## Source
    ACK, page multi-card-sharing-through-shared-gpu-scheduling, 2025-04-19.
    """
    label = count_label(pod)
    if label is None:
        return
    cards = count(label)
    if cards is None:
        yield this.at(
            label,
            f"{k.COUNT} is {label.text!r}, no positive whole number",
            f'write the number of cards as a string, such as {k.COUNT}: "2"',
        )
        return
    sharing, found = asking(pod, k.MEMORY), list(whole_numbers(pod, k.MEMORY))
    if not sharing:
        yield this.at(
            label,
            f"{k.COUNT} alone gives no GPU: no container of the pod asks for {k.MEMORY}",
            f"ask for {k.MEMORY} in the limits of a container, or remove the label",
            severity=Severity.WARNING,
            on_key=True,
        )
        return
    total = sum(units for _, _, units in found)
    if len(found) < len(sharing) or not total % cards:
        return
    least = quantity.round_up(total, cards)
    fix, where = None, label
    if len(found) == 1:
        container, where, _ = found[0]
        fix = Fix(f"raise {k.MEMORY} to {least}", put_number(container, k.MEMORY, least), safe=False)
    yield this.at(
        where,
        f"{k.MEMORY} is {total} in all, it must divide by the {cards} cards of {k.COUNT}",
        f"write {' or '.join(str(n) for n in (least - cards, least) if n > 0)}",
        fix=fix,
    )


@rule("ACK011", Severity.WARNING)
def one_mode_for_a_pod(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod asks for shares, for `nvidia.com/gpu` or for `aliyun.com/gpu`, not for two of them.

    ## What it does
    Reports whole cards beside a share in another container of the pod, and the two keys of whole
    cards beside each other (an error in one container). Whole cards and a share in one container
    are reported by K8S007.

    ## Why
    A node serves one mode, and enabling one sets the resources of all others to 0: no node has
    both, so the pod stays pending.

    ## Example
    ```yaml
    spec:
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 4}}
      - name: trainer
        resources: {limits: {nvidia.com/gpu: 1}}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 4}}
      - name: trainer
        resources: {limits: {aliyun.com/gpu-mem: 15}}
    ```

    ## Source
    ACK, page enable-scheduling (labels of GPU nodes), 2026-01-12.
    """
    sharing = asking(pod, k.MEMORY, k.CORE)
    whole = [one for one in whole_numbers(pod, k.WHOLE) if one[2]]
    topology = [one for one in whole_numbers(pod, k.TOPOLOGY) if one[2]]
    if sharing:
        marked, beside = [*whole, *topology], "a share"
    else:
        marked, beside = topology if whole else [], k.WHOLE
    for container, value, _ in marked:
        if container in sharing:
            continue  # K8S007
        same = not sharing and any(container is one for one, _, _ in whole)
        yield this.at(
            value,
            f"{value.path[-1]} stands beside {beside} in {'one container' if same else 'one pod'}: "
            "a node of ACK serves one of these",
            "keep one of them" if same else "put them in pods of their own",
            severity=Severity.ERROR if same else None,
            on_key=True,
        )
