"""Patches that are left behind: each says why at its place, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.overlays.apps import cases, written
from tests.running import run

CASES = cases("left.yaml")["left"]


@pytest.mark.parametrize("title", CASES)
def test_a_patch_that_is_left_says_why(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[title]
    monkeypatch.chdir(written(tmp_path, case["files"]))
    before = {path: Path(path).read_text() for path in case["files"]}
    done = run("translate", ".", "--to", case["to"], "-i")
    assert done.code == 1
    assert case["why"] in done.err.decode()
    assert "over/p.yaml:" in done.err.decode()
    assert {path: Path(path).read_text() for path in before} == before
