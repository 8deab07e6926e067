"""Pods and containers that cannot have mGPU."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.numbers import number
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.containers import (
    RESOURCES,
    annotation,
    cards_text,
)
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule

WHOLE_CARDS_OF_NVIDIA = "nvidia.com/gpu"


@rule("VKE006", Severity.ERROR)
def no_mgpu_on_vci(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with mGPU is not sent to elastic container instances (VCI).

    ## What it does
    Reports `vke.volcengine.com/burst-to-vci: enforce`, as annotation or label, on a pod that requests
    mGPU.

    ## Why
    mGPU runs on ECS nodes only; VCI does not support it.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/burst-to-vci: enforce}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    Docs 6461/1581673, "limits" (2025-06-04); docs 6460/76920, VCI pod annotations.
    """
    if not any(k.asks_mgpu(container) for container in pod.all_containers()):
        return
    for value in (annotation(pod, k.BURST_TO_VCI), pod.labels.get(k.BURST_TO_VCI)):
        if value and value.text == "enforce":
            hint = say("remove {key}, or request whole cards that VCI offers", key=k.BURST_TO_VCI)
            message = "the pod requests mGPU, but is sent to VCI, which does not support it"
            yield this.at(value, message, hint)


@rule("VKE007", Severity.WARNING)
def pod_uses_one_device_stack(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """No other container of a pod with mGPU requests nvidia.com/gpu.

    ## What it does
    Reports `nvidia.com/gpu` in one container while another container of the pod requests mGPU. Both
    in one container are K8S007.

    ## Why
    A node runs either the mGPU device plug-in or NVIDIA's, so it is unlikely to offer both.

    ## Example
    ```yaml
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
        - name: trainer
          resources: {limits: {nvidia.com/gpu: 1}}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
        - name: trainer
          resources: {limits: {vke.volcengine.com/mgpu-core: 100}}
    ```

    ## Source
    volcano-sh/volcano pull request 3030, node label `vke.node.gpu.schedule` (2024-03); the one-of
    switch of the console's form, copy of docs 6460/182418 (2024-09).
    """
    if not any(k.asks_mgpu(container) for container in pod.all_containers()):
        return
    for container in pod.all_containers():
        value = container.resources.get(WHOLE_CARDS_OF_NVIDIA)
        if not value or k.asks_mgpu(container):
            continue
        count = number(value)
        if count is not None and count > 0:
            hint = say(
                "write {key}: {cores} for {cards}, or use separate pods",
                key=k.CORE,
                cores=k.FULL * count,
                cards=cards_text(count),
            )
            message = "the pod requests mGPU and nvidia.com/gpu, but a node offers only one of them"
            yield this.at(value, message, hint, on_key=True)


@rule("VKE009", Severity.ERROR)
def init_containers_ask_for_no_mgpu(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """No init container requests mGPU.

    ## What it does
    Reports mGPU keys in `initContainers`, sidecars included.

    ## Why
    The vendor's webhook, scheduler and card list look at `spec.containers` only, so the request is
    not checked, not scheduled and not counted.

    ## Example
    ```yaml
    spec:
      initContainers:
        - name: warm-up
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    spec:
      initContainers:
        - name: warm-up
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    volcano-sh/volcano pull request 3030: it iterates `spec.containers` only (2024-03).
    """
    for container in pod.init_containers:
        found = next((container.resources[name] for name in RESOURCES if name in container.resources), None)
        if found:
            message = say(
                "init container {container} requests mGPU, which the vendor's scheduler ignores",
                container=container.name,
            )
            hint = "request the share in an ordinary container, and do the GPU work there"
            yield this.at(found, message, hint, on_key=True)
