"""One share of a pod at a target, as the same code decides that ``translate`` runs."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import NamedTuple

from gpuxlate.backends.base import Backend, ContainerShare
from gpuxlate.backends.placing import Accept
from gpuxlate.model.diagnostics import Loss, LossKind, Severity
from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Isolation, Policy, Qos, Share
from gpuxlate.translation.pods.fit import fit_pod

NAME = "container-name"
"""Of the container whose keys are looked at."""
Placed = tuple[str, str]
"""Where a key is written, and its name: ``limits``, ``env``, ``labels``, ``annotations``, ``nodeSelector``,
``affinity``, ``scheduler``."""


class Point(NamedTuple):
    """The numbers of a share, of each card: percent of compute, MiB and percent of memory; 0 is not set."""

    cards: int = 1
    cores: int = 0
    mib: int = 0
    percent: int = 0

    @property
    def shape(self) -> tuple[str, str]:
        """Which compute and memory are set: what the values are decides nothing else."""
        cores = "" if not self.cores else "full" if self.cores == FULL else "part"
        return cores, "mib" if self.mib else "percent" if self.percent else ""


FULL = 100


class Words(NamedTuple):
    """What a pod says of its shares; empty is not set."""

    qos: str = ""
    policy: str = ""
    isolation: str = ""


NO_WORDS = Words()


class Refusal(NamedTuple):
    """Why a target does not take a share."""

    code: str
    kind: LossKind
    field: str


@dataclass(frozen=True)
class Result:
    """The keys that are written, or why none are."""

    keys: dict[Placed, str] = field(default_factory=dict)
    refused: tuple[Refusal, ...] = ()


NONE = "none"
"""A container without a share, beside others."""


@dataclass(frozen=True)
class Target:
    """A backend with the settings of its cluster and the losses that are accepted."""

    backend: Backend
    profile: Profile | None = None
    round_up: bool = False

    def __call__(self, point: Point, words: Words = NO_WORDS, place: str = "alone") -> Result:
        """A share in a pod: ``alone``, ``first`` or ``second`` of two containers, or an ``init`` one."""
        mine = (place == "init", 1 if place == "second" else 0)
        containers = [_container(*mine, point, words)]
        if place != "alone":
            containers.append(ContainerShare("other", 0 if place != "first" else 1))
        return self.together(containers, *mine)

    def pair(self, points: tuple[Point, Point], words: Words) -> tuple[Result, Result]:
        """Two shares of one pod: what it writes for the first and for the second."""
        first, second = (_container(False, n, one, words) for n, one in enumerate(points))
        return self.together([first, second], False, 0), self.together([first, second], False, 1)

    def together(self, containers: list[ContainerShare], init: bool, index: int) -> Result:
        """The result for one container of a pod, with the keys of the pod."""
        ordered = sorted(containers, key=lambda one: (not one.init, one.index))
        fit = fit_pod(ordered, self.backend, Accept(round_up=self.round_up), self.profile)
        losses = [loss for one in fit.outcomes for loss in one.losses if not loss.accepted]
        if losses:
            return Result(refused=tuple(dict.fromkeys(map(_refusal, losses))))
        worse = [one for one in fit.findings() if one.severity is Severity.ERROR]
        if worse:
            return Result(refused=tuple(Refusal(one.code, LossKind.REFUSED, "") for one in worse))
        return Result(_keys(fit.keys, init, index))


class UnwritableError(ValueError):
    """A target writes what no policy writes: ``what`` of the pod, beside its keys."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


_WRITTEN = {
    *("containers", "init_containers", "labels", "annotations", "node_selector", "affinity"),
    "scheduler_name",
}
_IN_CONTAINER = {"name", "index", "init", "limits", "requests", "env"}


def _only_written(one: PodKeys | ContainerKeys, known: set[str]) -> None:
    """Raises UnwritableError where the target has set anything else: claims are objects of their own."""
    for there in fields(one):
        if there.compare and there.name not in known and getattr(one, there.name):
            raise UnwritableError(there.name)


def _refusal(loss: Loss) -> Refusal:
    return Refusal(loss.code, loss.kind, loss.field)


def _container(init: bool, index: int, point: Point, words: Words) -> ContainerShare:
    share = Share(
        point.cards,
        point.cores * point.cards or None,
        point.mib * point.cards or None,
        Policy(words.policy) if words.policy else None,
        Qos(words.qos) if words.qos else None,
        point.percent or None,
        isolation=Isolation(words.isolation) if words.isolation else None,
    )
    return ContainerShare(NAME if index == 0 or init else f"{NAME}-{index}", index, init, share)


def _keys(pod: PodKeys, init: bool, index: int) -> dict[Placed, str]:
    """All keys as one mapping. A request equals its limit."""
    found: dict[Placed, str] = {}
    _only_written(pod, _WRITTEN)
    for one in pod.all_containers():
        _only_written(one, _IN_CONTAINER)
        if (one.init, one.index) == (init, index):
            assert one.requests == one.limits
            found |= {("limits", name): value.text for name, value in one.limits.items()}
            found |= {("env", name): value.text for name, value in one.env.items()}
    for place, values in (
        ("labels", pod.labels),
        ("annotations", pod.annotations),
        ("nodeSelector", pod.node_selector),
    ):
        found |= {(place, name): value.text for name, value in values.items()}
    for term in pod.affinity:
        found |= {("affinity", one.key): ",".join((one.operator, *one.values)) for one in term}
    if pod.scheduler_name is not None:
        found["scheduler", ""] = pod.scheduler_name.text
    return found
