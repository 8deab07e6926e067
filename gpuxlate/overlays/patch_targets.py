"""The ``target`` of a patch: which objects a selector matches.

Source: kustomize, ``api/types/selector.go`` and ``Select`` in ``api/resmap/reswrangler.go``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from gpuxlate.model.declarations import regex
from gpuxlate.model.limits import MAX_NAME
from gpuxlate.model.messages import Message, msg

_SIMPLE = regex(r"(?:[\w .|\-/:]|\\[.\-/]|\[\^?[\w.\-]+\]|[()^$]|(?<=[\w.\-\])])[*+?])*", re.ASCII)
"""Patterns that every language reads alike."""

_MOST_REPEATS, _MOST_CHOICES = 3, 8
"""The most repeats and alternatives in a pattern: more may take very long to match."""

_TERM = regex(
    r"\s*(?:(?P<absent>!)\s*(?P<no>[\w./-]+)"
    r"|(?P<key>[\w./-]+)(?:\s*(?P<sign>==?|!=)\s*(?P<value>[\w.-]*)"
    r"|\s+(?P<word>in|notin)\s*\((?P<values>[\w.,\s-]*)\))?)\s*(?:,|$)",
    re.ASCII,
)


class UnknownError(Exception):
    """The objects that a patch changes cannot be known. The message says why."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class Identity(NamedTuple):
    """The kind, names and labels of an object. ``names``: each name that it has had with its namespace, the
    present one last."""

    group: str
    version: str
    kind: str
    names: tuple[tuple[str, str], ...]
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


IdentityTest = Callable[[Identity], bool]


def compile_target(target: Mapping[str, str]) -> IdentityTest:
    """The test whether an object matches a ``target``. Raises UnknownError."""
    plain = {field: _pattern(target[field]) for field in ("group", "version", "kind") if target.get(field)}
    name, namespace = (_pattern(target.get(field) or ".*") for field in ("name", "namespace"))
    labels = _terms(target.get("labelSelector", ""))
    annotations = _terms(target.get("annotationSelector", ""))

    def matches(identity: Identity) -> bool:
        ends = (identity.names[0], identity.names[-1])
        return (
            any(namespace(where or "default") for _, where in ends)
            and any(name(called) for called, _ in ends)
            and all(test(getattr(identity, field)) for field, test in plain.items())
            and all(test(identity.labels) for test in labels)
            and all(test(identity.annotations) for test in annotations)
        )

    return matches


@lru_cache(maxsize=1024)
def _pattern(text: str) -> Callable[[str], bool]:
    """The test whether a whole name matches a pattern. Raises UnknownError for a pattern that is not
    simple."""
    bounded = sum(map(text.count, "*+?")) <= _MOST_REPEATS and text.count("|") <= _MOST_CHOICES
    repeats_groups = any(sign in text for sign in ("(?", ")*", ")+"))
    try:
        if len(text) > MAX_NAME or not bounded or repeats_groups or not _SIMPLE.fullmatch(text):
            raise ValueError
        pattern = re.compile(f"^(?:{text})$", re.ASCII)
    except (ValueError, re.error):
        raise UnknownError(msg("the pattern {text} of its target is not read", text=text)) from None
    return lambda name: len(name) <= MAX_NAME and pattern.match(name) is not None


def _terms(text: str) -> list[Callable[[Mapping[str, str]], bool]]:
    """The terms of a label selector. Raises UnknownError."""
    tests: list[Callable[[Mapping[str, str]], bool]] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TERM.match(text, at)
        if match is None or match.end() == at:
            raise UnknownError(msg("the selector {text} of its target is not read", text=text))
        tests.append(_term(match))
        at = match.end()
    return tests


def _term(match: re.Match[str]) -> Callable[[Mapping[str, str]], bool]:
    if match["absent"]:
        return lambda labels: match["no"] not in labels
    key = match["key"]
    if match["sign"] is None and match["word"] is None:
        return lambda labels: key in labels
    values = (
        {part.strip() for part in (match["values"] or "").split(",")} if match["word"] else {match["value"]}
    )
    is_in = match["sign"] in ("=", "==") or match["word"] == "in"
    return lambda labels: (labels.get(key) in values) is is_in
