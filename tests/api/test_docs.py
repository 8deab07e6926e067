"""docs/python.md: its examples are run, and what it calls public is there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import gpuxlate
from docs.tools.markdown import blocks

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")


def test_the_examples() -> None:
    code = "\n".join(body for kind, body in blocks(PAGE) if kind == "python")
    test = doctest.DocTestParser().get_doctest(code, {}, "python.md", "docs/python.md", 0)
    assert len(test.examples) > 20
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert (failed, "".join(said)) == (0, "")


def test_public_names_are_there_and_written_down() -> None:
    for name in gpuxlate.__all__:
        assert getattr(gpuxlate, name) is not None
    for name in ("translate", "render", "parse", "lint", "targets", "Refused", "UnknownTargetError"):
        assert re.search(rf"\b{name}\b", PAGE), name
