"""What is known of a cluster: versions of its software, the catalogue of cards, and its profile.

Versions are compared exactly; None where the text is not enough. Forms: ``v1.28.15``,
``v1.28.15-vendor.19`` (a vendor's own build), ``v0.6.0``, ``0.07.35.23``. Standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, get_type_hints

from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.limits import MAX_NAME
from gpuxlate.model.messages import Message, join_or, msg, spelt_like, suggest
from gpuxlate.model.quantity import GIB
from gpuxlate.model.share import Replica

_VERSION = regex(
    r"v?(?P<release>[0-9]{1,9}(?:\.[0-9]{1,9})*)"
    r"(?:-(?!(?:alpha|beta|rc|pre|dev)\.)(?P<vendor>[a-z]{1,32})\.(?P<build>[0-9]{1,9}))?"
)


@record
class Version:
    """A version: its numbers, and a vendor's own build of them where the text gives one."""

    release: tuple[int, ...]
    vendor: str | None = None
    build: int | None = None

    @property
    def minor(self) -> tuple[int, ...]:
        """The first two numbers, such as 1.28."""
        return self.release[:2]


def version_numbers(text: str) -> Version | None:
    """``v1.28.15-vendor.19`` to its numbers; None for every other form, such as ``1.1.1-rc.1``."""
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        return None
    release = tuple(int(part) for part in match["release"].split("."))
    return Version(release, match["vendor"], int(match["build"]) if match["build"] else None)


def at_least(version: str, least: str) -> bool | None:
    """Whether a version is ``least`` or later; None where the text is not enough.

    Builds are compared where the releases are the same; builds of other vendors cannot be compared.
    """
    installed, required = version_numbers(version), version_numbers(least)
    if (
        installed is None
        or required is None
        or (installed.vendor and required.vendor and installed.vendor != required.vendor)
    ):
        return None
    length = max(len(installed.release), len(required.release))
    installed_release, required_release = (
        parsed.release + (0,) * (length - len(parsed.release)) for parsed in (installed, required)
    )
    if installed_release != required_release:
        return installed_release > required_release
    if required.build is None:
        return True
    return None if installed.build is None else installed.build >= required.build


def at_least_in_minor(version: str, firsts: Sequence[str]) -> bool | None:
    """Whether a version is at least the first of its own minor, or of a minor after the last.

    A minor between those listed has no such version. None where the text has no patch number.
    """
    installed = version_numbers(version)
    listed = {first.minor: (first, text) for text in firsts if (first := version_numbers(text))}
    if installed is None or len(installed.release) < 3:
        return None
    if installed.vendor and any(first.vendor != installed.vendor for first, _ in listed.values()):
        return None
    if installed.minor in listed:
        return at_least(version, listed[installed.minor][1])
    return installed.minor > max(listed)


class Component(NamedTuple):
    """Software of a cluster whose version decides what keys do: its name in a profile, and in sentences."""

    name: str
    title: str


class Release(NamedTuple):
    """A release of a component; ``announced``: it is documented, and not out yet."""

    component: Component
    version: str
    announced: bool = False

    def reached(self, versions: Mapping[str, str]) -> bool | None:
        """Some versions, by component, have it; None where they do not say, or cannot be compared. A cluster
        of which nothing is said has no release that is not out."""
        installed = versions.get(self.component.name)
        if installed is None:
            return False if self.announced else None
        return at_least(installed, self.version)

    def __str__(self) -> str:
        return f"{self.component.title} {self.version}"


class ChangeKind(StrEnum):
    """What a release does to a key."""

    NEW = "new"
    """It is the first that reads the key."""
    REMOVED = "removed"
    """It is the first that does not read the key."""
    RENAMED = "renamed"
    """It reads the replacement in place of the key."""
    VALUES = "values"
    """It takes more values."""
    AMOUNT = "amount"
    """The same number gives another amount, or needs something else of nodes."""
    NEEDED = "needed"
    """It is the first with which the key does what it says; older ones still read it."""
    REFUSED = "refused"
    """It refuses a pod with what is wrong with the key, which older ones did not."""
    DENIED = "denied"
    """It refuses every pod that is made with the key."""


