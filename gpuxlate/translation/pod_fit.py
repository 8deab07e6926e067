"""One pod at the target, by itself: its shares fitted, with all that is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import Reading, Selector
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind
from gpuxlate.model.profile import Profile
from gpuxlate.rules.translation import isolation_is_the_same
from gpuxlate.translation.fit import PodFit, fit_pod
from gpuxlate.translation.hints import name_keys_in_hints
from gpuxlate.translation.notes import (
    find_miscounted,
    find_uncounted,
    other_cards,
    shared_in_pod,
    unknown_choices,
    written_without_a_dialect,
)
from gpuxlate.translation.obstacles import find_obstacles
from gpuxlate.translation.options import Settings
from gpuxlate.translation.shares import Shares, refuses
from gpuxlate.yamltext.parse import Document


class FittedPod(NamedTuple):
    """The shares of a pod at the target.

    ``findings``: all findings; ``read_findings``: those about the keys that were read. ``built``: the pod
    with the patches of a kustomization, where it is not complete without them.
    """

    readings: Sequence[tuple[Backend, Reading]]
    fit: PodFit
    read_findings: Sequence[Diagnostic]
    findings: list[Diagnostic]
    built: FittedPod | None = None

    @property
    def broken(self) -> bool:
        """Whether its keys are wrong."""
        return refuses(self.read_findings)

    @property
    def counted(self) -> FittedPod:
        """The pod whose shares count: as it is built."""
        return self.built or self


def fit_shares(read: Shares, settings: Settings, accept: Accept) -> PodFit:
    """Fit the shares of a pod to the target. Only the shares count, not the object that has them."""
    selectors = [selector for selector in _chosen(read) if not settings.to.chooses(selector.key)]
    return fit_pod(read.containers, settings.to, accept, settings.profile, selectors)


def check_fit(
    document: Document, pod: Pod, sources: tuple[Backend, ...], settings: Settings, read: Shares, fit: PodFit
) -> FittedPod:
    """A fitted pod with all that is wrong with it: its keys, what is lost, and what stands in the way."""
    target, readings, chosen = settings.to, read.readings, _chosen(read)
    if not fit.accepted:
        fit = name_keys_in_hints(fit, pod.keys, readings, settings.profile)
    read_findings = _without_rounded(read.findings, fit, readings, settings.profile) if read.findings else ()
    findings = [*read_findings]
    if chosen:
        findings += unknown_choices(chosen, target)
    findings += fit.findings()
    if pod.keys.claims:
        findings += shared_in_pod(readings, target)
    findings += [
        isolation_is_the_same(reading.isolation, target.name, reading.shares[0].path)
        for _, reading in readings
        if reading.isolation and reading.shares
    ]
    shares = ((source.vendor, share) for source, reading in readings for share in reading.shares)
    findings += other_cards(shares, target)
    findings += find_obstacles(pod, fit, sources, target, settings.context)
    findings += find_miscounted(document, pod, fit)
    findings += written_without_a_dialect(fit, target)
    if pod.object.kind == VALUES:
        findings += find_uncounted(pod, fit, target)
    return FittedPod(readings, fit, read_findings, findings)


def _chosen(read: Shares) -> list[Selector]:
    """The selectors by which the dialects of a pod choose its cards; two dialects may have the same key."""
    return list(dict.fromkeys(selector for _, reading in read.readings for selector in reading.selectors))


def _without_rounded(
    findings: Sequence[Diagnostic],
    fit: PodFit,
    readings: Sequence[tuple[Backend, Reading]],
    profile: Profile | None,
) -> Sequence[Diagnostic]:
    """What is wrong at the source, but for numbers that both it and the target round up: these are reported
    once, with what accepts them."""
    paths = {loss.path for loss in _rounded(fit)}
    if not any(finding.path in paths for finding in findings):
        return findings
    codes = {
        loss.code
        for source, reading in readings
        for loss in _rounded(fit_pod(reading.containers, source, Accept(), profile))
    }
    return [finding for finding in findings if finding.path not in paths or finding.code not in codes]


def _rounded(fit: PodFit) -> list[Loss]:
    """The numbers that become another number: what comes with a whole card becomes none."""
    losses = (loss for outcome in fit.outcomes for loss in outcome.losses)
    return [loss for loss in losses if loss.kind is LossKind.ROUNDED and isinstance(loss.given, int)]
