"""Check a text: every rule on every document and pod."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, PodReader
from gpuxlate.backends.proposals import accepted
from gpuxlate.lint.ignore import COMMENTS, Ignore, ignores_in_document, ignores_in_text, without_ignored
from gpuxlate.lint.settings import LintResult as Linted
from gpuxlate.lint.settings import LintSettings
from gpuxlate.manifest.facts import document_keys
from gpuxlate.manifest.kinds import QUOTA_KINDS
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import METADATA, Job, Pod, counted, counter_of, jobs_in
from gpuxlate.manifest.quotas import Quota, quotas_in
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Fix, ObjectRef, Path, Put, Severity
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, key_occurrences
from gpuxlate.model.profile import renamed_by
from gpuxlate.overlays.parts import OverlayPod
from gpuxlate.overlays.roles import ClaimLookup, FileKind
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context, Rule, in_order
from gpuxlate.rules.catalog import check_document, check_pod
from gpuxlate.rules.documents import once_per_object, quota_is_counted
from gpuxlate.rules.keys import key_is_known, product_is_read
from gpuxlate.rules.kubernetes import quantity_has_no_suffix, quantity_is_whole
from gpuxlate.rules.number_format import NumberForm, written
from gpuxlate.rules.source import (
    TEMPLATE,
    no_yaml,
    skipped_as,
    template_in,
    too_many,
    too_much,
    unrendered,
)
from gpuxlate.rules.translation import operator_knows_the_cards, unread_classes, unread_resources
from gpuxlate.rules.vocabulary import Vocabulary, vocabulary_of
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.parse import Document, DocumentReader, NotYamlError, documents, with_location
from gpuxlate.yamltext.source import Source


def lint_source(source: Source, settings: LintSettings, read: DocumentReader = documents) -> Linted:
    """Every finding of a source, in the order of the text. ``read`` reads its documents."""
    result = Linted()
    context = settings.context
    beside = settings.claims_beside(source)
    found: list[Diagnostic] = []
    comments = ignores_in_text(source) if source.holds(COMMENTS) else ()
    ignores: list[Ignore] = list(islice(comments, limits.MAX_IGNORES + 1))
    if len(ignores) > limits.MAX_IGNORES:
        what = msg("more than {number} comments that ignore findings", number=limits.MAX_IGNORES)
        found.append(too_much(source, what, "ignore in the configuration: per-file-ignores", 0))
        ignores.clear()
    try:
        for document in read(source):
            result.documents += 1
            template = template_in(document) if document.holds(TEMPLATE) else None
            if template is not None:
                found.append(unrendered(source, template))
                result.skipped = skipped_as(source)
            else:
                every = _document(document, context, settings, result, ignores, beside)
                here = (one for one in every if settings.selected(one.code))
                found.extend(islice(here, limits.MAX_FINDINGS + 1 - len(found)))
            if len(found) > limits.MAX_FINDINGS:
                # the rest is not checked, so ignores may have findings there
                found[-1] = too_many(source, found[-1])
                ignores.clear()
                result.broken = True
                break
    except NotYamlError as error:
        problem = no_yaml(source, error)
        found.append(problem)
        result.broken = True
        if problem.code == "GX012":
            result.skipped = skipped_as(source)
    if found or ignores:
        wanted = [one for one in once_per_object(_once(found)) if settings.selected(one.code)]
        left, result.suppressed = without_ignored(wanted, ignores, settings.selected)
        result.diagnostics = sorted(context.applying(left), key=Diagnostic.sort_key)
        result.excuse(settings.excused)
    return result


def lint_built(document: Document, settings: LintSettings) -> list[Diagnostic]:
    """The findings of an object as kustomize builds it, without those that its annotations ignore.

    Their positions are not known: parts of the object may be of other texts.
    """
    ignores: list[Ignore] = []
    beside = settings.claims_beside(document.source)
    every = _document(document, settings.context, settings, Linted(), ignores, beside)
    found = islice((one for one in every if settings.selected(one.code)), limits.MAX_FINDINGS)
    left, _ = without_ignored(once_per_object(list(found)), ignores, lambda _code: False)
    return list(settings.context.applying(left))


def _once(found: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Each finding once: several pods of one workload, or uses of one anchor, may have the same."""
    seen: set[tuple[str, str, object, Path]] = set()
    for one in found:
        key = (one.code, one.message, one.span, one.path if one.span is None else ())
        if key not in seen:
            seen.add(key)
            yield one


