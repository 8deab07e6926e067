"""Translate what is laid over other files: a patch over its object, values over those of every release.

Both are read alone and laid over what is below them; the part is the difference of the two translations.
So the translated file, laid over the translated files below, gives the translation of the whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.claims.documents import append_documents, why_not_appendable
from gpuxlate.claims.index import ClaimIndex
from gpuxlate.claims.templates import patch_of, with_templates
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.manifest.claims import claims_of
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.pods import Numbered, Pod, pods_in
from gpuxlate.model.diagnostics import Diagnostic, Edit, ObjectRef, Path, Severity
from gpuxlate.model.keys import Place
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import Message, message_of, msg
from gpuxlate.model.pod import (
    TEMPLATE,
    ClaimUse,
    Missing,
    PodClaim,
    PodKeys,
)
from gpuxlate.overlays.differences import Layers, OverlayDifference, Role, alike, edited
from gpuxlate.overlays.kustomization import kustomization_at
from gpuxlate.overlays.kustomize import NOT_THERE, BuildPlaces, Builds, Built, Object, refused_at
from gpuxlate.overlays.parts import OverlayBase, OverlayPod, Places, TemplatePatch
from gpuxlate.overlays.patches import CannotMergeError, is_operations, of_pods, op_edits, patched_pods
from gpuxlate.overlays.refusals import CORRECT
from gpuxlate.overlays.roles import MANIFESTS
from gpuxlate.overlays.run_claims import ClaimLookup
from gpuxlate.overlays.values import MAIN_VALUES
from gpuxlate.rules.translation import nothing_is_left_behind
from gpuxlate.translation.claims import Changes, replaced_backends
from gpuxlate.translation.edits import role_of, share_edits
from gpuxlate.translation.leftovers import BELOW, BUILT, FOLDER, Leftover, LeftoverScope
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import State, Task, settled
from gpuxlate.translation.pod import fitted, words_of
from gpuxlate.translation.pod_run import PodRun
from gpuxlate.translation.results import Result
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
_UNLIKE = "the objects that it is laid over need different values: {object} and {other}"
_OTHERWISE = msg("what it sets in the object is not where its translation would set it")
_IN_PATCH = msg("this file is a patch")


@dataclass(slots=True)
class PartResult:
    """What comes of a part. ``sources``: the dialects that were read. ``left``: why it cannot be translated;
    None where it was, or where an error says it. ``patches``: of templates of claims, as plain data."""

    sources: tuple[Backend, ...] = ()
    left: str | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    judged: list[JudgedObject] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    patches: list[dict[str, object]] = field(default_factory=list)


class _Changes(NamedTuple):
    """The edits of a part for one pod below it, and its patches of templates of claims. ``fit``: whether
    others do the same there."""

    edits: list[Edit]
    patches: list[dict[str, object]]
    fit: Callable[[list[Edit]], bool]

    def serves(self, other: _Changes) -> bool:
        """These do for another pod what its own do."""
        return self.patches == other.patches and (self.edits == other.edits or other.fit(self.edits))


class _CannotError(Exception):
    """The part does not support what changes."""


def translate_part(state: State, run: PodRun) -> None:
    """Add the result of a part that is laid over pods of other files, and what it leaves behind."""
    made = _part(state, run.pod, run.bases, run.unknown)
    if made.left:
        run.why_left = made.left
    else:
        run.dialects = made.sources


def translate_operations(state: State, operations: OverlayPod) -> None:
    """The same of a list of operations."""
    bases = operations.over
    made = _part(state, None, bases, operations.unknown)
    if made.left:
        state.why_left = made.left
    elif made.sources:
        state.edited.update(of_pods(state.document, [one.part for one in bases]))


def _part(state: State, pod: Pod | None, bases: Sequence[OverlayBase], unknown: str | None) -> PartResult:
    """``pod``: what is said of one; None where the document says something of its object only."""
    document, settings = state.document, state.settings
    said = bases[0].part if bases else pod
    places = bases[0].places if bases else None
    claimed = list(_claims_of_part(document, said, places, state.claims, settings.scope)) if said else []
    why = unknown or (_NAMES_CLAIMS if claimed else None)
    made = PartResult(left=why) if why else _translate_over(document, bases, settings)
    state.diagnostics += made.diagnostics
    state.judged += made.judged
    if made.edits or made.patches:
        state.edits += made.edits
        state.patches += made.patches
        state.kept += bases[0].part.siblings
    if made.left:
        state.leave(claimed)
        if said and places:
            state.leave(_left_cards(document, made, said, places, settings))
    return made


def _path_in(document: Document, path: Path, places: Places | None) -> Path | None:
    """Where a part says what is at a place; None where it does not. Operations have paths of the object."""
    if places is None or not is_operations(document):
        return path
    return places.of(path) if places.says(path) else None


def _claims_of_part(
    document: Document, part: Pod, places: Places | None, beside: ClaimLookup, scope: LeftoverScope
) -> Iterator[Leftover]:
    """The claims that a part of a pod names, as a patch does: those of devices that would be replaced, and
    those that are not known."""
    for claim in beside.resolve(part).keys.claims:
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
        found = nothing_is_left_behind(path, message, msg(BUILT, target=scope.target, folder=FOLDER))
        yield Leftover(name, with_location(document, found, part.object))


def _translate_over(document: Document, over: Sequence[OverlayBase], settings: Settings) -> PartResult:
    """The edits of a part of a pod that is laid over pods of other files, which must agree on them."""
    made = PartResult()
    edits: list[_Changes] = []
    try:
        for one in over:
            whole = replace(one.whole.keys, claims=one.claims) if one.claims else one.whole.keys
            said = () if is_operations(document) else dialects_of(one.part.keys, settings)
            mine = _each_once(*said, *dialects_of(whole, settings), *dialects_of(one.base.keys, settings))
            made.sources = _each_once(*made.sources, *mine)
            if mine in ((), (settings.to,)):
                edits.append(_Changes([], [], partial(_fits, document, one, one.root, one.after)))
            else:
                pod = one.whole._replace(keys=whole)
                edits.append(_edits(document, one._replace(whole=pod), mine, settings, made))
    except (_CannotError, CannotMergeError, EditError, RecursionError) as error:
        pod = over[0].part
        for found in other_dialects(pod.keys, settings):  # else nothing says them where the part is left
            path = _path_in(document, found.path, over[0].places)
            if path is not None:
                made.diagnostics.append(with_location(document, replace(found, path=path), pod.object))
        made.left = message_of(error)
        return made
    if not edits or refuses(made.diagnostics):
        return made
    common = next((one for one in edits if all(map(one.serves, edits))), None)
    if common is not None:
        made.edits, made.patches = common.edits, common.patches
        return made
    pairs = zip(over, edits, strict=True)
    other = next(one.base.object for one, changes in pairs if not edits[0].serves(changes))
    made.left = msg(_UNLIKE, object=_called_in(over[0].base.object), other=_called_in(other))
    return made


def _called_in(ref: ObjectRef) -> str:
    return cut(f"{ref.kind}/{ref.name}", MAX_NAME)


def patch_changes(state: State) -> Changes:
    """The new patches of templates behind a document of a patch file, and it where it is one that goes."""
    document, scope = state.document, state.settings.scope
    made = Changes([], [], [], [], [])
    for one in state.role.templates(document) if state.role.templates else ():
        if not replaced_backends(one.classes, scope):
            continue
        why = one.why or (None if one.users else _UNUSED)
        why = why or next(
            (_not_said(user) for user in one.users if not _is_taken(one, user, state.settings)), None
        )
        why = why or (_IN_LIST if one.path else None)
        if why is None:
            made.splices.append(Splice(document.start, document.end, ""))
        else:
            name = (one.ref.name or "")[:MAX_NAME]
            message = msg(
                "the patch of {kind} {name} is not translated: {why}", kind=TEMPLATE, name=name, why=why
            )
            hint = msg(BUILT, target=scope.target, folder=FOLDER)
            found = nothing_is_left_behind((*one.path, "metadata", "name"), message, hint)
            made.leftovers.append(Leftover(name, with_location(document, found, replace(one.ref, name=name))))
    if state.patches:
        made.splices.append(append_documents(document, state.patches))
    return made


def _not_said(user: ObjectRef) -> Message:
    message = "the document before it is not a patch of its {kind} {name} that can be translated"
    return msg(message, kind=user.kind or "document", name=(user.name or "")[:MAX_NAME])


def _is_taken(patch: TemplatePatch, user: ObjectRef, settings: Settings) -> bool:
    """The document before the patch of a template says of an object what the patch says of its claims."""
    document, laid = patch.before or (None, ())
    for one in laid if document else ():
        over = one.under(settings.renamed).over
        if document and one.unknown is None and any(each.base.object == user for each in over):
            made = _translate_over(document, over, settings)
            if made.sources and made.left is None and not refuses(made.diagnostics):
                return True
    return False


def _left_cards(
    document: Document, made: PartResult, pod: Pod, places: Places, settings: Settings
) -> Iterator[Leftover]:
    """Whole cards in a part that is left: their key is no dialect's, so nothing else says it."""
    keys = {one.whole_card_key for one in made.sources} - {settings.to.whole_card_key}
    for container in pod.keys.all_containers():
        for name, value in container.resources.items():
            path = _path_in(document, value.path, places)
            if name in keys and made.left and path is not None:
                found = settings.scope.found(name, Place.RESOURCE, path, made.left, BUILT)
                yield Leftover(name, with_location(document, found, pod.object), made.left == BELOW)


