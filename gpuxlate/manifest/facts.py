"""Facts for document rules: keys outside pods, repeated keys, shared values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpuxlate.manifest.objects import Pod
from gpuxlate.model.pod import ContainerKeys, DocumentKeys, Path, PodKeys, Value
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import MERGE, Node, Scalar, Sequence, deref, get_text, is_merge

IsKey = Callable[[str], bool]

_EMBEDDED = re.compile(r"(?<![A-Za-z0-9.-])[.-]*([A-Za-z0-9][A-Za-z0-9-]*\.[A-Za-z0-9.-]+/[A-Za-z0-9._-]+)")
"""A key with a domain, in a string that contains a whole manifest.

It matches only at the beginning of a word, in one way: linear in the text.
"""
_QUOTA = ("requests.", "limits.")
"""Prefixes of resources in a ResourceQuota."""


def document_keys(document: Document, pods: list[Pod], is_gpu_key: IsKey) -> DocumentKeys:
    """The facts of a document for its rules."""
    root = deref(document.root) if document.root else None
    outside: list[tuple[str, Path]] = []
    repeated: list[Path] = []
    if document.repeated or _has_outside_keys(document, pods, is_gpu_key):
        inside = {path for pod in pods for path in _key_paths(pod.keys)}
        repeated_nodes = {id(key) for _, key in document.repeated}
        for steps, key, value in _entries(root):
            name = key.text
            if id(key) in repeated_nodes:
                repeated.append(_path(steps))
            if name.startswith(_QUOTA):
                name = name.partition(".")[2]
            if is_gpu_key(name) and (path := _path(steps)) not in inside:
                outside.append((key.text, path))
            elif isinstance(value, Scalar) and "/" in value.text:
                path = _path(steps)
                outside.extend((found, path) for found in _in_text(path, value, is_gpu_key))
    return DocumentKeys(
        get_text(root, "apiVersion"),
        get_text(root, "kind"),
        tuple(pod.keys for pod in pods),
        tuple(outside),
        tuple(repeated),
        tuple(_shared_paths(document, pods, is_gpu_key)),
    )


def _has_outside_keys(document: Document, pods: list[Pod], is_gpu_key: IsKey) -> bool:
    """Whether a GPU key may be outside of the pods: more scalars name one than the pods have keys.

    Their places are looked up only then; most documents have none.
    """
    named = 0
    for scalar in document.names:
        text = scalar.text
        if "\n" in text or "{" in text:  # a manifest in a string
            return True
        named += is_gpu_key(text.partition(".")[2] if text.startswith(_QUOTA) else text)
    if not named or document.aliases:  # with aliases a key counts more than once
        return named > 0
    counted = sum(sum(map(is_gpu_key, values)) for pod in pods for values in _key_mappings(pod.keys))
    return named > counted


def _in_text(path: Path, value: Scalar, is_gpu_key: IsKey) -> Iterator[str]:
    """GPU keys in a string: a manifest in a ConfigMap, a JSON patch, the name of a resource."""
    text = value.text
    if path[-1] == "name" and _names_a_resource(path[:-1]):
        if is_gpu_key(text):
            yield text
    elif "\n" in text or "{" in text:
        yield from dict.fromkeys(found for found in _EMBEDDED.findall(text) if is_gpu_key(found))


def _names_a_resource(path: Path) -> bool:
    """``gpu: {name: ...}`` of the Spark Operator, ``resources: [{name: ...}]`` of Kueue's quotas."""
    return path[-1:] == ("gpu",) or (len(path) > 1 and path[-2] == "resources" and isinstance(path[-1], int))


_Steps = tuple[Any, str | int] | None
"""A path as its last step and the rest: most are never needed as tuples."""


def _path(steps: _Steps) -> Path:
    found: list[str | int] = []
    while steps is not None:
        steps, step = steps
        found.append(step)
    return tuple(reversed(found))


def _entries(root: Node | None) -> Iterator[tuple[_Steps, Scalar, Node]]:
    """Every key of a document with its path; the target of an alias is visited at its anchor."""
    pending: list[tuple[_Steps, Node]] = [(None, root)] if root is not None else []
    while pending:
        steps, node = pending.pop()
        if isinstance(node, nodes.Mapping):
            below: list[tuple[_Steps, Node]] = []
            for key, value in node.entries:
                name = key if isinstance(key, Scalar) else deref(key)
                if not isinstance(name, Scalar):
                    continue
                if name.text == MERGE and is_merge(name):
                    sources = value.items if isinstance(value, Sequence) else [value]
                    below.extend((steps, one) for one in sources)
                else:
                    here = (steps, name.text)
                    yield here, name, value
                    if not isinstance(value, Scalar):
                        below.append((here, value))
            below.reverse()
            pending += below
        elif isinstance(node, Sequence):
            pending.extend([((steps, n), node.items[n]) for n in range(len(node.items) - 1, -1, -1)])


def _key_paths(pod: PodKeys) -> Iterator[Path]:
    for values in _key_mappings(pod):
        yield from (value.path for value in values.values())


def _key_mappings(pod: PodKeys) -> Iterator[Mapping[str, Value]]:
    for container in pod.all_containers():
        yield from (container.limits, container.requests)
    yield from (pod.labels, pod.annotations, pod.node_selector, pod.owner_labels, pod.owner_annotations)
    yield from (pod.stray_labels, pod.stray_annotations)


def _shared_paths(document: Document, pods: list[Pod], is_gpu_key: IsKey) -> Iterator[Path]:
    """GPU values that are used outside of their container too: by anchor, alias or merge key."""
    if not document.aliases or document.root is None:
        return
    from gpuxlate.yamltext.anchors import Sharing, SharingError, resolve

    sharing = Sharing(document.root)
    for pod in pods:
        for container in pod.keys.all_containers():
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


def _gpu_paths(container: ContainerKeys, is_gpu_key: IsKey) -> list[Path]:
    resources = (container.limits, container.requests)
    return [v.path for values in resources for name, v in values.items() if is_gpu_key(name)]