def _document(
    document: Document,
    context: Context,
    settings: LintSettings,
    result: Linted,
    ignores: list[Ignore],
    beside: ClaimLookup,
) -> Iterator[Diagnostic]:
    layer = settings.layer
    if document.root is None:
        return
    own = None if document.job else _problems_of_own(document, context, result)
    if own is not None:
        ignores.extend(ignores_in_document(document, ()))
        yield from own
        return
    rows = tuple(registry.job_rows(document))
    jobs = list(jobs_in(document, rows)) if rows or document.job else []
    counts = not context.partial
    found = [] if document.job else layer.pods(document)
    if found and not nodes.get_text(document.root, "kind"):
        context = context._replace(values=True)  # no object: the values of a chart somewhere else
    renamed = renamed_by(context.profile)
    named = [one.pod.under(renamed) if renamed else one.pod for one in found if one.pod]
    pods = [beside.resolve(one) if one.keys.claims else one for one in named]
    ignores.extend(ignores_in_document(document, pods))
    sets_amounts = counts and any(ref.kind in QUOTA_KINDS for ref, _, _ in objects_in(document))
    quotas = judge_quotas(document, context) if sets_amounts else NO_QUOTAS
    said, read = pods, quotas.read
    if layer.kind is FileKind.PATCH:
        said, read_there = _said(document, pods, found)
        read |= read_there
    words = vocabulary_of(context)
    facts = document_keys(
        document, pods, lambda name: registry.is_gpu_key(name) or bool(words.unread(name)), read
    )
    selected = settings.selected
    neutral = check_document(catalog.neutral_document_rules(), facts, context)
    meant = (one for one in neutral if one.code != "GX002" or jobs or _requests_gpus(pods))
    yield from _located(document, meant, selected)
    if facts.claims:
        yield from _located(document, check_document(_rules_of_claims(), facts, context), selected)
        yield from _located(document, unread_classes(facts, context).values(), selected)
    for one, ref in quotas.found:
        yield from _located(document, (one,), selected, ref)
    for job in jobs:
        backend = registry.get(job.target)
        result.shares += counts and any(name.startswith(backend.gpu_prefixes) for name in limits_of(job))
        where = job.pod.object if document.job is None else None
        yield from _located(document, lint_job(job, backend, context), selected, where)
    for pod in said:
        of_pod = list(islice(lint_pod(pod.keys, context), limits.MAX_FINDINGS + 1))
        said_of = {one.path for one in of_pod}
        every = (
            unread_resources(pod.keys, context) if counts else ()
        )  # of a patch, the pod it is laid over says it
        unread = (one for one in every if one.path not in said_of)
        yield from _located(document, unread, selected, pod.object)
        for one in of_pod:
            offered = (counts or _changes_what_is_there(document, one.fix)) and _has_place(pod, one.fix)
            here = one if offered else one.located(fix=None)
            yield from _located(document, (here,), selected, pod.object)
        asking = [one for one in pod.keys.all_containers() if registry.asks(pod.keys, one)]
        if asking and counts:
            yield from _located(document, unseen_by_operator(document, pod), selected, pod.object)
        apart = registry.with_own_devices(pod.keys, asking) if pod.keys.claims else asking
        result.shares += counts and (len(apart) or _shares_of_the_pod(pod.keys, context))


def _shares_of_the_pod(pod: PodKeys, context: Context) -> int:
    """The shares that only annotations and labels ask for."""
    readings = (
        one.read(PodReader(pod, context.profile), context.profile) for one in registry.backends_of(pod)
    )
    return sum(one.share is not None for reading in readings for one in reading.containers)


def _located(
    document: Document,
    found: Iterable[Diagnostic],
    selected: Callable[[str], bool],
    ref: ObjectRef | None = None,
) -> Iterator[Diagnostic]:
    """The findings of rules that are checked, with their positions."""
    return (with_location(document, one, ref) for one in found if selected(one.code))


@cache
def _rules_of_claims() -> tuple[Rule, ...]:
    """The rules of drivers that are about documents, such as templates of claims."""
    drivers = (one for one in registry.pod_backends() if one.device_classes)
    return in_order({one.code: one for driver in drivers for one in driver.rules}.values(), "drivers")


