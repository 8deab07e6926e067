"""The page of documents: each with its date, and what rests on it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module

from docs.tools.documents import groups, named_in, tagged
from docs.tools.markdown import SITE, rule_link, table
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.requirements import VendorDocument
from gpuxlate.model.profile import cards
from gpuxlate.rules.catalog import all_rules
from gpuxlate.rules.unsupported_products import PRODUCTS

INTRODUCTION = """\
Every document that a rule, a key or a prerequisite of a node is based on, with its date. [Sources of the
facts](sources.md) describes how they were read, where they contradict each other, and what is unconfirmed."""


def pages() -> Iterator[tuple[str, str]]:
    rules, keys, nodes, of_cards = cited()
    parts = ["# Documents", INTRODUCTION]
    for group in groups():
        rows = [
            [
                f'<a id="{one.id}"></a>' + (f"[{one.title}]({one.url})" if one.url else one.title),
                one.kind,
                one.date,
                ", ".join(_resting(keys[one.id], of_cards[one.id], one.id in nodes, rules[one.id])),
            ]
            for one in group.documents
        ]
        head = ["document", "what it is", "date", "used by"]
        parts += [f"## {group.title}", "\n".join(table(head, rows))]
    yield "documents.md", "\n\n".join(parts) + "\n"


def _resting(keys: int, of_cards: int, nodes: bool, rules: list[str]) -> list[str]:
    counts = {"key": keys, "card": of_cards}
    found = [f"{count} {what}{'s' if count != 1 else ''}" for what, count in counts.items() if count]
    return [*found, *(["what nodes need"] if nodes else []), *map(rule_link, rules)]


def cited() -> tuple[dict[str, list[str]], dict[str, int], set[str], dict[str, int]]:
    """By document: codes of rules, the number of keys; those that say what nodes need; the number of
    cards and of their parts.
    """
    rules: dict[str, list[str]] = defaultdict(list)
    keys: dict[str, int] = defaultdict(int)
    nodes: set[str] = set()
    of_cards = Counter(
        document.id
        for card in cards()
        for source in (card.source, *(one.source for one in card.templates if one.source))
        for document in named_in(source)
    )
    backends = list(registry.all_backends())
    for code, rule in all_rules(backends).items():
        for one in named_in(rule.sections["Source"]):
            rules[one.id].append(code)
    for product in PRODUCTS:
        for one in named_in(product.source):
            keys[one.id] += len(product.keys)
    for backend in backends:
        for row in backend.keys:
            for one in {found.id for _, documents in tagged(backend, row.source) for found in documents}:
                keys[one] += 1
        nodes |= {document.id for title in of_nodes(backend) for document in named_in(title)}
    return rules, keys, nodes, of_cards


def of_nodes(backend: Backend) -> list[str]:
    """The titles of what a target's labels, warnings and prerequisites of nodes rest on."""
    found = vars(import_module(backend.node_module)).values() if backend.node_module else ()
    return [one.title for one in found if isinstance(one, VendorDocument)]


def link(source: str) -> str:
    """A source in words, as a link to its document."""
    return ", ".join(f"[{one.title}]({SITE}documents/#{one.id})" for one in named_in(source))


def links(backend: Backend, tags: str) -> str:
    """The source column of a data sheet: each tag leads to its document."""
    found = tagged(backend, tags)
    return ", ".join(
        f"[{name}]({SITE}documents/#{documents[0].id})" if documents else name for name, documents in found
    )
