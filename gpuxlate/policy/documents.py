"""ValidatingAdmissionPolicy and its binding, from what rules demand."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Severity
from gpuxlate.policy.cel import VARIABLES
from gpuxlate.policy.demands import OF_WORKLOADS, Demand
from gpuxlate.policy.layout import add_comment, break_lines
from gpuxlate.policy.markers import has_dialect, may_have_dialect
from gpuxlate.policy.style import ACTIONS, Action, PolicyObject, PolicyStyle
from gpuxlate.policy.subjects import PodSubject, PodTemplates, PolicySubject
from gpuxlate.policy.validations import Validation, build_validations, sentence
from gpuxlate.rules import catalog

ADMISSION_API = "admissionregistration.k8s.io/v1"

MANAGED = "app.kubernetes.io/managed-by"

TARGET, VERSION = "gpuxlate.io/target", "gpuxlate.io/rules-version"

LONGEST_NAME, LONGEST_LABEL = 253, 63
"""Characters of a name (RFC 1123 subdomain) and of the value of a label."""

NAMESPACE = "kube-system"
"""Where the parameters are: it is in every cluster, and users do not write there."""


@record
class AdmissionPolicy:
    """One policy for pods or workloads of a target, with rules of one severity. ``spec``: as in the API."""

    name: str
    target: str
    action: Action
    spec: PolicyObject
    codes: tuple[str, ...] = ()
    namespaces: PolicyObject | None = None
    labels: PolicyObject = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def config_map(self) -> PolicyObject:
        """The object with the parameters, which all policies of a target share."""
        labels = {name: value for name, value in self.labels.items() if name != VERSION}
        metadata = {"name": _of_cards(self.target), "namespace": NAMESPACE, "labels": labels}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(self.parameters)}

    def documents(self) -> Iterator[PolicyObject]:
        """The policy and its binding."""
        metadata = {"name": self.name, "labels": self.labels}
        yield {
            "apiVersion": ADMISSION_API,
            "kind": "ValidatingAdmissionPolicy",
            "metadata": metadata,
            "spec": self.spec,
        }
        binding: PolicyObject = {"policyName": self.name, "validationActions": ACTIONS[self.action]}
        if self.parameters:
            name = _of_cards(self.target)
            missing = {"parameterNotFoundAction": "Allow"}  # Deny would refuse every pod of the cluster
            binding["paramRef"] = {"name": name, "namespace": NAMESPACE, **missing}
        if self.namespaces:
            binding["matchResources"] = {"namespaceSelector": self.namespaces}
        yield {
            "apiVersion": ADMISSION_API,
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": metadata,
            "spec": binding,
        }


@record
class BackendDemands:
    """The demands of a dialect on the subject of a policy.

    ``demands``: all of them have parameters, or none has: a policy without its parameters checks nothing.
    """

    subject: PolicySubject
    demands: tuple[Demand, ...]


MAX_POLICY_BYTES = 240_000
"""Of what the dialects of a policy demand: kubectl apply keeps a copy of the whole in an annotation, and all
annotations of an object have 256 KiB at most."""


def policies(
    backend_demands: Sequence[BackendDemands], severity: Severity, style: PolicyStyle
) -> Iterator[AdmissionPolicy]:
    """The policies of one severity, as few as possible; none if no rule has the severity.

    The API server converts a pod again for every policy, even one whose condition is false. So one policy
    checks the pods of all dialects, unless it is too large. Each dialect has its own policy for templates.
    """
    together: list[BackendDemands] = []
    number, size = 1, 0
    for demanded in backend_demands:
        alone = policy([demanded], severity, style)
        if alone is None:
            continue
        if not isinstance(demanded.subject, PodSubject) or alone.parameters:
            yield alone
            continue
        definitions = [
            variable
            for variable in alone.spec["variables"]
            if variable["name"] not in (*VARIABLES, "ignored")
        ]
        more = sum(map(_bytes, (alone.spec["validations"], alone.spec["matchConditions"], definitions)))
        if together and size + more > MAX_POLICY_BYTES:
            yield _some(together, severity, style, number)
            number, size, together = number + 1, 0, []
        together.append(demanded)
        size += more
    if together:
        yield _some(together, severity, style, number)


def _bytes(part: Any) -> int:
    """The bytes of a part in the copy that kubectl keeps, whose JSON escapes <, > and & too (encoding/json of
    Go)."""
    text = json.dumps(part, ensure_ascii=False)
    return len(text.encode()) + 5 * sum(map(text.count, "&<>"))


def _some(
    backend_demands: Sequence[BackendDemands], severity: Severity, style: PolicyStyle, number: int
) -> AdmissionPolicy:
    joint = policy(backend_demands, severity, style, number)
    assert joint is not None  # each of them has one alone
    return joint


def policy(
    backend_demands: Sequence[BackendDemands], severity: Severity, style: PolicyStyle, number: int = 1
) -> AdmissionPolicy | None:
    """The policy of one severity for some dialects; None if no rule has the severity.

    ``number``: of the policy, if there are several because one would be too large. Raises SilentError.
    """
    demands_of_severity = [
        tuple(demand for demand in demanded.demands if demand.severity is severity)
        for demanded in backend_demands
    ]
    steering = [[*_steering(demanded, severity, style)] for demanded in backend_demands]
    if not any(demands_of_severity) and not any(steering):
        return None
    several = len(backend_demands) > 1 or number > 1
    subject = backend_demands[0].subject
    condition, exact = may_have_dialect([demanded.subject.marker for demanded in backend_demands])
    parts: list[Validation] = []
    guards: dict[str, str] = {}
    parameters: dict[str, str] = {}
    for demanded, demands, more in zip(backend_demands, demands_of_severity, steering, strict=True):
        marker = demanded.subject.marker
        guard = "" if exact or isinstance(demanded.subject, PodTemplates) else marker.variable
        validations = [*build_validations(demands, demanded.subject, style, guard, several=several), *more]
        guards |= {guard: has_dialect(marker)} if guard and validations else {}
        parameters |= {
            parameter.name: str(parameter.value) for each in demands for parameter in each.parameters
        }
        parts += validations
    target = "" if several else subject.backend.name
    kind = f"cards-{severity}s" if parameters else f"{severity}s"
    match = (f"speaks-{target or 'a-dialect'}"[:LONGEST_LABEL], condition)
    end = f"-{number}" if number > 1 else ""
    return of_parts(parts, subject, severity, style, match, guards, target, kind, end, parameters)


def of_parts(
    parts: Sequence[Validation],
    subject: PolicySubject,
    severity: Severity,
    style: PolicyStyle,
    match: tuple[str, str],
    definitions: Mapping[str, str],
    target: str,
    kind: str,
    end: str = "",
    parameters: Mapping[str, str] = MappingProxyType({}),
) -> AdmissionPolicy:
    """A policy with some validations, in reading order: which objects, what is denied, and then the
    definitions of its variables.

    ``match``: the name of its condition, and an expression over a pod. ``definitions``: variables that the
    parts use, in addition to those of the subject. ``target``: "" for several targets.
    """
    broken = {part.variable: part.broken for part in parts if part.variable}
    used = " ".join((*definitions.values(), *broken.values(), *(part.expression for part in parts)))
    variables = [*subject.variables(used), *definitions.items(), *broken.items()]
    name, condition = match
    spec = {
        **({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}} if parameters else {}),
        "failurePolicy": failure_policy(subject),
        "matchConstraints": {"resourceRules": subject.rules},
        "matchConditions": [{"name": name, "expression": subject.matching(condition)}],
        "validations": [part.validation() for part in parts],
        "variables": [{"name": name, "expression": expression} for name, expression in variables],
    }
    codes = tuple(dict.fromkeys(part.rule.code for part in parts))
    name = "-".join(("gpuxlate", *([target] if target else []), kind)) + subject.suffix + end
    return replace(policy_of(name, subject, severity, spec, codes, style, target), parameters=parameters)


def _steering(
    backend_demands: BackendDemands, severity: Severity, style: PolicyStyle
) -> Iterator[Validation]:
    """K8S005 for workloads; it is in the policy without parameters."""
    subject = backend_demands.subject
    if not isinstance(subject, PodTemplates) or severity is not OF_WORKLOADS.severity:
        return
    if subject.compared and not any(demand.parameters for demand in backend_demands.demands):
        steering = subject.steering()
        if steering:
            yield Validation(OF_WORKLOADS, steering, sentence(OF_WORKLOADS, "", style))


def _of_cards(target: str) -> str:
    return f"gpuxlate-{target}-cards"


def policy_of(
    name: str,
    subject: PolicySubject,
    severity: Severity,
    spec: PolicyObject,
    codes: tuple[str, ...],
    style: PolicyStyle,
    target: str | None = None,
) -> AdmissionPolicy:
    """A policy with its name and labels.

    ``target``: None is the target of the subject; "" stands for several targets.
    """
    usual = Action.DENY if severity is Severity.ERROR and not subject.suffix else Action.WARN
    target = subject.backend.name if target is None else target
    of_target = {TARGET: cut_name(target, LONGEST_LABEL)} if target else {}
    spec = make_readable(spec, style.language)
    labels = {MANAGED: "gpuxlate", **of_target, VERSION: version_of(spec)}
    action = style.action or usual
    return AdmissionPolicy(
        cut_name(name, LONGEST_NAME), target, action, spec, codes, style.namespaces, labels
    )


def make_readable(spec: PolicyObject, language: str) -> PolicyObject:
    """The policy for reviewers: its expressions in lines, and the rule above each condition."""
    parts = ("matchConditions", "variables", "validations")
    return spec | {name: [_laid_out(part, language) for part in spec[name]] for name in parts}


def _laid_out(part: PolicyObject, language: str) -> PolicyObject:
    """A part of a policy, its expressions in lines, below the rule that they are of."""
    fields = [name for name in ("expression", "messageExpression") if name in part]
    laid_out = part | {name: break_lines(part[name]) for name in fields}
    code = re.match(r"[A-Z]+[A-Z0-9]*?[0-9]{3}(?=_|:|$)", part.get("name") or part.get("message", ""))
    rule = code and catalog.find_rule(code[0], registry.all_backends())
    if rule:
        summary = locale.summary(rule.code, rule.summary, language)
        laid_out["expression"] = add_comment(rule.code, summary, laid_out["expression"])
    return laid_out


def failure_policy(subject: PolicySubject) -> str:
    """The ``failurePolicy``. No expression fails on an object that the API server has decoded.

    It may have no schema of a custom resource: one with another structure passes, and its pods are checked
    when they are created.
    """
    return "Ignore" if isinstance(subject, PodTemplates) and subject.custom else "Fail"


def version_of(spec: PolicyObject) -> str:
    """A short text that changes with the demands of the rules."""
    return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:12]


def cut_name(name: str, maximum: int) -> str:
    """A name of at most ``maximum`` characters: a longer one is cut and gets a hash, as in Kubernetes."""
    if len(name) <= maximum:
        return name
    return f"{name[: maximum - 9].rstrip('-.')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


# The same policies for Kyverno (policies.kyverno.io/v1), which also reports on what is there already.
def validating_policy(admission_policy: AdmissionPolicy) -> PolicyObject:
    """A ValidatingPolicy: its fields are those of Kubernetes, with the actions of the binding."""
    matched = dict(admission_policy.spec["matchConstraints"])
    if admission_policy.namespaces:
        matched["namespaceSelector"] = admission_policy.namespaces
    return {
        "apiVersion": "policies.kyverno.io/v1",
        "kind": "ValidatingPolicy",
        "metadata": {"name": admission_policy.name, "labels": admission_policy.labels},
        "spec": {
            **admission_policy.spec,
            "matchConstraints": matched,
            "validationActions": ACTIONS[admission_policy.action],
            # it would rewrite the expressions for workloads, which have policies of their own
            "autogen": {"podControllers": {"controllers": []}},
        },
    }
