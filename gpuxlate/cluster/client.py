"""A live cluster by the options of kubectl: lists, objects, server-side apply, commands in containers.

The library ``kubernetes`` is imported when one is opened.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpuxlate.cluster.connection import Connection
from gpuxlate.cluster.errors import Request, one_line, unexpected
from gpuxlate.cluster.kubeconfig import Kubeconfig
from gpuxlate.cluster.server import ChoiceError, ClusterError, ExpiredError, Json
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import msg
from gpuxlate.report.characters import make_visible

EXEC_SECONDS = 60.0
"""The time limit of a command in a container."""


@record
class KubectlOptions:
    """The standard flags of kubectl.

    ``request_timeout``: seconds for each request, 0 for no limit, None for the default.
    """

    kubeconfig: str | None = None
    context: str | None = None
    namespace: str | None = None
    all_namespaces: bool = False
    selector: str | None = None
    request_timeout: float | None = None


def _to_stderr(text: str) -> None:
    print(f"note: {make_visible(text)}", file=sys.stderr)


class Cluster:
    """A cluster by its kubeconfig. Every failure is a ClusterError with one clear line.

    ``note`` gets one-line remarks that stop nothing.
    """

    def __init__(self, options: KubectlOptions, note: Callable[[str], None] = _to_stderr) -> None:
        self.options = options
        self.note = note
        self._connection = Connection(
            Kubeconfig(options.kubeconfig), options.context, options.request_timeout
        )

    @property
    def namespace(self) -> str:
        """The namespace of ``-n``, of the context, or ``default``."""
        context = self._connection.context
        return self.options.namespace or (context.namespace if context else None) or "default"

    def get(self, path: str, **query: Any) -> Json:
        """The object or list at a path."""
        return self._connection.request("GET", path, query)[0]

    def pages(self, path: str, *, selector: str | None = None, limit: int = 500) -> Iterator[list[Json]]:
        """The items of a list, page by page; only one page is in memory. Raises ClusterError.

        Where the server has expired the list (410), the rest is read once as it is now.
        """
        query: dict[str, Any] = {"limit": limit}
        if selector:
            query["labelSelector"] = selector
        restarted = False
        while True:
            try:
                page = self.get(path, **query)
            except ExpiredError as gone:
                if restarted or not gone.token:
                    raise
                restarted = True
                self.note(
                    msg("the list at {path} changed while it was read: later pages are newer", path=path)
                )
                query["continue"] = gone.token
                continue
            items = page.get("items")
            if not isinstance(items, list):
                request = Request(self._connection.server, "GET", path, set())
                raise unexpected(request, "a list of objects")
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
        """Server-side apply of one object; the object as it is then. Unknown fields are refused.

        Raises ConflictError where other managers own what it would change.
        """
        query = {"fieldManager": field_manager, "fieldValidation": "Strict"}
        if dry_run:
            query["dryRun"] = "All"
        if force:
            query["force"] = "true"
        applied, headers = self._connection.request(
            "PATCH",
            path,
            query,
            json.dumps(body).encode(),
            {"Content-Type": "application/apply-patch+yaml"},  # JSON is YAML
        )
        warning = headers.get("Warning")
        if warning:
            self.note(one_line(warning.partition('"')[2].rpartition('"')[0] or warning, set()))
        return applied

    def version(self) -> str:
        """The version of the server, such as ``v1.30.4-vke.3``."""
        return str(self.get("/version").get("gitVersion") or "unknown")

    def exec(self, namespace: str, pod: str, container: str, command: list[str]) -> str:
        """The output of a command in a running container. Raises ClusterError, ChoiceError.

        It is run by kubectl, which works with kubelets of every version.
        """
        program = shutil.which("kubectl")
        if program is None:
            raise ChoiceError(
                "running a command in a container needs kubectl on PATH",
                "or run it yourself: gpuxlate verify SPEC --nvidia-smi FILE reads its output",
            )
        flags = [f"--namespace={namespace}"]
        if self.options.kubeconfig:
            flags.append(f"--kubeconfig={self.options.kubeconfig}")
        if self.options.context:
            flags.append(f"--context={self.options.context}")
        where = msg("container {name} of pod {namespace}/{pod}", name=container, namespace=namespace, pod=pod)
        seconds = self.options.request_timeout or EXEC_SECONDS
        try:
            completed = subprocess.run(
                [program, *flags, "exec", pod, f"--container={container}", "--", *command],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ClusterError(
                msg(
                    "{where}: {command} did not end within {seconds:g} s",
                    where=where,
                    command=command[0],
                    seconds=seconds,
                ),
                "set a longer --request-timeout",
            ) from None
        if completed.returncode:
            lines = completed.stderr.decode("utf-8", "replace").strip().splitlines()
            code = f"exit {completed.returncode}"
            why = one_line(lines[-1].removeprefix("error: "), set()) if lines else code
            by_hand = f"kubectl exec -n {namespace} {pod} -c {container} -- {command[0]}"
            raise ClusterError(
                msg("{where}: {command} failed: {why}", where=where, command=command[0], why=why),
                msg("run it yourself: {command}", command=by_hand),
            )
        return completed.stdout.decode("utf-8", "replace")
