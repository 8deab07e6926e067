"""The quotas of a document, read, and translated number by number from the dialects that are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.quotas import Quota, quotas_in
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Edit, Path, Put, Rename
from gpuxlate.model.pod import ContainerKeys, PodKeys, ScalarKind, Value
from gpuxlate.rules.key_index import key_index_of
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.notes import common_keys, left_alone
from gpuxlate.translation.options import Settings
from gpuxlate.translation.quotas.findings import leftovers_of, remarks_on
from gpuxlate.translation.quotas.items import QuotaItem, QuotaVerdict
from gpuxlate.translation.quotas.resources import (
    QuotaNumber,
    QuotaResource,
    fit_to_target,
    leave_together,
    read_resources,
    written_at_target,
)
from gpuxlate.translation.shares import dialects_of
from gpuxlate.yamltext.nodes import Scalar, get
from gpuxlate.yamltext.parse import Document, locate, with_location


@dataclass(slots=True)
class Quotas:
    """The result for the quotas of a document. ``settled``: the paths of names that need no other finding."""

    items: list[QuotaItem] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)
    settled: set[Path] = field(default_factory=set)

    def add(self, document: Document, resource: QuotaResource, settings: Settings) -> None:
        """Add the amounts of a resource, whose names then need no other finding."""
        self.settled |= {*resource.quota.names}
        self.items += _items(document, resource, settings)

    def leave_alone(
        self, document: Document, quotas: Sequence[Quota], sources: Sequence[Backend], settings: Settings
    ) -> None:
        """Report whole cards that no dialect reads; accelerators that are not read are leftovers."""
        words, names = (
            key_index_of(settings.context),
            {path: quota for quota in quotas for path in quota.names},
        )
        for key, path in common_keys(keys_of(quotas, settings.renamed), sources, words).items():
            quota = names[path]
            alone = with_location(document, left_alone(path, key, quota.resource, words), quota.object)
            if words.unread(key) is None:
                self.diagnostics.append(alone)
            else:
                self.settled |= {
                    at for other in quotas if other.resource == quota.resource for at in other.names
                }
                self.leftovers.append(Leftover(key, alone))


def find_quotas(document: Document, settings: Settings, *, writes: bool) -> Quotas:
    """The amounts of quotas in a document, and those that nothing can read.

    ``writes``: also the edits that write them in the dialect of the target, and the leftovers. A resource
    changes as a whole, or not at all.
    """
    result = Quotas()
    for quotas, sources in _objects(document, settings):
        result.leave_alone(document, quotas, sources, settings)
        result.settled.update(path for quota in quotas if _stays(quota, settings) for path in quota.names)
        read = list(read_resources(quotas, sources, settings))
        remarks: list[Diagnostic] = []
        for resource in leave_together(fit_to_target(read, settings) if writes else read):
            result.add(document, resource, settings)
            if resource.refused or not resource.accepted:
                result.leftovers += leftovers_of(document, resource, settings)
            elif writes:
                result.edits += _edits(document, resource, settings)
                remarks += remarks_on(resource, settings)
        once = {(finding.code, finding.message): finding for finding in reversed(remarks)}
        result.diagnostics += [
            with_location(document, finding, quotas[0].object) for finding in once.values()
        ]
    return result


def _objects(document: Document, settings: Settings) -> Iterator[tuple[list[Quota], tuple[Backend, ...]]]:
    """The resources of each object that sets amounts, with the dialects that they are in."""
    for _, group in groupby(quotas_in(document), lambda quota: quota.object_path):
        quotas = list(group)
        yield quotas, dialects_of(keys_of(quotas, settings.renamed), settings)


def keys_of(quotas: Sequence[Quota], renamed: Mapping[str, str]) -> PodKeys:
    """The resources of one object as keys of a pod, for functions that take pods: a container for each
    place."""
    amounts = {value.path: value for quota in quotas for value, _ in quota.amounts}
    containers = (
        ContainerKeys(
            limits={
                renamed.get(quota.resource, quota.resource): amounts.get(
                    path, Value("", ScalarKind.NODE, path)
                )
            },
            path=path,
        )
        for quota in quotas
        for path in quota.names
    )
    return PodKeys(tuple(containers), served=any(quota.served for quota in quotas))


def _stays(quota: Quota, settings: Settings) -> bool:
    """Whether a quota is of a GPU resource that is kept: of the target, or of a dialect that is not read."""
    rows = settings.scope.words.rows(settings.renamed.get(quota.resource, quota.resource))
    is_of_gpus = any(map(quota.takes, rows))
    return is_of_gpus and not settings.scope.is_left(quota.resource)


def _items(document: Document, resource: QuotaResource, settings: Settings) -> Iterator[QuotaItem]:
    """What each amount of a resource says, and what became of it."""
    assert document.root is not None
    written = written_at_target(resource, settings) if resource.key and not resource.refused else None
    for number in resource.numbers:
        outcome = QuotaVerdict.EXACT if number.is_exact else QuotaVerdict.ROUNDED
        fitted_number = number.fitted if written else None
        yield QuotaItem(
            file=document.source.name,
            document=document.index,
            object=resource.quota.object,
            object_path=resource.quota.object_path,
            span=document.source.span(*locate(document.root, number.value.path)),
            place=resource.quota.place_of(number.written),
            key=resource.quota.written,
            value=number.value.text,
            source=resource.source.name,
            target=settings.to.name,
            outcome=QuotaVerdict.LEFT if fitted_number is None else outcome,
            counted=resource.counted,
            asked=number.amount,
            each=resource.quota.each,
            given=fitted_number.amount if fitted_number else None,
            new_key=written,
            new_value=fitted_number.text if fitted_number else None,
        )


def _edits(document: Document, resource: QuotaResource, settings: Settings) -> Iterator[Edit]:
    """The names and the numbers of a resource; what stays the same has no edit."""
    name = written_at_target(resource, settings)
    numbers = {number.value.path: _written(document, number) for number in resource.numbers}
    for path in resource.quota.names:
        if path in numbers:
            value = numbers.pop(path)
            yield Put(path, value) if name == path[-1] else Rename(path, name, value)
        elif name != resource.quota.written:
            yield Put(path, name)
    yield from (Put(path, value) for path, value in numbers.items())


def _written(document: Document, number: QuotaNumber) -> int | str:
    """A number with the quotes that it has, so that translating it back gives the same text."""
    assert number.fitted is not None
    node = get(document.root, *number.value.path)
    quoted = isinstance(node, Scalar) and node.style is not None
    text = number.fitted.text
    return text if quoted or not quantity.is_plain(text) else int(text)
