"""A share in the terms of a target, before it is written: numbers, partitions or replicas of a card.

Numbers become a part of a card only at a target that has nothing else. Nothing is given that is less than
what was asked, on any count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Any

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import NODE_SELECTOR, ContainerShare, Selector
from gpuxlate.backends.pod_writer import WRITE, Accept, PodWriter, ShareWriter
from gpuxlate.model.amounts import Amount, Part, amount_of, card_for, known_replica
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind
from gpuxlate.model.keys import INT32
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.quantity import LIMIT
from gpuxlate.model.share import JSON_NAMES, Isolation, Share, Strategy, limit_beside, percent_in_mib
from gpuxlate.rules.kubernetes import a_node_has_the_cards
from gpuxlate.rules.translation import (
    field_is_supported,
    needed_field_is_set,
    part_stays_a_part,
    percent_stays_percent,
    share_is_expressible,
    shares_of_a_pod_agree,
)

PARTS = ("partition", "replica")
"""JSON names of the fields that are a part of a card in place of numbers."""
NUMBERS = ("cores", "memoryMiB")
EXAMPLES = {"cores": 30, "memoryMiB": 8192}
"""What hints fill in, of each card."""
PART = part_stays_a_part.code
REFUSED = share_is_expressible.code
FILLED = needed_field_is_set.code


@record
class Terms:
    """The share as the target is to take it, and what changed on the way.

    ``undecided``: how much it is, is not known; the target then takes some numbers in its place, and only
    what it would drop counts. ``amount``: of the part of a card that it became.
    """

    share: Share
    losses: tuple[Loss, ...] = ()
    undecided: bool = False
    amount: Amount | None = None

    def with_losses(self, more: Sequence[Loss]) -> tuple[Loss, ...]:
        """The losses on the way, and those at the target."""
        if self.undecided:
            kept = (loss for loss in more if loss.kind is LossKind.DROPPED and loss.field not in NUMBERS)
            return (*self.losses, *kept)
        return (*self.losses, *more)


def to_target_units(
    container: ContainerShare, share: Share, backend: Backend, accept: Accept, profile: Profile | None
) -> Terms:
    """The share as a target is to take it."""
    terms = _in_mib(container, share, backend, profile)
    if any(getattr(share, name) is not None and name not in backend.field_docs for name in PARTS):
        terms = _in_numbers(container, share, backend, accept, profile)
    if terms.undecided or terms.share.is_part or terms.share.whole_cards or not backend.overrides("parts"):
        return terms
    part = _as_part(container, terms.share, backend, accept, profile)
    return replace(part, losses=(*terms.losses, *part.losses))


def _in_mib(container: ContainerShare, share: Share, backend: Backend, profile: Profile | None) -> Terms:
    """Memory in percent as MiB, where the target has no percent and a profile gives the card.

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
    """The numbers of partitions or replicas, of one instance; what nothing says has to be filled."""
    name = "partition" if share.partition is not None else "replica"
    parts = [part_of_card for part_of_card in (share.partition, share.replica) if part_of_card is not None]
    part = ", ".join(map(str, parts))
    path = container.origins.get(name, container.path)
    count = max(part.count for part in parts)
    bare = replace(share, partition=None, replica=None)
    counted = [number for number in NUMBERS if number in backend.field_docs or backend.overrides("parts")]
    if not counted:
        message = msg(
            "{field} {part} cannot be expressed: {target} has whole cards only",
            field=name,
            part=part,
            target=backend.name,
        )
        refused = Loss(LossKind.REFUSED, name, REFUSED, message, "request whole cards", part, path=path)
        return Terms(_bare(share), (refused,), undecided=True)
    if count > 1:
        message = msg(
            "{field} {part} cannot be expressed by {target}: its instances may be on one card or on several",
            field=name,
            part=part,
            target=backend.name,
        )
        refused = Loss(LossKind.REFUSED, name, REFUSED, message, "request one larger part", part, path=path)
        return Terms(_some(bare), (refused,), undecided=True)
    amount = amount_of(share, profile) or Amount(None, None, "", "")
    losses: list[Loss] = []
    values: dict[str, int] = {}
    for field_name, number in zip(NUMBERS, (amount.cores, amount.memory_mib), strict=True):
        if number is not None:
            values[field_name] = max(1, number)  # one of very many clients has less than a share can ask for
            losses.append(_derived(field_name, values[field_name], name, part, amount, backend, path))
        elif (filled := accept.fills(field_name, FILLED, container.name, init=container.init)) is not None:
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
    """The share with numbers that any target may take."""
    return replace(share, cores=EXAMPLES["cores"], memory_mib=EXAMPLES["memoryMiB"], memory_percent=None)


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
        PART,
        message,
        msg(WRITE, field=field, given=number),
        f"{name} {part}",
        number,
        path=path,
    )


