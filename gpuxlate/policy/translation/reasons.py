"""Why a share is not translated: the rule's code, and the value that would do, as CEL over a share ``s``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpuxlate.model.diagnostics import LossKind
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.model.sheet import BYTE, Per
from gpuxlate.policy.translation.laws import Grid
from gpuxlate.policy.translation.learn import MOST_MIB, Branch
from gpuxlate.policy.translation.probe import FULL, Refusal
from gpuxlate.policy.translation.shares import Tables, shaped
from gpuxlate.rules.predicates.cel import text

NOT_A_SHARE = "GX011"
_GRIDS = {"cores": ("c", "cores"), "mib": ("m", "memory_mib"), "percent": ("p", "memory_percent")}


class Reason(NamedTuple):
    """``want``: what to write, in CEL."""

    condition: str
    code: str
    want: str = "''"


def reasons(tables: Tables) -> Iterator[Reason]:
    """In the order in which they count. The last that holds for no share is left to the general one."""
    yield Reason("s.sh == 'bad'", NOT_A_SHARE)
    for code, pairs in _by_code(tables).items():
        yield Reason(tables.conflicting(pairs), code)
    taken: dict[tuple[str, str], list[str]] = {}
    for number, branch in enumerate(tables.branches):
        for (kind, value), why in branch.refused.items():
            conditions = {
                "place": "s.init" if value == "init" else "!s.init && variables.places.size() > 1",
                "policy": f"variables.policy == {text(value)}",
                "isolation": f"variables.isolation == {text(value)}",
            }
            if kind in conditions:
                condition = f"s.b == {number} && {conditions[kind]}"
                taken.setdefault((why.code, _remedy(tables, why)), []).append(condition)
    for found in tables.refused:
        ends = [least for least, _ in found.whys[1:]]
        for (least, why), end in zip(found.whys, (*ends, 0), strict=True):
            cores = f" && s.c >= {least}" * bool(least) + f" && s.c < {end}" * bool(end)
            if why.code:
                key = (why.code, _remedy(tables, why))
                taken.setdefault(key, []).append(f"s.b < 0 && {shaped(found)}{cores}")
    for branch in tables.branches:
        for name, grid in branch.grids.items():
            for condition, code, want in _off_grid(tables, branch, name, grid):
                taken.setdefault((code, want), []).append(f"s.b < 0 && {shaped(branch)} && {condition}")
    for (code, want), some in taken.items():
        yield Reason(" || ".join(f"({one})" for one in dict.fromkeys(some)), code, want)


def _by_code(tables: Tables) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for pair, why in tables.conflicts.items():
        if why.code:
            found.setdefault(why.code, []).append(pair)
    return found


def _off_grid(tables: Tables, branch: Branch, name: str, grid: Grid) -> Iterator[tuple[str, str, str]]:
    """Numbers that the target has no value for, and the next one that it has."""
    letter, field = _GRIDS[name]
    number = f"s.{letter}"
    most = MOST_MIB if name == "mib" else FULL - 1
    here = grid.written(number, rounds=tables.round_up)
    for kind, condition in (
        ("low", f"{number} > 0 && {number} < {grid.least}"),
        ("step", f"{number} > {grid.least} && {number} <= {grid.most} && !({here})"),
        ("high", f"{number} > {grid.most} && {number} <= {most}"),
    ):
        why = branch.refused.get((name, kind))
        if why is not None:
            value = None if kind == "high" else grid.written_up(number)
            yield condition, why.code, "''" if value is None else _written(tables, field, value)


def _written(tables: Tables, field: str, each: str) -> str:
    """The key of a field with a value of each card, in CEL."""
    terms = []
    for row in tables.source.rows:
        if row.says == field:
            unit = tables.source.unit(row)
            total = f"({each}) * s.n" if row.per is Per.TOTAL else f"({each})"
            if unit == BYTE:
                value = f"string({total}) + 'Mi'"
            else:
                value = f"string(({total} * {unit.denominator} + {unit.numerator - 1}) / {unit.numerator})"
                value = f"string({total})" if unit == 1 else value
            terms.append(f"({text(row.name)} in s.l ? {text(f'; write {row.name}: ')} + {value} : '')")
    return " + ".join(terms) or "''"


def _remedy(tables: Tables, why: Refusal) -> str:
    """Which key to add or to remove, as a text in CEL."""
    field = next((name for name, known in JSON_NAMES.items() if known == why.field), "")
    rows = [row.name for row in tables.source.rows if row.says == field]
    keys = rows or [word.key for word in tables.source.words if word.field == field]
    if keys and why.kind is LossKind.FILLED:
        return text(f"; add {keys[0]}")
    if keys and why.kind is LossKind.DROPPED:
        return text(f"; remove {keys[0]}")
    return "''"
