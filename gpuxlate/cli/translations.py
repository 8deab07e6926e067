"""Translate every input of a run: common to ``translate``, ``assess``, ``parse`` and ``inspect``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from gpuxlate.cli.runner import each
from gpuxlate.inputs.files import Input, InputError, is_blank, reader, under_chart_templates
from gpuxlate.inputs.relevance import may_matter
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.rules.unreadable import in_chart
from gpuxlate.translation.item import Item
from gpuxlate.translation.translate import Settings, translate_source
from gpuxlate.yamltext.source import Source, Texts


@dataclass(frozen=True, slots=True)
class Translated:
    """The result for one input: its old and new bytes. ``source`` is the text of the findings."""

    name: str
    is_file: bool
    old: bytes
    new: bytes
    items: tuple[Item, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
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
    texts: Texts = field(default_factory=Texts)

    @property
    def refused(self) -> bool:
        return any(one.severity is Severity.ERROR for one in self.diagnostics)

    @property
    def changed(self) -> list[Translated]:
        return [file for file in self.files if file.changed]


def translate_inputs(given: Iterable[Input], settings: Settings) -> Run:
    """Translate inputs in their order. Raises InputError."""
    run = Run()
    for one, made in each(partial(translate_input, settings=settings), given):
        if isinstance(made, InputError):
            raise made
        run.files.append(made)
        run.items += made.items
        run.diagnostics += made.diagnostics
        if made.source is not None:
            run.texts.add(made.source)
        if len(run.diagnostics) > limits.MAX_RUN_FINDINGS:
            raise InputError(f"{one.name}: more than {limits.MAX_RUN_FINDINGS} findings in this run")
    return run


def translate_input(one: Input, settings: Settings) -> Translated:
    """Translate one input. Raises InputError."""
    data = one.read_bytes()
    if under_chart_templates(one.path, os.getcwd()):
        return Translated(one.name, True, data, data, diagnostics=(in_chart(one.name),))
    if one.named and is_blank(data):
        raise InputError(f"{one.name}: it is empty")
    source = one.source(data)
    if not one.named and not may_matter(data, settings.profile):
        return Translated(one.name, one.path is not None, data, data)
    from_ = settings.from_.name if settings.from_ else None
    made = translate_source(source, settings, reader(one, source, from_))
    return Translated(
        one.name,
        one.path is not None,
        data,
        source.encode(made.text) if made.changed else data,
        made.items,
        made.diagnostics,
        source if made.diagnostics else None,
    )
