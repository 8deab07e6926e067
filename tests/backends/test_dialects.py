"""What is read from pods in each dialect, what is written for shares, and choices of cards and nodes.

``dialects.yaml`` says its form. A choice is carried to another dialect, or reported; never silent: every key
of each data sheet that is a choice is tried beside a share of its dialect, at targets that have such keys and
at one that has none.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.keys import SELECTOR, KeySpec, Place
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.share import Device, Isolation, Policy, Qos, Share
from gpuxlate.testing.contract import GENEROUS
from gpuxlate.testing.strategies import naming_a_card, with_key
from gpuxlate.translation.fit import PodFit, fit_pod
from tests.backends import pods
from tests.backends.pods import (
    Short,
    codes,
    full,
    keys_of,
    listed,
    manifest,
    place,
    plain,
    pod,
    profile_of,
    read,
    to,
)
from tests.tables import read_table

TABLE: dict[str, Short] = read_table(__file__, "dialects.yaml")
ABOUT = {"share", "shares", "found", "says", "profile", "named"}
VERDICTS = ("exact", "rounded", "filled", "dropped", "refused")


def rows(part: str) -> list[Any]:
    return [
        pytest.param(dialect, row, id=f"{dialect} {row}".replace("'", "")[:100])
        for dialect, section in TABLE.items()
        for row in section.get(part, ())
    ]


def pod_of(section: Short, row: Short) -> Short:
    """The pod of a row in short form."""
    pod = {name: value for name, value in row.items() if name not in ABOUT}
    if "place" in section:
        names = [name for name in pod if name not in pods.PARTS and name not in pods.NAMES]
        pod[section["place"]] = {name: pod.pop(name) for name in names}
    scheduler = {"schedulerName": section["scheduler"]} if "scheduler" in section else {}
    return {**scheduler, **full(pod, section.get("^", "^"))}


NUMBERS = {
    "cards": r"(\d+) cards?",
    "memory_percent": r"(\d+) % of memory",
    "cores": r"(\d+) %",
    "memory_limit_mib": r"to (\d+) MiB",
    "memory_mib": r"(\d+) MiB",
}
WORDS: dict[str, type[Policy | Qos | Isolation]] = {"policy": Policy, "qos": Qos, "isolation": Isolation}


def share_of(section: Short, text: str | None) -> Share | None:
    """A share from the text of the table, with the cards of its section where it names none."""
    if text is None:
        return None
    fields: Short = {}
    rest = text
    for name, pattern in NUMBERS.items():
        if match := re.search(pattern, rest):
            fields[name] = int(match[1])
            rest = rest.replace(match[0], "", 1)
    words, of, model = rest.partition("of ")
    for word in words.split():
        [name] = [name for name, kind in WORDS.items() if word in [*kind]]
        fields[name] = WORDS[name](word)
    vendor, _, name = model.rpartition(" ")
    card: Short = {"vendor": vendor or None, "models": [name]} if of else section.get("device", {})
    if card and model != "any model":
        fields["device"] = Device(card.get("vendor"), tuple(card.get("models", ())))
    return Share(**fields)


def with_maker(share: Share | None, dialect: str) -> Share | None:
    """A share as it is read: with the maker of the dialect's cards, which no row of the table repeats."""
    backend = registry.get(dialect)
    if share is None or share.device or not registry.get("neutral").needs_maker_of(backend):
        return share
    return replace(share, device=Device(backend.vendor))


@pytest.mark.parametrize(("dialect", "row"), rows("reads"))
def test_reading(dialect: str, row: Short) -> None:
    section = TABLE[dialect]
    labels = {"labels": section["labels"]} if "labels" in section else {}
    text = manifest({**labels, **pod_of(section, row)})
    done = read(text, profile_of(row, dialect), dialect if "named" in row else None)
    found = [one for one in done.diagnostics if one.severity != "info"]
    said = [f"{one.code} {one.severity} {place(one.path)}" for one in found]
    assert said == [one.replace("^", section.get("^", "^")) for one in listed(row.get("found", []))]
    assert "says" not in row or any(row["says"] in f"{one.message}\n{one.hint}" for one in found)
    shares = row.get("shares", {"c1": row["share"]} if "share" in row else {})
    expected = {name: with_maker(share_of(section, share), dialect) for name, share in shares.items()}
    assert {one.container: one.share for one in done.items if one.share or shares} == expected
    assert {one.source for one in done.items} <= {dialect}


