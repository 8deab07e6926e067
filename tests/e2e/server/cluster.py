"""A Kubernetes API server with its etcd on loopback, for tests.

    with Cluster() as cluster:
        cluster.add_nodes(nodes.VKE)
        cluster.kubectl("get", "nodes").stdout

No scheduler, no kubelet and no controller runs: a node is what the test says it is, and a Deployment makes no
pods by itself.
"""

import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from . import build
from .kubeconfig import MASTERS, VIEWERS, Access, Context, write_kubeconfig
from .pki import Authority
from .process import Process, apiserver, etcd, free_ports
from .rest import MERGE, Rest, RestError, collection

START_SECONDS = 90
"""It takes about five; a busy machine takes longer."""

_NAMESPACED = (
    *(f"apis/apps/v1 {kind}" for kind in ("deployments", "statefulsets", "daemonsets", "replicasets")),
    *("apis/batch/v1 jobs", "apis/batch/v1beta1 cronjobs", "api/v1 configmaps", "api/v1 pods"),
)
_READABLE = (
    "nodes,namespaces,pods,configmaps,services,replicationcontrollers,deployments.apps,statefulsets.apps,"
    "daemonsets.apps,replicasets.apps,jobs.batch,cronjobs.batch"
)

Objects = Iterable[Mapping[str, Any]]
Done = subprocess.CompletedProcess[str]


class ClusterError(Exception):
    """Why there is no cluster, in one line."""


