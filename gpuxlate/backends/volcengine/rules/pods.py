"""Policy, and where mGPU cannot be asked for at all."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.asked import RESOURCES, annotation, cards_text, has_mgpu, nearest_of
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule

WHOLE_CARDS_OF_NVIDIA = "nvidia.com/gpu"


@rule("VKE004", Severity.ERROR, fix="safe")
def policy_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The policy annotation names one of the three policies.

    ## What it does
    Reports a value of `vke.volcengine.com/mgpu-compute-policy` other than `fixed-share`,
    `guaranteed-burst-share` and `native-burst-share`.

    ## Why
    No node has such a policy, so the pod never schedules.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/mgpu-compute-policy: Fixed_Share}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {vke.volcengine.com/mgpu-compute-policy: fixed-share}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Fix
    Safe: spells the name as the vendor does, where only case and joints are wrong.

    ## Source
    Docs 6461/1581673 (2025-06-04); "mGPU online/offline colocation" (2025-03-13).
    """
    policy = annotation(pod, k.POLICY)
    if policy and policy.text not in k.POLICIES.values():
        hint, fix = nearest_of(policy, {str(name): text for name, text in k.POLICIES.items()})
        yield this.at(policy, f"{policy.text!r} is no compute policy of mGPU", hint, fix=fix)


@rule("VKE006", Severity.ERROR)
def no_mgpu_on_vci(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with mGPU is not sent to elastic container instances (VCI).

    ## What it does
    Reports `vke.volcengine.com/burst-to-vci: enforce`, as annotation or label, on a pod that asks
    for mGPU.

    ## Why
    mGPU runs on ECS nodes only; VCI does not have it.

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
    if not any(has_mgpu(container) for container in pod.all_containers()):
        return
    for value in (annotation(pod, k.BURST_TO_VCI), pod.labels.get(k.BURST_TO_VCI)):
        if value and value.text == "enforce":
            hint = f"remove {k.BURST_TO_VCI}, or ask for whole cards that VCI offers"
            yield this.at(value, "the pod asks for mGPU and is sent to VCI, which does not have it", hint)


@rule("VKE007", Severity.WARNING)
def pod_uses_one_device_stack(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """No other container of a pod with mGPU asks for nvidia.com/gpu.

    ## What it does
    Reports `nvidia.com/gpu` in one container while another container of the pod asks for mGPU. The
    two in one container are K8S007.

    ## Why
    A node runs the mGPU stack or NVIDIA's, so one node will hardly have both.

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
    if not any(has_mgpu(container) for container in pod.all_containers()):
        return
    for container in pod.all_containers():
        value = container.resources.get(WHOLE_CARDS_OF_NVIDIA)
        if not value or has_mgpu(container):
            continue
        count = quantity.whole(value.text)
        if count is not None and count > 0:
            hint = f"write {k.CORE}: {k.FULL * count} for {cards_text(count)}, or use pods of their own"
            message = "the pod asks for mGPU and for nvidia.com/gpu, and a node offers only one of the two"
            yield this.at(value, message, hint, on_key=True)


@rule("VKE009", Severity.ERROR)
def init_containers_ask_for_no_mgpu(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """No init container asks for mGPU.

    ## What it does
    Reports mGPU keys in `initContainers`, sidecars included.

    ## Why
    The vendor's webhook, scheduler and card list look at `spec.containers` only, so the request is
    not checked, not placed and not counted.

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
            yield this.at(
                found,
                f"init container {container.name} asks for mGPU, which the vendor's scheduler does not see",
                "ask for the share in an ordinary container, and do the GPU work there",
                on_key=True,
            )
