"""The GPUShare document as pydantic models, from which its JSON Schema is made.

The least value of a number and what must divide stand in the schema for editors only: ``gpuxlate.share``
judges them (GX011)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from gpuxlate.config.strict import LABEL_PATTERN, NO_CONTROL, SUBDOMAIN_PATTERN, UNSET, FromText, Strict
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.quantity import LIMIT
from gpuxlate.model.share import (
    LEAST_CLIENTS,
    MAX_PROFILE_LENGTH,
    MODEL_PATTERN,
    PROFILE,
    VENDOR_PATTERN,
    Isolation,
    Policy,
    Qos,
    Strategy,
)

EDITOR_CARDS = 8
"""For editors the schema spells out what must divide, for up to this many cards."""

PositiveNumber = Annotated[int, Field(ge=-LIMIT, le=LIMIT, json_schema_extra={"minimum": 1})]

Percent = Annotated[int, Field(ge=-LIMIT, le=LIMIT, json_schema_extra={"minimum": 1, "maximum": 100})]


class WorkloadModel(Strict):
    """What the share is put on."""

    model_config = ConfigDict(title="Workload")

    file: str = Field(
        pattern=NO_CONTROL,
        description="Path of a manifest, relative to this document and inside its folder; any kind that "
        "holds a pod template. Outside of the folder: with --allow-outside.",
        examples=["deployment.yaml"],
    )
    container: str = Field(
        default=UNSET,
        pattern=LABEL_PATTERN,
        max_length=63,
        description="Name of the container that gets the share; needed only when the pod has more than "
        "one. Small letters, digits and '-', at most 63 characters.",
        examples=["server"],
    )


class DeviceModel(Strict):
    """Which cards will do."""

    model_config = ConfigDict(title="Device")

    vendor: str = Field(
        default=UNSET,
        pattern=VENDOR_PATTERN,
        description="Who makes the cards: small letters, digits and '-'. Omitted: any vendor.",
        examples=["nvidia"],
    )
    models: list[Annotated[str, Field(pattern=MODEL_PATTERN)]] = Field(
        default=UNSET,
        description="Card models by their names in the catalogue of cards; one of them. Omitted: any model.",
        examples=[["A100-SXM4-80GB"]],
    )


class PartitionModel(Strict):
    """Hardware partitions of a card."""

    model_config = ConfigDict(title="Partition")

    profile: str = Field(
        pattern=PROFILE,
        max_length=MAX_PROFILE_LENGTH,
        description="Name of the partition: a MIG profile, or a template.",
        examples=["1g.10gb"],
    )
    count: PositiveNumber = Field(
        default=1,
        description="Instances, on one card or on several of one node. Omitted: 1.",
        examples=[1],
    )


class ReplicaModel(Strict):
    """Clients of a card that others use too. What is omitted, only the nodes know."""

    model_config = ConfigDict(title="Replica", json_schema_extra={"minProperties": 1})

    of: Annotated[int, Field(ge=-LIMIT, le=LIMIT, json_schema_extra={"minimum": LEAST_CLIENTS})] = Field(
        default=UNSET,
        description="How many equal clients the card has, at least 2. Omitted: the profile knows.",
        examples=[4],
    )
    strategy: Annotated[Strategy, FromText] = Field(
        default=UNSET,
        description="How they share it: time-slicing promises no part, with mps each has an equal part of "
        "compute and memory. Omitted: the profile knows.",
        examples=["mps"],
    )
    count: PositiveNumber = Field(default=1, description="How many of the clients. Omitted: 1.", examples=[1])


class MetadataModel(Strict):
    """Name of the share, and what Kubernetes objects carry beside it."""

    model_config = ConfigDict(title="Metadata")

    name: str = Field(
        pattern=SUBDOMAIN_PATTERN,
        max_length=253,
        description="Name of the share: small letters, digits, '-' and '.', a letter or digit at both "
        "ends, at most 253 characters (DNS-1123 subdomain).",
        examples=["bert-serving"],
    )
    namespace: str = Field(
        default=UNSET,
        pattern=LABEL_PATTERN,
        max_length=63,
        description="Namespace: small letters, digits and '-', at most 63 characters (DNS-1123 label).",
        examples=["serving"],
    )
    labels: dict[str, str] = Field(
        default=UNSET, description="Labels: text to text.", examples=[{"team": "nlp"}]
    )
    annotations: dict[str, str] = Field(
        default=UNSET,
        description="Annotations: text to text. gpuxlate.io/ignore suppresses rules.",
        examples=[{"gpuxlate.io/ignore": "TKE002"}],
    )


def _per_cards(cards: int) -> dict[str, Any]:
    """What follows for editors from a number of cards; no ``cards`` at all counts as 1."""
    cores: dict[str, Any] = {"maximum": FULL_CARD_CORES * cards}
    then: dict[str, Any] = {"cores": cores}
    if cards > 1:
        cores["multipleOf"] = cards
        then |= {name: {"multipleOf": cards} for name in ("memoryMiB", "memoryLimitMiB")}
    condition: dict[str, Any] = {"properties": {"cards": {"const": cards}}}
    if cards > 1:
        condition["required"] = ["cards"]
    return {"if": condition, "then": {"properties": then}}


_MEMORY_ONCE: dict[str, Any] = {"not": {"required": ["memoryMiB", "memoryPercent"]}}

_PARTS_ALONE: list[dict[str, Any]] = [
    {"if": {"required": [part]}, "then": {"properties": dict.fromkeys(others, False)}}
    for part, others in (
        ("partition", ("cards", "cores", "memoryMiB", "memoryPercent", "memoryLimitMiB")),
        ("replica", ("cores", "memoryMiB", "memoryPercent", "memoryLimitMiB")),
    )
]

_LIMIT_OF_MEMORY: dict[str, Any] = {"dependentRequired": {"memoryLimitMiB": ["memoryMiB"]}}


class ShareModel(Strict):
    """What one container asks of GPUs. Numbers are totals over the cards, all on one node.

    No cores, no memoryMiB, no memoryPercent, no partition and no replica: whole cards.
    """

    model_config = ConfigDict(
        title="Share",
        json_schema_extra={
            "allOf": [
                _MEMORY_ONCE,
                _LIMIT_OF_MEMORY,
                *_PARTS_ALONE,
                *map(_per_cards, range(1, EDITOR_CARDS + 1)),
            ]
        },
    )

    cards: PositiveNumber = Field(
        default=1,
        description="Physical cards, all on one node, an equal part of each. Omitted: 1.",
        examples=[1, 2],
    )
    cores: PositiveNumber = Field(
        default=UNSET,
        description="Compute in percent of one card, total over the cards: 1 to 100 x cards, and it "
        "divides by cards (2 cards at 30 % each: 60). Omitted: compute is not capped.",
        examples=[30],
    )
    memoryMiB: PositiveNumber = Field(  # noqa: N815  the field's own name
        default=UNSET,
        description="GPU memory in MiB (not MB, not GiB), total over the cards; it divides by cards. "
        "Omitted: all memory of the cards.",
        examples=[4096],
    )
    memoryPercent: Percent = Field(  # noqa: N815
        default=UNSET,
        description="GPU memory in percent of each card, the same for every card, in place of memoryMiB. "
        "How many MiB that is depends on the card. Omitted: memoryMiB, or all memory.",
        examples=[50],
    )
    policy: Annotated[Policy, FromText] = Field(
        default=UNSET,
        description="How compute is divided on a shared card: fixed-share is a hard cap, burst-share a "
        "guaranteed floor plus idle compute, best-effort competes by weight. Omitted: whatever the "
        "cluster does.",
        examples=["fixed-share"],
    )
    qos: Annotated[Qos, FromText] = Field(
        default=UNSET,
        description="Colocation class: online pre-empts offline. Omitted: no colocation.",
        examples=["online"],
    )
    memoryLimitMiB: PositiveNumber = Field(  # noqa: N815
        default=UNSET,
        description="How far GPU memory may burst, in MiB, total over the cards: memoryMiB or more, and it "
        "divides by cards. Omitted: memoryMiB is the limit.",
        examples=[8192],
    )
    device: DeviceModel = Field(
        default=UNSET,
        description="Which cards will do: a vendor, or models. Omitted: any card.",
        examples=[{"vendor": "nvidia", "models": ["A100-SXM4-80GB"]}],
    )
    isolation: Annotated[Isolation, FromText] = Field(
        default=UNSET,
        description="The least isolation that is acceptable on a shared card: hardware is a partition or a "
        "card of its own, soft is kept by driver or library, none is acceptable as well. Omitted: "
        "whatever the cluster gives.",
        examples=["soft"],
    )
    partition: PartitionModel = Field(
        default=UNSET,
        description="Hardware partitions of a card, in place of cards, cores and memory: what they amount to "
        "comes from the catalogue of cards.",
        examples=[{"profile": "1g.10gb"}],
    )
    replica: ReplicaModel = Field(
        default=UNSET,
        description="One of N equal clients of a card, or of a partition, in place of cores and memory.",
        examples=[{"of": 4, "strategy": "mps"}],
    )
    workload: WorkloadModel = Field(
        default=UNSET,
        description="What the share is put on. Omitted: a small Pod that runs nvidia-smi.",
        examples=[{"file": "deployment.yaml", "container": "server"}],
    )


class DocumentModel(Strict):
    """One share of GPUs, vendor-neutral: gpuxlate writes it in each vendor's terms."""

    model_config = ConfigDict(title="GPUShare")

    apiVersion: Literal["gpuxlate.io/v1alpha1"] = Field(  # noqa: N815
        description="Version of this document.", examples=["gpuxlate.io/v1alpha1"]
    )
    kind: Literal["GPUShare"] = Field(description="Kind of this document.", examples=["GPUShare"])
    metadata: MetadataModel = Field(
        description="Name, and optionally namespace, labels and annotations.",
        examples=[{"name": "bert-serving"}],
    )
    spec: ShareModel = Field(
        description="The share, and optionally the workload it is put on.",
        examples=[{"cores": 30, "memoryMiB": 4096}],
    )
