"""One source tree, one tree for each target, always in step.

    files of the source ── which depend on each other ──> a key for each file (what its result depends on)
    those whose key or result changed ── translate ──> new texts ── GPUShare documents rendered on ──> wanted
    wanted, the lock and the folder of the target ── compared ──> what is written and removed, or conflicts

A target's folder has a lock of what was written; nothing else in it is touched. The translation is that of
``translation.translate``, for all targets in one run.
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

from gpuxlate import __version__
from gpuxlate.backends import plugins, registry
from gpuxlate.backends.base import Backend
from gpuxlate.config.configuration import SyncTarget
from gpuxlate.config.document import (
    DECISIONS,
    KIND,
    ShareDocument,
    is_decisions,
    is_share_document,
    shares_in,
)
from gpuxlate.files.find import (
    SUFFIXES,
    Exclusion,
    Input,
    InputError,
    above,
    below,
    reason,
    under_chart_templates,
)
from gpuxlate.files.read import content, inside, repository, upwards
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.files.write import link_atomically, write_atomically
from gpuxlate.manifest.claims import may_name_claims
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model import limits
from gpuxlate.model.declarations import (
    OMITTED,
    Keywords,
    Output,
    Printed,
    PrintedAs,
    Sometimes,
    record,
    regex,
)
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import Profile
from gpuxlate.overlays.kustomization import NAMES
from gpuxlate.overlays.roles import FileKind, role_of
from gpuxlate.translation.acceptance import acceptance
from gpuxlate.translation.claims import applied
from gpuxlate.translation.decisions import Decisions
from gpuxlate.translation.options import Settings
from gpuxlate.translation.render import RenderRequest, render_on
from gpuxlate.translation.results import File, Result
from gpuxlate.yamltext.edit import Origins
from gpuxlate.yamltext.parse import Document, NotYamlError, documents, locate, with_location
from gpuxlate.yamltext.source import LINE_BREAK, DecodeError, Source
from gpuxlate.yamltext.writer import Splice

LOCK = ".gpuxlate-sync.json"
_DIGEST = regex("[0-9a-f]{64}")
_PATH = 4096
"""Bytes of a path, and of what ends it, that Linux allows."""
_OUTSIDE = regex(r"(?:^|[\s\"'\[,:/])((?:\.\./)*\.\.(?:/[\w./-]*)?)", re.M)
"""Paths in a kustomization that lead upwards."""

_WORD = regex(r"[\w.-]+")
"""What may be the name of an object."""


class SyncError(ValueError):
    """A tree cannot be kept in step at all; ``hint`` says what to do."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


# --- the source -----------------------------------------------------------------------------------------
@record
class TreeFile:
    """A file of the source by its path from there. ``link``: what it leads to, where it is one. ``digest``:
    of its content, once ``SourceTree.of`` has read it."""

    path: str
    place: str
    mode: int = 0o644
    link: str | None = None
    digest: str = ""

    @property
    def is_translated(self) -> bool:
        return self.link is None and self.path.endswith(SUFFIXES)

    def check(self, data: bytes) -> bytes:
        """The bytes that a later step read, if they are still those that the lock speaks of.

        Raises InputError.
        """
        if sha256(data) != self.digest:
            message = msg("{name}: changed by another process while sync read it", name=self.place)
            raise InputError(message, "run gpuxlate sync again")
        return data


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def tree_files(source: str, exclusion: Exclusion, not_copied: Iterable[str]) -> list[TreeFile]:
    """The files of a source, in order. Raises SyncError, and InputError for folders that cannot be read.

    ``not_copied``: the real paths of the configuration and of decisions.
    """
    left_out = set(not_copied)
    found: list[TreeFile] = []
    top = os.path.realpath(source)
    pending = [("", top, above(top))]
    while pending:
        where, real, levels = pending.pop()
        folder = os.path.join(source, where)
        levels = below(real, levels)
        try:
            entries = sorted(os.scandir(folder), key=lambda one: one.name)
        except OSError as error:
            raise InputError(msg("{name}: {error}", name=folder, error=reason(error))) from None
        for entry in entries:
            path = posixpath.join(where, entry.name)
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name.casefold() == ".git":
                continue  # a file of this name points git at another folder
            if exclusion.leaves_out(entry.path, f"{real}/{entry.name}", levels, is_folder=is_folder):
                continue
            if is_folder:
                pending.append((path, os.path.join(real, entry.name), levels))
            elif os.path.join(real, entry.name) not in left_out and entry.name != LOCK:
                found.append(_tree_file(source, path, entry))
    _judge_names(source, found)
    return sorted(found, key=lambda one: one.path)


