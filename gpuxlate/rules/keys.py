"""The rules over the keys of all dialects, and the constraints that they get from these keys (GX)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Path, Put, Remove, Severity
from gpuxlate.model.keys import NVIDIA_GPU, KeySpec, Place, Range
from gpuxlate.model.messages import Message, join_and, join_or, msg, suggest
from gpuxlate.model.pod import KeyOccurrence, Level, PodKeys, ScalarKind, Value, key_occurrences
from gpuxlate.model.profile import Profile
from gpuxlate.rules import number_format, releases
from gpuxlate.rules.base import Context, Dialect, Rule, Scope, Subject, rule
from gpuxlate.rules.key_index import PLACES_OF_REQUESTS, KeyIndex, is_policy, key_index_of, similar_name
from gpuxlate.rules.predicates import Constraint, EnvIs, InRange, Not, Privileged, Violation
from gpuxlate.rules.translation import SEE_TARGETS
from gpuxlate.rules.unsupported_products import Product

_DOUBTFUL = {
    "GiB": Range(number_format.MOST_PLAUSIBLE_GIB + 1),
    "MiB": Range(1, number_format.LEAST_PLAUSIBLE_MIB - 1),
}
"""Amounts that look like those of the other unit."""


def plausible_amounts(dialects: Sequence[Dialect], profile: Profile | None = None) -> tuple[Constraint, ...]:
    """GX007: no amount of memory looks like one in another unit."""
    index = key_index_of(Context(dialects=tuple(dialects)))
    constraints = []
    for name in dict.fromkeys(name for row in _rows(dialects) for name in (row.name, *row.aliases)):
        row = next((row for row in index.rows(name) if Place.RESOURCE in row.places), None)
        doubtful = _DOUBTFUL.get(number_format.unit_of(row, profile))
        first = number_format.beyond_plausible(row)
        doubtful = Range(first) if first is not None else doubtful
        if row is not None and not row.quantity and not row.is_pattern and doubtful is not None:
            constraints.append(Constraint(Not(InRange(name, doubtful)), keys=(name,)))
    return tuple(constraints)


def _rows(dialects: Sequence[Dialect]) -> Iterator[KeySpec]:
    return (row for dialect in dialects for row in dialect.keys)


# The rules of names and places: which keys exist, and where they take effect (GX).
@rule(
    "GX003",
    Severity.ERROR,
    about=Subject.MISSPELT,
    fix="unsafe",
    no_policy="lint alone finds names outside the vendors' prefixes that are near to a key",
)
def key_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """No key is a misspelt key of a vendor.

    ## What it does
    Reports unknown names under the prefixes of the vendors' GPU keys, keys that differ by at most two
    letters from a known one, and resources that have the words of a known one with other separators or
    abbreviations, or in another domain of its vendor. Other keys of the vendors' domains are not reported.

    ## Why
    A misspelt resource never schedules, and a misspelt label or annotation does nothing at all.

    ## Fix
    Unsafe: renames the key to the one that was probably meant, unless that key is there already.

    ## Source
    The data sheets of the vendors' keys.
    """
    index = key_index_of(context)
    for spot in key_occurrences(pod):
        miss = index.misspelt(spot.name, spot.place)
        if miss is None or not index.is_meant(spot.name, spot.place, pod):
            continue
        meant = miss.meant
        edit = spot.renamed(meant) if meant and miss.probable else None
        yield this.diagnostic(
            spot.path,
            msg("{name} is not a key of {dialect}", name=spot.name, dialect=miss.dialect.title),
            suggest(meant) if meant else "check the name: nothing reads this key",
            on_key=spot.on_key,
            fix=Fix(msg("rename it to {meant}", meant=meant), (edit,), safe=False) if edit else None,
        )


A_REMARK = "it is a remark on keys that are not read: a pod with them may be right"


@rule("GX004", Severity.INFO, about=Subject.MARK, fix="safe", no_policy=A_REMARK)
def scheduler_keys_are_absent(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The manifest has no key that a vendor's scheduler writes.

    ## What it does
    Reports the labels, annotations and variables of a pod that a scheduler or device plugin wrote,
    such as card indexes and the time of the assignment. The same names in resources and node
    selectors were written by somebody: GX013 reports them.

    ## Why
    They are in manifests that were copied from a running pod. Applied again they can make the
    scheduler treat the pod as one that has its cards already. With `--with hami=2.11`, or such a profile,
    those of HAMi are an error: its webhook refuses the pod from that release on.

    ## Fix
    Safe: removes the key.

    ## Source
    volcano-sh/volcano, pull request 3030; kubeflow/arena, `pkg/apis`; elastic-ai/arena.
    """
    index = key_index_of(context)
    versions = context.profile.components if context.profile else {}
    for spot in key_occurrences(pod):
        if spot.place not in PLACES_OF_REQUESTS and index.written_by_scheduler(spot.name):
            components = (component for owner in index.owners(spot.name) for component in owner.components)
            refusing = releases.refusing_release(versions, components, spot.name)
            message = msg("{name} is written by the scheduler, not in a manifest", name=spot.name)
            if refusing is not None:
                message = msg(
                    "{release} refuses pods that are made with {name}", release=refusing, name=spot.name
                )
            yield this.diagnostic(
                spot.path,
                message,
                "remove it",
                severity=Severity.ERROR if refusing else None,
                on_key=spot.on_key,
                fix=Fix(msg("remove {name}", name=spot.name), (spot.removal,)),
            )


