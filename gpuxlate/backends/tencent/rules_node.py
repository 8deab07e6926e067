"""Rules on the nodes that a pod needs: TKE014, TKE016, TKE018."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.tencent import cluster
from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent.asks import asks, number, ordinary_asks
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import NodeRequirement, PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule


@rule("TKE014", Severity.ERROR)
def policy_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The pod chooses nodes by one of the three policies.

    ## What it does
    Reports a value of `tke.cloud.tencent.com/qgpu-schedule-policy` in `nodeSelector` or the required
    node affinity that names no policy. With a profile that gives the policy of the nodes, also a
    choice that none of them meets (warning).

    ## Why
    The label of a node pool is `best-effort`, `fixed-share` or `burst-share`, or an abbreviation of
    these (`be`, `fs`, `bs`); no node carries any other value, so the pod waits for ever.

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
            yield this.at(where, f"{text!r} is no policy of qGPU", f"the policies: {k.POLICY_NAMES}")
        policies = {k.POLICY_OF[text] for text in texts if text in k.POLICY_OF}
        if wanted and not unknown and on_nodes and policies and on_nodes not in policies:
            yield this.at(
                where,
                f"the nodes of the profile are {on_nodes}, the pod asks for {', '.join(sorted(policies))}",
                f"label a node pool with the policy, or ask for {on_nodes}",
                severity=Severity.WARNING,
            )


def _choices(pod: PodKeys) -> Iterator[tuple[Value | NodeRequirement, tuple[str, ...], bool]]:
    """Where the pod names policies, which, and whether it wants them (NotIn does not)."""
    chosen = pod.node_selector.get(k.POLICY)
    if chosen:
        yield chosen, (chosen.text,), True
    for one in pod.requirements():
        if one.key == k.POLICY:
            yield one, one.values, one.operator == "In"


@rule("TKE016", Severity.WARNING)
def card_fills_before_the_limit(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A share is large enough that 16 of its kind fill a card.

    ## What it does
    With a profile that gives the size of a card, reports a share of which more than 16 would fit on
    one card by compute and memory.

    ## Why
    qGPU makes at most 16 devices on a card. Shares so small leave the rest of the card unused.

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
    for ask in ordinary_asks(pod):
        core, memory = number(ask.core), number(ask.memory)
        if ask.memory is None or core is None or memory is None or core < 1 or memory < 1:
            continue
        fit = min(k.FULL // core, card // memory)
        if fit > k.MAX_SHARES:
            yield this.at(
                ask.memory,
                f"{fit} shares of {core} % and {memory} GiB would fit on a card of {card} GiB, "
                f"a card holds at most {k.MAX_SHARES}",
                "ask for more compute or memory, or plan for the rest of the card",
            )


@rule("TKE018", Severity.WARNING)
def cluster_is_recent(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The cluster runs Kubernetes 1.14 or later.

    ## What it does
    With a profile that gives the version of Kubernetes, reports a pod that asks for qGPU on an older
    one. That qGPU needs native nodes (pages of 2024 and 2026) no profile can tell.

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
    first = next(asks(pod), None)
    if version and first:
        yield this.at(
            first.any,
            f"the profile says Kubernetes {version}, qGPU needs 1.14 or later",
            "upgrade the cluster, or choose another",
            on_key=True,
        )
