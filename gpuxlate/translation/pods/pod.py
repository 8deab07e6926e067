"""Translate one pod: read its shares, fit them to the target, write them, and say what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, Reading
from gpuxlate.inputs.claims import Beside
from gpuxlate.manifest.objects import Pod
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.edits import Edit
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys
from gpuxlate.rules.around import cards_are_of_one_vendor
from gpuxlate.rules.translation import (
    isolation_is_the_same,
    share_is_expressible,
)
from gpuxlate.rules.vendors import container_asks_one_vendor, other_dialect
from gpuxlate.translation.claims import Named, Template, shared_claims, with_templates
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.numbered import Numbered
from gpuxlate.translation.pods.fit import PodFit, Verdict, fit_pod
from gpuxlate.translation.pods.item import Item, pod_items
from gpuxlate.translation.pods.placement import Written, share_edits, writable
from gpuxlate.translation.pods.reader import merge_readings, read_pod, shares_once
from gpuxlate.translation.pods.remarks import (
    miscounted,
    shared_in_pod,
    uncounted,
    unknown_choices,
    written_without_a_dialect,
)
from gpuxlate.translation.pods.scheduling import rescheduled
from gpuxlate.translation.quotas.item import QuotaItem
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.edit import Splice
from gpuxlate.yamltext.place import placed

PARSE_FIRST = "gpuxlate parse reads the share, gpuxlate render --to TARGET writes it"


@dataclass(slots=True)
class Part:
    """The result for a document, or for a pod in it.

    ``kept``: mappings and lists that stay where they are emptied. ``patches``: of templates, as plain data.
    """

    items: list[Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)
    splices: list[Splice] = field(default_factory=list)
    beside: list[Splice] = field(default_factory=list)  # documents that are added and removed
    leftovers: list[Leftover] = field(default_factory=list)
    quotas: list[QuotaItem] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)
    patches: list[dict[str, object]] = field(default_factory=list)

    def add(self, more: Part) -> None:
        self.leftovers += more.leftovers
        self.quotas += more.quotas
        self.items += more.items
        self.diagnostics += more.diagnostics
        self.edits += more.edits
        self.kept += more.kept
        self.splices += more.splices
        self.beside += more.beside
        self.written += more.written
        self.templates += more.templates
        self.named += more.named
        self.patches += more.patches


class Fitted(NamedTuple):
    """The shares of a pod at the target. ``broken``: its keys are wrong."""

    readings: Sequence[tuple[Backend, Reading]]
    fit: PodFit
    found: list[Diagnostic]
    broken: bool


def fitted(document: Document, pod: Pod, sources: tuple[Backend, ...], settings: Settings) -> Fitted:
    """Read the shares of a pod in some dialects and fit them to the target, with all that is wrong."""
    read = [
        read_pod(pod.keys, backend, settings.context, neutral=number == 0)
        for number, backend in enumerate(sources)
    ]
    found = [one for _, problems in read for one in problems]
    if all(one.code != container_asks_one_vendor.code for one in found):
        found += other_dialects(pod.keys, settings)
    broken = refuses(found)
    readings = shares_once(pod.keys, sources, [reading for reading, _ in read])
    containers = merge_readings([reading for _, reading in readings])
    wanted = [] if settings.reads_only else [one for _, reading in readings for one in reading.selectors]
    selectors = [one for one in wanted if not settings.to.chooses(one.key)]
    found += unknown_choices(wanted, settings.to)
    fit = fit_pod(containers, settings.to, settings.accept, settings.profile, selectors)
    found.extend(fit.findings())
    if pod.keys.claims:
        found.extend(shared_in_pod(readings, settings.to))
    if not settings.reads_only:
        found.extend(_isolation(readings, settings.to))
        found.extend(_other_cards(readings, settings.to))
        found.extend(writable(pod, fit, sources, settings.to))
        found.extend(rescheduled(pod, fit, sources, settings.to))
        found.extend(miscounted(document, pod, fit))
        found.extend(written_without_a_dialect(fit, settings.to))
        found.extend(uncounted(pod, fit, settings.to))
    return Fitted(readings, fit, found, broken)


def other_dialects(keys: PodKeys, settings: Settings) -> Iterator[Diagnostic]:
    """The dialects of a pod, or of a part of one, beside the only one that is read (K8S007)."""
    source = settings.from_
    if source:
        yield from (other_dialect(keys, source, one) for one in registry.spoken_in(keys) if one is not source)


def translate_pod(
    document: Document,
    pod: Pod,
    sources: tuple[Backend, ...],
    settings: Settings,
    pods: Numbered,
    beside: Beside,
) -> Part:
    """The shares of one pod, read in some dialects and written in that of the target.

    ``pods``: all of its document, from which the names of new documents follow. ``beside``: the claims.
    """
    readings, fit, found, broken = fitted(document, pod, sources, settings)
    writing = with_templates(document, pod, fit.keys, pods, sources)
    if not settings.reads_only:
        found.extend(writing.found)
        if pod.keys.claims:
            replaced = [one for one in sources if one is not settings.to]
            found.extend(shared_claims(pod, replaced, beside))
    part = Part(diagnostics=[placed(document, one, pod.object) for one in found])
    part.items = pod_items(document, pod, readings, fit, settings.to, broken, part.diagnostics)
    if any(is_refusal(one) for one in found):  # the target can express the share, and the manifest cannot
        part.items = [replace(one, verdict=Verdict.REFUSED) for one in part.items]
    if settings.to.form_module:
        part.diagnostics.append(placed(document, _not_a_pod(pod, sources, settings.to), pod.object))
    elif not (settings.reads_only or refuses(part.diagnostics)):
        part.edits = share_edits(pod, writing.keys, sources, settings.to, mirror_requests=True)
        part.kept = list(pod.siblings)
        part.written = [Written(pod, fit.keys, part.edits)]
        part.templates = list(writing.templates)
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
    return (chosen,) if speaks or chosen.has_words_in(pod) else ()


def is_refusal(one: Diagnostic) -> bool:
    """There is no place for a share (GX023)."""
    return one.code == share_is_expressible.code and one.severity is Severity.ERROR


def refuses(found: Iterable[Diagnostic]) -> bool:
    """Something found is an error."""
    return any(one.severity is Severity.ERROR for one in found)


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
    message = say("{target} writes job files, not pods", target=target.name)
    found: Diagnostic = share_is_expressible(path, message, PARSE_FIRST)
    return found
