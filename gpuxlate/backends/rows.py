"""The rows of a dialect, one for each key, and the table in which they are looked up.

A dialect has rows for cards, compute and memory; where names of keys have a card model, for each model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import IntEnum, StrEnum
from fractions import Fraction
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from gpuxlate.backends.pod_reader import PodReader
from gpuxlate.backends.pod_writer import PodWriter, ShareWriter
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Loss, Path, Severity
from gpuxlate.model.keys import (
    SELECTOR,
    Absent,
    By,
    CardChoice,
    KeySpec,
    Per,
    Place,
    Range,
    domain_of,
    key,
    other_names,
)
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message, join_and, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.model.profile import (
    ChangeKind,
    Component,
    Extension,
    Profile,
    Release,
    ReleaseChange,
    memory_unit_of,
    names_of,
)
from gpuxlate.model.share import JSON_NAMES, Isolation
from gpuxlate.rules import releases

POD_PLACES = (Place.ANNOTATION, Place.LABEL)
"""Where a key of the whole pod is."""
CONTAINER_PLACES = frozenset((Place.RESOURCE, Place.ENV))
"""Where a key of one container is."""
WHOLE_CARDS = Range(FULL_CARD_CORES, None, FULL_CARD_CORES)
"""Whole cards, in percent."""


class SeveralCards(StrEnum):
    """What a container gets that requests a part of several cards."""

    SHARED = "an equal part of each"
    WHOLE = "whole cards"  # the vendor overwrites the other numbers
    REFUSED = "no share"


class PartSize(NamedTuple):
    """A part of a card that the vendor gives as one: MiB, and percent of compute. ``name``: the vendor's."""

    memory_mib: int
    cores: int
    name: str = ""

    @property
    def text(self) -> Message:
        """The part in words: ``24576 MiB with 25 % of compute``."""
        part = self.name or msg("{memory} MiB", memory=self.memory_mib)
        return msg("{part} with {cores} % of compute", part=part, cores=self.cores)


def first_size(sizes: Iterable[PartSize], memory_mib: int | None, cores: int | None) -> PartSize | None:
    """The first size that holds MiB and percent of one card; None where none does."""
    return next(
        (size for size in sizes if size.memory_mib >= (memory_mib or 0) and size.cores >= (cores or 0)), None
    )


class RuleKind(IntEnum):
    """The kinds of rules that follow from rows, by the number of their codes. Dialects have more kinds."""

    NUMBERS = 1
    NEEDS = 2
    EXCLUDES = 3
    WORDS = 4
    SINGLE_ALIAS = 5
    SCHEDULER = 6
    SEVERAL = 7
    WITHIN_NODE = 8
    COMPUTE = 9
    SIZES = 10
    INIT = 11
    MODELS = 12
    DOUBTS = 14
    IGNORED = 15
    AMOUNTS = 16
    KNOWN_VALUE = 18  # WORDS that people misspell, in place of it
    VERSIONS = 19


class RuleRow(NamedTuple):
    """One rule of a dialect's rows: its kind, and what differs from the usual rule of that kind.

    ``code``: in place of the dialect's prefix with the number of the kind. ``keys``: the rows that it is
    about; empty: all. ``also``: a kind with the same code that needs a profile. ``why``: the reason in place
    of that of the kind.
    """

    kind: int
    code: str = ""
    severity: Severity | None = None
    keys: tuple[str, ...] = ()
    also: int | None = None
    why: str = ""


@record
class KeyGroup:
    """The rows of a container's numbers; where names of keys have a card model, those of one model."""

    model: str = ""
    cards: KeySpec | None = None
    cores: KeySpec | None = None
    memory: KeySpec | None = None
    percent: KeySpec | None = None
    whole: tuple[KeySpec, ...] = ()

    @cached_property
    def parts(self) -> tuple[KeySpec, ...]:
        """The rows whose numbers make a share a part of a card."""
        return tuple(row for row in (self.memory, self.percent, self.cores) if row is not None)


