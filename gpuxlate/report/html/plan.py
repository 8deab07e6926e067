"""The page of a plan (``gpuxlate-plan/v1``): every card with what is on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuxlate.model.messages import plural
from gpuxlate.report.html.page import Html, items, join, page, table, tag

HUE_STEP = 137
"""Degrees between the colours of two numbers that follow: far apart, whatever their count."""
LEGEND = 40
"""Rows of a legend that are open; more are behind a click, and on paper."""

DIGIT = 6
"""Percent of a bar that one digit takes: a number that has no room is left out, never cut."""

SUMMARY = ("Target", "Cards", "Nodes", "Not packed", "At least", "Compute", "Memory", "For rounding")

Data = Mapping[str, Any]
Key = tuple[str, str, int, int, str]
"""Workload, container, percent, MiB, and the part of a card that it is; empty for numbers."""


def plan_page(data: Data) -> str:
    """The page of a whole plan."""
    every = [(one, True) for one in data["before"]] + [(one, False) for one in data["targets"]]
    return page(
        "GPU plan",
        tag("h1", "GPU plan"),
        table(SUMMARY, [_row(one, before) for one, before in every]),
        *(_target(one, before) for one, before in every),
        _uncounted(data["uncounted"]),
        tag("p", "Only GPUs are considered: CPU, memory of the node and taints are not.", class_="dim"),
    )


def _name(one: Data, before: bool) -> str:
    return f"{one['target']} (before)" if before else str(one["target"])


def _row(one: Data, before: bool) -> list[object]:
    bound, use = one["lowerBound"], one["use"]
    least = "that many" if one["proved"] else f"{_of(bound, 'card')}, {_of(bound, 'node')}"
    missing = len(one["refused"]) + len(one["nowhere"])
    return [
        tag("b", _name(one, before)),
        one["cards"],
        one["nodes"],
        tag("b", missing, class_="bad") if missing else 0,
        least,
        f"{_percent(use['cores'])} %",
        f"{_percent(use['memoryMiB'])} %",
        one["rounding"]["cards"],
    ]


def _of(counts: Data, noun: str) -> str:
    """``1 card``, ``2 cards``, by the plural of the noun in the data."""
    return _plural(counts[f"{noun}s"], noun)


def _plural(count: int, noun: str) -> str:
    return str(plural(count, f"{{count}} {noun}", f"{{count}} {noun}s"))


def _percent(use: Data) -> int:
    return 100 * use["taken"] // use["there"] if use["there"] else 0


def _target(one: Data, before: bool) -> Html:
    keys = _keys(one)
    node = one["node"]
    model = f"{node['model']}, " if node["model"] else ""
    about = (
        f"{_of(one, 'share')} in {_of(one, 'pod')} on {_of(one, 'card')} of {_of(one, 'node')}: "
        f"{model}{_of(node, 'card')} to a node, {node['usableMiB']} MiB to share on each"
    )
    return join(
        (
            tag("h2", _name(one, before)),
            tag("p", about),
            items(_notes(one)),
            _refused(one),
            _leftovers(one["leftovers"]),
            _legend(keys),
            tag("div", *_nodes(one, keys), class_="nodes"),
        )
    )


def _notes(one: Data) -> Iterator[object]:
    yield from one["remarks"]
    for found in one["nowhere"]:
        what = f"not packed: {found['workload']}, {_of(found, 'pod')}: {found['reason']}"
        yield tag("span", what, class_="bad")


def _refused(one: Data) -> Html:
    if not one["refused"]:
        return Html("")
    rows = [
        [_object(item), item["container"], item["verdict"], _why(item), item["file"]]
        for item in one["refused"]
    ]
    return _folded(
        f"not packed: {_plural(len(rows), 'share')}",
        ["Workload", "Container", "Verdict", "Why", "File"],
        rows,
    )


def _object(item: Data) -> str:
    ref = item["object"]
    return "/".join(part for part in (ref["namespace"], ref["kind"], ref["name"]) if part)


def _why(item: Data) -> str:
    return "; ".join(f"{d['code']} {d['message']}" for d in item["diagnostics"] if d["severity"] == "error")


def _folded(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Html:
    inside = table(head, rows)
    attributes = {"open": ""} if len(rows) <= LEGEND else {}
    return tag("details", tag("summary", title), inside, **attributes)


def _keys(one: Data) -> dict[Key, int]:
    """What is drawn, numbered: what takes most room first."""
    found: Counter[Key] = Counter()
    for node in one["layout"]:
        for card in node["cards"]:
            found.update(map(_key, card["held"]))
    ordered = sorted(found, key=lambda key: (-found[key] * key[3], key))
    return {key: number for number, key in enumerate(ordered, 1)}


def _key(held: Data) -> Key:
    return held["workload"], held["container"], held["cores"], held["memoryMiB"], held["part"] or ""


def _legend(keys: Mapping[Key, int]) -> Html:
    if not keys:
        return Html("")
    rows = [
        tag(
            "li",
            tag("span", number, class_="key", style=f"background:{_colour(number)}"),
            f"{key[0]} {key[1]}: ",
            tag("span", _amount(key), class_="dim"),
        )
        for key, number in keys.items()
    ]
    attributes = {"open": ""} if len(rows) <= LEGEND else {}
    title = tag("summary", "What the numbers on the cards are, each of one card")
    return tag("details", title, tag("ul", *rows, class_="legend"), **attributes)


def _amount(key: Key) -> str:
    _, _, cores, memory, part = key
    return part or f"{f'{cores} %' if cores else 'compute not capped'}, {memory} MiB"


def _colour(number: int) -> str:
    return f"hsl({number * HUE_STEP % 360} 70% {72 + number % 3 * 6}%)"


def _nodes(one: Data, keys: Mapping[Key, int]) -> Iterator[Html]:
    usable = one["node"]["usableMiB"]
    for number, node in enumerate(one["layout"], 1):
        cards = [_card(index, card, keys, usable) for index, card in enumerate(node["cards"])]
        yield tag("section", tag("h3", f"node {number}"), tag("div", *cards, class_="cards"), class_="node")


def _card(index: int, card: Data, keys: Mapping[Key, int], usable: int) -> Html:
    held = sorted(card["held"], key=lambda one: keys[_key(one)])
    if not held:
        return tag(
            "div", f"card {index}: free", tag("div", class_="bar"), tag("div", class_="bar"), class_="card"
        )
    compute, memory = card["cores"], card["memoryMiB"]
    return tag(
        "div",
        f"card {index}: compute {compute} %",
        _bar(held, keys, "cores", 100, compute),
        _bar(held, keys, "memoryMiB", usable, memory),
        f"memory {memory} of {usable} MiB",
        tag("div", f"shares {_listed([keys[_key(one)] for one in held])}", class_="dim"),
        class_="card",
    )


def _listed(numbers: Sequence[int]) -> str:
    """``3, 2 x 15``."""
    counts = Counter(numbers)
    return ", ".join(f"{count} x {number}" if count > 1 else str(number) for number, count in counts.items())


def _bar(held: Sequence[Data], keys: Mapping[Key, int], field: str, there: int, total: int) -> Html:
    """The containers, then what init containers have reserved beyond these. ``total``: of them together."""
    parts = []
    left = total
    for one in sorted(held, key=lambda one: "init" in one):
        size = min(one[field], left)
        left -= size
        if size:
            key = _key(one)
            number = keys[key]
            style = f"width:{100 * size / max(1, there):.2f}%;background:{_colour(number)}"
            label = number if 100 * size >= there * len(str(number)) * DIGIT else ""
            parts.append(tag("i", label, style=style, title=f"{number}: {key[0]} {key[1]}"))
    return tag("div", *parts, class_="bar")


def _leftovers(left: Sequence[Data]) -> Html:
    """What is left behind at one target."""
    if not left:
        return Html("")
    rows = [[f"{one['file']}:{one['line']}", one["code"], one["message"]] for one in left]
    return _folded(f"{_plural(len(rows), 'leftover')} on no card", ["At", "Rule", "What"], rows)


def _uncounted(found: Sequence[Data]) -> Html:
    """Whole cards of no dialect, which no target counts."""
    rows = [[f"{one['file']}:{one['line']}", one["message"]] for one in found]
    return join((tag("h2", "Not counted"), table(["At", "What"], rows))) if rows else Html("")
