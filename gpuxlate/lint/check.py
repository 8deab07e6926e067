"""Check a text: every rule on every document and pod."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Self

from gpuxlate.backends import registry
from gpuxlate.lint.ignore import COMMENTS, Ignore, ignores_in_document, ignores_in_text, without_ignored
from gpuxlate.lint.pods import (
    check_explicit_count,
    limits_of,
    lint_job,
    lint_pod,
    mounted_cards,
    shares_of_the_pod,
    unseen_by_operator,
)
from gpuxlate.lint.settings import LintResult, LintSettings, nothing
from gpuxlate.manifest.claims import DEVICE_CLASS_NAME
from gpuxlate.manifest.facts import document_keys
from gpuxlate.manifest.hits import places_beside
from gpuxlate.manifest.kinds import CLUSTER_QUEUE, EXPLICIT_COUNT, QUEUE_LABEL, QUOTA_KINDS
from gpuxlate.manifest.passes import Pass, run_passes
from gpuxlate.manifest.pods import METADATA, Pod
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Fix, ObjectRef, Path
from gpuxlate.model.keys import NVIDIA_GPU, Place
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import key_occurrences
from gpuxlate.model.profile import renamed_by
from gpuxlate.overlays.parts import OverlayPod
from gpuxlate.overlays.roles import FileKind, FileRole
from gpuxlate.overlays.run_claims import ClaimLookup
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context, Rule, sort_rules
from gpuxlate.rules.catalog import check_document
from gpuxlate.rules.documents import once_per_object
from gpuxlate.rules.key_index import IGNORE, key_index_of
from gpuxlate.rules.keys import DEVICE_FILE
from gpuxlate.rules.source import (
    TEMPLATE_TAG,
    are_too_many,
    limit_finding,
    skip_reason,
    template_finding,
    template_start,
    unreadable_finding,
)
from gpuxlate.rules.translation import unread_classes, unread_resources
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.parse import (
    Document,
    DocumentReader,
    NotYamlError,
    documents,
    over_documents,
    with_location,
)
from gpuxlate.yamltext.source import Source

if TYPE_CHECKING:
    from gpuxlate.lint.queues import Queues
    from gpuxlate.manifest.jobs import Job


@dataclass(slots=True, kw_only=True)
class LintState:
    """A document with the results of the passes that check it.

    ``claims``: the claims of the run that its pods can use. ``max_findings``: of ``diagnostics``.
    ``pods``, ``jobs``: of the document. ``operations``, ``parts``: patches of pods in other files, as lists
    of operations and as parts of pods. ``quotas``: the findings about quotas, with their objects.
    ``read``: the paths of names that are read outside of pods. ``queues``: the queues of Kueue, and the
    containers that wait in them.
    """

    document: Document
    settings: LintSettings
    context: Context
    claims: ClaimLookup
    max_findings: int = limits.MAX_FINDINGS
    pods: list[Pod] = field(default_factory=list)
    parts: list[Pod] = field(default_factory=list)
    operations: list[OverlayPod] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    quotas: list[tuple[Diagnostic, ObjectRef]] = field(default_factory=list)
    read: set[Path] = field(default_factory=set)
    queues: Queues | None = None
    ignores: list[Ignore] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    shares: int = 0
    skipped: str | None = None
    finished: bool = False

    def report(self, findings: Iterable[Diagnostic], ref: ObjectRef | None = None) -> None:
        """Add the findings of selected rules, with their positions, up to ``max_findings``."""
        selected = self.settings.selected
        self.add(with_location(self.document, finding, ref) for finding in findings if selected(finding.code))

    def add(self, located: Iterable[Diagnostic]) -> None:
        """Add findings with positions, up to ``max_findings``."""
        self.diagnostics += islice(located, self.max_findings - len(self.diagnostics))
        self.finished = len(self.diagnostics) == self.max_findings


def lint_source(source: Source, settings: LintSettings, read: DocumentReader = documents) -> LintResult:
    """Every finding of a source, in the order of the text. ``read`` reads its documents."""
    findings: list[Diagnostic] = []
    comments = ignores_in_text(source) if source.holds(COMMENTS) else ()
    ignores: list[Ignore] = list(islice(comments, limits.MAX_IGNORES + 1))
    if len(ignores) > limits.MAX_IGNORES:
        excess = msg("more than {number} comments that ignore findings", number=limits.MAX_IGNORES)
        findings.append(limit_finding(source, excess, "ignore in the configuration: per-file-ignores", 0))
        ignores.clear()
    work = partial(_check_documents, source, settings, limits.MAX_FINDINGS - len(findings))
    checked = over_documents(work, source, read, settings.in_chunks)
    result = checked.result
    findings += checked.findings
    if checked.queues is not None and not checked.too_many:
        findings += checked.queues.uncovered()
    # where there are too many the rest is not checked, so ignores may have findings there
    ignores = [] if checked.too_many else [*ignores, *checked.ignores]
    if findings or ignores:
        selected = [
            finding for finding in once_per_object(_once(findings)) if settings.selected(finding.code)
        ]
        not_ignored, result.suppressed = without_ignored(selected, ignores, settings.selected)
        result.diagnostics = sorted(settings.context.keep_applicable(not_ignored), key=Diagnostic.sort_key)
        result.excuse(settings.excused)
    return result


@dataclass(slots=True)
class _CheckedDocuments:
    """The findings of documents of a source, at most ``max_findings``, and the annotations that ignore some.

    ``stopped``: not all documents were read, because of an error or ``too_many`` findings.
    """

    max_findings: int
    result: LintResult = field(default_factory=LintResult)
    findings: list[Diagnostic] = field(default_factory=list)
    ignores: list[Ignore] = field(default_factory=list)
    queues: Queues | None = None
    too_many: bool = False

    @property
    def stopped(self) -> bool:
        return self.result.broken or len(self.findings) > self.max_findings

    def __iadd__(self, more: _CheckedDocuments) -> Self:
        self.findings += more.findings
        self.ignores += more.ignores
        self.add(more.queues)
        result, other = self.result, more.result
        result.documents += other.documents
        result.shares += other.shares
        result.skipped = other.skipped or result.skipped
        result.broken |= other.broken
        return self

    def add(self, queues: Queues | None) -> None:
        """Add the queues of a document; most documents have none."""
        if self.queues is not None and queues is not None:
            self.queues += queues
        else:
            self.queues = self.queues or queues


def _check_documents(
    source: Source, settings: LintSettings, max_findings: int, read: DocumentReader
) -> _CheckedDocuments:
    """The findings of the documents of a source, each checked by itself."""
    checked = _CheckedDocuments(max_findings)
    result, findings = checked.result, checked.findings
    context, claims = settings.context, settings.claims_beside(source)

    def start(document: Document) -> LintState:
        allowed = max_findings + 1 - len(findings)
        return LintState(
            document=document, settings=settings, context=context, claims=claims, max_findings=allowed
        )

    try:
        for state in run_passes(read(source), _passes_of(settings.role), start):
            result.documents += state.document.count
            result.shares += state.shares
            result.skipped = state.skipped or result.skipped
            checked.ignores += state.ignores
            if state.queues is not None:
                checked.add(state.queues)
            findings += state.diagnostics
            if are_too_many(source, findings, max_findings):
                checked.too_many = result.broken = True
                break
    except NotYamlError as error:
        problem = unreadable_finding(source, error)
        findings.append(problem)
        result.broken = True
        if problem.code == "GX012":
            result.skipped = skip_reason(source)
    return checked


def lint_built(document: Document, settings: LintSettings) -> list[Diagnostic]:
    """The findings of an object as kustomize builds it, without those that its annotations ignore.

    Without positions, since parts of the object may be from several texts.
    """
    context, claims = settings.context, settings.claims_beside(document.source)

    def start(document: Document) -> LintState:
        return LintState(document=document, settings=settings, context=context, claims=claims)

    (state,) = run_passes([document], _OF_OBJECTS, start)
    not_ignored, _ = without_ignored(once_per_object(state.diagnostics), state.ignores, lambda _code: False)
    return list(context.keep_applicable(not_ignored))


def _once(findings: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Each finding once: several pods of one workload, or uses of one anchor, may have the same."""
    seen: set[tuple[str, str, object, Path]] = set()
    for finding in findings:
        key = (finding.code, finding.message, finding.span, finding.path if finding.span is None else ())
        if key not in seen:
            seen.add(key)
            yield finding