@record
class ShareFields:
    """The fields of a container's share as its keys set them, and the paths of the keys. Numbers are totals.

    ``cards`` None: no key counts cards, so it is one. ``granted``: what the vendor gives beyond the request.
    """

    container: ContainerKeys
    cards: int | None = None
    cores: int | None = None
    memory_mib: int | None = None
    memory_percent: int | None = None
    others: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, Path] = field(default_factory=dict)
    granted: tuple[Loss, ...] = ()


class UnavailableKey(NamedTuple):
    """Why a name is not read: it comes with ``release``, or ended with it. ``instead``: the name that is
    read."""

    release: Release
    ended: bool = False
    instead: str = ""


class KeysOfVersion(NamedTuple):
    """The rows of a dialect in some versions of its components. ``absent``: rows that these versions lack;
    ``lacks``: names that they do not read."""

    keys: tuple[KeySpec, ...]
    absent: tuple[KeySpec, ...]
    lacks: Mapping[str, UnavailableKey]

    @classmethod
    def of(
        cls, table: KeyTable, versions: Mapping[str, str], more: Sequence[ReleaseChange] = ()
    ) -> KeysOfVersion:
        """The rows in the versions of a profile. ``more``: further release changes that the profile names."""
        keys: list[KeySpec] = []
        absent: list[KeySpec] = []
        lacks: dict[str, UnavailableKey] = {}
        of_components = (*_changes_of_components(table), *more)
        for row in table.keys:
            changes = _about(row, of_components)
            first, last = release_of(changes, ChangeKind.NEW), release_of(changes, ChangeKind.REMOVED)
            late = first is not None and first.reached(versions) is False
            gone = last if last is not None and _has_ended(row, last, versions) else None
            release = first if late else gone
            if release is None:
                keys.append(_in_version(row.coming or row, changes, versions, lacks))
                continue
            absent.append(row.coming or row)
            keys.append(row if row.unsupported_reason else without_effect(row))
            lacks |= dict.fromkeys((row.name, *row.aliases), UnavailableKey(release, ended=not late))
        renamed = {old: lack.instead for old, lack in lacks.items() if lack.instead}
        missing = {row.name for row in absent}
        return cls(tuple(_beside(row, renamed, missing) for row in keys), tuple(absent), lacks)


def changes_of(row: KeySpec) -> tuple[ReleaseChange, ...]:
    """The changes of a row by releases of its component."""
    return _about(row, releases.key_changes(row.component)) if row.component is not None else ()


def _about(row: KeySpec, changes: Iterable[ReleaseChange]) -> tuple[ReleaseChange, ...]:
    """The changes of a row, by any of its names."""
    return tuple(change for change in changes if change.key in (row.name, row.template, *row.aliases))


def _changes_of_components(table: KeyTable) -> Iterator[ReleaseChange]:
    """The changes by releases of the components of a table."""
    return (change for component in table.components for change in releases.key_changes(component))


def release_of(changes: Iterable[ReleaseChange], kind: ChangeKind) -> Release | None:
    """The release of the first change of a kind."""
    return next((change.release for change in changes if change.change is kind), None)


def releases_between(table: KeyTable, before: Profile, after: Profile) -> tuple[ReleaseChange, ...]:
    """The changes by releases between the versions of one profile and those of another, which are newer."""
    return tuple(
        change
        for change in (*_changes_of_components(table), *after.releases)
        if change.comes_between(before.components, after.components)
    )


def _has_ended(row: KeySpec, until: Release, versions: Mapping[str, str]) -> bool:
    """Whether no release that the cluster may have reads the name. Where no version is known, a key with
    which a share is written counts as read."""
    if row.unsupported_reason and until.component.name not in versions:
        return not until.announced
    return until.reached(versions) is True


