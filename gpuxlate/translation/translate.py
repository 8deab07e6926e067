"""Translate documents from one dialect to another: read, fit, write, edit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.config.document import KIND
from gpuxlate.inputs.claims import Beside
from gpuxlate.inputs.kustomize import FIELDS
from gpuxlate.manifest.jobs import jobs_in
from gpuxlate.manifest.layers import MANIFESTS, Kind, Laid, Layer
from gpuxlate.manifest.patches import of_pods
from gpuxlate.manifest.pods import Pod, document_keys
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.edits import Edit
from gpuxlate.model.messages import say
from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.model.profile import renamed_by
from gpuxlate.rules import catalog
from gpuxlate.rules.documents import key_is_in_a_pod
from gpuxlate.rules.index import check_document
from gpuxlate.rules.keys import key_is_known
from gpuxlate.rules.source import no_yaml, template_in, too_many, unrendered
from gpuxlate.rules.translation import nothing_is_left_behind, share_is_expressible, text_is_editable
from gpuxlate.translation.claims import (
    Named,
    applied,
    changes,
    claims_of_part,
    clashes,
    names_apart,
    patch_changes,
    unknown_claims,
)
from gpuxlate.translation.leftovers import Leftover, Translated, left_in_document, left_in_text
from gpuxlate.translation.numbered import Numbered
from gpuxlate.translation.pods.fit import Verdict
from gpuxlate.translation.pods.item import Item
from gpuxlate.translation.pods.layers import Made, is_taken, left_cards, left_part, translate_over
from gpuxlate.translation.pods.placement import Written, awakened, disagreements
from gpuxlate.translation.pods.pod import PARSE_FIRST, Part, dialects_of, refuses, translate_pod
from gpuxlate.translation.pods.remarks import common_keys, left_alone, stale_comments
from gpuxlate.translation.quotas.item import QuotaItem
from gpuxlate.translation.quotas.step import Quotas, translate_quotas
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.compose import Document, NotYamlError, Reader, documents
from gpuxlate.yamltext.edit import EditError, edit_document
from gpuxlate.yamltext.nodes import get_text
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source

_NAMES_CLAIMS = say("it names claims, which only the pod itself can")
BUILT_FROM = {(name,) for name in (*FIELDS, "labels", "commonLabels", "commonAnnotations")}
"""Fields of a kustomization from which objects are built."""
NOT_A_MANIFEST = "a GPUShare document is not a manifest: there is no pod in it"
RENDER = "gpuxlate render writes its manifest: gpuxlate render FILE --to TARGET"


@dataclass(frozen=True, slots=True)
class Translation:
    """One source, translated. ``text`` is the new text, the old one where something was refused."""

    source: Source
    text: str
    items: tuple[Item, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    quotas: tuple[QuotaItem, ...] = ()
    named: tuple[Named, ...] = ()

    @property
    def refused(self) -> bool:
        return refuses(self.diagnostics)

    @property
    def changed(self) -> bool:
        return self.text != self.source.text


def translate_source(
    source: Source, settings: Settings, read: Reader = documents, layer: Layer = MANIFESTS
) -> Translation:
    """Translate every document of a source. Errors are in the result; nothing is raised for content.

    ``read`` reads its documents, ``layer`` says what they are beside other files.
    """
    whole = Part()
    beside = settings.claims.beside(source)
    end = count = 0
    try:
        for document in read(source):
            end = document.end
            count += document.root is not None
            whole.add(_translate_document(document, settings, layer, beside))
            if len(whole.diagnostics) > limits.MAX_FINDINGS:
                last = too_many(source, whole.diagnostics[limits.MAX_FINDINGS])
                whole.diagnostics[limits.MAX_FINDINGS :] = [last]
                break
    except NotYamlError as error:
        problem = no_yaml(source, error)
        whole.diagnostics.append(problem)
        if problem.code == "GX012":
            _leave(whole, left_in_text(source, settings.scope, end), settings)
    whole.diagnostics += clashes(whole.named)
    text = source.text
    if not refuses(whole.diagnostics):
        try:
            text = applied(source, whole.splices, whole.beside, count)
        except EditError as error:
            whole.diagnostics.append(text_is_editable((), error.message).located(file=source.name))
    quotas = tuple(whole.quotas)
    named = tuple(whole.named)
    return Translation(
        source, text, tuple(whole.items), tuple(whole.diagnostics), tuple(whole.leftovers), quotas, named
    )


def _translate_document(document: Document, settings: Settings, layer: Layer, beside: Beside) -> Part:
    """The shares of a document, what is wrong, and the splices that put them in the other dialect."""
    template = template_in(document)
    part = Part()
    if template is not None:
        part.diagnostics.append(unrendered(document.source, template).located(document=document.index))
        text = left_in_text(document.source, settings.scope, document.start, document.end, document.index)
        _leave(part, text, settings)
        return part
    if get_text(document.root, "kind") == KIND:
        found = Diagnostic("GX010", Severity.ERROR, NOT_A_MANIFEST, RENDER)
        part.diagnostics.append(placed(document, found))
        return part
    found_pods = () if document.job else layer.pods(document)
    laid = [beside.laid(one.under(renamed_by(settings.profile))) for one in found_pods]
    pods = [one.pod for one in laid if one.pod]
    translated, left, read = _translate_pods(document, laid, layer, part, settings, beside)
    if layer.kind is Kind.VALUES and document.aliases:
        part.edits += _of_anchors(document, part.edits, pods)
    part.diagnostics += [placed(document, one, pod.object) for pod, one in disagreements(part.written)]
    written = {id(one.pod): one.wanted for one in part.written}
    part.written.clear()
    jobs = _translate_jobs(document, settings, beside) if layer.kind is Kind.MANIFESTS else Part()
    part.add(jobs)
    quotas = translate_quotas(document, settings) if layer.kind is Kind.MANIFESTS else Quotas()
    part.edits += quotas.edits
    part.diagnostics += quotas.diagnostics
    part.quotas += quotas.items
    found_shares = bool(translated or jobs.items)
    edited = frozenset(one.path for one in part.edits) | read
    keys = document_keys(document, pods, registry.is_gpu_key, quotas.settled | edited)
    for one in check_document(catalog.neutral_document_rules(), keys, settings.context):
        # GX005 depends on the edit: an anchor is fine where all its uses get the same value
        taken = one.code == key_is_in_a_pod.code and one.path[:1] in read
        if one.code != "GX005" and not taken and (found_shares or one.severity is not Severity.ERROR):
            part.diagnostics.append(placed(document, one))
    # what a part requests is counted with what is below it
    if not (settings.reads_only and layer.partial) or (layer.kind is Kind.PATCH and not layer.counted):

        def third(pod: Pod, sources: Sequence[Backend]) -> tuple[Backend, ...]:
            wanted = written.get(id(pod))
            return () if wanted is None else awakened(pod, wanted, sources, settings.to)

        behind = left_in_document(
            document, pods, translated, settings.scope, layer.kind, left, edited, quotas.settled, third
        )
        _leave(part, chain(quotas.leftovers, behind), settings)
    if layer.counted and settings.reads_only:
        part.leftovers = [one for one in part.leftovers if one.found.path[:1] not in BUILT_FROM]
        patch = layer.kind is Kind.PATCH
        part.diagnostics = [
            one
            for one in part.diagnostics
            if one.code != "GX014" or not (patch or one.path[:1] in BUILT_FROM)
        ]
    _settle_claims(document, beside, part, settings, layer)
    if part.edits and not (settings.with_own or refuses(part.diagnostics)):
        _edit(document, part)
        stale = stale_comments(document, part.edits, settings.context)
        part.diagnostics += [placed(document, one) for one in stale]
    return part


def translate_built(document: Document, pods: Iterable[Pod], settings: Settings) -> Part:
    """The shares of an object that kustomize builds, and what is wrong with them."""
    part = Part()
    beside = settings.claims.beside(document.source)
    _translate_pods(document, [Laid(one) for one in pods], MANIFESTS, part, settings, beside)
    return part


def _translate_pods(
    document: Document, found: Sequence[Laid], layer: Layer, part: Part, settings: Settings, beside: Beside
) -> tuple[Translated, dict[int, str], set[Path]]:
    """Add the results of pods to those of their document.

    The pods that were read, with their dialects; by pod why it was not, where it is a part of one; and the
    operations that were read, by their places in the document.
    """
    read: set[Path] = set()
    translated: list[tuple[Pod, tuple[Backend, ...]]] = []
    pods = Numbered(one.pod for one in found if one.pod)
    left: dict[int, str] = {}  # None is what operations are about
    for pod, over, unknown in found:
        if over or unknown or pod is None:
            if not settings.reads_only:  # what a part requests is counted with what is below it
                made = _translate_part(document, Laid(pod, over, unknown), part, beside, settings)
                if made.left:
                    left[id(pod)] = made.left
                elif pod:
                    translated.append((pod, made.sources))
                elif made.sources:
                    read.update(of_pods(document, [one.part for one in over]))
            continue
        sources = dialects_of(pod.keys, settings)
        if layer.counted:  # translated and counted as it is built
            translated += [(pod, sources)] if sources else []
            continue
        unread = _unread(pod.keys, sources, settings)
        part.diagnostics += [placed(document, one, pod.object) for one in unread]
        unknown_ = [placed(document, one, pod.object) for one in unknown_claims(pod.keys)]
        if settings.reads_only:
            part.leftovers += [Leftover(str(one.path[-1]), one) for one in unknown_]
        else:
            part.diagnostics += unknown_
        if sources and (settings.reads_only or settings.with_own or sources != (settings.to,)):
            translated.append((pod, sources))
            own = translate_pod(document, pod, sources, settings, pods, beside)
            part.add(left_part(own, pod, settings) if layer.kind is Kind.VALUES else own)
        elif sources:
            part.written.append(Written(pod, pod.keys, []))
    return translated, left, read


def _translate_part(document: Document, laid: Laid, part: Part, beside: Beside, settings: Settings) -> Made:
    """Add the result of a part that is laid over pods of other files, and what it leaves behind."""
    pod, over, unknown = laid
    named = pod or (over[0].part if over else None)
    claimed = list(claims_of_part(document, named, beside, settings.scope)) if named else []
    why = unknown or (_NAMES_CLAIMS if claimed else None)
    made = Made(Part(), (), why) if why else translate_over(document, over, settings)
    part.add(left_part(made.part, named, settings) if named and over else made.part)
    if made.left:
        _leave(part, claimed, settings)
        if named and over:
            _leave(part, left_cards(document, made, named, settings), settings)
    return made


def _settle_claims(document: Document, beside: Beside, part: Part, settings: Settings, layer: Layer) -> None:
    """The documents that are added and removed beside the pods of a document."""
    if settings.reads_only or settings.with_own or refuses(part.diagnostics):
        return

    def sources(keys: PodKeys) -> tuple[Backend, ...]:
        found = dialects_of(keys, settings)
        return () if found == (settings.to,) else found

    if layer.kind is Kind.PATCH:
        patches = layer.templates(document) if layer.templates else ()
        taken = partial(is_taken, settings=settings)
        made = patch_changes(document, part.patches, patches, taken, settings.scope)
    else:
        made = changes(document, part.templates, beside, sources, settings.scope)
        if layer.renamed and settings.to.device_classes:
            made.found.extend(names_apart(document, layer.renamed(document), sources))
    part.templates.clear()
    part.patches.clear()
    part.edits += made.edits
    part.beside += made.splices
    part.diagnostics += made.found
    part.named += made.named
    _leave(part, made.leftovers, settings)


def _leave(part: Part, found: Iterable[Leftover], settings: Settings) -> None:
    """What is left behind; where only shares are read, it is counted and nothing is wrong with it."""
    listed = sorted(islice(found, limits.MAX_FINDINGS + 1), key=lambda one: one.found.sort_key())
    part.leftovers += listed
    if not settings.reads_only:
        refused = (one.path for one in part.diagnostics if one.code == nothing_is_left_behind.code)
        left = {*refused, *(one.found.path for one in listed)}  # one mistake, one code
        named = [one for one in part.diagnostics if one.code == "GX006" or one.severity is Severity.INFO]
        again = {id(one) for one in named if one.path in left and one.on_key}
        part.diagnostics = [one for one in part.diagnostics if id(one) not in again]
        part.diagnostics += [one.found for one in listed]


def _translate_jobs(document: Document, settings: Settings, beside: Beside) -> Part:
    """Shares of jobs in a document are read, and refused where a manifest is wanted."""
    part = Part()
    for job in jobs_in(document, registry.job_rows(document)):
        backend = registry.get(job.target)
        keys = job.pod.keys.containers[0].limits
        requested = [value for name, value in keys.items() if name.startswith(backend.gpu_prefixes)]
        if not requested or settings.from_ not in (None, backend):
            continue
        reading = replace(settings, reads_only=True)
        read = translate_pod(document, job.pod, (backend,), reading, Numbered((job.pod,)), beside)
        if not settings.reads_only:  # one error is enough
            message = say("the share of {backend} is in a job file, not in a pod", backend=backend.name)
            found = share_is_expressible(requested[0].path, message, PARSE_FIRST)
            read.diagnostics = [placed(document, found, job.pod.object)]
            read.items = [
                replace(one, verdict=Verdict.REFUSED, diagnostics=tuple(read.diagnostics))
                for one in read.items
            ]
        part.add(read)
    return part


def _unread(pod: PodKeys, sources: Sequence[Backend], settings: Settings) -> Iterator[Diagnostic]:
    """What is said of containers without a share: whole cards that are no dialect's, and misspelt keys."""
    yield from (left_alone(path, key, str(path[-1])) for key, path in common_keys(pod, sources).items())
    if not (sources or settings.reads_only):
        yield from (one.located(fix=None) for one in key_is_known(pod, settings.context))


def _of_anchors(document: Document, edits: Sequence[Edit], pods: Sequence[Pod]) -> Iterator[Edit]:
    """The same edits where the values write once what several parts use, outside of any part."""
    from gpuxlate.yamltext.anchors import Homes

    homes, known = Homes(document.root), {one.path for one in edits}
    read = {path for pod in pods for path in ((*pod.keys.path, pod.resources_key), *pod.siblings)}
    for one in edits:
        home = homes.of(one.path)
        if home not in known and not any(home[: len(path)] == path for path in read):
            known.add(home)
            yield replace(one, path=home)


def _edit(document: Document, part: Part) -> None:
    try:
        part.splices = edit_document(document, part.edits, part.kept)
    except EditError as error:
        found = text_is_editable(error.path, error.message)
        if error.code:  # GX005: the text is shared by an anchor
            found = replace(found, code=error.code, hint="write the keys out for each container")
        part.diagnostics.append(placed(document, found))
