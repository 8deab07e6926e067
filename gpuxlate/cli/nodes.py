"""``kubectl gpuxlate nodes``: each GPU node, what it serves and what is free on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import typer

from gpuxlate.backends.cluster_nodes import NodeOffer, NodeView
from gpuxlate.cli import live, lookup, options, printing
from gpuxlate.cli.options import invocation
from gpuxlate.cli.tables import Cell, table
from gpuxlate.cluster.nodes import gpu_nodes
from gpuxlate.cluster.pods import usage_of
from gpuxlate.cluster.server import ApiServer
from gpuxlate.model.declarations import OMITTED, Count, Output, Printed, Sometimes, record
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import Message, join_and, msg, plural, titled
from gpuxlate.model.share import Policy, Replica
from gpuxlate.planning.ledger import Ledger
from gpuxlate.planning.nodes import GpuNode, comma_list, differing_modes, profile_data, targets_served
from gpuxlate.yamltext.plain import dump_yaml


def command(
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="Show only the nodes of this target.",
            metavar="TARGET",
            autocompletion=options.complete_target,
        ),
    ] = None,
    output: Annotated[Literal["table", "json", "profile"], options.FORMAT] = "table",
) -> int:
    """List the GPU nodes: target, policy, cards, memory of a card, what is free.

    -o profile prints a cluster profile of the nodes, for --profile. -l selects nodes; pods of all
    namespaces count.
    """
    target = lookup.target(to).name if to else None
    server = live.cluster_of_flags()
    nodes = [node for node in gpu_nodes(server, invocation().selector) if target in (None, node.view.target)]
    if output == "profile":
        return _profile(nodes, server)
    ledgers = list(usage_of(server, nodes).ledgers.values()) if nodes else []
    if output == "json":
        printing.json_out(NodesOutput([*map(_printed, ledgers)]).to_json())
        return Exit.CLEAN
    if not ledgers:
        printing.stderr_line("the cluster has no GPU nodes")
        return Exit.CLEAN
    printing.out(_text(ledgers))
    noted: dict[str, list[str]] = {}
    for ledger in ledgers:
        for text in notes_of(ledger):
            noted.setdefault(text, []).append(ledger.node.name)
    for text, names in noted.items():
        printing.info(msg("note: {name}: {text}", name=comma_list(names), text=text))
    for text in differing_modes(nodes):
        printing.info(titled("note", text))
    return Exit.CLEAN


def _profile(nodes: Sequence[GpuNode], server: ApiServer) -> int:
    """Print the profile of the nodes. Raises UserError where these serve no target, or several."""
    served = targets_served(nodes)
    if not served:
        raise UserError("no node serves a target", "kubectl gpuxlate nodes shows what they serve", Exit.INPUT)
    if len(served) > 1:
        raise UserError(
            msg(
                "the nodes serve {names}, but a profile has one target",
                names=join_and(served, "{before} and {last}"),
            ),
            "choose one with --to",
        )
    data, notes = profile_data(nodes, served[0], server.version())
    printing.data_out(dump_yaml(data))
    for text in notes:
        printing.info(titled("note", text))
    return Exit.CLEAN


def notes_of(ledger: Ledger) -> list[str]:
    """Remarks on a node, beside its numbers."""
    notes = list(ledger.view.notes)
    if ledger.node.closed:
        notes.append(msg("{why}: it takes no new pods", why=ledger.node.closed))
    if ledger.unplaced:
        notes.append(
            msg("the cards of {containers} are not recorded", containers=containers(len(ledger.unplaced)))
        )
    if ledger.view.serves is NodeOffer.NOTHING and not notes:
        notes.append("it has labels of a GPU node, but no GPU resources")
    return notes


def containers(count: int) -> Message:
    """A number of containers as text: ``2 containers``."""
    return plural(count, "{count} container", "{count} containers")


@record
class NodePart(Printed):
    """One kind of part of the cards of a node, which pods request by number."""

    resource: str
    """The resource that pods request."""
    partition: str | None
    """Name of the partition that it is, or is a client of; null: of a card."""
    replica: Replica | None
    """Which client it is; null: a partition."""
    memory_mib: Count | None
    """Memory of the partition in MiB; null: the node does not show it."""
    multiprocessors: Count | None
    """Streaming multiprocessors of the partition; null: the node does not show them."""
    there: Count
    """What is allocatable."""
    taken: Count
    """What pods request."""


@record
class FreeOnNode(Printed):
    """What no pod of a node requests."""

    cores: Count | None
    """Compute in percent of one card; null: it is not counted."""
    memory_mib: Count | None
    """Memory in MiB; null: it is not counted."""
    cards: Count | None
    """Cards without a container; null: it is not known."""


@record
class PrintedNode(Printed):
    """One GPU node."""

    name: str
    """Name of the node."""
    target: str | None
    """The target that it serves; null: none."""
    serves: NodeOffer
    """What pods can request of it."""
    policy: Policy | None
    """Compute policy of its cards; null: it has none, or it is not known."""
    mode: str | None
    """Its mode, in the words of the target; null: it has none."""
    model: str | None
    """Model of its cards; null: it is not known."""
    cards: Count | None
    """Its cards; null: it is not known."""
    card_mib: Count | None
    """MiB of a card that pods can request; null: it is not known."""
    physical_card_mib: Count | None
    """MiB of a card as it is built; null: it is not known."""
    unit_mib: Count | None
    """MiB of a unit in which the node counts memory; null: it is not known."""
    cores: Count | None
    """Its compute in percent of one card; null: it is not counted."""
    memory_mib: Count | None
    """Its memory in MiB; null: it is not counted."""
    free: FreeOnNode
    """What no pod requests."""
    parts: Sometimes[Sequence[NodePart]]
    """Its parts of cards, where it has some."""
    not_placed: Count
    """Containers whose cards are not known."""
    notes: Sequence[str]
    """What to know."""


@record
class NodesOutput(Output):
    """What nodes -o json prints."""

    KIND: ClassVar[str] = "nodes"
    items: Sequence[PrintedNode]
    """The GPU nodes."""


def _printed(ledger: Ledger) -> PrintedNode:
    """One node as it is printed with ``-o json``."""
    view = ledger.view
    return PrintedNode(
        ledger.node.name,
        view.target if view.serves is not NodeOffer.NOTHING else None,
        view.serves,
        view.policy,
        view.mode,
        view.model,
        view.cards,
        view.card_mib,
        view.physical_mib,
        view.unit_mib,
        view.cores,
        view.memory_mib,
        FreeOnNode(ledger.cores_free, ledger.memory_free, ledger.cards_free),
        held_parts(ledger) or OMITTED,
        len(ledger.unplaced),
        notes_of(ledger),
    )


def held_parts(ledger: Ledger) -> list[NodePart]:
    """What pods of a node with parts of cards request by number."""
    return [
        NodePart(
            row.key,
            row.partition,
            row.replica,
            row.memory_mib,
            row.multiprocessors,
            row.amount,
            ledger.taken.get(row.key, 0),
        )
        for row in ledger.view.parts
    ]


def _text(ledgers: Sequence[Ledger]) -> str:
    """The table of the nodes."""
    head = [
        "NODE",
        "TARGET",
        "POLICY",
        "MODE",
        "CARDS",
        "MODEL",
        "MiB PER CARD",
        "FREE %",
        "FREE MiB",
        "FREE CARDS",
    ]
    rows: list[list[Cell]] = [_row(ledger) for ledger in ledgers]
    if any(ledger.view.parts for ledger in ledgers):
        head.append("FREE PARTS")
        rows = [[*row, _parts(ledger)] for row, ledger in zip(rows, ledgers, strict=True)]
    return table(head, rows)


def _row(ledger: Ledger) -> list[Cell]:
    """The row of a node; numbers it does not show are ``-``."""
    view = ledger.view
    return [
        ledger.node.name,
        target_text(view),
        str(view.policy or "-"),
        view.mode or "-",
        _number(view.cards),
        view.model or "-",
        _card(view),
        _number(ledger.cores_free),
        _number(ledger.memory_free),
        _number(ledger.cards_free, "?" if ledger.unplaced else "-"),
    ]


def _parts(ledger: Ledger) -> list[str]:
    """What is free of each part, a line each."""
    return [f"{row.name}: {ledger.free(row)} of {row.amount}" for row in ledger.view.parts] or ["-"]


def target_text(view: NodeView) -> str:
    """What a node serves, as text."""
    if view.serves is NodeOffer.NOTHING:
        return msg("nothing")
    if view.serves is NodeOffer.WHOLE:
        whole = msg("whole cards")
        return msg("{target} ({whole})", target=view.target, whole=whole) if view.target else whole
    return view.target or ""


def _card(view: NodeView) -> str:
    """MiB of a card that pods can request, with the units where the node counts in units."""
    unit = view.nominal_mib
    if view.card_mib is None or unit is None:
        return _number(view.card_mib)
    return f"{view.card_mib} ({view.card_mib // unit} x {unit})"


def _number(value: int | None, unknown: str = "-") -> str:
    """A number as text, or the sign for one that the node does not show."""
    return unknown if value is None else str(value)
