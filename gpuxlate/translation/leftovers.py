"""Leftovers of a translation: keys of the source that are not translated (GX026)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.manifest.hits import places_beside
from gpuxlate.manifest.key_texts import resource_of
from gpuxlate.manifest.named_keys import NamedKey, annotations_named, keys_named
from gpuxlate.manifest.node_choices import NodeChoice, choices_in
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import Pod, chart_values
from gpuxlate.model.declarations import Positive, Printed, PrintedAs, RuleCode, record, regex
from gpuxlate.model.diagnostics import Diagnostic, Path, Severity, prefixes
from gpuxlate.model.keys import ANY, Place
from gpuxlate.model.messages import Message, join_or, msg
from gpuxlate.model.pod import KeyOccurrence, Level, PodKeys, Value, key_occurrences
from gpuxlate.overlays.kustomization import KUSTOMIZATIONS
from gpuxlate.overlays.roles import may_be_values
from gpuxlate.rules.key_index import IGNORE, KeyIndex
from gpuxlate.rules.keys import not_read, product_is_read
from gpuxlate.rules.translation import nothing_is_left_behind, unread_accelerators
from gpuxlate.translation.pod_run import PodRun
from gpuxlate.yamltext.parse import Document, with_location
from gpuxlate.yamltext.source import Source

_NAME = regex(r"(?:[A-Za-z0-9][A-Za-z0-9.-]*/)?[A-Za-z0-9._-]+")
_COMMENT = regex(r"(?:^|(?<=\s))#[^\n]*|\{\{-?\s*/\*.*?\*/", re.DOTALL)
"""A comment of YAML (to the end of its line) or of a template."""
_FACTS_OF_A_CLUSTER = ("Node",)
"""Kinds whose keys describe machines and request nothing."""

LEFT = "{name} is not translated: {why}"
BY_HAND = "write it in keys of {target} by hand, or pass --allow-leftovers"
IN_CHART_VALUES = "it is in the values of a chart"
CHECK_CHART = (
    "write it in keys of {target} by hand, or pass --allow-leftovers; what the chart makes of it shows "
    "helm template CHART --values FILE | gpuxlate lint -"
)
RENDERED = "translate what the template renders: helm template CHART | gpuxlate translate - --to {target}"
PRINTED = "translate what the template renders: gpuxlate translate - --to {target}"
BUILT = "translate what kustomize builds: kubectl kustomize {folder} | gpuxlate translate - --to {target}"
FOLDER = "DIR"
"""What ``BUILT`` names where the folder is not known yet."""
KEY_OF_TARGET = (
    "{name} is a key of {target}: nothing reads it before the translation, and the new share makes it count"
)
REMOVE_OR_ALLOW = "remove it, or pass --allow-leftovers where it is meant"
NO_SHARE = "its pod requests no share"
REQUESTS_WHOLE_CARDS = "its pod requests whole cards by a key that every cloud uses"
OTHER_KEYS = "its pod requests GPUs by other keys"
READ_THEM = "pass --from {dialect} to translate them, or --allow-leftovers"
NO_CHART = (
    "name this file values*.yaml beside the Chart.yaml of its chart, change it by hand, "
    "or pass --allow-leftovers"
)
HALF = "translate that share by hand, put it into a file of its own, or leave this file out: --exclude FILE"
UNREAD = "write it in keys of the target by hand, or pass --allow-leftovers"
IN_TEXT = "it is in a string"
TOLERATIONS, TOLERATED = "tolerations", "it is a taint that the pod tolerates"
VARIABLE = "another tool sets a number of its pod (GX036)"
BELOW = msg("the object that it patches is not translated")
FIRST_BELOW = "correct the findings about that object first"
MACHINES = "choose machines of the new cluster, or remove it; --allow-leftovers keeps it"
DECIDE = "decide about {amount}, and write it in keys of {target} by hand, or pass --allow-leftovers"
ROUND = "pass --round up to write {number}, or --allow-leftovers"
DROP_DEVICE = "pass --drop device to write it for the cards of {target}, or --allow-leftovers"
NAME_NO_CLAIM = "translate that place by hand and name no claim there, or pass --allow-leftovers"
GIVE_USERS = "give the workloads that use it to the same command, remove it, or pass --allow-leftovers"
ALLOWED = {
    BY_HAND: "write it in keys of {target} by hand",
    CHECK_CHART: (
        "write it in keys of {target} by hand; what the chart makes of it shows "
        "helm template CHART --values FILE | gpuxlate lint -"
    ),
    REMOVE_OR_ALLOW: "remove it where it is not meant",
    READ_THEM: "pass --from {dialect} to translate them",
    NO_CHART: "name this file values*.yaml beside the Chart.yaml of its chart, or change it by hand",
    UNREAD: "write it in keys of the target by hand",
    MACHINES: "choose machines of the new cluster, or remove it",
    DECIDE: "decide about {amount}, and write it in keys of {target} by hand",
    ROUND: "pass --round up to write {number}",
    DROP_DEVICE: "pass --drop device to write it for the cards of {target}",
    NAME_NO_CLAIM: "translate that place by hand and name no claim there",
    GIVE_USERS: "give the workloads that use it to the same command, or remove it",
}
"""The same hints where --allow-leftovers is given."""


class FileTexts(NamedTuple):
    """The reason why a key of a file is left where there is no other reason, and the hint.

    ``of_pods``: the reason in a pod without a share; None where the requests of the pod give it. ``below``:
    the hint where the base cannot be translated. ``of_objects``: the file has whole objects.
    """

    why: str
    hint: str
    below: str
    of_pods: str | None = None
    of_objects: bool = False


IN_MANIFESTS = FileTexts("it is not in a pod", BY_HAND, BY_HAND, of_objects=True)
IN_VALUES = FileTexts("it is not in a part of these values (a mapping with resources)", BY_HAND, FIRST_BELOW)
IN_PATCHES = FileTexts("this file is a patch", BUILT, BUILT, "this file is a patch")


@record
class PrintedLeftover(Printed):
    """A place where something of the source is not translated."""

    file: str | None
    """The file as it was given; <stdin> for standard input."""
    line: Positive | None
    """Line of the key, from 1."""
    column: Positive | None
    """Its column, from 1, in characters."""
    key: str
    """The key."""
    code: RuleCode
    """Code of the rule."""
    message: str
    """Why it is left."""
    hint: str | None
    """What to do."""


@record
class Leftover(PrintedAs):
    """A key that a translation leaves behind, and its finding: an error until ``judge_leftover`` accepts it.

    ``final``: nothing accepts it. ``of_share``: a share has it, which is not translated.
    """

    key: str
    diagnostic: Diagnostic
    final: bool = False
    of_share: bool = False

    @property
    def follows(self) -> bool:
        """Whether the key is in an overlay that is translated as soon as its base can be."""
        message = self.diagnostic.message
        return isinstance(message, Message) and message.values.get("why") == BELOW

    def printed(self) -> PrintedLeftover:
        finding, span = self.diagnostic, self.diagnostic.span
        line, column = (span.line, span.column) if span else (None, None)
        return PrintedLeftover(
            finding.file, line, column, self.key, finding.code, finding.message, finding.hint
        )


class LeftoverScope(NamedTuple):
    """The dialects whose keys count as not translated (None: all), and the target."""

    source: str | None
    target: str
    words: KeyIndex
    renamed: Mapping[str, str]  # names of resources in this cluster

    def is_left(
        self, name: str, place: Place | None = None, *, beside_gpus: bool = False, meant: bool = True
    ) -> bool:
        """Whether a key is left: it is of a dialect that is read and not of the target, or of a product that
        is not read.

        ``beside_gpus``: a container of its pod requests GPUs; without, keys that other software reads too are
        not left. ``meant``: false for a general word that no dialect reads in this pod. Outside of pods,
        whole accelerators that are not read are left too; in pods and quotas, other functions report them.
        """
        if place is None and self.words.unread(name):
            return True
        if self.is_foreign(name):
            return False
        is_of_dialect = meant and _left(self.renamed.get(name, name), self.source, self.target, beside_gpus)
        return is_of_dialect or self.words.product(name, place) is not None

    def places(self, document: Document, pods: Iterable[PodKeys]) -> Sequence[int]:
        """The characters at which the text of a document may name keys outside of its pods."""
        return places_beside(document, pods, self.words.search(*self.renamed))

    def is_foreign(self, name: str) -> bool:
        """Whether no dialect and no product has the key, in this cluster or elsewhere."""
        return self.words.is_foreign(name) and name not in self.renamed

    def keys_of(self, pod: PodKeys) -> Iterator[KeyOccurrence]:
        """The keys of a pod that some dialect or product has."""
        return (occurrence for occurrence in key_occurrences(pod) if not self.is_foreign(occurrence.name))

    def finding(
        self, name: str, place: Place | None, path: Path, why: str, hint: Message, *, on_key: bool
    ) -> Diagnostic:
        """The finding about a key that is left. ``why``, ``hint``: for a key of a dialect."""
        counts = self.words.unread(name)
        if counts:
            return unread_accelerators(path, name, counts, on_key=on_key)
        product = self.words.product(name, place)
        if product:
            message = not_read(name, product)
            return product_is_read.diagnostic(path, message, UNREAD, severity=Severity.ERROR, on_key=on_key)
        return nothing_is_left_behind.diagnostic(path, msg(LEFT, name=name, why=why), hint, on_key=on_key)

    def hint(self, template: str) -> Message:
        """The hint for a key that is left."""
        return msg(template, target=self.target, folder=FOLDER)

    def reader(self, name: str, resources: Set[str]) -> str | None:
        """The dialect of a key that would read whole cards of its pod, if ``--from`` named it."""
        readers = registry.pod_backends() if self.source is None else ()
        backends = (
            backend for backend in readers if backend.whole_card_key in resources and backend.owns(name)
        )
        return next((backend.name for backend in backends if backend.whole_card_key != name), None)


@lru_cache(maxsize=8192)
def _left(name: str, source: str | None, target: str, general: bool) -> bool:
    """Whether a key is of a dialect that is read, not of the target too, and not written by a scheduler.
    ``general``: keys that other software reads too count."""
    if name == IGNORE or registry.get(target).owns(name):
        return False
    for backend in registry.pod_backends() if source is None else (registry.get(source),):
        row = backend.find(name)
        if backend.owns(name) and (
            row is None or (Place.WRITTEN_BY_SCHEDULER not in row.places and row.general <= general)
        ):
            return True
    return False


OtherDialectsAfter = Callable[[PodRun], Sequence[Backend]]
"""The other dialects that count once a pod has its new share."""


def left_in_document(
    document: Document,
    runs: Sequence[PodRun],
    scope: LeftoverScope,
    places: Sequence[int],
    texts: FileTexts,
    why_left: str | None,
    handled: Set[Path],
    other_dialects_after: OtherDialectsAfter,
) -> Iterator[Leftover]:
    """Every key of the source in a document but those that were read with a share.

    ``places``: where its text may name keys outside of its pods. ``texts``: why a key of its file is left.
    ``why_left``: why operations were not translated. ``handled``: the places of edits, and of what was read
    outside of pods. ``other_dialects_after``: the dialects, beside the target, that count once a pod has its
    new share.
    """
    pods = [run.pod for run in runs]
    reported: set[Path] = set()
    for run in runs:
        yield from _left_in_pod(document, run, scope, texts, other_dialects_after, reported)
    annotations = [*_left_words(document, pods, scope)]
    charts = chart_values(document) if places or annotations else frozenset()
    yield from (_outside(document, key, scope, texts, why_left, charts) for key in annotations)
    if places:  # most documents have none
        of_machines = (path for ref, path, _ in objects_in(document) if ref.kind in _FACTS_OF_A_CLUSTER)
        handled = {*handled, *of_machines}
        for key in keys_named(document, scope.is_left, places, bare=True):
            above = {key.path[:length] for length in range(len(key.path) + 1)}
            if key.path not in reported and above.isdisjoint(handled):
                yield _outside(document, key, scope, texts, why_left, charts)


def _left_in_pod(
    document: Document,
    run: PodRun,
    scope: LeftoverScope,
    texts: FileTexts,
    other_dialects_after: OtherDialectsAfter,
    reported: set[Path],
) -> Iterator[Leftover]:
    """The keys of a pod that were not read with a share, and those that take effect only beside its new
    share.

    ``reported``: the places in pods that need no other finding, such as a label that two pods of one object
    have; those of this pod are added.
    """
    words, pod, sources = scope.words, run.pod, run.dialects or ()
    names = {name for container in pod.keys.all_containers() for name in container.resources}
    other_dialects: Sequence[Backend] | None = None  # asked for by the first key that may need it
    gpus = bool(sources) or any(map(words.is_resource, names))
    occurrences = [*scope.keys_of(pod.keys)]
    for occurrence in occurrences:
        meant = words.is_meant(occurrence.name, occurrence.place, pod.keys)
        is_left = scope.is_left(occurrence.name, occurrence.place, beside_gpus=gpus, meant=meant)
        if is_left and occurrence.path not in reported:
            reported.add(occurrence.path)
            is_of_sources = any(source.owns(occurrence.name) for source in sources)
            if not is_of_sources and occurrence.name not in words.joined(names):
                reader = scope.reader(occurrence.name, names)
                none = REQUESTS_WHOLE_CARDS if reader else _how_pod_requests(names, words)
                why = run.why_left or texts.of_pods or none
                hint = scope.hint(texts.below if why == BELOW else texts.hint)
                if reader and why is REQUESTS_WHOLE_CARDS:
                    hint = msg(READ_THEM, dialect=reader)
                on_key = occurrence.path[-1:] == (occurrence.name,)
                finding = scope.finding(
                    occurrence.name, occurrence.place, occurrence.path, why, hint, on_key=on_key
                )
                other_dialects = (
                    other_dialects_after(run) if other_dialects is None and sources else other_dialects
                )
                counting = _finding_if_counting(occurrence, other_dialects or ())
                final = counting is not None or why == BELOW
                diagnostic = with_location(document, counting or finding, pod.object)
                yield Leftover(occurrence.name, diagnostic, final, of_share=run.why_left is not None)
        elif sources and not (is_left or meant) and words.owners(occurrence.name):
            other_dialects = other_dialects_after(run) if other_dialects is None else other_dialects
            counting = _finding_if_counting(occurrence, other_dialects)
            if counting is not None:
                yield Leftover(occurrence.name, with_location(document, counting, pod.object), final=True)
    reported |= {  # those of containers are found with what the pod requests
        value.path
        for container in pod.keys.all_containers()
        for resources in (container.limits, container.requests)
        for name, value in resources.items()
        if words.unread(name) is not None
    }
    if sources:
        yield from _of_the_target(document, pod, occurrences, sources, registry.get(scope.target))
        # a label of the pod and a selector that matches it: an error, which ``find_obstacles`` reports
        reported |= {path for name, path in pod.keys.selected.items() if name in pod.keys.labels}


def _how_pod_requests(names: Set[str], words: KeyIndex) -> str:
    """Why a pod with these resources, none of which was read as a share, has no share."""
    if names & registry.whole_card_keys():
        return REQUESTS_WHOLE_CARDS
    asks = any(words.is_resource(name) or words.unread(name) for name in names)
    return OTHER_KEYS if asks else NO_SHARE


def half_translated(leftover: Leftover) -> Diagnostic:
    """The finding that one share of a file would be translated and another not: no option accepts a file of
    two dialects."""
    message = msg(
        "{file} would be in two dialects: a share of it is not translated", file=leftover.diagnostic.file
    )
    diagnostic: Diagnostic = nothing_is_left_behind(leftover.diagnostic.path, message, msg(HALF))
    return diagnostic.located(
        **{name: getattr(leftover.diagnostic, name) for name in ("file", "document", "object", "span")}
    )


_WORD_KEY = regex(r"""([A-Za-z0-9._-]+)["']?\s*:(?=\s|$)""")
_CHOSEN = regex(r"""schedulerName["']?\s*:\s*["']?([\w.-]+)""")
_LABEL = regex(r"""([A-Za-z0-9][A-Za-z0-9.-]*/[A-Za-z0-9._-]+)["']?\s*:""")


