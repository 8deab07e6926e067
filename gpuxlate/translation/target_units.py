"""A share in the units of a target, before it is written: numbers, partitions or replicas of a card.

Numbers become a part of a card only at a target that has nothing else. The target never gets less than the
share requests, on any count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import WRITE, Accept
from gpuxlate.model.amounts import Amount, Part, amount_of, card_of_share, known_replica
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Loss, LossKind
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.profile import Profile
from gpuxlate.model.quantity import LIMIT
from gpuxlate.model.share import JSON_NAMES, NUMBER_FIELDS, Isolation, Share, Strategy, percent_in_mib
from gpuxlate.rules.translation import (
    needed_field_is_set,
    part_stays_a_part,
    percent_stays_percent,
    share_is_expressible,
)

PART_FIELDS = ("partition", "replica")
"""JSON names of the fields that are a part of a card in place of numbers."""

EXAMPLE_AMOUNTS = {"cores": 30, "memoryMiB": 8192}
"""The example values that hints name, per card."""

PART_CODE = part_stays_a_part.code

REFUSED_CODE = share_is_expressible.code

FILLED_CODE = needed_field_is_set.code


@record
class Terms:
    """A share in the units of a target, and the losses of the conversion.

    ``undecided``: the amounts are not known; the share then has placeholder numbers, and only the fields that
    the target drops count. ``amount``: the amount of the part of a card that the share became.
    """

    share: Share
    losses: tuple[Loss, ...] = ()
    undecided: bool = False
    amount: Amount | None = None

    def with_losses(self, more: Sequence[Loss]) -> tuple[Loss, ...]:
        """The losses of the conversion with those at the target."""
        if self.undecided:
            kept = (
                loss for loss in more if loss.kind is LossKind.DROPPED and loss.field not in NUMBER_FIELDS
            )
            return (*self.losses, *kept)
        return (*self.losses, *more)


def to_target_units(
    container: ContainerShare, share: Share, backend: Backend, accept: Accept, profile: Profile | None
) -> Terms:
    """Convert a share to the units of a target, with the losses of that."""
    terms = _in_mib(container, share, backend, profile)
    if any(getattr(share, name) is not None and name not in backend.field_docs for name in PART_FIELDS):
        terms = _in_numbers(container, share, backend, accept, profile)
    if terms.undecided or terms.share.is_part or terms.share.whole_cards or not backend.overrides("parts"):
        return terms
    part = _as_part(container, terms.share, backend, accept, profile)
    return replace(part, losses=(*terms.losses, *part.losses))


def _in_mib(container: ContainerShare, share: Share, backend: Backend, profile: Profile | None) -> Terms:
    """Convert memory in percent to MiB, where the target has no percent and a profile names the card.

    Reported (GX017), since another card gives another number; accepted, since the profile was given.
    """
    name = JSON_NAMES["memory_percent"]
    card_mib = profile.cards.memory_mib if profile else None
    percent = share.memory_percent
    if percent is None or card_mib is None or name in backend.field_docs:
        return Terms(share)
    memory_mib = percent_in_mib(percent, card_mib) * share.cards
    if memory_mib > LIMIT:
        return Terms(share)  # no target has room for it: refused as percent (GX020)
    turned = Loss(
        LossKind.ROUNDED,
        JSON_NAMES["memory_mib"],
        "GX017",
        percent_stays_percent(percent, memory_mib, card_mib),
        asked=f"{percent} %",
        given=memory_mib,
        accepted=True,
        path=container.origins.get("memory_percent", container.path),
    )
    return Terms(replace(share, memory_mib=memory_mib, memory_percent=None), (turned,))


# --- parts to numbers ---------------------------------------------------------------------------------
def _in_numbers(
    container: ContainerShare, share: Share, backend: Backend, accept: Accept, profile: Profile | None
) -> Terms:
    """Convert a partition or replica to numbers; a number that no source gives has to be filled."""
    name = "partition" if share.partition is not None else "replica"
    parts = [part_of_card for part_of_card in (share.partition, share.replica) if part_of_card is not None]
    part = ", ".join(map(str, parts))
    path = container.origins.get(name, container.path)
    count = max(part.count for part in parts)
    bare = replace(share, partition=None, replica=None)
    counted = [
        number for number in NUMBER_FIELDS if number in backend.field_docs or backend.overrides("parts")
    ]
    if not counted:
        message = msg(
            "{field} {part} cannot be expressed: {target} has whole cards only",
            field=name,
            part=part,
            target=backend.name,
        )
        refused = Loss(LossKind.REFUSED, name, REFUSED_CODE, message, "request whole cards", part, path=path)
        return Terms(_bare(share), (refused,), undecided=True)
    if count > 1:
        message = msg(
            "{field} {part} cannot be expressed by {target}: its instances may be on one card or on several",
            field=name,
            part=part,
            target=backend.name,
        )
        refused = Loss(
            LossKind.REFUSED, name, REFUSED_CODE, message, "request one larger part", part, path=path
        )
        return Terms(_some(bare), (refused,), undecided=True)
    amount = amount_of(share, profile) or Amount(None, None, "", "")
    losses: list[Loss] = []
    values: dict[str, int] = {}
    for field_name, number in zip(NUMBER_FIELDS, (amount.cores, amount.memory_mib), strict=True):
        if number is not None:
            values[field_name] = max(1, number)  # one of very many clients has less than a share can ask for
            losses.append(_derived(field_name, values[field_name], name, part, amount, backend, path))
        elif (
            filled := accept.fills(field_name, FILLED_CODE, container.name, init=container.init)
        ) is not None:
            values[field_name] = filled
            unknown = _unknown(field_name, name, part, share, profile, path)
            losses.append(replace(unknown, given=filled))
    # compute is not capped, unless the target needs it
    open_ = [field for field in counted if field not in values and not (field == "cores" and values)]
    losses += [_unknown(field, name, part, share, profile, path) for field in open_]
    if not values or any(loss.kind is LossKind.FILLED and loss.given is None for loss in losses):
        return Terms(_some(bare), tuple(losses), undecided=True)
    return Terms(replace(bare, cores=values.get("cores"), memory_mib=values.get("memoryMiB")), tuple(losses))


def _some(share: Share) -> Share:
    """The share with placeholder numbers that any target accepts."""
    return replace(
        share, cores=EXAMPLE_AMOUNTS["cores"], memory_mib=EXAMPLE_AMOUNTS["memoryMiB"], memory_percent=None
    )


def _derived(
    field: str,
    number: int,
    name: str,
    part: str,
    amount: Amount,
    backend: Backend,
    path: tuple[str | int, ...],
) -> Loss:
    message = part_stays_a_part(
        name, part, backend.name, msg("{field} {given}", field=field, given=number), amount.row
    )
    return Loss(
        LossKind.ROUNDED,
        field,
        PART_CODE,
        message,
        msg(WRITE, field=field, given=number),
        f"{name} {part}",
        number,
        path=path,
    )


def _unknown(
    field: str, name: str, part: str, share: Share, profile: Profile | None, path: tuple[str | int, ...]
) -> Loss:
    """The loss for a number that no source gives (GX021)."""
    replica = share.replica and known_replica(share.replica, profile)
    if replica and replica.strategy is Strategy.TIME_SLICING:
        why = msg("{name} {part} is promised no part of the card", name=name, part=part)
    elif replica and (replica.of is None or replica.strategy is None):
        why = msg("{name} {part} is as much as the configuration of the nodes says", name=name, part=part)
    else:
        why = msg("nothing says how much {name} {part} is", name=name, part=part)
    return _to_fill(field, why, path)


def _to_fill(field: str, why: Message, path: tuple[str | int, ...]) -> Loss:
    hint = msg(
        "pass --fill {field}={example} ({unit} per card), or a profile of the cluster where it says more",
        field=field,
        example=EXAMPLE_AMOUNTS[field],
        unit=msg("percent") if field == "cores" else "MiB",
    )
    return Loss(LossKind.FILLED, field, FILLED_CODE, needed_field_is_set(field, why), hint, path=path)


# --- numbers to parts ---------------------------------------------------------------------------------
def _as_part(
    container: ContainerShare, share: Share, backend: Backend, accept: Accept, profile: Profile | None
) -> Terms:
    """Convert numbers to the smallest part of a card that holds them, where the target has parts only."""
    request = ", ".join(
        f"{JSON_NAMES[name]}={value}"
        for name in ("cards", "cores", "memory_mib", "memory_percent", "memory_limit_mib")
        if (value := getattr(share, name)) is not None and (name, value) != ("cards", 1)
    )
    path = container.path
    filled: tuple[Loss, ...] = ()
    if share.cards > 1:  # no part is that much, whatever is filled
        message, hint = _none_holds(request, share, (), backend)
        refused = Loss(LossKind.REFUSED, "partition", REFUSED_CODE, message, hint, request, path=path)
        return Terms(_bare(share), (refused,), undecided=True)
    if not share.caps_memory:  # all memory of a card is no part of it
        why = msg("{target} has parts of a card, and each has a part of its memory", target=backend.name)
        memory_mib = accept.fills("memoryMiB", FILLED_CODE, container.name, init=container.init)
        filled = (replace(_to_fill("memoryMiB", why, path), given=memory_mib),)
        if memory_mib is None:
            return Terms(_bare(share), filled, undecided=True)
        share = replace(share, memory_mib=memory_mib)
    parts = tuple(backend.parts(share, profile) or ())
    card = card_of_share(share, profile)
    percent = share.memory_percent
    if percent is not None and card is not None and card.most_mib:
        share = replace(
            share, memory_percent=None, memory_mib=percent_in_mib(percent, card.most_mib) * share.cards
        )
    needed = share if "memoryLimitMiB" not in accept.drop else replace(share, memory_limit_mib=None)
    smallest = next((part for part in parts if _holds(part, needed)), None)
    bare = _bare(share)
    if smallest is None:
        message, hint = _none_holds(request, share, parts, backend)
        refused = Loss(LossKind.REFUSED, "partition", REFUSED_CODE, message, hint, request, path=path)
        return Terms(bare, (*filled, refused), undecided=True)
    name = "partition" if smallest.partition is not None else "replica"
    part = str(smallest.partition or smallest.replica)
    message = msg(
        "{asked} becomes {name} {given} at {target}, which is {amount}; {wasted}",
        asked=request,
        name=name,
        given=part,
        target=backend.name,
        amount=smallest.amount.text,
        wasted=_wasted(smallest.amount, share),
    )
    hint = msg(WRITE, field=name, given=part)
    loss = Loss(LossKind.ROUNDED, name, PART_CODE, message, hint, request, part, path=path)
    becomes = replace(bare, partition=smallest.partition, replica=smallest.replica)
    return Terms(becomes, (*filled, loss), amount=smallest.amount)


def _bare(share: Share) -> Share:
    """The share without its numbers and parts."""
    numbers = ("cores", "memory_mib", "memory_percent", "memory_limit_mib", "partition", "replica")
    return replace(share, cards=1, **dict.fromkeys(numbers))


def _holds(part: Part, share: Share) -> bool:
    """Whether a part has at least the requested amount of each field that the share sets."""
    memory = max(share.memory_mib or 0, share.memory_limit_mib or 0)
    return (
        share.memory_percent is None
        and (part.amount.cores or 0) >= (share.cores or 0)
        and (part.amount.memory_mib or 0) >= memory
        and part.isolation.covers(share.isolation or Isolation.NONE)
    )


def _wasted(amount: Amount, share: Share) -> Message | str:
    """The text that says how much of the part is more than requested."""
    spare = [
        f"{have - requested} {unit}"
        for have, requested, unit in (
            (amount.cores or 0, share.cores, "%"),
            (amount.memory_mib or 0, share.memory_mib, "MiB"),
        )
        if requested is not None and have > requested
    ]
    return (
        msg("{spare} of it are wasted", spare=" and ".join(spare)) if spare else msg("none of it is wasted")
    )


def _none_holds(
    request: str, share: Share, parts: Iterable[Part], backend: Backend
) -> tuple[Message, Message | str]:
    names = ", ".join(f"{part.partition or part.replica} ({part.amount.numbers})" for part in parts)
    if share.cards > 1:
        message = msg(
            "a part of {cards} cards cannot be expressed: {target} has parts of one card",
            cards=share.cards,
            target=backend.name,
        )
        return message, "request a part of one card, or whole cards"
    if not names:
        message = msg(
            "{asked} cannot be expressed: {target} has parts of a card, and which card is not known",
            asked=request,
            target=backend.name,
        )
        return message, backend.parts_need
    message = msg(
        "{asked} cannot be expressed: no part of the card holds it at {target}",
        asked=request,
        target=backend.name,
    )
    return message, msg("request less, or whole cards; the parts are {parts}", parts=names)
