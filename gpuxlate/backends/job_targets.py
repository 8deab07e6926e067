"""Finds parameters of jobs and values of forms: in files that a target reads, and in objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from gpuxlate.backends import registry

if TYPE_CHECKING:
    from gpuxlate.backends.base import Backend
    from gpuxlate.backends.job_parameters import JobBackend
    from gpuxlate.manifest.jobs import JobRow
    from gpuxlate.yamltext.parse import Document, DocumentReader
    from gpuxlate.yamltext.source import Source


def file_suffixes(target: str | None = None) -> tuple[str, ...]:
    """The suffixes of files with parameters: of one target, or of all."""
    return tuple({suffix: None for backend in _named(target) for suffix in backend.suffixes})


def reader_of(source: Source, target: str | None = None) -> DocumentReader | None:
    """The function that reads a text that a user named; None where the text has no parameters.

    ``target``: the one that the user named for it; else a target must read files of the suffix.
    """
    readers = (
        backend.reader(source, chosen=target is not None)
        for backend in _named(target)
        if target is not None or source.name.endswith(backend.suffixes)
    )
    return next((reader for reader in readers if reader is not None), None)


def rows_of(document: Document) -> Iterator[JobRow]:
    """The rows that say where objects of a document may have parameters. Loads only backends whose mark the
    document may have."""
    for row in registry.BUILT_IN:
        if row.mark and document.may_hold(row.mark):
            yield from _rows([registry.load(row)])
    yield from _rows(registry.plugin_backends())


def _named(target: str | None) -> Iterator[JobBackend]:
    """The target that the user named, if it writes no pods, or all that write none."""
    return _of_jobs(registry.job_backends() if target is None else [registry.get(target)])


def _rows(backends: Iterable[Backend]) -> Iterator[JobRow]:
    return (row for backend in _of_jobs(backends) for row in backend.job_rows)


def _of_jobs(backends: Iterable[Backend]) -> Iterator[JobBackend]:
    others = [backend for backend in backends if not backend.writes_pods]
    if others:
        from gpuxlate.backends.job_parameters import JobBackend

        yield from (backend for backend in others if isinstance(backend, JobBackend))
