"""What patches are laid over: the pods of their objects as kustomize has them before the patch.

And patches of templates of claims: the workloads that use the template, and what is said of them beside it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from gpuxlate.inputs.bounded import StrPath
from gpuxlate.inputs.files import HELD
from gpuxlate.manifest.claims import MARKS, claims_of
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.claims import TEMPLATE
from gpuxlate.model.diagnostics import ObjectRef
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.model.sheet import Place
from gpuxlate.model.spots import spots
from gpuxlate.overlays.json6902 import Operation, is_operations, operations
from gpuxlate.overlays.kustomization import UnknownError, changed_names, naming
from gpuxlate.overlays.kustomize import (
    NOT_THERE,
    Hit,
    Object,
    patched,
    root_of,
    tree,
)
from gpuxlate.overlays.merge import TEMPLATES, CannotMergeError
from gpuxlate.overlays.parts import OverlayBase, OverlayPod, TemplatePatch, laid_over
from gpuxlate.overlays.patches import own_part, part_of_operations, patched_pods
from gpuxlate.yamltext.compose import Document, TooMuchError, documents
from gpuxlate.yamltext.nodes import Mapping, get_text

_UNUSED = say("no kustomization applies it")
_MORE = say("it does more than set and delete keys")
_TESTED = say("an operation tests, moves or copies keys of the pod")
_MOVED = say("an operation adds or removes an item within a list of the pod")
_TARGETED = say("its kustomization names a target, which all documents of the file are for")
_RENAMED = say("a kustomization renames its object, and kustomize does not rename what names a template")

_BUILD = "give each patch its objects by name, or use what kustomize builds: kubectl kustomize DIR"

_SHIFTS = ("add", "remove", "move", "copy")


def overlay_pods(path: StrPath, document: Document) -> list[OverlayPod]:
    """The pods of a document of a patch file, all that each is laid over, or why that is not known.

    Only files are read: nothing is raised for their content, but TooMuchError where the patches of their
    repository are more work than a limit allows.
    """
    whole = is_operations(document)
    pods = [] if whole else patched_pods(document)
    found: dict[Path, list[OverlayBase | Message]] = {pod.keys.path: [] for pod in pods}
    for hit in _hits_of(path, document):
        if hit.too_much and hit.why:
            raise TooMuchError(hit.why, document.root.start if document.root else document.start, _BUILD)
        objects = [one for one in hit.objects if not one.is_template]
        reasons = [hit.why, *(one.unknown for one in objects), None if objects else NOT_THERE]
        why = next((one for one in reasons if one), None)
        if why:
            for place in found or [()]:
                found.setdefault(place, []).append(why)
            continue
        for one in objects:
            for place, base in (
                _operated(one, document) if whole else _merged(one, document, pods, targeted=hit.targeted)
            ):
                claimed = base if isinstance(base, Message) else _claimed(base, one, hit)
                found.setdefault(place, []).append(claimed)
    return [
        OverlayPod(
            pod,
            tuple(one for one in found[place] if isinstance(one, OverlayBase)),
            next((one for one in found[place] if isinstance(one, Message)), None),
        )
        for pod, place in ([(None, place) for place in found] if whole else [(p, p.keys.path) for p in pods])
    ]


def renamed_pods(path: StrPath, document: Document) -> list[Pod]:
    """The pods of a kustomization whose objects get other names, and templates of claims only there.

    None where it tells kustomize what names a template (its ``configurations``).
    """
    folder = os.path.dirname(os.path.abspath(path))
    kustomizations = tree(root_of(folder))
    try:
        if not changed_names(document.root) or kustomizations.follows(folder, TEMPLATE):
            return []
    except UnknownError:  # a configuration that cannot be read says nothing
        pass
    found = (one for one in kustomizations.built(folder).objects if not one.is_template)
    return [pod for one in found for pod in pods_in(document.with_root(one.root))]


def _hits_of(path: StrPath, document: Document) -> Iterator[Hit]:
    """What the patch is for, in each kustomization that uses it."""
    file, used = os.path.abspath(path), False
    try:
        for folder in naming(file):
            kustomizations = tree(root_of(folder))
            for user in kustomizations.users(folder):
                built = kustomizations.built(user)
                used = True
                if built.too_much:
                    yield Hit(why=built.too_much, too_much=True)
                    continue
                hits = [*built.hits.get((file, document.index), ()), *built.hits.get((file, -1), ())]
                yield from hits or [Hit(why=built.unread or _UNUSED)]
        if not used:
            yield Hit(why=_UNUSED)
    except UnknownError as error:
        yield Hit(why=error.message)


def _claimed(base: OverlayBase, one: Object, hit: Hit) -> OverlayBase:
    """A pod and its part with their claims: before, and after the patches of templates behind the part."""
    renamed = len({name for name, _ in one.identity.names}) > 1
    alone = _TARGETED if hit.targeted else _RENAMED if renamed else None
    if not base.base.keys.claims:
        return base._replace(alone=alone)
    before, after = (some.index.resolved(base.base, "") for some in (hit.before, hit.after))
    return base._replace(base=before, claims=after.keys.claims, alone=alone)


Found = Iterator[tuple[Path, OverlayBase | Message]]


def _merged(one: Object, document: Document, pods: list[Pod], *, targeted: bool) -> Found:
    """Each pod of a strategic merge patch over those of an object."""
    kind = one.identity.kind
    try:
        root, _ = patched(one, document, targeted=targeted)
    except CannotMergeError as error:
        yield from ((pod.keys.path, error.message) for pod in pods)
        return
    before, after = _pods_of(document, one.root), _pods_of(document, root)
    for pod in pods:
        place = pod.keys.path
        part = pod._replace(keys=own_part(document, pod))
        was, now = before.get(place), after.get(place)
        if was and now and any(isinstance(step, int) for step in place):  # in a list that is replaced
            was = was._replace(keys=_emptied(was.keys))
        if was is None or now is None:
            yield place, say("the object that it patches has no pod there")
        elif laid_over(was.keys, part.keys) == now.keys:
            yield place, OverlayBase(was, part, one.root)
        elif (one.api_version, kind) in TEMPLATES:
            yield place, _MORE
        else:
            yield place, say("kustomize replaces lists of {kind} as a whole", kind=kind)


def _emptied(keys: PodKeys) -> PodKeys:
    """The pod with what its workload has alone."""
    return PodKeys(
        owner_labels=keys.owner_labels,
        owner_annotations=keys.owner_annotations,
        path=keys.path,
        metadata_path=keys.metadata_path,
    )


def _pods_of(document: Document, root: Mapping) -> dict[Path, Pod]:
    found: dict[Path, Pod] = {}
    for pod in pods_in(document.with_root(root)):
        found.setdefault(pod.keys.path, pod)
    return found


def _operated(one: Object, document: Document) -> Found:
    """Each pod of an object that operations change."""
    try:
        root, places = patched(one, document, targeted=True)
    except CannotMergeError as error:
        yield (), error.message
        return
    before, after = _pods_of(document, one.root), _pods_of(document, root)
    done = list(zip(operations(document), places, strict=True))
    about = tuple(place for operation, place in done if operation.op != "test")
    for place in {**before, **after}:
        was, now = before.get(place), after.get(place)
        if was is None or now is None:
            yield place, say("the object that it patches has no pod there")
            continue
        why = _unclear(was.keys, done) or _unclear(now.keys, done)
        part = part_of_operations(was, now, about)
        if why:
            yield place, why
        elif laid_over(was.keys, part.keys) == now.keys:
            yield place, OverlayBase(was, part, one.root)
        else:
            yield place, _MORE


def _unclear(keys: PodKeys, done: list[tuple[Operation, Path]]) -> Message | None:
    """Why the keys of a pod cannot be told from operations: they look at keys, or move items of lists."""
    named = [one.path for one in spots(keys) if "/" in one.name or one.place is Place.ENV]
    lists = {
        tuple(map(str, path[:depth]))
        for path in named
        for depth, step in enumerate(path)
        if isinstance(step, int)
    }
    lists |= {tuple(map(str, one.path[:-1])) for one in keys.all_containers()}
    for operation, place in done:
        if operation.op not in ("add", "replace", "remove"):
            looked = (tuple(map(str, place)), operation.start)
            if any(tuple(map(str, path[: len(one)])) == one for path in named for one in looked if one):
                return _TESTED
        shifts = [place] if operation.op in _SHIFTS and operation.steps[-1:] != ("-",) else []
        shifts += [operation.start] if operation.op == "move" else []
        if any(str(path[-1]).isdecimal() and tuple(map(str, path[:-1])) in lists for path in shifts):
            return _MOVED
    return None


# -- patches of templates of claims -------------------------------------------------------------------

MOST_BEFORE = 100
"""Documents of one file that are read for each patch of a template behind them."""
_TOO_MANY = say("its file has more than {number} documents before it", number=MOST_BEFORE)
_HAS_TARGET = say("its kustomization names a target for it")
_NO_NAME = say("it does not name what it is for")


def template_patches(path: StrPath, document: Document) -> list[TemplatePatch]:
    """The patches of templates in a document of a patch file.

    Only files are read: nothing is raised for their content.
    """
    if not document.holds(*MARKS):
        return []
    found = [(ref, where) for ref, where, _ in objects_in(document) if ref.kind == TEMPLATE]
    if not found:
        return []
    said = next(claims_of(document), None)
    hits = list(_hits_of(path, document))
    templates = [one for hit in hits for one in hit.objects]
    known = [claim for one in templates for claim in claims_of(document.with_root(one.root))]
    classes = {name for claim in (*known, *([said] if said else ())) for name in claim.devices.classes()}
    why = next((reason for hit in hits if (reason := _why(hit))), None if said else _NO_NAME)
    users = {user: None for hit in hits for one in hit.objects for user in _users(one, hit, document)}
    if document.index > MOST_BEFORE:
        why = why or _TOO_MANY
    over = None if why else _workload_before(path, document)
    beside = (over, overlay_pods(path, over)) if over else None
    return [TemplatePatch(where, ref, frozenset(classes), tuple(users), beside, why) for ref, where in found]


def _workload_before(path: StrPath, document: Document) -> Document | None:
    """The last document before this one that is of no template."""
    source, held = document.source, HELD.texts.get(os.path.abspath(path))
    read = held.documents if held and held.source.text == source.text else documents
    before = list(islice(read(source), document.index))
    about = (one for one in reversed(before) if get_text(one.root, "kind") != TEMPLATE)
    return next(about, None)


def _why(hit: Hit) -> Message | None:
    unknown = next((one.unknown for one in hit.objects if one.unknown), None)
    return hit.why or unknown or (_HAS_TARGET if hit.targeted else None)


def _users(one: Object, hit: Hit, document: Document) -> Iterator[ObjectRef]:
    """The objects with pods that name a template."""
    named = {(claim.namespace, claim.name) for claim in claims_of(document.with_root(one.root))}
    for other in hit.workloads:
        for pod in pods_in(document.with_root(other.root)):
            for claim in pod.keys.claims:
                if claim.template and (pod.object.namespace, claim.template.text) in named:
                    yield pod.object
