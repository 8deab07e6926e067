"""The claims of all files of a run, as the pods of each file find them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from gpuxlate.inputs.claims import ClaimIndex, ClaimText, Unread, text_of
from gpuxlate.inputs.files import Input, InputError, under_chart_templates
from gpuxlate.manifest.claims import may_name_claims
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.messages import say
from gpuxlate.overlays.roles import FileKind, role_of
from gpuxlate.yamltext.source import Source

_IN_TEMPLATE = say("a Helm template, which is not translated")
_IN_VALUES = say("the values of a chart")


@dataclass(eq=False)
class _Files:
    """What all files of a run have, read when the first pod with claims comes, or a new template."""

    files: tuple[Input, ...]

    @cached_property
    def names(self) -> Set[str]:
        return {one.name for one in self.files if one.path is not None}

    @cached_property
    def texts(self) -> tuple[ClaimText, ...]:
        return tuple(_read(self.files))

    @cached_property
    def index(self) -> ClaimIndex:
        return ClaimIndex(self.texts)


class Claims:
    """The claims of all files of a run."""

    def __init__(self, given: Iterable[Input] = ()) -> None:
        """Those of files. Stdin and live objects can be read only once: they know their own claims."""
        self._files = _Files(tuple(given) if isinstance(given, Sequence) else ())
        self._last: ClaimLookup | None = None

    def beside(self, source: Source) -> ClaimLookup:
        """The claims as the pods of a source find them; one object for all documents of the source."""
        last = self._last
        if last is None or last.source is not source:
            last = self._last = ClaimLookup(source, self._files)
        return last


def _read(files: Iterable[Input]) -> Iterator[ClaimText]:
    for one in files:
        if one.path is None:
            continue
        try:
            role = role_of(one.path)
            data, manifests = role.read(one)
            source = one.source(data) if may_name_claims(data) else None
        except InputError:
            continue  # reading it for its pods reports it
        if source is None:
            continue
        in_chart = under_chart_templates(one.path, os.getcwd())
        if in_chart or role.kind is FileKind.VALUES:
            where = _IN_TEMPLATE if in_chart else _IN_VALUES
            yield ClaimText(one.name, unread=(Unread(one.name, source.text, where),))
        else:
            yield text_of(source, manifests, is_patch=role.kind is FileKind.PATCH)


@dataclass(eq=False)
class ClaimLookup:
    """The claims of a run as the pods of one source find them."""

    source: Source
    files: _Files

    @property
    def file(self) -> str:
        return self.source.name

    @cached_property
    def index(self) -> ClaimIndex:
        if self.file in self.files.names:
            return self.files.index
        return ClaimIndex((text_of(self.source), *self.files.texts))

    def resolve(self, pod: Pod) -> Pod:
        """A pod with what its claims request."""
        return self.index.resolved(pod, self.file) if pod.keys.claims else pod
