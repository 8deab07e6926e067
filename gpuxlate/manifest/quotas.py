"""The quotas of a document: each resource that an object limits, such as a ResourceQuota or a ClusterQueue of
Kueue (``kinds.py`` says where), with what changes together."""

from __future__ import annotations

from collections.abc import Iterator, Set
from collections.abc import Mapping as Map
from typing import NamedTuple

from gpuxlate.manifest.key_texts import resource_of
from gpuxlate.manifest.kinds import QuotaShape, kind_of
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import expand, values
from gpuxlate.model.diagnostics import ObjectRef, Path
from gpuxlate.model.keys import KeySpec, Place
from gpuxlate.model.pod import Value, dotted
from gpuxlate.yamltext.nodes import Mapping, Node, get_text
from gpuxlate.yamltext.parse import Document

REQUESTS, LIMITS = "requests.", "limits."


class QuotaAmount(NamedTuple):
    """A number, and where the name of its resource is: the same path where the name is its key."""

    value: Value
    name: Path


class Quota(NamedTuple):
    """One resource in an object, with all its names and amounts, which a translation changes together.

    ``prefix``: what is before the name (``requests.``). ``names``: where the name is written: a key, or a
    value. ``resources_by_prefix``: all resources of the node in which a resource is named once. ``shape``:
    where the kind has them.
    """

    object: ObjectRef
    object_path: Path
    resource: str
    prefix: str
    names: tuple[Path, ...]
    amounts: tuple[QuotaAmount, ...]
    resources_by_prefix: Map[str, Set[str]]
    shape: QuotaShape
    served: bool

    @property
    def written(self) -> str:
        """The name as it is written."""
        return self.prefix + self.resource

    @property
    def each(self) -> bool:
        """The amounts are of one container, not of all together."""
        return self.shape.each

    @property
    def is_counted(self) -> bool:
        """Kubernetes counts the resource: in a ResourceQuota an extended one with ``requests.`` alone."""
        of_claims = bool(self.shape.claims) and self.shape.claims in self.resource
        return not self.shape.prefixed or self.prefix == REQUESTS or of_claims

    @property
    def takes_fractions(self) -> bool:
        """Whether Kubernetes accepts an amount here that is not a whole number."""
        return not self.shape.whole or self.prefix == REQUESTS

    def takes(self, key: KeySpec) -> bool:
        """A key of the sheets can be the name of a resource here."""
        of_claims = Place.QUOTA in key.places and self.shape.claims and self.shape.claims in key.name
        return Place.RESOURCE in key.places or bool(of_claims)

    def prefix_for(self, key: KeySpec) -> str | None:
        """What is before another key that counts the same; None where its amounts are others.

        Amounts of claims have no prefix. Of the resources of containers, the quota controller counts those
        with ``requests.`` alone.
        """
        if not self.shape.claims or not self.shape.prefixed:
            return self.prefix
        of_claims = self.shape.claims in self.resource
        if Place.RESOURCE in key.places:
            return REQUESTS if of_claims else self.prefix
        return "" if of_claims or self.prefix == REQUESTS else None

    def place_of(self, amount: QuotaAmount) -> str:
        """Where an amount is, from the object: ``spec.limits[0].max``."""
        path = amount.value.path[len(self.object_path) :]
        return dotted(path[:-1] if amount.value.path == amount.name else path)


class _NamedResource(NamedTuple):
    """A resource where it is written, with its amounts there."""

    text: str
    path: Path
    amounts: tuple[Value, ...] = ()


def quotas_in(document: Document) -> Iterator[Quota]:
    """Every resource that an object sets amounts of, in the order of the text."""
    for ref, path, node in objects_in(document):
        for shape in kind_of(ref.api_version, ref.kind).quotas:
            yield from _of_object(shape, ref, path, node)


def _of_object(shape: QuotaShape, ref: ObjectRef, path: Path, node: Mapping) -> Iterator[Quota]:
    scopes = [
        (where, list(_named(shape, where, scope)))
        for where, scope in expand(node, path, shape.scope)
        if shape.type is None or get_text(scope, "type") == shape.type
    ]
    served = any(get_text(node, "metadata", name) for name in ("uid", "resourceVersion"))
    everywhere = [resource for _, named in scopes for resource in named]
    for _, named in scopes:
        resources_by_prefix: dict[str, set[str]] = {}
        for named_resource in everywhere if shape.alone is not None else named:
            prefix, resource = _split(shape, named_resource.text)
            resources_by_prefix.setdefault(prefix, set()).add(resource)
        by_name: dict[str, list[_NamedResource]] = {}
        for named_resource in named:
            by_name.setdefault(named_resource.text, []).append(named_resource)
        for text, same in by_name.items():
            prefix, resource = _split(shape, text)
            yield Quota(
                *(ref, path, resource, prefix),
                tuple(resource.path for resource in same),
                tuple(QuotaAmount(value, resource.path) for resource in same for value in resource.amounts),
                resources_by_prefix,
                shape,
                served,
            )


def _split(shape: QuotaShape, text: str) -> tuple[str, str]:
    """The prefix of a name, and the resource."""
    resource = resource_of(text) if shape.prefixed else text
    return text[: len(text) - len(resource)], resource


def _named(shape: QuotaShape, path: Path, scope: Node) -> Iterator[_NamedResource]:
    for steps in shape.amounts:
        for where, mapping in expand(scope, path, steps):
            for name, value in values(mapping, where).items():
                yield _NamedResource(name, value.path, (value,))
    for where, item in expand(scope, path, shape.listed) if shape.listed else ():
        text = get_text(item)
        if text is not None:
            yield _NamedResource(text, where)
    for where, item in expand(scope, path, shape.named) if shape.named else ():
        fields: Map[str, Value] = values(item, where)
        resource = fields.get("name")
        if resource is not None:
            amounts = tuple(fields[field] for field in shape.fields if field in fields)
            yield _NamedResource(resource.text, resource.path, amounts)
