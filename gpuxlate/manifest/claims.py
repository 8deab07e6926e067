"""Objects of claims on devices (``resource.k8s.io``): what they request."""

from __future__ import annotations

from collections.abc import Container, Iterator

from gpuxlate.manifest.kinds import kind_of
from gpuxlate.manifest.objects import LAST_APPLIED, objects_in
from gpuxlate.manifest.pods import items, texts, value_of, values
from gpuxlate.model.diagnostics import Path, prefixes
from gpuxlate.model.pod import (
    CLAIM,
    CLAIMS_API_GROUP,
    TEMPLATE,
    ClaimObject,
    DeviceConfig,
    DeviceConstraint,
    DeviceRequest,
    Devices,
    ObjectPlace,
    RequestForm,
)
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, deref, get, get_text
from gpuxlate.yamltext.parse import Document

MARK = "esourceClaim"
"""A text without it, and without an escape, names no claim: ``resourceClaims``, ``ResourceClaimTemplate``."""
_REFERENCES = ("resourceClaimTemplateName", "resourceClaimName")
_DEVICES: dict[str, Path] = {TEMPLATE: ("spec", "spec", "devices"), CLAIM: ("spec", "devices")}
DEVICE_CLASS_NAME = "deviceClassName"
"""The field of a request that names the class of its devices."""
_READ = ("name", "deviceClassName", "count", "allocationMode", "capacity", "selectors")
_FORMS = {"exactly": RequestForm.EXACTLY, "firstAvailable": RequestForm.FIRST}


def may_name_claims(text: bytes) -> bool:
    """Whether a text may hold claims, or name some: a key in double quotes may have escapes."""
    return MARK.encode() in text or b"\\" in text


def claim_names_in(document: Document, known_paths: Container[Path]) -> Iterator[tuple[Path, str]]:
    """The names of claims in a document, with their places, but for known ones; and the texts in it that may
    name some."""
    pending: list[tuple[Node, Path]] = [(document.root, ())] if document.root else []
    while pending:
        node, path = pending.pop()
        if isinstance(node, Mapping):
            for key, value in node.entries:
                name = key.text if isinstance(key, Scalar) else ""
                if name != LAST_APPLIED:
                    pending += ((key, ()), (value, (*path, name)))
        elif isinstance(node, Sequence):
            pending += ((item, (*path, index)) for index, item in enumerate(node.items))
        elif (
            isinstance(node, Scalar)
            and (path and path not in known_paths)
            and (path[-1] in _REFERENCES or MARK in node.text)
        ):
            yield path, node.text


def claims_of(document: Document) -> Iterator[ClaimObject]:
    """The templates of claims and the claims of a document. One whose text may not hold MARK has none."""
    for ref, path, node in objects_in(document):
        group, _, version = (ref.api_version or "").rpartition("/")
        steps = _DEVICES.get(ref.kind or "")
        name = get_text(node, "metadata", "name")
        if group == CLAIMS_API_GROUP and steps and name:
            written, where = get(node, *steps), (*path, *steps)
            devices = Devices(
                tuple(_request(*request) for request in _listed(written, where, "requests")),
                tuple(_constraint(*constraint) for constraint in _listed(written, where, "constraints")),
                tuple(_config(*config) for config in _listed(written, where, "config")),
            )
            place = ObjectPlace(document.source.name, document.index, path)
            namespace = get_text(node, "metadata", "namespace")
            yield ClaimObject(ref.kind or "", namespace, name, version, devices, place)


def classes_elsewhere(document: Document) -> Iterator[tuple[str, Path]]:
    """The device classes that a document names outside of its claims, as in the values of a chart.

    A template that another object carries may have no name: nothing says then which pods use it.
    """
    from gpuxlate.manifest.hits import path_of, scalars  # few files have claims

    read = {claim.place.path for claim in claims_of(document)}
    read.update(
        path
        for ref, path, _ in objects_in(document)
        if (ref.api_version or "").startswith(f"{CLAIMS_API_GROUP}/")
        and (not path or path[:-1] == ("items",))
    )
    for steps, scalar, on_key in scalars(document.root):
        if not on_key and steps is not None and steps[1] == DEVICE_CLASS_NAME:
            path = path_of(steps)
            if read.isdisjoint(prefixes(path)) and LAST_APPLIED not in path:
                yield scalar.text, path


def templates_made(document: Document) -> Iterator[tuple[str | None, str, str]]:
    """The namespace and name of the templates that controllers make for objects of a document, and the kind
    of these."""
    for ref, _, node in objects_in(document):
        steps = kind_of(ref.api_version, ref.kind).template
        name = get_text(node, *steps) if steps else None
        if name:
            yield get_text(node, "metadata", "namespace"), name, ref.kind or ""


def _listed(node: Node | None, path: Path, name: str) -> Iterator[tuple[Node, Path]]:
    for index, entry in enumerate(items(get(node, name))):
        yield deref(entry), (*path, name, index)


def _request(node: Node, path: Path) -> DeviceRequest:
    name = get_text(node, "name") or ""
    exactly = get(node, "exactly")
    if isinstance(exactly, Mapping):
        return _read_request(exactly, (*path, "exactly"), name, RequestForm.EXACTLY)
    several = tuple(
        _read_request(alternative, where, get_text(alternative, "name") or "", RequestForm.FIRST)
        for alternative, where in _listed(node, path, "firstAvailable")
    )
    if several:
        return DeviceRequest(name, alternatives=several, form=RequestForm.FIRST, path=path)
    return _read_request(node, path, name, RequestForm.FLAT)


def _read_request(node: Node, path: Path, name: str, form: RequestForm) -> DeviceRequest:
    capacity = (*path, "capacity", "requests")
    fields = values(node, path)
    expressions = (
        value_of(expression, (*where, "cel", "expression"))
        for selector, where in _listed(node, path, "selectors")
        if (expression := get(selector, "cel", "expression")) is not None
    )
    return DeviceRequest(
        name,
        fields.get("deviceClassName"),
        fields.get("count"),
        fields.get("allocationMode"),
        values(get(node, "capacity", "requests"), capacity),
        tuple(expressions),
        {key: value for key, value in fields.items() if key not in (*_READ, *_FORMS)},
        form=form,
        path=path,
    )


def _constraint(node: Node, path: Path) -> DeviceConstraint:
    fields = values(node, path)
    return DeviceConstraint(
        texts(get(node, "requests")), fields.get("matchAttribute"), fields.get("distinctAttribute"), path
    )


def _config(node: Node, path: Path) -> DeviceConfig:
    from gpuxlate.yamltext.plain import to_python  # few claims have parameters

    parameters = get(node, "opaque", "parameters")
    try:
        plain = to_python(parameters) if parameters is not None else None
    except RecursionError:  # aliases in aliases
        plain = None
    return DeviceConfig(texts(get(node, "requests")), get_text(node, "opaque", "driver") or "", plain, path)