def _in_version(
    row: KeySpec,
    changes: Iterable[ReleaseChange],
    versions: Mapping[str, str],
    lacks: dict[str, UnavailableKey],
) -> KeySpec:
    """A row after the changes of releases; names that are not read are added to ``lacks``."""
    for change in changes:
        reached = change.release.reached(versions)
        if change.change is ChangeKind.RENAMED:
            applies = not change.release.announced if reached is None else reached
            old, new = change.key, change.replacement
            name, other = (new, old) if applies else (old, new)
            lacks[other] = UnavailableKey(change.release, ended=applies, instead=name)
            others = dict.fromkeys((row.name, *row.aliases, other))
            row = row._replace(name=name, aliases=tuple(alias for alias in others if alias != name))
        elif change.change is ChangeKind.VALUES and reached:
            if change.text:
                doubts = dict.fromkeys(change.values, change.text)
                row = row._replace(uncertain_values={**row.uncertain_values, **doubts})
            else:
                row = row._replace(values=(*row.values, *map(_value, change.values)))
    return row


def _value(text: str) -> Range | str:
    """A value of a row as a release has it: a number, or a word."""
    return Range(int(text), int(text)) if text.isdigit() else text


def without_effect(row: KeySpec) -> KeySpec:
    """The row of a key that nothing reads: it is a known key without a field. A choice stays one, with any
    value, and is not written."""
    if row.sets == SELECTOR:
        return row._replace(chooses=None, values=())
    return KeySpec(row.name, row.places, row.meaning, row.source, aliases=row.aliases, model=row.model)


