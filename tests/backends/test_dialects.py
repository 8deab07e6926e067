"""What is read from pods in each dialect, and what is written for shares: ``dialects.yaml`` says its form."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import ContainerShare
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.share import Device, Isolation, Policy, Qos, Share
from gpuxlate.translation.pods.fit import Accept, PodFit, fit_pod
from tests.backends import pods
from tests.backends.pods import Short, full, keys_of, listed, manifest, place, plain, profile_of, read

TABLE: dict[str, Short] = pods.table("dialects.yaml")
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
    card: Short = {"models": [model]} if of else section.get("device", {})
    if card and model != "any model":
        fields["device"] = Device(card.get("vendor"), tuple(card["models"]))
    return Share(**fields)


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
    expected = {name: share_of(section, share) for name, share in shares.items()}
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
    again = read(manifest(pod), profile, None if backend.speaks_in(done.keys) else target)
    assert {one.source for one in again.items} == {target}
    assert [one.share for one in again.items if one.share] == [one.told for one in done.outcomes]
    codes = {rule.code for rule in backend.rules}
    assert not [one for one in again.diagnostics if one.severity == "error" and one.code in codes]
