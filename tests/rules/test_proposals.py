"""A value that a finding proposes is accepted where it is written: no help leads to another error."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path as FilePath
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.diagnostics import Diagnostic, Edit, Path, Put, Remove, Rename, Severity
from gpuxlate.model.pod import key_occurrences
from gpuxlate.model.profile import Profile
from gpuxlate.rules import releases
from gpuxlate.translation.options import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.nodes import get, get_text
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import apply
from tests.lint.cases import Case, cases
from tests.lint.cases import found as everything_in

FIXTURES = FilePath(__file__).parents[2] / "fixtures"


class Place(NamedTuple):
    """A value of a vendor's key in a manifest of its fixtures."""

    key: str
    path: Path
    text: str


def _places() -> Iterator[Place]:
    seen: set[tuple[str, str, tuple[str, ...]]] = set()
    for file in sorted(FIXTURES.glob("*/*/input.yaml")):
        text = file.read_text(encoding="utf-8")
        if "\n---" in text:
            continue
        for pod in pods_in(next(iter(documents(Source("a.yaml", text))))):
            for spot in key_occurrences(pod.keys):
                owners = tuple(one.name for one in registry.backends_of(pod.keys) if one.owns(spot.name))
                if owners and (kind := (spot.name, str(spot.place), owners)) not in seen:
                    seen.add(kind)
                    yield Place(spot.name, spot.path, text)


PLACES = [*_places()]
PROPOSED = re.compile(r'write (?:\S+: )?"?(-?\d[\d.]*)"?(?:,| or|$|;| \()')


def put(text: str, path: Path, value: int | str) -> str:
    document = next(iter(documents(Source("a.yaml", text))))
    return apply(text, edit_document(document, [Put(path, value)]))


def found(text: str, place: Place) -> list[Diagnostic]:
    """What lint says of the value."""
    every = lint_source(Source("a.yaml", text), LintSettings()).diagnostics
    return [one for one in every if one.path == place.path]


def leads_on(place: Place, value: str) -> list[tuple[str, ...]]:
    """The errors that are new where what is said of a wrong value has been followed."""
    wrong = put(place.text, place.path, value)
    said = found(wrong, place)
    known = {one.code for one in said}
    new: list[tuple[str, ...]] = []
    for one in said:
        proposed = [edit.value for edit in one.fix.edits if isinstance(edit, Put)] if one.fix else []
        proposed += PROPOSED.findall(one.hint or "")[:1]
        for number in proposed:
            after = found(put(wrong, place.path, number), place)
            new += [
                (place.key, value, one.code, str(one.hint), each.code, str(each.message))
                for each in after
                if each.severity is Severity.ERROR and each.code not in known
            ]
    return new


WRONG = ("133%", "0%", "1.5", "1.5Gi", "4000m", "95Ti", "1e3", "+5", "2147483648", "-1", "33", "101", "99999")


@pytest.mark.parametrize("value", WRONG)
def test_a_proposed_value_is_accepted(value: str) -> None:
    assert [one for place in PLACES for one in leads_on(place, value)] == []
    assert len(PLACES) > 80


@given(
    st.sampled_from(PLACES),
    st.integers(-10, 2**31) | st.integers(0, 300) | st.decimals(0, 300, places=1),
    st.sampled_from(["", "%", "Mi", "Gi", "Ti", "G", "k", "m"]),
)
def test_drawn_values(place: Place, number: object, suffix: str) -> None:
    assert leads_on(place, f"{number}{suffix}") == []


def test_a_translation_proposes_none_that_it_refuses() -> None:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    resources:\n"
    )
    text += '      limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 4096, nvidia.com/gpucores: "133%"}\n'
    made = translate_source(Source("a.yaml", text), Settings(registry.get("tencent-qgpu")))
    [one] = [one for one in made.diagnostics if one.code == "K8S002"]
    assert one.hint == "the key counts percent of each card: write 100"


FOLLOWED = re.compile(r"write ([\w./-]+)(?: or (?!less|more)([\w./-]+))?(?:,|;| where| \(|$)")
TAKEN_AWAY = re.compile(r"remove (?:it|the (?:annotation|label|key)|(?P<key>[\w.-]+/[\w./-]+))(?:[,:;]|$)")


