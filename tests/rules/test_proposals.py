"""A value that a finding proposes is accepted where it is written: no help leads to another error."""

import re
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.diagnostics import Diagnostic, Path, Put, Severity
from gpuxlate.model.pod import key_occurrences
from gpuxlate.translation.options import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import apply

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