def _pod_in_text(text: str, names: Iterable[str]) -> PodKeys:
    """A pod with the scheduler and the labels that a text names, and with annotations of these names."""
    scheduler = _CHOSEN.search(text)
    return PodKeys(
        labels={name: Value.of("") for name in _LABEL.findall(text)},
        annotations={name: Value.of("") for name in names},
        scheduler_name=Value.of(scheduler[1]) if scheduler else None,
    )


def _left_words(document: Document, pods: Sequence[Pod], scope: LeftoverScope) -> Iterator[NamedKey]:
    """Annotations with general names that are a vendor's in this document, outside of the pods that are
    read."""
    words = scope.words.words
    held = document.held_beside(words)
    if not scope.words.has_word(held, document.source.text, document.start, document.end):
        return
    read = {occurrence.path for pod in pods for occurrence in key_occurrences(pod.keys)}
    keys = [key for key in annotations_named(document, words) if key.path not in read]
    pod = _pod_in_text(document.text, (key.name for key in keys))
    for key in keys:
        meant = scope.words.is_meant(key.name, Place.ANNOTATION, pod)
        if meant and scope.is_left(key.name, Place.ANNOTATION, beside_gpus=True):
            yield key


def _finding_if_counting(occurrence: KeyOccurrence, other_dialects: Sequence[Backend]) -> Diagnostic | None:
    """The finding about a key of another dialect that takes effect beside the new share, if it is one: no
    option accepts a pod of two dialects."""
    dialect = next(
        (backend for backend in other_dialects if backend.owns_at(occurrence.name, occurrence.place)), None
    )
    if dialect is None:
        return None
    message = msg(KEY_OF_TARGET, name=occurrence.name, target=dialect.name)
    return nothing_is_left_behind.diagnostic(occurrence.path, message, "remove it", on_key=occurrence.on_key)


