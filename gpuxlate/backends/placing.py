"""Placing a share at a target, field by field, and recording what does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind, Severity
from gpuxlate.model.pod import Path
from gpuxlate.model.profile import CardProfile
from gpuxlate.model.quantity import round_up
from gpuxlate.model.share import FULL_CARD_CORES, JSON_NAMES, Policy, Qos, Share

NUMBERS = ("cards", "cores", "memory_mib")


@dataclass(frozen=True, slots=True)
class Accept:
    """What the user allows. ``fill`` is by JSON name and **per card** (percent, MiB)."""

    round_up: bool = False
    fill: Mapping[str, int] = field(default_factory=dict)
    drop: frozenset[str] = frozenset()


class Placing:
    """One container's share on its way into a target.

    ``take`` gives a field and marks it as placed. A field that nobody took becomes a Loss
    (GX020) by itself. Every method that records a Loss goes on as if it were allowed, so that all
    losses of a share are found at once.
    """

    def __init__(
        self,
        share: Share,
        accept: Accept,
        *,
        name: str = "",
        index: int = 0,
        init: bool = False,
        origins: Mapping[str, Path] | None = None,
        path: Path = (),
    ) -> None:
        self.asked = share
        self.accept = accept
        self.name = name
        self.index = index
        self.init = init
        self.path = path
        self.losses: list[Loss] = []
        self.diagnostics: list[Diagnostic] = []
        self._origins = dict(origins or {})
        self._now: dict[str, Any] = {name: getattr(share, name) for name in JSON_NAMES}
        self._untaken = set(share.given_fields())

    # -- looking and taking ------------------------------------------------------------------

    def peek(self, attribute: str) -> Any:
        """The field as it stands now (rounded, filled), without placing it."""
        return self._now[attribute]

    def take(self, attribute: str) -> Any:
        """The field as it stands now; it counts as placed."""
        self._untaken.discard(attribute)
        return self._now[attribute]

    @property
    def cards(self) -> int:
        """The number of cards. Looking at it does not place it."""
        return int(self._now["cards"])

    @property
    def whole_cards(self) -> bool:
        return all(self._now[name] is None for name in ("cores", "memory_mib", "memory_percent"))

    @property
    def untaken(self) -> tuple[str, ...]:
        """Fields nobody placed, in the order of the share. One card needs no place of its own."""
        left = [name for name in JSON_NAMES if name in self._untaken and self._now[name] is not None]
        return tuple(name for name in left if not (name == "cards" and self.cards == 1))

    @property
    def refused(self) -> bool:
        """Some loss was not accepted."""
        return any(not loss.accepted for loss in self.losses)

    def origin(self, attribute: str) -> Path:
        return self._origins.get(attribute, self.path)

    # -- recording ----------------------------------------------------------------------------

    def on_grid(self, attribute: str, code: str, *, step: int = 1, low: int = 1, unit: str) -> int | None:
        """Take ``cores`` or ``memory_mib`` (total), rounded up to a grid that counts **per card**.

        ``step`` and ``low`` are per card, in percent or MiB. Returns the total, None if omitted.
        """
        total = self.take(attribute)
        if total is None:
            return None
        per_card = int(total) // self.cards
        wanted = max(round_up(per_card, step), low)
        if wanted == per_card:
            return int(total)
        each = " on each card" if self.cards > 1 else ""
        why = f"the least is {low} {unit}" if per_card < low else f"it goes in steps of {step} {unit}"
        return self.round(attribute, wanted * self.cards, code, f"{why}{each}")

    def round(self, attribute: str, given: int | None, code: str, why: str) -> int | None:
        """Change a number upwards. ``given`` None lifts the cap altogether (all of the card)."""
        name = JSON_NAMES[attribute]
        asked = self._now[attribute]
        self._untaken.discard(attribute)
        self._now[attribute] = given
        next_one = "given" if self.accept.round_up else "the next it takes is"
        becomes = f"{next_one} {given}" if given is not None else "it becomes whole cards"
        instead = f"write {name}: {given}" if given is not None else f"omit {name}"
        self._lose(
            LossKind.ROUNDED,
            attribute,
            code,
            f"{name} {asked} does not fit: {why}; {becomes}",
            f"{instead}, or pass --round up",
            given,
            accepted=self.accept.round_up,
        )
        return given

    def need(self, attribute: str, code: str, why: str, example: int | None = None) -> int | None:
        """Take a number that the target needs; where the share omits it, fill it or say so.

        ``example`` is a value per card that would do, for the hint.
        """
        value = self.take(attribute)
        if value is not None:
            return int(value)
        if attribute == "memory_mib" and self._now["memory_percent"] is not None:
            return None  # it is said, in a way that has no place here: that is one loss, not two
        name = JSON_NAMES[attribute]
        each = self.accept.fill.get(name)
        given = None if each is None else each * self.cards
        self._now[attribute] = given
        example = example or (30 if attribute == "cores" else 8192)
        self._lose(
            LossKind.FILLED,
            attribute,
            code,
            f"{name} is open: {why}" + (f"; filled with {given}" if given is not None else ""),
            f"add {name} to the share, or pass --fill {name}={example} "
            f"({'percent of' if attribute == 'cores' else 'MiB on'} each card)",
            given,
            accepted=given is not None,
        )
        return given

    def drop(self, attribute: str, code: str, why: str) -> None:
        """Leave a field out because it has no place here."""
        asked = self.take(attribute)
        if asked is None:
            return
        name = JSON_NAMES[attribute]
        self._now[attribute] = None
        self._lose(
            LossKind.DROPPED,
            attribute,
            code,
            f"{name} {asked} has no place: {why}",
            f"remove {name} from the share, or pass --drop {name}",
            None,
            accepted=name in self.accept.drop,
        )

    def refuse(self, attribute: str, code: str, message: str, hint: str | None = None) -> None:
        """The target cannot say this share, whatever the user allows."""
        self._lose(LossKind.REFUSED, attribute, code, message, hint, None, accepted=False)

    def on_nodes(self, nodes: CardProfile, count: str | None, memory: str | None) -> None:
        """Refuse what the nodes of a profile do not have; by the codes that lint says it with, if any."""
        if count and nodes.per_node is not None and self.cards > nodes.per_node:
            message = f"{self.cards} cards are asked, a node of the profile has {nodes.per_node}"
            self.refuse("cards", count, message, "ask for fewer cards, and more of each")
        each = (self._now["memory_mib"] or 0) // self.cards
        if memory and nodes.memory_mib is not None and each > nodes.memory_mib:
            message = f"{each} MiB are asked of each card, a card of the profile has {nodes.memory_mib}"
            hint = f"ask for at most {nodes.memory_mib} on each card, or leave memoryMiB out"
            self.refuse("memory_mib", memory, message, hint)

    def warn(self, code: str, message: str, hint: str | None = None, attribute: str = "cards") -> None:
        """Placed, but doubtful."""
        self.diagnostics.append(Diagnostic(code, Severity.WARNING, message, hint, self.origin(attribute)))

    def note(self, code: str, message: str, hint: str | None = None, attribute: str = "cards") -> None:
        """Placed, and worth knowing."""
        self.diagnostics.append(Diagnostic(code, Severity.INFO, message, hint, self.origin(attribute)))

    def whole_when_full(self, code: str) -> None:
        """A full card's compute with a memory cap that the target cannot say: whole cards."""
        cores, memory = self._now["cores"], self._now["memory_mib"]
        if cores != FULL_CARD_CORES * self.cards or self._now["memory_percent"] is not None:
            return
        self._now["cores"] = None
        self._untaken.discard("cores")
        if memory is not None:
            self.round("memory_mib", None, code, "full compute of a card comes with all of its memory")

    def _lose(
        self,
        kind: LossKind,
        attribute: str,
        code: str,
        message: str,
        hint: str | None,
        given: int | None,
        *,
        accepted: bool,
    ) -> None:
        loss = Loss(
            kind,
            JSON_NAMES[attribute],
            code,
            message,
            hint,
            asked=_json(getattr(self.asked, attribute)),
            given=given,
            accepted=accepted,
            path=self.origin(attribute),
        )
        earlier = next(
            (n for n, one in enumerate(self.losses) if one.kind is kind and one.field == loss.field), None
        )
        if earlier is not None and kind is LossKind.ROUNDED:
            self.losses[earlier] = replace(loss, code=loss.code)
        else:
            self.losses.append(loss)


