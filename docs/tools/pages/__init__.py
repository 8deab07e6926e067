"""The generated pages, a module for each kind: ``pages()`` of each gives paths below ``docs/`` and texts."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules


@cache
def generated() -> dict[str, str]:
    """All of them. A module of this folder is found by itself."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return {name: text for module in modules for name, text in module.pages()}
