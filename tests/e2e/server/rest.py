"""A few REST calls over one kept connection, for making many objects fast."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from typing import Any

MERGE = "application/merge-patch+json"
"""The content type of a JSON merge patch."""

PATHS = {
    ("v1", "Node"): "/api/v1/nodes",
    ("v1", "Namespace"): "/api/v1/namespaces",
    ("v1", "Pod"): "/api/v1/namespaces/{namespace}/pods",
    ("v1", "ConfigMap"): "/api/v1/namespaces/{namespace}/configmaps",
    ("apps/v1", "Deployment"): "/apis/apps/v1/namespaces/{namespace}/deployments",
    ("apps/v1", "StatefulSet"): "/apis/apps/v1/namespaces/{namespace}/statefulsets",
    ("apps/v1", "DaemonSet"): "/apis/apps/v1/namespaces/{namespace}/daemonsets",
    ("apps/v1", "ReplicaSet"): "/apis/apps/v1/namespaces/{namespace}/replicasets",
    ("batch/v1", "Job"): "/apis/batch/v1/namespaces/{namespace}/jobs",
    ("rbac.authorization.k8s.io/v1", "ClusterRole"): "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"): (
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    ),
}
"""Where objects of each kind are made."""


class RestError(Exception):
    """The server said no: ``status`` is the HTTP code, the text its message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


def collection(item: Mapping[str, Any]) -> str:
    """The path of the collection that this object belongs to."""
    path = PATHS[item["apiVersion"], item["kind"]]
    return path.format(namespace=item["metadata"].get("namespace", "default"))


class Rest:
    """Calls to one server as one user."""

    def __init__(self, port: int, context: ssl.SSLContext, token: str) -> None:
        self._port, self._context, self._token = port, context, token
        self._connection: http.client.HTTPSConnection | None = None
        self.warnings: list[str] = []
        """The warnings of the last answer."""

    def call(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json"
    ) -> dict[str, Any]:
        """The JSON answer; a RestError for an answer of 400 and above."""
        connection = self._connection or http.client.HTTPSConnection(
            "127.0.0.1", self._port, context=self._context, timeout=60
        )
        self._connection = connection
        try:
            connection.request(
                method,
                path,
                body=None if body is None else json.dumps(body),
                headers={"Authorization": f"Bearer {self._token}", "Content-Type": content_type},
            )
            response = connection.getresponse()
            text = response.read()
            self.warnings = response.headers.get_all("Warning") or []
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {"message": text.decode(errors="replace")}
        if response.status >= 400:
            raise RestError(response.status, str(answer.get("message")))
        return dict(answer)

    def close(self) -> None:
        """Close the connection; the next call opens another."""
        if self._connection:
            self._connection.close()
            self._connection = None
