"""The GPUShare document as pydantic models: what its JSON Schema says comes from here.

Strict: no coercion, no unknown fields, no null. An optional field has no value of its own when it
is omitted: ask ``model_fields_set``, or dump with ``exclude_unset``. The least value of a number
and what must divide stand in the schema for editors only: ``gpuxlate.share`` judges them (GX011).
"""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cache
from inspect import cleandoc
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from gpuxlate.backends import registry
from gpuxlate.config.validation_errors import NUMBER, WORD
from gpuxlate.model.declarations import OMITTED as NOT_PRINTED
from gpuxlate.model.limits import FULL_CARD_CORES, MAX_NAME
from gpuxlate.model.profile import ChangeKind, Extension
from gpuxlate.model.quantity import LIMIT
from gpuxlate.model.share import (
    LEAST_CLIENTS,
    LONGEST,
    MODEL,
    PROFILE,
    VENDOR,
    Isolation,
    Policy,
    Qos,
    Strategy,
)

LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
"""DNS-1123 label: names of namespaces and containers, at most 63 characters."""
SUBDOMAIN = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
"""DNS-1123 subdomain: names of most Kubernetes objects, at most 253 characters."""
NO_CONTROL = r"^[^\x00-\x1f]+$"
"""A file name that an operating system can take, on one line."""
OMITTED: Any = None
"""Stands where a document says nothing; null itself is refused."""
EDITOR_CARDS = 8
"""For editors the schema spells out what must divide, for up to this many cards."""
Count = Annotated[int, Field(ge=-LIMIT, le=LIMIT, json_schema_extra={"minimum": 1})]
Percent = Annotated[int, Field(ge=-LIMIT, le=LIMIT, json_schema_extra={"minimum": 1, "maximum": 100})]
FromText = Field(strict=False)
"""An enum takes its text; text is all that it takes."""