class Cluster:
    """etcd and kube-apiserver in a temporary folder; a context manager."""

    folder: Path
    """Temporary; gone when the cluster is stopped."""
    authority: Path
    """The certificate of the authority that signed the server's."""
    access: Access
    """The users: see Access for their names."""
    rest: Rest
    """Calls with all rights."""

    def __init__(self, name: str = "e2e") -> None:
        self.name = name
        self.port = 0
        self._processes: list[Process] = []
        self._held = ExitStack()

    # life

    def __enter__(self) -> Self:
        """Start both servers and wait until they answer; nothing is left running when that fails."""
        with ExitStack() as held:
            server = build.ensure()
            temporary = tempfile.TemporaryDirectory(
                prefix=f"gpuxlate-{self.name}-", ignore_cleanup_errors=True
            )
            self.folder = Path(held.enter_context(temporary))
            held.callback(self._stop)
            authority = Authority(self.folder)
            self.authority = authority.pair.certificate
            self.access = Access(self.folder, authority.client("admin", MASTERS))
            self.access.write_plugins()
            self._launch(server, authority)
            held.callback(self.rest.close)
            # The built-in role "view" is filled by a controller, which does not run here.
            self.kubectl("create", "clusterrole", VIEWERS, "--verb=get,list,watch", f"--resource={_READABLE}")
            self.kubectl(
                "create", "clusterrolebinding", VIEWERS, "--clusterrole", VIEWERS, "--group", VIEWERS
            )
            self._held = held.pop_all()
        return self

    def __exit__(self, *raised: object) -> None:
        """End both servers and remove the folder."""
        self._held.close()

    def _stop(self) -> None:
        while self._processes:
            self._processes.pop().stop()  # the API server first: it came last

    def _launch(self, server: build.Server, authority: Authority) -> None:
        pair = authority.server()
        for attempt in (1, 2, 3):
            # Somebody may take a port between our look and the server's start.
            client, peer, self.port = free_ports(3)
            store = etcd(server.etcd, self.folder / f"etcd-{attempt}", client, peer)
            self._processes = [Process(store, self.folder / "etcd.log")]
            tokens = self.access.write_token_file()
            command = apiserver(
                server.apiserver, self.folder, self.port, client, self.authority, pair, tokens
            )
            self._processes.append(Process(command, self.folder / "apiserver.log"))
            context = ssl.create_default_context(cafile=str(self.authority))
            self.rest = Rest(self.port, context, self.access.tokens["admin-token"])
            failed = self._wait()
            if failed is None:
                return
            reason = failed.last_words()
            self.rest.close()
            self._stop()
            if "address already in use" not in failed.log.read_text(errors="replace") or attempt == 3:
                raise ClusterError(f"{failed.log.stem} does not start: {reason}")

    def _wait(self) -> Process | None:
        """None when the server is ready, else the process that failed."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            for process in self._processes:
                if process.ended():
                    return process
            try:
                self.rest.call("GET", "/readyz")
                self.rest.call("GET", "/api/v1/namespaces/default")
            except (OSError, RestError):
                time.sleep(0.1)
            else:
                return None
        return self._processes[-1]

    # what it is

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes]

    # how to reach it

    def context(self, user: str = "admin", name: str | None = None) -> Context:
        """A context of a kubeconfig, called like the cluster if no name is given."""
        url = f"https://127.0.0.1:{self.port}"
        return Context(name or self.name, url, self.authority, self.access.entry(user))

    def kubeconfig_file(self, user: str = "admin") -> Path:
        """A kubeconfig with one context."""
        return write_kubeconfig(self.folder / f"{user}.kubeconfig", [self.context(user)])

    def environment(self, user: str = "admin") -> dict[str, str]:
        """Environment variables for kubectl and its plug-ins as this user, with no home but the folder."""
        return dict(os.environ) | {"KUBECONFIG": str(self.kubeconfig_file(user)), "HOME": str(self.folder)}

    def kubectl(
        self, *arguments: str, user: str = "admin", stdin: str | None = None, check: bool = True
    ) -> Done:
        """Run the real kubectl; with ``check`` a failure of it is a ClusterError with what it said."""
        return run_kubectl(arguments, self.environment(user), stdin=stdin, check=check)

    def plugin(self, *words: str, user: str = "admin", stdin: str | None = None) -> Done:
        """``kubectl gpuxlate`` with these words."""
        return run_plugin(self.environment(user), *words, stdin=stdin)

    # what is in it

    def apply(self, objects: Objects, *flags: str, user: str = "admin") -> None:
        """``kubectl apply`` of all of them."""
        listed = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("apply", *flags, "-f", "-", user=user, stdin=json.dumps(listed))

    def create(self, objects: Objects) -> None:
        """Make them one after the other by REST: two milliseconds each, nothing added to them."""
        for item in objects:
            self.rest.call("POST", collection(item), item)

    def add_nodes(self, nodes: Objects) -> None:
        """Make nodes with the status they state, and with no taints but their own."""
        for node in nodes:
            name = node["metadata"]["name"]
            self.create([node])
            if "status" in node:
                self.set_node_status(name, node["status"])
            # The server taints each new node as not ready; with no kubelet, nobody takes that off.
            taints = node.get("spec", {}).get("taints")
            self.rest.call("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": taints}}, MERGE)

    def set_node_status(self, name: str, status: Mapping[str, Any]) -> None:
        """Merge into the status of a node: ``{"allocatable": {...}}``; a null removes a key."""
        self.rest.call("PATCH", f"/api/v1/nodes/{name}/status", {"status": status}, MERGE)

    def add_pods(self, pods: Objects) -> None:
        """Make pods, and give them the status they state (a new pod is always pending)."""
        for pod in pods:
            self.create([pod])
            if "status" in pod:
                path = f"{collection(pod)}/{pod['metadata']['name']}/status"
                self.rest.call("PATCH", path, {"status": pod["status"]}, MERGE)

    def clear(self) -> None:
        """Remove all nodes, pods and workloads, in all namespaces."""
        # In the background: the default for jobs waits for a garbage collector, which does not run here.
        now = {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
        now |= {"apiVersion": "v1", "kind": "DeleteOptions"}
        for namespace in self.rest.call("GET", "/api/v1/namespaces")["items"]:
            name = namespace["metadata"]["name"]
            if not name.startswith("kube-"):
                for api, kind in map(str.split, _NAMESPACED):
                    self.rest.call("DELETE", f"/{api}/namespaces/{name}/{kind}", now)
        self.rest.call("DELETE", "/api/v1/nodes", now)


def with_plugin(environment: Mapping[str, str]) -> dict[str, str]:
    """The same with ``kubectl-gpuxlate`` on PATH, which stands beside the Python that runs the tests."""
    kept = {name: value for name, value in environment.items() if name != "GITHUB_ACTIONS"}
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return kept | {"PATH": programs, "COLUMNS": "100"}


def run_plugin(environment: Mapping[str, str], *words: str, stdin: str | None = None) -> Done:
    """``kubectl gpuxlate`` with these words; it may fail."""
    return run_kubectl(["gpuxlate", *words], with_plugin(environment), stdin=stdin, check=False)


def run_kubectl(
    arguments: Sequence[str], environment: dict[str, str], *, stdin: str | None = None, check: bool = True
) -> Done:
    """Run kubectl from PATH."""
    if shutil.which("kubectl", path=environment.get("PATH")) is None:
        raise ClusterError("these tests need kubectl on PATH")
    command = ["kubectl", *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, input=stdin or ""
    )
    if check and done.returncode:
        raise ClusterError(f"kubectl {' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()}")
    return done
