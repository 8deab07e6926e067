"""Plain data from YAML, and fresh YAML from plain data."""

from __future__ import annotations

import io
from typing import Any

from gpuxlate.manifest.compose import documents
from gpuxlate.manifest.nodes import to_plain
from gpuxlate.manifest.source import Source


def plain_document(source: Source) -> Any:
    """The first document of a source as plain data, None where it is empty. Raises ValueError."""
    try:
        document = next(documents(source), None)
        return to_plain(document.root) if document and document.root else None
    except RecursionError as error:
        raise ValueError(str(error)) from None


def fresh(data: Any) -> str:
    """Plain data as a new YAML document, in block style and in its own order."""
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 4096
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()
