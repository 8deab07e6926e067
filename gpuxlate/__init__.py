"""gpuxlate: one GPU share in every vendor's terms.

``translate``, ``render``, ``parse``, ``lint`` and ``targets`` are the interface for Python
(docs/python.md). Importing this package loads nothing else: each name is loaded when it is first used.
"""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False  # that of typing, which takes longer to load than this package

if TYPE_CHECKING:
    from gpuxlate.api import Target, lint, parse, render, targets, translate
    from gpuxlate.backends.registry import UnknownTargetError
    from gpuxlate.model.diagnostics import Diagnostic, Severity
    from gpuxlate.model.profile import Profile
    from gpuxlate.model.share import Policy, Qos, Share, ShareError
    from gpuxlate.translation.api_results import (
        Linted,
        Parsed,
        Refused,
        Rendering,
        Translation,
        UnreadableError,
    )
    from gpuxlate.translation.fit import Verdict
    from gpuxlate.translation.items import Item

__version__ = "0.1.0"

_HOMES = {
    "gpuxlate.api": ("Target", "lint", "parse", "render", "targets", "translate"),
    "gpuxlate.backends.registry": ("UnknownTargetError",),
    "gpuxlate.model.diagnostics": ("Diagnostic", "Severity"),
    "gpuxlate.model.profile": ("Profile",),
    "gpuxlate.model.share": ("Policy", "Qos", "Share", "ShareError"),
    "gpuxlate.translation.api_results": (
        "Linted",
        "Parsed",
        "Refused",
        "Rendering",
        "Translation",
        "UnreadableError",
    ),
    "gpuxlate.translation.fit": ("Verdict",),
    "gpuxlate.translation.items": ("Item",),
}
"""The public names, by the module they come from."""

__all__ = [
    "Diagnostic",
    "Item",
    "Linted",
    "Parsed",
    "Policy",
    "Profile",
    "Qos",
    "Refused",
    "Rendering",
    "Severity",
    "Share",
    "ShareError",
    "Target",
    "Translation",
    "UnknownTargetError",
    "UnreadableError",
    "Verdict",
    "__version__",
    "lint",
    "parse",
    "render",
    "targets",
    "translate",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        from importlib import import_module

        for home, names in _HOMES.items():
            if name in names:
                value = globals()[name] = getattr(import_module(home), name)
                return value
        raise AttributeError(f"module 'gpuxlate' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """Modules called ``translate``, ``render`` and ``lint`` do not hide the functions of these names.

    The import system sets a submodule as an attribute of its package; ``from gpuxlate.lint import ...``
    finds it without.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in __all__):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
