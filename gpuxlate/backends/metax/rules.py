"""The rules of MetaX that no row says: METAX020 to METAX022."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.metax import APP_CLASS, CORES, COUNT, MEMORY, POLICY
from gpuxlate.backends.pod_reader import whole_numbers
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import Range
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import Constraint, InRange, IsAnnotated, Not, Violation

MOST_GIB = 256
"""No card has more, so a bare number above it is hardly one of GiB."""


@rule(
    "METAX020",
    Severity.ERROR,
    constraint=Constraint(Not(InRange(COUNT, Range(2))), IsAnnotated(APP_CLASS), (COUNT,)),
)
def class_is_for_one_card(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """In a pod with `metax-tech.com/sgpu-app-class`, `metax-tech.com/sgpu` of a container is 1.

    ## What it does
    Reports `metax-tech.com/sgpu` above 1 in a pod with the annotation.

    ## Why
    Online and offline pods share single cards: the webhook refuses several.

    ## Source
    Project-HAMi/HAMi, pkg/device/metax (2026-08-21).
    """
    message = msg(
        "{key} {count} in a pod with {label}, which is for one card",
        key=COUNT,
        count=violation.value_at.text,
        label=APP_CLASS,
    )
    yield this.diagnostic(violation.value_at, message, "request one card, or remove the annotation")


@rule(
    "METAX021",
    Severity.WARNING,
    constraint=(
        Constraint(Not(IsAnnotated(APP_CLASS, "online")), keys=(CORES,)),
        Constraint(
            Not(IsAnnotated(APP_CLASS, "online")), IsAnnotated(POLICY), (POLICY,), per_container=False
        ),
    ),
)
def online_pods_compete(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A pod with `metax-tech.com/sgpu-app-class: online` has no `metax-tech.com/vcore` and no
    `metax-tech.com/sgpu-qos-policy`.

    ## What it does
    Reports `metax-tech.com/vcore` and `metax-tech.com/sgpu-qos-policy` in a pod whose
    `metax-tech.com/sgpu-app-class` is `online`.

    ## Why
    Online pods take what compute they need: both keys are ignored.

    ## Source
    Project-HAMi/HAMi, pkg/device/metax, examples/metax/sgpu/online.yaml (2026-08-21).
    """
    message = msg("{key} is ignored: online pods compete for compute", key=violation.name)
    yield this.diagnostic(violation.value_at, message, "remove it", on_key=True)


@rule("METAX022", Severity.WARNING, no_policy="an amount has a unit, and no schema compares those")
def memory_has_a_unit(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`metax-tech.com/vmemory` without a unit is at most 256, in GiB.

    ## What it does
    Reports a number without a unit above 256.

    ## Why
    It counts GiB, so 4096 is 4 TiB; and the server stores 1000 as `1k`, which is read as bytes.

    ## Source
    Project-HAMi/HAMi, pkg/device/metax (2026-08-21).
    """
    for _, value, number in whole_numbers(pod, MEMORY):
        if value.text.isdigit() and MOST_GIB < number <= MOST_GIB * 4:
            message = msg(
                "{key} {number} without a unit counts GiB, this looks like MiB", key=MEMORY, number=number
            )
            yield this.diagnostic(value, message, msg("write {number}Mi", number=number))
