"""The rules of names and places: which keys exist, and where they take effect (GX)."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import Message, joined, say
from gpuxlate.model.pod import Kind, PodKeys
from gpuxlate.model.sheet import Key, Place
from gpuxlate.model.spots import Level, Spot, spots
from gpuxlate.rules.base import Context, Rule, Subject, rule
from gpuxlate.rules.predicates.of_dialects import no_marks
from gpuxlate.rules.products import Product
from gpuxlate.rules.vocabulary import BY_HAND, Vocabulary, alike, vocabulary_of


@rule(
    "GX003",
    Severity.ERROR,
    about=Subject.MISSPELT,
    fix="unsafe",
    no_policy="it compares an unknown name with all known ones, letter by letter",
)
def key_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """No key is a misspelt key of a vendor.

    ## What it does
    Reports unknown names under the prefixes of the vendors' GPU keys, and keys that differ by at
    most two letters from a known one. Other keys of the vendors' domains are not reported.

    ## Why
    A misspelt resource never schedules, and a misspelt label or annotation does nothing at all.

    ## Example
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-cores: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Fix
    Unsafe: renames the key to the one that was probably meant, unless that key is there already.

    ## Source
    The data sheets of the vendors' keys, as of 2026-11.
    """
    words = vocabulary_of(context)
    for spot in spots(pod):
        if spot.place is Place.ENV:
            continue
        miss = words.near_miss(spot.name)
        if miss is None or not words.is_meant(spot.name, spot.place, pod):
            continue
        meant = miss.meant
        edit = spot.renamed(meant) if meant and miss.probable else None
        yield this.at(
            spot.path,
            say("{name} is not a key of {dialect}", name=spot.name, dialect=miss.dialect.title),
            say("did you mean {nearest}?", nearest=meant)
            if meant
            else "check the name: nothing reads this key",
            on_key=spot.on_key,
            fix=Fix(say("rename it to {meant}", meant=meant), (edit,), safe=False) if edit else None,
        )


A_REMARK = "it is a remark on keys that are not read: a pod with them may be right"


@rule("GX004", Severity.INFO, about=Subject.MARK, fix="safe", predicates_of=no_marks)
def scheduler_keys_are_absent(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The manifest has no key that a vendor's scheduler writes.

    ## What it does
    Reports the labels, annotations and variables of a pod that a scheduler or device plugin wrote,
    such as card indexes and the time of the assignment. The same names in resources and node
    selectors were written by somebody: GX013 reports them.

    ## Why
    They are in manifests that were copied from a running pod. Applied again they can make the
    scheduler treat the pod as one that has its cards already.

    ## Example
    ```yaml
    metadata: {annotations: {vke.volcengine.com/gpu-index-container-web: "0"}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Fix
    Safe: removes the key.

    ## Source
    Volcengine: volcano PR 3030; Alibaba Cloud: kubeflow/arena `pkg/apis`; Tencent: elastic-ai/arena.
    """
    words = vocabulary_of(context)
    for spot in spots(pod):
        if spot.place not in BY_HAND and words.written_by_scheduler(spot.name):
            yield this.at(
                spot.path,
                say("{name} is written by the scheduler, not in a manifest", name=spot.name),
                "remove it",
                on_key=spot.on_key,
                fix=Fix(say("remove {name}", name=spot.name), (spot.removal,)),
            )


