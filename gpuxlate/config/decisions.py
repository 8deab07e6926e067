"""Decisions: a reviewed list of the losses that a team accepts, read with the line of each entry and written
without a change to what people wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from gpuxlate.backends import registry
from gpuxlate.config.document import API_VERSION, DECISIONS, SCHEMA_CODE, is_decisions, read_data
from gpuxlate.model.diagnostics import Append, Diagnostic, Path, Put, Remove, Severity
from gpuxlate.model.limits import FULL_CARD_CORES, MAX_ENTRIES
from gpuxlate.model.messages import message_of, msg
from gpuxlate.model.share import NUMBER_FIELDS
from gpuxlate.rules.source import decision_has_a_reason, invalid_yaml_finding
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.nodes import Node, get
from gpuxlate.yamltext.nodes import Sequence as YamlSequence
from gpuxlate.yamltext.parse import Document, NotYamlError, documents, with_location
from gpuxlate.yamltext.plain import dump_yaml
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import apply

LIST = "decisions"
AMOUNT_FIELDS = (*NUMBER_FIELDS, "memoryLimitMiB")
POD_FIELD = "selector"
"""The field of what belongs to the pod, whatever container an entry names."""
DecidedValue = int | str | None
_MOST_VALUES = MAX_ENTRIES * 16
"""Keys and items of one document: an entry has ten."""


class Decision(NamedTuple):
    """One entry. ``to``: the name of its target, None for any; ``container`` None: any of the object.

    ``given`` of a filled field is per card (percent, MiB). ``document``, ``position``: where it is
    in the file.
    """

    object: str
    container: str | None
    to: str | None
    field: str
    code: str
    verdict: str
    asked: DecidedValue
    given: DecidedValue
    accept: bool
    reason: str = ""
    document: Document | None = None
    position: int = 0

    @property
    def subject(self) -> tuple[DecidedValue, ...]:
        """What the entry is about: entries with one subject have to agree. In a filled field ``given`` is the
        answer, and no part of it."""
        reported_value = None if self.verdict == "filled" else self.given
        return self.object, self.container, self.field, self.code, self.asked, reported_value

    def of_container(self, name: str | None) -> bool:
        """Whether the entry is about this container of its object; so it is where either name is None."""
        return self.field == POD_FIELD or None in (self.container, name) or self.container == name

    def covers(self, loss: Decision) -> bool:
        """Whether the entry decides a loss, which is given as an entry with all fields."""
        of_target = self.to in (None, loss.to) and self.of_container(loss.container)
        return of_target and self._replace(container=None).subject == loss._replace(container=None).subject

    def find(self, finding: Diagnostic) -> Diagnostic:
        """A finding about the entry, at its place."""
        at = finding.located(path=(LIST, self.position, *finding.path))
        return with_location(self.document, at) if self.document else at

    def to_data(self) -> dict[str, Any]:
        """The entry as it is written."""
        names = (
            "object",
            "container",
            "to",
            "field",
            "code",
            "verdict",
            "asked",
            "given",
            "accept",
            "reason",
        )
        data = {name: getattr(self, name) for name in names}
        return {name: value for name, value in data.items() if name != "container" or value is not None}


def decisions_in(source: Source) -> tuple[list[Decision], list[Diagnostic]]:
    """The entries of a text, and what is wrong with it."""
    decisions: list[Decision] = []
    problems: list[Diagnostic] = []
    try:
        for document in documents(source):
            if document.root is not None:
                entries, wrong = check_decisions(document)
                decisions += entries
                problems += wrong
    except NotYamlError as error:
        return [], [invalid_yaml_finding(source, error)]
    return decisions, problems


def check_decisions(document: Document) -> tuple[list[Decision], list[Diagnostic]]:
    """The entries of one document, and what is wrong with each."""
    from gpuxlate.config.decisions_model import DecisionsModel
    from gpuxlate.config.validation_errors import check_model

    assert document.root is not None
    try:
        data, repeated = read_data(document)
    except RecursionError as error:
        message = msg("not a document of decisions: {error}", error=message_of(error))
        return [], [with_location(document, _error_at((), message, None))]
    listed = data.get(LIST) if isinstance(data, dict) else None
    entries = listed if isinstance(listed, list) else []
    if len(entries) > MAX_ENTRIES:
        hint = "keep the entries in several documents"
        message = msg("{list} has more than {most} entries", list=LIST, most=MAX_ENTRIES)
        return [], [with_location(document, _error_at((LIST,), message, hint))]
    model, problems = check_model(DecisionsModel, data, SCHEMA_CODE, maximum=_MOST_VALUES)
    own_problems = [
        problem
        for n, entry in enumerate(entries)
        if isinstance(entry, dict)
        for problem in _check_entry(n, entry)
    ]
    better = {problem.path for problem in own_problems}
    problems = [*repeated, *(problem for problem in problems if problem.path not in better), *own_problems]
    at = [with_location(document, problem) for problem in problems]
    if model is None or any(problem.severity is Severity.ERROR for problem in problems):
        return [], at
    return [_decision(document, n, entry) for n, entry in enumerate(model[LIST])], at


def _decision(document: Document, index: int, entry: dict[str, Any]) -> Decision:
    to = entry.get("to")
    return Decision(
        entry["object"],
        entry.get("container"),
        registry.get(to).name if to else None,
        entry["field"],
        entry["code"],
        entry["verdict"],
        entry.get("asked"),
        entry.get("given"),
        entry["accept"],
        entry.get("reason", ""),
        document,
        index,
    )


def _error_at(path: Path, message: str, hint: str | None) -> Diagnostic:
    return Diagnostic(SCHEMA_CODE, Severity.ERROR, message, hint, path)


def _check_entry(index: int, entry: dict[str, Any]) -> Iterator[Diagnostic]:
    """What is wrong with one entry that fits the schema of entries."""
    at: Path = (LIST, index)
    to, field, verdict, given_value = (entry.get(name) for name in ("to", "field", "verdict", "given"))
    accepted = entry.get("accept") is True
    if isinstance(to, str):
        try:
            registry.writable_backend(to)
        except (registry.UnknownTargetError, registry.ReadOnlyTargetError) as error:
            yield _error_at((*at, "to"), message_of(error), error.hint)
    for name in ("asked", "given"):
        value = entry.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | str)):
            message = msg("{name} is neither a number nor a text", name=name)
            yield _error_at((*at, name), message, "write it as the report does, or null")
        elif isinstance(value, str) and field in AMOUNT_FIELDS and value.isdecimal():
            message = msg("{name} is a text, and {field} is a number", name=name, field=field)
            yield _error_at((*at, name), message, msg("write {name}: {value}", name=name, value=value))
    if verdict == "refused":
        message = msg("a refused share cannot be accepted: the target cannot express it")
        yield _error_at((*at, "verdict"), message, "change the share, and remove this entry")
    if verdict == "filled" and isinstance(field, str) and field not in NUMBER_FIELDS:
        message = msg("{field} cannot be filled", field=field)
        yield _error_at((*at, "field"), message, "fields that are filled: cores, memoryMiB")
    elif verdict == "filled" and accepted:
        maximum = FULL_CARD_CORES if field == "cores" else 10**12 - 1
        if (
            isinstance(given_value, bool)
            or not isinstance(given_value, int)
            or not 0 < given_value <= maximum
        ):
            message = msg(
                "accept: true needs a number for given: what {field} gets on each card", field=field
            )
            yield _error_at((*at, "given"), message, msg("write given: N, from 1 to {most}", most=maximum))
    if accepted and not str(entry.get("reason") or "").strip():
        message, hint = decision_has_a_reason()
        path = (*at, "reason") if "reason" in entry else (*at, "accept")
        yield Diagnostic("GX035", Severity.WARNING, message, hint, path)


def conflicting_entries(decisions: Sequence[Decision]) -> Iterator[Diagnostic]:
    """Entries about one loss of which one accepts it and the other does not, or with another number."""
    by_place: dict[tuple[DecidedValue, ...], list[Decision]] = {}
    for decision in decisions:
        for other in by_place.get(decision.subject, ()):
            same_target = decision.to == other.to or None in (decision.to, other.to)
            if same_target and (decision.accept, decision.given) != (other.accept, other.given):
                first, second = (each.find(_error_at((), "", None)) for each in (other, decision))
                line = first.span.line if first.span else 0
                message = msg("it disagrees with the entry in line {line}", line=line)
                if first.file != second.file:
                    message = msg("{message} of {file}", message=message, file=first.file)
                yield replace(second, message=message, hint="keep one of them")
                break
        by_place.setdefault(decision.subject, []).append(decision)


# --- writing ------------------------------------------------------------------------------------------
def with_entries(source: Source, new: Sequence[Decision]) -> str:
    """The text with more entries: at the end of its first list with room for some, then in documents of
    their own. Raises EditError."""
    entries = [decision.to_data() for decision in new]
    text, room = source.text, 0
    all_documents = _documents(source)
    document = next((candidate for candidate in all_documents if len(_listed(candidate)) < MAX_ENTRIES), None)
    if document is not None:
        has_list = _listed(document)
        room = MAX_ENTRIES - len(has_list)
        first = entries[:room]
        edits = [Append((LIST,), entry) for entry in first] if has_list else [Put((LIST,), first)]
        text = apply(text, edit_document(document, edits))
    for start in range(room, len(entries), MAX_ENTRIES):
        text += "\n" if text and not text.endswith("\n") else ""
        text += "---\n" if all_documents or start else ""
        part = entries[start : start + MAX_ENTRIES]
        text += dump_yaml({"apiVersion": API_VERSION, "kind": DECISIONS, LIST: part})
    return text


def with_accepted(source: Source, decision: Decision) -> str:
    """The text with an entry that accepts a loss, in place of one that does not. Raises EditError."""
    recorded = next((each for each in decisions_in(source)[0] if each.covers(decision)), None)
    if recorded is None or recorded.document is None:
        return with_entries(source, [decision])
    at = (LIST, recorded.position)
    new = {"accept": decision.accept, "given": decision.given, "reason": decision.reason or recorded.reason}
    edits = [Put((*at, name), value) for name, value in new.items() if getattr(recorded, name) != value]
    return apply(source.text, edit_document(recorded.document, edits))


def without_entries(source: Source, gone: Iterable[Decision]) -> str:
    """The text without some of its entries. Raises EditError."""
    by_document: dict[int, tuple[Document, list[int]]] = {}
    for decision in gone:
        if decision.document is not None:
            by_document.setdefault(decision.document.index, (decision.document, []))[1].append(
                decision.position
            )
    appended = [
        splice
        for document, numbers in by_document.values()
        for splice in edit_document(document, [Remove((LIST, n)) for n in numbers], [(LIST,)])
    ]
    return apply(source.text, appended)


def _documents(source: Source) -> list[Document]:
    """The documents of decisions in a text; none where it is not YAML."""
    with suppress(NotYamlError):
        return [document for document in documents(source) if is_decisions(document)]
    return []


def _listed(document: Document) -> list[Node]:
    """The entries of a document."""
    listed = get(document.root, LIST)
    return listed.items if isinstance(listed, YamlSequence) else []