def _decided(document: Document, one: OverlayBase, settings: Settings) -> tuple[DecidedPod, DecidedPod]:
    """What is accepted of the pod that a part is laid over, and of the whole."""
    assert settings.decisions is not None
    of_pod = partial(settings.decisions.of_pod, settings.accept)
    if one.base.object.kind == VALUES:
        main = os.path.join(os.path.dirname(document.source.name), MAIN_VALUES[0])
        based = replace(document, source=Source(main, ""))
        below = of_pod(based, one.base, settings.to.name, by_file=True)
        return below, of_pod(document, one.part, settings.to.name, by_file=True).over(below)
    below = of_pod(document, one.base, settings.to.name, by_file=False)
    return below, of_pod(document, one.part, settings.to.name, by_file=True).over(below)


def _each_once(*dialects: Backend) -> tuple[Backend, ...]:
    return tuple({one.name: one for one in dialects}.values())


def _edits(
    document: Document, one: OverlayBase, mine: tuple[Backend, ...], settings: Settings, part: PartResult
) -> _Changes:
    """The edits that make the translated base the translated whole. Raises _CannotError, CannotMergeError,
    EditError.

    What is wrong with the whole, and not with the base alone, is added to the part.
    """
    target, whole = settings.to, one.whole
    missing = next((claim.missing for claim in whole.keys.claims if claim.missing), None)
    if missing:
        raise _CannotError(missing.message)
    below, above = (dialects_of(pod.keys, settings) for pod in (one.base, whole))
    if target in below and mine != below:
        message = "what it is laid over is in keys of {target} already: translate both in one run"
        raise _CannotError(msg(message, target=target.name))
    based, over = _decided(document, one, settings) if settings.decisions else (None, None)
    before = fitted(document.with_root(one.root), one.base, below, settings, based, one.home)
    after = fitted(document.with_root(one.after), whole, above, settings, over, one.home)
    if based is not None and over is not None:
        part.judged.append(over.judged_beside(after.fit, based.judged(before.fit)))
    if refuses(before.found):
        raise _CannotError(BELOW)
    known = set(map(words_of, before.found))
    for found in after.found:
        if words_of(found) not in known:
            at = replace(found, path=one.places.of(found.path))
            part.diagnostics.append(with_location(document, at, one.part.object))
    if refuses(after.found):
        return _Changes([], [], lambda _edits: True)
    patches = _template_patches(document, one, before.fit.keys, after.fit.keys, below, settings)
    new_below = _written(one.base, one.root, before.fit.keys, below, target)
    new_whole = _written(whole, one.after, after.fit.keys, above, target)
    edits = _difference(document, one, new_below, new_whole, role_of((*mine, target)))
    fit = partial(_fits, document, one, new_below, new_whole)
    if not fit(edits):
        raise _CannotError(_OTHERWISE)
    return _Changes(edits, patches, fit)


