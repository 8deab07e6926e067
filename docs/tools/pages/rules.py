"""The list of rules, and a page for each, from their docstrings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain

import yaml

from docs.tools.markdown import fenced, rule_link, table, with_blocks
from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.rules.base import Rule
from gpuxlate.rules.catalog import all_rules

OWN = {"K8S": "Kubernetes", "GX": "gpuxlate"}
"""What the codes of no target are about, by prefix; they come first. The others have their target's title."""
WITH_PROFILE = "With this profile of the cluster:"
PROFILE = "```yaml profile"
"""How docstrings mark the profile that an example is checked with."""


def pages() -> Iterator[tuple[str, str]]:
    yield "rules.md", _list()
    yield "rules.zh.md", _chinese_list()
    for rule in chain.from_iterable(groups().values()):
        yield f"rules/{rule.code}.md", _page(rule)


def navigation() -> list[dict[str, list[str]]]:
    """The pages of the rules, by what they are about."""
    return [{short(title): [f"rules/{rule.code}.md" for rule in group]} for title, group in groups().items()]


def _prefix(rule: Rule) -> str:
    return rule.code[:-3]


@cache
def groups() -> dict[str, list[Rule]]:
    """The rules by what their codes are about, in the order of the list."""
    backends = [*registry.all_backends()]
    titles = dict(OWN)
    for backend in backends:
        for rule in backend.rules:
            titles.setdefault(_prefix(rule), backend.title)
    rules_by_title: dict[str, list[Rule]] = {title: [] for title in titles.values()}
    for rule in sorted(all_rules(backends).values(), key=lambda rule: rule.code):
        rules_by_title[titles[_prefix(rule)]].append(rule)
    return rules_by_title


def short(title: str) -> str:
    """Whose codes they are: "Tencent TKE" of "Tencent TKE, qGPU"."""
    return title.partition(",")[0]


def _list() -> str:
    lines = [
        "# Rules",
        "",
        "The rules that `lint` and `translate` check. `gpuxlate explain CODE` says what each demands and",
        "why, with an example and its source.",
        "",
    ]
    for title, group in groups().items():
        lines += [f"## {short(title)}", ""]
        lines += table(["code", "severity", "fix", "requirement"], [_row(rule) for rule in group])
        lines.append("")
    return "\n".join(lines)


def _row(rule: Rule) -> list[str]:
    # the anchor was a heading when all rules stood on one page: links to it still lead somewhere
    anchor = f'<a id="{rule.code.lower()}"></a>'
    return [anchor + rule_link(rule.code), str(rule.severity), rule.fix or "", rule.summary]


def _page(rule: Rule) -> str:
    fix = f", {rule.fix} fix" if rule.fix else ""
    parts = [
        f"# {rule.code} {rule.name}",
        f"**{str(rule.severity).capitalize()}{fix}.** {rule.summary}",
    ]
    for title, body in rule.sections.items():
        parts += [f"## {title}", _apart(body)]
    return "\n\n".join(parts) + "\n"


def _chinese_list() -> str:
    about = (
        "`lint` 和 `translate` 检查的规则。`gpuxlate explain CODE --lang zh` 说明一条规则，"
        "火山引擎、阿里云、腾讯云和 HAMi 的规则为中文，其余为英文。"
    )
    lines = ["# 规则", "", about, ""]
    tell = locale.translator("zh")
    for title, group in groups().items():
        rows = [
            [
                f'<a id="{rule.code.lower()}"></a>{rule_link(rule.code)}',
                tell(str(rule.severity)),
                tell(rule.fix or ""),
                locale.summary(rule.code, rule.summary, "zh"),
            ]
            for rule in group
        ]
        lines += [f"## {tell(title)}", "", *table(["代码", "级别", "修复", "要求"], rows), ""]
    return "\n".join(lines)


def _apart(body: str) -> str:
    """Fenced blocks with a blank line before and after, as every Markdown wants them."""
    lines: list[str] = []
    inside = False
    for line in body.splitlines():
        fence = line.startswith("```")
        if fence and not inside and lines and lines[-1]:
            lines.append("")
        if line == PROFILE:
            lines += [WITH_PROFILE, ""]
        lines.append("```yaml" if line == PROFILE else line)
        inside ^= fence
    return with_blocks(
        "\n".join(lines),
        lambda kind, body: fenced(kind, in_blocks(body) if kind == "yaml" else body),
    )


def in_blocks(text: str) -> str:
    """An example with a line for each key, as manifests are written. One with comments, anchors or a syntax
    of its own stays as it is: what it shows may be that."""
    if re.search(r"[#&*!]|<<|\{\{|\t", text):
        return text
    try:
        root = yaml.compose(text)
    except yaml.YAMLError:
        return text
    if root is None:
        return text
    nodes = [root]
    for node in nodes:
        if isinstance(node, yaml.CollectionNode):
            node.flow_style = node.flow_style and not node.value
            nodes += node.value if isinstance(node, yaml.SequenceNode) else chain.from_iterable(node.value)
    return str(yaml.serialize(root, width=1000))
