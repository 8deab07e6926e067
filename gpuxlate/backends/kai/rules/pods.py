"""Rules on what a pod has beside its share: KAI003, KAI004, KAI006, KAI008, KAI009, KAI011."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.kai import keys as k
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import Annotated, Any, Labelled, Not, SchedulerIs
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.vocabulary import vocabulary_of


def _two_forms(this: Rule, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    """The annotations of the pod beside those of NvFractions."""
    value = next((value for _, _, value in k.amounts(pod)), None)
    for name in k.SHARE_KEYS:
        if value is not None and name in pod.annotations:
            yield _both(this, pod.annotations[name], name, str(value.path[-1]))


def _both(this: Rule, value: Value, name: str, other: str) -> Diagnostic:
    message = say("{key} and {other} are both set", key=name, other=other)
    return this.at(value, message, "keep one of them", on_key=True)


@rule(
    "KAI003",
    Severity.ERROR,
    predicate=Predicate(Not(Annotated(k.FRACTION)), Annotated(k.MEMORY), (k.MEMORY,), each=False),
    also=_two_forms,
)
def memory_is_set_once(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The memory of a share is set in one way.

    ## What it does
    Reports `gpu-memory` beside `gpu-fraction`, and either of them beside a key of NvFractions.

    ## Why
    The pod is refused: one part of a card is not two.

    ## Example
    ```yaml
    metadata: {annotations: {gpu-fraction: "0.5", gpu-memory: "2000"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {gpu-memory: "2000"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, gpu_request_validator.go (2026-08-07).
    """
    if breach.value is not None:
        yield _both(this, breach.value, k.MEMORY, k.FRACTION)


