"""What guided fuzzing found worth keeping goes through its target in every run, without atheris."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

FILES = sorted(path for path in (Path(__file__).parent / "corpus").rglob("*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_file_of_the_corpus(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


def test_each_target_has_some() -> None:
    assert {path.parent.name for path in FILES} == set(TARGETS)
