"""Classes and regular expressions made when they are first used are what they would be if made at once."""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from threading import Barrier, Thread
from typing import Any, ClassVar

import pytest

from gpuxlate.model.declarations import record, regex


def at_once(made: type) -> Any:
    return dataclass(frozen=True)(made)


def plain(kind: Callable[[type], Any]) -> Any:
    @kind
    class One:
        text: str
        path: tuple[str, ...] = field(default=(), compare=False)
        values: dict[str, int] = field(default_factory=dict)
        last: int | None = field(default=None, kw_only=True)
        shared: ClassVar[int] = 3

        def double(self) -> str:
            return self.text * 2

    return One


def inherited(kind: Callable[[type], Any]) -> Any:
    @kind
    class Below(plain(kind)):  # type: ignore[misc]
        text: str
        more: bool = False

        @cached_property
        def long(self) -> str:
            return f"{self.text}{self.more}"

    return Below


def checked(kind: Callable[[type], Any]) -> Any:
    @kind
    class Least:
        number: int

        def __post_init__(self) -> None:
            if self.number < 0:
                raise ValueError("below 0")

    return Least


def own_init(kind: Callable[[type], Any]) -> Any:
    @kind
    class Words:
        words: tuple[str, ...]

        def __init__(self, *words: str) -> None:
            object.__setattr__(self, "words", words)

    return Words


def empty(kind: Callable[[type], Any]) -> Any:
    @kind
    class Nothing:
        pass

    return Nothing


CASES: dict[str, tuple[Callable[..., Any], list[tuple[tuple[Any, ...], dict[str, Any]]]]] = {
    "plain": (
        plain,
        [(("a",), {}), (("a", ("b",)), {}), (("a",), {"last": 2}), (("b",), {"values": {"x": 1}}), ((), {})],
    ),
    "inherited": (
        inherited,
        [(("a",), {}), (("a", (), {}, True), {}), (("a",), {"more": 1}), (("a", 1, {}, 1, 1), {})],
    ),
    "checked": (checked, [((1,), {}), ((-1,), {}), ((1, 2), {})]),
    "with an __init__": (own_init, [((), {}), (("a", "b"), {}), ((), {"words": ()})]),
    "empty": (empty, [((), {}), ((1,), {})]),
}


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:  # what is raised is compared too
        return type(error)


def facts(made: Any, values: list[Any]) -> list[Any]:
    there = [one for one in values if not isinstance(one, type)]
    same = [(one, outcome(partial(replace, one))) for one in there]
    return [
        [one if isinstance(one, type) else repr(one).rpartition(">.")[2] for one in values],
        [[one == other for other in there] for one in there],
        [outcome(partial(hash, one)) == outcome(partial(hash, other)) for one, other in same],
        [getattr(outcome(partial(replace, one, text="c")), "text", None) for one in there],
        [(one.name, one.compare, one.kw_only) for one in fields(made)],
        [one.kind for one in inspect.signature(made).parameters.values()],
        made.__match_args__,
        [getattr(one, "long", None) for one in there],
    ]


@pytest.mark.parametrize("name", CASES)
def test_a_record_is_what_a_dataclass_is(name: str) -> None:
    shape, calls = CASES[name]
    later, now = shape(record), shape(at_once)
    values, others = ([outcome(partial(kind, *a, **k)) for a, k in calls] for kind in (later, now))
    assert facts(later, values) == facts(now, others)
    assert values[0] != others[0]  # of other classes
    assert hasattr(values[0], "__dict__") is (name == "inherited")  # which keeps what it computes


@record
class Sent:
    text: str
    number: int = 1


def test_a_record_goes_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(Sent("a", 2))) == Sent("a", 2)


def test_the_first_values_of_a_record_may_be_made_in_several_threads() -> None:
    kind, start, made = inherited(record), Barrier(8), []

    def make(number: int) -> None:
        start.wait()
        made.append(kind(str(number)))

    threads = [Thread(target=make, args=(number,)) for number in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(one.text for one in made) == [str(number) for number in range(8)]
    assert all(one.values == {} for one in made)


def test_a_regular_expression_is_compiled_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[tuple[str, int]] = []
    compile_now = re.compile

    def counted(text: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append((text, flags))
        return compile_now(text, flags)

    monkeypatch.setattr(re, "compile", counted)
    lazy = regex("a(b+)", re.IGNORECASE)
    assert compiled == []
    now = compile_now("a(b+)", re.IGNORECASE)
    for _ in range(2):
        assert lazy.findall("abb AB a") == now.findall("abb AB a")
        assert lazy.sub("-", "xab") == now.sub("-", "xab")
        assert lazy.pattern == now.pattern
    assert len(compiled) == 3  # once for each method, of which re keeps the result
    with pytest.raises(re.error):
        regex("(").match("")
