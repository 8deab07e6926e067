"""Read the shares of a pod in one dialect, and report everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare, PodReader, Reading, Selector
from gpuxlate.backends.proposals import correct_proposals
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import Place
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.share import Device
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context
from gpuxlate.rules.catalog import check_pod
from gpuxlate.rules.kubernetes import container_asks_one_vendor, not_yet_known, other_dialect
from gpuxlate.rules.number_format import is_placeholder
from gpuxlate.rules.translation import share_is_expressible
from gpuxlate.translation.options import Settings


class Shares(NamedTuple):
    """The shares of a pod, by dialect and by container, with the findings. ``broken``: its keys are wrong."""

    readings: Sequence[tuple[Backend, Reading]]
    containers: Sequence[ContainerShare]
    findings: list[Diagnostic]
    broken: bool


def dialects_of(pod: PodKeys, settings: Settings) -> tuple[Backend, ...]:
    """The dialects to read a pod in."""
    chosen = settings.from_
    if chosen is None:
        return registry.backends_of(pod)
    key = chosen.whole_card_key
    speaks = chosen.is_used_by(pod) or (
        key is not None and any(key in container.resources for container in pod.all_containers())
    )
    return (chosen,) if speaks or chosen.has_generic_keys(pod) else ()


def has_variables(pod: PodKeys, sources: Sequence[Backend]) -> bool:
    """Whether a number of these dialects is a variable, which another tool sets (GX036): no share can be
    read."""
    for container in pod.all_containers():
        variables = [name for name, value in container.resources.items() if is_placeholder(value)]
        for source in sources if variables else ():
            read = any(source.find(name) or name == source.whole_card_key for name in variables)
            if read and any(map(source.owns, container.resources)):
                return True
    return False


def shares_of(pod: PodKeys, sources: Sequence[Backend], settings: Settings) -> Shares:
    """Read the shares of a pod in some dialects, with all that is wrong."""
    read = [
        read_pod(pod, backend, settings.context, neutral=number == 0)
        for number, backend in enumerate(sources)
    ]
    findings = [finding for _, problems in read for finding in problems]
    readings = [reading for reading, _ in read]
    for number, source in enumerate(sources):
        if settings.to.needs_maker_of(source):
            readings[number] = _with_vendor(readings[number], Device(source.vendor))
    if settings.from_ and all(finding.code != container_asks_one_vendor.code for finding in findings):
        findings += other_dialects(pod, settings)
    if len(sources) == 1:
        return Shares([(sources[0], readings[0])], readings[0].containers, findings, refuses(findings))
    once = shares_once(pod, sources, readings)
    return Shares(once, merge_readings([reading for _, reading in once]), findings, refuses(findings))


def _with_vendor(reading: Reading, device: Device) -> Reading:
    """Set the vendor in shares that do not name one, for a target whose keys name another vendor."""
    return replace(
        reading,
        containers=tuple(
            replace(container, share=replace(container.share, device=device))
            if container.share and container.share.device is None
            else container
            for container in reading.containers
        ),
    )


def other_dialects(keys: PodKeys, settings: Settings) -> Iterator[Diagnostic]:
    """Findings about the dialects of a pod other than the one that ``--from`` names (K8S007)."""
    source = settings.from_
    if source:
        yield from (
            other_dialect(keys, source, backend)
            for backend in registry.backends_of(keys)
            if backend is not source
        )


def is_refusal(finding: Diagnostic) -> bool:
    """Whether the finding says that the target cannot express a share (GX023)."""
    return finding.code == share_is_expressible.code and finding.severity is Severity.ERROR


def refuses(findings: Iterable[Diagnostic]) -> bool:
    """Whether any of the findings is an error."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def read_pod(
    pod: PodKeys, backend: Backend, context: Context, *, neutral: bool = True
) -> tuple[Reading, list[Diagnostic]]:
    """Read the shares of a pod in one dialect, and find everything that is wrong with them.

    The rules of the vendor and of Kubernetes run first; with ``neutral`` also the rules without a vendor,
    which check the keys of all dialects. A key of the dialect that no share took is an error.
    """
    if not backend.writes_pods:
        context = Context(context.profile, (backend,))

    def check_rules(keys: PodKeys) -> Iterator[Diagnostic]:
        of_no_vendor = check_pod(catalog.neutral_rules_for(backend) if neutral else (), keys, context)
        # remarks and fixes are for lint: this pod gets new keys
        findings = backend.check(keys, context, remarks=False)
        of_vendor = (finding for finding in findings if finding.severity is not Severity.INFO)
        return islice(chain(of_no_vendor, of_vendor), limits.MAX_FINDINGS + 1)

    def find_mistakes(keys: PodKeys) -> Iterator[Diagnostic]:
        of_rules = [*check_rules(keys)]
        yield from of_rules
        yield from backend.read(PodReader(keys, context.profile), context.profile).invalid_beside(of_rules)

    findings = [
        finding.located(fix=None) for finding in correct_proposals([*check_rules(pod)], pod, find_mistakes)
    ]
    reading = backend.read(PodReader(pod, context.profile), context.profile)
    findings.extend(reading.invalid_beside(findings))
    findings.extend(reading.notes)
    reported = {finding.path for finding in findings if finding.severity is Severity.ERROR}
    for container in pod.all_containers():
        whole = container.resources.get(backend.whole_card_key or "")
        if whole is not None and whole.path not in reported and is_placeholder(whole):
            findings.append(not_yet_known(whole))
    preferred = {requirement.path: requirement for requirement in pod.preferences()}
    # outside ``metadata``: K8S006 reports it
    stray = {value.path for values in (pod.stray_labels, pod.stray_annotations) for value in values.values()}
    wishes: list[Selector] = []
    for name, place, path in backend.owned(pod):
        row = backend.find(name)
        by_scheduler = row is not None and Place.WRITTEN_BY_SCHEDULER in row.places
        if path in reading.taken or path in reported or by_scheduler or path in stray:
            continue
        if path in preferred:
            requirement = preferred[path]
            values = f"{requirement.operator} {', '.join(requirement.values)}".strip()
            wishes.append(Selector(name, values, path, "preferred node affinity"))
            continue
        findings.append(
            Diagnostic(
                "GX013",
                Severity.ERROR,
                msg("{name} has no effect here ({place}) and would be lost", name=name, place=msg(place)),
                "remove it, or move it where the vendor reads it",
                path,
                on_key=True,
            )
        )
    return replace(reading, selectors=(*reading.selectors, *wishes)) if wishes else reading, findings


