"""The shares of a pod in the keys of a dialect, as CEL: what its data sheet says, proved by its reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import product

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, Key, Place
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.model.share_problems import ShareError
from gpuxlate.model.sheet import BYTE, Per
from gpuxlate.policy.translation.learn import MOST_CARDS
from gpuxlate.policy.translation.probe import FULL
from gpuxlate.rules.base import Context
from gpuxlate.rules.predicates.cel import text
from gpuxlate.translation.pods.reader import read_pod

FIELDS = {"cards": "n", "cores": "c", "memory_mib": "m", "memory_percent": "p"}
"""Attributes of a share, as they are called in the expressions."""
OF_POD = ("qos", "policy", "isolation")
NOT_WHOLE = -2
"""A number in smaller units than a share has."""
MOST_ROWS, MOST_NUMBER = 7, 10**15
_EACH = {"cores": (20, 50, FULL), "memory_mib": (2048, 24576), "memory_percent": (25, 50)}


class Cards(StrEnum):
    """Where the number of cards is, if no key has it."""

    ONE = "one"
    HUNDREDS = "hundreds"  # each card has 100 percent: 120 is two
    WHOLES = "wholes"  # above 100 percent, whole cards alone


@dataclass(frozen=True)
class Shaped:
    """Keys of a container that are read together. ``full``: with all compute and a part of the memory too."""

    keys: tuple[str, ...]
    cards: Cards = Cards.ONE
    full: bool = True


@dataclass(frozen=True)
class Word:
    """A key of the pod, and the value of the field that each of its texts is; ``field``: empty for none."""

    place: str
    key: str
    field: str
    texts: tuple[tuple[str, str], ...]


class Source:
    """A dialect whose keys are translated."""

    def __init__(self, backend: Backend, profile: Profile | None) -> None:
        self.backend = backend
        self.profile = profile if profile and registry.get(profile.target) is backend else None
        self._context = Context(self.profile, registry.pod_backends())

    @cached_property
    def rows(self) -> tuple[Key, ...]:
        """The rows with numbers of a container."""
        return tuple(
            row
            for row in self.backend.keys
            if Place.RESOURCE in row.places and row.says in FIELDS and row.unit and not row.is_pattern
            if not row.quantity or row.unit == BYTE
        )

    @cached_property
    def shapes(self) -> tuple[Shaped, ...]:
        """The sets of keys that are read as their rows say."""
        if len(self.rows) > MOST_ROWS:
            return ()
        choices = [(None, *(row for row in self.rows if row.says == field)) for field in FIELDS]
        found: list[Shaped] = []
        for one in product(*choices):
            rows = tuple(row for row in one if row is not None)
            tried = [self._shaped(rows, cards) for cards in Cards if rows]
            found += [shaped for shaped in tried if shaped is not None][:1]
        common = (self.backend.whole_card_key,)
        return tuple(found) if any(one.keys != common for one in found) else ()

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The keys of the pod that a share has a field for, or that it needs none for."""
        if not self.shapes:
            return ()
        return tuple(word for row in self.backend.keys for word in self._words(row))

    def unit(self, row: Key) -> Fraction:
        return self.backend.unit(row, self.profile)

    # --- proof ------------------------------------------------------------------------------------

    def _shaped(self, rows: Sequence[Key], cards: Cards) -> Shaped | None:
        """What a reader finds is what the rows say, wherever no rule refuses the numbers."""
        if cards is not Cards.ONE and any(row.says == "cards" for row in rows):
            return None
        seen, full = False, True
        for values in self._values(rows):
            share, _ = self.read(dict(zip((row.name for row in rows), values, strict=True)))
            if share is None:
                continue
            if share != self._said(rows, values, cards):
                whole = any(row.says == "cores" and not v % FULL for row, v in zip(rows, values, strict=True))
                if not whole or len(rows) < 2:
                    return None
                full = False
            seen = True
        return Shaped(tuple(row.name for row in rows), cards, full) if seen else None

    def _values(self, rows: Sequence[Key]) -> Iterator[tuple[int, ...]]:
        for count in (1, 2, 3):
            given = [
                (count,)
                if row.says == "cards"
                else tuple(
                    int(number)
                    for each in _EACH[str(row.says)]
                    if (number := each * (count if row.per is Per.TOTAL else 1) / self.unit(row)).denominator
                    == 1
                )
                for row in rows
            ]
            yield from product(*given)

    def _said(self, rows: Sequence[Key], values: Sequence[int], cards: Cards) -> Share | None:
        numbers = {str(row.says): value * self.unit(row) for row, value in zip(rows, values, strict=True)}
        count = int(numbers.get("cards", 1))
        cores = numbers.get("cores", Fraction(0))
        if cards is Cards.HUNDREDS or (cards is Cards.WHOLES and not cores % FULL):
            count = max(1, -(-int(cores) // FULL))
        for row in rows:
            if row.per is Per.CARD and row.says != "memory_percent":
                numbers[str(row.says)] *= count
        given = {name: int(number) for name, number in numbers.items() if name != "cards"}
        try:
            return Share(
                count,
                given.get("cores"),
                given.get("memory_mib"),
                memory_percent=given.get("memory_percent"),
            )
        except ShareError:
            return None

    def read(
        self, limits: dict[str, int], place: str = "", key: str = "", value: str = ""
    ) -> tuple[Share | None, bool]:
        """The share of a pod with these keys; None where it is refused. And whether it chooses nodes."""
        path = ("spec", "containers", 0)
        names = {name: Value(str(n), path=(*path, "resources", "limits", name)) for name, n in limits.items()}
        container = ContainerKeys("web", 0, False, names, {}, path=path)
        on_pod = {key: Value(value, path=(place, key))}
        pod = PodKeys(
            (container,),
            labels=on_pod if place == "labels" else {},
            annotations=on_pod if place == "annotations" else {},
            node_selector=on_pod if place == "nodeSelector" else {},
        )
        reading, found = read_pod(pod, self.backend, self._context)
        if any(one.severity is Severity.ERROR for one in found):
            return None, False
        return reading.containers[0].share, bool(reading.selectors)

    def _words(self, row: Key) -> Iterator[Word]:
        """A row on the pod, with the texts that a reader takes beside some share."""
        places = {Place.LABEL: "labels", Place.ANNOTATION: "annotations", Place.NODE_SELECTOR: "nodeSelector"}
        if row.is_pattern or Place.SCHEDULER in row.places:
            return
        counts = row.says == "cards" and row.unit and row.per is Per.TOTAL
        texts = tuple(map(str, range(1, MOST_CARDS + 1))) if counts else (*row.texts, *row.idle)
        for place in (name for one, name in places.items() if one in row.places):
            by_field: dict[str, list[tuple[str, str]]] = {}
            for one in dict.fromkeys(texts):
                taken = self._taken(place, row.name, one)
                if taken is not None:
                    by_field.setdefault(taken[0], []).append((one, taken[1]))
            for field, found in by_field.items():
                if len(by_field) == 1 or field:
                    yield Word(place, row.name, field, tuple(found))

    def _taken(self, place: str, key: str, value: str) -> tuple[str, str] | None:
        """The field that a text sets, and its value."""
        for shaped in self.shapes:
            rows = [row for row in self.rows if row.name in shaped.keys]
            for values in self._values(rows):
                limits = dict(zip((row.name for row in rows), values, strict=True))
                plain, _ = self.read(limits)
                share, chooses = self.read(limits, place, key, value)
                if plain is None or share is None or chooses:
                    continue
                changed = [
                    name for name in ("cards", *OF_POD) if getattr(share, name) != getattr(plain, name)
                ]
                if len(changed) > 1:
                    return None
                return (changed[0], str(getattr(share, changed[0]))) if changed else ("", "")
        return None

    # --- in CEL -----------------------------------------------------------------------------------

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows)

    def word(self, field: str) -> str:
        """The value of a field of the pod, empty where it is not set, in CEL."""
        found = "''"
        for one in self.words:
            if one.field == field:
                texts = ", ".join(f"{text(key)}: {text(value)}" for key, value in one.texts)
                found = (
                    f"{{'': {found}, {texts}}}[?{named(one)}].orValue('')"
                    if found != "''"
                    else (f"{{{texts}}}[?{named(one)}].orValue('')")
                )
        return found

    def number(self, field: str) -> str:
        """An attribute in the limits ``e.l``, of each of ``e.n`` cards: 0 is not set, below 0 is wrong."""
        terms = []
        for row in self.rows:
            if row.says == field:
                key, unit = text(row.name), self.unit(row)
                value = f"quantity(string(e.l[{key}]))"
                within = (
                    f"{value}.isInteger() && {value}.asInteger() > 0 && {value}.asInteger() <= {MOST_NUMBER}"
                )
                below = [str(unit.denominator)] * (unit.denominator != 1)
                over = [] if field == "cards" or row.per is Per.CARD else ["e.n"]
                up = f" * {unit.numerator}" if unit.numerator != 1 else ""
                divisor = " * ".join([*below, *over]) or "1"
                amount = f"{value}.asInteger(){up}"
                exact = f"({within}) && ({amount}) % ({divisor}) == 0" if divisor != "1" else within
                if up and over:  # a dialect may count whole units on each card: others are not translated
                    exact += f" && {value}.asInteger() % e.n == 0"
                each = f"({amount}) / ({divisor})" if divisor != "1" else amount
                wrong = NOT_WHOLE if below else -1
                terms.append(f"({key} in e.l ? ({exact} ? {each} : {wrong}) : 0)")
        return " + ".join(terms) or "0"


def named(word: Word) -> str:
    """The text of a key of the pod, empty where it has none, in CEL."""
    if word.place == "nodeSelector":
        return f"variables.spec.?nodeSelector[?{text(word.key)}].orValue('')"
    return f"variables.{word.place}[?{text(word.key)}].orValue('')"
