"""Keys that a string names: a manifest in it, a patch, an expression, a path of Helm.

Prose that mentions a key names none: a key counts where something reads it as one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Set
from collections.abc import Sequence as Several
from itertools import chain
from typing import NamedTuple

from gpuxlate.manifest.claims import MARKS, claims_of
from gpuxlate.manifest.hits import Steps, path_of, scalars, scalars_at, without_prefix
from gpuxlate.manifest.kinds import UNREAD_KINDS, kind_of
from gpuxlate.manifest.objects import LAST_APPLIED, objects_in
from gpuxlate.manifest.pods import Pod, items, replicas, texts, values
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import GROUP, DocumentKeys, Outside, UnreadAmounts, key_occurrences
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.nodes import (
    AnchorUses,
    Mapping,
    Node,
    Scalar,
    Sequence,
    SharingError,
    deref,
    entries_of,
    fields,
    get,
    get_text,
    resolve,
)
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.source import Source

IsKey = Callable[[str], bool]
_SHARING = "sharing"
"""The field of a configuration of NVIDIA's device plug-in that says how cards are shared."""
_NAME = r"[A-Za-z0-9][A-Za-z0-9.-]*/[A-Za-z0-9._-]+"
_QUOTE = r"""\\*["']"""
_ANY = regex(r"(?<![A-Za-z0-9.\\-])(?:[A-Za-z0-9.-]|\\+\.)+(?:/|~1)(?:[A-Za-z0-9._-]|\\+\.)+")
"""Characters that may be a key with a domain, whatever is around them."""
_ANCHORED = regex(r"[=+X^<]?\((.+)\)")
"""A key with an anchor of Kyverno: ``=(key)``, ``+(key)``, ``(key)``."""
_WHOLE = regex(_NAME)
_DEEPEST = 4
"""Texts inside texts that are read as YAML."""
EMBEDDED = regex(
    rf"""(?:^|[\n{{,])[ \t]*(?:-[ \t]+)*(?:[=+X^<]?\()?(?:{_QUOTE})?({_NAME})(?:{_QUOTE})?\)?[ \t]*:"""
)
"""A key with a domain and its colon, in a string that contains a whole manifest."""
_IN_CODE = (
    # a subscript or a path: limits["key"], limits.'key', limits.[key]
    regex(rf"(?:\[\s*|\.){_QUOTE}({_NAME}){_QUOTE}"),
    regex(rf"\.\[({_NAME})\]"),
    # an argument: has(limits, "key"), limits.get("key", 0)
    regex(rf"(?:\w\(\s*){_QUOTE}({_NAME}){_QUOTE}\s*[,)]|,\s*{_QUOTE}({_NAME}){_QUOTE}\s*\)"),
    # a comparison: 'key' in c.resources.limits
    regex(rf"{_QUOTE}({_NAME}){_QUOTE}\s+in\s+\w+[.\[]\w|[=!]=\s*{_QUOTE}({_NAME}){_QUOTE}"),
    # an option, a selector of labels: --resource=key, -l key=2
    regex(rf"(?<![\w./-])({_NAME})=(?=[^\s=])|[\w-]={_QUOTE}?({_NAME})(?=[\"'\s,]|$)"),
)
"""A key where a program or an expression reads it."""
_ESCAPED = regex(r"(?<![\w\\-])((?:[\w-]+\\{1,2}\.)+[\w-]+(?:/[\w-]+(?:\\{1,2}\.[\w-]+)*)?)")
"""A key with its dots escaped, as in a path of Helm or jsonpath: ``resources.limits.example\\.com/gpu``."""
_POINTER = regex(r"""(?:^|[\s"'])(/[^\s"']*~1[^\s"']*)""")
"""A JSON pointer with an escaped slash, as in JSON patches."""


class KeyInText(NamedTuple):
    """A key in a text, and the characters of the text that name it; ``end`` is 0 where escapes hide them."""

    name: str
    start: int
    end: int


def resource_of(text: str) -> str:
    """The key in the name of a setting: ``requests.example.com/gpu`` counts ``example.com/gpu``."""
    anchored = _ANCHORED.fullmatch(text) if text.endswith(")") else None
    name = anchored[1] if anchored else text
    return without_prefix(name)


def is_name(text: str) -> bool:
    """The text may be a key with a domain by itself."""
    return _WHOLE.fullmatch(text) is not None


def may_name(text: str, is_key: IsKey) -> bool:
    """Whether a key may be in the text, from its characters alone."""
    if "~1" in text or "\\" in text:
        return True
    names = chain(text.split("/") if text.startswith("/") else (), _ANY.findall(text))
    return any(is_key(resource_of(name)) for name in names)


