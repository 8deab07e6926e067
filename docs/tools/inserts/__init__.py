"""What is generated inside the pages that people write, and kept with them: a code host shows it too.

In a ``console`` block, the lines after a ``$`` are what the command prints. Those of ``console live`` need
clusters: ``tests/e2e/pages.py`` runs them. Tables between ``<!-- table: KIND OF-WHAT -->`` and
``<!-- /table -->`` say what becomes of each field, what may be called, or
what code was asked. Pictures are drawn from the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from docs.tools.inserts import asked, becomes, chinese, methods, pictures
from docs.tools.inserts.console import ROOT, with_output
from docs.tools.reference import linked_from_docs, reference

PAGES = ("README*.md", "CONTRIBUTING.md", "docs/*.md")

TABLES = {"asked": asked.rows, "becomes": becomes.rows, "methods": methods.rows}
_TABLE = re.compile(r"(<!-- table: (asked|becomes|methods) (.+?) -->\n).*?(<!-- /table -->)", re.DOTALL)


def current() -> Iterator[tuple[Path, str]]:
    """Every page and picture with inserts, as it should be."""
    for path in sorted(path for pattern in PAGES for path in ROOT.glob(pattern)):
        yield path, with_output(_with_tables(path, path.read_text(encoding="utf-8")))
    yield from reference()
    for name, text in pictures.drawn():
        yield ROOT / "docs" / "pictures" / name, text


def _with_tables(path: Path, text: str) -> str:
    """The page with its tables; where it is Chinese, in its words, and with the live blocks of its twin."""
    as_row, language = str, ""
    if chinese.is_chinese(path):
        text = chinese.with_live_blocks(text, chinese.twin(path).read_text(encoding="utf-8"))
        as_row, language = chinese.row, ".zh"

    def made(place: re.Match[str]) -> str:
        rows = TABLES[place[2]](place[3])
        linked = (linked_from_docs(row, language) for row in map(as_row, rows))
        return "\n".join([place[1].rstrip("\n"), *linked, place[4]])

    return _TABLE.sub(made, text)
