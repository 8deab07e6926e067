"""What the targets of the configuration refuse of an open text, and the decisions that would accept it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from gpuxlate.backends import registry
from gpuxlate.config.configuration import Config, find_profile
from gpuxlate.config.decisions import Decision
from gpuxlate.config.document import shares_in
from gpuxlate.files.find import Input, InputError, document_reader
from gpuxlate.files.read import is_inside
from gpuxlate.model.diagnostics import Diagnostic, LossKind, Severity
from gpuxlate.model.messages import msg
from gpuxlate.overlays.roles import FileRole
from gpuxlate.overlays.run_claims import Claims
from gpuxlate.sync.settings import target_settings
from gpuxlate.translation.decisions import Decisions, DecisionsError, read_decisions
from gpuxlate.translation.options import Settings
from gpuxlate.translation.render import RenderRequest, render_on
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.plain import plain_text
from gpuxlate.yamltext.source import Source


class DecidedTarget(NamedTuple):
    """A target that the configuration keeps in step, or decides about. ``file``: where decisions go."""

    name: str
    settings: Settings
    file: str


class TargetRefusal(NamedTuple):
    """A finding that a target refuses, and the entries of which each would accept a loss of it."""

    finding: Diagnostic
    target: DecidedTarget
    entries: tuple[Decision, ...] = ()

    @property
    def shown(self) -> Diagnostic:
        """The finding with its target."""
        message = msg("{target}: {message}", target=self.target.name, message=self.finding.message)
        return replace(self.finding, message=message)


def decided_targets(
    config: Config | None, path: str | None, at_hand: Mapping[str, Settings]
) -> Iterator[DecidedTarget]:
    """The targets of a file: those of ``sync`` where it is in a source, and those at hand where the
    configuration names decisions.

    Raises ValueError for what cannot be read, LookupError for names of no target.
    """
    if config is None or path is None or config.path is None:
        return
    home = Path(os.path.abspath(config.path)).parent
    for entry in config.sync:
        if not is_inside(path, home / entry.source):
            continue
        source = registry.get(entry.from_) if entry.from_ else None
        for target in entry.targets:
            named = target.options.get("decisions")
            files = [str(home / named)] if named else []
            files += [str(config.decisions)] if config.decisions else []
            profile = target.options.get("profile")
            if profile is not None and profile not in config.profiles:
                profile = str(home / profile)
            config_profile = find_profile(profile, config, plain_text) if profile else None
            settings = target_settings(target, source, config_profile, _decisions(files, str(home)))
            yield DecidedTarget(target.name, settings, next(iter(files), ""))
    if config.decisions is not None:
        known_file = str(config.decisions)
        decisions = _decisions([known_file], str(config.folder))
        for name, settings in at_hand.items():
            yield DecidedTarget(name, replace(settings, decisions=decisions), known_file)


def _decisions(files: Iterable[str], base: str) -> Decisions:
    """The decisions of those files that are there. Raises ValueError."""
    sources = [Input(file, file).source() for file in files if os.path.exists(file)]
    try:
        return read_decisions(sources, base)[0]
    except DecisionsError as error:
        names = ", ".join(os.path.relpath(file, base) for file in files)
        raise ValueError(msg("{names} cannot be used", names=names)) from error


def refusals(
    source: Source, target: DecidedTarget, claims: Claims, role: FileRole, reported: Iterable[Diagnostic]
) -> list[TargetRefusal]:
    """What a target refuses of a text, beside the findings that are ``reported`` already."""
    settings = replace(target.settings, claims=claims)
    read = document_reader(Input(source.name, source.name, named=False), source)
    if read is not documents:
        return []
    refusals_found = [*_of_shares(source, target._replace(settings=settings))]
    result = translate_source(source, settings, read, role._replace(in_folder=True))
    refusals_found += [
        TargetRefusal(diagnostic, target, tuple(_open_at(diagnostic, result, settings)))
        for diagnostic in result.diagnostics
    ]
    places = {(diagnostic.code, diagnostic.document, diagnostic.span) for diagnostic in reported}
    return [
        refusal
        for refusal in refusals_found
        if refusal.finding.severity is Severity.ERROR
        and refusal.finding.file == source.name
        and (refusal.finding.code, refusal.finding.document, refusal.finding.span) not in places
    ]


def _open_at(diagnostic: Diagnostic, result: Result, settings: Settings) -> Iterator[Decision]:
    """The losses at a finding that nothing accepts, as entries."""
    decisions = settings.decisions
    assert decisions is not None
    left_keys = [leftover.key for leftover in result.leftovers if leftover.diagnostic == diagnostic]
    names = (decisions.file(str(diagnostic.file)), decisions.object(diagnostic.object, str(diagnostic.file)))
    for each in result.judged:
        losses = [item for item in each.losses if item.loss.code == diagnostic.code and each.object in names]
        concerned = [
            loss
            for loss in losses
            if (
                loss.loss.field in left_keys
                if loss.loss.kind is LossKind.LEFTOVER
                else loss.loss.path == diagnostic.path
            )
        ]
        yield from each._replace(losses=concerned).entries()


def _of_shares(source: Source, target: DecidedTarget) -> Iterator[TargetRefusal]:
    """What is refused of the GPUShare documents of a text, each on its workload."""
    for document, share in shares_in(source, target.settings.profile, named=False)[0]:
        if share.workload is None:
            continue
        place = os.path.normpath(os.path.join(os.path.dirname(source.name), share.workload.file))
        try:
            workload = Input(place, place).source()
        except InputError:
            continue  # lint finds it
        text = translate_source(workload, target.settings).text
        request = RenderRequest(share, document, share.workload.container)
        result = render_on(Source(place, text), [request], target.settings)
        for diagnostic in result.diagnostics:
            concerned = [
                each._replace(
                    losses=[
                        judged
                        for judged in each.losses
                        if (judged.loss.code, judged.loss.path) == (diagnostic.code, diagnostic.path)
                    ]
                )
                for each in result.judged
            ]
            yield TargetRefusal(
                diagnostic, target, tuple(entry for each in concerned for entry in each.entries())
            )
