"""A kind of rule that follows from rows: its constraints on the keys of a dialect, its findings, its page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from os.path import commonprefix
from typing import ClassVar

from gpuxlate.backends.rows import KeyTable
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import KeySpec, Place
from gpuxlate.model.messages import Message, join_and, listed, msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context, PodExample, Rule
from gpuxlate.rules.predicates import Constraint, Violation, WithProfile

OR = "{before} or {last}"
"""Joins the last two of several alternatives in a sentence."""


@record
class RowRule:
    """One kind of rule for one dialect. ``keys``: the rows that it is about, all where there are none;
    ``why``: the reason in place of the usual one."""

    table: KeyTable
    keys: tuple[str, ...] = ()
    why: str = ""

    kind: ClassVar[int]
    name: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR
    fix: ClassVar[str | None] = None
    missing: ClassVar[bool] = False
    no_policy: ClassVar[str] = ""  # of ``extra_findings`` too, where it finds more
    summary: ClassVar[str] = ""  # or a ``summary_text`` of its own
    description: ClassVar[str]
    usual_why: ClassVar[str]
    fixing: ClassVar[str] = ""
    profile: ClassVar[str] = ""
    tells_whole_cards: ClassVar[bool] = False

    def rows(self) -> Iterable[KeySpec]:
        """The rows that the rule is about."""
        raise NotImplementedError

    @cached_property
    def subject_rows(self) -> tuple[KeySpec, ...]:
        """The rows that the rule is about: those of ``keys``, else all but the row of whole cards, which
        every cloud has, unless ``tells_whole_cards``."""
        if self.keys or self.tells_whole_cards:
            return tuple(row for row in self.rows() if not self.keys or row.name in self.keys)
        return tuple(row for row in self.rows() if row.name != self.table.whole_card_key)

    def row_of(self, violation: Violation) -> KeySpec:
        """The row whose key a violation is at."""
        return next(row for row in self.subject_rows if row.name == violation.name)

    def applies(self) -> bool:
        """Whether the dialect has any row for this kind of rule."""
        return bool(self.subject_rows)

    def fixes(self) -> str | None:
        """The kind of its fixes, ``safe`` or ``unsafe``; None where no finding has one."""
        return self.fix

    def constraints(self) -> Iterable[Constraint]:
        """Its constraints; empty where no policy can express them."""
        return ()

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        """The findings about a violation."""
        raise NotImplementedError

    def extra_findings(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """Findings beside those of the constraints, which cannot name keys that contain a container's
        name."""
        return iter(())

    def keys_about(self) -> frozenset[str]:
        """Names, one of which a pod must have for any finding, where constraints do not say so; empty where
        they do."""
        return frozenset()

    def finds_more(self) -> bool:
        """Whether its rows can have ``extra_findings``, beside those of the constraints."""
        return False

    def in_cluster(self) -> WithProfile | None:
        """Its constraints in the cluster of a profile; None where it has none."""
        return None

    def check_pod(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """The findings of a rule that has no constraint."""
        raise NotImplementedError

    # --- its page -----------------------------------------------------------------------------

    def example(self) -> PodExample:
        """A pod that breaks it."""
        raise NotImplementedError

    def instead(self) -> PodExample:
        """A pod that keeps it."""
        return self.share()

    def share(self) -> PodExample:
        """A part of one card as the dialect writes it; a whole one, where it has no other."""
        from gpuxlate.backends.row_rules.examples import share

        return share(self.table)

    def whole_card(self) -> PodExample:
        """One whole card as the dialect writes it."""
        from gpuxlate.backends.row_rules.examples import whole_card

        return whole_card(self.table)

    @property
    def values(self) -> dict[str, str]:
        """The values of the placeholders in the sentences of the kind."""
        keys = ", ".join(f"`{row.template or row.name}`" for row in self._shown())
        return {"title": self.table.sentence_name, "keys": keys, "any_key": any_of(self.subject_rows)}

    @property
    def summary_text(self) -> Message:
        """What the rule requires, in one sentence that names its keys and what is legal."""
        return msg(self.summary, **self.values)

    @property
    def description_text(self) -> str:
        """What the rule reports."""
        return self.description.format(**self.values)

    def sections(self) -> dict[str, str]:
        """Its page by heading, as that of a rule with a docstring."""
        why = self.why or self.table.rule_reasons.get(self.kind, self.usual_why)
        cluster = self.cluster()
        profile = f"target: {self.table.name}\n{cluster}" if cluster else ""
        sources = ", ".join(
            dict.fromkeys(tag for row in self.subject_rows for tag in row.source.split(", ") if tag)
        )
        return {
            "What it does": self.description_text,
            "Why": why.format(**self.values),
            "Example": replace(self.example(), profile=profile).block,
            "Use instead": replace(self.instead(), profile="").block,
            **({"Fix": self.fixing} if self.fixes() else {}),
            "Source": f"{self.table.described(sources)}.",
        }

    def cluster(self) -> str:
        """The profile of its examples, as YAML."""
        return self.profile

    def any_named(self, names: Iterable[str]) -> str:
        """The names of keys as alternatives in a sentence; those of card models once."""
        rows = {name: self.table.find(name) for name in names}
        shown = (row.template if row and row.template else name for name, row in rows.items())
        return listed([*dict.fromkeys(f"`{name}`" for name in shown)], OR)

    def _shown(self) -> Iterable[KeySpec]:
        """The rows, each template once."""
        return {row.template or row.name: row for row in self.subject_rows}.values()


ROUNDINGS = " In a translation, amounts that `--round up` raises to such a number."
"""In the ``description`` of a kind whose code has a rounding."""


def shown_names(rows: Iterable[KeySpec]) -> list[str]:
    """The names of rows as sentences have them, those of card models once."""
    return [*dict.fromkeys(f"`{row.template or row.name}`" for row in rows)]


def any_of(rows: Iterable[KeySpec]) -> str:
    """The names of rows as alternatives in a sentence."""
    return listed(shown_names(rows), OR)


def demands_of(rows: Iterable[KeySpec], title: Callable[[KeySpec], str], of_one: str, of_several: str) -> str:
    """A sentence on each row with its ``title``, by the template for one key, or for several with the same:
    "`a` is 1 or more; `b` and `c` are each 0 to 100"."""
    together: dict[str, list[KeySpec]] = {}
    for row in rows:
        together.setdefault(title(row), []).append(row)
    demands = []
    for text, alike in together.items():
        names = shown_names(alike)
        demands.append(msg(of_one if len(names) == 1 else of_several, keys=listed(names), what=text))
    return join_and(demands, "{before}; {last}")


def is_annotation_of_containers(row: KeySpec) -> bool:
    """Whether the row is of annotations whose names contain the name of a container."""
    return row.is_pattern and Place.ANNOTATION in row.places


def by_pattern(rows: Iterable[KeySpec], pod: PodKeys) -> Iterator[tuple[KeySpec, str, Value]]:
    """The annotations whose names contain the name of a container: row, name and value of each."""
    for row in rows:
        if is_annotation_of_containers(row):
            values = ((name, value) for name, value in pod.annotations.items() if row.matches(name))
            yield from ((row, name, value) for name, value in values)


def name_beside(table: KeyTable, written: str, standard: str) -> str:
    """The name of a key to write beside another key: the one with the longest common prefix, since a cluster
    has the names of one release; of several the one that has the whole prefix, then the name of its row."""

    def alike(name: str) -> tuple[int, bool, bool]:
        return len(commonprefix((name, written))), written.startswith(name), name == standard  # noqa: RUF071 - of letters

    row = table.find(standard)
    return max((standard, *row.aliases), key=alike) if row else standard
