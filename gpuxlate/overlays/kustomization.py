"""Kustomizations as they are written: their fields, and the files that they name as patches and resources.

Source: kustomize, "kustomization.yaml": ``patches``, ``patchesStrategicMerge``, ``patchesJson6902``.
Components have the same fields.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from gpuxlate.files.find import HELD, Input, leads_inside
from gpuxlate.files.read import StrPath, cached, folders_upwards
from gpuxlate.model.kept import kept
from gpuxlate.model.limits import MAX_ENTRIES
from gpuxlate.yamltext.nodes import Node, Scalar, Sequence, deref, get, get_text
from gpuxlate.yamltext.parse import Document, NotYamlError
from gpuxlate.yamltext.source import DecodeError

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")

PATCH_FIELDS = ("patches", "patchesStrategicMerge", "patchesJson6902")

RESOURCE_LISTS = ("resources", "bases")
"""The fields with the resources of a kustomization: files, or folders of other kustomizations."""


class _Folder(NamedTuple):
    """The files that the kustomization of a folder names. ``last``: folders above this one are not
    searched."""

    patches: frozenset[str]
    resources: frozenset[str]
    last: bool


class Piece(NamedTuple):
    """A document that objects have parts of: a patch, or a kustomization.

    ``host``, ``value``: for a patch in a kustomization, the document of the kustomization and the string.
    """

    document: Document
    host: Document | None = None
    value: Node | None = None


def patched_by(path: StrPath | None) -> str | None:
    """The folder of the kustomization that names this file as a patch, None where none does.

    It is the folder of the file or one above, up to the git root: kustomize loads no file from outside of
    the folder of a kustomization. What cannot be read names nothing.
    """
    return None if path is None else next(folders_naming(path), None)


def names_files(folder: str) -> bool:
    """Whether a kustomization of a folder, or of one above it, names any file as a patch or a resource."""
    by_folder: dict[str, bool] = kept(names_files, dict)
    passed = []
    answer = False
    for parent in folders_upwards(os.path.abspath(folder)):
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


def folders_naming(path: StrPath) -> Iterator[str]:
    """The folders of all kustomizations that name this file as a patch, the nearest first."""
    file = os.path.abspath(path)
    return (folder for folder, above in _above(file) if file in above.patches)


def is_resource(path: StrPath) -> bool:
    """Whether a kustomization names this file as a resource."""
    file = os.path.abspath(path)
    return any(file in above.resources for _, above in _above(file))


def _above(file: str) -> Iterator[tuple[str, _Folder]]:
    """The folders whose kustomizations may name a file."""
    for folder in folders_upwards(os.path.dirname(file)):
        above = _folder(folder)
        yield folder, above
        if above.last:
            break


@cached(4096)
def _folder(folder: str) -> _Folder:
    last = os.path.exists(os.path.join(folder, ".git"))
    patches, resources = (
        frozenset(islice(_named(folder, fields), MAX_ENTRIES)) for fields in (PATCH_FIELDS, RESOURCE_LISTS)
    )
    return _Folder(patches, resources, last)


def patches_of(folder: str) -> Iterator[str]:
    """The files that the kustomization of a folder names as patches."""
    return _named(folder, PATCH_FIELDS)


def _named(folder: str, fields: tuple[str, ...]) -> Iterator[str]:
    root = kustomization_in(folder)
    for field in fields:
        for node in items_in(root, field):
            text = node.text if isinstance(node, Scalar) else get_text(node, "path")
            if text and "\n" not in text:  # else a patch itself
                yield os.path.normpath(os.path.join(folder, text))


def kustomization_folders(files: Iterable[Input]) -> list[str]:
    """The folders of the kustomizations among some inputs and in the folders that were searched for these.

    Components are left out: they build nothing by themselves.
    """
    places = (os.path.split(file.path) for file in files if file.path is not None and not file.named)
    by_hand = (os.path.split(file.path) for file in files if file.path is not None and file.named)
    searched = {folder for folder, _ in places} | {
        folder for folder, name in by_hand if name in KUSTOMIZATIONS
    }
    folders = sorted(map(os.path.abspath, searched))
    roots = ((folder, kustomization_in(folder)) for folder in folders)
    return [folder for folder, root in roots if root is not None and get_text(root, "kind") != "Component"]


def items_in(root: Node | None, field: str) -> list[Node]:
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
    for name in KUSTOMIZATIONS:
        path = os.path.join(folder, name)
        document = None if os.path.islink(path) and not leads_inside(path, folder) else first_document(path)
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
