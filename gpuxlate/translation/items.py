"""One share of a run at its target: where it is, its verdict, and how JSON shows it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Self

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare, Reading
from gpuxlate.manifest.pods import Pod, replicas
from gpuxlate.model import limits
from gpuxlate.model.amounts import Amount
from gpuxlate.model.declarations import OMITTED, Count, Printed, PrintedAs, RuleCode, Sometimes, record
from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind, ObjectRef, Path, prefixes
from gpuxlate.model.messages import join_and
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.share import Share, ShareField
from gpuxlate.translation.fit import PodFit, Verdict, worst_verdict
from gpuxlate.yamltext.parse import Document


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
        """The field that a loss is about."""
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
    """One share of a run: where it is, and its verdict. ``granted``: the share as the target gets it; None
    where it is refused. ``derived``: the amount of its partitions or replicas, as requested, else as granted.
    ``build``: the folder of the kustomization, where one builds the object."""

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
    granted: Share | None = None  # as the target gets it; None where that is not accepted
    index: int = 0  # of the container in its list
    init: bool = False
    shared_with: tuple[str, ...] = ()  # other containers that use the same devices
    allocation: frozenset[Hashable] = frozenset()  # of devices that other pods have too
    sidecar: bool = False
    build: str | None = None

    @property
    def containers(self) -> str:
        """The names of the containers that have the share, in words."""
        return join_and((self.container, *self.shared_with))

    @property
    def times(self) -> int:
        """How many such shares there are, as far as the manifest says: one for all pods that share a
        claim."""
        return 1 if self.replicas is None or self.allocation else self.replicas

    @property
    def ends(self) -> bool:
        """Whether its container ends before those of the pod start, as an init container does."""
        return self.init and not self.sidecar

    @property
    def template(self) -> tuple[Any, ...]:
        """Identifies the pod template; one file has another template in each build."""
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
    """The items without those whose devices an earlier item has: several pods name one ResourceClaim."""
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
    """The items of one pod. ``broken``: its keys are wrong, so each of its shares is refused, and containers
    whose GPU keys are not a share are refused items too.
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
        verdict = Verdict.REFUSED if broken or outcome is None else worst_verdict(losses)
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
                granted=outcome.granted if outcome and verdict is not Verdict.REFUSED and accepted else None,
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
    """The findings of the item of a container: all of the pod, since one error refuses the whole pod.

    Where there are more than MAX_PROBLEMS, an item has those of its own container and the first of the
    others: else the items together would grow with the square of the pod.
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