def _written(
    pod: Pod, root: nodes.Mapping, wanted: PodKeys, sources: tuple[Backend, ...], target: Backend
) -> nodes.Mapping:
    """The object of a pod in keys of the target. Raises EditError."""
    if sources in ((), (target,)):
        return root
    edits = share_edits(pod, wanted, sources, target, mirror_requests=True)
    made = edited(root, edits, pod.siblings)
    return made if isinstance(made, nodes.Mapping) else root


def _difference(
    document: Document, one: OverlayBase, new_below: nodes.Mapping, new_whole: nodes.Mapping, role: Role
) -> list[Edit]:
    """What the part has to say otherwise. Raises CannotMergeError, EditError."""
    operates = is_operations(document)
    made = one.lay(new_below, document, True)
    layers = Layers(one.root, new_below, one.after, new_whole, made)
    edits = OverlayDifference(one.said, one.lists, role, operates).edits(layers)
    if not operates:
        return edits
    return op_edits(document, edits, one.operated, lambda path: nodes.get(new_below, *path) is not None)


def _fits(
    document: Document,
    one: OverlayBase,
    new_below: nodes.Mapping,
    new_whole: nodes.Mapping,
    edits: list[Edit],
) -> bool:
    """The part with these edits, laid over the new object below it, makes the new whole."""
    assert document.root is not None
    try:
        again = replace(document, root=edited(document.root, edits, one.part.siblings))
        return alike(one.lay(new_below, again, False), new_whole)
    except (CannotMergeError, EditError):
        return False


