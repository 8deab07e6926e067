"""The pipeline: keys to shares, shares to keys, the difference to edits. For any pair of targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, ContainerShare, Reading
from gpuxlate.manifest.jobs import jobs_in
from gpuxlate.manifest.pods import Pod, document_keys, pods_in
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.edits import Edit
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context, check_document
from gpuxlate.rules.translation import editable_text, isolation_stays, whole_cards_have_a_dialect
from gpuxlate.rules.unreadable import no_yaml, template_in, too_many, unrendered
from gpuxlate.translation.fit import Accept, Outcome, PodFit, Verdict, fit_pod
from gpuxlate.translation.item import Item
from gpuxlate.translation.placement import share_edits, writable
from gpuxlate.translation.reader import merge_readings, read_pod
from gpuxlate.translation.scheduling import rescheduled
from gpuxlate.translation.told import Told
from gpuxlate.yamltext.compose import Document, NotYamlError, Reader, documents
from gpuxlate.yamltext.edit import EditError, Splice, apply, edit_document
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source


@dataclass(frozen=True, slots=True)
class Settings:
    """What to translate to, and what the user allows. ``from_`` None finds the dialect by its keys."""

    to: Backend
    from_: Backend | None = None
    accept: Accept = field(default_factory=Accept)
    profile: Profile | None = None
    reads_only: bool = False  # shares are wanted, no new text: nothing needs a place

    @property
    def context(self) -> Context:
        return Context(self.profile, registry.pod_backends())


@dataclass(frozen=True, slots=True)
class Translation:
    """One source, translated. ``text`` is the new text, the old one where something was refused."""

    source: Source
    text: str
    items: tuple[Item, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    documents: int = 0
    broken: bool = False  # it ends to be YAML somewhere
    splices: tuple[Splice, ...] = ()  # that make the new text of the old one

    @property
    def refused(self) -> bool:
        return any(one.severity is Severity.ERROR for one in self.diagnostics)

    @property
    def changed(self) -> bool:
        return self.text != self.source.text


def translate_source(source: Source, settings: Settings, read: Reader = documents) -> Translation:
    """Translate every document of a source. Errors stand in the result; nothing is raised for content.

    ``read`` gives its documents.
    """
    run = _Run(source, settings)
    return run.run(read)


def edits_unless_told(source: Source, pods: Sequence[Pod], settings: Settings) -> list[Edit] | None:
    """The edits of pods of one document; None where there is anything to say of them."""
    run = _Run(source, settings)
    edits, _ = run.pods(Document(source, 0, 0, 0, None), pods)
    return None if run.diagnostics else edits


class _Run:
    def __init__(self, source: Source, settings: Settings) -> None:
        self.source = source
        self.settings = settings
        self.items: list[Item] = []
        self.diagnostics: list[Diagnostic] = []
        self.splices: list[Splice] = []

    def run(self, read: Reader) -> Translation:
        count = 0
        broken = False
        try:
            for document in read(self.source):
                count += 1
                self._document(document)
                if len(self.diagnostics) > limits.MAX_FINDINGS:
                    self.diagnostics[limits.MAX_FINDINGS :] = [
                        too_many(self.source, self.diagnostics[limits.MAX_FINDINGS])
                    ]
                    broken = True
                    break
        except NotYamlError as error:
            broken = True
            self.diagnostics.append(no_yaml(self.source, error))
        refused = any(one.severity is Severity.ERROR for one in self.diagnostics)
        splices = () if refused else tuple(self.splices)
        text = apply(self.source.text, splices)
        found = tuple(self.diagnostics)
        return Translation(self.source, text, tuple(self.items), found, count, broken, splices)

    def _document(self, document: Document) -> None:
        template = template_in(document)
        if template is not None:
            self.diagnostics.append(unrendered(self.source, template).located(document=document.index))
            return
        pods = [] if document.job else list(pods_in(document))
        facts = document_keys(document, pods, registry.is_gpu_key)
        start = len(self.diagnostics)
        edits, shared = self.pods(document, pods)
        shared = self._jobs(document) or shared
        for finding in check_document(catalog.neutral_rules(), facts, self.settings.context):
            # GX005 is decided by the edit itself: an anchor whose users all mean the same is fine
            if finding.code != "GX005" and (shared or finding.severity is not Severity.ERROR):
                self.diagnostics.append(placed(document, finding))
        if edits and not any(d.severity is Severity.ERROR for d in self.diagnostics[start:]):
            self._edit(document, edits)

    def pods(self, document: Document, pods: Sequence[Pod]) -> tuple[list[Edit], bool]:
        """The edits of all pods of a document, and whether there is a share among them."""
        edits: list[Edit] = []
        shared = False
        for pod in pods:
            speaking = self._sources(pod.keys)
            if self._common_key_only(pod, speaking):
                self._note_common_key(document, pod)
            if not speaking or (speaking == (self.settings.to,) and not self.settings.reads_only):
                continue
            shared = True
            edits.extend(self._pod(document, pod, speaking))
            if self.settings.to.form_module:
                asking = (c.path for c in pod.keys.all_containers() if self._asks(c, speaking))
                path = next(asking, pod.keys.path)
                self._refuse_job(document, pod, path, f"{self.settings.to.name} writes no pod")
        return edits, shared

    def _jobs(self, document: Document) -> bool:
        """Shares of jobs in a document are read, and refused where a manifest is wanted."""
        found_any = False
        for job in jobs_in(document, registry.job_rows(document)):
            backend = registry.get(job.target)
            keys = job.pod.keys.containers[0].limits
            asked = [value for name, value in keys.items() if name.startswith(backend.gpu_prefixes)]
            if not asked or self.settings.from_ not in (None, backend):
                continue
            found_any = True
            before, items = len(self.diagnostics), len(self.items)
            self._pod(document, job.pod, (backend,))
            if not self.settings.reads_only:  # one refusal says it all
                del self.diagnostics[before:]
                why = f"the share of {backend.name} stands in no pod"
                found = self._refuse_job(document, job.pod, asked[0].path, why)
                refused = [
                    replace(one, verdict=Verdict.REFUSED, diagnostics=(found,)) for one in self.items[items:]
                ]
                self.items[items:] = refused
        return found_any

    def _asks(self, container: ContainerKeys, speaking: Sequence[Backend]) -> bool:
        return any(backend.owns(name) for backend in speaking for name in container.resources)

    def _refuse_job(self, document: Document, pod: Pod, path: Path, why: str) -> Diagnostic:
        """Between manifests and what has a form of its own there is no translation in place."""
        hint = "gpuxlate parse reads the share, gpuxlate render --to TARGET writes it"
        found = Diagnostic("GX023", Severity.ERROR, f"a job file is no manifest: {why}", hint, path)
        self.diagnostics.append(placed(document, found, pod.object))
        return self.diagnostics[-1]

    def _edit(self, document: Document, edits: Sequence[Edit]) -> None:
        try:
            self.splices.extend(edit_document(document, edits))
        except EditError as error:
            code = error.code or "GX024"
            hint = "give each of them keys of its own" if code == "GX005" else "change these lines by hand"
            found = Diagnostic(code, Severity.ERROR, editable_text(error.message), hint, error.path)
            self.diagnostics.append(placed(document, found))

    def _sources(self, pod: PodKeys) -> tuple[Backend, ...]:
        """The dialects to read a pod in."""
        chosen = self.settings.from_
        if chosen is None:
            return registry.spoken_in(pod)
        speaks = chosen.speaks_in(pod) or _has_common_key(pod, chosen.whole_card_key)
        return (chosen,) if speaks else ()

    def _common_key_only(self, pod: Pod, speaking: tuple[Backend, ...]) -> bool:
        keys = {b.whole_card_key for b in registry.pod_backends() if b.whole_card_key}
        return not speaking and any(_has_common_key(pod.keys, name) for name in keys)

    def _note_common_key(self, document: Document, pod: Pod) -> None:
        path = next(
            value.path
            for container in pod.keys.all_containers()
            for name, value in container.resources.items()
            if any(name == b.whole_card_key for b in registry.pod_backends())
        )
        found = Diagnostic(
            "GX016",
            Severity.INFO,
            whole_cards_have_a_dialect(path[-1]),
            "pass --from alibaba-gpushare to read it as whole cards",
            path,
            on_key=True,
        )
        self.diagnostics.append(placed(document, found, pod.object))

    def _pod(self, document: Document, pod: Pod, sources: tuple[Backend, ...]) -> list[Edit]:
        """Edits of one pod; its outcomes and diagnostics are noted."""
        found: list[Diagnostic] = []
        readings: list[tuple[Backend, Reading]] = []
        for backend in sources:
            reading, problems = read_pod(pod.keys, backend, self.settings.context)
            found.extend(problems)
            readings.append((backend, reading))
        broken = any(one.severity is Severity.ERROR for one in found)
        containers = merge_readings([reading for _, reading in readings])
        wanted = [] if self.settings.reads_only else [s for _, reading in readings for s in reading.selectors]
        selectors = [one for one in wanted if not self.settings.to.chooses(one.key)]
        fit = fit_pod(containers, self.settings.to, self.settings.accept, self.settings.profile, selectors)
        found.extend(fit.findings())
        found.extend(self._isolation(readings))
        if not self.settings.reads_only:
            found.extend(writable(pod, fit, self._owned(sources)))
            found.extend(rescheduled(pod, fit, sources, self.settings.to))
        placed_all = [placed(document, one, pod.object) for one in unique(found)]
        self.diagnostics.extend(placed_all)
        self._note_items(document, pod, readings, fit, broken, placed_all)
        writes = not (self.settings.reads_only or self.settings.to.form_module)
        if not writes or any(one.severity is Severity.ERROR for one in placed_all):
            return []
        return share_edits(pod, fit.keys, sources, self.settings.to, mirror_requests=True)

    def _owned(self, sources: tuple[Backend, ...]) -> Callable[[str], bool]:
        return lambda name: any(backend.owns(name) for backend in sources)

    def _isolation(self, readings: list[tuple[Backend, Reading]]) -> Iterator[Diagnostic]:
        for _, reading in readings:
            if reading.isolation and reading.shares and not self.settings.reads_only:
                message = isolation_stays(reading.isolation, f"that of {self.settings.to.name}")
                path = reading.shares[0].path
                yield Diagnostic("GX015", Severity.INFO, message, path=path)

    def _note_items(
        self,
        document: Document,
        pod: Pod,
        readings: list[tuple[Backend, Reading]],
        fit: PodFit,
        broken: bool,
        found: list[Diagnostic],
    ) -> None:
        outcomes = {(o.container.init, o.container.index): o for o in fit.outcomes}
        told = Told(pod.keys, found)
        for backend, reading in readings:
            for one in reading.shares:
                outcome = outcomes.get((one.init, one.index))
                self.items.append(self._item(document, pod, backend, one, outcome, fit, broken, told))
            if broken:
                self._note_unread(document, pod, backend, reading, fit, told)

    def _note_unread(
        self,
        document: Document,
        pod: Pod,
        backend: Backend,
        reading: Reading,
        fit: PodFit,
        told: Told,
    ) -> None:
        """Containers that ask for a GPU in a way that is no share are refused shares too."""
        read = {(one.init, one.index) for one in reading.shares}
        for container in pod.keys.all_containers():
            asks = any(backend.owns(name) for name in container.resources)
            if asks and (container.init, container.index) not in read:
                one = ContainerShare(container.name, container.index, container.init)
                self.items.append(self._item(document, pod, backend, one, None, fit, True, told))

    def _item(
        self,
        document: Document,
        pod: Pod,
        backend: Backend,
        container: ContainerShare,
        outcome: Outcome | None,
        fit: PodFit,
        broken: bool,
        told: Told,
    ) -> Item:
        selectors = fit.selectors[: limits.MAX_PROBLEMS]  # every item repeats those of its pod
        losses = (*(outcome.losses if outcome else ()), *selectors)
        verdicts = [Verdict(loss.kind.value) for loss in losses]
        order = list(Verdict)
        verdict = max(verdicts, key=order.index, default=Verdict.EXACT)
        if broken or outcome is None:
            verdict = Verdict.REFUSED
        return Item(
            self.source.name,
            document.index,
            pod.object,
            container.name,
            backend.name,
            self.settings.to.name,
            container.share,
            verdict,
            losses,
            told.of(container.init, container.index),
        )


def unique(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Each finding once."""
    return list({(d.code, d.path, d.message): d for d in found}.values())


def _has_common_key(pod: PodKeys, name: str | None) -> bool:
    return name is not None and any(name in container.resources for container in pod.all_containers())
