"""There and back, and by a third: where nothing is lost, the way does not matter.

Only ways without a loss are looked at: nothing is allowed, and no profile decides.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends.base import Backend
from gpuxlate.testing.amounts import implied
from gpuxlate.translation.pods.fit import Accept
from tests.effort import tries

from .carried import shares_in, translated
from .sources import FIRST, PODS, Question, budget, manifest, questions

PAIRS = [pytest.param(a, b, id=f"{a.name}-and-{b.name}") for a, b in permutations(PODS, 2)]
EXAMPLES = 60


def exactly(text: str, source: Backend, target: Backend, question: Question) -> str | None:
    """The text in another dialect; None where something would change or has no key to tell it."""
    done = translated(text, source, target, question, Accept())
    untold = any(one.share and implied(one.share, target, Accept()) for one in done.items)
    granted = any(one.losses for one in done.items)  # more than was asked, by the source's own vendor
    return None if done.refused or untold or granted else done.text


def plain(question: Question) -> Question:
    """Without a profile, and with amounts where Kubernetes takes them."""
    return replace(question, profile=None, style="limits" if question.style == "requests" else question.style)


def asks(node: Any) -> Any:
    """A manifest without quotes around numbers, and without requests that say what limits do."""
    if isinstance(node, list):
        return [asks(one) for one in node]
    if not isinstance(node, dict):
        return str(node)
    found = {name: asks(value) for name, value in node.items()}
    if found.get("requests") is not None and found["requests"] == found.get("limits"):
        del found["requests"]
    return found


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_there_and_back(source: Backend, target: Backend) -> None:
    """A to B to A is the same manifest, but for the order of entries and quotes."""
    came_back = 0

    @tries(budget(EXAMPLES, source, target))
    @given(questions(source.name).map(plain))
    def holds(question: Question) -> None:
        nonlocal came_back
        asked = manifest(question, source)
        there = asked and exactly(asked.text, source, target, question)
        back = there and exactly(there, target, source, question)
        if not asked or not there:
            return
        assert back, f"what went there without a loss comes back without one: {there}"
        assert shares_in(back, source, None) == asked.shares
        assert asks([*yaml.safe_load_all(back)]) == asks([*yaml.safe_load_all(asked.text)])
        came_back += 1

    holds()
    assert came_back > 0 or source.name not in FIRST or target.name not in FIRST


@pytest.mark.parametrize("source", PODS, ids=lambda one: one.name)
def test_by_a_third(source: Backend) -> None:
    """A to B to C is A to C, where all three ways lose nothing."""
    others = [one for one in PODS if one is not source]
    same = 0

    @tries(budget(EXAMPLES * 3, source))
    @given(
        questions(source.name).map(plain),
        st.permutations(others if source.name not in FIRST else [one for one in others if one.name in FIRST]),
    )
    def holds(question: Question, order: list[Backend]) -> None:
        nonlocal same
        second, third, *_ = order
        asked = manifest(question, source)
        half = asked and exactly(asked.text, source, second, question)
        by = half and exactly(half, second, third, question)
        straight = asked and exactly(asked.text, source, third, question)
        if not by or not straight:
            return
        assert shares_in(by, third, None) == shares_in(straight, third, None)
        assert asks([*yaml.safe_load_all(by)]) == asks([*yaml.safe_load_all(straight)])
        same += 1

    holds()
    assert same > 0 or source.name not in FIRST
