"""Rules of ACK that need a cluster profile."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.facts import cards_of, units_of_card
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.backends.alibaba.rules.examples import A10, OPEN_SOURCE, part, shown
from gpuxlate.backends.numbers import too_many_cards, whole_numbers
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import card_of
from gpuxlate.rules.base import Context, Page, Rule, rule


@rule(
    "ACK003",
    Severity.ERROR,
    no_policy="it compares with the cards of a profile",
    page=Page(shown(part(16), count=8, profile="cards: {perNode: 4}"), shown(part(16), count=4)),
)
def cards_fit_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The cards of a pod fit on one node.

    ## What it does
    With a profile that sets `cards.perNode`, reports a label `aliyun.com/gpu-count` or a number of
    `aliyun.com/gpu` above that.

    ## Why
    The cards of a share are on one node.

    ## Source
    ACK, page multi-card-sharing-through-shared-gpu-scheduling, 2025-04-19.
    """
    pod = pod.with_workload()
    most = card_of(context.profile, k.NAMES).per_node
    if most is None:
        return
    label = pod.labels.get(k.COUNT)
    requested = [(value, number) for _, value, number in whole_numbers(pod, k.TOPOLOGY)]
    if label:
        requested.insert(0, (label, cards_of(pod)))
    for value, cards in requested:
        if cards > most:
            yield this.at(value, *too_many_cards(cards, most))


@rule(
    "ACK004",
    Severity.ERROR,
    no_policy="it compares with the cards of a profile",
    page=Page(shown(part(23), profile=A10), shown(part(22))),
)
def memory_fits_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
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
    pod = pod.with_workload()
    most = units_of_card(context.profile)
    if most is None:
        return
    cards = cards_of(pod)
    for _, value, units in whole_numbers(pod, k.MEMORY):
        if units > most * cards:
            text = "requests {units} units of memory per GPU; GPUs in this profile have {there}"
            message = say(text, units=-(-units // cards), there=most)
            hint = say("write at most {most}, or request whole cards", most=most * cards)
            yield this.at(value, message, hint, missing=k.COUNT not in pod.labels)


@rule(
    "ACK013",
    Severity.ERROR,
    no_policy="that the plug-in is the open-source one is in a profile",
    page=Page(shown(part(1), part(2), profile=OPEN_SOURCE), shown(part(3), part())),
)
def one_sharing_container_in_open_source(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
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
    if not AlibabaProfile.of(context.profile).open_source:
        return
    found = [value for container, value, _ in whole_numbers(pod, k.MEMORY) if not container.init]
    for value in found[1:]:
        text = "{count} containers of the pod request {key}; open-source gpushare supports one"
        message = say(text, count=len(found), key=k.MEMORY)
        yield this.at(value, message, "use a separate pod for each container", on_key=True)


@rule(
    "ACK014",
    Severity.ERROR,
    no_policy="that the plug-in is the open-source one is in a profile",
    page=Page(shown(part(8), count=2, profile=OPEN_SOURCE), shown(part(8))),
)
def one_card_in_open_source(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """With open-source gpushare, a pod shares one card.

    ## What it does
    With a profile that sets `openSource: true`, reports a label `aliyun.com/gpu-count` above 1.

    ## Why
    The open-source scheduler extender puts all memory of a pod on one card.

    ## Source
    AliyunContainerService/gpushare-scheduler-extender, `docs/designs/designs.md` at c0b6141.
    """
    pod = pod.with_workload()
    label, cards = pod.labels.get(k.COUNT), cards_of(pod)
    if label and cards > 1 and AlibabaProfile.of(context.profile).open_source:
        message = say("{key} is {cards}; open-source gpushare shares one card", key=k.COUNT, cards=cards)
        yield this.at(label, message, "remove the label, and request at most the memory of one card")


@rule(
    "ACK016",
    Severity.WARNING,
    no_policy="it compares with the cards of a profile",
    page=Page(shown(part(1), profile=A10), shown(part(2))),
)
def pods_fit_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
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
    pod = pod.with_workload()
    room = units_of_card(context.profile)
    if room is None:
        return
    cards = cards_of(pod)
    for _, value, units in whole_numbers(pod, k.MEMORY):
        if units > 0 and units % cards == 0 and room // (units // cards) > k.PODS_PER_CARD:
            text = "{fit} such shares fit the memory of a card; ACK runs at most 16 to {most} pods on it"
            message = say(text, fit=room // (units // cards), most=k.PODS_PER_CARD)
            yield this.at(value, message, "request more memory, or plan for unused memory")