def _outside(
    document: Document,
    key: NamedKey,
    scope: LeftoverScope,
    texts: FileTexts,
    reason: str | None,
    charts: Set[Path],
) -> Leftover:
    why, hint = texts.why, texts.hint
    name = os.path.basename(document.source.name)
    if charts and not charts.isdisjoint(prefixes(key.path)):
        why, hint = IN_CHART_VALUES, CHECK_CHART
    elif key.embedded and texts.of_objects:
        why = IN_TEXT
    elif TOLERATIONS in key.path and texts.of_objects:
        why = TOLERATED
    if key.embedded and name in KUSTOMIZATIONS:
        hint = BUILT
    elif texts.of_objects and may_be_values(name):
        hint = NO_CHART
    elif reason:
        hint = _operations_hint(reason, hint)
    finding = scope.finding(key.name, None, key.path, reason or why, scope.hint(hint), on_key=key.on_key)
    span = document.source.span(*key.at) if key.at else None
    return Leftover(key.name, with_location(document, finding.located(span=span)))


def _operations_hint(reason: str, otherwise: str) -> str:
    """The hint for keys in operations that are not translated."""
    from gpuxlate.overlays.kustomize_errors import CORRECT
    from gpuxlate.overlays.operations import is_refused

    return CORRECT if is_refused(reason) else otherwise


