"""The rules of Kubernetes for labels, annotations and selectors (K8S005, K8S006, K8S008)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Edit, Put, Remove
from gpuxlate.model.messages import say
from gpuxlate.model.pod import Kind, Path, PodKeys, Value
from gpuxlate.model.sheet import ANY, Place
from gpuxlate.model.spots import Level, spots
from gpuxlate.rules.base import BY_API_SERVER, Context, Rule, Subject, rule
from gpuxlate.rules.vocabulary import vocabulary_of


@rule(
    "K8S005",
    Severity.WARNING,
    about=Subject.STEERING,
    fix="safe",
    no_policy="it is about the workload: a pod does not show what its workload has",
)
def steering_is_on_the_pod(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Labels and annotations of a share are on the pod template, not only on the workload.

    ## What it does
    Reports a vendor's label or annotation on a Deployment, Job or other workload whose pods
    request GPUs of that vendor, where the pod template does not have it or has another value.

    ## Why
    Schedulers and webhooks read the pod. The workload's own metadata is not passed on to it.

    ## Example
    ```yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web, annotations: {vke.volcengine.com/mgpu-compute-policy: fixed-share}}
    spec:
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec:
          containers:
            - name: web
              image: web
              resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      selector: {matchLabels: {app: web}}
      template:
        metadata:
          labels: {app: web}
          annotations: {vke.volcengine.com/mgpu-compute-policy: fixed-share}
        spec:
          containers:
            - name: web
              image: web
              resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Fix
    Safe: moves it to the pod template. None where the pod template has another value.

    ## Source
    Alibaba Cloud, "multi-card sharing" (2025-04), which has the label in `spec.template`;
    Volcengine's webhook (volcano PR 3030), which reads the pod.
    """
    words = vocabulary_of(context)
    fields: tuple[tuple[str, Place, Mapping[str, Value], Mapping[str, Value], Mapping[str, Value]], ...] = (
        ("labels", Place.LABEL, pod.owner_labels, pod.labels, pod.stray_labels),
        ("annotations", Place.ANNOTATION, pod.owner_annotations, pod.annotations, pod.stray_annotations),
    )
    for field, place, on_owner, on_pod, stray in fields:
        for name, value in on_owner.items():
            if not words.rows(name):
                continue
            rows = [row for row in (one.find(name) for one in words.backends_of(pod)) if row is not None]
            steers = any(
                place in row.places and Place.SCHEDULER not in row.places and ANY not in row.idle
                for row in rows
            )
            if steers and name not in stray and on_pod.get(name) != value:
                yield _on_workload(this, name, value, on_pod.get(name), pod.metadata_of(field))


def _on_workload(this: Rule, name: str, value: Value, own: Value | None, target: Path) -> Diagnostic:
    where = ".".join(map(str, target))
    if own is not None:
        message = say(
            "{name} is {value!r} on the workload and {own!r} on its pods: the value on the pods counts",
            name=name,
            value=value.text,
            own=own.text,
        )
        return this.at(value, message, say("keep the one in {where}", where=where), on_key=True)
    message = say("{name} is on the workload only, where nothing reads it", name=name)
    fix = None
    if value.kind is not Kind.NODE:
        title = say("move {name} to {where}", name=name, where=where)
        fix = Fix(title, (Remove(value.path), Put((*target, name), value.text)))
    hint = say("write it in {where}", where=where)
    return this.at(value, message, hint, on_key=True, fix=fix, missing=True)


@rule(
    "K8S006",
    Severity.ERROR,
    about=Subject.STEERING,
    fix="safe",
    no_policy="the API server has dropped fields that it does not know, before a policy sees the pod",
)
def steering_is_in_metadata(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Labels and annotations are inside `metadata`.

    ## What it does
    Reports a vendor's key under `labels:` or `annotations:` next to `metadata` or `spec`.

    ## Why
    Kubernetes has no such field there and drops it, or refuses it. Tencent's own page on online
    and offline pods shows this mistake.

    ## Example
    ```yaml
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
    annotations: {vke.volcengine.com/mgpu-compute-policy: fixed-share}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {vke.volcengine.com/mgpu-compute-policy: fixed-share}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Fix
    Safe: moves the key into `metadata`. None where `metadata` has another value.

    ## Source
    Kubernetes API, PodTemplateSpec; Tencent Cloud, TKE 457/81034 (2025-09-15).
    """
    words = vocabulary_of(context)
    inside = {"labels": pod.labels, "annotations": pod.annotations}
    for spot in spots(pod):
        if spot.level is not Level.STRAY or not words.is_read(spot.name):
            continue
        if not words.is_meant(spot.name, spot.place, pod):
            continue
        if words.written_by_scheduler(spot.name):
            continue  # GX004 removes it
        target = pod.metadata_of(spot.field)
        where = ".".join(map(str, target))
        own = inside[spot.field].get(spot.name)
        edits: tuple[Edit, ...] = (spot.removal,)
        if own is None:
            edits = (*edits, Put((*target, spot.name), spot.value.text))
        fix = Fix(say("move {name} to {where}", name=spot.name, where=where), edits)
        fixable = spot.value.kind is not Kind.NODE and own in (None, spot.value)
        yield this.at(
            spot.value,
            say(
                "{name} is in {field} outside metadata, where Kubernetes does not read it",
                name=spot.name,
                field=spot.field,
            ),
            say("write it in {where}", where=where),
            on_key=True,
            fix=fix if fixable else None,
        )


@rule(
    "K8S008",
    Severity.ERROR,
    about=Subject.STEERING,
    fix="safe",
    no_policy=BY_API_SERVER,
)
def label_values_are_strings(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Values of labels, annotations and node selectors are strings.

    ## What it does
    Reports a number, a boolean or an empty value of a vendor's label, annotation or node selector.

    ## Why
    The API server refuses `gpu-count: 2` and accepts `gpu-count: "2"`.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: 2}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {vke.volcengine.com/mgpu-core: 60, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {vke.volcengine.com/container-multiple-gpu: "2"}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {vke.volcengine.com/mgpu-core: 60, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Fix
    Safe: quotes the value. None where there is no value.

    ## Source
    Kubernetes API, ObjectMeta: maps of strings; kubectl 1.32 and kube-apiserver 1.32, 2026-11.
    """
    words = vocabulary_of(context)
    for spot in spots(pod):
        value = spot.value
        if spot.place not in (Place.LABEL, Place.ANNOTATION, Place.NODE_SELECTOR):
            continue
        if value.kind is Kind.STR or spot.level is Level.STRAY or not words.is_read(spot.name):
            continue
        if not words.is_meant(spot.name, spot.place, pod):
            continue
        if value.kind in (Kind.NODE, Kind.NULL):
            what = "has no value" if value.kind is Kind.NULL else "holds a mapping or a list"
            message = say(
                "{name} in {field} {what}: it must be a string", name=spot.name, field=spot.field, what=what
            )
            yield this.at(value, message, on_key=True)
            continue
        yield this.at(
            value,
            say(
                "{name} in {field} is {value}, not a string: the API server refuses it",
                name=spot.name,
                field=spot.field,
                value=value.text,
            ),
            say('write "{value}"', value=value.text),
            fix=Fix("quote the value", (Put(value.path, value.text),)),
        )
