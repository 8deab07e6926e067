"""``gpuxlate explain CODE``: the text of a rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Self

import typer

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.cli import options, printing
from gpuxlate.model.declarations import Keywords, Output, Printed, RuleCode, record
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import msg
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Rule, Scope, UnknownRuleError


@record
class PrintedRule(Printed):
    """One rule."""

    code: RuleCode
    """Code of the rule."""
    name: str
    """What the rule requires, in words with dashes."""
    severity: Severity
    """How bad a finding is."""
    scope: Scope
    """What the rule looks at."""
    fix: Annotated[str, Keywords(enum=["safe", "unsafe"])] | None
    """The kind of its fix; null: none."""
    summary: str
    """What the rule requires, in a sentence."""
    sections: Mapping[str, str]
    """The sections of its page by title."""

    @classmethod
    def of(cls, rule: Rule) -> Self:
        """What is printed of a rule."""
        return cls(rule.code, rule.name, rule.severity, rule.scope, rule.fix, rule.summary, rule.sections)


@record
class RuleOutput(PrintedRule, Output):
    """What explain -o json prints."""

    KIND: ClassVar[str] = "rule"


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
    rule = catalog.find_rule(code, backends)
    if rule is None:
        prefix = code.upper()
        if prefix and any(rule_code.startswith(prefix) for rule_code in catalog.all_rules(backends)):
            raise UserError(
                msg("{code} is not the code of one rule", code=code),
                msg("gpuxlate rules {prefix} lists the rules", prefix=prefix),
            )
        raise UnknownRuleError(code, catalog.nearest_code(code, backends))
    if output == "json":
        printing.json_out(RuleOutput.of(rule).to_json())
    else:
        printing.out(rule_text(rule))
    return Exit.CLEAN


def rule_text(rule: Rule) -> str:
    """The rule for reading in a terminal, in the language of this process as far as it is translated."""
    from gpuxlate.cli.tables import fold

    language = locale.current_language()
    fix = f"; {locale.localize('fix')}: {locale.localize(rule.fix)}" if rule.fix else ""
    parts = [
        f"{rule.code} {rule.name} ({locale.localize(rule.severity)}{fix})",
        "",
        locale.summary(rule.code, rule.summary, language),
    ]
    sections, complete = locale.sections(rule.code, rule.sections, language)
    if not complete:
        parts += ["", locale.localize("The text of the sections below is in English.")]
    for title, body in sections.items():
        lines = body.splitlines() if body == rule.sections[title] else fold(body, EXPLAIN_WIDTH)
        parts += ["", locale.localize(title), *(f"  {line}".rstrip() for line in lines)]
    return "\n".join(parts) + "\n"


EXPLAIN_WIDTH = 98
"""The columns of translated sentences: the English ones are broken in the source."""