def asked(section: Short, row: Short) -> list[ContainerShare]:
    """The containers of a row with their shares."""

    if "init" in row:
        return [ContainerShare("i1", 0, True, share_of(section, row["init"]))]
    shares = [share_of(section, text) for text in row.get("shares", [row.get("share")])]
    return [ContainerShare(f"c{n + 1}", n, share=share) for n, share in enumerate(shares)]


def said(done: PodFit) -> tuple[list[str], list[str]]:
    """The losses and the notes, after the name of the container where there are several shares."""
    losses, notes = [], []
    for one in done.outcomes:
        name = f"{one.container.name} " if len(done.outcomes) > 1 else ""
        for loss in one.losses:
            given = "" if loss.given is None else f" {loss.given}"
            losses.append(f"{name}{loss.kind} {loss.field} {loss.code}{given}")
        notes += [f"{name}{note.code} {note.severity}" for note in one.diagnostics]
    return losses, notes


def shown(keys: PodKeys) -> Short:
    """What is written in a pod, with its quotes."""
    return {
        "containers": {
            (one.init, one.index): (plain(one.limits), plain(one.env))
            for one in keys.all_containers()
            if one.limits or one.env
        },
        "labels": plain(keys.labels),
        "annotations": plain(keys.annotations),
        "nodeSelector": plain(keys.node_selector),
        "affinity": keys.affinity,
        "schedulerName": keys.scheduler_name,
    }


def quoted(given: Any) -> Any:
    """The same with each number as a string."""
    if isinstance(given, dict):
        return {name: quoted(value) for name, value in given.items()}
    return [quoted(one) for one in given] if isinstance(given, list) else str(given)


@pytest.mark.parametrize(("target", "row"), rows("writes"))
def test_writing(target: str, row: Short) -> None:
    """Also: without what the user allows a loss is refused; what is written has no error and reads back."""
    section, backend, profile = TABLE[target], registry.get(target), profile_of(row, target)
    containers = asked(section, row)
    accept = Accept(row.get("round") == "up", row.get("fill", {}), frozenset(row.get("drop", ())))
    done = fit_pod(containers, backend, accept, profile)
    losses, notes = listed(row.get("losses", [])), listed(row.get("notes", []))
    first = "c1 " if len(done.outcomes) > 1 else ""
    always = [f"{first}{note}" for note in listed(section.get("notes", []))]
    assert said(done) == (losses, notes + always)
    for one in done.outcomes:
        assert one.verdict == max((loss.kind for loss in one.losses), key=VERDICTS.index, default="exact")
    assert "says" not in row or any(row["says"] in one.message and one.hint for one in done.findings())
    assert done.accepted == ("gives" in row)
    assert fit_pod(containers, backend, Accept(), profile).accepted == (not losses)
    if not done.accepted:
        return
    pod = pod_of(section, quoted(row["gives"]) if "quoted" in section else row["gives"])
    assert shown(done.keys) == shown(keys_of(pod))
    assert all(one.requests == one.limits for one in done.keys.all_containers())
    again = read(manifest(pod), profile, None if backend.is_used_by(done.keys) else target)
    assert {one.source for one in again.items} == {target}
    declared = [with_maker(one.declared, target) for one in done.outcomes]
    assert [one.share for one in again.items if one.share] == declared
    codes = {rule.code for rule in backend.rules}
    assert not [one for one in again.diagnostics if one.severity == "error" and one.code in codes]


# --- choices of cards and nodes -------------------------------------------------------------------

SHARES = (Share(1, 30, 4096), Share(1, None, 4096), Share(1, 50), Share(2), Share(1))
PLACES = (Place.ANNOTATION, Place.LABEL, Place.ENV, Place.NODE_SELECTOR, Place.RESOURCE)
OTHERS = ("neutral", "tencent-qgpu", "hami")
"""Without choices of its own, with those of nodes, with those of cards."""


def choices() -> Iterator[tuple[Backend, KeySpec, Place]]:
    for backend in registry.pod_backends():
        for row in backend.keys:
            for one in PLACES:
                if row.sets == SELECTOR and one in row.places and not row.template.count("{container}"):
                    yield backend, row, one


@cache
def written(name: str) -> PodKeys | None:
    """A share as the dialect writes it; None where it is read only, or a claim."""
    backend = registry.get(name)
    for share in SHARES:
        one = ContainerShare("c1", 0, share=naming_a_card(share, backend))
        fit = fit_pod([one], backend, GENEROUS)
        if fit.accepted and not fit.keys.claims and not backend.read_only:
            bare = [replace(each, requests={}) for each in fit.keys.containers]
            return replace(fit.keys, containers=tuple(bare))
    return None


