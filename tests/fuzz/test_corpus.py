"""What guided fuzzing found worth keeping goes through its target in every run, without atheris."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize("name", TARGETS)
def test_the_files_of_a_target(name: str) -> None:
    files = sorted(path for path in (CORPUS / name).iterdir() if path.is_file())
    assert files
    broken = []
    for path in files:
        try:
            TARGETS[name](path.read_bytes())
        except Exception as error:
            error.add_note(str(path))
            broken.append(error)
    if broken:
        raise ExceptionGroup("files of the corpus", broken)


def test_each_folder_has_a_target() -> None:
    assert {path.name for path in CORPUS.iterdir()} == set(TARGETS)
