"""Rules on the pod around a share: HAMI007 to HAMI009."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.hami import keys as k
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import Asks, NodeIsNamed, Privileged, SchedulerIs, SomeContainer
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.vocabulary import vocabulary_of

DEFAULT_SCHEDULER = "default-scheduler"
REQUESTS = (k.COUNT, *k.SHARE_KEYS)
OF_HAMI = SomeContainer(Asks(*REQUESTS))


@rule(
    "HAMI007",
    Severity.ERROR,
    predicate=Predicate(
        SchedulerIs("", DEFAULT_SCHEDULER, *k.SCHEDULERS), when=OF_HAMI, at=("schedulerName",), each=False
    ),
)
def scheduler_is_hamis(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """`schedulerName` is not set, the default scheduler, or HAMi's.

    ## What it does
    Reports any other `schedulerName` in a pod with HAMi's keys.

    ## Why
    The webhook ignores such a pod, so no scheduler places its share: the keys have no effect.

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
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

    ## Source
    Project-HAMi/HAMi, pkg/scheduler/webhook.go (2026-08-21).
    """
    named = breach.there
    message = say("schedulerName is {name}; HAMi's webhook ignores pods of other schedulers", name=named.text)
    return this.at(named, message, say("remove schedulerName; the webhook sets {name}", name=k.SCHEDULERS[0]))


@rule("HAMI008", Severity.ERROR, predicate=Predicate(~Privileged(), at=REQUESTS))
def container_is_not_privileged(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A container with a share is not privileged.

    ## What it does
    Reports `securityContext.privileged: true`.

    ## Why
    A privileged container sees every card of the node, so the webhook refuses the pod.

    ## Example
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          securityContext: {privileged: true}
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

    ## Source
    Project-HAMi/HAMi, pkg/scheduler/webhook.go (2026-08-21).
    """
    message = "a privileged container requests a share; HAMi's webhook refuses the pod"
    privileged = breach.inside.privileged or breach.there
    return this.at(privileged, message, "remove privileged, or set it on a container without a share")


@rule(
    "HAMI009",
    Severity.ERROR,
    predicate=Predicate(~NodeIsNamed(), when=OF_HAMI, at=("nodeName",), each=False),
)
def node_is_not_named(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`nodeName` is not set.

    ## What it does
    Reports `nodeName` in a pod with HAMi's keys. Nothing of a pod that has been scheduled: one that a
    server has (`uid`, `status`), or that HAMi's scheduler has written on.

    ## Why
    Such a pod bypasses every scheduler, so the webhook refuses it.

    ## Example
    ```yaml
    spec:
      nodeName: gpu-1
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Use instead
    ```yaml
    spec:
      nodeSelector: {kubernetes.io/hostname: gpu-1}
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/scheduler/webhook.go (2026-08-21).
    """
    if not vocabulary_of(context).placed_by_scheduler(pod):
        named = breach.there
        message = say("nodeName is {name}; HAMi's webhook refuses pods with nodeName", name=named.text)
        yield this.at(named, message, "choose the node by nodeSelector kubernetes.io/hostname")