def _unknown(
    field: str, name: str, part: str, share: Share, profile: Profile | None, path: tuple[str | int, ...]
) -> Loss:
    """A number that nothing says (GX021)."""
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
        example=EXAMPLES[field],
        unit=msg("percent") if field == "cores" else "MiB",
    )
    return Loss(LossKind.FILLED, field, FILLED, needed_field_is_set(field, why), hint, path=path)


# --- numbers to parts ---------------------------------------------------------------------------------
def _as_part(
    container: ContainerShare, share: Share, backend: Backend, accept: Accept, profile: Profile | None
) -> Terms:
    """The smallest part of a card that holds the numbers, where the target has nothing else."""
    request = ", ".join(
        f"{JSON_NAMES[name]}={value}"
        for name in ("cards", "cores", "memory_mib", "memory_percent", "memory_limit_mib")
        if (value := getattr(share, name)) is not None and (name, value) != ("cards", 1)
    )
    path = container.path
    filled: tuple[Loss, ...] = ()
    if share.cards > 1:  # no part is that much, whatever is filled
        message, hint = _none_holds(request, share, (), backend)
        refused = Loss(LossKind.REFUSED, "partition", REFUSED, message, hint, request, path=path)
        return Terms(_bare(share), (refused,), undecided=True)
    if not share.caps_memory:  # all memory of a card is no part of it
        why = msg("{target} has parts of a card, and each has a part of its memory", target=backend.name)
        memory_mib = accept.fills("memoryMiB", FILLED, container.name, init=container.init)
        filled = (replace(_to_fill("memoryMiB", why, path), given=memory_mib),)
        if memory_mib is None:
            return Terms(_bare(share), filled, undecided=True)
        share = replace(share, memory_mib=memory_mib)
    parts = tuple(backend.parts(share, profile) or ())
    card = card_for(share, profile)
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
        refused = Loss(LossKind.REFUSED, "partition", REFUSED, message, hint, request, path=path)
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
    loss = Loss(LossKind.ROUNDED, name, PART, message, hint, request, part, path=path)
    becomes = replace(bare, partition=smallest.partition, replica=smallest.replica)
    return Terms(becomes, (*filled, loss), amount=smallest.amount)


def _bare(share: Share) -> Share:
    """The share without its numbers and parts."""
    numbers = ("cores", "memory_mib", "memory_percent", "memory_limit_mib", "partition", "replica")
    return replace(share, cards=1, **dict.fromkeys(numbers))


def _holds(part: Part, share: Share) -> bool:
    """The part has at least what was asked, on every count that is asked."""
    memory = max(share.memory_mib or 0, share.memory_limit_mib or 0)
    return (
        share.memory_percent is None
        and (part.amount.cores or 0) >= (share.cores or 0)
        and (part.amount.memory_mib or 0) >= memory
        and part.isolation.covers(share.isolation or Isolation.NONE)
    )


def _wasted(amount: Amount, share: Share) -> Message | str:
    """What of the part is more than was asked."""
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


# The one place that decides: exact, rounded, filled, dropped or refused.
OF_POD = ("policy", "qos", "device", "isolation")
"""Fields that belong to the pod."""


