"""The parameters of a job: which texts hold them, for which engine, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os.path import splitext

from gpuxlate.backends.form import MergeError, WrongFileError, json_object, values_of
from gpuxlate.backends.volcengine_emr import keys as k
from gpuxlate.backends.volcengine_emr.merge import merge
from gpuxlate.backends.volcengine_emr.properties import Properties
from gpuxlate.backends.volcengine_emr.statements import RayStatements, SetStatements
from gpuxlate.backends.volcengine_emr.syntax import Syntax, as_document
from gpuxlate.manifest.jobs import JobRow
from gpuxlate.model.edits import Edit, Put
from gpuxlate.model.messages import message_of, say
from gpuxlate.model.pod import PodKeys
from gpuxlate.yamltext.compose import Document, NotYamlError, Reader, documents
from gpuxlate.yamltext.edit import EditError, apply, edit_document
from gpuxlate.yamltext.nodes import Mapping, get
from gpuxlate.yamltext.source import Source

BEGINNINGS = {"spark.": k.SPARK, "serverless.ray.": k.RAY, "serverless.custom.job.": k.CUSTOMJOB}
"""Keys that name their engine."""
OURS = "emr.serverless."

_MANIFEST = re.compile(r"^(apiVersion|kind)[ \t]*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class JobForm:
    """The parameters of one engine: in its own syntax, or as one JSON object."""

    engine: k.Engine
    syntax: Syntax
    rows: tuple[JobRow, ...] = ()
    suffixes: tuple[str, ...] = (".conf", ".properties", ".sql", ".json")

    @property
    def suffix(self) -> str:
        return self.syntax.suffix

    def reader(self, source: Source, *, chosen: bool) -> Reader | None:
        """Without a chosen target, what names no engine is read as Spark's."""
        if splitext(source.name)[1] == ".json":
            found = _object(source)
            keys = _keys(found[1]) if found else []
            said = engine_of(keys)
            if found is None or not (chosen or said or any(key.startswith(OURS) for key in keys)):
                return None
        elif _MANIFEST.search(source.text):
            return None
        else:
            said = None if chosen else engine_said(source)
        return self._read if chosen or (said or k.SPARK) is self.engine else None

    def _read(self, source: Source) -> Iterator[Document]:
        as_json = splitext(source.name)[1] == ".json"
        for document in (
            documents(source) if as_json else (as_document(source, self.syntax.read(source.text)),)
        ):
            document.job = self.engine.target
            yield document

    def render(self, keys: PodKeys, output: str) -> str:
        """A line for each parameter, or one JSON object of strings."""
        values = _texts(keys)
        if output == "json":
            return json_object(values)
        return "".join(f"{self.syntax.write(name, text)}\n" for name, text in values.items())

    def merge(self, base: Source, keys: PodKeys) -> str:
        if splitext(base.name)[1] == ".json":
            return self._merged_object(base, _texts(keys))
        if _MANIFEST.search(base.text):
            raise self._no_job(base)
        self._judge(base, engine_said(base))
        return merge(base, self.syntax, _texts(keys))

    def _merged_object(self, base: Source, wanted: dict[str, str]) -> str:
        found = _object(base)
        if found is None:
            raise self._no_job(base)
        document, root = found
        self._judge(base, engine_of(_keys(root)))
        edits: list[Edit] = [Put((name,), text) for name, text in wanted.items()]
        try:
            return apply(base.text, edit_document(document, edits))
        except EditError as error:
            raise MergeError(message_of(error)) from error

    def _no_job(self, base: Source) -> WrongFileError:
        return WrongFileError(
            say(
                "{name} is a manifest or invalid JSON, and {target} writes parameters of a job",
                name=base.name,
                target=self.engine.target,
            ),
            "name a .conf, .properties, .sql or .json file of the job",
        )

    def _judge(self, base: Source, said: k.Engine | None) -> None:
        if said not in (None, self.engine):
            raise WrongFileError(
                say("{name} holds parameters of {target}", name=base.name, target=said.target),
                say("pass --to {target}", target=said.target),
            )


def engine_of(keys: Iterable[str]) -> k.Engine | None:
    """The engine that one of the keys names."""
    return next((one for key in keys for start, one in BEGINNINGS.items() if key.startswith(start)), None)


def engine_said(source: Source) -> k.Engine | None:
    """The engine that a text names, by its suffix, its keys or its syntax."""
    if splitext(source.name)[1] == ".sql":
        return k.CUSTOMJOB
    for form in (RAY, CUSTOMJOB, SPARK):
        keys = [one.key for one in form.syntax.read(source.text)]
        ours = form is CUSTOMJOB and any(key.startswith(OURS) for key in keys)
        if ours or engine_of(keys) is form.engine:
            return form.engine
    statements = RAY.syntax.read(source.text)
    return k.RAY if any(one.closed and one.key.startswith(OURS) for one in statements) else None


def _object(source: Source) -> tuple[Document, Mapping] | None:
    """The document of a JSON file that holds one object, with that object; None for a manifest."""
    try:
        found = list(documents(source))
    except NotYamlError:
        return None
    root = found[0].root if len(found) == 1 else None
    if not isinstance(root, Mapping) or not root.flow:
        return None
    manifest = get(root, "kind") is not None or get(root, "apiVersion") is not None
    return None if manifest else (found[0], root)


def _keys(root: Mapping) -> list[str]:
    return [getattr(key, "text", "") for key, _ in root.entries]


def _texts(keys: PodKeys) -> dict[str, str]:
    return {name: value.text for name, value in values_of(keys).items()}


_IN_OBJECTS = (
    JobRow(("SparkApplication",), ("spec", "sparkConf"), k.SPARK.target, k.GPU_PREFIXES[0]),
    JobRow(
        ("ScheduledSparkApplication",), ("spec", "template", "sparkConf"), k.SPARK.target, k.GPU_PREFIXES[0]
    ),
)
SPARK = JobForm(k.SPARK, Properties(), _IN_OBJECTS)
RAY = JobForm(k.RAY, RayStatements())
CUSTOMJOB = JobForm(k.CUSTOMJOB, SetStatements())
