"""Declarations that take no time until they are used: the classes of small values, and regular expressions.

A command uses a few of those that its modules declare; to make them all took a quarter of its start.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from functools import cached_property
from operator import attrgetter
from threading import RLock
from typing import Any, TypeVar, cast, dataclass_transform

One = TypeVar("One")
_LOCK = RLock()
_LATER = ("__init__", "__dataclass_fields__", "__dataclass_params__", "__match_args__", "_compared")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(made: type[One]) -> type[One]:
    """A dataclass with slots that type checkers keep from changing: frozen at run time, it takes five times
    as long to make a value. ``dataclass`` reads the class when the first value is made."""
    body: dict[str, Any] = {**vars(made), "__annotations__": made.__annotations__}
    kinds = {name: str(kind) for name, kind in made.__annotations__.items()}
    slots = [name for name, kind in kinds.items() if not kind.startswith(("ClassVar", "typing.ClassVar"))]
    for name in (*slots, "__dict__", "__weakref__"):
        body.pop(name, None)
    if any(isinstance(value, cached_property) for value in body.values()):
        slots.append("__dict__")
    above = {name for base in made.__mro__[1:] for name in vars(base).get("__slots__", ())}
    body["__slots__"] = [name for name in slots if name not in above]
    body["__qualname__"] = made.__qualname__
    body |= {name: _OfDataclass(made) for name in _LATER if name not in body}
    if made.__eq__ is object.__eq__:
        body |= {"__eq__": _equals, "__hash__": _hashed}
    if made.__repr__ is object.__repr__:
        body["__repr__"] = _shown
    meta: Any = type(made)
    found: type[One] = meta(made.__name__, made.__bases__, body)
    return found


class _OfDataclass:
    """What ``dataclass`` makes of a class, from when it is needed; and what two values are compared by."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, one: object, owner: type) -> Any:
        with _LOCK:
            if "_compared" not in vars(self._made):
                every = fields(dataclass(repr=False, eq=False)(self._made))
                names = [part.name for part in every if part.compare]
                self._made._compared = attrgetter(*names) if names else type
        setattr(self._owner, self._name, vars(self._made)[self._name])
        return getattr(owner if one is None else one, self._name)


def _equals(self: Any, other: object) -> bool:
    compared = self._compared
    return compared(self) == compared(other) if type(other) is type(self) else NotImplemented


def _hashed(self: Any) -> int:
    return hash(self._compared(self))


def _shown(self: Any) -> str:
    names = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self))
    return f"{type(self).__qualname__}({names})"


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression that is compiled when one of its methods is first called. It is equal to itself
    alone, and no ``re.Pattern`` to who asks for its type: words of rows and conditions are compiled."""
    return cast("re.Pattern[str]", _Regex(text, flags))


class _Regex:
    def __init__(self, text: str, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> object:
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)  # the next time it is found without this method
        return found
