"""Quotas: the names of resources, and the numbers as far as the API server has rules for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Taking
from gpuxlate.manifest.quotas import Quota, quotas_in
from gpuxlate.model.diagnostics import Diagnostic, ObjectRef
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value
from gpuxlate.model.profile import renamed_by
from gpuxlate.rules.base import Context
from gpuxlate.rules.keys import key_is_known
from gpuxlate.rules.kubernetes import quantity_has_no_suffix, quantity_is_whole
from gpuxlate.rules.numerals import Form, written
from gpuxlate.rules.vocabulary import Vocabulary, vocabulary_of
from gpuxlate.yamltext.compose import Document


class Judged(NamedTuple):
    """The findings about the quotas of a document, and the places of the names that they are about."""

    found: list[tuple[Diagnostic, ObjectRef]]
    read: frozenset[Path]


NO_QUOTAS = Judged([], frozenset())
"""Of a document without them, and of a patch: it may delete an amount, or name a part of an object."""


def judge_quotas(document: Document, context: Context) -> Judged:
    """A resource in a quota is judged as in a container, where the API server does so too."""
    words, renamed = vocabulary_of(context), renamed_by(context.profile)
    found: list[tuple[Diagnostic, ObjectRef]] = []
    read: set[Path] = set()
    for quota in quotas_in(document):
        name = renamed.get(quota.resource, quota.resource)
        if _is_resource(words, quota, name):
            read |= {*quota.names}
            found += [(one, quota.object) for one in _findings(quota, name, context)]
    return Judged(found, frozenset(read))


def _is_resource(words: Vocabulary, quota: Quota, name: str) -> bool:
    """The name is that of a resource of GPUs, or a misspelt one; other keys have no effect in a quota."""
    rows = words.rows(name)
    return any(map(quota.takes, rows)) or (not rows and bool(words.near_miss(name)))


def _findings(quota: Quota, name: str, context: Context) -> Iterator[Diagnostic]:
    for path in quota.names:
        for one in key_is_known(_pod(name, Value("", path=path), quota), context):
            # the name of another key alone, without its prefix, is no fix
            yield replace(one, fix=None, on_key=path[-1] == quota.written)
        if any(row.says == "partition" for row in vocabulary_of(context).rows(name)):
            for one in _of_readers(_pod(name, replace(Value.of(1), path=path), quota), context):
                yield replace(one, on_key=path[-1] == quota.written)
    for value, _ in quota.amounts:
        if quota.takes_fractions and written(value).form is Form.FRACTION:
            continue
        for rule in (quantity_is_whole, quantity_has_no_suffix):
            yield from rule(_pod(name, value, quota), context)


def _of_readers(pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """What is wrong with a share in the name of a resource."""
    for backend in registry.backends_of(pod):
        yield from backend.read(Taking(pod, context.profile), context.profile).invalid


def _pod(name: str, value: Value, quota: Quota) -> PodKeys:
    """A pod whose one container asks for the resource."""
    return PodKeys((ContainerKeys(limits={name: value}),), served=quota.served)
