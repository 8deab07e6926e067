"""A dialect as a sheet: its rows, and the few facts that belong to no row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.backends.base import Backend, Key, Limits, Place, Placing, Read, Taking, Write
from gpuxlate.backends.limits import UNBOUND, InitContainers
from gpuxlate.backends.sheet import reading, texts, totals, writing
from gpuxlate.model import quantity
from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.model.profile import Extension, Profile, memory_unit_of
from gpuxlate.model.share import Isolation, Policy
from gpuxlate.model.sheet import SELECTOR, other_names
from gpuxlate.rules.base import Rule
from gpuxlate.rules.predicates.conditions import ALWAYS, Condition
from gpuxlate.rules.products import Product

if TYPE_CHECKING:
    from gpuxlate.backends.live import Live
    from gpuxlate.backends.sheet.rules import RuleRow

POD_PLACES = (Place.ANNOTATION, Place.LABEL)
"""Where a key of the whole pod is."""


class Several(StrEnum):
    """What a container gets that asks for a part of several cards."""

    SHARED = "an equal part of each"
    WHOLE = "whole cards"  # the vendor overwrites the other numbers
    REFUSED = "no share"


class Size(NamedTuple):
    """A part of a card that the vendor gives as one: MiB, and percent of compute."""

    memory_mib: int
    cores: int


class Counted(NamedTuple):
    """Nodes whose resources sum up their cards, of compute and of memory.

    ``record``: the annotation of pods with the cards of each container; ``id``: what it calls a card.
    """

    record: str
    id: str


@dataclass(frozen=True)
class Rows:
    """The rows of a container's numbers, of one card model where the names have one."""

    model: str = ""
    cards: Key | None = None
    cores: Key | None = None
    memory: Key | None = None
    percent: Key | None = None
    whole: tuple[Key, ...] = ()

    @cached_property
    def parts(self) -> tuple[Key, ...]:
        """The rows of which one makes it a part of a card."""
        return tuple(row for row in (self.memory, self.percent, self.cores) if row is not None)


Admits = Callable[[Taking, ContainerKeys, Profile | None], ContainerKeys]
Hook = Callable[[Taking, reading.Fields], reading.Fields]


