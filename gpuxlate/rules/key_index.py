"""The keys of all vendors: whose a key is, which known key is near."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from gpuxlate.model.declarations import regex
from gpuxlate.model.keys import NVIDIA_GPU, KeySpec, Place, domain_of
from gpuxlate.model.messages import spelt_like
from gpuxlate.model.pod import PodKeys, names_in
from gpuxlate.rules.base import Context, Dialect, Subject
from gpuxlate.rules.number_format import beyond_plausible, unit_of
from gpuxlate.rules.predicates import Needs, Predicate
from gpuxlate.rules.unsupported_products import (
    ACCELERATOR_WORDS,
    ACCELERATORS,
    LOCAL_NAMES,
    NO_DOMAIN,
    PRODUCTS,
    UNKNOWN,
    Product,
    accelerators_of,
    has_accelerator_name,
    has_gpu_name_without_domain,
    index,
    product_at,
    product_in,
    product_of,
)

if TYPE_CHECKING:
    from gpuxlate.manifest.hits import KeySearch

IGNORE = "gpuxlate.io/ignore"
"""Annotation that suppresses findings: under a GPU prefix, but not a key of a share."""
SHORT_NAME = 5
"""Names shorter than this after the slash may differ by one letter and be right (gpu, npu)."""
COMMON = "gpu"
"""Part of most keys: a name with it may have a misspelt domain."""
NEAR = 2
"""Maximum edit distance between a misspelt key and the one that was meant."""
WHOLE, PARTITION = "whole cards", "partition"
"""``WHOLE``: how the meaning of a row for whole cards begins. ``PARTITION``: what a row for a fixed part of a
card sets."""
PLACES_OF_REQUESTS = (Place.RESOURCE, Place.NODE_SELECTOR)
"""Places where no scheduler writes: a key of a scheduler there was written by hand."""


_WILD = regex(r"[*?\[]")
"""The first wildcard of a pattern for names."""


D = TypeVar("D", bound=Dialect)


class Owners(Generic[D]):
    """Dialects, looked up by keys and by pods. Results for keys are cached, since pods have the same keys."""

    def __init__(self, dialects: tuple[D, ...]) -> None:
        self.dialects = dialects
        self.owners = lru_cache(maxsize=4096)(self._owners)
        self.requested_by = lru_cache(maxsize=4096)(self._requesting)

    def _owners(self, name: str) -> tuple[D, ...]:
        """The dialects whose key it is."""
        return tuple(dialect for dialect in self.of_domain(name) if dialect.owns(name))

    def of_domain(self, name: str) -> tuple[D, ...]:
        """The dialects with keys in the domain of the name: only these can own it."""
        return self._by_domain.get(domain_of(name), ())

    @cached_property
    def _by_domain(self) -> dict[str, tuple[D, ...]]:
        by_domain: dict[str, tuple[D, ...]] = {}
        for dialect in self.dialects:
            for domain in dialect.domains:
                by_domain[domain] = (*by_domain.get(domain, ()), dialect)
        return by_domain

    def backends_of(self, pod: PodKeys) -> tuple[D, ...]:
        """The dialects in which a pod requests GPUs, in the order of ``dialects``."""
        numbers: set[int] = set()
        for container in pod.all_containers():
            for values in (container.limits, container.requests):
                for name in values:
                    numbers.update(self.requested_by(name))
        names = names_in(pod)
        apart = {
            place for name in names & self._detector_numbers.keys() for place in self._detector_numbers[name]
        }
        for place in apart.union(self._detector_numbers[""]):
            number, speaks, needs = self._detectors[place]
            possible = pod.claims or not self.dialects[number].device_classes
            if (
                possible
                and all(not alternatives.isdisjoint(names) for alternatives in needs)
                and speaks(pod.with_workload())
            ):
                numbers.add(number)
        if len(numbers) > 1:
            numbers -= self._as_companions(pod)
        return tuple(self.dialects[number] for number in sorted(numbers))

    def joined(self, names: Collection[str]) -> frozenset[str]:
        """The resources of a container that form one share with its keys of another dialect."""
        for companions, dialect in self._companions:
            if not companions.isdisjoint(names) and any(map(dialect.owns, names)):
                return companions.intersection(names)
        return frozenset()

    @cached_property
    def _companions(self) -> list[tuple[frozenset[str], D]]:
        return [(frozenset(dialect.companions), dialect) for dialect in self.dialects if dialect.companions]

    def _as_companions(self, pod: PodKeys) -> set[int]:
        """The numbers of the dialects whose keys in a pod all form one share with keys of another dialect."""
        joined: set[int] = set()
        alone: set[int] = set()
        for container in pod.all_containers():
            joined_names = self.joined(container.resources)
            for name in container.resources:
                (joined if name in joined_names else alone).update(self.requested_by(name))
        return joined - alone

    def _requesting(self, name: str) -> tuple[int, ...]:
        """The numbers of the dialects in which a key in the resources of a container requests GPUs."""
        owners = {id(dialect) for dialect in self.owners(name) if dialect.requests_with(name)}
        return tuple(number for number, dialect in enumerate(self.dialects) if id(dialect) in owners)

    @cached_property
    def _detectors(self) -> list[tuple[int, Callable[[PodKeys], bool], Needs]]:
        """The dialects that a pod can use without keys in resources: the number of each, its detector, and
        the keys that the detector needs."""
        detectors = [(number, dialect.detector) for number, dialect in enumerate(self.dialects)]
        return [
            (number, speaks, speaks.needs() if isinstance(speaks, Predicate) else ())
            for number, speaks in detectors
            if speaks is not None
        ]

    @cached_property
    def _detector_numbers(self) -> dict[str, list[int]]:
        """The indexes of ``_detectors`` by each name of their first need; under "" those without needs."""
        places: dict[str, list[int]] = {"": []}
        for place, (_, _, needs) in enumerate(self._detectors):
            for name in needs[0] if needs else ("",):
                places.setdefault(name, []).append(place)
        return places


class KeyIndex(Owners[Dialect]):
    """What vendor-neutral rules need to know about the keys of all dialects."""

    def __init__(self, dialects: tuple[Dialect, ...]) -> None:
        super().__init__(dialects)
        self.known_typos = frozenset(
            name for dialect in dialects for name in getattr(dialect, "known_typos", ())
        )
        self.candidates = tuple(
            dict.fromkeys(
                row.name
                for dialect in dialects
                for row in dialect.keys
                if Place.WRITTEN_BY_SCHEDULER not in row.places
                and dialect.owns(row.name)
                and _may_be_misspelt(row)
            )
        )
        self.whole_cards = frozenset((NVIDIA_GPU, *(dialect.whole_card_key for dialect in dialects)))
        self.rows = lru_cache(maxsize=4096)(self._rows)
        self.near_miss = lru_cache(maxsize=4096)(self._near_miss)
        self.renamed = lru_cache(maxsize=4096)(self._renamed)
        self.is_resource = lru_cache(maxsize=4096)(self._is_resource)
        self.counts_whole_cards = lru_cache(maxsize=4096)(self._counts_whole_cards)
        self.units = lru_cache(maxsize=4096)(self._units)
        self.memory_unit = lru_cache(maxsize=4096)(self._memory_unit)
        self.subjects = lru_cache(maxsize=4096)(self._subjects)
        self.unread = lru_cache(maxsize=4096)(self._unread)
        self.offers = lru_cache(maxsize=4096)(self._offers)
        self.search = lru_cache(maxsize=8)(self._search)
        # a plug-in may know products of its own
        self._look_alikes = index(product for dialect in dialects for product in dialect.similar_products)
        all_names = [
            *(prefix for dialect in dialects for prefix in dialect.gpu_prefixes),
            *(name for dialect in dialects for row in dialect.keys for name in (row.name, *row.aliases)),
            *(key for dialect in dialects for product in dialect.similar_products for key in product.keys),
            *(key for product in PRODUCTS for key in product.keys),
            *LOCAL_NAMES,
        ]
        self._literal_starts = frozenset(_WILD.split(name, 1)[0] for name in all_names)
        self._domains = frozenset(name.partition("/")[0] for name in all_names if "/" in name)
        self._bare = tuple(name for name in self._literal_starts if "/" not in name)
        rows = (row for dialect in dialects for row in dialect.keys if row.general and "/" not in row.name)
        self.words = frozenset(row.name for row in rows if "-" in row.name and Place.ANNOTATION in row.places)
        """Annotations without a domain that are a vendor's where a pod speaks its dialect."""
        names = "|".join(sorted(self.words)).replace(".", "[.]")
        # by itself, or behind a setting of Spark
        self._word = regex(rf"(?:(?<![\w./-])|(?<=[.]annotation[.]))(?:{names})(?![\w/-])")

    def is_foreign(self, name: str) -> bool:
        """No dialect and no product has keys with the domain of the name, or with its beginning."""
        return name.partition("/")[0] not in self._domains and not name.startswith(self._bare)

    def has_word(self, held: Iterable[str], text: str, start: int, end: int) -> bool:
        """A part of a text may have one of ``held``, which are some of ``words``, as a whole word."""
        for word in held:
            at = text.find(word, start, end)
            while at >= 0:
                if self._word.match(text, at, end):
                    return True
                at = text.find(word, at + 1, end)
        return False

    def _search(self, *names: str) -> KeySearch:
        """The search for names in a text: keys of dialects and products, names of accelerators, and these
        names."""
        from gpuxlate.manifest.hits import KeySearch

        accelerators = (key for keys in ACCELERATORS.values() for key in keys)
        searched = {*self._literal_starts, *names, *(_WILD.split(key, 1)[0] for key in accelerators)}
        return KeySearch(searched, (sign.removeprefix("/") for sign in ACCELERATOR_WORDS), COMMON)

    def _rows(self, name: str) -> tuple[KeySpec, ...]:
        """The rows of the data sheets for a key."""
        rows = (dialect.find(name) for dialect in self.of_domain(name))
        return tuple(row for row in rows if row is not None)

    def _units(self, name: str) -> frozenset[str]:
        """The units of a key in the data sheets: MiB, percent, cards."""
        return frozenset(unit_of(row, None) for row in self.rows(name)) - {""}

    def _memory_unit(self, name: str) -> str:
        """The unit of a resource for memory: MiB, GiB, or another unit of a vendor. "" for any other key."""
        row = next((row for row in self.rows(name) if Place.RESOURCE in row.places), None)
        unit = "" if row is None or row.quantity else unit_of(row, None)
        return unit if unit in ("MiB", "GiB") or beyond_plausible(row) is not None else ""

    def _subjects(self, name: str, place: Place) -> frozenset[Subject]:
        """The subjects of vendor-neutral rules that a key in a place of a pod has."""
        bare = place is Place.RESOURCE and "/" not in name and has_gpu_name_without_domain(name)
        if "/" not in name and self.is_foreign(name):  # most variables and labels; a domain may be misspelt
            return frozenset((Subject.NO_DOMAIN,)) if bare else frozenset()
        mark, rows = self.written_by_scheduler(name), self.rows(name)
        read = bool(rows) or self.is_read(name)
        holds = {
            Subject.MISSPELT: self.misspelt(name, place) is not None,
            Subject.NO_DOMAIN: bare and self.misspelt(name, place) is None,
            Subject.MARK: mark and place not in PLACES_OF_REQUESTS,
            Subject.PRODUCT: self.product(name, place) is not None,
            Subject.MISPLACED: self.is_misplaced(name, place)
            or (place is Place.NODE_SELECTOR and any(map(is_policy, rows))),
            Subject.STEERING: read and place not in (Place.RESOURCE, Place.ENV),
            Subject.MEMORY: place is Place.RESOURCE and bool(self.memory_unit(name)),
            Subject.RESOURCE: place is Place.RESOURCE
            and (read or self.is_resource(name) or name in self.whole_cards),
        }
        return frozenset(subject for subject, is_true in holds.items() if is_true)

    def is_read(self, name: str) -> bool:
        """A dialect or this tool reads the key."""
        return name == IGNORE or bool(self.owners(name))

    def is_meant(self, name: str, place: Place, pod: PodKeys) -> bool:
        """The key is a vendor's in this pod. A name that other software may use too is a vendor's only in
        pods that use its dialect."""
        owners = self.owners(name)
        return ("/" in name and not owners) or any(self._means(owner, name, place, pod) for owner in owners)

    @staticmethod
    def _means(dialect: Dialect, name: str, place: Place, pod: PodKeys) -> bool:
        return not _is_anybodys(dialect, name) or (dialect.owns_at(name, place) and dialect.is_used_by(pod))

    def is_vendors(self, name: str) -> bool:
        """The key is a vendor's in any pod, whatever else is in it."""
        return any(not _is_anybodys(dialect, name) for dialect in self.owners(name))

    def is_misplaced(self, name: str, place: Place) -> bool:
        """Nothing reads the known key in this place of a pod."""
        if self.written_by_scheduler(name):
            return place in PLACES_OF_REQUESTS and self.misspelt(name, place) is None
        rows = self.rows(name) if self.owners(name) else ()  # every cloud uses nvidia.com/gpu
        by_hand = [row for row in rows if Place.WRITTEN_BY_SCHEDULER not in row.places]
        return bool(by_hand) and not any(takes_effect(row, place) for row in by_hand)

    def has_bounds(self, name: str, pod: PodKeys) -> bool:
        """A dialect of the pod has a unit for the key, and so a rule on numbers below 0."""
        rows = (dialect.find(name) for dialect in self.backends_of(pod))
        return any(row is not None and (row.unit or row.is_pattern) for row in rows)

    def _is_resource(self, name: str) -> bool:
        """A key of GPUs that belongs in limits, or an unknown one. GX013 reports any other key in limits."""
        rows = self.rows(name)
        return name == NVIDIA_GPU or (
            bool(self.owners(name)) and (not rows or any(Place.RESOURCE in row.places for row in rows))
        )

    def _counts_whole_cards(self, name: str) -> bool:
        """The key counts whole cards, and nothing else."""
        rows = self.rows(name)
        return name == NVIDIA_GPU or (bool(rows) and all(row.meaning.startswith(WHOLE) for row in rows))

    def written_by_scheduler(self, name: str) -> bool:
        """Every data sheet with the key says that the scheduler writes it."""
        rows = self.rows(name)
        return bool(rows) and all(Place.WRITTEN_BY_SCHEDULER in row.places for row in rows)

    def placed_by_scheduler(self, pod: PodKeys) -> bool:
        """A vendor's scheduler has written on the pod, so the pod is from a cluster."""
        return any(self.written_by_scheduler(name) for name in pod.annotations)

    def product(self, name: str, place: Place | None = None) -> Product | None:
        """The unsupported product that the key belongs to, None if there is none.

        ``place``: where it is in a pod. None is any place, where names without a domain are no product's.
        """
        if self.is_foreign(name):
            return None
        owners, rows = self.owners(name), self.rows(name)
        if (
            rows
            and owners
            and all(owner.read_only for owner in owners)
            and not self.written_by_scheduler(name)
        ):
            return product_in(name, self._look_alikes)  # read in a migration, and still no key of the other
        if owners or rows:
            return None
        known_product = product_at(name, place) if place else product_of(name)
        return known_product or product_in(name, self._look_alikes)

    def _unread(self, name: str) -> str | None:
        """The whole accelerators that a resource counts, if no dialect reads it and no other rule reports it.

        UNKNOWN if only the name reads like an accelerator's; None for any other resource.
        """
        if self.owners(name) or self.rows(name) or self.product(name):
            return None
        accelerators = accelerators_of(name)
        return (
            UNKNOWN
            if accelerators is None and has_accelerator_name(name) and not self.near_miss(name)
            else accelerators
        )

    def _offers(self, name: str) -> frozenset[str]:
        """The kinds of nodes that may offer a resource, as texts that can be compared.

        A kind is a dialect, or the nodes of a dialect with partitions. A key for whole cards is offered by
        nodes of the dialects that also have a key for shares.
        """
        rows = {dialect.name: dialect.find(name) for dialect in self.of_domain(name)}
        known_rows = {dialect: row for dialect, row in rows.items() if row is not None}
        if self.counts_whole_cards(name):
            counting = [dialect for dialect, row in known_rows.items() if not row.meaning.startswith(WHOLE)]
            partitioned = [*known_rows]
        else:
            counting = [dialect.name for dialect in self.owners(name)]
            partitioned = [
                dialect
                for dialect in counting
                if dialect in known_rows and known_rows[dialect].sets == PARTITION
            ]
        return frozenset((*counting, *(f"{dialect} {PARTITION}s" for dialect in partitioned)))

    def taken_for(self, product: Product) -> Dialect | None:
        """The dialect whose keys are easily confused with those of a product, None if there is none."""
        return next((dialect for dialect in self.dialects if product in dialect.similar_products), None)

    def _near_miss(self, name: str) -> NearMiss | None:
        """The known key that a misspelt key is nearest to, None if it is not misspelt."""
        if name in (IGNORE, NVIDIA_GPU) or name in self.known_typos or self.rows(name):
            return None
        if self.product(name) or accelerators_of(name):
            return None
        owners = self.owners(name)
        if owners:
            names = [row.name for dialect in owners for row in dialect.keys if row.name in self.candidates]
            meant = closest_name(name, names)
            return (
                NearMiss(owners[0], meant) if meant else NearMiss(owners[0], similar_name(name, names), False)
            )
        if "/" not in name:
            return None
        near = nearest_name(name, self._maybe_meant(name), NEAR)
        return NearMiss(self.owners(near)[0], near) if near and self.owners(near) else None

    def misspelt(self, name: str, place: Place) -> NearMiss | None:
        """What was meant with an unknown key in a place of a pod; None where it is not misspelt."""
        if place is Place.ENV:
            return None
        # the same words are nearer than other letters: gpu-memory is gpumem, and not vgpu-memory
        renamed = self.renamed(name) if place is Place.RESOURCE else None
        return renamed if renamed and not self.owners(name) else self.near_miss(name) or renamed

    def _renamed(self, name: str) -> NearMiss | None:
        """The resource with the same words as an unknown one, None if there is none.

        The separators, abbreviations, or the domain of the same vendor may differ: tencent.com/qgpu-core.
        """
        rows = self.rows(name)
        if any(not row.is_pattern or Place.WRITTEN_BY_SCHEDULER not in row.places for row in rows):
            return None  # it is known; names like those that a scheduler writes are not, in resources
        if "/" not in name or name in self.known_typos or self.product(name) or accelerators_of(name):
            return None
        domain = domain_of(name)
        same_words = [
            (dialect, row)
            for dialect, row in self._by_words.get(_words_of(name), ())
            if domain in dialect.domains or _vendor_of(domain) == _vendor_of(domain_of(row.name))
        ]
        if not same_words:
            return None
        dialect, row = next((pair for pair in same_words if domain_of(pair[1].name) == domain), same_words[0])
        return NearMiss(dialect, row.name)

    @cached_property
    def _by_words(self) -> dict[str, list[tuple[Dialect, KeySpec]]]:
        """The resources of all dialects by the words of their names, and of their aliases."""
        pairs: dict[str, list[tuple[Dialect, KeySpec]]] = {}
        for dialect in self.dialects:
            for row in dialect.keys:
                if Place.RESOURCE not in row.places or row.is_pattern or row.model:
                    continue
                for key_words in dict.fromkeys(map(_words_of, (row.name, *row.aliases))):
                    if len(key_words) >= SHORT_NAME:
                        pairs.setdefault(key_words, []).append((dialect, row))
        return pairs

    def _maybe_meant(self, name: str) -> Iterator[str]:
        """The known keys that a name may be misspelt from, by its domain and its length."""
        domain = name.partition("/")[0]
        for candidate_domain, names in self._candidates_by_domain.items():
            if domain == candidate_domain or (COMMON in name and _may_be_domain(domain, candidate_domain)):
                yield from (candidate for candidate in names if _may_be_meant(name, candidate))

    @cached_property
    def _candidates_by_domain(self) -> dict[str, list[str]]:
        by_domain: dict[str, list[str]] = {}
        for candidate in self.candidates:
            if domain := domain_of(candidate):
                by_domain.setdefault(domain, []).append(candidate)
        return by_domain


