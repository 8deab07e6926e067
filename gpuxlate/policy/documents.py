"""ValidatingAdmissionPolicy and its binding, from what rules demand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from gpuxlate import locale
from gpuxlate.model.diagnostics import URL, Severity
from gpuxlate.model.messages import say
from gpuxlate.policy.demands import OF_WORKLOADS, Demand
from gpuxlate.policy.speech import speaks
from gpuxlate.policy.subjects import Subject, Templates
from gpuxlate.policy.wanted import wanted
from gpuxlate.rules.base import Rule
from gpuxlate.rules.predicates.cel import PARAMETERS, closed, said, text

API = "admissionregistration.k8s.io/v1"
MANAGED = "app.kubernetes.io/managed-by"
TARGET, VERSION = "gpuxlate.io/target", "gpuxlate.io/rules-version"
LONGEST_NAME, LONGEST_LABEL = 253, 63
"""Characters of a name (RFC 1123 subdomain) and of the value of a label."""
NAMESPACE = "kube-system"
"""Where the parameters are: it is in every cluster, and users do not write there."""
Object = dict[str, Any]


class Action(StrEnum):
    """What a breach does."""

    DENY = "deny"
    WARN = "warn"
    AUDIT = "audit"


ACTIONS = {Action.DENY: ["Deny"], Action.WARN: ["Warn", "Audit"], Action.AUDIT: ["Audit"]}
"""``validationActions``. The API refuses Deny and Warn together: both would say the same."""


@dataclass(frozen=True)
class Style:
    """How policies are written.

    ``action``: what a breach does; None: errors of pods are denied, the rest is a warning. ``namespaces``: a
    LabelSelector of those that they are for. ``language``: that of the messages.
    """

    action: Action | None = None
    namespaces: Object | None = None
    language: str = "en"


@dataclass(frozen=True)
class Policy:
    """One policy: of a target, for pods or workloads, of one severity. ``spec`` is that of the API."""

    name: str
    target: str
    action: Action
    spec: Object
    codes: tuple[str, ...] = ()
    namespaces: Object | None = None
    labels: Object = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def config_map(self) -> Object:
        """The object with the parameters, which all policies of a target share."""
        labels = {name: one for name, one in self.labels.items() if name != VERSION}
        metadata = {"name": _of_cards(self.target), "namespace": NAMESPACE, "labels": labels}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(self.parameters)}

    def documents(self) -> Iterator[Object]:
        """The policy and its binding."""
        metadata = {"name": self.name, "labels": self.labels}
        yield {
            "apiVersion": API,
            "kind": "ValidatingAdmissionPolicy",
            "metadata": metadata,
            "spec": self.spec,
        }
        binding: Object = {"policyName": self.name, "validationActions": ACTIONS[self.action]}
        if self.parameters:
            name = _of_cards(self.target)
            missing = {"parameterNotFoundAction": "Allow"}  # Deny would refuse every pod of the cluster
            binding["paramRef"] = {"name": name, "namespace": NAMESPACE, **missing}
        if self.namespaces:
            binding["matchResources"] = {"namespaceSelector": self.namespaces}
        yield {
            "apiVersion": API,
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": metadata,
            "spec": binding,
        }


def policy(subject: Subject, severity: Severity, demands: Sequence[Demand], style: Style) -> Policy | None:
    """The policy of one severity; None where the rules demand nothing of it.

    ``demands``: all of them with parameters, or none. A policy without its parameters is silent, so the
    others are not in it.
    """
    mine = [one for one in demands if one.severity is severity]
    parameters = {one.name: str(one.value) for demand in mine for one in demand.parameters}
    with_numbers = any(one.parameters for one in demands)
    parts = [*numbered(mine, subject, style)]
    if isinstance(subject, Templates) and severity is OF_WORKLOADS.severity and not with_numbers:
        steering = subject.steering() if subject.compared else ""
        if steering:
            parts.append(_Part(OF_WORKLOADS, steering, sentence(OF_WORKLOADS, "", style)))
    if not parts:
        return None
    used = " ".join(part for one in parts for part in (one.expression, one.broken))
    variables = [*subject.variables(used), *((one.variable, one.broken) for one in parts if one.variable)]
    spec = {
        **({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}} if parameters else {}),
        "failurePolicy": failure_policy(subject),
        "matchConstraints": {"resourceRules": subject.rules},
        "matchConditions": [
            {
                "name": f"speaks-{subject.backend.name}"[:LONGEST_LABEL],
                "expression": subject.matching(speaks(subject.backend, subject.others)),
            }
        ],
        "variables": [{"name": name, "expression": one} for name, one in variables],
        "validations": [one.validation() for one in parts],
    }
    codes = tuple(dict.fromkeys(one.rule.code for one in parts))
    target = subject.backend.name
    name = f"{_of_cards(target) if parameters else f'gpuxlate-{target}'}-{severity}s{subject.suffix}"
    return replace(made(name, subject, severity, spec, codes, style), parameters=parameters)


def _of_cards(target: str) -> str:
    return f"gpuxlate-{target}-cards"


def made(
    name: str, subject: Subject, severity: Severity, spec: Object, codes: tuple[str, ...], style: Style
) -> Policy:
    """A policy with its name and labels."""
    usual = Action.DENY if severity is Severity.ERROR and not subject.suffix else Action.WARN
    target = subject.backend.name
    labels = {MANAGED: "gpuxlate", TARGET: cut(target, LONGEST_LABEL), VERSION: version_of(spec)}
    action = style.action or usual
    return Policy(cut(name, LONGEST_NAME), target, action, spec, codes, style.namespaces, labels)


def failure_policy(subject: Subject) -> str:
    """No expression fails on what the API server has decoded. Of a custom resource it may know nothing: one
    with another structure passes, and its pods are judged when they are made."""
    return "Ignore" if isinstance(subject, Templates) and subject.custom else "Fail"


def version_of(spec: Object) -> str:
    """A short text that changes with what the rules demand."""
    return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:12]


def cut(name: str, most: int) -> str:
    """A name that is too long, cut and with a hash, as Kubernetes does with names that it makes."""
    if len(name) <= most:
        return name
    return f"{name[: most - 9].rstrip('-.')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class _Part:
    """One validation. ``broken``: the names of the containers that break it, under ``variable``."""

    rule: Rule
    expression: str
    sentence: str
    variable: str = ""
    broken: str = ""
    where: str = ""
    parameters: tuple[str, ...] = ()

    def validation(self) -> Object:
        code = self.rule.code
        found = {"expression": f"{text(code)} in variables.ignored || {self.expression}"}
        named = "".join(
            f" + {text(f' ({one} ')} + string(({PARAMETERS})[{text(one)}]) + ')'" for one in self.parameters
        )
        if self.variable:
            names = f"variables.{self.variable}.join(', ')"
            before, after = text(f"{code}: {self.where}"), text(f": {self.sentence}")
            found["messageExpression"] = f"{before} + {names} + {after}{named}"
        elif named:
            found["messageExpression"] = f"{text(f'{code}: {self.sentence}')}{named}"
        # where an expression says it, for the case that this is too long for a server
        message = f"{URL}{code}" if "messageExpression" in found else self.sentence
        return {**found, "message": f"{code}: {message}", "reason": "Invalid"}


def numbered(demands: Sequence[Demand], subject: Subject, style: Style) -> Iterator[_Part]:
    """The validations: one for each demand on pods, one for all demands of a rule on containers."""
    tell = locale.translator(style.language)
    where = "" if subject.suffix else f"{tell(say('container'))} "
    by_code: dict[str, list[Demand]] = {}
    for one in demands:
        by_code.setdefault(one.rule.code, []).append(one)
    for code, mine in by_code.items():
        of_containers = [one for one in mine if one.predicate.each]
        for one in mine:
            if one not in of_containers:
                holds = closed(subject.kept(said(one.predicate.demand), code))
                told = sentence(one.rule, wanted(one.predicate), style)
                yield _Part(one.rule, holds, told, parameters=_names([one]))
        if not of_containers:
            continue
        kept: dict[str, list[str]] = {}
        for one in of_containers:
            kept.setdefault(wanted(one.predicate), []).append(said(one.predicate.demand))
        joined = {write: " && ".join(parts) for write, parts in kept.items()}
        write = next(iter(kept)) if len(kept) == 1 else ""
        told = sentence(mine[0].rule, write, style)
        broken = subject.breakers({tell(write) or code: one for write, one in joined.items()}, code)
        holds = f"variables.{code}.size() == 0"
        yield _Part(mine[0].rule, holds, told, code, broken, where, _names(of_containers))


def _names(demands: Sequence[Demand]) -> tuple[str, ...]:
    """The parameters of some demands, once each."""
    return tuple(dict.fromkeys(there.name for one in demands for there in one.parameters))


def sentence(rule: Rule, write: str, style: Style) -> str:
    """What the rule demands, what to write, and its page."""
    translate = locale.translator(style.language)
    what = locale.summary(rule.code, rule.summary, style.language).replace("`", "").rstrip(".。")
    more = f"; {translate(write)}" if write else ""
    return f"{what}{more} ({URL}{rule.code})"
