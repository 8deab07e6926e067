"""The rules of Volcano vGPU that do not follow from its rows."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends import volcano_vgpu as k
from gpuxlate.backends.hami_family import CHOOSES_MODELS, is_capped_alone, not_capped_alone, other_models
from gpuxlate.backends.pod_reader import written_name
from gpuxlate.model.diagnostics import Diagnostic, Fix, Put, Severity
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import Constraint, Requests, Violation


@rule(
    "VOLC011",
    Severity.WARNING,
    missing=True,
    fix="safe",
    constraint=Constraint(Requests(k.NUMBER), keys=(k.MEMORY,)),
)
def memory_has_a_number(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`volcano.sh/vgpu-memory` requires `volcano.sh/vgpu-number` in the same container.

    ## What it does
    Reports memory in a container without a number of cards.

    ## Why
    The scheduler takes it for one card. The device plugin answers `vgpu-number` alone: without it nothing
    limits the container, which gets no card from the plugin.

    ## Fix
    Safe: requests one card, which is what the scheduler takes it for.

    ## Source
    Project-HAMi/volcano-vgpu-device-plugin, pkg/plugin/server.go, Allocate (2026-08-17).
    """
    value = violation.value_at
    message = msg("{key} limits nothing without {count}", key=written_name(value, k.MEMORY), count=k.NUMBER)
    hint = msg("add {count}: 1", count=k.NUMBER)
    fix = Fix(hint, (Put((*value.path[:-1], k.NUMBER), 1),))
    return this.diagnostic(value, message, hint, on_key=True, fix=fix)


@rule("VOLC012", Severity.INFO, missing=True, constraint=is_capped_alone(k.CORES))
def compute_has_a_hard_cap(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """A container with `volcano.sh/vgpu-cores` of 1 to 99 sets `GPU_CORE_UTILIZATION_POLICY`; without it, a
    pod that is alone on its card has no cap.

    ## What it does
    Reports `volcano.sh/vgpu-cores` from 1 to 99 without the variable `GPU_CORE_UTILIZATION_POLICY`.

    ## Why
    HAMi-core limits compute only while other containers use the card: a pod that is alone gets all of it.

    ## Source
    Project-HAMi/HAMi-core, set_env_utilization_switch, and its issue 104.
    """
    return this.diagnostic(violation.value_at, *not_capped_alone(violation), on_key=True)


@rule("VOLC013", Severity.INFO, missing=True, constraint=CHOOSES_MODELS)
def listed_models_are_alone(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A card model in `nvidia.com/use-gputype` of a Volcano pod is not a part of the name of another model.

    ## What it does
    Reports a model in `nvidia.com/use-gputype` whose name is a part of that of other cards, such as A10 and
    A100, H20 and H200, L4 and L40, where the list has not these too. Nothing beside
    `nvidia.com/nouse-gputype`.

    ## Why
    The list has parts of names, which are searched for in any case: `A10` is in `NVIDIA A100-SXM4-80GB`. The
    pod runs on whichever of these cards has room.

    ## Source
    volcano-sh/volcano, pkg/scheduler/api/devices/nvidia/vgpu (2026-08-20).
    """
    for message, hint in other_models(pod, context.profile):
        yield this.diagnostic(violation.value_at, message, hint)
