"""One share of a pod at a target, as the same code decides that ``translate`` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from gpuxlate.backends.base import Backend, ContainerShare, Place
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Loss, LossKind, Severity
from gpuxlate.model.keys import Per
from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Isolation, Policy, Qos, Share
from gpuxlate.rules.predicates.cel import text
from gpuxlate.translation.fit import fit_pod

NAME = "container-name"
"""Of the container whose keys are looked at."""
Placed = tuple[str, str]
"""Where a key is written, and its name: ``limits``, ``env``, ``labels``, ``annotations``, ``nodeSelector``,
``affinity``, ``scheduler``."""


class SharePoint(NamedTuple):
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


class PodWords(NamedTuple):
    """What a pod says of its shares; empty is not set."""

    qos: str = ""
    policy: str = ""
    isolation: str = ""


NO_WORDS = PodWords()


class Refusal(NamedTuple):
    """Why a target does not take a share."""

    code: str
    kind: LossKind
    field: str


@record
class ProbeResult:
    """The keys that are written, or why none are."""

    keys: dict[Placed, str] = field(default_factory=dict)
    refused: tuple[Refusal, ...] = ()


NONE = "none"
"""A container without a share, beside others."""


@record
class ProbeTarget:
    """A backend with the settings of its cluster and the losses that are accepted."""

    backend: Backend
    profile: Profile | None = None
    round_up: bool = False

    def __call__(self, point: SharePoint, words: PodWords = NO_WORDS, place: str = "alone") -> ProbeResult:
        """A share in a pod: ``alone``, ``first`` or ``second`` of two containers, or an ``init`` one."""
        mine = (place == "init", 1 if place == "second" else 0)
        containers = [_container(*mine, point, words)]
        if place != "alone":
            containers.append(ContainerShare("other", 0 if place != "first" else 1))
        return self.together(containers, *mine)

    def pair(self, points: tuple[SharePoint, SharePoint], words: PodWords) -> tuple[ProbeResult, ProbeResult]:
        """Two shares of one pod: what it writes for the first and for the second."""
        first, second = (_container(False, n, one, words) for n, one in enumerate(points))
        return self.together([first, second], False, 0), self.together([first, second], False, 1)

    def together(self, containers: list[ContainerShare], init: bool, index: int) -> ProbeResult:
        """The result for one container of a pod, with the keys of the pod."""
        ordered = sorted(containers, key=lambda one: (not one.init, one.index))
        fit = fit_pod(ordered, self.backend, Accept(round_up=self.round_up), self.profile)
        losses = [loss for one in fit.outcomes for loss in one.losses if not loss.accepted]
        if losses:
            return ProbeResult(refused=tuple(dict.fromkeys(map(_refusal, losses))))
        worse = [one for one in fit.findings() if one.severity is Severity.ERROR]
        if worse:
            return ProbeResult(refused=tuple(Refusal(one.code, LossKind.REFUSED, "") for one in worse))
        return ProbeResult(_keys(fit.keys, init, index))


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


def _container(init: bool, index: int, point: SharePoint, words: PodWords) -> ContainerShare:
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


# The laws that the keys of a target follow: which numbers it takes, and what it writes for them.
_NUMBER = regex(r"([0-9]+)((?:Mi)?)")
FIELDS = ("cores", "mib", "percent")
"""Of a Point, beside the cards."""


class Steps(NamedTuple):
    """Multiples of a step, from the least to the most. From ``low`` on, a number is rounded up to one."""

    least: int
    most: int
    step: int
    low: int = 1

    def holds(self, number: int) -> bool:
        return self.least <= number <= self.most and number % self.step == 0

    def up(self, number: int) -> int | None:
        """The next one that is not below."""
        found = max(self.least, -(-number // self.step) * self.step)
        return found if self.low <= number and found <= self.most else None

    def written_up(self, number: str) -> str:
        """``up`` in CEL."""
        found = number if self.step == 1 else f"({number} + {self.step - 1}) / {self.step} * {self.step}"
        return found if self.least <= self.step else f"({number} < {self.least} ? {self.least} : {found})"

    def written(self, number: str, *, rounds: bool) -> str:
        """It holds, or is rounded up to one that does, in CEL."""
        if rounds:
            return f"{number} >= {self.low} && {number} <= {self.most}"
        found = f"{number} >= {self.least} && {number} <= {self.most}"
        return found if self.step == 1 else f"{found} && {number} % {self.step} == 0"


class ListedLaw(NamedTuple):
    """Single numbers. From ``low`` on, a number is rounded up to one."""

    values: tuple[int, ...]
    low: int = 1

    def holds(self, number: int) -> bool:
        return number in self.values

    def up(self, number: int) -> int | None:
        return next((one for one in self.values if one >= number >= self.low), None)

    def written_up(self, number: str) -> str:
        return f"{[*self.values]}.filter(x, x >= {number})[0]"

    def written(self, number: str, *, rounds: bool) -> str:
        if rounds:
            return f"{number} >= {self.low} && {number} <= {self.values[-1]}"
        return f"{number} in {[*self.values]}"

    @property
    def most(self) -> int:
        return self.values[-1]

    @property
    def least(self) -> int:
        return self.values[0]


Grid = Steps | ListedLaw


def grid_of(numbers: Sequence[int]) -> Grid:
    """The grid of numbers in their order."""
    least, most = numbers[0], numbers[-1]
    step = numbers[1] - least if len(numbers) > 1 else 1
    found = Steps(least, most, step)
    return (
        found
        if [n for n in range(least, most + 1) if found.holds(n)] == [*numbers]
        else ListedLaw((*numbers,))
    )


@record
class Law:
    """What a key is: a text, the name of the container, or a number of the share times a ratio.

    ``total``: over the cards. ``table``: a text for each number. ``each``: the numbers of all containers.
    """

    constant: str = ""
    field: str = ""
    total: bool = False
    ratio: Fraction = Fraction(1)
    suffix: str = ""
    table: tuple[tuple[int, str], ...] = ()
    each: bool = False

    def of(self, point: SharePoint, place: str = "alone") -> str | None:
        """The text for a share, None where there is none."""
        if self.each:
            mine = "0" if place == "init" else str(point.cards)
            return {"first": f"{mine},0", "second": f"0,{mine}"}.get(place, mine)
        if self.field == "name":
            return f"{NAME}-1" if place == "second" else NAME
        if not self.field:
            return self.constant
        number = getattr(point, self.field)
        if self.table:
            return dict(self.table).get(number)
        found = number * (point.cards if self.total else 1) * self.ratio
        return f"{found}{self.suffix}" if found.denominator == 1 else None

    def written(self, lifted: dict[str, str]) -> str:
        """A text in CEL, of the share ``s``; ``lifted``: its numbers as they are after rounding."""
        if self.each:
            mine = "variables.shares.filter(t, !t.init && t.i == i)"
            names = f"variables.places.map(i, {mine}.size() > 0 ? string({mine}[0].n) : '0')"
            return f"{names}.join(',')"
        if self.field == "name":
            return "string(s.name)"
        if not self.field:
            return text(self.constant)
        number = lifted[self.field]
        if self.table:
            entries = ", ".join(f"{key}: {text(value)}" for key, value in self.table)
            return f"{{{entries}}}[{number}]"
        factors = [f"({number})" if " " in number else number, *(["s.n"] if self.total else [])]
        if self.ratio.numerator != 1:
            factors.append(str(self.ratio.numerator))
        product = " * ".join(factors)
        if self.ratio.denominator != 1:
            product = f"{product} / {self.ratio.denominator}"
        found = f"string({product})"
        return f"{found} + {text(self.suffix)}" if self.suffix else found


def candidates(points: Sequence[tuple[SharePoint, str]]) -> Iterator[Law]:
    """The laws that hold for all of some shares, each with its text; the simplest first."""
    point, first = points[0]
    possible = [Law(field="name")] if first == NAME else [Law(first)]
    match = _NUMBER.fullmatch(first)
    if match:
        for field_name in ("cards", *FIELDS):
            number = getattr(point, field_name)
            for total in (False, True) if number and field_name != "cards" else (False,) if number else ():
                ratio = Fraction(int(match[1]), number * (point.cards if total else 1))
                possible.append(Law(field=field_name, total=total, ratio=ratio, suffix=match[2]))
    found = [law for law in possible if law.ratio and all(law.of(one) == value for one, value in points)]
    yield from found or _tables(points)


def _tables(points: Sequence[tuple[SharePoint, str]]) -> Iterator[Law]:
    """A text for each percent of compute or memory."""
    for field_name in ("cores", "percent"):
        table: dict[int, str] = {}
        if all(table.setdefault(getattr(one, field_name), value) == value for one, value in points):
            yield Law(field=field_name, table=tuple(sorted(table.items())))


def still(laws: Iterable[Law], point: SharePoint, value: str | None, place: str = "alone") -> tuple[Law, ...]:
    """The laws that hold for one more share."""
    return tuple(law for law in laws if law.of(point, place) == value)


# What a target does with shares: a finite list of branches, each proved by running the target.
# A branch is a shape of shares (which of compute and memory are set, the class, the number of cards). In it
# the numbers that the target takes are a grid, and each key follows a law. All percents are tried, and
# memory at the ends of the grid; what follows no law is not translated.
MOST_CARDS = 16
"""Cards of a container; no machine of the clouds has more."""
MOST_MIB = 2**20
"""MiB of one card."""
CLASSES = ("", *map(str, Qos))
TOPS = tuple(("top", one) for one in ("", "mib", "percent"))
"""Compute that is a part of a card and is rounded up to all of it."""
SHAPES = tuple(one for one in product(("", "part", "full"), ("", "mib", "percent")) if one != ("full", ""))
PLACES = ("first", "second", "init")
_CORES, _MIB, _PERCENT = (
    (50, 60, 75, 25, 10, 30, 95, 5, 1),
    (8192, 16384, 4096, 24576, 1024, 32768),
    (50, 25, 10),
)
Shape = tuple[str, str, str]
"""Class, compute and memory."""


@dataclass
class Branch:
    """Shares that a target takes: their grids, the laws of the keys, and what may be beside the numbers."""

    shape: Shape
    cards: list[int]
    sample: SharePoint
    grids: dict[str, Grid]
    laws: dict[Placed, tuple[Law, ...]]
    places: list[str] = field(default_factory=list)
    words: dict[PodWords, dict[Placed, str]] = field(default_factory=dict)
    refused: dict[tuple[str, str], Refusal] = field(default_factory=dict)

    def lifted(self, point: SharePoint) -> SharePoint | None:
        """The share as the target gives it; None where it is none of this branch."""
        there = {
            name: up for name, grid in self.grids.items() if (up := grid.up(getattr(point, name))) is not None
        }
        return point._replace(**there) if len(there) == len(self.grids) else None

    def keys(self, point: SharePoint) -> dict[Placed, str | None]:
        return {key: laws[0].of(point) for key, laws in self.laws.items()}

    def points(self) -> Iterator[SharePoint]:
        """Shares at the ends of the grids and between them, some of them off the grids."""
        for name, grid in self.grids.items():
            around = {
                one + by for one in (grid.least, grid.most, getattr(self.sample, name)) for by in (-1, 0, 1)
            }
            most = FULL - 1 if name != "mib" else MOST_MIB
            yield from (self.sample._replace(**{name: one}) for one in sorted(around) if 0 < one <= most)
        if not self.grids:
            yield self.sample


@dataclass
class RefusedShares:
    """Shares of a shape that a target does not take; ``whys``: from how much compute on, and why."""

    shape: Shape
    cards: list[int]
    whys: tuple[tuple[int, Refusal], ...]

    def why(self, cores: int) -> Refusal:
        return next(why for least, why in reversed(self.whys) if least <= cores)


Found = Branch | RefusedShares


class Learner:
    """Runs one target on shares, and keeps what it has learned."""

    def __init__(self, target: ProbeTarget) -> None:
        self.target = target
        self.exact = replace(target, round_up=False)
        rows = [
            row for row in target.backend.keys if Place.RESOURCE in row.places and row.sets == "memory_mib"
        ]
        units = {int(target.backend.unit(row, target.profile)) for row in rows if not row.quantity}
        steps = {unit * one.step for row in rows for one in row.ranges for unit in units} | units
        self.steps = sorted({*(2**n for n in range(11)), *(one for one in steps if 0 < one < MOST_MIB)})
        each = [one.least for row in rows for one in row.ranges if one.most is not None]
        self.legal = sorted({n * unit for n in each for unit in units if 0 < n * unit <= MOST_MIB})

    def found(self) -> Iterator[Found]:
        """Every shape of shares, in groups of numbers of cards that are treated alike."""
        for shape in ((qos, *one) for qos in CLASSES for one in SHAPES):
            yield from self._groups(shape)
        for shape in ((qos, *one) for qos in CLASSES for one in TOPS if self.target.round_up):
            yield from (one for one in self._groups(shape) if isinstance(one, Branch))

    def _groups(self, shape: Shape) -> Iterator[Found]:
        last: Found | None = None
        for cards in range(1, MOST_CARDS + 1):
            if last is not None and not self._extended(last, cards):
                yield self._finished(last)
                last = None
            last = last or self._learned(shape, cards)
        if last is not None:
            yield self._finished(last)

    # --- one shape --------------------------------------------------------------------------------

    def _samples(self, shape: Shape, cards: int, most: int = 99) -> Iterator[SharePoint]:
        cores = {"": (0,), "full": (FULL,), "top": (FULL - 1,)}.get(shape[1], _CORES)[:most]
        mib = (*_MIB, *self.legal)[:most] if shape[2] == "mib" else (0,)
        percent = _PERCENT[:most] if shape[2] == "percent" else (0,)
        for one in product(cores, mib, percent):
            yield SharePoint(cards, *one)

    def _learned(self, shape: Shape, cards: int) -> Found:
        words, samples = PodWords(shape[0]), [*self._samples(shape, cards)]
        for engine in (self.exact, self.target):
            for one in samples:
                if shape[1] == "top" and not self.exact(one, words).refused:
                    return RefusedShares(shape, [cards], ((0, UNKNOWN),))
                if not engine(one, words).refused:
                    found = self._branch(shape, one, engine)
                    return found or RefusedShares(shape, [cards], ((0, UNKNOWN),))
        whys: list[tuple[int, Refusal]] = []
        for cores in range(1, FULL) if shape[1] == "part" else (samples[0].cores,):
            why = main(self.target(samples[0]._replace(cores=cores), words)) or UNKNOWN
            if not whys or whys[-1][1] != why:
                whys.append((cores if whys else 0, why))
        return RefusedShares(shape, [cards], tuple(whys))

    def _branch(self, shape: Shape, sample: SharePoint, engine: ProbeTarget) -> Branch | None:
        words, grids = PodWords(shape[0]), dict[str, Grid]()

        whole = sample._replace(cores=FULL)
        at_top = shape[1] == "top" and not self.exact(whole, words).refused

        def takes(name: str, number: int) -> bool:
            if name == "mib" and at_top:  # rounded like the memory of a card with all of its compute
                return not self.exact(whole._replace(mib=number), words).refused
            return not engine(sample._replace(**{name: number}), words).refused

        for name in FIELDS:
            if not getattr(sample, name) or (name == "cores" and shape[1] == "full"):
                continue
            if name == "mib":
                grids[name] = self._memory(sample.mib, lambda one: takes("mib", one))
            elif shape[1] == "top" and name == "cores":
                given = engine(sample, words).keys
                same = (
                    c for c in range(FULL - 1, 0, -1) if engine(sample._replace(cores=c), words).keys != given
                )
                grids[name] = Steps(next(same, 0) + 1, FULL - 1, 1)
            else:
                grids[name] = grid_of([one for one in range(1, FULL) if takes(name, one)])
            if self.target.round_up:
                raw = (1, *(range(2, FULL) if name != "mib" else ()), grids[name].least)
                there = (self.target(sample._replace(**{name: one}), words) for one in raw)
                taken = (one for one, result in zip(raw, there, strict=True) if not result.refused)
                low = grids[name].least if shape[1] == "top" and name == "cores" else next(taken)
                grids[name] = grids[name]._replace(low=low)
        branch = self._with_laws(shape, sample, grids, engine)
        if (branch is None or not self._holds(branch)) and self.target.round_up and "cores" in grids:
            accepted = [c for c in range(1, FULL) if not self.target(sample._replace(cores=c), words).refused]
            grids["cores"] = grid_of(accepted)  # the target rounds to numbers that no share has
            branch = self._with_laws(shape, sample, grids, self.target)
        return branch if branch is not None and self._holds(branch) else None

    def _memory(self, sample: int, takes: Callable[[int], bool]) -> Grid:
        """The grid of MiB around one that is taken."""
        legal = [one for one in self.legal if takes(one)]
        step = next((one for one in self.steps if sample % one == 0 and takes(sample + one)), 0)
        if not step:
            return ListedLaw(tuple(sorted({*legal, sample})))
        ends = []
        for inside, outside in ((sample // step, 0), (sample // step, MOST_MIB // step + 1)):
            while abs(inside - outside) > 1:
                middle = (inside + outside) // 2
                inside, outside = (middle, outside) if takes(middle * step) else (inside, middle)
            ends.append(inside * step)
        return Steps(ends[0], ends[1], step)

    def _with_laws(
        self, shape: Shape, sample: SharePoint, grids: dict[str, Grid], engine: ProbeTarget
    ) -> Branch | None:
        words = PodWords(shape[0])
        points = [sample]
        for name, grid in grids.items():
            numbers: Sequence[int] = range(1, FULL)
            if name == "mib":
                ends = grid.values if isinstance(grid, ListedLaw) else grid[:2]
                step = 1 if isinstance(grid, ListedLaw) else grid.step
                numbers = [*ends, ends[0] + step, ends[0] + 6 * step, ends[-1] - step]
            points += [sample._replace(**{name: one}) for one in numbers if grid.holds(one)]
        results = [(one, engine(one, words)) for one in points]
        names = results[0][1].keys.keys()
        if any(one.refused or one.keys.keys() != names for _, one in results):
            return None
        laws: dict[Placed, tuple[Law, ...]] = {}
        for key in names:
            row = self.target.backend.find(key[1]) if key[1] else None
            if row is not None and row.per is Per.CONTAINER:
                laws[key] = (Law(each=True),)
            else:
                laws[key] = tuple(candidates([(one, result.keys[key]) for one, result in results]))
        return Branch(shape, [sample.cards], sample, grids, laws) if all(laws.values()) else None

    def _holds(self, branch: Branch) -> bool:
        """The branch says what the target does, at the ends of its grids and beside them."""
        words = PodWords(branch.shape[0])
        points = [*branch.points()]
        if len(branch.grids) == 2:
            one, other = (list(dict.fromkeys(getattr(p, name) for p in points)) for name in branch.grids)
            points += [
                branch.sample._replace(**dict(zip(branch.grids, both, strict=True)))
                for both in product(one[::3], other[::3])
            ]
        return all(self._is(branch, point, self.target(point, words)) for point in points)

    def _is(self, branch: Branch, point: SharePoint, result: ProbeResult) -> bool:
        on_grid = all(grid.holds(getattr(point, name)) for name, grid in branch.grids.items())
        lifted = branch.lifted(point)
        if lifted is None:  # refused, or the next branch's
            return True
        if not on_grid and not self.target.round_up:
            return bool(result.refused)
        if result.refused or result.keys.keys() != branch.laws.keys():
            return False
        left = {key: still(laws, lifted, result.keys[key]) for key, laws in branch.laws.items()}
        if not all(left.values()):
            return False
        branch.laws = left
        return True

    def _extended(self, last: Found, cards: int) -> bool:
        """One more card, if the target treats it alike."""
        words = PodWords(last.shape[0])
        if isinstance(last, RefusedShares):
            few = self._samples(last.shape, cards, 3)
            if any(main(self.target(one, words)) != last.why(one.cores) for one in few):
                return False
        else:
            kept, sample = last.laws, last.sample
            last.sample = sample._replace(cards=cards)
            same = self._holds(last)
            last.sample = sample
            if not same:
                last.laws = kept
                return False
        last.cards.append(cards)
        return True

    # --- what is beside the numbers -----------------------------------------------------------------

    def _finished(self, found: Found) -> Found:
        found.shape = (found.shape[0], found.shape[1].replace("top", "part"), found.shape[2])
        if isinstance(found, Branch):
            self._add_places(found)
            self._add_words(found)
            self._add_refusals(found)
        return found

    def _add_places(self, branch: Branch) -> None:
        words = PodWords(branch.shape[0])
        for place in PLACES:
            results = [(one, self.target(one, words, place)) for one in ends(branch)]
            refused = [main(one) for _, one in results]
            if refused[0] is not None:
                branch.refused["place", place] = refused[0]
            elif all(
                one.keys.keys() == branch.laws.keys()
                and all(still(laws[:1], point, one.keys[key], place) for key, laws in branch.laws.items())
                for point, one in results
            ):
                branch.places.append(place)

    def _add_words(self, branch: Branch) -> None:
        qos = branch.shape[0]
        for policy, isolation in product(("", *Policy), ("", *Isolation)):
            words = PodWords(qos, str(policy), str(isolation))
            deltas = []
            for point in ends(branch):
                result, keys = self.target(point, words), branch.keys(point)
                refused = main(result)
                if refused is not None:
                    if not (policy and isolation):
                        branch.refused["policy" if policy else "isolation", str(policy or isolation)] = (
                            refused
                        )
                    break
                deltas.append({key: text for key, text in result.keys.items() if keys.get(key) != text})
                if not keys.keys() <= result.keys.keys() or any(key[0] == "limits" for key in deltas[-1]):
                    break
            if len(deltas) == len(ends(branch)) and all(one == deltas[0] for one in deltas):
                branch.words[words] = deltas[0]

    def _add_refusals(self, branch: Branch) -> None:
        """Why numbers are refused that are off the grids, by the field."""
        words = PodWords(branch.shape[0])
        for name, grid in branch.grids.items():
            most = MOST_MIB if name == "mib" else FULL - 1
            least = grid.least
            inside = least + (grid.step if isinstance(grid, Steps) else 0) - 1
            for kind, number in (("low", least - 1), ("step", inside), ("high", grid.most + 1)):
                if 0 < number <= most and not grid.holds(number):
                    why = main(self.target(branch.sample._replace(**{name: number}), words))
                    if why is not None:
                        branch.refused[f"{name}", kind] = why


def ends(branch: Branch) -> list[SharePoint]:
    """The smallest and the largest shares of a branch."""
    grids = branch.grids.items()
    numbers = [{name: getattr(grid, end) for name, grid in grids} for end in ("least", "most")]
    cards = dict.fromkeys((branch.cards[0], branch.cards[-1]))
    return [branch.sample._replace(cards=count, **one) for count in cards for one in numbers]


UNKNOWN = Refusal("", None, "")  # type: ignore[arg-type]  # no law was found


def main(result: ProbeResult) -> Refusal | None:
    """The first reason of a refusal that nothing accepts, else the first."""
    final = [one for one in result.refused if one.kind == "refused"]
    return next(iter((*final, *result.refused)), None)


# Which shares a target takes in one pod: by pairs of branches, each proved by running the target.
IN_CONTAINER = ("limits", "env")
Conflicts = dict[tuple[int, int], Refusal]


def conflicts(target: ProbeTarget, branches: Sequence[Branch]) -> Conflicts:
    """The branches whose shares are not in one pod, by their numbers, and why."""
    found: Conflicts = {}
    for one, other in combinations_with_replacement(range(len(branches)), 2):
        first, second = branches[one], branches[other]
        if first.shape[0] != second.shape[0]:
            continue
        whys = {
            _apart(target, both, mine)
            for pair in product(ends(first), ends(second))
            for both, mine in (((first, second), pair), ((second, first), pair[::-1]))
        }
        if whys != {None}:
            found[one, other] = (whys.pop() if len(whys) == 1 else None) or UNKNOWN
    return found


def _apart(
    target: ProbeTarget, both: tuple[Branch, Branch], points: tuple[SharePoint, SharePoint]
) -> Refusal | None:
    """Why two shares together are not what each is alone."""
    results = target.pair(points, PodWords(both[0].shape[0]))
    refused = main(results[0])
    if refused is not None:
        return refused
    each = ",".join(str(one.cards) for one in points)
    alone: list[dict[Placed, str | None]] = [
        {key: each if laws[0].each else laws[0].of(point, place) for key, laws in branch.laws.items()}
        for branch, point, place in zip(both, points, PLACES, strict=False)
    ]
    of_pod = {key: text for one in alone for key, text in one.items() if key[0] not in IN_CONTAINER}
    for one, result in zip(alone, results, strict=True):
        if result.keys != one | of_pod or any(one.get(key, text) != text for key, text in of_pod.items()):
            return UNKNOWN
    return None
