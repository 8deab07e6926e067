"""A share carried from one target to another, and what the report says of it."""

from __future__ import annotations

from dataclasses import replace

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, ContainerShare
from gpuxlate.model.diagnostics import LossKind, Severity
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.testing.amounts import implied, in_numbers, too_little
from gpuxlate.testing.contract import allowed
from gpuxlate.translation.pods.fit import Accept, Outcome, Verdict
from gpuxlate.translation.pods.item import Item
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.source import Source

from .sources import Question

NEUTRAL = registry.get("neutral")
SHEETS = [one.sheet for one in registry.pod_backends() if one.sheet]


def translated(
    text: str, source: Backend, target: Backend, question: Question, accept: Accept | None = None
) -> Translation:
    """With what the question allows, or with something else."""
    accept = question.accept if accept is None else accept
    return translate_source(Source("web.yaml", text), Settings(target, source, accept, question.profile))


def shares_in(text: str, backend: Backend, profile: Profile | None) -> dict[str, Share]:
    """What a manifest asks for, by the names of its containers."""
    settings = Settings(NEUTRAL, backend, profile=profile, reads_only=True)
    done = translate_source(Source("web.yaml", text), settings)
    assert not [one for one in done.diagnostics if one.severity is Severity.ERROR], done.diagnostics
    return {item.container: item.share for item in done.items if item.share}


def reported(item: Item, target: Backend, question: Question) -> Share:
    """What the report says is given, as far as the target has a key for it."""
    assert item.share is not None
    losses = tuple(loss for loss in item.losses if loss.field != "selector")
    without = implied(item.share, target, question.accept, question.profile)
    fitted = item.share
    if item.given is not None and item.given.is_part:
        fitted = item.given
    elif item.share.is_part:  # the losses have its numbers
        fitted = replace(item.share, partition=None, replica=None)
    container = ContainerShare("", 0, share=item.share)
    return Outcome(container, item.share, losses, implied=without, fitted=fitted).told


def let_go(item: Item, accept: Accept) -> set[str]:
    """The fields that the report says are lost or filled; each by a flag that was given."""
    for loss in item.losses:
        # percent in MiB: the profile was given for it; what the source's vendor grants, nobody chooses
        own = next((one.prefix for one in SHEETS if one.name == item.source), loss.code)
        granted = loss.kind is LossKind.ROUNDED and loss.code.startswith(own) and loss.code != own
        assert loss.accepted, loss
        assert granted or loss.code == "GX017" or allowed(loss.kind, loss.field, accept), loss
    return {loss.field for loss in item.losses if loss.kind in (LossKind.DROPPED, LossKind.FILLED)}


def verdict_of(done: Translation) -> Verdict:
    """The last that applies to any share."""
    return max((item.verdict for item in done.items), key=list(Verdict).index)


def assert_never_less(done: Translation, target: Backend, question: Question) -> None:
    """Every share is there after a translation that went well, as the report says, and not below."""
    given = shares_in(done.text, target, question.profile)
    assert set(given) == {item.container for item in done.items}
    card_mib = question.profile.cards.memory_mib if question.profile else None
    for item in done.items:
        assert item.share is not None
        back = given[item.container]
        assert back == reported(item, target, question), (item, back)
        without = implied(item.share, target, question.accept, question.profile)
        asked, got = (in_numbers(one, question.profile) for one in (item.share, back))
        below = set(too_little(asked, got, Accept(), card_mib, without)) - let_go(item, question.accept)
        assert not below, f"asked {item.share}, given {back}, below in {below}: {done.text}"
