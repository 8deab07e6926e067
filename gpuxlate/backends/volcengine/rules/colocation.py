"""Online and offline work on one card."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.numbers import both_places
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.containers import (
    annotation,
    is_offline,
    mgpu_containers,
    nearest_of,
    policy_of,
)
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Rename
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.share import Policy, Qos
from gpuxlate.rules.base import Context, Rule, rule

KATALYST_ONLY = ("dedicated_cores", "system_cores")
"""Levels of Katalyst that the documents of mGPU do not name (katalyst-api, pkg/consts)."""


@rule("VKE028", Severity.ERROR, fix="safe")
def qos_level_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The QoS level of a pod with mGPU is shared_cores or reclaimed_cores.

    ## What it does
    Reports any other value of `katalyst.kubewharf.io/qos_level` on a pod that requests mGPU.

    ## Why
    Katalyst rejects an unknown level, and the levels `dedicated_cores` and `system_cores` do not
    distinguish online and offline GPU work.

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
    Safe: writes the level as the vendor does, where only letter case or separators are wrong.

    ## Source
    "mGPU online/offline colocation" (2025-03-13); kubewharf/katalyst-api `pkg/consts/qos.go`.
    """
    qos = annotation(pod, k.QOS)
    if qos is None or qos.text in k.QOS_LEVELS.values() or not any(mgpu_containers(pod)):
        return
    if qos.text in KATALYST_ONLY:
        message = say("mGPU does not support qos_level {level} of Katalyst", level=qos.text)
        hint = "write shared_cores (online) or reclaimed_cores (offline), or remove the annotation"
        yield this.at(qos, message, hint)
        return
    nearest, fix = nearest_of(qos, {str(name): text for name, text in k.QOS_LEVELS.items()})
    yield this.at(qos, say("{text} is not a QoS level", text=repr(qos.text)), nearest, fix=fix)


@rule("VKE029", Severity.ERROR, fix="unsafe")
def offline_compute_is_reclaimed(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Offline pods, and no others, request compute as reclaimed-mgpu-core.

    ## What it does
    Reports `mgpu-core` in a pod whose level is `reclaimed_cores`, and `reclaimed-mgpu-core` in any
    other pod.

    ## Why
    The level marks the pod as offline, and the key requests offline compute: the vendor's guide always
    uses both together. With only one of them, level and compute contradict each other.

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
    Unsafe: renames `mgpu-core` of an offline pod to `reclaimed-mgpu-core`. The pod may be meant as
    online work.

    ## Source
    "mGPU online/offline colocation", step 2 (2025-03-13).
    """
    qos = annotation(pod, k.QOS)
    known = qos is None or qos.text in k.QOS_LEVELS.values()  # otherwise VKE028
    for one in mgpu_containers(pod):
        online = one.keys.resources.get(k.CORE)
        reclaimed = one.keys.resources.get(k.RECLAIMED_CORE)
        if online and reclaimed:
            message = say("container {name} requests online and offline compute", name=one.name)
            hint = "keep reclaimed-mgpu-core if qos_level is reclaimed_cores, otherwise mgpu-core"
            yield this.at(online if is_offline(pod) else reclaimed, message, hint, on_key=True)
        elif online and is_offline(pod):
            fix = None
            if 0 < one.cores < k.FULL:  # whole cards of offline work are not documented
                edits = tuple(
                    Rename(value.path, k.RECLAIMED_CORE, value.plain)
                    for value in both_places(one.keys, k.CORE)
                )
                fix = Fix("rename mgpu-core to reclaimed-mgpu-core", edits, safe=False)
            message = say(
                "container {container} of an offline pod requests online compute", container=one.name
            )
            hint = "write reclaimed-mgpu-core, or remove qos_level reclaimed_cores from the pod"
            yield this.at(online, message, hint, on_key=True, fix=fix)
        elif reclaimed and known and not is_offline(pod):
            message = say(
                "container {container} of an online pod requests offline compute", container=one.name
            )
            hint = say("add the annotation {key}: reclaimed_cores to the pod, or write mgpu-core", key=k.QOS)
            yield this.at(reclaimed, message, hint, on_key=True, missing=qos is None)


@rule("VKE030", Severity.ERROR)
def colocation_policy_is_supported(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with a QoS level has the policy fixed-share or guaranteed-burst-share.

    ## What it does
    Reports `native-burst-share` on an offline pod, and as a warning on a pod that is marked online. A
    pod without a level may have any policy.

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
    if not policy or policy_of(pod) != k.POLICIES[Policy.BEST_EFFORT] or not any(mgpu_containers(pod)):
        return
    if qos is None or qos.text not in k.QOS_LEVELS.values():
        return
    message = say("online and offline work on one card does not support {policy}", policy=policy.text)
    if qos.text == k.QOS_LEVELS[Qos.OFFLINE]:
        yield this.at(policy, message, "write guaranteed-burst-share")
    else:
        hint = "write guaranteed-burst-share, or remove the QoS level from the pod"
        yield this.at(policy, message, hint, severity=Severity.WARNING)


@rule("VKE031", Severity.ERROR)
def offline_shares_one_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """An offline pod has no card list.

    ## What it does
    Reports `container-multiple-gpu` on a pod whose level is `reclaimed_cores`.

    ## Why
    Colocation does not support sharing of several cards.

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
        hint = "remove the annotation, and request a part of one card"
        yield this.at(listed, message, hint, on_key=True)


@rule("VKE032", Severity.INFO)
def memory_can_be_preempted(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Offline containers request no GPU memory, which online work cannot preempt.

    ## What it does
    Reports `mgpu-memory` of each offline container.

    ## Why
    Online work preempts compute, not memory: the offline container keeps its memory, so both must fit
    on the card at the same time. If they do, no change is needed.

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
    for one in mgpu_containers(pod):
        if one.memory and is_offline(pod):
            message = "online work cannot preempt this memory, only compute"
            yield this.at(one.memory, message, "make sure that it fits on the card beside the online work")
