"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("tests", deadline=None)  # no test waits on a clock: machines are busy
settings.load_profile("tests")
