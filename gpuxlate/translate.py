"""The pipeline: claims to shares, shares to claims, the difference to edits. For any pair of targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, ContainerShare, Place, Reading, Taking
from gpuxlate.claims import Edit, Path, PodClaims
from gpuxlate.diagnostics import Diagnostic, Loss, LossKind, ObjectRef, Severity
from gpuxlate.difference import pod_edits, terms_left_empty
from gpuxlate.fit import Accept, Outcome, PodFit, Verdict, fit_pod
from gpuxlate.manifest.compose import Document, NotYamlError, documents
from gpuxlate.manifest.edit import EditError, Splice, apply, edit_document
from gpuxlate.manifest.place import placed
from gpuxlate.manifest.pods import REQUIRED_AFFINITY, Pod, document_claims, pods_in
from gpuxlate.manifest.source import Source
from gpuxlate.profile import Profile
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context, check_document, check_pod
from gpuxlate.rules.translation import editable_text, isolation_stays, whole_cards_have_a_dialect
from gpuxlate.share import Share
from gpuxlate.unreadable import no_yaml


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
        return Context(self.profile, tuple(registry.all_backends()))


@dataclass(frozen=True, slots=True)
class Item:
    """One share of the run: where it stands and what became of it."""

    file: str
    document: int
    object: ObjectRef
    container: str
    source: str
    target: str
    share: Share | None
    verdict: Verdict
    losses: tuple[Loss, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """One item of ``gpuxlate-report/v1``."""
        return {
            "file": self.file,
            "document": self.document,
            "object": self.object.to_json(),
            "container": self.container,
            "from": self.source,
            "to": self.target,
            "verdict": str(self.verdict),
            "share": self.share.to_json() if self.share else None,
            "changes": self._losses(LossKind.ROUNDED, "field", "asked", "given", "code"),
            "filled": self._losses(LossKind.FILLED, "field", "given"),
            "dropped": self._losses(LossKind.DROPPED, "field", "asked", "given", "code"),
            "diagnostics": [diagnostic.to_json() for diagnostic in self.diagnostics],
        }

    def _losses(self, kind: LossKind, *names: str) -> list[dict[str, Any]]:
        return [{n: getattr(loss, n) for n in names} for loss in self.losses if loss.kind is kind]


@dataclass(frozen=True, slots=True)
class Translation:
    """One source, translated. ``text`` is the new text, the old one where something was refused."""

    source: Source
    text: str
    items: tuple[Item, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    documents: int = 0

    @property
    def refused(self) -> bool:
        return any(one.severity is Severity.ERROR for one in self.diagnostics)

    @property
    def changed(self) -> bool:
        return self.text != self.source.text


def translate_source(source: Source, settings: Settings) -> Translation:
    """Translate every document of a source. Errors stand in the result; nothing is raised for content."""
    run = _Run(source, settings)
    return run.run()


class _Run:
    def __init__(self, source: Source, settings: Settings) -> None:
        self.source = source
        self.settings = settings
        self.items: list[Item] = []
        self.diagnostics: list[Diagnostic] = []
        self.splices: list[Splice] = []

    def run(self) -> Translation:
        count = 0
        try:
            for document in documents(self.source):
                count += 1
                self._document(document)
        except NotYamlError as error:
            self.diagnostics.append(no_yaml(self.source, error))
        refused = any(one.severity is Severity.ERROR for one in self.diagnostics)
        text = self.source.text if refused else apply(self.source.text, self.splices)
        return Translation(self.source, text, tuple(self.items), tuple(self.diagnostics), count)

    def _document(self, document: Document) -> None:
        pods = list(pods_in(document))
        facts = document_claims(document, pods, registry.is_gpu_key)
        edits: list[Edit] = []
        start = len(self.diagnostics)
        shared = False
        for pod in pods:
            speaking = self._sources(pod.claims)
            if self._common_key_only(pod, speaking):
                self._note_common_key(document, pod)
            if not speaking or (speaking == (self.settings.to,) and not self.settings.reads_only):
                continue
            shared = True
            edits.extend(self._pod(document, pod, speaking))
        for finding in check_document(catalog.neutral_rules(), facts, self.settings.context):
            # GX005 is decided by the edit itself: an anchor whose users all mean the same is fine
            if finding.code != "GX005" and (shared or finding.severity is Severity.INFO):
                self.diagnostics.append(placed(document, finding))
        if edits and not any(d.severity is Severity.ERROR for d in self.diagnostics[start:]):
            self._edit(document, edits)

    def _edit(self, document: Document, edits: Sequence[Edit]) -> None:
        try:
            self.splices.extend(edit_document(document, edits))
        except EditError as error:
            code = error.code or "GX024"
            hint = "give each of them keys of its own" if code == "GX005" else "change these lines by hand"
            found = Diagnostic(code, Severity.ERROR, editable_text(error.message), hint, error.path)
            self.diagnostics.append(placed(document, found))

    def _sources(self, pod: PodClaims) -> tuple[Backend, ...]:
        """The dialects to read a pod in."""
        chosen = self.settings.from_
        if chosen is None:
            return registry.spoken_in(pod)
        speaks = chosen.speaks_in(pod) or _has_common_key(pod, chosen.whole_card_key)
        return (chosen,) if speaks else ()

    def _common_key_only(self, pod: Pod, speaking: tuple[Backend, ...]) -> bool:
        keys = {b.whole_card_key for b in registry.all_backends() if b.whole_card_key}
        return not speaking and any(_has_common_key(pod.claims, name) for name in keys)

    def _note_common_key(self, document: Document, pod: Pod) -> None:
        path = next(
            value.path
            for container in pod.claims.all_containers()
            for name, value in container.resources.items()
            if any(name == b.whole_card_key for b in registry.all_backends())
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
            reading, problems = read_pod(pod.claims, backend, self.settings.context)
            found.extend(problems)
            readings.append((backend, reading))
        broken = any(one.severity is Severity.ERROR for one in found)
        containers = merge_readings([reading for _, reading in readings])
        selectors = [s for _, reading in readings for s in reading.selectors if not self.settings.reads_only]
        fit = fit_pod(containers, self.settings.to, self.settings.accept, self.settings.profile, selectors)
        found.extend(fit.findings())
        found.extend(self._isolation(readings))
        if not self.settings.reads_only:
            found.extend(writable(pod, fit, self._owned(sources)))
        placed_all = [placed(document, one, pod.object) for one in unique(found)]
        self.diagnostics.extend(placed_all)
        self._note_items(document, pod, readings, fit, broken, placed_all)
        if self.settings.reads_only or any(one.severity is Severity.ERROR for one in placed_all):
            return []
        return share_edits(pod, fit.claims, sources, self.settings.to, mirror_requests=True)

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
        for backend, reading in readings:
            for one in reading.shares:
                outcome = outcomes.get((one.init, one.index))
                self.items.append(self._item(document, pod, backend, one, outcome, fit, broken, found))
            if broken and not reading.shares:
                for container in pod.claims.all_containers():
                    if any(backend.owns(name) for name in container.resources):
                        one = ContainerShare(container.name, container.index, container.init)
                        self.items.append(self._item(document, pod, backend, one, None, fit, True, found))

    def _item(
        self,
        document: Document,
        pod: Pod,
        backend: Backend,
        container: ContainerShare,
        outcome: Outcome | None,
        fit: PodFit,
        broken: bool,
        found: list[Diagnostic],
    ) -> Item:
        losses = (*(outcome.losses if outcome else ()), *fit.selectors)
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
            tuple(found),
        )


def unique(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Each finding once."""
    return list({(d.code, d.path, d.message): d for d in found}.values())


