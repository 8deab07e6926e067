"""The rules of HAMi that do not follow from its rows. Codes are those of this tool."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends import hami as k
from gpuxlate.backends.hami import HamiProfile
from gpuxlate.backends.hami_family import CHOOSES_MODELS, is_capped_alone, not_capped_alone, other_models
from gpuxlate.backends.pod_reader import requesting, written_name
from gpuxlate.model.diagnostics import Diagnostic, Fix, Remove, Severity
from gpuxlate.model.keys import NVIDIA_GPU, Range
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.key_index import key_index_of
from gpuxlate.rules.predicates import (
    Constraint,
    EnvIs,
    InRange,
    IsAnnotated,
    NodeIsNamed,
    Privileged,
    Requests,
    SomeContainer,
    Violation,
)


@rule(
    "HAMI006",
    Severity.INFO,
    missing=True,
    constraint=Constraint(
        Requests(*k.SHARE_KEYS),
        when=InRange(NVIDIA_GPU) & ~InRange(NVIDIA_GPU, Range(0, 0)),
        keys=(NVIDIA_GPU,),
    ),
)
def cards_are_shared(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """A container with `nvidia.com/gpu` in a HAMi pod also sets `nvidia.com/gpumem`,
    `nvidia.com/gpumem-percentage` or `nvidia.com/gpucores`.

    ## What it does
    Reports `nvidia.com/gpu` without `gpumem`, `gpumem-percentage` and `gpucores`, in pods with other
    keys of HAMi.

    ## Why
    The webhook adds `gpucores: 100`, which makes the cards exclusive to the container.

    ## Source
    Project-HAMi/HAMi, pkg/device/nvidia/device.go (2026-08-21); Project-HAMi/HAMi, issues 888 and 1173.
    """
    name = written_name(violation.value_at, NVIDIA_GPU)
    return this.diagnostic(
        violation.value_at,
        msg("{key} alone makes the cards exclusive to the container", key=name),
        msg(
            "add {memory} or {cores} for a part of each card, or {cores}: {full} for exclusive cards",
            memory=k.MEMORY,
            cores=k.CORES,
            full=100,
        ),
        on_key=True,
    )


@rule("HAMI008", Severity.ERROR, constraint=Constraint(~Privileged(), keys=k.REQUESTS))
def container_is_not_privileged(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic:
    """A container with a share of HAMi has no `securityContext.privileged: true`.

    ## What it does
    Reports `securityContext.privileged: true`.

    ## Why
    A privileged container sees every card of the node, so the webhook refuses the pod.

    ## Source
    Project-HAMi/HAMi, pkg/scheduler/webhook.go (2026-08-21).
    """
    message = "a privileged container requests a share; HAMi's webhook refuses the pod"
    privileged = violation.container.privileged or violation.value_at
    return this.diagnostic(privileged, message, "remove privileged, or set it on a container without a share")


@rule(
    "HAMI009",
    Severity.ERROR,
    constraint=Constraint(
        ~NodeIsNamed(), when=SomeContainer(Requests(*k.REQUESTS)), keys=("nodeName",), per_container=False
    ),
)
def node_is_not_named(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A pod with a share of HAMi sets no `nodeName`.

    ## What it does
    Reports `nodeName` in a pod with HAMi's keys. Nothing of a pod that has been scheduled: one that a
    server has (`uid`, `status`), or that HAMi's scheduler has written on.

    ## Why
    Such a pod bypasses every scheduler, so the webhook refuses it.

    ## Source
    Project-HAMi/HAMi, pkg/scheduler/webhook.go (2026-08-21).
    """
    if not key_index_of(context).placed_by_scheduler(pod):
        named = violation.value_at
        message = msg("nodeName is {name}; HAMi's webhook refuses pods with nodeName", name=named.text)
        yield this.diagnostic(named, message, "choose the node by nodeSelector kubernetes.io/hostname")


