"""What the cursor is at: a key of a pod that is written, or the place of one that is being typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.model.profile import Profile, renamed_by
from gpuxlate.model.spots import Level, Spot, spots
from gpuxlate.overlays.roles import FileRole
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, is_merge
from gpuxlate.yamltext.source import Source

MAX_DOCUMENT = 2**18
"""Characters of a document in which words are completed: it is read several times."""
PROBE = "gpuxlate-is-here"
"""Stands for what is being typed. It needs no quotes, and is nobody's key."""

_WORD = re.compile(r"[\w./-]*")
_WORD_BEFORE = re.compile(r"[\w./-]*\Z")
_MARK = re.compile(r"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_QUOTES = "\"'"


def scalar_at(source: Source, index: int) -> tuple[Scalar, Path] | None:
    """The key or value at a character, with its path; of a key that of its entry."""
    with suppress(NotYamlError):
        for document in documents(source):
            if document.start <= index <= document.end and document.root is not None:
                found = _below(document.root, index)
                if found:
                    return found
    return None


def _below(root: Node, index: int) -> tuple[Scalar, Path] | None:
    node, path = root, ()  # type: tuple[Node, Path]
    while not isinstance(node, Scalar):
        for step, handle, value in _entries(node):
            if handle is not None and handle.start <= index <= handle.end:
                return (handle, (*path, step)) if isinstance(handle, Scalar) else None
            if value.start <= index <= value.end:
                node, path = value, (*path, step)
                break
        else:
            return None
    return node, path


def _entries(node: Node) -> Iterator[tuple[str | int, Node | None, Node]]:
    if isinstance(node, Mapping):
        for key, value in node.entries:
            if isinstance(key, Scalar) and not is_merge(key):
                yield key.text, key, value
    elif isinstance(node, Sequence):
        yield from ((n, None, item) for n, item in enumerate(node.items))


@dataclass(frozen=True, slots=True)
class Typed:
    """What is being typed: characters ``start`` to ``end``, in quotes or not.

    ``spot``: the key of the pod that it is (``is_name``), or whose value it is. ``colon``: one follows.
    """

    start: int
    end: int
    spot: Spot
    pod: PodKeys
    is_name: bool
    colon: bool


def typed_at(source: Source, index: int, layer: FileRole, profile: Profile | None) -> Typed | None:
    """What is being typed at a character, where pods are read; the rest of the text may be half-typed."""
    text = source.text
    first, last = _document_around(text, index)
    if last - first > MAX_DOCUMENT:
        return None
    start, end, colon = _word_around(text, index)
    line_end = re.compile(r"[\r\n]|\Z").search(text, end)
    assert line_end is not None
    for written in (PROBE,) if colon else (f"{PROBE}: 0", PROBE, f" {PROBE}"):
        until_line = text[first:start] + written + text[end : line_end.start()]
        for tried in (text[first:start] + written + text[end:last], until_line, _closed(until_line)):
            found = _probed(Source(source.name, tried), layer, profile)
            if found:
                spot, pod, is_name = found
                return Typed(start, end, spot, pod, is_name, colon)
    return None


def _document_around(text: str, index: int) -> tuple[int, int]:
    """Where the document of a character begins and ends, in a text that may be invalid."""
    first = max((one.start() for one in _MARK.finditer(text, 0, index)), default=0)
    behind = _MARK.search(text, index)
    return first, behind.start() if behind else len(text)


def _word_around(text: str, index: int) -> tuple[int, int, bool]:
    """The word at a character with its quotes, and whether a colon follows."""
    line = text.rfind("\n", 0, index) + 1
    before = _WORD_BEFORE.search(text, max(line, index - 400), index)
    behind = _WORD.match(text, index)
    assert before is not None
    assert behind is not None
    start, end = before.start(), behind.end()
    quote = text[start - 1 : start]
    if quote and quote in _QUOTES:
        start -= 1
        end += text[end : end + 1] == quote
    return start, end, text[end : end + 1] == ":"


def _closed(text: str) -> str:
    """The text with its open braces and brackets closed, roughly: strings and comments are not known."""
    opened: list[str] = []
    for one in re.findall(r"[{}\[\]]", text[-4000:]):
        if one in "{[":
            opened.append("}" if one == "{" else "]")
        elif opened and opened[-1] == one:
            opened.pop()
    return text + "".join(reversed(opened))


def _probed(source: Source, layer: FileRole, profile: Profile | None) -> tuple[Spot, PodKeys, bool] | None:
    with suppress(NotYamlError):
        for document in documents(source):
            if document.root is None:
                continue
            for one in layer.pods(document):
                pod = one.pod.under(renamed_by(profile)).keys if one.pod else None
                for spot in spots(pod) if pod else ():
                    is_name = spot.name == PROBE
                    if pod and spot.level is Level.POD and (is_name or PROBE in spot.value.text):
                        return spot, pod, is_name
    return None