def _judge_names(source: str, files: Iterable[TreeFile]) -> None:
    """Raises SyncError for names that are one name where the file system does not tell cases apart."""
    known: dict[str, str] = {}

    def judge(path: str) -> None:
        other = known.setdefault(path.casefold(), path)
        if other != path:
            message = msg(
                "{one} and {other} of {folder} differ by case alone", one=other, other=path, folder=source
            )
            raise SyncError(message, "rename one of them: many file systems have room for one")

    judged: dict[str, None] = {"": None}
    for file in files:
        _of_folders(file.path, judged, judge)
        judge(file.path)


def _tree_file(source: str, path: str, entry: os.DirEntry[str]) -> TreeFile:
    if entry.is_symlink():
        goal = os.readlink(entry.path)
        if os.path.isabs(goal) or _climbs_out(path, goal) or not inside(entry.path, source):
            message = msg("{name}: a link that leads out of {folder}", name=entry.path, folder=source)
            raise SyncError(message, "put the file itself there, or leave the link out (exclude)")
        return TreeFile(path, entry.path, link=goal, digest=sha256(os.fsencode(goal)))
    return TreeFile(path, entry.path, entry.stat(follow_symlinks=False).st_mode & 0o777)


def _climbs_out(path: str, goal: str) -> bool:
    """A link leaves the source on its way, though it may come back: its copy would not."""
    depth = path.count("/")
    for step in goal.split("/"):
        depth += -1 if step == ".." else step not in ("", ".")
        if depth < 0:
            return True
    return False


def file_bytes(place: str) -> bytes:
    """The bytes of a file of the source. Raises InputError."""
    try:
        return content(place, limits.MAX_TEXT)
    except OSError as error:
        raise InputError(msg("{name}: {error}", name=place, error=reason(error))) from None


