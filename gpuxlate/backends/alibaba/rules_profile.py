"""Rules of ACK that only a cluster profile can decide."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.claimed import cards_of, count_label, own_cards, units_of_card, whole_numbers
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule("ACK003", Severity.ERROR)
def cards_fit_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The cards of a pod fit on one node.

    ## What it does
    With a profile that says how many cards a node has, reports a label `aliyun.com/gpu-count` or a
    number of `aliyun.com/gpu` above that.

    ## Why
    The cards of a share must sit on one node.

    ## Example
    ```yaml
    metadata: {labels: {aliyun.com/gpu-count: "8"}}
    spec:
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 16}}
    ```
    ```yaml profile
    target: alibaba-gpushare
    cards: {perNode: 4}
    ```

    ## Use instead
    ```yaml
    metadata: {labels: {aliyun.com/gpu-count: "4"}}
    spec:
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 16}}
    ```

    ## Source
    ACK, page multi-card-sharing-through-shared-gpu-scheduling, 2025-04-19.
    """
    most = own_cards(context.profile).per_node
    if most is None:
        return
    label = count_label(pod)
    asked = [(value, number) for _, value, number in whole_numbers(pod, k.TOPOLOGY)]
    if label:
        asked.insert(0, (label, cards_of(pod)))
    for value, cards in asked:
        if cards > most:
            yield this.at(
                value,
                f"{cards} cards must sit on one node, and a node of the profile has {most}",
                f"ask for at most {most}",
            )


@rule("ACK004", Severity.ERROR)
def memory_fits_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """What a container asks for on each card is no more than a card has.

    ## What it does
    With a profile that says the MiB of a card, reports `aliyun.com/gpu-mem` that is, on each of its
    cards, above the whole units of a card.

    ## Why
    A card of 22731 MiB has 22 units of 1 GiB: the remainder is spread over them. More can never be
    scheduled.

    ## Example
    ```yaml
    resources:
      limits:
        aliyun.com/gpu-mem: 23
    ```
    ```yaml profile
    target: alibaba-gpushare
    cards: {model: A10, memoryMiB: 22731}
    ```

    ## Use instead
    ```yaml
    resources:
      limits:
        aliyun.com/gpu-mem: 22
    ```

    ## Source
    AlibabaCloudDocs/csk, "Enable GPU sharing", 2021. The 22731 MiB of an A10: Volcengine, EMR
    Serverless mGPU.
    """
    most = units_of_card(context.profile)
    if most is None:
        return
    cards = cards_of(pod)
    each = " on each card" if cards > 1 else ""
    for _, value, units in whole_numbers(pod, k.MEMORY):
        if units > most * cards:
            yield this.at(
                value,
                f"{k.MEMORY} is {units}: {-(-units // cards)} units{each}, where a card "
                f"of the profile has {most}",
                f"write at most {most * cards}, or ask for whole cards",
            )


@rule("ACK013", Severity.ERROR)
def one_sharing_container_in_open_source(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """With open-source gpushare, one container of a pod asks for `aliyun.com/gpu-mem`.

    ## What it does
    With a profile that says `openSource: true`, reports the second and further containers.

    ## Why
    The open-source device plugin finds the pod by the sum of its memory, so that a container that
    asks for a part of it finds none (nodes with several cards).

    ## Example
    ```yaml
    spec:
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 1}}
      - name: helper
        resources: {limits: {aliyun.com/gpu-mem: 2}}
    ```
    ```yaml profile
    target: alibaba-gpushare
    alibaba: {openSource: true}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 3}}
      - name: helper
        resources: {limits: {cpu: 1}}
    ```

    ## Source
    AliyunContainerService/gpushare-device-plugin, `pkg/gpu/nvidia/allocate.go` at 45fb8b8; issues
    143, 185, 219 of gpushare-scheduler-extender.
    """
    if not AlibabaProfile.of(context.profile).open_source:
        return
    found = [value for container, value, _ in whole_numbers(pod, k.MEMORY) if not container.init]
    for value in found[1:]:
        yield this.at(
            value,
            f"{len(found)} containers ask for {k.MEMORY}, open-source gpushare takes one in a pod",
            "put each container in a pod of its own",
            on_key=True,
        )


@rule("ACK014", Severity.ERROR)
def one_card_in_open_source(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """With open-source gpushare, a pod shares one card.

    ## What it does
    With a profile that says `openSource: true`, reports a label `aliyun.com/gpu-count` above 1.

    ## Why
    The open-source scheduler extender puts all memory of a pod on one card.

    ## Example
    ```yaml
    metadata: {labels: {aliyun.com/gpu-count: "2"}}
    spec:
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 8}}
    ```
    ```yaml profile
    target: alibaba-gpushare
    alibaba: {openSource: true}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 8}}
    ```

    ## Source
    AliyunContainerService/gpushare-scheduler-extender, `docs/designs/designs.md` at c0b6141.
    """
    label, cards = count_label(pod), cards_of(pod)
    if label and cards > 1 and AlibabaProfile.of(context.profile).open_source:
        yield this.at(
            label,
            f"{k.COUNT} is {cards}, and open-source gpushare gives a pod a part of one card",
            "remove the label, and ask for no more than one card has",
        )


@rule("ACK016", Severity.WARNING)
def pods_fit_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A share is so large that no more pods fit on a card than ACK allows.

    ## What it does
    With a profile that says the MiB of a card, reports shares of which more than 20 would fit.

    ## Why
    The vendor's pages give 16 and 20 as the most pods on a card. With smaller shares, a part of the
    card's memory can never be given out.

    ## Example
    ```yaml
    resources:
      limits:
        aliyun.com/gpu-mem: 1
    ```
    ```yaml profile
    target: alibaba-gpushare
    cards: {model: A10, memoryMiB: 22731}
    ```

    ## Use instead
    ```yaml
    resources:
      limits:
        aliyun.com/gpu-mem: 2
    ```

    ## Source
    ACK, page modify-the-smallest-allocatable-unit-for-gpu-sharing, 2026-02-28 (16); page
    install-and-use-ack-ai-installer-and-the-gpu-inspection-tool, 2026-06-23 (20).
    """
    room = units_of_card(context.profile)
    if room is None:
        return
    cards = cards_of(pod)
    for _, value, units in whole_numbers(pod, k.MEMORY):
        if units > 0 and units % cards == 0 and room // (units // cards) > k.PODS_PER_CARD:
            yield this.at(
                value,
                f"{room // (units // cards)} such shares would fit on a card, and ACK allows 16 to "
                f"{k.PODS_PER_CARD} pods on it",
                "ask for more, or reckon with memory that stays unused",
            )
