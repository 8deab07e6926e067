"""``gpuxlate inspect``: what a set of manifests requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gpuxlate.backends import registry
from gpuxlate.backends.scheduling_limits import sum_reserved
from gpuxlate.cli import lookup, options, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.tables import table
from gpuxlate.cli.translations import (
    UNREADABLE,
    count_to_each,
    left_as_they_are,
    left_over,
    leftover_table,
    show_findings,
)
from gpuxlate.locale import localize
from gpuxlate.model.amounts import Amount
from gpuxlate.model.declarations import OMITTED, Count, Output, Printed, Sometimes, record
from gpuxlate.model.diagnostics import ObjectRef, Severity
from gpuxlate.model.errors import Exit
from gpuxlate.model.messages import msg, plural
from gpuxlate.model.share import Share
from gpuxlate.rules.number_format import MOST_PLAUSIBLE_MIB
from gpuxlate.translation.items import Item, counted_once
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.options import Settings
from gpuxlate.translation.quotas.items import PrintedQuota
from gpuxlate.translation.read import READ

MOST_PLAUSIBLE_CARDS = 1024
"""More cards than any node has, with all of their clients."""
SOMETIMES = ("device", "isolation")
"""Fields that have a column where a share sets them."""


@record
class InspectedShare(Printed):
    """One share."""

    file: str
    """The file as it was given; <stdin> for standard input."""
    kind: str
    """kind of the object; empty where it has none."""
    namespace: str | None
    """metadata.namespace of the object."""
    name: str
    """metadata.name of the object; empty where it has none."""
    container: str
    """The container that has the share."""
    init: Sometimes[bool]
    """Its container ends before the others start."""
    kustomization: Sometimes[str]
    """The folder of the kustomization, where one builds the object."""
    target: str
    """The target that the share is of."""
    share: Share | None
    """The share; null where it cannot be read."""
    whole_cards: bool | None
    """It is of whole cards; null: the share is not known."""
    replicas: Count | None
    """How many of the pod; null: one for each node."""
    shared_with: Sometimes[Sequence[str]]
    """Other containers that use the same claim."""
    one_claim: Sometimes[bool]
    """All replicas use one claim."""
    derived: Sometimes[Amount]
    """What its partitions or replicas amount to, where something says it."""


@record
class TargetSums(Printed):
    """The shares of one target, over all replicas; what parts of cards amount to is in no sum."""

    pods: Count
    """Pods."""
    cards: Count
    """Cards that are shared."""
    whole_cards: Count
    """Whole cards."""
    cores: Count
    """Compute in percent of one card."""
    memory_mib: Count
    """GPU memory in MiB."""
    parts: Sometimes[Count]
    """Partitions and replicas of cards."""


@record
class Inspection(Output):
    """What inspect -o json prints."""

    KIND: ClassVar[str] = "inspect"
    items: Sequence[InspectedShare]
    """Every share."""
    totals: Mapping[str, TargetSums]
    """The sums by target."""
    quotas: Sequence[PrintedQuota]
    """Every amount of a quota that is read."""
    leftovers: Sequence[Leftover]
    """Every place that is not counted."""


def command(
    paths: options.Paths = options.CURRENT_FOLDER,
    from_: options.From = None,
    profile: options.ProfileFile = None,
    components: options.Components = [],
    kustomize: options.Kustomize = None,
    output: options.TableOutput = "table",
) -> int:
    """List the shares that manifests request: workload, target, cards, cores, MiB, replicas, totals."""
    source = lookup.target(from_) if from_ else None
    settings = Settings.reading(source, lookup.profile(profile, components=components))
    (run,) = count_to_each(Inputs(paths, kustomize).some(or_excluded=True), [settings], READ)
    broken = [finding for finding in run.diagnostics if finding.code in (*UNREADABLE, "GX012")]
    show_findings(run, [*broken, *left_as_they_are(run)])
    if output == "json":
        items = [*map(_printed, run.items)]
        quotas = [quota.read() for quota in run.quotas]
        printing.json_out(Inspection(items, totals_of_items(run.items), quotas, run.leftovers).to_json())
    else:
        printing.out(_text(run.items))
        if run.quotas:
            lines = [[_name(q.object), q.place, q.key, q.amount or f"? ({q.value})"] for q in run.quotas]
            printing.out(f"\n{table(['OBJECT', 'AT', 'RESOURCE', 'AMOUNT'], lines)}")
        if run.leftovers:
            files = len({leftover.diagnostic.file for leftover in run.leftovers})
            note = localize(
                msg(
                    "{leftovers} in {files}, not counted above",
                    leftovers=left_over(run),
                    files=plural(files, "{count} file", "{count} files"),
                )
            )
            printing.out(f"\n{note}\n\n{leftover_table(run.leftovers)}")
    if run.unreadable:
        return Exit.INPUT
    failed = any(finding.severity is Severity.ERROR for finding in broken)
    return Exit.FINDINGS if failed else Exit.CLEAN


def _printed(item: Item) -> InspectedShare:
    return InspectedShare(
        item.file,
        item.object.kind or "",
        item.object.namespace,
        item.object.name or "",
        item.container,
        item.ends or OMITTED,
        item.build or OMITTED,
        item.source,
        item.share,
        item.share.whole_cards if item.share else None,
        item.replicas,
        item.shared_with or OMITTED,
        bool(item.allocation) or OMITTED,
        item.derived or OMITTED,
    )


def totals_of_items(items: Sequence[Item]) -> dict[str, TargetSums]:
    """Sums by target over all replicas; pods of one template count, nodes do not, and a claim that several
    pods name counts once.

    Init containers count as the scheduler of the target counts them. Partitions and replicas of cards are
    ``parts``, which is there where there are some: what they amount to is derived, and in no sum. Nor are
    shares of more than there can be.
    """
    sums_by_target: dict[str, Counter[str]] = {}
    pods: set[tuple[Any, ...]] = set()
    shares: dict[tuple[Any, ...], list[Item]] = {}
    for item in items:
        if item.share is None:
            continue
        sums = sums_by_target.setdefault(item.source, Counter())
        pod = (item.source, *item.template)
        sums["pods"] += 0 if pod in pods else 1 if item.replicas is None else item.replicas
        pods.add(pod)
    for item in counted_once(items):
        if item.share is not None and not is_absurd(item.share):
            shares.setdefault((item.source, *item.template, item.times), []).append(item)
    for (source, *_, times), of_pod in shares.items():
        numbers = ((item.init, item.sidecar, _amounts(item.share)) for item in of_pod if item.share)
        for name, number in sum_reserved(numbers, registry.get(source).init_reserved).items():
            sums_by_target[source][name] += number * times
    return {
        source: TargetSums(
            sums["pods"],
            sums["cards"],
            sums["whole_cards"],
            sums["cores"],
            sums["memory_mib"],
            sums.get("parts", OMITTED),
        )
        for source, sums in sums_by_target.items()
    }


def is_absurd(share: Share) -> bool:
    """No node has so many cards, or no card so much memory: a mistake, which would make a sum one too."""
    each = (share.memory_mib or 0) // share.cards
    return share.cards > MOST_PLAUSIBLE_CARDS or each > MOST_PLAUSIBLE_MIB


def _amounts(share: Share) -> dict[str, int]:
    """What a share adds to the sums."""
    if share.is_part:
        part = share.replica or share.partition
        return {"parts": part.count if part else 0}
    return {
        "whole_cards" if share.whole_cards else "cards": share.cards,
        "cores": share.cores or 0,
        "memory_mib": share.memory_mib or 0,
    }


def _text(items: Sequence[Item]) -> str:
    if not items:
        return localize("no share in these manifests") + "\n"
    shown = [n for n in SOMETIMES if any(item.share and getattr(item.share, n) is not None for item in items)]
    several = len({item.build for item in items}) > 1  # their objects may have the same names
    lines = [
        [
            _name(item.object),
            msg("{name} (init)", name=item.containers) if item.ends else item.containers,
            item.source,
            *_numbers(item.share, item.derived),
            *(str(getattr(item.share, name, None) or "") for name in shown),
            _replicas(item),
            *([item.build or ""] if several else []),
        ]
        for item in items
    ]
    head = ["WORKLOAD", "CONTAINER", "TARGET", "CARDS", "CORES %", "MEMORY MiB", "POLICY", "QOS"]
    head += [*map(str.upper, shown), "REPLICAS", *(["KUSTOMIZATION"] if several else [])]
    text = table(head, lines)
    sums = totals_of_items(items)
    columns = {
        "PODS": "pods",
        "WHOLE CARDS": "wholeCards",
        "SHARED CARDS": "cards",
        **(
            {"PARTS": "parts"}
            if any(target_sums.parts is not OMITTED for target_sums in sums.values())
            else {}
        ),
        "CORES %": "cores",
        "MEMORY MiB": "memoryMiB",
    }
    numbers = {target: {"parts": 0, **target_sums.to_json()} for target, target_sums in sums.items()}
    summed = [
        [target, *(str(numbers_of_target[name]) for name in columns.values())]
        for target, numbers_of_target in numbers.items()
    ]
    text = text + "\n" + table(["TOTAL", *columns], summed)
    absurd = sum(item.share is not None and is_absurd(item.share) for item in items)
    if absurd:
        shares = plural(absurd, "{count} share", "{count} shares")
        text += "\n" + localize(msg("{shares} not in the totals: no card has so much", shares=shares)) + "\n"
    derived = {str(item.share.partition or item.share.replica): item.derived for item in items if item.share}
    lines = [[part, amount.numbers, amount.card, amount.source] for part, amount in derived.items() if amount]
    return text + ("\n" + table(["DERIVED", "AMOUNT", "CARD", "SOURCE"], lines) if lines else "")


def _replicas(item: Item) -> str:
    pods = msg("per node") if item.replicas is None else str(item.replicas)
    return msg("{pods}, one claim", pods=pods) if item.allocation else pods


def _name(reference: ObjectRef) -> str:
    return "/".join(part for part in (reference.namespace, reference.kind, reference.name) if part)


def _memory(share: Share) -> str:
    if share.memory_percent is not None:
        return f"{share.memory_percent} %"
    if share.memory_limit_mib is not None:
        return msg("{least} to {most}", least=share.memory_mib, most=share.memory_limit_mib)
    return msg("all") if share.memory_mib is None else str(share.memory_mib)


def _numbers(share: Share | None, derived: Amount | None) -> list[str]:
    """The columns of a share. What a partition or replica amounts to is marked: it is derived."""
    if share is None:
        return ["?", "?", "?", "", ""]
    words = [str(share.policy or ""), str(share.qos or "")]
    if share.is_part:
        amounts = (derived.cores, derived.memory_mib) if derived else (None, None)
        return [
            share.part,
            *("?" if amount is None else msg("{number} derived", number=amount) for amount in amounts),
            *words,
        ]
    whole = share.whole_cards
    cores = msg("whole") if whole else str(share.cores or "-")
    return [str(share.cards), cores, _memory(share), *words]
