"""The configuration of gpuxlate as pydantic models."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from gpuxlate.config.profile_model import profile_model
from gpuxlate.config.strict import UNSET, AtLeastOne, FileName, NonEmptyText, RuleName, Strict


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
    profile: NonEmptyText = Field(
        default=UNSET,
        description="The profile of its cluster: the name of one in the configuration, or a file relative to "
        "the configuration file.",
        examples=["profiles/a.yaml"],
    )
    decisions: FileName = Field(
        default=UNSET,
        description="The file of its decisions, relative to the configuration file.",
        examples=["decisions/a.yaml"],
    )
    round: Literal["up"] = Field(default=UNSET, description="Accept rounding.", examples=["up"])
    drop: list[NonEmptyText] = Field(
        default=UNSET, description="Fields that may be lost.", examples=[["policy", "qos"]]
    )
    fill: dict[NonEmptyText, AtLeastOne] = Field(
        default=UNSET, description="Values of unset fields, per card.", examples=[{"cores": 30}]
    )
    allow_leftovers: bool = Field(
        default=UNSET,
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
    from_: NonEmptyText = Field(
        default=UNSET,
        alias="from",
        description="The dialect to read. Omitted: found by its keys.",
        examples=["vke"],
    )
    targets: dict[NonEmptyText, SyncTargetModel | FileName] = Field(
        min_length=1,
        description="Target to its folder, or to a mapping with the folder as dir.",
        examples=[{"tke": "clusters/tke/"}],
    )


class CommonConfig(Strict):
    """Configuration of gpuxlate: .gpuxlate.yaml, or [tool.gpuxlate] of pyproject.toml."""

    model_config = ConfigDict(title="Configuration of gpuxlate")

    select: list[RuleName] = Field(
        default=UNSET,
        description="The rules to check: codes (VKE012), beginnings of codes (VKE) or ALL. Omitted: all.",
        examples=[["VKE", "GX"]],
    )
    ignore: list[RuleName] = Field(
        default=UNSET,
        description="The rules not to check: codes (VKE012) or beginnings of codes (VKE).",
        examples=[["VKE025"]],
    )
    per_file_ignores: list[PerFileIgnoreModel] = Field(
        default=UNSET,
        alias="per-file-ignores",
        description="Rules that some files may break: each entry has a path, rules and a reason.",
        examples=[[{"path": "legacy/**/*.yaml", "rules": ["VKE012"], "reason": "frozen until June"}]],
    )
    exclude: list[NonEmptyText] = Field(
        default=UNSET,
        description="Files and folders to leave out where a folder is given: gitignore patterns, relative to "
        "the folder of the configuration file. '!' takes back what an earlier one leaves out.",
        examples=[["vendor/", "*.generated.yaml"]],
    )
    targets: list[NonEmptyText] = Field(
        default=UNSET,
        min_length=1,
        description="The targets of this repository, names of `gpuxlate targets`, which compare shows and "
        "hints name. Omitted: the three clouds that come first there, and the dialects of the workload.",
        examples=[["vke", "ack", "tke"]],
    )
    fail_on: Literal["error", "warning", "info", "never"] = Field(
        default=UNSET,
        alias="fail-on",
        description="The least severity of a finding that makes lint exit with 1. Omitted: error.",
        examples=["warning"],
    )
    decisions: FileName = Field(
        default=UNSET,
        description="A file of decisions, relative to the folder of the configuration file: what --decisions "
        "names where the option is not given.",
        examples=["decisions.yaml"],
    )
    prices: dict[NonEmptyText, Annotated[float, Field(ge=0)]] = Field(
        default=UNSET,
        description="The price of one card for an hour, in any currency: by the card, or by target and card. "
        "It is not converted. plan and cost show what shares cost.",
        examples=[{"A10-24GB": 10.5, "vke:A10-24GB": 9}],
    )
    docs_url: str = Field(
        default=UNSET,
        alias="docs-url",
        pattern=r"^https?://\S+$",
        description="Where the pages of gpuxlate are hosted: findings and schemas get addresses there. "
        "Omitted: the address that the distribution was built with, if any.",
        examples=["https://docs.example.com/gpuxlate/"],
    )
    sync: list[SyncModel] = Field(
        default=UNSET,
        description="Trees of several targets: what gpuxlate sync writes.",
        examples=[[{"source": "base/", "targets": {"tke": "clusters/tke/"}}]],
    )


@cache
def config_model() -> type[BaseModel]:
    """The model of a configuration, with the parts of the vendors in its profiles."""
    # load_config checks each profile by itself: of a union, pydantic reports every branch's errors
    profiles = Field(
        default=UNSET,
        description="Name to profile: the profile itself, or the path of its file, relative to the "
        "folder of the configuration file and inside it.",
        examples=[{"beijing": "profiles/beijing.yaml"}],
    )
    members: dict[str, Any] = {"profiles": (dict[NonEmptyText, profile_model() | FileName], profiles)}  # type: ignore[misc]
    return create_model("ConfigModel", __base__=CommonConfig, __doc__=CommonConfig.__doc__, **members)
