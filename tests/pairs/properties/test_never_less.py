"""Never less than asked, for every ordered pair of dialects: contract, section 3, through the whole pipeline.

A random pod is written in one dialect, translated as text, and read back in the other. On every card there
is at least what the source asked, but for a field that a flag let go, and then the report says so. What the
report says is given is what the text says. Nothing else changes, lint has no error against it, and a second
time nothing happens. Where nothing is lost, the way does not matter: there and back is the same manifest, and
by a third dialect is as straight. Each pair has the same pods on every quick run.
"""

import re
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model.amounts import amount_of
from gpuxlate.model.diagnostics import LossKind, Severity
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Device, Share
from gpuxlate.testing.contract import implied_fields, in_numbers, is_allowed, too_little
from gpuxlate.translation.fit import Outcome, Verdict
from gpuxlate.translation.items import Item
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import read_source
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.checks import each_holds
from tests.effort import FULL

from .sources import (
    EVERYTHING,
    FIRST,
    PODS,
    Manifest,
    Question,
    are_first,
    is_tried,
    manifest,
    of_pair,
    one_container,
    questions,
)

EXAMPLES, OF_FORMS = 320, 50
"""Of a pair of dialects, and of a pair with a form."""
NEUTRAL = registry.get("neutral")
BY_ROWS = [one for one in registry.pod_backends() if one.row_rules != ()]
ALL = [one for one in registry.all_backends() if not one.read_only]


# --- manifests --------------------------------------------------------------------------------------


PLAIN = Question([ContainerShare("main-0", 0, share=Share(1, 30, 4096))], "limits", 2, Accept(), None)
"""All of FIRST take it exactly; and none where its amounts are in requests alone (K8S004)."""


@pytest.mark.parametrize("source", PODS, ids=lambda one: one.name)
def test_dialects(source: Backend) -> None:
    came_back: Counter[str] = Counter()

    def holds(target: Backend) -> None:
        came_back[target.name] = holds_of_a_pair(source, target)

    targets = [one for one in PODS if one is not source and is_tried(source, one)]
    each_holds({one.name: partial(holds, one) for one in targets})
    drawn = sum(came_back[name] - 1 for name in FIRST if name != source.name)
    assert drawn > 0 or source.name not in FIRST, "else only the example says something"


def holds_of_a_pair(source: Backend, target: Backend) -> int:
    """How many pods went there and came back without a loss."""
    seen: Counter[Verdict] = Counter()
    first = are_first(source, target)
    thirds = [one for one in PODS if one not in (source, target) and (one.name in FIRST or not first)]
    came_back = by_a_third = 0

    @of_pair(EXAMPLES, source, target)
    @given(questions(source.name, target.name), st.sampled_from(thirds))
    @example(PLAIN, thirds[0])
    def holds(question: Question, third: Backend) -> None:
        nonlocal came_back, by_a_third
        asked = manifest(question, source)
        if asked is None:
            return
        done = translated(asked.text, source, target, question)
        if done.refused:
            seen[Verdict.REFUSED] += 1
            assert not done.changed
            return
        seen[verdict_of(done)] += 1
        read = {item.container: item.share for item in done.items}
        if target.needs_maker_of(source):  # which then is a loss, or written
            read = {name: replace(one, device=asked.shares[name].device) for name, one in read.items() if one}
        assert read == asked.shares
        assert_never_less(done, target, question)
        assert_nothing_else_changed(asked, done, source, target)
        assert_right_in_its_dialect(done, target, question)
        # no profile decides, and amounts are where Kubernetes takes them
        if is_exact(done, target) and question.profile is None and question.style != "requests":
            assert_there_and_back(asked, done, source, target)
            came_back += 1
            by_a_third += is_as_straight(asked, done, source, target, third)

    if FULL or first:  # where a dialect reads requests does not depend on the target
        holds = example(replace(PLAIN, style="requests"), thirds[0])(holds)
    holds()
    if first:
        assert min(seen[Verdict.EXACT], seen[Verdict.REFUSED], came_back, by_a_third) > 0
    return came_back


