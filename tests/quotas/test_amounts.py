"""Quotas at random: what is exact comes back byte for byte, and nothing is ever below what was asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.placing import Accept
from gpuxlate.model.diagnostics import Severity
from gpuxlate.translation.quotas.counterpart import row_of
from gpuxlate.translation.quotas.item import QuotaItem
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.source import Source
from tests.effort import tries
from tests.quotas.test_directions import GROUPS, TARGETS

DIALECTS = {one.name: one for one in registry.pod_backends()}
KEYS = sorted(
    {(dialect, entry.rsplit(": ", 1)[0]) for group in GROUPS.values() for dialect, entry in group.items()}
)
NUMBERS = st.one_of(st.integers(0, 40), st.integers(0, 2**20), st.integers(0, 2**63 - 1)).map(str)
ODD = st.sampled_from(
    ["7.5", "64Gi", "100k", "3000m", "-4", "1e3", "0x10", "010", "~", "", "{}", "[4]", "four"]
)
QUOTES = st.sampled_from(["{}", "'{}'", '"{}"'])
PREFIXES = st.sampled_from(["requests.", "limits.", ""])


@st.composite
def amounts(draw: st.DrawFn, dialect: str) -> list[tuple[str, str, str]]:
    """Resources of one dialect and more: prefix, name, the number as it is written."""
    own = [name for owner, name in KEYS if owner == dialect]
    names = st.one_of(st.sampled_from(own), st.sampled_from(sorted({name for _, name in KEYS} | {"pods"})))
    found = {}
    for _ in range(draw(st.integers(1, 5))):
        number = draw(QUOTES).format(draw(NUMBERS)) if draw(st.integers(0, 5)) else draw(ODD)
        found[draw(PREFIXES), draw(names)] = number
    return [(prefix, name, number) for (prefix, name), number in found.items()]


def quota(entries: list[tuple[str, str, str]]) -> str:
    lines = "".join(
        f"    {prefix}{name}: {number}  # {n}\n" for n, (prefix, name, number) in enumerate(entries)
    )
    return f"apiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: q}}\nspec:\n  hard:\n{lines}"


def limit_range(entries: list[tuple[str, str, str]]) -> str:
    lines = "".join(
        f"      {name}: {number}\n" for name, number in {name: n for _, name, n in entries}.items()
    )
    return (
        "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec:\n  limits:\n"
        f"  - type: Container\n    max:\n{lines}    default:\n{lines}"
    )


def translated(text: str, source: str | None, target: str, *, round_up: bool = False) -> Translation:
    settings = Settings(
        DIALECTS[target],
        DIALECTS[source] if source else None,
        Accept(round_up),
        allow_leftovers=True,
    )
    return translate_source(Source("q.yaml", text), settings)


def leaves(data: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict):
        for name, value in data.items():
            yield name, value
            yield from leaves(value)
    elif isinstance(data, list):
        for one in data:
            yield from leaves(one)


def is_next(backend: Backend, one: QuotaItem) -> bool:
    """It is the next number of the key: of a sum by its unit, of a container one that it may have."""
    row = row_of(backend, bare(one.new_key or ""))
    assert row is not None
    assert one.given is not None
    assert one.asked is not None
    unit = backend.unit(row, None)
    if not one.each:
        return one.given - one.asked < max(unit, 1)
    number = one.given / unit
    legal = [each.least <= number and (each.most is None or number <= each.most) for each in row.ranges]
    return number == 0 or any(legal) or not legal


def bare(key: str) -> str:
    return key.removeprefix("requests.").removeprefix("limits.")


@tries(600)
@given(st.data())
def test_amounts_are_moved_or_left(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(sorted({dialect for dialect, _ in KEYS})))
    target = data.draw(st.sampled_from(TARGETS))
    make = data.draw(st.sampled_from([quota, limit_range]))
    chosen = data.draw(st.sampled_from([source, None]))
    text = make(data.draw(amounts(source)))
    done = translated(text, chosen, target, round_up=data.draw(st.booleans()))
    if any(one.severity is Severity.ERROR for one in done.diagnostics):
        assert done.text == text
        return
    new = dict(leaves(yaml.safe_load(done.text)))
    assert len(done.text.splitlines()) == len(text.splitlines())
    for one in done.quotas:
        if one.new_key is None:
            assert one.key in new
            continue
        assert one.given is not None
        assert one.asked is not None
        assert one.given >= one.asked
        assert (one.given == one.asked) == (one.outcome == "exact")
        assert is_next(DIALECTS[target], one)
    left = {one.key for one in done.leftovers}
    for one in done.quotas:  # nothing that is read stays without a word
        assert one.key not in new or bare(one.key) in left or one.new_key == one.key


@tries(400)
@given(st.data())
def test_what_is_exact_comes_back(data: st.DataObject) -> None:
    """Byte for byte, with one key of the source: a second one may be the only way to say the number."""
    group = data.draw(st.sampled_from([one for one in GROUPS.values() if len(one) > 1]))
    source, target = data.draw(st.permutations(sorted(group)).map(lambda names: names[:2]))
    if not {source, target} <= {*TARGETS}:
        return
    name, number = group[source].rsplit(": ", 1)
    suffix = number.lstrip("0123456789")
    written = data.draw(QUOTES).format(f"{data.draw(st.integers(1, 2**40))}{suffix}")
    text = quota([(data.draw(PREFIXES), name, written)])
    there = translated(text, source, target)
    back = translated(there.text, target, source)
    if there.leftovers or there.text == text:
        assert there.text == text
        rounded = "rounded" in {str(one.outcome) for one in there.quotas}
        too_large = any("no number of" in one.found.message for one in there.leftovers)
        assert rounded or too_large or name == group[target].rsplit(": ", 1)[0]
    else:
        assert back.text == text
