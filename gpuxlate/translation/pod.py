"""Translate one pod: read its shares, fit them to the target, write them, and say what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.overlays.parts import Home
from gpuxlate.rules.translation import share_is_expressible
from gpuxlate.translation.edits import share_edits
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import State
from gpuxlate.translation.pod_fit import FittedPod, check_fit, fit_shares
from gpuxlate.translation.pod_run import PodRun
from gpuxlate.translation.shares import refuses, shares_of
from gpuxlate.yamltext.parse import Document, with_location

if TYPE_CHECKING:
    from gpuxlate.claims.templates import ClaimTemplate
    from gpuxlate.translation.decisions import DecidedPod

PARSE_FIRST = "gpuxlate parse reads the share, gpuxlate render --to TARGET writes it"


def fit_and_check(
    document: Document,
    pod: Pod,
    sources: tuple[Backend, ...],
    settings: Settings,
    decided: DecidedPod | None = None,
    home: Home | None = None,
) -> FittedPod:
    """Read the shares of a pod in some dialects and fit them to the target, with all that is wrong.

    ``decided``: the losses that are accepted of this pod alone. ``home``: where it is written. A field that
    the patches of all kustomizations of the run set is not missing there, and one that they correct is not
    wrong.
    """
    read = shares_of(pod.keys, sources, settings)
    accept = decided.accept if decided else settings.accept
    fit = fit_shares(read, settings, accept)
    fitted_pod = check_fit(document, pod, sources, settings, read, fit)
    built = settings.builds.pods(home) if refuses(fitted_pod.findings) and not pod.keys.claims else ()
    if built:
        from gpuxlate.translation.built_pod import complete

        return complete(fitted_pod, built, document, pod, sources, settings, read, accept)
    return fitted_pod


def translate_pod(state: State, run: PodRun, sources: tuple[Backend, ...]) -> None:
    """Add the shares of one pod, read in some dialects and written in that of the target."""
    pod, document = run.pod, state.document
    target, decisions = state.settings.to, state.settings.decisions
    decided = None
    if decisions is not None:
        by_file = state.role.is_named_by_file
        decided = decisions.decide_pod(state.settings.accept, document, pod, target.name, by_file=by_file)
    home = Home(document.source.name, document.index, pod.keys.path)
    fitted_pod = fit_and_check(document, pod, sources, state.settings, decided, home)
    fit, findings = fitted_pod.fit, fitted_pod.findings
    keys: PodKeys = fit.keys
    templates: Sequence[ClaimTemplate] = ()
    if fit.keys.claims:
        from gpuxlate.claims.templates import with_templates

        keys, templates, problems = with_templates(
            document, pod, fit.keys, run.suffix, sources, state.settings.shared_names
        )
        findings += problems
    if pod.keys.claims:
        from gpuxlate.claims.findings import other_claims, shared_claims

        replaced = [source for source in sources if source is not target]
        findings += shared_claims(pod, replaced, state.claims.index)
        findings += other_claims(pod.keys)
    counted = fitted_pod.counted
    located = state.add_shares(pod, counted.readings, counted.fit, findings, broken=counted.broken)
    if decided:
        state.judged.append(decided.judge(fit))
    if not target.writes_pods:
        state.diagnostics.append(with_location(document, _not_a_pod(pod, sources, target), pod.object))
    elif not refuses(located):
        run.new_keys, run.templates = fit.keys, templates
        run.edits = share_edits(pod, keys, sources, target, mirror_requests=True)
        state.edits += run.edits
        state.kept += pod.siblings


def _not_a_pod(pod: Pod, sources: Sequence[Backend], target: Backend) -> Diagnostic:
    """The finding that a manifest cannot be translated in place to a target that writes job files or
    forms."""

    def requests(container: ContainerKeys) -> bool:
        return any(backend.owns(name) for backend in sources for name in container.resources)

    path = next(
        (container.path for container in pod.keys.all_containers() if requests(container)), pod.keys.path
    )
    message = msg("{target} writes job files, not pods", target=target.name)
    finding: Diagnostic = share_is_expressible(path, message, PARSE_FIRST)
    return finding
