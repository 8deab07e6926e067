"""What this package asks of an API server. ``client.Cluster`` is one; tests have another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

Json = dict[str, Any]
"""An object as the server has it."""

NODES = "/api/v1/nodes"
PODS = "/api/v1/pods"


class ObjectError(ValueError):
    """A document that cannot be used here; ``hint`` says what to write."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class Server(Protocol):
    """A cluster. Whatever goes wrong is a ClusterError with one clear line."""

    @property
    def namespace(self) -> str:
        """The namespace to work in."""

    def get(self, path: str, **query: Any) -> Json:
        """One object."""

    def pages(self, path: str, *, selector: str | None = None, limit: int = 500) -> Iterator[list[Json]]:
        """A list, page by page."""

    def apply(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        field_manager: str,
        dry_run: bool = False,
        force: bool = False,
    ) -> Json:
        """Server-side apply of one object; the object as it is then."""

    def version(self) -> str:
        """The version of the server, such as ``v1.30.4-vke.3``."""

    def exec(self, namespace: str, pod: str, container: str, command: list[str]) -> str:
        """What a command prints in a running container."""
