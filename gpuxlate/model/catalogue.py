"""The catalogue of cards: what a card is called in each dialect, and what is known of it.

``cards.json`` is its data; a profile may add cards and say more of known ones. Names of cards are compared
without regard to case, those of dialects are exact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from gpuxlate.model.limits import MAX_NAME

if TYPE_CHECKING:
    from gpuxlate.model.profile import Profile

_FILE = Path(__file__).with_name("cards.json")


class Template(NamedTuple):
    """A part into which a card can be divided: its name, MiB and AI cores."""

    name: str
    memory_mib: int
    ai_cores: int

    @classmethod
    def from_document(cls, data: Mapping[str, Any]) -> Self:
        """The template from its fields in a document, which were checked."""
        return cls(data["name"], data["memoryMiB"], data["aiCores"])


class Card(NamedTuple):
    """One model of card.

    ``memory_mib``: MiB of one card that can be allocated, the least that a document gives. ``nominal_mib``:
    the size in its name or data sheet, where a node offers less; a GB is 1024 MiB. None: no document says it.
    ``names``: by dialect (the name of a target), the text for the card in its keys. ``ai_cores``: those of
    the whole card. ``templates``, ``sizes_mib``: the only parts, or the only MiB of a part, that can be
    allocated, ascending; empty where there is no such list. ``confidence``: ``seen`` where manifests say it
    and no document.
    """

    name: str
    vendor: str
    memory_mib: int | None = None
    nominal_mib: int | None = None
    ai_cores: int | None = None
    names: Mapping[str, str] = {}  # plain, since workers of a pool are sent profiles
    templates: tuple[Template, ...] = ()
    sizes_mib: tuple[int, ...] = ()
    source: str = ""
    confidence: str = "documented"

    @classmethod
    def from_document(cls, data: Mapping[str, Any]) -> Self:
        """The card from its fields in a document, which were checked."""
        return cls(
            data["name"],
            data["vendor"],
            data.get("memoryMiB"),
            data.get("nominalMiB"),
            data.get("aiCores"),
            data.get("names", {}),
            tuple(
                sorted(map(Template.from_document, data.get("templates", ())), key=lambda one: one.memory_mib)
            ),
            tuple(sorted(data.get("sizesMiB", ()))),
            data.get("source", ""),
            data.get("confidence", "documented"),
        )

    def with_more(self, other: Card) -> Card:
        """This card, and what the other one of the same name says in place of it or beside it."""
        kept = ("name", "confidence")
        said = {field: value for field, value in other._asdict().items() if value and field not in kept}
        return self._replace(**{**said, "names": {**self.names, **other.names}})


@cache
def _of_the_package() -> tuple[Card, ...]:
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    return tuple(map(Card.from_document, data["cards"]))


def cards(profile: Profile | None = None) -> tuple[Card, ...]:
    """All cards; with a profile also those that it adds, last."""
    if profile is None or not profile.catalogue:
        return _of_the_package()
    found = {one.name.casefold(): one for one in _of_the_package()}
    for own in profile.catalogue:
        known = found.get(own.name.casefold())
        found[own.name.casefold()] = known.with_more(own) if known else own
    return tuple(found.values())


def names_of(dialect: str, profile: Profile | None = None) -> Mapping[str, str]:
    """What a dialect (the name of a target) calls cards, to their names in the catalogue."""
    return {one.names[dialect]: one.name for one in cards(profile) if dialect in one.names}


def card_named(name: str, profile: Profile | None = None) -> Card | None:
    """The card with a name of the catalogue, in any case."""
    return next((one for one in cards(profile) if one.name.casefold() == name.casefold()), None)


def nearest(name: str, profile: Profile | None = None) -> tuple[str, ...]:
    """At most three names that may be meant, the most likely first: those of the same model (``A100``,
    ``NVIDIA-A10``), else those that are written alike."""
    from difflib import get_close_matches  # only where a name is unknown: start-up counts

    text = name[:MAX_NAME].casefold()
    known = {one.name.casefold(): one.name for one in cards(profile)}
    words = re.split(r"[\W_]+", text)
    same = [one for one in known if one.partition("-")[0] in words]
    return tuple(known[one] for one in get_close_matches(text, same or known, 3, 0 if same else 0.6))


def unknown_models(models: Iterable[str], profile: Profile | None = None) -> Mapping[str, tuple[str, ...]]:
    """The names that are no card of the catalogue, each with the nearest ones."""
    return {one: nearest(one, profile) for one in models if card_named(one, profile) is None}
