"""What a plain scalar is: a string, a number, a boolean or nothing."""

from __future__ import annotations

import re

from gpuxlate.model.pod import Kind

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = frozenset(
    f(word) for word in ("true", "false", "yes", "no", "on", "off") for f in (str.lower, str.title, str.upper)
)
_INT = re.compile(r"[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+|[0-9][0-9_]*)")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)


def resolve_plain(text: str) -> Kind:
    """What a plain scalar resolves to in Kubernetes: Go's YAML, which is 1.1 with the octals of 1.2."""
    if text in _NULL:
        return Kind.NULL
    if text in _BOOL:
        return Kind.BOOL
    if text[0] not in "+-.0123456789":
        return Kind.STR
    if _INT.fullmatch(text):
        return Kind.INT
    return Kind.FLOAT if _FLOAT.fullmatch(text) else Kind.STR
