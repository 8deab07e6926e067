"""Reading GPUShare documents from inputs, with the place of everything that is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gpuxlate.config.document import API_VERSION, KIND, ShareDocument, read_share_document
from gpuxlate.inputs.files import Input, InputError
from gpuxlate.manifest.pods import object_ref
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.rules.unreadable import broken, no_yaml
from gpuxlate.yamltext.compose import Document, NotYamlError, documents
from gpuxlate.yamltext.nodes import Mapping, get_text, to_plain
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source, Texts


@dataclass(slots=True)
class Specs:
    """The GPUShare documents of some inputs, and what is wrong with them."""

    found: list[tuple[Input, Document, ShareDocument]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: Texts = field(default_factory=Texts)


def read_specs(inputs: Iterable[Input]) -> Specs:
    """Raises InputError where an input is missing, or there is nothing to work on."""
    specs = Specs()
    for one in inputs:
        before = len(specs.found) + len(specs.diagnostics)
        source = one.source()
        _read_source(one, source, specs)
        if one.named and before == len(specs.found) + len(specs.diagnostics):
            blank = not source.text.strip()
            raise InputError(f"{one.name}: {'it is empty' if blank else 'there is no document in it'}")
    if not specs.found and not specs.diagnostics:
        raise InputError(
            "no GPUShare document in the folders given", "a vendor's manifests are read by gpuxlate parse"
        )
    return specs


def specs_in(source: Source) -> Specs:
    """The GPUShare documents of a text that stands in no file."""
    specs = Specs()
    _read_source(Input(source.name, None), source, specs)
    return specs


def _read_source(given: Input, source: Source, specs: Specs) -> None:
    specs.sources.add(source)
    try:
        for document in documents(source):
            _read(given, document, specs)
    except NotYamlError as error:
        # in a folder it may be a template of something else
        specs.diagnostics.append((broken if given.named else no_yaml)(source, error))


def is_share_document(document: Document) -> bool:
    """The document says that it is a GPUShare, rightly or not."""
    return get_text(document.root, "kind") == KIND or (
        (get_text(document.root, "apiVersion") or "").startswith("gpuxlate.io/")
    )


def check_share_document(document: Document) -> tuple[ShareDocument | None, list[Diagnostic]]:
    """A GPUShare document and its problems, each at its place."""
    if document.root is None:
        return None, []
    try:
        data = to_plain(document.root)
    except RecursionError as error:
        problem = Diagnostic("GX010", Severity.ERROR, f"no GPUShare document: {error}")
        return None, [placed(document, problem)]
    share, problems = read_share_document(data)
    ref = object_ref(document.root) if isinstance(document.root, Mapping) else None
    return share, [placed(document, one, ref) for one in problems]


def _read(given: Input, document: Document, specs: Specs) -> None:
    if document.root is None:
        return
    if isinstance(document.root, Mapping) and not is_share_document(document):
        if given.named:  # a folder may hold other manifests too
            specs.diagnostics.append(_other(document))
        return
    share, problems = check_share_document(document)
    specs.diagnostics.extend(problems)
    if share is not None:
        specs.found.append((given, document, share))


def _other(document: Document) -> Diagnostic:
    kind = get_text(document.root, "kind")
    what = f"kind is {kind}" if kind else "it has no kind"
    problem = Diagnostic(
        "GX010",
        Severity.ERROR,
        f"this is no GPUShare document: {what}",
        f"write kind: {KIND} and apiVersion: {API_VERSION}; to read a vendor's manifest, gpuxlate parse",
        ("kind",) if kind else (),
    )
    return placed(document, problem)
