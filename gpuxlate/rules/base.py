"""How a rule is declared: one function, its code and severity, its docstring.

The text of a rule has fixed Markdown headings, in this order: a first sentence that names the keys and what
is legal, then ``## What it does``, ``## Why``, ``## Example``, ``## Use instead``, ``## Fix`` (where there is
one) and ``## Source``. It is the docstring. Two examples that are manifests are in ``examples/<code>.md`` of
this package; a plug-in has them in its docstring. ``explain``, the docs, SARIF help and the README table read
the text, and a test runs its examples.
"""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from pathlib import Path as FilePath
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Fix, Path, Severity
from gpuxlate.model.errors import UserError
from gpuxlate.model.keys import KeySpec, Place
from gpuxlate.model.messages import msg, suggest
from gpuxlate.model.pod import NodeRequirement, PodKeys, ScalarKind, Value, names_in
from gpuxlate.model.profile import Component, Profile
from gpuxlate.rules.unsupported_products import Product

if TYPE_CHECKING:  # a command without rules loads none
    from gpuxlate.rules.predicates import Constraint, WithProfile


class Scope(StrEnum):
    """What a rule looks at: one pod, one job, one document, a source text, or a translation.

    A job is what has parameters in place of a manifest; its keys are those of a pod whose one
    container has the parameters as limits.
    """

    POD = "pod"
    JOB = "job"
    DOCUMENT = "document"
    SOURCE = "source"
    TRANSLATION = "translation"


class Subject(StrEnum):
    """What a vendor-neutral rule is about. ``catalog.subjects`` finds the subjects of a pod in one walk."""

    MISSPELT = "a key that is nearly one of a vendor"
    MARK = "a key that a scheduler writes"
    PRODUCT = "a key of a product that is known by name"
    MISPLACED = "a known key where it may have no effect"
    STEERING = "a known key beside the resources"
    RESOURCE = "a key of GPUs in limits or requests"
    MEMORY = "one of them that counts MiB or GiB"
    REQUEST = "one of them in requests"
    ODD_NUMBER = "one of them whose value is not a number in plain digits"
    NO_DOMAIN = "a resource whose name reads like a GPU's, without a domain"
    CLAIM = "a claim of devices"
    OUTSIDE = "a known key outside of pods"
    REPEATED = "a key that is set twice"
    SHARED = "a key in an anchor that is used elsewhere too"
    UNREAD = "an object with amounts that are not read"


class Dialect(Protocol):
    """What rules need to know about the vendors of a pod. Every ``Backend`` is one.

    The rules of a vendor use the keys of all dialects too, by ``key_index_of``. Therefore this protocol is in
    a folder that ``backends`` imports.
    """

    @property
    def name(self) -> str:
        """What options and profiles call it."""

    @property
    def title(self) -> str:
        """What lists and headings call it."""

    @property
    def keys(self) -> tuple[KeySpec, ...]:
        """The rows of its data sheet, one a key."""

    @property
    def components(self) -> tuple[Component, ...]:
        """The software whose releases decide what its keys do."""

    @property
    def gpu_prefixes(self) -> tuple[str, ...]:
        """Prefixes of names; a key with one of them that is not in ``keys`` is unknown (GX003)."""

    @property
    def sets_visible_devices(self) -> bool:
        """Its device plugin gives a container its cards by NVIDIA_VISIBLE_DEVICES."""

    @property
    def whole_card_key(self) -> str | None:
        """The common key that it writes whole cards with; None where it has a key of its own."""

    @property
    def domains(self) -> frozenset[str]:
        """The domains of its keys and prefixes (the part before the slash); "" where a name has none."""

    @property
    def similar_products(self) -> tuple[Product, ...]:
        """Products whose keys are easily mistaken for its keys (GX006)."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Its rules, in the order of their codes."""

    @property
    def read_only(self) -> bool:
        """It is a source of migrations, never a target."""

    @property
    def device_classes(self) -> tuple[str, ...]:
        """The classes of its devices, where pods request them by claims."""

    @property
    def companions(self) -> tuple[str, ...]:
        """Resources of other vendors that are one share with its own keys in a container."""

    @property
    def detector(self) -> Callable[[PodKeys], bool] | None:
        """The test that finds its pods without its keys in resources; None where it needs none."""

    @property
    def writes_pods(self) -> bool:
        """The shares of the dialect are in manifests, not in parameters of jobs or values of a console."""

    def find(self, name: str) -> KeySpec | None:
        """The row of the data sheet for a key."""

    def owns(self, name: str) -> bool:
        """The key is this vendor's: known, or unknown under one of its GPU prefixes."""

    def owns_at(self, name: str, place: Place) -> bool:
        """The key is this vendor's in a place of a pod."""

    def requests_with(self, name: str) -> bool:
        """The key requests a GPU in the resources of a container."""

    def is_used_by(self, pod: PodKeys) -> bool:
        """Some container of the pod requests a GPU in this dialect."""


