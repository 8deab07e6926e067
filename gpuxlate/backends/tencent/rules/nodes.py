"""Rules on the nodes that a pod needs: TKE014, TKE016, TKE018."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.numbers import number
from gpuxlate.backends.tencent import cluster
from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent.containers import ordinary, shared
from gpuxlate.backends.tencent.texts import other_policy
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import NodeRequirement, PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule


@rule("TKE014", Severity.ERROR)
def policy_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The pod chooses nodes by one of the three policies.

    ## What it does
    Reports a value of `tke.cloud.tencent.com/qgpu-schedule-policy` in `nodeSelector` or the required
    node affinity that is not a policy. With a profile that sets `policy`, also a choice that its nodes
    do not meet (warning).

    ## Why
    The label of a node pool is `best-effort`, `fixed-share` or `burst-share`, or an abbreviation of
    these (`be`, `fs`, `bs`); no node has another value, so the pod stays Pending.

    ## Example
    ```yaml
    spec:
      nodeSelector: {tke.cloud.tencent.com/qgpu-schedule-policy: fixed}
      containers:
        - name: server
          resources:
            limits: {tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```

    ## Use instead
    ```yaml
    spec:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - key: tke.cloud.tencent.com/qgpu-schedule-policy
                    operator: In
                    values: [fixed-share, fs]
      containers:
        - name: server
          resources:
            limits: {tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU", table of policies (2024-11-25).
    """
    on_nodes = cluster.node_policy(context.profile)
    for where, texts, wanted in _choices(pod):
        if k.is_misused(texts):
            continue
        unknown = [text for text in texts if text not in k.POLICY_OF]
        for text in unknown:
            message = say("{label} is {value!r}, which is not a policy of qGPU", label=k.POLICY, value=text)
            yield this.at(where, message, say("write one of {names}", names=k.POLICY_NAMES))
        policies = {k.POLICY_OF[text] for text in texts if text in k.POLICY_OF}
        if wanted and not unknown and on_nodes and policies and on_nodes not in policies:
            yield this.at(
                where,
                other_policy(", ".join(sorted(policies)), on_nodes),
                say("label a node pool with the policy, or choose {policy}", policy=on_nodes),
                severity=Severity.WARNING,
            )


def _choices(pod: PodKeys) -> Iterator[tuple[Value | NodeRequirement, tuple[str, ...], bool]]:
    """Each choice of policies, its values, and whether nodes must have one of them (not with NotIn)."""
    chosen = pod.node_selector.get(k.POLICY)
    if chosen:
        yield chosen, (chosen.text,), True
    for one in pod.requirements():
        if one.key == k.POLICY:
            yield one, one.values, one.operator == "In"


@rule("TKE016", Severity.WARNING)
def card_fills_before_the_limit(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A share is large enough that 16 of them fill a card.

    ## What it does
    With a profile that sets `cards.memoryMiB`, reports a share of which more than 16 fit a card by
    compute and memory.

    ## Why
    qGPU creates at most 16 devices on a card. With smaller shares, the rest of the card is unused.

    ## Example
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "5", tke.cloud.tencent.com/qgpu-memory: "1"}
    ```
    ```yaml profile
    target: tencent-qgpu
    cards: {memoryMiB: 22731}
    ```

    ## Use instead
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "10", tke.cloud.tencent.com/qgpu-memory: "2"}
    ```

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU", limit of devices (2024-11-25); docs 457/65734 (2026-01-16).
    """
    card = cluster.card_gib(context.profile)
    if card is None:
        return
    for one in ordinary(pod):
        core, memory = number(one.core), number(one.memory)
        if one.memory is None or core is None or memory is None or core < 1 or memory < 1:
            continue
        fit = min(k.FULL // core, card // memory)
        if fit > k.MAX_SHARES:
            message = say(
                "{fit} such shares fit a card of {card} GiB; qGPU creates at most {most} on it",
                fit=fit,
                card=card,
                most=k.MAX_SHARES,
            )
            yield this.at(one.memory, message, "request more compute or memory, or plan for an unused rest")


@rule("TKE018", Severity.WARNING)
def cluster_is_recent(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The cluster runs Kubernetes 1.14 or later.

    ## What it does
    With a profile that sets `kubernetesVersion`, reports a pod with keys of qGPU on an older version.
    qGPU also needs native nodes (pages of 2024 and 2026), which no profile holds.

    ## Why
    The add-on supports TKE from 1.14 on.

    ## Example
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```
    ```yaml profile
    target: tencent-qgpu
    kubernetesVersion: v1.12.4-tke.30
    ```

    ## Use instead
    ```yaml
    resources:
      limits: {tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "5"}
    ```
    ```yaml profile
    target: tencent-qgpu
    kubernetesVersion: v1.28.3-tke.2
    ```

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU", supported versions (2024-11-25); docs 457/65734 (2026-01-16).
    """
    version = cluster.old_kubernetes(context.profile)
    first = next(shared(pod), None)
    if version and first:
        message = say("qGPU needs Kubernetes 1.14 or later; this profile has {version}", version=version)
        yield this.at(first.any, message, "upgrade the cluster, or use another", on_key=True)
