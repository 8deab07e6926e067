"""Translate what is laid over other files: a patch over its object, values over those of every release.

Both are read alone and laid over what is below them; the part is the difference of the two translations.
So the translated file, laid over the translated files below, gives the translation of the whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.claims.documents import append_documents, why_not_appendable
from gpuxlate.claims.index import ClaimIndex
from gpuxlate.claims.templates import patch_of, with_templates
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.manifest.claims import claims_of
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.pods import Numbered, Pod, pods_in
from gpuxlate.model.diagnostics import Diagnostic, Edit, ObjectRef, Path, Remove, Rename, Severity, prefixes
from gpuxlate.model.keys import Place
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import Message, message_of, msg
from gpuxlate.model.pod import (
    TEMPLATE,
    ClaimUse,
    ContainerKeys,
    Missing,
    NodeRequirement,
    PodClaim,
    PodKeys,
    ScalarKind,
    Value,
    in_lists,
)
from gpuxlate.overlays.kustomization import kustomization_at
from gpuxlate.overlays.kustomize import NOT_THERE, BuildPlaces, Builds, Built, Object, refused_at
from gpuxlate.overlays.parts import OverlayBase, OverlayPod, TemplatePatch, laid_over, unknown_containers
from gpuxlate.overlays.patches import WrittenPlaces, is_operations, of_pods, op_edits, patched_pods
from gpuxlate.overlays.refusals import CORRECT
from gpuxlate.overlays.roles import MANIFESTS, FileKind
from gpuxlate.overlays.run_claims import ClaimLookup
from gpuxlate.overlays.values import MAIN_VALUES
from gpuxlate.rules.translation import nothing_is_left_behind
from gpuxlate.translation.claims import Changes, replaced_backends
from gpuxlate.translation.edits import Owned, Role, replaced_keys, role_of, share_edits
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
_IN_PATCH = msg("this file is a patch")
NULL = Value("null", ScalarKind.NULL)
"""Deletes a key in a patch, and in the values of a chart."""


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
    """The edits of a part, and its patches of templates of claims."""

    edits: list[Edit]
    patches: list[dict[str, object]]


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
    made = _part(state, bases[0].part if bases else None, bases, operations.unknown)
    if made.left:
        state.why_left = made.left
    elif made.sources:
        state.edited.update(of_pods(state.document, [one.part for one in bases]))


def _part(state: State, pod: Pod | None, bases: Sequence[OverlayBase], unknown: str | None) -> PartResult:
    """``pod``: what is said of one; of operations, of the first that they are about."""
    document, settings = state.document, state.settings
    claimed = list(_claims_of_part(document, pod, state.claims, settings.scope)) if pod else []
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
        if pod and bases:
            state.leave(_left_cards(document, made, pod, settings))
    return made


def _claims_of_part(
    document: Document, part: Pod, beside: ClaimLookup, scope: LeftoverScope
) -> Iterator[Leftover]:
    """The claims that a part of a pod names, as a patch does: those of devices that would be replaced, and
    those that are not known."""
    places = WrittenPlaces(document)
    for claim in beside.resolve(part).keys.claims:
        if claim.reference is None or (
            claim.devices and not replaced_backends(claim.devices.classes(), scope)
        ):
            continue
        why = claim.missing.message if claim.missing else _IN_PATCH
        name = claim.reference.text[:MAX_NAME]
        path = places.of(claim.reference.path)
        message = msg("claim {name} is not translated: {why}", name=claim.name, why=why)
        found = nothing_is_left_behind(path, message, msg(BUILT, target=scope.target, folder=FOLDER))
        yield Leftover(name, with_location(document, found, part.object))


def _translate_over(document: Document, over: Sequence[OverlayBase], settings: Settings) -> PartResult:
    """The edits of a part of a pod that is laid over pods of other files, which must agree on them."""
    made = PartResult()
    edits: list[_Changes] = []
    try:
        for one in over:
            keys = _whole(one)
            mine = _each_once(*dialects_of(one.part.keys, settings), *dialects_of(keys, settings))
            made.sources = _each_once(*made.sources, *mine)
            if mine and mine != (settings.to,):
                edits.append(_edits(document, one, keys, mine, settings, made))
    except (_CannotError, EditError) as error:
        pod, places = over[0].part, WrittenPlaces(document)
        for found in other_dialects(pod.keys, settings):  # else nothing says them where the part is left
            at = replace(found, path=places.of(found.path))
            made.diagnostics.append(with_location(document, at, pod.object))
        made.left = message_of(error)
        return made
    if any(one != edits[0] for one in edits[1:]):
        made.left = msg("the objects that it is laid over need different values")
    elif edits and not refuses(made.diagnostics):
        made.edits, made.patches = edits[0]
    return made


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


def _left_cards(document: Document, made: PartResult, pod: Pod, settings: Settings) -> Iterator[Leftover]:
    """Whole cards in a part that is left: their key is no dialect's, so nothing else says it."""
    keys = {one.whole_card_key for one in made.sources} - {settings.to.whole_card_key}
    places = WrittenPlaces(document)
    for container in pod.keys.all_containers():
        for name, value in container.resources.items():
            if name in keys and made.left:
                path = places.of(value.path)
                found = settings.scope.found(name, Place.RESOURCE, path, made.left, BUILT)
                yield Leftover(name, with_location(document, found, pod.object), made.left == BELOW)