@dataclass
class SourceTree:
    """The files of a source, the shares that it puts on workloads, and what depends on what."""

    root: str
    files: list[TreeFile]
    shares: dict[str, list[tuple[Document, ShareDocument]]] = field(default_factory=dict)
    emptied: set[str] = field(default_factory=set)
    alone: int = 0
    together: frozenset[str] = frozenset()
    known: bool = True
    problems: list[Diagnostic] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)

    @classmethod
    def of(cls, root: str, files: list[TreeFile]) -> SourceTree:
        """Look at what is in the files. ``shares``: by their workload; ``emptied``: files with nothing else;
        ``alone``: shares without a workload; ``together``: files of which each may change the result of
        others, ``known``: all of these are in the source. Raises InputError for what cannot be read."""
        tree = cls(root, [])
        by_path = {one.path: one for one in files}
        together: set[str] = set()
        patches: list[TreeFile] = []
        for one in files:
            if one.link is not None:
                tree.files.append(one)
                continue
            data = file_bytes(one.place)
            tree.files.append(replace(one, digest=sha256(data)))
            if not one.is_translated:
                continue
            role = role_of(one.place)
            kept_apart = role.kind is FileKind.MANIFESTS and not (role.shared or role.renamed)
            if not kept_apart or may_name_claims(data):
                together.add(one.path)
            if role.renamed and not tree._stays(one, data):
                tree.known = False
            if (role.renamed or role.kind is FileKind.PATCH) and might_have_gpu_keys(data):
                patches.append(one)
            if KIND.encode() in data:
                tree._add_shares(one, data, by_path)
            elif DECISIONS.encode() in data and _are_decisions(one):
                tree.emptied.add(one.path)
        if tree.shares and patches:
            tree._judge_patches(patches)
        tree.files = [one for one in tree.files if one.path not in tree.emptied]
        tree.together = frozenset(together - tree.emptied)
        tree.known = tree.known and not _is_named_from_above(root)
        return tree

    def _stays(self, one: TreeFile, data: bytes) -> bool:
        """A kustomization names nothing outside of the source."""
        folder = posixpath.dirname(one.path)
        paths = _OUTSIDE.findall(data.decode(errors="replace"))
        return not any(posixpath.normpath(posixpath.join(folder, path)).startswith("..") for path in paths)

    def _add_shares(self, one: TreeFile, data: bytes, by_path: Mapping[str, TreeFile]) -> None:
        try:
            source = Source.from_bytes(one.place, data)
        except DecodeError:
            return  # whoever reads it reports it
        found, problems = shares_in(source, named=False)
        if found or problems:
            self.sources.append(source)
        if (
            found
            and not problems
            and all(each.root is None or is_share_document(each) for each in documents(source))
        ):
            self.emptied.add(one.path)
        self.problems += (each for each in problems if each.code != "GX012")
        folder = posixpath.dirname(one.path)
        for document, share in found:
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
        objects: Objects = {}
        for path in self.shares:
            for document in _documents(os.path.join(self.root, path)):
                for pod in pods_in(document):
                    objects.setdefault(pod.object.name, {})[pod.object.kind] = path
        for one in patches:
            for kind, name in _patched(one, objects):
                document, share = self.shares[objects[name][kind]][0]
                file = share.workload.file if share.workload else ""
                message = msg(
                    "{patch} changes GPU keys of {kind} {name}, and does not know this share",
                    patch=one.place,
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

    def writers(self, wanted: WantedFile, made: str) -> Callable[[int], Iterator[tuple[str, int, str]]]:
        """What gives the lines of the source that wrote a line (from 1) of a made text: file, number from 1,
        and text. Those are of GPUShare documents where their shares are written in it."""
        old = Source(wanted.source.place, file_bytes(wanted.source.place).decode(errors="replace"))
        new = Source(wanted.source.place, made)
        translated, rest, with_shares = map(Origins, wanted.steps)

        def of_line(number: int) -> Iterator[tuple[str, int, str]]:
            start = new.line_start(number)
            if with_shares.are_copied(start, start + len(new.line_text(number))):
                line, _ = old.position(translated.of(rest.of(with_shares.of(start))))
                yield old.name, line, old.line_text(line)
                return
            for document, _ in self.shares[wanted.source.path]:
                assert document.root is not None
                first = document.source.span(*locate(document.root, ("spec",))).line
                yield document.source.name, first, document.source.line_text(first)

        return of_line


def _documents(place: str) -> list[Document]:
    """The documents of a file of the source; none of what is not YAML, which others report."""
    try:
        return list(documents(Source.from_bytes(place, file_bytes(place))))
    except (DecodeError, NotYamlError):
        return []


Objects = dict[str | None, dict[str | None, str]]
"""The files of objects, by their names and kinds."""


def _patched(one: TreeFile, objects: Objects) -> list[tuple[str | None, str | None]]:
    """The objects whose GPU keys a patch, or one within a kustomization, changes."""
    role = role_of(one.place)
    if role.renamed:
        text = file_bytes(one.place).decode(errors="replace")
        words = dict.fromkeys(_WORD.findall(text))
        return [(kind, name) for name in words for kind in objects.get(name, ())]
    try:
        over = [base for each in _documents(one.place) for pod in role.pods(each) for base in pod.over]
    except NotYamlError:
        return []  # the translation says so
    found = dict.fromkeys(
        (base.base.object.kind, base.base.object.name)
        for base in over
        if registry.backends_of(base.part.keys)
    )
    return [(kind, name) for kind, name in found if kind in objects.get(name, ())]


def _are_decisions(one: TreeFile) -> bool:
    """Nothing but decisions is in a file."""
    found = [each for each in _documents(one.place) if each.root is not None]
    return bool(found) and all(map(is_decisions, found))


def _is_named_from_above(root: str) -> bool:
    """A kustomization above the source may name files of it."""
    top = repository(root)
    folders = (one for one in upwards(os.path.dirname(os.path.realpath(root))) if inside(one, top))
    return any(os.path.exists(os.path.join(one, name)) for one in folders for name in NAMES)


def options_key(settings: Settings, common: str) -> str:
    """What the results of all files of a target depend on: ``common`` is the text of its options, profile,
    decisions and configuration."""
    return sha256(json.dumps([__version__, _plugins(), settings.to.name, common]).encode())


def keys(tree: SourceTree, settings: Settings) -> dict[str, str]:
    """What the result of each file depends on beside that; no key where it is not known."""
    made: dict[str, str] = {}
    by_path = {one.path: one.digest for one in tree.files}
    every = bool(settings.to.device_classes)  # new templates of claims must not clash
    group = [(path, digest) for path, digest in by_path.items() if every or path in tree.together]
    of_group = sha256(json.dumps(group).encode())
    for one in tree.files:
        parts: list[object] = [one.digest]
        if one.is_translated:
            together = every or one.path in tree.together
            if together and not tree.known:
                continue
            shares = tree.shares.get(one.path, ())
            parts += [of_group if together else "", under_chart_templates(one.place, os.getcwd())]
            parts += [sha256(document.source.text.encode()) for document, _ in shares]
        made[one.path] = sha256(json.dumps(parts).encode())
    return made


def _plugins() -> list[str]:
    if not plugins.installed():
        return []
    from importlib.metadata import entry_points

    found = entry_points(group=plugins.GROUP)
    return sorted(f"{one.name} {one.value} {one.dist.version if one.dist else ''}" for one in found)


# --- the lock -------------------------------------------------------------------------------------------
Sha256 = Annotated[str, Keywords(pattern="^[0-9a-f]{64}$")]


@record
class PrintedFile(Printed):
    """One file."""

    source: str
    """The file of the source."""
    sha256: Sha256
    """SHA-256 of the file as it was written; of a link, of what it leads to."""
    before: Sometimes[Sha256]
    """SHA-256 of what it replaces; in the lock of a run that has not ended."""
    link: Sometimes[bool]
    """It is a symbolic link."""
    made: Sometimes[str]
    """Of all that its text alone depends on: with the same, it is not translated again."""


@record
class LockFile(Output):
    """What sync wrote into the folder: it changes and removes nothing else."""

    KIND: ClassVar[str] = "sync-lock"
    target: str
    """Name of the target."""
    source: str
    """Folder of the source, from that of the configuration."""
    options: Sometimes[str]
    """Of all that the texts of all files depend on, decisions among them."""
    files: Mapping[str, Locked]
    """The files by their paths from this folder."""


@record
class Locked(PrintedAs):
    """A file that sync wrote. ``made``: the key of what it was made from, None where that is not known.
    ``before``: the digest of what it replaces, in the lock of a run that has not ended."""

    source: str
    digest: str
    made: str | None = None
    link: bool = False
    before: str | None = None

    def printed(self) -> PrintedFile:
        return PrintedFile(
            self.source, self.digest, self.before or OMITTED, self.link or OMITTED, self.made or OMITTED
        )

    def wrote(self, there: tuple[str, bool] | None) -> bool:
        """What is there is of sync: the file as it is listed, or what that replaces."""
        return there == (self.digest, self.link) or (there is not None and there[0] == self.before)


@record
class SyncLock:
    """What sync wrote into a folder. ``options``: the ``options_key`` with which it was made."""

    files: Mapping[str, Locked] = field(default_factory=dict)
    options: str | None = None


def _is_path(name: str) -> bool:
    """A file may have the name."""
    try:
        return "\0" not in name and len(os.fsencode(name)) < _PATH
    except UnicodeEncodeError:
        return False


def read_lock(folder: str) -> SyncLock:
    """What sync wrote into a folder; nothing without a lock. Raises SyncError."""
    path = os.path.join(folder, LOCK)
    hint = msg("take it from the repository, or remove it and run gpuxlate sync --overwrite")
    if not os.path.lexists(path):
        return SyncLock()
    if os.path.islink(path):
        raise SyncError(msg("{path}: it is a link", path=path), hint)
    try:
        data = json.loads(content(path, limits.MAX_TEXT))
    except OSError as error:
        raise SyncError(msg("{path}: {error}", path=path, error=reason(error)), hint) from None
    except (ValueError, RecursionError):
        raise SyncError(msg("{path}: invalid JSON: cut, or merged with conflicts", path=path), hint) from None
    version = data.get("format") if isinstance(data, dict) else None
    if version != LockFile.format_name():
        text = "{path}: its format is not {format}"
        raise SyncError(msg(text, path=path, format=LockFile.format_name()), hint)
    files = data.get("files")
    found: dict[str, Locked] = {}
    for name, one in files.items() if isinstance(files, dict) else [("", None)]:
        entry = one if isinstance(one, dict) else {}
        source, digest, made, before = (entry.get(key) for key in ("source", "sha256", "made", "before"))
        is_entry = isinstance(source, str) and all(
            isinstance(one, str) and _DIGEST.fullmatch(one)
            for one in (digest, *([] if before is None else [before]))
        )
        if not is_entry or name == LOCK or not _is_path(name):
            shown = limits.cut(name, limits.MAX_NAME)
            raise SyncError(msg("{path}: the entry {name!r} is not one of sync", path=path, name=shown), hint)
        tidy = posixpath.normpath(name)
        if name != tidy or posixpath.isabs(name) or tidy.split("/")[0] in ("..", "."):
            raise SyncError(msg("{path}: {name!r} leads out of the folder", path=path, name=name), hint)
        known = made if isinstance(made, str) else None
        found[name] = Locked(str(source), str(digest), known, entry.get("link") is True, before)
    options = data.get("options")
    return SyncLock(found, options if isinstance(options, str) else None)


def lock_text(target: str, source: str, options: str, files: Mapping[str, Locked]) -> bytes:
    """The lock of a target's folder: the same bytes for the same tree."""
    data = LockFile(target, source, options, {path: files[path] for path in sorted(files)}).to_json()
    return (json.dumps(data, indent=1, ensure_ascii=True) + "\n").encode()


# --- what a target's folder is to hold --------------------------------------------------------------------
@record
class WantedFile:
    """A file as it is to be. ``data`` None: as it is, since nothing changed that it depends on.

    ``steps``: what made it of its source: the translation, the documents left out, the shares put on it.
    """

    source: TreeFile
    data: bytes | None
    steps: Sequence[Sequence[Splice]] = ((), (), ())

    @property
    def digest(self) -> str:
        return sha256(self.data) if self.data is not None else ""

    @property
    def there(self) -> tuple[str, bool]:
        """What ``on_disk`` says of the same."""
        return self.digest, self.source.link is not None


def settings_of(
    target: SyncTarget, from_: Backend | None, profile: Profile | None, decisions: Decisions | None
) -> Settings:
    """What the configuration says of one target of a tree, whose source is in one dialect (``from_``).

    Raises AcceptError, UnknownTargetError, ReadOnlyTargetError.
    """
    given = target.options
    return Settings(
        registry.writable(target.name),
        from_,
        acceptance(given.get("round"), given.get("fill"), given.get("drop", ())),
        profile,
        allow_leftovers=given.get("allow-leftovers", False),
        decisions=decisions,
    )


Answer = TypeVar("Answer")
Watched = Callable[[Sequence[Any]], Iterable[Any]]
"""Gives back what is gone through, for somebody to see how far it is."""


def _above(path: str) -> list[str]:
    """The folders of a path from the top down, without the one that it counts from."""
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]


