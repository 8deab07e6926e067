"""A live node by the rows of a dialect: its whole cards, where a key counts them and nothing else."""

from __future__ import annotations

from gpuxlate.backends.cluster_nodes import LiveNode, NodeOffer, NodeView
from gpuxlate.backends.rows import KeyTable


def whole_keys(table: KeyTable) -> tuple[str, ...]:
    """The resources that count whole cards and nothing else, without the common key of all vendors."""
    rows = (row for group in table.keys_by_model for row in group.whole)
    return tuple(row.name for row in rows if row.name != table.whole_card_key)


def node_view(table: KeyTable, node: LiveNode) -> NodeView | None:
    """The whole cards of a node; None where it has none."""
    key = next((key for key in whole_keys(table) if node.amount(key)), None)
    if key is None:
        return None
    return NodeView(table.name, NodeOffer.WHOLE, cards=node.amount(key), whole_key=key, labels=node.labels)
