"""The tables of what a reader and a writer may call: every public method, with the first sentence of its
docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from docs.tools.markdown import table
from gpuxlate.backends.pod_reader import PodReader
from gpuxlate.backends.pod_writer import PodWriter, ShareWriter

CLASSES = {class_.__name__: class_ for class_ in (PodReader, ShareWriter, PodWriter)}


def rows(name: str) -> list[str]:
    """The table of a class."""
    return table(["call", "what it does"], [[f"`{call}`", text] for call, text in methods(CLASSES[name])])


def methods(class_: type) -> Iterator[tuple[str, str]]:
    """Each public method as it is called, and properties, in the order of the code."""
    for name, value in vars(class_).items():
        if name.startswith("_"):
            continue
        function = value.fget if isinstance(value, property) else value
        yield (
            name + ("" if isinstance(value, property) else _arguments(value)),
            _sentence(function.__doc__ or ""),
        )


def _arguments(function: object) -> str:
    _, *parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    names = (f"{each.name}=" if each.kind is each.KEYWORD_ONLY else each.name for each in parameters)
    return f"({', '.join(names)})"


def _sentence(docstring: str) -> str:
    """The first sentence, as Markdown, without its stop."""
    first = re.split(r"(?<=\.)\s+(?=[A-Z`])|\n\n", inspect.cleandoc(docstring))[0]
    return re.sub(r"``(.+?)``", r"`\1`", " ".join(first.split())).removesuffix(".")
