"""From a plan to splices of the original text. What is not spliced stays, byte for byte."""

from __future__ import annotations

import itertools
from dataclasses import replace

from gpuxlate.yamltext.block import Block
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.flow import Flow
from gpuxlate.yamltext.plan import EditError, Plans, gone_nodes
from gpuxlate.yamltext.writer import Splice, in_order

__all__ = ["Splice", "in_order", "splices"]


def splices(document: Document, plans: Plans) -> list[Splice]:
    """All splices of a plan, in their order. Raises EditError where a text cannot be spliced."""
    made: list[Splice] = []
    gone = gone_nodes(plans)
    for plan in plans.values():
        if id(plan.node) in gone:
            continue
        try:
            made.extend((Flow if plan.node.flow else Block)(document, plan).splices())
        except EditError as error:
            error.path = error.path or plan.path
            raise
    made = _settled(in_order(made))
    for one, two in itertools.pairwise(made):
        if one.end > two.start:
            raise EditError("two edits overlap in the text", ())
    return made


def _settled(made: list[Splice]) -> list[Splice]:
    """Insertions before a last line that goes move before the line break that goes with it."""
    last = next((one for one in made if one.takes_break_before), None)
    if last is None:
        return made
    settled: list[Splice] = []
    for one in made:
        if one.start == one.end and last.start < one.start < last.end:
            body = one.text.rstrip("\r\n")
            line_break = one.text[len(body) :]
            one = replace(one, start=last.start, end=last.start, text=line_break + body)
        settled.append(one)
    return in_order(settled)
