"""A source tree: its files, the shares that it puts on workloads, and what depends on what."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpuxlate.backends import registry
from gpuxlate.config.document import (
    DECISIONS,
    GPU_SHARE,
    ShareDocument,
    is_decisions,
    is_share_document,
    shares_in,
)
from gpuxlate.files.read import folders_upwards, is_inside, repository_of
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.manifest.claims import may_name_claims
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import msg
from gpuxlate.overlays.kustomization import KUSTOMIZATIONS
from gpuxlate.overlays.roles import FileKind, role_of
from gpuxlate.sync.files import TreeFile, file_bytes, file_documents
from gpuxlate.sync.lock import sha256
from gpuxlate.yamltext.parse import Document, NotYamlError, documents, with_location
from gpuxlate.yamltext.source import DecodeError, Source

_OUTSIDE = regex(r"(?:^|[\s\"'\[,:/])((?:\.\./)*\.\.(?:/[\w./-]*)?)", re.M)
"""Paths in a kustomization that lead upwards."""

_WORD = regex(r"[\w.-]+")
"""What may be the name of an object."""


@dataclass
class SourceTree:
    """The files of a source, the shares that it puts on workloads, and what depends on what.

    ``shares``: by the path of their workload; ``emptied``: the files with nothing else; ``alone``: how many
    shares have no workload. ``together``: the files of which each may change the result of others;
    ``complete``: all of these are in the source.
    """

    root: str
    files: list[TreeFile]
    shares: dict[str, list[tuple[Document, ShareDocument]]] = field(default_factory=dict)
    emptied: set[str] = field(default_factory=set)
    alone: int = 0
    together: frozenset[str] = frozenset()
    complete: bool = True
    problems: list[Diagnostic] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)

    @classmethod
    def of(cls, root: str, files: list[TreeFile]) -> SourceTree:
        """The tree of some files, each read once. Raises InputError for what cannot be read."""
        tree = cls(root, [])
        by_path = {file.path: file for file in files}
        together: set[str] = set()
        patches: list[TreeFile] = []
        for file in files:
            if file.link is not None:
                tree.files.append(file)
                continue
            data = file_bytes(file.place)
            tree.files.append(replace(file, digest=sha256(data)))
            if not file.is_translated:
                continue
            role = role_of(file.place)
            kept_apart = role.kind is FileKind.MANIFESTS and not (role.shared or role.renamed)
            if not kept_apart or may_name_claims(data):
                together.add(file.path)
            if role.renamed and not tree._names_only_source_files(file, data):
                tree.complete = False
            if (role.renamed or role.kind is FileKind.PATCH) and might_have_gpu_keys(data):
                patches.append(file)
            if GPU_SHARE.encode() in data:
                tree._add_shares(file, data, by_path)
            elif DECISIONS.encode() in data and _are_decisions(file):
                tree.emptied.add(file.path)
        if tree.shares and patches:
            tree._judge_patches(patches)
        tree.files = [file for file in tree.files if file.path not in tree.emptied]
        tree.together = frozenset(together - tree.emptied)
        tree.complete = tree.complete and not _is_named_from_above(root)
        return tree

    def _names_only_source_files(self, file: TreeFile, data: bytes) -> bool:
        """Whether a kustomization names only files inside the source."""
        folder = posixpath.dirname(file.path)
        paths = _OUTSIDE.findall(data.decode(errors="replace"))
        return not any(posixpath.normpath(posixpath.join(folder, path)).startswith("..") for path in paths)

    def _add_shares(self, file: TreeFile, data: bytes, by_path: Mapping[str, TreeFile]) -> None:
        try:
            source = Source.from_bytes(file.place, data)
        except DecodeError:
            return  # whoever reads it reports it
        shares, problems = shares_in(source, named=False)
        if shares or problems:
            self.sources.append(source)
        errors = any(finding.severity is Severity.ERROR for finding in problems)
        if (
            shares
            and not errors
            and all(document.root is None or is_share_document(document) for document in documents(source))
        ):
            self.emptied.add(file.path)
        self.problems += (finding for finding in problems if finding.code != "GX012")
        folder = posixpath.dirname(file.path)
        for document, share in shares:
            if share.workload is None:
                self.alone += 1
                continue
            path = posixpath.normpath(posixpath.join(folder, share.workload.file))
            if path.startswith("..") or by_path.get(path) is None or not by_path[path].is_translated:
                message = msg(
                    "{file} is not a manifest of {folder}", file=share.workload.file, folder=self.root
                )
                hint = "name a file of the source, relative to this document"
                at = ("spec", "workload", "file")
                wrong = Diagnostic("GX010", Severity.ERROR, message, hint, at)
                self.problems.append(with_location(document, wrong))
                continue
            self.shares.setdefault(path, []).append((document, share))

    def _judge_patches(self, patches: Sequence[TreeFile]) -> None:
        """Refuse a share on a pod whose GPU keys a patch changes: that is translated without the share."""
        objects: FilesByObject = {}
        for path in self.shares:
            for document in file_documents(os.path.join(self.root, path)):
                for pod in pods_in(document):
                    objects.setdefault(pod.object.name, {})[pod.object.kind] = path
        for patch in patches:
            for kind, name in _patched(patch, objects):
                document, share = self.shares[objects[name][kind]][0]
                file = share.workload.file if share.workload else ""
                message = msg(
                    "{patch} changes GPU keys of {kind} {name}, and does not know this share",
                    patch=patch.place,
                    kind=kind,
                    name=name,
                )
                hint = msg(
                    "write the share into {file} (gpuxlate.io/cores, ...), and remove this document",
                    file=file,
                )
                at = ("spec", "workload", "file")
                wrong = Diagnostic("GX010", Severity.ERROR, message, hint, at)
                self.problems.append(with_location(document, wrong))


FilesByObject = dict[str | None, dict[str | None, str]]
"""The files of objects, by their names and kinds."""


def _patched(file: TreeFile, objects: FilesByObject) -> list[tuple[str | None, str | None]]:
    """The objects whose GPU keys a patch, or one within a kustomization, changes."""
    role = role_of(file.place)
    if role.renamed:
        text = file_bytes(file.place).decode(errors="replace")
        words = dict.fromkeys(_WORD.findall(text))
        return [(kind, name) for name in words for kind in objects.get(name, ())]
    try:
        over = [
            base
            for document in file_documents(file.place)
            for pod in role.pods(document)
            for base in pod.bases
        ]
    except NotYamlError:
        return []  # the translation says so
    by_name = dict.fromkeys(
        (base.base.object.kind, base.base.object.name)
        for base in over
        if registry.backends_of(base.patch.keys)
    )
    return [(kind, name) for kind, name in by_name if kind in objects.get(name, ())]


def _are_decisions(file: TreeFile) -> bool:
    """Whether a file holds nothing but decisions."""
    documents = [document for document in file_documents(file.place) if document.root is not None]
    return bool(documents) and all(map(is_decisions, documents))


def _is_named_from_above(root: str) -> bool:
    """Whether a kustomization above the source may name files of it."""
    top = repository_of(root)
    folders = (
        folder
        for folder in folders_upwards(os.path.dirname(os.path.realpath(root)))
        if is_inside(folder, top)
    )
    return any(os.path.exists(os.path.join(folder, name)) for folder in folders for name in KUSTOMIZATIONS)
