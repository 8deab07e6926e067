"""The passes that read or translate the documents of a source, and their joint result.

    source ── documents ──> State ── pass, pass, pass ──> shares, findings, leftovers, splices ──> Result

A new kind of thing to read or to move is a pass.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Self

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import Reading
from gpuxlate.manifest.passes import Pass, run_passes
from gpuxlate.manifest.pods import Pod
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Edit, Path, Severity
from gpuxlate.model.messages import Message, msg
from gpuxlate.overlays.parts import OverlayPod
from gpuxlate.overlays.roles import MANIFESTS, FileKind, FileRole
from gpuxlate.overlays.run_claims import ClaimLookup
from gpuxlate.rules.documents import once_per_object
from gpuxlate.rules.keys import OF_PRODUCTS
from gpuxlate.rules.source import are_too_many, file_parses, unreadable_finding
from gpuxlate.rules.translation import text_is_editable
from gpuxlate.translation.fit import PodFit, Verdict
from gpuxlate.translation.items import pod_items
from gpuxlate.translation.leftovers import ALLOWED, BUILT, Leftover, half_translated, left_in_text
from gpuxlate.translation.options import Settings
from gpuxlate.translation.pod_run import PodRun
from gpuxlate.translation.results import Result
from gpuxlate.translation.shares import is_refusal
from gpuxlate.yamltext.parse import (
    Document,
    DocumentReader,
    NotYamlError,
    documents,
    over_documents,
    with_location,
)
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice, apply

if TYPE_CHECKING:
    from gpuxlate.claims.templates import ClaimTemplate
    from gpuxlate.translation.decisions import DecidedLeftover, DecidedText


@dataclass(slots=True, kw_only=True)
class DocumentResults(Result):
    """The results of documents of a source.

    ``document_splices``: the documents that are added and removed; ``omitted``: those that are not manifests,
    which a copy of the file leaves out. ``end``: where the last document ends, in characters. ``stopped``:
    the documents after it were not read; ``problem``: why they could not be.
    """

    document_splices: list[Splice] = field(default_factory=list)
    omitted: list[Splice] = field(default_factory=list)
    end: int = 0
    problem: Diagnostic | None = None
    stopped: bool = False

    def __iadd__(self, more: Result) -> Self:
        Result.__iadd__(self, more)
        if isinstance(more, DocumentResults):
            self.document_splices += more.document_splices
            self.omitted += more.omitted
            self.end = max(self.end, more.end)
            self.stopped |= more.stopped or len(self.diagnostics) > limits.MAX_FINDINGS
        return self


@dataclass(slots=True, kw_only=True)
class State(DocumentResults):
    """A document on its way through the passes, and its results.

    ``runs``: its pods; ``places``: where its text may name keys outside of pods; ``operations``: lists of
    operations, which are about pods of other files, ``why_left``: why some were not read. ``handled``: the
    places outside of pods that were read; nothing else is said of what is there. ``edits``: of the document;
    ``kept``: mappings and lists that stay where they are emptied. ``patches``: of templates of claims, as
    plain data. ``extra_leftovers``: what is left beside keys. ``remarks``: on keys of products, which are
    findings where nothing says that the keys are left. ``finished``: no later pass applies.
    """

    document: Document
    settings: Settings
    role: FileRole
    task: Task
    runs: list[PodRun] = field(default_factory=list)
    operations: list[OverlayPod] = field(default_factory=list)
    places: Sequence[int] = ()
    handled: set[Path] = field(default_factory=set)
    why_left: str | None = None
    edits: list[Edit] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)
    patches: list[dict[str, object]] = field(default_factory=list)
    extra_leftovers: list[Leftover] = field(default_factory=list)
    remarks: list[Diagnostic] = field(default_factory=list)
    finished: bool = False

    @property
    def pods(self) -> list[Pod]:
        """The pods of the document, in their order."""
        return [run.pod for run in self.runs]

    @property
    def written_together(self) -> list[PodRun]:
        """The pods for which new keys are written, where there are several; else none."""
        written = [run for run in self.runs if run.new_keys is not None] if len(self.runs) > 1 else []
        return written if len(written) > 1 else []

    @property
    def new_objects(self) -> list[ClaimTemplate]:
        """The templates of claims that the pods need."""
        return [template for run in self.runs for template in run.templates]

    @property
    def has_shares(self) -> bool:
        """Whether anything in the document requests GPUs in a dialect that is read."""
        return bool(self.items) or any(run.dialects is not None for run in self.runs)

    @property
    def claims(self) -> ClaimLookup:
        """The claims of the run as the pods of the document find them."""
        return self.settings.claims.beside(self.document.source)

    def add_shares(
        self,
        pod: Pod,
        readings: Sequence[tuple[Backend, Reading]],
        fit: PodFit,
        findings: Sequence[Diagnostic],
        *,
        broken: bool,
    ) -> list[Diagnostic]:
        """Add the shares of a pod and their findings, and return these with their lines.

        ``broken``: the keys of the pod are wrong. A share that the target can express and the manifest cannot
        is refused.
        """
        located = [with_location(self.document, finding, pod.object) for finding in findings]
        items = pod_items(self.document, pod, readings, fit, self.settings.to, broken, located)
        if any(map(is_refusal, findings)):
            items = [replace(item, verdict=Verdict.REFUSED) for item in items]
        self.items += items
        self.report(located, [backend for backend, _ in readings])
        return located

    def report(self, findings: Iterable[Diagnostic], sources: Sequence[Backend]) -> None:
        """Add the findings about a pod that was read in some dialects. A remark on a key of none of them
        waits for the leftovers, which may report that key."""
        for finding in findings:
            waits = self.task.reports_left and finding.on_key and finding.code in OF_PRODUCTS
            waits = waits and not any(source.owns(str(finding.path[-1])) for source in sources)
            (self.remarks if waits else self.diagnostics).append(finding)

    def is_reported_by_build(self, path: Path) -> bool:
        """Whether findings at a path of the file are reported for the objects that kustomize builds."""
        return self.role.part_of_build and self.task.is_reported_by_build(self.role.kind, path)

    def leave(self, leftovers: Iterable[Leftover]) -> None:
        """Add keys that are not translated."""
        settings, document = self.settings, self.document
        decided = None
        if settings.decisions is not None:
            decided = settings.decisions.decide_text(
                document.source,
                settings.to.name,
                document,
                self.pods,
                by_file=self.role.is_named_by_file,
            )
            self.judged += decided.objects(whole=not self.role.part_of_build)
        self.task.leave(self, _reported(self, leftovers, document.source, settings, decided))


def _nowhere(_kind: FileKind, _path: Path) -> bool:
    """No finding waits for the objects that kustomize builds."""
    return False


class Task(NamedTuple):
    """The work to do with documents: for each kind of file its passes, in order.

    ``reports_left``: a key that is not translated is a finding; else it is counted. ``is_reported_by_build``:
    a finding at a path of such a file is reported for the objects that kustomize builds. ``command``: the one
    that counts what another program builds.
    """

    manifests: tuple[Pass[State], ...]
    values: tuple[Pass[State], ...]
    patch: tuple[Pass[State], ...]
    reports_left: bool = True
    is_reported_by_build: Callable[[FileKind, Path], bool] = _nowhere
    command: str = ""

    def passes(self, kind: FileKind) -> tuple[Pass[State], ...]:
        """The passes for the documents of a kind of file."""
        return {
            FileKind.MANIFESTS: self.manifests,
            FileKind.VALUES: self.values,
            FileKind.PATCH: self.patch,
        }[kind]

    def run(self, name: str, state: State) -> None:
        """Run one pass by itself, on an object that kustomize builds."""
        next(step for step in self.manifests if step.name == name).run(state)

    def leave(self, result: Result, leftovers: Iterable[Leftover]) -> None:
        """Add leftovers to a result. A text that is not YAML is a finding in every task."""
        in_order = sort_leftovers(leftovers)
        result.leftovers += in_order
        result.diagnostics += (
            leftover.diagnostic
            for leftover in in_order
            if self.reports_left or leftover.diagnostic.code == file_parses.code
        )


def leave_text(
    result: Result, leftovers: Iterable[Leftover], source: Source, settings: Settings, task: Task
) -> None:
    """Add the leftovers in a text that is not YAML to a result."""
    decided = None
    if settings.decisions is not None:
        decided = settings.decisions.decide_text(source, settings.to.name)
        result.judged += decided.objects()
    task.leave(result, _reported(result, leftovers, source, settings, decided))


def judge_leftover(
    leftover: Leftover, *, folder: Callable[[], str], allowed: bool, decided: DecidedLeftover | None = None
) -> Leftover:
    """A leftover as it is reported. No other function accepts leftovers: an accepted one is a warning, and
    its hint names no option that was passed.

    ``folder``: of the kustomization that builds its file. ``allowed``: by ``--allow-leftovers``.
    ``decided``: what entries say about it.
    """
    finding, final = leftover.diagnostic, leftover.final
    severity, message, hint = finding.severity, finding.message, finding.hint or ""
    if allowed and severity is Severity.ERROR and (leftover.follows or not final):
        severity = Severity.WARNING
    if decided is not None and decided.accepts and not final:
        severity = Severity.WARNING
    elif decided is not None and severity is Severity.ERROR:
        message = decided.compared(message)
    template, values = (hint.template, hint.values) if isinstance(hint, Message) else (hint, {})
    if template == BUILT:
        hint = msg(BUILT, **{**values, "folder": shlex.quote(folder())})
    elif allowed and template in ALLOWED:
        hint = msg(ALLOWED[template], **values)
    reported = replace(finding, severity=severity, message=message, hint=hint or finding.hint)
    return replace(leftover, diagnostic=reported)


def _reported(
    result: Result,
    leftovers: Iterable[Leftover],
    source: Source,
    settings: Settings,
    decided: DecidedText | None,
) -> Iterable[Leftover]:
    """Leftovers as they are reported; where there are decisions, each is added to the judged losses."""
    report = partial(
        judge_leftover, folder=partial(settings.builds.folder, source.name), allowed=settings.allow_leftovers
    )
    if decided is None:
        return map(report, leftovers)
    reported = []
    for leftover in leftovers:
        entries = decided.about(leftover)
        reported.append(report(leftover, decided=entries))
        result.judged.append(entries.judge(reported[-1]))
    return reported


def sort_leftovers(leftovers: Iterable[Leftover]) -> list[Leftover]:
    """Leftovers in the order of the text, at most as many as the limit; each once for one place."""
    once = {
        (
            leftover.key,
            leftover.diagnostic.message,
            leftover.diagnostic.path,
            leftover.diagnostic.span,
        ): leftover
        for leftover in islice(leftovers, limits.MAX_FINDINGS + 1)
    }
    return sorted(once.values(), key=lambda leftover: leftover.diagnostic.sort_key())


def with_own_names(whole: Result, settings: Settings, *, repeats: bool = True) -> Settings | None:
    """Settings with which new templates that have the same name get different names; None where no names are
    the same, or it is too late, and then the findings are added.

    ``repeats``: the work can be done again, with these.
    """
    from gpuxlate.claims.templates import clashes

    twice = clashes(whole.new_template_names)
    new = {(template.namespace, template.name) for template in twice} - settings.shared_names
    if new and repeats:
        return replace(settings, shared_names=settings.shared_names | new)
    findings = set(whole.diagnostics)
    whole.diagnostics += (template.finding for template in twice if template.finding not in findings)
    return None


def run_source(
    source: Source,
    settings: Settings,
    task: Task,
    read: DocumentReader = documents,
    role: FileRole = MANIFESTS,
) -> Result:
    """Do a task with every document of a source. Errors are in the result; nothing is raised for content.

    ``read`` reads its documents, ``role`` says what they are beside other files.
    """
    work = partial(_run_documents, source, settings, task, role)
    whole = over_documents(work, source, read, settings.in_chunks)
    whole.text = source.text
    if whole.problem is not None:
        leftovers = _unread(whole, source, whole.problem, whole.end, settings, role, task)
        leave_text(whole, leftovers, source, settings, task)
    if len(whole.diagnostics) > 1:
        whole.diagnostics = once_per_object(whole.diagnostics)
    if whole.new_template_names and (again := with_own_names(whole, settings)):
        return run_source(source, again, task, read, role)
    if whole.splices or whole.document_splices:
        _change_text(whole, source, whole.document_splices)
    if whole.omitted:
        whole.copy = apply(source.text, [*whole.splices, *whole.omitted])
    return whole


def _run_documents(
    source: Source, settings: Settings, task: Task, role: FileRole, read: DocumentReader
) -> DocumentResults:
    """The results of the documents of a source."""
    whole = DocumentResults()

    def start(document: Document) -> State:
        return State(document=document, settings=settings, role=role, task=task)

    try:
        for state in run_passes(read(source), task.passes(role.kind), start):
            whole.end = state.document.end
            refuse_items(state)
            whole += state
            if are_too_many(source, whole.diagnostics, limits.MAX_FINDINGS):
                break
    except NotYamlError as error:
        whole.problem = unreadable_finding(source, error)
        whole.stopped = True
    return whole


def _unread(
    whole: Result,
    source: Source,
    problem: Diagnostic,
    end: int,
    settings: Settings,
    role: FileRole,
    task: Task,
) -> Iterable[Leftover]:
    """The leftovers of a text that cannot be read from ``end`` on: the keys of a template; or, in a folder,
    the mistake itself, so that the other files are translated without it."""
    if problem.code == file_parses.code and role.in_folder:
        return [Leftover("", problem, final=not task.reports_left, of_share=True)]
    whole.diagnostics.append(problem)
    return left_in_text(source, settings.scope, end) if problem.code == "GX012" else ()


def _change_text(whole: Result, source: Source, added: list[Splice]) -> None:
    """Set the new text of a source, unless something of it is refused: all edits are made, or none.

    ``added``: the splices that add and remove documents.
    """
    whole.diagnostics += [half_translated(leftover) for leftover in whole.leftovers if leftover.of_share][:1]
    splices, whole.splices = whole.splices, []
    if whole.refused:
        return
    try:
        if added:
            from gpuxlate.claims.documents import apply_splices

            whole.text = apply_splices(source, splices, added)
        else:
            whole.text = apply(source.text, splices)
        whole.splices = [*splices, *added]
        whole.changed = whole.text != source.text
    except EditError as error:
        whole.diagnostics.append(text_is_editable((), error.message).located(file=source.name))
        whole.items = [replace(item, verdict=Verdict.REFUSED) for item in whole.items]


def refuse_items(state: State) -> None:
    """An error that no option accepts refuses the shares that it is about: those of its pod, else those of
    its object, else, where the whole document is wrong, all."""
    subject_of = attrgetter("code", "path", "message")
    errors = {
        subject_of(finding): finding for finding in state.diagnostics if finding.severity is Severity.ERROR
    }
    if not errors or not state.items:
        return
    accepted = {(loss.code, loss.message) for item in state.items for loss in item.losses}
    accepted |= {(leftover.diagnostic.code, leftover.diagnostic.message) for leftover in state.leftovers}
    errors = {key: error for key, error in errors.items() if (error.code, error.message) not in accepted}
    of_items = [errors.keys() & set(map(subject_of, item.diagnostics)) for item in state.items]
    places = {pod.keys.path: pod.object_path for pod in state.pods}
    of_no_item = errors.keys() - set().union(*of_items)
    refused = _places_of((errors[key] for key in of_no_item), places)
    state.items = [
        replace(item, verdict=Verdict.REFUSED) if of_item or item.pod in refused else item
        for item, of_item in zip(state.items, of_items, strict=True)
    ]


def _places_of(errors: Iterable[Diagnostic], places: Mapping[Path, Path]) -> set[Path]:
    """The paths of the pods that errors are about. ``places``: by the path of each pod the path of its
    object."""
    about: set[Path] = set()
    objects: dict[Path, list[Path]] = {}
    for pod, path in places.items():
        objects.setdefault(path, []).append(pod)
    for finding in errors:
        above = [finding.path[:length] for length in range(len(finding.path), -1, -1)]
        inside = next((path for path in above if path in places), None)
        of_object = next((path for path in above if path in objects), None)
        if inside is not None:
            about.add(inside)
        elif of_object is not None:
            about.update(objects[of_object])
        elif not finding.path:
            about.update(places)
    return about
