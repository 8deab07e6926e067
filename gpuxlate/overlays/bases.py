"""The bases of patches: the pods of their objects as kustomize has them before the patch.

For patches of templates of claims too: the workloads that use the template, and the document before the
patch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Mapping as Map
from itertools import takewhile

from gpuxlate.files.find import HELD
from gpuxlate.files.read import StrPath
from gpuxlate.manifest.claims import MARK, claims_of
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.diagnostics import ObjectRef, Path
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import TEMPLATE, PodKeys
from gpuxlate.overlays.built_objects import Object, apply_patch
from gpuxlate.overlays.kustomization import changed_names, folders_naming
from gpuxlate.overlays.kustomize import NOT_THERE, RENAMED, PatchMatch, PatchPlace, load_tree, root_of
from gpuxlate.overlays.operations import PatchPlaces, is_operations
from gpuxlate.overlays.parts import Home, OverlayBase, OverlayPod, TemplatePatch
from gpuxlate.overlays.patch_targets import UnknownError
from gpuxlate.overlays.patched_pods import patched_pods
from gpuxlate.overlays.patches import CannotMergeError, lists_of
from gpuxlate.yamltext.nodes import Mapping, get_text
from gpuxlate.yamltext.parse import Document, TooMuchError, documents

_UNUSED = msg("no kustomization applies it")
_TARGETED = msg("its kustomization names a target, which all documents of the file are for")
_BUILD = "give each patch its objects by name, or use what kustomize builds: kubectl kustomize DIR"


def overlay_pods(path: StrPath, document: Document, start: int = -1) -> list[OverlayPod]:
    """The pods of a document of a patch, each with its bases, or why these are not known.

    ``path``: the file of the patch. For a patch in a string of a kustomization it is the kustomization, and
    ``start`` is the character where the string begins.

    Raises TooMuchError where the patches of the repository are more work than a limit allows, and nothing
    else for the content of files.
    """
    pods = [] if is_operations(document) else patched_pods(document)
    by_path = {pod.keys.path: pod for pod in pods}
    bases_of: dict[Path, list[OverlayBase | Message]] = {place: [] for place in by_path}
    for hit in _matches_of(path, document, start):
        if hit.too_much and hit.why:
            raise TooMuchError(hit.why, document.root.start if document.root else document.start, _BUILD)
        objects = [obj for obj in hit.objects if not obj.is_template]
        reasons = [hit.why, *(obj.unknown for obj in objects), None if objects else NOT_THERE]
        why = next((message for message in reasons if message), None)
        if why:
            for place in bases_of or [()]:
                bases_of.setdefault(place, []).append(why)
            continue
        for obj in objects:
            for place, base in _bases_in(obj, document, by_path, targeted=hit.targeted):
                claimed = base if isinstance(base, Message) else _claimed(base, obj, hit)
                bases_of.setdefault(place, []).append(claimed)
    return [
        OverlayPod(
            by_path.get(place),
            tuple(message for message in bases if isinstance(message, OverlayBase)),
            next((message for message in bases if isinstance(message, Message)), None),
        )
        for place, bases in bases_of.items()
    ]


def renamed_pods(path: StrPath, document: Document) -> list[Pod]:
    """The pods of a kustomization that renames its objects: their templates of claims get other names, and
    the references to these do not.

    Empty where it renames nothing, or its ``configurations`` tell kustomize which fields name a template.
    """
    folder = os.path.dirname(os.path.abspath(path))
    kustomizations = load_tree(root_of(folder))
    try:
        if not changed_names(document.root) or kustomizations.follows(folder, TEMPLATE):
            return []
    except UnknownError:  # a configuration that cannot be read says nothing
        pass
    objects = (obj for obj in kustomizations.built(folder).objects if not obj.is_template)
    return [pod for obj in objects for pod in pods_in(document.with_root(obj.root))]


def _matches_of(path: StrPath, document: Document, start: int) -> Iterator[PatchMatch]:
    """The matches of a patch in each kustomization that uses it."""
    file, used = os.path.abspath(path), False
    all_of_it = PatchPlace(file, start=start)
    place = all_of_it._replace(document=document.index)
    try:
        for folder in folders_naming(file) if start < 0 else (os.path.dirname(file),):
            kustomizations = load_tree(root_of(folder))
            for user in kustomizations.users(folder):
                built = kustomizations.built(user)
                used = True
                if built.too_much:
                    yield PatchMatch(why=built.too_much, too_much=True)
                    continue
                hits = [*built.hits.get(place, ()), *built.hits.get(all_of_it, ())]
                yield from hits or [PatchMatch(why=built.unread or _UNUSED)]
        if not used:
            yield PatchMatch(why=_UNUSED)
    except UnknownError as error:
        yield PatchMatch(why=error.message)


def _claimed(base: OverlayBase, obj: Object, hit: PatchMatch) -> OverlayBase:
    """A base with the place where it is written, and with the claims of both pods: before the patch, and
    after the patches of templates that follow it in its file."""
    home = Home(obj.document.source.name, obj.document.index, (*obj.path, *base.base.keys.path))
    base = base._replace(home=home)
    renamed = len({name for name, _ in obj.identity.names}) > 1
    why_alone = _TARGETED if hit.targeted else RENAMED if renamed else None
    if not base.base.keys.claims:
        return base._replace(why_alone=why_alone)
    before, after = (build.index.resolved(base.base, "") for build in (hit.before, hit.after))
    return base._replace(base=before, claims=after.keys.claims, why_alone=why_alone)


def _bases_in(
    obj: Object, document: Document, by_path: Map[Path, Pod], *, targeted: bool
) -> Iterator[tuple[Path, OverlayBase | Message]]:
    """Each pod that a patch changes, with its base. ``by_path``: the pods that the patch names, by path."""

    def apply_to(root: Mapping, document: Document, lenient: bool) -> Mapping:
        return apply_patch(obj._replace(root=root), document, targeted=targeted, lenient=lenient)[0]

    operates = is_operations(document)
    try:
        patched_root, places = apply_patch(obj, document, targeted=targeted)
    except CannotMergeError as error:
        yield from ((place, error.message) for place in by_path or [()])
        return
    lists = {} if operates else lists_of(obj.api_version, obj.identity.kind)
    written = PatchPlaces(document, patched_root, lists, places)
    patch_tree = written.patch_tree() if operates else document.root
    before, pods = _pods_of(document, obj.root), _pods_of(document, patched_root)
    for place in {**by_path, **before, **pods}:
        base, patched_pod = before.get(place), pods.get(place)
        if base is None and patched_pod is None:
            yield place, msg("the object that it patches has no pod there")
            continue
        patched_pod = patched_pod or _emptied(base or by_path[place])
        if base is None or (not operates and any(isinstance(step, int) for step in place)):
            base = _emptied(patched_pod)  # in a list that is replaced
        if operates or place in by_path or base.keys != patched_pod.keys:
            part = by_path.get(place) or patched_pod
            yield (
                place,
                OverlayBase(
                    base,
                    patched_pod,
                    part,
                    obj.root,
                    patched_root,
                    apply_to,
                    written,
                    patch_tree,
                    lists,
                    places,
                ),
            )


def _emptied(pod: Pod) -> Pod:
    """The pod without keys of its own: only the labels and annotations of its workload are left."""
    keys = pod.keys
    return pod._replace(
        keys=PodKeys(
            owner_labels=keys.owner_labels,
            owner_annotations=keys.owner_annotations,
            path=keys.path,
            metadata_path=keys.metadata_path,
        )
    )


def _pods_of(document: Document, root: Mapping) -> dict[Path, Pod]:
    by_path: dict[Path, Pod] = {}
    for pod in pods_in(document.with_root(root)):
        by_path.setdefault(pod.keys.path, pod)
    return by_path


# -- patches of templates of claims -------------------------------------------------------------------
MOST_BEFORE = 100
"""The most documents of a file that are read for each patch of a template after them."""
_TOO_MANY = msg("its file has more than {number} documents before it", number=MOST_BEFORE)
_HAS_TARGET = msg("its kustomization names a target for it")
_NO_NAME = msg("it does not name what it is for")


def template_patches(path: StrPath, document: Document, start: int = -1) -> list[TemplatePatch]:
    """The patches of templates in a document of a patch; ``path``, ``start``: as of ``overlay_pods``.

    Only files are read: nothing is raised for their content.
    """
    if not document.may_hold(MARK):
        return []
    refs = [(ref, where) for ref, where, _ in objects_in(document) if ref.kind == TEMPLATE]
    if not refs:
        return []
    claim_of_patch = next(claims_of(document), None)
    hits = list(_matches_of(path, document, start))
    templates = [obj for hit in hits for obj in hit.objects]
    claims = [claim for obj in templates for claim in claims_of(document.with_root(obj.root))]
    classes = {
        name
        for claim in (*claims, *([claim_of_patch] if claim_of_patch else ()))
        for name in claim.devices.classes()
    }
    why = next((reason for hit in hits if (reason := _why(hit))), None if claim_of_patch else _NO_NAME)
    users = {user: None for hit in hits for obj in hit.objects for user in _users(obj, hit, document)}
    if document.index > MOST_BEFORE:
        why = why or _TOO_MANY
    workload = None if why else _workload_before(path, document)
    before = (workload, overlay_pods(path, workload, start)) if workload else None
    return [TemplatePatch(where, ref, frozenset(classes), tuple(users), before, why) for ref, where in refs]


def _workload_before(path: StrPath, document: Document) -> Document | None:
    """The last document before this one that is not a template."""
    source, held = document.source, HELD.texts.get(os.path.abspath(path))
    read = held.documents if held and held.source.text == source.text else documents
    before = list(takewhile(lambda other: other.index < document.index, read(source)))
    about = (other for other in reversed(before) if get_text(other.root, "kind") != TEMPLATE)
    return next(about, None)


def _why(hit: PatchMatch) -> Message | None:
    unknown = next((obj.unknown for obj in hit.objects if obj.unknown), None)
    return hit.why or unknown or (_HAS_TARGET if hit.targeted else None)


def _users(obj: Object, hit: PatchMatch, document: Document) -> Iterator[ObjectRef]:
    """The objects with pods that name a template."""
    named = {(claim.namespace, claim.name) for claim in claims_of(document.with_root(obj.root))}
    for other in hit.workloads:
        for pod in pods_in(document.with_root(other.root)):
            for claim in pod.keys.claims:
                if claim.template and (pod.object.namespace, claim.template.text) in named:
                    yield pod.object
