"""The result of a translation or a reading: the items, the findings, and the new bytes of each file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from gpuxlate.files.find import InputError
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.shares import refuses
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice

if TYPE_CHECKING:
    from gpuxlate.claims.templates import NamedTemplate
    from gpuxlate.translation.decisions import JudgedObject
    from gpuxlate.translation.quotas.items import QuotaItem
from gpuxlate.translation.items import Item


@record
class File:
    """A file of a run, or a text that is not a file: its old and new bytes.

    ``copy``: the bytes for stdout or another folder, where these are not the whole file. ``splices``: the
    changes from the old text to the new one.
    """

    name: str
    is_file: bool
    old: bytes
    new: bytes
    copy: bytes | None = None
    splices: Sequence[Splice] = ()

    @property
    def elsewhere(self) -> bytes:
        """The bytes of the file on stdout or in another folder; empty where nothing of it goes there."""
        return self.new if self.copy is None else self.copy

    @property
    def changed(self) -> bool:
        """Whether the new bytes differ from the old ones."""
        return self.new != self.old


def stream(files: Sequence[File]) -> Iterator[bytes]:
    """All new texts as one stream."""
    files = [file for file in files if file.copy != b""]
    for n, file in enumerate(files):
        new = file.elsewhere
        if n and new and not new.startswith(b"---"):
            yield b"---\n"
        yield new
        if len(files) > 1 and not new.endswith(b"\n"):
            yield b"\n"


@dataclass(slots=True)
class Result:
    """The result of a pod, a document, a file or a run; ``+=`` joins results.

    ``text``: the new text of one source, or the old one where something was refused; ``splices``: the changes
    from the old text. ``copy``: the text for a copy of the source, where documents are left out of it.
    ``files``: the files of a run.
    ``new_template_names``: the new templates of claims. ``sources``: the texts that findings are in.
    ``share_documents``: the number of GPUShare documents in folders, which are left out.
    ``pods_already_at_target``: the number of pods that have keys of the target alone.
    ``judged``: the losses by object, where there are decisions. ``unreadable``: the files of a run that could
    not be read; the other fields are the result of the others.
    """

    items: list[Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)
    quotas: list[QuotaItem] = field(default_factory=list)
    new_template_names: list[NamedTemplate] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    judged: list[JudgedObject] = field(default_factory=list)
    text: str = ""
    splices: list[Splice] = field(default_factory=list)
    copy: str | None = None
    changed: bool = False
    share_documents: int = 0
    pods_already_at_target: int = 0
    unreadable: list[InputError] = field(default_factory=list)

    def __iadd__(self, more: Result) -> Self:
        self.items += more.items
        self.diagnostics += more.diagnostics
        self.leftovers += more.leftovers
        self.quotas += more.quotas
        self.new_template_names += more.new_template_names
        self.files += more.files
        self.sources += more.sources
        self.judged += more.judged
        self.splices += more.splices
        self.changed |= more.changed
        self.share_documents += more.share_documents
        self.pods_already_at_target += more.pods_already_at_target
        self.unreadable += more.unreadable
        return self

    @property
    def refused(self) -> bool:
        """Whether a file could not be read, or any finding is an error."""
        return bool(self.unreadable) or refuses(self.diagnostics)
