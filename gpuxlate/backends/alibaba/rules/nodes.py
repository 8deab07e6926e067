"""Rules of ACK about the nodes that a pod chooses and what they isolate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.backends.alibaba.rules.examples import part, shown
from gpuxlate.backends.numbers import requesting, whole_numbers
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import say
from gpuxlate.model.pod import NodeRequirement, PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.rules.base import Context, Page, Rule, rule
from gpuxlate.rules.predicates.conditions import Allows, Amount, Asks, ChoosesAmong, EnvIs, SomeContainer
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.predicates.with_profile import MODES, WithProfile

SHARE = Allows(k.SCHEDULE, k.SHARE_MODE)
COMPUTE, MEMORY = SomeContainer(Asks(k.CORE)), SomeContainer(Amount(k.MEMORY))
PROBABLE = ChoosesAmong(k.SCHEDULE, *k.MODES, *k.UNCONFIRMED_MODES)
CONFIRMED = ChoosesAmong(k.SCHEDULE, *k.MODES)
ON_CORE_MEM = Predicate(  # a mode that no node has is ACK017
    Allows(k.SCHEDULE, k.CORE_MEM), COMPUTE & CONFIRMED, (k.SCHEDULE,), each=False
)
KNOWN = (
    Predicate(PROBABLE, at=(k.SCHEDULE,), each=False),
    Predicate(CONFIRMED, PROBABLE, (k.SCHEDULE,), each=False, severity=Severity.WARNING),
    Predicate(ChoosesAmong(k.PLACEMENT, *k.PLACEMENTS), at=(k.PLACEMENT,), each=False),
)
WITH_MEMORY = SomeContainer(Asks(k.MEMORY))


def _on_share_nodes(profile: Profile) -> tuple[Predicate, ...]:
    """Without a mode of its own, a pod goes to nodes of the profile's mode."""
    ack = AlibabaProfile.of(profile)
    if ack.memory_unit_mib != k.SMALL_UNIT_MIB:
        return ()
    must = ~Allows(k.SCHEDULE, *(one for one in k.MODES if one != k.SHARE_MODE))
    if ack.isolation != k.SHARE_MODE:
        must &= Allows(k.SCHEDULE, re.compile(".*"))
    return (Predicate(must, WITH_MEMORY, (k.SCHEDULE,), each=False),)


NOT_SHARE_MODE = Predicate(~SHARE, MEMORY, (k.SCHEDULE,), each=False)
NOT_DISABLED = Predicate(~EnvIs(k.DISABLE, *k.DISABLE_ON, any_case=True), Amount(k.MEMORY), (k.MEMORY,))
NOT_ENFORCED = say("{key} is not enforced: memory is counted, not isolated", key=k.MEMORY)
HINT = "the program must limit its own memory, to ALIYUN_COM_GPU_MEM_CONTAINER"


