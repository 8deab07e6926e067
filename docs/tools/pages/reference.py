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
    parts += [_function(name, function) for name, function in public.items() if inspect.isfunction(function)]
    parts.append("## Classes")
    parts += [_class(name, class_) for name, class_ in public.items() if inspect.isclass(class_)]
    return "\n\n".join(parts) + "\n"


def _function(name: str, function: Callable[..., Any]) -> str:
    return f"### {name}\n\n{fenced('python', _signature(name, function))}\n\n{_prose(function)}"


def _signature(name: str, function: Callable[..., Any]) -> str:
    whole = inspect.signature(function)
    parameters = []
    for parameter in whole.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parameters:
            parameters.append("*")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        parameters.append(f"{parameter.name}: {parameter.annotation}{default}")
    result = f" -> {whole.return_annotation}"
    line = f"{name}({', '.join(parameters)}){result}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {parameter}," for parameter in parameters), f"){result}"])


def _class(name: str, class_: type[Any]) -> str:
    parts = [f"### {name}", _prose(class_)]
    if issubclass(class_, Exception):
        parts.insert(1, f"An exception, of `{class_.__bases__[0].__name__}`.")
    if issubclass(class_, Enum):
        parts.append("Values: " + ", ".join(f"`{member.value}`" for member in class_) + ".")
    elif dataclasses.is_dataclass(class_):
        rows = [
            [f"`{field.name}`", f"`{field.type}`", _default(field)] for field in dataclasses.fields(class_)
        ]
        parts.append("\n".join(table(["field", "type", "default"], rows)))
    members = list(_members(class_))
    if members:
        parts.append("\n".join(f"- `{title}`: {' '.join(text.split())}" for title, text in members))
    return "\n\n".join(parts)


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return f"`{field.default!r}`"
    if field.default_factory is not dataclasses.MISSING:
        return f"`{field.default_factory()!r}`"
    return ""


def _members(class_: type[Any]) -> Iterator[tuple[str, str]]:
    """Properties and methods that a class has beside its fields, and that say what they do."""
    for owner in reversed(class_.__mro__):
        for name, value in vars(owner).items():
            is_shown = owner.__module__.startswith("gpuxlate") and not name.startswith("_")
            if is_shown and isinstance(value, property) and value.fget and value.fget.__doc__:
                yield name, _prose(value.fget)
            elif is_shown and inspect.isfunction(value) and value.__doc__:
                yield f"{name}()", _prose(value)


def _prose(documented: Any) -> str:
    """A docstring as Markdown."""
    return re.sub(r"``(.+?)``", r"`\1`", inspect.getdoc(documented) or "")
