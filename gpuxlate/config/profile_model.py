"""The profile of a cluster as pydantic models, with the parts of the vendors."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, create_model

from gpuxlate.backends import registry
from gpuxlate.config.card_models import CardModel, CardsModel
from gpuxlate.config.strict import UNSET, AtLeastOne, FromText, NonEmptyText, ResourceName, Strict
from gpuxlate.config.validation_errors import NUMBER, WORD
from gpuxlate.model.profile import ChangeKind, Extension
from gpuxlate.model.share import Policy

ComponentVersion = Annotated[
    str, Field(pattern=r"^v?[0-9]{1,9}(\.[0-9]{1,9})*([-+.][0-9A-Za-z][-+.0-9A-Za-z]*)?$", max_length=63)
]


class ReleaseChangeModel(Strict):
    """What a release changes in a key."""

    model_config = ConfigDict(title="Change of a release")

    key: NonEmptyText = Field(
        description="The key, as a manifest has it; `{model}` is the name of a card.",
        examples=["hygon.com/dcunum"],
    )
    change: Annotated[ChangeKind, FromText] = Field(
        description="new: the first release that reads the key; removed: the first that does not; "
        "renamed: it reads the replacement; values: it takes more; amount: the same number gives another "
        "amount; needed: older ones read it in vain; refused: it refuses a pod for what is wrong "
        "with the key, which older ones did not; denied: it refuses every pod with the key.",
        examples=["renamed"],
    )
    replacement: NonEmptyText = Field(
        default=UNSET, description="The key that is read in its place.", examples=["hygon.com/hcunum"]
    )
    values: list[NonEmptyText] = Field(
        default=UNSET, description="Values that it takes from then on.", examples=[["128", "160"]]
    )
    above: AtLeastOne = Field(
        default=UNSET,
        description="With refused: it refuses larger numbers, and nothing else.",
        examples=[100],
    )
    text: NonEmptyText = Field(
        default=UNSET,
        description="What is different, in words.",
        examples=["where memoryPerCard lists it"],
    )
    source: NonEmptyText = Field(
        default=UNSET, description="The document that says so.", examples=["notes of our own build"]
    )


class ReleaseModel(Strict):
    """What a release of a component changes."""

    model_config = ConfigDict(title="Release")

    component: NonEmptyText = Field(description="The software, as in `components`.", examples=["hami"])
    version: ComponentVersion = Field(
        description="The release, in quotes where it looks like a number.", examples=["2.11.0"]
    )
    announced: bool = Field(default=UNSET, description="It is documented, and not out yet.", examples=[True])
    changes: list[ReleaseChangeModel] = Field(
        min_length=1,
        description="What it changes.",
        examples=[[{"key": "amd.com/gpumem", "change": "removed"}]],
    )


class CommonProfile(Strict):
    """One cluster: what no manifest can say. Every key is optional but target."""

    model_config = ConfigDict(title="Profile")

    target: NonEmptyText = Field(
        description="The target that the cluster serves: a name of `gpuxlate targets`.",
        examples=["alibaba-gpushare"],
    )
    kubernetesVersion: NonEmptyText = Field(  # noqa: N815
        default=UNSET, description="Version of the cluster, in quotes.", examples=["v1.28.9-aliyun.1"]
    )
    nodeImage: NonEmptyText = Field(  # noqa: N815
        default=UNSET, description="Image of the GPU nodes.", examples=["alinux3"]
    )
    policy: Annotated[Policy, FromText] = Field(
        default=UNSET, description="Compute policy of the nodes.", examples=["fixed-share"]
    )
    cards: CardsModel = Field(
        default=UNSET,
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
        default=UNSET,
        description="Cards that the catalogue of cards does not have. Of a card that it has, what is "
        "written here counts, and the rest stays.",
        examples=[[{"name": "L20", "vendor": "nvidia", "memoryMiB": 45470}]],
    )
    releases: list[ReleaseModel] = Field(
        default=UNSET,
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
                default=UNSET,
                description=f"Version of {component.title}, in quotes where it looks like a number.",
                examples=["1.2.3"],
            ),
        )
        for name, component in registry.components().items()
    }
    usual = dict.fromkeys(list(versions)[:1], "1.2.3")
    components = create_model("ComponentsModel", __base__=Strict, __doc__=COMPONENTS, **versions)
    parts: dict[str, Any] = {
        "components": (components, Field(default=UNSET, description=COMPONENTS, examples=[usual]))
    }
    for part in registry.extensions():
        model = _model_of(part)
        name, first = next(iter(model.model_fields.items()))
        example = {name: first.examples[0] if first.examples else first.default}
        parts[part.key] = (model, Field(default=UNSET, description=model.__doc__, examples=[example]))
    return create_model("ProfileModel", __base__=CommonProfile, __doc__=CommonProfile.__doc__, **parts)


def _model_of(part: type[Extension]) -> type[BaseModel]:
    usual = part()
    members: dict[str, Any] = {}
    for attribute, (kind, setting) in part.settings().items():
        default = getattr(usual, attribute)
        if isinstance(default, Extension):
            inner = _model_of(kind)
            example = {name: model_field.default for name, model_field in inner.model_fields.items()}
            field = Field(default=UNSET, description=setting.description, examples=[example])
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