def _of_the_target(
    document: Document,
    pod: Pod,
    occurrences: Iterable[KeyOccurrence],
    sources: Sequence[Backend],
    target: Backend,
) -> Iterator[Leftover]:
    """Keys of the target that the pod had before: nothing read them, and beside the new share they take
    effect."""
    for occurrence in occurrences:
        row = target.find(occurrence.name)
        if row is None or Place.WRITTEN_BY_SCHEDULER in row.places or occurrence.level is Level.STRAY:
            continue
        if occurrence.place is Place.RESOURCE or ANY in row.no_op_values:  # K8S007; what changes no share
            continue
        if row.is_word and occurrence.place not in row.places:
            continue
        if occurrence.name == target.whole_card_key or any(
            source.owns(occurrence.name) for source in sources
        ):
            continue
        message = msg(KEY_OF_TARGET, name=occurrence.name, target=target.name)
        finding = nothing_is_left_behind.diagnostic(
            occurrence.path, message, REMOVE_OR_ALLOW, on_key=occurrence.on_key
        )
        yield Leftover(occurrence.name, with_location(document, finding, pod.object))


def left_machines(document: Document, runs: Sequence[PodRun], scope: LeftoverScope) -> Iterator[Leftover]:
    """Node choices for machines of another cloud than the target's, in objects with shares."""
    target = registry.get(scope.target)
    clouds = [backend for backend in registry.pod_backends() if backend.cloud and backend is not target]
    pods: dict[Path, Pod] = {}
    dialects: dict[Path, set[str]] = {}
    for run in runs:
        if run.dialects:
            pods.setdefault(run.pod.object_path, run.pod)
            dialects.setdefault(run.pod.object_path, set()).update(dialect.name for dialect in run.dialects)
    seen: set[Path] = set()
    for path, names in dialects.items():
        sources = [registry.get(name) for name in sorted(names)]
        others = [backend for backend in clouds if backend in sources or target.cloud]
        for choice in choices_in(document, path) if others else ():
            if choice.path in seen or any(dialect.owns(choice.name) for dialect in (*sources, target)):
                continue
            seen.add(choice.path)
            of = [
                other for other in others if other.cloud and other.cloud.chooses(choice.name, choice.values)
            ]
            if target.cloud and target.cloud.chooses(choice.name, choice.values):
                of = [other for other in of if other in sources]  # two clouds have machines of one name
            if of:
                meant = [other for other in of if other in sources] or of  # as above
                message = _machine(choice, meant)
                finding = nothing_is_left_behind.diagnostic(
                    choice.path, message, MACHINES, on_key=choice.on_key
                )
                yield Leftover(choice.name, with_location(document, finding, pods[path].object))


