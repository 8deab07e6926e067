"""Rules on what stands around a share: VOLC002, VOLC003, VOLC008."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.volcano_vgpu import keys as k
from gpuxlate.backends.volcano_vgpu.asks import asks
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule("VOLC002", Severity.ERROR, fix="safe")
def share_is_seen(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A share has the number of its cards, or its memory in MiB.

    ## What it does
    Reports `vgpu-memory-percentage` and `vgpu-cores` in a container without `vgpu-number` and
    without `vgpu-memory`.

    ## Why
    Volcano then takes the pod for one without a GPU, and gives it none.

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-memory-percentage: 50}}
    ```

    ## Use instead
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory-percentage: 50}}
    ```

    ## Fix
    Safe: asks for one card.

    ## Source
    volcano-sh/volcano, pkg/scheduler/api/devices/util.go (2026-08-20).
    """
    for ask in asks(pod):
        if ask.number or ask.memory:
            continue
        found = ask.any
        edit = Put((*found.path[:-1], k.NUMBER), 1)
        yield this.at(
            found,
            f"{found.path[-1]} stands without {k.NUMBER}: Volcano does not see a share here",
            f"add {k.NUMBER}: 1",
            on_key=True,
            fix=Fix(f"add {k.NUMBER}: 1", (edit,)),
        )


@rule("VOLC003", Severity.ERROR, fix="unsafe")
def scheduler_is_volcano(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The pod names the scheduler volcano.

    ## What it does
    Reports another `schedulerName` as an error, and none as a warning, since an operator or a
    webhook may add it. A Volcano Job hands its own down to its pods.

    ## Why
    Only Volcano places the shares of a card. Another scheduler counts the cards and assigns none, so
    the device plugin fails the pod.

    ## Example
    ```yaml
    spec:
      schedulerName: default-scheduler
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4000}}
    ```

    ## Use instead
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4000}}
    ```

    ## Fix
    Names volcano. Unsafe: the pod goes to another scheduler.

    ## Source
    volcano-sh/volcano, docs/user-guide/how_to_use_volcano_vgpu.md (2026-08-20).
    """
    named = pod.scheduler_name
    first = next(asks(pod), None)
    if first is None or (named is not None and named.text == k.SCHEDULER):
        return
    where = named.path if named is not None and named.text else (*pod.path, "schedulerName")
    fix = Fix(f"write schedulerName: {k.SCHEDULER}", (Put(where, k.SCHEDULER),), safe=False)
    if named is not None and named.text:
        message = f"the scheduler is {named.text}: only {k.SCHEDULER} places this share"
        yield this.at(named, message, f"write schedulerName: {k.SCHEDULER}", fix=fix)
        return
    yield this.at(
        first.any,
        f"the pod names no scheduler, and only {k.SCHEDULER} places this share",
        f"write schedulerName: {k.SCHEDULER} in the pod's spec",
        severity=Severity.WARNING,
        on_key=True,
        fix=fix,
    )


@rule("VOLC008", Severity.WARNING)
def mode_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The mode is one that Volcano serves.

    ## What it does
    Reports values of `volcano.sh/vgpu-mode` other than `hami-core` and `mig`.

    ## Why
    The mode must be that of a node. `mps` is named in the code and served as `hami-core`.

    ## Example
    ```yaml
    metadata: {annotations: {volcano.sh/vgpu-mode: mps}}
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4000}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {volcano.sh/vgpu-mode: hami-core}}
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4000}}
    ```

    ## Source
    volcano-sh/volcano, pkg/scheduler/api/devices/nvidia/vgpu (2026-08-20).
    """
    mode = pod.annotations.get(k.MODE)
    if mode is not None and mode.text not in k.MODES:
        yield this.at(
            mode, f"{k.MODE} is {mode.text!r}", f"one of {', '.join(k.MODES)}, or none for any node"
        )
