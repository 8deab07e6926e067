"""Names of plug-ins' interfaces that have another name now. The old ones work until 0.3, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def renamed(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A ``__getattr__`` of a module that finds the old names. Raises AttributeError for others."""

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn(f"{module}.{name} is {names[name]}")
        return getattr(sys.modules[module], names[name])

    return find


def warn(text: str) -> None:
    """Warn whoever called the caller."""
    warnings.warn(f"{text}: the old name goes away in 0.3", DeprecationWarning, stacklevel=3)
