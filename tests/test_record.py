"""Records beside data classes of the same fields: what one does, the other does."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest

from gpuxlate.record import Record, field, replace


class Card(Record):
    model: str
    memory_mib: int = 24_576
    labels: dict[str, str] = field(default_factory=dict)
    where: str = field(default="", compare=False)
    rack: int = field(default=0, kw_only=True)


@dataclass(frozen=True, slots=True)
class CardClass:
    model: str
    memory_mib: int = 24_576
    labels: dict[str, str] = dataclasses.field(default_factory=dict)
    where: str = dataclasses.field(default="", compare=False)
    rack: int = dataclasses.field(default=0, kw_only=True)


class Bigger(Card):
    slots: int = 2


class Counter(Record, frozen=False):
    seen: list[int] = field(default_factory=list)
    count: int = 0


class Sheet(Record, slots=False):
    names: tuple[str, ...]

    @cached_property
    def first(self) -> list[str]:
        return [self.names[0]]


class Even(Record):
    number: int

    def __post_init__(self) -> None:
        if self.number % 2:
            object.__setattr__(self, "number", self.number + 1)


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("A10",), {}),
    (("A10", 8192), {}),
    (("A10",), {"memory_mib": 8192, "labels": {"a": "b"}}),
    (("A10", 8192, {}, "here"), {"rack": 3}),
    ((), {}),  # what is missing
    (("A10",), {"model": "T4"}),  # given twice
    (("A10", 1, {}, "", 3), {}),  # a keyword alone
    (("A10",), {"colour": "red"}),
]


def outcome(make: Callable[..., Any], positional: tuple[Any, ...], named: dict[str, Any]) -> object:
    try:
        made = make(*positional, **named)
    except TypeError:
        return TypeError
    return repr(made).replace("CardClass", "Card"), dataclasses.asdict(made)


@pytest.mark.parametrize(("positional", "named"), CALLS)
def test_is_made_and_told_as_a_data_class(positional: tuple[Any, ...], named: dict[str, Any]) -> None:
    assert outcome(Card, positional, named) == outcome(CardClass, positional, named)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("A10",), ("A10",)),
        (("A10",), ("T4",)),
        (("A10", 1, {}, "here"), ("A10", 1, {}, "there")),
        (("A10", 1, {"a": "b"}), ("A10", 1, {})),
    ],
)
def test_is_equal_where_a_data_class_is(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    assert (Card(*one) == Card(*other)) is (CardClass(*one) == CardClass(*other))
    assert (Card(*one) != Card(*other)) is (CardClass(*one) != CardClass(*other))


def test_another_class_with_the_same_fields_is_not_equal() -> None:
    assert Card("A10") != CardClass("A10")
    assert Card("A10") != Bigger("A10")


def test_hash_is_that_of_what_is_compared() -> None:
    assert hash(Even(2)) == hash(Even(2))
    assert {Even(1), Even(2)} == {Even(2)}
    with pytest.raises(TypeError):
        hash(Card("A10"))  # of a dict
    with pytest.raises(TypeError):
        hash(Counter())  # it changes


def test_is_frozen_unless_said_otherwise() -> None:
    one = Card("A10")
    with pytest.raises(AttributeError, match=r"Card\.model cannot be set"):
        one.model = "T4"  # type: ignore[misc]
    with pytest.raises(AttributeError, match=r"Card\.model cannot be deleted"):
        del one.model  # type: ignore[misc]
    with pytest.raises(AttributeError):
        one.colour = "red"  # type: ignore[attr-defined]
    counter = Counter()
    counter.count += 1
    assert counter == Counter(count=1)
    with pytest.raises(AttributeError):
        counter.colour = "red"  # type: ignore[attr-defined]


def test_factories_are_called_for_each() -> None:
    assert Counter().seen is not Counter().seen


def test_more_fields_below() -> None:
    assert repr(Bigger("A10", 1, {}, "", 3, rack=2)) == (
        "Bigger(model='A10', memory_mib=1, labels={}, where='', rack=2, slots=3)"
    )
    assert [one.name for one in dataclasses.fields(Bigger)] == [  # type: ignore[arg-type]
        "model", "memory_mib", "labels", "where", "rack", "slots",
    ]  # fmt: skip


def test_may_hold_more_where_it_has_no_slots() -> None:
    sheet = Sheet(("a", "b"))
    assert sheet.first is sheet.first
    assert sheet == Sheet(("a", "b"))
    with pytest.raises(AttributeError):
        sheet.names = ()  # type: ignore[misc]


def test_says_what_is_wrong_after_it_is_made() -> None:
    assert Even(3) == Even(4)
    assert replace(Even(4), number=7).number == 8


@pytest.mark.parametrize("one", [Card("A10", where="here"), Counter([1], 2), Even(4), Bigger("T4", rack=1)])
def test_goes_between_processes_and_is_replaced(one: Any) -> None:
    back = pickle.loads(pickle.dumps(one))
    assert repr(back) == repr(one)
    name = dataclasses.fields(one)[0].name
    value = getattr(one, name)
    assert repr(replace(one, **{name: value})) == repr(one)
    assert repr(dataclasses.replace(one, **{name: value})) == repr(one)
    with pytest.raises(TypeError):
        replace(one, colour="red")


def test_matches_by_position() -> None:
    match Card("A10", 8192):
        case Card(model, memory):
            assert (model, memory) == ("A10", 8192)


def test_loads_no_dataclasses() -> None:
    script = "import sys, gpuxlate.record, gpuxlate.claims; print('dataclasses' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
