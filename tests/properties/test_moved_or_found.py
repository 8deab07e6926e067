"""Moved or found: a pod comes out in the other dialect, whole, or a finding says what is wrong with it.

Either the pod moves: nothing of another dialect is left in the text, and each share, read back in the dialect
of the target, is not below what was asked, in cards, compute and memory of each card, policy and QoS class.
Or it is refused by an error with file and line. What stays as it is has a finding: of ``translate``, or of
``lint`` where the pod is in the dialect of the target already, which ``translate`` leaves alone.
"""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, LossKind, Severity
from gpuxlate.model.keys import Per, Place
from gpuxlate.model.pod import ContainerKeys, KeyOccurrence, PodKeys, key_occurrences
from gpuxlate.model.share import Share
from gpuxlate.rules.base import Context
from gpuxlate.rules.key_index import key_index_of
from gpuxlate.testing.contract import GENEROUS, implied_fields, too_little
from gpuxlate.translation.items import Item
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import read_source
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source
from tests.effort import SEED, number
from tests.lint.test_text_soundness import concerns
from tests.properties.pods import COMMON, PRODUCTS, RENAMED, pod_of

SHARDS, PODS = 4, number(3000)

DIALECTS = registry.pod_backends()
TARGETS = tuple(one for one in DIALECTS if not one.read_only)
WHOLE_CARDS = {one.whole_card_key for one in DIALECTS}
"""Other vendors' device plugins read them too."""
CONTEXT = Context(None, DIALECTS)
NEUTRAL = registry.get("neutral")
ACCEPTING = (
    Accept(),
    GENEROUS,
    Accept(True, {"cores": 30, "memoryMiB": 8192}),
    Accept(False, {}, frozenset({"policy", "qos", "selector"})),
)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_pod_is_moved_or_found(shard: int) -> None:
    moved = refused = 0
    failures = []
    for index in range(PODS):
        name = f"{SEED}-{shard}-{index}"
        chance = random.Random(name)  # each pod by itself: any of them can be tried again
        pod, target, accept = pod_of(chance), chance.choice(TARGETS), chance.choice(ACCEPTING)
        done = translated(pod.text, target, accept)
        moved += done.changed
        refused += done.refused
        failures += [
            f"{one} (pod {name}, to {target.name}, {pod.done})\n{pod.text}"
            for one in wrong(pod.text, done, target)
        ]
    assert not failures, f"{len(failures)} failures, the first: {failures[0]}"
    # 22 of 100 move and 70 are refused: half as many as the fewer is seven standard deviations away
    assert min(moved, refused) > PODS // 10, "else little is said"


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: a
    resources: {limits: {%s}}
"""
OF_HAMI = POD % "nvidia.com/gpu: 2, nvidia.com/gpumem: 4096, nvidia.com/gpucores: 30"
MOVES = f"{OF_HAMI}    env: [{{name: GPU_CORE_UTILIZATION_POLICY, value: force}}]\n"
SECOND = "  - name: b\n    resources: {limits: {%s}}\n"


def test_a_share_is_of_the_dialect_with_other_keys_beside_the_common_one() -> None:
    """ACK reads ``nvidia.com/gpu`` as whole cards; here it counts the cards of HAMi's share."""
    done = translated(OF_HAMI + SECOND % "aliyun.com/gpu-mem: 11", NEUTRAL, Accept())
    assert [(one.container, one.source, one.share) for one in done.items] == [
        ("b", "alibaba-gpushare", Share(1, None, 11 * 1024)),
        ("a", "hami", Share(2, 60, 8192)),
    ]
    limits = "{gpuxlate.io/cards: 2, gpuxlate.io/memory-mib: 8192, gpuxlate.io/cores: 60}"
    assert limits in done.text


def test_whole_cards_beside_a_share_are_named() -> None:
    """They stay as they are, in a container of a pod that moves."""
    text = POD % "gpuxlate.io/cores: 30" + SECOND % "nvidia.com/gpu: 1"
    done = translated(text, registry.get("volcano-vgpu"), Accept())
    assert done.changed
    assert "GX016" in [one.code for one in done.diagnostics]


