"""Rules on the pod around a share: HAMI007 to HAMI009."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.hami import keys as k
from gpuxlate.backends.numbers import requesting
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.vocabulary import vocabulary_of

DEFAULT_SCHEDULER = "default-scheduler"


@rule("HAMI007", Severity.ERROR)
def scheduler_is_hamis(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
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
    named = pod.scheduler_name
    if named is None or named.text in ("", DEFAULT_SCHEDULER, *k.SCHEDULERS):
        return
    if requesting(pod, k.COUNT, *k.SHARE_KEYS):
        message = say(
            "schedulerName is {name}; HAMi's webhook ignores pods of other schedulers", name=named.text
        )
        yield this.at(
            named, message, say("remove schedulerName; the webhook sets {name}", name=k.SCHEDULERS[0])
        )


@rule("HAMI008", Severity.ERROR)
def container_is_not_privileged(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
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
    for container in requesting(pod, k.COUNT, *k.SHARE_KEYS):
        privileged = container.privileged
        if privileged is not None and privileged.text.lower() == "true":
            message = "a privileged container requests a share; HAMi's webhook refuses the pod"
            yield this.at(privileged, message, "remove privileged, or set it on a container without a share")


@rule("HAMI009", Severity.ERROR)
def node_is_not_named(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
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
    if vocabulary_of(context).placed_by_scheduler(pod):
        return
    if pod.node_name is not None and pod.node_name.text and requesting(pod, k.COUNT, *k.SHARE_KEYS):
        message = say(
            "nodeName is {name}; HAMi's webhook refuses pods with nodeName", name=pod.node_name.text
        )
        yield this.at(pod.node_name, message, "choose the node by nodeSelector kubernetes.io/hostname")
