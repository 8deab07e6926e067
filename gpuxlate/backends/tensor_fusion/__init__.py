"""TensorFusion: annotations of the pod, which one container has, or several together. Numbers are per card.

What is requested is reserved; a limit is where the container ends. Compute is percent of a card or TFLOPs of
FP16, which are percent of the card's own: `tflops` of the catalogue has the figures of its chart (FIGURES).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from gpuxlate.backends.pod_reader import outside, rounded_up
from gpuxlate.backends.rows import choice, whole, written
from gpuxlate.backends.target import (
    BYTE,
    Backend,
    ContainerShare,
    Per,
    Place,
    PodReader,
    PodWriter,
    Range,
    Reading,
    RuleKind,
    RuleRow,
    ShareWriter,
    key,
)
from gpuxlate.model import quantity
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Loss, Path
from gpuxlate.model.keys import NVIDIA_GPU, KeySpec
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Card, Profile, card_meant, card_named, card_of, names_of, products
from gpuxlate.model.share import Device, Isolation
from gpuxlate.rules.predicates import AnyOf, IsAnnotated, Labelled

NAME = "tensor-fusion"
DOMAIN = "tensor-fusion.ai"
ENABLED = f"{DOMAIN}/enabled"
"""Label of the pods that the webhook reads (IsTensorFusionPod)."""
COUNT, MODEL, VENDOR = f"{DOMAIN}/gpu-count", f"{DOMAIN}/gpu-model", f"{DOMAIN}/vendor"
PERCENT, PERCENT_LIMIT = f"{DOMAIN}/compute-percent-request", f"{DOMAIN}/compute-percent-limit"
TFLOPS, TFLOPS_LIMIT = f"{DOMAIN}/tflops-request", f"{DOMAIN}/tflops-limit"
VRAM, VRAM_LIMIT = f"{DOMAIN}/vram-request", f"{DOMAIN}/vram-limit"
ISOLATION, DEDICATED = f"{DOMAIN}/isolation", f"{DOMAIN}/dedicated-gpu"
CONTAINERS, PROFILE = f"{DOMAIN}/inject-container", f"{DOMAIN}/workload-profile"
INDICES, PARTITION, QOS = f"{DOMAIN}/gpu-indices", f"{DOMAIN}/partition-id", f"{DOMAIN}/qos"
AMOUNTS = (PERCENT, PERCENT_LIMIT, TFLOPS, TFLOPS_LIMIT, VRAM, VRAM_LIMIT)
SHARED, PARTITIONED = "shared", "partitioned"
ISOLATIONS = {"soft": Isolation.SOFT, "hard": Isolation.HARDWARE, PARTITIONED: Isolation.HARDWARE}
COUNTS = Range(1, 128)
VENDORS = {
    "NVIDIA": "nvidia",
    "AMD": "amd",
    "Ascend": "huawei",
    "Hygon": "hygon",
    "MetaX": "metax",
    "MooreThreads": "mthreads",
    "Cambricon": "cambricon",
    "Enflame": "enflame",
    "KunlunXin": "kunlunxin",
}
"""What the annotation calls vendors (VENDORS)."""
NOT_SOFT = ("amd", "hygon", "metax")
"""Vendors whose cards have no limiter: parts of them are refused (VENDORS)."""
_NUMBER = regex(r"\+?[0-9]{1,10}")
SPEAKS = AnyOf(Labelled(ENABLED), *map(IsAnnotated, (*AMOUNTS, COUNT)))


def _annotation(name: str, *places: Place, **fields: object) -> KeySpec:
    return key(name, Place.ANNOTATION, *places, **fields)


def parse_amount(value: Value | None) -> Fraction | None:
    """A quantity above 0; None for what the webhook reads as nothing."""
    try:
        number = quantity.parse(value.text).amount if value is not None else Fraction(0)
    except quantity.QuantityError:
        return None
    return number if number > 0 else None


def containers_of(pod: PodKeys) -> tuple[str, ...]:
    """The names of the containers with the share; empty where several could be meant."""
    named = pod.annotations.get(CONTAINERS) or pod.owner_annotations.get(CONTAINERS)
    if named is not None and named.text:
        return tuple(part.strip() for part in named.text.split(","))
    counted = (
        ()
        if COUNT in pod.annotations
        else tuple(container.name for container in pod.containers if _counts(container))
    )
    alone = (pod.containers[0].name,) if len(pod.containers) == 1 else ()
    return counted or alone  # the webhook names those with cards in limits


def _counts(container: ContainerKeys) -> bool:
    """Whether the container has whole cards in limits."""
    value = container.limits.get(NVIDIA_GPU)
    return value is not None and bool(quantity.parse_integer(value.text))


class _Pod:
    """The annotations of one pod."""

    def __init__(self, pod: PodReader, profile: Profile | None) -> None:
        self.pod = pod
        self.values = {
            name: pod.annotation(name) for name in (*AMOUNTS, COUNT, ISOLATION, DEDICATED, CONTAINERS)
        }
        self.granted: tuple[Loss, ...] = ()
        self.origins: dict[str, Path] = {}
        self.device, self.card = self._device(profile)

    def _native(self, container: ContainerKeys) -> Value | None:
        """Cards in limits, which count where no annotation does."""
        counted = self.values[COUNT] is None and _counts(container)
        return container.limits[NVIDIA_GPU] if counted else None

    def _device(self, profile: Profile | None) -> tuple[Device | None, Card | None]:
        """The cards that the annotations name; else the card of the nodes, for TFLOPs."""
        model, vendor = self.pod.annotation(MODEL), self.pod.annotation(VENDOR)
        models = {**products(profile), **names_of(NAME, profile)}  # of the driver, and of the chart's list
        card = card_named(models.get(model.text, ""), profile) if model else None
        maker = next(
            (v for k, v in VENDORS.items() if vendor and k.casefold() == vendor.text.casefold()), None
        )
        for value, meant, name in ((model, card, MODEL), (vendor, maker, VENDOR)):
            if value is not None and meant is None and value.text:
                self.pod.read_choice(value, name, "annotation")
            elif value is not None:
                self.origins["device"] = value.path
        device = Device(maker, (card.name,) if card else ())
        if card is None and model is None:
            cluster_card = card_of(profile, (NAME,))
            card = (
                card_meant(cluster_card.model, cluster_card.memory_mib, profile)
                if cluster_card.model
                else None
            )
        return device if device != Device() else None, card

    def cards(self, container: ContainerKeys) -> int | None:
        count, native = self.values[COUNT], self._native(container)
        number = self.pod.number(container, NVIDIA_GPU)
        indices = self.pod.pod.annotations.get(INDICES)
        if indices is not None and indices.text:
            self.origins["cards"] = indices.path
            return len(indices.text.split(","))
        if count is not None:
            self.origins["cards"] = count.path
            return legal_count(count)
        if native is None:
            return 1
        self.origins["cards"] = native.path
        return number

    def cores(self, container: ContainerKeys, cards: int) -> int | None:
        """Percent over all cards: the request, else the limit. A limit above the request is in no field of a
        share."""
        pair = self._first((TFLOPS, PERCENT), (TFLOPS_LIMIT, PERCENT_LIMIT))
        if pair is None:
            native = self._native(container)
            if native is None or not (
                parse_amount(self.values[VRAM]) or parse_amount(self.values[VRAM_LIMIT])
            ):
                return None
            self.origins["cores"] = native.path  # cards in limits are all of their compute
            return FULL_CARD_CORES * cards
        value, limit = pair
        percent, percent_limit = self._percent(value), None if limit is value else self._percent(limit)
        if limit is not None and limit is not value and percent_limit != percent:
            self.pod.read_choice(limit, str(limit.path[-1]), "annotation")
        if percent is None:
            return None
        self.origins["cores"] = value.path
        percent_of_cards = math.ceil(percent) * cards
        self.granted += rounded_up("cores", "TF004", value.path, percent * cards, percent_of_cards)
        return percent_of_cards

    def _first(self, requests: tuple[str, ...], limits: tuple[str, ...]) -> tuple[Value, Value | None] | None:
        """The request and its limit; TFLOPs go before percent (TF_PARSER)."""
        request, limit = (
            next((value for name in names if parse_amount(value := self.values[name])), None)
            for names in (requests, limits)
        )
        first = request or limit
        return None if first is None else (first, limit)

    def _percent(self, value: Value | None) -> Fraction | None:
        """Percent of one card, at most all of it."""
        number = parse_amount(value)
        if number is None or value is None:
            return None
        if value.path[-1] not in (TFLOPS, TFLOPS_LIMIT):
            return min(number, Fraction(100))
        if self.card is None or self.card.tflops is None:
            message = msg(
                "{key} {text} is not translated: it counts {what}",
                key=str(value.path[-1]),
                text=value.text,
                what="TFLOPs of a card whose figure is not known",
            )
            hint = msg("add {key}, or pass a profile with the card of the nodes (cards.model)", key=MODEL)
            self.pod.note("GX023", message, value.path, hint)
            return None
        return min(number * 100 / self.card.tflops, Fraction(100))

    def memory(self, cards: int) -> tuple[int | None, int | None]:
        """The reserved MiB over all cards, and the limit of the container in MiB."""
        pair = self._first((VRAM,), (VRAM_LIMIT,))
        if pair is None:
            return None, None
        value, limit = pair
        exact = (parse_amount(value) or Fraction(0)) * BYTE
        memory_mib = math.ceil(exact) * cards
        self.origins["memory_mib"] = value.path
        self.granted += rounded_up("memory_mib", "TF004", value.path, exact * cards, memory_mib)
        if limit is None or limit is value:
            return memory_mib, None
        limit_mib = math.ceil((parse_amount(limit) or Fraction(0)) * BYTE) * cards
        if limit_mib < memory_mib:
            self.pod.read_choice(limit, VRAM_LIMIT, "annotation")
            return memory_mib, None
        self.origins["memory_limit_mib"] = limit.path
        return memory_mib, limit_mib

    def share(self, container: ContainerKeys) -> ContainerShare:
        """The share of a container to which the webhook gives one."""
        self.granted = ()
        cards, isolation = self.cards(container), self.values[ISOLATION]
        if cards is None:
            return self.pod.none(container)
        mode = isolation.text if isolation else ""
        if mode == SHARED or is_true(self.values[DEDICATED]):  # whole, whatever the amounts (TF005)
            for name in (*AMOUNTS, *((DEDICATED,) if mode == SHARED else ())):
                self.pod.read_choice(self.values[name], name, "annotation")
            return self.pod.share(container, cards=cards, device=self.device, origins=self.origins)
        cores, (memory, limit) = self.cores(container, cards), self.memory(cards)
        native = self._native(container)
        if cores is None and memory is None and native is None and not self._is_partition(mode):
            return self.pod.none(container)
        least = ISOLATIONS.get(mode) if cores is not None or memory is not None else None
        if isolation is not None and least is not None:
            self.origins["isolation"] = isolation.path
        elif isolation is not None and mode:
            self.pod.read_choice(isolation, ISOLATION, "annotation")
        return self.pod.share(
            container,
            cards=cards,
            cores=cores,
            memory_mib=memory,
            memory_limit_mib=limit,
            device=self.device,
            isolation=least,
            origins=self.origins,
            granted=self.granted,
        )

    def whole(self, container: ContainerKeys) -> ContainerShare:
        """Whole cards of a pod that the webhook skips."""
        cards = self.pod.number(container, NVIDIA_GPU) or 1
        return self.pod.share(container, cards=cards, origins={"cards": container.limits[NVIDIA_GPU].path})

    def _is_partition(self, mode: str) -> bool:
        return mode == PARTITIONED and PARTITION in self.pod.pod.annotations


def legal_count(value: Value) -> int | None:
    """A count of cards, in digits alone; None for what the webhook refuses."""
    number = int(value.text) if _NUMBER.fullmatch(value.text) else 0
    return number if COUNTS.allows(number) else None


def are_indices(text: str) -> bool:
    """Whether a text is a list of different numbers from 0, with commas."""
    numbers = [part.strip() for part in text.split(",")]
    return all(map(_NUMBER.fullmatch, numbers)) and len({*map(int, numbers)}) == len(numbers)


def is_true(value: Value | None) -> bool:
    """Whether the value is set, and is ``true``."""
    return value is not None and value.text == "true"


# --- writing ----------------------------------------------------------------------------------
def _part(placing: ShareWriter) -> dict[str, str]:
    """A part of each card: what is reserved is the limit too, but for memory that may burst."""
    cards, values = placing.cards, dict[str, str]()
    cores, memory, limit = (
        placing.take(attribute) for attribute in ("cores", "memory_mib", "memory_limit_mib")
    )
    if cores is not None:
        values |= dict.fromkeys((PERCENT, PERCENT_LIMIT), str(cores // cards))
    if memory is not None:
        each = (limit or memory) // cards
        if each > quantity.LIMIT * BYTE:
            message = outside(VRAM_LIMIT, each, 1, int(quantity.LIMIT * BYTE))
            placing.refuse("memory_mib", "GX011", message, "request memory that a card has")
        values |= {VRAM: f"{memory // cards}Mi", VRAM_LIMIT: f"{each}Mi"}
    if placing.peek("isolation") is Isolation.SOFT:
        placing.take("isolation")
        values[ISOLATION] = "soft"
    placing.take_isolation_if_covered(Isolation.SOFT)
    return values


def _devices(pod: PodWriter) -> dict[str, str]:
    """The vendor and the model of the cards, where TensorFusion has names for them: those of the driver, as
    the pods of its tests have them (MATRIX)."""
    device = pod.peek("device") or Device()
    makers = {vendor: name for name, vendor in VENDORS.items()}
    drivers = {card: name for name, card in products().items()}
    models = {card: drivers.get(card, name) for name, card in names_of(NAME).items()}
    has_vendor = device.vendor is None or device.vendor in makers
    if not has_vendor or len(device.models) > 1 or not models.keys() >= {*device.models}:
        return {}
    pod.device()
    if device.vendor in NOT_SOFT:
        for placing in pod.placings:
            if not placing.whole_cards:
                message = msg("{vendor} cards have no parts at {target}", vendor=device.vendor, target=NAME)
                placing.refuse("device", "GX023", message, "request whole cards")
    vendor = {VENDOR: makers[device.vendor]} if device.vendor else {}
    return {**vendor, **({MODEL: models[device.models[0]]} if device.models else {})}


class TensorFusion(Backend):
    """Shares of TensorFusion (CONSTANTS, WEBHOOK): annotations of the pod give percent of compute and
    an amount of memory of each card."""

    name = NAME
    title = "TensorFusion"
    rule_prefix = "TF"
    rule_module = "gpuxlate.backends.tensor_fusion.rules"
    aliases = ("tensorfusion",)
    other_schedulers = (f"{NAME}-scheduler",)  # which the webhook writes
    one_share_per_pod = True
    init_containers = False
    whole_card_key = NVIDIA_GPU
    documents = {
        "CONSTANTS": "NexusGPU/tensor-fusion, pkg/constants/constants.go and vendors.go (2026-08-20)",
        "WEBHOOK": "NexusGPU/tensor-fusion, internal/webhook/v1: pod_webhook.go, tf_parser.go (2026-08-20)",
        "ALLOCATOR": "NexusGPU/tensor-fusion, internal/gpuallocator, internal/utils (2026-08-20)",
        "MATRIX": "NexusGPU/tensor-fusion, docs/cross-vendor-test-matrix.md (2026-08-20)",
        "FIGURES": "NexusGPU/tensor-fusion, gpu-public-gpu-info.yaml of its chart (2026-08-20)",
    }
    gpu_prefixes = tuple(f"{DOMAIN}/{resource}-" for resource in ("tflops", "vram", "compute-percent"))
    keys = (
        whole(NVIDIA_GPU, source="WEBHOOK"),
        key(
            ENABLED,
            Place.LABEL,
            meaning="whether the webhook reads the pod",
            values=("true", "false"),
            no_op_values=("true",),
            source="WEBHOOK",
        ),
        _annotation(COUNT, meaning="cards", sets="cards", unit=1, values=(COUNTS,), source="WEBHOOK"),
        *(
            _annotation(
                name, meaning=meaning, sets="cores", unit=1, per=Per.CARD, source="WEBHOOK, ALLOCATOR"
            )
            for name, meaning in (
                (PERCENT, "compute that is reserved"),
                (PERCENT_LIMIT, "where compute ends"),
            )
        ),
        *(
            _annotation(name, meaning=meaning, source="WEBHOOK, ALLOCATOR, FIGURES")
            for name, meaning in ((TFLOPS, "TFLOPs that are reserved"), (TFLOPS_LIMIT, "where TFLOPs end"))
        ),
        _annotation(
            VRAM,
            meaning="GPU memory",
            sets="memory_mib",
            unit=BYTE,
            quantity=True,
            per=Per.CARD,
            source="WEBHOOK, ALLOCATOR",
        ),
        _annotation(
            VRAM_LIMIT,
            meaning="how far memory may burst",
            sets="memory_limit_mib",
            unit=BYTE,
            quantity=True,
            per=Per.CARD,
            source="WEBHOOK",
        ),
        _annotation(
            ISOLATION,
            meaning="how parts are kept apart",
            values=(*ISOLATIONS, SHARED),
            source="WEBHOOK, ALLOCATOR",
        ),
        _annotation(
            DEDICATED,
            meaning="whole cards",
            values=("true", "false"),
            no_op_values=("false",),
            source="WEBHOOK",
        ),
        _annotation(
            CONTAINERS, meaning="the containers with the share", no_op_values=("",), source="WEBHOOK"
        ),
        _annotation(
            MODEL, meaning="card model", sets="device", no_op_values=("",), source="ALLOCATOR, MATRIX"
        ),
        _annotation(
            VENDOR,
            Place.LABEL,  # an example of the repository has it beside the annotation
            meaning="maker of the cards",
            sets="device",
            no_op_values=("",),
            source="WEBHOOK",
        ),
        *(
            choice(
                f"{DOMAIN}/{name}",
                *(Place.ANNOTATION, *places),
                meaning=meaning,
                no_op_values=no_op,
                source="WEBHOOK, CONSTANTS",
            )
            for name, meaning, no_op, *places in (
                ("workload-profile", "a WorkloadProfile with the share", ()),
                ("gpu-indices", "cards by their numbers", ()),
                ("partition-id", "the part of a card", ()),
                ("partition", "the name of the part of a card", ()),
                ("gpupool", "pool of cards", (), Place.LABEL),
                ("is-local-gpu", "whether the cards are of its node", ("true",)),
                ("sidecar-worker", "a worker beside it", ("false",)),
                ("worker-pod-template", "the worker of cards of another node", ()),
                ("enabled-replicas", "how many pods of the workload have the share", ()),
                ("autoscale", "amounts that follow use", ("false",)),
                ("autoscale-target", "the amounts that follow use", ()),
                ("gang-enabled", "pods that start together", ("false",)),
                ("gang-min-members", "how many pods start together", ("0",)),
                ("gang-timeout", "how long pods wait for each other", ("0", "0s")),
                ("eviction-protection", "how long the pod is not moved", ()),
                ("disable-features", "features that are off", (), Place.LABEL),
                ("do-not-disrupt", "whether the pod is moved", ("false",), Place.LABEL),
            )
        ),
        choice(
            QOS,
            meaning="class of service",
            values=("low", "medium", "high", "critical"),
            no_op_values=("medium",),
            source="WEBHOOK",
        ),
        *(
            written(f"{DOMAIN}/{name}", meaning=meaning, source="CONSTANTS")
            for name, meaning in {
                "gpu-ids": "assigned cards",
                "container-gpus": "assigned cards of containers",
                "container-gpu-count": "cards of containers",
                "partition-uuids": "assigned parts",
                "effective-hard-sm-percent": "assigned compute",
                "index": "the number of the pod",
                "selected-workload": "the workload of the pod",
                "gang-desired-members": "pods of the workload",
                "gang-required-members": "pods that start together",
                "gang-group-key": "the group of pods",
            }.items()
        ),
    )
    field_docs = {
        "cards": f"annotation {COUNT}; whole cards: {ISOLATION}: {SHARED}",
        "cores": f"annotation {PERCENT}, percent of each card; TFLOPs are read",
        "memoryMiB": f"annotation {VRAM}: an amount with a unit, of each card",
        "memoryLimitMiB": f"annotation {VRAM_LIMIT}: an amount with a unit, of each card",
        "device": f"annotations {VENDOR}, {MODEL}",
        "isolation": f"annotation {ISOLATION}: soft",
    }
    detected_by = SPEAKS
    row_rules = (RuleRow(RuleKind.WORDS, "TF007", keys=(ISOLATION, QOS, DEDICATED)),)

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Read keys as shares. Rules report what is wrong with them."""
        label = pod.label(ENABLED)
        for row in self.choices:
            self._choose(pod, row.name)
        self._choose(pod, VENDOR)
        tensor_fusion = _Pod(pod, profile)
        enabled = label is None or label.text == "true"
        names, counted = containers_of(pod.pod), COUNT not in pod.pod.annotations
        own_containers = {
            container.name
            for container in pod.pod.containers
            if counted and container.name in names and _counts(container)
        }
        containers, shared = (
            [],
            bool(own_containers),
        )  # a container without cards in limits has those of the others
        for container in pod.pod.all_containers():
            its_own = not container.init and container.name in own_containers
            if enabled and not container.init and container.name in names and (its_own or not shared):
                share = tensor_fusion.share(container)
                others = tuple(name for name in names if name != share.name and name not in own_containers)
                containers.append(replace(share, shared_with=others))
                shared = True
            elif not enabled and _counts(container):
                containers.append(tensor_fusion.whole(container))
            else:
                containers.append(pod.none(container))
                self._unread_cards(pod, container)
        return pod.reading(containers)

    def _choose(self, pod: PodReader, name: str) -> None:
        """Take a choice that is in no field of a share, from an annotation and a label."""
        row = self.exact_keys[name]
        annotation = pod.annotation(name)
        label = pod.label(name) if Place.LABEL in row.places else None
        same = label is not None and annotation is not None and label.text == annotation.text
        for value, place in ((None if name == VENDOR else annotation, "annotation"), (label, "label")):
            if value is not None and not row.is_no_op(value.text) and not (place == "label" and same):
                pod.read_choice(value, name, place)

    @staticmethod
    def _unread_cards(pod: PodReader, container: ContainerKeys) -> None:
        """Whole cards in a container to which the webhook gives nothing."""
        if NVIDIA_GPU in container.resources:
            value = container.resources[NVIDIA_GPU]
            message = msg("a pod of {target} has one share, of an ordinary container", target=NAME)
            pod.note("GX023", message, value.path, "use a separate pod for each container")

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as keys: one of an ordinary container."""
        annotations: Mapping[str, str] = _devices(pod)
        containers = [ContainerKeys(placing.name, placing.index, placing.init) for placing in pod.placings]
        for placing in pod.placings:
            cards = int(placing.take("cards"))
            if not COUNTS.allows(cards):
                placing.refuse(
                    "cards",
                    "TF004",
                    msg(
                        "{key} is {value!r}; it must be a whole number from 1 to 128", key=COUNT, value=cards
                    ),
                    "write a count from 1 to 128",
                )
            annotations = {
                **annotations,
                **({ISOLATION: SHARED} if placing.whole_cards else _part(placing)),
                COUNT: str(cards),
            }
            if placing.init or len(pod.placings) > 1:
                message = msg("a pod of {target} has one share, of an ordinary container", target=NAME)
                placing.refuse("cards", "GX022", message, "use a separate pod for each container")
            if len(pod.containers) > 1:
                annotations[CONTAINERS] = placing.name
                if not placing.name:
                    message = msg("a pod of several containers names the one with the share")
                    placing.refuse("cards", "GX023", message, "give the container a name")
        return PodKeys(
            *in_lists(containers),
            labels={ENABLED: Value.of("true")} if containers else {},
            annotations={name: Value.of(text) for name, text in annotations.items()} if containers else {},
        )
