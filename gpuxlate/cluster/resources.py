"""Live objects by the arguments of kubectl: ``deploy/web``, ``deploy web``, ``pods -l app=x``, ``-A``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import quote

from gpuxlate.cluster.server import ENDED_PHASES, ApiServer, ChoiceError, FailingError, Json, MissingError
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import did_you_mean, msg


@record
class ResourceKind:
    """One kind of objects. ``short`` names it in diagnostics; ``words`` are its other names."""

    version: str
    kind: str
    resource: str
    short: str
    words: tuple[str, ...] = ()
    namespaced: bool = True
    older: tuple[str, ...] = ()  # versions of older servers

    def path(self, namespace: str | None, name: str | None = None) -> str:
        """The path of the kind, or of one object of it, in the API; without a namespace, that of all."""
        base = f"/api/{self.version}" if "/" not in self.version else f"/apis/{self.version}"
        if namespace is not None and self.namespaced:
            base += f"/namespaces/{quote(namespace, safe='')}"
        base += f"/{self.resource}"
        return f"{base}/{quote(name, safe='')}" if name is not None else base

    @property
    def group(self) -> str:
        """The group of the API; empty for the core."""
        return self.version.rpartition("/")[0]

    def has_name(self, word: str) -> bool:
        """Whether a word names the kind, as kubectl takes it: ``deploy``, ``deployments``, ``Deployment``,
        ``deployments.apps``, ``deployments.v1.apps``."""
        name, _, group = word.lower().partition(".")
        if name not in (self.resource, self.kind.lower(), self.short, *self.words):
            return False
        version = self.version.rpartition("/")[2]
        return group in ("", self.group, version, f"{version}.{self.group}")


POD_KIND = ResourceKind("v1", "Pod", "pods", "pod", ("po",))

BUILT_IN_RESOURCES: tuple[ResourceKind, ...] = (
    ResourceKind("apps/v1", "Deployment", "deployments", "deploy"),
    ResourceKind("apps/v1", "StatefulSet", "statefulsets", "sts"),
    ResourceKind("apps/v1", "DaemonSet", "daemonsets", "ds"),
    ResourceKind("batch/v1", "Job", "jobs", "job"),
    ResourceKind("batch/v1", "CronJob", "cronjobs", "cronjob", ("cj",), older=("batch/v1beta1",)),
    POD_KIND,
    ResourceKind("apps/v1", "ReplicaSet", "replicasets", "rs"),
    ResourceKind("v1", "ReplicationController", "replicationcontrollers", "rc"),
)
"""The kinds of Kubernetes itself that hold pods."""

DEFAULT_KINDS = BUILT_IN_RESOURCES[:6]
"""The kinds where none is named, and of ``all``."""

_CONTROLLERS = frozenset(
    {"ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "CronJob", "Node"}
)
"""Owners that are listed themselves, or whose owners are; and the node, which owns its static pods."""


@record
class FoundObject:
    """One object. ``named``: the user named it."""

    name: str
    object: Json
    named: bool


@record
class ObjectSelection:
    """What the arguments select: kinds, and a name for one object. ``everything``: no kind is named."""

    kinds: tuple[ResourceKind, ...]
    name: str | None = None
    everything: bool = False


def kind_words(kind: ResourceKind) -> tuple[str, ...]:
    """The names of a kind, the shortest first."""
    return tuple(dict.fromkeys((kind.short, kind.resource, *kind.words)))


def selections_of(server: ApiServer, arguments: Sequence[str]) -> list[ObjectSelection]:
    """What the arguments select; without arguments everything. Raises ChoiceError.

    The server is asked only about kinds that are not of Kubernetes itself.
    """
    if not arguments:
        return [ObjectSelection(DEFAULT_KINDS, everything=True)]
    if any("/" in argument for argument in arguments):
        bare = [argument for argument in arguments if "/" not in argument]
        if bare:
            raise ChoiceError(
                msg("{bare}: write KIND/NAME for each, or one KIND and then names", bare=bare[0])
            )
        pairs = [argument.split("/") for argument in arguments]
        for argument, pair in zip(arguments, pairs, strict=True):
            if len(pair) != 2 or not all(pair):
                raise ChoiceError(msg("{one}: neither a file nor KIND/NAME", one=argument))
        return [
            ObjectSelection((resource_kind(server, kind),), name)
            for kind, name in dict.fromkeys(map(tuple, pairs))
        ]
    first, *names = arguments
    if first == "all" and not names:
        return [ObjectSelection(DEFAULT_KINDS, everything=True)]
    kinds = tuple(dict.fromkeys(resource_kind(server, word) for word in first.split(",") if word))
    if not names:
        return [ObjectSelection((kind,)) for kind in kinds]
    return [ObjectSelection((kind,), name) for kind in kinds for name in dict.fromkeys(names)]


def resource_kind(server: ApiServer, word: str) -> ResourceKind:
    """The kind that a word means: one of Kubernetes itself, else one of the server. Raises ClusterError."""
    built_in = next((kind for kind in BUILT_IN_RESOURCES if kind.has_name(word)), None)
    kind = built_in or _discovered(server, word)
    if kind is None:
        known_words = [known_word for kind in BUILT_IN_RESOURCES for known_word in kind_words(kind)]
        hint = did_you_mean(word.lower(), known_words, "kubectl api-resources lists them")
        raise ChoiceError(msg("{word}: no such file, and the cluster has no such kind", word=word), hint)
    return kind


def _discovered(server: ApiServer, word: str) -> ResourceKind | None:
    """Look in the API groups of the server, in its order, until the kind is found.

    A group that fails, such as that of a metrics server that is down, is left out with a note where another
    has the kind. Raises ClusterError.
    """
    # DynamicClient of the official client asks every group, also for pods (34 requests where there are 31;
    # none here, and two for KIND.GROUP), keeps the answers in the folder for temporary files, finds nothing
    # where one announced version is not served, and has no kind, without a word, where its group fails.
    failed: dict[str, FailingError] = {}
    group = word.partition(".")[2]
    versions = [] if group else ["v1"]
    for api_group in server.get("/apis").get("groups") or ():
        preferred = str((api_group.get("preferredVersion") or {}).get("groupVersion") or "")
        name = str(api_group.get("name"))
        if preferred and (not group or group == name or group.partition(".")[2] == name):
            exact = f"{name}/{group.partition('.')[0]}" if group != name and group else preferred
            versions.append(exact)
    for version in versions:
        base = f"/api/{version}" if "/" not in version else f"/apis/{version}"
        try:
            listed = server.get(base).get("resources") or ()
        except MissingError:  # the version is announced, but not served
            continue
        except FailingError as error:
            failed[version] = error
            continue
        for resource in listed:
            kind = _kind(version, resource)
            if kind is not None and kind.has_name(word):
                for name, failure in failed.items():
                    server.note(msg("kinds of {name} are left out: {why}", name=name, why=failure.message))
                return kind
    for failure in failed.values():
        raise failure
    return None


def _kind(version: str, resource: Json) -> ResourceKind | None:
    """A row of the server's list; None for what cannot be listed, such as ``pods/log``."""
    name = str(resource.get("name") or "")
    if not name or "/" in name or "list" not in (resource.get("verbs") or ()):
        return None
    singular = str(resource.get("singularName") or resource.get("kind") or name).lower()
    words = tuple(str(word) for word in resource.get("shortNames") or ())
    return ResourceKind(
        version, str(resource.get("kind")), name, singular, words, bool(resource.get("namespaced"))
    )


