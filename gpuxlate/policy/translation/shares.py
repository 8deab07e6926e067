"""The variables of both policies: the shares of a pod, their branches, and whether it is translated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from gpuxlate.backends.base import Backend
from gpuxlate.policy.demands import Demand
from gpuxlate.policy.names import listed
from gpuxlate.policy.translation.around import Around
from gpuxlate.policy.translation.laws import FIELDS, Grid, Law
from gpuxlate.policy.translation.learn import MOST_CARDS, MOST_MIB, Branch, Refused
from gpuxlate.policy.translation.obstacles import MOST_CONTAINERS, Obstacle, lists, obstacles
from gpuxlate.policy.translation.probe import FULL, Placed
from gpuxlate.policy.translation.reading import NOT_WHOLE, Cards, Source
from gpuxlate.policy.translation.together import Conflicts
from gpuxlate.rules.predicates.cel import VARIABLES, expression, text

_LETTERS = {"cores": "c", "mib": "m", "percent": "p"}


@dataclass(frozen=True)
class Tables:
    """What is known of a source and a target: the branches by their numbers, and what is refused."""

    source: Source
    target: Backend
    round_up: bool
    branches: tuple[Branch, ...]
    refused: tuple[Refused, ...]
    conflicts: Conflicts
    demands: tuple[Demand, ...]

    @cached_property
    def names(self) -> Around:
        return Around(self.source, self.target)

    @cached_property
    def obstacles(self) -> tuple[Obstacle, ...]:
        return tuple(obstacles(self.names))

    # --- groups of branches -----------------------------------------------------------------------

    def condition(self, branch: Branch) -> str:
        """A share ``s`` is of a branch."""
        grids = (
            grid.written(f"s.{_LETTERS[name]}", rounds=self.round_up) for name, grid in branch.grids.items()
        )
        return " && ".join((shaped(branch), *grids))

    def lifted(self, branch: Branch) -> dict[str, str]:
        """The numbers of a share ``s`` of a branch, rounded up where the target does."""
        found = {"cards": "s.n"}
        for name in FIELDS:
            grid: Grid | None = branch.grids.get(name)
            plain = f"s.{_LETTERS[name]}"
            found[name] = grid.written_up(plain) if grid and self.round_up else plain
        return found

    def numbers_of(self, wanted: Sequence[bool]) -> str:
        return str([number for number, one in enumerate(wanted) if one])

    # --- the variables ------------------------------------------------------------------------------

    def variables(self) -> Iterator[tuple[str, str]]:
        """All, in their order."""
        yield from ((name, one) for name, one in VARIABLES.items() if name != "parameters")
        for field in ("qos", "policy", "isolation"):
            yield field, self.source.word(field)
        yield "words", "variables.policy + '/' + variables.isolation"
        every = [*range(MOST_CONTAINERS)]
        for name, kind in (("places", "containers"), ("initPlaces", "initContainers")):
            yield name, f"{every}.filter(i, i < variables.spec.?{kind}.orValue([]).size())"
        yield "asked", self._asked
        yield "counted", self._counted
        numbers = {name: self.source.number(field) for field, name in zip(_ATTRIBUTES, "cmp", strict=True)}
        kept: tuple[str, ...] = (*_KEPT, "k", "n")
        yield "numbered", f"variables.counted.map(e, {_entries('e', kept, numbers)})"
        kept = (*kept, "m")
        yield "shaped", f"variables.numbered.map(e, {_entries('e', kept, self._whole)})"
        kept = (*kept, "c", "p", "sh")
        yield "shares", f"variables.shaped.map(s, {_entries('s', kept, self._branched)})"
        yield from lists(self.names).items()
        if self.names.shared:
            yield "foreign", self._foreign
        for one in self.obstacles:
            yield one.variable, one.names
        yield "around", " && ".join(f"variables.{one.variable}.size() == 0" for one in self.obstacles)
        yield "good", " && ".join(self._good)

    @cached_property
    def _asked(self) -> str:
        """The containers with keys of the source."""
        lists = " + ".join(
            f"variables.{places}.map(i, {{'i': dyn(i), 'init': dyn({init}), 'of': dyn({containers}[i]), "
            f"'at': dyn('/spec/{kind}/' + string(i))}})"
            for places, init, kind, containers in (
                ("places", "false", "containers", "variables.spec.containers"),
                ("initPlaces", "true", "initContainers", "variables.spec.initContainers"),
            )
        )
        return f"({lists}).filter(e, {_LIMITS}.exists(k, {self.names.asking.said()}))"

    @cached_property
    def _counted(self) -> str:
        """With the keys by one letter each, and the number of cards."""
        letters = " + ".join(
            f"({text(key)} in {_LIMITS} ? '{letter}' : '')"
            for key, letter in zip(self.source.keys, _ALPHABET, strict=False)
        )
        both = (self.names.asking | self.names.theirs).said()
        foreign = f"{_LIMITS}.exists(k, {both} && !(k in {listed(self.source.keys)}))"
        parts = {
            "k": f"({letters}) + ({foreign} ? '?' : '')",
            "l": _LIMITS,
            "r": "e.of.?resources.?requests.orValue({})",
            "name": "e.of.?name.orValue('')",
            "env": "e.of.?env.orValue([]).map(v, v.?name.orValue(''))",
        }
        first = f"variables.asked.map(e, {_entries('e', ('i', 'init', 'at'), parts)})"
        return f"{first}.map(e, {_entries('e', (*_KEPT, 'k'), {'n': self._cards})})"

    @property
    def _cards(self) -> str:
        """The number of cards, -1 where it is none."""
        cards = self.source.number("cards")
        label = self.source.word("cards")
        found = "1" if label == "''" else f"({label} == '' ? 1 : int({label}))"
        for place, key in {(word.place, word.key) for word in self.source.words if word.field == "cards"}:
            found = f"({text(key)} in variables.{place} && {label} == '' ? {MOST_CARDS + 1} : {found})"
        for kind in (Cards.HUNDREDS, Cards.WHOLES):
            sets = [self.letters(one.keys) for one in self.source.shapes if one.cards is kind]
            rows = listed(row.name for row in self.source.rows if row.says == "cores")
            there = f"{rows}.filter(k, k in e.l).map(k, quantity(string(e.l[k])))"
            total = f"({there}.map(q, q.isInteger() ? q.asInteger() : 0) + [0])[0]"
            if sets:
                several = f"({total} + {FULL - 1}) / {FULL}"
                several = several if kind is Cards.HUNDREDS else f"({total} % {FULL} == 0 ? {several} : 1)"
                found = f"(e.k in {listed(sets)} ? ({total} > 0 ? {several} : -1) : {found})"
        return found if cards == "0" else f"[{cards}].map(n, n == 0 ? {found} : n)[0]"

    def letters(self, keys: Sequence[str]) -> str:
        return "".join(
            letter for key, letter in zip(self.source.keys, _ALPHABET, strict=False) if key in keys
        )

    @property
    def _whole(self) -> dict[str, str]:
        """Whole cards have neither compute nor memory, and a share has a shape."""
        sets = [self.letters(one.keys) for one in self.source.shapes]
        part = [self.letters(one.keys) for one in self.source.shapes if not one.full]
        bad, below = "e.n < 1", "e.c < 0 || e.m < 0 || e.p < 0"
        above = f"e.c > {FULL} || e.p > {FULL}"
        odd = f"e.m > {MOST_MIB}"
        if self.source.number("cards") == "0":  # a reader may take the number of cards from them
            odd = f"{below} || {above} || {odd}"
        else:
            bad = f"{bad} || {below} || {above}"
        rest = " || ".join(f"e.{letter} == {NOT_WHOLE}" for letter in "cmp")
        if part:
            odd += f" || (e.c == {FULL} && e.k in {listed(part)})"
        whole = f"e.c == {FULL} && e.m == 0 && (e.p == 0 || e.p == {FULL})"
        cores = f"e.c == 0 || ({whole}) ? '' : e.c == {FULL} ? 'full' : 'part'"
        memory = f"e.m > 0 ? 'mib' : e.p > 0 && e.p < {FULL} ? 'percent' : ''"
        return {
            "c": f"{whole} ? 0 : e.c",
            "p": f"e.p == {FULL} ? 0 : e.p",
            "sh": f"!(e.k in {listed(sets)}) || e.n > {MOST_CARDS} || {rest} ? 'odd' : "
            f"{bad} ? 'bad' : {odd} ? 'odd' : "
            f"variables.qos + '/' + ({cores}) + '/' + ({memory})",
        }

    @property
    def _branched(self) -> dict[str, str]:
        each = (f"{self.condition(one)} ? {number} : -1" for number, one in enumerate(self.branches))
        return {"b": f"([{', '.join(each)}].filter(b, b >= 0) + [-1])[0]"}

    @property
    def _good(self) -> Iterator[str]:
        """The pod is translated: all of it, or none."""
        yield "variables.shares.size() > 0"
        yield "variables.shares.all(s, s.b >= 0)"
        init = self.numbers_of(["init" in one.places for one in self.branches])
        beside = self.numbers_of([{"first", "second"} <= {*one.places} for one in self.branches])
        alone = "variables.places.size() == 1"
        yield f"variables.shares.all(s, s.init ? s.b in {init} : {alone} || s.b in {beside})"
        words = [
            listed([f"{one.policy}/{one.isolation}" for one in branch.words]) for branch in self.branches
        ]
        yield f"variables.shares.all(s, s.b < 0 || variables.words in [{', '.join(words)}][s.b])"
        if self.conflicts:
            yield f"!variables.shares.exists(s, {self.conflicting([*self.conflicts])})"
        yield "variables.around"
        yield from (f"({expression(one.predicate)})" for one in self.demands)

    def conflicting(self, pairs: Sequence[tuple[int, int]]) -> str:
        """The share ``s`` is in one pod with one of another branch, of these pairs."""
        beside: list[list[int]] = [[] for _ in self.branches]
        for one, other in pairs:
            beside[one].append(other)
            if one != other:
                beside[other].append(one)
        return f"s.b >= 0 && variables.shares.exists(t, t.at != s.at && t.b in {beside}[s.b])"

    @property
    def _foreign(self) -> str:
        """A pod with keys that both dialects have is not translated yet."""
        if self.adds_to_shared:
            return "true"
        left = [one for one in self.source.backend.schedulers if one not in self.target.schedulers]
        terms = [self.names.has_own]
        terms += [f"variables.schedulerName in {listed(left)}"] if left else []
        law = self._of_whole_cards.get(("scheduler", ""))
        terms += [f"variables.schedulerName != {text(law[0].constant)}"] if law else []
        return " || ".join(terms)

    @property
    def _of_whole_cards(self) -> dict[Placed, tuple[Law, ...]]:
        """What the target writes for whole cards."""
        return next((one.laws for one in self.branches if one.shape == ("", "", "")), {})

    @cached_property
    def adds_to_shared(self) -> bool:
        """Translated whole cards have more resources than the one that both dialects have."""
        laws = self._of_whole_cards
        return any(place == "limits" and name not in self.names.shared for place, name in laws)


_KEPT = ("i", "init", "at", "l", "r", "name", "env")
_ALPHABET = "abcdefg"
_ATTRIBUTES = ("cores", "memory_mib", "memory_percent")
_LIMITS = "e.of.?resources.?limits.orValue({})"


def shaped(one: Branch | Refused) -> str:
    """A share ``s`` has the shape and one of the numbers of cards."""
    cards = f"s.n >= {one.cards[0]} && s.n <= {one.cards[-1]}"
    return f"s.sh == {text('/'.join(one.shape))} && {cards}"


def _entries(name: str, kept: Sequence[str], more: dict[str, str]) -> str:
    """A mapping with entries of another, and more of them."""
    both = {**{one: f"{name}.{one}" for one in kept}, **more}
    return f"{{{', '.join(f'{text(key)}: dyn({value})' for key, value in both.items())}}}"
