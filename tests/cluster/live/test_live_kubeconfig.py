"""Which cluster is meant, by the files of a kubeconfig."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuxlate.cluster.kubeconfig import Kubeconfig
from gpuxlate.cluster.server import ChoiceError, ClusterError

SECRET = "hidden-value-42"

ONE = f"""\
current-context: ack
contexts:
- name: ack
  context: {{cluster: one, user: me, namespace: ml}}
- name: other
  context: {{cluster: nowhere, user: me}}
clusters:
- name: one
  cluster: {{server: "https://one.example", certificate-authority: ca.pem}}
users:
- name: me
  user: {{token: {SECRET}}}
"""
TWO = """\
current-context: tke
contexts:
- name: tke
  context: {cluster: two, user: nobody}
- name: ack
  context: {cluster: two, user: nobody}
clusters:
- name: two
  cluster: {server: "https://two.example"}
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "one").write_text(ONE)
    (tmp_path / "two").write_text(TWO)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    return tmp_path


def test_several_files_are_one(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("one", "missing", "two")
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(str(files / name) for name in names))
    known = Kubeconfig()
    assert known.contexts == ["ack", "other", "tke"]
    assert known.namespaces == ["ml"]
    current = known.choose(None)
    # of two with one name the first counts, as with kubectl
    assert (current.name, current.namespace) == ("ack", "ml")
    assert current.cluster == {
        "server": "https://one.example",
        "certificate-authority": str(files / "ca.pem"),  # relative to the kubeconfig that names it
    }
    assert known.choose("tke").cluster["server"] == "https://two.example"
    assert known.choose("tke").user == {}


def test_a_flag_comes_before_the_environment(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(files / "one"))
    assert Kubeconfig(str(files / "two")).choose(None).name == "tke"


def test_the_home_comes_last(files: Path) -> None:
    assert not Kubeconfig().found
    (files / ".kube").mkdir()
    (files / ".kube" / "config").write_text(TWO)
    assert Kubeconfig().choose(None).name == "tke"


NO_CURRENT = ONE.replace("current-context: ack", "current-context: ''")
NOT_THERE = [
    # what is wrong beside it: tests/errors/cases/10-clusters.yaml
    (ONE, "akc", "the kubeconfig has no context 'akc'", "did you mean ack?"),
    (ONE, "zzz", "the kubeconfig has no context 'zzz'", "contexts: ack, other"),
    (NO_CURRENT, None, "the kubeconfig has no current context", "pass --context, one of: ack, other"),
]


@pytest.mark.parametrize(("text", "context", "problem", "hint"), NOT_THERE)
def test_a_context_that_is_not_there(
    files: Path, text: str, context: str | None, problem: str, hint: str
) -> None:
    (files / "one").write_text(text)
    with pytest.raises(ChoiceError) as caught:
        Kubeconfig(str(files / "one")).choose(context)
    assert (caught.value.message, caught.value.hint) == (problem, hint)


@pytest.mark.parametrize("server", [f"me:{SECRET}@one.example:6443", f"https://me:{SECRET}@[::1"])
def test_an_address_that_is_none_shows_no_secret(files: Path, server: str) -> None:
    (files / "one").write_text(ONE.replace("https://one.example", server))
    with pytest.raises(ClusterError, match="context ack: the kubeconfig names the server ") as caught:
        Kubeconfig(str(files / "one")).choose("ack")
    assert SECRET not in f"{caught.value.message} {caught.value.hint}"


NONE: dict[bytes | None, str] = {
    f"token: {SECRET}\n  bad: [".encode(): "invalid YAML: ",
    f"- {SECRET}".encode(): "not a kubeconfig: it has no lists of clusters",
    f"contexts: {SECRET}".encode(): "not a kubeconfig: it has no lists of clusters",
    b"\xff\xfe" + SECRET.encode(): "not a text file in UTF-8",
    b"": "not a kubeconfig",
    None: "no such file",
}


@pytest.mark.parametrize(("data", "problem"), NONE.items())
def test_a_file_that_is_none(files: Path, data: bytes | None, problem: str) -> None:
    path = files / "broken"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ClusterError) as caught:
        Kubeconfig(str(path))
    assert caught.value.message.startswith(f"kubeconfig {path}: {problem}")
    assert SECRET not in caught.value.message