def list_objects(
    server: ApiServer,
    selections: Sequence[ObjectSelection],
    *,
    all_namespaces: bool = False,
    selector: str | None = None,
    foreign_pods: bool = True,
) -> Iterator[FoundObject]:
    """The selected objects, page by page, with names like ``deploy/web``; with -A ``ml/deploy/web``.

    Pods that have ended are skipped, unless they are named. Where no kind is named, pods and jobs of
    controllers that are listed themselves are skipped too; without ``foreign_pods``, so are pods of
    controllers of other kinds. Raises ClusterError, ChoiceError.
    """
    namespace = None if all_namespaces else server.namespace
    for selection in selections:
        if selection.name is not None:
            if selector:
                raise ChoiceError("a selector and a name cannot be combined", "omit -l or the name")
            if all_namespaces:
                raise ChoiceError("a named object is in one namespace", "pass -n instead of -A")
            yield _single(server, selection.kinds[0], namespace, selection.name)
            continue
        for kind in selection.kinds:
            for item in _listed(server, kind, namespace, selector, optional=selection.everything):
                if _has_ended(item) or (selection.everything and not _is_independent(item, foreign_pods)):
                    continue
                metadata = item.get("metadata") or {}
                name = f"{kind.short}/{metadata.get('name')}"
                if all_namespaces and metadata.get("namespace"):
                    name = f"{metadata['namespace']}/{name}"
                yield FoundObject(name, item, named=False)


def _single(server: ApiServer, kind: ResourceKind, namespace: str | None, name: str) -> FoundObject:
    if name.strip(".") == "":  # a path of . or .. is another resource
        raise ChoiceError(
            msg("{short}/{name}: invalid name", short=kind.short, name=name),
            "write KIND/NAME, as in deploy/web",
        )
    for version in (kind.version, *kind.older):
        in_version = replace(kind, version=version)
        try:
            item = server.get(in_version.path(namespace, name))
        except MissingError:
            if version == (kind.version, *kind.older)[-1]:
                raise
            continue
        return FoundObject(
            f"{kind.short}/{name}", {"apiVersion": version, "kind": kind.kind, **item}, named=True
        )
    raise AssertionError("the last version returns or raises")


def _listed(
    server: ApiServer, kind: ResourceKind, namespace: str | None, selector: str | None, *, optional: bool
) -> Iterator[Json]:
    """The objects of a kind; the items of a list do not have a kind of their own."""
    for version in (kind.version, *kind.older):
        in_version = replace(kind, version=version)
        try:
            for page in server.pages(in_version.path(namespace), selector=selector):
                for item in page:
                    yield {"apiVersion": version, "kind": kind.kind, **item}
                page.clear()
            return
        except MissingError:
            if version == (kind.version, *kind.older)[-1] and not optional:
                raise


def _has_ended(item: Json) -> bool:
    return item["kind"] == "Pod" and (item.get("status") or {}).get("phase") in ENDED_PHASES


def _is_independent(item: Json, foreign_pods: bool) -> bool:
    if item["kind"] not in ("Pod", "Job"):
        return True
    owners = [
        owner
        for owner in (item.get("metadata") or {}).get("ownerReferences") or ()
        if owner.get("controller")
    ]
    return not owners or (foreign_pods and all(owner.get("kind") not in _CONTROLLERS for owner in owners))
