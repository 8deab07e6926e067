"""What to write where a demand is not met, as far as the predicate says it by itself."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.model.messages import say
from gpuxlate.model.sheet import Range
from gpuxlate.rules.predicates.conditions import (
    All,
    Amount,
    Annotated,
    Any,
    Asks,
    ChoosesAmong,
    Condition,
    Labelled,
    Not,
    SchedulerIs,
    Word,
)
from gpuxlate.rules.predicates.predicate import Predicate

MOST_NAMES = 8
"""Names that a sentence lists."""


def wanted(predicate: Predicate) -> str:
    """What to write, or which key to look at; empty where the rule's own sentence has to do."""
    keys = tuple(one for one in predicate.at if "/" in one)
    return _of(predicate.must) or (say("check {names}", names=_listed(keys)) if keys else "")


def _of(one: Condition) -> str:
    match one:
        case Amount(ranges=ranges) if len(ranges) == 1 and _is_said(ranges[0]):
            return say("write {name}: {values}", name=one.name, values=_values(ranges))
        case Asks():
            return say("add {names}", names=_listed(one.names))
        case Not(condition=Asks() as asks):
            return say("remove {names}", names=_listed(asks.names))
        case SchedulerIs():
            names = [name for name in one.names if name and name != "default-scheduler"]
            return say("write schedulerName: {name}", name=names[0]) if names else ""
        case Labelled() | Annotated() | ChoosesAmong() if one.words and all(map(_is_said, one.words)):
            return say("write {name}: {values}", name=one.name, values=_values(one.words))
        case Not(condition=Labelled() | Annotated() as named) if not named.words:
            return say("remove {names}", names=named.name)
        case Any():
            return next(filter(None, map(_of, one.parts)), "")
        case All():
            parts = {text for text in map(_of, one.parts) if text}
            return parts.pop() if len(parts) == 1 else ""
    return ""


def _is_said(word: Word) -> bool:
    return isinstance(word, str) or (isinstance(word, Range) and abs(word.least) < 2**53)


def _values(words: tuple[Word, ...]) -> str:
    return _value(words[0]) if len(words) == 1 else _listed([_value(one) for one in words])


def _value(one: Word) -> str:
    if isinstance(one, str):
        return one
    assert isinstance(one, Range)
    if one.most == one.least:
        return str(one.least)
    if one.most is None:
        said = say("{least} or more", least=one.least)
    else:
        said = say("{least} to {most}", least=one.least, most=one.most)
    return said if one.step == 1 else say("{range} in steps of {step}", range=said, step=one.step)


def _listed(names: Sequence[str]) -> str:
    more = [] if len(names) <= MOST_NAMES else ["..."]
    return " / ".join([*names[:MOST_NAMES], *more])
