"""What every backend must keep, as properties over random shares, keys and pods."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from typing import NamedTuple

from hypothesis import HealthCheck, Phase, example, find, given, settings
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare, PodReader, Reading
from gpuxlate.backends.pod_writer import Accept, PodWriter, ShareWriter
from gpuxlate.model import quantity
from gpuxlate.model.amounts import amount_of
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, LossKind, Path, Severity
from gpuxlate.model.keys import KeySpec, Place, Range
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.pod import ContainerKeys, PodKeys, ScalarKind, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import (
    ALL_MEMORY,
    JSON_NAMES,
    Device,
    Isolation,
    Partition,
    Policy,
    Qos,
    Replica,
    Share,
    Strategy,
    limit_beside,
    percent_in_mib,
)
from gpuxlate.rules import catalog, translation
from gpuxlate.rules.base import Context, rules_of
from gpuxlate.rules.catalog import check_pod
from gpuxlate.testing import strategies
from gpuxlate.testing.lost_rules import lost_rules
from gpuxlate.testing.strategies import (
    KEY_WORDS,
    PLACES,
    as_manifest,
    entries,
    naming_a_card,
    paths,
    with_key,
)
from gpuxlate.translation.acceptance import DROPPABLE
from gpuxlate.translation.fit import FIELDS_OF_POD, Outcome, PodFit, fit_pod
from gpuxlate.translation.shares import read_pod


def in_numbers(share: Share, profile: Profile | None = None) -> Share:
    """A share of a part of a card as the numbers that it amounts to, as far as they are known."""
    amount = amount_of(share, profile)
    if amount is None:
        return share
    bare = replace(share, partition=None, replica=None)
    memory = None if amount.memory_mib is None else max(1, amount.memory_mib)
    return replace(bare, cores=min(amount.cores or 1, FULL_CARD_CORES), memory_mib=memory)


def too_little(
    requested: Share,
    target_share: Share,
    accept: Accept,
    card_mib: int | None = None,
    implied: Collection[str] = (),
    required: Collection[str] = (),
) -> Iterator[str]:
    """The fields in which a share gives less than was asked, but for those that may be dropped.

    ``card_mib`` is the card of the profile, which turns percent into MiB. ``implied``: fields that the
    target gives without a key; ``required``: those that it has to give where nobody asks for them. A field
    that was open may be filled: that is what the user said.
    """
    if target_share.cards < requested.cards:
        yield "cards"
    if "cores" not in accept.drop and _percent(target_share) < _percent(requested):
        yield "cores"
    yield from _less_memory(requested, target_share, accept, card_mib)
    for field in ("policy", "qos", "device"):
        value = getattr(requested, field)
        lost = value and field in {*accept.drop, *implied}
        open_to_any = {"device", *required}  # which the cards of a target may be in its keys
        anything = value is None and field in open_to_any
        if getattr(target_share, field) != value and not (lost or anything):
            yield field
    least = Isolation.HARDWARE if target_share.whole_cards else target_share.isolation or Isolation.NONE
    if requested.isolation and not (
        "isolation" in {*accept.drop, *implied} or least.covers(requested.isolation)
    ):
        yield "isolation"


def _less_memory(
    requested: Share, target_share: Share, accept: Accept, card_mib: int | None
) -> Iterator[str]:
    if requested.memory_mib_per_card is not None:
        if (
            target_share.memory_mib_per_card is not None
            and target_share.memory_mib_per_card < requested.memory_mib_per_card
        ):
            yield "memoryMiB"
    elif target_share.memory_mib is not None and "memoryMiB" not in accept.fill:
        requested_mib = (
            percent_in_mib(requested.memory_percent, card_mib)
            if requested.memory_percent and card_mib
            else None
        )
        if requested_mib is None or requested_mib * target_share.cards > target_share.memory_mib:
            yield "memoryMiB"
    if target_share.memory_percent is not None and target_share.memory_percent < (
        requested.memory_percent or ALL_MEMORY
    ):
        yield "memoryPercent"
    limit = target_share.memory_limit_mib_per_card or target_share.memory_mib_per_card
    requested_limit = 0 if "memoryLimitMiB" in accept.drop else requested.memory_limit_mib_per_card or 0
    if limit is not None and limit < requested_limit:
        yield "memoryLimitMiB"


def implied_fields(
    share: Share, target: Backend, accept: Accept, profile: Profile | None = None
) -> frozenset[str]:
    """The fields of a share that a target gives without a key."""
    return frozenset(
        fit_pod([ContainerShare("", 0, share=share)], target, accept, profile).outcomes[0].implied
    )


def is_needless(field: str, outcome: Outcome) -> bool:
    """Whether the granted share is the same without the field, which then needs no key."""
    share = outcome.granted
    if field == "memory_limit_mib":  # memory was rounded up as far
        return limit_beside(share.memory_mib, outcome.share.memory_limit_mib) is None
    return field == "isolation" and (outcome.share.isolation is Isolation.NONE or share.whole_cards)


def _percent(share: Share) -> int:
    """Percent of each card that a share is sure of: 0 where compute is not capped."""
    return FULL_CARD_CORES if share.whole_cards else share.cores_per_card or 0


# Keys that a reader takes and forgets: with them, no more is read or reported than without them.
GENEROUS = Accept(True, {"cores": 60, "memoryMiB": 8192}, frozenset(DROPPABLE))
EXAMPLE_SHARES = (
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
EXAMPLE_PARTS = (
    *(Share(replica=replica) for replica in (Replica(), Replica(4, Strategy.MPS))),
    *(Share(partition=Partition(profile)) for profile in ("1g.5gb", "qpx_nps1")),
    *(
        Share(partition=Partition(profile), replica=Replica(4, Strategy.MPS))
        for profile in ("1g.5gb", "qpx_nps1")
    ),
)
"""Parts of cards of one vendor and of another, and clients of them."""
AFTER_SEVERAL_CARDS = [
    ContainerShare("init-0", 0, init=True, share=Share(2, 10, 2048)),
    ContainerShare("main-0", 0, share=Share(1, 5, 1024)),
]
"""A share behind one of which a reader may have something to say: it is read all the same."""
EMPTY_POD = PodKeys((ContainerKeys("main"),))
SHARE_NUMBERS = ("cards", "cores", "memory_mib", "memory_percent", "memory_limit_mib")
RANDOM_TEXTS = 20


def forgotten(backend: Backend, context: Context) -> Iterator[str]:
    """A sentence for each value of a key that the reader accepts and that makes no difference, unless the row
    of the key says that it has none."""
    pods = list(_pods(backend, context))
    for row in backend.keys:
        if row.name == backend.whole_card_key:
            continue  # every cloud has it
        if row.coming:
            continue  # nothing reads it before its release, which lint says
        if backend.sizes and row.sets in ("cores", "memory_mib"):
            continue  # the smallest part that holds both: one of them may make no difference
        for place in (field_place for field_place in PLACES if field_place in row.places):
            trial = _Trial(backend, context, row, place)
            texts = [text for text in _values(backend, row) if not row.is_no_op(text)]
            without = (
                trial.read_without((*pods, EMPTY_POD) if place is Place.RESOURCE else pods) if texts else ()
            )
            for text in texts:
                yield from trial.wrong(text, without)


class _ReadPod(NamedTuple):
    """What is read from a pod and reported about it."""

    reading: Reading
    findings: list[Diagnostic]

    @property
    def share(self) -> Share | None:
        return self.reading.containers[0].share

    @property
    def translation_key(self) -> tuple[object, ...]:
        """What two readings must have in common for the same translation."""
        selectors = tuple((selector.key, selector.text) for selector in self.reading.selectors)
        return self.share, selectors, self.reading.isolation


@record
class _Trial:
    """A key in one of its places, which is tried with several values in several pods."""

    backend: Backend
    context: Context
    row: KeySpec
    place: Place

    @property
    def name(self) -> str:
        return self.row.key_for_container("main")

    def read_without(self, pods: Sequence[PodKeys]) -> Sequence[tuple[PodKeys, _ReadPod]]:
        """The pods without the key, each with what is read from it then, whatever value the key gets."""
        without = [_without(pod, self.name, self.place) for pod in pods]
        return [(pod, self._read(as_manifest(pod))) for pod in without]

    def wrong(self, text: str, pods: Sequence[tuple[PodKeys, _ReadPod]]) -> Iterator[str]:
        """A sentence for each pod in which the key with this value makes no difference and is not reported.
        ``pods``: from ``read_without``."""
        meant: object = None  # the value of its field, from the first pod in which it makes a difference
        for without, before in pods:
            if any((name, value.text) == (self.name, text) for name, _, value in entries(without)):
                continue  # the same twice
            manifest = as_manifest(with_key(without, self.name, self.place, Value.of(text)))
            after = self._read(manifest)
            if self._is_reported(after, self._path(manifest)):
                continue
            place_of_key = f"{self.name}: {text!r} ({self.place.value}, beside {_shown(without)})"
            if before.share and not after.share:
                yield f"{place_of_key} takes the share away, and no error says so"
            elif before.translation_key != after.translation_key:
                meant = meant or self._field(after)
            elif not (self._is_held(before, text, meant) or self._is_of_the_profile(without, manifest)):
                yield f"{place_of_key} makes no difference, and no error says so"

    def _is_of_the_profile(self, without: PodKeys, manifest: PodKeys) -> bool:
        """The key chooses the nodes that the profile describes: without a profile it makes a difference."""
        if self.context.profile is None or self.row.sets != "selector":
            return False
        alone = replace(self, context=self.context._replace(profile=None))
        return alone._read(as_manifest(without)).translation_key != alone._read(manifest).translation_key

    def _read(self, manifest: PodKeys) -> _ReadPod:
        return _ReadPod(*read_pod(manifest, self.backend, self.context))

    def _path(self, manifest: PodKeys) -> Path:
        name_and_place = (self.name, self.place)
        return next(value.path for name, place, value in entries(manifest) if (name, place) == name_and_place)

    def _is_reported(self, read: _ReadPod, path: Path) -> bool:
        """The pod is refused, or the reader reports the key.

        Where other numbers decide, a warning of a rule will do.
        """
        number = self.row.sets in SHARE_NUMBERS
        noted = read.findings if number else read.reading.notes
        return any(finding.severity is Severity.ERROR for finding in read.findings) or any(
            finding.path[: len(path)] == path for finding in noted
        )

    def _field(self, read: _ReadPod) -> object:
        return getattr(read.share, self.row.sets or "", None)

    def _is_held(self, read: _ReadPod, text: str, meant: object) -> bool:
        """Without the key the share has the value that the key gives to its field."""
        field = self._field(read)
        number: object = quantity.parse_integer(text) if self.row.sets == "cards" else None
        if self.row.sets == "cores" and read.share is not None and quantity.is_amount(text):
            number = quantity.parse(text).amount * self.row.unit * read.share.cards
        return field is not None and field in (meant, number)


def _pods(backend: Backend, context: Context) -> Iterator[PodKeys]:
    """Pods with a share, as the backend writes them, without requests (K8S003)."""
    seen: list[PodKeys] = []
    for share in EXAMPLE_SHARES:
        fit = fit_pod(
            [ContainerShare("main", 0, share=naming_a_card(share, backend))],
            backend,
            GENEROUS,
            context.profile,
        )
        keys = replace(
            fit.keys, containers=tuple(replace(container, requests={}) for container in fit.keys.containers)
        )
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
    terms = (tuple(expression for expression in term if expression.key != name) for term in pod.affinity)
    selector = left({**pod.node_selector})
    return replace(pod, node_selector=selector, affinity=tuple(term for term in terms if term))


def _values(backend: Backend, row: KeySpec) -> Iterator[str]:
    """Values that the data sheet knows, words of other keys of the same field, numbers, any text."""
    known_texts: list[str] = []
    for value in (
        value for key in backend.keys if key is row or key.sets == row.sets for value in key.values
    ):
        match value:
            case str():
                known_texts += [value, value.upper(), f"{value}s"]
            case Range(least, most, step):
                known_texts += [str(least), str(least + step)]
                known_texts += [] if most is None else [str(most), str(most + 1)]
            case re.Pattern():
                known_texts += ["1", "2", "0,1"]
    chance = random.Random(row.name)  # the same texts on every run
    letters = string.ascii_letters + string.digits + "-_., "
    random_texts = ("".join(chance.choices(letters, k=chance.randint(1, 12))) for _ in range(RANDOM_TEXTS))
    yield from dict.fromkeys((*known_texts, *KEY_WORDS, "", "7", "3", *random_texts))


def _shown(pod: PodKeys) -> str:
    return ", ".join(f"{name}: {value.text}" for name, _, value in entries(pod)) or "nothing"


# What every backend must keep, as properties over random shares.
# The asserts say what is wrong themselves: pytest rewrites asserts in test modules only.
EXAMPLES_PER_PROPERTY = 80
"""Random pods for each property and backend, unless a Hypothesis profile of the project says otherwise."""
SEARCHED = 2000
"""Random shares among which one has to be exact."""
MOST_SHOWN = 20
"""Keys that a failure lists."""
_OWN = settings.default is settings.get_profile("default")
bounded = settings(
    max_examples=EXAMPLES_PER_PROPERTY if _OWN else settings().max_examples,
    # the same pods on every run, so that its time is bounded and a failure comes again
    derandomize=_OWN or settings().derandomize,
    database=None,
    deadline=None,  # a shared machine may take long for one pod
    phases=(Phase.explicit, Phase.generate, Phase.shrink) if _OWN else settings().phases,
    # one method serves many backends by inheritance; it is only unsafe with a database of examples
    suppress_health_check=(HealthCheck.differing_executors,),
)


class ReadingContract:
    """What a backend keeps that is read and never written: a source of migrations."""

    backend: Backend
    profile: Profile | None = None

    @bounded
    @given(st.data())
    def test_unknown_keys_are_reported(self, data: st.DataObject) -> None:
        """A key under the backend's GPU prefixes, if it has some, that its rows do not know is GX003."""
        if not self.backend.gpu_prefixes:
            return
        name = data.draw(self._unknown_keys, "key")
        place = data.draw(st.sampled_from((Place.RESOURCE, Place.LABEL, Place.ANNOTATION)), "place")
        pod = data.draw(self._keys, "pod")
        manifest = as_manifest(with_key(pod, name, place, Value.of("1")))
        _, findings = read_pod(manifest, self.backend, self._context)
        path = next(value.path for key, where, value in entries(manifest) if (key, where) == (name, place))
        codes = {(finding.code, finding.severity) for finding in findings if finding.path == path}
        assert ("GX003", Severity.ERROR) in codes, f"{name} in {place.value} gives {codes or 'nothing'}"

    @bounded
    @given(st.data())
    def test_every_key_is_taken_or_reported(self, data: st.DataObject) -> None:
        """Whatever key is in any place with any value: nothing of the vendor's is lost silently."""
        manifest = as_manifest(data.draw(self._keys, "pod"))
        reading, findings = read_pod(manifest, self.backend, self._context)
        noted_paths = reading.taken | {finding.path for finding in findings}
        silent = [
            (name, place.value)
            for name, place, path in self.backend.owned(manifest)
            if not any(noted[: len(path)] == path for noted in noted_paths)  # of an affinity: at its key
        ]
        assert not silent, f"neither taken nor reported: {silent}"
        assert len(reading.containers) == len(list(manifest.all_containers())), "every container is read"

    def test_no_key_is_taken_and_forgotten(self) -> None:
        """Whatever a key says, the share differs from that without it, or something is reported."""
        forgotten_values = list(islice(forgotten(self.backend, self._context), MOST_SHOWN))
        assert not forgotten_values, "\n".join(("taken and forgotten:", *forgotten_values))

    @bounded
    @given(st.data())
    def test_a_reader_repeats_no_rule(self, data: st.DataObject) -> None:
        """Rules report what a manifest gets wrong; a reader reports numbers that together are not a share."""
        manifest = as_manifest(data.draw(self._keys, "pod"))
        reading = self._read(manifest)
        assert {finding.code for finding in reading.invalid} <= {"GX011"}, f"not GX011: {reading.invalid}"
        rules = (*catalog.neutral_rules_for(self.backend), *self.backend.rules)
        reported = list(check_pod(rules, manifest, self._context))
        notes = {(finding.code, finding.path) for finding in reading.notes}
        twice = notes & {(finding.code, finding.path) for finding in reported}
        assert not twice, f"reported by a rule and by the reader: {twice}"
        if not self.backend.writes_pods:
            return  # the rules of Kubernetes are not for parameters
        at = {finding.path for finding in (*reported, *reading.notes) if finding.severity is Severity.ERROR}
        for container in manifest.all_containers():
            for name, value in container.resources.items():
                row = self.backend.find(name)
                if row is None or row.sets not in JSON_NAMES or Place.RESOURCE not in row.places:
                    continue
                if not (
                    quantity.is_amount(value.text)
                    if row.quantity
                    else quantity.parse_integer(value.text) is not None
                ):
                    assert value.path in at, f"{name}: {value.text!r} is not a number, and not reported"

    def test_no_rule_is_lost(self) -> None:
        """Each rule that a module of the target's package declares is one of a target of the package."""
        lost = [*lost_rules(self.backend)]
        assert not lost, "\n".join(("rules of no target:", *lost))

    # --- helpers ----------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return self.backend.name

    @cached_property
    def _context(self) -> Context:
        if not self.backend.writes_pods:
            return Context(self.profile, (self.backend,))
        built_in = (backend for backend in registry.pod_backends() if backend.name != self._name)
        return Context(self.profile, (self.backend, *built_in))

    # building a strategy costs more than drawing from it

    @cached_property
    def _keys(self) -> st.SearchStrategy[PodKeys]:
        return strategies.keys(self.backend)

    @cached_property
    def _unknown_keys(self) -> st.SearchStrategy[str]:
        return strategies.unknown_keys(self.backend)

    def _fit(self, pod: list[ContainerShare], accept: Accept | None = None) -> PodFit:
        named = [
            replace(container, share=strategies.naming_a_card(container.share, self.backend))
            for container in pod
        ]
        return fit_pod(named, self.backend, accept or Accept(), self.profile)

    def _read(self, manifest: PodKeys) -> Reading:
        return self.backend.read(PodReader(manifest), self.profile)


