"""The keys that a document names anywhere: as keys, as whole values, as annotations, and in texts."""

from __future__ import annotations

from collections.abc import Iterator, Set
from collections.abc import Sequence as Several
from typing import NamedTuple

from gpuxlate.manifest.hits import SETTINGS, StepChain, path_of, scalars, scalars_at, without_prefix
from gpuxlate.manifest.key_texts import (
    DEEPEST_TEXT,
    IsKey,
    is_name,
    may_be_manifest,
    named_in,
    places,
    resource_of,
    scalars_below,
)
from gpuxlate.manifest.node_choices import NODE_SELECTOR
from gpuxlate.manifest.objects import LAST_APPLIED, objects_in
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.pod import CLAIMS_API_GROUP
from gpuxlate.yamltext.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    deref,
    entries_of,
    get,
    get_text,
)
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.source import Source

OWN_FORMATS = "gpuxlate-"
"""How the ``format`` of this tool's reports, findings and baselines begins."""


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


def keys_named(
    document: Document, is_key: IsKey, places: Several[int] | None = None, *, bare: bool = False
) -> Iterator[NamedKey]:
    """What a document names at some places of its text: as a key, as a whole value, or in a manifest in a
    string.

    What a server writes is left out: ``status``, and kubectl's copy of the manifest; objects about devices,
    which are read with the pods that claim them; and the JSON that this tool writes. ``bare``: names without
    a domain count in every mapping; else only where nodes are chosen and in settings of pods, since they may
    be anybody's.
    """
    if (get_text(document.root, "format") or "").startswith(OWN_FORMATS):
        return
    objects = objects_in(document)
    written = {
        *((*path, "status") for _, path, node in objects if get(node, "status") is not None),
        *(path for ref, path, _ in objects if (ref.api_version or "").startswith(f"{CLAIMS_API_GROUP}/")),
    }
    for steps, scalar, on_key in scalars_at(document, places):
        text = scalar.text
        if "/" not in text:
            chooses = steps is not None and steps[0] is not None and steps[0][1] == NODE_SELECTOR
            of_pods = on_key and text.startswith(SETTINGS)
            may_be = (on_key or _may_be_a_name(steps)) if bare else (on_key and chooses) or of_pods
            name = without_prefix(text) if of_pods else text
            keys = [NamedKey(name, text, path_of(steps), on_key)] if may_be and is_key(name) else []
        elif (on_key or (is_name(text) and _may_be_a_name(steps))) and is_key(name := resource_of(text)):
            keys = [NamedKey(name, text, path_of(steps), on_key)]
        else:
            keys = [] if on_key else list(_in_text(document, scalar, steps, is_key))
        for key in keys:
            above = (key.path[:length] for length in range(len(key.path) + 1)) if written else ()
            if LAST_APPLIED not in key.path and written.isdisjoint(above):
                yield key


def _in_text(document: Document, scalar: Scalar, steps: StepChain, is_key: IsKey) -> Iterator[NamedKey]:
    """The keys in a manifest in a string, such as a template in a ConfigMap, and in JSON patches."""
    named = named_in(scalar.text, is_key)
    path = path_of(steps) if named else ()
    for key, start in zip(named, places(scalar, document.source.text, named), strict=True):
        at = None if start is None else (start, start + key.end - key.start)
        yield NamedKey(key.name, scalar.text, path, False, True, at)


def _may_be_a_name(steps: StepChain) -> bool:
    if steps is not None and steps[1] == "apiVersion":  # a version of an API, not a key
        return False
    while steps is not None and isinstance(steps[1], int):
        steps = steps[0]
    return steps is not None


ANNOTATIONS = "annotations"
"""How the names of mappings end whose entries become annotations of pods: ``podAnnotations``."""


def annotations_named(document: Document, words: Set[str]) -> Iterator[NamedKey]:
    """Every place where a document has one of these words as an annotation, in texts in it too."""
    if document.root is None:
        return
    for path, key in _annotated(document.root, words):
        yield NamedKey(without_prefix(key.text), key.text, (*path, key.text))
    for steps, scalar, on_key in scalars(document.root):
        if not on_key and may_be_manifest(scalar.text):
            end = dict.fromkeys(words, scalar.start)  # of the last place of each
            for name in _annotated_in(scalar.text, words, 0):
                start = document.source.text.find(name, end[name], scalar.end)
                at = (start, start + len(name)) if start >= 0 else None
                end[name] = at[1] if at else scalar.end
                yield NamedKey(name, scalar.text, path_of(steps), False, True, at)


def _annotated_in(text: str, words: Set[str], depth: int) -> Iterator[str]:
    """The words that are annotations in a text that is YAML or JSON."""
    if depth >= DEEPEST_TEXT or not any(word in text for word in words):
        return
    try:
        roots = [document.root for document in documents(Source("", text))]
    except NotYamlError:
        return
    for root in roots:
        if isinstance(root, (Mapping, Sequence)):
            yield from (without_prefix(key.text) for _, key in _annotated(root, words))
            for scalar, on_key in scalars_below(root):
                if not on_key and may_be_manifest(scalar.text):
                    yield from _annotated_in(scalar.text, words, depth + 1)


def _annotated(root: Node, words: Set[str]) -> Iterator[tuple[Path, Scalar]]:
    """The words in mappings of annotations, each with the path of its mapping."""
    pending: list[tuple[StepChain, Node]] = [(None, root)]
    while pending:
        steps, node = pending.pop()
        node = deref(node)
        if isinstance(node, Mapping):
            for name, key, value, _ in entries_of(node):
                last = steps[1] if steps else ""
                annotates = str(last).lower().endswith(ANNOTATIONS)
                if isinstance(key, Scalar) and (
                    (annotates and name in words)
                    or (name.startswith(SETTINGS) and without_prefix(name) in words)
                ):
                    yield path_of(steps), key
                pending.append(((steps, name), value))
        elif isinstance(node, Sequence):
            pending += [((steps, number), item) for number, item in enumerate(node.items)]
