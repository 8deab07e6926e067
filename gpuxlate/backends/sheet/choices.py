"""Writing choices of cards into a pod by the rows of a sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuxlate.backends.base import PodPlacing
from gpuxlate.model.catalogue import products, products_with
from gpuxlate.model.pod import Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.sheet import By, Choice

if TYPE_CHECKING:
    from gpuxlate.backends.sheet.sheet import Sheet


def choices_of(sheet: Sheet, pod: PodPlacing, profile: Profile | None) -> dict[str, Value]:
    """Annotations for choices of cards and for the models of shares, which are taken.

    Parts of names are written where they are in no other name that is known.
    """
    found = {}
    for row in sheet.choices:
        names = _names(sheet, pod, row.chooses, profile) if row.chooses else ()
        if names:
            found[row.name] = Value.of(",".join(names))
    return found


def _names(sheet: Sheet, pod: PodPlacing, choice: Choice, profile: Profile | None) -> tuple[str, ...]:
    selector = pod.chosen(choice.by, allow=choice.allow)
    if selector is not None and selector.chosen is not None:
        chosen = selector.chosen
        if choice.parts and not chosen.choice.parts and not _are_alone(chosen.names, profile):
            return ()
        pod.taken.add(chosen)
        return chosen.names
    device = pod.peek("device")
    if choice[:2] != (By.MODEL, True) or device is None or device.vendor not in (None, sheet.vendor):
        return ()
    known = {model: name for name, model in products(profile).items()}
    names = tuple(known.get(model, "") for model in device.models)
    if not names or not _are_alone(names, profile):
        return ()
    pod.take("device")
    return names


def _are_alone(names: tuple[str, ...], profile: Profile | None) -> bool:
    """The names are known, and no other name has one of them in it."""
    return {*products_with(names, profile)} == {*names}
