"""The requests that are sent to an API server, and their errors. ``client.Cluster`` is the real one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from gpuxlate.model.errors import Exit, UserError

Json = dict[str, Any]
"""An object of the server."""

NODES_PATH = "/api/v1/nodes"
PODS_PATH = "/api/v1/pods"
ENDED_PHASES = ("Succeeded", "Failed")
"""Phases of pods that use nothing any more."""


class ClusterError(UserError):
    """One clear line, and what to do. Ends a command with exit 3."""

    exit_code = Exit.INPUT


class ChoiceError(ClusterError):
    """A wrong choice: an unknown context, a library that is not installed. Ends with exit 2."""

    exit_code = Exit.USAGE


class ConflictError(ClusterError):
    """Other managers own fields that an apply would change."""


class MissingError(ClusterError):
    """The server does not have the object, or the kind."""


class FailingError(ClusterError):
    """The server is too busy or fails (429, 5xx); where an API is served by another one, that one does."""


class ForbiddenError(ClusterError):
    """The user lacks the permission for a request (403)."""


class ExpiredError(ClusterError):
    """The list has expired on the server. ``token``, if any, continues with the list as it is now."""

    def __init__(self, message: str, hint: str | None, token: str | None) -> None:
        super().__init__(message, hint)
        self.token = token


class ApiServer(Protocol):
    """A cluster. Every failure is a ClusterError."""

    @property
    def namespace(self) -> str:
        """The namespace to work in."""

    def note(self, text: str) -> None:
        """Show the user a remark of one line; the run goes on."""

    def get(self, path: str, **query: Any) -> Json:
        """The object or list at a path."""

    def pages(self, path: str, *, selector: str | None = None, limit: int = 500) -> Iterator[list[Json]]:
        """The items of a list, page by page."""

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
        """The output of a command in a running container."""
