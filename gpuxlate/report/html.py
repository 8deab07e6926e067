"""The HTML pages of ``assess`` and ``plan``: any text that is not ``HtmlText`` is escaped where it is put."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from gpuxlate.locale import current_language, localize
from gpuxlate.model.messages import Message, join_and, msg, plural
from gpuxlate.report.characters import make_visible
from gpuxlate.report.prices import price_rows, rounded_text

STYLE = Path(__file__).with_name("page.css")
CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


HTML_LANGUAGES = {"en": "en", "zh": "zh-CN"}
"""As HTML names them."""


class HtmlText(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped_text(value: object) -> HtmlText:
    """Any text, escaped, with control characters made visible; HTML as it is, messages in the language of the
    process."""
    if isinstance(value, HtmlText):
        return value
    plain = localize(value) if isinstance(value, Message) else str(value)
    return HtmlText(escape(make_visible(plain), quote=True))


def localized(message: str) -> HtmlText:
    """A text of gpuxlate, with or without values, in the language of the process."""
    return escaped_text(localize(message))


def tag(name: str, *parts: object, **attributes: object) -> HtmlText:
    """An element. ``class_`` is the attribute class; attributes that are None are left out."""
    attribute_text = "".join(
        f' {key.rstrip("_")}="{escaped_text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return HtmlText(f"<{name}{attribute_text}>{join(parts)}</{name}>")


def join(parts: Iterable[object]) -> HtmlText:
    """The parts as one text, without separators."""
    return HtmlText("".join(map(escaped_text, parts)))


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> HtmlText:
    """A table that scrolls where it is too wide; whole numbers to the right. ``head``: message ids."""
    body = join(tag("tr", *map(_cell, row)) for row in rows)
    return tag(
        "div", tag("table", tag("tr", *(tag("th", msg(title)) for title in head)), body), class_="scroll"
    )


MAX_UNBROKEN = 20
"""Characters of a name that is not broken at its hyphens."""


def _cell(value: object) -> HtmlText:
    if isinstance(value, int):
        return tag("td", value, class_="n")
    is_name = (
        isinstance(value, str)
        and not isinstance(value, HtmlText | Message)
        and len(value) <= MAX_UNBROKEN
        and " " not in value
    )
    return tag("td", value, class_="w" if is_name else None)


def html_list(lines: Iterable[object]) -> HtmlText:
    """A bulleted list of texts, each escaped; nothing where there is none."""
    items = [tag("li", line) for line in lines]
    return tag("ul", *items) if items else HtmlText("")


def html_page(title: str, *parts: object) -> str:
    """A whole page."""
    head = join(
        (
            HtmlText('<meta charset="utf-8">'),
            HtmlText('<meta name="viewport" content="width=device-width,initial-scale=1">'),
            HtmlText(f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_POLICY}">'),
            tag("title", title),
            tag("style", HtmlText("\n" + STYLE.read_text(encoding="utf-8"))),
        )
    )
    html = f'<html lang="{HTML_LANGUAGES[current_language()]}">'
    return f"<!doctype html>\n{html}<head>{head}</head><body>{join(parts)}</body></html>\n"


def _aside(line: str) -> HtmlText:
    return tag("p", line, class_="dim")


# The page of a fleet report (``gpuxlate-report/v1``): verdicts, reasons, shares and leftovers.
COLOURS = {
    "exact": "hsl(140 45% 72%)",
    "rounded": "hsl(200 60% 75%)",
    "filled": "hsl(48 80% 72%)",
    "dropped": "hsl(28 80% 74%)",
    "refused": "hsl(0 70% 76%)",
}
Data = Mapping[str, Any]


def assess_page(reports: Mapping[str, Data], heading: str, footer: str) -> str:
    """The page of whole reports, by target. ``heading``: the inputs and the date, under each title;
    ``footer``: the version and the command."""
    parts = [part for target, data in reports.items() for part in _assessed(data, target, heading)]
    return html_page(_moving(", ".join(reports)), *parts, _aside(footer))


def _moving(target: str) -> Message:
    return msg("Moving to {target}", target=target)


def _assessed(data: Data, target: str, heading: str) -> Iterator[HtmlText]:
    shares, leftovers = data["items"], data["leftovers"]
    yield tag("h1", _moving(target))
    yield _aside(heading)
    yield tag("p", join_and([_plural(len(shares), "share"), _plural(len(leftovers), "leftover")]))
    yield _verdicts(data["summary"], len(shares))
    yield _reasons(shares)
    yield _shares(shares)
    yield _quotas(data["quotas"])
    yield _leftovers(leftovers)


def _verdicts(summary: Mapping[str, int], every: int) -> HtmlText:
    verdicts = [(verdict, count) for verdict, count in summary.items() if count]
    parts = [
        tag(
            "i",
            count,
            style=f"width:{100 * count / every:.2f}%;background:{COLOURS[verdict]}",
            title=msg(verdict),
        )
        for verdict, count in verdicts
    ]
    rows = [[_mark(verdict), count] for verdict, count in verdicts]
    return (
        join((tag("div", *parts, class_="bar"), html_table(["Verdict", "Shares"], rows)))
        if verdicts
        else HtmlText("")
    )


def _mark(verdict: str) -> HtmlText:
    return tag("span", msg(verdict), class_="key", style=f"background:{COLOURS[verdict]}")


def _reasons(shares: Sequence[Data]) -> HtmlText:
    counts: Counter[str] = Counter()
    example: dict[str, str] = {}
    for share in shares:
        reasons = {
            each["code"]: each["message"] for each in share["diagnostics"] if each["severity"] == "error"
        }
        reasons |= {each["code"]: _change(each) for each in (*share["changes"], *share["dropped"])}
        for code, text in reasons.items():
            counts[code] += 1
            example.setdefault(code, text)
    rows = [
        [code, count, example[code]] for code, count in sorted(counts.items(), key=lambda c: (-c[1], c[0]))
    ]
    return (
        join((tag("h2", msg("Why")), html_table(["Rule", "Shares", "For example"], rows)))
        if rows
        else HtmlText("")
    )


def _change(change: Data) -> Message:
    if change["given"] is None:
        return msg("{field}: {asked} is dropped", field=change["field"], asked=change["asked"])
    return msg(
        "{field}: {asked} becomes {given}",
        field=change["field"],
        asked=change["asked"],
        given=change["given"],
    )


def _shares(shares: Sequence[Data]) -> HtmlText:
    rows = [
        [
            _mark(share["verdict"]),
            "/".join(
                p
                for p in (share["object"]["namespace"], share["object"]["kind"], share["object"]["name"])
                if p
            ),
            share["container"],
            share["from"],
            _becomes(share),
            share["file"],
        ]
        for share in shares
    ]
    head = ["Verdict", "Workload", "Container", "From", "What becomes of it", "File"]
    return join((tag("h2", msg("Shares")), html_table(head, rows))) if rows else HtmlText("")


def _becomes(share: Data) -> str:
    if share["verdict"] == "refused":
        errors = [d for d in share["diagnostics"] if d["severity"] == "error"]
        return _several(msg("{code} {message}", code=d["code"], message=d["message"]) for d in errors)
    filled = [_filled(each) for each in share["filled"]]
    return _several([*map(_change, (*share["changes"], *share["dropped"])), *filled])


def _filled(field: Data) -> Message:
    if field["given"] is None:
        return msg("{field}: has to be set", field=field["field"])
    return msg("{field}: set to {given}", field=field["field"], given=field["given"])


def _several(parts: Iterable[Message]) -> str:
    return join_and(parts, "{before}; {last}")


def _quotas(quotas: Sequence[Data]) -> HtmlText:
    rows = [
        [
            f"{quota['file']}:{quota['line']}",
            f"{quota['key']} {quota['value']}",
            msg("not translated" if quota["verdict"] == "left" else quota["verdict"]),
            " ".join(str(quota[name]) for name in ("newKey", "newValue") if quota[name] is not None),
        ]
        for quota in quotas
    ]
    head = ["At", "Amount", "Verdict", "Becomes"]
    return join((tag("h2", msg("Quotas")), html_table(head, rows))) if rows else HtmlText("")


def _leftovers(leftovers: Sequence[Data]) -> HtmlText:
    rows = [
        [
            f"{leftover['file']}:{leftover['line']}",
            leftover["code"],
            localized(leftover["message"]),
            localized(leftover["hint"] or ""),
        ]
        for leftover in leftovers
    ]
    head = ["At", "Rule", "What", "What to do"]
    return join((tag("h2", msg("Not translated")), html_table(head, rows))) if rows else HtmlText("")


# The page of a plan (``gpuxlate-plan/v1``): every card with what is on it.
HUE_STEP = 137
"""Degrees between the colours of two numbers that follow: far apart, whatever their count."""
LEGEND = 40
"""Rows of a legend that are open; more are behind a click, and on paper."""
DIGIT = 6
"""Percent of a bar that one digit takes: a number that has no room is left out, never cut."""
SUMMARY = ("Target", "Cards", "Nodes", "Not packed", "At least", "Compute", "Memory", "For rounding")
PlanData = Mapping[str, Any]
HeldKey = tuple[str, str, int, int, str]
"""Workload, container, percent, MiB, and the part of a card that it is; empty for numbers."""


def plan_page(data: PlanData, heading: str, footer: str) -> str:
    """The page of a whole plan. ``heading``: the inputs and the date; ``footer``: the version and the
    command."""
    every = [(plan, True) for plan in data["before"]] + [(plan, False) for plan in data["targets"]]
    head = [*SUMMARY, *(["As scheduled"] if any("scheduled" in plan for plan, _ in every) else [])]
    return html_page(
        msg("GPU plan"),
        tag("h1", msg("GPU plan")),
        _aside(heading),
        html_table(head, [_row(plan, before) for plan, before in every]),
        *(_target(plan, before) for plan, before in every),
        _uncounted(data["uncounted"]),
        _aside(msg("Only GPUs are considered: CPU, memory of the node and taints are not.")),
        _aside(footer),
    )


def _name(plan: PlanData, before: bool) -> str:
    return msg("{target} (before)", target=plan["target"]) if before else str(plan["target"])


def _row(plan: PlanData, before: bool) -> list[object]:
    bound, use = plan["lowerBound"], plan["use"]
    least = msg("optimal") if plan["proved"] else join_and([_of(bound, "card"), _of(bound, "node")])
    least = least if plan["cards"] else msg("nothing packed")
    missing = len(plan["refused"]) + len(plan["nowhere"])
    return [
        tag("b", _name(plan, before)),
        plan["cards"],
        plan["nodes"],
        tag("b", missing, class_="bad") if missing else 0,
        least,
        f"{_percent(use['cores'])} %",
        f"{_percent(use['memoryMiB'])} %",
        plan["rounding"]["cards"],
        *(_scheduled(scheduled) for scheduled in (plan.get("scheduled"),) if scheduled),
    ]


def _scheduled(scheduled: PlanData) -> str:
    """The nodes that the cluster needs, and the pods that wait on those of the packing."""
    waiting = sum(workload["pods"] for workload in scheduled["waiting"])
    nodes = _of(scheduled, "node")
    if not waiting:
        return nodes
    return msg("{nodes}; {pods} would wait", nodes=nodes, pods=_plural(waiting, "pod"))


def _of(counts: PlanData, noun: str) -> Message:
    """``1 card``, ``2 cards``, by the plural of the noun in the data."""
    return _plural(counts[f"{noun}s"], noun)


def _plural(count: int, noun: str) -> Message:
    return plural(count, f"{{count}} {noun}", f"{{count}} {noun}s")


def _percent(use: PlanData) -> int:
    return 100 * use["taken"] // use["there"] if use["there"] else 0


def _target(plan: PlanData, before: bool) -> HtmlText:
    keys = _keys(plan)
    node = plan["node"]
    each = [
        *([node["model"]] if node["model"] else []),
        msg("{cards} to a node", cards=_of(node, "card")),
        msg("{usable} MiB to share on each", usable=node["usableMiB"]),
    ]
    about = msg(
        "{shares} in {pods} on {cards} of {nodes}: {each}",
        **{f"{noun}s": _of(plan, noun) for noun in ("share", "pod", "card", "node")},
        each=join_and(each),
    )
    return join(
        (
            tag("h2", _name(plan, before)),
            tag("p", about),
            html_list(_notes(plan)),
            _price(plan),
            _refused(plan),
            _plan_leftovers(plan["leftovers"]),
            _legend(keys),
            tag("div", *_nodes(plan, keys), class_="nodes"),
        )
    )


def _price(plan: PlanData) -> HtmlText:
    """What each workload holds of the cards, and what the nodes cost for an hour."""
    if "price" not in plan:
        return HtmlText("")
    each = msg("{price} for each card and hour", price=rounded_text(plan["price"]["perCard"]))
    return join(
        (tag("p", each), html_table(["Workload", "Pods", "Cards", "Price"], price_rows(plan["price"])))
    )


def _notes(plan: PlanData) -> Iterator[object]:
    yield from plan["remarks"]
    yield from plan["scheduled"]["remarks"] if "scheduled" in plan else ()
    for workload in plan["nowhere"]:
        values = {
            "workload": workload["workload"],
            "pods": _of(workload, "pod"),
            "reason": workload["reason"],
        }
        yield tag("span", msg("not packed: {workload}, {pods}: {reason}", **values), class_="bad")


def _refused(plan: PlanData) -> HtmlText:
    if not plan["refused"]:
        return HtmlText("")
    rows = [
        [_object(item), item["container"], msg(item["verdict"]), _why(item), item["file"]]
        for item in plan["refused"]
    ]
    return _folded(
        msg("not packed: {shares}", shares=_plural(len(rows), "share")),
        ["Workload", "Container", "Verdict", "Why", "File"],
        rows,
    )


def _object(item: PlanData) -> str:
    ref = item["object"]
    return "/".join(part for part in (ref["namespace"], ref["kind"], ref["name"]) if part)


def _why(item: PlanData) -> str:
    errors = [d for d in item["diagnostics"] if d["severity"] == "error"]
    return _several(msg("{code} {message}", code=d["code"], message=d["message"]) for d in errors)


def _folded(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> HtmlText:
    inside = html_table(head, rows)
    attributes = {"open": ""} if len(rows) <= LEGEND else {}
    return tag("details", tag("summary", title), inside, **attributes)


def _keys(plan: PlanData) -> dict[HeldKey, int]:
    """The kinds of containers in the pictures, numbered: those that take most room first."""
    keys: Counter[HeldKey] = Counter()
    for node in plan["layout"]:
        for card in node["cards"]:
            keys.update(map(_key, card["held"]))
    ordered = sorted(keys, key=lambda key: (-keys[key] * key[3], key))
    return {key: number for number, key in enumerate(ordered, 1)}


def _key(held: PlanData) -> HeldKey:
    return held["workload"], held["container"], held["cores"], held["memoryMiB"], held["part"] or ""


def _legend(keys: Mapping[HeldKey, int]) -> HtmlText:
    if not keys:
        return HtmlText("")
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
    title = tag("summary", msg("What the numbers on each card mean"))
    return tag("details", title, tag("ul", *rows, class_="legend"), **attributes)


def _amount(key: HeldKey) -> str:
    _, _, cores, memory, part = key
    if part:
        return part
    compute = msg("{percent} %", percent=cores) if cores else msg("compute not capped")
    return join_and([compute, msg("{count} MiB", count=memory)])


def _colour(number: int) -> str:
    return f"hsl({number * HUE_STEP % 360} 70% {72 + number % 3 * 6}%)"


def _nodes(plan: PlanData, keys: Mapping[HeldKey, int]) -> Iterator[HtmlText]:
    usable = plan["node"]["usableMiB"]
    for number, node in enumerate(plan["layout"], 1):
        cards = [_card(index, card, keys, usable) for index, card in enumerate(node["cards"])]
        yield tag(
            "section",
            tag("h3", msg("node {number}", number=number)),
            tag("div", *cards, class_="cards"),
            class_="node",
        )


def _card(index: int, card: PlanData, keys: Mapping[HeldKey, int], usable: int) -> HtmlText:
    held = sorted(card["held"], key=lambda share: keys[_key(share)])
    if not held:
        return tag(
            "div",
            msg("card {index}: free", index=index),
            tag("div", class_="bar"),
            tag("div", class_="bar"),
            class_="card",
        )
    compute, memory = card["cores"], card["memoryMiB"]
    return tag(
        "div",
        msg("card {index}: compute {compute} %", index=index, compute=compute),
        _bar(held, keys, "cores", 100, compute),
        _bar(held, keys, "memoryMiB", usable, memory),
        msg("memory {memory} of {usable} MiB", memory=memory, usable=usable),
        tag(
            "div",
            msg("shares {numbers}", numbers=_listed([keys[_key(share)] for share in held])),
            class_="dim",
        ),
        class_="card",
    )


def _listed(numbers: Sequence[int]) -> str:
    """``3, 2 x 15``."""
    counts = Counter(numbers)
    return ", ".join(f"{count} x {number}" if count > 1 else str(number) for number, count in counts.items())


def _bar(
    held: Sequence[PlanData], keys: Mapping[HeldKey, int], field: str, capacity: int, total: int
) -> HtmlText:
    """The containers, then what init containers have reserved beyond these. ``total``: of them together."""
    parts = []
    free = total
    for share in sorted(held, key=lambda share: "init" in share):
        size = min(share[field], free)
        free -= size
        if size:
            key = _key(share)
            number = keys[key]
            style = f"width:{100 * size / max(1, capacity):.2f}%;background:{_colour(number)}"
            label = number if 100 * size >= capacity * len(str(number)) * DIGIT else ""
            parts.append(tag("i", label, style=style, title=f"{number}: {key[0]} {key[1]}"))
    return tag("div", *parts, class_="bar")


def _plan_leftovers(leftovers: Sequence[PlanData]) -> HtmlText:
    """What is not translated at one target."""
    if not leftovers:
        return HtmlText("")
    rows = [
        [f"{leftover['file']}:{leftover['line']}", leftover["code"], localized(leftover["message"])]
        for leftover in leftovers
    ]
    title = msg("{leftovers} on no card", leftovers=_plural(len(rows), "leftover"))
    return _folded(title, ["At", "Rule", "What"], rows)


def _uncounted(uncounted: Sequence[PlanData]) -> HtmlText:
    """Whole cards of no dialect, which no target counts."""
    rows = [[f"{finding['file']}:{finding['line']}", localized(finding["message"])] for finding in uncounted]
    return join((tag("h2", msg("Not counted")), html_table(["At", "What"], rows))) if rows else HtmlText("")
