"""Rules on online and offline pods: TKE010 to TKE012."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.numbers import number, outside
from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent.containers import Shared, app_class, class_is, shared
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule("TKE010", Severity.ERROR)
def offline_asks_for_greedy_and_memory(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container of an offline pod sets `qgpu-core-greedy`, 1 to 100, and memory, nothing else.

    ## What it does
    Reports, in pods with `app-class: offline`, a `qgpu-core-greedy` outside 1 to 100 and one without
    `qgpu-memory` or beside `qgpu-core`.

    ## Why
    Offline compute is a part of one card that online pods leave unused; its memory is fixed.

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
        for one in shared(pod):
            yield from _offline(this, one)


def _offline(this: Rule, one: Shared) -> Iterator[Diagnostic]:
    if one.greedy is None:
        return  # TKE012
    greedy = number(one.greedy)
    if greedy is not None and not 1 <= greedy <= k.FULL:
        hint = say("write 1 to {most}, in percent of one card", most=k.FULL)
        yield this.at(one.greedy, outside(k.GREEDY, greedy, 1, k.FULL), hint)
    if one.memory is None:
        message = say("{key} is set without {other}", key=k.GREEDY, other=k.MEMORY)
        yield this.at(one.greedy, message, say("add {other} (GiB)", other=k.MEMORY), missing=True)
    if one.core:
        message = say(
            "{key} and {other} are both set; offline pods have {other} only", key=k.CORE, other=k.GREEDY
        )
        yield this.at(one.core, message, say("remove {key}", key=k.CORE), on_key=True)


@rule("TKE011", Severity.WARNING)
def online_asks_for_memory_alone(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container of an online pod sets `qgpu-memory` and no compute.

    ## What it does
    Reports, in pods with `app-class: online`, a `qgpu-core` (warning) and missing memory (error).

    ## Why
    Online pods compete for compute and pre-empt offline pods. Whether their `qgpu-core` is ignored or
    refused is not documented; it guarantees nothing.

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
    for one in shared(pod):
        if one.core is None:
            continue
        yield this.at(
            one.core,
            say("{key} is set in an online pod, which competes for compute", key=k.CORE),
            say("remove {key}, or the annotation {label}", key=k.CORE, label=k.APP_CLASS),
            on_key=True,
        )
        if one.memory is None:
            yield this.at(
                one.core,
                say("{key} is not set in an online pod", key=k.MEMORY),
                say("add {key} (GiB)", key=k.MEMORY),
                severity=Severity.ERROR,
                on_key=True,
                missing=True,
            )


@rule("TKE012", Severity.ERROR)
def compute_goes_with_app_class(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`app-class` is online or offline; offline pods set `qgpu-core-greedy`, other pods do not.

    ## What it does
    Reports a `tke.cloud.tencent.com/app-class` other than `online` and `offline`, `qgpu-core-greedy` in
    a pod that is not offline, and an offline pod's container without it.

    ## Why
    Offline work needs both the annotation and the resource: with one alone, the pod is not scheduled
    as offline work.

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
    found = app_class(pod)
    if found is not None and found.text not in k.CLASSES:
        message = say("{key} is {value!r}, neither online nor offline", key=k.APP_CLASS, value=found.text)
        yield this.at(found, message, "write online or offline, in lower case")
        return
    offline = class_is(pod, "offline")
    for one in shared(pod):
        if one.greedy and not offline:
            yield this.at(
                one.greedy,
                say("{key} is set in a pod that is not offline", key=k.GREEDY),
                say(
                    "annotate the pod template {label}: offline, or request {key}",
                    label=k.APP_CLASS,
                    key=k.CORE,
                ),
                on_key=True,
                missing=found is None,
            )
        elif offline and one.greedy is None:
            yield this.at(
                one.any,
                say("{key} is not set in an offline pod", key=k.GREEDY),
                say("add {key}, or remove {label}", key=k.GREEDY, label=k.APP_CLASS)
                if one.core is None
                else say(
                    "replace {core} by {key}, or remove {label}", core=k.CORE, key=k.GREEDY, label=k.APP_CLASS
                ),
                on_key=True,
                missing=True,
            )
