"""A few REST calls over one kept connection, for making many objects fast."""

import http.client
import json
import ssl
from collections.abc import Mapping
from typing import Any

MERGE = "application/merge-patch+json"
"""The content type of a JSON merge patch."""

WITHOUT_NAMESPACE = ("Node", "Namespace", "ClusterRole", "ClusterRoleBinding")
"""The kinds of these tests that stand in no namespace."""


class RestError(Exception):
    """The server said no: ``status`` is the HTTP code, the text its message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


def collection(item: Mapping[str, Any]) -> str:
    """The path of the collection that this object belongs to."""
    version, kind = item["apiVersion"], item["kind"]
    folder = f"/apis/{version}" if "/" in version else f"/api/{version}"
    if kind not in WITHOUT_NAMESPACE:
        folder += f"/namespaces/{item['metadata'].get('namespace', 'default')}"
    return f"{folder}/{kind.lower()}s"


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
            headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content_type}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
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