class ReleaseChange(NamedTuple):
    """What a release changes in a key. A key is written as in a data sheet, with ``{model}`` for the card.

    ``replacement``: the key that is read in its place. ``values``: those that it takes from then on.
    ``above``: the number above which it is refused; None: in all that is wrong with it.
    ``text``: what is different, in words for people. ``source``: the document that says so, with its date.
    ``chart``: the Helm chart whose value the key is, with dots; empty for keys of pods.
    """

    release: Release
    key: str
    change: ChangeKind
    replacement: str = ""
    values: tuple[str, ...] = ()
    text: str = ""
    source: str = ""
    chart: str = ""
    above: int | None = None

    def refuses(self, name: str, number: int | None) -> bool:
        """It refuses a pod in which something is wrong with a key that has a number, or none."""
        above = self.above is None or (number is not None and number > self.above)
        return above and self.change is ChangeKind.REFUSED and fnmatchcase(name, self.key)

    def comes_between(self, before: Mapping[str, str], after: Mapping[str, str]) -> bool:
        """Whether the release is reached by the newer versions of components, and not by those before."""
        return self.release.reached(after) is True and self.release.reached(before) is False


# The catalogue of cards: what a card is called in each dialect, and what is known of it.
# ``cards.json`` is its data; a profile may add cards and say more of known ones. Names of cards are
# compared without regard to case, those of dialects are exact.
_FILE = Path(__file__).with_name("cards.json")
_SIZE = regex(r"-[1-9][0-9]{0,3}gb$")
"""The end of the name of a card of which there are several sizes, in small letters."""
MIG_PROFILE = regex(r"(?P<slices>[1-9])g\.(?P<gb>[1-9][0-9]{0,3})gb")
"""A MIG profile (NVIDIA/go-nvlib): slices of compute, and GB of memory."""
_MIG_NAME = regex(rf"(?:(?P<compute>[1-9])c\.)?(?P<profile>{MIG_PROFILE.pattern})(?P<attribute>[-+].*)?")
_ATTRIBUTES = {"+me": "12", "+me.all": "12", "-me": "12", "+gfx": "124"}
"""What may follow a profile, to the slices that have it (NVIDIA/go-nvlib, mig_profile.go, 2026-08)."""
ALIASES = {"3g.21gb": "3g.20gb", "7g.79gb": "7g.80gb"}
"""Names of MIG profiles that older drivers had, and those of today."""
PERCENT = 100
LEAST_OF_LABEL = 88
"""Percent of the GB in the name of a MIG profile that every known instance has."""


class Template(NamedTuple):
    """A part into which a card can be divided: a template, or a MIG profile.

    ``memory_mib``, and one of ``ai_cores`` and ``multiprocessors``: what the part has, the least that a
    document gives; None: no document says it. ``most``: instances on one card, where all are of this name.
    ``source``, ``confidence``: of the numbers, where they are not those of the card.
    """

    name: str
    memory_mib: int | None = None
    ai_cores: int | None = None
    multiprocessors: int | None = None
    most: int | None = None
    source: str = ""
    confidence: str = "documented"

    @classmethod
    def from_document(cls, data: Mapping[str, Any]) -> Self:
        """The template from its fields in a document, which were checked."""
        return cls(
            data["name"],
            data.get("memoryMiB"),
            data.get("aiCores"),
            data.get("multiprocessors"),
            data.get("most"),
            data.get("source", ""),
            data.get("confidence", "documented"),
        )

    @property
    def label(self) -> tuple[int, int] | None:
        """Slices of compute and GB in the name of a MIG profile; None for other names."""
        match = MIG_PROFILE.fullmatch(self.name)
        return (int(match["slices"]), int(match["gb"])) if match else None

    @property
    def least_mib(self) -> int:
        """MiB that the part has for certain. The GB in a name are more than its memory: 23 GB of a B200
        are 20992 MiB, the greatest known difference."""
        gb = self.label[1] if self.label else 0
        return self.memory_mib or GIB * gb * LEAST_OF_LABEL // PERCENT

    @property
    def most_mib(self) -> int | None:
        """MiB that the part has at most; None where neither a document nor its name says it."""
        return self.memory_mib or (GIB * self.label[1] if self.label else None)

    @property
    def is_measured(self) -> bool:
        """Its memory and compute are those of a document, not of its name."""
        return self.memory_mib is not None and bool(self.ai_cores or self.multiprocessors)


