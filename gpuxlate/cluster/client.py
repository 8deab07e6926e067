"""A live cluster: the one door to a Kubernetes API server.

The library ``kubernetes`` stands behind this module alone, and is loaded when a cluster is opened.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpuxlate.cluster.answers import shown
from gpuxlate.cluster.connection import Connection
from gpuxlate.cluster.errors import ChoiceError, ClusterError, ConflictError, ExpiredError, MissingError
from gpuxlate.cluster.kubeconfig import Kubeconfig
from gpuxlate.cluster.server import Json

__all__ = ["ChoiceError", "Cluster", "ClusterError", "ConflictError", "MissingError", "Options"]

EXEC_SECONDS = 60.0
"""A command in a container that takes longer is given up."""


@dataclass(frozen=True, slots=True)
class Options:
    """Which cluster, and what of it: the standard flags of kubectl.

    ``request_timeout``: seconds for each request, 0 for no limit, None for the usual.
    """

    kubeconfig: str | None = None
    context: str | None = None
    namespace: str | None = None
    all_namespaces: bool = False
    selector: str | None = None
    request_timeout: float | None = None


def _to_stderr(text: str) -> None:
    print(f"note: {text}", file=sys.stderr)


class Cluster:
    """A cluster by its kubeconfig. Every failure is a ClusterError with one clear line.

    ``note`` is told what is worth knowing and stops nothing.
    """

    def __init__(self, options: Options, note: Callable[[str], None] = _to_stderr) -> None:
        self.options = options
        self._note = note
        self._connection = Connection(
            Kubeconfig(options.kubeconfig), options.context, options.request_timeout
        )

    @property
    def namespace(self) -> str:
        """The namespace to work in: the one asked for, that of the context, or ``default``."""
        chosen = self._connection.chosen
        return self.options.namespace or (chosen.namespace if chosen else None) or "default"

    @property
    def context(self) -> str | None:
        """The name of the context; None inside a pod."""
        return self._connection.chosen.name if self._connection.chosen else None

    def get(self, path: str, **query: Any) -> Json:
        """The object or list at a path."""
        return self._connection.request("GET", path, query)[0]

    def pages(self, path: str, *, selector: str | None = None, limit: int = 500) -> Iterator[list[Json]]:
        """The items of a list, page by page; no more than one page is held here.

        Where the list has changed too much to go on as it was, it goes on once as it is now.
        """
        query: dict[str, Any] = {"limit": limit}
        if selector:
            query["labelSelector"] = selector
        went_on = False
        while True:
            try:
                page = self.get(path, **query)
            except ExpiredError as gone:
                if went_on or not gone.token:
                    raise
                went_on = True
                self._note(f"the list at {path} changed while it was read: its later pages are newer")
                query["continue"] = gone.token
                continue
            items = page.get("items")
            if not isinstance(items, list):
                raise ClusterError(
                    f"{self._connection.server.name}: the answer to GET {path} is no list of objects",
                    "is this a Kubernetes API server? a proxy or a login page may answer in its place",
                )
            token = (page.get("metadata") or {}).get("continue")
            del page
            yield items
            if not token:
                return
            query["continue"] = token

    def apply(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        field_manager: str,
        dry_run: bool = False,
        force: bool = False,
    ) -> Json:
        """Server-side apply of one object; the object as it is then.

        Raises ConflictError where others own what it would change. Unknown fields are refused.
        """
        query = {"fieldManager": field_manager, "fieldValidation": "Strict"}
        if dry_run:
            query["dryRun"] = "All"
        if force:
            query["force"] = "true"
        found, headers = self._connection.request(
            "PATCH",
            path,
            query,
            json.dumps(body).encode(),
            {"Content-Type": "application/apply-patch+yaml"},  # JSON is YAML
        )
        warning = headers.get("Warning")
        if warning:
            self._note(shown(warning.partition('"')[2].rpartition('"')[0] or warning, set()))
        return found

    def version(self) -> str:
        """The version of the server, such as ``v1.30.4-vke.3``."""
        return str(self.get("/version").get("gitVersion") or "unknown")

    def exec(self, namespace: str, pod: str, container: str, command: list[str]) -> str:
        """What a command prints in a running container.

        By kubectl, which speaks to kubelets of every version, and stands there where this is its plug-in.
        """
        program = shutil.which("kubectl")
        if program is None:
            raise ChoiceError(
                "running a command in a container needs kubectl on PATH",
                "or run it yourself: gpuxlate verify SPEC --nvidia-smi FILE reads what it printed",
            )
        flags = [f"--namespace={namespace}"]
        if self.options.kubeconfig:
            flags.append(f"--kubeconfig={self.options.kubeconfig}")
        if self.options.context:
            flags.append(f"--context={self.options.context}")
        where = f"container {container} of pod {namespace}/{pod}"
        seconds = self.options.request_timeout or EXEC_SECONDS
        try:
            done = subprocess.run(
                [program, *flags, "exec", pod, f"--container={container}", "--", *command],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ClusterError(
                f"{where}: {command[0]} did not end within {seconds:g} s", "--request-timeout gives it longer"
            ) from None
        if done.returncode:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            why = shown(lines[-1].removeprefix("error: "), set()) if lines else f"exit {done.returncode}"
            by_hand = f"see for yourself: kubectl exec -n {namespace} {pod} -c {container} -- {command[0]}"
            raise ClusterError(f"{where}: {command[0]} failed: {why}", by_hand)
        return done.stdout.decode("utf-8", "replace")