def _has_common_key(pod: PodClaims, name: str | None) -> bool:
    return name is not None and any(name in container.resources for container in pod.all_containers())


def read_pod(pod: PodClaims, backend: Backend, context: Context) -> tuple[Reading, list[Diagnostic]]:
    """The shares of a pod in one dialect, and everything that is wrong with them.

    The rules of the vendor and of Kubernetes run first. What is owned and was not taken is an error.
    """
    # what is only worth knowing, and what a fix would do, is lint's to say: this pod gets new keys
    of_vendor = (d for d in check_pod(backend.rules, pod, context) if d.severity is not Severity.INFO)
    found = [d.located(fix=None) for d in (*check_pod(catalog.neutral_rules(), pod, context), *of_vendor)]
    reading = backend.read(Taking(pod), context.profile)
    found.extend(reading.diagnostics)
    complained = {one.path for one in found if one.severity is Severity.ERROR}
    for name, place, path in backend.owned(pod):
        row = backend.find(name)
        by_scheduler = row is not None and Place.SCHEDULER in row.places
        if path in reading.taken or path in complained or by_scheduler or _stray(pod, path):
            continue
        found.append(
            Diagnostic(
                "GX013",
                Severity.ERROR,
                f"{name} has no effect here ({place.value}) and would be lost",
                "remove it, or move it where the vendor reads it",
                path,
                on_key=True,
            )
        )
    return reading, _one_mistake_once(found)


