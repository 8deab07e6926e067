"""Writes what is generated of the documentation: ``python docs/generate.py``, or ``--check`` to compare.

Some pages are made whole, from the data sheets, the docstrings, the application and the table of errors
in ``tests/errors``. In README.md and the other pages, every ``console`` block is run: the lines after a
``$`` are what the command prints. Those of ``console live`` need clusters: ``tests/e2e/pages.py`` runs
them. Tables between ``<!-- table: ... -->`` and ``<!-- /table -->`` are made by ``tools/inserts.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import errors
import matrix
from console import ROOT, with_output
from tools import chinese, commands, pictures, reference, rules, sources
from tools.inserts import with_tables
from tools.text import NOTE, rule_link, table

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.share import JSON_NAMES


def pages() -> Iterator[tuple[str, str]]:
    """Every page that holds something generated, as it should be."""
    whole = dict(made_whole())
    yield from whole.items()
    of_the_root = [ROOT / "README.md", ROOT / chinese.README, ROOT / "CONTRIBUTING.md"]
    for path in sorted([*of_the_root, *(ROOT / "docs").glob("*.md")]):
        name = path.relative_to(ROOT).as_posix()
        if name not in whole:
            yield name, with_output(written(path))


def written(path: Path) -> str:
    """A page that people write, with its tables; where it is Chinese, with what its twin has."""
    text = path.read_text(encoding="utf-8")
    if not chinese.is_chinese(path):
        return with_tables(text)
    live = chinese.with_live_blocks(text, chinese.twin(path).read_text(encoding="utf-8"))
    return with_tables(live, chinese.row)


def made_whole() -> Iterator[tuple[str, str]]:
    """The pages that are generated from their first line to the last."""
    yield "docs/targets.md", targets()
    yield from rules.pages()
    yield "docs/commands.md", commands.page()
    yield "docs/python-reference.md", reference.page()
    yield "docs/support-matrix.md", support_matrix()
    yield "docs/errors.md", NOTE.replace("the code it is made from", "tests/errors") + errors.page()
    yield from pictures.files()


# --- targets ----------------------------------------------------------------------------------


def targets() -> str:
    parts = [f"{NOTE}# Targets\n\nWhat each target can say, and the keys it says it with.\n"]
    parts += [target(backend) for backend in registry.all_backends()]
    return "\n".join(parts)


def target(backend: Backend) -> str:
    others = ", ".join(f"`{alias}`" for alias in registry.aliases(backend.name))
    lines = [f"## {backend.name}", "", backend.title + (f". Also called {others}." if others else "."), ""]
    fields = [[f"`{name}`", backend.says.get(name, "no place")] for name in JSON_NAMES.values()]
    lines += [*table(["field", "how it is said"], fields), ""]
    keys = [
        [
            f"`{row.name}`",
            ", ".join(sorted(map(str, row.places))),
            row.meaning,
            row.unit,
            sources.links(backend.name, row.source),
        ]
        for row in backend.keys
    ]
    lines += table(["key", "stands in", "meaning", "unit", "source"], keys)
    return "\n".join(lines) + "\n"


# --- support matrix ---------------------------------------------------------------------------


def support_matrix() -> str:
    """Target by field, then each target with the rules behind its cells and its prerequisites."""
    rows = [(backend, matrix.cells(backend)) for backend in registry.all_backends()]
    fields = list(JSON_NAMES.values())
    head = ["target", *(f"`{name}`" for name in fields)]
    cells = [
        [f"[{backend.name}](#{backend.name})", *(", ".join(row[name].words()) for name in fields)]
        for backend, row in rows
    ]
    lines = [f"{NOTE}# Support matrix", "", matrix.INTRODUCTION, "", *table(head, cells), ""]
    parts = [supported(backend, row) for backend, row in rows]
    return "\n".join(["\n".join(lines), *parts])


def supported(backend: Backend, row: dict[str, matrix.Cell]) -> str:
    fields = [
        [f"`{name}`", backend.says.get(name, "no place"), "<br>".join(with_rules(cell))]
        for name, cell in row.items()
    ]
    lines = [f"## {backend.name}", "", *table(["field", "how it is said", "what it meets"], fields)]
    needs = [
        [one.what, str(one.bound), one.when or "every share", str(one.severity), str(one.source)]
        for one in backend.requirements
    ]
    if needs:
        lines += ["", "Prerequisites, as `gpuxlate nodepool --check` compares them:", ""]
        lines += table(["what", "wanted", "for", "severity", "source"], needs)
    return "\n".join(lines) + "\n"


def with_rules(cell: matrix.Cell) -> list[str]:
    """``rounded: ACK006``, each code a link."""
    found = []
    for word in cell.words():
        codes = ", ".join(map(rule_link, sorted(cell.met[word])))
        found.append(f"{word}: {codes}" if codes else word)
    return found


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    made = dict(pages())
    stale = 0
    for path in sorted((ROOT / "docs" / "rules").glob("???*[0-9].md")):
        name = path.relative_to(ROOT).as_posix()
        if name not in made:
            stale += 1
            print(f"{name} is of no rule" + (": remove it" if check else ", removed"))
            if not check:
                path.unlink()
    for name, text in made.items():
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if check:
            print(f"{name} is not current: run make docs")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
