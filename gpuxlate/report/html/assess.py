"""The page of a fleet report (``gpuxlate-report/v1``): verdicts, reasons, shares and leftovers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gpuxlate.model.messages import plural
from gpuxlate.report.html.page import Html, join, page, table, tag

COLOURS = {
    "exact": "hsl(140 45% 72%)",
    "rounded": "hsl(200 60% 75%)",
    "filled": "hsl(48 80% 72%)",
    "dropped": "hsl(28 80% 74%)",
    "refused": "hsl(0 70% 76%)",
}
Data = Mapping[str, Any]


def assess_page(data: Data, target: str) -> str:
    """The page of a whole report."""
    title = f"Moving to {target}"
    shares, left = data["items"], data["leftovers"]
    return page(
        title,
        tag("h1", title),
        tag("p", f"{_count(shares, 'share')}, {_count(left, 'leftover')}"),
        _verdicts(data["summary"], len(shares)),
        _reasons(shares),
        _shares(shares),
        _quotas(data["quotas"]),
        _leftovers(left),
    )


def _count(found: Sequence[Data], noun: str) -> str:
    return str(plural(len(found), f"{{count}} {noun}", f"{{count}} {noun}s"))


def _verdicts(summary: Mapping[str, int], every: int) -> Html:
    found = [(verdict, count) for verdict, count in summary.items() if count]
    parts = [
        tag(
            "i", count, style=f"width:{100 * count / every:.2f}%;background:{COLOURS[verdict]}", title=verdict
        )
        for verdict, count in found
    ]
    rows = [[_mark(verdict), count] for verdict, count in found]
    return join((tag("div", *parts, class_="bar"), table(["Verdict", "Shares"], rows))) if found else Html("")


def _mark(verdict: str) -> Html:
    return tag("span", verdict, class_="key", style=f"background:{COLOURS[verdict]}")


def _reasons(shares: Sequence[Data]) -> Html:
    counts: Counter[str] = Counter()
    example: dict[str, str] = {}
    for one in shares:
        found = {each["code"]: each["message"] for each in one["diagnostics"] if each["severity"] == "error"}
        found |= {each["code"]: _change(each) for each in (*one["changes"], *one["dropped"])}
        for code, text in found.items():
            counts[code] += 1
            example.setdefault(code, text)
    rows = [
        [code, count, example[code]] for code, count in sorted(counts.items(), key=lambda c: (-c[1], c[0]))
    ]
    return join((tag("h2", "Why"), table(["Rule", "Shares", "For example"], rows))) if rows else Html("")


def _change(one: Data) -> str:
    given = "nothing" if one["given"] is None else one["given"]
    return f"{one['field']}: {one['asked']} becomes {given}"


def _shares(shares: Sequence[Data]) -> Html:
    rows = [
        [
            _mark(one["verdict"]),
            "/".join(
                p for p in (one["object"]["namespace"], one["object"]["kind"], one["object"]["name"]) if p
            ),
            one["container"],
            one["from"],
            _becomes(one),
            one["file"],
        ]
        for one in shares
    ]
    head = ["Verdict", "Workload", "Container", "From", "What becomes of it", "File"]
    return join((tag("h2", "Shares"), table(head, rows))) if rows else Html("")


def _becomes(one: Data) -> str:
    if one["verdict"] == "refused":
        errors = [d for d in one["diagnostics"] if d["severity"] == "error"]
        return "; ".join(f"{d['code']} {d['message']}" for d in errors)
    filled = [f"{each['field']}: set to {each['given']}" for each in one["filled"]]
    return "; ".join([*map(_change, (*one["changes"], *one["dropped"])), *filled])


def _quotas(quotas: Sequence[Data]) -> Html:
    rows = [
        [
            f"{one['file']}:{one['line']}",
            f"{one['key']} {one['value']}",
            one["verdict"],
            " ".join(str(one[name]) for name in ("newKey", "newValue") if one[name] is not None),
        ]
        for one in quotas
    ]
    head = ["At", "Amount", "Verdict", "Becomes"]
    return join((tag("h2", "Quotas"), table(head, rows))) if rows else Html("")


def _leftovers(left: Sequence[Data]) -> Html:
    rows = [[f"{one['file']}:{one['line']}", one["code"], one["message"], one["hint"] or ""] for one in left]
    head = ["At", "Rule", "What", "What to do"]
    return join((tag("h2", "Leftovers"), table(head, rows))) if rows else Html("")
