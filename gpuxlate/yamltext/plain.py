"""Plain data from YAML, and fresh YAML from plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.nodes import to_plain
from gpuxlate.yamltext.source import Source


def plain_document(source: Source) -> Any:
    """The first document of a source as plain data, None where it is empty.

    Raises ValueError; where the text is invalid YAML a NotYamlError that says the line.
    """
    try:
        document = next(documents(source), None)
        return to_plain(document.root) if document and document.root else None
    except NotYamlError as error:
        line, column = source.position(error.index)
        raise NotYamlError(f"line {line}, column {column}: {error.message}", error.index) from None
    except RecursionError as error:
        raise ValueError(str(error)) from None


def fresh(data: Any, comments: Mapping[str, str] | None = None) -> str:
    """Plain data as a new YAML document, in block style and in its own order.

    ``comments``: what comes behind a key at the top. What YAML 1.1 alone calls a boolean or a date is
    quoted, so that every reader takes strings for strings.
    """
    from gpuxlate.yamltext.dumper import dump  # only where a document is written

    return dump(data, comments or {})
