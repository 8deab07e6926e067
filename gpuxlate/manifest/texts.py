"""Keys that a string names: a manifest in it, a patch, an expression, a path of Helm.

Prose that mentions a key names none: a key counts where something reads it as one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence
from gpuxlate.yamltext.source import Source

IsKey = Callable[[str], bool]

PREFIXES = (
    # ResourceQuota; resourceFieldRef
    "requests.",
    "limits.",
    # apache/spark docs/running-on-kubernetes.md (4.0): the key follows the name of the property
    *(
        f"spark.kubernetes.{which}{what}."
        for which in ("", "driver.", "executor.")
        for what in ("label", "annotation", "node.selector")
    ),
)
"""What may be before a key in the name of a setting."""

_NAME = r"[A-Za-z0-9][A-Za-z0-9.-]*/[A-Za-z0-9._-]+"
_QUOTE = r"""\\*["']"""
_ANY = re.compile(r"(?<![A-Za-z0-9.\\-])(?:[A-Za-z0-9.-]|\\+\.)+(?:/|~1)(?:[A-Za-z0-9._-]|\\+\.)+")
"""Characters that may be a key with a domain, whatever is around them."""
_ANCHORED = re.compile(r"[=+X^<]?\((.+)\)")
"""A key with an anchor of Kyverno: ``=(key)``, ``+(key)``, ``(key)``."""
_WHOLE = re.compile(_NAME)
_DEEPEST = 4
"""Texts inside texts that are read as YAML."""

EMBEDDED = re.compile(
    rf"""(?:^|[\n{{,])[ \t]*(?:-[ \t]+)*(?:[=+X^<]?\()?(?:{_QUOTE})?({_NAME})(?:{_QUOTE})?\)?[ \t]*:"""
)
"""A key with a domain and its colon, in a string that contains a whole manifest."""
_IN_CODE = (
    # a subscript or a path: limits["key"], limits.'key', limits.[key]
    re.compile(rf"(?:\[\s*|\.){_QUOTE}({_NAME}){_QUOTE}"),
    re.compile(rf"\.\[({_NAME})\]"),
    # an argument: has(limits, "key"), limits.get("key", 0)
    re.compile(rf"(?:\w\(\s*){_QUOTE}({_NAME}){_QUOTE}\s*[,)]|,\s*{_QUOTE}({_NAME}){_QUOTE}\s*\)"),
    # a comparison: 'key' in c.resources.limits
    re.compile(rf"{_QUOTE}({_NAME}){_QUOTE}\s+in\s+\w+[.\[]\w|[=!]=\s*{_QUOTE}({_NAME}){_QUOTE}"),
    # an option, a selector of labels: --resource=key, -l key=2
    re.compile(rf"(?<![\w./-])({_NAME})=(?=[^\s=])|[\w-]={_QUOTE}?({_NAME})(?=[\"'\s,]|$)"),
)
"""A key where a program or an expression reads it."""
_ESCAPED = re.compile(r"(?<![\w\\-])((?:[\w-]+\\{1,2}\.)+[\w-]+(?:/[\w-]+(?:\\{1,2}\.[\w-]+)*)?)")
"""A key with its dots escaped, as in a path of Helm or jsonpath: ``resources.limits.example\\.com/gpu``."""
_POINTER = re.compile(r"""(?:^|[\s"'])(/[^\s"']*~1[^\s"']*)""")
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
    if not name.startswith(PREFIXES):
        return name
    return name[max(len(one) for one in PREFIXES if name.startswith(one)) :]


def is_name(text: str) -> bool:
    """The text may be a key with a domain by itself."""
    return _WHOLE.fullmatch(text) is not None


def may_name(text: str, is_key: IsKey) -> bool:
    """Whether a key may be in the text, from its characters alone."""
    if "~1" in text or "\\" in text:
        return True
    names = chain(text.split("/") if text.startswith("/") else (), _ANY.findall(text))
    return any(is_key(resource_of(one)) for one in names)


def named_in(text: str, is_key: IsKey, depth: int = 0) -> list[KeyInText]:
    """The keys that a text names, each place once, in its order."""
    if not may_name(text, is_key):
        return []
    found = {one.start: one for one in _matched(text, is_key)}
    names = {one.name for one in found.values()}
    for one in _read(text, is_key, depth):
        if one.end or one.name not in names:
            found.setdefault(one.start, one)
            names.add(one.name)
    return sorted(found.values(), key=lambda one: one.start)


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
        roots = [one.root for one in documents(Source("", text))]
    except NotYamlError:
        return
    for root in roots:
        if isinstance(root, (Mapping, Sequence)):
            for scalar, on_key in _scalars(root):
                yield from _in_scalar(text, scalar, on_key, is_key, depth)


def _in_scalar(text: str, scalar: Scalar, on_key: bool, is_key: IsKey, depth: int) -> Iterator[KeyInText]:
    name = resource_of(scalar.text)
    if is_name(name) and is_key(name):
        start = scalar.text.index(name)
        found = [KeyInText(name, start, start + len(name))]
    else:
        found = [] if on_key else named_in(scalar.text, is_key, depth + 1)
    for one, place in zip(found, places(scalar, text, found), strict=True):
        if place is None:
            yield KeyInText(one.name, scalar.start, 0)
        else:
            yield KeyInText(one.name, place, place + one.end - one.start)


def _scalars(root: Node) -> Iterator[tuple[Scalar, bool]]:
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

_ESCAPE = re.compile(r"\\(.)")


def places(scalar: Scalar, text: str, found: list[KeyInText]) -> list[int | None]:
    """Where in ``text`` each key of a scalar is written; None where escapes of YAML hide it."""
    if not found:
        return []
    start, raw = scalar.start, text[scalar.start : scalar.end]
    if scalar.style is not None and scalar.style in "|>":
        header = raw.find("\n") + 1
        start, raw = start + header, raw[header:]
    elif scalar.style == '"':
        # as many characters without the escapes: \n before a key is not a part of it
        raw = _ESCAPE.sub(lambda match: f" {match[1]}" if match[1] in '\\/"' else "  ", raw)
    there, written = (list(_ANY.finditer(one)) for one in (scalar.text, raw))
    same = [one[0] for one in there] == [one[0] for one in written]
    starts = [one.start() for one in there]
    made: list[int | None] = []
    only: dict[str, int | None] = {}  # where a name is written once
    for one in found:
        number = bisect_right(starts, one.start) - 1
        name = scalar.text[one.start : one.end]
        if not one.end:
            made.append(None)
        elif same and number >= 0 and one.start < there[number].end():
            made.append(start + written[number].start() + one.start - starts[number])
        else:
            if name not in only:
                only[name] = start + raw.index(name) if raw.count(name) == 1 else None
            made.append(only[name])
    return made
