"""Findings for a source that is not a manifest: invalid YAML (GX001), a limit exceeded (GX025), or a
Helm template (GX012)."""

from __future__ import annotations

from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.rules.source import file_keeps_the_limits, file_parses, template_is_rendered
from gpuxlate.yamltext.compose import Document, NotYamlError, TooMuchError
from gpuxlate.yamltext.nodes import Mapping, Sequence
from gpuxlate.yamltext.place import placed_at_index
from gpuxlate.yamltext.source import Source

HELM_TEMPLATE = "Helm template"
"""Why a file was skipped, in summaries."""
TEMPLATE = "{{"
NEAR_LINES = 3
"""Within this many lines of a template's ``{{`` a syntax error is probably caused by it."""


def in_chart(name: str) -> Diagnostic:
    """GX012 for a file in the templates folder of a chart: it is skipped."""
    message, hint = template_is_rendered(True)
    return Diagnostic("GX012", Severity.INFO, message, hint, file=name)


def no_yaml(source: Source, error: NotYamlError) -> Diagnostic:
    """GX012 where reading fails on a line with ``{{``, GX025 at a limit, else GX001."""
    if isinstance(error, TooMuchError):
        return too_much(source, error.message, error.hint, error.index)
    index = _template_that_fails(source, error)
    return broken(source, error) if index is None else unrendered(source, index)


def broken(source: Source, error: NotYamlError) -> Diagnostic:
    """GX001 for a source that must be read, even if it is a template."""
    message, hint = file_parses(error.message, _near_template(source, error))
    return placed_at_index(source, Diagnostic("GX001", Severity.ERROR, message, hint), error.index)


def too_much(source: Source, what: str, hint: str, index: int) -> Diagnostic:
    """GX025 at the character where a limit is exceeded."""
    message, hint = file_keeps_the_limits(what, hint)
    return placed_at_index(source, Diagnostic("GX025", Severity.ERROR, message, hint), index)


def too_many(source: Source, last: Diagnostic) -> Diagnostic:
    """GX025 in place of the first finding above the limit."""
    what = f"more than {limits.MAX_FINDINGS} findings"
    found = too_much(source, what, "fix these first: the rest was not checked", 0)
    return found.located(document=last.document, span=last.span)


def unrendered(source: Source, index: int) -> Diagnostic:
    """GX012 at the ``{{`` of a template."""
    message, hint = template_is_rendered(False)
    span = source.span(index, index + len(TEMPLATE))
    return Diagnostic("GX012", Severity.INFO, message, hint, file=source.name, span=span)


def template_in(document: Document) -> int | None:
    """Where a document has ``{{ .Values.cores }}`` unquoted: YAML reads it as a mapping for a key.

    No key of a manifest is a mapping, so such a document has not been rendered yet.
    """
    if TEMPLATE not in document.text or document.root is None:
        return None
    pending = [document.root]
    found: list[int] = []
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            found += [node.start for key, _ in node.entries if isinstance(key, Mapping)]
            pending += [child for entry in node.entries for child in entry]
        elif isinstance(node, Sequence):
            pending += node.items
    return min((at for at in found if document.source.text.startswith(TEMPLATE, at)), default=None)


def _template_that_fails(source: Source, error: NotYamlError) -> int | None:
    """The first ``{{`` of the line where reading fails."""
    spot = error.index
    line, column = source.position(spot)
    if TEMPLATE not in source.line_text(line) and "expected ':'" in error.problem:
        # a missing colon is reported only at what follows it
        spot = len(source.text[:spot].rstrip())
        line, column = source.position(spot)
    at = source.line_text(line).find(TEMPLATE)
    return None if at < 0 else spot - (column - 1) + at


def _near_template(source: Source, error: NotYamlError) -> bool:
    line, _ = source.position(error.index)
    return any(TEMPLATE in source.line_text(line + step) for step in range(-NEAR_LINES, NEAR_LINES + 1))
