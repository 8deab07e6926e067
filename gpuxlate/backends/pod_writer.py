"""The writer that takes the fields of a share for a target, and records each loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from gpuxlate.backends.pod_reader import Selector, too_large, too_many_cards
from gpuxlate.model.amounts import Amount
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind, Path, Severity
from gpuxlate.model.keys import By, Chosen
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.profile import CardProfile
from gpuxlate.model.quantity import LIMIT, round_up
from gpuxlate.model.share import JSON_NAMES, Device, Isolation, Policy, Qos, Share, above_limit, limit_beside
from gpuxlate.rules.translation import needed_field_is_set

WRITE = "write {field}: {given}, or pass --round up"
OMIT = "omit {field}, or pass --round up"
ADD = "add {field} to the share, or pass --fill {field}={example} ({unit} per card)"
REMOVE = "remove {field} from the share, or pass --drop {field}"
ACCEPTED_BY = {
    WRITE: "pass --round up",
    OMIT: "pass --round up",
    ADD: "pass --fill {field}={example} ({unit} per card)",
    REMOVE: "pass --drop {field}",
}
"""By hint that names a field of the share, the hint for files without such fields: the accepting option."""
NEEDS_A_CARD = (
    "set the memory in MiB, or pass a profile with cards.memoryMiB (--profile): percent becomes MiB only "
    "where the memory of a card is known"
)
"""Hint for memory in percent at a target that counts MiB."""

SetElsewhere = Mapping[tuple[bool, str, str], int]
"""The amounts per card (percent, MiB) that patches set in a pod, by container (init, name) and field."""


@record
class Accept:
    """What the user accepts. ``fill`` is by JSON name and **per card** (percent, MiB). ``elsewhere``: what
    patches set, which nobody has to accept."""

    round_up: bool = False
    fill: Mapping[str, int] = field(default_factory=dict)
    drop: frozenset[str] = frozenset()
    elsewhere: SetElsewhere = field(default_factory=dict)

    def takes(self, loss: Loss, _container: str | None) -> bool:
        """Whether a loss is accepted, of the share of a container or (None) of the pod. No other function
        decides this."""
        if loss.kind is LossKind.ROUNDED:
            return self.round_up
        if loss.kind is LossKind.FILLED:
            return loss.given is not None
        return loss.kind is LossKind.DROPPED and loss.field in self.drop

    def settle(self, loss: Loss, container: str | None) -> Loss:
        """Decide whether a recorded loss is accepted. One that no user can choose is accepted already."""
        return replace(loss, accepted=True) if self.takes(loss, container) else loss

    def fills(self, field: str, code: str, container: str, *, init: bool) -> int | None:
        """The number that an unset field gets, per card (percent, MiB); None where nothing fills it."""
        fill = self.elsewhere.get((init, container, field))
        return self._fills(field, code, container) if fill is None else fill

    def _fills(self, field: str, _code: str, _container: str) -> int | None:
        return self.fill.get(field)


class ShareWriter:
    """One container's share on its way into a target; ``target`` is the target's name.

    ``take`` returns a field and marks it as placed. A field that no backend takes becomes a Loss
    (GX020). Every method that records a Loss continues as if it were accepted, so that all losses of a
    share are found at once; ``fit_pod`` settles which are. ``why`` is a clause of its own, that follows the
    finding after a colon.
    """

    def __init__(
        self,
        share: Share,
        accept: Accept,
        *,
        target: str,
        name: str = "",
        index: int = 0,
        init: bool = False,
        origins: Mapping[str, Path] | None = None,
        path: Path = (),
    ) -> None:
        self.asked = share
        self.accept = accept
        self.target = target
        self.name = name
        self.index = index
        self.init = init
        self.path = path
        self.losses: list[Loss] = []
        self.diagnostics: list[Diagnostic] = []
        self._origins = dict(origins or {})
        self._now: dict[str, Any] = {name: getattr(share, name) for name in JSON_NAMES}
        self._untaken = set(share.given_fields())
        self.implied: set[str] = set()  # placed without a key: nothing in a manifest tells them
        self.comes_with: dict[str, Any] = {}  # not asked for, and given with the rest
        self.derived: Amount | None = None
        self._why: dict[str, Message] = {}

    # -- looking and taking ------------------------------------------------------------------

    def peek(self, attribute: str) -> Any:
        """The field as it is now (rounded, filled), without placing it."""
        return self._now[attribute]

    def take(self, attribute: str) -> Any:
        """The field as it is now; it counts as placed."""
        self._untaken.discard(attribute)
        return self._now[attribute]

    def take_isolation_if_covered(self, gives: Isolation) -> None:
        """Take ``isolation`` where the target gives at least what is asked. Whole cards need no call."""
        self._imply("isolation", msg("its isolation is {gives}", gives=gives), gives.covers)

    def take_policy_if_same(self, policy: Policy) -> None:
        """Take ``policy`` where it is the one that the target has."""
        self._imply("policy", msg("its policy is {policy}", policy=policy), policy.__eq__)

    def take_device_if_made_by(self, vendor: str) -> None:
        """Take ``device`` where any card of the vendor will do. ``Backend.vendor`` needs no call."""
        device = self._now["device"]
        theirs = device is not None and device.vendor in (
            None,
            vendor,
        )  # so it is the model
        made_by = msg("its cards are made by {vendor}", vendor=vendor)
        self._imply(
            "device", msg("none of its keys names these cards") if theirs else made_by, Device(vendor).__eq__
        )

    def take_device_of_keys(self, device: Device) -> None:
        """Take ``device`` where it is that of the target's keys, which any share gets by them."""
        if self._now["device"] == device:
            self.take("device")
        else:
            self.comes_with["device"] = device

    def _imply(self, attribute: str, why: Message, enough: Callable[[Any], bool]) -> None:
        """Place a field without a key where what the target has is enough; else it stays, with the reason."""
        if attribute not in self._untaken:
            return
        if enough(self._now[attribute]):
            self.take(attribute)
            self.implied.add(attribute)
        else:
            self._why[attribute] = why

    @property
    def cards(self) -> int:
        """The number of cards; reading it does not place it."""
        return int(self._now["cards"])

    @property
    def whole_cards(self) -> bool:
        """Neither compute nor memory nor a part is set, as it is now."""
        numbers = ("cores", "memory_mib", "memory_percent", "partition", "replica")
        return all(self._now[name] is None for name in numbers)

    @property
    def untaken(self) -> tuple[str, ...]:
        """Fields that are not placed, in the order of the share. A single card needs no key."""
        untaken_fields = [
            name for name in JSON_NAMES if name in self._untaken and self._now[name] is not None
        ]
        return tuple(name for name in untaken_fields if not (name == "cards" and self.cards == 1))

    @property
    def refused(self) -> bool:
        """Some loss was not accepted."""
        return not all(self.accept.takes(loss, self.name) for loss in self.losses)

    def origin(self, attribute: str) -> Path:
        """The place of a field in what was read, else that of the container."""
        return self._origins.get(attribute, self.path)

    # -- recording ----------------------------------------------------------------------------

    def on_grid(self, attribute: str, code: str, *, step: int = 1, low: int = 1, unit: str) -> int | None:
        """Take ``cores`` or ``memory_mib`` (total), rounded up to a grid that counts **per card**.

        ``step`` and ``low`` are per card, in ``unit`` (% or MiB). Returns the total, None if not set.
        """
        total = self.take(attribute)
        if total is None:
            return None
        each = int(total) // self.cards
        number = max(round_up(each, step), low)
        if number == each:
            return int(total)
        values: dict[str, int | str] = {"field": JSON_NAMES[attribute], "asked": total, "unit": unit}
        if self.cards > 1:
            values["asked"] = msg("{total} ({each} {unit} per card)", total=total, each=each, unit=unit)
            values["unit"] = msg("{unit} per card", unit=unit)
        if each < low:
            problem = msg("{field} {asked} is below the minimum of {low} {unit}", low=low, **values)
        else:
            problem = msg("{field} {asked} is not a multiple of {step} {unit}", step=step, **values)
        return self._round(attribute, number * self.cards, code, problem)

    def round(
        self, attribute: str, given: int | None, code: str, why: str, beside: str | None = None
    ) -> int | None:
        """Change a number upwards. ``given`` None removes the cap (whole cards). ``beside``: the field that
        it is too little for, where it is a number that the target takes."""
        field, value = JSON_NAMES[attribute], self._now[attribute]
        problem = msg("{field} {asked} is not a valid value: {why}", field=field, asked=value, why=why)
        if beside is not None:
            number = self._now[beside]
            problem = msg(
                "{field} {asked} is too little for {other} {number}: {why}",
                field=field,
                asked=value,
                other=JSON_NAMES[beside],
                number=number,
                why=why,
            )
        return self._round(attribute, given, code, problem)

    def _round(self, attribute: str, given: int | None, code: str, problem: str) -> int | None:
        name = JSON_NAMES[attribute]
        self._untaken.discard(attribute)
        if self._too_large(attribute, given):
            return None
        self._now[attribute] = given
        if attribute == "memory_mib":
            self._now["memory_limit_mib"] = limit_beside(given, self._now["memory_limit_mib"])
        valid: int | str = "whole cards" if given is None else given
        if self.accepts(LossKind.ROUNDED, attribute, code, given):
            message = msg("{problem}; rounded up to {valid}", problem=problem, valid=valid)
        else:
            message = msg("{problem}; next valid value: {valid}", problem=problem, valid=valid)
        hint = msg(OMIT, field=name) if given is None else msg(WRITE, field=name, given=given)
        self._lose(LossKind.ROUNDED, attribute, code, message, hint, given)
        return given

    def accepts(self, kind: LossKind, attribute: str, code: str, given: int | None) -> bool:
        """A loss of a field that would get this number, or none, is accepted."""
        requested = _json(getattr(self.asked, attribute))
        return self.accept.takes(
            Loss(kind, JSON_NAMES[attribute], code, "", asked=requested, given=given), self.name
        )

    def need(self, attribute: str, code: str, why: str, example: int | None = None) -> int | None:
        """Take a number that the target needs; where the share does not set it, fill it or record a loss.

        ``example`` is a valid value per card, for the hint.
        """
        value = self.take(attribute)
        if value is not None:
            return int(value)
        if attribute == "memory_mib" and self._now["memory_percent"] is not None:
            return None  # memory is set in percent, which the target lacks: that is one loss, not two
        name = JSON_NAMES[attribute]
        each = self.accept.fills(name, code, self.name, init=self.init)
        given = None if each is None else each * self.cards
        if self._too_large(attribute, given):
            return None
        self._now[attribute] = given
        message: Message = needed_field_is_set(name, why)
        if given is not None:
            message = msg("{problem}; filled with {given}", problem=message, given=given)
        example = example or (30 if attribute == "cores" else 8192)
        hint = msg(
            ADD,
            field=name,
            example=example,
            unit=msg("percent") if attribute == "cores" else "MiB",
        )
        self._lose(LossKind.FILLED, attribute, code, message, hint, given)
        return given

    def _too_large(self, attribute: str, given: int | None) -> bool:
        """A number that Kubernetes cannot hold is refused (GX011); whoever writes it gets None."""
        if given is None or given <= LIMIT:
            return False
        problem = above_limit(JSON_NAMES[attribute], given, LIMIT)
        self.refuse(attribute, "GX011", problem.message, problem.hint)
        return True

    def derive(self, attribute: str, code: str, why: str, amount: Amount) -> None:
        """Set a number that the share leaves open to that of the part of a card which its others are.

        It is no loss, and is reported: who asks for the others has no choice.
        """
        self.derived = amount
        self._now[attribute] = self.comes_with[attribute] = getattr(amount, attribute)
        message = msg("{field} is not set: {why}", field=JSON_NAMES[attribute], why=why)
        self.note(code, message, attribute=attribute)

    def drop(self, attribute: str, code: str, why: str | None = None) -> None:
        """Leave out a field that the target does not support; ``why`` where there is more to say."""
        value = self.take(attribute)
        if value is None:
            return
        name = JSON_NAMES[attribute]
        self._now[attribute] = None
        message = self._unsupported(name, value)
        if why:
            message = msg("{problem}: {why}", problem=message, why=why)
        hint = msg(REMOVE, field=name)
        self._lose(LossKind.DROPPED, attribute, code, message, hint, None)

    def drop_rest(self) -> None:
        """Record every field that the backend did not take (GX020)."""
        least = Isolation.HARDWARE if self.whole_cards else Isolation.NONE  # at every target
        if least.covers(self._now["isolation"] or Isolation.NONE):
            self.take_isolation_if_covered(least)
        for attribute in self.untaken:
            if attribute == "memory_percent":  # without it the share would be all of the memory
                message = self._unsupported(JSON_NAMES[attribute], self._now[attribute])
                self.refuse(attribute, "GX020", message, NEEDS_A_CARD)
            else:
                self.drop(attribute, "GX020", self._why.get(attribute))

    def _unsupported(self, field: str, value: object) -> Message:
        return msg(
            "{field} {asked} is not supported by {target}", field=field, asked=value, target=self.target
        )

    def refuse(self, attribute: str, code: str, message: str, hint: str | None = None) -> None:
        """Record that the target cannot express this share, whatever the user accepts."""
        self._lose(LossKind.REFUSED, attribute, code, message, hint, None)

    def on_nodes(self, nodes: CardProfile, count: str | None, memory: str | None) -> None:
        """Refuse what the nodes of a profile do not have; ``count`` and ``memory`` are codes, if any."""
        if count and nodes.per_node is not None and self.cards > nodes.per_node:
            self.refuse("cards", count, *too_many_cards(self.cards, nodes.per_node))
        each = (self._now["memory_mib"] or 0) // self.cards
        if memory and nodes.memory_mib is not None and each > nodes.memory_mib:
            self.refuse("memory_mib", memory, *too_large(each, nodes.memory_mib))

    def warn(self, code: str, message: str, hint: str | None = None, attribute: str = "cards") -> None:
        """Placed, but doubtful."""
        self.diagnostics.append(Diagnostic(code, Severity.WARNING, message, hint, self.origin(attribute)))

    def note(self, code: str, message: str, hint: str | None = None, attribute: str = "cards") -> None:
        """Placed, and worth knowing."""
        self.diagnostics.append(Diagnostic(code, Severity.INFO, message, hint, self.origin(attribute)))

    def whole_when_full(self, code: str) -> None:
        """Turn all compute of a card with a memory cap, which the target cannot express, into whole cards."""
        cores, memory = self._now["cores"], self._now["memory_mib"]
        if cores != FULL_CARD_CORES * self.cards or self._now["memory_percent"] is not None:
            return
        self._now["cores"] = None
        self._untaken.discard("cores")
        if memory is not None:
            self.round("memory_mib", None, code, "all compute of a card comes with all of its memory")

    def _lose(
        self,
        kind: LossKind,
        attribute: str,
        code: str,
        message: str,
        hint: str | None,
        given: int | None,
    ) -> None:
        loss = Loss(
            kind,
            JSON_NAMES[attribute],
            code,
            message,
            hint,
            asked=_json(getattr(self.asked, attribute)),
            given=given,
            path=self.origin(attribute),
        )
        earlier = next(
            (
                n
                for n, earlier in enumerate(self.losses)
                if earlier.kind is kind and earlier.field == loss.field
            ),
            None,
        )
        if earlier is not None and kind is LossKind.ROUNDED:
            self.losses[earlier] = loss
        else:
            self.losses.append(loss)


