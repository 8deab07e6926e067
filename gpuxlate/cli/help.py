"""``--help`` in the language of this process, in lines that fit its width.

The library breaks lines at spaces, which Chinese does not have, and knows no language but English. The texts
are those of the declarations: the paragraphs of docstrings, and ``help=``, as message ids.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import Any

from gpuxlate.cli.options import GLOBAL
from gpuxlate.cli.tables import fold
from gpuxlate.locale import localize
from gpuxlate.model.declarations import regex
from gpuxlate.model.messages import msg, titled
from gpuxlate.report.characters import width

MAX_NAME_COLUMNS = 30
"""The columns of names; texts of longer ones begin in the next line."""
_EXTRA = regex(r"(.*?)(?:  \[(.*)\])?", re.DOTALL)
_RANGE = regex(r"(?:x>=)?(\d+)(?:<=x<=(\d+))?")


HELP_EXAMPLES: dict[str, tuple[str, str]] = {
    "gpuxlate": ("translate deploy/ --to tke --diff", "help lint"),
    "gpuxlate render": (
        "share.yaml --to vke,ack,tke --output-dir out",
        "share.yaml --to tke | kubectl apply -f -",
    ),
    "gpuxlate translate": (
        "deploy/ --from ack --to tke --diff",
        "deploy/ --to tke --round up --output-dir out",
    ),
    "gpuxlate sync": ("", "--check"),
    "gpuxlate parse": ("deploy/", "- < deploy.yaml"),
    "gpuxlate lint": ("deploy/ --fix", "deploy/ --select TKE -o sarif"),
    "gpuxlate explain": ("TKE002", "TKE002 --lang zh"),
    "gpuxlate rules": ("TKE --fixable", "-o json"),
    "gpuxlate targets": ("tke", "--cards"),
    "gpuxlate compare": ("share.yaml --to vke,ack,tke", "share.yaml --to vke,tke --manifests"),
    "gpuxlate assess": ("deploy/ --to vke,tke", "deploy/ --to tke --html report.html"),
    "gpuxlate inspect": ("deploy/", "deploy/ -o json"),
    "gpuxlate plan": (
        "deploy/ --to tke --node A10-24GB:4",
        "deploy/ --to vke,tke --node A10-24GB:4 --html plan.html",
    ),
    "gpuxlate cost": (
        "share.yaml --to emr-ray --card A10 --hours 24",
        "deploy/ --to vke --price A10-24GB=10.5",
    ),
    "gpuxlate verify": ("share.yaml --nvidia-smi smi.txt", "share.yaml --nvidia-smi - < smi.txt"),
    "gpuxlate nodepool": ("share.yaml --to vke", "share.yaml --to vke --check profile.yaml"),
    "gpuxlate policy": ("--to tke > policies.yaml", "--to tke --explain"),
    "gpuxlate schema": ("spec --check share.yaml", "config > config.schema.json"),
    "gpuxlate completion": ("bash > /etc/bash_completion.d/gpuxlate", "zsh"),
    "gpuxlate krm": ("< resources.yaml", "function.yaml < deploy.yaml"),
    "gpuxlate server": ("", "--to tke"),
    "kubectl gpuxlate": ("inspect -A", "help capacity"),
    "kubectl gpuxlate translate": ("deploy/web -n ml --to tke", "deploy -A --to tke > translated.yaml"),
    "kubectl gpuxlate parse": ("deploy/web -n ml", "-A"),
    "kubectl gpuxlate lint": ("-A", "deploy -n ml --fail-on warning"),
    "kubectl gpuxlate assess": ("-A --to tke", "-n ml --to vke,tke -o json"),
    "kubectl gpuxlate inspect": ("-A", "deploy/web -n ml"),
    "kubectl gpuxlate plan": ("-A --to tke --node A10-24GB:4", "-n ml --to vke,tke --node A10-24GB:4"),
    "kubectl gpuxlate nodes": ("-o profile", "-l pool=gpu -o json"),
    "kubectl gpuxlate capacity": ("-f deploy.yaml", "--pods"),
    "kubectl gpuxlate why": ("pod/web -n ml", "deploy/web -o json"),
    "kubectl gpuxlate preflight": ("share.yaml --to vke", "share.yaml --to vke -o json"),
    "kubectl gpuxlate apply": ("-f deploy.yaml --dry-run server", "-f deploy.yaml --diff"),
    "kubectl gpuxlate policy": ("--apply", "--to tke > policies.yaml"),
    "kubectl gpuxlate verify": ("web-0 -n ml", "web-0 -n ml -o json"),
}
"""The arguments of two examples of each command; the plug-in has those of ``gpuxlate`` where it has none."""


def write_help(command: Any, ctx: Any, formatter: Any) -> None:
    """The whole help of a command, or of the application."""
    formatter.write_usage(ctx.command_path, " ".join(command.collect_usage_pieces(ctx)), localize("Usage: "))
    for paragraph in help_text(command):
        formatter.write("\n")
        formatter.write("".join(f"  {line}\n" for line in fold(localize(paragraph), formatter.width - 2)))
    path = ctx.command_path
    formatter.write(f"\n{localize(msg('{title}:', title=msg('Examples')))}\n")
    for arguments in HELP_EXAMPLES.get(path) or HELP_EXAMPLES[path.removeprefix("kubectl ")]:
        formatter.write(f"  {path} {arguments}".rstrip() + "\n")
    _write_options(command, ctx, formatter)
    for title, commands in getattr(command, "groups", {}).items():
        _write_rows(title, [(name, localize(text)) for name, text in commands.items()], formatter)


def help_text(command: Any) -> list[str]:
    """The paragraphs of the help of a command, in English, each one line."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return [" ".join(paragraph.split()) for paragraph in paragraphs if paragraph]