class Card(NamedTuple):
    """One model of card.

    ``memory_mib``: MiB of one card that can be allocated, the least that a document gives. ``nominal_mib``:
    the size in its name or data sheet, where a node offers less; a GB is 1024 MiB. None: no document says it.
    ``names``: by dialect (the name of a target), the text for the card in its keys. ``ai_cores``,
    ``multiprocessors``: those of the whole card. ``templates``, ``sizes_mib``: the only parts, or the only
    MiB of a part, that can be allocated, ascending; empty where there is no such list. ``templates_of``: the
    card with the same templates. ``product_name``: the exact one of its driver, where all
    cards of the model have one. ``confidence``: ``seen`` where manifests say it and no document. ``tflops``:
    of FP16, as schedulers count them that take compute in TFLOPs. ``architecture``: the name that it has for
    the vendor's compiler (``gfx1201``).
    """

    name: str
    vendor: str
    memory_mib: int | None = None
    nominal_mib: int | None = None
    ai_cores: int | None = None
    names: Mapping[str, str] = {}  # plain, since workers of a pool are sent profiles
    templates: tuple[Template, ...] = ()
    sizes_mib: tuple[int, ...] = ()
    source: str = ""
    confidence: str = "documented"
    multiprocessors: int | None = None
    templates_of: str | None = None
    product_name: str | None = None
    tflops: Fraction | None = None
    architecture: str | None = None

    @classmethod
    def from_document(cls, data: Mapping[str, Any]) -> Self:
        """The card from its fields in a document, which were checked."""
        tflops = data.get("fp16Tflops")
        return cls(
            data["name"],
            data["vendor"],
            data.get("memoryMiB"),
            data.get("nominalMiB"),
            data.get("aiCores"),
            data.get("names", {}),
            tuple(sorted(map(Template.from_document, data.get("templates", ())), key=_size)),
            tuple(sorted(data.get("sizesMiB", ()))),
            data.get("source", ""),
            data.get("confidence", "documented"),
            data.get("multiprocessors"),
            data.get("templatesOf"),
            data.get("productName"),
            None if tflops is None else Fraction(str(tflops)),
            data.get("architecture"),
        )

    def with_more(self, other: Card) -> Card:
        """This card, and what the other one of the same name says in place of it or beside it."""
        kept = ("name", "confidence")
        fields_of_other = {
            field: value for field, value in other._asdict().items() if value and field not in kept
        }
        return self._replace(**{**fields_of_other, "names": {**self.names, **other.names}})

    def template(self, name: str) -> Template | None:
        """The template of a name; with an attribute of MIG (``1g.10gb+me``) that of the name before it."""
        templates = {template.name: template for template in self.templates}
        return templates.get(name) or templates.get(_without_attribute(name))

    def cores_of(self, template: Template) -> int | None:
        """Percent of the card's compute that a template has, rounded up; None where nothing says it.

        Without the multiprocessors of both it is a fraction of the slices (MIG user guide: 1g is 1/7), which
        is never less, since some multiprocessors of a card are in no slice.
        """
        part, whole = template.ai_cores or template.multiprocessors, self.ai_cores or self.multiprocessors
        if (not part or not whole) and template.label:
            part = template.label[0]
            whole = max((other.label[0] for other in self.templates if other.label), default=None)
        return -(-part * PERCENT // whole) if part and whole else None

    @property
    def most_mib(self) -> int | None:
        """MiB of the card at most."""
        return self.nominal_mib or self.memory_mib


def _size(template: Template) -> tuple[int, int]:
    return template.least_mib, template.ai_cores or template.multiprocessors or (
        template.label[0] if template.label else 0
    )


@cache
def _of_the_package() -> tuple[Card, ...]:
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    return _with_templates(map(Card.from_document, data["cards"]))


def _with_templates(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards, with the templates of those that have the same."""
    by_name = {card.name.casefold(): card for card in cards}
    return tuple(
        card._replace(templates=by_name[card.templates_of.casefold()].templates)
        if card.templates_of and not card.templates and card.templates_of.casefold() in by_name
        else card
        for card in by_name.values()
    )


def all_cards(profile: Profile | None = None) -> tuple[Card, ...]:
    """All cards; with a profile also those that it adds, last."""
    if profile is None or not profile.catalogue:
        return _of_the_package()
    by_name = {card.name.casefold(): card for card in _of_the_package()}
    for addition in profile.catalogue:
        packaged = by_name.get(addition.name.casefold())
        by_name[addition.name.casefold()] = packaged.with_more(addition) if packaged else addition
    return _with_templates(by_name.values())


def names_of(dialect: str, profile: Profile | None = None) -> Mapping[str, str]:
    """What a dialect (the name of a target) calls cards, to their names in the catalogue."""
    return {card.names[dialect]: card.name for card in all_cards(profile) if dialect in card.names}


def products(profile: Profile | None = None) -> Mapping[str, str]:
    """The exact names that drivers print, to names in the catalogue."""
    return {card.product_name: card.name for card in all_cards(profile) if card.product_name}


def products_with(parts: Iterable[str], profile: Profile | None = None) -> tuple[str, ...]:
    """The names of ``products`` that have one of some parts in them, in any case."""
    folded = [part.casefold() for part in parts]
    return tuple(name for name in products(profile) if any(part in name.casefold() for part in folded))


def card_named(name: str, profile: Profile | None = None) -> Card | None:
    """The card with a name of the catalogue, in any case."""
    return next((card for card in all_cards(profile) if card.name.casefold() == name.casefold()), None)


def card_by_short_name(name: str, profile: Profile | None = None) -> Card | None:
    """The card of that name, or of that model (``A10``) where one card alone is of it."""
    exact = card_named(name, profile)
    if exact is not None:
        return exact
    of_model = [card for card in all_cards(profile) if _model_of(card.name) == name.casefold()]
    return of_model[0] if len(of_model) == 1 else None


def card_name(text: str) -> str:
    """The name in the catalogue of the card that a user means; the text itself where there is none."""
    meant = card_by_short_name(text)
    return meant.name if meant else text


def _model_of(name: str) -> str:
    """The name of a card without the size of its memory."""
    return _SIZE.sub("", name.casefold())


class UnknownPartition(NamedTuple):
    """Why no card has a partition, and which may be meant. ``certain``: all cards of the profile have lists
    of their partitions."""

    message: Message
    hint: Message
    certain: bool

    @property
    def severity(self) -> Severity:
        """An error where it is certain, else a warning."""
        return Severity.ERROR if self.certain else Severity.WARNING


def unknown_partition(
    name: str, profile: Profile | None = None, *, vendor: str | None = None
) -> UnknownPartition | None:
    """What is wrong with the name of a partition; None where a card has it. ``vendor``: of these alone."""
    of_vendor = [card for card in all_cards(profile) if vendor in (None, card.vendor)]
    names = [template.name for card in of_vendor for template in card.templates]
    if name in names or _is_mig_profile(name, names):
        return None
    shown = name[:MAX_NAME]
    near = join_or(_partitions_like(shown, names))
    message = msg("no card of the catalogue has the partition {name}", name=shown)
    hint = (
        suggest(near)
        if near
        else msg("write a partition of a card, as in {example}", example=names[0] if vendor else "1g.10gb")
    )
    return UnknownPartition(message, hint, not _has_cards_without_partitions(profile))


def _has_cards_without_partitions(profile: Profile | None) -> bool:
    """The profile names a card, or adds one, that may have partitions which no document lists."""
    if profile is None:
        return False
    every_card = all_cards(profile)
    added = {card.name.casefold() for card in profile.catalogue}
    in_profile = [card for card in every_card if card.name.casefold() in added]
    if profile.cards.model:
        words = _words(profile.cards.model)
        meant = [card for card in every_card if _words(card.name)[0] in words]
        in_profile += meant or [Card(profile.cards.model, "")]
    return any(not card.templates for card in in_profile)


def _is_mig_profile(name: str, names: Collection[str]) -> bool:
    """A MIG profile of a card, or compute slices of one (``1c.2g.10gb``), with an attribute that it has."""
    match = _MIG_NAME.fullmatch(name)
    if match is None or ALIASES.get(match["profile"], match["profile"]) not in names:
        return False
    compute, slices, attribute = match["compute"], match["slices"], match["attribute"]
    return (compute or "0") <= slices and (attribute is None or slices in _ATTRIBUTES.get(attribute, ""))


def _without_attribute(name: str) -> str:
    match = _MIG_NAME.fullmatch(name)
    return match["profile"] if match and not match["compute"] and match["attribute"] in _ATTRIBUTES else name


def _partitions_like(name: str, names: Collection[str]) -> list[str]:
    """At most three partitions: those with the slices and GB nearest to a name, else those written alike."""
    match = _MIG_NAME.fullmatch(name)
    if match is None:
        return spelt_like(name, names, 3)
    profile, slices, gb = match["profile"], int(match["slices"]), int(match["gb"])
    if profile in names:  # so it is what is written around it
        return [
            profile,
            *(profile + attribute for attribute, having in _ATTRIBUTES.items() if match["slices"] in having),
        ][:3]
    labels = {name: label for name in names if (label := Template(name).label)}
    return sorted(labels, key=lambda name: (abs(labels[name][0] - slices), abs(labels[name][1] - gb), name))[
        :3
    ]


def card_meant(model: str, memory_mib: int | None = None, profile: Profile | None = None) -> Card | None:
    """The one card that a name of a product means: ``NVIDIA-A100-SXM4-80GB``, ``A30``.

    A card is meant where the name has all words of its own, or its first word and nothing else decides;
    ``memory_mib``, MiB of the card as a node shows them, decides between sizes. None where several may be
    meant, or none.
    """
    exact = card_named(model, profile)
    if exact is not None:
        return exact
    words = set(_words(model))
    words_by_card = [(card, _words(card.name)) for card in all_cards(profile)]
    matching = [(card, card_words) for card, card_words in words_by_card if words.issuperset(card_words)]
    longest = max((len(card_words) for _, card_words in matching), default=0)
    named = [card for card, card_words in matching if len(card_words) == longest]
    named = named or [card for card, card_words in words_by_card if card_words[0] in words]
    if memory_mib is not None and len(named) > 1:
        named = [
            card for card in named if card.most_mib and 0 <= card.most_mib - memory_mib < card.most_mib // 8
        ]
    alike = {card.templates for card in named}
    return named[0] if named and (len(named) == 1 or (len(alike) == 1 and alike != {()})) else None


def _words(name: str) -> list[str]:
    return re.split(r"[\W_]+", name.casefold())


def nearest_cards(name: str, profile: Profile | None = None) -> tuple[str, ...]:
    """At most three names that may be meant, the most likely first: those of the same model (``A100``,
    ``NVIDIA-A10``), else those of models that are written alike."""
    text = name[:MAX_NAME].casefold()
    names = {card.name.casefold(): card.name for card in all_cards(profile)}
    words = _words(text)
    same = [name for name in names if name.partition("-")[0] in words]
    if not same:
        models = {_model_of(name): None for name in names}
        close = spelt_like(_model_of(text), models, 3)
        return tuple(names[name] for model in close for name in names if _model_of(name) == model)[:3]
    return tuple(names[name] for name in spelt_like(text, same, 3, 0))


# A cluster profile: facts that are in no manifest. Standard library only; units are never guessed.
class CardProfile(NamedTuple):
    """The cards of the nodes: model, how many a node has, MiB of one card."""

    model: str | None = None
    per_node: int | None = None
    memory_mib: int | None = None


class Setting(NamedTuple):
    """A field of an Extension: its name in documents, and what editors show."""

    name: str
    description: str


@record
class Extension:
    """A vendor's part of a profile.

    A subclass is a frozen data class of its backend. Every field has a default and is ``Annotated`` with a
    Setting: a whole number, which is at least 1, a boolean, a Literal of texts, either such a text or such a
    number, the name of a resource, or a part of the part, which is an Extension without a key. The
    docstring describes the part.
    """

    key: ClassVar[str] = ""
    """The field of the profile that holds the part."""

    @classmethod
    def of(cls, profile: Profile | None) -> Self:
        """The part of a profile; the documented defaults where the profile has none."""
        return (
            next((extension for extension in profile.extensions if isinstance(extension, cls)), cls())
            if profile
            else cls()
        )

    @classmethod
    def from_document(cls, data: Mapping[str, Any]) -> Self:
        """The part from its fields in a document, which were checked."""
        settings = cls.settings().items()
        settings_given = {
            attribute: (kind, data[key.name]) for attribute, (kind, key) in settings if key.name in data
        }
        return cls(
            **{
                attribute: kind.from_document(value) if isinstance(value, Mapping) else value
                for attribute, (kind, value) in settings_given.items()
            }
        )

    @classmethod
    def settings(cls) -> dict[str, tuple[Any, Setting]]:
        """By field, its type and what it is in documents."""
        hints = get_type_hints(cls, include_extras=True)
        return {
            declared.name: (hints[declared.name].__origin__, hints[declared.name].__metadata__[0])
            for declared in fields(cls)
        }

    def changes_unit(self, unit: str) -> bool:  # noqa: ARG002
        """The cluster counts in a unit of its own what data sheets give in this one (``MiB``, ``GiB``)."""
        return False

    @property
    def renamed(self) -> Mapping[str, str]:
        """Resources that have other names in the cluster: these, to the names in the data sheet."""
        return {}

    @property
    def by_key(self) -> Mapping[str, str]:
        """The names that resources of the data sheet have in the cluster, by those in the data sheet."""
        return {}

    @property
    def replica(self) -> Replica | None:
        """What one client of a card is in the cluster; None where the part does not say."""
        return None

    @property
    def usual(self) -> bool:
        """The vendor sets up nodes so unless the user chooses otherwise."""
        return True


@dataclass(frozen=True, slots=True)
class Profile:
    """One cluster. ``target``: what it serves, empty where only versions are said of it; ``components`` maps
    a component's name to its version.

    ``extensions``: what vendors add, at most one of each. ``memory_unit_mib``: MiB of one unit of a memory
    key that counts MiB, where the cluster is set to count in larger steps. ``catalogue``: cards that the
    catalogue of the package does not have, or of which the profile says more. ``releases``: changes of
    releases that ``rules/releases.yaml`` does not have.
    """

    target: str = ""
    kubernetes_version: str | None = None
    node_image: str | None = None
    policy: str | None = None
    cards: CardProfile = field(default_factory=CardProfile)
    components: Mapping[str, str] = field(default_factory=dict)
    extensions: tuple[Extension, ...] = ()
    memory_unit_mib: int = 1
    catalogue: tuple[Card, ...] = ()
    releases: tuple[ReleaseChange, ...] = ()

    def is_of(self, names: Collection[str]) -> bool:
        """It tells of clusters that serve a target with one of the names."""
        return not self.target or self.target in names

    def changes_unit(self, unit: str) -> bool:
        """The cluster counts in a unit of its own what data sheets give in this one."""
        own_step = unit == "MiB" and self.memory_unit_mib != 1
        return own_step or any(extension.changes_unit(unit) for extension in self.extensions)


def renamed_by(profile: Profile | None) -> Mapping[str, str]:
    """Resources that have other names in a cluster: these, to the names in data sheets."""
    if profile is None:
        return {}
    return {name: key for extension in profile.extensions for name, key in extension.renamed.items()}


def replicas_of(profile: Profile | None) -> Replica | None:
    """What one client of a card is in a cluster; None where no part of the profile says it."""
    replicas = (extension.replica for extension in profile.extensions) if profile else iter(())
    return next((replica for replica in replicas if replica is not None), None)


def memory_unit_of(profile: Profile | None, names: Collection[str]) -> int:
    """MiB of one unit at a target with one of the names; 1 where the profile is for another target."""
    return profile.memory_unit_mib if profile and profile.target in names else 1


def card_of(profile: Profile | None, names: Collection[str]) -> CardProfile:
    """The cards of a target's profile; an empty one where the profile is for another target."""
    return profile.cards if profile and profile.target in names else CardProfile()


def card_memory_of(profile: Profile) -> int | None:
    """MiB of one card of a cluster: what its profile says, else the catalogue of its card."""
    if profile.cards.memory_mib is not None or profile.cards.model is None:
        return profile.cards.memory_mib
    card = card_by_short_name(profile.cards.model, profile)
    return card.memory_mib if card else None
