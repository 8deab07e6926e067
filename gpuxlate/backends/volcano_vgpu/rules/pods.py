"""Rules on the pod around a share: VOLC002, VOLC003, VOLC008."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.numbers import requesting
from gpuxlate.backends.volcano_vgpu import keys as k
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule("VOLC002", Severity.ERROR, fix="safe", missing=True)
def share_is_seen(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A share sets the number of its cards, or its memory in MiB.

    ## What it does
    Reports `vgpu-memory-percentage` and `vgpu-cores` in a container without `vgpu-number` and
    without `vgpu-memory`.

    ## Why
    Volcano sees no share in such a container, and gives it no GPU.

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
    Safe: requests one card.

    ## Source
    volcano-sh/volcano, pkg/scheduler/api/devices/util.go (2026-08-20).
    """
    for container in requesting(pod, k.PERCENT, k.CORES):
        resources = container.resources
        if k.NUMBER in resources or k.MEMORY in resources:
            continue
        name = next(name for name in (k.PERCENT, k.CORES) if name in resources)
        found = resources[name]
        edit = Put((*found.path[:-1], k.NUMBER), 1)
        yield this.at(
            found,
            say("{key} has no effect without {count}", key=name, count=k.NUMBER),
            say("add {count}: 1", count=k.NUMBER),
            on_key=True,
            fix=Fix(f"add {k.NUMBER}: 1", (edit,)),
        )


@rule("VOLC003", Severity.ERROR, fix="unsafe")
def scheduler_is_volcano(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`schedulerName` is volcano.

    ## What it does
    Reports another `schedulerName` as an error, and a missing one as a warning, since an operator or
    a webhook may add it. A Volcano Job sets it on its pods.

    ## Why
    Only Volcano assigns shares of a card. Another scheduler counts the cards and assigns none, so the
    device plugin fails the pod.

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
    Writes volcano. Unsafe: the pod goes to another scheduler.

    ## Source
    volcano-sh/volcano, docs/user-guide/how_to_use_volcano_vgpu.md (2026-08-20).
    """
    named = pod.scheduler_name
    sharing = requesting(pod, *k.RESOURCES)
    if not sharing or (named is not None and named.text == k.SCHEDULER):
        return
    where = named.path if named is not None and named.text else (*pod.path, "schedulerName")
    hint = say("write schedulerName: {name}", name=k.SCHEDULER)
    fix = Fix(hint, (Put(where, k.SCHEDULER),), safe=False)
    if named is not None and named.text:
        message = say(
            "schedulerName is {named}; only {name} places this share", named=named.text, name=k.SCHEDULER
        )
        yield this.at(named, message, hint, fix=fix)
        return
    resources = sharing[0].resources
    yield this.at(
        next(resources[name] for name in k.RESOURCES if name in resources),
        say("schedulerName is not set; only {name} places this share", name=k.SCHEDULER),
        hint,
        severity=Severity.WARNING,
        on_key=True,
        fix=fix,
        missing=True,
    )


@rule("VOLC008", Severity.WARNING)
def mode_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The mode is one that Volcano has.

    ## What it does
    Reports values of `volcano.sh/vgpu-mode` other than `hami-core` and `mig`.

    ## Why
    The mode must be that of a node. The code names `mps`, and treats it as `hami-core`.

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
        message = say("{key} is {value!r}, which Volcano does not have", key=k.MODE, value=mode.text)
        hint = say("write one of {known}, or remove it for any node", known=", ".join(k.MODES))
        yield this.at(mode, message, hint)
