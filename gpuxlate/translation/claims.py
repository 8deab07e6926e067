"""The templates of claims that a translation adds beside workloads, and those that it removes or leaves.

A template goes with the last pod that uses it; a new one stands behind the document of its workload, or at
the end of the list that has the workload.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.claims.documents import append_documents, why_not_appendable
from gpuxlate.claims.index import Unread
from gpuxlate.claims.templates import ClaimTemplate, NamedTemplate
from gpuxlate.manifest.claims import DEVICE_CLASS_NAME, MARK, claims_of, classes_elsewhere
from gpuxlate.manifest.pods import Pod, chart_values
from gpuxlate.model.diagnostics import Append, Diagnostic, Edit, ObjectRef, Remove, prefixes
from gpuxlate.model.limits import MAX_NAME
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import TEMPLATE, ClaimObject, PodKeys
from gpuxlate.overlays.kustomization import changed_names
from gpuxlate.overlays.run_claims import ClaimLookup
from gpuxlate.rules.claims import name_is_free, names_are_followed
from gpuxlate.rules.translation import nothing_is_left_behind, text_is_editable
from gpuxlate.translation.leftovers import (
    BY_HAND,
    GIVE_USERS,
    IN_CHART_VALUES,
    IN_MANIFESTS,
    NAME_NO_CLAIM,
    Leftover,
    LeftoverScope,
)
from gpuxlate.yamltext.parse import Document, with_location
from gpuxlate.yamltext.splices import Splice

Sources = Callable[[PodKeys], tuple[Backend, ...]]
"""The dialects that a pod of the run is translated from; none where it stays as it is."""


class Changes(NamedTuple):
    """The changes that templates of claims make in one source: edits of its documents, splices that add and
    remove documents, findings, leftovers, and the names of the new templates."""

    edits: list[Edit]
    splices: list[Splice]
    findings: list[Diagnostic]
    leftovers: list[Leftover]
    named: list[NamedTemplate]


def left_templates(document: Document, lookup: ClaimLookup, scope: LeftoverScope) -> Iterator[Leftover]:
    """The templates of the source in a document that stay, whether or not its pods are translated: something
    that is not translated names them, or no pod does."""
    for claim in claims_of(document) if document.may_hold(MARK) else ():
        by, users = lookup.index.kept_by(claim), lookup.index.users(claim)
        if (by or not users) and replaced_backends(claim.devices.classes(), scope):
            yield _left_template(document, claim, by)
    charts = chart_values(document)
    for name, path in classes_elsewhere(document) if document.holds(DEVICE_CLASS_NAME) else ():
        if replaced_backends({name}, scope):
            why = IN_CHART_VALUES if not charts.isdisjoint(prefixes(path)) else IN_MANIFESTS.why
            message = msg("a claim for {name} is not translated: {why}", name=name, why=why)
            finding = nothing_is_left_behind.diagnostic(path, message, msg(BY_HAND, target=scope.target))
            yield Leftover(name, with_location(document, finding))


def template_changes(
    document: Document,
    templates: Sequence[ClaimTemplate],
    lookup: ClaimLookup,
    translated: Sources,
    scope: LeftoverScope,
) -> Changes:
    """The new templates of a document, and those in it that go with the last pod that uses them."""
    new = Changes([], [], [], [], [])
    whole = False
    for claim in claims_of(document) if document.may_hold(MARK) else ():
        users = [translated(keys) for _, keys in lookup.index.users(claim)]
        replaced = replaced_backends(claim.devices.classes(), scope)
        kept = lookup.index.kept_by(claim)
        if (
            replaced
            and users
            and not kept
            and all(any(backend in by for backend in replaced) for by in users)
        ):
            if claim.place.path == ():
                whole = True
            elif claim.place.path[-2:-1] == ("items",):
                new.edits.append(Remove(claim.place.path))
    if whole:
        new.splices.append(Splice(document.start, document.end, ""))  # with the marker before it
    added: list[ClaimTemplate] = []
    for template in templates:
        new.named.extend(_named(document, template, lookup, translated, new.findings))
        if template.pod.object_path == ():
            added.append(template)
        else:
            new.edits.append(Append(template.pod.object_path[:-1], template.data))
    if added:
        why = why_not_appendable(document)
        if why is not None:
            new.findings.append(
                with_location(document, text_is_editable(added[0].path, why), added[0].pod.object)
            )
        else:
            new.splices.append(append_documents(document, [template.data for template in added]))
    return new


def replaced_backends(classes: Set[str], scope: LeftoverScope) -> list[Backend]:
    """The dialects of device classes that are replaced; none where another one is translated."""
    backends = [backend for backend in registry.pod_backends() if set(backend.device_classes) & classes]
    backends = [backend for backend in backends if backend.name != scope.target]
    return (
        backends if scope.source is None or any(backend.name == scope.source for backend in backends) else []
    )


def _named(
    document: Document,
    template: ClaimTemplate,
    lookup: ClaimLookup,
    translated: Sources,
    findings: list[Diagnostic],
) -> Iterator[NamedTemplate]:
    def finding(text: str) -> Diagnostic:
        message = msg(text, kind=TEMPLATE, name=template.name)
        return with_location(document, name_is_free(template.path, message), template.pod.object)

    for other in lookup.index.near(template.namespace, template.name, lookup.file):
        users = [translated(keys) for _, keys in lookup.index.users(other)]
        if not users or not all(users) or lookup.index.kept_by(other):
            findings.append(finding("{kind} {name} is there already"))
            return
    twice = finding("two workloads have a {kind} named {name}")
    yield NamedTemplate(template.namespace, template.name, twice)


def rename_breaks_reference(
    document: Document, pods: Iterable[Pod], translated: Sources
) -> Iterator[Diagnostic]:
    """New templates that a kustomization renames while the references of its pods keep the old name."""
    user = next((pod for pod in pods if translated(pod.keys)), None)
    if user is not None:
        yield with_location(document, names_are_followed(changed_names(document.root)[0], user.object))


def _left_template(document: Document, claim: ClaimObject, by: Unread | None) -> Leftover:
    """``by``: what names the template and is not translated; None where nothing does."""
    if by:
        message = msg(
            "{kind} {name} is not translated: {file} names it, in {where}",
            kind=claim.kind,
            name=claim.name,
            file=by.file,
            where=by.where,
        )
        hint = msg(NAME_NO_CLAIM)
    else:
        message = msg(
            "{kind} {name} is not translated: no pod of the input uses it", kind=claim.kind, name=claim.name
        )
        hint = msg(GIVE_USERS)
    ref = ObjectRef(f"resource.k8s.io/{claim.api}", claim.kind, claim.namespace, claim.name[:MAX_NAME])
    path = (*claim.place.path, "metadata", "name")
    return Leftover(claim.name, with_location(document, nothing_is_left_behind(path, message, hint), ref))
