"""All rules by code: vendor-neutral rules and those of the installed backends.

The rules of a backend are loaded when they are needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module

from gpuxlate.rules import vocabulary
from gpuxlate.rules.base import CodeTakenError, Dialect, Rule, Scope, rules_of
from gpuxlate.rules.index import Rules

_CODE = re.compile(r"(?P<prefix>K8S|[A-Z]+)[-_ ]?(?P<number>[0-9]{1,3})")


@cache
def neutral_rules() -> tuple[Rule, ...]:
    """The vendor-neutral rules, in the order of their codes."""
    return rules_of(import_module(__package__))


@cache
def neutral_pod_rules() -> Rules:
    """Those that are about a pod."""
    return Rules(one for one in neutral_rules() if one.scope is Scope.POD)


@cache
def neutral_document_rules() -> tuple[Rule, ...]:
    """Those that are about a document."""
    return tuple(one for one in neutral_rules() if one.scope is Scope.DOCUMENT)


OF_PARAMETERS = ("GX003", "GX007")
"""The vendor-neutral rules that apply to parameters too; the others are about Kubernetes."""


@cache
def parameter_rules() -> Rules:
    """The vendor-neutral rules for targets whose shares are not in manifests."""
    return Rules(one for one in neutral_rules() if one.code in OF_PARAMETERS)


def rules_beside(dialect: Dialect) -> Rules:
    """The vendor-neutral rules for the shares of a dialect."""
    return parameter_rules() if not dialect.writes_pods else neutral_pod_rules()


def all_rules(backends: Iterable[Dialect]) -> dict[str, Rule]:
    """Every rule by its code, in the order of the codes.

    Raises CodeTakenError where two rules have one code.
    """
    found = {one.code: one for one in neutral_rules()}
    for backend in backends:
        for one in backend.rules:
            if found.setdefault(one.code, one) is not one:
                raise CodeTakenError(found[one.code], one, backend.name)
    return dict(sorted(found.items()))


def find(code: str, backends: Iterable[Dialect] = ()) -> Rule | None:
    """The rule of a code, in any letter case; the backends' rules are loaded until it is found."""
    wanted = code.strip().upper()
    return next((one for one in _every(backends) if one.code == wanted), None)


def nearest(code: str, backends: Iterable[Dialect] = ()) -> str | None:
    """The code that was probably meant, for "did you mean"; None where nothing is near."""
    codes = list(all_rules(backends))
    wanted = code.strip().upper()
    match = _CODE.fullmatch(wanted)
    if match:
        wanted = f"{match['prefix']}{int(match['number']):03d}"
    return vocabulary.nearest(wanted, codes, vocabulary.NEAR)


def _every(backends: Iterable[Dialect]) -> Iterator[Rule]:
    yield from neutral_rules()
    for backend in backends:
        yield from backend.rules