def named_in(text: str, is_key: IsKey, depth: int = 0) -> list[KeyInText]:
    """The keys that a text names, each place once, in its order."""
    if not may_name(text, is_key):
        return []
    by_start = {key.start: key for key in _matched(text, is_key)}
    names = {key.name for key in by_start.values()}
    for key in _read(text, is_key, depth):
        if key.end or key.name not in names:
            by_start.setdefault(key.start, key)
            names.add(key.name)
    return sorted(by_start.values(), key=lambda key: key.start)


def _matched(text: str, is_key: IsKey) -> Iterator[KeyInText]:
    patterns = (EMBEDDED, *_IN_CODE) if _is_long(text) else _IN_CODE
    for pattern in patterns:
        for match in pattern.finditer(text):
            name = resource_of(match[match.lastindex or 0])
            if is_key(name):
                end = match.end(match.lastindex or 0)
                yield KeyInText(name, end - len(name), end)
    for match in _ESCAPED.finditer(text):
        name = match[1].replace("\\", "")
        if is_key(name):
            yield KeyInText(name, *match.span(1))
    if text.startswith("/"):
        yield from _pointer(text, 0, is_key)
    elif "~1" in text:
        for match in _POINTER.finditer(text):
            yield from _pointer(match[1], match.start(1), is_key)


def _pointer(pointer: str, start: int, is_key: IsKey) -> Iterator[KeyInText]:
    """The keys among the steps of a JSON pointer (RFC 6901)."""
    for step in pointer.split("/"):
        name = resource_of(step.replace("~1", "/").replace("~0", "~"))
        end = start + len(step)
        if is_key(name):
            yield KeyInText(name, max(start, end - len(name) - step.count("~")), end)
        start = end + 1


def _is_long(text: str) -> bool:
    """The text may be a manifest: one line without braces is none."""
    return "\n" in text or "{" in text


def _read(text: str, is_key: IsKey, depth: int) -> Iterator[KeyInText]:
    """The keys of a text that is YAML or JSON: of its mappings, and those that are whole values."""
    if depth >= _DEEPEST or not _is_long(text):
        return
    try:
        # what cannot be read is searched for what looks like a key
        roots = [document.root for document in documents(Source("", text))]
    except NotYamlError:
        return
    for root in roots:
        if isinstance(root, (Mapping, Sequence)):
            for scalar, on_key in _scalars_of_text(root):
                yield from _in_scalar(text, scalar, on_key, is_key, depth)


def _in_scalar(text: str, scalar: Scalar, on_key: bool, is_key: IsKey, depth: int) -> Iterator[KeyInText]:
    name = resource_of(scalar.text)
    if is_name(name) and is_key(name):
        start = scalar.text.index(name)
        keys = [KeyInText(name, start, start + len(name))]
    else:
        keys = [] if on_key else named_in(scalar.text, is_key, depth + 1)
    for key, place in zip(keys, places(scalar, text, keys), strict=True):
        if place is None:
            yield KeyInText(key.name, scalar.start, 0)
        else:
            yield KeyInText(key.name, place, place + key.end - key.start)


def _scalars_of_text(root: Node) -> Iterator[tuple[Scalar, bool]]:
    """Every scalar below a node, and whether it is a key."""
    pending: list[tuple[Node, bool]] = [(root, False)]
    while pending:
        node, on_key = pending.pop()
        if isinstance(node, Scalar):
            yield node, on_key
        elif isinstance(node, Mapping):
            pending += [(part, number == 0) for entry in node.entries for number, part in enumerate(entry)]
        elif isinstance(node, Sequence):
            pending += [(item, False) for item in node.items]


# --- places ---------------------------------------------------------------------------------------
_ESCAPE = regex(r"\\(.)")


def places(scalar: Scalar, text: str, keys: list[KeyInText]) -> list[int | None]:
    """Where in ``text`` each key of a scalar is written; None where escapes of YAML hide it."""
    if not keys:
        return []
    start, raw = scalar.start, text[scalar.start : scalar.end]
    if scalar.style is not None and scalar.style in "|>":
        header = raw.find("\n") + 1
        start, raw = start + header, raw[header:]
    elif scalar.style == '"':
        # as many characters without the escapes: \n before a key is not a part of it
        raw = _ESCAPE.sub(lambda match: f" {match[1]}" if match[1] in '\\/"' else "  ", raw)
    in_scalar, written = (list(_ANY.finditer(part)) for part in (scalar.text, raw))
    same = [match[0] for match in in_scalar] == [match[0] for match in written]
    starts = [match.start() for match in in_scalar]
    at_keys: list[int | None] = []
    only: dict[str, int | None] = {}  # where a name is written once
    for key in keys:
        number = bisect_right(starts, key.start) - 1
        name = scalar.text[key.start : key.end]
        if not key.end:
            at_keys.append(None)
        elif same and number >= 0 and key.start < in_scalar[number].end():
            at_keys.append(start + written[number].start() + key.start - starts[number])
        else:
            if name not in only:
                only[name] = start + raw.index(name) if raw.count(name) == 1 else None
            at_keys.append(only[name])
    return at_keys


