"""One share of a run: where it is, and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare, Reading
from gpuxlate.files.find import InputError
from gpuxlate.manifest.pods import Pod, replicas
from gpuxlate.model import limits
from gpuxlate.model.amounts import Amount
from gpuxlate.model.declarations import OMITTED, Count, Printed, PrintedAs, RuleCode, Sometimes, record
from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind, ObjectRef, Path, prefixes
from gpuxlate.model.messages import join_and, message_of
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.share import Share, ShareField
from gpuxlate.translation.fit import PodFit, Verdict, worst
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.shares import refuses
from gpuxlate.yamltext.parse import Document, documents
from gpuxlate.yamltext.plain import to_python
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice

if TYPE_CHECKING:
    from gpuxlate.claims.templates import NamedTemplate
    from gpuxlate.translation.decisions import JudgedObject
    from gpuxlate.translation.quotas.items import QuotaItem


@record
class ChangedField(Printed):
    """A field and what became of it."""

    field: ShareField
    """Field of the share, or selector."""
    asked: int | str | None
    """What the share says."""
    given: int | str | None
    """What the target gets; null: nothing."""
    code: RuleCode
    """Code of the rule."""

    @classmethod
    def of(cls, loss: Loss) -> Self:
        return cls(loss.field, loss.asked, loss.given, loss.code)


@record
class FilledField(Printed):
    """A field that the share leaves open and the target needs."""

    field: ShareField
    """Field of the share, or selector."""
    given: int | str | None
    """What the target gets; null where nothing was said."""


@record
class PrintedItem(Printed):
    """One share and what became of it at one target."""

    file: str
    """The file as it was given; <stdin> for standard input."""
    document: Count
    """Document in the file, from 0."""
    object: ObjectRef
    """The object that the document holds."""
    container: str
    """The container that the share is put on."""
    kustomization: Sometimes[str]
    """The folder of the kustomization, where one builds the object."""
    from_: str
    """The target that the share was read from."""
    to: str
    """The target."""
    verdict: Verdict
    """The last that applies, in this order."""
    share: Share | None
    """The share as it was asked; null where it cannot be read."""
    derived: Sometimes[Amount]
    """What its partitions or replicas amount to, where something says it."""
    changes: Sequence[ChangedField]
    """Values off the target's grid."""
    filled: Sequence[FilledField]
    """Fields that were open."""
    dropped: Sequence[ChangedField]
    """Fields that have no place at the target."""
    diagnostics: Sequence[Diagnostic]
    """Findings on this share."""


@record
class Item(PrintedAs):
    """One share of a run: where it is, and its verdict. ``derived``: what its parts of a card amount to,
    as asked or, where they are not asked, as given. ``build``: the folder of the kustomization, where one
    builds it."""

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
    pod: Path = ()
    replicas: int | None = 1
    derived: Amount | None = None
    given: Share | None = None  # as the target gets it; None where that is not accepted
    index: int = 0  # of the container in its list
    init: bool = False
    shared_with: tuple[str, ...] = ()  # other containers that use the same devices
    allocation: frozenset[Hashable] = frozenset()  # of devices that other pods have too
    sidecar: bool = False
    build: str | None = None

    @property
    def containers(self) -> str:
        """Those that have the share, in words."""
        return join_and((self.container, *self.shared_with))

    @property
    def times(self) -> int:
        """How many such shares there are, as far as the manifest says it: one for all pods of a claim."""
        return 1 if self.replicas is None or self.allocation else self.replicas

    @property
    def ends(self) -> bool:
        """Its container ends before those of the pod start."""
        return self.init and not self.sidecar

    @property
    def template(self) -> tuple[Any, ...]:
        """The pod template, which is one in each build."""
        return self.build, self.file, self.document, self.object, self.pod

    def printed(self) -> PrintedItem:
        kinds = {kind: [loss for loss in self.losses if loss.kind is kind] for kind in LossKind}
        return PrintedItem(
            file=self.file,
            document=self.document,
            object=self.object,
            container=self.container,
            kustomization=self.build or OMITTED,
            from_=self.source,
            to=self.target,
            verdict=self.verdict,
            share=self.share,
            derived=self.derived or OMITTED,
            changes=[*map(ChangedField.of, kinds[LossKind.ROUNDED])],
            filled=[FilledField(loss.field, loss.given) for loss in kinds[LossKind.FILLED]],
            dropped=[*map(ChangedField.of, kinds[LossKind.DROPPED])],
            diagnostics=self.diagnostics,
        )


def counted_once(items: Iterable[Item]) -> Iterator[Item]:
    """The items, without those whose devices an earlier pod has: a ResourceClaim that several pods name."""
    seen: set[Hashable] = set()
    for item in items:
        devices = {(item.build, device) for device in item.allocation}
        if not devices or not devices <= seen:
            seen |= devices
            yield item