def _said(document: Document, pods: list[Pod], found: Sequence[OverlayPod]) -> tuple[list[Pod], set[Path]]:
    """What a patch says of its pods, and the places of names in it that are read."""
    from gpuxlate.overlays.patches import of_pods, parts

    changed = [over.part for one in found if one.pod is None for over in one.over]
    said = list(parts(document, pods, changed))
    paths = {spot.path for pod in said for spot in key_occurrences(pod.keys)}
    about = {path[:-1] for path in paths if path[-1:] == ("value",)} | {*of_pods(document, changed)}
    return said, paths | {(*path, step) for path in about for step in ("path", "from")}


def _changes_what_is_there(document: Document, fix: Fix | None) -> bool:
    """The fix adds no key: in a patch, the object may have it already. Lists of operations have none."""
    edits = fix.edits if fix else ()
    in_object = isinstance(document.root, nodes.Mapping)
    return in_object and all(nodes.get(document.root, *one.path) is not None for one in edits)


def _has_place(pod: Pod, fix: Fix | None) -> bool:
    """The object of the pod has the fields that the fix adds something to."""
    lacking = [pod.keys.metadata_of(one) if one in METADATA else (*pod.keys.path, one) for one in pod.lacks]
    edits = fix.edits if fix else ()
    return not any(edit.path[: len(one)] == one for edit in edits for one in lacking)


def _problems_of_own(document: Document, context: Context, result: Linted) -> list[Diagnostic] | None:
    """What is wrong with a document of this tool; None where it is none."""
    if not document.holds("gpuxlate.io/", "GPUShare", "\\"):
        return None
    from gpuxlate.config.document import check_share_document, is_decisions, is_share_document

    if is_share_document(document):
        share, problems = check_share_document(document, context.profile)
        result.shares += share is not None
        return problems
    if is_decisions(document):
        from gpuxlate.config.decisions import check_decisions

        return check_decisions(document)[1]
    return None


def _requests_gpus(pods: Sequence[Pod]) -> bool:
    """Some pod of the document requests a GPU in a known dialect."""
    return any(registry.backends_of(pod.keys) for pod in pods)


