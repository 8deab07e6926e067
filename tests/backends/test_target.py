"""What a class of a target says by its module, its rows and its documents; the numbers that a key takes."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import dialects, registry
from gpuxlate.backends import target as t
from gpuxlate.model.keys import LegalNumbers
from tests.effort import tries

COUNT, PART = "falcon.example/gpu", "falcon.example/compute"
ROWS = (t.cards(COUNT), t.cores(PART, source="OTHER"), t.choice("falcon.example/model", meaning="models"))
ONE, TWO = {"GUIDE": "Falcon, guide"}, {"GUIDE": "Falcon, guide", "OTHER": "Falcon, other"}
SAYS = {
    "all of it": ({}, ("test-target", ("GUIDE", "OTHER", "GUIDE"), (COUNT, PART))),
    "a name": ({"name": "falcon"}, ("falcon", ("GUIDE", "OTHER", "GUIDE"), (COUNT, PART))),
    "two documents": ({"documents": TWO}, ("test-target", ("", "OTHER", ""), (COUNT, PART))),
    "prefixes": ({"gpu_prefixes": ("falcon",)}, ("test-target", ("GUIDE", "OTHER", "GUIDE"), ("falcon",))),
    "no prefixes": ({"gpu_prefixes": ()}, ("test-target", ("GUIDE", "OTHER", "GUIDE"), ())),
}


def said(backend: t.Backend) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return backend.name, tuple(row.source for row in backend.keys), backend.gpu_prefixes


@pytest.mark.parametrize(("says", "right"), SAYS.values(), ids=SAYS)
def test_what_a_class_leaves_out_follows(says: dict[str, object], right: object) -> None:
    body = {"__module__": __name__, "title": "Falcon", "keys": ROWS, "documents": ONE, **says}
    backend: t.Backend = type("Falcon", (t.Backend,), body)()
    assert said(backend) == right
    assert said(backend.with_changes(read_only=True)) == right


PREFIXES = {
    "its own": ({"aliases": ("falcon", "fal"), "rule_prefix": "FLC"}, "FLC001"),
    "the first alias": ({"aliases": ("falcon", "fal")}, "FALCON001"),
    "a name with dashes": ({"name": "falcon-cards"}, "FALCONCARDS001"),
}


@pytest.mark.parametrize(("says", "code"), PREFIXES.values(), ids=PREFIXES)
def test_codes_begin_with_the_first_alias(says: dict[str, object], code: str) -> None:
    body = {"__module__": __name__, "title": "Falcon", "keys": ROWS, "documents": ONE, **says}
    backend: t.Backend = type("Falcon", (t.Backend,), body)()
    assert code in {rule.code for rule in backend.rules}
    assert code in {rule.code for rule in backend.with_changes(read_only=True).rules}


def test_a_file_of_dialects_has_the_name_of_its_target() -> None:
    rows = [row for row in registry.BUILT_IN if ".dialects." in row.module]
    assert [registry.get(row.name).name for row in rows] == [row.name for row in rows]


@pytest.mark.parametrize("backend", list(registry.all_backends()), ids=lambda backend: backend.name)
def test_a_target_says_what_it_is(backend: t.Backend) -> None:
    """The product and what a share is in it, at the class or at the top of a file of dialects, which has
    nothing else; the unit of each number and where each key is from, in the rows."""
    cls = type(backend)
    of_file = cls.__module__.startswith(f"{dialects.__name__}.")
    text = sys.modules[cls.__module__].__doc__ if of_file else vars(cls).get("__doc__")
    assert text
    assert text.strip().partition("\n\n")[0].endswith(".")
    assert {"cards", "memoryMiB", "partition", "replica"} & backend.field_docs.keys()
    assert [row.name for row in backend.keys if not (row.meaning or row.unit_text)] == []
    amounts = {t.Place.QUOTA}  # of the keys that have a source, as quotas name them
    unsourced = [row.name for row in backend.keys if not row.source and row.places != amounts]
    assert unsourced == ([row.name for row in backend.keys] if backend.name == "neutral" else [])


RANGES = st.lists(
    st.builds(
        lambda least, size, step: t.Range(least, None if size is None else least + size, step),
        st.integers(0, 30),
        st.none() | st.integers(0, 30),
        st.integers(1, 7),
    ),
    min_size=1,
    max_size=3,
).map(tuple)


@tries(200)
@given(RANGES, st.integers(0, 60), st.integers(1, 4))
def test_the_next_legal_number_is_the_least_that_is_not_below(
    ranges: tuple[t.Range, ...], number: int, cards: int
) -> None:
    legal = LegalNumbers(ranges)
    listed = [n for n in range(number, 120) if legal.allows(n)]
    assert legal.next(number) == (listed[0] if listed else None)
    assert [n for n in range(60) if legal.allows(n)] == [
        n for n in range(60) if legal.times(cards).allows(n * cards)
    ]
    assert not any(legal.allows(n) for n in range(legal.least))