class Strict(BaseModel):
    """What all models share."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_enum_values=True)


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
        default=OMITTED,
        pattern=LABEL,
        max_length=63,
        description="Name of the container that gets the share; needed only when the pod has more than "
        "one. Small letters, digits and '-', at most 63 characters.",
        examples=["server"],
    )


class DeviceModel(Strict):
    """Which cards will do."""

    model_config = ConfigDict(title="Device")

    vendor: str = Field(
        default=OMITTED,
        pattern=VENDOR,
        description="Who makes the cards: small letters, digits and '-'. Omitted: any vendor.",
        examples=["nvidia"],
    )
    models: list[Annotated[str, Field(pattern=MODEL)]] = Field(
        default=OMITTED,
        description="Card models by their names in the catalogue of cards; one of them. Omitted: any model.",
        examples=[["A100-SXM4-80GB"]],
    )


class PartitionModel(Strict):
    """Hardware partitions of a card."""

    model_config = ConfigDict(title="Partition")

    profile: str = Field(
        pattern=PROFILE,
        max_length=LONGEST,
        description="Name of the partition: a MIG profile, or a template.",
        examples=["1g.10gb"],
    )
    count: Count = Field(
        default=1,
        description="Instances, on one card or on several of one node. Omitted: 1.",
        examples=[1],
    )


class ReplicaModel(Strict):
    """Clients of a card that others use too. What is omitted, only the nodes know."""

    model_config = ConfigDict(title="Replica", json_schema_extra={"minProperties": 1})

    of: Annotated[int, Field(ge=-LIMIT, le=LIMIT, json_schema_extra={"minimum": LEAST_CLIENTS})] = Field(
        default=OMITTED,
        description="How many equal clients the card has, at least 2. Omitted: the profile knows.",
        examples=[4],
    )
    strategy: Annotated[Strategy, FromText] = Field(
        default=OMITTED,
        description="How they share it: time-slicing promises no part, with mps each has an equal part of "
        "compute and memory. Omitted: the profile knows.",
        examples=["mps"],
    )
    count: Count = Field(default=1, description="How many of the clients. Omitted: 1.", examples=[1])


class MetadataModel(Strict):
    """Name of the share, and what Kubernetes objects carry beside it."""

    model_config = ConfigDict(title="Metadata")

    name: str = Field(
        pattern=SUBDOMAIN,
        max_length=253,
        description="Name of the share: small letters, digits, '-' and '.', a letter or digit at both "
        "ends, at most 253 characters (DNS-1123 subdomain).",
        examples=["bert-serving"],
    )
    namespace: str = Field(
        default=OMITTED,
        pattern=LABEL,
        max_length=63,
        description="Namespace: small letters, digits and '-', at most 63 characters (DNS-1123 label).",
        examples=["serving"],
    )
    labels: dict[str, str] = Field(
        default=OMITTED, description="Labels: text to text.", examples=[{"team": "nlp"}]
    )
    annotations: dict[str, str] = Field(
        default=OMITTED,
        description="Annotations: text to text. gpuxlate.io/ignore suppresses rules.",
        examples=[{"gpuxlate.io/ignore": "TKE002"}],
    )


class InOrder(GenerateJsonSchema):
    """JSON Schemas with everything in the order in which it is declared."""

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002
        return value


class OfPrinted(InOrder):
    """JSON Schemas of records that are printed: every field is there but those that are ``Sometimes``."""

    @classmethod
    def of(cls, record: type) -> JsonSchemaValue:
        return TypeAdapter(record).json_schema(schema_generator=cls)

    def default_schema(self, schema: Any) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_is_required(self, field: Any, total: bool) -> bool:
        if field["type"] == "dataclass-field":
            return field["schema"].get("default") is not NOT_PRINTED
        return super().field_is_required(field, total)

    def dataclass_schema(self, schema: Any) -> JsonSchemaValue:
        """With its own docstring, and those of the fields of a record that this one extends."""
        json_schema = super().dataclass_schema(schema)
        json_schema.setdefault(
            "description", cleandoc(schema["cls"].__doc__)
        )  # which pydantic has from 2.13 on
        for base in schema["cls"].__bases__:
            if isinstance(base, type) and is_dataclass(base):
                fields = self.of(base)["properties"]
                for name, field in fields.items():
                    json_schema["properties"][name]["description"] = field["description"]
        return json_schema


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

    cards: Count = Field(
        default=1,
        description="Physical cards, all on one node, an equal part of each. Omitted: 1.",
        examples=[1, 2],
    )
    cores: Count = Field(
        default=OMITTED,
        description="Compute in percent of one card, total over the cards: 1 to 100 x cards, and it "
        "divides by cards (2 cards at 30 % each: 60). Omitted: compute is not capped.",
        examples=[30],
    )
    memoryMiB: Count = Field(  # noqa: N815  the field's own name
        default=OMITTED,
        description="GPU memory in MiB (not MB, not GiB), total over the cards; it divides by cards. "
        "Omitted: all memory of the cards.",
        examples=[4096],
    )
    memoryPercent: Percent = Field(  # noqa: N815
        default=OMITTED,
        description="GPU memory in percent of each card, the same for every card, in place of memoryMiB. "
        "How many MiB that is depends on the card. Omitted: memoryMiB, or all memory.",
        examples=[50],
    )
    policy: Annotated[Policy, FromText] = Field(
        default=OMITTED,
        description="How compute is divided on a shared card: fixed-share is a hard cap, burst-share a "
        "guaranteed floor plus idle compute, best-effort competes by weight. Omitted: whatever the "
        "cluster does.",
        examples=["fixed-share"],
    )
    qos: Annotated[Qos, FromText] = Field(
        default=OMITTED,
        description="Colocation class: online pre-empts offline. Omitted: no colocation.",
        examples=["online"],
    )
    memoryLimitMiB: Count = Field(  # noqa: N815
        default=OMITTED,
        description="How far GPU memory may burst, in MiB, total over the cards: memoryMiB or more, and it "
        "divides by cards. Omitted: memoryMiB is the limit.",
        examples=[8192],
    )
    device: DeviceModel = Field(
        default=OMITTED,
        description="Which cards will do: a vendor, or models. Omitted: any card.",
        examples=[{"vendor": "nvidia", "models": ["A100-SXM4-80GB"]}],
    )
    isolation: Annotated[Isolation, FromText] = Field(
        default=OMITTED,
        description="The least isolation that is acceptable on a shared card: hardware is a partition or a "
        "card of its own, soft is kept by driver or library, none is acceptable as well. Omitted: "
        "whatever the cluster gives.",
        examples=["soft"],
    )
    partition: PartitionModel = Field(
        default=OMITTED,
        description="Hardware partitions of a card, in place of cards, cores and memory: what they amount to "
        "comes from the catalogue of cards.",
        examples=[{"profile": "1g.10gb"}],
    )
    replica: ReplicaModel = Field(
        default=OMITTED,
        description="One of N equal clients of a card, or of a partition, in place of cores and memory.",
        examples=[{"of": 4, "strategy": "mps"}],
    )
    workload: WorkloadModel = Field(
        default=OMITTED,
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


class DecisionModel(Strict):
    """One loss, and whether it is accepted."""

    model_config = ConfigDict(title="Decision")

    object: str = Field(
        min_length=1,
        description="The object of the share: KIND/NAMESPACE/NAME, or KIND/NAME where its manifest names no "
        "namespace. Of a part of a chart's values, a template or a patch: File/PATH.",
        examples=["Deployment/ml/bert"],
    )
    container: str = Field(
        default=OMITTED,
        min_length=1,
        description="The container, or the part of values (server.resources). Omitted: any of the object.",
        examples=["server"],
    )
    to: str = Field(
        default=OMITTED,
        min_length=1,
        description="The target, or an alias of it. Omitted: any target.",
        examples=["tencent-qgpu"],
    )
    field: str = Field(
        min_length=1,
        description="The field of the share: cores, memoryMiB, memoryLimitMiB, policy, qos, device, "
        "isolation, selector. Of a leftover: its key.",
        examples=["memoryMiB"],
    )
    code: str = Field(
        pattern=r"^[A-Z][A-Z0-9]*[0-9]{3}$", description="Code of the rule.", examples=["TKE001"]
    )
    verdict: Literal["rounded", "filled", "dropped", "leftover"] = Field(
        description="What becomes of the field, for people.", examples=["rounded"]
    )
    asked: Any = Field(
        default=None,
        json_schema_extra={"type": ["integer", "string", "null"]},
        description="What is asked; null where nothing is (filled).",
        examples=[4000],
    )
    given: Any = Field(
        default=None,
        json_schema_extra={"type": ["integer", "string", "null"]},
        description="What the target gets; null where it is dropped. Of a filled field: percent or MiB of "
        "each card.",
        examples=[4096],
    )
    accept: bool = Field(description="Whether the loss is accepted.", examples=[True])
    reason: str = Field(default="", description="Why.", examples=["its nodes run nothing else"])


class DecisionsModel(Strict):
    """The losses of translations that a team accepts, each for itself."""

    model_config = ConfigDict(title="Decisions")

    apiVersion: Literal["gpuxlate.io/v1alpha1"] = Field(  # noqa: N815
        description="Version of this document.", examples=["gpuxlate.io/v1alpha1"]
    )
    kind: Literal["Decisions"] = Field(description="Kind of this document.", examples=["Decisions"])
    decisions: list[DecisionModel] = Field(
        description="The decisions.",
        examples=[
            [
                {
                    "object": "Deployment/ml/bert",
                    "container": "server",
                    "field": "qos",
                    "code": "GX020",
                    "verdict": "dropped",
                    "asked": "online",
                    "given": None,
                    "accept": True,
                    "reason": "its nodes run nothing else",
                }
            ]
        ],
    )


# The configuration and the profile as pydantic models; strict as ``models`` is.
AtLeastOne = Annotated[int, Field(ge=1, le=LIMIT)]
Text = Annotated[str, Field(min_length=1)]
ResourceName = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$", max_length=317
    ),
]
"""An extended resource: a DNS subdomain, a slash and a name (Kubernetes, "extended resources")."""
Confidence = Literal["documented", "seen"]
FileName = Annotated[str, Field(pattern=NO_CONTROL)]
RuleName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]*$")]
"""A code, the beginning of codes, or ALL. Which codes there are, the rules know."""


class CardsModel(Strict):
    """The cards of the nodes."""

    model_config = ConfigDict(title="Cards")

    model: Text = Field(default=OMITTED, description="Card model.", examples=["A10"])
    perNode: AtLeastOne = Field(  # noqa: N815
        default=OMITTED, description="Cards of one node.", examples=[4]
    )
    memoryMiB: AtLeastOne = Field(  # noqa: N815
        default=OMITTED, description="Memory of one card in MiB.", examples=[22731]
    )


class TemplateModel(Strict):
    """A part into which a card can be divided: a template, or a MIG profile."""

    model_config = ConfigDict(title="Template")

    name: Text = Field(description="Name of the template.", examples=["vir05_1c_16g", "1g.10gb"])
    memoryMiB: AtLeastOne = Field(  # noqa: N815
        default=OMITTED,
        description="Memory of the part in MiB, as nodes show it (less than the GB of a MIG profile).",
        examples=[16384],
    )
    aiCores: AtLeastOne = Field(  # noqa: N815
        default=OMITTED, description="AI cores of the part.", examples=[5]
    )
    multiprocessors: AtLeastOne = Field(
        default=OMITTED, description="Streaming multiprocessors of the part.", examples=[14]
    )
    most: AtLeastOne = Field(
        default=OMITTED,
        description="Instances on one card, where all of them are of this template.",
        examples=[7],
    )
    source: Text = Field(
        default=OMITTED,
        description="Documents that memory and compute come from, where they are not those of the card.",
        examples=["A data sheet"],
    )
    confidence: Confidence = Field(
        default="documented", description="As that of a card, for memory and compute.", examples=["seen"]
    )


class CardModel(Strict):
    """One model of card."""

    model_config = ConfigDict(title="Card")

    name: str = Field(
        pattern=r"^[^\s,]+$",
        max_length=MAX_NAME,
        description="Name in the catalogue: the product's, without its vendor. It has no form factor where "
        "the names of the dialects say none. Case does not matter.",
        examples=["A100-80GB", "A100-SXM4-80GB"],
    )
    vendor: str = Field(
        pattern=LABEL, max_length=63, description="Vendor of the card, in small letters.", examples=["nvidia"]
    )
    memoryMiB: AtLeastOne = Field(  # noqa: N815
        default=OMITTED,
        description="MiB of one card that can be allocated: the least that a document gives. Omitted: no "
        "document gives it.",
        examples=[22731],
    )
    nominalMiB: AtLeastOne = Field(  # noqa: N815
        default=OMITTED,
        description="The size in the card's name or data sheet, where a node may offer less; a GB is 1024 "
        "MiB.",
        examples=[24576],
    )
    aiCores: AtLeastOne = Field(  # noqa: N815
        default=OMITTED, description="AI cores of the whole card.", examples=[20]
    )
    multiprocessors: AtLeastOne = Field(
        default=OMITTED, description="Streaming multiprocessors of the whole card.", examples=[108]
    )
    fp16Tflops: float = Field(  # noqa: N815
        default=OMITTED,
        gt=0,
        description="TFLOPs of FP16 of the whole card, where a scheduler counts compute in them.",
        examples=[71.2],
    )
    names: dict[Text, Text] = Field(
        default=OMITTED,
        description="Name of a target to the text for the card in the target's keys.",
        examples=[{"baidu-cce": "a10_24g"}],
    )
    productName: Text = Field(  # noqa: N815
        default=OMITTED,
        description="The exact name of the card that its driver has, as nvidia-smi prints it. Omitted: cards "
        "of this model have several, or no document gives it.",
        examples=["NVIDIA A10"],
    )
    templates: list[TemplateModel] = Field(
        default=OMITTED,
        description="The only parts of the card that can be allocated.",
        examples=[[{"name": "vir05_1c_16g", "memoryMiB": 16384, "aiCores": 5}]],
    )
    templatesOf: Text = Field(  # noqa: N815
        default=OMITTED,
        description="Name of a card of the catalogue with the same templates, in place of a list.",
        examples=["A100-80GB"],
    )
    sizesMiB: list[AtLeastOne] = Field(  # noqa: N815
        default=OMITTED,
        description="The only amounts of memory that a part of the card may have, in MiB.",
        examples=[[1024, 2048]],
    )
    source: Text = Field(
        default=OMITTED, description="Documents that the facts come from.", examples=["A data sheet"]
    )
    confidence: Confidence = Field(
        default="documented",
        description="seen: manifests that somebody published say it, and no document does.",
        examples=["seen"],
    )


class CatalogueModel(Strict):
    """The catalogue of cards: what each is called by each target, and what is known of it."""

    model_config = ConfigDict(title="Catalogue of cards")

    cards: list[CardModel] = Field(
        description="The cards.", examples=[[{"name": "A10-24GB", "vendor": "nvidia", "nominalMiB": 24576}]]
    )


ComponentVersion = Annotated[
    str, Field(pattern=r"^v?[0-9]{1,9}(\.[0-9]{1,9})*([-+.][0-9A-Za-z][-+.0-9A-Za-z]*)?$", max_length=63)
]


class ReleaseChangeModel(Strict):
    """What a release changes in a key."""

    model_config = ConfigDict(title="Change of a release")

    key: Text = Field(
        description="The key, as a manifest has it; `{model}` is the name of a card.",
        examples=["hygon.com/dcunum"],
    )
    change: Annotated[ChangeKind, FromText] = Field(
        description="new: the first release that reads the key; removed: the first that does not; "
        "renamed: it reads the replacement; values: it takes more; amount: the same number gives another "
        "amount; needed: older ones read it in vain; refused: it refuses a pod where older ones dropped the "
        "request; denied: it refuses every pod with the key.",
        examples=["renamed"],
    )
    replacement: Text = Field(
        default=OMITTED, description="The key that is read in its place.", examples=["hygon.com/hcunum"]
    )
    values: list[Text] = Field(
        default=OMITTED, description="Values that it takes from then on.", examples=[["128", "160"]]
    )
    text: Text = Field(
        default=OMITTED,
        description="What is different, in words.",
        examples=["where memoryPerCard lists it"],
    )
    source: Text = Field(
        default=OMITTED, description="The document that says so.", examples=["notes of our own build"]
    )


class ReleaseModel(Strict):
    """What a release of a component changes."""

    model_config = ConfigDict(title="Release")

    component: Text = Field(description="The software, as in `components`.", examples=["hami"])
    version: ComponentVersion = Field(
        description="The release, in quotes where it looks like a number.", examples=["2.11.0"]
    )
    announced: bool = Field(
        default=OMITTED, description="It is documented, and not out yet.", examples=[True]
    )
    changes: list[ReleaseChangeModel] = Field(
        min_length=1,
        description="What it changes.",
        examples=[[{"key": "amd.com/gpumem", "change": "removed"}]],
    )


class CommonProfile(Strict):
    """One cluster: what no manifest can say. Every key is optional but target."""

    model_config = ConfigDict(title="Profile")

    target: Text = Field(
        description="The target that the cluster serves: a name of `gpuxlate targets`.",
        examples=["alibaba-gpushare"],
    )
    kubernetesVersion: Text = Field(  # noqa: N815
        default=OMITTED, description="Version of the cluster, in quotes.", examples=["v1.28.9-aliyun.1"]
    )
    nodeImage: Text = Field(  # noqa: N815
        default=OMITTED, description="Image of the GPU nodes.", examples=["alinux3"]
    )
    policy: Annotated[Policy, FromText] = Field(
        default=OMITTED, description="Compute policy of the nodes.", examples=["fixed-share"]
    )
    cards: CardsModel = Field(
        default=OMITTED,
        description="Model, number and memory of the cards of a node.",
        examples=[{"model": "A10", "perNode": 4, "memoryMiB": 22731}],
    )
    memoryUnitMiB: AtLeastOne = Field(  # noqa: N815
        default=1,
        description="MiB of one unit of a memory key that counts MiB, where the cluster is set to count in "
        "larger steps (the memory factor of its device plugin).",
        examples=[1, 1024],
    )
    catalogue: list[CardModel] = Field(
        default=OMITTED,
        description="Cards that the catalogue of cards does not have. Of a card that it has, what is "
        "written here counts, and the rest stays.",
        examples=[[{"name": "L20", "vendor": "nvidia", "memoryMiB": 45470}]],
    )
    releases: list[ReleaseModel] = Field(
        default=OMITTED,
        description="What releases change that the package does not know, such as builds of your own.",
        examples=[
            [
                {
                    "component": "hami",
                    "version": "2.10.9",
                    "changes": [{"key": "amd.com/gpumem", "change": "removed"}],
                }
            ]
        ],
    )


COMPONENTS = "Versions of the cluster's software, which decide what its keys do. Omitted: the newest release."


@cache
def profile_model() -> type[BaseModel]:
    """The model of a profile, with the parts of the vendors."""
    versions: dict[str, Any] = {
        name: (
            ComponentVersion,
            Field(
                default=OMITTED,
                description=f"Version of {component.title}, in quotes where it looks like a number.",
                examples=["1.2.3"],
            ),
        )
        for name, component in registry.components().items()
    }
    usual = dict.fromkeys(list(versions)[:1], "1.2.3")
    components = create_model("ComponentsModel", __base__=Strict, __doc__=COMPONENTS, **versions)
    parts: dict[str, Any] = {
        "components": (components, Field(default=OMITTED, description=COMPONENTS, examples=[usual]))
    }
    for part in registry.extensions():
        model = _model_of(part)
        name, first = next(iter(model.model_fields.items()))
        example = {name: first.examples[0] if first.examples else first.default}
        parts[part.key] = (model, Field(default=OMITTED, description=model.__doc__, examples=[example]))
    return create_model("ProfileModel", __base__=CommonProfile, __doc__=CommonProfile.__doc__, **parts)


def _model_of(part: type[Extension]) -> type[BaseModel]:
    usual = part()
    members: dict[str, Any] = {}
    for attribute, (kind, setting) in part.settings().items():
        default = getattr(usual, attribute)
        if isinstance(default, Extension):
            inner = _model_of(kind)
            example = {name: model_field.default for name, model_field in inner.model_fields.items()}
            field = Field(default=OMITTED, description=setting.description, examples=[example])
            members[setting.name] = (inner, field)
            continue
        field = Field(default=default, description=setting.description, examples=[default])
        members[setting.name] = (_value_of(kind), field)
    title = part.key[:1].upper() + part.key[1:] if part.key else part.__name__
    return create_model(
        f"{title}Model", __base__=Strict, __doc__=part.__doc__, __cls_kwargs__={"title": title}, **members
    )


def _value_of(kind: Any) -> Any:
    """The type of a value that is no part of its own."""
    if get_origin(kind) is not Union:
        return {int: AtLeastOne, str: ResourceName}.get(kind, kind)
    words, number = get_args(kind)
    tagged = (Annotated[words, Tag(WORD)], Annotated[_value_of(number), Tag(NUMBER)])
    which = Discriminator(lambda value: NUMBER if type(value) is int else WORD)
    return Annotated[Union[tagged], which]  # noqa: UP007 - the parts are values


class PerFileIgnoreModel(Strict):
    """Rules that some files may break, and why."""

    model_config = ConfigDict(title="Per-file ignore")

    path: str = Field(
        pattern=r"^[^!#\s]",
        description="One gitignore pattern, relative to the folder of the configuration file; no '!'.",
        examples=["legacy/**/*.yaml"],
    )
    rules: list[RuleName] = Field(
        min_length=1,
        description="Rule codes (VKE012), beginnings of codes (VKE) or ALL.",
        examples=[["VKE012"]],
    )
    reason: str = Field(
        pattern=r"\S", description="Why these files may break the rules.", examples=["frozen until June"]
    )


class SyncTargetModel(Strict):
    """One target of a tree: its folder, and what is accepted there."""

    model_config = ConfigDict(title="Target of a tree")

    dir: FileName = Field(
        description="The folder that gpuxlate writes, relative to the configuration file.",
        examples=["clusters/a/"],
    )
    profile: Text = Field(
        default=OMITTED,
        description="The profile of its cluster: the name of one in the configuration, or a file relative to "
        "the configuration file.",
        examples=["profiles/a.yaml"],
    )
    decisions: FileName = Field(
        default=OMITTED,
        description="The file of its decisions, relative to the configuration file.",
        examples=["decisions/a.yaml"],
    )
    round: Literal["up"] = Field(default=OMITTED, description="Accept rounding.", examples=["up"])
    drop: list[Text] = Field(
        default=OMITTED, description="Fields that may be lost.", examples=[["policy", "qos"]]
    )
    fill: dict[Text, AtLeastOne] = Field(
        default=OMITTED, description="Values of unset fields, per card.", examples=[{"cores": 30}]
    )
    allow_leftovers: bool = Field(
        default=OMITTED,
        alias="allow-leftovers",
        description="Accept what is not translated of the source.",
        examples=[True],
    )


class SyncModel(Strict):
    """A source tree, and the trees that gpuxlate sync keeps in step with it."""

    model_config = ConfigDict(title="Tree of several targets")

    source: FileName = Field(
        description="The folder of the source, relative to the configuration file.", examples=["base/"]
    )
    from_: Text = Field(
        default=OMITTED,
        alias="from",
        description="The dialect to read. Omitted: found by its keys.",
        examples=["neutral"],
    )
    targets: dict[Text, SyncTargetModel | FileName] = Field(
        min_length=1,
        description="Target to its folder, or to a mapping with the folder as dir.",
        examples=[{"neutral": "clusters/a/"}],
    )


class CommonConfig(Strict):
    """Configuration of gpuxlate: .gpuxlate.yaml, or [tool.gpuxlate] of pyproject.toml."""

    model_config = ConfigDict(title="Configuration of gpuxlate")

    select: list[RuleName] = Field(
        default=OMITTED,
        description="The rules to check: codes (VKE012), beginnings of codes (VKE) or ALL. Omitted: all.",
        examples=[["VKE", "GX"]],
    )
    ignore: list[RuleName] = Field(
        default=OMITTED,
        description="The rules not to check: codes (VKE012) or beginnings of codes (VKE).",
        examples=[["VKE025"]],
    )
    per_file_ignores: list[PerFileIgnoreModel] = Field(
        default=OMITTED,
        alias="per-file-ignores",
        description="Rules that some files may break: each entry has a path, rules and a reason.",
        examples=[[{"path": "legacy/**/*.yaml", "rules": ["VKE012"], "reason": "frozen until June"}]],
    )
    exclude: list[Text] = Field(
        default=OMITTED,
        description="Files and folders to leave out where a folder is given: gitignore patterns, relative to "
        "the folder of the configuration file. '!' takes back what an earlier one leaves out.",
        examples=[["vendor/", "*.generated.yaml"]],
    )
    targets: list[Text] = Field(
        default=OMITTED,
        min_length=1,
        description="The targets of this repository, names of `gpuxlate targets`, which compare shows and "
        "hints name. Omitted: the three clouds that come first there, and the dialects of the workload.",
        examples=[["vke", "ack", "tke"]],
    )
    fail_on: Literal["error", "warning", "info", "never"] = Field(
        default=OMITTED,
        alias="fail-on",
        description="The least severity of a finding that makes lint exit with 1. Omitted: error.",
        examples=["warning"],
    )
    decisions: FileName = Field(
        default=OMITTED,
        description="A file of decisions, relative to the folder of the configuration file: what --decisions "
        "names where the option is not given.",
        examples=["decisions.yaml"],
    )
    prices: dict[Text, Annotated[float, Field(ge=0)]] = Field(
        default=OMITTED,
        description="The price of one card for an hour, in any currency: by the card, or by target and card. "
        "It is not converted. plan and cost show what shares cost.",
        examples=[{"A10-24GB": 10.5, "vke:A10-24GB": 9}],
    )
    docs_url: str = Field(
        default=OMITTED,
        alias="docs-url",
        pattern=r"^https?://\S+$",
        description="Where the pages of gpuxlate are hosted: findings and schemas get addresses there. "
        "Omitted: the address that the distribution was built with, if any.",
        examples=["https://docs.example.com/gpuxlate/"],
    )
    sync: list[SyncModel] = Field(
        default=OMITTED,
        description="Trees of several targets: what gpuxlate sync writes.",
        examples=[[{"source": "base/", "from": "neutral", "targets": {"neutral": "clusters/a/"}}]],
    )


@cache
def config_model() -> type[BaseModel]:
    """The model of a configuration, with the parts of the vendors in its profiles."""
    # load_config checks each profile by itself: of a union, pydantic reports every branch's errors
    profiles = Field(
        default=OMITTED,
        description="Name to profile: the profile itself, or the path of its file, relative to the "
        "folder of the configuration file and inside it.",
        examples=[{"beijing": "profiles/beijing.yaml"}],
    )
    members: dict[str, Any] = {"profiles": (dict[Text, profile_model() | FileName], profiles)}  # type: ignore[misc]
    return create_model("ConfigModel", __base__=CommonConfig, __doc__=CommonConfig.__doc__, **members)
