"""A baseline: the findings that a repository has already, so that only new ones count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from gpuxlate.model.declarations import Output, Printed, json_name, record
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.errors import UserError
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import msg
from gpuxlate.report.json import to_json_text
from gpuxlate.report.summary import identity, repository_path


@record
class KnownFinding(Printed):
    """What names a finding, since lines move."""

    file: str
    """The file, from the folder in which lint ran where it is below that."""
    object: str
    """KIND/NAMESPACE/NAME of the object, as far as it has them."""
    path: str
    """A JSON pointer to its place in the document."""
    rule: str
    """Code of the rule."""


@record
class KnownFindings(Output):
    """What lint --write-baseline writes."""

    KIND: ClassVar[str] = "baseline"
    findings: Sequence[KnownFinding]
    """The findings of the run; where there are several of one name, each is there."""


FINDING_FIELDS = tuple(map(json_name, KnownFinding.__annotations__))


class BaselineError(UserError, ValueError):
    """The text is no baseline: why, and at which line of it (from 1; 0 where it is not about one)."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class BaselineComparison(NamedTuple):
    """The new findings of a run, the number of findings that the baseline has, and the number of its entries
    on files of the run that match no finding."""

    new: list[Diagnostic]
    matched: int
    gone: int


Entries = Mapping[str, Counter[tuple[str, ...]]]
"""The entries of a baseline by file: how often it has each."""


def baseline_of(diagnostics: Iterable[Diagnostic]) -> str:
    """The baseline of a run, in an order that does not depend on lines."""
    return to_json_text(
        KnownFindings([KnownFinding(*name) for name in sorted(map(_finding_key, diagnostics))]).to_json()
    )


def baseline_entries(text: str) -> Entries:
    """The entries of the text of a baseline. Raises BaselineError."""
    entries: dict[str, Counter[tuple[str, ...]]] = {}
    for name in _entries(text):
        entries.setdefault(name[0], Counter())[name] += 1
    return entries


def new_findings(entries: Entries, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings that a baseline does not have. Each entry stands for one finding."""
    return _split_known(entries, diagnostics)[0]


def compare_to_baseline(
    diagnostics: Sequence[Diagnostic], files: Iterable[str], entries: Entries
) -> BaselineComparison:
    """Compare the findings of a run over ``files`` with the entries of a baseline."""
    new, unmatched = _split_known(entries, diagnostics)
    checked = set(map(repository_path, files))
    gone = sum(unmatched.get(file, count).total() for file, count in entries.items() if file in checked)
    return BaselineComparison(new, len(diagnostics) - len(new), gone)


def _split_known(
    entries: Entries, diagnostics: Iterable[Diagnostic]
) -> tuple[list[Diagnostic], dict[str, Counter[tuple[str, ...]]]]:
    """The findings without an entry, and the entries without a finding, of the files of all findings."""
    unmatched: dict[str, Counter[tuple[str, ...]]] = {}
    new: list[Diagnostic] = []
    for diagnostic in diagnostics:
        name = _finding_key(diagnostic)
        if name[0] not in unmatched:
            unmatched[name[0]] = Counter(entries.get(name[0]))
        if unmatched[name[0]][name]:
            unmatched[name[0]][name] -= 1
        else:
            new.append(diagnostic)
    return new, unmatched


def _finding_key(diagnostic: Diagnostic) -> tuple[str, str, str, str]:
    file, (kind, namespace, name), path, code = identity(diagnostic)
    return file, "/".join(part for part in (kind, namespace, name) if part), path, code


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises BaselineError for a key that it sets twice."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in entries if names.count(name) > 1)
        raise BaselineError(msg("the key {text} is given twice", text=cut(twice, MAX_NAME)))
    return entries


def _entries(text: str) -> Iterable[tuple[str, ...]]:
    try:
        read: Any = json.loads(text, object_pairs_hook=_once_each)
    except json.JSONDecodeError as error:
        raise BaselineError("invalid JSON", error.lineno) from None
    except RecursionError:
        raise BaselineError("nested too deep") from None
    version = read.get("format") if isinstance(read, dict) else None
    if version != KnownFindings.format_name():
        raise BaselineError(msg("its format is not {format}", format=KnownFindings.format_name()))
    entries = read.get("findings")
    for entry in entries if isinstance(entries, list) else [None]:
        if not (isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in FINDING_FIELDS)):
            raise BaselineError(msg("findings: each has the texts {names}", names=", ".join(FINDING_FIELDS)))
        yield tuple(entry[name] for name in FINDING_FIELDS)