def takes_effect(row: KeySpec, place: Place) -> bool:
    """The key of a row takes effect in a place. A label of nodes also does in a node selector."""
    return place in row.places or (place is Place.NODE_SELECTOR and Place.NODE in row.places)


def is_policy(row: KeySpec) -> bool:
    """The key is a label of nodes whose value is their policy."""
    return Place.NODE in row.places and "policy" in row.meaning


def _is_anybodys(dialect: Dialect, name: str) -> bool:
    """Other software than the dialect may use the key too."""
    row = dialect.find(name)
    return row.is_word if row else "/" not in name and any(row.is_word for row in dialect.keys)


_SHORTER = {"memory": "mem", "percentage": "percent"}
"""Words for which vendors have abbreviations in keys."""
_SEPARATOR = regex(r"[-_.]+")


def _words_of(name: str) -> str:
    """The part of a key after the slash, abbreviated, without separators and a plural s."""
    text = _SEPARATOR.sub("", _tail(name).lower())
    for word, short in _SHORTER.items():
        text = text.replace(word, short)
    return text.removesuffix("s")


def _vendor_of(domain: str) -> str:
    """The registered part of a domain: tencent.com of tke.cloud.tencent.com."""
    return ".".join(domain.split(".")[-2:])


def _may_be_misspelt(row: KeySpec) -> bool:
    """The key of a row can be what a misspelt key means.

    Not a pattern, nor a name before a slash without a dot, since a short word is near to many others. Not the
    name of a card model, which is near to those of other models.
    """
    if row.model and row.sets == "cards":
        return False
    prefix, slash, _ = row.name.partition("/")
    return not row.is_pattern and (not slash or "." in prefix)


