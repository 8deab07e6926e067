"""Which pod of its object a pod is: the names of its templates follow from that."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.files.claims import Unread
from gpuxlate.manifest.claims import MARKS, claims_of
from gpuxlate.manifest.pods import CLAIMS, Numbered, Pod
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Append, Diagnostic, Edit, ObjectRef, Remove, Severity
from gpuxlate.model.limits import MAX_NAME, shortened
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import CLAIM, TEMPLATE, ClaimObject, PodClaim, PodKeys, Value
from gpuxlate.overlays.kustomization import changed_names
from gpuxlate.overlays.roles import ClaimLookup
from gpuxlate.rules.claims import claim_is_known, name_is_free, names_are_followed, other_claims_stay
from gpuxlate.rules.translation import nothing_is_left_behind, share_is_expressible, text_is_editable
from gpuxlate.translation.leftovers import GIVE_USERS, NAME_NO_CLAIM, Leftover, LeftoverScope
from gpuxlate.translation.pod_run import ClaimTemplate
from gpuxlate.yamltext.nodes import get, get_text
from gpuxlate.yamltext.parse import Document, NotYamlError, documents, with_location
from gpuxlate.yamltext.plain import dump_yaml
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice, apply

# The documents that a translation adds beside a workload, and those that it removes: templates of claims.
# A template goes with the last pod that uses it; a new one stands behind the document of its workload, or
# at the end of the list that has the workload.
SUBDOMAIN = 253
"""Characters of the name of a template."""
_KIND = f"kind: {TEMPLATE}"
_UNFIT = regex(r"[^a-z0-9.-]+")


class NamedTemplate(NamedTuple):
    """A new template by its name. ``found``: a finding where it is the second one of a run."""

    namespace: str | None
    name: str
    found: Diagnostic


# --- the pods of a document ---------------------------------------------------------------------
def unknown_claims(pod: PodKeys) -> Iterator[Diagnostic]:
    """Claims of containers whose devices are not known (DRA014): what they request is never guessed."""
    for container in pod.all_containers():
        for use in container.claims:
            claim = pod.claim(use.name)
            if claim is not None and claim.missing is not None:
                where = claim.reference.path if claim.reference else claim.path
                yield replace(claim_is_known.diagnostic(where, *claim.missing), severity=Severity.ERROR)


def shared_claims(pod: Pod, sources: Sequence[Backend], beside: ClaimLookup) -> Iterator[Diagnostic]:
    """Pods that share one allocation: a share of each pod is not what they have (GX023)."""
    for claim in pod.keys.claims:
        if claim.claim is None or claim.found is None or not is_replaced(claim, sources):
            continue
        if pod.object.kind != "Pod" or len(beside.index.users(claim.found)) > 1:
            message = msg(
                "all pods that name {kind} {name} share its devices", kind=CLAIM, name=claim.claim.text
            )
            hint = msg(
                "keep these pods on claims; with a {kind} each pod gets devices of its own", kind=TEMPLATE
            )
            yield share_is_expressible(claim.claim.path, message, hint)


def other_claims(pod: PodKeys) -> Iterator[Diagnostic]:
    """Claims of a pod with shares that are for other devices, which stay (DRA020)."""
    for claim in pod.claims:
        classes = claim.devices.classes() if claim.devices else frozenset()
        if claim.made_by:
            yield other_claims_stay(claim, msg("what {kind} makes", kind=claim.made_by))
        elif classes and classes.isdisjoint(registry.device_classes()):
            yield other_claims_stay(claim, ", ".join(sorted(classes)))


def is_replaced(claim: PodClaim, replaced: Iterable[Backend]) -> bool:
    """The claim is for devices of a dialect that is replaced."""
    classes = claim.devices.classes() if claim.devices else frozenset()
    return any(name in classes for one in replaced for name in one.device_classes)


RENAME = "give it another name there and in resources.claims of the containers"


def claimed_already(claim: PodClaim, hint: str = "change its template, or remove it first") -> Diagnostic:
    """A pod with claims gets no others: what these are for may be in no file of the run (GX023)."""
    message = msg("the pod has claim {name} already", name=claim.name)
    found: Diagnostic = share_is_expressible(claim.path, message, hint)
    return found


def _name(text: str) -> str:
    return shortened(_UNFIT.sub("-", text.lower()), SUBDOMAIN)


class Writing(NamedTuple):
    """The keys to write into a pod, with the names of its templates."""

    keys: PodKeys
    templates: tuple[ClaimTemplate, ...]
    found: tuple[Diagnostic, ...] = ()


def with_templates(
    document: Document,
    pod: Pod,
    keys: PodKeys,
    pods: Numbered,
    replaced: Sequence[Backend],
    shared: Set[tuple[str | None, str]] = frozenset(),
) -> Writing:
    """Names for the claims of a pod, from its workload. ``pods``: all of its document.

    ``replaced``: the dialects whose claims go. ``shared``: names that other workloads have too.
    """
    if not keys.claims or CLAIMS in pod.lacks:  # which is said by itself
        return Writing(keys, ())
    root = get(document.root, *pod.object_path)
    base = get_text(root, "metadata", "name") or (get_text(root, "metadata", "generateName") or "").rstrip(
        "-."
    )
    path = pod.keys.path
    if not (pod.object_path == () or pod.object_path[-2:-1] == ("items",)):
        message = msg(
            "a {kind} inside another object: no document can be put beside it", kind=pod.object.kind
        )
        return Writing(
            keys, (), (share_is_expressible(path, message, "translate the manifest that it is made of"),)
        )
    if not base:
        message = msg(
            "the {kind} has no name, and the names of its claims follow from it", kind=pod.object.kind
        )
        return Writing(keys, (), (share_is_expressible(path, message, "give it metadata.name"),))
    new = {one.name for one in keys.claims}
    taken = [one for one in pod.keys.claims if one.name in new and not is_replaced(one, replaced)]
    if taken:
        return Writing(keys, (), tuple(claimed_already(one, RENAME) for one in taken))
    namespace = get_text(root, "metadata", "namespace")
    number = pods.suffix(pod)
    made = []
    for claim in keys.claims:
        name = _name(f"{base}{number}-{claim.name}")
        if (namespace, name) in shared:
            name = _name(f"{base}-{pod.object.kind}{number}-{claim.name}")
        made.append(ClaimTemplate(pod, claim, namespace, name, path))
    claims = tuple(replace(one.claim, template=Value.of(one.name)) for one in made)
    return Writing(replace(keys, claims=claims), tuple(made))


# --- documents ----------------------------------------------------------------------------------
Sources = Callable[[PodKeys], tuple[Backend, ...]]
"""The dialects that a pod of the run is translated from; none where it stays as it is."""


class Changes(NamedTuple):
    """What becomes of the documents of one source beside their edits."""

    edits: list[Edit]
    splices: list[Splice]
    found: list[Diagnostic]
    leftovers: list[Leftover]
    named: list[NamedTemplate]


def left_templates(document: Document, beside: ClaimLookup, scope: LeftoverScope) -> Iterator[Leftover]:
    """The templates of the source in a document that stay, whatever becomes of its pods: something that is
    not translated names them, or no pod does."""
    for claim in claims_of(document) if document.holds(*MARKS) else ():
        by, users = beside.index.kept_by(claim), beside.index.users(claim)
        if (by or not users) and replaced_backends(claim.devices.classes(), scope):
            yield _left_template(document, claim, by)


def changes(
    document: Document,
    templates: Sequence[ClaimTemplate],
    beside: ClaimLookup,
    translated: Sources,
    scope: LeftoverScope,
) -> Changes:
    """The new templates of a document, and those in it that go with the last pod that uses them."""
    made = Changes([], [], [], [], [])
    whole = False
    for one in claims_of(document) if document.holds(*MARKS) else ():
        users = [translated(keys) for _, keys in beside.index.users(one)]
        mine = replaced_backends(one.devices.classes(), scope)
        kept = beside.index.kept_by(one)
        if mine and users and not kept and all(any(backend in by for backend in mine) for by in users):
            if one.place.path == ():
                whole = True
            elif one.place.path[-2:-1] == ("items",):
                made.edits.append(Remove(one.place.path))
    if whole:
        made.splices.append(Splice(document.start, document.end, ""))  # with the marker before it
    added: list[ClaimTemplate] = []
    for each in templates:
        made.named.extend(_named(document, each, beside, translated, made.found))
        if each.pod.object_path == ():
            added.append(each)
        else:
            made.edits.append(Append(each.pod.object_path[:-1], each.data))
    if added:
        why = why_not_appendable(document)
        if why is not None:
            made.found.append(
                with_location(document, text_is_editable(added[0].path, why), added[0].pod.object)
            )
        else:
            made.splices.append(documents_behind(document, [one.data for one in added]))
    return made


def replaced_backends(classes: Set[str], scope: LeftoverScope) -> list[Backend]:
    """The dialects of device classes that are replaced; none where another one is translated."""
    found = [one for one in registry.pod_backends() if set(one.device_classes) & classes]
    found = [one for one in found if one.name != scope.target]
    return found if scope.source is None or any(one.name == scope.source for one in found) else []


def _named(
    document: Document, one: ClaimTemplate, beside: ClaimLookup, translated: Sources, found: list[Diagnostic]
) -> Iterator[NamedTemplate]:
    message = msg("{kind} {name} is there already", kind=TEMPLATE, name=one.name)
    taken = with_location(document, name_is_free(one.path, message), one.pod.object)
    for other in beside.index.near(one.namespace, one.name, beside.file):
        users = [translated(keys) for _, keys in beside.index.users(other)]
        if not users or not all(users) or beside.index.kept_by(other):
            found.append(taken)
            return
    twice = msg("two workloads have a {kind} named {name}", kind=TEMPLATE, name=one.name)
    yield NamedTemplate(one.namespace, one.name, replace(taken, message=twice))


def clashes(named: Sequence[NamedTemplate]) -> list[NamedTemplate]:
    """New templates that have the name of an earlier one of the same folder."""
    found: list[NamedTemplate] = []
    seen: set[tuple[str, str | None, str]] = set()
    for one in named:
        key = (os.path.dirname(one.found.file or ""), one.namespace, one.name)
        if key in seen:
            found.append(one)
        seen.add(key)
    return found


def unfollowed_renames(document: Document, pods: Iterable[Pod], translated: Sources) -> Iterator[Diagnostic]:
    """Templates to come that a kustomization renames, and not where the pods name them."""
    user = next((one for one in pods if translated(one.keys)), None)
    if user is not None:
        yield with_location(document, names_are_followed(changed_names(document.root)[0], user.object))


def _left_template(document: Document, one: ClaimObject, by: Unread | None) -> Leftover:
    """``by``: what names the template and is not translated; None where nothing does."""
    if by:
        message = msg(
            "{kind} {name} is not translated: {file} names it, in {where}",
            kind=one.kind,
            name=one.name,
            file=by.file,
            where=by.where,
        )
        hint = msg(NAME_NO_CLAIM)
    else:
        message = msg(
            "{kind} {name} is not translated: no pod of the input uses it", kind=one.kind, name=one.name
        )
        hint = msg(GIVE_USERS)
    ref = ObjectRef(f"resource.k8s.io/{one.api}", one.kind, one.namespace, one.name[:MAX_NAME])
    path = (*one.place.path, "metadata", "name")
    return Leftover(one.name, with_location(document, nothing_is_left_behind(path, message, hint), ref))


def why_not_appendable(document: Document) -> Message | None:
    """Why no document can be put behind this one."""
    text = document.source.text
    if document.index == 0 and document.end == len(text) and text.lstrip()[:1] in ("{", "["):
        return msg("a JSON file has one object, and {kind} is a second one: make it a List", kind=TEMPLATE)
    if document.end < len(text) and not text.startswith("---", document.end):
        return msg("the next document does not begin with ---")
    return None


def documents_behind(document: Document, added: Sequence[dict[str, object]]) -> Splice:
    """New documents behind a document."""
    text, end = document.source.text, document.end
    line_break = document.source.newline(document.start) if "\n" in text or "\r" in text else "\n"
    body = "".join(f"---\n{dump_yaml(one)}" for one in added).replace("\n", line_break)
    if end and text[end - 1] not in "\r\n":
        body = line_break + body.removesuffix(line_break)
    return Splice(end, end, body)


def applied(source: Source, edits: Iterable[Splice], beside: Sequence[Splice], count: int) -> str:
    """The text with its edits, and with the documents that are added and removed.

    ``count``: the documents that it has before. Raises EditError where others would change too.
    """
    made = apply(source.text, [*edits, *beside])
    removed = [one for one in beside if not one.text]
    if any(one.end == len(source.text) for one in removed) and source.text[-1] not in "\r\n":
        made = made.removesuffix("\n").removesuffix("\r")  # that of the marker, which went
    new = sum(one.text.count(f"{_KIND}\r\n") + one.text.count(f"{_KIND}\n") for one in beside)
    try:
        after = sum(one.root is not None for one in documents(source.changed(made)))
    except NotYamlError as error:
        raise EditError(
            msg("the result would be invalid YAML ({message})", message=error.message), ()
        ) from None
    if after != count + new - len(removed):
        raise EditError("the result would have other documents", ())
    return made
