"""Translate documents from one dialect to another: read, fit, write, edit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, Reading
from gpuxlate.manifest.jobs import jobs_in
from gpuxlate.manifest.pods import Pod, document_keys, pods_in
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.edits import Edit
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context, check_document
from gpuxlate.rules.translation import (
    isolation_is_the_same,
    share_is_expressible,
    text_is_editable,
    whole_cards_have_a_dialect,
)
from gpuxlate.rules.unreadable import no_yaml, template_in, too_many, unrendered
from gpuxlate.translation.fit import Accept, Verdict, fit_pod
from gpuxlate.translation.item import Item, pod_items
from gpuxlate.translation.placement import share_edits, writable
from gpuxlate.translation.reader import merge_readings, read_pod, shares_once
from gpuxlate.translation.scheduling import rescheduled
from gpuxlate.yamltext.compose import Document, NotYamlError, Reader, documents
from gpuxlate.yamltext.edit import EditError, Splice, apply, edit_document
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source

PARSE_FIRST = "gpuxlate parse reads the share, gpuxlate render --to TARGET writes it"


@dataclass(frozen=True, slots=True)
class Settings:
    """The target, and the losses that the user accepts. ``from_`` None finds the dialect by its keys."""

    to: Backend
    from_: Backend | None = None
    accept: Accept = field(default_factory=Accept)
    profile: Profile | None = None
    reads_only: bool = False  # only the shares are needed, no new text

    @property
    def context(self) -> Context:
        return Context(self.profile, registry.pod_backends())


@dataclass(frozen=True, slots=True)
class Translation:
    """One source, translated. ``text`` is the new text, the old one where something was refused."""

    source: Source
    text: str
    items: tuple[Item, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def refused(self) -> bool:
        return _refuses(self.diagnostics)

    @property
    def changed(self) -> bool:
        return self.text != self.source.text


@dataclass(slots=True)
class Part:
    """The result for a document, or for a pod in it."""

    items: list[Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    splices: list[Splice] = field(default_factory=list)

    def add(self, more: Part) -> None:
        self.items += more.items
        self.diagnostics += more.diagnostics
        self.edits += more.edits
        self.splices += more.splices


def translate_source(source: Source, settings: Settings, read: Reader = documents) -> Translation:
    """Translate every document of a source. Errors are in the result; nothing is raised for content.

    ``read`` reads its documents.
    """
    whole = Part()
    try:
        for document in read(source):
            whole.add(translate_document(document, settings))
            if len(whole.diagnostics) > limits.MAX_FINDINGS:
                last = too_many(source, whole.diagnostics[limits.MAX_FINDINGS])
                whole.diagnostics[limits.MAX_FINDINGS :] = [last]
                break
    except NotYamlError as error:
        whole.diagnostics.append(no_yaml(source, error))
    text = source.text if _refuses(whole.diagnostics) else apply(source.text, whole.splices)
    return Translation(source, text, tuple(whole.items), tuple(whole.diagnostics))


def translate_document(document: Document, settings: Settings) -> Part:
    """The shares of a document, what is wrong, and the splices that put them in the other dialect."""
    template = template_in(document)
    if template is not None:
        return Part(diagnostics=[unrendered(document.source, template).located(document=document.index)])
    part = Part()
    pods = [] if document.job else list(pods_in(document))
    found_shares = False
    for pod in pods:
        sources = dialects_of(pod.keys, settings)
        if (common := _common_key(pod.keys, sources)) is not None:
            part.diagnostics.append(placed(document, whole_cards_have_a_dialect(common), pod.object))
        if sources and (settings.reads_only or sources != (settings.to,)):
            found_shares = True
            part.add(translate_pod(document, pod, sources, settings))
    jobs = translate_jobs(document, settings)
    part.add(jobs)
    found_shares = found_shares or bool(jobs.items)
    keys = document_keys(document, pods, registry.is_gpu_key)
    for one in check_document(catalog.neutral_document_rules(), keys, settings.context):
        # GX005 depends on the edit: an anchor is fine where all its uses get the same value
        if one.code != "GX005" and (found_shares or one.severity is not Severity.ERROR):
            part.diagnostics.append(placed(document, one))
    if part.edits and not _refuses(part.diagnostics):
        _edit(document, part)
    return part


def translate_pod(document: Document, pod: Pod, sources: tuple[Backend, ...], settings: Settings) -> Part:
    """The shares of one pod, read in some dialects and written in that of the target."""
    read = [read_pod(pod.keys, backend, settings.context) for backend in sources]
    found = [one for _, problems in read for one in problems]
    broken = _refuses(found)
    readings = shares_once(pod.keys, sources, [reading for reading, _ in read])
    containers = merge_readings([reading for _, reading in readings])
    wanted = [] if settings.reads_only else [one for _, reading in readings for one in reading.selectors]
    selectors = [one for one in wanted if not settings.to.chooses(one.key)]
    fit = fit_pod(containers, settings.to, settings.accept, settings.profile, selectors)
    found.extend(fit.findings())
    if not settings.reads_only:
        found.extend(_isolation(readings, settings.to))
        found.extend(writable(pod, fit, lambda name: any(backend.owns(name) for backend in sources)))
        found.extend(rescheduled(pod, fit, sources, settings.to))
    part = Part(diagnostics=[placed(document, one, pod.object) for one in found])
    part.items = pod_items(document, pod, readings, fit, settings.to, broken, part.diagnostics)
    if settings.to.form_module:
        part.diagnostics.append(placed(document, _not_a_pod(pod, sources, settings.to), pod.object))
    elif not (settings.reads_only or _refuses(part.diagnostics)):
        part.edits = share_edits(pod, fit.keys, sources, settings.to, mirror_requests=True)
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


def dialects_of(pod: PodKeys, settings: Settings) -> tuple[Backend, ...]:
    """The dialects to read a pod in."""
    chosen = settings.from_
    if chosen is None:
        return registry.spoken_in(pod)
    key = chosen.whole_card_key
    speaks = chosen.speaks_in(pod) or (
        key is not None and any(key in one.resources for one in pod.all_containers())
    )
    return (chosen,) if speaks else ()


def _refuses(found: Iterable[Diagnostic]) -> bool:
    return any(one.severity is Severity.ERROR for one in found)


def _common_key(pod: PodKeys, sources: Sequence[Backend]) -> Path | None:
    """Where a container requests whole cards by a key that every cloud uses, and no dialect reads it."""
    names = {one.whole_card_key for one in registry.pod_backends() if one.whole_card_key}
    names -= {one.whole_card_key for one in sources}
    found = (
        value.path
        for container in pod.all_containers()
        if not any(one.owns(name) for one in sources for name in container.resources)
        for name, value in container.resources.items()
        if name in names
    )
    return next(found, None)


def _isolation(readings: Iterable[tuple[Backend, Reading]], target: Backend) -> Iterator[Diagnostic]:
    for _, reading in readings:
        if reading.isolation and reading.shares:
            yield isolation_is_the_same(reading.isolation, target.name, reading.shares[0].path)


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
