"""Findings as text for people, and in formats for programs. A format is loaded when it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Literal, get_args

from gpuxlate.model.diagnostics import Diagnostic

if TYPE_CHECKING:
    from gpuxlate.report.summary import LineOf, Replacement, Summary
    from gpuxlate.rules.base import Rule

Format = Literal["text", "concise", "json", "sarif", "github", "gitlab", "junit"]
FORMATS: tuple[Format, ...] = get_args(Format)


def render(
    format_name: str,
    diagnostics: Sequence[Diagnostic],
    summary: Summary,
    *,
    lines: LineOf | None = None,
    color: bool = False,
    rules: Callable[[str], Rule | None] | None = None,
    version: str = "",
    counts: bool = True,
    replacements: Callable[[Diagnostic], Sequence[Replacement]] | None = None,
    every: bool = False,
    compared: bool = False,
) -> str:
    """The whole output of a format, its last line break included. Raises ValueError for an unknown one.

    ``counts``: a text for people ends in a line of them. ``every``: infos that say the same are shown one by
    one. ``compared``: what a baseline has is left out.
    """
    if format_name not in FORMATS:
        raise ValueError(f"unknown format {format_name!r}; formats: {', '.join(FORMATS)}")
    from gpuxlate.report.summary import Report, no_line, no_replacements, no_rule

    report = Report(
        diagnostics,
        summary,
        lines or no_line,
        color,
        rules or no_rule,
        version,
        counts,
        replacements or no_replacements,
        every,
        compared,
    )
    rendered: str = import_module(f"{__name__}.{format_name}").render(report)
    return rendered


def statistics(diagnostics: Iterable[Diagnostic], rules: Callable[[str], Rule | None] | None = None) -> str:
    """One line for each code: the count, the code, the summary of its rule; the most frequent first."""
    from gpuxlate.report import text
    from gpuxlate.report.summary import no_rule

    return text.statistics(diagnostics, rules or no_rule)
