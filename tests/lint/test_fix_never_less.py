"""No fix, safe or unsafe, lowers a share or removes a request; none leaves a document with more wrong."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.backends.pod_reader import ContainerShare, PodReader
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import Fixed, fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.pod import ContainerKeys, PodKeys, ScalarKind, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.rules.key_index import key_index_of
from gpuxlate.testing import strategies
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.source import Source
from tests.effort import tries
from tests.lint.cases import Case, fixed
from tests.lint.conftest import pod as text_with

NOT_READ = {
    "GX003": "a misspelt key is no part of the share until it is renamed",
    "ACK010": "nor is one in requests alone",
    "K8S002": "a number of bytes where MiB are counted",
}
"""Findings of keys that were not read as they were meant."""

Place = tuple[int, int, bool, int]
"""Document, pod, whether it is an init container, and its number."""


def pods(source: Source) -> Iterator[tuple[int, int, PodKeys]]:
    try:
        for document in documents(source):
            for number, pod in enumerate(pods_in(document)):
                yield document.index, number, pod.keys
    except NotYamlError:
        return


def shares(source: Source, profile: Profile | None) -> dict[Place, ContainerShare]:
    """What each container asks for, in whatever dialect."""
    found: dict[Place, ContainerShare] = {}
    for document, number, pod in pods(source):
        for backend in registry.backends_of(pod):
            for one in backend.read(PodReader(pod), profile).containers:
                if one.share is not None:
                    found[document, number, one.init, one.index] = one
    return found


def numbers(source: Source) -> set[str]:
    """Every number in the resources, also that of a key which is misspelt and not read."""
    return {
        value.text
        for *_, pod in pods(source)
        for one in pod.all_containers()
        for values in (one.limits, one.requests)
        for value in values.values()
    }


def intended(before: Share, after: Share, written: set[str]) -> Share:
    """The share with the compute that was written as a total over the cards."""
    return replace(before, cores=after.cores) if str(after.cores) in written else before


def at_least(before: int | None, after: int | None) -> bool:
    """None is everything."""
    return after is None or (before is not None and after >= before)


def not_less(before: Share, after: Share) -> bool:
    cores = after.cores
    if cores is not None and cores >= FULL_CARD_CORES * after.cards:
        cores = None
    memory = after.memory_percent is not None and after.memory_percent >= 100
    if before.memory_percent is None and before.memory_mib is None:
        enough = memory or (after.memory_mib is None and after.memory_percent is None)
    elif before.memory_percent is not None:
        enough = at_least(before.memory_percent, after.memory_percent)
    else:
        enough = after.memory_percent is not None or at_least(before.memory_mib, after.memory_mib)
    return after.cards >= before.cards and at_least(before.cores, cores) and enough


def asked(pod: PodKeys) -> dict[tuple[bool, int, str], set[str]]:
    """The GPU keys in the resources of each container, without those that only schedulers write."""
    words = key_index_of(LintSettings().context)
    return {
        (one.init, one.index, field): {
            name for name in values if registry.is_owned(name) and not words.written_by_scheduler(name)
        }
        for one in pod.all_containers()
        for field, values in (("limits", one.limits), ("requests", one.requests))
    }


def elsewhere(pod: PodKeys) -> set[tuple[str, str]]:
    """The keys in other places, to which a misplaced one may move."""
    places = {"labels": pod.labels, "annotations": pod.annotations, "nodeSelector": pod.node_selector}
    return {(place, name) for place, values in places.items() for name in values}


def check(source: Source, profile: Profile | None, fixed: Fixed) -> None:
    if not fixed.fixes:
        return
    settings = LintSettings(profile)
    first = lint_source(source, settings).diagnostics
    worse = Counter(one.severity for one in first)
    better = Counter(one.severity for one in lint_source(fixed.source, settings).diagnostics)
    assert [better[one] for one in Severity] < [worse[one] for one in Severity], fixed.text
    before, after = shares(source, profile), shares(fixed.source, profile)
    unread = {one.path[:-3] for one in first if one.code in NOT_READ}
    for place, one in before.items():
        if one.path in unread:
            continue
        assert one.share
        assert place in after, fixed.text
        share = after[place].share
        assert share
        wanted = intended(one.share, share, numbers(source))
        assert not_less(wanted, share), (one.share, share, fixed.text)
    for (document, number, old), (*_, new) in zip(pods(source), pods(fixed.source), strict=True):
        moved = len(elsewhere(new) - elsewhere(old))
        left = asked(new)
        for (init, index, field), names in asked(old).items():
            place = document, number, init, index
            now = after[place].share if place in after else None
            if place not in before and (now is None or now.cores is not None):  # else it is not less
                assert len(left[init, index, field]) + moved >= len(names), fixed.text


def no_fix_takes_away(case: Case) -> None:
    for unsafe in (False, True):
        check(case.source, case.profile, fixed(case, unsafe))


def mapping(values: Mapping[str, Value]) -> str:
    plain = {
        name: one.text if one.kind is ScalarKind.INT else json.dumps(one.text) for name, one in values.items()
    }
    return "{" + ", ".join(f"{json.dumps(name)}: {text}" for name, text in plain.items()) + "}"


def text_of(pod: PodKeys) -> str:
    """A Pod with these keys."""
    lines = ["apiVersion: v1", "kind: Pod", "metadata:", "  name: p", f"  labels: {mapping(pod.labels)}"]
    lines += [
        f"  annotations: {mapping(pod.annotations)}",
        f"spec:\n  nodeSelector: {mapping(pod.node_selector)}",
    ]
    for group, containers in (("initContainers", pod.init_containers), ("containers", pod.containers)):
        lines += [f"  {group}:"] if containers else []
        for one in containers:
            lines += [f"  - name: {one.name}", "    image: x", "    resources:"]
            lines += [f"      limits: {mapping(one.limits)}", f"      requests: {mapping(one.requests)}"]
    return "\n".join(lines) + "\n"


ODD = ("500m", "1500m", "2Gi", "4096Mi", "0x10", "1.5", "30", "1k", "0030", "+3", "1e2")
WORDS = ("1", "2", "3", "2,0", "0,2", "3,3", "fixed-share", "online", "core_mem")
NUMBERS = st.one_of(st.integers(-1, 300).map(Value.of), st.sampled_from(ODD).map(Value.of))


def sizes(name: str) -> st.SearchStrategy[PodKeys]:
    """A pod with keys of a dialect in the resources, mostly alike in limits and requests."""
    backend = registry.get(name)
    patterns = (row.name.replace("*", "1") for row in backend.keys if row.is_pattern and row.unit)
    keys = [*backend.resource_keys, *patterns]
    names = st.sampled_from([*keys, *(f"{one}s" for one in keys)])
    values = st.dictionaries(names, NUMBERS, min_size=1, max_size=3)
    others = [row.name for row in backend.keys if row.name not in backend.resource_keys]
    words = st.sampled_from(WORDS).map(Value.of)
    above = st.dictionaries(st.sampled_from(others or ["x"]), words, max_size=2)
    either = st.one_of(st.none(), values)

    def made(each: list[tuple[dict[str, Value], dict[str, Value] | None]], keys: dict[str, Value]) -> PodKeys:
        containers = tuple(
            ContainerKeys(f"c{n}", n, False, limits, limits if requests is None else requests)
            for n, (limits, requests) in enumerate(each)
        )
        return PodKeys(containers, annotations=keys, labels=keys)

    return st.builds(made, st.lists(st.tuples(values, either), min_size=1, max_size=2), above)


@pytest.mark.parametrize("target", [one.name for one in registry.pod_backends() if one.resource_keys])
def test_pods_at_random(target: str) -> None:
    @tries(60)
    @given(st.one_of(sizes(target), sizes(target), strategies.keys(registry.get(target))), st.booleans())
    def prove(pod: PodKeys, unsafe: bool) -> None:
        source = Source("f.yaml", text_of(pod))
        check(source, None, fix_source(source, LintSettings(), unsafe=unsafe))

    prove()


HAMI, VKE = "nvidia.com/gpu: 1\nnvidia.com/gpumem: 4096\nnvidia.com/priority: ", "vke.volcengine.com/mgpu"
RECLAIMED = "vke.volcengine.com/reclaimed-mgpu-core: 0"
CARDS = 'annotations: {vke.volcengine.com/container-multiple-gpu: "3"}'
LEFT = {
    "16 in requests, 1 in limits": text_with(f"{HAMI}1", requests=f"{HAMI}0x10"),
    "1 percent for two cards": text_with("gpuxlate.io/cores: 500m\ngpuxlate.io/cards: 2"),
    "100 percent for three cards": text_with(f"{VKE}-core: 100\n{VKE}-memory: 4096", metadata=CARDS),
    "as much is wrong after it": text_with(
        RECLAIMED, requests=f"{VKE}-core: 500m\n{RECLAIMED}\n{VKE}-cores: 0"
    ),
}
"""What would have more wrong after the fix that a rule offers."""
GOOD = text_with(f"{VKE}-core: 30\n{VKE}-memory: 4Gi")


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_a_fix_that_makes_it_no_better_is_not_made(text: str) -> None:
    for selected in ((lambda _: True), (lambda code: code in ("GX008", "K8S001", "VKE015", "VKE017"))):
        fixed = fix_source(Source("f.yaml", text), LintSettings(selected=selected), unsafe=True)
        assert (fixed.text, fixed.fixes) == (text, 0)


def test_the_others_are_made() -> None:
    """In one document, and in the others of a file."""
    text = "---\n".join([GOOD, *LEFT.values(), GOOD])
    both = GOOD.replace("4Gi", "4096")
    fixed = fix_source(Source("f.yaml", text), LintSettings(), unsafe=True)
    assert fixed.text == "---\n".join([both, *LEFT.values(), both])
    bad = LEFT["16 in requests, 1 in limits"]
    text = bad.replace("resources:", "resources: # gpuxlate: ignore[GX001]", 1).replace("4096", '"4Gi"')
    fixed = fix_source(Source("f.yaml", text), LintSettings(), unsafe=True)
    assert "0x10" in fixed.text
    assert "4Gi" not in fixed.text
