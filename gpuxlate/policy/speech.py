"""When a pod speaks a dialect, in CEL: the condition on which a policy looks at it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpuxlate.backends.base import Backend, Place
from gpuxlate.rules.predicates.cel import VARIABLES, said, text
from gpuxlate.rules.predicates.conditions import Condition
from gpuxlate.rules.vocabulary import IGNORE


class SilentError(ValueError):
    """A dialect that no policy can recognize: a function says in which pods it is spoken."""


def speaks(backend: Backend, others: Iterable[str] = ()) -> str:
    """An expression over the variables of a pod: it asks for a GPU in the dialect, as lint sees it.

    ``others``: names that resources have in the cluster. Raises SilentError.
    """
    maps = "[c.?resources.?limits.orValue({}), c.?resources.?requests.orValue({})]"
    asks = f"variables.containers.exists(c, {maps}.exists(m, m.exists(k, {owned(backend, others)})))"
    if backend.also_speaks is None:
        return asks
    if not isinstance(backend.also_speaks, Condition):
        raise SilentError(backend.name)
    return f"{asks} || {said(backend.also_speaks)}"


def owned(backend: Backend, others: Iterable[str] = ()) -> str:
    """The name ``k`` is a key of the dialect that asks for a GPU in resources."""
    at = Place.RESOURCE
    known = [name for row in backend.keys for name in (row.name, *row.aliases)]
    exact = [one for one in known if "*" not in one]
    prefixes = tuple(dict.fromkeys(backend.gpu_prefixes))
    mine = [one for one in (*exact, *others) if one in others or backend.owns_at(one, at)]
    terms = [f"k.startsWith({text(one)})" for one in prefixes]
    rows = (row.name for row in backend.keys if row.is_pattern and not row.name.startswith(prefixes))
    stars = [pattern(one) for one in rows if backend.owns_at(one, at)]
    listed = [one for one in dict.fromkeys(mine) if not one.startswith(prefixes)]
    listed = [one for one in listed if not any(re.match(star, one) for star in stars)]
    if listed:
        terms.append(f"k in [{', '.join(map(text, listed))}]")
    terms += [f"k.matches({text(one)})" for one in stars]
    apart = [*exact, *((backend.whole_card_key,) if backend.whole_card_key else ()), IGNORE]
    apart = [one for one in dict.fromkeys(apart) if one.startswith(prefixes) and not backend.owns_at(one, at)]
    either = f"({' || '.join(terms)})"
    return f"{either} && !(k in [{', '.join(map(text, apart))}])" if apart else either


def pattern(name: str) -> str:
    """The name of a row with a star as a pattern of the whole text."""
    return f"^{'[^/]*'.join(map(re.escape, name.split('*')))}$"


def inlined(expression: str, root: str = "object") -> str:
    """An expression with the definitions in place of the variables, of a pod at ``root``."""
    for name in reversed(VARIABLES):
        definition = f"({VARIABLES[name]})".replace("\\", r"\\")
        expression = re.sub(rf"\bvariables\.{name}\b", definition, expression)
    return re.sub(r"\bobject\b(?=\.\?)", root, expression)
