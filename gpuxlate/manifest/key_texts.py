"""Keys that a string names: a manifest in it, a patch, an expression, a path of Helm.

Prose that mentions a key names none: a key counts where something reads it as one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from gpuxlate.manifest.hits import without_prefix
from gpuxlate.model.declarations import regex
from gpuxlate.yamltext.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
)
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.source import Source

IsKey = Callable[[str], bool]

_NAME = r"[A-Za-z0-9][A-Za-z0-9.-]*/[A-Za-z0-9._-]+"

_QUOTE = r"""\\*["']"""

_ANY = regex(r"(?<![A-Za-z0-9.\\-])(?:[A-Za-z0-9.-]|\\+\.)+(?:/|~1)(?:[A-Za-z0-9._-]|\\+\.)+")
"""Characters that may be a key with a domain, whatever is around them."""

_ANCHORED = regex(r"[=+X^<]?\((.+)\)")
"""A key with an anchor of Kyverno: ``=(key)``, ``+(key)``, ``(key)``."""

_WHOLE = regex(_NAME)

DEEPEST_TEXT = 4
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
    patterns = (EMBEDDED, *_IN_CODE) if may_be_manifest(text) else _IN_CODE
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


def may_be_manifest(text: str) -> bool:
    """The text may be a manifest: one line without braces is none."""
    return "\n" in text or "{" in text


def _read(text: str, is_key: IsKey, depth: int) -> Iterator[KeyInText]:
    """The keys of a text that is YAML or JSON: of its mappings, and those that are whole values."""
    if depth >= DEEPEST_TEXT or not may_be_manifest(text):
        return
    try:
        # what cannot be read is searched for what looks like a key
        roots = [document.root for document in documents(Source("", text))]
    except NotYamlError:
        return
    for root in roots:
        if isinstance(root, (Mapping, Sequence)):
            for scalar, on_key in scalars_below(root):
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


def scalars_below(root: Node) -> Iterator[tuple[Scalar, bool]]:
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
