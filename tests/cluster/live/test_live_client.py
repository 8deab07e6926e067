"""The one door to a server: what it makes of faults, what it holds, and which server a kubeconfig means."""

import gc
import json
import os
import stat
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.cluster.client import Cluster, KubectlOptions
from gpuxlate.cluster.connection import MAX_WAIT, RETRIES
from gpuxlate.cluster.kubeconfig import Kubeconfig
from gpuxlate.cluster.server import ChoiceError, ClusterError, ConflictError, MissingError
from tests.cluster.live.conftest import FAULTS, IN_DEFAULT, TOKEN
from tests.e2e import faults
from tests.e2e.fault_server import FaultServer
from tests.e2e.faults import Answer, Cut, Fault
from tests.e2e.listed import Listed, _token
from tests.e2e.server.kubeconfig import Context
from tests.e2e.server.kubeconfig import kubeconfig as text_of
from tests.effort import number

PODS = "/api/v1/pods"
ONE = f"{IN_DEFAULT}/web"


def written(folder: Path, text: str) -> Path:
    path = folder / "kubeconfig"
    path.write_text(text)
    return path


def opened(path: Path, **options: Any) -> Cluster:
    notes: list[str] = []
    made = Cluster(KubectlOptions(kubeconfig=str(path), **options), notes.append)
    made.notes = notes  # type: ignore[attr-defined]
    return made


@pytest.fixture
def cluster(kubeconfig: Path) -> Cluster:
    return opened(kubeconfig)


def test_what_a_well_server_says(cluster: Cluster, server: FaultServer) -> None:
    assert cluster.version() == "v1.28.9"
    assert cluster.namespace == "default"
    assert cluster.get(ONE)["metadata"]["name"] == "web"
    assert [len(page) for page in cluster.pages(IN_DEFAULT, limit=1)] == [1, 1]
    asked = server.requests(IN_DEFAULT)
    assert [one.query.get("limit") for one in asked] == ["1", "1"]
    assert [("continue" in one.query) for one in asked] == [False, True]
    assert {one.headers["authorization"] for one in server.requests()} == {f"Bearer {TOKEN}"}


def test_a_selector_goes_with_every_page(cluster: Cluster, server: FaultServer) -> None:
    assert len(list(cluster.pages(IN_DEFAULT, selector="app in (a,b),x!=y", limit=1))) == 2
    assert {one.query["labelSelector"] for one in server.requests()} == {"app in (a,b),x!=y"}


FORBIDDEN = faults.forbidden(verb="get", resource="deployments", group="apps")
OF_ONE: dict[str, tuple[Fault, str, int]] = {
    "403": (FORBIDDEN, 'user viewer may not get deployments "web" in namespace default', 1),
    "404": (faults.status(404, "NotFound", "gone"), 'has no deployments "web"', 1),
}


@pytest.mark.parametrize("name", FAULTS | OF_ONE)
def test_a_fault_is_one_clear_line(
    cluster: Cluster, server: FaultServer, waits: list[float], name: str
) -> None:
    fault, words, requests = (FAULTS | OF_ONE)[name]
    server.inject(fault)
    with pytest.raises(ClusterError) as caught:
        cluster.get(ONE)
    assert words in caught.value.message
    assert "\n" not in caught.value.message
    assert TOKEN not in f"{caught.value.message} {caught.value.hint}"
    assert server.count() == requests
    assert len(waits) == requests - 1
    assert sum(waits) <= MAX_WAIT


@pytest.mark.parametrize("fault", [faults.broken(500), faults.broken(504), Cut(), faults.too_many(1)])
def test_what_passes_is_tried_again(cluster: Cluster, server: FaultServer, fault: Fault) -> None:
    server.inject(fault, times=RETRIES)
    assert cluster.get(ONE)["kind"] == "Deployment"
    assert server.count() == RETRIES + 1


def test_the_server_names_the_wait(cluster: Cluster, server: FaultServer, waits: list[float]) -> None:
    server.inject(faults.too_many(7), times=2)
    cluster.get(ONE)
    assert waits == [7.0, 7.0]


# --- pages --------------------------------------------------------------------------------------


def with_more(answer: Answer, **more: Any) -> Answer:
    return Answer(answer.status, json.dumps(json.loads(answer.body) | more).encode())


def expired(token: str | None) -> Answer:
    """410 as a real server says it: with a token to go on with the list as it is now."""
    return with_more(faults.gone(), metadata={"continue": token} if token else {})


def test_a_list_that_has_changed_is_read_on_once(cluster: Cluster, server: FaultServer) -> None:
    server.inject(expired(_token(1)), continued=True, times=1)
    names = [one["metadata"]["name"] for page in cluster.pages(IN_DEFAULT, limit=1) for one in page]
    assert names == ["web", "bad"]
    assert cluster.notes == [f"the list at {IN_DEFAULT} changed while it was read: later pages are newer"]  # type: ignore[attr-defined]
    assert server.count() == 3