def _of_folders(
    path: str, known: dict[str, Answer | None], ask: Callable[[str], Answer | None]
) -> Answer | None:
    """The answer for the highest folder of a path that has one; each folder is asked once.

    ``known``: the answers so far, with that for the folder from which paths count.
    """
    missing = []
    folder = posixpath.dirname(path)
    while folder not in known:
        missing.append(folder)
        folder = posixpath.dirname(folder)
    answer = known[folder]
    for folder in reversed(missing):
        answer = known[folder] = ask(folder) if answer is None else answer
    return answer


def _make_folders(folder: str) -> None:
    """Those that are missing, however deep: os.makedirs calls itself for each. Raises OSError."""
    missing = []
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for place in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(place)


def _is_repository(folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, ".git"))


def _is_folder(place: str) -> bool:
    return os.path.isdir(place) and not os.path.islink(place)


@dataclass
class TargetTree:
    """One target of a source: its folder, what is in it, and what is to be done.

    ``source``: that of its lock. ``anew``: every file is translated again, whether or not something changed.
    ``conflicts``: what ``overwrite`` takes away, ``blocked``: what it does not. ``owns``: the lock lists
    what it is to list.
    """

    name: str
    folder: str
    source: str
    settings: Settings
    lock: SyncLock
    anew: bool = False
    options: str = ""
    keys: dict[str, str] = field(default_factory=dict)
    result: Result = field(default_factory=Result)
    wanted: dict[str, WantedFile] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    by_hand: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    blocked: dict[str, None] = field(default_factory=dict)
    owns: bool = True
    refused: bool = False
    seen: dict[str, tuple[str, bool] | None] = field(default_factory=dict)
    _elsewhere: dict[str, bool | None] = field(default_factory=lambda: {"": None})
    _barred: dict[str, str | None] = field(default_factory=dict)

    def stale(self, files: Iterable[TreeFile]) -> list[TreeFile]:
        """The files whose result is not in the folder."""
        anew = self.anew or self.lock.options != self.options
        return [one for one in files if anew or not self._in_step(one)]

    def _in_step(self, one: TreeFile) -> bool:
        locked, key = self.lock.files.get(one.path), self.keys.get(one.path)
        if locked is None or key is None or locked.made != key:
            return False
        there = self.on_disk(one.path)
        return there == (locked.digest, locked.link) and (locked.link or self._has_mode(one.path, one))

    def place(self, path: str) -> str:
        return os.path.join(self.folder, path)

    def on_disk(self, path: str) -> tuple[str, bool] | None:
        """The digest of what is there, and whether it is a link; None where nothing is. A folder has none.

        What is behind a link or in another repository is not there.
        """
        if path not in self.seen:
            is_elsewhere = _of_folders(path, self._elsewhere, self._leads_elsewhere)
            self.seen[path] = None if is_elsewhere else self._on_disk(self.place(path))
        return self.seen[path]

    def _leads_elsewhere(self, folder: str) -> bool | None:
        place = self.place(folder)
        return os.path.islink(place) or _is_repository(place) or None

    @staticmethod
    def _on_disk(place: str) -> tuple[str, bool] | None:
        if os.path.islink(place):
            return sha256(os.fsencode(os.readlink(place))), True
        try:
            return sha256(content(place, limits.MAX_TEXT)), False
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return "", False

    def compare(self, *, overwrite: bool) -> None:
        """Say what is to be written and removed, or what stands in the way."""
        self._compare_gone(overwrite=overwrite)
        for path, one in self.wanted.items():
            locked = self.lock.files.get(path)
            blocked = self._blocked(path)
            there = None if blocked is not None else self.on_disk(path)
            if blocked is not None:
                self.blocked[blocked] = None
            elif one.data is None or (there == one.there and self._has_mode(path, one.source)):
                self.unchanged.append(path)
            elif _is_folder(self.place(path)):
                if self._goes(path):
                    self.written.append(path)
                else:
                    self.blocked[
                        msg("{place} is a folder, and a file has to go there", place=self.place(path))
                    ] = None
            elif there is None or overwrite:
                self.written.append(path)
            elif there == one.there:
                self.written.append(path)  # the mode alone
            elif locked is None:
                message = msg(
                    "{place} is not of sync, and {source} has to go there",
                    place=self.place(path),
                    source=one.source.place,
                )
                self.conflicts.append(message)
            elif not locked.wrote(there):
                self.by_hand.append(path)
            else:
                self.written.append(path)
        is_now = {path: replace(one, made=None) for path, one in self.lock.files.items()}
        self.owns = is_now == {path: replace(one, made=None) for path, one in self._locked().items()}

    def _goes(self, path: str) -> bool:
        """It is a folder of which nothing stays: no file but those that go, and no folder without one."""
        place = self.place(path)
        if not _is_folder(place):
            return False
        removed = set(self.removed)
        emptied = {over for one in self.lock.files for over in _above(one)}
        for top, folders, names in os.walk(place):
            here = os.path.relpath(top, self.folder)
            links = {name for name in folders if os.path.islink(os.path.join(top, name))}
            if (
                here not in emptied
                or not {posixpath.join(here, name) for name in (*names, *links)} <= removed
            ):
                return False
        return True

    def _compare_gone(self, *, overwrite: bool) -> None:
        for path, locked in self.lock.files.items():
            if path in self.wanted or self._blocked(path) is not None:
                continue
            there = self.on_disk(path)
            if there is None or _is_folder(self.place(path)):
                continue  # a folder in its place: the file is gone
            if locked.wrote(there) or overwrite:
                self.removed.append(path)
            else:
                self.by_hand.append(path)

    def _has_mode(self, path: str, one: TreeFile) -> bool:
        return one.link is not None or os.stat(self.place(path)).st_mode & 0o111 == one.mode & 0o111

    def _blocked(self, path: str) -> str | None:
        """Why nothing can be written at a path, whatever is there: a link or a file stands above it."""
        if not self._barred:
            self._barred[""] = self._bars("")
        barred = _of_folders(path, self._barred, self._bars)
        if barred is not None:
            return barred
        place = self.place(path)
        is_known = os.path.islink(place) or os.path.isfile(place) or os.path.isdir(place)
        if os.path.lexists(place) and not is_known:
            return msg("{place} is not a regular file", place=place)
        return None

    def _bars(self, folder: str) -> str | None:
        """Why nothing can be written into a folder."""
        place = self.place(folder) if folder else self.folder
        if os.path.islink(place) and not self._removes(folder):
            return msg("{link} is a link: nothing is written through it", link=place)
        if os.path.lexists(place) and not os.path.isdir(place) and folder not in self.lock.files:
            return msg("{place} is a file, and a folder has to go there", place=place)
        if folder and _is_repository(place):
            return msg("{place} is a repository of its own: nothing is written into it", place=place)
        return None

    def _removes(self, link: str) -> bool:
        """A link of the last run, as that left it, whose source is a folder now."""
        locked = self.lock.files.get(link)
        return locked is not None and link not in self.wanted and locked.wrote(self.on_disk(link))

    @property
    def stays(self) -> bool:
        """Nothing of it is written."""
        return self.refused or bool(self.blocked or self.conflicts or self.by_hand)

    @property
    def in_step(self) -> bool:
        return self.owns and not (self.written or self.removed or self.stays)

    # -- reading and writing -------------------------------------------------------------------------------
    def made(self, path: str) -> str:
        """The text that a file is to have; none where it goes."""
        one = self.wanted.get(path)
        return (one.data or b"").decode(errors="replace") if one else ""

    def there(self, path: str) -> str:
        """The text that a file has."""
        place = self.place(path)
        if os.path.islink(place):
            return os.readlink(place)
        return content(place).decode(errors="replace") if os.path.isfile(place) else ""

    def write(self, watched: Watched = iter) -> None:
        """The lock of what is about to be written, every file old or new, then the lock of what there is:
        whenever the run is killed, the next one knows the files of both. Raises OSError."""
        if self.written or self.removed:
            self._write_lock(self._locked() | self._replaced())
        for path in self.removed:
            self._remove(path)
        for path in watched(self.written):
            self._write(self.place(path), self.wanted[path])
        self._write_lock(self._locked())

    def _write_lock(self, files: Mapping[str, Locked]) -> None:
        place = self.place(LOCK)
        if files or os.path.lexists(place):
            lock = lock_text(self.name, self.source, self.options, files)
            _make_folders(self.folder)
            if not os.path.isfile(place) or content(place) != lock:
                write_atomically(Path(place), lock)

    def _replaced(self) -> dict[str, Locked]:
        """The entries of files that are about to change or to go, with what is there now."""
        locked = self._locked()
        found: dict[str, Locked] = {}
        for path in (*self.written, *self.removed):
            there = self.on_disk(path)
            one = locked.get(path) or self.lock.files[path]
            found[path] = replace(one, before=there[0] if there and there[0] else None)
        return found

    def _write(self, place: str, one: WantedFile) -> None:
        assert one.data is not None
        _make_folders(os.path.dirname(place))
        if _is_folder(place):
            for folder, _, _ in os.walk(place, topdown=False):
                os.rmdir(folder)  # what was in it has been removed
        if one.source.link is not None:
            link_atomically(Path(place), one.source.link)
            return
        if os.path.islink(place):
            os.unlink(place)
        has_mode = os.path.isfile(place) and self._has_mode(one.source.path, one.source)
        if not os.path.isfile(place) or content(place) != one.data:
            mode = None if has_mode else one.source.mode
            write_atomically(Path(place), one.data, mode=mode, read_only=True)
        elif not has_mode:
            os.chmod(place, one.source.mode)

    def _remove(self, path: str) -> None:
        """A file, and the folders that it leaves empty."""
        os.unlink(self.place(path))
        parent = posixpath.dirname(path)
        while parent and not os.listdir(self.place(parent)):
            os.rmdir(self.place(parent))
            parent = posixpath.dirname(parent)

    def _locked(self) -> dict[str, Locked]:
        """The entries of the lock as it is to be."""
        found: dict[str, Locked] = {}
        for path, one in self.wanted.items():
            is_link = one.source.link is not None
            digest = self.lock.files[path].digest if one.data is None else one.digest
            source = posixpath.join(self.source, one.source.path)
            found[path] = Locked(source, digest, self.keys.get(path), is_link)
        return found