class BackendContract(ReadingContract):
    """Subclass it in a test module, and name the backend. ``profile`` is optional."""

    # --- there and back ---------------------------------------------------------------------

    def test_some_share_is_exact(self) -> None:
        """Else the properties below would hold of nothing."""
        find(
            strategies.shares(),
            lambda share: self._fit([ContainerShare("main", 0, share=share)]).accepted,
            settings=settings(bounded, max_examples=SEARCHED, phases=(Phase.generate,)),
        )

    @bounded
    @given(strategies.pods(), st.one_of(st.just(Accept()), strategies.accepts(), strategies.generous()))
    def test_write_then_read_gives_the_share_back(self, pod: list[ContainerShare], accept: Accept) -> None:
        """Field by field what was asked, but for the losses that the outcome lists."""
        self._assert_comes_back(pod, accept)

    def test_shares_that_differ_come_back_or_are_refused(self) -> None:
        """What belongs to the pod is given to no container that did not ask for it; and no part of a card is
        written that the reader does not know."""
        first = EXAMPLE_SHARES[0]
        pods = (
            *((share,) for share in (*EXAMPLE_SHARES, *EXAMPLE_PARTS)),
            *((first, share) for share in EXAMPLE_SHARES),
            *((share, first) for share in EXAMPLE_SHARES),
        )
        for pod, accept in product(pods, (Accept(), GENEROUS)):
            containers = [ContainerShare(f"main-{at}", at, share=share) for at, share in enumerate(pod)]
            self._assert_comes_back(containers, accept)

    def _assert_comes_back(self, pod: list[ContainerShare], accept: Accept) -> None:
        fit = self._fit(pod, accept)
        if not fit.accepted:
            return
        manifest = as_manifest(fit.keys, pod)
        reading = self._read(manifest)
        wrong = [
            *reading.invalid,
            *(finding for finding in reading.notes if finding.severity is Severity.ERROR),
        ]
        assert not wrong, f"{self._name} finds its own writing wrong: {wrong}"
        read = {(container.init, container.index): container for container in reading.containers}
        outcomes = {(outcome.container.init, outcome.container.index): outcome for outcome in fit.outcomes}
        assert set(read) == {(container.init, container.index) for container in pod}, (
            "read must give every container"
        )
        for place, container in read.items():
            expected = outcomes[place].declared if place in outcomes else None
            assert container.share == expected, (
                f"{expected} came back as {container.share}, written as {fit.keys}"
            )
            nowhere = set(container.origins.values()) - paths(manifest)
            assert not nowhere, f"origins point at nothing: {nowhere}"

    @bounded
    @given(strategies.pods(), st.one_of(st.just(Accept()), strategies.generous()))
    @example(AFTER_SEVERAL_CARDS, Accept())
    def test_read_then_write_gives_the_keys_back(self, pod: list[ContainerShare], accept: Accept) -> None:
        """What was written is exact in its own dialect, where the vendor grants no more than its keys ask."""
        first = self._fit(pod, accept)
        if not first.accepted:
            return
        reading = self._read(as_manifest(first.keys, pod))
        memory_brings_compute = (
            self.backend.sizes
        )  # compute that came with the memory is written out on the way back
        if any(
            container.granted or (memory_brings_compute and "cores" not in container.origins)
            for container in reading.containers
        ):
            return  # the share is more than the keys ask for, and rounds up again on the way back
        second = self._fit(list(reading.containers))
        losses = [loss for outcome in second.outcomes for loss in outcome.losses]
        assert not losses, f"{first.keys} is not exact in its own dialect: {losses}"
        assert second.keys == first.keys, f"{first.keys} became {second.keys}"

    # --- loss -------------------------------------------------------------------------------

    @bounded
    @given(strategies.pods(), strategies.accepts())
    @example([ContainerShare("main-0", 0, share=EXAMPLE_PARTS[0])], GENEROUS)
    def test_nothing_is_below_what_was_asked(self, pod: list[ContainerShare], accept: Accept) -> None:
        """Cards, and compute and memory on every card, whatever the user allows."""
        fit = self._fit(pod, accept)
        if not fit.accepted:
            return
        read = {(o.init, o.index): o.share for o in self._read(as_manifest(fit.keys, pod)).containers}
        for outcome in fit.outcomes:
            given_ = read[outcome.container.init, outcome.container.index]
            assert given_ is not None, f"{outcome.share} is gone"
            card_mib = self.profile.cards.memory_mib if self.profile else None
            requested, amounts = (in_numbers(share, self.profile) for share in (outcome.share, given_))
            below = list(
                too_little(requested, amounts, accept, card_mib, outcome.implied, outcome.comes_with)
            )
            assert not below, f"asked {outcome.share}, given {given_}, below in {below}"

    @bounded
    @given(strategies.pods(), strategies.accepts())
    @example([ContainerShare("main-0", 0, share=Share(partition=Partition("1g.12gb")))], Accept())
    def test_losses_are_declared(self, pod: list[ContainerShare], accept: Accept) -> None:
        """Codes are those of rules, fields those of the share, and what is allowed is what was asked for."""
        declared = {rule.code for rule in (*self.backend.rules, *rules_of(translation))}
        fit = self._fit(pod, accept)
        for finding in fit.findings():
            message = f"{finding.code} is not a rule of {self._name}: {finding.message}"
            assert finding.code in declared, message
            assert finding.message, f"{finding.code} says nothing"
        for outcome in fit.outcomes:
            for loss in outcome.losses:
                assert loss.field in JSON_NAMES.values(), f"{loss.field} is not a field of a share"
                by_profile = loss.code == "GX017"  # percent in MiB: the profile was given for it
                expected = by_profile or is_allowed(loss.kind, loss.field, accept)
                assert loss.accepted == expected, f"{loss} with {accept}"

    @bounded
    @given(strategies.pods(), strategies.accepts(), st.sampled_from((*FIELDS_OF_POD, "memory_limit_mib")))
    def test_a_field_that_nobody_took_is_dropped(
        self, pod: list[ContainerShare], accept: Accept, field: str
    ) -> None:
        """A backend that knows nothing of a field loses it by GX020, never without a word."""
        fit = fit_pod(pod, forgetful(self.backend, field), accept, self.profile)
        name = JSON_NAMES[field]
        for outcome in fit.outcomes:
            lost = [loss for loss in outcome.losses if (loss.field, loss.code) == (name, "GX020")]
            if getattr(outcome.share, field) is not None and not is_needless(field, outcome):
                assert lost, f"{name} of {outcome.share} is lost without GX020"
                assert all(loss.accepted == (name in accept.drop) for loss in lost), lost

    # --- what is written --------------------------------------------------------------------

    @bounded
    @given(strategies.pods(), st.one_of(st.just(Accept()), strategies.generous()))
    def test_its_own_rules_find_no_error_in_it(self, pod: list[ContainerShare], accept: Accept) -> None:
        fit = self._fit(pod, accept)
        if not fit.accepted:
            return
        rules = (*catalog.neutral_rules_for(self.backend), *self.backend.rules)
        findings = check_pod(rules, as_manifest(fit.keys, pod), self._context)
        errors = [
            f"{finding.code} {finding.message}" for finding in findings if finding.severity is Severity.ERROR
        ]
        assert not errors, f"{fit.keys}: {errors}"

    @bounded
    @given(strategies.pods(), strategies.generous())
    def test_keys_stand_where_the_data_sheet_says(self, pod: list[ContainerShare], accept: Accept) -> None:
        """Known keys in their places; whole numbers in limits and equal requests; strings elsewhere.

        What is not a manifest has parameters of any kind, and no requests.
        """
        fit = self._fit(pod, accept)
        of_pods = self.backend.writes_pods
        for container in fit.keys.all_containers():
            requests = container.limits if of_pods else {}
            assert container.requests == requests, f"requests are not {requests} in {container}"
        for name, place, value in entries(fit.keys):
            row = self.backend.find(name)
            assert row is not None, f"{name} is not in the data sheet"
            assert place in row.places, f"{name} does not belong in {place.value}"
            if place is Place.RESOURCE:
                is_number = quantity.is_plain(value.text) or (row.quantity and quantity.is_amount(value.text))
                assert not of_pods or is_number, f"{name}: {value.text!r} is not a whole number"
            else:
                assert value.kind is ScalarKind.STR, (
                    f"{name}: {value.text!r} is not a string in {place.value}"
                )

    @bounded
    @given(strategies.pods(), strategies.accepts())
    def test_the_same_again(self, pod: list[ContainerShare], accept: Accept) -> None:
        """The same input gives the same outcome, in the same order."""
        assert repr(self._fit(pod, accept)) == repr(self._fit(pod, accept)), "two runs differ"


