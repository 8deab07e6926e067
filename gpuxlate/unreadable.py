"""What to say of a source that is no manifest: broken YAML (GX001), or a Helm template (GX012)."""

from __future__ import annotations

from gpuxlate.diagnostics import Diagnostic, Severity
from gpuxlate.manifest.compose import NotYamlError
from gpuxlate.manifest.place import placed_at_index, syntax_line
from gpuxlate.manifest.source import Source
from gpuxlate.rules.source import file_parses, template_is_rendered


def in_chart(name: str) -> Diagnostic:
    """GX012 for a file in the templates folder of a chart: it is skipped."""
    message, hint = template_is_rendered(True)
    return Diagnostic("GX012", Severity.INFO, message, hint, file=name)


def no_yaml(source: Source, error: NotYamlError) -> Diagnostic:
    """GX012 where reading fails on a line that holds ``{{``, else GX001, at its place."""
    near_template = "{{" in syntax_line(source, error)
    if near_template:
        message, hint = template_is_rendered(False)
        found = Diagnostic("GX012", Severity.INFO, message, hint)
    else:
        message, hint = file_parses(error.message)
        found = Diagnostic("GX001", Severity.ERROR, message, hint)
    return placed_at_index(source, found, error.index)
