"""The claims of all files of a run, as the pods of each file find them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from gpuxlate.files.find import Input, InputError, under_chart_templates
from gpuxlate.manifest.claims import may_name_claims
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.messages import msg
from gpuxlate.overlays.roles import FileKind, FileRole, role_of
from gpuxlate.yamltext.parse import Document
from gpuxlate.yamltext.source import Source

if TYPE_CHECKING:
    from gpuxlate.claims.index import ClaimIndex, ClaimText

_IN_TEMPLATE = msg("a Helm template, which is not translated")
_IN_VALUES = msg("the values of a chart")


@dataclass(eq=False)
class RunFiles:
    """The claims in all files of a run. They are read for the first pod with claims, or the first new
    template."""

    files: tuple[Input, ...]

    @cached_property
    def names(self) -> Set[str]:
        """The names of the files."""
        return {file.name for file in self.files if file.path is not None}

    @cached_property
    def texts(self) -> tuple[ClaimText, ...]:
        """The claims of each file."""
        return tuple(_read(self.files))

    @cached_property
    def index(self) -> ClaimIndex:
        """The index of the claims of all files."""
        from gpuxlate.claims.index import ClaimIndex

        return ClaimIndex(self.texts)


class Claims:
    """The claims of all files of a run."""

    def __init__(self, files: Iterable[Input] = ()) -> None:
        """``files``: the inputs of the run. An iterator of inputs, as for stdin and live objects, can be read
        only once and is ignored: each of its texts finds its own claims only."""
        self._files = RunFiles(tuple(files) if isinstance(files, Sequence) else ())
        self._last: ClaimLookup | None = None

    def beside(self, source: Source) -> ClaimLookup:
        """The claims as the pods of a source find them; one object for all documents of the source."""
        last = self._last
        if last is None or last.source is not source:
            last = self._last = ClaimLookup(source, self._files)
        return last


def _read(files: Iterable[Input]) -> Iterator[ClaimText]:
    from gpuxlate.claims.index import ClaimText, Unread, claim_text_of

    for file in files:
        if file.path is None:
            continue
        try:
            role = role_of(file.path)
            data, manifests = role.read(file)
            source = file.source(data) if may_name_claims(data) else None
        except InputError:
            continue  # reading it for its pods reports it
        if source is None:
            continue
        in_chart = under_chart_templates(file.path, os.getcwd())
        if in_chart or role.kind is FileKind.VALUES:
            where = _IN_TEMPLATE if in_chart else _IN_VALUES
            yield ClaimText(file.name, unread=(Unread(file.name, source.text, where),))
        else:
            claim_source = source.read_where(
                lambda part: may_name_claims(part.encode("utf-8", "surrogatepass"))
            )
            patches = partial(_patch_texts, role)
            yield claim_text_of(
                claim_source, manifests, is_patch=role.kind is FileKind.PATCH, patches_in=patches
            )


def _patch_texts(role: FileRole, document: Document) -> Iterator[tuple[Path, Source]]:
    for patch, _ in role.inline(document) if role.inline else ():
        yield patch.path, patch.source


@dataclass(eq=False)
class ClaimLookup:
    """The claims of a run as the pods of one source find them."""

    source: Source
    files: RunFiles

    @property
    def file(self) -> str:
        """The name of the file of the source."""
        return self.source.name

    @cached_property
    def index(self) -> ClaimIndex:
        """The index of all files of the run, and of the source where it is none of these."""
        if self.file in self.files.names:
            return self.files.index
        from gpuxlate.claims.index import ClaimIndex, claim_text_of

        return ClaimIndex((claim_text_of(self.source), *self.files.texts))

    def resolve(self, pod: Pod) -> Pod:
        """The pod with the devices that its claims request."""
        return self.index.resolved(pod, self.file) if pod.keys.claims else pod
