"""The names of keys of a source and a target, and which pods the policies between them look at, in CEL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, Key, Place
from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.policy.names import Names, listed
from gpuxlate.policy.speech import some_resource
from gpuxlate.policy.translation.reading import Source
from gpuxlate.rules.vocabulary import IGNORE

LIMITS = "c.?resources.?limits.orValue({})"
TERMS = f"variables.spec.?{'.?'.join(REQUIRED_AFFINITY)}.orValue([])"
PREFERRED = (
    "variables.spec.?affinity.?nodeAffinity.?preferredDuringSchedulingIgnoredDuringExecution.orValue([])"
)
NODE_SELECTOR = "variables.spec.?nodeSelector.orValue({})"


def names_of(backend: Backend, *, general: bool = True) -> Names:
    """The keys of a dialect, wherever they are, but those that its scheduler writes and words of anybody's.

    ``general``: those too that say nothing of a GPU where nothing else does.
    """
    rows = [row for row in backend.keys if not row.is_word and (general or not row.general)]
    scheduled = [name for row in backend.keys if Place.SCHEDULER in row.places for name in _all(row)]
    names = [name for row in rows for name in _all(row) if name not in scheduled]
    apart = [one for one in (IGNORE, *scheduled) if "*" not in one]
    return Names.of(names, backend.gpu_prefixes, apart)


def _all(row: Key) -> tuple[str, ...]:
    return (row.name, *row.aliases)


def all_names(backends: Iterable[Backend]) -> Names:
    """Those of several dialects."""
    found = Names()
    for one in backends:
        found |= names_of(one)
    return found


@dataclass(frozen=True)
class Around:
    """A source and a target, as far as their names go."""

    source: Source
    target: Backend

    @cached_property
    def asking(self) -> Names:
        """The resources that ask for a share in the source, whole cards too where it reads them."""
        backend = self.source.backend
        names = [name for row in backend.keys if Place.RESOURCE in row.places for name in _all(row)]
        whole = backend.whole_card_key
        return Names.of((*names, *([whole] if whole else ())), backend.gpu_prefixes, (IGNORE,))

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """Those of them that the target has too: a translated pod may have them."""
        target = self.target
        return tuple(one for one in self.asking.exact if target.owns(one) or one == target.whole_card_key)

    @cached_property
    def own(self) -> Names:
        """Those that no translated pod has."""
        return replace(self.asking, exact=tuple(one for one in self.asking.exact if one not in self.shared))

    @cached_property
    def theirs(self) -> Names:
        """The resources of all other dialects."""
        found, mine = Names(), self.asking
        for one in registry.pod_backends():
            rows = [row for row in one.keys if Place.RESOURCE in row.places]
            whole = (one.whole_card_key,) if one.whole_card_key else ()
            found |= Names.of((*(name for row in rows for name in _all(row)), *whole), one.gpu_prefixes)
        exact = tuple(one for one in found.exact if one not in mine)
        prefixes = tuple(one for one in found.prefixes if one not in mine.prefixes)
        patterns = tuple(one for one in found.patterns if one not in mine.patterns)
        apart = tuple(one for one in mine.exact if one.startswith(prefixes))
        return Names(exact, prefixes, patterns, apart)

    @cached_property
    def words(self) -> Names:
        """The keys of the source on a pod that say nothing without a share, and are not the target's."""
        found = names_of(self.source.backend, general=False)
        return replace(found, exact=tuple(one for one in found.exact if not self.target.owns(one)))

    @cached_property
    def env(self) -> list[str]:
        """The variables of containers that the source reads."""
        rows = self.source.backend.keys
        return sorted(row.name for row in rows if Place.ENV in row.places and not row.is_word)

    @property
    def speaks(self) -> str:
        """A pod asks for a share in the source: a match condition."""
        return some_resource(self.asking)

    @property
    def has_own(self) -> str:
        """A container asks in the source, by a key that no translated pod has."""
        return some_resource(self.own) if self.own else "false"

    @property
    def remains(self) -> str:
        """A key of the source is left in a pod, or a resource that may be one: a match condition."""
        terms = [self.has_own]
        if self.words:
            said = self.words.said()
            places = ("variables.labels", "variables.annotations", NODE_SELECTOR)
            terms += [f"{one}.exists(k, {said})" for one in places]
            for listed_terms, at in ((TERMS, "t"), (PREFERRED, "t.?preference")):
                key = f"[string(r.?key.orValue(''))].exists(k, {said})"
                terms.append(f"{listed_terms}.exists(t, {at}.?matchExpressions.orValue([]).exists(r, {key}))")
        if self.env:
            variable = f"c.?env.orValue([]).exists(e, e.?name.orValue('') in {listed(self.env)})"
            terms.append(f"variables.containers.exists(c, {variable})")
        if self.shared:
            rows = [row for row in self.target.keys if Place.RESOURCE in row.places]
            names = (name for row in rows for name in _all(row) if name not in self.shared)
            native = Names.of(names, self.target.gpu_prefixes, self.shared)
            apart = f" && !{LIMITS}.exists(k, {native.said()})" if native else ""
            shared = f"{listed(self.shared)}.exists(k, k in {LIMITS})"
            terms.append(f"variables.containers.exists(c, {shared}{apart})")
        return " || ".join(one for one in terms if one != "false")
