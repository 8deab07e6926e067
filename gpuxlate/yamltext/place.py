"""The position of diagnostics: file, document, object, and the span in characters."""

from __future__ import annotations

from gpuxlate.model.diagnostics import Diagnostic, ObjectRef
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import locate
from gpuxlate.yamltext.source import Source


def placed(document: Document, diagnostic: Diagnostic, ref: ObjectRef | None = None) -> Diagnostic:
    """The diagnostic with file, document, object and span. The span is found from the path."""
    span = None
    if document.root is not None:
        start, end = locate(document.root, diagnostic.path, on_key=diagnostic.on_key)
        span = document.source.span(start, end)
    return diagnostic.located(
        file=document.source.name, document=document.index, object=ref or diagnostic.object, span=span
    )


def placed_at_index(source: Source, diagnostic: Diagnostic, index: int) -> Diagnostic:
    """The diagnostic at one character of a source that could not be composed."""
    end = min(index + 1, len(source.text))
    return diagnostic.located(file=source.name, span=source.span(index, max(end, index)))
