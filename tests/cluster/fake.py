"""A server in memory, with what the commands ask of one: objects by path, lists in pages, and apply."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuxlate.cluster.server import NODES_PATH, PODS_PATH, ClusterError, ConflictError, Json, MissingError

RESOURCES = {
    "/api/v1": [("Pod", "pods", True), ("Namespace", "namespaces", False), ("ConfigMap", "configmaps", True)],
    "/apis/apps/v1": [("Deployment", "deployments", True)],
}


class FakeServer:
    """Keeps objects in a dict. ``requests`` is what was asked of it; ``owners`` of fields conflict."""

    def __init__(
        self, nodes: Sequence[Json] = (), pods: Sequence[Json] = (), *, version: str = "v1.28.9"
    ) -> None:
        self.objects: dict[str, Json] = {}
        self.nodes, self.pods = list(nodes), list(pods)
        self.owners: dict[str, tuple[tuple[str, str], ...]] = {}
        self.refused: dict[str, ClusterError] = {}
        self.lists: dict[str, Sequence[Json]] = {}
        self.notes: list[str] = []
        self.requests: list[tuple[str, str]] = []
        self.printed = ""
        self.options: object = None
        self.namespace = "default"
        self._version = version

    def note(self, text: str) -> None:
        self.notes.append(text)

    def get(self, path: str, **_query: Any) -> Json:
        self.requests.append(("get", path))
        if path in self.refused:
            raise self.refused[path]
        if path in RESOURCES and path not in self.objects:
            rows = RESOURCES[path]
            named = [{"kind": kind, "name": name, "namespaced": inside} for kind, name, inside in rows]
            return {"resources": [*named, *({**one, "name": f"{one['name']}/status"} for one in named)]}
        for one in (*self.nodes, *self.pods):
            if path in (f"{NODES_PATH}/{one['metadata']['name']}", _pod_path(one)):
                return copy.deepcopy(one)
        if path not in self.objects:
            raise MissingError(f"{path}: not found")
        return copy.deepcopy(self.objects[path])

    def pages(self, path: str, *, selector: str | None = None, **_limit: int) -> Iterator[list[Json]]:
        self.requests.append(("list", path))
        listed = {NODES_PATH: self.nodes, PODS_PATH: self.pods, **self.lists}
        if path in self.refused:
            raise self.refused[path]
        if path not in listed:
            raise MissingError(f"{path}: not found")
        items = listed[path]
        if selector:
            key, _, value = selector.partition("=")
            items = [one for one in items if one["metadata"]["labels"].get(key) == value]
        for start in range(0, len(items), 2):  # pages of two: nothing may hang on a list being one
            yield copy.deepcopy(list(items[start : start + 2]))

    def apply(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        field_manager: str,
        dry_run: bool = False,
        force: bool = False,
    ) -> Json:
        self.requests.append(("try" if dry_run else "apply", path))
        assert field_manager == "gpuxlate"
        if path in self.refused:
            raise self.refused[path]
        if path in self.owners and not force:
            owned = self.owners[path]
            told = "; ".join(f"{manager} owns {field}" for manager, field in owned)
            raise ConflictError(f"{path}: conflict: {told}")
        before = self.objects.get(path, {})
        made = {**copy.deepcopy(before), **copy.deepcopy(dict(body))}
        number = int(before.get("metadata", {}).get("resourceVersion", "0"))
        same = before and {**before, "metadata": made["metadata"]} == made
        made["metadata"] = {**made["metadata"], "resourceVersion": str(number if same else number + 1)}
        if not dry_run:
            self.objects[path] = made
        return copy.deepcopy(made)

    def version(self) -> str:
        return self._version

    def exec(self, namespace: str, pod: str, container: str, command: list[str]) -> str:
        self.requests.append(("exec", f"{namespace}/{pod}/{container}: {' '.join(command)}"))
        return self.printed


def _pod_path(one: Json) -> str:
    metadata = one["metadata"]
    return f"/api/v1/namespaces/{metadata.get('namespace')}/pods/{metadata['name']}"
