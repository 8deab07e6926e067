"""Rules that a package declares and none of its targets has: in a module that no ``rule_module`` names."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from gpuxlate.backends.base import Backend
from gpuxlate.rules.base import declared_in


def lost_rules(backend: Backend) -> Iterator[str]:
    """A sentence for each rule that the package of a target declares and no target of it has. A target whose
    module is in no package is checked with this module alone. Imports all modules of the package that are
    not programs."""
    modules = [*_modules_beside(backend)]
    targets = [backend, *(target for module in modules for target in _targets_in(module))]
    codes = {rule.code for target in targets for rule in target.rules}
    for module in modules:
        for rule in declared_in(module):
            if rule.check.__module__ == module.__name__ and rule.code not in codes:  # another may import it
                yield f"{rule.code} of {module.__name__}: no target there has the module as its rule_module"


def _modules_beside(backend: Backend) -> Iterator[ModuleType]:
    module = sys.modules[type(backend).__module__]
    package = sys.modules[module.__package__] if module.__package__ else module
    yield from dict.fromkeys((module, package))
    prefix = f"{package.__name__}."
    for submodule in pkgutil.walk_packages(getattr(package, "__path__", ()), prefix):
        if not submodule.name.endswith(".__main__"):
            yield import_module(submodule.name)


def _targets_in(module: ModuleType) -> Iterator[Backend]:
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Backend) and value.keys:
            yield value()
        elif isinstance(value, Backend):
            yield value
