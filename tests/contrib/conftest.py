"""What the tests of contrib/ share."""

from pathlib import Path

import pytest

from .programs import Run, runner


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a program with ``gpuxlate`` of these sources on PATH."""
    return runner(tmp_path)
