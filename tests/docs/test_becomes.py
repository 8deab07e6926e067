"""The tables "what becomes of it": each direction is on a page, nothing is below what was asked."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest

import gpuxlate
from docs.tools.inserts import becomes
from docs.tools.inserts.moves import ROWS, Row

ROOT = Path(__file__).resolve().parents[2]
VENDORS = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu")
DIRECTIONS = list(permutations(VENDORS, 2))
CASES = [
    pytest.param(row, source, target, id=f"{source} to {target}: {row.what}")
    for source, target in DIRECTIONS
    for row in ROWS[source]
]


def test_every_direction_is_on_a_page() -> None:
    paths = (path for path in (ROOT / "docs").glob("from-*.md") if "." not in path.stem)
    pages = (path.read_text(encoding="utf-8") for path in paths)
    shown = [
        tuple(pair) for page in pages for pair in re.findall(r"<!-- table: becomes (\S+) (\S+) -->", page)
    ]
    assert sorted(shown) == sorted(DIRECTIONS)


@pytest.mark.parametrize(("row", "source", "target"), CASES)
def test_nothing_is_below_what_was_asked(row: Row, source: str, target: str) -> None:
    told = becomes.result(row, source, target)
    if told.becomes is None:
        assert told.verdict == "refused"
        return
    made = gpuxlate.translate(row.pod, target, from_=source, **told.flags)
    [asked] = gpuxlate.parse(row.pod, from_=source).shares
    [given] = gpuxlate.parse(made.objects, from_=target).shares
    assert given.cards == asked.cards
    if asked.caps_memory and given.caps_memory:
        assert given.memory_mib_per_card >= asked.memory_mib_per_card
    if asked.cores and given.cores:
        assert given.cores >= asked.cores
    dropped = told.flags.get("drop", ())
    assert (given.policy, given.qos) == (
        None if "policy" in dropped else asked.policy,
        None if "qos" in dropped else asked.qos,
    )


# what the documents say, in the order of the pages: verdict, rules
@pytest.mark.parametrize(
    ("source", "target", "what", "verdict", "codes"),
    [
        # 457/127667: two cards share with more than half of each
        ("volcengine-mgpu", "tencent-qgpu", "two cards, half or less of each", "refused", {"TKE005"}),
        # ACK "multi-card sharing": only memory is divided; ACK has no policy on pods
        (
            "volcengine-mgpu",
            "alibaba-gpushare",
            "two cards, more than half of each",
            "dropped",
            {"ACK005", "GX020"},
        ),
        # volcano pull request 3030: compute wherever memory is asked for
        ("alibaba-gpushare", "volcengine-mgpu", "memory only, isolated", "filled", {"VKE011"}),
        # 457/81034: online pods ask for memory alone
        ("volcengine-mgpu", "tencent-qgpu", "online", "dropped", {"TKE011"}),
        ("tencent-qgpu", "volcengine-mgpu", "offline", "exact", set()),
    ],
)
def test_verdicts(source: str, target: str, what: str, verdict: str, codes: set[str]) -> None:
    [row] = [row for row in ROWS[source] if row.what == what]
    told = becomes.result(row, source, target)
    assert (told.verdict, told.codes) == (verdict, codes)
