"""More dialects are no more work for a document: calls are counted, never timed."""

from __future__ import annotations

from bench.dialects import measured

MORE = 1.1
"""What sixteen dialects more may add: a look at those that speak without a key of their own."""


def test_work_does_not_grow_with_the_number_of_dialects() -> None:
    for few, everything in zip(measured(few=True), measured(few=False), strict=True):
        assert everything <= few * MORE
