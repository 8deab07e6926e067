"""The table of errors: what people type, and what they are told. The pages of errors are made from it too.

``cases/*.yaml``, each a section of the page: ``title``, ``about`` and ``cases``. A case has

- ``name``: what is wrong, in a few words
- ``run``: the command, or several that are told the same
- ``says``, ``exit``: all of stderr, and the exit code; stdout is empty but for ``out: true``
- ``why`` and ``instead``: for people. A command in ``instead`` that begins with ``gpuxlate`` is run too:
  it is told no error of use or input
- ``files``: texts beside those of ``files/``, by name; null takes one of those away, a number
  is so many empty bytes, a name that ends in ``/`` is a folder. ``bytes``: the same in
  Latin-1, for what is not UTF-8. One that begins with ``#!`` can be run
- ``stdin``: a text, or null where it is closed; ``stdout: null``
- ``env``: variables; HERE in a value is the folder. ``without``: a library that is not installed
- ``cluster``: a server for ``kubectl gpuxlate`` (see ``server.py``)

HERE and SERVER stand in ``says`` for the folder and for the address of the server.

``chinese/*.yaml`` has the Chinese of ``title`` and ``about``, and of each case, under its English name, that
of ``name``, ``why`` and ``instead``; an ``instead`` that is code alone has none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gpuxlate.yamltext.plain import plain_document
from gpuxlate.yamltext.source import Source

FOLDER = Path(__file__).parent
FILES = FOLDER / "files"
ABSENT = "absent"
"""Of a stream: nothing is said, there is one, and it is empty."""


@dataclass(frozen=True, slots=True)
class Case:
    """One row, or one command of it."""

    name: str
    run: str
    says: str
    exit: int
    why: str
    instead: str
    out: bool = False
    files: Mapping[str, str | int | None] = field(default_factory=dict)
    bytes: Mapping[str, str] = field(default_factory=dict)
    stdin: str | None = ABSENT
    stdout: str | None = ABSENT
    env: Mapping[str, str] = field(default_factory=dict)
    without: str | None = None
    cluster: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """One file of cases."""

    name: str
    title: str
    about: str
    cases: tuple[tuple[Case, ...], ...]
    """Rows; a row has a case for each of its commands."""


def sections() -> list[Section]:
    """The table."""
    return [_section(path) for path in sorted((FOLDER / "cases").glob("*.yaml"))]


def chinese_texts(section: Section) -> dict[str, Any]:
    """The file of its Chinese."""
    return _mapping(FOLDER / "chinese" / f"{section.name}.yaml")


def in_chinese(section: Section) -> Section:
    """The section with the texts for people in Chinese; commands and messages stay as they are tested."""
    texts = chinese_texts(section)
    rows = tuple(tuple(replace(case, **texts["cases"][case.name]) for case in row) for row in section.cases)
    return replace(section, title=texts["title"], about=texts["about"], cases=rows)


def _mapping(path: Path) -> dict[str, Any]:
    data = plain_document(Source(path.name, path.read_text(encoding="utf-8")))
    assert isinstance(data, dict), path
    return data


def _section(path: Path) -> Section:
    data = _mapping(path)
    rows = tuple(tuple(_cases(row)) for row in data["cases"])
    return Section(path.stem, data["title"], data["about"], rows)


def _cases(row: dict[str, Any]) -> Iterator[Case]:
    runs = row["run"] if isinstance(row["run"], list) else [row["run"]]
    for run in runs:
        yield Case(**{**row, "run": run})
