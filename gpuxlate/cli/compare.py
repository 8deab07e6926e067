"""``gpuxlate compare``: one share over all the targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, ContainerShare
from gpuxlate.backends.placing import Accept
from gpuxlate.cli import common, options
from gpuxlate.cli.errors import Exit
from gpuxlate.cli.render import render_asked, workloads
from gpuxlate.cli.tables import Cell, table
from gpuxlate.config.document import ShareDocument
from gpuxlate.config.specs import Specs, read_specs
from gpuxlate.locale import tell
from gpuxlate.model.amounts import Amount
from gpuxlate.model.diagnostics import Diagnostic, LossKind
from gpuxlate.model.messages import say, titled
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.report.characters import text_of
from gpuxlate.translation.pods.fit import PodFit, Verdict, fit_pod
from gpuxlate.translation.render import PROBE, Asked
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.source import Source


def command(
    specs: options.Specs,
    to: Annotated[
        list[str],
        typer.Option(
            "--to",
            help="Only this target; may be repeated.",
            metavar="TARGET",
            autocompletion=options.complete_written,
        ),
    ] = [],  # noqa: B006 - typer copies it
    round_: options.Round = None,
    fill: options.Fill = [],  # noqa: B006 - typer copies it
    drop: options.Drop = [],  # noqa: B006
    profile: options.ProfileFile = None,
    allow_outside: options.AllowOutside = False,
    output: options.Output = "table",
    manifests: Annotated[
        bool, typer.Option("--manifests", help="Show where the rendered manifests differ, side by side.")
    ] = False,
) -> int:
    """One share over all the targets side by side: the values, the rounding, the refusals."""
    known = common.profile(profile)
    found = read_specs(common.some_inputs(specs), known)
    common.show(found.diagnostics, found.sources)
    if found.diagnostics:
        return Exit.FINDINGS
    accept = common.accept(round_, fill, drop)
    chosen = {common.written_target(one).name for one in to}
    backends = [one for one in registry.all_writable() if not chosen or one.name in chosen]
    if manifests:
        groups = list(workloads(found, None, None, allow_outside=allow_outside))
        shown = [one for one in backends if one.writes_pods and (chosen or one.name != "neutral")]
        return _manifests(found, groups, shown, accept, known)
    fits: list[tuple[ShareDocument, list[tuple[Backend, PodFit]]]] = []
    for _, _, share in found.found:
        alone = [ContainerShare(PROBE, 0, share=share.share)]  # as ``render``: some keys hold its name
        fits.append((share, [(b, fit_pod(alone, b, accept, known)) for b in backends]))
    if output == "json":
        items = [
            {
                "name": share.name,
                **({"derived": one.to_json()} if (one := _derived(share, row)) else {}),
                "targets": [_json(b, fit) for b, fit in row],
            }
            for share, row in fits
        ]
        common.json_out({"format": "gpuxlate-compare/v1", "items": items})
    else:
        common.out("\n".join(_text(share, row) for share, row in fits))
    return Exit.CLEAN


def _manifests(
    found: Specs,
    groups: list[tuple[Source | None, list[Asked]]],
    backends: Sequence[Backend],
    accept: Accept,
    known: Profile | None,
) -> int:
    """Print what each vendor's manifest would be; stderr gets what a vendor refuses."""
    from gpuxlate.cli.side_by_side import side_by_side

    blocks: list[str] = []
    problems: list[Diagnostic] = []
    for base, asked in groups:
        made = [
            (b.name, render_asked(base, asked, Settings(b, accept=accept, profile=known))) for b in backends
        ]
        problems += [one for _, rendering in made for one in rendering.diagnostics]
        columns = [(name, rendering.text) for name, rendering in made if not rendering.refused]
        if columns:
            blocks.append(side_by_side(columns))
    common.show([*dict.fromkeys(problems)], found.sources)  # each target finds them
    common.out("\n".join(blocks))
    return Exit.CLEAN if blocks else Exit.FINDINGS


def _derived(share: ShareDocument, row: list[tuple[Backend, PodFit]]) -> Amount | None:
    """What its part of a card amounts to, which is the same for every target; None for a share in numbers."""
    return row[0][1].outcomes[0].derived if share.share.is_part else None


def _text(share: ShareDocument, row: list[tuple[Backend, PodFit]]) -> str:
    asked = share.share.given_fields()
    given = {name: getattr(share.share, one) for one, name in JSON_NAMES.items() if one in asked}
    about = [f"{share.name}: {', '.join(f'{name} {value}' for name, value in given.items())}"]
    if share.share.is_part:
        derived = _derived(share, row)
        about.append(tell(say("derived: {amount}", amount=derived.text if derived else say("not known"))))
    cells: list[list[Cell]] = [[backend.name, _verdict(fit), _lines(fit)] for backend, fit in row]
    head = ["TARGET", "VERDICT", "WHAT IT BECOMES"]
    return text_of([*about, ""]) + table(head, cells, lines=True)


def _verdict(fit: PodFit) -> str:
    outcome = fit.outcomes[0]
    verdict = say(outcome.verdict)
    final = outcome.accepted or outcome.verdict in (Verdict.EXACT, Verdict.REFUSED)
    return verdict if final else say("{verdict}?", verdict=verdict)


def _lines(fit: PodFit) -> list[str]:
    outcome = fit.outcomes[0]
    lines: list[str] = []
    if outcome.verdict is not Verdict.REFUSED:
        lines += [f"{tell(name)}: {value}" for name, value in keys_of(fit.keys).items()]
    for loss in outcome.losses:
        lines.append(f"{loss.code} {tell(loss.message)}")
        if not loss.accepted and loss.hint:
            lines.append(f"  {tell(loss.hint)}")
    lines += [f"{one.code} {tell(titled(one.severity, one.message))}" for one in outcome.diagnostics]
    return lines


def keys_of(keys: PodKeys) -> dict[str, str]:
    """What a manifest would hold, key by key."""
    found: dict[str, str] = {}
    for container in keys.all_containers():
        found.update({name: value.text for name, value in container.limits.items()})
    for kind, values in (
        ("label {key}", keys.labels),
        ("annotation {key}", keys.annotations),
        ("nodeSelector {key}", keys.node_selector),
    ):
        found.update({say(kind, key=name): value.text for name, value in values.items()})
    for one in keys.requirements():
        found[f"nodeAffinity {one.key}"] = f"{one.operator} {', '.join(one.values)}"
    return found


def _json(backend: Backend, fit: PodFit) -> dict[str, object]:
    outcome = fit.outcomes[0]
    return {
        "target": backend.name,
        "verdict": str(outcome.verdict),
        "accepted": outcome.accepted,
        "keys": keys_of(fit.keys) if outcome.verdict is not Verdict.REFUSED else {},
        "changes": [
            {"field": one.field, "asked": one.asked, "given": one.given, "code": one.code}
            for one in outcome.losses
            if one.kind is LossKind.ROUNDED
        ],
        "diagnostics": [
            {"code": one.code, "severity": str(one.severity), "message": one.message, "hint": one.hint}
            for one in outcome.findings()
        ],
    }