# What a document has beside its pods: keys outside of them, repeated keys, shared values, chosen nodes.
NODE_SELECTOR = "nodeSelector"


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


def document_keys(
    document: Document,
    pods: list[Pod],
    is_gpu_key: IsKey,
    places: Several[int] | None = None,
    read: Set[Path] = frozenset(),
) -> DocumentKeys:
    """The facts of a document for its rules.

    ``places``: where it may name keys outside of its pods, None for anywhere. ``read``: the paths of names
    that are read there.
    """
    root = deref(document.root) if document.root else None
    outside: list[Outside] = []
    if places is None or places:  # most documents have none
        inside = {spot.path for pod in pods for spot in key_occurrences(pod.keys)} | read
        for key in keys_named(document, is_gpu_key, places):
            if key.path not in inside:
                name = key.text if key.on_key else key.name
                outside.append(Outside(name, key.path, document.source.span(*key.at) if key.at else None))
    kind = get_text(root, "kind")
    return DocumentKeys(
        get_text(root, "apiVersion"),
        kind,
        tuple(pod.keys for pod in pods),
        tuple(outside),
        repeated_keys(document),
        tuple(_shared_paths(document.root, pods, is_gpu_key)) if document.aliases and document.root else (),
        tuple(claims_of(document)) if document.holds(*MARKS) else (),
        frozenset(pod.keys.path for pod in pods if pod.keys.claims and replicas(document, pod) not in (0, 1)),
        tuple(_unread(document))
        if kind in UNREAD_KINDS or kind == "List" or document.holds(_SHARING)
        else (),
        frozenset(_with_pods(document)) if outside else frozenset(),
    )


def _with_pods(document: Document) -> Iterator[Path]:
    """The objects whose fields are known to hold pods."""
    for ref, path, _ in objects_in(document):
        kind = kind_of(ref.api_version, ref.kind)
        if kind.templates or kind.pods:
            yield path


def _unread(document: Document) -> Iterator[UnreadAmounts]:
    """The objects whose kinds say that their amounts are not read, and configurations of device plug-ins."""
    for ref, path, node in objects_in(document):
        object_kind = kind_of(ref.api_version, ref.kind)
        if object_kind.unread:
            yield UnreadAmounts(object_kind.kind, (*path, "kind"), msg(object_kind.unread))
        elif (ref.api_version, ref.kind) == ("v1", "ConfigMap"):
            for name, value in fields(get(node, "data")).items():
                if isinstance(value, Scalar) and _SHARING in value.text:
                    yield from _shared_cards(value.text, (*path, "data", name))


def _shared_cards(text: str, path: Path) -> Iterator[UnreadAmounts]:
    """What a configuration of NVIDIA's device plug-in shares.

    NVIDIA/k8s-device-plugin, README, "Shared access to GPUs" (2026-08-19).
    """
    try:
        roots = [document.root for document in documents(Source("", text))]
    except NotYamlError:
        return
    for root in roots:
        for field, strategy in (("timeSlicing", "time-slicing"), ("mps", "mps")):
            renamed = get_text(root, _SHARING, field, "renameByDefault") == "true"
            for item in items(get(root, _SHARING, field, "resources")):
                name, count = get_text(item, "name"), get_text(item, "replicas")
                if name and count:
                    amount = msg(
                        "{count} {name} for each card ({field})", count=count, name=name, field=field
                    )
                    of = f"{{strategy: {strategy}, replicas: {count}, renamed: {str(renamed).lower()}}}"
                    sharing = f"target: nvidia-shared, nvidia: {{sharing: {of}}}"
                    hint = msg("--from nvidia-shared reads them with a profile: {sharing}", sharing=sharing)
                    yield UnreadAmounts("ConfigMap", path, amount, hint)


def keys_named(
    document: Document, is_key: IsKey, places: Several[int] | None = None, *, bare: bool = False
) -> Iterator[NamedKey]:
    """What a document names at some places of its text: as a key, as a whole value, or in a manifest in a
    string.

    What a server writes is left out: ``status``, and kubectl's copy of the manifest; objects about devices,
    which are read with the pods that claim them; and the JSON that this tool writes. ``bare``: names without
    a domain count in every mapping; else only where nodes are chosen, since they may be anybody's.
    """
    if (get_text(document.root, "format") or "").startswith(OWN_FORMATS):
        return
    objects = objects_in(document)
    written = {
        *((*path, "status") for _, path, node in objects if get(node, "status") is not None),
        *(path for ref, path, _ in objects if (ref.api_version or "").startswith(f"{GROUP}/")),
    }
    for steps, scalar, on_key in scalars_at(document, places):
        text = scalar.text
        if "/" not in text:
            chooses = steps is not None and steps[0] is not None and steps[0][1] == NODE_SELECTOR
            may_be = (on_key or _may_be_a_name(steps)) if bare else (on_key and chooses)
            keys = [NamedKey(text, text, path_of(steps), on_key)] if may_be and is_key(text) else []
        elif (on_key or (is_name(text) and _may_be_a_name(steps))) and is_key(name := resource_of(text)):
            keys = [NamedKey(name, text, path_of(steps), on_key)]
        else:
            keys = [] if on_key else list(_in_text(document, scalar, steps, is_key))
        for key in keys:
            above = (key.path[:length] for length in range(len(key.path) + 1)) if written else ()
            if LAST_APPLIED not in key.path and written.isdisjoint(above):
                yield key


