"""The rules of Huawei CCE that no row says: CCE020 and CCE021."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.dialects import huawei_cce as k
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import All, Amount, Label, Labelled, Not
from gpuxlate.rules.predicates.conditions import Any as AnyOf
from gpuxlate.rules.predicates.conditions import Divides
from gpuxlate.rules.predicates.predicate import Breach, Predicate


@rule(
    k.DECIMAL,
    Severity.WARNING,
    no_policy="API servers elsewhere refuse the value, and those of CCE are to take it",
)
def part_of_a_card_is_in_units(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A part of a card is written in units of memory, not as a decimal number of cards.

    ## What it does
    Reports `nvidia.com/gpu` below 1 in a pod of the scheduler `volcano`. With another scheduler it is
    K8S001.

    ## Why
    CCE alone takes it, as that part of the memory of a card: the manifest is refused on any other cluster,
    and what the container gets depends on the card.

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 0.1}}
    ```

    ## Use instead
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/gpu-mem.128Mi: 18}}
    ```

    ## Source
    opentelekomcloud-docs/cloud-container-engine, using_gpu_virtualization.rst (2026-04-16).
    """
    if not k.speaks(pod):
        return
    for container in pod.all_containers():
        value = container.resources.get(k.WHOLE)
        if value is not None and k.decimal(value) is not None:
            message = say(
                "{key} is {text}, a part of the memory of a card that Huawei CCE alone takes",
                key=k.WHOLE,
                text=value.text,
            )
            yield this.at(value, message, say("write {key}, in units of 128 MiB", key=k.MEMORY))


_BY_LABEL = AnyOf(
    All(Not(Labelled(k.COUNT, Range())), Amount(k.CORE, Range(100, 100))),
    All(Divides(k.CORE, Label(k.COUNT), 100), Amount(k.CORE, Range(1))),
)
"""All compute of the cards."""


@rule(k.FULL, Severity.WARNING, predicate=Predicate(Not(Amount(k.MEMORY)), _BY_LABEL, (k.MEMORY,)))
def memory_is_a_part(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic | tuple[()]:
    """Memory beside all compute of a card is all memory of the card.

    ## What it does
    Reports `volcano.sh/gpu-mem.128Mi` beside `volcano.sh/gpu-core.percentage` of 100 for each card.

    ## Why
    With all compute the container gets the whole card, whatever memory it asks for.

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/gpu-mem.128Mi: 40, volcano.sh/gpu-core.percentage: 100}}
    ```

    ## Use instead
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1}}
    ```

    ## Source
    opentelekomcloud-docs/cloud-container-engine, using_gpu_virtualization.rst (2026-04-16).
    """
    if breach.value is None:
        return ()
    message = say("{key} has no effect beside all compute of the card", key=k.MEMORY)
    return this.at(breach.value, message, say("write {key} for whole cards", key=k.WHOLE), on_key=True)