Each = Callable[[Sequence[Input], Sequence[Settings]], list[Result]]
"""Translates files for several targets, each read once."""


def fill(tree: SourceTree, targets: Sequence[TargetTree], each: Each, watched: Watched = iter) -> None:
    """Make what the folders of the targets are to hold, or the findings that refuse it."""
    stale = {one.path for target in targets for one in target.stale(tree.files)}
    if any(target.settings.to.device_classes for target in targets) and stale:
        stale |= {one.path for one in tree.files}
    elif stale & tree.together:
        stale |= tree.together
    active = [one for one in targets if stale]
    given = [one for one in tree.files if one.path in stale and one.is_translated]
    readable, broken = _readable(given)
    inputs = [Input(one.place, one.place, named=False) for one in readable]
    runs = each(inputs, [one.settings for one in active]) if inputs else [Result() for _ in active]
    by_place = {one.place: one for one in readable}
    for file in runs[0].files if runs else ():
        by_place[file.name].check(file.old)
    for target, run in zip(active, runs, strict=True):
        target.result = run
        run.diagnostics += broken
    for target in targets:
        target.result.diagnostics += tree.problems
        target.result.sources += tree.sources
        made = {one.name: one for one in target.result.files}
        errors = {one.file for one in target.result.diagnostics if one.severity is Severity.ERROR}
        for one in watched(tree.files):
            if one.place not in errors:
                _want(tree, target, one, made.get(one.place), stale=one.path in stale)
        target.refused = any(one.severity is Severity.ERROR for one in target.result.diagnostics)


