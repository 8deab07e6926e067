"""``gpuxlate explain CODE``: a rule from its docstring."""

from __future__ import annotations

from typing import Annotated

import typer

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.cli import common, options
from gpuxlate.cli.errors import Exit
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Rule, UnknownRuleError


def command(
    code: Annotated[
        str,
        typer.Argument(
            help="The code of a rule, such as TKE002.",
            metavar="CODE",
            autocompletion=options.complete_code,
        ),
    ],
    output: options.TextOutput = "text",
) -> int:
    """Explain a rule: what it does, why, an example, the fix, the source."""
    backends = list(registry.all_backends())
    rule = catalog.find(code, backends)
    if rule is None:
        raise UnknownRuleError(code, catalog.nearest(code, backends))
    if output == "json":
        common.json_out({"format": "gpuxlate-rule/v1", **rule_json(rule)})
    else:
        common.out(as_text(rule))
    return Exit.CLEAN


def as_text(rule: Rule) -> str:
    """The rule for reading in a terminal. In other languages than English its summary is translated."""
    fix = f"; fix: {rule.fix}" if rule.fix else ""
    parts = [
        f"{rule.code} {rule.name} ({rule.severity}{fix})",
        "",
        locale.summary(rule.code, rule.summary, locale.current()),
    ]
    if locale.current() != "en":
        parts += ["", locale.localize("The text of the sections below is in English.")]
    for title, body in rule.sections.items():
        parts += ["", locale.localize(title), *(f"  {line}".rstrip() for line in body.splitlines())]
    return "\n".join(parts) + "\n"


def rule_json(rule: Rule) -> dict[str, object]:
    """The rule for programs."""
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": str(rule.severity),
        "scope": str(rule.scope),
        "fix": rule.fix,
        "summary": rule.summary,
        "sections": rule.sections,
    }
