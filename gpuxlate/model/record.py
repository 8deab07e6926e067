"""Small immutable values, of which there are many: dataclasses with slots that are quick to declare and to
make."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

One = TypeVar("One")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(made: type[One]) -> type[One]:
    """A dataclass that type checkers keep from changing: frozen at run time, it takes five times as long to
    make. Its methods are not compiled for each class, which was a tenth of the start of a command."""
    new: Any = dataclass(slots=True, eq=False, repr=False)(made)
    every = fields(new)
    names = [one.name for one in every if one.compare]
    compared: Any = attrgetter(*names) if names else type

    def equals(self: Any, other: object) -> bool:
        return compared(self) == compared(other) if type(other) is type(self) else NotImplemented

    def hashed(self: Any) -> int:
        return hash(compared(self))

    def shown(self: Any) -> str:
        return f"{new.__qualname__}({', '.join(f'{one.name}={getattr(self, one.name)!r}' for one in every)})"

    new.__eq__, new.__hash__, new.__repr__ = equals, hashed, shown
    found: type[One] = new
    return found