def _template_patches(
    document: Document,
    one: OverlayBase,
    before: PodKeys,
    after: PodKeys,
    replaced: Sequence[Backend],
    settings: Settings,
) -> list[dict[str, object]]:
    """What the templates of the base have to change to request what the whole pod does. Raises _CannotError.

    kustomize has no schema of templates: it replaces their lists.
    """
    new = {one.name: one for one in after.claims}
    if new == {one.name: one for one in before.claims} and _claimed(before) == _claimed(after):
        return []
    if is_operations(document):
        raise _CannotError(msg("what a claim requests is in another object, which no operation can change"))
    if _claimed(before) != _claimed(after):
        raise _CannotError(msg("it adds or removes the claim of a container, or changes its name"))
    why = one.alone or why_not_appendable(document)
    if why:
        raise _CannotError(why)
    based = document.with_root(one.root)
    pods = Numbered(pods_in(based))
    writing = with_templates(based, one.base, before, pods, replaced, settings.shared_names)
    if writing.found:
        raise _CannotError(writing.found[0].message)
    pairs = [(one.data, one._replace(claim=new[one.claim.name]).data) for one in writing.templates]
    return [made for old, data in pairs if (made := patch_of(old, data))]


def _claimed(keys: PodKeys) -> set[tuple[bool, str, tuple[ClaimUse, ...]]]:
    """The claims of containers by name."""
    return {(one.init, one.name, one.claims) for one in keys.all_containers() if one.claims}


# The shares of what kustomize builds, each reported where it is written; and what is not known to be built.
# Objects are translated as they are built, patches and all: the files that they are made of are not counted
# by themselves.
PIPED = "count what kustomize builds: kubectl kustomize {folder} | gpuxlate {command}"


def run_build(made: Built, builds: Builds, settings: Settings, task: Task, left: Set[str]) -> Result:
    """Do a task with the objects of a build: their shares, and what is wrong with them.

    ``left``: files in which something is not translated already, whose hint is the same.
    """
    places = BuildPlaces(made, builds)
    claims = _claims(made)
    whole = Result()
    left_out = partial(_left, places, settings, task.command)
    missed = [one for one in _missed(made, places, settings, left_out) if one.diagnostic.file not in left]
    for one in made.objects:
        if one.is_template:
            continue
        document = places.of(one.document).with_root(one.root)
        beside = settings.claims.beside(document.source)
        pods = [_claimed_in_build(pod.under(settings.renamed), claims, beside) for pod in pods_in(document)]
        here = (
            replace(
                settings,
                decisions=replace(settings.decisions, built=decisions_on(one, made, places, settings)),
            )
            if settings.decisions
            else settings
        )
        part = State(document=document, settings=here, role=MANIFESTS, task=task)
        part.runs += (PodRun(_called(pod, one)) for pod in pods)
        task.run("shares", part)
        if one.unknown:
            if part.items or places.matter:
                name = cut(f"{one.identity.kind}/{one.identity.names[-1][0]}", MAX_NAME)
                message = msg("{name} is not counted: {why}", name=name, why=one.unknown)
                missed.append(left_out(name, message, places.of(one.document), one.path))
            continue
        if settings.decisions:
            from gpuxlate.translation.decisions import of_build

            def written_in(path: Path, one: Object = one) -> str | None:
                return places.found(Diagnostic("", Severity.INFO, "", path=path), one).file

            whole.judged += of_build(part.judged, settings.decisions, written_in, document.source.name)
        found = partial(places.found, one=one)
        whole.items += (
            replace(item, build=places.folder, diagnostics=tuple(map(found, item.diagnostics)))
            for item in part.items
        )
        whole.diagnostics += map(found, part.diagnostics)
        whole.leftovers += (replace(left, diagnostic=found(left.diagnostic)) for left in part.leftovers)
    missed = [
        settled(each, folder=lambda: places.folder, allowed=settings.allow_leftovers) for each in missed
    ]
    whole.leftovers += missed
    whole.diagnostics += (each.diagnostic for each in missed)
    whole.sources += places.sources.values()
    return whole