class Verdict(StrEnum):
    """The result for a share. Where several apply, the last of them counts."""

    EXACT = "exact"
    ROUNDED = "rounded"
    FILLED = "filled"
    DROPPED = "dropped"
    REFUSED = "refused"


_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}


def worst(losses: Iterable[Loss]) -> Verdict:
    """The verdict on these losses together."""
    verdicts = (Verdict(loss.kind.value) for loss in losses)
    return max(verdicts, key=_RANK.__getitem__, default=Verdict.EXACT)


@record
class Outcome:
    """The result for one container's share at one target."""

    container: ContainerShare
    share: Share
    losses: tuple[Loss, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    implied: frozenset[str] = frozenset()  # attributes that the target gives without a key
    fitted: Share | None = None  # the share in the target's terms, where they are others
    derived: Amount | None = None  # what the parts of a card amount to, as asked or as given
    comes_with: Mapping[str, Any] = field(default_factory=dict)  # what was not asked for, by attribute

    @property
    def verdict(self) -> Verdict:
        return worst(self.losses)

    @property
    def accepted(self) -> bool:
        """Every loss was allowed by the user."""
        return all(loss.accepted for loss in self.losses)

    @property
    def granted(self) -> Share:
        """The share as the target gets it: the request with each loss applied. A field that was to be
        filled and was not stays unset."""
        attributes = {name: attribute for attribute, name in JSON_NAMES.items()}
        changed: dict[str, Any] = {
            attributes[loss.field]: loss.given
            for loss in self.losses
            if loss.kind is not LossKind.REFUSED and not (loss.field in PARTS and loss.given)
        }
        changed |= self.comes_with
        share = self.fitted or self.share
        if share.is_part:  # numbers became one on the way
            return replace(share, **{name: value for name, value in changed.items() if name in OF_POD})
        if "memory_mib" in changed:
            changed["memory_percent"] = None  # memory is in MiB, or that of whole cards
            limit = changed.get("memory_limit_mib", share.memory_limit_mib)
            changed["memory_limit_mib"] = limit_beside(changed["memory_mib"], limit)
        return replace(share, **changed)

    @property
    def declared(self) -> Share:
        """What the keys of the target tell of ``given``: a field that is implied has no key."""
        without: dict[str, Any] = dict.fromkeys(self.implied)
        return replace(self.granted, **without)

    def findings(self) -> Iterator[Diagnostic]:
        for loss in self.losses:
            yield loss.diagnostic()
        yield from self.diagnostics


@record
class PodFit:
    """One pod at one target: an outcome for each share, and the keys to write.

    ``keys`` are meaningful only where everything was accepted.
    """

    outcomes: tuple[Outcome, ...]
    keys: PodKeys
    selectors: tuple[Loss, ...] = field(default=())

    @property
    def accepted(self) -> bool:
        return all(outcome.accepted for outcome in self.outcomes) and all(
            loss.accepted for loss in self.selectors
        )

    def findings(self) -> Iterator[Diagnostic]:
        for outcome in self.outcomes:
            yield from outcome.findings()
        for loss in self.selectors:
            yield loss.diagnostic()


def fit_pod(
    containers: Sequence[ContainerShare],
    backend: Backend,
    accept: Accept,
    profile: Profile | None = None,
    selectors: Sequence[Selector] = (),
) -> PodFit:
    """Fit every share of a pod to a target. Pure: the same input has the same outcome."""
    shared = [(container, container.share) for container in containers if container.share is not None]
    fitted = [to_target_units(container, share, backend, accept, profile) for container, share in shared]
    placings = tuple(
        ShareWriter(
            terms.share,
            accept,
            target=backend.name,
            name=container.name,
            index=container.index,
            init=container.init,
            origins=container.origins,
            path=container.path,
        )
        for (container, _), terms in zip(shared, fitted, strict=True)
    )
    for placing in placings:
        if placing.cards > INT32:
            message = msg("{number} cards: no node has so many", number=placing.cards)
            placing.refuse("cards", a_node_has_the_cards.code, message, "request fewer cards")
    if len(placings) > 1:
        _agree(placings, backend)
    ordinary = tuple(container.name for container in containers if not container.init)
    pod = PodWriter(placings, ordinary, selectors)
    keys = backend.write(pod, profile)
    for placing in placings:
        if backend.vendor:
            placing.take_device_if_made_by(backend.vendor)
        placing.drop_rest()
    outcomes = tuple(
        Outcome(
            container,
            share,
            tuple(
                accept.settled(loss, container.name)
                for loss in (*container.granted, *terms.with_losses(placing.losses))
            ),
            tuple(placing.diagnostics),
            frozenset(placing.implied),
            terms.share,
            (amount_of(share, profile) if share.is_part else None) or terms.amount or placing.derived,
            placing.comes_with,
        )
        for (container, share), terms, placing in zip(shared, fitted, placings, strict=True)
    )
    lost = (_selector_loss(selector, backend) for selector in selectors if selector.chosen not in pod.taken)
    return PodFit(outcomes, keys, tuple(accept.settled(loss, None) for loss in lost))


def as_read(
    containers: Sequence[ContainerShare], profile: Profile | None = None, sources: Sequence[Backend] = ()
) -> PodFit:
    """The shares of a pod in gpuxlate's own terms, each exact, but for those that differ in what belongs to
    the pod in the dialects that it is read in."""
    shared = [(container, container.share) for container in containers if container.share is not None]
    differ = list(_differences([share for _, share in shared], sources)) if len(shared) > 1 else []
    return PodFit(
        tuple(
            Outcome(
                container,
                share,
                (*container.granted, *(_differs(container, share, *difference) for difference in differ)),
                derived=amount_of(share, profile) if share.is_part else None,
            )
            for container, share in shared
        ),
        PodKeys(),
    )


def _differs(container: ContainerShare, share: Share, attribute: str, message: str, hint: str | None) -> Loss:
    placing = ShareWriter(share, Accept(), target="", origins=container.origins, path=container.path)
    placing.refuse(attribute, "GX022", message, hint)
    return placing.losses[0]


def _agree(placings: tuple[ShareWriter, ...], backend: Backend) -> None:
    """Two shares in one pod may not differ in what belongs to the pod."""
    for attribute, message, hint in _differences([placing.asked for placing in placings], (backend,)):
        for placing in placings:
            placing.refuse(attribute, "GX022", message, hint)


def _differences(
    shares: Sequence[Share], backends: Sequence[Backend]
) -> Iterator[tuple[str, str, str | None]]:
    """The fields of a pod in which its shares differ, with message and hint; none that each container has by
    itself in all of the dialects."""
    of_containers = (
        frozenset(OF_POD).intersection(*(backend.of_containers for backend in backends)) if backends else ()
    )
    for attribute in OF_POD:
        if attribute in of_containers:
            continue
        values = {str(value) if (value := getattr(share, attribute)) else None for share in shares}
        if len(values) > 1:
            texts = sorted(value or "none" for value in values)
            yield attribute, *shares_of_a_pod_agree(JSON_NAMES[attribute], texts)


def _selector_loss(selector: Selector, backend: Backend) -> Loss:
    return Loss(
        LossKind.DROPPED,
        "selector",
        "GX020",
        field_is_supported(
            msg("{what} {key} ({value})", what=selector.what, key=selector.key, value=selector.text),
            backend.name,
        ),
        _without(selector, backend),
        asked=f"{selector.key}={selector.text}",
        given=None,
        path=selector.path,
    )


def _without(selector: Selector, backend: Backend) -> Message:
    """What to do about a selector that the target does not have."""
    if selector.what != NODE_SELECTOR:
        return msg(
            "remove the {what}: nothing at {target} reads it, or pass --drop selector",
            what=selector.what,
            target=backend.name,
        )
    if backend.model_label is None:
        return msg("choose the nodes at {target} by hand, or pass --drop selector", target=backend.name)
    return msg(
        "choose the nodes at {target} by hand, card models by {label}, or pass --drop selector",
        target=backend.name,
        label=backend.model_label,
    )
