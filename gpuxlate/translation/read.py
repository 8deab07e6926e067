"""Read the GPU requests of documents, and find what is wrong with them; nothing is changed.

    document ── pods ──> dialects_of ──> shares_of (read_pod in each dialect) ──> items
             ├─ jobs ──> the same
             ├─ quotas ─> amounts
             └─ all else ──> keys that nothing reads: leftovers

``parse``, ``inspect`` and the editor stop here. A translation reads a pod in the same way, with
``shares_of``, and goes on from there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.config.document import DECISIONS, GPU_SHARE, is_decisions, to_document
from gpuxlate.manifest.claims import MARK, claims_of
from gpuxlate.manifest.facts import document_keys
from gpuxlate.manifest.jobs import jobs_in
from gpuxlate.manifest.kinds import QUOTA_KINDS
from gpuxlate.manifest.node_choices import NODE_WORDS
from gpuxlate.manifest.passes import Pass
from gpuxlate.manifest.pods import Pod, suffixes
from gpuxlate.model.diagnostics import Diagnostic, Path, Severity
from gpuxlate.overlays.kustomization import PATCH_FIELDS
from gpuxlate.overlays.roles import MANIFESTS, FileKind, FileRole
from gpuxlate.rules import catalog
from gpuxlate.rules.catalog import check_document
from gpuxlate.rules.key_index import key_index_of
from gpuxlate.rules.source import TEMPLATE_TAG, template_finding, template_start
from gpuxlate.rules.translation import nothing_is_left_behind, unread_classes
from gpuxlate.translation.fit import as_read
from gpuxlate.translation.items import Item
from gpuxlate.translation.leftovers import (
    IN_MANIFESTS,
    IN_PATCHES,
    IN_VALUES,
    VARIABLE,
    FileTexts,
    Leftover,
    left_in_document,
    left_in_text,
    left_machines,
)
from gpuxlate.translation.notes import common_keys, left_alone, shared_in_pod
from gpuxlate.translation.obstacles import other_dialects_after
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import State, Task, run_source
from gpuxlate.translation.pod_run import PodRun
from gpuxlate.translation.results import Result
from gpuxlate.translation.shares import dialects_of, has_variables, shares_of
from gpuxlate.yamltext.nodes import get_text
from gpuxlate.yamltext.parse import DocumentReader, documents, with_location
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice

BUILT_FROM = {(name,) for name in (*PATCH_FIELDS, "labels", "commonLabels", "commonAnnotations")}
"""Fields of a kustomization from which objects are built."""
NOT_A_MANIFEST = "a GPUShare document is not a manifest: there is no pod in it"
RENDER = "gpuxlate render writes its manifest: gpuxlate render FILE --to TARGET"


def read_source(
    source: Source, settings: Settings, read: DocumentReader = documents, role: FileRole = MANIFESTS
) -> Result:
    """The shares of every document of a source, with ``Settings.reading``. Errors are in the result.

    ``read`` reads its documents, ``role`` says what they are beside other files.
    """
    return run_source(source, settings, READ, read, role)


def _read_pod(state: State, pod: Pod, sources: tuple[Backend, ...]) -> None:
    """Add the shares of a pod as they are."""
    settings = state.settings
    readings, containers, findings, broken = shares_of(pod.keys, sources, settings)
    fit = as_read(containers, settings.profile, sources)
    findings += fit.findings()
    if pod.keys.claims:
        findings += shared_in_pod(readings, settings.to)
    state.add_shares(pod, readings, fit, findings, broken=broken)


def find_template(state: State) -> None:
    """Report a document that is not rendered yet, and leave the keys that its text names."""
    document = state.document
    template = template_start(document)
    if template is not None:
        state.diagnostics.append(template_finding(document.source, template).located(document=document.index))
        scope = state.settings.scope
        state.leave(left_in_text(document.source, scope, document.start, document.end, document.index))
        state.finished = True


def find_share_document(state: State) -> None:
    """Skip a GPUShare document, which is not a manifest; it is an error where the file is named.

    Documents of decisions are skipped too.
    """
    if get_text(state.document.root, "kind") == GPU_SHARE:
        if state.role.in_folder:
            state.share_documents = 1
        else:
            finding = Diagnostic("GX010", Severity.ERROR, NOT_A_MANIFEST, RENDER)
            state.diagnostics.append(with_location(state.document, finding))
        state.finished = True
    state.finished = state.finished or is_decisions(state.document)
    if state.finished and state.role.in_folder:
        state.omitted.append(Splice(state.document.start, state.document.end, ""))


def find_pods(state: State) -> None:
    """Find the pods of a document with their claims, and where its text may name keys beside them."""
    settings, document = state.settings, state.document
    names = settings.renamed
    for written in () if document.job else state.role.pods(document):
        overlay = written.under(names) if names else written
        if overlay.pod is None:
            state.operations.append(overlay)
        else:
            pod = state.claims.resolve(overlay.pod) if overlay.pod.keys.claims else overlay.pod
            state.runs.append(PodRun(pod, overlay.bases, overlay.unknown))
    if len(state.runs) > 1:
        for run, suffix in zip(state.runs, suffixes(state.pods), strict=True):
            run.suffix = suffix
    state.places = settings.scope.places(document, (run.pod.keys for run in state.runs))


def read_pods(state: State) -> None:
    """Read the shares of pods. Overlays are left out: they are counted with their bases."""
    for run, sources in pods_to_read(state):
        if sources:
            run.dialects = sources
            _read_pod(state, run.pod, sources)


def pods_to_read(state: State) -> Iterator[tuple[PodRun, tuple[Backend, ...]]]:
    """Yield each pod that is not an overlay, with the dialects to read it in.

    What no dialect reads of the pod is reported first. Pods of a file that kustomize builds from are not
    yielded: they are counted as they are built.
    """
    for run in state.runs:
        if run.has_bases:
            continue
        sources = dialects_of(run.pod.keys, state.settings)
        if state.role.part_of_build:
            run.dialects = sources or None
            continue
        _report_left_alone(state, run.pod, sources)
        if sources and state.document.source.holds("$", "{{") and has_variables(run.pod.keys, sources):
            run.why_left, sources = VARIABLE, ()  # its keys are left
        if run.pod.keys.claims:
            _leave_unknown_claims(state, run.pod)
        yield run, sources


def _leave_unknown_claims(state: State, pod: Pod) -> None:
    """Report claims whose devices are not known: they are not counted, and no option accepts them."""
    from gpuxlate.claims.findings import unknown_claims

    findings = (with_location(state.document, finding, pod.object) for finding in unknown_claims(pod.keys))
    state.leave([Leftover(str(finding.path[-1]), finding, final=True) for finding in findings])


def _report_left_alone(state: State, pod: Pod, sources: Sequence[Backend]) -> None:
    """Report whole cards that no dialect reads; accelerators that are not read are left."""
    words = key_index_of(state.settings.context)
    for key, path in common_keys(pod.keys, sources, words).items():
        finding = with_location(state.document, left_alone(path, key, str(path[-1]), words), pod.object)
        if words.unread(key) is None:
            state.diagnostics.append(finding)
        else:
            state.leave([Leftover(key, finding)])


def requested_jobs(state: State) -> Iterator[tuple[Pod, Backend, Path]]:
    """Jobs in a document that request GPUs, with their dialects and the paths of their parameters."""
    from gpuxlate.backends import job_targets

    for job in jobs_in(state.document, job_targets.rows_of(state.document)):
        backend = registry.get(job.target)
        keys = job.pod.keys.containers[0].limits
        requested = [value for name, value in keys.items() if name.startswith(backend.gpu_prefixes)]
        if requested and state.settings.from_ in (None, backend):
            yield job.pod, backend, requested[0].path


def _read_jobs(state: State) -> None:
    for pod, backend, _ in requested_jobs(state):
        _read_pod(state, pod, (backend,))


def find_amounts(state: State, *, writes: bool = False) -> None:
    """Find the amounts of quotas. ``writes``: add the edits that write them for the target."""
    from gpuxlate.translation.quotas.find import find_quotas

    quotas = find_quotas(state.document, state.settings, writes=writes)
    state.quotas += quotas.items
    state.edits += quotas.edits
    state.diagnostics += quotas.diagnostics
    state.handled |= quotas.settled
    state.extra_leftovers += quotas.leftovers


def check_around(state: State) -> None:
    """Check the rules of a document: repeated keys, and keys outside of any pod that are not leftovers."""
    document = state.document
    handled = state.handled.union(edit.path for edit in state.edits)
    keys = document_keys(document, state.pods, registry.is_gpu_key, state.places, handled)
    if keys.outside or keys.unread:
        outside = (
            key
            for key in keys.outside
            if not (state.is_reported_by_build(key.path) or key.path[:1] in state.handled)
        )
        keys = keys._replace(outside=tuple(outside), reported=reported_paths(state))
    has_shares = state.has_shares
    for finding in check_document(catalog.neutral_document_rules(), keys, state.settings.context):
        # GX005 depends on the edit: an anchor is fine where all its uses get the same value
        if finding.code != "GX005" and (has_shares or finding.severity is not Severity.ERROR):
            state.diagnostics.append(with_location(document, finding))


def reported_paths(state: State) -> frozenset[Path]:
    """The paths of the findings about leftovers of a document."""
    left_findings = {leftover.diagnostic for leftover in state.leftovers}
    return frozenset(
        finding.path
        for finding in state.diagnostics
        if finding.code == nothing_is_left_behind.code or finding in left_findings
    )


def find_unread_classes(state: State) -> None:
    """Find device classes of drivers that no dialect reads."""
    unread = unread_classes(claims_of(state.document), state.settings.context)
    state.extra_leftovers += [
        Leftover(name, with_location(state.document, finding)) for name, finding in unread.items()
    ]


def find_machines(state: State) -> None:
    """Find choices of machines of another cloud, beside the shares."""
    state.extra_leftovers += left_machines(state.document, state.runs, state.settings.scope)


def find_leftovers(texts: FileTexts, state: State) -> None:
    """Find the keys that are in no share. A remark on a pod is dropped where a leftover has its path: one
    mistake has one code. ``texts``: why a key of such a file is left, and what to do."""
    leftovers = left_in_document(
        state.document,
        state.runs,
        state.settings.scope,
        places=state.places,
        texts=texts,
        why_left=state.why_left,
        handled=state.handled.union(edit.path for edit in state.edits),
        other_dialects_after=lambda run: other_dialects_after(run, state.settings.to),
    )
    every = (*state.extra_leftovers, *leftovers)
    state.leave(leftover for leftover in every if not state.is_reported_by_build(leftover.diagnostic.path))
    if state.remarks:
        left_paths = reported_paths(state)
        state.diagnostics += (remark for remark in state.remarks if remark.path not in left_paths)


def _is_reported_by_build(kind: FileKind, path: Path) -> bool:
    """Whether a path is in a patch, or in a field of a kustomization: findings there are reported for the
    objects that kustomize builds."""
    return kind is FileKind.PATCH or (kind is FileKind.MANIFESTS and path[:1] in BUILT_FROM)


def find_left_templates(state: State) -> None:
    """Find the templates of claims that stay, whatever becomes of the pods."""
    from gpuxlate.translation.claims import left_templates

    state.leave(left_templates(state.document, state.claims, state.settings.scope))


def of_jobs(run: Callable[[State], None]) -> Pass[State]:
    """A pass over the parameters of jobs."""
    return Pass("jobs", run, registry.job_marks)


def of_quotas(run: Callable[[State], None]) -> Pass[State]:
    """A pass over the amounts of quotas."""
    return Pass("quotas", run, lambda: (*QUOTA_KINDS,))


_FIND_PODS = (
    Pass("templates", find_template, lambda: (TEMPLATE_TAG,)),
    Pass("GPUShare documents", find_share_document, lambda: (GPU_SHARE, DECISIONS)),
    Pass("pods", find_pods),
)
_BESIDE_PODS = (
    Pass("classes of devices", find_unread_classes, lambda: (MARK,)),
    Pass("machines", find_machines, lambda: NODE_WORDS),
)
"""Passes that reading and translating have in common, in order: the pass of a new kind of object goes
here."""
Passes = tuple[Pass[State], ...]


def first_half(
    texts: FileTexts, shares: Passes, amounts: Passes = (), needs: Callable[[State], object] | None = None
) -> Passes:
    """The first half of every task, from the text to the leftovers.

    ``texts``: the reason and the hint for a key that is left in such a file. ``shares``, ``amounts``: the
    passes over pods, and over jobs and quotas. ``needs``: tells whether the pass for leftovers has anything
    to do.
    """
    leftovers = Pass("leftovers", partial(find_leftovers, texts), needs=needs)
    rules = Pass("document rules", check_around)
    return (*_FIND_PODS, *shares, *amounts, *_BESIDE_PODS, leftovers, rules)


LEFT_TEMPLATES = Pass("templates of claims that stay", find_left_templates, lambda: (MARK,))
_SHARES = (Pass("shares", read_pods, needs=lambda state: state.runs),)
READ = Task(
    manifests=(
        *first_half(IN_MANIFESTS, _SHARES, (of_jobs(_read_jobs), of_quotas(find_amounts))),
        LEFT_TEMPLATES,
    ),
    values=first_half(
        IN_VALUES, _SHARES, needs=lambda state: not state.role.is_overlay
    ),  # overlays are counted with their bases
    patch=first_half(IN_PATCHES, _SHARES),
    reports_left=False,
    is_reported_by_build=_is_reported_by_build,
    command="inspect -",
)
"""The task that reads shares: only the first half, with shares as they are written."""


# GPUShare documents from the shares of a translation.
def share_documents(items: Sequence[Item]) -> list[dict[str, Any]]:
    """One GPUShare document for each share, as plain data."""
    named = zip(items, share_names(items), strict=True)
    return [to_document(name, item.share) for item, name in named if item.share]


def share_names(items: Sequence[Item]) -> list[str]:
    """A name for each share: that of its object, with the container's where the object has several."""
    per_object = [(item.build, item.file, item.document, item.object) for item in items]
    shares = Counter(per_object)
    unique_names: dict[str, None] = {}
    following: dict[str, int] = {}  # the first number that a name may still get
    for item, key in zip(items, per_object, strict=True):
        name = item.object.name or item.container or "share"
        if shares[key] > 1:
            name = f"{name}-{item.container}"
        name = re.sub(r"[^a-z0-9.-]+", "-", name.lower()).strip("-.") or "share"
        unique, number = name, following.get(name, 2)
        while unique in unique_names:
            unique, number = f"{name}-{number}", number + 1
        following[name] = number
        unique_names[unique] = None
    return list(unique_names)
