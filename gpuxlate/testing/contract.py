"""What every backend must keep, as properties over random shares.

The asserts say what is wrong themselves: pytest rewrites asserts in test modules only.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import islice

from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, ContainerShare, Placing, PodPlacing, Reading, Taking
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import LossKind, Severity
from gpuxlate.model.pod import Kind, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, Share
from gpuxlate.model.sheet import Place
from gpuxlate.rules import catalog, translation
from gpuxlate.rules.base import Context, rules_of
from gpuxlate.rules.index import check_pod
from gpuxlate.testing import strategies
from gpuxlate.testing.amounts import in_numbers, needless, too_little
from gpuxlate.testing.forgotten import forgotten
from gpuxlate.testing.manifest import as_manifest, entries, paths, with_key
from gpuxlate.translation.pods.fit import OF_POD, Accept, PodFit, fit_pod
from gpuxlate.translation.pods.reader import read_pod

EXAMPLES = 80
"""Random pods for each property and backend, unless a Hypothesis profile of the project says otherwise."""
MOST_SHOWN = 20
"""Keys that a failure lists."""

_OWN = settings.default is settings.get_profile("default")
bounded = settings(
    max_examples=EXAMPLES if _OWN else settings().max_examples,
    # the same pods on every run, so that its time is bounded and a failure comes again
    derandomize=_OWN or settings().derandomize,
    database=None,
    deadline=None,  # a shared machine may take long for one pod
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
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
        """A key under the backend's GPU prefixes that its data sheet does not know is GX003."""
        name = data.draw(self._unknown_keys, "key")
        place = data.draw(st.sampled_from((Place.RESOURCE, Place.LABEL, Place.ANNOTATION)), "place")
        pod = data.draw(self._keys, "pod")
        manifest = as_manifest(with_key(pod, name, place, Value.of("1")))
        _, found = read_pod(manifest, self.backend, self._context)
        path = next(value.path for key, where, value in entries(manifest) if (key, where) == (name, place))
        codes = {(one.code, one.severity) for one in found if one.path == path}
        assert ("GX003", Severity.ERROR) in codes, f"{name} in {place.value} gives {codes or 'nothing'}"

    @bounded
    @given(st.data())
    def test_every_key_is_taken_or_reported(self, data: st.DataObject) -> None:
        """Whatever key is in any place with any value: nothing of the vendor's is lost silently."""
        manifest = as_manifest(data.draw(self._keys, "pod"))
        reading, found = read_pod(manifest, self.backend, self._context)
        known = reading.taken | {one.path for one in found}
        silent = [
            (name, place.value)
            for name, place, path in self.backend.owned(manifest)
            if not any(one[: len(path)] == path for one in known)  # of an affinity: at its key
        ]
        assert not silent, f"neither taken nor reported: {silent}"
        assert len(reading.containers) == len(list(manifest.all_containers())), "every container is read"

    def test_no_key_is_taken_and_forgotten(self) -> None:
        """Whatever a key says, the share differs from that without it, or something is reported."""
        found = list(islice(forgotten(self.backend, self._context), MOST_SHOWN))
        assert not found, "\n".join(("taken and forgotten:", *found))

    @bounded
    @given(st.data())
    def test_a_reader_repeats_no_rule(self, data: st.DataObject) -> None:
        """Rules report what a manifest gets wrong; a reader reports numbers that together are not a share."""
        manifest = as_manifest(data.draw(self._keys, "pod"))
        reading = self._read(manifest)
        assert {one.code for one in reading.invalid} <= {"GX011"}, f"not GX011: {reading.invalid}"
        rules = (*catalog.rules_beside(self.backend), *self.backend.rules)
        reported = list(check_pod(rules, manifest, self._context))
        notes = {(one.code, one.path) for one in reading.notes}
        twice = notes & {(one.code, one.path) for one in reported}
        assert not twice, f"reported by a rule and by the reader: {twice}"
        if not self.backend.writes_pods:
            return  # the rules of Kubernetes are not for parameters
        at = {one.path for one in (*reported, *reading.notes) if one.severity is Severity.ERROR}
        for container in manifest.all_containers():
            for name, value in container.resources.items():
                row = self.backend.find(name)
                if row is None or row.says not in JSON_NAMES or Place.RESOURCE not in row.places:
                    continue
                if not (
                    quantity.is_amount(value.text) if row.quantity else quantity.whole(value.text) is not None
                ):
                    assert value.path in at, f"{name}: {value.text!r} is not a number, and not reported"

    # --- helpers ----------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return self.backend.name

    @cached_property
    def _context(self) -> Context:
        if not self.backend.writes_pods:
            return Context(self.profile, (self.backend,))
        built_in = (one for one in registry.pod_backends() if one.name != self._name)
        return Context(self.profile, (self.backend, *built_in))

    # building a strategy costs more than drawing from it

    @cached_property
    def _keys(self) -> st.SearchStrategy[PodKeys]:
        return strategies.keys(self.backend)

    @cached_property
    def _unknown_keys(self) -> st.SearchStrategy[str]:
        return strategies.unknown_keys(self.backend)

    def _fit(self, pod: list[ContainerShare], accept: Accept | None = None) -> PodFit:
        named = [replace(one, share=strategies.naming_a_card(one.share, self.backend)) for one in pod]
        return fit_pod(named, self.backend, accept or Accept(), self.profile)

    def _read(self, manifest: PodKeys) -> Reading:
        return self.backend.read(Taking(manifest), self.profile)


