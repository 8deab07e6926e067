"""The rules of quotas: names of resources, and numbers as far as the API server has rules for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.pod_reader import PodReader
from gpuxlate.manifest.quotas import Quota, quotas_in
from gpuxlate.model.diagnostics import Diagnostic, ObjectRef, Path
from gpuxlate.model.keys import Per, Place
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import renamed_by
from gpuxlate.rules.base import Context
from gpuxlate.rules.documents import quota_counts_all_cards, quota_is_counted
from gpuxlate.rules.key_index import KeyIndex, key_index_of
from gpuxlate.rules.keys import key_is_known, product_is_read
from gpuxlate.rules.kubernetes import quantity_has_no_suffix, quantity_is_whole
from gpuxlate.rules.number_format import NumberForm, number_as_written
from gpuxlate.rules.translation import unread_resources
from gpuxlate.yamltext.parse import Document


class Judged(NamedTuple):
    """The findings about the quotas of a document, and the places of the names that they are about."""

    findings: list[tuple[Diagnostic, ObjectRef]]
    read: frozenset[Path]


def judge_quotas(document: Document, context: Context) -> Judged:
    """Check each resource of a quota by the rules for containers, as far as the API server has the same
    rules."""
    index, renamed = key_index_of(context), renamed_by(context.profile)
    findings: list[tuple[Diagnostic, ObjectRef]] = []
    read: set[Path] = set()
    for quota in quotas_in(document):
        name = renamed.get(quota.resource, quota.resource)
        is_of_gpus = index.rows(name) or name in registry.whole_card_keys() or index.unread(name)
        if is_of_gpus and not quota.is_counted and not _is_kept(quota, name):
            findings += [
                (quota_is_counted(path, quota.written, quota.resource), quota.object) for path in quota.names
            ]
        if _is_resource(index, quota, name):
            read |= {*quota.names}
            findings += [(finding, quota.object) for finding in _findings(quota, name, context)]
            if _is_of_each_card(quota, name):
                findings += [
                    (quota_counts_all_cards(path, quota.written), quota.object) for path in quota.names[:1]
                ]
        elif index.unread(name) is not None or index.product(name):
            read |= {*quota.names}
            findings += [(finding, quota.object) for finding in _unread(quota, name, context)]
    return Judged(findings, frozenset(read))


def _is_resource(index: KeyIndex, quota: Quota, name: str) -> bool:
    """The name is that of a resource of GPUs, or a misspelt one; other keys have no effect in a quota."""
    rows = index.rows(name)
    return any(map(quota.takes, rows)) or index.misspelt(name, Place.RESOURCE) is not None


def _findings(quota: Quota, name: str, context: Context) -> Iterator[Diagnostic]:
    for path in quota.names:
        for finding in key_is_known(_pod(name, Value("", path=path), quota), context):
            yield _of_name(finding, quota)
        if any(row.sets == "partition" for row in key_index_of(context).rows(name)):
            for finding in _of_readers(_pod(name, replace(Value.of(1), path=path), quota), context):
                yield _of_name(finding, quota)
    for value, _ in quota.amounts:
        if quota.takes_fractions and number_as_written(value).form is NumberForm.FRACTION:
            continue
        for rule in (quantity_is_whole, quantity_has_no_suffix):
            yield from rule(_pod(name, value, quota), context)


def _is_kept(quota: Quota, name: str) -> bool:
    """The scheduler of a dialect keeps to the amount, though Kubernetes does not count it."""
    from gpuxlate.translation.quotas.counting import keeps_limits

    rows = ((backend, backend.find(name)) for backend in registry.pod_backends())
    return any(row is not None and keeps_limits(backend, row, quota) for backend, row in rows)


def _is_of_each_card(quota: Quota, name: str) -> bool:
    """The resource is an amount of each card, and the quota adds up what containers write."""
    if quota.each or not quota.is_counted:
        return False
    from gpuxlate.translation.quotas.counting import row_counts

    rows = ((backend, backend.find(name)) for backend in registry.pod_backends())
    counted = [row_counts(backend, row) for backend, row in rows if row is not None]
    return bool(counted) and all(each is not None and each.per is Per.CARD for each in counted)


def _unread(quota: Quota, name: str, context: Context) -> Iterator[Diagnostic]:
    """Resources of accelerators and products that are not read."""
    for path in quota.names:
        pod = _pod(name, Value("", path=path), quota)
        for finding in (*unread_resources(pod, context), *product_is_read(pod, context)):
            yield _of_name(finding, quota)


def _of_name(finding: Diagnostic, quota: Quota) -> Diagnostic:
    """The finding of a rule of pods about a name, moved to the name in the quota, which is a value in a list.

    A fix that renames the key is left out, since the new name lacks the prefix of the quota.
    """
    return replace(finding, fix=None, on_key=finding.path[-1] == quota.written)


def _of_readers(pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """What is wrong with a share in the name of a resource."""
    for backend in registry.backends_of(pod):
        yield from backend.read(PodReader(pod, context.profile), context.profile).invalid


def _pod(name: str, value: Value, quota: Quota) -> PodKeys:
    """A pod whose one container asks for the resource."""
    return PodKeys((ContainerKeys(limits={name: value}),), served=quota.served)