def _in_text(document: Document, scalar: Scalar, steps: Steps, is_key: IsKey) -> Iterator[NamedKey]:
    """The keys in a manifest in a string, such as a template in a ConfigMap, and in JSON patches."""
    named = named_in(scalar.text, is_key)
    path = path_of(steps) if named else ()
    for key, start in zip(named, places(scalar, document.source.text, named), strict=True):
        at = None if start is None else (start, start + key.end - key.start)
        yield NamedKey(key.name, scalar.text, path, False, True, at)


def _may_be_a_name(steps: Steps) -> bool:
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
        yield NamedKey(key.text, key.text, (*path, key.text))
    for steps, scalar, on_key in scalars(document.root):
        if not on_key and _is_long(scalar.text):
            end = dict.fromkeys(words, scalar.start)  # of the last place of each
            for name in _annotated_in(scalar.text, words, 0):
                start = document.source.text.find(name, end[name], scalar.end)
                at = (start, start + len(name)) if start >= 0 else None
                end[name] = at[1] if at else scalar.end
                yield NamedKey(name, scalar.text, path_of(steps), False, True, at)


def _annotated_in(text: str, words: Set[str], depth: int) -> Iterator[str]:
    """The words that are annotations in a text that is YAML or JSON."""
    if depth >= _DEEPEST or not any(word in text for word in words):
        return
    try:
        roots = [document.root for document in documents(Source("", text))]
    except NotYamlError:
        return
    for root in roots:
        if isinstance(root, (Mapping, Sequence)):
            yield from (key.text for _, key in _annotated(root, words))
            for scalar, on_key in _scalars_of_text(root):
                if not on_key and _is_long(scalar.text):
                    yield from _annotated_in(scalar.text, words, depth + 1)


def _annotated(root: Node, words: Set[str]) -> Iterator[tuple[Path, Scalar]]:
    """The words in mappings of annotations, each with the path of its mapping."""
    pending: list[tuple[Steps, Node]] = [(None, root)]
    while pending:
        steps, node = pending.pop()
        node = deref(node)
        if isinstance(node, Mapping):
            for name, key, value, _ in entries_of(node):
                last = steps[1] if steps else ""
                if name in words and isinstance(key, Scalar) and str(last).lower().endswith(ANNOTATIONS):
                    yield path_of(steps), key
                pending.append(((steps, name), value))
        elif isinstance(node, Sequence):
            pending += [((steps, number), item) for number, item in enumerate(node.items)]


def repeated_keys(document: Document) -> tuple[Path, ...]:
    """The paths of the keys that a mapping sets again."""
    if not document.repeated:
        return ()
    again = {key for _, key in document.repeated}
    named = scalars_at(document, sorted(key.start for key in again))
    return tuple(path_of(steps) for steps, scalar, on_key in named if on_key and scalar in again)


def _shared_paths(root: Node, pods: list[Pod], is_gpu_key: IsKey) -> Iterator[Path]:
    """GPU values that are used outside of their container too: by anchor, alias or merge key."""

    sharing = AnchorUses(root)
    for pod in pods:
        for container in pod.keys.all_containers():
            spots = [
                (value.path, resolve(root, value.path))
                for values in (container.limits, container.requests)
                for name, value in values.items()
                if is_gpu_key(name)
            ]
            in_container = Counter((entry[0], entry[1]) for _, entry in spots if entry)
            for path, entry in spots:
                if entry is None:
                    continue
                try:
                    alone = sharing.ways(entry[0], path[-1]) <= in_container[entry[0], entry[1]]
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
                    for label, chosen in values(deref(value), where).items():
                        yield NodeChoice(label, (chosen.text,), chosen.path, on_key=True)
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
    for number, entry in enumerate(map(deref, items(node))):
        name, value = get_text(entry, "key"), get_text(entry, "value")
        if name:
            label_values = ((value,) if value else ()) if tolerated else texts(get(entry, "values"))
            yield NodeChoice(name, label_values, (*path, number, "key"), tolerated=tolerated)
