"""Keys that a reader takes and forgets: with them, no more is read or reported than without them."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuxlate.backends.base import Backend, ContainerShare, Key, Place, Range, Reading
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value
from gpuxlate.model.share import Device, Isolation, Policy, Qos, Share
from gpuxlate.rules.base import Context
from gpuxlate.testing.manifest import as_manifest, entries, with_key
from gpuxlate.testing.strategies import PLACES, WORDS, naming_a_card
from gpuxlate.translation.acceptance import DROPPABLE
from gpuxlate.translation.pods.fit import Accept, fit_pod
from gpuxlate.translation.pods.reader import read_pod

GENEROUS = Accept(True, {"cores": 60, "memoryMiB": 8192}, frozenset(DROPPABLE))
SHARES = (
    Share(1, 30, 4096),
    Share(1, None, 4096),
    Share(1, 30),
    Share(1, None, None, None, None, 50),
    Share(2, 120, 8192),
    Share(1),
    Share(2),
    *(Share(1, 30, 4096, policy) for policy in Policy),
    *(Share(1, 30, 4096, Policy.FIXED_SHARE, qos) for qos in Qos),
    *(Share(1, 30, 4096, None, qos) for qos in Qos),
    Share(1, 30, 4096, memory_limit_mib=8192),
    *(Share(1, 30, 4096, isolation=isolation) for isolation in Isolation),
    *(Share(1, 30, 4096, device=device) for device in (Device("nvidia"), Device(None, ("A10",)))),
)
"""What the pods ask for to which a key is added; a target has those that it can express."""
EMPTY = PodKeys((ContainerKeys("main"),))
NUMBERS = ("cards", "cores", "memory_mib", "memory_percent", "memory_limit_mib")
RANDOM_TEXTS = 20


def forgotten(backend: Backend, context: Context) -> Iterator[str]:
    """Each key with a value that its reader takes and that makes no difference, unless its row says so."""
    pods = list(_pods(backend, context))
    for row in backend.keys:
        if row.name == backend.whole_card_key:
            continue  # every cloud has it
        for place in (one for one in PLACES if one in row.places):
            trial = _Trial(backend, context, row, place)
            for text in _values(backend, row):
                if not row.means_nothing(text):
                    yield from trial.wrong(text, (*pods, EMPTY) if place is Place.RESOURCE else pods)


class _Read(NamedTuple):
    """What is read from a pod and reported about it."""

    reading: Reading
    found: list[Diagnostic]

    @property
    def share(self) -> Share | None:
        return self.reading.containers[0].share

    @property
    def differs(self) -> tuple[object, ...]:
        """What a translation goes by."""
        selectors = tuple((one.key, one.text) for one in self.reading.selectors)
        return self.share, selectors, self.reading.isolation


@dataclass(frozen=True)
class _Trial:
    """One key in one of its places."""

    backend: Backend
    context: Context
    row: Key
    place: Place

    @property
    def name(self) -> str:
        return self.row.of("main")

    def wrong(self, text: str, pods: Sequence[PodKeys]) -> Iterator[str]:
        """The pods in which the key has a value, and nothing comes of it."""
        meant: object = None  # the value of its field, from the first pod in which it makes a difference
        for pod in pods:
            without = _without(pod, self.name, self.place)
            if any((name, value.text) == (self.name, text) for name, _, value in entries(without)):
                continue  # the same twice
            manifest = as_manifest(with_key(without, self.name, self.place, Value.of(text)))
            before, after = self._read(as_manifest(without)), self._read(manifest)
            if self._is_reported(after, self._path(manifest)):
                continue
            said = f"{self.name}: {text!r} ({self.place.value}, beside {_shown(without)})"
            if before.share and not after.share:
                yield f"{said} takes the share away, and no error says so"
            elif before.differs != after.differs:
                meant = meant or self._field(after)
            elif not self._is_held(before, text, meant):
                yield f"{said} makes no difference, and no error says so"

    def _read(self, manifest: PodKeys) -> _Read:
        return _Read(*read_pod(manifest, self.backend, self.context))

    def _path(self, manifest: PodKeys) -> Path:
        wanted = (self.name, self.place)
        return next(value.path for name, place, value in entries(manifest) if (name, place) == wanted)

    def _is_reported(self, read: _Read, path: Path) -> bool:
        """The pod is refused, or the reader reports the key.

        Where other numbers decide, a warning of a rule will do.
        """
        number = self.row.says in NUMBERS
        noted = read.found if number else read.reading.notes
        return any(one.severity is Severity.ERROR for one in read.found) or any(
            one.path[: len(path)] == path for one in noted
        )

    def _field(self, read: _Read) -> object:
        return getattr(read.share, self.row.says or "", None)

    def _is_held(self, read: _Read, text: str, meant: object) -> bool:
        """Without the key the share has the value that the key gives to its field."""
        field = self._field(read)
        number = quantity.whole(text) if self.row.says == "cards" else None
        return field is not None and field in (meant, number)


def _pods(backend: Backend, context: Context) -> Iterator[PodKeys]:
    """Pods with a share, as the backend writes them, without requests (K8S003)."""
    seen: list[PodKeys] = []
    for share in SHARES:
        fit = fit_pod(
            [ContainerShare("main", 0, share=naming_a_card(share, backend))],
            backend,
            GENEROUS,
            context.profile,
        )
        keys = replace(fit.keys, containers=tuple(replace(one, requests={}) for one in fit.keys.containers))
        if fit.accepted and keys not in seen:
            seen.append(keys)
            yield keys


def _without(pod: PodKeys, name: str, place: Place) -> PodKeys:
    """The pod without a key in a place."""

    def left(values: dict[str, Value]) -> dict[str, Value]:
        return {key: value for key, value in values.items() if key != name}

    [container] = pod.containers
    match place:
        case Place.RESOURCE:
            return replace(pod, containers=(replace(container, limits=left({**container.limits})),))
        case Place.ENV:
            return replace(pod, containers=(replace(container, env=left({**container.env})),))
        case Place.LABEL:
            return replace(pod, labels=left({**pod.labels}))
        case Place.ANNOTATION:
            return replace(pod, annotations=left({**pod.annotations}))
    terms = (tuple(one for one in term if one.key != name) for term in pod.affinity)
    selector = left({**pod.node_selector})
    return replace(pod, node_selector=selector, affinity=tuple(term for term in terms if term))


def _values(backend: Backend, row: Key) -> Iterator[str]:
    """Values that the data sheet knows, words of other keys of the same field, numbers, any text."""
    known: list[str] = []
    for one in (value for key in backend.keys if key is row or key.says == row.says for value in key.values):
        match one:
            case str():
                known += [one, one.upper(), f"{one}s"]
            case Range(least, most, step):
                known += [str(least), str(least + step)]
                known += [] if most is None else [str(most), str(most + 1)]
            case re.Pattern():
                known += ["1", "2", "0,1"]
    chance = random.Random(row.name)  # the same texts on every run
    letters = string.ascii_letters + string.digits + "-_., "
    texts = ("".join(chance.choices(letters, k=chance.randint(1, 12))) for _ in range(RANDOM_TEXTS))
    yield from dict.fromkeys((*known, *WORDS, "", "7", "3", *texts))


def _shown(pod: PodKeys) -> str:
    return ", ".join(f"{name}: {value.text}" for name, _, value in entries(pod)) or "nothing"
