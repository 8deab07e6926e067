"""The validations of a policy: conditions, and what a user is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuxlate import locale
from gpuxlate.model import site
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import msg
from gpuxlate.policy.cel import PARAMETERS, closed, text, to_cel
from gpuxlate.policy.demands import Demand, wanted
from gpuxlate.policy.layout import text_in_lines
from gpuxlate.policy.style import Object, PolicyStyle
from gpuxlate.policy.subjects import Subject
from gpuxlate.rules.base import Rule


@record
class Validation:
    """One validation. ``broken``: the names of the containers that break it, under ``variable``."""

    rule: Rule
    expression: str
    sentence: str
    variable: str = ""
    broken: str = ""
    where: str = ""
    parameters: tuple[str, ...] = ()
    guard: str = ""

    def validation(self) -> Object:
        code = self.rule.code
        guarded = f"!variables.{self.guard} || " if self.guard else ""
        found = {"expression": f"{text(code)} in variables.ignored || {guarded}{self.expression}"}
        named = "".join(
            f" + {text(f' ({one} ')} + string(({PARAMETERS})[{text(one)}]) + ')'" for one in self.parameters
        )
        if self.variable:
            names = f"variables.{self.variable}.join(', ')"
            before, after = text(f"{code}: {self.where}"), text_in_lines(f": {self.sentence}")
            found["messageExpression"] = f"{before} + {names} + {after}{named}"
        elif named:
            found["messageExpression"] = f"{text_in_lines(f'{code}: {self.sentence}')}{named}"
        # where an expression says it, for the case that this is too long for a server
        message = site.rule_help(code) if "messageExpression" in found else self.sentence
        return {**found, "message": f"{code}: {message}", "reason": "Invalid"}


def numbered(
    demands: Sequence[Demand], subject: Subject, style: PolicyStyle, guard: str = "", *, several: bool = False
) -> Iterator[Validation]:
    """The validations: one for each demand on pods, one for all demands of a rule on containers.

    ``guard``: the variable that says whether the dialect is spoken. ``several``: other dialects have the
    same rules in the same policy.
    """
    tell = locale.translator(style.language)
    where = "" if subject.suffix else f"{tell(msg('container'))} "
    by_code: dict[str, list[Demand]] = {}
    for one in demands:
        by_code.setdefault(one.rule.code, []).append(one)
    for code, mine in by_code.items():
        of_containers = [one for one in mine if one.constraint.per_container]
        for one in mine:
            if one not in of_containers:
                holds = closed(subject.kept(to_cel(one.constraint.demand), code))
                told = sentence(one.rule, wanted(one.constraint), style, _numbers([one]))
                yield Validation(one.rule, holds, told, parameters=_names([one]), guard=guard)
        if not of_containers:
            continue
        kept: dict[str, list[str]] = {}
        for one in of_containers:
            kept.setdefault(wanted(one.constraint), []).append(to_cel(one.constraint.demand))
        joined = {write: " && ".join(parts) for write, parts in kept.items()}
        write = next(iter(kept)) if len(kept) == 1 else ""
        told = sentence(mine[0].rule, write, style, _numbers(of_containers))
        broken = subject.breakers({tell(write) or code: one for write, one in joined.items()}, code)
        of_all = several and mine[0].rule not in subject.backend.rules
        variable = f"{code}_{subject.backend.name.replace('-', '_')}" if of_all else code
        holds = f"variables.{variable}.size() == 0"
        yield Validation(mine[0].rule, holds, told, variable, broken, where, _names(of_containers), guard)


def _names(demands: Sequence[Demand]) -> tuple[str, ...]:
    """The parameters of some demands, once each."""
    return tuple(dict.fromkeys(there.name for one in demands for there in one.parameters))


def _numbers(demands: Sequence[Demand]) -> str:
    """The numbers of the cluster that are in the expressions of some demands, as a text."""
    found = {there.name: there.value for one in demands for there in one.numbers}
    return ", ".join(f"{name} {value}" for name, value in found.items())


def sentence(rule: Rule, write: str, style: PolicyStyle, numbers: str = "") -> str:
    """What the rule demands, what to write, its page, and the numbers of the cluster."""
    translate = locale.translator(style.language)
    what = locale.summary(rule.code, rule.summary, style.language).replace("`", "").rstrip(".。")
    more = f"; {translate(write)}" if write else ""
    return f"{translate(msg('required: {what}', what=what))}{more} ({site.rule_help(rule.code)})" + (
        f" ({numbers})" if numbers else ""
    )