def _machine(choice: NodeChoice, targets: Sequence[Backend]) -> Message:
    title = join_or(msg(cloud.title) for target in targets if (cloud := target.cloud))
    if choice.tolerated:
        return msg(
            "{name} is not translated: it is a taint of nodes of {title}", name=choice.name, title=title
        )
    name = f"{choice.name} ({', '.join(choice.values)})" if choice.values else choice.name
    return msg("{name} is not translated: it chooses machines of {title}", name=name, title=title)


def left_in_text(
    source: Source, scope: LeftoverScope, start: int = 0, end: int | None = None, document: int | None = None
) -> Iterator[Leftover]:
    """Every key of the source in characters that cannot be read as YAML: those of a template."""
    why, hint = "this is a Helm template", RENDERED
    if source.foreign_tag:
        why, hint = "this is a template", PRINTED
    plain = _COMMENT.sub(lambda match: " " * len(match[0]), source.text[start:end])
    keys = {match.start(): match[1] for match in _WORD_KEY.finditer(plain) if match[1] in scope.words.words}
    pod = _pod_in_text(plain, keys.values())
    for match in _NAME.finditer(plain):
        name = resource_of(match[0])
        is_word = match.start() in keys and scope.words.is_meant(name, Place.ANNOTATION, pod)
        if scope.is_left(name, Place.ANNOTATION if is_word else None, beside_gpus=is_word):
            span = source.span(start + match.end() - len(name), start + match.end())
            finding = scope.finding(name, None, (), why, scope.hint(hint), on_key=False)
            yield Leftover(
                name, finding.located(file=source.name, document=document, span=span), of_share=True
            )
