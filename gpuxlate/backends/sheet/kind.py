"""A kind of rule that follows from rows: what it demands, its findings, its page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from gpuxlate.backends.base import Key, Place
from gpuxlate.backends.sheet import examples
from gpuxlate.backends.sheet.examples import Example
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context, Rule
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.predicates.with_profile import WithProfile

if TYPE_CHECKING:
    from gpuxlate.backends.sheet.sheet import Sheet


@dataclass(frozen=True)
class Kind:
    """One kind of rule for one sheet; ``keys``: the rows that it is about, all where there are none; ``why``:
    the reason in place of the usual one."""

    sheet: Sheet
    keys: tuple[str, ...] = ()
    why: str = ""

    number: ClassVar[int]
    name: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR
    fix: ClassVar[str | None] = None
    missing: ClassVar[bool] = False
    no_policy: ClassVar[str] = ""
    summary: ClassVar[str]
    what: ClassVar[str]
    usual_why: ClassVar[str]
    fixing: ClassVar[str] = ""
    profile: ClassVar[str] = ""

    def rows(self) -> Iterable[Key]:
        """The rows that the rule is about."""
        raise NotImplementedError

    @cached_property
    def mine(self) -> tuple[Key, ...]:
        """The rows that the rule is about: of the keys that it was given, else all but that of whole cards,
        which every cloud has."""
        if self.keys:
            return tuple(row for row in self.rows() if row.name in self.keys)
        return tuple(row for row in self.rows() if row.name != self.sheet.whole_card_key)

    def row_of(self, breach: Breach) -> Key:
        """The row whose key a breach is at."""
        return next(row for row in self.mine if row.name == breach.name)

    def applies(self) -> bool:
        """The sheet has something for this kind of rule."""
        return bool(self.mine)

    def fixes(self) -> str | None:
        """Whether some of its findings have a fix, and of which kind."""
        return self.fix

    def predicates(self) -> Iterable[Predicate]:
        """What it demands, as predicates; none where no policy can say it."""
        return ()

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        """A breach in words."""
        raise NotImplementedError

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """Findings beside those of the predicates, which know no key with the name of a container in it."""
        return iter(())

    def finds_more(self) -> bool:
        """It has findings beside those of the predicates."""
        return type(self).also is not Kind.also

    def in_cluster(self) -> WithProfile | None:
        """What it demands in a cluster that has a profile."""
        return None

    def of_profile(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """The findings of a rule that has no predicate."""
        raise NotImplementedError

    # --- its page -----------------------------------------------------------------------------

    def example(self) -> Example:
        """A pod that breaks it."""
        raise NotImplementedError

    def instead(self) -> Example:
        """A pod that keeps it."""
        return examples.share(self.sheet)

    @property
    def values(self) -> dict[str, str]:
        """What is in the sentences of the kind."""
        keys = ", ".join(f"`{row.template or row.name}`" for row in self._shown())
        return {"title": self.sheet.called, "keys": keys}

    @property
    def summary_text(self) -> Message:
        """What it demands, in one sentence."""
        return say(self.summary, **self.values)

    def text(self) -> str:
        """The text that a docstring has where a rule is a function."""
        values = self.values
        why = self.why or self.sheet.why.get(type(self).__name__.upper(), self.usual_why)
        profile = f"\n```yaml profile\ntarget: {self.sheet.name}\n{self.profile}\n```" if self.profile else ""
        sources = ", ".join(dict.fromkeys(tag for row in self.mine for tag in row.source.split(", ") if tag))
        parts = [
            self.summary_text,
            f"## What it does\n{self.what.format(**values)}",
            f"## Why\n{why.format(**values)}",
            f"## Example\n```yaml\n{self.example().text}\n```{profile}",
            f"## Use instead\n```yaml\n{self.instead().text}\n```",
            *([f"## Fix\n{self.fixing}"] if self.fixes() else []),
            f"## Source\n{self.sheet.described(sources)}.",
        ]
        return "\n\n".join(parts)

    def _shown(self) -> Iterable[Key]:
        """The rows, each template once."""
        return {row.template or row.name: row for row in self.mine}.values()


def by_pattern(rows: Iterable[Key], pod: PodKeys) -> Iterator[tuple[Key, str, Value]]:
    """The annotations with the name of a container in their own, each with its row."""
    for row in rows:
        if row.is_pattern and Place.ANNOTATION in row.places:
            found = ((name, value) for name, value in pod.annotations.items() if row.matches(name))
            yield from ((row, name, value) for name, value in found)
