"""Where the text of a document may name a key: one search of the text, and the scalars at its results.

    text ── KeySearch ──> places ── if more than keys of pods ──> scalars there ──> facts.keys_named

A place is a character. What hides a key is a place too: an escape of YAML, of a pattern or of a JSON pointer.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeVar

from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.pod import PodKeys, groups
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.nodes import MERGE, Mapping, Node, Scalar, deref, is_merge
from gpuxlate.yamltext.parse import Document
from gpuxlate.yamltext.source import ESCAPES

SETTINGS = tuple(
    # apache/spark docs/running-on-kubernetes.md (4.0): the key follows the name of the property
    f"spark.kubernetes.{which}{field}."
    for which in ("", "driver.", "executor.")
    for field in ("label", "annotation", "node.selector")
)
"""What is before a label, annotation or selector of pods in the name of a setting of Spark."""
# ResourceQuota; resourceFieldRef
PREFIXES = ("requests.", "limits.", *SETTINGS)
"""What may be before a key in the name of a setting."""
_HIDING = (
    *ESCAPES,
    # of a dot in patterns and paths, of a slash in JSON pointers
    *("\\.", "~1"),
)
"""What hides a key from a search for its characters."""
_IN_DOMAINS = string.ascii_letters + string.digits + ".-"
_IN_WORDS = string.ascii_letters + string.digits + "_-"
"""Behind these no key without a domain begins."""
_COMPARED = 7
"""Characters of a domain that the search compares: nearly all other domains differ in these."""

StepChain = tuple[Any, str | int] | None
"""A path as its last step and the rest: most are never needed as tuples."""
Element = TypeVar("Element")


def without_prefix(name: str) -> str:
    """The key in the name of a setting: ``requests.example.com/gpu`` counts ``example.com/gpu``."""
    if not name.startswith(PREFIXES):
        return name
    return name[max(len(prefix) for prefix in PREFIXES if name.startswith(prefix)) :]


class KeySearch:
    """Finds where a text may have a key, from its characters alone: no key is anywhere else.

    ``names``: how keys begin. ``ends``: what is right behind the slash of other keys, whose domain is any
    with a dot; ``common``: what is somewhere behind it.
    """

    def __init__(self, names: Iterable[str], ends: Iterable[str], common: str) -> None:
        words = {*_HIDING}
        tails: dict[str, set[str]] = defaultdict(set)
        for name in names:
            domain, slash, tail = name.partition("/")
            tails[domain].add(tail) if slash else words.add(name)
        self._tails = {domain: tuple(behind) for domain, behind in tails.items()}
        self._domains = tuple(tails)
        self._longest = 2 * max(map(len, (*tails, *PREFIXES)))
        self._ends, self._common = tuple(ends), common
        self._words = tuple(word for word in words if not any(other in word for other in words - {word}))
        by_length: dict[int, set[str]] = defaultdict(set)
        for domain in tails:
            compared = domain[-_COMPARED:]
            by_length[len(compared)].add(re.escape(compared))
        domains = "|".join(f"(?<=(?:{'|'.join(sorted(alike))})/)" for alike in by_length.values())
        # the slash first: ``re`` finds it without trying to match
        self._slashes = regex(f"/(?:{domains}|(?={'|'.join(map(re.escape, self._ends))}))")
        self.may_be_key = lru_cache(maxsize=4096)(self._may_be_key)

    def held_in(self, document: Document) -> tuple[str, ...]:
        """The words without a slash that the text of a document may have."""
        return document.held_beside(self._words)

    def _may_be_key(self, name: str, held: tuple[str, ...]) -> bool:
        """A text that is this name alone has a place. ``held``: in the document that it is from."""
        return bool(self.places(name, 0, len(name), held))

    def places(self, text: str, start: int, end: int, words: Iterable[str]) -> list[int]:
        """The places in some characters of a text, in order. ``words``: those that are searched."""
        slashes = (match.start() for match in self._slashes.finditer(text, start, end))
        in_keys = {slash for slash in slashes if self._may_be_in_key(text, start, slash)}
        in_keys.update(self._before_common(text, start, end))
        places = [*in_keys]
        for word in words:
            at = text.find(word, start, end)
            while at >= 0:
                if not word[0].isalnum() or at == start or text[at - 1] not in _IN_WORDS:
                    places.append(at)
                at = text.find(word, at + 1, end)
        places.sort()
        return places

    def _before_common(self, text: str, start: int, end: int) -> Iterator[int]:
        """The slashes behind a domain with a dot, with ``common`` behind them in their line.

        Each line is read once, however many slashes it has.
        """
        at = text.find(self._common, start, end)
        while at >= 0:
            begin = max(start, text.rfind("\n", start, at) + 1)
            until = text.find("\n", at, end)
            until = end if until < 0 else until
            slash, last = text.find("/", begin, at), text.rfind(self._common, at, until)
            while 0 <= slash < last:
                if "." in self._domain_before(text, start, slash)[1]:
                    yield slash
                slash = text.find("/", slash + 1, last)
            at = text.find(self._common, until, end)

    def _domain_before(self, text: str, start: int, slash: int) -> tuple[str, str]:
        """What is before a slash, as far as a name may go, and the domain at its end."""
        before = text[max(start, slash - self._longest) : slash]
        above = before.rstrip(_IN_DOMAINS)
        return above, before[len(above) :]

    def _may_be_in_key(self, text: str, start: int, slash: int) -> bool:
        """What is on both sides of a slash may be that of a key."""
        above, domain = self._domain_before(text, start, slash)
        tails = self._tails.get(domain) or self._tails.get(without_prefix(domain))
        if tails and text.startswith(tails, slash + 1):
            return True
        if above.endswith("\\") and domain.endswith(self._domains):  # behind an escape: \nexample.com/gpu
            return True
        return "." in domain and text.startswith(self._ends, slash + 1)


def places_beside(document: Document, pods: Iterable[PodKeys], search: KeySearch) -> Sequence[int]:
    """The places where a document may name a key outside of its pods; none if its pods have as many."""
    held = search.held_in(document)
    places = search.places(document.source.text, document.start, document.end, held)
    if not places or document.aliases:  # an alias counts more than once
        return places
    may_be_key = search.may_be_key
    in_pods = {
        value.path
        for pod in pods
        for group in groups(pod)
        for name, value in group.keys
        # a name without a slash has to have a word
        if ("/" in name or any(word in name for word in held))
        and may_be_key(name, held)
        # a resource may be read under another name than it is written
        and (group.mapping is None or may_be_key(str(value.path[-1]), held))
    }
    return places if len(places) > len(in_pods) else ()


def scalars_at(document: Document, places: Sequence[int] | None) -> Iterator[tuple[StepChain, Scalar, bool]]:
    """The scalars of a document that have one of some places, as ``scalars`` gives them.

    All of a document with aliases, which name at two places what is written at one, and of one that is put
    together of several texts.
    """
    return scalars(document.root, None if document.aliases or document.merged else places)


def scalars(
    root: Node | None, places: Sequence[int] | None = None
) -> Iterator[tuple[StepChain, Scalar, bool]]:
    """Every scalar below a node with its path, and whether it is a key; an alias's target at its anchor.

    ``places``: only those with one of these, which are in order.
    """
    if root is None:
        return
    pending: list[tuple[StepChain, Node, int, int]] = [(None, deref(root), 0, len(places or ()))]
    while pending:
        steps, node, low, high = pending.pop()
        below: list[tuple[StepChain, Node, int, int]] = []
        if isinstance(node, Scalar):
            yield steps, node, False
        elif isinstance(node, Mapping):
            for number, first, last in _with_places(node.entries, _start_of_entry, places, low, high):
                key, value = node.entries[number]
                name = deref(key)
                if not isinstance(name, Scalar):
                    continue
                if name.text == MERGE and is_merge(name):
                    merged = value.items if isinstance(value, nodes.Sequence) else [value]
                    within = _with_places(merged, _start, places, first, last)
                    below += ((steps, merged[number], first, last) for number, first, last in within)
                    continue
                entry_steps = (steps, name.text)
                if places is None or places[first] < value.start:
                    yield entry_steps, name, True
                if places is None or places[last - 1] >= value.start:
                    below.append((entry_steps, value, first, last))
        elif isinstance(node, nodes.Sequence):
            within = _with_places(node.items, _start, places, low, high)
            below += (((steps, number), node.items[number], first, last) for number, first, last in within)
        below.reverse()
        pending += below


_start = attrgetter("start")


def _start_of_entry(entry: tuple[Node, Node]) -> int:
    return entry[0].start


def _with_places(
    parts: Sequence[Element],
    start: Callable[[Element], int],
    places: Sequence[int] | None,
    low: int,
    high: int,
) -> Iterator[tuple[int, int, int]]:
    """The numbers of the parts that have some of the places from ``low`` to ``high``, and which each has."""
    if places is None:
        yield from ((number, 0, 0) for number in range(len(parts)))
        return
    while low < high:
        number = bisect_right(parts, places[low], key=start) - 1
        behind = number + 1
        until = bisect_left(places, start(parts[behind]), low, high) if behind < len(parts) else high
        if number >= 0:
            yield number, low, until
        low = until


def path_of(steps: StepChain) -> Path:
    """The steps of a chain as a path, the first one first."""
    path: list[str | int] = []
    while steps is not None:
        steps, step = steps
        path.append(step)
    return tuple(reversed(path))
