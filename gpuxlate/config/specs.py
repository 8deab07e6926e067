"""GPUShare documents in a text, with the place of everything that is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gpuxlate.config.document import API_VERSION, KIND, ShareDocument, read_share_document
from gpuxlate.inputs.files import Input, InputError
from gpuxlate.manifest.objects import object_ref
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import message_of, say
from gpuxlate.model.profile import Profile
from gpuxlate.rules.source import broken, no_yaml
from gpuxlate.yamltext.compose import Document, NotYamlError, documents
from gpuxlate.yamltext.nodes import Mapping, get_text
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.plain import to_plain
from gpuxlate.yamltext.source import Source, Texts


@dataclass(slots=True)
class Specs:
    """The GPUShare documents of some inputs, and what is wrong with them."""

    found: list[tuple[Input, Document, ShareDocument]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: Texts = field(default_factory=Texts)


def read_specs(inputs: Iterable[Input], profile: Profile | None = None) -> Specs:
    """The shares of inputs; ``profile`` may add cards with partitions of their own.

    Raises InputError where an input is missing, or there is nothing to work on."""
    specs = Specs()
    for one in inputs:
        source = one.source()
        specs.sources.add(source)
        found, problems = shares_in(source, profile, named=one.named)
        if one.named and not found and not problems:
            blank = not source.text.strip()
            raise InputError(
                say(
                    "{name}: {value}",
                    name=one.name,
                    value="it is empty" if blank else "there is no document in it",
                )
            )
        specs.found += [(one, document, share) for document, share in found]
        specs.diagnostics += problems
    if not specs.found and not specs.diagnostics:
        raise InputError(
            "no GPUShare document in the folders given", "gpuxlate parse reads a vendor's manifests"
        )
    return specs


def shares_in(
    source: Source, profile: Profile | None = None, *, named: bool = True
) -> tuple[list[tuple[Document, ShareDocument]], list[Diagnostic]]:
    """The GPUShare documents of a text, and what is wrong with them.

    ``named``: the user named the text itself, so that every document of it has to be one. In a folder
    it may be a manifest, or a template of something else.
    """
    found: list[tuple[Document, ShareDocument]] = []
    problems: list[Diagnostic] = []
    try:
        for document in documents(source):
            if document.root is None:
                continue
            if isinstance(document.root, Mapping) and not is_share_document(document):
                problems += [_other(document)] if named else []
                continue
            share, wrong = check_share_document(document, profile)
            problems += [one for one in wrong if one.severity is Severity.ERROR]
            if share is not None:
                found.append((document, share))
    except NotYamlError as error:
        problems.append((broken if named else no_yaml)(source, error))
    return found, problems


def is_share_document(document: Document) -> bool:
    """The document says that it is a GPUShare, rightly or not."""
    return get_text(document.root, "kind") == KIND or (
        (get_text(document.root, "apiVersion") or "").startswith("gpuxlate.io/")
    )


def check_share_document(
    document: Document, profile: Profile | None = None
) -> tuple[ShareDocument | None, list[Diagnostic]]:
    """A GPUShare document and its problems, each at its place."""
    if document.root is None:
        return None, []
    try:
        data = to_plain(document.root)
    except RecursionError as error:
        problem = Diagnostic(
            "GX010", Severity.ERROR, say("not a GPUShare document: {error}", error=message_of(error))
        )
        return None, [placed(document, problem)]
    share, problems = read_share_document(data, profile)
    ref = object_ref(document.root) if isinstance(document.root, Mapping) else None
    return share, [placed(document, one, ref) for one in problems]


def _other(document: Document) -> Diagnostic:
    kind = get_text(document.root, "kind")
    what = f"kind is {kind}" if kind else "it has no kind"
    problem = Diagnostic(
        "GX010",
        Severity.ERROR,
        say("not a GPUShare document: {what}", what=what),
        say(
            "write kind: {kind} and apiVersion: {api_version}; to read a vendor's manifest, gpuxlate parse",
            kind=KIND,
            api_version=API_VERSION,
        ),
        ("kind",) if kind else (),
    )
    return placed(document, problem)
