"""Which files a kustomization names as patches: each of them is a part of an object.

Source: kustomize, "kustomization.yaml": ``patches``, ``patchesStrategicMerge``, ``patchesJson6902``.
Components have the same fields.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from gpuxlate.inputs.bounded import StrPath, content, remembered, upwards
from gpuxlate.inputs.files import Input, stays
from gpuxlate.model.limits import MAX_CONFIG_BYTES, MAX_ENTRIES
from gpuxlate.yamltext.compose import Document, NotYamlError, documents
from gpuxlate.yamltext.nodes import Node, Scalar, Sequence, deref, get, get_text
from gpuxlate.yamltext.source import DecodeError, Source

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
FIELDS = ("patches", "patchesStrategicMerge", "patchesJson6902")


class _Folder(NamedTuple):
    """The files that a kustomization in a folder names as patches; ``last``: nothing above it counts."""

    patches: frozenset[str]
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


@remembered(4096)
def may_be_patches(folder: str, _here: str) -> bool:
    """A kustomization of a folder, or of one above it, names a file as a patch.

    ``_here``: the working directory, for a path from there.
    """
    for one in upwards(os.path.abspath(folder)):
        found = _folder(one)
        if found.patches or found.last:
            return bool(found.patches)
    return False


def naming(path: StrPath) -> Iterator[str]:
    """The folders of all kustomizations that name this file as a patch, the nearest first."""
    file = os.path.abspath(path)
    for folder in upwards(os.path.dirname(file)):
        found = _folder(folder)
        if file in found.patches:
            yield folder
        if found.last:
            break


@remembered(4096)
def _folder(folder: str) -> _Folder:
    last = os.path.exists(os.path.join(folder, ".git"))
    return _Folder(frozenset(islice(patches_of(folder), MAX_ENTRIES)), last)


def patches_of(folder: str) -> Iterator[str]:
    """The files that the kustomization of a folder names as patches."""
    root = kustomization_in(folder)
    for field in FIELDS:
        for one in listed(root, field):
            text = one.text if isinstance(one, Scalar) else get_text(one, "path")
            if text and "\n" not in text:  # else a patch itself
                yield os.path.normpath(os.path.join(folder, text))


def kustomized(given: Iterable[Input]) -> list[str]:
    """The folders of the kustomizations among some inputs, and of those in folders that were searched.

    Without those of components, which build nothing by themselves.
    """
    places = (os.path.split(one.path) for one in given if one.path is not None and not one.named)
    named = (os.path.split(one.path) for one in given if one.path is not None and one.named)
    found = {folder for folder, _ in places} | {folder for folder, name in named if name in NAMES}
    folders = sorted(map(os.path.abspath, found))
    roots = ((one, kustomization_in(one)) for one in folders)
    return [one for one, root in roots if root is not None and get_text(root, "kind") != "Component"]


def listed(root: Node | None, field: str) -> list[Node]:
    """The items of a list of a kustomization, empty where there is none."""
    found = get(root, field)
    return [deref(one) for one in found.items] if isinstance(found, Sequence) else []


@remembered(4096)
def kustomization_at(folder: str) -> Document | None:
    """The document of the kustomization of a folder, None where there is none that can be read."""
    for name in NAMES:
        path = os.path.join(folder, name)
        found = None if os.path.islink(path) and not stays(path, folder) else first_document(path)
        if found is not None and found.root is not None:
            return found
    return None


def kustomization_in(folder: str) -> Node | None:
    """The kustomization of a folder, None where there is none that can be read."""
    found = kustomization_at(folder)
    return found.root if found else None


def first_document(path: str) -> Document | None:
    """The first document of a file, None where it cannot be read."""
    try:
        return next(iter(documents(Source.from_bytes(path, content(path, MAX_CONFIG_BYTES)))), None)
    except (OSError, DecodeError, NotYamlError):
        return None
