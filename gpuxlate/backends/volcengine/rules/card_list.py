"""The annotation container-multiple-gpu: its form, its length, its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.asked import annotation, asked, has_mgpu
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.pod import Kind, PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule

SHORT = "container-multiple-gpu"


@rule("VKE016", Severity.ERROR, fix="safe")
def card_list_is_well_formed(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The card list is whole numbers joined by commas, without spaces.

    ## What it does
    Reports a value of `vke.volcengine.com/container-multiple-gpu` that is empty, holds spaces,
    signs or anything but whole numbers and commas.

    ## Why
    The vendor's code reads each part as it stands, without trimming, and refuses the pod.

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
    Safe: takes the spaces out, where nothing else is wrong.

    ## Source
    volcano-sh/volcano pull request 3030, `pkg/scheduler/api/devices/nvidia/mgpu` (2024-03).
    """
    listed = annotation(pod, k.MULTIPLE_GPU)
    if listed is None or listed.kind is Kind.NODE or k.card_counts(listed.text) is not None:
        return  # a mapping or list in place of a string is K8S008
    closed_up = re.sub(r"\s*,\s*", ",", listed.text.strip())
    if k.card_counts(closed_up) is not None:
        fix = Fix(f'write "{closed_up}"', (Put(listed.path, closed_up),))
        yield this.at(listed, f"{SHORT} {listed.text!r} holds spaces", f'write "{closed_up}"', fix=fix)
        return
    names = ", ".join(container.name for container in pod.containers)
    yield this.at(
        listed,
        f"{SHORT} {listed.text!r} is no list of whole numbers",
        f'write one number of cards per container ({names}), joined by commas, such as "{_shape(pod)}"',
    )


@rule("VKE017", Severity.ERROR, fix="unsafe")
def card_list_covers_every_container(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The card list has one number for each container.

    ## What it does
    Compares the length of `container-multiple-gpu` with the number of `spec.containers`; init
    containers do not count.

    ## Why
    The numbers are matched to the containers by their order, and the vendor's webhook refuses a list
    of another length. A container without a share has 0.

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
    Unsafe: where the list names as many cards as containers have shares, gives them to those in
    order and 0 to the others.

    ## Source
    volcano-sh/volcano pull request 3030, webhook and design document (2024-03).
    """
    listed = annotation(pod, k.MULTIPLE_GPU)
    counts = k.card_counts(listed.text) if listed else None
    if listed is None or counts is None or len(counts) == len(pod.containers):
        return
    names = ", ".join(container.name for container in pod.containers)
    message = (
        f'{SHORT} "{listed.text}" has {len(counts)} {_plural(len(counts), "number")}, '
        f"the pod has {len(pod.containers)} {_plural(len(pod.containers), 'container')} ({names})"
    )
    right = _derived(pod, counts)
    if right is None:
        yield this.at(listed, message, f"write one number for each of {names}, in this form: {_shape(pod)}")
    else:
        fix = Fix(f'write "{right}"', (Put(listed.path, right),), safe=False)
        yield this.at(listed, message, f'write "{right}": one number for each of {names}', fix=fix)


def _derived(pod: PodKeys, counts: tuple[int, ...]) -> str | None:
    """The list with the same cards for the containers that have shares, where that is certain."""
    given = [count for count in counts if count]
    sharing = [container for container in pod.containers if has_mgpu(container)]
    if len(given) != len(sharing):
        return None
    left = iter(given)
    return ",".join(str(next(left)) if has_mgpu(container) else "0" for container in pod.containers)


def _shape(pod: PodKeys) -> str:
    """The list with a placeholder for each container that has a share."""
    return ",".join(f"<cards of {c.name}>" if has_mgpu(c) else "0" for c in pod.containers)


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else noun + "s"


@rule("VKE018", Severity.ERROR)
def card_list_matches_the_shares(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container has 0 in the card list exactly when it asks for no mGPU.

    ## What it does
    Reports a container with a share and 0 cards, and one without a share but with cards.

    ## Why
    The vendor's webhook refuses both.

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
        where = f'number {place + 1} of {SHORT} "{listed.text}"'
        if count and not has_mgpu(container):
            message = f"{where} gives container {container.name} cards, but it asks for no mGPU"
            yield this.at(listed, message, "write 0 there, or add mgpu-core and mgpu-memory to the container")
        elif not count and has_mgpu(container):
            message = f"{where} is 0, but container {container.name} asks for mGPU"
            yield this.at(
                listed, message, f"write the number of cards of {container.name}: 1 to {k.MAX_CARDS}"
            )


@rule("VKE019", Severity.ERROR)
def card_counts_are_in_range(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container has at most eight cards in the card list.

    ## What it does
    Reports a number above 8 in `container-multiple-gpu`.

    ## Why
    The vendor's table and its console take 1 to 8.

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
    for one in asked(pod):
        listed = annotation(pod, k.MULTIPLE_GPU)
        if listed and one.listed is not None and one.listed > k.MAX_CARDS:
            message = f"container {one.name} shares {one.listed} cards, the most is {k.MAX_CARDS}"
            hint = f"write {k.MAX_CARDS} or less, or split the work over several pods"
            yield this.at(listed, message, hint)


def _entries(pod: PodKeys) -> Iterator[tuple[int, int, Value]]:
    """Place and number of each entry of a list that has the right length."""
    listed = annotation(pod, k.MULTIPLE_GPU)
    counts = k.card_counts(listed.text) if listed else None
    if listed and counts and len(counts) == len(pod.containers):
        for place, count in enumerate(counts):
            yield place, count, listed
