"""What a server may do instead of answering well."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, headers and a body of our own."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer for this long, then the connection is closed."""

    seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class Cut:
    """The right answer, its length announced, but the connection closed after this part of the body."""

    share: float = 0.5


Fault = Answer | Hang | Cut


def status(code: int, reason: str, message: str, *, headers: Mapping[str, str] | None = None) -> Answer:
    """An error as Kubernetes says it: a Status object."""
    said = {"status": "Failure", "message": message, "reason": reason, "code": code}
    document = {"kind": "Status", "apiVersion": "v1", "metadata": {}, **said}
    return Answer(code, json.dumps(document).encode(), headers or {})


def gone() -> Answer:
    """410: the continue token is older than what the store still knows."""
    said = "The provided continue parameter is too old to display a consistent list result."
    return status(410, "Expired", said)


def too_many(retry_after: int = 1) -> Answer:
    """429 with Retry-After in seconds."""
    said = "the server has received too many requests and has asked us to try again later"
    return status(429, "TooManyRequests", said, headers={"Retry-After": str(retry_after)})


def broken(code: int = 500) -> Answer:
    """500 (or 502, 503, 504) with a Status."""
    return status(code, "InternalError", "etcdserver: leader changed")


def unauthorized() -> Answer:
    """401: the token is no longer good."""
    return status(401, "Unauthorized", "Unauthorized")


def forbidden(user: str = "viewer", verb: str = "list", resource: str = "nodes", group: str = "") -> Answer:
    """403: this user may not."""
    said = f'User "{user}" cannot {verb} resource "{resource}" in API group "{group}" at the cluster scope'
    return status(403, "Forbidden", f"{resource} is forbidden: {said}")


def conflict(manager: str = "kubectl", path: str = ".spec.replicas") -> Answer:
    """409 of a server-side apply: another manager owns the field."""
    said = f'Apply failed with 1 conflict: conflict with "{manager}" using apps/v1: {path}'
    return status(409, "Conflict", said)


def garbage() -> Answer:
    """200 with what is no JSON: a proxy's page, say."""
    return Answer(200, b"<html><body>login</body></html>", content_type="text/html")


def half_json() -> Answer:
    """200, labelled as JSON, which ends too early."""
    return Answer(200, b'{"kind": "PodList", "items": [{"metadata": {"na')


@dataclass(slots=True)
class Rule:
    """When a fault strikes: on a path, which is a regular expression, and never more than that says."""

    fault: Fault
    path: re.Pattern[str]
    method: str | None = None
    continued: bool | None = None
    """Only requests with (True) or without (False) a continue token."""
    times: int | None = None
    """So often, then all is well again (None: for ever)."""
    skip: int = 0
    """So many first requests pass."""

    def strikes(self, method: str, path: str, continued: bool) -> bool:
        """Whether it strikes this request; counts it."""
        meant = self.path.fullmatch(path) and self.method in (None, method)
        if not meant or self.continued not in (None, continued) or self.times == 0:
            return False
        if self.skip:
            self.skip -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True
