"""The shares of the objects that kustomize builds, and what of a build is not known.

Objects are read as they are built, with their patches: the files that they are made of are not counted by
themselves. Each share is reported in the file that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from functools import partial

from gpuxlate.claims.index import ClaimIndex
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.manifest.claims import claims_of
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.diagnostics import Diagnostic, ObjectRef, Path, Severity
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import Missing, PodClaim
from gpuxlate.overlays.built_objects import Object
from gpuxlate.overlays.kustomization import kustomization_at
from gpuxlate.overlays.kustomize import NOT_THERE, Built
from gpuxlate.overlays.kustomize_errors import CORRECT
from gpuxlate.overlays.operations import is_operations
from gpuxlate.overlays.patched_pods import patched_pods
from gpuxlate.overlays.roles import MANIFESTS
from gpuxlate.overlays.run_builds import BuildPlaces, Builds, refused_at
from gpuxlate.overlays.run_claims import ClaimLookup
from gpuxlate.rules.translation import nothing_is_left_behind
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import State, Task, judge_leftover
from gpuxlate.translation.pod_run import PodRun
from gpuxlate.translation.results import Result
from gpuxlate.yamltext.parse import Document, with_location

PIPED = "count what kustomize builds: kubectl kustomize {folder} | gpuxlate {command}"


def run_build(build: Built, builds: Builds, settings: Settings, task: Task, left: Set[str]) -> Result:
    """Do a task with the objects of a build: their shares, and what is wrong with them.

    ``left``: files that have leftovers already; these have the same hint, so that none is added.
    """
    places = BuildPlaces(build, builds)
    claims = _claims(build)
    whole = Result()
    left_out = partial(_left, places, settings, task.command)
    missed = [
        leftover
        for leftover in _missed(build, places, settings, left_out)
        if leftover.diagnostic.file not in left
    ]
    for obj in build.objects:
        if obj.is_template:
            continue
        document = places.of(obj.document).with_root(obj.root)
        lookup = settings.claims.beside(document.source)
        pods = [_claimed_in_build(pod.under(settings.renamed), claims, lookup) for pod in pods_in(document)]
        built_settings = (
            replace(
                settings,
                decisions=replace(settings.decisions, built=decisions_on(obj, build, places, settings)),
            )
            if settings.decisions
            else settings
        )
        part = State(document=document, settings=built_settings, role=MANIFESTS, task=task)
        part.runs += (PodRun(_called(pod, obj)) for pod in pods)
        task.run("shares", part)
        if obj.unknown:
            if part.items or places.patches_may_have_gpu_keys:
                name = cut(f"{obj.identity.kind}/{obj.identity.names[-1][0]}", MAX_NAME)
                message = msg("{name} is not counted: {why}", name=name, why=obj.unknown)
                missed.append(left_out(name, message, places.of(obj.document), obj.path))
            continue
        if settings.decisions:
            from gpuxlate.translation.decisions import place_judged

            def written_in(path: Path, obj: Object = obj) -> str | None:
                return places.locate(Diagnostic("", Severity.INFO, "", path=path), obj).file

            whole.judged += place_judged(part.judged, settings.decisions, written_in, document.source.name)
        place = partial(places.locate, obj=obj)
        whole.items += (
            replace(item, build=places.folder, diagnostics=tuple(map(place, item.diagnostics)))
            for item in part.items
        )
        whole.diagnostics += map(place, (*part.diagnostics, *part.remarks))
        whole.leftovers += (replace(left, diagnostic=place(left.diagnostic)) for left in part.leftovers)
    missed = [
        judge_leftover(leftover, folder=lambda: places.folder, allowed=settings.allow_leftovers)
        for leftover in missed
    ]
    whole.leftovers += missed
    whole.diagnostics += (leftover.diagnostic for leftover in missed)
    whole.sources += places.sources.values()
    return whole


def decisions_on(obj: Object, build: Built, places: BuildPlaces, settings: Settings) -> tuple[str, ...]:
    """The names that entries have for a built object: that of the object in its file, and those of its
    patches."""
    assert settings.decisions is not None
    name, namespace = obj.identity.names[0]
    ref = ObjectRef(None, obj.identity.kind, namespace, name)
    patches = {places.of(text.host or text.document).source.name for text in build.texts}
    name_of_object = settings.decisions.object(ref, obj.document.source.name)
    return name_of_object, *sorted(map(settings.decisions.file, patches))


def _called(pod: Pod, obj: Object) -> Pod:
    """The pod with the name and namespace that its object has in the build."""
    if pod.object_path:
        return pod
    name, namespace = obj.identity.names[-1]
    ref = replace(
        pod.object,
        name=cut(name, MAX_NAME) if name else None,
        namespace=cut(namespace, MAX_NAME) if namespace else None,
    )
    return pod._replace(object=ref)


def _claims(build: Built) -> tuple[ClaimIndex, dict[str, Message]]:
    """The built templates of claims, and by the name of each unknown one why it is not known."""
    templates = [
        (claim, obj.unknown)
        for obj in build.objects
        if obj.is_template
        for claim in claims_of(obj.document.with_root(obj.root))
    ]
    index = ClaimIndex.of_objects(claim for claim, why in templates if not why)
    return index, {claim.name: why for claim, why in templates if why}


def _claimed_in_build(pod: Pod, claims: tuple[ClaimIndex, dict[str, Message]], lookup: ClaimLookup) -> Pod:
    """The pod with the devices of its claims: from the built templates, else from the files of the run."""
    if not pod.keys.claims:
        return pod
    index, unknown = claims

    def choose(built: PodClaim, elsewhere: PodClaim) -> PodClaim:
        why = unknown.get(built.template.text) if built.template else None
        if why:
            return replace(built, missing=Missing(why, "translate what kustomize builds"))
        return elsewhere if built.missing else built

    pairs = zip(index.resolved(pod, "").keys.claims, lookup.resolve(pod).keys.claims, strict=True)
    return pod._replace(keys=replace(pod.keys, claims=tuple(choose(*pair) for pair in pairs)))


def _left(
    places: BuildPlaces,
    settings: Settings,
    command: str,
    name: str,
    message: Message,
    at: Document,
    path: Path,
) -> Leftover:
    """A leftover that is not counted, with the ``command`` that counts it."""
    hint = msg(PIPED, folder=places.folder, command=command.format(target=settings.to.name))
    return Leftover(name, with_location(at, nothing_is_left_behind(path, message, hint)))


def _missed(
    build: Built, places: BuildPlaces, settings: Settings, left: Callable[..., Leftover]
) -> Iterator[Leftover]:
    """The parts of a build that were not read, and patches whose object is not there."""
    host = kustomization_at(build.folder)
    if build.refused:
        finding = nothing_is_left_behind((), build.refused.why, msg(CORRECT))
        yield Leftover(places.folder, refused_at(finding, build.refused, places))
        return
    if build.unread and host:
        message = msg("not all of {folder} is counted: {why}", folder=places.folder, why=build.unread)
        yield left(places.folder, message, places.of(host), ())
        return
    for piece in build.unmatched_patches:
        about_pods = is_operations(piece.document) or patched_pods(piece.document)
        if about_pods and might_have_gpu_keys(piece.document.text.encode(), settings.profile):
            message = msg("a patch is not counted: {why}", why=NOT_THERE)
            leftover = left(places.folder, message, piece.document, ("metadata", "name"))
            start = piece.document.start
            yield replace(leftover, diagnostic=places.written(leftover.diagnostic, piece, (start, start)))
