"""Plug-ins that call ``Backend(...)`` or ``Sheet(...)`` in place of a subclass. They work until 0.3."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from types import FunctionType
from typing import Any

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


def attributes_of(fields: Mapping[str, Any], known: type) -> dict[str, Any]:
    """What a class has in place of the fields. Raises TypeError for what ``known`` has not: the modules of
    forms, nodes and bills."""
    warnings.warn(
        "Backend(...) and Sheet(...) go away in 0.3: write a class (docs/writing-a-target.md)",
        DeprecationWarning,
        stacklevel=3,
    )
    found: dict[str, Any] = {"__module__": __name__}
    for name, value in fields.items():
        new = NEW_NAMES.get(name, name)
        if name in MODULES:
            found["__module__"] = value or __name__
        elif name == DETECTS:
            found["detect" if isinstance(value, FunctionType) else "detected_by"] = value
        elif name == "why":
            found[new] = {RuleKind[kind]: text for kind, text in value.items()}
        elif hasattr(known, new) or name in ("name", "title"):
            found[new] = value
        else:
            raise TypeError(f"Backend has no {name!r}: write a class (docs/writing-a-target.md)")
    if "read" in found and "rule_prefix" not in found:
        found["row_rules"] = ()
    return found
