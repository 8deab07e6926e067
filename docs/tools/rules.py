"""The list of rules, and a page for each, from their docstrings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from gpuxlate.backends import registry
from gpuxlate.rules.base import Rule
from gpuxlate.rules.catalog import all_rules
from tools.text import NOTE, rule_link, table

PREFIXES = {
    "K8S": "Kubernetes itself",
    "GX": "gpuxlate",
    "VKE": "Volcengine mGPU",
    "ACK": "Alibaba Cloud gpushare",
    "TKE": "Tencent Cloud qGPU",
    "EMR": "Volcengine EMR Serverless",
    "HAMI": "HAMi",
    "VOLC": "Volcano vGPU",
}
"""What the codes of a prefix are about, in the order of the list; others come after, by their target."""
PROFILE = "```yaml profile"
"""How docstrings mark the profile that an example is checked with."""


def pages() -> Iterator[tuple[str, str]]:
    known = sorted(all_rules(registry.all_backends()).values(), key=lambda one: (_order(one), one.code))
    yield "docs/rules.md", _list(known)
    for before, one, after in zip([None, *known], known, [*known[1:], None], strict=False):
        yield f"docs/rules/{one.code}.md", _page(one, before, after)


def prefix(rule: Rule) -> str:
    return rule.code[:-3]


def _order(rule: Rule) -> int:
    known = list(PREFIXES)
    return known.index(prefix(rule)) if prefix(rule) in known else len(known)


def _title(start: str) -> str:
    """What the codes of a prefix are about: of one that is not known, the target that declares them."""
    owners = (one for one in registry.all_backends() if any(prefix(rule) == start for rule in one.rules))
    return PREFIXES.get(start) or next(owners).title


def _list(known: list[Rule]) -> str:
    lines = [
        f"{NOTE}# Rules",
        "",
        "What `lint` and `translate` hold, each on a page of its own: what, why, an example, the source.",
        "The same text as `gpuxlate explain CODE`.",
        "",
    ]
    for start, group in groupby(known, prefix):
        lines += [f"## {_title(start)}", ""]
        lines += table(["code", "severity", "fix", "what it holds"], [_row(one) for one in group])
        lines.append("")
    return "\n".join(lines)


def _row(rule: Rule) -> list[str]:
    # the anchor was a heading when all rules stood on one page: links to it still lead somewhere
    anchor = f'<a id="{rule.code.lower()}"></a>'
    return [anchor + rule_link(rule.code), str(rule.severity), rule.fix or "", rule.summary]


def _page(rule: Rule, before: Rule | None, after: Rule | None) -> str:
    fix = f", {rule.fix} fix" if rule.fix else ""
    parts = [
        f"{NOTE}# {rule.code} {rule.name}",
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