def _readable(given: Sequence[TreeFile]) -> tuple[list[TreeFile], list[Diagnostic]]:
    """Those that are UTF-8, and an error for each other one that may hold a key."""
    found: list[TreeFile] = []
    broken: list[Diagnostic] = []
    for one in given:
        data = one.check(file_bytes(one.place))
        try:
            Source.from_bytes(one.place, data)
        except DecodeError as error:
            if might_have_gpu_keys(data):
                broken.append(
                    Diagnostic("GX001", Severity.ERROR, str(error), "save it as UTF-8", file=one.place)
                )
            continue
        found.append(one)
    return found, broken


def _want(tree: SourceTree, target: TargetTree, one: TreeFile, made: File | None, *, stale: bool) -> None:
    if not stale:
        if one.path in target.lock.files:
            target.wanted[one.path] = WantedFile(one, None)
        return
    if one.link is not None:
        target.wanted[one.path] = WantedFile(one, os.fsencode(one.link))
        return
    data = one.check(file_bytes(one.place)) if made is None else made.new
    wanted = WantedFile(one, data, (made.splices if made else (), (), ()))
    asked = tree.shares.get(one.path, ())
    if asked or (one.is_translated and KIND.encode() in data):
        with_shares = _with_shares(target, wanted, data, asked)
        if with_shares is None:
            return
        wanted = with_shares
    target.wanted[one.path] = wanted


