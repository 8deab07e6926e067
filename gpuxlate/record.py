"""Data classes that cost little to load.

``dataclasses`` loads ``inspect`` and compiles up to six functions for each class: a third of the time
of a run over one small file (docs/performance.md). A record compiles one, and that when the first of
its kind is made. For everybody else it is a data class: ``dataclasses.fields``, ``replace`` and
``asdict`` take it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

if TYPE_CHECKING:
    import dataclasses

T = TypeVar("T")
_MISSING: Any = object()


class Field:
    """What is said of a field beside its name and type."""

    __slots__ = ("compare", "default", "factory", "kw_only")

    def __init__(self, default: Any, factory: Callable[[], Any] | None, compare: bool, kw_only: bool) -> None:
        self.default = default
        self.factory = factory
        self.compare = compare
        self.kw_only = kw_only


def field(
    *,
    default: Any = _MISSING,
    default_factory: Callable[[], Any] | None = None,
    compare: bool = True,
    kw_only: bool = False,
) -> Any:
    """As that of ``dataclasses``."""
    return Field(default, default_factory, compare, kw_only)


def _first(self: Any, *given: Any, **named: Any) -> None:
    """``__init__`` of the first of a kind: it makes that of all others."""
    kind: Any = type(self)
    kind.__init__ = _init(kind)
    kind.__init__(self, *given, **named)


class _RecordType(type):
    """Makes the classes: their annotations are the fields, in slots where nothing else is asked."""

    _fields: dict[str, Field]
    _compared: tuple[str, ...]
    _frozen: bool

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        body: dict[str, Any],
        *,
        frozen: bool = True,
        slots: bool = True,
    ) -> _RecordType:
        own: dict[str, Field] = {}
        for one in body.get("__annotations__", ()):
            said = body.pop(one, _MISSING)
            own[one] = said if isinstance(said, Field) else Field(said, None, True, False)
        if slots:
            body["__slots__"] = tuple(own)
        fields = {key: one for base in bases for key, one in getattr(base, "_fields", {}).items()} | own
        body["__match_args__"] = tuple([key for key, one in fields.items() if not one.kw_only])
        body["__init__"] = _first
        if not frozen:
            body["__setattr__"] = object.__setattr__
            body["__delattr__"] = object.__delattr__
            body["__hash__"] = None
        made = super().__new__(cls, name, bases, body)
        made._fields = fields
        made._compared = tuple([key for key, one in fields.items() if one.compare])
        made._frozen = frozen
        return made


class _DataclassFields:
    """The fields as ``dataclasses`` knows them, made for whoever asks."""

    def __get__(self, _one: object, kind: _RecordType) -> dict[str, dataclasses.Field[Any]]:
        import dataclasses
        import inspect

        types = {
            key: said for one in reversed(kind.__mro__) for key, said in inspect.get_annotations(one).items()
        }
        rows: list[tuple[str, Any, Any]] = []
        for name, field_ in kind._fields.items():
            said: dict[str, Any] = {"compare": field_.compare, "kw_only": field_.kw_only}
            if field_.factory is not None:
                said["default_factory"] = field_.factory
            elif field_.default is not _MISSING:
                said["default"] = field_.default
            rows.append((name, types[name], dataclasses.field(**said)))
        made = dataclasses.make_dataclass(kind.__name__, rows)
        return {one.name: one for one in dataclasses.fields(made)}


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(metaclass=_RecordType):
    """What all records do. ``frozen=False`` makes one that changes and has no hash, ``slots=False`` one
    that may hold more than its fields: cached properties.
    """

    __slots__ = ()
    __dataclass_fields__ = _DataclassFields()

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in type(self)._compared)

    def __hash__(self) -> int:
        return hash(tuple([getattr(self, name) for name in type(self)._compared]))

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self)._fields)
        return f"{type(self).__qualname__}({said})"

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be set: it is frozen")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted: it is frozen")

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in type(self)._fields}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)


def replace(one: T, **changes: Any) -> T:
    """The same record with some fields changed, as that of ``dataclasses``."""
    for name in type(one)._fields:  # type: ignore[attr-defined]
        if name not in changes:
            changes[name] = getattr(one, name)
    return type(one)(**changes)


def _init(kind: _RecordType) -> Callable[..., None]:
    """The ``__init__`` of a kind, written out: nothing else makes objects as fast."""
    known: dict[str, Any] = {"_MISSING": _MISSING, "_set": object.__setattr__}
    in_slots = "__dict__" not in dir(kind)
    given: list[str] = []
    keywords: list[str] = []
    lines: list[str] = []
    for name, one in kind._fields.items():
        said = name
        if one.factory is not None:
            known[f"_of_{name}"] = one.factory
            said += "=_MISSING"
            lines.append(f"  if {name} is _MISSING: {name} = _of_{name}()")
        elif one.default is not _MISSING:
            known[f"_of_{name}"] = one.default
            said += f"=_of_{name}"
        (keywords if one.kw_only else given).append(said)
        if not kind._frozen:
            lines.append(f"  self.{name} = {name}")
        elif in_slots:
            known[f"_set_{name}"] = getattr(kind, name).__set__
            lines.append(f"  _set_{name}(self, {name})")
        else:
            lines.append(f"  _set(self, {name!r}, {name})")
    if hasattr(kind, "__post_init__"):
        lines.append("  self.__post_init__()")
    words = ", ".join(["self", *given, *(["*", *keywords] if keywords else [])])
    exec("\n".join([f"def __init__({words}):", *(lines or ["  pass"])]), known)
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made
