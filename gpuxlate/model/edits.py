"""Changes of a document at a path, as data; ``yamltext.edit`` turns them into text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpuxlate.model.pod import Path


@dataclass(frozen=True, slots=True)
class Put:
    """Set the value at ``path``; mappings on the way are made where missing."""

    path: Path
    value: Any


@dataclass(frozen=True, slots=True)
class Rename:
    """Give the entry at ``path`` another key and value, in the same place."""

    path: Path
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove the entry at ``path``, and a mapping or list that becomes empty by it."""

    path: Path


@dataclass(frozen=True, slots=True)
class Append:
    """Add an item to the list at ``path``, which is made where missing."""

    path: Path
    value: Any


Edit = Put | Rename | Remove | Append


def below(steps: Path, value: Any) -> Any:
    """The value in the mappings that these steps lead through."""
    for step in reversed(steps):
        value = {step: value}
    return value


def merged(old: Any, new: Any) -> Any:
    """Two new values at one place together."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{k: merged(old.get(k), v) for k, v in new.items()}}
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *new]
    return new
