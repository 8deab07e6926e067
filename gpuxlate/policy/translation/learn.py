"""What a target does with shares: a finite list of branches, each proved by running the target.

A branch is a shape of shares (which of compute and memory are set, the class, the number of cards). In it the
numbers that the target takes are a grid, and each key follows a law. All percents are tried, and memory at
the ends of the grid; what follows no law is not translated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from gpuxlate.backends.base import Place
from gpuxlate.model.share import Isolation, Policy, Qos
from gpuxlate.model.sheet import Per
from gpuxlate.policy.translation.laws import FIELDS, Grid, Law, Listed, Steps, candidates, grid_of, still
from gpuxlate.policy.translation.probe import FULL, Placed, Point, Refusal, Result, Target, Words

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
    sample: Point
    grids: dict[str, Grid]
    laws: dict[Placed, tuple[Law, ...]]
    places: list[str] = field(default_factory=list)
    words: dict[Words, dict[Placed, str]] = field(default_factory=dict)
    refused: dict[tuple[str, str], Refusal] = field(default_factory=dict)

    def lifted(self, point: Point) -> Point | None:
        """The share as the target gives it; None where it is none of this branch."""
        there = {
            name: up for name, grid in self.grids.items() if (up := grid.up(getattr(point, name))) is not None
        }
        return point._replace(**there) if len(there) == len(self.grids) else None

    def keys(self, point: Point) -> dict[Placed, str | None]:
        return {key: laws[0].of(point) for key, laws in self.laws.items()}

    def points(self) -> Iterator[Point]:
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
class Refused:
    """Shares of a shape that a target does not take; ``whys``: from how much compute on, and why."""

    shape: Shape
    cards: list[int]
    whys: tuple[tuple[int, Refusal], ...]

    def why(self, cores: int) -> Refusal:
        return next(why for least, why in reversed(self.whys) if least <= cores)


Found = Branch | Refused


class Learner:
    """Runs one target on shares, and keeps what it has learned."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.exact = replace(target, round_up=False)
        rows = [
            row for row in target.backend.keys if Place.RESOURCE in row.places and row.says == "memory_mib"
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

    def _samples(self, shape: Shape, cards: int, most: int = 99) -> Iterator[Point]:
        cores = {"": (0,), "full": (FULL,), "top": (FULL - 1,)}.get(shape[1], _CORES)[:most]
        mib = (*_MIB, *self.legal)[:most] if shape[2] == "mib" else (0,)
        percent = _PERCENT[:most] if shape[2] == "percent" else (0,)
        for one in product(cores, mib, percent):
            yield Point(cards, *one)

    def _learned(self, shape: Shape, cards: int) -> Found:
        words, samples = Words(shape[0]), [*self._samples(shape, cards)]
        for engine in (self.exact, self.target):
            for one in samples:
                if shape[1] == "top" and not self.exact(one, words).refused:
                    return Refused(shape, [cards], ((0, UNKNOWN),))
                if not engine(one, words).refused:
                    found = self._branch(shape, one, engine)
                    return found or Refused(shape, [cards], ((0, UNKNOWN),))
        whys: list[tuple[int, Refusal]] = []
        for cores in range(1, FULL) if shape[1] == "part" else (samples[0].cores,):
            why = main(self.target(samples[0]._replace(cores=cores), words)) or UNKNOWN
            if not whys or whys[-1][1] != why:
                whys.append((cores if whys else 0, why))
        return Refused(shape, [cards], tuple(whys))

    def _branch(self, shape: Shape, sample: Point, engine: Target) -> Branch | None:
        words, grids = Words(shape[0]), dict[str, Grid]()

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
            return Listed(tuple(sorted({*legal, sample})))
        ends = []
        for inside, outside in ((sample // step, 0), (sample // step, MOST_MIB // step + 1)):
            while abs(inside - outside) > 1:
                middle = (inside + outside) // 2
                inside, outside = (middle, outside) if takes(middle * step) else (inside, middle)
            ends.append(inside * step)
        return Steps(ends[0], ends[1], step)

    def _with_laws(
        self, shape: Shape, sample: Point, grids: dict[str, Grid], engine: Target
    ) -> Branch | None:
        words = Words(shape[0])
        points = [sample]
        for name, grid in grids.items():
            numbers: Sequence[int] = range(1, FULL)
            if name == "mib":
                ends = grid.values if isinstance(grid, Listed) else grid[:2]
                step = 1 if isinstance(grid, Listed) else grid.step
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
        words = Words(branch.shape[0])
        points = [*branch.points()]
        if len(branch.grids) == 2:
            one, other = (list(dict.fromkeys(getattr(p, name) for p in points)) for name in branch.grids)
            points += [
                branch.sample._replace(**dict(zip(branch.grids, both, strict=True)))
                for both in product(one[::3], other[::3])
            ]
        return all(self._is(branch, point, self.target(point, words)) for point in points)

    def _is(self, branch: Branch, point: Point, result: Result) -> bool:
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
        words = Words(last.shape[0])
        if isinstance(last, Refused):
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
        words = Words(branch.shape[0])
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
            words = Words(qos, str(policy), str(isolation))
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
        words = Words(branch.shape[0])
        for name, grid in branch.grids.items():
            most = MOST_MIB if name == "mib" else FULL - 1
            least = grid.least
            inside = least + (grid.step if isinstance(grid, Steps) else 0) - 1
            for kind, number in (("low", least - 1), ("step", inside), ("high", grid.most + 1)):
                if 0 < number <= most and not grid.holds(number):
                    why = main(self.target(branch.sample._replace(**{name: number}), words))
                    if why is not None:
                        branch.refused[f"{name}", kind] = why


def ends(branch: Branch) -> list[Point]:
    """The smallest and the largest shares of a branch."""
    grids = branch.grids.items()
    numbers = [{name: getattr(grid, end) for name, grid in grids} for end in ("least", "most")]
    cards = dict.fromkeys((branch.cards[0], branch.cards[-1]))
    return [branch.sample._replace(cards=count, **one) for count in cards for one in numbers]


UNKNOWN = Refusal("", None, "")  # type: ignore[arg-type]  # no law was found


def main(result: Result) -> Refusal | None:
    """The first reason of a refusal that nothing accepts, else the first."""
    final = [one for one in result.refused if one.kind == "refused"]
    return next(iter((*final, *result.refused)), None)
