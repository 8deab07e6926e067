"""The annotation container-multiple-gpu: its syntax, its length, its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.containers import annotation, mgpu_containers, name_of
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Kind, PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule

SHORT = "container-multiple-gpu"


@rule("VKE016", Severity.ERROR, fix="safe")
def card_list_is_well_formed(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The card list is whole numbers joined by commas, without spaces.

    ## What it does
    Reports a value of `vke.volcengine.com/container-multiple-gpu` that is empty, or contains spaces,
    signs or anything else than whole numbers and commas.

    ## Why
    The vendor's code parses each part without trimming it, and rejects the pod.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "2, 0"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
        - name: log
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "2,0"
        vke.volcengine.com/mgpu-compute-policy: native-burst-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
        - name: log
    ```

    ## Fix
    Safe: removes the spaces, where nothing else is wrong.

    ## Source
    volcano-sh/volcano pull request 3030, `pkg/scheduler/api/devices/nvidia/mgpu` (2024-03).
    """
    listed = annotation(pod, k.MULTIPLE_GPU)
    if listed is None or listed.kind is Kind.NODE or k.card_counts(listed.text) is not None:
        return  # a mapping or list in place of a string is K8S008
    closed_up = re.sub(r"\s*,\s*", ",", listed.text.strip())
    if k.card_counts(closed_up) is not None:
        hint = _write(closed_up)
        fix = Fix(hint, (Put(listed.path, closed_up),))
        message = say("{key} {text} contains spaces", key=SHORT, text=repr(listed.text))
        yield this.at(listed, message, hint, fix=fix)
        return
    yield this.at(
        listed,
        say("{key} {text} is not a list of whole numbers", key=SHORT, text=repr(listed.text)),
        say(
            'write the number of cards of each container ({names}), joined by commas, such as "{shape}"',
            names=_names(pod),
            shape=_shape(pod),
        ),
    )


@rule("VKE017", Severity.ERROR, fix="unsafe", missing=True)
def card_list_covers_every_container(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The card list has one number for each container.

    ## What it does
    Compares the length of `container-multiple-gpu` with the number of `spec.containers`; init
    containers do not count.

    ## Why
    The numbers belong to the containers in their order, and the vendor's webhook rejects a list of
    another length. A container without a share has 0. Knative, KServe, Argo, Istio, Linkerd and Dapr add
    containers that are not in the manifest: there a longer list is right, where it has as many numbers
    above 0 as there are containers with a share.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "2"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
        - name: log
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "2,0"
        vke.volcengine.com/mgpu-compute-policy: native-burst-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
        - name: log
    ```

    ## Fix
    Unsafe: where the list has one number for each container with a share, assigns the numbers to
    these in their order, and 0 to the others.

    ## Source
    volcano-sh/volcano pull request 3030, webhook and design document (2024-03).
    """
    listed = annotation(pod, k.MULTIPLE_GPU)
    counts = k.card_counts(listed.text) if listed else None
    if listed is None or counts is None or k.listed_cards(pod, listed):
        return
    message = say(
        '{key} "{text}" does not have one number per container ({names})',
        key=SHORT,
        text=listed.text,
        names=_names(pod),
    )
    right = _derived(pod, counts)
    if right is None:
        yield this.at(listed, message, say("write it in this form: {shape}", shape=_shape(pod)))
    else:
        hint = _write(right)
        yield this.at(listed, message, hint, fix=Fix(hint, (Put(listed.path, right),), safe=False))


def _write(text: str) -> Message:
    return say('write "{text}"', text=text)


def _names(pod: PodKeys) -> str:
    return ", ".join(map(name_of, pod.containers))


def _derived(pod: PodKeys, counts: tuple[int, ...]) -> str | None:
    """The list with the same numbers for the containers that have shares, where that is certain."""
    given = [count for count in counts if count]
    sharing = [container for container in pod.containers if k.asks_mgpu(container)]
    if len(given) != len(sharing):
        return None
    left = iter(given)
    return ",".join(str(next(left)) if k.asks_mgpu(container) else "0" for container in pod.containers)


def _shape(pod: PodKeys) -> str:
    """The list with a placeholder for each container that has a share."""
    return ",".join(f"<cards of {name_of(c)}>" if k.asks_mgpu(c) else "0" for c in pod.containers)


@rule("VKE018", Severity.ERROR, missing=True)
def card_list_matches_the_shares(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container has 0 in the card list exactly when it requests no mGPU.

    ## What it does
    Reports a container with a share and 0 cards, and one without a share but with cards.

    ## Why
    The vendor's webhook rejects both.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "2,1"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
        - name: log
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "2,0"
        vke.volcengine.com/mgpu-compute-policy: native-burst-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
        - name: log
    ```

    ## Source
    volcano-sh/volcano pull request 3030, `pkg/webhooks/admission/pods/validate` (2024-03).
    """
    for place, count, listed in _entries(pod):
        container = pod.containers[place]
        number = say('number {place} of {key} "{text}"', place=place + 1, key=SHORT, text=listed.text)
        if count and not k.asks_mgpu(container):
            yield this.at(
                listed,
                say(
                    "{number} is {count}, but container {container} requests no mGPU",
                    number=number,
                    count=count,
                    container=container.name,
                ),
                "write 0 there, or add mgpu-core and mgpu-memory to the container",
            )
        elif not count and k.asks_mgpu(container):
            yield this.at(
                listed,
                say(
                    "{number} is 0, but container {container} requests mGPU",
                    number=number,
                    container=container.name,
                ),
                say(
                    "write the number of cards of {container}: 1 to {most}",
                    container=container.name,
                    most=k.MAX_CARDS,
                ),
            )


@rule("VKE019", Severity.ERROR)
def card_counts_are_in_range(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container has at most eight cards in the card list.

    ## What it does
    Reports a number above 8 in `container-multiple-gpu`.

    ## Why
    The vendor's table and its console accept 1 to 8.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "10"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 300, vke.volcengine.com/mgpu-memory: 40960}}
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "8"
        vke.volcengine.com/mgpu-compute-policy: native-burst-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 320, vke.volcengine.com/mgpu-memory: 40960}}
    ```

    ## Source
    Copy of docs 6460/182418, table and screenshot (2024-09).
    """
    for one in mgpu_containers(pod):
        listed = annotation(pod, k.MULTIPLE_GPU)
        if listed and one.listed is not None and one.listed > k.MAX_CARDS:
            message = say(
                "container {container} shares {cards} cards, more than the maximum of {most}",
                container=one.name,
                cards=one.listed,
                most=k.MAX_CARDS,
            )
            hint = say("write {most} or less, or split the work over several pods", most=k.MAX_CARDS)
            yield this.at(listed, message, hint)


def _entries(pod: PodKeys) -> Iterator[tuple[int, int, Value]]:
    """Index and number of each entry of a list that has the right length."""
    listed = annotation(pod, k.MULTIPLE_GPU)
    for place, count in enumerate(k.listed_cards(pod, listed)):
        if listed:
            yield place, count, listed
