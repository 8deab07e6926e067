"""Jobs in a document: parameters and values of forms, which are in no pod.

A job is a pod with one pseudo container, whose limits are its parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os.path import basename, splitext
from typing import NamedTuple

from gpuxlate.manifest.kinds import (
    Steps,
)
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import METADATA, SCHEDULING_FIELDS, Pod, values
from gpuxlate.model.diagnostics import ObjectRef, Path
from gpuxlate.model.pod import (
    ContainerKeys,
    PodKeys,
)
from gpuxlate.yamltext.nodes import (
    Mapping,
    get,
)
from gpuxlate.yamltext.parse import Document

JOB_CONTAINER = "job"
"""The name of the pseudo container."""


class JobRow(NamedTuple):
    """Where some kinds hold the parameters of a job.

    ``parameters``: the mapping, from the object. ``target``: the name of the target that reads them.
    ``mark``: the beginning of a key without which the mapping is of no job of the target.
    """

    kinds: tuple[str | None, ...]
    parameters: Steps
    target: str
    mark: str


class Job(NamedTuple):
    """One job: the name of the target that reads it, and its parameters as a pod."""

    target: str
    pod: Pod


def jobs_in(document: Document, rows: Iterable[JobRow]) -> Iterator[Job]:
    """Every job of a document: the document itself, or a mapping where a row says."""
    if document.job is not None:
        if isinstance(document.root, Mapping):
            yield Job(document.job, _pod(document.root, (), _named_by_file(document), ()))
        return
    job_rows = tuple(rows)
    for ref, path, node in objects_in(document) if job_rows else ():
        for row in job_rows:
            if ref.kind not in row.kinds:
                continue
            parameters = get(node, *row.parameters) if row.parameters else node
            if isinstance(parameters, Mapping):
                named = ref if ref.kind else _named_by_file(document)
                pod = _pod(parameters, (*path, *row.parameters), named, path)
                if any(key.startswith(row.mark) for key in pod.keys.containers[0].limits):
                    yield Job(row.target, pod)


def _named_by_file(document: Document) -> ObjectRef:
    """A file that is not a Kubernetes object is named by its file name."""
    name, _ = splitext(basename(document.source.name))
    return ObjectRef(name=name.strip("<>"))


def _pod(node: Mapping, path: Path, ref: ObjectRef, object_path: Path) -> Pod:
    job = ContainerKeys(JOB_CONTAINER, limits=values(node, path), path=path)
    keys = PodKeys(containers=(job,), path=path, metadata_path=path)
    return Pod(keys, ref, object_path, METADATA | SCHEDULING_FIELDS)
