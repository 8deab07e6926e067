"""The contract has teeth: a backend that breaks a promise fails the property that says so."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module
from itertools import count
from pathlib import Path

import pytest
from hypothesis.errors import NoSuchExample

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.neutral import CARDS, CORES, MEMORY, POLICY
from gpuxlate.backends.pod_reader import PodReader, Reading
from gpuxlate.backends.pod_writer import PodWriter
from gpuxlate.model.keys import ANY, Place, key
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Policy
from gpuxlate.testing import BackendContract
from gpuxlate.testing.lost_rules import lost_rules
from tests.conformance.conftest import contract_with
from tests.effort import number

BACKEND = registry.get("neutral")
Change = Callable[[dict[str, Value]], Mapping[str, Value]]


def edited(pod: PodKeys, change: Change) -> PodKeys:
    """The resources of every container, changed."""

    def container(one: ContainerKeys) -> ContainerKeys:
        made = change(dict(one.limits))
        return replace(one, limits=made, requests=made)

    return replace(
        pod,
        containers=tuple(map(container, pod.containers)),
        init_containers=tuple(map(container, pod.init_containers)),
    )


def writes(change: Callable[[PodWriter, PodKeys], PodKeys]) -> Backend:
    """The neutral backend with its writing changed after the fact."""

    def write(pod: PodWriter, profile: Profile | None) -> PodKeys:
        return change(pod, BACKEND.write(pod, profile))

    return BACKEND.with_changes(write=write)


def resources(change: Change) -> Backend:
    """The neutral backend with what it writes of resources changed."""
    return writes(lambda _, keys: edited(keys, change))


def one_mib_less(values: dict[str, Value]) -> Mapping[str, Value]:
    if MEMORY in values and CARDS not in values and int(values[MEMORY].text) > 1:
        values[MEMORY] = Value.of(int(values[MEMORY].text) - 1)
    return values


def one_card(values: dict[str, Value]) -> Mapping[str, Value]:
    if MEMORY in values and CORES not in values:
        values.pop(CARDS, None)
    return values


def with_suffix(values: dict[str, Value]) -> Mapping[str, Value]:
    if MEMORY in values:
        values[MEMORY] = Value.of(f"{values[MEMORY].text}Mi")
    return values


def takes_policy_only(pod: PodWriter, profile: Profile | None) -> PodKeys:
    """Takes the policy as if it had a place, and writes none."""
    keys = BACKEND.write(pod, profile)
    return replace(keys, annotations={n: v for n, v in keys.annotations.items() if n != POLICY})


def refuses_by_an_unknown_code(pod: PodWriter, keys: PodKeys) -> PodKeys:
    for one in pod.placings:
        if one.cards > 1:
            one.refuse("cards", "ABC001", "several cards")
    return keys


_numbers: Iterator[int] = count()


def never_twice_the_same(_: PodWriter, keys: PodKeys) -> PodKeys:
    return replace(keys, labels={"gpuxlate.io/run": Value.of(str(next(_numbers)))})


def forgets_requests(_: PodWriter, keys: PodKeys) -> PodKeys:
    return replace(keys, containers=tuple(replace(one, requests={}) for one in keys.containers))


def policy_as_a_label(_: PodWriter, keys: PodKeys) -> PodKeys:
    return replace(keys, labels=keys.annotations, annotations={})


def reads_cores_per_card(pod: PodReader, profile: Profile | None) -> Reading:
    """Takes the total for that of each card."""
    reading = BACKEND.read(pod, profile)
    return replace(
        reading,
        containers=tuple(
            replace(one, share=replace(one.share, cores=one.share.cores // one.share.cards))
            if one.share and one.share.cores and one.share.cores // one.share.cards % one.share.cards == 0
            else one
            for one in reading.containers
        ),
    )


def one_percent_more(values: dict[str, Value]) -> Mapping[str, Value]:
    """Compute of one card grows each time that it is written."""
    if CORES in values and CARDS not in values:
        values[CORES] = Value.of(min(int(values[CORES].text) + 1, 99))
    return values


TIER = "gpuxlate.io/tier"
"""An annotation of a dialect that its reader takes."""
TIERS = {"gold": Policy.FIXED_SHARE}


def reads_nothing(pod: PodReader, _: Profile | None) -> Reading:
    return pod.reading([])


def with_tier(
    *values: str, places: tuple[Place, ...] = (Place.ANNOTATION,), says: str | None = None
) -> Backend:
    row = key(TIER, *places, meaning="tier of the pod", sets=says, values=values)
    return BACKEND.with_changes(keys=(*BACKEND.keys, row))


def forgets_an_annotation(pod: PodReader, profile: Profile | None) -> Reading:
    pod.annotation(TIER)
    return BACKEND.read(pod, profile)


def forgets_unknown_words(pod: PodReader, profile: Profile | None) -> Reading:
    """Only the words that it knows make a difference."""
    tier = pod.annotation(TIER)
    return of_tier(BACKEND.read(pod, profile), TIERS.get(tier.text) if tier else None, pod)


def reports_unknown_words(pod: PodReader, profile: Profile | None) -> Reading:
    tier = pod.annotation(TIER)
    if tier and tier.text not in TIERS:
        pod.note("GX023", f"{tier.text} is not a tier", tier.path)
    return of_tier(BACKEND.read(pod, profile), TIERS.get(tier.text) if tier else None, pod)


def of_tier(reading: Reading, policy: Policy | None, pod: PodReader) -> Reading:
    containers = (
        replace(one, share=replace(one.share, policy=policy)) if one.share and policy else one
        for one in reading.containers
    )
    return replace(reading, containers=tuple(containers), notes=tuple(pod.notes), taken=frozenset(pod.taken))


def forgets_nodes(pod: PodReader, profile: Profile | None) -> Reading:
    pod.take_node(TIER)
    return BACKEND.read(pod, profile)


def forgetful(backend: Backend, read: Callable[[PodReader, Profile | None], Reading]) -> tuple[Backend, str]:
    return backend.with_changes(read=read), "test_no_key_is_taken_and_forgotten"


THERE_AND_BACK = "test_write_then_read_gives_the_share_back"
WHERE_KEYS_STAND = "test_keys_stand_where_the_data_sheet_says"
# what is wrong, the backend, the property that says so
BROKEN: dict[str, tuple[Backend, str]] = {
    "memory goes down": (resources(one_mib_less), "test_nothing_is_below_what_was_asked"),
    "cards are lost": (resources(one_card), THERE_AND_BACK),
    "policy is lost": (BACKEND.with_changes(write=takes_policy_only), "test_nothing_is_below_what_was_asked"),
    "cores are read per card": (BACKEND.with_changes(read=reads_cores_per_card), THERE_AND_BACK),
    "compute grows": (resources(one_percent_more), "test_read_then_write_gives_the_keys_back"),
    "a code of nobody": (writes(refuses_by_an_unknown_code), "test_losses_are_declared"),
    "another outcome each time": (writes(never_twice_the_same), "test_the_same_again"),
    "limits without requests": (writes(forgets_requests), WHERE_KEYS_STAND),
    "a label for an annotation": (writes(policy_as_a_label), "test_its_own_rules_find_no_error_in_it"),
    "a suffix": (resources(with_suffix), WHERE_KEYS_STAND),
    "no reading at all": (BACKEND.with_changes(read=reads_nothing), "test_every_key_is_taken_or_reported"),
    "an annotation is forgotten": forgetful(with_tier("gold"), forgets_an_annotation),
    "an annotation with any text is forgotten": forgetful(with_tier(), forgets_an_annotation),
    "an unknown word is none": forgetful(with_tier("gold", says="policy"), forgets_unknown_words),
    "a choice of nodes is forgotten": forgetful(
        with_tier(places=(Place.NODE_SELECTOR, Place.NODE)), forgets_nodes
    ),
}


Contract: type[BackendContract] = contract_with(2000).BackendContract
"""It draws until a broken promise is found, whatever the pods of a run are."""
FEW = contract_with(number(80))
Few: type[BackendContract] = FEW.BackendContract


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_promise_is_found(name: str) -> None:
    backend, promise = BROKEN[name]
    broken = type("Broken", (Contract,), {"backend": backend})()
    with pytest.raises((AssertionError, ExceptionGroup)):  # several, where it is found in several ways
        getattr(broken, promise)()


def test_what_is_reported_or_means_nothing_is_not_forgotten() -> None:
    idle = key(TIER, Place.ANNOTATION, meaning="tier of the pod", no_op_values=(ANY,))
    for backend in (
        with_tier("gold", says="policy").with_changes(read=reports_unknown_words),
        BACKEND.with_changes(keys=(*BACKEND.keys, idle), read=forgets_an_annotation),
    ):
        type("Good", (Few,), {"backend": backend})().test_no_key_is_taken_and_forgotten()


def test_a_target_that_takes_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every property would hold of nothing."""
    monkeypatch.setattr(FEW, "SEARCHED", number(FEW.SEARCHED))

    def write(pod: PodWriter, _: Profile | None) -> PodKeys:
        for one in pod.placings:
            one.refuse("cards", "GX023", "never")
        return PodKeys()

    contract = type("Closed", (Few,), {"backend": BACKEND.with_changes(write=write)})()
    contract.test_write_then_read_gives_the_share_back()  # holds, of nothing
    with pytest.raises(NoSuchExample):
        contract.test_some_share_is_exact()


