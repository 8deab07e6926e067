"""The price of a plan as rows of a table, for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from gpuxlate.model.exact import decimal_text
from gpuxlate.model.messages import msg


def price_rows(price: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Workload, pods, cards and price for people, the price of the nodes last. ``price``: a PlanPrice
    in JSON."""
    for workload in price["workloads"]:
        yield (
            workload["workload"],
            str(workload["pods"]),
            rounded_text(workload["cards"]),
            rounded_text(workload["price"]),
        )
    yield msg("idle"), "", "", rounded_text(price["idle"])
    if price["twice"]["exact"] != "0":
        yield msg("held twice"), "", "", f"-{rounded_text(price['twice'])}"
    yield msg("nodes"), "", "", rounded_text(price["nodes"])


def rounded_text(number: Mapping[str, Any]) -> str:
    """An Exact in JSON, rounded."""
    return decimal_text(Fraction(number["exact"]))
