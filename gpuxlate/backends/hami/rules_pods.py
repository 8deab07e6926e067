"""Rules on what stands around a share: HAMI006 to HAMI012."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.hami import keys as k
from gpuxlate.backends.hami.asks import asks, number
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Remove
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule

DEFAULT_SCHEDULER = "default-scheduler"


@rule("HAMI006", Severity.INFO)
def cards_are_shared(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container of a HAMi pod says what part of its cards it wants.

    ## What it does
    Names `nvidia.com/gpu` without `gpumem`, `gpumem-percentage` and `gpucores`, in pods that speak
    HAMi otherwise.

    ## Why
    The webhook adds `gpucores: 100`, so the container has its cards to itself, which is seldom meant.

    ## Example
    ```yaml
    metadata: {annotations: {hami.io/gpu-scheduler-policy: binpack}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {hami.io/gpu-scheduler-policy: binpack}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/device/nvidia/device.go (2026-08-21); issues 888 and 1173.
    """
    for ask in asks(pod):
        if ask.count and number(ask.count) and not ask.partial:
            yield this.at(
                ask.count,
                f"{k.COUNT} alone has its cards to itself",
                f"add {k.MEMORY} or {k.CORES} for a part, or {k.CORES}: {k.FULL} to say that it is meant",
                on_key=True,
            )


@rule("HAMI007", Severity.ERROR)
def scheduler_is_hamis(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The pod names no scheduler, the default one, or HAMi's.

    ## What it does
    Reports any other `schedulerName` in a pod with HAMi's keys.

    ## Why
    The webhook leaves such a pod alone, so nobody places its share: the keys have no effect.

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/scheduler/webhook.go (2026-08-21).
    """
    named = pod.scheduler_name
    if named is not None and named.text not in ("", DEFAULT_SCHEDULER, *k.SCHEDULERS) and any(asks(pod)):
        yield this.at(
            named,
            f"the scheduler is {named.text}: HAMi's webhook skips the pod, and its keys have no effect",
            f"take schedulerName out: the webhook writes {k.SCHEDULERS[0]}",
        )


@rule("HAMI008", Severity.ERROR)
def container_is_not_privileged(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """No container of a pod that asks for a share is privileged.

    ## What it does
    Reports `securityContext.privileged: true`.

    ## Why
    A privileged container sees every card of the node, so the webhook refuses the pod.

    ## Example
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          securityContext: {privileged: true}
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/scheduler/webhook.go (2026-08-21).
    """
    for ask in asks(pod):
        privileged = ask.container.privileged
        if privileged is not None and privileged.text.lower() == "true":
            message = "a privileged container asks for a share: HAMi's webhook refuses the pod"
            yield this.at(privileged, message, "take privileged out, or give it to another container")


@rule("HAMI009", Severity.ERROR)
def node_is_not_named(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The pod names no node.

    ## What it does
    Reports `nodeName` in a pod with HAMi's keys.

    ## Why
    Such a pod goes past every scheduler, so the webhook refuses it.

    ## Example
    ```yaml
    spec:
      nodeName: gpu-1
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Use instead
    ```yaml
    spec:
      nodeSelector: {kubernetes.io/hostname: gpu-1}
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/scheduler/webhook.go (2026-08-21).
    """
    if pod.node_name is not None and pod.node_name.text and any(asks(pod)):
        message = f"nodeName is {pod.node_name.text}: HAMi's webhook refuses a pod that names its node"
        hint = "choose the node by nodeSelector kubernetes.io/hostname"
        yield this.at(pod.node_name, message, hint)


@rule("HAMI010", Severity.WARNING, fix="unsafe")
def isolation_is_on(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container with a cap does not turn isolation off.

    ## What it does
    Reports `CUDA_DISABLE_CONTROL: "true"` beside `gpumem`, `gpumem-percentage` or `gpucores`.

    ## Why
    The variable turns all of HAMi's isolation off: the container can use the whole card.

    ## Example
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          env: [{name: CUDA_DISABLE_CONTROL, value: "true"}]
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Fix
    Takes the variable out. Unsafe: somebody put it there.

    ## Source
    Project-HAMi/HAMi, issue 1678.
    """
    for ask in asks(pod):
        off = ask.container.env.get(k.DISABLE_CONTROL)
        if off is not None and off.text.lower() == "true" and ask.partial:
            yield this.at(
                off,
                f"{k.DISABLE_CONTROL} turns the caps of this container off",
                "take the variable out",
                fix=Fix(f"remove {k.DISABLE_CONTROL}", (Remove(off.path),), safe=False),
            )


@rule("HAMI011", Severity.WARNING)
def choice_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Modes, policies and priorities have values that HAMi knows.

    ## What it does
    Reports other values of `nvidia.com/vgpu-mode`, the two `hami.io` scheduler policies,
    `nvidia.com/priority` and `GPU_CORE_UTILIZATION_POLICY`.

    ## Why
    HAMi takes an unknown one for its default, without a word. `nvidia.com/priority` is 0 for high.

    ## Example
    ```yaml
    metadata: {annotations: {hami.io/node-scheduler-policy: pack}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {hami.io/node-scheduler-policy: binpack}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/util/types.go; website docs/userguide/configure.md (2026-08-21).
    """
    for name, known in k.VALUES.items():
        for value in _said(pod, name):
            words = value.text.split(",") if name == k.CARD_POLICY else [value.text]
            unknown = [word for word in words if word.strip() not in known]
            if unknown:
                yield this.at(
                    value, f"{name} is {unknown[0]!r}, which HAMi does not know", f"one of {', '.join(known)}"
                )


def _said(pod: PodKeys, name: str) -> Iterator[Value]:
    """Where a choice is said: on the pod, or in its containers."""
    if name in pod.annotations:
        yield pod.annotations[name]
    for container in pod.all_containers():
        for values in (container.limits, container.env):
            if name in values:
                yield values[name]


@rule("HAMI012", Severity.WARNING)
def mig_counts_memory(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """In MIG mode a container asks for memory in MiB.

    ## What it does
    Reports `gpumem-percentage` and `gpucores` where `nvidia.com/vgpu-mode` is `mig`.

    ## Why
    HAMi takes the smallest MIG profile with enough memory: compute comes with the profile, and a
    percentage of a card is no measure of one.

    ## Example
    ```yaml
    metadata: {annotations: {nvidia.com/vgpu-mode: mig}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 2, nvidia.com/gpumem-percentage: 25}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {nvidia.com/vgpu-mode: mig}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 2, nvidia.com/gpumem: 8000}}
    ```

    ## Source
    Project-HAMi/HAMi, examples/nvidia/dynamic_mig_example.yaml (2026-08-21).
    """
    mode = pod.annotations.get(k.MODE)
    if mode is None or mode.text != "mig":
        return
    for ask in asks(pod):
        for name, value in ((k.PERCENT, ask.percent), (k.CORES, ask.cores)):
            if value is not None:
                message = f"{name} has no meaning in MIG mode, where memory chooses the profile"
                yield this.at(value, message, f"ask for {k.MEMORY}", on_key=True)
