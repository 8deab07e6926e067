"""A policy that denies every key of a dialect, for a cluster that has moved to another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model import site
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import KeySpec, Place
from gpuxlate.model.messages import msg
from gpuxlate.policy.cel import cel_string
from gpuxlate.policy.documents import AdmissionPolicy, failure_policy, policy_of
from gpuxlate.policy.layout import text_in_lines
from gpuxlate.policy.markers import IN_RESOURCES, SELECTORS, NamePatterns, list_in_cel
from gpuxlate.policy.style import PolicyObject, PolicyStyle
from gpuxlate.policy.subjects import PodSubject, PodTemplates, PolicySubject
from gpuxlate.rules.key_index import IGNORE

FROZEN = "this cluster takes no keys of {title}; gpuxlate translate writes those of another target"
LEFTOVER = "GX026"
"""The rule that nothing of a dialect is not translated: its code in messages and ignores."""
OF_CLASS = "deviceclass.resource.kubernetes.io/"
"""A class of devices as a resource of containers (kubernetes/enhancements, KEP-5004)."""


def key_denial_policy(subject: PolicySubject, style: PolicyStyle) -> AdmissionPolicy | None:
    """The policy that denies the keys of a dialect; None if no key is only of this dialect."""
    backend = subject.backend
    names, words, env = owned_alone(backend), _words(backend), _env(backend)
    if not (names or words or env):
        return None
    on_pod = _on_pod(names.to_cel(), words)
    broken = subject.breakers({"": f"!({_in_container(names, env, 'c.is')})"}, LEFTOVER)
    sentence = _sentence(backend, style)
    on_pod_kept = subject.kept(f"!({on_pod})", LEFTOVER)
    if isinstance(subject, PodTemplates):
        subject = replace(subject, chosen="true")
    variables = [*subject.variables(f"{broken} {on_pod_kept}"), (LEFTOVER, broken)]
    where = "" if subject.suffix else f"{locale.translator(style.language)(msg('container'))} "
    ignored = f"{cel_string(LEFTOVER)} in variables.ignored"
    some = f"variables.containers.exists(c, {_in_container(names, env)})"
    spec = {
        "failurePolicy": failure_policy(subject),
        "matchConstraints": {"resourceRules": subject.rules},
        "matchConditions": [{"name": "has-keys", "expression": subject.matching(f"{on_pod} || {some}")}],
        "validations": [
            {
                "expression": f"{ignored} || variables.{LEFTOVER}.size() == 0",
                "message": f"{LEFTOVER}: {sentence}",
                "messageExpression": f"{cel_string(f'{LEFTOVER}: {where}')} + variables.{LEFTOVER}.join(', ')"
                f" + {text_in_lines(f': {sentence}')}",
                "reason": "Invalid",
            },
            {
                "expression": f"{ignored} || ({on_pod_kept})",
                "message": f"{LEFTOVER}: {sentence}",
                "reason": "Invalid",
            },
        ],
        "variables": [{"name": name, "expression": expression} for name, expression in variables],
    }
    name = f"gpuxlate-forbid-{backend.name}{subject.suffix}"
    return policy_of(name, subject, Severity.ERROR, spec, (LEFTOVER,), style)


def claim_denial_policies(backend: Backend, style: PolicyStyle) -> Iterator[AdmissionPolicy]:
    """The policy that denies claims of a dialect's devices, and their templates; none for most dialects.

    A pod only names its claims; what they request is in other objects.
    """
    if not backend.device_classes:
        return
    classes = f"in {list_in_cel(backend.device_classes)}"
    exact = f"r.?exactly.?deviceClassName.or(r.?deviceClassName).orValue('') {classes}"
    some = f"r.?firstAvailable.orValue([]).exists(s, s.?deviceClassName.orValue('') {classes})"
    devices = "object.?spec.?spec.?devices.or(object.?spec.?devices)"
    subject, sentence = PodSubject(backend), _sentence(backend, style)
    spec: PolicyObject = {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": ["resource.k8s.io"],
                    "apiVersions": ["*"],
                    "operations": ["CREATE"],
                    "resources": ["resourceclaims", "resourceclaimtemplates"],
                }
            ]
        },
        "matchConditions": [
            {
                "name": "has-devices",
                "expression": f"{devices}.?requests.orValue([]).exists(r, {exact} || {some})",
            }
        ],
        "validations": [
            {
                "expression": f"{cel_string(LEFTOVER)} in variables.ignored",
                "message": f"{LEFTOVER}: {sentence}",
                "reason": "Invalid",
            }
        ],
        "variables": [{"name": name, "expression": expression} for name, expression in subject.variables("")],
    }
    name = f"gpuxlate-forbid-{backend.name}-claims"
    yield policy_of(name, subject, Severity.ERROR, spec, (LEFTOVER,), style)


def _sentence(backend: Backend, style: PolicyStyle) -> str:
    frozen = locale.translator(style.language)(msg(FROZEN, title=backend.title))
    return f"{frozen} ({site.rule_help(LEFTOVER)})"


def owned_alone(backend: Backend) -> NamePatterns:
    """The keys of this dialect that no other software has, wherever they are."""
    others = [other for other in registry.pod_backends() if other.name != backend.name]
    shared = {name for other in others for row in other.keys for name in (row.name, *row.aliases)}
    shared |= {name for row in backend.keys if row.general for name in (row.name, *row.aliases)}
    shared |= {IGNORE, *({backend.whole_card_key} if backend.whole_card_key else ())}
    theirs = tuple(prefix for other in others for prefix in other.gpu_prefixes)
    prefixes = tuple(
        prefix
        for prefix in dict.fromkeys(backend.gpu_prefixes)
        if "/" in prefix and not any(prefix.startswith(p) or p.startswith(prefix) for p in theirs)
    )
    names = [name for row in backend.keys if not row.general for name in (row.name, *row.aliases)]
    # a prefix that ends with a separator, as the name of a key by mistake
    stems = [prefix.rstrip(".-") for prefix in prefixes if prefix[-1] in ".-"]
    classes = [f"{OF_CLASS}{device_class}" for device_class in backend.device_classes]
    exclusive = [name for name in (*names, *stems, *classes) if name not in shared]
    return NamePatterns.of(exclusive, prefixes, sorted(shared))


def _words(backend: Backend) -> list[str]:
    """The dialect's annotations without a domain, which a policy against the dialect denies too."""
    return [row.name for row in backend.keys if row.is_word and Place.ANNOTATION in row.places]


def _env(backend: Backend) -> list[str]:
    """Environment variables that only this dialect reads. Others are not checked, since pods have many."""
    others = (row.name for other in registry.pod_backends() if other is not backend for row in other.keys)
    others_variables = {*others}

    def is_keyed(row: KeySpec) -> bool:
        return Place.ENV in row.places and not row.general and row.name not in others_variables

    return [row.name for row in backend.keys if is_keyed(row)]


def _in_container(names: NamePatterns, env: list[str], root: str = "c") -> str:
    maps = IN_RESOURCES.replace("c.", f"{root}.")
    terms = [f"{maps}.exists(m, m.exists(k, {names.to_cel()}))"] if names else []
    if env:
        terms.append(f"{root}.?env.orValue([]).exists(e, e.?name.orValue('') in {list_in_cel(env)})")
    return " || ".join(terms) or "false"


def _on_pod(key: str, words: list[str]) -> str:
    bare = [f"variables.annotationNames.exists(k, k in {list_in_cel(words)})"] if words else []
    names = f"([variables.labelNames, variables.annotationNames] + {SELECTORS})"
    return " || ".join([f"{names}.exists(l, l.exists(k, {key}))", *bare])
