"""A form of any target, a plug-in's too, is found by the rooms that name no target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.form import json_object, values_of
from gpuxlate.inputs.files import Input, reader
from gpuxlate.manifest.jobs import JobRow, jobs_in
from gpuxlate.model.pod import PodKeys
from gpuxlate.yamltext.compose import Document, Reader, documents
from gpuxlate.yamltext.source import Source


class ToyForm:
    """A YAML mapping in a file of its own, or in a ToyJob."""

    suffix = ".toy"
    suffixes: tuple[str, ...] = (".toy",)
    rows = (JobRow(("ToyJob",), ("spec", "gpu"), "toy", "emr.serverless.mgpu"),)

    def reader(self, source: Source, *, chosen: bool) -> Reader | None:
        return self._read if chosen or source.text.startswith("emr.") else None

    def _read(self, source: Source) -> Iterator[Document]:
        for document in documents(source):
            document.job = "toy"
            yield document

    def render(self, keys: PodKeys, _output: str) -> str:
        return json_object({name: value.text for name, value in values_of(keys).items()})

    def merge(self, base: Source, keys: PodKeys) -> str:
        return base.text + self.render(keys, "text")


FORM = ToyForm()


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Backend]:
    """A plug-in with a form, beside the built-in targets."""
    made = replace(registry.get("emr-ray"), name="toy", form_module="tests.backends.test_forms")
    monkeypatch.setattr(registry.plugins, "backends", lambda: (made,))
    monkeypatch.setattr(registry.plugins, "find", lambda name: made if name == "toy" else None)
    cached = (registry.form_backends, registry.pod_backends)
    for one in cached:
        one.cache_clear()
    yield made
    for one in cached:
        one.cache_clear()


def job(source: Source, read: Reader) -> list[tuple[str, int]]:
    return [
        (one.target, len(one.pod.keys.containers[0].limits))
        for document in read(source)
        for one in jobs_in(document, registry.job_rows(document))
    ]


def test_a_plugin_reads_its_files(toy: Backend, tmp_path: Path) -> None:
    source = Source("a.toy", "emr.serverless.mgpu.core: 30\n")
    given = Input("a.toy", tmp_path / "a.toy")
    assert given.may_be_parameters()
    assert job(source, reader(given, source)) == [(toy.name, 1)]


def test_a_plugin_has_objects_of_its_own(toy: Backend) -> None:
    source = Source("a.yaml", "kind: ToyJob\nspec: {gpu: {emr.serverless.mgpu.core: 30}}\n")
    assert job(source, documents) == [(toy.name, 1)]


def test_which_inputs_may_hold_parameters() -> None:
    expected = {
        ("a.toy", True, None): False,  # no target has the suffix
        ("a.conf", True, None): True,
        ("a.conf", False, None): False,
        ("a.yaml", True, None): False,
        ("<stdin>", True, None): False,
        ("<stdin>", True, "emr-ray"): True,
        ("a.conf", True, "volcengine-mgpu"): False,
        ("a.yaml", True, "volcengine-aiapp"): False,  # its values are in YAML documents
    }
    found = {
        (name, named, target): Input(name, None, named=named).may_be_parameters(target)
        for name, named, target in expected
    }
    assert found == expected