class Context(NamedTuple):
    """What a rule may use besides the pod: the cluster's profile and the vendors' dialects.

    ``before``: the profile before an upgrade. With it, only what the upgrade changes is reported.
    ``partial``: the pod is a part, as in a patch: no finding is about a missing key. ``values``: the pod is
    from the values of a chart, whose templates may add to it. A document without a kind may be such values.
    """

    profile: Profile | None = None
    dialects: tuple[Dialect, ...] = ()
    partial: bool = False
    values: bool = False
    before: Profile | None = None

    def keep_applicable(self, findings: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
        """The findings that apply: for a part of a pod, none about a missing key."""
        return (finding for finding in findings if not finding.missing) if self.partial else findings


@record
class PodExample:
    """A pod on the page of a rule.

    ``limits``: one mapping for each container. ``init``: the limits of an init container. ``selector``: its
    ``nodeSelector``. ``profile``: the YAML of the profile that the rule needs.
    """

    limits: tuple[Mapping[str, Value], ...]
    annotations: Mapping[str, Value] = field(default_factory=dict)
    labels: Mapping[str, Value] = field(default_factory=dict)
    scheduler: str = ""
    init: Mapping[str, Value] = field(default_factory=dict)
    profile: str = ""
    selector: Mapping[str, Value] = field(default_factory=dict)

    def with_resource(self, name: str, value: int | str) -> PodExample:
        """The example with one resource of the first container set to ``value``."""
        first, *rest = self.limits
        return replace(self, limits=({**first, name: Value.of(value)}, *rest))

    def without(self, *names: str) -> PodExample:
        """The example without some resources of the first container."""
        first, *rest = self.limits
        return replace(self, limits=({k: v for k, v in first.items() if k not in names}, *rest))

    @property
    def block(self) -> str:
        """The pod and the profile that it needs, in Markdown."""
        profile = f"\n```yaml profile\n{self.profile}\n```" if self.profile else ""
        return f"```yaml\n{self.text}\n```{profile}"

    @property
    def text(self) -> str:
        """The ``metadata`` and ``spec`` of the Pod, in YAML."""
        on_pod = [
            f"{kind}: {_mapping(values)}"
            for kind, values in (("annotations", self.annotations), ("labels", self.labels))
            if values
        ]
        lines = [f"metadata: {{{', '.join(on_pod)}}}"] if on_pod else []
        lines += ["spec:", *([f"  schedulerName: {self.scheduler}"] if self.scheduler else [])]
        if self.selector:
            lines.append(f"  nodeSelector: {_mapping(self.selector)}")
        if self.init:
            lines += ["  initContainers:", *_container("init", self.init)]
        lines.append("  containers:")
        for name, values in zip(("web", "api"), self.limits, strict=False):
            lines += _container(name, values)
        return "\n".join(lines)


def _container(name: str, limits: Mapping[str, Value]) -> Iterable[str]:
    yield from (f"    - name: {name}", f"      image: {name}")
    if limits:
        yield f"      resources: {{limits: {_mapping(limits)}}}"


def _mapping(values: Mapping[str, Value]) -> str:
    def text(value: Value) -> str:
        quoted = (
            value.kind is ScalarKind.STR and not value.text[:1].isalpha() and not value.text[-1:].isalpha()
        )
        return json.dumps(value.text) if quoted or value.text in ("true", "false") else value.text

    return f"{{{', '.join(f'{name}: {text(value)}' for name, value in values.items())}}}"


class RuleDoc(NamedTuple):
    """What the docstring of a rule leaves out: a pod that breaks the rule, and one that keeps it.

    ``source``: the citations, where the docstring has none.
    """

    bad: PodExample
    good: PodExample
    source: str = ""

    @property
    def sections(self) -> dict[str, str]:
        """The parts of the page, by heading."""
        source = {"Source": f"{self.source}."} if self.source else {}
        return {"Example": self.bad.block, "Use instead": self.good.block, **source}


class Citation(NamedTuple):
    """A document that a fact comes from: its title, the place in it or what it says, and its date."""

    text: str
    date: str | None = None


_DATED = re.compile(r"(.*) \((\d{4}(?:-\d\d){0,2})\)")


def citation_of(text: str) -> Citation:
    """The citation of a text such as ``TITLE, PLACE (DATE)``; the date is optional."""
    match = _DATED.fullmatch(text)
    return Citation(match[1], match[2]) if match else Citation(text)


def citations(text: str) -> Iterator[Citation]:
    """The citations of a "Source" section, which semicolons separate."""
    return map(citation_of, " ".join(text.split()).removesuffix(".").split("; "))


HEADINGS = ("What it does", "Why", "Example", "Use instead", "Fix", "Source")
"""The headings of a rule's page, in their order."""


def sections_of(text: str) -> dict[str, str]:
    """The sections of a Markdown text by their second-level headings, without the text before the first."""
    parts = re.split(r"^## (.+)$", text, flags=re.M)
    return {title.strip(): body.strip() for title, body in zip(parts[1::2], parts[2::2], strict=True)}


@record
class Rule:
    """A declared rule. Calling it runs its check.

    ``missing``: the findings are about a missing key, unless a finding says otherwise.
    ``constraints``: what the rule demands of a pod. ``check`` then words one violation, and ``extra_check``
    finds what only a profile shows.
    ``constraints_of``: computes the constraints of a rule over the keys of all dialects. Its ``check`` finds
    the same violations by itself.
    ``with_profile``: what the rule demands in a cluster that has a profile.
    ``about``, ``keys``: the rule only finds something in pods with one of these subjects or keys. Empty: in
    any pod.
    ``no_policy``: why no admission policy can demand the rule; with constraints, what only lint finds.
    """

    code: str
    severity: Severity
    scope: Scope
    fix: str | None
    check: Callable[..., Any]
    missing: bool = False
    constraints: tuple[Constraint, ...] = ()
    extra_check: PodCheck | None = None
    no_policy: str = ""
    page: RuleDoc | None = None
    constraints_of: ConstraintsOf | None = None
    with_profile: WithProfile | None = None
    about: frozenset[Subject] = frozenset()
    keys: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The function's name in kebab case: reads as "allow <name>"."""
        return self.check.__name__.replace("_", "-")

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring."""
        return " ".join((self.check.__doc__ or "").strip().partition("\n\n")[0].split())

    @cached_property
    def sections(self) -> dict[str, str]:
        """The sections of the rule's page by heading, in the order of ``HEADINGS``.

        Examples that the docstring lacks are from ``page``, else from ``examples/<code>.md``.
        """
        import inspect

        parsed = sections_of(inspect.cleandoc(self.check.__doc__ or ""))
        if "Example" not in parsed:  # it has some in a plug-in, or in words
            parsed |= self.page.sections if self.page else sections_of(_examples_of(self.code))
        return {title: parsed[title] for title in HEADINGS if title in parsed} | parsed

    def with_aliases(self, aliases: Mapping[str, tuple[str, ...]]) -> Self:
        """The rule with constraints that hold under all names of resources.

        ``aliases``: the other names of a resource, by its own name.
        """
        if not aliases:
            return self
        cluster = self.with_profile and self.with_profile.with_aliases(aliases)
        constraints = tuple(constraint.with_aliases(aliases) for constraint in self.constraints)
        return replace(self, constraints=constraints, with_profile=cluster)

    def __call__(self, *args: Any) -> Any:
        if not (self.constraints or self.with_profile):
            return self.check(self, *args)
        pod, context = args
        return self.check_constraints(pod.with_workload(), context, self.constraints_about(names_in(pod)))

    @cached_property
    def checks_every_pod(self) -> bool:
        """The rule names no key and no subject, so it must check every pod."""
        return bool(self.extra_check) or not (
            self.constraints or self.keys or self.about or self.with_profile
        )

    def constraints_about(self, names: Set[str]) -> tuple[Constraint, ...]:
        """The constraints that a pod with keys of these names may break: see ``Constraint.needs``."""
        return tuple(
            constraint for constraint in self.constraints if not any(map(names.isdisjoint, constraint.needs))
        )

    def check_constraints(
        self, pod: PodKeys, context: Context, constraints: Iterable[Constraint]
    ) -> Iterable[Diagnostic]:
        """The findings of a pod about these constraints, the constraints of its cluster, and ``extra_check``.

        ``pod``: with the labels and annotations of its workload (``PodKeys.with_workload``).
        """
        if self.with_profile is not None and context.profile is not None:
            constraints = (*constraints, *self.with_profile.constraints(context.profile))
        findings: list[Diagnostic] = []
        for constraint in constraints:
            for violation in constraint.violations(pod):
                this = replace(self, severity=constraint.severity) if constraint.severity else self
                for report in constraint.reports(pod, violation.container):
                    reported = (report or self.check)(this, violation, pod, context)
                    findings += (reported,) if isinstance(reported, Diagnostic) else reported
        if self.extra_check is not None:
            findings += self.extra_check(self, pod, context)
        return findings

    def diagnostic(
        self,
        where: Value | NodeRequirement | Path,
        message: str,
        hint: str | None = None,
        *,
        severity: Severity | None = None,
        on_key: bool = False,
        fix: Fix | None = None,
        missing: bool | None = None,
    ) -> Diagnostic:
        """A finding of this rule at a value (or, ``on_key``, at its key).

        ``missing``: the finding is about a missing key, which a patch may leave out. None: as the rule says.
        """
        path = where if isinstance(where, tuple) else where.path
        is_missing = self.missing if missing is None else missing
        return Diagnostic(
            self.code, severity or self.severity, message, hint, path, on_key, fix, missing=is_missing
        )


def _examples_of(code: str) -> str:
    """The sections "Example" and "Use instead" of a rule of this package; empty where it has no file."""
    path = FilePath(__file__).with_name("examples") / f"{code}.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


class CodeTakenError(UserError, ValueError):
    """Two rules have the same code; ``target`` is the owner of the later one."""

    def __init__(self, first: Rule, second: Rule, target: str) -> None:
        super().__init__(
            f"the rule {second.name} of {target} has the code {second.code} of {first.name}",
            f"give the rules of {target} codes of their own, or remove the plug-in",
        )


class UnknownRuleError(UserError, LookupError, ValueError):
    """No rule has the code ``name`` or a code that begins with it.

    ``near``: the nearest code. ``where``: the place that names the code, as the start of the message.
    """

    def __init__(self, name: str, near: str | None, where: str = "") -> None:
        hint = suggest(near) if near else "gpuxlate rules lists them"
        super().__init__(msg("{where}no rule {name!r}", where=where, name=name), hint)


def letters_and_digits(text: str) -> str:
    """The letters and digits of a text, in lower case: ``veLinux 2.0`` gives ``velinux20``."""
    return "".join(char for char in text.lower() if char.isalnum())


ConstraintsOf = Callable[[Sequence[Dialect], Profile | None], "tuple[Constraint, ...]"]
PodCheck = Callable[[Rule, PodKeys, Context], Iterable[Diagnostic]]

NO_POLICY_BY_SCOPE = {
    Scope.SOURCE: "about the text of a file, which the API server does not see",
    Scope.TRANSLATION: "about a translation, not about a pod",
    Scope.DOCUMENT: "depends on objects other than the pod",
    Scope.JOB: "the parameters of a job are not in Kubernetes",
}
"""The default ``no_policy`` of rules by scope."""
BY_CONTAINER = "lint alone checks keys with the name of a container in them"
"""``no_policy`` of a rule that also checks keys whose names contain the name of a container."""
BY_API_SERVER = "the API server itself refuses such a pod, before a policy sees it"
"""``no_policy`` of a rule on what Kubernetes validates (registry/core/pod, BeforeCreate)."""


def rule(
    code: str,
    severity: Severity,
    *,
    scope: Scope = Scope.POD,
    fix: str | None = None,
    missing: bool = False,
    constraint: Constraint | tuple[Constraint, ...] = (),
    also: PodCheck | None = None,
    no_policy: str = "",
    page: RuleDoc | None = None,
    constraints_of: ConstraintsOf | None = None,
    with_profile: WithProfile | None = None,
    about: Subject | tuple[Subject, ...] = (),
) -> Callable[[Callable[..., Any]], Rule]:
    """Declare the function below as the rule ``code``. ``fix`` is "safe", "unsafe" or None.

    ``constraint``: one or several constraints. The function then has the signature
    ``(this, violation, pod, context)`` and returns the finding, or findings, of one violation.
    ``also``: the ``extra_check``. ``page``: "Example", "Use instead" and "Source", where the docstring has
    none of them. The other parameters are fields of ``Rule``, which describes them.
    """
    constraints = constraint if isinstance(constraint, tuple) else (constraint,)

    def declare(check: Callable[..., Any]) -> Rule:
        why = no_policy or NO_POLICY_BY_SCOPE.get(scope, "")
        return Rule(
            *(code, severity, scope, fix, check, missing, constraints, also, why, page, constraints_of),
            with_profile,
            frozenset((about,) if isinstance(about, Subject) else about),
        )

    return declare


def rules_of(module: ModuleType) -> tuple[Rule, ...]:
    """The rules of a module, and of the modules of a package, in the order of their codes.

    Raises CodeTakenError where two of them have one code.
    """
    holders = (module, *_modules_in(module))
    return sort_rules((rule for holder in holders for rule in declared_in(holder)), module.__name__)


def declared_in(module: ModuleType) -> Iterator[Rule]:
    """The rules of a module, without those of its submodules."""
    return (value for value in vars(module).values() if isinstance(value, Rule))


def sort_rules(rules: Iterable[Rule], owner: str) -> tuple[Rule, ...]:
    """Rules in the order of their codes. Raises CodeTakenError where two of them have one code."""
    by_code: dict[str, Rule] = {}
    for rule in rules:
        if by_code.setdefault(rule.code, rule) is not rule:
            raise CodeTakenError(by_code[rule.code], rule, owner)
    return tuple(by_code[code] for code in sorted(by_code))


def _modules_in(package: ModuleType) -> Iterator[ModuleType]:
    """The modules of a package, in the order of their names; a plain module has none."""
    names = sorted(module.name for module in pkgutil.iter_modules(getattr(package, "__path__", ())))
    return (import_module(f"{package.__name__}.{name}") for name in names)