def translated(text: str, source: Backend, target: Backend, question: Question | None = None) -> Result:
    """With what the question allows, or with nothing."""
    accept, profile = (question.accept, question.profile) if question else (Accept(), None)
    return translate_source(Source("web.yaml", text), Settings(target, source, accept, profile))


def verdict_of(done: Result) -> Verdict:
    """The last that applies to any share."""
    return max((item.verdict for item in done.items), key=list(Verdict).index)


def loaded(text: str) -> list[Any]:
    return [*yaml.load_all(text, yaml.CSafeLoader)]


def shares_in(text: str, backend: Backend, profile: Profile | None = None) -> dict[str, Share]:
    """What a manifest asks for, by the names of its containers."""
    settings = Settings.reading(backend, profile)
    done = read_source(Source("web.yaml", text), settings)
    assert not [one for one in done.diagnostics if one.severity is Severity.ERROR], done.diagnostics
    return {item.container: without_maker(item.share, backend) for item in done.items if item.share}


def without_maker(share: Share, backend: Backend) -> Share:
    """A share without the maker of the dialect's cards, which every share that is read gets
    (test_by_neutral.py)."""
    named = NEUTRAL.needs_maker_of(backend) and share.device == Device(backend.vendor)
    return replace(share, device=None) if named and not backend.names_vendor else share


def assert_never_less(done: Result, target: Backend, question: Question) -> None:
    """Every share is there after a translation that went well, as the report says, and not below."""
    back = shares_in(done.text, target, question.profile)
    assert set(back) == {item.container for item in done.items}
    for item in done.items:
        assert item.share is not None
        assert_not_below(item.share, back[item.container], item, target, question, done.text)


def assert_not_below(
    asked: Share, back: Share, item: Item, target: Backend, question: Question, text: str
) -> None:
    assert back == reported(item, target, question), (item, text)
    card_mib = question.profile.cards.memory_mib if question.profile else None
    without = implied_fields(asked, target, question.accept, question.profile)
    wanted, got = (in_numbers(one, question.profile) for one in (asked, back))
    required = {str(row.sets) for row in target.enum_keys if row.required}
    below = set(too_little(wanted, got, Accept(), card_mib, without, required)) - let_go(
        item, question.accept
    )
    assert not below, f"asked {asked}, given {back}, below in {below}: {text}"


def reported(item: Item, target: Backend, question: Question) -> Share:
    """What the report says is given, as far as the target has a key for it."""
    assert item.share is not None
    losses = tuple(loss for loss in item.losses if loss.field != "selector")
    without = implied_fields(item.share, target, question.accept, question.profile)
    fitted = item.share
    if item.granted is not None and item.granted.is_part:
        fitted = item.granted
    elif item.share.is_part:  # the losses have its numbers
        fitted = replace(item.share, partition=None, replica=None)
    container = ContainerShare("", 0, share=item.share)
    # of sizes, compute that is not asked for, or let go, comes with the memory
    known = item.share.is_part and amount_of(item.share, question.profile)
    sized = item.derived is not None and target.sizes and not known
    comes_with: dict[str, Any] = {"cores": item.derived.cores} if sized and item.derived else {}
    if item.granted is not None and (target.names_vendor or item.share.device is None):
        comes_with["device"] = item.granted.device
    elif target.names_vendor:  # the keys name it, and a rendering says what was asked alone
        comes_with["device"] = Device(target.vendor)
    for row in target.enum_keys:
        if row.required and not fitted.whole_cards and row.sets and getattr(fitted, row.sets) is None:
            comes_with[row.sets] = row.words[row.required]
    return Outcome(
        container, item.share, losses, implied=without, fitted=fitted, comes_with=comes_with
    ).declared


def let_go(item: Item, accept: Accept) -> set[str]:
    """The fields that the report says are lost or filled; each by a flag that was given."""
    for loss in item.losses:
        # percent in MiB: the profile was given for it; what the source's vendor grants, nobody chooses
        own = next((one.rule_prefix for one in BY_ROWS if one.name == item.source), loss.code)
        granted = loss.kind is LossKind.ROUNDED and loss.code.startswith(own) and loss.code != own
        assert loss.accepted, loss
        assert granted or loss.code == "GX017" or is_allowed(loss.kind, loss.field, accept), loss
    return {loss.field for loss in item.losses if loss.kind in (LossKind.DROPPED, LossKind.FILLED)}