def test_no_cards_beside_a_share_of_kai() -> None:
    qgpu = "tke.cloud.tencent.com/qgpu-core: 30, tke.cloud.tencent.com/qgpu-memory: 8"
    text, target = POD % f"{qgpu}, nvidia.com/gpu: 0", registry.get("kai")
    assert not list(wrong(text, translated(text, target, GENEROUS), target))


def test_cards_of_another_container_beside_a_share_of_kai() -> None:
    """Its webhook refuses a pod with both (ValidateGpuRequests in gpu_request_validator.go)."""
    text = POD % "gpuxlate.io/memory-mib: 8192" + SECOND % "nvidia.com/gpu: 1"
    done = translated(text, registry.get("kai"), GENEROUS)
    assert not done.changed
    assert [one.code for one in done.diagnostics if one.severity is Severity.ERROR] == ["KAI004"]


def test_what_is_wrong_with_a_result_is_seen() -> None:
    target = registry.get("volcengine-mgpu")
    done = translated(MOVES, target, Accept())
    assert not list(wrong(MOVES, done, target))
    for written, instead in (
        ("mgpu-memory: 8192", "mgpu-memory: 8191"),
        ("mgpu-core: 60", "mgpu-core: 58"),
        ('container-multiple-gpu: "2"', 'container-multiple-gpu: "1"'),
        ("mgpu-core: 60", "mgpu-core: 60, nvidia.com/gpucores: 30"),
        ("fixed-share", "native-burst-share"),
        ("resources: ", "resource: "),
    ):
        assert written in done.text
        assert list(wrong(MOVES, replace(done, text=done.text.replace(written, instead)), target)), instead


def translated(text: str, target: Backend, accept: Accept) -> Result:
    return translate_source(Source("web.yaml", text), Settings(target, accept=accept))


def wrong(text: str, done: Result, target: Backend) -> Iterator[str]:
    """What breaks the promise."""
    errors = [one for one in done.diagnostics if one.severity is Severity.ERROR]
    if errors:
        if done.text != text:
            yield "refused, and the text is another"
        if not any(one.file and one.span for one in errors):
            yield "no error has file and line"
        return
    found = list(done.diagnostics)
    if not done.changed:
        found += lint_source(Source("web.yaml", text), LintSettings()).diagnostics
    yield from left(done, found, target)
    if done.changed:
        yield from gone([*keys_of(text)], done, found)
        yield from carried(text, done, target)


# --- nothing is left or gone ----------------------------------------------------------------------


def keys_of(text: str) -> Iterator[KeyOccurrence]:
    """The GPU keys of a manifest, misspelt ones included."""
    words = key_index_of(CONTEXT)
    for pod in pods_of(text):
        names = {name for one in pod.all_containers() for name in one.resources}
        owners = {one.name for name in names if not is_anybodys(name) for one in words.owners(name)}
        for spot in key_occurrences(pod):
            in_resources = spot.place is Place.RESOURCE
            if spot.name == COMMON:  # elsewhere it is a label as any other; none of them is no request
                if in_resources and quantity.parse_integer(spot.value.text) != 0:
                    yield spot
            elif spot.place is Place.ENV and not words.rows(spot.name):
                continue  # no variable is taken for a misspelt one
            elif is_anybodys(spot.name) and not is_vendors(spot, owners):
                continue  # other software reads it too
            elif concerns(words, spot.name) or (in_resources and spot.name in (*RENAMED, *PRODUCTS)):
                yield spot


def is_anybodys(name: str) -> bool:
    """Other software reads the key too: alone it says nothing of a share."""
    rows = key_index_of(CONTEXT).rows(name)
    return name in WHOLE_CARDS or (bool(rows) and all(row.general for row in rows))


def is_vendors(spot: KeyOccurrence, speaking: set[str]) -> bool:
    """Such a key is in its place, beside keys that are the vendor's alone."""
    return any(takes_effect(spot, one) for one in DIALECTS if one.name in speaking)


def pods_of(text: str) -> Iterator[PodKeys]:
    for document in documents(Source("web.yaml", text)):
        yield from (pod.keys for pod in pods_in(document))


def left(done: Result, found: list[Diagnostic], target: Backend) -> Iterator[str]:
    """GPU keys that are there afterwards, are none of the target's, and no finding names."""
    for seen in keys_of(done.text):
        if takes_effect(seen, target) or is_named(seen, found):
            continue
        state = "left" if done.changed else "unchanged"
        yield f"{state}: {seen.name} in {seen.field}"