def _json(value: Any) -> int | str | None:
    return str(value) if isinstance(value, (Policy, Qos)) else value


class PodPlacing:
    """The shares of one pod on their way into a target.

    ``containers`` counts the ordinary containers, with and without a share, in their order.
    """

    def __init__(self, placings: tuple[Placing, ...], containers: tuple[str, ...]) -> None:
        self.placings = placings
        self.containers = containers

    def ordinary(self, index: int) -> Placing | None:
        """The share of the ordinary container at ``index``, None if it has none."""
        return next((p for p in self.placings if not p.init and p.index == index), None)

    def policy(self) -> Policy | None:
        """Take the policy, which belongs to the pod."""
        found = self._of_pod("policy")
        return found if isinstance(found, Policy) else None

    def qos(self) -> Qos | None:
        """Take the QoS class, which belongs to the pod."""
        found = self._of_pod("qos")
        return found if isinstance(found, Qos) else None

    def peek_qos(self) -> Qos | None:
        return next((p.peek("qos") for p in self.placings if p.peek("qos")), None)

    def peek_policy(self) -> Policy | None:
        return next((p.peek("policy") for p in self.placings if p.peek("policy")), None)

    def _of_pod(self, attribute: str) -> Any:
        found = [placing.take(attribute) for placing in self.placings]
        return next((value for value in found if value is not None), None)
