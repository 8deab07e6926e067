"""Rules on how cards are shared and chosen: HAMI006, HAMI010 to HAMI012."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.hami import keys as k
from gpuxlate.backends.numbers import requesting, whole_numbers, written_name
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Remove
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule


@rule("HAMI006", Severity.INFO, missing=True)
def cards_are_shared(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container of a HAMi pod requests a part of its cards.

    ## What it does
    Reports `nvidia.com/gpu` without `gpumem`, `gpumem-percentage` and `gpucores`, in pods with other
    keys of HAMi.

    ## Why
    The webhook adds `gpucores: 100`, which makes the cards exclusive to the container.

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
    for container, value, count in whole_numbers(pod, k.COUNT):
        if count and not any(name in container.resources for name in k.SHARE_KEYS):
            yield this.at(
                value,
                say(
                    "{key} alone makes the cards exclusive to the container",
                    key=written_name(value, k.COUNT),
                ),
                say(
                    "add {memory} or {cores} for a part of each card, or {cores}: {full} for exclusive cards",
                    memory=k.MEMORY,
                    cores=k.CORES,
                    full=k.FULL,
                ),
                on_key=True,
            )


@rule("HAMI010", Severity.WARNING, fix="unsafe")
def isolation_is_on(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container with a share does not turn isolation off.

    ## What it does
    Reports `CUDA_DISABLE_CONTROL: "true"` in a container with `gpumem`, `gpumem-percentage` or
    `gpucores`.

    ## Why
    The variable turns off all isolation of HAMi: the container can use the whole card.

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
    Removes the variable. Unsafe: it may be intended.

    ## Source
    Project-HAMi/HAMi, issue 1678.
    """
    for container in requesting(pod, *k.SHARE_KEYS):
        off = container.env.get(k.DISABLE_CONTROL)
        if off is not None and off.text.lower() == "true":
            yield this.at(
                off,
                say("{key} turns off the limits of this container", key=k.DISABLE_CONTROL),
                "remove the variable",
                fix=Fix(f"remove {k.DISABLE_CONTROL}", (Remove(off.path),), safe=False),
            )


@rule("HAMI011", Severity.WARNING)
def choice_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Modes, policies and priorities have values that HAMi knows.

    ## What it does
    Reports other values of `nvidia.com/vgpu-mode`, the two `hami.io` scheduler policies,
    `nvidia.com/priority` and `GPU_CORE_UTILIZATION_POLICY`.

    ## Why
    HAMi silently replaces an unknown value by its default. `nvidia.com/priority` is 0 for high.

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
        for value in _values(pod, name):
            words = value.text.split(",") if name == k.CARD_POLICY else [value.text]
            unknown = [word for word in words if word.strip() not in known]
            if unknown:
                message = say("{key} is {value!r}, which HAMi does not know", key=name, value=unknown[0])
                yield this.at(value, message, say("write one of {known}", known=", ".join(known)))


def _values(pod: PodKeys, name: str) -> Iterator[Value]:
    """The values of a choice: on the pod, and in its containers."""
    if name in pod.annotations:
        yield pod.annotations[name]
    for container in pod.all_containers():
        for values in (container.limits, container.env):
            if name in values:
                yield values[name]


@rule("HAMI012", Severity.WARNING)
def mig_counts_memory(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """In MIG mode a container requests memory in MiB.

    ## What it does
    Reports `gpumem-percentage` and `gpucores` where `nvidia.com/vgpu-mode` is `mig`.

    ## Why
    HAMi selects the smallest MIG profile with enough MiB; compute comes with the profile.

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
    for container in requesting(pod, k.PERCENT, k.CORES):
        for name in (k.PERCENT, k.CORES):
            if name in container.resources:
                message = say("{key} has no effect in MIG mode, where memory selects the profile", key=name)
                yield this.at(
                    container.resources[name], message, say("request {key}", key=k.MEMORY), on_key=True
                )
