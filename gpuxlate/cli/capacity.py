"""``kubectl gpuxlate capacity``: the use of each card, and whether more pods fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import typer

from gpuxlate.backends.cluster_nodes import NodeOffer
from gpuxlate.cli import live, options, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.nodes import NodePart, containers, held_parts, notes_of, target_text
from gpuxlate.cli.options import invocation
from gpuxlate.cli.tables import Cell, bar, table, terminal_columns, width_of
from gpuxlate.cluster.nodes import gpu_nodes
from gpuxlate.cluster.pods import usage_of
from gpuxlate.locale import localize
from gpuxlate.model.declarations import OMITTED, Count, Output, Printed, Sometimes, record
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import join_and, msg, plural, titled
from gpuxlate.planning.capacity import Answer, CapacityAnswer, ContainerPlacement, fits
from gpuxlate.planning.demand import GpuDemand, demand
from gpuxlate.planning.free_capacity import FreeCapacity, FreeSlot, PartRoom, free_capacities, free_parts
from gpuxlate.planning.ledger import ContainerUse, GpuUsage, Ledger, OccupiedCard, UsageSums, sum_usage
from gpuxlate.report.characters import text_of
from gpuxlate.report.characters import width as wide

_VERDICTS = {
    CapacityAnswer.FITS: "fits",
    CapacityAnswer.NOT: "does not fit",
    CapacityAnswer.UNKNOWN: "not known",
}


def command(
    file: Annotated[
        list[str],
        typer.Option("-f", "--filename", help="Manifests whose pods to fit, or - for stdin.", metavar="FILE"),
    ] = [],
    pods: Annotated[bool, typer.Option("--pods", help="List the containers on each card.")] = False,
    output: options.TableOutput = "table",
) -> int:
    """Show the use of each card and the largest shares that fit; with -f, whether the pods of FILE do.

    Only GPUs are considered. -l selects nodes; pods of all namespaces count. With -f, exit 1 if
    they do not fit, or if this is not known.
    """
    demanded = _demand(file) if file else None
    server = live.cluster_of_flags()
    usage = usage_of(server, gpu_nodes(server, invocation().selector))
    result = fits(usage, demanded.demands, demanded.unclear) if demanded else None
    if output == "json":
        printing.json_out(_json(usage, result))
    else:
        printing.out(_books_text(usage, pods) + (_answer_text(result) if result else _rooms_text(usage)))
    return Exit.FINDINGS if result and result.verdict is not CapacityAnswer.FITS else Exit.CLEAN


def _demand(file: Sequence[str]) -> GpuDemand:
    """The pods of the files. Raises UserError, typer.Exit."""
    demanded = demand(file_input.source() for file_input in Inputs(file).some())
    printing.show(demanded.diagnostics, demanded.sources)
    if demanded.diagnostics:
        raise typer.Exit(Exit.FINDINGS)
    if not demanded.demands:
        raise UserError(
            msg("{names}: no pod requests a GPU", names=", ".join(file)),
            "gpuxlate targets shows the keys of each dialect",
            Exit.INPUT,
        )
    return demanded


def _books_text(usage: GpuUsage, pods: bool) -> str:
    if not usage.ledgers:
        return text_of([localize("the cluster has no GPU nodes")])
    blocks = [text_of(_node(ledger, pods)) for ledger in usage.ledgers.values()]
    if usage.waiting:
        waiting = plural(
            usage.waiting, "{count} GPU pod waits for a node", "{count} GPU pods wait for a node"
        )
        blocks.append(text_of([localize(waiting)]))
    return "\n".join(blocks)


def _node(ledger: Ledger, pods: bool) -> Iterator[str]:
    view = ledger.view
    about = [target_text(view), *(str(text) for text in (view.policy, view.mode, view.model) if text)]
    yield f"{ledger.node.name}  {localize(join_and(about))}"
    for row in view.counted:
        taken = ledger.taken.get(row.key, 0)
        name = f"{row.name}  {row.key}" if view.parts else localize(msg("cards"))
        text = localize(msg("{taken} of {there} in use", taken=taken, there=row.amount))
        bars = bar(taken, row.amount, width_of(wide(name) + wide(text) + 7, 1))
        yield f"  {name}  {bars}  {text}"
    for card in ledger.cards:
        yield from _card(ledger, card)
        if pods:
            yield from (f"            {_held(held)}" for held in card.held)
    if pods:
        for unplaced in ledger.unplaced:
            pod = f"{unplaced.namespace}/{unplaced.pod} {unplaced.container}"
            yield f"    ?       {localize(msg('{title}: {text}', title=pod, text=unplaced.reason))}"
    for text in notes_of(ledger):
        yield f"  {localize(titled('note', text))}"


def _card(ledger: Ledger, card: OccupiedCard) -> Iterator[str]:
    """One line, or two where the terminal is narrow."""
    memory = ledger.view.card_mib or 0
    taken = card.memory_mib(memory)
    texts = [("memory", taken, memory, msg("{taken:>6} of {there} MiB", taken=taken, there=memory))]
    if ledger.view.cores is not None:
        percent = msg("{taken:>3} of {there} %", taken=card.cores, there=FULL_CARD_CORES)
        texts.insert(0, ("compute", card.cores, FULL_CARD_CORES, percent))
    usages = [(localize(msg(name)), have, total, localize(text)) for name, have, total, text in texts]
    count = localize(msg("whole") if card.is_whole else containers(len(card.held)))
    head = f"  {localize(msg('card {index:<3}', index=card.index))}"
    fixed = wide(head) + wide(count) + 2 + sum(wide(name) + wide(text) + 5 for name, _, _, text in usages)
    width = width_of(fixed, len(usages))
    parts = [f"{name} {bar(have, total, width)} {text}" for name, have, total, text in usages]
    line = "  ".join([head, *parts, count])
    if wide(line) <= terminal_columns():
        yield line
        return
    yield f"{head}  {parts[0]}"
    yield from (f"{' ' * wide(head)}  {part}" for part in parts[1:])


def _held(held: ContainerUse) -> str:
    ask = held.ask
    if ask.whole:
        amount: str = msg("the whole card")
    else:
        compute = [f"{ask.cores} %"] if ask.cores else []
        memory = msg("all memory") if held.memory_mib is None else f"{held.memory_mib} MiB"
        amount = join_and([*compute, memory, *([msg("offline")] if ask.offline else [])])
    who = f"{held.namespace}/{held.pod} {ask.container}"
    return localize(msg("{title}: {text}", title=who, text=amount))


def _rooms_text(usage: GpuUsage) -> str:
    """What is free by target, and whether it is fragmented."""
    blocks = []
    free, parts = free_capacities(usage), free_parts(usage)
    if free:
        head = ["TARGET", "NODES", "CARDS", "EMPTY", "FREE COMPUTE", "FREE MEMORY", "LARGEST SHARES THAT FIT"]
        blocks.append(table(head, [_room_row(target_room) for target_room in free]))
    if parts:
        head = ["TARGET", "PART", "NODES", "ALLOCATABLE", "FREE", "MOST FREE ON A NODE"]
        blocks.append(
            table(head, [[str(number) for number in part_room.to_json().values()] for part_room in parts])
        )
    notes = [line for target_room in free for line in _room_notes(target_room)]
    return "".join("\n" + block for block in [*blocks, *([text_of(notes)] if notes else [])])


def _room_row(target_room: FreeCapacity) -> list[Cell]:
    numbers = (
        target_room.nodes,
        target_room.cards,
        target_room.empty_cards,
        f"{target_room.cores_free} %",
        f"{target_room.memory_free_mib} MiB",
    )
    return [target_room.target, *map(str, numbers), [*map(_hole, target_room.largest)] or msg("none")]


def _hole(slot: FreeSlot) -> str:
    text = "{cores} % and {memory} MiB (card {card} of {node})"
    return localize(msg(text, cores=slot.cores, memory=slot.memory_mib, card=slot.card, node=slot.node))


def _room_notes(target_room: FreeCapacity) -> Iterator[str]:
    if target_room.fragmented:
        empty = (
            plural(target_room.empty_cards, "{count} is empty", "{count} are empty")
            if target_room.empty_cards
            else msg("none is empty")
        )
        text = "{target} is fragmented: what is free makes {cards} in all, and {empty}"
        yield localize(
            msg(
                text,
                target=target_room.target,
                cards=plural(target_room.enough_for_cards, "{count} card", "{count} cards"),
                empty=empty,
            )
        )
    yield from (f"  {localize(text)}" for text in target_room.unknown)


def _answer_text(result: Answer) -> str:
    count: str = plural(result.pods, "{count} pod", "{count} pods")
    if result.pods_that_fit != result.pods:
        count = msg("{pods}, {count} of them fit", pods=count, count=result.pods_that_fit)
    lines = ["", localize(titled(_VERDICTS[result.verdict], count))]
    lines += [f"  - {localize(reason)}" for reason in result.reasons]
    lines += [
        f"  {placement.pod} -> {placement.node}" + _cards(placement.containers) for placement in result.places
    ]
    lines += [f"  {localize(titled('warning', warning))}" for warning in result.warnings]
    return text_of(lines)


def _cards(containers: Sequence[ContainerPlacement]) -> str:
    single, several = "{name} on card {cards}", "{name} on cards {cards}"
    placements = [
        msg(
            single if len(each.cards) == 1 else several,
            name=each.container,
            cards=", ".join(map(str, each.cards)),
        )
        for each in containers
    ]
    return f": {'; '.join(map(localize, placements))}" if placements else ""


@record
class CardHolder(Printed):
    """One container on a card."""

    namespace: str
    """Namespace of its pod."""
    pod: str
    """Name of its pod."""
    container: str
    """Name of the container."""
    cores: Count
    """Compute in percent of the card."""
    memory_mib: Count | None
    """Memory in MiB; null: all of a card whose memory is not known."""
    offline: bool
    """Its pod is offline, and takes no compute from others."""


@record
class CardUsage(Printed):
    """One card and what is on it."""

    index: Count
    """Index of the card."""
    cores: Count | None
    """Compute in use, in percent of the card; null: the target does not count it."""
    memory_mib: Count
    """Memory in use, in MiB."""
    card_mib: Count | None
    """Memory of the card in MiB; null: it is not known."""
    whole: bool
    """One container has all of it."""
    held: Sequence[CardHolder]
    """The containers on it."""


@record
class WholeCards(Printed):
    """Whole cards of a node."""

    there: Count | None
    """What it has; null: it is not known."""
    taken: Count
    """What pods request."""


@record
class NotPlaced(Printed):
    """A container whose cards are not known."""

    namespace: str
    """Namespace of its pod."""
    pod: str
    """Name of its pod."""
    container: str
    """Name of the container."""
    reason: str
    """Why."""


@record
class NodeUsage(Printed):
    """One GPU node and what runs there."""

    name: str
    """Name of the node."""
    target: str | None
    """The target that it serves; null: none."""
    serves: NodeOffer
    """What pods can request of it."""
    cards: Sequence[CardUsage]
    """Its cards."""
    whole_cards: WholeCards | None
    """Its whole cards; null: it serves something else."""
    parts: Sometimes[Sequence[NodePart]]
    """Its parts of cards, where it has some."""
    not_placed: Sequence[NotPlaced]
    """Containers whose cards are not known."""


@record
class CapacityOutput(Output):
    """What capacity -o json prints."""

    KIND: ClassVar[str] = "capacity"
    nodes: Sequence[NodeUsage]
    """The GPU nodes."""
    waiting: Count
    """GPU pods that wait for a node."""
    totals: Mapping[str, UsageSums]
    """The sums by target."""
    targets: Sequence[FreeCapacity]
    """The room by target."""
    parts: Sequence[PartRoom]
    """The room for parts of cards, by target and part."""
    answer: Answer | None
    """Whether the pods of the files fit; null: no file is given."""


def _json(usage: GpuUsage, result: Answer | None) -> dict[str, Any]:
    ledgers = usage.ledgers.values()
    return CapacityOutput(
        [*map(_node_usage, ledgers)],
        usage.waiting,
        sum_usage(ledgers),
        free_capacities(usage),
        free_parts(usage),
        result,
    ).to_json()


def _node_usage(ledger: Ledger) -> NodeUsage:
    whole = (
        WholeCards(ledger.view.cards, sum(ledger.taken.values()))
        if ledger.view.serves is NodeOffer.WHOLE
        else None
    )
    return NodeUsage(
        ledger.node.name,
        ledger.view.target,
        ledger.view.serves,
        [_card_usage(ledger, card) for card in ledger.cards],
        whole,
        held_parts(ledger) or OMITTED,
        [NotPlaced(u.namespace, u.pod, u.container, u.reason) for u in ledger.unplaced],
    )


def _card_usage(ledger: Ledger, card: OccupiedCard) -> CardUsage:
    held = [
        CardHolder(
            held.namespace,
            held.pod,
            held.ask.container,
            held.ask.percent,
            ledger.view.card_mib if held.memory_mib is None else held.memory_mib,
            held.ask.offline,
        )
        for held in card.held
    ]
    return CardUsage(
        card.index,
        card.cores if ledger.view.cores is not None else None,
        card.memory_mib(ledger.view.card_mib),
        ledger.view.card_mib,
        card.is_whole,
        held,
    )
