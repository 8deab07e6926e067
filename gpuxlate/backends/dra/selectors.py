"""Choices of devices in claims: CEL expressions, read and written."""

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
    names = [literal[1:-1] for literal in re.findall(_TEXT, match["names"] or match["one"])]
    return Chosen.of(CardChoice(by, allow=match["others"] is None), names)


class DeviceKind(NamedTuple):
    """The kind of the devices of a request, by its selectors.

    ``partition``: whether these are hardware partitions; None where the request does not say so. ``profile``:
    the profile of the partitions. ``said_by``: the indexes of the selectors that say only this.
    """

    partition: bool | None = None
    profile: str | None = None
    said_by: frozenset[int] = frozenset()


def kind_of_devices(driver: Driver, way: DeviceRequest) -> DeviceKind:
    """The kind of devices that a request is for."""
    if not way.asks(driver.partition_class):
        return DeviceKind(partition=False)
    readable = {"", "type", *(name for names in driver.profiles for name in names)}
    terms: dict[str, str] = {}
    said_by = set()
    for number, value in enumerate(way.selectors):
        equal = parse_equalities(driver, value)
        if equal and equal.keys() <= readable:
            terms.update(equal)
            said_by.add(number)
    ways = ([terms.get(name) for name in names] for names in driver.profiles)
    profile = next(
        ("_".join(profile_names) for each in ways if (profile_names := [x for x in each if x]) == each), None
    )
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


def parse_equalities(driver: Driver, expression: Value) -> dict[str, str] | None:
    """The attributes of the driver with the values that an expression requires, joined by ``&&``; None where
    it has another form. A condition on the name of the driver itself is left out."""
    values: dict[str, str] = {}
    for term in expression.text.split("&&"):
        match = _EQUAL.fullmatch(term)
        if match is None or (match["driver"] or match["one"])[1:-1] != driver.device_class:
            return None
        values[match["name"] or ""] = match["one"][1:-1]
    return values


def profile_selector(driver: Driver, profile: str, names: Sequence[str] = ()) -> Value:
    """The expression for the partitions of a profile, by attributes that name it."""
    names = names or driver.profiles[0]
    values = profile.split("_", len(names) - 1)
    return Value.of(
        " && ".join(
            f'device.attributes["{driver.device_class}"].{name} == "{value}"'
            for name, value in zip(names, values, strict=False)
        )
    )


def whole_card_selector(driver: Driver) -> Value:
    """The expression for whole cards, where partitions are of the same class."""
    return Value.of(f'device.attributes["{driver.device_class}"].type == "{driver.card_type}"')


def choices_of(driver: Driver, way: DeviceRequest) -> frozenset[Chosen]:
    """The cards that a request chooses; empty where two selectors choose by the same attribute."""
    selectors = [chosen for value in way.selectors if (chosen := chosen_in(driver, value))]
    return (
        frozenset(selectors)
        if len({chosen.choice for chosen in selectors}) == len(selectors)
        else frozenset()
    )


def models_in(choices: frozenset[Chosen], profile: Profile | None) -> tuple[str, ...]:
    """The models in the catalogue that are allowed; none where one is in no catalogue."""
    names = next((chosen.names for chosen in choices if chosen.choice == ALLOWED_MODELS), ())
    model_of = products(profile)
    return tuple(model_of[name] for name in names) if all(name in model_of for name in names) else ()