def decisions_on(one: Object, made: Built, places: BuildPlaces, settings: Settings) -> tuple[str, ...]:
    """The names by which entries decide about a built object: its own as it is written, and its patches."""
    assert settings.decisions is not None
    name, namespace = one.identity.names[0]
    ref = ObjectRef(None, one.identity.kind, namespace, name)
    patches = {places.of(text.host or text.document).source.name for text in made.texts}
    own = settings.decisions.object(ref, one.document.source.name)
    return own, *sorted(map(settings.decisions.file, patches))


def _called(pod: Pod, one: Object) -> Pod:
    """The pod with what its object is called where it is built."""
    if pod.object_path:
        return pod
    name, namespace = one.identity.names[-1]
    ref = replace(
        pod.object,
        name=cut(name, MAX_NAME) if name else None,
        namespace=cut(namespace, MAX_NAME) if namespace else None,
    )
    return pod._replace(object=ref)


# --- claims -----------------------------------------------------------------------------------------
def _claims(made: Built) -> tuple[ClaimIndex, dict[str, Message]]:
    """The templates of claims as they are built; and why, by name, others are not known."""
    templates = [
        (claim, one.unknown)
        for one in made.objects
        if one.is_template
        for claim in claims_of(one.document.with_root(one.root))
    ]
    known = ClaimIndex.of_objects(claim for claim, why in templates if not why)
    return known, {claim.name: why for claim, why in templates if why}


def _claimed_in_build(pod: Pod, claims: tuple[ClaimIndex, dict[str, Message]], beside: ClaimLookup) -> Pod:
    """The pod with what its claims request: as it is built, else in the files of the run."""
    if not pod.keys.claims:
        return pod
    index, unknown = claims

    def known(built: PodClaim, elsewhere: PodClaim) -> PodClaim:
        why = unknown.get(built.template.text) if built.template else None
        if why:
            return replace(built, missing=Missing(why, "translate what kustomize builds"))
        return elsewhere if built.missing else built

    pairs = zip(index.resolved(pod, "").keys.claims, beside.resolve(pod).keys.claims, strict=True)
    return pod._replace(keys=replace(pod.keys, claims=tuple(known(*pair) for pair in pairs)))


# --- what is not known ------------------------------------------------------------------------------
def _left(
    places: BuildPlaces,
    settings: Settings,
    command: str,
    name: str,
    message: Message,
    at: Document,
    path: Path,
) -> Leftover:
    """What is not counted, and the ``command`` that counts it."""
    hint = msg(PIPED, folder=places.folder, command=command.format(target=settings.to.name))
    return Leftover(name, with_location(at, nothing_is_left_behind(path, message, hint)))


def _missed(
    made: Built, places: BuildPlaces, settings: Settings, left: Callable[..., Leftover]
) -> Iterator[Leftover]:
    """What is more than was read, and patches of what is not there."""
    host = kustomization_at(made.folder)
    if made.refused:
        found = nothing_is_left_behind((), made.refused.why, msg(CORRECT))
        yield Leftover(places.folder, refused_at(found, made.refused, places))
        return
    if made.unread and host:
        message = msg("not all of {folder} is counted: {why}", folder=places.folder, why=made.unread)
        yield left(places.folder, message, places.of(host), ())
        return
    for one in made.unmatched_patches:
        about_pods = is_operations(one.document) or patched_pods(one.document)
        if about_pods and might_have_gpu_keys(one.document.text.encode(), settings.profile):
            message = msg("a patch is not counted: {why}", why=NOT_THERE)
            here = left(places.folder, message, one.document, ("metadata", "name"))
            start = one.document.start
            yield replace(here, diagnostic=places.written(here.diagnostic, one, (start, start)))
