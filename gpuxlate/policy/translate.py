"""The shares of a pod in the keys of a dialect, as CEL: what its data sheet says, proved by its reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import NamedTuple

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.backends.base import INSTANCE_TYPES, VIRTUAL_NODES, Backend, Cloud, KeySpec, Place
from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import URL, LossKind, Severity
from gpuxlate.model.keys import ANY, BYTE, Per
from gpuxlate.model.messages import Message, join_or, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, Share, ShareError
from gpuxlate.policy.demands import Demand, demands
from gpuxlate.policy.deny_backend import CODE
from gpuxlate.policy.documents import AdmissionPolicy, Object, PolicyStyle, made, numbered, sentence
from gpuxlate.policy.subjects import Names, Pods, listed, some_resource
from gpuxlate.policy.synthesize import (
    FIELDS,
    FULL,
    MOST_CARDS,
    MOST_MIB,
    Branch,
    Conflicts,
    Grid,
    Law,
    Learner,
    Placed,
    ProbeTarget,
    Refusal,
    RefusedShares,
    UnwritableError,
    conflicts,
)
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context
from gpuxlate.rules.predicates.cel import VARIABLES, expression, said, text
from gpuxlate.rules.predicates.conditions import Condition
from gpuxlate.rules.products import PRODUCTS
from gpuxlate.rules.translation import made_by_another
from gpuxlate.rules.vocabulary import IGNORE
from gpuxlate.translation import edits, leftovers
from gpuxlate.translation.shares import read_pod

SHORT_NAMES = {"cards": "n", "cores": "c", "memory_mib": "m", "memory_percent": "p"}
"""Attributes of a share, as they are called in the expressions."""
OF_POD = ("qos", "policy", "isolation")
NOT_WHOLE = -2
"""A number in smaller units than a share has."""
MOST_ROWS, MOST_NUMBER = 7, 10**15
_EACH = {"cores": (20, 50, FULL), "memory_mib": (2048, 24576), "memory_percent": (25, 50)}


class Cards(StrEnum):
    """Where the number of cards is, if no key has it."""

    ONE = "one"
    HUNDREDS = "hundreds"  # each card has 100 percent: 120 is two
    WHOLES = "wholes"  # above 100 percent, whole cards alone


@record
class Shaped:
    """Keys of a container that are read together. ``full``: with all compute and a part of the memory too."""

    keys: tuple[str, ...]
    cards: Cards = Cards.ONE
    full: bool = True


@record
class Word:
    """A key of the pod, and the value of the field that each of its texts is; ``field``: empty for none."""

    place: str
    key: str
    field: str
    texts: tuple[tuple[str, str], ...]


class SourceDialect:
    """A dialect whose keys are translated."""

    def __init__(self, backend: Backend, profile: Profile | None) -> None:
        self.backend = backend
        self.profile = profile if profile and registry.get(profile.target) is backend else None
        self._context = Context(self.profile, registry.pod_backends())

    @cached_property
    def rows(self) -> tuple[KeySpec, ...]:
        """The rows with numbers of a container."""
        return tuple(
            row
            for row in self.backend.keys
            if Place.RESOURCE in row.places and row.sets in SHORT_NAMES and row.unit and not row.is_pattern
            if not row.quantity or row.unit == BYTE
        )

    @cached_property
    def shapes(self) -> tuple[Shaped, ...]:
        """The sets of keys that are read as their rows say."""
        if len(self.rows) > MOST_ROWS:
            return ()
        choices = [(None, *(row for row in self.rows if row.sets == field)) for field in SHORT_NAMES]
        found: list[Shaped] = []
        for one in product(*choices):
            rows = tuple(row for row in one if row is not None)
            tried = [self._shaped(rows, cards) for cards in Cards if rows]
            found += [shaped for shaped in tried if shaped is not None][:1]
        common = (self.backend.whole_card_key,)
        return tuple(found) if any(one.keys != common for one in found) else ()

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The keys of the pod that a share has a field for, or that it needs none for."""
        if not self.shapes:
            return ()
        return tuple(word for row in self.backend.keys for word in self._words(row))

    def unit(self, row: KeySpec) -> Fraction:
        return self.backend.unit(row, self.profile)

    # --- proof ------------------------------------------------------------------------------------

    def _shaped(self, rows: Sequence[KeySpec], cards: Cards) -> Shaped | None:
        """What a reader finds is what the rows say, wherever no rule refuses the numbers."""
        if cards is not Cards.ONE and any(row.sets == "cards" for row in rows):
            return None
        seen, full = False, True
        for values in self._values(rows):
            share, _ = self.read(dict(zip((row.name for row in rows), values, strict=True)))
            if share is None:
                continue
            if share != self._said(rows, values, cards):
                whole = any(row.sets == "cores" and not v % FULL for row, v in zip(rows, values, strict=True))
                if not whole or len(rows) < 2:
                    return None
                full = False
            seen = True
        return Shaped(tuple(row.name for row in rows), cards, full) if seen else None

    def _values(self, rows: Sequence[KeySpec]) -> Iterator[tuple[int, ...]]:
        for count in (1, 2, 3):
            given = [
                (count,)
                if row.sets == "cards"
                else tuple(
                    int(number)
                    for each in _EACH[str(row.sets)]
                    if (number := each * (count if row.per is Per.TOTAL else 1) / self.unit(row)).denominator
                    == 1
                )
                for row in rows
            ]
            yield from product(*given)

    def _said(self, rows: Sequence[KeySpec], values: Sequence[int], cards: Cards) -> Share | None:
        numbers = {str(row.sets): value * self.unit(row) for row, value in zip(rows, values, strict=True)}
        count = int(numbers.get("cards", 1))
        cores = numbers.get("cores", Fraction(0))
        if cards is Cards.HUNDREDS or (cards is Cards.WHOLES and not cores % FULL):
            count = max(1, -(-int(cores) // FULL))
        for row in rows:
            if row.per is Per.CARD and row.sets != "memory_percent":
                numbers[str(row.sets)] *= count
        given = {name: int(number) for name, number in numbers.items() if name != "cards"}
        try:
            return Share(
                count,
                given.get("cores"),
                given.get("memory_mib"),
                memory_percent=given.get("memory_percent"),
            )
        except ShareError:
            return None

    def read(
        self, limits: dict[str, int], place: str = "", key: str = "", value: str = ""
    ) -> tuple[Share | None, bool]:
        """The share of a pod with these keys; None where it is refused. And whether it chooses nodes."""
        path = ("spec", "containers", 0)
        names = {name: Value(str(n), path=(*path, "resources", "limits", name)) for name, n in limits.items()}
        container = ContainerKeys("web", 0, False, names, {}, path=path)
        on_pod = {key: Value(value, path=(place, key))}
        pod = PodKeys(
            (container,),
            labels=on_pod if place == "labels" else {},
            annotations=on_pod if place == "annotations" else {},
            node_selector=on_pod if place == "nodeSelector" else {},
        )
        reading, found = read_pod(pod, self.backend, self._context)
        if any(one.severity is Severity.ERROR for one in found):
            return None, False
        return reading.containers[0].share, bool(reading.selectors)

    def _words(self, row: KeySpec) -> Iterator[Word]:
        """A row on the pod, with the texts that a reader takes beside some share."""
        places = {Place.LABEL: "labels", Place.ANNOTATION: "annotations", Place.NODE_SELECTOR: "nodeSelector"}
        if row.is_pattern or Place.WRITTEN_BY_SCHEDULER in row.places:
            return
        counts = row.sets == "cards" and row.unit and row.per is Per.TOTAL
        texts = tuple(map(str, range(1, MOST_CARDS + 1))) if counts else (*row.texts, *row.no_op_values)
        for place in (name for one, name in places.items() if one in row.places):
            by_field: dict[str, list[tuple[str, str]]] = {}
            for one in dict.fromkeys(texts):
                taken = self._taken(place, row.name, one)
                if taken is not None:
                    by_field.setdefault(taken[0], []).append((one, taken[1]))
            for field_name, found in by_field.items():
                if len(by_field) == 1 or field_name:
                    yield Word(place, row.name, field_name, tuple(found))

    def _taken(self, place: str, key: str, value: str) -> tuple[str, str] | None:
        """The field that a text sets, and its value."""
        for shaped_name in self.shapes:
            rows = [row for row in self.rows if row.name in shaped_name.keys]
            for values in self._values(rows):
                limits = dict(zip((row.name for row in rows), values, strict=True))
                plain, _ = self.read(limits)
                share, chooses = self.read(limits, place, key, value)
                if plain is None or share is None or chooses:
                    continue
                changed = [
                    name for name in ("cards", *OF_POD) if getattr(share, name) != getattr(plain, name)
                ]
                if len(changed) > 1:
                    return None
                return (changed[0], str(getattr(share, changed[0]))) if changed else ("", "")
        return None

    # --- in CEL -----------------------------------------------------------------------------------

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows)

    def word(self, field: str) -> str:
        """The value of a field of the pod, empty where it is not set, in CEL."""
        found = "''"
        for one in self.words:
            if one.field == field:
                texts = ", ".join(f"{text(key)}: {text(value)}" for key, value in one.texts)
                found = (
                    f"{{'': {found}, {texts}}}[?{named(one)}].orValue('')"
                    if found != "''"
                    else (f"{{{texts}}}[?{named(one)}].orValue('')")
                )
        return found

    def number(self, field: str) -> str:
        """An attribute in the limits ``e.l``, of each of ``e.n`` cards: 0 is not set, below 0 is wrong."""
        terms = []
        for row in self.rows:
            if row.sets == field:
                key, unit = text(row.name), self.unit(row)
                value = f"quantity(string(e.l[{key}]))"
                within = (
                    f"{value}.isInteger() && {value}.asInteger() > 0 && {value}.asInteger() <= {MOST_NUMBER}"
                )
                below = [str(unit.denominator)] * (unit.denominator != 1)
                over = [] if field == "cards" or row.per is Per.CARD else ["e.n"]
                up = f" * {unit.numerator}" if unit.numerator != 1 else ""
                divisor = " * ".join([*below, *over]) or "1"
                amount = f"{value}.asInteger(){up}"
                exact = f"({within}) && ({amount}) % ({divisor}) == 0" if divisor != "1" else within
                if up and over:  # a dialect may count whole units on each card: others are not translated
                    exact += f" && {value}.asInteger() % e.n == 0"
                each = f"({amount}) / ({divisor})" if divisor != "1" else amount
                wrong = NOT_WHOLE if below else -1
                terms.append(f"({key} in e.l ? ({exact} ? {each} : {wrong}) : 0)")
        return " + ".join(terms) or "0"


def named(word: Word) -> str:
    """The text of a key of the pod, empty where it has none, in CEL."""
    if word.place == "nodeSelector":
        return f"variables.spec.?nodeSelector[?{text(word.key)}].orValue('')"
    return f"variables.{word.place}[?{text(word.key)}].orValue('')"


# The names of keys of a source and a target, and which pods the policies between them look at, in CEL.
LIMITS = "c.?resources.?limits.orValue({})"
TERMS = f"variables.spec.?{'.?'.join(REQUIRED_AFFINITY)}.orValue([])"
PREFERRED = (
    "variables.spec.?affinity.?nodeAffinity.?preferredDuringSchedulingIgnoredDuringExecution.orValue([])"
)
NODE_SELECTOR = "variables.spec.?nodeSelector.orValue({})"


def names_of(backend: Backend, *, general: bool = True) -> Names:
    """The keys of a dialect, wherever they are, but those that its scheduler writes and words of anybody's.

    ``general``: those too that say nothing of a GPU where nothing else does.
    """
    rows = [row for row in backend.keys if not row.is_word and (general or not row.general)]
    scheduled = [
        name for row in backend.keys if Place.WRITTEN_BY_SCHEDULER in row.places for name in _all(row)
    ]
    names = [name for row in rows for name in _all(row) if name not in scheduled]
    apart = [one for one in (IGNORE, *scheduled) if "*" not in one]
    return Names.of(names, backend.gpu_prefixes, apart)


def _all(row: KeySpec) -> tuple[str, ...]:
    return (row.name, *row.aliases)


def all_names(backends: Iterable[Backend]) -> Names:
    """Those of several dialects."""
    found = Names()
    for one in backends:
        found |= names_of(one)
    return found


@record
class Around:
    """A source and a target, as far as their names go."""

    source: SourceDialect
    target: Backend

    @cached_property
    def asking(self) -> Names:
        """The resources that ask for a share in the source, whole cards too where it reads them."""
        backend = self.source.backend
        names = [name for row in backend.keys if Place.RESOURCE in row.places for name in _all(row)]
        whole = backend.whole_card_key
        return Names.of((*names, *([whole] if whole else ())), backend.gpu_prefixes, (IGNORE,))

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """Those of them that the target has too: a translated pod may have them."""
        target = self.target
        return tuple(one for one in self.asking.exact if target.owns(one) or one == target.whole_card_key)

    @cached_property
    def own(self) -> Names:
        """Those that no translated pod has."""
        return replace(self.asking, exact=tuple(one for one in self.asking.exact if one not in self.shared))

    @cached_property
    def theirs(self) -> Names:
        """The resources of all other dialects."""
        found, mine = Names(), self.asking
        for one in registry.pod_backends():
            rows = [row for row in one.keys if Place.RESOURCE in row.places]
            whole = (one.whole_card_key,) if one.whole_card_key else ()
            found |= Names.of((*(name for row in rows for name in _all(row)), *whole), one.gpu_prefixes)
        exact = tuple(one for one in found.exact if one not in mine)
        prefixes = tuple(one for one in found.prefixes if one not in mine.prefixes)
        patterns = tuple(one for one in found.patterns if one not in mine.patterns)
        apart = tuple(one for one in mine.exact if one.startswith(prefixes))
        return Names(exact, prefixes, patterns, apart)

    @cached_property
    def words(self) -> Names:
        """The keys of the source on a pod that say nothing without a share, and are not the target's."""
        found = names_of(self.source.backend, general=False)
        return replace(found, exact=tuple(one for one in found.exact if not self.target.owns(one)))

    @cached_property
    def env(self) -> list[str]:
        """The variables of containers that the source reads."""
        rows = self.source.backend.keys
        return sorted(row.name for row in rows if Place.ENV in row.places and not row.is_word)

    @property
    def speaks(self) -> str:
        """A pod asks for a share in the source: a match condition."""
        return some_resource(self.asking)

    @property
    def has_own(self) -> str:
        """A container asks in the source, by a key that no translated pod has."""
        return some_resource(self.own) if self.own else "false"

    @property
    def remains(self) -> str:
        """A key of the source is left in a pod, or a resource that may be one: a match condition."""
        terms = [self.has_own]
        if self.words:
            said = self.words.said()
            places = ("variables.labels", "variables.annotations", NODE_SELECTOR)
            terms += [f"{one}.exists(k, {said})" for one in places]
            for listed_terms, at in ((TERMS, "t"), (PREFERRED, "t.?preference")):
                key = f"[string(r.?key.orValue(''))].exists(k, {said})"
                terms.append(f"{listed_terms}.exists(t, {at}.?matchExpressions.orValue([]).exists(r, {key}))")
        if self.env:
            variable = f"c.?env.orValue([]).exists(e, e.?name.orValue('') in {listed(self.env)})"
            terms.append(f"variables.containers.exists(c, {variable})")
        if self.shared:
            rows = [row for row in self.target.keys if Place.RESOURCE in row.places]
            names = (name for row in rows for name in _all(row) if name not in self.shared)
            native = Names.of(names, self.target.gpu_prefixes, self.shared)
            apart = f" && !{LIMITS}.exists(k, {native.said()})" if native else ""
            shared = f"{listed(self.shared)}.exists(k, k in {LIMITS})"
            terms.append(f"variables.containers.exists(c, {shared}{apart})")
        return " || ".join(one for one in terms if one != "false")


# What keeps a pod from being translated, beside the numbers of its shares, in the words of ``translate``.
# Each is a list of names in CEL that is empty where there is no such thing. A pod with one is not
# translated, and refused for it.
MOST_CONTAINERS = 16
DEFAULT_SCHEDULER = edits.DEFAULT
MARK = "{names}"
"""In a message, where the names go."""
RUN = "run gpuxlate translate --to {target}"
NOT_TRANSLATED = "no policy translates it"
_IN = {
    Place.LABEL: "variables.labelNames",
    Place.ANNOTATION: "variables.annotationNames",
    Place.NODE_SELECTOR: "variables.nodeNames",
    Place.ENV: "variables.envNames",
}
_MAPPINGS = {
    "labels": "variables.labels",
    "annotations": "variables.annotations",
    "nodeSelector": NODE_SELECTOR,
}
_TOPOLOGY = (
    ("topologySpreadConstraints", "topologyKey"),
    *(
        (f"affinity.?{kind}.?{when}", key)
        for kind in ("podAffinity", "podAntiAffinity")
        for when, key in (
            ("requiredDuringSchedulingIgnoredDuringExecution", "topologyKey"),
            ("preferredDuringSchedulingIgnoredDuringExecution", "podAffinityTerm.?topologyKey"),
        )
    ),
)


class Obstacle(NamedTuple):
    """One of them. ``names``: a list of texts in CEL. ``message``: with MARK for the names."""

    variable: str
    names: str
    code: str
    message: Message
    hint: Message | str = ""


def _flat(lists: str) -> str:
    """Several lists of names as one: names have no commas, and ``flatten`` came with 1.34."""
    return f"{lists}.map(l, l.join(',')).join(',').split(',').filter(k, k != '')"


_KEYS = "matchExpressions.orValue([]).map(r, string(r.?key.orValue('')))"
_OF_TERMS = (_flat(f"{TERMS}.map(t, t.?{_KEYS})"), _flat(f"{PREFERRED}.map(t, t.?preference.?{_KEYS})"))
_PAIRS = (
    "matchExpressions.orValue([]).map(r, (r.?values.orValue([]) + ['']).map(v, string(r.?key.orValue('')) + "
    "'=' + string(v)).join(','))"
)
_CHOICES = (
    f"{NODE_SELECTOR}.map(k, k + '=' + string({NODE_SELECTOR}[k]))",
    _flat(f"{TERMS}.map(t, t.?{_PAIRS})"),
    _flat(f"{PREFERRED}.map(t, t.?preference.?{_PAIRS})"),
    "variables.spec.?tolerations.orValue([])"
    ".map(r, string(r.?key.orValue('')) + '=' + string(r.?value.orValue('')))",
    *(
        f"variables.spec.?{path}.orValue([]).map(r, string(r.?{name}.orValue('')) + '=')"
        for path, name in _TOPOLOGY
    ),
)


def lists(around: Around) -> dict[str, str]:
    """Variables: all names in a place of the pod, and what it has of other dialects than the source."""
    known = names_of(around.source.backend) | names_of(around.target)
    theirs = f"{LIMITS}.filter(k, {around.theirs.said()}).map(k, string(k))"
    shown = "string(c.of.?name.orValue('')) + ' (' + c.theirs.join(', ') + ')'"
    mine = f"{LIMITS}.exists(k, {around.asking.said()})"
    return {
        "affinityNames": " + ".join(_OF_TERMS),
        "nodeNames": f"{NODE_SELECTOR}.map(k, k) + variables.affinityNames",
        "envNames": _flat(
            "variables.containers.map(c, c.?env.orValue([]).map(e, string(e.?name.orValue(''))))"
        ),
        "podNames": " + ".join(_IN.values()),
        "resourceNames": _flat(f"variables.containers.map(c, {LIMITS}.map(k, k))"),
        # labels and taints of nodes that no dialect of these has, each as name=value
        "choices": f"({' + '.join(_CHOICES)}).filter(x, ![x.split('=')[0]].exists(k, {known.said()}))",
        "withTheirs": f"variables.containers.map(c, {{'of': dyn(c), 'theirs': dyn({theirs}), "
        f"'mine': dyn({mine})}}).filter(c, c.theirs.size() > 0).map(c, {{'name': dyn({shown}), "
        "'theirs': dyn(c.theirs), 'mine': dyn(c.mine)})",
    }


def obstacles(around: Around) -> Iterator[Obstacle]:
    """In the order in which they count."""
    yield _sizes(around)
    yield from _of_source(around)
    yield from _of_words(around)
    yield from _of_target(around)
    yield from _of_others(around)
    yield _unread(around)
    yield from _machines(around)
    if around.target.schedulers:
        yield _scheduler(around)


def _left(around: Around, variable: str, names: str, why: str, hint: str = RUN) -> Obstacle:
    message = msg(leftovers.LEFT, name=MARK, why=msg(why))
    return Obstacle(variable, names, CODE, message, msg(hint, target=around.target.name))


def _sizes(around: Around) -> Obstacle:
    counts = {
        "containers": "variables.spec.?containers.orValue([])",
        "initContainers": "variables.spec.?initContainers.orValue([])",
        "nodeSelectorTerms": TERMS,
    }
    names = (f"[{text(name)}].filter(k, {of}.size() > {MOST_CONTAINERS})" for name, of in counts.items())
    message = msg("a policy translates at most {most} of each: {names}", most=MOST_CONTAINERS, names=MARK)
    hint = msg(RUN, target=around.target.name)
    return Obstacle("tooMany", " + ".join(names), CODE, message, hint)


def _filtered(names: Names, *, env: bool) -> str:
    """The names on a pod that are some of these; ``env``: those of variables too."""
    places = [one for place, one in _IN.items() if env or place is not Place.ENV]
    return " + ".join(f"{one}.filter(k, {names.said()})" for one in places)


def _of_source(around: Around) -> Iterator[Obstacle]:
    """Keys of the source on a pod that no share of it has."""
    env = bool(around.env)
    if around.words or env:
        names = f"variables.asked.size() > 0 ? [] : {_filtered(around.words, env=env)}"
        yield _left(around, "withoutShare", names, leftovers.NO_SHARE, leftovers.BY_HAND)
    words = {place: {word.key for word in around.source.words if word.place == place} for place in _MAPPINGS}
    every = names_of(around.source.backend)
    parts = []
    for place, field_name in ((Place.LABEL, "labels"), (Place.ANNOTATION, "annotations")):
        taken = f" && !(k in {listed(sorted(words[field_name]))})" if words[field_name] else ""
        parts.append(f"{_IN[place]}.filter(k, {every.said()}{taken})")
    taken = f" && !(k in {listed(sorted(words['nodeSelector']))})" if words["nodeSelector"] else ""
    parts.append(f"{NODE_SELECTOR}.filter(k, {every.said()}{taken})")
    parts.append(f"variables.affinityNames.filter(k, {every.said()})")
    if env:
        parts.append(f"{_IN[Place.ENV]}.filter(k, k in {listed(around.env)})")
    yield _left(
        around, "untranslated", f"variables.asked.size() == 0 ? [] : {' + '.join(parts)}", NOT_TRANSLATED
    )


def _of_words(around: Around) -> Iterator[Obstacle]:
    """Words of the source that are none of its values, and those that say the same twice."""
    texts: dict[tuple[str, str], list[str]] = {}
    for word in around.source.words:
        texts.setdefault((word.place, word.key), []).extend(one for one, _ in word.texts)
    odd = [
        f"[{text(key)}].filter(k, k in {_MAPPINGS[place]})"
        f".filter(k, !({_MAPPINGS[place]}[k] in {listed(dict.fromkeys(found))}))"
        for (place, key), found in texts.items()
    ]
    if odd:
        names = f"variables.asked.size() == 0 ? [] : {' + '.join(odd)}"
        yield _left(around, "unknown", names, "no policy translates its value")
    twice = []
    for field_name in OF_POD:
        words = {(one.place, one.key): one for one in around.source.words if one.field == field_name}
        if len(words) > 1:
            given = " + ".join(f"[{text(one.key)}].filter(k, {named(one)} != '')" for one in words.values())
            twice.append(f"[{given}].filter(l, l.size() > 1).map(l, l.join(', '))")
    counts = {word.key for word in around.source.words if word.field == "cards"}
    twice += [
        f"[{text(key)}].filter(k, variables.asked.size() > 1 && {around.source.word('cards')} != '')"
        for key in sorted(counts)
    ]
    if twice:
        yield _left(around, "together", " + ".join(twice), "no policy translates these together")


def _of_target(around: Around) -> Iterator[Obstacle]:
    """Keys of the target that were there before (translation/leftovers.py, ``_of_the_target``)."""
    source, target = around.source.backend, around.target

    def counts(row: KeySpec, place: Place) -> bool:
        by_itself = Place.WRITTEN_BY_SCHEDULER not in row.places and ANY not in row.no_op_values
        needs_place = row.is_word or place is Place.ENV
        return by_itself and (not needs_place or place in row.places)

    parts = []
    for place, names in _IN.items():
        rows = [row for row in target.keys if counts(row, place)]
        here = (name for row in rows for name in (row.name, *row.aliases))
        found = Names.of(one for one in here if one != target.whole_card_key and not source.owns(one))
        if found:
            parts.append(f"{names}.filter(k, {found.said()})")
    if parts:
        names = " + ".join(parts)
        names = f"variables.foreign ? {names} : []" if around.shared else names
        message = msg(leftovers.BEFORE, name=MARK, target=target.name)
        yield Obstacle("before", names, CODE, message, msg(leftovers.REMOVE))


def _of_others(around: Around) -> Iterator[Obstacle]:
    """Keys of other dialects."""
    others = [one for one in registry.pod_backends() if one not in (around.source.backend, around.target)]
    names = all_names(one for one in others if not one.read_only)
    known = names_of(around.source.backend) | names_of(around.target)
    there = f"variables.podNames.filter(k, {names.said()} && !({known.said()}))"
    yield _left(around, "others", there, leftovers.NO_SHARE, leftovers.BY_HAND)
    whole = sorted({one.whole_card_key for one in registry.pod_backends() if one.whole_card_key})
    alone = f"!c.mine && c.theirs.all(k, k in {listed(whole)})"
    message = msg("keys of two dialects: {names}", names=MARK)
    mixed = f"variables.withTheirs.filter(c, !({alone})).map(c, string(c.name))"
    yield Obstacle("mixed", mixed, "K8S007", message)
    beside = f"variables.withTheirs.filter(c, {alone}).map(c, string(c.name))"
    yield _left(around, "beside", beside, NOT_TRANSLATED)
    spoken = [
        f"[{text(one.title)}].filter(k, {said(one.detector)})"
        for one in others
        if isinstance(one.detector, Condition)
    ]
    message = msg(
        "the pod is to be read as {chosen}, and has keys of {other}",
        chosen=around.source.backend.name,
        other=MARK,
    )
    yield Obstacle("spoken", " + ".join(spoken), "K8S007", message)


def _unread(around: Around) -> Obstacle:
    """Keys of products that are known by name."""
    dialects = [one for one in registry.pod_backends() if not one.read_only or one is around.source.backend]
    products = (*PRODUCTS, *(product for one in registry.pod_backends() for product in one.similar_products))
    keys = Names.of(key for product in products for key in product.keys)
    read = all_names(dialects)
    every = "(variables.podNames + variables.resourceNames)"
    parts = [f"{every}.filter(k, {keys.said()} && !({read.said()}))"]
    for place, one in _IN.items():
        local = sorted({name for product in products for name in product.local.get(place, ())})
        parts += [f"{one}.filter(k, k in {listed(local)})"] if local else []
    message = msg("{names} is a key of a product that gpuxlate does not read", names=MARK)
    return Obstacle("unread", " + ".join(parts), "GX027", message, msg(leftovers.UNREAD))


def _machines(around: Around) -> Iterator[Obstacle]:
    """Choices of machines of another cloud than the target's."""
    source, target = around.source.backend, around.target
    clouds = [one for one in registry.pod_backends() if one.cloud and one is not target]
    for one in clouds if target.cloud else [one for one in clouds if one is source]:
        assert one.cloud is not None
        own = target.cloud if one is not source else None  # two clouds have machines of one name
        name = f"machinesOf{one.name.title().replace('-', '')}"
        title = msg(one.cloud.title)
        message = msg("{name} is not translated: it chooses machines of {title}", name=MARK, title=title)
        yield Obstacle(name, _chosen(one.cloud, own), CODE, message, msg(leftovers.MACHINES))


def _chosen(cloud: Cloud, own: Cloud | None) -> str:
    """The labels and taints of nodes that choose machines of a cloud, each as name=value."""
    types = "|".join(one.replace(".", "\\.") for one in INSTANCE_TYPES)
    domains = "|".join(one.replace(".", "\\.") for one in cloud.domains)
    terms = [f"x.matches({text(f'^([^/=]*[.])?({domains})/')})"]
    machine = f"x.matches({text(f'^({types})=(?:{cloud.machine_type.pattern})$')})"
    if own:
        machine = f"({machine} && !x.matches({text(f'^({types})=(?:{own.machine_type.pattern})$')}))"
    terms.append(machine)
    if cloud.provider:
        terms.append(f"x == {text(f'{VIRTUAL_NODES}={cloud.provider}')}")
    return f"variables.choices.filter(x, {' || '.join(terms)})"


def _scheduler(around: Around) -> Obstacle:
    source, target = around.source.backend, around.target
    known = listed(dict.fromkeys(("", DEFAULT_SCHEDULER, *target.schedulers, *source.schedulers)))
    message = msg(edits.NO_EFFECT, name=MARK, target=target.name, allowed=join_or(target.schedulers))
    names = f"[variables.schedulerName].filter(k, !(k in {known}))"
    return Obstacle("scheduler", names, "GX023", message, msg(edits.CHANGE))


# The variables of both policies: the shares of a pod, their branches, and whether it is translated.
_LETTERS = {"cores": "c", "mib": "m", "percent": "p"}


@record
class Tables:
    """What is known of a source and a target: the branches by their numbers, and what is refused."""

    source: SourceDialect
    target: Backend
    round_up: bool
    branches: tuple[Branch, ...]
    refused: tuple[RefusedShares, ...]
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
        for field_name in ("qos", "policy", "isolation"):
            yield field_name, self.source.word(field_name)
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
            rows = listed(row.name for row in self.source.rows if row.sets == "cores")
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


def shaped(one: Branch | RefusedShares) -> str:
    """A share ``s`` has the shape and one of the numbers of cards."""
    cards = f"s.n >= {one.cards[0]} && s.n <= {one.cards[-1]}"
    return f"s.sh == {text('/'.join(one.shape))} && {cards}"


def _entries(name: str, kept: Sequence[str], more: dict[str, str]) -> str:
    """A mapping with entries of another, and more of them."""
    both = {**{one: f"{name}.{one}" for one in kept}, **more}
    return f"{{{', '.join(f'{text(key)}: dyn({value})' for key, value in both.items())}}}"


# The mutation: operations of a JSON patch, each a list in CEL that is empty where there is nothing to do.
_ON_POD = {
    "labels": "/metadata/labels",
    "annotations": "/metadata/annotations",
    "nodeSelector": "/spec/nodeSelector",
}
_THERE = {
    "labels": "has(object.metadata.labels)",
    "annotations": "has(object.metadata.annotations)",
    "nodeSelector": "has(object.spec.nodeSelector)",
}


def patch(tables: Tables) -> str:
    """The whole patch as one list. What goes is removed first: the target may have a key of the same name."""
    return "\n+ ".join((*_removed(tables), *_operations_of_keys(tables)))


def _operation(op: str, path: str, value: str = "") -> str:
    given = f", value: {value}" if value else ""
    return f"JSONPatch{{op: '{op}', path: {path}{given}}}"


def _step(key: str) -> str:
    """A key in a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _of_shares(condition: str, operation: str) -> str:
    where = f".filter(s, {condition})" if condition else ""
    return f"variables.made{where}.map(s, {operation})"


def _once(condition: str, operation: str) -> str:
    return f"[true].filter(x, variables.made.size() > 0 && {condition}).map(x, {operation})"


def _removed(tables: Tables) -> Iterator[str]:
    for key in tables.source.keys:
        for part, kept in (("limits", "l"), ("requests", "r")):
            path = f"s.at + {text(f'/resources/{part}/{_step(key)}')}"
            yield _of_shares(f"{text(key)} in s.{kept}", _operation("remove", path))
    for place, key in dict.fromkeys((word.place, word.key) for word in tables.source.words):
        word = next(one for one in tables.source.words if (one.place, one.key) == (place, key))
        path = text(f"{_ON_POD[place]}/{_step(key)}")
        yield _once(f"{named(word)} != ''", _operation("remove", path))
    left = [one for one in tables.source.backend.schedulers if one not in tables.target.schedulers]
    if left:
        yield _once(
            f"variables.schedulerName in {listed(left)}",
            _operation("add", "'/spec/schedulerName'", text(DEFAULT_SCHEDULER)),
        )


Groups = dict[Placed, dict[tuple[str, str], list[int]]]
"""Keys, their values and further conditions, and the branches that have them so."""


def _groups(tables: Tables) -> Groups:
    found: Groups = {}
    for number, branch in enumerate(tables.branches):
        lifted = tables.lifted(branch)
        values = {key: (_value(key, laws[0], lifted), "") for key, laws in branch.laws.items()}
        for key, value in values.items():
            found.setdefault(key, {}).setdefault(value, []).append(number)
        by_delta: dict[tuple[Placed, str], list[str]] = {}
        for words, delta in branch.words.items():
            for key, one in delta.items():
                by_delta.setdefault((key, one), []).append(f"{words.policy}/{words.isolation}")
        for (key, one), allowed in by_delta.items():
            value = _value(key, Law(one), lifted), f"variables.words in {listed(allowed)}"
            found.setdefault(key, {}).setdefault(value, []).append(number)
    return found


def _value(key: Placed, law: Law, lifted: dict[str, str]) -> str:
    return law.constant if key[0] == "affinity" else law.written(lifted)


def _operations_of_keys(tables: Tables) -> Iterator[str]:
    groups = sorted(_groups(tables).items(), key=lambda one: one[0][0])
    for place, path in _ON_POD.items():
        some = {n for key, values in groups if key[0] == place for found in values.values() for n in found}
        if some:
            condition = f"!{_THERE[place]} && variables.made.exists(s, s.b in {sorted(some)})"
            yield _once(condition, _operation("add", text(path), "{}"))
    for (place, key), values in groups:
        for (value, more), numbers in values.items():
            condition = f"s.b in {numbers}" if len(numbers) < len(tables.branches) or more else ""
            condition = " && ".join(filter(None, (condition, more)))
            match place:
                case "limits":
                    for part in ("limits", "requests"):
                        path = f"s.at + {text(f'/resources/{part}/{_step(key)}')}"
                        yield _of_shares(condition, _operation("add", path, value))
                case "env":
                    empty = " && ".join(filter(None, (condition, "s.env.size() == 0")))
                    yield _of_shares(empty, _operation("add", "s.at + '/env'", "[]"))
                    entry = f"{{'name': {text(key)}, 'value': {value}}}"
                    yield _of_shares(condition, _operation("add", "s.at + '/env/-'", entry))
                case "scheduler":
                    yield _of_shares(condition, _operation("add", "'/spec/schedulerName'", value))
                case "affinity":
                    yield from _affinity(key, value, f"variables.made.exists(s, {condition or 'true'})")
                case _:
                    path = text(f"{_ON_POD[place]}/{_step(key)}")
                    yield _of_shares(condition, _operation("add", path, value))


def _affinity(key: str, value: str, condition: str) -> Iterator[str]:
    """A requirement in every term of the required node affinity, or in the first."""
    operator, *values = value.split(",")
    entry = f"{{'key': dyn({text(key)}), 'operator': dyn({text(operator)}), 'values': dyn({listed(values)})}}"
    at = "/spec"
    for depth, step in enumerate(REQUIRED_AFFINITY[:-1], 1):
        at = f"{at}/{step}"
        parent = ".?".join(("object.spec", *REQUIRED_AFFINITY[:depth]))
        empty = f"{{{text(REQUIRED_AFFINITY[-1])}: []}}" if depth == len(REQUIRED_AFFINITY) - 1 else "{}"
        yield _once(f"{condition} && !{parent}.hasValue()", _operation("add", text(at), empty))
    at = f"{at}/{REQUIRED_AFFINITY[-1]}"
    terms = f"object.spec.?{'.?'.join(REQUIRED_AFFINITY)}.orValue([])"
    new = f"{{'matchExpressions': [{entry}]}}"
    yield _once(f"{condition} && {terms}.size() == 0", _operation("add", text(f"{at}/-"), new))
    of_term = f"{terms}[i].?matchExpressions.orValue([])"
    same = (
        f"r.key == {text(key)} && r.operator == {text(operator)} && r.?values.orValue([]) == {listed(values)}"
    )
    some = f"variables.made.size() > 0 && {condition} && i < {terms}.size()"
    every = [*range(MOST_CONTAINERS)]
    path = f"{text(f'{at}/')} + string(i) + "
    for lacking, step, value in (
        (f"{of_term}.size() == 0", "/matchExpressions", "[]"),
        (f"!{of_term}.exists(r, {same})", "/matchExpressions/-", entry),
    ):
        operation = _operation("add", path + text(step), value)
        yield f"{every}.filter(i, {some} && {lacking}).map(i, {operation})"


# Why a share is not translated: the rule's code, and the value that would do, as CEL over a share ``s``.
NOT_A_SHARE = "GX011"
_GRIDS = {"cores": ("c", "cores"), "mib": ("m", "memory_mib"), "percent": ("p", "memory_percent")}


class Reason(NamedTuple):
    """``want``: what to write, in CEL."""

    condition: str
    code: str
    want: str = "''"


def reasons(tables: Tables) -> Iterator[Reason]:
    """In the order in which they count. The last that holds for no share is left to the general one."""
    yield Reason("s.sh == 'bad'", NOT_A_SHARE)
    for code, pairs in _by_code(tables).items():
        yield Reason(tables.conflicting(pairs), code)
    taken: dict[tuple[str, str], list[str]] = {}
    for number, branch in enumerate(tables.branches):
        for (kind, value), why in branch.refused.items():
            conditions = {
                "place": "s.init" if value == "init" else "!s.init && variables.places.size() > 1",
                "policy": f"variables.policy == {text(value)}",
                "isolation": f"variables.isolation == {text(value)}",
            }
            if kind in conditions:
                condition = f"s.b == {number} && {conditions[kind]}"
                taken.setdefault((why.code, _remedy(tables, why)), []).append(condition)
    for found in tables.refused:
        ends = [least for least, _ in found.whys[1:]]
        for (least, why), end in zip(found.whys, (*ends, 0), strict=True):
            cores = f" && s.c >= {least}" * bool(least) + f" && s.c < {end}" * bool(end)
            if why.code:
                key = (why.code, _remedy(tables, why))
                taken.setdefault(key, []).append(f"s.b < 0 && {shaped(found)}{cores}")
    for branch in tables.branches:
        for name, grid in branch.grids.items():
            for condition, code, want in _off_grid(tables, branch, name, grid):
                taken.setdefault((code, want), []).append(f"s.b < 0 && {shaped(branch)} && {condition}")
    for (code, want), some in taken.items():
        yield Reason(" || ".join(f"({one})" for one in dict.fromkeys(some)), code, want)


def _by_code(tables: Tables) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for pair, why in tables.conflicts.items():
        if why.code:
            found.setdefault(why.code, []).append(pair)
    return found


def _off_grid(tables: Tables, branch: Branch, name: str, grid: Grid) -> Iterator[tuple[str, str, str]]:
    """Numbers that the target has no value for, and the next one that it has."""
    letter, field = _GRIDS[name]
    number = f"s.{letter}"
    most = MOST_MIB if name == "mib" else FULL - 1
    here = grid.written(number, rounds=tables.round_up)
    for kind, condition in (
        ("low", f"{number} > 0 && {number} < {grid.least}"),
        ("step", f"{number} > {grid.least} && {number} <= {grid.most} && !({here})"),
        ("high", f"{number} > {grid.most} && {number} <= {most}"),
    ):
        why = branch.refused.get((name, kind))
        if why is not None:
            value = None if kind == "high" else grid.written_up(number)
            yield condition, why.code, "''" if value is None else _written(tables, field, value)


def _written(tables: Tables, field: str, each: str) -> str:
    """The key of a field with a value of each card, in CEL."""
    terms = []
    for row in tables.source.rows:
        if row.sets == field:
            unit = tables.source.unit(row)
            total = f"({each}) * s.n" if row.per is Per.TOTAL else f"({each})"
            if unit == BYTE:
                value = f"string({total}) + 'Mi'"
            else:
                value = f"string(({total} * {unit.denominator} + {unit.numerator - 1}) / {unit.numerator})"
                value = f"string({total})" if unit == 1 else value
            terms.append(f"({text(row.name)} in s.l ? {text(f'; write {row.name}: ')} + {value} : '')")
    return " + ".join(terms) or "''"


def _remedy(tables: Tables, why: Refusal) -> str:
    """Which key to add or to remove, as a text in CEL."""
    field = next((name for name, known in JSON_NAMES.items() if known == why.field), "")
    rows = [row.name for row in tables.source.rows if row.sets == field]
    keys = rows or [word.key for word in tables.source.words if word.field == field]
    if keys and why.kind is LossKind.FILLED:
        return text(f"; add {keys[0]}")
    if keys and why.kind is LossKind.DROPPED:
        return text(f"; remove {keys[0]}")
    return "''"


# The two policies of a cluster that translates: one writes the target's keys, one refuses what is left.
LEFT = "{names}: no policy translates these keys together, or their numbers"
"""Of keys of a container, where no other reason is known."""
GROUP, BETA = "admissionregistration.k8s.io", "v1beta1"
KIND = "MutatingAdmissionPolicy"


class CannotError(ValueError):
    """No policy translates between these dialects; ``hint`` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@record
class Translating:
    """A cluster that takes pods in the keys of one dialect and runs those of another.

    ``version``: of the API of the mutating policy. Raises CannotError.
    """

    source: Backend
    target: Backend
    round_up: bool = False
    profiles: tuple[Profile, ...] = ()
    style: PolicyStyle = field(default_factory=PolicyStyle)
    version: str = "v1"

    def _profile(self, backend: Backend) -> Profile | None:
        return next((one for one in self.profiles if registry.get(one.target) is backend), None)

    @cached_property
    def tables(self) -> Tables:
        """What is translated, and what is refused."""
        source = SourceDialect(self.source, self._profile(self.source))
        if self.source is self.target:
            raise CannotError(
                msg("{source} is the source and the target", source=self.source.name),
                "choose another --to or --from",
            )
        for one, option in ((self.source, "--from"), (self.target, "--to")):
            if not one.writes_pods:
                hint = msg("choose another dialect for {option}", option=option)
                raise CannotError(msg("{target} has no pods", target=one.name), hint)
        if self.target.names_other_vendor(self.source):
            raise CannotError(
                made_by_another(self.target.name, self.target.vendor, self.source.vendor),
                "translate the manifests: gpuxlate translate --drop device",
            )
        if not source.shapes:
            raise CannotError(
                msg(
                    "no admission policy reads the keys of {source}: their names or values are open",
                    source=self.source.name,
                ),
                "translate the manifests: gpuxlate translate",
            )
        target = ProbeTarget(self.target, self._profile(self.target), self.round_up)
        try:
            found = [*Learner(target).found()]
        except UnwritableError as error:
            raise CannotError(
                msg(
                    "no admission policy writes the {what} of {target}: a policy makes no other objects",
                    what=error.what,
                    target=self.target.name,
                ),
                "translate the manifests: gpuxlate translate",
            ) from error
        branches = [one for one in found if isinstance(one, Branch)]
        if not branches:
            raise CannotError(
                msg(
                    "no admission policy writes the keys of {target}: they name the model of the card",
                    target=self.target.name,
                ),
                "translate the manifests: gpuxlate translate",
            )
        asked = [
            one
            for one in demands(self.source, source.profile, lambda _: True)
            if one.severity is Severity.ERROR and not one.parameters
        ]
        refused = tuple(one for one in found if isinstance(one, RefusedShares))
        together = conflicts(target, branches)
        return Tables(source, self.target, self.round_up, tuple(branches), refused, together, tuple(asked))

    @cached_property
    def subject(self) -> Pods:
        return Pods(self.source)

    def _condition(self, name: str, found: str) -> Object:
        """A match condition of the pods of the source."""
        return {"name": f"{name}-{self.source.name}"[:63], "expression": self.subject.matching(found)}

    @property
    def name(self) -> str:
        return f"gpuxlate-{self.source.name}-to-{self.target.name}"

    def documents(self) -> Iterator[Object]:
        """Both policies, each with its binding."""
        yield from self._mutating()
        yield from self.refusing().documents()

    @cached_property
    def _variables(self) -> list[Object]:
        return [{"name": name, "expression": one} for name, one in self.tables.variables()]

    def _mutating(self) -> Iterator[Object]:
        spec: Object = {
            "failurePolicy": "Fail",
            "reinvocationPolicy": "IfNeeded",
            "matchConstraints": {"resourceRules": self.subject.rules},
            "matchConditions": [self._condition("speaks", self.tables.names.speaks)],
            "variables": [
                *self._variables,
                {"name": "made", "expression": "variables.shares.filter(s, variables.good)"},
            ],
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": patch(self.tables)}}],
        }
        shell = made(self.name, self._subject_of_target, Severity.ERROR, spec, (), self.style)
        metadata = {"name": shell.name, "labels": shell.labels}
        binding: Object = {"policyName": shell.name}
        if shell.namespaces:
            binding["matchResources"] = {"namespaceSelector": shell.namespaces}
        for kind, given in ((KIND, shell.spec), (f"{KIND}Binding", binding)):
            yield {"apiVersion": f"{GROUP}/{self.version}", "kind": kind, "metadata": metadata, "spec": given}

    @property
    def _subject_of_target(self) -> Pods:
        return Pods(self.target)

    def refusing(self) -> AdmissionPolicy:
        """The policy that looks at what the mutation has left."""
        why = [*reasons(self.tables)]
        codes = list(dict.fromkeys(one.code for one in why))
        # whole cards that both dialects write alike may be translated already
        guard = "foreign" if self.tables.names.shared else ""
        parts = [*numbered(self.tables.demands, self.subject, self.style, guard)]
        each = (f"{one.condition} ? [{text(one.code)}, {one.want}] : []" for one in why)
        first = f"([{', '.join(each)}].filter(x, x.size() > 0) + [['', '']])[0]"
        entries = f"variables.shares.map(s, {{'name': dyn(s.name), 'why': dyn({first})}})"
        variables = [
            *self._variables,
            {"name": "ignored", "expression": "['']"},
            *({"name": one.variable, "expression": one.broken} for one in parts if one.variable),
            {"name": "reasons", "expression": f"variables.good || !variables.around ? [] : {entries}"},
        ]
        obstacles = self.tables.obstacles
        validations = [self._of_obstacle(one) for one in obstacles]
        validations += [one.validation() for one in parts]
        validations += [self._of_code(code) for code in codes]
        known = " || ".join(
            (
                *(f"variables.{one.variable}.size() > 0" for one in obstacles),
                "variables.reasons.exists(r, r.why[0] != '')",
                *(f"!({one.expression})" for one in parts),
                *([f"!variables.{guard}"] if guard else []),
            )
        )
        validations.append(self._general(known))
        spec: Object = {
            "failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": self.subject.rules},
            "matchConditions": [self._condition("has-keys-of", self.tables.names.remains)],
            "variables": variables,
            "validations": validations,
        }
        found = (*(one.code for one in obstacles), *codes, *(one.rule.code for one in parts), CODE)
        found = tuple(dict.fromkeys(found))
        return made(self.name, self._subject_of_target, Severity.ERROR, spec, found, self.style)

    def _of_code(self, code: str) -> Object:
        rule = catalog.find(code, registry.all_backends())
        assert rule is not None, code
        said, url = sentence(rule, "", self.style), f" ({URL}{code})"
        what = said.removesuffix(url)
        where = locale.translator(self.style.language)(msg("container"))
        mine = f"variables.reasons.filter(r, r.why[0] == {text(code)})"
        names = f"{mine}.map(r, string(r.name)).join(', ')"
        message = f"{text(f'{code}: {where} ')} + {names} + {text(f': {what}')}"
        return {
            "expression": f"!variables.reasons.exists(r, r.why[0] == {text(code)})",
            "message": f"{code}: {said}",
            "messageExpression": f"{message} + {mine}.map(r, string(r.why[1]))[0] + {text(url)}",
            "reason": "Invalid",
        }

    def _of_obstacle(self, one: Obstacle) -> Object:
        tell = locale.translator(self.style.language)
        hint = f"; {tell(one.hint)}" if one.hint else ""
        before, _, after = f"{one.code}: {tell(one.message)}{hint} ({URL}{one.code})".partition(MARK)
        return {
            "expression": f"variables.{one.variable}.size() == 0",
            "message": f"{one.code}: {URL}{one.code}",
            "messageExpression": f"{text(before)} + variables.{one.variable}.join(', ') + {text(after)}",
            "reason": "Invalid",
        }

    def _general(self, known: str) -> Object:
        """The keys of containers for which nothing else says why."""
        tell = locale.translator(self.style.language)
        keys = f"e.l.filter(k, {self.tables.names.asking.said()}).map(k, string(k)).join(', ')"
        named = f"variables.counted.map(e, string(e.name) + ' (' + {keys} + ')').join(', ')"
        message = tell(msg(LEFT, names=MARK))
        hint = tell(msg(RUN, target=self.target.name))
        where = tell(msg("container"))
        before, _, after = f"{CODE}: {message}; {hint} ({URL}{CODE})".partition(MARK)
        return {
            "expression": known,
            "message": f"{CODE}: {URL}{CODE}",
            "messageExpression": f"{text(f'{before}{where} ')} + {named} + {text(after)}",
            "reason": "Invalid",
        }
