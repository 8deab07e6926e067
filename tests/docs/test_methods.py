"""The tutorial lists everything that a reader and a writer may call."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.tools.inserts.methods import CLASSES, methods
from gpuxlate.backends.base import Placing, PodPlacing, Taking

PAGE = (Path(__file__).parents[2] / "docs" / "writing-a-target.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("one", [Taking, Placing, PodPlacing], ids=lambda one: one.__name__)
def test_every_public_method_is_listed_with_what_it_does(one: type) -> None:
    """Those that it inherits too: what ``dir`` finds."""
    [table] = re.findall(rf"<!-- table: methods {one.__name__} -->\n(.*?)<!-- /table -->", PAGE, re.DOTALL)
    listed = dict(re.findall(r"^\| `(\w+)[^|`]*` \| (.*) \|$", table, re.MULTILINE))
    assert sorted(listed) == sorted(name for name in dir(one) if not name.startswith("_"))
    assert [name for name, text in listed.items() if len(text) < 10] == []


def test_the_calls_are_those_of_the_code() -> None:
    assert CLASSES.keys() == {"Taking", "Placing", "PodPlacing"}
    assert dict(methods(PodPlacing))["ordinary(index)"].startswith("The share of the ordinary container")
    assert "on_grid(attribute, code, step=, low=, unit=)" in dict(methods(Placing))
    assert dict(methods(Placing))["cards"] == "The number of cards; reading it does not place it"
