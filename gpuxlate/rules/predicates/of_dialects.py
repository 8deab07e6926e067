"""What rules over the keys of all dialects demand, once the dialects are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpuxlate.model.profile import Profile
from gpuxlate.model.sheet import Key, Place, Range
from gpuxlate.rules import numerals
from gpuxlate.rules.base import Context, Dialect
from gpuxlate.rules.predicates.conditions import Amount, Any, HasKeyLike, Not
from gpuxlate.rules.predicates.predicate import Predicate
from gpuxlate.rules.vocabulary import vocabulary_of

_DOUBTFUL = {
    "GiB": Range(numerals.MOST_PLAUSIBLE_GIB + 1),
    "MiB": Range(1, numerals.LEAST_PLAUSIBLE_MIB - 1),
}
"""Amounts that look like those of the other unit."""


def plausible_amounts(dialects: Sequence[Dialect], profile: Profile | None = None) -> tuple[Predicate, ...]:
    """GX007: no amount of memory looks like one in another unit."""
    words = vocabulary_of(Context(dialects=tuple(dialects)))
    found = []
    for name in dict.fromkeys(name for row in _rows(dialects) for name in (row.name, *row.aliases)):
        row = next((one for one in words.rows(name) if Place.RESOURCE in one.places), None)
        doubtful = _DOUBTFUL.get(numerals.unit_of(row, profile))
        if row is not None and not row.quantity and not row.is_pattern and doubtful is not None:
            found.append(Predicate(Not(Amount(name, doubtful)), at=(name,)))
    return tuple(found)


def no_marks(dialects: Sequence[Dialect], _: Profile | None = None) -> tuple[Predicate, ...]:
    """GX004: no label, annotation or variable has a name that only schedulers write."""
    words = vocabulary_of(Context(dialects=tuple(dialects)))
    names = [row.name for row in _rows(dialects) if words.written_by_scheduler(row.name)]
    texts = (one.replace(".", "[.]").replace("*", "[^/]*") for one in dict.fromkeys(names))
    pattern = re.compile("|".join(texts))
    marks = {place: HasKeyLike(place, pattern) for place in (Place.LABEL, Place.ANNOTATION, Place.ENV)}
    on_pod = Any(marks[Place.LABEL], marks[Place.ANNOTATION])
    return Predicate(Not(on_pod), each=False), Predicate(Not(marks[Place.ENV]))


def _rows(dialects: Sequence[Dialect]) -> Iterator[Key]:
    return (row for one in dialects for row in one.keys)
