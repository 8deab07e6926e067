"""Server-side apply of several objects. A dry run of all of them comes first: nothing is applied in part."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from gpuxlate.cluster.server import ApiServer, ClusterError, ConflictError, Json, MissingError
from gpuxlate.model.declarations import record
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import Lines, join_and, msg
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.plain import dump_yaml, to_python
from gpuxlate.yamltext.source import Source

MANAGER = "gpuxlate"
"""The field manager: what it applied it may change again."""


class ObjectError(UserError, ValueError):
    """An object that cannot be applied; ``hint``: what to write."""

    exit_code = Exit.FINDINGS


@record
class ObjectToApply:
    """An object to apply, and its path on the server."""

    name: str
    path: str
    body: Json


@record
class AppliedObject:
    """An object after its apply or a dry run; ``before``: as the server had it, None where it is new."""

    submitted: ObjectToApply
    result: Json
    before: Json | None = None

    @property
    def verb(self) -> str:
        """What happened to it, in kubectl's words."""
        if self.before is None:
            return "created"
        same = all(
            self.before["metadata"].get(name) == self.result["metadata"].get(name)
            for name in ("generation", "resourceVersion")
        )
        return "unchanged" if same else "configured"


class KindPaths:
    """The paths of kinds on the server, looked up once for each API version."""

    def __init__(self, server: ApiServer) -> None:
        self._server = server
        self._resources_by_root: dict[str, Mapping[str, Json]] = {}

    def path(self, body: Json, namespace: str) -> str:
        """The path of an object. Raises ClusterError for a kind that the server does not know."""
        version, kind = str(body["apiVersion"]), str(body["kind"])
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        resource = self._resources_by_kind(root, version).get(kind)
        if resource is None:
            raise ClusterError(
                msg("the server has no kind {kind} in {version}", kind=kind, version=version),
                "are its CRDs installed?",
            )
        name = quote(str(body["metadata"]["name"]), safe="")
        if not resource.get("namespaced"):
            return f"{root}/{resource['name']}/{name}"
        return f"{root}/namespaces/{quote(namespace, safe='')}/{resource['name']}/{name}"

    def _resources_by_kind(self, root: str, version: str) -> Mapping[str, Json]:
        if root not in self._resources_by_root:
            try:
                listed = self._server.get(root).get("resources") or ()
            except MissingError:
                raise ClusterError(
                    msg("the server has no API {version}", version=version), "are its CRDs installed?"
                ) from None
            # subresources have a slash in their names
            self._resources_by_root[root] = {
                resource["kind"]: resource for resource in listed if "/" not in resource["name"]
            }
        return self._resources_by_root[root]


def read_objects(source: Source) -> Iterator[Json]:
    """The objects of a text, the items of lists too. Raises ObjectError."""
    for document in documents(source):
        data = to_python(document.root) if document.root is not None else None
        if data is None:
            continue
        where = f"{source.name}, document {document.index + 1}"
        listed = isinstance(data, dict) and str(data.get("kind", "")).endswith("List")
        for item in data.get("items") or () if listed else (data,):
            yield _check_object(item, where)


def _check_object(body: Any, where: str) -> Json:
    if not isinstance(body, dict) or not body.get("apiVersion") or not body.get("kind"):
        raise ObjectError(msg("{where}: not a Kubernetes object", where=where), "write apiVersion and kind")
    metadata = body.get("metadata")
    if not isinstance(metadata, dict) or not metadata.get("name"):
        raise ObjectError(
            msg("{where}: the {body} has no name", where=where, body=body["kind"]),
            "apply needs metadata.name, not generateName",
        )
    return body


def locate_objects(server: ApiServer, bodies: Sequence[Json], namespace: str | None) -> list[ObjectToApply]:
    """The objects with their paths on the server. ``namespace``: that of ``-n``. Raises ObjectError and
    ClusterError."""
    kinds, objects = KindPaths(server), []
    for body in bodies:
        own_namespace = body["metadata"].get("namespace")
        name = f"{str(body['kind']).lower()}/{body['metadata']['name']}"
        if own_namespace and namespace and own_namespace != namespace:
            raise ObjectError(
                msg(
                    "{name} is in namespace {own}, not in {namespace}",
                    name=name,
                    own=own_namespace,
                    namespace=namespace,
                ),
                msg("omit -n, or pass -n {own}", own=own_namespace),
            )
        path = kinds.path(body, own_namespace or namespace or server.namespace)
        if "/namespaces/" in path and not own_namespace and body["kind"] != "Namespace":
            where = namespace or server.namespace
            body = {**body, "metadata": {**body["metadata"], "namespace": where}}
        objects.append(ObjectToApply(name, path, _quantities(body) if _of_kubernetes(body) else body))
    seen: set[str] = set()
    for sent_object in objects:
        if sent_object.path in seen:
            raise ObjectError(msg("{name} is given twice", name=sent_object.name), "apply only one of them")
        seen.add(sent_object.path)
    return objects


