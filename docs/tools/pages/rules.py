"""The list of rules, and a page for each, from their docstrings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from docs.tools.markdown import rule_link, table
from gpuxlate.backends import registry
from gpuxlate.rules.base import Rule
from gpuxlate.rules.catalog import all_rules

OWN = {"K8S": "Kubernetes", "GX": "gpuxlate"}
"""What the codes of no target are about, by prefix; they come first. The others have their target's title."""
PROFILE = "```yaml profile"
"""How docstrings mark the profile that an example is checked with."""


def pages() -> Iterator[tuple[str, str]]:
    titles = _titles()
    order = list(titles)
    known = sorted(
        all_rules(registry.all_backends()).values(), key=lambda one: (order.index(_prefix(one)), one.code)
    )
    yield "rules.md", _list(known, titles)
    for before, one, after in zip([None, *known], known, [*known[1:], None], strict=False):
        yield f"rules/{one.code}.md", _page(one, before, after)


def _prefix(rule: Rule) -> str:
    return rule.code[:-3]


def _titles() -> dict[str, str]:
    """What the codes of each prefix are about, in the order of the list."""
    found = dict(OWN)
    for backend in registry.all_backends():
        for rule in backend.rules:
            found.setdefault(_prefix(rule), backend.title.partition(",")[0])
    return found


def _list(known: list[Rule], titles: dict[str, str]) -> str:
    lines = [
        "# Rules",
        "",
        "The rules that `lint` and `translate` check, one page per rule: what, why, an example, the source.",
        "The same text as `gpuxlate explain CODE`.",
        "",
    ]
    for start, group in groupby(known, _prefix):
        lines += [f"## {titles[start]}", ""]
        lines += table(["code", "severity", "fix", "requirement"], [_row(one) for one in group])
        lines.append("")
    return "\n".join(lines)


def _row(rule: Rule) -> list[str]:
    # the anchor was a heading when all rules stood on one page: links to it still lead somewhere
    anchor = f'<a id="{rule.code.lower()}"></a>'
    return [anchor + rule_link(rule.code), str(rule.severity), rule.fix or "", rule.summary]


def _page(rule: Rule, before: Rule | None, after: Rule | None) -> str:
    fix = f", {rule.fix} fix" if rule.fix else ""
    parts = [
        f"# {rule.code} {rule.name}",
        f"**{str(rule.severity).capitalize()}{fix}.** {rule.summary}",
    ]
    for title, body in rule.sections.items():
        parts += [f"## {title}", _apart(body)]
    near = ["[All rules](../rules.md)"]
    near[:0] = [f"← [{before.code}]({before.code}.md)"] if before else []
    near += [f"[{after.code}]({after.code}.md) →"] if after else []
    parts += ["---", " · ".join(near)]
    return "\n\n".join(parts) + "\n"


def _apart(body: str) -> str:
    """Fenced blocks with a blank line before and after, as every Markdown wants them."""
    lines: list[str] = []
    inside = False
    for line in body.splitlines():
        fence = line.startswith("```")
        if fence and not inside and lines and lines[-1]:
            lines.append("")
        if line == PROFILE:
            lines += ["With this profile of the cluster:", ""]
        lines.append("```yaml" if line == PROFILE else line)
        inside ^= fence
    return "\n".join(lines)
