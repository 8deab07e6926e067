"""Choices of cards in claims: the expressions in CEL that are written, and read back."""

from __future__ import annotations

import re

from gpuxlate.backends.base import PodPlacing, Selector
from gpuxlate.backends.dra.driver import Driver
from gpuxlate.backends.dra.rules.choices import names_are_whole
from gpuxlate.model.catalogue import products, products_with
from gpuxlate.model.claims import DeviceRequest
from gpuxlate.model.pod import Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Device
from gpuxlate.model.sheet import By, Choice, Chosen

ATTRIBUTES = {By.UUID: "uuid", By.MODEL: "productName"}
MOST_BYTES = 10 * 1024
"""Of an expression (TYPES: CELSelectorExpressionMaxLength)."""
_TEXT = r"""(?:"[^"\\]*"|'[^'\\]*')"""
_OF_DRIVER = rf"device\.attributes\s*\[\s*(?P<driver>{_TEXT})\s*\]\s*\.\s*"
_PROFILE = re.compile(rf"{_OF_DRIVER}profile\s*==\s*(?P<one>{_TEXT})")
_FORM = re.compile(
    rf"(?P<others>!\s*\(\s*)?{_OF_DRIVER}"
    rf"(?P<name>{'|'.join(ATTRIBUTES.values())})\s*"
    rf"(?:in\s*\[\s*(?P<names>{_TEXT}(?:\s*,\s*{_TEXT})*)\s*\]|==\s*(?P<one>{_TEXT}))(?(others)\s*\))"
)
ALLOWED_MODELS = Choice(By.MODEL)


def chosen_in(driver: Driver, expression: Value) -> Chosen | None:
    """The cards that an expression chooses; None where it has another form."""
    found = _FORM.fullmatch(expression.text.strip())
    if found is None or found["driver"][1:-1] != driver.device_class:
        return None
    by = next(by for by, name in ATTRIBUTES.items() if name == found["name"])
    names = [one[1:-1] for one in re.findall(_TEXT, found["names"] or found["one"])]
    return Chosen.of(Choice(by, allow=found["others"] is None), names)


def profile_in(driver: Driver, expression: Value) -> str | None:
    """The profile of hardware partitions that an expression chooses; None where it has another form."""
    found = _PROFILE.fullmatch(expression.text.strip())
    return found["one"][1:-1] if found and found["driver"][1:-1] == driver.device_class else None


def with_profile(driver: Driver, profile: str) -> Value:
    """The expression for the partitions of a profile (NV: their attribute ``profile``)."""
    return Value.of(f'device.attributes["{driver.device_class}"].profile == "{profile}"')


def choices_of(driver: Driver, way: DeviceRequest) -> frozenset[Chosen]:
    """What a request chooses, where each choice is there once."""
    found = [one for value in way.selectors if (one := chosen_in(driver, value))]
    return frozenset(found) if len({one.choice for one in found}) == len(found) else frozenset()


def models_in(found: frozenset[Chosen], profile: Profile | None) -> tuple[str, ...]:
    """The models in the catalogue that are allowed; none where one is in no catalogue."""
    names = next((one.names for one in found if one.choice == ALLOWED_MODELS), ())
    known = products(profile)
    return tuple(known[one] for one in names) if all(one in known for one in names) else ()


def selectors_of(driver: Driver, pod: PodPlacing, profile: Profile | None) -> tuple[Value, ...]:
    """Expressions for the choices of a pod and for the models of its shares, which are taken."""
    found: dict[str, None] = {}
    for by in By:
        for allow in (True, False):
            one = pod.chosen(by, allow=allow)
            if one is None or one.chosen is None or not _whole(driver, pod, one, profile):
                continue
            text = _expression(driver, one.chosen)
            if len(text.encode()) <= MOST_BYTES:
                pod.taken.add(one.chosen)
                found[text] = None
    device = pod.peek("device")
    if isinstance(device, Device) and device.models and device.vendor in (None, driver.vendor):
        known = {model: name for name, model in products(profile).items()}
        chosen = Chosen.of(ALLOWED_MODELS, [known.get(model, "") for model in device.models])
        if chosen is not None:
            pod.take("device")
            found[_expression(driver, chosen)] = None
    return tuple(Value.of(text) for text in found)


def _expression(driver: Driver, chosen: Chosen) -> str:
    names = ", ".join(f'"{one}"' for one in chosen.names)
    text = f'device.attributes["{driver.device_class}"].{ATTRIBUTES[chosen.choice.by]} in [{names}]'
    return text if chosen.choice.allow else f"!({text})"


def _whole(driver: Driver, pod: PodPlacing, one: Selector, profile: Profile | None) -> bool:
    """The names are whole ones: parts of names are, where they are in no other name that is known."""
    if one.chosen is None or not one.chosen.choice.parts:
        return True
    names, known = one.chosen.names, products(profile)
    others = tuple(name for name in products_with(names, profile) if name not in names)
    if not others and all(name in known for name in names):
        return True
    unknown = tuple(name for name in names if name not in known)
    pod.placings[0].diagnostics.append(names_are_whole(one.path, one.key, unknown, others, driver.name))
    return False