@rule("GX006", Severity.WARNING, about=Subject.PRODUCT, no_policy=A_REMARK)
def key_is_no_look_alike(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """No key of another product is taken for a vendor's key.

    ## What it does
    Reports keys that are easily taken for those of a GPU share, and the product that reads them, once for
    each product of a pod. Keys of a product that has ended and can be translated, such as GPU manager, are an
    info.

    ## Why
    They are real keys with other units or another meaning, and on a cluster of the vendor in question
    nothing reads them. `gpuxlate targets` lists the products whose keys can be translated.

    ## Source
    tkestack/gpu-manager, README; alibaba/open-simulator; Tencent Cloud, super nodes.
    """
    index = key_index_of(context)
    reported: set[str] = set()
    for spot, product in _of_products(index, pod):
        dialect = index.taken_for(product)
        if dialect is None or product.title in reported:
            continue
        reported.add(product.title)
        if index.owners(spot.name):
            message = msg(
                "{name} is a key of {product}, which has ended", name=spot.name, product=product.title
            )
            hint = msg("gpuxlate translate writes the share for another target")
            yield this.diagnostic(spot.path, message, hint, severity=Severity.INFO, on_key=spot.on_key)
        else:
            yield this.diagnostic(
                spot.path,
                msg(
                    "{name} looks like a key of {dialect} but is one of {product}: {numbers}",
                    name=spot.name,
                    dialect=dialect.title,
                    product=product.title,
                    numbers=product.numbers,
                ),
                msg("write the keys of {dialect} if its shares are meant", dialect=dialect.title),
                on_key=spot.on_key,
            )


@rule("GX027", Severity.INFO, about=Subject.PRODUCT, no_policy=A_REMARK)
def product_is_read(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The keys are of a dialect that gpuxlate reads.

    ## What it does
    Reports the keys of GPU-sharing products that gpuxlate knows by name and does not read, wherever
    they are in a pod, once for each key of an object, and names the product. Look-alikes of the keys that
    are read are GX006.

    ## Why
    These keys are neither checked nor translated. Without a word, a cluster that shares its GPUs
    by them would seem to have no shares.

    ## Source
    BirenTechnology/k8s-device-plugin; The table of products on the page of targets, for the others.
    """
    index = key_index_of(context)
    for spot, product in _of_products(index, pod):
        if not index.taken_for(product):
            yield this.diagnostic(
                spot.path,
                not_read(spot.name, product),
                SEE_TARGETS,
                on_key=spot.on_key,
            )


OF_PRODUCTS = frozenset((key_is_no_look_alike.code, product_is_read.code))
"""The remarks on keys of products that gpuxlate knows by name."""


def not_read(name: str, product: Product) -> Message:
    """The message of GX027 about a key."""
    return msg("{name} is a key of {product}, which gpuxlate does not read", name=name, product=product.title)


def _of_products(index: KeyIndex, pod: PodKeys) -> Iterator[tuple[KeyOccurrence, Product]]:
    joined = {name for container in pod.all_containers() for name in index.joined(container.resources)}
    for spot in key_occurrences(pod):
        product = index.product(spot.name, spot.place)
        if product and not (spot.place is Place.RESOURCE and spot.name in joined):
            yield spot, product


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
    no_policy="lint alone looks at the variables of containers",
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

    ## Fix
    Unsafe: moves the key to the labels or annotations of the pod where it has one such place and
    is not there yet. None for other places.

    ## Source
    AliyunContainerService/gpushare-scheduler-extender, issue 10; ACK,
    multi-card-sharing-through-shared-gpu-scheduling (2025-04-19); Tencent Cloud, GPU sharing: using qGPU: the
    policy is a label of nodes with three values (2024-11-25).
    """
    index = key_index_of(context)
    for spot in key_occurrences(pod):
        misplaced = index.is_misplaced(spot.name, spot.place)
        if misplaced and index.written_by_scheduler(spot.name):
            yield _by_hand(this, index, spot)
            continue
        rows = [row for row in index.rows(spot.name) if Place.WRITTEN_BY_SCHEDULER not in row.places]
        if not rows or spot.level is Level.STRAY:  # K8S006 moves keys outside of metadata
            continue
        schedulers = [*of_annotation(rows)] if spot.place is Place.ANNOTATION else []
        if not index.is_meant(spot.name, spot.place, pod) or _is_named(pod, schedulers):
            continue
        if not misplaced:
            if _is_true_policy(rows, spot):
                yield this.diagnostic(
                    spot.value,
                    msg(
                        "{name} is {value!r}, which no node has: its value is a policy",
                        name=spot.name,
                        value=spot.value.text,
                    ),
                    "write the policy of the nodes",
                )
            continue
        places = rows[0].places - {Place.NODE} or rows[0].places
        belongs = (msg(text) for place, text in _BELONGS.items() if place in places)
        yield this.diagnostic(
            spot.path,
            msg("{name} has no effect {place}", name=spot.name, place=_FOUND[spot.place]),
            msg("write it {place}", place=join_and(belongs, "{before}, or {last}")),
            on_key=spot.on_key,
            fix=_move(pod, spot, rows[0]),
            missing=bool(schedulers) and pod.scheduler_name is None,
        )


def _by_hand(this: Rule, index: KeyIndex, spot: KeyOccurrence) -> Diagnostic:
    """The finding about a key of a scheduler that was written by hand."""
    owner = index.owners(spot.name)[0]
    meant = similar_name(spot.name, [row.name for row in owner.keys if spot.place in row.places])
    return this.diagnostic(
        spot.path,
        msg(
            "{name} has no effect {place}: the scheduler writes it on the pods that it places",
            name=spot.name,
            place=_FOUND[spot.place],
        ),
        suggest(meant)
        if meant
        else msg("remove it, or write the keys of {dialect} that request a share", dialect=owner.title),
        on_key=spot.on_key,
    )


def of_annotation(rows: Iterable[KeySpec]) -> Iterator[str]:
    """The schedulers that also read a resource from an annotation."""
    return (scheduler for row in rows for scheduler in row.annotation_with)


def _is_named(pod: PodKeys, schedulers: Sequence[str]) -> bool:
    return pod.scheduler_name is not None and pod.scheduler_name.text in schedulers


def _is_true_policy(rows: Iterable[KeySpec], spot: KeyOccurrence) -> bool:
    """The key is a node selector for a policy with the value "true", which no node has."""
    of_nodes = spot.place is Place.NODE_SELECTOR and any(map(is_policy, rows))
    return of_nodes and spot.value.text.lower() == "true"


def _move(pod: PodKeys, spot: KeyOccurrence, row: KeySpec) -> Fix | None:
    fields = [field for place, field in _MOVABLE.items() if place in row.places]
    if len(fields) != 1 or spot.value.kind is ScalarKind.NODE:
        return None
    if spot.place not in (Place.RESOURCE, *_MOVABLE):
        return None
    target = (*pod.metadata_of(fields[0]), spot.name)
    if spot.name in (pod.labels if fields[0] == "labels" else pod.annotations):
        return None
    where = ".".join(map(str, target[:-1]))
    title = msg("move {name} to {where}", name=spot.name, where=where)
    return Fix(title, (spot.removal, Put(target, spot.value.text)), safe=False)


@rule(
    "GX043",
    Severity.WARNING,
    about=Subject.STEERING,
    missing=True,
    no_policy="lint alone asks in which dialect a pod has a share",
)
def cards_are_of_a_share(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A label or annotation that counts cards (`aliyun.com/gpu-count`) is beside a share of its vendor.

    ## What it does
    Reports a label or annotation of a pod that counts the cards of a share, where no container of the pod has
    a share by that vendor's keys: none at all, or cards of another key, such as `nvidia.com/gpu`.

    ## Why
    The number is of the cards over which a share is spread, and asks for none itself: a pod with
    `aliyun.com/gpu-count: "2"` alone gets no card, and one with `nvidia.com/gpu: 1` beside it gets one.

    ## Source
    ACK, multi-card-sharing-through-shared-gpu-scheduling (2025-04-19).
    """
    index = key_index_of(context)
    speaking = index.backends_of(pod)
    for spot in key_occurrences(pod):
        if spot.place not in _MOVABLE or spot.level is Level.STRAY:
            continue
        rows = [row for row in index.rows(spot.name) if row.sets == "cards" and spot.place in row.places]
        if rows and not any(dialect.owns(spot.name) for dialect in speaking):
            yield this.diagnostic(
                spot.path,
                msg(
                    "{name} has no effect: no container of the pod has a share that it counts", name=spot.name
                ),
                "request the share in the limits of a container, or remove the key",
                on_key=True,
            )


VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES"
CUDA_DEVICES = "CUDA_VISIBLE_DEVICES"
NO_DEVICES = ("", "none", "void")
"""Values of NVIDIA_VISIBLE_DEVICES that show no card (NVIDIA Container Toolkit, "GPU Enumeration")."""


@rule(
    "GX039",
    Severity.WARNING,
    about=Subject.RESOURCE,
    fix="unsafe",
    no_policy="it depends on which vendor the keys of a container belong to, which no expression lists",
)
def plugin_chooses_the_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`NVIDIA_VISIBLE_DEVICES` and `CUDA_VISIBLE_DEVICES` choose no cards in a container with a share.

    ## What it does
    Reports `NVIDIA_VISIBLE_DEVICES` and `CUDA_VISIBLE_DEVICES` in a container that has a share by a device
    plugin which sets them, and as an info `NVIDIA_VISIBLE_DEVICES` beside whole cards of `nvidia.com/gpu`.
    Nothing for values of `NVIDIA_VISIBLE_DEVICES` that show no card, and for `CUDA_VISIBLE_DEVICES` that
    numbers the container's own cards from 0.

    ## Why
    The variable of the pod wins over that of the device plugin: the container sees cards that the scheduler
    gave to others, all of them with `all`, and the limits of its share are of another card.

    ## Fix
    Removes the variable. Unsafe: it may be intended.

    ## Source
    AliyunContainerService/gpushare-scheduler-extender, issue 151; koordinator-sh/koordinator, issue 2185;
    immich-app/immich-charts, issue 121; NVIDIA Container Toolkit, "GPU Enumeration".
    """
    index = key_index_of(context)
    for container in pod.all_containers():
        chosen = [
            variable
            for variable in (VISIBLE_DEVICES, CUDA_DEVICES)
            if _chooses(container.env.get(variable), variable)
        ]
        if not chosen:
            continue
        owners = (
            dialect
            for name in container.resources
            for dialect in index.owners(name)
            if dialect.requests_with(name)
        )
        is_share = any(dialect.sets_visible_devices for dialect in owners)
        if not is_share:
            cards = container.resources.get(NVIDIA_GPU)
            if cards is None or not quantity.parse_integer(cards.text):
                continue
            chosen = [name for name in chosen if name == VISIBLE_DEVICES]
        for name in chosen:
            value = container.env[name]
            yield this.diagnostic(
                value,
                msg(
                    "{name} is {value!r}, in place of the cards that the device plugin gives the container",
                    name=name,
                    value=value.text,
                ),
                "remove the variable",
                severity=None if is_share else Severity.INFO,
                fix=Fix(msg("remove {key}", key=name), (Remove(value.path),), safe=False),
                missing=not is_share,  # a patch may leave out what makes the card a share
            )


def _chooses(value: Value | None, name: str) -> bool:
    """The variable ``name`` chooses other cards than those that the container gets."""
    if value is None or value.kind is ScalarKind.NODE:
        return False
    if name == VISIBLE_DEVICES:
        return value.text not in NO_DEVICES
    numbers = [part.strip() for part in value.text.split(",")]
    return numbers != [str(number) for number in range(len(numbers))]


@rule(
    "GX040",
    Severity.WARNING,
    about=Subject.RESOURCE,
    no_policy="it depends on which vendor the keys of a container belong to, which no expression lists",
)
def container_sees_its_own_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container with a share or with cards has no `securityContext.privileged: true`.

    ## What it does
    Reports `securityContext.privileged: true` in a container that requests a share, and as an info in one
    that requests whole cards. Nothing where a vendor's own rule refuses such a container.

    ## Why
    A privileged container has all devices of the node: it sees every card, whatever number it requested,
    and can use those that the scheduler gave to others.

    ## Source
    Kubernetes, "Configure a Security Context"; kubernetes/kubernetes, issue 81256; NVIDIA/k8s-device-plugin,
    issue 336.
    """
    index = key_index_of(context)
    for container in pod.all_containers():
        privileged = container.privileged
        if privileged is None or privileged.text.lower() != "true":
            continue
        owners = [
            (name, dialect)
            for name in container.resources
            for dialect in index.owners(name)
            if dialect.requests_with(name)
        ]
        rules = (rule for _, dialect in owners for rule in dialect.rules)
        if any(part.must == _NOT_PRIVILEGED for rule in rules for part in rule.constraints):
            continue
        whole = next((name for name in container.resources if index.counts_whole_cards(name)), None)
        if not owners and whole is None:
            continue
        name = owners[0][0] if owners else whole
        yield this.diagnostic(
            privileged,
            msg("a privileged container sees all cards of its node, not only those of {name}", name=name),
            "remove privileged, or set it on a container without GPUs",
            severity=None if owners else Severity.INFO,
            missing=not owners,  # a patch may leave out what makes the card a share
        )


_NOT_PRIVILEGED = ~Privileged()


DEVICE_FILE = "/dev/nvidia"
"""How the names of the files of NVIDIA's cards begin; a number follows."""


@rule("GX042", Severity.WARNING, scope=Scope.SOURCE, no_policy="lint alone looks at the volumes of pods")
def card_is_no_file_of_the_node(this: Rule, path: Path, file: str, name: str, is_share: bool) -> Diagnostic:
    """A container with a share or with cards mounts no `hostPath` of a card, such as `/dev/nvidia0`.

    ## What it does
    Reports a volume with a `hostPath` of `/dev/nvidia0` or of another number that is mounted by a container
    which requests a share, and as an info by one which requests whole cards.

    ## Why
    The file is one card of the node, whatever card the scheduler gives the container. Without `privileged`
    the container may not open it ("operation not permitted"); with it, the container uses a card of others.

    ## Source
    kubernetes/kubernetes, issue 5607; NVIDIA/gdrcopy, issue 291.
    """
    message = msg(
        "{file} is one card of the node, whatever card {name} gives the container", file=file, name=name
    )
    return this.diagnostic(
        path,
        message,
        "remove the volume: the device plug-in gives the container the files of its card",
        severity=None if is_share else Severity.INFO,
    )


@rule(
    "GX041",
    Severity.INFO,
    about=Subject.RESOURCE,
    missing=True,
    constraint=Constraint(EnvIs(VISIBLE_DEVICES), InRange(NVIDIA_GPU, Range(0, 0)), (NVIDIA_GPU,)),
)
def zero_cards_hide_the_cards(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A container with `nvidia.com/gpu: 0` also sets `NVIDIA_VISIBLE_DEVICES`, or leaves the key out.

    ## What it does
    Reports `nvidia.com/gpu: 0` in a container without the variable `NVIDIA_VISIBLE_DEVICES` and without other
    requests of GPUs.

    ## Why
    0 is the same as no key: the device plugin is not asked, so nothing hides the cards. CUDA images set
    `NVIDIA_VISIBLE_DEVICES=all`, and where `nvidia` is the default runtime such a container sees every card
    of its node.

    ## Source
    NVIDIA/k8s-device-plugin, issue 61; NVIDIA Container Toolkit, "GPU Enumeration".
    """
    index = key_index_of(context)
    if any(name != NVIDIA_GPU and index.is_resource(name) for name in violation.container.resources):
        return
    yield this.diagnostic(
        violation.value_at,
        msg("{key} 0 hides no card: a CUDA image sees all cards of its node", key=NVIDIA_GPU),
        msg("remove the key, and set the variable {variable}: void", variable=VISIBLE_DEVICES),
        on_key=True,
    )


# The rules of numbers that Kubernetes accepts but that are probably a mistake (GX007, GX008).
SMALL = ("", "m", "u", "n")
"""Suffixes of numbers that mean what Kubernetes reads."""


@rule("GX007", Severity.WARNING, about=Subject.MEMORY, constraints_of=plausible_amounts)
def magnitude_is_plausible(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The amount of GPU memory is plausible in the unit of its key.

    ## What it does
    Reports more than 1024 where a key counts GiB, less than 64 where it counts MiB, and more than 1024 GiB
    where it counts units of another size. Nothing for GiB where a profile sets another unit for the cluster.

    ## Why
    The vendors count in different units: `aliyun.com/gpu-mem: 4096` is 4 TiB, and
    `vke.volcengine.com/mgpu-memory: 4` is 4 MiB.

    ## Source
    Volcengine docs 6461/1581673, AI apps on shared GPUs (2025-06-04); ACK,
    multi-card-sharing-through-shared-gpu-scheduling (2025-04-19); Tencent Cloud, GPU sharing: using qGPU
    (2024-11-25); Contract of gpuxlate: the bounds.
    """
    index = key_index_of(context)
    for container in pod.all_containers():
        for name, value in container.resources.items():
            unit = index.memory_unit(name)
            # as the API server counts it: 5.0 is 5
            amount = quantity.parse_integer(value.text) if unit else None
            if amount is None or (context.profile and context.profile.changes_unit(unit)):
                continue
            most_gib, least = number_format.MOST_PLAUSIBLE_GIB, number_format.LEAST_PLAUSIBLE_MIB
            if (unit == "GiB" and amount <= most_gib) or (unit == "MiB" and not 0 < amount < least):
                continue
            if number_format.number_as_written(value).suffix not in SMALL:
                continue  # K8S002 says what it means
            if unit == "GiB":
                message = msg(
                    "{name} is {amount}: the key counts GiB, this looks like MiB", name=name, amount=amount
                )
                hint = msg(
                    "write {gib} for {amount} MiB, or set another unit of this cluster in a profile",
                    gib=-(-amount // 1024),
                    amount=amount,
                )
                yield this.diagnostic(value, message, hint)
            elif unit == "MiB":
                message = msg(
                    "{name} is {amount}: the key counts MiB, this looks like GiB", name=name, amount=amount
                )
                hint = msg("write {mib} for {amount} GiB", mib=amount * 1024, amount=amount)
                yield this.diagnostic(value, message, hint)
            else:
                row = next(row for row in index.rows(name) if Place.RESOURCE in row.places)
                first, step = number_format.beyond_plausible(row), number_format.unit_mib(row)
                if first is not None and amount >= first:
                    message = msg(
                        "{name} is {amount}: the key counts units of {unit} MiB, this looks like MiB",
                        name=name,
                        amount=amount,
                        unit=step,
                    )
                    hint = msg("write {units} for {amount} MiB", units=-(-amount // step), amount=amount)
                    yield this.diagnostic(value, message, hint)


@rule(
    "GX008",
    Severity.WARNING,
    about=Subject.ODD_NUMBER,
    fix="safe",
    no_policy="the API server sees a number, not how it was written",
)
def number_is_plain(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Numbers are written in plain decimal digits.

    ## What it does
    Reports `0030`, `1e3`, `0x10`, `1_000` and `+5` as values of GPU resources.

    ## Why
    Versions of YAML read such numbers differently: `0030` is 24 in one and 30 in another.

    ## Fix
    Safe, and only where all parsers agree: `1e3` becomes 1000, `+5` becomes 5.

    ## Source
    YAML 1.1, "int" type (2005); YAML 1.2.2, core schema (2021).
    """
    index = key_index_of(context)
    for container in pod.all_containers():
        for values in (container.limits, container.requests):
            for name, value in values.items():
                readings = (
                    number_format.readings(value) if index.owners(name) or index.is_resource(name) else ()
                )
                with_unit = value.kind is not ScalarKind.INT and any(row.quantity for row in index.rows(name))
                if not readings or with_unit:  # an exponent is a unit
                    continue
                if len(readings) == 1 and readings[0] is not None:
                    write = msg("write {number}", number=readings[0])
                    message = msg("{name} is {text}, not in plain decimal digits", name=name, text=value.text)
                    yield this.diagnostic(
                        value, message, write, fix=Fix(write, (Put(value.path, readings[0]),))
                    )
                    continue
                numbers = join_or("no number" if number is None else str(number) for number in readings)
                message = msg(
                    "{name} is {text}, which YAML parsers read as {numbers}",
                    name=name,
                    text=value.text,
                    numbers=numbers,
                )
                yield this.diagnostic(value, message, "write the number in plain decimal digits")