def pod_items(
    document: Document,
    pod: Pod,
    readings: Sequence[tuple[Backend, Reading]],
    fit: PodFit,
    target: Backend,
    broken: bool,
    findings: Sequence[Diagnostic],
) -> list[Item]:
    """The items of one pod. ``broken``: its keys are wrong, so each of its shares is refused.

    Containers whose GPU keys are not a share are then refused shares too.
    """
    outcomes = {(outcome.container.init, outcome.container.index): outcome for outcome in fit.outcomes}
    selectors = fit.selectors[: limits.MAX_PROBLEMS]  # every item repeats those of its pod
    findings_of = _findings_by_container(pod.keys, findings)
    count, accepted = replicas(document, pod), fit.accepted
    sidecars = {
        (container.init, container.index) for container in pod.keys.init_containers if container.sidecar
    }
    items: list[Item] = []

    def add(backend: Backend, container: ContainerShare) -> None:
        outcome = outcomes.get((container.init, container.index)) if container.share else None
        losses = (*(outcome.losses if outcome else ()), *selectors)
        verdict = Verdict.REFUSED if broken or outcome is None else worst(losses)
        items.append(
            Item(
                file=document.source.name,
                document=document.index,
                object=pod.object,
                container=container.name,
                source=backend.name,
                target=target.name,
                share=container.share,
                verdict=verdict,
                losses=losses,
                diagnostics=findings_of(container),
                pod=pod.keys.path,
                replicas=count,
                derived=outcome.derived if outcome else None,
                given=outcome.granted if outcome and verdict is not Verdict.REFUSED and accepted else None,
                index=container.index,
                init=container.init,
                shared_with=container.shared_with,
                allocation=container.allocation,
                sidecar=container.init and (container.init, container.index) in sidecars,
            )
        )

    for backend, reading in readings:
        for share in reading.shares:
            add(backend, share)
        if not broken:
            continue
        read = {(container.init, container.index) for container in reading.shares}
        asking = [
            container for container in pod.keys.all_containers() if backend.is_asked_by(pod.keys, container)
        ]
        for container in registry.with_own_devices(pod.keys, asking) if pod.keys.claims else asking:
            if (container.init, container.index) not in read:
                add(backend, ContainerShare(container.name, container.index, container.init))
    if broken and not items:  # annotations ask for a share of the pod
        backend, reading = readings[0]
        add(backend, reading.containers[0])
    return items


def _findings_by_container(
    pod: PodKeys, findings: Sequence[Diagnostic]
) -> Callable[[ContainerShare], tuple[Diagnostic, ...]]:
    """The findings of a pod that each item has: all of them, since one error refuses the whole pod.

    Where there are more than MAX_PROBLEMS, an item has those of its own container and the first of the
    others: else the items together would be quadratic in the pod.
    """
    if len(findings) <= limits.MAX_PROBLEMS:
        every = tuple(findings)
        return lambda _one: every
    first = tuple(findings[: limits.MAX_PROBLEMS])
    places = {container.path: (container.init, container.index) for container in pod.all_containers()}
    of_containers: dict[tuple[bool, int], list[Diagnostic]] = {}
    for finding in findings[limits.MAX_PROBLEMS :]:
        place = next((places[path] for path in prefixes(finding.path) if path in places), None)
        if place:
            of_containers.setdefault(place, []).append(finding)
    return lambda container: (*first, *of_containers.get((container.init, container.index), ()))


# The result of a translation or a reading, and those of the Python API.
@record
class File:
    """A file of a run, or a text that is none: its old and new bytes.

    ``copy``: what is written elsewhere, where that is not all of the file. ``splices``: what makes the new
    text of the old one.
    """

    name: str
    is_file: bool
    old: bytes
    new: bytes
    copy: bytes | None = None
    splices: Sequence[Splice] = ()

    @property
    def elsewhere(self) -> bytes:
        """The bytes of the file on stdout or in another folder; empty where nothing of it goes there."""
        return self.new if self.copy is None else self.copy

    @property
    def changed(self) -> bool:
        return self.new != self.old


def stream(files: Sequence[File]) -> Iterator[bytes]:
    """All new texts as one stream."""
    files = [file for file in files if file.copy != b""]
    for n, file in enumerate(files):
        new = file.elsewhere
        if n and new and not new.startswith(b"---"):
            yield b"---\n"
        yield new
        if len(files) > 1 and not new.endswith(b"\n"):
            yield b"\n"


