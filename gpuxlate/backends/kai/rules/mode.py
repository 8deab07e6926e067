"""Rules on how the cluster shares its cards: KAI012, KAI013."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuxlate.backends.kai import keys as k
from gpuxlate.backends.kai.profile import DEFAULT, NV_FRACTIONS, mode_of, reads
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.sheet import Place
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import Annotated, HasKeyLike
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.predicates.with_profile import MODES, WithProfile

AMOUNTS = re.compile("|".join("[^/]+".join(map(re.escape, row.split("*"))) for row in (k.REQUEST, k.LIMIT)))


def _that_are_read(profile: Profile) -> tuple[Predicate, ...]:
    mode = mode_of(profile)
    amounts = Predicate(~HasKeyLike(Place.ANNOTATION, AMOUNTS), each=False)
    legacy = Predicate(~Annotated(k.FRACTION) & ~Annotated(k.MEMORY), at=k.SHARE_KEYS, each=False)
    of_mode = ((amounts, True), (legacy, False))
    return tuple(one for one, by_amounts in of_mode if not reads(mode, by_amounts=by_amounts))


@rule("KAI012", Severity.ERROR, with_profile=WithProfile(_that_are_read, MODES))
def cluster_reads_the_keys(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """The cluster shares cards in a mode that reads the keys of the pod.

    ## What it does
    With a profile, reports the keys of NvFractions where `sharingMode` is another one, and every share
    where it is `Disabled`.

    ## Why
    Other modes ignore these keys: the pod gets no part of a card.

    ## Example
    ```yaml
    metadata: {annotations: {nvidia.com/container.web.gpu-memory.request: 4Gi}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```
    ```yaml profile
    target: kai
    kai: {sharingMode: HamiCore}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {gpu-memory: "4096"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/nv-fraction (2026-09).
    """
    mode = mode_of(context.profile)
    if breach.name:
        values = [pod.annotations[name] for name in k.SHARE_KEYS if name in pod.annotations]
    else:
        values = [value for _, _, value in k.amounts(pod)]
    for value in values:
        message = say(
            "{key} is not read: sharingMode of the cluster is {mode}", key=value.path[-1], mode=mode
        )
        hint = say("write {key}", key=k.MEMORY) if mode != "Disabled" else "request whole cards"
        yield this.at(value, message, hint, on_key=True)


@rule("KAI013", Severity.INFO, no_policy="it depends on how the cluster shares its cards")
def memory_is_enforced(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Something keeps the container within its part of the memory.

    ## What it does
    Reports `gpu-fraction` and `gpu-memory` where the profile does not say that the cluster enforces them.

    ## Why
    In the default mode KAI counts memory and does not enforce it: a container can take that of the others
    on its card.

    ## Example
    ```yaml
    metadata: {annotations: {gpu-fraction: "0.5"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        nvidia.com/container.web.gpu-memory.request: 4Gi
        nvidia.com/container.web.gpu-memory.limit: 4Gi
      labels: {kai.scheduler/queue: team}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/README.md (2026-08-07) and issue 49.
    """
    if mode_of(context.profile) not in (None, DEFAULT):
        return
    for name in k.SHARE_KEYS:
        if name in pod.annotations:
            message = say(
                "{key} is not enforced where sharingMode is {mode}, the default", key=name, mode=DEFAULT
            )
            hint = say(
                "nothing to do where the containers of a card trust each other; {mode} enforces memory",
                mode=NV_FRACTIONS,
            )
            yield this.at(pod.annotations[name], message, hint, on_key=True)