def _decided(document: Document, one: OverlayBase, settings: Settings) -> tuple[DecidedPod, DecidedPod]:
    """What is accepted of the pod that a part is laid over, and of the whole."""
    assert settings.decisions is not None
    of_pod = partial(settings.decisions.of_pod, settings.accept)
    if one.base.object.kind == VALUES:
        main = os.path.join(os.path.dirname(document.source.name), MAIN_VALUES[0])
        based = replace(document, source=Source(main, ""))
        below = of_pod(based, one.base, FileKind.VALUES, settings.to.name)
        return below, of_pod(document, one.part, FileKind.VALUES, settings.to.name).over(below)
    below = of_pod(document, one.base, FileKind.MANIFESTS, settings.to.name)
    return below, of_pod(document, one.part, FileKind.PATCH, settings.to.name).over(below)


def _each_once(*dialects: Backend) -> tuple[Backend, ...]:
    return tuple({one.name: one for one in dialects}.values())


def _whole(one: OverlayBase) -> PodKeys:
    """The keys of the pod with the part. Raises _CannotError."""
    new = unknown_containers(one.base.keys, one.part.keys)
    if new:
        raise _CannotError(msg("what it is laid over has no container {name}", name=new[0].name))
    keys = laid_over(one.base.keys, one.part.keys)
    return replace(keys, claims=one.claims) if one.claims else keys


def _edits(
    document: Document,
    one: OverlayBase,
    keys: PodKeys,
    sources: tuple[Backend, ...],
    settings: Settings,
    part: PartResult,
) -> _Changes:
    """The edits that make the translated base the translated whole. Raises _CannotError, EditError.

    What is wrong with the whole, and not with the base alone, is added to the part.
    """
    target = settings.to
    whole = one.part._replace(keys=keys, lacks=one.part.lacks & one.base.lacks)
    missing = next((claim.missing for claim in keys.claims if claim.missing), None)
    if missing:
        raise _CannotError(missing.message)
    below = dialects_of(one.base.keys, settings)
    if target in below and sources != below:
        message = "what it is laid over is in keys of {target} already: translate both in one run"
        raise _CannotError(msg(message, target=target.name))
    based, over = _decided(document, one, settings) if settings.decisions else (None, None)
    before = fitted(document, one.base, below, settings, based, one.home)
    after = fitted(document, whole, dialects_of(keys, settings), settings, over, one.home)
    if based is not None and over is not None:
        part.judged.append(over.judged_beside(after.fit, based.judged(before.fit)))
    if refuses(before.found):
        raise _CannotError(BELOW)
    known = set(map(words_of, before.found))
    places = WrittenPlaces(document)
    for found in after.found:
        if words_of(found) not in known:
            part.diagnostics.append(
                with_location(document, replace(found, path=places.of(found.path)), one.part.object)
            )
    if refuses(after.found):
        return _Changes([], [])
    patches = _template_patches(document, one, before.fit.keys, after.fit.keys, below, settings)
    gone = {claim.name for claim in one.base.keys.claims if registry.has_devices_of(claim, sources)}
    difference = _Difference(replaced_keys(sources, target, keys), role_of((*sources, target)), gone)
    wanted = difference.of_pods((one.base.keys, before.fit.keys), (keys, after.fit.keys), one.part.keys)
    edits = share_edits(one.part, wanted, sources, target, mirror_requests=False)
    if not is_operations(document):
        return _Changes(edits, patches)
    own = share_edits(one.base, before.fit.keys, sources, target, mirror_requests=True)
    return _Changes(op_edits(document, edits, _Changed(one.root, own).has), [])


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
    if is_operations(document) or one.root is None:
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


class _Changed:
    """An object after some edits."""

    def __init__(self, root: nodes.Mapping | None, edits: Sequence[Edit]) -> None:
        self._root = root
        self._made: set[Path] = set()
        self._gone = {edit.path for edit in edits if isinstance(edit, (Remove, Rename))}
        for edit in edits:
            made = (*edit.path[:-1], edit.key) if isinstance(edit, Rename) else edit.path
            if not isinstance(edit, Remove):
                self._made.update(prefixes(made))

    def has(self, path: Path) -> bool:
        """Something is at a path."""
        if path in self._made or path in self._gone:
            return path in self._made
        node = nodes.get(self._root, *path)
        if isinstance(node, nodes.Mapping) and node.entries:  # what a removal empties goes with it
            return any(self.has((*path, name)) for name, *_ in nodes.entries_of(node))
        return node is not None


