"""The claims of the files of one run: found by name and namespace, the nearest file first."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from gpuxlate.inputs.files import Input, InputError, under_chart_templates
from gpuxlate.inputs.layers import layer_of
from gpuxlate.manifest.claims import MARKS, claims_of, may_name_claims, names_in
from gpuxlate.manifest.layers import Kind, Laid
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.claims import CLAIM, TEMPLATE, ClaimObject, Missing, Place, PodClaim
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import PodKeys
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.source import Source

_IN_TEMPLATE = say("a Helm template, which is not translated")
_IN_PATCH = say("a patch")
_IN_VALUES = say("the values of a chart")
_NO_POD = say("a place outside any pod")
_WORD = re.compile(r"[\w.-]+")


class Unread(NamedTuple):
    """A text that may name claims and that no translation of its pods changes: their objects have to stay."""

    file: str
    text: str
    where: Message

    def words(self) -> set[str]:
        """What the text may have as names."""
        return {one.strip(".-_") for one in _WORD.findall(self.text)}


class Text(NamedTuple):
    """What one text has: claims and templates, pods that name some, and what else may name some."""

    name: str
    objects: Sequence[ClaimObject] = ()
    pods: Sequence[Pod] = ()
    unread: Sequence[Unread] = ()


def text_of(source: Source, *, is_patch: bool = False) -> Text:
    """The claims of a source, as far as it is valid YAML. Of a patch, the names of claims in it alone."""
    objects: list[ClaimObject] = []
    pods: list[Pod] = []
    unread: list[Unread] = []
    if source.holds(*MARKS):
        from gpuxlate.rules.source import template_in

        end = 0
        try:
            for document in documents(source):
                end = document.end
                if not document.holds(*MARKS):
                    continue
                if is_patch:
                    unread += (Unread(source.name, name, _IN_PATCH) for name in names_in(document, ()))
                    continue
                objects += claims_of(document)
                if template_in(document) is not None:
                    unread.append(Unread(source.name, document.text, _IN_TEMPLATE))
                    continue
                users = [one for one in pods_in(document) if one.keys.claims]
                pods += users
                known = {one.reference.path for pod in users for one in pod.keys.claims if one.reference}
                unread += (Unread(source.name, name, _NO_POD) for name in names_in(document, known))
        except NotYamlError:  # which reading the source for its pods reports, but for templates
            unread.append(Unread(source.name, source.text[end:], _IN_TEMPLATE))
    return Text(source.name, objects, pods, unread)


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
        self._objects: dict[tuple[str, str], dict[str | None, _Named]] = {}
        self._pods: list[tuple[str, Pod]] = []
        self._unread: list[Unread] = []
        for text in texts:
            self._unread += text.unread
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

    def kept_by(self, claim: ClaimObject) -> Unread | None:
        """What names an object, or may name it, and is in no pod that can be translated."""
        return self._unread_by_name.get(claim.name)

    @cached_property
    def _unread_by_name(self) -> dict[str, Unread]:
        found: dict[str, Unread] = {}
        for one in self._unread:
            for word in one.words():
                found.setdefault(word, one)
        return found

    def near(self, namespace: str | None, name: str, file: str) -> list[ClaimObject]:
        """The templates of a name that would be applied together with those of a file."""
        named = self._objects.get((TEMPLATE, name), {}).get(namespace)
        return named.near(file) if named else []


@dataclass(eq=False)
class _Files:
    """What all files of a run have, read when the first pod with claims comes, or a new template."""

    files: tuple[Input, ...]

    @cached_property
    def names(self) -> Set[str]:
        return {one.name for one in self.files if one.path is not None}

    @cached_property
    def texts(self) -> tuple[Text, ...]:
        return tuple(_read(self.files))

    @cached_property
    def index(self) -> Index:
        return Index(self.texts)


class Claims:
    """The claims of all files of a run."""

    def __init__(self, given: Iterable[Input] = ()) -> None:
        """Those of files. Stdin and live objects can be read only once: they know their own claims."""
        self._files = _Files(tuple(given) if isinstance(given, Sequence) else ())
        self._last: Beside | None = None

    def beside(self, source: Source) -> Beside:
        """The claims as the pods of a source find them; one object for all documents of the source."""
        last = self._last
        if last is None or last.source is not source:
            last = self._last = Beside(source, self._files)
        return last


def _read(files: Iterable[Input]) -> Iterator[Text]:
    for one in files:
        if one.path is None:
            continue
        try:
            data = one.read_bytes()
            source = one.source(data) if may_name_claims(data) else None
        except InputError:
            continue  # reading it for its pods reports it
        if source is None:
            continue
        kind = layer_of(one.path).kind
        in_chart = under_chart_templates(one.path, os.getcwd())
        if in_chart or kind is Kind.VALUES:
            where = _IN_TEMPLATE if in_chart else _IN_VALUES
            yield Text(one.name, unread=(Unread(one.name, source.text, where),))
        else:
            yield text_of(source, is_patch=kind is Kind.PATCH)


@dataclass(eq=False)
class Beside:
    """The claims of a run as the pods of one source find them."""

    source: Source
    files: _Files

    @property
    def file(self) -> str:
        return self.source.name

    @cached_property
    def index(self) -> Index:
        if self.file in self.files.names:
            return self.files.index
        return Index((text_of(self.source), *self.files.texts))

    def laid(self, one: Laid) -> Laid:
        """The pod of a file with what its claims request."""
        return one._replace(pod=one.pod and self.resolved(one.pod))

    def resolved(self, pod: Pod) -> Pod:
        return self.index.resolved(pod, self.file) if pod.keys.claims else pod