def _of_kubernetes(body: Json) -> bool:
    """The kind is one of Kubernetes itself; ``resources`` of others may mean something else."""
    return "." not in str(body["apiVersion"]).rpartition("/")[0]


def _quantities(data: Any) -> Any:
    """Quantities of resources as strings.

    Older servers reject numbers in server-side apply ("expected string", seen with 1.20).
    """
    if isinstance(data, list):
        return [_quantities(item) for item in data]
    if not isinstance(data, dict):
        return data
    converted = {name: _quantities(value) for name, value in data.items()}
    resources = converted.get("resources")
    if isinstance(resources, dict):
        converted["resources"] = {
            name: {k: str(v) if type(v) is int else v for k, v in amounts.items()}
            if name in ("limits", "requests") and isinstance(amounts, dict)
            else amounts
            for name, amounts in resources.items()
        }
    return converted


def try_objects(server: ApiServer, objects: Sequence[ObjectToApply], *, force: bool) -> list[AppliedObject]:
    """The result of a server-side dry run of every object.

    Raises ClusterError with a line for each object that the server refuses.
    """
    applied: list[AppliedObject] = []
    failed: list[ClusterError] = []
    for sent_object in objects:
        try:
            before = _find_object(server, sent_object.path)
            result = server.apply(
                sent_object.path, sent_object.body, field_manager=MANAGER, dry_run=True, force=force
            )
            applied.append(AppliedObject(sent_object, result, before))
        except ClusterError as error:
            failed.append(error)
    if failed:
        conflict = any(isinstance(error, ConflictError) for error in failed)
        hint = "nothing is applied; omit these fields, or pass --force-conflicts to take them over"
        other = failed[0].hint or "nothing is applied"
        raise ClusterError(Lines([error.message for error in failed]), hint if conflict else other)
    return applied


def _find_object(server: ApiServer, path: str) -> Json | None:
    try:
        return server.get(path)
    except MissingError:
        return None


def apply_objects(
    server: ApiServer, trial: Sequence[AppliedObject], *, force: bool
) -> Iterator[AppliedObject]:
    """Apply the objects of a dry run, one after the other. Raises ClusterError, which names the objects that
    were applied before."""
    before: list[str] = []
    for applied in trial:
        try:
            result = server.apply(
                applied.submitted.path, applied.submitted.body, field_manager=MANAGER, force=force
            )
        except ClusterError as error:
            names = ", ".join(before)
            so_far = msg("applied before: {names}", names=names) if before else msg("nothing is applied")
            hint = join_and(filter(None, (so_far, error.hint)), "{before}; {last}")
            raise ClusterError(error.message, hint) from None
        before.append(applied.submitted.name)
        yield AppliedObject(applied.submitted, result, applied.before)


# --- differences ------------------------------------------------------------------------------


def difference(applied: AppliedObject) -> str:
    """A unified diff of the fields that are sent; empty where nothing changes."""
    body = applied.submitted.body
    old = [] if applied.before is None else _lines(only_sent(applied.before, body))
    new = _lines(only_sent(applied.result, body))
    name = f"{applied.submitted.name}"
    return "".join(difflib.unified_diff(old, new, f"live/{name}", f"applied/{name}"))


def _lines(data: Any) -> list[str]:
    return dump_yaml(data).splitlines(keepends=True)


def only_sent(live: Any, body: Any) -> Any:
    """The fields of an object on the server that the body has too. Items of lists are matched by name."""
    if isinstance(live, dict) and isinstance(body, dict):
        return {name: only_sent(live[name], value) for name, value in body.items() if name in live}
    if isinstance(live, list) and isinstance(body, list):
        keyed = _by_name(live)
        if keyed is not None and _by_name(body) is not None:
            return [only_sent(keyed[item["name"]], item) for item in body if item["name"] in keyed]
        pairs = zip(live, [*body, *[None] * len(live)], strict=False)
        return [only_sent(value, written) for value, written in pairs]
    return live


def _by_name(items: Sequence[Any]) -> dict[str, Any] | None:
    if items and all(isinstance(item, dict) and "name" in item for item in items):
        return {str(item["name"]): item for item in items}
    return None
