"""Rules of ACK about the nodes that a pod chooses and what they isolate."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.claimed import asking, modes, whole_numbers
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.pod import NodeRequirement, PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule


@rule("ACK008", Severity.WARNING, fix="unsafe")
def compute_runs_on_core_mem(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with `aliyun.com/gpu-core.percentage` chooses nodes of mode `core_mem`.

    ## What it does
    Reports compute in a pod whose nodeSelector (or required node affinity) on
    `ack.node.gpu.schedule` is missing or names another mode.

    ## Why
    Compute can be stated on `core_mem` nodes only, and pods with and without it cannot share a
    node. The vendor recommends a node selector for each job.

    ## Example
    ```yaml
    resources:
      limits:
        aliyun.com/gpu-mem: 2
        aliyun.com/gpu-core.percentage: 30
    ```

    ## Use instead
    ```yaml
    spec:
      nodeSelector: {ack.node.gpu.schedule: core_mem}
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 2, aliyun.com/gpu-core.percentage: 30}}
    ```

    ## Fix
    Sets the nodeSelector where none is set. Unsafe: it changes where the pod may run.

    ## Source
    ACK, page use-cgpu-to-allocate-computing-power, 2026-03-26.
    """
    sharing = asking(pod, k.CORE)
    if not sharing:
        return
    chosen = modes(pod)
    if not chosen:
        path = (*pod.path, "nodeSelector", k.SCHEDULE)
        yield this.at(
            sharing[0].resources[k.CORE],
            f"{k.CORE} needs a node of mode {k.CORE_MEM}, and the pod chooses none",
            f"add nodeSelector {k.SCHEDULE}: {k.CORE_MEM}",
            on_key=True,
            fix=Fix(f"add nodeSelector {k.SCHEDULE}: {k.CORE_MEM}", (Put(path, k.CORE_MEM),), safe=False),
        )
        return
    known = [(mode, path) for mode, path in chosen if mode in k.MODES]  # others: ACK017
    if known and all(mode != k.CORE_MEM for mode, _ in known):
        yield this.at(
            known[0][1],
            f"the pod chooses nodes of mode {known[0][0]}, and {k.CORE} needs {k.CORE_MEM}",
            f"write {k.SCHEDULE}: {k.CORE_MEM}, or remove {k.CORE}",
        )


