"""The support matrix says what the vendors' documents say."""

from __future__ import annotations

import pytest

from docs.tools.pages.support_matrix import cells
from gpuxlate.backends import registry
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.rules.catalog import all_rules


@pytest.mark.parametrize(
    ("target", "field", "expected"),
    [
        # ACK has no key for policy or class
        ("alibaba-gpushare", "policy", {"dropped": {"GX020"}}),
        # 5..100 in steps of 5, one card only; the open-source plugin counts memory alone
        (
            "alibaba-gpushare",
            "cores",
            {"exact": set(), "rounded": {"ACK006"}, "dropped": {"ACK005", "GX020"}},
        ),
        # VKE: compute is required, every percent can be said
        ("volcengine-mgpu", "cores", {"exact": set(), "filled": {"VKE011"}}),
        ("volcengine-mgpu", "cards", {"exact": set(), "refused": {"VKE019", "VKE020"}}),
        # TKE: a GiB, and at most two shared cards of more than half each
        (
            "tencent-qgpu",
            "cards",
            {"exact": set(), "refused": {"TKE005", "TKE010", "TKE011"}, "doubtful": {"TKE005"}},
        ),
        ("neutral", "memoryMiB", {"exact": set()}),
        # NVIDIA cards, of whatever model; a driver isolates them
        ("volcengine-mgpu", "device", {"exact": set(), "dropped": {"GX020"}}),
        ("volcengine-mgpu", "isolation", {"exact": set(), "dropped": {"GX020"}}),
        ("volcengine-mgpu", "memoryLimitMiB", {"dropped": {"GX020"}}),
        ("neutral", "isolation", {"exact": set()}),
    ],
)
def test_cells(target: str, field: str, expected: dict[str, set[str]]) -> None:
    assert cells(registry.get(target))[field].met == expected


def test_every_field_meets_something_and_every_code_is_a_rule() -> None:
    backends = list(registry.all_backends())
    known = set(all_rules(backends))
    for backend in registry.all_writable():
        row = cells(backend)
        assert list(row) == list(JSON_NAMES.values())
        assert all(cell.words() for cell in row.values()), backend.name
        assert set().union(*(codes for cell in row.values() for codes in cell.met.values())) <= known
