"""Translate one pod: read its shares, fit them to the target, write them, and say what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.backends.base import Backend, Reading
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.pods import Numbered, Pod
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.rules.translation import cards_are_of_one_vendor, isolation_is_the_same, share_is_expressible
from gpuxlate.translation.claims import ClaimTemplate, other_claims, shared_claims, with_templates
from gpuxlate.translation.edits import PlannedPod, share_edits, writable
from gpuxlate.translation.fit import PodFit, Verdict, fit_pod
from gpuxlate.translation.hints import in_keys
from gpuxlate.translation.notes import (
    miscounted,
    shared_in_pod,
    uncounted,
    unknown_choices,
    written_without_a_dialect,
)
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import PassResult, State
from gpuxlate.translation.results import pod_items
from gpuxlate.translation.shares import is_refusal, shares_of
from gpuxlate.yamltext.parse import Document, with_location

if TYPE_CHECKING:
    from gpuxlate.translation.decisions import DecidedPod

PARSE_FIRST = "gpuxlate parse reads the share, gpuxlate render --to TARGET writes it"


class FittedPod(NamedTuple):
    """The shares of a pod at the target. ``broken``: its keys are wrong."""

    readings: Sequence[tuple[Backend, Reading]]
    fit: PodFit
    found: list[Diagnostic]
    broken: bool


def fitted(
    document: Document,
    pod: Pod,
    sources: tuple[Backend, ...],
    settings: Settings,
    decided: DecidedPod | None = None,
) -> FittedPod:
    """Read the shares of a pod in some dialects and fit them to the target, with all that is wrong.

    ``decided``: what is accepted of this pod alone.
    """
    target = settings.to
    readings, containers, found, broken = shares_of(pod.keys, sources, settings)
    wanted = [one for _, reading in readings for one in reading.selectors]
    selectors = [one for one in wanted if not target.chooses(one.key)]
    if wanted:
        found += unknown_choices(wanted, target)
    fit = fit_pod(
        containers, target, decided.accept if decided else settings.accept, settings.profile, selectors
    )
    if decided:
        fit = decided.judge(fit)
    if not fit.accepted or any(one.diagnostics for one in fit.outcomes):
        fit = in_keys(fit, pod.keys, readings, settings.profile)
    found += fit.findings()
    if pod.keys.claims:
        found += shared_in_pod(readings, target)
    found += [
        isolation_is_the_same(reading.isolation, target.name, reading.shares[0].path)
        for _, reading in readings
        if reading.isolation and reading.shares
    ]
    if target.vendor is not None:
        found += _other_cards(readings, target)
    found += writable(pod, fit, sources, target, settings.context)
    found += miscounted(document, pod, fit)
    found += written_without_a_dialect(fit, target)
    if pod.object.kind == VALUES:
        found += uncounted(pod, fit, target)
    return FittedPod(readings, fit, found, broken)


def translate_pod(state: State, pod: Pod, sources: tuple[Backend, ...], pods: Numbered) -> PassResult:
    """The shares of one pod, read in some dialects and written in that of the target.

    ``pods``: all of its document, from which the names of new documents follow.
    """
    document, target, decisions = state.document, state.settings.to, state.settings.decisions
    decided = None
    if decisions is not None:
        decided = decisions.of_pod(state.settings.accept, document, pod, state.layer.kind, target.name)
    readings, fit, found, broken = fitted(document, pod, sources, state.settings, decided)
    keys: PodKeys = fit.keys
    templates: Sequence[ClaimTemplate] = ()
    if fit.keys.claims:
        keys, templates, problems = with_templates(document, pod, fit.keys, pods, sources)
        found += problems
    if pod.keys.claims:
        replaced = [one for one in sources if one is not target]
        found += shared_claims(pod, replaced, state.claims)
        found += other_claims(pod.keys)
    part = PassResult(diagnostics=[with_location(document, one, pod.object) for one in found])
    part.items = pod_items(document, pod, readings, fit, target, broken, part.diagnostics)
    if any(is_refusal(one) for one in found):  # the target can express the share, and the manifest cannot
        part.items = [replace(one, verdict=Verdict.REFUSED) for one in part.items]
    if decided:
        part.judged = decided.judged
    if not target.writes_pods:
        part.diagnostics.append(with_location(document, _not_a_pod(pod, sources, target), pod.object))
    elif not part.refused:
        part.edits = share_edits(pod, keys, sources, target, mirror_requests=True)
        part.kept = list(pod.siblings)
        part.written = [PlannedPod(pod, fit.keys, part.edits)]
        part.templates = list(templates)
    return part


def _other_cards(readings: Iterable[tuple[Backend, Reading]], target: Backend) -> Iterator[Diagnostic]:
    """Cards of another vendor at the target (GX029), once for the pod."""
    for source, reading in readings:
        if reading.shares and source.vendor and target.vendor and source.vendor != target.vendor:
            path = reading.shares[0].path
            yield cards_are_of_one_vendor(path, source.vendor, target.vendor, target.name)
            return


def _not_a_pod(pod: Pod, sources: Sequence[Backend], target: Backend) -> Diagnostic:
    """A manifest cannot be translated in place to a target that writes job files or forms."""

    def requests(container: ContainerKeys) -> bool:
        return any(backend.owns(name) for backend in sources for name in container.resources)

    path = next((one.path for one in pod.keys.all_containers() if requests(one)), pod.keys.path)
    message = msg("{target} writes job files, not pods", target=target.name)
    found: Diagnostic = share_is_expressible(path, message, PARSE_FIRST)
    return found
