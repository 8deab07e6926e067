"""The input of every format: the findings, the counts of the run, and look-ups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path as FilePath
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.model.declarations import Count, Printed, record
from gpuxlate.model.diagnostics import Diagnostic, Path, shown_path

if TYPE_CHECKING:
    from gpuxlate.rules.base import Rule


@record
class Skipped(Printed):
    """A file that was not looked at."""

    file: str
    """The file."""
    reason: str
    """Why, such as Helm template."""


@record
class Summary(Printed):
    """Counts of the run."""

    files: Count = 0
    """Files read."""
    documents: Count = 0
    """Documents in them."""
    shares: Count = 0
    """Shares found."""
    errors: Count = 0
    """Findings of severity error."""
    warnings: Count = 0
    """Findings of severity warning."""
    infos: Count = 0
    """Findings of severity info."""
    suppressed: Count = 0
    """Findings that an ignore kept back."""
    skipped: tuple[Skipped, ...] = ()
    """Files that were not looked at, and why."""


class Replacement(NamedTuple):
    """One change of text that resolves a finding. Positions are as in Span."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int
    text: str


LineOf = Callable[[str, int], str | None]
"""The text of a line (from 1) of a file, None where it is not known."""


def no_line(_file: str, _line: int) -> str | None:
    """For runs without texts: no excerpts."""
    return None


def no_rule(_code: str) -> Rule | None:
    """For runs without rules: no help texts."""
    return None


def no_replacements(_diagnostic: Diagnostic) -> Sequence[Replacement]:
    """For runs without fixes."""
    return ()


class Report(NamedTuple):
    """The input of every format. The findings are located and in the order of their sort keys.

    ``lines`` gives a line of a file for excerpts, ``rules`` the rule of a code for help texts,
    ``replacements`` the fix of a finding as changes of its file's text. ``every``: infos that say the same
    are shown one by one. ``compared``: what a baseline has is left out.
    """

    diagnostics: Sequence[Diagnostic]
    summary: Summary
    lines: LineOf = no_line
    color: bool = False
    rules: Callable[[str], Rule | None] = no_rule
    version: str = ""
    counts: bool = True
    replacements: Callable[[Diagnostic], Sequence[Replacement]] = no_replacements
    every: bool = False
    compared: bool = False


# The identity of a finding across runs, for code hosts that track findings.
def repository_path(file: str) -> str:
    """The file with forward slashes, relative to the working directory where it is below it."""
    path = PurePath(file)
    if path.is_absolute() and path.is_relative_to(working_folder := FilePath.cwd()):
        path = path.relative_to(working_folder)
    return path.as_posix()


def json_pointer(path: Path) -> str:
    """A path as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in shown_path(path))


class FindingKey(NamedTuple):
    """What names a finding across runs: no line, which moves. ``object``: kind, namespace and name."""

    file: str
    object: tuple[str, str, str]
    path: str
    code: str


def identity(diagnostic: Diagnostic) -> FindingKey:
    """The file from the working directory, the object, the path as a JSON pointer, and the code."""
    of = diagnostic.object
    named = (of.kind or "", of.namespace or "", of.name or "") if of else ("", "", "")
    file = "" if diagnostic.file is None else repository_path(diagnostic.file)
    return FindingKey(file, named, json_pointer(diagnostic.path), diagnostic.code)


def fingerprints(diagnostics: Sequence[Diagnostic]) -> list[str]:
    """A stable name for each finding: from its file, object, path and code, not its line.

    Findings that agree in all of these (two documents with the same object) are numbered.
    """
    import hashlib  # which loads a library of C: only reports that other programs read have names

    seen: Counter[str] = Counter()
    names = []
    for diagnostic in diagnostics:
        file, owner, path, code = identity(diagnostic)
        key = "\0".join((file, *(owner if diagnostic.object else ()), path, code))
        ordinal = seen[key]
        seen[key] += 1
        numbered = f"{key}\0{ordinal}" if ordinal else key
        names.append(hashlib.sha256(numbered.encode("utf-8", "surrogatepass")).hexdigest())
    return names
