"""A KRM function: translate the shares of a ResourceList.

The text of the list is edited, not written anew: comments, order and the annotations by which kpt and
kustomize find their files are kept. The form is that of the KRM functions specification, v1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from gpuxlate.config.configuration import CONFIG_CODE
from gpuxlate.files.relevance import only_relevant
from gpuxlate.manifest.facts import repeated_keys
from gpuxlate.model import site
from gpuxlate.model.diagnostics import Append, Diagnostic, Path, Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import msg
from gpuxlate.rules.source import invalid_yaml_finding
from gpuxlate.translation.krm_config import BadConfigError, settings_of, wrong_field
from gpuxlate.translation.options import relevant_to
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.nodes import get, get_text
from gpuxlate.yamltext.parse import Document, NotYamlError, documents, with_location
from gpuxlate.yamltext.plain import to_python
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import apply

RESOURCE_LIST = "ResourceList"

VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1")

ORIGIN = ("config.kubernetes.io", "internal.config.kubernetes.io")
"""Prefixes of the annotations ``path`` and ``index``: the file that an item came from."""


class NoResourceListError(UserError, ValueError):
    """The input is not a ResourceList; ``hint`` says what to do."""

    exit_code = Exit.FINDINGS


class FunctionConfigError(UserError, ValueError):
    """The functionConfig is wrong; ``text`` is the list with that as its result."""

    def __init__(self, text: str, finding: Diagnostic) -> None:
        super().__init__(finding.message)
        self.text = text
        self.finding = finding


def run_list(source: Source) -> Result:
    """Translate the items of a ResourceList as its functionConfig says; ``text`` is the output.

    Raises NoResourceListError and ConfigError.
    """
    try:
        read = list(documents(only_relevant(source, names=(RESOURCE_LIST,))))
    except NotYamlError as error:
        return Result(diagnostics=[invalid_yaml_finding(source, error)], text=source.text)
    document = _resource_list(read)
    try:
        config = get(document.root, "functionConfig")
        for path in repeated_keys(document):
            if path[0] == "functionConfig":
                message = msg("the key {text} is given twice", text=cut(str(path[-1]), MAX_NAME))
                raise BadConfigError(message, "keep one of them", path)
        settings = settings_of(to_python(config) if config else None, ("functionConfig",))
    except BadConfigError as error:
        wrong = Diagnostic(CONFIG_CODE, Severity.ERROR, error.message, error.hint, error.path)
        finding = with_location(document, wrong)
        raise FunctionConfigError(_with_results(document, [finding]), finding) from None
    result = translate_source(relevant_to([settings], source), settings)
    if settings.decisions is not None:
        remarks, _ = settings.decisions.remarks(result.judged)
        base: Path = ("functionConfig", "data" if get(config, "data") else "spec")
        result.diagnostics += (
            with_location(document, replace(finding, path=(*base, *finding.path), span=None))
            for finding in remarks
        )
    if result.diagnostics:
        [after] = documents(Source(source.name, result.text))
        result.text = _with_results(after, result.diagnostics)
    return result


def _resource_list(documents: list[Document]) -> Document:
    kinds = {get_text(document.root, "kind") for document in documents}
    if len(documents) != 1 or kinds != {RESOURCE_LIST}:
        kind = "no document"
        if documents:
            first = sorted(kind or "" for kind in kinds)[0]
            kind = msg("kind {kind}", kind=first) if first else "a document without a kind"
        hint = "kpt and kustomize write it; for plain manifests use gpuxlate translate"
        raise NoResourceListError(
            msg("stdin has {what}, not one {kind}", what=kind, kind=RESOURCE_LIST), hint
        )
    version = get_text(documents[0].root, "apiVersion")
    if version not in VERSIONS:
        wrong = wrong_field(RESOURCE_LIST, "apiVersion", version)
        raise NoResourceListError(wrong, f"versions: {', '.join(VERSIONS)}")
    return documents[0]


# --- results ------------------------------------------------------------------------------------
def _with_results(document: Document, diagnostics: Sequence[Diagnostic]) -> str:
    """The text of the list with its results. Where they cannot be added, they are on stderr only."""
    edits = [Append(("results",), krm_result(document, finding)) for finding in diagnostics]
    try:
        return apply(document.source.text, edit_document(document, edits))
    except EditError:
        return document.source.text


def krm_result(document: Document, finding: Diagnostic) -> dict[str, Any]:
    """A finding as a result of the KRM functions specification: message, severity, and place."""
    message = f"{finding.message}; {finding.hint}" if finding.hint else finding.message
    entry: dict[str, Any] = {"message": message, "severity": str(finding.severity)}
    at = item_path(finding.path)
    if finding.object and finding.object.kind:
        ref = {key: value for key, value in finding.object.to_json().items() if value is not None}
        entry["resourceRef"] = ref
    if finding.path:
        entry["field"] = {"path": field_path(finding.path[len(at) :])}
        text = get_text(document.root, *finding.path)
        if text is not None:
            entry["field"]["currentValue"] = text
    origin = dict(_origin(document, at))
    if "path" in origin:
        entry["file"] = {"path": origin["path"]}
        if origin.get("index", "").isdigit():
            entry["file"]["index"] = int(origin["index"])
    address = None if finding.code == CONFIG_CODE else site.rule_page(finding.code)
    entry["tags"] = {"code": finding.code, **({"url": address} if address else {})}
    return entry


def item_path(path: Path) -> Path:
    """The part of a path that leads to an item of the list; empty where it leads to none."""
    at = 0
    while path[at : at + 1] == ("items",) and len(path) > at + 1 and isinstance(path[at + 1], int):
        at += 2
    return path[:at]


def field_path(path: Path) -> str:
    """``spec.containers[0].resources.limits.[example.com/gpu-core]``, as kustomize writes keys."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f"{'.' if text else ''}{f'[{step}]' if '.' in step else step}"
    return text


def _origin(document: Document, at: Path) -> Iterator[tuple[str, str]]:
    for prefix in ORIGIN:  # the newer one counts where both are set
        for name in ("path", "index"):
            text = get_text(document.root, *at, "metadata", "annotations", f"{prefix}/{name}")
            if text is not None:
                yield name, text


def for_stderr(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings with the object in the message, since lines of the ResourceList mean little to people."""
    return [replace(finding, message=f"{_named(finding)}{finding.message}") for finding in diagnostics]


def _named(finding: Diagnostic) -> str:
    ref = finding.object
    return f"{ref.kind} {ref.name}: " if ref and ref.kind not in (None, RESOURCE_LIST) else ""