class NearMiss(NamedTuple):
    """What an unknown key seems to be: the dialect, the known key, and whether that key is probable."""

    dialect: Dialect
    meant: str | None
    probable: bool = True


_last: list[KeyIndex] = []


def key_index_of(context: Context) -> KeyIndex:
    """The index of the keys of a context's dialects. The last one is kept: a run has one set of dialects."""
    if not _last or _last[0].dialects is not context.dialects:
        _last[:] = [KeyIndex(context.dialects)]
    return _last[0]


_WORD = regex(r".+(?=/)|[a-z]+.")
"""Part of a product's key: its domain, or the first word of a name without one."""


def words(dialects: Iterable[Dialect]) -> tuple[str, ...]:
    """Lower-case texts: every manifest that a rule or dialect applies to contains at least one of them.

    They are few, since each is searched for in every file of a folder: COMMON, and the domains of keys.
    """
    listed = tuple(dialects)
    names = {row.name for dialect in listed for row in dialect.keys if not row.name.isalpha()}
    others = {prefix for dialect in listed for prefix in dialect.gpu_prefixes}
    others |= {alias for dialect in listed for row in dialect.keys for alias in row.aliases}
    lowered = {
        COMMON,
        NO_DOMAIN,
        *(_domain_or_all(name).lower() for name in names),
        *(sign.lower() for sign in others),
    }
    lowered |= {*ACCELERATOR_WORDS}
    products = (*PRODUCTS, *(product for dialect in listed for product in dialect.similar_products))
    keys = [name for product in products for name in product.keys]
    for key in (*LOCAL_NAMES, *keys, *(name for names in ACCELERATORS.values() for name in names)):
        text = key.lower()
        if not any(sign in text for sign in lowered):  # most have GPU in their names
            lowered |= set(_WORD.findall(text)[:1])
    return tuple(sorted(sign for sign in lowered if not any(other in sign for other in lowered - {sign})))