def _beside(row: KeySpec, renamed: Mapping[str, str], missing: Collection[str]) -> KeySpec:
    """A row with the names that the keys it refers to have in these versions."""

    def named(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(renamed.get(name, name) for name in names if name not in missing)

    return row._replace(
        needs=named(row.needs), excludes=named(row.excludes), overridden_by=named(row.overridden_by)
    )


class KeyTable:
    """The keys of a dialect, one row each, and the facts about them that belong to no row.

    The reader, the writer and the rules of rows take this; ``backends.base.Backend`` is the rest of a target.
    """

    name: str = ""
    """What options and profiles call the target; without it the name of the module, with dashes."""
    title: str
    """What lists and headings call it."""
    keys: tuple[KeySpec, ...] = ()
    """Its rows, one a key."""
    aliases: tuple[str, ...] = ()
    """Other names that options and profiles may use."""
    short_title: str = ""
    """What sentences call it, where the title is long."""
    rule_prefix: str = ""
    """The letters before the numbers in the codes of its rules; without it the first alias in capitals."""
    documents: Mapping[str, str] = MappingProxyType({})
    """The documents that rows name in ``source``, by those short names: the document (a repository as
    OWNER/NAME), its date in parentheses last. The docs list them from here."""
    rule_reasons: Mapping[int, str] = MappingProxyType({})
    """By kinds of rules: why the vendor wants it, in place of the general sentence of the kind."""
    row_rules: tuple[RuleRow, ...] | None = None
    """In place of one rule of each kind that applies; no rule at all where it is empty."""
    several_cards: SeveralCards = SeveralCards.SHARED
    """What a part of several cards becomes."""
    sizes: tuple[PartSize, ...] = ()
    """The parts of a card that can be had, smallest first, where memory and compute come together."""
    scheduler: str | None = None
    """The ``schedulerName`` that every pod has to have."""
    other_schedulers: tuple[str, ...] = ()
    """With which the keys have effect too."""
    one_share_per_pod: bool = False
    """The containers of a pod have one share together."""
    init_containers: bool = True
    """Init containers may have a share."""
    vendor: str | None = None
    """Who makes the cards, as in a share's device; None where it is any."""
    names_vendor: bool = False
    """Its keys say the vendor: a share that is read has it, and one that is written gets it. A share of
    another vendor's dialect then loses its ``device`` here."""
    isolation: Isolation | None = None
    """What keeps a container within its memory."""
    whole_cores: bool = False
    """Whole cards are written with all of their compute, as the count alone is anybody's."""
    whole_card_key: str | None = None
    """The common key that this target writes whole cards with, if it does."""
    extension: type[Extension] | None = None
    """Its own part of a profile."""
    components: tuple[Component, ...] = ()
    """The software whose releases decide what its keys do, as ``rules/releases.yaml`` says."""
    versions: Mapping[str, str] = MappingProxyType({})
    """In the cluster of a profile: the releases whose keys these are; empty for the newest."""

    # --- what a vendor does beyond its rows -------------------------------------------------------

    def after_admission(
        self, pod: PodReader, container: ContainerKeys, profile: Profile | None
    ) -> ContainerKeys:
        """A container as the vendor's webhook leaves it, before its rows are read."""
        return container

    def normalize(self, pod: PodReader, fields: ShareFields) -> ShareFields:
        """The fields of a share as the vendor reads them together, after the rows. Its ``granted`` lists what
        the vendor gives beyond the request (``pod_reader.granted``)."""
        return fields

    def before_write(self, placing: ShareWriter) -> frozenset[str]:
        """Take or refuse fields of a share before the rows are written. Returns the fields that need no
        value."""
        return frozenset()

    def after_write(self, pod: PodWriter, keys: PodKeys) -> PodKeys:
        """The keys of a pod after its rows are written, with further keys of the vendor. It may refuse shares
        that cannot be in one pod."""
        return keys

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as keys."""
        raise NotImplementedError

    def in_cluster(self, profile: Profile) -> Self:
        """The table with the keys that the versions in a profile have."""
        raise NotImplementedError

    # --- the rows by what they say ----------------------------------------------------------------

    @property
    def sentence_name(self) -> str:
        """The name of the target in sentences."""
        return self.short_title or self.title

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a profile may use for the target."""
        return (self.name, *self.aliases)

    @property
    def schedulers(self) -> tuple[str, ...]:
        """The schedulers, beside the default one, with which its keys have effect. A translation removes them
        with the keys."""
        return (*((self.scheduler,) if self.scheduler else ()), *self.other_schedulers)

    @cached_property
    def keys_by_model(self) -> tuple[KeyGroup, ...]:
        """The rows of containers by card model; one without a model where no name has one."""
        models = dict.fromkeys(row.model for row in self._numbers())
        return tuple(self._group(model) for model in models)

    def _numbers(self) -> Iterator[KeySpec]:
        counted = (row for row in self.keys if row.unit and row.sets)
        return (row for row in counted if row.places & {Place.RESOURCE, Place.LABEL})

    def _group(self, model: str) -> KeyGroup:
        rows = [row for row in self._numbers() if row.model == model]
        first = {row.sets: row for row in reversed(rows) if not row.whole}
        return KeyGroup(
            model,
            first.get("cards"),
            first.get("cores"),
            first.get("memory_mib"),
            first.get("memory_percent"),
            tuple(row for row in rows if row.whole),
        )

    def of_pod(self, says: str) -> KeySpec | None:
        """The row of a key on the pod that sets a field for all its containers; None where there is none."""
        return next((row for row in self.keys if row.sets == says and row.words and self.is_pods(row)), None)

    @cached_property
    def cards_in_cores(self) -> bool:
        """Whether compute of 100 and its multiples means whole cards, and no key counts cards."""
        return any(
            WHOLE_CARDS in group.cores.ranges and not (group.cards or group.whole)
            for group in self.keys_by_model
            if group.cores is not None
        )

    @cached_property
    def parts_on_pod(self) -> Mapping[str, KeySpec]:
        """The keys on the pod that make the share of a container a part of its cards."""
        parts = {row.name for group in self.keys_by_model for row in group.parts}
        rows = (row for row in self.keys if row.name in parts)
        return {row.name: row for row in rows if Place.RESOURCE not in row.places}

    @staticmethod
    def is_pods(row: KeySpec) -> bool:
        """Whether the key is on the pod, not in a container."""
        return any(place in row.places for place in POD_PLACES)

    @cached_property
    def in_containers(self) -> frozenset[str]:
        """The keys in resources and variables."""
        return frozenset(row.name for row in self.keys if CONTAINER_PLACES & row.places)

    @cached_property
    def enum_keys(self) -> tuple[KeySpec, ...]:
        """The rows whose words are values of a field."""
        return tuple(row for row in self.keys if row.words)

    @cached_property
    def of_containers(self) -> frozenset[str]:
        """The fields that words in a container set, and words on the pod or in its choice of nodes do not:
        containers may differ in them."""
        on_pod = {row.sets for row in self.enum_keys if not row.places <= CONTAINER_PLACES}
        return frozenset(row.sets for row in self.enum_keys if row.sets and row.sets not in on_pod)

    @cached_property
    def choices(self) -> tuple[KeySpec, ...]:
        """The rows that choose cards or nodes, which no field of a share holds."""
        return tuple(row for row in self.keys if row.sets == SELECTOR)

    @cached_property
    def unread(self) -> tuple[KeySpec, ...]:
        """The rows whose numbers are in no field of a share."""
        return tuple(row for row in self.keys if row.unsupported_reason)

    @cached_property
    def other_names(self) -> Mapping[str, str]:
        """The names of the rows by the aliases of their keys."""
        return other_names(self.keys)

    def renamed(self, profile: Profile | None) -> Mapping[str, str]:
        """The names of the rows by the names that keys have only in the cluster of a profile."""
        in_profile = self.extension.of(profile).renamed if self.extension else {}
        return {name: self.other_names.get(standard, standard) for name, standard in in_profile.items()}

    def unit(self, row: KeySpec, profile: Profile | None) -> Fraction:
        """MiB, percent or cards of one unit of a row's number; a cluster may count MiB in larger units."""
        in_steps = row.sets == "memory_mib" and row.unit == 1 and not row.gib_up_to
        return Fraction(row.unit) * (memory_unit_of(profile, self.names) if in_steps else 1)

    def is_before_change(self, component: Component, key: str) -> bool:
        """Whether its version of the component is older than the release that changed the amount of a key."""
        if component.name not in self.versions:
            return False
        return releases.first(component, key, ChangeKind.AMOUNT).reached(self.versions) is False

    @cached_property
    def lacks(self) -> Mapping[str, UnavailableKey]:
        """The names that its versions, or without these the newest releases, do not read."""
        return KeysOfVersion.of(self, self.versions).lacks

    @cached_property
    def absent(self) -> tuple[KeySpec, ...]:
        """The rows that its versions lack; without versions, the rows of releases that are not out."""
        return tuple(row.coming for row in self.keys if row.coming is not None)

    @cached_property
    def places(self) -> Mapping[str, Collection[Place]]:
        """The places where its keys count, by name; keys that its versions lack are included."""
        rows = (*self.keys, *self.absent)
        return {name: row.places for row in rows for name in (row.name, *row.aliases)}

    def lack_text(self, *names: str) -> Message:
        """The text that says which release does not read names that came or ended together, and why."""
        lack = self.lacks[names[0]]
        component = lack.release.component
        version = self.versions.get(component.name)
        values = {
            "found": f"{component.title} {version}"
            if version
            else msg("the newest release of {component}", component=component.title),
            "keys": join_and(names),
            "release": str(lack.release),
        }
        if lack.ended:
            return msg("{found} does not read {keys}: no longer read by {release}", **values)
        return msg("{found} does not read {keys}: first read by {release}", **values)

    @cached_property
    def field_docs(self) -> Mapping[str, str]:
        """For each field of the share, by JSON name, its representation at this target (``targets``)."""
        rows, docs = self.keys_by_model[0], dict[str, str]()
        if rows.cards is not None:
            docs["cards"] = self._cards_doc(rows, rows.cards)
        elif rows.whole:
            docs["cards"] = f"whole cards: {rows.whole[0].name}"
        for row in rows.parts:
            missing = "; required" if row.default is Absent.ALL else ""
            last = release_of(changes_of(row), ChangeKind.REMOVED)
            if last is not None:
                missing = f"{missing}; not read since {last}"
            place = "label " if Place.LABEL in row.places else ""
            docs[JSON_NAMES[row.sets or ""]] = f"{place}{row.template or row.name}, {row.unit_text}{missing}"
        if self.sizes and "cores" not in docs:
            docs["cores"] = "comes with the memory"
        for row in self.enum_keys:
            spelt = {value: word for word, value in reversed([*row.words.items()])}  # the first of each
            words = ", ".join(
                word if word == value else f"{word} {value}" for value, word in reversed([*spelt.items()])
            )
            place = next(place for place in Place if place in row.places)
            docs[JSON_NAMES[row.sets or ""]] = f"{place} {row.name}: {words}"
        if any(group.model for group in self.keys_by_model):
            docs["device"] = "in the names of the keys"
        elif self.names_vendor:
            docs["device"] = f"vendor {self.vendor}, in the names of the keys"
        elif self.vendor is not None:
            docs["device"] = f"no key; vendor {self.vendor} alone"
        if self.isolation is not None:
            docs["isolation"] = f"no key; {self.isolation}, whole cards hardware"
        return {name: docs[name] for name in JSON_NAMES.values() if name in docs}

    def _cards_doc(self, rows: KeyGroup, row: KeySpec) -> str:
        """The keys of a count of cards, of any card and of one model, and which counts they take."""
        by_model = (
            group.cards.template for group in self.keys_by_model if group.cards and group.cards.template
        )
        names = " or ".join(dict.fromkeys((row.template or row.name, *by_model)))
        only = "" if self.several_cards is SeveralCards.SHARED else "; a part of one card only"
        if any(range_.bound is not None for range_ in row.ranges):
            only = f", {row.legal.text}{only}"
        if row.repeats:
            only = "; percent of one card, for a part"
        elif not only and rows.cores is not None and rows.cores.forced:
            only = "; a part of several has all of their compute"
        return f"{'label ' if Place.LABEL in row.places else ''}{names}{only}"

    @cached_property
    def exact_keys(self) -> Mapping[str, KeySpec]:
        """The rows by their names and other names, without those whose name is a pattern."""
        rows = (row for row in self.keys if not row.is_pattern)
        return {name: row for row in rows for name in (row.name, *row.aliases)}

    def find(self, name: str) -> KeySpec | None:
        """The row of the data sheet for a key."""
        row = self.exact_keys.get(name)
        return self._by_pattern(name) if row is None and self._patterns else row

    @cached_property
    def _patterns(self) -> dict[str, list[KeySpec]]:
        """The rows whose names are those of many keys, by domain."""
        rows: dict[str, list[KeySpec]] = {}
        for row in self.keys:
            if row.is_pattern:
                rows.setdefault(domain_of(row.name), []).append(row)
        return rows

    @cached_property
    def _by_pattern(self) -> Callable[[str], KeySpec | None]:
        """Finds the row of a name among patterns. Results are cached: the same names come again in every
        pod."""

        def find(name: str) -> KeySpec | None:
            patterns = self._patterns.get(domain_of(name), ())
            return next((row for row in patterns if row.matches(name)), None)

        return lru_cache(maxsize=4096)(find)

    def described(self, tags: str) -> str:
        """The documents that the short names of a row's source stand for."""
        return "; ".join(self.documents[tag.strip()] for tag in tags.split(","))

    def code(self, kind: int, key: str = "") -> str:
        """The code of its rule of a kind; where it has several, of the one about ``key``."""
        listed = (
            row.code
            for row in self.row_rules or ()
            if kind in (row.kind, row.also) and (not row.keys or not key or key in row.keys)
        )
        return next(listed, "") or f"{self.rule_prefix}{kind:03d}"


MODEL = "{model}"
"""What stands for the model of card in the name of a key."""


def cards(name: str, **fields: Any) -> KeySpec:
    """A number of cards in resources."""
    defaults = {"meaning": "cards", "unit": 1, "values": (Range(),)}
    return key(name, Place.RESOURCE, sets="cards", **{**defaults, **fields})


def whole(name: str, **fields: Any) -> KeySpec:
    """A number of whole cards, under a name that counts nothing else."""
    defaults = {"meaning": "whole cards", "unit": 1, "values": (Range(),), "whole": True}
    return key(name, Place.RESOURCE, sets="cards", **{**defaults, **fields})


def cores(name: str, **fields: Any) -> KeySpec:
    """Compute, in percent of each card unless told otherwise."""
    defaults = {"meaning": "compute", "unit": 1, "per": Per.CARD, "values": (Range(1, 100),)}
    return key(name, Place.RESOURCE, sets="cores", **{**defaults, **fields})


def memory(name: str, **fields: Any) -> KeySpec:
    """GPU memory, in MiB of each card unless told otherwise."""
    defaults = {"meaning": "GPU memory", "unit": 1, "per": Per.CARD, "values": (Range(),)}
    return key(name, Place.RESOURCE, sets="memory_mib", **{**defaults, **fields})


def percent(name: str, **fields: Any) -> KeySpec:
    """GPU memory in percent of each card."""
    defaults = {"meaning": "GPU memory", "unit": 1, "per": Per.CARD, "values": (Range(1, 100),)}
    return key(name, Place.RESOURCE, sets="memory_percent", **{**defaults, **fields})


def choice(name: str, *places: Place, **fields: Any) -> KeySpec:
    """A choice of cards or nodes, which no field of a share holds."""
    return key(name, *(places or (Place.ANNOTATION,)), **{"sets": SELECTOR, **fields})


def choices(name: str, chosen: CardChoice | By, no: str = "no", **fields: Any) -> Iterator[KeySpec]:
    """A list of cards with commas, and that of cards to avoid, whose name has ``no`` in place of ``{no}``.

    ``chosen``: a Choice where other dialects have the same cards and can say it, else what identifies cards.
    """
    by, carried = (chosen.by, chosen) if isinstance(chosen, CardChoice) else (chosen, None)
    meaning = "card models, parts of names with commas" if by is By.MODEL else "cards by UUID"
    yield choice(name.replace("{no}", ""), meaning=meaning, chooses=carried, **fields)
    avoided = "card models to avoid" if by is By.MODEL else "cards to avoid, by UUID"
    carried = carried and carried._replace(allow=False)
    yield choice(name.replace("{no}", no), meaning=avoided, chooses=carried, **fields)


def unread(name: str, why: str, **fields: Any) -> KeySpec:
    """A resource whose number says nothing that a share holds."""
    return key(name, Place.RESOURCE, unsupported_reason=why, **{"meaning": why, **fields})


def written(name: str, **fields: Any) -> KeySpec:
    """What the vendor's scheduler writes."""
    return key(name, Place.WRITTEN_BY_SCHEDULER, **fields)


def coming(row: KeySpec) -> KeySpec:
    """The row of a key that a release which is not out yet is the first to read: until then nothing does."""
    return without_effect(row)._replace(component=row.component, coming=row)


def for_models(dialect: str, *rows: KeySpec) -> Iterator[KeySpec]:
    """The rows once for each card that the catalogue knows under a name of the dialect, and for any other."""
    for row in rows:
        if row.name.endswith(MODEL) or Place.RESOURCE not in row.places:
            continue  # nothing tells it from other keys of the domain
        other = f"{row.meaning}, of a card that is not in the catalogue"
        name = row.name.replace(MODEL, "*")
        yield key(name, *row.places, meaning=other, template=row.name, source=row.source)
    for text, model in names_of(dialect).items():
        for row in rows:
            yield row._replace(
                name=row.name.replace(MODEL, text),
                template=row.name,
                model=model,
                needs=tuple(needed.replace(MODEL, text) for needed in row.needs),
                excludes=tuple(excluded.replace(MODEL, text) for excluded in row.excludes),
                aliases=tuple(alias.replace(MODEL, text) for alias in row.aliases),
            )
