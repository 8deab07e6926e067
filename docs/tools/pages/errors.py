"""The pages of errors, one for each area, from the table that the tests hold: ``tests/errors``."""

from __future__ import annotations

from collections.abc import Iterator

from docs.tools.markdown import fenced, table
from tests.errors.table import ABSENT, Case, Section, sections

INTRODUCTION = """\
# Errors

Each error message with its cause and what to do. The tests check the exact text. Messages go to stderr,
results to stdout; after an error there are no results, except the count of `lint` and the answer of `krm`.
The files are those of `tests/errors/files`, unless one is shown.

| exit code | meaning |
| --- | --- |
| 0 | success |
| 1 | findings, or a share is refused |
| 2 | an error in the command line, the configuration or a plug-in |
| 3 | an input is missing or cannot be read, there is no input, or a cluster does not answer |
| 4 | an internal error of gpuxlate: a defect, please report it with the input |
| 129, 130, 143 | ended by SIGHUP, Ctrl-C, SIGTERM |

Errors in manifests have codes and pages of their own: see [rules](rules.md).
"""
SHOWN = {"HERE": "/home/me/project", "SERVER": "https://api.example.com:6443"}
"""What stands for a folder and an address of the tests."""
LONGEST = 500
"""Characters of a file that are shown."""


def pages() -> Iterator[tuple[str, str]]:
    """The areas with what each is about, and a page for each area."""
    all_sections = sections()
    rows = [
        [f"[{section.title}](errors/{_stem(section)}.md)", " ".join(section.about.split())]
        for section in all_sections
    ]
    yield "errors.md", "\n".join([INTRODUCTION, *table(["area", "about"], rows)]) + "\n"
    for section in all_sections:
        yield f"errors/{_stem(section)}.md", _section(section)


def navigation() -> list[str]:
    return [f"errors/{_stem(section)}.md" for section in sections()]


def folder_of_cases(page: str) -> str:
    """The file of the cases that a page shows."""
    stem = page.removeprefix("errors/").removesuffix(".md")
    [section] = [candidate for candidate in sections() if _stem(candidate) == stem]
    return f"tests/errors/cases/{section.name}.yaml"


def _stem(section: Section) -> str:
    """The name of its file of cases without the number that orders them."""
    return section.name.partition("-")[2]


def _section(section: Section) -> str:
    parts = [f"# {section.title}", section.about.strip()]
    for row in section.cases:
        parts += _row(row)
    return "\n\n".join(parts) + "\n"


def _row(row: tuple[Case, ...]) -> Iterator[str]:
    case = row[0]
    yield f"## {case.name[:1].upper()}{case.name[1:]}"
    if " --> " not in case.says:  # the finding shows the line itself
        for name, text in case.files.items():
            if isinstance(text, str) and 0 < len(text) <= LONGEST and "/" not in name:
                yield f"`{name}`:\n\n{fenced('text', text.rstrip())}"
    if case.stdin not in (None, ABSENT):
        yield f"On stdin:\n\n{fenced('text', str(case.stdin).rstrip())}"
    commands = "\n".join(f"$ {run.run}{_streams(run)}" for run in row)
    yield fenced("text", f"{commands}\n{_shown(case.says).rstrip()}")
    yield f"{case.why.strip()} Exit code {case.exit}."
    yield f"Instead: {case.instead.strip()}"


def _streams(case: Case) -> str:
    return (" <&-" if case.stdin is None else "") + (" >&-" if case.stdout is None else "")


def _shown(text: str) -> str:
    for name, stands_for in SHOWN.items():
        text = text.replace(name, stands_for)
    return text