Pair = tuple[PodKeys, PodKeys]
"""The keys of a pod in the source's dialects, and those to write."""


class _Difference(NamedTuple):
    """What a part has to say so that the pod below it becomes the whole pod, both translated.

    ``gone``: the names of claims that are replaced.
    """

    owned: Owned
    role: Role
    gone: Set[str] = frozenset()

    def of_pods(self, below: Pair, whole: Pair, own: PodKeys) -> PodKeys:
        """``own``: the part. Raises _CannotError."""
        (base, before), (merged, after) = below, whole
        old, new = _by_name(base, before), _by_name(merged, after)
        mine = {(one.init, one.name) for one in own.all_containers()}
        for place in (old.keys() | new.keys()) - mine:
            if old.get(place) != new.get(place):
                raise _CannotError(msg("container {name} would change too", name=place[1]))
        said = {(one.init, one.name): one for one in base.all_containers()}
        made = [
            self._container(said.get(place), old.get(place), new.get(place), one)
            for one in own.all_containers()
            for place in [(one.init, one.name)]
        ]
        return PodKeys(
            *in_lists(made),
            self._changed(before.labels, after.labels, own.labels, Place.LABEL),
            self._changed(before.annotations, after.annotations, own.annotations, Place.ANNOTATION),
            self._changed(before.node_selector, after.node_selector, own.node_selector, Place.NODE_SELECTOR),
            affinity=self._affinity(before, after, own),
            scheduler_name=after.scheduler_name
            if own.scheduler_name or after.scheduler_name != before.scheduler_name
            else None,
        )

    def _container(
        self,
        base: ContainerKeys | None,
        old: ContainerKeys | None,
        new: ContainerKeys | None,
        own: ContainerKeys,
    ) -> ContainerKeys:
        """``base``: what the source has below; its translation has requests if it has some, or if neither it
        nor the part has limits or a claim."""
        old, new = old or ContainerKeys(), new or ContainerKeys()
        limited = base is not None and (self._limited(base) or self._limited(own))
        mirrored = base is not None and (self._asks(base.requests) or not limited)
        there = old.requests if mirrored else {}
        requests = self._changed(there, new.requests, own.requests, Place.RESOURCE)
        return replace(
            own,
            claims=(),
            limits=self._changed(old.limits, new.limits, own.limits, Place.RESOURCE),
            requests=requests if mirrored or self._asks(own.requests) else {},
            env={
                name: value
                for name, value in new.env.items()
                if old.env.get(name) != value or name in own.env
            },
        )

    def _limited(self, container: ContainerKeys) -> bool:
        return self._asks(container.limits) or any(one.name in self.gone for one in container.claims)

    def _asks(self, values: Mapping[str, Value]) -> bool:
        return any(self.owned(name, Place.RESOURCE) for name in values)

    def _changed(
        self, before: Mapping[str, Value], after: Mapping[str, Value], own: Mapping[str, Value], place: Place
    ) -> dict[str, Value]:
        """What changes, and what the part said before of the same fields; NULL for what goes."""
        said = {self.role(name) for name in own if self.owned(name, place)} - {None}
        made = {
            name: value
            for name, value in after.items()
            if before.get(name) != value or name in own or self.role(name) in said
        }
        return made | {name: NULL for name in before if name not in after}

    @staticmethod
    def _affinity(before: PodKeys, after: PodKeys, own: PodKeys) -> tuple[tuple[NodeRequirement, ...], ...]:
        """The terms of a part replace those below it, since lists are not merged."""
        if own.affinity or own.preferred:
            return after.affinity
        if before.affinity != after.affinity:
            raise _CannotError(msg("it would replace the affinity of the whole pod"))
        return ()


def _by_name(pod: PodKeys, wanted: PodKeys) -> dict[tuple[bool, str], ContainerKeys]:
    """The keys to write into each container of a pod, without its place."""
    made = {(one.init, one.index): one for one in wanted.all_containers()}
    return {
        (one.init, one.name): replace(made.get((one.init, one.index), ContainerKeys()), name="", index=0)
        for one in pod.all_containers()
    }


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
        moved = {id(each): places.found(each, one) for each in part.diagnostics}  # an item repeats its pod's
        whole.items += (
            replace(
                item, build=places.folder, diagnostics=tuple(moved[id(each)] for each in item.diagnostics)
            )
            for item in part.items
        )
        whole.diagnostics += moved.values()
        whole.leftovers += (
            replace(each, diagnostic=places.found(each.diagnostic, one)) for each in part.leftovers
        )
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
