"""Conditions on resources that have several names: true under any of them.

A container has one of the names; with two of them a rule on names has a finding, and nothing here is certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from gpuxlate.rules.predicates.conditions import (
    All,
    Amount,
    Any,
    Asks,
    AtLeast,
    AtMost,
    Condition,
    ContainersAtMost,
    Divides,
    Not,
    SomeContainer,
)
from gpuxlate.rules.predicates.parameters import Within

Aliases = Mapping[str, tuple[str, ...]]
"""The other names of resources, by their own."""


def under_any_name(condition: Condition, aliases: Aliases) -> Condition:
    """The condition on containers that may have a resource under each of its names."""
    if isinstance(condition, All | Any):
        return type(condition)(*(under_any_name(part, aliases) for part in condition.parts))
    if isinstance(condition, Not | SomeContainer | ContainersAtMost):
        return replace(condition, condition=under_any_name(condition.condition, aliases))
    if isinstance(condition, Asks):
        return Asks(*(name for own in condition.names for name in (own, *aliases.get(own, ()))))
    names = [(own, *aliases.get(own, ())) for own in resources_in(condition)]
    cases = [_with_names(condition, chosen) for chosen in product(*names)]
    return cases[0] if len(cases) == 1 else Any(*cases)


def resources_in(condition: Condition) -> Iterator[str]:
    """The resources that a condition looks at."""
    if isinstance(condition, All | Any):
        for part in condition.parts:
            yield from resources_in(part)
    elif isinstance(condition, Not | SomeContainer | ContainersAtMost):
        yield from resources_in(condition.condition)
    elif isinstance(condition, Asks):
        yield from condition.names
    elif isinstance(condition, Amount):
        yield condition.name
    elif isinstance(condition, Divides | AtMost | AtLeast):
        yield condition.name
        if isinstance(condition.by, str):
            yield condition.by
    elif isinstance(condition, Within):
        yield from (one for one in (condition.name, condition.by) if isinstance(one, str))


def _with_names(condition: Condition, chosen: tuple[str, ...]) -> Condition:
    """A condition on numbers with other names for its resources, in their order."""
    if isinstance(condition, Amount):
        return Amount(chosen[0], *condition.ranges)
    if isinstance(condition, Divides | AtMost | AtLeast):
        by = chosen[1] if len(chosen) > 1 else condition.by
        return replace(condition, name=chosen[0], by=by)  # type: ignore[arg-type]
    if isinstance(condition, Within):
        left = iter(chosen)
        name, by = (next(left) if isinstance(one, str) else one for one in (condition.name, condition.by))
        return replace(condition, name=name or "", by=by)
    return condition
