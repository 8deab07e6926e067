"""Rules of ACK about the nodes that a pod chooses and what they isolate."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.facts import modes
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.backends.numbers import requesting, whole_numbers
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import say
from gpuxlate.model.pod import NodeRequirement, PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule


@rule("ACK008", Severity.WARNING, fix="unsafe")
def compute_runs_on_core_mem(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with `aliyun.com/gpu-core.percentage` chooses nodes of mode `core_mem`.

    ## What it does
    Reports compute in a pod whose nodeSelector (or required node affinity) on
    `ack.node.gpu.schedule` is missing or names another mode.

    ## Why
    Only `core_mem` nodes share compute, and pods with and without compute cannot share a node. The
    vendor recommends a node selector for each job.

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
    sharing = requesting(pod, k.CORE)
    if not sharing:
        return
    chosen = modes(pod)
    if not chosen:
        path = (*pod.path, "nodeSelector", k.SCHEDULE)
        hint = say("add nodeSelector {label}: {mode}", label=k.SCHEDULE, mode=k.CORE_MEM)
        yield this.at(
            sharing[0].resources[k.CORE],
            say("{key} needs nodes of mode {mode}; the pod chooses no mode", key=k.CORE, mode=k.CORE_MEM),
            hint,
            on_key=True,
            fix=Fix(hint, (Put(path, k.CORE_MEM),), safe=False),
            missing=True,
        )
        return
    known = [(mode, path) for mode, path in chosen if mode in k.MODES]  # others: ACK017
    if known and all(mode != k.CORE_MEM for mode, _ in known):
        yield this.at(
            known[0][1],
            say(
                "{key} needs nodes of mode {mode}; the pod chooses {chosen}",
                key=k.CORE,
                mode=k.CORE_MEM,
                chosen=known[0][0],
            ),
            say("write {label}: {mode}, or remove {key}", label=k.SCHEDULE, mode=k.CORE_MEM, key=k.CORE),
        )


@rule("ACK015", Severity.ERROR)
def small_unit_on_share_nodes(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A unit of 128 MiB is used on nodes of mode `share` only.

    ## What it does
    With a profile that sets `memoryUnitMiB: 128`, reports pods with `aliyun.com/gpu-mem` that choose
    a mode other than `share` (or no mode, where `isolation` of the profile is another).

    ## Why
    ACK supports the 128 MiB unit only on nodes without isolation. Where a unit is 1 GiB, the same
    number requests eight times as much.

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
    sharing = requesting(pod, k.MEMORY)
    if ack.memory_unit_mib != k.SMALL_UNIT_MIB or not sharing:
        return
    chosen = modes(pod) or [(ack.isolation, sharing[0].resources[k.MEMORY].path)]
    for mode, path in chosen:
        if mode != k.SHARE_MODE and mode in k.MODES:
            yield this.at(
                path,
                say(
                    "nodes of mode {mode} do not support the unit of {unit} MiB of this profile",
                    mode=mode,
                    unit=k.SMALL_UNIT_MIB,
                ),
                say(
                    "choose nodes of mode {mode}, or set memoryUnitMiB: 1024 in the profile",
                    mode=k.SHARE_MODE,
                ),
                missing=not modes(pod),
            )
            return


@rule("ACK017", Severity.ERROR, fix="safe")
def known_mode_and_placement(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Node selectors use a mode and a placement of ACK.

    ## What it does
    Reports unknown values of `ack.node.gpu.schedule` and `ack.node.gpu.placement` in a nodeSelector
    or a required node affinity. The mode `mig`, known from one blog only, is a warning.

    ## Why
    No node has another value: the pod is never scheduled.

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
    In a nodeSelector, writes the value that differs only in case and hyphens.

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
        message = say("{label}: {value} is not in the documentation of ACK", label=name, value=text)
        yield this.at(where, message, "check that the nodes have this label", severity=Severity.WARNING)
        return
    plain = text.strip().lower().replace("-", "_")
    meant = plain if plain in known else None
    fix = None
    if meant and isinstance(where, Value):
        fix = Fix(f"write {meant}", (Put(where.path, meant),))
    hint = say("write one of {known}", known=", ".join(known))
    if meant:
        hint = say("did you mean {value}?", value=meant)
    yield this.at(where, say("no node has {label}: {value}", label=name, value=text), hint, fix=fix)


@rule("ACK019", Severity.INFO)
def memory_is_isolated(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The memory that a container requests is enforced.

    ## What it does
    Reports `aliyun.com/gpu-mem` that is counted but not isolated: on nodes of mode `share`, with
    `CGPU_DISABLE: "true"`, and with a profile of open-source gpushare.

    ## Why
    Nothing stops such a program from using the memory of other containers. It must read its limit from
    `ALIYUN_COM_GPU_MEM_CONTAINER`.

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
    hint = "the program must limit its own memory, to ALIYUN_COM_GPU_MEM_CONTAINER"
    unsafe = next((path for mode, path in chosen if mode == k.SHARE_MODE), None)
    by_profile = ack.open_source or (not chosen and ack.isolation == k.SHARE_MODE)
    if unsafe is not None or by_profile:
        where = unsafe if unsafe is not None else found[0][1].path
        message = say("{key} is not enforced: memory is counted, not isolated", key=k.MEMORY)
        yield this.at(where, message, hint, missing=unsafe is None and not ack.open_source)
        return
    for container, _, _ in found:
        disabled = container.env.get(k.DISABLE)
        if disabled and disabled.text.lower() in k.DISABLE_ON:
            message = say("{variable} turns off memory isolation of this container", variable=k.DISABLE)
            yield this.at(disabled, message, hint)
