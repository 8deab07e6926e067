"""How much ``test_no_key_is_taken_and_forgotten`` tries: each key with many values, beside many shares."""

from __future__ import annotations

import pytest

from gpuxlate.testing import forgotten
from tests.effort import number, some


@pytest.fixture(autouse=True)
def tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of what is tried with each other in full, a part of each in quick."""
    for table in ("SHARES", "WORDS"):
        monkeypatch.setattr(forgotten, table, some(getattr(forgotten, table)))
    monkeypatch.setattr(forgotten, "RANDOM_TEXTS", number(forgotten.RANDOM_TEXTS))