@rule("GX006", Severity.WARNING, about=Subject.PRODUCT, no_policy=A_REMARK)
def key_is_no_look_alike(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """No key of another product is taken for a vendor's key.

    ## What it does
    Reports keys that are easily taken for those of a GPU share, and the product that reads them.

    ## Why
    They are real keys with other units or another meaning, and on a cluster of the vendor in question
    nothing reads them. `gpuxlate targets` lists the products whose keys can be translated.

    ## Example
    ```yaml
    resources: {limits: {tencent.com/vcuda-core: 30, tencent.com/vcuda-memory: 20}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {tke.cloud.tencent.com/qgpu-core: 30, tke.cloud.tencent.com/qgpu-memory: 5}}
    ```

    ## Source
    tkestack/gpu-manager README; alibaba/open-simulator; Tencent Cloud, super nodes.
    """
    words = vocabulary_of(context)
    for spot, product in _of_products(words, pod):
        dialect = words.taken_for(product)
        if dialect:
            yield this.at(
                spot.path,
                say(
                    "{name} looks like a key of {dialect} but is one of {product}: {numbers}",
                    name=spot.name,
                    dialect=dialect.title,
                    product=product.title,
                    numbers=product.numbers,
                ),
                say("write the keys of {dialect} if its shares are meant", dialect=dialect.title),
                on_key=spot.on_key,
            )


@rule("GX027", Severity.INFO, about=Subject.PRODUCT, no_policy=A_REMARK)
def product_is_read(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The keys are of a dialect that gpuxlate reads.

    ## What it does
    Reports the keys of GPU-sharing products that gpuxlate knows by name and does not read, wherever
    they are in a pod, and names the product. Look-alikes of the keys that are read are GX006.

    ## Why
    These keys are neither checked nor translated. Without a word, a cluster that shares its GPUs
    by them would seem to have no shares.

    ## Example
    ```yaml
    metadata: {annotations: {tensor-fusion.ai/vram-request: 4Gi, tensor-fusion.ai/gpu-count: "1"}}
    spec: {containers: [{name: web, image: web}]}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 4096}}
    ```

    ## Source
    NexusGPU/tensor-fusion; the table of products on the page of targets has those of the others.
    """
    words = vocabulary_of(context)
    for spot, product in _of_products(words, pod):
        if not words.taken_for(product):
            yield this.at(
                spot.path,
                not_read(spot.name, product),
                "it is neither checked nor translated: see gpuxlate targets for what is read",
                on_key=spot.on_key,
            )


def not_read(name: str, product: Product) -> Message:
    """What GX027 says of a key."""
    return say("{name} is a key of {product}, which gpuxlate does not read", name=name, product=product.title)


def _of_products(words: Vocabulary, pod: PodKeys) -> Iterator[tuple[Spot, Product]]:
    for spot in spots(pod):
        found = words.product(spot.name, spot.place)
        if found:
            yield spot, found


_BELONGS = {
    Place.RESOURCE: "in the limits of a container",
    Place.LABEL: "as a label of the pod",
    Place.ANNOTATION: "as an annotation of the pod",
    Place.NODE_SELECTOR: "in nodeSelector or in a required node affinity",
    Place.ENV: "in the environment of a container",
    Place.NODE: "as a label of nodes",
    Place.CLAIM: "as capacity of a request in a claim",
    Place.QUOTA: "in a quota or a queue",
}
_FOUND = {
    Place.RESOURCE: "in the resources of a container",
    Place.LABEL: "as a label",
    Place.ANNOTATION: "as an annotation",
    Place.NODE_SELECTOR: "as a node selector",
    Place.ENV: "as an environment variable",
}
_MOVABLE = {Place.LABEL: "labels", Place.ANNOTATION: "annotations"}


@rule(
    "GX013",
    Severity.ERROR,
    about=Subject.MISPLACED,
    fix="unsafe",
    no_policy="a predicate names its keys; this compares each key with the places where it is read",
)
def key_is_where_it_takes_effect(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A vendor's key is where the vendor reads it.

    ## What it does
    Reports known keys in a place that nothing reads: a label in the limits, a node's label on the
    pod, an annotation as a label, a mark of the scheduler in the limits or in a node selector; and a
    node selector for a policy with the value `"true"`.

    ## Why
    The key does nothing there, or makes the pod unschedulable: `aliyun.com/gpu-count` in limits is
    a counter of the device plugin, not a request for cards.

    ## Example
    ```yaml
    metadata: {labels: {vke.volcengine.com/container-multiple-gpu: "2"}}
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
    Unsafe: moves the key to the labels or annotations of the pod where it has one such place and
    is not there yet. None for other places.

    ## Source
    gpushare-scheduler-extender issue 10; Alibaba Cloud, "multi-card sharing" (2025-04); Tencent
    Cloud, qGPU (2024-11): the policy is a label of nodes with three values.
    """
    words = vocabulary_of(context)
    for spot in spots(pod):
        if spot.place in BY_HAND and words.written_by_scheduler(spot.name):
            yield _by_hand(this, words, spot)
            continue
        rows = [row for row in words.rows(spot.name) if Place.SCHEDULER not in row.places]
        if not rows or not words.owners(spot.name) or spot.level is Level.STRAY:
            continue  # every cloud uses nvidia.com/gpu; K8S006 moves keys outside of metadata
        if not words.is_meant(spot.name, spot.place, pod):
            continue
        if any(_takes_effect(row, spot.place) for row in rows):
            if spot.place is Place.NODE_SELECTOR and _policy_is_true(rows, spot):
                yield this.at(
                    spot.value,
                    say(
                        "{name} is {value!r}, which no node has: its value is a policy",
                        name=spot.name,
                        value=spot.value.text,
                    ),
                    "write the policy of the nodes",
                )
            continue
        places = rows[0].places - {Place.NODE} or rows[0].places
        belongs = (say(text) for place, text in _BELONGS.items() if place in places)
        yield this.at(
            spot.path,
            say("{name} has no effect {place}", name=spot.name, place=_FOUND[spot.place]),
            say("write it {place}", place=joined(belongs, "{before}, or {last}")),
            on_key=spot.on_key,
            fix=_move(pod, spot, rows[0]),
        )


def _by_hand(this: Rule, words: Vocabulary, spot: Spot) -> Diagnostic:
    """A name that only a scheduler writes, in a place where somebody asks for something with it."""
    owner = words.owners(spot.name)[0]
    meant = alike(spot.name, [row.name for row in owner.keys if spot.place in row.places])
    return this.at(
        spot.path,
        say(
            "{name} has no effect {place}: the scheduler writes it on the pods that it places",
            name=spot.name,
            place=_FOUND[spot.place],
        ),
        say("did you mean {nearest}?", nearest=meant)
        if meant
        else say("remove it, or write the keys of {dialect} that request a share", dialect=owner.title),
        on_key=spot.on_key,
    )


def _takes_effect(row: Key, place: Place) -> bool:
    """Any label of nodes can be in a node selector, whether the data sheet says so or not."""
    return place in row.places or (place is Place.NODE_SELECTOR and Place.NODE in row.places)


def _policy_is_true(rows: list[Key], spot: Spot) -> bool:
    policy = any(Place.NODE in row.places and "policy" in row.meaning for row in rows)
    return policy and spot.value.text.lower() == "true"


def _move(pod: PodKeys, spot: Spot, row: Key) -> Fix | None:
    fields = [field for place, field in _MOVABLE.items() if place in row.places]
    if len(fields) != 1 or spot.value.kind is Kind.NODE:
        return None
    if spot.place not in (Place.RESOURCE, *_MOVABLE):
        return None
    target = (*pod.metadata_of(fields[0]), spot.name)
    if spot.name in (pod.labels if fields[0] == "labels" else pod.annotations):
        return None
    where = ".".join(map(str, target[:-1]))
    title = say("move {name} to {where}", name=spot.name, where=where)
    return Fix(title, (spot.removal, Put(target, spot.value.text)), safe=False)
