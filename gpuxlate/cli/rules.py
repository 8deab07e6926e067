"""``gpuxlate rules``: the list of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

import typer

from gpuxlate.backends import registry
from gpuxlate.cli import lookup, options, printing
from gpuxlate.cli.explain import PrintedRule
from gpuxlate.cli.tables import table
from gpuxlate.lint.settings import RuleSelection
from gpuxlate.locale import current_language, summary
from gpuxlate.model.declarations import Output, record
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.errors import Exit
from gpuxlate.model.messages import msg
from gpuxlate.rules import catalog


@record
class RulesOutput(Output):
    """What rules -o json prints."""

    KIND: ClassVar[str] = "rules"
    rules: Sequence[PrintedRule]
    """The rules that were asked for."""


def command(
    select: Annotated[
        list[str],
        typer.Argument(
            help="Only these rules (codes or prefixes), such as GX.",
            metavar="[CODE]...",
            autocompletion=options.complete_code,
            show_default=False,
        ),
    ] = [],
    to: Annotated[
        list[str],
        options.targets_option(
            "Only rules of these targets: one, a list, or all.", complete=options.complete_target
        ),
    ] = [],
    severity: Annotated[
        Severity | None, typer.Option("--severity", help="Only rules of this severity.")
    ] = None,
    fixable: Annotated[bool, typer.Option("--fixable", help="Only rules with a fix.")] = False,
    output: options.TableOutput = "table",
) -> int:
    """List the rules."""
    selection = RuleSelection.of(select, (), None, None)
    targets = lookup.targets_by_name(to, registry.all_backends, lookup.target)
    codes = {rule.code for target in targets for rule in target.rules}
    rules = [
        rule
        for rule in catalog.all_rules(registry.all_backends()).values()
        if selection.selected(rule.code)
        and (not to or rule.code in codes)
        and severity in (None, rule.severity)
        and (rule.fix or not fixable)
    ]
    if output == "json":
        printing.json_out(RulesOutput([*map(PrintedRule.of, rules)]).to_json())
    else:
        rows = [
            [
                rule.code,
                msg(rule.severity),
                msg(rule.fix) if rule.fix else "",
                summary(rule.code, rule.summary, current_language()),
            ]
            for rule in rules
        ]
        printing.out(table(["CODE", "SEVERITY", "FIX", "DESCRIPTION"], rows))
    return Exit.CLEAN
