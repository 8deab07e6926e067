"""Records, printed records and regular expressions that are built at their first use.

A command uses few of the declarations of its modules; building all of them took a quarter of its start.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache, cached_property
from operator import attrgetter
from threading import RLock
from typing import Annotated, Any, ClassVar, TypeVar, cast, dataclass_transform, get_type_hints

T = TypeVar("T")
_LOCK = RLock()
_LATER = ("__init__", "__dataclass_fields__", "__dataclass_params__", "__match_args__", "_compared")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(class_: type[T]) -> type[T]:
    """A dataclass with slots that type checkers keep from changing: frozen at run time, it takes five times
    as long to make a value. ``dataclass`` reads the class when the first value is made."""
    body: dict[str, Any] = {**vars(class_), "__annotations__": class_.__annotations__}
    kinds = {name: str(kind) for name, kind in class_.__annotations__.items()}
    slots = [name for name, kind in kinds.items() if not kind.startswith(("ClassVar", "typing.ClassVar"))]
    for name in (*slots, "__dict__", "__weakref__"):
        body.pop(name, None)
    if any(isinstance(value, cached_property) for value in body.values()):
        slots.append("__dict__")
    above = {name for base in class_.__mro__[1:] for name in vars(base).get("__slots__", ())}
    body["__slots__"] = [name for name in slots if name not in above]
    body["__qualname__"] = class_.__qualname__
    body |= {name: _OfDataclass(class_) for name in _LATER if name not in body}
    if class_.__eq__ is object.__eq__:
        body |= {"__eq__": _equals, "__hash__": _hashed}
    if class_.__repr__ is object.__repr__:
        body["__repr__"] = _shown
    meta: Any = type(class_)
    with_slots: type[T] = meta(class_.__name__, class_.__bases__, body)
    return with_slots


class _OfDataclass:
    """A special method of a record, which ``dataclass`` makes when it is first needed."""

    def __init__(self, class_: Any) -> None:
        self._class = class_

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: object, owner: type) -> Any:
        with _LOCK:
            if "_compared" not in vars(self._class):
                every = fields(dataclass(repr=False, eq=False)(self._class))
                names = [part.name for part in every if part.compare]
                self._class._compared = attrgetter(*names) if names else type
        setattr(self._owner, self._name, vars(self._class)[self._name])
        return getattr(owner if instance is None else instance, self._name)


def _equals(self: Any, other: object) -> bool:
    compared = self._compared
    return compared(self) == compared(other) if type(other) is type(self) else NotImplemented


def _hashed(self: Any) -> int:
    return hash(self._compared(self))


def _shown(self: Any) -> str:
    names = ", ".join(f"{declared.name}={getattr(self, declared.name)!r}" for declared in fields(self))
    return f"{type(self).__qualname__}({names})"


# What is printed as JSON: records whose JSON Schemas follow from their fields, types and docstrings.
OMITTED: Any = object()
"""The value of a field of the type ``Sometimes`` that is not printed."""


class Keywords:
    """Keywords of JSON Schema for a type: ``Annotated[int, Keywords(minimum=0)]``."""

    def __init__(self, **keywords: Any) -> None:
        self._keywords = keywords

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {**handler(core), **self._keywords}


class _Optional:
    """To pydantic, a field with a default: its schema does not require it."""

    def __get_pydantic_core_schema__(self, kind: Any, handler: Any) -> dict[str, Any]:
        return {"type": "default", "schema": handler(kind), "default": OMITTED}


Sometimes = Annotated[T, _Optional()]
Count = Annotated[int, Keywords(minimum=0)]
Positive = Annotated[int, Keywords(minimum=1)]
RuleCode = Annotated[str, Keywords(pattern="^[A-Z][A-Z0-9]*[0-9]{3}$", examples=["TKE002"])]


@cache
def json_name(attribute: str) -> str:
    """The name of an attribute in JSON: ``memory_mib`` is ``memoryMiB``, and ``from_`` is ``from``."""
    first, *others = attribute.rstrip("_").split("_")
    return first + "".join("MiB" if word == "mib" else word.capitalize() for word in others)


class Printed:
    """A record that is printed: each of its fields in their order, by its ``json_name``.

    The docstring of a field describes it in the schema.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar = {"use_attribute_docstrings": True, "alias_generator": json_name}

    def to_json(self) -> dict[str, Any]:
        """The record as JSON data, without fields that are ``OMITTED``."""
        values = ((declared.name, getattr(self, declared.name)) for declared in fields(self))  # type: ignore[arg-type]
        return {json_name(name): _plain(value) for name, value in values if value is not OMITTED}


class Output(Printed):
    """All that a command prints, or writes into a file; ``KIND`` names its format and its schema."""

    __slots__ = ()
    KIND: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """The record as JSON data, with its ``format`` first."""
        return {"format": self.format_name(), **super().to_json()}

    @classmethod
    def format_name(cls) -> str:
        """The name and version of the format: ``gpuxlate-plan/v1``."""
        return f"gpuxlate-{cls.KIND}/v1"


class PrintedAs:
    """A value that is printed as the record that its ``printed`` makes of it."""

    __slots__ = ()
    printed: Any

    def to_json(self) -> dict[str, Any]:
        """The record that is printed in its place, as JSON data."""
        data: dict[str, Any] = self.printed().to_json()
        return data

    @classmethod
    def __get_pydantic_core_schema__(cls, kind: Any, handler: Any) -> Any:
        return handler.generate_schema(get_type_hints(cls.printed)["return"])


def _plain(value: Any) -> Any:
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, list | tuple):
        return [*map(_plain, value)]
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return value


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression that is compiled when one of its methods is first called. It is equal to itself
    alone, and no ``re.Pattern`` to who asks for its type: words of rows and conditions are compiled."""
    return cast("re.Pattern[str]", _Regex(text, flags))


class _Regex:
    def __init__(self, text: str, flags: int) -> None:
        self._arguments = text, flags

    def __getattr__(self, name: str) -> object:
        attribute = getattr(re.compile(*self._arguments), name)
        setattr(self, name, attribute)  # the next time it is found without this method
        return attribute
