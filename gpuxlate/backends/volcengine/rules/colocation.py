"""Online and offline work on one card."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.asked import annotation, asked, is_offline, nearest_of, policy_of
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Rename
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.share import Policy, Qos
from gpuxlate.rules.base import Context, Rule, rule

KATALYST_ONLY = ("dedicated_cores", "system_cores")
"""Levels that Katalyst has and the documents of mGPU do not name (katalyst-api, pkg/consts)."""


@rule("VKE028", Severity.ERROR, fix="safe")
def qos_level_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The QoS level of a pod with mGPU is shared_cores or reclaimed_cores.

    ## What it does
    Reports any other value of `katalyst.kubewharf.io/qos_level` on a pod that asks for mGPU.

    ## Why
    Katalyst refuses an unknown level, and the levels `dedicated_cores` and `system_cores` say nothing
    about online or offline GPU work.

    ## Example
    ```yaml
    metadata: {annotations: {katalyst.kubewharf.io/qos_level: Shared-Cores}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {katalyst.kubewharf.io/qos_level: shared_cores}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Fix
    Safe: spells the level as the vendor does, where only case and joints are wrong.

    ## Source
    "mGPU online/offline colocation" (2025-03-13); kubewharf/katalyst-api `pkg/consts/qos.go`.
    """
    qos = annotation(pod, k.QOS)
    if qos is None or qos.text in k.QOS_LEVELS.values() or not any(asked(pod)):
        return
    if qos.text in KATALYST_ONLY:
        message = f"qos_level {qos.text} is one of Katalyst's, but not one of mGPU's"
        yield this.at(
            qos, message, "write shared_cores (online) or reclaimed_cores (offline), or leave it out"
        )
        return
    hint, fix = nearest_of(qos, {str(name): text for name, text in k.QOS_LEVELS.items()})
    yield this.at(qos, f"{qos.text!r} is no QoS level", hint, fix=fix)


