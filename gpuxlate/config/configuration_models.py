"""The configuration and the profile as pydantic models; strict as ``models`` is."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from gpuxlate.config.models import NO_CONTROL, OMITTED, FromText, Strict
from gpuxlate.model.quantity import LIMIT
from gpuxlate.model.share import Policy

AtLeastOne = Annotated[int, Field(ge=1, le=LIMIT)]
Text = Annotated[str, Field(min_length=1)]
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


class AlibabaModel(Strict):
    """What only ACK clusters have."""

    model_config = ConfigDict(title="Alibaba")

    memoryUnitMiB: AtLeastOne = Field(  # noqa: N815
        default=1024,
        description="MiB of one unit of aliyun.com/gpu-mem: 1024, or 128 where the component is set so; "
        "1 for the open-source plugin with MiB units.",
        examples=[1024],
    )
    isolation: Literal["cgpu", "share", "mps", "core_mem"] = Field(
        default="cgpu",
        description="Value of the node label ack.node.gpu.schedule that shares of memory alone choose.",
        examples=["cgpu"],
    )
    openSource: bool = Field(  # noqa: N815
        default=False,
        description="The cluster runs the open-source gpushare scheduler, not ACK's own.",
        examples=[False],
    )


class ProfileModel(Strict):
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
    components: dict[str, Text] = Field(
        default=OMITTED,
        description="Name of a component to its version, in quotes where it looks like a number.",
        examples=[{"mgpu": "0.6.1", "mgpuDriver": "0.07.35.23", "generalWebhook": "1.20.0", "qgpu": "1.1.1"}],
    )
    memoryUnitMiB: AtLeastOne = Field(  # noqa: N815
        default=1,
        description="MiB of one unit of a memory key that counts MiB, where the cluster is set to count in "
        "larger steps (memoryFactor of HAMi, gpuMemoryFactor of Volcano).",
        examples=[1, 1024],
    )
    alibaba: AlibabaModel = Field(
        default=OMITTED, description="What only ACK clusters have.", examples=[{"memoryUnitMiB": 1024}]
    )


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


class ConfigModel(Strict):
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
    fail_on: Literal["error", "warning", "info", "never"] = Field(
        default=OMITTED,
        alias="fail-on",
        description="The least severity of a finding that makes lint exit with 1. Omitted: error.",
        examples=["warning"],
    )
    # load_config checks each profile by itself: of a union, pydantic tells every branch's errors.
    profiles: dict[Text, ProfileModel | FileName] = Field(
        default=OMITTED,
        description="Name to profile: the profile itself, or the path of its file, relative to the "
        "folder of the configuration file and inside it.",
        examples=[{"beijing": "profiles/beijing.yaml"}],
    )