def assert_nothing_else_changed(asked: Manifest, done: Result, source: Backend, target: Backend) -> None:
    """Replicas and the rest stay, limits and requests are alike, and no key of the source is left."""
    before, after = (loaded(text)[0] for text in (asked.text, done.text))
    assert after["spec"]["replicas"] == before["spec"]["replicas"]
    assert after["metadata"] == before["metadata"]
    for one in after["spec"]["template"]["spec"]["containers"]:
        resources = one.get("resources", {})
        assert resources.get("requests", resources.get("limits")) == resources.get("limits")
    gone = {row.name for row in source.keys} - {row.name for row in target.keys}
    assert not [name for name in gone if re.search(rf"(?<![\w./-]){re.escape(name)}:", done.text)], done.text


def assert_right_in_its_dialect(done: Result, target: Backend, question: Question) -> None:
    """Lint has no error against it, with the same profile; a second time nothing changes."""
    settings = LintSettings(question.profile, lambda _code: True)
    found = lint_source(Source("web.yaml", done.text), settings).diagnostics
    errors = [one for one in found if one.severity is Severity.ERROR]
    assert not errors, (errors, done.text)
    again = translated(done.text, target, target, question)
    assert (again.text, again.diagnostics) == (done.text, [])


# --- where nothing is lost --------------------------------------------------------------------------


def is_exact(done: Result, target: Backend) -> bool:
    """Nothing changed, also not by the source's own vendor; the target's keys tell all of it, no more."""
    for one in done.items:
        share = one.share and without_maker(one.share, target)
        says_the_maker = target.names_vendor or (
            registry.get(one.source).vendor is None and NEUTRAL.needs_maker_of(target)
        )
        if (
            one.share
            and share
            and (implied_fields(share, target, Accept()) or (says_the_maker and not one.share.device))
        ):
            return False
    return not (done.refused or any(one.losses for one in done.items))


def assert_there_and_back(asked: Manifest, there: Result, source: Backend, target: Backend) -> None:
    """The same manifest, but for the order of entries and quotes."""
    back = translated(there.text, target, source)
    assert is_exact(back, source), f"what went there without a loss comes back without one: {there.text}"
    assert shares_in(back.text, source) == asked.shares
    if not source.sizes:  # memory says the compute of its size too, with a key for it or without
        assert asks(loaded(back.text)) == asks(loaded(asked.text))


def is_as_straight(asked: Manifest, half: Result, source: Backend, second: Backend, third: Backend) -> bool:
    """A to B to C is A to C; False where one of these ways loses something."""
    by, straight = translated(half.text, second, third), translated(asked.text, source, third)
    if not is_exact(by, third) or not is_exact(straight, third):
        return False
    assert shares_in(by.text, third) == shares_in(straight.text, third)
    if not third.sizes:
        assert asks(loaded(by.text)) == asks(loaded(straight.text))
    return True


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


# --- forms: a job's parameters, or a console form, at one end or at both ------------------------------


@pytest.mark.parametrize("source", ALL, ids=lambda one: one.name)
def test_forms(source: Backend) -> None:
    """No translation leads there: the share is read by ``parse``, written by ``render``, and read again."""
    others = [one for one in ALL if one is not source and is_tried(source, one)]
    targets = [one for one in others if not source.writes_pods or not one.writes_pods]
    each_holds({one.name: partial(holds_of_a_form, source, one) for one in targets})


def holds_of_a_form(source: Backend, target: Backend) -> None:
    carried = 0

    @of_pair(OF_FORMS, source, target)
    @given(questions(source.name, target.name).map(one_container))
    @example(one_container(PLAIN))
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
        assert_not_below(asked, back, item, target, question, made.text)
        assert rendered(back, target, Accept(), question).text == made.text, "what was written is exact there"
        carried += 1

    holds()
    assert carried > 0 or not are_first(source, target), "else nothing is said about this pair"


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
    return without_maker(share, backend)
