"""What a sheet says in words: the fields of a share at the target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gpuxlate.backends.base import Absent, Place
from gpuxlate.model.share import JSON_NAMES

if TYPE_CHECKING:
    from gpuxlate.backends.sheet.sheet import Sheet
    from gpuxlate.model.sheet import Key


def fields(sheet: Sheet) -> Mapping[str, str]:
    """For each field of the share, by JSON name, how the target says it."""
    rows = sheet.families[0]
    found: dict[str, str] = {}
    if rows.cards is not None:
        only = "" if sheet.several is sheet.several.SHARED else "; a part of one card only"
        place = "label " if Place.LABEL in rows.cards.places else ""
        found["cards"] = f"{place}{_name(rows.cards)}{only}"
    elif rows.whole:
        found["cards"] = f"whole cards: {rows.whole[0].name}"
    for row in rows.parts:
        found[JSON_NAMES[row.says or ""]] = _number(row)
    if sheet.sizes and "cores" not in found:
        found["cores"] = "comes with the memory"
    for row in sheet.worded:
        words = ", ".join(word if word == value else f"{word} {value}" for word, value in row.words.items())
        place = next(one for one in Place if one in row.places)
        found[JSON_NAMES[row.says or ""]] = f"{place} {row.name}: {words}"
    if rows.model:
        found["device"] = "in the names of the keys"
    elif sheet.vendor is not None:
        found["device"] = f"no key; vendor {sheet.vendor} alone"
    if sheet.isolation is not None:
        found["isolation"] = f"no key; {sheet.isolation}, whole cards hardware"
    if sheet.policy is not None:
        found["policy"] = f"no key; {sheet.policy} alone"
    return _in_order(found)


def _in_order(found: Mapping[str, str]) -> Mapping[str, str]:
    """The fields in the order of a share."""
    return {name: found[name] for name in JSON_NAMES.values() if name in found}


def _name(row: Key) -> str:
    """The name of a key, for any model where it has one."""
    return row.template or row.name


def _number(row: Key) -> str:
    missing = "; required" if row.absent is Absent.ALL else ""
    return f"{_name(row)}, {row.counts}{missing}"