def _with_shares(
    target: TargetTree, wanted: WantedFile, data: bytes, asked: Sequence[tuple[Document, ShareDocument]]
) -> WantedFile | None:
    """A translated file with the shares that are for it, and without GPUShare documents; None where nothing
    is left of it."""
    source = Source.from_bytes(wanted.source.place, data)
    try:
        found = [each for each in documents(source) if each.root is not None]
    except NotYamlError:
        return wanted
    gone = [each for each in found if is_share_document(each)]
    if gone and len(gone) == len(found) and not asked:
        return None
    translated, left_out = wanted.steps[0], [Splice(each.start, each.end, "") for each in gone]
    written: Sequence[Splice] = ()
    if gone:
        source = source.changed(applied(source, [], left_out, len(found)))
    if asked:
        requests = [
            RenderRequest(share, document, share.workload.container if share.workload else None)
            for document, share in asked
        ]
        made = render_on(source, requests, target.settings)
        target.result.items += made.items
        target.result.diagnostics += made.diagnostics
        target.result.judged += made.judged
        target.result.sources.append(source)
        source, written = source.changed(made.text), made.splices
    return WantedFile(wanted.source, source.encode(source.text), (translated, left_out, written))


# --- the way back -----------------------------------------------------------------------------------------
def changed_lines(made: str, there: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """The lines of a made text that somebody changed: the number from 1, the old and the new ones."""
    from gpuxlate.model.windows import differences

    old, new = LINE_BREAK.split(made), LINE_BREAK.split(there)
    for tag, a, end_a, b, end_b in differences(old, new):
        if tag != "equal":
            yield min(a + 1, len(old)), old[a:end_a], new[b:end_b]
