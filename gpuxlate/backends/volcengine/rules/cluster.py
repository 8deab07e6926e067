"""What only the cluster tells: policy and cards of the nodes, versions of the components."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.asked import (
    DEFAULT_POLICY,
    annotation,
    asked,
    cards_text,
    cluster,
    policy_of,
)
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.model.quantity import round_up
from gpuxlate.rules.base import Context, Rule, rule

if TYPE_CHECKING:
    from gpuxlate.backends.requirements import Requirement


@rule("VKE005", Severity.ERROR)
def policy_is_that_of_the_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The pod asks for the policy that the nodes have.

    ## What it does
    Compares the policy of the pod, `fixed-share` where it names none, with that of the nodes: from
    the pod's own nodeSelector or required affinity, else from the profile. A pod of whole cards fits
    any policy.

    ## Why
    The policy is a property of the node. The scheduler leaves a pod that asks for another pending.

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
    sharing = [one for one in asked(pod) if one.core and one.cores % k.FULL]
    said, nodes = policy_of(pod), _node_policies(pod, context)
    if not sharing or not nodes or said in nodes or said not in k.POLICIES.values():
        return
    policy = annotation(pod, k.POLICY)
    given = f"the pod asks for {said}" if policy else f"the pod names no policy, which means {DEFAULT_POLICY}"
    where: Path = policy.path if policy else sharing[0].first
    yield this.at(
        where,
        f"{given}, but its nodes have {' or '.join(nodes)}",
        f"write the annotation {k.POLICY}: {nodes[0]}, or choose nodes with {said}",
        on_key=policy is None,
    )


def _node_policies(pod: PodKeys, context: Context) -> tuple[str, ...]:
    """What the nodes of the pod have, as far as the pod or the profile tells."""
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


@rule("VKE010", Severity.WARNING)
def shares_fit_the_cards_of_a_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The shares of a pod fit on the cards of one node, at most 16 on each.

    ## What it does
    Counts the whole cards of the pod and the shares on each other card, and compares with the number
    of cards of a node in the profile.

    ## Why
    A card takes 16 containers at most, and the containers of a pod run on one node.

    ## Example
    ```yaml
    spec:
      containers:
        - name: trainer
          resources: {limits: {vke.volcengine.com/mgpu-core: 100}}
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```
    ```yaml profile
    target: volcengine-mgpu
    cards: {perNode: 1}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: trainer
          resources: {limits: {vke.volcengine.com/mgpu-core: 60, vke.volcengine.com/mgpu-memory: 8192}}
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    volcano-sh/volcano pull request 3030, `maxContainersPerCard` (2024-03); the same in a scheduler
    configuration of a live cluster (2024-08).
    """
    profile = cluster(context)
    cards = profile.cards.per_node if profile else None
    every = list(asked(pod))
    if cards is None or not every:
        return
    whole = sum(one.whole_cards for one in every)
    shares = sum(one.cards for one in every if not one.whole_cards)
    needed = whole + round_up(shares, k.INSTANCES_PER_CARD) // k.INSTANCES_PER_CARD
    parts = f"{shares} shared {'part' if shares == 1 else 'parts'}"
    if needed > cards >= max(one.cards for one in every):  # one container above the node: VKE020
        yield this.at(
            every[0].first,
            f"the pod asks for {cards_text(whole)} and {parts}, at most {k.INSTANCES_PER_CARD} on a card: "
            f"it needs {needed} cards, a node has {cards}",
            "spread the containers over several pods",
            on_key=True,
        )


