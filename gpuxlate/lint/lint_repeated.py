"""Checking many documents: those that are like a clean one are clean, if their numbers are."""

from __future__ import annotations

from gpuxlate.lint.check import Linted, LintSettings, lint_pod, lint_source
from gpuxlate.lint.judged import judged
from gpuxlate.manifest.numbers import Numbered, numbered_if_second
from gpuxlate.yamltext.alike import Alike, Family, Shape
from gpuxlate.yamltext.pieces import Piece

Counts = tuple[int, int]
"""How many documents and shares a clean document of a shape stands for."""
Remembered = Alike[Counts, tuple[Counts, Numbered]]
"""The clean documents so far, as seen under the same settings."""


def lint_repeated(piece: Piece, settings: LintSettings, alike: Remembered) -> Linted:
    """Every finding of a piece. Documents of the shape of a clean one are clean, if their numbers are.

    ``alike``: what is remembered of others, where there are more to come. Raises DecodeError.
    """
    result = Linted()
    for part in piece.single():
        shape = alike.shape_of(part.data)
        family = alike.family(shape) if shape else None
        if shape and family:
            clean = family.found.get(shape.numbers) or _clean_numbers(alike, family, shape, settings)
            if clean is not None:
                result.documents += clean[0]
                result.shares += clean[1]
                continue
        found = lint_source(part.source(result.documents), settings)
        if shape and family and not (found.diagnostics or found.suppressed or found.skipped):
            _remember(alike, family, shape, part, (found.documents, found.shares))
        result.join(found)
        if found.broken:
            break
    return result


def _clean_numbers(
    alike: Remembered,
    family: Family[Counts, tuple[Counts, Numbered]],
    shape: Shape,
    settings: LintSettings,
) -> Counts | None:
    """What a document stands for that differs from clean ones in numbers alone; None if it is not clean."""
    if family.pattern is None:
        return None
    counts, numbered = family.pattern
    context = settings.context
    pods = numbered.with_numbers(shape.numbers)
    if any(judged(pod.keys, context, "lint", lint_pod) for pod in pods):
        return None
    alike.add(family, shape, counts)
    return counts


def _remember(
    alike: Remembered,
    family: Family[Counts, tuple[Counts, Numbered]],
    shape: Shape,
    part: Piece,
    counts: Counts,
) -> None:
    """A clean document."""
    alike.add(family, shape, counts)
    numbered = numbered_if_second(family, shape, part, counts[0])
    if numbered is not None:
        family.pattern = counts, numbered