def is_allowed(kind: LossKind, field: str, accept: Accept) -> bool:
    """Whether the user allowed a loss of this kind in a field."""
    return {
        LossKind.ROUNDED: accept.round_up,
        LossKind.FILLED: field in accept.fill,
        LossKind.DROPPED: field in accept.drop,
        LossKind.REFUSED: False,
    }[kind]


def forgetful(backend: Backend, field: str) -> Backend:
    """The backend as it would be had it never heard of a field: that is never taken."""

    def write(pod: PodWriter, profile: Profile | None) -> PodKeys:
        without = tuple(
            ShareWriter(
                Share(**{name: getattr(placing.asked, name) for name in JSON_NAMES if name != field}),
                placing.accept,
                target=placing.target,
                name=placing.name,
                index=placing.index,
                init=placing.init,
                path=placing.path,
            )
            for placing in pod.placings
        )
        keys = backend.write(PodWriter(without, pod.containers), profile)
        for placing, bare in zip(pod.placings, without, strict=True):
            placing.losses.extend(bare.losses)
            for attribute in set(JSON_NAMES) - {field, *bare.untaken}:
                placing.take(attribute)
            placing.implied |= bare.implied
        return keys

    return backend.with_changes(write=write, vendor=None if field == "device" else backend.vendor)
