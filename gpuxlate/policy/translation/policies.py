"""The two policies of a cluster that translates: one writes the target's keys, one refuses what is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.diagnostics import URL, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.profile import Profile
from gpuxlate.policy.demands import demands
from gpuxlate.policy.documents import Object, Policy, Style, made, numbered, sentence
from gpuxlate.policy.forbidden import CODE
from gpuxlate.policy.subjects import Pods
from gpuxlate.policy.translation.learn import Branch, Learner, Refused
from gpuxlate.policy.translation.obstacles import MARK, RUN, Obstacle
from gpuxlate.policy.translation.patch import patch
from gpuxlate.policy.translation.probe import Target, UnwritableError
from gpuxlate.policy.translation.reading import Source
from gpuxlate.policy.translation.reasons import reasons
from gpuxlate.policy.translation.shares import Tables
from gpuxlate.policy.translation.together import conflicts
from gpuxlate.rules import catalog
from gpuxlate.rules.predicates.cel import text

LEFT = "{names}: no policy translates these keys together, or their numbers"
"""Of keys of a container, where no other reason is known."""
GROUP, BETA = "admissionregistration.k8s.io", "v1beta1"
KIND = "MutatingAdmissionPolicy"


class CannotError(ValueError):
    """No policy translates between these dialects; ``hint`` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Translating:
    """A cluster that takes pods in the keys of one dialect and runs those of another.

    ``version``: of the API of the mutating policy. Raises CannotError.
    """

    source: Backend
    target: Backend
    round_up: bool = False
    profiles: tuple[Profile, ...] = ()
    style: Style = field(default_factory=Style)
    version: str = "v1"

    def _profile(self, backend: Backend) -> Profile | None:
        return next((one for one in self.profiles if registry.get(one.target) is backend), None)

    @cached_property
    def tables(self) -> Tables:
        """What is translated, and what is refused."""
        source = Source(self.source, self._profile(self.source))
        if self.source is self.target:
            raise CannotError(
                say("{source} is the source and the target", source=self.source.name),
                "choose another --to or --from",
            )
        for one, option in ((self.source, "--from"), (self.target, "--to")):
            if not one.writes_pods:
                hint = say("choose another dialect for {option}", option=option)
                raise CannotError(say("{target} has no pods", target=one.name), hint)
        if not source.shapes:
            raise CannotError(
                say(
                    "no admission policy reads the keys of {source}: their names or values are open",
                    source=self.source.name,
                ),
                "translate the manifests: gpuxlate translate",
            )
        target = Target(self.target, self._profile(self.target), self.round_up)
        try:
            found = [*Learner(target).found()]
        except UnwritableError as error:
            raise CannotError(
                say(
                    "no admission policy writes the {what} of {target}: a policy makes no other objects",
                    what=error.what,
                    target=self.target.name,
                ),
                "translate the manifests: gpuxlate translate",
            ) from error
        branches = [one for one in found if isinstance(one, Branch)]
        if not branches:
            raise CannotError(
                say(
                    "no admission policy writes the keys of {target}: they name the model of the card",
                    target=self.target.name,
                ),
                "translate the manifests: gpuxlate translate",
            )
        asked = [
            one
            for one in demands(self.source, source.profile, lambda _: True)
            if one.severity is Severity.ERROR and not one.parameters
        ]
        refused = tuple(one for one in found if isinstance(one, Refused))
        together = conflicts(target, branches)
        return Tables(source, self.target, self.round_up, tuple(branches), refused, together, tuple(asked))

    @cached_property
    def subject(self) -> Pods:
        return Pods(self.source)

    def _condition(self, name: str, found: str) -> Object:
        """A match condition of the pods of the source."""
        return {"name": f"{name}-{self.source.name}"[:63], "expression": self.subject.matching(found)}

    @property
    def name(self) -> str:
        return f"gpuxlate-{self.source.name}-to-{self.target.name}"

    def documents(self) -> Iterator[Object]:
        """Both policies, each with its binding."""
        yield from self._mutating()
        yield from self.refusing().documents()

    @cached_property
    def _variables(self) -> list[Object]:
        return [{"name": name, "expression": one} for name, one in self.tables.variables()]

    def _mutating(self) -> Iterator[Object]:
        spec: Object = {
            "failurePolicy": "Fail",
            "reinvocationPolicy": "IfNeeded",
            "matchConstraints": {"resourceRules": self.subject.rules},
            "matchConditions": [self._condition("speaks", self.tables.names.speaks)],
            "variables": [
                *self._variables,
                {"name": "made", "expression": "variables.shares.filter(s, variables.good)"},
            ],
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": patch(self.tables)}}],
        }
        shell = made(self.name, self._subject_of_target, Severity.ERROR, spec, (), self.style)
        metadata = {"name": shell.name, "labels": shell.labels}
        binding: Object = {"policyName": shell.name}
        if shell.namespaces:
            binding["matchResources"] = {"namespaceSelector": shell.namespaces}
        for kind, given in ((KIND, spec), (f"{KIND}Binding", binding)):
            yield {"apiVersion": f"{GROUP}/{self.version}", "kind": kind, "metadata": metadata, "spec": given}

    @property
    def _subject_of_target(self) -> Pods:
        return Pods(self.target)

    def refusing(self) -> Policy:
        """The policy that looks at what the mutation has left."""
        why = [*reasons(self.tables)]
        codes = list(dict.fromkeys(one.code for one in why))
        # whole cards that both dialects write alike may be translated already
        guard = "foreign" if self.tables.names.shared else ""
        parts = [*numbered(self.tables.demands, self.subject, self.style, guard)]
        each = (f"{one.condition} ? [{text(one.code)}, {one.want}] : []" for one in why)
        first = f"([{', '.join(each)}].filter(x, x.size() > 0) + [['', '']])[0]"
        entries = f"variables.shares.map(s, {{'name': dyn(s.name), 'why': dyn({first})}})"
        variables = [
            *self._variables,
            {"name": "ignored", "expression": "['']"},
            *({"name": one.variable, "expression": one.broken} for one in parts if one.variable),
            {"name": "reasons", "expression": f"variables.good || !variables.around ? [] : {entries}"},
        ]
        obstacles = self.tables.obstacles
        validations = [self._of_obstacle(one) for one in obstacles]
        validations += [one.validation() for one in parts]
        validations += [self._of_code(code) for code in codes]
        known = " || ".join(
            (
                *(f"variables.{one.variable}.size() > 0" for one in obstacles),
                "variables.reasons.exists(r, r.why[0] != '')",
                *(f"!({one.expression})" for one in parts),
                *([f"!variables.{guard}"] if guard else []),
            )
        )
        validations.append(self._general(known))
        spec: Object = {
            "failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": self.subject.rules},
            "matchConditions": [self._condition("has-keys-of", self.tables.names.remains)],
            "variables": variables,
            "validations": validations,
        }
        found = (*(one.code for one in obstacles), *codes, *(one.rule.code for one in parts), CODE)
        found = tuple(dict.fromkeys(found))
        return made(self.name, self._subject_of_target, Severity.ERROR, spec, found, self.style)

    def _of_code(self, code: str) -> Object:
        rule = catalog.find(code, registry.all_backends())
        assert rule is not None, code
        said, url = sentence(rule, "", self.style), f" ({URL}{code})"
        what = said.removesuffix(url)
        where = locale.translator(self.style.language)(say("container"))
        mine = f"variables.reasons.filter(r, r.why[0] == {text(code)})"
        names = f"{mine}.map(r, string(r.name)).join(', ')"
        message = f"{text(f'{code}: {where} ')} + {names} + {text(f': {what}')}"
        return {
            "expression": f"!variables.reasons.exists(r, r.why[0] == {text(code)})",
            "message": f"{code}: {said}",
            "messageExpression": f"{message} + {mine}.map(r, string(r.why[1]))[0] + {text(url)}",
            "reason": "Invalid",
        }

    def _of_obstacle(self, one: Obstacle) -> Object:
        tell = locale.translator(self.style.language)
        hint = f"; {tell(one.hint)}" if one.hint else ""
        before, _, after = f"{one.code}: {tell(one.message)}{hint} ({URL}{one.code})".partition(MARK)
        return {
            "expression": f"variables.{one.variable}.size() == 0",
            "message": f"{one.code}: {URL}{one.code}",
            "messageExpression": f"{text(before)} + variables.{one.variable}.join(', ') + {text(after)}",
            "reason": "Invalid",
        }

    def _general(self, known: str) -> Object:
        """The keys of containers for which nothing else says why."""
        tell = locale.translator(self.style.language)
        keys = f"e.l.filter(k, {self.tables.names.asking.said()}).map(k, string(k)).join(', ')"
        named = f"variables.counted.map(e, string(e.name) + ' (' + {keys} + ')').join(', ')"
        message = tell(say(LEFT, names=MARK))
        hint = tell(say(RUN, target=self.target.name))
        where = tell(say("container"))
        before, _, after = f"{CODE}: {message}; {hint} ({URL}{CODE})".partition(MARK)
        return {
            "expression": known,
            "message": f"{CODE}: {URL}{CODE}",
            "messageExpression": f"{text(f'{before}{where} ')} + {named} + {text(after)}",
            "reason": "Invalid",
        }
