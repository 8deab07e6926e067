"""Kustomizations as they are written: the files that they name as patches, and what these are for.

Source: kustomize, "kustomization.yaml": ``patches``, ``patchesStrategicMerge``, ``patchesJson6902``, and of
their ``target`` ``api/types/selector.go`` and ``Select`` in ``api/resmap/reswrangler.go``. Components have
the same fields.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from gpuxlate.files.find import HELD, Input, stays
from gpuxlate.files.read import StrPath, cached, upwards
from gpuxlate.model.declarations import regex
from gpuxlate.model.kept import kept
from gpuxlate.model.limits import MAX_ENTRIES, MAX_NAME
from gpuxlate.model.messages import Message, msg
from gpuxlate.yamltext.nodes import Node, Scalar, Sequence, deref, get, get_text
from gpuxlate.yamltext.parse import Document, NotYamlError
from gpuxlate.yamltext.source import DecodeError

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
FIELDS = ("patches", "patchesStrategicMerge", "patchesJson6902")
RESOURCES = ("resources", "bases")
"""The fields with what it is made of: files, or folders of other kustomizations."""


class _Folder(NamedTuple):
    """The files that a kustomization in a folder names; ``last``: nothing above it counts."""

    patches: frozenset[str]
    resources: frozenset[str]
    last: bool


class Piece(NamedTuple):
    """A document that objects have parts of: a patch, or a kustomization.

    ``host``, ``value``: of a patch in a kustomization, the document of that, and the value with the patch.
    """

    document: Document
    host: Document | None = None
    value: Node | None = None


def patched_by(path: StrPath | None) -> str | None:
    """The folder of the kustomization that names this file as a patch, None where none does.

    It is the folder of the file or one above, up to the git root: kustomize loads no file from outside of
    the folder of a kustomization. What cannot be read names nothing.
    """
    return None if path is None else next(naming(path), None)


def names_files(folder: str) -> bool:
    """A kustomization of a folder, or of one above it, names a file as a patch or a resource."""
    by_folder: dict[str, bool] = kept(names_files, dict)
    passed = []
    answer = False
    for parent in upwards(os.path.abspath(folder)):
        if parent in by_folder:
            answer = by_folder[parent]
            break
        passed.append(parent)
        above = _folder(parent)
        if above.patches or above.resources or above.last:
            answer = bool(above.patches or above.resources)
            break
    by_folder.update(dict.fromkeys(passed, answer))
    return answer


def naming(path: StrPath) -> Iterator[str]:
    """The folders of all kustomizations that name this file as a patch, the nearest first."""
    file = os.path.abspath(path)
    return (folder for folder, above in _above(file) if file in above.patches)


def is_resource(path: StrPath) -> bool:
    """A kustomization names this file as a resource."""
    file = os.path.abspath(path)
    return any(file in above.resources for _, above in _above(file))


def _above(file: str) -> Iterator[tuple[str, _Folder]]:
    """The folders whose kustomizations may name a file."""
    for folder in upwards(os.path.dirname(file)):
        above = _folder(folder)
        yield folder, above
        if above.last:
            break


@cached(4096)
def _folder(folder: str) -> _Folder:
    last = os.path.exists(os.path.join(folder, ".git"))
    patches, resources = (
        frozenset(islice(_named(folder, fields), MAX_ENTRIES)) for fields in (FIELDS, RESOURCES)
    )
    return _Folder(patches, resources, last)


def patches_of(folder: str) -> Iterator[str]:
    """The files that the kustomization of a folder names as patches."""
    return _named(folder, FIELDS)


def _named(folder: str, fields: tuple[str, ...]) -> Iterator[str]:
    root = kustomization_in(folder)
    for field in fields:
        for node in listed(root, field):
            text = node.text if isinstance(node, Scalar) else get_text(node, "path")
            if text and "\n" not in text:  # else a patch itself
                yield os.path.normpath(os.path.join(folder, text))


def kustomized(files: Iterable[Input]) -> list[str]:
    """The folders of the kustomizations among some inputs, and of those in folders that were searched.

    Without those of components, which build nothing by themselves.
    """
    places = (os.path.split(file.path) for file in files if file.path is not None and not file.named)
    named = (os.path.split(file.path) for file in files if file.path is not None and file.named)
    found = {folder for folder, _ in places} | {folder for folder, name in named if name in NAMES}
    folders = sorted(map(os.path.abspath, found))
    roots = ((folder, kustomization_in(folder)) for folder in folders)
    return [folder for folder, root in roots if root is not None and get_text(root, "kind") != "Component"]


def listed(root: Node | None, field: str) -> list[Node]:
    """The items of a list of a kustomization, empty where there is none."""
    node = get(root, field)
    return [deref(item) for item in node.items] if isinstance(node, Sequence) else []


PREFIX, SUFFIX = "namePrefix", "nameSuffix"


def changed_names(root: Node | None) -> tuple[str, ...]:
    """The fields by which a kustomization gives its objects other names."""
    return tuple(name for name in (PREFIX, SUFFIX) if get_text(root, name))


@cached(4096)
def kustomization_at(folder: str) -> Document | None:
    """The document of the kustomization of a folder, None where there is none that can be read."""
    for name in NAMES:
        path = os.path.join(folder, name)
        document = None if os.path.islink(path) and not stays(path, folder) else first_document(path)
        if document is not None and document.root is not None:
            return document
    return None


def kustomization_in(folder: str) -> Node | None:
    """The kustomization of a folder, None where there is none that can be read."""
    document = kustomization_at(folder)
    return document.root if document else None


def first_document(path: str) -> Document | None:
    """The first document of a file, None where it cannot be read."""
    try:
        return next(iter(HELD.text(path).documents()), None)
    except (OSError, DecodeError, NotYamlError):
        return None


# -- targets ------------------------------------------------------------------------------------------


_SIMPLE = regex(r"(?:[\w .|\-/:]|\\[.\-/]|\[\^?[\w.\-]+\]|[()^$]|(?<=[\w.\-\])])[*+?])*", re.ASCII)
"""Patterns that every language reads alike."""
_MOST_REPEATS, _MOST_CHOICES = 3, 8
"""How many a pattern may have: more may take longer to match than anybody waits."""
_TERM = regex(
    r"\s*(?:(?P<absent>!)\s*(?P<no>[\w./-]+)"
    r"|(?P<key>[\w./-]+)(?:\s*(?P<sign>==?|!=)\s*(?P<value>[\w.-]*)"
    r"|\s+(?P<word>in|notin)\s*\((?P<values>[\w.,\s-]*)\))?)\s*(?:,|$)",
    re.ASCII,
)


class UnknownError(Exception):
    """What a patch is for cannot be known. The message says why."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class Identity(NamedTuple):
    """What an object is called. ``names``: all that it has had, with namespaces, the present one last."""

    group: str
    version: str
    kind: str
    names: tuple[tuple[str, str], ...]
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


