"""Whether what nvidia-smi shows in a container is what its share says.

Vendors round memory up, and never give much more or less: on each card from 1 % below to 8 % above the
request. A share of 4096 MiB showed 4309 MiB.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from gpuxlate.backends.base import Backend, VisibleMemory
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, LossKind
from gpuxlate.model.messages import msg, plural
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, Share, percent_in_mib
from gpuxlate.planning.nvidia_smi import OutputForm, SeenCard, ShownCards
from gpuxlate.translation.fit import fit_pod

LEAST_SHOWN_MEMORY = Fraction(99, 100)

MOST_SHOWN_MEMORY = Fraction(108, 100)
"""How much of its requested memory a card may show."""


@record
class Expected:
    """What a container should see: ``cards``, and MiB on each of them.

    ``cards`` is None for several parts, which may be of one card or of several. ``asked_mib`` is None where
    the share has all memory of a card, or is a part. ``minimum`` and ``maximum`` are MiB, and None where any
    memory will do. ``figure_mib`` is what nvidia-smi should print, where that is known.
    """

    cards: int | None
    asked_mib: int | None = None
    minimum: Fraction | None = None
    maximum: Fraction | None = None
    figure_mib: int | None = None
    notes: tuple[str, ...] = ()


@record
class CheckedCard:
    """A card that was found; ``within`` is None where its memory is not checked."""

    seen: SeenCard
    within: bool | None


@record
class Verification:
    """What a container should see and what nvidia-smi shows; ``problems``: a sentence for each difference."""

    expected: Expected
    cards: tuple[CheckedCard, ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def match(self) -> bool:
        """What nvidia-smi shows is what the share says."""
        return not self.problems


def expected_values(
    share: Share,
    backend: Backend | None = None,
    profile: Profile | None = None,
    card_mib: int | None = None,
) -> tuple[Expected, list[Diagnostic]]:
    """What a container of a share should see, and why a target would refuse the share.

    With a target, memory may be as much above as its steps make it. ``card_mib``: MiB of a
    physical card, that of the profile where it is omitted.
    """
    part = share.partition or share.replica
    if part is not None:
        many = part.count > 1 or (share.replica is not None and share.replica.count > 1)
        note = msg("what nvidia-smi shows of {part} is not documented: its memory is not verified", part=part)
        refused = _granted_memory(share, backend, profile)[2] if backend else []
        return Expected(None if many else 1, notes=(note,)), refused
    whole = card_mib or (profile.cards.memory_mib if profile else None)
    notes: list[str] = []
    if share.memory_percent is not None:
        if whole:
            memory = percent_in_mib(share.memory_percent, whole) * share.cards
            share = replace(share, memory_mib=memory, memory_percent=None)
        else:
            notes.append("memory in percent can only be verified with the size of a card")
    requested = share.memory_mib_per_card
    refused = []
    granted, limit = requested, share.memory_limit_mib_per_card
    if backend is not None:
        granted, limit, refused = _granted_memory(share, backend, profile)
    if requested is not None and granted is None:
        notes.append("with all compute of a card, a container sees all of its memory: the limit is not shown")
    sees = backend.visible_memory(share, granted, whole, profile) if backend and granted is not None else None
    sees = sees or VisibleMemory()
    if sees.not_isolated:
        kind = sees.not_isolated
        notes.append(
            msg("{kind} counts memory without isolating it: the container sees the whole card", kind=kind)
        )
        granted = None
    if granted is None:
        least, maximum = (LEAST_SHOWN_MEMORY * whole, MOST_SHOWN_MEMORY * whole) if whole else (None, None)
        return Expected(share.cards, requested, least, maximum, notes=tuple(notes)), refused
    # where memory may burst, it is open whether a container sees the request or the limit
    least, maximum, figure = (
        LEAST_SHOWN_MEMORY * (requested or granted),
        MOST_SHOWN_MEMORY * (limit or granted),
        sees.figure_mib,
    )
    if figure is not None and figure > maximum:
        notes.append(
            msg(
                "the units of this card make {figure} MiB, which is more than 8 % above the request",
                figure=figure,
            )
        )
    return Expected(share.cards, requested, least, maximum, figure, tuple(notes)), refused


def _granted_memory(
    share: Share, backend: Backend, profile: Profile | None
) -> tuple[int | None, int | None, list[Diagnostic]]:
    """MiB on each card after the target rounds them up, how far they may burst, and its refusals."""
    allowed = Accept(round_up=True, drop=frozenset(JSON_NAMES.values()))
    outcome = fit_pod([ContainerShare("", 0, share=share)], backend, allowed, profile).outcomes[0]
    granted = share.memory_mib_per_card
    for loss in outcome.losses:
        if loss.kind is LossKind.ROUNDED and loss.field == "memoryMiB":
            granted = loss.given // share.cards if isinstance(loss.given, int) else None
    limit = outcome.granted.memory_limit_mib_per_card
    return granted, limit, [loss.diagnostic() for loss in outcome.losses if loss.kind is LossKind.REFUSED]


def verify(expectation: Expected, seen: ShownCards) -> Verification:
    """Compare the output of nvidia-smi with what was expected."""
    problems: list[str] = []
    if expectation.cards is not None and len(seen.cards) != expectation.cards:
        cards_text = plural(expectation.cards, "{count} card", "{count} cards")
        problems.append(msg("{asked} requested, {number} found", asked=cards_text, number=len(seen.cards)))
    checked = tuple(CheckedCard(card, _within(expectation, card)) for card in seen.cards)
    for card in checked:
        total = card.seen.total_mib
        if (
            card.within is False
            and total is not None
            and expectation.minimum is not None
            and expectation.maximum is not None
        ):
            less, more = (
                "card {index} shows {total} MiB, less than {bound} MiB",
                "card {index} shows {total} MiB, more than {bound} MiB",
            )
            template, bound = (
                (less, expectation.minimum) if total < expectation.minimum else (more, expectation.maximum)
            )
            problems.append(msg(template, index=card.seen.index, total=total, bound=mib_text(bound)))
    unknown = [card.seen.index for card in checked if card.seen.total_mib is None]
    if unknown and expectation.minimum is not None:
        if seen.form is OutputForm.LIST:
            problems.append("nvidia-smi -L does not show memory: it is not verified")
        else:
            which = ", ".join(map(str, unknown))
            problems.append(msg("the memory of card {which} is not shown: it is not verified", which=which))
    return Verification(expectation, checked, tuple(problems), (*expectation.notes, *seen.notes))


def _within(expectation: Expected, card: SeenCard) -> bool | None:
    if expectation.minimum is None or expectation.maximum is None or card.total_mib is None:
        return None
    return expectation.minimum <= card.total_mib <= expectation.maximum


def mib_text(value: Fraction) -> str:
    """MiB for print: hundredths are exact for requests in whole MiB."""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")