def _domain_or_all(name: str) -> str:
    """The domain of a key with its slash, since the rest may be misspelt; a name without one as it is."""
    domain, slash, _ = name.partition("/")
    return domain + slash if slash else name.partition("*")[0]


# --- nearness -----------------------------------------------------------------------------------


def edit_distance(text: str, other: str, limit: int) -> int | None:
    """Levenshtein's edit distance, None where it is above ``limit``."""
    if abs(len(text) - len(other)) > limit:
        return None
    same = _alike(text, other)
    text, other = text[same:][::-1], other[same:][::-1]
    same = _alike(text, other)
    text, other = text[same:], other[same:]
    too_far = limit + 1
    above = [*range(limit + 1), *[too_far] * len(other)]
    for row, letter in enumerate(text, 1):
        current = [min(row, too_far)] + [too_far] * len(other)
        # what is further from the diagonal is above the limit
        for column in range(max(1, row - limit), min(len(other), row + limit) + 1):
            swapped = above[column - 1] + (letter != other[column - 1])
            current[column] = min(swapped, above[column] + 1, current[column - 1] + 1)
        if min(current) > limit:
            return None
        above = current
    return above[len(other)] if above[len(other)] <= limit else None


def _alike(text: str, other: str) -> int:
    """The length of the common prefix of two texts."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(text), len(other)))


def nearest_name(name: str, candidates: Iterable[str], limit: int) -> str | None:
    """The first candidate with the least distance, None where all are above ``limit``."""
    best: str | None = None
    for candidate in candidates:
        # two edits leave one of any three parts unchanged: this rules out most names
        if limit <= 2 and not any(piece in name for piece in _thirds(candidate)):
            continue
        edits = edit_distance(name, candidate, limit)
        if edits is not None:
            best, limit = candidate, edits - 1
            if limit < 0:
                break
    return best


@lru_cache(maxsize=1024)
def _thirds(name: str) -> tuple[str, str, str]:
    third = len(name) // 3
    return name[:third], name[third : 2 * third], name[2 * third :]


def closest_name(name: str, candidates: list[str]) -> str | None:
    """The name that was probably meant: one with a typing error, a prefix of it, or an extension."""
    near = nearest_name(name, candidates, NEAR)
    if near:
        return near
    longer = [candidate for candidate in candidates if candidate.startswith(name)]
    if len(longer) == 1:
        return longer[0]
    shorter = [
        candidate
        for candidate in candidates
        if name.startswith(candidate) and len(_tail(candidate)) >= SHORT_NAME
    ]
    return max(shorter, key=len, default=None)


def similar_name(name: str, candidates: list[str]) -> str | None:
    """The candidate that looks most like the name, for a hint only; None if none is similar."""
    tails = {_tail(candidate): candidate for candidate in candidates}
    matches = spelt_like(_tail(name), tails)
    return tails[matches[0]] if matches else None


def _tail(name: str) -> str:
    return name.rpartition("/")[2]


def _may_be_meant(name: str, candidate: str) -> bool:
    if abs(len(name) - len(candidate)) > NEAR:
        return False
    return len(_tail(candidate)) >= SHORT_NAME or _tail(candidate) == _tail(name)


def _may_be_domain(domain: str, candidate: str) -> bool:
    """A domain may be misspelt from the candidate. Not if whole labels are added, removed or replaced."""
    if abs(len(domain) - len(candidate)) > NEAR:
        return False
    labels, meant = domain.split("."), candidate.split(".")
    if len(labels) == len(meant):
        return all(
            label == other or set(label) & set(other) for label, other in zip(labels, meant, strict=True)
        )
    fewer, more = sorted((labels, meant), key=len)
    rest = iter(more)
    return not all(label in rest for label in fewer)