# --- what is in a document ------------------------------------------------------------------------
def _find_template(state: LintState) -> None:
    """Report a template that is not rendered, and skip its document."""
    source, template = state.document.source, template_start(state.document)
    if template is not None:
        state.diagnostics.append(template_finding(source, template))
        state.skipped = skip_reason(source)
        state.finished = True


def _check_own(state: LintState) -> None:
    """Check a document of gpuxlate itself, which is not a manifest."""
    problems = None if state.document.job else _problems_of_own(state)
    if problems is not None:
        state.ignores += ignores_in_document(state.document, ())
        state.add(finding for finding in problems if state.settings.selected(finding.code))
        state.finished = True


def _problems_of_own(state: LintState) -> list[Diagnostic] | None:
    """The findings of a document of gpuxlate itself; None if it is another document."""
    from gpuxlate.config.document import check_share_document, is_decisions, is_share_document

    document = state.document
    if is_share_document(document):
        share, problems = check_share_document(document, state.context.profile)
        state.shares += share is not None
        return problems
    if is_decisions(document):
        from gpuxlate.config.decisions import check_decisions

        return check_decisions(document)[1]
    return None


def _find_jobs(state: LintState) -> None:
    from gpuxlate.backends import job_targets
    from gpuxlate.manifest.jobs import jobs_in

    state.jobs += jobs_in(state.document, job_targets.rows_of(state.document))


