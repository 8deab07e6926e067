"""Rows as vendors have them: cards, compute, memory; and one set of rows for each model of card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuxlate.backends.base import SELECTOR, Key, Per, Place, Range, key
from gpuxlate.model.catalogue import names_of
from gpuxlate.model.sheet import By, Choice

MODEL = "{model}"
"""What stands for the model of card in the name of a key."""


def cards(name: str, **fields: Any) -> Key:
    """A number of cards in resources."""
    found = {"meaning": "cards", "unit": 1, "values": (Range(),)}
    return key(name, Place.RESOURCE, says="cards", **{**found, **fields})


def whole(name: str, **fields: Any) -> Key:
    """A number of whole cards, under a name that counts nothing else."""
    found = {"meaning": "whole cards", "unit": 1, "values": (Range(),), "whole": True}
    return key(name, Place.RESOURCE, says="cards", **{**found, **fields})


def cores(name: str, **fields: Any) -> Key:
    """Compute, in percent of each card unless told otherwise."""
    found = {"meaning": "compute", "unit": 1, "per": Per.CARD, "values": (Range(1, 100),)}
    return key(name, Place.RESOURCE, says="cores", **{**found, **fields})


def memory(name: str, **fields: Any) -> Key:
    """GPU memory, in MiB of each card unless told otherwise."""
    found = {"meaning": "GPU memory", "unit": 1, "per": Per.CARD, "values": (Range(),)}
    return key(name, Place.RESOURCE, says="memory_mib", **{**found, **fields})


def percent(name: str, **fields: Any) -> Key:
    """GPU memory in percent of each card."""
    found = {"meaning": "GPU memory", "unit": 1, "per": Per.CARD, "values": (Range(1, 100),)}
    return key(name, Place.RESOURCE, says="memory_percent", **{**found, **fields})


def choice(name: str, *places: Place, **fields: Any) -> Key:
    """A choice of cards or nodes, which no field of a share holds."""
    return key(name, *(places or (Place.ANNOTATION,)), **{"says": SELECTOR, **fields})


def choices(name: str, chosen: Choice | By, no: str = "no", **fields: Any) -> Iterator[Key]:
    """A list of cards with commas, and that of cards to avoid, whose name has ``no`` in place of ``{0}``.

    ``chosen``: a Choice where other dialects have the same cards and can say it, else what identifies cards.
    """
    by, carried = (chosen.by, chosen) if isinstance(chosen, Choice) else (chosen, None)
    what = "card models, parts of names with commas" if by is By.MODEL else "cards by UUID"
    yield choice(name.replace("{0}", ""), meaning=what, chooses=carried, **fields)
    avoided = "card models to avoid" if by is By.MODEL else "cards to avoid, by UUID"
    carried = carried and carried._replace(allow=False)
    yield choice(name.replace("{0}", no), meaning=avoided, chooses=carried, **fields)


def unread(name: str, why: str, **fields: Any) -> Key:
    """A resource whose number says nothing that a share holds."""
    return key(name, Place.RESOURCE, unread=why, **{"meaning": why, **fields})


def written(name: str, **fields: Any) -> Key:
    """What the vendor's scheduler writes."""
    return key(name, Place.SCHEDULER, **fields)


def for_models(dialect: str, *rows: Key) -> Iterator[Key]:
    """The rows once for each card that the catalogue knows under a name of the dialect, and for any other."""
    for row in rows:
        if row.name.endswith(MODEL) or Place.RESOURCE not in row.places:
            continue  # nothing tells it from other keys of the domain
        other = f"{row.meaning}, of a card that is not in the catalogue"
        name = row.name.replace(MODEL, "*")
        yield key(name, *row.places, meaning=other, template=row.name, source=row.source)
    for text, model in names_of(dialect).items():
        for row in rows:
            yield row._replace(
                name=row.name.replace(MODEL, text),
                template=row.name,
                model=model,
                needs=tuple(one.replace(MODEL, text) for one in row.needs),
                excludes=tuple(one.replace(MODEL, text) for one in row.excludes),
                aliases=tuple(one.replace(MODEL, text) for one in row.aliases),
            )
