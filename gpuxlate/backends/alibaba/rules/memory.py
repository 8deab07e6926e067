"""Rules of ACK about memory and whole cards, decided from the manifest alone."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.facts import count
from gpuxlate.backends.alibaba.rules.examples import part, shown
from gpuxlate.backends.numbers import outside, put_number, requesting, whole_numbers
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.messages import either, say
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Page, Rule, rule
from gpuxlate.rules.predicates.conditions import (
    Amount,
    Asks,
    ContainersAtMost,
    Divides,
    Label,
    Labelled,
    SomeContainer,
)
from gpuxlate.rules.predicates.predicate import Breach, Predicate

POSITIVE = Predicate(Amount(k.MEMORY, Range()), Amount(k.MEMORY), (k.MEMORY,))
SHARED, SHARES = Asks(k.MEMORY, k.CORE), SomeContainer(Asks(k.MEMORY, k.CORE))
NUMBER = Labelled(k.COUNT, k.CARDS)
COUNTED = Predicate(NUMBER, Labelled(k.COUNT), (k.COUNT,), each=False)
WITH_MEMORY = Predicate(
    SomeContainer(Asks(k.MEMORY)), NUMBER, (k.COUNT,), each=False, severity=Severity.WARNING
)
DIVIDED = Predicate(
    Divides(k.MEMORY, Label(k.COUNT)),
    NUMBER & Amount(k.MEMORY) & ContainersAtMost(Asks(k.MEMORY), 1),
    (k.MEMORY,),
)
WHOLE, BY_TOPOLOGY = (Amount(name) & ~Amount(name, Range(0, 0)) for name in (k.WHOLE, k.TOPOLOGY))
BESIDE_SHARES = tuple(
    Predicate(~SHARES, some & ~SHARED, (name,))
    for name, some in ((k.WHOLE, WHOLE), (k.TOPOLOGY, BY_TOPOLOGY))
)
"""One container with both is K8S007."""
OF_ONE_KIND = Predicate(~SomeContainer(WHOLE), BY_TOPOLOGY & ~SHARES & ~WHOLE, (k.TOPOLOGY,))
IN_ONE_CONTAINER = Predicate(~WHOLE, BY_TOPOLOGY & ~SHARES, (k.TOPOLOGY,), severity=Severity.ERROR)


@rule("ACK001", Severity.ERROR, predicate=POSITIVE, page=Page(shown(part(0)), shown(part(1))))
def memory_is_positive(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """`aliyun.com/gpu-mem` is at least 1.

    ## What it does
    Reports zero and negative amounts. K8S001 reports values that are not whole numbers.

    ## Why
    One unit, by default 1 GiB, is the least that a container can request of a shared card.

    ## Source
    ACK, page modify-the-smallest-allocatable-unit-for-gpu-sharing, 2026-02-28.
    """
    hint = "write the memory that the container needs, or remove the key"
    return this.at(breach.there, outside(k.MEMORY, breach.number, 1), hint)


def of_several(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The total of several containers, which no policy adds up."""
    label, sharing = pod.labels.get(k.COUNT), requesting(pod, k.MEMORY)
    cards, found = count(label), [number for _, _, number in whole_numbers(pod, k.MEMORY)]
    if label and cards and len(sharing) > 1 and len(found) == len(sharing) and sum(found) % cards:
        yield _not_a_multiple(this, label, sum(found), cards, None)


@rule(
    "ACK002",
    Severity.ERROR,
    fix="unsafe",
    predicate=(COUNTED, WITH_MEMORY, DIVIDED),
    also=of_several,
    page=Page(shown(part(7), count=2), shown(part(8), count=2)),
)
def count_divides_memory(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """The label `aliyun.com/gpu-count` is a positive whole number that divides `aliyun.com/gpu-mem`.

    ## What it does
    Reports a label that is not a number of cards, memory that is not a multiple of it, and (as a warning)
    a label on a pod without `aliyun.com/gpu-mem`.

    ## Why
    `gpu-mem` is the total of the pod: N units on M cards are N/M on each, and N/M must be an integer.
    Without `gpu-mem` the label gives the pod no GPU.

    ## Fix
    Raises the memory to the next multiple. Unsafe: the pod requests more.

    ## Source
    ACK, page multi-card-sharing-through-shared-gpu-scheduling, 2025-04-19.
    """
    label = pod.labels[k.COUNT]
    cards = count(label)
    if cards is None:
        message = say("{key} is {value!r}, not a positive whole number", key=k.COUNT, value=label.text)
        hint = say('write the number of cards as a string, such as {key}: "2"', key=k.COUNT)
        return this.at(label, message, hint)
    if breach.container is not None:
        return _not_a_multiple(this, breach.there, breach.number, cards, breach.container)
    text = "{key} has no effect: no container of the pod requests {other}"
    hint = say("add {other} to the limits of a container, or remove the label", other=k.MEMORY)
    message = say(text, key=k.COUNT, other=k.MEMORY)
    return this.at(label, message, hint, on_key=True, missing=True)


def _not_a_multiple(
    this: Rule, where: Value, total: int, cards: int, container: ContainerKeys | None
) -> Diagnostic:
    least = quantity.round_up(total, cards)
    fix = None
    if container is not None:
        fix = Fix(
            say("raise {memory} to {least}", memory=k.MEMORY, least=least),
            put_number(container, k.MEMORY, least),
            safe=False,
        )
    text = "the {key} of the pod, {total}, is not a multiple of {count} {cards}"
    message = say(text, key=k.MEMORY, total=total, count=k.COUNT, cards=cards)
    numbers = either(str(number) for number in (least - cards, least) if number > 0)
    # missing: the total over the containers
    return this.at(where, message, say("write {numbers}", numbers=numbers), fix=fix, missing=True)


@rule(
    "ACK011",
    Severity.WARNING,
    predicate=(*BESIDE_SHARES, OF_ONE_KIND, IN_ONE_CONTAINER),
    page=Page(shown(part(4), {k.WHOLE: Value.of(1)}), shown(part(4), part(15))),
)
def one_mode_for_a_pod(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A pod requests shares, `nvidia.com/gpu` or `aliyun.com/gpu`, not two of them.

    ## What it does
    Reports whole cards in a pod with a share in another container, and the two keys of whole cards in one
    pod (an error in one container). K8S007 reports whole cards and a share in one container.

    ## Why
    A node serves one mode, and enabling one sets the resources of all others to 0: no node has both, so
    the pod stays pending.

    ## Source
    ACK, page enable-scheduling (labels of GPU nodes), 2026-01-12.
    """
    sharing, same = SHARES.holds(pod), WHOLE.holds(pod, breach.inside) and breach.name == k.TOPOLOGY
    same = same and not sharing
    text = "{where} requests {key} and {other}; a node of ACK serves one of them"
    message = say(
        text,
        where=say("a container" if same else "the pod"),
        key=breach.name,
        other="a share" if sharing else k.WHOLE,
    )
    hint = "keep one of them" if same else "use separate pods"
    return this.at(breach.there, message, hint, on_key=True)
