"""Findings as text for people, and in the formats that programs read. Each format loads when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from gpuxlate.diagnostics import Diagnostic
from gpuxlate.report.summary import Replacement, Report, Summary, no_replacements, no_rule, no_source

if TYPE_CHECKING:
    from gpuxlate.rules.base import Rule

FORMATS: tuple[str, ...] = ("text", "json", "sarif", "github", "gitlab")


def render(
    format_name: str,
    diagnostics: Sequence[Diagnostic],
    summary: Summary,
    *,
    sources: Callable[[str], str | None] = no_source,
    color: bool = False,
    rules: Callable[[str], Rule | None] = no_rule,
    version: str = "",
    replacements: Callable[[Diagnostic], Sequence[Replacement]] = no_replacements,
) -> str:
    """The whole output of a format, its last line break included. Raises ValueError for an unknown one."""
    if format_name not in FORMATS:
        raise ValueError(f"unknown format {format_name!r}; formats: {', '.join(FORMATS)}")
    report = Report(diagnostics, summary, sources, color, rules, version, replacements)
    rendered: str = import_module(f"{__name__}.{format_name}").render(report)
    return rendered


def statistics(diagnostics: Iterable[Diagnostic], rules: Callable[[str], Rule | None] = no_rule) -> str:
    """One line for each code: how often, the code, what its rule holds; the most frequent first."""
    from gpuxlate.report import text

    return text.statistics(diagnostics, rules)