@rule(
    "HAMI010",
    Severity.WARNING,
    fix="unsafe",
    constraint=Constraint(~EnvIs(k.DISABLE_CONTROL, "true", any_case=True), keys=k.SHARE_KEYS),
)
def isolation_is_on(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """A container with a share of HAMi has no `CUDA_DISABLE_CONTROL: "true"`.

    ## What it does
    Reports `CUDA_DISABLE_CONTROL: "true"` in a container with `gpumem`, `gpumem-percentage` or
    `gpucores`.

    ## Why
    The variable turns off all isolation of HAMi: the container can use the whole card.

    ## Fix
    Removes the variable. Unsafe: it may be intended.

    ## Source
    Project-HAMi/HAMi, issue 1678.
    """
    off = violation.container.env[k.DISABLE_CONTROL]
    return this.diagnostic(
        off,
        msg("{key} turns off the limits of this container", key=k.DISABLE_CONTROL),
        "remove the variable",
        fix=Fix(msg("remove {key}", key=k.DISABLE_CONTROL), (Remove(off.path),), safe=False),
    )


@rule(
    "HAMI012",
    Severity.WARNING,
    constraint=tuple(Constraint(~IsAnnotated(k.MODE, "mig"), keys=(name,)) for name in (k.PERCENT, k.CORES)),
)
def mig_counts_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """With `nvidia.com/vgpu-mode: mig`, a container sets `nvidia.com/gpumem`, not
    `nvidia.com/gpumem-percentage` or `nvidia.com/gpucores`.

    ## What it does
    Reports `gpumem-percentage` and `gpucores` where `nvidia.com/vgpu-mode` is `mig`.

    ## Why
    HAMi selects the smallest MIG profile with enough MiB; compute comes with the profile.

    ## Source
    Project-HAMi/HAMi, examples/nvidia/dynamic_mig_example.yaml (2026-08-21).
    """
    message = msg("{key} has no effect in MIG mode, where memory selects the profile", key=violation.name)
    return this.diagnostic(violation.value_at, message, msg("request {key}", key=k.MEMORY), on_key=True)


@rule(
    "HAMI013",
    Severity.ERROR,
    missing=True,
    no_policy="it compares an unknown name with all known ones, letter by letter",
)
def count_has_a_known_name(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Beside `nvidia.com/gpumem`, the number of cards is in `nvidia.com/gpu` or another name that HAMi reads.

    ## What it does
    Reports an unknown resource of `nvidia.com`, or one with `gpu` in its name, in a container with HAMi's
    memory or compute and without a known count. Known are `nvidia.com/gpu`, `nvidia.com/vgpu`,
    `nvidia.com/gpualloc`, and the name in a profile.

    ## Why
    HAMi's chart lets operators rename the count. Without one the share is on one card: where the unknown
    resource is the count, it may be on several.

    ## Source
    Project-HAMi/HAMi, charts/hami/values.yaml, `resourceName` (2026-08-21).
    """
    words = key_index_of(context)
    for container in requesting(pod, *k.SHARE_KEYS):
        if NVIDIA_GPU in container.resources or any(
            name in container.resources for name in HamiProfile.of(context.profile).renamed
        ):
            continue  # under two names: HAMI014
        for name, value in container.resources.items():
            if _may_count(name) and not words.rows(name) and words.near_miss(name) is None:
                yield this.diagnostic(
                    value,
                    msg(
                        "{name} is unknown and {count} is not set: the number of cards is not certain",
                        name=name,
                        count=NVIDIA_GPU,
                    ),
                    msg(
                        "write {count}, or set hami.resourceNames.count in a profile where the cluster has "
                        "that name for it",
                        count=NVIDIA_GPU,
                    ),
                    on_key=True,
                )


def _may_count(name: str) -> bool:
    domain, _, resource = name.partition("/")
    return bool(resource) and (f".{domain}".endswith(".nvidia.com") or "gpu" in resource.lower())


@rule("HAMI016", Severity.INFO, missing=True, constraint=is_capped_alone(k.CORES))
def compute_has_a_hard_cap(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """A container with `nvidia.com/gpucores` of 1 to 99 sets `GPU_CORE_UTILIZATION_POLICY`; without it, a pod
    that is alone on its card has no cap.

    ## What it does
    Reports `nvidia.com/gpucores` from 1 to 99 without the variable `GPU_CORE_UTILIZATION_POLICY`.

    ## Why
    HAMi limits compute only while other containers use the card: a pod that is alone gets all of it.

    ## Source
    Project-HAMi/HAMi, issues 737, 875, 786 and 424; Project-HAMi/HAMi-core, issue 37.
    """
    return this.diagnostic(violation.value_at, *not_capped_alone(violation), on_key=True)


@rule("HAMI017", Severity.INFO, missing=True, constraint=CHOOSES_MODELS)
def listed_models_are_alone(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A card model in `nvidia.com/use-gputype` of a HAMi pod is not a part of the name of another model.

    ## What it does
    Reports a model in `nvidia.com/use-gputype` whose name is a part of that of other cards, such as A10 and
    A100, H20 and H200, L4 and L40, where the list has not these too. Nothing beside
    `nvidia.com/nouse-gputype`.

    ## Why
    The list has parts of names, which are searched for in any case: `A10` is in `NVIDIA A100-SXM4-80GB`. The
    pod runs on whichever of these cards has room.

    ## Source
    Project-HAMi/HAMi, pkg/device/devices.go, CheckType (2026-08-21); Project-HAMi/HAMi, pull request 295;
    Project-HAMi/HAMi-core, issue 137.
    """
    for message, hint in other_models(pod, context.profile):
        yield this.diagnostic(violation.value_at, message, hint)
