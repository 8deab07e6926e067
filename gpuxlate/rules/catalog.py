"""All rules by code, and which rules can find something in a pod: one look-up by its keys.

The keys of a pod are walked once. A constraint names the keys that a pod must have to break it
(``Constraint.needs``); a vendor-neutral rule says what it is about (``Subject``). All other rules check
every pod.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import DocumentKeys, PodKeys, groups, names_in
from gpuxlate.rules import key_index
from gpuxlate.rules.base import CodeTakenError, Context, Dialect, Rule, Scope, Subject, rules_of
from gpuxlate.rules.key_index import KeyIndex, key_index_of

if TYPE_CHECKING:
    from gpuxlate.rules.predicates import Constraint

_PLAIN = regex("0|[1-9][0-9]{0,8}")
"""A number that no rule on the form of numbers reports."""


class CandidateRule(NamedTuple):
    """A rule that may find something in a pod, with the constraints that the pod may break."""

    rule: Rule
    constraints: tuple[Constraint, ...]


class Rules(tuple[Rule, ...]):
    """Rules, looked up by what they are about."""

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names of all keys that decide whether a rule can find something."""
        needed = (names for rule in self for constraint in rule.constraints for names in constraint.needs)
        return frozenset().union(*(rule.keys for rule in self), *needed)

    @cached_property
    def _have_subjects(self) -> bool:
        return any(rule.about for rule in self)

    @cached_property
    def _candidates_with(
        self,
    ) -> Callable[[frozenset[str], frozenset[Subject], bool], tuple[CandidateRule, ...]]:
        """The candidates by names and subjects of a pod, and whether its cluster is known.

        The results are cached, since most pods have the same keys.
        """
        pod_rules = [rule for rule in self if rule.scope in (Scope.POD, Scope.JOB)]

        def rules_with(
            names: frozenset[str], in_pod: frozenset[Subject], in_cluster: bool
        ) -> tuple[CandidateRule, ...]:
            candidates: list[CandidateRule] = []
            for rule in pod_rules:
                constraints = rule.constraints_about(names)
                if (
                    constraints
                    or rule.checks_every_pod
                    or not rule.keys.isdisjoint(names)
                    or not rule.about.isdisjoint(in_pod)
                    or (in_cluster and rule.with_profile is not None)
                ):
                    candidates.append(CandidateRule(rule, constraints))
            return tuple(candidates)

        return lru_cache(maxsize=1024)(rules_with)

    @cached_property
    def without_remarks(self) -> Rules:
        """The rules with a severity above info: only these may refuse a pod."""
        return Rules(rule for rule in self if rule.severity is not Severity.INFO)

    def candidates_for(self, pod: PodKeys, context: Context) -> tuple[CandidateRule, ...]:
        """The rules that can find something in a pod, in their order."""
        in_pod = subjects(pod, key_index_of(context)) if self._have_subjects else frozenset()
        return self._candidates_with(names_in(pod) & self._names, in_pod, context.profile is not None)


def check_pod(rules: Iterable[Rule], pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Run the rules of pods and jobs among ``rules`` on one pod."""
    listed = rules if isinstance(rules, Rules) else Rules(rules)
    pod_with_workload = pod.with_workload()
    for rule, constraints in listed.candidates_for(pod, context):
        if rule.constraints or rule.with_profile:
            findings = rule.check_constraints(pod_with_workload, context, constraints)
        else:
            findings = rule(pod, context)
        yield from context.keep_applicable(findings) if context.partial else findings


def check_document(rules: Iterable[Rule], document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """Run the document rules among ``rules`` on one document."""
    present = {
        Subject.CLAIM: document.claims or document.several,
        Subject.OUTSIDE: document.outside,
        Subject.REPEATED: document.repeated,
        Subject.SHARED: document.shared,
        Subject.UNREAD: document.unread,
    }
    subjects = {subject for subject, keys in present.items() if keys}
    for rule in rules:
        if rule.scope is Scope.DOCUMENT and (not rule.about or not rule.about.isdisjoint(subjects)):
            yield from rule(document, context)


def subjects(pod: PodKeys, index: KeyIndex) -> frozenset[Subject]:
    """The subjects of vendor-neutral rules that the pod has."""
    in_pods: set[Subject] = set()
    subjects_of_key = index.subjects
    for place, field, _, _, keys in groups(pod):
        for name, value in keys:
            of_key = subjects_of_key(name, place)
            if not of_key:
                continue
            in_pods |= of_key
            if Subject.RESOURCE in of_key:
                if field == "requests":
                    in_pods.add(Subject.REQUEST)
                if not _PLAIN.fullmatch(value.text):
                    in_pods.add(Subject.ODD_NUMBER)
    # a file is read for the names of claims in its pods, not for those in containers alone
    if pod.claims or (in_pods and any(container.claims for container in pod.all_containers())):
        in_pods.add(Subject.CLAIM)
    return frozenset(in_pods)


# The rules of a backend are loaded when they are needed.
_CODE = regex(r"(?P<prefix>K8S|[A-Z]+)[-_ ]?(?P<number>[0-9]{1,3})")


@cache
def neutral_rules() -> tuple[Rule, ...]:
    """The vendor-neutral rules, in the order of their codes."""
    return rules_of(import_module(__package__))


@cache
def neutral_pod_rules() -> Rules:
    """The vendor-neutral rules about a pod."""
    return Rules(rule for rule in neutral_rules() if rule.scope is Scope.POD)


@cache
def neutral_document_rules() -> tuple[Rule, ...]:
    """The vendor-neutral rules about a document."""
    return tuple(rule for rule in neutral_rules() if rule.scope is Scope.DOCUMENT)


RULES_OF_PARAMETERS = ("GX003", "GX007")
"""The vendor-neutral rules that apply to parameters too; the others are about Kubernetes."""


@cache
def parameter_rules() -> Rules:
    """The vendor-neutral rules for targets whose shares are not in manifests."""
    return Rules(rule for rule in neutral_rules() if rule.code in RULES_OF_PARAMETERS)


def neutral_rules_for(dialect: Dialect) -> Rules:
    """The vendor-neutral rules for the shares of a dialect."""
    return parameter_rules() if not dialect.writes_pods else neutral_pod_rules()


def all_rules(backends: Iterable[Dialect]) -> dict[str, Rule]:
    """Every rule by its code, in the order of the codes.

    Raises CodeTakenError where two rules have one code.
    """
    by_code = {rule.code: rule for rule in neutral_rules()}
    for backend in backends:
        for rule in backend.rules:
            if by_code.setdefault(rule.code, rule) is not rule:
                raise CodeTakenError(by_code[rule.code], rule, backend.name)
    return dict(sorted(by_code.items()))


def find_rule(code: str, backends: Iterable[Dialect] = ()) -> Rule | None:
    """The rule of a code, in any letter case; the backends' rules are loaded until it is found."""
    normalized = code.strip().upper()
    return next((rule for rule in _every_rule(backends) if rule.code == normalized), None)


def nearest_code(code: str, backends: Iterable[Dialect] = ()) -> str | None:
    """The code that was probably meant, for "did you mean"; None where nothing is near."""
    codes = list(all_rules(backends))
    normalized = code.strip().upper()
    match = _CODE.fullmatch(normalized)
    if match:
        normalized = f"{match['prefix']}{int(match['number']):03d}"
    return key_index.nearest_name(normalized, codes, key_index.NEAR)


def _every_rule(backends: Iterable[Dialect]) -> Iterator[Rule]:
    yield from neutral_rules()
    for backend in backends:
        yield from backend.rules