def manifest_of(keys: PodKeys) -> str:
    [container] = keys.containers
    short: Short = {
        "limits": plain(container.limits), "env": {name: one.text for name, one in container.env.items()},
        "labels": plain(keys.labels), "annotations": plain(keys.annotations),
        "nodeSelector": plain(keys.node_selector),
    }  # fmt: skip
    scheduler = {"schedulerName": keys.scheduler_name.text} if keys.scheduler_name else {}
    return pods.manifest({**short, **scheduler})


def silence(backend: Backend, row: KeySpec, place: Place, target: str) -> str | None:
    """The pod with a choice of which nothing is said at the target, and nothing written."""
    keys = written(backend.name)
    if keys is None or registry.get(target) is backend:
        return None
    word = next((one for one in row.texts if not row.is_no_op(one)), "chosen-1")
    text = manifest_of(with_key(keys, row.name, place, Value.of(word)))
    done = to(text, target, GENEROUS)
    names_it = [one for one in done.diagnostics if row.name in one.message or row.name in one.path]
    return None if names_it or word in done.text else f"{text}\n{done.text}"


@pytest.mark.parametrize("target", OTHERS)
def test_no_choice_is_lost_in_silence(target: str) -> None:
    found = {(one[0].name, one[1].name, one[2]): silence(*one, target) for one in choices()}
    assert {one: text for one, text in found.items() if text} == {}
    unwritten = {backend.name for backend, *_ in choices() if written(backend.name) is None}
    assert unwritten == {"gpu-manager", "elastic-gpu", "nos", "vgpu-manager"}


# (the choice, the limits beside it); the names of the lists: CheckUUID and CheckType in Project-HAMi/HAMi,
# pkg/device (2026-08-21), device-joint-allocate: apis/extension/device_share.go of Koordinator
AMD = "amd.com/gpu: 1, amd.com/gpumem: 4096, amd.com/gpucores: 30"
MLU = "cambricon.com/vmlu: 1, cambricon.com/mlu.smlu.vmemory: 32, cambricon.com/mlu.smlu.vcore: 30"
KUNLUN = "kunlunxin.com/vxpu: 1, kunlunxin.com/vxpu-memory: 24576"
NPU = "huawei.com/Ascend910B3: 1, huawei.com/Ascend910B3-memory: 16384"
LISTS = [
    *((f"amd.com/{no}use-gputype", AMD) for no in ("", "no")),
    *((f"amd.com/{no}use-gpu-uuid", AMD) for no in ("", "no")),
    *((f"cambricon.com/{no}use-gpuuuid", MLU) for no in ("", "no")),
    *((f"enflame.com/{no}use-gpuuuid", "enflame.com/gcu-memory: 4096") for no in ("", "no")),
    *((f"mthreads.ai/{no}use-gpuuuid", "mthreads.com/vgpu: 1") for no in ("", "no")),
    *((f"hami.io/{no}use-Ascend910B3-uuid", NPU) for no in ("", "no-")),
    *((f"hami.io/{no}use-MR-V100-uuid", "iluvatar.ai/MR-V100-vgpu: 1") for no in ("", "no-")),
    *((f"hami.io/{no}use-xpu-uuid", KUNLUN) for no in ("", "no-")),
    *((f"baidu.com/{no}use-gpuuuid", KUNLUN) for no in ("", "no")),
    ("scheduling.koordinator.sh/device-joint-allocate", "koordinator.sh/gpu-memory: 4Gi"),
]


def test_lists_of_cards_are_refused_by_default() -> None:
    """As at HAMi's NVIDIA: GX020, accepted by --drop selector. Cards of other vendors have other names."""
    drop = Accept(drop=frozenset({"selector", "device"}))

    def treated(name: str, limits: str) -> tuple[list[str], bool, bool, bool]:
        text = pod(limits, metadata=f", annotations: {{{name}: A, kept: 'yes'}}")
        said = [one for one in to(text, "hami").diagnostics if name in one.message]
        done = to(text, "hami", drop)
        return codes(said), done.refused, name in done.text, "kept: 'yes'" in done.text

    assert {one: treated(*one) for one in LISTS} == {one: (["GX020"], False, False, True) for one in LISTS}


def test_labels_of_nodes_with_other_cards() -> None:
    """Those of AMD's labeller choose cards, in a pod that asks for some."""
    text = pod(AMD, spec="  nodeSelector: {amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM}\n")
    assert [one.code for one in to(text, "hami").diagnostics if one.severity == "error"] == ["GX020"]