@rule("ACK015", Severity.ERROR)
def small_unit_on_share_nodes(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A unit of 128 MiB is used on nodes of mode `share` only.

    ## What it does
    With a profile that says `memoryUnitMiB: 128`, reports pods with `aliyun.com/gpu-mem` that
    choose another mode than `share` (or choose none, where the isolation of the profile is another).

    ## Why
    The vendor allows the 128 MiB unit on nodes without isolation only. Where a unit is 1 GiB, the
    same number asks for eight times as much.

    ## Example
    ```yaml
    spec:
      nodeSelector: {ack.node.gpu.schedule: cgpu}
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 16}}
    ```
    ```yaml profile
    target: alibaba-gpushare
    alibaba: {memoryUnitMiB: 128, isolation: share}
    ```

    ## Use instead
    ```yaml
    spec:
      nodeSelector: {ack.node.gpu.schedule: share}
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 16}}
    ```

    ## Source
    ACK, page modify-the-smallest-allocatable-unit-for-gpu-sharing, 2026-02-28.
    """
    ack = AlibabaProfile.of(context.profile)
    sharing = asking(pod, k.MEMORY)
    if ack.memory_unit_mib != k.SMALL_UNIT_MIB or not sharing:
        return
    chosen = modes(pod) or [(ack.isolation, sharing[0].resources[k.MEMORY].path)]
    for mode, path in chosen:
        if mode != k.SHARE_MODE and mode in k.MODES:
            yield this.at(
                path,
                f"the unit of {k.MEMORY} is {k.SMALL_UNIT_MIB} MiB in the profile, which nodes of mode "
                f"{mode} do not know",
                f"choose nodes of mode {k.SHARE_MODE}, or set memoryUnitMiB: 1024 in the profile",
            )
            return


@rule("ACK017", Severity.ERROR, fix="safe")
def known_mode_and_placement(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Node selectors name a mode and a placement that ACK has.

    ## What it does
    Reports unknown values of `ack.node.gpu.schedule` and `ack.node.gpu.placement` in a nodeSelector
    or a required node affinity. The mode `mig`, which one blog alone names, is a warning.

    ## Why
    No node carries another value: the pod would never be scheduled.

    ## Example
    ```yaml
    spec:
      nodeSelector: {ack.node.gpu.schedule: core-mem}
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 2}}
    ```

    ## Use instead
    ```yaml
    spec:
      nodeSelector: {ack.node.gpu.schedule: core_mem}
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 2}}
    ```

    ## Fix
    Writes the value that differs in case and hyphens alone, in a nodeSelector.

    ## Source
    ACK, page enable-scheduling (labels of GPU nodes), 2026-01-12.
    """
    for name, known in ((k.SCHEDULE, k.MODES), (k.PLACEMENT, k.PLACEMENTS)):
        chosen = pod.node_selector.get(name)
        if chosen:
            yield from _unknown(this, name, known, chosen.text, chosen)
        for requirement in pod.requirements():
            if requirement.key == name and requirement.operator in ("In", "NotIn"):
                for text in requirement.values:
                    yield from _unknown(this, name, known, text, requirement)


def _unknown(
    this: Rule, name: str, known: tuple[str, ...], text: str, where: Value | NodeRequirement
) -> Iterator[Diagnostic]:
    if text in known:
        return
    if name == k.SCHEDULE and text in k.UNCONFIRMED_MODES:
        message = f"{name}: {text} is in no document of the vendor that we know"
        yield this.at(where, message, "check that the nodes carry it", severity=Severity.WARNING)
        return
    plain = text.strip().lower().replace("-", "_")
    meant = plain if plain in known else None
    fix = None
    if meant and isinstance(where, Value):
        fix = Fix(f"write {meant}", (Put(where.path, meant),))
    hint = f"did you mean {meant}?" if meant else f"it is one of {', '.join(known)}"
    yield this.at(where, f"{name} is never {text!r}", hint, fix=fix)


@rule("ACK019", Severity.INFO)
def memory_is_isolated(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The memory that a container asks for is also a cap.

    ## What it does
    Says so where `aliyun.com/gpu-mem` is counted but not isolated: on nodes of mode `share`, with
    `CGPU_DISABLE: "true"`, and with a profile of open-source gpushare.

    ## Why
    Nothing stops the program there from taking the memory of its neighbours. It must read its part
    from `ALIYUN_COM_GPU_MEM_CONTAINER` and keep to it.

    ## Example
    ```yaml
    spec:
      nodeSelector: {ack.node.gpu.schedule: share}
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 3}}
    ```

    ## Use instead
    ```yaml
    spec:
      nodeSelector: {ack.node.gpu.schedule: cgpu}
      containers:
      - name: main
        resources: {limits: {aliyun.com/gpu-mem: 3}}
    ```

    ## Source
    ACK, alibabacloud.com/help/doc-detail/2523313.html, 2026-03-26; `docs/userguide.md` of
    AliyunContainerService/gpushare-scheduler-extender at c0b6141.
    """
    found = list(whole_numbers(pod, k.MEMORY))
    if not found:
        return
    ack = AlibabaProfile.of(context.profile)
    chosen = modes(pod)
    hint = "the program must keep to its part by itself (ALIYUN_COM_GPU_MEM_CONTAINER)"
    unsafe = next((path for mode, path in chosen if mode == k.SHARE_MODE), None)
    by_profile = ack.open_source or (not chosen and ack.isolation == k.SHARE_MODE)
    if unsafe is not None or by_profile:
        where = unsafe if unsafe is not None else found[0][1].path
        yield this.at(where, f"{k.MEMORY} is no cap here: memory is counted, not isolated", hint)
        return
    for container, _, _ in found:
        disabled = container.env.get(k.DISABLE)
        if disabled and disabled.text.lower() in k.DISABLE_ON:
            yield this.at(disabled, f"{k.DISABLE} makes {k.MEMORY} no cap for this container", hint)
