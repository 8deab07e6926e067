"""Rules of ACK about memory and whole cards, decided from the manifest alone."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.facts import count, count_label
from gpuxlate.backends.numbers import outside, put_number, requesting, whole_numbers
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule("ACK001", Severity.ERROR)
def memory_is_positive(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`aliyun.com/gpu-mem` is at least 1.

    ## What it does
    Reports zero and negative amounts. K8S001 reports values that are not whole numbers.

    ## Why
    One unit, by default 1 GiB, is the least that a container can request of a shared card.

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
            hint = "write the memory that the container needs, or remove the key"
            yield this.at(value, outside(k.MEMORY, units, 1), hint)


@rule("ACK002", Severity.ERROR, fix="unsafe")
def count_divides_memory(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The label `aliyun.com/gpu-count` is a positive whole number that divides `aliyun.com/gpu-mem`.

    ## What it does
    Reports a label that is not a number of cards, memory that is not a multiple of it, and (as a
    warning) a label on a pod without `aliyun.com/gpu-mem`.

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
    Raises the memory to the next multiple. Unsafe: the pod requests more.

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
            say("{key} is {value!r}, not a positive whole number", key=k.COUNT, value=label.text),
            say('write the number of cards as a string, such as {key}: "2"', key=k.COUNT),
        )
        return
    sharing, found = requesting(pod, k.MEMORY), list(whole_numbers(pod, k.MEMORY))
    if not sharing:
        yield this.at(
            label,
            say("{key} has no effect: no container of the pod requests {other}", key=k.COUNT, other=k.MEMORY),
            say("add {other} to the limits of a container, or remove the label", other=k.MEMORY),
            severity=Severity.WARNING,
            on_key=True,
            missing=True,
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
        say(
            "the {key} of the pod, {total}, is not a multiple of {count} {cards}",
            key=k.MEMORY,
            total=total,
            count=k.COUNT,
            cards=cards,
        ),
        say("write {numbers}", numbers=" or ".join(str(n) for n in (least - cards, least) if n > 0)),
        fix=fix,
        missing=True,  # the total over the containers
    )


@rule("ACK011", Severity.WARNING)
def one_mode_for_a_pod(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod requests shares, `nvidia.com/gpu` or `aliyun.com/gpu`, not two of them.

    ## What it does
    Reports whole cards in a pod with a share in another container, and the two keys of whole cards
    in one pod (an error in one container). K8S007 reports whole cards and a share in one container.

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
    sharing = requesting(pod, k.MEMORY, k.CORE)
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
            say(
                "{where} requests {key} and {other}; a node of ACK serves one of them",
                where="a container" if same else "the pod",
                key=value.path[-1],
                other=beside,
            ),
            "keep one of them" if same else "use separate pods",
            severity=Severity.ERROR if same else None,
            on_key=True,
        )
