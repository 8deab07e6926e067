"""``gpuxlate compare``: what one share becomes at several targets, and where their manifests differ."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Annotated, ClassVar

import typer

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.cli import lookup, options, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.render import render_requests, workload_file, workloads
from gpuxlate.cli.tables import Cell, table
from gpuxlate.cli.terminal import color_wanted
from gpuxlate.config.document import ShareDocument, ShareDocuments, read_specs
from gpuxlate.files.find import Input, InputError
from gpuxlate.lint.files import dialects_in
from gpuxlate.locale import localize
from gpuxlate.model.amounts import Amount
from gpuxlate.model.declarations import OMITTED, Output, Printed, RuleCode, Sometimes, record
from gpuxlate.model.diagnostics import Diagnostic, LossKind, Severity
from gpuxlate.model.errors import Exit
from gpuxlate.model.messages import msg, titled
from gpuxlate.model.pod import DeviceRequest, PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.model.windows import matching_lines
from gpuxlate.report.characters import make_visible, text_of, width
from gpuxlate.translation.fit import PodFit, Verdict, fit_pod
from gpuxlate.translation.items import ChangedField
from gpuxlate.translation.options import Settings
from gpuxlate.translation.render import PROBE_CONTAINER, RenderRequest
from gpuxlate.yamltext.source import Source

CHANGED_MARK = "+ "
PLAIN = "  "
GAP = "  "
CONTEXT = 3
"""Lines shown before and after a difference, as diff shows."""
NO_TERMINAL = (80, 24)
MIN_COLUMNS = 20
"""Columns, on whatever terminal: less would hold no word."""
_GREEN = "\x1b[32m"
_BOLD = "\x1b[1m"
_RESET = "\x1b[0m"


@record
class Line:
    """One line of one manifest; ``is_unique`` says that the other manifests do not have it."""

    text: str
    is_unique: bool


AlignedLines = list[Line | None]
"""One line across all manifests; None where a manifest has nothing there."""


def side_by_side(manifests: Sequence[tuple[str, str]]) -> str:
    """Titles and what differs of the texts, as many beside each other as fit the terminal, the others below.

    Texts that do not differ are shown whole.
    """
    titles = [title for title, _ in manifests]
    rows = align([[make_visible(line) for line in text.splitlines()] for _, text in manifests])
    color = color_wanted(sys.stdout)
    room = max(shutil.get_terminal_size(NO_TERMINAL).columns, MIN_COLUMNS)
    whole = not any(map(_differs, rows))
    needed = [_needed(title, [row[n] for row in rows], room) for n, title in enumerate(titles)]
    lines: list[str] = []
    for part in _parts(needed, room):
        inside = [row for row in ([row[n] for n in part] for row in rows) if any(row)]
        blocks = [*_blocks([titles[n] for n in part], inside, whole)]
        widths = _widths([needed[n] for n in part], [row for _, shown in blocks for row in shown], room)
        for heads, shown in blocks:
            lines.append(_headings(heads, widths, color))
            lines += [line for row in shown for line in _cells(row, widths, color)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def align(texts: Sequence[Sequence[str]]) -> list[AlignedLines]:
    """Rows in which the lines that all texts share stand beside each other."""
    common = list(texts[0])
    for text in texts[1:]:
        common = [common[a] for a, _ in _matches(common, text)]
    # the numbers of the common lines in each text, and its end
    places = [[*(at for _, at in _matches(common, text)), len(text)] for text in texts]
    rows: list[AlignedLines] = []
    starts = [0] * len(texts)
    for number in range(len(common) + 1):
        ends = [place[number] for place in places]
        between = [text[start:end] for text, start, end in zip(texts, starts, ends, strict=True)]
        for at in range(max(map(len, between))):
            rows += [[Line(part[at], is_unique=True) if at < len(part) else None for part in between]]
        if number < len(common):
            rows.append([Line(common[number], is_unique=False) for _ in texts])
        starts = [end + 1 for end in ends]
    return rows


def _matches(lines: Sequence[str], other_lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of indices of equal lines, in order."""
    for block in matching_lines(lines, other_lines):
        yield from ((block.a + index, block.b + index) for index in range(block.size))


def _differs(row: AlignedLines) -> bool:
    return any(line.is_unique for line in row if line)


