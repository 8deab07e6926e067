"""Plug-ins that call ``Backend(...)`` or ``Sheet(...)`` in place of a subclass. They work until 0.3."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from gpuxlate.backends.base import Backend
from gpuxlate.backends.rows import RuleKind

NEW_NAMES = {
    "says": "field_docs",
    "look_alikes": "similar_products",
    "wrong_names": "known_typos",
    "reads_only": "read_only",
    "in_container": "visible_memory",
    "offers": "allocatable",
    "units": "unit",
    "prefix": "rule_prefix",
    "short": "short_title",
    "several": "several_cards",
    "one_share": "one_share_per_pod",
    "admits": "after_admission",
    "settles": "normalize",
    "places": "before_write",
    "marks": "extra_annotations",
    "registers": "node_annotations",
    "counted": "summed_nodes",
    "schedulers": "other_schedulers",
    "init": "init_containers",
    "why": "rule_reasons",
    "rules": "row_rules",
}
"""Of fields, in the class."""
MODULES = ("rules_module", "more_rules")
DETECTS = "also_speaks"


def adopt(backend: Backend, fields: Mapping[str, Any]) -> None:
    """Make the instance one of a class with these attributes and methods. Raises TypeError for what no class
    has: the modules of forms, nodes and bills."""
    warnings.warn(
        "Backend(...) and Sheet(...) go away in 0.3: write a class (docs/writing-a-target.md)",
        DeprecationWarning,
        stacklevel=4,
    )
    body: dict[str, Any] = {"__module__": __name__}
    for name, value in fields.items():
        if name in MODULES:
            body["__module__"] = value or __name__
        elif name == DETECTS:
            body["detect" if isinstance(value, FunctionType) else "detected_by"] = _method(value)
        elif name == "why":
            body["rule_reasons"] = {RuleKind[kind]: text for kind, text in value.items()}
        elif hasattr(type(backend), NEW_NAMES.get(name, name)) or name in ("name", "title"):
            body[NEW_NAMES.get(name, name)] = _method(value)
        else:
            raise TypeError(f"Backend has no {name!r}: write a class (docs/writing-a-target.md)")
    if "read" in body and "rule_prefix" not in body:
        body["row_rules"] = ()
    backend.__class__ = type(str(fields.get("name", "Plugin")), (type(backend),), body)


def _method(value: Any) -> Any:
    return staticmethod(value) if isinstance(value, FunctionType) else value


class Sheet(Backend):
    """A target by rows alone, as it was written once; ``backend`` is itself."""

    @property
    def backend(self) -> Backend:
        return self
