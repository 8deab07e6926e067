"""The rules of a pod, and those of a job: what is wrong with their keys, and how many shares they ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import PodReader
from gpuxlate.manifest.pods import Pod, counted_numbers, counter_of, explicit_gpu_count, items, value_of
from gpuxlate.model import limits, quantity
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, Put, Severity
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules import catalog, number_format
from gpuxlate.rules.base import Context
from gpuxlate.rules.catalog import check_pod
from gpuxlate.rules.key_index import KeyIndex, key_index_of
from gpuxlate.rules.keys import DEVICE_FILE, card_is_no_file_of_the_node
from gpuxlate.rules.translation import operator_knows_the_cards
from gpuxlate.yamltext.nodes import get, get_text
from gpuxlate.yamltext.parse import Document

if TYPE_CHECKING:
    from gpuxlate.manifest.jobs import Job


def lint_pod(pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The rules of the keys that the pod has: the vendor-neutral ones, then those of each vendor.

    A label that a selector of the object matches is never changed alone: such a finding has no fix.
    """
    labels = pod.labels
    matched = {labels[name].path: labels[name] for name in pod.selected if name in labels}

    def check(keys: PodKeys) -> Iterator[Diagnostic]:
        return islice(_find_in_pod(keys, context), limits.MAX_FINDINGS + 1)

    findings = [*check(pod)]
    if not findings:
        return
    from gpuxlate.backends.proposals import correct_proposals

    for finding in correct_proposals(findings, pod, check):
        alone = finding.fix is not None and any(
            edit.path in matched and not (isinstance(edit, Put) and edit.value == matched[edit.path].text)
            for edit in finding.fix.edits
        )
        yield finding.located(fix=None) if alone else finding


def _find_in_pod(pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    if context.before is not None:
        from gpuxlate.lint.upgrade import changes_in_pod

        for backend in registry.backends_of(pod):
            yield from changes_in_pod(backend, pod, context)
        return
    of_no_vendor = list(islice(check_pod(catalog.neutral_pod_rules(), pod, context), limits.MAX_FINDINGS + 1))
    yield from of_no_vendor
    speaking = registry.backends_of(pod)
    if context.partial:  # labels alone, say: the resources are in the object
        index = key_index_of(context)
        speaking = tuple(
            backend
            for backend in registry.pod_backends()
            if any(index.is_meant(name, place, pod) for name, place, _ in backend.owned(pod))
            or backend.is_detected(pod)
        )
    for backend in speaking:
        of_vendor = list(islice(backend.check(pod, context), limits.MAX_FINDINGS + 1))
        yield from of_vendor
        reading = backend.read(PodReader(pod, context.profile), context.profile)
        yield from context.keep_applicable(reading.invalid_beside([*of_no_vendor, *of_vendor]))


def limits_of(job: Job) -> Mapping[str, Value]:
    """The parameters of a job."""
    return job.pod.keys.containers[0].limits


def lint_job(job: Job, backend: Backend, context: Context) -> Iterator[Diagnostic]:
    """The findings of a job of a target whose shares are not in pods, from rules and its reader, without
    fixes."""
    keys = job.pod.keys
    job_context = context._replace(dialects=(backend,))
    both = (catalog.neutral_rules_for(backend), backend.rules)
    findings = [finding for rules in both for finding in check_pod(rules, keys, job_context)]
    yield from (finding.located(fix=None) for finding in findings)
    reported = {finding.path for finding in findings if finding.severity is Severity.ERROR}
    if any(name.startswith(backend.gpu_prefixes) for name in limits_of(job)):
        reading = backend.read(PodReader(keys, context.profile), context.profile)
        of_reader = (
            finding for finding in (*reading.invalid, *reading.notes) if finding.path not in reported
        )
        yield from context.keep_applicable(of_reader)


def shares_of_the_pod(pod: PodKeys, context: Context) -> int:
    """The number of shares of the pod, for a pod that requests them by annotations and labels alone."""
    readings = (
        backend.read(PodReader(pod, context.profile), context.profile)
        for backend in registry.backends_of(pod)
    )
    return sum(container.share is not None for reading in readings for container in reading.containers)


def unseen_by_operator(document: Document, pod: Pod) -> Iterator[Diagnostic]:
    """GX028 if the operator of the pod's object finds no GPU by the names of its resources."""
    counter = counter_of(document, pod)
    first = pod.keys.containers[0] if pod.keys.containers else None
    if (
        counter is None
        or first is None
        or not registry.asks(pod.keys, first)
        or counted_numbers(counter, first)
    ):
        return
    text = "{operator} counts GPUs by the names of resources, and finds none in this pod"
    hint = msg("set {what}", what=counter.hint.format(cards="NUMBER"))
    message = msg(text, operator=counter.operator)
    yield operator_knows_the_cards.diagnostic(first.path, message, hint, severity=Severity.INFO)


def check_explicit_count(document: Document, pod: Pod) -> Iterator[Diagnostic]:
    """GX028 if the object sets a number of GPUs that is not whole, for a program that needs one."""
    explicit = explicit_gpu_count(document, pod)
    if explicit is None:
        return
    counter, value = explicit
    if number_format.is_placeholder(value) or quantity.parse_integer(value.text) is not None:
        return
    message = msg(
        "{name} is {text}: {program} takes whole numbers alone",
        name=value.path[-1],
        text=value.text,
        program=counter.whole,
    )
    yield operator_knows_the_cards(
        value.path, message, "write the number of cards; tasks and actors take parts of them in their code"
    )


_CARD = regex(rf"{DEVICE_FILE}\d+")


def mounted_cards(document: Document, pod: Pod, index: KeyIndex) -> Iterator[Diagnostic]:
    """GX042 for each file of a card that a container with GPUs mounts from the node."""
    spec = get(document.root, *pod.keys.path)
    files: dict[str, Value] = {}
    for number, volume in enumerate(items(get(spec, "volumes"))):
        path = get(volume, "hostPath", "path")
        name = get_text(volume, "name")
        if path is not None and name:
            files[name] = value_of(path, (*pod.keys.path, "volumes", number, "hostPath", "path"))
    cards = {name: value for name, value in files.items() if _CARD.fullmatch(value.text)}
    for container in pod.keys.all_containers() if cards else ():
        shares = [
            name
            for name in container.resources
            if any(dialect.requests_with(name) for dialect in index.owners(name))
        ]
        whole = [name for name in container.resources if index.counts_whole_cards(name)]
        for mount in items(get(document.root, *container.path, "volumeMounts")) if shares or whole else ():
            file = cards.pop(get_text(mount, "name") or "", None)
            if file is not None:
                yield card_is_no_file_of_the_node(file.path, file.text, (whole or shares)[0], bool(shares))
