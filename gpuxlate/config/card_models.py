"""Cards as pydantic models: of the nodes of a profile, and of the catalogue of cards."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from gpuxlate.config.strict import LABEL_PATTERN, UNSET, AtLeastOne, NonEmptyText, Strict
from gpuxlate.model.limits import MAX_NAME

CardConfidence = Literal["documented", "seen"]


class CardsModel(Strict):
    """The cards of the nodes."""

    model_config = ConfigDict(title="Cards")

    model: NonEmptyText = Field(default=UNSET, description="Card model.", examples=["A10"])
    perNode: AtLeastOne = Field(  # noqa: N815
        default=UNSET, description="Cards of one node.", examples=[4]
    )
    memoryMiB: AtLeastOne = Field(  # noqa: N815
        default=UNSET, description="Memory of one card in MiB.", examples=[22731]
    )


class TemplateModel(Strict):
    """A part into which a card can be divided: a template, or a MIG profile."""

    model_config = ConfigDict(title="Template")

    name: NonEmptyText = Field(description="Name of the template.", examples=["vir05_1c_16g", "1g.10gb"])
    memoryMiB: AtLeastOne = Field(  # noqa: N815
        default=UNSET,
        description="Memory of the part in MiB, as nodes show it (less than the GB of a MIG profile).",
        examples=[16384],
    )
    aiCores: AtLeastOne = Field(  # noqa: N815
        default=UNSET, description="AI cores of the part.", examples=[5]
    )
    multiprocessors: AtLeastOne = Field(
        default=UNSET, description="Streaming multiprocessors of the part.", examples=[14]
    )
    most: AtLeastOne = Field(
        default=UNSET,
        description="Instances on one card, where all of them are of this template.",
        examples=[7],
    )
    source: NonEmptyText = Field(
        default=UNSET,
        description="Documents that memory and compute come from, where they are not those of the card.",
        examples=["A data sheet"],
    )
    confidence: CardConfidence = Field(
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
        pattern=LABEL_PATTERN,
        max_length=63,
        description="Vendor of the card, in small letters.",
        examples=["nvidia"],
    )
    memoryMiB: AtLeastOne = Field(  # noqa: N815
        default=UNSET,
        description="MiB of one card that can be allocated: the least that a document gives. Omitted: no "
        "document gives it.",
        examples=[22731],
    )
    nominalMiB: AtLeastOne = Field(  # noqa: N815
        default=UNSET,
        description="The size in the card's name or data sheet, where a node may offer less; a GB is 1024 "
        "MiB.",
        examples=[24576],
    )
    aiCores: AtLeastOne = Field(  # noqa: N815
        default=UNSET, description="AI cores of the whole card.", examples=[20]
    )
    multiprocessors: AtLeastOne = Field(
        default=UNSET,
        description="Streaming multiprocessors of the whole card, or compute units.",
        examples=[108],
    )
    architecture: NonEmptyText = Field(
        default=UNSET,
        description="What the compiler of the vendor calls the architecture of the card.",
        examples=["gfx1201"],
    )
    fp16Tflops: float = Field(  # noqa: N815
        default=UNSET,
        gt=0,
        description="TFLOPs of FP16 of the whole card, where a scheduler counts compute in them.",
        examples=[71.2],
    )
    names: dict[NonEmptyText, NonEmptyText] = Field(
        default=UNSET,
        description="Name of a target to the text for the card in the target's keys.",
        examples=[{"baidu-cce": "a10_24g"}],
    )
    productName: NonEmptyText = Field(  # noqa: N815
        default=UNSET,
        description="The exact name of the card that its driver has, as nvidia-smi prints it. Omitted: cards "
        "of this model have several, or no document gives it.",
        examples=["NVIDIA A10"],
    )
    templates: list[TemplateModel] = Field(
        default=UNSET,
        description="The only parts of the card that can be allocated.",
        examples=[[{"name": "vir05_1c_16g", "memoryMiB": 16384, "aiCores": 5}]],
    )
    templatesOf: NonEmptyText = Field(  # noqa: N815
        default=UNSET,
        description="Name of a card of the catalogue with the same templates, in place of a list.",
        examples=["A100-80GB"],
    )
    sizesMiB: list[AtLeastOne] = Field(  # noqa: N815
        default=UNSET,
        description="The only amounts of memory that a part of the card may have, in MiB.",
        examples=[[1024, 2048]],
    )
    source: NonEmptyText = Field(
        default=UNSET, description="Documents that the facts come from.", examples=["A data sheet"]
    )
    confidence: CardConfidence = Field(
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
