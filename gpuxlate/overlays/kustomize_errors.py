"""What kustomize itself refuses in a kustomization: nothing is built of it, so nothing of it is counted.

Source: kustomize 5, ``api/types`` (decoded with ``UnmarshalStrict``), ``Kustomization.EnforceFields``,
``KustTarget.accumulateResources`` and ``accumulateComponents``, ``resWrangler.Append``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import Message, msg
from gpuxlate.overlays.kustomization import KUSTOMIZATIONS, PATCH_FIELDS, RESOURCE_LISTS, items_in
from gpuxlate.overlays.patch_targets import Identity, UnknownError
from gpuxlate.yamltext.nodes import Mapping as MappingNode
from gpuxlate.yamltext.nodes import Node, Scalar, deref, entries_of, get, get_text
from gpuxlate.yamltext.parse import Document, first_line_end

KUSTOMIZATION, COMPONENT = "Kustomization", "Component"
_VERSIONS = {
    KUSTOMIZATION: "kustomize.config.k8s.io/v1beta1",
    COMPONENT: "kustomize.config.k8s.io/v1alpha1",
}
_TARGET = frozenset({"group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector"})
_PATCH = frozenset({"path", "patch", "target", "options"})
_ITEMS: Mapping[str, frozenset[str]] = {
    "patches": _PATCH,
    "patchesJson6902": _PATCH,
    "labels": frozenset({"pairs", "includeSelectors", "includeTemplates", "fields"}),
    "replicas": frozenset({"name", "count"}),
    "images": frozenset({"name", "newName", "newTag", "tagSuffix", "digest"}),
}
"""The fields of the items of lists."""
_TOP = frozenset(
    {
        *("apiVersion", "kind", "metadata", "openapi", "namePrefix", "nameSuffix", "namespace"),
        *(
            "commonLabels",
            "commonAnnotations",
            "imageTags",
            "replacements",
            "vars",
            "sortOptions",
            "components",
        ),
        *("crds", "configMapGenerator", "secretGenerator", "helmGlobals", "helmCharts", "buildMetadata"),
        *("helmChartInflationGenerator", "generatorOptions", "configurations", "generators", "transformers"),
        *("components", "validators", *PATCH_FIELDS, *RESOURCE_LISTS, *_ITEMS),
    }
)

CORRECT = "correct it: kustomize builds nothing of it"


class RefusedError(UnknownError):
    """kustomize refuses the kustomization. ``node``: where in its document; None: at the beginning. ``why``:
    the reason."""

    def __init__(self, document: Document, node: Node | None, why: Message) -> None:
        self.document = document
        self.why = msg("kustomize refuses it: {why}", why=why)
        start = document.start if node is None else node.start
        self.at = (start, start if node is None else first_line_end(node))
        line, _ = document.source.position(start)
        file = os.path.relpath(document.source.name)
        super().__init__(msg("{file}:{line}: {why}", file=file, line=line, why=self.why))


def check_fields(document: Document, folder: str) -> None:
    """Raise RefusedError for fields and files that a kustomization cannot have."""
    root = document.root
    several = [name for name in KUSTOMIZATIONS if os.path.isfile(os.path.join(folder, name))]
    if len(several) > 1:
        raise RefusedError(
            document, root, msg("{other} is in the same folder: keep one of them", other=several[1])
        )
    kind = get_text(root, "kind") or KUSTOMIZATION
    version = get_text(root, "apiVersion")
    if kind not in _VERSIONS:
        why = msg("the kind is {kind}: write Kustomization or Component", kind=cut(kind, MAX_NAME))
        raise RefusedError(document, get(root, "kind"), why)
    if version and version != _VERSIONS[kind]:
        why = msg("the apiVersion of a {kind} is {version}", kind=kind, version=_VERSIONS[kind])
        raise RefusedError(document, get(root, "apiVersion"), why)
    for name, key in _unknown(root):
        field = {top.lower(): top for top in _TOP}.get(name.lower())
        why = msg("{name} is not a field of a kustomization", name=cut(name, MAX_NAME))
        if field:
            why = msg("{name} is not read: write {field}", name=cut(name, MAX_NAME), field=field)
        raise RefusedError(document, key, why)
    for entry in (*items_in(root, "patches"), *items_in(root, "patchesJson6902")):
        if isinstance(entry, MappingNode) and bool(get(entry, "path")) == bool(get(entry, "patch")):
            raise RefusedError(document, entry, msg("a patch has either path or patch"))
        _check_text(document, get(entry, "patch"))
    for entry in items_in(root, "patchesStrategicMerge"):
        _check_text(document, entry)


def _check_text(document: Document, patch: Node | None) -> None:
    if patch is not None and not isinstance(deref(patch), Scalar):
        raise RefusedError(document, patch, msg("a patch in it is text: write it behind |"))


def _unknown(root: Node | None) -> Iterator[tuple[str, Node]]:
    """The fields that no kustomization has, with the nodes of their keys."""
    yield from _beyond(root, _TOP)
    for field, fields in _ITEMS.items():
        for node in items_in(root, field):
            yield from _beyond(node, fields)
            yield from _beyond(get(node, "target"), _TARGET)


def _beyond(node: Node | None, fields: frozenset[str]) -> Iterator[tuple[str, Node]]:
    node = deref(node) if node is not None else None
    if isinstance(node, MappingNode):
        yield from ((name, key) for name, key, *_ in entries_of(node) if name not in fields)


def check_kind(document: Document, entry: Node, below: Node | None, kind_of_field: str) -> None:
    """Raise RefusedError where a component is in resources, or a kustomization in components."""
    kind = get_text(below, "kind") or KUSTOMIZATION
    if below is not None and kind != kind_of_field and kind in _VERSIONS:
        why = (
            msg("it is a Component: name it under components")
            if kind == COMPONENT
            else msg("it is not a Component: name it under resources")
        )
        raise RefusedError(document, entry, why)


def check_once(
    document: Document, entry: Node | None, seen: set[tuple[str, ...]], new: Iterable[Identity]
) -> None:
    """Add the objects of an entry to the known ones. Raises RefusedError where one is there already."""
    for identity in new:
        name, namespace = identity.names[-1]
        key = (identity.group, identity.version, identity.kind, namespace or "default", name)
        if name and key in seen:
            called = cut(f"{identity.kind}/{name}", MAX_NAME)
            raise RefusedError(
                document, entry, msg("{object} is in the kustomization already", object=called)
            )
        seen.add(key)


def check_replicas(document: Document, identities: Iterable[Identity], kinds: Iterable[str]) -> None:
    """Raise RefusedError for replicas of an object that does not exist, or that has no replicas."""
    names = {identity.names[at][0] for identity in identities if identity.kind in kinds for at in (0, -1)}
    for node in items_in(document.root, "replicas"):
        name = get_text(node, "name")
        if name and name not in names:
            why = msg("no {kinds} is named {name}", kinds=", ".join(kinds), name=cut(name, MAX_NAME))
            raise RefusedError(document, node, why)
