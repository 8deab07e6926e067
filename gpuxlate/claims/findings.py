"""Findings about the claims of a pod, and about new claims for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.claims.index import ClaimIndex
from gpuxlate.manifest.claims import claims_of, classes_elsewhere
from gpuxlate.manifest.pods import Pod, chart_values
from gpuxlate.model.diagnostics import Diagnostic, Severity, prefixes
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import CLAIM, TEMPLATE, PodClaim, PodKeys
from gpuxlate.rules.claims import claim_is_known, other_claims_stay
from gpuxlate.rules.documents import CHECK_BY_HAND, RENDER_IT, key_is_in_a_pod
from gpuxlate.rules.translation import share_is_expressible
from gpuxlate.yamltext.parse import Document


def unknown_claims(pod: PodKeys) -> Iterator[Diagnostic]:
    """Claims of containers whose devices are not known (DRA014): what they request is never guessed."""
    for container in pod.all_containers():
        for use in container.claims:
            claim = pod.claim(use.name)
            if claim is not None and claim.missing is not None:
                where = claim.reference.path if claim.reference else claim.path
                yield claim_is_known.diagnostic(where, *claim.missing, severity=Severity.ERROR)


def shared_claims(pod: Pod, sources: Sequence[Backend], index: ClaimIndex) -> Iterator[Diagnostic]:
    """Pods that share one allocation: the target would give a share to each of them (GX023)."""
    for claim in pod.keys.claims:
        if claim.claim is None or claim.resolved is None or not registry.has_devices_of(claim, sources):
            continue
        if pod.object.kind != "Pod" or len(index.users(claim.resolved)) > 1:
            message = msg(
                "all pods that name {kind} {name} share its devices", kind=CLAIM, name=claim.claim.text
            )
            hint = msg(
                "keep these pods on claims; with a {kind} each pod gets devices of its own", kind=TEMPLATE
            )
            yield share_is_expressible(claim.claim.path, message, hint)


def other_claims(pod: PodKeys) -> Iterator[Diagnostic]:
    """Claims of a pod with shares that are for other devices, which stay (DRA020)."""
    for claim in pod.claims:
        classes = claim.devices.classes() if claim.devices else frozenset()
        if claim.made_by:
            yield other_claims_stay(claim, msg("what {kind} makes", kind=claim.made_by))
        elif classes and classes.isdisjoint(registry.device_classes()):
            yield other_claims_stay(claim, ", ".join(sorted(classes)))


def claims_elsewhere(document: Document, index: ClaimIndex) -> Iterator[Diagnostic]:
    """Claims for GPUs in other objects, as in the values of a chart, and templates that are named only in
    texts that are not read (GX014)."""
    classes = registry.device_classes()
    charts = chart_values(document)
    for name, path in classes_elsewhere(document):
        if name in classes:
            message = msg("a claim for {name} is in another object: it is left as it is", name=name)
            in_chart = not charts.isdisjoint(prefixes(path))
            yield key_is_in_a_pod.diagnostic(path, message, RENDER_IT if in_chart else CHECK_BY_HAND)
    for claim in () if index.has_older_forms else claims_of(document):
        kept = index.kept_by(claim)
        if kept and not index.users(claim) and not classes.isdisjoint(claim.devices.classes()):
            message = msg(
                "{kind} {name} is used by what is not read: {file} names it, in {where}",
                kind=claim.kind,
                name=claim.name,
                file=kept.file,
                where=kept.where,
            )
            yield key_is_in_a_pod.diagnostic((*claim.place.path, "metadata", "name"), message, CHECK_BY_HAND)


def claimed_already(claim: PodClaim, hint: str = "change its template, or remove it first") -> Diagnostic:
    """The finding that a pod has a claim of this name already: its template may be in no file of the run
    (GX023)."""
    message = msg("the pod has claim {name} already", name=claim.name)
    finding: Diagnostic = share_is_expressible(claim.path, message, hint)
    return finding