class BackendContract(ReadingContract):
    """Subclass it in a test module, and name the backend. ``profile`` is optional."""

    # --- there and back ---------------------------------------------------------------------

    def test_some_share_is_exact(self) -> None:
        """Else the properties below would hold of nothing."""
        find(
            strategies.shares(),
            lambda share: self._fit([ContainerShare("main", 0, share=share)]).accepted,
            settings=settings(bounded, max_examples=2000),
        )

    @bounded
    @given(strategies.pods(), st.one_of(st.just(Accept()), strategies.accepts(), strategies.generous()))
    def test_write_then_read_gives_the_share_back(self, pod: list[ContainerShare], accept: Accept) -> None:
        """Field by field what was asked, but for the losses that the outcome lists."""
        fit = self._fit(pod, accept)
        if not fit.accepted:
            return
        manifest = as_manifest(fit.keys, pod)
        reading = self._read(manifest)
        wrong = [*reading.invalid, *(one for one in reading.notes if one.severity is Severity.ERROR)]
        assert not wrong, f"{self._name} finds its own writing wrong: {wrong}"
        read = {(one.init, one.index): one for one in reading.containers}
        asked = {(one.container.init, one.container.index): one for one in fit.outcomes}
        assert set(read) == {(one.init, one.index) for one in pod}, "read must give every container"
        for place, one in read.items():
            expected = asked[place].told if place in asked else None
            assert one.share == expected, f"{expected} came back as {one.share}, written as {fit.keys}"
            nowhere = set(one.origins.values()) - paths(manifest)
            assert not nowhere, f"origins point at nothing: {nowhere}"

    @bounded
    @given(strategies.pods(), st.one_of(st.just(Accept()), strategies.generous()))
    def test_read_then_write_gives_the_keys_back(self, pod: list[ContainerShare], accept: Accept) -> None:
        """What was written is exact in its own dialect, where the vendor grants no more than its keys ask."""
        first = self._fit(pod, accept)
        if not first.accepted:
            return
        reading = self._read(as_manifest(first.keys, pod))
        if any(one.granted for one in reading.containers):
            return  # the share is more than the keys ask for, and rounds up again on the way back
        second = self._fit(list(reading.containers))
        losses = [loss for outcome in second.outcomes for loss in outcome.losses]
        assert not losses, f"{first.keys} is not exact in its own dialect: {losses}"
        assert second.keys == first.keys, f"{first.keys} became {second.keys}"

    # --- loss -------------------------------------------------------------------------------

    @bounded
    @given(strategies.pods(), strategies.accepts())
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
            asked, amounts = (in_numbers(one, self.profile) for one in (outcome.share, given_))
            below = list(too_little(asked, amounts, accept, card_mib, outcome.implied))
            assert not below, f"asked {outcome.share}, given {given_}, below in {below}"

    @bounded
    @given(strategies.pods(), strategies.accepts())
    def test_losses_are_declared(self, pod: list[ContainerShare], accept: Accept) -> None:
        """Codes are those of rules, fields those of the share, and what is allowed is what was asked for."""
        declared = {one.code for one in (*self.backend.rules, *rules_of(translation))}
        fit = self._fit(pod, accept)
        for finding in fit.findings():
            message = f"{finding.code} is not a rule of {self._name}: {finding.message}"
            assert finding.code in declared, message
            assert finding.message, f"{finding.code} says nothing"
        for outcome in fit.outcomes:
            for loss in outcome.losses:
                assert loss.field in JSON_NAMES.values(), f"{loss.field} is not a field of a share"
                by_profile = loss.code == "GX017"  # percent in MiB: the profile was given for it
                expected = by_profile or allowed(loss.kind, loss.field, accept)
                assert loss.accepted == expected, f"{loss} with {accept}"

    @bounded
    @given(strategies.pods(), strategies.accepts(), st.sampled_from((*OF_POD, "memory_limit_mib")))
    def test_a_field_that_nobody_took_is_dropped(
        self, pod: list[ContainerShare], accept: Accept, field: str
    ) -> None:
        """A backend that knows nothing of a field loses it by GX020, never without a word."""
        fit = fit_pod(pod, forgetful(self.backend, field), accept, self.profile)
        name = JSON_NAMES[field]
        for outcome in fit.outcomes:
            lost = [loss for loss in outcome.losses if (loss.field, loss.code) == (name, "GX020")]
            if getattr(outcome.share, field) is not None and not needless(field, outcome):
                assert lost, f"{name} of {outcome.share} is lost without GX020"
                assert all(loss.accepted == (name in accept.drop) for loss in lost), lost

    # --- what is written --------------------------------------------------------------------

    @bounded
    @given(strategies.pods(), st.one_of(st.just(Accept()), strategies.generous()))
    def test_its_own_rules_find_no_error_in_it(self, pod: list[ContainerShare], accept: Accept) -> None:
        fit = self._fit(pod, accept)
        if not fit.accepted:
            return
        rules = (*catalog.rules_beside(self.backend), *self.backend.rules)
        found = check_pod(rules, as_manifest(fit.keys, pod), self._context)
        errors = [f"{one.code} {one.message}" for one in found if one.severity is Severity.ERROR]
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
                assert value.kind is Kind.STR, f"{name}: {value.text!r} is not a string in {place.value}"

    @bounded
    @given(strategies.pods(), strategies.accepts())
    def test_the_same_again(self, pod: list[ContainerShare], accept: Accept) -> None:
        """The same input gives the same outcome, in the same order."""
        assert repr(self._fit(pod, accept)) == repr(self._fit(pod, accept)), "two runs differ"


def allowed(kind: LossKind, field: str, accept: Accept) -> bool:
    """The user allowed such a loss."""
    return {
        LossKind.ROUNDED: accept.round_up,
        LossKind.FILLED: field in accept.fill,
        LossKind.DROPPED: field in accept.drop,
        LossKind.REFUSED: False,
    }[kind]


def forgetful(backend: Backend, field: str) -> Backend:
    """The backend as it would be had it never heard of a field: that is never taken."""

    def write(pod: PodPlacing, profile: Profile | None) -> PodKeys:
        without = tuple(
            Placing(
                Share(**{name: getattr(one.asked, name) for name in JSON_NAMES if name != field}),
                one.accept,
                target=one.target,
                name=one.name,
                index=one.index,
                init=one.init,
                path=one.path,
            )
            for one in pod.placings
        )
        keys = backend.write(PodPlacing(without, pod.containers), profile)
        for one, bare in zip(pod.placings, without, strict=True):
            one.losses.extend(bare.losses)
            for attribute in set(JSON_NAMES) - {field, *bare.untaken}:
                one.take(attribute)
            one.implied |= bare.implied
        return keys

    return backend.with_changes(write=write, vendor=None if field == "device" else backend.vendor)
