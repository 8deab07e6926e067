"""Everything that the file of a target needs: ``from gpuxlate.backends import target as t``.

The class to subclass, its rows and what they say, what reading and writing by hand get, and rules.
"""

from __future__ import annotations

from gpuxlate.backends.base import Backend, Cloud, VisibleMemory
from gpuxlate.backends.pod_reader import ContainerShare, PodReader, Reading, Selector, granted, number
from gpuxlate.backends.pod_writer import PodWriter, ShareWriter
from gpuxlate.backends.rows import (
    MODEL,
    PartSize,
    RuleKind,
    RuleRow,
    SeveralCards,
    ShareFields,
    cards,
    choice,
    choices,
    coming,
    cores,
    for_models,
    memory,
    percent,
    unread,
    whole,
    written,
)
from gpuxlate.backends.scheduling_limits import Limits
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import ANY, BYTE, SELECTOR, Absent, By, Confidence, KeySpec, Per, Place, Range, key
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Component, Extension, Profile, Setting, names_of
from gpuxlate.model.quantity import GIB
from gpuxlate.model.share import Isolation, Policy, Share
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import Constraint, InRange, Not, Requests, Violation

__all__ = [
    "ANY",
    "BYTE",
    "GIB",
    "MODEL",
    "SELECTOR",
    "Absent",
    "Backend",
    "By",
    "Cloud",
    "Component",
    "Confidence",
    "Constraint",
    "ContainerKeys",
    "ContainerShare",
    "Context",
    "Diagnostic",
    "Extension",
    "InRange",
    "Isolation",
    "KeySpec",
    "Limits",
    "Not",
    "PartSize",
    "Per",
    "Place",
    "PodKeys",
    "PodReader",
    "PodWriter",
    "Policy",
    "Profile",
    "Range",
    "Reading",
    "Requests",
    "Rule",
    "RuleKind",
    "RuleRow",
    "Selector",
    "Setting",
    "SeveralCards",
    "Severity",
    "Share",
    "ShareFields",
    "ShareWriter",
    "Value",
    "Violation",
    "VisibleMemory",
    "cards",
    "choice",
    "choices",
    "coming",
    "cores",
    "for_models",
    "granted",
    "key",
    "memory",
    "msg",
    "names_of",
    "number",
    "percent",
    "record",
    "regex",
    "rule",
    "unread",
    "whole",
    "written",
]