def _json(value: Any) -> int | str | None:
    return value if value is None or isinstance(value, int) else str(value)


# The shares of one pod together, and the fields that belong to the pod.
class PodWriter:
    """The shares of one pod, to be written at a target.

    ``containers`` counts the ordinary containers, with and without a share, in their order. ``selectors``:
    choices of the pod; those whose ``chosen`` is in ``taken`` are not lost.
    """

    def __init__(
        self,
        placings: tuple[ShareWriter, ...],
        containers: tuple[str, ...],
        selectors: Sequence[Selector] = (),
    ) -> None:
        self.placings = placings
        self.containers = containers
        self.selectors = selectors
        self.taken: set[Chosen] = set()

    def chosen(self, by: By, *, allow: bool) -> Selector | None:
        """A choice of cards for the shares of the pod; None where there is none, or several differ."""
        selectors = {
            selector.chosen: selector
            for selector in self.selectors
            if selector.chosen and (selector.chosen.choice.by, selector.chosen.choice.allow) == (by, allow)
        }
        return next(iter(selectors.values())) if self.placings and len(selectors) == 1 else None

    def ordinary(self, index: int) -> ShareWriter | None:
        """The share of the ordinary container at ``index``, None if it has none."""
        return next((p for p in self.placings if not p.init and p.index == index), None)

    def policy(self) -> Policy | None:
        """Take the policy, which belongs to the pod."""
        value = self.take("policy")
        return value if isinstance(value, Policy) else None

    def qos(self) -> Qos | None:
        """Take the QoS class, which belongs to the pod."""
        value = self.take("qos")
        return value if isinstance(value, Qos) else None

    def device(self) -> Device | None:
        """Take the cards that will do, which belong to the pod."""
        value = self.take("device")
        return value if isinstance(value, Device) else None

    def isolation(self) -> Isolation | None:
        """Take the least isolation, which belongs to the pod."""
        value = self.take("isolation")
        return value if isinstance(value, Isolation) else None

    def peek(self, attribute: str) -> Any:
        """A field that belongs to the pod, without taking it."""
        return next(
            (placing.peek(attribute) for placing in self.placings if placing.peek(attribute) is not None),
            None,
        )

    def take(self, attribute: str) -> Any:
        """Take a field that belongs to the pod."""
        values = [placing.take(attribute) for placing in self.placings]
        return next((value for value in values if value is not None), None)
