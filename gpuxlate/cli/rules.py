"""``gpuxlate rules``: the list of rules."""

from __future__ import annotations

from gpuxlate.backends import registry
from gpuxlate.cli import common, options
from gpuxlate.cli.explain import rule_json
from gpuxlate.cli.tables import table
from gpuxlate.model.messages import say
from gpuxlate.rules import catalog


def command(output: options.Output = "table") -> int:
    """The list of rules."""
    rules = catalog.all_rules(registry.all_backends()).values()
    if output == "json":
        common.out(common.write_json({"format": "gpuxlate-rules/v1", "rules": [rule_json(r) for r in rules]}))
    elif output == "table":
        rows = [[r.code, str(r.severity), r.fix or "", r.summary] for r in rules]
        common.out(table(["CODE", "SEVERITY", "FIX", "DESCRIPTION"], rows))
    else:
        raise common.CliError(say("invalid value {output!r} for -o", output=output), "formats: table, json")
    return common.Exit.CLEAN
