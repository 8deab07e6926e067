"""The shares of what kustomize builds, each reported where it is written; and what is not known to be built.

Objects are translated as they are built, patches and all: the files that they are made of are not counted by
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from functools import partial

from gpuxlate.inputs.claims import ClaimIndex, ClaimText
from gpuxlate.inputs.relevance import may_matter
from gpuxlate.manifest.claims import claims_of
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.claims import Missing, PodClaim
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Path
from gpuxlate.overlays.builds import BuildPlaces, Builds
from gpuxlate.overlays.claims import ClaimLookup
from gpuxlate.overlays.json6902 import is_operations
from gpuxlate.overlays.kustomization import kustomization_at
from gpuxlate.overlays.kustomize import NOT_THERE, Built, Object
from gpuxlate.overlays.parts import OverlayPod
from gpuxlate.overlays.patches import patched_pods
from gpuxlate.overlays.roles import MANIFESTS
from gpuxlate.rules.translation import nothing_is_left_behind
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.passes import State, Task
from gpuxlate.translation.results import Result
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.place import placed

PIPED = "count what kustomize builds: kubectl kustomize {folder} | gpuxlate {command}"


def run_build(made: Built, builds: Builds, settings: Settings, task: Task, left: Set[str]) -> Result:
    """Do a task with the objects of a build: their shares, and what is wrong with them.

    ``left``: files in which something is left behind already, whose hint is the same.
    """
    places = BuildPlaces(made, builds)
    claims = _claims(made)
    whole = Result()
    left_out = partial(_left, places, settings, task.command)
    missed = [one for one in _missed(made, places, settings, left_out) if one.found.file not in left]
    for one in made.objects:
        if one.is_template:
            continue
        document = places.of(one.document).with_root(one.root)
        beside = settings.claims.beside(document.source)
        pods = [_claimed(pod.under(settings.renamed), claims, beside) for pod in pods_in(document)]
        part = State(document=document, settings=settings, layer=MANIFESTS, task=task)
        part.laid += (OverlayPod(_called(pod, one)) for pod in pods)
        task.run("shares", part)
        if one.unknown:
            if part.items or places.matter:
                name = cut(f"{one.identity.kind}/{one.identity.names[-1][0]}", MAX_NAME)
                message = say("{name} is not counted: {why}", name=name, why=one.unknown)
                missed.append(left_out(name, message, places.of(one.document), one.path))
            continue
        moved = {id(each): places.found(each, one) for each in part.diagnostics}  # an item repeats its pod's
        whole.items += (
            replace(
                item, build=places.folder, diagnostics=tuple(moved[id(each)] for each in item.diagnostics)
            )
            for item in part.items
        )
        whole.diagnostics += moved.values()
        whole.leftovers += (each._replace(found=places.found(each.found, one)) for each in part.leftovers)
    whole.leftovers += missed
    whole.diagnostics += (each.found for each in missed)
    whole.sources += places.sources.values()
    return whole


def _called(pod: Pod, one: Object) -> Pod:
    """The pod with what its object is called where it is built."""
    if pod.object_path:
        return pod
    name, namespace = one.identity.names[-1]
    ref = pod.object._replace(
        name=cut(name, MAX_NAME) if name else None, namespace=cut(namespace, MAX_NAME) if namespace else None
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
    known = tuple(claim for claim, unknown in templates if not unknown)
    return ClaimIndex((ClaimText("", known),)), {claim.name: why for claim, why in templates if why}


def _claimed(pod: Pod, claims: tuple[ClaimIndex, dict[str, Message]], beside: ClaimLookup) -> Pod:
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
    hint = say(PIPED, folder=places.folder, command=command.format(target=settings.to.name))
    found = nothing_is_left_behind(path, message, hint)
    return Leftover(name, placed(at, replace(found, severity=settings.scope.severity)))


def _missed(
    made: Built, places: BuildPlaces, settings: Settings, left: Callable[..., Leftover]
) -> Iterator[Leftover]:
    """What is more than was read, and patches of what is not there."""
    host = kustomization_at(made.folder)
    if made.unread and host:
        message = say("not all of {folder} is counted: {why}", folder=places.folder, why=made.unread)
        yield left(places.folder, message, places.of(host), ())
        return
    for one in made.lost:
        about_pods = is_operations(one.document) or patched_pods(one.document)
        if about_pods and may_matter(one.document.text.encode(), settings.profile):
            message = say("a patch is not counted: {why}", why=NOT_THERE)
            here = left(places.folder, message, one.document, ("metadata", "name"))
            start = one.document.start
            yield here._replace(found=places.written(here.found, one, (start, start)))
