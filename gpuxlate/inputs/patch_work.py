"""What patches of a repository may cost: a few of them for all objects are more work than their text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from gpuxlate.inputs.claims import Index, Text
from gpuxlate.inputs.objects import Object, identity_of
from gpuxlate.inputs.selectors import Identity, Selector
from gpuxlate.manifest.claims import claims_of
from gpuxlate.model import limits
from gpuxlate.model.messages import Message, say
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping as Node
from gpuxlate.yamltext.nodes import get_text
from gpuxlate.yamltext.source import Source

_LOOKS = limits.MAX_NODES
"""Pairs of a patch and an object that it may be for."""
_AT_LEAST = 100
"""Nodes that a change of an object takes as long as, however small it is."""


class UnknownError(Exception):
    """The base cannot be known. The message says why."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class TooMuchWorkError(UnknownError):
    """The patches exceed a limit."""


class Work:
    """The work that is left for the patches of a repository: looks at objects, and changes of them."""

    def __init__(self) -> None:
        self._looks = _LOOKS
        self._nodes = limits.MAX_PATCHED

    def look(self, count: int) -> None:
        """At so many objects that a patch may be for. Raises TooMuchWorkError."""
        self._looks -= count
        if self._looks < 0:
            raise TooMuchWorkError(say("more than {most} pairs of a patch and an object", most=_LOOKS))

    def change(self, objects: Iterable[Object], size: int = 0, operations: int = 0, times: int = 1) -> None:
        """Change objects by a patch of so many nodes, some times. Raises TooMuchWorkError.

        A merge takes as long as the object is large, an operation as the mappings and lists on its path.
        """
        for one in objects if times > 0 else ():
            each = _AT_LEAST + one.size + size + operations * (one.width + operations)
            self._nodes -= times * each
        if self._nodes < 0:
            what = say("patches times objects of more than {most} nodes", most=limits.MAX_PATCHED)
            raise TooMuchWorkError(what)


def named_by(document: Document) -> Selector:
    """Whether a patch names an object, by one of the names that it has had."""
    asked = identity_of(document.root) if isinstance(document.root, Node) else None

    def matches(one: Identity) -> bool:
        if asked is None or asked[:3] != one[:3]:
            return False
        (name, namespace), *_ = asked.names
        return any(
            (called, where or "default") == (name, namespace or "default") for called, where in one.names
        )

    return matches


class Named:
    """The numbers of objects by each name that they have had."""

    def __init__(self) -> None:
        self._numbers: dict[str, list[int]] = {}
        self._known = 0

    def forget(self) -> None:
        """The objects have other names now."""
        self._numbers.clear()
        self._known = 0

    def numbers(
        self, objects: Sequence[Object], document: Document, target: Mapping[str, str] | None
    ) -> Sequence[int]:
        """Those that a patch may be for: it has a name, or its target has one that is no pattern."""
        if target is None:
            name = get_text(document.root, "metadata", "name") or ""
        else:
            name = target.get("name", "")
            if not name.replace("-", "a").isalnum():
                return range(len(objects))
        for number in range(self._known, len(objects)):
            for called in {called: None for called, _ in objects[number].identity.names}:
                self._numbers.setdefault(called, []).append(number)
        self._known = len(objects)
        return self._numbers.get(name, ())


class Templates:
    """The templates of claims of a kustomization, as they are at some point."""

    def __init__(self, objects: Iterable[Object] = ()) -> None:
        self._objects = tuple(objects)

    @cached_property
    def index(self) -> Index:
        """Those that are known; of no file."""
        known = (one.root for one in self._objects if not one.unknown)
        claims = (claim for root in known for claim in claims_of(Document(Source("", ""), 0, 0, 0, root)))
        return Index((Text("", tuple(claims)),))
