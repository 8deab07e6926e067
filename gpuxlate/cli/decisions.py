"""``--decisions``, ``--write-decisions`` and ``--prune-decisions`` of the commands that translate."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gpuxlate.cli import lookup, printing
from gpuxlate.cli.options import DecisionOptions
from gpuxlate.files.find import InputError, system_message
from gpuxlate.locale import localize
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.errors import UserError
from gpuxlate.model.messages import message_of, msg, plural

if TYPE_CHECKING:
    from gpuxlate.config.decisions import Decision
    from gpuxlate.translation.decisions import Decisions, JudgedObject
    from gpuxlate.yamltext.source import Source


HEADER = (
    msg("Losses that are not accepted yet. To accept one, write in its entry:"),
    msg("  accept: true"),
    msg("  reason: why the loss is acceptable, for reviewers"),
    msg("  given: the number for each card, where the verdict is filled"),
    msg("A loss without accept: true stays an error. A refused share has no entry: no decision accepts it."),
)
"""The comment that a new file of decisions begins with, line by line."""


@dataclass
class DecisionFiles:
    """The files of decisions of a run, as they were read. ``writes``: the one that gets new entries."""

    decisions: Decisions
    sources: dict[str, Source] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    writes: str | None = None
    prunes: bool = False
    undecided: bool = False

    def of_file(self, name: str) -> DecisionFiles:
        """One of the files, with its entries and the findings about them."""
        source = self.sources[name]
        entries = tuple(
            entry
            for entry in self.decisions.entries
            if entry.document is not None and entry.document.source is source
        )
        findings = [finding for finding in self.findings if finding.file == name]
        decisions = replace(self.decisions, entries=entries)
        return replace(self, decisions=decisions, sources={name: source}, findings=findings)

    def settle(self, judged: Iterable[JudgedObject], *, remark: bool = True) -> bool:
        """Say what entries match nothing, and write those that are missing. Whether a loss is accepted that
        nothing accepts, or undecided ones are left where they are written."""
        from gpuxlate.yamltext.source import Texts

        judged_objects = list(judged)
        remarks, unmatched = self.decisions.remarks(judged_objects) if remark else ([], [])
        refused = any(finding.severity is Severity.ERROR for finding in remarks)
        if self.prunes:
            remarks = [finding for finding in remarks if finding.severity is Severity.ERROR]
            self._prune(unmatched)
        printing.show([*self.findings, *remarks], Texts(*self.sources.values()))
        if self.writes is not None:
            missing, undecided = self.decisions.undecided(judged_objects)
            self.undecided = undecided > 0
            if missing:
                self._write(self.writes, missing)
            if undecided:
                losses = plural(
                    undecided, "{count} loss is not accepted yet", "{count} losses are not accepted yet"
                )
                printing.info(msg("{losses}: see {file}", losses=losses, file=self.writes))
        return refused or self.undecided

    def _write(self, name: str, missing: Sequence[Decision]) -> None:
        from gpuxlate.config.decisions import with_entries
        from gpuxlate.yamltext.source import Source

        header = "" if name in self.sources else "".join(f"# {localize(line)}\n" for line in HEADER)
        source = self.sources.get(name) or Source(name, "")
        self._replace(name, source, lambda: header + with_entries(source, missing))

    def _prune(self, unmatched: Sequence[Decision]) -> None:
        from gpuxlate.config.decisions import without_entries

        removed = set(map(id, unmatched))
        kept = tuple(entry for entry in self.decisions.entries if id(entry) not in removed)
        self.decisions = replace(self.decisions, entries=kept)
        for name, source in list(self.sources.items()):
            of_source = [
                decision for decision in unmatched if decision.document and decision.document.source is source
            ]
            if of_source:
                self._replace(name, source, partial(without_entries, source, of_source))
                gone = plural(len(of_source), "{count} entry", "{count} entries")
                printing.info(msg("removed {gone} from {name}", gone=gone, name=name))

    def _replace(self, name: str, source: Source, changed: Callable[[], str]) -> None:
        from gpuxlate.cli.outputs import change_file, write_files
        from gpuxlate.yamltext.plan import EditError
        from gpuxlate.yamltext.source import Source

        old = source.encode(source.text)
        try:
            text = changed()
            if name in self.sources:
                change_file(name, source.encode(text), old, "written")
            else:
                write_files({Path(name): text.encode()})
        except OSError as error:
            raise InputError(msg("{name}: {error}", name=name, error=system_message(error))) from None
        except EditError as error:
            hint = "write each entry on lines of its own, then run the command again"
            raise UserError(msg("{name}: {error}", name=name, error=message_of(error)), hint) from None
        self.sources[name] = Source.from_bytes(name, source.encode(text))


def decision_files(options: DecisionOptions, base: str | None = None) -> DecisionFiles | None:
    """The decisions of a run; None without any. ``base``: the folder from which File/PATH counts.

    Raises UserError for a file that cannot be used.
    """
    names: Sequence[str] = options.decisions
    write, prune = options.write_decisions, options.prune_decisions
    config = lookup.config() if base is None else None
    are_named = bool(names) or base is not None  # sync has judged those of the configuration
    if not names and config is not None and config.decisions is not None:
        configured = os.path.relpath(config.decisions)
        names = [configured] if write is None or os.path.exists(configured) else []  # it may be made now
    if prune and not names and write is None:
        raise UserError("--prune-decisions needs decisions", "add --decisions FILE")
    if not names and write is None:
        return None
    from gpuxlate.files.find import Input
    from gpuxlate.files.read import repository_of
    from gpuxlate.translation.decisions import DecisionsError, read_decisions
    from gpuxlate.yamltext.source import Texts

    if "-" in (*names, write):
        raise UserError("decisions are in files: - is not one", "name a file")
    sources: dict[str, Source] = {}
    for name in dict.fromkeys((*names, *([write] if write is not None and os.path.exists(write) else ()))):
        try:
            sources[name] = Input(name, name, named=are_named or name == write).source()
        except InputError as error:
            hint = msg("to create it, pass --write-decisions {name} instead", name=name)
            if base is not None:
                hint = msg(
                    "create it: {command}", command=f"gpuxlate sync --to TARGET --write-decisions {name}"
                )
            raise UserError(message_of(error), hint) from None
    folder = base or (config.folder if config else None) or repository_of(os.getcwd())
    try:
        decisions, findings = read_decisions(sources.values(), str(folder))
    except DecisionsError as error:
        printing.show(error.findings, Texts(*sources.values()))
        raise UserError(
            msg("{names} cannot be used", names=", ".join(sources)),
            "gpuxlate schema decisions prints every field",
        ) from None
    return DecisionFiles(decisions, sources, findings, write, prune)