RULES = """from gpuxlate.backends import target as t
@t.rule("MERLIN101", t.Severity.ERROR, no_policy="it is a test")
def card_is_red(this, pod, context):
    yield from ()
"""
TARGET = """from gpuxlate.backends import target as t
class Merlin(t.Backend):
    title = "Merlin"
    keys = (t.cards("merlin.example/gpu", source="none"),)
"""
NAMES_IT = '    rule_module = "{package}.checks"\n'
PACKAGES = {
    # the files of a package, and the rules that are lost
    "beside the class": ({"__init__": TARGET + RULES.partition("\n")[2]}, []),
    "named by the class": ({"__init__": TARGET + NAMES_IT, "checks": RULES}, []),
    "named by another target of the package": (
        {"__init__": TARGET, "other": TARGET.replace("Merlin", "Other") + NAMES_IT, "checks": RULES},
        [],
    ),
    "named by none": (
        {"__init__": TARGET, "checks": RULES},
        ["MERLIN101 of {package}.checks: no target there has the module as its rule_module"],
    ),
    "named by none, in a folder": (
        {"__init__": TARGET, "more/__init__": "", "more/checks": RULES, "__main__": "raise SystemExit(1)"},
        ["MERLIN101 of {package}.more.checks: no target there has the module as its rule_module"],
    ),
}


@pytest.mark.parametrize("case", PACKAGES)
def test_a_module_of_rules_that_no_target_names_is_found(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, lost = PACKAGES[case]
    package = f"merlin_{list(PACKAGES).index(case)}"
    for name, text in files.items():
        path = tmp_path / package / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace("{package}", package))
    monkeypatch.syspath_prepend(tmp_path)
    backend = import_module(package).Merlin()
    assert [*lost_rules(backend)] == [text.replace("{package}", package) for text in lost]
    held = type("Held", (Few,), {"backend": backend})()
    with pytest.raises(AssertionError, match="rules of no target") if lost else nullcontext():
        held.test_no_rule_is_lost()
