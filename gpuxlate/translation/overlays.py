"""Translate overlays with their bases: patches with their objects, values of a release with those of the
chart.

The base and the patched object are each translated; the new patch is the difference of the two. So the
translated overlay, applied to the translated base, gives the translation of the patched object.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.claims.documents import append_documents, why_not_appendable
from gpuxlate.claims.templates import patch_of, with_templates
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.pods import Pod, pods_in, suffixes
from gpuxlate.model.diagnostics import Diagnostic, Edit, ObjectRef, Path
from gpuxlate.model.keys import KeyRole, Place
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import Message, message_of, msg
from gpuxlate.model.pod import TEMPLATE, ClaimUse, PodKeys
from gpuxlate.overlays.differences import Layers, OverlayDifference, apply_edits, are_alike
from gpuxlate.overlays.operations import apply_operations, is_operations, operation_edits
from gpuxlate.overlays.parts import OverlayBase, OverlayPod, Places, TemplatePatch
from gpuxlate.overlays.patched_pods import operations_about
from gpuxlate.overlays.patches import CannotMergeError, narrow
from gpuxlate.overlays.run_claims import ClaimLookup
from gpuxlate.overlays.values import MAIN_VALUES
from gpuxlate.rules.translation import nothing_is_left_behind
from gpuxlate.translation.built_pod import code_and_message
from gpuxlate.translation.claims import Changes, replaced_backends
from gpuxlate.translation.edits import role_of_key, share_edits
from gpuxlate.translation.leftovers import BELOW, BUILT, FOLDER, Leftover, LeftoverScope
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import State
from gpuxlate.translation.pod import fit_and_check
from gpuxlate.translation.pod_run import PodRun
from gpuxlate.translation.shares import dialects_of, other_dialects, refuses
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.parse import Document, with_location
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice

if TYPE_CHECKING:
    from gpuxlate.translation.decisions import DecidedPod, JudgedObject


_NAMES_CLAIMS = msg("it names claims, which only the pod itself can")

_UNUSED = msg("no pod of the kustomization uses it")

_IN_LIST = msg("it is in a list")

_UNLIKE = "the objects that it patches need different values: {object} and {other}"

_OTHERWISE = msg("what it sets in the object is not where its translation would set it")

_IN_PATCH = msg("this file is a patch")


@dataclass(slots=True)
class PartResult:
    """The result for an overlay.

    ``sources``: the dialects that were read. ``left``: why it cannot be translated; None where it is
    translated, or where an error says so. ``patches``: patches of templates of claims, as plain data.
    """

    sources: tuple[Backend, ...] = ()
    left: str | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    judged: list[JudgedObject] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    patches: list[dict[str, object]] = field(default_factory=list)


class _Changes(NamedTuple):
    """The edits of an overlay for one of its bases, and its patches of templates of claims. ``fit``: tells
    whether other edits have the same effect on that base."""

    edits: list[Edit]
    patches: list[dict[str, object]]
    fit: Callable[[list[Edit]], bool]

    def serves(self, other: _Changes) -> bool:
        """Whether these edits and patches have the effect that the other base needs."""
        return self.patches == other.patches and (self.edits == other.edits or other.fit(self.edits))


class _CannotError(Exception):
    """The overlay cannot express what changes."""


def translate_part(state: State, run: PodRun) -> None:
    """Translate an overlay of pods of other files, and leave its keys where it cannot be translated."""
    part = _part(state, run.pod, run.bases, run.unknown)
    if part.left:
        run.why_left = part.left
    else:
        run.dialects = part.sources


def translate_operations(state: State, operations: OverlayPod) -> None:
    """Translate an overlay that is a list of operations of JSON 6902."""
    bases = operations.bases
    part = _part(state, None, bases, operations.unknown)
    if part.left:
        state.why_left = part.left
    elif part.sources:
        state.handled.update(operations_about(state.document, [base.patch for base in bases]))


def _part(state: State, pod: Pod | None, bases: Sequence[OverlayBase], unknown: str | None) -> PartResult:
    """Translate an overlay. ``pod``: the pod in it; None for operations. ``unknown``: why its bases are not
    known."""
    document, settings = state.document, state.settings
    patch_pod = bases[0].patch if bases else pod
    places = bases[0].places if bases else None
    claimed = (
        list(_claims_of_part(document, patch_pod, places, state.claims, settings.scope)) if patch_pod else []
    )
    why = unknown or (_NAMES_CLAIMS if claimed else None)
    part = PartResult(left=why) if why else _translate_overlay(document, bases, settings)
    state.report(part.diagnostics, part.sources)
    state.judged += part.judged
    if part.edits or part.patches:
        state.edits += part.edits
        state.patches += part.patches
        state.kept += bases[0].patch.siblings
    if part.left:
        state.leave(claimed)
        if patch_pod and places:
            state.leave(_left_cards(document, part, patch_pod, places, settings))
    return part


def _path_in(document: Document, path: Path, places: Places | None) -> Path | None:
    """The path at which a patch sets the value of a path; None where operations do not set it. Only
    operations have other paths than their finding."""
    if places is None or not is_operations(document):
        return path
    return places.of(path) if places.sets(path) else None


def _claims_of_part(
    document: Document, part: Pod, places: Places | None, lookup: ClaimLookup, scope: LeftoverScope
) -> Iterator[Leftover]:
    """The claims that an overlay of a pod names, where their devices would be replaced, or are not known."""
    for claim in lookup.resolve(part).keys.claims:
        if claim.reference is None or (
            claim.devices and not replaced_backends(claim.devices.classes(), scope)
        ):
            continue
        path = _path_in(document, claim.reference.path, places)
        if path is None:
            continue
        why = claim.missing.message if claim.missing else _IN_PATCH
        name = claim.reference.text[:MAX_NAME]
        message = msg("claim {name} is not translated: {why}", name=claim.name, why=why)
        finding = nothing_is_left_behind(path, message, msg(BUILT, target=scope.target, folder=FOLDER))
        yield Leftover(name, with_location(document, finding, part.object))


def _translate_overlay(document: Document, bases: Sequence[OverlayBase], settings: Settings) -> PartResult:
    """The result for an overlay of a pod; all of its bases must need the same edits."""
    part = PartResult()
    edits: list[_Changes] = []
    try:
        for base in bases:
            patched_keys = (
                replace(base.patched.keys, claims=base.claims) if base.claims else base.patched.keys
            )
            of_part = () if is_operations(document) else dialects_of(base.patch.keys, settings)
            dialects = _each_once(
                *of_part, *dialects_of(patched_keys, settings), *dialects_of(base.base.keys, settings)
            )
            part.sources = _each_once(*part.sources, *dialects)
            if dialects in ((), (settings.to,)):
                edits.append(_Changes([], [], partial(_fits, document, base, base.root, base.patched_root)))
            else:
                pod = base.patched._replace(keys=patched_keys)
                edits.append(_edits(document, base._replace(patched=pod), dialects, settings, part))
    except (_CannotError, CannotMergeError, EditError, RecursionError) as error:
        pod = bases[0].patch
        for finding in other_dialects(pod.keys, settings):  # else nothing says them where the part is left
            path = _path_in(document, finding.path, bases[0].places)
            if path is not None:
                part.diagnostics.append(with_location(document, replace(finding, path=path), pod.object))
        part.left = message_of(error)
        return part
    if not edits or refuses(part.diagnostics):
        return part
    common = next((changes for changes in edits if all(map(changes.serves, edits))), None)
    if common is not None:
        part.edits, part.patches = common.edits, common.patches
        return part
    pairs = zip(bases, edits, strict=True)
    other = next(base.base.object for base, changes in pairs if not edits[0].serves(changes))
    part.left = msg(_UNLIKE, object=_object_name(bases[0].base.object), other=_object_name(other))
    return part


def _object_name(ref: ObjectRef) -> str:
    return cut(f"{ref.kind}/{ref.name}", MAX_NAME)


def patch_changes(state: State) -> Changes:
    """The new patches of templates after a document of a patch file; and the removal of the document, where
    it is a patch of a template that is replaced."""
    document, scope = state.document, state.settings.scope
    changes = Changes([], [], [], [], [])
    for patch in state.role.templates(document) if state.role.templates else ():
        if not replaced_backends(patch.classes, scope):
            continue
        why = patch.why or (None if patch.users else _UNUSED)
        why = why or next(
            (_not_a_patch(user) for user in patch.users if not _is_taken(patch, user, state.settings)), None
        )
        why = why or (_IN_LIST if patch.path else None)
        if why is None:
            changes.splices.append(Splice(document.start, document.end, ""))
        else:
            name = (patch.ref.name or "")[:MAX_NAME]
            message = msg(
                "the patch of {kind} {name} is not translated: {why}", kind=TEMPLATE, name=name, why=why
            )
            hint = msg(BUILT, target=scope.target, folder=FOLDER)
            finding = nothing_is_left_behind((*patch.path, "metadata", "name"), message, hint)
            changes.leftovers.append(
                Leftover(name, with_location(document, finding, replace(patch.ref, name=name)))
            )
    if state.patches:
        changes.splices.append(append_documents(document, state.patches))
    return changes


def _not_a_patch(user: ObjectRef) -> Message:
    message = "the document before it is not a patch of its {kind} {name} that can be translated"
    return msg(message, kind=user.kind or "document", name=(user.name or "")[:MAX_NAME])


def _is_taken(patch: TemplatePatch, user: ObjectRef, settings: Settings) -> bool:
    """Whether the document before the patch of a template is a translatable patch of ``user``, so that it
    takes over the amounts of the claims."""
    document, overlays_before = patch.before or (None, ())
    for overlay in overlays_before if document else ():
        over = overlay.under(settings.renamed).bases
        if document and overlay.unknown is None and any(base.base.object == user for base in over):
            part = _translate_overlay(document, over, settings)
            if part.sources and part.left is None and not refuses(part.diagnostics):
                return True
    return False


def _left_cards(
    document: Document, part: PartResult, pod: Pod, places: Places, settings: Settings
) -> Iterator[Leftover]:
    """Whole cards in an overlay that is not translated: nothing else reports their key."""
    keys = {source.whole_card_key for source in part.sources} - {settings.to.whole_card_key}
    for container in pod.keys.all_containers():
        for name, value in container.resources.items():
            path = _path_in(document, value.path, places)
            if name in keys and part.left and path is not None:
                scope, on_key = settings.scope, path[-1:] == (name,)
                finding = scope.finding(
                    name, Place.RESOURCE, path, part.left, scope.hint(BUILT), on_key=on_key
                )
                yield Leftover(name, with_location(document, finding, pod.object), part.left == BELOW)


def _decided(document: Document, base: OverlayBase, settings: Settings) -> tuple[DecidedPod, DecidedPod]:
    """The decisions about the base, and those about the patched pod."""
    assert settings.decisions is not None
    of_pod = partial(settings.decisions.decide_pod, settings.accept)
    if base.base.object.kind == VALUES:
        main = os.path.join(os.path.dirname(document.source.name), MAIN_VALUES[0])
        based = replace(document, source=Source(main, ""))
        below = of_pod(based, base.base, settings.to.name, by_file=True)
        return below, of_pod(document, base.patch, settings.to.name, by_file=True).over(below)
    below = of_pod(document, base.base, settings.to.name, by_file=False)
    return below, of_pod(document, base.patch, settings.to.name, by_file=True).over(below)


def _each_once(*dialects: Backend) -> tuple[Backend, ...]:
    return tuple({dialect.name: dialect for dialect in dialects}.values())


def _edits(
    document: Document, base: OverlayBase, dialects: tuple[Backend, ...], settings: Settings, part: PartResult
) -> _Changes:
    """The edits that make the translated base the translated patched pod. Raises _CannotError,
    CannotMergeError, EditError.

    Findings about the patched pod that the base does not have are added to those of the overlay.
    """
    target, patched = settings.to, base.patched
    missing = next((claim.missing for claim in patched.keys.claims if claim.missing), None)
    if missing:
        raise _CannotError(missing.message)
    base_dialects, patched_dialects = (dialects_of(pod.keys, settings) for pod in (base.base, patched))
    if target in base_dialects and dialects != base_dialects:
        message = "the object that it patches already uses {target}: translate both in one run"
        raise _CannotError(msg(message, target=target.name))
    based, over = _decided(document, base, settings) if settings.decisions else (None, None)
    before = fit_and_check(
        document.with_root(base.root), base.base, base_dialects, settings, based, base.home
    )
    after = fit_and_check(
        document.with_root(base.patched_root), patched, patched_dialects, settings, over, base.home
    )
    if based is not None and over is not None:
        part.judged.append(over.judge_overlay(after.fit, based.judge(before.fit)))
    if refuses(before.findings):
        raise _CannotError(BELOW)
    base_findings = set(map(code_and_message, before.findings))
    findings = (
        after.findings if patched_dialects else []
    )  # nothing is translated of a pod that has no share any more
    for finding in findings:
        if code_and_message(finding) not in base_findings:
            at = replace(finding, path=base.places.of(finding.path))
            part.diagnostics.append(with_location(document, at, base.patch.object))
    if refuses(findings):
        return _Changes([], [], lambda _edits: True)
    patches = _template_patches(document, base, before.fit.keys, after.fit.keys, base_dialects, settings)
    new_base = _written(base.base, base.root, before.fit.keys, base_dialects, target)
    new_patched = _written(patched, base.patched_root, after.fit.keys, patched_dialects, target)
    edits = _difference(document, base, new_base, new_patched, role_of_key((*dialects, target)))
    fit = partial(_fits, document, base, new_base, new_patched)
    if not fit(edits):
        raise _CannotError(_OTHERWISE)
    return _Changes(edits, patches, fit)


def _written(
    pod: Pod, root: nodes.Mapping, keys: PodKeys, sources: tuple[Backend, ...], target: Backend
) -> nodes.Mapping:
    """The object of a pod in keys of the target. Raises EditError."""
    if sources in ((), (target,)):
        return root
    edits = share_edits(pod, keys, sources, target, mirror_requests=True)
    node = apply_edits(root, edits, pod.siblings)
    return node if isinstance(node, nodes.Mapping) else root


def _difference(
    document: Document, base: OverlayBase, new_base: nodes.Mapping, new_patched: nodes.Mapping, role: KeyRole
) -> list[Edit]:
    """The edits that the patch needs. Raises CannotMergeError, EditError."""
    if not is_operations(document):
        layers = Layers(
            base.root, new_base, base.patched_root, new_patched, base.apply(new_base, document, True)
        )
        return OverlayDifference(base.patch_tree, base.lists, role).edits(layers)
    replayed = apply_operations(new_base, document, lenient=True)
    layers = Layers(base.root, new_base, base.patched_root, new_patched, replayed.root)
    edits = OverlayDifference(base.patch_tree, base.lists, role, operates=True).edits(layers)
    below = partial(nodes.get, new_base)
    return operation_edits(
        document, edits, base.operation_paths, lambda path: below(*path), base.places, replayed
    )


def _fits(
    document: Document,
    base: OverlayBase,
    new_base: nodes.Mapping,
    new_patched: nodes.Mapping,
    edits: list[Edit],
) -> bool:
    """Whether the patch with these edits, applied to the new base, gives the new patched object."""
    assert document.root is not None
    patch_root = narrow(document.root, base.within) if base.within else document.root
    try:
        again = replace(document, root=apply_edits(patch_root, edits, base.patch.siblings))
        return are_alike(base.apply(new_base, again, False), new_patched)
    except (CannotMergeError, EditError):
        return False


def _template_patches(
    document: Document,
    base: OverlayBase,
    before: PodKeys,
    after: PodKeys,
    replaced: Sequence[Backend],
    settings: Settings,
) -> list[dict[str, object]]:
    """The patches of the base's templates of claims that make them request what the patched pod does.

    kustomize has no schema of templates: it replaces their lists. Raises _CannotError.
    """
    new = {claim.name: claim for claim in after.claims}
    if new == {claim.name: claim for claim in before.claims} and _claimed(before) == _claimed(after):
        return []
    if is_operations(document):
        raise _CannotError(msg("what a claim requests is in another object, which no operation can change"))
    if _claimed(before) != _claimed(after):
        raise _CannotError(msg("it adds or removes the claim of a container, or changes its name"))
    why = base.why_alone or why_not_appendable(document)
    if why:
        raise _CannotError(why)
    based = document.with_root(base.root)
    pods = [*pods_in(based)]
    by_place = dict(zip((pod.keys.path for pod in pods), suffixes(pods), strict=True))
    suffix = by_place.get(base.base.keys.path, "")
    writing = with_templates(based, base.base, before, suffix, replaced, settings.shared_names)
    if writing.findings:
        raise _CannotError(writing.findings[0].message)
    pairs = [
        (template.data, template._replace(claim=new[template.claim.name]).data)
        for template in writing.templates
    ]
    return [patch for old, data in pairs if (patch := patch_of(old, data))]


def _claimed(keys: PodKeys) -> set[tuple[bool, str, tuple[ClaimUse, ...]]]:
    """The claims of containers by name."""
    return {
        (container.init, container.name, container.claims)
        for container in keys.all_containers()
        if container.claims
    }
