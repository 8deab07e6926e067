"""What the queues of Kueue in a file cover, and what the jobs in it request (K8S013).

The objects are in several documents, so they are collected, and compared at the end of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from gpuxlate.manifest.kinds import CLUSTER_QUEUE, QUEUE_LABEL
from gpuxlate.manifest.pods import Pod
from gpuxlate.manifest.quotas import quotas_in
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.rules.documents import queue_covers_the_resource
from gpuxlate.rules.key_index import KeyIndex
from gpuxlate.yamltext.parse import Document, with_location


class QueuedContainer(NamedTuple):
    """The resources of a container whose pod waits in a queue, and the findings about those of GPUs."""

    names: frozenset[str]
    findings: dict[str, Diagnostic]


@dataclass(slots=True)
class Queues:
    """What the queues of some documents cover, and the containers that wait in queues."""

    covered: set[str] = field(default_factory=set)
    containers: list[QueuedContainer] = field(default_factory=list)

    def __iadd__(self, more: Self) -> Self:
        self.covered |= more.covered
        self.containers += more.containers
        return self

    def add(self, document: Document, pods: Iterable[Pod], index: KeyIndex) -> None:
        """Add the queues and the waiting containers of a document."""
        self.covered.update(
            quota.resource
            for quota in (quotas_in(document) if document.holds(CLUSTER_QUEUE) else ())
            if quota.object.kind == CLUSTER_QUEUE
        )
        for pod in pods:
            if QUEUE_LABEL in pod.keys.owner_labels or QUEUE_LABEL in pod.keys.labels:
                self.containers += _containers(document, pod, index)

    def uncovered(self) -> Iterator[Diagnostic]:
        """The findings about resources that no queue covers, where one covers others of the container."""
        for container in self.containers:
            if not self.covered.isdisjoint(container.names):
                for name, finding in container.findings.items():
                    if not any(_counts(covered, name) for covered in self.covered):
                        yield finding


def _counts(covered: str, name: str) -> bool:
    """The ``covered`` resource of a queue counts the resource ``name``.

    It is the same, or its name has a word before that one, as a total that Kueue makes of it
    (``resources.transformations``).
    """
    domain, slash, rest = name.partition("/")
    return covered == name or (covered.startswith(domain + slash) and covered.endswith(f"-{rest}"))


def _containers(document: Document, pod: Pod, index: KeyIndex) -> Iterator[QueuedContainer]:
    for container in pod.keys.all_containers():
        findings: dict[str, Diagnostic] = {}
        for name, value in container.resources.items():
            if (index.is_resource(name) or index.counts_whole_cards(name)) and quantity.parse_integer(
                value.text
            ) != 0:
                written = str(value.path[-1])
                finding = queue_covers_the_resource(value.path, written)
                findings[written] = with_location(document, finding, pod.object)
        if findings:
            yield QueuedContainer(frozenset((*container.resources, *findings)), findings)
