"""The position of diagnostics: file, document, object, and the span in characters."""

from __future__ import annotations

from gpuxlate.model.diagnostics import Diagnostic, ObjectRef, Span
from gpuxlate.model.pod import Path
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, content_end, deref, entry_of
from gpuxlate.yamltext.source import Source


def placed(document: Document, diagnostic: Diagnostic, ref: ObjectRef | None = None) -> Diagnostic:
    """The diagnostic with file, document, object and span, which is found from the path.

    A span that it has already is that of a part of a string.
    """
    span: Span | None = None
    if document.root is not None:
        _, start, end = node_at(document.root, diagnostic.path, on_key=diagnostic.on_key)
        span = document.source.span(start, end)
    text_line = span.line if span and diagnostic.span else None
    return diagnostic.located(
        file=document.source.name,
        document=document.index,
        object=ref or diagnostic.object,
        span=diagnostic.span or span,
        text_line=text_line,
    )


def placed_at_index(source: Source, diagnostic: Diagnostic, index: int) -> Diagnostic:
    """The diagnostic at one character of a source that could not be composed."""
    end = min(index + 1, len(source.text))
    return diagnostic.located(file=source.name, span=source.span(index, max(end, index)))


def locate(root: Node, path: Path, *, on_key: bool = False) -> tuple[int, int]:
    """Start and end of the value (or key) at a path; of the nearest parent where it is missing."""
    return node_at(root, path, on_key=on_key)[1:]


def node_at(root: Node, path: Path, *, on_key: bool = False) -> tuple[Node, int, int]:
    """The value (or key) at a path with its start and end; the nearest parent where it is missing."""
    spot = (root, root.start, content_end(root))
    node: Node = root
    for step in path:
        node = deref(node)
        if isinstance(node, Mapping):
            entry = entry_of(node, step)
            if entry is None:
                return spot
            spot = (entry[0], entry[0].start, entry[0].end)
            node = entry[1]
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            spot = (node, node.start, first_line_end(node))
        else:
            return spot
    if path and (on_key or isinstance(node, (Mapping, Sequence))):
        return spot
    if isinstance(node, Scalar) and node.empty:
        return spot
    return node, node.start, content_end(node)


def first_line_end(node: Node) -> int:
    """The end of the first line of a node, without its children."""
    if isinstance(node, Mapping) and node.entries:
        return node.entries[0][0].end
    return node.end
