"""Claims on devices in documents: what ResourceClaimTemplates and ResourceClaims request, and pods name."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pod_keys import items, value_at, values
from gpuxlate.model.claims.objects import (
    CLAIM,
    GROUP,
    TEMPLATE,
    ClaimObject,
    Config,
    Constraint,
    DeviceRequest,
    Devices,
    Form,
    Place,
)
from gpuxlate.model.pod import Path
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, deref, get, get_text
from gpuxlate.yamltext.plain import to_plain

MARK = "esourceClaim"
"""A text without it names no claim: ``resourceClaims``, ``ResourceClaimTemplate``."""
_DEVICES: dict[str, Path] = {TEMPLATE: ("spec", "spec", "devices"), CLAIM: ("spec", "devices")}
_READ = ("name", "deviceClassName", "count", "allocationMode", "capacity", "selectors")
_FORMS = {"exactly": Form.EXACTLY, "firstAvailable": Form.FIRST}


def claims_in(document: Document) -> Iterator[ClaimObject]:
    """The templates of claims and the claims of a document."""
    if MARK in document.text:
        yield from claims_of(document)


def claims_of(document: Document) -> Iterator[ClaimObject]:
    """The same where the objects may be in no text."""
    for ref, path, node in objects_in(document):
        group, _, version = (ref.api_version or "").rpartition("/")
        steps = _DEVICES.get(ref.kind or "")
        name = get_text(node, "metadata", "name")
        if group == GROUP and steps and name:
            devices = _devices(get(node, *steps), (*path, *steps))
            place = Place(document.source.name, document.index, path)
            namespace = get_text(node, "metadata", "namespace")
            yield ClaimObject(ref.kind or "", namespace, name, version, devices, place)


def _devices(node: Node | None, path: Path) -> Devices:
    return Devices(
        tuple(_request(one, where) for one, where in _listed(node, path, "requests")),
        tuple(_constraint(one, where) for one, where in _listed(node, path, "constraints")),
        tuple(_config(one, where) for one, where in _listed(node, path, "config")),
    )


def _listed(node: Node | None, path: Path, name: str) -> Iterator[tuple[Node, Path]]:
    for index, one in enumerate(items(get(node, name))):
        yield deref(one), (*path, name, index)


def _request(node: Node, path: Path) -> DeviceRequest:
    name = get_text(node, "name") or ""
    exactly = get(node, "exactly")
    if isinstance(exactly, Mapping):
        return _asked(exactly, (*path, "exactly"), name, Form.EXACTLY)
    several = tuple(
        _asked(one, where, get_text(one, "name") or "", Form.FIRST)
        for one, where in _listed(node, path, "firstAvailable")
    )
    if several:
        return DeviceRequest(name, alternatives=several, form=Form.FIRST, path=path)
    return _asked(node, path, name, Form.FLAT)


def _asked(node: Node, path: Path, name: str, form: Form) -> DeviceRequest:
    capacity = (*path, "capacity", "requests")
    fields = values(node, path)
    expressions = (
        value_at(get(one, "cel", "expression"), (*where, "cel", "expression"))
        for one, where in _listed(node, path, "selectors")
    )
    return DeviceRequest(
        name,
        fields.get("deviceClassName"),
        fields.get("count"),
        fields.get("allocationMode"),
        values(get(node, "capacity", "requests"), capacity),
        tuple(one for one in expressions if one is not None),
        {key: value for key, value in fields.items() if key not in (*_READ, *_FORMS)},
        form=form,
        path=path,
    )


def _constraint(node: Node, path: Path) -> Constraint:
    fields = values(node, path)
    return Constraint(_names(node), fields.get("matchAttribute"), fields.get("distinctAttribute"), path)


def _config(node: Node, path: Path) -> Config:
    parameters = get(node, "opaque", "parameters")
    try:
        plain = to_plain(parameters) if parameters is not None else None
    except RecursionError:  # aliases in aliases
        plain = None
    return Config(_names(node), get_text(node, "opaque", "driver") or "", plain, path)


def _names(node: Node) -> tuple[str, ...]:
    found = (deref(one) for one in items(get(node, "requests")))
    return tuple(one.text for one in found if isinstance(one, Scalar))
