"""``kubectl gpuxlate nodes``: each GPU node, what it serves and what is free on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer

from gpuxlate.backends.live import NodeView, Serves
from gpuxlate.cli import common, live, options
from gpuxlate.cli.errors import CliError, Exit
from gpuxlate.cli.options import invocation
from gpuxlate.cli.tables import Cell, table
from gpuxlate.cluster.pods import books_of, gpu_nodes
from gpuxlate.cluster.server import ApiServer
from gpuxlate.model.messages import Message, join_and, msg, plural, titled
from gpuxlate.planning.ledger import Ledger
from gpuxlate.planning.nodes import GpuNode, differing_modes, names_of, profile_data, targets_served
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
    target = common.target(to).name if to else None
    server = live.cluster()
    nodes = [one for one in gpu_nodes(server, invocation().selector) if target in (None, one.view.target)]
    if output == "profile":
        return _profile(nodes, server)
    ledgers = list(books_of(server, nodes).ledgers.values()) if nodes else []
    if output == "json":
        items = [to_json(one) for one in ledgers]
        common.json_out({"format": "gpuxlate-nodes/v1", "items": items})
        return Exit.CLEAN
    if not ledgers:
        common.stderr_line("the cluster has no GPU nodes")
        return Exit.CLEAN
    common.out(_text(ledgers))
    noted: dict[str, list[str]] = {}
    for one in ledgers:
        for text in notes_of(one):
            noted.setdefault(text, []).append(one.node.name)
    for text, names in noted.items():
        common.info(msg("note: {name}: {text}", name=names_of(names), text=text))
    for text in differing_modes(nodes):
        common.info(titled("note", text))
    return Exit.CLEAN


def _profile(nodes: Sequence[GpuNode], server: ApiServer) -> int:
    served = targets_served(nodes)
    if not served:
        raise CliError("no node serves a target", "kubectl gpuxlate nodes shows what they serve", Exit.INPUT)
    if len(served) > 1:
        raise CliError(
            msg(
                "the nodes serve {names}, but a profile has one target",
                names=join_and(served, "{before} and {last}"),
            ),
            "choose one with --to",
        )
    data, notes = profile_data(nodes, served[0], server.version())
    common.data_out(dump_yaml(data))
    for text in notes:
        common.info(titled("note", text))
    return Exit.CLEAN


def notes_of(one: Ledger) -> list[str]:
    """Remarks on a node, beside its numbers."""
    notes = list(one.view.notes)
    if one.node.closed:
        notes.append(msg("{why}: it takes no new pods", why=one.node.closed))
    if one.unplaced:
        notes.append(
            msg("the cards of {containers} are not recorded", containers=containers(len(one.unplaced)))
        )
    if one.view.serves is Serves.NOTHING and not notes:
        notes.append("it has labels of a GPU node, but no GPU resources")
    return notes


def containers(count: int) -> Message:
    return plural(count, "{count} container", "{count} containers")


def to_json(one: Ledger) -> dict[str, Any]:
    """One item of ``gpuxlate-nodes/v1``."""
    view = one.view
    return {
        "name": one.node.name,
        "target": view.target if view.serves is not Serves.NOTHING else None,
        "serves": str(view.serves),
        "policy": str(view.policy) if view.policy else None,
        "mode": view.mode,
        "model": view.model,
        "cards": view.cards,
        "cardMiB": view.card_mib,
        "physicalCardMiB": view.physical_mib,
        "unitMiB": view.unit_mib,
        "cores": view.cores,
        "memoryMiB": view.memory_mib,
        "free": {"cores": one.cores_free, "memoryMiB": one.memory_free, "cards": one.cards_free},
        **({"parts": parts_json(one)} if view.parts else {}),
        "notPlaced": len(one.unplaced),
        "notes": notes_of(one),
    }


def parts_json(one: Ledger) -> list[dict[str, Any]]:
    """What pods of a node with parts of cards request by number."""
    return [
        {
            "resource": row.key,
            "partition": row.partition,
            "replica": row.replica.to_json() if row.replica else None,
            "memoryMiB": row.memory_mib,
            "multiprocessors": row.multiprocessors,
            "there": row.amount,
            "taken": one.taken.get(row.key, 0),
        }
        for row in one.view.parts
    ]


def _text(ledgers: Sequence[Ledger]) -> str:
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
    rows: list[list[Cell]] = [_row(one) for one in ledgers]
    if any(one.view.parts for one in ledgers):
        head.append("FREE PARTS")
        rows = [[*row, _parts(one)] for row, one in zip(rows, ledgers, strict=True)]
    return table(head, rows)


def _row(one: Ledger) -> list[Cell]:
    view = one.view
    return [
        one.node.name,
        target_text(view),
        str(view.policy or "-"),
        view.mode or "-",
        _number(view.cards),
        view.model or "-",
        _card(view),
        _number(one.cores_free),
        _number(one.memory_free),
        _number(one.cards_free, "?" if one.unplaced else "-"),
    ]


def _parts(one: Ledger) -> list[str]:
    """What is free of each part, a line each."""
    return [f"{row.name}: {one.free(row)} of {row.amount}" for row in one.view.parts] or ["-"]


def target_text(view: NodeView) -> str:
    """What a node serves, as text."""
    if view.serves is Serves.NOTHING:
        return msg("nothing")
    if view.serves is Serves.WHOLE:
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
    return unknown if value is None else str(value)