def shares_once(
    pod: PodKeys, backends: Sequence[Backend], readings: Sequence[Reading]
) -> list[tuple[Backend, Reading]]:
    """The readings of a pod by dialect, with each share in one of them only.

    Several dialects read the common key of whole cards: it belongs to the one with other keys beside it.
    """
    kept: list[set[int]] = [set() for _ in readings]
    for place, container in enumerate(pod.all_containers()):
        with_share = [n for n, reading in enumerate(readings) if reading.containers[place].share]
        owners = [n for n in with_share if any(map(backends[n].owns, container.resources))]
        if with_share:
            kept[(owners or with_share)[0]].add(place)
    return [
        (
            backend,
            replace(
                reading,
                containers=tuple(
                    container if place in places else replace(container, share=None)
                    for place, container in enumerate(reading.containers)
                ),
            ),
        )
        for backend, reading, places in zip(backends, readings, kept, strict=True)
    ]


def merge_readings(readings: Sequence[Reading]) -> list[ContainerShare]:
    """The containers of a pod with the share that any of its dialects found."""
    if not readings:
        return []
    merged = list(readings[0].containers)
    for reading in readings[1:]:
        merged = [
            container if container.share else other
            for container, other in zip(merged, reading.containers, strict=True)
        ]
    return merged
