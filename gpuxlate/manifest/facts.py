"""What the rules of a whole document need to know: keys outside pods, keys given twice, shared values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from gpuxlate.claims import ContainerClaims, DocumentClaims, Path, PodClaims
from gpuxlate.manifest.compose import Document
from gpuxlate.manifest.nodes import Mapping, Node, Scalar, Sequence, deref, get_text, is_merge
from gpuxlate.manifest.objects import Pod
from gpuxlate.manifest.sharing import Sharing, SharingError, resolve

IsKey = Callable[[str], bool]

_EMBEDDED = re.compile(r"(?<![A-Za-z0-9.-])[.-]*([A-Za-z0-9][A-Za-z0-9-]*\.[A-Za-z0-9.-]+/[A-Za-z0-9._-]+)")
"""A key with a domain, in the text of a whole manifest that stands in a string.

It is tried at the beginning of a word alone, and has one way to match: linear in the text.
"""
_QUOTA = ("requests.", "limits.")
"""How a ResourceQuota writes resources."""


def document_claims(document: Document, pods: list[Pod], is_gpu_key: IsKey) -> DocumentClaims:
    """What the rules of a document need to know."""
    root = deref(document.root) if document.root else None
    inside = {path for pod in pods for path in _claim_paths(pod.claims)}
    repeated_nodes = {id(key) for _, key in document.repeated}
    outside: list[tuple[str, Path]] = []
    repeated: list[Path] = []
    for path, key, value in _entries(root):
        if id(key) in repeated_nodes:
            repeated.append(path)
        name = next((key.text.removeprefix(q) for q in _QUOTA if key.text.startswith(q)), key.text)
        if path not in inside and is_gpu_key(name):
            outside.append((key.text, path))
        elif isinstance(value, Scalar):
            outside.extend((found, path) for found in _in_text(path, value, is_gpu_key))
    return DocumentClaims(
        get_text(root, "apiVersion"),
        get_text(root, "kind"),
        tuple(pod.claims for pod in pods),
        tuple(outside),
        tuple(repeated),
        tuple(_shared_paths(document, pods, is_gpu_key)),
    )


def _in_text(path: Path, value: Scalar, is_gpu_key: IsKey) -> Iterator[str]:
    """GPU keys in a string: a manifest within a ConfigMap, a JSON patch, the name of a resource."""
    text = value.text
    if "/" not in text:
        return
    if path[-1] == "name" and _names_a_resource(path[:-1]):
        if is_gpu_key(text):
            yield text
    elif "\n" in text or "{" in text:
        yield from dict.fromkeys(found for found in _EMBEDDED.findall(text) if is_gpu_key(found))


def _names_a_resource(path: Path) -> bool:
    """``gpu: {name: ...}`` of the Spark Operator, ``resources: [{name: ...}]`` of Kueue's quotas."""
    return path[-1:] == ("gpu",) or (len(path) > 1 and path[-2] == "resources" and isinstance(path[-1], int))


def _entries(root: Node | None) -> Iterator[tuple[Path, Scalar, Node]]:
    """Every key of a document with its path; what an alias stands for is visited at its anchor."""
    pending: list[tuple[Path, Node]] = [((), root)] if root is not None else []
    while pending:
        path, node = pending.pop()
        if isinstance(node, Mapping):
            below: list[tuple[Path, Node]] = []
            for key, value in node.entries:
                name = deref(key)
                if is_merge(name):
                    sources = value.items if isinstance(value, Sequence) else [value]
                    below.extend((path, one) for one in sources)
                elif isinstance(name, Scalar):
                    yield (*path, name.text), name, value
                    below.append(((*path, name.text), value))
            pending.extend(reversed(below))
        elif isinstance(node, Sequence):
            pending.extend(((*path, n), node.items[n]) for n in range(len(node.items) - 1, -1, -1))


def _claim_paths(pod: PodClaims) -> Iterator[Path]:
    for container in pod.all_containers():
        for values in (container.limits, container.requests):
            yield from (value.path for value in values.values())
    for values in (
        pod.labels,
        pod.annotations,
        pod.node_selector,
        pod.owner_labels,
        pod.owner_annotations,
        pod.stray_labels,
        pod.stray_annotations,
    ):
        yield from (value.path for value in values.values())


def _shared_paths(document: Document, pods: list[Pod], is_gpu_key: IsKey) -> Iterator[Path]:
    """GPU values that something else than their own container uses: by anchor, alias or merge key."""
    if not document.aliases or document.root is None:
        return
    sharing = Sharing(document.root)
    for pod in pods:
        for container in pod.claims.all_containers():
            spots = [(path, resolve(document.root, path)) for path in _gpu_paths(container, is_gpu_key)]
            own = Counter((id(one[0]), id(one[1])) for _, one in spots if one)
            for path, found in spots:
                if found is None:
                    continue
                try:
                    alone = sharing.ways(found[0], path[-1]) <= own[id(found[0]), id(found[1])]
                except SharingError:
                    alone = False
                if not alone:
                    yield path


def _gpu_paths(container: ContainerClaims, is_gpu_key: IsKey) -> list[Path]:
    resources = (container.limits, container.requests)
    return [v.path for values in resources for name, v in values.items() if is_gpu_key(name)]
