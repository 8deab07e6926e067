"""``gpuxlate rules``: the list of rules."""

from __future__ import annotations

from typing import Annotated

import typer

from gpuxlate.backends import registry
from gpuxlate.cli import common, options
from gpuxlate.cli.errors import Exit
from gpuxlate.cli.explain import rule_json
from gpuxlate.cli.tables import table
from gpuxlate.lint.settings import RuleSelection
from gpuxlate.locale import current, summary
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.messages import msg
from gpuxlate.rules import catalog


def command(
    select: Annotated[
        list[str],
        typer.Argument(
            help="Only these rules (codes or prefixes), such as GX.",
            metavar="[CODE]...",
            autocompletion=options.complete_code,
            show_default=False,
        ),
    ] = [],  # noqa: B006 - typer copies it
    to: Annotated[
        list[str],
        options.several(
            "Only rules of these targets: one, a list, or all.", complete=options.complete_target
        ),
    ] = [],  # noqa: B006
    severity: Annotated[
        Severity | None, typer.Option("--severity", help="Only rules of this severity.")
    ] = None,
    fixable: Annotated[bool, typer.Option("--fixable", help="Only rules with a fix.")] = False,
    output: options.Output = "table",
) -> int:
    """List the rules."""
    selection = RuleSelection.of(select, (), None, None)
    targets = common.targets(to, registry.all_backends, common.target)
    known = {one.code for target in targets for one in target.rules}
    rules = [
        one
        for one in catalog.all_rules(registry.all_backends()).values()
        if selection.selected(one.code)
        and (not to or one.code in known)
        and severity in (None, one.severity)
        and (one.fix or not fixable)
    ]
    if output == "json":
        common.json_out({"format": "gpuxlate-rules/v1", "rules": [rule_json(r) for r in rules]})
    else:
        rows = [
            [one.code, msg(one.severity), one.fix or "", summary(one.code, one.summary, current())]
            for one in rules
        ]
        common.out(table(["CODE", "SEVERITY", "FIX", "DESCRIPTION"], rows))
    return Exit.CLEAN