def _find_pods(state: LintState) -> None:
    """Find the pods of a document, with the requests of their claims."""
    document, context = state.document, state.context
    if document.job is not None:
        return
    overlays = state.settings.role.pods(document)
    if overlays and not nodes.get_text(document.root, "kind"):
        state.context = context._replace(values=True)  # no object: the values of a chart somewhere else
    renamed = renamed_by(context.profile)
    for overlay in overlays:
        if overlay.pod is None:
            state.operations.append(overlay)
        else:
            pod = overlay.pod.under(renamed) if renamed else overlay.pod
            state.pods.append(state.claims.resolve(pod) if pod.keys.claims else pod)


def _find_parts(state: LintState) -> None:
    """Make parts of pods from the values of one release, which is a part of the values of a chart."""
    state.parts += state.pods


def _find_patched(state: LintState) -> None:
    """Find the parts of pods in a patch, and the paths of the names in it that are read."""
    from gpuxlate.lint.patches import pods_in_patch
    from gpuxlate.overlays.patched_pods import operations_about

    changed = [base.patch for operations in state.operations for base in operations.bases]
    state.parts += pods_in_patch(state.document, state.pods, changed)
    paths = {spot.path for pod in state.parts for spot in key_occurrences(pod.keys)}
    about = {path[:-1] for path in paths if path[-1:] == ("value",)} | {
        *operations_about(state.document, changed)
    }
    state.read |= paths | {(*path, step) for path in about for step in ("path", "from")}


def _check_inline(state: LintState) -> None:
    """Check the patches that are written inside a kustomization, with findings at their characters."""
    settings = state.settings
    for patch, role in settings.role.inline(state.document) if settings.role.inline else ():
        state.read.add(patch.path)
        result = lint_source(patch.source, settings._replace(role=role, excused=nothing))
        state.add(map(patch.locate, result.diagnostics))


def _find_ignores(state: LintState) -> None:
    state.ignores += ignores_in_document(state.document, state.pods)


def _judge_quotas(state: LintState) -> None:
    from gpuxlate.lint.quotas import judge_quotas

    judged = judge_quotas(state.document, state.context)
    state.quotas += judged.findings
    state.read |= judged.read


