"""The claims of the files of one run: found by name and namespace, the nearest file first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from gpuxlate.inputs.files import Input, InputError
from gpuxlate.inputs.layers import layer_of
from gpuxlate.manifest.claims.reading import MARK, claims_in
from gpuxlate.manifest.layers import Kind, Laid
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.claims.objects import CLAIM, TEMPLATE, ClaimObject, Missing, Place, PodClaim
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.source import Source


class Text(NamedTuple):
    """What one text has: claims and templates, and pods that name some."""

    name: str
    objects: Sequence[ClaimObject] = ()
    pods: Sequence[Pod] = ()


def text_of(source: Source) -> Text:
    """The claims of a source, as far as it is valid YAML."""
    objects: list[ClaimObject] = []
    pods: list[Pod] = []
    if MARK in source.text:
        try:
            for document in documents(source):
                if MARK in document.text:
                    objects += claims_in(document)
                    pods += (one for one in pods_in(document) if one.keys.claims)
        except NotYamlError:
            pass  # reading the source for its pods reports it
    return Text(source.name, objects, pods)


class _Alike:
    """Objects of one kind, name and namespace that stand together; ``same``: they request the same."""

    def __init__(self) -> None:
        self.objects: list[ClaimObject] = []
        self.same = True

    def add(self, one: ClaimObject) -> None:
        self.objects.append(one)
        self.same = self.same and one.devices == self.objects[0].devices


class _Named:
    """The objects of one kind, name and namespace: all of them, those of a folder, and those of a file."""

    def __init__(self) -> None:
        self._all = _Alike()
        self._folders: dict[str, _Alike] = {}
        self._files: dict[str, _Alike] = {}

    def add(self, one: ClaimObject) -> None:
        file = one.place.file
        here = self._folders.setdefault(os.path.dirname(file), _Alike())
        for alike in (self._all, here, self._files.setdefault(file, _Alike())):
            alike.add(one)

    def nearest(self, file: str) -> _Alike:
        """Those of a file, else those of its folder, else all."""
        return self._files.get(file) or self._folders.get(os.path.dirname(file)) or self._all

    def near(self, file: str) -> list[ClaimObject]:
        """Those in the folder of a file."""
        found = self._folders.get(os.path.dirname(file))
        return found.objects if found else []


class Index:
    """The claims of some texts by their names, and the pods that name them."""

    def __init__(self, texts: Iterable[Text]) -> None:
        self.files: set[str] = set()
        self._objects: dict[tuple[str, str], dict[str | None, _Named]] = {}
        self._pods: list[tuple[str, Pod]] = []
        for text in texts:
            self.files.add(text.name)
            for one in text.objects:
                named = self._objects.setdefault((one.kind, one.name), {})
                named.setdefault(one.namespace, _Named()).add(one)
            self._pods += ((text.name, pod) for pod in text.pods)

    def resolved(self, pod: Pod, file: str) -> Pod:
        """A pod of a file with what its claims request, or why that is not known."""
        if not pod.keys.claims:
            return pod
        claims = tuple(self._resolved(one, pod.object.namespace, file) for one in pod.keys.claims)
        return pod._replace(keys=replace(pod.keys, claims=claims))

    def _resolved(self, claim: PodClaim, namespace: str | None, file: str) -> PodClaim:
        if claim.reference is None:
            message = say("claim {name} names no template", name=claim.name)
            return replace(claim, missing=Missing(message, "add resourceClaimTemplateName"))
        found = self._find(TEMPLATE if claim.template else CLAIM, claim.reference.text, namespace, file)
        if isinstance(found, ClaimObject):
            return replace(claim, devices=found.devices, api=found.api, found=found)
        return replace(claim, missing=found)

    def _find(self, kind: str, name: str, namespace: str | None, file: str) -> ClaimObject | Missing:
        named = self._objects.get((kind, name), {})
        mine = named.get(namespace)
        if not named:
            message = say("{kind} {name} is not in the input", kind=kind, name=name)
            return Missing(message, "give the file with it to the same command")
        if mine is None:
            message = say(
                "{kind} {name} is in namespace {other}, the pod in {own}",
                kind=kind,
                name=name,
                other=next(iter(named)) or "(none)",
                own=namespace or "(none)",
            )
            return Missing(message, "a pod finds objects of its own namespace alone")
        near = mine.nearest(file)
        if not near.same:
            message = say(
                "{kind} {name} is in the input more than once, with different requests", kind=kind, name=name
            )
            return Missing(message, "keep one of them, or translate each folder by itself")
        return near.objects[0]

    @cached_property
    def _users(self) -> dict[Place, list[tuple[str, PodKeys]]]:
        found: dict[Place, list[tuple[str, PodKeys]]] = {}
        for file, pod in self._pods:
            keys = self.resolved(pod, file).keys
            for place in {one.found.place: None for one in keys.claims if one.found}:
                found.setdefault(place, []).append((file, keys))
        return found

    def users(self, claim: ClaimObject) -> Sequence[tuple[str, PodKeys]]:
        """The pods whose claims are those of an object, each with its file."""
        return self._users.get(claim.place, ())

    def near(self, namespace: str | None, name: str, file: str) -> list[ClaimObject]:
        """The templates of a name that would be applied together with those of a file."""
        named = self._objects.get((TEMPLATE, name), {}).get(namespace)
        return named.near(file) if named else []


_NONE = Index(())


@dataclass(frozen=True)
class Claims:
    """The claims of all files of a run, which are read when a source with claims comes."""

    files: tuple[Input, ...] = ()

    @classmethod
    def of(cls, given: Iterable[Input]) -> Claims:
        """Those of files. Stdin and live objects can be read only once: they know their own claims."""
        return cls(tuple(given) if isinstance(given, Sequence) else ())

    @cached_property
    def _texts(self) -> tuple[Text, ...]:
        return tuple(_read(self.files))

    @cached_property
    def _index(self) -> Index:
        return Index(self._texts)

    def beside(self, source: Source) -> Beside:
        """The claims as the pods of a source find them. To be asked once for a source: it reads all of it."""
        if MARK not in source.text:
            return Beside(source.name, _NONE)
        if source.name in self._index.files:
            return Beside(source.name, self._index)
        return Beside(source.name, Index((text_of(source), *self._texts)))


def _read(files: Iterable[Input]) -> Iterator[Text]:
    for one in files:
        if one.path is None:
            continue
        if layer_of(one.path).kind is not Kind.MANIFESTS:  # parts of claims, which are none by themselves
            yield Text(one.name)
            continue
        try:
            data = one.read_bytes()
            if MARK.encode() in data:
                yield text_of(one.source(data))
        except InputError:
            continue  # reading it for its pods reports it


@dataclass(frozen=True, slots=True)
class Beside:
    """The claims of a run as the pods of one source find them."""

    file: str
    index: Index

    def laid(self, one: Laid) -> Laid:
        """The pod of a file with what its claims request."""
        return one._replace(pod=one.pod and self.resolved(one.pod))

    def resolved(self, pod: Pod) -> Pod:
        return self.index.resolved(pod, self.file)
