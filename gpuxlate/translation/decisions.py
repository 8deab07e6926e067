"""Losses that are accepted one by one, by a decisions file, and those of a run that nobody has decided.

The entries of the file accept nothing by themselves. ``Accept.settle`` accepts the losses of shares,
``DecidedAccept`` those of one pod, and ``judge_leftover`` of ``passes`` what is not translated. A run without
decisions does not import this module.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import NamedTuple

from gpuxlate.backends.pod_writer import Accept
from gpuxlate.config.decisions import DecidedValue, Decision, conflicting_entries, decisions_in
from gpuxlate.config.document import API_VERSION, DECISIONS
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind, ObjectRef, Path, Severity
from gpuxlate.model.errors import UserError
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import Message, msg
from gpuxlate.rules.source import decision_matches
from gpuxlate.translation.fit import PodFit
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.yamltext.nodes import Scalar, get
from gpuxlate.yamltext.parse import Document
from gpuxlate.yamltext.plain import dump_yaml, to_python
from gpuxlate.yamltext.source import Source


class JudgedLoss(NamedTuple):
    """A loss of a run, in the container that an entry names. ``final``: nothing accepts it."""

    container: str | None
    loss: Loss
    final: bool = False

    @property
    def subject(self) -> tuple[object, ...]:
        """By this one loss is the same for an overlay and its base, in whatever file."""
        loss = self.loss
        return self.container, loss.kind, loss.field, loss.code, loss.asked, loss.given, loss.accepted


class JudgedObject(NamedTuple):
    """An object that a run looked at, for one target, and its losses. Plain data: processes send it.

    ``whole``: these are all of its losses; false where a patch may have changed them.
    """

    object: str
    to: str
    losses: Sequence[JudgedLoss] = ()
    whole: bool = True

    def entries(self) -> Iterator[Decision]:
        """The entries to decide: one for each loss that is not accepted and can be."""
        for container, loss, final in self.losses:
            if not (loss.accepted or final):
                given = None if loss.kind is LossKind.FILLED else loss.given
                decided = (loss.field, loss.code, str(loss.kind), loss.asked, given, False)
                yield Decision(self.object, container, self.to, *decided)


@record
class DecidedAccept(Accept):
    """The losses that the options of a run accept, and the entries about one pod.

    ``names``: by the name of each container its name in entries.
    """

    entries: Sequence[Decision] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def takes(self, loss: Loss, container: str | None) -> bool:
        # super() without arguments does not work in a dataclass with slots
        if Accept.takes(self, loss, container) or loss.kind in (LossKind.FILLED, LossKind.REFUSED):
            return Accept.takes(self, loss, container)
        return any(
            entry.accept and (entry.asked, entry.given) == (loss.asked, loss.given)
            for entry in self._about(loss.field, loss.code, container)
            if entry.verdict != LossKind.FILLED
        )

    def settle(self, loss: Loss, container: str | None) -> Loss:
        """The loss, accepted or not; its message names the old entry where the numbers have changed."""
        settled = Accept.settle(self, loss, container)
        if settled.accepted or loss.kind in (LossKind.FILLED, LossKind.REFUSED):
            return settled
        old = [entry for entry in self._about(loss.field, loss.code, container) if entry.accept]
        if not old:
            return settled
        return replace(settled, message=changed_since(loss.message, old[-1], loss.asked, loss.given))

    def _fills(self, field: str, code: str, container: str) -> int | None:
        entries = self._about(field, code, container)
        amounts = (entry.given for entry in entries if entry.accept and entry.verdict == LossKind.FILLED)
        return next((amount for amount in amounts if isinstance(amount, int)), self.fill.get(field))

    def _about(self, field: str, code: str, container: str | None) -> Iterator[Decision]:
        """``container`` None: what belongs to the pod is decided by an entry on any container of it."""
        name = None if container is None else self.names.get(container, container)
        for entry in self.entries:
            of_container = None in (name, entry.container) or entry.container == name
            if of_container and (entry.field, entry.code) == (field, code):
                yield entry

    def judge(self, fit: PodFit) -> list[JudgedLoss]:
        """The losses of a fitted pod; those of the pod itself with its first container."""
        of_pod = fit.outcomes[0].container.name if fit.outcomes else ""
        losses = [(outcome.container.name, loss) for outcome in fit.outcomes for loss in outcome.losses]
        return [
            JudgedLoss(self.names.get(container, container), loss, loss.kind is LossKind.REFUSED)
            for container, loss in (*losses, *((of_pod, loss) for loss in fit.selectors))
        ]


@record
class DecidedPod:
    """The entries about one pod on its way to a target."""

    name: str
    target: str
    accept: DecidedAccept

    def judge(self, fit: PodFit) -> JudgedObject:
        """The object of the pod with its losses."""
        return JudgedObject(self.name, self.target, self.accept.judge(fit))

    def over(self, below: DecidedPod) -> DecidedPod:
        """The entries of an overlay with those of its base, which accept losses of both."""
        entries = [*self.accept.entries, *below.accept.entries]
        names = {**below.accept.names, **self.accept.names}
        return replace(self, accept=replace(self.accept, entries=entries, names=names))

    def judge_overlay(self, fit: PodFit, below: JudgedObject) -> JudgedObject:
        """The losses of an overlay that are not judged for its base."""
        judged_below = {loss.subject for loss in below.losses}
        judged = self.judge(fit)
        return judged._replace(losses=[loss for loss in judged.losses if loss.subject not in judged_below])


def changed_since(message: str, old: Decision, asked: DecidedValue, given: DecidedValue) -> Message:
    """The message of a loss that was accepted with other numbers. ``asked``, ``given``: the numbers now."""
    pair = (old.asked, asked) if old.asked != asked else (old.given, given)
    before, now = ("null" if amount is None else amount for amount in pair)
    return msg("{message} (decided for {before}; now {now})", message=message, before=before, now=now)


@record
class Decisions:
    """The entries of a run. ``base``: the folder to which the PATH of File/PATH is relative.

    ``built``: of an object that kustomize builds, its name as it is written, and its patches.
    """

    entries: tuple[Decision, ...]
    base: str
    built: tuple[str, ...] = ()

    # -- objects -----------------------------------------------------------------------------------------
    def file(self, name: str) -> str:
        """The name that an entry has for a file."""
        return f"File/{os.path.relpath(name, self.base)}"

    def object(self, ref: ObjectRef | None, file: str, *, by_file: bool = False) -> str:
        """The name that an entry has for an object. ``by_file``: that of its file, as for values and
        patches."""
        if self.built:
            return self.built[0]
        if by_file or ref is None or not (ref.kind and ref.name) or ref.kind == VALUES:
            return self.file(file)
        return "/".join(filter(None, (ref.kind, ref.namespace, ref.name)))

    @property
    def names(self) -> frozenset[str]:
        """The names of the objects of entries: a text with one is read though it has no key of GPUs."""
        return frozenset(entry.object.rpartition("/")[2] for entry in self.entries)

    def about(self, data: bytes) -> bool:
        """Whether a text may have an object of an entry."""
        return any(name.encode() in data for name in self.names)

    def accepted(self, target: str) -> list[str]:
        """The accepting entries for a target, one text for each: the translation depends on them."""
        entries = (entry for entry in self.entries if entry.accept and entry.to in (None, target))
        return sorted(json.dumps(entry._replace(reason="").to_data()) for entry in entries)

    def about_object(self, name: str, target: str) -> list[Decision]:
        """The entries about an object with this name in entries."""
        names = self.built or (name,)
        return [entry for entry in self.entries if entry.object in names and entry.to in (None, target)]

    # -- shares ------------------------------------------------------------------------------------------
    def decide_object(
        self, flags: Accept, name: str, target: str, names: Mapping[str, str] = MappingProxyType({})
    ) -> DecidedPod:
        """The entries about a pod whose object has this name in entries. ``names``: as in DecidedAccept."""
        entries = self.about_object(name, target)
        accept = DecidedAccept(flags.round_up, flags.fill, flags.drop, entries=entries, names=names)
        return DecidedPod(name, target, accept)

    def decide_pod(
        self, flags: Accept, document: Document, pod: Pod, target: str, *, by_file: bool
    ) -> DecidedPod:
        """The entries about a pod. ``by_file``: entries name the file of the document."""
        name = self.object(pod.object, document.source.name, by_file=by_file)
        parts = {
            container.name: part_name(pod.keys.path)
            for container in pod.keys.all_containers()
            if pod.object.kind == VALUES and container.path == pod.keys.path
        }
        return self.decide_object(flags, name, target, parts)

    # -- leftovers ---------------------------------------------------------------------------------------
    def decide_text(
        self,
        source: Source,
        target: str,
        document: Document | None = None,
        pods: Sequence[Pod] = (),
        *,
        by_file: bool = False,
    ) -> DecidedText:
        """The entries about what is not translated of a document; ``document`` None: of a template."""
        return DecidedText(self, source, target, document, pods, by_file)

    def names_in(self, source: Source, document: Document | None, *, by_file: bool) -> set[str]:
        """The objects of a document by the names that entries may have for them."""
        refs = [ref for ref, _, _ in objects_in(document)] if document else []
        return {self.file(source.name), *(self.object(ref, source.name, by_file=by_file) for ref in refs)}

    # -- the end of a run --------------------------------------------------------------------------------
    def undecided(self, judged: Iterable[JudgedObject]) -> tuple[list[Decision], int]:
        """The entries that are missing, and the number of losses that no option accepts."""
        by_subject: dict[tuple[DecidedValue, ...], list[Decision]] = {}
        for entry in self.entries:
            by_subject.setdefault(entry._replace(container=None).subject, []).append(entry)
        missing: dict[tuple[object, ...], Decision] = {}
        open_: set[tuple[object, ...]] = set()
        for judged_object in judged:
            for open_entry in judged_object.entries():
                key = (open_entry.subject, open_entry.to)
                open_.add(key)
                if not any(
                    entry.covers(open_entry)
                    for entry in by_subject.get(open_entry._replace(container=None).subject, ())
                ):
                    missing.setdefault(key, open_entry)
        return list(missing.values()), len(open_)

    def remarks(self, judged: Iterable[JudgedObject]) -> tuple[list[Diagnostic], list[Decision]]:
        """Findings about entries that match nothing (GX034) and entries that accept a refusal; and the
        entries that match nothing."""
        looked: dict[str, set[str]] = {}
        losses: dict[tuple[str, str, str], list[tuple[str, JudgedLoss]]] = {}
        for judged_object in judged:
            looked.setdefault(judged_object.object, set()).update(
                [judged_object.to] if judged_object.whole else ()
            )
            for loss in judged_object.losses:
                losses.setdefault((judged_object.object, loss.loss.field, loss.loss.code), []).append(
                    (judged_object.to, loss)
                )
        findings: list[Diagnostic] = []
        unmatched: list[Decision] = []
        for entry in self.entries:
            targets = looked.get(entry.object, set())
            if not (targets if entry.to is None else entry.to in targets):
                continue
            judged_losses = [
                loss
                for to, loss in losses.get((entry.object, entry.field, entry.code), ())
                if entry.to in (None, to) and entry.of_container(loss.container)
            ]
            if any(_matches(entry, loss.loss) for loss in judged_losses if not loss.final):
                continue
            if entry.accept and any(loss.final for loss in judged_losses):
                message = msg("{field} is refused: no decision accepts it", field=entry.field)
                hint = "change the share, and remove this entry"
                findings.append(entry.find(Diagnostic("GX034", Severity.ERROR, message, hint)))
                continue
            unmatched.append(entry)
            if entry.accept and any(not loss.loss.accepted for loss in judged_losses):
                continue  # the error about the loss names what was decided
            message, hint = decision_matches(f"{entry.object} {entry.field}")
            findings.append(entry.find(Diagnostic("GX034", Severity.WARNING, message, hint)))
        return findings, unmatched


class DecidedText(NamedTuple):
    """The entries about what is not translated of a document, or of a template."""

    decisions: Decisions
    source: Source
    target: str
    document: Document | None
    pods: Sequence[Pod]
    by_file: bool

    def objects(self, *, whole: bool = True) -> list[JudgedObject]:
        """The objects of the text, without their losses. ``whole``: as in JudgedObject."""
        names = self.decisions.names_in(self.source, self.document, by_file=self.by_file)
        return [JudgedObject(name, self.target, (), whole) for name in names]

    def about(self, left: Leftover) -> DecidedLeftover:
        """The entries about one leftover, whatever they accept."""
        finding, document = left.diagnostic, self.document
        ref = finding.object if document else None
        name = self.decisions.object(ref, self.source.name, by_file=self.by_file)
        of_text = document is None or not finding.path
        amount = _behind(self.source, finding) if of_text else _value(document, finding.path)
        container = _container(finding.path, self.pods) if document else None
        entries = [
            entry
            for entry in self.decisions.about_object(name, self.target)
            if (entry.field, entry.code, entry.verdict) == (left.key, finding.code, LossKind.LEFTOVER)
            and entry.container in (None, container)
        ]
        return DecidedLeftover(name, self.target, container, amount, entries)


class DecidedLeftover(NamedTuple):
    """A leftover as entries name it, and the entries about it. ``asked``: its value now."""

    name: str
    target: str
    container: str | None
    asked: DecidedValue
    entries: Sequence[Decision]

    @property
    def accepts(self) -> bool:
        """Whether an entry accepts the leftover with its value now."""
        return any(
            entry.accept and (entry.asked, entry.given) == (self.asked, None) for entry in self.entries
        )

    def compared(self, message: str) -> str:
        """The message; where an entry accepts the leftover with another value, it names that value."""
        old = [entry for entry in self.entries if entry.accept]
        return changed_since(message, old[-1], self.asked, None) if old else message

    def judge(self, left: Leftover) -> JudgedObject:
        """The object of the leftover, with the leftover as its loss."""
        finding = left.diagnostic
        accepted = finding.severity is not Severity.ERROR
        reason = (left.key, finding.code, finding.message, finding.hint)
        loss = Loss(LossKind.LEFTOVER, *reason, asked=self.asked, accepted=accepted)
        return JudgedObject(self.name, self.target, [JudgedLoss(self.container, loss, left.final)])


def _matches(entry: Decision, loss: Loss) -> bool:
    if LossKind.FILLED in (entry.verdict, loss.kind):
        return entry.verdict == loss.kind
    return (entry.asked, entry.given) == (loss.asked, loss.given)


class DecisionsError(UserError, ValueError):
    """Entries cannot be used; ``findings`` has every reason."""

    def __init__(self, findings: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(str(finding.message) for finding in findings))
        self.findings = tuple(findings)


def load_decisions(data: object, base: str) -> tuple[Decisions, list[Diagnostic]]:
    """The decisions of plain data: a document, or its list of entries; and the warnings about it.

    Raises DecisionsError.
    """
    document = data
    if not isinstance(data, Mapping):
        document = {"apiVersion": API_VERSION, "kind": DECISIONS, "decisions": data}
    return read_decisions([Source("decisions", dump_yaml(document))], base)


def read_decisions(sources: Iterable[Source], base: str) -> tuple[Decisions, list[Diagnostic]]:
    """The decisions of some texts together, and the warnings about them. Raises DecisionsError."""
    entries: list[Decision] = []
    findings: list[Diagnostic] = []
    for source in sources:
        if source.text.strip():
            new_entries, problems = decisions_in(source)
            entries += new_entries
            findings += problems
    findings += conflicting_entries(entries)
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise DecisionsError(findings)
    return Decisions(tuple(entries), os.path.realpath(base)), findings


def place_judged(
    judged: Iterable[JudgedObject], base: Decisions, written_in: Callable[[Path], str | None], file: str
) -> Iterator[JudgedObject]:
    """The losses of a built object, each named for the object or the patch that sets its field.

    ``written_in``: the file that sets a path of the object. ``file``: the file of the object.
    """
    for judged_object in judged:
        for loss in judged_object.losses:
            where = written_in(loss.loss.path)
            name = judged_object.object if where in (None, file) else base.file(str(where))
            yield JudgedObject(name, judged_object.to, [loss], whole=False)


def part_name(path: Path) -> str:
    """The name that an entry has for a part of the values of a chart."""
    return ".".join(map(str, (*path, "resources")))


def _container(path: Path, pods: Sequence[Pod]) -> str | None:
    for pod in pods:
        for container in pod.keys.all_containers():
            if path[: len(container.path)] == container.path and container.path:
                of_values = pod.object.kind == VALUES and container.path == pod.keys.path
                return part_name(container.path) if of_values else container.name or None
    return None


def _value(document: Document | None, path: Path) -> DecidedValue:
    """The value at a path as an entry has it: a mapping or a list is JSON text."""
    node = get(document.root if document else None, *path)
    if node is None:
        return None
    value = to_python(node)
    if value is None or (isinstance(value, int | str) and not isinstance(value, bool)):
        return cut(value, MAX_NAME) if isinstance(value, str) else value
    return cut(node.text if isinstance(node, Scalar) else json.dumps(value, ensure_ascii=False), MAX_NAME)


def _behind(source: Source, finding: Diagnostic) -> DecidedValue:
    """The rest of the line after a key, in a text that is not YAML."""
    if finding.span is None:
        return None
    following = source.line_text(finding.span.end_line)[finding.span.end_column - 1 :]
    return cut(following.strip().lstrip("\"':").strip(), MAX_NAME) or None