# --- what is wrong with it ------------------------------------------------------------------------
def _check_document(state: LintState) -> None:
    """Run the rules of a document: repeated keys, keys outside of any pod, claims; or what an upgrade
    changes."""
    context, index = state.context, key_index_of(state.context)
    if context.before is not None:
        from gpuxlate.lint.upgrade import changes_in_quotas, changes_in_values

        state.report(changes_in_quotas(state.document, context))
        state.report(changes_in_values(state.document, context))
        return
    places = places_beside(state.document, (pod.keys for pod in state.pods), index.search())
    facts = document_keys(
        state.document,
        state.pods,
        lambda name: (
            registry.is_gpu_key(name)
            or name == NVIDIA_GPU
            or bool(index.unread(name))
            or index.misspelt(name, Place.RESOURCE) is not None
        ),
        places,
        state.read,
    )
    findings = check_document(catalog.neutral_document_rules(), facts, context)
    state.report(
        finding for finding in findings if finding.code != "GX002" or state.jobs or _requests_gpus(state.pods)
    )
    if facts.claims:
        state.report(check_document(_rules_of_claims(), facts, context))
        state.report(unread_classes(facts.claims, context).values())


def _check_claims_elsewhere(state: LintState) -> None:
    """Report claims in objects that are not read, and claims that only other objects name."""
    if state.context.before is None:
        from gpuxlate.claims.findings import claims_elsewhere

        state.report(claims_elsewhere(state.document, state.claims.index))


def _check_quotas(state: LintState) -> None:
    for finding, ref in state.quotas:
        state.report((finding,), ref)


def _check_jobs(state: LintState, *, counts: bool = False) -> None:
    """Run the rules of the parameters of jobs. ``counts``: each job with parameters counts as a share."""
    where = state.document.job is None
    for job in state.jobs:
        if state.finished:
            return
        backend = registry.get(job.target)
        state.shares += counts and any(name.startswith(backend.gpu_prefixes) for name in limits_of(job))
        state.report(lint_job(job, backend, state.context), job.pod.object if where else None)


def _check_pods(state: LintState) -> None:
    """Run the rules of pods, and count the shares that they request."""
    context = state.context
    for pod in state.pods:
        findings = [*lint_pod(pod.keys, context)]
        reported = {finding.path for finding in findings}
        unread = unread_resources(pod.keys, context)
        state.report((finding for finding in unread if finding.path not in reported), pod.object)
        if findings:
            state.report(_with_fixes(findings, partial(_has_place, pod)), pod.object)
        asking = [container for container in pod.keys.all_containers() if registry.asks(pod.keys, container)]
        if asking:
            state.report(unseen_by_operator(state.document, pod), pod.object)
        if state.finished:
            return
        apart = registry.with_own_devices(pod.keys, asking) if pod.keys.claims else asking
        state.shares += len(apart) or shares_of_the_pod(pod.keys, context)


def _check_files_of_cards(state: LintState) -> None:
    """Report the files of cards that pods mount from their node."""
    for pod in state.pods:
        state.report(mounted_cards(state.document, pod, key_index_of(state.context)), pod.object)


def _find_queues(state: LintState) -> None:
    """Find the queues of Kueue in a document, and its pods that wait in a queue."""
    if state.context.before is None:
        from gpuxlate.lint.queues import Queues

        state.queues = Queues()
        state.queues.add(state.document, state.pods, key_index_of(state.context))


def _check_explicit_counts(state: LintState) -> None:
    """Check the numbers of GPUs that objects set for their operators (GX028)."""
    for pod in state.pods:
        state.report(check_explicit_count(state.document, pod), pod.object)


def _check_parts(state: LintState) -> None:
    """Run the rules of pods on parts of pods in other files, whose shares are counted there."""
    for pod in state.parts:
        if state.finished:
            return

        def is_offered(fix: Fix, pod: Pod = pod) -> bool:
            return _changes_what_is_there(state.document, fix) and _has_place(pod, fix)

        state.report(_with_fixes(lint_pod(pod.keys, state.context), is_offered), pod.object)


