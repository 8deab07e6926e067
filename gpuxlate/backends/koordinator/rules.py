"""The rule of Koordinator that no row says: KOORD020."""

from __future__ import annotations

from gpuxlate.backends import koordinator as k
from gpuxlate.backends.pod_reader import written_name
from gpuxlate.backends.rows import WHOLE_CARDS as HUNDREDS
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import Range
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import (
    AnyOf,
    Constraint,
    Divides,
    InRange,
    Labelled,
    Predicate,
    Requests,
    Violation,
)


def _is_all(name: str) -> Predicate:
    """The percentage of memory is all of each card, of as many as are counted or as there are hundreds."""
    counted = InRange(k.SHARED, Range())
    all_of_each = InRange(name, HUNDREDS) & Divides(name, k.SHARED, FULL_CARD_CORES)
    return AnyOf(counted & all_of_each, ~counted & InRange(name, HUNDREDS))


WHOLE_CARDS = AnyOf(_is_all(k.RATIO), _is_all(k.BOTH))
"""All of the memory: no other pod is on the cards."""


@rule(
    "KOORD020",
    Severity.INFO,
    missing=True,
    constraint=Constraint(
        AnyOf(Labelled(k.ISOLATION), Requests(*k.COMPANIONS)),
        ~WHOLE_CARDS,
        (k.MEMORY, k.RATIO, k.CORE, k.BOTH),
    ),
)
def share_is_isolated(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic | tuple[()]:
    """A pod with a share of Koordinator has the label `koordinator.sh/gpu-isolation-provider`.

    ## What it does
    Reports a share of Koordinator in a pod without the label `koordinator.sh/gpu-isolation-provider`. Beside
    keys of MetaX, Cambricon and Ascend no label is needed: their drivers isolate. Nor is one needed for all
    of the memory of a card, which no other pod is on then.

    ## Why
    Koordinator counts the share when it places the pod. Without the label nothing keeps the containers
    within their memory and compute.

    ## Source
    koordinator-sh/koordinator, pkg/koordlet/runtimehooks at a7a1b76b (2026-07-24);
    koordinator-sh/koordinator, issues 2517 and 2545.
    """
    message = msg(
        "{key} is counted, not enforced: nothing isolates the containers of the pod",
        key=written_name(violation.value_at, violation.name),
    )
    return this.diagnostic(
        violation.value_at, message, msg("add the label {label}: HAMi-core", label=k.ISOLATION), on_key=True
    )
