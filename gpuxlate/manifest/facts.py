"""What a document has beside its pods: keys outside of them, repeated keys, shared values, chosen nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from collections.abc import Sequence as Several
from typing import Any, NamedTuple

from gpuxlate.manifest.claims import MARKS, claims_of
from gpuxlate.manifest.objects import LAST_APPLIED, objects_in
from gpuxlate.manifest.pods import Pod, items, replicas, texts, values
from gpuxlate.manifest.texts import IsKey, is_name, may_name, named_in, places, resource_of
from gpuxlate.model.claims import GROUP
from gpuxlate.model.pod import DocumentKeys, Outside, Path
from gpuxlate.model.spots import groups, spots
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import MERGE, Node, Scalar, Sequence, deref, entries_of, get, get_text, is_merge

NODE_SELECTOR = "nodeSelector"


_Steps = tuple[Any, str | int] | None
"""A path as its last step and the rest: most are never needed as tuples."""


class NamedKey(NamedTuple):
    """A key that a document names: ``text`` as it is written, ``name`` the key in it.

    ``on_key``: it is the key of a mapping; else the whole of a value, or ``embedded`` in one. ``at``: the
    characters of the source that name it in a text, None where escapes hide them.
    """

    name: str
    text: str
    path: Path
    on_key: bool = True
    embedded: bool = False
    at: tuple[int, int] | None = None


def document_keys(
    document: Document, pods: list[Pod], is_gpu_key: IsKey, read: Set[Path] = frozenset()
) -> DocumentKeys:
    """The facts of a document for its rules. ``read``: the places of names that are read outside of pods."""
    root = deref(document.root) if document.root else None
    outside: list[Outside] = []
    spotted = (
        group.spot(name, value)
        for pod in pods
        for group in groups(pod.keys)
        for name, value in group.keys
        if "/" in name  # others are not counted
    )
    known = {one.path: one.written for one in spotted if is_gpu_key(one.written)}
    if names_more(document, is_gpu_key, known.values()):  # in most documents nothing does
        inside = {spot.path for pod in pods for spot in spots(pod.keys)} | read
        for found in keys_named(document, is_gpu_key):
            if found.path not in inside:
                name = found.text if found.on_key else found.name
                outside.append(
                    Outside(name, found.path, document.source.span(*found.at) if found.at else None)
                )
    return DocumentKeys(
        get_text(root, "apiVersion"),
        get_text(root, "kind"),
        tuple(pod.keys for pod in pods),
        tuple(outside),
        tuple(_repeated(document)) if document.repeated else (),
        tuple(_shared_paths(document.root, pods, is_gpu_key)) if document.aliases and document.root else (),
        tuple(claims_of(document)) if document.holds(*MARKS) else (),
        frozenset(pod.keys.path for pod in pods if pod.keys.claims and replicas(document, pod) not in (0, 1)),
    )


def keys_named(document: Document, is_key: IsKey, *, bare: bool = False) -> Iterator[NamedKey]:
    """Every place where a document names a key: as a key, as a whole value, or in a manifest in a string.

    What a server writes is left out: ``status``, and kubectl's copy of the manifest; and objects about
    devices, which are read with the pods that claim them. ``bare``: names without
    a domain count in every mapping; else only where nodes are chosen, since they may be anybody's.
    """
    objects = objects_in(document)
    written = {
        *((*path, "status") for _, path, node in objects if get(node, "status") is not None),
        *(path for ref, path, _ in objects if (ref.api_version or "").startswith(f"{GROUP}/")),
    }
    for steps, scalar, on_key in _scalars(deref(document.root) if document.root else None):
        text = scalar.text
        if "/" not in text:
            chooses = steps is not None and steps[0] is not None and steps[0][1] == NODE_SELECTOR
            may_be = (on_key or _may_be_a_name(steps)) if bare else (on_key and chooses)
            found = [NamedKey(text, text, _path(steps), on_key)] if may_be and is_key(text) else []
        elif (on_key or (is_name(text) and _may_be_a_name(steps))) and is_key(name := resource_of(text)):
            found = [NamedKey(name, text, _path(steps), on_key)]
        else:
            found = [] if on_key else list(_in_text(document, scalar, steps, is_key))
        for one in found:
            above = (one.path[:length] for length in range(len(one.path) + 1)) if written else ()
            if LAST_APPLIED not in one.path and written.isdisjoint(above):
                yield one


def _in_text(document: Document, scalar: Scalar, steps: _Steps, is_key: IsKey) -> Iterator[NamedKey]:
    """The keys in a manifest in a string, such as a template in a ConfigMap, and in JSON patches."""
    named = named_in(scalar.text, is_key)
    path = _path(steps) if named else ()
    for one, start in zip(named, places(scalar, document.source.text, named), strict=True):
        at = None if start is None else (start, start + one.end - one.start)
        yield NamedKey(one.name, scalar.text, path, False, True, at)


def _may_be_a_name(steps: _Steps) -> bool:
    if steps is not None and steps[1] == "apiVersion":  # a version of an API, not a key
        return False
    while steps is not None and isinstance(steps[1], int):
        steps = steps[0]
    return steps is not None


def names_more(document: Document, is_key: IsKey, known: Iterable[str]) -> bool:
    """Whether a document may name keys in more places than the ``known`` ones, from its scalars alone."""
    named = -sum("/" in name for name in known)
    for scalar in document.names:
        text = scalar.text
        if "\n" in text or "{" in text or "~1" in text or "\\." in text:  # more than a name
            return True
        named += is_key(resource_of(text)) if is_name(text) else may_name(text, is_key)
    return named > 0 or bool(document.aliases)  # an alias counts more than once


def chooses_more(document: Document, pods: Several[Pod]) -> bool:
    """Whether a document may choose nodes in more places than its pods do, from its text alone."""
    chosen = sum(bool(pod.keys.node_selector) + bool(pod.keys.affinity) for pod in pods)
    return document.source.text.count(NODE_SELECTOR, document.start, document.end) > chosen


def _repeated(document: Document) -> Iterator[Path]:
    """The second of two equal keys of a mapping."""
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


def _shared_paths(root: Node, pods: list[Pod], is_gpu_key: IsKey) -> Iterator[Path]:
    """GPU values that are used outside of their container too: by anchor, alias or merge key."""
    from gpuxlate.yamltext.anchors import Sharing, SharingError, resolve

    sharing = Sharing(root)
    for pod in pods:
        for container in pod.keys.all_containers():
            spots = [
                (value.path, resolve(root, value.path))
                for values in (container.limits, container.requests)
                for name, value in values.items()
                if is_gpu_key(name)
            ]
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


# --- labels and taints of nodes -------------------------------------------------------------------

_REQUIREMENTS = "matchExpressions"
_OF_PODS = ("labelSelector", "namespaceSelector", "selector")
"""Fields whose requirements are about labels of pods and namespaces, not of nodes."""
_TAINTS = "tolerations"
_SPREAD = "topologyKey"
NODE_WORDS = (NODE_SELECTOR, _REQUIREMENTS, _TAINTS, _SPREAD)
"""A document without any of these chooses no nodes."""


class NodeChoice(NamedTuple):
    """A label of nodes with the values that are wanted, or a taint that is ``tolerated``.

    ``path`` leads to its name: to a key of a mapping where ``on_key``, else to a value.
    """

    name: str
    values: tuple[str, ...]
    path: Path
    on_key: bool = False
    tolerated: bool = False


def choices_in(document: Document, object_path: Path) -> Iterator[NodeChoice]:
    """Every label and taint of nodes that an object names: in its pods, and in what goes to them."""
    if not document.holds(*NODE_WORDS, "\\"):
        return
    root = get(document.root, *object_path)
    pending: list[tuple[Path, Node]] = [(object_path, root)] if root is not None else []
    while pending:
        path, written = pending.pop()
        node = deref(written)
        if isinstance(node, nodes.Mapping):
            below = []
            for name, _, value, _ in entries_of(node):
                where = (*path, name)
                if name == NODE_SELECTOR:
                    for label, one in values(deref(value), where).items():
                        yield NodeChoice(label, (one.text,), one.path, on_key=True)
                elif name in (_REQUIREMENTS, _TAINTS):
                    yield from _listed(deref(value), where)
                elif name == _SPREAD and isinstance(deref(value), Scalar):
                    yield NodeChoice(get_text(node, name) or "", (), where)
                elif name not in _OF_PODS and not isinstance(value, Scalar):
                    below.append((where, value))
            pending.extend(reversed(below))
        elif isinstance(node, Sequence):
            pending.extend(((*path, n), node.items[n]) for n in range(len(node.items) - 1, -1, -1))


def _listed(node: Node, path: Path) -> Iterator[NodeChoice]:
    """The requirements or tolerations of a list."""
    tolerated = path[-1] == _TAINTS
    for number, one in enumerate(map(deref, items(node))):
        name, value = get_text(one, "key"), get_text(one, "value")
        if name:
            wanted = ((value,) if value else ()) if tolerated else texts(get(one, "values"))
            yield NodeChoice(name, wanted, (*path, number, "key"), tolerated=tolerated)