@rule(
    "ACK008",
    Severity.WARNING,
    fix="unsafe",
    predicate=ON_CORE_MEM,
    page=Page(shown(part(2, 30)), shown(part(2, 30), mode="core_mem")),
)
def compute_runs_on_core_mem(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A pod with `aliyun.com/gpu-core.percentage` chooses nodes of mode `core_mem`.

    ## What it does
    Reports compute in a pod whose nodeSelector (or required node affinity) on `ack.node.gpu.schedule` is
    missing or names another mode.

    ## Why
    Only `core_mem` nodes share compute, and pods with and without compute cannot share a node. The vendor
    recommends a node selector for each job.

    ## Fix
    Sets the nodeSelector where none is set. Unsafe: it changes where the pod may run.

    ## Source
    ACK, page use-cgpu-to-allocate-computing-power, 2026-03-26.
    """
    chosen, names = pod.allowed(k.SCHEDULE), {"key": k.CORE, "mode": k.CORE_MEM, "label": k.SCHEDULE}
    if not chosen:
        hint = say("add nodeSelector {label}: {mode}", **names)
        fix = Fix(hint, (Put((*pod.path, "nodeSelector", k.SCHEDULE), k.CORE_MEM),), safe=False)
        message = say("{key} needs nodes of mode {mode}; the pod chooses no mode", **names)
        where = requesting(pod, k.CORE)[0].resources[k.CORE]
        yield this.at(where, message, hint, on_key=True, fix=fix, missing=True)
    for mode, path in [one for one in chosen if one[0] in k.MODES][:1]:  # others: ACK017
        message = say("{key} needs nodes of mode {mode}; the pod chooses {chosen}", chosen=mode, **names)
        yield this.at(path, message, say("write {label}: {mode}, or remove {key}", **names))


@rule(
    "ACK015",
    Severity.ERROR,
    with_profile=WithProfile(_on_share_nodes, MODES),
    page=Page(
        shown(part(16), mode="cgpu", profile="alibaba: {memoryUnitMiB: 128, isolation: share}"),
        shown(part(16), mode="share"),
    ),
)
def small_unit_on_share_nodes(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A unit of 128 MiB is used on nodes of mode `share` only.

    ## What it does
    With a profile that sets `memoryUnitMiB: 128`, reports pods with `aliyun.com/gpu-mem` that choose a
    mode other than `share` (or no mode, where `isolation` of the profile is another).

    ## Why
    ACK supports the 128 MiB unit only on nodes without isolation. Where a unit is 1 GiB, the same number
    requests eight times as much.

    ## Source
    ACK, page modify-the-smallest-allocatable-unit-for-gpu-sharing, 2026-02-28.
    """
    ack, sharing = AlibabaProfile.of(context.profile), requesting(pod, k.MEMORY)
    chosen = pod.allowed(k.SCHEDULE)
    for mode, path in chosen or [(ack.isolation, sharing[0].resources[k.MEMORY].path)]:
        if mode != k.SHARE_MODE and mode in k.MODES:
            text = "nodes of mode {mode} do not support the unit of {unit} MiB of this profile"
            hint = "choose nodes of mode {mode}, or set memoryUnitMiB: 1024 in the profile"
            message = say(text, mode=mode, unit=k.SMALL_UNIT_MIB)
            yield this.at(path, message, say(hint, mode=k.SHARE_MODE), missing=not chosen)
            return


@rule(
    "ACK017",
    Severity.ERROR,
    fix="safe",
    predicate=KNOWN,
    page=Page(shown(part(2), mode="core-mem"), shown(part(2), mode="core_mem")),
)
def known_mode_and_placement(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """Node selectors use a mode and a placement of ACK.

    ## What it does
    Reports unknown values of `ack.node.gpu.schedule` and `ack.node.gpu.placement` in a nodeSelector or a
    required node affinity. The mode `mig`, known from one blog only, is a warning.

    ## Why
    No node has another value: the pod is never scheduled.

    ## Fix
    In a nodeSelector, writes the value that differs only in case and hyphens.

    ## Source
    ACK, page enable-scheduling (labels of GPU nodes), 2026-01-12.
    """
    known = k.MODES if breach.name == k.SCHEDULE else k.PLACEMENTS
    for one in pod.choices(breach.name):
        for text in one.values if one.operator in ("In", "NotIn") else ():
            unconfirmed = breach.name == k.SCHEDULE and text in k.UNCONFIRMED_MODES
            if text not in known and unconfirmed == (this.severity is Severity.WARNING):
                yield _unknown(this, breach.name, known, text, one)


def _unknown(this: Rule, name: str, known: tuple[str, ...], text: str, where: NodeRequirement) -> Diagnostic:
    if name == k.SCHEDULE and text in k.UNCONFIRMED_MODES:
        message = say("{label}: {value} is not in the documentation of ACK", label=name, value=text)
        return this.at(where, message, "check that the nodes have this label")
    meant, fix = text.strip().lower().replace("-", "_"), None
    hint = say("write one of {known}", known=", ".join(known))
    if meant in known:
        hint = say("did you mean {value}?", value=meant)
        in_selector = where.path[-2:] == ("nodeSelector", name)
        fix = Fix(say("write {meant}", meant=meant), (Put(where.path, meant),)) if in_selector else None
    return this.at(where, say("no node has {label}: {value}", label=name, value=text), hint, fix=fix)


def _counted_alone(pod: PodKeys, context: Context) -> bool:
    """The nodes of the profile do not isolate the memory of the pod."""
    ack = AlibabaProfile.of(context.profile)
    return ack.open_source or (not pod.allowed(k.SCHEDULE) and ack.isolation == k.SHARE_MODE)


def by_profile(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Memory that nodes of the profile do not isolate."""
    for _, value, _ in list(whole_numbers(pod, k.MEMORY))[:1]:
        if _counted_alone(pod, context) and not SHARE.holds(pod):
            open_source = AlibabaProfile.of(context.profile).open_source
            yield this.at(value, NOT_ENFORCED, HINT, missing=not open_source)


@rule(
    "ACK019",
    Severity.INFO,
    predicate=(NOT_SHARE_MODE, NOT_DISABLED),
    also=by_profile,
    page=Page(shown(part(3), mode="share"), shown(part(3), mode="cgpu")),
)
def memory_is_isolated(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The memory that a container requests is enforced.

    ## What it does
    Reports `aliyun.com/gpu-mem` that is counted but not isolated: on nodes of mode `share`, with
    `CGPU_DISABLE: "true"`, and with a profile of open-source gpushare.

    ## Why
    Nothing stops such a program from using the memory of other containers. It must read its limit from
    `ALIYUN_COM_GPU_MEM_CONTAINER`.

    ## Source
    ACK, alibabacloud.com/help/doc-detail/2523313.html, 2026-03-26; `docs/userguide.md` of
    AliyunContainerService/gpushare-scheduler-extender at c0b6141.
    """
    if breach.container is None:
        path = next(path for mode, path in pod.allowed(k.SCHEDULE) if mode == k.SHARE_MODE)
        yield this.at(path, NOT_ENFORCED, HINT)
    elif not SHARE.holds(pod) and not _counted_alone(pod, context):
        message = say("{variable} turns off memory isolation of this container", variable=k.DISABLE)
        yield this.at(breach.inside.env[k.DISABLE], message, HINT)