def _stray(pod: PodClaims, path: Path) -> bool:
    """Outside ``metadata``: K8S006 has said so."""
    return any(value.path == path for m in (pod.stray_labels, pod.stray_annotations) for value in m.values())


def _one_mistake_once(found: list[Diagnostic]) -> list[Diagnostic]:
    """Each finding once; a number that is none (K8S001, K8S002) is not reported again by the reader."""
    suffixed = {one.path for one in found if one.code == "K8S002"}
    by_rule = {one.path for one in found if one.code != "GX011" and one.severity is Severity.ERROR}
    first: dict[tuple[str, Path], Diagnostic] = {}
    for one in found:
        if one.code == "GX011" and one.path in by_rule:
            continue
        if one.code == "K8S001":
            if one.path not in suffixed:
                first.setdefault((one.code, one.path), one)
        else:
            first.setdefault((one.code + one.message, one.path), one)
    return list(first.values())


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


def writable(pod: Pod, fit: PodFit, owned: Callable[[str], bool]) -> Iterator[Diagnostic]:
    """What the manifest has no place for, though the target could say it."""
    if (fit.claims.labels or fit.claims.annotations) and not pod.has_metadata:
        yield Diagnostic(
            "GX023",
            Severity.ERROR,
            f"a {pod.object.kind or 'document'} has no place for labels and annotations of its pods, "
            "which the target needs for this share",
            "put the share on a pod template, or leave the field out that needs them",
            pod.claims.path,
        )
    if terms_left_empty(pod.claims, owned):
        yield Diagnostic(
            "GX023",
            Severity.ERROR,
            "one of several alternative affinity terms names nothing but this vendor's labels: "
            "without it the pod could run on other nodes than before",
            "write the affinity without alternatives",
            pod.claims.path,
        )


def share_edits(
    pod: Pod,
    wanted: PodClaims,
    replaced: Sequence[Backend],
    target: Backend,
    *,
    mirror_requests: bool,
) -> list[Edit]:
    """The edits that put the wanted claims in place of those of the replaced dialects."""
    dialects = (*replaced, target)
    common = {b.whole_card_key for b in replaced if b.whole_card_key}

    def owned(name: str) -> bool:
        return name in common or any(backend.owns(name) for backend in replaced)

    def role(name: str) -> str | None:
        return next((found for found in (b.role(name) for b in dialects) if found), None)

    return list(
        pod_edits(
            pod.claims,
            wanted,
            owned=owned,
            role=role,
            affinity_path=(*pod.claims.path, *REQUIRED_AFFINITY),
            resources_key=pod.resources_key,
            mirror_requests=mirror_requests,
            quoted_source=any(backend.quotes_numbers for backend in replaced),
        )
    )