def ways(one: Diagnostic, value: str) -> Iterator[list[Edit]]:
    """The ways out that a finding about a value offers: its fix, what its help says to write or to remove.

    A name that is no key (GX003) has other errors once it is one: these are not of its help.
    """
    if one.code == "GX003":
        return
    if one.fix is not None:
        yield list(one.fix.edits)
    if not one.path or one.missing:
        return
    away, name = TAKEN_AWAY.match(one.hint or ""), str(one.path[-1])
    if away and away["key"] in (None, name):
        yield [Remove(one.path)]
    written = FOLLOWED.match(one.hint or "")
    for word in filter(None, written.groups()) if written else ():
        if not one.on_key and "/" not in word:
            yield [Put(one.path, as_written(word, one.path))]
        elif one.on_key and "/" in word:
            yield [Rename(one.path, word, as_written(value, one.path))]


def as_written(text: str, path: Path) -> int | str:
    return int(text) if text.isdigit() and path[-2] not in ("annotations", "labels") else text


NOT_READ = ("GX001", "GX012", "GX025")
"""Rules about texts that are no YAML, or too much of it, or templates."""


ANNOUNCED = {
    change.release.component.name: change.release.version
    for component in registry.components().values()
    for change in releases.key_changes(component)
    if change.release.announced
}
"""Releases of components that are documented and not out."""
OF_ANNOUNCED = tuple(
    {
        "GX",
        *(
            backend.rule_prefix
            for backend in registry.all_backends()
            if any(component.name in ANNOUNCED for component in backend.components)
        ),
    }
)
"""How the codes begin of rules whose keys these change, and of those about all keys."""


class WayOut(NamedTuple):
    """One way out of all findings with a code in a case, together: one value may stand in two places."""

    code: str
    hint: str
    edits: dict[int, list[Edit]]


def with_announced(case: Case) -> Iterator[Case]:
    """The case, and the same on a cluster of a release that is not out yet, as ``--with`` asks for one."""
    yield case
    if case.profile is None and case.code.startswith(OF_ANNOUNCED):
        yield replace(case, profile=Profile(components=ANNOUNCED))


def ways_out(case: Case) -> list[WayOut]:
    every = {} if case.code in NOT_READ else {one.index: one.root for one in documents(case.source)}
    by_code: dict[tuple[str, int], WayOut] = {}
    for one in everything_in(case):
        number = one.document or 0
        root = every.get(number)
        for way, edits in enumerate(ways(one, get_text(root, *one.path) or "") if root else ()):
            if any(isinstance(edit, Rename) and get(root, *edit.path[:-1], edit.key) for edit in edits):
                continue  # both names are there: the older one goes
            made = by_code.setdefault((one.code, way), WayOut(one.code, str(one.hint), {}))
            made.edits.setdefault(number, []).extend(edits)
    return [*by_code.values()]


def no_way_out_gives_a_new_error(asked: Case) -> None:
    """Of the whole manifest, not only of the value: so that no two helps chase each other."""
    if not asked.is_bad or asked.name.endswith(".json"):
        return
    for case in with_announced(asked):
        known = {one.code for one in everything_in(case) if one.severity is Severity.ERROR}
        for way in ways_out(case):
            text = case.text
            for document in reversed([*documents(case.source)]):
                if document.index in way.edits:
                    text = apply(text, edit_document(document, way.edits[document.index]))
            after = lint_source(Source(case.source.name, text), LintSettings(case.profile)).diagnostics
            new = [one for one in after if one.severity is Severity.ERROR and one.code not in known]
            assert [(one.code, str(one.message)) for one in new] == [], way


WAYS = {
    "GX013/bad-mark-of-the-scheduler.yaml": ("GX004 Remove", "GX004 Remove", "GX013 Remove Remove"),
    "K8S002/bad-thousands-of-a-key-with-two-units.yaml": ("ENFLAME010 Put", "K8S002 Put", "K8S002 Put"),
}
"""Of these cases by what follows: a fix and a help may say the same."""


def test_ways_out_are_found() -> None:
    found = {
        case.id: tuple(
            " ".join([way.code, *(type(edit).__name__ for edits in way.edits.values() for edit in edits)])
            for way in ways_out(case)
        )
        for case in cases()
        if case.id in WAYS
    }
    assert found == WAYS