def _with_fixes(findings: Iterable[Diagnostic], is_offered: Callable[[Fix], bool]) -> Iterator[Diagnostic]:
    """The findings without the fixes that are not offered."""
    for finding in findings:
        yield finding if finding.fix is None or is_offered(finding.fix) else finding.located(fix=None)


@cache
def _rules_of_claims() -> tuple[Rule, ...]:
    """The rules of drivers that are about documents, such as templates of claims."""
    drivers = (backend for backend in registry.pod_backends() if backend.device_classes)
    return sort_rules({rule.code: rule for driver in drivers for rule in driver.rules}.values(), "drivers")


def _changes_what_is_there(document: Document, fix: Fix) -> bool:
    """The fix adds no key: in a patch, the object may have it already. Lists of operations have none."""
    in_object = isinstance(document.root, nodes.Mapping)
    return in_object and all(nodes.get(document.root, *edit.path) is not None for edit in fix.edits)


def _has_place(pod: Pod, fix: Fix) -> bool:
    """The object of the pod has the fields that the fix adds something to."""
    lacking = [
        pod.keys.metadata_of(field) if field in METADATA else (*pod.keys.path, field) for field in pod.lacks
    ]
    return not any(edit.path[: len(path)] == path for edit in fix.edits for path in lacking)


def _requests_gpus(pods: Sequence[Pod]) -> bool:
    """Some pod of the document requests a GPU in a known dialect."""
    return any(registry.backends_of(pod.keys) for pod in pods)


# --- the passes -----------------------------------------------------------------------------------
_TEMPLATES = Pass("templates", _find_template, lambda: (TEMPLATE_TAG,))
_OWN = Pass("documents of this tool", _check_own, lambda: ("gpuxlate.io/", "GPUShare"))
_FIND = (
    Pass("jobs", _find_jobs, registry.job_marks),
    Pass("pods", _find_pods),
    Pass("ignores", _find_ignores, lambda: (IGNORE,)),
)
_QUOTAS = Pass("quotas", _judge_quotas, lambda: (*QUOTA_KINDS,))
_RULES = Pass("rules of documents", _check_document)
_ELSEWHERE = Pass("claims elsewhere", _check_claims_elsewhere, lambda: (DEVICE_CLASS_NAME,))
_OF_OBJECTS = (
    *(_OWN, *_FIND, _QUOTAS, _RULES, _ELSEWHERE),
    Pass("rules of quotas", _check_quotas, needs=lambda state: state.quotas),
    Pass("rules of jobs", partial(_check_jobs, counts=True), needs=lambda state: state.jobs),
    Pass("rules of pods", _check_pods, needs=lambda state: state.pods),
    Pass("queues", _find_queues, lambda: (QUEUE_LABEL, CLUSTER_QUEUE)),
    Pass("files of cards", _check_files_of_cards, lambda: (DEVICE_FILE,)),
    Pass("explicit GPU counts", _check_explicit_counts, lambda: (EXPLICIT_COUNT,)),
)
# a patch may delete an amount of a quota, or name a part of an object
_OF_OVERLAYS = (
    Pass("rules of jobs", _check_jobs, needs=lambda state: state.jobs),
    Pass("rules of parts", _check_parts, needs=lambda state: state.parts),
)
_INLINE = Pass("patches in a kustomization", _check_inline, needs=lambda state: state.settings.role.inline)
OF_MANIFESTS = (_TEMPLATES, _INLINE, *_OF_OBJECTS)
OF_RELEASE_VALUES = (
    _TEMPLATES,
    _OWN,
    *_FIND,
    Pass("parts", _find_parts, needs=lambda state: state.pods),
    _RULES,
    *_OF_OVERLAYS,
)
OF_PATCHES = (
    _TEMPLATES,
    _OWN,
    *_FIND,
    Pass("parts", _find_patched, needs=lambda state: state.pods or state.operations),
    _RULES,
    *_OF_OVERLAYS,
)


def _passes_of(role: FileRole) -> tuple[Pass[LintState], ...]:
    """The passes for the documents of a file."""
    if role.kind is FileKind.PATCH:
        return OF_PATCHES
    return OF_RELEASE_VALUES if role.is_overlay else OF_MANIFESTS