def _row(param: Any, name: str, text: str) -> tuple[str, str]:
    """A parameter with its text; in brackets, values that its name does not show, and what typer adds."""
    parts = _EXTRA.fullmatch(text)
    assert parts is not None
    extra = [_extra(part) for part in parts[2].split("; ")] if parts[2] else []
    choices = getattr(getattr(param, "type", None), "choices", ())
    if param.metavar and choices and param.metavar not in choices:
        extra.insert(0, ", ".join(choices))
    return name, " ".join([localize(parts[1]), *([f"[{'; '.join(extra)}]"] if extra else [])])


def _extra(text: str) -> str:
    if limits := _RANGE.fullmatch(text):
        low, high = limits.groups()
        return localize(
            msg("{low} to {high}", low=low, high=high) if high else msg("at least {low}", low=low)
        )
    title, colon, value = text.partition(": ")
    return localize(titled(title, value)) if colon else localize(text)


def _write_options(command: Any, ctx: Any, formatter: Any) -> None:
    """Arguments, options, and those that every command has."""
    parts: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Global options": []}
    for param in command.get_params(ctx):
        row = param.get_help_record(ctx)
        if row is not None:
            title = "Global options" if param.name in GLOBAL and ctx.parent else "Options"
            parts["Arguments" if param.param_type_name == "argument" else title].append(_row(param, *row))
    for title, rows in parts.items():
        _write_rows(title, rows, formatter)


def _write_rows(title: str, rows: Iterable[tuple[str, str]], formatter: Any) -> None:
    """Names with their texts beside them, below a title; nothing where there are none."""
    rows = list(rows)
    if not rows:
        return
    text_column = min(max(width(name) for name, _ in rows), MAX_NAME_COLUMNS) + 2
    formatter.write("\n" + localize(msg("{title}:", title=msg(title))) + "\n")
    for name, text in rows:
        first, *rest = fold(text, formatter.width - text_column - 2) or [""]
        gap = (
            " " * (text_column - len(name))
            if len(name) <= text_column - 2
            else "\n" + " " * (text_column + 2)
        )
        formatter.write(f"  {name}{gap}{first}".rstrip() + "\n")
        formatter.write("".join(" " * (text_column + 2) + f"{line}\n" for line in rest))