@rule("VKE029", Severity.ERROR, fix="unsafe")
def offline_compute_is_reclaimed(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Offline pods, and no others, ask for compute through reclaimed-mgpu-core.

    ## What it does
    Reports `mgpu-core` in a pod whose level is `reclaimed_cores`, and `reclaimed-mgpu-core` in any
    other pod.

    ## Why
    The level marks the pod as offline and the key asks for offline compute: the vendor's guide writes
    both together. With one alone the pod gets another class than it says.

    ## Example
    ```yaml
    metadata: {annotations: {katalyst.kubewharf.io/qos_level: reclaimed_cores}}
    spec:
      containers:
        - name: batch
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {katalyst.kubewharf.io/qos_level: reclaimed_cores}}
    spec:
      containers:
        - name: batch
          resources:
            limits: {vke.volcengine.com/reclaimed-mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
    ```

    ## Fix
    Unsafe: renames `mgpu-core` of an offline pod to `reclaimed-mgpu-core`. The work may have been
    meant to be online.

    ## Source
    "mGPU online/offline colocation", step 2 (2025-03-13).
    """
    qos = annotation(pod, k.QOS)
    known = qos is None or qos.text in k.QOS_LEVELS.values()  # otherwise VKE028
    for one in asked(pod):
        online = one.container.resources.get(k.CORE)
        reclaimed = one.container.resources.get(k.RECLAIMED_CORE)
        if online and reclaimed:
            message = f"container {one.name} asks for online and for offline compute"
            hint = "keep reclaimed-mgpu-core where qos_level is reclaimed_cores, mgpu-core elsewhere"
            yield this.at(online if is_offline(pod) else reclaimed, message, hint, on_key=True)
        elif online and is_offline(pod):
            fix = None
            if 0 < one.cores < k.FULL:  # whole cards of offline work: no document tells
                stands = [
                    values for values in (one.container.limits, one.container.requests) if k.CORE in values
                ]
                edits = tuple(
                    Rename(values[k.CORE].path, k.RECLAIMED_CORE, values[k.CORE].plain) for values in stands
                )
                fix = Fix("rename mgpu-core to reclaimed-mgpu-core", edits, safe=False)
            message = f"container {one.name} of an offline pod asks for online compute"
            hint = "write reclaimed-mgpu-core instead, or take qos_level reclaimed_cores off the pod"
            yield this.at(online, message, hint, on_key=True, fix=fix)
        elif reclaimed and known and not is_offline(pod):
            message = f"container {one.name} asks for offline compute, but the pod is online"
            hint = f"add the annotation {k.QOS}: reclaimed_cores to the pod, or write mgpu-core"
            yield this.at(reclaimed, message, hint, on_key=True)


@rule("VKE030", Severity.ERROR)
def colocation_policy_is_supported(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with a QoS level has the policy fixed-share or guaranteed-burst-share.

    ## What it does
    Reports `native-burst-share` on an offline pod, and as a warning on one that is marked online. A
    pod without a level is a plain one.

    ## Why
    Colocation supports the other two policies only; the vendor recommends `guaranteed-burst-share`.

    ## Example
    ```yaml
    metadata:
      annotations:
        katalyst.kubewharf.io/qos_level: reclaimed_cores
        vke.volcengine.com/mgpu-compute-policy: native-burst-share
    spec:
      containers:
        - name: batch
          resources:
            limits: {vke.volcengine.com/reclaimed-mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        katalyst.kubewharf.io/qos_level: reclaimed_cores
        vke.volcengine.com/mgpu-compute-policy: guaranteed-burst-share
    spec:
      containers:
        - name: batch
          resources:
            limits: {vke.volcengine.com/reclaimed-mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
    ```

    ## Source
    "mGPU online/offline colocation", limits of use (2025-03-13).
    """
    policy, qos = annotation(pod, k.POLICY), annotation(pod, k.QOS)
    if not policy or policy_of(pod) != k.POLICIES[Policy.BEST_EFFORT] or not any(asked(pod)):
        return
    if qos is None or qos.text not in k.QOS_LEVELS.values():
        return
    offline = qos.text == k.QOS_LEVELS[Qos.OFFLINE]
    yield this.at(
        policy,
        f"online and offline work on one card does not go with {policy.text}",
        f"write guaranteed-burst-share{'' if offline else ', or take the QoS level off the pod'}",
        severity=Severity.ERROR if offline else Severity.WARNING,
    )


@rule("VKE031", Severity.ERROR)
def offline_shares_one_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """An offline pod has no card list.

    ## What it does
    Reports `container-multiple-gpu` on a pod whose level is `reclaimed_cores`.

    ## Why
    Colocation does not support the sharing of several cards.

    ## Example
    ```yaml
    metadata:
      annotations:
        katalyst.kubewharf.io/qos_level: reclaimed_cores
        vke.volcengine.com/container-multiple-gpu: "2"
    spec:
      containers:
        - name: batch
          resources:
            limits: {vke.volcengine.com/reclaimed-mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {katalyst.kubewharf.io/qos_level: reclaimed_cores}}
    spec:
      containers:
        - name: batch
          resources:
            limits: {vke.volcengine.com/reclaimed-mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
    ```

    ## Source
    "mGPU online/offline colocation", limits of use (2025-03-13).
    """
    listed = annotation(pod, k.MULTIPLE_GPU)
    if listed and is_offline(pod):
        message = "an offline pod cannot share several cards"
        yield this.at(listed, message, "remove the annotation and ask for a part of one card", on_key=True)


@rule("VKE032", Severity.INFO)
def memory_can_be_preempted(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """No offline container holds GPU memory, which online work cannot take back.

    ## What it does
    Points out `mgpu-memory` of offline containers, one for each.

    ## Why
    Online work pre-empts compute, not memory: what the offline container holds stays taken, so both
    must fit on the card side by side. Nothing needs to be changed where they do.

    ## Example
    ```yaml
    metadata: {annotations: {katalyst.kubewharf.io/qos_level: reclaimed_cores}}
    spec:
      containers:
        - name: batch
          resources:
            limits: {vke.volcengine.com/reclaimed-mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {katalyst.kubewharf.io/qos_level: shared_cores}}
    spec:
      containers:
        - name: batch
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    "mGPU online/offline colocation", limits of use (2025-03-13).
    """
    for one in asked(pod):
        if one.memory and is_offline(pod):
            message = "online work cannot take this memory back: only compute is pre-empted"
            yield this.at(one.memory, message, "see that it fits on the card beside the online work")
