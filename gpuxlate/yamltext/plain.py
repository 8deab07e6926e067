"""Plain data from YAML, and fresh YAML from plain data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ScalarKind
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.nodes import Node, Scalar, Sequence, deref, entries_of
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.source import Source


def plain_document(source: Source) -> Any:
    """The one document of a source as plain data, None where it is empty.

    Raises ValueError; where the text is invalid YAML, or more than is read, a NotYamlError that says the
    line: a second document, or a key that is given twice.
    """
    try:
        written = [document for document in documents(source) if document.root is not None]
        for document in written:
            for _, key in document.repeated:
                assert isinstance(key, Scalar)
                raise NotYamlError(
                    msg("the key {text} is given twice", text=cut(key.text, MAX_NAME)), key.start
                )
        if len(written) > 1:
            raise NotYamlError("a second document begins; write one", written[1].start)
        return to_python(written[0].root) if written and written[0].root else None
    except NotYamlError as error:
        line, column = source.position(error.index)
        raise NotYamlError(
            msg("line {line}, column {column}: {message}", line=line, column=column, message=error.message),
            error.index,
        ) from None
    except RecursionError as error:
        raise ValueError(str(error)) from None


def plain_text(text: str) -> Any:
    """The one document of a text as plain data, as ``plain_document``. Raises ValueError."""
    return plain_document(Source("", text))


def dump_yaml(data: Any, comments: Mapping[str, str] | None = None) -> str:
    """Plain data as a new YAML document, in block style and in its own order.

    ``comments``: what comes behind a key at the top. What YAML 1.1 alone calls a boolean or a date is
    quoted, so that every reader takes strings for strings.
    """
    from gpuxlate.yamltext.dumper import dump  # only where a document is written

    return dump(data, comments or {})


def to_python(node: Node, depth: int = 0) -> Any:
    """Plain Python data: numbers and booleans as YAML 1.2 reads them, merges resolved.

    Raises RecursionError where aliases within aliases nest too deeply.
    """
    node = deref(node)
    if depth > 256:
        raise RecursionError("nested too deeply, its aliases written out")
    if isinstance(node, nodes.Mapping):
        return {name: to_python(value, depth + 1) for name, _, value, _ in entries_of(node)}
    if isinstance(node, Sequence):
        return [to_python(item, depth + 1) for item in node.items]
    assert isinstance(node, Scalar)
    match node.kind:
        case ScalarKind.NULL:
            return None
        case ScalarKind.BOOL if node.text.lower() in ("true", "false"):
            return node.text.lower() == "true"
        case ScalarKind.INT if re.fullmatch(r"[-+]?(0|[1-9][0-9]{0,18})", node.text):
            return int(node.text)
        case ScalarKind.FLOAT:
            return float(re.sub("_|[.](?=[inIN])", "", node.text))  # Python writes .inf without its dot
        case _:
            return node.text