@dataclass(slots=True)
class Result:
    """What a pod, a document, a file or a run comes to; ``+=`` joins them.

    ``text``: the new text of one source, the old one where something was refused; ``splices``: what makes it
    of the old one; ``copy``: that of a copy of the source, where documents are left out; ``files``: those of
    a run.
    ``new_template_names``: new templates of claims by their names. ``sources``: the texts that findings are
    in. ``share_documents``: the GPUShare documents in folders, which are left out.
    ``pods_already_at_target``: those that have keys of the target alone.
    ``judged``: the losses by their objects, where there are decisions. ``unreadable``: the files of a run
    that were not read; what the others come to is there.
    """

    items: list[Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)
    quotas: list[QuotaItem] = field(default_factory=list)
    new_template_names: list[NamedTemplate] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    judged: list[JudgedObject] = field(default_factory=list)
    text: str = ""
    splices: list[Splice] = field(default_factory=list)
    copy: str | None = None
    changed: bool = False
    share_documents: int = 0
    pods_already_at_target: int = 0
    unreadable: list[InputError] = field(default_factory=list)

    def __iadd__(self, more: Result) -> Self:
        self.items += more.items
        self.diagnostics += more.diagnostics
        self.leftovers += more.leftovers
        self.quotas += more.quotas
        self.new_template_names += more.new_template_names
        self.files += more.files
        self.sources += more.sources
        self.judged += more.judged
        self.splices += more.splices
        self.changed |= more.changed
        self.share_documents += more.share_documents
        self.pods_already_at_target += more.pods_already_at_target
        self.unreadable += more.unreadable
        return self

    @property
    def refused(self) -> bool:
        return bool(self.unreadable) or refuses(self.diagnostics)


class Refused(Exception):  # noqa: N818 - a result, not a failure
    """A request was refused, and nothing was written.

    ``diagnostics``: every reason, and all other findings. ``items``: the shares and their verdicts.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], items: Sequence[Item] = ()) -> None:
        self.diagnostics = tuple(diagnostics)
        self.items = tuple(items)
        super().__init__(self.diagnostics, self.items)

    def __str__(self) -> str:
        return "\n".join(_line(finding) for finding in self.diagnostics if finding.severity == "error")


class UnreadableError(OSError):
    """Files of a path could not be read, each with a line that says why.

    ``diagnostics`` and ``items``: what was found in the others.
    """

    def __init__(
        self, errors: Sequence[InputError], diagnostics: Sequence[Diagnostic] = (), items: Sequence[Item] = ()
    ) -> None:
        super().__init__("\n".join(map(message_of, errors)))
        self.diagnostics = tuple(diagnostics)
        self.items = tuple(items)


def _line(finding: Diagnostic) -> str:
    where = finding.file or ""
    if finding.span:
        where += f":{finding.span.line}:{finding.span.column}"
    return f"{where}: {finding.code} {finding.message}" if where else f"{finding.code} {finding.message}"


def loaded(text: str) -> list[Any]:
    """The documents of a text as plain data, without the empty ones."""
    return [to_python(document.root) for document in documents(Source("", text)) if document.root is not None]


@record
class ApiResult:
    """``text``: the result. ``diagnostics``: warnings and infos, in order. It iterates over its ``items``."""

    text: str
    items: tuple[Item, ...]
    diagnostics: tuple[Diagnostic, ...]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    @property
    def objects(self) -> list[Any]:
        """The documents of ``text`` as plain data: mappings, lists, strings, numbers."""
        return loaded(self.text)


@record
class Translation(ApiResult):
    """Manifests in another dialect. ``changed``: the text differs from the input.

    ``leftovers``: what is not translated of the source, where that was accepted. ``quotas``: the amounts of
    quotas and queues, with what became of each. ``files``: the new texts of a path by the names of its files,
    all of which ``text`` is as one stream.
    """

    changed: bool
    leftovers: tuple[Leftover, ...] = ()
    quotas: tuple[QuotaItem, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


@record
class Rendering(ApiResult):
    """Shares in the terms of one target: a manifest, parameters of a job, or values of a form."""


@record
class Parsed(ApiResult):
    """The shares of manifests; ``text`` and ``objects`` are GPUShare documents, one for each."""

    @property
    def shares(self) -> tuple[Share, ...]:
        """The shares alone, in the order of the manifests."""
        return tuple(item.share for item in self.items if item.share)


@record
class Linted:
    """The findings, over which it iterates. ``text`` has its fixes applied; ``fixes`` counts them.

    ``documents`` and ``shares`` count what was checked, ``suppressed`` the ignored findings.
    """

    text: str
    diagnostics: tuple[Diagnostic, ...]
    documents: int
    shares: int
    suppressed: int
    fixes: int

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.diagnostics)

    @property
    def objects(self) -> list[Any]:
        """The documents of ``text`` as plain data."""
        return loaded(self.text)
