"""The validations of a policy: conditions and messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuxlate import locale
from gpuxlate.model import site
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import msg
from gpuxlate.policy.cel import PARAMETERS, cel_string, in_brackets, to_cel
from gpuxlate.policy.demands import Demand, advice_for
from gpuxlate.policy.layout import text_in_lines
from gpuxlate.policy.style import PolicyObject, PolicyStyle
from gpuxlate.policy.subjects import PolicySubject
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

    def validation(self) -> PolicyObject:
        """The entry of ``validations`` in the API: its expression, and its message or the expression of
        that."""
        code = self.rule.code
        guarded = f"!variables.{self.guard} || " if self.guard else ""
        fields = {"expression": f"{cel_string(code)} in variables.ignored || {guarded}{self.expression}"}
        named = "".join(
            f" + {cel_string(f' ({parameter} ')} + string(({PARAMETERS})[{cel_string(parameter)}]) + ')'"
            for parameter in self.parameters
        )
        if self.variable:
            names = f"variables.{self.variable}.join(', ')"
            before, after = cel_string(f"{code}: {self.where}"), text_in_lines(f": {self.sentence}")
            fields["messageExpression"] = f"{before} + {names} + {after}{named}"
        elif named:
            fields["messageExpression"] = f"{text_in_lines(f'{code}: {self.sentence}')}{named}"
        # where an expression says it, for the case that this is too long for a server
        message = site.rule_help(code) if "messageExpression" in fields else self.sentence
        return {**fields, "message": f"{code}: {message}", "reason": "Invalid"}


def build_validations(
    demands: Sequence[Demand],
    subject: PolicySubject,
    style: PolicyStyle,
    guard: str = "",
    *,
    several: bool = False,
) -> Iterator[Validation]:
    """The validations: one for each demand on pods, one for all demands of a rule on containers.

    ``guard``: the variable that says whether the dialect is spoken. ``several``: other dialects have the
    same rules in the same policy.
    """
    tell = locale.translator(style.language)
    where = "" if subject.suffix else f"{tell(msg('container'))} "
    by_code: dict[str, list[Demand]] = {}
    for demand in demands:
        by_code.setdefault(demand.rule.code, []).append(demand)
    for code, of_rule in by_code.items():
        of_containers = [demand for demand in of_rule if demand.constraint.per_container]
        for demand in of_rule:
            if demand not in of_containers:
                holds = in_brackets(subject.kept(to_cel(demand.constraint.demand), code))
                text = sentence(demand.rule, advice_for(demand.constraint), style, _numbers([demand]))
                yield Validation(demand.rule, holds, text, parameters=_names([demand]), guard=guard)
        if not of_containers:
            continue
        kept: dict[str, list[str]] = {}
        for demand in of_containers:
            kept.setdefault(advice_for(demand.constraint), []).append(to_cel(demand.constraint.demand))
        joined = {write: " && ".join(parts) for write, parts in kept.items()}
        write = next(iter(kept)) if len(kept) == 1 else ""
        text = sentence(of_rule[0].rule, write, style, _numbers(of_containers))
        broken = subject.breakers(
            {tell(write) or code: expression for write, expression in joined.items()}, code
        )
        of_all = several and of_rule[0].rule not in subject.backend.rules
        variable = f"{code}_{subject.backend.name.replace('-', '_')}" if of_all else code
        holds = f"variables.{variable}.size() == 0"
        yield Validation(of_rule[0].rule, holds, text, variable, broken, where, _names(of_containers), guard)


def _names(demands: Sequence[Demand]) -> tuple[str, ...]:
    """The parameters of some demands, once each."""
    return tuple(dict.fromkeys(parameter.name for demand in demands for parameter in demand.parameters))


def _numbers(demands: Sequence[Demand]) -> str:
    """The numbers of the cluster that are in the expressions of some demands, as a text."""
    values = {number.name: number.value for demand in demands for number in demand.numbers}
    return ", ".join(f"{name} {value}" for name, value in values.items())


def sentence(rule: Rule, write: str, style: PolicyStyle, numbers: str = "") -> str:
    """The message of a validation: the demand, what to write, the page, and the numbers of the cluster."""
    translate = locale.translator(style.language)
    demand = locale.summary(rule.code, rule.summary, style.language).replace("`", "").rstrip(".。")
    more = f"; {translate(write)}" if write else ""
    return f"{translate(msg('required: {what}', what=demand))}{more} ({site.rule_help(rule.code)})" + (
        f" ({numbers})" if numbers else ""
    )