def lint_pod(pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The rules of the keys that the pod has: the vendor-neutral ones, then those of each vendor.

    A label that a selector of the object matches is never changed alone: such a finding has no fix.
    """
    labels = pod.labels
    matched = {labels[name].path: labels[name] for name in pod.selected if name in labels}

    def check(keys: PodKeys) -> Iterator[Diagnostic]:
        return islice(_found_in(keys, context), limits.MAX_FINDINGS + 1)

    for one in accepted([*check(pod)], pod, check):
        alone = one.fix is not None and any(
            edit.path in matched and not (isinstance(edit, Put) and edit.value == matched[edit.path].text)
            for edit in one.fix.edits
        )
        yield one.located(fix=None) if alone else one


def _found_in(pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    yield from check_pod(catalog.neutral_pod_rules(), pod, context)
    speaking = registry.backends_of(pod)
    if context.partial:  # labels alone, say: the resources are in the object
        words = vocabulary_of(context)
        speaking = tuple(
            one
            for one in registry.pod_backends()
            if any(words.is_meant(name, place, pod) for name, place, _ in one.owned(pod))
            or one.is_detected(pod)
        )
    for backend in speaking:
        of_vendor = list(islice(backend.check(pod, context), limits.MAX_FINDINGS + 1))
        yield from of_vendor
        reading = backend.read(PodReader(pod, context.profile), context.profile)
        yield from context.applying(reading.invalid_beside(of_vendor))


def limits_of(job: Job) -> Mapping[str, Value]:
    """The parameters of a job."""
    return job.pod.keys.containers[0].limits


def lint_job(job: Job, backend: Backend, context: Context) -> Iterator[Diagnostic]:
    """The rules of a target whose shares are not in pods, and findings of its reader, without fixes."""
    keys = job.pod.keys
    here = context._replace(dialects=(backend,))
    both = (catalog.rules_beside(backend), backend.rules)
    found = [one for rules in both for one in check_pod(rules, keys, here)]
    yield from (one.located(fix=None) for one in found)
    reported = {one.path for one in found if one.severity is Severity.ERROR}
    if any(name.startswith(backend.gpu_prefixes) for name in limits_of(job)):
        reading = backend.read(PodReader(keys, context.profile), context.profile)
        beside = (one for one in (*reading.invalid, *reading.notes) if one.path not in reported)
        yield from context.applying(beside)


# Quotas: the names of resources, and the numbers as far as the API server has rules for them.
class Judged(NamedTuple):
    """The findings about the quotas of a document, and the places of the names that they are about."""

    found: list[tuple[Diagnostic, ObjectRef]]
    read: frozenset[Path]


NO_QUOTAS = Judged([], frozenset())
"""Of a document without them, and of a patch: it may delete an amount, or name a part of an object."""


def judge_quotas(document: Document, context: Context) -> Judged:
    """A resource in a quota is judged as in a container, where the API server does so too."""
    words, renamed = vocabulary_of(context), renamed_by(context.profile)
    found: list[tuple[Diagnostic, ObjectRef]] = []
    read: set[Path] = set()
    for quota in quotas_in(document):
        name = renamed.get(quota.resource, quota.resource)
        known = words.rows(name) or name in registry.whole_card_keys() or words.unread(name)
        if known and not quota.is_counted and not _is_kept(quota, name):
            found += [
                (
                    replace(
                        quota_is_counted(path, quota.written, quota.resource),
                        on_key=path[-1] == quota.written,
                    ),
                    quota.object,
                )
                for path in quota.names
            ]
        if _is_resource(words, quota, name):
            read |= {*quota.names}
            found += [(one, quota.object) for one in _findings(quota, name, context)]
        elif words.unread(name) is not None or words.product(name):
            read |= {*quota.names}
            found += [(one, quota.object) for one in _unread(quota, name, context)]
    return Judged(found, frozenset(read))


def _is_resource(words: Vocabulary, quota: Quota, name: str) -> bool:
    """The name is that of a resource of GPUs, or a misspelt one; other keys have no effect in a quota."""
    rows = words.rows(name)
    return any(map(quota.takes, rows)) or (not rows and bool(words.near_miss(name)))


def _findings(quota: Quota, name: str, context: Context) -> Iterator[Diagnostic]:
    for path in quota.names:
        for one in key_is_known(_pod(name, Value("", path=path), quota), context):
            # the name of another key alone, without its prefix, is no fix
            yield replace(one, fix=None, on_key=path[-1] == quota.written)
        if any(row.sets == "partition" for row in vocabulary_of(context).rows(name)):
            for one in _of_readers(_pod(name, replace(Value.of(1), path=path), quota), context):
                yield replace(one, on_key=path[-1] == quota.written)
    for value, _ in quota.amounts:
        if quota.takes_fractions and written(value).form is NumberForm.FRACTION:
            continue
        for rule in (quantity_is_whole, quantity_has_no_suffix):
            yield from rule(_pod(name, value, quota), context)


def _is_kept(quota: Quota, name: str) -> bool:
    """The scheduler of a dialect keeps to the amount, though Kubernetes does not count it."""
    from gpuxlate.translation.quotas import keeps_limits

    rows = ((one, one.find(name)) for one in registry.pod_backends())
    return any(row is not None and keeps_limits(one, row, quota) for one, row in rows)


def _unread(quota: Quota, name: str, context: Context) -> Iterator[Diagnostic]:
    """Resources of accelerators and products that are not read."""
    for path in quota.names:
        pod = _pod(name, Value("", path=path), quota)
        for one in (*unread_resources(pod, context), *product_is_read(pod, context)):
            yield replace(one, on_key=path[-1] == quota.written)


def _of_readers(pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """What is wrong with a share in the name of a resource."""
    for backend in registry.backends_of(pod):
        yield from backend.read(PodReader(pod, context.profile), context.profile).invalid


def _pod(name: str, value: Value, quota: Quota) -> PodKeys:
    """A pod whose one container asks for the resource."""
    return PodKeys((ContainerKeys(limits={name: value}),), served=quota.served)


def unseen_by_operator(document: Document, pod: Pod) -> Iterator[Diagnostic]:
    """The operator of the pod's object finds no GPU by the names of its resources (GX028)."""
    counter = counter_of(document, pod)
    first = pod.keys.containers[0] if pod.keys.containers else None
    if counter is None or first is None or not registry.asks(pod.keys, first) or counted(counter, first):
        return
    text = "{operator} counts GPUs by the names of resources, and finds none in this pod"
    hint = msg("set {what}", what=counter.hint.format(cards="NUMBER"))
    message = msg(text, operator=counter.operator)
    found: Diagnostic = operator_knows_the_cards(first.path, message, hint)
    yield replace(found, severity=Severity.INFO)