def _needed(title: str, column: AlignedLines, room: int) -> int:
    """The width that a manifest needs: what it has of its own is not cut, only folded where a line is
    wider than the terminal."""
    last = len(column)
    own_widths = (width(line.text) for line in column if line and line.is_unique)
    heading = width(_heading(_range(title, last, last))) - len(PLAIN)
    return min(max(heading, *own_widths, 0), room - len(PLAIN))


def _parts(needed: Sequence[int], room: int) -> Iterator[range]:
    """The numbers of the manifests that fit beside each other."""
    start = taken = 0
    for number, least in enumerate(needed):
        if number > start and taken + len(PLAIN) + least > room:
            yield range(start, number)
            start, taken = number, 0
        taken += len(PLAIN) + least + len(GAP)
    yield range(start, len(needed))


def _widths(needed: Sequence[int], rows: Sequence[AlignedLines], room: int) -> list[int]:
    """A width for each manifest of a part: what it needs, and what is left for the lines that all share."""
    spare = room - sum(needed) - len(needed) * len(PLAIN) - (len(needed) - 1) * len(GAP)
    natural = [max(width(line.text) for row in rows if (line := row[n])) for n in range(len(needed))]
    return [
        least + min(max(full - least, 0), spare // len(needed))
        for least, full in zip(needed, natural, strict=True)
    ]


def _hunks(rows: Sequence[AlignedLines]) -> list[range]:
    """The rows that differ, with those about them."""
    hunks: list[range] = []
    for at in (at for at, row in enumerate(rows) if _differs(row)):
        start = max(at - CONTEXT, 0)
        if hunks and start <= hunks[-1].stop:
            start = hunks.pop().start
        hunks.append(range(start, min(at + CONTEXT + 1, len(rows))))
    return hunks


def _blocks(
    titles: Sequence[str], rows: Sequence[AlignedLines], whole: bool
) -> Iterator[tuple[list[str], list[AlignedLines]]]:
    """What is shown of a part: rows, under the lines of each manifest that they are."""
    counts = [[*accumulate((row[n] is not None for row in rows), initial=0)] for n in range(len(titles))]
    hunks = [range(len(rows))] if whole else _hunks(rows)
    for hunk in hunks:
        heads = [
            _range(title, count[hunk.start] + 1, count[hunk.stop])
            for title, count in zip(titles, counts, strict=True)
        ]
        yield heads, [rows[at] for at in hunk]
    if not hunks:
        shared = localize(
            msg("... lines {first} to {last}, which all targets share", first=1, last=len(rows))
        )
        yield [*titles], [[Line(shared, is_unique=False) for _ in titles]]


def _range(title: str, first: int, last: int) -> str:
    return localize(msg("{target}, lines {first} to {last}", target=title, first=first, last=last))


def _heading(text: str) -> str:
    return f"-- {text} --"


def _headings(texts: Sequence[str], widths: Sequence[int], color: bool) -> str:
    return GAP.join(
        _paint(_fitted(_heading(text) + "-" * room, room + len(PLAIN), cut=""), _BOLD, color)
        for text, room in zip(texts, widths, strict=True)
    )


def _cells(row: AlignedLines, widths: Sequence[int], color: bool) -> Iterator[str]:
    """One row, which takes more than one line of the terminal where a manifest's own line is folded."""
    cells = [_cell(line, room) for line, room in zip(row, widths, strict=True)]
    for number in range(max(map(len, cells))):
        yield GAP.join(
            _paint(text, _GREEN, color and line is not None and line.is_unique)
            for line, cell, room in zip(row, cells, widths, strict=True)
            for text in [cell[number] if number < len(cell) else " " * (room + len(PLAIN))]
        )


def _cell(line: Line | None, room: int) -> list[str]:
    if line is None:
        return [" " * (room + len(PLAIN))]
    if not line.is_unique:
        return [PLAIN + _fitted(line.text, room)]
    return [CHANGED_MARK + _fitted(piece, room) for piece in _folded(line.text, room)]


def _folded(text: str, room: int) -> list[str]:
    """The text in pieces of that many columns; those that go on begin with an ellipsis."""
    pieces = [text[: _fitting(text, room)]]
    at = len(pieces[0])
    while at < len(text):
        more = max(_fitting(text[at : at + room], room - 1), 1)
        pieces.append(f"…{text[at : at + more]}")
        at += more
    return pieces


def _fitted(text: str, room: int, cut: str = "…") -> str:
    """The text in exactly that many columns of a terminal; where it was cut, with a sign of it."""
    fitting = _fitting(text, room)
    if fitting < len(text):
        text = text[: _fitting(text, room - len(cut))] + cut
    return text + " " * (room - width(text))


def _fitting(text: str, room: int) -> int:
    """How many characters fit in that many columns."""
    if text.isascii():
        return min(len(text), room)
    taken = 0
    for number, character in enumerate(text):
        taken += width(character)
        if taken > room:
            return number
    return len(text)


def _paint(text: str, style: str, color: bool) -> str:
    return f"{style}{text}{_RESET}" if color else text


# ``gpuxlate compare``: one share over all the targets.
@record
class ShareFinding(Printed):
    """A finding on a share, which is nowhere in a file."""

    code: RuleCode
    """Code of the rule."""
    severity: Severity
    """How bad it is."""
    message: str
    """What is wrong."""
    hint: str | None
    """What to write instead."""


@record
class AtTarget(Printed):
    """The share at one target."""

    target: str
    """The target."""
    verdict: Verdict
    """The last that applies, in this order."""
    accepted: bool
    """Nothing refuses it: all that changes was accepted."""
    keys: Mapping[str, str]
    """What the manifest has, by key; empty where the share is refused."""
    changes: Sequence[ChangedField]
    """Values off the target's grid."""
    diagnostics: Sequence[ShareFinding]
    """Findings on the share."""


@record
class ComparedShare(Printed):
    """One share."""

    name: str
    """Name of the share."""
    derived: Sometimes[Amount]
    """What its partitions or replicas amount to, where something says it."""
    targets: Sequence[AtTarget]
    """The share at each target."""


@record
class Comparison(Output):
    """What compare -o json prints."""

    KIND: ClassVar[str] = "compare"
    items: Sequence[ComparedShare]
    """Every share."""


def command(
    specs: options.Specs,
    to: Annotated[
        list[str],
        options.targets_option(
            "The targets: one, a list, or all (default: those of the configuration; without it, three clouds "
            "and the dialects of the workload)."
        ),
    ] = [],
    *,
    losses: options.LossOptions,
    profile: options.ProfileFile = None,
    allow_outside: options.AllowOutside = False,
    output: options.TableOutput = "table",
    manifests: Annotated[
        bool, typer.Option("--manifests", help="Show where the rendered manifests differ, side by side.")
    ] = False,
) -> int:
    """Compare a share at several targets: the values, the verdict, and what to change."""
    target_profile = lookup.profile(profile)
    documents = read_specs(Inputs(specs).some(), target_profile)
    printing.show(documents.diagnostics, documents.sources)
    if documents.broken:
        return Exit.FINDINGS
    accept = losses.accept()
    if to:
        backends = lookup.targets_by_name(to, registry.all_writable)
    else:
        backends = lookup.targets_at_hand(_dialects(documents, target_profile, allow_outside=allow_outside))
    if manifests:
        groups = list(workloads(documents, None, None, allow_outside=allow_outside))
        shown = [backend for backend in backends if backend.writes_pods]
        return _manifests(documents, groups, shown, accept, target_profile)
    fits: list[tuple[ShareDocument, list[tuple[Backend, PodFit]]]] = []
    for _, _, share in documents.shares:
        alone = [
            ContainerShare(PROBE_CONTAINER, 0, share=share.share)
        ]  # as ``render``: some keys hold its name
        fits.append((share, [(b, fit_pod(alone, b, accept, target_profile)) for b in backends]))
    if output == "json":
        items = [
            ComparedShare(share.name, _derived(share, row) or OMITTED, [_printed(b, fit) for b, fit in row])
            for share, row in fits
        ]
        printing.json_out(Comparison(items).to_json())
    else:
        printing.out("\n".join(_text(share, row) for share, row in fits))
    return Exit.CLEAN


def _dialects(
    documents: ShareDocuments, target_profile: Profile | None, *, allow_outside: bool
) -> Iterator[str]:
    """The dialects of the workloads that documents name. What cannot be read is nothing to compare with."""
    for spec_input, _, share in documents.shares:
        if share.workload and (
            file := workload_file(spec_input, share.workload, allow_outside=allow_outside)
        ):
            with suppress(InputError):
                workload_input = Input(str(file), file, named=False)
                yield from dialects_in(workload_input, workload_input.read_bytes(), target_profile)


def _manifests(
    documents: ShareDocuments,
    groups: list[tuple[Source | None, list[RenderRequest]]],
    backends: Sequence[Backend],
    accept: Accept,
    target_profile: Profile | None,
) -> int:
    """Print what each vendor's manifest would be; stderr gets what a vendor refuses."""

    blocks: list[str] = []
    problems: list[Diagnostic] = []
    for base, requests in groups:
        renderings = [
            (b.name, render_requests(base, requests, Settings(b, accept=accept, profile=target_profile)))
            for b in backends
        ]
        problems += [finding for _, rendering in renderings for finding in rendering.diagnostics]
        texts = [(name, rendering.text) for name, rendering in renderings if not rendering.refused]
        if texts:
            blocks.append(side_by_side(texts))
    printing.show([*dict.fromkeys(problems)], documents.sources)  # each target finds them
    printing.out("\n".join(blocks))
    return Exit.CLEAN if blocks else Exit.FINDINGS


def _derived(share: ShareDocument, row: list[tuple[Backend, PodFit]]) -> Amount | None:
    """What its part of a card amounts to, which is the same for every target; None for a share in numbers."""
    return row[0][1].outcomes[0].derived if share.share.is_part else None


def _text(share: ShareDocument, row: list[tuple[Backend, PodFit]]) -> str:
    fields = share.share.given_fields()
    values = {
        name: getattr(share.share, attribute) for attribute, name in JSON_NAMES.items() if attribute in fields
    }
    about = [f"{share.name}: {', '.join(f'{name} {value}' for name, value in values.items())}"]
    if share.share.is_part:
        derived = _derived(share, row)
        about.append(localize(msg("derived: {amount}", amount=derived.text if derived else msg("not known"))))
    cells: list[list[Cell]] = [
        [backend.name, msg(fit.outcomes[0].verdict), _lines(fit)] for backend, fit in row
    ]
    head = ["TARGET", "VERDICT", "WHAT IT BECOMES"]
    return text_of([*about, ""]) + table(head, cells, lines=True)


def _lines(fit: PodFit) -> list[str]:
    outcome = fit.outcomes[0]
    lines: list[str] = []
    if outcome.verdict is not Verdict.REFUSED:
        lines += [f"{localize(name)}: {value}" for name, value in printed_keys(fit.keys).items()]
    for loss in outcome.losses:
        lines.append(f"{loss.code} {localize(loss.message)}")
        if not loss.accepted and loss.hint:
            lines.append(f"  {localize(loss.hint)}")
    lines += [
        f"{finding.code} {localize(titled(finding.severity, finding.message))}"
        for finding in outcome.diagnostics
    ]
    return lines


def printed_keys(keys: PodKeys) -> dict[str, str]:
    """What a manifest would hold, key by key."""
    keys_by_name: dict[str, str] = {}
    for container in keys.all_containers():
        keys_by_name.update({name: value.text for name, value in container.limits.items()})
    for kind, values in (
        ("label {key}", keys.labels),
        ("annotation {key}", keys.annotations),
        ("nodeSelector {key}", keys.node_selector),
    ):
        keys_by_name.update({msg(kind, key=name): value.text for name, value in values.items()})
    for requirement in keys.requirements():
        keys_by_name[f"nodeAffinity {requirement.key}"] = (
            f"{requirement.operator} {', '.join(requirement.values)}"
        )
    for claim in keys.claims:
        for request in claim.devices.requests if claim.devices else ():
            keys_by_name.update(_of_request(request))
    return keys_by_name


def _of_request(request: DeviceRequest) -> Iterator[tuple[str, str]]:
    """What a claim would request, field by field."""
    fields = {"deviceClassName": request.device_class, "count": request.count}
    values = {**fields, **request.capacity}
    yield from ((msg("claim {key}", key=name), value.text) for name, value in values.items() if value)
    if request.selectors:
        yield (
            msg("claim {key}", key="selectors"),
            " && ".join(selector.text for selector in request.selectors),
        )


def _printed(backend: Backend, fit: PodFit) -> AtTarget:
    outcome = fit.outcomes[0]
    return AtTarget(
        backend.name,
        outcome.verdict,
        outcome.accepted,
        printed_keys(fit.keys) if outcome.verdict is not Verdict.REFUSED else {},
        [ChangedField.of(loss) for loss in outcome.losses if loss.kind is LossKind.ROUNDED],
        [
            ShareFinding(finding.code, finding.severity, finding.message, finding.hint)
            for finding in outcome.findings()
        ],
    )
