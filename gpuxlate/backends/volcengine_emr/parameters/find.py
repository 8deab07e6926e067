"""Which files hold parameters, and in whose syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from gpuxlate.backends.volcengine_emr.parameters import customjob, ray, spark
from gpuxlate.backends.volcengine_emr.parameters.text import Syntax, as_document
from gpuxlate.yamltext.compose import Document, NotYamlError, Reader, documents
from gpuxlate.yamltext.nodes import Mapping, Node, get
from gpuxlate.yamltext.source import Source

SPARK, RAY, CUSTOMJOB = "volcengine-emr-spark", "volcengine-emr-ray", "volcengine-emr-customjob"
SYNTAXES: dict[str, Syntax] = {
    SPARK: spark.FORM.syntax,
    RAY: ray.FORM.syntax,
    CUSTOMJOB: customjob.FORM.syntax,
}
"""The syntax of each target's parameters in a text."""
BEGINNINGS = {"spark.": SPARK, "serverless.ray.": RAY, "serverless.custom.job.": CUSTOMJOB}
"""Keys that tell the engine."""
OURS = "emr.serverless."

_MANIFEST = re.compile(r"^(apiVersion|kind)[ \t]*:", re.MULTILINE)


def target_of_keys(keys: Iterator[str] | list[str]) -> str | None:
    """The target whose engine has a key among these, None where none tells."""
    return next((t for key in keys for beginning, t in BEGINNINGS.items() if key.startswith(beginning)), None)


def target_said(source: Source) -> str | None:
    """The target that a text says it is for, None where nothing in it tells."""
    if PurePath(source.name).suffix == ".sql":
        return CUSTOMJOB
    for name in (RAY, CUSTOMJOB, SPARK):
        found = SYNTAXES[name].read(source.text)
        keys = [one.key for one in found]
        if target_of_keys(keys) == name or (name == CUSTOMJOB and any(k.startswith(OURS) for k in keys)):
            return name
    statements = SYNTAXES[RAY].read(source.text)
    if any(one.closed and one.key.startswith(OURS) for one in statements):
        return RAY
    return None


def reader_of(source: Source, target: str | None = None) -> Reader | None:
    """How to read a file of parameters that somebody named; None where it is a manifest.

    ``target``: the one that somebody named, whatever the keys say.
    """
    if PurePath(source.name).suffix == ".json":
        document = json_object_of(source)
        root = document.root if document and isinstance(document.root, Mapping) else None
        found = target or (target_of_keys(keys_of(root)) if root else None)
        if root is None or not (found or any(key.startswith(OURS) for key in keys_of(root))):
            return None
        return _as_objects(found or SPARK)
    if _MANIFEST.search(source.text):
        return None
    return _as_text(target or target_said(source) or SPARK)


def _as_text(target: str) -> Reader:
    def read(source: Source) -> Iterator[Document]:
        document = as_document(source, SYNTAXES[target].read(source.text))
        document.job = target
        yield document

    return read


def _as_objects(target: str) -> Reader:
    def read(source: Source) -> Iterator[Document]:
        for document in documents(source):
            document.job = target
            yield document

    return read


def json_object_of(source: Source) -> Document | None:
    """The document of a JSON file that holds one object; None where it is no JSON or a manifest."""
    try:
        found = list(documents(source))
    except NotYamlError:
        return None
    root: Node | None = found[0].root if len(found) == 1 else None
    if not isinstance(root, Mapping) or not root.flow:
        return None
    manifest = get(root, "kind") is not None or get(root, "apiVersion") is not None
    return None if manifest else found[0]


def keys_of(root: Mapping) -> list[str]:
    """The keys of an object."""
    return [getattr(key, "text", "") for key, _ in root.entries]
