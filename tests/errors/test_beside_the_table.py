"""Places that a row of the table cannot come by on every machine, each brought about by hand."""

import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest import mock

import pytest
from urllib3.exceptions import ConnectTimeoutError

import gpuxlate
from gpuxlate.cluster.connection import _library
from gpuxlate.cluster.errors import unreachable
from gpuxlate.cluster.server import ChoiceError
from gpuxlate.files.extras import install_command
from gpuxlate.files.write import write_atomically
from gpuxlate.model.diagnostics import Put
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source

SHARE = (
    "{apiVersion: gpuxlate.io/v1alpha1, kind: GPUShare, metadata: {name: a}, "
    "spec: {cores: 30, memoryMiB: 4096}}\n"
)


def test_somebody_else_changed_the_file(tmp_path: Path) -> None:
    """Between reading and writing; what they wrote stays."""
    path = tmp_path / "a.yaml"
    path.write_bytes(b"theirs\n")
    with pytest.raises(OSError, match="changed by another process since it was read; nothing written"):
        write_atomically(path, b"mine\n", b"before\n")
    assert path.read_bytes() == b"theirs\n"


def test_a_file_that_may_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"before\n")
    with mock.patch.object(os, "access", return_value=False), pytest.raises(PermissionError) as caught:
        write_atomically(path, b"mine\n")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"before\n"


def test_a_host_that_swallows_packets() -> None:
    error = unreachable("https://far.example", ConnectTimeoutError(SimpleNamespace(), "x"), 5.0)
    assert error.message == "https://far.example is not reachable: the connection timed out"
    assert error.hint == "is the address in the kubeconfig right? does it need a VPN or a proxy?"


def test_a_client_library_that_is_broken() -> None:
    broken = ModuleType("empty")  # without the modules of the client
    with mock.patch.dict(sys.modules, {"kubernetes": broken}), pytest.raises(ChoiceError) as caught:
        _library()
    assert caught.value.message.startswith("the kubernetes library cannot be loaded: cannot import name")
    assert caught.value.hint == install_command("cluster")


def test_half_a_character() -> None:
    """No file in UTF-8 has it; a text given to the Python API may."""
    with pytest.raises(NotYamlError, match="surrogates not allowed"):
        list(documents(Source("a.yaml", "a: \ud800")))
    with pytest.raises(gpuxlate.Refused, match="surrogates not allowed"):
        gpuxlate.parse("a: \ud800")


def test_a_key_with_its_colon_elsewhere() -> None:
    [document] = documents(Source("a.yaml", "? a # why\n:\n"))
    with pytest.raises(EditError, match="a key has no colon of its own"):
        edit_document(document, [Put(("a", "b"), 1)])


def test_several_shares_in_one_text_of_a_job() -> None:
    with pytest.raises(ValueError, match="2 shares for volcengine-emr-ray, which takes one share a text"):
        gpuxlate.render(f"{SHARE}---\n{SHARE}", to="emr-ray")
