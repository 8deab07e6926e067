"""Rules that compare a pod with the profile: cards of the nodes, versions of components."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuxlate.backends.numbers import too_many_cards
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.containers import annotation, cluster, mgpu_containers
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.model.quantity import round_up
from gpuxlate.rules.base import Context, Rule, rule

if TYPE_CHECKING:
    from gpuxlate.backends.requirements import Checked, Requirement


@rule("VKE010", Severity.WARNING)
def shares_fit_the_cards_of_a_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The shares of a pod fit on the cards of one node, at most 16 per card.

    ## What it does
    Counts the whole cards of the pod and its shares of other cards, and compares with the number of
    cards of a node in the profile.

    ## Why
    A card holds at most 16 containers, and all containers of a pod run on one node.

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
    every = list(mgpu_containers(pod))
    if cards is None or not every:
        return
    whole = sum(one.whole_cards for one in every)
    shares = sum(one.cards for one in every if not one.whole_cards)
    needed = whole + round_up(shares, k.INSTANCES_PER_CARD) // k.INSTANCES_PER_CARD
    if needed > cards >= max(one.cards for one in every):  # one container above the node: VKE020
        message = say(
            "the pod needs {needed} cards (whole: {whole}; shared parts: {shares}, at most {most} per card); "
            "nodes in this profile have {cards}",
            needed=needed,
            whole=whole,
            shares=shares,
            most=k.INSTANCES_PER_CARD,
            cards=cards,
        )
        hint = "spread the containers over several pods"
        unlisted = annotation(pod, k.MULTIPLE_GPU) is None
        yield this.at(every[0].first, message, hint, on_key=True, missing=unlisted)


@rule("VKE020", Severity.ERROR)
def node_has_the_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container requests at most the cards of one node.

    ## What it does
    Compares the number of cards of each container, shared or whole, with that of a node in the
    profile.

    ## Why
    All cards of a container are on one node, so the pod is never scheduled.

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
    for one in mgpu_containers(pod):
        if most is None or one.cards <= most or (one.listed or 0) > k.MAX_CARDS:
            continue  # more than eight listed cards: VKE019
        where = listed if listed and one.listed else one.core
        if where:
            problem, hint = too_many_cards(one.cards, most)
            message = say("container {container} {problem}", container=one.name, problem=problem)
            yield this.at(where, message, hint)


@rule("VKE033", Severity.WARNING)
def cluster_can_colocate(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The cluster has the versions that online and offline work on one card requires.

    ## What it does
    Compares Kubernetes, the mGPU driver and component, general-webhook and the node image of the
    profile with the vendor's table, for a pod with a QoS level or offline compute.

    ## Why
    Older components, and the node images velinux2.0 and ubuntu22.04, do not support offline compute.

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
    every = list(mgpu_containers(pod))
    if profile is None or not every:
        return
    reclaimed = (one.keys.resources.get(k.RECLAIMED_CORE) for one in every)
    where = annotation(pod, k.QOS) or next((value for value in reclaimed if value), None)
    if where is None:
        return
    from gpuxlate.backends.requirements import unmet
    from gpuxlate.backends.volcengine import prerequisites

    for lack in unmet(profile, prerequisites.COLOCATION):
        hint = "have the vendor's support upgrade the cluster, or use another cluster"
        yield this.at(where, _too_old(lack), hint)


def _too_old(lack: Checked) -> Message:
    return say(
        "{component} is {found}; required for {feature}: {bound}",
        feature=lack.requirement.when,
        component=lack.requirement.what,
        bound=lack.requirement.bound,
        found=lack.found,
    )


@rule("VKE034", Severity.WARNING)
def component_knows_the_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The mgpu component is new enough for several cards, and for large cards.

    ## What it does
    Compares the mgpu component of the profile with v0.2.0 for a pod with `container-multiple-gpu`,
    and with v0.6.1 where the cards are H20 or have as much memory.

    ## Why
    Older components do not support the annotation, or such cards.

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
    every = list(mgpu_containers(pod))
    if profile is None or not every:
        return
    from gpuxlate.backends.requirements import unmet
    from gpuxlate.backends.volcengine import prerequisites

    checks: list[tuple[Path, Requirement]] = []
    listed = annotation(pod, k.MULTIPLE_GPU)
    if listed:
        checks.append((listed.path, prerequisites.SEVERAL_CARDS))
    if prerequisites.is_large(profile.cards):
        checks.append((every[0].first, prerequisites.LARGE_CARDS))
    for where, need in checks:
        for lack in unmet(profile, (need,)):
            hint = "upgrade the component on the console's component page"
            yield this.at(where, _too_old(lack), hint, on_key=True)
