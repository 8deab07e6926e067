"""Choices of devices in claims: the expressions in CEL, and what is read in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gpuxlate.backends.dra.driver import Driver
from gpuxlate.model.declarations import regex
from gpuxlate.model.keys import By, CardChoice, Chosen
from gpuxlate.model.pod import DeviceRequest, Value
from gpuxlate.model.profile import Profile, products

_TEXT = r"""(?:"[^"\\]*"|'[^'\\]*')"""
_OF_DRIVER = rf"device\.attributes\s*\[\s*(?P<driver>{_TEXT})\s*\]\s*\.\s*"
_EQUAL = regex(rf"\s*(?:{_OF_DRIVER}(?P<name>\w+)|device\.driver)\s*==\s*(?P<one>{_TEXT})\s*")
_FORM = regex(
    rf"(?P<others>!\s*\(\s*)?{_OF_DRIVER}(?P<name>\w+)\s*"
    rf"(?:in\s*\[\s*(?P<names>{_TEXT}(?:\s*,\s*{_TEXT})*)\s*\]|==\s*(?P<one>{_TEXT}))(?(others)\s*\))"
)
ALLOWED_MODELS = CardChoice(By.MODEL)


def chosen_in(driver: Driver, expression: Value) -> Chosen | None:
    """The cards that an expression chooses; None where it has another form."""
    match = _FORM.fullmatch(expression.text.strip())
    if match is None or match["driver"][1:-1] != driver.device_class:
        return None
    by = next((by for by, name in driver.chosen_by.items() if name == match["name"]), None)
    if by is None:
        return None
    names = [one[1:-1] for one in re.findall(_TEXT, match["names"] or match["one"])]
    return Chosen.of(CardChoice(by, allow=match["others"] is None), names)


class DeviceKind(NamedTuple):
    """What the selectors of a request say of the kind of its devices.

    ``partition``: whether these are hardware partitions, None where the request does not say it;
    ``profile``: theirs. ``said_by``: the numbers of the selectors that say it, and nothing else.
    """

    partition: bool | None = None
    profile: str | None = None
    said_by: frozenset[int] = frozenset()


def kind_of(driver: Driver, way: DeviceRequest) -> DeviceKind:
    """The kind of devices that a request is for."""
    if not way.asks(driver.partition_class):
        return DeviceKind(partition=False)
    known = {"", "type", *(name for names in driver.profiles for name in names)}
    terms: dict[str, str] = {}
    said_by = set()
    for number, value in enumerate(way.selectors):
        found = equalities(driver, value)
        if found and found.keys() <= known:
            terms.update(found)
            said_by.add(number)
    ways = ([terms.get(name) for name in names] for names in driver.profiles)
    profile = next(("_".join(one) for each in ways if (one := [x for x in each if x]) == each), None)
    of_type = terms.get("type")
    partition: bool | None = True
    if driver.has_one_class:
        first = next((terms[name] for names in driver.profiles for name in names[:1] if name in terms), None)
        if of_type == driver.card_type or (first and first.startswith(driver.whole_profile)):
            partition = False
        elif of_type != driver.partition_type and first is None:
            partition = None
    return DeviceKind(partition, profile if partition else None, frozenset(said_by))


def attributes_in(driver: Driver, expression: Value) -> Iterator[str]:
    """The attributes of the driver that an expression names."""
    for match in re.finditer(rf"{_OF_DRIVER}(?P<name>\w+)", expression.text):
        if match["driver"][1:-1] == driver.device_class:
            yield match["name"]


def equalities(driver: Driver, expression: Value) -> dict[str, str] | None:
    """The attributes of the driver that an expression sets, joined by ``&&``; None where it has another
    form. The name of the driver itself has no name here."""
    found: dict[str, str] = {}
    for term in expression.text.split("&&"):
        match = _EQUAL.fullmatch(term)
        if match is None or (match["driver"] or match["one"])[1:-1] != driver.device_class:
            return None
        found[match["name"] or ""] = match["one"][1:-1]
    return found


def with_profile(driver: Driver, profile: str, names: Sequence[str] = ()) -> Value:
    """The expression for the partitions of a profile, by attributes that name it."""
    names = names or driver.profiles[0]
    values = profile.split("_", len(names) - 1)
    return Value.of(
        " && ".join(
            f'device.attributes["{driver.device_class}"].{name} == "{value}"'
            for name, value in zip(names, values, strict=False)
        )
    )


def of_type(driver: Driver) -> Value:
    """The expression for whole cards, where partitions are of the same class."""
    return Value.of(f'device.attributes["{driver.device_class}"].type == "{driver.card_type}"')


def choices_of(driver: Driver, way: DeviceRequest) -> frozenset[Chosen]:
    """What a request chooses, where each choice is there once."""
    found = [one for value in way.selectors if (one := chosen_in(driver, value))]
    return frozenset(found) if len({one.choice for one in found}) == len(found) else frozenset()


def models_in(found: frozenset[Chosen], profile: Profile | None) -> tuple[str, ...]:
    """The models in the catalogue that are allowed; none where one is in no catalogue."""
    names = next((one.names for one in found if one.choice == ALLOWED_MODELS), ())
    known = products(profile)
    return tuple(known[name] for name in names) if all(name in known for name in names) else ()
