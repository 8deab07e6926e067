"""Parts of pods, as patches and the values of a release have them, laid over pods of other files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple

from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import ObjectRef, Path
from gpuxlate.model.messages import Message
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, PodClaim, PodKeys, ScalarKind, Value
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.parse import Document


class Home(NamedTuple):
    """Where a pod is written: file, number of its document, and path there."""

    file: str
    document: int
    path: Path


class OverlayBase(NamedTuple):
    """A pod of another file, and the part that is laid over it. ``root``: the object of the pod.

    Paths of the part are those of its document; where that is a list of operations, those of the object.
    ``claims``: those of the pod with the part, after the patches of their templates behind the part.
    ``alone``: why another document of the file cannot be a patch of a template. ``home``: where the pod is
    written, if a kustomization has it.
    """

    base: Pod
    part: Pod
    root: nodes.Mapping | None = None
    claims: tuple[PodClaim, ...] = ()
    alone: Message | None = None
    home: Home | None = None


class OverlayPod(NamedTuple):
    """A pod of a file. ``over``: what it is laid over in other files, nothing where it is whole.

    ``unknown``: why that is not known. ``pod`` is None for operations alone.
    """

    pod: Pod | None
    over: tuple[OverlayBase, ...] = ()
    unknown: str | None = None

    def under(self, names: Mapping[str, str]) -> OverlayPod:
        """With resources under other names."""
        over = tuple(
            one._replace(base=one.base.under(names), part=one.part.under(names)) for one in self.over
        )
        return self._replace(pod=self.pod and self.pod.under(names), over=over)


class TemplatePatch(NamedTuple):
    """A patch of a template of claims. ``classes``: the device classes of the template and of the patch.

    ``users``: the objects with pods that use it. ``before``: the document before it, and its pods.
    ``why``: it is not known what it is for.
    """

    path: Path
    ref: ObjectRef
    classes: frozenset[str]
    users: tuple[ObjectRef, ...] = ()
    before: tuple[Document, Sequence[OverlayPod]] | None = None
    why: Message | None = None


Several = tuple[ContainerKeys, ...]
Terms = tuple[tuple[NodeRequirement, ...], ...]


def laid_over(base: PodKeys, part: PodKeys) -> PodKeys:
    """The keys of a pod after a part that gives keys, or deletes them by null.

    Containers are matched by name; those of the part come first, as kustomize has it. A list of terms is
    replaced. Paths are those of the part: what the base alone has would be below its container there, or pod.
    """
    spec, metadata = (base.path, part.path), (base.metadata_path, part.metadata_path)
    places = {name: spec if name in _OF_SPEC else metadata for name in MAPPINGS}
    values: dict[str, Any] = {
        name: _over(getattr(base, name), getattr(part, name), where) for name, where in places.items()
    }
    return replace(
        base,
        **values,
        containers=_containers_over(base.containers, part.containers, part.path, "containers"),
        init_containers=_containers_over(
            base.init_containers, part.init_containers, part.path, "initContainers"
        ),
        affinity=part.affinity or _terms_at(base.affinity, spec),
        preferred=part.preferred or _terms_at(base.preferred, spec),
        scheduler_name=_value_over(base.scheduler_name, part.scheduler_name, spec),
        node_name=_value_over(base.node_name, part.node_name, spec),
        path=part.path,
        metadata_path=part.metadata_path,
        selected={**dict.fromkeys(base.selected, part.path), **part.selected},
        grows=base.grows or part.grows,
    )


def unknown_containers(base: PodKeys, part: PodKeys) -> tuple[ContainerKeys, ...]:
    """The containers of a part that the base has not: kustomize adds them."""
    known = {(one.init, one.name) for one in base.all_containers()}
    return tuple(one for one in part.all_containers() if (one.init, one.name) not in known)


_OF_SPEC = ("node_selector", "stray_labels", "stray_annotations")
MAPPINGS = ("labels", "annotations", "owner_labels", "owner_annotations", *_OF_SPEC)


def _containers_over(base: Several, part: Several, path: Path, field: str) -> Several:
    old, said = {one.name: one for one in base}, {one.name: one for one in part}
    found = []
    for index, name in enumerate([*said, *(name for name in old if name not in said)]):
        # in no list of the part: an edit there is an error, a finding is placed above
        own = said.get(name) or ContainerKeys(name, init=field != "containers", path=(*path, field, index))
        was = old.get(name, ContainerKeys())
        where = (was.path, own.path)
        values: dict[str, Any] = {
            one: _over(getattr(was, one), getattr(own, one), where) for one in IN_CONTAINER
        }
        privileged = _value_over(was.privileged, own.privileged, where)
        claims = own.claims or was.claims  # which kustomize replaces
        sidecar = own.sidecar or was.sidecar
        more: dict[str, Any] = {"privileged": privileged, "claims": claims, "sidecar": sidecar}
        found.append(replace(own, index=index, **values, **more))
    return tuple(found)


IN_CONTAINER = ("limits", "requests", "env")


Moved = tuple[Path, Path]
"""The path of a container or a pod in the base, and that in the part."""


def _over(base: Mapping[str, Value], part: Mapping[str, Value], where: Moved) -> dict[str, Value]:
    both = {name: _value_over(base.get(name), part.get(name), where, name) for name in {**base, **part}}
    return {name: value for name, value in both.items() if value is not None}


def _value_over(base: Value | None, part: Value | None, where: Moved, name: str = "") -> Value | None:
    if part is not None:
        return None if part.kind is ScalarKind.NULL else part
    return replace(base, path=_moved(base.path, where, name)) if base is not None else None


def _moved(path: Path, where: Moved, name: str) -> Path:
    """A path of the base in the part, where nothing is at it: no item of a list there is meant."""
    old, new = where
    below = path[len(old) :] if path[: len(old)] == old else path[-1:]
    named = tuple(takewhile(lambda step: isinstance(step, str), below))
    return (*new, *named) if named == below else (*new, *named, name)


def _terms_at(terms: Terms, where: Moved) -> Terms:
    return tuple(tuple(replace(one, path=_moved(one.path, where, one.key)) for one in term) for term in terms)
