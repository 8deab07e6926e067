"""Rules of ACK that need a cluster profile."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.facts import cards_of, units_of_card
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.backends.alibaba.rules.examples import A10, OPEN_SOURCE, part, shown
from gpuxlate.backends.numbers import too_many_cards, whole_numbers
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Page, Rule, rule
from gpuxlate.rules.predicates.conditions import (
    ALWAYS,
    Amount,
    Condition,
    ContainersAtMost,
    Divides,
    IsInit,
    Label,
    Labelled,
)
from gpuxlate.rules.predicates.parameters import Within
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.predicates.with_profile import CARDS, MODES, WithProfile, card_memory, cards_per_node

COUNTED, BY_LABEL = Labelled(k.COUNT, k.CARDS), Label(k.COUNT)
DIVIDED = (COUNTED & Divides(k.MEMORY, BY_LABEL)) | ~COUNTED
ONE_CONTAINER = Predicate(ContainersAtMost(~IsInit() & Amount(k.MEMORY), 1), each=False)
ONE_CARD = Predicate(~Labelled(k.COUNT, Range(2)), COUNTED, (k.COUNT,), each=False)


def _of_node(profile: Profile) -> tuple[Predicate, ...]:
    most = cards_per_node(profile, k.NAMES)
    if most is None:
        return ()
    labelled = Predicate(Within(BY_LABEL, most), COUNTED, (k.COUNT,), each=False)
    return labelled, Predicate(Within(k.TOPOLOGY, most), Amount(k.TOPOLOGY), (k.TOPOLOGY,))


def _within(profile: Profile, shares: int = 1) -> Condition:
    """So many times the memory is, on each card, within a card; true where the profile has none."""
    unit = AlibabaProfile.of(profile).memory_unit_mib
    most = card_memory(profile, k.NAMES, unit * shares)
    if most is None:
        return ALWAYS
    return (COUNTED & Within(k.MEMORY, most, BY_LABEL)) | (~COUNTED & Within(k.MEMORY, most))


def _of_card(profile: Profile) -> tuple[Predicate, ...]:
    within = _within(profile)
    return () if within == ALWAYS else (Predicate(within, Amount(k.MEMORY), (k.MEMORY,)),)


def _not_too_many(profile: Profile) -> tuple[Predicate, ...]:
    within = _within(profile, k.PODS_PER_CARD + 1)
    asked = Amount(k.MEMORY, Range(1)) & DIVIDED
    return () if within == ALWAYS else (Predicate(~within, asked, (k.MEMORY,)),)


def _in_open_source(one: Predicate, profile: Profile) -> tuple[Predicate, ...]:
    return (one,) if AlibabaProfile.of(profile).open_source else ()


@rule(
    "ACK003",
    Severity.ERROR,
    with_profile=WithProfile(_of_node, CARDS),
    page=Page(shown(part(16), count=8, profile="cards: {perNode: 4}"), shown(part(16), count=4)),
)
def cards_fit_node(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """The cards of a pod fit on one node.

    ## What it does
    With a profile that sets `cards.perNode`, reports a label `aliyun.com/gpu-count` or a number of
    `aliyun.com/gpu` above that.

    ## Why
    The cards of a share are on one node.

    ## Source
    ACK, page multi-card-sharing-through-shared-gpu-scheduling, 2025-04-19.
    """
    most = card_of(context.profile, k.NAMES).per_node
    return this.at(breach.there, *too_many_cards(breach.number, most or 0))


@rule(
    "ACK004",
    Severity.ERROR,
    with_profile=WithProfile(_of_card, CARDS),
    page=Page(shown(part(23), profile=A10), shown(part(22))),
)
def memory_fits_card(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A container requests at most the memory of a card, on each of its cards.

    ## What it does
    With a profile that sets `cards.memoryMiB`, reports `aliyun.com/gpu-mem` that is, on each of its
    cards, above the whole units of a card.

    ## Why
    A card of 22731 MiB has 22 units of 1 GiB: the remainder is spread over them. A pod with more is never
    scheduled.

    ## Source
    AlibabaCloudDocs/csk, "Enable GPU sharing", 2021. The 22731 MiB of an A10: Volcengine, EMR Serverless
    mGPU.
    """
    most, cards = units_of_card(context.profile) or 0, cards_of(pod)
    text = "requests {units} units of memory per GPU; GPUs in this profile have {there}"
    message = say(text, units=-(-breach.number // cards), there=most)
    hint = say("write at most {most}, or request whole cards", most=most * cards)
    return this.at(breach.there, message, hint, missing=k.COUNT not in pod.labels)


@rule(
    "ACK013",
    Severity.ERROR,
    with_profile=WithProfile(partial(_in_open_source, ONE_CONTAINER), MODES),
    page=Page(shown(part(1), part(2), profile=OPEN_SOURCE), shown(part(3), part())),
)
def one_sharing_container_in_open_source(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """With open-source gpushare, one container of a pod requests `aliyun.com/gpu-mem`.

    ## What it does
    With a profile that sets `openSource: true`, reports the second and further containers.

    ## Why
    The open-source device plugin finds a pod by the sum of its memory, so it finds none for a container
    with a part of it (nodes with several cards).

    ## Source
    AliyunContainerService/gpushare-device-plugin, `pkg/gpu/nvidia/allocate.go` at 45fb8b8; issues 143,
    185, 219 of gpushare-scheduler-extender.
    """
    found = [value for container, value, _ in whole_numbers(pod, k.MEMORY) if not container.init]
    for value in found[1:]:
        text = "{count} containers of the pod request {key}; open-source gpushare supports one"
        message = say(text, count=len(found), key=k.MEMORY)
        yield this.at(value, message, "use a separate pod for each container", on_key=True)


@rule(
    "ACK014",
    Severity.ERROR,
    with_profile=WithProfile(partial(_in_open_source, ONE_CARD), MODES),
    page=Page(shown(part(8), count=2, profile=OPEN_SOURCE), shown(part(8))),
)
def one_card_in_open_source(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """With open-source gpushare, a pod shares one card.

    ## What it does
    With a profile that sets `openSource: true`, reports a label `aliyun.com/gpu-count` above 1.

    ## Why
    The open-source scheduler extender puts all memory of a pod on one card.

    ## Source
    AliyunContainerService/gpushare-scheduler-extender, `docs/designs/designs.md` at c0b6141.
    """
    message = say("{key} is {cards}; open-source gpushare shares one card", key=k.COUNT, cards=breach.number)
    return this.at(breach.there, message, "remove the label, and request at most the memory of one card")


@rule(
    "ACK016",
    Severity.WARNING,
    with_profile=WithProfile(_not_too_many, CARDS),
    page=Page(shown(part(1), profile=A10), shown(part(2))),
)
def pods_fit_card(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A share is large enough that the pods that fit a card are within the limit of ACK.

    ## What it does
    With a profile that sets `cards.memoryMiB`, reports shares of which more than 20 fit a card.

    ## Why
    The vendor's pages give 16 and 20 as the maximum of pods on a card. With smaller shares, a part of the
    memory of a card is never used.

    ## Source
    ACK, page modify-the-smallest-allocatable-unit-for-gpu-sharing, 2026-02-28 (16); page
    install-and-use-ack-ai-installer-and-the-gpu-inspection-tool, 2026-06-23 (20).
    """
    fit = (units_of_card(context.profile) or 0) // (breach.number // cards_of(pod))
    text = "{fit} such shares fit the memory of a card; ACK runs at most 16 to {most} pods on it"
    message = say(text, fit=fit, most=k.PODS_PER_CARD)
    return this.at(breach.there, message, "request more memory, or plan for unused memory")
