"""``kubectl gpuxlate capacity``: the use of each card, and whether more pods fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from gpuxlate.backends.live import PERCENT, Serves
from gpuxlate.cli import common, live_options, options
from gpuxlate.cli.bars import bar, columns, width_of
from gpuxlate.cli.nodes import notes_of, parts_json, target_text
from gpuxlate.cluster.nodes import gpu_nodes
from gpuxlate.cluster.pods import books_of
from gpuxlate.model.messages import message_of, say
from gpuxlate.planning.capacity import Answer, Verdict, answer
from gpuxlate.planning.demand import Demand, DemandError, demand
from gpuxlate.planning.ledger import Books, Card, Held, Ledger, totals

_VERDICTS = {Verdict.FITS: "fits", Verdict.NOT: "does not fit", Verdict.UNKNOWN: "not known"}


def command(
    file: Annotated[
        list[str],
        typer.Option("-f", "--filename", help="Manifests: do their pods still fit?", metavar="FILE"),
    ] = [],  # noqa: B006 - typer copies it
    pods: Annotated[bool, typer.Option("--pods", help="The containers on each card.")] = False,
    output: options.Output = "table",
    namespace: live_options.Namespace = None,
    all_namespaces: live_options.AllNamespaces = False,
    selector: live_options.Selector = None,
    context: live_options.Context = None,
    kubeconfig: live_options.Kubeconfig = None,
    request_timeout: live_options.RequestTimeout = None,
) -> int:
    """The use of each card, as bars; with -f, whether the pods of FILE still fit, and if not, why.

    Only GPUs are considered. -l selects nodes; pods of all namespaces count. With -f, exit 1 if
    they do not fit, or that is not known.
    """
    wanted = _demand(file) if file else None
    server = live_options.cluster(namespace, all_namespaces, selector, context, kubeconfig, request_timeout)
    found = books_of(server, gpu_nodes(server, selector))
    result = answer(found, wanted.wanted, wanted.unclear) if wanted else None
    if output == "json":
        common.out(common.write_json(_json(found, result)))
    else:
        common.text_out(books_text(found, pods) + (_answer_text(result) if result else ""))
    return common.Exit.FINDINGS if result and result.verdict is not Verdict.FITS else common.Exit.CLEAN


def _demand(file: Sequence[str]) -> Demand:
    """The pods of the files. Raises CliError, typer.Exit."""
    try:
        wanted = demand(one.source() for one in common.some_inputs(file))
    except DemandError as error:
        raise common.CliError(message_of(error), error.hint, common.Exit.FINDINGS) from None
    common.show(wanted.diagnostics, wanted.sources)
    if wanted.diagnostics:
        raise typer.Exit(common.Exit.FINDINGS)
    if not wanted.wanted:
        raise common.CliError(
            say("{names}: no pod requests a GPU", names=", ".join(file)),
            "gpuxlate targets shows the keys of each dialect",
            common.Exit.INPUT,
        )
    return wanted


def books_text(found: Books, pods: bool) -> str:
    if not found.ledgers:
        return "the cluster has no GPU nodes\n"
    blocks = ["\n".join(_node(one, pods)) for one in found.ledgers.values()]
    if found.waiting:
        blocks.append(f"{found.waiting} GPU {'pod waits' if found.waiting == 1 else 'pods wait'} for a node")
    return "\n\n".join(blocks) + "\n"


def _node(one: Ledger, pods: bool) -> Iterator[str]:
    view = one.view
    about = [target_text(view), *(str(text) for text in (view.policy, view.mode, view.model) if text)]
    yield f"{one.node.name}  {', '.join(about)}"
    for row in view.counted:
        taken = one.taken.get(row.key, 0)
        name, text = (f"{row.name}  {row.key}" if view.parts else "cards"), f"{taken} of {row.amount} in use"
        yield f"  {name}  {bar(taken, row.amount, width_of(len(name) + len(text) + 7, 1))}  {text}"
    for card in one.cards:
        yield from _card(one, card)
        if pods:
            yield from (f"            {_held(held)}" for held in card.held)
    if pods:
        for unplaced in one.unplaced:
            yield f"    ?       {unplaced.namespace}/{unplaced.pod} {unplaced.container}: {unplaced.reason}"
    for text in notes_of(one):
        yield f"  note: {text}"


def _card(one: Ledger, card: Card) -> Iterator[str]:
    """One line, or two where the terminal is narrow."""
    memory = one.view.card_mib or 0
    taken = card.memory_mib(memory)
    texts = [("memory", taken, memory, f"{taken:>6} of {memory} MiB")]
    if one.view.cores is not None:
        texts.insert(0, ("compute", card.cores, PERCENT, f"{card.cores:>3} of {PERCENT} %"))
    count = "whole" if card.is_whole else _containers(len(card.held))
    head = f"  card {card.index:<3}"
    fixed = len(head) + len(count) + 2 + sum(len(name) + len(text) + 5 for name, _, _, text in texts)
    width = width_of(fixed, len(texts))
    parts = [f"{name} {bar(have, there, width)} {text}" for name, have, there, text in texts]
    line = "  ".join([head, *parts, count])
    if len(line) <= columns():
        yield line
        return
    yield f"{head}  {parts[0]}"
    yield from (f"{' ' * len(head)}  {part}" for part in parts[1:])


def _containers(count: int) -> str:
    return "1 container" if count == 1 else f"{count} containers"


def _held(held: Held) -> str:
    ask = held.ask
    if ask.whole:
        what = "the whole card"
    else:
        compute = [f"{ask.cores} %"] if ask.cores else []
        memory = "all memory" if held.memory_mib is None else f"{held.memory_mib} MiB"
        what = ", ".join([*compute, memory, *(["offline"] if ask.offline else [])])
    return f"{held.namespace}/{held.pod} {ask.container}: {what}"


def _answer_text(result: Answer) -> str:
    count = "1 pod" if result.pods == 1 else f"{result.pods} pods"
    lines = [
        "",
        f"{_VERDICTS[result.verdict]}: {count}"
        + ("" if result.fitting == result.pods else f", {result.fitting} of them fit"),
    ]
    lines += [f"  - {reason}" for reason in result.reasons]
    lines += [f"  {one.pod} -> {one.node}" + _cards(one.cards) for one in result.places]
    lines += [f"  warning: {warning}" for warning in result.warnings]
    return "\n".join(lines) + "\n"


def _cards(cards: Sequence[tuple[str, tuple[int, ...]]]) -> str:
    result = [
        f"{name} on {'card' if len(chosen) == 1 else 'cards'} {', '.join(map(str, chosen))}"
        for name, chosen in cards
    ]
    return f": {'; '.join(result)}" if result else ""


def _json(found: Books, result: Answer | None) -> dict[str, Any]:
    return {
        "format": "gpuxlate-capacity/v1",
        "nodes": [node_json(one) for one in found.ledgers.values()],
        "waiting": found.waiting,
        "totals": totals(found.ledgers.values()),
        "answer": result.to_json() if result else None,
    }


def node_json(one: Ledger) -> dict[str, Any]:
    return {
        "name": one.node.name,
        "target": one.view.target,
        "serves": str(one.view.serves),
        "cards": [_card_json(one, card) for card in one.cards],
        "wholeCards": {"there": one.view.cards, "taken": sum(one.taken.values())}
        if one.view.serves is Serves.WHOLE
        else None,
        **({"parts": parts_json(one)} if one.view.parts else {}),
        "notPlaced": [
            {"namespace": u.namespace, "pod": u.pod, "container": u.container, "reason": u.reason}
            for u in one.unplaced
        ],
    }


def _card_json(one: Ledger, card: Card) -> dict[str, Any]:
    return {
        "index": card.index,
        "cores": card.cores if one.view.cores is not None else None,
        "memoryMiB": card.memory_mib(one.view.card_mib),
        "cardMiB": one.view.card_mib,
        "whole": card.is_whole,
        "held": [
            {
                "namespace": held.namespace,
                "pod": held.pod,
                "container": held.ask.container,
                "cores": held.ask.percent,
                "memoryMiB": one.view.card_mib if held.memory_mib is None else held.memory_mib,
                "offline": held.ask.offline,
            }
            for held in card.held
        ],
    }
