"""Templates of claims as documents of a text: appended after others, and removed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import TEMPLATE
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.plain import dump_yaml
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice, apply

_KIND = f"kind: {TEMPLATE}"


def why_not_appendable(document: Document) -> Message | None:
    """Why no document can be appended after this one; None where one can."""
    text = document.source.text
    if document.index == 0 and document.end == len(text) and text.lstrip()[:1] in ("{", "["):
        return msg("a JSON file has one object, and {kind} is a second one: make it a List", kind=TEMPLATE)
    if document.end < len(text) and not text.startswith("---", document.end):
        return msg("the next document does not begin with ---")
    return None


def append_documents(document: Document, added: Sequence[dict[str, object]]) -> Splice:
    """The splice that appends new documents, as plain data, after a document."""
    text, end = document.source.text, document.end
    line_break = document.source.newline(document.start) if "\n" in text or "\r" in text else "\n"
    body = "".join(f"---\n{dump_yaml(template)}" for template in added).replace("\n", line_break)
    if end and text[end - 1] not in "\r\n":
        body = line_break + body.removesuffix(line_break)
    return Splice(end, end, body)


def apply_splices(source: Source, edits: Iterable[Splice], document_splices: Sequence[Splice]) -> str:
    """The text after its edits, with documents added and removed. ``document_splices``: the splices that do
    the latter.

    Raises EditError where other documents would change too, or the result is invalid YAML.
    """
    new_text = apply(source.text, [*edits, *document_splices])
    removed = [splice for splice in document_splices if not splice.text]
    if any(splice.end == len(source.text) for splice in removed) and source.text[-1] not in "\r\n":
        new_text = new_text.removesuffix("\n").removesuffix("\r")  # that of the marker, which went
    new = sum(
        splice.text.count(f"{_KIND}\r\n") + splice.text.count(f"{_KIND}\n") for splice in document_splices
    )
    try:
        before, after = (
            sum(document.root is not None for document in documents(text))
            for text in (source, source.changed(new_text))
        )
    except NotYamlError as error:
        raise EditError(
            msg("the result would be invalid YAML ({message})", message=error.message), ()
        ) from None
    if after != before + new - len(removed):
        raise EditError("the result would have other documents", ())
    return new_text