@dataclass(frozen=True)
class Sheet:
    """A dialect that is read and written by its rows.

    ``short``: what sentences call it, where the title is long. ``prefix``: of the codes of its rules.
    ``documents``: what the short names in ``source`` of the rows are: the document (a repository as
    OWNER/NAME), its date in parentheses last. The docs list them from here.
    ``why``: by kind of rule (its name), why the vendor wants it, in place of a general sentence.
    ``several``: what a part of several cards becomes. ``sizes``: the parts of a card that can be had, where
    memory and compute come together. ``cards_in_cores``: 100 and its multiples are whole cards, and there is
    no other count. ``scheduler``: what every pod names; ``schedulers``: with which the keys have effect.
    ``one_share``: the containers of a pod have one share together. ``init``: init containers may have one.
    ``vendor``: who makes the cards; ``isolation``: what keeps a container within its memory; ``policy``: how
    containers whose compute is set share a card. ``full_is_whole``: all compute of a card is the whole card.
    ``whole_cores``: whole cards are written with all of their compute, as the count alone is anybody's.
    ``admits``: a container as the vendor's webhook leaves it, where that is more than rows say.
    ``settles``: the fields of a share as the vendor reads them together, where that is more than rows say.
    ``places``: what it takes or refuses of a share before its rows do; returns fields that need no value.
    ``compute_when``: where missing compute is what the row says. ``marks``: annotations that go with a part.
    ``registers``: the annotations of nodes that list their cards, each with the annotation of pods that
    records the cards of containers. ``counted``: for nodes without a list.
    ``limits``: of its cards and nodes.
    ``rules``: the rows of rules in place of the usual ones; ``more_rules``: a module with other rules.
    ``read`` and ``write``: in place of those by rows, where a share is not in the resources of containers;
    ``says`` then goes with them. ``extension``: its own part of a profile.
    """

    name: str
    title: str
    prefix: str
    keys: tuple[Key, ...]
    documents: Mapping[str, str]
    gpu_prefixes: tuple[str, ...]
    why: Mapping[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    short: str = ""
    several: Several = Several.SHARED
    sizes: tuple[Size, ...] = ()
    cards_in_cores: bool = False
    scheduler: str | None = None
    schedulers: tuple[str, ...] = ()
    one_share: bool = False
    init: bool = True
    vendor: str | None = None
    isolation: Isolation | None = None
    policy: Policy | None = None
    full_is_whole: bool = False
    whole_cores: bool = False
    whole_card_key: str | None = None
    admits: Admits | None = None
    settles: Hook | None = None
    places: Callable[[Placing], frozenset[str]] | None = None
    compute_when: Condition = ALWAYS
    marks: Mapping[str, str] = field(default_factory=dict)
    reads_only: bool = False
    rules: tuple[RuleRow, ...] = ()
    more_rules: str | None = None
    look_alikes: tuple[Product, ...] = ()
    also_speaks: Callable[[PodKeys], bool] | None = None
    needs_module: str | None = None
    nodes_module: str | None = None
    registers: Mapping[str, str] = field(default_factory=dict)
    counted: Counted | None = None
    limits: Limits = UNBOUND
    read: Read | None = None
    write: Write | None = None
    says: Mapping[str, str] | None = None
    wrong_names: frozenset[str] = frozenset()
    extension: type[Extension] | None = None

    @property
    def called(self) -> str:
        """What sentences call it."""
        return self.short or self.title

    @property
    def names(self) -> tuple[str, ...]:
        """What a profile may call it."""
        return (self.name, *self.aliases)

    @cached_property
    def families(self) -> tuple[Rows, ...]:
        """The rows of containers by card model; one without a model where no name has one."""
        models = dict.fromkeys(row.model for row in self._numbers())
        return tuple(self._family(model) for model in models)

    def _numbers(self) -> Iterator[Key]:
        counted = (row for row in self.keys if row.unit and row.says)
        return (row for row in counted if row.places & {Place.RESOURCE, Place.LABEL})

    def _family(self, model: str) -> Rows:
        rows = [row for row in self._numbers() if row.model == model]
        first = {row.says: row for row in reversed(rows) if not row.whole}
        return Rows(
            model,
            first.get("cards"),
            first.get("cores"),
            first.get("memory_mib"),
            first.get("memory_percent"),
            tuple(row for row in rows if row.whole),
        )

    def of_pod(self, says: str) -> Key | None:
        """The row with which a pod says a field for all its containers; None where it has none."""
        return next((row for row in self.keys if row.says == says and row.words and self.is_pods(row)), None)

    @staticmethod
    def is_pods(row: Key) -> bool:
        """The key is on the pod, not in a container."""
        return any(place in row.places for place in POD_PLACES)

    @cached_property
    def in_containers(self) -> frozenset[str]:
        """The keys in resources and variables."""
        places = {Place.RESOURCE, Place.ENV}
        return frozenset(row.name for row in self.keys if places & row.places)

    @cached_property
    def worded(self) -> tuple[Key, ...]:
        """The rows whose words are values of a field."""
        return tuple(row for row in self.keys if row.words)

    @cached_property
    def choices(self) -> tuple[Key, ...]:
        """The rows that choose cards or nodes, which no field of a share holds."""
        return tuple(row for row in self.keys if row.says == SELECTOR)

    @cached_property
    def unread(self) -> tuple[Key, ...]:
        """The rows whose numbers say nothing that a share holds."""
        return tuple(row for row in self.keys if row.unread)

    @cached_property
    def other_names(self) -> Mapping[str, str]:
        return other_names(self.keys)

    def renamed(self, profile: Profile | None) -> Mapping[str, str]:
        """The names that only the cluster of a profile has, to the names of the rows."""
        found = self.extension.of(profile).renamed if self.extension else {}
        return {name: self.other_names.get(known, known) for name, known in found.items()}

    def unit(self, row: Key, profile: Profile | None) -> Fraction:
        """MiB or percent of one unit; a cluster may count MiB in larger steps."""
        in_steps = row.says == "memory_mib" and row.unit == 1
        return Fraction(row.unit) * (memory_unit_of(profile, self.names) if in_steps else 1)

    def described(self, tags: str) -> str:
        """The documents behind the short names of a row's source."""
        return "; ".join(self.documents[tag.strip()] for tag in tags.split(","))

    @cached_property
    def backend(self) -> Backend:
        """The target."""
        return Backend(
            name=self.name,
            title=self.title,
            keys=self.keys,
            gpu_prefixes=self.gpu_prefixes,
            read=self.read or partial(reading.read, self),
            write=self.write or partial(writing.write, self),
            says=self.says or texts.fields(self),
            words={str(row.says): row.words for row in self.worded if row.says in ("policy", "qos")},
            rules_module=self.more_rules,
            rule_rows=self._rules,
            look_alikes=self.look_alikes,
            whole_card_key=self.whole_card_key,
            schedulers=(*((self.scheduler,) if self.scheduler else ()), *self.schedulers),
            also_speaks=self.also_speaks,
            vendor=self.vendor,
            reads_only=self.reads_only,
            needs_module=self.needs_module,
            nodes_module=self.nodes_module,
            live_rows=self._live,
            sheet=self,
            units=self.unit,
            wrong_names=self.wrong_names,
            extension=self.extension,
            limits=self.limits if self.init else replace(self.limits, init=InitContainers.IGNORED),
        )

    def code(self, kind: str, key: str = "") -> str:
        """The code of its rule of a kind (``NUMBERS``); of the one about a key where there are several."""
        from gpuxlate.backends.sheet.rules import code_of

        return code_of(self, kind, key)

    def mib_of_each_card(
        self, row: Key, pod: PodKeys, container: ContainerKeys, profile: Profile | None
    ) -> Fraction | None:
        """MiB of each card that a row of memory asks for; None where it has no amount."""
        text = container.resources[row.name].text
        number = quantity.whole(text)
        amount = reading.in_mib(row, text) if row.quantity else number and number * self.unit(row, profile)
        cards = totals.cards_in(self, row, pod, container) or 1
        return None if amount is None else Fraction(amount) / cards

    def _live(self) -> Live | None:
        from gpuxlate.backends.sheet.nodes import live_of

        return live_of(self)

    def _rules(self) -> Iterable[Rule]:
        from gpuxlate.backends.sheet.rules import rules_of_sheet

        return rules_of_sheet(self)
