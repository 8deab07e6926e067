"""The tables "what becomes of it": rows of ``moves`` translated, with the flags that each needs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import gpuxlate
from docs.tools.inserts.moves import ROWS, Row
from docs.tools.markdown import rule_link, table
from gpuxlate.model.diagnostics import Loss, LossKind

FILLED_MIB = 8192
"""On each card, where a table needs some memory."""
TURNS = 4
"""No share needs more turns of accepting what was refused."""
USUAL = "compute and memory"
"""The row that the others are told against: what is as there is not told again."""
VERDICTS = [str(verdict) for verdict in gpuxlate.Verdict]

PREFIXES = (
    "vke.volcengine.com/",
    "machine.cluster.vke.volcengine.com/",
    "katalyst.kubewharf.io/",
    "tke.cloud.tencent.com/",
    "aliyun.com/",
)
"""What the tables leave out of keys."""


@dataclass
class Result:
    """``becomes``: what is said in the end, None where nothing can be. ``notes``: what else was told."""

    becomes: list[str] | None = None
    verdict: str = "exact"
    codes: set[str] = field(default_factory=set)
    notes: set[str] = field(default_factory=set)
    flags: dict[str, Any] = field(default_factory=dict)


def rows(directions: str) -> list[str]:
    """``SOURCE TARGET``: the table of that direction."""
    source, target = directions.split()
    usual = next(row for row in ROWS[source] if row.what == USUAL)
    usual_result = result(usual, source, target)
    cells = [_usual_cells(usual, usual_result)]
    cells += [
        _cells(row, result(row, source, target), usual, usual_result)
        for row in ROWS[source]
        if row is not usual
    ]
    return table(["field", "in your manifest", "becomes", "how"], cells)


def result(row: Row, source: str, target: str) -> Result:
    """The row at a target, with every loss accepted that can be."""
    told = Result()
    for _ in range(TURNS):
        try:
            result = gpuxlate.translate(row.pod, target, from_=source, **told.flags)
        except gpuxlate.Refused as refused:
            item = refused.items[0]
            told.verdict = max(told.verdict, str(item.verdict), key=VERDICTS.index)
            open_ = [loss for loss in item.losses if not loss.accepted]
            never = {loss.code for loss in open_ if loss.kind is LossKind.REFUSED}
            if never:
                told.codes = never
                return told
            told.codes |= {finding.code for finding in refused.diagnostics if finding.severity == "error"}
            told.flags = accepting(told.flags, open_, row)
        else:
            told.becomes = list(said(result.objects[0]))
            told.notes = {finding.code for finding in result.diagnostics} - told.codes
            return told
    raise AssertionError(f"{row.what} to {target} is never accepted")


def accepting(flags: dict[str, Any], losses: list[Loss], row: Row) -> dict[str, Any]:
    """The flags, with those that accept these losses."""
    needed = dict(flags)
    for loss in losses:
        if loss.kind is LossKind.ROUNDED:
            needed["round"] = "up"
        elif loss.kind is LossKind.FILLED:
            number = row.fill if loss.field == "cores" else FILLED_MIB
            needed["fill"] = {**needed.get("fill", {}), loss.field: number}
        elif loss.kind is LossKind.DROPPED:
            needed["drop"] = (*needed.get("drop", ()), loss.field)
    return needed


# --- cells --------------------------------------------------------------------------------------


def _usual_cells(row: Row, result: Result) -> list[str]:
    return [row.what, "\n".join(said(row.pod)), "\n".join(result.becomes or ()), _how(result)]


def _cells(row: Row, result: Result, usual: Row, usual_result: Result) -> list[str]:
    written, written_usually = list(said(row.pod)), list(said(usual.pod))
    whole = {_name(line) for line in written_usually} <= {_name(line) for line in written}
    # a key that is missing is seen only beside all that are there
    told = [line for line in written if line not in written_usually] if whole else written
    return [row.what, "\n".join(told), "\n".join(_becomes(result, usual_result)), _how(result)]


def _becomes(result: Result, usual: Result) -> Iterator[str]:
    """What is other than usually, and which keys are not there."""
    if result.becomes is None:
        yield "**nothing**"
        return
    if result.verdict == "filled":  # the number that was filled in may be the usual one
        yield from result.becomes
        return
    usually = usual.becomes or []
    names = [_name(line) for line in result.becomes]
    told = [line for line in result.becomes if line not in usually]
    told += [f"no {_name(line)}`" for line in usually if _name(line) not in names and "`" in line]
    yield from told or ["the same, without this key"]


def _name(line: str) -> str:
    """A line of ``said`` up to its key."""
    return line.partition(":")[0].partition(" In ")[0]


def _how(result: Result) -> str:
    lines = [
        f"{result.verdict}: " + ", ".join(map(rule_link, sorted(result.codes)))
        if result.codes
        else result.verdict
    ]
    if result.flags and result.becomes is not None:
        lines.append(f"`{' '.join(_options(result.flags))}`")
    if result.notes:
        lines.append("reported: " + ", ".join(map(rule_link, sorted(result.notes))))
    return "\n".join(lines)


def _options(flags: dict[str, Any]) -> Iterator[str]:
    """The flags as a command line has them."""
    if "round" in flags:
        yield f"--round {flags['round']}"
    yield from (f"--fill {name}={number}" for name, number in flags.get("fill", {}).items())
    if "drop" in flags:
        yield f"--drop {','.join(flags['drop'])}"


def said(pod: dict[str, Any]) -> Iterator[str]:
    """What a pod says of GPUs, each key as code."""
    spec, metadata = pod["spec"], pod["metadata"]
    for container in spec["containers"]:
        yield from _code("", container["resources"]["limits"])
        yield from _code(
            "variable ", {variable["name"]: variable["value"] for variable in container.get("env", ())}
        )
    yield from _code("label ", metadata.get("labels", {}))
    yield from _code("annotation ", metadata.get("annotations", {}))
    yield from _code("nodeSelector ", spec.get("nodeSelector", {}))
    affinity = spec.get("affinity", {}).get("nodeAffinity", {})
    terms = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", ())
    for expression in (expression for term in terms for expression in term["matchExpressions"]):
        values = ", ".join(expression["values"])
        yield f"affinity `{_short(expression['key'])} {expression['operator']} {values}`"


def _code(kind: str, values: dict[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        yield f"{kind}`{_short(name)}: {json.dumps(value)}`"


def _short(name: str) -> str:
    """A key without the vendor's prefix."""
    return next((name.removeprefix(prefix) for prefix in PREFIXES if name.startswith(prefix)), name)
