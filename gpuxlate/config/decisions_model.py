"""The document of decisions as pydantic models."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from gpuxlate.config.strict import UNSET, Strict


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
        default=UNSET,
        min_length=1,
        description="The container, or the part of values (server.resources). Omitted: any of the object.",
        examples=["server"],
    )
    to: str = Field(
        default=UNSET,
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
