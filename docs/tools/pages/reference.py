"""The page of Python names, from ``gpuxlate.__all__``: signatures and docstrings as in the code."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import gpuxlate
from docs.tools.markdown import fenced, table

INTRODUCTION = """\
Every public name with its signature, from the docstrings. For examples, see [Python](python.md).

`Manifests` is a text of any number of documents, one object, or a list of objects. `ProfileLike` is a
`Profile`, its fields as in a profile's file, or the path of the file."""

WIDTH = 88
"""Columns of a signature; a longer one takes a line for each parameter."""


def pages() -> Iterator[tuple[str, str]]:
    yield "python-reference.md", _page()


def _page() -> str:
    public = {name: getattr(gpuxlate, name) for name in gpuxlate.__all__}
    parts = ["# Python, name by name", INTRODUCTION, "## Functions"]
    parts += [_function(name, one) for name, one in public.items() if inspect.isfunction(one)]
    parts.append("## Classes")
    parts += [_class(name, one) for name, one in public.items() if inspect.isclass(one)]
    return "\n\n".join(parts) + "\n"


def _function(name: str, one: Callable[..., Any]) -> str:
    return f"### {name}\n\n{fenced('python', _signature(name, one))}\n\n{_prose(one)}"


def _signature(name: str, one: Callable[..., Any]) -> str:
    whole = inspect.signature(one)
    given = []
    for parameter in whole.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in given:
            given.append("*")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        given.append(f"{parameter.name}: {parameter.annotation}{default}")
    result = f" -> {whole.return_annotation}"
    line = f"{name}({', '.join(given)}){result}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {parameter}," for parameter in given), f"){result}"])


def _class(name: str, one: type[Any]) -> str:
    parts = [f"### {name}", _prose(one)]
    if issubclass(one, Exception):
        parts.insert(1, f"An exception, of `{one.__bases__[0].__name__}`.")
    if issubclass(one, Enum):
        parts.append("Values: " + ", ".join(f"`{member.value}`" for member in one) + ".")
    elif dataclasses.is_dataclass(one):
        rows = [[f"`{field.name}`", f"`{field.type}`", _default(field)] for field in dataclasses.fields(one)]
        parts.append("\n".join(table(["field", "type", "default"], rows)))
    members = list(_members(one))
    if members:
        parts.append("\n".join(f"- `{title}`: {' '.join(text.split())}" for title, text in members))
    return "\n\n".join(parts)


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return f"`{field.default!r}`"
    if field.default_factory is not dataclasses.MISSING:
        return f"`{field.default_factory()!r}`"
    return ""


def _members(one: type[Any]) -> Iterator[tuple[str, str]]:
    """Properties and methods that a class has beside its fields, and that say what they do."""
    for owner in reversed(one.__mro__):
        for name, value in vars(owner).items():
            own = owner.__module__.startswith("gpuxlate") and not name.startswith("_")
            if own and isinstance(value, property) and value.fget and value.fget.__doc__:
                yield name, _prose(value.fget)
            elif own and inspect.isfunction(value) and value.__doc__:
                yield f"{name}()", _prose(value)


def _prose(one: Any) -> str:
    """A docstring as Markdown."""
    return re.sub(r"``(.+?)``", r"`\1`", inspect.getdoc(one) or "")
