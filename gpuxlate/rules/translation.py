"""The rules of a translation: what has no vendor's rule of its own (GX020 to GX023)."""

from __future__ import annotations

from collections.abc import Iterable

from gpuxlate.model.diagnostics import Severity
from gpuxlate.rules.base import Rule, Scope, rule


def percent_in_mib(percent: int, given: int, card_mib: int) -> str:
    """Message of GX017."""
    return (
        f"memoryPercent {percent} becomes memoryMiB {given}, since a card of the profile has {card_mib} MiB: "
        "on other cards it is another part"
    )


def scheduler_changes(old: str, new: str | None) -> str:
    """Message of GX018."""
    return f"schedulerName {old} " + (f"becomes {new}" if new else "is taken out: it belongs to the source")


def contradiction(field: str, said: Iterable[str]) -> tuple[str, str]:
    """Message and hint of GX022."""
    values = ", ".join("none" if one == "None" else one for one in said)
    return (
        f"shares of one pod differ in {field} ({values}), which belongs to the pod",
        f"give all containers of the pod the same {field}, or put them in pods of their own",
    )


@rule("GX020", Severity.ERROR, scope=Scope.TRANSLATION)
def field_without_place(this: Rule, field: str, target: str) -> str:
    """The target supports every field of the share.

    ## What it does
    Refuses a translation that would lose a field without a word: a policy or a QoS class that the
    target has no key for, or a node selector of the source that has no counterpart.

    ## Why
    A dropped field changes what the workload gets, and nobody sees it in the manifest.

    ## Example
    A share with `policy: fixed-share` to `alibaba-gpushare`: the policy there is a setting of the
    whole cluster.

    ## Use instead
    Remove the field from the share, or accept the loss with `--drop policy`.

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    return f"{field} is not supported by {target}"


@rule("GX021", Severity.ERROR, scope=Scope.TRANSLATION)
def open_field(this: Rule, field: str, target: str) -> str:
    """The share gives every field that the target needs.

    ## What it does
    Refuses a translation to a target that needs a field which the share leaves open.

    ## Why
    Any number put there would be a guess.

    ## Example
    A share of memory alone to `tencent-qgpu`: an ordinary qGPU pod asks for compute and memory.

    ## Use instead
    Add the field to the share, or say it for the run: `--fill cores=30` (percent of each card),
    `--fill memoryMiB=8192` (on each card).

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    return f"{field} is not set: {target} needs it"


@rule("GX022", Severity.ERROR, scope=Scope.TRANSLATION)
def one_pod_one_word(this: Rule, field: str, said: Iterable[str]) -> str:
    """Shares of one pod agree where the target speaks for the pod.

    ## What it does
    Refuses two containers of a pod that differ in `policy` or `qos`, and several shares in a pod
    where the target counts cards on the pod (ACK's label `aliyun.com/gpu-count`).

    ## Why
    The pod has one annotation or label for all of its containers.

    ## Example
    Two GPUShare documents that put `qos: online` and `qos: offline` on two containers of one file.

    ## Use instead
    Give all containers of the pod the same value, or use pods of their own.

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    return contradiction(field, said)[0]


@rule("GX023", Severity.ERROR, scope=Scope.TRANSLATION)
def inexpressible_share(this: Rule, why: str) -> str:
    """The target can say the share in some form.

    ## What it does
    Refuses a share that no key of the target can hold, whatever is rounded, filled or dropped.

    ## Why
    Anything written would be less than was asked, or something else.

    ## Example
    Offline whole cards, to any target; two shared cards of an EMR Serverless job.

    ## Use instead
    Ask for another share, or choose another target: `gpuxlate compare SPEC` shows which can hold it.

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    return why


