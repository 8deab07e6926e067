"""A policy that denies every key of a dialect: a cluster that has moved stays moved."""

from __future__ import annotations

from dataclasses import replace

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, Key
from gpuxlate.manifest.pod_keys import REQUIRED_AFFINITY
from gpuxlate.model.diagnostics import URL, Severity
from gpuxlate.model.messages import say
from gpuxlate.policy.documents import Policy, Style, failure_policy, made
from gpuxlate.policy.names import pattern
from gpuxlate.policy.subjects import Subject, Templates
from gpuxlate.rules.predicates.cel import text
from gpuxlate.rules.vocabulary import IGNORE

FROZEN = "this cluster takes no keys of {title}; gpuxlate translate writes those of another target"
CODE = "GX026"
"""The rule that nothing of a dialect is left behind: its code in messages and ignores."""


def forbidding(subject: Subject, style: Style) -> Policy | None:
    """The policy against the keys of a dialect; None where no key is its alone."""
    key = owned_alone(subject.backend)
    if not key:
        return None
    in_container, on_pod = _in_container(key), _on_pod(key)
    broken = subject.breakers({"": f"!({_in_container(key, 'c.is')})"}, CODE)
    tell = locale.translator(style.language)
    sentence = tell(say(FROZEN, title=subject.backend.title))
    found = subject.kept(f"!({on_pod})", CODE)
    if isinstance(subject, Templates):
        subject = replace(subject, chosen="true")
    variables = [*subject.variables(f"{broken} {found}"), (CODE, broken)]
    where = "" if subject.suffix else f"{tell(say('container'))} "
    ignored = f"{text(CODE)} in variables.ignored"
    spec = {
        "failurePolicy": failure_policy(subject),
        "matchConstraints": {"resourceRules": subject.rules},
        "matchConditions": [
            {
                "name": "has-keys",
                "expression": subject.matching(f"{on_pod} || {_in_some_container(in_container)}"),
            }
        ],
        "variables": [{"name": name, "expression": one} for name, one in variables],
        "validations": [
            {
                "expression": f"{ignored} || variables.{CODE}.size() == 0",
                "message": f"{CODE}: {sentence} ({URL}{CODE})",
                "messageExpression": f"{text(f'{CODE}: {where}')} + variables.{CODE}.join(', ')"
                f" + {text(f': {sentence} ({URL}{CODE})')}",
                "reason": "Invalid",
            },
            {
                "expression": f"{ignored} || ({found})",
                "message": f"{CODE}: {sentence} ({URL}{CODE})",
                "reason": "Invalid",
            },
        ],
    }
    name = f"gpuxlate-forbid-{subject.backend.name}{subject.suffix}"
    return made(name, subject, Severity.ERROR, spec, (CODE,), style)


def owned_alone(backend: Backend) -> str:
    """The name ``k`` is a key of this dialect and of no other software; empty where it has none such."""
    others = [one for one in registry.pod_backends() if one.name != backend.name]
    shared = {name for one in others for row in one.keys for name in (row.name, *row.aliases)}
    shared |= {name for row in backend.keys if row.general for name in (row.name, *row.aliases)}
    shared |= {IGNORE, *({backend.whole_card_key} if backend.whole_card_key else ())}
    theirs = tuple(prefix for one in others for prefix in one.gpu_prefixes)
    prefixes = tuple(
        one
        for one in dict.fromkeys(backend.gpu_prefixes)
        if "/" in one and not any(one.startswith(p) or p.startswith(one) for p in theirs)
    )
    rows = [row for row in backend.keys if _is_alone(row, shared)]
    exact = [n for row in rows if "*" not in row.name for n in (row.name, *row.aliases) if n not in shared]
    exact = [one for one in dict.fromkeys(exact) if not one.startswith(prefixes)]
    terms = [f"k.startsWith({text(one)})" for one in prefixes]
    terms += [f"k in [{', '.join(map(text, exact))}]"] if exact else []
    terms += [
        f"k.matches({text(pattern(row.name))})"
        for row in rows
        if row.is_pattern and not row.name.startswith(prefixes)
    ]
    apart = sorted(one for one in shared if one.startswith(prefixes)) if prefixes else []
    either = f"({' || '.join(terms)})" if terms else ""
    return f"{either} && !(k in [{', '.join(map(text, apart))}])" if either and apart else either


def _is_alone(row: Key, shared: set[str]) -> bool:
    return not row.general and row.name not in shared


def _in_container(key: str, root: str = "c") -> str:
    maps = f"[{root}.?resources.?limits.orValue({{}}), {root}.?resources.?requests.orValue({{}})]"
    env = f"{root}.?env.orValue([]).map(e, e.?name.orValue(''))"
    return f"{maps}.exists(m, m.exists(k, {key})) || {env}.exists(k, {key})"


def _in_some_container(inside: str) -> str:
    return f"variables.containers.exists(c, {inside})"


def _on_pod(key: str) -> str:
    steps = ".?".join(REQUIRED_AFFINITY)
    keys = "matchExpressions.orValue([]).map(r, r.?key.orValue(''))"
    preferred = "affinity.?nodeAffinity.?preferredDuringSchedulingIgnoredDuringExecution"
    return " || ".join(
        [
            f"(variables.labelNames + variables.annotationNames).exists(k, {key})",
            f"variables.spec.?nodeSelector.orValue({{}}).exists(k, {key})",
            f"variables.spec.?{steps}.orValue([]).exists(t, t.?{keys}.exists(k, {key}))",
            f"variables.spec.?{preferred}.orValue([]).exists(t, t.?preference.?{keys}.exists(k, {key}))",
        ]
    )
