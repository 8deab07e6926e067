"""Translate documents from one dialect to another: read, fit, write, edit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, Reading
from gpuxlate.config.document import KIND
from gpuxlate.manifest.jobs import jobs_in
from gpuxlate.manifest.pods import Pod, document_keys, pods_in
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.edits import Edit
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys
from gpuxlate.model.profile import Profile, renamed_by
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context, check_document
from gpuxlate.rules.keys import key_is_known
from gpuxlate.rules.translation import (
    cards_are_of_one_vendor,
    isolation_is_the_same,
    nothing_is_left_behind,
    share_is_expressible,
    text_is_editable,
)
from gpuxlate.rules.unreadable import no_yaml, template_in, too_many, unrendered
from gpuxlate.rules.vendors import container_asks_one_vendor, other_dialect
from gpuxlate.rules.vocabulary import vocabulary_of
from gpuxlate.translation.fit import Accept, Verdict, fit_pod
from gpuxlate.translation.item import Item, pod_items
from gpuxlate.translation.leftovers import Leftover, Scope, left_in_document, left_in_text
from gpuxlate.translation.placement import Written, disagreements, share_edits, writable
from gpuxlate.translation.quotas.item import QuotaItem
from gpuxlate.translation.quotas.step import Ask, translate_quotas
from gpuxlate.translation.reader import dialects_of, merge_readings, read_pod, shares_once
from gpuxlate.translation.remarks import (
    common_key,
    left_alone,
    miscounted,
    named_by_others,
    stale_comments,
    written_without_a_dialect,
)
from gpuxlate.translation.scheduling import rescheduled
from gpuxlate.yamltext.compose import Document, NotYamlError, Reader, documents
from gpuxlate.yamltext.edit import EditError, Splice, apply, edit_document
from gpuxlate.yamltext.nodes import get_text
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source

PARSE_FIRST = "gpuxlate parse reads the share, gpuxlate render --to TARGET writes it"
NOT_A_MANIFEST = "a GPUShare document is not a manifest: there is no pod in it"
RENDER = "gpuxlate render writes its manifest: gpuxlate render FILE --to TARGET"


@dataclass(frozen=True, slots=True)
class Settings:
    """The target, and the losses that the user accepts. ``from_`` None finds the dialect by its keys."""

    to: Backend
    from_: Backend | None = None
    accept: Accept = field(default_factory=Accept)
    profile: Profile | None = None
    reads_only: bool = False  # only the shares are needed, no new text
    allow_leftovers: bool = False

    @property
    def context(self) -> Context:
        return Context(self.profile, registry.pod_backends())

    @property
    def ask(self) -> Ask:
        return Ask(self.to, self.from_, self.profile, self.accept.round_up, self.scope, self.reads_only)

    @property
    def scope(self) -> Scope:
        allowed = self.allow_leftovers or self.reads_only
        source = self.from_.name if self.from_ else None
        words, renamed = vocabulary_of(self.context), renamed_by(self.profile)
        return Scope(source, self.to.name, words, renamed, allowed)


@dataclass(frozen=True, slots=True)
class Translation:
    """One source, translated. ``text`` is the new text, the old one where something was refused."""

    source: Source
    text: str
    items: tuple[Item, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    quotas: tuple[QuotaItem, ...] = ()

    @property
    def refused(self) -> bool:
        return _refuses(self.diagnostics)

    @property
    def changed(self) -> bool:
        return self.text != self.source.text


@dataclass(slots=True)
class Part:
    """The result for a document, or for a pod in it. ``spoken``: the dialects of its pods."""

    items: list[Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    splices: list[Splice] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)
    quotas: list[QuotaItem] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    spoken: set[str] = field(default_factory=set)

    def add(self, more: Part) -> None:
        self.leftovers += more.leftovers
        self.quotas += more.quotas
        self.items += more.items
        self.diagnostics += more.diagnostics
        self.edits += more.edits
        self.splices += more.splices
        self.written += more.written
        self.spoken |= more.spoken


def translate_source(
    source: Source, settings: Settings, read: Reader = documents, *, partial: bool = False
) -> Translation:
    """Translate every document of a source. Errors are in the result; nothing is raised for content.

    ``read`` reads its documents. ``partial``: they are parts of objects (patches), so their shares are not
    translated, and not counted.
    """
    whole = Part()
    end = 0
    try:
        for document in read(source):
            end = document.end
            whole.add(translate_document(document, settings, partial=partial))
            if len(whole.diagnostics) > limits.MAX_FINDINGS:
                last = too_many(source, whole.diagnostics[limits.MAX_FINDINGS])
                whole.diagnostics[limits.MAX_FINDINGS :] = [last]
                break
    except NotYamlError as error:
        problem = no_yaml(source, error)
        whole.diagnostics.append(problem)
        if problem.code == "GX012":
            _leave(whole, left_in_text(source, settings.scope, end), settings)
    hinted = [named_by_others(one, whole.spoken) for one in whole.diagnostics]
    text = source.text if _refuses(whole.diagnostics) else apply(source.text, whole.splices)
    quotas = tuple(whole.quotas)
    return Translation(source, text, tuple(whole.items), tuple(hinted), tuple(whole.leftovers), quotas)


def translate_document(document: Document, settings: Settings, *, partial: bool = False) -> Part:
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
    pods = [] if document.job else [one.under(renamed_by(settings.profile)) for one in pods_in(document)]
    translated: list[tuple[Pod, tuple[Backend, ...]]] = []
    for pod in () if partial else pods:
        sources = dialects_of(pod.keys, settings.from_)
        spoken = sources if settings.from_ is None else registry.spoken_in(pod.keys)
        part.spoken |= {one.name for one in spoken}
        unread = _unread(pod.keys, sources, settings)
        part.diagnostics += [placed(document, one, pod.object) for one in unread]
        if sources and (settings.reads_only or sources != (settings.to,)):
            translated.append((pod, sources))
            part.add(translate_pod(document, pod, sources, settings))
        elif sources:
            part.written.append(Written(pod, pod.keys, []))
    part.diagnostics += [placed(document, one, pod.object) for pod, one in disagreements(part.written)]
    part.written.clear()
    jobs = Part() if partial else translate_jobs(document, settings)
    part.add(jobs)
    settled: set[Path] = set()
    if not (partial or document.job):
        quotas = translate_quotas(document, settings.ask)
        part.edits += quotas.edits
        part.diagnostics += quotas.diagnostics
        part.quotas += quotas.items
        settled = quotas.settled
        _leave(part, quotas.leftovers, settings)
    found_shares = bool(translated or jobs.items)
    keys = document_keys(document, pods, registry.is_gpu_key, settled)
    for one in check_document(catalog.neutral_document_rules(), keys, settings.context):
        # GX005 depends on the edit: an anchor is fine where all its uses get the same value
        if one.code != "GX005" and (found_shares or one.severity is not Severity.ERROR):
            part.diagnostics.append(placed(document, one))
    if not (partial and settings.reads_only):  # what a patch requests is counted with its base
        left = left_in_document(document, pods, translated, settings.scope, settled, partial=partial)
        _leave(part, left, settings)
    if part.edits and not _refuses(part.diagnostics):
        _edit(document, part)
        stale = stale_comments(document, part.edits, settings.context)
        part.diagnostics += [placed(document, one) for one in stale]
    return part


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


def translate_pod(document: Document, pod: Pod, sources: tuple[Backend, ...], settings: Settings) -> Part:
    """The shares of one pod, read in some dialects and written in that of the target."""
    read = [
        read_pod(pod.keys, backend, settings.context, neutral=number == 0)
        for number, backend in enumerate(sources)
    ]
    found = [one for _, problems in read for one in problems]
    if settings.from_ and all(one.code != container_asks_one_vendor.code for one in found):
        others = (one for one in registry.spoken_in(pod.keys) if one is not settings.from_)
        found += [other_dialect(pod.keys, settings.from_, one) for one in others]
    broken = _refuses(found)
    readings = shares_once(pod.keys, sources, [reading for reading, _ in read])
    containers = merge_readings([reading for _, reading in readings])
    wanted = [] if settings.reads_only else [one for _, reading in readings for one in reading.selectors]
    selectors = [one for one in wanted if not settings.to.chooses(one.key)]
    fit = fit_pod(containers, settings.to, settings.accept, settings.profile, selectors)
    found.extend(fit.findings())
    if not settings.reads_only:
        found.extend(_isolation(readings, settings.to))
        found.extend(_other_cards(readings, settings.to))
        found.extend(writable(pod, fit, sources, settings.to))
        found.extend(rescheduled(pod, fit, sources, settings.to))
        found.extend(miscounted(document, pod, fit))
        found.extend(written_without_a_dialect(fit, settings.to))
    part = Part(diagnostics=[placed(document, one, pod.object) for one in found])
    part.items = pod_items(document, pod, readings, fit, settings.to, broken, part.diagnostics)
    if settings.to.form_module:
        part.diagnostics.append(placed(document, _not_a_pod(pod, sources, settings.to), pod.object))
    elif not (settings.reads_only or _refuses(part.diagnostics)):
        part.edits = share_edits(pod, fit.keys, sources, settings.to, mirror_requests=True)
        part.written = [Written(pod, fit.keys, part.edits)]
    return part


def translate_jobs(document: Document, settings: Settings) -> Part:
    """Shares of jobs in a document are read, and refused where a manifest is wanted."""
    part = Part()
    for job in jobs_in(document, registry.job_rows(document)):
        backend = registry.get(job.target)
        keys = job.pod.keys.containers[0].limits
        requested = [value for name, value in keys.items() if name.startswith(backend.gpu_prefixes)]
        if not requested or settings.from_ not in (None, backend):
            continue
        read = translate_pod(document, job.pod, (backend,), replace(settings, reads_only=True))
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


def _refuses(found: Iterable[Diagnostic]) -> bool:
    return any(one.severity is Severity.ERROR for one in found)


def _unread(pod: PodKeys, sources: Sequence[Backend], settings: Settings) -> Iterator[Diagnostic]:
    """What is said of containers without a share: whole cards that are no dialect's, and misspelt keys."""
    common = common_key(pod, sources)
    if common is not None:
        yield left_alone(common)
    if not (sources or settings.reads_only):
        yield from (one.located(fix=None) for one in key_is_known(pod, settings.context))