Selector = Callable[[Identity], bool]


def selector(target: Mapping[str, str]) -> Selector:
    """The test of a ``target``. Raises UnknownError."""
    plain = {field: _pattern(target[field]) for field in ("group", "version", "kind") if target.get(field)}
    name, namespace = (_pattern(target.get(field) or ".*") for field in ("name", "namespace"))
    labels = _terms(target.get("labelSelector", ""))
    annotations = _terms(target.get("annotationSelector", ""))

    def matches(identity: Identity) -> bool:
        ends = (identity.names[0], identity.names[-1])
        return (
            any(namespace(where or "default") for _, where in ends)
            and any(name(called) for called, _ in ends)
            and all(test(getattr(identity, field)) for field, test in plain.items())
            and all(test(identity.labels) for test in labels)
            and all(test(identity.annotations) for test in annotations)
        )

    return matches


@lru_cache(maxsize=1024)
def _pattern(text: str) -> Callable[[str], bool]:
    """A pattern of the whole of a name. Raises UnknownError for one that is not simple."""
    bounded = sum(map(text.count, "*+?")) <= _MOST_REPEATS and text.count("|") <= _MOST_CHOICES
    repeats_groups = any(sign in text for sign in ("(?", ")*", ")+"))
    try:
        if len(text) > MAX_NAME or not bounded or repeats_groups or not _SIMPLE.fullmatch(text):
            raise ValueError
        pattern = re.compile(f"^(?:{text})$", re.ASCII)
    except (ValueError, re.error):
        raise UnknownError(msg("the pattern {text} of its target is not read", text=text)) from None
    return lambda name: len(name) <= MAX_NAME and pattern.match(name) is not None


def _terms(text: str) -> list[Callable[[Mapping[str, str]], bool]]:
    """The terms of a label selector. Raises UnknownError."""
    tests: list[Callable[[Mapping[str, str]], bool]] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TERM.match(text, at)
        if match is None or match.end() == at:
            raise UnknownError(msg("the selector {text} of its target is not read", text=text))
        tests.append(_term(match))
        at = match.end()
    return tests


def _term(match: re.Match[str]) -> Callable[[Mapping[str, str]], bool]:
    if match["absent"]:
        return lambda labels: match["no"] not in labels
    key = match["key"]
    if match["sign"] is None and match["word"] is None:
        return lambda labels: key in labels
    values = (
        {part.strip() for part in (match["values"] or "").split(",")} if match["word"] else {match["value"]}
    )
    is_in = match["sign"] in ("=", "==") or match["word"] == "in"
    return lambda labels: (labels.get(key) in values) is is_in
