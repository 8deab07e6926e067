"""Patches of templates of claims: the workloads that use the template, and what is said of them beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from gpuxlate.inputs.bases import hits_of
from gpuxlate.inputs.bounded import StrPath
from gpuxlate.inputs.kustomization import Hit
from gpuxlate.inputs.objects import Object
from gpuxlate.manifest.claims import claims_of
from gpuxlate.manifest.layers import Laid, TemplatePatch
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.claims import TEMPLATE, ClaimObject
from gpuxlate.model.diagnostics import ObjectRef
from gpuxlate.model.messages import Message, say
from gpuxlate.yamltext.compose import Document, documents
from gpuxlate.yamltext.nodes import get_text

MOST_BEFORE = 100
"""Documents of one file that are read for each patch of a template behind them."""
_TOO_MANY = say("its file has more than {number} documents before it", number=MOST_BEFORE)
_TARGETED = say("its kustomization names a target for it")
_NO_NAME = say("it does not name what it is for")


def template_patches(
    path: StrPath, document: Document, laid: Callable[[Document], Sequence[Laid]]
) -> list[TemplatePatch]:
    """The patches of templates in a document of a patch file. ``laid``: the pods of a document of it.

    Only files are read: nothing is raised for their content.
    """
    found = [(ref, where) for ref, where, _ in objects_in(document) if ref.kind == TEMPLATE]
    if not found:
        return []
    said = next(claims_of(document), None)
    hits = list(hits_of(os.path.abspath(path), document))
    templates = [one for hit in hits for one in hit.objects]
    known = [claim for one in templates for claim in _claims(one, document)]
    classes = {name for claim in (*known, *([said] if said else ())) for name in claim.devices.classes()}
    why = next((reason for hit in hits if (reason := _why(hit))), None if said else _NO_NAME)
    users = {user: None for hit in hits for one in hit.objects for user in _users(one, hit, document)}
    if document.index > MOST_BEFORE:
        why = why or _TOO_MANY
    over = None if why else _workload_before(document)
    beside = (over, laid(over)) if over else None
    return [TemplatePatch(where, ref, frozenset(classes), tuple(users), beside, why) for ref, where in found]


def _workload_before(document: Document) -> Document | None:
    """The last document before this one that is of no template."""
    before = list(islice(documents(document.source), document.index))
    about = (one for one in reversed(before) if get_text(one.root, "kind") != TEMPLATE)
    return next(about, None)


def _why(hit: Hit) -> Message | None:
    unknown = next((one.unknown for one in hit.objects if one.unknown), None)
    return hit.why or unknown or (_TARGETED if hit.targeted else None)


def _claims(one: Object, document: Document) -> Iterator[ClaimObject]:
    yield from claims_of(replace(document, root=one.root, aliases=[]))


def _users(one: Object, hit: Hit, document: Document) -> Iterator[ObjectRef]:
    """The objects with pods that name a template."""
    named = {(claim.namespace, claim.name) for claim in _claims(one, document)}
    for other in hit.workloads:
        for pod in pods_in(replace(document, root=other.root, aliases=[])):
            for claim in pod.keys.claims:
                if claim.template and (pod.object.namespace, claim.template.text) in named:
                    yield pod.object
