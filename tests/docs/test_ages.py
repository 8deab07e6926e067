"""Which documents are old: ``python -m docs.tools.ages``."""

import subprocess
import sys
from datetime import date

import pytest

from docs.tools.ages import day_of, older_than
from docs.tools.documents import Document, Group, all_documents, groups


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-08-21", date(2026, 8, 21)),
        ("2026-08", date(2026, 8, 1)),
        ("2025", date(2025, 1, 1)),
        ("2022-23", date(2022, 1, 1)),
        ("2025-04-19, 2026-03-26", date(2026, 3, 26)),
        ("undated", None),
    ],
)
def test_the_day_of_a_date(text: str, day: date | None) -> None:
    assert day_of(text) == day


def test_the_oldest_come_first() -> None:
    dates = ("2026-08-21", "undated", "2025", "2026-08-22")
    group = Group("HAMi", tuple(Document(text, text, "standard", text) for text in dates))
    found = [one.title for one in older_than(100, date(2026, 11, 30), (group,))]
    assert found == ["undated", "2025", "2026-08-21"]
    assert [one.title for one in older_than(101, date(2026, 11, 30), (group,))] == ["undated", "2025"]


def test_every_document_bears_a_date_or_says_that_it_has_none() -> None:
    assert [one.title for one in all_documents() if day_of(one.date) is None and one.date != "undated"] == []
    assert {one.title for one in older_than(-1, date(9999, 1, 1), groups())} == {
        one.title for one in all_documents()
    }


def test_a_reader_may_stop_before_the_end() -> None:
    """As ``head`` does."""
    command = [sys.executable, "-m", "docs.tools.ages", "-1", "--on", "9999-01-01"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
