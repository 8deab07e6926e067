"""Stand-in servers on loopback, and the plug-in run against them."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.cli.kubectl import main
from gpuxlate.cluster import connection
from tests.e2e import faults, pods
from tests.e2e.fault_server import FaultServer
from tests.e2e.faults import Answer, Cut, Fault
from tests.e2e.listed import Listed

Plugin = Callable[..., tuple[int, str, str]]
"""``kubectl gpuxlate`` with these words: its exit code, stdout and stderr."""

TOKEN = "tok-very-secret-1234567890"
CORES = "tke.cloud.tencent.com/qgpu-core"


def deployment(name: str, namespace: str = "default", limits: dict[str, str] | None = None) -> dict[str, Any]:
    """A deployment as a server has it."""
    asked = pods.qgpu(20, 5) if limits is None else limits
    resources = {"limits": {key: str(value) for key, value in asked.items()}}
    metadata = {"name": name, "namespace": namespace, "uid": "0b9d", "resourceVersion": "7"}
    template = {
        "metadata": {"labels": {"app": name}, "creationTimestamp": None},
        "spec": {"containers": [{"name": "main", "image": pods.IMAGE, "resources": resources}]},
    }
    return {
        "metadata": metadata | {"managedFields": [{"manager": "kubectl"}]},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": template},
        "status": {"replicas": 1},
    }


DEPLOYMENTS = [deployment("web"), deployment("bad", limits={CORES: "33", "cpu": "1"})]
IN_DEFAULT = "/apis/apps/v1/namespaces/default/deployments"
EVERYWHERE = "/apis/apps/v1/deployments"
ELSEWHERE = Answer(302, b"", {"Location": "https://login.example/?token=" + TOKEN})
ECHO = faults.status(422, "Invalid", f"bad\x1b[31m\nheader Bearer {TOKEN} {TOKEN}")
FAULTS: dict[str, tuple[Fault, str, int]] = {
    # fault, words of the one line, requests made for it
    "500": (faults.broken(500), "fails (500), after 4 tries: etcdserver: leader changed", 4),
    "503": (faults.broken(503), "fails (503), after 4 tries", 4),
    "501": (faults.broken(501), "fails (501), after 1 try", 1),
    "cut": (Cut(), "closes every connection before the answer is complete", 4),
    "busy": (faults.too_many(2), "is too busy, after 4 tries", 4),
    "busy for long": (faults.too_many(3600), "is too busy, after 1 try", 1),
    "401": (faults.unauthorized(), "does not accept the credentials: they are expired", 1),
    "garbage": (faults.garbage(), "is not a JSON object (text/html)", 1),
    "half": (faults.half_json(), "is not a JSON object (application/json)", 1),
    "a list": (Answer(200, b"[]"), "is not a JSON object", 1),
    "deep": (Answer(200, b"[" * 100_000), "is not a JSON object", 1),
    "elsewhere": (ELSEWHERE, "(302): it is not a Kubernetes API server", 1),
    "echo": (ECHO, "(422): bad [31m header Bearer [hidden] [hidden]", 1),
}


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that would be waited for; no test waits."""
    found: list[float] = []
    monkeypatch.setattr(connection, "sleep", found.append)
    return found


@pytest.fixture
def server(waits: list[float]) -> Iterator[FaultServer]:
    """Two deployments in ``default``; one of them breaks a rule."""
    assert waits == []
    lists = {path: Listed("apps/v1", "Deployment", DEPLOYMENTS) for path in (IN_DEFAULT, EVERYWHERE)}
    with FaultServer(lists, token=TOKEN) as made:
        yield made


@pytest.fixture
def kubeconfig(server: FaultServer, tmp_path: Path) -> Path:
    path = tmp_path / "kubeconfig"
    path.write_text(server.kubeconfig())
    return path


@pytest.fixture
def plugin(
    kubeconfig: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Plugin:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    for name in ("FORCE_COLOR", "GPUXLATE_DEBUG", "GITHUB_ACTIONS", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "argv", ["kubectl-gpuxlate"])

    def called(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(words)
        out, err = capfd.readouterr()
        assert TOKEN not in out + err
        return int(stop.value.code or 0), out, err

    return called
