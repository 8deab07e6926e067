"""A KRM function: translates the shares of a ResourceList.

The text of the list is edited, not written anew: comments, order and the annotations by which kpt and
kustomize find their files are kept. The form is that of the KRM functions specification, v1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from gpuxlate.config.configuration import CODE
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.edits import Append
from gpuxlate.model.messages import say
from gpuxlate.model.pod import Path
from gpuxlate.rules.source import broken
from gpuxlate.translation.krm_config import BadConfigError, settings_of
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.compose import Document, NotYamlError, documents
from gpuxlate.yamltext.edit import EditError, apply, edit_document
from gpuxlate.yamltext.nodes import get, get_text
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.plain import to_plain
from gpuxlate.yamltext.source import Source

KIND = "ResourceList"
VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1")
ORIGIN = ("config.kubernetes.io", "internal.config.kubernetes.io")
"""Prefixes of the annotations ``path`` and ``index``: the file that an item came from."""


class NoResourceListError(ValueError):
    """The input is not a ResourceList; ``hint`` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class ConfigError(ValueError):
    """The functionConfig is wrong; ``text`` is the list with that as its result."""

    def __init__(self, text: str, found: Diagnostic) -> None:
        super().__init__(found.message)
        self.text = text
        self.found = found


def run_list(source: Source) -> Result:
    """Translate the items of a ResourceList as its functionConfig says; ``text`` is the output.

    Raises NoResourceListError and ConfigError.
    """
    try:
        read = list(documents(source))
    except NotYamlError as error:
        return Result(diagnostics=[broken(source, error)], text=source.text)
    document = _resource_list(read)
    try:
        config = get(document.root, "functionConfig")
        settings = settings_of(to_plain(config) if config else None, ("functionConfig",))
    except BadConfigError as error:
        wrong = Diagnostic(CODE, Severity.ERROR, error.message, error.hint, error.path)
        found = placed(document, wrong)
        raise ConfigError(_with_results(document, [found]), found) from None
    made = translate_source(source, settings)
    if made.diagnostics:
        [after] = documents(Source(source.name, made.text))
        made.text = _with_results(after, made.diagnostics)
    return made


def _resource_list(found: list[Document]) -> Document:
    kinds = {get_text(one.root, "kind") for one in found}
    if len(found) != 1 or kinds != {KIND}:
        what = "no document" if not found else f"kind {sorted(map(str, kinds))[0]}"
        hint = "kpt and kustomize write it; for plain manifests use gpuxlate translate"
        raise NoResourceListError(say("stdin has {what}, not one {kind}", what=what, kind=KIND), hint)
    version = get_text(found[0].root, "apiVersion")
    if version not in VERSIONS:
        hint = f"versions: {', '.join(VERSIONS)}"
        raise NoResourceListError(
            say("unknown apiVersion {version} of {kind}", version=version, kind=KIND), hint
        )
    return found[0]


# --- results ------------------------------------------------------------------------------------


def _with_results(document: Document, diagnostics: Sequence[Diagnostic]) -> str:
    """The list with its results. Where they cannot be added, they are on stderr only."""
    edits = [Append(("results",), result(document, one)) for one in diagnostics]
    try:
        return apply(document.source.text, edit_document(document, edits))
    except EditError:
        return document.source.text


def result(document: Document, one: Diagnostic) -> dict[str, Any]:
    """A finding as a result of the specification: message, severity, and where."""
    message = f"{one.message}; {one.hint}" if one.hint else one.message
    found: dict[str, Any] = {"message": message, "severity": str(one.severity)}
    at = item_path(one.path)
    if one.object and one.object.kind:
        ref = {key: value for key, value in one.object.to_json().items() if value is not None}
        found["resourceRef"] = ref
    if one.path:
        found["field"] = {"path": field_path(one.path[len(at) :])}
        text = get_text(document.root, *one.path)
        if text is not None:
            found["field"]["currentValue"] = text
    origin = dict(_origin(document, at))
    if "path" in origin:
        found["file"] = {"path": origin["path"]}
        if origin.get("index", "").isdigit():
            found["file"]["index"] = int(origin["index"])
    found["tags"] = {"code": one.code} if one.code == CODE else {"code": one.code, "url": one.url}
    return found


def item_path(path: Path) -> Path:
    """The beginning of a path that leads to an item of the list."""
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
    """The findings with the object in the message, since lines of the list mean little to people."""
    return [replace(one, message=f"{_named(one)}{one.message}") for one in diagnostics]


def _named(one: Diagnostic) -> str:
    ref = one.object
    return f"{ref.kind} {ref.name}: " if ref and ref.kind not in (None, KIND) else ""
