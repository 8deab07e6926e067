"""Never less than asked, where a job's parameters or a console form stand at one end, or at both.

No translation in place leads there: the share is read by ``parse`` and written by ``render``, as a user
would do it, and read back once more.
"""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.share import Share
from gpuxlate.testing.amounts import implied, in_numbers, too_little
from gpuxlate.translation.pods.fit import Accept
from tests.effort import tries

from .carried import let_go, reported
from .sources import EVERYTHING, FIRST, Question, budget, one_container, questions

ALL = [one for one in registry.all_backends() if not one.reads_only]
PAIRS = [
    pytest.param(a, b, id=f"{a.name}-to-{b.name}")
    for a, b in permutations(ALL, 2)
    if a.form_module or b.form_module
]
EXAMPLES = 50


def rendered(share: Share, target: Backend, accept: Accept, question: Question) -> gpuxlate.Rendering:
    """A share written in a target's terms. Raises Refused."""
    return gpuxlate.render(
        share,
        target.name,
        round="up" if accept.round_up else None,
        fill=accept.fill,
        drop=accept.drop,
        profile=question.profile,
    )


def read(text: str, backend: Backend, question: Question) -> Share:
    """The one share of a text."""
    [share] = gpuxlate.parse(text, backend.name, question.profile).shares
    return share


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_never_less_than_asked(source: Backend, target: Backend) -> None:
    carried = 0

    pair = [one for one in (source, target) if not one.form_module]

    @tries(budget(EXAMPLES, *pair))
    @given(questions(source.name, target.name).map(one_container))
    def holds(question: Question) -> None:
        nonlocal carried
        [one] = question.pod
        assert one.share is not None
        try:
            text = rendered(one.share, source, EVERYTHING, question).text
        except gpuxlate.Refused:
            return
        asked = read(text, source, question)
        try:
            made = rendered(asked, target, question.accept, question)
        except gpuxlate.Refused:
            return
        [item] = made.items
        back = read(made.text, target, question)
        assert back == reported(item, target, question), made.text
        card_mib = question.profile.cards.memory_mib if question.profile else None
        without = implied(asked, target, question.accept, question.profile)
        wanted, got = (in_numbers(one, question.profile) for one in (asked, back))
        below = set(too_little(wanted, got, Accept(), card_mib, without)) - let_go(item, question.accept)
        assert not below, f"asked {asked}, given {back}, below in {below}: {made.text}"
        assert rendered(back, target, Accept(), question).text == made.text, "what was written is exact there"
        carried += 1

    holds()
    assert carried > 0 or any(one.name not in FIRST for one in pair), "else nothing is said about this pair"
