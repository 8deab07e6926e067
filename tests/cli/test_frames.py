"""From ``main`` to the work are few frames: whoever reads a traceback, or follows a command, passes each."""

import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import gpuxlate
from tests.running import run
from tests.test_startup import POD

PACKAGE = str(Path(gpuxlate.__file__).parent)
MOST = 10
"""Frames of this package before the work begins; those of typer are between them."""


@pytest.mark.parametrize(
    ("command", "module", "work"),
    [
        ("lint web.yaml", "gpuxlate.lint.check", "lint_source"),
        ("translate web.yaml --to tke", "gpuxlate.translation.run", "_run_input"),
    ],
)
def test_the_way_to_the_work(
    command: str, module: str, work: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "web.yaml").write_text(POD)
    place = import_module(module)
    called: Callable[..., Any] = getattr(place, work)
    ways: list[list[str]] = []

    def noted(*args: Any, **values: Any) -> Any:
        frames = [frame for frame in traceback.extract_stack() if frame.filename.startswith(PACKAGE)]
        ways.append([f"{Path(frame.filename).stem}.{frame.name}" for frame in frames])
        return called(*args, **values)

    monkeypatch.setattr(place, work, noted)
    assert run(*command.split()).code == 0
    assert ways[0][0] == "__init__.main"
    assert len(ways[0]) <= MOST, ways[0]