def _others_beside(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Whole cards beside the keys of NvFractions, and resources of other dialects beside any share."""
    asked = k.asks(pod)
    if asked is None:
        return
    words = vocabulary_of(context)
    legacy = any(name in pod.annotations for name in k.SHARE_KEYS)
    for container in pod.all_containers():
        for name, value in container.resources.items():
            if (name == k.WHOLE and not legacy) or (name != k.WHOLE and words.is_resource(name)):
                yield _beside(this, name, value, str(asked.path[-1]))


def _beside(this: Rule, name: str, value: Value, share: str) -> Diagnostic:
    message = say(
        "{key} is beside {share} of the pod: the pod has the one or the other", key=name, share=share
    )
    hint = say("keep {key} for whole cards, or {share} for a part", key=k.WHOLE, share=share)
    return this.at(value, message, hint, on_key=True)


@rule(
    "KAI004",
    Severity.ERROR,
    predicate=Predicate(Not(Any(*(Annotated(name) for name in k.SHARE_KEYS))), at=(k.WHOLE,)),
    also=_others_beside,
)
def share_is_alone(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with a part of a card requests no GPUs in its containers.

    ## What it does
    Reports `nvidia.com/gpu`, and the resources of other products, in any container of a pod with
    `gpu-fraction`, `gpu-memory` or a key of NvFractions.

    ## Why
    The pod is refused: it has whole cards or a part, and the device plugin counts neither of both.

    ## Example
    ```yaml
    metadata: {annotations: {gpu-fraction: "0.5"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {gpu-fraction: "0.5"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, gpu_request_validator.go (2026-08-07).
    """
    share = next(name for name in k.SHARE_KEYS if name in pod.annotations)
    if breach.value is not None:
        yield _beside(this, breach.name, breach.value, share)


@rule(
    "KAI006", Severity.ERROR, missing=True, no_policy="it compares names of containers with keys and values"
)
def container_is_there(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The container that a key names is in the pod.

    ## What it does
    Reports `gpu-fraction-container-name`, and keys of NvFractions, with the name of a container that the
    pod does not have. Init containers count.

    ## Why
    The share is nobody's: the pod is refused, or the container gets no part of a card.

    ## Example
    ```yaml
    metadata:
      annotations: {gpu-fraction: "0.5", gpu-fraction-container-name: worker}
      labels: {kai.scheduler/queue: team}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations: {gpu-fraction: "0.5", gpu-fraction-container-name: web}
      labels: {kai.scheduler/queue: team}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/README.md (2026-08-07).
    """
    there = [one.name for one in pod.all_containers()]
    hint = say("the containers of the pod are {names}", names=", ".join(there))
    value = pod.annotations.get(k.CONTAINER)
    if value is not None and value.text not in there:
        message = say(
            "{key} names {name!r}, which is no container of the pod", key=k.CONTAINER, name=value.text
        )
        yield this.at(value, message, hint)
    for row in (k.REQUEST, k.LIMIT, k.COMPUTE_MODE):
        for name, container, value in k.of_containers(pod, row):
            if container not in there:
                message = say(
                    "{key} names {name!r}, which is no container of the pod", key=name, name=container
                )
                yield this.at(value, message, hint, on_key=True)


@rule(
    "KAI008",
    Severity.ERROR,
    predicate=tuple(
        Predicate(
            Not(Annotated(name)),
            Any(SchedulerIs(*k.SCHEDULERS), *(Labelled(queue) for queue in k.QUEUES)),
            (name,),
            each=False,
        )
        for name in k.MISTAKEN
    ),
)
def annotation_is_read(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """No annotation is one that is only taken for a key of KAI.

    ## What it does
    Reports the annotations `nvidia.com/gpu.memory`, `gpu_memory` and `gpu_fraction` in pods of KAI.

    ## Why
    Nothing reads them, and nothing says so: the pods run without a share.

    ## Example
    ```yaml
    metadata: {annotations: {nvidia.com/gpu.memory: 8000Mi}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {gpu-memory: "8000"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, issue 257.
    """
    if breach.value is not None:
        message = say("KAI reads no annotation {key}: the pod has no share by it", key=breach.name)
        yield this.at(breach.value, message, say("write {key}", key=k.MISTAKEN[breach.name]), on_key=True)


@rule("KAI009", Severity.ERROR, no_policy="the name of a container is in the key")
def one_container_shares(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """One container of a pod has the share.

    ## What it does
    Reports keys of NvFractions for a second container of the pod.

    ## Why
    KAI gives one container of a pod a part of a card.

    ## Example
    ```yaml
    metadata:
      annotations:
        nvidia.com/container.web.gpu-memory.request: 4Gi
        nvidia.com/container.api.gpu-memory.request: 4Gi
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}, {name: api, image: api}]
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {nvidia.com/container.web.gpu-memory.request: 4Gi}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}, {name: api, image: api}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/nv-fraction (2026-09).
    """
    first: str | None = None
    for _, container, value in k.amounts(pod):
        first = container if first is None else first
        if container != first:
            message = say("{container} and {other} both have a share", container=container, other=first)
            yield this.at(value, message, "use a separate pod for each container", on_key=True)


def _no_queue(this: Rule, pod: PodKeys) -> Iterator[Diagnostic]:
    """Where the pod asks for GPUs, if neither it nor its workload names a queue."""
    whole = (one.resources[k.WHOLE] for one in pod.all_containers() if k.WHOLE in one.resources)
    value = k.asks(pod) or next(whole, None)
    labels = {**pod.owner_labels, **pod.labels}
    if value is not None and not any(name in labels for name in k.QUEUES):
        hint = say("add the label {key} with a queue of the cluster", key=k.QUEUE)
        yield this.at(value, say("the pod has no label {key}", key=k.QUEUE), hint, on_key=True)


def _also_no_queue(this: Rule, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    if not any(name in pod.annotations for name in k.SHARE_KEYS):
        yield from _no_queue(this, pod)


@rule(
    "KAI011",
    Severity.WARNING,
    missing=True,
    predicate=Predicate(
        Any(*(Labelled(queue) for queue in k.QUEUES)),
        Any(*(Annotated(name) for name in k.SHARE_KEYS)),
        k.SHARE_KEYS,
        each=False,
    ),
    also=_also_no_queue,
)
def queue_is_named(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod of KAI names its queue.

    ## What it does
    Reports a pod with a share, or with cards and the scheduler of KAI, without the label
    `kai.scheduler/queue` (`runai/queue` with Run:ai).

    ## Why
    Cards are given to queues: a pod without one is not scheduled.

    ## Example
    ```yaml
    metadata: {annotations: {gpu-fraction: "0.5"}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {gpu-fraction: "0.5"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing (2026-08-07).
    """
    yield from _no_queue(this, pod)
