"""Translate one pod: read its shares, fit them to the target, write them, and say what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import Reading
from gpuxlate.backends.pod_writer import Accept, SetElsewhere
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.pods import Numbered, Pod
from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind, Severity
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.overlays.parts import Home
from gpuxlate.rules.translation import isolation_is_the_same, share_is_expressible
from gpuxlate.translation.edits import share_edits
from gpuxlate.translation.fit import PodFit, fit_pod
from gpuxlate.translation.hints import name_keys_in_hints
from gpuxlate.translation.notes import (
    miscounted,
    other_cards,
    shared_in_pod,
    uncounted,
    unknown_choices,
    written_without_a_dialect,
)
from gpuxlate.translation.obstacles import find_obstacles
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import State
from gpuxlate.translation.pod_run import PodRun
from gpuxlate.translation.shares import Shares, dialects_of, refuses, shares_of
from gpuxlate.yamltext.parse import Document, with_location

if TYPE_CHECKING:
    from gpuxlate.claims.templates import ClaimTemplate
    from gpuxlate.translation.decisions import DecidedPod

PARSE_FIRST = "gpuxlate parse reads the share, gpuxlate render --to TARGET writes it"


class FittedPod(NamedTuple):
    """The shares of a pod at the target.

    ``findings``: all findings, ``misread``: those about its keys. ``whole``: the pod with the patches of a
    kustomization, where it is not complete without them.
    """

    readings: Sequence[tuple[Backend, Reading]]
    fit: PodFit
    misread: Sequence[Diagnostic]
    findings: list[Diagnostic]
    whole: FittedPod | None = None

    @property
    def broken(self) -> bool:
        """Its keys are wrong."""
        return refuses(self.misread)


def fit_and_check(
    document: Document,
    pod: Pod,
    sources: tuple[Backend, ...],
    settings: Settings,
    decided: DecidedPod | None = None,
    home: Home | None = None,
) -> FittedPod:
    """Read the shares of a pod in some dialects and fit them to the target, with all that is wrong.

    ``decided``: what is accepted of this pod alone. ``home``: where it is written. What the patches of all
    kustomizations of the run set is not missing there, and what they correct is not wrong.
    """
    read = shares_of(pod.keys, sources, settings)
    fitted_pod = _fit_and_check(document, pod, sources, settings, read, decided)
    built = settings.builds.pods(home) if refuses(fitted_pod.findings) and not pod.keys.claims else ()
    if not built:
        return fitted_pod
    wholes = []
    for whole in (pod.under(settings.renamed) for pod in built):
        dialects = dialects_of(whole.keys, settings)
        wholes.append(
            _fit_and_check(document, whole, dialects, settings, shares_of(whole.keys, dialects, settings))
        )
    filled = _set_in_all(fitted_pod.fit, [whole.fit for whole in wholes])
    stays = {words_of(finding) for whole in wholes for finding in whole.misread}
    corrects = any(
        finding.severity is Severity.ERROR and words_of(finding) not in stays
        for finding in fitted_pod.misread
    )
    if filled is None or not (filled or corrects):
        return fitted_pod
    read = read._replace(findings=[finding for finding in read.findings if words_of(finding) in stays])
    completed = _fit_and_check(document, pod, sources, settings, read, decided, filled)
    return completed._replace(whole=wholes[0])


def words_of(finding: Diagnostic) -> tuple[str, str]:
    """What a finding says, wherever it is."""
    return finding.code, str(finding.message)


def _set_in_all(fit: PodFit, wholes: Sequence[PodFit]) -> SetElsewhere | None:
    """The fields that a target needs and a pod does not set; None where a pod as built lacks one too."""
    attributes = {name: attribute for attribute, name in JSON_NAMES.items()}
    numbers: dict[tuple[bool, str, str], int] = {}
    for outcome in fit.outcomes:
        place = outcome.container.init, outcome.container.name
        for loss in outcome.losses:
            if loss.kind is not LossKind.FILLED or loss.accepted:
                continue
            shares = [
                outcome.share
                for whole in wholes
                for outcome in whole.outcomes
                if (outcome.container.init, outcome.container.name) == place
            ]
            values = [getattr(share, attributes[loss.field]) for share in shares]
            if len(values) != len(wholes) or None in values:
                return None
            numbers[*place, loss.field] = max(1, values[0] // shares[0].cards)
    return numbers


def _fit_and_check(
    document: Document,
    pod: Pod,
    sources: tuple[Backend, ...],
    settings: Settings,
    read: Shares,
    decided: DecidedPod | None = None,
    filled: SetElsewhere = MappingProxyType({}),
) -> FittedPod:
    """The work of ``fit_and_check`` for one pod by itself.

    ``filled``: the fields that are set elsewhere: they are no loss, and no key is written for them.
    """
    target, readings = settings.to, read.readings
    chosen = [selector for _, reading in readings for selector in reading.selectors]
    selectors = [selector for selector in chosen if not target.chooses(selector.key)]
    accept = decided.accept if decided else settings.accept
    if filled:
        accept = replace(accept, elsewhere=filled)
    fit = fit_pod(read.containers, target, accept, settings.profile, selectors)
    if filled:
        fit = _without_losses(fit, filled)
    if not fit.accepted:
        fit = name_keys_in_hints(fit, pod.keys, readings, settings.profile)
    misread = _without_rounded(read.findings, fit, readings, settings.profile) if read.findings else ()
    findings = [*misread]
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
    findings += miscounted(document, pod, fit)
    findings += written_without_a_dialect(fit, target)
    if pod.object.kind == VALUES:
        findings += uncounted(pod, fit, target)
    if filled:
        fit = replace(fit, keys=_without_keys(fit.keys, filled, target))
    return FittedPod(readings, fit, misread, findings)


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


def _without_losses(fit: PodFit, filled: SetElsewhere) -> PodFit:
    return replace(
        fit,
        outcomes=tuple(
            replace(
                outcome,
                losses=tuple(
                    loss
                    for loss in outcome.losses
                    if (outcome.container.init, outcome.container.name, loss.field) not in filled
                ),
            )
            for outcome in fit.outcomes
        ),
    )


def _without_keys(keys: PodKeys, filled: SetElsewhere, target: Backend) -> PodKeys:
    """The keys of a pod without those of fields that are set elsewhere."""
    attributes = {name: attribute for attribute, name in JSON_NAMES.items()}
    every = {attributes[field] for _, _, field in filled}

    def left(values: Mapping[str, Value], gone: Set[str]) -> dict[str, Value]:
        rows = {name: target.find(name) for name in values}
        return {
            name: value for name, value in values.items() if not (row := rows[name]) or row.sets not in gone
        }

    def container(keys_of: ContainerKeys) -> ContainerKeys:
        named = {(name, init) for init, name, _ in filled}
        gone = every if (keys_of.name, keys_of.init) in named else set()
        return replace(
            keys_of,
            limits=left(keys_of.limits, gone),
            requests=left(keys_of.requests, gone),
            env=left(keys_of.env, gone),
        )

    return replace(
        keys,
        containers=tuple(map(container, keys.containers)),
        init_containers=tuple(map(container, keys.init_containers)),
        labels=left(keys.labels, every),
        annotations=left(keys.annotations, every),
        node_selector=left(keys.node_selector, every),
    )


def translate_pod(state: State, run: PodRun, sources: tuple[Backend, ...], numbered: Numbered) -> None:
    """Add the shares of one pod, read in some dialects and written in that of the target.

    ``numbered``: all pods of its document, from which the names of new documents follow.
    """
    pod, document = run.pod, state.document
    target, decisions = state.settings.to, state.settings.decisions
    decided = None
    if decisions is not None:
        by_file = state.role.is_named_by_file
        decided = decisions.of_pod(state.settings.accept, document, pod, target.name, by_file=by_file)
    home = Home(document.source.name, document.index, pod.keys.path)
    fitted_pod = fit_and_check(document, pod, sources, state.settings, decided, home)
    fit, findings = fitted_pod.fit, fitted_pod.findings
    keys: PodKeys = fit.keys
    templates: Sequence[ClaimTemplate] = ()
    if fit.keys.claims:
        from gpuxlate.claims.templates import with_templates

        keys, templates, problems = with_templates(
            document, pod, fit.keys, numbered, sources, state.settings.shared_names
        )
        findings += problems
    if pod.keys.claims:
        from gpuxlate.claims.findings import other_claims, shared_claims

        replaced = [source for source in sources if source is not target]
        findings += shared_claims(pod, replaced, state.claims.index)
        findings += other_claims(pod.keys)
    share = fitted_pod.whole or fitted_pod  # that of the pod as it is built
    located = state.add_shares(pod, share.readings, share.fit, findings, broken=share.broken)
    if decided:
        state.judged.append(decided.judged(fit))
    if not target.writes_pods:
        state.diagnostics.append(with_location(document, _not_a_pod(pod, sources, target), pod.object))
    elif not refuses(located):
        run.new_keys, run.templates = fit.keys, templates
        run.edits = share_edits(pod, keys, sources, target, mirror_requests=True)
        state.edits += run.edits
        state.kept += pod.siblings


def _not_a_pod(pod: Pod, sources: Sequence[Backend], target: Backend) -> Diagnostic:
    """A manifest cannot be translated in place to a target that writes job files or forms."""

    def requests(container: ContainerKeys) -> bool:
        return any(backend.owns(name) for backend in sources for name in container.resources)

    path = next(
        (container.path for container in pod.keys.all_containers() if requests(container)), pod.keys.path
    )
    message = msg("{target} writes job files, not pods", target=target.name)
    finding: Diagnostic = share_is_expressible(path, message, PARSE_FIRST)
    return finding
