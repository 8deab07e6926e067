"""The base of the models of what people write, and the types of their fields.

Strict: no coercion, no unknown fields, no null. An optional field has no value of its own when it
is omitted: ask ``model_fields_set``, or dump with ``exclude_unset``.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from gpuxlate.model.quantity import LIMIT

LABEL_PATTERN = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
"""DNS-1123 label: names of namespaces and containers, at most 63 characters."""

SUBDOMAIN_PATTERN = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
"""DNS-1123 subdomain: names of most Kubernetes objects, at most 253 characters."""

NO_CONTROL = r"^[^\x00-\x1f]+$"
"""A file name that an operating system can take, on one line."""

UNSET: Any = None
"""Stands where a document says nothing; null itself is refused."""

FromText = Field(strict=False)
"""An enum takes its text; text is all that it takes."""


class Strict(BaseModel):
    """What all models share."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_enum_values=True)


AtLeastOne = Annotated[int, Field(ge=1, le=LIMIT)]

NonEmptyText = Annotated[str, Field(min_length=1)]

ResourceName = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$", max_length=317
    ),
]
"""An extended resource: a DNS subdomain, a slash and a name (Kubernetes, "extended resources")."""

FileName = Annotated[str, Field(pattern=NO_CONTROL)]

RuleName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]*$")]
"""A code, the beginning of codes, or ALL. Which codes there are, the rules know."""
