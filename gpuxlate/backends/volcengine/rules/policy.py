"""The compute policy of a pod: its name, and what the nodes and several cards require."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.containers import (
    annotation,
    cluster,
    mgpu_containers,
    nearest_of,
    policy_of,
    policy_text,
    sharing_several,
)
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.model.share import Policy
from gpuxlate.rules.base import Context, Rule, rule


@rule("VKE004", Severity.ERROR, fix="safe")
def policy_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The policy annotation names one of the three policies.

    ## What it does
    Reports a value of `vke.volcengine.com/mgpu-compute-policy` other than `fixed-share`,
    `guaranteed-burst-share` and `native-burst-share`.

    ## Why
    No node has such a policy, so the pod is never scheduled.

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
    Safe: writes the name as the vendor does, where only letter case or separators are wrong.

    ## Source
    Docs 6461/1581673 (2025-06-04); "mGPU online/offline colocation" (2025-03-13).
    """
    policy = annotation(pod, k.POLICY)
    if policy and policy.text not in k.POLICIES.values():
        hint, fix = nearest_of(policy, {str(name): text for name, text in k.POLICIES.items()})
        message = say("{text} is not a compute policy of mGPU", text=repr(policy.text))
        yield this.at(policy, message, hint, fix=fix)


@rule("VKE005", Severity.ERROR)
def policy_is_that_of_the_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The pod requests the policy of its nodes.

    ## What it does
    Compares the policy of the pod, `fixed-share` where it sets none, with the policy of the nodes:
    from the pod's own nodeSelector or required affinity, else from the profile. A pod with whole
    cards runs on nodes of any policy.

    ## Why
    The policy is a property of the node. A pod that requests another policy stays pending.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/mgpu-compute-policy: native-burst-share}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```
    ```yaml profile
    target: volcengine-mgpu
    policy: burst-share
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {vke.volcengine.com/mgpu-compute-policy: guaranteed-burst-share}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    Docs 6461/1581673 (2025-06-04); volcano-sh/volcano pull request 3030, the scheduler's filter
    (2024-03).
    """
    sharing = [one for one in mgpu_containers(pod) if one.core and one.cores % k.FULL]
    policy, nodes = policy_of(pod), _node_policies(pod, context)
    if not sharing or not nodes or policy in nodes or policy not in k.POLICIES.values():
        return
    given = annotation(pod, k.POLICY)
    where: Path = given.path if given else sharing[0].first
    yield this.at(
        where,
        say(
            "the policy of the pod is {policy}, but its nodes have {nodes}",
            policy=policy_text(pod),
            nodes=" or ".join(nodes),
        ),
        say(
            "write the annotation {key}: {node}, or select nodes with {policy}",
            key=k.POLICY,
            node=nodes[0],
            policy=policy,
        ),
        on_key=given is None,
        missing=given is None or not _node_policies(pod, Context()),
    )


def _node_policies(pod: PodKeys, context: Context) -> tuple[str, ...]:
    """The policies of the pod's nodes; empty where neither the pod nor the profile says."""
    chosen = pod.node_selector.get(k.POLICY)
    if chosen:
        return (chosen.text,)
    required = pod.required_by_all_terms(k.POLICY)
    if required and all(requirement.operator == "In" for requirement in required):
        return tuple(dict.fromkeys(text for requirement in required for text in requirement.values))
    profile = cluster(context)
    if profile is None or profile.policy is None:
        return ()
    own = {str(policy): text for policy, text in k.POLICIES.items()}  # a profile may use gpuxlate's names
    return (own.get(profile.policy, profile.policy),)


@rule("VKE026", Severity.WARNING)
def several_shared_cards_use_native_burst(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod that shares several cards has the policy native-burst-share.

    ## What it does
    Reports a pod in which a container shares more than one card under another policy, or under none,
    which means `fixed-share`.

    ## Why
    The vendor's scheduler code places such a pod only on nodes with `native-burst-share`, and requires
    the policy on the pod too. Its console and an older page allow any policy: test it on the cluster.

    ## Example
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "2"
        vke.volcengine.com/mgpu-compute-policy: fixed-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        vke.volcengine.com/container-multiple-gpu: "2"
        vke.volcengine.com/mgpu-compute-policy: native-burst-share
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    volcano-sh/volcano pull request 3030 (2024-03); against it docs 6461/1581673 (2025-06-04) and a
    copy of docs 6460/182418 (2024-09).
    """
    native = k.POLICIES[Policy.BEST_EFFORT]
    policy = policy_of(pod)
    if policy == native or policy not in k.POLICIES.values():
        return
    if not any(cards > 1 for _, cards in sharing_several(pod)):
        return
    where = annotation(pod, k.POLICY) or annotation(pod, k.MULTIPLE_GPU)
    if where:
        yield this.at(
            where,
            say(
                "the policy of the pod is {policy}, but the vendor's scheduler code requires {native} "
                "for several shared cards",
                policy=policy_text(pod),
                native=native,
            ),
            say(
                "write {key}: {policy} on the pod and its nodes, or test it on the cluster",
                key=k.POLICY,
                policy=native,
            ),
            missing=annotation(pod, k.POLICY) is None,
        )
