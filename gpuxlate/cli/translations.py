"""Translate every input of a run: common to ``translate``, ``assess``, ``parse`` and ``inspect``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from gpuxlate.cli import common
from gpuxlate.cli.runner import dialects_used, each
from gpuxlate.cli.tables import table
from gpuxlate.inputs.claims import Claims
from gpuxlate.inputs.files import Input, InputError, is_blank, reader, under_chart_templates
from gpuxlate.inputs.kustomize import NAMES, kustomized
from gpuxlate.inputs.layers import layer_of
from gpuxlate.inputs.relevance import may_be_skipped
from gpuxlate.locale import tell
from gpuxlate.manifest.layers import Layer
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import joined, plural, say
from gpuxlate.rules.source import in_chart
from gpuxlate.translation.claims import Named, clashes
from gpuxlate.translation.leftovers import Leftover, left_in_text
from gpuxlate.translation.passes import Part, Task, run_source
from gpuxlate.translation.pods.item import Item, counted_once
from gpuxlate.translation.quotas.item import QuotaItem
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import TRANSLATE
from gpuxlate.yamltext.compose import Reader, kept
from gpuxlate.yamltext.source import Source, Texts

if TYPE_CHECKING:
    from gpuxlate.inputs.builds import Builds


@dataclass(frozen=True, slots=True)
class Translated:
    """The result for one input: its old and new bytes. ``source`` is the text of the findings."""

    name: str
    is_file: bool
    old: bytes
    new: bytes
    items: tuple[Item, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    quotas: tuple[QuotaItem, ...] = ()
    named: tuple[Named, ...] = ()
    source: Source | None = None

    @property
    def changed(self) -> bool:
        return self.new != self.old


@dataclass(slots=True)
class Run:
    """The results for all inputs."""

    files: list[Translated] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)
    quotas: list[QuotaItem] = field(default_factory=list)
    texts: Texts = field(default_factory=Texts)

    @property
    def refused(self) -> bool:
        return any(one.severity is Severity.ERROR for one in self.diagnostics)

    @property
    def changed(self) -> list[Translated]:
        return [file for file in self.files if file.changed]

    @property
    def counts(self) -> str:
        """The shares, quotas and leftovers: "41 shares, 2 quotas, 3 leftovers in 2 files"."""
        shares = len(list(counted_once(self.items)))
        found = [plural(shares, "{count} share", "{count} shares")]
        if self.quotas:
            objects = {(one.file, one.document, one.object_path) for one in self.quotas}
            found.append(plural(len(objects), "{count} quota", "{count} quotas"))
        if not self.leftovers:
            return joined(found)
        files = plural(len({one.found.file for one in self.leftovers}), "{count} file", "{count} files")
        what = joined([*found, plural(len(self.leftovers), "{count} leftover", "{count} leftovers")])
        return say("{what} in {files}", what=what, files=files)


def show(run: Run) -> None:
    """The findings on stderr, and the counts where something is left behind."""
    common.show(run.diagnostics, run.texts)
    if run.leftovers:
        common.data_err(f"\n{tell(run.counts)}\n")


def leftover_table(leftovers: Sequence[Leftover]) -> str:
    """Every place where something is left behind, for people."""
    rows = [[_at(one.found), one.found.code, one.found.message] for one in leftovers]
    return table(["LEFTOVER AT", "RULE", "WHAT"], rows)


def _at(one: Diagnostic) -> str:
    return f"{one.file}:{one.span.line}" if one.span else str(one.file)


def count_to_each(given: Iterable[Input], wanted: Sequence[Settings], task: Task) -> list[Run]:
    """Do a task with inputs for several targets; of a kustomization, what it builds. Raises InputError."""
    files = given if isinstance(given, Sequence) else ()
    one = files[0] if len(files) == 1 else None
    alone = one and one.named and os.path.basename(one.name) not in NAMES
    folders = [] if alone else kustomized(files)
    if not folders:
        return translate_to_each(given, wanted, task)
    from gpuxlate.inputs.builds import build, builds_of
    from gpuxlate.translation.builds import run_build

    builds = builds_of(folders, files)
    runs = translate_to_each(given, wanted, task, builds)
    claims = Claims(files)
    left = {one.found.file or "" for run in runs for one in run.leftovers}
    for folder in builds.roots:
        made = build(folder)
        for run, settings in zip(runs, wanted, strict=True):
            part, sources = run_build(made, builds, replace(settings, claims=claims), task, left)
            run.items += part.items
            dialects_used(builds.name(folder), (it.source for it in part.items))
            run.leftovers += part.leftovers
            run.diagnostics += part.diagnostics
            for source in sources:
                run.texts.add(source)
            _bound(run, builds.name(folder))
    return runs


def translate_inputs(given: Iterable[Input], settings: Settings) -> Run:
    """Translate inputs in their order. Raises InputError."""
    return translate_to_each(given, [settings], TRANSLATE)[0]


def translate_to_each(
    given: Iterable[Input], wanted: Sequence[Settings], task: Task, builds: Builds | None = None
) -> list[Run]:
    """The same for several targets of one dialect: each input is read once. Raises InputError.

    ``builds``: what the files request that these use is counted by itself.
    """
    claims = Claims(given)
    settings = [replace(one, claims=claims) for one in wanted]
    runs: list[tuple[Run, list[Named]]] = [(Run(), []) for _ in settings]
    for one, made in each(partial(_translate_input, wanted=settings, task=task, builds=builds), given):
        if isinstance(made, InputError):
            raise made
        for (run, named), found in zip(runs, made, strict=True):
            run.files.append(found)
            run.items += found.items
            dialects_used(found.name, (it.source for it in found.items))
            run.diagnostics += found.diagnostics
            run.leftovers += found.leftovers
            run.quotas += found.quotas
            named += found.named
            if found.source is not None:
                run.texts.add(found.source)
            _bound(run, one.name)
    for run, named in runs:
        known = set(run.diagnostics)
        run.diagnostics += (one for one in clashes(named) if one not in known)
    return [run for run, _ in runs]


def _bound(run: Run, name: str) -> None:
    """Raises InputError where a run has too many findings."""
    if len(run.diagnostics) > limits.MAX_RUN_FINDINGS:
        raise InputError(
            say("{name}: more than {most} findings in this run", name=name, most=limits.MAX_RUN_FINDINGS)
        )


def _translate_input(
    one: Input, wanted: Sequence[Settings], task: Task, builds: Builds | None
) -> list[Translated]:
    """Do a task with one input for each target. Raises InputError."""
    data = one.read_bytes()
    if under_chart_templates(one.place, os.getcwd()):
        return [_template(one, data, settings, task) for settings in wanted]
    if one.named and is_blank(data):
        raise InputError(say("{name}: it is empty", name=one.name))
    source = one.source(data)
    layer = layer_of(one.place)
    if builds is not None and builds.uses(one):
        layer = layer._replace(counted=True)
    read = reader(one, source, wanted[0].from_.name if wanted[0].from_ else None)
    read = kept(read) if len(wanted) > 1 else read
    return [_run_source(one, data, source, settings, task, read, layer) for settings in wanted]


def _run_source(
    one: Input, data: bytes, source: Source, settings: Settings, task: Task, read: Reader, layer: Layer
) -> Translated:
    if not one.named and may_be_skipped(data, layer, settings.profile):
        return Translated(one.name, one.path is not None, data, data)
    made = run_source(source, settings, task, read, layer)
    return Translated(
        one.name,
        one.path is not None,
        data,
        source.encode(made.text) if made.changed else data,
        made.items,
        made.diagnostics,
        made.leftovers,
        made.quotas,
        made.named,
        source if made.diagnostics else None,
    )


def _template(one: Input, data: bytes, settings: Settings, task: Task) -> Translated:
    """A Helm template: it is left as it is, and what it holds of the source is left behind."""
    source = one.source(data)
    part = Part(diagnostics=[in_chart(one.name)])
    task.leave(part, left_in_text(source, settings.scope))
    found, left = tuple(part.diagnostics), tuple(part.leftovers)
    return Translated(one.name, True, data, data, (), found, left, (), (), source)
