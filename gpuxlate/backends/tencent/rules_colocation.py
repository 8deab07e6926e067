"""Rules on online and offline pods: TKE010 to TKE012."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent.asks import Ask, app_class, asks, class_is, number
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule("TKE010", Severity.ERROR)
def offline_asks_for_greedy_and_memory(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container of an offline pod asks for `qgpu-core-greedy` of 1 to 100 and for memory, nothing else.

    ## What it does
    Reports, in pods with `app-class: offline`, a `qgpu-core-greedy` outside 1 to 100 and one without
    `qgpu-memory` or beside `qgpu-core`.

    ## Why
    Offline compute is a part of one card, taken from what online pods leave; its memory is fixed.

    ## Example
    ```yaml
    metadata: {annotations: {tke.cloud.tencent.com/app-class: offline}}
    spec:
      containers:
        - name: batch
          resources:
            limits: {tke.cloud.tencent.com/qgpu-core-greedy: "160", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {tke.cloud.tencent.com/app-class: offline}}
    spec:
      containers:
        - name: batch
          resources:
            limits: {tke.cloud.tencent.com/qgpu-core-greedy: "30", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```

    ## Source
    Tencent Cloud, docs 457/81034 "qGPU online/offline colocation" (2025-09-15).
    """
    if class_is(pod, "offline"):
        for ask in asks(pod):
            yield from _offline(this, ask)


def _offline(this: Rule, ask: Ask) -> Iterator[Diagnostic]:
    if ask.greedy is None:
        return  # TKE012
    greedy = number(ask.greedy)
    if greedy is not None and not 1 <= greedy <= k.FULL:
        yield this.at(
            ask.greedy,
            f"qgpu-core-greedy is {greedy}, it must be 1 to {k.FULL}: offline work has a part of one card",
            f"write a number from 1 to {k.FULL}",
        )
    if ask.memory is None:
        yield this.at(ask.greedy, "qgpu-core-greedy is asked without qgpu-memory", f"add {k.MEMORY} (GiB)")
    if ask.core:
        yield this.at(
            ask.core,
            "qgpu-core stands beside qgpu-core-greedy: an offline container has only the latter",
            f"remove {k.CORE}",
            on_key=True,
        )


@rule("TKE011", Severity.WARNING)
def online_asks_for_memory_alone(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container of an online pod asks for `qgpu-memory` and for no compute.

    ## What it does
    Reports, in pods with `app-class: online`, a `qgpu-core` (warning) and missing memory (error).

    ## Why
    Online pods need not ask for compute: they compete for it and pre-empt offline pods. Whether a
    `qgpu-core` is ignored or refused is not documented; either way it is no guarantee.

    ## Example
    ```yaml
    metadata: {annotations: {tke.cloud.tencent.com/app-class: online}}
    spec:
      containers:
        - name: server
          resources:
            limits: {tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {tke.cloud.tencent.com/app-class: online}}
    spec:
      containers:
        - name: server
          resources:
            limits: {tke.cloud.tencent.com/qgpu-memory: "5"}
    ```

    ## Source
    Tencent Cloud, docs 457/81034 "qGPU online/offline colocation" (2025-09-15).
    """
    if not class_is(pod, "online"):
        return
    for ask in asks(pod):
        if ask.core is None:
            continue
        yield this.at(
            ask.core,
            "the pod is online: it competes for compute, qgpu-core gives it none of its own",
            f"remove {k.CORE}, or the annotation {k.APP_CLASS}",
            on_key=True,
        )
        if ask.memory is None:
            yield this.at(
                ask.core,
                "the pod is online and asks for no qgpu-memory",
                f"ask for {k.MEMORY} (GiB)",
                severity=Severity.ERROR,
                on_key=True,
            )


@rule("TKE012", Severity.ERROR)
def compute_goes_with_app_class(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`app-class` is online or offline, and `qgpu-core-greedy` is asked for by offline pods, by all of them.

    ## What it does
    Reports a `tke.cloud.tencent.com/app-class` other than `online` and `offline`, `qgpu-core-greedy` in
    a pod that is not offline, and an offline pod's container without it.

    ## Why
    The annotation and the resource are two halves of one request: without the other, the pod is not
    scheduled as offline work.

    ## Example
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core-greedy: "30", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {tke.cloud.tencent.com/app-class: offline}}
    spec:
      containers:
        - name: batch
          resources:
            limits: {tke.cloud.tencent.com/qgpu-core-greedy: "30", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```

    ## Source
    Tencent Cloud, docs 457/81034 "qGPU online/offline colocation" (2025-09-15).
    """
    said = app_class(pod)
    if said is not None and said.text not in k.CLASSES:
        yield this.at(
            said,
            f"{k.APP_CLASS} is {said.text!r}, neither online nor offline",
            "write online or offline, in lower case",
        )
        return
    offline = class_is(pod, "offline")
    for ask in asks(pod):
        if ask.greedy and not offline:
            yield this.at(
                ask.greedy,
                "qgpu-core-greedy is offline compute, and the pod is "
                + ("online" if said else f"not annotated {k.APP_CLASS}"),
                f"annotate the pod template {k.APP_CLASS}: offline, or ask for {k.CORE}",
                on_key=True,
            )
        elif offline and ask.greedy is None:
            yield this.at(
                ask.any,
                "the pod is offline and asks for no qgpu-core-greedy",
                f"ask for {k.GREEDY} {'instead' if ask.core else 'too'}, or remove {k.APP_CLASS}",
                on_key=True,
            )
