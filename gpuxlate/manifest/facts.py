"""Facts for document rules: keys outside pods, repeated keys, shared values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as Several
from typing import Any, NamedTuple

from gpuxlate.manifest.objects import Pod, mappings_in
from gpuxlate.model.pod import ContainerKeys, DocumentKeys, Path
from gpuxlate.model.spots import spots
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import MERGE, Node, Scalar, Sequence, deref, get, get_text, is_merge

IsKey = Callable[[str], bool]

_EMBEDDED = re.compile(
    r"""(?:^|[\n{,])[ \t]*(?:-[ \t]+)*\\?["']?([A-Za-z0-9][A-Za-z0-9.-]*/[A-Za-z0-9._-]+)\\?["']?[ \t]*:"""
)
"""A key with a domain and its colon, in a string that contains a whole manifest."""
_POINTER = re.compile(r"""(?:^|[\s"'])(/[^\s"']*~1[^\s"']*)""")
"""A JSON pointer with an escaped slash, as in JSON patches."""
_SET = re.compile(r"(?<!\\)\.")
"""The dots of a path as Helm's ``--set`` has it; those in a key are escaped."""
_QUOTA = ("requests.", "limits.")
"""Prefixes of resources in a ResourceQuota."""
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""An annotation that kubectl writes anew with each apply."""


_Steps = tuple[Any, str | int] | None
"""A path as its last step and the rest: most are never needed as tuples."""


class Found(NamedTuple):
    """A key that a document names: ``text`` as it is written, ``name`` the key in it.

    ``on_key``: it is the key of a mapping; else the whole of a value, or ``embedded`` in one.
    """

    name: str
    text: str
    path: Path
    on_key: bool = True
    embedded: bool = False


def document_keys(document: Document, pods: list[Pod], is_gpu_key: IsKey) -> DocumentKeys:
    """The facts of a document for its rules."""
    root = deref(document.root) if document.root else None
    outside: list[tuple[str, Path]] = []
    if _names_more(document, pods, is_gpu_key):
        inside = {spot.path for pod in pods for spot in spots(pod.keys)}
        named = (one for one in keys_named(document, _with_domain(is_gpu_key)) if one.path not in inside)
        outside.extend((found.text if found.on_key else found.name, found.path) for found in named)
    return DocumentKeys(
        get_text(root, "apiVersion"),
        get_text(root, "kind"),
        tuple(pod.keys for pod in pods),
        tuple(outside),
        tuple(_repeated(document)),
        tuple(_shared_paths(document, pods, is_gpu_key)),
    )


def _with_domain(is_key: IsKey) -> IsKey:
    """A name without a domain may be anybody's where nothing tells of a pod."""
    return lambda name: "/" in name and is_key(name)


def keys_named(document: Document, is_key: IsKey) -> Iterator[Found]:
    """Every place where a document names a key: as a key, as a whole value, or in a manifest in a string.

    What a server writes is left out: ``status``, and kubectl's copy of the manifest.
    """
    objects = mappings_in(document)
    written = tuple((*path, "status") for path, node in objects if get(node, "status") is not None)
    for steps, scalar, on_key in _scalars(deref(document.root) if document.root else None):
        text = scalar.text
        name = resource_of(text)
        if is_key(name) and (on_key or _may_be_a_name(steps)):
            found = [Found(name, text, _path(steps), on_key)]
        elif on_key or "/" not in text:
            continue
        else:
            found = [Found(one, text, _path(steps), False, True) for one in _in_text(text, is_key)]
        for one in found:
            if _LAST_APPLIED not in one.path and not _is_below(one.path, written):
                yield one


def _may_be_a_name(steps: _Steps) -> bool:
    if steps is not None and steps[1] == "apiVersion":  # a version of an API, not a key
        return False
    while steps is not None and isinstance(steps[1], int):
        steps = steps[0]
    return steps is not None


def resource_of(text: str) -> str:
    """The resource that a key of a quota counts: ``requests.example.com/gpu`` counts ``example.com/gpu``."""
    return text.partition(".")[2] if text.startswith(_QUOTA) else text


def _in_text(text: str, is_key: IsKey) -> list[str]:
    """The keys in a manifest in a string, as in a ConfigMap, in JSON patches and in paths of ``--set``."""
    found: dict[str, None] = {}
    pointers = [text] if text.startswith("/") else _POINTER.findall(text) if "~1" in text else []
    for pointer in pointers:
        steps = (step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/"))
        found |= {resource_of(step): None for step in steps}
    if "\\." in text:
        found |= {step.partition("=")[0].replace("\\.", "."): None for step in _SET.split(text)}
    if "\n" in text or "{" in text:
        found |= {resource_of(name): None for name in _EMBEDDED.findall(text)}
    return [name for name in found if is_key(name)]


def _is_below(path: Path, above: Several[Path]) -> bool:
    return any(path[: len(one)] == one for one in above)


def _names_more(document: Document, pods: list[Pod], is_key: IsKey) -> bool:
    """Whether a key may be outside of the pods: more scalars name one than the pods have keys.

    Their places are looked up only then; most documents have none.
    """
    known = {one.path: one.written for pod in pods for one in spots(pod.keys) if is_key(one.written)}
    return names_more(document, is_key, known.values())


def names_more(document: Document, is_key: IsKey, known: Iterable[str]) -> bool:
    """Whether a document may name keys in more places than the ``known`` ones, from its scalars alone."""
    named = -sum("/" in name for name in known)
    for scalar in document.names:
        text = scalar.text
        if "\n" in text or "{" in text or "~1" in text or "\\." in text:  # more than a name
            return True
        named += any(map(is_key, text.split("/"))) if text[0] == "/" else is_key(resource_of(text))
    return named > 0 or bool(document.aliases)  # an alias counts more than once


def _repeated(document: Document) -> Iterator[Path]:
    """The second of two equal keys of a mapping."""
    if document.repeated:
        again = {id(key) for _, key in document.repeated}
        for steps, scalar, on_key in _scalars(deref(document.root) if document.root else None):
            if on_key and id(scalar) in again:
                yield _path(steps)


def _path(steps: _Steps) -> Path:
    found: list[str | int] = []
    while steps is not None:
        steps, step = steps
        found.append(step)
    return tuple(reversed(found))


def _scalars(root: Node | None) -> Iterator[tuple[_Steps, Scalar, bool]]:
    """Every scalar of a document with its path, and whether it is a key; an alias's target at its anchor."""
    pending: list[tuple[_Steps, Node]] = [(None, root)] if root is not None else []
    while pending:
        steps, node = pending.pop()
        if isinstance(node, Scalar):
            yield steps, node, False
        elif isinstance(node, nodes.Mapping):
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
                    yield here, name, True
                    below.append((here, value))
            below.reverse()
            pending += below
        elif isinstance(node, Sequence):
            pending.extend([((steps, n), node.items[n]) for n in range(len(node.items) - 1, -1, -1)])


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