def takes_effect(seen: KeyOccurrence, target: Backend) -> bool:
    """It is the target's; any label of its nodes can be in a node selector."""
    row = target.find(seen.name)
    places = {seen.place, *([Place.NODE] if seen.place is Place.NODE_SELECTOR else [])}
    return row is not None and bool(places & row.places)


def is_named(seen: KeyOccurrence, found: list[Diagnostic]) -> bool:
    return any(seen.name in one.message or seen.name in map(str, one.path) for one in found)


def gone(before: list[KeyOccurrence], done: Result, found: list[Diagnostic]) -> Iterator[str]:
    """Keys that went, though no share came of any key of the pod and no finding names them."""
    if done.items:
        return
    after = {(seen.name, seen.field) for seen in keys_of(done.text)}
    for seen in before:
        if (seen.name, seen.field) not in after and not is_named(seen, found):
            yield f"without a share: {seen.name} in {seen.field}"


# --- each share is there --------------------------------------------------------------------------


def carried(text: str, done: Result, target: Backend) -> Iterator[str]:
    """Each share is there in the other dialect, not below what was asked, and right by its rules."""
    back = read_source(Source("web.yaml", done.text), Settings.reading(target))
    if back.refused:
        if any(one.code == "GX016" for one in done.diagnostics):
            return  # whole cards beside the shares are named; with the target's shares they may not agree
        said = [f"{one.code} {one.message}" for one in back.diagnostics if one.severity is Severity.ERROR]
        yield f"the result cannot be read: {said[0]}"
        return
    given = {one.container: one.share for one in back.items}
    theirs = [one.share for one in done.items if one.share and one.source == target.name]
    of_pod = {field for field in ("policy", "qos") if any(getattr(one, field) for one in theirs)}
    containers = {one.name: one for pod in pods_of(text) for one in pod.all_containers()}
    for item in done.items:
        if item.share is None or not all(loss.accepted for loss in item.losses):
            yield f"{item.container} has a loss that nobody accepted"
            continue
        share = given.pop(item.container, None)
        if share is None:
            yield f"the share of {item.container} is gone"
            continue
        lost = {loss.field for loss in item.losses if loss.kind in (LossKind.DROPPED, LossKind.FILLED)}
        without = implied_fields(item.share, target, Accept())
        required = {str(row.sets) for row in target.enum_keys if row.required}
        below = set(too_little(item.share, share, Accept(), implied=without, required=required)) - lost
        below |= set(below_the_numbers(containers[item.container], item, share)) - lost
        below -= {field for field in of_pod if getattr(item.share, field) is None}  # the pod has it already
        if below:
            yield f"below in {sorted(below)}: {item.share} to {share}"
    for name in given:
        if COMMON not in containers[name].resources:  # GX016: it stays, and the target reads it too
            yield f"the share of {name} is from nowhere"
    linted = lint_source(Source("web.yaml", done.text), LintSettings())
    for one in linted.diagnostics:
        if one.severity is Severity.ERROR:
            yield f"the result breaks {one.code}: {one.message}"


def below_the_numbers(container: ContainerKeys, item: Item, given: Share) -> Iterator[str]:
    """A second reading of the numbers, by the units of the data sheet alone."""
    if given.whole_cards:
        return
    source = registry.get(item.source)
    cards = given.cards
    asked = {"cards": 1, "cores": 0, "memory_mib": 0}  # of each card, but for the cards
    for name, value in container.resources.items():
        row, number = source.find(name), quantity.parse_integer(value.text)
        if row is None or number is None or row.sets not in asked or Place.RESOURCE not in row.places:
            continue
        total = row.sets != "cards" and row.per is Per.TOTAL
        if row.quantity and quantity.parse(value.text).suffix:  # bytes, not the unit of the row
            number = number // 2**20 // (row.unit or 1)
        # the vendors divide whole units, and round down
        amount = (number // cards if total else number) * (row.unit or 1)
        asked[row.sets] = max(asked[row.sets], amount)
    if cards < asked["cards"]:
        yield "cards"
    for field, json_name in (("cores", "cores"), ("memory_mib", "memoryMiB")):
        here = getattr(given, field)
        if here is not None and here // cards < asked[field]:
            yield json_name
