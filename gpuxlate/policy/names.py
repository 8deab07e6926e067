"""Names of keys as a condition in CEL: whose key a name is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpuxlate.rules.predicates.cel import text


@dataclass(frozen=True)
class Names:
    """Names of keys: as they are, by their beginning, or by a pattern; none of those ``apart``."""

    exact: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Iterable[str], prefixes: Iterable[str] = (), apart: Iterable[str] = ()) -> Names:
        """``names``: ``*`` in one is any text without a slash. What another of them holds is left out."""
        before = tuple(dict.fromkeys(prefixes))
        left = [one for one in dict.fromkeys(names) if not one.startswith(before)]
        stars = tuple(pattern(one) for one in left if "*" in one)
        plain = (one for one in left if "*" not in one)
        exact = tuple(one for one in plain if not any(re.match(star, one) for star in stars))
        return cls(exact, before, stars, tuple(one for one in dict.fromkeys(apart) if one.startswith(before)))

    def __bool__(self) -> bool:
        return bool(self.exact or self.prefixes or self.patterns)

    def __contains__(self, name: str) -> bool:
        return name not in self.apart and (
            name in self.exact
            or name.startswith(self.prefixes)
            or any(re.match(one, name) for one in self.patterns)
        )

    def __or__(self, other: Names) -> Names:
        """The names of both."""
        both = tuple(dict.fromkeys((*self.prefixes, *other.prefixes)))
        prefixes = tuple(one for one in both if not one.startswith(tuple(p for p in both if p != one)))
        exact = (one for one in dict.fromkeys((*self.exact, *other.exact)) if not one.startswith(prefixes))
        patterns = tuple(dict.fromkeys((*self.patterns, *other.patterns)))
        apart = [one for one in self.apart if one not in other] + [
            one for one in other.apart if one not in self
        ]
        return Names(tuple(exact), prefixes, patterns, tuple(dict.fromkeys(apart)))

    def said(self, name: str = "k") -> str:
        """A name is one of them, in CEL."""
        terms = [f"{name}.startsWith({text(one)})" for one in self.prefixes]
        terms += [f"{name} in {listed(self.exact)}"] if self.exact else []
        terms += [f"{name}.matches({text(one)})" for one in self.patterns]
        either = f"({' || '.join(terms)})" if terms else "false"
        return f"{either} && !({name} in {listed(self.apart)})" if self.apart and terms else either


def pattern(name: str) -> str:
    """The name of a row with a star as a pattern of the whole text."""
    return f"^{'[^/]*'.join(map(re.escape, name.split('*')))}$"


def listed(names: Iterable[str]) -> str:
    """A list of texts in CEL."""
    return f"[{', '.join(map(text, names))}]"
