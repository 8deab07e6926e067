"""The shares of what kustomize builds, each reported where it is written; and what is not known to be built.

Objects are translated as they are built, patches and all: the files that they are made of are not counted by
themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from gpuxlate.inputs.claims import ClaimIndex, ClaimText
from gpuxlate.inputs.relevance import may_matter
from gpuxlate.manifest.claims.reading import claims_of
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.claims.objects import Missing, PodClaim
from gpuxlate.model.diagnostics import Diagnostic, Span
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Path
from gpuxlate.overlays.builds import Build, Builds
from gpuxlate.overlays.claims import ClaimLookup
from gpuxlate.overlays.json6902 import is_operations
from gpuxlate.overlays.kustomization import Piece, kustomization_at
from gpuxlate.overlays.kustomize import NOT_THERE, Object
from gpuxlate.overlays.parts import OverlayPod
from gpuxlate.overlays.patches import patched_pods
from gpuxlate.overlays.roles import MANIFESTS
from gpuxlate.rules.translation import nothing_is_left_behind
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.passes import State, Task
from gpuxlate.translation.results import Result
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Alias, Mapping, Node, Scalar, Sequence
from gpuxlate.yamltext.place import node_at, placed
from gpuxlate.yamltext.source import Source

PIPED = "count what kustomize builds: kubectl kustomize {folder} | gpuxlate {command}"


def run_build(made: Build, builds: Builds, settings: Settings, task: Task, left: Set[str]) -> Result:
    """Do a task with the objects of a build: their shares, and what is wrong with them.

    ``left``: files in which something is left behind already, whose hint is the same.
    """
    places = _Places(made, builds, task.command)
    claims = _claims(made)
    whole = Result()
    missed = [one for one in _missed(made, places, settings) if one.found.file not in left]
    for one in made.objects:
        if one.is_template:
            continue
        document = replace(places.of(one.document), root=one.root, aliases=[])
        beside = settings.claims.beside(document.source)
        pods = [_claimed(pod.under(settings.renamed), claims, beside) for pod in pods_in(document)]
        part = State(document=document, settings=settings, layer=MANIFESTS, task=task)
        part.laid += (OverlayPod(_called(pod, one)) for pod in pods)
        task.run("shares", part)
        if one.unknown:
            if part.items or places.matter:
                missed.append(_unknown(one, one.unknown, places, settings))
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


def _claims(made: Build) -> tuple[ClaimIndex, dict[str, Message]]:
    """The templates of claims as they are built; and why, by name, others are not known."""
    templates = [
        (claim, one.unknown)
        for one in made.objects
        if one.is_template
        for claim in claims_of(replace(one.document, root=one.root, aliases=[]))
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


def _unknown(one: Object, why: Message, places: _Places, settings: Settings) -> Leftover:
    """An object whose patches cannot be read: it is not counted."""
    name = cut(f"{one.identity.kind}/{one.identity.names[-1][0]}", MAX_NAME)
    message = say("{name} is not counted: {why}", name=name, why=why)
    return places.left(name, message, places.of(one.document), one.path, settings)


def _missed(made: Build, places: _Places, settings: Settings) -> Iterator[Leftover]:
    """What is more than was read, and patches of what is not there."""
    host = kustomization_at(made.folder)
    if made.unread and host:
        message = say("not all of {folder} is counted: {why}", folder=places.folder, why=made.unread)
        yield places.left(places.folder, message, places.of(host), (), settings)
        return
    for one in made.lost:
        about_pods = is_operations(one.document) or patched_pods(one.document)
        if about_pods and may_matter(one.document.text.encode(), settings.profile):
            message = say("a patch is not counted: {why}", why=NOT_THERE)
            left = places.left(places.folder, message, one.document, ("metadata", "name"), settings)
            yield left._replace(
                found=places.written(left.found, one, (one.document.start, one.document.start))
            )


# --- places -----------------------------------------------------------------------------------------


@dataclass
class _Places:
    """Where the nodes of the objects of a build are written. ``command``: what counts another build;
    ``sources``: the texts, by name."""

    made: Build
    builds: Builds
    command: str
    sources: dict[str, Source] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        return self.builds.name(self.made.folder)

    @cached_property
    def matter(self) -> bool:
        """A patch may have something that requests GPUs."""
        return any(may_matter(one.document.text.encode()) for one in self.made.texts)

    @cached_property
    def _texts(self) -> dict[int, Piece]:
        """The texts of all nodes that are not of an object's own document."""
        found: dict[int, Piece] = {}
        pending = [(one.document.root, one) for one in self.made.texts]
        while pending:
            node, text = pending.pop()
            if node is None or id(node) in found:
                continue
            found[id(node)] = text
            if isinstance(node, Mapping):
                pending += [(part, text) for entry in node.entries for part in entry]
            elif isinstance(node, Sequence):
                pending += [(item, text) for item in node.items]
            elif isinstance(node, Alias):
                pending.append((node.target, text))
        return found

    def of(self, document: Document) -> Document:
        """A document of a file as the run calls it."""
        name = self.builds.name(document.source.name)
        if name not in self.sources:
            self.sources[name] = Source(name, document.source.text)
        return replace(document, source=self.sources[name])

    def left(
        self, name: str, message: Message, document: Document, path: Path, settings: Settings
    ) -> Leftover:
        hint = say(PIPED, folder=self.folder, command=self.command.format(target=settings.to.name))
        found = nothing_is_left_behind(path, message, hint)
        return Leftover(name, placed(document, replace(found, severity=settings.scope.severity)))

    def found(self, found: Diagnostic, one: Object) -> Diagnostic:
        """A finding about a built object at the place where it is written."""
        node, start, end = node_at(one.root, found.path, on_key=found.on_key)
        if node is not one.root and (first := _first_written(node)) is not node:
            node, start, end = first, first.start, first.end
        text = self._texts.get(id(node))
        if text is not None:
            return self.written(found, text, (start, end))
        document = self.of(one.document)
        if node is one.root or end == 0:  # in no text
            at = placed(document, replace(found, path=one.path, span=None))
            return replace(at, path=found.path)
        return found.located(span=document.source.span(start, end))

    def written(self, found: Diagnostic, text: Piece, at: tuple[int, int]) -> Diagnostic:
        """A finding at some characters of a text."""
        host = self.of(text.host or text.document)
        span = text.document.source.span(*at)
        if isinstance(text.value, Scalar):
            span = _within(host.source, text.value, text.document.source, span)
        return found.located(file=host.source.name, document=host.index, span=span)


def _first_written(node: Node) -> Node:
    """The node, or the first one in it that is in a text: what is merged is in none."""
    while isinstance(node, (Mapping, Sequence)) and node.end == 0 and node.handles:
        node = node.handles[0]
    return node


def _within(source: Source, value: Scalar, text: Source, span: Span) -> Span:
    """The place of characters in the text of a block scalar; else the line where that begins."""
    first, column = source.position(value.start)
    if value.style is None or value.style not in "|>":
        return Span(first, column, first, column)
    line = first + span.line
    before = source.line_text(line).find(text.line_text(span.line))
    if before < 0 or span.end_line != span.line:
        return Span(line, 1, line, 1)
    return Span(line, before + span.column, line, before + span.end_column)