@rule("GX015", Severity.INFO, scope=Scope.TRANSLATION)
def isolation_stays(this: Rule, old: str, new: str) -> str:
    """The isolation of the share stays what it was.

    ## What it does
    Says that the nodes of the target isolate GPU memory in another way than those of the source, or
    not at all.

    ## Why
    The isolation mode is a choice of nodes and no field of the share, so it is not carried over. A
    program that relied on a hard cap, or on none, may behave differently.

    ## Example
    ACK pods with nodeSelector `ack.node.gpu.schedule: share` (no isolation) to `volcengine-mgpu`,
    which isolates memory always.

    ## Use instead
    Nothing to mend: check that the program keeps within its share.

    ## Source
    Alibaba Cloud, ACK "enable scheduling" (2026-01-12).
    """
    return f"the isolation mode changes from {old} to {new}: it is no field of the share"


@rule("GX016", Severity.INFO, scope=Scope.TRANSLATION)
def whole_cards_have_a_dialect(this: Rule, name: str) -> str:
    """Whole cards are asked for in a vendor's dialect, or the dialect is named.

    ## What it does
    Says that a pod asks for whole cards under the common key alone, and is left as it is.

    ## Why
    Every cloud knows `nvidia.com/gpu`, so it tells no dialect. Alibaba ACK writes whole cards so.

    ## Example
    A Deployment with `nvidia.com/gpu: 1` and no other GPU key, given to `translate --to vke`.

    ## Use instead
    Nothing, if it is to stay; else `--from alibaba-gpushare`, which reads it as whole cards.

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    return f"{name} alone is no vendor's share: left as it is"


@rule("GX017", Severity.INFO, scope=Scope.TRANSLATION)
def percent_stays_percent(this: Rule, percent: int, given: int, card_mib: int) -> str:
    """Memory in percent stays in percent.

    ## What it does
    Says that a profile turned `memoryPercent` into `memoryMiB` for a target that counts MiB, rounded
    up to the next MiB. The share ends as rounded, and the number stands among the changes.

    ## Why
    A percentage fits every card, a number of MiB is right for the one that the profile names.

    ## Example
    `memoryPercent: 50` to `volcengine-mgpu` with a profile of cards of 22731 MiB: `memoryMiB: 11366`.

    ## Use instead
    Nothing to mend: check that the nodes have the card of the profile. Without a profile such a share
    is refused (GX020).

    ## Source
    Contract of gpuxlate, "Units are never guessed".
    """
    return percent_in_mib(percent, given, card_mib)


@rule("GX018", Severity.INFO, scope=Scope.TRANSLATION)
def scheduler_stays(this: Rule, old: str, new: str | None) -> str:
    """The pod keeps its scheduler.

    ## What it does
    Says that a translation takes `schedulerName` out, because it belongs to the source's dialect, or
    replaces it, because the target has effect with one scheduler only.

    ## Why
    A pod that names a scheduler which a cluster does not run stays Pending, without any event.

    ## Example
    A pod with `schedulerName: volcano` and `volcano.sh/vgpu-number: 1` to `tencent-qgpu`.

    ## Use instead
    Nothing to mend. Where the cluster runs that scheduler for another reason, such as gang scheduling,
    write the name again.

    ## Source
    Volcano, "How to use volcano vGPU" (2026-08-20): the scheduler is part of the dialect.
    """
    return scheduler_changes(old, new)


@rule("GX024", Severity.ERROR, scope=Scope.TRANSLATION)
def editable_text(this: Rule, why: str) -> str:
    """The text can be edited at the place, and nowhere else.

    ## What it does
    Refuses an edit that the text does not allow: a comment inside braces that would have to go, an
    entry that shares its line with another, or a result that would differ elsewhere too.

    ## Why
    Every edit is checked by reading the result again. What cannot be checked is not written.

    ## Example
    `limits: {aliyun.com/gpu-mem: 8, # memory` over two lines, where the first entry has to go.

    ## Use instead
    Write the entries on lines of their own, or change them by hand.

    ## Source
    Contract of gpuxlate, "touch nothing else".
    """
    return f"cannot edit: {why}"