@pytest.mark.parametrize(("token", "requests"), [(None, 2), (_token(1), 3)])
def test_a_list_that_keeps_changing_ends(
    cluster: Cluster, server: FaultServer, token: str | None, requests: int
) -> None:
    server.inject(expired(token), continued=True)
    with pytest.raises(ClusterError, match="the list of deployments changed too much while it was read"):
        list(cluster.pages(IN_DEFAULT, limit=1))
    assert server.count() == requests


def test_a_page_in_the_middle_is_tried_again(cluster: Cluster, server: FaultServer) -> None:
    server.inject(faults.broken(), continued=True, times=2)
    assert [len(page) for page in cluster.pages(IN_DEFAULT, limit=1)] == [1, 1]


class Page(list[Any]):
    """A list that can be watched."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def test_one_page_is_held_of_many_pods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alive: weakref.WeakSet[Page] = weakref.WeakSet()
    real = json.loads

    def watched(text: bytes) -> Any:
        found = real(text)
        if isinstance(found, dict) and "items" in found:
            found["items"] = Page(found["items"])
            alive.add(found["items"])
        return found

    def pod(number: int) -> dict[str, Any]:
        return {"metadata": {"name": f"p{number}", "namespace": "default"}, "spec": {"containers": []}}

    pages = number(40)
    total = pages * 500
    with FaultServer({PODS: Listed("v1", "Pod", pod, total)}, token=TOKEN) as server:
        made = opened(written(tmp_path, server.kubeconfig()))
        monkeypatch.setattr("gpuxlate.cluster.connection.json.loads", watched)
        count = most = 0
        for page in made.pages(PODS):
            count += len(page)
            gc.collect(0)
            most = max(most, len(alive))
        assert (count, server.count(PODS)) == (total, pages)
        assert most <= 2  # the one that is looked at, and the one before it until it is replaced


# --- applying -----------------------------------------------------------------------------------


def test_apply_is_server_side(cluster: Cluster, server: FaultServer) -> None:
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}
    assert cluster.apply(ONE, body, field_manager="gpuxlate", dry_run=True)["metadata"]["name"] == "web"
    [sent] = server.requests()
    assert sent.method == "PATCH"
    assert sent.headers["content-type"] == "application/apply-patch+yaml"
    assert sent.query == {"fieldManager": "gpuxlate", "fieldValidation": "Strict", "dryRun": "All"}
    assert json.loads(sent.body) == body
    cluster.apply(ONE, body, field_manager="gpuxlate", force=True)
    assert server.requests()[1].query["force"] == "true"


def test_a_failed_apply_is_not_tried_again(cluster: Cluster, server: FaultServer) -> None:
    server.inject(faults.broken(500))  # a webhook that refuses looks like this
    with pytest.raises(ClusterError, match="etcdserver"):
        cluster.apply(ONE, {}, field_manager="gpuxlate")
    assert server.count() == 1


CONFLICTS = (("hpa", ".spec.replicas"), ("kubectl", ".spec.a"), ("kubectl", ".spec.b"))


def conflict_in_full() -> Answer:
    """As Kubernetes says it: the fields stand in ``details``."""
    messages = [(f'conflict with "{manager}" using apps/v1', field) for manager, field in CONFLICTS]
    causes = [{"reason": "FieldManagerConflict", "message": one, "field": field} for one, field in messages]
    return with_more(faults.conflict(), details={"causes": causes})


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (conflict_in_full(), "hpa owns .spec.replicas; kubectl owns .spec.a, .spec.b"),
        (faults.conflict(), "kubectl owns .spec.replicas"),
    ],
)
def test_a_conflict_names_managers_and_fields(
    cluster: Cluster, server: FaultServer, fault: Fault, said: str
) -> None:
    server.inject(fault)
    with pytest.raises(ConflictError) as caught:
        cluster.apply(ONE, {}, field_manager="gpuxlate")
    assert caught.value.message == f'deployments "web" in namespace default: conflict: {said}'


# --- getting there ------------------------------------------------------------------------------


def test_a_host_without_address(tmp_path: Path) -> None:
    path = written(tmp_path, text_of([Context("x", "https://me:pw-secret@gpuxlate.invalid", None, {})]))
    with pytest.raises(ClusterError) as caught:
        opened(path, request_timeout=5.0).version()
    assert "gpuxlate.invalid (context x)" in caught.value.message
    assert "pw-secret" not in caught.value.message


def test_certificates(tmp_path: Path) -> None:
    with FaultServer({}, tls=True, token=TOKEN) as one, FaultServer({}, tls=True, token=TOKEN) as other:
        assert opened(written(tmp_path, one.kubeconfig())).version() == "v1.28.9"
        path = written(tmp_path, text_of([Context("x", one.url, other.authority, {"token": TOKEN})]))
        said = r"no secure connection to .*not signed by an authority"
        with pytest.raises(ClusterError, match=said) as caught:
            opened(path).version()
        assert "\n" not in caught.value.message


def test_skipped_verification_is_silent(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    with FaultServer({}, tls=True, token=TOKEN) as one:
        config = json.loads(text_of([Context("x", one.url, None, {"token": TOKEN})]))
        config["clusters"][0]["cluster"]["insecure-skip-tls-verify"] = True
        assert opened(written(tmp_path, json.dumps(config))).version() == "v1.28.9"
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


def test_the_user_to_act_as(server: FaultServer, kubeconfig: Path) -> None:
    config = json.loads(kubeconfig.read_text())
    config["users"][0]["user"] |= {"as": "jane", "as-groups": ["a", "b"], "as-user-extra": {"scope": ["x"]}}
    kubeconfig.write_text(json.dumps(config))
    opened(kubeconfig).version()
    headers = server.requests()[0].headers
    assert headers["impersonate-user"] == "jane"
    assert headers["impersonate-extra-scope"] == "x"
    assert headers["impersonate-group"] in ("a, b", "b")  # the log keeps one line of each name


@pytest.fixture
def with_plugin(kubeconfig: Path, tmp_path: Path) -> Callable[[str], Path]:
    def made(body: str) -> Path:
        program = tmp_path / "login-helper"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        config = json.loads(kubeconfig.read_text())
        run = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(program)}
        config["users"][0]["user"] = {"exec": run}
        kubeconfig.write_text(json.dumps(config))
        return program

    return made


CREDENTIAL = (
    '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "%s"}}'
)


def test_a_credential_plugin(
    with_plugin: Callable[[str], Path], kubeconfig: Path, server: FaultServer
) -> None:
    with_plugin(f"echo '{CREDENTIAL % TOKEN}'")
    opened(kubeconfig).version()
    assert server.requests()[0].headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (f"echo '{TOKEN} is over' >&2; exit 3", "exit code 3"),
        (f"echo '{TOKEN}'", "its output has no credential"),
        ('echo \'{"kind": "ExecCredential"}\'', "its output has no credential"),
        (None, "it is not installed"),
    ],
)
def test_a_credential_plugin_that_fails(
    with_plugin: Callable[[str], Path],
    kubeconfig: Path,
    capfd: pytest.CaptureFixture[str],
    body: str | None,
    why: str,
) -> None:
    program = with_plugin(body or "")
    if body is None:
        program.unlink()
    with pytest.raises(ClusterError) as caught:
        opened(kubeconfig)
    assert caught.value.message == f"context faults: the credential plug-in login-helper failed: {why}"
    assert "run login-helper yourself" in str(caught.value.hint)
    assert capfd.readouterr() == ("", "")  # the library would have printed it


# --- commands in containers ---------------------------------------------------------------------


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A kubectl that writes its arguments down and then does this."""

    def made(body: str) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir()
        program = folder / "kubectl"
        program.write_text(f'#!/bin/sh\necho "$@" >{folder}/called\n{body}\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
        return folder / "called"

    return made


def test_a_command_in_a_container(cluster: Cluster, kubeconfig: Path, kubectl: Callable[[str], Path]) -> None:
    called = kubectl("echo 4096MiB; echo warning >&2")
    assert cluster.exec("ml", "web-1", "main", ["nvidia-smi", "-q"]) == "4096MiB\n"
    assert called.read_text().strip() == (
        f"--namespace=ml --kubeconfig={kubeconfig} exec web-1 --container=main -- nvidia-smi -q"
    )


def test_a_command_that_fails(cluster: Cluster, kubectl: Callable[[str], Path]) -> None:
    kubectl("echo 'first' >&2; echo 'error: nvidia-smi: not found' >&2; exit 126")
    with pytest.raises(ClusterError) as caught:
        cluster.exec("ml", "web-1", "main", ["nvidia-smi"])
    assert caught.value.message == "container main of pod ml/web-1: nvidia-smi failed: nvidia-smi: not found"


def test_a_missing_object_is_told_apart(cluster: Cluster, server: FaultServer) -> None:
    real = faults.status(404, "NotFound", 'deployments.apps "nix" not found')
    server.inject(with_more(real, details={"name": "nix", "kind": "deployments"}))
    with pytest.raises(MissingError, match=r'^deployments "nix" in namespace default: not found$'):
        cluster.get(f"{IN_DEFAULT}/nix")


# --- which cluster is meant -----------------------------------------------------------------------

SECRET = "hidden-value-42"

FIRST = f"""\
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
SECOND = """\
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
    (tmp_path / "one").write_text(FIRST)
    (tmp_path / "two").write_text(SECOND)
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
    assert not Kubeconfig().was_read
    (files / ".kube").mkdir()
    (files / ".kube" / "config").write_text(SECOND)
    assert Kubeconfig().choose(None).name == "tke"


NO_CURRENT = FIRST.replace("current-context: ack", "current-context: ''")
NOT_THERE = [
    # what is wrong beside it: tests/errors/cases/10-clusters.yaml
    (FIRST, "akc", "the kubeconfig has no context 'akc'", "did you mean ack?"),
    (FIRST, "zzz", "the kubeconfig has no context 'zzz'", "contexts: ack, other"),
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
    (files / "one").write_text(FIRST.replace("https://one.example", server))
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
