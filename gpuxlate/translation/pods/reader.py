"""Read the shares of a pod in one dialect, and report everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice

from gpuxlate.backends.base import Backend, ContainerShare, Place, Reading, Selector, Taking
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context
from gpuxlate.rules.index import check_pod
from gpuxlate.rules.kubernetes import not_yet_known
from gpuxlate.rules.numerals import is_placeholder


def read_pod(
    pod: PodKeys, backend: Backend, context: Context, *, neutral: bool = True
) -> tuple[Reading, list[Diagnostic]]:
    """The shares of a pod in one dialect, and everything that is wrong with them.

    The rules of the vendor and of Kubernetes run first; ``neutral``: those of no vendor too, which look at
    the keys of all dialects. An owned key that was not taken is an error.
    """
    if backend.form_module:
        context = Context(context.profile, (backend,))
    # infos and fixes are for lint: this pod gets new keys
    of_vendor = (one for one in backend.check(pod, context) if one.severity is not Severity.INFO)
    of_no_vendor = check_pod(catalog.rules_beside(backend) if neutral else (), pod, context)
    by_rules = chain(of_no_vendor, of_vendor)
    found = [one.located(fix=None) for one in islice(by_rules, limits.MAX_FINDINGS + 1)]
    reading = backend.read(Taking(pod, context.profile), context.profile)
    found.extend(reading.invalid_beside(found))
    found.extend(reading.notes)
    reported = {one.path for one in found if one.severity is Severity.ERROR}
    for container in pod.all_containers():
        whole = container.resources.get(backend.whole_card_key or "")
        if whole is not None and whole.path not in reported and is_placeholder(whole):
            found.append(not_yet_known(whole))
    preferred = {one.path: one for one in pod.preferences()}
    # outside ``metadata``: K8S006 reports it
    stray = {value.path for values in (pod.stray_labels, pod.stray_annotations) for value in values.values()}
    wishes: list[Selector] = []
    for name, place, path in backend.owned(pod):
        row = backend.find(name)
        by_scheduler = row is not None and Place.SCHEDULER in row.places
        if path in reading.taken or path in reported or by_scheduler or path in stray:
            continue
        if path in preferred:
            one = preferred[path]
            values = f"{one.operator} {', '.join(one.values)}".strip()
            wishes.append(Selector(name, values, path, "preferred node affinity"))
            continue
        found.append(
            Diagnostic(
                "GX013",
                Severity.ERROR,
                say("{name} has no effect here ({place}) and would be lost", name=name, place=say(place)),
                "remove it, or move it where the vendor reads it",
                path,
                on_key=True,
            )
        )
    return replace(reading, selectors=(*reading.selectors, *wishes)), found


def shares_once(
    pod: PodKeys, backends: Sequence[Backend], readings: Sequence[Reading]
) -> list[tuple[Backend, Reading]]:
    """What each dialect read, with each share once.

    Several dialects read the common key of whole cards: it is that of the one with other keys beside it.
    """
    kept: list[set[int]] = [set() for _ in readings]
    for place, container in enumerate(pod.all_containers()):
        found = [n for n, reading in enumerate(readings) if reading.containers[place].share]
        owners = [n for n in found if any(map(backends[n].owns, container.resources))]
        if found:
            kept[(owners or found)[0]].add(place)
    return [
        (
            backend,
            replace(
                reading,
                containers=tuple(
                    one if place in places else replace(one, share=None)
                    for place, one in enumerate(reading.containers)
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
            mine if mine.share else other for mine, other in zip(merged, reading.containers, strict=True)
        ]
    return merged
