"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

from tests import effort

settings.load_profile("tests")


def pytest_report_header() -> str:
    return f"effort: {effort.EFFORT}, seed {effort.SEED}"
