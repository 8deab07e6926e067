"""The rule on the cards of a profile: KAI015."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.kai import keys as k
from gpuxlate.backends.kai.writing import NAMES
from gpuxlate.backends.numbers import too_large, too_many_cards
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import Amount, Annotated, Annotation
from gpuxlate.rules.predicates.parameters import Within
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.predicates.with_profile import CARDS, WithProfile, card_memory, cards_per_node


def _of_a_node(profile: Profile) -> tuple[Predicate, ...]:
    most, room = cards_per_node(profile, NAMES), card_memory(profile, NAMES)
    found = []
    if most is not None:
        cards = Within(Annotation(k.DEVICES), most)
        found.append(Predicate(cards, Annotated(k.DEVICES, k.WHOLE_NUMBER), (k.DEVICES,), each=False))
        found.append(Predicate(Within(k.WHOLE, most), Amount(k.WHOLE), (k.WHOLE,)))
    if room is not None:
        memory = Within(Annotation(k.MEMORY), room)
        found.append(Predicate(memory, Annotated(k.MEMORY, k.WHOLE_NUMBER), (k.MEMORY,), each=False))
    return tuple(found)


def _too_large_amounts(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Amounts with a unit, in keys with the names of containers."""
    most = card_of(context.profile, NAMES).memory_mib
    for _, _, value in k.amounts(pod) if most is not None else ():
        each = k.mib(value.text)
        if each is not None and most is not None and each > most:
            yield this.at(value, *too_large(int(each), most))


@rule("KAI015", Severity.ERROR, with_profile=WithProfile(_of_a_node, CARDS), also=_too_large_amounts)
def share_fits_the_cards(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A share fits the cards of the profile.

    ## What it does
    With a profile, reports more cards than a node has, and more memory than a card has.

    ## Why
    The pod stays Pending: no node ever has what it asks for.

    ## Example
    ```yaml
    metadata: {annotations: {gpu-fraction-num-devices: "2", gpu-memory: "2000"}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```
    ```yaml profile
    target: kai
    cards: {perNode: 1, memoryMiB: 1024}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {gpu-memory: "1000"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/README.md (2026-08-07).
    """
    nodes = card_of(context.profile, NAMES)
    if breach.name == k.MEMORY:
        return this.at(breach.there, *too_large(breach.number, nodes.memory_mib or 0))
    return this.at(breach.there, *too_many_cards(breach.number, nodes.per_node or 0))
