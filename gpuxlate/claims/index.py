"""The claims of some texts: found by name and namespace, the nearest file first."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from gpuxlate.manifest.claims import MARK, claim_names_in, claims_of, templates_made
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import CLAIM, TEMPLATE, ClaimObject, Missing, ObjectPlace, PodClaim, PodKeys
from gpuxlate.yamltext.parse import Document, DocumentReader, NotYamlError, documents
from gpuxlate.yamltext.source import Source

_IN_TEMPLATE = msg("a Helm template, which is not translated")
_IN_PATCH = msg("a patch")
_NO_POD = msg("a place outside any pod")
_OLDER_FORM = msg("the source of a claim, which ended with resource.k8s.io/v1alpha2")
_WORD = regex(r"[\w.-]+")


DEFAULT_NAMESPACE = "default"
"""The namespace of an object that names none, unless the command that applies it says another."""


class Unread(NamedTuple):
    """A text that may name claims and is not translated: the claims and templates that it names stay."""

    file: str
    text: str
    where: Message

    def words(self) -> set[str]:
        """The words of the text, any of which may be the name of a claim."""
        return {word.strip(".-_") for word in _WORD.findall(self.text)}


class ClaimText(NamedTuple):
    """The claims and templates of one text (``objects``), the pods that name some, and its unread parts that
    may name some.

    ``from_controllers``: namespace and name of each template that a controller makes, and the kind of the
    object from which it makes it.
    """

    name: str
    objects: Sequence[ClaimObject] = ()
    pods: Sequence[Pod] = ()
    unread: Sequence[Unread] = ()
    from_controllers: Sequence[tuple[str | None, str, str]] = ()


TextsIn = Callable[[Document], Iterable[tuple[Path, Source]]]
"""Gives the texts in strings of a document, such as patches, with the paths of the strings."""


def _no_texts(_document: Document) -> Iterable[tuple[Path, Source]]:
    return ()


def claim_text_of(
    source: Source,
    read: DocumentReader = documents,
    *,
    is_patch: bool = False,
    patches_in: TextsIn = _no_texts,
) -> ClaimText:
    """The claims of a source, as far as it is valid YAML. ``is_patch``: only the names of claims are taken,
    as they are from the texts of ``patches_in``."""
    objects: list[ClaimObject] = []
    pods: list[Pod] = []
    unread: list[Unread] = []
    made_by_controllers: list[tuple[str | None, str, str]] = []
    if source.may_hold(MARK):
        from gpuxlate.rules.source import template_start

        end = 0
        try:
            for document in read(source):
                end = document.end
                if not document.may_hold(MARK):
                    continue
                if is_patch:
                    unread += (
                        Unread(source.name, name, _IN_PATCH) for _, name in claim_names_in(document, ())
                    )
                    continue
                objects += claims_of(document)
                made_by_controllers += templates_made(document)
                if template_start(document) is not None:
                    unread.append(Unread(source.name, document.text, _IN_TEMPLATE))
                    continue
                users = [pod for pod in pods_in(document) if pod.keys.claims]
                pods += users
                claims = [claim for pod in users for claim in pod.keys.claims]
                in_pods = {claim.reference.path for claim in claims if claim.reference}
                older_forms = {claim.source.path for claim in claims if claim.source}
                for path, patch in patches_in(document):
                    in_pods.add(path)
                    unread += claim_text_of(patch, is_patch=True).unread
                for path, name in claim_names_in(document, in_pods):
                    where = _OLDER_FORM if path[:-1] in older_forms else _NO_POD
                    unread.append(Unread(source.name, name, where))
        except NotYamlError:  # which reading the source for its pods reports, but for templates
            unread.append(Unread(source.name, source.text[end:], _IN_TEMPLATE))
    return ClaimText(source.name, objects, pods, unread, made_by_controllers)


ClaimScope = tuple[str, str]
"""Where a claim is looked up: ``file``, ``folder`` or ``all``, with the name of the file or folder."""
_ALL: ClaimScope = ("all", "")


def _scopes(file: str) -> tuple[ClaimScope, ClaimScope, ClaimScope]:
    """The scopes of a file, the nearest first."""
    return ("file", file), _folder(file), _ALL


def _folder(file: str) -> ClaimScope:
    return "folder", os.path.dirname(file)


class ClaimIndex:
    """The claims of some texts by kind, namespace, name and scope, and the pods that name them."""

    def __init__(self, texts: Iterable[ClaimText]) -> None:
        self._objects: dict[tuple[str, str, str, ClaimScope], list[ClaimObject]] = {}
        self._differing: set[tuple[str, str, str, ClaimScope]] = (
            set()
        )  # objects that request different devices
        self._namespaces: dict[tuple[str, str], str] = {}  # the first one, by kind and name
        self._created_kinds: dict[tuple[str, str], str] = {}
        self._pods: list[tuple[str, Pod]] = []
        self._unread: list[Unread] = []
        for text in texts:
            self._unread += text.unread
            for claim in text.objects:
                self._add(claim)
            self._created_kinds.update(
                {
                    (namespace or DEFAULT_NAMESPACE, name): kind
                    for namespace, name, kind in text.from_controllers
                }
            )
            self._pods += ((text.name, pod) for pod in text.pods)

    @classmethod
    def of_objects(cls, claims: Iterable[ClaimObject]) -> ClaimIndex:
        """The index of objects that are in no file, as those that kustomize builds."""
        return cls((ClaimText("", tuple(claims)),))

    def _add(self, claim: ClaimObject) -> None:
        namespace = claim.namespace or DEFAULT_NAMESPACE
        self._namespaces.setdefault((claim.kind, claim.name), namespace)
        for scope in _scopes(claim.place.file):
            key = claim.kind, namespace, claim.name, scope
            same_name = self._objects.setdefault(key, [])
            same_name.append(claim)
            if claim.devices != same_name[0].devices:
                self._differing.add(key)

    def resolved(self, pod: Pod, file: str) -> Pod:
        """The pod of a file with the devices of its claims, or with the reason why they are not known."""
        if not pod.keys.claims:
            return pod
        claims = tuple(self._resolved(claim, pod.object.namespace, file) for claim in pod.keys.claims)
        return pod._replace(keys=replace(pod.keys, claims=claims))

    def _resolved(self, claim: PodClaim, namespace: str | None, file: str) -> PodClaim:
        if claim.reference is None and claim.source is not None:
            message = msg("source of claim {name} ended with resource.k8s.io/v1alpha2", name=claim.name)
            return replace(
                claim, missing=Missing(message, "write resourceClaimTemplateName in the claim itself")
            )
        if claim.reference is None:
            message = msg("claim {name} names no template", name=claim.name)
            return replace(claim, missing=Missing(message, "add resourceClaimTemplateName"))
        kind = (
            self._created_kinds.get((namespace or DEFAULT_NAMESPACE, claim.template.text))
            if claim.template
            else None
        )
        if kind:
            return replace(claim, made_by=kind)
        target = self._find(TEMPLATE if claim.template else CLAIM, claim.reference.text, namespace, file)
        if isinstance(target, ClaimObject):
            return replace(claim, devices=target.devices, api=target.api, resolved=target)
        return replace(claim, missing=target)

    def _find(self, kind: str, name: str, namespace: str | None, file: str) -> ClaimObject | Missing:
        other = self._namespaces.get((kind, name))
        if other is None:
            message = msg("{kind} {name} is not in the input", kind=kind, name=name)
            return Missing(message, "give the file with it to the same command")
        space = namespace or DEFAULT_NAMESPACE
        keys = ((kind, space, name, scope) for scope in _scopes(file))
        nearest = next((key for key in keys if key in self._objects), None)
        if nearest is None:
            message = msg(
                "{kind} {name} is in namespace {other}, the pod in {own}",
                kind=kind,
                name=name,
                other=other,
                own=space,
            )
            return Missing(message, "a pod finds only objects of its own namespace")
        if nearest in self._differing:
            message = msg(
                "{kind} {name} is in the input more than once, with different requests", kind=kind, name=name
            )
            return Missing(message, "keep one of them, or translate each folder by itself")
        return self._objects[nearest][0]

    @cached_property
    def _users(self) -> dict[ObjectPlace, list[tuple[str, PodKeys]]]:
        users: dict[ObjectPlace, list[tuple[str, PodKeys]]] = {}
        for file, pod in self._pods:
            keys = self.resolved(pod, file).keys
            for place in {claim.resolved.place: None for claim in keys.claims if claim.resolved}:
                users.setdefault(place, []).append((file, keys))
        return users

    def users(self, claim: ClaimObject) -> Sequence[tuple[str, PodKeys]]:
        """The pods that use a claim or template, each with its file."""
        return self._users.get(claim.place, ())

    def kept_by(self, claim: ClaimObject) -> Unread | None:
        """The unread text that names a claim or template, or may name it: the object stays for it."""
        return self._unread_by_name.get(claim.name)

    @cached_property
    def has_older_forms(self) -> bool:
        """Whether some pod names its claim in the field that ended with v1alpha2, which is not read
        (DRA014)."""
        claims = (claim for _, pod in self._pods for claim in pod.keys.claims)
        return any(claim.source is not None and claim.reference is None for claim in claims)

    @cached_property
    def _unread_by_name(self) -> dict[str, Unread]:
        by_name: dict[str, Unread] = {}
        for unread in self._unread:
            for word in unread.words():
                by_name.setdefault(word, unread)
        return by_name

    def near(self, namespace: str | None, name: str, file: str) -> Sequence[ClaimObject]:
        """The templates of a name in the folder of a file, which are applied together with those of the
        file."""
        return self._objects.get((TEMPLATE, namespace or DEFAULT_NAMESPACE, name, _folder(file)), ())
