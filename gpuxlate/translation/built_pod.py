"""A pod that is complete only with the patches of the kustomizations that build it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_writer import Accept, SetElsewhere
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import Diagnostic, LossKind, Severity
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.translation.fit import PodFit
from gpuxlate.translation.options import Settings
from gpuxlate.translation.pod_fit import FittedPod, check_fit, fit_shares
from gpuxlate.translation.shares import Shares, dialects_of, shares_of
from gpuxlate.yamltext.parse import Document


def complete(
    fitted_pod: FittedPod,
    built: Sequence[Pod],
    document: Document,
    pod: Pod,
    sources: tuple[Backend, ...],
    settings: Settings,
    read: Shares,
    accept: Accept,
) -> FittedPod:
    """A fitted pod without the losses and findings about fields that the patches of all kustomizations set or
    correct. The pod is unchanged where they do neither.

    ``built``: the pod as each of the kustomizations builds it. ``read``: its shares. ``accept``: what is
    accepted of them.
    """
    wholes = [_as_built(document, whole.under(settings.renamed), settings) for whole in built]
    filled = _set_in_all(fitted_pod.fit, [whole.fit for whole in wholes])
    stays = {code_and_message(finding) for whole in wholes for finding in whole.read_findings}
    corrects = any(
        finding.severity is Severity.ERROR and code_and_message(finding) not in stays
        for finding in fitted_pod.read_findings
    )
    if filled is None or not (filled or corrects):
        return fitted_pod
    read = read._replace(
        findings=[finding for finding in read.findings if code_and_message(finding) in stays]
    )
    fit = fit_shares(read, settings, replace(accept, elsewhere=filled))
    completed = check_fit(document, pod, sources, settings, read, _without_losses(fit, filled))
    keys = _without_keys(completed.fit.keys, filled, settings.to)
    return completed._replace(fit=replace(completed.fit, keys=keys), built=wholes[0])


def _as_built(document: Document, pod: Pod, settings: Settings) -> FittedPod:
    """A pod as a kustomization builds it, at the target."""
    dialects = dialects_of(pod.keys, settings)
    read = shares_of(pod.keys, dialects, settings)
    return check_fit(document, pod, dialects, settings, read, fit_shares(read, settings, settings.accept))


def code_and_message(finding: Diagnostic) -> tuple[str, str]:
    """The code and message by which one finding is the same in two texts, wherever it is."""
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


def _without_losses(fit: PodFit, filled: SetElsewhere) -> PodFit:
    """A fit without the losses of fields that are set elsewhere."""
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

    def without_fields(values: Mapping[str, Value], gone: Set[str]) -> dict[str, Value]:
        rows = {name: target.find(name) for name in values}
        return {
            name: value for name, value in values.items() if not (row := rows[name]) or row.sets not in gone
        }

    def strip_container(container: ContainerKeys) -> ContainerKeys:
        named = {(name, init) for init, name, _ in filled}
        gone = every if (container.name, container.init) in named else set()
        return replace(
            container,
            limits=without_fields(container.limits, gone),
            requests=without_fields(container.requests, gone),
            env=without_fields(container.env, gone),
        )

    return replace(
        keys,
        containers=tuple(map(strip_container, keys.containers)),
        init_containers=tuple(map(strip_container, keys.init_containers)),
        labels=without_fields(keys.labels, every),
        annotations=without_fields(keys.annotations, every),
        node_selector=without_fields(keys.node_selector, every),
    )