@rule("VKE020", Severity.ERROR)
def node_has_the_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container asks for no more cards than a node has.

    ## What it does
    Compares the number of cards of each container, shared or whole, with that of a node in the
    profile.

    ## Why
    All cards of a container are on one node, so the pod never schedules.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "4"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 200, vke.volcengine.com/mgpu-memory: 8192}}
    ```
    ```yaml profile
    target: volcengine-mgpu
    cards: {perNode: 2}
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
          resources: {limits: {vke.volcengine.com/mgpu-core: 100, vke.volcengine.com/mgpu-memory: 8192}}
    ```

    ## Source
    volcano-sh/volcano pull request 3030, webhook and design document (2024-03).
    """
    profile = cluster(context)
    most = profile.cards.per_node if profile else None
    listed = annotation(pod, k.MULTIPLE_GPU)
    for one in asked(pod):
        if most is None or one.cards <= most or (one.listed or 0) > k.MAX_CARDS:
            continue  # more than eight listed cards: VKE019
        where = listed if listed and one.listed else one.core
        if where:
            message = f"container {one.name} asks for {one.cards} cards, a node has {most}"
            yield this.at(where, message, f"ask for {most} at most, or choose larger nodes")


@rule("VKE033", Severity.WARNING)
def cluster_can_colocate(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The cluster has the versions that online and offline work on one card needs.

    ## What it does
    Compares Kubernetes, the mGPU driver and component, general-webhook and the node image of the
    profile with the vendor's table, for a pod with a QoS level or offline compute.

    ## Why
    Older components do not know offline compute, and the node images velinux2.0 and ubuntu22.04 do
    not support it.

    ## Example
    ```yaml
    metadata: {annotations: {katalyst.kubewharf.io/qos_level: reclaimed_cores}}
    spec:
      containers:
        - name: batch
          resources:
            limits: {vke.volcengine.com/reclaimed-mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
    ```
    ```yaml profile
    target: volcengine-mgpu
    kubernetesVersion: v1.28.15-vke.18
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: batch
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    "mGPU online/offline colocation", component versions (2025-03-13).
    """
    profile = cluster(context)
    every = list(asked(pod))
    if profile is None or not every:
        return
    reclaimed = (one.container.resources.get(k.RECLAIMED_CORE) for one in every)
    where = annotation(pod, k.QOS) or next((value for value in reclaimed if value), None)
    if where is None:
        return
    from gpuxlate.backends.requirements import unmet
    from gpuxlate.backends.volcengine import prerequisites

    for lack in unmet(profile, prerequisites.COLOCATION):
        need = lack.requirement
        message = f"{need.when} needs {need.what} {need.bound}; it is {lack.found}"
        yield this.at(
            where, message, "have the cluster upgraded, which the vendor's support does, or use another"
        )


@rule("VKE034", Severity.WARNING)
def component_knows_the_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The mgpu component is new enough for several cards, and for large ones.

    ## What it does
    Compares the mgpu component of the profile with v0.2.0 for a pod with `container-multiple-gpu`,
    and with v0.6.1 where the cards are of the class of H20.

    ## Why
    Older components do not know the annotation, or not the cards.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "2"}}
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```
    ```yaml profile
    target: volcengine-mgpu
    components: {mgpu: v0.1.9}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: server
          resources: {limits: {vke.volcengine.com/mgpu-core: 15, vke.volcengine.com/mgpu-memory: 2048}}
    ```

    ## Source
    Docs 6460/159262, change log of the mgpu component.
    """
    profile = cluster(context)
    every = list(asked(pod))
    if profile is None or not every:
        return
    from gpuxlate.backends.requirements import unmet
    from gpuxlate.backends.volcengine import prerequisites

    checks: list[tuple[str, Path, Requirement]] = []
    listed = annotation(pod, k.MULTIPLE_GPU)
    if listed:
        checks.append(("several cards need", listed.path, prerequisites.SEVERAL_CARDS))
    if prerequisites.is_large(profile.cards):
        checks.append(("cards of the class of H20 need", every[0].first, prerequisites.LARGE_CARDS))
    for what, where, need in checks:
        for lack in unmet(profile, (need,)):
            message = f"{what} {need.what} {need.bound}; it is {lack.found}"
            yield this.at(
                where, message, "upgrade the component on the console's page of components", on_key=True
            )
