"""Operators that count GPUs by the names of resources, after a translation."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.manifest.counters import counted, counter_of
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import say
from gpuxlate.rules.translation import operator_knows_the_cards
from gpuxlate.translation.fit import PodFit
from gpuxlate.yamltext.compose import Document


def miscounted(document: Document, pod: Pod, fit: PodFit) -> Iterator[Diagnostic]:
    """The operator of the pod's object counts another number than the cards of the share (GX028)."""
    counter = counter_of(document, pod)
    outcome = next((one for one in fit.outcomes if one.container.index == 0 and not one.container.init), None)
    if counter is None or outcome is None:  # KubeRay and Trainer count in the first container alone
        return
    keys = next((one for one in fit.keys.containers if one.index == 0), None)
    found = counted(counter, keys) if keys else frozenset()
    cards = outcome.given.cards
    if found == {str(cards)}:
        return
    message = say(
        "{operator} counts GPUs by the names of resources: it finds {found}, the share has {cards}",
        operator=counter.operator,
        found=" or ".join(sorted(found)) or "none",
        cards=cards,
    )
    hint = say('set {place}: "{cards}"', place=counter.hint, cards=cards)
    yield operator_knows_the_cards(outcome.container.path, message, hint)