def _isolation(readings: Iterable[tuple[Backend, Reading]], target: Backend) -> Iterator[Diagnostic]:
    for _, reading in readings:
        if reading.isolation and reading.shares:
            yield isolation_is_the_same(reading.isolation, target.name, reading.shares[0].path)


def _other_cards(readings: Iterable[tuple[Backend, Reading]], target: Backend) -> Iterator[Diagnostic]:
    """Cards of another vendor at the target (GX029), once for the pod."""
    for source, reading in readings:
        if reading.shares and source.vendor and target.vendor not in (None, source.vendor):
            path = reading.shares[0].path
            yield cards_are_of_one_vendor(path, source.vendor, target.vendor, target.name)
            return


def _not_a_pod(pod: Pod, sources: Sequence[Backend], target: Backend) -> Diagnostic:
    """A manifest cannot be translated in place to a target that writes job files or forms."""

    def requests(container: ContainerKeys) -> bool:
        return any(backend.owns(name) for backend in sources for name in container.resources)

    path = next((one.path for one in pod.keys.all_containers() if requests(one)), pod.keys.path)
    found: Diagnostic = share_is_expressible(
        path, say("{target} writes job files, not pods", target=target.name), PARSE_FIRST
    )
    return found


def _edit(document: Document, part: Part) -> None:
    try:
        part.splices = edit_document(document, part.edits)
    except EditError as error:
        found = text_is_editable(error.path, error.message)
        if error.code:  # GX005: the text is shared by an anchor
            found = replace(found, code=error.code, hint="write the keys out for each container")
        part.diagnostics.append(placed(document, found))
